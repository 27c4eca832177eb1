//! The factorisations themselves: calls of faer's low-level functions in memory that the caller provides.
use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::linalg::qr::{col_pivoting, no_pivoting};
use faer::linalg::svd::{self, ComputeSvdVectors};
use faer::linalg::{householder, triangular_solve as solve};
use faer::linalg::{temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Auto, Conj, MatMut, MatRef, Par, Spec};
use tfc_ir::ops::linalg::{LEADING, Triangular};

use super::{Failed, Field};

/// Is every element finite?
fn finite<T: Field>(a: MatRef<T>) -> bool {
    (0..a.ncols()).all(|j| {
        (0..a.nrows()).all(|i| {
            let (x, y) = a[(i, j)].parts();
            x.is_finite() && y.is_finite()
        })
    })
}
/// Scales a matrix of very large or small numbers by a power of 2; gives what undoes it.
fn rescale<T: Field>(mut a: MatMut<T>) -> f64 {
    let mut top = 0.0f64;
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            let (x, y) = a[(i, j)].parts();
            top = top.max(x.abs()).max(y.abs());
        }
    }
    if top == 0.0 || (T::RANGE.0..=T::RANGE.1).contains(&top) {
        return 1.0;
    }
    // Not the whole way from a subnormal number: its reciprocal overflows.
    let e = top.log2().floor().clamp(-1000.0, 1000.0);
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            a[(i, j)] = a[(i, j)].scaled((-e).exp2());
        }
    }
    e.exp2()
}
/// The factor of modulus 1 that makes the entry of largest modulus in column `j` real and positive: the first that is
/// within a thousandth of the largest, so that rounding does not choose between equal ones. `None`: it is so already.
fn phase<T: Field>(u: MatRef<T>, j: usize) -> Option<(f64, f64)> {
    let top = (0..u.nrows()).fold(0.0f64, |t, i| t.max(u[(i, j)].modulus()));
    let i = (0..u.nrows()).find(|&i| u[(i, j)].modulus() >= LEADING * top)?;
    let (re, im) = u[(i, j)].parts();
    let size = u[(i, j)].modulus();
    if size == 0.0 || (im == 0.0 && re > 0.0) { None } else { Some((re / size, -im / size)) }
}
fn turn_column<T: Field>(mut u: MatMut<T>, j: usize, (re, im): (f64, f64)) {
    for i in 0..u.nrows() {
        u[(i, j)] = u[(i, j)].turned(re, im);
    }
}

fn svd_params<T: Field>() -> Spec<svd::SvdParams, T> {
    Spec::new(Auto::<T>::auto())
}
pub(super) fn svd_scratch<T: Field>(m: usize, n: usize) -> StackReq {
    if let Some(own) = T::own() {
        return (own.svd_scratch)(m, n);
    }
    let k = m.min(n);
    let thin = ComputeSvdVectors::Thin;
    StackReq::all_of(&[
        temp_mat_scratch::<T>(m, n),
        temp_mat_scratch::<T>(m, k),
        temp_mat_scratch::<T>(n, k),
        temp_mat_scratch::<T>(k, 1),
        svd::svd_scratch::<T>(m, n, thin, thin, Par::Seq, svd_params::<T>()),
    ])
}
pub(super) fn svd<T: Field>(
    a: MatRef<T>,
    mut u: MatMut<T>,
    mut s: MatMut<T::Part>,
    mut vt: MatMut<T>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    if let Some(own) = T::own() {
        return (own.svd)(a, u, s, vt, stack);
    }
    let (m, n) = a.shape();
    let k = m.min(n);
    if !finite(a) {
        return Err(Failed);
    }
    if k == 0 {
        return Ok(());
    }
    let (mut copy, stack) = temp_mat_zeroed::<T, _, _>(m, n, stack);
    let mut copy = copy.as_mat_mut();
    copy.copy_from(a);
    let undo = rescale(copy.rb_mut());
    let (mut left, stack) = temp_mat_zeroed::<T, _, _>(m, k, stack);
    let mut left = left.as_mat_mut();
    let (mut v, stack) = temp_mat_zeroed::<T, _, _>(n, k, stack);
    let mut v = v.as_mat_mut();
    let (mut values, stack) = temp_mat_zeroed::<T, _, _>(k, 1, stack);
    let mut values = values.as_mat_mut();
    let diag: DiagMut<T> = values.rb_mut().col_mut(0).as_diagonal_mut();
    svd::svd(copy.rb(), diag, Some(left.rb_mut()), Some(v.rb_mut()), Par::Seq, stack, svd_params::<T>())
        .map_err(|_| Failed)?;
    for j in 0..k {
        if let Some(p) = phase(left.rb(), j) {
            turn_column(left.rb_mut(), j, p);
            turn_column(v.rb_mut(), j, p);
        }
        s[(j, 0)] = values[(j, 0)].part(undo);
        for i in 0..m {
            u[(i, j)] = left[(i, j)];
        }
        for i in 0..n {
            vt[(j, i)] = v[(i, j)].conjugate();
        }
    }
    Ok(())
}

