//! Cholesky factorisation and its derivative.
use super::triangular::{Triangular, solve};
use super::*;
use crate::diag::Part;
use crate::ops::shape::{EMBED_DIAG, TRIL};

/// `linalg.cholesky`.
pub static CHOLESKY: OpDef = OpDef {
    name: "linalg.cholesky",
    doc: "Cholesky factor of Hermitian positive definite matrices: `a = l · lᴴ`, `l` lower triangular with a positive diagonal, 0 \
          above it. Of `a` the lower triangle is read, and of its diagonal the real part.\n\n`on_fail`: a matrix that is not positive \
          definite, or whose lower triangle holds a NaN or an infinity, is an error (`E0740`), or gives NaN.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| {
        let a = matrices(cx)?;
        cx.equal(&a.dims[0], &a.dims[1], Part::Operand(0), || "rows and columns of operand 0".into())?;
        Ok(vec![a])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize),
    batch: Batch::Rule(trailing),
    law: Law::Holds { state: laws::cholesky, hard },
    sample: |cx| programs(cx, &[&[3, 3], &[2, 2], &[1, 1], &[0, 0], &[2, 2, 3], &[3, 3, 1, 2]]),
    ..OpDef::BASE
};

/// The Hermitian matrix whose lower triangle is that of `a`.
pub(super) fn from_lower(b: &mut Builder, a: ValueId) -> Result<ValueId> {
    let low = b.emit1(NewOp::new(&TRIL, &[a]).attr("k", Attr::Int(-1)))?;
    let up = adjoint(b, low)?;
    let sum = b.add(low, up)?;
    let d = diagonal(b, a)?;
    let dtype = b.ty(d).dtype;
    let d = real_part(b, d)?;
    let d = b.convert(d, dtype)?;
    let d = b.emit1(NewOp::new(&EMBED_DIAG, &[d]))?;
    b.add(sum, d)
}
/// `dL = L Φ(L⁻¹ dA L⁻ᴴ)`, where `Φ` takes the lower triangle and half the diagonal (Murray, arXiv:1602.07527, eq. 10; Giles
/// 2008, §2.2.5), with the Hermitian `dA` that is read.
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let Some(da) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let l = cx.residual(primals[0])?;
    let t = cx.t();
    let complex = t.ty(da).dtype.is_complex();
    let h = from_lower(t, da)?;
    let left = Triangular { left: true, lower: true, transpose: false, conj: false, unit: false };
    let x = solve(t, l, h, left)?;
    let x = solve(t, l, x, Triangular { left: false, transpose: true, conj: complex, ..left })?;
    let low = t.emit1(NewOp::new(&TRIL, &[x]).attr("k", Attr::Int(-1)))?;
    let d = diagonal(t, x)?;
    let half = t.like(d, 0.5)?;
    let d = t.mul(half, d)?;
    let d = t.emit1(NewOp::new(&EMBED_DIAG, &[d]))?;
    let phi = t.add(low, d)?;
    let dl = mm(t, l, phi)?;
    cx.set_tangent(op.results[0], Some(dl))
}

/// Factors of `b · bᴴ + n`, which is positive definite.
fn programs(cx: &SampleCx, shapes: &[&[usize]]) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let one = |shape: &&[usize]| {
        cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
            let gram = mh(b, x[0], x[0])?;
            let line = b.ty(gram).without(&[0]);
            let d = b.splat(&line, shape[0] as f64)?;
            let d = b.emit1(NewOp::new(&EMBED_DIAG, &[d]))?;
            let a = b.add(gram, d)?;
            b.emit(NewOp::new(cx.def, &[a]))
        })
    };
    shapes.iter().map(one).collect()
}
/// Larger ones, and many.
fn hard(cx: &SampleCx) -> Result<Vec<Sample>> {
    programs(cx, &[&[17, 17], &[40, 40], &[4, 4, 3, 5]])
}
