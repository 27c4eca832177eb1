//! Least squares and the pseudo-inverse. Derivatives are those of functions of the matrix, by formulas of their own: no vectors of a
//! factorisation take part, so nothing is lost where singular values are equal.
use super::triangular::{Triangular, solve};
use super::*;
use crate::code::Code;
use crate::diag::Part;
use crate::ops::reduce::{REDUCE_MAX, expand, reduce};

/// `linalg.pinv`.
pub static PINV: OpDef = OpDef {
    name: "linalg.pinv",
    doc: "Pseudo-inverse of matrices `m × n` (Moore and Penrose), `n × m`, by `linalg.svd`: reciprocals of the singular values that are \
          more than `rtol` times the largest, 0 for the others. `rtol` is `max(m, n)` units in the last place of 1 unless given.\n\n\
          `on_fail`: a matrix with a NaN or an infinity is an error (`E0740`), or gives NaN.\n\nDerivative: `dp = −p da p + p pᴴ daᴴ (1 − a p) \
          + (1 − p a) daᴴ pᴴ p` (Golub & Pereyra 1973, eq. 4.12), that of matrices of the same rank: the number of values that count is \
          locally constant.",
    operands: &["a"],
    slots: &[RTOL, ON_FAIL],
    infer: |cx| {
        let a = matrices(cx)?;
        check_rtol(cx)?;
        let (m, n) = (a.dims[0].clone(), a.dims[1].clone());
        Ok(vec![a.without(&[0, 1]).with_axis(0, m).with_axis(0, n)])
    },
    linearize: Linearize::Rule(linearize_pinv),
    expand: Expand::Composite(|b, new| {
        let &[a] = new.operands.as_slice() else { return Ok(vec![]) };
        let on_fail = Attrs::of(new.attrs.iter().filter(|(k, _)| *k == "on_fail").cloned());
        let made = b.emit(NewOp::new(&SVD, &[a]).attrs(on_fail))?;
        let &[u, s, vt] = made.as_slice() else { return Ok(made) };
        let ty = b.ty(a);
        let least = least(b, s, &ty, &new.attrs)?;
        let counts = b.gt(s, least)?;
        let (zero, one) = (b.like(s, 0.0)?, b.like(s, 1.0)?);
        let safe = b.select(counts, s, one)?;
        let by = b.div(one, safe)?;
        let by = b.select(counts, by, zero)?;
        // A NaN among the values is a matrix that could not be factored.
        let known = b.eq(s, s)?;
        let by = b.select(known, by, s)?;
        let by = b.convert(by, ty.dtype)?;
        let v = adjoint(b, vt)?;
        let columns = b.ty(v);
        let by = along(b, by, &columns, 1)?;
        let v = b.mul(v, by)?;
        Ok(vec![mh(b, v, u)?])
    }),
    law: Law::Holds { state: laws::made::pinv, hard: |_| Ok(vec![]) },
    sample: |cx| {
        of_shapes(cx, SHAPES, |b, a, _| {
            let a = spread(b, a)?;
            b.emit(NewOp::new(&PINV, &[a]))
        })
    },
    ..LEAST
};
/// `linalg.lstsq`.
pub static LSTSQ: OpDef = OpDef {
    name: "linalg.lstsq",
    doc: "Least squares: the `x` (`n × p`) of least norm among those for which `a · x − b` has the least, for matrices `a` (`m × n`) and \
          right-hand sides `b` (`m × p`), column by column. `method = qr`: by the QR factorisations of `a` and of its triangle's adjoint (a \
          complete orthogonal decomposition without pivoting: Golub & Van Loan, §5.4.7), for matrices of full rank; others give \
          infinities and NaN. `method = svd`: by `linalg.pinv`, whose `rtol` it takes, for matrices of any rank.\n\n`on_fail`: a matrix \
          with a NaN or an infinity is an error (`E0740`), or gives NaN.\n\nDerivative: with `p` the pseudo-inverse and `r = b − a x`, `dx = p \
          (db − da x) + p pᴴ daᴴ r + (1 − p a) daᴴ pᴴ x` (Golub & Pereyra 1973, §4), that of matrices of the same rank.",
    operands: &["a", "b"],
    alike: (0, 2),
    slots: &[Slot::with_default("method", SlotKind::Word(&["qr", "svd"]), SlotDefault::Word("qr")), RTOL, ON_FAIL],
    infer: |cx| {
        let a = matrices(cx)?;
        check_rtol(cx)?;
        if cx.attrs().get("rtol").is_some() && cx.attrs().word("method") != Some("svd") {
            return Err(Error::new(
                Code::E1222,
                "`rtol` says nothing to `method = qr`, which takes matrices of full rank",
            )
            .attr("rtol")
            .help("write `method = svd`, or leave it out"));
        }
        super::solve::beside(cx, &a, 1, 0)?;
        let b = cx.ty(1)?;
        cx.equal(&a.dims[0], &b.dims[0], Part::Operand(1), || "rows of operands 0 and 1".into())?;
        Ok(vec![b.without(&[0]).with_axis(0, a.dims[1].clone())])
    },
    linearize: Linearize::Rule(linearize_lstsq),
    expand: Expand::Composite(|b, new| {
        let &[a, rhs] = new.operands.as_slice() else { return Ok(vec![]) };
        if new.attrs.word("method") == Some("svd") {
            let p = pinv(b, a, &new.attrs)?;
            return Ok(vec![mm(b, p, rhs)?]);
        }
        let on_fail = Attrs::of(new.attrs.iter().filter(|(k, _)| *k == "on_fail").cloned());
        let made = b.emit(NewOp::new(&QR, &[a]).attrs(on_fail.clone()))?;
        let &[q, r] = made.as_slice() else { return Ok(made) };
        let y = hm(b, q, rhs)?;
        let complex = b.ty(a).dtype.is_complex();
        let upper = Triangular { left: true, lower: false, transpose: false, conj: false, unit: false };
        let ty = b.ty(r);
        if ty.dims[0] == ty.dims[1] {
            return Ok(vec![solve(b, r, y, upper)?]);
        }
        // `a = q · r₂ᴴ · q₂ᴴ`.
        let turned = adjoint(b, r)?;
        let made = b.emit(NewOp::new(&QR, &[turned]).attrs(on_fail))?;
        let &[q2, r2] = made.as_slice() else { return Ok(made) };
        let y = solve(b, r2, y, Triangular { transpose: true, conj: complex, ..upper })?;
        Ok(vec![mm(b, q2, y)?])
    }),
    sample: |cx| {
        let mut out = vec![];
        for method in ["qr", "svd"] {
            let shapes: &[&[usize]] = &[&[3, 2], &[2, 4], &[3, 3], &[1, 1], &[1, 3], &[3, 1], &[0, 2], &[3, 2, 2]];
            for shape in shapes {
                let mut sides = shape.to_vec();
                sides[1] = 2;
                if !cx.dtype.is_field() {
                    continue;
                }
                let params = [(cx.ty(shape), Domain::Any), (cx.ty(&sides), Domain::Any)];
                out.push(cx.program(&params, |b, x| {
                    let a = spread(b, x[0])?;
                    b.emit(NewOp::new(&LSTSQ, &[a, x[1]]).attr("method", Attr::word(method)))
                })?);
            }
        }
        Ok(out)
    },
    ..LEAST
};

