//! Calls, branches, loops, tuples, and what only orders or names values.
use super::super::super::ast::{AttrKind, Func, Op};
use super::super::func::{FuncCx, IntoStop, Slot, packed};
use super::super::probes::{Probes, Seen};
use super::super::{Made, Stop, args, symbolic};
use super::elementwise::operands;
use super::{Emit, Table, dynamic};
use tfc_ir::ops::control::{COND, Checkpoint, SCAN, SWITCH, WHILE};
use tfc_ir::{Attr, Code, DType, Diagnostic, NewOp, OpDef, Type, ValueId};

pub(super) const OPS: Table = &[
    ("call", Emit::Slots(call)),
    ("func.call", Emit::Slots(call)),
    ("stablehlo.case", Emit::Whole(case)),
    ("stablehlo.composite", Emit::Slots(call)),
    ("stablehlo.get_tuple_element", Emit::Slots(element)),
    ("stablehlo.if", Emit::Whole(branch)),
    ("stablehlo.after_all", Emit::Whole(token)),
    ("stablehlo.create_token", Emit::Whole(token)),
    ("stablehlo.optimization_barrier", Emit::Slots(|_, _, slots| Ok(slots))),
    ("stablehlo.partition_id", Emit::Whole(first_device)),
    ("stablehlo.replica_id", Emit::Whole(first_device)),
    ("stablehlo.tuple", Emit::Slots(|_, _, slots| Ok(vec![Slot::Tuple(slots)]))),
    ("stablehlo.while", Emit::Whole(repeat)),
    ("chlo.scan", Emit::Whole(scan)),
    // How values are cut over devices changes no number.
    ("sdy.propagation_barrier", Emit::Slots(|_, _, slots| Ok(slots))),
    ("sdy.reshard", Emit::Slots(|_, _, slots| Ok(slots))),
    ("sdy.sharding_constraint", Emit::Slots(|_, _, slots| Ok(slots))),
    ("sdy.sharding_group", Emit::Slots(|_, _, _| Ok(vec![]))),
];

/// There is one device, whose number is 0.
fn first_device<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [] = operands(op, v)?;
    Ok(vec![cx.b.splat(&Type::scalar(DType::U32), 0.0)?])
}
/// A call; a composite is one of its decomposition.
fn call<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, slots: Vec<Slot>) -> Made<Vec<Slot>> {
    let key = if op.name.text == "stablehlo.composite" { "decomposition" } else { "callee" };
    let name = cx.symbol(op, key)?;
    let Some(&(id, at)) = cx.file.funcs.get(name.text) else {
        let d = Diagnostic::error(Code::E0302, name.span, format!("`@{}` is not defined", name.text));
        return Err(d.help("no function of this file has that name").into_stop());
    };
    let open = |f: &&Func| f.private && (symbolic::is_open(f) || dynamic::counts(cx, f, &slots));
    if let Some(f) = cx.file.file.funcs.get(at).filter(open) {
        for (p, slot) in f.params.iter().zip(&slots) {
            if let (Some(name), Slot::One(v)) = (p.constant.filter(|n| !n.is_empty()), slot)
                && let Some([e]) = dynamic::known(cx, *v).as_deref()
            {
                cx.notes.named.push((name, e.clone()));
            }
        }
        return cx.inline(f, slots);
    }
    // What is wrong with the callee has been said.
    let Some(callee) = cx.file.module.try_func(id) else { return Err(Stop::Lost) };
    let values = cx.ones(&slots)?;
    if values.len() != callee.params().len() {
        let text = format!("@{} takes {} values, not {}", name.text, callee.params().len(), values.len());
        return Err(Diagnostic::error(Code::E0210, op.span, text)
            .help("hand it as many as it has parameters")
            .into_stop());
    }
    let (made, _) = cx.b.call(id, None, &values)?;
    Ok(packed(&op.outs, made))
}
fn element<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, slots: Vec<Slot>) -> Made<Vec<Slot>> {
    let index = match op.given.iter().find(|a| matches!(a.kind, AttrKind::List(_))) {
        Some(a) => args::one(a)?,
        None => cx.int(op, "index")?,
    };
    match slots.as_slice() {
        [Slot::Tuple(parts)] => match usize::try_from(index).ok().and_then(|i| parts.get(i)) {
            Some(s) => Ok(vec![s.clone()]),
            None => Err(args::wrong(
                op.span,
                format!("the tuple has {} elements, and no #{index}", parts.len()),
                "count from 0",
            )),
        },
        _ => Err(Diagnostic::error(Code::E0241, op.span, "the operand is no tuple")
            .help("it takes one tuple")
            .into_stop()),
    }
}

fn branch<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [p] = operands(op, v)?;
    one_of(cx, op, &COND, p, &[(0, "then"), (1, "else")])
}
/// An index outside takes the last.
fn case<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [i] = operands(op, v)?;
    let all: Vec<(usize, &str)> = (0..op.regions.len().max(1)).map(|r| (r, "case")).collect();
    one_of(cx, op, &SWITCH, i, &all)
}
/// A row of which one region runs: those of these numbers, without parameters.
fn one_of<'a>(
    cx: &mut FuncCx<'a>,
    op: &'a Op<'a>,
    def: &'static OpDef,
    by: ValueId,
    regions: &[(usize, &str)],
) -> Made<Vec<ValueId>> {
    if op.regions.len() > regions.len() {
        let text = format!("`{}` has {} regions, not {}", op.name.text, op.regions.len(), regions.len());
        return Err(Diagnostic::error(Code::E0244, op.span, text).help("leave out the others").into_stop());
    }
    let mut made = vec![];
    for &(i, label) in regions {
        let block = cx.block(op, i)?;
        made.push(cx.observed(label, op, block, &[])?);
    }
    let ids = cx.share_lists(op, &made)?;
    let regions = made.into_iter().map(|r| r.0).collect();
    let results = cx.b.branch_typed(def, by, &[], regions, &[])?;
    Ok(seen(cx, results, &ids))
}
/// Results without those that are lists of probes, the last, which are kept under their ids.
fn seen<'a>(cx: &mut FuncCx<'a>, mut results: Vec<ValueId>, ids: &[&'a str]) -> Vec<ValueId> {
    let lists = results.split_off(results.len().saturating_sub(ids.len()));
    lists.into_iter().zip(ids).for_each(|(v, id)| cx.see(id, Seen::List(v)));
    results
}

