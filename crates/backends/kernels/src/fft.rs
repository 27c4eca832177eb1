//! Fourier transforms of one line: complex ones of any length by `rustfft`, real ones by complex ones of half the length.
//!
//! A [`Transform`] is made once for a length and may be shared between threads. What it computes depends on its operand, its
//! length and the machine alone: not on `TFC_CPU`, so that all engines of a machine agree. It allocates nothing when it runs.
use std::fmt;
use std::sync::Arc;

use num_complex::Complex;
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};

/// What lines a transform takes and gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Complex numbers to as many.
    Complex,
    /// Real numbers to the first half of their spectrum.
    Real,
    /// The first half of a spectrum to real numbers.
    InverseReal,
}
/// The real numbers that lines are made of.
pub trait Number: FftNum {
    /// The nearest one.
    fn of(x: f64) -> Self;
    /// The library's transform of `n` complex numbers.
    fn plan(n: usize, direction: FftDirection) -> Arc<dyn Fft<Self>>;
}
impl Number for f32 {
    fn of(x: f64) -> f32 {
        x as f32
    }
    // Compiled here and in no crate that uses it.
    #[inline(never)]
    fn plan(n: usize, direction: FftDirection) -> Arc<dyn Fft<f32>> {
        FftPlanner::new().plan_fft(n, direction)
    }
}
impl Number for f64 {
    fn of(x: f64) -> f64 {
        x
    }
    #[inline(never)]
    fn plan(n: usize, direction: FftDirection) -> Arc<dyn Fft<f64>> {
        FftPlanner::new().plan_fft(n, direction)
    }
}

/// The transform of lines of one length, without a factor.
pub struct Transform<T: Number> {
    kind: Kind,
    n: usize,
    inverse: bool,
    /// The transform of `n` complex numbers, of `n/2` for a real line of even length; none of lines of length 0.
    inner: Option<Arc<dyn Fft<T>>>,
    /// Factors for a real line of even length: `exp(-2πi·k/n)` for `k` up to `n/4`.
    waves: Box<[Complex<T>]>,
}
impl<T: Number> fmt::Debug for Transform<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?} {}{}", self.kind, self.n, if self.inverse { " inverse" } else { "" })
    }
}
fn zero<T: Number>() -> Complex<T> {
    Complex::new(T::zero(), T::zero())
}
/// `x·i`.
fn turned<T: Number>(x: Complex<T>) -> Complex<T> {
    Complex::new(-x.im, x.re)
}
fn plan<T: Number>(n: usize, inverse: bool) -> Arc<dyn Fft<T>> {
    let direction = if inverse { FftDirection::Inverse } else { FftDirection::Forward };
    T::plan(n, direction)
}

