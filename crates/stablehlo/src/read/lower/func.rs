//! One function: statements into the builder.
//!
//! A statement that fails is reported and left out; its results are nothing, and what uses them is left out silently: one
//! mistake, one message. Ops that are not read are reported wherever they stand, so that all are known at once.
use super::super::ast::{Attr, Block, Func as Written, Op, Type as Text, TypeKind, Use, Word};
use super::super::lexer::unescape;
use super::super::mangle;
use super::ops::forms::{self, Written as Types};
use super::ops::{self, Emit, Rounding};
use super::probes::Probes;
use super::quantised::Quant;
use super::symbolic::{self, Entry, Notes, Place, Solved};
use super::types::Pattern;
use super::{Made, Stop, Symbols, types};
use std::collections::HashMap;
use std::sync::Arc;
use tfc_ir::{Builder, CmpOp, Code, Constraint, DType, Diagnostic, Extent, Finished, Span, Type, ValueId};

/// What a name of the text stands for.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    One(ValueId),
    Tuple(Vec<Slot>),
    /// Nothing: somebody has said why.
    Lost,
}
struct Named {
    slots: Vec<Slot>,
    span: Span,
}

/// A function being lowered.
pub(super) struct FuncCx<'a> {
    pub(super) file: &'a Symbols<'a>,
    pub(super) b: Builder<'a>,
    values: HashMap<&'a str, Named>,
    /// Names by the region that defines them.
    scopes: Vec<Vec<&'a str>>,
    /// Names of regions that have ended.
    ended: HashMap<&'a str, Span>,
    /// In a region of scalars that runs on whole tensors: their extents.
    pub(super) lift: Option<Vec<Extent>>,
    /// What `interpreter.probe` has seen, by the region, from the outermost on.
    pub(super) probes: Vec<Probes<'a>>,
    /// Integers of which the elements are known as extents.
    pub(super) extents: HashMap<ValueId, Vec<Extent>>,
    /// Sums of a list of integers with one of extents: both.
    pub(super) beyond: HashMap<ValueId, (ValueId, Vec<Extent>)>,
    /// What is seen of the extents of an entry.
    pub(super) notes: Notes<'a>,
    /// Comparisons of extents.
    pub(super) compared: HashMap<ValueId, Constraint>,
    /// The places that symbols stand for.
    places: Vec<Place>,
    /// Truth values that relations between extents decide.
    pub(super) decided: HashMap<ValueId, bool>,
    /// What is known of integers and truth values on the way to a division that rounds down.
    pub(super) rounding: Rounding,
    /// Extents of the results of the op at hand, where operands say them.
    pub(super) result_extents: Vec<Vec<Extent>>,
    /// Integers that stand for numbers, and how.
    pub(super) quantised: HashMap<ValueId, Arc<Quant>>,
    /// Functions that are being inlined.
    inlining: Vec<&'a str>,
    /// What the header says of the results.
    results: Vec<Pattern>,
    errors: Vec<Diagnostic>,
    /// A limit was reached: nothing more is read.
    over: bool,
}

/// What lowering a function gave.
pub(super) struct Lowered {
    pub(super) func: Option<Finished>,
    pub(super) errors: Vec<Diagnostic>,
}

