//! Running reductions, a thread a line; and `sort`, by merging: in each round a thread takes one place, finds by bisection how many of the
//! neighbouring run come before it, and so where it goes. Equal elements keep their order.
use tfc_device::device::Arg;
use tfc_device::run::frame::{Ctx, Frame};
use tfc_device::run::launch::{loops, threads};
use tfc_device::steps::along::{Along, lines};
use tfc_device::steps::closure::Closure;
use tfc_device::steps::{beside, long, misfit, step};
use tfc_ir::ops::order::{sort_axis, sort_keys};
use tfc_ir::{Attr, Code, DType, Error, Result, ScalarOp, ops};
use tfc_plan::plan::{KernelStep, Slot};

use super::{Made, Rows, Site, Step, Wgsl, Written};
use crate::text::scalar::{HOLD, identity};
use crate::text::{Kernel, Nest, moves, over, param, read, type_of, typed, write};

pub(super) fn core() -> Rows<Wgsl> {
    vec![
        (&ops::order::CUMSUM, |s, t| fold(s, t, ScalarOp::Add)),
        (&ops::order::CUMPROD, |s, t| fold(s, t, ScalarOp::Mul)),
        (&ops::order::CUMMAX, |s, t| fold(s, t, ScalarOp::Max)),
        (&ops::order::CUMMIN, |s, t| fold(s, t, ScalarOp::Min)),
        (&ops::order::CUMLOGSUMEXP, log_sum),
        (&ops::order::SORT, sort),
    ]
}
struct Cumulative {
    axis: usize,
    reverse: bool,
    kernel: String,
    rank: usize,
}
/// How a line begins, takes an element, and what it shows.
struct Each {
    start: String,
    take: String,
    value: String,
}
fn fold(site: &Site, texts: Written, op: ScalarOp) -> Made {
    let d = site.operand(0)?.dtype;
    let none = typed(&identity(op, d)?, d);
    if op == ScalarOp::Add && d == DType::F32 {
        // What each sum loses is summed beside it: D. E. Knuth, TAOCP 2, 4.2.2.
        texts.functions.need(HOLD);
        let take = "let s = hold(all + e); let b = hold(s - all); \
                    lost += hold(hold(all - hold(s - b)) + hold(e - b)); all = s;";
        let start = "var all = 0.0; var lost = 0.0;".into();
        // Of infinities nothing is lost.
        texts.functions.need("is_finite");
        let value = "select(all, all + lost, is_finite(all))".into();
        return made(site, texts, d, &Each { start, take: take.into(), value });
    }
    let next = texts.functions.combine(op, "all", "e", d)?;
    let each = Each { start: format!("var all = {none};"), take: format!("all = {next};"), value: "all".into() };
    made(site, texts, d, &each)
}
fn log_sum(site: &Site, texts: Written) -> Made {
    let d = site.operand(0)?.dtype;
    let f = &mut texts.functions;
    let less = f.apply(ScalarOp::Exp, &[("(most - e)", d)], d)?;
    let more = f.apply(ScalarOp::Exp, &[("(e - most)", d)], d)?;
    let log = f.apply(ScalarOp::Log, &[("sum", d)], d)?;
    let start = format!("var most = {}; var sum = f32(0.0);", typed(&identity(ScalarOp::Max, d)?, d));
    // Equal infinities have no difference.
    let take = format!(
        "if e > most {{ sum = sum * {less} + 1.0; most = e; }} else if e == most {{ sum = sum + 1.0; }} else {{ sum = sum + {more}; }}"
    );
    made(site, texts, d, &Each { start, take, value: format!("(most + {log})") })
}
fn made(site: &Site, texts: Written, d: DType, each: &Each) -> Made {
    let (t, rank) = (type_of(d), beside(site.operand(0)?.rank().saturating_sub(1)));
    let at = Nest { name: "at", rank };
    let lines = format!(
        "    {}
    {}
    for (var j = 0; j < p.n; j++) {{
      let e = {};
      {}
      {}
    }}
",
        at.index("i", "x"),
        each.start,
        read(d, "x_", &format!("{} + j * p.read_by", at.place(0, "x"))),
        each.take,
        write(d, "y_", &format!("{} + j * p.write_by", at.place(1, "x")), &each.value),
    );
    let mut params = vec![param(format!("In<{t}>"), "x_"), param(format!("Out<{t}>"), "y_")];
    params.extend(["n", "read_by", "write_by"].map(|x| param("i64", x)));
    params.push(param(format!("Loops<{rank}, 2>"), "at"));
    let name = format!("{}_{t}", site.op().def.name);
    let kernel = texts.add(Kernel { name, params, body: over(&at.count(), &lines) });
    let reverse = site.attrs().get("reverse") == Some(&Attr::Bool(true));
    Ok(Box::new(Cumulative { axis: site.attrs().int("axis") as usize, reverse, kernel, rank }))
}
impl Step for Cumulative {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let (&[src], &[dst]) = (&s.args[..], &s.dsts[..]) else { return Err(misfit()) };
        if frame.len(src)? == 0 {
            return Ok(());
        }
        let Along { first, by, n, at } = Along::of(frame, [src, dst], self.axis, self.reverse);
        let args = [Arg::Ptr(first[0]), Arg::Ptr(first[1]), long(n), step(by[0]), step(by[1]), loops(&at, self.rank)];
        ctx.module.launch(&self.kernel, threads(at.len()), &args)
    }
}

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
fn sort(site: &Site, texts: Written) -> Made {
    let first = site.operand(0)?;
    let asked = !site.op().regions.is_empty();
    // A comparator is asked about elements of every operand.
    let keys = if asked { site.op().operands.len() } else { sort_keys(site.attrs()) };
    let (axis, rank) = (sort_axis(site.attrs(), first.rank()), beside(first.rank().saturating_sub(1)));
    let lines = Nest { name: "lines", rank };
    let all = format!("p.n * ({})", lines.count());
    let start = texts.add(Kernel {
        name: "sort_start".into(),
        params: vec![param("Out<i32>", "to_"), param("i64", "n"), param(format!("Loops<{rank}, {keys}>"), "lines")],
        body: over(&all, &format!("    {}\n", write(DType::I32, "to_", "i * 4", "i % p.n"))),
    });
    let mut params = vec![param("In<i32>", "from_"), param("Out<i32>", "to_"), param("i64", "n"), param("i64", "run")];
    let mut before = String::new();
    for k in 0..keys {
        let d = site.operand(k)?.dtype;
        params.extend([param(format!("In<{}>", type_of(d)), &format!("key{k}_")), param("i64", &format!("step{k}"))]);
        let line = lines.place(k, "x");
        for (side, i) in [("p", "a"), ("q", "b")] {
            let e = read(d, &format!("key{k}_"), &format!("{line} + {i} * p.step{k}"));
            before += &format!("      let {side}{k} = {e};\n");
        }
        if asked {
            continue;
        }
        let (p, q) = (format!("p{k}"), format!("q{k}"));
        let mut less = texts.functions.apply(ScalarOp::Lt, &[(&p, d), (&q, d)], DType::Bool)?;
        let mut more = texts.functions.apply(ScalarOp::Lt, &[(&q, d), (&p, d)], DType::Bool)?;
        if d == DType::F32 {
            // Numbers that are none come last, equal to each other.
            texts.functions.need("is_nan");
            less = format!("({less} || (!is_nan({p}) && is_nan({q})))");
            more = format!("({more} || (!is_nan({q}) && is_nan({p})))");
        }
        before += &format!("      if open {{ answer = {less}; open = !answer && !{more}; }}\n");
    }
    let mut outside = vec![];
    if asked {
        let args: Vec<String> = (0..keys).flat_map(|k| [format!("p{k}"), format!("q{k}")]).collect();
        let mut c = Closure::of(site, texts, &args, "      ")?;
        before += &c.text;
        before += &format!("      answer = {};\n", c.yields.first().ok_or_else(|| site.misfit())?);
        params.append(&mut c.params);
        outside = c.slots();
    }
    params.push(param(format!("Loops<{rank}, {keys}>"), "lines"));
    let merge = texts.add(Kernel {
        name: "sort_merge".into(),
        params,
        body: over(
            &all,
            &format!(
                "    let line = i / p.n;
    let e = i % p.n;
    {}
    let mine = {};
    let begin = e / p.run / 2 * 2 * p.run;
    let middle = min(begin + p.run, p.n);
    let end = min(middle + p.run, p.n);
    let left = e < middle;
    var low = select(begin, middle, left);
    var high = select(middle, end, left);
    while low < high {{
      let half = low + (high - low) / 2;
      let other = {};
      let a = select(mine, other, left);
      let b = select(other, mine, left);
      var answer = false;
      var open = true;
{before}      if answer == left {{ low = half + 1; }} else {{ high = half; }}
    }}
    let place = select(low + (e - middle), e + (low - middle), left);
    {}
",
                lines.index("line", "x"),
                read(DType::I32, "from_", "i * 4"),
                read(DType::I32, "from_", "(line * p.n + half) * 4"),
                write(DType::I32, "to_", "(line * p.n + place) * 4", "mine"),
            ),
        ),
    });
    let mut place = vec![];
    for k in 0..site.op().operands.len() {
        let d = site.operand(k)?.dtype;
        let d = moves::word(d.size()).ok_or_else(|| site.unsupported::<Wgsl>(&format!("of {d}")))?;
        let t = type_of(d);
        let order = read(DType::I32, "order_", "i * 4");
        let x = read(d, "x_", &format!("{} + {order} * p.read_by", lines.place(0, "x")));
        let store = write(d, "y_", &format!("{} + i % p.n * p.write_by", lines.place(1, "x")), &x);
        let mut params =
            vec![param("In<i32>", "order_"), param(format!("In<{t}>"), "x_"), param(format!("Out<{t}>"), "y_")];
        params.extend(["n", "read_by", "write_by"].map(|x| param("i64", x)));
        params.push(param(format!("Loops<{rank}, 2>"), "lines"));
        let body = over(&all, &format!("    let line = i / p.n;\n    {}\n    {store}\n", lines.index("line", "x")));
        place.push(texts.add(Kernel { name: format!("sort_place_{t}"), params, body }));
    }
    Ok(Box::new(Sort { axis, keys, rank, start, merge, place, outside }))
}
impl Sort {
    /// Loops over lines, in one order for all kernels: as the axes are written.
    fn nest(&self, frame: &Frame, slots: &[Slot]) -> Arg {
        lines(frame, slots, self.axis, self.rank)
    }
}
impl Step for Sort {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let Some(&first) = s.args.first() else { return Err(misfit()) };
        let all = frame.len(first)?;
        if all == 0 {
            return Ok(());
        }
        let n = frame.dims(first)[self.axis];
        let bytes = all.checked_mul(4).ok_or_else(|| Error::new(Code::E0406, "the places of a sort are too many"))?;
        let (mut from, mut to) = (frame.scratch(ctx, 0, bytes)?, frame.scratch(ctx, 1, bytes)?);
        let frame = &*frame;
        let by = |s: Slot| step(frame.strides(s)[self.axis]);
        let ptr = |s: Slot| Arg::Ptr(frame.ptr[s as usize]);
        let lines = self.nest(frame, &s.args[..self.keys]);
        ctx.module.launch(&self.start, threads(all), &[Arg::Ptr(from), long(n), lines.clone()])?;
        let mut run = 1;
        while run < n {
            let mut args = vec![Arg::Ptr(from), Arg::Ptr(to), long(n), long(run)];
            args.extend(s.args[..self.keys].iter().flat_map(|&k| [ptr(k), by(k)]));
            args.extend(Closure::args(&self.outside, frame));
            args.push(lines.clone());
            ctx.module.launch(&self.merge, threads(all), &args)?;
            (from, to) = (to, from);
            run *= 2;
        }
        for ((&x, &y), kernel) in s.args.iter().zip(&s.dsts).zip(&self.place) {
            let args = [Arg::Ptr(from), ptr(x), ptr(y), long(n), by(x), by(y), self.nest(frame, &[x, y])];
            ctx.module.launch(kernel, threads(all), &args)?;
        }
        Ok(())
    }
}
