//! Control flow by closures. A closure is traced once, into a region of the program; it may use tensors from outside of it.
use super::dim::Dim;
use super::graph::{Block, NewNode, TracedTensor, param, placed, within};
use std::panic::Location;
use tfc_ir::ops::control::{CHECKPOINT, COND, SCAN, WHILE};
use tfc_ir::{Attr, Error, OpDef, Result};

type Place = &'static Location<'static>;

fn array<const N: usize>(v: Vec<TracedTensor>, what: &str, place: Place) -> Result<[TracedTensor; N]> {
    let n = v.len();
    v.try_into().map_err(|_| placed(Error::new("E0211", format!("{what} gives {n} tensors, not {N}")), place))
}
/// Parameters like these, for a region.
fn like(ts: &[&TracedTensor], place: Place) -> Vec<TracedTensor> {
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

/// `body` of the carries, from `init` on, as long as `go_on` of them is true: the carries at the end. Carries keep their types.
/// It is differentiated in both modes.
///
/// ```
/// use tfc_api::prelude::*;
/// let x = TracedTensor::from_vec_col_major([], vec![1.0_f64])?;
/// let [y] = while_loop([&x], |[c]| c.lt(&TracedTensor::scalar(100.0)?), |[c]| Ok([(c * 2.0)?]))?;
/// let program = GraphCompiler::new().compile(&y)?;
/// assert_eq!(GraphExecutor::new(CpuBackend::new()).run(&program)?.item::<f64>(), Some(128.0));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// As the op `while` of the language: a condition that is no `bool` scalar, a carry that changes its type.
#[track_caller]
pub fn while_loop<const N: usize>(
    init: [&TracedTensor; N],
    go_on: impl FnOnce(&[TracedTensor; N]) -> Result<TracedTensor>,
    body: impl FnOnce(&[TracedTensor; N]) -> Result<[TracedTensor; N]>,
) -> Result<[TracedTensor; N]> {
    whiles(None, init, go_on, body, Location::caller())
}
/// As [`while_loop`], of at most so many trips: one more is an error of the run (`E0712`).
///
/// # Errors
/// As [`while_loop`].
#[track_caller]
pub fn while_loop_within<const N: usize>(
    max_trips: impl Into<Dim>,
    init: [&TracedTensor; N],
    go_on: impl FnOnce(&[TracedTensor; N]) -> Result<TracedTensor>,
    body: impl FnOnce(&[TracedTensor; N]) -> Result<[TracedTensor; N]>,
) -> Result<[TracedTensor; N]> {
    whiles(Some(max_trips.into()), init, go_on, body, Location::caller())
}
fn whiles<const N: usize>(
    max_trips: Option<Dim>,
    init: [&TracedTensor; N],
    go_on: impl FnOnce(&[TracedTensor; N]) -> Result<TracedTensor>,
    body: impl FnOnce(&[TracedTensor; N]) -> Result<[TracedTensor; N]>,
    place: Place,
) -> Result<[TracedTensor; N]> {
    let go_on = within(|| {
        let ps = array::<N>(like(&init, place), "`while_loop`", place)?;
        let p = go_on(&ps)?;
        Ok((ps.into(), vec![p]))
    })?;
    let body = within(|| {
        let ps = array::<N>(like(&init, place), "`while_loop`", place)?;
        let ys = body(&ps)?;
        Ok((ps.into(), ys.into()))
    })?;
    let mut new = NewNode::new(&WHILE, &init).region(go_on).region(body);
    if let Some(n) = max_trips {
        new = new.extents("max_trips", &[n])?;
    }
    array(new.add(place)?, "`while_loop`", place)
}

/// `body` of the carries and of a slice of each of `xs`, once for each index of their last axis: the carries at the end, and
/// what `body` gives besides them, stacked along a new last axis.
///
/// ```
/// use tfc_api::prelude::*;
/// // Running sums.
/// let x = TracedTensor::from_vec_col_major([4], vec![1.0_f64, 2.0, 3.0, 4.0])?;
/// let zero = TracedTensor::scalar(0.0)?;
/// let ([_], [sums]) = scan([&zero], [&x], |[sum], [x]| {
///     let next = (sum + x)?;
///     Ok(([next.clone()], [next]))
/// })?;
/// let program = GraphCompiler::new().compile(&sums)?;
/// let got = GraphExecutor::new(CpuBackend::new()).run(&program)?;
/// assert_eq!(got.to_logical::<f64>(), Some(vec![1.0, 3.0, 6.0, 10.0]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// `E0216` a scalar among `xs`, `E0222` where there is no `xs`, a carry that changes its type.
#[track_caller]
pub fn scan<const C: usize, const X: usize, const Y: usize>(
    init: [&TracedTensor; C],
    xs: [&TracedTensor; X],
    body: impl FnOnce(&[TracedTensor; C], &[TracedTensor; X]) -> Result<([TracedTensor; C], [TracedTensor; Y])>,
) -> Result<([TracedTensor; C], [TracedTensor; Y])> {
    let place = Location::caller();
    let new = |body| {
        let operands: Vec<&TracedTensor> = init.iter().chain(&xs).copied().collect();
        Ok(NewNode::new(&SCAN, &operands).attr("carry", Attr::Int(C as i64)).region(body))
    };
    scans(init, xs, body, new, place)
}
/// `body` of the index (an `i64` scalar) and the carries, `n` times: the carries at the end.
///
/// # Errors
/// As [`scan`].
#[track_caller]
pub fn fori_loop<const C: usize>(
    n: impl Into<Dim>,
    init: [&TracedTensor; C],
    body: impl FnOnce(&TracedTensor, &[TracedTensor; C]) -> Result<[TracedTensor; C]>,
) -> Result<[TracedTensor; C]> {
    let place = Location::caller();
    let index = TracedTensor::iota_at(tfc_ir::DType::I64, &[n.into()], 0, place)?;
    let new = |body| {
        let operands: Vec<&TracedTensor> = init.iter().copied().chain([&index]).collect();
        Ok(NewNode::new(&SCAN, &operands).attr("carry", Attr::Int(C as i64)).region(body))
    };
    let (last, []) = scans(init, [&index], |c, [i]| Ok((body(i, c)?, [])), new, place)?;
    Ok(last)
}
fn scans<const C: usize, const X: usize, const Y: usize>(
    init: [&TracedTensor; C],
    xs: [&TracedTensor; X],
    body: impl FnOnce(&[TracedTensor; C], &[TracedTensor; X]) -> Result<([TracedTensor; C], [TracedTensor; Y])>,
    new: impl FnOnce(Block) -> Result<NewNode>,
    place: Place,
) -> Result<([TracedTensor; C], [TracedTensor; Y])> {
    let body = within(|| {
        let cs = array::<C>(like(&init, place), "`scan`", place)?;
        let cut = |t: &&TracedTensor| {
            let Some(last) = t.rank().checked_sub(1) else {
                return Err(placed(Error::new("E0216", "a scalar has no axis to scan along"), place));
            };
            Ok(param(t.ty().without(&[last]), t.names().clone(), "", place))
        };
        let xs = array::<X>(xs.iter().map(cut).collect::<Result<_>>()?, "`scan`", place)?;
        let (next, out) = body(&cs, &xs)?;
        Ok((cs.into_iter().chain(xs).collect(), next.into_iter().chain(out).collect()))
    })?;
    let mut all = new(body)?.add(place)?;
    let out = all.split_off(C.min(all.len()));
    Ok((array(all, "`scan`", place)?, array(out, "`scan`", place)?))
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
    let function = super::graph::Function { name: name.into(), params, results: block.results, names, effects: true };
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
