//! Determinants and their logarithms, by `linalg.lu_factor`.
use super::solve::{Factored, factored, identity, kept, programs, square, substituted};
use super::*;
use crate::code::Code;
use crate::ops::constant::IOTA;
use crate::ops::control::STOP_GRADIENT;
use crate::ops::order::CUMPROD;
use crate::ops::reduce::{REDUCE_MAX, REDUCE_PROD, reduce};
use crate::ops::shape::{EMBED_DIAG, PAD};

/// `linalg.det`.
pub static DET: OpDef = OpDef {
    name: "linalg.det",
    doc: "Determinant of square matrices; 1 of a matrix without elements.\n\n`on_fail`: a matrix with a NaN or an infinity is an error \
          (`E0740`), or gives NaN.\n\nDerivative: `linalg.adjugate`. It and the second derivative are right at any rank, also near matrices \
          without an inverse. Further derivatives there are those of `linalg.svd`: they fail when they run (`E1221`) where singular \
          values are equal.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| Ok(vec![square(cx)?.without(&[0, 1])]),
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize_det),
    batch: Batch::Expand,
    expand: Expand::Composite(|b, new| {
        let f = factored(b, new.operands[0], &new.attrs)?;
        let d = diagonal(b, f.lu)?;
        let product = reduce(b, &REDUCE_PROD, d, &[0])?;
        let sign = parity(b, &f)?;
        let dtype = b.ty(product).dtype;
        let sign = b.convert(sign, dtype)?;
        Ok(vec![b.mul(sign, product)?])
    }),
    law: Law::Holds { state: laws::solve::det, hard },
    sample: |cx| programs(cx, SQUARE, |b, a, _| b.emit(NewOp::new(&DET, &[a]))),
    ..OpDef::BASE
};
/// `linalg.slogdet`.
pub static SLOGDET: OpDef = OpDef {
    name: "linalg.slogdet",
    doc: "`sign` and logarithm `logabs` of the modulus of the determinant of square matrices, which itself may overflow: `det = sign · \
          exp(logabs)`, where `sign` has modulus 1. A matrix without an inverse has 0 and −inf.\n\n`on_fail`: a matrix with a NaN or an \
          infinity is an error (`E0740`), or gives NaN.\n\nDerivative: that of `logabs` is the trace of `a⁻¹ da`; at a matrix without an \
          inverse there is none, and it holds infinities or NaN.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| {
        let sign = square(cx)?.without(&[0, 1]);
        let real = sign.with_dtype(sign.dtype.real());
        Ok(vec![sign, real])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize_slogdet),
    batch: Batch::Expand,
    expand: Expand::Composite(|b, new| {
        let f = factored(b, new.operands[0], &new.attrs)?;
        let (sign, logabs) = sign_and_log(b, &f)?;
        Ok(vec![sign, logabs])
    }),
    law: Law::Holds { state: laws::solve::slogdet, hard },
    sample: |cx| programs(cx, SQUARE, |b, a, _| b.emit(NewOp::new(&SLOGDET, &[a]))),
    ..OpDef::BASE
};

/// `linalg.adjugate`.
pub static ADJUGATE: OpDef = OpDef {
    name: "linalg.adjugate",
    doc: "The adjugate of square matrices, the transposed matrix of cofactors: `adj · a = a · adj = det(a) · I`, for matrices without an \
          inverse as well. By the inverse where there is one and the condition number is at most 1000, else by `linalg.svd`.\n\n`on_fail`: \
          a matrix with a NaN or an infinity is an error (`E0740`), or gives NaN.\n\nDerivative: that of the minors, at any rank; what is \
          said of further ones is said at `linalg.det`.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| Ok(vec![square(cx)?]),
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize_adjugate),
    batch: Batch::Expand,
    expand: Expand::Composite(|b, new| {
        let parts = parts(b, new.operands[0], &new.attrs)?;
        Ok(vec![adjugate(b, &parts)?])
    }),
    law: MADE,
    sample: |cx| programs(cx, SQUARE, |b, a, _| b.emit(NewOp::new(&ADJUGATE, &[a]))),
    ..OpDef::BASE
};

const SQUARE: &[&[usize]] = &[&[3, 3], &[2, 2], &[1, 1], &[0, 0], &[2, 2, 3]];
fn hard(cx: &SampleCx) -> Result<Vec<Sample>> {
    hard::factorisation(cx, |h| h.is_square() && h.is_moderate() && h.shape[0] < 20, &[Attrs::none()])
}