/// Lowers a function. Where the program finds the extents that it names from those of its parameters, `b` from `2*b`, it is
/// lowered again with `b` as a symbol, if that goes.
pub(super) fn lower<'a>(file: &'a Symbols<'a>, f: &'a Written<'a>) -> Lowered {
    let (lowered, mut solved) = lower_by(file, f, &Solved::default(), false);
    if f.private || !symbolic::is_open(f) {
        return lowered;
    }
    if lowered.errors.iter().any(|d| d.code.is_limit()) {
        return lowered;
    }
    if !lowered.errors.is_empty() {
        // Extents that are known to be large: what is found so is only looked at.
        solved = lower_by(file, f, &Solved::default(), true).1;
    }
    if solved.is_empty() {
        return lowered;
    }
    let again = lower_by(file, f, &solved, false).0;
    if again.errors.is_empty() { again } else { lowered }
}
fn lower_by<'a>(file: &'a Symbols<'a>, f: &'a Written<'a>, solved: &Solved, large: bool) -> (Lowered, Solved) {
    let mut cx = FuncCx::new(file, f);
    let lowered = cx.function(f, solved, large);
    let solved = Solved::of(&cx.notes, &cx.places);
    (lowered, solved)
}
impl<'a> FuncCx<'a> {
    fn new(file: &'a Symbols<'a>, f: &'a Written<'a>) -> FuncCx<'a> {
        FuncCx {
            file,
            b: Builder::new(file.module, &mangle(&unescape(f.name.text))),
            values: HashMap::new(),
            scopes: vec![vec![]],
            ended: HashMap::new(),
            lift: None,
            probes: vec![Probes::new()],
            extents: HashMap::new(),
            beyond: HashMap::new(),
            decided: HashMap::new(),
            notes: Notes::default(),
            compared: HashMap::new(),
            places: vec![],
            rounding: Rounding::default(),
            result_extents: vec![],
            quantised: HashMap::new(),
            inlining: vec![],
            results: vec![],
            errors: vec![],
            over: false,
        }
    }
    fn function(&mut self, f: &'a Written<'a>, solved: &Solved, large: bool) -> Lowered {
        let header = self.header(f, solved, large);
        let Some(body) = &f.body else {
            let d =
                Diagnostic::error(Code::E0302, f.name.span, format!("`@{}` is declared, but not defined", f.name.text));
            self.errors.push(d.help("the file must hold what it calls"));
            return Lowered { func: None, errors: std::mem::take(&mut self.errors) };
        };
        let made = self.body(body, true).and_then(|slots| self.ones(&slots));
        match made {
            Ok(values) if self.errors.is_empty() && header => {
                let end = body.ops.last().map_or(f.span, |o| o.span);
                let count = self.results.len();
                if values.len() != count {
                    let text = format!("@{} has {count} results, but returns {}", f.name.text, values.len());
                    self.errors.push(
                        Diagnostic::error(Code::E0208, end, text).also(f.span, "declared here").help("return as many"),
                    );
                    return Lowered { func: None, errors: std::mem::take(&mut self.errors) };
                }
                // Where every extent is written, the builder says it.
                let misfit = values.iter().zip(&self.results).enumerate().find(|(_, (v, t))| !self.fits(t, **v));
                if let Some((i, (v, t))) = misfit.filter(|m| m.1.1.exact().is_none()) {
                    let text =
                        format!("result {i} of @{} is {}, but {} is returned", f.name.text, t.show(), self.type_of(*v));
                    let d = Diagnostic::error(Code::E0208, end, text).also(f.span, "declared here");
                    self.errors.push(d.help("return a value of the type that is declared"));
                    return Lowered { func: None, errors: std::mem::take(&mut self.errors) };
                }
                let errors = std::mem::take(&mut self.errors);
                match std::mem::replace(&mut self.b, Builder::new(self.file.module, "")).finish(values) {
                    Ok(func) => Lowered { func: Some(func), errors },
                    Err(e) => {
                        Lowered { func: None, errors: vec![e.into_diagnostic(end).also(f.span, "declared here")] }
                    }
                }
            }
            Ok(_) => Lowered { func: None, errors: std::mem::take(&mut self.errors) },
            Err(stop) => {
                self.record(stop, f.span);
                Lowered { func: None, errors: std::mem::take(&mut self.errors) }
            }
        }
    }
}

/// A name as a hint for values: numbers are none, and what this language has no letter for is left out.
pub(super) fn hint(name: &str) -> String {
    if name.bytes().all(|c| c.is_ascii_digit()) {
        return String::new();
    }
    let ok = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    name.chars().filter(ok).skip_while(|c| !c.is_ascii_alphabetic() && *c != '_').collect()
}

