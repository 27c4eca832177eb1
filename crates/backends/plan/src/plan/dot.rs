//! What a step of `dot_general` multiplies, told by its attributes.
use tfc_ir::ops::contract::DotDims;
use tfc_ir::{Code, Error, Func, Result};

use super::{KernelStep, Slot};

/// A product.
#[derive(Clone, Debug)]
pub struct Dot {
    /// Factors.
    pub args: [Slot; 2],
    /// Result.
    pub out: Slot,
    /// Contracted, batch and free axes of each side.
    pub contract: [Box<[usize]>; 2],
    /// See `contract`.
    pub batch: [Box<[usize]>; 2],
    /// See `contract`.
    pub free: [Box<[usize]>; 2],
    /// Result axis `i` is axis `order[i]` of (lhs free, rhs free, batch).
    pub order: Box<[usize]>,
    /// Conjugation of each side.
    pub conj: [bool; 2],
}
impl Dot {
    /// That of a step.
    ///
    /// # Errors
    /// `E0718` where the step is no product.
    pub fn of(f: &Func, step: &KernelStep) -> Result<Dot> {
        let op = f.op(step.op);
        let (&[a, b], &[out], &[x, y]) = (&*step.args, &*step.dsts, &*op.operands) else {
            return Err(Error::bug(Code::E0718, format!("`{}` is no product", op.def.name)));
        };
        let d = DotDims::of(&op.attrs)?;
        let free = [d.free(0, f.ty(x).rank()), d.free(1, f.ty(y).rank())];
        let rank = free[0].len() + free[1].len() + d.batch[0].len();
        Ok(Dot {
            args: [a, b],
            out,
            order: d.out.clone().unwrap_or_else(|| (0..rank).collect()).into(),
            contract: d.contract.map(Into::into),
            batch: d.batch.map(Into::into),
            free: free.map(Into::into),
            conj: [d.conj_lhs, d.conj_rhs],
        })
    }
}
