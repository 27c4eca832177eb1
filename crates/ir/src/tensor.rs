//! Host tensors: shared storage, shape, strides, offset. Column-major by default (first axis fastest), but any view is
//! a tensor: nothing here or elsewhere may assume an order that the strides do not state.
//!
//! Linear orders of elements are always *logical order* (last axis fastest, TFIR §4) unless a name says otherwise.
pub mod foreign;
mod make;
mod typed;
mod view;

use crate::code::Code;
pub use make::{Number, Rows};
pub use typed::TypedTensor;
pub use view::{Iter, Slice};

use crate::diag::{Error, Result};
use crate::dtype::{BF16, C32, C64, DType, F16};
use crate::small::{self, Small};
use crate::storage::Storage;
use crate::{with_small_float, with_small_int};
use std::sync::Arc;

/// Storage of one element type, shared between views.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names are the meaning")]
pub enum Data {
    Bool(Arc<Storage<bool>>),
    I8(Arc<Storage<i8>>),
    I16(Arc<Storage<i16>>),
    I32(Arc<Storage<i32>>),
    I64(Arc<Storage<i64>>),
    U8(Arc<Storage<u8>>),
    U16(Arc<Storage<u16>>),
    U32(Arc<Storage<u32>>),
    U64(Arc<Storage<u64>>),
    BF16(Arc<Storage<BF16>>),
    F16(Arc<Storage<F16>>),
    F32(Arc<Storage<f32>>),
    F64(Arc<Storage<f64>>),
    C32(Arc<Storage<C32>>),
    C64(Arc<Storage<C64>>),
    I2(Arc<Storage<small::I2>>),
    I4(Arc<Storage<small::I4>>),
    U2(Arc<Storage<small::U2>>),
    U4(Arc<Storage<small::U4>>),
    F4E2M1FN(Arc<Storage<small::F4E2M1FN>>),
    F6E2M3FN(Arc<Storage<small::F6E2M3FN>>),
    F6E3M2FN(Arc<Storage<small::F6E3M2FN>>),
    F8E3M4(Arc<Storage<small::F8E3M4>>),
    F8E4M3(Arc<Storage<small::F8E4M3>>),
    F8E4M3B11FNUZ(Arc<Storage<small::F8E4M3B11FNUZ>>),
    F8E4M3FN(Arc<Storage<small::F8E4M3FN>>),
    F8E4M3FNUZ(Arc<Storage<small::F8E4M3FNUZ>>),
    F8E5M2(Arc<Storage<small::F8E5M2>>),
    F8E5M2FNUZ(Arc<Storage<small::F8E5M2FNUZ>>),
}

/// A Rust type that is an element of a tensor. The list is closed: code that reads memory by a dtype relies on it that each
/// dtype has one type, of that size, of which every stored value is valid.
pub trait Element: sealed::Sealed + Copy + Send + Sync + PartialEq + std::fmt::Debug + Default + 'static {
    /// Dtype of the elements.
    const DTYPE: DType;
    /// The elements as shared storage of their dtype.
    fn wrap(v: Arc<Storage<Self>>) -> Data;
    /// Storage of this type, if `d` is.
    fn unwrap(d: &Data) -> Option<&Arc<Storage<Self>>>;
}
pub(crate) mod sealed {
    /// Only this crate names it.
    pub trait Sealed {}
}
macro_rules! element {
    ($($t:ty => $d:ident),*) => { $(impl sealed::Sealed for $t {}
    impl Element for $t {
        const DTYPE: DType = DType::$d;
        fn wrap(v: Arc<Storage<Self>>) -> Data { Data::$d(v) }
        fn unwrap(d: &Data) -> Option<&Arc<Storage<Self>>> { if let Data::$d(v) = d { Some(v) } else { None } }
    })* };
}
element!(bool => Bool, i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64, BF16 => BF16, F16 => F16, f32 => F32, f64 => F64, C32 => C32, C64 => C64, small::I2 => I2, small::I4 => I4, small::U2 => U2, small::U4 => U4, small::F4E2M1FN => F4E2M1FN, small::F6E2M3FN => F6E2M3FN, small::F6E3M2FN => F6E3M2FN, small::F8E3M4 => F8E3M4, small::F8E4M3 => F8E4M3, small::F8E4M3B11FNUZ => F8E4M3B11FNUZ, small::F8E4M3FN => F8E4M3FN, small::F8E4M3FNUZ => F8E4M3FNUZ, small::F8E5M2 => F8E5M2, small::F8E5M2FNUZ => F8E5M2FNUZ);

