//! Functions of square matrices: exponential, logarithm, square root, and the derivative that they share.
//!
//! A function `f` of the block matrix of `a` twice and `e` beside is that of `a` twice and the derivative of `f` at `a` in direction `e`
//! beside (Mathias 1996; Higham, *Functions of Matrices*, eq. 3.16). So the derivative is linear in `e`, its adjoint is that at `aᴴ`, and
//! its own derivative is once more one of a larger matrix: rules of all orders are one row, [`FRECHET`].
use super::solve::{identity, square};
use super::*;
use crate::code::Code;
use crate::ops::control::{STOP_GRADIENT, WHILE};
use crate::ops::elementwise::CEIL;
use crate::ops::reduce::{REDUCE_MAX, reduce};
use crate::ops::shape::{CONCAT, SLICE};

/// `linalg.expm`.
pub static EXPM: OpDef = OpDef {
    name: "linalg.expm",
    doc: "Exponential of square matrices, by scaling and squaring: the diagonal Padé approximant of degree 13 of `a / 2^s`, squared `s` \
          times. `s` is that of each matrix: the least for which the 1-norm of `a / 2^s` is at most 5.37 (Higham 2005, algorithm 2.3), or \
          less where norms of powers allow it (Al-Mohy & Higham 2009). A matrix with a NaN or an infinity gives NaN.\n\nDerivative: `linalg.frechet`.",
    operands: &["a"],
    infer: |cx| Ok(vec![square(cx)?]),
    expand: Expand::Composite(|b, new| Ok(vec![exponential(b, new.operands[0])?])),
    law: Law::Holds { state: laws::function::expm, hard: hard_exponents },
    sample: |cx| {
        super::least::of_shapes(cx, SQUARE, |b, a, _| {
            // Of norms up to several times the threshold for scaling.
            let by = b.like(a, 1.7)?;
            let a = b.mul(by, a)?;
            let y = b.emit1(NewOp::new(&EXPM, &[a]))?;
            let small = b.like(y, 0.01)?;
            Ok(vec![b.mul(small, y)?])
        })
    },
    ..FUNCTION
};
/// `linalg.sqrtm`.
pub static SQRTM: OpDef = OpDef {
    name: "linalg.sqrtm",
    doc: "Principal square root of square matrices, whose eigenvalues have real parts that are not negative, by the Schur form \
          (Björck & Hammarling 1983; Higham, *Functions of Matrices*, algorithm 6.3). An eigenvalue that is negative, or 0 where the matrix \
          has no root, is an error (`E1220`), as is a NaN or an infinity; with `on_fail = nan` such a matrix gives NaN. An eigenvalue \
          counts as real where its imaginary part is rounding, as 0 where it is negative and rounding.\n\nDerivative: `linalg.frechet`. There \
          is none at a matrix with an eigenvalue 0.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| Ok(vec![square(cx)?]),
    law: Law::Holds { state: laws::function::sqrtm, hard: hard_functions },
    sample: |cx| of_spread(cx),
    ..FUNCTION
};
/// `linalg.logm`.
pub static LOGM: OpDef = OpDef {
    name: "linalg.logm",
    doc: "Principal logarithm of square matrices, whose eigenvalues have imaginary parts between −π and π, by inverse scaling and squaring \
          of the Schur form (Al-Mohy & Higham 2012): roots until the matrix is near the identity, a Padé approximant of degree 7, and \
          the diagonals from the eigenvalues. An eigenvalue that is negative or 0 is an error (`E1220`), as is a NaN or an infinity; with \
          `on_fail = nan` such a matrix gives NaN. An eigenvalue counts as real where its imaginary part is rounding.\n\nDerivative: \
          `linalg.frechet`.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| Ok(vec![square(cx)?]),
    law: Law::Holds { state: laws::function::logm, hard: hard_functions },
    sample: |cx| of_spread(cx),
    ..FUNCTION
};
/// `linalg.frechet`.
pub static FRECHET: OpDef = OpDef {
    name: "linalg.frechet",
    doc: "Derivative of a function of square matrices at `a` in direction `e`, linear in `e`: the upper right block of the function (`of`: \
          `linalg.expm`, `linalg.logm` or `linalg.sqrtm`) of the matrix of four blocks `a, e` above `0, a` (Mathias 1996; Higham, *Functions of \
          Matrices*, eq. 3.16). Its adjoint is that at `aᴴ`.\n\n`on_fail` is that of the function.",
    operands: &["a", "e"],
    slots: &[Slot::required("of", SlotKind::Word(&["exp", "log", "sqrt"])), ON_FAIL],
    infer: |cx| {
        let a = square(cx)?;
        cx.same_operands(0, 1)?;
        Ok(vec![a])
    },
    linearize: Linearize::Rule(linearize_frechet),
    transpose: Transpose::Rule(|cx, o, ct| {
        let op = cx.op(o);
        if cx.linear(op.operands[0]) {
            return Err(Error::new(Code::E0504, "`linalg.frechet` is not linear in its matrix"));
        }
        let Some(c) = ct.first().copied().flatten() else { return Ok(vec![None; 2]) };
        let a = cx.val(op.operands[0])?;
        let a = adjoint(&mut cx.b, a)?;
        let e = cx.b.emit1(NewOp::new(&FRECHET, &[a, c]).attrs(op.attrs))?;
        Ok(vec![None, Some(e)])
    }),
    expand: Expand::Composite(|b, new| {
        let &[a, e] = new.operands.as_slice() else { return Ok(vec![]) };
        let (e, undo) = beside(b, a, e)?;
        let x = upper(b, a, e)?;
        let def = match new.attrs.word("of") {
            Some("log") => &LOGM,
            Some("sqrt") => &SQRTM,
            _ => &EXPM,
        };
        let mut op = NewOp::new(def, &[x]);
        if !def.slots.is_empty() {
            op.attrs = Attrs::of(new.attrs.iter().filter(|(k, _)| *k == "on_fail").cloned());
        }
        let y = b.emit1(op)?;
        let n = b.ty(a).dims[0].clone();
        let y = corner(b, y, &n)?;
        Ok(vec![b.mul(y, undo)?])
    }),
    law: MADE,
    sample: |cx| {
        if !cx.dtype.is_field() {
            return Ok(vec![]);
        }
        let mut out = vec![];
        for of in ["exp", "log", "sqrt"] {
            for shape in SQUARE {
                let ty = cx.ty(shape);
                out.push(cx.program(&[(ty.clone(), Domain::Any), (ty, Domain::Any)], |b, x| {
                    let a = if of == "exp" { x[0] } else { spread(b, x[0])? };
                    b.emit(NewOp::new(&FRECHET, &[a, x[1]]).attr("of", Attr::word(of)))
                })?);
            }
        }
        Ok(out)
    },
    ..FUNCTION
};

