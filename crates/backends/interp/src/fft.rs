//! Fourier transforms by their definition, in double precision: a line of `p·m` elements is `p` lines of `m` for the smallest
//! prime `p` (Cooley & Tukey 1965), and a line of a prime number of elements is summed up.
use super::OpCx;
use super::grid::{over, tick};
use std::f64::consts::TAU;
use tfc_ir::ops::fft::Norm;
use tfc_ir::{C32, C64, DType, Result, Tensor};

pub(super) fn fft(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let n = cx.arg(0)?.shape().to_vec();
    transform(cx, &n, false, |line, _| dft(&line, false))
}
pub(super) fn ifft(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let n = cx.arg(0)?.shape().to_vec();
    transform(cx, &n, true, |line, _| dft(&line, true))
}
pub(super) fn rfft(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let n = cx.arg(0)?.shape().to_vec();
    transform(cx, &n, false, |line, n| {
        let mut y = dft(&line, false);
        // A sum of no element is 0.
        y.resize(n / 2 + 1, C64::default());
        y
    })
}
pub(super) fn irfft(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let n = cx.result_shape(0)?.1;
    transform(cx, &n, true, |line, n| {
        let real = |k: usize| if k == 0 || 2 * k == n { line[k].re.into() } else { line[k] };
        let whole: Vec<C64> = (0..n).map(|k| if 2 * k <= n { real(k) } else { line[n - k].conj() }).collect();
        dft(&whole, true)
    })
}
/// Transforms along `axes`, the last of them by `last`, from a line and its number of elements before a transform or after its
/// inverse, which `n` has for every axis.
fn transform(cx: &OpCx, n: &[usize], inverse: bool, last: impl Fn(Vec<C64>, usize) -> Vec<C64>) -> Result<Vec<Tensor>> {
    let (x, axes) = (cx.arg(0)?, cx.attrs().indices("axes"));
    let (dtype, shape) = cx.result_shape(0)?;
    // What is there before and after an axis is done.
    cx.room(x.shape(), DType::C64)?;
    cx.room(n, DType::C64)?;
    let mut lines = Lines { shape: x.shape().to_vec(), data: wide(x) };
    if let Some((&a, others)) = axes.split_last() {
        for &a in others {
            lines = lines.along(a, n[a], |line| dft(&line, inverse));
        }
        lines = lines.along(a, shape[a], |line| last(line, n[a]));
    }
    over()?;
    let scale = Norm::of(cx.attrs()).scale(axes.iter().map(|&a| n[a]).product(), inverse);
    Ok(vec![narrow(dtype, &shape, lines.data.into_iter().map(|z| z * scale))?])
}
/// Elements in logical order, the last axis fastest.
struct Lines {
    shape: Vec<usize>,
    data: Vec<C64>,
}
impl Lines {
    /// Every line along an axis as `f` gives it, of `count` elements.
    fn along(self, axis: usize, count: usize, f: impl Fn(Vec<C64>) -> Vec<C64>) -> Lines {
        let [outer, inner] = [&self.shape[..axis], &self.shape[axis + 1..]].map(|s| s.iter().product::<usize>());
        let (n, mut shape) = (self.shape[axis], self.shape);
        let line = |o: usize, i: usize| (0..n).map(|k| self.data[(o * n + k) * inner + i]).collect();
        let mut data = vec![];
        for o in 0..outer {
            let lines: Vec<Vec<C64>> = (0..inner).map(|i| f(line(o, i))).collect();
            data.extend((0..count).flat_map(|k| lines.iter().map(move |l| l[k])));
        }
        shape[axis] = count;
        Lines { shape, data }
    }
}
/// The sums `Σ x[j]·exp(∓2πi·jk/n)`; unfinished where there is no time left.
fn dft(x: &[C64], inverse: bool) -> Vec<C64> {
    let n = x.len();
    let sign = if inverse { TAU } else { -TAU };
    let wave = |j: usize| C64::cis(sign * (j % n) as f64 / n as f64);
    let Some(p) = (2..=n).find(|p| n.is_multiple_of(*p)) else { return x.to_vec() };
    let m = n / p;
    let parts: Vec<Vec<C64>> = match m {
        1 => x.iter().map(|&x| vec![x]).collect(),
        _ => (0..p).map(|r| dft(&x.iter().skip(r).step_by(p).copied().collect::<Vec<_>>(), inverse)).collect(),
    };
    let sum = |k: usize| (0..p).take_while(|_| tick()).map(|r| wave(r * k) * parts[r][k % m]).sum();
    (0..n).map(sum).collect()
}
/// The elements in double precision, complex, in logical order.
fn wide(t: &Tensor) -> Vec<C64> {
    fn of<T: tfc_ir::Element>(t: &Tensor, f: impl Fn(T) -> C64) -> Vec<C64> {
        t.to_logical::<T>().unwrap_or_default().into_iter().map(f).collect()
    }
    match t.dtype() {
        DType::F32 => of(t, |x: f32| f64::from(x).into()),
        DType::C32 => of(t, |z: C32| C64::new(z.re.into(), z.im.into())),
        DType::F64 => of(t, |x: f64| x.into()),
        _ => of(t, |z: C64| z),
    }
}
/// A tensor of that dtype, of which a real one takes real parts.
fn narrow(dtype: DType, shape: &[usize], data: impl Iterator<Item = C64>) -> Result<Tensor> {
    match dtype {
        DType::F32 => Tensor::from_logical(shape, data.map(|z| z.re as f32).collect()),
        DType::C32 => Tensor::from_logical(shape, data.map(|z| C32::new(z.re as f32, z.im as f32)).collect()),
        DType::F64 => Tensor::from_logical(shape, data.map(|z| z.re).collect()),
        _ => Tensor::from_logical(shape, data.collect()),
    }
}
