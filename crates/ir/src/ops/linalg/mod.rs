//! Linear algebra: factorisations of matrices and what is made of them. The matrix is the two leading axes, batch axes
//! trail (TFIR §5).
//!
//! Derivatives are ordinary statements: products, elementwise factors from the singular or eigenvalues, triangular
//! solves. Denominators that vanish are replaced by 1 before they divide and their terms by 0 afterwards, so nothing here
//! makes a NaN or an infinity out of equal or vanishing values.
mod cholesky;
mod determinant;
mod divided;
mod eig;
mod eigh;
mod factor;
mod function;
mod gauge;
mod hard;
mod householder;
mod known;
mod laws;
mod least;
mod lu;
mod norm;
mod qr;
mod schur;
mod solve;
mod spectral;
mod svd;
mod triangular;
mod tridiagonal;
mod trunc;
mod values;
mod weighted;

use crate::code::Code;
pub use cholesky::CHOLESKY;
pub use determinant::{ADJUGATE, DET, SLOGDET};
pub use eig::EIG;
pub use eigh::EIGH;
pub(crate) use factor::as_spectral;
pub use function::{EXPM, FRECHET, LOGM, SQRTM};
pub use gauge::GAUGE;
pub use householder::{QR_FACTOR, QR_MULTIPLY};
pub use known::KNOWN;
pub use least::{LSTSQ, PINV};
pub use lu::LU_FACTOR;
pub use norm::{KRON, NORM, TRACE};
pub use qr::{QR, QR_PIVOTED};
pub use schur::{HESSENBERG, SCHUR};
pub use solve::{INV, LU, SMALL_SOLVE, SOLVE};
pub use spectral::SPECTRAL;
pub use svd::SVD;
pub use triangular::{TRIANGULAR_SOLVE, Triangular};
pub use tridiagonal::TRIDIAGONAL_SOLVE;
pub use trunc::{EIGH_TRUNC, QR_RANK, SVD_TRUNC};
pub use values::{COMPLEMENT, EIGH_GEN, EIGVALS, EIGVALSH, SVD_FULL, SVDVALS};

use super::contract::DotDims;
use super::index::GATHER;
use super::shape::EXTRACT_DIAG;
use crate::attr::{Attr, Attrs};
use crate::batch::trailing;
use crate::builder::Builder;
use crate::derive::{Linearizer, Transposer};
use crate::diag::{Error, Result};
use crate::extent::{CmpOp, Constraint, Extent};
use crate::func::{OpId, ValueId};
use crate::infer::InferCx;
use crate::op::*;
use crate::sample::{Domain, Sample, SampleCx};
use crate::tensor::Tensor;
use crate::types::Type;
use crate::{C32, C64, DType};

/// The rows.
pub static FAMILY: Family = &[
    &SVD,
    &SVD_TRUNC,
    &QR,
    &QR_PIVOTED,
    &QR_RANK,
    &EIGH,
    &EIGH_TRUNC,
    &CHOLESKY,
    &LU_FACTOR,
    &QR_FACTOR,
    &QR_MULTIPLY,
    &HESSENBERG,
    &SCHUR,
    &EIG,
    &TRIANGULAR_SOLVE,
    &TRIDIAGONAL_SOLVE,
    &SOLVE,
    &INV,
    &DET,
    &SLOGDET,
    &LU,
    &GAUGE,
    &KNOWN,
    &SPECTRAL,
    &EXPM,
    &LOGM,
    &SQRTM,
];
/// Rows that are made of these.
pub static MADE_OF: Family = &[
    &TRACE,
    &ADJUGATE,
    &KRON,
    &NORM,
    &SVDVALS,
    &EIGVALSH,
    &EIGVALS,
    &EIGH_GEN,
    &SVD_FULL,
    &COMPLEMENT,
    &PINV,
    &LSTSQ,
    &FRECHET,
];
/// Why some of them have no law.
const MADE: Law = Law::None("it is made of rows that have laws, and its values are compared with known ones");

/// What a factorisation does with a matrix that it cannot factor.
const ON_FAIL: Slot = Slot::with_default("on_fail", SlotKind::Word(&["error", "nan"]), SlotDefault::Word("error"));
/// What the derivative does about equal singular or eigenvalues.
const DEGENERATE: Slot =
    Slot::with_default("degenerate", SlotKind::Word(&["error", "damp"]), SlotDefault::Word("error"));
