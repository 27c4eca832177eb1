//! Tensors by multi-index: the two loops that every kernel here is made of.
use std::cell::{Cell, RefCell};
use tfc_ir::tensor::{buffer, element_count};
use tfc_ir::{Budget, Code, Element, Error, Result, Tensor};

/// Typed access to a tensor's elements.
pub(super) struct Grid<'a, T> {
    data: &'a [T],
    strides: &'a [isize],
    offset: isize,
}
impl<'a, T: Element> Grid<'a, T> {
    /// The grid of a tensor of this dtype.
    pub(super) fn of(t: &'a Tensor) -> Result<Grid<'a, T>> {
        let data = t
            .storage::<T>()
            .ok_or_else(|| Error::bug(Code::E0718, format!("a kernel for {} got {}", T::DTYPE, t.dtype())))?;
        Ok(Grid { data, strides: t.strides(), offset: t.offset() as isize })
    }
    /// The element at `ix`, which lies inside the shape.
    pub(super) fn at(&self, ix: &[usize]) -> T {
        let at = ix.iter().zip(self.strides).fold(self.offset, |a, (&i, &s)| a + i as isize * s);
        self.data[at as usize]
    }
}

/// Elements between two looks at the clock: a fraction of a millisecond.
const PACE: u32 = 4096;
thread_local! {
    /// Whose time it is.
    static BUDGET: RefCell<Option<Budget>> = const { RefCell::new(None) };
    /// Elements until the next look.
    static LEFT: Cell<u32> = const { Cell::new(PACE) };
    /// The time is over.
    static OVER: Cell<bool> = const { Cell::new(false) };
}
/// Runs `f`, in which [`each`], [`build`] and [`tick`] look at the time of `budget`.
pub(super) fn paced<R>(budget: &Budget, f: impl FnOnce() -> R) -> R {
    /// Puts back what was there, however `f` ends.
    struct Back(Option<Budget>, bool);
    impl Drop for Back {
        fn drop(&mut self) {
            BUDGET.set(self.0.take());
            OVER.set(self.1);
        }
    }
    let _back = Back(BUDGET.replace(Some(budget.clone())), OVER.replace(false));
    f()
}
/// One element more: may the work go on? Where not, whatever it gives is dropped: see [`over`].
#[inline]
pub(super) fn tick() -> bool {
    match LEFT.get() {
        0 => look(),
        left => {
            LEFT.set(left - 1);
            !OVER.get()
        }
    }
}
#[cold]
fn look() -> bool {
    LEFT.set(PACE);
    if BUDGET.with_borrow(|b| b.as_ref().is_some_and(|b| b.check().is_err())) {
        OVER.set(true);
    }
    !OVER.get()
}
/// `E0714` where the work was broken off.
pub(super) fn over() -> Result<()> {
    if OVER.get() { BUDGET.with_borrow(|b| b.as_ref().map_or(Ok(()), Budget::check)) } else { Ok(()) }
}

/// Calls `f` with every index of `shape` in logical order (last axis fastest), as long as there is time.
pub(super) fn each(shape: &[usize], mut f: impl FnMut(&[usize])) {
    walk(shape, &mut f);
}
/// One loop for every closure: there are hundreds.
fn walk(shape: &[usize], f: &mut dyn FnMut(&[usize])) {
    if shape.contains(&0) {
        return;
    }
    let mut ix = vec![0; shape.len()];
    loop {
        if !tick() {
            return;
        }
        f(&ix);
        let mut a = shape.len();
        loop {
            if a == 0 {
                return;
            }
            a -= 1;
            ix[a] += 1;
            if ix[a] < shape[a] {
                break;
            }
            ix[a] = 0;
        }
    }
}

/// The tensor whose element at `ix` is `f(ix)`; `E0705` where there is no memory for it, `E0714` where there is no time.
pub(super) fn build<T: Element>(shape: &[usize], mut f: impl FnMut(&[usize]) -> T) -> Result<Tensor> {
    let mut v = buffer(element_count(shape)?)?;
    each(shape, |ix| v.push(f(ix)));
    over()?;
    Tensor::from_logical(shape, v)
}

/// Runs `$body` with `$t` the Rust type of `$dtype`, which is not tiny: tiny elements come as wide ones to what only moves them, so that
/// there are not twice as many functions.
macro_rules! typed {
    ($dtype:expr, $t:ident => $body:expr) => {
        $crate::grid::typed!(@ $dtype, $t, $body,
            Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, BF16 tfc_ir::BF16, F16 tfc_ir::F16,
            F32 f32, F64 f64, C32 tfc_ir::C32, C64 tfc_ir::C64)
    };
    (@ $dtype:expr, $t:ident, $body:expr, $($D:ident $T:ty),*) => {
        match $dtype {
            $(tfc_ir::DType::$D => {
                type $t = $T;
                $body
            })*
            d => Err(tfc_ir::Error::bug(tfc_ir::Code::E0718, format!("{d} has not been widened"))),
        }
    };
}
/// The same of every dtype.
macro_rules! every {
    ($dtype:expr, $t:ident => $body:expr) => {
        tfc_ir::with_dtype!($dtype, $t => $body)
    };
}
pub(super) use {every, typed};
