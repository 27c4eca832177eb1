//! Derivatives of traced tensors. A derivative is an op of the language on a function: what lies between the tensors that it
//! is taken by and the one that it is taken of. Passes expand it when the program is compiled, and it may be
//! differentiated again.
use super::emit::free_names;
use super::graph::{Function, NewNode, Node, Rules, TracedTensor, placed};
use std::collections::{HashMap, HashSet};
use std::panic::Location;
use std::sync::Arc;
use tfc_ir::op::Linearize;
use tfc_ir::ops::derivative::{GRAD, HESSIAN, HVP, JACOBIAN, JVP, VALUE_AND_GRAD, VJP};
use tfc_ir::{Attr, Code, Error, Family, OpDef, OpSet, Result};

type Place = &'static Location<'static>;

/// Takes derivatives, by the rules of the built-in ops and of the families that it was given. There is no process-wide list of
/// rules.
///
/// ```
/// use tfc_api::prelude::*;
/// let x = TracedTensor::from_vec_col_major([3], vec![1.0_f64, 2.0, 3.0])?;
/// let loss = (&x * &x)?.sum()?;
/// let ad = AdContext::builder().build()?;
/// let program = GraphCompiler::new().compile(&ad.grad(&loss, &x)?)?;
/// let g = GraphExecutor::new(CpuBackend::new()).run(&program)?;
/// assert_eq!(g.to_logical::<f64>(), Some(vec![2.0, 4.0, 6.0]));
/// # Ok::<(), Error>(())
/// ```
///
/// Complex gradients follow the Hermitian convention: they point along steepest ascent (JAX gives their conjugates).
#[derive(Clone)]
pub struct AdContext {
    ops: OpSet,
}
/// Where derivatives may differ from zero. What is said is believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sparsity {
    /// Where what is computed says so: axes that are kept, as a batch is, and those along which neighbours meet, take a direction
    /// for each that meet, and not for each element.
    #[default]
    Found,
    /// Anywhere: nothing is looked for.
    Dense,
    /// Where places lie at most so far apart.
    Band(usize),
    /// Within blocks of so many.
    Blocks(usize),
}
/// Makes an [`AdContext`].
#[derive(Clone, Default)]
pub struct AdContextBuilder {
    families: Vec<Family>,
}
impl AdContextBuilder {
    /// With the rules in the rows of this family.
    pub fn with_extension_rules(mut self, family: Family) -> AdContextBuilder {
        self.families.push(family);
        self
    }
    /// The context.
    ///
    /// # Errors
    /// `E0298` where two ops have one name.
    pub fn build(self) -> Result<AdContext> {
        let ops = self.families.iter().try_fold(OpSet::core(), |ops, f| ops.with(f))?;
        Ok(AdContext { ops })
    }
}
impl Default for AdContext {
    /// With the rules of the built-in ops.
    fn default() -> Self {
        AdContext { ops: OpSet::core() }
    }
}

