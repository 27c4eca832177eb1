//! Running reductions. Lines that are short, or many that lie side by side in memory, have a thread each, from the first element to the
//! last; others a block or several ([`super::scan`]). Products of real and complex numbers are folded there with their exponents apart, so
//! that no part of a line overflows which the line itself does not: 0 stays 0 beside it.
use tfc_ir::{Attr, DType, Result, ScalarOp, ops};
use tfc_plan::plan::KernelStep;

use super::scan::{Fold, Lines, Scan};
use super::{Rows, Site, Step, beside, long, misfit, param, step};
use crate::device::Arg;
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{loops, threads};
use crate::text::Kernel;
use crate::text::scalar::{ctype, identity};
use tfc_device::steps::along::Along;

/// A thread takes lines up to that long in any case.
const SHORT: usize = 32;
/// Lines side by side of which there are so many have a thread each.
const MANY: usize = 4096;

pub(super) const CORE: Rows = &[
    (&ops::order::CUMSUM, |s, t| fold(s, t, ScalarOp::Add)),
    (&ops::order::CUMPROD, |s, t| fold(s, t, ScalarOp::Mul)),
    (&ops::order::CUMMAX, |s, t| fold(s, t, ScalarOp::Max)),
    (&ops::order::CUMMIN, |s, t| fold(s, t, ScalarOp::Min)),
    (&ops::order::CUMLOGSUMEXP, log_sum),
];

struct Cumulative {
    axis: usize,
    reverse: bool,
    /// A thread a line.
    each: String,
    scan: Scan,
    rank: usize,
    size: usize,
}
fn fold(site: &Site, texts: &mut Texts, op: ScalarOp) -> Result<Box<dyn Step>> {
    let d = site.operand(0)?.dtype;
    // Single precision is summed in double.
    let acc = match (op, d) {
        (ScalarOp::Add, DType::F32) => DType::F64,
        (ScalarOp::Add, DType::C32) => DType::C64,
        _ => d,
    };
    let f = &mut texts.functions;
    let x = f.apply(ScalarOp::Convert, &[("x(at.place(0, x_) + i * from)", d)], acc)?;
    let next = f.combine(op, "all", &x, acc)?;
    let back = f.apply(ScalarOp::Convert, &[("all", acc)], d)?;
    let none = identity(op, acc)?;
    let start = format!("{} all = {none};", ctype(acc));
    let each = (start, format!("all = {next};"), back.clone());
    let (name, element) = (format!("{}_{}", site.op().def.name, ctype(d)), ctype(d));
    if op == ScalarOp::Mul && d.is_inexact() {
        return product(site, texts, each, &name);
    }
    let f = &mut texts.functions;
    let take = f.apply(ScalarOp::Convert, &[("e", d)], acc)?;
    let both = f.combine(op, "a", "b", acc)?;
    let exact = !d.is_inexact() || matches!(op, ScalarOp::Max | ScalarOp::Min);
    let (acc, size) = (ctype(acc), acc.size());
    let fold = Fold { name: &name, element, acc, size, none: &none, take: &take, fold: &both, value: &back, exact };
    made(site, texts, each, &fold)
}
/// Products of numbers that are rounded.
fn product(site: &Site, texts: &mut Texts, each: Each, name: &str) -> Result<Box<dyn Step>> {
    let d = site.operand(0)?.dtype;
    texts.functions.section("scaled")?;
    let (element, real) = (ctype(d), ctype(d.real()));
    let (acc, size, none, take, value) = if d.is_complex() {
        let part = |p: &str| format!("({real})unscaled(all.{p}, all.e)");
        let value = format!("{element}{{{}, {}}}", part("re"), part("im"));
        ("ScaledPair", 24, "ScaledPair{1, 0, 0}", "scaled((f64)e.re, (f64)e.im, 0)", value)
    } else {
        ("Scaled", 16, "Scaled{1, 0}", "scaled((f64)e, 0)", format!("({real})unscaled(all.x, all.e)"))
    };
    let fold = "scaled_times(a, b)";
    made(site, texts, each, &Fold { name, element, acc, size, none, take, fold, value: &value, exact: false })
}
fn log_sum(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let (d, w) = (site.operand(0)?.dtype, DType::F64);
    let f = &mut texts.functions;
    let e = f.apply(ScalarOp::Convert, &[("x(at.place(0, x_) + i * from)", d)], w)?;
    let less = f.apply(ScalarOp::Exp, &[("most - e", w)], w)?;
    let more = f.apply(ScalarOp::Exp, &[("e - most", w)], w)?;
    let log = f.apply(ScalarOp::Log, &[("sum", w)], w)?;
    let back = f.apply(ScalarOp::Convert, &[(&format!("most + {log}"), w)], d)?;
    let start = format!("f64 most = {}, sum = 0.0;", identity(ScalarOp::Max, w)?);
    // Equal infinities have no difference.
    let step = format!(
        "const f64 e = {e};
      if (e > most) {{
        sum = sum * {less} + 1.0;
        most = e;
      }} else {{
        sum = sum + (e == most ? 1.0 : {more});
      }}"
    );
    f.section("log_sum")?;
    let f = &mut texts.functions;
    let e = f.apply(ScalarOp::Convert, &[("e", d)], w)?;
    let [up, down] = ["a.most - b.most", "b.most - a.most"].map(|x| f.apply(ScalarOp::Exp, &[(x, w)], w));
    let (up, down) = (up?, down?);
    let log = f.apply(ScalarOp::Log, &[("all.sum", w)], w)?;
    let value = f.apply(ScalarOp::Convert, &[(&format!("all.most + {log}"), w)], d)?;
    let none = format!("LogSum{{{}, 0.0}}", identity(ScalarOp::Max, w)?);
    let least = identity(ScalarOp::Max, w)?;
    // A NaN is no greatest exponent: the sum holds it.
    let take = format!("{e} > {least} ? LogSum{{{e}, 1.0}} : LogSum{{{least}, {e} == {least} ? 1.0 : {e}}}");
    let fold = format!(
        "a.most == b.most ? LogSum{{a.most, a.sum + b.sum}} : b.most > a.most ? LogSum{{b.most, a.sum * {up} + b.sum}} : \
         LogSum{{a.most, a.sum + b.sum * {down}}}"
    );
    let (name, element) = (format!("cumlogsumexp_{}", ctype(d)), ctype(d));
    let fold = Fold {
        name: &name,
        element,
        acc: "LogSum",
        size: 16,
        none: &none,
        take: &take,
        fold: &fold,
        value: &value,
        exact: false,
    };
    made(site, texts, (start, step, back), &fold)
}
/// How a thread begins a line, takes an element, and shows its value.
type Each = (String, String, String);
fn made(site: &Site, texts: &mut Texts, (start, step, value): Each, fold: &Fold) -> Result<Box<dyn Step>> {
    let ty = site.operand(0)?;
    let (t, rank) = (fold.element, beside(ty.rank().saturating_sub(1)));
    let body = format!(
        "  for (i64 k = thread_of_grid(); k < at.count(); k += threads_of_grid()) {{
    const auto x_ = at.index(k);
    {start}
    for (i64 i = 0; i < n; i++) {{
      {step}
      y(at.place(1, x_) + i * to) = {value};
    }}
  }}
