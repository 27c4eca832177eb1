//! Traces, Kronecker products, norms.
use super::*;
use crate::code::Code;
use crate::diag::Part;
use crate::ops::control::STOP_GRADIENT;
use crate::ops::reduce::{REDUCE_MAX, REDUCE_MIN, expand, reduce};

/// `linalg.trace`.
pub static TRACE: OpDef = OpDef {
    name: "linalg.trace",
    doc: "Sum of the main diagonal of matrices `m × n`; 0 of a matrix without elements. Integers wrap.",
    operands: &["a"],
    infer: |cx| {
        cx.want_dtype(0, |d| d != DType::Bool, "numbers")?;
        Ok(vec![super::super::shape::matrix(cx)?.without(&[0, 1])])
    },
    batch: Batch::Rule(trailing),
    expand: Expand::Composite(|b, new| {
        let d = diagonal(b, new.operands[0])?;
        Ok(vec![b.reduce_sum(d, &[0])?])
    }),
    law: Law::Holds { state: laws::made::trace, hard: |_| Ok(vec![]) },
    sample: |cx| {
        if cx.dtype == DType::Bool {
            return Ok(vec![]);
        }
        let shapes: &[&[usize]] = &[&[3, 3], &[2, 3], &[3, 1], &[0, 2], &[2, 2, 3]];
        shapes.iter().map(|s| cx.op(&[(cx.ty(s), Domain::Any)], Attrs::none(), None)).collect()
    },
    ..NORMS
};
/// `linalg.kron`.
pub static KRON: OpDef = OpDef {
    name: "linalg.kron",
    doc: "Kronecker product of matrices `a` (`m × n`) and `b` (`p × q`): `mp × nq`, with the block `a[i, j] · b` in rows from `ip` and \
          columns from `jq` on.",
    operands: &["a", "b"],
    alike: (0, 2),
    infer: |cx| {
        cx.want_dtype(0, |d| d != DType::Bool, "numbers")?;
        let a = super::super::shape::matrix(cx)?;
        super::solve::beside(cx, &a, 1, 0)?;
        let b = cx.ty(1)?;
        let rows = a.dims[0].mul(&b.dims[0])?;
        let columns = a.dims[1].mul(&b.dims[1])?;
        Ok(vec![a.without(&[0, 1]).with_axis(0, columns).with_axis(0, rows)])
    },
    batch: Batch::Rule(trailing),
    expand: Expand::Composite(|b, new| {
        let &[x, y] = new.operands.as_slice() else { return Ok(vec![]) };
        let (tx, ty) = (b.ty(x), b.ty(y));
        let batch = tx.without(&[0, 1]);
        let inner = [&tx.dims[0], &ty.dims[0], &tx.dims[1], &ty.dims[1]];
        let apart = inner.into_iter().rev().fold(batch.clone(), |t, n| t.with_axis(0, n.clone()));
        let behind = 4..apart.rank();
        let place = |first: [usize; 2]| first.into_iter().chain(behind.clone()).collect::<Vec<_>>();
        let (x, y) = (b.broadcast(x, &apart, &place([0, 2]))?, b.broadcast(y, &apart, &place([1, 3]))?);
        let all = b.mul(x, y)?;
        let rows = tx.dims[0].mul(&ty.dims[0])?;
        let columns = tx.dims[1].mul(&ty.dims[1])?;
        Ok(vec![b.reshape(all, &batch.with_axis(0, columns).with_axis(0, rows))?])
    }),
    law: Law::Holds { state: laws::made::kron, hard: |_| Ok(vec![]) },
    sample: |cx| {
        if cx.dtype == DType::Bool {
            return Ok(vec![]);
        }
        let shapes: [[&[usize]; 2]; 5] =
            [[&[2, 3], &[2, 1]], [&[1, 1], &[2, 2]], [&[3, 1], &[1, 2]], [&[0, 2], &[2, 2]], [&[2, 2, 2], &[1, 3, 2]]];
        let one =
            |s: &[&[usize]; 2]| cx.op(&[(cx.ty(s[0]), Domain::Any), (cx.ty(s[1]), Domain::Any)], Attrs::none(), None);
        shapes.iter().map(one).collect()
    },
    ..NORMS
};
/// `linalg.norm`.
pub static NORM: OpDef = OpDef {
    name: "linalg.norm",
    doc: "Norm over `axes` (all unless given), as NumPy's: real. Without `ord` the root of the sum of squares of moduli, over any axes, \
          without overflow.\n\nOver one axis, of vectors: `ord = p` is `(Σ |x|^p)^(1/p)` for any number `p` but 0, `ord = inf` and `-inf` the \
          greatest and the least modulus, `ord = 0` the number of elements that are not 0.\n\nOver two axes, of matrices, whose rows are the \
          first of them: `1` and `-1` are the greatest and the least sum of moduli of a column, `inf` and `-inf` of a row, `2` and `-2` the \
          greatest and the least singular value, `nuc` their sum, `fro` is as without `ord`. Of a matrix without elements the greatest is \
          0, the least inf.\n\nDerivative: 0 where the norm is 0 (the least element of the subdifferential), but for `ord < 0`; shared \
          evenly among equal greatest or least moduli and sums; that of `nuc` counts singular values only that are more than \
          512 units in the last place of the largest, which is the least subgradient at matrices of lower rank. For `p < 2` an element 0 \
          has derivative 0.",
    operands: &["x"],
    slots: &[Slot::optional("axes", SlotKind::Ints), Slot::optional("ord", SlotKind::FloatOrWord(&["fro", "nuc"]))],
    infer: infer_norm,
    effect: Effect::MayFail,
    prepare: Prepare::Whole,
    batch: Batch::Expand,
    expand: Expand::Composite(expand_norm),
    sample: sample_norm,
    ..NORMS
};