impl AdContext {
    /// A context is built from families of ops.
    pub fn builder() -> AdContextBuilder {
        AdContextBuilder::default()
    }
    /// The gradient of a real scalar.
    ///
    /// # Errors
    /// `E0501` where `output` is no real floating scalar, `E1032` where it does not depend on `wrt` (see
    /// [`AdContext::grad_optional`]), `E1011` an op of a family that this context was not given, `E0503` and others an op
    /// without a rule.
    #[track_caller]
    pub fn grad(&self, output: &TracedTensor, wrt: &TracedTensor) -> Result<TracedTensor> {
        let place = Location::caller();
        self.grads(output, &[wrt], place)?.pop().ok_or_else(|| inactive(output, wrt, place))
    }
    /// As [`AdContext::grad`]; `None` where the output does not depend on `wrt`.
    ///
    /// # Errors
    /// As [`AdContext::grad`].
    #[track_caller]
    pub fn grad_optional(&self, output: &TracedTensor, wrt: &TracedTensor) -> Result<Option<TracedTensor>> {
        let place = Location::caller();
        optional(output, wrt, || Ok(self.grads(output, &[wrt], place)?.pop()))
    }
    /// Gradients by several tensors at once.
    ///
    /// # Errors
    /// As [`AdContext::grad`]; `E0506` where one occurs twice.
    #[track_caller]
    pub fn grad_many(&self, output: &TracedTensor, wrt: &[&TracedTensor]) -> Result<Vec<TracedTensor>> {
        self.grads(output, wrt, Location::caller())
    }
    fn grads(&self, output: &TracedTensor, wrt: &[&TracedTensor], place: Place) -> Result<Vec<TracedTensor>> {
        self.derivative(&GRAD, output, wrt, &[], place)
    }
    /// The value and the gradients by several tensors, computed together.
    ///
    /// # Errors
    /// As [`AdContext::grad_many`].
    #[track_caller]
    pub fn value_and_grad(
        &self,
        output: &TracedTensor,
        wrt: &[&TracedTensor],
    ) -> Result<(TracedTensor, Vec<TracedTensor>)> {
        let mut all = self.derivative(&VALUE_AND_GRAD, output, wrt, &[], Location::caller())?;
        let grads = all.split_off(1.min(all.len()));
        first(all, grads)
    }
    /// The cotangent of `wrt` for the cotangent `cotangent` of `output`.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let a = TracedTensor::from_vec_col_major([2, 3], vec![1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let b = TracedTensor::from_vec_col_major([3, 2], vec![0.5_f64, -1.0, 2.0, 1.5, -0.25, 3.0])?;
    /// let cotangent = TracedTensor::from_vec_col_major([2, 2], vec![1.0_f64, -0.5, 0.25, 2.0])?;
    /// let ct_a = AdContext::default().vjp(&a.matmul(&b)?, &a, &cotangent)?;
    /// let got = GraphExecutor::new(CpuBackend::new()).run(&GraphCompiler::new().compile(&ct_a)?)?;
    /// assert_eq!(got.to_column_major::<f64>(), Some(vec![0.875, 2.75, -1.0625, 0.0, 2.75, 5.0]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`AdContext::grad`], of any output; `E0203` or `E0204` where the cotangent is not of the output's type.
    #[track_caller]
    pub fn vjp(&self, output: &TracedTensor, wrt: &TracedTensor, cotangent: &TracedTensor) -> Result<TracedTensor> {
        let place = Location::caller();
        let (_, mut all) = self.vjps(output, &[wrt], cotangent, place)?;
        all.pop().ok_or_else(|| inactive(output, wrt, place))
    }
    /// As [`AdContext::vjp`]; `None` where the output does not depend on `wrt`.
    ///
    /// # Errors
    /// As [`AdContext::vjp`].
    #[track_caller]
    pub fn vjp_optional(
        &self,
        output: &TracedTensor,
        wrt: &TracedTensor,
        cotangent: &TracedTensor,
    ) -> Result<Option<TracedTensor>> {
        let place = Location::caller();
        optional(output, wrt, || Ok(self.vjps(output, &[wrt], cotangent, place)?.1.pop()))
    }
    /// Cotangents of several tensors at once.
    ///
    /// # Errors
    /// As [`AdContext::vjp`].
    #[track_caller]
    pub fn vjp_many(
        &self,
        output: &TracedTensor,
        wrt: &[&TracedTensor],
        cotangent: &TracedTensor,
    ) -> Result<Vec<TracedTensor>> {
        Ok(self.vjps(output, wrt, cotangent, Location::caller())?.1)
    }
    fn vjps(
        &self,
        output: &TracedTensor,
        wrt: &[&TracedTensor],
        cotangent: &TracedTensor,
        place: Place,
    ) -> Result<(TracedTensor, Vec<TracedTensor>)> {
        let mut all = self.derivative(&VJP, output, wrt, &[cotangent], place)?;
        let cts = all.split_off(1.min(all.len()));
        first(all, cts)
    }
    /// The tangent of `output` for the tangent `tangent` of `wrt`.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let a = TracedTensor::from_vec_col_major([2, 3], vec![1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let b = TracedTensor::from_vec_col_major([3, 2], vec![0.5_f64, -1.0, 2.0, 1.5, -0.25, 3.0])?;
    /// let tangent = TracedTensor::from_vec_col_major([2, 3], vec![1.0_f64, -0.5, 0.25, 0.0, 2.0, -1.0])?;
    /// let dy = AdContext::default().jvp(&a.matmul(&b)?, &a, &tangent)?;
    /// let got = GraphExecutor::new(CpuBackend::new()).run(&GraphCompiler::new().compile(&dy)?)?;
    /// assert_eq!(got.to_column_major::<f64>(), Some(vec![4.25, -2.25, 7.4375, -3.75]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`AdContext::vjp`].
    #[track_caller]
    pub fn jvp(&self, output: &TracedTensor, wrt: &TracedTensor, tangent: &TracedTensor) -> Result<TracedTensor> {
        let place = Location::caller();
        if !depends(output, wrt) {
            return Err(inactive(output, wrt, place));
        }
        Ok(self.jvps(output, &[(wrt, tangent)], place)?.1)
    }
    /// As [`AdContext::jvp`]; `None` where the output does not depend on `wrt`.
    ///
    /// # Errors
    /// As [`AdContext::jvp`].
    #[track_caller]
    pub fn jvp_optional(
        &self,
        output: &TracedTensor,
        wrt: &TracedTensor,
        tangent: &TracedTensor,
    ) -> Result<Option<TracedTensor>> {
        let place = Location::caller();
        optional(output, wrt, || Ok(Some(self.jvps(output, &[(wrt, tangent)], place)?.1)))
    }
    /// The tangent of `output` for tangents of several tensors; `None` where it depends on none of them.
    ///
    /// # Errors
    /// As [`AdContext::jvp`].
    #[track_caller]
    pub fn jvp_many(
        &self,
        output: &TracedTensor,
        wrt: &[(&TracedTensor, &TracedTensor)],
    ) -> Result<Option<TracedTensor>> {
        let place = Location::caller();
        let active: Vec<_> = wrt.iter().filter(|w| depends(output, w.0)).copied().collect();
        if active.is_empty() { Ok(None) } else { Ok(Some(self.jvps(output, &active, place)?.1)) }
    }
    fn jvps(
        &self,
        output: &TracedTensor,
        wrt: &[(&TracedTensor, &TracedTensor)],
        place: Place,
    ) -> Result<(TracedTensor, TracedTensor)> {
        let (by, tangents): (Vec<&TracedTensor>, Vec<&TracedTensor>) = wrt.iter().copied().unzip();
        let mut all = self.derivative(&JVP, output, &by, &tangents, place)?;
        match (all.pop(), all.pop()) {
            (Some(t), Some(y)) => Ok((y, t)),
            // A result that is no number has no tangent.
            _ => Err(placed(
                Error::new(Code::E0502, format!("the output is {output}: it has no derivative"))
                    .help("differentiate floating or complex tensors"),
                place,
            )),
        }
    }
    /// The gradient by `wrt` and its product with the Hessian: `(g, H·v)`.
    ///
    /// # Errors
    /// As [`AdContext::grad`].
    #[track_caller]
    pub fn hvp(
        &self,
        output: &TracedTensor,
        wrt: &TracedTensor,
        v: &TracedTensor,
    ) -> Result<(TracedTensor, TracedTensor)> {
        let mut all = self.derivative(&HVP, output, &[wrt], &[v], Location::caller())?;
        match (all.pop(), all.pop()) {
            (Some(hv), Some(g)) => Ok((g, hv)),
            _ => Err(Error::new(Code::E0211, "`hvp` gives no product")),
        }
    }
    /// The output, and its derivative at this place as a linear map of tangents of `wrt`, which may be applied many times: what
    /// the applications have in common is computed once.
    ///
    /// # Errors
    /// `E1032` where the output does not depend on `wrt`; as [`AdContext::jvp`] when it is applied.
    #[track_caller]
    pub fn linearize(&self, output: &TracedTensor, wrt: &TracedTensor) -> Result<(TracedTensor, LinearMap)> {
        if !depends(output, wrt) {
            return Err(inactive(output, wrt, Location::caller()));
        }
        Ok((output.clone(), LinearMap { ad: self.clone(), output: output.clone(), wrt: wrt.clone() }))
    }

