//! Making tensors from values: counts, ranges and shapes are checked, nothing here panics.
use super::{Element, Tensor, column_major, element_count};
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::dtype::{BF16, C32, C64, DType, F16};
use crate::small::*;
use crate::storage::Storage;
use crate::{with_dtype, with_small_float, with_small_int};

/// An element type that counts: every one but `bool` and the complex ones. The list is closed.
pub trait Number: Element {
    /// How many of `start, start + step, …` come before `stop`; `None` where `step` is 0, or something is not finite.
    fn steps(start: Self, stop: Self, step: Self) -> Option<usize>;
    /// `start + i*step`; integers wrap.
    fn step_at(start: Self, step: Self, i: usize) -> Self;
}
/// An element type with a one.
trait One: Element {
    const ONE: Self;
}
macro_rules! integers { ($($t:ty),*) => { $(
    impl Number for $t {
        fn steps(start: Self, stop: Self, step: Self) -> Option<usize> {
            let (start, stop, step) = (start as i128, stop as i128, step as i128);
            if step == 0 {
                return None;
            }
            let way = if step > 0 { stop - start } else { start - stop };
            let n = (way.max(0) + step.abs() - 1) / step.abs();
            Some(usize::try_from(n).unwrap_or(usize::MAX))
        }
        fn step_at(start: Self, step: Self, i: usize) -> Self {
            start.wrapping_add(step.wrapping_mul(i as $t))
        }
    }
    impl One for $t {
        const ONE: $t = 1;
    }
)* } }
macro_rules! floats { ($($t:ty),*) => { $(
    impl Number for $t {
        fn steps(start: Self, stop: Self, step: Self) -> Option<usize> {
            let n = ((stop - start) / step).ceil();
            // A conversion of a float saturates.
            (n.is_finite() && step.is_finite()).then_some(n.max(0.0) as usize)
        }
        fn step_at(start: Self, step: Self, i: usize) -> Self {
            start + i as $t * step
        }
    }
    impl One for $t {
        const ONE: $t = 1.0;
    }
)* } }
integers!(i8, i16, i32, i64, u8, u16, u32, u64);
floats!(f32, f64);
impl One for bool {
    const ONE: bool = true;
}
macro_rules! ones { ($($t:ty: $bits:literal),*) => { $(impl One for $t {
    const ONE: $t = <$t>::from_bits($bits);
})* } }
ones!(BF16: 0x3f80, F16: 0x3c00, I2: 1, I4: 1, U2: 1, U4: 1, F4E2M1FN: 0x2, F6E2M3FN: 0x8, F6E3M2FN: 0xc, F8E3M4: 0x30, F8E4M3: 0x38,
    F8E4M3B11FNUZ: 0x58, F8E4M3FN: 0x38, F8E4M3FNUZ: 0x40, F8E5M2: 0x3c, F8E5M2FNUZ: 0x40);
impl One for C32 {
    const ONE: C32 = C32::new(1.0, 0.0);
}
impl One for C64 {
    const ONE: C64 = C64::new(1.0, 0.0);
}

/// Nested arrays, vectors or slices of elements, as they are written: the last axis is the innermost list.
pub trait Rows {
    /// What the innermost lists hold.
    type Element: Element;
    /// How deep the lists nest.
    const DEPTH: usize;
    /// Extents, as the first list of each level says.
    fn shape(&self, to: &mut Vec<usize>);
    /// Appends the elements; `shape`: what is expected from here on. `None` where a list has another length.
    fn append(&self, shape: &[usize], to: &mut Vec<Self::Element>) -> Option<()>;
}
macro_rules! leaves { ($($t:ty),*) => { $(impl Rows for $t {
    type Element = $t;
    const DEPTH: usize = 0;
    fn shape(&self, _: &mut Vec<usize>) {}
    fn append(&self, _: &[usize], to: &mut Vec<$t>) -> Option<()> {
        to.push(*self);
        Some(())
    }
})* } }
leaves!(bool, i8, i16, i32, i64, u8, u16, u32, u64, BF16, F16, f32, f64, C32, C64);
crate::for_tiny_ints!(leaves);
crate::for_tiny_floats!(leaves);
impl<R: Rows> Rows for [R] {
    type Element = R::Element;
    const DEPTH: usize = R::DEPTH + 1;
    fn shape(&self, to: &mut Vec<usize>) {
        to.push(self.len());
        match self.first() {
            Some(r) => r.shape(to),
            None => to.resize(to.len() + R::DEPTH, 0),
        }
    }
    fn append(&self, shape: &[usize], to: &mut Vec<R::Element>) -> Option<()> {
        let (&n, rest) = shape.split_first()?;
        if self.len() != n {
            return None;
        }
        self.iter().try_for_each(|r| r.append(rest, to))
    }
}
macro_rules! as_slices { ($({$($g:tt)*} $t:ty),*) => { $(impl<$($g)*> Rows for $t {
    type Element = R::Element;
    const DEPTH: usize = R::DEPTH + 1;
    fn shape(&self, to: &mut Vec<usize>) {
        self[..].shape(to);
    }
    fn append(&self, shape: &[usize], to: &mut Vec<R::Element>) -> Option<()> {
        self[..].append(shape, to)
    }
})* } }
as_slices!({R: Rows, const N: usize} [R; N], {R: Rows} Vec<R>, {R: Rows} &[R]);

