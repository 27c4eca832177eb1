//! Comparing a result with what is expected: integers exactly, floats within `atol + rtol*|want|`, NaN equal to NaN,
//! infinities only to themselves. Finds the worst element, not the first.
use super::show::element_text;
use std::fmt;
use tfc_ir::small::*;
use tfc_ir::{BF16, C32, C64, DType, Element, F16, Tensor, for_tiny_floats, for_tiny_ints, with_dtype};

/// How far a float may be off: `|got - want| <= atol + rtol*|want|`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Relative part.
    pub rtol: f64,
    /// Absolute part.
    pub atol: f64,
}
impl Default for Tolerance {
    fn default() -> Self {
        Tolerance { rtol: 1e-5, atol: 1e-8 }
    }
}

/// In what two tensors differ.
#[derive(Clone, PartialEq, Debug)]
pub enum Difference {
    /// The shapes differ: got, wanted.
    Shape(Vec<usize>, Vec<usize>),
    /// Elements differ; the worst is described.
    Elements {
        /// Where.
        index: Vec<usize>,
        /// The value that was found.
        got: String,
        /// The value expected.
        want: String,
        /// `|got - want|`; NaN or infinite where they cannot be subtracted.
        error: f64,
        /// What would have been allowed there.
        allowed: f64,
        /// Number of elements out of tolerance.
        count: usize,
        /// Number of elements.
        of: usize,
    },
}
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Difference::Shape(got, want) => write!(f, "shape {got:?}, but {want:?} is expected"),
            Difference::Elements { index, got, want, error, allowed, count, of } => {
                if *of > 1 {
                    write!(f, "{count} of {of} elements differ; worst at {index:?}: ")?;
                }
                write!(f, "got {got}, expected {want} (off by {error:.3e}, allowed {allowed:.3e})")
            }
        }
    }
}

/// Elements between two looks at the clock.
const PACE: usize = 1 << 14;

/// A number as both sides are compared.
#[derive(Clone, Copy)]
enum Value {
    Int(i128),
    Complex(f64, f64),
}
trait AsValue: Element {
    fn value(self) -> Value;
}
macro_rules! values {
    ($($t:ty => $f:expr),*) => { $(impl AsValue for $t {
        fn value(self) -> Value { let f: fn($t) -> Value = $f; f(self) }
    })* };
}
values!(bool => |x| Value::Int(x as i128), i8 => |x| Value::Int(x as i128), i16 => |x| Value::Int(x as i128),
        u8 => |x| Value::Int(x as i128), u16 => |x| Value::Int(x as i128),
        i32 => |x| Value::Int(x as i128), i64 => |x| Value::Int(x as i128),
        u32 => |x| Value::Int(x as i128), u64 => |x| Value::Int(x as i128),
        f32 => |x| Value::Complex(x as f64, 0.0), f64 => |x| Value::Complex(x, 0.0),
        C32 => |x| Value::Complex(x.re as f64, x.im as f64), C64 => |x| Value::Complex(x.re, x.im));

macro_rules! small_values {
    ($made:ident: $($t:ty),*) => { $(impl AsValue for $t {
        fn value(self) -> Value { $made(self.widen()) }
    })* };
}
fn float(x: f32) -> Value {
    Value::Complex(x.into(), 0.0)
}
fn integer<I: Into<i128>>(x: I) -> Value {
    Value::Int(x.into())
}
small_values!(float: BF16, F16);
for_tiny_floats!(small_values float:);
for_tiny_ints!(small_values integer:);

/// Elements of the tensor in logical order, one after the other.
fn values(t: &Tensor) -> Box<dyn Iterator<Item = Value> + '_> {
    with_dtype!(t.dtype(), T => match t.storage::<T>() {
        Some(data) => Box::new(t.indices().filter_map(|i| data.get(i).map(|x| x.value()))),
        None => Box::new(std::iter::empty()),
    })
}

/// How far off, and how far is allowed.
fn distance(got: Value, want: Value, tol: Tolerance) -> (f64, f64) {
    let parts = |v| match v {
        Value::Int(i) => (i as f64, 0.0),
        Value::Complex(re, im) => (re, im),
    };
    if let (Value::Int(a), Value::Int(b)) = (got, want) {
        return (a.abs_diff(b) as f64, 0.0);
    }
    let part = |a: f64, b: f64| {
        if a == b || (a.is_nan() && b.is_nan()) {
            0.0
        } else if (a - b).is_finite() {
            (a - b).abs()
        } else {
            f64::INFINITY
        }
    };
    let ((a, b), (c, d)) = (parts(got), parts(want));
    let modulus = c.hypot(d);
    let allowed = tol.atol + if modulus.is_finite() { tol.rtol * modulus } else { 0.0 };
    (part(a, c).hypot(part(b, d)), allowed)
}

