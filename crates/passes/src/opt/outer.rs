//! Products that sum over nothing (outer products, and products axis by axis) as elementwise products of repeated operands, which share
//! loops with what reads them, unless that is another product. Rows say what is such a product (`labels`).
use crate::PassError;
use crate::rewrite::{improve, rewrite};
use std::collections::BTreeSet;
use tfc_ir::op::Labels;
use tfc_ir::ops::elementwise::MUL;
use tfc_ir::outside;
use tfc_ir::{Builder, Def, Func, Map, Module, NewOp, Op, OpId, Result, ValueId};

/// The pass `outer`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    improve(m, |m, f| {
        let mut found = BTreeSet::new();
        for (i, op) in f.ops.iter().enumerate() {
            if sums_nothing(f, op)?.is_some() {
                found.insert(OpId(i as u32));
            }
        }
        // What another product reads is laid out as that one wants it by the kernel of products.
        for op in f.ops.iter().filter(|op| op.def.labels.is_some()) {
            for &x in &op.operands {
                if let Def::Result(o, _) = f.value(x).def {
                    found.remove(&o);
                }
            }
        }
        if found.is_empty() {
            return Ok(None);
        }
        let (new, changed) = rewrite(m, f, &mut |b, f, o, args, map| {
            if found.contains(&o) { elementwise(b, f, o, args, map) } else { Ok(None) }
        })?;
        Ok(changed.then_some(new))
    })
}
/// The labels of a product that sums over nothing.
fn sums_nothing(f: &Func, op: &Op) -> Result<Option<Labels>> {
    let (Some(labels), &[x, y]) = (op.def.labels, op.operands.as_slice()) else { return Ok(None) };
    if !op.guards.is_empty() || !op.wheres.is_empty() {
        return Ok(None);
    }
    let l = outside::column(op.def, "labels", || labels(&op.attrs, [x, y].map(|v| f.ty(v).rank())))?;
    Ok(l.filter(|l| l.terms.iter().flatten().all(|t| l.out.contains(t))))
}
fn elementwise(b: &mut Builder, f: &Func, o: OpId, args: &[ValueId], map: &mut Map) -> Result<Option<Vec<ValueId>>> {
    let op = f.op(o);
    let (Some(l), &[r]) = (sums_nothing(f, op)?, op.results.as_slice()) else { return Ok(None) };
    if !map.knows(f.ty(r)) {
        return Ok(None);
    }
    let ty = map.ty(f.ty(r))?;
    let mut all = vec![];
    for (k, &v) in args.iter().enumerate() {
        let v = if l.conj[k] { b.conj_if_complex(v)? } else { v };
        let at: Vec<usize> = l.terms[k].iter().filter_map(|t| l.out.iter().position(|o| o == t)).collect();
        all.push(b.broadcast(v, &ty, &at)?);
    }
    Ok(Some(vec![b.emit1(NewOp::new(&MUL, &all))?]))
}
