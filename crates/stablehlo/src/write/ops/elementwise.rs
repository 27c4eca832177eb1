//! Elementwise rows: mostly one op of StableHLO or CHLO each, and compositions where the two mean something else.
use tfc_ir::ops::elementwise as e;
use tfc_ir::{DType, Result};
use tfc_kernels::scalar::bessel::{I0_LARGE, I0_SMALL};

use super::Rows;
use crate::write::cx::Cx;
use crate::write::table::Spelling::{By, Is};
use crate::write::ty::{Ty, list};
use crate::write::writer::{Val, Writer, names};

pub(super) const ROWS: Rows = &[
    (&e::ABS, By(abs)),
    (&e::SIGN, By(sign)),
    (&e::EXP, Is("stablehlo.exponential")),
    (&e::EXP2, By(exp2)),
    (&e::CBRT, By(cbrt)),
    (&e::BESSEL_I0E, By(bessel_i0e)),
    (
        &e::IS_FINITE,
        By(|cx| {
            let x = cx.arg(0)?;
            let ty = x.ty.with(DType::Bool);
            Ok(vec![cx.to("is_finite", &x, ty)])
        }),
    ),
    (&e::REAL, By(|cx| part(cx, "real"))),
    (&e::IMAG, By(|cx| part(cx, "imag"))),
    (
        &e::CONJ,
        By(|cx| {
            let z = cx.arg(0)?;
            Ok(vec![conj(cx, &z)])
        }),
    ),
    (
        &e::COMPLEX,
        By(|cx| {
            let (re, im) = (cx.arg(0)?, cx.arg(1)?);
            Ok(vec![complex(cx, &re, &im)])
        }),
    ),
    (&e::ADD, Is("stablehlo.add")),
    (&e::MUL, Is("stablehlo.multiply")),
    (&e::DIV, By(|cx| quotient(cx, "divide", -1.0))),
    (&e::REM, By(|cx| quotient(cx, "remainder", 0.0))),
    (&e::POW, By(pow)),
    (&e::ATAN2, Is("stablehlo.atan2")),
    (&e::MAX, Is("stablehlo.maximum")),
    (&e::MIN, Is("stablehlo.minimum")),
    (&e::EQ, By(|cx| compare(cx, "EQ"))),
    (&e::NE, By(|cx| compare(cx, "NE"))),
    (&e::LT, By(|cx| compare(cx, "LT"))),
    (&e::LE, By(|cx| compare(cx, "LE"))),
    (&e::GT, By(|cx| compare(cx, "GT"))),
    (&e::GE, By(|cx| compare(cx, "GE"))),
    (
        &e::SELECT,
        By(|cx| {
            let (p, x, y) = (cx.arg(0)?, cx.arg(1)?, cx.arg(2)?);
            Ok(vec![cx.select(&p, &x, &y)])
        }),
    ),
    (&e::CLAMP, By(clamp)),
    (&e::CONVERT, By(convert)),
    (&e::REDUCE_PRECISION, By(reduce_precision)),
];

