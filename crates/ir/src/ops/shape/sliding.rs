//! `windows`, `overlap_add`: sliding windows, and what is transposed to them.
//!
//! Everything that works window by window is made of these: pooling is a reduction over windows, a convolution a product
//! with them. On the CPU windows are strides and are not copied.
use super::*;
use crate::batch::shift;
use crate::code::Code;
use crate::extent::CmpOp;
use crate::ops::reduce::NUMBERS;
use crate::sample::{Domain, Sample, SampleCx};

const SLIDING: OpDef = OpDef {
    slots: &[
        Slot::required("axes", SlotKind::Ints),
        Slot::required("size", SlotKind::Extents),
        Slot::optional("stride", SlotKind::Extents),
        Slot::optional("dilation", SlotKind::Extents),
    ],
    ..OpDef::BASE
};
/// `windows`.
pub static WINDOWS: OpDef = OpDef {
    name: "windows",
    doc: "Sliding windows along `axes`: axis `axes[i]` of extent `n` becomes the axis that counts windows, and the elements of \
          a window, `size[i]` of them, become a new axis behind all others, in the order of `axes`. Windows start `stride[i]` \
          elements apart (1 unless given) and their elements are `dilation[i]` apart (1 unless given); there are as many as lie \
          inside: `floordiv(n - (size - 1)*dilation - 1, stride) + 1`, or none. `size`, `stride` and `dilation` are at least 1, \
          or this is checked at run time.",
    operands: &["x"],
    infer: |cx| {
        let x = cx.ty(0)?;
        Ok(vec![x.with_dims(Sliding::check(cx, x.rank())?.dims(&x)?)])
    },
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(|cx, o, ct| other(cx, o, ct, &OVERLAP_ADD)),
    movement: Movement { places: Places::Axes(|f, op, i| places(f, op, i, 1)), ..Movement::NONE },
    batch: Batch::Rule(|cx, o, xs| along(cx, o, xs, "axes")),
    simplify: Some(|b, new| match (new.operands.first().and_then(|&x| splat_tensor(b, x)), declared(new)) {
        (Some(t), Some(ty)) => Ok(Some(vec![splat_const(b, t, ty)?])),
        _ => Ok(None),
    }),
    sample: |cx| sample(cx, false),
    small: OnSmall::Kept,
    ..SLIDING
};
/// `overlap_add`.
pub static OVERLAP_ADD: OpDef = OpDef {
    name: "overlap_add",
    doc: "Sums of windows that overlap, the transpose of `windows`: `x` has the axes that `windows` with these attributes gives \
          for a tensor of the written type, and element `i` of the result is the sum of the elements of all windows that \
          stand for it, 0 where none does. Integers wrap.",
    operands: &["x"],
    needs_type: true,
    infer: |cx| {
        cx.want_dtype(0, NUMBERS.ok, NUMBERS.what).map_err(|e| e.help(NUMBERS.help))?;
        let (x, y) = (cx.ty(0)?, written(cx)?);
        let want = y.with_dims(Sliding::check(cx, y.rank())?.dims(&y)?);
        cx.agree(&want, &x, Part::Operand(0), "windows of the result and the operand")?;
        Ok(vec![y])
    },
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(|cx, o, ct| other(cx, o, ct, &WINDOWS)),
    movement: Movement { places: Places::Axes(|f, op, i| places(f, op, i, -1)), ..Movement::NONE },
    batch: Batch::Rule(|cx, o, xs| {
        let attrs = shift(cx.attrs(&cx.op(o).attrs)?, "axes", 0);
        let x = cx.at(xs[0], 0)?;
        cx.again(o, &[x], attrs, |_| 0)
    }),
    sample: |cx| sample(cx, true),
    ..SLIDING
};

