//! Scalar functions of families from outside, from safe code: what a crate writes down once becomes the loops of every engine
//! and instruction set, so that engines agree about its bits and its op is computed inside fused loops.
//!
//! [`of_reals`] takes a function of `f64`s, which loops call an element at a time; what it gives of `f32`s is rounded once.
//! [`of_vectors`] takes a formula in the operations of [`V`]: it is compiled for vectors of every instruction set, `f32`s are
//! computed as such, and the code generator of the CPU engine writes it into the loop.
//!
//! ```
//! use tfc_kernels::outside::{Formula, ScalarFunction, V, of_reals, of_vectors};
//! /// `sin πx / πx`.
//! static SINC: ScalarFunction = ScalarFunction {
//!     name: "acme.sinc",
//!     cost: 40,
//!     formulas: &of_reals(|[x]| if x == 0.0 { 1.0 } else { (std::f64::consts::PI * x).sin() / (std::f64::consts::PI * x) }),
//! };
//! struct Softsign;
//! impl Formula<1> for Softsign {
//!     #[inline(always)]
//!     fn of<T: V>([x]: [T; 1]) -> T {
//!         x.div(T::c(1.0).add(x.abs()))
//!     }
//! }
//! /// `x / (1 + |x|)`.
//! static SOFTSIGN: ScalarFunction =
//!     ScalarFunction { name: "acme.softsign", cost: 6, formulas: &of_vectors::<1, Softsign>() };
//! ```
//!
//! A function that panics ends the run with an error that says so, as kernels of whole ops do.
use std::any::type_name;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;

use tfc_ir::outside::Panicked;
use tfc_ir::scalar::Formulas;
pub use tfc_ir::scalar::ScalarFunction;
use tfc_ir::{C32, C64, DType, Element, Tensor};

use crate::isa::Isa;
use crate::kernel::{Kernel, KernelFn, Src};
use crate::vmath::kern;
pub use crate::vmath::recorded::Formula;
use crate::vmath::recorded::{Recorded, record};
pub use crate::vmath::v::V;
use crate::vmath::v::{Bin, Un};

/// The loops of a function from outside, for a row of [`ScalarFunction`].
#[derive(Clone, Copy)]
pub struct Made {
    arity: usize,
    real: fn(DType) -> Option<KernelFn>,
    complex: Option<fn(DType) -> Option<KernelFn>>,
    formula: Option<fn(bool) -> Option<Recorded>>,
}

/// A function of real numbers: a closure that captures nothing, or a function's name.
pub const fn of_reals<const N: usize, F>(f: F) -> Made
where
    F: Fn([f64; N]) -> f64 + Copy + Send + Sync + 'static,
{
    captures_nothing::<N, F>(f);
    Made { arity: N, real: real::<N, F>, complex: None, formula: None }
}
/// The function by a formula of vectors.
pub const fn of_vectors<const N: usize, F: Formula<N>>() -> Made {
    const { assert!(N == 1 || N == 2, "a formula of vectors has one or two operands") };
    Made { arity: N, real: vector::<N, F>, complex: None, formula: Some(record::<N, F>) }
}
impl Made {
    /// Also a function of complex numbers; what it gives of pairs of `f32` is rounded once.
    pub const fn and_complex<const N: usize, F>(self, f: F) -> Made
    where
        F: Fn([C64; N]) -> C64 + Copy + Send + Sync + 'static,
    {
        captures_nothing::<N, F>(f);
        assert!(N == self.arity, "of complex numbers the function has another number of operands");
        Made { complex: Some(complex::<N, F>), ..self }
    }
    fn kernel(&self, d: DType) -> Option<Kernel> {
        let f = match self.complex {
            Some(of) if d.is_complex() => of(d),
            _ => (self.real)(d),
        }?;
        Some(Kernel { f, arity: self.arity, from: [d; 3], to: d, cheap: false })
    }
}
impl Formulas for Made {
    fn arity(&self) -> usize {
        self.arity
    }
    fn value(&self, operands: &[Tensor]) -> Option<Tensor> {
        let kernel = self.kernel(operands.first()?.dtype())?;
        // What is left half done is not read again.
        catch_unwind(AssertUnwindSafe(|| kernel.apply(operands))).ok()?.ok()
    }
}
fn made(f: &ScalarFunction) -> Option<&Made> {
    (f.formulas as &dyn std::any::Any).downcast_ref()
}
/// The kernel of a function from outside.
pub(crate) fn kernel(f: &ScalarFunction, from: &[DType], to: DType) -> Option<Kernel> {
    let made = made(f).filter(|m| m.arity == from.len() && from.iter().all(|&d| d == to))?;
    made.kernel(to)
}
/// The formula of a function from outside, of `f64` or of `f32`: `None` where it has none, or one that cannot be written down.
pub fn formula(f: &ScalarFunction, double: bool) -> Option<Recorded> {
    made(f)?.formula?(double)
}

