//! What a loop keeps for its reverse derivative: `checkpoint`, `period`, `binomial`. Where such a loop is linearized by split
//! placement, a function stands for it that makes the same trips in segments, each a `checkpoint` of a function: the rule of
//! that op then keeps what goes into a segment and runs it again on the way back. Forward derivatives keep nothing anyhow.
//!
//! With `t` trips, carries of `C` bytes and residuals of `R` bytes a trip, the derivative holds about
//!
//! | policy | bytes | trips run again |
//! |---|---|---|
//! | none | `t R` | 0 |
//! | `checkpoint = all` | `t C + R` | `t` |
//! | `period = k` | `t/k C + k R` | `t` |
//! | `checkpoint = sqrt` | `√t (C + R)` | `t` |
//! | `binomial = s` | `s C + R` | `r t`, where `r` is least with `binom(s + r, s) ≥ t` |
//!
//! The last is the optimal schedule for `s` snapshots (Griewank & Walther 2000, algorithm 799, proposition 1). Segments of a
//! loop whose number of trips is known only when it runs grow by one trip each under `sqrt`, which keeps `√(2t)` carries.
use super::call::{self, CALL, CHECKPOINT};
use super::loops::{Gather, ScanDims, set_collect, while_gathers};
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::builder::Builder;
use crate::code::Code;
use crate::copy::free_name;
use crate::derive::Linearizer;
use crate::diag::{Error, Result};
use crate::extent::{Atom, CmpOp, Constraint, ExistId, Extent, SymId, solve_extents};
use crate::func::*;
use crate::map::Map;
use crate::module::FuncId;
use crate::op::{NewOp, OpDef, Slot, SlotDefault, SlotKind};
use crate::ops::elementwise::CEIL;
use crate::ops::shape::{CONCAT, SLICE};
use crate::types::Type;
use std::collections::BTreeMap;

/// What a loop keeps for its reverse derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Checkpoint {
    /// The residuals of each trip.
    #[default]
    None,
    /// The carries of each trip.
    All,
    /// The carries of each so many-th trip.
    Period(i64),
    /// The carries of about the square root of the number of trips.
    Sqrt,
    /// The carries of so many trips at a time, and those that take the fewest runs again. Where the number of trips is known
    /// only when it runs: as [`Checkpoint::Sqrt`].
    Binomial(i64),
}
/// The slots of loops.
pub(super) const WORD: Slot =
    Slot::with_default("checkpoint", SlotKind::Word(&["none", "sqrt", "all"]), SlotDefault::Word("none"));
pub(super) const PERIOD: Slot = Slot::optional("period", SlotKind::Int);
pub(super) const BINOMIAL: Slot = Slot::optional("binomial", SlotKind::Int);

impl Checkpoint {
    /// From attributes: one of them, at least 1.
    ///
    /// # Errors
    /// `E0216`.
    pub fn read(attrs: &Attrs) -> Result<Checkpoint> {
        let word = match attrs.get(WORD.name) {
            Some(Attr::Word(w)) if &**w == "sqrt" => Checkpoint::Sqrt,
            Some(Attr::Word(w)) if &**w == "all" => Checkpoint::All,
            _ => Checkpoint::None,
        };
        let number = |slot: &Slot| match attrs.get(slot.name) {
            Some(Attr::Int(k)) if *k >= 1 => Ok(Some(*k)),
            Some(_) => Err(Error::new(Code::E0216, format!("`{}` is at least 1", slot.name)).attr(slot.name)),
            None => Ok(None),
        };
        match (word, number(&PERIOD)?, number(&BINOMIAL)?) {
            (w, None, None) => Ok(w),
            (Checkpoint::None, Some(k), None) => Ok(Checkpoint::Period(k)),
            (Checkpoint::None, None, Some(s)) => Ok(Checkpoint::Binomial(s)),
            (_, p, _) => {
                let slot = if p.is_some() { PERIOD.name } else { BINOMIAL.name };
                Err(Error::new(Code::E0216, "a loop keeps its carries in one way")
                    .attr(slot)
                    .help("write one of `checkpoint`, `period`, `binomial`"))
            }
        }
    }
    /// Sets the attribute that says it, and removes others.
    pub fn write(self, attrs: &mut Attrs) {
        [WORD, PERIOD, BINOMIAL].iter().for_each(|s| attrs.remove(s.name));
        match self {
            Checkpoint::None => {}
            Checkpoint::All => attrs.set(WORD.name, Attr::word("all")),
            Checkpoint::Sqrt => attrs.set(WORD.name, Attr::word("sqrt")),
            Checkpoint::Period(k) => attrs.set(PERIOD.name, Attr::Int(k)),
            Checkpoint::Binomial(s) => attrs.set(BINOMIAL.name, Attr::Int(s)),
        }
    }
}

