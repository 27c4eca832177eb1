//! What a function is compiled into: slots (where values are), storages (memory they live in) and steps. A plan holds no
//! sizes: extents are evaluated at each call, strides follow from the arguments' at run time, so one plan serves every
//! value of the symbolic extents and every layout of the inputs.
mod assign;
pub mod audit;
mod build;
mod control;
pub mod describe;
mod dot;
mod factors;
mod fused;
mod in_place;
mod join;
pub mod lower;
mod partner;
mod parts;
mod rules;
mod scalars;
pub mod sizes;
mod steps;
mod views;

pub use dot::Dot;
pub use fused::splat;

use std::collections::BTreeSet;
use std::sync::Arc;

use tfc_ir::extent::{Constraint, ExistId, Extent};
use tfc_ir::{Code, DType, Finished, Func, Guard, OpDef, OpId, Result, Span, Tensor, ValueId};

use crate::region::phases::Graph;

/// A value's place: position in the frame's tables.
pub type Slot = u32;
/// Position in the plan's table of extents.
pub type Ext = u32;
/// Position in the plan's table of storages.
pub type Store = u32;
/// No slot, no axis.
pub const NONE: u32 = u32::MAX;

/// Where the elements of a slot are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In a storage of its own, dense (where a device computes extents, dense for the bound of one).
    Own(Store),
    /// In a storage of its own, which the first of its [`Place::Part`]s has been given before the step that computes it.
    Around(Store),
    /// A window of that slot, whose storage it is computed in; `first`: nothing has been computed there before.
    Part {
        /// The slot, which is [`Place::Around`] its parts, or [`Place::Given`].
        of: Slot,
        /// The storage is to be had here (never where it is given).
        first: bool,
    },
    /// Part of another slot's memory, found at run time (a view, an alias, a loop's parameter).
    View,
    /// Where the loop around says before each trip.
    Given,
    /// An argument of the call.
    Arg(u32),
    /// A constant of the plan.
    Const(u32),
}
impl Place {
    /// The storage of its own.
    pub fn store(&self) -> Option<Store> {
        if let Place::Own(r) = *self { Some(r) } else { None }
    }
}
/// A slot.
#[derive(Clone, Debug)]
pub struct SlotDecl {
    /// Element type.
    pub dtype: DType,
    /// Extents, one an axis.
    pub dims: Box<[Ext]>,
    /// First of its places in the frame's tables of dims and strides.
    pub at: u32,
    /// Where its elements are.
    pub place: Place,
    /// Computed in place of that slot (or [`NONE`]): same address, same strides.
    pub over: Slot,
    /// The parameter whose storage it may take where the caller has given the argument away (or [`NONE`]).
    pub donor: u32,
    /// The slot whose axis order its layout follows, where it has one of its own.
    pub like: Slot,
    /// What orders its axes where no slot has the same ones (or that one is a broadcast of one element): an entry for each, or none.
    pub near: Box<[Near]>,
    /// A kernel of matrices makes it: where nothing else orders its axes, the first is the fastest, however arguments lie.
    pub columns: bool,
    /// Of a [`Place::Part`]: where it begins, along each axis of the slot that it is a part of.
    pub start: Box<[usize]>,
    /// For messages and the description.
    pub name: Arc<str>,
}
/// Where an axis of a layout goes: the axes whose elements lie closest come first.
#[derive(Clone, Debug, Default)]
pub struct Near {
    /// Axes of slots: the least of their strides is the first thing that counts.
    pub least: Box<[(Slot, u32)]>,
    /// An axis of a slot whose stride decides among those that are alike.
    pub then: Option<(Slot, u32)>,
}
/// Memory of one or several slots that do not live together.
#[derive(Clone, Debug)]
pub struct StoreDecl {
    /// Extents of the largest user.
    pub dims: Box<[Ext]>,
    /// Bytes of an element.
    pub size: usize,
    /// First and last position in the plan at which it is used.
    pub live: (u32, u32),
    /// Grows while the plan runs.
    pub grows: bool,
    /// Becomes part of a result, so the caller may hold it at the next call.
    pub escapes: bool,
    /// Element type of an escaping storage.
    pub dtype: DType,
    /// The buffer that serves it, once assigned.
    pub buf: u32,
    /// The argument for whose memory the storage stands, or [`NONE`].
    pub arg: u32,
}

