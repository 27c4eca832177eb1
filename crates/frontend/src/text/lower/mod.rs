//! Syntax tree to module. Everything about ops comes from their rows; nothing here names one.
//!
//! Functions are lowered callees first, whatever their order in the file, and keep the file's order in the module.
//! Each function is independent: what is wrong in one is reported and hides nothing in the others.
mod attr;
mod extent;
mod func;
mod literal;
mod operand;
mod order;
mod pick;
pub(crate) mod scope;
mod stmt;
mod symbols;

use super::ast::{Arg, Attr, AttrKind, File, Func, FuncHead, Item, Word};
use super::link::{Part, Shape};
use super::parser::Lost;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use symbols::{Names, Symbols};
use tfc_ir::{Code, Diagnostic, FuncId, Module};

/// A program of more files, those counted often that are imported with other functions in the place of theirs, is not read.
const MOST_UNITS: usize = 1000;

/// A file as it was parsed.
pub(super) struct Text<'u, 'a> {
    /// The text up to its end.
    pub(super) src: &'a str,
    pub(super) file: &'u File<'a>,
    /// The minor version of the language that it is written in.
    pub(super) minor: u64,
    pub(super) lost: &'u [Lost<'a>],
    pub(super) part: &'u Part,
}
/// A file as it is imported.
struct Unit<'a> {
    /// Which file.
    text: usize,
    /// The unit that imports it with other functions in the place of its own, and these: its names for them, and those here.
    with: Vec<(usize, Word<'a>, Word<'a>)>,
    /// Units that it imports, by the places of the words that say so.
    imports: BTreeMap<u32, usize>,
    names: Names<'a>,
    /// Its functions by item, and by name.
    ids: BTreeMap<usize, FuncId>,
    own: BTreeMap<&'a str, FuncId>,
}

/// Adds what files say to `m`, of which the first is the program; diagnostics are added to `errors`.
pub(super) fn lower(m: &mut Module, texts: &[Option<Text>], shape: &Shape, errors: &mut Vec<Diagnostic>) {
    let text = |i: usize| texts.get(i).and_then(Option::as_ref);
    let mut units = units(texts, errors);
    for unit in &mut units {
        let Some(t) = text(unit.text) else { continue };
        (unit.names, unit.ids) = symbols::declare(t, m, shape, errors);
        let name = |(&i, &id): (&usize, &FuncId)| Some((head_of(t.file, i)?.0.name.text, id));
        unit.own = unit.ids.iter().filter_map(name).collect();
    }
    bind(texts, &mut units, errors);
    let replaced: HashSet<FuncId> =
        units.iter().flat_map(|u| u.with.iter().filter_map(|w| u.own.get(w.1.text).copied())).collect();
    replaced.iter().for_each(|&id| m.remove(id));

    let m = &*m;
    let ops = m.op_set().clone();
    let unknown = RefCell::default();
    let symbols: Vec<Option<Symbols>> =
        units.iter().map(|u| text(u.text).map(|t| Symbols::new(m, &u.names, t, &unknown))).collect();
    let node_of: HashMap<FuncId, order::Node> =
        units.iter().enumerate().flat_map(|(u, unit)| unit.ids.iter().map(move |(&i, &id)| (id, (u, i)))).collect();
    let id_of = |(u, i): order::Node| units.get(u)?.ids.get(&i).copied();
    let none = File { items: vec![] };
    let files: Vec<&File> = units.iter().map(|u| text(u.text).map_or(&none, |t| t.file)).collect();
    let lowered = |node: order::Node| id_of(node).is_some_and(|id| !replaced.contains(&id));
    let named = |u: usize, name: &str| node_of.get(&units.get(u)?.names.function(name)?).copied();
    let order = order::callees_first(&files, &ops, &lowered, &named, errors);
    let function = |(u, i): order::Node| {
        let (head, f) = head_of(files.get(u)?, i)?;
        Some((symbols.get(u)?.as_ref()?, head, f, id_of((u, i))?))
    };
    // Functions on a circle know each other by their headers; the circle itself has been reported.
    for &node in &order.circular {
        if let Some((symbols, head, f, id)) = function(node)
            && let Some(stub) = func::lower(symbols, head, f, true).stub
        {
            m.define(id, stub);
        }
    }
    for node in order.funcs {
        let Some((symbols, head, f, id)) = function(node) else { continue };
        let lowered = func::lower(symbols, head, f, false);
        let over = lowered.errors.iter().position(|e| e.code.is_limit());
        // What follows a limit that was reached says nothing of the program.
        errors.extend(lowered.errors.into_iter().take(over.map_or(usize::MAX, |i| i + 1)));
        if over.is_some() {
            break;
        }
        match lowered.func.or(lowered.stub) {
            Some(f) => m.define(id, f),
            None => drop(symbols.unknown.borrow_mut().insert(id)),
        }
    }
    keep_used(m, units.first().map(|u| &u.own).filter(|_| units.len() > 1));
}

