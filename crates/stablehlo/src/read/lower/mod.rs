//! Tree to module. Functions are lowered callees first and keep the file's order; what is wrong in one hides nothing in the
//! others. What each op becomes is said by the tables of [`ops`]; nothing else names one.
mod args;
mod func;
mod literal;
mod ops;
mod probes;
mod quantised;
mod region;
mod symbolic;
mod types;
mod written;

pub(super) use ops::names;

use super::ast::{Block, File, Loc};
use super::lexer::unescape;
use super::mangle;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use tfc_ir::{Budget, Code, Diagnostic, ErrorClass, FuncId, LocDecl, Module, OpSet, Span};

/// Why a statement did not become ops.
#[derive(Debug)]
pub(super) enum Stop {
    /// This, which is not recorded yet.
    Said(Box<Diagnostic>),
    /// This, at the statement.
    Ir(tfc_ir::Error),
    /// Something that has been recorded.
    Lost,
}
impl From<Box<Diagnostic>> for Stop {
    fn from(d: Box<Diagnostic>) -> Stop {
        Stop::Said(d)
    }
}
impl From<tfc_ir::Error> for Stop {
    fn from(e: tfc_ir::Error) -> Stop {
        Stop::Ir(e)
    }
}
type Made<T> = Result<T, Stop>;

/// What functions know of the file.
struct Symbols<'a> {
    module: &'a Module,
    file: &'a File<'a>,
    /// By the name as it is written.
    funcs: HashMap<&'a str, (FuncId, usize)>,
    /// Rows of the `loc` table.
    locs: HashMap<&'a str, u32>,
    places: HashMap<(&'a str, &'a str, &'a str), u32>,
    /// Derivatives are those of Enzyme: where two values are equal, the first is the extremum.
    first_of_equals: bool,
}
impl<'a> Symbols<'a> {
    /// The row of the `loc` table that a location means.
    fn loc(&self, l: &Loc<'a>) -> Option<u32> {
        match l {
            Loc::File(file, line, column) => self.places.get(&(*file, *line, *column)).copied(),
            Loc::Of(l) => self.loc(l),
            Loc::Alias(name) => self.locs.get(name).copied(),
            Loc::Unknown => None,
        }
    }
}

/// The module that `file` says; diagnostics are added to `errors`.
pub(super) fn lower(file: &File, (set, budget): (&Arc<OpSet>, &Budget), errors: &mut Vec<Diagnostic>) -> Module {
    let mut m = Module::new(set.clone());
    m.budget = budget.clone();
    m.name = file.name.map(|n| mangle(&unescape(n.text)).into());
    let (locs, places) = locations(file, &mut m);
    let mut funcs = HashMap::new();
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for (i, f) in file.funcs.iter().enumerate() {
        if let Some(first) = seen.insert(f.name.text, f.name.span) {
            let d = Diagnostic::error(Code::E0306, f.name.span, format!("`@{}` is defined twice", f.name.text));
            errors.push(d.also(first, "first defined here").help("give one of them another name"));
        } else if let Some(id) = m.reserve(&mangle(&unescape(f.name.text))) {
            funcs.insert(f.name.text, (id, i));
        }
    }
    let first_of_equals = file.funcs.iter().flat_map(|f| &f.body).flat_map(|b| &b.ops).any(ops::is_enzyme);
    let symbols = Symbols { module: &m, file, funcs, locs, places, first_of_equals };
    let order = callees_first(file, &symbols, errors);
    let mut called = HashSet::new();
    file.funcs.iter().filter_map(|f| f.body.as_ref()).for_each(|b| calls(b, &mut called));
    for i in order {
        // One whose types its callers decide is inlined there; where there is no caller, it is looked at alone.
        let Some(f) = file.funcs.get(i) else { continue };
        let open = f.private && symbolic::is_open(f);
        if open && called.contains(f.name.text) {
            continue;
        }
        let mut lowered = func::lower(&symbols, f);
        if open {
            lowered.errors.retain(|d| !waits_for_extents(d.code));
            lowered.func = None;
        }
        let over = lowered.errors.iter().position(|e| e.code.is_limit());
        errors.extend(lowered.errors.into_iter().take(over.map_or(usize::MAX, |i| i + 1)));
        if over.is_some() {
            break;
        }
        if let (Some(made), Some(&(id, own))) = (lowered.func, symbols.funcs.get(f.name.text))
            && own == i
        {
            m.define(id, made);
        }
    }
    drop(symbols);
    // What the functions themselves have said is not said again.
    if errors.is_empty() {
        written::check(file, errors);
    }
    m
}

