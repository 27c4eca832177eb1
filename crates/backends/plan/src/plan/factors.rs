//! Factors of products that lie in memory in fewer bits than they are multiplied in: where products alone read what a conversion makes of
//! them, and the engine's products read them where they lie, the conversion is no step.
use tfc_ir::{Func, Op, ValueId, ops};

use super::Target;

/// The value that a statement converts, exactly: alone, or through others in a region of its own, as `i8` to `i32` to `f32`.
fn converted(f: &Func, op: &Op) -> Option<ValueId> {
    let convert = &ops::elementwise::CONVERT;
    let (&[x], &[y]) = (&*op.operands, &*op.results) else { return None };
    let from = f.ty(x).dtype;
    let chain = || {
        let body = f.region(*op.regions.first()?);
        let (&[mut at], &[end]) = (&*body.params, &*body.yields) else { return None };
        for &o in &body.ops {
            let step = f.op(o);
            let (&[a], &[b]) = (&*step.operands, &*step.results) else { return None };
            (a == at && step.def.is(convert) && f.ty(b).dtype.holds(from)).then(|| at = b)?;
        }
        (at == end).then_some(x)
    };
    let made = if op.def.is(&ops::fused::FUSED) { chain() } else { op.def.is(convert).then_some(x) };
    made.filter(|_| from.is_small() && f.ty(y).dtype.holds(from) && op.guards.is_empty() && op.wheres.is_empty())
}
/// By value, whether it is such a conversion: of more than a number, read by products of its own region and by nothing else.
pub(crate) fn factors(f: &Func, target: &dyn Target) -> Vec<bool> {
    let (convert, product) = (&ops::elementwise::CONVERT, &ops::contract::DOT_GENERAL);
    let mut found = vec![false; f.values.len()];
    if [convert, product, &ops::fused::FUSED].iter().any(|row| target.replaces(row)) {
        return found;
    }
    let mut any = false;
    for op in &f.ops {
        let (Some(x), Some(&y)) = (converted(f, op), op.results.first()) else { continue };
        found[y.ix()] = target.factor(f.ty(x).dtype, f.ty(y).dtype) && !f.ty(y).is_scalar();
        any |= found[y.ix()];
    }
    if any {
        for op in &f.ops {
            let here = op.results.first().map(|&y| f.value(y).region);
            op.operands.iter().for_each(|v| found[v.ix()] &= op.def.is(product) && here == Some(f.value(*v).region));
        }
        f.regions.iter().flat_map(|r| &r.yields).for_each(|v| found[v.ix()] = false);
    }
    found
}
