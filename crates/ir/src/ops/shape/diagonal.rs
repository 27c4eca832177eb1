//! `tril`, `triu`, `extract_diag`, `embed_diag`: matrices are the two leading axes, batch axes trail (TFIR §5).
use super::*;
use crate::code::Code;
use crate::sample::{Domain, Sample, SampleCx};

const BAND: OpDef = OpDef {
    operands: &["x"],
    slots: &[Slot::with_default("k", SlotKind::Int, SlotDefault::Int(0))],
    infer: |cx| Ok(vec![matrix(cx)?]),
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(tr_same),
    movement: Movement { places: Places::Axes(|f, op, i| across(f, op, i, "")), ..Movement::NONE },
    batch: Batch::Rule(trailing),
    sample: sample_band,
    ..OpDef::BASE
};
/// `tril`.
pub static TRIL: OpDef = OpDef {
    name: "tril",
    doc: "Lower triangle of matrices: element `[i, j]` is kept where `j - i <= k`, elsewhere 0 (`false`). Matrices are the \
          two leading axes, batch axes trail.",
    small: OnSmall::Kept,
    ..BAND
};
/// `triu`.
pub static TRIU: OpDef = OpDef {
    name: "triu",
    doc: "Upper triangle of matrices: element `[i, j]` is kept where `j - i >= k`, elsewhere 0 (`false`). Matrices are the \
          two leading axes, batch axes trail.",
    small: OnSmall::Kept,
    ..BAND
};
/// `extract_diag`.
pub static EXTRACT_DIAG: OpDef = OpDef {
    name: "extract_diag",
    doc: "Main diagonals of matrices: the two leading axes `m, n` become one axis of extent `min(m, n)`; batch axes trail.",
    operands: &["x"],
    infer: |cx| {
        let x = matrix(cx)?;
        let k = Extent::min(&x.dims[0], &x.dims[1])?;
        Ok(vec![x.without(&[0, 1]).with_axis(0, k)])
    },
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(tr_extract),
    batch: Batch::Rule(trailing),
    sample: |cx| {
        let shapes: &[&[usize]] = &[&[3, 3], &[2, 3], &[3, 2], &[1, 1], &[0, 2], &[3, 2, 2], &[2, 2, 1, 3]];
        shapes.iter().map(|s| cx.op(&[(cx.ty(s), Domain::Any)], Attrs::none(), None)).collect()
    },
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `embed_diag`.
pub static EMBED_DIAG: OpDef = OpDef {
    name: "embed_diag",
    doc: "Diagonal matrices: the leading axis `n` becomes two leading axes `n, n` with the elements on the main diagonal \
          and 0 (`false`) elsewhere; batch axes trail.",
    operands: &["x"],
    infer: |cx| {
        let x = cx.ty(0)?;
        let Some(n) = x.dims.first().cloned() else {
            return Err(Error::new(Code::E0205, "`embed_diag` needs at least one axis, a scalar has none").operand(0));
        };
        Ok(vec![x.with_axis(0, n)])
    },
    linearize: Linearize::Multilinear,
    batch: Batch::Rule(trailing),
    transpose: Transpose::Rule(|cx, _, ct| {
        let c = cotangent(ct)?;
        Ok(vec![Some(cx.b.emit1(NewOp::new(&EXTRACT_DIAG, &[c]))?)])
    }),
    sample: |cx| {
        let shapes: &[&[usize]] = &[&[3], &[1], &[0], &[2, 3], &[2, 1, 2]];
        shapes.iter().map(|s| cx.op(&[(cx.ty(s), Domain::Any)], Attrs::none(), None)).collect()
    },
    small: OnSmall::Kept,
    ..OpDef::BASE
};

/// Operand 0: matrices in the two leading axes.
pub(crate) fn matrix(cx: &InferCx) -> Result<Type> {
    let x = cx.ty(0)?;
    if x.rank() < 2 {
        return Err(Error::new(
            Code::E0205,
            format!("`{}` takes matrices in the two leading axes, not {}", cx.def().name, cx.show(&x)),
        )
        .operand(0));
    }
    Ok(x)
}
fn tr_extract(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let x = cx.ty(op.operands[0])?;
    let e = cx.b.emit1(NewOp::new(&EMBED_DIAG, &[cotangent(ct)?]))?;
    let square = cx.b.ty(e);
    let mut high = vec![];
    for (n, k) in x.dims.iter().zip(square.dims.iter()) {
        high.push(n.sub(k)?);
    }
    let low = vec![Extent::exact(0); x.rank()];
    Ok(vec![Some(pad(&mut cx.b, e, None, &low, &high, &[], &x)?)])
}
fn sample_band(cx: &SampleCx) -> Result<Vec<Sample>> {
    let shapes: &[(&[usize], i64)] = &[
        (&[3, 3], 0),
        (&[2, 4], 1),
        (&[4, 2], -1),
        (&[1, 1], 0),
        (&[3, 2, 2], 0),
        (&[0, 3], 0),
        (&[2, 3], 9),
        (&[2, 2, 1, 3], -9),
    ];
    shapes.iter().map(|(s, k)| cx.op(&[(cx.ty(s), Domain::Any)], Attrs::of([("k", Attr::Int(*k))]), None)).collect()
}
