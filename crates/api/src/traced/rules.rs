//! Functions with derivatives of their own, by closures: `with (jvp = …)` and `with (vjp = […])` of the language.
use super::control::{Given, Place, Tensors, like};
use super::emit::{captures, free_names};
use super::graph::{Block, Function, NewNode, Rules, TracedTensor, placed, within};
use std::collections::HashSet;
use std::panic::Location;
use std::sync::Arc;
use tfc_ir::ops::control::CALL;
use tfc_ir::{Code, Error, Result};

fn inexact(ts: &[TracedTensor]) -> Vec<&TracedTensor> {
    ts.iter().filter(|t| t.dtype().is_inexact()).collect()
}
/// Checks that there are as many tensors as are wanted, of these dtypes and ranks.
fn fits(what: &str, has: &[TracedTensor], want: &[&TracedTensor], place: Place) -> Result<()> {
    let text = if has.len() != want.len() {
        format!("the rule gives {} {what}, not {}", has.len(), want.len())
    } else {
        let odd = has.iter().zip(want).position(|(h, w)| h.dtype() != w.dtype() || h.rank() != w.rank());
        let Some(i) = odd else { return Ok(()) };
        format!("of the {what} that the rule gives, number {i} is {}, not {}", has[i], want[i])
    };
    let help =
        "there is a tangent for each floating or complex argument and result, and a cotangent too, in their order";
    Err(placed(Error::new(Code::E0509, text).help(help), place))
}
/// What closures use from outside, which is passed: nothing that a derivative would flow to.
fn outside(blocks: &[&Block], place: Place) -> Result<Vec<TracedTensor>> {
    let mut seen = HashSet::new();
    let mut all: Vec<TracedTensor> = blocks.iter().flat_map(|b| captures(b)).filter(|t| seen.insert(t.key())).collect();
    all.sort_by_key(TracedTensor::key);
    if let Some(t) = all.iter().find(|t| t.dtype().is_inexact()) {
        let name = t.node.hint(t.index).map_or_else(|| "a tensor".to_owned(), |h| format!("`{h}`"));
        let text = format!("a function with a rule uses {name}, {t}, from outside: the rule says no derivative by it");
        let help = "pass it as an argument, or make it inside of the closure";
        return Err(placed(Error::new(Code::E1225, text).help(help), place));
    }
    Ok(all)
}
fn function(name: String, params: Vec<TracedTensor>, results: Vec<TracedTensor>, rules: Rules) -> Arc<Function> {
    let names = free_names(&params, &results);
    Arc::new(Function { name, params, results, names, effects: true, rules })
}
fn call<Y: Tensors>(function: Arc<Function>, args: &[TracedTensor], extra: &[TracedTensor], place: Place) -> Result<Y> {
    let operands: Vec<&TracedTensor> = args.iter().chain(extra).collect();
    let name = function.name.clone();
    let mut new = NewNode::new(&CALL, &operands);
    new.callee = Some(function);
    Y::made(new.add(place)?, &name, place)
}

/// `f(args)` as a call of a function of that name, with a derivative of its own. `rule` takes the arguments and a tangent for each that
/// is floating or complex; it gives the results of `f`, and a tangent for each that is floating or complex. It has to be linear in the
/// tangents; reverse mode follows from it. As `jax.custom_jvp`.
///
/// ```
/// use tfc_api::prelude::*;
/// // log(1 + exp(x)), whose slope is written without overflow.
/// let x = TracedTensor::from_vec_col_major([2], vec![0.0_f64, 800.0])?;
/// let [y] = custom_jvp(
///     "softplus",
///     [&x],
///     |[x]| Ok([(&x.exp()? + 1.0)?.log()?]),
///     |[x], dx| Ok(([(&x.exp()? + 1.0)?.log()?], vec![(&x.logistic()? * &dx[0])?])),
/// )?;
/// let g = AdContext::default().grad(&y.sum()?, &x)?;
/// let got = GraphExecutor::new(CpuBackend::new()).run(&GraphCompiler::new().compile(&g)?)?;
/// assert_eq!(got.to_logical::<f64>(), Some(vec![0.5, 1.0]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Those of the closures; `E0509` where what `rule` gives does not fit what `f` gives, and, when a derivative is taken, where it is
/// not linear in the tangents; `E1225` where a closure uses a floating or complex tensor from outside.
#[track_caller]
pub fn custom_jvp<A: Given, Y: Tensors>(
    name: &str,
    args: A,
    f: impl FnOnce(&A::Owned) -> Result<Y>,
    rule: impl FnOnce(&A::Owned, &[TracedTensor]) -> Result<(Y, Vec<TracedTensor>)>,
) -> Result<Y> {
    let place = Location::caller();
    let args = args.given();
    let own = within(|| {
        let ps = A::Owned::made(like(&args, place), name, place)?;
        let ys = f(&ps)?;
        Ok((ps.list(), ys.list()))
    })?;
    let tangents = within(|| {
        let ps = like(&args, place);
        let ds = like(inexact(&ps), place);
        let (ys, dys) = rule(&A::Owned::made(ps.clone(), name, place)?, &ds)?;
        let ys = ys.list();
        fits("results", &ys, &own.results.iter().collect::<Vec<_>>(), place)?;
        fits("tangents", &dys, &inexact(&own.results), place)?;
        Ok(([ps, ds].concat(), [ys, dys].concat()))
    })?;
    let extra = outside(&[&own, &tangents], place)?;
    let (ps, ds) = tangents.params.split_at(args.len());
    let params = [ps, &extra, ds].concat();
    let rule = function(format!("{name}_jvp"), params, tangents.results, Rules::None);
    let params = [own.params, extra.clone()].concat();
    call(function(name.into(), params, own.results, Rules::Jvp(rule)), &args, &extra, place)
}