/// The names that the ops of a block call.
fn calls(b: &Block, out: &mut HashSet<String>) {
    for op in &b.ops {
        args::symbols(op, &mut |name| {
            out.insert(name.to_owned());
        });
        op.regions.iter().for_each(|r| calls(r, out));
    }
}
/// Whether an error with this code may vanish where a caller gives the extents.
fn waits_for_extents(code: Code) -> bool {
    matches!(code, Code::E0204 | Code::E0205 | Code::E0240 | Code::E0241) || code.class() == ErrorClass::Extent
}

/// The `loc` table: every place in a file, once. Aliases are followed, in whatever order they stand.
fn locations<'a>(
    file: &File<'a>,
    m: &mut Module,
) -> (HashMap<&'a str, u32>, HashMap<(&'a str, &'a str, &'a str), u32>) {
    let mut places = HashMap::new();
    let mut place = |key: (&'a str, &'a str, &'a str)| {
        *places.entry(key).or_insert_with(|| {
            let args = vec![tfc_ir::print::quote(&unescape(key.0)).into(), key.1.into(), key.2.into()];
            m.locs.push(LocDecl { kind: "file".into(), args });
            m.locs.len() as u32 - 1
        })
    };
    let mut names: Vec<&&str> = file.locs.keys().collect();
    names.sort();
    let mut locs = HashMap::new();
    for name in names {
        let (mut at, mut steps) = (file.locs.get(*name), 0);
        // A chain longer than the table is a circle.
        while let Some(l) = at.filter(|_| steps <= file.locs.len()) {
            steps += 1;
            let mut inner = l;
            while let Loc::Of(l) = inner {
                inner = l;
            }
            at = match inner {
                Loc::File(f, l, c) => {
                    locs.insert(*name, place((f, l, c)));
                    None
                }
                Loc::Alias(other) => file.locs.get(other),
                _ => None,
            };
        }
    }
    fn inline<'a>(b: &Block<'a>, place: &mut dyn FnMut((&'a str, &'a str, &'a str)) -> u32) {
        for op in &b.ops {
            let mut at = op.loc.as_ref();
            while let Some(Loc::Of(l)) = at {
                at = Some(l);
            }
            if let Some(Loc::File(f, l, c)) = at {
                place((f, l, c));
            }
            op.regions.iter().for_each(|r| inline(r, place));
        }
    }
    file.funcs.iter().filter_map(|f| f.body.as_ref()).for_each(|b| inline(b, &mut place));
    (locs, places)
}

/// Functions, callees first. Recursion is an error that names a function of the circle.
fn callees_first(file: &File, symbols: &Symbols, errors: &mut Vec<Diagnostic>) -> Vec<usize> {
    fn calls(b: &Block, symbols: &Symbols, out: &mut BTreeSet<usize>) {
        for op in &b.ops {
            args::symbols(op, &mut |name| out.extend(symbols.funcs.get(name).map(|f| f.1)));
            op.regions.iter().for_each(|r| calls(r, symbols, out));
        }
    }
    let callees: Vec<Vec<usize>> = file
        .funcs
        .iter()
        .map(|f| {
            let mut out = BTreeSet::new();
            f.body.iter().for_each(|b| calls(b, symbols, &mut out));
            out.into_iter().collect()
        })
        .collect();
    let (mut order, mut open, mut done) = (vec![], HashSet::new(), HashSet::new());
    for root in 0..file.funcs.len() {
        if done.contains(&root) {
            continue;
        }
        open.insert(root);
        let mut chain = vec![(root, 0)];
        while let Some(&mut (f, ref mut next)) = chain.last_mut() {
            let callee = callees.get(f).and_then(|c| c.get(*next)).copied();
            *next += 1;
            match callee {
                None => {
                    done.insert(f);
                    open.remove(&f);
                    order.push(f);
                    chain.pop();
                }
                Some(c) if open.contains(&c) => {
                    if let Some(f) = file.funcs.get(c) {
                        let d = Diagnostic::error(
                            Code::E0305,
                            f.name.span,
                            format!("recursion: @{} calls itself", f.name.text),
                        );
                        errors.push(d.help("calls form no circle; loops are written with `stablehlo.while`"));
                    }
                }
                Some(c) if done.contains(&c) => {}
                Some(c) => {
                    open.insert(c);
                    chain.push((c, 0));
                }
            }
        }
    }
    order
}
