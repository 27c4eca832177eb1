//! Programs as a person writes them in tfir 1.1: what is used once stands where it is used, constants and repeated operands beside
//! their partners. Reading gives the same program, but for constants that are written twice and names of what is written in place.
use super::{Printer, element, literal};
use crate::func::{BODY, Binder, Def, OpId, RegionId, ValueId};
use crate::op::{Effect, SlotDefault};
use crate::ops::constant::CONST;
use crate::ops::elementwise::CONVERT;
use crate::ops::shape::{BROADCAST_IN_DIM, RESHAPE, SLICE};
use crate::tensor::Tensor;
use crate::types::Type;
use crate::{Attr, DType, Extent};
use std::collections::HashMap;

/// Longer calls are statements.
const LONGEST: usize = 60;
/// Calls nest at most so deep.
const DEEPEST: usize = 3;

/// How a value may be written where it is used.
#[derive(Clone)]
enum Form {
    /// By its name.
    Name,
    /// By what makes it, and how deep that nests.
    Made(String, usize),
    /// A constant all of whose elements are written as one.
    Number(Tensor),
    /// Another value, repeated: for each axis whether that value has it.
    Repeated(String, Vec<bool>),
}

/// What is written in place, in the whole of a function.
#[derive(Default)]
pub(super) struct Nested {
    /// For each op what its operands are written as.
    operands: HashMap<OpId, Vec<String>>,
    /// For each region what it ends in.
    ends: HashMap<RegionId, Vec<String>>,
    /// How often each value is used by its name.
    named: Vec<u32>,
}
impl Nested {
    pub(super) fn operands(&self, o: OpId) -> Option<&[String]> {
        self.operands.get(&o).map(Vec::as_slice)
    }
    pub(super) fn end(&self, r: RegionId) -> Option<&[String]> {
        self.ends.get(&r).map(Vec::as_slice)
    }
}

struct Nesting<'p, 'a> {
    p: &'p Printer<'a>,
    uses: Vec<u32>,
    forms: HashMap<ValueId, (Form, RegionId, Option<u32>)>,
    out: Nested,
}

/// What is written in place in the function of `p`, and which ops are written nowhere else.
pub(super) fn of(p: &Printer) -> (Nested, Vec<bool>) {
    let f = p.f;
    let mut uses = vec![0; f.values.len()];
    for op in &f.ops {
        op.operands.iter().for_each(|v| uses[v.ix()] += 1);
    }
    for r in &f.regions {
        r.yields.iter().for_each(|v| uses[v.ix()] += 1);
    }
    let named = vec![0; f.values.len()];
    let mut n = Nesting { p, uses, forms: HashMap::new(), out: Nested { named, ..Nested::default() } };
    n.region(BODY);
    let mut written = vec![false; f.ops.len()];
    for (v, (form, ..)) in &n.forms {
        if let (false, Def::Result(o, _)) = (matches!(form, Form::Name), f.value(*v).def) {
            // Nothing uses it by its name, and something uses it.
            written[o.ix()] = n.out.named[v.ix()] == 0 && n.uses[v.ix()] > 0;
        }
    }
    (n.out, written)
}

impl Nesting<'_, '_> {
    fn region(&mut self, r: RegionId) {
        let f = self.p.f;
        for &o in &f.region(r).ops {
            for &q in &f.op(o).regions {
                self.region(q);
            }
            let texts = self.operands_of(o, r);
            self.out.operands.insert(o, texts);
            self.offer(o, r);
        }
        let ends = f.region(r).yields.iter().map(|&v| match self.form(v, r, None) {
            Form::Made(text, _) => text,
            _ => self.named(v),
        });
        let ends = ends.collect::<Vec<_>>();
        self.out.ends.insert(r, ends);
    }
    fn named(&mut self, v: ValueId) -> String {
        self.out.named[v.ix()] += 1;
        format!("%{}", self.p.name(v))
    }
    /// How `v` may be written in a statement of region `r` at that location.
    fn form(&self, v: ValueId, r: RegionId, loc: Option<u32>) -> Form {
        match self.forms.get(&v) {
            Some((Form::Number(t), ..)) => Form::Number(t.clone()),
            Some((form, at, from)) if *at == r && *from == loc && self.uses[v.ix()] == 1 => form.clone(),
            _ => Form::Name,
        }
    }

