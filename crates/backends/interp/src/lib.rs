//! The interpreter: the oracle. Slow and obvious, one op at a time, independent of the compiled engine (they share only
//! scalar functions, which are checked against an outside table).
//!
//! It evaluates a function on tensors: symbolic extents are solved from the arguments, `where` and guards are checked,
//! `?r` is bound when its op runs, and the shape and dtype of every result are compared with its type. Derivative ops and
//! composites are not evaluated (`E0801`): passes expand them first.
//!
//! Limits on work, time and memory are options; exceeding one is an error, never a panic. The clock is looked at between
//! ops and in the loops that kernels are made of (`grid`), so that a long op stops too.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod backend;
mod constant;
mod contract;
mod control;
mod extents;
mod fft;
mod grid;
mod index;
mod linalg;
mod machine;
mod order;
mod reduce;
mod shape;
mod small;
mod table;

use std::collections::HashSet;
use std::sync::Arc;

use tfc_engine::table::Table;
use tfc_engine::{Printing, Watch};
use tfc_ir::{Attr, BODY, Budget, Code, Error, Finished, Func, FuncId, Module, OpDef, Result, Span, Tensor};

pub use backend::Oracle;
pub use machine::OpCx;

/// What an op does: operands and attributes from the context, results in order.
pub type Kernel = Arc<dyn Fn(&mut OpCx) -> Result<Vec<Tensor>> + Send + Sync>;

/// A kernel, and whether its row is none of the built-in families.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) kernel: Kernel,
    pub(crate) outside: bool,
}
/// Kernels by row.
#[derive(Clone, Default)]
pub struct Kernels(Table<Known>);
impl Kernels {
    /// No kernel. (Elementwise ops need none: their row says what they compute.)
    pub fn none() -> Kernels {
        Kernels::default()
    }
    /// The kernels of the built-in families.
    pub fn core() -> Kernels {
        let known = |f| Known { kernel: Arc::new(f), outside: false };
        Kernels(table::core().map(|(def, f)| (def, known(f))).collect())
    }
    /// With the kernel of one more row; a later one replaces an earlier one. Its panics are errors of the run (`E0721`), as
    /// are results of another type (`E0802`).
    pub fn with(
        mut self,
        def: &'static OpDef,
        f: impl Fn(&mut OpCx) -> Result<Vec<Tensor>> + Send + Sync + 'static,
    ) -> Kernels {
        self.0.set(def, Known { kernel: Arc::new(f), outside: true });
        self
    }
    /// Whether ops of this row can be evaluated.
    pub fn has(&self, def: &OpDef) -> bool {
        def.scalar.is_some() || self.0.get(def).is_some()
    }
    pub(crate) fn get(&self, def: &OpDef) -> Option<Known> {
        self.0.get(def).cloned()
    }
}

/// Limits and outlets of a run.
#[derive(Clone, Default)]
pub struct RunOptions {
    /// At most this many ops are run, those of regions and callees included (`E0713`).
    pub fuel: Option<u64>,
    /// Time (`E0714`) and memory: the bytes of tensors that live at once, arguments and data not counted (`E0715`).
    pub budget: Budget,
    /// Where `print` goes; nowhere by default.
    pub print: Option<Printing>,
    /// Who sees the ops; nobody by default.
    pub watch: Option<Watch>,
}

/// Evaluates functions of a module.
pub struct Interp<'m> {
    module: &'m Module,
    kernels: Kernels,
}
impl<'m> Interp<'m> {
    /// With the built-in kernels.
    pub fn new(module: &'m Module) -> Interp<'m> {
        Interp { module, kernels: Kernels::core() }
    }
    /// With these kernels instead.
    pub fn with_kernels(mut self, kernels: Kernels) -> Interp<'m> {
        self.kernels = kernels;
        self
    }
    /// Runs `func` on `args`.
    ///
    /// # Errors
    /// Arguments that do not fit (`E0701`–`E0704`), a failed `where`, guard or check, a limit of `options`, an op that
    /// cannot be evaluated (`E0801`). The error's span is the statement's.
    pub fn run(&self, func: FuncId, args: &[Tensor], options: &RunOptions) -> Result<Vec<Tensor>> {
        let func = self.module.func(func)?;
        grid::paced(&options.budget, || machine::Machine::new(self.module, &self.kernels, options)?.enter(&func, args))
    }
    /// As [`Interp::run`], for a function of the module by name; `E0302` where there is none.
    pub fn run_name(&self, name: &str, args: &[Tensor], options: &RunOptions) -> Result<Vec<Tensor>> {
        let f = self.module.find(name);
        self.run(f.ok_or_else(|| Error::new(Code::E0302, format!("@{name} is not defined")))?, args, options)
    }
    /// The ops of `func` (and of its callees) that cannot be evaluated: (name, place), each name once.
    pub fn missing(&self, func: &Func) -> Vec<(&'static str, Span)> {
        let (mut out, mut seen) = (vec![], HashSet::new());
        let mut todo = self.missing_here(func, &mut out, &mut seen);
        while let Some(f) = todo.pop() {
            todo.extend(self.missing_here(&f, &mut out, &mut seen));
        }
        out
    }
    /// Adds what one function uses; the callees that nobody has looked at yet.
    fn missing_here(
        &self,
        func: &Func,
        out: &mut Vec<(&'static str, Span)>,
        seen: &mut HashSet<FuncId>,
    ) -> Vec<Arc<Finished>> {
        let mut callees = vec![];
        func.walk(BODY, &mut |o| {
            let op = func.op(o);
            if !self.kernels.has(op.def) && !out.iter().any(|x| x.0 == op.def.name) {
                out.push((op.def.name, op.span));
            }
            for (_, a) in op.attrs.iter() {
                if let Attr::Sym(s) = a
                    && seen.insert(s.func)
                {
                    callees.extend(self.module.try_func(s.func));
                }
            }
        });
        callees
    }
}
