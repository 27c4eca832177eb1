//! Regions of ops that call them for single elements: comparators of `sort`, combinations of `scatter`. They become statements in the
//! kernel of the op.
use tfc_ir::{DType, Error, RegionId, Result, ValueId};
use tfc_plan::plan::{Slot, splat};

use super::{Site, param};
use crate::device::Arg;
use crate::program::Texts;
use crate::run::frame::Frame;
use crate::text::Param;
use crate::text::scalar::{ctype, literal};

/// A region as statements.
pub(super) struct Closure {
    /// Lines.
    pub(super) text: String,
    /// What it yields.
    pub(super) yields: Vec<String>,
    /// Values from outside: parameters of the kernel that hold them.
    pub(super) params: Vec<Param>,
    slots: Vec<Slot>,
}
impl Closure {
    /// The first region of an op whose parameters are these expressions, each line behind `pad`.
    ///
    /// # Errors
    /// `E1304` an op that is not elementwise on scalars, or a value from outside that is no scalar.
    pub(super) fn of(site: &Site, texts: &mut Texts, args: &[String], pad: &str) -> Result<Closure> {
        let (Some(&r), Some(inner)) = (site.op().regions.first(), site.step.regions.first()) else {
            return Err(site.misfit());
        };
        let mut out = Closure { text: String::new(), yields: vec![], params: vec![], slots: vec![] };
        let mut outside = vec![];
        for (i, &(v, s)) in inner.captures.iter().enumerate() {
            let ty = site.plan.func.ty(v);
            if !ty.is_scalar() {
                return Err(site.unsupported::<crate::Cpp>("with a region that takes tensors from outside"));
            }
            out.params.push(param(format!("In<{}>", ctype(ty.dtype)), &format!("outer{i}")));
            out.slots.push(s);
            outside.push((v, format!("outer{i}(0)")));
        }
        (out.text, out.yields) = statements(site, texts, r, (args, &outside), pad)?;
        Ok(out)
    }
    /// Arguments for its parameters.
    pub(super) fn args<'a>(slots: &'a [Slot], frame: &'a Frame) -> impl Iterator<Item = Arg> + 'a {
        slots.iter().map(|&s| Arg::Ptr(frame.ptr[s as usize]))
    }
    /// The slots of what its parameters hold.
    pub(super) fn slots(self) -> Vec<Slot> {
        self.slots
    }
}
fn statements(
    site: &Site,
    texts: &mut Texts,
    r: RegionId,
    (args, outside): (&[String], &[(ValueId, String)]),
    pad: &str,
) -> Result<(String, Vec<String>)> {
    let f = &site.plan.func;
    let region = f.region(r);
    let params = region.params.iter().copied().zip(args.iter().cloned());
    let mut known: Vec<(ValueId, String)> = params.chain(outside.iter().cloned()).collect();
    let mut out = String::new();
    let of = |known: &[(ValueId, String)], v: ValueId| -> Result<String> {
        if let Some(k) = known.iter().find(|k| k.0 == v) {
            return Ok(k.1.clone());
        }
        match f.def_op(v).and_then(splat) {
            Some(b) => Ok(literal(b, f.ty(v).dtype)),
            None => Err(site.misfit()),
        }
    };
    for &o in &region.ops {
        let op = f.op(o);
        if splat(op).is_some() {
            continue;
        }
        if op.regions.len() == 1 && op.def.scalar.is_none() {
            // What lowering has put together.
            let inner = op.operands.iter().map(|&v| of(&known, v)).collect::<Result<Vec<_>>>()?;
            let (text, ys) = match op.def.is(&tfc_ir::ops::fused::FUSED) {
                true => statements(site, texts, op.regions[0], (&inner, outside), pad)?,
                false => return Err(apart(site, op.def.name)),
            };
            out.push_str(&text);
            known.extend(op.results.iter().copied().zip(ys));
            continue;
        }
        if op.def.is(&tfc_ir::ops::elementwise::BITCAST)
            && let (&[x], &[y]) = (op.operands.as_slice(), op.results.as_slice())
        {
            let Some(value) = bits(&of(&known, x)?, f.ty(x).dtype, f.ty(y).dtype) else {
                return Err(apart(site, op.def.name));
            };
            out.push_str(&format!("{pad}const {} v{} = {value};\n", ctype(f.ty(y).dtype), y.ix()));
            known.push((y, format!("v{}", y.ix())));
            continue;
        }
        let (Some(scalar), &[y]) = (op.def.scalar, op.results.as_slice()) else {
            return Err(apart(site, op.def.name));
        };
        if !f.ty(y).is_scalar() || !op.guards.is_empty() {
            return Err(apart(site, op.def.name));
        }
        let args = op.operands.iter().map(|&v| of(&known, v)).collect::<Result<Vec<_>>>()?;
        let typed: Vec<(&str, _)> =
            args.iter().map(String::as_str).zip(op.operands.iter().map(|&v| f.ty(v).dtype)).collect();
        let d = f.ty(y).dtype;
        let value = texts.functions.apply(scalar, &typed, d)?;
        out.push_str(&format!("{pad}const {} v{} = {value};\n", ctype(d), y.ix()));
        known.push((y, format!("v{}", y.ix())));
    }
    let ys = region.yields.iter().map(|&v| of(&known, v)).collect::<Result<Vec<_>>>()?;
    Ok((out, ys))
}
/// A scalar's bits as one of another type of that size.
fn bits(x: &str, from: DType, to: DType) -> Option<String> {
    use DType::{F32, F64, I32, I64, U32, U64};
    Some(match (from, to) {
        (a, b) if a == b => x.to_owned(),
        (F32, U32) => format!("f32_bits({x})"),
        (F32, I32) => format!("(i32)f32_bits({x})"),
        (F64, U64) => format!("f64_bits({x})"),
        (F64, I64) => format!("(i64)f64_bits({x})"),
        (U32 | I32, F32) => format!("f32_from((u32)({x}))"),
        (U64 | I64, F64) => format!("f64_from((u64)({x}))"),
        (U32, I32) | (U64, I64) => format!("({})({x})", if to == I32 { "i32" } else { "i64" }),
        (I32, U32) | (I64, U64) => format!("({})({x})", if to == U32 { "u32" } else { "u64" }),
        _ => return None,
    })
}
fn apart(site: &Site, name: &str) -> Error {
    site.unsupported::<crate::Cpp>(&format!("with `{name}` in its region"))
}