fn householder_scratch<T: Field>(m: usize, block: usize, k: usize) -> StackReq {
    householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(m, block, k)
}
pub(super) fn qr_scratch<T: Field>(m: usize, n: usize) -> StackReq {
    let (k, block) = (m.min(n), no_pivoting::factor::recommended_block_size::<T>(m, n));
    let library = StackReq::all_of(&[
        temp_mat_scratch::<T>(m, n),
        temp_mat_scratch::<T>(block, k),
        temp_mat_scratch::<T>(m, k),
        StackReq::new::<usize>(n),
        StackReq::new::<usize>(n),
        StackReq::any_of(&[
            no_pivoting::factor::qr_in_place_scratch::<T>(m, n, block, Par::Seq, Spec::new(Auto::<T>::auto())),
            col_pivoting::factor::qr_in_place_scratch::<usize, T>(m, n, block, Par::Seq, Spec::new(Auto::<T>::auto())),
            householder_scratch::<T>(m, block, k),
        ]),
    ]);
    match T::own() {
        Some(own) => library.or((own.qr_scratch)(m, n)),
        None => library,
    }
}
pub(super) fn qr<T: Field>(
    a: MatRef<T>,
    mut q: MatMut<T>,
    mut r: MatMut<T>,
    p: Option<MatMut<i64>>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    if let (Some(own), None) = (T::own(), &p) {
        return (own.qr)(a, q, r, stack);
    }
    let (m, n) = a.shape();
    let k = m.min(n);
    if !finite(a) {
        return Err(Failed);
    }
    let mut p = p;
    if k == 0 {
        for j in 0..p.as_ref().map_or(0, |p| p.nrows()) {
            if let Some(p) = &mut p {
                p[(j, 0)] = j as i64;
            }
        }
        return Ok(());
    }
    let (mut perm, stack) = stack.make_with(n, |i| i);
    let (mut back, stack) = stack.make_with(n, |i| i);
    // Pivoting scales by the largest column: there is none in a matrix of zeros, whose factors need no work.
    let nothing = (0..n).all(|j| (0..m).all(|i| a[(i, j)].modulus() == 0.0));
    let (mut copy, stack) = temp_mat_zeroed::<T, _, _>(m, n, stack);
    let mut copy = copy.as_mat_mut();
    copy.copy_from(a);
    let undo = rescale(copy.rb_mut());
    let block = no_pivoting::factor::recommended_block_size::<T>(m, n);
    let (mut coef, stack) = temp_mat_zeroed::<T, _, _>(block, k, stack);
    let mut coef = coef.as_mat_mut();
    let (mut full, stack) = temp_mat_zeroed::<T, _, _>(m, k, stack);
    let mut full = full.as_mat_mut();
    for j in 0..k {
        full[(j, j)] = T::one_impl();
    }
    if !nothing {
        let (c, h) = (copy.rb_mut(), coef.rb_mut());
        if p.is_some() {
            let params = Spec::new(Auto::<T>::auto());
            col_pivoting::factor::qr_in_place(c, h, &mut perm, &mut back, Par::Seq, stack, params);
        } else {
            no_pivoting::factor::qr_in_place(c, h, Par::Seq, stack, Spec::new(Auto::<T>::auto()));
        }
        householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
            copy.rb().submatrix(0, 0, m, k),
            coef.rb(),
            Conj::No,
            full.rb_mut(),
            Par::Seq,
            stack,
        );
    }
    for i in 0..k {
        // `r_ii = |r_ii| e^{iφ}`: the phase moves from row `i` of `r` to column `i` of `q`.
        let (re, im) = copy[(i, i)].parts();
        let size = copy[(i, i)].modulus();
        let turn = size > 0.0 && !(im == 0.0 && re > 0.0);
        let (re, im) = if turn { (re / size, im / size) } else { (1.0, 0.0) };
        for j in 0..n {
            let x = if j < i { T::zero_impl() } else { copy[(i, j)].scaled(undo) };
            r[(i, j)] = if turn && j >= i { x.turned(re, -im) } else { x };
        }
        if turn {
            r[(i, i)] = T::from_f64_impl(size).scaled(undo);
        }
        for j in 0..m {
            q[(j, i)] = if turn { full[(j, i)].turned(re, im) } else { full[(j, i)] };
        }
    }
    if let Some(p) = &mut p {
        for (j, &c) in perm.iter().enumerate() {
            p[(j, 0)] = c as i64;
        }
    }
    Ok(())
}

