//! Named extents of a function whose header says `?`.
//!
//! Modules of `jax.export` read the extents of their parameters at the entry, assert which of them are equal and how large
//! they are, and hand them on under their names. From these statements each `?` of the entry becomes a symbol, equal ones the
//! same, and the least values conditions. Functions that get extents are not functions here: they are inlined where they
//! are called, where all is known.
use super::super::ast::{AttrKind, Func, Op};
use super::{Symbols, args, types};
use std::collections::HashMap;
use tfc_ir::extent::Atom;
use tfc_ir::{Builder, CmpOp, Constraint, DType, Extent, ExtentEnv, Span};

/// Whether what the function does depends on extents that its caller has.
pub(super) fn is_open(f: &Func) -> bool {
    f.params.iter().any(|p| p.constant.is_some() || types::is_open(&p.ty)) || f.results.iter().any(types::is_open)
}

/// A parameter and its axis.
pub(super) type Place = (usize, usize);

/// What was seen of extents while a function was lowered in which each open extent was a symbol of its own.
#[derive(Default)]
pub(super) struct Notes<'a> {
    /// What functions get under a name.
    pub(super) named: Vec<(&'a str, Extent)>,
    /// What is asserted of extents.
    pub(super) asserted: Vec<Constraint>,
}
/// What an open extent is, where the program computes its extents from it: `2*b` of the extent `b` that it names.
#[derive(Default)]
pub(super) struct Solved {
    /// A multiple of a symbol of this name, of at least so much, and a constant.
    scaled: Vec<(Place, String, [i64; 2], i64)>,
    /// The extents of other places, which are symbols by their number here.
    equal: Vec<(Place, Extent)>,
}
impl Solved {
    pub(super) fn is_empty(&self) -> bool {
        self.scaled.is_empty() && self.equal.is_empty()
    }
    /// From what was seen; `symbols` are the places that the symbols stood for.
    pub(super) fn of(notes: &Notes, symbols: &[Place]) -> Solved {
        let mut s = Solved::default();
        for (name, e) in &notes.named {
            let Some((at, line)) = scale(e, symbols.len()) else { continue };
            let Some(&place) = symbols.get(at) else { continue };
            if line == [1, 0] || s.scaled.iter().any(|s| s.0 == place) {
                continue;
            }
            let least = notes.asserted.iter().filter(|c| c.op == CmpOp::Ge && c.lhs == *e);
            let least = least.filter_map(|c| c.rhs.as_exact()).max().unwrap_or(0);
            s.scaled.push((place, (*name).to_owned(), line, least));
        }
        for c in notes.asserted.iter().filter(|c| c.op == CmpOp::Eq) {
            for (x, y) in [(&c.lhs, &c.rhs), (&c.rhs, &c.lhs)] {
                let Some(Atom::Sym(own)) = x.as_atom() else { continue };
                let Some(&place) = symbols.get(own.0 as usize) else { continue };
                let mut circle = false;
                y.for_each_atom(&mut |a| {
                    let other = if let Atom::Sym(o) = a { symbols.get(o.0 as usize) } else { None };
                    circle |= a == Atom::Sym(own) || s.equal.iter().any(|e| Some(&e.0) == other);
                });
                let known = s.scaled.iter().any(|s| s.0 == place) || s.equal.iter().any(|s| s.0 == place);
                // Two plain extents that are equal are one by their places.
                if !circle && !known && y.as_exact().is_none() && y.as_atom().is_none() {
                    s.equal.push((place, y.clone()));
                }
            }
        }
        s
    }
}
/// The only symbol of an extent `e`, by its number of `count`, and what it is of the values of `e`, as far as numbers tell: where
/// `e` is `floordiv(s - c, k)`, `s` is `k*e + c`.
fn scale(e: &Extent, count: usize) -> Option<(usize, [i64; 2])> {
    /// Larger factors are not looked for.
    const MOST: i64 = 4096;
    const FROM: i64 = 1 << 20;
    let mut atoms = vec![];
    e.for_each_atom(&mut |a| atoms.push(a));
    atoms.dedup();
    let &[Atom::Sym(s)] = atoms.as_slice() else { return None };
    let at = |n: i64| {
        let mut env = ExtentEnv { syms: vec![None; count], exists: vec![] };
        *env.syms.get_mut(s.0 as usize)? = Some(n);
        e.eval(&env).ok()
    };
    let step = |from: i64| (from + 1..=from + MOST).find(|&n| at(n).zip(at(n - 1)).is_some_and(|(y, x)| y == x + 1));
    let first = step(FROM)?;
    let k = step(first)? - first;
    let c = first - k * at(first)?;
    let holds = [FROM, FROM + 1, 3 * FROM].into_iter().all(|b| at(k * b + c) == Some(b));
    holds.then_some((s.0 as usize, [k, c]))
}

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
                    let value = op.attrs.iter().filter(|(k, _)| k.text == "value").map(|(_, a)| a);
                    if let Some(AttrKind::Dense(n, _)) = op.given.iter().chain(value).next().map(|a| &a.kind)
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
        let named = compare.attrs.iter().filter(|(k, _)| k.text == "comparison_direction").map(|(_, a)| a);
        let words = named.chain(&compare.given);
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
    /// Declares the symbols and conditions; what each place is, and the places that the symbols stand for.
    pub(super) fn declare(self, b: &mut Builder, solved: &Solved) -> (HashMap<Place, Extent>, Vec<Place>) {
        let (mut roots, mut taken): (Vec<(Place, Extent)>, Vec<String>) = (vec![], vec![]);
        let own = |place: Place| solved.equal.iter().all(|e| e.0 != place);
        for &(place, root) in self.same.iter().filter(|s| s.0 == s.1 && own(s.1)) {
            debug_assert_eq!(place, root);
            let scaled = solved.scaled.iter().find(|s| s.0 == root);
            let all = self.same.iter().filter(|s| s.1 == root).filter_map(|s| self.names.get(&s.0));
            let name = scaled.map_or_else(|| all.copied().next().unwrap_or("n"), |s| &s.1);
            let name = spelled(name, &taken);
            let symbol = Extent::sym(b.sym(&name, Span::default()));
            taken.push(name);
            let whole = match scaled {
                Some((.., [k, c], least)) => {
                    b.add_where(Constraint { lhs: symbol.clone(), op: CmpOp::Ge, rhs: Extent::exact(*least) });
                    let times = symbol.mul(&Extent::exact(*k)).and_then(|e| e.add(&Extent::exact(*c)));
                    times.unwrap_or(symbol)
                }
                None => symbol,
            };
            roots.push((root, whole));
        }
        let places: Vec<Place> = self.same.iter().filter(|s| s.0 == s.1).map(|s| s.0).collect();
        for (place, e) in &solved.equal {
            let of = |a: Atom| {
                let Atom::Sym(s) = a else { return None };
                let place = places.get(s.0 as usize)?;
                roots.iter().find(|r| r.0 == *place).map(|r| r.1.clone())
            };
            if let Ok(e) = e.subst(&of) {
                roots.push((*place, e));
            }
        }
        let of = |place: Place| roots.iter().find(|r| r.0 == place).map(|r| r.1.clone());
        let out: HashMap<Place, Extent> = self.same.iter().filter_map(|s| Some((s.0, of(s.1)?))).collect();
        for (place, n) in &self.least {
            // Every extent is at least 0, and what says less is not written.
            if let Some(e) = of(self.root(*place)).filter(|_| *n > 0) {
                b.add_where(Constraint { lhs: e, op: CmpOp::Ge, rhs: Extent::exact(*n) });
            }
        }
        (out, places)
    }
}

/// Whether the op is an assertion about extents.
fn asserts(op: &Op) -> bool {
    let mut found = false;
    args::symbols(op, &mut |name| found |= name == "shape_assertion");
    let target = op.attrs.iter().find(|(k, _)| k.text == "call_target_name");
    found |= matches!(target, Some((_, a)) if matches!(a.kind, AttrKind::Str("shape_assertion")));
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