impl<'a> FuncCx<'a> {
    /// Parameters, results, whether it is exported. `false` where a type is wrong, which has been reported.
    fn header(&mut self, f: &'a Written<'a>, solved: &Solved, large: bool) -> bool {
        let mut ok = true;
        let export = !f.private;
        self.b.export(export);
        self.b.place(f.name.span);
        let (symbols, places) = Entry::of(f, self.file).declare(&mut self.b, solved);
        self.places = places;
        if large {
            let most = Extent::exact(1 << 20);
            let facts: Vec<Extent> = symbols.values().cloned().collect();
            for lhs in facts {
                self.b.assume(Constraint { lhs, op: CmpOp::Ge, rhs: most.clone() });
            }
        }
        for (i, p) in f.params.iter().enumerate() {
            let slots = match types::flat(&p.ty) {
                Ok(list) => {
                    let tuple = matches!(p.ty.kind, TypeKind::Tuple(_));
                    let own: Vec<Slot> = list.iter().map(|t| self.parameter(t, p.name, i, &symbols)).collect();
                    if tuple { vec![Slot::Tuple(own)] } else { own }
                }
                Err(d) => {
                    ok = false;
                    self.errors.push(*d);
                    vec![Slot::Lost]
                }
            };
            self.define(p.name, slots);
        }
        let mut results = vec![];
        for t in &f.results {
            match types::flat(t) {
                Ok(list) => results.extend(list),
                Err(d) => {
                    ok = false;
                    self.errors.push(*d);
                }
            }
        }
        self.b.name_results(vec![None; results.len()]);
        // Where an extent is not written, the header takes the types of what is returned.
        if let Some(types) = results.iter().map(|t| t.held().exact()).collect::<Option<Vec<_>>>() {
            self.b.set_result_types(types);
        }
        self.results = results;
        ok
    }
    fn parameter(&mut self, t: &Pattern, name: Word<'a>, at: usize, symbols: &HashMap<(usize, usize), Extent>) -> Slot {
        let dim = |(axis, n): (usize, &Option<usize>)| match n {
            Some(n) => Extent::from(*n),
            None => symbols.get(&(at, axis)).cloned().unwrap_or_else(|| Extent::exact(0)),
        };
        let dims: Vec<Extent> = t.dims.iter().enumerate().map(dim).collect();
        let v = self.b.param(Type::new(t.held().dtype, dims), &hint(name.text));
        self.b.set_span(v, name.span);
        self.stands_for(v, t);
        Slot::One(v)
    }
    /// Is the type of the value as it is written? In a region that runs on whole tensors a scalar is written.
    pub(super) fn fits(&self, t: &Pattern, v: ValueId) -> bool {
        let ty = self.b.func().ty(v);
        if self.quantised.get(&v) != t.quant.as_ref() {
            return false;
        }
        if t.quant.is_some() {
            return t.held().fits(ty);
        }
        match &self.lift {
            Some(dims) => t.dims.is_empty() && t.dtype == ty.dtype && (ty.is_scalar() || ty.dims[..] == dims[..]),
            None => t.fits(ty),
        }
    }
    /// The type of a value, as messages show it.
    fn type_of(&self, v: ValueId) -> String {
        let kind = if self.quantised.contains_key(&v) { "quantised, held as " } else { "" };
        format!("{kind}{}", self.show(self.b.func().ty(v)))
    }
    /// Notes that a value holds the integers of a quantised type, if it is one.
    fn stands_for(&mut self, v: ValueId, t: &Pattern) {
        if let Some(q) = &t.quant {
            self.quantised.insert(v, q.clone());
        }
    }
    /// The numbers that values stand for; those that are no integers of a quantised type as they are.
    fn dequantised(&mut self, op: &'a Op<'a>, values: &mut [ValueId]) -> Made<()> {
        let written = |t: &Text| matches!(t.kind, TypeKind::Tensor(_, element, _) if element.starts_with("!quant"));
        let any = values.iter().any(|v| self.quantised.contains_key(v)) || op.outs.iter().any(written);
        if any && !op.regions.is_empty() {
            let text = format!("`{}` with regions on quantised elements is not read", op.name.text);
            return Err(Diagnostic::error(Code::E0240, op.span, text)
                .help("`uniform_dequantize` before it, and `uniform_quantize` what it gives")
                .into_stop());
        }
        for v in values {
            if let Some(q) = self.quantised.get(v).cloned() {
                *v = q.dequantised(&mut self.b, *v)?;
            }
        }
        Ok(())
    }
    /// What is made as the type that is written: numbers of a quantised one become integers.
    fn quantised(&mut self, slots: &mut [Slot], written: &'a [Text]) -> Made<()> {
        for (slot, t) in slots.iter_mut().zip(written) {
            let Slot::One(v) = slot else { continue };
            let TypeKind::Tensor(_, element, _) = t.kind else { continue };
            if !element.starts_with("!quant") || self.quantised.contains_key(v) {
                continue;
            }
            let t = types::pattern(t)?;
            if let Some(q) = t.quant.as_ref().filter(|q| q.expressed() == self.b.func().ty(*v).dtype) {
                *v = q.quantised(&mut self.b, *v)?;
            }
            self.stands_for(*v, &t);
        }
        Ok(())
    }

