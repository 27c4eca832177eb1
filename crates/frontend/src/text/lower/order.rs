//! The order in which functions are lowered: callees first. Recursion is an error that shows the circle.
use super::super::ast::{Arg, Attr, AttrKind, Body, Expr, File, Item, Let, Line, Stmt, Word};
use std::collections::{BTreeSet, HashMap};
use tfc_ir::op::{Place, SlotKind};
use tfc_ir::{Code, Diagnostic, OpDef, OpSet};

/// A function: its file's index, and that of its item.
pub(super) type Node = (usize, usize);
/// Functions of all files.
pub(super) struct Order {
    /// Callees first.
    pub(super) funcs: Vec<Node>,
    /// Functions that lie on a circle of calls.
    pub(super) circular: BTreeSet<Node>,
}

/// Orders the functions of `files`, those of which `lowered` holds. Which arguments of a statement call functions is said by the rows
/// in `ops`, and which function a name means in a file by `named`.
pub(super) fn callees_first(
    files: &[&File],
    ops: &OpSet,
    lowered: &dyn Fn(Node) -> bool,
    named: &dyn Fn(usize, &str) -> Option<Node>,
    errors: &mut Vec<Diagnostic>,
) -> Order {
    let mut calls: HashMap<Node, Vec<(Node, Word)>> = HashMap::new();
    let mut all = vec![];
    for (u, file) in files.iter().enumerate() {
        for (i, item) in file.items.iter().enumerate() {
            if let Item::Func(f) = item
                && lowered((u, i))
            {
                let mut out = vec![];
                body(&f.body, ops, &mut |w| out.extend(named(u, w.text).map(|j| (j, w))));
                calls.insert((u, i), out);
                all.push((u, i));
            }
        }
    }
    let mut order = Order { funcs: vec![], circular: BTreeSet::new() };
    let mut state: HashMap<Node, bool> = HashMap::new();
    for node in all {
        visit(node, &calls, &mut state, &mut order, errors);
    }
    order
}

/// Depth first from `root`, without recursion: call chains may be long. `state` is false while open, true when done.
fn visit<'a>(
    root: Node,
    calls: &HashMap<Node, Vec<(Node, Word<'a>)>>,
    state: &mut HashMap<Node, bool>,
    order: &mut Order,
    errors: &mut Vec<Diagnostic>,
) {
    if state.contains_key(&root) {
        return;
    }
    state.insert(root, false);
    // The chain of open functions, each with the call that is being followed.
    let mut chain: Vec<(Node, usize)> = vec![(root, 0)];
    while let Some(&mut (f, ref mut next)) = chain.last_mut() {
        let call = calls.get(&f).and_then(|c| c.get(*next)).copied();
        *next += 1;
        let Some((callee, at)) = call else {
            state.insert(f, true);
            order.funcs.push(f);
            chain.pop();
            continue;
        };
        match state.get(&callee) {
            Some(true) => {}
            Some(false) => {
                let from = chain.iter().position(|c| c.0 == callee).unwrap_or(0);
                let circle = chain.get(from..).unwrap_or_default();
                if circle.iter().all(|c| order.circular.contains(&c.0)) {
                    continue;
                }
                order.circular.extend(circle.iter().map(|c| c.0));
                errors.push(report(circle, calls, at));
            }
            None => {
                state.insert(callee, false);
                chain.push((callee, 0));
            }
        }
    }
}

fn report(circle: &[(Node, usize)], calls: &HashMap<Node, Vec<(Node, Word)>>, closing: Word) -> Diagnostic {
    let followed = |c: &(Node, usize)| calls.get(&c.0).and_then(|l| l.get(c.1.checked_sub(1)?)).map(|l| l.1);
    let mut names = vec![format!("@{}", closing.text)];
    names.extend(circle.iter().filter_map(followed).map(|w| format!("@{}", w.text)));
    let mut d = Diagnostic::error(Code::E0305, closing.span, format!("recursion: {}", names.join(" calls ")));
    d = d.label("closes the circle");
    for w in circle.iter().filter_map(followed).filter(|w| w.span != closing.span) {
        d = d.also(w.span, format!("@{} is called here", w.text));
    }
    d.help("calls form no circle; loops are written with `while` or `scan`")
}

/// Calls `f` for every symbol that a statement may call: elsewhere a symbol is data, or a mistake.
fn body<'a>(b: &Body<'a>, ops: &OpSet, f: &mut dyn FnMut(Word<'a>)) {
    for line in &b.stmts {
        match line {
            Line::Stmt(s) => {
                call(s, ops, f);
                s.regions.iter().for_each(|r| body(&r.body, ops, f));
            }
            Line::Let(Let { value, .. }) => expr(value, ops, f),
            Line::Error(_) => {}
        }
    }
    b.end.iter().flat_map(|e| &e.values).for_each(|e| expr(e, ops, f));
}

fn call<'a>(s: &Stmt<'a>, ops: &OpSet, f: &mut dyn FnMut(Word<'a>)) {
    let def = ops.get(s.op.text);
    for arg in &s.args {
        match (arg, def) {
            (Arg::Val(e), _) => expr(e, ops, f),
            (Arg::Pos(a), Some(def)) if takes_functions(def, None) => symbols(a, f),
            (Arg::Key(k, a), Some(def)) if takes_functions(def, Some(k.text)) => symbols(a, f),
            _ => {}
        }
    }
}

/// Recursion is bounded by the lexer's limit on nested brackets.
fn expr<'a>(e: &Expr<'a>, ops: &OpSet, f: &mut dyn FnMut(Word<'a>)) {
    match e {
        Expr::Call(s) => call(s, ops, f),
        Expr::Convert(_, _, of) | Expr::Pick(of, _) => expr(of, ops, f),
        Expr::Name(_) | Expr::Literal(_) => {}
    }
}

/// Whether `def` has a slot for functions, of that key or without one.
fn takes_functions(def: &OpDef, key: Option<&str>) -> bool {
    let here = |place: Place, name: &str| key.map_or(place != Place::Keyed, |k| place == Place::Keyed && name == k);
    def.slots.iter().any(|s| s.kind == SlotKind::Func && here(s.place, s.name))
}

fn symbols<'a>(a: &Attr<'a>, f: &mut dyn FnMut(Word<'a>)) {
    match &a.kind {
        AttrKind::Sym(w, _) => f(*w),
        AttrKind::List(v) => v.iter().for_each(|a| symbols(a, f)),
        _ => {}
    }
}
