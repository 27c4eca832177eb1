//! From a function to a plan: one walk over the ops in order. Each value gets a slot; views share storage, everything else
//! gets storage of its own, which `assign` maps to buffers afterwards. The walk is linear in the number of ops.
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use tfc_ir::extent::{Atom, Extent};
use tfc_ir::hash::WordHash;
use tfc_ir::{
    Binder, Code, Constraint, DType, Error, Finished, Func, Module, Op, OpDef, OpId, RegionId, Result, Span, Tensor,
    Type, ValueId,
};

use super::factors::Lies;
use super::*;

/// Blocks nest at most this deep, those of callees included: running them takes some stack for each.
const MAX_DEPTH: usize = 400;

/// How an op is lowered.
pub(crate) type Rule = fn(&mut Lower, &Op) -> Result<()>;

/// Is it a row of this toolchain? What its types say of each other follows from its inference then.
pub(crate) fn built_in(def: &OpDef) -> bool {
    static ROWS: OnceLock<HashSet<usize, WordHash>> = OnceLock::new();
    let key = |d: &OpDef| std::ptr::from_ref(d) as usize;
    ROWS.get_or_init(|| tfc_ir::ops::FAMILIES.iter().flat_map(|f| f.iter().map(|d| key(d))).collect())
        .contains(&key(def))
}
/// A function being compiled.
pub(crate) struct Lower<'a> {
    pub(crate) m: &'a Module,
    pub(crate) f: Arc<Finished>,
    /// The rules of rows that are no step with a kernel.
    pub(crate) rule: fn(&'static OpDef) -> Option<Rule>,
    /// The engine.
    pub(crate) target: &'a mut dyn Target,
    /// A product that only a sum reads is contracted with it.
    pub(crate) fast_math: bool,
    pub(crate) exts: Vec<Extent>,
    ext_ids: HashMap<Extent, Ext, WordHash>,
    pub(crate) slots: Vec<SlotDecl>,
    pub(crate) axes: usize,
    pub(crate) stores: Vec<StoreDecl>,
    pub(crate) consts: Vec<Tensor>,
    /// Plans of callees.
    pub(crate) callees: &'a Callees,
    /// See [`Plan::frames`].
    pub(crate) frames: u32,
    /// See [`Plan::depth`].
    pub(crate) depth: usize,
    /// Number of loops so far.
    pub(crate) loop_count: u32,
    /// Number of uses of each value, as operand or as what a region hands on.
    pub(crate) uses: Vec<u32>,
    /// The first op that reads each value.
    pub(crate) users: Vec<Option<OpId>>,
    /// How each value lies for the products that read it.
    pub(crate) factors: Vec<Lies>,
    /// Slot of each value.
    pub(crate) of: Vec<Slot>,
    /// Storages in which a slot's memory may lie.
    pub(crate) roots: Vec<Vec<Store>>,
    /// Arguments and constants in which a slot's memory may lie.
    pub(crate) homes: Vec<Vec<Place>>,
    /// Values that a loop wants computed in storage of its own.
    pub(crate) forward: HashMap<ValueId, Vec<Store>>,
    /// Values that are computed as parts of what joins or pads them: that value, and where they begin in it.
    pub(crate) parts: HashMap<ValueId, (ValueId, Box<[usize]>)>,
    /// For slots that might be computed in place: position, candidates, all that the step reads.
    pub(crate) over: Vec<(u32, Slot, Vec<Slot>, Vec<Slot>)>,
    /// Storages that are one: the first is the second.
    pub(crate) merged: Vec<(Store, Store)>,
    /// As `over`, for the step that comes next.
    next_over: Vec<(Slot, Vec<Slot>)>,
    /// Number of steps with kernels so far.
    pub(crate) kernels: u32,
    /// Number of fused regions so far.
    pub(crate) regions: u32,
    /// The statement being lowered.
    pub(crate) op_id: OpId,
    /// Position of the step being emitted.
    pub(crate) pos: u32,
    pub(crate) steps: Vec<Vec<Step>>,
    /// Conditions on symbols of statements that always run: asked once, before anything else.
    pub(crate) entry: Vec<Step>,
    asked: HashSet<Constraint>,
    /// For each loop around: its position, and storages used in it.
    loops: Vec<(u32, Vec<Store>)>,
    pub(crate) span: Span,
}

