//! The check that a gradient does not depend on which of several equally good vectors a factorisation has chosen.
use super::*;
use crate::code::Code;
use crate::ops::extents::CHECK;

/// `linalg.gauge`.
pub static GAUGE: OpDef = OpDef {
    name: "linalg.gauge",
    doc: "The tangents `du` (and `dvt`) of singular or eigenvectors, unchanged. Made by derivatives. Its transpose first \
          checks that the cotangents do not depend on the choice of vectors of equal values (`equal`, and `zero` for those \
          of singular value 0): turning such vectors into each other, or those of value 0 out of the space that all of them span, \
          must not change the function by more than `tolerance`, relative to its cotangents. With a last operand `ds`, the \
          tangents of the values, handed through as well, the function weighs vectors by what follows from values: then it \
          fails wherever values that count are equal, or 0 beside vectors that do not span all.",
    operands: &["equal", "du", "u", "more…"],
    slots: &[Slot::required("tolerance", SlotKind::Float)],
    infer: |cx| {
        if !matches!(cx.len(), 3 | 4 | 6 | 7) {
            return Err(Error::new(
                Code::E0210,
                format!("`linalg.gauge` takes 3, 4, 6 or 7 operands, not {}", cx.len()),
            )
            .help("they are equal, du, u, then zero, dvt, vt, then ds"));
        }
        let mut out = vec![];
        for i in (0..cx.len() / 3 * 3).step_by(3) {
            cx.want_dtype(i, |d| d == DType::Bool, "bool")?;
            cx.want_field(i + 1)?;
            cx.same_operands(i + 1, i + 2)?;
            let (mask, x) = (cx.ty(i)?, cx.ty(i + 1)?);
            if x.rank() < 2 || mask.rank() != x.rank() {
                let (a, b) = (cx.show(&mask), cx.show(&x));
                return Err(Error::new(
                    Code::E0205,
                    format!("`linalg.gauge` takes matrices of equal rank, not {a} and {b}"),
                )
                .operand(i));
            }
            out.push(x);
        }
        if cx.len() % 3 == 1 {
            let last = cx.len() - 1;
            cx.want_dtype(last, DType::is_float, "real floating numbers")?;
            out.push(cx.ty(last)?);
        }
        Ok(out)
    },
    linearize: Linearize::Rule(|cx, o| {
        let op = cx.op(o);
        cx.copy_primal(o)?;
        for (&y, x) in op.results.iter().zip(handed(&op.operands)) {
            let d = cx.tangent(x);
            cx.set_tangent(y, d)?;
        }
        Ok(())
    }),
    transpose: Transpose::Rule(transpose),
    expand: Expand::Composite(|_, new| Ok(handed(&new.operands))),
    batch: Batch::Expand,
    law: Law::Holds {
        state: |cx| {
            let n = cx.operands().len();
            let sides = (0..n / 3).map(|i| (i, 3 * i + 1));
            laws::handed(cx, &sides.chain((n % 3 == 1).then_some((n / 3, n - 1))).collect::<Vec<_>>())
        },
        hard: |_| Ok(vec![]),
    },
    sample,
    ..OpDef::BASE
};

/// What is handed through: `du`, `dvt`, `ds`.
fn handed(operands: &[ValueId]) -> Vec<ValueId> {
    let last = operands.last().copied().filter(|_| operands.len() % 3 == 1);
    let sides = operands[..operands.len() / 3 * 3].chunks(3).map(|c| c[1]);
    sides.chain(last).collect()
}