"
    );
    let each = texts.add(Kernel {
        name: fold.name.into(),
        params: vec![
            param(format!("In<{t}>"), "x"),
            param(format!("Out<{t}>"), "y"),
            param("i64", "n"),
            param("i64", "from"),
            param("i64", "to"),
            param(format!("Loops<{rank}, 2>"), "at"),
        ],
        body,
    });
    let reverse = site.attrs().get("reverse") == Some(&Attr::Bool(true));
    let (axis, size) = (site.attrs().int("axis") as usize, ty.dtype.size());
    Ok(Box::new(Cumulative { axis, reverse, each, scan: Scan::of(texts, fold, rank)?, rank, size }))
}
impl Step for Cumulative {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let (&[src], &[dst]) = (&s.args[..], &s.dsts[..]) else { return Err(misfit()) };
        if frame.len(src)? == 0 {
            return Ok(());
        }
        let Along { first: p, by, n, at } = Along::of(frame, [src, dst], self.axis, self.reverse);
        let beside = at.rank() > 0 && [0, 1].iter().all(|&k| at.stride(0, k) == self.size as isize);
        if n > SHORT && !(beside && at.len() >= MANY) {
            return self.scan.run((frame, ctx), 0, &Lines { first: p, by, n, at: &at });
        }
        let args = [Arg::Ptr(p[0]), Arg::Ptr(p[1]), long(n), step(by[0]), step(by[1]), loops(&at, self.rank)];
        ctx.module.launch(&self.each, threads(at.len()), &args)
    }
}
