//! Eager tensors: a value, the runtime it belongs to, and where it comes from.
use super::history::History;
use super::runtime::EagerRuntime;
use std::sync::Arc;
use tfc_ir::{Code, DType, Element, Error, Result, Tensor};

/// A tensor of an [`EagerRuntime`]. Clones are the same tensor.
///
/// ```
/// # use tfc_api::prelude::*;
/// let ctx = EagerRuntime::new();
/// let a = ctx.constant_from(Tensor::from_rows([[1.0, 2.0], [3.0, 4.0]])?);
/// assert_eq!((&a + &a)?.to_string(), "f64[2, 2] =\n  [[2.0, 4.0],\n   [6.0, 8.0]]");
/// # Ok::<(), tfc_api::Error>(())
/// ```
#[derive(Clone)]
pub struct EagerTensor(Arc<Value>);
struct Value {
    runtime: EagerRuntime,
    tensor: Tensor,
    history: History,
}
impl std::fmt::Display for EagerTensor {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.0.tensor.fmt(f)
    }
}
/// The value, and whether derivatives follow it.
impl std::fmt::Debug for EagerTensor {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let kind = match self.0.history {
            History::Constant => "constant",
            History::Leaf(_) => "variable",
            History::Node(..) => "followed",
        };
        write!(f, "{kind} {}", self.0.tensor)
    }
}

impl EagerTensor {
    #[inline]
    pub(super) fn new(runtime: &EagerRuntime, tensor: Tensor, history: History) -> EagerTensor {
        EagerTensor(Arc::new(Value { runtime: runtime.clone(), tensor, history }))
    }
    pub(super) fn history(&self) -> &History {
        &self.0.history
    }
    /// A variable of a runtime: see [`EagerRuntime::variable_from`].
    ///
    /// # Errors
    /// `E1036` where its dtype is neither floating nor complex.
    #[track_caller]
    pub fn requires_grad_in(tensor: Tensor, runtime: &EagerRuntime) -> Result<EagerTensor> {
        runtime.variable_from(tensor)
    }
    /// The runtime it belongs to.
    #[inline]
    pub fn runtime(&self) -> &EagerRuntime {
        &self.0.runtime
    }
    /// The value.
    #[inline]
    pub fn tensor(&self) -> &Tensor {
        &self.0.tensor
    }
    /// The value; no element is copied.
    pub fn to_tensor(&self) -> Tensor {
        self.0.tensor.clone()
    }
    /// Element type.
    pub fn dtype(&self) -> DType {
        self.0.tensor.dtype()
    }
    /// Extents.
    pub fn shape(&self) -> &[usize] {
        self.0.tensor.shape()
    }
    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.0.tensor.rank()
    }
    /// The only element of a tensor with one; `None` for another dtype.
    pub fn item<T: Element>(&self) -> Option<T> {
        self.0.tensor.item()
    }
    /// Whether derivatives follow the tensor: it is a variable, or computed from one.
    #[inline]
    pub fn tracks_grad(&self) -> bool {
        !matches!(self.0.history, History::Constant)
    }
    /// Whether both tensors belong to one runtime.
    pub fn same_context(&self, other: &EagerTensor) -> bool {
        self.runtime().same(other.runtime())
    }
    /// The same value as a constant.
    pub fn detach(&self) -> EagerTensor {
        self.detach_into(self.runtime())
    }
    /// The same value as a constant of a runtime, which may be another one.
    pub fn detach_into(&self, runtime: &EagerRuntime) -> EagerTensor {
        runtime.constant_from(self.to_tensor())
    }
    /// The gradient that [`EagerTensor::backward`] has added up for a variable since it was last cleared.
    ///
    /// # Errors
    /// `E1032` where there is none.
    pub fn grad(&self) -> Result<Tensor> {
        self.grad_optional().ok_or_else(|| {
            let why = match self.0.history {
                History::Leaf(_) => "no `backward` has reached this variable since its gradient was cleared",
                _ => "only variables keep gradients",
            };
            Error::new(Code::E1032, why).help("call `backward` on a loss that is computed from a variable")
        })
    }
    /// As [`EagerTensor::grad`]; `None` where there is none.
    pub fn grad_optional(&self) -> Option<Tensor> {
        match &self.0.history {
            History::Leaf(leaf) => leaf.grad().clone(),
            _ => None,
        }
    }
    /// Forgets the gradient of this variable.
    pub fn clear_grad(&self) {
        if let History::Leaf(leaf) = &self.0.history {
            *leaf.grad() = None;
        }
    }
}
