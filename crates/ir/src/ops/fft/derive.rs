//! Adjoints of transforms. `W` is symmetric, so that its adjoint is its conjugate: the inverse transform without its factor,
//! which is the inverse of the opposite `norm`.
//!
//! Of a real line's spectrum the numbers 0 to `n/2` are kept. The inverse adds numbers `k` and `n - k`, conjugates of each
//! other: what is kept counts twice, but for number 0 and, of an even `n`, number `n/2`, which are their own partners. That is
//! by how much a real transform and its inverse fail to be each other's adjoint (the symmetry: Sorensen, Jones, Heideman &
//! Burrus, *Real-valued fast Fourier transform algorithms*, IEEE Trans. ASSP 35, 1987, §II).
use super::*;
use crate::builder::Builder;
use crate::derive::Transposer;
use crate::func::{OpId, ValueId};
use crate::ops::constant::IOTA;
use crate::ops::shape::cotangent;

type Cotangents = Result<Vec<Option<ValueId>>>;

/// Row `def` along the same axes, by the norm that makes it the adjoint.
fn adjoint(def: &'static OpDef, attrs: &Attrs, x: ValueId) -> NewOp {
    let axes = Attr::ints(&attrs.indices("axes"));
    NewOp::new(def, &[x]).attr("axes", axes).attr("norm", Attr::word(Norm::of(attrs).adjoint()))
}
/// Transposes `fft` and `ifft`.
pub(super) fn complex(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>], inverse: &'static OpDef) -> Cotangents {
    let new = adjoint(inverse, &cx.op(o).attrs, cotangent(ct)?);
    Ok(vec![Some(cx.b.emit1(new)?)])
}
/// Transposes `rfft`: half the inverse of the cotangent, in which numbers that are their own partners count twice.
pub(super) fn real(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Cotangents {
    let op = cx.op(o);
    let (x, c, a) = (cx.ty(op.operands[0])?, cotangent(ct)?, last(&op.attrs));
    let n = x.dims[a].clone();
    let twice = cx.b.add(c, c)?;
    let paired = paired(&mut cx.b, c, a, &n)?;
    let c = cx.b.select(paired, c, twice)?;
    let y = cx.b.emit1(adjoint(&IRFFT, &op.attrs, c).attr("length", Attr::extent(n)))?;
    let half = cx.b.like(y, 0.5)?;
    Ok(vec![Some(cx.b.mul(half, y)?)])
}
/// Transposes `irfft`: the transform, in which numbers with partners count twice.
pub(super) fn inverse_real(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Cotangents {
    let op = cx.op(o);
    let (c, a) = (cotangent(ct)?, last(&op.attrs));
    let n = cx.b.ty(c).dims[a].clone();
    let y = cx.b.emit1(adjoint(&RFFT, &op.attrs, c))?;
    let twice = cx.b.add(y, y)?;
    let paired = paired(&mut cx.b, y, a, &n)?;
    Ok(vec![Some(cx.b.select(paired, twice, y)?)])
}
/// The axis that is halved. Inference has seen that there is one.
fn last(attrs: &Attrs) -> usize {
    attrs.indices("axes").last().copied().unwrap_or(0)
}
/// Which numbers along axis `a` of half a spectrum have partners in the other half of the `n`: a mask of the shape of `y`.
fn paired(b: &mut Builder, y: ValueId, a: usize, n: &Extent) -> Result<ValueId> {
    let ty = b.ty(y);
    let line = Type::new(DType::I64, [ty.dims[a].clone()]);
    let k = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![line.clone()]))?;
    let (zero, n) = (b.zeros(&line)?, b.dim_value(n.clone())?);
    let (n, twice) = (b.broadcast(n, &line, &[])?, b.add(k, k)?);
    let (above, below) = (b.gt(k, zero)?, b.lt(twice, n)?);
    let both = b.and(above, below)?;
    b.broadcast(both, &ty.with_dtype(DType::Bool), &[a])
}
