//! Products that sum over nothing (outer products, and products axis by axis) as elementwise products of repeated operands, which share
//! loops with what reads them, unless that is another product. Rows say what is such a product (`labels`).
use crate::PassError;
use crate::rewrite::{improve, rewrite, uses};
use std::collections::BTreeSet;
use tfc_ir::op::Labels;
use tfc_ir::ops::elementwise::MUL;
use tfc_ir::ops::shape::{BROADCAST_IN_DIM, TRANSPOSE};
use tfc_ir::outside;
use tfc_ir::{Builder, Def, Extent, Func, Map, Module, NewOp, Op, OpId, Result, ValueId};

/// The pass `outer`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    let changed = improve(m, |m, f| {
        let mut found = BTreeSet::new();
        for (i, op) in f.ops.iter().enumerate() {
            if sums_nothing(f, op)?.is_some() {
                found.insert(OpId(i as u32));
            }
        }
        // What another product reads is laid out as that one wants it by the kernel of products.
        for op in f.ops.iter().filter(|op| op.def.contraction.labels.is_some()) {
            for &x in &op.operands {
                if let Def::Result(o, _) = f.value(x).def {
                    found.remove(&o);
                }
            }
        }
        if found.is_empty() {
            return Ok(None);
        }
        let uses = uses(f);
        let (new, changed) = rewrite(m, f, &mut |b, f, o, args, map| {
            let op = f.op(o);
            if found.contains(&o) {
                return elementwise(b, f, o, args, map);
            }
            // What is only read transposed is made so: repeated operands lie any way round.
            if op.def.is(&TRANSPOSE)
                && op.guards.is_empty()
                && let Some(Def::Result(p, _)) = op.operands.first().map(|&x| f.value(x).def)
                && found.contains(&p)
                && uses[op.operands[0].ix()] == 1
            {
                return transposed(b, args[0], &op.attrs.indices("perm"));
            }
            Ok(None)
        })?;
        Ok(changed.then_some(new))
    })?;
    Ok(if changed { super::dce::run(m)? || changed } else { false })
}
/// The elementwise product `x` of repeated operands, transposed.
fn transposed(b: &mut Builder, x: ValueId, perm: &[usize]) -> Result<Option<Vec<ValueId>>> {
    let Some(op) = b.func().def_op(x).filter(|op| op.def.is(&MUL)) else { return Ok(None) };
    let (factors, whole) = (op.operands.to_vec(), b.func().ty(x));
    let dims: Vec<Extent> = perm.iter().filter_map(|&p| whole.dims.get(p).cloned()).collect();
    let ty = whole.with_dims(dims);
    let mut all = vec![];
    for y in factors {
        let Some(q) = b.func().def_op(y).filter(|q| q.def.is(&BROADCAST_IN_DIM)) else { return Ok(None) };
        let places = |d: &usize| perm.iter().position(|p| p == d);
        let (Some(&source), Some(at)) =
            (q.operands.first(), q.attrs.indices("dims").iter().map(places).collect::<Option<Vec<_>>>())
        else {
            return Ok(None);
        };
        all.push(b.broadcast(source, &ty, &at)?);
    }
    Ok(Some(vec![b.emit1(NewOp::new(&MUL, &all))?]))
}
/// The labels of a product that sums over nothing.
fn sums_nothing(f: &Func, op: &Op) -> Result<Option<Labels>> {
    let (Some(labels), &[x, y]) = (op.def.contraction.labels, op.operands.as_slice()) else { return Ok(None) };
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