/// `f(args)` as a call of a function of that name, with a derivative of its own for reverse mode. `fwd` takes the arguments and gives
/// the results of `f` and residuals; `bwd` takes the residuals and a cotangent for each floating or complex result, and gives one for
/// each floating or complex argument. Forward mode (`jvp`, `hvp`, `hessian`) is refused. As `jax.custom_vjp`.
///
/// ```
/// use tfc_api::prelude::*;
/// // The identity, whose gradient is cut at ±1.
/// let x = TracedTensor::from_vec_col_major([3], vec![-2.0_f64, 0.1, 3.0])?;
/// let [y] = custom_vjp(
///     "clipped",
///     [&x],
///     |[x]| Ok([x.clone()]),
///     |[x]| Ok(([x.clone()], vec![])),
///     |_, ct| Ok(vec![ct[0].max(&ct[0].ones_like()?.neg()?)?.min(&ct[0].ones_like()?)?]),
/// )?;
/// let g = AdContext::default().grad(&(&y * &y)?.sum()?, &x)?;
/// let got = GraphExecutor::new(CpuBackend::new()).run(&GraphCompiler::new().compile(&g)?)?;
/// assert_eq!(got.to_logical::<f64>(), Some(vec![-1.0, 0.2, 1.0]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// As [`custom_jvp`]; `E0510` where forward mode is asked for.
#[track_caller]
pub fn custom_vjp<A: Given, Y: Tensors>(
    name: &str,
    args: A,
    f: impl FnOnce(&A::Owned) -> Result<Y>,
    fwd: impl FnOnce(&A::Owned) -> Result<(Y, Vec<TracedTensor>)>,
    bwd: impl FnOnce(&[TracedTensor], &[TracedTensor]) -> Result<Vec<TracedTensor>>,
) -> Result<Y> {
    let place = Location::caller();
    let args = args.given();
    let own = within(|| {
        let ps = A::Owned::made(like(&args, place), name, place)?;
        let ys = f(&ps)?;
        Ok((ps.list(), ys.list()))
    })?;
    let there = within(|| {
        let ps = A::Owned::made(like(&args, place), name, place)?;
        let (ys, residuals) = fwd(&ps)?;
        let ys = ys.list();
        fits("results", &ys, &own.results.iter().collect::<Vec<_>>(), place)?;
        Ok((ps.list(), [ys, residuals].concat()))
    })?;
    let n = own.results.len();
    let count = there.results.len() - n;
    let back = within(|| {
        let residuals = like(&there.results[n..], place);
        let cts = like(inexact(&own.results), place);
        let out = bwd(&residuals, &cts)?;
        fits("cotangents", &out, &inexact(&own.params), place)?;
        Ok(([residuals, cts].concat(), out))
    })?;
    let extra = outside(&[&own, &there, &back], place)?;
    // What the way back uses from outside comes with the residuals.
    let (residuals, cts) = back.params.split_at(count);
    let params = [residuals, &extra, cts].concat();
    let back = function(format!("{name}_bwd"), params, back.results, Rules::None);
    let params = [there.params, extra.clone()].concat();
    let there = function(format!("{name}_fwd"), params, [there.results, extra.clone()].concat(), Rules::None);
    let params = [own.params, extra.clone()].concat();
    call(function(name.into(), params, own.results, Rules::Vjp(there, back)), &args, &extra, place)
}
