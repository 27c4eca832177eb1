//! Eigenvalues and eigenvectors of square matrices, and their derivative.
use super::schur::{complex, hard};
use super::solve::{factored, kept, square, substituted};
use super::*;
use crate::ops::elementwise::MAX;
use crate::ops::order::CUMSUM;
use crate::ops::reduce::{REDUCE_MAX, REDUCE_OR, expand, reduce};
use crate::ops::shape::{CONCAT, EMBED_DIAG, SLICE};

/// `linalg.eig`.
pub static EIG: OpDef = OpDef {
    name: "linalg.eig",
    doc: "Eigenvalues `w` and eigenvectors of square matrices, complex, in the order of `linalg.schur`: `a · v = v · diag(w)` and `uᴴ · a = \
          diag(w) · uᴴ`. Columns of `v` (right) and of `u` (left) have norm 1, and in each the first entry whose modulus is at least \
          0.999 of the largest is real and positive. A matrix with fewer eigenvectors than rows has columns that are equal up to \
          rounding.\n\n`on_fail`: a matrix with a NaN or an infinity, or one on which the iteration does not converge, is an error \
          (`E0740`), or gives NaN.\n\nDerivative: that of a vector is NaN where its value is equal to another, that is differs from it by \
          at most `eps` times the largest (default: 512 units in the last place). Of equal values only what does not depend on their \
          order (their sum, say) has one: in reverse it is right, else `E1221`, and forward it is `E1221` unless they all move alike. \
          A matrix with fewer vectors than rows has vectors with `|uᴴ v|` near 0, the reciprocal of how its values are conditioned: at most \
          the cube root of the unit in the last place counts as 0, and a derivative that uses such a value is `E1221`, that of its \
          vector NaN.",
    operands: &["a"],
    slots: &[ON_FAIL, EPS],
    infer: |cx| {
        let a = square(cx)?;
        check_eps(cx)?;
        cx.want_parts(0)?;
        let v = a.with_dtype(complex(a.dtype));
        Ok(vec![v.without(&[1]), v.clone(), v])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize),
    batch: Batch::Rule(trailing),
    law: Law::Holds { state: laws::spectral::eig, hard },
    sample,
    ..OpDef::BASE
};

