//! Dead code: ops, ports of region ops, private functions.
use crate::PassError;
use crate::journal::note;
use crate::rewrite::improve;
use std::collections::BTreeSet;
use tfc_ir::derive::{live, prune_live};
use tfc_ir::{BODY, FuncId, Module};

/// The pass `dce`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    let any = improve(m, |m, f| {
        let l = live(m, f);
        let mut dead = false;
        f.walk(BODY, &mut |o| {
            let op = f.op(o);
            dead |= !l.ops[o.ix()] || (op.def.control.ports.is_some() && op.results.iter().any(|r| !l.values[r.ix()]));
        });
        if !dead {
            return Ok(None);
        }
        f.walk(BODY, &mut |o| {
            if !l.ops[o.ix()] {
                note(f, o, || "nothing needs it".into());
            }
        });
        let (new, _) = prune_live(m, f, &l, |_| true)?;
        Ok((new.op_count() != f.op_count() || new.values.len() != f.values.len()).then_some(new))
    })?;
    Ok(drop_unused(m) | any)
}
/// Drops private functions that no exported one reaches. Where nothing is exported, everything stays.
pub fn drop_unused(m: &Module) -> bool {
    let Some(used) = used(m) else { return false };
    let mut any = false;
    for (id, _) in m.funcs() {
        if !used.contains(&id) {
            m.remove(id);
            any = true;
        }
    }
    any
}
/// Functions that exported ones reach; `None` where nothing is exported.
pub(crate) fn used(m: &Module) -> Option<BTreeSet<FuncId>> {
    let exported: Vec<FuncId> = m.funcs().iter().filter(|f| f.1.export).map(|f| f.0).collect();
    (!exported.is_empty()).then(|| m.reached(exported))
}
