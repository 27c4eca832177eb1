//! Systems of linear equations, inverses and the factors of LU apart, all by `linalg.lu_factor`.
use super::lu::unit_lower;
use super::triangular::{Triangular, solve};
use super::*;
use crate::code::Code;
use crate::diag::Part;
use crate::ops::shape::{EMBED_DIAG, TRIU};

/// Rows and right-hand sides up to which a system of real equations is solved in one step.
pub const SMALL_SOLVE: [usize; 2] = [24, 8];

/// `linalg.solve`.
pub static SOLVE: OpDef = OpDef {
    name: "linalg.solve",
    doc: "Solves `a · x = b` for square `a` (`n × n`) and right-hand sides `b` (`n × p`), by LU factorisation with partial pivoting. A \
          matrix without an inverse gives infinities and NaN.\n\n`on_fail`: a matrix with a NaN or an infinity is an error (`E0740`), or \
          gives NaN.",
    operands: &["a", "b"],
    alike: (0, 2),
    slots: &[ON_FAIL],
    infer: |cx| {
        let (a, b) = (square(cx)?, cx.ty(1)?);
        beside(cx, &a, 1, 0)?;
        cx.equal(&a.dims[0], &b.dims[0], Part::Operand(1), || "rows of operands 0 and 1".into())?;
        Ok(vec![b])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize),
    batch: Batch::Expand,
    expand: Expand::Composite(|b, new| {
        let &[a, rhs] = new.operands.as_slice() else { return Ok(vec![]) };
        let f = factored(b, a, &new.attrs)?;
        Ok(vec![substituted(b, &f, rhs)?])
    }),
    // Many small systems go from end to end in one step, which saves most of their time: factors are not written.
    whole: |f, o| {
        let exact = |i: usize| o.operands.get(i).and_then(|&v| f.ty(v).exact_shape());
        let real = o.operands.first().is_some_and(|&a| f.ty(a).dtype.is_float());
        match (exact(0), exact(1)) {
            (Some(a), Some(b)) => real && (1..=SMALL_SOLVE[0]).contains(&a[0]) && (1..=SMALL_SOLVE[1]).contains(&b[1]),
            _ => false,
        }
    },
    law: Law::Holds {
        state: laws::solve::solve,
        hard: |cx| hard::on_each(cx, hard::Hard::is_square, &[Attrs::none()], |b, d, h, _| Ok(vec![h.value(b, d)?])),
    },
    sample: |cx| {
        programs(cx, &[&[3, 3], &[2, 2], &[1, 1], &[0, 0], &[2, 2, 3]], |b, a, shape| {
            let mut shape = shape.to_vec();
            shape[1] = 2;
            let ty = b.ty(a);
            let rhs = b.emit1(
                NewOp::new(&crate::ops::constant::IOTA, &[])
                    .attr("axis", Attr::Int(0))
                    .types(vec![Type::exact(ty.dtype, &shape)]),
            )?;
            let rhs = b.cos(rhs)?;
            let first = mm(b, a, rhs)?;
            // Both operands depend on what is drawn.
            let rhs = b.mul(first, rhs)?;
            b.emit(NewOp::new(&SOLVE, &[a, rhs]))
        })
    },
    ..OpDef::BASE
};
/// `linalg.inv`.
pub static INV: OpDef = OpDef {
    name: "linalg.inv",
    doc: "Inverse of square matrices: `linalg.solve` of the identity.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| Ok(vec![square(cx)?]),
    effect: Effect::MayFail,
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    expand: Expand::Composite(|b, new| {
        let a = new.operands[0];
        let eye = identity(b, a)?;
        b.emit(NewOp::new(&SOLVE, &[a, eye]).attrs(new.attrs.clone()))
    }),
    law: Law::Holds {
        state: laws::solve::inv,
        hard: |cx| hard::factorisation(cx, hard::Hard::is_square, &[Attrs::none()]),
    },
    sample: |cx| {
        programs(cx, &[&[3, 3], &[2, 2], &[1, 1], &[0, 0], &[2, 2, 3]], |b, a, _| b.emit(NewOp::new(&INV, &[a])))
    },
    ..OpDef::BASE
};
/// `linalg.lu`.
pub static LU: OpDef = OpDef {
    name: "linalg.lu",
    doc: "The factors of `linalg.lu_factor` apart: `a[p, :] = l · u`, with `p` (`i64[m]`) the row of `a` that each row was, `l` (`m × k`, \
          `k = min(m, n)`) unit lower triangular and `u` (`k × n`) upper triangular.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| {
        let a = matrices(cx)?;
        let k = Extent::min(&a.dims[0], &a.dims[1])?;
        let [l, u] = super::qr::factors(&a, &k);
        let p = a.without(&[1]).with_dtype(DType::I64);
        Ok(vec![p, l, u])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    expand: Expand::Composite(|b, new| {
        let a = new.operands[0];
        let f = factored(b, a, &new.attrs)?;
        let ty = b.ty(a);
        let k = Extent::min(&ty.dims[0], &ty.dims[1])?;
        let l = unit_lower(b, f.lu)?;
        let l = b.take_prefix(l, 1, &k)?;
        let u = b.emit1(NewOp::new(&TRIU, &[f.lu]))?;
        Ok(vec![f.p, l, b.take_prefix(u, 0, &k)?])
    }),
    law: Law::Holds { state: laws::solve::lu, hard: |cx| hard::factorisation(cx, |_| true, &[Attrs::none()]) },
    sample: super::lu::sample,
    ..OpDef::BASE
};