/// The absolute value: of complex numbers the real modulus; an unsigned number is its own.
fn abs(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    Ok(vec![match x.dtype() {
        d if d.is_complex() => {
            let ty = x.ty.with(d.real());
            cx.to("abs", &x, ty)
        }
        d if d.is_unsigned() => x,
        _ => cx.un("abs", &x),
    }])
}
/// An unsigned number's is 0 or 1.
fn sign(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    if !x.dtype().is_unsigned() {
        return Ok(vec![cx.un("sign", &x)]);
    }
    let one = cx.splat(&x.ty, 1.0)?;
    Ok(vec![cx.bin("minimum", &x, &one)])
}
/// A power of 2 where that is exact, and `exp(z ln 2)` of complex numbers.
fn exp2(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    if x.dtype().is_complex() {
        let ln2 = cx.splat(&x.ty, std::f64::consts::LN_2)?;
        let y = cx.bin("multiply", &x, &ln2);
        return Ok(vec![cx.un("exponential", &y)]);
    }
    let two = cx.splat(&x.ty, 2.0)?;
    Ok(vec![cx.bin("power", &two, &x)])
}
/// Of integers nothing is open: by 0 the quotient has every bit and the remainder is the dividend, and the least one divided by −1
/// is itself. StableHLO leaves that to the compiler, of which some break down where operands are constants.
fn quotient(cx: &mut Cx, op: &str, by_zero: f64) -> Result<Vec<Val>> {
    let (x, y) = (cx.arg(0)?, cx.arg(1)?);
    let known = cx.op().operands.get(1).and_then(|&v| tfc_ir::ops::constant::splat_of(cx.func(), v));
    if !x.dtype().is_int() || known.is_some_and(|n| n != 0.0 && n != -1.0) {
        return Ok(vec![cx.bin(op, &x, &y)]);
    }
    let (zero, one) = (cx.splat(&x.ty, 0.0)?, cx.splat(&x.ty, 1.0)?);
    let none = cx.compare("EQ", &y, &zero);
    let mut safe = cx.select(&none, &one, &y);
    if x.dtype().is_signed() {
        // By 1 the least integer gives the same.
        let (least, minus) = (cx.end(&x.ty, false)?, cx.splat(&x.ty, -1.0)?);
        let (p, q) = (cx.compare("EQ", &x, &least), cx.compare("EQ", &y, &minus));
        let over = cx.bin("and", &p, &q);
        safe = cx.select(&over, &one, &safe);
    }
    let made = cx.bin(op, &x, &safe);
    let other = if by_zero == 0.0 { x } else { cx.un("not", &zero) };
    Ok(vec![cx.select(&none, &other, &made)])
}
/// The cube root: of complex numbers the principal root, `exp(log(z)/3)`, which XLA has not.
fn cbrt(cx: &mut Cx) -> Result<Vec<Val>> {
    let z = cx.arg(0)?;
    if !z.dtype().is_complex() {
        return Ok(vec![cx.un("cbrt", &z)]);
    }
    let (zero, three) = (cx.splat(&z.ty, 0.0)?, cx.splat(&z.ty, 3.0)?);
    let none = cx.compare("EQ", &z, &zero);
    let log = cx.un("log", &z);
    let third = cx.bin("divide", &log, &three);
    let root = cx.un("exponential", &third);
    Ok(vec![cx.select(&none, &zero, &root)])
}
fn part(cx: &mut Cx, op: &str) -> Result<Vec<Val>> {
    let z = cx.arg(0)?;
    Ok(vec![if z.dtype().is_complex() {
        let ty = z.ty.with(z.dtype().real());
        cx.to(op, &z, ty)
    } else if op == "real" {
        z
    } else {
        cx.splat(&z.ty, 0.0)?
    }])
}
pub(crate) fn complex(w: &mut Writer, re: &Val, im: &Val) -> Val {
    let ty = re.ty.with(re.dtype().complex().unwrap_or(re.dtype()));
    w.emit(ty.clone(), format_args!("stablehlo.complex {re}, {im} : {ty}"))
}
/// The conjugate; a real number itself.
pub(crate) fn conj(w: &mut Writer, z: &Val) -> Val {
    if !z.dtype().is_complex() {
        return z.clone();
    }
    let part = z.ty.with(z.dtype().real());
    let (re, im) = (w.to("real", z, part.clone()), w.to("imag", z, part));
    let im = w.un("negate", &im);
    complex(w, &re, &im)
}
fn compare(cx: &mut Cx, how: &str) -> Result<Vec<Val>> {
    let (x, y) = (cx.arg(0)?, cx.arg(1)?);
    Ok(vec![cx.compare(how, &x, &y)])
}
fn clamp(cx: &mut Cx) -> Result<Vec<Val>> {
    let ty = cx.result(0)?;
    let args = cx.args().to_vec();
    let ins = list(args.iter().map(|a| &a.ty));
    Ok(vec![cx.emit(ty.clone(), format_args!("stablehlo.clamp {} : ({ins}) -> {ty}", names(&args)))])
}
/// To `bool` it is `≠ 0`, also of complex numbers, of which StableHLO would take the real part.
fn convert(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, to) = (cx.arg(0)?, cx.result(0)?.dtype);
    let d = x.dtype();
    Ok(vec![if to == DType::Bool && d != DType::Bool {
        let zero = cx.splat(&x.ty, 0.0)?;
        cx.compare("NE", &x, &zero)
    } else if d.is_float() && to.is_int() {
        saturated(cx, &x, to)?
    } else {
        cx.convert(&x, to)
    }])
}
/// A float as an integer: cut off, the nearest one where it is out of range, and 0 where it is NaN. StableHLO leaves open
/// what becomes of the last two.
fn saturated(cx: &mut Cx, x: &Val, to: DType) -> Result<Val> {
    let int = Ty::new(to, x.ty.dims.clone());
    let (low, high) = (cx.end(&int, false)?, cx.end(&int, true)?);
    // The least integer is a power of two or 0; one more than the greatest is a power of two, which a float can say.
    let (least, greatest) = to.int_range().unwrap_or_default();
    let (least, beyond) = (least as f64, (greatest + 1) as f64);
    let (least, beyond) = (cx.splat(&x.ty, least)?, cx.splat(&x.ty, beyond)?);
    let (under, over) = (cx.compare("LE", x, &least), cx.compare("GE", x, &beyond));
    let number = cx.compare("EQ", x, x);
    let zero = cx.splat(&x.ty, 0.0)?;
    // What is not inside is taken from elsewhere.
    let inside = {
        let some = cx.select(&under, &zero, x);
        let some = cx.select(&over, &zero, &some);
        cx.select(&number, &some, &zero)
    };
    let cut = cx.convert(&inside, to);
    let cut = cx.select(&under, &low, &cut);
    Ok(cx.select(&over, &high, &cut))
}
/// The power: of integers by squaring, which is exact in their arithmetic; with a negative exponent `1/xⁿ` cut off, and 0 of 0.
fn pow(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, n) = (cx.arg(0)?, cx.arg(1)?);
    let d = x.dtype();
    if !d.is_int() {
        return Ok(vec![cx.bin("power", &x, &n)]);
    }
    let (one, zero) = (cx.splat(&x.ty, 1.0)?, cx.splat(&x.ty, 0.0)?);
    if d.is_unsigned() {
        return Ok(vec![cx.bin("power", &x, &n)]);
    }
    let negative = cx.compare("LT", &n, &zero);
    let size = cx.select(&negative, &zero, &n);
    let power = cx.bin("power", &x, &size);
    // Of 1 and −1 alone there is something left.
    let minus = cx.splat(&x.ty, -1.0)?;
    let odd = cx.bin("and", &n, &one);
    let odd = cx.compare("EQ", &odd, &one);
    let (is_one, is_minus) = (cx.compare("EQ", &x, &one), cx.compare("EQ", &x, &minus));
    let turned = cx.select(&odd, &minus, &one);
    let left = cx.select(&is_minus, &turned, &zero);
    let left = cx.select(&is_one, &one, &left);
    Ok(vec![cx.select(&negative, &left, &power)])
}
/// A format that is wider than the type changes nothing.
fn reduce_precision(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    let (most_e, most_m) = if x.dtype() == DType::F32 { (8, 23) } else { (11, 52) };
    let (e, m) = (cx.attrs().int("exponent").min(most_e), cx.attrs().int("mantissa").min(most_m));
    Ok(vec![cx.emit(x.ty.clone(), format_args!("stablehlo.reduce_precision {x}, format = e{e}m{m} : {}", x.ty))])
}

