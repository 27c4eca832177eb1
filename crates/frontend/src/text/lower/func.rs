//! One function: header, blocks and statements into the builder.
//!
//! A statement that fails is reported and left out; its results are stood in for by values of their written types, or by
//! nothing where no type is written. What uses a value that is nothing is left out silently: one mistake, one message.
use super::super::ast::{Arg, Body, Func as AstFunc, FuncHead, Line, Param, Region, Stmt, Terminator, Word};
use super::extent::Unknown;
use super::scope::{Scope, nearest};
use super::symbols::Symbols;
use std::collections::HashMap;
use tfc_ir::{
    Attr, Attrs, BODY, Binder, Builder, DataId, Diagnostic, Error, ExistId, Func, FuncId, NewOp, OpDef, Part, RegionId,
    Span, SymId, Type, ValueId,
};

/// So many mistakes of a function get a "did you mean".
const MAX_SUGGESTIONS: usize = 100;

/// A function being lowered.
pub(super) struct FuncCx<'m, 'a> {
    pub(super) file: &'m Symbols<'m, 'a>,
    pub(super) b: Builder<'m>,
    pub(super) syms: HashMap<&'a str, SymId>,
    pub(super) exists: Scope<'a, ExistId>,
    /// `None`: the value could not be built, and somebody has said why.
    values: Scope<'a, Option<ValueId>>,
    errors: Vec<Diagnostic>,
    /// Something was reported, or depends on what was.
    broken: bool,
}

/// What lowering a function gave.
pub(super) struct Lowered {
    /// The function, if nothing is wrong with it.
    pub(super) func: Option<Func>,
    /// Its header without a body, for callers; `None` where the header is broken.
    pub(super) stub: Option<Func>,
    pub(super) errors: Vec<Diagnostic>,
}

