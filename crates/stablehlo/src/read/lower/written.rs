//! Types as they are written: each use of a value has the type of its definition, to the letter. A function whose extents its callers
//! decide is lowered with theirs, where `?` stands for whatever they are; here it is a type like any other. Functions that
//! nobody calls are looked at as well.
//!
//! Where a type is not written, or an op has another number of them than of values, nothing is said here: the lowering asks.
use super::super::ast::{Block, File, Op, Type, TypeKind};
use super::ops::forms::{self, Written};
use std::collections::HashMap;
use tfc_ir::{Code, Diagnostic};

/// What is wrong with the types that are written in `file` is added to `errors`, one mistake a function.
pub(super) fn check(file: &File, errors: &mut Vec<Diagnostic>) {
    for f in &file.funcs {
        let Some(body) = &f.body else { continue };
        let mut types = Types::default();
        types.enter();
        f.params.iter().for_each(|p| types.define(p.name.text, vec![Some(&p.ty)]));
        let found = types.block(body).or_else(|| returned(body, &f.results));
        errors.extend(found);
    }
}

/// The error where the function does not return what its header says.
fn returned<'a>(body: &Block<'a>, results: &[Type<'a>]) -> Option<Diagnostic> {
    let end = body.ops.last()?;
    let given = of_operands(end)?;
    if given.len() != results.len() {
        return None;
    }
    let (t, want) = given.into_iter().zip(results).find(|(t, want)| !t.is(want))?;
    let text = format!("{} is returned, and the function gives {}", shown(t), shown(want));
    Some(
        Diagnostic::error(Code::E0208, t.span, text)
            .also(want.span, "declared here")
            .help("return a value of that type"),
    )
}
/// The types of the operands, one each, where they are written.
fn of_operands<'t, 'a>(op: &'t Op<'a>) -> Option<Vec<&'t Type<'a>>> {
    let n = op.operands.len();
    let all: Vec<&Type> = match (&op.ins, forms::of(op.name.text).types, op.outs.as_slice()) {
        (Some(ins), ..) => ins.iter().collect(),
        (None, Written::Same, [one]) => vec![one; n],
        (None, Written::Select, [p, one]) => std::iter::once(p).chain(std::iter::repeat(one)).take(n).collect(),
        (None, Written::Operands, all) => all.iter().collect(),
        _ => return None,
    };
    (all.len() == n).then_some(all)
}
/// A type as a message shows it.
fn shown(t: &Type) -> String {
    match &t.kind {
        TypeKind::Tensor(dims, element, _) => {
            let dims: String = dims.iter().map(|d| d.map_or("?x".to_owned(), |n| format!("{n}x"))).collect();
            format!("`tensor<{dims}{element}>`")
        }
        TypeKind::Tuple(_) => "a tuple".into(),
        TypeKind::Token => "a token".into(),
        TypeKind::Other(text) => format!("`{text}`"),
    }
}

/// What is written of each name in scope; `None` for a result whose type is not.
#[derive(Default)]
struct Types<'t, 'a> {
    names: HashMap<&'a str, Vec<Option<&'t Type<'a>>>>,
    scopes: Vec<Vec<&'a str>>,
}
impl<'t, 'a> Types<'t, 'a> {
    fn enter(&mut self) {
        self.scopes.push(vec![]);
    }
    fn leave(&mut self) {
        for name in self.scopes.pop().unwrap_or_default() {
            self.names.remove(name);
        }
    }
    fn define(&mut self, name: &'a str, types: Vec<Option<&'t Type<'a>>>) {
        // Names that are defined twice are a mistake of their own.
        if self.names.insert(name, types).is_none()
            && let Some(scope) = self.scopes.last_mut()
        {
            scope.push(name);
        }
    }
    fn block(&mut self, b: &'t Block<'a>) -> Option<Diagnostic> {
        b.params.iter().for_each(|p| self.define(p.name.text, vec![Some(&p.ty)]));
        b.ops.iter().find_map(|op| self.op(op))
    }
    fn op(&mut self, op: &'t Op<'a>) -> Option<Diagnostic> {
        let operands = of_operands(op);
        for (u, t) in op.operands.iter().zip(operands.iter().flatten()) {
            let Some(own) = self.names.get(u.name).and_then(|n| *n.get(u.index as usize)?) else { continue };
            if !own.is(t) {
                let text = format!("`%{}` is {}, not {}", u.name, shown(own), shown(t));
                let d = Diagnostic::error(Code::E0245, u.span, text).also(t.span, "written here");
                return Some(d.also(own.span, "defined here").help("write the operand's type"));
            }
        }
        for r in &op.regions {
            self.enter();
            // What regions call the operands.
            for (i, name) in op.bound.iter().enumerate() {
                self.define(name.text, vec![operands.as_ref().and_then(|o| o.get(i).copied())]);
            }
            let found = self.block(r);
            self.leave();
            if found.is_some() {
                return found;
            }
        }
        let total: usize = op.results.iter().map(|r| r.1 as usize).sum();
        let given: Vec<&Type> = match (&op.ins, op.outs.as_slice(), forms::of(op.name.text).types) {
            (_, all, _) if all.len() == total => all.iter().collect(),
            (None, [_, one], Written::Select) if total == 1 => vec![one],
            _ => vec![],
        };
        let mut given = given.into_iter();
        for (name, count) in &op.results {
            let own = (0..*count).map(|_| given.next()).collect();
            self.define(name.text, own);
        }
        None
    }
}
