//! Steps: ops with an algorithm of their own, which have kernels, or which the host has a part in. Elementwise ops, reductions, views
//! and control flow need none.
use std::sync::Arc;

use tfc_engine::table::Table;
use tfc_ir::{Attr, Attrs, Code, Error, Op, OpDef, Result, Type};
use tfc_plan::plan::{Dot, Ext, KernelStep, Plan, Slot};

use crate::device::Arg;
use crate::dialect::{Dialect, Texts};
use crate::run::frame::{Ctx, Frame};
use crate::text::Param;

pub mod along;
pub mod checks;
pub mod closure;
pub mod contract;
pub mod fft;
pub mod index;
pub mod matrices;
pub mod moves;
pub mod overlap;
pub mod positions;

/// A step of a plan that has a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The step.
    pub step: &'a KernelStep,
}
impl<'a> Site<'a> {
    /// The statement.
    pub fn op(&self) -> &'a Op {
        self.plan.func.op(self.step.op)
    }
    /// Attributes of the op.
    pub fn attrs(&self) -> &'a Attrs {
        &self.op().attrs
    }
    /// The type of operand `i`.
    ///
    /// # Errors
    /// `E0718` where there is none.
    pub fn operand(&self, i: usize) -> Result<&'a Type> {
        self.op().operands.get(i).map(|&v| self.plan.func.ty(v)).ok_or_else(|| self.misfit())
    }
    /// The type of result `i`.
    ///
    /// # Errors
    /// `E0718` where there is none.
    pub fn result(&self, i: usize) -> Result<&'a Type> {
        self.op().results.get(i).map(|&v| self.plan.func.ty(v)).ok_or_else(|| self.misfit())
    }
    /// An inconsistency that verification excludes.
    pub fn misfit(&self) -> Error {
        Error::bug(Code::E0718, format!("`{}` does not have the operands or regions of its row", self.op().def.name))
    }
    /// Nothing on this backend does that.
    pub fn unsupported<D: Dialect>(&self, what: &str) -> Error {
        Error::new(Code::E1304, format!("the {} backend has no kernel for `{}` {what}", D::BACKEND, self.op().def.name))
            .help(format!("use the backend {}", D::INSTEAD))
    }
}
/// What a step does when it runs.
pub trait Step: Send + Sync {
    /// Runs it; results are placed, unless it binds extents.
    ///
    /// # Errors
    /// What the op reports.
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()>;
    /// May more elements be computed along these axes of its slots (`more(slot, axis)`) than there are, without a change to those that
    /// there are? What lies beyond in operands are any numbers; results may have any there.
    fn pads(&self, _frame: &Frame, _step: &KernelStep, _more: &dyn Fn(Slot, usize) -> bool) -> bool {
        false
    }
    /// The product that it is, and its kernel, for who predicts what it takes.
    fn product(&self) -> Option<(&Dot, &str)> {
        None
    }
}
/// Writes what a step needs.
pub type Make<D> = Arc<dyn Fn(&Site, &mut Texts<D>) -> Result<Box<dyn Step>> + Send + Sync>;
/// Rows, and what makes their steps.
pub type Rows<D> = Vec<(&'static OpDef, fn(&Site, &mut Texts<D>) -> Result<Box<dyn Step>>)>;

/// Rows of which only some programs have a kernel: `linalg.eig` where nobody asks for its vectors.
const PARTLY: &[&OpDef] = &[&tfc_ir::ops::linalg::EIG];

/// What a backend has for rows.
#[derive(Clone)]
pub struct Steps<D: Dialect> {
    table: Table<Make<D>>,
    outside: Table<()>,
}
impl<D: Dialect> Default for Steps<D> {
    fn default() -> Self {
        let rows = D::core().into_iter().flatten().map(|(row, make)| {
            let make: Make<D> = Arc::new(make);
            (row, make)
        });
        Steps { table: rows.collect(), outside: Table::default() }
    }
}
impl<D: Dialect> Steps<D> {
    /// With a step for a row; it stands before what the engine would do with the row by itself.
    #[must_use]
    pub fn with(
        mut self,
        row: &'static OpDef,
        make: impl Fn(&Site, &mut Texts<D>) -> Result<Box<dyn Step>> + Send + Sync + 'static,
    ) -> Steps<D> {
        self.table.set(row, Arc::new(make));
        self.outside.set(row, ());
        self
    }
    /// The entry of a row.
    pub fn get(&self, row: &OpDef) -> Option<&Make<D>> {
        self.table.get(row)
    }
    /// Whether there is a step for the row, whatever becomes of its results.
    pub fn has(&self, row: &OpDef) -> bool {
        self.get(row).is_some() && !PARTLY.iter().any(|&p| std::ptr::eq(p, row))
    }
    /// Whether a step has been added for the row.
    pub fn replaces(&self, row: &OpDef) -> bool {
        self.outside.get(row).is_some()
    }
}
/// Values of the attribute of that name, which is an extent or a list of extents or integers; none where there is none.
pub fn extents(frame: &Frame, step: &KernelStep, name: &str) -> Result<Vec<i64>> {
    let plan = frame.plan();
    match plan.func.op(step.op).attrs.get(name) {
        Some(Attr::Int(i)) => Ok(vec![*i]),
        Some(Attr::List(v)) => {
            Ok(v.iter().filter_map(|a| if let Attr::Int(i) = a { Some(*i) } else { None }).collect())
        }
        _ => {
            let list: &[Ext] = step.exts.iter().find(|e| e.0 == name).map_or(&[], |e| &e.1);
            list.iter().map(|&e| frame.sizes.ext(plan, e)).collect()
        }
    }
}
/// Loops of a kernel for the matrices, or lines, that stand beside each other along so many axes. As a rule there are at most three, and
/// a loop of one trip costs nothing beside a matrix or a line: so one text serves every batch.
pub fn beside(axes: usize) -> usize {
    axes.max(3)
}
/// A parameter of a kernel.
pub fn param(ty: impl Into<String>, name: &str) -> Param {
    Param { ty: ty.into(), name: name.into() }
}
/// An `i64` that counts.
pub fn long(x: usize) -> Arg {
    step(x as isize)
}
/// An `i64` of bytes, which may be negative.
pub fn step(x: isize) -> Arg {
    Arg::Longs(vec![x as i64])
}
/// An inconsistency that verification excludes.
pub fn misfit() -> Error {
    Error::bug(Code::E0718, "a step does not have the operands of its row")
}