/// The attributes, one entry an axis that windows slide along.
pub(crate) struct Sliding {
    pub(crate) axes: Vec<usize>,
    pub(crate) size: Vec<Extent>,
    pub(crate) stride: Vec<Extent>,
    pub(crate) dilation: Vec<Extent>,
}
impl Sliding {
    /// Checked, for a tensor of that rank.
    fn check(cx: &mut InferCx, rank: usize) -> Result<Sliding> {
        let axes = cx.axes("axes", rank)?;
        Sliding::check_along(cx, axes, true)
    }
    /// Checked, along these axes; whether there is an attribute `dilation`.
    pub(crate) fn check_along(cx: &mut InferCx, axes: Vec<usize>, dilated: bool) -> Result<Sliding> {
        let one = Extent::exact(1);
        let mut list = |name: &'static str| -> Result<Vec<Extent>> {
            let v = match cx.attrs().get(name) {
                Some(_) => cx.attrs().extents(name).to_vec(),
                None => vec![one.clone(); axes.len()],
            };
            if v.len() != axes.len() {
                return Err(Error::new(
                    Code::E0228,
                    format!("`{name}` has {} entries for {} axes", v.len(), axes.len()),
                )
                .attr(name)
                .help(format!("`{name}` takes one entry per axis in `axes`")));
            }
            for (e, a) in v.iter().zip(&axes) {
                cx.demand(&one, CmpOp::Le, e, Part::Attr(name), &format!("axis {a}"))?;
            }
            if name != "size" && v.iter().all(|e| *e == one) {
                cx.remove_attr(name);
            }
            Ok(v)
        };
        let (size, stride) = (list("size")?, list("stride")?);
        let dilation = if dilated { list("dilation")? } else { vec![one.clone(); axes.len()] };
        Ok(Sliding { axes, size, stride, dilation })
    }
    /// Extents of the windows of a tensor.
    pub(crate) fn dims(&self, x: &Type) -> Result<Vec<Extent>> {
        let one = Extent::exact(1);
        let mut dims = x.dims.to_vec();
        for (i, &a) in self.axes.iter().enumerate() {
            let span = self.size[i].sub(&one)?.mul(&self.dilation[i])?.add(&one)?;
            // Positions at which a window may start, and the rest of the last stride.
            let room = Extent::max(&x.dims[a].sub(&span)?.add(&self.stride[i])?, &Extent::exact(0))?;
            dims[a] = room.floordiv(&self.stride[i])?;
        }
        dims.extend(self.size.iter().cloned());
        Ok(dims)
    }
}
/// Windows that start at every element: window `i` has the elements from `i` on (`sign` 1), element `i` is in the windows up to
/// `i` (-1). Other axes are kept; of windows those of their elements are summed over.
fn places(f: &Func, op: &Op, i: usize, sign: i64) -> Vec<Option<Kept>> {
    let x = f.ty(op.operands[i]);
    let axes = op.attrs.indices("axes");
    let number = |name: &str, k: usize| match op.attrs.get(name) {
        Some(_) => op.attrs.extents(name).get(k)?.as_exact(),
        None => Some(1),
    };
    let rank = if sign > 0 { x.rank() } else { x.rank().saturating_sub(axes.len()) };
    let mut kept: Vec<Option<Kept>> = (0..x.rank()).map(|a| (a < rank).then(|| Kept::at(a))).collect();
    for (k, &a) in axes.iter().enumerate() {
        let far = || {
            let (size, dilation) = (number("size", k)?, number("dilation", k)?);
            let far = size.checked_sub(1)?.checked_mul(dilation)?;
            (number("stride", k)? == 1).then_some(far)
        };
        let one = far().map(|n| Kept { axis: a, from: (n * sign).min(0), to: (n * sign).max(0) });
        if let Some(place) = kept.get_mut(a) {
            *place = one;
        }
    }
    kept
}
/// The transpose of each is the other.
fn other(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>], row: &'static OpDef) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let (attrs, ty) = (cx.attrs(&op.attrs)?, cx.ty(op.operands[0])?);
    let new = NewOp::new(row, &[cotangent(ct)?]).attrs(attrs);
    Ok(vec![Some(cx.b.emit1(if row.needs_type { new.types(vec![ty]) } else { new })?)])
}

type Case = (&'static [usize], &'static [usize], &'static [i64], &'static [i64], &'static [i64]);
/// Shape, axes, size, stride, dilation: windows that overlap, leave gaps, do not fit, have one element, over several axes.
const CASES: &[Case] = &[
    (&[5], &[0], &[3], &[1], &[1]),
    (&[7], &[0], &[2], &[2], &[3]),
    (&[7], &[0], &[2], &[3], &[1]),
    (&[2], &[0], &[3], &[2], &[1]),
    (&[0], &[0], &[1], &[1], &[1]),
    (&[4, 3], &[0], &[1], &[1], &[1]),
    (&[4, 5], &[1, 0], &[3, 2], &[2, 1], &[1, 2]),
    (&[2, 3, 4], &[1, 2], &[2, 2], &[1, 1], &[1, 3]),
    (&[3, 2], &[], &[], &[], &[]),
];
fn sample(cx: &SampleCx, back: bool) -> Result<Vec<Sample>> {
    if back && cx.dtype == crate::DType::Bool {
        return Ok(vec![]);
    }
    let one = |&(shape, axes, size, stride, dilation): &Case| {
        let list = |v: &[i64]| v.iter().map(|&i| Extent::exact(i)).collect::<Vec<_>>();
        let s = Sliding { axes: axes.to_vec(), size: list(size), stride: list(stride), dilation: list(dilation) };
        let attrs = Attrs::of([
            ("axes", Attr::ints(axes)),
            ("size", Attr::extents(list(size))),
            ("stride", Attr::extents(list(stride))),
            ("dilation", Attr::extents(list(dilation))),
        ]);
        let whole = cx.ty(shape);
        if !back {
            return cx.op(&[(whole, Domain::Any)], attrs, None);
        }
        let windows = whole.with_dims(s.dims(&whole)?);
        cx.op(&[(windows, Domain::Any)], attrs, Some(whole))
    };
    CASES.iter().map(one).collect()
}
