//! Reflections with LAPACK's signs, and the QR factorisation packed as LAPACK packs it: `qr` of `m × n`, `tau` of `k × 1`.
use faer::dyn_stack::{MemStack, StackReq};
use faer::{MatMut, MatRef};
use tfc_ir::{Attrs, OpDef, ops};

use super::columns::Columns;
use super::factorisation::{Factorisation, Own};
use super::lanes::{self, Block, Lane};
use super::matrix::{Entry, In, Out};
use super::parts::{finite, power};
use super::real::{self, Real};
use super::{Failed, Field};

/// `linalg.qr_factor`.
#[derive(Debug)]
pub(super) struct QrFactor;
impl Factorisation for QrFactor {
    const ROW: &'static OpDef = &ops::linalg::QR_FACTOR;
    fn of(_: &Attrs) -> QrFactor {
        QrFactor
    }
    fn scratch<T: Field>(m: usize, n: usize) -> StackReq {
        Columns::<T>::scratch(m, n)
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        let ([a], [qr, tau]) = (ins, outs) else { return Err(Failed) };
        factor::<T>(a.typed()?, qr.typed()?, tau.typed()?, stack)
    }
    fn own<E: Real + Entry>() -> Option<Own> {
        let run = |ins: &[In], outs: &mut [Out], stack: &mut MemStack| {
            let ([a], [qr, tau]) = (ins, outs) else { return Err(Failed) };
            real::qr::packed::<E>(E::kernels(), a.typed()?, qr.typed()?, tau.typed()?, stack)
        };
        Some(Own { scratch: real::qr::scratch::<E>, run })
    }
    fn lanes<E: Lane>(&self) -> Option<Box<dyn Block>> {
        lanes::block::<_, E>(lanes::Packed)
    }
}
fn factor<T: Field>(a: MatRef<T>, mut qr: MatMut<T>, mut tau: MatMut<T>, stack: &mut MemStack) -> Result<(), Failed> {
    let (m, n) = a.shape();
    if !finite(a) {
        return Err(Failed);
    }
    if m == 0 || n == 0 {
        return Ok(());
    }
    let (mut c, _) = Columns::<T>::zeros(m, n, stack);
    c.load(a);
    let undo = power(&mut c);
    for j in 0..m.min(n) {
        let t = reflect(&mut c.column(j)[j..]);
        tau[(j, 0)] = t;
        for l in j + 1..n {
            let (v, x) = c.two(j, l);
            times(&v[j..], t.conjugate(), &mut x[j..]);
        }
    }
    for j in 0..n {
        for i in 0..m {
            qr[(i, j)] = if i <= j { c[(i, j)].scaled(undo) } else { c[(i, j)] };
        }
    }
    Ok(())
}
/// Makes `x = (alpha, tail)` to `(beta, v)`, `beta` real, with `H = 1 − tau (1, v) (1, v)ᴴ` and `Hᴴ (alpha, tail) = (beta, 0)`, and gives
/// `tau`: 0 where `alpha` is real and all behind it 0. `beta` has the other sign than the real part of `alpha` (LAPACK's `larfg`).
pub(super) fn reflect<T: Field>(x: &mut [T]) -> T {
    let Some((first, tail)) = x.split_first_mut() else { return T::zero_impl() };
    let length = tail.iter().fold(0.0f64, |s, x| s.hypot(x.modulus()));
    let (re, im) = first.parts();
    if length == 0.0 && im == 0.0 {
        return T::zero_impl();
    }
    let beta = -re.hypot(im).hypot(length).copysign(re);
    let by = T::of_parts(re - beta, im);
    tail.iter_mut().for_each(|x| *x = x.over(by));
    *first = T::of_parts(beta, 0.0);
    T::of_parts((beta - re) / beta, -im / beta)
}
/// `x −= tau v (vᴴ x)`, where the first entry of `v` counts as 1.
pub(super) fn times<T: Field>(v: &[T], tau: T, x: &mut [T]) {
    let (Some((_, v)), Some((first, rest))) = (v.split_first(), x.split_first_mut()) else { return };
    let sum = v.iter().zip(rest.iter()).fold(*first, |s, (v, x)| s + v.conjugate() * *x);
    let by = tau * sum;
    *first -= by;
    rest.iter_mut().zip(v).for_each(|(x, v)| *x -= *v * by);
}
