//! What a program leaves to run time: each condition with the statement that asks it and the places its two sides come
//! from.
use crate::program::Program;
use tfc_ir::extent::Atom;
use tfc_ir::{BODY, CmpOp, Code, Diagnostic, Extent, ExtentNames, Func, Guard, Op, Region, Span, ValueId};

/// A condition left to run time.
pub(super) struct Left {
    /// The statement, or the `yield` at which it is asked.
    pub(super) span: Span,
    /// What is asked, and of what.
    pub(super) text: String,
    /// Where its sides come from: place, and what is there.
    pub(super) from: Vec<(Span, String)>,
}
impl Left {
    /// It as a diagnostic, with what to do about it.
    pub(super) fn diagnostic(&self, help: &str) -> Diagnostic {
        let d = Diagnostic::error(Code::E0430, self.span, format!("checked only at run time: {}", self.text));
        self.from.iter().fold(d.help(help), |d, (span, text)| d.also(*span, text.clone()))
    }
    /// Its places as text: `m is an extent of %x (8:18)`.
    pub(super) fn places(&self, program: &Program) -> String {
        let one = |(span, text): &(Span, String)| {
            let (line, column) = program.source.line_column(span.start);
            format!("{text} ({line}:{column})")
        };
        self.from.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}
/// Every condition of the program, in the order of the text.
pub(super) fn of(program: &Program) -> Vec<Left> {
    let mut out = vec![];
    for (_, f) in program.module.funcs() {
        f.walk(BODY, &mut |o| {
            let op = f.op(o);
            out.extend(op.guards.iter().map(|g| left(&f, op, None, g, op.span)));
            for r in op.regions.iter().map(|&r| f.region(r)) {
                out.extend(r.guards.iter().map(|g| left(&f, op, Some(r), g, r.span)));
            }
        });
    }
    out.sort_by_key(|g| g.span);
    out
}
fn left(f: &Func, op: &Op, region: Option<&Region>, g: &Guard, span: Span) -> Left {
    let yields = region.map_or(&[][..], |r| &r.yields);
    let around = region.map_or(&[][..], |r| &r.params);
    let mut values: Vec<ValueId> = [yields, &op.operands, around, &op.results].concat();
    let mut from = vec![];
    for side in [&g.cond.lhs, &g.cond.rhs] {
        // A number in an inequality is the statement's own: an index, a window.
        if side.as_exact().is_none() || g.cond.op == CmpOp::Eq {
            let (value, places) = origin(f, &values, side);
            from.extend(places.into_iter().filter(|x| x.0 != Span::default()));
            // Two sides are rather of two values than of one.
            if let Some(v) = value {
                values.retain(|&w| w != v);
                values.push(v);
            }
        }
    }
    from.dedup();
    Left { span, text: format!("{} ({})", g.display(f), g.what), from }
}
/// Where `e` comes from: the first value that has it as an extent or as its number of elements, else its names.
fn origin(f: &Func, values: &[ValueId], e: &Extent) -> (Option<ValueId>, Vec<(Span, String)>) {
    let shown = e.display(f);
    let says = |id: ValueId, what: &str| {
        let v = f.value(id);
        (Some(id), vec![(v.span, format!("{shown} is {what} %{}", v.name))])
    };
    let named = || values.iter().copied().filter(|&v| !f.value(v).name.is_empty());
    if let Some(v) = named().find(|&v| f.ty(v).dims.contains(e)) {
        return says(v, "an extent of");
    }
    let count = |v: ValueId| f.ty(v).dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d)).ok();
    if let Some(v) = named().find(|&v| f.ty(v).rank() > 1 && count(v).as_ref() == Some(e)) {
        return says(v, "the number of elements of");
    }
    let mut out: Vec<(Span, String)> = vec![];
    e.for_each_atom(&mut |a| {
        let place = match a {
            Atom::Sym(s) => f.syms.get(s.0 as usize).map(|d| (d.span, format!("{} is declared", f.sym(s)))),
            Atom::Exist(r) => f.exists.get(r.0 as usize).map(|d| (d.span, format!("?{} is bound", f.exist(r)))),
        };
        out.extend(place.filter(|p| !out.contains(p)));
    });
    (None, out)
}
