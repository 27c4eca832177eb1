//! Running reductions, in the order of the axis.
use super::OpCx;
use super::grid::Grid;
use super::reduce::{Reduce, Sum, ordered};
use tfc_ir::tensor::{buffer, element_count};
use tfc_ir::types::without;
use tfc_ir::{Attr, C32, C64, DType, Element, Error, Result, Tensor};

/// Runs along `axis` from a fresh `init` at each line; `step` takes an element in, `out` gives the result there.
fn running<T: Element, A: Copy>(cx: &OpCx, init: A, step: impl Fn(A, T) -> A, out: impl Fn(A) -> T) -> Result<Tensor> {
    let (x, axis) = (cx.arg(0)?, cx.attrs().int("axis") as usize);
    let reverse = cx.attrs().get("reverse") == Some(&Attr::Bool(true));
    let (g, n) = (Grid::<T>::of(x)?, x.shape()[axis]);
    let mut lines = Lines::new(x.shape(), axis)?;
    lines.each(|at, put| {
        let mut acc = init;
        for k in 0..n {
            let i = if reverse { n - 1 - k } else { k };
            at[axis] = i;
            acc = step(acc, g.at(at));
            put(i, out(acc));
        }
        Ok(())
    })?;
    Ok(lines.done())
}
/// A tensor under construction, line by line along one axis.
struct Lines<T> {
    shape: Vec<usize>,
    axis: usize,
    data: Vec<T>,
}
impl<T: Element> Lines<T> {
    fn new(shape: &[usize], axis: usize) -> Result<Lines<T>> {
        let n = element_count(shape)?;
        let mut data = buffer(n)?;
        data.resize(n, T::default());
        Ok(Lines { shape: shape.to_vec(), axis, data })
    }
    /// Calls `f` for each line with the index of its first element (of which it may change entry `axis`) and a function
    /// that sets element `i` of the line.
    fn each(&mut self, mut f: impl FnMut(&mut [usize], &mut dyn FnMut(usize, T)) -> Result<()>) -> Result<()> {
        let (axis, n) = (self.axis, self.shape[self.axis]);
        let inner: usize = self.shape[axis + 1..].iter().product();
        let mut line = 0;
        let mut failed = Ok(());
        super::grid::each(&without(&self.shape, &[axis]), |ix| {
            let mut at = ix.to_vec();
            at.insert(axis, 0);
            // Logical order: the last axis fastest.
            let first = line / inner * inner * n + line % inner;
            line += 1;
            let data = &mut self.data;
            let mut put = |i: usize, v: T| data[first + i * inner] = v;
            if failed.is_ok() {
                failed = f(&mut at, &mut put);
            }
        });
        failed
    }
    fn done(self) -> Tensor {
        Tensor::from_logical(&self.shape, self.data)
    }
}
fn undefined(cx: &OpCx, d: DType) -> Error {
    Error::new("E0801", format!("`{}` is not defined on {d}", cx.op().def.name))
}

pub(super) fn cumsum(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (zero, pair) = ((Sum::default(), Sum::default()), |s: (Sum, Sum), z: C64| (s.0.add(z.re), s.1.add(z.im)));
    let value = |s: (Sum, Sum)| C64::new(s.0.value(), s.1.value());
    let narrow = |z: C64| C32::new(z.re as f32, z.im as f32);
    Ok(vec![match cx.arg(0)?.dtype() {
        DType::I32 => running(cx, 0, |s: i32, v: i32| s.wrapping_add(v), |s| s)?,
        DType::I64 => running(cx, 0, |s: i64, v: i64| s.wrapping_add(v), |s| s)?,
        DType::U32 => running(cx, 0, |s: u32, v: u32| s.wrapping_add(v), |s| s)?,
        DType::U64 => running(cx, 0, |s: u64, v: u64| s.wrapping_add(v), |s| s)?,
        DType::F32 => running(cx, Sum::default(), |s, v: f32| s.add(v.into()), |s| s.value() as f32)?,
        DType::F64 => running(cx, Sum::default(), |s, v: f64| s.add(v), Sum::value)?,
        DType::C32 => running(cx, zero, |s, v: C32| pair(s, C64::new(v.re.into(), v.im.into())), |s| narrow(value(s)))?,
        DType::C64 => running(cx, zero, pair, value)?,
        d => return Err(undefined(cx, d)),
    }])
}
pub(super) fn cumprod(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    Ok(vec![match cx.arg(0)?.dtype() {
        DType::I32 => running(cx, 1, |s: i32, v: i32| s.wrapping_mul(v), |s| s)?,
        DType::I64 => running(cx, 1, |s: i64, v: i64| s.wrapping_mul(v), |s| s)?,
        DType::U32 => running(cx, 1, |s: u32, v: u32| s.wrapping_mul(v), |s| s)?,
        DType::U64 => running(cx, 1, |s: u64, v: u64| s.wrapping_mul(v), |s| s)?,
        DType::F32 => running(cx, 1.0, |s, v: f32| s * v, |s| s)?,
        DType::F64 => running(cx, 1.0, |s, v: f64| s * v, |s| s)?,
        DType::C32 => running(cx, C32::new(1.0, 0.0), |s, v: C32| s * v, |s| s)?,
        DType::C64 => running(cx, C64::new(1.0, 0.0), |s, v: C64| s * v, |s| s)?,
        d => return Err(undefined(cx, d)),
    }])
}
pub(super) fn cummax(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    ordered!("cummax", cx.arg(0)?.dtype(), T => Ok(vec![running(cx, T::LEAST, |s: T, v| s.larger(v), |s| s)?]))
}
pub(super) fn cummin(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    ordered!("cummin", cx.arg(0)?.dtype(), T => Ok(vec![running(cx, T::GREATEST, |s: T, v| s.smaller(v), |s| s)?]))
}
pub(super) fn cumlogsumexp(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    // The greatest exponent so far, and the sum of exponentials relative to it.
    let step = |(m, s): (f64, f64), x: f64| {
        if x > m {
            (x, s * (m - x).exp() + 1.0)
        } else {
            // Equal infinities have no difference.
            (m, s + if x == m { 1.0 } else { (x - m).exp() })
        }
    };
    let (none, value) = ((f64::NEG_INFINITY, 0.0), |(m, s): (f64, f64)| m + s.ln());
    Ok(vec![match cx.arg(0)?.dtype() {
        DType::F32 => running(cx, none, |a, x: f32| step(a, x.into()), |a| value(a) as f32)?,
        DType::F64 => running(cx, none, step, value)?,
        d => return Err(undefined(cx, d)),
    }])
}
