//! Derivatives of Enzyme: `autodiff` and `fwddiff` as this language's `vjp` and `jvp`.
//!
//! Reverse: operands are the function's, then a cotangent of each active result; results are the function's that are wanted,
//! then a cotangent of each active operand. Forward: each operand that is `dup` is followed by its tangent, and so is each
//! result. `noneed` leaves a primal out. Enzyme's cotangents of complex numbers are those of the pair of their parts, as
//! here. Memory policies change no value and are left out.
use super::super::super::ast::{AttrKind, Op};
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, Stop, args};
use super::{Emit, Table};
use std::sync::Arc;
use tfc_ir::attr::SymRef;
use tfc_ir::ops::derivative::{JVP, VJP};
use tfc_ir::{Attr, Diagnostic, Func, FuncId, NewOp, OpDef, ValueId};

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

/// The function, what is wanted of its operands, and of its results.
type Called = (FuncId, Arc<Func>, Vec<Activity>, Vec<Activity>);
fn called<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>) -> Made<Called> {
    if let Some(n) = cx.ints(op, "width")?
        && n != [1]
    {
        let d = Diagnostic::error("E0240", op.span, "several directions at once (`width`) are not read");
        return Err(d.help("differentiate once a direction").into_stop());
    }
    let name = cx.symbol(op, "fn")?;
    let Some(&(id, _)) = cx.file.funcs.get(name.text) else {
        let d = Diagnostic::error("E0302", name.span, format!("`@{}` is not defined", name.text));
        return Err(d.help("no function of this file has that name").into_stop());
    };
    // What is wrong with the function has been said.
    let f = cx.file.module.try_func(id).ok_or(Stop::Lost)?;
    let operands = activities(cx, op, "activity", f.params().len())?;
    let results = activities(cx, op, "ret_activity", f.result_types.len())?;
    Ok((id, f, operands, results))
}
fn misfit(op: &Op) -> Stop {
    let text = format!("`{}` has operands that its activities do not tell", op.name.text);
    Diagnostic::error("E0210", op.span, text)
        .help("those of the function, and one more for each that is active")
        .into_stop()
}
fn derivative(id: FuncId, row: &'static OpDef, operands: &[ValueId], wrt: &[usize]) -> NewOp {
    NewOp::new(row, operands).attr("callee", Attr::Sym(SymRef::from(id))).attr("wrt", Attr::ints(wrt))
}
fn active(list: &[Activity]) -> Vec<usize> {
    list.iter().enumerate().filter(|a| a.1.active).map(|a| a.0).collect()
}

fn reverse<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let (id, f, operands, results) = called(cx, op)?;
    let count = f.params().len();
    let (own, given) = v.split_at_checked(count).ok_or_else(|| misfit(op))?;
    let (mut all, mut given) = (own.to_vec(), given.iter());
    for (t, r) in f.result_types.iter().zip(&results) {
        match (t.dtype.is_inexact(), r.active) {
            (true, true) => all.push(*given.next().ok_or_else(|| misfit(op))?),
            // What is constant has no part in the cotangents.
            (true, false) => all.push(cx.b.zeros(t)?),
            (false, _) => {}
        }
    }
    if given.next().is_some() {
        return Err(misfit(op));
    }
    let made = cx.b.emit(derivative(id, &VJP, &all, &active(&operands)))?;
    let (values, cotangents) = made.split_at_checked(results.len()).ok_or_else(|| misfit(op))?;
    let wanted = values.iter().zip(&results).filter(|r| r.1.value).map(|r| *r.0);
    Ok(wanted.chain(cotangents.iter().copied()).collect())
}

fn forward<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let (id, f, operands, results) = called(cx, op)?;
    let (mut own, mut tangents, mut given) = (vec![], vec![], v.iter().copied());
    for a in &operands {
        own.push(given.next().ok_or_else(|| misfit(op))?);
        if a.active {
            tangents.push(given.next().ok_or_else(|| misfit(op))?);
        }
    }
    if given.next().is_some() {
        return Err(misfit(op));
    }
    own.extend(tangents);
    let made = cx.b.emit(derivative(id, &JVP, &own, &active(&operands)))?;
    let (values, tangents) = made.split_at_checked(results.len()).ok_or_else(|| misfit(op))?;
    let (mut out, mut tangents) = (vec![], tangents.iter().copied());
    for ((&value, r), t) in values.iter().zip(&results).zip(&f.result_types) {
        let tangent = if t.dtype.is_inexact() { tangents.next() } else { None };
        out.extend(Some(value).filter(|_| r.value));
        if r.active {
            out.push(tangent.ok_or_else(|| misfit(op))?);
        }
    }
    Ok(out)
}
