//! One function: header and blocks into the builder.
//!
//! A statement that fails is reported and left out; its results are stood in for by values of their written types, or by
//! nothing where no type is written. What uses a value that is nothing is left out silently: one mistake, one message.
use super::super::ast::{Attr, AttrKind, Body, Expr, Func as AstFunc, FuncHead, Line, Param, Region, Terminator, Word};
use super::literal;
use super::scope::Scope;
use super::symbols::Symbols;
use std::collections::HashMap;
use tfc_ir::words::nearest;
use tfc_ir::{
    BODY, Builder, Code, DataId, Diagnostic, ExistId, Finished, FuncId, Part, RegionId, Span, SymId, Type, ValueId,
};

/// So many mistakes of a function get a "did you mean".
const MAX_SUGGESTIONS: usize = 100;

/// What an unknown `?r` means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// A new existential is bound (TFIR §4, binding).
    Binds,
    /// A mistake.
    Error,
}
/// A function being lowered.
pub(super) struct FuncCx<'m, 'a> {
    pub(super) file: &'m Symbols<'m, 'a>,
    pub(super) b: Builder<'m>,
    pub(super) syms: HashMap<&'a str, SymId>,
    pub(super) exists: Scope<'a, ExistId>,
    /// `None`: the value could not be built, and somebody has said why.
    pub(super) values: Scope<'a, Option<ValueId>>,
    errors: Vec<Diagnostic>,
    /// Something was reported, or depends on what was.
    pub(super) broken: bool,
    /// A limit was reached: nothing more is read.
    over: bool,
    /// The location of the statement that is being built.
    pub(super) loc: Option<u32>,
    /// The function that it names.
    pub(super) callee: Option<FuncId>,
    /// The name of what it makes, which values made on the way there are named after.
    pub(super) making: Option<&'a str>,
}

/// What lowering a function gave.
pub(super) struct Lowered {
    /// The function, if nothing is wrong with it.
    pub(super) func: Option<Finished>,
    /// Header of the function without a body, for callers; `None` where the header is broken.
    pub(super) stub: Option<Finished>,
    pub(super) errors: Vec<Diagnostic>,
}

/// Lowers a function; with `header_only` just its header.
pub(super) fn lower<'a>(file: &Symbols<'_, 'a>, head: &FuncHead<'a>, ast: &AstFunc<'a>, header_only: bool) -> Lowered {
    let mut cx = FuncCx {
        file,
        b: Builder::new(file.module, &file.full_name(head.name.text)),
        syms: HashMap::new(),
        exists: Scope::new(),
        values: Scope::new(),
        errors: vec![],
        broken: false,
        over: false,
        loc: None,
        callee: None,
        making: None,
    };
    cx.b.strict();
    cx.header(head);
    let stub = (!cx.broken).then(|| Finished::from(cx.b.func().clone()));
    if header_only {
        return Lowered { func: None, stub, errors: cx.errors };
    }
    let returns = cx.body(&ast.body, head);
    let func = match (returns, &ast.body.end) {
        (Some(values), Some(end)) if !cx.broken => cx.finish(head, end, values),
        _ => Err(cx.errors),
    };
    match func {
        Ok(f) => Lowered { func: Some(f), stub, errors: vec![] },
        Err(errors) => Lowered { func: None, stub, errors },
    }
}

impl<'m, 'a> FuncCx<'m, 'a> {
    /// Reports.
    pub(super) fn error(&mut self, d: Diagnostic) {
        self.broken = true;
        self.over |= d.code.is_limit();
        self.errors.push(d);
    }

