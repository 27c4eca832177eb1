//! Determinants and their logarithms, by `linalg.lu_factor`.
use super::solve::{Factored, factored, identity, kept, programs, square, substituted};
use super::*;
use crate::ops::constant::IOTA;
use crate::ops::reduce::{REDUCE_OR, REDUCE_PROD, reduce};
use crate::ops::shape::EMBED_DIAG;

/// `linalg.det`.
pub static DET: OpDef = OpDef {
    name: "linalg.det",
    doc: "Determinant of square matrices; 1 of a matrix without elements.\n\n`on_fail`: a matrix with a NaN or an infinity is an error \
          (`E0740`), or gives NaN.\n\nDerivative: the adjugate, from the inverse where there is one, else from the singular value \
          decomposition: it is right at any rank. A second derivative at a matrix without an inverse is that of `linalg.svd`: it fails \
          when it runs (`E1221`) where singular values are equal.",
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
/// The adjugate. With an inverse it is `det(a) a⁻¹`; without, of `a = u diag(s) vᴴ`, `det(u) det(vᴴ) v diag(Π_{j≠i} s_j) uᴴ`. Each of
/// both is worked out on other matrices where it does not count, so that nothing made of it is a NaN or fails there.
fn adjugate(b: &mut Builder, a: ValueId, det: ValueId, f: &Factored, attrs: &Attrs) -> Result<ValueId> {
    let ty = b.ty(a);
    let d = diagonal(b, f.lu)?;
    let zero = b.like(d, 0.0)?;
    let none = b.eq(d, zero)?;
    let singular = reduce(b, &REDUCE_OR, none, &[0])?;
    let singular = everywhere(b, singular, &ty)?;
    let eye = identity(b, a)?;
    let regular = b.select(singular, eye, a)?;
    let inverse = b.emit1(NewOp::new(&INV, &[regular]).attrs(attrs.clone()))?;
    let by = everywhere(b, det, &ty)?;
    let from_inverse = b.mul(by, inverse)?;
    // Different singular values: 1, 2, …
    let line = ty.without(&[0]).with_dtype(DType::I64);
    let count = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![line]))?;
    let one = b.like(count, 1.0)?;
    let count = b.add(count, one)?;
    let count = b.convert(count, ty.dtype)?;
    let steps = b.emit1(NewOp::new(&EMBED_DIAG, &[count]))?;
    let other = b.select(singular, a, steps)?;
    let made = b.emit(NewOp::new(&SVD, &[other]).attrs(attrs.clone()))?;
    let &[u, s, vt] = made.as_slice() else { return Ok(inverse) };
    let pairs = pairs_type(&b.ty(s));
    let across = along(b, s, &pairs, 1)?;
    let off = divided::off_diagonal(b, &pairs)?;
    let one = b.splat(&pairs, 1.0)?;
    let across = b.select(off, across, one)?;
    let products = reduce(b, &REDUCE_PROD, across, &[1])?;
    let products = b.convert(products, ty.dtype)?;
    let (du, dv) =
        (b.emit1(NewOp::new(&DET, &[u]).attrs(attrs.clone()))?, b.emit1(NewOp::new(&DET, &[vt]).attrs(attrs.clone()))?);
    let turns = b.mul(du, dv)?;
    let v = adjoint(b, vt)?;
    let by = along(b, products, &ty, 1)?;
    let v = b.mul(v, by)?;
    let from_values = mh(b, v, u)?;
    let turns = everywhere(b, turns, &ty)?;
    let from_values = b.mul(turns, from_values)?;
    b.select(singular, from_values, from_inverse)
}
/// `d det = tr(adj(a) da)` (Jacobi).
fn linearize_det(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let Some(da) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let a = cx.primal(op.operands[0])?;
    let p = cx.p();
    let f = factored(p, a, &op.attrs)?;
    let adj = adjugate(p, a, primals[0], &f, &op.attrs)?;
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
