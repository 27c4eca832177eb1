//! The runtime that eager tensors belong to.
use super::history::{History, Leaf, Node};
use super::profile::{Kind, OpProfile, Profile};
use super::tensor::EagerTensor;
use crate::backend::{Backend, CpuBackend};
use crate::calls::placed;
use crate::plans::{CacheStats, Derived, Plan, Plans};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tfc_ir::{Attrs, Code, Error, OpDef, Result, Tensor, Type};

/// Runs ops on [`EagerTensor`]s: a backend, compiled plans, variables. Clones are the same runtime; threads may share it.
#[derive(Clone)]
pub struct EagerRuntime(pub(super) Arc<Inner>);
pub(super) struct Inner {
    pub(super) plans: Plans,
    pub(super) profile: Profile,
    /// How many [`NoGrad`] there are.
    no_grad: AtomicUsize,
    next: AtomicU64,
    /// Variables, some of them gone.
    leaves: Mutex<Leaves>,
}
#[derive(Default)]
struct Leaves {
    list: Vec<Weak<Leaf>>,
    /// The length at which those that are gone are taken out.
    sweep: usize,
}
/// While this lives, ops of its runtime remember nothing, in any thread. See [`EagerRuntime::no_grad`].
#[must_use = "ops are followed again as soon as this is dropped"]
pub struct NoGrad(Arc<Inner>);
impl Drop for NoGrad {
    fn drop(&mut self) {
        self.0.no_grad.fetch_sub(1, Relaxed);
    }
}
impl Default for EagerRuntime {
    fn default() -> Self {
        EagerRuntime::new()
    }
}
impl std::fmt::Debug for EagerRuntime {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let name = self.0.plans.backend().engine().name();
        f.debug_struct("EagerRuntime").field("backend", &name).field("plans", &self.cache_stats().entries).finish()
    }
}