const NORMS: OpDef = OpDef { linearize: Linearize::Expand, law: MADE, ..OpDef::BASE };

/// Which norm, of what.
enum Kind {
    /// The root of the sum of squares.
    Root,
    /// A norm of vectors, by this order.
    Vector(f64),
    /// A norm of matrices: the greatest (or the least) sum of moduli along one of the two axes.
    Sums { along: usize, greatest: bool },
    /// A norm of matrices, by singular values.
    Values(Values),
}
enum Values {
    Greatest,
    Least,
    Sum,
}
/// What attributes say of so many axes.
fn kind(attrs: &Attrs, axes: usize) -> Result<Kind> {
    let wrong = |text: String, help: &str| Err(Error::new(Code::E1223, text).attr("ord").help(help));
    let of_matrices = "orders of matrices (two axes) are 1, -1, 2, -2, inf, -inf, fro and nuc";
    match (attrs.get("ord"), axes) {
        (None, _) => Ok(Kind::Root),
        (Some(Attr::Word(w)), 2) if &**w == "fro" => Ok(Kind::Root),
        (Some(Attr::Word(_)), 2) => Ok(Kind::Values(Values::Sum)),
        (Some(Attr::Word(w)), n) => {
            wrong(format!("`ord = {w}` is a norm of matrices, over two axes, not {n}"), of_matrices)
        }
        (Some(Attr::Float(p)), 1) if p.is_nan() => wrong("the order of a norm is a number, not NaN".into(), "2.0, say"),
        (Some(Attr::Float(p)), 1) => Ok(Kind::Vector(*p)),
        (Some(Attr::Float(p)), 2) => match *p {
            1.0 => Ok(Kind::Sums { along: 0, greatest: true }),
            -1.0 => Ok(Kind::Sums { along: 0, greatest: false }),
            2.0 => Ok(Kind::Values(Values::Greatest)),
            -2.0 => Ok(Kind::Values(Values::Least)),
            f64::INFINITY => Ok(Kind::Sums { along: 1, greatest: true }),
            f64::NEG_INFINITY => Ok(Kind::Sums { along: 1, greatest: false }),
            p => wrong(format!("there is no norm of matrices of order {p}"), of_matrices),
        },
        (Some(_), n) => {
            wrong(format!("`ord` needs one axis or two, not {n}"), "name them in `axes`, or leave `ord` out")
        }
    }
}
fn axes_of(attrs: &Attrs, rank: usize) -> Vec<usize> {
    if attrs.get("axes").is_some() { attrs.indices("axes") } else { (0..rank).collect() }
}
fn infer_norm(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_dtype(0, DType::is_inexact, "real or complex floating numbers").map_err(|e| e.help("insert `convert`"))?;
    let x = cx.ty(0)?;
    let axes = match cx.attrs().get("axes") {
        Some(_) => cx.axes("axes", x.rank())?,
        None => (0..x.rank()).collect(),
    };
    kind(cx.attrs(), axes.len())
        .map_err(|e| if cx.attrs().get("ord").is_some() { e } else { e.at(Part::Operand(0)) })?;
    Ok(vec![x.without(&axes).with_dtype(x.dtype.real())])
}