/// The sign of the order of rows, `f64`: −1 to the number of exchanges.
fn parity(b: &mut Builder, f: &Factored) -> Result<ValueId> {
    let ty = b.ty(f.pivots);
    let own = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![ty]))?;
    let moved = b.ne(f.pivots, own)?;
    let (one, minus) =
        (b.splat(&b.ty(moved).with_dtype(DType::F64), 1.0)?, b.splat(&b.ty(moved).with_dtype(DType::F64), -1.0)?);
    let signs = b.select(moved, minus, one)?;
    reduce(b, &REDUCE_PROD, signs, &[0])
}
fn sign_and_log(b: &mut Builder, f: &Factored) -> Result<(ValueId, ValueId)> {
    let d = diagonal(b, f.lu)?;
    let size = b.abs(d)?;
    let (zero, one) = (b.like(size, 0.0)?, b.like(size, 1.0)?);
    let none = b.eq(size, zero)?;
    let by = b.select(none, one, size)?;
    let dtype = b.ty(d).dtype;
    let by = b.convert(by, dtype)?;
    let signs = b.div(d, by)?;
    let product = reduce(b, &REDUCE_PROD, signs, &[0])?;
    let sign = parity(b, f)?;
    let sign = b.convert(sign, dtype)?;
    let logs = b.log(size)?;
    Ok((b.mul(sign, product)?, b.reduce_sum(logs, &[0])?))
}
/// `x`, one number a matrix, in the type of matrices.
fn everywhere(b: &mut Builder, x: ValueId, ty: &Type) -> Result<ValueId> {
    let ty = ty.with_dtype(b.ty(x).dtype);
    b.broadcast(x, &ty, &(2..ty.rank()).collect::<Vec<_>>())
}
/// What the adjugate and its derivative are made of. A matrix that is far from those without an inverse goes by that, any other by
/// its singular values; each is worked out on other matrices where it does not count, so that nothing made of it is a NaN or fails
/// there.
struct Parts {
    /// True, in the type of matrices, where the derivative goes by singular values.
    near: ValueId,
    /// The inverse, and everywhere the determinant, where there is an inverse.
    inverse: ValueId,
    det: ValueId,
    u: ValueId,
    s: ValueId,
    v: ValueId,
    /// Everywhere `det(u) det(vᴴ)`.
    turns: ValueId,
}
/// From this condition number on, in the norm of the largest column sum, a matrix goes by its singular values: a second derivative by
/// the inverse is wrong by rounding times that, and one by singular values fails where they are equal.
const FAR: f64 = 1e3;
fn parts(b: &mut Builder, a: ValueId, attrs: &Attrs) -> Result<Parts> {
    let ty = b.ty(a);
    let inverse_of = |b: &mut Builder, x: ValueId| b.emit1(NewOp::new(&INV, &[x]).attrs(attrs.clone()));
    let near = {
        let a = b.emit1(NewOp::new(&STOP_GRADIENT, &[a]))?;
        let inverse = inverse_of(b, a)?;
        let mut size = |x: ValueId| -> Result<ValueId> {
            let x = b.abs(x)?;
            let sums = b.reduce_sum(x, &[0])?;
            reduce(b, &REDUCE_MAX, sums, &[0])
        };
        let (p, q) = (size(a)?, size(inverse)?);
        let condition = b.mul(p, q)?;
        let most = b.like(condition, FAR)?;
        // NaN where there is no inverse.
        let far = b.le(condition, most)?;
        let near = b.not(far)?;
        everywhere(b, near, &ty)?
    };
    let eye = identity(b, a)?;
    let regular = b.select(near, eye, a)?;
    let inverse = inverse_of(b, regular)?;
    let det = b.emit1(NewOp::new(&DET, &[regular]).attrs(attrs.clone()))?;
    let det = everywhere(b, det, &ty)?;
    // Different singular values: 1, 2, …
    let line = ty.without(&[0]).with_dtype(DType::I64);
    let count = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![line]))?;
    let one = b.like(count, 1.0)?;
    let count = b.add(count, one)?;
    let count = b.convert(count, ty.dtype)?;
    let steps = b.emit1(NewOp::new(&EMBED_DIAG, &[count]))?;
    let other = b.select(near, a, steps)?;
    let made = b.emit(NewOp::new(&SVD, &[other]).attrs(attrs.clone()))?;
    let &[u, s, vt] = made.as_slice() else { return Err(Error::new(Code::E0299, "a decomposition has three results")) };
    let (du, dv) =
        (b.emit1(NewOp::new(&DET, &[u]).attrs(attrs.clone()))?, b.emit1(NewOp::new(&DET, &[vt]).attrs(attrs.clone()))?);
    let turns = b.mul(du, dv)?;
    let turns = everywhere(b, turns, &ty)?;
    let v = adjoint(b, vt)?;
    Ok(Parts { near, inverse, det, u, s, v, turns })
}
/// With an inverse the adjugate is `det(a) a⁻¹`; of `a = u diag(s) vᴴ` it is `det(u) det(vᴴ) v diag(Π_{j≠i} s_j) uᴴ`.
fn adjugate(b: &mut Builder, p: &Parts) -> Result<ValueId> {
    let ty = b.ty(p.inverse);
    let from_inverse = b.mul(p.det, p.inverse)?;
    let pairs = pairs_type(&b.ty(p.s));
    let across = along(b, p.s, &pairs, 1)?;
    let off = divided::off_diagonal(b, &pairs)?;
    let one = b.splat(&pairs, 1.0)?;
    let across = b.select(off, across, one)?;
    let products = reduce(b, &REDUCE_PROD, across, &[1])?;
    let products = b.convert(products, ty.dtype)?;
    let by = along(b, products, &ty, 1)?;
    let v = b.mul(p.v, by)?;
    let from_values = mh(b, v, p.u)?;
    let from_values = b.mul(p.turns, from_values)?;
    b.select(p.near, from_values, from_inverse)
}
/// `Π_{k≠i,j} s_k` beside the diagonal, 0 on it: what is before `i`, between and behind `j`, as running products, which divide by
/// nothing.
fn products_without_two(b: &mut Builder, s: ValueId) -> Result<ValueId> {
    let line = b.ty(s);
    let pairs = pairs_type(&line);
    let shifted = |b: &mut Builder, by: i64| -> Result<ValueId> {
        let first = |n: i64| {
            Attr::extents((0..line.rank()).map(|i| Extent::exact(if i == 0 { n } else { 0 })).collect::<Vec<_>>())
        };
        let one = b.splat(&Type::exact(line.dtype, &[]), 1.0)?;
        b.emit1(NewOp::new(&PAD, &[s, one]).attr("low", first(by)).attr("high", first(-by)))
    };
    let running = |b: &mut Builder, x: ValueId, axis: i64, reverse: bool| {
        b.emit1(NewOp::new(&CUMPROD, &[x]).attr("axis", Attr::Int(axis)).attr("reverse", Attr::Bool(reverse)))
    };
    let (earlier, later) = (shifted(b, 1)?, shifted(b, -1)?);
    let (before, behind) = (running(b, earlier, 0, false)?, running(b, later, 0, true)?);
    let index = |b: &mut Builder, axis: i64| {
        b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis)).types(vec![pairs.with_dtype(DType::I64)]))
    };
    let (i, j) = (index(b, 0)?, index(b, 1)?);
    let gap = b.sub(j, i)?;
    let (none, one) = (b.like(gap, 0.0)?, b.like(gap, 1.0)?);
    let (upper, beyond) = (b.gt(gap, none)?, b.gt(gap, one)?);
    // Element (i, j): s_{j−1} where that is behind i.
    let earlier = along(b, earlier, &pairs, 1)?;
    let (unit, zero) = (b.splat(&pairs, 1.0)?, b.zeros(&pairs)?);
    let inner = b.select(beyond, earlier, unit)?;
    let between = running(b, inner, 1, false)?;
    let (before, behind) = (along(b, before, &pairs, 0)?, along(b, behind, &pairs, 1)?);
    let ends = b.mul(before, behind)?;
    let product = b.mul(ends, between)?;
    let product = b.select(upper, product, zero)?;
    let turned = adjoint(b, product)?;
    b.add(product, turned)
}
/// With an inverse `x`, `d adj = det(a) (tr(x da) x − x da x)`. Of `a = u diag(s) vᴴ` with `m = uᴴ da v`, `d adj = det(u) det(vᴴ) v n uᴴ`:
/// the adjugate of `diag(s) + m`, whose entries are minors, is in the first order of `m` `n_ij = −m_ij Π_{k≠i,j} s_k` beside the
/// diagonal, and on it `n_ii = Σ_{l≠i} m_ll Π_{k≠i,l} s_k` (the minors of a sum: Horn & Johnson, *Matrix Analysis*, 2nd ed.,
/// §0.8). There is no division: it is right at any rank, and where singular values are equal.
fn linearize_adjugate(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let a = cx.primal(op.operands[0])?;
    let q = cx.p();
    let parts = parts(q, a, &op.attrs)?;
    let adj = adjugate(q, &parts)?;
    let Some(da) = cx.tangent(op.operands[0]) else {
        cx.set(op.results[0], adj, None);
        return Ok(());
    };
    let q = cx.p();
    let two = products_without_two(q, parts.s)?;
    let dtype = q.ty(adj).dtype;
    let two = q.convert(two, dtype)?;
    let turned = q.mul(parts.turns, parts.v)?;
    let [near, inverse, det, u, v, turned, two] = {
        let mut r = [parts.near, parts.inverse, parts.det, parts.u, parts.v, turned, two];
        for x in &mut r {
            *x = cx.residual(*x)?;
        }
        r
    };
    let t = cx.t();
    let ty = t.ty(da);
    let none = t.zeros(&ty)?;
    let (far, by_values) = (t.select(near, none, da)?, t.select(near, da, none)?);
    let moved = mm(t, inverse, far)?;
    let d = diagonal(t, moved)?;
    let trace = t.reduce_sum(d, &[0])?;
    let trace = everywhere(t, trace, &ty)?;
    let grown = t.mul(trace, inverse)?;
    let back = mm(t, moved, inverse)?;
    let from_inverse = t.sub(grown, back)?;
    let from_inverse = t.mul(det, from_inverse)?;
    let m = hm(t, u, by_values)?;
    let m = mm(t, m, v)?;
    let d = diagonal(t, m)?;
    let d = along(t, d, &ty, 1)?;
    let others = t.mul(two, d)?;
    let others = t.reduce_sum(others, &[1])?;
    let others = t.emit1(NewOp::new(&EMBED_DIAG, &[others]))?;
    let beside = t.mul(two, m)?;
    let n = t.sub(others, beside)?;
    let n = mm(t, turned, n)?;
    let from_values = mh(t, n, u)?;
    let d = t.add(from_inverse, from_values)?;
    cx.set(op.results[0], adj, Some(d));
    Ok(())
}
/// `d det = tr(adj(a) da)` (Jacobi).
fn linearize_det(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    cx.copy_primal(o)?;
    let Some(da) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let a = cx.primal(op.operands[0])?;
    let adj = cx.p().emit1(NewOp::new(&ADJUGATE, &[a]).attrs(op.attrs.clone()))?;
    let adj = cx.residual(adj)?;
    let t = cx.t();
    let perm: Vec<usize> = [1, 0].into_iter().chain(2..t.ty(adj).rank()).collect();
    let turned = t.transpose(adj, &perm)?;
    let terms = t.mul(turned, da)?;
    let d = t.reduce_sum(terms, &[0, 1])?;
    cx.set_tangent(op.results[0], Some(d))
}
/// With `z = tr(a⁻¹ da)`: `d logabs = Re z`, `d sign = i Im(z) sign`.
fn linearize_slogdet(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let a = cx.primal(op.operands[0])?;
    let da = cx.tangent(op.operands[0]);
    let f = factored(cx.p(), a, &op.attrs)?;
    let (sign, logabs) = sign_and_log(cx.p(), &f)?;
    let Some(da) = da else {
        cx.set(op.results[0], sign, None);
        cx.set(op.results[1], logabs, None);
        return Ok(());
    };
    let f = kept(cx, &f)?;
    let complex = cx.p().ty(sign).dtype.is_complex();
    let rsign = if complex { Some(cx.residual(sign)?) } else { None };
    let t = cx.t();
    let x = substituted(t, &f, da)?;
    let d = diagonal(t, x)?;
    let z = t.reduce_sum(d, &[0])?;
    let dlog = real_part(t, z)?;
    let dsign = match rsign {
        Some(sign) => {
            let turn = t.imag(z)?;
            let none = t.like(turn, 0.0)?;
            let turn = t.complex(none, turn)?;
            Some(t.mul(turn, sign)?)
        }
        None => None,
    };
    cx.set(op.results[0], sign, dsign);
    cx.set(op.results[1], logabs, Some(dlog));
    Ok(())
}
