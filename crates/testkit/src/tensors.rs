//! Numbers of tensors: as reals, moved along a tangent, and how far apart two tensors are.
use crate::context::Checked;
use tfc_ir::{C32, C64, DType, Element, Tensor};

/// The elements as reals, complex ones as pairs; none for other dtypes.
pub fn reals(t: &Tensor) -> Vec<f64> {
    fn all<T: Element>(t: &Tensor, f: impl Fn(T) -> Vec<f64>) -> Vec<f64> {
        t.to_logical::<T>().unwrap_or_default().into_iter().flat_map(f).collect()
    }
    match t.dtype() {
        d if d.is_float() => t.reals().unwrap_or_default(),
        DType::C32 => all::<C32>(t, |x| vec![f64::from(x.re), f64::from(x.im)]),
        DType::C64 => all::<C64>(t, |x| vec![x.re, x.im]),
        _ => vec![],
    }
}
/// `x + h * dx`.
pub(crate) fn moved(x: &Tensor, dx: &Tensor, h: f64) -> Checked<Tensor> {
    let v: Vec<f64> = reals(x).iter().zip(reals(dx)).map(|(x, d)| x + h * d).collect();
    let pairs = v.chunks(2);
    let made = match x.dtype() {
        DType::C32 => Tensor::from_logical(x.shape(), pairs.map(|p| C32::new(p[0] as f32, p[1] as f32)).collect()),
        DType::C64 => Tensor::from_logical(x.shape(), pairs.map(|p| C64::new(p[0], p[1])).collect()),
        d if d.is_float() => Tensor::from_reals(d, x.shape(), v),
        _ => Tensor::from_logical(x.shape(), v),
    };
    made.map_err(|e| e.to_string())
}
/// The dot product of lists of tensors as reals, and the sum of the moduli of its terms.
pub(crate) fn dot(a: &[Tensor], b: &[Tensor]) -> (f64, f64) {
    let products = a.iter().zip(b).flat_map(|(a, b)| {
        let (a, b) = (reals(a), reals(b));
        a.into_iter().zip(b).map(|(x, y)| x * y).collect::<Vec<_>>()
    });
    products.fold((0.0, 0.0), |s, p| (s.0 + p, s.1 + p.abs()))
}
/// The sum of |x|².
pub(crate) fn sum_of_squares(x: &Tensor) -> f64 {
    reals(x).iter().map(|x| x * x).sum()
}
/// The largest distance of two elements beside 1 and the size of that of `b`; infinite where dtype, shape or NaN differ,
/// or elements other than floating ones.
pub fn distance(a: &Tensor, b: &Tensor) -> f64 {
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return f64::INFINITY;
    }
    if !a.dtype().is_inexact() {
        return if a.same(b) { 0.0 } else { f64::INFINITY };
    }
    let parts = if a.dtype().is_complex() { 2 } else { 1 };
    let number = |p: &[f64]| C64::new(p[0], p.get(1).copied().unwrap_or(0.0));
    let nan = |z: C64| z.re.is_nan() || z.im.is_nan();
    let gap = |x: C64, y: C64| {
        if x == y || (nan(x) && nan(y)) { 0.0 } else { (x - y).norm() / (1.0 + y.norm()) }
    };
    let (x, y) = (reals(a), reals(b));
    x.chunks(parts).zip(y.chunks(parts)).fold(0.0, |worst, (x, y)| {
        let g = gap(number(x), number(y));
        if g.is_nan() { f64::INFINITY } else { g.max(worst) }
    })
}
/// Whether the tensors are at most so far apart.
pub fn close(a: &Tensor, b: &Tensor, tolerance: f64) -> bool {
    distance(a, b) <= tolerance
}
