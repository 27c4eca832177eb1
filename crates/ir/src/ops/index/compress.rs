//! `take`, `compress`, `nonzero`: composites of `gather` and `scatter`. What a mask selects is found once, as positions of
//! an extent that the mask decides; gradients flow through the `gather` at those positions alone.
use super::super::constant::IOTA;
use super::super::extents::{DIM_VALUE, EXTENT};
use super::super::order::CUMSUM;
use super::*;
use crate::code::Code;
use crate::extent::Constraint;

/// `take`.
pub static TAKE: OpDef = OpDef {
    name: "take",
    doc: "The elements of `x` at the indices `i` along `axis`: the axes of `i` stand in the place of that axis. An index \
          outside is moved inside, or, with `out_of_bounds = zero`, reads zeros.",
    operands: &["x", "i"],
    slots: &[
        Slot::required("axis", SlotKind::Int),
        Slot::with_default(BOUNDS, SlotKind::Word(&[CLAMP, "zero"]), SlotDefault::Word(CLAMP)),
    ],
    infer: |cx| {
        cx.want_dtype(1, DType::is_index, "integer indices of 32 or 64 bits")
            .map_err(|e| e.help("insert `convert`"))?;
        let (x, i) = (cx.ty(0)?, cx.ty(1)?);
        let axis = cx.axis("axis", x.rank())?;
        if clamps(cx.attrs(), CLAMP) {
            let what = format!("axis {axis}, into which indices are moved");
            cx.demand(&Extent::exact(1), CmpOp::Le, &x.dims[axis], Part::Operand(0), &what)?;
        }
        Ok(vec![x.with_dims([&x.dims[..axis], &i.dims, &x.dims[axis + 1..]].concat())])
    },
    expand: Expand::Composite(|b, op| {
        let (x, i, axis) = (op.operands[0], op.operands[1], op.attrs.int("axis") as usize);
        Ok(vec![take(b, x, i, axis, clamps(&op.attrs, CLAMP))?])
    }),
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    sample: |cx| {
        let cases: &[(&[usize], &[usize], i64)] =
            &[(&[4], &[], 0), (&[4], &[5], 0), (&[3, 2], &[2, 2], 0), (&[2, 3, 2], &[4], 1), (&[2, 3], &[0], 1)];
        let mut out = vec![];
        for (k, (x, i, axis)) in cases.iter().enumerate() {
            let index = (Type::exact(DType::I64, i), Domain::Ints(-2, 4));
            let attrs = bounds(Attrs::of([("axis", Attr::Int(*axis))]), k % 2 == 0, "zero");
            out.push(cx.op(&[(cx.ty(x), Domain::Any), index], attrs, None)?);
        }
        Ok(out)
    },
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `compress`.
pub static COMPRESS: OpDef = OpDef {
    name: "compress",
    doc: "The elements of `x` where `mask` is true, in logical order (last axis fastest), as one axis whose extent the mask \
          decides: `%y: f64[?r] = compress(%x, %mask)`. Both operands have one shape, as in NumPy's `x[mask]`. With \
          `axis`, `mask` has one axis and selects along that axis of `x`, as NumPy's `compress`. The extent is at most \
          the number of elements that could be selected.",
    operands: &["x", "mask"],
    slots: &[Slot::optional("axis", SlotKind::Int)],
    infer: infer_compress,
    expand: Expand::Composite(|b, op| {
        let (x, mask) = (op.operands[0], op.operands[1]);
        let (x, axis) = match op.attrs.get("axis") {
            Some(_) => (x, op.attrs.int("axis") as usize),
            None => (flat(b, x)?, 0),
        };
        let mask = flat(b, mask)?;
        let at = positions(b, mask)?;
        Ok(vec![take(b, x, at, axis, false)?])
    }),
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    sample: sample_compress,
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `nonzero`.
pub static NONZERO: OpDef = OpDef {
    name: "nonzero",
    doc: "Where `x` is not zero (true, for bool; NaN is not zero): the indices along each axis, one `i64[?r]` an axis, in \
          logical order (last axis fastest), as in NumPy. The extent is at most the number of elements. A scalar has no \
          axis to index: reshape it to one element.",
    operands: &["x"],
    infer: |cx| {
        let x = cx.ty(0)?;
        if x.rank() == 0 {
            return Err(Error::new(Code::E0205, "`nonzero` gives one index an axis, and a scalar has none")
                .operand(0)
                .help("reshape it to one element: `reshape(%x)` to `[1]`"));
        }
        let r = selected(cx, "r", &product(&x.dims)?);
        Ok(vec![Type::new(DType::I64, [r]); x.rank()])
    },
    expand: Expand::Composite(expand_nonzero),
    linearize: Linearize::Zero,
    batch: Batch::Expand,
    sample: |cx| {
        let shapes: &[&[usize]] = &[&[4], &[2, 3], &[2, 0], &[2, 1, 3]];
        shapes.iter().map(|s| cx.op(&[(cx.ty(s), Domain::Ints(0, 1))], Attrs::none(), None)).collect()
    },
    ..OpDef::BASE
};

/// A new extent for what is selected out of `n`.
fn selected(cx: &mut InferCx, name: &str, n: &Extent) -> Extent {
    let r = Extent::exist(cx.fresh_exist(name));
    cx.add_where(Constraint { lhs: r.clone(), op: CmpOp::Le, rhs: n.clone() });
    r
}
fn infer_compress(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_dtype(1, |d| d == DType::Bool, "a bool mask")
        .map_err(|e| e.help("compare first: `gt`, `ne`, … give bool"))?;
    let (x, mask) = (cx.ty(0)?, cx.ty(1)?);
    if cx.attrs().get("axis").is_none() {
        let like = mask.with_dtype(x.dtype);
        cx.agree(&x, &like, Part::Operand(1), "operand and mask").map_err(|e| match e.data().code {
            Code::E0205 => e.help("a mask of one axis selects along `axis = …`"),
            _ => e,
        })?;
        return Ok(vec![x.with_dims(vec![selected(cx, "r", &product(&x.dims)?)])]);
    }
    let axis = cx.axis("axis", x.rank())?;
    if mask.rank() != 1 {
        let text = format!("a mask along one axis has one axis, not {}: {}", mask.rank(), cx.show(&mask));
        return Err(Error::new(Code::E0205, text).operand(1).help("leave `axis` out to select elements"));
    }
    let what = || format!("axis {axis} of operand 0 and axis 0 of operand 1");
    cx.equal(&x.dims[axis], &mask.dims[0], Part::Operand(1), what)?;
    let mut dims = x.dims.to_vec();
    dims[axis] = selected(cx, "r", &x.dims[axis]);
    Ok(vec![x.with_dims(dims)])
}
/// `x` at the indices `i` along `axis`.
pub(super) fn take(b: &mut Builder, x: ValueId, i: ValueId, axis: usize, clamp: bool) -> Result<ValueId> {
    let (ty, rank) = (b.ty(x), b.func().ty(i).rank());
    let dims = IndexDims {
        window: (0..axis).chain(axis + rank..ty.rank() + rank - 1).collect(),
        collapsed: vec![axis],
        batch: vec![],
        index_batch: vec![],
        map: vec![axis],
        vector: rank,
    };
    let mut sizes = ty.dims.to_vec();
    sizes[axis] = Extent::exact(1);
    gather(b, x, i, &dims, sizes, clamp)
}
/// All elements along one axis, in logical order.
fn flat(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let ty = b.ty(x);
    let line = ty.with_dims(vec![product(&ty.dims)?]);
    b.reshape(x, &line)
}
/// The positions of the true elements of a mask of one axis, `i64[?r]`: each true element sets its own position at the
/// number of true elements before it.
fn positions(b: &mut Builder, mask: ValueId) -> Result<ValueId> {
    let all = b.ty(mask).with_dtype(DType::I64);
    let hit = b.convert(mask, DType::I64)?;
    let count = b.reduce_sum(hit, &[0])?;
    let r = Extent::exist(b.exist("r", Default::default()));
    let mut bind = NewOp::new(&EXTENT, &[count]).attr("extent", Attr::extent(r.clone()));
    bind.wheres = vec![Constraint { lhs: r.clone(), op: CmpOp::Le, rhs: all.dims[0].clone() }];
    b.emit(bind)?;
    let before = b.emit1(NewOp::new(&CUMSUM, &[hit]).attr("axis", Attr::Int(0)))?;
    let before = b.sub(before, hit)?;
    // Elements that are not selected go nowhere.
    let nowhere = b.splat(&all, -1.0)?;
    let to = b.select(mask, before, nowhere)?;
    let own = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![all.clone()]))?;
    let zeros = b.zeros(&all.with_dims(vec![r]))?;
    let dims =
        IndexDims { window: vec![], collapsed: vec![0], batch: vec![], index_batch: vec![], map: vec![0], vector: 1 };
    scatter(b, [zeros, to, own], &dims, "set", false)
}
fn expand_nonzero(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    let x = op.operands[0];
    let ty = b.ty(x);
    let mask = if ty.dtype == DType::Bool {
        x
    } else {
        let zeros = b.zeros(&ty)?;
        b.ne(x, zeros)?
    };
    let mask = flat(b, mask)?;
    let mut at = positions(b, mask)?;
    let line = b.ty(at);
    let mut out = vec![];
    for n in ty.dims.iter().skip(1).rev() {
        let n = match n.as_exact() {
            Some(n) => b.splat(&line, n as f64)?,
            None => {
                let n = b.emit1(NewOp::new(&DIM_VALUE, &[]).attr("extent", Attr::extent(n.clone())))?;
                b.broadcast(n, &line, &[])?
            }
        };
        out.push(b.rem(at, n)?);
        at = b.div(at, n)?;
    }
    out.push(at);
    out.reverse();
    Ok(out)
}
/// The selected elements themselves, and squared and summed beside a tensor that the extent does not touch.
fn sample_compress(cx: &SampleCx) -> Result<Vec<Sample>> {
    let cases: &[(&[usize], &[usize], Option<i64>)] = &[
        (&[5], &[5], None),
        (&[2, 3], &[2, 3], None),
        (&[], &[], None),
        (&[0, 2], &[0, 2], None),
        (&[2, 3], &[3], Some(1)),
        (&[3, 2], &[3], Some(0)),
    ];
    let mut out = vec![];
    for (x, mask, axis) in cases {
        let attrs = Attrs::of(axis.map(|a| ("axis", Attr::Int(a))));
        let params = [(cx.ty(x), Domain::Any), (Type::exact(DType::Bool, mask), Domain::Any)];
        out.push(cx.op(&params, attrs.clone(), None)?);
        if cx.dtype.is_inexact() {
            out.push(cx.program(&params, |b, p| {
                let y = b.emit1(NewOp::new(&COMPRESS, p).attrs(attrs))?;
                let y = b.mul(y, y)?;
                let axes: Vec<usize> = (0..b.ty(y).rank()).collect();
                Ok(vec![b.reduce_sum(y, &axes)?])
            })?);
        }
    }
    Ok(out)
}
