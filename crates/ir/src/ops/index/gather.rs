//! `gather`.
use super::super::shape::{cotangent, extents_per_axis};
use super::*;
use crate::func::OpId;

/// `gather`.
pub static GATHER: OpDef = OpDef {
    name: "gather",
    doc: "Windows of `x` at the places that `index` names. The axis `index_vector_dim` of `index` holds index vectors \
          (its rank, the default: each element is one), whose components say where a window starts along the axes \
          `start_index_map` of `x` (default `[0, 1, …]`); along other axes it starts at 0. A window has the extents \
          `slice_sizes`; those of the axes `collapsed_slice_dims` are 1 and these axes are left out. Its other axes are \
          `offset_dims` of the result, the remaining axes of the result are those of `index`. The axes \
          `operand_batching_dims` of `x` are walked together with `start_indices_batching_dims` of `index`. \
          Dimension numbers are StableHLO's.\n\n\
          A window that does not lie inside `x` is moved inside, or, with `out_of_bounds = zero`, is all zero. Rows of a \
          matrix: `gather(%x, %i, offset_dims = [1], collapsed_slice_dims = [0], slice_sizes = shape[1, n])`.",
    operands: &["x", "index"],
    slots: &[
        Slot::optional("offset_dims", SlotKind::Ints),
        Slot::optional("collapsed_slice_dims", SlotKind::Ints),
        Slot::optional("operand_batching_dims", SlotKind::Ints),
        Slot::optional("start_indices_batching_dims", SlotKind::Ints),
        Slot::optional("start_index_map", SlotKind::Ints),
        Slot::optional("index_vector_dim", SlotKind::Int),
        Slot::required("slice_sizes", SlotKind::Extents),
        Slot::with_default(BOUNDS, SlotKind::Word(&[CLAMP, "zero"]), SlotDefault::Word(CLAMP)),
    ],
    infer,
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(|cx, o, ct| {
        let op = cx.op(o);
        let (x, i) = (op.operands[0], op.operands[1]);
        let dims = IndexDims::of_gather(&op.attrs, cx.src.ty(i));
        let i = cx.val(i)?;
        let so_far = cx.take_cotangent(x)?;
        let whole = cx.or_zero(so_far, x)?;
        let c = scatter(&mut cx.b, [whole, i, cotangent(ct)?], &dims, "add", clamps(&op.attrs, CLAMP))?;
        Ok(vec![Some(c), None])
    }),
    batch: Batch::Rule(batch),
    simplify: Some(known::gathered),
    sample: |cx| {
        let mut out = vec![];
        for (k, case) in CASES.iter().enumerate() {
            for clamp in [true, false] {
                let attrs = case.dims().attrs(&dims::GATHER).with("slice_sizes", Attr::extents(case.sizes()));
                out.push(cx.op(&case.params(cx, k), bounds(attrs, clamp, "zero"), None)?);
            }
        }
        Ok(out)
    },
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// The batch axis is the first.
fn batch(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let (operand, index) = (xs[0].axis.is_some(), xs[1].axis.is_some());
    let d = IndexDims::of_gather(&op.attrs, cx.src.ty(op.operands[1])).batched(operand, index);
    let mut attrs = cx.attrs(&op.attrs)?;
    let mut sizes = attrs.extents("slice_sizes").to_vec();
    if operand {
        sizes.insert(0, if index { Extent::exact(1) } else { cx.extent.clone() });
    }
    d.attrs(&dims::GATHER).iter().for_each(|(k, a)| attrs.set(k, a.clone()));
    attrs.set("slice_sizes", Attr::extents(sizes));
    let xs =
        xs.iter().map(|&x| if x.axis.is_some() { cx.at(x, 0) } else { Ok(x.value) }).collect::<Result<Vec<_>>>()?;
    cx.again(o, &xs, attrs, |_| 0)
}
fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    let d = IndexDims::check(cx, &dims::GATHER)?;
    let (x, index) = (cx.ty(0)?, cx.ty(1)?);
    let sizes = extents_per_axis(cx, "slice_sizes", x.rank())?;
    let part = Part::Attr("slice_sizes");
    for (a, s) in sizes.iter().enumerate() {
        if d.collapsed.contains(&a) || d.batch.contains(&a) {
            cx.equal(s, &Extent::exact(1), part, || format!("`slice_sizes` along axis {a}, which the result lacks"))?;
        } else {
            cx.demand(&Extent::exact(0), CmpOp::Le, s, part, &format!("window along axis {a}"))?;
        }
    }
    let clamp = clamps(cx.attrs(), CLAMP);
    windows_fit(cx, &d, &sizes, part, clamp)?;
    Ok(vec![d.result(&x, &index, &sizes)])
}
