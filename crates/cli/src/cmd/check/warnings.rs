//! What is suspect in a program that is right: what is computed for nothing, and what is left to run time.
use super::guards;
use crate::program::Program;
use std::collections::BTreeSet;
use tfc_ir::derive::live;
use tfc_ir::{Attr, BODY, Code, Diagnostic, Func, Severity, Span, ValueId};

/// Of the file itself, in the order of its text; those that it imports are looked at on their own.
pub(in crate::cmd) fn of(program: &Program) -> Vec<Diagnostic> {
    let mut out = vec![];
    let named = named(program);
    for (_, f) in program.module.funcs() {
        unused(program, &f, !named.contains(&*f.name), &mut out);
    }
    for g in guards::of(program) {
        let help = match g.text.contains('?') {
            true => "a value decides it, so it is asked whenever the statement runs",
            false => "state it by `where` in the header",
        };
        out.push(warning(g.diagnostic(help)));
    }
    out.retain(|d| d.span() != Span::default() && program.source.name_at(d.span().start) == program.source.name());
    out.sort_by_key(Diagnostic::span);
    out
}
fn warning(d: Diagnostic) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..d }
}

/// Names of functions that others name, whose parameters are not theirs to choose.
fn named(program: &Program) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let m = &program.module;
    let mut name = |a: &Attr| {
        if let Attr::Sym(s) = a {
            out.extend(m.try_func(s.func).map(|f| f.name.to_string()));
        }
    };
    for (_, f) in m.funcs() {
        f.with.iter().for_each(|(_, a)| name(a));
        f.walk(BODY, &mut |o| f.op(o).attrs.iter().for_each(|(_, a)| name(a)));
    }
    out
}

/// Values without use, but for those whose names begin with `_`.
fn unused(program: &Program, f: &Func, entry: bool, out: &mut Vec<Diagnostic>) {
    let live = live(&program.module, f);
    // What a live op takes is used, if only for its extents.
    let ops = f.ops.iter().enumerate().filter(|(i, _)| live.ops.get(*i) == Some(&true));
    let taken = ops.flat_map(|(_, o)| o.operands.iter()).chain(f.regions.iter().flat_map(|r| r.yields.iter()));
    let used: BTreeSet<ValueId> = taken.copied().collect();
    let said = |v: ValueId| f.value(v).name.starts_with('_') || f.value(v).name.is_empty();
    f.walk(BODY, &mut |o| {
        let op = f.op(o);
        if live.ops[o.ix()] || op.results.is_empty() || op.results.iter().any(|&r| said(r) || used.contains(&r)) {
            return;
        }
        // Only what has a name in the text: of an expression that is not used, the whole is.
        let written = |v: ValueId| {
            let (span, name) = (f.value(v).span, &f.value(v).name);
            op.span.end > span.end && program.source.slice(span) == format!("%{name}")
        };
        if !op.results.iter().all(|&r| written(r)) {
            return;
        }
        let names: Vec<String> = op.results.iter().map(|&r| format!("`%{}`", f.value(r).name)).collect();
        let span = op.results.first().map_or(op.span, |&r| f.value(r).span);
        let is = if names.len() == 1 { "is" } else { "are" };
        let help = "drop the statement, or begin the name with `_`";
        let text = format!("{} {is} not used", names.join(", "));
        out.push(warning(Diagnostic::error(Code::E0315, span, text).help(help)));
    });
    for &p in f.params().iter().filter(|_| entry) {
        let v = f.value(p);
        // One with extents may stand for what it says of them.
        let sizes = v.ty.dims.iter().any(|d| d.as_exact().is_none());
        if !said(p) && !sizes && !used.contains(&p) {
            let text = format!("the parameter `%{}` of @{} is not used", v.name, f.name);
            let help = "drop it, or begin its name with `_`";
            out.push(warning(Diagnostic::error(Code::E0316, v.span, text).help(help)));
        }
    }
}