/// Lowers a function; with `header_only` just its header.
pub(super) fn lower<'a>(file: &Symbols<'_, 'a>, head: &FuncHead<'a>, ast: &AstFunc<'a>, header_only: bool) -> Lowered {
    let mut cx = FuncCx {
        file,
        b: Builder::new(file.module, head.name.text),
        syms: HashMap::new(),
        exists: Scope::new(),
        values: Scope::new(),
        errors: vec![],
        broken: false,
    };
    cx.header(head);
    let stub = (!cx.broken).then(|| cx.b.func().clone());
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
        self.errors.push(d);
    }

    fn header(&mut self, head: &FuncHead<'a>) {
        let f = self.b.func_mut();
        f.export = head.export;
        f.span = head.name.span;
        for d in &head.dims {
            if let Some(first) = self.syms.get(d.text).and_then(|s| self.b.func().syms.get(s.0 as usize)) {
                let e = Diagnostic::error("E0308", d.span, format!("extent `{}` is declared twice", d.text));
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
        }
        let types: Vec<_> = head.results.iter().map(|(_, t)| self.ty(t, Unknown::Binds)).collect();
        let mut names: HashMap<&str, Span> = HashMap::new();
        for w in head.results.iter().filter_map(|r| r.0) {
            if let Some(first) = names.insert(w.text, w.span) {
                let e = Diagnostic::error("E0304", w.span, format!("two results are named `{}`", w.text));
                self.error(e.also(first, "the first is here"));
            }
        }
        let wheres = self.conditions(&head.wheres);
        let with = self.file.with_attrs(&head.attrs, &mut self.errors);
        self.broken |= with.is_none();
        let f = self.b.func_mut();
        f.exists.iter_mut().for_each(|e| e.binder = Some(Binder::Header));
        f.result_types = types.into_iter().flatten().collect();
        f.result_names = head.results.iter().map(|(n, _)| n.map(|w| w.text.into())).collect();
        f.with = with.unwrap_or_default();
        wheres.into_iter().flatten().for_each(|c| self.b.add_where(c));
        // The header's existentials are a pack of their own: the body binds its own.
        self.exists = Scope::new();
    }

    /// Statements and terminator; `None` where the function cannot be finished.
    fn body(&mut self, body: &Body<'a>, head: &FuncHead) -> Option<Vec<ValueId>> {
        self.lines(body);
        let values = self.terminator(body.end.as_ref(), BODY, true);
        let end = body.end.as_ref().filter(|e| e.is_return)?;
        let (want, got) = (head.results.len(), end.values.len());
        if want != got {
            let s = if want == 1 { "" } else { "s" };
            let message = format!("@{} has {want} result{s}, but returns {got}", head.name.text);
            let d = Diagnostic::error("E0208", end.keyword, message);
            self.error(d.also(head.results.first().map_or(head.name.span, |r| r.1.span), "results are declared here"));
        }
        values
    }

    fn finish(self, head: &FuncHead, end: &Terminator, returns: Vec<ValueId>) -> Result<Func, Vec<Diagnostic>> {
        let spans: Vec<Span> = returns.iter().map(|&v| self.b.func().value(v).span).collect();
        self.b.finish(returns).map_err(|e| {
            let part = e.data().part;
            let Part::Operand(i) = part else { return vec![e.into_diagnostic(end.keyword)] };
            let mut d = e.into_diagnostic(end.values.get(i).map_or(end.keyword, |w| w.span));
            d = d.also(head.results.get(i).map_or(head.span, |r| r.1.span), "declared here");
            vec![d.also(spans.get(i).copied().unwrap_or_default(), "defined here")]
        })
    }

    fn lines(&mut self, body: &Body<'a>) {
        for line in &body.stmts {
            match line {
                Line::Stmt(s) => self.statement(s),
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
    fn define(&mut self, p: &Param<'a>, v: Option<ValueId>) {
        let span = p.name.span.to(p.ty.as_ref().map_or(p.name.span, |t| t.span));
        if let Some(v) = v {
            self.b.set_span(v, span);
        }
        if let Err(first) = self.values.define(p.name.text, v, span) {
            let d = Diagnostic::error("E0304", p.name.span, format!("`%{}` is defined twice", p.name.text));
            let d = d.also(first, "first defined here");
            self.error(d.help("names are unique along enclosing regions: choose another"));
        }
    }

    /// The value of that name: `None` where that was reported now, `Some(None)` where it was before.
    pub(super) fn operand(&mut self, w: &Word<'a>) -> Option<Option<ValueId>> {
        if let Some(v) = self.values.get(w.text) {
            self.broken |= v.is_none();
            return Some(v);
        }
        let d = match self.values.ended(w.text) {
            Some(span) => Diagnostic::error("E0303", w.span, format!("`%{}` is not in scope here", w.text))
                .also(span, "defined here, in a region that has ended")
                .help("let the region yield it"),
            None => {
                let d = Diagnostic::error("E0301", w.span, format!("`%{}` is not defined", w.text));
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

    fn statement(&mut self, s: &Stmt<'a>) {
        let def = self.row(s);
        let regions = self.regions(s, def);
        let known_exists = self.b.func().exists.len();
        // What reads its extents off the written type, or computes from nothing, cannot bind one.
        let has_operands = s.args.iter().any(|a| matches!(a, Arg::Val(_)));
        let binds = def.is_none_or(|d| !d.needs_type && (has_operands || !d.regions.is_empty()));
        let unknown = if binds { Unknown::Binds } else { Unknown::Error };
        let types: Vec<Option<Type>> = s.results.iter().map(|p| self.ty(p.ty.as_ref()?, unknown)).collect();
        let built = match def {
            Some(def) => self.build(s, def, regions, &types, known_exists),
            None => {
                self.loose_operands(s);
                None
            }
        };
        match built {
            Some(Built::Values(values)) => {
                for (p, v) in s.results.iter().zip(values) {
                    self.b.rename(v, p.name.text);
                    self.define(p, Some(v));
                }
            }
            Some(Built::WrongTypes) => s.results.iter().for_each(|p| self.define(p, None)),
            None => {
                self.broken = true;
                for (p, ty) in s.results.iter().zip(types) {
                    // A value of the written type: what uses it can still be checked. The function is not kept.
                    let v = ty.map(|t| self.b.param_of(BODY, t, p.name.text));
                    self.define(p, v);
                }
            }
        }
    }

    fn row(&mut self, s: &Stmt) -> Option<&'static OpDef> {
        let ops = self.file.module.op_set();
        let found = ops.get(s.op.text);
        if found.is_none() {
            let d = Diagnostic::error("E0217", s.op.span, format!("unknown op `{}`", s.op.text));
            let near = nearest(s.op.text, ops.iter().map(|d| d.name));
            let d = match near {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None if s.quoted => d.help("ops of families that this tool does not know are not supported yet"),
                None => d.help("`tfc ops` lists all ops"),
            };
            self.error(d);
        }
        found
    }

    /// Everything but the results' names; `None` where something is wrong.
    fn build(
        &mut self,
        s: &Stmt<'a>,
        def: &'static OpDef,
        regions: Option<Vec<RegionId>>,
        types: &[Option<Type>],
        known_exists: usize,
    ) -> Option<Built> {
        let written = types.first().and_then(|t| t.as_ref());
        let args = self.arguments(s, def, written);
        let operands: Vec<_> = args.operands.iter().map(|w| self.operand(w).flatten()).collect();
        let wheres = self.conditions(&s.wheres);
        let loc = match &s.loc {
            Some(w) => match self.file.loc(w) {
                Ok(loc) => Some(loc),
                Err(d) => {
                    self.error(*d);
                    None
                }
            },
            None => None,
        };
        let with_type = s.results.iter().filter(|p| p.ty.is_some()).count();
        if with_type != 0 && with_type != s.results.len() {
            let p = s.results.iter().find(|p| p.ty.is_none())?;
            let d = Diagnostic::error("E0207", p.name.span, format!("the type of `%{}` is not written", p.name.text));
            self.error(d.help("write the types of all results of a statement, or of none"));
            return None;
        }
        let declared = match with_type {
            0 => None,
            _ => Some(types.iter().cloned().collect::<Option<Vec<Type>>>()?),
        };
        if !self.check_arity(s, def, args.operands.len()) || args.broken {
            return None;
        }
        let mut new = NewOp::new(def, &operands.into_iter().collect::<Option<Vec<_>>>()?);
        new.attrs = Attrs::of(args.attrs.iter().map(|(k, v, _)| (*k, v.clone())));
        new.regions = regions?;
        new.declared = declared;
        new.wheres = wheres?;
        new.loc = loc;
        new.span = s.span;
        match self.b.emit(new) {
            Ok(values) => self.check_results(s, values, known_exists),
            Err(e) => {
                let part = e.data().part;
                let d = self.place(s, &args.operands, &args.attrs, e);
                self.error(d);
                matches!(part, Part::Result(_)).then_some(Built::WrongTypes)
            }
        }
    }

    /// Said here and not left to the builder, which is not asked where an operand is unknown.
    fn check_arity(&mut self, s: &Stmt, def: &OpDef, n: usize) -> bool {
        let (least, most) = def.arity();
        if n >= least && most.is_none_or(|m| n <= m) {
            return true;
        }
        let want = match most {
            Some(m) if m == least => format!("{least}"),
            Some(m) => format!("{least} to {m}"),
            None => format!("at least {least}"),
        };
        let plural = if want == "1" { "" } else { "s" };
        let d = Diagnostic::error("E0210", s.op.span, format!("`{}` takes {want} operand{plural}, not {n}", def.name));
        self.error(match def.operands {
            [] => d.help("it takes none"),
            names => d.help(format!("its operands are ({})", names.join(", "))),
        });
        false
    }

    /// As many results as names, and every new `?r` bound by the op rather than merely guarded.
    fn check_results(&mut self, s: &Stmt, values: Vec<ValueId>, known_exists: usize) -> Option<Built> {
        if values.len() != s.results.len() {
            let (n, got) = (values.len(), s.results.len());
            let plural = if n == 1 { "" } else { "s" };
            let message = format!("`{}` gives {n} result{plural}, {got} are named", s.op.text);
            let list: Vec<_> = (0..n.min(4)).map(|i| format!("%r{i}")).collect();
            let d = Diagnostic::error("E0211", s.op.span, message);
            self.error(if n > 0 { d.help(format!("write `{} = {}(…)`", list.join(", "), s.op.text)) } else { d });
            return Some(Built::WrongTypes);
        }
        let f = self.b.func();
        let guards = f.ops.last().map_or(&[][..], |o| &o.guards);
        let is_new = |e: ExistId| e.0 as usize >= known_exists;
        let mut unbound = None;
        for g in guards {
            for side in [&g.cond.lhs, &g.cond.rhs] {
                side.for_each_atom(&mut |a| {
                    if let tfc_ir::extent::Atom::Exist(e) = a
                        && is_new(e)
                    {
                        unbound = f.exists.get(e.0 as usize).cloned().or(unbound.take());
                    }
                });
            }
        }
        if let Some(e) = unbound {
            let d = Diagnostic::error("E0401", e.span, format!("`{}` does not bind `?{}`", s.op.text, e.name));
            self.error(d.help("write the extent that the op gives, or leave the type out"));
            return Some(Built::WrongTypes);
        }
        Some(Built::Values(values))
    }

    /// An error of the IR with its place in this statement.
    fn place(&self, s: &Stmt, operands: &[Word], attrs: &[(&'static str, Attr, Span)], e: Error) -> Diagnostic {
        let part = e.data().part;
        let span = match part {
            Part::Op => s.op.span,
            Part::Operand(i) => operands.get(i).map_or(s.op.span, |w| w.span),
            Part::Attr(name) => attrs.iter().find(|a| a.0 == name).map_or(s.op.span, |a| a.2),
            Part::Result(i) => s.results.get(i).map_or(s.op.span, |p| p.ty.as_ref().map_or(p.name.span, |t| t.span)),
            Part::Region(i) => s.regions.get(i).map_or(s.op.span, |r| r.label.span),
        };
        let mut d = e.into_diagnostic(span);
        let mut seen = vec![];
        let shown: Vec<&Word> = match part {
            Part::Operand(i) => operands.get(i).into_iter().collect(),
            Part::Result(_) | Part::Op => operands.iter().take(3).collect(),
            _ => vec![],
        };
        for w in shown {
            if let Some(v) = self.values.get(w.text).flatten()
                && !seen.contains(&v)
                && d.code.starts_with("E02")
            {
                seen.push(v);
                let value = self.b.func().value(v);
                d = d.also(value.span, format!("`%{}` is {}", w.text, value.ty.display(self.b.func())));
            }
        }
        d
    }

    /// The regions in the row's order; `None` where something is wrong with one.
    fn regions(&mut self, s: &Stmt<'a>, def: Option<&'static OpDef>) -> Option<Vec<RegionId>> {
        let built: Vec<_> = s.regions.iter().map(|r| self.region(r)).collect();
        let labels = def.map_or(&[][..], |d| d.regions);
        let any = labels.last().is_some_and(|l| l.ends_with('…'));
        let mut out = vec![];
        if def.is_none() || any {
            return built.into_iter().collect();
        }
        let mut taken: HashMap<&str, (Span, Option<RegionId>)> = HashMap::new();
        let mut ok = true;
        for (r, id) in s.regions.iter().zip(built) {
            let op = s.op.text;
            let d = if let Some((first, _)) = taken.get(r.label.text) {
                Diagnostic::error("E0214", r.label.span, format!("`{op}` has one region `{}`", r.label.text))
                    .also(*first, "the first is here")
            } else if labels.contains(&r.label.text) {
                taken.insert(r.label.text, (r.label.span, id));
                continue;
            } else {
                let d = Diagnostic::error("E0214", r.label.span, format!("`{op}` has no region `{}`", r.label.text));
                match (nearest(r.label.text, labels.iter().copied()), labels.is_empty()) {
                    (Some(near), _) => d.help(format!("did you mean `{near}`?")),
                    (None, true) => d.help(format!("`{op}` has no regions")),
                    (None, false) => d.help(format!("its regions are {}", labels.join(", "))),
                }
            };
            self.error(d);
            ok = false;
        }
        for label in labels {
            match taken.get(label) {
                Some((_, id)) => out.push(*id),
                None if ok => {
                    let d = Diagnostic::error("E0214", s.op.span, format!("`{}` needs a region `{label}`", s.op.text));
                    self.error(d.help(format!("its regions are {}", labels.join(", "))));
                    ok = false;
                }
                None => {}
            }
        }
        if ok { out.into_iter().collect() } else { None }
    }

    fn region(&mut self, r: &Region<'a>) -> Option<RegionId> {
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
                for c in list {
                    self.b.assume(c.clone());
                    if let Some(r) = self.b.func_mut().regions.get_mut(id.ix()) {
                        r.wheres.push(c);
                    }
                }
            }
            None => ok = false,
        }
        self.lines(&r.body);
        let yields = self.terminator(r.body.end.as_ref(), id, false);
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

    fn terminator(&mut self, end: Option<&Terminator<'a>>, region: RegionId, is_return: bool) -> Option<Vec<ValueId>> {
        let end = end?;
        if let Some(r) = self.b.func_mut().regions.get_mut(region.ix()) {
            r.span = end.span;
        }
        let values: Vec<_> = end.values.iter().map(|w| self.operand(w).flatten()).collect();
        values.into_iter().collect::<Option<Vec<_>>>().filter(|_| end.is_return == is_return)
    }
}

enum Built {
    Values(Vec<ValueId>),
    /// The written results are wrong: nothing can be said about what uses them.
    WrongTypes,
}
