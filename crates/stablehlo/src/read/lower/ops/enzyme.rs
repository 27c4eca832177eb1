//! Derivatives of Enzyme: `autodiff` and `fwddiff` as this language's `vjp` and `jvp`.
//!
//! Reverse: operands are the function's, then a cotangent of each active result; results are the function's that are wanted,
//! then a cotangent of each active operand. Forward: each operand that is `dup` is followed by its tangent, and so is each
//! result. `noneed` leaves a primal out. Enzyme's cotangents of complex numbers are those of the pair of their parts, as
//! here. Memory policies change no value and are left out. Where `width` says several directions, tangents and cotangents have a
//! first axis of that extent, along which a `scan` goes.
use super::super::super::ast::{AttrKind, Op};
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, Stop, args};
use super::{Emit, Table};
use std::sync::Arc;
use tfc_ir::attr::SymRef;
use tfc_ir::ops::control::{Gather, ScanDims};
use tfc_ir::ops::derivative::{JVP, VJP};
use tfc_ir::{Attr, Code, Diagnostic, Extent, Finished, FuncId, NewOp, OpDef, ValueId};

pub(super) const OPS: Table = &[("enzyme.autodiff", Emit::Whole(reverse)), ("enzyme.fwddiff", Emit::Whole(forward))];

/// What is wanted of an operand or a result.
#[derive(Clone, Copy)]
struct Activity {
    /// A tangent or cotangent goes along.
    active: bool,
    /// The value itself is wanted.
    value: bool,
}
fn activities<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>, key: &str, count: usize) -> Made<Vec<Activity>> {
    let a = cx.need(op, key)?;
    let AttrKind::List(list) = &a.kind else { return Err(args::not(a, "a list of activities")) };
    if list.len() != count {
        return Err(args::wrong(a.span, format!("{} activities for {count} values", list.len()), "write one a value"));
    }
    let one = |a: &'a super::super::super::ast::Attr<'a>| {
        let (active, value) = match cx.resolve(a).kind {
            AttrKind::Word("enzyme_active" | "enzyme_dup" | "enzyme_out") => (true, true),
            AttrKind::Word("enzyme_activenoneed" | "enzyme_dupnoneed") => (true, false),
            AttrKind::Word("enzyme_const") => (false, true),
            AttrKind::Word("enzyme_constnoneed") => (false, false),
            _ => return Err(args::not(a, "an activity, `#enzyme<activity enzyme_active>`")),
        };
        Ok(Activity { active, value })
    };
    list.iter().map(one).collect()
}

/// What is differentiated.
struct Called {
    id: FuncId,
    f: Arc<Finished>,
    /// What is wanted of the operands.
    operands: Vec<Activity>,
    /// What is wanted of the results.
    results: Vec<Activity>,
    /// How many directions there are, where they have an axis.
    directions: Option<i64>,
}
fn called<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>) -> Made<Called> {
    let directions = match cx.ints(op, "width")?.as_deref() {
        None | Some([1]) => None,
        Some(&[n]) if n > 1 => Some(n),
        Some(_) => {
            let d = Diagnostic::error(Code::E0242, op.span, "`width` is no number of directions");
            return Err(d.help("write `width = 2`, or leave it out").into_stop());
        }
    };
    let name = cx.symbol(op, "fn")?;
    let Some(&(id, _)) = cx.file.funcs.get(name.text) else {
        let d = Diagnostic::error(Code::E0302, name.span, format!("`@{}` is not defined", name.text));
        return Err(d.help("no function of this file has that name").into_stop());
    };
    // What is wrong with the function has been said.
    let f = cx.file.module.try_func(id).ok_or(Stop::Lost)?;
    let operands = activities(cx, op, "activity", f.params().len())?;
    let results = activities(cx, op, "ret_activity", f.result_types.len())?;
    Ok(Called { id, f, operands, results, directions })
}
fn misfit(op: &Op) -> Stop {
    let text = format!("`{}` has operands that its activities do not tell", op.name.text);
    Diagnostic::error(Code::E0210, op.span, text)
        .help("those of the function, and one more for each that is active")
        .into_stop()
}
fn derivative(id: FuncId, row: &'static OpDef, operands: &[ValueId], wrt: &[usize]) -> NewOp {
    NewOp::new(row, operands).attr("callee", Attr::Sym(SymRef::from(id))).attr("wrt", Attr::ints(wrt))
}
fn active(list: &[Activity]) -> Vec<usize> {
    list.iter().enumerate().filter(|a| a.1.active).map(|a| a.0).collect()
}

