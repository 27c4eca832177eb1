//! The rows' algebraic rules, and folding of what they make constant, applied while the function is rebuilt: a rule sees operands that are simplified already.
use crate::PassError;
use crate::rewrite::{each, new_op, rewrite};
use tfc_ir::{Module, Result};

/// The pass `simplify`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    let mut any = false;
    // What one rule builds, another may simplify; rules only ever shrink or canonicalise, so few rounds suffice.
    for _ in 0..4 {
        let changed = each(m, |m, f| {
            let (new, changed) = rewrite(m, f, &mut |b, f, o, args, map| {
                if let Some(rs) = super::fold::folded(b, f, o, args, map)? {
                    return Ok(Some(rs));
                }
                match f.op(o).def.simplify {
                    Some(rule) => rule(b, &new_op(f, o, args, map)?),
                    None => Ok(None),
                }
            })?;
            Ok(changed.then_some(new))
        })?;
        any |= changed;
        if !changed {
            break;
        }
    }
    Ok(any)
}
