//! Functions of square matrices by their complex Schur form: the square root (Björck & Hammarling 1983) and the logarithm (inverse scaling and
//! squaring, Al-Mohy & Higham 2012). All is worked out in double precision.
use std::f64::consts::PI;
use tfc_ir::Code;

use super::*;

/// `linalg.sqrtm`.
#[derive(Debug)]
pub(in super::super) struct Sqrtm;
impl Factorisation for Sqrtm {
    const ROW: &'static OpDef = &ops::linalg::SQRTM;
    const FAILS: &'static str = "has no principal value: an eigenvalue is negative, or 0 without a root";
    const CODE: Code = Code::E1220;
    fn of(_: &Attrs) -> Sqrtm {
        Sqrtm
    }
    fn scratch<T: Field>(_: usize, n: usize) -> StackReq {
        function_scratch(n)
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        applied::<T>(ins, outs, stack, |t, r, _, tol, ulp, undo| {
            root(t, r, tol, ulp)?;
            // A power of 2 has a root of its own.
            let by = undo.sqrt();
            r.all().iter_mut().for_each(|x| *x = x.scaled(by));
            Ok(())
        })
    }
}
/// `linalg.logm`.
#[derive(Debug)]
pub(in super::super) struct Logm;
impl Factorisation for Logm {
    const ROW: &'static OpDef = &ops::linalg::LOGM;
    const FAILS: &'static str = "has no principal value: an eigenvalue is negative or 0";
    const CODE: Code = Code::E1220;
    fn of(_: &Attrs) -> Logm {
        Logm
    }
    fn scratch<T: Field>(_: usize, n: usize) -> StackReq {
        function_scratch(n)
    }
    fn run<T: Field>(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        applied::<T>(ins, outs, stack, |t, r, more, tol, _, undo| {
            logarithm(t, r, more, tol)?;
            let shift = C64::new(undo.ln(), 0.0);
            for i in 0..t.order() {
                r[(i, i)] += shift;
            }
            Ok(())
        })
    }
}

fn function_scratch(n: usize) -> StackReq {
    let square = Columns::<C64>::scratch(n, n);
    StackReq::all_of(&[form_scratch(n), square, square, square])
}
/// A function of triangular matrices: of `t` into `r`, which holds zeros, with memory for two more. `tol`: what is rounding beside the
/// matrix, whose largest entry is about 1; `ulp`: beside 1; and by what the matrix was divided.
type OfTriangle = fn(&Columns<C64>, &mut Columns<C64>, [&mut Columns<C64>; 2], f64, f64, f64) -> Result<(), Failed>;

/// `z f(t) zᴴ`.
fn applied<T: Field>(ins: &[In], outs: &mut [Out], stack: &mut MemStack, f: OfTriangle) -> Result<(), Failed> {
    let ([a], [y]) = (ins, outs) else { return Err(Failed) };
    let (a, mut y) = (a.typed::<T>()?, y.typed::<T>()?);
    if !finite(a) {
        return Err(Failed);
    }
    let n = a.nrows();
    if n == 0 {
        return Ok(());
    }
    let (form, stack) = form::<T, C64>(a, None, stack)?;
    let (mut r, stack) = Columns::<C64>::zeros(n, n, stack);
    let (mut x, stack) = Columns::<C64>::zeros(n, n, stack);
    let (mut w, _) = Columns::<C64>::zeros(n, n, stack);
    let size = (0..n).flat_map(|j| form.t.read(j)).fold(0.0f64, |s, x| s.hypot(x.modulus()));
    f(&form.t, &mut r, [&mut x, &mut w], T::ULP * size * n as f64, T::ULP, form.undo)?;
    // x = z r, y = x zᴴ
    x.all().fill(C64::new(0.0, 0.0));
    for j in 0..n {
        for k in 0..=j {
            let by = r[(k, j)];
            form.z.read(k).iter().zip(x.column(j)).for_each(|(z, x)| *x += *z * by);
        }
    }
    w.all().fill(C64::new(0.0, 0.0));
    for k in 0..n {
        for j in 0..n {
            let by = form.z[(j, k)].conj();
            x.read(k).iter().zip(w.column(j)).for_each(|(x, y)| *y += *x * by);
        }
    }
    for j in 0..n {
        for (i, v) in w.read(j).iter().enumerate() {
            if !(v.re.is_finite() && v.im.is_finite()) {
                return Err(Failed);
            }
            y[(i, j)] = T::of_parts(v.re, v.im);
        }
    }
    Ok(())
}
/// Whether the number is real and negative, up to rounding.
fn negative(z: C64, tol: f64) -> bool {
    z.re < 0.0 && z.im.abs() <= tol
}
/// The principal root, without overflow.
fn principal(z: C64) -> C64 {
    let m = z.modulus();
    if m == 0.0 {
        return C64::new(0.0, 0.0);
    }
    let big = (0.5 * (m + z.re.abs())).sqrt();
    let small = 0.5 * z.im.abs() / big;
    let (re, im) = if z.re >= 0.0 { (big, small) } else { (small, big) };
    C64::new(re, im.copysign(z.im))
}
/// The root of a triangle, column by column: `r_ij (r_ii + r_jj) = t_ij − Σ r_ik r_kj` (Higham, *Functions of Matrices*, eq. 6.5).
fn root(t: &Columns<C64>, r: &mut Columns<C64>, tol: f64, ulp: f64) -> Result<(), Failed> {
    let n = t.order();
    for j in 0..n {
        let w = t[(j, j)];
        if negative(w, tol) && w.modulus() > tol {
            return Err(Failed);
        }
        r[(j, j)] = if negative(w, tol) { C64::new(0.0, 0.0) } else { principal(w) };
        for i in (0..j).rev() {
            let mut x = t[(i, j)];
            for k in i + 1..j {
                x -= r[(i, k)] * r[(k, j)];
            }
            let by = r[(i, i)] + r[(j, j)];
            r[(i, j)] = if by.modulus() > 0.0 {
                x.over(by)
            } else if x.modulus() <= tol.max(ulp) {
                C64::new(0.0, 0.0)
            } else {
                return Err(Failed);
            };
        }
    }
    Ok(())
}