/// Which values count as equal, relative to the largest.
const EPS: Slot = Slot::optional("eps", SlotKind::Float);

/// Operand 0: matrices of real or complex floating numbers.
fn matrices(cx: &InferCx) -> Result<Type> {
    cx.want_field(0)?;
    super::shape::matrix(cx)
}
/// `eps` is a number at least 0.
fn check_eps(cx: &InferCx) -> Result<()> {
    if let Some(Attr::Float(e)) = cx.attrs().get("eps")
        && (e.is_nan() || *e < 0.0)
    {
        return Err(Error::new(Code::E0227, format!("`eps` is at least 0, not {e}")).attr("eps"));
    }
    Ok(())
}
/// The leading entry of a vector, which is made real and positive, is the first whose modulus is at least this part of the
/// largest: rounding does not choose between equal ones.
pub const LEADING: f64 = 0.999;
/// The factor by which a relative difference must exceed rounding before it means anything: the default of `eps` is
/// this many units in the last place of 1.
const ULPS: f64 = 512.0;
/// Unit in the last place of 1.
fn unit(dtype: DType) -> f64 {
    dtype.epsilon()
}
/// `eps`, or its default for that dtype.
fn eps_of(attrs: &Attrs, dtype: DType) -> f64 {
    match attrs.get("eps") {
        Some(Attr::Float(e)) => *e,
        _ => ULPS * unit(dtype),
    }
}

/// What counts as rounding in a check of cotangents: values that are equal up to `eps` leave a multiple of it.
fn tolerance(attrs: &Attrs, dtype: DType) -> Attr {
    Attr::Float(unit(dtype).sqrt() + 16.0 * eps_of(attrs, dtype))
}

