//! Kernels of what deals in positions (`tfc_device::steps::positions`), and rounding to fewer bits.
use tfc_device::steps::positions::{Extreme, Forms, Iota, Triangle};
use tfc_ir::{Result, ScalarOp, ops};
use tfc_plan::plan::KernelStep;

use super::{Rows, Site, Step, misfit};
use crate::device::Arg;
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::text::scalar::{ctype, literal};
use crate::text::{Kernel, Param};

pub(super) const CORE: Rows = &[
    (&ops::constant::IOTA, iota),
    (&ops::shape::TRIL, |s, t| triangle(s, t, "<=")),
    (&ops::shape::TRIU, |s, t| triangle(s, t, ">=")),
    (&ops::reduce::ARGMAX, |s, t| extreme(s, t, ScalarOp::Gt)),
    (&ops::reduce::ARGMIN, |s, t| extreme(s, t, ScalarOp::Lt)),
    (&ops::elementwise::REDUCE_PRECISION, precision),
];

fn param(ty: String, name: &str) -> Param {
    Param { ty, name: name.into() }
}
/// A loop over elements around a statement.
fn over(statement: &str) -> String {
    format!(
        "  for (i64 i = thread_of_grid(); i < at.count(); i += threads_of_grid()) {{\n    const auto x_ = at.index(i);\n    {statement}\n  }}\n"
    )
}
fn iota(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let ty = site.result(0)?;
    let t = ctype(ty.dtype);
    let value = texts.functions.apply(ScalarOp::Convert, &[("at.place(1, x_)", tfc_ir::DType::I64)], ty.dtype)?;
    let body = over(&format!("y(at.place(0, x_)) = {value};"));
    let forms = Forms::of(texts, ty.rank(), |rank| Kernel {
        name: format!("iota_{t}_{rank}"),
        params: vec![param(format!("Out<{t}>"), "y"), param(format!("Loops<{rank}, 2>"), "at")],
        body: body.clone(),
    });
    Ok(Box::new(Iota::of(site, forms)))
}

fn triangle(site: &Site, texts: &mut Texts, keeps: &str) -> Result<Box<dyn Step>> {
    let ty = site.result(0)?;
    let (t, zero) = (ctype(ty.dtype), literal([0; 16], ty.dtype));
    let body = over(&format!("y(at.place(1, x_)) = at.place(2, x_) {keeps} k ? x(at.place(0, x_)) : {zero};"));
    let name = if keeps == "<=" { "tril" } else { "triu" };
    let forms = Forms::of(texts, ty.rank(), |rank| Kernel {
        name: format!("{name}_{t}_{rank}"),
        params: vec![
            param(format!("In<{t}>"), "x"),
            param(format!("Out<{t}>"), "y"),
            param("i64".into(), "k"),
            param(format!("Loops<{rank}, 3>"), "at"),
        ],
        body: body.clone(),
    });
    Ok(Box::new(Triangle::of(site, forms)))
}

fn extreme(site: &Site, texts: &mut Texts, better: ScalarOp) -> Result<Box<dyn Step>> {
    let ty = site.operand(0)?;
    let (d, t) = (ty.dtype, ctype(ty.dtype));
    let mut better = texts.functions.apply(better, &[("e", d), ("best", d)], tfc_ir::DType::Bool)?;
    if d.is_float() {
        better = format!("{better} || (e != e && best == best)");
    }
    let body = format!(
        "  for (i64 i = thread_of_grid(); i < at.count(); i += threads_of_grid()) {{
    const auto x_ = at.index(i);
    {t} best = x(at.place(0, x_));
    i64 where = 0;
    for (i64 j = 1; j < n; j++) {{
      const {t} e = x(at.place(0, x_) + j * step);
      if ({better}) {{
        best = e;
        where = j;
      }}
    }}
    y(at.place(1, x_)) = where;
  }}
"
    );
    let name = site.op().def.name;
    let forms = Forms::of(texts, ty.rank().saturating_sub(1), |rank| Kernel {
        name: format!("{name}_{t}_{rank}"),
        params: vec![
            param(format!("In<{t}>"), "x"),
            param("Out<i64>".into(), "y"),
            param("i64".into(), "n"),
            param("i64".into(), "step"),
            param(format!("Loops<{rank}, 2>"), "at"),
        ],
        body: body.clone(),
    });
    Ok(Box::new(Extreme::of(site, forms)))
}
/// Rounding to fewer bits of exponent and mantissa, half to even; overflow to infinity, what is below the least normal number to zero.
struct Precision {
    forms: Forms,
}
fn precision(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let ty = site.result(0)?;
    let (d, t) = (ty.dtype, ctype(ty.dtype));
    let own = if d == tfc_ir::DType::F32 { 23 } else { 52 };
    let (e, m) = (site.attrs().int("exponent").clamp(1, 11), site.attrs().int("mantissa").clamp(0, own));
    let bias = (1i64 << (e - 1)) - 1;
    let drop = 52 - m;
    let least = 2f64.powi((1 - bias) as i32);
    let most = 2f64.powi(bias.min(1023) as i32) * (2.0 - 2f64.powi(-(m as i32)));
    let f = |x: f64| literal(padded(x), tfc_ir::DType::F64);
    let (least, most) = (f(least), f(most));
    let half = if drop == 0 { "0".into() } else { format!("{}ull + ((bits >> {drop}) & 1)", (1u64 << (drop - 1)) - 1) };
    let body = over(&format!(
        "const f64 v = (f64)x(at.place(0, x_));
    const u64 bits = f64_bits(v);
    const f64 rounded = f64_from((bits + {half}) >> {drop} << {drop});
    const f64 size = fabs(rounded);
    const f64 r = size > {most} ? copysign({inf}, v) : size < {least} ? copysign(0.0, v) : rounded;
    y(at.place(1, x_)) = ({t})(v == 0.0 || !(fabs(v) < {inf}) ? v : r);",
        inf = f(f64::INFINITY),
    ));
    let forms = Forms::of(texts, ty.rank(), |rank| Kernel {
        name: format!("reduce_precision_{t}_{rank}"),
        params: vec![
            param(format!("In<{t}>"), "x"),
            param(format!("Out<{t}>"), "y"),
            param(format!("Loops<{rank}, 2>"), "at"),
        ],
        body: body.clone(),
    });
    Ok(Box::new(Precision { forms }))
}
fn padded(x: f64) -> [u8; 16] {
    let mut b = [0; 16];
    b[..8].copy_from_slice(&x.to_le_bytes());
    b
}
impl Step for Precision {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let (&[src], &[dst]) = (&step.args[..], &step.dsts[..]) else { return Err(misfit()) };
        let args = vec![Arg::Ptr(frame.ptr[src as usize]), Arg::Ptr(frame.ptr[dst as usize])];
        self.forms.launch(ctx, frame.dims(dst), &[frame.strides(src), frame.strides(dst)], 1, args)
    }
}
