//! QR factorisation as reflections, packed as LAPACK packs them, products with them, and their derivatives.
use super::lu::unit_lower;
use super::triangular::{Triangular, solve};
use super::*;
use crate::code::Code;
use crate::diag::Part;
use crate::ops::constant::IOTA;
use crate::ops::shape::{EMBED_DIAG, PAD_SUFFIX, TRIL, TRIU};

/// `linalg.qr_factor`.
pub static QR_FACTOR: OpDef = OpDef {
    name: "linalg.qr_factor",
    doc: "QR factorisation of matrices `m × n` by `k = min(m, n)` reflections, as LAPACK's `geqrf` packs them: `a = H₁ H₂ … H_k · r`, \
          `H_j = 1 − tau_j v_j v_jᴴ`. `qr` (`m × n`) holds the upper triangle (trapezoid) `r`, whose diagonal is real, and, below it, \
          `v_j` in column `j` behind its leading 1; `tau` (`[k]`) the factors. A column that has nothing below the diagonal (and is real \
          on it) is not reflected: its `tau` is 0. `linalg.qr_multiply` multiplies with the reflections.\n\n`on_fail`: a matrix with a \
          NaN or an infinity is an error (`E0740`), or gives NaN.\n\nDerivative: that of `linalg.qr`, and NaN where that is. Where a \
          `tau_j` is 0 with rows below row `j`, the sign of the reflection is not continuous: `v_j` and what follows have no \
          derivative, and it is NaN; that of `r` stands.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| {
        let a = matrices(cx)?;
        let k = Extent::min(&a.dims[0], &a.dims[1])?;
        let tau = a.without(&[0, 1]).with_axis(0, k);
        Ok(vec![a, tau])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize),
    batch: Batch::Rule(trailing),
    law: Law::Holds {
        state: laws::householder::qr_factor,
        hard: |cx| hard::factorisation(cx, |_| true, &[Attrs::none()]),
    },
    sample: |cx| super::qr::sample(cx, SHAPES),
    ..OpDef::BASE
};
/// `linalg.qr_multiply`.
pub static QR_MULTIPLY: OpDef = OpDef {
    name: "linalg.qr_multiply",
    doc: "Product `q · c` of reflections with matrices, or `qᴴ · c` with `adjoint = true`: `q = H₁ H₂ … H_k`, `H_j = 1 − tau_j v_j v_jᴴ`, \
          where `v_j` is column `j` of `qr` below its diagonal, behind a 1 (the rest of `qr` is not read), as `linalg.qr_factor` gives \
          them. `qr` is `m × n` with at least `k` rows and columns, `tau` is `[k]`, `c` is `m × p`. Of an identity `c` the product is \
          LAPACK's `orgqr`. Any `v` and `tau` will do: where `H_j` is not unitary, `qᴴ` is the adjoint, not the inverse.",
    operands: &["qr", "tau", "c"],
    slots: &[Slot::with_default("adjoint", SlotKind::Bool, SlotDefault::Bool(false))],
    infer: infer_multiply,
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    expand: Expand::Composite(|b, new| {
        let &[qr, tau, c] = new.operands.as_slice() else { return Ok(vec![]) };
        Ok(vec![multiply(b, qr, tau, c, new.attrs.flag("adjoint"))?])
    }),
    law: Law::Holds { state: laws::householder::qr_multiply, hard: hard_products },
    sample: sample_multiply,
    ..OpDef::BASE
};

fn infer_multiply(cx: &mut InferCx) -> Result<Vec<Type>> {
    let a = matrices(cx)?;
    let (tau, c) = (cx.ty(1)?, cx.ty(2)?);
    for (i, ty) in [(1, &tau), (2, &c)] {
        if ty.dtype != a.dtype {
            let text = format!("operands 0 and {i}: dtypes differ: {} and {}", cx.show(&a), cx.show(ty));
            return Err(Error::new(Code::E0202, text)
                .operand(i)
                .help("nothing is promoted in the IR: insert `convert`"));
        }
        if ty.rank() != a.rank() - (2 - i) {
            let text = format!("operands 0 and {i}: ranks do not fit: {} and {}", cx.show(&a), cx.show(ty));
            return Err(Error::new(Code::E0205, text)
                .operand(i)
                .help("`tau` has one axis less than the matrices, of which a vector is one of one column"));
        }
    }
    let k = tau.dims[0].clone();
    for n in [&a.dims[0], &a.dims[1]] {
        cx.demand(&k, CmpOp::Le, n, Part::Operand(1), "the number of reflections, and the extents of operand 0")
            .map_err(|e| e.help("`tau` has at most as many elements as the matrix has rows and columns"))?;
    }
    cx.equal(&a.dims[0], &c.dims[0], Part::Operand(2), || "rows of operands 0 and 2".into())?;
    for i in 2..a.rank() {
        cx.equal(&a.dims[i], &tau.dims[i - 1], Part::Operand(1), || format!("batch axis {i} of operand 0"))?;
        cx.equal(&a.dims[i], &c.dims[i], Part::Operand(2), || format!("batch axis {i} of operand 0"))?;
    }
    Ok(vec![c])
}

