//! Control flow by closures. A closure is traced once, into a region of the program; it may use tensors from outside of it.
use super::graph::{NewNode, Rules, TracedTensor, param, placed, within};
use std::panic::Location;
use tfc_ir::ops::control::{CHECKPOINT, COND};
use tfc_ir::{Code, Error, OpDef, Result};

pub(super) type Place = &'static Location<'static>;

pub(super) fn array<const N: usize>(v: Vec<TracedTensor>, what: &str, place: Place) -> Result<[TracedTensor; N]> {
    let n = v.len();
    v.try_into().map_err(|_| placed(Error::new(Code::E0211, format!("{what} gives {n} tensors, not {N}")), place))
}
/// Parameters like these, for a region or a function.
pub(super) fn like(ts: &[&TracedTensor], place: Place) -> Vec<TracedTensor> {
    let one = |t: &&TracedTensor| {
        let hint = t.node.hint(t.index).unwrap_or_default();
        param(t.ty().clone(), t.names().clone(), &hint, place)
    };
    ts.iter().map(one).collect()
}

/// `then()` where the scalar predicate is true, else `other()`: only that one runs. Both give as many tensors, of the same
/// types.
///
/// ```
/// use tfc_api::prelude::*;
/// let x = TracedTensor::from_vec_col_major([], vec![-2.0_f64])?;
/// let negative = x.lt(&TracedTensor::scalar(0.0)?)?;
/// let [abs] = cond(&negative, || Ok([x.neg()?]), || Ok([x.clone()]))?;
/// let program = GraphCompiler::new().compile(&abs)?;
/// assert_eq!(GraphExecutor::new(CpuBackend::new()).run(&program)?.item::<f64>(), Some(2.0));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// `E0203` a predicate that is no `bool` scalar, `E0215` and others where the results differ in type.
#[track_caller]
pub fn cond<const N: usize>(
    predicate: &TracedTensor,
    then: impl FnOnce() -> Result<[TracedTensor; N]>,
    other: impl FnOnce() -> Result<[TracedTensor; N]>,
) -> Result<[TracedTensor; N]> {
    let place = Location::caller();
    let then = within(|| Ok((vec![], then()?.into())))?;
    let other = within(|| Ok((vec![], other()?.into())))?;
    array(NewNode::new(&COND, &[predicate]).region(then).region(other).add(place)?, "`cond`", place)
}

/// A function of the program, made of what `f` does to `args`, and called on them. With the row
/// [`checkpoint`] what it computes is not kept for a derivative but computed again.
fn called<const A: usize, const N: usize>(
    row: &'static OpDef,
    name: &str,
    args: [&TracedTensor; A],
    f: impl FnOnce(&[TracedTensor; A]) -> Result<[TracedTensor; N]>,
    place: Place,
) -> Result<[TracedTensor; N]> {
    let block = within(|| {
        let ps = array::<A>(like(&args, place), name, place)?;
        let ys = f(&ps)?;
        Ok((ps.into(), ys.into()))
    })?;
    // A function captures nothing: what its closure uses from outside is passed.
    let extra = super::emit::captures(&block);
    let params: Vec<_> = block.params.iter().chain(&extra).cloned().collect();
    let names = super::emit::free_names(&params, &block.results);
    let (results, rules) = (block.results, Rules::None);
    let function = super::graph::Function { name: name.into(), params, results, names, effects: true, rules };
    let operands: Vec<&TracedTensor> = args.iter().copied().chain(&extra).collect();
    let mut new = NewNode::new(row, &operands);
    new.callee = Some(function.into());
    array(new.add(place)?, name, place)
}
/// `f(args)`, of which a derivative keeps only `args` and what `f` uses from outside: the rest is computed again when it is
/// needed, which takes time and saves memory.
///
/// # Errors
/// Those of `f`.
#[track_caller]
pub fn checkpoint<const A: usize, const N: usize>(
    args: [&TracedTensor; A],
    f: impl FnOnce(&[TracedTensor; A]) -> Result<[TracedTensor; N]>,
) -> Result<[TracedTensor; N]> {
    called(&CHECKPOINT, "checkpointed", args, f, Location::caller())
}
/// `f(args)` as a call of a function of that name: programs stay small where a part occurs often, and readable.
///
/// # Errors
/// Those of `f`.
#[track_caller]
pub fn call<const A: usize, const N: usize>(
    name: &str,
    args: [&TracedTensor; A],
    f: impl FnOnce(&[TracedTensor; A]) -> Result<[TracedTensor; N]>,
) -> Result<[TracedTensor; N]> {
    called(&tfc_ir::ops::control::CALL, name, args, f, Location::caller())
}