    /// The derivatives of `output` by each element of `wrt`: the axes of the output, then those of `wrt`.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let x = TracedTensor::from_vec_col_major([2], vec![1.0_f64, 3.0])?;
    /// let j = AdContext::default().jacobian(&(&x * &x)?, &x, Sparsity::Found)?;
    /// let got = GraphExecutor::new(CpuBackend::new()).run(&GraphCompiler::new().compile(&j)?)?;
    /// assert_eq!(got.to_column_major::<f64>(), Some(vec![2.0, 0.0, 0.0, 6.0]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1032` where the output does not depend on `wrt`; `E0511` a complex `wrt`, or a sparsity of what is no vector; as
    /// [`AdContext::grad`].
    #[track_caller]
    pub fn jacobian(&self, output: &TracedTensor, wrt: &TracedTensor, zeros: Sparsity) -> Result<TracedTensor> {
        self.all_derivatives(&JACOBIAN, output, wrt, zeros, Location::caller())
    }
    /// The second derivatives of a real scalar: the axes of `wrt` twice.
    ///
    /// # Errors
    /// As [`AdContext::jacobian`]; `E0501` where `output` is no real floating scalar.
    #[track_caller]
    pub fn hessian(&self, output: &TracedTensor, wrt: &TracedTensor, zeros: Sparsity) -> Result<TracedTensor> {
        self.all_derivatives(&HESSIAN, output, wrt, zeros, Location::caller())
    }
    fn all_derivatives(
        &self,
        row: &'static OpDef,
        output: &TracedTensor,
        wrt: &TracedTensor,
        zeros: Sparsity,
        place: Place,
    ) -> Result<TracedTensor> {
        let size = |n: usize| Attr::Int(i64::try_from(n).unwrap_or(i64::MAX));
        let how = match zeros {
            Sparsity::Found => None,
            Sparsity::Dense => Some(("dense", Attr::Bool(true))),
            Sparsity::Band(k) => Some(("band", size(k))),
            Sparsity::Blocks(b) => Some(("blocks", size(b))),
        };
        let mut all = self.derivative_with(row, output, &[wrt], &[], how, place)?;
        all.pop().ok_or_else(|| Error::new(Code::E0211, "a derivative without results"))
    }

