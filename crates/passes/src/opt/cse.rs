//! Common subexpressions: an op equal to one that dominates it is that one. Ops with regions and assertions stay.
use crate::PassError;
use crate::rewrite::{each, rewrite_scoped};
use std::cell::RefCell;
use std::collections::HashMap;
use tfc_ir::{Attrs, Effect, Module, OpDef, OpId, Type, ValueId};

type Key = (*const OpDef, Vec<ValueId>, Attrs, Vec<Type>);

/// The pass `cse`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    each(m, |m, f| {
        // One table per open region, innermost last.
        let seen: RefCell<Vec<HashMap<Key, Vec<ValueId>>>> = RefCell::new(vec![HashMap::new()]);
        let pending: RefCell<HashMap<OpId, Key>> = RefCell::default();
        let (new, changed) = rewrite_scoped(
            m,
            f,
            &mut |_, f, o, args, map| {
                let op = f.op(o);
                let binds = op.results.iter().any(|&r| f.ty(r).mentions_existential());
                if !op.regions.is_empty()
                    || op.results.is_empty()
                    || op.def.effect == Effect::Assert
                    || m.effect(f, o) == Effect::Assert
                {
                    return Ok(None);
                }
                if binds
                    && op
                        .results
                        .iter()
                        .any(|&r| map.ty(f.ty(r)).is_ok_and(|t| t == *f.ty(r) && t.mentions_existential()))
                {
                    // Its existentials may be its own: an equal op would bind other names.
                    return Ok(None);
                }
                let types = op.results.iter().map(|&r| map.ty(f.ty(r))).collect::<Result<Vec<_>, _>>()?;
                let mut operands = args.to_vec();
                if op.def.scalar.is_some_and(|s| s.is_commutative()) {
                    operands.sort();
                }
                let key: Key = (op.def as *const OpDef, operands, map.attrs(&op.attrs)?, types);
                let found = seen.borrow().iter().rev().find_map(|t| t.get(&key).cloned());
                if found.is_none() {
                    pending.borrow_mut().insert(o, key);
                }
                Ok(found)
            },
            &mut |_, o, rs| {
                if let (Some(key), Some(top)) = (pending.borrow_mut().remove(&o), seen.borrow_mut().last_mut()) {
                    top.insert(key, rs.to_vec());
                }
            },
            &mut |open| {
                let mut s = seen.borrow_mut();
                if open {
                    s.push(HashMap::new());
                } else {
                    s.pop();
                }
            },
        )?;
        Ok(changed.then_some(new))
    })
}
