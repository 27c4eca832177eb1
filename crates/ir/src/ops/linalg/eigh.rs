//! Eigenvalues and eigenvectors of Hermitian matrices, and their derivative.
use super::*;
use crate::diag::Part;

/// `linalg.eigh`.
pub static EIGH: OpDef = OpDef {
    name: "linalg.eigh",
    doc: "Eigenvalues and eigenvectors of Hermitian matrices, `a · v = v · diag(w)`. Of a matrix that is not Hermitian its \
          Hermitian part `(a + aᴴ)/2` is taken, as in JAX. `w` ascends, or, with `order = modulus`, descends in modulus (the positive \
          one of two equal ones first). In each column of `v` the first entry whose modulus is at least 0.999 of the largest is real and \
          positive.\n\n`on_fail`, `degenerate` and `eps` are those of `linalg.svd`, with eigenvalues in the place of \
          singular values.",
    operands: &["a"],
    slots: &[
        Slot::with_default("order", SlotKind::Word(&["ascending", "modulus"]), SlotDefault::Word("ascending")),
        ON_FAIL,
        DEGENERATE,
        EPS,
    ],
    infer: |cx| {
        let a = matrices(cx)?;
        check_eps(cx)?;
        cx.equal(&a.dims[0], &a.dims[1], Part::Operand(0), || "rows and columns of operand 0".into())?;
        let n = a.dims[0].clone();
        let batch = a.without(&[0, 1]);
        let v = batch.with_axis(0, n.clone()).with_axis(0, n.clone());
        Ok(vec![batch.with_axis(0, n).with_dtype(a.dtype.real()), v])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize),
    prepare: Prepare::Whole,
    batch: Batch::Rule(trailing),
    law: Law::Holds {
        state: laws::eigh,
        hard: |cx| {
            let by_modulus = Attrs::of([("order", Attr::word("modulus"))]);
            hard::factorisation(cx, hard::Hard::is_square, &[Attrs::none(), by_modulus])
        },
    },
    sample,
    ..OpDef::BASE
};

/// With `P = Vᴴ (dA + dAᴴ) V / 2`: `dw = diag P`, `dV = V (F∘P)`, where `F_ij = 1/(w_j − w_i)` (Giles 2008, §3.1). The diagonal of
/// `Vᴴ dV` is 0.
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let Some(da) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let &[w, v] = primals.as_slice() else { return Ok(()) };
    let damp = op.attrs.word("degenerate") == Some("damp");
    let p = cx.p();
    let dtype = p.ty(v).dtype;
    let ty = pairs_type(&p.ty(w));
    let scale = scale_of(p, w)?;
    let scale = along(p, scale, &ty, 0)?;
    let (i, j) = (along(p, w, &ty, 0)?, along(p, w, &ty, 1)?);
    let gap = p.sub(j, i)?;
    let (f, equal) = reciprocal(p, gap, scale, eps_of(&op.attrs, dtype), damp)?;
    let f = p.convert(f, dtype)?;
    let (rv, rf) = (cx.residual(v)?, cx.residual(f)?);
    let equal = if damp { None } else { Some(cx.residual(equal)?) };
    let weighted = !damp && weighted::weighted(&cx.src, o, &op.results[1..2], &op.results[..1]);
    let t = cx.t();
    let hermitian = |t: &mut Builder| -> Result<ValueId> {
        let right = mm(t, da, rv)?;
        let pairs = hm(t, rv, right)?;
        let back = adjoint(t, pairs)?;
        let sum = t.add(pairs, back)?;
        let half = t.like(sum, 0.5)?;
        t.mul(half, sum)
    };
    // A product of its own: its transpose is `v · diag(d) · vᴴ`, which is a function of `a` again.
    let right = mm(t, da, rv)?;
    let dw = hm(t, rv, right)?;
    let dw = diagonal(t, dw)?;
    let mut dw = real_part(t, dw)?;
    let mut pairs = hermitian(t)?;
    let tolerance = tolerance(&op.attrs, dtype);
    if let Some(equal) = equal.filter(|_| weighted) {
        let ty = t.ty(equal);
        let off = divided::off_diagonal(t, &ty)?;
        let apart = t.and(equal, off)?;
        pairs = t.emit1(NewOp::new(&KNOWN, &[pairs, apart]).attr("tolerance", tolerance.clone()))?;
    }
    let turn = t.mul(rf, pairs)?;
    let mut dv = mm(t, rv, turn)?;
    if let Some(equal) = equal {
        let mut operands = vec![equal, dv, rv];
        operands.extend(weighted.then_some(dw));
        let out = t.emit(NewOp::new(&GAUGE, &operands).attr("tolerance", tolerance))?;
        dv = out[0];
        dw = out.get(1).copied().unwrap_or(dw);
    }
    cx.set_tangent(op.results[0], Some(dw))?;
    cx.set_tangent(op.results[1], Some(dv))
}

/// What does not depend on signs and phases: eigenvalues, `v g(w) vᴴ`, `|v|²`.
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let shapes: &[&[usize]] = &[&[3, 3], &[2, 2], &[1, 1], &[0, 0], &[4, 4, 2], &[2, 2, 1, 2]];
    let mut out = vec![];
    for (i, shape) in shapes.iter().enumerate() {
        let mut attrs = Attrs::none();
        if i % 2 == 1 {
            attrs.set("degenerate", Attr::word("damp"));
            attrs.set("order", Attr::word("modulus"));
        }
        out.push(cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
            let a = spread(b, x[0])?;
            let r = b.emit(NewOp::new(&EIGH, &[a]).attrs(attrs.clone()))?;
            let &[w, v] = r.as_slice() else { return Ok(r) };
            let g = b.sin(w)?;
            let g = b.convert(g, cx.dtype)?;
            let ty = b.ty(v);
            let g = along(b, g, &ty, 1)?;
            let vg = b.mul(v, g)?;
            let y = mh(b, vg, v)?;
            let size = b.abs(v)?;
            let size = b.mul(size, size)?;
            Ok(vec![w, y, size])
        })?);
    }
    Ok(out)
}
