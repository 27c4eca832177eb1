//! Derivatives along a few statements of the source, made as ordinary forward statements: what a rule needs to know of
//! how one of its operands was computed.
use super::linearizer::{Frame, Linearizer};
use crate::builder::Builder;
use crate::diag::Result;
use crate::func::{BODY, OpId, ValueId};
use crate::map::Map;
use crate::op::{Linearize, Loops};
use std::collections::HashMap;

impl<'m> Linearizer<'m> {
    /// The derivative of source value `y` in direction `dx` of source value `x`, through the statements `path` alone (in
    /// order, from `x` to `y`): whatever else they read is held fixed. `dx` and the answer are values of the primal part;
    /// `None` is zero.
    ///
    /// `stop_gradient` is looked through: this is how the value changes, not what a derivative is told of it.
    pub fn slope(&mut self, path: &[OpId], x: ValueId, dx: ValueId, y: ValueId) -> Result<Option<ValueId>> {
        let m = self.fwd.module();
        let src = self.src.clone();
        let mut inner = Linearizer {
            derive: self.derive,
            active: vec![false; src.values.len()],
            fwd: std::mem::replace(&mut self.fwd, Builder::new(m, "")),
            lin: None,
            primal: self.primal.clone(),
            tangent: vec![None; src.values.len()],
            residual: HashMap::new(),
            to_lin: Map::new(),
            lin_syms: vec![],
            frames: vec![Frame { fwd: BODY, lin: BODY, looped: false, kept: vec![], sizes: vec![], starts: vec![] }],
            leads: Default::default(),
            src: src.clone(),
        };
        inner.active[x.ix()] = true;
        inner.tangent[x.ix()] = Some(dx);
        let made = path.iter().try_for_each(|&o| {
            let op = src.op(o);
            let from = op.operands.iter().copied().find(|&v| inner.active[v.ix()]);
            for &r in &op.results {
                inner.active[r.ix()] = from.is_some() && src.ty(r).dtype.is_inexact();
            }
            match from {
                Some(v) if matches!((op.def.linearize, op.def.loops), (Linearize::Zero, Loops::Same)) => {
                    let (p, t) = (inner.primal(v)?, inner.tangent(v));
                    inner.set(op.results[0], p, t);
                    Ok(())
                }
                _ => inner.one(&src, o),
            }
        });
        let slope = inner.tangent(y);
        self.fwd = inner.fwd;
        made.map(|()| slope)
    }
}
