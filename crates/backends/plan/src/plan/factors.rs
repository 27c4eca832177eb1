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
/// How a factor lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lies {
    /// As what is multiplied.
    InFull,
    /// It is a conversion of the first operand of its statement, which is read where that lies.
    AsOperand,
    /// It is a conversion of this value, both of a region of elements, which stores this value in its place: bytes, of which products are
    /// fastest.
    As(ValueId),
}
/// How each value lies: of what is more than a number, and read by products of its own region and by nothing else.
pub(crate) fn factors(f: &Func, target: &dyn Target) -> Vec<Lies> {
    let (convert, product) = (&ops::elementwise::CONVERT, &ops::contract::DOT_GENERAL);
    let mut found = vec![Lies::InFull; f.values.len()];
    if [convert, product, &ops::fused::FUSED].iter().any(|row| target.replaces(row)) {
        return found;
    }
    let reads = |x: ValueId, y: ValueId| target.factor(f.ty(x).dtype, f.ty(y).dtype) && !f.ty(y).is_scalar();
    let mut any = false;
    for op in &f.ops {
        if let (Some(x), Some(&y)) = (converted(f, op), op.results.first()) {
            if reads(x, y) {
                (found[y.ix()], any) = (Lies::AsOperand, true);
            }
        } else if op.def.is(&ops::fused::FUSED) {
            let yields = op.regions.first().map_or(&[][..], |&r| &f.region(r).yields);
            for (&v, &y) in yields.iter().zip(&op.results) {
                let made = f.def_op(v).filter(|o| o.def.is(convert)).and_then(|o| o.operands.first());
                let bytes = |x: &&ValueId| f.ty(**x).dtype.is_int() && f.ty(**x).dtype.size() == 1;
                if let Some(&x) = made.filter(bytes).filter(|&&x| f.ty(y).dtype.is_int() && reads(x, y)) {
                    (found[y.ix()], any) = (Lies::As(x), true);
                }
            }
        }
    }
    let mut drop = |v: ValueId| found[v.ix()] = Lies::InFull;
    if any {
        for op in &f.ops {
            let here = op.results.first().map(|&y| f.value(y).region);
            let reads = |v: ValueId| op.def.is(product) && here == Some(f.value(v).region);
            op.operands.iter().filter(|&&v| !reads(v)).for_each(|&v| drop(v));
        }
        f.regions.iter().flat_map(|r| &r.yields).for_each(|&v| drop(v));
    }
    found
}
