//! Running reductions: a thread a line, from its first element to its last.
use tfc_ir::{Attr, DType, Result, ScalarOp, ops};
use tfc_plan::plan::KernelStep;

use super::{Rows, Site, Step, long, misfit, param, step};
use crate::device::Arg;
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{loops, space, threads};
use crate::text::Kernel;
use crate::text::scalar::{ctype, identity};

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
    kernel: String,
    rank: usize,
}
fn fold(site: &Site, texts: &mut Texts, op: ScalarOp) -> Result<Box<dyn Step>> {
    let d = site.operand(0)?.dtype;
    // Single precision is summed in double.
    let acc = match (op, d) {
        (ScalarOp::Add, DType::F32) => DType::F64,
        (ScalarOp::Add, DType::C32) => DType::C64,
        _ => d,
    };
    let f = &mut texts.source.functions;
    let x = f.apply(ScalarOp::Convert, &[("x(at.place(0, x_) + i * from)", d)], acc)?;
    let next = f.combine(op, "all", &x, acc)?;
    let back = f.apply(ScalarOp::Convert, &[("all", acc)], d)?;
    let start = format!("{} all = {};", ctype(acc)?, identity(op, acc)?);
    made(site, texts, &start, &format!("all = {next};"), &back)
}
fn log_sum(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let (d, w) = (site.operand(0)?.dtype, DType::F64);
    let f = &mut texts.source.functions;
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
    made(site, texts, &start, &step, &back)
}
fn made(site: &Site, texts: &mut Texts, start: &str, step: &str, value: &str) -> Result<Box<dyn Step>> {
    let ty = site.operand(0)?;
    let (t, rank, name) = (ctype(ty.dtype)?, ty.rank().saturating_sub(1).max(1), site.op().def.name);
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
    let kernel = texts.add(Kernel {
        name: format!("{name}_{t}"),
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
    Ok(Box::new(Cumulative { axis: site.attrs().int("axis") as usize, reverse, kernel, rank }))
}
impl Step for Cumulative {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let (&[src], &[dst]) = (&s.args[..], &s.dsts[..]) else { return Err(misfit()) };
        if frame.len(src)? == 0 {
            return Ok(());
        }
        let n = frame.dims(src)[self.axis];
        let (mut p, mut by) =
            ([src, dst].map(|s| frame.ptr[s as usize]), [src, dst].map(|s| frame.strides(s)[self.axis]));
        if self.reverse {
            for (p, by) in p.iter_mut().zip(&mut by) {
                *p = p.at(*by * (n as isize - 1));
                *by = -*by;
            }
        }
        let others = |s: u32| -> Vec<isize> {
            (0..frame.dims(src).len()).filter(|&a| a != self.axis).map(|a| frame.strides(s)[a]).collect()
        };
        let dims: Vec<usize> =
            (0..frame.dims(src).len()).filter(|&a| a != self.axis).map(|a| frame.dims(src)[a]).collect();
        let at = space(&dims, &[&others(src), &others(dst)], 1);
        let args = [Arg::Ptr(p[0]), Arg::Ptr(p[1]), long(n), step(by[0]), step(by[1]), loops(&at, self.rank)];
        ctx.module.launch(&self.kernel, threads(at.len()), &args)
    }
}