    fn operands_of(&mut self, o: OpId, r: RegionId) -> Vec<String> {
        let f = self.p.f;
        let op = f.op(o);
        let mut forms: Vec<Form> = op.operands.iter().map(|&v| self.form(v, r, op.loc)).collect();
        let types: Vec<&Type> = op.operands.iter().map(|&v| f.ty(v)).collect();
        let alike = |i: usize| op.def.shares_dtype(i);
        let spreads = op.def.spreads();
        for (i, form) in forms.iter_mut().enumerate() {
            if matches!(form, Form::Repeated(_, axes) if !spreads || !alike(i) && axes.iter().all(|a| !a)) {
                *form = Form::Name;
            }
        }
        if spreads && !gives_shape(&forms, &types) {
            forms.iter_mut().filter(|f| matches!(f, Form::Repeated(..))).for_each(|f| *f = Form::Name);
            if !gives_shape(&forms, &types) {
                // Constants alone say no extents.
                let numbers =
                    forms.iter_mut().zip(&types).filter(|(f, t)| matches!(f, Form::Number(_)) && !t.is_scalar());
                numbers.for_each(|(f, _)| *f = Form::Name);
            }
        }
        let partner = forms.iter().enumerate().any(|(i, f)| alike(i) && !matches!(f, Form::Number(_)));
        let params = op.regions.first().map(|&r| f.region(r).params.len());
        let said = params.is_some_and(|n| n <= op.operands.len() && op.def.slot("combine").is_none());
        let free = said || op.regions.is_empty() && !op.def.calls();
        let mut texts = vec![];
        for (i, form) in forms.into_iter().enumerate() {
            let v = op.operands[i];
            texts.push(match form {
                Form::Made(text, _) => text,
                Form::Repeated(text, axes) => match axes.iter().any(|a| *a) {
                    true => {
                        let list: Vec<_> = axes.iter().map(|&a| if a { ":" } else { "_" }).collect();
                        format!("{text}[{}]", list.join(", "))
                    }
                    false => text,
                },
                Form::Number(t) if alike(i) && partner && (spreads || types[i].is_scalar()) => element(&t, 0),
                Form::Number(t) if types[i].is_scalar() && free && !alike(i) && (said || own(t.dtype())) => {
                    element(&t, 0)
                }
                Form::Number(t) if types[i].is_scalar() => format!("{}({})", t.dtype(), element(&t, 0)),
                Form::Name | Form::Number(_) => self.named(v),
            });
        }
        texts
    }

    /// Says how the result of `o` may be written where it is used.
    fn offer(&mut self, o: OpId, r: RegionId) {
        let f = self.p.f;
        let op = f.op(o);
        let &[v] = op.results.as_slice() else { return };
        let plain = op.regions.is_empty()
            && op.def.effect == Effect::Pure
            && op.guards.is_empty()
            && op.said().next().is_none()
            && f.sharding(v).is_none()
            && f.exists.iter().all(|e| e.binder != Some(Binder::Op(o)));
        if !plain {
            return;
        }
        let texts = self.out.operands.get(&o).cloned().unwrap_or_default();
        // An operand that is written by its name adds nothing.
        let deep = op.operands.iter().map(|&x| if let Form::Made(_, d) = self.form(x, r, op.loc) { d } else { 0 });
        let deep = deep.max().unwrap_or(0) + 1;
        let made =
            |text: String| (text.chars().count() <= LONGEST && deep <= DEEPEST).then_some(Form::Made(text, deep));
        let first = || texts.first().cloned().unwrap_or_default();
        let form = if op.def.is(&CONST) {
            op.attrs
                .tensor("splat")
                .or_else(|| op.attrs.tensor("value").filter(|t| t.rank() == 0))
                .cloned()
                .map(Form::Number)
        } else if op.def.is(&BROADCAST_IN_DIM) {
            self.repeated(o).map(|axes| Form::Repeated(first(), axes))
        } else if op.def.is(&CONVERT) {
            made(format!("{}({})", f.ty(v).dtype, first()))
        } else if let Some(text) = self.p.part(o, &first()) {
            made(text)
        } else if op.def.needs_type {
            None
        } else {
            made(self.p.call(o, &texts))
        };
        self.forms.extend(form.map(|form| (v, (form, r, op.loc))));
    }

    /// For each axis of a `broadcast_in_dim` whether its operand has it, where it only adds axes, in order.
    fn repeated(&self, o: OpId) -> Option<Vec<bool>> {
        let f = self.p.f;
        let op = f.op(o);
        let (from, to) = (f.ty(*op.operands.first()?), f.ty(*op.results.first()?));
        let dims = op.attrs.indices("dims");
        let kept = dims.is_sorted() && dims.iter().zip(from.dims.iter()).all(|(&d, n)| to.dims.get(d) == Some(n));
        kept.then(|| (0..to.rank()).map(|k| dims.contains(&k)).collect())
    }
}

