//! `einsum`: sums of products by labelled axes. It stands for products of two at a time, `dot_general` and elementwise ones,
//! in an order that a planner chooses from the extents; so are its derivatives, which are `einsum`s themselves.
mod lower;
mod plan;
mod samples;
mod search;
mod spec;

use crate::code::Code;
pub use lower::{Einsum, table};
pub use plan::{Minimize, Network, Node, Order, Plan, Step, plan, walk};
pub use spec::{Label, Spec};

use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::batch::{Batched, Batcher};
use crate::derive::Transposer;
use crate::diag::{Error, Part, Result};
use crate::func::{OpId, ValueId};
use crate::infer::InferCx;
use crate::op::*;
use crate::ops::shape::cotangent;
use crate::places::Places;
use crate::types::Type;
use spec::distinct;

/// `einsum`.
pub static EINSUM: OpDef = OpDef {
    name: "einsum",
    doc: "Sums of products of elements whose axes are labelled alike: `einsum(\"ij,jk->ik\", %a, %b)` is a product of matrices. \
          Labels that the result does not name are summed over. A label is a letter or a number (`\"0 1,1 2->0 2\"`); one that \
          an operand has twice is a diagonal, one that the result has twice makes one; any number of operands may share \
          it. Equal labels have equal extents: 1 is repeated nowhere. `...` stands for axes without labels, counted from the \
          last; without `->` the result has them, then the labels that occur once. `conj` lists the operands that are \
          conjugated. Operands are multiplied two at a time: those in parentheses first, or as `path` says (lists of \
          positions in what is left, as in NumPy), else in the order that makes `minimize` small for the extents, those of \
          symbols being as `assume` says (one number a label, 0 for nothing said), or as all callers of a function say. No intermediate result has more than \
          `memory_limit` elements: loops over some labels see to it. Integers wrap; the order of multiplications and \
          additions of floating numbers is not fixed otherwise.",
    operands: &["x", "others…"],
    alike: (0, usize::MAX),
    slots: &[
        Slot::leading("spec", SlotKind::Str),
        Slot::optional("conj", SlotKind::Ints),
        Slot::optional("path", SlotKind::IntLists),
        Slot::with_default("minimize", SlotKind::Word(&["flops", "size", "both"]), SlotDefault::Word("flops")),
        Slot::optional("memory_limit", SlotKind::Int),
        Slot::optional("assume", SlotKind::Ints),
    ],
    infer,
    expand: Expand::Composite(lower::expand),
    explain: Some(|_, f, op| table(f, op)),
    movement: Movement { places: Places::Axes(spec::places), ..Movement::NONE },
    linearize: Linearize::Multilinear,
    prepare: Prepare::Replace(|b, op| lower::expand_by(b, op, true).map(Some)),
    transpose: Transpose::Rule(transpose),
    batch: Batch::Rule(batch),
    sample: samples::sample,
    ..OpDef::BASE
};

fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    let types = cx.types();
    cx.want_dtype(0, |d| d != DType::Bool, "numbers")
        .map_err(|e| e.help("convert bool to i32, or use `and` and `reduce_or`"))?;
    let x = cx.ty(0)?;
    if let Some(i) = types.iter().position(|t| t.dtype != x.dtype) {
        let text = format!("operands 0 and {i}: dtypes differ: {} and {}", cx.show(&x), cx.show(&types[i]));
        return Err(Error::new(Code::E0202, text).operand(i).help("nothing is promoted in the IR: insert `convert`"));
    }
    let text = cx.attrs().str("spec").unwrap_or_default().to_owned();
    let ranks: Vec<usize> = types.iter().map(Type::rank).collect();
    let spec = Spec::parse(&text, &ranks)?;
    let labels = spec.labels();
    // Where each label is first, and all later places beside it.
    let mut first: Vec<Option<(usize, usize)>> = vec![None; labels.len()];
    for (i, term) in spec.terms.iter().enumerate() {
        for (a, l) in term.iter().enumerate() {
            let Some(k) = labels.iter().position(|m| m == l) else { continue };
            match first[k] {
                None => first[k] = Some((i, a)),
                Some((j, c)) => {
                    let what = || format!("label `{l}`: axis {c} of operand {j} and axis {a} of operand {i}");
                    cx.equal(&types[j].dims[c], &types[i].dims[a], Part::Operand(i), what)?;
                }
            }
        }
    }
    options(cx, &spec, types.len())?;
    let canonical = spec.to_string();
    if canonical != text {
        cx.set_attr("spec", Attr::Str(canonical.into()));
    }
    let dim = |l: &Label| {
        let k = labels.iter().position(|m| m == l)?;
        first[k].map(|(i, a)| types[i].dims[a].clone())
    };
    let dims: Vec<_> = spec.out.iter().filter_map(dim).collect();
    Ok(vec![x.with_dims(dims)])
}
/// Checks every attribute but the text, and takes away what says nothing.
fn options(cx: &mut InferCx, spec: &Spec, n: usize) -> Result<()> {
    if let Some(Attr::List(l)) = cx.attrs().get("conj").cloned() {
        let mut seen = vec![];
        for a in l.iter() {
            let Attr::Int(i) = a else { continue };
            if *i < 0 || *i >= n as i64 || seen.contains(i) {
                let why = if seen.contains(i) { "twice".to_owned() } else { format!("of {n}") };
                return Err(Error::new(Code::E0227, format!("`conj` names operand {i} {why}"))
                    .attr("conj")
                    .help("operands are counted from 0, each is named once"));
            }
            seen.push(*i);
        }
        seen.sort_unstable();
        if seen.is_empty() || !cx.ty(0)?.dtype.is_complex() {
            cx.remove_attr("conj");
        } else {
            cx.set_attr("conj", Attr::ints(&seen));
        }
    }
    if cx.attrs().get("memory_limit").is_some() && cx.attrs().int("memory_limit") < 1 {
        let text = format!("`memory_limit` is at least 1, not {}", cx.attrs().int("memory_limit"));
        return Err(Error::new(Code::E0227, text)
            .attr("memory_limit")
            .help("it counts elements of one intermediate result"));
    }
    if let Some(Attr::List(l)) = cx.attrs().get("assume").cloned() {
        let labels = spec.labels();
        if l.len() != labels.len() {
            let text = format!("`assume` has {} entries for {} labels", l.len(), labels.len());
            let names: Vec<String> = labels.iter().map(Label::to_string).collect();
            return Err(Error::new(Code::E0228, text)
                .attr("assume")
                .help(format!("one number a label, in this order: {}", names.join(", "))));
        }
        if l.iter().any(|a| matches!(a, Attr::Int(i) if *i < 0)) {
            return Err(Error::new(Code::E0227, "`assume` has a negative extent").attr("assume"));
        }
        if l.iter().all(|a| *a == Attr::Int(0)) {
            cx.remove_attr("assume");
        }
    }
    if cx.attrs().get("path").is_some() {
        if !spec.is_flat() {
            return Err(Error::new(Code::E1206, "`path` and parentheses both say in which order")
                .attr("path")
                .help("leave one of them out"));
        }
        check_path(&path(cx.attrs()), n).map_err(|e| e.attr("path"))?;
    }
    Ok(())
}
/// The steps of `path`; a negative position is one too many.
fn path(a: &Attrs) -> Vec<Vec<usize>> {
    let step = |s: &Attr| match s {
        Attr::List(l) => {
            l.iter().map(|i| if let Attr::Int(i) = i { usize::try_from(*i).unwrap_or(usize::MAX) } else { 0 }).collect()
        }
        _ => vec![],
    };
    match a.get("path") {
        Some(Attr::List(l)) => l.iter().map(step).collect(),
        _ => vec![],
    }
}
/// Every step names what is left, once each, and all of them leave one.
fn check_path(path: &[Vec<usize>], n: usize) -> Result<()> {
    let wrong = |text: String| {
        Err(Error::new(Code::E1205, text)
            .help("a step lists positions in what is left; its product goes to the end of that"))
    };
    let mut left = n;
    for (k, step) in path.iter().enumerate() {
        if step.is_empty() {
            return wrong(format!("step {k} of `path` names nothing"));
        }
        if let Some(i) = step.iter().find(|i| **i >= left) {
            let i = if *i == usize::MAX { "a negative position".into() } else { format!("position {i}") };
            return wrong(format!("step {k} of `path` names {i}, {left} are left"));
        }
        if distinct(step.iter().copied()).len() < step.len() {
            return wrong(format!("step {k} of `path` names one position twice"));
        }
        left = left + 1 - step.len();
    }
    if left > 1 { wrong(format!("{left} operands are left behind the last step of `path`")) } else { Ok(()) }
}
/// `assume` of another list of labels.
fn assumed(a: &Attrs, from: &Spec, to: &Spec) -> Option<Attr> {
    let list = a.get("assume").map(|_| a.indices("assume"))?;
    let old = from.labels();
    let of = |l: &Label| old.iter().position(|o| o == l).and_then(|i| list.get(i).copied()).unwrap_or(0);
    Some(Attr::ints(&to.labels().iter().map(of).collect::<Vec<_>>()))
}
/// An `einsum` that is to be planned as one of these attributes is.
fn like(old: &Attrs, from: &Spec, to: &Spec, conj: &[usize]) -> Attrs {
    let mut a = Attrs::of([("spec", Attr::Str(to.to_string().into()))]);
    for k in ["minimize", "memory_limit"] {
        if let Some(x) = old.get(k) {
            a.set(k, x.clone());
        }
    }
    if !conj.is_empty() {
        a.set("conj", Attr::ints(conj));
    }
    if let Some(x) = assumed(old, from, to) {
        a.set("assume", x);
    }
    a
}

