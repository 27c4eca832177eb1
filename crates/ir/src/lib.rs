//! The language of differentiable tensor programs, as data: types, extents, op rows, functions, the one builder,
//! derivative sweeps, printer, host tensors.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod attr;
pub mod batch;
pub mod binders;
pub mod budget;
pub mod builder;
pub mod code;
mod copy;
pub mod derive;
pub mod diag;
pub mod dtype;
pub mod extent;
mod finish;
pub mod func;
pub mod hash;
pub mod infer;
pub mod json;
pub mod law;
mod list;
mod map;
pub mod mesh;
pub mod module;
pub mod op;
pub mod ops;
pub mod outside;
pub mod places;
pub mod print;
mod reconcile;
pub mod sample;
pub mod scalar;
pub mod show;
pub mod slots;
pub mod small;
mod state;
pub mod storage;
pub mod tensor;
pub mod types;
pub mod verify;
pub mod words;

pub use attr::{Attr, Attrs, SymRef};
pub use budget::{Budget, Held, Limits};
pub use builder::{Builder, Opened};
pub use code::{Code, ErrorClass};
pub use diag::{Diagnostic, Error, Part, Result, Severity, Span};
pub use dtype::{BF16, C32, C64, DType, F16};
pub use extent::{CmpOp, Constraint, ExistId, Extent, ExtentEnv, ExtentNames, Facts, SymId, Truth};
pub use func::{
    BODY, Binder, Def, ExistDecl, Finished, Func, Guard, Op, OpId, Region, RegionId, SymDecl, Value, ValueId,
};
pub use infer::InferCx;
pub use list::ValueList;
pub use map::Map;
pub use mesh::{Mesh, Sharding};
pub use module::{DataDecl, DataId, FuncId, LocDecl, Module};
pub use op::{Effect, Family, NewOp, OpDef, OpSet};
pub use scalar::{ScalarFunction, ScalarOp};
pub use tensor::{Data, Element, Number, Rows, Slice, Tensor, TypedTensor};
pub use types::Type;