/// Compares `got` with `want`; dtypes may differ (a reference of f64 serves a result of f32). Two integers must be
/// equal whatever the tolerance.
pub fn compare(got: &Tensor, want: &Tensor, tol: Tolerance) -> Result<(), Box<Difference>> {
    match compare_within(got, want, tol, || Ok::<(), std::convert::Infallible>(())) {
        Ok(compared) => compared,
        Err(never) => match never {},
    }
}

/// [`compare`], as long as `go_on` says nothing against it.
///
/// # Errors
/// Those of `go_on`.
pub fn compare_within<E>(
    got: &Tensor,
    want: &Tensor,
    tol: Tolerance,
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<Result<(), Box<Difference>>, E> {
    if got.shape() != want.shape() {
        return Ok(Err(Box::new(Difference::Shape(got.shape().to_vec(), want.shape().to_vec()))));
    }
    let pairs = values(got).zip(values(want));
    let (mut worst, mut count) = (None::<(f64, usize, f64, f64)>, 0);
    for (i, (a, b)) in pairs.enumerate() {
        if i % PACE == 0 {
            go_on()?;
        }
        let (error, allowed) = distance(a, b, tol);
        if error <= allowed {
            continue;
        }
        count += 1;
        let badness = if allowed > 0.0 { error / allowed } else { error * f64::MAX };
        if worst.is_none_or(|(w, ..)| badness > w) {
            worst = Some((badness, i, error, allowed));
        }
    }
    let Some((_, i, error, allowed)) = worst else { return Ok(Ok(())) };
    let index = unravel(i, got.shape());
    let (got_text, want_text) = (element_text(got, &index), element_text(want, &index));
    let of = got.len();
    Ok(Err(Box::new(Difference::Elements { got: got_text, want: want_text, index, error, allowed, count, of })))
}

/// The index of element `i` in logical order.
fn unravel(mut i: usize, shape: &[usize]) -> Vec<usize> {
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&n| {
            let k = i % n.max(1);
            i /= n.max(1);
            k
        })
        .collect();
    index.reverse();
    index
}

/// The default tolerance for results of that dtype in tests: exact for integers, a few roundings for floats.
pub fn default_tolerance(d: DType) -> Tolerance {
    match d.real() {
        DType::BF16 => Tolerance { rtol: 2e-2, atol: 1e-2 },
        DType::F16 => Tolerance { rtol: 4e-3, atol: 2e-3 },
        DType::F32 => Tolerance { rtol: 1e-5, atol: 1e-6 },
        DType::F64 => Tolerance { rtol: 1e-12, atol: 1e-12 },
        d if d.is_float() => Tolerance { rtol: 2.0 * d.epsilon(), atol: d.epsilon() },
        _ => Tolerance { rtol: 0.0, atol: 0.0 },
    }
}

/// What is tested from inside.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn t(v: &[f64]) -> Tensor {
        Tensor::from_logical(&[v.len()], v.to_vec()).unwrap()
    }
    const TOL: Tolerance = Tolerance { rtol: 1e-3, atol: 1e-6 };

    fn equal_within_tolerance() {
        let nan = f64::NAN;
        let inf = f64::INFINITY;
        assert_eq!(compare(&t(&[1.0005, nan, inf, -inf]), &t(&[1.0, nan, inf, -inf]), TOL), Ok(()));
        let f32s = Tensor::from_logical(&[1], vec![0.1f32]).unwrap();
        assert_eq!(compare(&f32s, &t(&[0.1]), TOL), Ok(()));
    }

    fn the_worst_element_is_found() {
        let d = compare(&t(&[1.01, 5.0, 1.002]), &t(&[1.0, 1.0, 1.0]), TOL).unwrap_err();
        let Difference::Elements { index, count, of, error, .. } = *d else { panic!() };
        assert_eq!((index, count, of, error), (vec![1], 3, 3, 4.0));
        for (a, b) in [
            (f64::NAN, 1.0),
            (1.0, f64::NAN),
            (f64::INFINITY, 1.0),
            (1e308, f64::INFINITY),
            (f64::INFINITY, f64::NEG_INFINITY),
        ] {
            assert!(compare(&t(&[a]), &t(&[b]), TOL).is_err(), "{a} {b}");
        }
    }

    fn integers_are_exact_and_shapes_must_agree() {
        let i = |v: Vec<i64>, s: &[usize]| Tensor::from_logical(s, v).unwrap();
        let loose = Tolerance { rtol: 1.0, atol: 9.0 };
        let d =
            compare(&i(vec![1, 2, 3, i64::MAX], &[2, 2]), &i(vec![1, 2, 3, i64::MAX - 1], &[2, 2]), loose).unwrap_err();
        assert!(d.to_string().contains("worst at [1, 1]"), "{d}");
        let d = compare(&i(vec![1], &[1]), &i(vec![1], &[1, 1]), loose).unwrap_err();
        assert_eq!(*d, Difference::Shape(vec![1], vec![1, 1]));
    }
    /// All of them.
    pub const ALL: &[fn()] =
        &[equal_within_tolerance, the_worst_element_is_found, integers_are_exact_and_shapes_must_agree];
}