/// With ⟨a, b⟩ = Re(conj(a)·b) the cotangent of operand `k` is the `einsum` of that of the result with the other operands,
/// conjugated, with the labels of `k` as its result: `a ↦ Σ a·B` transposes to `c ↦ Σ c·conj(B)`, and `a ↦ Σ conj(a)·B` to
/// `c ↦ Σ conj(c)·B`. Where `k` has a label alone, the cotangent is repeated along it.
fn transpose(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let linear: Vec<usize> = (0..op.operands.len()).filter(|&i| cx.linear(op.operands[i])).collect();
    let [k] = linear[..] else {
        return Err(Error::new(Code::E0504, format!("`einsum` of {} linear values is not linear", linear.len())));
    };
    let ty = cx.ty(op.operands[k])?;
    let spec = Spec::canonical(op.attrs.str("spec").unwrap_or_default())?;
    let conj = op.attrs.indices("conj");
    let complex = ty.dtype.is_complex();
    let mut xs = vec![cotangent(ct)?];
    let mut terms = vec![spec.out.clone()];
    let mut flags = vec![];
    if complex && conj.contains(&k) {
        flags.push(0);
    }
    for (i, &v) in op.operands.iter().enumerate().filter(|x| x.0 != k) {
        if complex && conj.contains(&i) == conj.contains(&k) {
            flags.push(xs.len());
        }
        xs.push(cx.val(v)?);
        terms.push(spec.terms[i].clone());
    }
    let mine = &spec.terms[k];
    let own = distinct(mine.iter().copied());
    let known = |l: &Label| terms.iter().flatten().any(|t| t == l);
    let present: Vec<Label> = own.iter().copied().filter(known).collect();
    let whole = present.len() == own.len();
    let out = if whole { mine.clone() } else { present.clone() };
    let to = Spec::of(terms, out);
    let mut new = NewOp::new(&EINSUM, &xs).attrs(like(&op.attrs, &spec, &to, &flags));
    if whole {
        new = new.types(vec![ty.clone()]);
    }
    let mut c = cx.b.emit1(new)?;
    if !whole {
        let at = |l: &Label| mine.iter().position(|m| m == l).unwrap_or(0);
        let wide = ty.with_dims(own.iter().map(|l| ty.dims[at(l)].clone()).collect::<Vec<_>>());
        let place = |l: &Label| own.iter().position(|m| m == l).unwrap_or(0);
        c = cx.b.broadcast(c, &wide, &present.iter().map(place).collect::<Vec<_>>())?;
        if own.len() < mine.len() {
            let to = Spec::of(vec![own], mine.clone());
            let attrs = Attrs::of([("spec", Attr::Str(to.to_string().into()))]);
            c = cx.b.emit1(NewOp::new(&EINSUM, &[c]).attrs(attrs).types(vec![ty]))?;
        }
    }
    let mut out = vec![None; op.operands.len()];
    out[k] = Some(c);
    Ok(out)
}
/// The index is one more label, that of the last axis of the result.
fn batch(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let old = Spec::canonical(op.attrs.str("spec").unwrap_or_default())?;
    let (mut new, label) = (old.clone(), old.fresh());
    for (term, x) in new.terms.iter_mut().zip(xs) {
        if let Some(a) = x.axis {
            term.insert(a.min(term.len()), label);
        }
    }
    new.out.push(label);
    let mut attrs = cx.attrs(&op.attrs)?.with("spec", Attr::Str(new.to_string().into()));
    if let Some(a) = assumed(&op.attrs, &old, &new) {
        attrs.set("assume", a);
    }
    cx.again(o, &xs.iter().map(|x| x.value).collect::<Vec<_>>(), attrs, Type::rank)
}