const RTOL: Slot = Slot::optional("rtol", SlotKind::Float);
const LEAST: OpDef = OpDef { effect: Effect::MayFail, batch: Batch::Rule(trailing), law: MADE, ..OpDef::BASE };

fn check_rtol(cx: &InferCx) -> Result<()> {
    match cx.attrs().get("rtol") {
        Some(Attr::Float(t)) if t.is_nan() || *t < 0.0 => {
            Err(Error::new(Code::E0227, format!("`rtol` is at least 0, not {t}")).attr("rtol"))
        }
        _ => Ok(()),
    }
}
/// `rtol` times the largest singular value of each matrix of type `ty`, as often as it has values.
fn least(b: &mut Builder, s: ValueId, ty: &Type, attrs: &Attrs) -> Result<ValueId> {
    let of = b.ty(s);
    let top = reduce(b, &REDUCE_MAX, s, &[0])?;
    let top = expand(b, top, &of, &[0])?;
    let by = match attrs.get("rtol") {
        Some(Attr::Float(t)) => b.like(top, *t)?,
        _ => {
            let most = b.dim_value(Extent::max(&ty.dims[0], &ty.dims[1])?)?;
            let most = b.convert(most, of.dtype)?;
            let ulp = b.like(most, unit(of.dtype))?;
            let most = b.mul(most, ulp)?;
            b.broadcast(most, &of, &[])?
        }
    };
    b.mul(by, top)
}
/// The pseudo-inverse by the attributes of a row that has those of `linalg.pinv`.
fn pinv(b: &mut Builder, a: ValueId, attrs: &Attrs) -> Result<ValueId> {
    let attrs = Attrs::of(attrs.iter().filter(|(k, _)| matches!(*k, "rtol" | "on_fail")).cloned());
    b.emit1(NewOp::new(&PINV, &[a]).attrs(attrs))
}
/// `dᴴ − (dᴴ a) p`: what `dᴴ` has outside the range of `a`.
fn outside(t: &mut Builder, back: ValueId, a: ValueId, p: ValueId) -> Result<ValueId> {
    let x = mm(t, back, a)?;
    let inside = mm(t, x, p)?;
    t.sub(back, inside)
}
/// `x − p (a x)`: what `x` has in the null space of `a`.
fn null(t: &mut Builder, x: ValueId, a: ValueId, p: ValueId) -> Result<ValueId> {
    let ax = mm(t, a, x)?;
    let inside = mm(t, p, ax)?;
    t.sub(x, inside)
}
fn linearize_pinv(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let Some(da) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let p = primals[0];
    let a = cx.primal(op.operands[0])?;
    let gram = mh(cx.p(), p, p)?;
    let [a, p, gram] = [cx.residual(a)?, cx.residual(p)?, cx.residual(gram)?];
    let t = cx.t();
    let x = mm(t, p, da)?;
    let first = mm(t, x, p)?;
    let back = adjoint(t, da)?;
    let x = outside(t, back, a, p)?;
    let second = mm(t, gram, x)?;
    let x = mh(t, back, p)?;
    let x = null(t, x, a, p)?;
    let third = mm(t, x, p)?;
    let sum = t.add(second, third)?;
    let dp = t.sub(sum, first)?;
    cx.set_tangent(op.results[0], Some(dp))
}
fn linearize_lstsq(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let (da, db) = (cx.tangent(op.operands[0]), cx.tangent(op.operands[1]));
    if da.is_none() && db.is_none() {
        return Ok(());
    }
    let (a, b, x) = (cx.primal(op.operands[0])?, cx.primal(op.operands[1])?, primals[0]);
    // The pseudo-inverse is the solution for the identity: by the same method, so that it is that of a matrix of this rank.
    let builder = cx.p();
    let p = if op.attrs.word("method") == Some("svd") {
        pinv(builder, a, &op.attrs)?
    } else {
        let ty = builder.ty(a);
        let line = ty.without(&[1]);
        let one = builder.splat(&line, 1.0)?;
        let eye = builder.emit1(NewOp::new(&crate::ops::shape::EMBED_DIAG, &[one]))?;
        builder.emit1(NewOp::new(&LSTSQ, &[a, eye]).attrs(op.attrs.clone()))?
    };
    let mut rhs = db;
    let mut more = None;
    if let Some(da) = da {
        let ax = mm(cx.p(), a, x)?;
        let rest = cx.p().sub(b, ax)?;
        let short = hm(cx.p(), p, x)?;
        let [a, x, p, rest, short] =
            [cx.residual(a)?, cx.residual(x)?, cx.residual(p)?, cx.residual(rest)?, cx.residual(short)?];
        let t = cx.t();
        let moved = mm(t, da, x)?;
        rhs = Some(match db {
            Some(db) => t.sub(db, moved)?,
            None => t.neg(moved)?,
        });
        let y = hm(t, da, rest)?;
        let y = hm(t, p, y)?;
        let second = mm(t, p, y)?;
        let y = hm(t, da, short)?;
        let third = null(t, y, a, p)?;
        more = Some(t.add(second, third)?);
    }
    let Some(rhs) = rhs else { return Ok(()) };
    let p = cx.residual(p)?;
    let t = cx.t();
    let mut dx = mm(t, p, rhs)?;
    if let Some(more) = more {
        dx = t.add(dx, more)?;
    }
    cx.set_tangent(op.results[0], Some(dx))
}
/// Programs of one parameter of each shape.
pub(super) fn of_shapes(
    cx: &SampleCx,
    shapes: &[&[usize]],
    of: fn(&mut Builder, ValueId, &[usize]) -> Result<Vec<ValueId>>,
) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let one = |shape: &&[usize]| cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| of(b, x[0], shape));
    shapes.iter().map(one).collect()
}
