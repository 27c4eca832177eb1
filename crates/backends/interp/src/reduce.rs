//! Reductions: logical order, starting from the identity (TFIR §5).
use super::OpCx;
use super::grid::{Grid, build, each, tick};
use super::shape::sliding;
use tfc_ir::tensor::element_count;
use tfc_ir::types::without;
use tfc_ir::{C32, C64, Code, DType, Element, Error, Result, Tensor};
use tfc_kernels::scalar::complex::product;
use tfc_kernels::scalar::num::Real;

/// Folds the elements along `axes`, the reduced index running in logical order.
fn fold<T: Element, A: Copy>(
    x: &Tensor,
    axes: &[usize],
    init: A,
    step: impl Fn(A, T) -> A,
    done: impl Fn(A) -> T,
) -> Result<Tensor> {
    let g = Grid::<T>::of(x)?;
    let kept: Vec<usize> = (0..x.rank()).filter(|a| !axes.contains(a)).collect();
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    let reduced: Vec<usize> = axes.iter().map(|&a| x.shape()[a]).collect();
    let mut at = vec![0; x.rank()];
    build(&without(x.shape(), &axes), |ix| {
        kept.iter().zip(ix).for_each(|(&a, &i)| at[a] = i);
        let mut acc = init;
        each(&reduced, |r| {
            axes.iter().zip(r).for_each(|(&a, &i)| at[a] = i);
            acc = step(acc, g.at(&at));
        });
        done(acc)
    })
}

/// A sum with the rounding errors of its additions kept apart (A. Neumaier 1974).
#[derive(Clone, Copy, Default)]
pub(super) struct Sum(f64, f64);
impl Sum {
    pub(super) fn add(self, x: f64) -> Sum {
        let s = self.0 + x;
        let lost = if self.0.abs() >= x.abs() { (self.0 - s) + x } else { (x - s) + self.0 };
        Sum(s, self.1 + lost)
    }
    pub(super) fn value(self) -> f64 {
        // After an infinity or NaN the errors mean nothing.
        if self.0.is_finite() { self.0 + self.1 } else { self.0 }
    }
}

/// What reductions need to know of an element type.
pub(super) trait Reduce: Element {
    const LEAST: Self;
    const GREATEST: Self;
    fn larger(self, b: Self) -> Self;
    fn smaller(self, b: Self) -> Self;
    fn is_nan(self) -> bool {
        false
    }
    fn exceeds(self, b: Self) -> bool;
}
macro_rules! ints {
    ($($t:ident)*) => { $(impl Reduce for $t {
        const LEAST: $t = $t::MIN;
        const GREATEST: $t = $t::MAX;
        fn larger(self, b: $t) -> $t { self.max(b) }
        fn smaller(self, b: $t) -> $t { self.min(b) }
        fn exceeds(self, b: $t) -> bool { self > b }
    })* };
}
ints!(i32 i64 u32 u64);
macro_rules! reals {
    ($($t:ident)*) => { $(impl Reduce for $t {
        const LEAST: $t = $t::NEG_INFINITY;
        const GREATEST: $t = $t::INFINITY;
        fn larger(self, b: $t) -> $t { self.fmax(b) }
        fn smaller(self, b: $t) -> $t { self.fmin(b) }
        fn is_nan(self) -> bool { $t::is_nan(self) }
        fn exceeds(self, b: $t) -> bool { self > b }
    })* };
}
reals!(f32 f64);
/// Runs `$body` for the dtypes that are ordered.
macro_rules! ordered {
    ($op:literal, $dtype:expr, $t:ident => $body:expr) => {
        match $dtype {
            DType::I32 => {
                type $t = i32;
                $body
            }
            DType::I64 => {
                type $t = i64;
                $body
            }
            DType::U32 => {
                type $t = u32;
                $body
            }
            DType::U64 => {
                type $t = u64;
                $body
            }
            DType::F32 => {
                type $t = f32;
                $body
            }
            DType::F64 => {
                type $t = f64;
                $body
            }
            d => Err(Error::new(Code::E0801, format!("`{}` is not defined on {d}", $op))),
        }
    };
}
pub(super) use ordered;

