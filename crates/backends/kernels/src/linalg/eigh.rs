//! Eigenvalues `w` (`n × 1`) and vectors of the Hermitian part of a matrix, ascending or by descending modulus; the entry of
//! largest modulus in each vector is real and positive.
use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::tridiag;
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::linalg::householder;
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::linalg::{temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Auto, Conj, MatMut, MatRef, Par, Spec};
use tfc_ir::{Attrs, C64, OpDef, ops};

use super::factorisation::Factorisation;
use super::lanes::{self, Block, Lane};
use super::matrix::{In, Out};
use super::parts::{finite, phase, rescale, turn_column};
use super::{Failed, Field, jacobi};

/// `linalg.eigh`.
#[derive(Debug)]
pub(super) struct Eigh {
    by_modulus: bool,
}
impl Factorisation for Eigh {
    const ROW: &'static OpDef = &ops::linalg::EIGH;
    fn of(attrs: &Attrs) -> Eigh {
        Eigh { by_modulus: attrs.word("order") == Some("modulus") }
    }
    fn scratch<T: Field>(_: usize, n: usize) -> StackReq {
        scratch::<T>(n)
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        self.share::<T>(ins, outs, Par::Seq, stack)
    }
    fn share<T: Field>(&self, ins: &[In], outs: &mut [Out], par: Par, stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [w, v]) = (ins, outs) else { return Err(Failed) };
        let way: Way<T> = &|a, w, v, stack| usual(a, w, v, par, stack);
        decompose::<T>(a.typed()?, w.typed()?, v.typed()?, (self.by_modulus, way), stack)
    }
    fn sure_scratch(_: usize, n: usize) -> StackReq {
        own_scratch::<C64>(n).and(jacobi::eigh_scratch(n))
    }
    fn sure<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [w, v]) = (ins, outs) else { return Err(Failed) };
        decompose::<T>(a.typed()?, w.typed()?, v.typed()?, (self.by_modulus, &jacobi::eigh), stack)
    }
    fn lanes<E: Lane>(&self) -> Option<Box<dyn Block>> {
        lanes::block::<_, E>(lanes::Eigh { by_modulus: self.by_modulus })
    }
}

/// Memory beside that of the way by which it is done.
fn own_scratch<T: Field>(n: usize) -> StackReq {
    StackReq::all_of(&[
        temp_mat_scratch::<T>(n, n),
        temp_mat_scratch::<T>(n, n),
        temp_mat_scratch::<T>(n, 1),
        StackReq::new::<usize>(n),
    ])
}
fn scratch<T: Field>(n: usize) -> StackReq {
    let params = Spec::new(Auto::<T>::auto());
    own_scratch::<T>(n).and(temp_mat_scratch::<T>(n, 1)).and(evd::self_adjoint_evd_scratch::<T>(
        n,
        ComputeEigenvectors::Yes,
        Par::Seq,
        params,
    ))
}
/// Ascending values, and vectors, of a Hermitian matrix whose lower triangle is read.
type Way<'a, T> = &'a dyn Fn(MatRef<T>, MatMut<T>, MatMut<T>, &mut MemStack) -> Result<(), Failed>;
/// By tridiagonal form (on one thread: the sums in it would depend on how many there are), divide and conquer, and back.
fn usual<T: Field>(
    a: MatRef<T>,
    mut w: MatMut<T>,
    mut v: MatMut<T>,
    par: Par,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    let (n, params) = (a.nrows(), Spec::<evd::SelfAdjointEvdParams, T>::new(Auto::<T>::auto()));
    let par = few(par, n);
    let block = recommended_block_size::<T>(n, n);
    let (mut form, stack) = temp_mat_zeroed::<T, _, _>(n, n, stack);
    let mut form = form.as_mat_mut();
    form.copy_from_triangular_lower(a);
    let (mut factors, stack) = temp_mat_zeroed::<T, _, _>(block, n - 1, stack);
    let mut factors = factors.as_mat_mut();
    tridiag::tridiag_in_place(form.rb_mut(), factors.rb_mut(), Par::Seq, stack, params.tridiag.into());
    let form = form.rb();
    let (mut below, stack) = temp_mat_zeroed::<T, _, _>(n, 1, stack);
    let mut below = below.as_mat_mut();
    (0..n - 1).for_each(|i| below[(i, 0)] = form[(i + 1, i)]);
    let values: DiagMut<T> = w.rb_mut().col_mut(0).as_diagonal_mut();
    let below = below.rb().col(0).as_diagonal();
    evd::tridiagonal_self_adjoint_evd(form.diagonal(), below, values, Some(v.rb_mut()), par, stack, params)
        .map_err(|_| Failed)?;
    // What made the form, applied to the vectors. The first entry of each stays.
    let basis = form.submatrix(1, 0, n - 1, n - 1);
    let v = v.subrows_mut(1, n - 1);
    householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
        basis,
        factors.rb(),
        Conj::No,
        v,
        par,
        stack,
    );
    Ok(())
}
/// Rows of a matrix up to which the library rounds otherwise on several threads than on one: of all sizes that were tried up to 512, those from 65 to
/// 128 did.
const SMALL: usize = 128;
/// So many threads that none of the halves, quarters and so on that several of them work on is small: the bits are those of one thread.
fn few(par: Par, n: usize) -> Par {
    match par {
        Par::Rayon(threads) if n > SMALL => {
            let most = 2 * n / (SMALL + 1);
            let threads = threads.get().min(most);
            Par::rayon(1 << threads.ilog2())
        }
        _ => Par::Seq,
    }
}
fn decompose<T: Field>(
    a: MatRef<T>,
    mut w: MatMut<T::Part>,
    mut v: MatMut<T>,
    (by_modulus, way): (bool, Way<T>),
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
    way(copy.rb(), values.rb_mut(), vectors.rb_mut(), stack)?;
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
