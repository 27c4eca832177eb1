//! Regions of ops that call them for single elements: comparators of `sort`, combinations of `scatter`. They become statements in the
//! kernel of the op.
use tfc_ir::{Error, RegionId, Result, ValueId};
use tfc_plan::plan::{Slot, splat};

use super::{Site, param};
use crate::device::Arg;
use crate::dialect::{Dialect, Texts};
use crate::run::frame::Frame;
use crate::text::Param;

/// A region as statements.
pub struct Closure {
    /// Lines.
    pub text: String,
    /// What it yields.
    pub yields: Vec<String>,
    /// Values from outside: parameters of the kernel that hold them.
    pub params: Vec<Param>,
    slots: Vec<Slot>,
}
impl Closure {
    /// The first region of an op whose parameters are these expressions, each line behind `pad`.
    ///
    /// # Errors
    /// `E1304` an op that is not elementwise on scalars, or a value from outside that is no scalar.
    pub fn of<D: Dialect>(site: &Site, texts: &mut Texts<D>, args: &[String], pad: &str) -> Result<Closure> {
        let (Some(&r), Some(inner)) = (site.op().regions.first(), site.step.regions.first()) else {
            return Err(site.misfit());
        };
        let mut out = Closure { text: String::new(), yields: vec![], params: vec![], slots: vec![] };
        let mut outside = vec![];
        for (i, &(v, s)) in inner.captures.iter().enumerate() {
            let ty = site.plan.func.ty(v);
            if !ty.is_scalar() {
                return Err(site.unsupported::<D>("with a region that takes tensors from outside"));
            }
            out.params.push(param(format!("In<{}>", D::element(ty.dtype)), &format!("outer{i}")));
            out.slots.push(s);
            outside.push((v, D::read(ty.dtype, &format!("outer{i}"), "0")));
        }
        (out.text, out.yields) = statements(site, texts, r, (args, &outside), pad)?;
        Ok(out)
    }
    /// Arguments for its parameters.
    pub fn args<'a>(slots: &'a [Slot], frame: &'a Frame) -> impl Iterator<Item = Arg> + 'a {
        slots.iter().map(|&s| Arg::Ptr(frame.ptr[s as usize]))
    }
    /// The slots of what its parameters hold.
    pub fn slots(self) -> Vec<Slot> {
        self.slots
    }
}
fn statements<D: Dialect>(
    site: &Site,
    texts: &mut Texts<D>,
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
            Some(b) => Ok(D::literal(b, f.ty(v).dtype)),
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
                false => return Err(apart::<D>(site, op.def.name)),
            };
            out.push_str(&text);
            known.extend(op.results.iter().copied().zip(ys));
            continue;
        }
        if op.def.is(&tfc_ir::ops::elementwise::BITCAST)
            && let (&[x], &[y]) = (op.operands.as_slice(), op.results.as_slice())
        {
            let Some(value) = D::bits(&of(&known, x)?, f.ty(x).dtype, f.ty(y).dtype) else {
                return Err(apart::<D>(site, op.def.name));
            };
            out.push_str(&format!("{pad}{}\n", D::let_(f.ty(y).dtype, &format!("v{}", y.ix()), &value)));
            known.push((y, format!("v{}", y.ix())));
            continue;
        }
        let (Some(scalar), &[y]) = (op.def.scalar, op.results.as_slice()) else {
            return Err(apart::<D>(site, op.def.name));
        };
        if !f.ty(y).is_scalar() || !op.guards.is_empty() {
            return Err(apart::<D>(site, op.def.name));
        }
        let args = op.operands.iter().map(|&v| of(&known, v)).collect::<Result<Vec<_>>>()?;
        let typed: Vec<(&str, _)> =
            args.iter().map(String::as_str).zip(op.operands.iter().map(|&v| f.ty(v).dtype)).collect();
        let d = f.ty(y).dtype;
        let value = D::apply(&mut texts.functions, scalar, &typed, d)?;
        out.push_str(&format!("{pad}{}\n", D::let_(d, &format!("v{}", y.ix()), &value)));
        known.push((y, format!("v{}", y.ix())));
    }
    let ys = region.yields.iter().map(|&v| of(&known, v)).collect::<Result<Vec<_>>>()?;
    Ok((out, ys))
}
fn apart<D: Dialect>(site: &Site, name: &str) -> Error {
    site.unsupported::<D>(&format!("with `{name}` in its region"))
}
