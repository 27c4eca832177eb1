//! Eigenvalues and eigenvectors of square matrices, and their derivative.
use super::schur::{complex, hard};
use super::solve::{factored, kept, square, substituted};
use super::*;
use crate::ops::order::CUMSUM;
use crate::ops::reduce::{REDUCE_MAX, expand, reduce};

/// `linalg.eig`.
pub static EIG: OpDef = OpDef {
    name: "linalg.eig",
    doc: "Eigenvalues `w` and eigenvectors of square matrices, complex, in the order of `linalg.schur`: `a · v = v · diag(w)` and `uᴴ · a = \
          diag(w) · uᴴ`. Columns of `v` (right) and of `u` (left) have norm 1, and in each the first entry whose modulus is at least \
          0.999 of the largest is real and positive. A matrix with fewer eigenvectors than rows has columns that are equal up to \
          rounding.\n\n`on_fail`: a matrix with a NaN or an infinity, or one on which the iteration does not converge, is an error \
          (`E0740`), or gives NaN.\n\nDerivative: that of a vector is NaN where its value is equal to another, that is differs from it by \
          at most `eps` times the largest (default: 512 units in the last place). Of equal values themselves only what does not depend \
          on their order (their sum, say) has one, and it is right where there are as many vectors as rows.",
    operands: &["a"],
    slots: &[ON_FAIL, EPS],
    infer: |cx| {
        let a = square(cx)?;
        check_eps(cx)?;
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

/// With `M = V⁻¹ dA V` and `F_ij = 1/(w_j − w_i)` beside the diagonal: `dw = diag M`, `dV = V (F∘M) + V diag(c)` (Giles 2008, §3.1). The
/// columns of `U` are those of `V⁻ᴴ` times numbers: with `D = diag(Vᴴ U)`, `dU = U G + U diag(c)`, `G_ij = conj(M_ji) D_j / (D_i (w_j −
/// w_i)*)`. The `c` keep norms and phases, see [`held`].
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let Some(da) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let &[w, v, u] = primals.as_slice() else { return Ok(()) };
    let p = cx.p();
    let wide = p.ty(v).dtype;
    let f = differences(p, w, eps_of(&op.attrs, wide))?;
    let beside = left_factors(p, f, v, u)?;
    let lu = factored(p, v, &Attrs::of([("on_fail", Attr::word("nan"))]))?;
    let (lead_v, lead_u) = (leading(p, v)?, leading(p, u)?);
    let lu = kept(cx, &lu)?;
    let [f, beside, v, u, lead_v, lead_u] = {
        let mut r = [f, beside, v, u, lead_v, lead_u];
        for x in &mut r {
            *x = cx.residual(*x)?;
        }
        r
    };
    let t = cx.t();
    let da = t.convert(da, wide)?;
    let right = mm(t, da, v)?;
    let pairs = substituted(t, &lu, right)?;
    let dw = diagonal(t, pairs)?;
    let turn = t.mul(f, pairs)?;
    let dv = held(t, v, turn, lead_v)?;
    let back = adjoint(t, pairs)?;
    let turn = t.mul(beside, back)?;
    let du = held(t, u, turn, lead_u)?;
    cx.set_tangent(op.results[0], Some(dw))?;
    cx.set_tangent(op.results[1], Some(dv))?;
    cx.set_tangent(op.results[2], Some(du))
}
/// `1/(w_j − w_i)`: 0 on the diagonal, NaN where values are equal beside it.
fn differences(b: &mut Builder, w: ValueId, eps: f64) -> Result<ValueId> {
    let ty = pairs_type(&b.ty(w));
    let (i, j) = (along(b, w, &ty, 0)?, along(b, w, &ty, 1)?);
    let gap = b.sub(j, i)?;
    let size = b.abs(w)?;
    let scale = scale_of(b, size)?;
    let scale = along(b, scale, &ty, 0)?;
    let least = b.like(scale, eps)?;
    let least = b.mul(least, scale)?;
    let apart = b.abs(gap)?;
    let equal = b.le(apart, least)?;
    let one = b.like(gap, 1.0)?;
    let safe = b.select(equal, one, gap)?;
    let f = b.div(one, safe)?;
    let nan = b.like(f, f64::NAN)?;
    let f = b.select(equal, nan, f)?;
    let off = divided::off_diagonal(b, &ty)?;
    let zero = b.like(f, 0.0)?;
    b.select(off, f, zero)
}
/// `conj(F_ij) D_j / D_i`.
fn left_factors(b: &mut Builder, f: ValueId, v: ValueId, u: ValueId) -> Result<ValueId> {
    let conj = b.conj(v)?;
    let d = b.mul(conj, u)?;
    let d = b.reduce_sum(d, &[0])?;
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
    if !cx.dtype.is_inexact() {
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
