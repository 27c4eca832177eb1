//! What deals in positions: lines of numbers, triangles, the place of an extreme element; and rounding to fewer bits. A position is
//! an operand without memory: its stride along an axis says how it grows.
use tfc_ir::{Code, Error, Result, ScalarOp, ops};
use tfc_plan::plan::{KernelStep, Slot};

use super::{Rows, Site, Step, long, misfit};
use crate::device::Arg;
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{loops, space, threads};
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
/// Two kernels: for one loop, and for a loop an axis.
struct Forms {
    flat: String,
    full: String,
    rank: usize,
}
impl Forms {
    fn of(texts: &mut Texts, rank: usize, mut kernel: impl FnMut(usize) -> Kernel) -> Forms {
        let rank = rank.max(1);
        Forms { flat: texts.add(kernel(1)), full: texts.add(kernel(rank)), rank }
    }
    fn launch(&self, ctx: &mut Ctx, dims: &[usize], strides: &[&[isize]], by: usize, mut args: Vec<Arg>) -> Result<()> {
        let s = space(dims, strides, by);
        if s.is_empty() {
            return Ok(());
        }
        let (name, rank) = if s.rank() <= 1 { (&self.flat, 1) } else { (&self.full, self.rank) };
        args.push(loops(&s, rank));
        ctx.module.launch(name, threads(s.len()), &args)
    }
}

struct Iota {
    axis: usize,
    forms: Forms,
}
fn iota(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let ty = site.result(0)?;
    let t = ctype(ty.dtype);
    let value =
        texts.functions.apply(ScalarOp::Convert, &[("at.place(1, x_)", tfc_ir::DType::I64)], ty.dtype)?;
    let body = over(&format!("y(at.place(0, x_)) = {value};"));
    let forms = Forms::of(texts, ty.rank(), |rank| Kernel {
        name: format!("iota_{t}_{rank}"),
        params: vec![param(format!("Out<{t}>"), "y"), param(format!("Loops<{rank}, 2>"), "at")],
        body: body.clone(),
    });
    Ok(Box::new(Iota { axis: site.attrs().int("axis") as usize, forms }))
}
impl Step for Iota {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let &[dst] = &step.dsts[..] else { return Err(misfit()) };
        let dims = frame.dims(dst);
        // Of a result that is a line, the line is the axis.
        let axis = if dims.len() == 1 { 0 } else { self.axis };
        let count: Vec<isize> = (0..dims.len()).map(|a| isize::from(a == axis)).collect();
        self.forms.launch(ctx, dims, &[frame.strides(dst), &count], 0, vec![Arg::Ptr(frame.ptr[dst as usize])])
    }
    fn pads(&self, _: &Frame, _: &KernelStep, _: &dyn Fn(Slot, usize) -> bool) -> bool {
        true
    }
}

struct Triangle {
    k: i64,
    forms: Forms,
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
    Ok(Box::new(Triangle { k: site.attrs().int("k"), forms }))
}
impl Step for Triangle {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let (&[src], &[dst]) = (&step.args[..], &step.dsts[..]) else { return Err(misfit()) };
        let dims = frame.dims(dst);
        // Column minus row.
        let mut d = vec![0; dims.len()];
        (d[0], d[1]) = (-1, 1);
        let args = vec![
            Arg::Ptr(frame.ptr[src as usize]),
            Arg::Ptr(frame.ptr[dst as usize]),
            Arg::Longs(vec![self.k]),
        ];
        self.forms.launch(ctx, dims, &[frame.strides(src), frame.strides(dst), &d], 1, args)
    }
}

/// The place of the first extreme element along an axis; NaN is more extreme than any number.
struct Extreme {
    axis: usize,
    forms: Forms,
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
    Ok(Box::new(Extreme { axis: site.attrs().int("axis") as usize, forms }))
}
impl Step for Extreme {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let (&[src], &[dst]) = (&step.args[..], &step.dsts[..]) else { return Err(misfit()) };
        let (n, by) = (frame.dims(src)[self.axis], frame.strides(src)[self.axis]);
        if n == 0 && frame.len(dst)? > 0 {
            let text = format!("there is no largest or smallest element: axis {} is empty", self.axis);
            return Err(Error::bug(Code::E0718, text));
        }
        let from: Vec<isize> =
            (0..frame.dims(src).len()).filter(|&a| a != self.axis).map(|a| frame.strides(src)[a]).collect();
        let args = vec![
            Arg::Ptr(frame.ptr[src as usize]),
            Arg::Ptr(frame.ptr[dst as usize]),
            long(n),
            super::step(by),
        ];
        self.forms.launch(ctx, frame.dims(dst), &[&from, frame.strides(dst)], 1, args)
    }
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
