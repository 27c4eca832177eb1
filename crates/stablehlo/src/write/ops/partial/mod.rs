//! How rows treat axes of which only a beginning counts, as long as values say: see [`Partial`]. Elementwise rows need no line.
mod index;
mod shape;

use tfc_ir::ops::contract::{DOT_GENERAL, DotDims};
use tfc_ir::ops::control as c;
use tfc_ir::ops::fused::FUSED;
use tfc_ir::ops::{
    constant as k, extents as x, fft as ft, index as i, linalg as l, order as o, reduce as r, shape as s,
};
use tfc_ir::{Attr, OpDef, Result};

use super::control;
use super::{checks, order};
use crate::write::cx::Cx;
use crate::write::partial::{counting, neutral, refit};
use crate::write::table::Partial::{self, Alone, By, Exact, Filled};
use crate::write::table::{Fill, Neutral};
use crate::write::writer::Val;

pub(crate) const PARTIAL: &[(&OpDef, Partial)] = &[
    (&k::CONST, Alone),
    (&k::IOTA, Alone),
    (&s::TRANSPOSE, Alone),
    (&s::BROADCAST_IN_DIM, By(shape::broadcast)),
    (&s::RESHAPE, By(shape::reshape)),
    (&s::SLICE, By(shape::slice)),
    (&s::PAD, By(shape::pad)),
    (&s::CONCAT, By(shape::concat)),
    (&s::REVERSE, By(shape::reverse)),
    (&s::DYNAMIC_SLICE, By(shape::dynamic_slice)),
    (&s::DYNAMIC_UPDATE_SLICE, By(shape::dynamic_update_slice)),
    // What stands behind the operand is zero.
    (&s::TAKE_PREFIX, Filled(everywhere)),
    (&s::PAD_SUFFIX, Filled(everywhere)),
    (&s::TRIL, Alone),
    (&s::TRIU, Alone),
    (&s::EXTRACT_DIAG, Alone),
    (&s::EMBED_DIAG, Alone),
    (&s::WINDOWS, Alone),
    (&s::OVERLAP_ADD, Filled(everywhere)),
    (&i::GATHER, By(index::gather)),
    (&i::SCATTER, By(index::scatter)),
    (&r::REDUCE_SUM, Filled(|cx, _| folded(cx, Neutral::Zero))),
    (&r::REDUCE_PROD, Filled(|cx, _| folded(cx, Neutral::One))),
    (&r::REDUCE_MAX, Filled(|cx, _| folded(cx, Neutral::Least))),
    (&r::REDUCE_MIN, Filled(|cx, _| folded(cx, Neutral::Greatest))),
    (&r::REDUCE_AND, Filled(|cx, _| folded(cx, Neutral::Ones))),
    (&r::REDUCE_OR, Filled(|cx, _| folded(cx, Neutral::Zero))),
    (&r::REDUCE_XOR, Filled(|cx, _| folded(cx, Neutral::Zero))),
    (&r::ARGMAX, Filled(|cx, _| placed(cx, Neutral::Least))),
    (&r::ARGMIN, Filled(|cx, _| placed(cx, Neutral::Greatest))),
    (&o::CUMSUM, Filled(|cx, _| running(cx, Neutral::Zero))),
    (&o::CUMPROD, Filled(|cx, _| running(cx, Neutral::One))),
    (&o::CUMMAX, Filled(|cx, _| running(cx, Neutral::Least))),
    (&o::CUMMIN, Filled(|cx, _| running(cx, Neutral::Greatest))),
    (&o::CUMLOGSUMEXP, Filled(|cx, _| running(cx, Neutral::Least))),
    (&o::SORT, By(order::sorted)),
    (&DOT_GENERAL, By(dot)),
    (&c::CALL, By(control::call)),
    (&c::CHECKPOINT, By(control::call)),
    (&c::STOP_GRADIENT, Alone),
    (&c::COND, By(control::cond)),
    (&c::SWITCH, By(control::switch)),
    (&c::SCAN, By(control::scan)),
    (&c::WHILE, By(control::repeat)),
    (&FUSED, Alone),
    (&x::DIM_VALUE, By(checks::value)),
    (&x::EXTENT, By(checks::bind)),
    (&x::GUARD, By(checks::guard)),
    (&x::CHECK, Filled(|cx, i| Fill { axes: all(cx, i), with: Neutral::Ones })),
    (&x::CHECK_EQUAL, Filled(everywhere)),
    (&x::CHECK_CLOSE, Filled(everywhere)),
    (&x::PRINT, Exact(all)),
    (&ft::FFT, Exact(transformed)),
    (&ft::IFFT, Exact(transformed)),
    (&ft::RFFT, Exact(transformed)),
    (&ft::IRFFT, Exact(transformed)),
    (&l::CHOLESKY, Filled(|_, _| matrix(Neutral::Identity))),
    (&l::LU_FACTOR, Filled(|_, _| matrix(Neutral::Identity))),
    (&l::TRIANGULAR_SOLVE, Filled(|_, i| matrix(if i == 0 { Neutral::Identity } else { Neutral::Zero }))),
    // Rows and columns of zeros come last, among singular values too, and reflections leave them where they are.
    (&l::QR, Filled(everywhere)),
    (&l::QR_FACTOR, Filled(everywhere)),
    (&l::SVD, Filled(everywhere)),
    (&l::QR_PIVOTED, Filled(everywhere)),
    (&l::EIGH, By(eigh)),
    (&l::TRIDIAGONAL_SOLVE, Exact(|_, _| vec![0])),
    (&l::HESSENBERG, Exact(|_, _| vec![0, 1])),
    (&l::SCHUR, Exact(|_, _| vec![0, 1])),
    (&l::EIG, Exact(|_, _| vec![0, 1])),
    (&l::SQRTM, Exact(|_, _| vec![0, 1])),
    (&l::LOGM, Exact(|_, _| vec![0, 1])),
];

