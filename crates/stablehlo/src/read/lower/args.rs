//! Attributes of an op as Rust values. What is missing or wrong is `E0242`, at the attribute or the op.
use super::super::ast::{Attr, AttrKind, Op, TypeKind, Word};
use super::func::FuncCx;
use super::{Made, Stop, literal};
use tfc_ir::{Code, Diagnostic, Span};

/// Calls `f` for each symbol that an op names, as it is written.
pub(super) fn symbols(op: &Op, f: &mut dyn FnMut(&str)) {
    fn inside(a: &Attr, f: &mut dyn FnMut(&str)) {
        match &a.kind {
            AttrKind::Symbol(s) => f(s),
            AttrKind::List(l) | AttrKind::Product(l) => l.iter().for_each(|a| inside(a, f)),
            AttrKind::Dict(d) => d.iter().for_each(|(_, a)| inside(a, f)),
            _ => {}
        }
    }
    op.given.iter().for_each(|a| inside(a, f));
    op.attrs.iter().for_each(|(_, a)| inside(a, f));
}

/// A wrong attribute.
pub(super) fn wrong(span: Span, text: impl Into<String>, help: impl Into<String>) -> Stop {
    Stop::Said(Box::new(Diagnostic::error(Code::E0242, span, text).help(help)))
}

impl<'a> FuncCx<'a> {
    /// The attribute itself, where a name stands for it.
    pub(super) fn resolve(&self, a: &'a Attr<'a>) -> &'a Attr<'a> {
        let mut a = a;
        // Aliases name earlier ones: a chain is shorter than the list of them.
        for _ in 0..=self.file.file.aliases.len() {
            match &a.kind {
                AttrKind::Alias(name) => match self.alias(name) {
                    Some(b) => a = b,
                    None => return a,
                },
                _ => return a,
            }
        }
        a
    }
    pub(super) fn find(&self, op: &'a Op<'a>, key: &str) -> Option<&'a Attr<'a>> {
        op.attrs.iter().find(|(k, _)| k.text == key).map(|(_, a)| self.resolve(a))
    }
    pub(super) fn need(&self, op: &'a Op<'a>, key: &str) -> Made<&'a Attr<'a>> {
        self.find(op, key).ok_or_else(|| missing(op.name, key))
    }
    /// A field of `#stablehlo.gather<…>`.
    pub(super) fn field(&self, list: &'a [(Word<'a>, Attr<'a>)], key: &str) -> Made<Vec<usize>> {
        match list.iter().find(|(k, _)| k.text == key) {
            Some((_, a)) => axes(self.resolve(a)),
            None => Ok(vec![]),
        }
    }
    /// The fields of the attribute `key`.
    pub(super) fn fields(&self, op: &'a Op<'a>, key: &str) -> Made<&'a [(Word<'a>, Attr<'a>)]> {
        let a = self.need(op, key)?;
        match &a.kind {
            AttrKind::Struct(fields) | AttrKind::Dict(fields) => Ok(fields),
            _ => Err(wrong(a.span, format!("`{key}` is not read"), "it is written `#stablehlo.name<field = [0], …>`")),
        }
    }
    pub(super) fn ints(&self, op: &'a Op<'a>, key: &str) -> Made<Option<Vec<i64>>> {
        self.find(op, key).map(ints).transpose()
    }
    /// Axes or extents.
    pub(super) fn axes(&self, op: &'a Op<'a>, key: &str) -> Made<Vec<usize>> {
        axes(self.need(op, key)?)
    }
    pub(super) fn int(&self, op: &'a Op<'a>, key: &str) -> Made<i64> {
        let a = self.need(op, key)?;
        one(a)
    }
    /// An integer, or this where it is not written.
    pub(super) fn int_or(&self, op: &'a Op<'a>, key: &str, default: i64) -> Made<i64> {
        self.find(op, key).map_or(Ok(default), one)
    }
    pub(super) fn axis(&self, op: &'a Op<'a>, key: &str) -> Made<usize> {
        let a = self.need(op, key)?;
        usize::try_from(one(a)?).map_err(|_| wrong(a.span, format!("`{key}` is negative"), "axes are counted from 0"))
    }
    pub(super) fn flag(&self, op: &'a Op<'a>, key: &str) -> bool {
        self.find(op, key).is_some_and(|a| matches!(a.kind, AttrKind::Bool(true) | AttrKind::Unit))
    }
    pub(super) fn number(&self, op: &'a Op<'a>, key: &str) -> Made<Option<f64>> {
        let Some(a) = self.find(op, key) else { return Ok(None) };
        match &a.kind {
            AttrKind::Num(n) => n.parse().ok().map(Some).ok_or_else(|| not(a, "a number")),
            _ => Err(not(a, "a number")),
        }
    }
    pub(super) fn text(&self, op: &'a Op<'a>, key: &str) -> Option<&'a str> {
        match self.find(op, key)?.kind {
            AttrKind::Str(s) => Some(s),
            _ => None,
        }
    }
    /// A bare word: that of the attribute, or one that stands without a key.
    pub(super) fn word(&self, op: &'a Op<'a>, key: &str, place: usize) -> Option<&'a str> {
        let of = |a: &'a Attr<'a>| match a.kind {
            AttrKind::Word(w) => Some(w),
            _ => None,
        };
        match self.find(op, key) {
            Some(a) => of(a),
            None => op.given.iter().filter_map(of).nth(place),
        }
    }
    /// A function that an op names, as it is written: in the attribute, or without a key.
    pub(super) fn symbol(&self, op: &'a Op<'a>, key: &str) -> Made<Word<'a>> {
        let given = self.find(op, key).into_iter().chain(&op.given);
        for a in given {
            if let AttrKind::Symbol(text) = a.kind {
                return Ok(Word { text, span: a.span });
            }
        }
        Err(missing(op.name, key))
    }
    /// `[2] x [1]` under `key`, or two fields of an attribute.
    pub(super) fn pair(&self, op: &'a Op<'a>, key: &str) -> Made<Option<[Vec<usize>; 2]>> {
        let Some(a) = self.find(op, key) else { return Ok(None) };
        match &a.kind {
            AttrKind::Product(l) if l.len() == 2 => match l.as_slice() {
                [x, y] => Ok(Some([axes(x)?, axes(y)?])),
                _ => Err(not(a, "two lists, `[0] x [1]`")),
            },
            _ => Err(not(a, "two lists, `[0] x [1]`")),
        }
    }
}