    /// Records what a statement at `span` failed by.
    fn record(&mut self, stop: Stop, span: Span) {
        let d = match stop {
            Stop::Said(d) => *d,
            Stop::Ir(e) => e.into_diagnostic(span),
            Stop::Lost => return,
        };
        self.over |= d.code.is_limit();
        self.errors.push(d);
    }
    pub(super) fn alias(&self, name: &str) -> Option<&'a Attr<'a>> {
        self.file.file.aliases.get(name)
    }

    pub(super) fn enter(&mut self) {
        self.scopes.push(vec![]);
    }
    pub(super) fn leave(&mut self) {
        for name in self.scopes.pop().unwrap_or_default() {
            if let Some(n) = self.values.remove(name) {
                self.ended.insert(name, n.span);
            }
        }
    }
    pub(super) fn define(&mut self, name: Word<'a>, slots: Vec<Slot>) {
        if let Some(first) = self.values.get(name.text) {
            let d = Diagnostic::error(Code::E0304, name.span, format!("`%{}` is defined twice", name.text));
            self.errors.push(d.also(first.span, "first defined here").help("choose another name"));
            return;
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name.text);
        }
        self.values.insert(name.text, Named { slots, span: name.span });
    }
    fn operand(&mut self, u: &Use<'a>) -> Slot {
        let d = match self.values.get(u.name) {
            Some(n) => match n.slots.get(u.index as usize) {
                Some(slot) => return slot.clone(),
                None if n.slots.iter().any(|s| matches!(s, Slot::Lost)) => return Slot::Lost,
                None => {
                    let text = format!("`%{}` has {} results, and no #{}", u.name, n.slots.len(), u.index);
                    Diagnostic::error(Code::E0301, u.span, text).help("results are counted from 0")
                }
            },
            None => match self.ended.get(u.name) {
                Some(span) => Diagnostic::error(Code::E0303, u.span, format!("`%{}` is not in scope here", u.name))
                    .also(*span, "defined here, in a region that has ended")
                    .help("let the region return it"),
                None => Diagnostic::error(Code::E0301, u.span, format!("`%{}` is not defined", u.name))
                    .help("values are defined before they are used"),
            },
        };
        self.errors.push(d);
        Slot::Lost
    }
    /// Tensors: tuples are refused, what is lost stays so.
    pub(super) fn ones(&self, slots: &[Slot]) -> Made<Vec<ValueId>> {
        let mut out = vec![];
        for s in slots {
            match s {
                Slot::One(v) => out.push(*v),
                Slot::Tuple(inner) => out.extend(self.ones(inner)?),
                Slot::Lost => return Err(Stop::Lost),
            }
        }
        Ok(out)
    }

    /// The statements of a block; what its terminator hands on. `function` says which terminator that is.
    pub(super) fn body(&mut self, block: &'a Block<'a>, function: bool) -> Made<Vec<Slot>> {
        let (mut end, known) = (None, self.errors.len());
        for (i, op) in block.ops.iter().enumerate() {
            if self.over {
                return Err(Stop::Lost);
            }
            if !ops::is_terminator(op.name.text) {
                self.statement(op);
                continue;
            }
            let slots: Vec<Slot> = op.operands.iter().map(|u| self.operand(u)).collect();
            if !slots.iter().any(lost)
                && let Err(stop) = forms::check(self, op).and_then(|()| self.operand_types(op, &slots))
            {
                self.record(stop, op.span);
            }
            end = Some(slots);
            if let Some(next) = block.ops.get(i + 1) {
                let d = Diagnostic::error(Code::E0106, next.span, "statement after the end of a block");
                self.errors.push(d.also(op.span, "ended here").help("put it before"));
            }
            break;
        }
        match end {
            Some(slots) if !block.broken && self.errors.len() == known => Ok(slots),
            None if !block.broken => {
                let word = if function { "return" } else { "stablehlo.return" };
                let d = Diagnostic::error(Code::E0104, block.span, format!("this block has no `{word}`"));
                self.errors.push(d.help("it ends in one"));
                Err(Stop::Lost)
            }
            _ => Err(Stop::Lost),
        }
    }

    fn statement(&mut self, op: &'a Op<'a>) {
        let total: usize = op.results.iter().map(|r| r.1 as usize).sum();
        let known = self.errors.len();
        let Some(emit) = ops::find(op.name.text) else {
            self.errors.push(ops::unread(op));
            self.survey(&op.regions);
            return self.define_all(op, vec![Slot::Lost; total]);
        };
        let slots: Vec<Slot> = op.operands.iter().map(|u| self.operand(u)).collect();
        let made = if slots.iter().any(lost) {
            Err(Stop::Lost)
        } else {
            let loc = op.loc.as_ref().and_then(|l| self.file.loc(l));
            let before = self.b.set_loc(loc, op.span);
            let made = self.emit(emit, op, slots).and_then(|made| self.agree(op, made, total));
            self.b.set_loc(before.0, before.1);
            made
        };
        let made = made.unwrap_or_else(|stop| {
            let unseen = matches!(stop, Stop::Lost) && self.errors.len() == known;
            self.record(stop, op.span);
            if unseen {
                self.survey(&op.regions);
            }
            vec![Slot::Lost; total]
        });
        self.define_all(op, made);
    }
    fn define_all(&mut self, op: &'a Op<'a>, made: Vec<Slot>) {
        let mut rest = made.into_iter();
        for &(name, count) in &op.results {
            let own: Vec<Slot> = rest.by_ref().take(count as usize).collect();
            if let [Slot::One(v)] = own.as_slice() {
                self.b.hint(*v, hint(name.text));
                self.b.set_span(*v, name.span);
            }
            self.define(name, own);
        }
    }
    /// Reports ops that are not read in regions that are not lowered.
    fn survey(&mut self, regions: &[Block<'a>]) {
        for op in regions.iter().flat_map(|r| &r.ops) {
            if ops::find(op.name.text).is_none() && !ops::is_terminator(op.name.text) {
                self.errors.push(ops::unread(op));
            }
            self.survey(&op.regions);
        }
    }

    fn emit(&mut self, emit: &Emit, op: &'a Op<'a>, slots: Vec<Slot>) -> Made<Vec<Slot>> {
        forms::check(self, op)?;
        self.operand_types(op, &slots)?;
        if let Emit::Slots(f) = emit {
            return f(self, op, slots);
        }
        if slots.iter().any(|s| matches!(s, Slot::Tuple(_))) {
            let text = format!("`{}` takes tensors, not tuples", op.name.text);
            return Err(Diagnostic::error(Code::E0241, op.span, text).help("take the tuple apart").into_stop());
        }
        let mut values = self.ones(&slots)?;
        self.dequantised(op, &mut values)?;
        match self.lift.clone() {
            None => {}
            Some(_) if matches!(emit, Emit::Whole(_)) => {
                let text = format!("`{}` in a region of scalars that runs on whole tensors", op.name.text);
                let d = Diagnostic::error(Code::E0240, op.span, text);
                return Err(d
                    .help("elementwise ops are read in regions of `reduce`, `map` and `reduce_window`")
                    .into_stop());
            }
            Some(dims) => {
                for v in &mut values {
                    let ty = self.b.ty(*v);
                    if ty.is_scalar() {
                        *v = self.b.broadcast(*v, &Type::new(ty.dtype, dims.as_slice()), &[])?;
                    }
                }
            }
        }
        let made = match emit {
            Emit::Row(def) => self.b.emit(tfc_ir::NewOp::new(def, &values))?,
            Emit::Each(f) | Emit::Whole(f) => f(self, op, &values)?,
            Emit::Slots(_) => vec![],
        };
        if !self.b.func().syms.is_empty() {
            ops::follow(self, op, &values, &made);
        }
        if op.outs.iter().any(|t| matches!(t.kind, TypeKind::Tuple(_))) {
            return Ok(packed(&op.outs, made));
        }
        Ok(made.into_iter().map(Slot::One).collect())
    }
    /// The statements of another function, right here, on these values: of one whose types its callers decide.
    pub(super) fn inline(&mut self, f: &'a Written<'a>, slots: Vec<Slot>) -> Made<Vec<Slot>> {
        let Some(body) = f.body.as_ref().filter(|_| !self.inlining.contains(&f.name.text)) else {
            // A circle of calls has been reported.
            return Err(Stop::Lost);
        };
        if slots.len() != f.params.len() {
            let text = format!("@{} takes {} values, not {}", f.name.text, f.params.len(), slots.len());
            return Err(Diagnostic::error(Code::E0210, f.name.span, text)
                .help("hand it as many as it has parameters")
                .into_stop());
        }
        for (p, slot) in f.params.iter().zip(&slots) {
            self.slot_fits(&p.ty, slot, || format!("`%{}` of @{}", p.name.text, f.name.text), p.ty.span)?;
        }
        self.inlining.push(f.name.text);
        let values = std::mem::take(&mut self.values);
        let scopes = std::mem::replace(&mut self.scopes, vec![vec![]]);
        let (ended, probes) =
            (std::mem::take(&mut self.ended), std::mem::replace(&mut self.probes, vec![Probes::new()]));
        for (p, slot) in f.params.iter().zip(slots) {
            self.define(p.name, vec![slot]);
        }
        let made = self.body(body, true);
        (self.values, self.scopes, self.ended, self.probes) = (values, scopes, ended, probes);
        self.inlining.pop();
        let made = made?;
        if made.len() != f.results.len() {
            let text = format!("@{} has {} results, but returns {}", f.name.text, f.results.len(), made.len());
            return Err(Diagnostic::error(Code::E0208, f.name.span, text).help("return as many").into_stop());
        }
        for (i, (t, slot)) in f.results.iter().zip(&made).enumerate() {
            self.slot_fits(t, slot, || format!("result {i} of @{}", f.name.text), t.span)?;
        }
        Ok(made)
    }
    /// Checks that what a name stands for is of the type that is written.
    fn slot_fits(&self, t: &Text, slot: &Slot, what: impl Fn() -> String, span: Span) -> Made<()> {
        let (want, values) = (types::flat(t)?, self.ones(std::slice::from_ref(slot))?);
        let tuple = matches!(t.kind, TypeKind::Tuple(_));
        if want.len() != values.len() || tuple != matches!(slot, Slot::Tuple(_)) {
            let text = format!("{} is {}, not {}", what(), count(values.len()), count(want.len()));
            return Err(Diagnostic::error(Code::E0245, span, text).help("write the type that it has").into_stop());
        }
        match want.iter().zip(&values).find(|(t, v)| !self.fits(t, **v)) {
            None => Ok(()),
            Some((t, &v)) => {
                let text = format!("{} is {}, not {}", what(), self.type_of(v), t.show());
                let d = Diagnostic::error(Code::E0245, span, text).also(self.b.func().value(v).span, "defined here");
                Err(d.help("write the type that it has").into_stop())
            }
        }
    }
    /// Operands have the types that are written.
    fn operand_types(&self, op: &'a Op<'a>, slots: &[Slot]) -> Made<()> {
        let one_each = |op: &Op, n: usize| {
            let text = format!("`{}` has {} operands, but {n} types", op.name.text, slots.len());
            Diagnostic::error(Code::E0245, op.span, text).help("each operand has one type").into_stop()
        };
        let types: Vec<&Text> = match (&op.ins, forms::of(op.name.text).types, op.outs.as_slice()) {
            (Some(ins), ..) => ins.iter().collect(),
            (None, Types::Same, [one]) => vec![one; slots.len()],
            (None, Types::Select, [p, one]) => {
                std::iter::once(p).chain(std::iter::repeat(one)).take(slots.len()).collect()
            }
            (None, Types::Results, _) | (None, _, []) => return Ok(()),
            (None, _, all) => all.iter().collect(),
        };
        if types.len() != slots.len() {
            return Err(one_each(op, types.len()));
        }
        for ((t, slot), u) in types.iter().zip(slots).zip(&op.operands) {
            let (want, values) = (types::flat(t)?, self.ones(std::slice::from_ref(slot))?);
            let tuple = matches!(t.kind, TypeKind::Tuple(_)) == matches!(slot, Slot::Tuple(_));
            let misfit = want.iter().zip(&values).find(|(t, v)| !self.fits(t, **v));
            let (text, v) = match misfit {
                _ if !tuple || want.len() != values.len() => {
                    (format!("`%{}` is {}, not {}", u.name, count(values.len()), count(want.len())), values.first())
                }
                Some((t, v)) => (format!("`%{}` is {}, not {}", u.name, self.type_of(*v), t.show()), Some(v)),
                None => continue,
            };
            let d = Diagnostic::error(Code::E0245, u.span, text).also(t.span, "written here");
            let d = match v {
                Some(&v) => d.also(self.b.func().value(v).span, "defined here"),
                None => d,
            };
            return Err(d.help("write the operand's type").into_stop());
        }
        Ok(())
    }
    pub(super) fn show(&self, t: &Type) -> String {
        t.display(self.b.func()).to_string()
    }
    /// Checks that there are as many results as are named, of the types that are written.
    fn agree(&mut self, op: &'a Op<'a>, mut made: Vec<Slot>, total: usize) -> Made<Vec<Slot>> {
        if made.len() != total {
            let text = format!("`{}` gives {} results, but {total} are named", op.name.text, made.len());
            return Err(Diagnostic::error(Code::E0208, op.span, text).help("name each: `%r:2 = …`").into_stop());
        }
        // `select %p, %x, %y : P, T` lists types of operands before that of the result.
        let written = match (&op.ins, op.outs.len(), forms::of(op.name.text).types) {
            (_, n, _) if n == total => op.outs.as_slice(),
            (None, 2, Types::Select) => op.outs.get(1..).unwrap_or_default(),
            // Those of the operands.
            (None, ..) if total == 0 => return Ok(made),
            (_, n, _) => {
                let text = format!("`{}` gives {total} results, but {n} types are written", op.name.text);
                return Err(Diagnostic::error(Code::E0245, op.span, text).help("write one type a result").into_stop());
            }
        };
        self.quantised(&mut made, written)?;
        for (s, t) in made.iter().zip(written) {
            let (values, want) = (self.ones(std::slice::from_ref(s))?, types::flat(t)?);
            let tuple = matches!(t.kind, TypeKind::Tuple(_)) == matches!(s, Slot::Tuple(_));
            let misfit = values.iter().zip(&want).find(|(v, t)| !self.fits(t, **v));
            let text = match misfit {
                _ if !tuple || values.len() != want.len() => {
                    format!("`{}` gives {}, not {}", op.name.text, count(values.len()), count(want.len()))
                }
                Some((v, t)) => format!("`{}` gives {}, not {}", op.name.text, self.type_of(*v), t.show()),
                None => continue,
            };
            return Err(Diagnostic::error(Code::E0245, t.span, text).help("write the type that it gives").into_stop());
        }
        Ok(made)
    }

    /// The written element type of result `i`.
    pub(super) fn out_dtype(&self, op: &'a Op<'a>, i: usize) -> Made<DType> {
        match op.outs.get(i) {
            Some(t) => Ok(types::pattern(t)?.dtype),
            None => self.out(op, i).map(|t| t.dtype),
        }
    }
    /// The written type of result `i`; where it does not say all extents, they are those of `v`.
    pub(super) fn out_like(&self, op: &'a Op<'a>, i: usize, v: ValueId) -> Made<Type> {
        if let Some(t) = op.outs.get(i) {
            let (known, like) = (types::pattern(t)?, self.b.func().ty(v));
            if known.exact().is_none() && known.dims.len() == like.rank() {
                return Ok(like.with_dtype(known.dtype));
            }
        }
        self.out(op, i)
    }
    /// The written type of result `i`; in a region that runs on whole tensors, with their extents.
    pub(super) fn out(&self, op: &'a Op<'a>, i: usize) -> Made<Type> {
        let Some(t) = op.outs.get(i) else {
            let text = format!("`{}` needs the type of its result", op.name.text);
            return Err(Diagnostic::error(Code::E0245, op.span, text).help("write it: `… : (T) -> U`").into_stop());
        };
        let known = types::pattern(t)?;
        if let (None, Some(dims)) = (known.exact(), self.result_extents.get(i)) {
            return Ok(Type::new(known.dtype, dims.clone()));
        }
        let ty = types::tensor(t)?;
        match &self.lift {
            Some(dims) if ty.is_scalar() => Ok(Type::new(ty.dtype, dims.as_slice())),
            Some(_) => {
                let d = Diagnostic::error(
                    Code::E0240,
                    t.span,
                    "a tensor in a region of scalars that runs on whole tensors",
                );
                Err(d.help("such regions compute with scalars").into_stop())
            }
            None => Ok(ty),
        }
    }
}

