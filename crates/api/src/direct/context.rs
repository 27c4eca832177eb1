//! What ops on direct tensors run in.
use crate::backend::{Backend, CpuBackend};
use crate::calls::{Call, placed};
use crate::plans::{CacheStats, Plans};
use std::sync::Arc;
use tfc_ir::{Attrs, Code, Error, OpDef, Result, Tensor, Type};

/// A backend, and compiled plans of the ops that were run: see [`TensorOpsExt`](super::TensorOpsExt).
pub struct DirectContext {
    plans: Plans,
}
impl Default for DirectContext {
    fn default() -> Self {
        DirectContext::new()
    }
}
impl std::fmt::Debug for DirectContext {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let name = self.plans.backend().engine().name();
        f.debug_struct("DirectContext").field("backend", &name).field("plans", &self.plans.stats().entries).finish()
    }
}
impl DirectContext {
    /// On all threads of this machine's processor.
    pub fn new() -> DirectContext {
        DirectContext::with_cpu_backend(CpuBackend::new())
    }
    /// On this processor, with these threads and ops.
    pub fn with_cpu_backend(backend: CpuBackend) -> DirectContext {
        DirectContext::with_backend(Arc::new(backend))
    }
    /// On any backend.
    pub fn with_backend(backend: Arc<dyn Backend>) -> DirectContext {
        DirectContext { plans: Plans::new(backend) }
    }
    /// Runs any op by its row: what methods of tensors come down to. Operands are taken as they are. `types` are the written
    /// types of the results, for rows that need them.
    ///
    /// ```
    /// # use tfc_api::prelude::*;
    /// use tfc_ir::{Attr, Attrs, ops::linalg::SVD};
    /// let mut ctx = DirectContext::new();
    /// let a = Tensor::from_rows([[0.0, 2.0], [1.0, 0.0]])?;
    /// let usv = ctx.apply(&SVD, &[&a], &Attrs::none(), None)?;
    /// assert_eq!(usv[1].to_vec::<f64>()?, [2.0, 1.0]);
    /// # Ok::<(), tfc_api::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the row's inference, and of the run.
    #[track_caller]
    pub fn apply(
        &mut self,
        row: &'static OpDef,
        operands: &[&Tensor],
        attrs: &Attrs,
        types: Option<&[Type]>,
    ) -> Result<Vec<Tensor>> {
        placed(self.plans.run(row, attrs, types, operands))
    }
    #[track_caller]
    pub(super) fn call(&mut self, call: &Call, operands: &[&Tensor]) -> Result<Tensor> {
        let mut results = self.apply(call.row, operands, &call.attrs, call.types.as_deref())?;
        results.pop().ok_or_else(|| Error::new(Code::E0211, format!("`{}` gives no result", call.row.name)))
    }
    /// How often plans were found, and how many there are.
    pub fn cache_stats(&self) -> CacheStats {
        self.plans.stats()
    }
    /// Keeps at most so many plans from now on; those that were used longest ago go first.
    pub fn set_cache_limit(&mut self, plans: usize) {
        self.plans.set_limit(plans);
    }
    /// Forgets all plans.
    pub fn clear_caches(&mut self) {
        self.plans.clear();
    }
}
