//! LU factorisation with partial pivoting: `a[p, :] = l · u`, both in one matrix of `m × n`; `pivots` (`k × 1`) says with which row
//! each row was exchanged in turn, `p` (`m × 1`) where each row comes from. A column without a pivot is left as it is.
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::lu::partial_pivoting::factor;
use faer::linalg::{temp_mat_scratch, temp_mat_zeroed, triangular_solve as triangular};
use faer::mat::AsMatMut;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Auto, MatMut, MatRef, Par, Spec};
use tfc_ir::{Attrs, OpDef, ops};

use super::factorisation::Factorisation;
use super::lanes::{self, Block, Lane};
use super::matrix::{In, Out};
use super::parts::finite;
use super::{Failed, Field};

/// `linalg.lu_factor`.
#[derive(Debug)]
pub(super) struct Lu;
impl Factorisation for Lu {
    const ROW: &'static OpDef = &ops::linalg::LU_FACTOR;
    fn of(_: &Attrs) -> Lu {
        Lu
    }
    fn scratch<T: Field>(m: usize, n: usize) -> StackReq {
        StackReq::all_of(&[
            StackReq::new::<usize>(m),
            StackReq::new::<usize>(m),
            factor::lu_in_place_scratch::<usize, T>(m, n, Par::Seq, Spec::new(Auto::<T>::auto())),
        ])
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [lu, pivots, p]) = (ins, outs) else { return Err(Failed) };
        decompose::<T>(a.typed()?, lu.typed()?, pivots.typed()?, p.typed()?, stack)
    }
    fn lanes<E: Lane>(&self) -> Option<Box<dyn Block>> {
        lanes::block::<_, E>(lanes::Lu)
    }
}
/// `linalg.solve`, where engines run it whole.
#[derive(Debug)]
pub(super) struct Solve;
impl Factorisation for Solve {
    const ROW: &'static OpDef = &ops::linalg::SOLVE;
    fn of(_: &Attrs) -> Solve {
        Solve
    }
    fn scratch<T: Field>(n: usize, _: usize) -> StackReq {
        temp_mat_scratch::<T>(n, n).and(Lu::scratch::<T>(n, n))
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        self.share::<T>(ins, outs, Par::Seq, stack)
    }
    fn share<T: Field>(&self, ins: &[In], outs: &mut [Out], par: Par, stack: &mut MemStack) -> Result<(), Failed> {
        let ([a, b], [x]) = (ins, outs) else { return Err(Failed) };
        let (a, b, mut x): (MatRef<T>, MatRef<T>, MatMut<T>) = (a.typed()?, b.typed()?, x.typed()?);
        let n = a.nrows();
        let (mut lu, stack) = temp_mat_zeroed::<T, _, _>(n, n, stack);
        let mut lu = lu.as_mat_mut();
        let (mut rows, stack) = stack.make_with(n, |i| i);
        let (mut back, stack) = stack.make_with(n, |i| i);
        factors::<T>(a, lu.rb_mut(), [&mut rows, &mut back], stack)?;
        for j in 0..b.ncols() {
            for (i, &from) in rows.iter().enumerate() {
                x[(i, j)] = b[(from, j)];
            }
        }
        let lu = lu.rb();
        // The factors themselves gain nothing from a second thread below a thousand rows.
        triangular::solve_unit_lower_triangular_in_place(lu, x.rb_mut(), par);
        triangular::solve_upper_triangular_in_place(lu, x, par);
        Ok(())
    }
    fn lanes<E: Lane>(&self) -> Option<Box<dyn Block>> {
        lanes::block::<_, E>(lanes::Solve)
    }
}
fn decompose<T: Field>(
    a: MatRef<T>,
    mut lu: MatMut<T>,
    mut pivots: MatMut<i64>,
    mut p: MatMut<i64>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    let (m, n) = a.shape();
    // For nothing there is no memory.
    if n == 0 || m == 0 {
        (0..m).for_each(|i| p[(i, 0)] = i as i64);
        return Ok(());
    }
    let (mut rows, stack) = stack.make_with(m, |i| i);
    let (mut back, stack) = stack.make_with(m, |i| i);
    factors::<T>(a, lu.rb_mut(), [&mut rows, &mut back], stack)?;
    // Exchanges, one after the other, that put row `rows[i]` at `i`.
    for (i, b) in back.iter_mut().enumerate() {
        *b = i;
    }
    for i in 0..m {
        p[(i, 0)] = rows[i] as i64;
        if i < m.min(n) {
            let at = (i..m).find(|&j| back[j] == rows[i]).ok_or(Failed)?;
            pivots[(i, 0)] = at as i64;
            back.swap(i, at);
        }
    }
    Ok(())
}
/// Both factors in one matrix, and in `rows`, which count up before, where its rows come from; `back` is memory.
fn factors<T: Field>(
    a: MatRef<T>,
    mut lu: MatMut<T>,
    [rows, back]: [&mut [usize]; 2],
    stack: &mut MemStack,
) -> Result<(), Failed> {
    if !finite(a) {
        return Err(Failed);
    }
    lu.copy_from(a);
    let params = Spec::new(Auto::<T>::auto());
    factor::lu_in_place(lu.rb_mut(), rows, back, Par::Seq, stack, params);
    // It divides by a pivot that is 0.
    if !finite(lu.rb()) {
        lu.copy_from(a);
        rows.iter_mut().enumerate().for_each(|(i, r)| *r = i);
        plain(lu.rb_mut(), rows);
    }
    Ok(())
}
/// Column by column, without division by 0.
fn plain<T: Field>(mut a: MatMut<T>, rows: &mut [usize]) {
    let (m, n) = a.shape();
    for k in 0..m.min(n) {
        let size = |a: &MatMut<T>, i: usize| a[(i, k)].modulus();
        let mut at = k;
        for i in k + 1..m {
            if size(&a, i) > size(&a, at) {
                at = i;
            }
        }
        if size(&a, at) == 0.0 {
            continue;
        }
        if at != k {
            rows.swap(k, at);
            for j in 0..n {
                let (x, y) = (a[(k, j)], a[(at, j)]);
                (a[(k, j)], a[(at, j)]) = (y, x);
            }
        }
        for i in k + 1..m {
            let by = a[(i, k)].over(a[(k, k)]);
            a[(i, k)] = by;
            for j in k + 1..n {
                let x = a[(k, j)];
                a[(i, j)] -= by * x;
            }
        }
    }
}