fn expand_norm(b: &mut Builder, new: &NewOp) -> Result<Vec<ValueId>> {
    let x = new.operands[0];
    let axes = axes_of(&new.attrs, b.func().ty(x).rank());
    let y = match kind(&new.attrs, axes.len())? {
        Kind::Root => root(b, x, &axes)?,
        Kind::Vector(p) => vector(b, x, axes[0], p)?,
        Kind::Sums { along, greatest } => {
            let size = b.abs(x)?;
            let (sum_over, rest) = (axes[along], axes[1 - along]);
            let sums = b.reduce_sum(size, &[sum_over])?;
            let left = if sum_over < rest { rest - 1 } else { rest };
            extreme(b, sums, &[left], greatest)?
        }
        Kind::Values(of) => {
            let rank = b.func().ty(x).rank();
            let perm: Vec<usize> = axes.iter().copied().chain((0..rank).filter(|a| !axes.contains(a))).collect();
            let a = b.transpose(x, &perm)?;
            let s = b.emit1(NewOp::new(&super::values::SVDVALS, &[a]))?;
            match of {
                Values::Greatest => {
                    // Vectors of the zero matrix are arbitrary: 0 is the subgradient that does not depend on them.
                    let zero = b.like(s, 0.0)?;
                    let some = b.gt(s, zero)?;
                    let still = b.emit1(NewOp::new(&STOP_GRADIENT, &[s]))?;
                    let s = b.select(some, s, still)?;
                    extreme(b, s, &[0], true)?
                }
                Values::Least => extreme(b, s, &[0], false)?,
                Values::Sum => {
                    let scale = scale_of(b, s)?;
                    let least = b.like(scale, ULPS * unit(b.func().ty(s).dtype))?;
                    let least = b.mul(least, scale)?;
                    let counts = b.gt(s, least)?;
                    let still = b.emit1(NewOp::new(&STOP_GRADIENT, &[s]))?;
                    let s = b.select(counts, s, still)?;
                    b.reduce_sum(s, &[0])?
                }
            }
        }
    };
    Ok(vec![y])
}
/// The greatest (0 where there is none) or the least (inf).
fn extreme(b: &mut Builder, x: ValueId, axes: &[usize], greatest: bool) -> Result<ValueId> {
    if !greatest {
        return reduce(b, &REDUCE_MIN, x, axes);
    }
    let top = reduce(b, &REDUCE_MAX, x, axes)?;
    let zero = b.like(top, 0.0)?;
    let none = b.lt(top, zero)?;
    b.select(none, zero, top)
}
/// `x` where it is a number that may divide, else 1; no derivative flows through it.
fn scale(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let x = b.emit1(NewOp::new(&STOP_GRADIENT, &[x]))?;
    let (zero, one) = (b.like(x, 0.0)?, b.like(x, 1.0)?);
    let some = b.gt(x, zero)?;
    let finite = b.is_finite(x)?;
    let fit = b.and(some, finite)?;
    b.select(fit, x, one)
}
/// The root of the sum of squares, relative to the greatest modulus; 0, with derivatives 0, where all are 0.
fn root(b: &mut Builder, x: ValueId, axes: &[usize]) -> Result<ValueId> {
    let size = b.abs(x)?;
    let top = reduce(b, &REDUCE_MAX, size, axes)?;
    let scale = scale(b, top)?;
    let square = |b: &mut Builder, x: ValueId| -> Result<ValueId> {
        let ty = b.ty(x);
        let wide = expand(b, scale, &ty, axes)?;
        let x = b.div(x, wide)?;
        b.mul(x, x)
    };
    let squares = if b.func().ty(x).dtype.is_complex() {
        let (re, im) = (b.real(x)?, b.imag(x)?);
        let (re, im) = (square(b, re)?, square(b, im)?);
        b.add(re, im)?
    } else {
        square(b, x)?
    };
    let sum = b.reduce_sum(squares, axes)?;
    let y = at_zero(b, sum, |b, sum| b.sqrt(sum))?;
    b.mul(scale, y)
}
/// `f(sum)`, and 0 where `sum` is 0, with a derivative of 0 there.
fn at_zero(b: &mut Builder, sum: ValueId, f: impl Fn(&mut Builder, ValueId) -> Result<ValueId>) -> Result<ValueId> {
    let (zero, one) = (b.like(sum, 0.0)?, b.like(sum, 1.0)?);
    let none = b.eq(sum, zero)?;
    let safe = b.select(none, one, sum)?;
    let y = f(b, safe)?;
    b.select(none, zero, y)
}
/// Norm of the vectors along `axis`.
fn vector(b: &mut Builder, x: ValueId, axis: usize, p: f64) -> Result<ValueId> {
    let axes = [axis];
    if p == 2.0 {
        return root(b, x, &axes);
    }
    let size = b.abs(x)?;
    if p.is_infinite() {
        return extreme(b, size, &axes, p > 0.0);
    }
    if p == 1.0 {
        return b.reduce_sum(size, &axes);
    }
    let zero = b.like(size, 0.0)?;
    let none = b.eq(size, zero)?;
    let dtype = b.func().ty(size).dtype;
    if p == 0.0 {
        let some = b.not(none)?;
        let some = b.convert(some, dtype)?;
        // A NaN is not 0.
        return b.reduce_sum(some, &axes);
    }
    let end = reduce(b, if p > 0.0 { &REDUCE_MAX } else { &REDUCE_MIN }, size, &axes)?;
    let scale = scale(b, end)?;
    let ty = b.ty(size);
    let wide = expand(b, scale, &ty, &axes)?;
    let rel = b.div(size, wide)?;
    let power = |b: &mut Builder, x: ValueId, p: f64| -> Result<ValueId> {
        let p = b.like(x, p)?;
        b.pow(x, p)
    };
    let terms = if p < 2.0 {
        // A modulus of 0 has no slope to these powers, or an infinite one.
        let one = b.like(rel, 1.0)?;
        let safe = b.select(none, one, rel)?;
        let terms = power(b, safe, p)?;
        b.select(none, zero, terms)?
    } else {
        power(b, rel, p)?
    };
    let sum = b.reduce_sum(terms, &axes)?;
    let y = at_zero(b, sum, |b, sum| power(b, sum, 1.0 / p))?;
    let y = b.mul(scale, y)?;
    if p > 0.0 {
        return Ok(y);
    }
    // One modulus of 0 makes it 0.
    let any = reduce(b, &crate::ops::reduce::REDUCE_OR, none, &axes)?;
    let nothing = b.like(y, 0.0)?;
    b.select(any, nothing, y)
}

