//! Extents as values, and what a program checks or prints.
use tfc_ir::extent::Atom;
use tfc_ir::ops::extents as x;
use tfc_ir::{Attr, CmpOp, Code, Constraint, DType, Error, Extent, Result};

use super::Rows;
use super::shape::index;
use crate::write::cx::Cx;
use crate::write::sizes::follows;
use crate::write::table::Spelling::By;
use crate::write::ty::Ty;
use crate::write::walk::Outcome;
use crate::write::writer::{Val, Writer, broken};

pub(super) const ROWS: Rows = &[
    (
        &x::DIM_VALUE,
        By(|cx| {
            let n = cx.extents("extent")?.first().copied().ok_or_else(|| broken("an extent"))?;
            Ok(vec![cx.int(n)?])
        }),
    ),
    (&x::EXTENT, By(extent)),
    (
        &x::GUARD,
        By(|cx| {
            // A condition between extents that are known.
            let wheres: Vec<Constraint> = cx.op().wheres.clone();
            wheres.iter().try_for_each(|c| cx.walk.holds(cx.f, c, "`guard`"))?;
            Ok(vec![])
        }),
    ),
    (
        &x::CHECK,
        By(|cx| {
            let (ok, text) = (cx.arg(0)?, cx.attrs().str("message").unwrap_or("check failed").to_owned());
            let ok = all(cx, &ok)?;
            // As every engine has it.
            let gauge = cx.attrs().word("about") == Some("gauge");
            cx.check_as(if gauge { Code::E1221 } else { Code::E0710 }, ok, &text)?;
            Ok(vec![])
        }),
    ),
    (
        &x::CHECK_EQUAL,
        By(|cx| {
            let (a, b) = (cx.arg(0)?, cx.arg(1)?);
            let same = equal(cx, &a, &b)?;
            let same = all(cx, &same)?;
            cx.check_as(Code::E0711, same, "check_equal")?;
            Ok(vec![])
        }),
    ),
    (&x::CHECK_CLOSE, By(check_close)),
    (
        &x::PRINT,
        By(|cx| {
            let (v, label) = (cx.arg(0)?, cx.attrs().str("label").unwrap_or_default().to_owned());
            cx.print(v, &label)?;
            Ok(vec![])
        }),
    ),
];

