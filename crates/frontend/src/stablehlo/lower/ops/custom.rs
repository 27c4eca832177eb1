//! `custom_call`: a table by target.
use super::super::super::ast::Op;
use super::super::super::lexer::unescape;
use super::super::Made;
use super::super::func::{FuncCx, IntoStop};
use super::{Emit, OnValues, Table, checks, dynamic, factors, linalg, order, window};
use tfc_ir::ops::elementwise as e;
use tfc_ir::ops::extents::CHECK;
use tfc_ir::{Attr, Diagnostic, NewOp, OpDef, ValueId};

pub(super) const OPS: Table = &[("stablehlo.custom_call", Emit::Whole(custom_call))];

const TARGETS: &[(&str, OnValues)] = &[
    ("check.expect_almost_eq", |cx, op, v| checks::within(cx, super::elementwise::operands(op, v)?, 1e-3)),
    ("check.expect_close", |cx, op, v| checks::near(cx, super::elementwise::operands(op, v)?, 3)),
    ("check.expect_eq", checks::equal),
    ("shape_assertion", shape_assertion),
    ("Sharding", |_, _, v| Ok(v.to_vec())),
    ("SPMDFullToShardShape", |_, _, v| Ok(v.to_vec())),
    ("SPMDShardToFullShape", |_, _, v| Ok(v.to_vec())),
    ("annotate_device_placement", |_, _, v| Ok(v.to_vec())),
    ("ApproxTopK", order::approximate),
    ("stablehlo.dynamic_top_k", order::dynamic_top_k),
    ("stablehlo.dynamic_reduce_window", window::dynamic_reduce_window),
    ("Eigh", linalg::eigh),
    // CHLO as older versions of JAX write it.
    ("mhlo.acos", |cx, _, v| row(cx, &e::ACOS, v)),
    ("mhlo.acosh", |cx, _, v| row(cx, &e::ACOSH, v)),
    ("mhlo.asin", |cx, _, v| row(cx, &e::ASIN, v)),
    ("mhlo.asinh", |cx, _, v| row(cx, &e::ASINH, v)),
    ("mhlo.atanh", |cx, _, v| row(cx, &e::ATANH, v)),
    ("mhlo.cosh", |cx, _, v| row(cx, &e::COSH, v)),
    ("mhlo.erf", |cx, _, v| row(cx, &e::ERF, v)),
    ("mhlo.sinh", |cx, _, v| row(cx, &e::SINH, v)),
    ("mhlo.tan", |cx, _, v| row(cx, &e::TAN, v)),
    ("mhlo.topk", order::called_top_k),
    ("LuDecomposition", linalg::lu_decomposition),
    ("Qr", factors::geqrf),
    ("ProductOfElementaryHouseholderReflectors", factors::orgqr),
];

/// Functions of LAPACK, called `lapack_` with the letter of a dtype and the name, then `_ffi`: the letters, the name.
const LAPACK: &[(&str, &str, OnValues)] = &[
    ("sdcz", "trsm", linalg::trsm),
    ("sdcz", "potrf", linalg::potrf),
    ("sdcz", "getrf", linalg::getrf),
    ("sdcz", "geqrf", factors::geqrf),
    ("sd", "orgqr", factors::orgqr),
    ("cz", "ungqr", factors::orgqr),
    ("sd", "ormqr", factors::ormqr),
    ("cz", "unmqr", factors::ormqr),
    ("sdcz", "geqp3", factors::geqp3),
    ("sd", "syevd", linalg::syevd),
    ("cz", "heevd", linalg::syevd),
    ("sd", "sytrd", factors::sytrd),
    ("cz", "hetrd", factors::sytrd),
    ("sdcz", "gesdd", factors::gesdd),
    ("sdcz", "gesvd", factors::gesdd),
    ("sdcz", "gehrd", factors::gehrd),
    ("sdcz", "gees", factors::gees),
    ("sdcz", "geev", factors::geev),
    ("sdcz", "gtsv", factors::gtsv),
];
/// What reads calls of that target.
fn of_target(target: &str) -> Option<OnValues> {
    if let Some((_, emit)) = TARGETS.iter().find(|t| t.0 == target) {
        return Some(*emit);
    }
    let name = target.strip_prefix("lapack_")?.strip_suffix("_ffi")?;
    let (_, _, emit) = LAPACK
        .iter()
        .find(|(letters, rest, _)| name.strip_suffix(rest).is_some_and(|l| l.len() == 1 && letters.contains(l)))?;
    Some(*emit)
}

fn row(cx: &mut FuncCx, def: &'static OpDef, v: &[ValueId]) -> Made<Vec<ValueId>> {
    Ok(cx.b.emit(NewOp::new(def, v))?)
}

/// The targets, as they are written.
pub(super) fn targets() -> impl Iterator<Item = String> {
    let lapack =
        LAPACK.iter().flat_map(|(letters, name, _)| letters.chars().map(move |l| format!("lapack_{l}{name}_ffi")));
    TARGETS.iter().map(|t| t.0.to_string()).chain(lapack)
}
fn custom_call<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let target = match cx.symbol(op, "call_target_name") {
        Ok(w) => w.text,
        Err(e) => cx.text(op, "call_target_name").ok_or(e)?,
    };
    let Some(emit) = of_target(target) else {
        return Err(unread(op, target).into_stop());
    };
    // The last operands may be the extents of the results.
    let shapes = cx.ints(op, "indices_of_shape_operands")?.map_or(0, |l| l.len());
    let (own, shapes) = v.split_at(v.len().saturating_sub(shapes));
    let known = shapes.iter().map(|&s| dynamic::extents(cx, op, s)).collect::<Made<_>>()?;
    cx.result_extents = known;
    let made = emit(cx, op, own);
    cx.result_extents.clear();
    made
}
/// The diagnostic of a target that is not read.
fn unread(op: &Op, target: &str) -> Diagnostic {
    if target.contains("callback") {
        let text = format!("the custom call `@{target}` of `jax.pure_callback` or `jax.debug.print` is not read");
        let d = Diagnostic::error("E0240", op.span, text);
        return d.help("it calls back into Python: leave these out of what is exported");
    }
    let d = Diagnostic::error("E0240", op.span, format!("the custom call `@{target}` is not read"));
    d.help("it is code outside of the program: export with ops of StableHLO in its place")
}

/// An assertion about extents: nothing where it is known to hold, else a check with what JAX says first.
fn shape_assertion<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let Some(&p) = v.first().filter(|p| cx.decided.get(p) != Some(&true)) else { return Ok(vec![]) };
    let text = unescape(cx.text(op, "error_message").unwrap_or("an assertion about extents does not hold"));
    let first = text.split(" Using the following").next().unwrap_or_default();
    Ok(cx.b.emit(NewOp::new(&CHECK, &[p]).attr("message", Attr::Str(first.into())))?)
}
