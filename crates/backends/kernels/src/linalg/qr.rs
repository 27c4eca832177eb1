//! QR factorisations, without and with column pivoting: `a = q · r` (`a[:, p] = q · r`), `q` of `m × k`, `r` of `k × n`, `p` of
//! `n × 1`; the diagonal of `r` is real and not negative.
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::householder;
use faer::linalg::qr::{col_pivoting, no_pivoting};
use faer::linalg::{temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Auto, Conj, MatMut, MatRef, Par, Spec};
use tfc_ir::{Attrs, OpDef, ops};

use super::factorisation::{Factorisation, Own};
use super::lanes::{self, Block, Lane};
use super::matrix::{Entry, In, Out};
use super::parts::{finite, rescale};
use super::real::{self, Real};
use super::{Failed, Field};

/// `linalg.qr`.
#[derive(Debug)]
pub(super) struct Qr;
impl Factorisation for Qr {
    const ROW: &'static OpDef = &ops::linalg::QR;
    fn of(_: &Attrs) -> Qr {
        Qr
    }
    fn scratch<T: Field>(m: usize, n: usize) -> StackReq {
        scratch::<T>(m, n)
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [q, r]) = (ins, outs) else { return Err(Failed) };
        thin::<T>(a.typed()?, q.typed()?, r.typed()?, None, stack)
    }
    fn own<E: Real + Entry>() -> Option<Own> {
        let run = |ins: &[In], outs: &mut [Out], stack: &mut MemStack| {
            let ([a], [q, r]) = (ins, outs) else { return Err(Failed) };
            real::qr::thin::<E>(E::kernels(), a.typed()?, q.typed()?, r.typed()?, stack)
        };
        Some(Own { scratch: real::qr::scratch::<E>, run })
    }
    fn lanes<E: Lane>(&self) -> Option<Box<dyn Block>> {
        lanes::block::<_, E>(lanes::Qr)
    }
}
/// `linalg.qr_pivoted`.
#[derive(Debug)]
pub(super) struct QrPivoted;
impl Factorisation for QrPivoted {
    const ROW: &'static OpDef = &ops::linalg::QR_PIVOTED;
    fn of(_: &Attrs) -> QrPivoted {
        QrPivoted
    }
    fn scratch<T: Field>(m: usize, n: usize) -> StackReq {
        scratch::<T>(m, n)
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [q, r, p]) = (ins, outs) else { return Err(Failed) };
        thin::<T>(a.typed()?, q.typed()?, r.typed()?, Some(p.typed()?), stack)
    }
}

fn householder_scratch<T: Field>(m: usize, block: usize, k: usize) -> StackReq {
    householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(m, block, k)
}
fn scratch<T: Field>(m: usize, n: usize) -> StackReq {
    let (k, block) = (m.min(n), no_pivoting::factor::recommended_block_size::<T>(m, n));
    StackReq::all_of(&[
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
    ])
}
fn thin<T: Field>(
    a: MatRef<T>,
    mut q: MatMut<T>,
    mut r: MatMut<T>,
    p: Option<MatMut<i64>>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
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
