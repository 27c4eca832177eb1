//! Arithmetic on single numbers: elementwise ops on scalars that follow each other are one region, whose numbers are stored only
//! where something behind them reads them.
//!
//! It is told while ops are walked, since each of them would be a step otherwise, with slots and storage that are then taken
//! back; every engine that has plans wants it (ADR 0048).
use std::collections::HashMap;

use tfc_ir::{Func, OpId, Result, ValueId, ops};

use super::build::Lower;

/// Most ops of such a region.
const MOST: usize = 2048;

impl Lower<'_> {
    /// How many of these ops are elementwise on scalars, or constants between such: they become one region. 0 unless there
    /// are at least two to join.
    pub(crate) fn scalar_ops(&self, f: &Func, list: &[OpId]) -> usize {
        let (mut n, mut joined) = (0, 0);
        for &o in list.iter().take(MOST) {
            let op = f.op(o);
            let scalar = op.guards.is_empty() && op.results.len() == 1 && f.ty(op.results[0]).is_scalar();
            if scalar && op.def.scalar.is_some() && self.in_step(f, op) {
                joined += 1;
            } else if !(scalar && op.def.is(&ops::constant::CONST)) {
                break;
            }
            n += 1;
        }
        if joined < 2 { 0 } else { n }
    }
    /// The region of these ops.
    pub(crate) fn scalar_run(&mut self, f: &Func, list: &[OpId]) -> Result<()> {
        let mut left: HashMap<ValueId, u32> = HashMap::new();
        for &o in list {
            let op = f.op(o);
            op.operands.iter().for_each(|v| *left.entry(*v).or_default() += 1);
            if op.def.scalar.is_none() {
                self.constant_op(op)?;
            }
        }
        let uses = |l: &Self, v: ValueId| l.uses[v.ix()] - left.get(&v).copied().unwrap_or(0);
        let outside: Vec<bool> = list.iter().map(|&o| uses(self, f.op(o).results[0]) > 0).collect();
        let mut b = self.build(0, &[]);
        let mut outs = vec![];
        for (&o, outside) in list.iter().zip(outside) {
            let op = f.op(o);
            if op.def.scalar.is_some() {
                let n = b.value(op.results[0], &[], None)?;
                if outside {
                    outs.push((op.results[0], n, vec![]));
                }
            }
        }
        if outs.is_empty() { Ok(()) } else { b.finish(&[], &outs) }
    }
}
