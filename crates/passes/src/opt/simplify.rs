//! The rows' algebraic rules, and folding of what they make constant, applied while the function is rebuilt: a rule sees
//! operands that are simplified already.
use super::fold::{branched, foldable, folded};
use crate::PassError;
use crate::rewrite::{improve, new_op, rewrite};
use tfc_ir::outside;
use tfc_ir::{Builder, Finished, Func, Module, NewOp, OpId, Result};

/// What one rule builds, another may simplify; rules only ever shrink or canonicalise, so few rounds suffice.
const ROUNDS: usize = 4;

/// The pass `simplify`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    improve(m, function)
}
/// One function; `None` where nothing changes.
pub(crate) fn function(m: &Module, f: &Func) -> Result<Option<Finished>> {
    let (mut new, mut changed) = round(m, f)?;
    let any = changed;
    for _ in 1..ROUNDS {
        if !changed || settled(m, &mut new)? {
            break;
        }
        (new, changed) = round(m, &new)?;
    }
    Ok(any.then_some(new))
}
fn round(m: &Module, f: &Func) -> Result<(Finished, bool)> {
    rewrite(m, f, &mut |b, f, o, args, map| {
        if let Some(rs) = folded(b, f, o, args, map)? {
            return Ok(Some(rs));
        }
        let def = f.op(o).def;
        if def.control.taken.is_some()
            && let Some(rs) = branched(b, f, o, args, map)?
        {
            return Ok(Some(rs));
        }
        if let Some(rule) = def.control.within
            && let Some(rs) = outside::column(def, "within", || rule(b, f, o, args, map))?
        {
            return Ok(Some(rs));
        }
        match def.simplify {
            Some(rule) => {
                let new = new_op(f, o, args, map)?;
                outside::column(def, "simplify", || rule(b, &new))
            }
            None => Ok(None),
        }
    })
}
/// Is it certain that another round would change nothing? Asks the rules without rebuilding. Where extents are symbols,
/// rules may use what is known at the op's place, which only a round knows.
fn settled(m: &Module, f: &mut Finished) -> Result<bool> {
    if !f.syms.is_empty() || !f.exists.is_empty() {
        return Ok(false);
    }
    Builder::ask(m, f, |b| {
        let n = b.func().ops.len();
        for o in (0..n as u32).map(OpId) {
            if foldable(b.func(), o) {
                return Ok(false);
            }
            let op = b.func().op(o);
            if op.def.control.within.is_some() && !op.regions.is_empty() {
                return Ok(false);
            }
            let Some(rule) = op.def.simplify else { continue };
            let Some(&r) = op.results.first() else { return Ok(false) };
            let mut new = NewOp::new(op.def, &op.operands).attrs(op.attrs.clone()).types(b.func().types(&op.results));
            new.wheres = op.said().cloned().collect();
            b.set_at(b.func().value(r).region);
            if outside::column(new.def, "simplify", || rule(b, &new))?.is_some() || b.func().ops.len() > n {
                return Ok(false);
            }
        }
        Ok(true)
    })
}
