//! Arguments of a statement to operands and attributes, as the slots of the op's row say.
use super::super::ast::{Arg, Attr, AttrKind, Num, NumKind, Stmt, Word};
use super::super::lexer::unescape;
use super::func::{FuncCx, Unknown};
use super::literal;
use super::operand::Given;
use tfc_ir::attr::SymRef;
use tfc_ir::extent::Extent;
use tfc_ir::op::{Place, Slot, SlotDefault, SlotKind};
use tfc_ir::slots::describe;
use tfc_ir::words::{attribute, nearest};
use tfc_ir::{Code, Diagnostic, OpDef, Span, Type};

/// What the parentheses of a statement hold.
#[derive(Default)]
pub(super) struct Arguments<'s, 'a> {
    pub(super) operands: Vec<Given<'s, 'a>>,
    pub(super) attrs: Vec<(&'static str, tfc_ir::Attr, Span)>,
    /// Something was reported, or had been: the statement cannot be built.
    pub(super) broken: bool,
    /// Something stands where the op takes nothing: what is missing or left over beside it says nothing of its own.
    pub(super) misplaced: bool,
}

impl<'a> FuncCx<'_, 'a> {
    /// Sorts the arguments of `stmt` into the slots of `def`. `written` is the first written result type.
    pub(super) fn arguments<'s>(
        &mut self,
        stmt: &'s Stmt<'a>,
        def: &'static OpDef,
        written: Option<&Type>,
    ) -> Arguments<'s, 'a> {
        self.callee = None;
        let mut out = Arguments::default();
        let mut args = stmt.args.iter().peekable();
        for slot in def.slots.iter().filter(|s| s.place == Place::Leading) {
            let Some(Arg::Pos(a)) = args.next_if(|a| matches!(a, Arg::Pos(_))) else { break };
            self.fill(&mut out, slot, a, a.span, written);
        }
        let most = def.arity().1.unwrap_or(usize::MAX);
        while let Some(given) = args.peek().and_then(|a| given(a, out.operands.len() < most)) {
            out.operands.push(given);
            args.next();
        }
        for slot in def.slots.iter().filter(|s| s.place == Place::Trailing) {
            let Some(Arg::Pos(a)) = args.next_if(|a| matches!(a, Arg::Pos(_))) else { break };
            self.fill(&mut out, slot, a, a.span, written);
        }
        let mut attributes_begun = false;
        for arg in args {
            if let Arg::Key(k, a) = arg {
                attributes_begun = true;
                self.keyed(&mut out, def, k, a, written);
                continue;
            }
            // One message for the first; that something stands after an attribute was reported with the syntax.
            if !out.misplaced && !attributes_begun {
                self.misplaced(def, arg);
            }
            out.misplaced = true;
            out.broken = true;
        }
        for slot in def.slots {
            let absent = !out.attrs.iter().any(|a| a.0 == slot.name);
            if slot.default == SlotDefault::AllAxes && absent && !out.broken && self.file.minor < 1 {
                self.newer(&format!("`{}` without `{}`", def.name, slot.name), stmt.op.span);
                out.broken = true;
            }
            if slot.default == SlotDefault::Required && absent && !out.broken {
                out.broken = true;
                let d = Diagnostic::error(Code::E0222, stmt.op.span, format!("`{}` needs `{}`", def.name, slot.name));
                self.error(d.help(format!("`{}` is {}: {}", slot.name, describe(slot.kind), placing(slot))));
            }
        }
        out
    }

    /// Resolves what an unknown op mentions, so that its other mistakes are reported too.
    pub(super) fn loose_operands(&mut self, stmt: &Stmt<'a>) {
        for arg in &stmt.args {
            if let Arg::Val(e) = arg {
                let _ = self.made(e, None, None);
            }
        }
    }

    fn misplaced(&mut self, def: &OpDef, arg: &Arg) {
        let d = Diagnostic::error(Code::E0229, arg.span(), format!("`{}` takes no such argument here", def.name));
        let slots: Vec<_> = def.slots.iter().map(|s| format!("`{}`", s.name)).collect();
        let word = if let Arg::Pos(Attr { kind: AttrKind::Case(w), .. }) = arg { *w } else { "" };
        self.error(d.help(match (arg, slots.is_empty()) {
            _ if self.values.get(word).is_some() => format!("a value is written `%{word}`"),
            _ if self.syms.contains_key(word) => {
                format!("`{word}` is an extent: as a number of a program it is `dim_value(shape[{word}])`")
            }
            _ if word == "pi" => "numbers are written out: `3.141592653589793`".to_string(),
            (Arg::Pos(Attr { kind: AttrKind::List(_) | AttrKind::Complex(..) | AttrKind::Shape(_), .. }), _)
                if def.needs_type =>
            {
                format!("it takes its shape from the type of its result: `%y: f64[2, 3] = {}(…)`", def.name)
            }
            (Arg::Val(_), _) => "operands stand together, before attributes".to_string(),
            (_, true) => format!("`{}` has operands ({}) and no attributes", def.name, def.operands.join(", ")),
            _ => format!("its attributes are {}; keyed ones are written `name = value`", slots.join(", ")),
        }));
    }

    fn keyed(
        &mut self,
        out: &mut Arguments<'_, 'a>,
        def: &'static OpDef,
        key: &Word,
        a: &Attr<'a>,
        written: Option<&Type>,
    ) {
        let span = key.span.to(a.span);
        let Some(slot) = def.slot(key.text).filter(|s| s.place == Place::Keyed) else {
            out.broken = true;
            let d = Diagnostic::error(Code::E0220, key.span, format!("`{}` has no attribute `{}`", def.name, key.text));
            let names: Vec<&str> = def.slots.iter().filter(|s| s.place == Place::Keyed).map(|s| s.name).collect();
            let near = attribute(key.text, &names).or_else(|| nearest(key.text, names.iter().copied()));
            return self.error(d.help(match (def.slot(key.text), near) {
                (Some(slot), _) => placing(slot),
                (None, Some(near)) => format!("did you mean `{near}`?"),
                (None, None) if names.is_empty() => "it has no attributes".into(),
                (None, None) => format!("its attributes are {}", names.join(", ")),
            }));
        };
        if let Some(first) = out.attrs.iter().find(|x| x.0 == slot.name) {
            let d = Diagnostic::error(Code::E0221, key.span, format!("attribute `{}` is given twice", key.text));
            let d = d.also(first.2, "first given here");
            out.broken = true;
            return self.error(d);
        }
        self.fill(out, slot, a, span, written);
    }

    fn fill(
        &mut self,
        out: &mut Arguments<'_, 'a>,
        slot: &'static Slot,
        a: &Attr<'a>,
        span: Span,
        written: Option<&Type>,
    ) {
        match self.attribute(slot, a, written) {
            Some(value) => out.attrs.push((slot.name, value, span)),
            None => out.broken = true,
        }
    }

    /// The value for a slot; `None` where something was reported.
    fn attribute(&mut self, slot: &Slot, a: &Attr<'a>, written: Option<&Type>) -> Option<tfc_ir::Attr> {
        use tfc_ir::Attr as V;
        Some(match (slot.kind, &a.kind) {
            (_, AttrKind::Error) => return None,
            (SlotKind::Int | SlotKind::IntOrInts, AttrKind::Num(n)) if is_int(n) => V::Int(self.int(n)?),
            (SlotKind::Ints | SlotKind::IntOrInts, AttrKind::List(v)) if v.iter().all(is_int_attr) => self.ints(v)?,
            (SlotKind::Ints, AttrKind::List(v)) if self.callee.is_some() && is_list(a, is_param) => {
                let at = v.iter().map(|a| self.parameter(slot, a));
                V::List(at.collect::<Option<Vec<_>>>()?.into())
            }
            (SlotKind::Axes, AttrKind::List(v)) if v.iter().all(|a| is_int_attr(a) || is_none(a)) => {
                let axes = v.iter().map(|a| match &a.kind {
                    AttrKind::Num(n) => self.int(n).map(V::Int),
                    AttrKind::Case(w) => Some(V::word(w)),
                    _ => None,
                });
                V::List(axes.collect::<Option<Vec<_>>>()?.into())
            }
            (SlotKind::IntLists, AttrKind::List(v)) if v.iter().all(|a| is_list(a, is_int_attr)) => {
                let rows = v.iter().map(|a| if let AttrKind::List(v) = &a.kind { self.ints(v) } else { None });
                V::List(rows.collect::<Option<Vec<_>>>()?.into())
            }
            (SlotKind::Float | SlotKind::FloatOrWord(_), AttrKind::Num(n)) => {
                let value = literal::float64(n);
                V::Float(self.or_report(value)?)
            }
            (SlotKind::Bool, AttrKind::Bool(b)) => V::Bool(*b),
            (SlotKind::Str, AttrKind::Str(s)) => V::Str(unescape(s).into()),
            (SlotKind::Word(words) | SlotKind::Words(words) | SlotKind::FloatOrWord(words), AttrKind::Case(w)) => {
                self.word(words, slot, w, a.span)?
            }
            // The one number that is a word as well: `on_fail = nan`.
            (SlotKind::Word(words), AttrKind::Num(Num { negative: false, kind: NumKind::Nan, .. })) => {
                self.word(words, slot, "nan", a.span)?
            }
            (SlotKind::Words(words), AttrKind::List(v)) if v.iter().all(|a| matches!(a.kind, AttrKind::Case(_))) => {
                let list = v.iter().map(|a| match a.kind {
                    AttrKind::Case(w) => self.word(words, slot, w, a.span),
                    _ => None,
                });
                V::List(list.collect::<Option<Vec<_>>>()?.into())
            }
            (SlotKind::Func, AttrKind::Sym(name, dims)) => {
                let extents = self.extents(dims, Unknown::Error);
                let func = self.function_symbol(name)?;
                self.callee = Some(func);
                V::Sym(SymRef { func, extents: extents?.into(), explicit: !dims.is_empty() })
            }
            (SlotKind::Data, AttrKind::Sym(name, dims)) if dims.is_empty() => V::Data(self.data_symbol(name)?),
            (SlotKind::Extent | SlotKind::Extents, _) if holds_extents(slot.kind, a) => {
                V::extents(self.extent_list(slot, a)?)
            }
            (SlotKind::Literal, AttrKind::Num(_) | AttrKind::Bool(_) | AttrKind::Complex(..) | AttrKind::List(_)) => {
                let value = literal::tensor(a, written);
                V::Tensor(self.or_report(value)?)
            }
            _ => {
                let d = Diagnostic::error(Code::E0223, a.span, format!("`{}` is {}", slot.name, describe(slot.kind)));
                let d = d.label(format!("this is {}", kind_of(a)));
                self.error(match (slot.kind, &a.kind) {
                    (SlotKind::Func, AttrKind::Case(name)) => d.help(format!("write `@{name}`")),
                    _ => d,
                });
                return None;
            }
        })
    }

    /// The position of a parameter of the function that the statement names, by its number or its name.
    fn parameter(&mut self, slot: &Slot, a: &Attr<'a>) -> Option<tfc_ir::Attr> {
        let name = match &a.kind {
            AttrKind::Num(n) => return self.int(n).map(tfc_ir::Attr::Int),
            AttrKind::Case(name) => *name,
            _ => return None,
        };
        self.newer("a parameter by its name", a.span);
        let f = self.callee.and_then(|f| self.file.module.func(f).ok())?;
        let names: Vec<_> = f.body().params.iter().map(|&p| f.value(p).name.clone()).collect();
        if let Some(i) = names.iter().position(|n| **n == *name) {
            return Some(tfc_ir::Attr::Int(i as i64));
        }
        let d = Diagnostic::error(Code::E0506, a.span, format!("@{} has no parameter `%{name}`", f.name));
        let near = nearest(name, names.iter().map(|n| &**n)).map(|near| format!("did you mean `{near}`?"));
        self.error(d.help(near.unwrap_or_else(|| format!("`{}` names parameters: {}", slot.name, names.join(", ")))));
        None
    }

    fn word(&mut self, words: &[&'static str], slot: &Slot, w: &str, span: Span) -> Option<tfc_ir::Attr> {
        if words.contains(&w) {
            return Some(tfc_ir::Attr::word(w));
        }
        let d = Diagnostic::error(Code::E0223, span, format!("`{}` is one of {}", slot.name, words.join(", ")));
        self.error(match nearest(w, words.iter().copied()) {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None => d,
        });
        None
    }

    fn int(&mut self, n: &Num) -> Option<i64> {
        let value = literal::integer(n);
        self.or_report(value)
    }

    fn ints(&mut self, list: &[Attr]) -> Option<tfc_ir::Attr> {
        let ints = list.iter().map(|a| match &a.kind {
            AttrKind::Num(n) => self.int(n).map(tfc_ir::Attr::Int),
            _ => None,
        });
        Some(tfc_ir::Attr::List(ints.collect::<Option<Vec<_>>>()?.into()))
    }

    /// Only a trailing slot binds an unknown `?r` (the one of `extent`); elsewhere attributes use what is bound.
    fn extent_list(&mut self, slot: &Slot, a: &Attr<'a>) -> Option<Vec<Extent>> {
        let unknown = if slot.place == Place::Trailing { Unknown::Binds } else { Unknown::Error };
        match &a.kind {
            AttrKind::Shape(dims) => self.extents(dims, unknown),
            AttrKind::Num(n) => Some(vec![Extent::exact(self.int(n)?)]),
            AttrKind::List(v) => {
                let list = v.iter().map(|a| match &a.kind {
                    AttrKind::Num(n) => self.int(n).map(Extent::exact),
                    _ => None,
                });
                list.collect()
            }
            _ => None,
        }
    }

    pub(super) fn or_report<T>(&mut self, r: Result<T, Option<Box<Diagnostic>>>) -> Option<T> {
        r.map_err(|d| d.into_iter().for_each(|d| self.error(*d))).ok()
    }
}

