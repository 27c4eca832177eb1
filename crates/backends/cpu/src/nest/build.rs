//! From a loop of a plan to the acts of a nest. Every value of one element gets a cell, and every array an address; the pieces
//! of arithmetic between two acts are joined.
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tfc_ir::extent::Constraint;
use tfc_ir::ops::index::IndexDims;
use tfc_ir::{Code as ErrorCode, DType, ScalarOp, Span, ops};

use super::acts::{Act, Acts, Base, Cell, Num, Piece, Round, Spot, Term};
use crate::compiled::Compiled;
use crate::jit::{Code, compile_nest};
use tfc_plan::plan::*;
use tfc_plan::region::body::{Node, Role};
use tfc_plan::region::phases::{Graph, Val};

/// Values that a nest computes at most, and acts.
const MOST_VALUES: usize = 4096;
/// Elements that stand side by side in cells at most: the vector of an index.
const MOST_SIDE_BY_SIDE: usize = 8;

/// What a number of the table is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Number {
    /// The trip from which the nest runs.
    From,
    /// The trip before which it ends; the trip before which it ended.
    To,
    /// Whether the condition ended it.
    Over,
    /// The last index of the outermost loop.
    Last,
    /// The number of trips of an inner scan.
    Trips(Ext),
    /// The last index of an inner scan.
    LastOf(Ext),
    /// The address of a slot.
    At(Slot),
    /// Bytes from one index to the next along an axis.
    Stride(Slot, u32),
    /// The last place along an axis at which what has the extents of the second slot lies inside the first.
    Room(Slot, Slot, u32),
    /// The last index along an axis.
    Top(Slot, u32),
    /// Bytes from the first element of a slot to that of a view, by number; computed indices are 0.
    Offset(u32),
    /// Bytes from one element to the next of what a loop collects: the number of an inner loop, or none for the outermost one, and
    /// that of the collected value.
    Step(Option<u32>, u32),
    /// Where the outermost loop leaves a carried value.
    Carried(u32),
}
/// What has to be known before numbers are: done in order where the nest is bound.
#[derive(Debug)]
pub(crate) enum Size {
    /// A view has strides.
    View(ViewOf),
    /// The part of a slot at one index along an axis has strides: the part, the slot, the axis.
    Cut(Slot, Slot, u32),
    /// The first slot has the strides of the second.
    Like(Slot, Slot),
    /// A condition on extents holds.
    Guard(Box<Constraint>, Arc<str>, ErrorCode, Span),
    /// A slot has elements.
    Some(Slot),
}
/// What the acts of a nest have to be told.
#[derive(Debug)]
pub(crate) struct Needs {
    pub(crate) numbers: Vec<Number>,
    pub(crate) sizes: Vec<Size>,
    pub(crate) views: Vec<ViewOf>,
    /// Inner loops that collect values, without their blocks.
    pub(crate) stacks: Vec<Loop>,
    /// Carried values of the outermost loop: number of the carry, number of the table, bytes.
    pub(crate) carried: Vec<(u32, Num, u32)>,
    /// Whether a loop inside has no number of trips that is known before: it may run for ever.
    pub(crate) endless: bool,
}
/// A nest as code.
#[derive(Debug)]
pub(crate) struct Nest {
    pub(crate) code: Code,
    pub(crate) needs: Needs,
}
impl Nest {
    /// The nest that a loop is; `None` where it is none, or where no code can be generated.
    pub(crate) fn new(plan: &Compiled, l: &Loop) -> Option<Nest> {
        let (acts, needs) = acts(plan, l)?;
        Some(Nest { code: compile_nest(&acts)?, needs })
    }
}
/// The acts of the nest that a loop is, and what they have to be told; `None` where it is none.
pub(crate) fn acts(plan: &Compiled, l: &Loop) -> Option<(Acts, Needs)> {
    let mut b = Build {
        plan,
        numbers: vec![],
        known: HashMap::new(),
        dtypes: vec![],
        of: HashMap::new(),
        blocks: vec![(vec![], Open::default())],
        entry: vec![],
        sizes: vec![],
        views: vec![],
        stacks: vec![],
        stacked: vec![],
        values: 0,
    };
    let (carried, count) = b.outermost(l)?;
    let ended = (count, b.number(Number::To), 8);
    let mut all = std::mem::take(&mut b.entry);
    all.append(&mut b.blocks.pop()?.0);
    let out: Vec<(Cell, Num, u32)> = carried.iter().map(|&(_, c, n, size)| (c, n, size)).chain([ended]).collect();
    let mut read: BTreeSet<Cell> = out.iter().map(|o| o.0).collect();
    Act::each(&all, &mut |a| a.reads(&mut |c| _ = read.insert(c)));
    Act::each_mut(&mut all, &mut |a| {
        if let Act::Piece(Piece { region, cells }) = a {
            // Results come last, so that no number of another node changes.
            region.body.retain(|n| !matches!(n, Node::Store(k, _) if !read.contains(&cells[*k as usize])));
        }
    });
    let carried = carried.into_iter().map(|(i, _, n, size)| (i, n, size)).collect();
    let mut endless = false;
    Act::each(&all, &mut |a| endless |= matches!(a, Act::Loop(l) if l.to.is_none()));
    let Build { numbers, sizes, views, stacks, dtypes, .. } = b;
    Some((Acts { cells: dtypes.len() as u32, all, out }, Needs { numbers, sizes, views, stacks, carried, endless }))
}

