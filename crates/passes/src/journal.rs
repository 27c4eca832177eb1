//! What becomes of statements, for people who ask: passes note it where they replace or drop one.
use std::cell::RefCell;
use std::sync::Arc;
use tfc_ir::ops::constant::CONST;
use tfc_ir::{Builder, Def, Func, Op, OpId, Span, ValueId};

/// What a pass has made of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// Name of the function.
    pub func: Arc<str>,
    /// Where the statement is written, or the one that it was made of.
    pub span: Span,
    /// The statement, in short: `%y = mul(%x, 1.0)`.
    pub was: String,
    /// What it is now.
    pub now: String,
}

thread_local! {
    /// Where somebody asks: what has been noted so far. Passes run on the thread that runs the pipeline.
    static NOTED: RefCell<Option<Vec<Change>>> = const { RefCell::new(None) };
}

/// Runs something, and gives what passes note meanwhile.
pub(crate) fn asked<T>(run: impl FnOnce() -> T) -> (T, Vec<Change>) {
    let before = NOTED.with(|n| n.replace(Some(vec![])));
    let done = run();
    (done, NOTED.with(|n| n.replace(before)).unwrap_or_default())
}

/// Notes what becomes of op `o` of `f`, where somebody asks.
pub(crate) fn note(f: &Func, o: OpId, now: impl FnOnce() -> String) {
    NOTED.with(|n| {
        if let Some(list) = n.borrow_mut().as_mut() {
            let (op, now) = (f.op(o), now());
            let names: Vec<String> = op.results.iter().map(|&r| named(f, r)).collect();
            let made = applied(f, o, &now);
            let was = if names.is_empty() { made } else { format!("{} = {made}", names.join(", ")) };
            list.push(Change { func: f.name.clone(), span: op.span, was, now });
        }
    });
}
/// An op with its operands. One that `now` has taken apart, so that its own operands stand there, is written out.
fn applied(f: &Func, o: OpId, now: &str) -> String {
    let op = f.op(o);
    if let Some(number) = Some(op).filter(|op| op.def.is(&CONST)).and_then(number) {
        return number;
    }
    let stands = |v: ValueId| {
        let name = named(f, v);
        now.match_indices(&name).any(|(at, _)| {
            let next = now.get(at + name.len()..).and_then(|rest| rest.chars().next());
            next.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
        })
    };
    let one = |&x: &ValueId| match f.def_op(x) {
        Some(made) if made.def.is(&CONST) => number(made).unwrap_or_else(|| named(f, x)),
        Some(made) if made.operands.iter().any(|&y| !op.operands.contains(&y) && stands(y)) => {
            listed(made.def.name, made.operands.iter().map(|&y| shown(f, y)))
        }
        _ => named(f, x),
    };
    listed(op.def.name, op.operands.iter().map(one))
}
fn listed(name: &str, operands: impl Iterator<Item = String>) -> String {
    format!("{name}({})", operands.collect::<Vec<_>>().join(", "))
}
/// The number of a constant that has only one.
fn number(op: &Op) -> Option<String> {
    let value = op.attrs.tensor("splat").or_else(|| op.attrs.tensor("value").filter(|t| t.len() == 1));
    value.map(|t| tfc_ir::print::element(t, 0))
}
/// A constant of one number as that, otherwise a value's name.
fn shown(f: &Func, v: ValueId) -> String {
    f.def_op(v).filter(|o| o.def.is(&CONST)).and_then(number).unwrap_or_else(|| named(f, v))
}
fn named(f: &Func, v: ValueId) -> String {
    match &*f.value(v).name {
        "" => "_".into(),
        name => format!("%{name}"),
    }
}

/// Values that stand in the place of a statement's results: those from op number `first` on were made for it.
pub(crate) fn place_taken(b: &Builder, first: usize, new: &[ValueId]) -> String {
    let f = b.func();
    let one = |&v: &ValueId| match f.value(v).def {
        Def::Result(o, _) if f.op(o).def.is(&CONST) => number(f.op(o)).unwrap_or_else(|| "a constant".into()),
        Def::Result(o, _) if o.ix() >= first => listed(f.op(o).def.name, f.op(o).operands.iter().map(|&x| shown(f, x))),
        _ => named(f, v),
    };
    new.iter().map(one).collect::<Vec<_>>().join(", ")
}
