//! Singular values and eigenvalues alone, eigenvalues of pairs of matrices, and the singular value decomposition with whole
//! bases: rows that are made of others.
use super::triangular::{Triangular, solve};
use super::*;
use crate::diag::Part;
use crate::ops::constant::IOTA;
use crate::ops::shape::CONCAT;

/// `linalg.svdvals`.
pub static SVDVALS: OpDef = OpDef {
    name: "linalg.svdvals",
    doc: "Singular values of matrices `m × n`, `min(m, n)` of them, in descending order: those of `linalg.svd`, whose attributes it \
          has.\n\nDerivative: `ds = Re diag(uᴴ da v)`. Of equal values what does not depend on their order (their sum, say) has one; of \
          a value 0 it is that in one of the two directions in which the value grows.",
    operands: &["a"],
    slots: &[ON_FAIL, DEGENERATE, EPS],
    infer: |cx| {
        let a = matrices(cx)?;
        check_eps(cx)?;
        let k = Extent::min(&a.dims[0], &a.dims[1])?;
        Ok(vec![a.without(&[0, 1]).with_axis(0, k).with_dtype(a.dtype.real())])
    },
    expand: Expand::Composite(|b, new| {
        let made = b.emit(NewOp::new(&SVD, &new.operands).attrs(new.attrs.clone()))?;
        Ok(made.get(1).copied().into_iter().collect())
    }),
    law: Law::Holds { state: laws::made::svdvals, hard: |_| Ok(vec![]) },
    sample: |cx| super::qr::sample(cx, SHAPES),
    ..VALUES
};
/// `linalg.eigvalsh`.
pub static EIGVALSH: OpDef = OpDef {
    name: "linalg.eigvalsh",
    doc: "Eigenvalues of Hermitian matrices, ascending: those of `linalg.eigh`, whose attributes it has.\n\nDerivative: `dw = diag(vᴴ da \
          v)` with the Hermitian part of `da`. Of equal values what does not depend on their order has one.",
    operands: &["a"],
    slots: &[
        Slot::with_default("order", SlotKind::Word(&["ascending", "modulus"]), SlotDefault::Word("ascending")),
        ON_FAIL,
        DEGENERATE,
        EPS,
    ],
    infer: |cx| {
        let a = super::solve::square(cx)?;
        check_eps(cx)?;
        Ok(vec![a.without(&[0]).with_dtype(a.dtype.real())])
    },
    expand: Expand::Composite(|b, new| {
        let made = b.emit(NewOp::new(&EIGH, &new.operands).attrs(new.attrs.clone()))?;
        Ok(made.first().copied().into_iter().collect())
    }),
    law: Law::Holds { state: laws::made::eigvalsh, hard: |_| Ok(vec![]) },
    sample: |cx| super::qr::sample(cx, SQUARE),
    ..VALUES
};
/// `linalg.eigvals`.
pub static EIGVALS: OpDef = OpDef {
    name: "linalg.eigvals",
    doc: "Eigenvalues of square matrices, complex: those of `linalg.eig`, in its order, with its attributes.\n\nDerivative: `dw = \
          diag(v⁻¹ da v)`. It is infinite or NaN at a matrix with fewer eigenvectors than rows, where eigenvalues have none; of \
          equal values beside as many vectors what does not depend on their order has one. A second derivative is NaN where values \
          are equal.",
    operands: &["a"],
    slots: &[ON_FAIL, EPS],
    infer: |cx| {
        let a = super::solve::square(cx)?;
        check_eps(cx)?;
        Ok(vec![a.without(&[0]).with_dtype(super::schur::complex(a.dtype))])
    },
    expand: Expand::Composite(|b, new| {
        let made = b.emit(NewOp::new(&EIG, &new.operands).attrs(new.attrs.clone()))?;
        Ok(made.first().copied().into_iter().collect())
    }),
    prepare: Prepare::No,
    law: Law::Holds { state: laws::made::eigvals, hard: |_| Ok(vec![]) },
    sample: |cx| super::qr::sample(cx, SQUARE),
    ..VALUES
};
/// `linalg.eigh_gen`.
pub static EIGH_GEN: OpDef = OpDef {
    name: "linalg.eigh_gen",
    doc: "Eigenvalues `w` (ascending) and vectors `v` of pairs of a Hermitian matrix and a Hermitian positive definite one: `a · v = \
          b · v · diag(w)`, `vᴴ · b · v = 1`. With the Cholesky factor `b = l · lᴴ` they are `w` and `l⁻ᴴ · y` of `linalg.eigh` of `l⁻¹ · a \
          · l⁻ᴴ` (Golub & Van Loan, §8.7.2), and signs and phases are such that those of `y` are as it fixes them. Of `a` the \
          Hermitian part is taken, of `b` the lower triangle.\n\n`on_fail`: a `b` that is not positive definite, or a NaN or an \
          infinity, is an error (`E0740`), or gives NaN. `degenerate` and `eps` are those of `linalg.eigh`.",
    operands: &["a", "b"],
    alike: (0, 2),
    slots: &[ON_FAIL, DEGENERATE, EPS],
    infer: |cx| {
        let a = super::solve::square(cx)?;
        check_eps(cx)?;
        super::solve::beside(cx, &a, 1, 0)?;
        let b = cx.ty(1)?;
        for axis in [0, 1] {
            cx.equal(&a.dims[axis], &b.dims[axis], Part::Operand(1), || format!("axis {axis} of operands 0 and 1"))?;
        }
        Ok(vec![a.without(&[0]).with_dtype(a.dtype.real()), a])
    },
    expand: Expand::Composite(|b, new| {
        let &[a, metric] = new.operands.as_slice() else { return Ok(vec![]) };
        let on_fail = Attrs::of(new.attrs.iter().filter(|(k, _)| *k == "on_fail").cloned());
        let l = b.emit1(NewOp::new(&CHOLESKY, &[metric]).attrs(on_fail))?;
        let complex = b.ty(a).dtype.is_complex();
        let left = Triangular { left: true, lower: true, transpose: false, conj: false, unit: false };
        let back = adjoint(b, a)?;
        let sum = b.add(a, back)?;
        let half = b.like(sum, 0.5)?;
        let a = b.mul(half, sum)?;
        let x = solve(b, l, a, left)?;
        let c = solve(b, l, x, Triangular { left: false, transpose: true, conj: complex, ..left })?;
        let made = b.emit(NewOp::new(&EIGH, &[c]).attrs(new.attrs.clone()))?;
        let &[w, y] = made.as_slice() else { return Ok(made) };
        let v = solve(b, l, y, Triangular { transpose: true, conj: complex, ..left })?;
        Ok(vec![w, v])
    }),
    law: Law::Holds { state: laws::made::eigh_gen, hard: |_| Ok(vec![]) },
    sample: sample_pairs,
    ..VALUES
};
/// `linalg.svd_full`.
pub static SVD_FULL: OpDef = OpDef {
    name: "linalg.svd_full",
    doc: "Singular value decomposition with whole bases: `u` is `m × m`, `vt` is `n × n`, `a = u[:, :k] · diag(s) · vt[:k, :]` with `k = min(m, \
          n)`. The first `k` columns of `u` and rows of `vt` are those of `linalg.svd`, whose attributes it has, the others those of \
          `linalg.complement`.\n\nDerivative: that of `linalg.svd`, and of `linalg.complement` beyond, which is right for what does not \
          depend on the choice of the basis.",
    operands: &["a"],
    slots: &[ON_FAIL, DEGENERATE, EPS],
    infer: |cx| {
        let a = matrices(cx)?;
        check_eps(cx)?;
        let k = Extent::min(&a.dims[0], &a.dims[1])?;
        let batch = a.without(&[0, 1]);
        let whole = |n: &Extent| batch.with_axis(0, n.clone()).with_axis(0, n.clone());
        let s = batch.with_axis(0, k).with_dtype(a.dtype.real());
        Ok(vec![whole(&a.dims[0]), s, whole(&a.dims[1])])
    },
    expand: Expand::Composite(|b, new| {
        let made = b.emit(NewOp::new(&SVD, &new.operands).attrs(new.attrs.clone()))?;
        let &[u, s, vt] = made.as_slice() else { return Ok(made) };
        let kept = |k: &str| matches!(k, "on_fail" | "degenerate");
        let attrs = Attrs::of(new.attrs.iter().filter(|(k, _)| kept(k)).cloned());
        let whole = |b: &mut Builder, x: ValueId| -> Result<ValueId> {
            let ty = b.ty(x);
            if ty.dims[0] == ty.dims[1] {
                return Ok(x);
            }
            let rest = b.emit1(NewOp::new(&COMPLEMENT, &[x]).attrs(attrs.clone()))?;
            b.emit1(NewOp::new(&CONCAT, &[x, rest]).attr("axis", Attr::Int(1)))
        };
        let u = whole(b, u)?;
        let v = adjoint(b, vt)?;
        let v = whole(b, v)?;
        Ok(vec![u, s, adjoint(b, v)?])
    }),
    law: Law::Holds { state: laws::made::svd_full, hard: |_| Ok(vec![]) },
    sample: sample_full,
    ..VALUES
};
/// `linalg.complement`.
pub static COMPLEMENT: OpDef = OpDef {
    name: "linalg.complement",
    doc: "An orthonormal basis of what is orthogonal to the columns of `u` (`m × k` with `k <= m`, themselves orthonormal): the last `m − k` \
          columns of the `q` of its QR factorisation (`linalg.qr_factor`).\n\n`on_fail`: a matrix with a NaN or an infinity is an error \
          (`E0740`), or gives NaN.\n\nDerivative: the basis turns as little as it can, `dy = −u duᴴ y` (Edelman, Arias & Smith 1998, §2.4). \
          That is right for what does not depend on which basis was chosen; a reverse derivative that does fails when it runs \
          (`E1221`), unless `degenerate = damp`.",
    operands: &["u"],
    slots: &[ON_FAIL, DEGENERATE],
    infer: |cx| {
        let u = matrices(cx)?;
        cx.demand(&u.dims[1], CmpOp::Le, &u.dims[0], Part::Operand(0), "columns and rows of operand 0")
            .map_err(|e| e.help("more columns than rows are not orthonormal"))?;
        let rest = u.dims[0].sub(&u.dims[1])?;
        Ok(vec![u.without(&[1]).with_axis(1, rest)])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize_complement),
    prepare: Prepare::No,
    expand: Expand::Composite(|b, new| {
        let &[u] = new.operands.as_slice() else { return Ok(vec![]) };
        let on_fail = Attrs::of(new.attrs.iter().filter(|(k, _)| *k == "on_fail").cloned());
        let made = b.emit(NewOp::new(&QR_FACTOR, &[u]).attrs(on_fail))?;
        let &[qr, tau] = made.as_slice() else { return Ok(made) };
        let ty = b.ty(u);
        let rest = ty.dims[0].sub(&ty.dims[1])?;
        let last = ty.without(&[1]).with_axis(1, rest);
        let place = |b: &mut Builder, axis: i64| {
            b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis)).types(vec![last.with_dtype(DType::I64)]))
        };
        let (i, j) = (place(b, 0)?, place(b, 1)?);
        let behind = b.dim_value(ty.dims[1].clone())?;
        let behind = b.broadcast(behind, &last.with_dtype(DType::I64), &[])?;
        let j = b.add(j, behind)?;
        let one = b.eq(i, j)?;
        let c = b.convert(one, ty.dtype)?;
        b.emit(NewOp::new(&QR_MULTIPLY, &[qr, tau, c]))
    }),
    law: Law::Holds { state: laws::made::complement, hard: |_| Ok(vec![]) },
    sample: |cx| {
        if !cx.dtype.is_field() {
            return Ok(vec![]);
        }
        let shapes: &[&[usize]] = &[&[3, 2], &[4, 1], &[3, 3], &[2, 0], &[0, 0], &[3, 1, 2]];
        let one = |shape: &&[usize]| {
            cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
                let a = spread(b, x[0])?;
                let made = b.emit(NewOp::new(&QR, &[a]))?;
                let y = b.emit1(NewOp::new(&COMPLEMENT, &made[..1]))?;
                Ok(vec![mh(b, y, y)?])
            })
        };
        shapes.iter().map(one).collect()
    },
    ..VALUES
};

