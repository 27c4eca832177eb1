//! Elementwise ops: a table of rows. Operands have one type (`select` and `clamp` also take scalars for some), nothing
//! is broadcast or promoted, and the result has the shape of the operands.
//!
//! An op is one row of `rows!`: name, operands, the dtypes it takes, the dtype it gives, where its samples are drawn
//! from, its derivative, its documentation. Its meaning on every dtype is its [`ScalarOp`](crate::ScalarOp) (TFIR §5).
//!
//! Derivatives follow TFIR §7. A partial of a holomorphic function of a complex operand is `f'(z)`; the conjugate of the
//! Hermitian convention comes from the transpose of `mul` and `div`. What is only real-linear (`abs`, `sign`, `real`,
//! `imag`, `conj`, `complex`) has rules of its own.
mod binary;
mod bits;
mod choose;
mod compare;
mod convert;
mod functions;
mod kind;
mod power;
mod simplify;
pub mod small;
mod special;
mod unary;

use crate::code::Code;
pub use binary::*;
pub use bits::*;
pub use choose::*;
pub use compare::*;
pub use convert::*;
pub use functions::*;
pub use power::*;
pub use special::*;
pub use unary::*;

use crate::builder::Builder;
use crate::diag::{Error, Part, Result};
use crate::func::ValueId;
use crate::infer::InferCx;
use crate::op::{Family, NewOp, OpDef};
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;
use crate::{Attrs, DType};
use kind::Kind;

const PARTS: [Family; 9] = [
    unary::ROWS,
    functions::ROWS,
    special::ROWS,
    binary::ROWS,
    power::ROWS,
    bits::ROWS,
    compare::ROWS,
    choose::ROWS,
    convert::ROWS,
];
const LEN: usize = {
    let (mut n, mut i) = (0, 0);
    while i < PARTS.len() {
        n += PARTS[i].len();
        i += 1;
    }
    n
};
static ALL: [&OpDef; LEN] = {
    let mut all = [PARTS[0][0]; LEN];
    let (mut n, mut i) = (0, 0);
    while i < PARTS.len() {
        let mut k = 0;
        while k < PARTS[i].len() {
            all[n] = PARTS[i][k];
            (n, k) = (n + 1, k + 1);
        }
        i += 1;
    }
    all
};
/// The rows.
pub static FAMILY: Family = &ALL;

/// Rows whose operands have one type, and the list of them (behind `+`: rows written out in full). One row:
///
/// `SIN Sin "sin" ["x"] INEXACT => same, [Any], Partials(&[…]), "Documentation." { further: fields }`
macro_rules! rows {
    ($($S:ident $V:ident $name:literal $args:tt $kind:ident => $out:ident, $from:expr, $linearize:expr, $doc:literal
        $({ $($field:ident: $value:expr),* $(,)? })?;)* $(+ $($also:ident)*;)?) => {
        $(
            #[doc = $doc]
            pub static $S: OpDef = OpDef {
                name: $name,
                doc: $doc,
                operands: &$args,
                alike: (0, usize::MAX),
                scalar: Some(ScalarOp::$V),
                batch: Batch::Elementwise,
                infer: |cx| super::infer(cx, &super::kind::$kind, super::kind::$out),
                linearize: $linearize,
                sample: |cx| super::samples(cx, &super::kind::$kind, &$from),
                $($($field: $value,)*)?
                ..OpDef::BASE
            };
        )*
        pub(super) const ROWS: Family = &[$(&$S,)* $($(&$also,)*)?];
    };
}
use rows;

/// Operand `i` is of that kind.
fn want(cx: &InferCx, i: usize, kind: &Kind) -> Result<DType> {
    let d = cx.ty(i)?.dtype;
    if (kind.has)(d) {
        return Ok(d);
    }
    let text = format!("`{}` takes {}, not {d}", cx.def().name, kind.words);
    Err(Error::new(Code::E0203, text).operand(i).help(kind.help(d)))
}
/// All operands have one type of that kind; the result has its shape.
fn infer(cx: &mut InferCx, kind: &Kind, out: fn(DType) -> DType) -> Result<Vec<Type>> {
    let d = want(cx, 0, kind)?;
    for i in 1..cx.len() {
        cx.same_operands(0, i)?;
    }
    Ok(vec![cx.ty(0)?.with_dtype(out(d))])
}
/// Operand `i` is a scalar or has the extents of `like` (operand `j`).
fn scalar_or_like(cx: &mut InferCx, i: usize, like: &Type, j: usize) -> Result<()> {
    let t = cx.ty(i)?;
    if t.is_scalar() {
        return Ok(());
    }
    if t.rank() != like.rank() {
        let (a, b) = (cx.show(&t), cx.show(like));
        return Err(Error::new(Code::E0205, format!("operand {i} is {a}, but operand {j} is {b}"))
            .operand(i)
            .help("give a scalar, or one element for each element"));
    }
    for (k, (x, y)) in t.dims.iter().zip(like.dims.iter()).enumerate() {
        cx.equal(x, y, Part::Operand(i), || format!("operands {i} and {j}, axis {k}"))?;
    }
    Ok(())
}
/// The op on parameters drawn from `from` (complex ones from anywhere off the axes, where every branch cut lies).
fn samples(cx: &SampleCx, kind: &Kind, from: &[Domain]) -> Result<Vec<Sample>> {
    if !(kind.has)(cx.dtype) {
        return Ok(vec![]);
    }
    let draw = |d: &Domain| if cx.dtype.is_complex() { Domain::Any } else { *d };
    let params: Vec<_> = from.iter().map(|d| (cx.ty(&[2, 3]), draw(d))).collect();
    Ok(vec![cx.op(&params, Attrs::none(), None)?])
}
/// The op of a row without attributes.
fn apply(b: &mut Builder, def: &'static OpDef, operands: &[ValueId]) -> Result<ValueId> {
    b.emit1(NewOp::new(def, operands))
}