/// The function's values for these operands, and its derivative by what `inputs` makes of `given`; `part` takes the derivative
/// out of what the derivative op gives. One direction or several.
fn derived<'a>(
    cx: &mut FuncCx<'a>,
    c: &Called,
    row: &'static OpDef,
    own: &[ValueId],
    given: &[ValueId],
    inputs: impl FnOnce(&mut FuncCx<'a>, &[ValueId]) -> Made<Vec<ValueId>>,
    part: impl FnOnce(&[ValueId]) -> Made<Vec<ValueId>>,
) -> Made<(Vec<ValueId>, Vec<ValueId>)> {
    let wrt = active(&c.operands);
    let count = c.results.len();
    let Some(n) = c.directions else {
        let all = [own, &inputs(cx, given)?].concat();
        let made = cx.b.emit(derivative(c.id, row, &all, &wrt))?;
        let (values, rest) = made.split_at(count.min(made.len()));
        return Ok((values.to_vec(), part(rest)?));
    };
    let values = cx.b.call(c.id, None, own)?.0;
    let opened = cx.b.open("body");
    let mut one = vec![];
    for &g in given {
        let ty = cx.b.ty(g).without(&[0]);
        one.push(cx.b.param(ty, "direction"));
    }
    let all = [own, &inputs(cx, &one)?].concat();
    let made = cx.b.emit(derivative(c.id, row, &all, &wrt))?;
    let ys = part(&made[count.min(made.len())..])?;
    let d = ScanDims {
        carry: 0,
        length: Extent::exact(n),
        cut: vec![0; given.len()],
        collect: vec![Gather::Stack(0); ys.len()],
        reverse: false,
        ..ScanDims::default()
    };
    let body = cx.b.close(opened, ys);
    Ok((values, cx.b.scan(given, &d, body)?))
}

fn reverse<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let c = called(cx, op)?;
    let (own, given) = v.split_at_checked(c.operands.len()).ok_or_else(|| misfit(op))?;
    let takes = |r: &(&tfc_ir::Type, &Activity)| r.0.dtype.is_inexact() && r.1.active;
    if c.f.result_types.iter().zip(&c.results).filter(takes).count() != given.len() {
        return Err(misfit(op));
    }
    let cotangents = |cx: &mut FuncCx<'a>, given: &[ValueId]| {
        let (mut all, mut given) = (vec![], given.iter());
        for (t, r) in c.f.result_types.iter().zip(&c.results).filter(|r| r.0.dtype.is_inexact()) {
            // What is constant has no part in the cotangents.
            all.push(if r.active { *given.next().ok_or_else(|| misfit(op))? } else { cx.b.zeros(t)? });
        }
        Ok(all)
    };
    let (values, cotangents) = derived(cx, &c, &VJP, own, given, cotangents, |made| Ok(made.to_vec()))?;
    let wanted = values.iter().zip(&c.results).filter(|r| r.1.value).map(|r| *r.0);
    Ok(wanted.chain(cotangents).collect())
}

fn forward<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let c = called(cx, op)?;
    let (mut own, mut tangents, mut given) = (vec![], vec![], v.iter().copied());
    for a in &c.operands {
        own.push(given.next().ok_or_else(|| misfit(op))?);
        if a.active {
            tangents.push(given.next().ok_or_else(|| misfit(op))?);
        }
    }
    if given.next().is_some() {
        return Err(misfit(op));
    }
    // Tangents come for every result that can have one; those of active results are wanted.
    let part = |made: &[ValueId]| {
        let (mut out, mut made) = (vec![], made.iter().copied());
        for (r, t) in c.results.iter().zip(&c.f.result_types) {
            let tangent = if t.dtype.is_inexact() { made.next() } else { None };
            if r.active {
                out.push(tangent.ok_or_else(|| misfit(op))?);
            }
        }
        Ok(out)
    };
    let (values, tangents) = derived(cx, &c, &JVP, &own, &tangents, |_, given| Ok(given.to_vec()), part)?;
    let (mut out, mut tangents) = (vec![], tangents.into_iter());
    for (&value, r) in values.iter().zip(&c.results) {
        out.extend(Some(value).filter(|_| r.value));
        if r.active {
            out.push(tangents.next().ok_or_else(|| misfit(op))?);
        }
    }
    Ok(out)
}
