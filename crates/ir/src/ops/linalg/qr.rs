//! QR factorisations, without and with pivoting, and their derivative.
use super::triangular::{Triangular, solve};
use super::*;
use crate::ops::shape::{EMBED_DIAG, TRIL, TRIU};

/// `linalg.qr`.
pub static QR: OpDef = OpDef {
    name: "linalg.qr",
    doc: "QR factorisation `a = q · r` of matrices `m × n`: `q` has `k = min(m, n)` orthonormal columns, `r` is upper triangular \
          (trapezoidal for `m < n`), `k × n`. The diagonal of `r` is real and not negative, which makes the factors unique where \
          the leading `k` columns are independent.\n\n`on_fail`: a matrix with a NaN or an infinity is an error (`E0740`), or gives NaN.\n\nDerivative: \
          where the leading `k` columns are dependent (`|r_ii| <= max(m, n) · ulp · max |r_jj|`, `ulp` the unit in the last place of 1) there is none, and it is NaN.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| {
        let a = matrices(cx)?;
        let k = Extent::min(&a.dims[0], &a.dims[1])?;
        Ok(factors(&a, &k).to_vec())
    },
    effect: Effect::MayFail,
    linearize: Linearize::Rule(|cx, o| linearize(cx, o, true)),
    batch: Batch::Rule(trailing),
    law: Law::Holds { state: laws::qr, hard: |cx| hard::factorisation(cx, |_| true, &[Attrs::none()]) },
    sample: |cx| sample(cx, SHAPES),
    ..OpDef::BASE
};
/// `linalg.qr_pivoted`.
pub static QR_PIVOTED: OpDef = OpDef {
    name: "linalg.qr_pivoted",
    doc: "QR factorisation with column pivoting: `a[:, p] = q · r` as `linalg.qr` gives it, where `p` puts at each step the \
          column first whose part outside the span of those before it is largest, so that the diagonal of `r` descends (up to rounding). \
          `on_fail` and derivative as there; `p` is locally constant.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| {
        let a = matrices(cx)?;
        let k = Extent::min(&a.dims[0], &a.dims[1])?;
        let [q, r] = factors(&a, &k);
        Ok(vec![q, r, permutation(&a)])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Rule(|cx, o| linearize(cx, o, true)),
    batch: Batch::Rule(trailing),
    law: Law::Holds { state: laws::qr_pivoted, hard: |cx| hard::factorisation(cx, |_| true, &[Attrs::none()]) },
    sample: |cx| sample(cx, SHAPES),
    ..OpDef::BASE
};

/// Types of `q` and `r` for `k` columns.
pub(super) fn factors(a: &Type, k: &Extent) -> [Type; 2] {
    let batch = a.without(&[0, 1]);
    let q = batch.with_axis(0, k.clone()).with_axis(0, a.dims[0].clone());
    let r = batch.with_axis(0, a.dims[1].clone()).with_axis(0, k.clone());
    [q, r]
}
/// Type of the permutation.
pub(super) fn permutation(a: &Type) -> Type {
    a.without(&[0]).with_dtype(DType::I64)
}

