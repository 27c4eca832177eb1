//! Singular value decomposition: `a = u · diag(s) · vt`, `u` of `m × k`, `s` of `k × 1`, `vt` of `k × n`; values descend, and
//! the entry of largest modulus in each column of `u` is real and positive.
use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::svd::{self, ComputeSvdVectors, SvdParams};
use faer::linalg::{temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Auto, MatMut, MatRef, Par, Spec};
use tfc_ir::{Attrs, OpDef, ops};

use super::factorisation::{Factorisation, Own};
use super::lanes::{self, Block, Lane};
use super::matrix::{Entry, In, Out};
use super::parts::{finite, phase, rescale, turn_column};
use super::real::{self, Real};
use super::{Failed, Field, jacobi};

/// `linalg.svd`.
#[derive(Debug)]
pub(super) struct Svd;
impl Factorisation for Svd {
    const ROW: &'static OpDef = &ops::linalg::SVD;
    fn of(_: &Attrs) -> Svd {
        Svd
    }
    fn scratch<T: Field>(m: usize, n: usize) -> StackReq {
        scratch::<T>(m, n)
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [u, s, vt]) = (ins, outs) else { return Err(Failed) };
        thin::<T>(a.typed()?, u.typed()?, s.typed()?, vt.typed()?, stack)
    }
    fn own<E: Real + Entry>() -> Option<Own> {
        let run = |ins: &[In], outs: &mut [Out], stack: &mut MemStack| {
            let ([a], [u, s, vt]) = (ins, outs) else { return Err(Failed) };
            real::svd::thin::<E>(E::kernels(), a.typed()?, u.typed()?, s.typed()?, vt.typed()?, stack)
        };
        Some(Own { scratch: |m, n| real::svd::scratch::<E>(m, n, true, true), run })
    }
    fn sure_scratch(m: usize, n: usize) -> StackReq {
        jacobi::svd_scratch(m, n)
    }
    fn sure<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [u, s, vt]) = (ins, outs) else { return Err(Failed) };
        let (a, mut u, mut vt) = (a.typed::<T>()?, u.typed()?, vt.typed()?);
        if !finite(a) {
            return Err(Failed);
        }
        jacobi::svd(a, u.rb_mut(), s.typed()?, vt.rb_mut(), stack)?;
        for j in 0..u.ncols() {
            if let Some((re, im)) = phase(u.rb(), j) {
                turn_column(u.rb_mut(), j, (re, im));
                turn_column(vt.rb_mut().transpose_mut(), j, (re, -im));
            }
        }
        Ok(())
    }
    fn lanes<E: Lane>(&self) -> Option<Box<dyn Block>> {
        lanes::block::<_, E>(lanes::Svd)
    }
}

fn params<T: Field>() -> Spec<SvdParams, T> {
    Spec::new(Auto::<T>::auto())
}
fn scratch<T: Field>(m: usize, n: usize) -> StackReq {
    let k = m.min(n);
    let thin = ComputeSvdVectors::Thin;
    StackReq::all_of(&[
        temp_mat_scratch::<T>(m, n),
        temp_mat_scratch::<T>(m, k),
        temp_mat_scratch::<T>(n, k),
        temp_mat_scratch::<T>(k, 1),
        svd::svd_scratch::<T>(m, n, thin, thin, Par::Seq, params::<T>()),
    ])
}
fn thin<T: Field>(
    a: MatRef<T>,
    mut u: MatMut<T>,
    mut s: MatMut<T::Part>,
    mut vt: MatMut<T>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
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
    svd::svd(copy.rb(), diag, Some(left.rb_mut()), Some(v.rb_mut()), Par::Seq, stack, params::<T>())
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