/// How many tensors something is, in words.
fn count(n: usize) -> String {
    if n == 1 { "a tensor".to_owned() } else { format!("a tuple of {n} tensors") }
}
/// Values in the shape of the written types.
pub(super) fn packed(types: &[Text], values: Vec<ValueId>) -> Vec<Slot> {
    fn pack(t: &Text, values: &mut dyn Iterator<Item = ValueId>) -> Slot {
        match &t.kind {
            TypeKind::Tuple(parts) => Slot::Tuple(parts.iter().map(|p| pack(p, values)).collect()),
            _ => values.next().map_or(Slot::Lost, Slot::One),
        }
    }
    let mut values = values.into_iter();
    let mut slots: Vec<Slot> = types.iter().map(|t| pack(t, &mut values)).collect();
    // More than is written is left to who compares.
    slots.extend(values.map(Slot::One));
    slots
}
fn lost(s: &Slot) -> bool {
    match s {
        Slot::Lost => true,
        Slot::Tuple(inner) => inner.iter().any(lost),
        Slot::One(_) => false,
    }
}

/// A diagnostic as the end of a statement.
pub(super) trait IntoStop {
    fn into_stop(self) -> Stop;
}
impl IntoStop for Diagnostic {
    fn into_stop(self) -> Stop {
        Stop::Said(Box::new(self))
    }
}