/// The value of a Chebyshev sum by Clenshaw's recurrence, the first coefficient counted once.
fn chebyshev(w: &mut Writer, c: &[f64], t: &Val) -> Result<Val> {
    let (mut b1, mut b2) = (w.splat(&t.ty, 0.0)?, w.splat(&t.ty, 0.0)?);
    let twice = w.bin("add", t, t);
    for &k in c.iter().skip(1).rev() {
        let k = w.splat(&t.ty, k)?;
        let next = w.bin("multiply", &twice, &b1);
        let next = w.bin("subtract", &next, &b2);
        (b1, b2) = (w.bin("add", &next, &k), b1);
    }
    let k = w.splat(&t.ty, c.first().copied().unwrap_or(0.0))?;
    let last = w.bin("multiply", t, &b1);
    let last = w.bin("subtract", &last, &b2);
    Ok(w.bin("add", &last, &k))
}
/// CHLO has `bessel_i1e` only: Chebyshev sums up to 8 and beyond, as Cephes `i0.c` has them.
fn bessel_i0e(cx: &mut Cx) -> Result<Vec<Val>> {
    let x = cx.arg(0)?;
    let to = x.dtype();
    let x = cx.convert(&x, DType::F64);
    let a = cx.un("abs", &x);
    let (eight, one) = (cx.splat(&a.ty, 8.0)?, cx.splat(&a.ty, 1.0)?);
    let near = cx.compare("LE", &a, &eight);
    let quarter = cx.splat(&a.ty, 0.25)?;
    let t = cx.bin("multiply", &a, &quarter);
    let t = cx.bin("subtract", &t, &one);
    // The sum of the other side is not looked at, and must not overflow.
    let t = cx.bin("minimum", &t, &one);
    let small = chebyshev(cx, &I0_SMALL, &t)?;
    let far = cx.bin("maximum", &a, &eight);
    let sixteen = cx.splat(&a.ty, 16.0)?;
    let t = cx.bin("divide", &sixteen, &far);
    let t = cx.bin("subtract", &t, &one);
    let large = chebyshev(cx, &I0_LARGE, &t)?;
    let root = cx.un("sqrt", &far);
    let large = cx.bin("divide", &large, &root);
    let y = cx.select(&near, &small, &large);
    Ok(vec![cx.convert(&y, to)])
}