const FUNCTION: OpDef = OpDef {
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize),
    batch: Batch::Rule(trailing),
    ..OpDef::BASE
};
const SQUARE: &[&[usize]] = &[&[3, 3], &[2, 2], &[1, 1], &[0, 0], &[2, 2, 3]];

/// Which derivative it is that of a function's row.
fn of(def: &'static OpDef) -> &'static str {
    if def.is(&LOGM) {
        "log"
    } else if def.is(&SQRTM) {
        "sqrt"
    } else {
        "exp"
    }
}
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    cx.copy_primal(o)?;
    let Some(da) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let a = cx.primal(op.operands[0])?;
    let a = cx.residual(a)?;
    let new = NewOp::new(&FRECHET, &[a, da]).attrs(op.attrs.clone()).attr("of", Attr::word(of(op.def)));
    let dy = cx.t().emit1(new)?;
    cx.set_tangent(op.results[0], Some(dy))
}
/// `L(a, de)`, and the derivative of `L(a, e)` in `a`: with `X` the matrix of blocks `a, e, 0, a`, the upper right block of `L(X, diag(da,
/// da))`, because `f` of `X` holds `L(a, e)` there.
fn linearize_frechet(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    cx.copy_primal(o)?;
    let (da, de) = (cx.tangent(op.operands[0]), cx.tangent(op.operands[1]));
    let (a, e) = (cx.primal(op.operands[0])?, cx.primal(op.operands[1])?);
    let mut sum = None;
    if let Some(de) = de {
        let a = cx.residual(a)?;
        sum = Some(cx.t().emit1(NewOp::new(&FRECHET, &[a, de]).attrs(op.attrs.clone()))?);
    }
    if let Some(da) = da {
        let p = cx.p();
        let (e, undo) = beside(p, a, e)?;
        let x = upper(p, a, e)?;
        let n = p.ty(a).dims[0].clone();
        let n = cx.lin_extent(&n)?;
        let (x, undo) = (cx.residual(x)?, cx.residual(undo)?);
        let t = cx.t();
        let twice = {
            let none = t.like(da, 0.0)?;
            blocks(t, da, none, da)?
        };
        let y = t.emit1(NewOp::new(&FRECHET, &[x, twice]).attrs(op.attrs.clone()))?;
        let y = corner(t, y, &n)?;
        let y = t.mul(undo, y)?;
        sum = Some(match sum {
            Some(s) => t.add(s, y)?,
            None => y,
        });
    }
    cx.set_tangent(op.results[0], sum)
}
/// `a, e` above `0, a`.
fn upper(b: &mut Builder, a: ValueId, e: ValueId) -> Result<ValueId> {
    blocks(b, a, e, a)
}
/// `x, e` above `0, y`.
fn blocks(b: &mut Builder, x: ValueId, e: ValueId, y: ValueId) -> Result<ValueId> {
    let none = b.like(x, 0.0)?;
    let join = |b: &mut Builder, x: ValueId, y: ValueId, axis: i64| {
        b.emit1(NewOp::new(&CONCAT, &[x, y]).attr("axis", Attr::Int(axis)))
    };
    let (top, below) = (join(b, x, e, 1)?, join(b, none, y, 1)?);
    join(b, top, below, 0)
}
/// The upper right block, `n × n`.
fn corner(b: &mut Builder, x: ValueId, n: &Extent) -> Result<ValueId> {
    let ty = b.ty(x);
    let (mut start, mut limit) = (vec![Extent::exact(0); ty.rank()], ty.dims.to_vec());
    start[1] = n.clone();
    limit[0] = n.clone();
    let op = NewOp::new(&SLICE, &[x]).attr("start", Attr::extents(start));
    b.emit1(op.attr("limit", Attr::extents(limit)))
}
/// `e` as large as `a`, so that neither is rounding beside the other, and what undoes it; no derivative flows through the factor.
fn beside(b: &mut Builder, a: ValueId, e: ValueId) -> Result<(ValueId, ValueId)> {
    let top = |b: &mut Builder, x: ValueId| -> Result<ValueId> {
        let size = b.abs(x)?;
        let top = reduce(b, &REDUCE_MAX, size, &[0, 1])?;
        let top = b.emit1(NewOp::new(&STOP_GRADIENT, &[top]))?;
        let (zero, one) = (b.like(top, 0.0)?, b.like(top, 1.0)?);
        let some = b.gt(top, zero)?;
        let finite = b.is_finite(top)?;
        let fit = b.and(some, finite)?;
        b.select(fit, top, one)
    };
    let (size, length) = (top(b, a)?, top(b, e)?);
    let ty = b.ty(a);
    let mut over = |x: ValueId, y: ValueId| -> Result<ValueId> {
        let q = b.div(x, y)?;
        let q = b.broadcast(q, &ty.with_dtype(b.ty(q).dtype), &(2..ty.rank()).collect::<Vec<_>>())?;
        b.convert(q, ty.dtype)
    };
    let (by, undo) = (over(size, length)?, over(length, size)?);
    Ok((b.mul(e, by)?, undo))
}

