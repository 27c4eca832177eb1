//! Derivatives of what has run: backward from results to variables, forward from variables to results. Nodes are taken by
//! their numbers, so that sums of cotangents are the same from run to run.
use super::history::{History, Leaf, Node};
use super::profile::Kind;
use super::runtime::{EagerRuntime, mismatch};
use super::tensor::EagerTensor;
use crate::calls::placed;
use std::collections::BTreeMap;
use std::sync::Arc;
use tfc_ir::ops::elementwise::ADD;
use tfc_ir::{Attrs, Code, DType, Error, Result, Tensor};

/// Cotangents on their way: by number, of nodes and of variables.
#[derive(Default)]
struct Flow {
    nodes: BTreeMap<u64, (Arc<Node>, Vec<Option<Tensor>>)>,
    leaves: BTreeMap<u64, (Arc<Leaf>, Tensor)>,
}
/// Names one value of a history: the number of the variable or node, and which result.
type Place = (u64, usize);
fn place(h: &History) -> Option<Place> {
    match h {
        History::Constant => None,
        History::Leaf(l) => Some((l.id, usize::MAX)),
        History::Node(n, i) => Some((n.id, *i)),
    }
}

impl EagerTensor {
    /// Adds the gradient of this scalar to that of every variable it is computed from.
    ///
    /// The gradient of a complex variable points along steepest ascent.
    ///
    /// # Errors
    /// `E1030` where it is not a real floating scalar, `E1032` where it is computed from no variable, `E05xx` where a rule
    /// is missing, those of running it. After an error no gradient has changed. Several threads may call it at once: each sum arrives.
    #[track_caller]
    pub fn backward(&self) -> Result<()> {
        placed(one(self).and_then(|seed| self.backward_from(seed)))
    }
    /// As [`EagerTensor::backward`] from a tensor of any shape and this cotangent of it.
    ///
    /// # Errors
    /// `E1031` where the cotangent is of another runtime, `E1033` where it has another dtype or shape; otherwise as
    /// [`EagerTensor::backward`].
    #[track_caller]
    pub fn backward_with(&self, cotangent: &EagerTensor) -> Result<()> {
        if !self.same_context(cotangent) {
            return placed(Err(mismatch("backward_with")));
        }
        placed(fits(cotangent.tensor(), self.dtype(), self.shape(), "cotangent"))?;
        placed(self.backward_from(cotangent.to_tensor()))
    }
    fn backward_from(&self, seed: Tensor) -> Result<()> {
        let runtime = self.runtime();
        if !self.tracks_grad() {
            return Err(Error::new(Code::E1032, "this tensor is computed from no variable")
                .help("make what it depends on by `variable_from`, outside `no_grad`"));
        }
        let leaves = runtime.sweep(self, seed, &mut |_, _| {})?;
        // Held from reading to writing, or another thread's sum would be lost; taken in the order of numbers, so that no two threads
        // wait for each other.
        let mut sums = vec![];
        for (leaf, new) in leaves.values() {
            let grad = leaf.grad();
            let sum = match &*grad {
                Some(old) => runtime.sum(old, new)?,
                None => new.clone(),
            };
            sums.push((grad, sum));
        }
        for (mut grad, sum) in sums {
            *grad = Some(sum);
        }
        Ok(())
    }
}
impl EagerRuntime {
    /// The gradients of a scalar by some tensors it is computed from, variables or not. They are constants: nothing follows
    /// how they were computed, and gradients of variables stay as they are.
    ///
    /// ```
    /// # use tfc_api::prelude::*;
    /// let ctx = EagerRuntime::new();
    /// let x = ctx.variable_from(Tensor::scalar(3.0))?;
    /// let y = (&x * &x)?;
    /// let loss = (&y * &y)?;
    /// let g = ctx.grad(&loss, &[&x, &y])?;
    /// assert_eq!((g[0].item(), g[1].item()), (Some(108.0), Some(18.0)));
    /// # Ok::<(), tfc_api::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1030` where `output` is not a real floating scalar, `E1031` tensors of another runtime, `E1032` where no derivative
    /// flows to one; see [`EagerRuntime::grad_optional`].
    #[track_caller]
    pub fn grad(&self, output: &EagerTensor, wrt: &[&EagerTensor]) -> Result<Vec<EagerTensor>> {
        placed(all(self.grad_optional(output, wrt)?, "output"))
    }
    /// As [`EagerRuntime::grad`], with `None` where no derivative flows to a tensor.
    ///
    /// # Errors
    /// As there, without `E1032`.
    #[track_caller]
    pub fn grad_optional(&self, output: &EagerTensor, wrt: &[&EagerTensor]) -> Result<Vec<Option<EagerTensor>>> {
        placed(one(output).and_then(|seed| self.cotangents(output, wrt, seed)))
    }
    /// Vector–Jacobian product: the cotangents of `wrt` that belong to a cotangent of `output`, as constants.
    ///
    /// # Errors
    /// `E1031` tensors of another runtime, `E1033` where the cotangent has another dtype or shape than `output`, `E1032` where
    /// no derivative flows to one of `wrt`; see [`EagerRuntime::vjp_optional`].
    #[track_caller]
    pub fn vjp(&self, output: &EagerTensor, wrt: &[&EagerTensor], ct: &EagerTensor) -> Result<Vec<EagerTensor>> {
        placed(all(self.vjp_optional(output, wrt, ct)?, "output"))
    }
    /// As [`EagerRuntime::vjp`], with `None` where no derivative flows to a tensor.
    ///
    /// # Errors
    /// As there, without `E1032`.
    #[track_caller]
    pub fn vjp_optional(
        &self,
        output: &EagerTensor,
        wrt: &[&EagerTensor],
        ct: &EagerTensor,
    ) -> Result<Vec<Option<EagerTensor>>> {
        let fit = || {
            self.own(&[ct], "vjp")?;
            fits(ct.tensor(), output.dtype(), output.shape(), "cotangent")
        };
        placed(fit().and_then(|()| self.cotangents(output, wrt, ct.to_tensor())))
    }
    /// Jacobian–vector product: the tangents of `outputs` that belong to tangents of `wrt`, as constants.
    ///
    /// ```
    /// # use tfc_api::prelude::*;
    /// let ctx = EagerRuntime::new();
    /// let x = ctx.variable_from(Tensor::from_rows([1.0, 2.0])?)?;
    /// let y = x.exp()?;
    /// let v = ctx.constant_from(Tensor::from_rows([0.0, 1.0])?);
    /// let d = ctx.jvp(&[&y], &[&x], &[&v])?;
    /// assert_eq!(d[0].tensor().to_vec::<f64>()?, [0.0, 2.0f64.exp()]);
    /// # Ok::<(), tfc_api::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1031` tensors of another runtime, `E1033` where a tangent has another dtype or shape than what it belongs to, `E1032`
    /// where no derivative flows to an output; see [`EagerRuntime::jvp_optional`].
    #[track_caller]
    pub fn jvp(
        &self,
        outputs: &[&EagerTensor],
        wrt: &[&EagerTensor],
        tangents: &[&EagerTensor],
    ) -> Result<Vec<EagerTensor>> {
        placed(all(self.jvp_optional(outputs, wrt, tangents)?, "input"))
    }
    /// As [`EagerRuntime::jvp`], with `None` where no derivative flows to an output.
    ///
    /// # Errors
    /// As there, without `E1032`.
    #[track_caller]
    pub fn jvp_optional(
        &self,
        outputs: &[&EagerTensor],
        wrt: &[&EagerTensor],
        tangents: &[&EagerTensor],
    ) -> Result<Vec<Option<EagerTensor>>> {
        placed(self.forward(outputs, wrt, tangents))
    }
    fn forward(
        &self,
        outputs: &[&EagerTensor],
        wrt: &[&EagerTensor],
        tangents: &[&EagerTensor],
    ) -> Result<Vec<Option<EagerTensor>>> {
        self.own(outputs, "jvp")?;
        self.own(wrt, "jvp")?;
        self.own(tangents, "jvp")?;
        if wrt.len() != tangents.len() {
            let text = format!("{} tangents are given for {} tensors", tangents.len(), wrt.len());
            return Err(Error::new(Code::E1033, text).help("give one tangent for each tensor of `wrt`, in order"));
        }
        // Everything between, in the order in which it ran.
        let mut nodes: BTreeMap<u64, Arc<Node>> = BTreeMap::new();
        let mut open: Vec<History> = outputs.iter().map(|t| t.history().clone()).collect();
        while let Some(h) = open.pop() {
            if let History::Node(n, _) = h
                && !nodes.contains_key(&n.id)
            {
                open.extend(n.inputs.iter().cloned());
                nodes.insert(n.id, n);
            }
        }
        let mut known: BTreeMap<Place, Tensor> = BTreeMap::new();
        for (x, v) in wrt.iter().zip(tangents) {
            fits(v.tensor(), x.dtype(), x.shape(), "tangent")?;
            if let Some(p) = place(x.history()) {
                known.insert(p, v.to_tensor());
            }
        }
        let given: Vec<Place> = known.keys().copied().collect();
        let (backend, limits) = (&**self.0.plans.backend(), self.0.plans.backend().limits());
        for n in nodes.values() {
            let of = |h: &History| place(h).and_then(|p| known.get(&p).cloned());
            let inputs: Vec<Option<Tensor>> = n.inputs.iter().map(of).collect();
            if inputs.iter().all(Option::is_none) {
                continue;
            }
            let flowing = inputs.into_iter().enumerate().map(|(i, t)| t.map_or_else(|| n.zero(i), Ok));
            let flowing = flowing.collect::<Result<Vec<_>>>()?;
            let out = self.0.profile.time(n.plan.name(), Kind::Tangent, || {
                n.derived.tangents(backend, &n.plan)?.run(&n.residuals, flowing.into_iter(), &n.extents, limits)
            })?;
            for (i, t) in out.into_iter().enumerate() {
                // A tangent that was given stays what it is.
                if given.binary_search(&(n.id, i)).is_err() {
                    known.insert((n.id, i), t);
                }
            }
        }
        let found = |t: &&EagerTensor| Some(self.constant_from(known.get(&place(t.history())?)?.clone()));
        Ok(outputs.iter().map(found).collect())
    }
    fn own(&self, tensors: &[&EagerTensor], what: &str) -> Result<()> {
        if tensors.iter().all(|t| t.runtime().same(self)) { Ok(()) } else { Err(mismatch(what)) }
    }
    fn cotangents(&self, output: &EagerTensor, wrt: &[&EagerTensor], seed: Tensor) -> Result<Vec<Option<EagerTensor>>> {
        self.own(&[output], "grad")?;
        self.own(wrt, "grad")?;
        let places: Vec<Option<Place>> = wrt.iter().map(|t| place(t.history())).collect();
        let mut between: BTreeMap<Place, Tensor> = BTreeMap::new();
        let leaves = self.sweep(output, seed, &mut |p, ct| {
            if places.contains(&Some(p)) {
                between.insert(p, ct.clone());
            }
        })?;
        let found = |p: &Option<Place>| match (*p)? {
            (id, usize::MAX) => leaves.get(&id).map(|l| l.1.clone()),
            p => between.get(&p).cloned(),
        };
        Ok(places.iter().map(|p| found(p).map(|t| self.constant_from(t))).collect())
    }
    /// Cotangents of variables, by number; `watch` sees those of results of ops, once they are whole.
    fn sweep(
        &self,
        output: &EagerTensor,
        seed: Tensor,
        watch: &mut dyn FnMut(Place, &Tensor),
    ) -> Result<BTreeMap<u64, (Arc<Leaf>, Tensor)>> {
        let (backend, limits) = (&**self.0.plans.backend(), self.0.plans.backend().limits());
        let mut flow = Flow::default();
        self.add(&mut flow, output.history(), seed)?;
        // An op has a greater number than what its operands come from.
        while let Some((id, (node, cts))) = flow.nodes.pop_last() {
            let nonzero: Vec<bool> = cts.iter().map(Option::is_some).collect();
            for (i, ct) in cts.iter().enumerate() {
                ct.iter().for_each(|ct| watch((id, i), ct));
            }
            let (out, cts) = self.0.profile.time(node.plan.name(), Kind::Backward, || {
                let back = node.derived.backward(backend, &node.plan, &nonzero)?;
                let cts = back.run(&node.residuals, cts.into_iter().flatten(), &node.extents, limits)?;
                Ok::<_, Error>((back, cts))
            })?;
            let inputs = node.inputs.iter().zip(&out.out).filter(|(_, gets)| **gets).map(|(h, _)| h);
            for (h, ct) in inputs.zip(cts) {
                self.add(&mut flow, h, ct)?;
            }
        }
        Ok(flow.leaves)
    }
    /// Adds a cotangent to what has arrived.
    fn add(&self, flow: &mut Flow, to: &History, ct: Tensor) -> Result<()> {
        match to {
            History::Constant => {}
            History::Leaf(l) => match flow.leaves.get_mut(&l.id) {
                Some((_, sum)) => *sum = self.sum(sum, &ct)?,
                None => drop(flow.leaves.insert(l.id, (l.clone(), ct))),
            },
            History::Node(n, i) => {
                let (_, cts) = flow.nodes.entry(n.id).or_insert_with(|| (n.clone(), vec![None; n.outputs()]));
                if let Some(slot) = cts.get_mut(*i) {
                    *slot = Some(match slot.take() {
                        Some(sum) => self.sum(&sum, &ct)?,
                        None => ct,
                    });
                }
            }
        }
        Ok(())
    }
    fn sum(&self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        let mut sum = self.0.plans.run(&ADD, &Attrs::none(), None, &[a, b])?;
        sum.pop().ok_or_else(|| Error::bug(Code::E0599, "a sum has no result"))
    }
}