fn head_of<'u, 'a>(file: &'u File<'a>, i: usize) -> Option<(&'u FuncHead<'a>, &'u Func<'a>)> {
    match file.items.get(i) {
        Some(Item::Func(f)) => f.head.as_ref().map(|h| (h, f)),
        _ => None,
    }
}

/// Every file once, and once more for each import that puts functions in the place of its own.
fn units<'u, 'a>(texts: &'u [Option<Text<'u, 'a>>], errors: &mut Vec<Diagnostic>) -> Vec<Unit<'a>> {
    let unit = |text, with| Unit {
        text,
        with,
        imports: BTreeMap::new(),
        names: Names::default(),
        ids: BTreeMap::new(),
        own: BTreeMap::new(),
    };
    let mut all = vec![unit(0, vec![])];
    let mut at = 0;
    while let Some(now) = all.get(at).map(|u: &Unit| u.text) {
        let Some(t) = texts.get(now).and_then(Option::as_ref) else {
            at += 1;
            continue;
        };
        for item in &t.file.items {
            let Item::Import(import) = item else { continue };
            let Some(&to) = t.part.imports.get(&import.span.start) else { continue };
            let mut with = vec![];
            for arg in &import.with {
                match arg {
                    Arg::Key(k, Attr { kind: AttrKind::Sym(f, dims), .. }) if dims.is_empty() => {
                        with.push((at, *k, *f))
                    }
                    Arg::Key(_, Attr { kind: AttrKind::Error, .. }) => {}
                    _ => {
                        let d =
                            Diagnostic::error(Code::E0223, arg.span(), "what stands in the place of a function is one");
                        errors.push(d.help("write `with (f = @mine)`"));
                    }
                }
            }
            let known = all.iter().position(|u| u.text == to && u.with.is_empty() && with.is_empty());
            if known.is_none() && all.len() >= MOST_UNITS {
                let d =
                    Diagnostic::error(Code::E0111, import.span, format!("more than {MOST_UNITS} files are imported"));
                errors.push(d.help("files that import each other with other functions never end"));
                return all;
            }
            let index = known.unwrap_or(all.len());
            if known.is_none() {
                all.push(unit(to, with));
            }
            if let Some(u) = all.get_mut(at) {
                u.imports.insert(import.span.start, index);
            }
        }
        at += 1;
    }
    all
}

/// Gives every unit the names of what it imports, and those that stand in the place of its own.
fn bind<'a>(texts: &[Option<Text<'_, 'a>>], units: &mut [Unit<'a>], errors: &mut Vec<Diagnostic>) {
    let owns: Vec<BTreeMap<&'a str, FuncId>> = units.iter().map(|u| u.own.clone()).collect();
    for unit in units.iter_mut() {
        let Some(t) = texts.get(unit.text).and_then(Option::as_ref) else { continue };
        for item in &t.file.items {
            if let Item::Import(import) = item {
                let given = unit.imports.get(&import.span.start).and_then(|&i| owns.get(i));
                unit.names.import(import, given, errors);
            }
        }
    }
    for at in 0..units.len() {
        let with = units.get(at).map(|u| u.with.clone()).unwrap_or_default();
        for (from, name, by) in with {
            if owns.get(at).is_none_or(|own| !own.contains_key(name.text)) {
                let names =
                    owns.get(at).into_iter().flat_map(|own| own.keys().map(|n| format!("@{n}"))).collect::<Vec<_>>();
                let d = Diagnostic::error(Code::E0302, name.span, format!("the file has no function `@{}`", name.text));
                errors.push(d.help(format!("its functions are {}", names.join(", "))));
                continue;
            }
            match units.get(from).map(|u| u.names.lookup(&by)) {
                Some(Ok(symbol)) => {
                    if let Some(u) = units.get_mut(at) {
                        u.names.replace(name.text.into(), name.span, symbol);
                    }
                    // Whoever imports it so means the other one by its name too.
                    let Some(u) = units.get_mut(from) else { continue };
                    let alias = texts.get(u.text).and_then(Option::as_ref).and_then(|t| {
                        t.file.items.iter().find_map(|item| match item {
                            Item::Import(i) if u.imports.get(&i.span.start) == Some(&at) => Some(i.name.text),
                            _ => None,
                        })
                    });
                    if let Some(alias) = alias {
                        u.names.replace(format!("{alias}.{}", name.text).into(), name.span, symbol);
                    }
                }
                Some(Err(d)) => errors.push(*d),
                None => {}
            }
        }
    }
}

/// Removes the functions that no function of the program calls, or their callees.
fn keep_used(m: &Module, own: Option<&BTreeMap<&str, FuncId>>) {
    let Some(own) = own else { return };
    let used = m.reached(own.values().copied());
    for (id, _) in m.funcs() {
        if !used.contains(&id) {
            m.remove(id);
        }
    }
}
