//! Tensors inside others: the same elements in another layout, in the corner of a larger tensor, stacked along an axis.
use tfc_ir::tensor::column_major;
use tfc_ir::{C64, DType, Element, Tensor, with_dtype};

use crate::context::Checked;

/// The same elements in a larger storage: every axis reversed, with a gap between elements.
pub(crate) fn scattered(t: &Tensor) -> Checked<Tensor> {
    with_dtype!(t.dtype(), T => {
        let dense: Vec<T> = t.to_column_major().unwrap_or_default();
        let mut v = vec![T::default(); 2 * dense.len() + 1];
        for (i, x) in dense.iter().enumerate() {
            v[2 * (dense.len() - 1 - i) + 1] = *x;
        }
        let s: Vec<isize> = column_major(t.shape()).iter().map(|s| -2 * s).collect();
        let offset = if dense.is_empty() { 0 } else { 2 * dense.len() - 1 };
        Tensor::with_strides(t.shape(), s, offset, v).map_err(|e| e.to_string())
    })
}
/// Every index of a shape, in logical order.
fn each_index(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |list, &n| {
        list.into_iter().flat_map(|at: Vec<usize>| (0..n).map(move |i| [&at[..], &[i]].concat())).collect()
    })
}
/// A tensor whose element at each index `f` gives; the index may lie outside what `f` looks at.
fn gathered<T: Element>(shape: &[usize], f: impl Fn(&[usize]) -> Option<T>) -> Checked<Tensor> {
    let all: Option<Vec<T>> = each_index(shape).iter().map(|at| f(at)).collect();
    let all = all.ok_or_else(|| format!("no element of a tensor at an index of {shape:?}"))?;
    Tensor::from_logical(shape, all).map_err(|e| e.to_string())
}
/// `x` in the corner of a larger tensor whose other elements must not matter.
pub(crate) fn padded(x: &Tensor, shape: &[usize]) -> Checked<Tensor> {
    fn fill<T: Element>(x: &Tensor, shape: &[usize], other: T) -> Checked<Tensor> {
        gathered(shape, |at| {
            let inside = at.iter().zip(x.shape()).all(|(a, n)| a < n);
            if inside { x.get::<T>(at) } else { Some(other) }
        })
    }
    match x.dtype() {
        DType::F64 => fill(x, shape, f64::NAN),
        DType::C64 => fill(x, shape, C64::new(f64::NAN, 1.0)),
        DType::I64 => fill(x, shape, i64::MIN),
        _ => with_dtype!(x.dtype(), T => fill(x, shape, T::default())),
    }
}
/// The elements of `x` that are elements of a tensor of that shape, which is no larger.
pub(crate) fn corner(x: &Tensor, shape: &[usize]) -> Checked<Tensor> {
    with_dtype!(x.dtype(), T => gathered(shape, |at| x.get::<T>(at)))
}
/// The tensors, each of that dtype and shape, along a new axis.
pub(crate) fn stacked(all: &[Tensor], axis: usize, dtype: DType, shape: &[usize]) -> Checked<Tensor> {
    let mut wide = shape.to_vec();
    wide.insert(axis, all.len());
    let inner = |at: &[usize]| {
        let mut at = at.to_vec();
        let i = at.remove(axis);
        (i, at)
    };
    with_dtype!(dtype, T => gathered(&wide, |at| { let (i, at) = inner(at); all.get(i)?.get::<T>(&at) }))
}
/// What is at index `i` of an axis.
pub(crate) fn at_index(all: &Tensor, axis: usize, i: usize) -> Checked<Tensor> {
    let mut shape = all.shape().to_vec();
    shape.remove(axis);
    let outer = |at: &[usize]| {
        let mut at = at.to_vec();
        at.insert(axis, i);
        at
    };
    with_dtype!(all.dtype(), T => gathered(&shape, |at| all.get::<T>(&outer(at))))
}