/// Nothing is checked within an op whose region runs once an element.
pub(super) fn none(outcomes: &[Outcome]) -> Result<()> {
    match outcomes.first() {
        None => Ok(()),
        Some(o) => {
            Err(Error::new(Code::E1105, format!("the program may fail in a comparison or a combination: {}", o.text))
                .help("check what goes in, before the op"))
        }
    }
}
/// A flag that is true where every element is true.
fn all(w: &mut Writer, x: &Val) -> Result<Val> {
    let init = w.splat(&Ty::scalar(DType::Bool), 1.0)?;
    let axes: Vec<usize> = (0..x.rank()).collect();
    Ok(w.reduce("and", x, &init, &axes))
}
/// An extent, whoever decides it.
pub(super) fn value(cx: &mut Cx) -> Result<Vec<Val>> {
    let e = cx.attrs().extents("extent").first().cloned().ok_or_else(|| broken("an extent"))?;
    Ok(vec![cx.count_of(&e)?])
}
/// Conditions between extents of which values decide some.
pub(super) fn guard(cx: &mut Cx) -> Result<Vec<Val>> {
    let wheres: Vec<Constraint> = cx.op().wheres.clone();
    wheres.iter().try_for_each(|c| cx.walk.holds(cx.f, c, "`guard`"))?;
    Ok(vec![])
}
/// `extent(%k, shape[?r])`: what `?r` is from here on, never outside of its bound; that `%k` is inside, and what `where` demands, is
/// checked, unless it follows from how `%k` is computed.
pub(super) fn bind(cx: &mut Cx) -> Result<Vec<Val>> {
    let e = cx.attrs().extents("extent").first().cloned().ok_or_else(|| broken("an extent"))?;
    let Some(atom @ Atom::Exist(_)) = e.as_atom() else { return extent(cx) };
    // What no axis is as long as, trips of a loop say, needs no bound.
    let shapes = || cx.f.values.iter().any(|v| v.ty.dims.iter().any(|d| d.mentions(atom)));
    let most = match cx.walk.most(cx.f, &e) {
        Err(x) if x.data().code == Code::E1120 && !shapes() => None,
        most => Some(most?),
    };
    let k = cx.arg(0)?;
    let k = index(cx, &k)?;
    let zero = cx.int(0)?;
    let mut held = cx.bin("maximum", &k, &zero);
    if let Some(most) = most {
        let last = cx.int(most)?;
        held = cx.bin("minimum", &held, &last);
    }
    cx.walk.open.insert(atom, held);
    let &v = cx.op().operands.first().ok_or_else(|| broken("an operand"))?;
    if !follows(cx.f, v, CmpOp::Ge, &Extent::exact(0), 0) {
        let ok = cx.compare("GE", &k, &zero);
        cx.check_as(Code::E0422, ok, &format!("0 <= {}", e.display(cx.f)))?;
    }
    for c in cx.op().wheres.clone() {
        let (way, other) = if c.lhs == e {
            (Some(c.op), &c.rhs)
        } else if c.rhs == e {
            (Some(c.op.mirrored()), &c.lhs)
        } else {
            (None, &c.lhs)
        };
        let certain = way.is_some_and(|way| match way {
            CmpOp::Eq => [CmpOp::Le, CmpOp::Ge].iter().all(|w| follows(cx.f, v, *w, other, 0)),
            way => follows(cx.f, v, way, other, 0),
        });
        if certain {
            continue;
        }
        // By the value itself: the extent has been held within its bound.
        match way {
            Some(way) => {
                let other = cx.count_of(other)?;
                let how = match way {
                    CmpOp::Eq => "EQ",
                    CmpOp::Le => "LE",
                    CmpOp::Ge => "GE",
                };
                let ok = cx.compare(how, &k, &other);
                cx.check_as(Code::E0420, ok, &format!("{} (`extent`)", c.display(cx.f)))?;
            }
            None => cx.walk.holds(cx.f, &c, "`extent`")?,
        }
    }
    Ok(vec![])
}
/// `extent(%k, shape[e])` of an extent that is known: a check that `%k` is that.
fn extent(cx: &mut Cx) -> Result<Vec<Val>> {
    let e: Extent = cx.attrs().extents("extent").first().cloned().ok_or_else(|| broken("an extent"))?;
    let n = cx.extent(&e)?;
    for c in cx.op().wheres.clone() {
        cx.walk.holds(cx.f, &Constraint { lhs: c.lhs, op: c.op, rhs: c.rhs }, "`extent`")?;
    }
    let k = cx.arg(0)?;
    let k = index(cx, &k)?;
    let n = cx.int(n)?;
    let ok = cx.compare("EQ", &k, &n);
    let text = format!("extent {}", e.display(cx.func()));
    cx.check_as(Code::E0420, ok, &text)?;
    Ok(vec![])
}
fn nan(w: &mut Writer, x: &Val) -> Val {
    // Of complex numbers either part makes them differ from themselves.
    w.compare("NE", x, x)
}
/// Equal, or both NaN.
fn equal(w: &mut Writer, a: &Val, b: &Val) -> Result<Val> {
    let same = w.compare("EQ", a, b);
    if !a.dtype().is_inexact() {
        return Ok(same);
    }
    let (an, bn) = (nan(w, a), nan(w, b));
    let both = w.bin("and", &an, &bn);
    Ok(w.bin("or", &same, &both))
}
/// Within `atol + rtol·|b|`, or within so many representable numbers.
fn check_close(cx: &mut Cx) -> Result<Vec<Val>> {
    let (a, b) = (cx.arg(0)?, cx.arg(1)?);
    let float = |name: &str| if let Some(Attr::Float(v)) = cx.attrs().get(name) { *v } else { 0.0 };
    let (atol, rtol) = (float("atol"), float("rtol"));
    let ulp = cx.attrs().get("ulp").map(|_| cx.attrs().int("ulp"));
    let mut ok = equal(cx, &a, &b)?;
    let wide = if a.dtype().is_complex() { DType::C64 } else { DType::F64 };
    let (p, q) = (cx.convert(&a, wide), cx.convert(&b, wide));
    let modulus = |cx: &mut Cx, z: &Val| {
        let ty = z.ty.with(DType::F64);
        cx.to("abs", z, ty)
    };
    let d = cx.bin("subtract", &p, &q);
    let (d, size) = (modulus(cx, &d), modulus(cx, &q));
    let (atol, rtol) = (cx.splat(&d.ty, atol)?, cx.splat(&d.ty, rtol)?);
    let room = cx.bin("multiply", &rtol, &size);
    let room = cx.bin("add", &atol, &room);
    let near = cx.compare("LE", &d, &room);
    ok = cx.bin("or", &ok, &near);
    if let Some(u) = ulp.filter(|_| a.dtype().is_inexact()) {
        let near = if a.dtype().is_complex() {
            let part = a.ty.with(a.dtype().real());
            let (ar, br) = (cx.to("real", &a, part.clone()), cx.to("real", &b, part.clone()));
            let (ai, bi) = (cx.to("imag", &a, part.clone()), cx.to("imag", &b, part));
            let (re, im) = (within_ulps(cx, &ar, &br, u)?, within_ulps(cx, &ai, &bi, u)?);
            cx.bin("and", &re, &im)
        } else {
            within_ulps(cx, &a, &b, u)?
        };
        ok = cx.bin("or", &ok, &near);
    }
    let ok = all(cx, &ok)?;
    cx.check_as(Code::E0711, ok, "check_close")?;
    Ok(vec![])
}
/// Are two reals at most so many representable numbers apart, and finite or equal? Their bits count them, those of negative
/// ones from the least integer down.
fn within_ulps(w: &mut Writer, a: &Val, b: &Val, ulp: i64) -> Result<Val> {
    let same = equal(w, a, b)?;
    let int = match a.dtype().size() {
        2 => DType::I16,
        4 => DType::I32,
        _ => DType::I64,
    };
    let mut key = |x: &Val| -> Result<Val> {
        let bits = w.to("bitcast_convert", x, x.ty.with(int));
        let (zero, least) = (w.splat(&bits.ty, 0.0)?, w.end(&bits.ty, false)?);
        let negative = w.compare("LT", &bits, &zero);
        let turned = w.bin("subtract", &least, &bits);
        Ok(w.select(&negative, &turned, &bits))
    };
    let (p, q) = (key(a)?, key(b)?);
    // The difference of the greater and the less fits without a sign.
    let (high, low) = (w.bin("maximum", &p, &q), w.bin("minimum", &p, &q));
    let d = w.bin("subtract", &high, &low);
    let unsigned = match int {
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        _ => DType::U64,
    };
    let d = w.to("bitcast_convert", &d, d.ty.with(unsigned));
    let most = match unsigned.int_range() {
        Some((_, most)) => i128::from(ulp).clamp(0, most.min(i128::from(i64::MAX))) as i64,
        None => ulp.max(0),
    };
    let most = w.constant(&tfc_ir::Tensor::scalar(most as u64), &d.ty.with(DType::U64), true)?;
    let most = w.convert(&most, unsigned);
    let near = w.compare("LE", &d, &most);
    let finite = |w: &mut Writer, x: &Val| {
        let ty = x.ty.with(DType::Bool);
        w.to("is_finite", x, ty)
    };
    let (fa, fb) = (finite(w, a), finite(w, b));
    let both = w.bin("and", &fa, &fb);
    let near = w.bin("and", &near, &both);
    Ok(w.bin("or", &same, &near))
}