/// One axis of a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewAxis {
    /// Source axis, or [`NONE`] for a broadcast axis.
    pub from: u32,
    /// The source's stride is multiplied by this.
    pub step: Ext,
    /// Walk from the last element to the first.
    pub reversed: bool,
}
/// Where a view starts along an axis of its source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// At that extent.
    Ext(Ext),
    /// At a computed index, moved so that the view stays inside its source.
    Index(Slot),
}
/// A strided view of a slot.
#[derive(Clone, Debug)]
pub struct ViewOf {
    /// The source.
    pub src: Slot,
    /// The view.
    pub dst: Slot,
    /// Axes of the view, in the order of the result's axes.
    pub axes: Box<[ViewAxis]>,
    /// Displacement: source axis and number of elements.
    pub start: Box<[(u32, Start)]>,
    /// A second stride added to axis 0 of the result (`extract_diag`): source axis.
    pub also: u32,
}
/// A fused region over slots.
#[derive(Clone, Debug)]
pub struct Run {
    /// Number of the region among those of the plan: what the engine made of the region stands there.
    pub id: u32,
    /// Loops.
    pub loops: Box<[Ext]>,
    /// Which loops reductions fold.
    pub reduced: Box<[bool]>,
    /// Some of its values are reductions, be it of single elements.
    pub reduces: bool,
    /// Operands in the program's order.
    pub operands: Box<[Slot]>,
    /// `maps[k * loops + l]`: axis of operand `k` that loop `l` walks, or [`NONE`].
    pub maps: Box<[u32]>,
    /// Outputs to place before it runs.
    pub outs: Box<[Slot]>,
}
/// Where a carry lies from trip to trip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffers {
    /// In one of two buffers after the other: the body computes the next value while it reads the last.
    Two,
    /// In one buffer, where the body replaces parts of it; the initial value is copied there.
    One,
    /// In one buffer, as with `One`: the memory of the initial value, which nobody else reads.
    Init,
}
/// A value carried round a loop.
#[derive(Clone, Debug)]
pub struct Carry {
    /// Initial value.
    pub init: Slot,
    /// Parameters of the loop's regions.
    pub params: Box<[Slot]>,
    /// What the body yields.
    pub yielded: Slot,
    /// Final value.
    pub result: Slot,
    /// The two buffers it alternates between, or twice the one.
    pub stores: [Store; 2],
    /// Which of it.
    pub buffers: Buffers,
    /// The body computes it in the buffer; otherwise it is copied there.
    pub direct: bool,
    /// The body hands the parameter on unchanged.
    pub same: bool,
    /// Whether the extents of the carry may change from trip to trip.
    pub grows: bool,
    /// Only regions read and compute it, which take any order of its axes: it need not lie as its initial value does.
    pub turns: bool,
}
/// A value collected from each trip.
#[derive(Clone, Debug)]
pub struct Collect {
    /// What the body yields.
    pub yielded: Slot,
    /// The stack.
    pub result: Slot,
    /// The stack's storage.
    pub store: Store,
    /// The axis that counts trips, or along which elements are joined.
    pub axis: u32,
    /// Elements are joined along their last axis, whose extent may differ at each trip.
    pub joined: bool,
    /// The body computes it in the stack; otherwise it is copied there.
    pub direct: bool,
}
/// A `scan` or `while`.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Number of the loop in the plan.
    pub id: u32,
    /// Extents and strides are the same in every trip but the first.
    pub bindable: bool,
    /// Trip count of a scan.
    pub trips: Ext,
    /// A scan from the last index to the first.
    pub reverse: bool,
    /// Condition of a `while`: steps and the flag they compute.
    pub cond: Option<(Block, Slot)>,
    /// Most trips of a `while`.
    pub max_trips: Option<Ext>,
    /// What the trip count of a `while` binds.
    pub binds: Option<ExistId>,
    /// Extents that parameters bind: (existential, operand, axis of the parameter).
    pub own: Vec<(ExistId, u32, u32)>,
    /// Extents that results bind: (result, axis, existential).
    pub bound: Box<[(u32, u32, ExistId)]>,
    /// Extents that results are said to have.
    pub claims: Box<[Guard]>,
    /// Carried values.
    pub carries: Vec<Carry>,
    /// Values cut along an axis: source, parameter, axis.
    pub xs: Vec<(Slot, Slot, u32)>,
    /// Values collected.
    pub ys: Vec<Collect>,
    /// The body.
    pub body: Block,
}
/// A call of a function compiled on its own.
#[derive(Clone, Debug)]
pub struct Call {
    /// The callee among the plans of the program.
    pub plan: u32,
    /// Its name.
    pub name: Arc<str>,
    /// The callee's frame among those of this function's calls and of their calls.
    pub frame: u32,
    /// Values of the callee's symbols.
    pub syms: Box<[Ext]>,
    /// Arguments.
    pub args: Box<[Slot]>,
    /// Results.
    pub results: Box<[Slot]>,
    /// Existentials that results bind: result, axis, existential.
    pub binds: Box<[(u32, u32, ExistId)]>,
}
/// A step that an engine has a kernel for: the statement, and where its values are. Results are placed before it runs, all
/// of them as [`Place`] says; the kernel writes every element.
#[derive(Clone, Debug)]
pub struct KernelStep {
    /// Number of the step among the kernels of the plan: what an engine keeps for the step stands there.
    pub id: u32,
    /// The statement: row, attributes and types.
    pub op: OpId,
    /// Attributes of the op that are extents, by name.
    pub exts: Box<[(&'static str, Box<[Ext]>)]>,
    /// Operands.
    pub args: Box<[Slot]>,
    /// Results.
    pub dsts: Box<[Slot]>,
    /// Regions that the kernel runs as often as it likes.
    pub regions: Box<[Inner]>,
    /// Existentials that results bind: the kernel says them before it asks for results.
    pub binds: Box<[ExistId]>,
    /// The first result is the first operand with parts replaced, and may be computed over it.
    pub updates: bool,
    /// An elementwise region that reads the first result and no other one, where the engine says that the kernel takes it
    /// ([`Target::joins`]): applied to parts of the result as they are made, or after it.
    pub then: Option<Box<Run>>,
}
/// A region that a kernel runs.
#[derive(Clone, Debug)]
pub struct Inner {
    /// Parameters: the kernel says where they are.
    pub params: Box<[Slot]>,
    /// Steps.
    pub block: Block,
    /// What it yields.
    pub yields: Box<[Slot]>,
    /// Values from outside that it reads, and where they are.
    pub captures: Box<[(ValueId, Slot)]>,
}
/// How a branch is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum By {
    /// The first where a flag is set, else the second.
    Flag,
    /// The branch of an index; the last branch, where there is none of that index.
    Index,
}
/// A branch.
#[derive(Clone, Debug)]
pub struct Way {
    /// Steps.
    pub block: Block,
    /// What it yields.
    pub yields: Box<[Slot]>,
}
/// Branches, at least one; results are what the branch that ran yields.
#[derive(Clone, Debug)]
pub struct Cond {
    /// What decides.
    pub choice: Slot,
    /// How it does.
    pub by: By,
    /// The branches.
    pub ways: Box<[Way]>,
    /// Results.
    pub outs: Box<[Slot]>,
    /// Extents that results bind: (result, axis, existential).
    pub binds: Box<[(u32, u32, ExistId)]>,
    /// Extents that results are said to have.
    pub claims: Box<[Guard]>,
}

/// Stacks of scalars from this number on stand side by side: alone, each would begin at the same sets of the cache as the
/// others.
const SIDE_BY_SIDE: usize = 4;

impl Loop {
    /// Which stacks stand side by side where the number of trips is known before, where in a row, and the bytes of a row.
    pub fn beside(&self, plan: &Plan) -> (Vec<(usize, isize)>, isize) {
        let (mut side, mut row) = (vec![], 0);
        for (j, y) in self.ys.iter().enumerate() {
            let (d, st) = (&plan.slots[y.result as usize], &plan.stores[y.store as usize]);
            if d.dims.len() == 1 && !y.joined && !st.escapes && !st.grows {
                let size = d.dtype.size();
                row = usize::next_multiple_of(row, size);
                side.push((j, row as isize));
                row += size;
            }
        }
        if side.len() < SIDE_BY_SIDE {
            side.clear();
        }
        (side, row.next_multiple_of(16) as isize)
    }
}

/// How a tensor is read as another shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// Elements in order, the first axis fastest.
    First,
    /// Elements in order, the last axis fastest.
    Last,
    /// The same bits as elements of another type: parts of an element follow each other along a last axis.
    Bits,
}
/// What a step does.
#[derive(Clone, Debug)]
pub enum Do {
    /// A fused region.
    Run(Box<Run>),
    /// A view.
    View(ViewOf),
    /// The same elements or bits under another type, copied to `store` where strides ask for it.
    Reshape {
        /// What is read.
        src: Slot,
        /// The same as another shape.
        dst: Slot,
        /// Where it is copied to.
        store: Store,
        /// In which order.
        how: Reading,
    },
    /// A copy into storage of its own.
    Copy {
        /// What is copied.
        src: Slot,
        /// The copy.
        dst: Slot,
    },
    /// A value as an extent.
    Bind {
        /// The value.
        src: Slot,
        /// The extent that it is.
        exist: ExistId,
    },
    /// A condition on extents.
    Guard {
        /// The condition.
        cond: Box<Constraint>,
        /// What asks for it, for the message.
        what: Arc<str>,
        /// The message's code.
        code: Code,
    },
    /// Two branches.
    Cond(Box<Cond>),
    /// A loop.
    Loop(Box<Loop>),
    /// A call.
    Call(Box<Call>),
    /// An op with a kernel.
    Kernel(Box<KernelStep>),
}
/// What a step has to do with a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// The step reads elements, or hands them on as a view.
    Read,
    /// The step gives the slot its elements.
    Write,
}
impl Do {
    /// Every slot that the step itself reads or writes, in that order; not what steps of its blocks do.
    pub fn uses(&self, f: &mut dyn FnMut(Slot, Use)) {
        let mut all = |slots: &[Slot], u: Use| slots.iter().for_each(|&s| f(s, u));
        match self {
            Do::Run(r) => r.uses(&mut all),
            Do::View(v) => {
                all(&[v.src], Use::Read);
                for (_, at) in &v.start {
                    if let Start::Index(i) = *at {
                        all(&[i], Use::Read);
                    }
                }
                all(&[v.dst], Use::Write);
            }
            Do::Reshape { src, dst, .. } | Do::Copy { src, dst } => {
                all(&[*src], Use::Read);
                all(&[*dst], Use::Write);
            }
            Do::Bind { src, .. } => all(&[*src], Use::Read),
            Do::Guard { .. } => {}
            Do::Cond(c) => {
                all(&[c.choice], Use::Read);
                c.ways.iter().for_each(|w| all(&w.yields, Use::Read));
                all(&c.outs, Use::Write);
            }
            Do::Loop(l) => {
                all(&l.carries.iter().map(|c| c.init).collect::<Vec<_>>(), Use::Read);
                l.xs.iter().for_each(|x| all(&[x.0], Use::Read));
                l.carries.iter().for_each(|c| all(&[c.yielded], Use::Read));
                l.ys.iter().for_each(|y| all(&[y.yielded], Use::Read));
                l.carries.iter().for_each(|c| all(&[c.result], Use::Write));
                l.ys.iter().for_each(|y| all(&[y.result], Use::Write));
            }
            Do::Call(c) => {
                all(&c.args, Use::Read);
                all(&c.results, Use::Write);
            }
            Do::Kernel(k) => {
                all(&k.args, Use::Read);
                k.regions.iter().for_each(|r| all(&r.yields, Use::Read));
                all(&k.dsts, Use::Write);
                if let Some(r) = &k.then {
                    r.uses(&mut all);
                }
            }
        }
    }
    /// The blocks inside the step: bodies of loops and branches.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Do::Cond(c) => c.ways.iter().map(|w| &w.block).collect(),
            Do::Loop(l) => l.cond.iter().map(|c| &c.0).chain([&l.body]).collect(),
            Do::Kernel(k) => k.regions.iter().map(|r| &r.block).collect(),
            _ => vec![],
        }
    }
}
impl Run {
    fn uses(&self, all: &mut dyn FnMut(&[Slot], Use)) {
        self.reads().for_each(|s| all(&[s], Use::Read));
        all(&self.outs, Use::Write);
    }
    /// The operands that it reads.
    pub fn reads(&self) -> impl Iterator<Item = Slot> + '_ {
        self.operands.iter().copied().filter(|s| !self.outs.contains(s))
    }
}
/// A step and its place in the source.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it does.
    pub what: Do,
    /// The statement.
    pub span: Span,
    /// Position of the step among all steps of the plan: lifetimes of storages are given in these positions.
    pub at: u32,
}
/// Steps in order.
pub type Block = Box<[Step]>;