fn all(cx: &Cx, i: usize) -> Vec<usize> {
    (0..cx.args().get(i).map_or(0, Val::rank)).collect()
}
fn everywhere(cx: &Cx, i: usize) -> Fill {
    Fill { axes: all(cx, i), with: Neutral::Zero }
}
fn matrix(with: Neutral) -> Fill {
    Fill { axes: vec![0, 1], with }
}
fn folded(cx: &Cx, with: Neutral) -> Fill {
    Fill { axes: cx.attrs().indices("axes"), with }
}
fn placed(cx: &Cx, with: Neutral) -> Fill {
    Fill { axes: cx.attrs().indices("axis"), with }
}
/// From the front on, nothing that does not count has been met.
fn running(cx: &Cx, with: Neutral) -> Fill {
    let back = cx.attrs().get("reverse") == Some(&Attr::Bool(true));
    Fill { axes: if back { cx.attrs().indices("axis") } else { vec![] }, with }
}
fn transformed(cx: &Cx, _: usize) -> Vec<usize> {
    cx.attrs().indices("axes")
}
/// Eigenvalues of what does not count come last: they are zero where moduli descend, else greater than all others.
fn eigh(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, open) = (cx.arg(0)?, cx.open_of(0)?);
    let mut filled = neutral(cx, &x, &open, Neutral::Zero)?;
    let matrix: Vec<(usize, Val)> = open.into_iter().filter(|(a, _)| *a < 2).collect();
    if cx.attrs().word("order") != Some("modulus") && !x.ty.is_empty() {
        let size = filled.ty.with(x.dtype().real());
        let size = cx.to("abs", &filled, size);
        // No eigenvalue is greater than the sum of all moduli.
        let all = cx.sum(&size, &[0, 1])?;
        let more = cx.bin("add", &all, &all);
        let more = cx.convert(&more, x.dtype());
        let axes: Vec<usize> = (2..x.rank()).collect();
        let more = cx.broadcast(&more, &axes, &x.ty);
        let dims = x.dims().to_vec();
        if let Some(counts) = counting(cx, &dims, &matrix) {
            let on = super::diagonal_mask(cx, &dims, "EQ", 0)?;
            let off = cx.un("not", &counts);
            let put = cx.bin("and", &on, &off);
            filled = cx.select(&put, &more, &filled);
        }
    }
    if let Some(slot) = cx.args.first_mut() {
        *slot = filled;
    }
    super::linalg::eigh(cx)
}
/// Axes that meet may be known to be equal without having one bound: they are as long as the shorter one can get.
fn dot(cx: &mut Cx) -> Result<Vec<Val>> {
    let d = DotDims::of(cx.attrs())?;
    let mut args = cx.args().to_vec();
    for k in 0..2 {
        let mut open = cx.open_of(k)?;
        open.retain(|(a, _)| d.contract[k].contains(a));
        if let Some(x) = args.get_mut(k) {
            *x = neutral(cx, x, &open, Neutral::Zero)?;
        }
    }
    if let [x, y] = args.as_mut_slice() {
        let (mut p, mut q) = (x.dims().to_vec(), y.dims().to_vec());
        for (axes, others) in [(&d.batch[0], &d.batch[1]), (&d.contract[0], &d.contract[1])] {
            for (&a, &b) in axes.iter().zip(others) {
                if let (Some(m), Some(n)) = (p.get_mut(a), q.get_mut(b)) {
                    let least = (*m).min(*n);
                    (*m, *n) = (least, least);
                }
            }
        }
        (*x, *y) = (refit(cx, x, &p)?, refit(cx, y, &q)?);
    }
    cx.args = args;
    super::contract::dot(cx)
}
