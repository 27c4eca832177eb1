//! Formulas as data: an implementation of [`V`] whose operations are written down, and what does them again on
//! the vectors of any other. So a code generator compiles a formula that it cannot name, and a language of kernels has all of them.
//!
//! Operations go to a list of this thread that is there while a formula is being recorded.
use std::cell::RefCell;
use std::panic::{catch_unwind, resume_unwind};

use tfc_ir::{ScalarFunction, ScalarOp};

use super::v::{Bin, Lut, Un, V};
use super::{Visit, visit};

/// A formula from outside, of `N` numbers, one or two: a type, so that it is compiled for vectors of every kind.
///
/// It is a straight line. It asks for a constant of each precision by [`V::pick`], chooses between values by [`V::sel`], and may
/// leave out by [`V::any`] what no lane needs; what it computes depends on nothing else of `T`. Mark it `#[inline(always)]`:
/// otherwise each of its operations is a call.
pub trait Formula<const N: usize>: 'static {
    /// The value of the formula in every lane.
    fn of<T: V>(x: [T; N]) -> T;
}

/// An operation of [`V`] on the values of earlier ones, by number.
#[derive(Clone, Debug)]
pub enum Step {
    /// An operand of the formula.
    Operand(usize),
    /// A constant: its bits.
    Bits(u64),
    /// [`V::add`].
    Add(u32, u32),
    /// [`V::sub`].
    Sub(u32, u32),
    /// [`V::mul`].
    Mul(u32, u32),
    /// [`V::div`].
    Div(u32, u32),
    /// [`V::min`].
    Min(u32, u32),
    /// [`V::max`].
    Max(u32, u32),
    /// [`V::sqrt`].
    Sqrt(u32),
    /// [`V::fma`].
    Fma([u32; 3]),
    /// [`V::fnma`].
    Fnma([u32; 3]),
    /// [`V::and`].
    And(u32, u32),
    /// [`V::or`].
    Or(u32, u32),
    /// [`V::xor`].
    Xor(u32, u32),
    /// [`V::iadd`].
    Iadd(u32, u32),
    /// [`V::isub`].
    Isub(u32, u32),
    /// [`V::shl`]: the second is the number of bits.
    Shl(u32, u32),
    /// [`V::shr`]: the second is the number of bits.
    Shr(u32, u32),
    /// [`V::lt`]: a mask, as the next two.
    Lt(u32, u32),
    /// [`V::eq`].
    Eq(u32, u32),
    /// [`V::odd`].
    Odd(u32),
    /// [`V::sel`]: by a mask, the first, one of two vectors.
    Sel([u32; 3]),
    /// [`V::lookup`]: an entry of a table, as the low four bits of a vector say.
    Lookup(u32, &'static Lut),
    /// [`V::rare`]: by a mask, the first, the formula of the second vector, or the third one.
    Rare([u32; 3], Box<Recorded>),
}
/// A formula of `f64` or of `f32`.
#[derive(Clone, Debug)]
pub struct Recorded {
    steps: Vec<Step>,
    result: u32,
}
thread_local! {
    static RECORDING: RefCell<Option<Vec<Step>>> = RefCell::default();
}
/// Operations of the longest formula. One that repeats something until no lane needs it would never end here.
const MOST: usize = 1 << 12;

fn step(s: Step) -> u32 {
    RECORDING.with_borrow_mut(|r| {
        let Some(steps) = r else { return 0 };
        if steps.len() >= MOST {
            resume_unwind(Box::new("a formula is too long"));
        }
        steps.push(s);
        steps.len() as u32 - 1
    })
}
/// The formula of `f64` or of `f32`; `None` where it panics.
pub(crate) fn record<const N: usize, F: Formula<N>>(double: bool) -> Option<Recorded> {
    fn operands<const N: usize, R: From<u32>>() -> [R; N] {
        std::array::from_fn(|k| step(Step::Operand(k)).into())
    }
    let of = || if double { F::of::<R64>(operands()).0 } else { F::of::<R32>(operands()).0 };
    recording(|| catch_unwind(of).ok())
}
/// What is recorded meanwhile, beside what is being recorded already.
fn recording(formula: impl FnOnce() -> Option<u32>) -> Option<Recorded> {
    let outer = RECORDING.replace(Some(vec![]));
    let result = formula();
    let steps = RECORDING.replace(outer)?;
    Some(Recorded { steps, result: result? })
}
/// The formula of a function of this crate, or of one from outside, of `f64` or of `f32`; `None` where there is none.
pub fn formula(op: ScalarOp, double: bool) -> Option<Recorded> {
    struct Record(bool);
    impl Visit for Record {
        type Out = Option<Recorded>;
        fn un<F: Un>(self) -> Self::Out {
            recording(|| {
                let x = step(Step::Operand(0));
                Some(if self.0 { F::f(R64(x)).0 } else { F::f(R32(x)).0 })
            })
        }
        fn bin<F: Bin>(self) -> Self::Out {
            recording(|| {
                let (x, y) = (step(Step::Operand(0)), step(Step::Operand(1)));
                Some(if self.0 { F::f(R64(x), R64(y)).0 } else { F::f(R32(x), R32(y)).0 })
            })
        }
        fn outside(self, f: &'static ScalarFunction) -> Self::Out {
            crate::outside::formula(f, self.0)
        }
    }
    visit(op, Record(double)).flatten()
}
impl Recorded {
    /// Its operations in order, those that they take before them.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
    /// The number of the operation whose value is that of the formula.
    pub fn result(&self) -> u32 {
        self.result
    }
    /// Computes it of `x`; `None` where there are too few operands.
    pub fn of<T: V>(&self, x: &[T]) -> Option<T> {
        let mut vectors: Vec<T> = Vec::with_capacity(self.steps.len());
        let mut masks: Vec<Option<T::Mask>> = vec![None; self.steps.len()];
        // The place of a mask among the vectors.
        let nothing = *x.first()?;
        for (i, s) in self.steps.iter().enumerate() {
            let at = |k: u32| vectors[k as usize];
            let v = match *s {
                Step::Lookup(a, t) => at(a).lookup(t),
                Step::Rare([m, a, v], ref rare) => T::sel(masks[m as usize]?, rare.of(&[at(a)])?, at(v)),
                Step::Operand(k) => *x.get(k)?,
                Step::Bits(b) => T::bits(b),
                Step::Add(a, b) => at(a).add(at(b)),
                Step::Sub(a, b) => at(a).sub(at(b)),
                Step::Mul(a, b) => at(a).mul(at(b)),
                Step::Div(a, b) => at(a).div(at(b)),
                Step::Min(a, b) => at(a).min(at(b)),
                Step::Max(a, b) => at(a).max(at(b)),
                Step::Sqrt(a) => at(a).sqrt(),
                Step::Fma([a, b, c]) => at(a).fma(at(b), at(c)),
                Step::Fnma([a, b, c]) => at(a).fnma(at(b), at(c)),
                Step::And(a, b) => at(a).and(at(b)),
                Step::Or(a, b) => at(a).or(at(b)),
                Step::Xor(a, b) => at(a).xor(at(b)),
                Step::Iadd(a, b) => at(a).iadd(at(b)),
                Step::Isub(a, b) => at(a).isub(at(b)),
                Step::Shl(a, k) => at(a).shl(k),
                Step::Shr(a, k) => at(a).shr(k),
                Step::Sel([m, a, b]) => T::sel(masks[m as usize]?, at(a), at(b)),
                Step::Lt(a, b) => {
                    masks[i] = Some(T::lt(at(a), at(b)));
                    nothing
                }
                Step::Eq(a, b) => {
                    masks[i] = Some(T::eq(at(a), at(b)));
                    nothing
                }
                Step::Odd(a) => {
                    masks[i] = Some(at(a).odd());
                    nothing
                }
            };
            vectors.push(v);
        }
        vectors.get(self.result as usize).copied()
    }
}

macro_rules! recorder {
    ($R:ident $E:ident $dbl:literal) => {
        /// A number of a formula that is being recorded.
        #[derive(Clone, Copy)]
        struct $R(u32);
        impl From<u32> for $R {
            fn from(k: u32) -> $R {
                $R(k)
            }
        }
        impl V for $R {
            type E = $E;
            type Mask = u32;
            const N: usize = 1;
            const DBL: bool = $dbl;
            fn bits(x: u64) -> Self {
                $R(step(Step::Bits(x)))
            }
            unsafe fn load(_: *const $E) -> Self {
                Self::bits(0)
            }
            unsafe fn load_part(_: *const $E, _: usize) -> Self {
                Self::bits(0)
            }
            unsafe fn splat(_: *const $E) -> Self {
                Self::bits(0)
            }
            unsafe fn store(self, _: *mut $E) {}
            unsafe fn store_part(self, _: *mut $E, _: usize) {}
            fn add(self, o: Self) -> Self {
                $R(step(Step::Add(self.0, o.0)))
            }
            fn sub(self, o: Self) -> Self {
                $R(step(Step::Sub(self.0, o.0)))
            }
            fn mul(self, o: Self) -> Self {
                $R(step(Step::Mul(self.0, o.0)))
            }
            fn div(self, o: Self) -> Self {
                $R(step(Step::Div(self.0, o.0)))
            }
            fn sqrt(self) -> Self {
                $R(step(Step::Sqrt(self.0)))
            }
            fn min(self, o: Self) -> Self {
                $R(step(Step::Min(self.0, o.0)))
            }
            fn max(self, o: Self) -> Self {
                $R(step(Step::Max(self.0, o.0)))
            }
            fn fma(self, b: Self, c: Self) -> Self {
                $R(step(Step::Fma([self.0, b.0, c.0])))
            }
            fn fnma(self, b: Self, c: Self) -> Self {
                $R(step(Step::Fnma([self.0, b.0, c.0])))
            }
            fn and(self, o: Self) -> Self {
                $R(step(Step::And(self.0, o.0)))
            }
            fn or(self, o: Self) -> Self {
                $R(step(Step::Or(self.0, o.0)))
            }
            fn xor(self, o: Self) -> Self {
                $R(step(Step::Xor(self.0, o.0)))
            }
            fn iadd(self, o: Self) -> Self {
                $R(step(Step::Iadd(self.0, o.0)))
            }
            fn isub(self, o: Self) -> Self {
                $R(step(Step::Isub(self.0, o.0)))
            }
            fn shl(self, k: u32) -> Self {
                $R(step(Step::Shl(self.0, k)))
            }
            fn shr(self, k: u32) -> Self {
                $R(step(Step::Shr(self.0, k)))
            }
            fn lt(a: Self, b: Self) -> u32 {
                step(Step::Lt(a.0, b.0))
            }
            fn eq(a: Self, b: Self) -> u32 {
                step(Step::Eq(a.0, b.0))
            }
            fn odd(self) -> u32 {
                step(Step::Odd(self.0))
            }
            fn sel(m: u32, a: Self, b: Self) -> Self {
                $R(step(Step::Sel([m, a.0, b.0])))
            }
            fn any(_: u32) -> bool {
                // Both ways are recorded.
                true
            }
            fn lookup(self, t: &'static Lut) -> Self {
                $R(step(Step::Lookup(self.0, t)))
            }
            fn rare<F: Un>(self, m: u32, x: Self) -> Self {
                let rare = recording(|| Some(F::f($R(step(Step::Operand(0)))).0));
                match rare {
                    Some(rare) => $R(step(Step::Rare([m, x.0, self.0], Box::new(rare)))),
                    None => self,
                }
            }
        }
    };
}
recorder! { R32 f32 false }
recorder! { R64 f64 true }