fn operand<'a>(cx: &'a OpCx) -> Result<(&'a Tensor, Vec<usize>)> {
    Ok((cx.arg(0)?, cx.attrs().indices("axes")))
}

/// Sums by a function that takes, behind `$a`, what a sum starts from, a step and the end, in the arithmetic of the dtype.
macro_rules! sums {
    ($op:literal, $dtype:expr, $fold:ident($($a:expr),*)) => {{
        let pair = |z: C64, s: (Sum, Sum)| (s.0.add(z.re), s.1.add(z.im));
        let zero = (Sum::default(), Sum::default());
        match $dtype {
            DType::I32 => $fold($($a),*, 0, |s: i32, v: i32| s.wrapping_add(v), |s| s),
            DType::I64 => $fold($($a),*, 0, |s: i64, v: i64| s.wrapping_add(v), |s| s),
            DType::U32 => $fold($($a),*, 0, |s: u32, v: u32| s.wrapping_add(v), |s| s),
            DType::U64 => $fold($($a),*, 0, |s: u64, v: u64| s.wrapping_add(v), |s| s),
            DType::F32 => $fold($($a),*, Sum::default(), |s, v: f32| s.add(v.into()), |s| s.value() as f32),
            DType::F64 => $fold($($a),*, Sum::default(), |s, v: f64| s.add(v), Sum::value),
            DType::C32 => {
                let round = |s: (Sum, Sum)| C32::new(s.0.value() as f32, s.1.value() as f32);
                $fold($($a),*, zero, |s, v: C32| pair(C64::new(v.re.into(), v.im.into()), s), round)
            }
            DType::C64 => $fold($($a),*, zero, |s, v: C64| pair(v, s), |s| C64::new(s.0.value(), s.1.value())),
            d => Err(Error::new(Code::E0801, format!("`{}` is not defined on {d}", $op))),
        }
    }};
}
pub(super) fn reduce_sum(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (x, axes) = operand(cx)?;
    Ok(vec![sums!("reduce_sum", x.dtype(), fold(x, &axes))?])
}
pub(super) fn overlap_add(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let steps = sliding(cx)?;
    let (x, axes) = operand(cx)?;
    Ok(vec![sums!("overlap_add", dtype, overlap(x, &shape, &axes, &steps))?])
}
/// Folds, for each element of a tensor of that shape, what stands for it in windows.
fn overlap<T: Element, A: Copy>(
    x: &Tensor,
    shape: &[usize],
    axes: &[usize],
    steps: &[[usize; 2]],
    init: A,
    step: impl Fn(A, T) -> A,
    done: impl Fn(A) -> T,
) -> Result<Tensor> {
    let g = Grid::<T>::of(x)?;
    let size = &x.shape()[shape.len()..];
    let mut at = vec![0; x.rank()];
    build(shape, |ix| {
        let mut acc = init;
        each(size, |k| {
            at[..ix.len()].copy_from_slice(ix);
            at[ix.len()..].copy_from_slice(k);
            let stands = axes.iter().zip(steps).zip(k).all(|((&a, [stride, dilation]), k)| {
                let start = ix[a].checked_sub(k * dilation);
                at[a] = start.map_or(0, |s| s / stride);
                start.is_some_and(|s| s % stride == 0) && at[a] < x.shape()[a]
            });
            if stands {
                acc = step(acc, g.at(&at));
            }
        });
        done(acc)
    })
}