const VALUES: OpDef = OpDef {
    effect: Effect::MayFail,
    linearize: Linearize::Expand,
    prepare: Prepare::Whole,
    batch: Batch::Rule(trailing),
    law: MADE,
    ..OpDef::BASE
};
const SQUARE: &[&[usize]] = &[&[3, 3], &[2, 2], &[1, 1], &[0, 0], &[4, 4, 2], &[2, 2, 1, 2]];

/// `dy = −u duᴴ y`.
fn linearize_complement(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let Some(du) = cx.tangent(op.operands[0]) else { return Ok(()) };
    let u = cx.primal(op.operands[0])?;
    let (u, y) = (cx.residual(u)?, cx.residual(primals[0])?);
    let t = cx.t();
    let along_y = hm(t, du, y)?;
    let moved = mm(t, u, along_y)?;
    let mut dy = t.neg(moved)?;
    if op.attrs.word("degenerate") != Some("damp") {
        // Every basis is as good as another: its vectors count as those of one value.
        let ty = t.ty(y);
        let mask = ty.without(&[0]).with_axis(0, ty.dims[1].clone()).with_dtype(DType::Bool);
        let none = t.zeros(&mask)?;
        let all = t.not(none)?;
        let tolerance = tolerance(&op.attrs, ty.dtype);
        dy = t.emit1(NewOp::new(&GAUGE, &[all, dy, y]).attr("tolerance", tolerance))?;
    }
    cx.set_tangent(op.results[0], Some(dy))
}

