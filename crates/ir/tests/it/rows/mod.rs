//! A table of inference cases as text: `op(operand types) {attribute = value; …} : written type where … => outcome`.
//!
//! The outcome is the inferred types, then ` if ` and the guards that inference left to run time; or an error code, then
//! the part of the statement that it is about. Extents: `m n k` are symbols, `?r ?q` are bound, `?u` is not.
use std::sync::Arc;
use tfc_ir::extent::CmpOp;
use tfc_ir::op::SlotKind;
use tfc_ir::{Attr, Builder, Constraint, DType, Extent, Module, NewOp, OpDef, OpSet, Part, Span, Type};

struct Names {
    list: Vec<(&'static str, Extent)>,
}
impl Names {
    fn new(b: &mut Builder) -> Names {
        let mut list: Vec<_> =
            ["m", "n", "k"].into_iter().map(|s| (s, Extent::sym(b.sym(s, Span::default())))).collect();
        list.extend(["?r", "?q", "?u"].into_iter().map(|s| (s, Extent::exist(b.exist(&s[1..], Span::default())))));
        Names { list }
    }
    /// Sums of products: `2*n + 1 - m`.
    fn extent(&self, text: &str) -> Extent {
        let (mut sum, mut sign) = (Extent::exact(0), 1);
        for word in text.replace('-', " - ").replace('+', " + ").split_whitespace() {
            match word {
                "-" => sign = -1,
                "+" => sign = 1,
                term => {
                    let mut product = Extent::exact(sign);
                    for f in term.split('*') {
                        let named = self.list.iter().find(|x| x.0 == f).map(|x| x.1.clone());
                        product = product
                            .mul(&named.unwrap_or_else(|| Extent::exact(f.parse().expect("integer"))))
                            .expect("small");
                    }
                    sum = sum.add(&product).expect("small");
                }
            }
        }
        sum
    }
    fn extents(&self, text: &str) -> Vec<Extent> {
        list(text).iter().map(|s| self.extent(s)).collect()
    }
    fn ty(&self, text: &str) -> Type {
        let (dtype, dims) = text.split_once('[').expect("type");
        Type::new(DType::from_name(dtype).expect("dtype"), self.extents(&format!("[{dims}")))
    }
    fn attr(&self, kind: SlotKind, text: &str) -> Attr {
        let int = |s: &str| Attr::Int(s.parse().expect("integer"));
        match kind {
            SlotKind::Extents => Attr::extents(self.extents(text)),
            SlotKind::IntLists => Attr::List(list(text).iter().map(|l| self.attr(SlotKind::Ints, l)).collect()),
            SlotKind::Ints => Attr::List(list(text).iter().map(|s| int(s)).collect()),
            SlotKind::Bool => Attr::Bool(text == "true"),
            SlotKind::Word(_) => Attr::word(text),
            SlotKind::Str => Attr::Str(text.into()),
            SlotKind::Float => Attr::Float(text.parse().expect("number")),
            _ => int(text),
        }
    }
    fn constraint(&self, text: &str) -> Constraint {
        let ops = [("<=", CmpOp::Le), (">=", CmpOp::Ge), ("==", CmpOp::Eq)];
        let (sign, op) = ops.into_iter().find(|o| text.contains(o.0)).expect("relation");
        let (l, r) = text.split_once(sign).expect("relation");
        Constraint { lhs: self.extent(l), op, rhs: self.extent(r) }
    }
}
/// The elements of `[a, [b, c]]` at the first level; of `a, b[c]` as well.
fn list(text: &str) -> Vec<String> {
    let text = text.trim();
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    let (mut out, mut depth) = (vec![String::new()], 0);
    for c in inner.chars() {
        depth += i32::from(c == '[') - i32::from(c == ']');
        match c {
            ',' if depth == 0 => out.push(String::new()),
            c => out.last_mut().expect("never empty").push(c),
        }
    }
    out.into_iter().map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect()
}
fn row(name: &str) -> &'static OpDef {
    OpSet::core().get(name).unwrap_or_else(|| panic!("no op {name}"))
}
/// What building the statement gives.
fn outcome(statement: &str) -> String {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "f");
    let names = Names::new(&mut b);
    b.param(names.ty("bool[?r, ?q]"), "bind");
    let (statement, wheres) = statement.split_once(" where ").unwrap_or((statement, ""));
    let (statement, written) = statement.split_once(" : ").unwrap_or((statement, ""));
    let (call, attrs) = statement.split_once('{').unwrap_or((statement, ""));
    let (name, operands) = call.trim().strip_suffix(')').and_then(|s| s.split_once('(')).expect("op(…)");
    let def = row(name);
    let xs: Vec<_> = list(operands).iter().map(|t| b.param(names.ty(t), "x")).collect();
    let mut op = NewOp::new(def, &xs);
    for pair in attrs.trim().trim_end_matches('}').split(';').filter(|s| !s.trim().is_empty()) {
        let (k, v) = pair.split_once('=').expect("key = value");
        let slot = def.slot(k.trim()).unwrap_or_else(|| panic!("{name} has no {k}"));
        op = op.attr(slot.name, names.attr(slot.kind, v.trim()));
    }
    if !written.is_empty() {
        op = op.types(vec![names.ty(written.trim())]);
    }
    op.wheres = wheres.split(" and ").filter(|s| !s.is_empty()).map(|c| names.constraint(c)).collect();
    match b.emit(op) {
        Ok(rs) => {
            let f = b.func();
            let types: Vec<_> = rs.iter().map(|&r| f.ty(r).display(f).to_string()).collect();
            let made = f.ops.last().expect("one op");
            let guards: Vec<_> = made.guards.iter().map(|g| g.cond.display(f).to_string()).collect();
            let guards = if guards.is_empty() { String::new() } else { format!(" if {}", guards.join(" and ")) };
            format!("{}{guards}", if types.is_empty() { "()".into() } else { types.join(", ") })
        }
        Err(e) => {
            let part = match e.data().part {
                Part::Op => String::new(),
                Part::Operand(i) => format!(" operand {i}"),
                Part::Attr(a) => format!(" {a}"),
                Part::Text(a, from, to) => format!(" {a} {from}..{to}"),
                Part::Result(i) => format!(" result {i}"),
                Part::Region(i) => format!(" region {i}"),
            };
            format!("{}{part}", e.data().code.name())
        }
    }
}
/// Runs every line of the table and reports all that differ.
pub(crate) fn check(table: &str) {
    let mut bad = vec![];
    let mut lines = 0;
    for line in table.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("//")) {
        let (statement, want) = line.split_once(" => ").unwrap_or_else(|| panic!("no outcome: {line}"));
        let got = outcome(statement.trim());
        if got != want.trim() {
            bad.push(format!("{statement}\n   expected {}\n   got      {got}", want.trim()));
        }
        lines += 1;
    }
    assert!(lines > 0 && bad.is_empty(), "{} of {lines} differ\n{}", bad.len(), bad.join("\n"));
}