/// A compiled function.
#[derive(Debug)]
pub struct Plan {
    /// The function, for names in messages.
    pub func: Arc<Finished>,
    /// Distinct extents.
    pub exts: Vec<Extent>,
    /// For each existential, the extents that mention it.
    pub by_exist: Vec<Vec<Ext>>,
    /// For each extent, the places in the frame's table of dims that hold it.
    pub users: Vec<Vec<u32>>,
    /// Slots.
    pub slots: Vec<SlotDecl>,
    /// Length of the frame's tables of dims and strides.
    pub axes: usize,
    /// Storages.
    pub stores: Vec<StoreDecl>,
    /// Number of buffers.
    pub bufs: usize,
    /// Constants.
    pub consts: Vec<Tensor>,
    /// Number of frames, where each call has one: those of its calls and of their calls.
    pub frames: u32,
    /// How deep blocks nest, those of callees included.
    pub depth: usize,
    /// Number of loops.
    pub loops: u32,
    /// Number of steps with kernels.
    pub kernels: u32,
    /// No step binds an existential.
    pub bindable: bool,
    /// Slots of the parameters.
    pub params: Vec<Slot>,
    /// Slots of the results, and the slots whose memory each may be.
    pub results: Vec<Slot>,
    /// For each result, the slots of arguments and constants it may be a view of, and the storages.
    pub homes: Vec<Vec<Place>>,
    /// Storages that results lie in.
    pub escaping: Vec<Store>,
    /// Parameters whose storage a step may compute over.
    pub donors: Vec<u32>,
    /// The header says something about the results' extents.
    pub open_header: bool,
    /// Steps.
    pub body: Block,
}

