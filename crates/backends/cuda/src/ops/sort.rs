//! `sort`: places are merged from short runs to long ones. In each round a thread takes one place: it finds by bisection how many of
//! the neighbouring run come before it, and so where it goes. Among equals the order stays.
use tfc_ir::ops::order::{sort_axis, sort_keys};
use tfc_ir::{DType, Error, Result, ops};
use tfc_plan::plan::{KernelStep, Slot};

use super::closure::Closure;
use super::{Rows, Site, Step, misfit, param};
use crate::device::Arg;
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{loops, threads};
use crate::text::Kernel;
use crate::text::moves::word;
use crate::text::scalar::ctype;

pub(super) const CORE: Rows = &[(&ops::order::SORT, sort)];

struct Sort {
    axis: usize,
    keys: usize,
    rank: usize,
    start: String,
    merge: String,
    /// For each operand.
    place: Vec<String>,
    /// What a comparator takes from outside.
    outside: Vec<Slot>,
}
fn sort(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let first = site.operand(0)?;
    let asked = !site.op().regions.is_empty();
    // A comparator is asked about elements of every operand.
    let keys = if asked { site.op().operands.len() } else { sort_keys(site.attrs()) };
    let (axis, rank) = (sort_axis(site.attrs(), first.rank()), first.rank().saturating_sub(1).max(1));
    let start = texts.add(Kernel {
        name: "sort_start".into(),
        params: vec![param("Out<i64>", "order"), param("i64", "n"), param("i64", "all")],
        body: "  for (i64 i = thread_of_grid(); i < all; i += threads_of_grid()) order(i * 8) = i % n;\n".into(),
    });
    let mut params = vec![param("In<i64>", "from"), param("Out<i64>", "to"), param("i64", "n"), param("i64", "run")];
    let mut before = String::new();
    for k in 0..keys {
        let d = site.operand(k)?.dtype;
        let t = ctype(d)?;
        params.push(param(format!("In<{t}>"), &format!("key{k}")));
        params.push(param("i64", &format!("step{k}")));
        // Numbers that are none come last, equal to each other.
        let (less, more) = match d {
            DType::F32 | DType::F64 => ("p < q || (p == p && q != q)", "q < p || (q == q && p != p)"),
            _ => ("p < q", "q < p"),
        };
        if asked {
            for (side, i) in [("p", "a"), ("q", "b")] {
                before += &format!("      const {t} {side}{k} = key{k}(lines.place({k}, x_) + {i} * step{k});\n");
            }
            continue;
        }
        before += &format!(
            "      {{
        const {t} p = key{k}(lines.place({k}, x_) + a * step{k}), q = key{k}(lines.place({k}, x_) + b * step{k});
        if ({less}) return true;
        if ({more}) return false;
      }}
"
        );
    }
    let (mut answer, mut outside) = ("false".to_owned(), vec![]);
    if asked {
        let args: Vec<String> = (0..keys).flat_map(|k| [format!("p{k}"), format!("q{k}")]).collect();
        let mut c = Closure::of(site, texts, &args, "      ")?;
        before += &c.text;
        answer = c.yields.first().ok_or_else(|| site.misfit())?.clone();
        params.append(&mut c.params);
        outside = c.slots();
    }
    params.push(param(format!("Loops<{rank}, {keys}>"), "lines"));
    let merge = texts.add(Kernel {
        name: "sort_merge".into(),
        params,
        body: format!(
            "  for (i64 g = thread_of_grid(); g < lines.count() * n; g += threads_of_grid()) {{
    const i64 line = g / n, i = g % n;
    const auto x_ = lines.index(line);
    const auto before = [&](i64 a, i64 b) {{
{before}      return {answer};
    }};
    const i64 begin = i / (2 * run) * (2 * run);
    const i64 middle = begin + run < n ? begin + run : n, end = begin + 2 * run < n ? begin + 2 * run : n;
    const i64 mine = from((line * n + i) * 8);
    const bool left = i < middle;
    i64 low = left ? middle : begin, high = left ? end : middle;
    while (low < high) {{
      const i64 half = low + (high - low) / 2;
      const i64 other = from((line * n + half) * 8);
      if (left ? before(other, mine) : !before(mine, other)) low = half + 1;
      else high = half;
    }}
    const i64 place = left ? i + (low - middle) : low + (i - middle);
    to((line * n + place) * 8) = mine;
  }}
"
        ),
    });
    let mut place = vec![];
    for k in 0..site.op().operands.len() {
        let t = word(site.operand(k)?.dtype.size());
        place.push(
            texts.add(Kernel {
                name: format!("sort_place_{t}"),
                params: vec![
                    param("In<i64>", "order"),
                    param(format!("In<{t}>"), "x"),
                    param(format!("Out<{t}>"), "y"),
                    param("i64", "n"),
                    param("i64", "from"),
                    param("i64", "to"),
                    param(format!("Loops<{rank}, 2>"), "lines"),
                ],
                body: "  for (i64 g = thread_of_grid(); g < lines.count() * n; g += threads_of_grid()) {
    const auto x_ = lines.index(g / n);
    y(lines.place(1, x_) + g % n * to) = x(lines.place(0, x_) + order(g * 8) * from);
  }
"
                .into(),
            }),
        );
    }
    Ok(Box::new(Sort { axis, keys, rank, start, merge, place, outside }))
}
impl Step for Sort {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let Some(&first) = step.args.first() else { return Err(misfit()) };
        let all = frame.len(first)?;
        if all == 0 {
            return Ok(());
        }
        let n = frame.dims(first)[self.axis];
        let bytes = all.checked_mul(8).ok_or_else(|| Error::new("E0406", "the places of a sort are too many"))?;
        let (mut from, mut to) = (frame.scratch(ctx, 0, bytes)?, frame.scratch(ctx, 1, bytes)?);
        let frame = &*frame;
        let long = |x: usize| Arg::Bytes((x as i64).to_le_bytes().to_vec());
        let others = |s: Slot| -> Vec<isize> {
            (0..frame.dims(s).len()).filter(|&a| a != self.axis).map(|a| frame.strides(s)[a]).collect()
        };
        let by = |s: Slot| Arg::Bytes((frame.strides(s)[self.axis] as i64).to_le_bytes().to_vec());
        let dims: Vec<usize> =
            (0..frame.dims(first).len()).filter(|&a| a != self.axis).map(|a| frame.dims(first)[a]).collect();
        // Lines in one order for all kernels: as the axes are written.
        let nest = |slots: &[Slot]| {
            let strides: Vec<Vec<isize>> = slots.iter().map(|&s| others(s)).collect();
            let mut lines = tfc_plan::sizes::space::Space::default();
            lines.clear(slots.len());
            dims.iter().enumerate().for_each(|(a, &d)| lines.push(d, false, |k| strides[k][a]));
            loops(&lines, self.rank)
        };
        ctx.module.launch(&self.start, threads(all), &[Arg::Ptr(from), long(n), long(all)])?;
        let mut run = 1;
        while run < n {
            let mut args = vec![Arg::Ptr(from), Arg::Ptr(to), long(n), long(run)];
            for &s in &step.args[..self.keys] {
                args.extend([Arg::Ptr(frame.ptr[s as usize]), by(s)]);
            }
            args.extend(Closure::args(&self.outside, frame));
            args.push(nest(&step.args[..self.keys]));
            ctx.module.launch(&self.merge, threads(all), &args)?;
            (from, to) = (to, from);
            run = run.saturating_mul(2);
        }
        for ((&s, &d), kernel) in step.args.iter().zip(&step.dsts).zip(&self.place) {
            let ptr = |s: Slot| Arg::Ptr(frame.ptr[s as usize]);
            ctx.module.launch(
                kernel,
                threads(all),
                &[Arg::Ptr(from), ptr(s), ptr(d), long(n), by(s), by(d), nest(&[s, d])],
            )?;
        }
        Ok(())
    }
}
