//! The check that a gradient does not depend on which of several equally good vectors a factorisation has chosen.
use super::*;
use crate::ops::extents::CHECK;

/// `linalg.gauge`.
pub static GAUGE: OpDef = OpDef {
    name: "linalg.gauge",
    doc: "The tangents `du` (and `dvt`) of singular or eigenvectors, unchanged. Made by derivatives. Its transpose first \
          checks that the cotangents do not depend on the choice of vectors of equal values (`equal`, and `zero` for those \
          of singular value 0): turning such vectors into each other, or those of value 0 out of the space that all of them span, \
          must not change the function by more than `tolerance`, relative to its cotangents.",
    operands: &["equal", "du", "u", "more…"],
    slots: &[Slot::required("tolerance", SlotKind::Float)],
    infer: |cx| {
        if !matches!(cx.len(), 3 | 6) {
            return Err(Error::new("E0210", format!("`linalg.gauge` takes 3 or 6 operands, not {}", cx.len()))
                .help("they are equal, du, u, and zero, dvt, vt"));
        }
        let mut out = vec![];
        for i in (0..cx.len()).step_by(3) {
            cx.want_dtype(i, |d| d == DType::Bool, "bool")?;
            cx.want_dtype(i + 1, DType::is_inexact, "real or complex floating numbers")?;
            cx.same_operands(i + 1, i + 2)?;
            let (mask, x) = (cx.ty(i)?, cx.ty(i + 1)?);
            if x.rank() < 2 || mask.rank() != x.rank() {
                let (a, b) = (cx.show(&mask), cx.show(&x));
                return Err(Error::new(
                    "E0205",
                    format!("`linalg.gauge` takes matrices of equal rank, not {a} and {b}"),
                )
                .operand(i));
            }
            out.push(x);
        }
        Ok(out)
    },
    linearize: Linearize::Rule(|cx, o| {
        let op = cx.op(o);
        cx.copy_primal(o)?;
        for (i, &y) in op.results.iter().enumerate() {
            let d = cx.tangent(op.operands[3 * i + 1]);
            cx.set_tangent(y, d)?;
        }
        Ok(())
    }),
    transpose: Transpose::Rule(transpose),
    expand: Expand::Composite(|_, new| Ok(new.operands.iter().skip(1).step_by(3).copied().collect())),
    sample,
    ..OpDef::BASE
};

/// A function that does not change when vectors of one value are turned into each other by `exp X`, `X` skew-Hermitian,
/// has `⟨Ū, U X⟩ + ⟨V̄, V X⟩ = 0` for each such `X`: the skew part of `Uᴴ Ū + Vᴴ V̄` vanishes between them. For value 0, `u`
/// and `v` turn separately, so the skew part of the difference vanishes too, and so does what `Ū` has outside the span of
/// `u` there.
fn transpose(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let mut cts = vec![None; op.operands.len()];
    for (i, c) in ct.iter().enumerate() {
        cts[3 * i + 1] = c.filter(|_| cx.linear(op.operands[3 * i + 1]));
    }
    let tolerance = match op.attrs.get("tolerance") {
        Some(Attr::Float(t)) => *t,
        _ => 0.0,
    };
    let zero = match op.operands.get(3) {
        Some(&z) => Some(cx.val(z)?),
        None => None,
    };
    let mut turned = [None, None];
    let mut outside = vec![];
    let mut size = None;
    for (i, c) in ct.iter().enumerate().take(2) {
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
        check(&mut cx.b, mask, rest, size, tolerance)?;
    }
    Ok(cts)
}
/// Fails where `|x|` is more than `tolerance · size`, under `mask`. NaN passes: it is not silent.
fn check(b: &mut Builder, mask: ValueId, x: ValueId, size: ValueId, tolerance: f64) -> Result<()> {
    let a = b.abs(x)?;
    let ty = b.ty(a);
    let tolerance = b.like(size, tolerance)?;
    let most = b.mul(size, tolerance)?;
    let most = super::super::reduce::expand(b, most, &ty, &[0, 1])?;
    let over = b.gt(a, most)?;
    let bad = b.and(mask, over)?;
    let good = b.not(bad)?;
    let text = "the gradient depends on which singular or eigenvectors of equal values were chosen; make \
                the function independent of that choice, or set `degenerate = damp`";
    b.emit(NewOp::new(&CHECK, &[good]).attr("message", Attr::Str(text.into())))?;
    Ok(())
}

fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    let (x, mask) = (cx.ty(&[3, 2]), Type::exact(DType::Bool, &[2, 2]));
    let one = |n: usize| {
        cx.program(&vec![(x.clone(), Domain::Any); n], |b, x| {
            let none = b.zeros(&mask)?;
            let mut operands = vec![none, x[0], x[1]];
            if let [_, _, z, w] = x {
                let (z, w) = (adjoint(b, *z)?, adjoint(b, *w)?);
                operands.extend([none, z, w]);
            }
            b.emit(NewOp::new(&GAUGE, &operands).attr("tolerance", Attr::Float(1e-8)))
        })
    };
    Ok(vec![one(2)?, one(4)?])
}