/// The split derivative of the loop `o`: that of a call of the function that stands for it.
pub(super) fn linearize(cx: &mut Linearizer, o: OpId, how: Checkpoint) -> Result<()> {
    let src = cx.src.clone();
    let op = src.op(o);
    let parts = Parts::of(&src, o, how)?;
    let m = cx.derive.module();
    let make = || if op.def.control.repeats.is_some() { parts.repeated(m) } else { parts.scan(m) };
    let f = cx.derive.stand_in(&src, o, &make)?;
    let given: Vec<ValueId> = op.operands.iter().chain(&parts.captures).copied().collect();
    let mut extents: Vec<Extent> = (0..src.syms.len() as u32).map(|i| Extent::sym(SymId(i))).collect();
    for &e in &parts.outer {
        extents.push(cx.primal_extent(&Extent::exist(e))?);
    }
    call::lin_by(cx, o, f, extents, &given)
}

/// A loop in pieces, as functions of the module.
struct Parts<'a> {
    src: &'a Func,
    op: &'a Op,
    /// The region that is run again.
    body: RegionId,
    captures: Vec<ValueId>,
    /// Existentials of the function around that the loop names: extent parameters of the functions made here.
    outer: Vec<ExistId>,
    /// Existentials that the body's parameters bind.
    inner: Vec<ExistId>,
    how: Checkpoint,
    carries: usize,
}
/// A function under construction whose extent parameters are the source's, then the named existentials.
struct Made<'m> {
    b: Builder<'m>,
    map: Map,
}
impl<'a> Parts<'a> {
    fn of(src: &'a Func, o: OpId, how: Checkpoint) -> Result<Parts<'a>> {
        let op = src.op(o);
        let body = *op.regions.last().ok_or_else(|| Error::bug(Code::E0599, "a loop without a body"))?;
        let mut captures: Vec<ValueId> = vec![];
        for &r in &op.regions {
            captures.extend(src.captures(r).into_iter().filter(|v| !captures.contains(v)).collect::<Vec<_>>());
        }
        let mut outer = src.extents_named(o);
        for &v in op.operands.iter().chain(&captures) {
            named(src.ty(v), &mut outer);
        }
        let mut inner = vec![];
        src.region(body).params.iter().for_each(|&p| named(src.ty(p), &mut inner));
        inner.retain(|e| !outer.contains(e));
        let carries = if op.def.control.repeats.is_some() { op.operands.len() } else { op.attrs.int("carry") as usize };
        Ok(Parts { src, op, body, captures, outer, inner, how, carries })
    }
    /// Begins a function with these existentials as extent parameters.
    fn begin<'m>(&self, m: &'m crate::Module, what: &str, exists: &[ExistId]) -> Made<'m> {
        let mut b = Builder::new(m, &format!("{}.{what}", self.src.name));
        b.mend();
        b.copy_syms(self.src);
        b.f.span = self.op.span;
        b.set_loc(self.op.loc, self.op.span);
        let mut map = Map::new();
        map.reopen();
        for &e in exists {
            let d = &self.src.exists[e.0 as usize];
            let name = free_name(&d.name, |n| b.func().syms.iter().any(|s| &*s.name == n));
            let s = b.sym(&name, d.span);
            map.bind(e, Extent::sym(s));
        }
        // What is known of them where they are bound.
        let mut said: Vec<&Constraint> = vec![];
        for &e in exists {
            match self.src.binder(e) {
                Some(Binder::Op(o)) => said.extend(&self.src.op(o).wheres),
                Some(Binder::Params(r)) => said.extend(&self.src.region(r).wheres),
                _ => {}
            }
        }
        for c in said {
            let mut open = false;
            for side in [&c.lhs, &c.rhs] {
                side.for_each_atom(&mut |a| open |= matches!(a, Atom::Exist(x) if !exists.contains(&x)));
            }
            if let (false, Ok(c)) = (open, map.constraint(c))
                && !b.func().wheres.iter().any(|w| w.says(&c))
            {
                b.add_where(c);
            }
        }
        Made { b, map }
    }
    fn all(&self) -> Vec<ExistId> {
        self.outer.iter().chain(&self.inner).copied().collect()
    }
    /// Parameters for captured values.
    fn take_captures(&self, made: &mut Made) -> Result<Vec<ValueId>> {
        let mut out = vec![];
        for &v in &self.captures {
            let ty = made.map.ty(self.src.ty(v))?;
            let p = made.b.param_like(ty, self.src, v);
            made.map.insert(v, p);
            out.push(p);
        }
        Ok(out)
    }
    /// Parameters like the body's, from `first` on; `cut` gives an axis that is put back, and its extent.
    fn take_params(
        &self,
        made: &mut Made,
        which: std::ops::Range<usize>,
        longer: &dyn Fn(usize, Type) -> Type,
    ) -> Result<Vec<ValueId>> {
        let mut out = vec![];
        for i in which {
            let p = self.src.region(self.body).params[i];
            let ty = longer(i, made.map.ty(self.src.ty(p))?);
            out.push(made.b.param_like(ty, self.src, p));
        }
        Ok(out)
    }
    /// One trip as a function: the body's parameters, then the captures.
    fn trip(&self, m: &crate::Module) -> Result<FuncId> {
        let mut made = self.begin(m, "trip", &self.all());
        let n = self.src.region(self.body).params.len();
        let ps = self.take_params(&mut made, 0..n, &|_, t| t)?;
        for (&old, &new) in self.src.region(self.body).params.iter().zip(&ps) {
            made.map.insert(old, new);
        }
        self.take_captures(&mut made)?;
        for &o in &self.src.region(self.body).ops {
            made.b.copy(self.src, o, &mut made.map)?;
        }
        let ys = made.map.all(&self.src.region(self.body).yields)?;
        Ok(m.add(made.b.finish_rewritten(ys)?))
    }
    /// Opens a body region like the source's; existentials that its parameters bind are its own.
    fn open_body(
        &self,
        made: &mut Made,
        longer: &dyn Fn(usize, Type) -> Type,
    ) -> Result<(crate::builder::Opened, Vec<ValueId>)> {
        let opened = made.b.open("body");
        self.inner.iter().for_each(|&e| drop(made.map.unbind(e)));
        for &p in &self.src.region(self.body).params {
            made.b.bind_fresh(self.src, &self.src.ty(p).dims, &mut made.map);
        }
        let n = self.src.region(self.body).params.len();
        let ps = self.take_params(made, 0..n, longer)?;
        for c in &self.src.region(self.body).wheres {
            let c = made.map.constraint(c)?;
            made.b.region_where(c);
        }
        Ok((opened, ps))
    }
    /// The types of the results where the function around knows their extents, perhaps because they are claimed there.
    fn claims(&self, made: &Made) -> Result<Vec<Option<Type>>> {
        let known = |&v: &ValueId| made.map.knows(self.src.ty(v)).then(|| made.map.ty(self.src.ty(v))).transpose();
        self.op.results.iter().map(known).collect()
    }
    fn finish(&self, m: &crate::Module, mut made: Made, mut results: Vec<ValueId>) -> Result<FuncId> {
        // An extent that the loop binds is what shows it whole here.
        for (&old, &new) in self.op.results.iter().zip(&results) {
            let now = made.b.ty(new);
            for (was, is) in self.src.ty(old).dims.iter().zip(now.dims.iter()) {
                if let Some(Atom::Exist(e)) = was.as_atom()
                    && made.map.exist(e).is_none()
                {
                    made.map.bind(e, is.clone());
                }
            }
        }
        for ((&old, new), claim) in self.op.results.iter().zip(&mut results).zip(self.claims(&made)?) {
            if let Some(claim) = claim {
                made.b.state_type(*new, &claim)?;
                for (axis, d) in claim.dims.iter().enumerate() {
                    *new = made.b.take_prefix(*new, axis, d)?;
                }
            }
            let name = self.src.value(old).name.clone();
            if !name.is_empty() {
                made.b.hint(*new, name);
            }
        }
        Ok(m.add(made.b.finish(results)?))
    }

    // Scans.

    /// The function that stands for a scan: its operands, then the captures.
    fn scan(&self, m: &crate::Module) -> Result<FuncId> {
        let d = ScanDims { checkpoint: Checkpoint::None, ..ScanDims::of(self.src, self.op)? };
        let mut made = self.begin(m, "loop", &self.outer);
        let d = ScanDims { length: made.map.extent(&d.length)?, ..d };
        let mut operands = vec![];
        for &v in &self.op.operands {
            let ty = made.map.ty(self.src.ty(v))?;
            operands.push(made.b.param_like(ty, self.src, v));
        }
        self.take_captures(&mut made)?;
        let mut scan = Scan { parts: self, m, d, plain: vec![], trees: BTreeMap::new() };
        let results = match (self.how, scan.d.length.as_exact()) {
            (Checkpoint::None | Checkpoint::All | Checkpoint::Period(1), _) => scan.each(&mut made, &operands)?,
            (Checkpoint::Period(k), _) => scan.segmented(&mut made, &operands, &Extent::exact(k))?,
            (Checkpoint::Binomial(s), Some(t)) => {
                let f = scan.tree(t, s)?;
                self.call(&mut made, &CALL, f, &[], &operands)?
            }
            (Checkpoint::Sqrt, Some(t)) => {
                let k = (t.max(1) as f64).sqrt().ceil() as i64;
                scan.segmented(&mut made, &operands, &Extent::exact(k))?
            }
            (Checkpoint::Sqrt | Checkpoint::Binomial(_), None) => {
                let n = made.b.dim_value(scan.d.length.clone())?;
                let root = root(&mut made.b, n)?;
                let k = Extent::exist(made.b.exist("k", self.op.span));
                let least = Constraint { lhs: Extent::exact(1), op: CmpOp::Le, rhs: k.clone() };
                made.b.bind_extent(root, k.clone(), vec![least])?;
                scan.segmented(&mut made, &operands, &k)?
            }
        };
        self.finish(m, made, results)
    }

    // Repeated loops.

    /// The function that stands for a `while`.
    fn repeated(&self, m: &crate::Module) -> Result<FuncId> {
        let own = while_gathers(self.src, self.op)?;
        let mut made = self.begin(m, "loop", &self.outer);
        let mut operands = vec![];
        for &v in &self.op.operands {
            let ty = made.map.ty(self.src.ty(v))?;
            operands.push(made.b.param_like(ty, self.src, v));
        }
        self.take_captures(&mut made)?;
        let mut attrs = made.map.attrs(&self.op.attrs)?;
        Checkpoint::None.write(&mut attrs);
        let first = match self.how {
            Checkpoint::All | Checkpoint::Period(1) | Checkpoint::None => None,
            Checkpoint::Period(k) => Some((k, false)),
            Checkpoint::Sqrt | Checkpoint::Binomial(_) => Some((1, true)),
        };
        let results = match first {
            None => {
                let trip = self.trip(m)?;
                let cond = made.b.copy_region(self.src, self.op.regions[0], &mut made.map)?;
                let (opened, ps) = self.open_body(&mut made, &|_, t| t)?;
                let ys = self.call(&mut made, &CHECKPOINT, trip, &[], &ps)?;
                let body = made.b.close(opened, ys);
                let new = NewOp::new(self.op.def, &operands).attrs(attrs).regions(vec![cond, body]);
                let claims = self.claims(&made)?;
                made.b.emit_partly(new, &claims)?
            }
            Some((first, grows)) => self.segments(m, &mut made, &operands, attrs, &own, first, grows)?,
        };
        self.finish(m, made, results)
    }
    /// The loop over segments: the carries, the length of the segment, the number of trips so far.
    #[allow(clippy::too_many_arguments)]
    fn segments(
        &self,
        m: &crate::Module,
        made: &mut Made,
        operands: &[ValueId],
        mut attrs: Attrs,
        own: &[Gather],
        first: i64,
        grows: bool,
    ) -> Result<Vec<ValueId>> {
        let count = Type::scalar(DType::I64);
        let max = attrs.extents("max_trips").first().cloned();
        let segment = self.segment(m, own)?;
        attrs.remove("max_trips");
        set_collect(&mut attrs, &vec![Gather::Concat; own.len()]);
        let mut all = operands.to_vec();
        all.push(made.b.splat(&count, first as f64)?);
        all.push(made.b.zeros(&count)?);

        let cond = self.open_cond(made)?;
        made.b.param(count.clone(), "length");
        made.b.param(count.clone(), "done");
        let p = self.close_cond(made)?;
        let cond = made.b.close(cond, vec![p]);

        let (opened, ps) = self.open_body(made, &|_, t| t)?;
        let length = made.b.param(count.clone(), "length");
        let done = made.b.param(count, "done");
        let mut more = vec![];
        if let Some(max) = &max {
            // What is left of `max_trips`: the loop inside complains where it is not enough.
            let most = made.b.dim_value(max.clone())?;
            let left = made.b.sub(most, done)?;
            let e = Extent::exist(made.b.exist("left", self.op.span));
            let fits = Constraint { lhs: e.clone(), op: CmpOp::Le, rhs: max.clone() };
            made.b.bind_extent(left, e.clone(), vec![fits])?;
            more.push(e);
        }
        let mut args = ps;
        args.push(length);
        let rs = self.call(made, &CHECKPOINT, segment, &more, &args)?;
        // Carries, trips made, collected values.
        let mut ys = rs[..self.carries].to_vec();
        ys.push(if grows {
            let one = made.b.like(length, 1.0)?;
            made.b.add(length, one)?
        } else {
            length
        });
        ys.push(made.b.add(done, rs[self.carries])?);
        ys.extend(&rs[self.carries + 1..]);
        let body = made.b.close(opened, ys);
        let new = NewOp::new(self.op.def, &all).attrs(attrs).regions(vec![cond, body]);
        let mut rs = made.b.emit(new)?;
        rs.drain(self.carries..self.carries + 2);
        Ok(rs)
    }
    /// Opens a region like the source's condition.
    fn open_cond(&self, made: &mut Made) -> Result<crate::builder::Opened> {
        made.b.open_copy(self.src, self.op.regions[0], &mut made.map)
    }
    fn close_cond(&self, made: &mut Made) -> Result<ValueId> {
        for &o in &self.src.region(self.op.regions[0]).ops {
            made.b.copy(self.src, o, &mut made.map)?;
        }
        let ys = made.map.all(&self.src.region(self.op.regions[0]).yields)?;
        ys.first().copied().ok_or_else(|| Error::bug(Code::E0599, "a condition yields nothing"))
    }
    /// A segment of a `while`: carries, its length, captures; gives carries, trips made, collected values.
    fn segment(&self, m: &crate::Module, own: &[Gather]) -> Result<FuncId> {
        let count = Type::scalar(DType::I64);
        let mut made = self.begin(m, "segment", &self.all());
        let mut attrs = Attrs::none();
        if self.op.attrs.get("max_trips").is_some() {
            let s = made.b.sym("left", self.op.span);
            attrs.set("max_trips", Attr::extent(Extent::sym(s)));
        }
        set_collect(&mut attrs, own);
        let mut operands = self.take_params(&mut made, 0..self.carries, &|_, t| t)?;
        let length = made.b.param(count.clone(), "length");
        self.take_captures(&mut made)?;
        operands.push(made.b.zeros(&count)?);

        let cond = self.open_cond(&mut made)?;
        let i = made.b.param(count.clone(), "i");
        let p = self.close_cond(&mut made)?;
        let goes = made.b.lt(i, length)?;
        let p = made.b.and(p, goes)?;
        let cond = made.b.close(cond, vec![p]);

        self.inner.iter().for_each(|&e| drop(made.map.unbind(e)));
        let opened = made.b.open_copy(self.src, self.body, &mut made.map)?;
        let i = made.b.param(count, "i");
        for &o in &self.src.region(self.body).ops {
            made.b.copy(self.src, o, &mut made.map)?;
        }
        let one = made.b.like(i, 1.0)?;
        let next = made.b.add(i, one)?;
        let mut ys = made.map.all(&self.src.region(self.body).yields)?;
        ys.insert(self.carries, next);
        let body = made.b.close(opened, ys);
        let new = NewOp::new(self.op.def, &operands).attrs(attrs).regions(vec![cond, body]);
        let rs = made.b.emit(new)?;
        Ok(m.add(made.b.finish(rs)?))
    }
    /// A call of one of these functions with the captures behind `args`. Of its extents the source's symbols and what the
    /// function around binds are known here, `more` are those of its own; what the body's parameters bind follows from `args`.
    fn call(
        &self,
        made: &mut Made,
        row: &'static OpDef,
        f: FuncId,
        more: &[Extent],
        args: &[ValueId],
    ) -> Result<Vec<ValueId>> {
        let args = [args, &made.map.all(&self.captures)?].concat();
        let callee = made.b.module().func(f)?;
        let mut start: Vec<Option<Extent>> = vec![];
        for i in 0..self.src.syms.len() as u32 {
            start.push(Some(Extent::sym(SymId(i))));
        }
        for &e in &self.outer {
            start.push(Some(made.map.extent(&Extent::exist(e))?));
        }
        start.extend(self.inner.iter().map(|_| None));
        start.extend(more.iter().cloned().map(Some));
        let mut eqs = vec![];
        for (&p, &a) in callee.params().iter().zip(&args) {
            let (p, a) = (callee.ty(p), made.b.ty(a));
            eqs.extend(p.dims.iter().cloned().zip(a.dims.iter().cloned()));
        }
        let solved = solve_extents(start.len(), &start, &eqs)?.into_iter();
        let missing = || Error::bug(Code::E0599, "an extent of a segment is not known");
        let extents = solved.map(|e| e.ok_or_else(missing)).collect::<Result<Vec<_>>>()?;
        Ok(made.b.call_by(row, f, Some(extents), &args)?.0)
    }
}
/// A scan in segments.
struct Scan<'a, 'm> {
    parts: &'a Parts<'a>,
    m: &'m crate::Module,
    /// Dimensions of the loop as the function that stands for it sees them.
    d: ScanDims,
    /// Plain scans by their lengths, which are numbers; and one whose length is an extent parameter.
    plain: Vec<(Option<i64>, FuncId)>,
    trees: BTreeMap<(i64, i64), FuncId>,
}
impl Scan<'_, '_> {
    /// A checkpoint each trip.
    fn each(&mut self, made: &mut Made, operands: &[ValueId]) -> Result<Vec<ValueId>> {
        let trip = self.parts.trip(self.m)?;
        let (opened, ps) = self.parts.open_body(made, &|_, t| t)?;
        let ys = self.parts.call(made, &CHECKPOINT, trip, &[], &ps)?;
        let body = made.b.close(opened, ys);
        let new = made.b.scan_op(operands, &self.d, body);
        let claims = self.parts.claims(made)?;
        made.b.emit_partly(new, &claims)
    }
    /// The axis along which operand `i` of the loop is cut.
    fn cut(&self, i: usize) -> Option<usize> {
        self.d.cut.get(i.checked_sub(self.d.carry)?).copied()
    }
    /// Types of slices that are `n` long.
    fn longer(&self, i: usize, t: Type, n: &Extent) -> Type {
        self.cut(i).map_or(t.clone(), |axis| t.with_axis(axis, n.clone()))
    }
    /// Begins a function of a segment of `n` trips: gives its parameters.
    fn begin(&self, what: &str, n: Option<i64>) -> Result<(Made<'_>, Vec<ValueId>, Extent)> {
        let mut made = self.parts.begin(self.m, what, &self.parts.all());
        let n = match n {
            Some(n) => Extent::exact(n),
            None => {
                let taken = |n: &str| made.b.func().syms.iter().any(|s| &*s.name == n);
                let name = free_name("trips", taken);
                Extent::sym(made.b.sym(&name, self.parts.op.span))
            }
        };
        let all = self.parts.src.region(self.parts.body).params.len();
        let ps = self.parts.take_params(&mut made, 0..all, &|i, t| self.longer(i, t, &n))?;
        self.parts.take_captures(&mut made)?;
        Ok((made, ps, n))
    }
    /// The plain scan over `n` trips.
    fn plain(&mut self, n: Option<i64>) -> Result<FuncId> {
        if let Some(p) = self.plain.iter().find(|p| p.0 == n) {
            return Ok(p.1);
        }
        let (mut made, ps, length) = self.begin("segment", n)?;
        let d = ScanDims { length, ..self.d.clone() };
        self.parts.inner.iter().for_each(|&e| drop(made.map.unbind(e)));
        let body = made.b.copy_region(self.parts.src, self.parts.body, &mut made.map)?;
        let rs = made.b.scan(&ps, &d, body)?;
        let f = self.m.add(made.b.finish(rs)?);
        self.plain.push((n, f));
        Ok(f)
    }
    /// A call of the plain scan over `n` trips.
    fn run(&mut self, made: &mut Made, row: &'static OpDef, n: &Extent, args: &[ValueId]) -> Result<Vec<ValueId>> {
        match n.as_exact() {
            Some(k) => {
                let f = self.plain(Some(k))?;
                self.parts.call(made, row, f, &[], args)
            }
            None => {
                let f = self.plain(None)?;
                self.parts.call(made, row, f, std::slice::from_ref(n), args)
            }
        }
    }
    /// The elements from `start` to `limit` of an operand's axis of trips; other operands themselves.
    fn slice(&self, b: &mut Builder, i: usize, x: ValueId, start: &Extent, limit: &Extent) -> Result<ValueId> {
        let Some(axis) = self.cut(i) else { return Ok(x) };
        let ty = b.ty(x);
        if start.as_exact() == Some(0) && ty.dims[axis] == *limit {
            return Ok(x);
        }
        let (mut first, mut last) = (vec![Extent::exact(0); ty.rank()], ty.dims.to_vec());
        (first[axis], last[axis]) = (start.clone(), limit.clone());
        let op = NewOp::new(&SLICE, &[x]).attr("start", Attr::extents(first));
        b.emit1(op.attr("limit", Attr::extents(last)))
    }
    /// What a loop collects, of two parts that follow each other in the order of trips.
    fn join(&self, b: &mut Builder, first: &[ValueId], second: &[ValueId]) -> Result<Vec<ValueId>> {
        let mut out = vec![];
        for ((&x, &y), how) in first.iter().zip(second).zip(&self.d.collect) {
            let axis = match *how {
                Gather::Stack(axis) => axis,
                Gather::Concat => b.ty(x).rank().saturating_sub(1),
            };
            // Stacks lie in the order of indices, joined values in that of trips.
            let pair = if self.d.reverse && *how != Gather::Concat { [y, x] } else { [x, y] };
            out.push(b.emit1(NewOp::new(&CONCAT, &pair).attr("axis", Attr::Int(axis as i64)))?);
        }
        Ok(out)
    }
    /// Segments of `k` trips, each a checkpoint, and what is left over.
    fn segmented(&mut self, made: &mut Made, operands: &[ValueId], k: &Extent) -> Result<Vec<ValueId>> {
        let t = self.d.length.clone();
        let q = t.floordiv(k)?;
        let whole = q.mul(k)?;
        let rest = t.sub(&whole)?;
        let zero = Extent::exact(0);
        let left = (rest != zero).then_some(rest);
        // In the order of trips: the rest is last, and in a reversed loop first.
        let part = |b: &mut Builder, this: &Self, from: &[ValueId], start: &Extent, limit: &Extent| {
            from.iter().enumerate().map(|(i, &x)| this.slice(b, i, x, start, limit)).collect::<Result<Vec<_>>>()
        };
        let mut carried = operands[..self.d.carry].to_vec();
        let mut before = None;
        if self.d.reverse
            && let Some(n) = &left
        {
            let mut args = part(&mut made.b, self, operands, &whole, &t)?;
            args[..self.d.carry].copy_from_slice(&carried);
            let rs = self.run(made, &CHECKPOINT, n, &args)?;
            carried = rs[..self.d.carry].to_vec();
            before = Some(rs[self.d.carry..].to_vec());
        }
        let mut args = part(&mut made.b, self, operands, &zero, &whole)?;
        args[..self.d.carry].copy_from_slice(&carried);
        let mut rs = self.many(made, &args, k, &q)?;
        if let Some(before) = before {
            let ys = self.join(&mut made.b, &before, &rs[self.d.carry..])?;
            rs.splice(self.d.carry.., ys);
        }
        if !self.d.reverse
            && let Some(n) = &left
        {
            let mut args = part(&mut made.b, self, operands, &whole, &t)?;
            args[..self.d.carry].copy_from_slice(&rs[..self.d.carry]);
            // It is walked back first: its residuals are kept, they are those of one segment.
            let last = self.run(made, &CALL, n, &args)?;
            let ys = self.join(&mut made.b, &rs[self.d.carry..], &last[self.d.carry..])?;
            rs = last[..self.d.carry].to_vec();
            rs.extend(ys);
        }
        Ok(rs)
    }
    /// `q` segments of `k` trips.
    fn many(&mut self, made: &mut Made, args: &[ValueId], k: &Extent, q: &Extent) -> Result<Vec<ValueId>> {
        let mut operands = args.to_vec();
        for (i, x) in operands.iter_mut().enumerate() {
            if let Some(axis) = self.cut(i) {
                let ty = made.b.ty(*x);
                let ty = ty.without(&[axis]).with_axis(axis, q.clone()).with_axis(axis, k.clone());
                *x = made.b.reshape_first(*x, &ty)?;
            }
        }
        let (opened, ps) = self.parts.open_body(made, &|i, t| self.longer(i, t, k))?;
        let ys = self.run(made, &CHECKPOINT, k, &ps)?;
        let body = made.b.close(opened, ys);
        let next = |h: &Gather| if let Gather::Stack(a) = h { Gather::Stack(a + 1) } else { *h };
        let d = ScanDims {
            length: q.clone(),
            cut: self.d.cut.iter().map(|c| c + 1).collect(),
            collect: self.d.collect.iter().map(next).collect(),
            ..self.d.clone()
        };
        let mut rs = made.b.scan(&operands, &d, body)?;
        for (y, how) in rs[self.d.carry..].iter_mut().zip(&self.d.collect) {
            if let Gather::Stack(axis) = *how {
                let ty = made.b.ty(*y).without(&[axis, axis + 1]).with_axis(axis, q.mul(k)?);
                *y = made.b.reshape_first(*y, &ty)?;
            }
        }
        Ok(rs)
    }
    /// The function of `t` trips that keeps `s` carries at a time besides those that it starts with.
    fn tree(&mut self, t: i64, s: i64) -> Result<FuncId> {
        // What it is made of first: trees nest as deep as there are trips where few carries are kept.
        let mut found = std::collections::BTreeSet::new();
        let mut todo = vec![(t, s)];
        while let Some((t, s)) = todo.pop() {
            self.m.budget.check()?;
            if found.insert((t, s)) && t > 1 && s > 0 {
                let first = first_part(t, s);
                todo.extend([(first, s), (t - first, s - 1)]);
            }
        }
        for &(t, s) in &found {
            let f = if t > 1 && s > 0 { self.split(t, s)? } else { self.plain(Some(t))? };
            self.trees.insert((t, s), f);
        }
        self.tree_of(t, s)
    }
    fn tree_of(&self, t: i64, s: i64) -> Result<FuncId> {
        self.trees.get(&(t, s)).copied().ok_or_else(|| Error::bug(Code::E0599, "a part of a loop is missing"))
    }
    fn split(&mut self, t: i64, s: i64) -> Result<FuncId> {
        let first = first_part(t, s);
        let parts =
            [(&CHECKPOINT, self.tree_of(first, s)?, first), (&CALL, self.tree_of(t - first, s - 1)?, t - first)];
        let (mut made, ps, _) = self.begin("part", Some(t))?;
        let (mut carried, mut done, mut collected) = (ps[..self.d.carry].to_vec(), 0, None::<Vec<ValueId>>);
        for (row, f, n) in parts {
            let start = if self.d.reverse { t - done - n } else { done };
            let mut args = carried.clone();
            for (i, &x) in ps.iter().enumerate().skip(self.d.carry) {
                args.push(self.slice(&mut made.b, i, x, &Extent::exact(start), &Extent::exact(start + n))?);
            }
            let rs = self.parts.call(&mut made, row, f, &[], &args)?;
            let (c, ys) = rs.split_at(self.d.carry);
            carried = c.to_vec();
            collected = Some(match collected {
                Some(before) => self.join(&mut made.b, &before, ys)?,
                None => ys.to_vec(),
            });
            done += n;
        }
        carried.extend(collected.unwrap_or_default());
        // Each part is called from several others: written out, they would be as long as all trips that are run.
        made.b.f.with.set("inline", Attr::word("apart"));
        Ok(self.m.add(made.b.finish(carried)?))
    }
}
/// How many of `t > 1` trips come before the first of `s > 0` kept carries: with `r` least so that `binom(s + r, s) ≥ t`,
/// at most `binom(s + r − 1, s)`.
fn first_part(t: i64, s: i64) -> i64 {
    let (mut before, mut now, mut r) = (1i128, 1i128, 0i128);
    while now < i128::from(t) {
        r += 1;
        before = now;
        // binom(s + r, s) = binom(s + r - 1, s) (s + r) / r, at most t (s + r): no overflow.
        now = now * (i128::from(s) + r) / r;
    }
    (before.min(i128::from(t) - 1)) as i64
}
/// Existentials that a type names, added to `out`.
fn named(t: &Type, out: &mut Vec<ExistId>) {
    for d in t.dims.iter() {
        d.for_each_atom(&mut |a| {
            if let Atom::Exist(e) = a
                && !out.contains(&e)
            {
                out.push(e);
            }
        });
    }
}
/// The least integer whose square is at least `n`, or 1.
fn root(b: &mut Builder, n: ValueId) -> Result<ValueId> {
    let x = b.convert(n, DType::F64)?;
    let root = b.sqrt(x)?;
    let up = b.emit1(NewOp::new(&CEIL, &[root]))?;
    let k = b.convert(up, DType::I64)?;
    let one = b.like(k, 1.0)?;
    b.max(k, one)
}