    fn derivative(
        &self,
        row: &'static OpDef,
        output: &TracedTensor,
        wrt: &[&TracedTensor],
        extra: &[&TracedTensor],
        place: Place,
    ) -> Result<Vec<TracedTensor>> {
        self.derivative_with(row, output, wrt, extra, None, place)
    }
    fn derivative_with(
        &self,
        row: &'static OpDef,
        output: &TracedTensor,
        wrt: &[&TracedTensor],
        extra: &[&TracedTensor],
        how: Option<(&'static str, Attr)>,
        place: Place,
    ) -> Result<Vec<TracedTensor>> {
        let mut seen = HashSet::new();
        if let Some(i) = wrt.iter().position(|w| !seen.insert(w.key())) {
            let e = Error::new(Code::E0506, format!("tensor {i} of those to differentiate by occurs twice"));
            return Err(placed(e.help("list each once"), place));
        }
        if let Some(w) = wrt.iter().find(|w| !w.dtype().is_inexact()) {
            let e = Error::new(Code::E0502, format!("a tensor of type {w} has no derivative"));
            return Err(placed(e.help("differentiate by floating or complex tensors"), place));
        }
        if let Some(w) = wrt.iter().find(|w| !depends(output, w)) {
            return Err(inactive(output, w, place));
        }
        let between = between(output, wrt);
        for n in &between {
            self.check_rules(n, place)?;
        }
        let function = function_of(output, wrt, &between);
        let params = function.params.clone();
        let operands: Vec<&TracedTensor> = params.iter().chain(extra.iter().copied()).collect();
        let by: Vec<usize> = (0..wrt.len()).collect();
        let mut new = NewNode::new(row, &operands).attr("wrt", Attr::ints(&by));
        if let Some((name, value)) = how {
            new = new.attr(name, value);
        }
        new.callee = Some(Arc::new(function));
        new.add(place)
    }
    /// Checks that the rules of a node belong to this context.
    fn check_rules(&self, n: &Node, place: Place) -> Result<()> {
        let Some(a) = n.op() else { return Ok(()) };
        if self.ops.get(a.def.name).is_some_and(|row| row.is(a.def)) {
            return Ok(());
        }
        let name = a.def.name;
        let family = name.split_once('.').map_or(name, |f| f.0);
        let e = Error::new(
            Code::E1011,
            format!("`{name}` is an op of the family `{family}`, which this context was not given"),
        )
        .help("build the context by `AdContext::builder().with_extension_rules(FAMILY)`");
        Err(placed(placed(e, n.place), place))
    }
}
fn first<T>(mut all: Vec<TracedTensor>, rest: T) -> Result<(TracedTensor, T)> {
    all.pop().map(|y| (y, rest)).ok_or_else(|| Error::new(Code::E0211, "a derivative without results"))
}
fn optional(
    output: &TracedTensor,
    wrt: &TracedTensor,
    f: impl FnOnce() -> Result<Option<TracedTensor>>,
) -> Result<Option<TracedTensor>> {
    if depends(output, wrt) { f() } else { Ok(None) }
}
fn inactive(output: &TracedTensor, wrt: &TracedTensor, place: Place) -> Error {
    let name = wrt.node.hint(wrt.index).unwrap_or_default();
    let e = Error::new(Code::E1032, format!("the output, {output}, does not depend on `{name}`, {wrt}"))
        .help("a `…_optional` form gives `None` here; or the derivative is zero: `TracedTensor::zeros`");
    placed(e, place)
}
/// Whether a tangent may flow through the node.
fn carries(n: &Node) -> bool {
    let zero = n.op().is_some_and(|a| matches!(a.def.linearize, Linearize::Zero));
    !zero && n.types.iter().any(|t| t.dtype.is_inexact())
}
/// Whether a derivative flows from `wrt` to `output`.
fn depends(output: &TracedTensor, wrt: &TracedTensor) -> bool {
    let (mut seen, mut todo) = (HashSet::new(), vec![output]);
    while let Some(t) = todo.pop() {
        if t.is(wrt) {
            return true;
        }
        if seen.insert(t.node.id) && carries(&t.node) {
            todo.extend(t.node.inputs().filter(|t| t.dtype().is_inexact()));
        }
    }
    false
}
/// The nodes through which `output` depends on one of `wrt`.
fn between<'a>(output: &'a TracedTensor, wrt: &[&TracedTensor]) -> Vec<&'a Arc<Node>> {
    enum Step<'a> {
        Enter(&'a TracedTensor),
        Leave(&'a Arc<Node>),
    }
    let stop: HashSet<(u64, usize)> = wrt.iter().map(|t| t.key()).collect();
    let mut known: HashMap<u64, bool> = HashMap::new();
    let mut out = vec![];
    let mut todo = vec![Step::Enter(output)];
    while let Some(step) = todo.pop() {
        match step {
            Step::Enter(t) if known.contains_key(&t.node.id) => {}
            Step::Enter(t) => {
                // Known before its operands are: a graph has no cycles, and nobody asks meanwhile.
                known.insert(t.node.id, false);
                todo.push(Step::Leave(&t.node));
                todo.extend(t.node.inputs().map(Step::Enter));
            }
            Step::Leave(n) => {
                let on = n.inputs().any(|t| stop.contains(&t.key()) || known.get(&t.node.id) == Some(&true));
                if on {
                    known.insert(n.id, true);
                    out.push(n);
                }
            }
        }
    }
    out
}
/// The function from `wrt`, and from what the nodes `between` take besides, to `output`.
fn function_of(output: &TracedTensor, wrt: &[&TracedTensor], between: &[&Arc<Node>]) -> Function {
    let inside: HashSet<u64> = between.iter().map(|n| n.id).collect();
    let mut params: Vec<TracedTensor> = wrt.iter().map(|&t| t.clone()).collect();
    let mut seen: HashSet<(u64, usize)> = params.iter().map(TracedTensor::key).collect();
    for n in between {
        for t in n.inputs() {
            // Constants are made again: the derivative may then use what they are.
            let constant = t.node.op().is_some_and(|a| a.def.constant && a.needs.is_empty());
            if !inside.contains(&t.node.id) && !constant && seen.insert(t.key()) {
                params.push(t.clone());
            }
        }
    }
    if !inside.contains(&output.node.id) && seen.insert(output.key()) {
        params.push(output.clone());
    }
    let results = vec![output.clone()];
    let names = free_names(&params, &results);
    let name = output.node.hint(output.index).map_or_else(|| "f".to_owned(), |h| super::emit::spelled(&h));
    Function { name, params, results, names, effects: false, rules: Rules::None }
}
/// The derivative of a tensor by another at one place: a linear map of tangents, and its transpose.
#[derive(Clone)]
pub struct LinearMap {
    ad: AdContext,
    output: TracedTensor,
    wrt: TracedTensor,
}
impl LinearMap {
    /// The tangent of the output for a tangent of what it was linearized by.
    ///
    /// # Errors
    /// As [`AdContext::jvp`].
    #[track_caller]
    pub fn apply(&self, tangent: &TracedTensor) -> Result<TracedTensor> {
        self.ad.jvp(&self.output, &self.wrt, tangent)
    }
    /// The cotangent for a cotangent of the output.
    ///
    /// # Errors
    /// As [`AdContext::vjp`].
    #[track_caller]
    pub fn transpose(&self, cotangent: &TracedTensor) -> Result<TracedTensor> {
        self.ad.vjp(&self.output, &self.wrt, cotangent)
    }
}