/// A function that does not change when vectors of one value are turned into each other by `exp X`, `X` skew-Hermitian,
/// has `⟨Ū, U X⟩ + ⟨V̄, V X⟩ = 0` for each such `X`: the skew part of `Uᴴ Ū + Vᴴ V̄` vanishes between them. For value 0, `u`
/// and `v` turn separately, so the skew part of the difference vanishes too, and so does what `Ū` has outside the span of
/// `u` there.
fn transpose(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let sides = op.operands.len() / 3;
    let mut cts = vec![None; op.operands.len()];
    for (i, c) in ct.iter().enumerate() {
        let x = if i < sides { 3 * i + 1 } else { 3 * sides };
        cts[x] = c.filter(|_| cx.linear(op.operands[x]));
    }
    let tolerance = match op.attrs.get("tolerance") {
        Some(Attr::Float(t)) => *t,
        _ => 0.0,
    };
    let zero = match op.operands.get(3).filter(|_| sides == 2) {
        Some(&z) => Some(cx.val(z)?),
        None => None,
    };
    let mut turned = [None, None];
    let mut outside = vec![];
    let mut size = None;
    for (i, c) in ct.iter().enumerate().take(sides) {
        let Some(c) = *c else { continue };
        let x = cx.val(op.operands[3 * i + 2])?;
        let b = &mut cx.b;
        let w = if i == 0 { hm(b, x, c)? } else { mh(b, c, x)? };
        let ty = b.ty(x);
        if let Some(zero) = zero.filter(|_| ty.dims[0] != ty.dims[1]) {
            let inside = if i == 0 { mm(b, x, w)? } else { mm(b, w, x)? };
            let rest = b.sub(c, inside)?;
            let zero = diagonal(b, zero)?;
            let mask = along(b, zero, &ty, 1 - i)?;
            outside.push((mask, rest));
        }
        // `vt` stands for `Vᴴ`: its cotangent turns by −X.
        let w = if i == 0 { w } else { b.neg(w)? };
        let back = adjoint(b, w)?;
        turned[i] = Some(b.sub(w, back)?);
        let a = b.abs(c)?;
        let a = b.reduce_sum(a, &[0, 1])?;
        size = Some(match size {
            Some(s) => b.add(s, a)?,
            None => a,
        });
    }
    let Some(size) = size else { return Ok(cts) };
    let equal = cx.val(op.operands[0])?;
    let mut terms = outside;
    if let ([Some(x), Some(y)], Some(zero)) = (turned, zero) {
        terms.push((equal, cx.b.add(x, y)?));
        terms.push((zero, cx.b.sub(x, y)?));
    } else if let Some(x) = turned[0].or(turned[1]) {
        terms.push((equal, x));
        terms.extend(zero.map(|zero| (zero, x)));
    }
    for (mask, rest) in terms {
        check(&mut cx.b, mask, rest, size, tolerance, CHOSEN)?;
    }
    if op.operands.len() % 3 == 1 {
        let spans = (0..sides).all(|i| {
            let ty = cx.src.ty(op.operands[3 * i + 2]);
            ty.dims[0] == ty.dims[1] && !(ty.dtype.is_complex() && sides == 2)
        });
        let zero = zero.filter(|_| !spans);
        none_equal(&mut cx.b, (equal, zero), ct)?;
    }
    Ok(cts)
}
const CHOSEN: &str = "the gradient depends on which singular or eigenvectors of equal values were chosen; make the function \
    independent of that choice, or set `degenerate = damp`";
/// Fails where two values are equal, or one is 0 in `zero`, and neither the cotangents of their vectors nor their own are 0.
fn none_equal(b: &mut Builder, (equal, zero): (ValueId, Option<ValueId>), ct: &[Option<ValueId>]) -> Result<()> {
    let mut used: Option<ValueId> = None;
    let last = ct.len() - 1;
    for (i, c) in ct.iter().enumerate() {
        let Some(c) = *c else { continue };
        let a = b.abs(c)?;
        let a = if i == last { a } else { b.reduce_sum(a, &[i])? };
        used = Some(match used {
            Some(u) => b.add(u, a)?,
            None => a,
        });
    }
    let Some(used) = used else { return Ok(()) };
    let ty = b.ty(equal);
    let nothing = b.like(used, 0.0)?;
    let used = b.gt(used, nothing)?;
    let (i, j) = (along(b, used, &ty, 0)?, along(b, used, &ty, 1)?);
    let both = b.and(i, j)?;
    let off = super::divided::off_diagonal(b, &ty)?;
    let mut bad = b.and(equal, off)?;
    if let Some(zero) = zero {
        bad = b.or(bad, zero)?;
    }
    let bad = b.and(bad, both)?;
    let good = b.not(bad)?;
    asserted(b, good, super::known::UNKNOWN)
}
/// Fails where `|x|` is more than `tolerance · size`, under `mask`. NaN passes: it is not silent.
pub(super) fn check(
    b: &mut Builder,
    mask: ValueId,
    x: ValueId,
    size: ValueId,
    tolerance: f64,
    text: &str,
) -> Result<()> {
    let a = b.abs(x)?;
    let ty = b.ty(a);
    let tolerance = b.like(size, tolerance)?;
    let most = b.mul(size, tolerance)?;
    let most = super::super::reduce::expand(b, most, &ty, &[0, 1])?;
    let over = b.gt(a, most)?;
    let bad = b.and(mask, over)?;
    let good = b.not(bad)?;
    asserted(b, good, text)
}
/// A check that reports a derivative which depends on a choice (`E1221`).
fn asserted(b: &mut Builder, good: ValueId, text: &str) -> Result<()> {
    let check = NewOp::new(&CHECK, &[good]).attr("message", Attr::Str(text.into()));
    b.emit(check.attr("about", Attr::word("gauge")))?;
    Ok(())
}

fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let (x, mask) = (cx.ty(&[3, 2]), Type::exact(DType::Bool, &[2, 2]));
    let values = Type::exact(cx.dtype.real(), &[2]);
    let one = |n: usize, weighted: bool| {
        let mut params = vec![(x.clone(), Domain::Any); n];
        params.extend(weighted.then(|| (values.clone(), Domain::Any)));
        cx.program(&params, |b, x| {
            let none = b.zeros(&mask)?;
            let mut operands = vec![none, x[0], x[1]];
            if n == 4 {
                let (z, w) = (adjoint(b, x[2])?, adjoint(b, x[3])?);
                operands.extend([none, z, w]);
            }
            operands.extend(x.get(n));
            b.emit(NewOp::new(&GAUGE, &operands).attr("tolerance", Attr::Float(1e-8)))
        })
    };
    Ok(vec![one(2, false)?, one(4, false)?, one(2, true)?, one(4, true)?])
}