/// What an argument says that stands for a value; a literal does where the op takes one more.
fn given<'s, 'a>(a: &'s Arg<'a>, more: bool) -> Option<Given<'s, 'a>> {
    match a {
        Arg::Val(e) => Some(Given::Expr(e)),
        Arg::Pos(a) if more => match a.kind {
            AttrKind::Num(_) | AttrKind::Bool(_) | AttrKind::Complex(..) | AttrKind::List(_) => Some(Given::Literal(a)),
            _ => None,
        },
        _ => None,
    }
}

fn placing(slot: &Slot) -> String {
    match slot.place {
        Place::Leading => "written first, without a key".into(),
        Place::Trailing => "written after the operands, without a key".into(),
        Place::Keyed => format!("written `{} = …`", slot.name),
    }
}

fn is_int(n: &Num) -> bool {
    matches!(n.kind, NumKind::Int(_))
}
fn is_int_attr(a: &Attr) -> bool {
    matches!(&a.kind, AttrKind::Num(n) if is_int(n)) || matches!(a.kind, AttrKind::Error)
}
fn is_param(a: &Attr) -> bool {
    is_int_attr(a) || matches!(a.kind, AttrKind::Case(_))
}
fn is_none(a: &Attr) -> bool {
    matches!(a.kind, AttrKind::Case("none"))
}
fn is_list(a: &Attr, of: impl Fn(&Attr) -> bool) -> bool {
    matches!(&a.kind, AttrKind::List(v) if v.iter().all(of))
}
fn holds_extents(kind: SlotKind, a: &Attr) -> bool {
    match &a.kind {
        AttrKind::Shape(v) => kind == SlotKind::Extents || v.len() == 1,
        AttrKind::Num(n) => is_int(n),
        AttrKind::List(_) => kind == SlotKind::Extents && is_list(a, is_int_attr),
        _ => false,
    }
}

/// What was written, in words.
fn kind_of(a: &Attr) -> &'static str {
    match &a.kind {
        AttrKind::Num(n) if is_int(n) => "an integer",
        AttrKind::Num(_) => "a number",
        AttrKind::Str(_) => "text",
        AttrKind::Bool(_) => "a truth value",
        AttrKind::Case(_) => "a word",
        AttrKind::Sym(..) => "a symbol",
        AttrKind::List(v) if v.is_empty() => "an empty list",
        AttrKind::List(_) => "a list of something else",
        AttrKind::Complex(..) => "a complex number",
        AttrKind::Shape(_) => "a list of extents",
        AttrKind::Type(_) => "a type",
        AttrKind::Loc(_) => "a location",
        AttrKind::Error => "unreadable",
    }
}