    fn header(&mut self, head: &FuncHead<'a>) {
        self.b.export(head.export && !self.file.imported);
        self.b.place(head.name.span);
        for d in &head.dims {
            if let Some(first) = self.syms.get(d.text).and_then(|s| self.b.func().syms.get(s.0 as usize)) {
                let e = Diagnostic::error(Code::E0308, d.span, format!("extent `{}` is declared twice", d.text));
                let e = e.also(first.span, "first declared here");
                self.error(e);
                continue;
            }
            let s = self.b.sym(d.text, d.span);
            self.syms.insert(d.text, s);
        }
        for p in &head.params {
            // Parameters bind no `?r`: an extent that a caller decides is a symbol.
            let ty = p.ty.as_ref().and_then(|t| self.ty(t, Unknown::Error));
            let v = ty.map(|t| self.b.param(t, p.name.text));
            self.define(p, v);
            if let (Some(v), Some(a)) = (v, &p.default) {
                self.default(v, a);
            }
        }
        let types: Vec<_> = head.results.iter().map(|(_, t)| self.ty(t, Unknown::Binds)).collect();
        let mut names: HashMap<&str, Span> = HashMap::new();
        for w in head.results.iter().filter_map(|r| r.0) {
            if let Some(first) = names.insert(w.text, w.span) {
                let e = Diagnostic::error(Code::E0304, w.span, format!("two results are named `{}`", w.text));
                self.error(e.also(first, "the first is here"));
            }
        }
        let wheres = self.conditions(&head.wheres);
        let with = self.file.with_attrs(&head.attrs, &mut self.errors);
        self.broken |= with.is_none();
        self.b.bind_to_header();
        self.b.set_result_types(types.into_iter().flatten().collect());
        self.b.name_results(head.results.iter().map(|(n, _)| n.map(|w| w.text.into())).collect());
        self.b.with(with.unwrap_or_default());
        wheres.into_iter().flatten().for_each(|c| self.b.add_where(c));
        // The header's existentials are a pack of their own: the body binds its own.
        self.exists = Scope::new();
    }

    /// What a parameter is where a caller leaves it out.
    fn default(&mut self, v: ValueId, a: &Attr<'a>) {
        self.newer("a parameter with a default", a.span);
        let ty = self.b.ty(v);
        let scalar = !matches!(a.kind, AttrKind::List(_));
        let want = if scalar { Type::scalar(ty.dtype) } else { ty };
        let t = literal::tensor(a, Some(&want));
        if let Some(t) = self.or_report(t) {
            self.spanned(a.span, |cx| cx.b.set_default(v, t));
        }
    }

    /// Statements and terminator; `None` where the function cannot be finished.
    fn body(&mut self, body: &Body<'a>, head: &FuncHead<'a>) -> Option<Vec<ValueId>> {
        self.lines(body);
        let types = self.b.func().result_types.clone();
        let names: Vec<_> = head.results.iter().map(|r| r.0.map(|w| w.text)).collect();
        let values = self.terminator(body.end.as_ref(), BODY, Some((&types, &names)));
        let end = body.end.as_ref().filter(|e| e.is_return)?;
        let (want, got) = (head.results.len(), end.values.len());
        if want != got {
            let s = if want == 1 { "" } else { "s" };
            let message = format!("@{} has {want} result{s}, but returns {got}", head.name.text);
            let d = Diagnostic::error(Code::E0208, end.keyword, message);
            self.error(d.also(head.results.first().map_or(head.name.span, |r| r.1.span), "results are declared here"));
        }
        values
    }

    fn finish(self, head: &FuncHead, end: &Terminator, returns: Vec<ValueId>) -> Result<Finished, Vec<Diagnostic>> {
        let spans: Vec<Span> = returns.iter().map(|&v| self.b.func().value(v).span).collect();
        self.b.finish(returns).map_err(|e| {
            let part = e.data().part;
            let Part::Operand(i) = part else { return vec![e.into_diagnostic(end.keyword)] };
            let mut d = e.into_diagnostic(end.values.get(i).map_or(end.keyword, Expr::span));
            d = d.also(head.results.get(i).map_or(head.span, |r| r.1.span), "declared here");
            vec![d.also(spans.get(i).copied().unwrap_or_default(), "defined here")]
        })
    }

    fn lines(&mut self, body: &Body<'a>) {
        for line in &body.stmts {
            if self.over {
                return;
            }
            match line {
                Line::Stmt(s) => self.statement(s),
                Line::Let(l) => self.named(l),
                Line::Error(span) => {
                    self.broken = true;
                    for name in self.file.lost_values(*span) {
                        let _ = self.values.define(name, None, *span);
                    }
                }
            }
        }
    }

    /// Defines a written value.
    pub(super) fn define(&mut self, p: &Param<'a>, v: Option<ValueId>) {
        let span = p.name.span.to(p.ty.as_ref().map_or(p.name.span, |t| t.span));
        if let Some(v) = v {
            self.b.set_span(v, span);
            self.sharding(p, v);
        }
        if let Err(first) = self.values.define(p.name.text, v, span) {
            let d = Diagnostic::error(Code::E0304, p.name.span, format!("`%{}` is defined twice", p.name.text));
            let d = d.also(first, "first defined here");
            self.error(d.help("names are unique along enclosing regions: choose another"));
        }
    }

