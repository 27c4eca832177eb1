//! What the test asks of tensors: are they close, and how do they lie in larger ones.
use tfc_ir::*;

/// Closeness of results: of floating ones relative to their size, of others exactly.
pub(crate) fn close(a: &Tensor, b: &Tensor, tolerance: f64) -> bool {
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return false;
    }
    let near = |x: C64, y: C64| {
        let nan = |z: C64| z.re.is_nan() || z.im.is_nan();
        x == y || (nan(x) && nan(y)) || (x - y).norm() <= tolerance * (1.0 + y.norm())
    };
    fn all<T: Element>(a: &Tensor, b: &Tensor, near: impl Fn(T, T) -> bool) -> bool {
        let (x, y) = (a.to_logical::<T>().unwrap(), b.to_logical::<T>().unwrap());
        x.iter().zip(&y).all(|(&x, &y)| near(x, y))
    }
    let wide = |z: C32| C64::new(z.re.into(), z.im.into());
    match a.dtype() {
        DType::F32 => all(a, b, |x: f32, y: f32| near(f64::from(x).into(), f64::from(y).into())),
        DType::F64 => all(a, b, |x: f64, y: f64| near(x.into(), y.into())),
        DType::C32 => all(a, b, |x: C32, y: C32| near(wide(x), wide(y))),
        DType::C64 => all(a, b, near),
        _ => a.same(b),
    }
}
/// `x` in the corner of a larger tensor whose other elements must not matter.
pub(crate) fn padded(x: &Tensor, shape: &[usize]) -> Tensor {
    fn fill<T: Element>(x: &Tensor, shape: &[usize], other: T) -> Tensor {
        let n: usize = shape.iter().product();
        let mut v = vec![other; n];
        for (i, slot) in v.iter_mut().enumerate() {
            let mut at = vec![0; shape.len()];
            let mut rest = i;
            for k in (0..shape.len()).rev() {
                at[k] = rest % shape[k];
                rest /= shape[k];
            }
            if at.iter().zip(x.shape()).all(|(a, n)| a < n) {
                *slot = x.get::<T>(&at).unwrap();
            }
        }
        Tensor::from_logical(shape, v)
    }
    match x.dtype() {
        DType::F64 => fill(x, shape, f64::NAN),
        DType::C64 => fill(x, shape, C64::new(f64::NAN, 1.0)),
        DType::I64 => fill(x, shape, i64::MIN),
        _ => with_dtype!(x.dtype(), T => fill(x, shape, T::default()), _ => x.clone()),
    }
}
/// The sum of |x|² of floating and complex elements.
pub(crate) fn sum_of_squares(x: &Tensor) -> f64 {
    match x.dtype() {
        DType::F64 => x.to_logical::<f64>().unwrap().iter().map(|x| x * x).sum(),
        DType::C64 => x.to_logical::<C64>().unwrap().iter().map(|x| x.norm_sqr()).sum(),
        _ => 0.0,
    }
}
/// The elements of `x` that are elements of a tensor of that shape.
pub(crate) fn corner(x: &Tensor, shape: &[usize]) -> Tensor {
    with_dtype!(x.dtype(), T => {
        let (strides, data) = (x.strides().to_vec(), x.data().clone());
        let v: Vec<T> = Tensor::view(data, shape.to_vec(), strides, x.offset()).to_logical().unwrap();
        Tensor::from_logical(shape, v)
    }, _ => x.clone())
}
