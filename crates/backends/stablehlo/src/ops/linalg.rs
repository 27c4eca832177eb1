//! Linear algebra. Matrices are the two leading axes here and the two last ones there.
use tfc_ir::Result;
use tfc_ir::ops::linalg as l;

use super::Rows;
use super::shape::diagonal_mask;
use crate::cx::Cx;
use crate::table::Spelling::{By, Refused};
use crate::writer::{Val, Writer};

pub(super) const ROWS: Rows = &[
    (&l::CHOLESKY, By(cholesky)),
    (&l::TRIANGULAR_SOLVE, By(triangular_solve)),
    (&l::LU_FACTOR, Refused(LATER)),
    (&l::QR, Refused(LATER)),
    (&l::QR_FACTOR, Refused(LATER)),
    (&l::QR_PIVOTED, Refused(LATER)),
    (&l::EIGH, Refused(LATER)),
    (&l::SVD, Refused(LATER)),
    (&l::TRIDIAGONAL_SOLVE, Refused(LATER)),
    (&l::HESSENBERG, Refused(GENERAL)),
    (&l::SCHUR, Refused(GENERAL)),
    (&l::EIG, Refused(GENERAL)),
];
const LATER: &str = "StableHLO has no such factorisation, and loops for it are not written yet";
const GENERAL: &str = "eigenvalues of general matrices need iterations that are not written as loops";

/// The two leading axes become the last ones.
pub(super) fn last(w: &mut Writer, x: &Val) -> Val {
    let perm: Vec<usize> = (2..x.rank()).chain(0..2).collect();
    w.transpose(x, &perm)
}
/// The two last axes become the leading ones.
pub(super) fn first(w: &mut Writer, x: &Val) -> Val {
    let n = x.rank();
    let perm: Vec<usize> = (n.saturating_sub(2)..n).chain(0..n.saturating_sub(2)).collect();
    w.transpose(x, &perm)
}
/// What stands above the diagonal is not said by StableHLO, and 0 here.
fn cholesky(cx: &mut Cx) -> Result<Vec<Val>> {
    let a = cx.arg(0)?;
    if a.ty.is_empty() {
        return Ok(vec![a]);
    }
    let b = last(cx, &a);
    let l = cx.emit(b.ty.clone(), format_args!("stablehlo.cholesky {b}, lower = true : {}", b.ty));
    let l = first(cx, &l);
    let (mask, zero) = (diagonal_mask(cx, l.dims(), "LE", 0)?, cx.splat(&l.ty, 0.0)?);
    Ok(vec![cx.select(&mask, &l, &zero)])
}
fn triangular_solve(cx: &mut Cx) -> Result<Vec<Val>> {
    let (a, b) = (cx.arg(0)?, cx.arg(1)?);
    if a.ty.is_empty() || b.ty.is_empty() {
        return Ok(vec![b]);
    }
    let t = l::Triangular::of(cx.attrs());
    let how = match cx.attrs().word("transpose") {
        Some("transpose") => "TRANSPOSE",
        Some("adjoint") => "ADJOINT",
        _ => "NO_TRANSPOSE",
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