/// What is known of a function that is called.
#[derive(Clone, Debug)]
pub struct Callee {
    /// Number of the called function's plan among the plans of the program.
    pub plan: u32,
    /// Its name.
    pub name: Arc<str>,
    /// See [`Plan::depth`].
    pub depth: usize,
    /// See [`Plan::frames`].
    pub frames: u32,
}
/// The functions that a program calls, each planned once.
pub type Callees = std::collections::HashMap<tfc_ir::FuncId, Callee>;

/// The engine that a plan is for.
pub trait Target {
    /// Whether the engine has a kernel for that row that stands before everything else.
    fn replaces(&self, row: &OpDef) -> bool;
    /// Most phases of a fused region.
    fn most_phases(&self) -> usize;
    /// Makes the kernel of the next step of the plan that has one. (An engine that looks at the whole plan for that makes
    /// kernels once there is one.)
    ///
    /// # Errors
    /// Whatever making it reports.
    fn kernel(&mut self, _f: &Func, _step: &KernelStep) -> Result<()> {
        Ok(())
    }
    /// Whether the kernel of a step may be given an elementwise region that reads its first result ([`KernelStep::then`]).
    fn joins(&self, _f: &Func, _step: &KernelStep) -> bool {
        false
    }
    /// Whether the engine places what is computed in parts ([`Place::Part`]), and its kernels leave parts that lie in their result
    /// where they are.
    fn parts(&self) -> bool {
        false
    }
    /// Whether products read factors of dtype `stored` where they lie, and multiply them as `wide`.
    fn factor(&self, _stored: DType, _wide: DType) -> bool {
        false
    }
    /// Compiles the next fused region of the plan, which has `loops` loops. `outs`: value and the operand that receives it;
    /// `hot`: it is in a loop. Says which outputs may be computed in the memory of which inputs.
    ///
    /// # Errors
    /// `E0801` where a scalar function has no kernel for its types.
    fn fused(&mut self, g: &Graph, outs: &[(u32, u32)], loops: usize, hot: bool) -> Result<Vec<(u32, u32)>>;
}