/// Runs `$body` with `$t` the Rust type of `$dtype`.
#[macro_export]
macro_rules! with_dtype {
    ($dtype:expr, $t:ident => $body:expr) => {
        $crate::with_dtype!(@ $dtype, $t, $body, Bool bool, I8 i8, I16 i16, I32 i32, I64 i64,
            U8 u8, U16 u16, U32 u32, U64 u64, BF16 $crate::BF16,
            F16 $crate::F16, F32 f32, F64 f64, C32 $crate::C32, C64 $crate::C64,
            I2 $crate::small::I2, I4 $crate::small::I4, U2 $crate::small::U2, U4 $crate::small::U4, F4E2M1FN $crate::small::F4E2M1FN,
            F6E2M3FN $crate::small::F6E2M3FN, F6E3M2FN $crate::small::F6E3M2FN, F8E3M4 $crate::small::F8E3M4, F8E4M3 $crate::small::F8E4M3, F8E4M3B11FNUZ $crate::small::F8E4M3B11FNUZ,
            F8E4M3FN $crate::small::F8E4M3FN, F8E4M3FNUZ $crate::small::F8E4M3FNUZ, F8E5M2 $crate::small::F8E5M2, F8E5M2FNUZ $crate::small::F8E5M2FNUZ)
    };
    (@ $dtype:expr, $t:ident, $body:expr, $($D:ident $T:ty),*) => {
        match $dtype {
            $($crate::DType::$D => {
                type $t = $T;
                $body
            })*
        }
    };
}
/// Runs `$body` with `$v` the storage, whatever its element type.
macro_rules! of_data {
    ($d:expr, $v:ident => $body:expr) => {
        of_data!(@ $d, $v, $body, Bool, I8, I16, I32, I64, U8, U16, U32, U64, BF16, F16, F32, F64, C32, C64, I2, I4, U2, U4, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ)
    };
    (@ $d:expr, $v:ident, $body:expr, $($D:ident),*) => {
        match $d {
            $(Data::$D($v) => $body,)*
        }
    };
}
impl Data {
    /// Empty storage with room for `n` elements; `E0705` where the memory cannot be had.
    pub fn room(dtype: DType, n: usize) -> Result<Data> {
        with_dtype!(dtype, T => Ok(T::wrap(Arc::new(Storage::room(n)?))))
    }
    /// Its element type.
    pub fn dtype(&self) -> DType {
        fn of<T: Element>(_: &Arc<Storage<T>>) -> DType {
            T::DTYPE
        }
        of_data!(self, v => of(v))
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        of_data!(self, v => v.len())
    }
    /// Whether the tensor has no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// How many elements there is room for.
    pub fn capacity(&self) -> usize {
        of_data!(self, v => v.capacity())
    }
    /// The address of its first element.
    pub fn address(&self) -> *const u8 {
        of_data!(self, v => v.as_ptr().cast())
    }
    /// The address of its first element for writing; `None` where somebody else refers to the storage or owns the memory.
    pub fn exclusive(&mut self) -> Option<*mut u8> {
        of_data!(self, v => Arc::get_mut(v).filter(|v| !v.is_foreign()).map(|v| v.address().cast()))
    }
    /// Says that `n` elements are there, if nobody else refers to the storage.
    ///
    /// # Safety
    /// The first `n` elements have been written with values of the element type, and `n` is at most the capacity.
    pub unsafe fn set_len(&mut self, n: usize) {
        // SAFETY: by contract.
        of_data!(self, v => if let Some(v) = Arc::get_mut(v) { unsafe { v.set_len(n) } })
    }
    /// Whether both are the very same storage.
    pub fn same_storage(&self, other: &Data) -> bool {
        self.dtype() == other.dtype() && self.address() == other.address() && self.capacity() == other.capacity()
    }
}

