//! `custom_call`: a table by target.
use super::super::super::ast::Op;
use super::super::Made;
use super::super::func::{FuncCx, IntoStop};
use super::{Emit, OnValues, Table, checks, linalg};
use tfc_ir::{Diagnostic, ValueId};

pub(super) const OPS: Table = &[("stablehlo.custom_call", Emit::Whole(custom_call))];

const TARGETS: &[(&str, OnValues)] = &[
    ("check.expect_almost_eq", |cx, op, v| checks::within(cx, super::elementwise::operands(op, v)?, 1e-3)),
    ("check.expect_close", |cx, op, v| checks::near(cx, super::elementwise::operands(op, v)?, 3)),
    ("check.expect_eq", checks::equal),
    ("Sharding", |_, _, v| Ok(v.to_vec())),
    ("SPMDFullToShardShape", |_, _, v| Ok(v.to_vec())),
    ("SPMDShardToFullShape", |_, _, v| Ok(v.to_vec())),
    ("annotate_device_placement", |_, _, v| Ok(v.to_vec())),
    ("Eigh", linalg::eigh),
    ("lapack_strsm_ffi", linalg::trsm),
    ("lapack_dtrsm_ffi", linalg::trsm),
    ("lapack_ctrsm_ffi", linalg::trsm),
    ("lapack_ztrsm_ffi", linalg::trsm),
    ("lapack_ssyevd_ffi", linalg::syevd),
    ("lapack_dsyevd_ffi", linalg::syevd),
    ("lapack_cheevd_ffi", linalg::syevd),
    ("lapack_zheevd_ffi", linalg::syevd),
    ("lapack_sgesdd_ffi", linalg::gesdd),
    ("lapack_dgesdd_ffi", linalg::gesdd),
    ("lapack_cgesdd_ffi", linalg::gesdd),
    ("lapack_zgesdd_ffi", linalg::gesdd),
];

/// The targets, as they are written.
pub(super) fn targets() -> impl Iterator<Item = &'static str> {
    TARGETS.iter().map(|t| t.0)
}
fn custom_call<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let target = match cx.symbol(op, "call_target_name") {
        Ok(w) => w.text,
        Err(e) => cx.text(op, "call_target_name").ok_or(e)?,
    };
    match TARGETS.iter().find(|t| t.0 == target) {
        Some((_, emit)) => emit(cx, op, v),
        None => Err(unread(op, target).into_stop()),
    }
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
