//! Linear algebra. Matrices are the two leading axes here and the two last ones there. StableHLO has Cholesky's factorisation
//! and triangular systems; all others are loops of its ops, for whole batches at once. A matrix that cannot be factored gives
//! NaN, whatever `on_fail` says: an export without results for checks has no other way to say so.
mod batch;
mod general;
mod jacobi;
mod lu;
mod qr;
mod scalar;
mod schur;
mod tridiagonal;

pub(super) use jacobi::eigh;
use tfc_ir::ops::linalg as l;
use tfc_ir::{DType, Result};

use super::Rows;
use crate::write::cx::Cx;
use crate::write::table::Spelling::By;
use crate::write::writer::{Val, Writer};

pub(super) const ROWS: Rows = &[
    (&l::CHOLESKY, By(cholesky)),
    (&l::TRIANGULAR_SOLVE, By(triangular_solve)),
    (&l::LU_FACTOR, By(lu::lu_factor)),
    (&l::QR, By(|cx| qr::qr(cx, false))),
    (&l::QR_PIVOTED, By(|cx| qr::qr(cx, true))),
    (&l::QR_FACTOR, By(qr::qr_factor)),
    (&l::EIGH, By(jacobi::eigh)),
    (&l::SVD, By(jacobi::svd)),
    (&l::TRIDIAGONAL_SOLVE, By(tridiagonal::solve)),
    (&l::HESSENBERG, By(schur::hessenberg)),
    (&l::SCHUR, By(schur::schur)),
    (&l::EIG, By(general::eig)),
    (&l::SQRTM, By(general::sqrtm)),
    (&l::LOGM, By(general::logm)),
];

/// The two leading axes become the last ones.
fn last(w: &mut Writer, x: &Val) -> Val {
    let perm: Vec<usize> = (2..x.rank()).chain(0..2).collect();
    w.transpose(x, &perm)
}
/// The two last axes become the leading ones.
fn first(w: &mut Writer, x: &Val) -> Val {
    let n = x.rank();
    let perm: Vec<usize> = (n.saturating_sub(2)..n).chain(0..n.saturating_sub(2)).collect();
    w.transpose(x, &perm)
}
/// What stands above the diagonal is not said by StableHLO, and 0 here. A matrix without a factor is NaN everywhere.
fn cholesky(cx: &mut Cx) -> Result<Vec<Val>> {
    let a = cx.arg(0)?;
    if a.ty.is_empty() {
        return Ok(vec![a]);
    }
    let (batch, b) = batch::Batch::of(cx, &a, 2);
    let l = cx.emit(b.ty.clone(), format_args!("stablehlo.cholesky {b}, lower = true : {}", b.ty));
    let numbers = l.ty.with(DType::I64);
    let (i, j) = (cx.iota(&numbers, 1), cx.iota(&numbers, 2));
    let lower = cx.compare("GE", &i, &j);
    let l = batch::keep(cx, &lower, &l)?;
    let ok = batch::finite(cx, &l)?;
    let l = batch::or_nan(cx, &ok, &l)?;
    Ok(vec![batch.back(cx, &l)])
}
fn triangular_solve(cx: &mut Cx) -> Result<Vec<Val>> {
    let (a, b) = (cx.arg(0)?, cx.arg(1)?);
    if a.ty.is_empty() || b.ty.is_empty() {
        return Ok(vec![b]);
    }
    let t = l::Triangular::of(cx.attrs());
    let how = match (t.transpose, t.conj) {
        (false, _) => "NO_TRANSPOSE",
        (true, false) => "TRANSPOSE",
        (true, true) => "ADJOINT",
    };
    let (a, b) = (last(cx, &a), last(cx, &b));
    let attrs = format!(
        "left_side = {}, lower = {}, transpose_a = #stablehlo<transpose {how}>, unit_diagonal = {}",
        t.left, t.lower, t.unit
    );
    let ty = b.ty.clone();
    let x = cx.generic("triangular_solve", &[a, b], &attrs, &[], &[ty]);
    x.into_iter().map(|x| Ok(first(cx, &x))).collect()
}