fn repeat<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let types: Vec<Type> = v.iter().map(|&x| cx.b.ty(x)).collect();
    let (cond, body) = (cx.block(op, 0)?, cx.block(op, 1)?);
    let cond = cx.region("cond", op, cond, &types)?;
    let body = cx.observed("body", op, body, &types)?;
    let ids = cx.share_lists(op, std::slice::from_ref(&body))?;
    let mut new = NewOp::new(&WHILE, v).regions(vec![cond, body.0]);
    checkpoint(cx, op)?.write(&mut new.attrs);
    let joined = vec![Attr::word("concat"); ids.len()];
    let new = match joined.as_slice() {
        [] => new,
        [one] => new.attr("collect", one.clone()),
        _ => new.attr("collect", Attr::List(joined.into())),
    };
    let results = cx.b.emit(new)?;
    Ok(seen(cx, results, &ids))
}

/// What Enzyme keeps for the reverse derivative of a loop: it changes no value. A number of carries stands at
/// `binomial_checkpointing` itself, or beside it as the period.
fn checkpoint<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>) -> Made<Checkpoint> {
    const BINOMIAL: &str = "enzyme.binomial_checkpointing";
    const PERIOD: &str = "enzyme.checkpoint_period";
    let count = |key: &str| match cx.find(op, key) {
        Some(a) if matches!(a.kind, AttrKind::Num(_)) => match args::one(a)? {
            k if k >= 1 => Ok(Some(k)),
            _ => Err(args::wrong(a.span, format!("`{key}` is at least 1"), "leave it out to keep every trip")),
        },
        _ => Ok(None),
    };
    let (snapshots, period) = (count(BINOMIAL)?, count(PERIOD)?);
    Ok(match (snapshots.or(period), period) {
        (Some(s), _) if snapshots.is_some() || cx.flag(op, BINOMIAL) => Checkpoint::Binomial(s),
        (_, Some(k)) => Checkpoint::Period(k),
        _ if cx.flag(op, BINOMIAL) || cx.flag(op, "enzyme.enable_checkpointing") => Checkpoint::Sqrt,
        _ => Checkpoint::None,
    })
}

/// Inputs are cut along an axis, carries go from cut to cut: `(inputs, carries) → (outputs, carries)`, as the region says.
fn scan<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let carries = match cx.ints(op, "operandSegmentSizes")?.as_deref() {
        Some(&[_, n]) => usize::try_from(n).unwrap_or(usize::MAX),
        _ => op.inits,
    };
    let Some(inputs) = v.len().checked_sub(carries) else {
        return Err(args::wrong(op.span, "more initial values than operands", "`operandSegmentSizes` counts both"));
    };
    let axis = cx.axis(op, "dimension")?;
    let (xs, inits) = v.split_at(inputs);
    let mut cut = vec![];
    for &x in xs {
        let ty = cx.b.ty(x);
        if axis >= ty.rank() {
            return Err(args::wrong(op.span, format!("an operand has no axis {axis}"), "axes are counted from 0"));
        }
        cut.push(ty.without(&[axis]));
    }
    let carried: Vec<Type> = inits.iter().map(|&v| cx.b.ty(v)).collect();
    let block = cx.block(op, 0)?;
    let opened = cx.b.open("body");
    let own: Vec<ValueId> = carried.iter().chain(&cut).map(|t| cx.b.param(t.clone(), "")).collect();
    let (c, x) = own.split_at(carried.len());
    let (args, types) = ([x, c].concat(), [cut, carried].concat());
    cx.probes.push(Probes::new());
    let made = cx.inlined(op, block, &args, &types);
    let probes = cx.probes.pop().unwrap_or_default();
    let made = made.and_then(|made| cx.no_probes(op, &probes).map(|()| made));
    let mut outputs = 0;
    let made = made.map(|mut yields| {
        outputs = yields.len().saturating_sub(carries);
        yields.rotate_left(outputs);
        yields
    });
    let body = cx.closed(opened, made)?;
    let reverse = cx.flag(op, "is_reverse");
    let new = NewOp::new(&SCAN, &[inits, xs].concat()).attr("carry", Attr::Int(carries as i64));
    let new = new.attr("axis", Attr::ints(&vec![axis; xs.len() + outputs])).attr("reverse", Attr::Bool(reverse));
    let mut out = cx.b.emit(new.regions(vec![body]))?;
    out.rotate_left(carries.min(v.len()));
    Ok(out)
}
/// A token: effects run in the order of the program without one.
fn token<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, _: &[ValueId]) -> Made<Vec<ValueId>> {
    let ty = cx.out(op, 0)?;
    Ok(vec![cx.b.zeros(&ty)?])
}