/// The cotangent of a loss.
fn one(loss: &EagerTensor) -> Result<Tensor> {
    if loss.rank() != 0 || !loss.dtype().is_float() {
        let text = format!("a gradient is that of a real floating scalar, not of {}{:?}", loss.dtype(), loss.shape());
        return Err(Error::new(Code::E1030, text)
            .help("reduce it to a scalar, as by `sum`, or give its cotangent: `backward_with`, `vjp`"));
    }
    Tensor::ones(loss.dtype(), &[])
}
fn fits(t: &Tensor, dtype: DType, shape: &[usize], what: &str) -> Result<()> {
    if t.dtype() == dtype && t.shape() == shape {
        return Ok(());
    }
    let text = format!("the {what} is {}{:?}, what it belongs to is {dtype}{shape:?}", t.dtype(), t.shape());
    Err(Error::new(Code::E1033, text).help(format!("give a {what} of the same dtype and shape")))
}
fn all(found: Vec<Option<EagerTensor>>, what: &str) -> Result<Vec<EagerTensor>> {
    let missing = |i: usize| {
        Error::new(Code::E1032, format!("no derivative flows between tensor {i} of the list and the {what}"))
            .help("the functions whose names end in `_optional` give `None` there")
    };
    found.into_iter().enumerate().map(|(i, t)| t.ok_or_else(|| missing(i))).collect()
}