/// With `M = V⁻¹ dA V`, `V⁻¹ = (Uᴴ V)⁻¹ Uᴴ`, and `F_ij = 1/(w_j − w_i)` beside the diagonal: `dw = diag M`, `dV = V (F∘M) + V diag(c)` (Giles 2008, §3.1). The
/// columns of `U` are those of `V⁻ᴴ` times numbers: with `D = diag(Vᴴ U)`, `dU = U G + U diag(c)`, `G_ij = conj(M_ji) D_j / (D_i (w_j −
/// w_i)*)`. The `c` keep norms and phases, see [`held`].
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let Some(da) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let &[w, v, u] = primals.as_slice() else { return Ok(()) };
    let p = cx.p();
    let wide = p.ty(v).dtype;
    let equal = equal_values(p, w, eps_of(&op.attrs, wide))?;
    let lost = defective(p, v, u)?;
    let unknown = p.or(equal, lost)?;
    let f = differences(p, w, unknown)?;
    let beside = left_factors(p, f, v, u)?;
    let (unknown, means) = shared(p, equal, lost, wide)?;
    let overlaps = overlaps(p, v, u, equal, lost)?;
    let lu = factored(p, overlaps, &Attrs::of([("on_fail", Attr::word("nan"))]))?;
    let (lead_v, lead_u) = (leading(p, v)?, leading(p, u)?);
    let lu = kept(cx, &lu)?;
    let [f, beside, v, u, lead_v, lead_u, unknown, means] = {
        let mut r = [f, beside, v, u, lead_v, lead_u, unknown, means];
        for x in &mut r {
            *x = cx.residual(*x)?;
        }
        r
    };
    let t = cx.t();
    let da = t.convert(da, wide)?;
    let right = mm(t, da, v)?;
    let both = hm(t, u, right)?;
    let pairs = substituted(t, &lu, both)?;
    let dw = values(t, pairs, unknown, means, &op.attrs)?;
    let turn = t.mul(f, pairs)?;
    let dv = held(t, v, turn, lead_v)?;
    let back = adjoint(t, pairs)?;
    let turn = t.mul(beside, back)?;
    let du = held(t, u, turn, lead_u)?;
    cx.set_tangent(op.results[0], Some(dw))?;
    cx.set_tangent(op.results[1], Some(dv))?;
    cx.set_tangent(op.results[2], Some(du))
}
/// The diagonal of `pairs`, one number a value, but only what is known of it. Equal values move by the mean of theirs, the others by
/// their own; what is left, beside the diagonal too, has to be 0 where values are equal or have lost their vectors, and in reverse
/// nothing may depend on it (Kato, *Perturbation Theory for Linear Operators*, II §2: the mean of a group of values is smooth, and the
/// values are where they do not part).
fn values(t: &mut Builder, pairs: ValueId, unknown: ValueId, means: ValueId, attrs: &Attrs) -> Result<ValueId> {
    let ty = t.ty(pairs);
    let mean = |t: &mut Builder, x: ValueId| -> Result<ValueId> {
        let x = along(t, x, &ty, 1)?;
        let shares = t.mul(means, x)?;
        t.reduce_sum(shares, &[1])
    };
    let own = diagonal(t, pairs)?;
    let shared = mean(t, own)?;
    let moved = t.emit1(NewOp::new(&EMBED_DIAG, &[shared]))?;
    let rest = t.sub(pairs, moved)?;
    // What the values move by goes along as a further row: it says what counts as 0, of cotangents too.
    let line = ty.without(&[0]).with_axis(0, Extent::exact(1));
    let row = t.reshape(own, &line)?;
    let all = t.emit1(NewOp::new(&CONCAT, &[rest, row]).attr("axis", Attr::Int(0)))?;
    let all = t.emit1(NewOp::new(&KNOWN, &[all, unknown]).attr("tolerance", tolerance(attrs, ty.dtype)))?;
    let n = ty.dims[0].clone();
    let below = n.add(&Extent::exact(1))?;
    let (rest, row) = (rows(t, all, Extent::exact(0), n.clone())?, rows(t, all, n, below)?);
    let own = t.reshape(row, &ty.without(&[0]))?;
    let shared = mean(t, own)?;
    let rest = diagonal(t, rest)?;
    let again = mean(t, rest)?;
    let rest = t.sub(rest, again)?;
    t.add(shared, rest)
}
/// Rows `from` to `to` of matrices.
fn rows(b: &mut Builder, x: ValueId, from: Extent, to: Extent) -> Result<ValueId> {
    let ty = b.ty(x);
    let mut start = vec![Extent::exact(0); ty.rank()];
    let mut limit = ty.dims.to_vec();
    (start[0], limit[0]) = (from, to);
    let op = NewOp::new(&SLICE, &[x]).attr("start", Attr::extents(start));
    b.emit1(op.attr("limit", Attr::extents(limit)))
}
/// Pairs of values that are equal, those of one value with itself included.
fn equal_values(b: &mut Builder, w: ValueId, eps: f64) -> Result<ValueId> {
    let ty = pairs_type(&b.ty(w));
    let (i, j) = (along(b, w, &ty, 0)?, along(b, w, &ty, 1)?);
    let gap = b.sub(j, i)?;
    let size = b.abs(w)?;
    let scale = scale_of(b, size)?;
    let scale = along(b, scale, &ty, 0)?;
    let least = b.like(scale, eps)?;
    let least = b.mul(least, scale)?;
    let apart = b.abs(gap)?;
    b.le(apart, least)
}
/// Pairs of which one value has lost its vector to others: `|uᴴ v|` is below the cube root of a unit in the last place. (Rounding
/// that moves such a value by its condition number `1/|uᴴ v|` leaves an error of that times the square in the sum over a group: Wilkinson,
/// *The Algebraic Eigenvalue Problem*, ch. 2.)
fn defective(b: &mut Builder, v: ValueId, u: ValueId) -> Result<ValueId> {
    let ty = b.ty(v).with_dtype(b.ty(v).dtype.real());
    let angle = angles(b, v, u)?;
    let angle = b.abs(angle)?;
    let least = b.like(angle, unit(ty.dtype).cbrt())?;
    let lost = b.le(angle, least)?;
    let ty = ty.with_dtype(DType::Bool);
    let (i, j) = (along(b, lost, &ty, 0)?, along(b, lost, &ty, 1)?);
    b.or(i, j)
}
/// `Uᴴ V`, by whose inverse `Uᴴ` becomes `V⁻¹`: 0 between vectors of different values, and 1 in place of what has lost its vector, so
/// that the others keep their rows of the inverse.
fn overlaps(b: &mut Builder, v: ValueId, u: ValueId, equal: ValueId, lost: ValueId) -> Result<ValueId> {
    let all = hm(b, u, v)?;
    let kept = b.not(lost)?;
    let kept = b.and(kept, equal)?;
    let eye = super::solve::identity(b, v)?;
    b.select(kept, all, eye)
}
/// Where [`values`] must find 0, with a row more in which it need not, and the matrix that takes means over equal values: 0 in the row of a value without a vector.
fn shared(b: &mut Builder, equal: ValueId, lost: ValueId, wide: DType) -> Result<(ValueId, ValueId)> {
    let ty = b.ty(equal).with_dtype(wide.real());
    let off = divided::off_diagonal(b, &ty)?;
    let others = b.and(equal, off)?;
    let some = reduce(b, &REDUCE_OR, others, &[1])?;
    let some = along(b, some, &b.ty(equal), 0)?;
    let on = b.not(off)?;
    let grouped = b.and(on, some)?;
    let unknown = b.or(others, grouped)?;
    let unknown = b.or(unknown, lost)?;
    let number = b.convert(equal, ty.dtype)?;
    let count = b.reduce_sum(number, &[1])?;
    let count = along(b, count, &ty, 0)?;
    let one = b.like(count, 1.0)?;
    // No value is equal to a NaN, not even itself.
    let count = b.emit1(NewOp::new(&MAX, &[count, one]))?;
    let part = b.div(number, count)?;
    let zero = b.like(part, 0.0)?;
    let means = b.select(lost, zero, part)?;
    let line = b.ty(unknown).without(&[0]).with_axis(0, Extent::exact(1));
    let none = b.zeros(&line)?;
    let unknown = b.emit1(NewOp::new(&CONCAT, &[unknown, none]).attr("axis", Attr::Int(0)))?;
    Ok((unknown, b.convert(means, wide)?))
}
/// `1/(w_j − w_i)`: 0 on the diagonal, NaN beside it where it is not known.
fn differences(b: &mut Builder, w: ValueId, unknown: ValueId) -> Result<ValueId> {
    let ty = pairs_type(&b.ty(w));
    let (i, j) = (along(b, w, &ty, 0)?, along(b, w, &ty, 1)?);
    let gap = b.sub(j, i)?;
    let one = b.like(gap, 1.0)?;
    let safe = b.select(unknown, one, gap)?;
    let f = b.div(one, safe)?;
    let nan = b.like(f, f64::NAN)?;
    let f = b.select(unknown, nan, f)?;
    let off = divided::off_diagonal(b, &ty)?;
    let zero = b.like(f, 0.0)?;
    b.select(off, f, zero)
}
/// `D = diag(Vᴴ U)`.
fn angles(b: &mut Builder, v: ValueId, u: ValueId) -> Result<ValueId> {
    let conj = b.conj(v)?;
    let d = b.mul(conj, u)?;
    b.reduce_sum(d, &[0])
}
/// `conj(F_ij) D_j / D_i`.
fn left_factors(b: &mut Builder, f: ValueId, v: ValueId, u: ValueId) -> Result<ValueId> {
    let d = angles(b, v, u)?;
    let ty = b.ty(f);
    let (i, j) = (along(b, d, &ty, 0)?, along(b, d, &ty, 1)?);
    let ratio = b.div(j, i)?;
    let f = b.conj(f)?;
    let beside = b.mul(f, ratio)?;
    let off = divided::off_diagonal(b, &ty)?;
    let zero = b.like(f, 0.0)?;
    b.select(off, beside, zero)
}
/// `1/v_ij` for the entry of each column that is held real, 0 for the others; real.
fn leading(b: &mut Builder, v: ValueId) -> Result<ValueId> {
    let size = b.abs(v)?;
    let ty = b.ty(size);
    let top = reduce(b, &REDUCE_MAX, size, &[0])?;
    let least = b.like(top, LEADING)?;
    let least = b.mul(least, top)?;
    let least = expand(b, least, &ty, &[0])?;
    let leads = b.ge(size, least)?;
    let number = b.convert(leads, ty.dtype)?;
    let number = b.emit1(NewOp::new(&CUMSUM, &[number]).attr("axis", Attr::Int(0)))?;
    let (zero, one) = (b.like(size, 0.0)?, b.like(size, 1.0)?);
    let first = b.eq(number, one)?;
    let first = b.and(first, leads)?;
    let by = b.select(first, size, one)?;
    let by = b.div(one, by)?;
    b.select(first, by, zero)
}
/// `dv = y + v diag(c)` for `y = v · turn`: the real part of `c` holds the norm, `Re vᴴ dv = 0`, the imaginary one holds the leading
/// entry real.
fn held(t: &mut Builder, v: ValueId, turn: ValueId, lead: ValueId) -> Result<ValueId> {
    let y = mm(t, v, turn)?;
    let ty = t.ty(y);
    let conj = t.conj(v)?;
    let along_v = t.mul(conj, y)?;
    let along_v = t.real(along_v)?;
    let grown = t.reduce_sum(along_v, &[0])?;
    let side = t.imag(y)?;
    let side = t.mul(lead, side)?;
    let turned = t.reduce_sum(side, &[0])?;
    let c = t.complex(grown, turned)?;
    let c = along(t, c, &ty, 1)?;
    let moved = t.mul(v, c)?;
    t.sub(y, moved)
}

/// Values that are well apart: seen as they are.
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let shapes: &[&[usize]] = &[&[3, 3], &[2, 2], &[1, 1], &[0, 0], &[4, 4, 2], &[2, 2, 1, 2]];
    let one = |shape: &&[usize]| {
        cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
            let a = spread(b, x[0])?;
            b.emit(NewOp::new(cx.def, &[a]))
        })
    };
    shapes.iter().map(one).collect()
}
