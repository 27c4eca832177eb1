//! What an engine knows of a factorisation: its row, the memory that it needs, how it runs, what becomes of a matrix that it
//! cannot factor. A new one is a row in `tfc-ir`, an `impl Factorisation`, and its line in [`super::factor::ALL`].
use std::fmt;

use faer::Par;
use faer::dyn_stack::{MemStack, StackReq};
use tfc_ir::{Attrs, Code, OpDef};

use super::lanes::{Block, Lane};
use super::matrix::{Entry, In, Out};
use super::real::Real;
use super::{Failed, Field};

/// What is computed of one matrix, or of a pair of matrices.
///
/// Operands and results stand in the op's order, vectors as matrices of one column. Those of other numbers or element types
/// than the row's count as a failure: verification excludes them.
pub(super) trait Factorisation: fmt::Debug + Send + Sync + Sized + 'static {
    /// The op.
    const ROW: &'static OpDef;
    /// What it says of a finite matrix that it cannot factor.
    const FAILS: &'static str = "did not converge";
    /// Whether it reads the lower triangle of its operand alone.
    const LOWER: bool = false;
    /// The code of its error.
    const CODE: Code = Code::E0740;
    /// From attributes that inference has checked.
    fn of(attrs: &Attrs) -> Self;
    /// Memory that [`Factorisation::run`] needs where operand 0 is `m × n`; neither is 0.
    fn scratch<T: Field>(m: usize, n: usize) -> StackReq;
    /// Computes the results, on the calling thread. Where it fails, it may have written anything.
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed>;
    /// The same, to the bit, with these threads to share it, where that is of use.
    fn share<T: Field>(&self, ins: &[In], outs: &mut [Out], _: Par, stack: &mut MemStack) -> Result<(), Failed> {
        self.run::<T>(ins, outs, stack)
    }
    /// Memory that [`Factorisation::sure`] needs.
    fn sure_scratch(_: usize, _: usize) -> StackReq {
        StackReq::EMPTY
    }
    /// A slower way that always comes to an end, for finite matrices that the other one failed on, if there is one.
    fn sure<T: Field>(&self, _: &[In], _: &mut [Out], _: &mut MemStack) -> Result<(), Failed> {
        Err(Failed)
    }
    /// What is used in place of the first two for real matrices, if that is something else.
    fn own<E: Real + Entry>() -> Option<Own> {
        None
    }
    /// How small real matrices are factored, many at once, if there is a way: those that it reports go the way of the others.
    fn lanes<E: Lane>(&self) -> Option<Box<dyn Block>> {
        None
    }
}
/// A factorisation of real matrices of one type.
pub(super) struct Own {
    /// As [`Factorisation::scratch`].
    pub(super) scratch: fn(usize, usize) -> StackReq,
    /// As [`Factorisation::run`].
    pub(super) run: fn(&[In], &mut [Out], &mut MemStack) -> Result<(), Failed>,
}