    /// How a written value is cut.
    fn sharding(&mut self, p: &Param<'a>, v: ValueId) {
        let Some(s) = &p.sharding else { return };
        let axes = |cut: &Vec<Word>| match &cut[..] {
            [Word { text: "_", .. }] => vec![],
            several => several.iter().map(|w| w.text.into()).collect(),
        };
        let sharding = tfc_ir::Sharding(s.axes.iter().map(axes).collect());
        match sharding.fault(self.file.module.mesh.as_ref(), self.b.func().ty(v)) {
            None => self.b.shard(v, sharding.into()),
            Some((e, at)) => {
                let word = at.and_then(|(i, j)| s.axes.get(i)?.get(j));
                self.error(e.into_diagnostic(word.map_or(s.span, |w| w.span)));
            }
        }
    }

    /// The value of that name: `None` where that was reported now, `Some(None)` where it was before.
    pub(super) fn operand(&mut self, w: &Word<'a>) -> Option<Option<ValueId>> {
        if let Some(v) = self.values.get(w.text) {
            self.broken |= v.is_none();
            return Some(v);
        }
        let d = match self.values.ended(w.text) {
            Some(span) => Diagnostic::error(Code::E0303, w.span, format!("`%{}` is not in scope here", w.text))
                .also(span, "defined here, in a region that has ended")
                .help("let the region yield it"),
            None => {
                let d = Diagnostic::error(Code::E0301, w.span, format!("`%{}` is not defined", w.text));
                // Every name is compared: after many mistakes that would take long and help nobody.
                let few = self.errors.len() < MAX_SUGGESTIONS;
                match few.then(|| nearest(w.text, self.values.names())).flatten() {
                    Some(near) => d.help(format!("did you mean `%{near}`?")),
                    None => d.help("values are defined before they are used"),
                }
            }
        };
        self.error(d);
        None
    }

    /// The function of that name, if callers can know its type.
    pub(super) fn function_symbol(&mut self, name: &Word<'a>) -> Option<FuncId> {
        match self.file.function(name) {
            Ok(f) => f,
            Err(d) => {
                self.error(*d);
                None
            }
        }
    }

    /// The data item of that name.
    pub(super) fn data_symbol(&mut self, name: &Word<'a>) -> Option<DataId> {
        match self.file.data(name) {
            Ok(d) => d,
            Err(d) => {
                self.error(*d);
                None
            }
        }
    }

    pub(super) fn region(&mut self, r: &Region<'a>) -> Option<RegionId> {
        let opened = self.b.open(r.label.text);
        let id = opened.region;
        self.values.enter();
        self.exists.enter();
        let mut ok = true;
        for p in &r.params {
            let ty = p.ty.as_ref().and_then(|t| self.ty(t, Unknown::Binds));
            ok &= ty.is_some();
            let v = ty.map(|t| self.b.param(t, p.name.text));
            self.define(p, v);
        }
        match self.conditions(&r.wheres) {
            Some(list) => {
                list.into_iter().for_each(|c| self.b.region_where(c));
            }
            None => ok = false,
        }
        self.lines(&r.body);
        let yields = self.terminator(r.body.end.as_ref(), id, None);
        self.values.leave();
        self.exists.leave();
        match yields {
            Some(values) if ok => Some(self.b.close(opened, values)),
            _ => {
                self.b.suspend(opened);
                self.broken = true;
                None
            }
        }
    }

    /// What a block ends in; `results` are types and names of those of the function, where it is a function that ends.
    fn terminator(
        &mut self,
        end: Option<&Terminator<'a>>,
        region: RegionId,
        results: Option<(&[Type], &[Option<&'a str>])>,
    ) -> Option<Vec<ValueId>> {
        let end = end?;
        self.loc = None;
        self.b.place_end(region, end.span);
        let values: Vec<_> = end
            .values
            .iter()
            .enumerate()
            .map(|(i, e)| {
                // What the header binds means nothing in the body.
                let ty = results.and_then(|r| r.0.get(i));
                self.making = results.and_then(|r| *r.1.get(i)?);
                let given = ty.filter(|t| matches!(e, Expr::Literal(_)) && !t.mentions_existential());
                let made = self.made(e, ty.map(|t| t.dtype), given)?;
                self.shaped(&made, &[], e.span())
            })
            .collect();
        values.into_iter().collect::<Option<Vec<_>>>().filter(|_| end.is_return == results.is_some())
    }
}
