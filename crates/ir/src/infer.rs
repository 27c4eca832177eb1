//! What inference sees, and the questions it may ask. An equality or bound that holds passes, one that fails is an
//! error at its place, one that is unknown becomes a guard of the op — except between different existentials, which is
//! an error that asks for an explicit `guard` (TFIR §4).
use crate::attr::{Attr, Attrs};
use crate::binders::Apart;
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::extent::{CmpOp, Constraint, ExistId, Extent, ExtentNames, Facts, Truth};
use crate::func::{ExistDecl, Func, Guard, Region, RegionId, ValueId};
use crate::module::Module;
use crate::op::OpDef;
use crate::types::Type;
use crate::{DType, Span};
use std::collections::HashMap;

/// The view of an op under construction.
pub struct InferCx<'a> {
    pub(crate) m: &'a Module,
    pub(crate) f: &'a mut Func,
    pub(crate) facts: &'a Facts,
    pub(crate) closed: &'a HashMap<RegionId, Facts>,
    pub(crate) def: &'static OpDef,
    pub(crate) operands: &'a [ValueId],
    pub(crate) attrs: &'a mut Attrs,
    pub(crate) regions: &'a [RegionId],
    pub(crate) declared: Option<&'a [Type]>,
    pub(crate) written: &'a [Option<&'a Type>],
    pub(crate) wheres: &'a mut Vec<Constraint>,
    pub(crate) guards: Vec<Guard>,
    pub(crate) discharged: Vec<Guard>,
    pub(crate) span: Span,
    pub(crate) at: RegionId,
    pub(crate) assumed: Vec<Constraint>,
    /// Equalities that a statement in front of the op has to state; `None` where the writer has to.
    pub(crate) stated: Option<Vec<Constraint>>,
}
impl InferCx<'_> {
    /// The row.
    pub fn def(&self) -> &'static OpDef {
        self.def
    }
    /// The module.
    pub fn module(&self) -> &Module {
        self.m
    }
    /// The function under construction.
    pub fn func(&self) -> &Func {
        self.f
    }
    /// Number of operands.
    pub fn len(&self) -> usize {
        self.operands.len()
    }
    /// Whether the op has no operand.
    pub fn is_empty(&self) -> bool {
        self.operands.is_empty()
    }
    /// Type of operand `i`; the row's arity has been checked.
    pub fn ty(&self, i: usize) -> Result<Type> {
        match self.operands.get(i) {
            Some(&v) => Ok(self.f.ty(v).clone()),
            None => Err(Error::new(Code::E0210, format!("`{}` needs operand {i}", self.def.name))),
        }
    }
    /// Types of all operands.
    pub fn types(&self) -> Vec<Type> {
        self.f.types(self.operands)
    }
    /// Attributes.
    pub fn attrs(&self) -> &Attrs {
        self.attrs
    }
    /// Sets an attribute to its canonical form.
    pub fn set_attr(&mut self, name: &'static str, a: Attr) {
        self.attrs.set(name, a);
    }
    /// The written result type, where exactly one is written. What is read off it was bound before: `E0401`.
    pub fn declared(&self) -> Result<Type> {
        match self.declared {
            Some([t]) => {
                self.all_bound(&t.dims, Part::Result(0))?;
                Ok(t.clone())
            }
            Some(d) => {
                Err(Error::new(Code::E0211, format!("`{}` gives 1 result, {} are written", self.def.name, d.len())))
            }
            None => Err(Error::new(Code::E0207, format!("`{}` needs its result type written", self.def.name))
                .help("write `%name: dtype[…] = …`")),
        }
    }
    /// The written type of result `i`, where one is written.
    pub fn written(&self, i: usize) -> Option<&Type> {
        self.written.get(i).copied().flatten()
    }
    /// Every existential of `extents` is bound by an earlier statement: `E0401`.
    pub fn all_bound(&self, extents: &[Extent], part: Part) -> Result<()> {
        let Some(r) = extents.iter().find_map(|e| self.f.unbound(e)) else { return Ok(()) };
        let name = self.f.exist(r);
        let help = format!("bind it first: `extent(%k, shape[?{name}])`, or the result of an op that decides it");
        Err(self.unbound(r, part, format!("extent `?{name}` is not bound here")).help(help))
    }
    /// `E0401` about `r` (nothing binds it where `text` says), at `part` and where `r` is written.
    pub fn unbound(&self, r: ExistId, part: Part, text: String) -> Error {
        let e = Error::new(Code::E0401, text).at(part);
        match self.f.exists.get(r.0 as usize) {
            Some(d) if d.span != Span::default() => e.or_span(d.span),
            _ => e,
        }
    }
    /// The statement's `where`.
    pub fn wheres(&self) -> &[Constraint] {
        self.wheres
    }
    /// Adds a fact about results, unless it is there.
    pub fn add_where(&mut self, c: Constraint) {
        if !self.wheres.iter().any(|w| w.says(&c)) {
            self.wheres.push(c);
        }
    }
    /// A fact for what follows that is not printed at the statement, and that nothing checks.
    pub(crate) fn assume(&mut self, c: Constraint) {
        self.assumed.push(c);
    }
    /// Removes an attribute that says nothing new.
    pub fn remove_attr(&mut self, name: &str) {
        self.attrs.remove(name);
    }
    /// Number of regions.
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }
    /// The id of region `i`, for questions to the function: what is bound within it, what it captures.
    pub fn region_id(&self, i: usize) -> RegionId {
        self.regions[i]
    }
    /// Region `i`.
    pub fn region(&self, i: usize) -> &Region {
        self.f.region(self.regions[i])
    }
    /// Types of region `i`'s parameters.
    pub fn region_params(&self, i: usize) -> Vec<Type> {
        self.f.types(&self.region(i).params)
    }
    /// Types of what region `i` yields.
    pub fn region_yields(&self, i: usize) -> Vec<Type> {
        self.f.types(&self.region(i).yields)
    }
    /// A fresh existential of that name.
    pub fn fresh_exist(&mut self, name: &str) -> ExistId {
        self.f.exists.push(ExistDecl { name: name.into(), span: self.span, region: self.at, binder: None });
        ExistId(self.f.exists.len() as u32 - 1)
    }
    /// A type as text.
    pub fn show(&self, t: &Type) -> String {
        t.display(&*self.f).to_string()
    }
    /// An extent as text.
    pub fn show_extent(&self, e: &Extent) -> String {
        e.display(&*self.f).to_string()
    }
    /// Whether this relation of extents is certain.
    pub fn proves(&self, lhs: &Extent, op: CmpOp, rhs: &Extent) -> Truth {
        self.proves_at(None, lhs, op, rhs)
    }
    /// Whether this relation of extents is certain, at the end of region `at` (an index) where one is given.
    pub fn proves_at(&self, at: Option<usize>, lhs: &Extent, op: CmpOp, rhs: &Extent) -> Truth {
        self.facts_at(at).prove(&Constraint { lhs: lhs.clone(), op, rhs: rhs.clone() })
    }
    /// `a == b`, proved, refuted or guarded. `what` says what is compared: `axis 1 of operand 0 and axis 0 of operand 1`.
    pub fn equal(&mut self, a: &Extent, b: &Extent, part: Part, what: impl FnOnce() -> String) -> Result<()> {
        self.equal_at(None, a, b, part, what)
    }
    /// As [`InferCx::equal`], at the end of region `at` (an index) where one is given: its facts are known there, and what is
    /// left to run time is checked at its `yield`.
    pub fn equal_at(
        &mut self,
        at: Option<usize>,
        a: &Extent,
        b: &Extent,
        part: Part,
        what: impl FnOnce() -> String,
    ) -> Result<()> {
        if a == b {
            return Ok(());
        }
        let c = Constraint { lhs: a.clone(), op: CmpOp::Eq, rhs: b.clone() };
        let facts = self.facts_at(at);
        // Asked first: acceptance must not depend on how much the prover finds out from inequalities.
        let foreign = facts.foreign_existentials(a, b);
        match facts.prove(&c) {
            Truth::Yes if !foreign => {
                self.discharge(at, c, what);
                Ok(())
            }
            Truth::No => Err(Error::new(
                Code::E0204,
                format!("extents differ: {}: {} and {}", what(), self.show_extent(a), self.show_extent(b)),
            )
            .at(part)),
            _ if foreign => match (&mut self.stated, at) {
                (Some(list), None) => {
                    list.push(c);
                    Ok(())
                }
                _ => Err(self.foreign(a, b, part, &what())),
            },
            _ => {
                self.push_guard(at, c, what());
                Ok(())
            }
        }
    }
    fn facts_at(&self, at: Option<usize>) -> &Facts {
        at.and_then(|r| self.closed.get(self.regions.get(r)?)).unwrap_or(self.facts)
    }
    /// A condition for run time (`E0420`, which says `what`): of the op, or of the `yield` of region `at` where it names what that
    /// region binds. Said once, however often it is asked for.
    pub fn push_guard(&mut self, at: Option<usize>, cond: Constraint, what: String) {
        let g = Guard::new(cond, what);
        let inner = at.and_then(|r| self.regions.get(r).copied());
        let inner = inner.filter(|&r| self.f.bound_within(&g.cond.lhs, r) || self.f.bound_within(&g.cond.rhs, r));
        if let Some(r) = inner {
            let list = &mut self.f.regions[r.ix()].guards;
            if !list.iter().any(|h| h.cond.says(&g.cond)) {
                list.push(g);
            }
            return;
        }
        if !self.guards.iter().any(|h| h.cond.says(&g.cond)) {
            self.guards.push(g);
        }
    }
    /// `cond` follows from the facts here, or at the end of region `at`: kept, unless it follows from nothing at all, since the
    /// statements that say these facts may go.
    fn discharge(&mut self, at: Option<usize>, cond: Constraint, what: impl FnOnce() -> String) {
        if self.facts_at(at).is_empty() || cond.holds_always() {
            return;
        }
        let inner = at.and_then(|r| self.regions.get(r).copied()).filter(|r| self.closed.contains_key(r));
        let list = match inner {
            Some(r) => &mut self.f.regions[r.ix()].discharged,
            None => &mut self.discharged,
        };
        if !list.iter().any(|h| h.cond.says(&cond)) {
            list.push(Guard::new(cond, what()));
        }
    }
    /// Are both certainly equal, at the end of region `at` (an index) where one is given? What the op then rests on is kept.
    pub fn equal_for_certain(&mut self, at: Option<usize>, a: &Extent, b: &Extent, what: &str) -> bool {
        let known = a == b || self.proves_at(at, a, CmpOp::Eq, b) == Truth::Yes;
        if known && a != b {
            self.discharge(at, Constraint { lhs: a.clone(), op: CmpOp::Eq, rhs: b.clone() }, || what.into());
        }
        known
    }
    /// The extent of result `i` along `axis`, which the op finds when it runs, is `e`, as written: checked then (`E0420`).
    pub fn claim(&mut self, i: usize, axis: usize, e: &Extent) {
        let cond = Constraint { lhs: e.clone(), op: CmpOp::Eq, rhs: e.clone() };
        let what = format!("result {i} of `{}`, axis {axis}, as written", self.def.name);
        self.guards.push(Guard { found: Some((i, axis)), ..Guard::new(cond, what) });
    }
    /// Whether the written type of result `i` binds a new extent along `axis`.
    pub fn named(&self, i: usize, axis: usize) -> bool {
        let d = self.written(i).and_then(|t| t.dims.get(axis));
        d.is_some_and(|d| d.as_atom().is_some() && self.f.unbound(d).is_some())
    }
    /// The written extent of result `i` along `axis`, where one is written that something binds already.
    pub fn claimed(&self, i: usize, axis: usize) -> Option<Extent> {
        self.written(i)?.dims.get(axis).filter(|d| self.f.unbound(d).is_none()).cloned()
    }
    fn foreign(&self, a: &Extent, b: &Extent, part: Part, what: &str) -> Error {
        let names = Apart::of(self.f, [a, b]);
        let (x, y) = (names.extent(a), names.extent(b));
        let help = match names.alike() {
            // No statement can name both.
            true => "cut both by one value, so that one extent serves both".to_owned(),
            false => format!("add `guard() where {x} == {y}` before this statement, or cut both with one `extent`"),
        };
        let e = Error::new(Code::E0404, format!("{what}: {x} and {y} are not known to be equal")).at(part).help(help);
        names.told(e)
    }
    /// `lhs op rhs`, proved, refuted or guarded.
    pub fn demand(&mut self, lhs: &Extent, op: CmpOp, rhs: &Extent, part: Part, what: &str) -> Result<()> {
        let c = Constraint { lhs: lhs.clone(), op, rhs: rhs.clone() };
        self.demand_at(None, c, part, what)
    }
    /// As [`InferCx::demand`], at the end of region `at` (an index) where one is given.
    pub fn demand_at(&mut self, at: Option<usize>, c: Constraint, part: Part, what: &str) -> Result<()> {
        match self.facts_at(at).prove(&c) {
            Truth::Yes => {
                self.discharge(at, c, || what.into());
                Ok(())
            }
            Truth::No => {
                Err(Error::new(Code::E0403, format!("{what}: {} does not hold", c.display(&*self.f))).at(part))
            }
            Truth::Unknown => {
                self.push_guard(at, c, what.into());
                Ok(())
            }
        }
    }
    /// Types agree: same dtype, same rank, extents equal (proved or guarded).
    pub fn agree(&mut self, a: &Type, b: &Type, part: Part, what: &str) -> Result<()> {
        self.agree_at(None, a, b, part, what)
    }
    /// As [`InferCx::agree`], at the end of region `at` (an index) where one is given.
    pub fn agree_at(&mut self, at: Option<usize>, a: &Type, b: &Type, part: Part, what: &str) -> Result<()> {
        if a == b {
            return Ok(());
        }
        if a.dtype != b.dtype {
            return Err(Error::new(
                Code::E0202,
                format!("{what}: dtypes differ: {} and {}", self.show(a), self.show(b)),
            )
            .at(part)
            .help("nothing is promoted: say where, as by `f64(%x)`"));
        }
        if a.rank() != b.rank() {
            return Err(Error::new(
                Code::E0205,
                format!("{what}: ranks differ: {} and {}", self.show(a), self.show(b)),
            )
            .at(part)
            .help("nothing is broadcast in the IR: insert `broadcast_in_dim`"));
        }
        for (i, (x, y)) in a.dims.iter().zip(b.dims.iter()).enumerate() {
            self.equal_at(at, x, y, part, || format!("{what}, axis {i}"))?;
        }
        Ok(())
    }
    /// Operands `i` and `j` have one type.
    pub fn same_operands(&mut self, i: usize, j: usize) -> Result<()> {
        let (a, b) = (self.ty(i)?, self.ty(j)?);
        self.agree(&a, &b, Part::Operand(j), &format!("operands {i} and {j}"))
    }
    /// Operand `i` has one of these dtypes.
    pub fn want_dtype(&self, i: usize, ok: impl Fn(DType) -> bool, what: &str) -> Result<DType> {
        let t = self.ty(i)?;
        if ok(t.dtype) {
            return Ok(t.dtype);
        }
        Err(Error::new(Code::E0203, format!("`{}` takes {what}, not {}", self.def.name, t.dtype)).operand(i))
    }
    /// Operand `i` is of a dtype that is complex or the parts of a complex one.
    pub fn want_parts(&self, i: usize) -> Result<DType> {
        self.want_wide(i, |d| format!("no complex dtype has parts of {d}"))
    }
    /// Operand `i` holds real or complex floating numbers of 32 bits at least.
    pub fn want_field(&self, i: usize) -> Result<DType> {
        self.want_dtype(i, DType::is_inexact, "real or complex floating numbers")
            .map_err(|e| e.help("insert `convert`"))?;
        self.want_wide(i, |d| format!("a factorisation rounds at every step, and {d} has few digits"))
    }
    fn want_wide(&self, i: usize, why: impl Fn(DType) -> String) -> Result<DType> {
        self.want_dtype(i, |d| !d.is_small(), "f32, f64 and complex numbers").map_err(|e| {
            let d = self.ty(i).map_or(DType::F32, |t| t.dtype);
            e.help(format!("`convert` to {} first: {}", d.wide(), why(d)))
        })
    }
    /// Operand `i` is a scalar of that kind.
    pub fn want_scalar(&self, i: usize, ok: impl Fn(DType) -> bool, what: &str) -> Result<()> {
        let t = self.ty(i)?;
        if t.is_scalar() && ok(t.dtype) {
            return Ok(());
        }
        Err(Error::new(Code::E0203, format!("`{}` takes {what} here, not {}", self.def.name, self.show(&t))).operand(i))
    }
    /// A list of axes: in range, not repeated.
    pub fn axes(&self, name: &'static str, rank: usize) -> Result<Vec<usize>> {
        let list = match self.attrs.get(name) {
            Some(Attr::List(l)) => l.iter().map(|a| if let Attr::Int(i) = a { *i } else { -1 }).collect::<Vec<_>>(),
            Some(Attr::Int(i)) => vec![*i],
            _ => vec![],
        };
        check_axes(&list, rank).map_err(|e| e.attr(name))
    }
    /// One axis, in range.
    pub fn axis(&self, name: &'static str, rank: usize) -> Result<usize> {
        check_axes(&[self.attrs.int(name)], rank).map_err(|e| e.attr(name)).map(|v| v[0])
    }
}

/// Axes as indices: non-negative, below `rank`, not repeated.
pub fn check_axes(list: &[i64], rank: usize) -> Result<Vec<usize>> {
    let mut out: Vec<usize> = Vec::with_capacity(list.len());
    for &a in list {
        if a < 0 {
            return Err(Error::new(Code::E0212, format!("axis {a} is negative"))
                .help(format!("count from 0; the last axis here is {}", rank as i64 - 1)));
        }
        if a as usize >= rank {
            return Err(Error::new(Code::E0212, format!("axis {a} is out of range for rank {rank}")));
        }
        if out.contains(&(a as usize)) {
            return Err(Error::new(Code::E0213, format!("axis {a} is named twice")));
        }
        out.push(a as usize);
    }
    Ok(out)
}