/// Operand 0: square matrices.
pub(super) fn square(cx: &mut InferCx) -> Result<Type> {
    let a = matrices(cx)?;
    cx.equal(&a.dims[0], &a.dims[1], Part::Operand(0), || "rows and columns of operand 0".into())?;
    Ok(a)
}
/// Operand `i` has the dtype and batch axes of `a`, operand `of`, and its rank.
pub(super) fn beside(cx: &mut InferCx, a: &Type, i: usize, of: usize) -> Result<()> {
    let b = cx.ty(i)?;
    if b.dtype != a.dtype {
        let text = format!("operands {of} and {i}: dtypes differ: {} and {}", cx.show(a), cx.show(&b));
        return Err(Error::new(Code::E0202, text).operand(i).help("nothing is promoted in the IR: insert `convert`"));
    }
    if b.rank() != a.rank() {
        let text = format!("operands {of} and {i}: ranks differ: {} and {}", cx.show(a), cx.show(&b));
        return Err(Error::new(Code::E0205, text)
            .operand(i)
            .help("a vector is a matrix of one column: insert `reshape`"));
    }
    for axis in 2..a.rank() {
        cx.equal(&a.dims[axis], &b.dims[axis], Part::Operand(i), || {
            format!("batch axis {axis} of operands {of} and {i}")
        })?;
    }
    Ok(())
}
/// Identity matrices of the type of `a`.
pub(super) fn identity(b: &mut Builder, a: ValueId) -> Result<ValueId> {
    let line = b.ty(a).without(&[0]);
    let one = b.splat(&line, 1.0)?;
    b.emit1(NewOp::new(&EMBED_DIAG, &[one]))
}
/// What `linalg.lu_factor` gives.
pub(super) struct Factored {
    pub(super) lu: ValueId,
    pub(super) pivots: ValueId,
    pub(super) p: ValueId,
}
/// The factors of `a`, by the attribute `on_fail` in `attrs`.
pub(super) fn factored(b: &mut Builder, a: ValueId, attrs: &Attrs) -> Result<Factored> {
    let f = b.emit(NewOp::new(&LU_FACTOR, &[a]).attrs(attrs.clone()))?;
    match f[..] {
        [lu, pivots, p] => Ok(Factored { lu, pivots, p }),
        _ => Err(Error::new(Code::E0299, "an LU factorisation has three results")),
    }
}
/// `u⁻¹ l⁻¹ b[p, :]`.
pub(super) fn substituted(b: &mut Builder, f: &Factored, rhs: ValueId) -> Result<ValueId> {
    let moved = pick(b, rhs, f.p, 0)?;
    let left = Triangular { left: true, lower: true, transpose: false, conj: false, unit: true };
    let x = solve(b, f.lu, moved, left)?;
    solve(b, f.lu, x, Triangular { lower: false, unit: false, ..left })
}
/// The factors of `a`, as residuals.
pub(super) fn kept(cx: &mut Linearizer, f: &Factored) -> Result<Factored> {
    Ok(Factored { lu: cx.residual(f.lu)?, pivots: f.pivots, p: cx.residual(f.p)? })
}
/// `dx = a⁻¹ (db − da x)` (Giles 2008, §2.2.3), by the factors that gave `x`.
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let (da, db) = (cx.tangent(op.operands[0]), cx.tangent(op.operands[1]));
    let (a, b) = (cx.primal(op.operands[0])?, cx.primal(op.operands[1])?);
    let f = factored(cx.p(), a, &op.attrs)?;
    let x = substituted(cx.p(), &f, b)?;
    let rhs = match (da, db) {
        (Some(da), db) => {
            let x = cx.residual(x)?;
            let t = cx.t();
            let moved = mm(t, da, x)?;
            Some(match db {
                Some(db) => t.sub(db, moved)?,
                None => t.neg(moved)?,
            })
        }
        (None, db) => db,
    };
    let dx = match rhs {
        Some(rhs) => {
            let f = kept(cx, &f)?;
            Some(substituted(cx.t(), &f, rhs)?)
        }
        None => None,
    };
    cx.set(op.results[0], x, dx);
    Ok(())
}

/// What `of` makes of matrices that have inverses, of these shapes.
pub(super) fn programs(
    cx: &SampleCx,
    shapes: &[&[usize]],
    of: fn(&mut Builder, ValueId, &[usize]) -> Result<Vec<ValueId>>,
) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let one = |shape: &&[usize]| {
        cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
            let a = spread(b, x[0])?;
            // The last row first, so that rows move.
            let a = b.emit1(NewOp::new(&crate::ops::shape::REVERSE, &[a]).attr("axes", Attr::ints(&[0usize])))?;
            of(b, a, shape)
        })
    };
    shapes.iter().map(one).collect()
}