impl Tensor {
    /// A tensor of these extents; the first axis is fastest in `v`, which becomes its storage.
    ///
    /// ```
    /// # use tfc_ir::Tensor;
    /// let a = Tensor::from_vec_col_major([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(a.to_string(), "f64[2, 2] =\n  [[1.0, 3.0],\n   [2.0, 4.0]]");
    /// # Ok::<(), tfc_ir::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1020` where the count does not fit the shape, `E0406` where the shape is too large.
    pub fn from_vec_col_major<T: Element>(shape: impl AsRef<[usize]>, v: Vec<T>) -> Result<Tensor> {
        Tensor::from_column_major(shape.as_ref(), v)
    }
    /// A tensor of these extents; the last axis is fastest in `v`, which becomes its storage.
    ///
    /// # Errors
    /// As [`Tensor::from_vec_col_major`].
    pub fn from_vec_row_major<T: Element>(shape: impl AsRef<[usize]>, v: Vec<T>) -> Result<Tensor> {
        Tensor::from_logical(shape.as_ref(), v)
    }
    /// A tensor from nested lists, as they are written: `from_rows([[1.0, 2.0], [3.0, 4.0]])` has the rows `[1, 2]` and
    /// `[3, 4]`; a number is a scalar.
    ///
    /// ```
    /// # use tfc_ir::Tensor;
    /// let a = Tensor::from_rows([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
    /// assert_eq!((a.shape(), a.get::<f64>(&[1, 0])), (&[2, 3][..], Some(4.0)));
    /// # Ok::<(), tfc_ir::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1021` where lists of one level differ in length, `E0406` where the shape is too large.
    pub fn from_rows<R: Rows>(rows: R) -> Result<Tensor> {
        let mut shape = vec![];
        rows.shape(&mut shape);
        // Lists that differ in length need not have as many elements as the first ones promise.
        let mut v = Vec::with_capacity(element_count(&shape)?.min(1 << 16));
        rows.append(&shape, &mut v).ok_or_else(|| {
            Error::new(
                Code::E1021,
                format!("the lists are not all as long as the first ones, which make shape {shape:?}"),
            )
            .help("give every list of one level the same length")
        })?;
        Tensor::from_vec_row_major(shape, v)
    }
    /// A tensor whose element at `index` is `f(index)`; `f` is called in the order of the storage, first axis fastest.
    ///
    /// # Errors
    /// `E0406` where the shape is too large, `E0705` where the memory cannot be had.
    pub fn from_fn<T: Element>(shape: impl AsRef<[usize]>, mut f: impl FnMut(&[usize]) -> T) -> Result<Tensor> {
        let shape = shape.as_ref();
        let n = element_count(shape)?;
        let mut v = Storage::room(n)?;
        let mut index = vec![0; shape.len()];
        for _ in 0..n {
            v.push(f(&index));
            for (i, &n) in index.iter_mut().zip(shape) {
                *i += 1;
                if *i < n {
                    break;
                }
                *i = 0;
            }
        }
        Tensor::dense_of(shape, column_major(shape), v)
    }
    /// Ones (`true`) of a run-time dtype.
    ///
    /// # Errors
    /// As [`Tensor::zeros`].
    pub fn ones(dtype: DType, shape: &[usize]) -> Result<Tensor> {
        with_dtype!(dtype, T => Tensor::full::<T>(shape, T::ONE))
    }
    /// The low bits of integers, in logical order, as elements of an integer dtype.
    ///
    /// # Errors
    /// As [`Tensor::from_logical`]; `E0718` where the dtype is none of integers.
    pub fn from_ints(dtype: DType, shape: &[usize], list: impl IntoIterator<Item = i128>) -> Result<Tensor> {
        let list = list.into_iter();
        match dtype {
            DType::I32 => Tensor::from_logical(shape, list.map(|x| x as i32).collect()),
            DType::I64 => Tensor::from_logical(shape, list.map(|x| x as i64).collect()),
            DType::U32 => Tensor::from_logical(shape, list.map(|x| x as u32).collect()),
            DType::U64 => Tensor::from_logical(shape, list.map(|x| x as u64).collect()),
            d => {
                with_small_int!(d, T => Tensor::from_logical(shape, list.map(|x| T::of_bits(x as u32)).collect()), _ =>
                Err(unfit(d, "integers")))
            }
        }
    }
    /// The elements that little-endian bytes in logical order hold, of a small dtype; bits above those of a tiny one do not count.
    ///
    /// # Errors
    /// As [`Tensor::from_logical`]; `E0718` where the dtype is not small.
    pub fn from_small_bytes(dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<Tensor> {
        fn of<T: Small>(shape: &[usize], bytes: &[u8]) -> Result<Tensor> {
            let bits = |b: &[u8]| b.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b));
            Tensor::from_logical(shape, bytes.chunks_exact(size_of::<T>()).map(|b| T::of_bits(bits(b))).collect())
        }
        with_small_float!(dtype, T => of::<T>(shape, bytes), _ => with_small_int!(dtype, T => of::<T>(shape, bytes), _ =>
            Err(unfit(dtype, "small numbers"))))
    }
    /// Numbers, in logical order, as elements of a real floating dtype: rounded once, to nearest even.
    ///
    /// # Errors
    /// As [`Tensor::from_logical`]; `E0718` where the dtype is none of real floats.
    pub fn from_reals(dtype: DType, shape: &[usize], list: impl IntoIterator<Item = f64>) -> Result<Tensor> {
        let list = list.into_iter();
        match dtype {
            DType::F32 => Tensor::from_logical(shape, list.map(|x| x as f32).collect()),
            DType::F64 => Tensor::from_logical(shape, list.collect()),
            d => {
                with_small_float!(d, T => Tensor::from_logical(shape, list.map(|x| T::narrow(x.single())).collect()), _ =>
                Err(unfit(d, "real floats")))
            }
        }
    }
    /// The identity matrix of `n` rows.
    ///
    /// # Errors
    /// As [`Tensor::zeros`].
    pub fn eye(dtype: DType, n: usize) -> Result<Tensor> {
        with_dtype!(dtype, T => Tensor::from_fn([n, n], |i| if i[0] == i[1] { T::ONE } else { T::default() }))
    }
    /// `start`, `start + step`, … before `stop`, on one axis. Element `i` is `start + i*step`.
    ///
    /// ```
    /// # use tfc_ir::Tensor;
    /// assert_eq!(Tensor::arange(5, 0, -2)?.to_string(), "i32[3] = [5, 3, 1]");
    /// # Ok::<(), tfc_ir::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1027` where the step is 0 or something is not finite; `E0406` or `E0705` where there are too many.
    pub fn arange<T: Number>(start: T, stop: T, step: T) -> Result<Tensor> {
        let n = T::steps(start, stop, step).ok_or_else(|| {
            Error::new(Code::E1027, format!("no range goes from {start:?} to {stop:?} by steps of {step:?}"))
                .help("give finite ends, and a step that is not 0")
        })?;
        let v = Storage::collect(element_count(&[n])?, (0..n).map(|i| T::step_at(start, step, i)))?;
        Tensor::dense_of(&[n], vec![1], v)
    }
    /// `n` numbers of dtype `f64` at equal distances from `start` to `stop`, both included.
    ///
    /// # Errors
    /// `E1027` where an end is not finite; `E0406` or `E0705` where there are too many.
    pub fn linspace(start: f64, stop: f64, n: usize) -> Result<Tensor> {
        if !(start.is_finite() && stop.is_finite()) {
            return Err(
                Error::new(Code::E1027, format!("no range goes from {start:?} to {stop:?}")).help("give finite ends")
            );
        }
        let last = n.saturating_sub(1);
        // From the nearer end each: the ends are exact, and no difference of them overflows.
        let at = |i: usize| {
            let t = i as f64 / last.max(1) as f64;
            if i == last && last > 0 { stop } else { start * (1.0 - t) + stop * t }
        };
        let v = Storage::collect(element_count(&[n])?, (0..n).map(at))?;
        Tensor::dense_of(&[n], vec![1], v)
    }
}

fn unfit(dtype: DType, what: &str) -> Error {
    Error::bug(Code::E0718, format!("a list of {what} was to become {dtype}"))
}