/// An array: where it begins, and the slot whose extents and strides it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Array {
    base: Base,
    slot: Slot,
}
/// What a slot is inside the nest.
#[derive(Clone, Debug)]
enum Value {
    /// One element, in a cell, read as that type.
    One(Cell, DType),
    /// A few elements along one axis, each in a cell.
    Side(Vec<(Cell, DType)>),
    /// Elements in memory.
    Array(Array),
}
/// Arithmetic to which more may be added.
#[derive(Default)]
struct Open {
    graph: Graph,
    /// The cell of each operand.
    cells: Vec<Cell>,
    /// Values of cells, read as a type.
    vals: HashMap<(Cell, DType), u32>,
    /// Cells that get a value at the end.
    outs: BTreeMap<Cell, u32>,
}
struct Build<'a> {
    plan: &'a Compiled,
    numbers: Vec<Number>,
    known: HashMap<Number, Num>,
    /// The type of each cell.
    dtypes: Vec<DType>,
    of: HashMap<Slot, Value>,
    /// Blocks around, each with its acts so far and the arithmetic after these.
    blocks: Vec<(Vec<Act>, Open)>,
    /// What is read once, before everything else.
    entry: Vec<Act>,
    sizes: Vec<Size>,
    views: Vec<ViewOf>,
    stacks: Vec<Loop>,
    /// Buffers of their stacks.
    stacked: Vec<u32>,
    /// Values of all pieces so far.
    values: usize,
}
/// A loop being built: what its trips work on.
struct LoopCells {
    count: Cell,
    index: Option<Cell>,
    /// Carried values of one element: number of the carry, cell.
    cells: Vec<(usize, Cell)>,
}
impl Build<'_> {
    fn number(&mut self, n: Number) -> Num {
        let next = self.numbers.len() as Num;
        let at = *self.known.entry(n).or_insert(next);
        if at == next {
            self.numbers.push(n);
        }
        at
    }
    fn fresh(&mut self, d: DType) -> Option<Cell> {
        if d.size() > 8 || d.is_small() || self.dtypes.len() > MOST_VALUES {
            return None;
        }
        self.dtypes.push(d);
        Some(self.dtypes.len() as Cell - 1)
    }
    fn dtype(&self, s: Slot) -> DType {
        self.plan.slots[s as usize].dtype
    }
    fn size(&self, s: Slot) -> u32 {
        self.dtype(s).size() as u32
    }
    /// The number of elements, where extents are exact.
    fn elements(&self, s: Slot) -> Option<i64> {
        self.plan.slots[s as usize]
            .dims
            .iter()
            .try_fold(1i64, |n, &d| n.checked_mul(self.plan.exts[d as usize].as_exact()?))
    }
    fn is_one(&self, s: Slot) -> bool {
        self.elements(s) == Some(1)
    }
    /// What a slot is; one from outside the nest that has one element is read before everything else.
    fn value(&mut self, s: Slot) -> Option<Value> {
        if let Some(v) = self.of.get(&s) {
            return Some(v.clone());
        }
        let base = Base::Num(self.number(Number::At(s)));
        let v = if self.is_one(s) {
            let to = self.fresh(self.dtype(s))?;
            self.entry.push(Act::Get { to, at: Spot::of(base), size: self.size(s) });
            Value::One(to, self.dtype(s))
        } else {
            Value::Array(Array { base, slot: s })
        };
        self.of.insert(s, v.clone());
        Some(v)
    }
    fn one(&mut self, s: Slot) -> Option<(Cell, DType)> {
        match self.value(s)? {
            Value::One(c, d) => Some((c, d)),
            _ => None,
        }
    }
    fn array(&mut self, s: Slot) -> Option<Array> {
        match self.value(s)? {
            Value::Array(a) => Some(a),
            _ => None,
        }
    }

    /// The arithmetic so far becomes an act.
    fn flush(&mut self) -> Option<()> {
        let (acts, open) = self.blocks.last_mut()?;
        let Open { mut graph, mut cells, outs, .. } = std::mem::take(open);
        if outs.is_empty() {
            return Some(());
        }
        let mut to = vec![];
        for (&c, &v) in &outs {
            let d = match graph.vals[v as usize] {
                Val::Load(k) => graph.operands[k as usize].0.dtype,
                Val::Const(_, d) | Val::Apply(_, _, d) | Val::Reduce(_, _, d) => d,
            };
            to.push((v, graph.operand(d, Role::Out, false)));
            cells.push(c);
        }
        acts.push(Act::Piece(Piece { region: graph.flat(&to), cells }));
        Some(())
    }
    /// An act that reads cells and changes none that arithmetic reads; it may come before the arithmetic that it does not wait for.
    fn push(&mut self, act: Act) -> Option<()> {
        let mut reads = vec![];
        act.reads(&mut |c| reads.push(c));
        let (_, open) = self.blocks.last()?;
        if reads.iter().any(|c| open.outs.contains_key(c)) {
            self.flush()?;
        }
        self.blocks.last_mut()?.0.push(act);
        Some(())
    }
    fn begin(&mut self) -> Option<()> {
        self.flush()?;
        self.blocks.push((vec![], Open::default()));
        Some(())
    }
    fn end(&mut self) -> Option<Vec<Act>> {
        self.flush()?;
        Some(self.blocks.pop()?.0)
    }
    /// The value of a cell in the arithmetic so far.
    fn read(&mut self, c: Cell, d: DType) -> Option<u32> {
        let (_, open) = self.blocks.last_mut()?;
        if let Some(&v) = open.vals.get(&(c, d)) {
            return Some(v);
        }
        let k = open.graph.operand(d, Role::In, false);
        open.cells.push(c);
        let v = open.graph.val(Val::Load(k));
        open.vals.insert((c, d), v);
        Some(v)
    }
    /// A new cell that holds a value of the arithmetic so far.
    fn made(&mut self, v: u32, d: DType) -> Option<Cell> {
        let c = self.fresh(d)?;
        let (_, open) = self.blocks.last_mut()?;
        open.vals.insert((c, d), v);
        open.outs.insert(c, v);
        Some(c)
    }
    /// Before cells are read: those which the arithmetic so far makes as another type have to be there.
    fn ready(&mut self, cells: &[(Cell, DType)]) -> Option<()> {
        let (_, open) = self.blocks.last()?;
        if cells.iter().any(|&(c, d)| open.outs.contains_key(&c) && !open.vals.contains_key(&(c, d))) {
            self.flush()?;
        }
        Some(())
    }
    fn region(&mut self, r: &Run) -> Option<()> {
        let plan = self.plan;
        let (g, outs) = plan.fused(r).scalars.as_ref()?.source.as_deref()?;
        self.values += g.vals.len();
        if self.values > MOST_VALUES {
            return None;
        }
        let mut from: Vec<Option<(Cell, DType)>> = vec![None; g.operands.len()];
        for v in &g.vals {
            if let Val::Load(k) = *v {
                from[k as usize] = Some(self.one(r.operands[k as usize])?);
            }
        }
        let reads: Vec<(Cell, DType)> = from.iter().flatten().copied().collect();
        self.ready(&reads)?;
        let mut new: Vec<u32> = vec![];
        for v in &g.vals {
            new.push(match *v {
                Val::Load(k) => {
                    let (c, d) = from[k as usize]?;
                    self.read(c, d)?
                }
                Val::Const(..) => self.blocks.last_mut()?.1.graph.val(*v),
                Val::Apply(op, a, d) => {
                    let mut b = [0; 3];
                    b.iter_mut().zip(&a[..op.arity()]).for_each(|(b, &x)| *b = new[x as usize]);
                    self.blocks.last_mut()?.1.graph.val(Val::Apply(op, b, d))
                }
                Val::Reduce(..) => return None,
            });
        }
        for &(v, k) in outs {
            let s = r.operands[k as usize];
            let c = self.made(new[v as usize], self.dtype(s))?;
            self.of.insert(s, Value::One(c, self.dtype(s)));
        }
        Some(())
    }
    /// Cells get the values of slots, all at once.
    fn assign(&mut self, pairs: &[(Cell, Slot)]) -> Option<()> {
        let (mut now, mut later) = (vec![], vec![]);
        for &(to, s) in pairs {
            let ((c, _), own) = (self.one(s)?, self.dtypes[to as usize]);
            if c == to {
                continue;
            }
            let size = own.size() as u32;
            let (_, open) = self.blocks.last()?;
            let made = open.outs.get(&c).copied().filter(|&v| !matches!(open.graph.vals[v as usize], Val::Load(_)));
            match made {
                // Arithmetic reads all that it reads before it writes.
                Some(v) if self.dtypes[c as usize] == own => now.push((to, v)),
                _ if pairs.iter().any(|p| p.0 == c) => {
                    let aside = self.fresh(own)?;
                    self.push(Act::Copy { from: c, to: aside, size })?;
                    later.push(Act::Copy { from: aside, to, size });
                }
                _ => later.push(Act::Copy { from: c, to, size }),
            }
        }
        self.blocks.last_mut()?.1.outs.extend(now);
        self.flush()?;
        self.blocks.last_mut()?.0.append(&mut later);
        Some(())
    }

    fn block(&mut self, block: &[Step]) -> Option<()> {
        block.iter().try_for_each(|s| self.step(s))
    }
    fn step(&mut self, s: &Step) -> Option<()> {
        match &s.what {
            Do::Run(r) => self.region(r),
            Do::View(v) => self.view(v),
            Do::Reshape { src, dst, how, .. } => {
                let (c, _) = self.one(*src).filter(|_| self.is_one(*dst) && self.size(*src) == self.size(*dst))?;
                let d = if *how == Reading::Bits { self.dtype(*dst) } else { self.dtype(*src) };
                self.of.insert(*dst, Value::One(c, d));
                Some(())
            }
            Do::Copy { src, dst } => {
                let (c, d) = self.one(*src)?;
                self.of.insert(*dst, Value::One(c, d));
                Some(())
            }
            Do::Guard { cond, what, code } => {
                self.sizes.push(Size::Guard(cond.clone(), what.clone(), *code, s.span));
                Some(())
            }
            Do::Cond(c) => self.cond(c),
            Do::Loop(l) => self.inner(l),
            Do::Kernel(k) => self.kernel(k),
            Do::Bind { .. } | Do::Call(_) => None,
        }
    }
    /// A slot is what lies at a place: an element that is read now, or an array.
    fn lies(&mut self, s: Slot, at: Spot) -> Option<()> {
        let v = if self.is_one(s) {
            let to = self.fresh(self.dtype(s))?;
            self.push(Act::Get { to, at, size: self.size(s) })?;
            Value::One(to, self.dtype(s))
        } else if at.add.is_none() && at.by.is_empty() {
            Value::Array(Array { base: at.base, slot: s })
        } else {
            let to = self.fresh(DType::I64)?;
            self.push(Act::Address { to, of: at })?;
            Value::Array(Array { base: Base::Cell(to), slot: s })
        };
        self.of.insert(s, v);
        Some(())
    }
    fn view(&mut self, v: &ViewOf) -> Option<()> {
        let exact = |e: Ext| self.plan.exts[e as usize].as_exact();
        let straight = v.axes.iter().all(|a| a.from == NONE || !a.reversed && exact(a.step) == Some(1));
        match self.value(v.src)? {
            Value::One(c, d) if self.is_one(v.dst) => {
                self.of.insert(v.dst, Value::One(c, d));
            }
            Value::Side(all) if straight && v.start.is_empty() && self.elements(v.dst) == Some(all.len() as i64) => {
                self.of.insert(v.dst, Value::Side(all));
            }
            Value::Side(all) if straight && self.is_one(v.dst) => {
                let k = match *v.start {
                    [] => 0,
                    [(0, Start::Ext(e))] => usize::try_from(self.plan.exts[e as usize].as_exact()?).ok()?,
                    _ => return None,
                };
                let &(c, d) = all.get(k)?;
                self.of.insert(v.dst, Value::One(c, d));
            }
            Value::Array(a) => {
                let mut by = vec![];
                for &(axis, start) in &v.start {
                    if let Start::Index(i) = start {
                        let (index, dtype) = self.one(i)?;
                        let room = Some(self.number(Number::Room(v.src, v.dst, axis)));
                        by.push(Term { index, dtype, room, stride: self.number(Number::Stride(v.src, axis)) });
                    }
                }
                let moved = v.start.iter().any(|s| matches!(s.1, Start::Ext(_)))
                    || v.axes.iter().any(|a| a.from != NONE && a.reversed);
                // The slots of views know their extents and strides themselves: those of what an array was called before are the same.
                if a.slot != v.src {
                    self.sizes.push(Size::Like(v.src, a.slot));
                }
                self.sizes.push(Size::View(v.clone()));
                let add = moved.then(|| {
                    self.views.push(v.clone());
                    self.number(Number::Offset(self.views.len() as u32 - 1))
                });
                self.lies(v.dst, Spot { base: a.base, add, by })?;
            }
            _ => return None,
        }
        Some(())
    }
    fn cond(&mut self, c: &Cond) -> Option<()> {
        if !c.binds.is_empty() || !c.claims.is_empty() {
            return None;
        }
        let (index, dtype) = self.one(c.choice)?;
        // Results of one element get a cell; others are one array, whichever way runs.
        let mut cells = vec![];
        for (i, &s) in c.outs.iter().enumerate() {
            if self.is_one(s) {
                let to = self.fresh(self.dtype(s))?;
                cells.push((i, to));
            }
        }
        let (mut ways, mut arrays): (Vec<Vec<Act>>, Vec<Option<Array>>) = (vec![], vec![None; c.outs.len()]);
        for w in &c.ways {
            self.begin()?;
            self.block(&w.block)?;
            for (i, a) in arrays.iter_mut().enumerate() {
                if !cells.iter().any(|c| c.0 == i) {
                    let found = self.array(w.yields[i])?;
                    if a.is_some_and(|a| a != found) {
                        return None;
                    }
                    *a = a.or(Some(found));
                }
            }
            let pairs: Vec<(Cell, Slot)> = cells.iter().map(|&(i, to)| (to, w.yields[i])).collect();
            self.assign(&pairs)?;
            ways.push(self.end()?);
        }
        for (i, &s) in c.outs.iter().enumerate() {
            let v = match (arrays[i], cells.iter().find(|c| c.0 == i)) {
                (_, Some(&(_, to))) => Value::One(to, self.dtype(s)),
                (Some(a), None) => Value::Array(a),
                _ => return None,
            };
            self.of.insert(s, v);
        }
        let act = match (c.by, ways.len()) {
            (By::Flag, 2) => Act::Either { flag: index, ways: ways.try_into().ok()? },
            (By::Index, _) => Act::Nth { index, dtype, ways },
            _ => return None,
        };
        self.push(act)
    }

    /// What loops have in common before their trips: whether they are loops of a nest at all, and cells.
    fn start(&mut self, l: &Loop, outermost: bool) -> Option<LoopCells> {
        let plain = l.own.is_empty()
            && l.ys.iter().all(|y| !y.joined)
            && l.carries.iter().all(|c| !c.grows && !c.params.is_empty());
        let counts = l.binds.is_some() || !l.bound.is_empty() || !l.claims.is_empty();
        let inside = !counts && l.max_trips.is_none() && (l.cond.is_none() || l.ys.is_empty());
        if !plain || !outermost && !inside {
            return None;
        }
        self.flush()?;
        let mut cells = vec![];
        for (i, c) in l.carries.iter().enumerate() {
            let first = c.params.first().copied()?;
            let v = if c.same || !self.is_one(first) {
                // The outermost loop has run, so that its parameters say where arrays are.
                let v = if outermost { self.value(first)? } else { self.value(c.init)? };
                let in_place = match c.buffers {
                    Buffers::Two => false,
                    Buffers::One => outermost,
                    Buffers::Init => true,
                };
                if !c.same && (!in_place || !matches!(v, Value::Array(_))) {
                    return None;
                }
                v
            } else {
                let to = self.fresh(self.dtype(first))?;
                if outermost {
                    let base = Base::Num(self.number(Number::At(*c.params.last()?)));
                    self.entry.push(Act::Get { to, at: Spot::of(base), size: self.size(first) });
                } else {
                    let (from, _) = self.one(c.init)?;
                    self.push(Act::Copy { from, to, size: self.size(first) })?;
                }
                cells.push((i, to));
                Value::One(to, self.dtype(first))
            };
            for &p in &c.params {
                self.of.insert(p, v.clone());
            }
            self.of.insert(c.result, v);
        }
        let index = if l.xs.is_empty() && l.ys.is_empty() { None } else { Some(self.fresh(DType::I64)?) };
        Some(LoopCells { count: self.fresh(DType::I64)?, index, cells })
    }
    /// The trips of a loop.
    fn round(
        &mut self,
        l: &Loop,
        f: &LoopCells,
        [from, to, over, last]: [Option<Num>; 4],
        stack: Option<u32>,
    ) -> Option<()> {
        let test = match &l.cond {
            Some((block, flag)) => {
                self.begin()?;
                self.block(block)?;
                let (flag, d) = self.one(*flag)?;
                Some((self.end()?, flag)).filter(|_| d == DType::Bool)
            }
            None => None,
        };
        if test.is_none() && l.cond.is_some() {
            return None;
        }
        self.begin()?;
        for &(src, p, axis) in &l.xs {
            match (self.value(src)?, f.index) {
                (Value::One(c, d), _) => {
                    self.of.insert(p, Value::One(c, d));
                }
                (Value::Array(a), Some(index)) => {
                    let stride = self.number(Number::Stride(a.slot, axis));
                    self.sizes.push(Size::Cut(p, a.slot, axis));
                    let by = vec![Term { index, dtype: DType::I64, room: None, stride }];
                    self.lies(p, Spot { base: a.base, add: None, by })?;
                }
                _ => return None,
            }
        }
        self.block(&l.body)?;
        for (j, y) in l.ys.iter().enumerate() {
            let (from, _) = self.one(y.yielded)?;
            let base = Base::Num(self.number(Number::At(y.result)));
            let stride = self.number(Number::Step(stack, j as u32));
            let by = vec![Term { index: f.index?, dtype: DType::I64, room: None, stride }];
            self.push(Act::Put { from, at: Spot { base, add: None, by }, size: self.size(y.yielded) })?;
        }
        for (c, _) in l.carries.iter().zip(0..).filter(|c| !c.0.same && !f.cells.iter().any(|x| x.0 == c.1)) {
            // It is still where it lay.
            let (was, is) = (self.array(*c.params.first()?)?, self.array(c.yielded)?);
            if was != is {
                return None;
            }
        }
        let pairs: Vec<(Cell, Slot)> = f.cells.iter().map(|&(i, to)| (to, l.carries[i].yielded)).collect();
        self.assign(&pairs)?;
        let body = self.end()?;
        let index = f.index.map(|c| (c, last));
        self.push(Act::Loop(Box::new(Round { count: f.count, from, to, test, over, index, body })))
    }
    fn inner(&mut self, l: &Loop) -> Option<()> {
        let f = self.start(l, false)?;
        let scan = l.cond.is_none();
        let to = scan.then(|| self.number(Number::Trips(l.trips)));
        let last = l.reverse.then(|| self.number(Number::LastOf(l.trips)));
        // All stacks of a nest are placed before it runs: two of them in one buffer, of which one would be done before the other begins,
        // are no nest.
        for y in &l.ys {
            let st = &self.plan.stores[y.store as usize];
            if st.escapes || self.stacked.contains(&st.buf) {
                return None;
            }
            self.stacked.push(st.buf);
        }
        let stack = (!l.ys.is_empty()).then(|| {
            let bare = Loop { body: [].into(), cond: None, ..l.clone() };
            self.stacks.push(bare);
            self.stacks.len() as u32 - 1
        });
        self.round(l, &f, [None, to, None, last], stack)?;
        for y in &l.ys {
            if self.is_one(y.result) {
                return None;
            }
            let base = Base::Num(self.number(Number::At(y.result)));
            self.of.insert(y.result, Value::Array(Array { base, slot: y.result }));
        }
        Some(())
    }
    /// The outermost loop; what it carries: number of the carry, cell, number, bytes. And the cell that counts trips.
    fn outermost(&mut self, l: &Loop) -> Option<(Vec<(u32, Cell, Num, u32)>, Cell)> {
        let f = self.start(l, true)?;
        let [from, to, over] = [Number::From, Number::To, Number::Over].map(|n| self.number(n));
        let last = l.reverse.then(|| self.number(Number::Last));
        self.round(l, &f, [Some(from), Some(to), Some(over), last], None)?;
        let mut out = vec![];
        for &(i, c) in &f.cells {
            let size = self.dtypes[c as usize].size() as u32;
            out.push((i as u32, c, self.number(Number::Carried(i as u32)), size));
        }
        Some((out, f.count))
    }

    fn kernel(&mut self, k: &KernelStep) -> Option<()> {
        if k.then.is_some() || !k.regions.is_empty() || !k.binds.is_empty() {
            return None;
        }
        let (plan, def) = (self.plan, self.plan.func.op(k.op).def);
        let is = |d: &'static tfc_ir::OpDef| std::ptr::eq(def, d);
        let site = crate::kernel::Site { func: &plan.func, step: k };
        let (&[dst], word) = (&k.dsts[..], |name| site.attrs().word(name)) else { return None };
        if is(&ops::shape::CONCAT) {
            let n = i64::try_from(k.args.len()).ok()?;
            let fits = k.args.len() <= MOST_SIDE_BY_SIDE && self.elements(dst) == Some(n);
            let all = k.args.iter().map(|&s| self.one(s)).collect::<Option<Vec<_>>>().filter(|_| fits)?;
            let v = if let [(c, d)] = all[..] { Value::One(c, d) } else { Value::Side(all) };
            self.of.insert(dst, v);
            return Some(());
        }
        if is(&ops::shape::DYNAMIC_UPDATE_SLICE) {
            let [x, u, at @ ..] = &k.args[..] else { return None };
            let (from, d) = self.one(*u)?;
            let a = match self.value(*x)? {
                Value::Array(a) => a,
                // One element is replaced by another.
                Value::One(..) => {
                    self.of.insert(dst, Value::One(from, d));
                    return Some(());
                }
                Value::Side(_) => return None,
            };
            let mut by = vec![];
            for (axis, &i) in at.iter().enumerate() {
                let (index, dtype) = self.one(i)?;
                let room = Some(self.number(Number::Top(a.slot, axis as u32)));
                by.push(Term { index, dtype, room, stride: self.number(Number::Stride(a.slot, axis as u32)) });
            }
            if plan.slots[dst as usize].over != *x {
                return None;
            }
            self.sizes.push(Size::Some(a.slot));
            self.push(Act::Put { from, at: Spot { base: a.base, add: None, by }, size: self.size(*u) })?;
            self.of.insert(dst, Value::Array(a));
            return Some(());
        }
        let dims = match (is(&ops::index::GATHER), is(&ops::index::SCATTER)) {
            (true, _) => IndexDims::of_gather(site.attrs(), site.operand(1)?),
            (_, true) => IndexDims::of_scatter(site.attrs(), site.operand(1)?),
            _ => return None,
        };
        let indices = match self.value(*k.args.get(1)?)? {
            Value::One(c, d) => vec![(c, d)],
            Value::Side(all) => all,
            Value::Array(_) => return None,
        };
        if !dims.batch.is_empty() || indices.len() != dims.map.len() {
            return None;
        }
        let Value::Array(a) = self.value(k.args[0])? else { return None };
        self.sizes.push(Size::Some(a.slot));
        let mut at = Spot { base: a.base, add: None, by: vec![] };
        let mut inside = vec![];
        let clamp = match is(&ops::index::GATHER) {
            true => word("out_of_bounds") != Some("zero"),
            false => word("out_of_bounds") == Some("clamp"),
        };
        for (&(index, dtype), &axis) in indices.iter().zip(&dims.map) {
            let top = self.number(Number::Top(a.slot, axis as u32));
            inside.push((index, dtype, top));
            let stride = self.number(Number::Stride(a.slot, axis as u32));
            at.by.push(Term { index, dtype, room: clamp.then_some(top), stride });
        }
        // Indices, and what is written, are there before anything is asked of them.
        self.flush()?;
        if is(&ops::index::GATHER) {
            if !self.is_one(dst) {
                return None;
            }
            let to = self.fresh(self.dtype(dst))?;
            let get = Act::Get { to, at, size: self.size(dst) };
            if clamp {
                self.push(get)?;
            } else {
                self.push(Act::Zero { to })?;
                self.push(Act::Inside { indices: inside, then: vec![get] })?;
            }
            self.of.insert(dst, Value::One(to, self.dtype(dst)));
            return Some(());
        }
        let (u, d) = self.one(*k.args.get(2)?)?;
        let size = self.size(dst);
        if plan.slots[dst as usize].over != k.args[0] {
            return None;
        }
        let combine = match word("combine") {
            None | Some("set") => None,
            Some("add") => Some(ScalarOp::Add),
            Some("mul") => Some(ScalarOp::Mul),
            Some("min") => Some(ScalarOp::Min),
            Some("max") => Some(ScalarOp::Max),
            Some(_) => return None,
        };
        self.begin()?;
        let mut from = u;
        if let Some(op) = combine {
            let old = self.fresh(d)?;
            self.push(Act::Get { to: old, at: at.clone(), size })?;
            let (x, y) = (self.read(old, d)?, self.read(u, d)?);
            let both = self.blocks.last_mut()?.1.graph.val(Val::Apply(op, [x, y, 0], d));
            from = self.made(both, d)?;
        }
        self.push(Act::Put { from, at, size })?;
        let then = self.end()?;
        match clamp {
            true => self.blocks.last_mut()?.0.extend(then),
            false => self.push(Act::Inside { indices: inside, then })?,
        }
        self.of.insert(dst, Value::Array(a));
        Some(())
    }
}
