//! The canonical printer. Parsing what it prints gives the same module again; same module, same bytes.
//!
//! [`nested_module`] writes a program as a person would, for people.
//!
//! Names are hints: they are made unique along the scope chain here and nowhere else; the unnamed are numbered.
use crate::attr::{Attr, SymRef};
use crate::dtype::{C32, C64, DType};
use crate::extent::{Atom, Constraint, ExistId, Extent, ExtentNames, SymId};
use crate::func::*;
use crate::module::{DataDecl, FuncId, LocDecl, Module};
use crate::op::{Place, Slot, SlotKind};
use crate::small::{Small, shortest};
use crate::tensor::Tensor;
use crate::types::Type;
use crate::{with_small_float, with_small_int};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

mod nested;

/// The lowest version that has the words which a module needs.
pub(crate) fn version(m: &Module) -> &'static str {
    let small = |t: &Type| t.dtype.is_small();
    let new = m.mesh.is_some()
        || m.data.iter().any(|d| small(&d.ty))
        || m.funcs().iter().any(|(_, f)| {
            !f.defaults.is_empty()
                || f.values.iter().any(|v| small(&v.ty))
                || f.result_types.iter().any(small)
                || f.ops.iter().any(|o| o.def.since > (1, 0))
        });
    if new { "1.1" } else { "1.0" }
}
/// A whole module as text.
pub fn module(m: &Module) -> String {
    whole(m, false)
}
/// A whole module as text of tfir 1.1 in which what is used once stands where it is used.
pub fn nested_module(m: &Module) -> String {
    whole(m, true)
}
fn whole(m: &Module, nested: bool) -> String {
    let mut out = format!("tfir {}\n", if nested { "1.1" } else { version(m) });
    if let Some(n) = &m.name {
        let _ = write!(out, "module @{n}");
        if !m.meta.is_empty() {
            let list: Vec<_> = m.meta.iter().map(|(k, v)| format!("{k} = {}", quote(v))).collect();
            let _ = write!(out, "({})", list.join(", "));
        }
        out.push('\n');
    }
    if let Some(mesh) = &m.mesh {
        let _ = writeln!(out, "{mesh}");
    }
    let mut data: Vec<&DataDecl> = m.data.iter().collect();
    data.sort_by(|a, b| a.name.cmp(&b.name));
    for d in data {
        print_data(&mut out, d);
    }
    for (_, f) in m.funcs() {
        out.push('\n');
        let mut p = Printer::new(m, &f);
        if nested {
            p.short = true;
            p.nest = Some(nested::of(&p));
        }
        p.func(&mut out);
    }
    if !m.locs.is_empty() {
        out.push('\n');
        m.locs.iter().enumerate().for_each(|(i, l)| print_loc(&mut out, i, l));
    }
    out
}
/// One function as text.
pub fn func(m: &Module, f: &Func) -> String {
    let mut out = String::new();
    Printer::new(m, f).func(&mut out);
    out
}
/// Names of a function's values as the printer writes them, without sigil.
pub fn value_names(m: &Module, f: &Func) -> Vec<String> {
    Printer::new(m, f).names
}
fn print_data(out: &mut String, d: &DataDecl) {
    let names = NoNames;
    let _ = write!(out, "data @{}: {} = {}({}", d.name, d.ty.display(&names), d.format, quote(&d.path));
    for (k, v) in [("key", &d.key), ("sha256", &d.sha256)] {
        if let Some(v) = v {
            let _ = write!(out, ", {k} = {}", quote(v));
        }
    }
    out.push_str(if d.convert { ", convert = true)\n" } else { ")\n" });
}
fn print_loc(out: &mut String, i: usize, l: &LocDecl) {
    let _ = writeln!(out, "loc #{i} = {}({})", l.kind, l.args.join(", "));
}
struct NoNames;
impl ExtentNames for NoNames {
    fn sym(&self, _: SymId) -> &str {
        "<unknown>"
    }
    fn exist(&self, _: ExistId) -> &str {
        "<unknown>"
    }
}
/// Text in quotes, escaped.
pub fn quote(s: &str) -> String {
    let mut out = String::with_capacity(s.len() + 2);
    out.push('"');
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
/// The shortest decimal that reads back to the same bits.
pub fn float(x: f64) -> String {
    if x.is_nan() {
        return if x.to_bits() == f64::NAN.to_bits() { "nan".into() } else { format!("{:#018x}", x.to_bits()) };
    }
    format!("{x:?}")
}
/// The shortest decimal that reads back to the same bits, of an f32.
pub fn float32(x: f32) -> String {
    if x.is_nan() {
        return if x.to_bits() == f32::NAN.to_bits() { "nan".into() } else { format!("{:#010x}", x.to_bits()) };
    }
    format!("{x:?}")
}
/// The shortest decimal that reads back to the same bits, of a small float.
fn half<T: Small<Wide = f32>>(x: T) -> String {
    let plain = !x.widen().is_nan() || x.bits() == T::narrow(f32::NAN).bits();
    if plain { shortest(x) } else { format!("{:#0w$x}", x.bits(), w = 2 + 2 * size_of::<T>()) }
}
/// One element as text.
pub fn element(t: &Tensor, at: usize) -> String {
    fn get<T: crate::Element>(t: &Tensor, at: usize) -> T {
        t.storage::<T>().and_then(|s| s.get(at).copied()).unwrap_or_default()
    }
    match t.dtype() {
        DType::Bool => get::<bool>(t, at).to_string(),
        DType::I32 => get::<i32>(t, at).to_string(),
        DType::I64 => get::<i64>(t, at).to_string(),
        DType::U32 => get::<u32>(t, at).to_string(),
        DType::U64 => get::<u64>(t, at).to_string(),
        DType::F32 => float32(get(t, at)),
        DType::F64 => float(get(t, at)),
        DType::C32 => {
            let z: C32 = get(t, at);
            format!("({}, {})", float32(z.re), float32(z.im))
        }
        DType::C64 => {
            let z: C64 = get(t, at);
            format!("({}, {})", float(z.re), float(z.im))
        }
        d => with_small_float!(d, T => half(get::<T>(t, at)), _ =>
            with_small_int!(d, T => get::<T>(t, at).to_string(), _ => String::new())),
    }
}
/// A tensor as nested lists in logical order, a scalar as a number; `[]` for one without elements whose lists would be many, whose
/// shape its type says.
pub fn literal(t: &Tensor) -> String {
    if crate::show::is_nothing(t) {
        return "[]".into();
    }
    let mut items = vec![];
    t.for_each_index(|at| items.push(element(t, at)));
    let mut it = items.into_iter();
    fn level(shape: &[usize], it: &mut impl Iterator<Item = String>, out: &mut String) {
        match shape.split_first() {
            None => out.push_str(&it.next().unwrap_or_default()),
            Some((&n, rest)) => {
                out.push('[');
                for i in 0..n {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    level(rest, it, out);
                }
                out.push(']');
            }
        }
    }
    let mut out = String::new();
    level(t.shape(), &mut it, &mut out);
    out
}

pub(crate) struct Printer<'a> {
    m: &'a Module,
    f: &'a Func,
    names: Vec<String>,
    syms: Vec<String>,
    exists: Vec<String>,
    /// Attributes that say what their absence would are left out.
    short: bool,
    /// What is written where it is used, and which ops are written nowhere else.
    nest: Option<(nested::Nested, Vec<bool>)>,
}
impl ExtentNames for Printer<'_> {
    fn sym(&self, s: SymId) -> &str {
        self.syms.get(s.0 as usize).map_or("<unknown>", |s| s)
    }
    fn exist(&self, e: ExistId) -> &str {
        self.exists.get(e.0 as usize).map_or("<unknown>", |s| s)
    }
}
/// Words that stand for something else where the name of a symbol may stand.
const KEYWORDS: [&str; 16] = [
    "tfir", "module", "data", "loc", "func", "export", "import", "where", "with", "return", "yield", "shape", "true",
    "false", "inf", "nan",
];
/// `name`, or where that is taken the first of `name_2`, `name_3`, … that is not; it is taken now.
fn free(name: &str, taken: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|k| format!("{name}_{k}"));
    let found = std::iter::once(name.to_string()).chain(numbered).find(|n| !taken.contains(n)).unwrap_or_default();
    taken.insert(found.clone());
    found
}
/// Hands out names that are free along the scope chain.
struct Scopes {
    taken: HashMap<String, u32>,
    /// Next number to try behind a name: keeps many equal hints linear.
    next: HashMap<String, u32>,
    counter: u32,
}
impl Scopes {
    fn pick(&mut self, hint: &str, own: &mut Vec<String>) -> String {
        let numbered = hint.is_empty() || hint.bytes().all(|b| b.is_ascii_digit());
        let name = if numbered {
            self.counter += 1;
            (self.counter - 1).to_string()
        } else if !self.taken.contains_key(hint) {
            hint.to_string()
        } else {
            let mut k = self.next.get(hint).copied().unwrap_or(2);
            while self.taken.contains_key(&format!("{hint}_{k}")) {
                k += 1;
            }
            self.next.insert(hint.to_string(), k + 1);
            format!("{hint}_{k}")
        };
        *self.taken.entry(name.clone()).or_insert(0) += 1;
        own.push(name.clone());
        name
    }
}
impl<'a> Printer<'a> {
    pub(crate) fn new(m: &'a Module, f: &'a Func) -> Printer<'a> {
        let names = vec![String::new(); f.values.len()];
        let mut p = Printer { m, f, names, syms: vec![], exists: vec![], short: false, nest: None };
        // A derivative makes symbols of existentials: they may have one name, and one that the language has.
        let mut taken: HashSet<String> = KEYWORDS.iter().map(|k| k.to_string()).collect();
        for s in &f.syms {
            if DType::from_name(&s.name).is_some() {
                taken.insert(s.name.to_string());
            }
            p.syms.push(free(&s.name, &mut taken));
        }
        p.name_exists();
        let mut s = Scopes { taken: HashMap::new(), next: HashMap::new(), counter: 0 };
        p.assign(BODY, &mut s);
        p
    }
    /// Names existentials. Text reads a header's and a body's apart, so one name may stand for one of each; but a header that
    /// follows from the body shows some of the body's beside its own, and then those names are taken in both.
    fn name_exists(&mut self) {
        let f = self.f;
        let mut shown = vec![false; f.exists.len()];
        if f.exists.iter().any(|e| e.binder == Some(Binder::Header)) {
            let dims = f.result_types.iter().flat_map(|t| t.dims.iter());
            for e in dims.chain(f.wheres.iter().flat_map(|c| [&c.lhs, &c.rhs])) {
                e.for_each_atom(&mut |a| {
                    if let Atom::Exist(e) = a {
                        shown[e.0 as usize] = true;
                    }
                });
            }
        }
        let hint = |e: &ExistDecl| if e.name.is_empty() { "r".to_string() } else { e.name.to_string() };
        let (mut header, mut body) = (HashSet::new(), HashSet::new());
        self.exists = vec![String::new(); f.exists.len()];
        for (i, e) in f.exists.iter().enumerate() {
            if shown[i] && !matches!(e.binder, None | Some(Binder::Header)) {
                self.exists[i] = free(&hint(e), &mut body);
                header.insert(self.exists[i].clone());
            }
        }
        for (i, e) in f.exists.iter().enumerate() {
            if self.exists[i].is_empty() {
                self.exists[i] = match e.binder {
                    Some(Binder::Header) => free(&hint(e), &mut header),
                    Some(_) => free(&hint(e), &mut body),
                    // Nothing that is printed names it: it takes no name away.
                    None => hint(e),
                };
            }
        }
    }
    fn assign(&mut self, r: RegionId, s: &mut Scopes) {
        let f = self.f;
        let mut own = vec![];
        for &v in &f.region(r).params {
            self.names[v.ix()] = s.pick(&f.value(v).name, &mut own);
        }
        for &o in &f.region(r).ops {
            for &v in &f.op(o).results {
                self.names[v.ix()] = s.pick(&f.value(v).name, &mut own);
            }
            for &q in &f.op(o).regions {
                self.assign(q, s);
            }
        }
        if r != BODY {
            for n in own {
                s.taken.remove(&n);
            }
        }
    }
    fn func(&self, out: &mut String) {
        let f = self.f;
        if f.export {
            out.push_str("export ");
        }
        let _ = write!(out, "func @{}", f.name);
        if !f.syms.is_empty() {
            let _ = write!(out, "<{}>", self.syms.join(", "));
        }
        out.push('(');
        self.params(out, f.params());
        out.push_str(") -> ");
        let results: Vec<String> = f
            .result_types
            .iter()
            .enumerate()
            .map(|(i, t)| match f.result_names.get(i).and_then(|n| n.as_ref()) {
                Some(n) => format!("{n}: {}", t.display(self)),
                None => t.display(self).to_string(),
            })
            .collect();
        if results.len() == 1 && f.result_names.first().is_none_or(|n| n.is_none()) {
            out.push_str(&results[0]);
        } else {
            let _ = write!(out, "({})", results.join(", "));
        }
        self.wheres(out, &f.wheres);
        if !f.with.is_empty() {
            let list: Vec<_> = f.with.iter().map(|(k, a)| format!("{k} = {}", self.attr(a, None))).collect();
            let _ = write!(out, " with ({})", list.join(", "));
        }
        out.push_str(" {\n");
        self.block(out, BODY, 1, "return");
        out.push_str("}\n");
    }
    pub(crate) fn name(&self, v: ValueId) -> &str {
        &self.names[v.ix()]
    }
    fn params(&self, out: &mut String, ps: &[ValueId]) {
        for (i, &p) in ps.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            let _ = write!(out, "%{}: {}", self.names[p.ix()], self.f.ty(p).display(self));
            if let Some(s) = self.f.sharding(p) {
                let _ = write!(out, " {s}");
            }
            if let Some(t) = self.f.default_of(p) {
                let _ = write!(out, " = {}", self.attr(&Attr::Tensor(t.clone()), None));
            }
        }
    }
    fn values(&self, vs: &[ValueId]) -> String {
        let list: Vec<_> = vs.iter().map(|v| format!("%{}", self.names[v.ix()])).collect();
        list.join(", ")
    }
    fn wheres<'c>(&self, out: &mut String, cs: impl IntoIterator<Item = &'c Constraint>) {
        for (i, c) in cs.into_iter().enumerate() {
            let _ = write!(out, "{} {}", if i == 0 { " where" } else { "," }, c.display(self));
        }
    }
    fn block(&self, out: &mut String, r: RegionId, depth: usize, end: &str) {
        let pad = "  ".repeat(depth);
        for &o in &self.f.region(r).ops {
            if self.nest.as_ref().is_some_and(|n| n.1[o.ix()]) {
                continue;
            }
            out.push_str(&pad);
            self.statement(out, o, depth);
            out.push('\n');
        }
        let ys = match self.nest.as_ref().and_then(|n| n.0.end(r)) {
            Some(texts) => texts.join(", "),
            None => self.values(&self.f.region(r).yields),
        };
        let _ = writeln!(out, "{pad}{end}{}{ys}", if ys.is_empty() { "" } else { " " });
    }
    fn statement(&self, out: &mut String, o: OpId, depth: usize) {
        let op = self.f.op(o);
        if !op.results.is_empty() {
            self.params(out, &op.results);
            out.push_str(" = ");
        }
        let nested = self.nest.as_ref().and_then(|n| n.0.operands(o));
        let short = nested.and_then(|texts| match texts {
            [of] if op.said().next().is_none() => self.part(o, of),
            [] => self.constant(o),
            _ => None,
        });
        out.push_str(&short.unwrap_or_else(|| match nested {
            Some(texts) => self.call(o, texts),
            None => self.call(o, &op.operands.iter().map(|v| format!("%{}", self.names[v.ix()])).collect::<Vec<_>>()),
        }));
        if !op.regions.is_empty() {
            out.push_str(" {\n");
            let pad = "  ".repeat(depth + 1);
            for &r in &op.regions {
                let region = self.f.region(r);
                let _ = write!(out, "{pad}{}(", region.label);
                self.params(out, &region.params);
                out.push(')');
                self.wheres(out, &region.wheres);
                out.push_str(" {\n");
                self.block(out, r, depth + 2, "yield");
                let _ = writeln!(out, "{pad}}}");
            }
            let _ = write!(out, "{}}}", "  ".repeat(depth));
        }
        self.wheres(out, op.said());
        if let Some(l) = op.loc {
            let _ = write!(out, " #{l}");
        }
    }
    /// An op with its operands, written so, and its attributes.
    fn call(&self, o: OpId, operands: &[String]) -> String {
        let op = self.f.op(o);
        let mut items: Vec<String> = vec![];
        let at = |place: Place| op.def.slots.iter().filter(move |s| s.place == place);
        let given = |s: &Slot| op.attrs.get(s.name).filter(|a| !self.short || !self.says_all_axes(o, s, a));
        items.extend(at(Place::Leading).filter_map(|s| Some(self.attr(given(s)?, Some(s)))));
        items.extend(operands.iter().cloned());
        items.extend(at(Place::Trailing).filter_map(|s| Some(self.attr(given(s)?, Some(s)))));
        items.extend(at(Place::Keyed).filter_map(|s| Some(format!("{} = {}", s.name, self.attr(given(s)?, Some(s))))));
        format!("{}({})", op.def.name, items.join(", "))
    }
    fn sym(&self, s: &SymRef) -> String {
        let mut out = format!("@{}", self.m.func_name(s.func));
        if s.explicit && !s.extents.is_empty() {
            let list: Vec<_> = s.extents.iter().map(|e| e.display(self).to_string()).collect();
            let _ = write!(out, "<{}>", list.join(", "));
        }
        out
    }
    fn extents(&self, v: &[Extent], slot: Option<&Slot>) -> String {
        let list: Vec<_> = v.iter().map(|e| e.display(self).to_string()).collect();
        let exact = v.iter().all(|e| e.as_exact().is_some());
        let one = slot.is_some_and(|s| s.kind == SlotKind::Extent);
        match (exact && slot.is_none_or(|s| s.place == Place::Keyed), one) {
            (true, true) => list.join(", "),
            (true, false) => format!("[{}]", list.join(", ")),
            _ => format!("shape[{}]", list.join(", ")),
        }
    }
    pub(crate) fn attr(&self, a: &Attr, slot: Option<&Slot>) -> String {
        match a {
            Attr::Int(i) => i.to_string(),
            Attr::Float(x) => float(*x),
            Attr::Bool(b) => b.to_string(),
            Attr::Str(s) => quote(s),
            Attr::Word(w) => w.to_string(),
            Attr::List(l) => {
                let list: Vec<_> = l.iter().map(|a| self.attr(a, None)).collect();
                format!("[{}]", list.join(", "))
            }
            Attr::Sym(s) => self.sym(s),
            Attr::Data(d) => format!("@{}", self.m.data_decl(*d).map_or("?", |d| &d.name)),
            Attr::Extents(v) => self.extents(v, slot),
            Attr::Type(t) => t.display(self).to_string(),
            Attr::Tensor(t) => literal(t),
        }
    }
}
/// A type of function `f` as text.
pub fn ty(f: &Func, t: &Type) -> String {
    t.display(f).to_string()
}
/// The name of a function.
pub fn func_name(m: &Module, f: FuncId) -> String {
    format!("@{}", m.func_name(f))
}