/// A dense tensor or a strided view of one. Cloning shares the storage.
#[derive(Clone)]
pub struct Tensor {
    data: Data,
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
}

/// Strides of a dense tensor whose axes are given from the fastest on. Of a tensor without elements they are 0: nothing is reached
/// by them, and the products of its other extents may be more than there are numbers for.
fn dense_strides<'a>(extents: impl Iterator<Item = &'a usize>, empty: bool) -> Vec<isize> {
    let mut s = isize::from(!empty);
    let mut next = |&n: &usize| {
        let here = s;
        s = s.saturating_mul(isize::try_from(n).unwrap_or(isize::MAX));
        here
    };
    extents.map(&mut next).collect()
}
/// Strides, in elements, of a dense tensor whose first axis is fastest; 0 where it has no element.
pub fn column_major(shape: &[usize]) -> Vec<isize> {
    dense_strides(shape.iter(), shape.contains(&0))
}
/// Strides, in elements, of a dense tensor whose last axis is fastest; 0 where it has no element.
pub fn row_major(shape: &[usize]) -> Vec<isize> {
    let mut r = dense_strides(shape.iter().rev(), shape.contains(&0));
    r.reverse();
    r
}
/// Number of elements; `E0406` where it, or an extent of a tensor without elements, does not fit.
pub fn element_count(shape: &[usize]) -> Result<usize> {
    let too_large = || Error::new(Code::E0406, format!("a tensor of shape {shape:?} is too large"));
    if shape.contains(&0) {
        return if shape.iter().all(|&n| n <= isize::MAX as usize) { Ok(0) } else { Err(too_large()) };
    }
    shape
        .iter()
        .try_fold(1usize, |a, &n| a.checked_mul(n))
        .filter(|&n| n <= isize::MAX as usize / 16)
        .ok_or_else(too_large)
}

/// An empty vector with room for `n` elements; `E0705` where the memory cannot be had.
pub fn buffer<T>(n: usize) -> Result<Vec<T>> {
    let mut v = Vec::new();
    v.try_reserve_exact(n).map_err(|_| {
        let bytes = n as u128 * size_of::<T>() as u128;
        Error::new(Code::E0705, format!("out of memory: {bytes} bytes could not be allocated"))
    })?;
    Ok(v)
}

