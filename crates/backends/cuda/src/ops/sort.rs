//! `sort`. Equal elements keep their order.
//!
//! * Lines of at most 1024 elements are sorted in shared memory, several short ones by one block, which moves elements itself.
//! * Longer ones are sorted 1024 by 1024, and then merged from short runs to long ones: in each round a thread takes one place, finds
//!   by bisection how many of the neighbouring run come before it, and so where it goes.
//! * Long lines by keys: [`super::radix`].
use tfc_ir::ops::order::{sort_axis, sort_keys};
use tfc_ir::{Code, DType, Error, Result, ops};
use tfc_plan::plan::{KernelStep, Slot};

use super::radix::{Radix, Sorted};
use super::{Rows, Site, Step, beside, long, misfit, param};
use crate::device::{Arg, Ptr};
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{blocks, threads};
use crate::text::Kernel;
use crate::text::moves::word;
use crate::text::scalar::ctype;
use tfc_device::steps::along::lines;
use tfc_device::steps::closure::Closure;

pub(super) const CORE: Rows = &[(&ops::order::SORT, sort)];

/// Elements that a block sorts in shared memory.
const CHUNK: usize = 1024;
/// Threads of such a block, at most.
const BLOCK: usize = 256;
/// Lines of more elements are sorted by the bits of their keys.
const LONG: usize = 8 * CHUNK;