/// Up to this 1-norm the approximant of degree 13 is as good as double precision (Higham 2005, table 2.3).
const THETA: f64 = 5.371920351148152;
/// The coefficients of its numerator (there, eq. 2.17).
const PADE: [f64; 14] = [
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
];
/// `x` times a number.
fn times(b: &mut Builder, x: ValueId, by: f64) -> Result<ValueId> {
    let by = b.like(x, by)?;
    b.mul(by, x)
}
/// `Σ by_i x_i`.
fn sum(b: &mut Builder, terms: &[(f64, ValueId)]) -> Result<ValueId> {
    let mut all: Option<ValueId> = None;
    for &(by, x) in terms {
        let x = times(b, x, by)?;
        all = Some(match all {
            Some(s) => b.add(s, x)?,
            None => x,
        });
    }
    all.ok_or_else(|| Error::new(Code::E0299, "a sum of no terms"))
}
fn exponential(b: &mut Builder, a: ValueId) -> Result<ValueId> {
    let ty = b.ty(a);
    let everywhere: Vec<usize> = (2..ty.rank()).collect();
    let s = squarings(b, a)?;
    let x = shrunk(b, a, s)?;
    let approximant = approximant(b, x)?;
    let count = b.convert(s, DType::I64)?;
    let axes: Vec<usize> = (0..everywhere.len()).collect();
    let most = if axes.is_empty() { count } else { reduce(b, &REDUCE_MAX, count, &axes)? };
    let (number, one) = (Type::scalar(DType::I64), b.splat(&Type::scalar(DType::I64), 1.0)?);
    let start = b.zeros(&number)?;
    let cond =
        b.region("cond", &[(number.clone(), "done"), (ty.clone(), "power")], |b, x| Ok(vec![b.lt(x[0], most)?]))?;
    let body = b.region("body", &[(number, "done"), (ty.clone(), "power")], |b, x| {
        let square = mm(b, x[1], x[1])?;
        let many = b.ty(count);
        let done = b.broadcast(x[0], &many, &[])?;
        let again = b.lt(done, count)?;
        let again = b.broadcast(again, &ty.with_dtype(DType::Bool), &everywhere)?;
        let power = b.select(again, square, x[1])?;
        Ok(vec![b.add(x[0], one)?, power])
    })?;
    let made = b.emit(NewOp::new(&WHILE, &[start, approximant]).regions(vec![cond, body]))?;
    made.get(1).copied().ok_or_else(|| Error::new(Code::E0299, "a loop gives its carries"))
}
/// The 1-norm of each matrix.
fn norm(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let size = b.abs(x)?;
    let columns = b.reduce_sum(size, &[0])?;
    reduce(b, &REDUCE_MAX, columns, &[0])
}
/// `log₂ x`.
fn log2(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let log = b.log(x)?;
    times(b, log, std::f64::consts::LOG2_E)
}
/// `⌈x⌉` where that is a positive number, else 0.
fn steps(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let x = b.emit1(NewOp::new(&CEIL, &[x]))?;
    let zero = b.like(x, 0.0)?;
    let above = b.gt(x, zero)?;
    let finite = b.is_finite(x)?;
    let some = b.and(above, finite)?;
    b.select(some, x, zero)
}
/// `x / 2^s`, with an `s` for each matrix.
fn shrunk(b: &mut Builder, x: ValueId, s: ValueId) -> Result<ValueId> {
    let ty = b.ty(x);
    let down = b.neg(s)?;
    let by = b.exp2(down)?;
    let by = b.broadcast(by, &ty.with_dtype(ty.dtype.real()), &(2..ty.rank()).collect::<Vec<_>>())?;
    let by = b.convert(by, ty.dtype)?;
    b.mul(x, by)
}
/// How often each matrix is squared: as often as its 1-norm asks for (Higham 2005), or less often where roots of norms of its powers do
/// (Al-Mohy & Higham 2009, algorithm 5.1, for degree 13 alone); never where its norm is no number.
fn squarings(b: &mut Builder, a: ValueId) -> Result<ValueId> {
    let size = norm(b, a)?;
    let ratio = times(b, size, 1.0 / THETA)?;
    let most = log2(b, ratio)?;
    let most = steps(b, most)?;
    let x = shrunk(b, a, most)?;
    let x2 = mm(b, x, x)?;
    let x4 = mm(b, x2, x2)?;
    let x6 = mm(b, x2, x4)?;
    let (x8, x10) = (mm(b, x4, x4)?, mm(b, x4, x6)?);
    // Logarithms of roots of norms of powers, less that of the threshold.
    let root = |b: &mut Builder, x: ValueId, k: f64| -> Result<ValueId> {
        let size = norm(b, x)?;
        let log = log2(b, size)?;
        times(b, log, 1.0 / k)
    };
    let (d6, d8, d10) = (root(b, x6, 6.0)?, root(b, x8, 8.0)?, root(b, x10, 10.0)?);
    let (first, second) = (b.max(d6, d8)?, b.max(d8, d10)?);
    let least = b.min(first, second)?;
    let theta = b.like(least, THETA.log2())?;
    let over = b.sub(least, theta)?;
    let needed = b.add(most, over)?;
    let needed = steps(b, needed)?;
    let needed = b.min(needed, most)?;
    // Rounding in the approximant asks for more where moduli of powers are much greater than powers.
    let x = shrunk(b, a, needed)?;
    let size = norm(b, x)?;
    let moduli = b.abs(x)?;
    let row = b.ty(moduli).without(&[0]).with_axis(0, Extent::exact(1));
    let mut sums = b.splat(&row, 1.0)?;
    for _ in 0..POWER {
        sums = mm(b, sums, moduli)?;
    }
    let top = reduce(b, &REDUCE_MAX, sums, &[0, 1])?;
    let (top, size) = (log2(b, top)?, log2(b, size)?);
    let ratio = b.sub(top, size)?;
    let rounding = b.like(ratio, REMAINDER - unit(row.dtype).log2() + 1.0)?;
    let more = b.add(ratio, rounding)?;
    let more = times(b, more, 1.0 / f64::from(POWER - 1))?;
    let more = b.emit1(NewOp::new(&CEIL, &[more]))?;
    let zero = b.like(more, 0.0)?;
    let more = b.max(more, zero)?;
    let s = b.add(needed, more)?;
    // Also where a power was no number.
    let fewer = b.lt(s, most)?;
    b.select(fewer, s, most)
}
/// The power of the first term of the backward error of degree 13, and the logarithm of its coefficient (Al-Mohy & Higham 2009, §5: `1 /
/// (C(26, 13) · 27!)`).
const POWER: u32 = 27;
const REMAINDER: f64 = -116.447004251763;
/// `(v − u)⁻¹ (v + u)`, `u` the odd and `v` the even part of the numerator (Higham 2005, eq. 2.18).
fn approximant(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let eye = identity(b, x)?;
    let x2 = mm(b, x, x)?;
    let x4 = mm(b, x2, x2)?;
    let x6 = mm(b, x2, x4)?;
    let c = &PADE;
    let part = |b: &mut Builder, first: usize| -> Result<ValueId> {
        let high = sum(b, &[(c[first + 12], x6), (c[first + 10], x4), (c[first + 8], x2)])?;
        let high = mm(b, x6, high)?;
        let low = sum(b, &[(c[first + 6], x6), (c[first + 4], x4), (c[first + 2], x2), (c[first], eye)])?;
        b.add(high, low)
    };
    // Degree 13 is odd: the odd part has `c[13]` before `x6`, the even one `c[12]`.
    let odd = part(b, 1)?;
    let u = mm(b, x, odd)?;
    let v = part(b, 0)?;
    let (below, above) = (b.sub(v, u)?, b.add(v, u)?);
    b.emit1(NewOp::new(&SOLVE, &[below, above]).attr("on_fail", Attr::word("nan")))
}