pub(super) fn eigh_scratch<T: Field>(n: usize) -> StackReq {
    let params = Spec::new(Auto::<T>::auto());
    StackReq::all_of(&[
        temp_mat_scratch::<T>(n, n),
        temp_mat_scratch::<T>(n, n),
        temp_mat_scratch::<T>(n, 1),
        StackReq::new::<usize>(n),
        evd::self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, Par::Seq, params),
    ])
}
pub(super) fn eigh<T: Field>(
    a: MatRef<T>,
    mut w: MatMut<T::Part>,
    mut v: MatMut<T>,
    by_modulus: bool,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    let n = a.nrows();
    if !finite(a) {
        return Err(Failed);
    }
    if n == 0 {
        return Ok(());
    }
    let (mut copy, stack) = temp_mat_zeroed::<T, _, _>(n, n, stack);
    let mut copy = copy.as_mat_mut();
    for j in 0..n {
        for i in j..n {
            copy[(i, j)] = T::mean(a[(i, j)], a[(j, i)].conjugate());
        }
    }
    let undo = rescale(copy.rb_mut());
    let (mut vectors, stack) = temp_mat_zeroed::<T, _, _>(n, n, stack);
    let mut vectors = vectors.as_mat_mut();
    let (mut values, stack) = temp_mat_zeroed::<T, _, _>(n, 1, stack);
    let mut values = values.as_mat_mut();
    let (mut order, stack) = stack.make_with(n, |i| i);
    let diag: DiagMut<T> = values.rb_mut().col_mut(0).as_diagonal_mut();
    let params = Spec::new(Auto::<T>::auto());
    evd::self_adjoint_evd(copy.rb(), diag, Some(vectors.rb_mut()), Par::Seq, stack, params).map_err(|_| Failed)?;
    if by_modulus {
        // Ascending before: of two equal ones the positive comes first when the order is turned round.
        order.reverse();
        order.sort_by(|&i, &j| values[(j, 0)].modulus().total_cmp(&values[(i, 0)].modulus()));
    }
    for (to, &from) in order.iter().enumerate() {
        if let Some(p) = phase(vectors.rb(), from) {
            turn_column(vectors.rb_mut(), from, p);
        }
        w[(to, 0)] = values[(from, 0)].part(undo);
        for i in 0..n {
            v[(i, to)] = vectors[(i, from)];
        }
    }
    Ok(())
}

pub(super) fn triangular_solve<T: Field>(a: MatRef<T>, b: MatRef<T>, mut x: MatMut<T>, t: Triangular) {
    for j in 0..b.ncols() {
        for i in 0..b.nrows() {
            x[(i, j)] = b[(i, j)];
        }
    }
    // `x · op(a) = b` is `op(a)ᵀ · xᵀ = bᵀ`.
    let (x, transpose) = if t.left { (x, t.transpose) } else { (x.transpose_mut(), !t.transpose) };
    let (a, lower) = if transpose { (a.transpose(), !t.lower) } else { (a, t.lower) };
    let conj = if t.conj { Conj::Yes } else { Conj::No };
    match (lower, t.unit) {
        (true, false) => solve::solve_lower_triangular_in_place_with_conj(a, conj, x, Par::Seq),
        (true, true) => solve::solve_unit_lower_triangular_in_place_with_conj(a, conj, x, Par::Seq),
        (false, false) => solve::solve_upper_triangular_in_place_with_conj(a, conj, x, Par::Seq),
        (false, true) => solve::solve_unit_upper_triangular_in_place_with_conj(a, conj, x, Par::Seq),
    }
}