/// `s` times each row: row `i` of `x` by `s_i`.
fn rows_times(b: &mut Builder, s: ValueId, x: ValueId) -> Result<ValueId> {
    let ty = b.ty(x);
    let s = along(b, s, &ty, 0)?;
    b.mul(s, x)
}
/// Zeros behind, up to `n` along an axis.
fn padded(b: &mut Builder, x: ValueId, axis: usize, n: &Extent) -> Result<ValueId> {
    let ty = b.ty(x);
    if ty.dims[axis] == *n {
        return Ok(x);
    }
    let whole = ty.without(&[axis]).with_axis(axis, n.clone());
    b.emit1(NewOp::new(&PAD_SUFFIX, &[x]).attr("axis", Attr::Int(axis as i64)).types(vec![whole]))
}
/// The vectors of the first `k` reflections: `m × k`, unit lower trapezoidal.
pub(super) fn vectors(b: &mut Builder, qr: ValueId, k: &Extent) -> Result<ValueId> {
    let v = b.take_prefix(qr, 1, k)?;
    unit_lower(b, v)
}
/// `diag(tau) · striu(vᴴ v)`, the strict upper triangle of a unit triangular matrix `u` with `t = u⁻¹ · diag(tau)` and `H₁ … H_k = 1 − v t vᴴ`
/// (the recursion of Schreiber & Van Loan 1989 in one equation; no `tau` divides).
fn coupled(b: &mut Builder, v: ValueId, tau: ValueId) -> Result<ValueId> {
    let gram = hm(b, v, v)?;
    let above = b.emit1(NewOp::new(&TRIU, &[gram]).attr("k", Attr::Int(1)))?;
    rows_times(b, tau, above)
}
/// Systems with that matrix.
const COUPLED: Triangular = Triangular { left: true, lower: false, transpose: false, conj: false, unit: true };

/// `c − v t vᴴ c`, or with the adjoint of `t`.
fn multiply(b: &mut Builder, qr: ValueId, tau: ValueId, c: ValueId, adjoint: bool) -> Result<ValueId> {
    let k = b.ty(tau).dims[0].clone();
    let v = vectors(b, qr, &k)?;
    let u = coupled(b, v, tau)?;
    let w = hm(b, v, c)?;
    let w = if adjoint {
        let complex = b.ty(u).dtype.is_complex();
        let w = solve(b, u, w, Triangular { transpose: true, conj: complex, ..COUPLED })?;
        let tau = b.conj_if_complex(tau)?;
        rows_times(b, tau, w)?
    } else {
        let w = rows_times(b, tau, w)?;
        solve(b, u, w, COUPLED)?
    };
    let moved = mm(b, v, w)?;
    b.sub(c, moved)
}
/// The first `n` columns of the identity with the rows and batch axes of `like`.
fn identity(b: &mut Builder, like: ValueId, n: &Extent) -> Result<ValueId> {
    let ty = b.ty(like);
    let line = ty.without(&[0, 1]).with_axis(0, n.clone());
    let one = b.splat(&line, 1.0)?;
    let eye = b.emit1(NewOp::new(&EMBED_DIAG, &[one]))?;
    padded(b, eye, 0, &ty.dims[0])
}