fn missing(name: Word, key: &str) -> Stop {
    wrong(name.span, format!("`{}` has no `{key}`", name.text), format!("`{key}` says what it does: write it"))
}
pub(super) fn not(a: &Attr, what: &str) -> Stop {
    wrong(a.span, format!("this is not {what}"), format!("{what} is expected here"))
}
pub(super) fn one(a: &Attr) -> Made<i64> {
    match ints(a)?.as_slice() {
        [i] => Ok(*i),
        _ => Err(not(a, "an integer")),
    }
}
/// An integer, a list of integers, or a constant of integers.
pub(super) fn ints(a: &Attr) -> Made<Vec<i64>> {
    match &a.kind {
        AttrKind::Num(n) => Ok(vec![n.parse().map_err(|_| not(a, "an integer of 64 bits"))?]),
        AttrKind::Bool(b) => Ok(vec![i64::from(*b)]),
        AttrKind::List(l) => {
            let all: Vec<Vec<i64>> = l.iter().map(ints).collect::<Made<_>>()?;
            Ok(all.concat())
        }
        AttrKind::Dense(body, ty) => {
            let shape = match ty.as_ref().map(|t| &t.kind) {
                Some(TypeKind::Tensor(dims, _, _)) => {
                    dims.iter().map(|d| (*d).and_then(|n| usize::try_from(n).ok())).collect()
                }
                _ => None,
            };
            let shape: Vec<usize> = shape.ok_or_else(|| not(a, "a constant with its type"))?;
            let dtype = ty.as_ref().map(|t| &t.kind);
            if let Some(TypeKind::Tensor(_, "i1", _)) = dtype {
                let body = body.replace("true", "1").replace("false", "0");
                return Ok(literal::integers(&body, &shape, a.span)?);
            }
            Ok(literal::integers(body, &shape, a.span)?)
        }
        _ => Err(not(a, "a list of integers")),
    }
}
/// Integers that are not negative.
pub(super) fn axes(a: &Attr) -> Made<Vec<usize>> {
    let list = ints(a)?;
    let all: Option<Vec<usize>> = list.iter().map(|&i| usize::try_from(i).ok()).collect();
    all.ok_or_else(|| wrong(a.span, "a negative number", "axes and extents are counted from 0"))
}
