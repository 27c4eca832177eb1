//! Extents as values and run-time checks: `dim_value`, `extent`, `guard`, `check*`, `print`.
use crate::attr::{Attr, Attrs};
use crate::batch::{Batched, Batcher};
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::extent::{Atom, CmpOp, Constraint, Extent, Truth};
use crate::func::{Func, OpId, ValueId};
use crate::infer::InferCx;
use crate::op::*;
use crate::sample::{Domain, Sample, SampleCx};
use crate::tensor::Tensor;
use crate::types::Type;
use crate::{DType, Effect};

/// The extent that integer scalar `v` is the value of, converted perhaps.
pub fn extent_of(f: &Func, mut v: ValueId) -> Option<&Extent> {
    loop {
        let op = f.def_op(v).filter(|_| f.ty(v).is_scalar() && f.ty(v).dtype.is_int())?;
        if std::ptr::eq(op.def, &DIM_VALUE) {
            return op.attrs.extents("extent").first();
        }
        match op.operands.as_slice() {
            &[x] if op.def.scalar == Some(crate::ScalarOp::Convert) => v = x,
            _ => return None,
        }
    }
}
/// `dim_value`.
pub static DIM_VALUE: OpDef = OpDef {
    name: "dim_value",
    doc: "The value of an extent as `i64[]`: `dim_value(shape[2*n])`.",
    slots: &[Slot::trailing("extent", SlotKind::Extents, SlotDefault::Required)],
    infer: |cx| {
        let e = one_extent(cx)?;
        cx.all_bound(std::slice::from_ref(&e), Part::Attr("extent"))?;
        cx.demand(&Extent::exact(0), CmpOp::Le, &e, Part::Attr("extent"), "an extent")?;
        Ok(vec![Type::scalar(DType::I64)])
    },
    linearize: Linearize::Zero,
    batch: Batch::Never("it takes nothing that could depend on an index"),
    simplify: Some(|b, new| {
        let Some(n) = new.attrs.extents("extent").first().and_then(Extent::as_exact) else { return Ok(None) };
        let ty = Type::scalar(DType::I64);
        Ok(Some(vec![super::shape::splat_const(b, Tensor::scalar(n), &ty)?]))
    }),
    sample: |cx| {
        if cx.dtype != DType::I64 {
            return Ok(vec![]);
        }
        let exact = |n: i64| Attrs::of([("extent", Attr::extent(Extent::exact(n)))]);
        Ok(vec![cx.op(&[], exact(3), None)?, cx.op(&[], exact(0), None)?])
    },
    constant: true,
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// `extent`.
pub static EXTENT: OpDef = OpDef {
    demands: true,
    name: "extent",
    doc: "Binds a new extent to a value: `extent(%k, shape[?r]) where ?r <= n`. `0 <= %k` and the `where` are demands that \
          are checked at run time and facts for every statement after it.",
    operands: &["k"],
    slots: &[Slot::trailing("extent", SlotKind::Extents, SlotDefault::Required)],
    infer: infer_extent,
    effect: Effect::MayFail,
    linearize: Linearize::Zero,
    batch: Batch::Never("the extent would differ from index to index"),
    sample: sample_extent,
    ..OpDef::BASE
};
/// `guard`.
pub static GUARD: OpDef = OpDef {
    demands: true,
    name: "guard",
    doc: "States relations between extents: `guard() where ?r == ?q`. They are checked at run time and facts for every \
          statement after it.",
    infer: infer_guard,
    effect: Effect::Assert,
    linearize: Linearize::Zero,
    batch: Batch::Never("it takes nothing that could depend on an index"),
    sample: |cx| {
        let ty = cx.ty(&[2, 3]);
        Ok(vec![cx.program(&[(ty, Domain::Any)], |b, x| {
            let mut op = NewOp::new(&GUARD, &[]);
            op.wheres = vec![Constraint { lhs: Extent::exact(2), op: CmpOp::Le, rhs: Extent::exact(3) }];
            b.emit(op)?;
            Ok(x.to_vec())
        })?])
    },
    ..OpDef::BASE
};
/// `check`.
pub static CHECK: OpDef = OpDef {
    name: "check",
    doc: "Fails with the message unless every element is true: `check(%p, \"weights are finite\")`. Runs even where nothing \
          uses it. What fails is the program's own assertion (`E0710`), or, with `about = gauge`, as derivatives of factorisations \
          have it, a derivative that depends on a choice that nothing decides (`E1221`).",
    operands: &["p"],
    slots: &[
        Slot::trailing("message", SlotKind::Str, SlotDefault::Required),
        Slot::with_default("about", SlotKind::Word(&["program", "gauge"]), SlotDefault::Word("program")),
    ],
    infer: |cx| {
        cx.want_dtype(0, |d| d == DType::Bool, "bool").map_err(|e| e.help("compare first: `lt`, `eq`, … give bool"))?;
        Ok(vec![])
    },
    sample: |cx| {
        let ty = cx.ty(&[2, 3]);
        if ty.dtype.is_complex() {
            return Ok(vec![]);
        }
        Ok(vec![cx.program(&[(ty, Domain::Any)], |b, x| {
            let p = b.eq(x[0], x[0])?;
            b.emit(NewOp::new(&CHECK, &[p]).attr("message", Attr::Str("equal to itself".into())))?;
            Ok(x.to_vec())
        })?])
    },
    small: OnSmall::Kept,
    ..ASSERTION
};
/// `check_equal`.
pub static CHECK_EQUAL: OpDef = OpDef {
    name: "check_equal",
    doc: "Fails unless both operands are equal everywhere, and reports the first difference. NaN equals NaN, −0 equals 0.",
    operands: &["x", "y"],
    alike: (0, 2),
    infer: infer_pair,
    sample: |cx| sample_pair(cx, Attrs::none()),
    small: OnSmall::Kept,
    ..ASSERTION
};
/// `check_close`.
pub static CHECK_CLOSE: OpDef = OpDef {
    name: "check_close",
    doc: "Fails unless `|x - y| <= atol + rtol * |y|` everywhere, or, where `ulp` is given, unless `x` and `y` are that close \
          in units in the last place; reports the worst element. With no tolerance given the operands must be equal. NaN is \
          close to NaN, an infinity to itself. For floating and complex operands; of these both parts count for `ulp`.",
    operands: &["x", "y"],
    alike: (0, 2),
    slots: &[
        Slot::with_default("atol", SlotKind::Float, SlotDefault::Float(0.0)),
        Slot::with_default("rtol", SlotKind::Float, SlotDefault::Float(0.0)),
        Slot::optional("ulp", SlotKind::Int),
    ],
    infer: |cx| {
        cx.want_dtype(0, DType::is_inexact, "floating or complex numbers")
            .map_err(|e| e.help("compare integers and bool by `check_equal`"))?;
        for k in ["atol", "rtol"] {
            if let Some(Attr::Float(t)) = cx.attrs().get(k)
                && (t.is_nan() || *t < 0.0)
            {
                return Err(Error::new(Code::E0227, format!("`{k}` is at least 0, not {t}")).attr(k));
            }
        }
        if cx.attrs().int("ulp") < 0 {
            return Err(
                Error::new(Code::E0227, format!("`ulp` is at least 0, not {}", cx.attrs().int("ulp"))).attr("ulp")
            );
        }
        infer_pair(cx)
    },
    sample: |cx| {
        let tolerance = Attrs::of([("atol", Attr::Float(1e-12)), ("rtol", Attr::Float(1e-6))]);
        if cx.dtype.is_inexact() { sample_pair(cx, tolerance) } else { Ok(vec![]) }
    },
    small: OnSmall::Kept,
    ..ASSERTION
};
/// The values of all indices are printed as one, the index first; those of fewer behind the numbers of these.
fn batch_print(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let attrs = cx.attrs(&op.attrs)?;
    if let Some((numbers, _)) = cx.numbers()? {
        let label = format!("{} at", attrs.str("label").unwrap_or_default());
        cx.b.emit(NewOp::new(op.def, &[numbers]).attrs(attrs.clone().with("label", Attr::Str(label.into()))))?;
    }
    for &x in xs {
        let x = cx.at(x, 0)?;
        cx.b.emit(NewOp::new(op.def, &[x]).attrs(attrs.clone()))?;
    }
    Ok(vec![])
}
/// `print`.
pub static PRINT: OpDef = OpDef {
    name: "print",
    doc: "Prints a value under a label: `print(%loss, \"loss\")`. Runs even where nothing uses it. `every = 100` prints the first of the \
          values that a call has under this label, and each hundredth from there. At many indices at once (`vmap`) the values of all \
          are printed as one, the index first.",
    operands: &["x"],
    slots: &[
        Slot::trailing("label", SlotKind::Str, SlotDefault::Required),
        Slot::with_default("every", SlotKind::Int, SlotDefault::Int(1)),
    ],
    infer: |cx| match cx.attrs().get("every") {
        None | Some(Attr::Int(1..)) => Ok(vec![]),
        Some(_) => Err(Error::new(Code::E0227, "`every` is at least 1").attr("every")),
    },
    batch: Batch::Rule(batch_print),
    sample: |cx| {
        let ty = cx.ty(&[2]);
        Ok(vec![cx.program(&[(ty, Domain::Any)], |b, x| {
            b.emit(NewOp::new(&PRINT, x).attr("label", Attr::Str("x".into())))?;
            Ok(x.to_vec())
        })?])
    },
    small: OnSmall::Kept,
    ..ASSERTION
};
/// The rows.
pub static FAMILY: Family = &[&DIM_VALUE, &EXTENT, &GUARD, &CHECK, &CHECK_EQUAL, &CHECK_CLOSE, &PRINT];

/// What must hold of every element must hold at every index.
const ASSERTION: OpDef =
    OpDef { effect: Effect::Assert, linearize: Linearize::Zero, batch: Batch::Rule(batch_assertion), ..OpDef::BASE };
/// Asked of all indices; what fails is numbered as they are, where fewer are at hand too.
fn batch_assertion(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    if cx.numbers()?.is_none() {
        return cx.elementwise(o, xs);
    }
    let op = cx.op(o);
    let attrs = cx.attrs(&op.attrs)?;
    let mut operands = vec![];
    for &x in xs {
        let x = cx.at(x, 0)?;
        operands.push(cx.for_all(x, 1.0)?);
    }
    cx.b.emit(NewOp::new(op.def, &operands).attrs(attrs))?;
    Ok(vec![])
}

fn one_extent(cx: &InferCx) -> Result<Extent> {
    match cx.attrs().extents("extent") {
        [e] => Ok(e.clone()),
        v => Err(Error::new(Code::E0228, format!("`{}` takes one extent, not {}", cx.def().name, v.len()))
            .attr("extent")
            .help("write `shape[n]`")),
    }
}
fn infer_extent(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_scalar(0, |d| d == DType::I64, "an i64 scalar")?;
    let e = one_extent(cx)?;
    let Some(Atom::Exist(r)) = e.as_atom() else {
        return Err(Error::new(Code::E0413, format!("`extent` binds one new name, not {}", cx.show_extent(&e)))
            .attr("extent")
            .help("write `extent(%k, shape[?r])`"));
    };
    if let Some(d) = cx.func().exists.get(r.0 as usize)
        && d.binder.is_some()
    {
        return Err(Error::new(Code::E0413, format!("?{} is bound already", d.name))
            .attr("extent")
            .also(d.span, "bound here")
            .help("bind another name, then state `guard() where … == …`"));
    }
    refute(cx)?;
    Ok(vec![])
}
fn infer_guard(cx: &mut InferCx) -> Result<Vec<Type>> {
    if cx.wheres().is_empty() {
        return Err(Error::new(Code::E0222, "`guard` needs a `where`").help("write `guard() where m == n`"));
    }
    refute(cx)?;
    Ok(vec![])
}
/// A demand that certainly fails is an error now.
fn refute(cx: &InferCx) -> Result<()> {
    for c in cx.wheres() {
        if cx.proves(&c.lhs, c.op, &c.rhs) == Truth::No {
            return Err(Error::new(Code::E0403, format!("`where {}` does not hold", c.display(cx.func()))));
        }
    }
    Ok(())
}
fn infer_pair(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.same_operands(0, 1)?;
    Ok(vec![])
}

fn sample_pair(cx: &SampleCx, attrs: Attrs) -> Result<Vec<Sample>> {
    let def = cx.def;
    [&[][..], &[2, 3], &[0]]
        .iter()
        .map(|shape| {
            cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
                b.emit(NewOp::new(def, &[x[0], x[0]]).attrs(attrs.clone()))?;
                Ok(x.to_vec())
            })
        })
        .collect()
}
/// Cuts to a length that a value decides, pads back: tangents cross the existential, alone and beside residuals of that
/// extent.
fn sample_extent(cx: &SampleCx) -> Result<Vec<Sample>> {
    let (ty, k) = (cx.ty(&[5]), Type::scalar(DType::I64));
    let one = |squared: bool| {
        cx.program(&[(ty.clone(), Domain::Any), (k.clone(), Domain::Ints(0, 5))], |b, x| {
            let r = Extent::exist(b.exist("r", Default::default()));
            let mut op = NewOp::new(&EXTENT, &[x[1]]).attr("extent", Attr::extent(r.clone()));
            op.wheres = vec![Constraint { lhs: r.clone(), op: CmpOp::Le, rhs: Extent::exact(5) }];
            b.emit(op)?;
            let axis = Attrs::of([("axis", Attr::Int(0))]);
            let short = ty.with_dims(vec![r]);
            let mut cut =
                b.emit1(NewOp::new(&super::shape::TAKE_PREFIX, &[x[0]]).attrs(axis.clone()).types(vec![short]))?;
            if squared {
                cut = b.mul(cut, cut)?;
            }
            b.emit(NewOp::new(&super::shape::PAD_SUFFIX, &[cut]).attrs(axis).types(vec![ty.clone()]))
        })
    };
    let mut out = vec![one(false)?];
    if cx.dtype != DType::Bool {
        out.push(one(true)?);
    }
    Ok(out)
}
