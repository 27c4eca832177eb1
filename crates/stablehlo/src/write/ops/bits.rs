//! Bits: logic, shifts, counts, products of twice the width, bits read as another type.
use tfc_ir::ops::elementwise as e;
use tfc_ir::{DType, Result};

use super::Rows;
use super::elementwise::complex;
use crate::write::cx::Cx;
use crate::write::table::Spelling::By;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, broken};

pub(super) const ROWS: Rows = &[
    (&e::SHR_ARITH, By(shr_arith)),
    (&e::MULHI, By(mulhi)),
    (
        &e::BITCAST,
        By(|cx| {
            let (x, ty) = (cx.arg(0)?, cx.result(0)?);
            let complex = x.dtype().is_complex() && x.dtype() != ty.dtype;
            Ok(vec![if complex { pairs(cx, &x, &ty)? } else { bits_as(cx, &x, &ty) }])
        }),
    ),
];

fn signed(d: DType) -> DType {
    match d {
        DType::U8 => DType::I8,
        DType::U16 => DType::I16,
        DType::U32 => DType::I32,
        DType::U64 => DType::I64,
        d => d,
    }
}
fn unsigned(d: DType) -> DType {
    match d {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        DType::I64 => DType::U64,
        d => d,
    }
}
fn bits_as(w: &mut Writer, x: &Val, ty: &Ty) -> Val {
    if x.ty == *ty { x.clone() } else { w.to("bitcast_convert", x, ty.clone()) }
}
/// Between complex types of two widths, which XLA does not take: a part of the wide one is the pair of parts of a narrow one.
fn pairs(w: &mut Writer, x: &Val, ty: &Ty) -> Result<Val> {
    let part = x.ty.with(x.dtype().real());
    let (re, im) = (w.to("real", x, part.clone()), w.to("imag", x, part));
    let last = x.rank().saturating_sub(1);
    if ty.dtype == DType::C32 {
        let halves = Ty::new(DType::F32, [x.dims(), &[2]].concat());
        let mut made = vec![];
        for p in [re, im] {
            let bits = w.to("bitcast_convert", &p, halves.clone());
            let (low, high) = (w.cut(&bits, last + 1, 0, 1), w.cut(&bits, last + 1, 1, 2));
            made.push(complex(w, &low, &high));
        }
        return w.concat(&made, x.rank());
    }
    let mut made = vec![];
    for i in 0..2 {
        let both = [w.cut(&re, last, i, i + 1), w.cut(&im, last, i, i + 1)];
        let both = w.concat(&both, last)?;
        made.push(w.to("bitcast_convert", &both, Ty::new(DType::F64, ty.dims.clone())));
    }
    let [re, im] = made.as_slice() else { return Err(broken("two parts")) };
    Ok(complex(w, re, im))
}
/// The same bits as an integer of the other kind.
fn bits(w: &mut Writer, x: &Val, d: DType) -> Val {
    let ty = x.ty.with(d);
    if x.ty == ty { x.clone() } else { w.to("bitcast_convert", x, ty) }
}
/// It fills with the top bit, whatever that means in the type.
fn shr_arith(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, n) = (cx.arg(0)?, cx.arg(1)?);
    let d = x.dtype();
    let (x, n) = (bits(cx, &x, signed(d)), bits(cx, &n, signed(d)));
    let y = cx.bin("shift_right_arithmetic", &x, &n);
    Ok(vec![bits(cx, &y, d)])
}
/// The high half of the product: of 32 bits in 64, of 64 by the products of halves. What a negative factor adds is taken off.
fn mulhi(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, y) = (cx.arg(0)?, cx.arg(1)?);
    let d = x.dtype();
    let (p, q) = (bits(cx, &x, unsigned(d)), bits(cx, &y, unsigned(d)));
    let high = if d.size() == 4 {
        let (p, q) = (cx.convert(&p, DType::U64), cx.convert(&q, DType::U64));
        let product = cx.bin("multiply", &p, &q);
        let by = cx.splat(&product.ty, 32.0)?;
        let high = cx.bin("shift_right_logical", &product, &by);
        cx.convert(&high, DType::U32)
    } else {
        high_of_64(cx, &p, &q)?
    };
    let mut high = bits(cx, &high, d);
    if d.is_signed() {
        let zero = cx.splat(&x.ty, 0.0)?;
        for (a, b) in [(&x, &y), (&y, &x)] {
            let negative = cx.compare("LT", a, &zero);
            let more = cx.select(&negative, b, &zero);
            high = cx.bin("subtract", &high, &more);
        }
    }
    Ok(vec![high])
}
fn high_of_64(w: &mut Writer, p: &Val, q: &Val) -> Result<Val> {
    let (by, low) = (w.splat(&p.ty, 32.0)?, w.splat(&p.ty, 4_294_967_295.0)?);
    let mut halves = |x: &Val| (w.bin("shift_right_logical", x, &by), w.bin("and", x, &low));
    let ((ph, pl), (qh, ql)) = (halves(p), halves(q));
    let (hh, hl) = (w.bin("multiply", &ph, &qh), w.bin("multiply", &ph, &ql));
    let (lh, ll) = (w.bin("multiply", &pl, &qh), w.bin("multiply", &pl, &ql));
    // Neither sum overflows: (2³² − 1)² + 2 (2³² − 1) < 2⁶⁴.
    let carry = w.bin("shift_right_logical", &ll, &by);
    let mid = w.bin("add", &hl, &carry);
    let mid_low = w.bin("and", &mid, &low);
    let mid_low = w.bin("add", &lh, &mid_low);
    let (a, b) = (w.bin("shift_right_logical", &mid, &by), w.bin("shift_right_logical", &mid_low, &by));
    let high = w.bin("add", &hh, &a);
    Ok(w.bin("add", &high, &b))
}