impl EagerRuntime {
    /// On all threads of this machine's processor.
    pub fn new() -> EagerRuntime {
        EagerRuntime::with_cpu_backend(CpuBackend::new())
    }
    /// On this processor, with these threads and ops.
    pub fn with_cpu_backend(backend: CpuBackend) -> EagerRuntime {
        EagerRuntime::with_backend(Arc::new(backend))
    }
    /// On a GPU. Values are those of the host: each op brings its operands there and its results back.
    #[cfg(feature = "cuda")]
    pub fn with_cuda_backend(backend: crate::gpus::CudaBackend) -> EagerRuntime {
        EagerRuntime::with_backend(Arc::new(backend))
    }
    /// On a GPU of any vendor. Values are those of the host: each op brings its operands there and its results back.
    #[cfg(feature = "gpu")]
    pub fn with_gpu_backend(backend: crate::gpus::GpuBackend) -> EagerRuntime {
        EagerRuntime::with_backend(Arc::new(backend))
    }
    /// On any backend.
    pub fn with_backend(backend: Arc<dyn Backend>) -> EagerRuntime {
        EagerRuntime(Arc::new(Inner {
            plans: Plans::new(backend),
            profile: Profile::default(),
            no_grad: AtomicUsize::new(0),
            next: AtomicU64::new(0),
            leaves: Mutex::default(),
        }))
    }
    /// Whether both are the same runtime.
    pub fn same(&self, other: &EagerRuntime) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
    /// A tensor that derivatives do not follow.
    pub fn constant_from(&self, tensor: Tensor) -> EagerTensor {
        EagerTensor::new(self, tensor, History::Constant)
    }
    /// A variable: derivatives are taken by it.
    ///
    /// # Errors
    /// `E1036` where its dtype is neither floating nor complex.
    #[track_caller]
    pub fn variable_from(&self, tensor: Tensor) -> Result<EagerTensor> {
        if !tensor.dtype().is_inexact() {
            let e = Error::new(Code::E1036, format!("a variable of dtype {} has no derivative", tensor.dtype()));
            return placed(Err(e.help("convert it to a floating or complex dtype, or use `constant_from`")));
        }
        let leaf = Arc::new(Leaf::new(self.number()));
        let mut leaves = self.0.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        if leaves.list.len() >= leaves.sweep {
            leaves.list.retain(|l| l.strong_count() > 0);
            leaves.sweep = 2 * leaves.list.len() + 64;
        }
        leaves.list.push(Arc::downgrade(&leaf));
        drop(leaves);
        Ok(EagerTensor::new(self, tensor, History::Leaf(leaf)))
    }
    fn number(&self) -> u64 {
        self.0.next.fetch_add(1, Relaxed)
    }
    /// Forgets the gradients of all variables.
    pub fn clear_grads(&self) {
        let leaves = self.0.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        for leaf in leaves.list.iter().filter_map(Weak::upgrade) {
            *leaf.grad() = None;
        }
    }
    /// Until what this gives is dropped, ops remember nothing, in any thread that uses this runtime.
    ///
    /// ```
    /// # use tfc_api::prelude::*;
    /// let ctx = EagerRuntime::new();
    /// let x = ctx.variable_from(Tensor::scalar(3.0))?;
    /// {
    ///     let _quiet = ctx.no_grad();
    ///     assert!(!(&x * &x)?.tracks_grad());
    /// }
    /// assert!((&x * &x)?.tracks_grad());
    /// # Ok::<(), tfc_api::Error>(())
    /// ```
    pub fn no_grad(&self) -> NoGrad {
        self.0.no_grad.fetch_add(1, Relaxed);
        NoGrad(self.0.clone())
    }
    /// Waits until all ops have run. On this machine's processor each has when its call ends.
    ///
    /// # Errors
    /// Those of ops that were still to run.
    pub fn synchronize(&self) -> Result<()> {
        Ok(())
    }
    /// How often plans were found, and how many there are.
    pub fn cache_stats(&self) -> CacheStats {
        self.0.plans.stats()
    }
    /// Keeps at most so many plans from now on; those that were used longest ago go first.
    pub fn set_cache_limit(&self, plans: usize) {
        self.0.plans.set_limit(plans);
    }
    /// Forgets all plans. Tensors keep those of their history.
    pub fn clear_caches(&self) {
        self.0.plans.clear();
    }
    /// Starts or ends counting the time of each op; while it is off an op pays nothing for it.
    pub fn set_profile(&self, on: bool) {
        self.0.profile.set(on);
    }
    /// What was counted since this was last asked, the op that took longest first.
    pub fn take_profile(&self) -> Vec<OpProfile> {
        self.0.profile.take()
    }
    /// Runs any op by its row: what methods of tensors come down to. `types` are the written types of the results, for rows
    /// that need them.
    ///
    /// ```
    /// # use tfc_api::prelude::*;
    /// use tfc_ir::{Attr, Attrs, ops::order::CUMSUM};
    /// let ctx = EagerRuntime::new();
    /// let x = ctx.constant_from(Tensor::from_rows([1, 2, 3])?);
    /// let y = ctx.apply(&CUMSUM, &[&x], &Attrs::of([("axis", Attr::Int(0))]), None)?;
    /// assert_eq!(y[0].tensor().to_vec::<i32>()?, [1, 3, 6]);
    /// # Ok::<(), tfc_api::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1031` operands of another runtime; those of the row's inference, of the derivative's rules (`E05xx`) and of the run.
    #[track_caller]
    pub fn apply(
        &self,
        row: &'static OpDef,
        operands: &[&EagerTensor],
        attrs: &Attrs,
        types: Option<&[Type]>,
    ) -> Result<Vec<EagerTensor>> {
        placed(self.call_row(row, operands, attrs, types))
    }
    #[inline]
    pub(super) fn call_row(
        &self,
        row: &'static OpDef,
        operands: &[&EagerTensor],
        attrs: &Attrs,
        types: Option<&[Type]>,
    ) -> Result<Vec<EagerTensor>> {
        match operands {
            [x] => self.run(row, [*x], attrs, types),
            [x, y] => self.run(row, [*x, *y], attrs, types),
            [x, y, z] => self.run(row, [*x, *y, *z], attrs, types),
            many => {
                let tensors: Vec<&Tensor> = many.iter().map(|t| t.tensor()).collect();
                self.run_all(row, many, &tensors, attrs, types)
            }
        }
    }
    /// A few operands, without a list on the heap.
    #[inline]
    fn run<const N: usize>(
        &self,
        row: &'static OpDef,
        operands: [&EagerTensor; N],
        attrs: &Attrs,
        types: Option<&[Type]>,
    ) -> Result<Vec<EagerTensor>> {
        self.run_all(row, &operands, &operands.map(EagerTensor::tensor), attrs, types)
    }
    fn run_all(
        &self,
        row: &'static OpDef,
        operands: &[&EagerTensor],
        tensors: &[&Tensor],
        attrs: &Attrs,
        types: Option<&[Type]>,
    ) -> Result<Vec<EagerTensor>> {
        if let Some(i) = operands.iter().position(|t| !t.runtime().same(self)) {
            return Err(mismatch(row.name).operand(i));
        }
        self.0.profile.time(row.name, Kind::Forward, || {
            let (backend, limits) = (&**self.0.plans.backend(), self.0.plans.backend().limits());
            let follows = operands.iter().any(|t| t.tracks_grad()) && self.0.no_grad.load(Relaxed) == 0;
            self.0.plans.with(row, attrs, types, tensors, |plan| {
                if follows {
                    let derived = plan.derived(backend, operands.len(), |i| operands[i].tracks_grad())?;
                    if derived.out().contains(&true) {
                        return self.follow(plan, derived, operands, tensors);
                    }
                }
                let results = plan.run(tensors, limits)?;
                Ok(results.into_iter().map(|t| EagerTensor::new(self, t, History::Constant)).collect())
            })
        })
    }
    /// Runs an op and remembers it.
    fn follow(
        &self,
        plan: Arc<Plan>,
        derived: Arc<Derived>,
        operands: &[&EagerTensor],
        tensors: &[&Tensor],
    ) -> Result<Vec<EagerTensor>> {
        let mut results = derived.run(&plan, tensors, self.0.plans.backend().limits())?;
        let inputs = operands.iter().filter(|t| t.tracks_grad()).map(|t| t.history().clone()).collect();
        let residuals = derived.residuals(tensors, &results)?;
        let extents = derived.extents(&plan, tensors, &results)?;
        let node = Arc::new(Node { id: self.number(), plan, derived, inputs, residuals, extents });
        results.truncate(node.derived.out().len());
        let mut k = 0;
        let all = results.into_iter().zip(node.derived.out()).map(|(t, &has)| {
            if !has {
                return EagerTensor::new(self, t, History::Constant);
            }
            k += 1;
            EagerTensor::new(self, t, History::Node(node.clone(), k - 1))
        });
        Ok(all.collect())
    }
}
/// Tensors of two runtimes meet.
pub(super) fn mismatch(what: &str) -> Error {
    Error::new(Code::E1031, format!("the operands of `{what}` belong to different runtimes"))
        .help("make both in one runtime; `detach_into` takes a value over to another")
}