impl Tensor {
    /// Column-major: the first axis is fastest in `v`, which becomes its storage.
    ///
    /// # Errors
    /// `E1020` where the count does not fit the shape, `E0406` where the shape is too large.
    pub fn from_column_major<T: Element>(shape: &[usize], v: Vec<T>) -> Result<Tensor> {
        Tensor::dense_of(shape, column_major(shape), v.into())
    }
    /// Logical order: the last axis is fastest in `v`; no copy, the strides say so.
    ///
    /// # Errors
    /// As [`Tensor::from_column_major`].
    pub fn from_logical<T: Element>(shape: &[usize], v: Vec<T>) -> Result<Tensor> {
        Tensor::dense_of(shape, row_major(shape), v.into())
    }
    fn dense_of<T: Element>(shape: &[usize], strides: Vec<isize>, v: Storage<T>) -> Result<Tensor> {
        let n = element_count(shape)?;
        if n != v.len() {
            let text = format!("{} elements do not fill a tensor of shape {shape:?}, which has {n}", v.len());
            return Err(Error::new(Code::E1020, text).help("give as many elements as the extents multiply to"));
        }
        Ok(Tensor { data: T::wrap(Arc::new(v)), shape: shape.to_vec(), strides, offset: 0 })
    }
    /// A rank-0 tensor.
    pub fn scalar<T: Element>(x: T) -> Tensor {
        let data = T::wrap(Arc::new(vec![x].into()));
        Tensor { data, shape: vec![], strides: vec![], offset: 0 }
    }
    /// Every element the same; `E0406` or `E0705` where there is no room for them.
    pub fn full<T: Element>(shape: &[usize], x: T) -> Result<Tensor> {
        Tensor::dense_of(shape, column_major(shape), Storage::full(element_count(shape)?, x)?)
    }
    /// Zeros (`false`) of a run-time dtype; errors as [`Tensor::full`].
    pub fn zeros(dtype: DType, shape: &[usize]) -> Result<Tensor> {
        with_dtype!(dtype, T => Tensor::full::<T>(shape, T::default()))
    }
    /// A view of storage.
    ///
    /// # Errors
    /// As [`Tensor::view`].
    pub fn with_strides<T: Element>(
        shape: &[usize],
        strides: Vec<isize>,
        offset: usize,
        v: impl Into<Storage<T>>,
    ) -> Result<Tensor> {
        Tensor::view(T::wrap(Arc::new(v.into())), shape.to_vec(), strides, offset)
    }
    /// A view of untyped storage. Every later access relies on it that all elements lie in the storage. Of a view without
    /// elements, strides and offset become 0.
    ///
    /// # Errors
    /// `E1034` where there is not one stride an axis, or an element would lie outside the storage; `E0406` where the shape is
    /// too large.
    pub fn view(data: Data, shape: Vec<usize>, strides: Vec<isize>, offset: usize) -> Result<Tensor> {
        let wrong = |what: String| {
            Error::new(Code::E1034, what).help("give one stride an axis, by which every element lies in the storage")
        };
        if shape.len() != strides.len() {
            return Err(wrong(format!("a view of shape {shape:?} has the strides {strides:?}, not one an axis")));
        }
        if element_count(&shape)? == 0 {
            return Ok(Tensor { data, strides: vec![0; shape.len()], shape, offset: 0 });
        }
        // So many elements that indices sum to less than 2^60: no sum here leaves an `i128`.
        let (mut lo, mut hi) = (offset as i128, offset as i128);
        for (&n, &s) in shape.iter().zip(&strides) {
            let reach = (n as i128 - 1) * s as i128;
            if reach < 0 { lo += reach } else { hi += reach }
        }
        let have = data.len();
        if lo < 0 || hi >= have as i128 {
            return Err(wrong(format!(
                "a view of shape {shape:?}, strides {strides:?} and offset {offset} leaves its storage of {have} elements"
            )));
        }
        Ok(Tensor { data, shape, strides, offset })
    }
    fn storage_len(&self) -> usize {
        self.data.len()
    }
    /// Its element type.
    pub fn dtype(&self) -> DType {
        self.data.dtype()
    }
    /// Extents.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// Strides in elements.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }
    /// Storage index of element `[0, …, 0]`.
    pub fn offset(&self) -> usize {
        self.offset
    }
    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        // It fits, since constructors ask; where there is a 0, the product of the others need not.
        if self.shape.contains(&0) { 0 } else { self.shape.iter().product() }
    }
    /// Whether the tensor has no element.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }
    /// The shared storage of the tensor.
    pub fn data(&self) -> &Data {
        &self.data
    }
    /// The storage of the tensor alone.
    pub fn into_data(self) -> Data {
        self.data
    }
    /// Its whole storage, typed; use with [`Tensor::offset`] and [`Tensor::strides`]. `None` for another dtype.
    pub fn storage<T: Element>(&self) -> Option<&[T]> {
        T::unwrap(&self.data).map(|v| &v[..])
    }
    /// The element at `index`; `None` for another dtype or an index out of range.
    pub fn get<T: Element>(&self, index: &[usize]) -> Option<T> {
        if index.len() != self.rank() || index.iter().zip(&self.shape).any(|(i, n)| i >= n) {
            return None;
        }
        let at = index.iter().zip(&self.strides).fold(self.offset as isize, |a, (&i, &s)| a + i as isize * s);
        self.storage::<T>()?.get(at as usize).copied()
    }
    /// The only element of a tensor with one.
    pub fn item<T: Element>(&self) -> Option<T> {
        if self.len() == 1 { self.storage::<T>()?.get(self.offset).copied() } else { None }
    }
    /// The elements of an integer dtype in logical order; `None` for another dtype, or where the memory cannot be had.
    pub fn ints(&self) -> Option<Vec<i128>> {
        fn of<T: Element + Into<i128>>(t: &Tensor) -> Option<Vec<i128>> {
            Some(t.to_logical::<T>()?.into_iter().map(Into::into).collect())
        }
        match self.dtype() {
            DType::I32 => of::<i32>(self),
            DType::I64 => of::<i64>(self),
            DType::U32 => of::<u32>(self),
            DType::U64 => of::<u64>(self),
            d => with_small_int!(d, T => of::<T>(self), _ => None),
        }
    }
    /// The only element of a tensor with one, of an integer dtype.
    pub fn int(&self) -> Option<i128> {
        if self.len() == 1 { self.ints()?.first().copied() } else { None }
    }
    /// The elements of a real floating dtype in logical order; `None` for another dtype, or where the memory cannot be had.
    pub fn reals(&self) -> Option<Vec<f64>> {
        match self.dtype() {
            DType::F32 => Some(self.to_logical::<f32>()?.into_iter().map(f64::from).collect()),
            DType::F64 => self.to_logical(),
            d => {
                with_small_float!(d, T => Some(self.to_logical::<T>()?.into_iter().map(|x| x.widen().into()).collect()), _ =>
                None)
            }
        }
    }
    /// The only element of a tensor with one, of a real floating dtype.
    pub fn real(&self) -> Option<f64> {
        match self.dtype() {
            DType::F32 => self.item::<f32>().map(f64::from),
            DType::F64 => self.item(),
            d => with_small_float!(d, T => self.item::<T>().map(|x| x.widen().into()), _ => None),
        }
    }
    /// Calls `f` with the storage index of each element in logical order.
    pub fn for_each_index(&self, mut f: impl FnMut(usize)) {
        if self.is_empty() {
            return;
        }
        let rank = self.rank();
        let mut ix = vec![0usize; rank];
        let mut at = self.offset as isize;
        loop {
            f(at as usize);
            let mut a = rank;
            loop {
                if a == 0 {
                    return;
                }
                a -= 1;
                ix[a] += 1;
                // The step behind the last element may leave what there are numbers for, and is taken back.
                at = at.wrapping_add(self.strides[a]);
                if ix[a] < self.shape[a] {
                    break;
                }
                at = at.wrapping_sub(self.strides[a].wrapping_mul(self.shape[a] as isize));
                ix[a] = 0;
            }
        }
    }
    /// The storage index of each element in logical order, for walks that may end before the last one.
    pub fn indices(&self) -> Indices<'_> {
        let at = (!self.is_empty()).then_some(self.offset as isize);
        Indices { tensor: self, ix: vec![0; self.rank()], at }
    }
    /// One of all elements that a view repeats: axes along which nothing changes are cut to their first index. What holds
    /// for each of its elements holds for each of this tensor's, however many they are.
    pub fn distinct(&self) -> Tensor {
        let shape = self.shape.iter().zip(&self.strides).map(|(&n, &s)| if s == 0 { n.min(1) } else { n }).collect();
        Tensor { shape, ..self.clone() }
    }
    /// Elements in logical order (last axis fastest); `None` for another dtype, or where the memory cannot be had
    /// ([`Tensor::to_vec`] says which).
    pub fn to_logical<T: Element>(&self) -> Option<Vec<T>> {
        self.to_vec().ok()
    }
    /// Elements with the first axis fastest; `None` as [`Tensor::to_logical`].
    pub fn to_column_major<T: Element>(&self) -> Option<Vec<T>> {
        self.t().to_logical()
    }
    /// Whether the elements are dense in the storage with these strides (axes of extent 1 do not count).
    pub fn is_order(&self, strides: &[isize]) -> bool {
        self.is_empty() || self.shape.iter().zip(&self.strides).zip(strides).all(|((&n, a), b)| n == 1 || a == b)
    }
    /// The same elements, axis `i` of the view being axis `perm[i]` of `self`.
    ///
    /// # Errors
    /// `E1022` where `perm` does not list every axis once.
    pub fn permuted(&self, perm: &[usize]) -> Result<Tensor> {
        let mut seen = vec![false; self.rank()];
        let fits = perm.iter().all(|&p| seen.get_mut(p).is_some_and(|s| !std::mem::replace(s, true)));
        if !fits || perm.len() != self.rank() {
            let text = format!("{perm:?} does not order the axes of a tensor of {}", self.rank());
            return Err(Error::new(Code::E1022, text).help("list each axis once, the one that comes first first"));
        }
        Ok(Tensor {
            data: self.data.clone(),
            shape: perm.iter().map(|&p| self.shape[p]).collect(),
            strides: perm.iter().map(|&p| self.strides[p]).collect(),
            offset: self.offset,
        })
    }
    /// The tensor with its axes in the opposite order.
    pub fn t(&self) -> Tensor {
        let mut t = self.clone();
        t.shape.reverse();
        t.strides.reverse();
        t
    }
    /// A dense column-major tensor with the same elements; shares the storage where it is one already.
    ///
    /// # Errors
    /// `E0705` where the memory of a copy cannot be had.
    pub fn dense(&self) -> Result<Tensor> {
        if self.is_order(&column_major(&self.shape)) && self.offset == 0 && self.storage_len() == self.len() {
            return Ok(self.clone());
        }
        with_dtype!(self.dtype(), T => Tensor::from_column_major(&self.shape, self.t().to_vec::<T>()?))
    }
    /// The bytes of a scalar, in front of zeros; zeros for what is no scalar.
    pub fn scalar_bytes(&self) -> [u8; 16] {
        let mut bytes = [0u8; 16];
        with_dtype!(self.dtype(), T => {
            if let Some(x) = self.get::<T>(&[]) {
                // SAFETY: the bytes of a number, at most 16.
                unsafe { std::ptr::copy_nonoverlapping(std::ptr::from_ref(&x).cast(), bytes.as_mut_ptr(), size_of::<T>()) };
            }
        });
        bytes
    }
    /// Equal dtype, shape and elements; floats by bits, except that any two NaN are equal.
    pub fn same(&self, other: &Tensor) -> bool {
        fn eq<T: Element>(a: &Tensor, b: &Tensor, e: impl Fn(T, T) -> bool) -> bool {
            match (a.iter::<T>(), b.iter::<T>()) {
                (Ok(x), Ok(y)) => x.zip(y).all(|(x, y)| e(x, y)),
                _ => false,
            }
        }
        let f = |x: f64, y: f64| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        let g = |x: f32, y: f32| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        if self.dtype() != other.dtype() || self.shape != other.shape {
            return false;
        }
        match self.dtype() {
            DType::F32 => eq::<f32>(self, other, g),
            DType::F64 => eq::<f64>(self, other, f),
            DType::C32 => eq::<C32>(self, other, |x, y| g(x.re, y.re) && g(x.im, y.im)),
            DType::C64 => eq::<C64>(self, other, |x, y| f(x.re, y.re) && f(x.im, y.im)),
            d => with_small_float!(d, T => eq::<T>(self, other, |x, y| g(x.widen(), y.widen())), _ =>
                with_dtype!(d, T => eq::<T>(self, other, |x, y| x == y))),
        }
    }
}
/// See [`Tensor::indices`].
#[derive(Clone, Debug)]
pub struct Indices<'a> {
    tensor: &'a Tensor,
    ix: Vec<usize>,
    /// The next one.
    at: Option<isize>,
}
impl Iterator for Indices<'_> {
    type Item = usize;
    #[inline]
    fn next(&mut self) -> Option<usize> {
        let now = self.at?;
        let mut at = now;
        for ((i, &n), &s) in self.ix.iter_mut().zip(&self.tensor.shape).zip(&self.tensor.strides).rev() {
            *i += 1;
            // As in `for_each_index`.
            at = at.wrapping_add(s);
            if *i < n {
                self.at = Some(at);
                return Some(now as usize);
            }
            at = at.wrapping_sub(s.wrapping_mul(n as isize));
            *i = 0;
        }
        self.at = None;
        Some(now as usize)
    }
}
