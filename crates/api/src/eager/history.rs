//! What an eager tensor remembers: nothing, that it is a variable, or the op it is a result of.
use crate::plans::{Derived, Plan};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tfc_ir::{Result, Tensor};

/// Where a value comes from.
#[derive(Clone)]
pub(super) enum History {
    /// Nothing that derivatives follow.
    Constant,
    /// A variable.
    Leaf(Arc<Leaf>),
    /// An op, and which of its results that have derivatives.
    Node(Arc<Node>, usize),
}
/// A variable's gradient.
pub(super) struct Leaf {
    /// Numbers grow in the order in which things are made.
    pub(super) id: u64,
    grad: Mutex<Option<Tensor>>,
}
impl Leaf {
    pub(super) fn new(id: u64) -> Leaf {
        Leaf { id, grad: Mutex::default() }
    }
    pub(super) fn grad(&self) -> MutexGuard<'_, Option<Tensor>> {
        self.grad.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
/// An op that has run.
pub(super) struct Node {
    pub(super) id: u64,
    pub(super) plan: Arc<Plan>,
    pub(super) derived: Arc<Derived>,
    /// Histories of the operands that derivatives follow, in order.
    pub(super) inputs: Vec<History>,
    pub(super) residuals: Vec<Tensor>,
    /// Values of the extents of the linear part.
    pub(super) extents: Vec<i64>,
}
impl Node {
    /// How many results have derivatives.
    pub(super) fn outputs(&self) -> usize {
        self.derived.out().iter().filter(|o| **o).count()
    }
    /// Zeros in the place of the tangent of input `i`.
    pub(super) fn zero(&self, i: usize) -> Result<Tensor> {
        self.derived.zero(&self.plan, i, &self.extents)
    }
}
impl Drop for Node {
    /// By a list: histories are as long as programs run.
    fn drop(&mut self) {
        let mut open = std::mem::take(&mut self.inputs);
        while let Some(h) = open.pop() {
            if let History::Node(node, _) = h
                && let Some(mut node) = Arc::into_inner(node)
            {
                open.append(&mut node.inputs);
            }
        }
    }
}
