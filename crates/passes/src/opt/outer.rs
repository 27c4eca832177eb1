//! Products that sum over nothing (outer products, and products axis by axis) as elementwise products of repeated operands, which share
//! loops with what reads them. Rows say what is such a product (`labels`).
use crate::PassError;
use crate::rewrite::{improve, rewrite};
use tfc_ir::ops::elementwise::MUL;
use tfc_ir::outside;
use tfc_ir::{Builder, Func, Map, Module, NewOp, OpId, Result, ValueId};

/// The pass `outer`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    improve(m, |m, f| {
        let (new, changed) = rewrite(m, f, &mut elementwise)?;
        Ok(changed.then_some(new))
    })
}
fn elementwise(b: &mut Builder, f: &Func, o: OpId, args: &[ValueId], map: &mut Map) -> Result<Option<Vec<ValueId>>> {
    let op = f.op(o);
    let (Some(labels), &[x, y], &[r]) = (op.def.labels, args, op.results.as_slice()) else { return Ok(None) };
    let ranks = [x, y].map(|v| b.ty(v).rank());
    let Some(l) = outside::column(op.def, "labels", || labels(&op.attrs, ranks))? else { return Ok(None) };
    let plain = op.guards.is_empty() && op.wheres.is_empty() && map.knows(f.ty(r));
    if !plain || !l.terms.iter().flatten().all(|t| l.out.contains(t)) {
        return Ok(None);
    }
    let ty = map.ty(f.ty(r))?;
    let mut all = vec![];
    for (k, v) in [x, y].into_iter().enumerate() {
        let v = if l.conj[k] { b.conj_if_complex(v)? } else { v };
        let at: Vec<usize> = l.terms[k].iter().filter_map(|t| l.out.iter().position(|o| o == t)).collect();
        all.push(b.broadcast(v, &ty, &at)?);
    }
    Ok(Some(vec![b.emit1(NewOp::new(&MUL, &all))?]))
}