/// Derivatives by the rules of the built-in ops, as methods.
///
/// ```
/// use tfc_api::prelude::*;
/// let x = TracedTensor::from_vec_col_major([3], vec![1.0_f64, 2.0, 3.0])?;
/// let y = (&x * &x)?.sum()?;
/// let tangent = TracedTensor::from_vec_col_major([3], vec![0.1_f64, 1.0, -2.0])?;
/// let got = GraphExecutor::new(CpuBackend::new()).run(&GraphCompiler::new().compile(&y.jvp(&x, &tangent)?)?)?;
/// assert!((got.item::<f64>().unwrap_or_default() + 7.8).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
pub trait TracedTensorAdExt: sealed::Sealed {
    /// [`AdContext::grad`].
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    fn grad(&self, wrt: &TracedTensor) -> Result<TracedTensor>;
    /// [`AdContext::vjp`].
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    fn vjp(&self, wrt: &TracedTensor, cotangent: &TracedTensor) -> Result<TracedTensor>;
    /// [`AdContext::jvp`].
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    fn jvp(&self, wrt: &TracedTensor, tangent: &TracedTensor) -> Result<TracedTensor>;
}
mod sealed {
    pub trait Sealed {}
    impl Sealed for super::TracedTensor {}
}
impl TracedTensorAdExt for TracedTensor {
    fn grad(&self, wrt: &TracedTensor) -> Result<TracedTensor> {
        AdContext::default().grad(self, wrt)
    }
    fn vjp(&self, wrt: &TracedTensor, cotangent: &TracedTensor) -> Result<TracedTensor> {
        AdContext::default().vjp(self, wrt, cotangent)
    }
    fn jvp(&self, wrt: &TracedTensor, tangent: &TracedTensor) -> Result<TracedTensor> {
        AdContext::default().jvp(self, wrt, tangent)
    }
}