const fn captures_nothing<const N: usize, F: Copy>(_: F) {
    const { assert!(size_of::<F>() == 0, "the function captures something: write a closure that does not") };
    const { assert!(1 <= N && N <= 3, "a scalar function has one to three operands") };
}
/// The function of type `F`, of which a value was handed to [`captures_nothing`].
fn function<F: Copy>() -> F {
    const { assert!(size_of::<F>() == 0) };
    // SAFETY: `F` has no bytes, and there is a value of it, which is `Copy`: `Made` comes about in no other way.
    unsafe { NonNull::<F>::dangling().read() }
}
fn real<const N: usize, F>(d: DType) -> Option<KernelFn>
where
    F: Fn([f64; N]) -> f64 + Copy + 'static,
{
    match d {
        DType::F32 => Some(values::<N, f64, f32, F>),
        DType::F64 => Some(values::<N, f64, f64, F>),
        _ => None,
    }
}
fn complex<const N: usize, F>(d: DType) -> Option<KernelFn>
where
    F: Fn([C64; N]) -> C64 + Copy + 'static,
{
    match d {
        DType::C32 => Some(values::<N, C64, C32, F>),
        DType::C64 => Some(values::<N, C64, C64, F>),
        _ => None,
    }
}
fn vector<const N: usize, F: Formula<N>>(d: DType) -> Option<KernelFn> {
    match d {
        DType::F32 => Some(vectors::<N, f32, F>),
        DType::F64 => Some(vectors::<N, f64, F>),
        _ => None,
    }
}

/// Elements that a function computes as `W`s.
trait Through<W>: Element {
    fn wide(self) -> W;
    fn narrow(w: W) -> Self;
}
macro_rules! through {
    ($($t:ty, $w:ty: |$x:ident| $wide:expr, |$y:ident| $narrow:expr;)*) => { $(impl Through<$w> for $t {
        fn wide(self) -> $w {
            let $x = self;
            $wide
        }
        fn narrow($y: $w) -> $t {
            $narrow
        }
    })* };
}
through! {
    f64, f64: |x| x, |y| y;
    f32, f64: |x| f64::from(x), |y| y as f32;
    C64, C64: |z| z, |y| y;
    C32, C64: |z| C64::new(z.re.into(), z.im.into()), |y| C32::new(y.re as f32, y.im as f32);
}
/// Runs a loop of the function `F`; a panic goes on as a [`Panicked`].
fn named<F>(run: impl FnOnce()) {
    // Of what a loop leaves half done nothing is read again: the run ends.
    if let Err(with) = catch_unwind(AssertUnwindSafe(run)) {
        resume_unwind(Box::new(Panicked { function: type_name::<F>(), with }));
    }
}
/// # Safety
/// As [`Kernel::run`].
unsafe fn values<const N: usize, W, T: Through<W>, F>(n: usize, s: &[Src; 3], dst: *mut u8)
where
    F: Fn([W; N]) -> W + Copy,
{
    let (f, d) = (function::<F>(), dst.cast::<T>());
    let one = s[..N].iter().all(|s| s.stride == 0);
    named::<F>(|| {
        let at = |i: usize| {
            // SAFETY: element `i < n` of each operand.
            let x = |k: usize| unsafe { s[k].ptr.cast::<T>().offset(i as isize * s[k].stride).read() };
            T::narrow(f(std::array::from_fn(|k| x(k).wide())))
        };
        if one && n > 0 {
            let y = at(0);
            // SAFETY: element `i < n` of the result.
            (0..n).for_each(|i| unsafe { d.add(i).write(y) });
        } else {
            // SAFETY: element `i < n` of the result; that of each operand has been read.
            (0..n).for_each(|i| unsafe { d.add(i).write(at(i)) });
        }
    });
}
struct Of<const N: usize, F>(PhantomData<F>);
impl<const N: usize, F: Formula<N>> Un for Of<N, F> {
    #[inline(always)]
    fn f<T: V>(x: T) -> T {
        F::of([x; N])
    }
}
impl<const N: usize, F: Formula<N>> Bin for Of<N, F> {
    #[inline(always)]
    fn f<T: V>(x: T, y: T) -> T {
        let mut both = [x; N];
        if let Some(last) = both.get_mut(1) {
            *last = y;
        }
        F::of(both)
    }
}
/// # Safety
/// As [`Kernel::run`].
unsafe fn vectors<const N: usize, T: Element, F: Formula<N>>(n: usize, s: &[Src; 3], dst: *mut u8) {
    // Every instruction set gives the same bits, so there is always one to be chosen.
    let isa = Isa::chosen().unwrap_or(Isa::Scalar);
    let f = if N == 1 { kern::un::<Of<N, F>>(isa, T::DTYPE) } else { kern::bin::<Of<N, F>>(isa, T::DTYPE) };
    named::<F>(|| {
        if let Some(f) = f {
            // SAFETY: the caller's promise is the loop's, and the machine has the instruction set.
            unsafe { f(n, s, dst) }
        }
    });
}
