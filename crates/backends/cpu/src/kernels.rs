//! The table of kernels by row: those of the built-in families, and what is added.
use std::fmt;
use std::sync::Arc;

use tfc_ir::{Attrs, OpDef, Result, Tensor};

use super::kernel::{Kernel, KernelCx, Known, Site};
use tfc_engine::outside;
use tfc_engine::table::Table;

/// Makes the kernel of a step.
type Make = Arc<dyn Fn(&Site) -> Result<Arc<dyn Kernel>> + Send + Sync>;
/// An entry of the table of kernels.
#[derive(Clone)]
pub(crate) struct Entry {
    make: Make,
    /// The kernel was added from outside; its panics and wrong results are errors of the run.
    pub(crate) outside: bool,
}
impl Entry {
    /// The kernel for a step.
    pub(crate) fn kernel(&self, site: &Site) -> Result<Known> {
        Ok(Known { kernel: (self.make)(site)?, outside: self.outside })
    }
}
impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.outside { "from outside" } else { "built in" })
    }
}
/// Kernels by row: those of the built-in families, and what is added.
#[derive(Clone, Debug)]
pub struct Kernels(Table<Entry>);
impl Default for Kernels {
    fn default() -> Self {
        Kernels::core()
    }
}
impl Kernels {
    /// The kernels of the built-in families.
    pub fn core() -> Kernels {
        let entry = |make: super::ops::Make| Entry { make: Arc::new(make), outside: false };
        Kernels(super::ops::CORE.iter().flat_map(|f| f.iter()).map(|&(row, make)| (row, entry(make))).collect())
    }
    /// With a kernel for a row, made for each of its steps; it stands before what the engine would do with the row by
    /// itself. Its panics are errors of the run (`E0721`), as are results of another type (`E0802`).
    pub fn with_kernel<K: Kernel + 'static>(
        mut self,
        row: &'static OpDef,
        make: impl Fn(&Site) -> Result<K> + Send + Sync + 'static,
    ) -> Kernels {
        let make: Make = Arc::new(move |s| Ok(Arc::new(make(s)?)));
        self.0.set(row, Entry { make, outside: true });
        self
    }
    /// With a function of attributes and whole tensors as the kernel of a row: operands and results are copied.
    pub fn with(self, row: &'static OpDef, f: WholeFn) -> Kernels {
        self.with_kernel(row, move |_| Ok(Whole(f)))
    }
    pub(crate) fn get(&self, row: &OpDef) -> Option<&Entry> {
        self.0.get(row)
    }
    /// Is there a kernel for the row? (Elementwise ops, reductions, views and control flow need none.)
    pub fn has(&self, row: &OpDef) -> bool {
        self.get(row).is_some()
    }
    /// Whether a kernel has been added for the row.
    pub(crate) fn replaces(&self, row: &OpDef) -> bool {
        self.get(row).is_some_and(|e| e.outside)
    }
}

/// A kernel over whole tensors: attributes and operands to results, whose shapes must be those of the op's types.
pub type WholeFn = fn(&Attrs, &[Tensor]) -> Result<Vec<Tensor>>;
#[derive(Debug)]
struct Whole(WholeFn);
impl Kernel for Whole {
    fn scratch(&self, _: &Site) -> Option<usize> {
        None
    }
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let args = (0..cx.step.args.len()).map(|i| cx.tensor(i)).collect::<Result<Vec<_>>>()?;
        let results = (self.0)(cx.site().attrs(), &args)?;
        let n = cx.step.dsts.len();
        if results.len() != n {
            return Err(outside::wrong_count(cx.site().op().def.name, results.len(), n));
        }
        results.iter().enumerate().try_for_each(|(i, t)| cx.give(i, t))
    }
}