/// A matrix operand of a product: the value, the axis summed over, and whether it is conjugated.
type Side = (ValueId, usize, bool);
/// The product of matrices over one axis of each; free axes in order, batch axes trail.
fn product(b: &mut Builder, x: Side, y: Side) -> Result<ValueId> {
    let batch: Vec<usize> = (2..b.func().ty(x.0).rank()).collect();
    let complex = b.func().ty(x.0).dtype.is_complex();
    let dims = DotDims {
        contract: [vec![x.1], vec![y.1]],
        batch: [batch.clone(), batch],
        conj_lhs: complex && x.2,
        conj_rhs: complex && y.2,
        ..DotDims::default()
    };
    b.dot(x.0, y.0, &dims)
}
/// `x y`.
fn mm(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    product(b, (x, 1, false), (y, 0, false))
}
/// `xᴴ y`.
fn hm(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    product(b, (x, 0, true), (y, 0, false))
}
/// `x yᴴ`.
fn mh(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    product(b, (x, 1, false), (y, 1, true))
}
/// `xᴴ`.
fn adjoint(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let perm: Vec<usize> = [1, 0].into_iter().chain(2..b.func().ty(x).rank()).collect();
    let t = b.transpose(x, &perm)?;
    b.conj_if_complex(t)
}
/// `x[p, :]` or, along axis 1, `x[:, p]`.
fn pick(b: &mut Builder, x: ValueId, p: ValueId, axis: usize) -> Result<ValueId> {
    let ty = b.ty(x);
    let (batch, kept) = (ty.rank().saturating_sub(2), 1 - axis);
    let mut sizes = vec![Extent::exact(1); ty.rank()];
    sizes[kept] = ty.dims[kept].clone();
    let mut op = NewOp::new(&GATHER, &[x, p])
        .attr("offset_dims", Attr::ints(&[kept]))
        .attr("collapsed_slice_dims", Attr::ints(&[axis]))
        .attr("start_index_map", Attr::ints(&[axis]))
        .attr("slice_sizes", Attr::extents(sizes))
        // No index is out of bounds; so that a matrix of which there is nothing to be moved needs no place to move to.
        .attr("out_of_bounds", Attr::word("zero"));
    if batch > 0 {
        let axes = |from: usize| Attr::ints(&(from..from + batch).collect::<Vec<_>>());
        op = op.attr("operand_batching_dims", axes(2)).attr("start_indices_batching_dims", axes(1));
    }
    b.emit1(op)
}
/// The type with the leading axis once more in front: matrices of pairs.
fn pairs_type(s: &Type) -> Type {
    match s.dims.first().cloned() {
        Some(k) => s.with_axis(0, k),
        None => s.clone(),
    }
}
/// `s` along axis `axis` of matrices of that type.
fn along(b: &mut Builder, s: ValueId, ty: &Type, axis: usize) -> Result<ValueId> {
    let dims: Vec<usize> = std::iter::once(axis).chain(2..ty.rank()).collect();
    b.broadcast(s, &ty.with_dtype(b.func().ty(s).dtype), &dims)
}
/// The largest `|s|` of each matrix, 1 where all are 0, in the shape of `s`.
fn scale_of(b: &mut Builder, s: ValueId) -> Result<ValueId> {
    let ty = b.ty(s);
    let a = b.abs(s)?;
    let top = super::reduce::reduce(b, &super::reduce::REDUCE_MAX, a, &[0])?;
    let zero = b.like(top, 0.0)?;
    let one = b.like(top, 1.0)?;
    let some = b.gt(top, zero)?;
    let top = b.select(some, top, one)?;
    super::reduce::expand(b, top, &ty, &[0])
}
/// Reciprocals of `x`, whose size is to be compared with `scale` (same shape), and where they stand for 0:
/// * `damp`: `x / (x² + (eps·scale)²)` and nowhere;
/// * else `1 / x`, and 0 where `|x| <= eps·scale`.
fn reciprocal(b: &mut Builder, x: ValueId, scale: ValueId, eps: f64, damp: bool) -> Result<(ValueId, ValueId)> {
    let rel = b.div(x, scale)?;
    let zero = b.like(x, 0.0)?;
    let one = b.like(x, 1.0)?;
    if damp {
        let width = b.like(x, eps * eps)?;
        let square = b.mul(rel, rel)?;
        let below = b.add(square, width)?;
        // At 0 (the diagonal, for one) the slope is 1/eps², which higher derivatives must not multiply by; and `eps` may be 0.
        let none = b.eq(rel, zero)?;
        let below = b.select(none, one, below)?;
        let q = b.div(rel, below)?;
        return Ok((b.div(q, scale)?, none));
    }
    let least = b.like(x, eps)?;
    let size = b.abs(rel)?;
    let near = b.le(size, least)?;
    let safe = b.select(near, one, x)?;
    let q = b.div(one, safe)?;
    Ok((b.select(near, zero, q)?, near))
}
/// Main diagonals.
fn diagonal(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    b.emit1(NewOp::new(&EXTRACT_DIAG, &[x]))
}
/// The real part of a complex value, a real one itself.
fn real_part(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    if b.func().ty(x).dtype.is_complex() { b.real(x) } else { Ok(x) }
}
/// `lhs op rhs`.
fn fact(lhs: &Extent, op: CmpOp, rhs: &Extent) -> Constraint {
    Constraint { lhs: lhs.clone(), op, rhs: rhs.clone() }
}

/// Shapes that every factorisation is tried on: tall, wide, square, empty, batched.
const SHAPES: &[&[usize]] = &[&[3, 2], &[2, 4], &[3, 3], &[1, 1], &[0, 3], &[3, 0], &[4, 2, 2], &[2, 3, 1, 2]];
/// Adds 3, 6, 9, … to the main diagonals: singular values and eigenvalues of what `Domain::Any` draws are then well apart,
/// which differences need.
fn spread(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let ty = b.ty(x);
    let Some(shape) = ty.exact_shape() else { return Ok(x) };
    let (m, n) = (shape[0], shape[1]);
    let list: Vec<f64> =
        (0..m * n).map(|i| if n > 0 && i / n == i % n { 3.0 * (1 + i / n) as f64 } else { 0.0 }).collect();
    let t = Tensor::from_logical(&[m, n], list)?;
    let d = b.emit1(NewOp::new(&super::constant::CONST, &[]).attr("value", Attr::Tensor(t)))?;
    let d = b.convert(d, ty.dtype)?;
    let d = b.broadcast(d, &ty, &[0, 1])?;
    b.add(x, d)
}
