//! What becomes of statements, for people who ask: passes note it where they replace or drop one.
use std::cell::RefCell;
use std::sync::Arc;
use tfc_ir::ops::constant::CONST;
use tfc_ir::{Builder, Def, Func, OpId, Span, ValueId};

/// What a pass has made of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// Name of the function.
    pub func: Arc<str>,
    /// Where the statement is written, or the one that it was made of.
    pub span: Span,
    /// The statement, in short: `%y = mul`.
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
            let op = f.op(o);
            let names: Vec<String> = op.results.iter().map(|&r| named(f, r)).collect();
            let was = if names.is_empty() {
                op.def.name.to_owned()
            } else {
                format!("{} = {}", names.join(", "), op.def.name)
            };
            list.push(Change { func: f.name.clone(), span: op.span, was, now: now() });
        }
    });
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
        Def::Result(o, _) if f.op(o).def.is(&CONST) => {
            let value =
                f.op(o).attrs.tensor("splat").or_else(|| f.op(o).attrs.tensor("value").filter(|t| t.len() == 1));
            value.map_or("a constant".into(), |t| tfc_ir::print::element(t, 0))
        }
        Def::Result(o, _) if o.ix() >= first => {
            let operands: Vec<String> = f.op(o).operands.iter().map(|&x| named(f, x)).collect();
            format!("{}({})", f.op(o).def.name, operands.join(", "))
        }
        _ => named(f, v),
    };
    new.iter().map(one).collect::<Vec<_>>().join(", ")
}