/// Below this 1-norm of `t − 1` the approximant of degree 7 is as good as double precision (Al-Mohy & Higham 2012, table 2.1).
const THETA: f64 = 0.264;
/// Nodes and weights of Gauss and Legendre on the unit interval, of degree 7: the partial fractions of the approximant (Higham, *Functions
/// of Matrices*, eq. 11.18).
const NODES: [(f64, f64); 7] = [
    (0.02544604382862074, 0.06474248308443485),
    (0.12923440720030278, 0.13985269574463834),
    (0.2970774243113014, 0.19091502525255946),
    (0.5, 0.2089795918367347),
    (0.7029225756886985, 0.19091502525255946),
    (0.8707655927996972, 0.13985269574463834),
    (0.9745539561713793, 0.06474248308443485),
];
/// Roots until the triangle is near the identity; more than any number of double precision needs.
const ROOTS: i32 = 64;

fn logarithm(t: &Columns<C64>, r: &mut Columns<C64>, more: [&mut Columns<C64>; 2], tol: f64) -> Result<(), Failed> {
    let n = t.order();
    for i in 0..n {
        let w = t[(i, i)];
        if negative(w, tol) || w.modulus() == 0.0 {
            return Err(Failed);
        }
    }
    let [now, next] = more;
    now.all().copy_from_slice(t.elements());
    let mut s = 0;
    while distance(now) > THETA {
        if s == ROOTS {
            return Err(Failed);
        }
        next.all().fill(C64::new(0.0, 0.0));
        root(now, next, 0.0, 0.0)?;
        now.all().copy_from_slice(next.elements());
        s += 1;
    }
    let up = f64::from(s).exp2();
    // What is left of the diagonal once 1 is taken away, without cancellation (Al-Mohy 2012).
    for i in 0..n {
        now[(i, i)] = expm1(log(t[(i, i)]).scaled(1.0 / up));
    }
    r.all().fill(C64::new(0.0, 0.0));
    for (x, w) in NODES {
        // (1 + x now)⁻¹ now, column by column: all commute.
        for j in 0..n {
            for i in (0..=j).rev() {
                let mut v = now[(i, j)];
                for k in i + 1..=j {
                    v -= now[(i, k)].scaled(x) * next[(k, j)];
                }
                let d = C64::new(1.0, 0.0) + now[(i, i)].scaled(x);
                next[(i, j)] = v.over(d);
            }
            for i in 0..=j {
                let v = next[(i, j)].scaled(w * up);
                r[(i, j)] += v;
            }
        }
    }
    for i in 0..n {
        r[(i, i)] = log(t[(i, i)]);
        if i + 1 < n {
            r[(i, i + 1)] = t[(i, i + 1)] * slope(t[(i, i)], t[(i + 1, i + 1)]);
        }
    }
    Ok(())
}
/// The 1-norm of `t − 1`.
fn distance(t: &Columns<C64>) -> f64 {
    let one = C64::new(1.0, 0.0);
    let column = |j: usize| (0..=j).map(|i| if i == j { t[(i, j)] - one } else { t[(i, j)] }.modulus()).sum::<f64>();
    (0..t.order()).map(column).fold(0.0, f64::max)
}
/// The principal logarithm.
fn log(z: C64) -> C64 {
    C64::new(z.modulus().ln(), z.im.atan2(z.re))
}
/// `exp(z) − 1`, where `z` is small.
fn expm1(z: C64) -> C64 {
    let half = (0.5 * z.im).sin();
    C64::new(z.re.exp_m1() * z.im.cos() - 2.0 * half * half, z.re.exp() * z.im.sin())
}
/// `log(1 + z)`.
fn log1p(z: C64) -> C64 {
    C64::new(0.5 * (2.0 * z.re + z.re * z.re + z.im * z.im).ln_1p(), z.im.atan2(1.0 + z.re))
}
/// `(log y − log x) / (y − x)` (Higham, *Functions of Matrices*, eq. 11.28): by the inverse hyperbolic tangent of `(y − x)/(y + x)` where
/// both are of one size.
fn slope(x: C64, y: C64) -> C64 {
    let gap = y - x;
    if gap.modulus() == 0.0 {
        return C64::new(1.0, 0.0).over(x);
    }
    let (p, q) = (x.modulus(), y.modulus());
    let rise = log(y) - log(x);
    if p < 0.5 * q || q < 0.5 * p {
        return rise.over(gap);
    }
    let z = gap.over(x + y);
    if !(z.re.is_finite() && z.im.is_finite()) {
        return rise.over(gap);
    }
    // How often the difference of the logarithms winds round.
    let turns = ((rise.im - PI) / (2.0 * PI)).ceil();
    let both = log1p(z) - log1p(z.scaled(-1.0));
    (both + C64::new(0.0, 2.0 * PI * turns)).over(gap)
}