/// Number of uses of each value, as operand or as what a region hands on.
pub(crate) fn uses(f: &Func) -> Vec<u32> {
    let mut n = vec![0u32; f.values.len()];
    let operands = f.ops.iter().flat_map(|o| &o.operands);
    operands.chain(f.regions.iter().flat_map(|r| &r.yields)).for_each(|v| n[v.ix()] += 1);
    n
}
impl<'a> Lower<'a> {
    /// Nothing of the function has been lowered.
    pub(crate) fn new(
        m: &'a Module,
        f: Arc<Finished>,
        rule: fn(&'static OpDef) -> Option<Rule>,
        target: &'a mut dyn Target,
        callees: &'a Callees,
    ) -> Lower<'a> {
        let span = f.span;
        Lower {
            m,
            of: vec![NONE; f.values.len()],
            uses: uses(&f),
            users: super::partner::first_users(&f),
            factors: super::factors::factors(&f, target),
            rule,
            target,
            fast_math: false,
            exts: vec![],
            ext_ids: HashMap::default(),
            slots: vec![],
            axes: 0,
            stores: vec![],
            consts: vec![],
            callees,
            frames: 0,
            depth: 1,
            loop_count: 0,
            roots: vec![],
            homes: vec![],
            forward: HashMap::new(),
            parts: HashMap::new(),
            over: vec![],
            merged: vec![],
            next_over: vec![],
            kernels: 0,
            regions: 0,
            op_id: OpId(0),
            pos: 0,
            steps: vec![vec![]],
            entry: vec![],
            asked: HashSet::new(),
            loops: vec![],
            span,
            f,
        }
    }
}
impl Lower<'_> {
    /// The table entry of an extent.
    pub(crate) fn ext(&mut self, e: &Extent) -> Ext {
        if let Some(&i) = self.ext_ids.get(e) {
            return i;
        }
        let i = self.exts.len() as Ext;
        self.exts.push(e.clone());
        self.ext_ids.insert(e.clone(), i);
        i
    }
    /// The table entries of a list of extents.
    pub(crate) fn ext_list(&mut self, list: &[Extent]) -> Box<[Ext]> {
        list.iter().map(|e| self.ext(e)).collect()
    }
    /// A slot of that type.
    pub(crate) fn slot(&mut self, ty: &Type, name: Arc<str>, place: Place) -> Slot {
        let dims = self.ext_list(&ty.dims);
        let at = self.axes as u32;
        self.axes += dims.len();
        self.slots.push(SlotDecl {
            dtype: ty.dtype,
            dims,
            at,
            place,
            over: NONE,
            donor: NONE,
            like: NONE,
            near: [].into(),
            columns: false,
            start: [].into(),
            name,
        });
        self.roots.push(vec![]);
        self.homes.push(vec![]);
        self.slots.len() as Slot - 1
    }
    /// The slot of a value, at that place.
    pub(crate) fn slot_of(&mut self, v: ValueId, place: Place) -> Slot {
        let f = self.f.clone();
        let s = self.slot(f.ty(v), f.value(v).name.clone(), place);
        self.of[v.ix()] = s;
        s
    }
    /// Storage of that type, used from here on.
    pub(crate) fn store(&mut self, ty: &Type) -> Store {
        let dims = self.ext_list(&ty.dims);
        self.stores.push(StoreDecl {
            dims,
            size: ty.dtype.size(),
            live: (self.pos, self.pos),
            grows: false,
            escapes: false,
            dtype: ty.dtype,
            buf: NONE,
            arg: NONE,
        });
        self.stores.len() as Store - 1
    }
    /// A slot with storage of its own.
    pub(crate) fn own_type(&mut self, ty: &Type, name: Arc<str>) -> Slot {
        let r = self.store(ty);
        let s = self.slot(ty, name, Place::Own(r));
        self.roots[s as usize].push(r);
        s
    }
    /// The slot of a value that a step computes: in storage of its own, or where a loop wants it.
    pub(crate) fn own(&mut self, v: ValueId) -> Slot {
        let f = self.f.clone();
        if let Some(s) = self.own_in_parts(v) {
            return s;
        }
        match self.forward.remove(&v) {
            Some(roots) => self.given(v, roots),
            None => {
                let ty = match self.factors[v.ix()] {
                    Lies::As(x) => f.ty(v).with_dtype(f.ty(x).dtype),
                    _ => f.ty(v).clone(),
                };
                let s = self.own_type(&ty, f.value(v).name.clone());
                self.of[v.ix()] = s;
                s
            }
        }
    }
    /// The slot of a value that a loop wants in one of these storages.
    pub(crate) fn given(&mut self, v: ValueId, roots: Vec<Store>) -> Slot {
        let s = self.slot_of(v, Place::Given);
        for &r in &roots {
            self.touch(r);
        }
        self.roots[s as usize] = roots;
        s
    }
    /// The slot of a value that lies in the memory of others.
    pub(crate) fn alias(&mut self, v: ValueId, of: &[Slot]) -> Slot {
        let s = self.slot_of(v, Place::View);
        self.join(s, of);
        s
    }
    /// The memory of `s` may be that of any of these.
    pub(crate) fn join(&mut self, s: Slot, of: &[Slot]) {
        for &o in of {
            for r in self.roots[o as usize].clone() {
                if !self.roots[s as usize].contains(&r) {
                    self.roots[s as usize].push(r);
                }
            }
            for h in self.homes[o as usize].clone() {
                if !self.homes[s as usize].contains(&h) {
                    self.homes[s as usize].push(h);
                }
            }
        }
    }
    pub(crate) fn touch(&mut self, r: Store) {
        let live = &mut self.stores[r as usize].live;
        live.1 = live.1.max(self.pos);
        if let Some(l) = self.loops.last_mut() {
            l.1.push(r);
        }
    }
    /// Notes that the step being emitted reads `s`.
    pub(crate) fn read(&mut self, s: Slot) {
        for i in 0..self.roots[s as usize].len() {
            self.touch(self.roots[s as usize][i]);
        }
    }
    /// The slot of an operand.
    pub(crate) fn operand(&self, op: &Op, i: usize) -> Result<Slot> {
        let v = *op.operands.get(i).ok_or_else(|| bug(op, "an operand is missing"))?;
        self.slot_with(v)
    }
    /// The slot of a value that has been lowered.
    pub(crate) fn slot_with(&self, v: ValueId) -> Result<Slot> {
        match self.of.get(v.ix()).copied().unwrap_or(NONE) {
            NONE => Err(Error::bug(Code::E0718, format!("value %{} has no slot", self.f.value(v).name))),
            s => Ok(s),
        }
    }
    /// The slot of a value that is read here: where a region ends, say.
    pub(crate) fn value(&mut self, v: ValueId) -> Result<Slot> {
        let s = self.slot_with(v)?;
        self.read(s);
        Ok(s)
    }
    /// The step that comes next may compute `s` in place of one of these.
    pub(crate) fn may_lie_over(&mut self, s: Slot, candidates: Vec<Slot>) {
        self.next_over.push((s, candidates));
    }
    /// Appends a step. What it reads and writes is alive here: that follows from the step, so that no rule can forget it.
    /// (Branches and loops say themselves how long what they use lives.)
    pub(crate) fn push(&mut self, what: Do) {
        let (span, pos) = (self.span, self.pos);
        let mut next = std::mem::take(&mut self.next_over);
        let mut reads = Vec::with_capacity(if next.is_empty() { 0 } else { 4 });
        if !matches!(what, Do::Cond(_) | Do::Loop(_)) {
            what.uses(&mut |s, u| {
                self.read(s);
                if u == Use::Read && !next.is_empty() {
                    reads.push(s);
                }
            });
        }
        let mut left = next.len();
        for (s, candidates) in next.drain(..) {
            left -= 1;
            let all = if left == 0 { std::mem::take(&mut reads) } else { reads.clone() };
            self.over.push((pos, s, candidates, all));
        }
        self.next_over = next;
        if let Some(b) = self.steps.last_mut() {
            b.push(Step { what, span, at: pos });
        }
        self.pos += 1;
    }
    /// Runs `f` on a new list of steps and returns them.
    pub(crate) fn nested_block(&mut self, f: impl FnOnce(&mut Self) -> Result<()>) -> Result<Block> {
        self.steps.push(vec![]);
        self.nests(0)?;
        let r = f(self);
        let b = self.end_block();
        r.map(|()| b.into())
    }
    /// The steps of the innermost block, which has been lowered.
    pub(crate) fn end_block(&mut self) -> Vec<Step> {
        let mut b = self.steps.pop().unwrap_or_default();
        self.join_regions(&mut b);
        b
    }
    /// Notes that what is emitted here nests `more` blocks.
    pub(crate) fn nests(&mut self, more: usize) -> Result<()> {
        self.depth = self.depth.max(self.steps.len() + more);
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let e = Error::new(Code::E0719, format!("calls and regions nest deeper than {MAX_DEPTH}")).or_span(self.span);
        Err(e.help("the pass `inline` writes calls out: it runs at `-O1` and `-O2`"))
    }
    /// Enters a loop: what is used inside and made outside lives until [`Lower::leave_loop`].
    pub(crate) fn enter_loop(&mut self) {
        self.loops.push((self.pos, vec![]));
        self.pos += 1;
    }
    /// Whether the place is in a loop.
    pub(crate) fn in_loop(&self) -> bool {
        !self.loops.is_empty()
    }
    /// Leaves a loop.
    pub(crate) fn leave_loop(&mut self) {
        self.pos += 1;
        if let Some((start, mut used)) = self.loops.pop() {
            used.sort_unstable();
            used.dedup();
            used.retain(|&r| self.stores[r as usize].live.0 <= start);
            for r in used {
                self.touch(r);
            }
        }
    }
    /// Lowers the ops of a region.
    pub(crate) fn block_ops(&mut self, r: RegionId) -> Result<()> {
        let f = self.f.clone();
        let region = f.region(r);
        if r != tfc_ir::BODY {
            self.span = region.span;
            for c in &region.wheres {
                self.guard(c, format!("`where` of region `{}`", region.label).into(), Code::E0421);
            }
        }
        self.find_parts(r);
        let mut i = 0;
        while i < region.ops.len() {
            self.m.budget.check()?;
            let n = self.scalar_ops(&f, &region.ops[i..]);
            if n > 0 {
                self.span = f.op(region.ops[i]).span;
                self.scalar_run(&f, &region.ops[i..i + n]).map_err(|e| e.or_span(self.span))?;
                i += n;
                continue;
            }
            let o = region.ops[i];
            self.op(&f, o).map_err(|e| e.or_span(f.op(o).span))?;
            i += 1;
        }
        for g in &region.guards {
            self.span = region.span;
            self.guard(&g.cond, g.what.clone(), Code::E0420);
        }
        Ok(())
    }
    fn op(&mut self, f: &Func, o: OpId) -> Result<()> {
        let op = f.op(o);
        (self.span, self.op_id) = (op.span, o);
        let late = |c: &Constraint| {
            let mut own = false;
            for e in [&c.lhs, &c.rhs] {
                e.for_each_atom(&mut |a| {
                    own |= matches!(a, Atom::Exist(x) if f.binder(x) == Some(Binder::Op(o)));
                });
            }
            own
        };
        for g in op.guards.iter().filter(|g| g.found.is_none() && !late(&g.cond)) {
            self.require(&g.cond, g.what.clone());
        }
        match (op.def.scalar, (self.rule)(op.def)) {
            _ if self.replaced(op.def) => self.kernel(op)?,
            _ if op.results.first().is_some_and(|y| self.factors[y.ix()] == Lies::AsOperand) => {
                super::views::alias(self, op)?
            }
            (Some(_), _) if self.in_step(f, op) => self.elementwise(op)?,
            (Some(_), _) => {
                let text = format!("`{}` is elementwise by its row, but its types are not of one shape", op.def.name);
                return Err(Error::new(Code::E0802, text)
                    .help("operands have the shape of the result or none; another op needs a kernel"));
            }
            (_, Some(rule)) => rule(self, op)?,
            _ => self.kernel(op)?,
        }
        self.span = op.span;
        if !op.def.is(&tfc_ir::ops::extents::GUARD) {
            // A fact about an existential that nothing binds any more (its last stack was removed) says nothing.
            let bound = |c: &&Constraint| {
                let mut all = true;
                for e in [&c.lhs, &c.rhs] {
                    e.for_each_atom(&mut |a| {
                        if let Atom::Exist(x) = a
                            && f.binder(x) == Some(Binder::Op(o))
                        {
                            let mut named = op.def.is(&tfc_ir::ops::extents::EXTENT);
                            for &v in &op.results {
                                named |= f.ty(v).dims.iter().any(|d| d.as_atom() == Some(a));
                            }
                            all &= named;
                        }
                    });
                }
                all
            };
            for c in op.wheres.iter().filter(bound) {
                self.guard(c, format!("`{}`", op.def.name).into(), Code::E0420);
            }
        }
        for g in op.guards.iter().filter(|g| g.found.is_none() && late(&g.cond)) {
            self.guard(&g.cond, g.what.clone(), Code::E0420);
        }
        Ok(())
    }
    /// A condition on extents: at entry, once, where it is about symbols and the statement runs whenever the function does.
    pub(crate) fn require(&mut self, c: &Constraint, what: Arc<str>) {
        let symbols = !c.lhs.mentions_existential() && !c.rhs.mentions_existential();
        if self.steps.len() > 1 || !symbols {
            self.guard(c, what, Code::E0420);
        } else if self.asked.insert(c.clone()) {
            let what = Do::Guard { cond: Box::new(c.clone()), what, code: Code::E0420 };
            self.entry.push(Step { what, span: self.span, at: 0 });
        }
    }
    /// A condition on extents.
    pub(crate) fn guard(&mut self, c: &Constraint, what: Arc<str>, code: Code) {
        self.push(Do::Guard { cond: Box::new(c.clone()), what, code });
    }
    /// The slot of a result; values that grow while the plan runs, or hold memory of a frame of a callee, are copied.
    pub(crate) fn result(&mut self, v: ValueId, nested: bool) -> Result<Slot> {
        let s = self.value(v)?;
        let grows = self.roots[s as usize].iter().any(|&r| self.stores[r as usize].grows);
        if !grows || nested {
            return Ok(s);
        }
        let f = self.f.clone();
        let dst = self.own_type(f.ty(v), f.value(v).name.clone());
        self.push(Do::Copy { src: s, dst });
        Ok(dst)
    }
    /// For each existential the extents that mention it, for each extent the places in the frame that hold it.
    pub(crate) fn extent_tables(&self) -> (Vec<Vec<Ext>>, Vec<Vec<u32>>) {
        let mut by_exist = vec![vec![]; self.f.exists.len()];
        for (i, e) in self.exts.iter().enumerate() {
            e.for_each_atom(&mut |a| {
                if let Atom::Exist(x) = a
                    && let Some(l) = by_exist.get_mut(x.0 as usize)
                    && l.last() != Some(&(i as Ext))
                {
                    l.push(i as Ext);
                }
            });
        }
        let mut users = vec![vec![]; self.exts.len()];
        for s in &self.slots {
            for (a, &e) in s.dims.iter().enumerate() {
                users[e as usize].push(s.at + a as u32);
            }
        }
        (by_exist, users)
    }
    /// A constant slot that holds `t`.
    pub(crate) fn constant(&mut self, ty: &Type, name: Arc<str>, t: Tensor) -> Slot {
        let place = Place::Const(self.consts.len() as u32);
        self.consts.push(t);
        let s = self.slot(ty, name, place);
        self.homes[s as usize].push(place);
        s
    }
    /// Element type of a slot.
    pub(crate) fn dtype(&self, s: Slot) -> DType {
        self.slots[s as usize].dtype
    }
}

/// An inconsistency that verification excludes.
pub(crate) fn bug(op: &Op, what: &str) -> Error {
    Error::bug(Code::E0718, format!("`{}`: {what}", op.def.name))
}

impl Lower<'_> {
    /// Whether the engine has a kernel from outside for the row, whatever else there is.
    pub(crate) fn replaced(&self, def: &'static OpDef) -> bool {
        self.target.replaces(def)
    }
    /// Has an op that is elementwise by its row one result, and every operand the result's shape or none? Loops rest on
    /// that, and the inference of an outside row may say something else.
    pub(crate) fn in_step(&self, f: &Func, op: &Op) -> bool {
        if built_in(op.def) {
            return !self.replaced(op.def);
        }
        let [y] = op.results[..] else { return false };
        let fits = |&x: &tfc_ir::ValueId| f.ty(x).is_scalar() || f.ty(x).dims == f.ty(y).dims;
        op.def.scalar.is_some_and(|s| s.arity() == op.operands.len())
            && op.operands.iter().all(fits)
            && !self.replaced(op.def)
    }
}
