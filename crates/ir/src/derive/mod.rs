//! Derivatives: one forward sweep ([`Linearizer`]) with two placements, and one transpose ([`Transposer`]) (TFIR §7).
//!
//! The sweeps name no op: rows carry the rules, region ops describe themselves by ports. The only arithmetic used here
//! is that of a vector space (`zeros`, `add`) and pointwise scaling by a partial (`mul`). Memoisation, expansion and
//! residual policies live in the passes crate, behind [`Derive`].
mod again;
mod flow;
mod linearizer;
mod masks;
mod prune;
mod residual;
mod slope;
mod structure;
mod through;
mod transposer;

use crate::code::Code;
pub use again::without_assertions;
pub use flow::{Flow, reach};
pub use linearizer::{Body, Keep, Kept, Linearizer, linearize_inline, linearize_split};
pub use prune::{Live, live, prune, prune_live};
pub use structure::{Link, Reach, Structure, structure};
pub use transposer::{Transposer, transpose_func};

use crate::batch::BatchedFunc;
use crate::extent::{Atom, ExistId, Extent, SymId};
use crate::module::{FuncId, Module};
use crate::{Attr, Error, Finished, Func, OpId, Result, ValueId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// `fwd(params) -> results, residuals` and `lin(residuals, active tangents) -> tangents of the results in `out``.
#[derive(Clone, Debug)]
pub struct Linearized {
    /// Primal part.
    pub fwd: FuncId,
    /// Linear part.
    pub lin: FuncId,
    /// Number of residuals.
    pub residuals: usize,
    /// Number of tangent parameters: the active parameters.
    pub tangents: usize,
    /// Which results have a tangent.
    pub out: Vec<bool>,
    /// Extent arguments of `lin`, over the symbols and header existentials of `fwd`.
    pub extents: Vec<Extent>,
}
/// `func(params, active tangents) -> results, tangents of the results in `out``.
#[derive(Clone, Debug)]
pub struct Jvp {
    /// The function.
    pub func: FuncId,
    /// Which results have a tangent.
    pub out: Vec<bool>,
}
/// `func(non-linear params, non-zero cotangents) -> cotangents of the linear params in `out``.
#[derive(Clone, Debug)]
pub struct Transposed {
    /// The function; its extent parameters are those of the linear one.
    pub func: FuncId,
    /// Which linear parameters get a cotangent.
    pub out: Vec<bool>,
}

/// What rules ask of whoever drives the sweeps.
pub trait Derive {
    /// The module.
    fn module(&self) -> &Module;
    /// Split placement: each function once per set of active parameters.
    fn linearize(&self, f: FuncId, active: &[bool]) -> Result<Arc<Linearized>>;
    /// `f` for many indices at once, parameter `i` having the batch axis `axes[i]`, result `i` having it at `outs[i]` (`None`: it must
    /// not depend on the index), without `outs` where it costs least: each function once per lists of axes.
    fn batched(&self, f: FuncId, axes: &[Option<usize>], outs: Option<&[Option<usize>]>) -> Result<BatchedFunc>;
    /// Inline placement.
    fn jvp(&self, f: FuncId, active: &[bool]) -> Result<Arc<Jvp>>;
    /// The function that stands for op `o` of `f` while `f` is differentiated: made once.
    fn stand_in(&self, f: &Func, o: OpId, make: &dyn Fn() -> Result<FuncId>) -> Result<FuncId>;
    /// `f` with its calls inlined and without composites that are differentiated by their expansion; `None` where it calls a
    /// function that only its transpose stands for.
    fn in_one_piece(&self, f: FuncId) -> Result<Option<Arc<Finished>>>;
    /// Each linear function once per set of linear parameters and non-zero cotangents.
    fn transpose(&self, f: FuncId, linear: &[bool], nonzero: &[bool]) -> Result<Arc<Transposed>>;
}

/// A value that names a callee: the function symbol in the leading slot.
pub fn callee(attrs: &crate::Attrs) -> Result<crate::SymRef> {
    attrs
        .iter()
        .find_map(|(_, a)| if let Attr::Sym(s) = a { Some(s.clone()) } else { None })
        .ok_or_else(|| Error::new(Code::E0222, "a function symbol is missing"))
}
/// An extent of a callee in its caller, which gives the callee's symbols `syms`, and in which its header's existentials are `pack`.
///
/// # Errors
/// As [`Extent::subst`].
pub(crate) fn instance(e: &Extent, syms: &[Extent], pack: &BTreeMap<ExistId, Extent>) -> Result<Extent> {
    e.subst(&|a| match a {
        Atom::Sym(SymId(i)) => syms.get(i as usize).cloned(),
        Atom::Exist(r) => pack.get(&r).cloned(),
    })
}
/// A derivative of a function that stays `apart` does too.
fn inherit(new: &mut Func, src: &Func) {
    if src.with.word("inline") == Some("apart") {
        new.with.set("inline", Attr::word("apart"));
    }
}
/// Picks the elements of `list` where `mask` holds.
pub fn pick<T: Clone>(list: &[T], mask: &[bool]) -> Vec<T> {
    list.iter().zip(mask).filter(|p| *p.1).map(|p| p.0.clone()).collect()
}
/// Spreads `list` over the places where `mask` holds.
pub fn spread(list: Vec<ValueId>, mask: &[bool]) -> Vec<Option<ValueId>> {
    let mut it = list.into_iter();
    mask.iter().map(|&m| if m { it.next() } else { None }).collect()
}
