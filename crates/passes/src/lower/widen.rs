//! The pass `widen`: what engines compute in is 32 bits at least.
//!
//! Values of small dtypes (`i8 i16 u8 u16 bf16 f16`) stay what they are where they are stored and moved: parameters, results,
//! carries, views, joins. Any other op runs on operands converted to the wide dtype of each, and its results are converted back,
//! which rounds them or cuts them to their low bits: once an op, as the language says. What is converted there and back without
//! a loss is dropped by `simplify`; a rounding never is, so that fusion changes no bits.
use crate::PassError;
use crate::rewrite::{each, new_op, rewrite};
use tfc_ir::op::OnSmall;
use tfc_ir::ops::elementwise::small;
use tfc_ir::{Module, OpDef, outside};

/// The pass `widen`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    widen_but(m, &|_| false)
}
/// The pass, for a target that computes with small numbers itself in the ops of rows that `keeps`.
///
/// # Errors
/// Those of the rows' rules.
pub fn widen_but(m: &mut Module, keeps: &dyn Fn(&OpDef) -> bool) -> Result<bool, PassError> {
    each(m, |m, f| {
        if !f.ops.iter().any(|o| small::touches(f, o)) {
            return Ok(None);
        }
        let (new, changed) = rewrite(m, f, &mut |b, f, o, args, map| {
            let op = f.op(o);
            if !small::touches(f, op) || op.def.keeps_small(&op.attrs, op.regions.len()) || keeps(op.def) {
                return Ok(None);
            }
            let new = new_op(f, o, args, map)?;
            match op.def.small {
                OnSmall::Rule(rule) => outside::column(new.def, "small", || rule(b, &new)),
                _ => small::on_wide(b, &new, |b, wide| b.emit(wide.clone())).map(Some),
            }
        })?;
        Ok(changed.then_some(new))
    })
}