/// What the steps of a loop name.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// Slots; of the loop itself not its results.
    pub slots: BTreeSet<Slot>,
    /// Extents, but for numbers of trips and extents of slots.
    pub exts: BTreeSet<Ext>,
    /// Some step asks for a condition on extents.
    pub guarded: bool,
}
impl Named {
    fn block(&mut self, block: &[Step]) {
        block.iter().for_each(|s| self.step(&s.what));
    }
    fn run(&mut self, r: &Run) {
        self.exts.extend(&r.loops);
        self.slots.extend(&r.operands);
    }
    fn step(&mut self, what: &Do) {
        what.uses(&mut |s, _| _ = self.slots.insert(s));
        match what {
            Do::Run(r) => self.run(r),
            Do::View(v) => {
                self.exts.extend(v.axes.iter().filter(|a| a.from != NONE).map(|a| a.step));
                self.exts.extend(v.start.iter().filter_map(|s| if let Start::Ext(e) = s.1 { Some(e) } else { None }));
            }
            Do::Guard { .. } => self.guarded = true,
            Do::Cond(c) => c.ways.iter().for_each(|w| self.block(&w.block)),
            Do::Loop(l) => self.a_loop(l),
            Do::Call(c) => self.exts.extend(&c.syms),
            Do::Kernel(k) => {
                k.exts.iter().for_each(|e| self.exts.extend(&e.1));
                k.then.iter().for_each(|r| self.run(r));
                for r in &k.regions {
                    self.slots.extend(r.params.iter().chain(&r.yields).copied().chain(r.captures.iter().map(|c| c.1)));
                    self.block(&r.block);
                }
            }
            Do::Reshape { .. } | Do::Copy { .. } | Do::Bind { .. } => {}
        }
    }
    fn a_loop(&mut self, l: &Loop) {
        for c in &l.carries {
            self.slots.extend(c.params.iter().chain([&c.init, &c.yielded]));
        }
        l.xs.iter().for_each(|x| self.slots.extend([x.0, x.1]));
        self.slots.extend(l.ys.iter().map(|y| y.yielded));
        if let Some((block, flag)) = &l.cond {
            self.block(block);
            self.slots.insert(*flag);
        }
        self.block(&l.body);
    }
}
impl Loop {
    /// What the loop and its steps name.
    pub fn named(&self) -> Named {
        let mut n = Named::default();
        n.a_loop(self);
        n
    }
}

/// Whether the steps bind no existential, so that extents stay as they are.
pub fn bindable(block: &[Step]) -> bool {
    block.iter().all(|s| match &s.what {
        Do::Bind { .. } => false,
        Do::Kernel(k) => k.binds.is_empty() && k.regions.iter().all(|r| bindable(&r.block)),
        Do::Call(c) => c.binds.is_empty(),
        Do::Cond(c) => c.binds.is_empty() && c.claims.is_empty() && c.ways.iter().all(|w| bindable(&w.block)),
        Do::Loop(l) => l.bindable && l.binds.is_none() && l.bound.is_empty() && l.claims.is_empty(),
        _ => true,
    })
}
impl Loop {
    /// Whether the loop's trips can be bound.
    fn has_bindable_trips(&self) -> bool {
        self.own.is_empty()
            && self.carries.iter().all(|c| !c.grows)
            && self.ys.iter().all(|y| !y.joined)
            && bindable(&self.body)
            && self.cond.as_ref().is_none_or(|c| bindable(&c.0))
    }
}
