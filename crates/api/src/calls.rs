//! Which op, with which attributes and written types, a method of a tensor is: one place for direct and eager tensors.
use tfc_ir::ops::composite::matmul_dims;
use tfc_ir::ops::{contract, elementwise, shape};
use tfc_ir::{Attr, Attrs, Code, DType, Error, Extent, OpDef, Result, Slice, Type};

/// An error says where in the caller's source the method was called.
#[inline]
#[track_caller]
pub(crate) fn placed<T>(r: Result<T>) -> Result<T> {
    match r {
        Ok(x) => Ok(x),
        Err(e) => Err(e.note(format!("called at {}", std::panic::Location::caller()))),
    }
}
/// An op to be called.
pub(crate) struct Call {
    pub(crate) row: &'static OpDef,
    pub(crate) attrs: Attrs,
    pub(crate) types: Option<Vec<Type>>,
}
impl Call {
    pub(crate) fn new(row: &'static OpDef, attrs: Attrs) -> Call {
        Call { row, attrs, types: None }
    }
    fn typed(self, dtype: DType, dims: &[usize]) -> Call {
        Call { types: Some(vec![Type::exact(dtype, dims)]), ..self }
    }
}

/// A matrix product as NumPy's `matmul`: the last two axes are matrices, those before them are alike, or one operand has none; a
/// vector has one axis, which is summed over.
///
/// # Errors
/// `E1028` for scalars, or ranks that do not go together.
pub(crate) fn matmul(a: &[usize], b: &[usize]) -> Result<Call> {
    let dims = matmul_dims(a.len(), b.len()).map_err(|_| {
        Error::new(Code::E1028, format!("there is no matrix product of shapes {a:?} and {b:?}"))
            .help("both need an axis; the axes before the last two are those of both, or one has none")
    })?;
    Ok(Call::new(&contract::DOT_GENERAL, dims.attrs()))
}
/// A reduction over these axes.
pub(crate) fn over(row: &'static OpDef, axes: &[usize]) -> Call {
    Call::new(row, Attrs::of([("axes", Attr::ints(axes))]))
}
/// An op along one axis.
pub(crate) fn along(row: &'static OpDef, axis: usize) -> Call {
    Call::new(row, Attrs::of([("axis", Attr::Int(i64::try_from(axis).unwrap_or(i64::MAX)))]))
}
/// Sums of products by labels.
pub(crate) fn einsum(spec: &str) -> Call {
    Call::new(&contract::EINSUM, Attrs::of([("spec", Attr::Str(spec.into()))]))
}
/// The text of an `einsum` whose labels are numbers.
pub(crate) fn subscripts(terms: &[&[u32]], output: &[u32]) -> String {
    let term = |t: &[u32]| t.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let all: Vec<String> = terms.iter().map(|t| term(t)).collect();
    format!("{}->{}", all.join(","), term(output))
}
/// The same elements under other extents; read with the first axis fastest, or the last.
pub(crate) fn reshape(dtype: DType, to: &[usize], first: bool) -> Call {
    let attrs = if first { Attrs::of([("order", Attr::word("first"))]) } else { Attrs::none() };
    Call::new(&shape::RESHAPE, attrs).typed(dtype, to)
}
/// An op whose result has this dtype and shape.
pub(crate) fn typed(row: &'static OpDef, dtype: DType, dims: &[usize]) -> Call {
    Call::new(row, Attrs::none()).typed(dtype, dims)
}
/// Another dtype.
pub(crate) fn convert(to: DType, dims: &[usize]) -> Call {
    typed(&elementwise::CONVERT, to, dims)
}
/// NumPy's repetition to a shape.
pub(crate) fn broadcast(dtype: DType, from: &[usize], to: &[usize]) -> Call {
    let new = to.len().saturating_sub(from.len());
    let dims: Vec<usize> = (new..to.len()).collect();
    Call::new(&shape::BROADCAST_IN_DIM, Attrs::of([("dims", Attr::ints(&dims))])).typed(dtype, to)
}
/// The ops that take a part of a tensor of this shape, in order.
///
/// # Errors
/// `E1022`, `E1023` as [`tfc_ir::Tensor::slice`].
pub(crate) fn slice(dtype: DType, shape_of: &[usize], slices: &[Slice]) -> Result<Vec<Call>> {
    let (mut start, mut limit, mut by, mut back, mut left) = (vec![], vec![], vec![], vec![], vec![]);
    for axis in 0..shape_of.len().max(slices.len()) {
        let slice = slices.get(axis).copied().unwrap_or(Slice::ALL);
        let (first, count, step) = slice.on(axis, shape_of)?;
        // Backwards is forwards from the last one, then turned round.
        let last = first.saturating_add_signed(step.saturating_mul(count.saturating_sub(1) as isize));
        let (low, high) = if count == 0 { (0, 0) } else { (first.min(last), first.max(last) + 1) };
        start.push(Extent::from(low));
        limit.push(Extent::from(high));
        by.push(step.unsigned_abs());
        if step < 0 {
            back.push(axis);
        }
        if !matches!(slice, Slice::At(_)) {
            left.push(count);
        }
    }
    let attrs = [("start", Attr::extents(start)), ("limit", Attr::extents(limit)), ("stride", Attr::ints(&by))];
    let mut calls = vec![Call::new(&shape::SLICE, Attrs::of(attrs))];
    if !back.is_empty() {
        calls.push(Call::new(&shape::REVERSE, Attrs::of([("axes", Attr::ints(&back))])));
    }
    if left.len() < shape_of.len() {
        calls.push(reshape(dtype, &left, false));
    }
    Ok(calls)
}
/// What both shapes repeat to by NumPy's rule.
///
/// # Errors
/// `E1026` where they do not go together.
pub(crate) fn common_shape(a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    let rank = a.len().max(b.len());
    let at = |s: &[usize], i: usize| (i + s.len()).checked_sub(rank).map_or(1, |i| s[i]);
    (0..rank)
        .map(|i| match (at(a, i), at(b, i)) {
            (x, y) if x == y => Ok(x),
            (1, n) | (n, 1) => Ok(n),
            _ => Err(Error::new(Code::E1026, format!("shapes {a:?} and {b:?} do not go together"))
                .help("counted from the last axis, extents must be equal, or one of them 1")),
        })
        .collect()
}