/// Whether operands that are written so have their extents together: as the reader finds them.
fn gives_shape(forms: &[Form], types: &[&Type]) -> bool {
    let rank = types.iter().map(|t| t.rank()).max().unwrap_or(0);
    let Some(full) = types.iter().find(|t| t.rank() == rank) else { return true };
    let closed = |(form, ty): (&Form, &&Type)| matches!(form, Form::Name | Form::Made(..)) && ty.rank() == rank;
    (0..rank).all(|k| {
        let first = forms.iter().zip(types).find(|(form, ty)| match form {
            Form::Repeated(_, axes) => axes.get(k) == Some(&true),
            _ => closed((form, ty)),
        });
        first.is_some_and(|(_, ty)| ty.dims.get(k) == full.dims.get(k))
    })
}
/// Dtypes of literals that nothing gives one.
fn own(d: DType) -> bool {
    matches!(d, DType::F64 | DType::I64 | DType::Bool)
}

impl Printer<'_> {
    /// A constant as a literal that its written type gives a dtype and extents.
    pub(super) fn constant(&self, o: OpId) -> Option<String> {
        let op = self.f.op(o);
        if !op.def.is(&CONST) {
            return None;
        }
        match (op.attrs.tensor("splat"), op.attrs.tensor("value")) {
            (Some(t), _) => Some(element(t, 0)),
            (None, Some(t)) if !t.shape().contains(&0) => Some(literal(t)),
            _ => None,
        }
    }
    /// A `slice`, or a `reshape` that only drops the axes of a `slice` which it leaves one element of, in brackets behind `of`,
    /// which is what the `slice` is taken from.
    pub(super) fn part(&self, o: OpId, of: &str) -> Option<String> {
        let f = self.f;
        let op = f.op(o);
        if op.def.is(&SLICE) {
            return Some(format!("{of}{}", self.brackets(o, &[])?));
        }
        if !op.def.is(&RESHAPE) || op.attrs.get("order").is_some() {
            return None;
        }
        // What is in front of its brackets is the text of the slice, which ends in brackets of its own.
        let Def::Result(inner, _) = f.value(*op.operands.first()?).def else { return None };
        let (from, to) = (f.ty(*op.operands.first()?), f.ty(*op.results.first()?));
        let (whole, base) = (of.strip_suffix(']')?, f.op(inner));
        if !base.def.is(&SLICE) || !base.guards.is_empty() {
            return None;
        }
        let mut dropped = vec![];
        let mut rest = to.dims.iter().peekable();
        for (k, n) in from.dims.iter().enumerate() {
            match rest.peek() {
                Some(m) if *m == n => drop(rest.next()),
                _ if n.as_exact() == Some(1) => dropped.push(k),
                _ => return None,
            }
        }
        if rest.next().is_some() || dropped.is_empty() {
            return None;
        }
        let brackets = self.brackets(inner, &[])?;
        let before = format!("{whole}]");
        let x = before.strip_suffix(&brackets)?;
        Some(format!("{x}{}", self.brackets(inner, &dropped)?))
    }
    /// The brackets of a slice, of which those axes are dropped.
    fn brackets(&self, o: OpId, dropped: &[usize]) -> Option<String> {
        let op = self.f.op(o);
        let of = self.f.ty(*op.operands.first()?);
        let (start, limit) = (op.attrs.extents("start"), op.attrs.extents("limit"));
        let strides = op.attrs.get("stride").map(|_| op.attrs.indices("stride"));
        let zero = Extent::exact(0);
        let mut list = vec![];
        for (k, n) in of.dims.iter().enumerate() {
            let (from, to) = (start.get(k)?, limit.get(k)?);
            let step = strides.as_ref().map_or(1, |s| s.get(k).copied().unwrap_or(1));
            if dropped.contains(&k) {
                list.push(from.display(self).to_string());
                continue;
            }
            let first = if *from == zero { String::new() } else { from.display(self).to_string() };
            let last = if to == n { String::new() } else { to.display(self).to_string() };
            let by = if step == 1 { String::new() } else { format!(":{step}") };
            list.push(format!("{first}:{last}{by}"));
        }
        Some(format!("[{}]", list.join(", ")))
    }
    /// Whether an attribute says what its absence would.
    pub(super) fn says_all_axes(&self, o: OpId, slot: &crate::op::Slot, a: &Attr) -> bool {
        let op = self.f.op(o);
        let rank = op.operands.first().map_or(0, |&x| self.f.ty(x).rank());
        slot.default == SlotDefault::AllAxes && *a == Attr::ints(&(0..rank).collect::<Vec<_>>())
    }
}