fn sample_norm(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    type Case<'a> = (&'a [usize], Option<&'a [usize]>, Option<Attr>);
    let num = |x: f64| Some(Attr::Float(x));
    let one: Option<&[usize]> = Some(&[0]);
    let two: Option<&[usize]> = Some(&[0, 1]);
    let mut cases: Vec<Case> = vec![
        (&[], None, None),
        (&[4], None, None),
        (&[2, 3, 2], None, None),
        (&[3, 2], Some(&[1]), None),
        (&[0], one, num(2.0)),
        (&[2, 3, 2], Some(&[1]), num(3.0)),
        (&[3, 2, 4], Some(&[2, 0]), num(1.0)),
        (&[3, 2], two, Some(Attr::word("fro"))),
        (&[3, 2], two, Some(Attr::word("nuc"))),
        (&[1, 3], two, Some(Attr::word("nuc"))),
        (&[2, 2, 3], Some(&[2, 0]), num(2.0)),
        (&[0, 3], two, num(2.0)),
    ];
    cases.extend(
        [0.0, 0.5, 1.0, 1.5, 2.0, 3.5, -1.0, -2.5, f64::INFINITY, f64::NEG_INFINITY]
            .map(|p| -> Case { (&[4], one, num(p)) }),
    );
    cases.extend([1.0, -1.0, 2.0, -2.0, f64::INFINITY, f64::NEG_INFINITY].map(|p| -> Case { (&[3, 2], two, num(p)) }));
    let mut out = vec![];
    for (shape, axes, ord) in cases {
        let mut attrs = Attrs::none();
        if let Some(a) = axes {
            attrs.set("axes", Attr::ints(a));
        }
        if let Some(o) = ord {
            attrs.set("ord", o);
        }
        out.push(cx.op(&[(cx.ty(shape), Domain::NonZero)], attrs, None)?);
    }
    Ok(out)
}
