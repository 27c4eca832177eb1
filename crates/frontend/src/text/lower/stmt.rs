//! Statements: op, arguments and regions into the builder, and the builder's errors back to places in the text.
use super::super::ast::{Stmt, Word};
use super::func::{FuncCx, Unknown};
use super::scope::nearest;
use std::collections::HashMap;
use tfc_ir::op::{many_regions, region_label, region_name};
use tfc_ir::{
    Attr, Attrs, BODY, Binder, Code, Diagnostic, Error, ErrorClass, NewOp, OpDef, Part, RegionId, Span, Type, ValueId,
};

impl<'a> FuncCx<'_, 'a> {
    /// Builds a statement and defines its results.
    pub(super) fn statement(&mut self, s: &Stmt<'a>) {
        let def = self.row(s);
        let regions = self.regions(s, def);
        let known_exists = self.b.func().exists.len();
        let types: Vec<Option<Type>> = s.results.iter().map(|p| self.ty(p.ty.as_ref()?, Unknown::Binds)).collect();
        let built = match def {
            Some(def) => self.build(s, def, regions, &types),
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
            Some(Built::WrongTypes) => {
                // What the types were to bind stands for something: nothing is said about what uses it.
                for e in self.b.func_mut().exists.iter_mut().skip(known_exists) {
                    e.binder.get_or_insert(Binder::Params(BODY));
                }
                s.results.iter().for_each(|p| self.define(p, None));
            }
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
            let d = Diagnostic::error(Code::E0217, s.op.span, format!("unknown op `{}`", s.op.text));
            let near = nearest(s.op.text, ops.iter().map(|d| d.name));
            let d = match near {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None if s.quoted => d.help("ops of families that this tool does not know are not supported yet"),
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

    /// Everything but the results' names; `None` where something is wrong.
    fn build(
        &mut self,
        s: &Stmt<'a>,
        def: &'static OpDef,
        regions: Option<Vec<RegionId>>,
        types: &[Option<Type>],
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
        // Types of which some could not be read say nothing.
        if s.results.iter().zip(types).any(|(p, t)| p.ty.is_some() && t.is_none()) {
            return None;
        }
        if args.misplaced || !self.check_arity(s, def, args.operands.len()) || args.broken {
            return None;
        }
        let mut new = NewOp::new(def, &operands.into_iter().collect::<Option<Vec<_>>>()?);
        new.attrs = Attrs::of(args.attrs.iter().map(|(k, v, _)| (*k, v.clone())));
        new.regions = regions?;
        new.wheres = wheres?;
        new.loc = loc;
        new.span = s.span;
        // Where none is written, none is checked; `%a, %b = …` may name too few or too many results then.
        let written = if types.iter().any(Option::is_some) { types } else { &[] };
        new.declared = written.iter().cloned().collect::<Option<Vec<Type>>>().filter(|all| !all.is_empty());
        match self.b.emit_partly(new, written) {
            Ok(values) => self.check_results(s, values),
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
    fn place(&self, s: &Stmt, operands: &[Word], attrs: &[(&'static str, Attr, Span)], e: Error) -> Diagnostic {
        let part = e.data().part;
        let span = match part {
            Part::Op => s.op.span,
            Part::Operand(i) => operands.get(i).map_or(s.op.span, |w| w.span),
            Part::Attr(name) => attrs.iter().find(|a| a.0 == name).map_or(s.op.span, |a| a.2),
            Part::Text(name, from, to) => attrs.iter().find(|a| a.0 == name).map_or(s.op.span, |a| within(a, from, to)),
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
                && d.code.class() == ErrorClass::Type
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

enum Built {
    Values(Vec<ValueId>),
    /// The written results are wrong: nothing can be said about what uses them.
    WrongTypes,
}