/// Values, `v f(w) vᴴ`, and moduli of the entries of `v`.
fn sample_pairs(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let one = |shape: &&[usize]| {
        cx.program(&[(cx.ty(shape), Domain::Any), (cx.ty(shape), Domain::Any)], |b, x| {
            let a = spread(b, x[0])?;
            let gram = mh(b, x[1], x[1])?;
            let eye = super::solve::identity(b, gram)?;
            let far = b.like(eye, 4.0)?;
            let far = b.mul(far, eye)?;
            let metric = b.add(gram, far)?;
            let made = b.emit(NewOp::new(&EIGH_GEN, &[a, metric]))?;
            let &[w, v] = made.as_slice() else { return Ok(made) };
            let size = b.abs(v)?;
            let size = b.mul(size, size)?;
            Ok(vec![w, size])
        })
    };
    [&[3, 3][..], &[2, 2], &[1, 1], &[0, 0], &[2, 2, 3]].iter().map(one).collect()
}
/// What does not depend on signs, phases and bases.
fn sample_full(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let one = |shape: &&[usize]| {
        cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
            let a = spread(b, x[0])?;
            let made = b.emit(NewOp::new(&SVD_FULL, &[a]))?;
            let &[u, s, vt] = made.as_slice() else { return Ok(made) };
            let k = b.ty(s).dims[0].clone();
            let beyond = |b: &mut Builder, x: ValueId, axis: usize| super::lu::beyond(b, x, axis, &k);
            let (left, right) = (beyond(b, u, 1)?, beyond(b, vt, 0)?);
            Ok(vec![s, mh(b, left, left)?, hm(b, right, right)?])
        })
    };
    SHAPES.iter().map(one).collect()
}
