//! The singular value decomposition and its derivative.
use super::*;

/// `linalg.svd`.
pub static SVD: OpDef = OpDef {
    name: "linalg.svd",
    doc: "Singular value decomposition `a = u · diag(s) · vt` of matrices `m × n`, with `k = min(m, n)` columns of `u`, singular \
          values in descending order, and rows of `vt` (which is `vᴴ`). In each column of `u` the first entry whose modulus \
          is at least 0.999 of the largest is real and positive.\n\n`on_fail`: a matrix with a NaN or an infinity, or one on which the \
          iteration does not converge, is an error (`E0740`), or gives NaN.\n\nDerivative: where singular values are equal, \
          or zero, singular vectors are not functions of `a`. Values count as equal where they differ by at most `eps` times the \
          largest (default: 512 units in the last place). With `degenerate = error`, `u · diag(f(s)) · vt`, `u · diag(f(s)) · uᴴ` and \
          `vtᴴ · diag(f(s)) · vt` with an elementwise `f`, and gradients of symmetric functions of `s`, have their derivatives \
          there all the same. Terms between vectors of equal values are dropped elsewhere, which is right for what depends on \
          vectors alone, and not on their choice; a derivative that multiplies vectors with functions of values in other ways, \
          and, in reverse, one that depends on the choice of vectors, fails when it runs (`E1221`). What cannot be seen: forward, \
          a dependence on the choice of vectors. With `degenerate = damp` reciprocals `1/x` of differences are `x/(x² + eps²)`, \
          relative to the largest value, and nothing fails.",
    operands: &["a"],
    slots: &[ON_FAIL, DEGENERATE, EPS],
    infer: |cx| {
        let a = matrices(cx)?;
        check_eps(cx)?;
        let k = Extent::min(&a.dims[0], &a.dims[1])?;
        let batch = a.without(&[0, 1]);
        let s = batch.with_axis(0, k.clone()).with_dtype(a.dtype.real());
        let u = batch.with_axis(0, k.clone()).with_axis(0, a.dims[0].clone());
        let vt = batch.with_axis(0, a.dims[1].clone()).with_axis(0, k);
        Ok(vec![u, s, vt])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize),
    prepare: Prepare::Whole,
    batch: Batch::Rule(trailing),
    law: Law::Holds { state: laws::svd, hard: |cx| hard::factorisation(cx, |_| true, &[Attrs::none()]) },
    sample,
    ..OpDef::BASE
};

