//! A plan: a function with the code that runs it, and its derivatives once they are asked for.
use super::derived::Derived;
use crate::backend::Backend;
use std::sync::{Arc, Mutex, PoisonError};
use tfc_engine::{Executable, Limits};
use tfc_ir::extent::Atom;
use tfc_ir::{Code, FuncId, Module, Result, SymId, Tensor};

/// Layouts that have memory of their own: more than programs alternate between at one place.
const LAYOUTS: usize = 8;

/// A function that is compiled for operands of these types, and what it is compiled into by layout of the operands.
pub(crate) struct Plan {
    name: &'static str,
    module: Arc<Module>,
    func: FuncId,
    /// Where each extent parameter stands whole: parameter and axis.
    syms: Vec<(usize, usize)>,
    layouts: Mutex<Layouts>,
    derived: Mutex<Vec<Arc<Derived>>>,
}
struct Layouts {
    list: Vec<Layout>,
    /// Which one is replaced next.
    next: usize,
}
/// Code with memory for one layout of arguments: extents and strides, one argument after the other.
struct Layout {
    axes: Box<[(usize, isize)]>,
    run: Arc<dyn Executable>,
}
impl Layout {
    #[inline]
    fn is(&self, args: &[&Tensor]) -> bool {
        let mut axes = self.axes.iter();
        for t in args {
            for (&n, &s) in t.shape().iter().zip(t.strides()) {
                if axes.next().is_none_or(|a| a.0 != n || a.1 != s) {
                    return false;
                }
            }
        }
        axes.next().is_none()
    }
}
fn axes(args: &[&Tensor]) -> Box<[(usize, isize)]> {
    args.iter().flat_map(|t| t.shape().iter().copied().zip(t.strides().iter().copied())).collect()
}

impl Plan {
    /// Every extent parameter of the function stands whole in the type of some parameter.
    pub(crate) fn new(name: &'static str, module: Arc<Module>, func: FuncId, run: Box<dyn Executable>) -> Result<Plan> {
        let f = module.func(func)?;
        let place = |s: u32| {
            let of = |(i, &p): (usize, &tfc_ir::ValueId)| {
                let axis = f.ty(p).dims.iter().position(|d| d.as_atom() == Some(Atom::Sym(SymId(s))))?;
                Some((i, axis))
            };
            f.params().iter().enumerate().find_map(of)
        };
        let syms = (0..f.syms.len() as u32).map(|s| {
            place(s).ok_or_else(|| tfc_ir::Error::bug(Code::E0599, format!("extent {s} of @{} stands nowhere", f.name)))
        });
        let syms = syms.collect::<Result<_>>()?;
        let first = Layout { axes: Box::default(), run: run.into() };
        let layouts = Mutex::new(Layouts { list: vec![first], next: 0 });
        Ok(Plan { name, module, func, syms, layouts, derived: Mutex::default() })
    }
    /// The op's name.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }
    /// The module of its function.
    pub(crate) fn module(&self) -> &Module {
        &self.module
    }
    /// The plan's function.
    pub(crate) fn func(&self) -> FuncId {
        self.func
    }
    /// Where an extent parameter stands whole: parameter and axis.
    pub(crate) fn place(&self, s: SymId) -> Option<(usize, usize)> {
        self.syms.get(s.0 as usize).copied()
    }
    /// Another function of its module, as a plan.
    pub(crate) fn beside(&self, backend: &dyn Backend, func: FuncId) -> Result<Plan> {
        let run = super::build::compile(backend, &self.module, func)?;
        Plan::new(self.name, self.module.clone(), func, run)
    }
    /// The code for a layout.
    fn code(&self, args: &[&Tensor]) -> Arc<dyn Executable> {
        let mut l = self.layouts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = l.list.iter().find(|l| l.is(args)) {
            return known.run.clone();
        }
        let axes = axes(args);
        // The first call takes what was compiled as it is.
        let unused = l.list.len() == 1 && l.list[0].axes.is_empty();
        if unused {
            l.list[0].axes = axes;
            return l.list[0].run.clone();
        }
        let run = match l.list[0].run.another() {
            Some(another) => Arc::from(another),
            None => return l.list[0].run.clone(),
        };
        let layout = Layout { axes, run: Arc::clone(&run) };
        if l.list.len() < LAYOUTS {
            l.list.push(layout);
        } else {
            let at = l.next % LAYOUTS;
            l.list[at] = layout;
            l.next += 1;
        }
        run
    }
    /// Runs it.
    ///
    /// # Errors
    /// Those of the engine.
    #[inline]
    pub(crate) fn run(&self, args: &[&Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        self.code(args).run_on(args, limits)
    }
    /// Its derivative by the operands of which `active` holds.
    ///
    /// # Errors
    /// `E05xx` where there is none.
    pub(crate) fn derived(
        &self,
        backend: &dyn Backend,
        count: usize,
        active: impl Fn(usize) -> bool,
    ) -> Result<Arc<Derived>> {
        let known = |d: &&Arc<Derived>| d.active().iter().copied().eq((0..count).map(&active));
        let list = || self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(d) = list().iter().find(known) {
            return Ok(d.clone());
        }
        let d = Arc::new(Derived::new(backend, self, (0..count).map(&active).collect())?);
        // Another thread may have been faster; both are the same.
        list().push(d.clone());
        Ok(d)
    }
}
