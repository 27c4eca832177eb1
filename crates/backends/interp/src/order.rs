//! Running reductions, in the order of the axis; sorting by insertion.
use super::OpCx;
use super::grid::{Grid, build, every, tick};
use super::reduce::{Reduce, Sum, ordered};
use std::cmp::Ordering;
use tfc_ir::tensor::{buffer, element_count};
use tfc_ir::types::without;
use tfc_ir::{Attr, C32, C64, Code, DType, Element, Error, Result, Tensor, ops};
use tfc_kernels::scalar::complex::product;

/// Runs along `axis` from a fresh `init` at each line; `step` takes an element in, `out` gives the result there.
fn running<T: Element, A: Copy>(cx: &OpCx, init: A, step: impl Fn(A, T) -> A, out: impl Fn(A) -> T) -> Result<Tensor> {
    let (x, axis) = (cx.arg(0)?, cx.attrs().int("axis") as usize);
    let reverse = cx.attrs().get("reverse") == Some(&Attr::Bool(true));
    let (g, n) = (Grid::<T>::of(x)?, x.shape()[axis]);
    let mut lines = Lines::new(x.shape(), axis)?;
    lines.each(|at, put| {
        let mut acc = init;
        for k in (0..n).take_while(|_| tick()) {
            let i = if reverse { n - 1 - k } else { k };
            at[axis] = i;
            acc = step(acc, g.at(at));
            put(i, out(acc));
        }
        Ok(())
    })?;
    lines.done()
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
    fn done(self) -> Result<Tensor> {
        Tensor::from_logical(&self.shape, self.data)
    }
}
fn undefined(cx: &OpCx, d: DType) -> Error {
    Error::new(Code::E0801, format!("`{}` is not defined on {d}", cx.op().def.name))
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
        DType::C32 => running(cx, C32::new(1.0, 0.0), product::<C32>, |s| s)?,
        DType::C64 => running(cx, C64::new(1.0, 0.0), product::<C64>, |s| s)?,
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

/// Compares the elements of a tensor at two indices.
type Compare<'a> = Box<dyn Fn(&[usize], &[usize]) -> Ordering + 'a>;
/// The order of TFIR §5: −0 equals 0, NaN equals NaN and follows every number.
fn order<'a>(cx: &OpCx, x: &'a Tensor) -> Result<Compare<'a>> {
    fn by<'a, T: Element + PartialOrd>(x: &'a Tensor) -> Result<Compare<'a>> {
        let g = Grid::<T>::of(x)?;
        Ok(Box::new(move |i, j| {
            let (a, b) = (g.at(i), g.at(j));
            let nan = |x: T| x.partial_cmp(&x).is_none();
            a.partial_cmp(&b).unwrap_or_else(|| nan(a).cmp(&nan(b)))
        }))
    }
    match x.dtype() {
        DType::Bool => by::<bool>(x),
        DType::I32 => by::<i32>(x),
        DType::I64 => by::<i64>(x),
        DType::U32 => by::<u32>(x),
        DType::U64 => by::<u64>(x),
        DType::F32 => by::<f32>(x),
        DType::F64 => by::<f64>(x),
        d => Err(undefined(cx, d)),
    }
}
/// Stable insertion of each element before those that it precedes, by bisection.
fn insert_all(n: usize, mut before: impl FnMut(usize, usize) -> Result<bool>) -> Result<Vec<usize>> {
    let mut sorted: Vec<usize> = buffer(n)?;
    for i in 0..n {
        if !tick() {
            // Nobody looks at what comes of it.
            sorted.extend(i..n);
            break;
        }
        let (mut low, mut high) = (0, sorted.len());
        while low < high {
            let mid = (low + high) / 2;
            if before(i, sorted[mid])? {
                high = mid;
            } else {
                low = mid + 1;
            }
        }
        sorted.insert(low, i);
    }
    Ok(sorted)
}
/// The element of a tensor as a scalar.
fn scalar(x: &Tensor, at: &[usize]) -> Result<Tensor> {
    let offset = at.iter().zip(x.strides()).fold(x.offset() as isize, |o, (&i, &s)| o + i as isize * s);
    Tensor::view(x.data().clone(), vec![], vec![], offset as usize)
}
pub(super) fn sort(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let xs = cx.args().to_vec();
    let Some(first) = xs.first() else { return Ok(vec![]) };
    let (shape, axis) = (first.shape().to_vec(), ops::order::sort_axis(cx.attrs(), first.rank()));
    let n = shape[axis];
    let keys: Vec<Compare> = if cx.op().regions.is_empty() {
        xs.iter().take(ops::order::sort_keys(cx.attrs())).map(|x| order(cx, x)).collect::<Result<_>>()?
    } else {
        vec![]
    };
    let compared = !cx.op().regions.is_empty();
    let mut perm = Lines::<i64>::new(&shape, axis)?;
    perm.each(|at, put| {
        let place = |k: usize| {
            let mut ix = at.to_vec();
            ix[axis] = k;
            ix
        };
        let line = insert_all(n, |i, j| {
            let (a, b) = (place(i), place(j));
            if compared {
                let args = xs.iter().flat_map(|x| [scalar(x, &a), scalar(x, &b)]).collect::<Result<Vec<_>>>()?;
                return super::control::truth(cx.region(0, &args)?.first());
            }
            Ok(keys.iter().map(|k| k(&a, &b)).find(|o| o.is_ne()) == Some(Ordering::Less))
        })?;
        line.iter().enumerate().for_each(|(i, &k)| put(i, k as i64));
        Ok(())
    })?;
    let perm = perm.done()?;
    let p = Grid::<i64>::of(&perm)?;
    let moved = |x: &Tensor| {
        every!(x.dtype(), T => {
            let g = Grid::<T>::of(x)?;
            build(&shape, |ix| {
                let mut from = ix.to_vec();
                from[axis] = p.at(ix) as usize;
                g.at(&from)
            })
        })
    };
    xs.iter().map(moved).collect()
}
