//! The language of differentiable tensor programs, as data: types, extents, op rows, functions, the one builder,
//! derivative sweeps, printer, host tensors.
pub mod attr;
pub mod builder;
mod copy;
pub mod derive;
pub mod diag;
pub mod dtype;
pub mod extent;
pub mod func;
pub mod infer;
pub mod json;
mod map;
pub mod module;
pub mod op;
pub mod ops;
pub mod print;
mod reconcile;
pub mod sample;
pub mod scalar;
pub mod slots;
pub mod storage;
pub mod tensor;
pub mod types;
pub mod verify;

pub use attr::{Attr, Attrs, SymRef};
pub use builder::{Builder, Opened};
pub use diag::{Diagnostic, Error, Part, Result, Severity, Span};
pub use dtype::{C32, C64, DType};
pub use extent::{CmpOp, Constraint, ExistId, Extent, ExtentEnv, ExtentNames, Facts, SymId, Truth};
pub use func::{BODY, Binder, Def, ExistDecl, Func, Guard, Op, OpId, Region, RegionId, SymDecl, Value, ValueId};
pub use infer::InferCx;
pub use map::Map;
pub use module::{DataDecl, DataId, FuncId, LocDecl, Module};
pub use op::{Effect, Family, NewOp, OpDef, OpSet};
pub use scalar::ScalarOp;
pub use tensor::{Data, Element, Tensor, TypedTensor};
pub use types::Type;