/// With `A = [A₁ A₂]` after pivoting, `A₁` its leading `k` columns, `R = [R₁ R₂]`, `C = qᴴ dA₁ R₁⁻¹`:
///
/// `Ω = low(C) − low(C)ᴴ + i Im diag(C)`, `E = dA₁ R₁⁻¹ − q C`, `dq = q Ω + E`, `dR = qᴴ dA − Ω R + Eᴴ A`.
///
/// Walter & Lehmann, arXiv:1001.1654, for `m >= n`; the leading block for wide matrices as in Roberts & Roberts,
/// arXiv:2009.10071; the diagonal of `R` stays real (the unique choice). `whole`: all of `R` is there, and
/// `Eᴴ A` vanishes; else `A₂` has a part outside the span of `q`.
pub(super) fn linearize(cx: &mut Linearizer, o: OpId, whole: bool) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let Some(da) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let (q, r) = (primals[0], primals[1]);
    let [k, n] = {
        let ty = cx.p().ty(r);
        [ty.dims[0].clone(), ty.dims[1].clone()]
    };
    let a = cx.primal(op.operands[0])?;
    let a_dims = cx.p().ty(a).dims;
    let sound = nan_where_dependent(cx.p(), r, &a_dims)?;
    let (rq, rr) = (cx.residual(q)?, cx.residual(sound)?);
    let p = match primals.get(2) {
        Some(&p) => Some(cx.residual(p)?),
        None => None,
    };
    let ra = if whole { None } else { Some(cx.residual(a)?) };
    let k = cx.lin_extent(&k)?;
    let n = cx.lin_extent(&n)?;
    let t = cx.t();
    let da = match p {
        Some(p) => pick(t, da, p, 1)?,
        None => da,
    };
    let (dq, dr, outside) = turn(t, da, rq, rr, &k)?;
    let mut dr = dr;
    if let (Some(ra), true) = (ra, k != n) {
        let ra = match p {
            Some(p) => pick(t, ra, p, 1)?,
            None => ra,
        };
        let rest = hm(t, outside, ra)?;
        dr = t.add(dr, rest)?;
    }
    let dr = t.emit1(NewOp::new(&TRIU, &[dr]))?;
    cx.set_tangent(op.results[0], Some(dq))?;
    cx.set_tangent(op.results[1], Some(dr))
}

/// `dq`, `dR` without `Eᴴ A`, and `E`: see [`linearize`].
pub(super) fn turn(
    t: &mut Builder,
    da: ValueId,
    q: ValueId,
    r: ValueId,
    k: &Extent,
) -> Result<(ValueId, ValueId, ValueId)> {
    let (da1, r1) = (t.take_prefix(da, 1, k)?, t.take_prefix(r, 1, k)?);
    let right = Triangular { left: false, lower: false, transpose: false, conj: false, unit: false };
    let x = solve(t, r1, da1, right)?;
    let c = hm(t, q, x)?;
    let low = t.emit1(NewOp::new(&TRIL, &[c]).attr("k", Attr::Int(-1)))?;
    let up = adjoint(t, low)?;
    let mut turn = t.sub(low, up)?;
    if t.ty(r).dtype.is_complex() {
        let d = diagonal(t, c)?;
        let d = t.imag(d)?;
        let zero = t.like(d, 0.0)?;
        let d = t.complex(zero, d)?;
        let d = t.emit1(NewOp::new(&EMBED_DIAG, &[d]))?;
        turn = t.add(turn, d)?;
    }
    let inside = mm(t, q, c)?;
    let outside = t.sub(x, inside)?;
    let turned = mm(t, q, turn)?;
    let dq = t.add(turned, outside)?;
    let along_q = hm(t, q, da)?;
    let back = mm(t, turn, r)?;
    Ok((dq, t.sub(along_q, back)?, outside))
}

/// `r` with NaN in the rows of diagonal entries that are only rounding: what is solved with them would be noise. Numbers
/// count as NumPy's `matrix_rank` counts them, relative to the largest.
pub(super) fn nan_where_dependent(b: &mut Builder, r: ValueId, a: &[Extent]) -> Result<ValueId> {
    let ty = b.ty(r);
    let d = diagonal(b, r)?;
    let size = b.abs(d)?;
    let top = scale_of(b, size)?;
    let longest = b.dim_value(Extent::max(&a[0], &a[1])?)?;
    let longest = b.convert(longest, ty.dtype.real())?;
    let unit = b.like(longest, unit(ty.dtype))?;
    let part = b.mul(longest, unit)?;
    let each = b.ty(top);
    let part = b.broadcast(part, &each, &[])?;
    let least = b.mul(part, top)?;
    let small = b.le(size, least)?;
    let rows = along(b, small, &ty, 0)?;
    let nan = b.like(r, f64::NAN)?;
    b.select(rows, nan, r)
}
/// The op on matrices of these shapes; its results are unique, and seen as they are.
pub(super) fn sample(cx: &SampleCx, shapes: &[&[usize]]) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let one = |shape: &&[usize]| {
        cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
            let a = spread(b, x[0])?;
            b.emit(NewOp::new(cx.def, &[a]))
        })
    };
    shapes.iter().map(one).collect()
}