pub(super) fn reduce_prod(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (x, axes) = operand(cx)?;
    Ok(vec![match x.dtype() {
        DType::I32 => fold(x, &axes, 1, |s: i32, v: i32| s.wrapping_mul(v), |s| s)?,
        DType::I64 => fold(x, &axes, 1, |s: i64, v: i64| s.wrapping_mul(v), |s| s)?,
        DType::U32 => fold(x, &axes, 1, |s: u32, v: u32| s.wrapping_mul(v), |s| s)?,
        DType::U64 => fold(x, &axes, 1, |s: u64, v: u64| s.wrapping_mul(v), |s| s)?,
        DType::F32 => fold(x, &axes, 1.0, |s, v: f32| s * v, |s| s)?,
        DType::F64 => fold(x, &axes, 1.0, |s, v: f64| s * v, |s| s)?,
        DType::C32 => fold(x, &axes, C32::new(1.0, 0.0), product::<C32>, |s| s)?,
        DType::C64 => fold(x, &axes, C64::new(1.0, 0.0), product::<C64>, |s| s)?,
        d => return Err(Error::new(Code::E0801, format!("`reduce_prod` is not defined on {d}"))),
    }])
}

pub(super) fn reduce_max(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (x, axes) = operand(cx)?;
    ordered!("reduce_max", x.dtype(), T => Ok(vec![fold(x, &axes, T::LEAST, |s: T, v| s.larger(v), |s| s)?]))
}
pub(super) fn reduce_min(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (x, axes) = operand(cx)?;
    ordered!("reduce_min", x.dtype(), T => Ok(vec![fold(x, &axes, T::GREATEST, |s: T, v| s.smaller(v), |s| s)?]))
}

/// Runs `$f` on bool and integers, `$init` first.
macro_rules! bitwise {
    ($name:ident, $text:literal, $op:tt, $false:expr, $zero:expr) => {
        pub(super) fn $name(cx: &mut OpCx) -> Result<Vec<Tensor>> {
            let (x, axes) = operand(cx)?;
            Ok(vec![match x.dtype() {
                DType::Bool => fold(x, &axes, $false, |s: bool, v: bool| s $op v, |s| s)?,
                DType::I32 => fold(x, &axes, $zero, |s: i32, v: i32| s $op v, |s| s)?,
                DType::I64 => fold(x, &axes, $zero, |s: i64, v: i64| s $op v, |s| s)?,
                DType::U32 => fold(x, &axes, $zero, |s: u32, v: u32| s $op v, |s| s)?,
                DType::U64 => fold(x, &axes, $zero, |s: u64, v: u64| s $op v, |s| s)?,
                d => return Err(Error::new(Code::E0801, format!("`{}` is not defined on {d}", $text))),
            }])
        }
    };
}
bitwise!(reduce_and, "reduce_and", &, true, !0);
bitwise!(reduce_or, "reduce_or", |, false, 0);
bitwise!(reduce_xor, "reduce_xor", ^, false, 0);

/// The index of the first element that none beats; the first NaN beats all.
fn arg<T: Reduce>(x: &Tensor, axis: usize, beats: impl Fn(T, T) -> bool) -> Result<Tensor> {
    let n = x.shape()[axis];
    if n == 0 {
        // The row's guard says so first.
        return Err(Error::new(Code::E0420, format!("there is no largest or smallest element: axis {axis} is empty")));
    }
    let g = Grid::<T>::of(x)?;
    let shape = without(x.shape(), &[axis]);
    element_count(&shape)?;
    build(&shape, |ix| {
        let mut at = ix.to_vec();
        at.insert(axis, 0);
        let mut best = g.at(&at);
        let mut index = 0;
        for i in (1..n).take_while(|_| tick()) {
            at[axis] = i;
            let v = g.at(&at);
            if !best.is_nan() && (v.is_nan() || beats(v, best)) {
                (best, index) = (v, i as i64);
            }
        }
        index
    })
}
pub(super) fn argmax(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (x, axis) = (cx.arg(0)?, cx.attrs().int("axis") as usize);
    ordered!("argmax", x.dtype(), T => Ok(vec![arg::<T>(x, axis, |v, best| v.exceeds(best))?]))
}
pub(super) fn argmin(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (x, axis) = (cx.arg(0)?, cx.attrs().int("axis") as usize);
    ordered!("argmin", x.dtype(), T => Ok(vec![arg::<T>(x, axis, |v, best| best.exceeds(v))?]))
}
