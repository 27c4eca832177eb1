//! Kernels of what deals in positions (`tfc_device::steps::positions`), and rounding to fewer bits.
use tfc_device::device::Arg;
use tfc_device::run::frame::{Ctx, Frame};
use tfc_device::steps::misfit;
use tfc_device::steps::positions::{Extreme, Forms, Iota, Triangle};
use tfc_ir::{DType, Result, ScalarOp, ops};
use tfc_plan::plan::KernelStep;

use super::{Made, Rows, Site, Step, Wgsl, Written};
use crate::text::scalar::literal;
use crate::text::{Kernel, Nest, Param, over, param, read, type_of, typed, write};

pub(super) fn core() -> Rows<Wgsl> {
    vec![
        (&ops::constant::IOTA, iota),
        (&ops::shape::TRIL, |s, t| triangle(s, t, "<=")),
        (&ops::shape::TRIU, |s, t| triangle(s, t, ">=")),
        (&ops::reduce::ARGMAX, |s, t| extreme(s, t, ScalarOp::Gt)),
        (&ops::reduce::ARGMIN, |s, t| extreme(s, t, ScalarOp::Lt)),
        (&ops::elementwise::REDUCE_PRECISION, precision),
    ]
}
/// Both forms of a kernel over elements, whose lines `lines` writes for a nest.
fn forms(
    texts: Written,
    rank: usize,
    name: &str,
    params: &[Param],
    operands: usize,
    lines: &dyn Fn(&Nest) -> String,
) -> Forms {
    Forms::of(texts, rank, |rank| {
        let at = Nest { name: "at", rank };
        let body = format!("    {}\n{}", at.index("i", "x"), lines(&at));
        let mut params = params.to_vec();
        params.push(param(format!("Loops<{rank}, {operands}>"), "at"));
        Kernel { name: format!("{name}_{rank}"), params, body: over(&at.count(), &body) }
    })
}
fn iota(site: &Site, texts: Written) -> Made {
    let ty = site.result(0)?;
    let t = type_of(ty.dtype);
    let value = texts.functions.apply(ScalarOp::Convert, &[("n", DType::I32)], ty.dtype)?;
    let lines = |at: &Nest| {
        format!("    let n = {};\n    {}\n", at.place(1, "x"), write(ty.dtype, "y_", &at.place(0, "x"), &value))
    };
    let params = [param(format!("Out<{t}>"), "y_")];
    Ok(Box::new(Iota::of(site, forms(texts, ty.rank(), &format!("iota_{t}"), &params, 2, &lines))))
}
fn triangle(site: &Site, texts: Written, keeps: &str) -> Made {
    let ty = site.result(0)?;
    let (d, t) = (ty.dtype, type_of(ty.dtype));
    let zero = literal([0; 16], d);
    let lines = |at: &Nest| {
        let x = read(d, "x_", &at.place(0, "x"));
        let store = write(d, "y_", &at.place(1, "x"), "v");
        format!(
            "    var v = {};\n    if {} {keeps} p.k {{ v = {x}; }}\n    {store}\n",
            typed(&zero, d),
            at.place(2, "x")
        )
    };
    let name = if keeps == "<=" { "tril" } else { "triu" };
    let params = [param(format!("In<{t}>"), "x_"), param(format!("Out<{t}>"), "y_"), param("i64", "k")];
    Ok(Box::new(Triangle::of(site, forms(texts, ty.rank(), &format!("{name}_{t}"), &params, 3, &lines))))
}
fn extreme(site: &Site, texts: Written, better: ScalarOp) -> Made {
    let ty = site.operand(0)?;
    let (d, t) = (ty.dtype, type_of(ty.dtype));
    let mut better = texts.functions.apply(better, &[("e", d), ("best", d)], DType::Bool)?;
    if d.is_float() {
        texts.functions.need("is_nan");
        better = format!("{better} || (is_nan(e) && !is_nan(best))");
    }
    let lines = |at: &Nest| {
        let first = at.place(0, "x");
        format!(
            "    var best = {};
    var found = 0;
    for (var j = 1; j < p.n; j++) {{
      let e = {};
      if {better} {{ best = e; found = j; }}
    }}
    {}
",
            read(d, "x_", &first),
            read(d, "x_", &format!("{first} + j * p.step")),
            write(DType::I64, "y_", &at.place(1, "x"), "long(u32(found), 0u)"),
        )
    };
    let params = [param(format!("In<{t}>"), "x_"), param("Out<long>", "y_"), param("i64", "n"), param("i64", "step")];
    let name = format!("{}_{t}", site.op().def.name);
    Ok(Box::new(Extreme::of(site, forms(texts, ty.rank().saturating_sub(1), &name, &params, 2, &lines))))
}

/// Rounding to fewer bits of exponent and mantissa, half to even; overflow to infinity, what is below the least normal number to zero.
struct Precision {
    forms: Forms,
}
fn precision(site: &Site, texts: Written) -> Made {
    let rank = site.result(0)?.rank();
    let (e, m) = (site.attrs().int("exponent").clamp(1, 9), site.attrs().int("mantissa").clamp(0, 23));
    let drop = 23 - m;
    let half =
        if drop == 0 { "0u".into() } else { format!("{}u + ((bits >> {drop}u) & 1u)", (1u32 << (drop - 1)) - 1) };
    // Of nine bits of exponent each number has enough.
    let bias = (1i32 << (e - 1)) - 1;
    let (least, most) = match e {
        9 => (0, 0x7f7f_ffffu32),
        _ => (((128 - bias) as u32) << 23, (((127 + bias) as u32) << 23) | (0x7f_ffff >> drop << drop)),
    };
    let lines = |at: &Nest| {
        format!(
            "    let v = bitcast<u32>({});
    let bits = v & 0x7fffffffu;
    var r = ((bits + {half}) >> {drop}u) << {drop}u;
    if r > {most}u {{ r = 0x7f800000u; }}
    if r < {least}u {{ r = 0u; }}
    if bits >= 0x7f800000u {{ r = bits; }}
    {}
",
            read(DType::F32, "x_", &at.place(0, "x")),
            write(DType::F32, "y_", &at.place(1, "x"), "bitcast<f32>(r | (v & 0x80000000u))"),
        )
    };
    let params = [param("In<f32>", "x_"), param("Out<f32>", "y_")];
    Ok(Box::new(Precision { forms: forms(texts, rank, "reduce_precision_f32", &params, 2, &lines) }))
}
impl Step for Precision {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let (&[src], &[dst]) = (&step.args[..], &step.dsts[..]) else { return Err(misfit()) };
        let args = vec![Arg::Ptr(frame.ptr[src as usize]), Arg::Ptr(frame.ptr[dst as usize])];
        self.forms.launch(ctx, frame.dims(dst), &[frame.strides(src), frame.strides(dst)], 1, args)
    }
}