impl<T: Number> Transform<T> {
    /// For lines whose real or longer side has `n` numbers; `inverse` of complex ones (real ones have a direction each).
    pub fn new(kind: Kind, n: usize, inverse: bool) -> Transform<T> {
        let inverse = inverse && kind == Kind::Complex || kind == Kind::InverseReal;
        let packed = kind != Kind::Complex && n.is_multiple_of(2);
        let inner = (n > 0).then(|| plan(if packed { n / 2 } else { n }, inverse));
        let wave = |k: usize| {
            let (s, c) = (-std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
            Complex::new(T::of(c), T::of(s))
        };
        let waves = if packed && n > 0 { (0..=n / 4).map(wave).collect() } else { Box::default() };
        Transform { kind, n, inverse, inner, waves }
    }
    /// Whether this is the transform for these.
    pub fn is(&self, kind: Kind, n: usize, inverse: bool) -> bool {
        (self.kind, self.n) == (kind, n) && (kind != Kind::Complex || self.inverse == inverse)
    }
    /// What lines it takes and gives.
    pub fn kind(&self) -> Kind {
        self.kind
    }
    fn packed(&self) -> bool {
        self.kind != Kind::Complex && self.n.is_multiple_of(2)
    }
    /// How many complex numbers of memory a run needs.
    pub fn scratch(&self) -> usize {
        let Some(inner) = &self.inner else { return 0 };
        match (self.kind, self.packed()) {
            (Kind::Complex, _) | (Kind::Real, true) => inner.get_immutable_scratch_len(),
            (Kind::InverseReal, true) => inner.get_inplace_scratch_len(),
            (_, false) => self.n + inner.get_inplace_scratch_len(),
        }
    }
    /// A complex line, `x` and `y` of length `n`.
    pub fn complex(&self, x: &[Complex<T>], y: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        if let Some(inner) = &self.inner {
            inner.process_immutable_with_scratch(x, y, scratch);
        }
    }
    /// A real line: `x` of length `n`, `y` of length `n/2 + 1`.
    pub fn real(&self, x: &[T], y: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let Some(inner) = &self.inner else { return y.fill(zero()) };
        if !self.packed() {
            let (line, scratch) = scratch.split_at_mut(self.n);
            line.iter_mut().zip(x).for_each(|(z, &x)| *z = Complex::new(x, T::zero()));
            inner.process_with_scratch(line, scratch);
            return y.copy_from_slice(&line[..y.len()]);
        }
        // Even elements as real parts, odd ones as imaginary parts.
        let m = self.n / 2;
        inner.process_immutable_with_scratch(pairs(x), &mut y[..m], scratch);
        let half = T::of(0.5);
        let first = y[0];
        y[0] = Complex::new(first.re + first.im, T::zero());
        y[m] = Complex::new(first.re - first.im, T::zero());
        for k in 1..=m / 2 {
            let (z, other) = (y[k], y[m - k].conj());
            let (even, odd) = ((z + other).scale(half), (z - other).scale(half));
            let odd = turned(odd * self.waves[k]);
            y[k] = even - odd;
            y[m - k] = (even + odd).conj();
        }
    }
    /// Half a spectrum, `x` of length `n/2 + 1`; the line `y` of length `n`.
    pub fn inverse_real(&self, x: &[Complex<T>], y: &mut [T], scratch: &mut [Complex<T>]) {
        let (Some(inner), Some(&first)) = (&self.inner, x.first()) else { return };
        if !self.packed() {
            let (line, scratch) = scratch.split_at_mut(self.n);
            line[0] = Complex::new(first.re, T::zero());
            for k in 1..x.len() {
                line[k] = x[k];
                line[self.n - k] = x[k].conj();
            }
            inner.process_with_scratch(line, scratch);
            return y.iter_mut().zip(line).for_each(|(y, z)| *y = z.re);
        }
        let (m, line) = (self.n / 2, pairs_mut(y));
        line[0] = Complex::new(first.re + x[m].re, first.re - x[m].re);
        for k in 1..=m / 2 {
            let (z, other) = (x[k], x[m - k].conj());
            let (even, odd) = (z + other, turned((z - other) * self.waves[k].conj()));
            line[k] = even + odd;
            line[m - k] = (even - odd).conj();
        }
        inner.process_with_scratch(line, scratch);
    }
}
/// Neighbours as complex numbers.
fn pairs<T: Number>(x: &[T]) -> &[Complex<T>] {
    // SAFETY: a complex number is two reals one after the other, with their alignment.
    unsafe { std::slice::from_raw_parts(x.as_ptr().cast(), x.len() / 2) }
}
/// As [`pairs`].
fn pairs_mut<T: Number>(x: &mut [T]) -> &mut [Complex<T>] {
    // SAFETY: as above; the borrow is handed on.
    unsafe { std::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len() / 2) }
}

/// What is tested from inside.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn wave(j: usize, n: usize) -> Complex<f64> {
        Complex::cis(-std::f64::consts::TAU * (j % n) as f64 / n as f64)
    }
    /// By definition, and back: every length up to 70, so primes and products of small and of large ones.
    fn lines_of_any_length() {
        for n in 1..70 {
            let x: Vec<f64> = (0..n).map(|j| ((j * 7 + 3) % 11) as f64 - 4.5).collect();
            let sum = |k: usize| (0..n).map(|j| wave(j * k, n) * x[j]).sum::<Complex<f64>>();
            let want: Vec<Complex<f64>> = (0..n).map(sum).collect();
            let near = |a: Complex<f64>, b: Complex<f64>| (a - b).norm() < 1e-12 * n as f64;

            let t = Transform::<f64>::new(Kind::Real, n, false);
            let (mut y, mut scratch) = (vec![zero(); n / 2 + 1], vec![zero(); t.scratch()]);
            t.real(&x, &mut y, &mut scratch);
            assert!(y.iter().zip(&want).all(|(&a, &b)| near(a, b)), "{n}: {y:?}, not {want:?}");

            let t = Transform::<f64>::new(Kind::InverseReal, n, false);
            // What a real line cannot have is not looked at.
            y[0].im = 9.0;
            if n % 2 == 0 {
                y[n / 2].im = -9.0;
            }
            let (mut back, mut scratch) = (vec![0.0; n], vec![zero(); t.scratch()]);
            t.inverse_real(&y, &mut back, &mut scratch);
            assert!(back.iter().zip(&x).all(|(b, x)| (b / n as f64 - x).abs() < 1e-12 * n as f64), "{n}: {back:?}");

            let t = Transform::<f64>::new(Kind::Complex, n, false);
            let line: Vec<Complex<f64>> = x.iter().map(|&x| Complex::new(0.0, x)).collect();
            let (mut y, mut scratch) = (line.clone(), vec![zero(); t.scratch()]);
            t.complex(&line, &mut y, &mut scratch);
            assert!(y.iter().zip(&want).all(|(&a, &b)| near(a, turned(b))), "{n}: {y:?}");
        }
    }
    /// All of them.
    pub const ALL: &[fn()] = &[lines_of_any_length];
}