/// First `dq` and `dr` as for `linalg.qr`, whose formulas need of the diagonal of `r` only that it is real. Then `v` and `tau` follow from `q`:
/// its first `k` columns are `1 − v · u` with `u = t v₁ᴴ` upper triangular, an LU factorisation without exchanges whose pivots are `tau`
/// (Ballard, Demmel, Grigori, Jacquelin, Knight & Nguyen 2015, §3). With `F = v₁⁻¹ (−dq₁) u⁻¹`: `dv = −dq u⁻¹ − v up(F)`, `dtau = diag(up(F) u)`.
///
/// A pivot that is 0 by the last row has no `v` below it: 1 in its place changes nothing but what is not there.
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let Some(da) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let (qr, tau) = (primals[0], primals[1]);
    let p = cx.p();
    let ty = p.ty(qr);
    let (m, n) = (ty.dims[0].clone(), ty.dims[1].clone());
    let k = Extent::min(&m, &n)?;
    let eye = identity(p, qr, &k)?;
    let q = multiply(p, qr, tau, eye, false)?;
    let top = p.take_prefix(qr, 0, &k)?;
    let r = p.emit1(NewOp::new(&TRIU, &[top]))?;
    let r = super::qr::nan_where_dependent(p, r, &ty.dims)?;
    let v = vectors(p, qr, &k)?;
    let (u, pivots) = pivoting(p, v, tau, &m)?;
    let [rq, rr, rv, ru, pivots] =
        [cx.residual(q)?, cx.residual(r)?, cx.residual(v)?, cx.residual(u)?, cx.residual(pivots)?];
    let k = cx.lin_extent(&k)?;
    let (m, n) = (cx.lin_extent(&m)?, cx.lin_extent(&n)?);
    let t = cx.t();
    let (dq, dr, _) = super::qr::turn(t, da, rq, rr, &k)?;
    let moved = t.neg(dq)?;
    let right = Triangular { left: false, lower: false, transpose: false, conj: false, unit: false };
    let x = solve(t, ru, moved, right)?;
    let (v1, x1) = (t.take_prefix(rv, 0, &k)?, t.take_prefix(x, 0, &k)?);
    let f = solve(t, v1, x1, Triangular { left: true, lower: true, transpose: false, conj: false, unit: true })?;
    let up = t.emit1(NewOp::new(&TRIU, &[f]))?;
    let back = mm(t, rv, up)?;
    let dv = t.sub(x, back)?;
    let dv = t.emit1(NewOp::new(&TRIL, &[dv]).attr("k", Attr::Int(-1)))?;
    let d = diagonal(t, f)?;
    let dtau = t.mul(pivots, d)?;
    let dr = t.emit1(NewOp::new(&TRIU, &[dr]))?;
    let (dr, dv) = (padded(t, dr, 0, &m)?, padded(t, dv, 1, &n)?);
    let dqr = t.add(dr, dv)?;
    cx.set_tangent(op.results[0], Some(dqr))?;
    cx.set_tangent(op.results[1], Some(dtau))
}
/// `u = t v₁ᴴ`, and its diagonal, with 1 for a 0 by the last row, and NaN for any other.
fn pivoting(b: &mut Builder, v: ValueId, tau: ValueId, rows: &Extent) -> Result<(ValueId, ValueId)> {
    let ty = b.ty(tau);
    let v1 = b.take_prefix(v, 0, &ty.dims[0])?;
    let c = coupled(b, v, tau)?;
    let x = adjoint(b, v1)?;
    let x = rows_times(b, tau, x)?;
    let u = solve(b, c, x, COUPLED)?;
    let index = ty.with_dtype(DType::I64);
    let last = b.dim_value(rows.clone())?;
    let one = b.like(last, 1.0)?;
    let last = b.sub(last, one)?;
    let last = b.broadcast(last, &index, &[])?;
    let here = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![index]))?;
    let last = b.eq(here, last)?;
    let (zero, one, nan) = (b.like(tau, 0.0)?, b.like(tau, 1.0)?, b.like(tau, f64::NAN)?);
    let none = b.eq(tau, zero)?;
    let instead = b.select(last, one, nan)?;
    let pivots = b.select(none, instead, tau)?;
    let strict = b.emit1(NewOp::new(&TRIU, &[u]).attr("k", Attr::Int(1)))?;
    let d = b.emit1(NewOp::new(&EMBED_DIAG, &[pivots]))?;
    Ok((b.add(strict, d)?, pivots))
}

/// Reflections of any length, as many as there are and fewer.
fn sample_multiply(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let cases: [([&[usize]; 3], bool); 7] = [
        ([&[3, 2], &[2], &[3, 2]], false),
        ([&[3, 2], &[2], &[3, 1]], true),
        ([&[2, 3], &[1], &[2, 2]], false),
        ([&[3, 3, 2], &[3, 2], &[3, 3, 2]], true),
        ([&[2, 2], &[0], &[2, 2]], false),
        ([&[0, 3], &[0], &[0, 2]], true),
        ([&[1, 1], &[1], &[1, 0]], false),
    ];
    let one = |(shapes, adjoint): &([&[usize]; 3], bool)| {
        let ty = |i: usize| (cx.ty(shapes[i]), Domain::Any);
        cx.program(&[ty(0), ty(1), ty(2)], |b, x| b.emit(NewOp::new(cx.def, x).attr("adjoint", Attr::Bool(*adjoint))))
    };
    cases.iter().map(one).collect()
}
/// Reflections of hard matrices, applied to these.
fn hard_products(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let mut out = vec![];
    for h in hard::matrices().iter().filter(|h| h.is_moderate()) {
        for adjoint in [false, true] {
            out.push(cx.program(&[], |b, _| {
                let a = h.value(b, cx.dtype)?;
                let made = b.emit(NewOp::new(&QR_FACTOR, &[a]))?;
                let &[qr, tau] = made.as_slice() else { return Ok(made) };
                b.emit(NewOp::new(cx.def, &[qr, tau, a]).attr("adjoint", Attr::Bool(adjoint)))
            })?);
        }
    }
    Ok(out)
}