/// With `P = Uᴴ dA V`, `H` its Hermitian and `K` its skew part,
///
/// `dS = Re diag P`, `Ω_U = F∘H + G∘K`, `Ω_V = F∘H − G∘K`, where `F_ij = 1/(s_j − s_i)`, `G_ij = 1/(s_i + s_j)`,
///
/// `dU = U Ω_U + (I − U Uᴴ) dA V S⁻¹`, `dV = V Ω_V + (I − V Vᴴ) dAᴴ U S⁻¹`.
///
/// Townsend, *Differentiating the singular value decomposition* (2016), in the form that splits `P` into parts, so that only
/// `F` has to do with gauge (compare Seeger et al., arXiv:1710.08717); complex as in Wan & Zhang, arXiv:1909.02659. There the
/// diagonal of `Ω_U − Ω_V` is `i Im P_ii / s_i` and that of the sum is free: here it is
/// 0, which shares the phase evenly between `u` and `v`. A truncated decomposition is this one with zero cotangents of
/// what is discarded: pairs (kept, discarded) and the complement are all in `P` (Francuz et al., arXiv:2311.11894).
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let Some(da) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let &[u, s, vt] = primals.as_slice() else { return Ok(()) };
    let damp = op.attrs.word("degenerate") == Some("damp");
    let p = cx.p();
    let dtype = p.ty(u).dtype;
    let eps = eps_of(&op.attrs, dtype);
    let f = factors(p, s, dtype, eps, damp)?;
    let (tall, wide) =
        (p.func().ty(u).dims[0] != p.func().ty(u).dims[1], p.func().ty(vt).dims[0] != p.func().ty(vt).dims[1]);
    let mut inverse = [None, None];
    if tall || wide {
        let scale = scale_of(p, s)?;
        let (r, _) = reciprocal(p, s, scale, eps, damp)?;
        let r = p.convert(r, dtype)?;
        for (axis, (need, like)) in [(tall, u), (wide, vt)].into_iter().enumerate() {
            if need {
                let ty = p.ty(like);
                inverse[axis] = Some(along(p, r, &ty, 1 - axis)?);
            }
        }
    }
    let (ru, rvt) = (cx.residual(u)?, cx.residual(vt)?);
    let (rf, rg) = (cx.residual(f.minus)?, cx.residual(f.plus)?);
    let inverse = [inverse[0].map(|x| cx.residual(x)).transpose()?, inverse[1].map(|x| cx.residual(x)).transpose()?];
    let checks = if damp { None } else { Some([cx.residual(f.equal)?, cx.residual(f.zero)?]) };
    let vectors = [op.results[0], op.results[2]];
    let weighted = !damp && weighted::weighted(&cx.src, o, &vectors, &op.results[1..2]);
    let t = cx.t();
    // A product of its own: its transpose is `u · diag(d) · vt`, which is a function of `a` again.
    let w = hm(t, ru, da)?;
    let pairs = mh(t, w, rvt)?;
    let ds = diagonal(t, pairs)?;
    let mut ds = real_part(t, ds)?;
    let w = hm(t, ru, da)?;
    let pairs = mh(t, w, rvt)?;
    let back = adjoint(t, pairs)?;
    let (mut sum, mut diff) = (t.add(pairs, back)?, t.sub(pairs, back)?);
    let tolerance = tolerance(&op.attrs, dtype);
    let known = |t: &mut Builder, x: ValueId, unknown: ValueId| match weighted {
        true => t.emit1(NewOp::new(&KNOWN, &[x, unknown]).attr("tolerance", tolerance.clone())),
        false => Ok(x),
    };
    if let Some([equal, zero]) = checks.filter(|_| weighted) {
        let ty = t.ty(equal);
        let off = divided::off_diagonal(t, &ty)?;
        let apart = t.and(equal, off)?;
        (sum, diff) = (known(t, sum, apart)?, known(t, diff, zero)?);
    }
    let (h, k) = (t.mul(rf, sum)?, t.mul(rg, diff)?);
    let (left, right) = (t.add(h, k)?, t.sub(k, h)?);
    let mut du = mm(t, ru, left)?;
    let mut dvt = mm(t, right, rvt)?;
    if let Some(inv) = inverse[0] {
        let x = mh(t, da, rvt)?;
        let inside = mm(t, ru, pairs)?;
        let out = t.sub(x, inside)?;
        let out = match checks {
            Some([_, zero]) => {
                let (zero, ty) = (diagonal(t, zero)?, t.ty(out));
                let unknown = along(t, zero, &ty, 1)?;
                known(t, out, unknown)?
            }
            None => out,
        };
        let out = t.mul(inv, out)?;
        du = t.add(du, out)?;
    }
    if let Some(inv) = inverse[1] {
        let inside = mm(t, pairs, rvt)?;
        let out = t.sub(w, inside)?;
        let out = match checks {
            Some([_, zero]) => {
                let (zero, ty) = (diagonal(t, zero)?, t.ty(out));
                let unknown = along(t, zero, &ty, 0)?;
                known(t, out, unknown)?
            }
            None => out,
        };
        let out = t.mul(inv, out)?;
        dvt = t.add(dvt, out)?;
    }
    if let Some([equal, zero]) = checks {
        let mut operands = vec![equal, du, ru, zero, dvt, rvt];
        operands.extend(weighted.then_some(ds));
        let out = t.emit(NewOp::new(&GAUGE, &operands).attr("tolerance", tolerance))?;
        (du, dvt) = (out[0], out[1]);
        ds = out.get(2).copied().unwrap_or(ds);
    }
    cx.set_tangent(op.results[0], Some(du))?;
    cx.set_tangent(op.results[1], Some(ds))?;
    cx.set_tangent(op.results[2], Some(dvt))
}
/// Halves of `F` and `G` (the Hermitian part is half of a sum), and where they stand for 0.
struct Factors {
    minus: ValueId,
    plus: ValueId,
    equal: ValueId,
    zero: ValueId,
}
fn factors(p: &mut Builder, s: ValueId, dtype: DType, eps: f64, damp: bool) -> Result<Factors> {
    let ty = pairs_type(&p.ty(s));
    let scale = scale_of(p, s)?;
    let scale = along(p, scale, &ty, 0)?;
    let (i, j) = (along(p, s, &ty, 0)?, along(p, s, &ty, 1)?);
    let (gap, sum) = (p.sub(j, i)?, p.add(i, j)?);
    let (minus, equal) = reciprocal(p, gap, scale, eps, damp)?;
    let (plus, zero) = reciprocal(p, sum, scale, eps, damp)?;
    let half = p.like(minus, 0.5)?;
    let (minus, plus) = (p.mul(half, minus)?, p.mul(half, plus)?);
    Ok(Factors { minus: p.convert(minus, dtype)?, plus: p.convert(plus, dtype)?, equal, zero })
}

/// What does not depend on signs and phases: singular values, `u g(s) vt` for a `g` that is not linear, `|u|²`.
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let mut out = vec![];
    for (i, shape) in SHAPES.iter().enumerate() {
        let mut attrs = Attrs::none();
        if i % 3 == 1 {
            attrs.set("degenerate", Attr::word("damp"));
            attrs.set("eps", Attr::Float(1e-13));
        }
        out.push(cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
            let a = spread(b, x[0])?;
            let r = b.emit(NewOp::new(&SVD, &[a]).attrs(attrs.clone()))?;
            let &[u, s, vt] = r.as_slice() else { return Ok(r) };
            let g = b.log1p(s)?;
            let g = b.convert(g, cx.dtype)?;
            let ty = b.ty(u);
            let g = along(b, g, &ty, 1)?;
            let ug = b.mul(u, g)?;
            let y = mm(b, ug, vt)?;
            let size = b.abs(u)?;
            let size = b.mul(size, size)?;
            Ok(vec![s, y, size])
        })?);
    }
    Ok(out)
}