/// The dtype in which two go together on direct tensors, as in NumPy: `bool` gives way to any; the narrowest dtype that holds
/// every number of both, of floats where one is a float, and complex where one is complex. `bf16` beside `f16` makes `f32`. What
/// nothing holds (`i64` beside a float, `u64` beside a signed integer) makes `f64`, beside a complex number `c64`. Beside another dtype
/// a tiny one goes as `i8`, `u8` or `bf16`.
///
/// ```
/// use tfc_api::{DType::*, direct::promote};
/// assert_eq!((promote(I32, F32), promote(F64, C32), promote(Bool, U32)), (F64, C64, U32));
/// assert_eq!((promote(BF16, F32), promote(BF16, F16), promote(U8, I8), promote(F16, U8)), (F32, F32, I16, F16));
/// ```
pub fn promote(a: DType, b: DType) -> DType {
    use DType::*;
    const INTEGERS: [DType; 8] = [I8, U8, I16, U16, I32, U32, I64, U64];
    const FLOATS: [DType; 4] = [BF16, F16, F32, F64];
    // Beside another dtype a tiny one is a number of the next plain one.
    let plain = |d: DType, by: DType| match d.is_tiny() && d != by {
        true if d.is_signed() => I8,
        true if d.is_unsigned() => U8,
        true => BF16,
        false => d,
    };
    let (a, b) = (plain(a, b), plain(b, a));
    let first =
        |list: &[DType], beyond: DType| list.iter().copied().find(|&d| d.holds(a) && d.holds(b)).unwrap_or(beyond);
    match (a, b) {
        (Bool, d) | (d, Bool) => d,
        _ if a == b => a,
        _ if a.is_complex() || b.is_complex() => first(&[C32, C64], C64),
        _ if a.is_float() || b.is_float() => first(&FLOATS, F64),
        _ => first(&INTEGERS, F64),
    }
}
