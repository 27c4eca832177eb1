//! Statements: op, arguments and regions into the builder, and the builder's errors back to places in the text.
use super::super::ast::{Let, Param, Stmt, Word};
use super::func::{FuncCx, Unknown};
use super::operand::{Known, Made, Operand};
use std::collections::HashMap;
use tfc_ir::op::{many_regions, region_label, region_name};
use tfc_ir::words::{meant, nearest};
use tfc_ir::{
    Attr, Attrs, BODY, Binder, CmpOp, Code, Constraint, DType, Diagnostic, Error, ErrorClass, Extent, NewOp, OpDef,
    Part, RegionId, Span, Truth, Type, ValueId,
};

impl<'a> FuncCx<'_, 'a> {
    /// Builds a statement and defines its results.
    pub(super) fn statement(&mut self, s: &Stmt<'a>) {
        let def = self.row(s);
        let regions = self.regions(s, def);
        let known_exists = self.b.func().exists.len();
        let types = self.types(&s.results);
        self.loc = self.location(s.loc.as_ref());
        self.making = s.results.first().map(|p| p.name.text);
        let picks = !s.picks.is_empty();
        let built = match def {
            Some(def) => self.build(s, def, regions, if picks { &[] } else { &types }, None),
            None => {
                self.loose_operands(s);
                None
            }
        };
        let built = match built {
            Some(Built::Values(values)) if picks => self.picked_of(s, values, types.first().and_then(Option::as_ref)),
            Some(Built::Values(values)) => self.check_results(s, values),
            other => other,
        };
        match built {
            Some(Built::Values(values)) => self.name(&s.results, &values),
            Some(Built::WrongTypes) => {
                // What the types were to bind stands for something: nothing is said about what uses it.
                for e in self.b.func_mut().exists.iter_mut().skip(known_exists) {
                    e.binder.get_or_insert(Binder::Params(BODY));
                }
                s.results.iter().for_each(|p| self.define(p, None));
            }
            None => self.stand_in(&s.results, types),
        }
    }

    /// Names what is no call: a literal, a conversion, what is picked from a value.
    pub(super) fn named(&mut self, l: &Let<'a>) {
        let types = self.types(&l.results);
        self.loc = self.location(l.loc.as_ref());
        self.making = l.results.first().map(|p| p.name.text);
        let ty = types.first().and_then(Option::as_ref);
        let made = match &l.results[..] {
            [_] => self.made(&l.value, ty.map(|t| t.dtype), ty).and_then(|m| self.of_type(&m, ty, l.value.span())),
            more => {
                let text = format!("this is one value, {} are named", more.len());
                self.error(Diagnostic::error(Code::E0211, l.value.span(), text));
                None
            }
        };
        match made {
            Some(v) => self.name(&l.results, &[v]),
            None => self.stand_in(&l.results, types),
        }
    }

    fn types(&mut self, results: &[Param<'a>]) -> Vec<Option<Type>> {
        results.iter().map(|p| self.ty(p.ty.as_ref()?, Unknown::Binds)).collect()
    }

    fn name(&mut self, results: &[Param<'a>], values: &[ValueId]) {
        for (p, &v) in results.iter().zip(values) {
            self.b.rename(v, p.name.text);
            self.define(p, Some(v));
        }
    }

    /// Values of the written types: what uses them can still be checked. The function is not kept.
    fn stand_in(&mut self, results: &[Param<'a>], types: Vec<Option<Type>>) {
        self.broken = true;
        for (p, ty) in results.iter().zip(types) {
            let v = ty.map(|t| self.b.param_of(BODY, t, p.name.text));
            self.define(p, v);
        }
    }

    /// What is picked from the result of a call, of the type that is written.
    fn picked_of(&mut self, s: &Stmt<'a>, values: Vec<ValueId>, ty: Option<&Type>) -> Option<Built> {
        let [value] = values[..] else {
            let text = format!("`{}` gives {} results, and what is picked from is one", s.op.text, values.len());
            self.error(Diagnostic::error(Code::E0211, s.op.span, text).help("name them, and pick from one of them"));
            return Some(Built::WrongTypes);
        };
        let made = self.parts_of(Made::plain(value), &s.picks, ty)?;
        self.of_type(&made, ty, s.span).map(|v| Built::Values(vec![v]))
    }

    /// The value, of the type that is written: where it has new axes, these have its extents.
    fn of_type(&mut self, made: &Made, ty: Option<&Type>, span: Span) -> Option<ValueId> {
        let dims = ty.filter(|t| made.axes.as_ref().is_none_or(|a| a.len() == t.rank())).map(|t| t.dims.to_vec());
        let v = self.shaped(made, &dims.unwrap_or_default(), span)?;
        let (got, Some(want)) = (self.b.ty(v), ty) else { return Some(v) };
        let facts = self.b.facts();
        let same = |(x, y): (&Extent, &Extent)| {
            let equal = Constraint { lhs: x.clone(), op: CmpOp::Eq, rhs: y.clone() };
            x == y || facts.prove(&equal) == Truth::Yes
        };
        if got.dtype == want.dtype && got.rank() == want.rank() && got.dims.iter().zip(want.dims.iter()).all(same) {
            return Some(v);
        }
        let f = self.b.func();
        let text = format!("written {}, but this is {}", want.display(f), got.display(f));
        let d = Diagnostic::error(Code::E0206, span, text);
        let help = format!("write `{}`, or leave the type out", got.display(f));
        self.error(d.help(help));
        None
    }

    fn location(&mut self, loc: Option<&Word<'a>>) -> Option<u32> {
        let found = self.file.loc(loc?);
        found.map_err(|d| self.error(*d)).ok()
    }

    pub(super) fn row(&mut self, s: &Stmt) -> Option<&'static OpDef> {
        let ops = self.file.module.op_set();
        let found = ops.get(s.op.text);
        if found.is_none() {
            let d = Diagnostic::error(Code::E0217, s.op.span, format!("unknown op `{}`", s.op.text));
            let names: Vec<_> = ops.iter().map(|d| d.name).collect();
            let d = match meant(s.op.text, &names).filter(|_| !s.quoted) {
                Some(help) => d.help(help),
                None if s.quoted => match tfc_ir::words::foreign(s.op.text) {
                    Some(known) => d.help(format!("{}; `tfc import` reads StableHLO", known.text(s.op.text))),
                    None => d.help("ops of families that this tool does not know are not supported yet"),
                },
                None => d.help("`tfc ops` lists all ops"),
            };
            self.error(d);
        }
        if let Some(def) = found
            && u64::from(def.since.1) > self.file.minor
        {
            let minor = self.file.minor;
            let text = format!("`{}` is of tfir 1.{}, the file of tfir 1.{minor}", def.name, def.since.1);
            let d = Diagnostic::error(Code::E0116, s.op.span, text);
            self.error(d.help(format!("begin the file with `tfir 1.{}`", def.since.1)));
        }
        found
    }

    /// Everything but the results' names; `None` where something is wrong. `dtype`: what its elements should be.
    pub(super) fn build(
        &mut self,
        s: &Stmt<'a>,
        def: &'static OpDef,
        regions: Option<Vec<RegionId>>,
        types: &[Option<Type>],
        dtype: Option<DType>,
    ) -> Option<Built> {
        let written = types.first().and_then(|t| t.as_ref());
        let args = self.arguments(s, def, written);
        let dtype = dtype.or_else(|| written.map(|t| t.dtype).filter(|&d| d != DType::Bool));
        let known = Known { regions: regions.as_deref().unwrap_or_default(), callee: self.callee, dtype };
        let mut operands = self.operands(def, &args.operands, known);
        self.defaults(s, known.callee, &mut operands);
        let wheres = self.conditions(&s.wheres);
        // Types of which some could not be read say nothing.
        if s.results.iter().zip(types).any(|(p, t)| p.ty.is_some() && t.is_none()) {
            return None;
        }
        if args.misplaced || !self.check_arity(s, def, operands.len()) || args.broken {
            return None;
        }
        let values = operands.iter().map(|o| o.made.as_ref().map(|m| m.value)).collect::<Option<Vec<_>>>()?;
        let mut new = NewOp::new(def, &values);
        new.attrs = Attrs::of(args.attrs.iter().map(|(k, v, _)| (*k, v.clone())));
        new.regions = regions?;
        new.wheres = wheres?;
        new.loc = self.loc;
        new.span = s.span;
        // Where none is written, none is checked; `%a, %b = …` may name too few or too many results then.
        let written = if types.iter().any(Option::is_some) { types } else { &[] };
        new.declared = written.iter().cloned().collect::<Option<Vec<Type>>>().filter(|all| !all.is_empty());
        match self.b.emit_partly(new, written) {
            Ok(values) => Some(Built::Values(values)),
            Err(e) => {
                let part = e.data().part;
                let d = self.place(s, def, &operands, &args.attrs, e);
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
        let d =
            Diagnostic::error(Code::E0210, s.op.span, format!("`{}` takes {want} operand{plural}, not {n}", def.name));
        self.error(match def.operands {
            [] => d.help("it takes none"),
            names => d.help(format!("its operands are ({})", names.join(", "))),
        });
        false
    }

    /// Checks that there are as many results as names.
    fn check_results(&mut self, s: &Stmt<'a>, values: Vec<ValueId>) -> Option<Built> {
        if values.len() == s.results.len() {
            return Some(Built::Values(values));
        }
        let (n, got) = (values.len(), s.results.len());
        let plural = if n == 1 { "" } else { "s" };
        let message = format!("`{}` gives {n} result{plural}, {got} are named", s.op.text);
        let list: Vec<_> = (0..n.min(4)).map(|i| format!("%r{i}")).collect();
        let d = Diagnostic::error(Code::E0211, s.op.span, message);
        self.error(if n > 0 { d.help(format!("write `{} = {}(…)`", list.join(", "), s.op.text)) } else { d });
        Some(Built::WrongTypes)
    }

    /// An error of the IR with its place in this statement.
    fn place(
        &self,
        s: &Stmt,
        def: &OpDef,
        operands: &[Operand],
        attrs: &[(&'static str, Attr, Span)],
        e: Error,
    ) -> Diagnostic {
        let part = e.data().part;
        let span = match part {
            Part::Op => s.op.span,
            Part::Operand(i) => operands.get(i).map_or(s.op.span, |o| o.span),
            Part::Attr(name) => attrs.iter().find(|a| a.0 == name).map_or(s.op.span, |a| a.2),
            Part::Text(name, from, to) => attrs.iter().find(|a| a.0 == name).map_or(s.op.span, |a| within(a, from, to)),
            Part::Result(i) => s.results.get(i).map_or(s.op.span, |p| p.ty.as_ref().map_or(p.name.span, |t| t.span)),
            Part::Region(i) => s.regions.get(i).map_or(s.op.span, |r| r.label.span),
        };
        let mut d = e.into_diagnostic(span);
        if d.code == Code::E0205 && def.spreads() {
            let fewer = operands.iter().filter_map(|o| Some((o.name?, o.made.as_ref()?.value)));
            if let Some((name, _)) = fewer.min_by_key(|(_, v)| self.b.func().ty(*v).rank()) {
                d = d.help(format!("say which axes it has: `%{name}[_, :]` is repeated along the first, `%{name}[:, _]` along the second"));
            }
        }
        let mut seen = vec![];
        let shown: Vec<&Operand> = match part {
            Part::Operand(i) => operands.get(i).into_iter().collect(),
            Part::Result(_) | Part::Op => operands.iter().take(3).collect(),
            _ => vec![],
        };
        for o in shown {
            if let Some(v) = o.made.as_ref().map(|m| m.value)
                && !seen.contains(&v)
                && d.code.class() == ErrorClass::Type
            {
                seen.push(v);
                let value = self.b.func().value(v);
                let ty = value.ty.display(self.b.func());
                d = match o.name {
                    Some(name) => d.also(value.span, format!("`%{name}` is {ty}")),
                    None => d.also(o.span, format!("this is {ty}")),
                };
            }
        }
        d
    }

    /// The regions in the row's order; `None` where something is wrong with one.
    pub(super) fn regions(&mut self, s: &Stmt<'a>, def: Option<&'static OpDef>) -> Option<Vec<RegionId>> {
        let built: Vec<_> = s.regions.iter().map(|r| self.region(r)).collect();
        let known = def.map_or(&[][..], |d| d.regions);
        if def.is_none() {
            return built.into_iter().collect();
        }
        // Where a row has any number of them, as many as are written.
        let count = if many_regions(known) { s.regions.len().max(known.len()) } else { known.len() };
        let names: Vec<_> = (0..count).filter_map(|i| region_name(known, i)).collect();
        let labels: Vec<&str> = names.iter().map(|n| n.as_ref()).collect();
        let mut out = vec![];
        let mut taken: HashMap<&str, (Span, Option<RegionId>)> = HashMap::new();
        let mut ok = true;
        for (r, id) in s.regions.iter().zip(built) {
            let op = s.op.text;
            let d = if let Some((first, _)) = taken.get(r.label.text) {
                Diagnostic::error(Code::E0214, r.label.span, format!("`{op}` has one region `{}`", r.label.text))
                    .also(*first, "the first is here")
            } else if labels.contains(&r.label.text) {
                taken.insert(r.label.text, (r.label.span, id));
                continue;
            } else {
                let d =
                    Diagnostic::error(Code::E0214, r.label.span, format!("`{op}` has no region `{}`", r.label.text));
                match (nearest(r.label.text, labels.iter().copied()), labels.is_empty()) {
                    (Some(near), _) => d.help(format!("did you mean `{near}`?")),
                    (None, true) => d.help(format!("`{op}` has no regions")),
                    (None, false) => d.help(format!("its regions are {}", labels.join(", "))),
                }
            };
            self.error(d);
            ok = false;
        }
        for (i, &label) in labels.iter().enumerate() {
            let optional = known.get(i).is_some_and(|l| region_label(l).1);
            match taken.get(label) {
                Some((_, id)) => out.push(*id),
                None if optional => {}
                None if ok => {
                    let d =
                        Diagnostic::error(Code::E0214, s.op.span, format!("`{}` needs a region `{label}`", s.op.text));
                    self.error(d.help(format!("its regions are {}", labels.join(", "))));
                    ok = false;
                }
                None => {}
            }
        }
        if ok { out.into_iter().collect() } else { None }
    }
}

/// Bytes of a text that is an attribute; all of it where escapes stand in it. The quotes are its first and last.
fn within((_, value, span): &(&'static str, Attr, Span), from: usize, to: usize) -> Span {
    let (start, end) = (span.start as usize + 1, span.end as usize);
    match value {
        Attr::Str(text) if start + text.len() + 1 == end && from <= to && to <= text.len() => {
            // Where nothing stands, what should stand there: one byte, so that there is something to underline.
            Span::new(start + from, (start + to).max(start + from + 1))
        }
        _ => *span,
    }
}

pub(super) enum Built {
    Values(Vec<ValueId>),
    /// The written results are wrong: nothing can be said about what uses them.
    WrongTypes,
}
