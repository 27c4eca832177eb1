//! Named extents of a function whose header says `?`.
//!
//! Modules of `jax.export` read the extents of their parameters at the entry, assert which of them are equal and how large
//! they are, and hand them on under their names. From these statements each `?` of the entry becomes a symbol, equal ones the
//! same, and the least values conditions. Functions that get extents are not functions here: they are inlined where they
//! are called, where all is known.
use super::super::ast::{AttrKind, Func, Op};
use super::{Symbols, args, types};
use std::collections::HashMap;
use tfc_ir::{Builder, CmpOp, Constraint, DType, Extent, Span};

/// Does what the function does depend on extents that its caller has?
pub(super) fn is_open(f: &Func) -> bool {
    f.params.iter().any(|p| p.constant.is_some() || types::is_open(&p.ty)) || f.results.iter().any(types::is_open)
}

/// A parameter and its axis.
type Place = (usize, usize);

/// What the statements of an entry say of the extents of its parameters.
#[derive(Default)]
pub(super) struct Entry<'a> {
    /// Those that are not written, in order, each with a place that it is known to be equal to.
    same: Vec<(Place, Place)>,
    names: HashMap<Place, &'a str>,
    least: Vec<(Place, i64)>,
}

impl<'a> Entry<'a> {
    pub(super) fn of(f: &'a Func<'a>, file: &Symbols<'a>) -> Entry<'a> {
        let mut e = Entry::default();
        for (i, p) in f.params.iter().enumerate() {
            if let Ok(t) = types::pattern(&p.ty) {
                let open = t.dims.iter().enumerate().filter(|d| d.1.is_none());
                e.same.extend(open.map(|(axis, _)| ((i, axis), (i, axis))));
            }
        }
        if e.same.is_empty() {
            return e;
        }
        let params: HashMap<&str, usize> = f.params.iter().enumerate().map(|(i, p)| (p.name.text, i)).collect();
        let mut sizes: HashMap<&str, Place> = HashMap::new();
        let mut numbers: HashMap<&str, i64> = HashMap::new();
        let mut compared: HashMap<&str, &Op> = HashMap::new();
        for op in f.body.iter().flat_map(|b| &b.ops) {
            let result = op.results.first().map_or("", |r| r.0.text);
            let operand = |i: usize| op.operands.get(i).map_or("", |u| u.name);
            match op.name.text {
                "stablehlo.get_dimension_size" => {
                    let dim = op.attrs.iter().find(|(k, _)| matches!(k.text, "dim" | "dimension"));
                    let axis = dim.and_then(|(_, a)| usize::try_from(args::one(a).ok()?).ok());
                    if let (Some(&p), Some(axis)) = (params.get(operand(0)), axis) {
                        sizes.insert(result, (p, axis));
                    }
                }
                "stablehlo.convert" => {
                    if let Some(&place) = sizes.get(operand(0)) {
                        sizes.insert(result, place);
                    }
                }
                "stablehlo.constant" => {
                    if let Some(AttrKind::Dense(n, _)) = op.given.first().map(|a| &a.kind)
                        && let Ok(n) = n.trim().parse()
                    {
                        numbers.insert(result, n);
                    }
                }
                "stablehlo.compare" => drop(compared.insert(result, op)),
                "stablehlo.custom_call" if asserts(op) => {
                    if let Some(c) = compared.get(operand(0)) {
                        e.learn(c, &sizes, &numbers);
                    }
                }
                _ => args::symbols(op, &mut |name| {
                    let callee = file.funcs.get(name).and_then(|f| file.file.funcs.get(f.1));
                    for (p, u) in callee.iter().flat_map(|f| &f.params).zip(&op.operands) {
                        if let (Some(name), Some(place)) = (p.constant, sizes.get(u.name)) {
                            e.names.entry(*place).or_insert(name);
                        }
                    }
                }),
            }
        }
        e
    }
    /// The place that stands for all equal to `p`.
    fn root(&self, p: Place) -> Place {
        self.same.iter().find(|s| s.0 == p).map_or(p, |s| s.1)
    }
    fn learn(&mut self, compare: &Op, sizes: &HashMap<&str, Place>, numbers: &HashMap<&str, i64>) {
        let words = compare.given.iter().chain(compare.attrs.iter().map(|(_, a)| a));
        let direction = words.filter_map(|a| if let AttrKind::Word(w) = a.kind { Some(w) } else { None }).next();
        let [x, y] = compare.operands.as_slice() else { return };
        match (direction, sizes.get(x.name), sizes.get(y.name), numbers.get(y.name)) {
            (Some("EQ"), Some(&a), Some(&b), _) => {
                let (a, b) = (self.root(a), self.root(b));
                self.same.iter_mut().filter(|s| s.1 == a || s.1 == b).for_each(|s| s.1 = a.min(b));
            }
            (Some("GE"), Some(&a), _, Some(&n)) => self.least.push((a, n)),
            _ => {}
        }
    }
    /// Declares the symbols and conditions; what each place is.
    pub(super) fn declare(self, b: &mut Builder) -> HashMap<Place, Extent> {
        let (mut out, mut taken): (HashMap<Place, Extent>, Vec<String>) = (HashMap::new(), vec![]);
        for &(place, root) in &self.same {
            if let Some(known) = out.get(&root).cloned() {
                out.insert(place, known);
                continue;
            }
            let all = self.same.iter().filter(|s| s.1 == root).filter_map(|s| self.names.get(&s.0));
            let name = spelled(all.copied().next().unwrap_or("n"), &taken);
            let symbol = Extent::sym(b.sym(&name, Span::default()));
            taken.push(name);
            out.insert(root, symbol.clone());
            out.insert(place, symbol);
        }
        for (place, n) in &self.least {
            if let Some(e) = out.get(&self.root(*place)) {
                b.add_where(Constraint { lhs: e.clone(), op: CmpOp::Ge, rhs: Extent::exact(*n) });
            }
        }
        out
    }
}

/// Is it an assertion about extents?
fn asserts(op: &Op) -> bool {
    let mut found = false;
    args::symbols(op, &mut |name| found |= name == "shape_assertion");
    found
}

/// A name for an extent that no other has, and that is no word of the language.
fn spelled(name: &str, taken: &[String]) -> String {
    const WORDS: [&str; 16] = [
        "tfir", "module", "data", "loc", "func", "export", "import", "where", "with", "return", "yield", "shape",
        "true", "false", "inf", "nan",
    ];
    let plain = !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    let first = if plain && !name.starts_with(|c: char| c.is_ascii_digit()) { name } else { "n" };
    let free = |n: &String| !taken.contains(n) && !WORDS.contains(&n.as_str()) && DType::from_name(n).is_none();
    let numbered = (2..).map(|k| format!("{first}_{k}"));
    std::iter::once(first.to_owned()).chain(numbered).find(free).unwrap_or_default()
}
