//! Powers.
use super::coef::*;
use super::exp::scaled_exp;
use super::v::{V, poly};

/// log(m) + e ln 2 in two parts, for m in [0.75, 1.5). (The second part is no number where `e` is not finite.)
#[inline(always)]
fn log_parts<T: V>(e: T, m: T) -> (T, T) {
    let (two, f) = (T::c(2.0), m.sub(T::c(1.0)));
    // s + sl = f / (2 + f)
    let d = f.add(two);
    let dl = f.sub(d.sub(two));
    let rc = T::c(1.0).div(d);
    let s = f.mul(rc);
    let sl = s.fnma(dl, s.fnma(d, f)).mul(rc);
    // z + zl = s², c + cl = s³
    let z = s.mul(s);
    let zl = s.add(s).fma(sl, s.fma(s, z.xor(T::sign_bit())));
    let c = s.mul(z);
    let cl = sl.fma(z, s.fma(zl, s.fma(z, c.xor(T::sign_bit()))));
    // p + pl = 2/3 + z (2/5 + …)
    let third = T::pick(TWO_THIRDS_32[0], TWO_THIRDS_64[0]);
    let q = poly(&POW32, &POW64, z).mul(z);
    let p = third.add(q);
    let pl = third.sub(p).add(q).add(T::pick(TWO_THIRDS_32[1], TWO_THIRDS_64[1]));
    // g + gl = s³ (p + pl)
    let g = c.mul(p);
    let gl = cl.fma(p, c.fma(pl, c.fma(p, g.xor(T::sign_bit()))));
    let s2 = s.add(s);
    let h = s2.add(g);
    let l = s2.sub(h).add(g).add(sl.add(sl).add(gl));
    let big = e.mul(T::pick(LN2_32[0], LN2_64[0]));
    let sum = big.add(h);
    (sum, big.sub(sum).add(h).add(e.fma(T::pick(LN2_32[1], LN2_64[1]), l)))
}

#[inline(always)]
pub(super) fn pow<T: V>(x: T, y: T) -> T {
    let (zero, one, inf) = (T::c(0.0), T::c(1.0), T::c(f64::INFINITY));
    let (a, b) = (x.abs(), y.abs());
    let (e, m) = a.log_parts();
    let (h, l) = log_parts(e, m);
    let w = y.mul(h);
    let wl = y.fma(l, y.fma(h, w.xor(T::sign_bit())));
    // Out of range the sign of `w` decides, and the rest may be no number.
    let wl = T::sel(T::lt(w.abs(), T::pick(120.0, 800.0)), wl, zero);
    let v = scaled_exp(w, wl);
    // Is y an integer, is it odd? Above `whole` all numbers are integers, above twice that even.
    let whole = T::pick(8_388_608.0, 4_503_599_627_370_496.0);
    let (t, small) = (b.add(whole), T::lt(b, whole));
    let integer = T::sel(small, T::sel(T::eq(t.sub(whole), b), one, zero), one);
    let parity = T::sel(T::lt(b, whole.add(whole)), T::sel(small, t, b), zero);
    let odd = T::sel(T::eq(integer, one), parity, zero).shl(if T::DBL { 63 } else { 31 });
    let v = v.xor(odd.and(x.sign()));
    let wrong = T::sel(T::lt(x, zero), T::sel(T::lt(a, inf), T::sel(T::eq(integer, one), zero, one), zero), zero);
    let v = T::sel(T::eq(wrong, one), T::c(f64::NAN), v);
    let v = T::sel(T::eq(a, one), T::sel(T::eq(b, inf), one, v), v);
    T::sel(T::eq(y, zero), one, T::sel(T::eq(x, one), one, v))
}
