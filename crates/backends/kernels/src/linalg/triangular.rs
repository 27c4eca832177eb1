//! Triangular systems: `op(a) · x = b` or `x · op(a) = b`. They cannot fail: a zero on the diagonal gives infinities and NaN.
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::triangular_solve as solve;
use faer::{Conj, MatMut, MatRef, Par};
use tfc_ir::ops::linalg::Triangular;
use tfc_ir::{Attrs, OpDef, ops};

use super::factorisation::Factorisation;
use super::lanes::{self, Block, Lane};
use super::matrix::{In, Out};
use super::{Failed, Field};

impl Factorisation for Triangular {
    const ROW: &'static OpDef = &ops::linalg::TRIANGULAR_SOLVE;
    fn of(attrs: &Attrs) -> Triangular {
        Triangular::of(attrs)
    }
    fn scratch<T: Field>(_: usize, _: usize) -> StackReq {
        StackReq::EMPTY
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        self.share::<T>(ins, outs, Par::Seq, stack)
    }
    fn share<T: Field>(&self, ins: &[In], outs: &mut [Out], par: Par, _: &mut MemStack) -> Result<(), Failed> {
        let ([a, b], [x]) = (ins, outs) else { return Err(Failed) };
        solve_one::<T>(a.typed()?, b.typed()?, x.typed()?, *self, par);
        Ok(())
    }
    fn lanes<E: Lane>(&self) -> Option<Box<dyn Block>> {
        lanes::block::<_, E>(lanes::Substitution(*self))
    }
}

fn solve_one<T: Field>(a: MatRef<T>, b: MatRef<T>, mut x: MatMut<T>, t: Triangular, par: Par) {
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
        (true, false) => solve::solve_lower_triangular_in_place_with_conj(a, conj, x, par),
        (true, true) => solve::solve_unit_lower_triangular_in_place_with_conj(a, conj, x, par),
        (false, false) => solve::solve_upper_triangular_in_place_with_conj(a, conj, x, par),
        (false, true) => solve::solve_unit_upper_triangular_in_place_with_conj(a, conj, x, par),
    }
}