/// Matrices with eigenvalues in the right half plane.
fn of_spread(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let one = |shape: &&[usize]| {
        cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
            let half = b.like(x[0], 0.5)?;
            let x = b.mul(half, x[0])?;
            let a = spread(b, x)?;
            b.emit(NewOp::new(cx.def, &[a]))
        })
    };
    SQUARE.iter().map(one).collect()
}
/// Matrices of every kind, those without a root or logarithm as NaN.
fn hard_functions(cx: &SampleCx) -> Result<Vec<Sample>> {
    let nan = Attrs::of([("on_fail", Attr::word("nan"))]);
    let mut out = hard::factorisation(cx, hard::Hard::is_square, &[nan])?;
    // Eigenvalues in the right half plane: `h hᴴ / |h|² + 1/8`.
    if cx.dtype.is_field() {
        for h in hard::matrices().iter().filter(|h| h.is_square() && h.is_moderate()) {
            out.push(cx.program(&[], |b, _| {
                let x = h.value(b, cx.dtype)?;
                let eye = identity(b, x)?;
                let gram = mh(b, x, x)?;
                let size = b.abs(gram)?;
                let top = reduce(b, &REDUCE_MAX, size, &[0, 1])?;
                let one = b.like(top, 1.0)?;
                let top = b.max(top, one)?;
                let ty = b.ty(gram);
                let dtype = b.ty(top).dtype;
                let top = b.broadcast(top, &ty.with_dtype(dtype), &(2..ty.rank()).collect::<Vec<_>>())?;
                let top = b.convert(top, ty.dtype)?;
                let gram = b.div(gram, top)?;
                let part = times(b, eye, 0.125)?;
                let a = b.add(gram, part)?;
                b.emit(NewOp::new(cx.def, &[a]))
            })?);
        }
    }
    Ok(out)
}
/// Matrices whose exponentials are numbers, of norms on both sides of the threshold.
fn hard_exponents(cx: &SampleCx) -> Result<Vec<Sample>> {
    hard::on_each(
        cx,
        |h| h.is_square() && h.is_moderate() && h.shape[0] < 30,
        &[Attrs::none()],
        |_, _, _, _| Ok(vec![]),
    )
}
