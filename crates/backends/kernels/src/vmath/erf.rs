//! The error function, its complement and its inverse.
//!
//! (x + n) exp(x²) erfc(x) is nearly constant and smooth in (x − k)/(x + k), which maps x ≥ 0 to [−1, 1): M. M. Shepherd and
//! J. G. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x²) erfc x in 0 ≤ x < ∞", Math. Comp. 36 (1981) 249–253.
//!
//! erf_inv(x)/x is smooth in w = −log(1 − x²), and for large w in √w: M. B. Giles, "Approximating the erfinv function", GPU
//! Computing Gems Jade Edition (2012) 109–116. The coefficients are others, for a few units in the last place.
use super::coef::*;
use super::exp::{exp, exp_parts};
use super::log::log;
use super::v::{V, horner, poly};

#[inline(always)]
pub(super) fn erf<T: V>(x: T) -> T {
    let (one, a) = (T::c(1.0), T::pick(4.0, 5.95).min(x.abs()));
    let z = a.mul(a);
    let near = a.fma(poly(&ERF32, &ERF64, z), a);
    // erfc, below 0.22, so that a few units in its own last place are less than one of the result.
    let k = T::pick(1.75, 2.5);
    let r = one.div(a.add(k));
    let small = exp(z.xor(T::sign_bit())).mul(poly(&ERFT32, &ERFT64, a.sub(k).mul(r))).mul(r);
    T::sel(T::lt(a, T::c(0.875)), near, one.sub(small)).or(x.sign())
}
#[inline(always)]
pub(super) fn erfc<T: V>(x: T) -> T {
    let a = T::pick(10.2, 27.5).min(x.abs());
    let z = a.mul(a);
    let (n, h, l) = exp_parts(z.xor(T::sign_bit()), a.fnma(a, z));
    // (h + l) q / (a + near), the larger roundings put back.
    let (k, near) = (T::pick(2.25, 4.0), T::c(0.8828125));
    let d = a.add(near);
    let dl = a.max(near).sub(d).add(a.min(near));
    let t = a.sub(k).div(a.add(k));
    let (c0, p) = (T::pick(ERFC32[0], ERFC64[0]), poly(&ERFC32[1..], &ERFC64[1..], t).mul(t));
    let q = c0.add(p);
    let ql = c0.sub(q).add(p);
    let (c, rc) = (q.mul(h), T::c(1.0).div(d));
    let less = ql.fnma(h, q.fnma(l, q.fnma(h, c)));
    let v = c.mul(rc);
    let v = v.fnma(d, c).sub(v.fma(dl, less)).fma(rc, v).scalef(n);
    let v = T::sel(T::lt(x, T::c(0.0)), T::c(2.0).sub(v), v);
    T::sel(T::eq(a, T::c(0.0)), T::c(1.0), v)
}
/// a (c₀ + c₁ + t c₂ + …): the first coefficient is in two parts.
#[inline(always)]
fn times<T: V>(a: T, c: &[f64], t: T) -> T {
    a.fma(T::c(c[0]), a.mul(horner(&c[1..], t)))
}
/// ±inf at ±1, NaN beyond.
#[inline(always)]
pub(super) fn erf_inv<T: V>(x: T) -> T {
    let (one, a) = (T::c(1.0), x.abs());
    let w = log(a.fnma(a, one)).xor(T::sign_bit());
    let s = w.sqrt();
    let v = if T::DBL {
        let (near, mid) = (times(a, &ERFINV64, w.sub(T::c(1.5))), times(a, &ERFINVS64, s.sub(T::c(3.25))));
        let far = times(a, &ERFINVL64, s.sub(T::c(5.0)));
        T::sel(T::lt(w, T::c(6.25)), near, T::sel(T::lt(s, T::c(4.0)), mid, far))
    } else {
        let (near, far) = (times(a, &ERFINV32, w.sub(one)), times(a, &ERFINVS32, s.sub(T::c(3.0))));
        T::sel(T::lt(w, T::c(5.0)), near, far)
    };
    T::sel(T::eq(a, one), T::c(f64::INFINITY), v).or(x.sign())
}
