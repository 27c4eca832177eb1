//! Whether a program weighs singular vectors or eigenvectors by what follows from the values.
use super::spectral::resolved;
use crate::derive::Flow;
use crate::func::{BODY, Func, OpId, ValueId};
use crate::op::{Effect, Linearize, Loops};
use crate::ops::contract::DOT_GENERAL;
use crate::scalar::ScalarOp;

/// Is there a statement in `f` that multiplies (or joins otherwise) what depends on the `vectors` of factorisation `o`, one
/// by one, with what depends on its `values`, one by one – other than in products that are known as functions of the
/// matrix? Then terms between equal values, which tangents of vectors drop, may count. Where only sums over all values
/// are joined with vectors, or products of vectors alone (projectors), they do not: these are the same for both vectors of a pair.
///
/// What a reduction or contraction leaves of one number a matrix, or less, is a sum. Results of the function that show
/// both are taken to be joined later.
pub(super) fn weighted(f: &Func, o: OpId, vectors: &[ValueId], values: &[ValueId]) -> bool {
    let shared = vectors.first().map_or(0, |&v| f.ty(v).rank().saturating_sub(2));
    // A function of the matrix depends on it, not on vectors; what `d` has of other things goes on.
    let open = |p: OpId| p != o && !resolved(f, p, o);
    let needed = needed(f, o);
    let (v, s) = (reach(f, vectors, shared, &open), reach(f, values, shared, &open));
    let mut both = false;
    f.walk(BODY, &mut |p| {
        let op = f.op(p);
        let sums = matches!(op.def.scalar, Some(ScalarOp::Add | ScalarOp::Sub | ScalarOp::Select | ScalarOp::Complex));
        let asks = op.def.effect == Effect::Assert || matches!(op.def.linearize, Linearize::Zero);
        if both
            || !open(p)
            || op.def.control.ports.is_some()
            || sums
            || asks
            || !op.results.iter().any(|r| needed[r.ix()])
        {
            return;
        }
        let at = |on: &[bool]| op.operands.iter().enumerate().filter(|x| on[x.1.ix()]).map(|x| x.0).collect::<Vec<_>>();
        let (a, b) = (at(&v), at(&s));
        // One operand that shows both is told apart by nothing linear.
        let alone = matches!(op.def.linearize, Linearize::Multilinear) && a.len() == 1 && a == b;
        both = !a.is_empty() && !b.is_empty() && !alone;
    });
    let shown = |on: &[bool]| f.returns().iter().any(|r| on[r.ix()]);
    both || (shown(&v) && shown(&s))
}
/// What depends on `seeds` one by one.
fn reach(f: &Func, seeds: &[ValueId], shared: usize, open: &dyn Fn(OpId) -> bool) -> Vec<bool> {
    let users = Flow::among(f, &|p| open(p) && !matches!(f.op(p).def.linearize, Linearize::Zero)).users();
    let sums =
        |v: ValueId| f.def_op(v).is_some_and(|p| matches!(p.def.loops, Loops::Fold(_)) || p.def.is(&DOT_GENERAL));
    let stop = |v: usize| match f.values.get(v) {
        Some(value) => !value.ty.dtype.is_inexact() || (value.ty.rank() <= shared && sums(ValueId(v as u32))),
        None => false,
    };
    flood(users.len(), seeds, stop, |v| users.of(v))
}
/// What some result of the function depends on, functions of the matrix of `o` being whole.
fn needed(f: &Func, o: OpId) -> Vec<bool> {
    let mut g = Flow::among(f, &|p| !resolved(f, p, o) && !matches!(f.op(p).def.linearize, Linearize::Zero));
    f.walk(BODY, &mut |p| {
        if resolved(f, p, o) {
            let op = f.op(p);
            g.edge(op.operands[2].0, op.results[0].0);
        }
    });
    let used = g.used();
    flood(used.len(), f.returns(), |_| false, |v| used.of(v))
}
fn flood<'a>(
    n: usize,
    seeds: &[ValueId],
    stop: impl Fn(usize) -> bool,
    next: impl Fn(usize) -> &'a [u32],
) -> Vec<bool> {
    let mut on = vec![false; n];
    let mut todo: Vec<u32> = seeds.iter().map(|v| v.0).collect();
    while let Some(v) = todo.pop() {
        let v = v as usize;
        if !on[v] && !stop(v) {
            on[v] = true;
            todo.extend(next(v));
        }
    }
    on
}