struct Sort {
    axis: usize,
    keys: usize,
    rank: usize,
    /// Lines of one chunk, whole.
    short: String,
    /// A chunk of a longer line.
    chunks: String,
    merge: String,
    radix: Option<Radix>,
    /// For each operand: by places of 64 bits, and of 32.
    place: Vec<[String; 2]>,
    /// What a comparator takes from outside.
    outside: Vec<Slot>,
}
/// How two elements of a line, at `a` and `b`, are compared.
struct Before {
    /// Parameters of kernels: keys, and what a comparator takes from outside.
    params: Vec<crate::text::Param>,
    /// Statements, and what they end with.
    text: String,
    outside: Vec<Slot>,
}
fn before(site: &Site, texts: &mut Texts, keys: usize, asked: bool) -> Result<Before> {
    let (mut params, mut text) = (vec![], String::new());
    for k in 0..keys {
        let d = site.operand(k)?.dtype;
        let t = ctype(d);
        params.push(param(format!("In<{t}>"), &format!("key{k}")));
        params.push(param("i64", &format!("step{k}")));
        // Numbers that are none come last, equal to each other.
        let (less, more) = match d {
            DType::F32 | DType::F64 => ("p < q || (p == p && q != q)", "q < p || (q == q && p != p)"),
            _ => ("p < q", "q < p"),
        };
        if asked {
            for (side, i) in [("p", "a"), ("q", "b")] {
                text += &format!("      const {t} {side}{k} = key{k}(lines.place({k}, x_) + {i} * step{k});\n");
            }
            continue;
        }
        text += &format!(
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
        text += &c.text;
        answer = c.yields.first().ok_or_else(|| site.misfit())?.clone();
        params.append(&mut c.params);
        outside = c.slots();
    }
    text += &format!("      return {answer};\n");
    Ok(Before { params, text, outside })
}
/// Where the element at `i` of a run of `run` goes that is merged with its neighbour, in a line of `m` elements; `OTHER` is the
/// element at `half`.
const GOES: &str = "      const i64 begin = i / (2 * run) * (2 * run);
      const i64 middle = begin + run < m ? begin + run : m, end = begin + 2 * run < m ? begin + 2 * run : m;
      const bool left = i < middle;
      i64 low = left ? middle : begin, high = left ? end : middle;
      while (low < high) {
        const i64 half = low + (high - low) / 2;
        const i64 other = OTHER;
        if (left ? before(other, mine) : !before(mine, other)) low = half + 1;
        else high = half;
      }
      const i64 place = left ? i + (low - middle) : low + (i - middle);
";
/// The kernel that sorts in shared memory. A block has `1024 / width` lines, or (`whole` is not) a chunk of a line; one key's bits are
/// kept beside the order.
fn in_shared(site: &Site, texts: &mut Texts, b: &Before, by_bits: bool, whole: bool) -> Result<String> {
    let rank = beside(site.operand(0)?.rank().saturating_sub(1));
    let operands = site.op().operands.len();
    let keys = b.params.iter().filter(|p| p.name.starts_with("key")).count();
    let mut params = b.params.clone();
    let (mut bits, mut take) = (String::new(), String::new());
    let mut compare = format!("const auto x_ = lines.index(line);\n{}", b.text);
    if by_bits {
        texts.functions.section("sort_bits")?;
        let d = site.operand(0)?.dtype;
        bits = format!("  SHARED({}, bits, {CHUNK});\n", if d.size() == 8 { "u64" } else { "u32" });
        take = format!(
            "        const {} x = key0(lines.place(0, lines.index(line)) + (off + i) * step0);\n        bits[c] = sort_bits(x);\n",
            ctype(d)
        );
        compare = "return bits[base + a - off] < bits[base + b - off];\n".into();
    }
    let (mut results, mut slots) = (String::new(), keys);
    if whole {
        for k in 0..operands {
            let t = word(site.operand(k)?.dtype.size());
            params.extend([param(format!("In<{t}>"), &format!("x{k}")), param(format!("Out<{t}>"), &format!("y{k}"))]);
            params.extend([param("i64", &format!("from{k}")), param("i64", &format!("to{k}"))]);
            results += &format!(
                "        y{k}(lines.place({}, x_) + i * to{k}) = x{k}(lines.place({}, x_) + from * from{k});\n",
                slots + 1,
                slots
            );
            slots += 2;
        }
        results = format!("        const auto x_ = lines.index(line);\n{results}");
    } else {
        params.push(param("Out<i64>", "to"));
        results = "        to((line * n + off + i) * 8) = off + from;\n".into();
    }
    params.extend([param("i64", "n"), param("i64", "width"), param(format!("Loops<{rank}, {slots}>"), "lines")]);
    let place = if whole {
        "      const i64 line = g * (1024 / width) + c / width, i = c % width, base = c - i, off = 0, m = n;\n      \
         if (i >= m || line >= lines.count()) continue;\n"
    } else {
        "      const i64 line = g / chunks, i = c, base = 0, off = g % chunks * 1024, m = n - off < 1024 ? n - off : 1024;\n      \
         if (i >= m) continue;\n"
    };
    let count = if whole { "(lines.count() + 1024 / width - 1) / (1024 / width)" } else { "lines.count() * chunks" };
    let goes = GOES.replace("OTHER", "off + order[now + base + half]");
    let body = format!(
        "  SHARED(u32, order, {two});
{bits}  const i64 chunks = (n + 1023) / 1024;
  for (i64 g = blockIdx.x; g < {count}; g += gridDim.x) {{
    for (i64 c = threadIdx.x; c < 1024; c += blockDim.x) {{
{place}      order[c] = (u32)i;
      {{
{take}      }}
    }}
    __syncthreads();
    i64 now = 0;
    for (i64 run = 1; run < n && run < 1024; run *= 2) {{
      for (i64 c = threadIdx.x; c < 1024; c += blockDim.x) {{
{place}      const auto before = [&](i64 a, i64 b) -> bool {{
{compare}      }};
      const i64 mine = off + order[now + c];
{goes}      order[1024 - now + base + place] = (u32)(mine - off);
      }}
      now = 1024 - now;
      __syncthreads();
    }}
    for (i64 c = threadIdx.x; c < 1024; c += blockDim.x) {{
{place}      const i64 from = order[now + c];
      {{
{results}      }}
    }}
    __syncthreads();
  }}
",
        two = 2 * CHUNK
    );
    let name = if whole { "sort_lines" } else { "sort_chunks" };
    Ok(texts.add(Kernel { name: name.into(), params, body }))
}
fn sort(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let first = site.operand(0)?;
    let asked = !site.op().regions.is_empty();
    // A comparator is asked about elements of every operand.
    let keys = if asked { site.op().operands.len() } else { sort_keys(site.attrs()) };
    let (axis, rank) = (sort_axis(site.attrs(), first.rank()), beside(first.rank().saturating_sub(1)));
    let b = before(site, texts, keys, asked)?;
    let by_bits = !asked && keys == 1;
    let short = in_shared(site, texts, &b, by_bits, true)?;
    let chunks = in_shared(site, texts, &b, by_bits, false)?;
    let mut params = vec![param("In<i64>", "from"), param("Out<i64>", "to"), param("i64", "n"), param("i64", "run")];
    params.extend(b.params);
    params.push(param(format!("Loops<{rank}, {keys}>"), "lines"));
    let goes = GOES.replace("OTHER", "from((line * n + half) * 8)");
    let merge = texts.add(Kernel {
        name: "sort_merge".into(),
        params,
        body: format!(
            "  for (i64 g = thread_of_grid(); g < lines.count() * n; g += threads_of_grid()) {{
    const i64 line = g / n, i = g % n, m = n;
    const auto x_ = lines.index(line);
    const auto before = [&](i64 a, i64 b) -> bool {{
{}    }};
    const i64 mine = from((line * n + i) * 8);
{goes}    to((line * n + place) * 8) = mine;
  }}
",
            b.text
        ),
    });
    let radix = if asked {
        None
    } else {
        let dtypes = (0..keys).map(|k| Ok(site.operand(k)?.dtype)).collect::<Result<Vec<_>>>()?;
        Some(Radix::of(texts, &dtypes, rank)?)
    };
    let mut place = vec![];
    for k in 0..site.op().operands.len() {
        let t = word(site.operand(k)?.dtype.size());
        place.push([("i64", 8), ("u32", 4)].map(|(order, size)| {
            texts.add(Kernel {
                name: format!("sort_place_{t}"),
                params: vec![
                    param(format!("In<{order}>"), "order"),
                    param(format!("In<{t}>"), "x"),
                    param(format!("Out<{t}>"), "y"),
                    param("i64", "n"),
                    param("i64", "from"),
                    param("i64", "to"),
                    param(format!("Loops<{rank}, 2>"), "lines"),
                ],
                body: format!(
                    "  for (i64 g = thread_of_grid(); g < lines.count() * n; g += threads_of_grid()) {{
    const auto x_ = lines.index(g / n);
    y(lines.place(1, x_) + g % n * to) = x(lines.place(0, x_) + order(g * {size}) * from);
  }}
"
                ),
            })
        }));
    }
    Ok(Box::new(Sort { axis, keys, rank, short, chunks, merge, radix, place, outside: b.outside }))
}
impl Sort {
    /// Loops over lines, in one order for all kernels: as the axes are written.
    fn nest(&self, frame: &Frame, slots: &[Slot]) -> Arg {
        lines(frame, slots, self.axis, self.rank)
    }
    fn by(&self, frame: &Frame, s: Slot) -> Arg {
        super::step(frame.strides(s)[self.axis])
    }
    /// Keys as kernels take them, and what a comparator has from outside.
    fn compared(&self, frame: &Frame, step: &KernelStep) -> Vec<Arg> {
        let keys = step.args[..self.keys].iter();
        let mut args: Vec<Arg> = keys.flat_map(|&s| [Arg::Ptr(frame.ptr[s as usize]), self.by(frame, s)]).collect();
        args.extend(Closure::args(&self.outside, frame));
        args
    }
    /// Lines of one chunk, results and all.
    fn short(&self, frame: &Frame, ctx: &mut Ctx, step: &KernelStep, (count, n): (usize, usize)) -> Result<()> {
        let mut args = self.compared(frame, step);
        let mut slots = step.args[..self.keys].to_vec();
        for (&s, &d) in step.args.iter().zip(&step.dsts) {
            args.extend([s, d].map(|s| Arg::Ptr(frame.ptr[s as usize])));
            args.extend([s, d].map(|s| self.by(frame, s)));
            slots.extend([s, d]);
        }
        let width = n.next_power_of_two();
        args.extend([long(n), long(width), self.nest(frame, &slots)]);
        let block = (width.saturating_mul(count) / 4).next_power_of_two().clamp(32, BLOCK);
        ctx.module.launch(&self.short, blocks(count.div_ceil(CHUNK / width), block as u32), &args)
    }
    /// The order of longer lines, as `i64`.
    fn merged(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep, (count, n): (usize, usize)) -> Result<Ptr> {
        let bytes = count.checked_mul(n).and_then(|all| all.checked_mul(8));
        let bytes = bytes.ok_or_else(|| Error::new(Code::E0406, "the places of a sort are too many"))?;
        let (mut from, mut to) = (frame.scratch(ctx, 0, bytes)?, frame.scratch(ctx, 1, bytes)?);
        let (compared, lines) = (self.compared(frame, step), self.nest(frame, &step.args[..self.keys]));
        let ends = [Arg::Ptr(from), long(n), long(CHUNK), lines.clone()];
        let shape = blocks(count.saturating_mul(n.div_ceil(CHUNK)), BLOCK as u32);
        ctx.module.launch(&self.chunks, shape, &[&compared[..], &ends[..]].concat())?;
        let mut run = CHUNK;
        while run < n {
            let sizes = [Arg::Ptr(from), Arg::Ptr(to), long(n), long(run)];
            let args = [&sizes[..], &compared[..], std::slice::from_ref(&lines)].concat();
            ctx.module.launch(&self.merge, threads(count * n), &args)?;
            (from, to) = (to, from);
            run = run.saturating_mul(2);
        }
        Ok(from)
    }
}
impl Step for Sort {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let Some(&first) = step.args.first() else { return Err(misfit()) };
        let all = frame.len(first)?;
        if all == 0 {
            return Ok(());
        }
        let n = frame.dims(first)[self.axis];
        let count = all / n;
        if n <= CHUNK {
            return self.short(frame, ctx, step, (count, n));
        }
        let (order, narrow) = match &self.radix {
            Some(r) if n > LONG && u32::try_from(n).is_ok() => {
                let nest = |frame: &Frame, slots: &[Slot]| self.nest(frame, slots);
                let keys = &step.args[..self.keys];
                let lines = Sorted { lines: count, n, keys, axis: self.axis, nest: &nest };
                (r.run((frame, ctx), 0, &lines)?, 1)
            }
            _ => (self.merged(frame, ctx, step, (count, n))?, 0),
        };
        let frame = &*frame;
        for ((&s, &d), kernels) in step.args.iter().zip(&step.dsts).zip(&self.place) {
            let ptr = |s: Slot| Arg::Ptr(frame.ptr[s as usize]);
            let (from, to) = (self.by(frame, s), self.by(frame, d));
            let args = [Arg::Ptr(order), ptr(s), ptr(d), long(n), from, to, self.nest(frame, &[s, d])];
            ctx.module.launch(&kernels[narrow], threads(all), &args)?;
        }
        Ok(())
    }
}
