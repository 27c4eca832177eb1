//! Short ways to write a function, as static data: expressions of rows.
use tfc_ir::OpDef;

/// An expression of elementwise rows.
pub(super) enum Term {
    /// The variable of that number.
    Var(usize),
    /// A number, in the dtype of the variables.
    Num(f64),
    /// A row on operands.
    Op(&'static OpDef, &'static [Term]),
}
