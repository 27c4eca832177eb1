//! Bound blocks: steps whose extents and strides stay what they are from one execution to the next are resolved once, and
//! replayed on addresses alone.
//!
//! A block is bound after it has run in the ordinary way, so that everything that may fail has been asked and every slot
//! has its strides; and only where no buffer moved while it ran, so that every slot is where it was then: an address belongs to
//! a generation of the frame's buffers, and a block is replayed in the generation that it was bound in. Slots in buffers of the
//! frame stay where they are in it and need nothing; the others (what a loop carries,
//! arguments, storage of results, and views of these) are brought up to date by one step each. A step without a form of its
//! own runs as in `step`. Should a branch give a result other strides than before, or a buffer move, the rest of the block runs
//! in the ordinary way and the binding is dropped.
use std::collections::HashSet;

use tfc_ir::Result;

use super::direct::Direct;
use super::frame::{Ctx, Frame, Generation};
use crate::compiled::Compiled;
use crate::copy::At;
use crate::fused::bound::Bound;
use crate::kernel::KernelCx;
use crate::machine::mem::{Buf, Ptr};
use crate::scalars::program::Scalars;
use tfc_plan::plan::*;

/// Slots and their strides.
pub(crate) type Kept = Box<[(Slot, Box<[isize]>)]>;

/// A resolved step. Numbers of steps are positions in the block.
#[derive(Debug)]
pub(crate) enum Resolved {
    /// The address of a slot is that of another, displaced.
    View { dst: Slot, src: Slot, offset: isize },
    /// A slot lies in storage that escapes.
    Place { dst: Slot, store: Store, len: usize },
    /// A fused region. It is bound anew where storage of these results is fresh while it was `warm`, or the other way round:
    /// that decides how it is written.
    Run { step: u32, bound: Box<Bound>, results: Box<[Slot]>, warm: bool },
    /// A small region that is one call.
    Direct { step: u32, direct: Box<Direct> },
    /// A region of scalars, with its area.
    Scalars { step: u32, area: Buf },
    /// Some contiguous bytes.
    Bytes { step: u32, src: Slot, dst: Slot, n: usize },
    /// A view at computed indices: slot, places that are left, stride.
    Slice { src: Slot, dst: Slot, at: Box<[(Slot, i64, isize)]> },
    /// A kernel's own form; results that lie in storage that escapes have been placed by steps of their own. `then`: the step's
    /// region follows as one of its own.
    Kernel { step: u32, bound: Box<dyn crate::kernel::Bound>, then: bool },
    /// A loop that is bound; strides that it has to leave as they were, should its first trips be unlike the others.
    Loop { step: u32, kept: Kept },
    /// A branch; strides of its results.
    Cond { step: u32, branches: Box<[Branch]>, kept: Kept },
    /// Any step, run as in `step`; strides that it has to leave as they were.
    Step { step: u32, kept: Kept },
}
impl Resolved {
    /// The step that it is, or a part of; `None` where it only moves an address.
    #[inline]
    fn step(&self) -> Option<u32> {
        match self {
            Resolved::View { .. } | Resolved::Place { .. } | Resolved::Slice { .. } => None,
            Resolved::Run { step, .. }
            | Resolved::Direct { step, .. }
            | Resolved::Scalars { step, .. }
            | Resolved::Bytes { step, .. }
            | Resolved::Kernel { step, .. }
            | Resolved::Loop { step, .. }
            | Resolved::Cond { step, .. }
            | Resolved::Step { step, .. } => Some(*step),
        }
    }
}
/// A block that may run or not.
#[derive(Debug)]
pub(crate) enum Branch {
    /// The branch has not run since the block around it was bound.
    Fresh,
    Bound(BoundBlock),
    /// A binding has ceased to hold once: it runs step by step from then on.
    Unsteady,
}
/// A bound block.
#[derive(Debug, Default)]
pub(crate) struct BoundBlock {
    steps: Vec<Resolved>,
    /// In which generation slots are where they are.
    generation: Generation,
}
impl BoundBlock {
    /// Whether slots are where they were when it was bound.
    pub(crate) fn is_of(&self, generation: Generation) -> bool {
        self.generation == generation
    }
    /// The one step that it is, if that is a region of scalars.
    pub(crate) fn only_scalars(&self) -> Option<u32> {
        if let [Resolved::Scalars { step, .. }] = self.steps[..] { Some(step) } else { None }
    }
}

/// The region of scalars that a step is.
pub(crate) fn scalars_of<'p>(plan: &'p Compiled, step: &'p Step) -> Option<(&'p Run, &'p Scalars)> {
    match &step.what {
        Do::Run(r) => plan.fused(r).scalars.as_ref().map(|s| (&**r, s)),
        _ => None,
    }
}

/// The region that a step is, or ends in.
fn run_of(step: &Step) -> Option<&Run> {
    match &step.what {
        Do::Run(r) => Some(r),
        Do::Kernel(k) => k.then.as_deref(),
        _ => None,
    }
}

/// Slots that stay where they are.
struct Fixed<'a> {
    plan: &'a Compiled,
    views: HashSet<Slot>,
}
impl Fixed<'_> {
    fn has(&self, s: Slot) -> bool {
        let d = &self.plan.slots[s as usize];
        match d.place {
            Place::Const(_) => true,
            Place::Own(r) | Place::Around(r) => {
                let st = &self.plan.stores[r as usize];
                !st.escapes && !st.grows && d.donor == NONE && (d.over == NONE || self.has(d.over))
            }
            Place::Part { of, .. } => self.has(of),
            Place::View => self.views.contains(&s),
            Place::Given | Place::Arg(_) => false,
        }
    }
}

impl Frame {
    /// Binds a block that has just run, from generation `since` on; `None` where a buffer has moved meanwhile, so that slots
    /// that were placed before may be where nothing is any more. (The next run finds buffers that are large enough.)
    pub(crate) fn bind_block(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        block: &Block,
        since: Generation,
    ) -> Result<Option<BoundBlock>> {
        if self.generation != since {
            return Ok(None);
        }
        let mut b = BoundBlock { steps: vec![], generation: since };
        let mut fixed = Fixed { plan, views: HashSet::new() };
        for (i, s) in block.iter().enumerate() {
            self.bind_step(plan, ctx, &mut fixed, i as u32, s, &mut b.steps)?;
        }
        Ok(Some(b))
    }
    fn bind_step(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        fixed: &mut Fixed,
        step: u32,
        s: &Step,
        to: &mut Vec<Resolved>,
    ) -> Result<()> {
        let kept = |f: &Frame, slots: &mut dyn Iterator<Item = Slot>| {
            slots.map(|s| (s, f.strides(plan, s).into())).collect::<Kept>()
        };
        match &s.what {
            // It depends on extents alone.
            Do::Guard { .. } => {}
            Do::Run(r) => self.bind_region(plan, fixed, step, r, to)?,
            Do::View(v) if v.start.iter().any(|s| matches!(s.1, Start::Index(_))) => {
                let at: Vec<Slot> =
                    v.start.iter().filter_map(|s| if let Start::Index(i) = s.1 { Some(i) } else { None }).collect();
                to.push(Resolved::Slice { src: v.src, dst: v.dst, at: self.places(plan, v.src, v.dst, &at) });
            }
            Do::View(v) => {
                let offset = self.view_at(plan, v)?;
                bind_view(fixed, v.dst, v.src, offset, to);
            }
            Do::Reshape { src, dst, how, .. }
                if *how != Reading::Bits && self.is_view(plan, *src, *dst, *how == Reading::First) =>
            {
                bind_view(fixed, *dst, *src, 0, to);
            }
            Do::Copy { src, dst } => match self.contiguous(plan, *src, *dst, *src)? {
                Some(n) => {
                    self.bind_place(plan, fixed, *dst, to)?;
                    to.push(Resolved::Bytes { step, src: *src, dst: *dst, n });
                }
                None => to.push(Resolved::Step { step, kept: [].into() }),
            },
            Do::Kernel(k) => {
                let mut cx = KernelCx::new(self, plan, ctx, k);
                let bound = plan.kernel(k).kernel.bind(&mut cx)?;
                let applied = cx.region_is_applied();
                let Some(bound) = bound else {
                    to.push(Resolved::Step { step, kept: [].into() });
                    return Ok(());
                };
                let with = k.then.iter().filter(|_| applied).flat_map(|r| &r.outs);
                k.dsts.iter().chain(with).try_for_each(|&s| self.bind_place(plan, fixed, s, to))?;
                let then = k.then.as_ref().filter(|_| !applied);
                to.push(Resolved::Kernel { step, bound, then: then.is_some() });
                if let Some(r) = then {
                    self.bind_region(plan, fixed, step, r, to)?;
                }
            }
            Do::Loop(l) => {
                let kept = kept(self, &mut l.carries.iter().map(|c| c.result));
                to.push(match self.loops[l.id as usize].bound {
                    Some(_) => Resolved::Loop { step, kept },
                    None => Resolved::Step { step, kept },
                });
            }
            Do::Cond(c) => {
                let kept = kept(self, &mut c.outs.iter().copied());
                let branches = c.ways.iter().map(|_| Branch::Fresh).collect();
                to.push(Resolved::Cond { step, branches, kept });
            }
            _ => to.push(Resolved::Step { step, kept: [].into() }),
        }
        Ok(())
    }
    /// Binds a region and the places of its outputs.
    fn bind_region(
        &mut self,
        plan: &Compiled,
        fixed: &Fixed,
        step: u32,
        r: &Run,
        to: &mut Vec<Resolved>,
    ) -> Result<()> {
        for &s in &r.outs {
            self.bind_place(plan, fixed, s, to)?;
        }
        if let Some(p) = &plan.fused(r).scalars {
            let mut area = Buf::default();
            let at = area.ensure(p.bytes)?;
            // SAFETY: the area is as large as it has to be.
            unsafe { p.init(at) };
            to.push(Resolved::Scalars { step, area });
            return Ok(());
        }
        let mut bound = Box::<Bound>::default();
        let escapes = |s: &Slot| {
            let r = plan.slots[*s as usize].place.store();
            r.is_some_and(|r| plan.stores[r as usize].escapes)
        };
        let results: Box<[Slot]> = r.outs.iter().copied().filter(escapes).collect();
        let warm = results.iter().all(|&s| self.warm[s as usize]);
        self.bind_run(plan, r, &mut bound)?;
        to.push(match Direct::new(&bound, &plan.fused(r).program, &r.operands) {
            Some(d) => Resolved::Direct { step, direct: Box::new(d) },
            None => Resolved::Run { step, bound, results, warm },
        });
        Ok(())
    }
    /// What it takes to place a slot.
    fn bind_place(&mut self, plan: &Compiled, fixed: &Fixed, s: Slot, to: &mut Vec<Resolved>) -> Result<()> {
        let d = &plan.slots[s as usize];
        if fixed.has(s) {
            self.warm[s as usize] = true;
        } else if d.over != NONE {
            to.push(Resolved::View { dst: s, src: d.over, offset: 0 });
        } else if let Place::Own(store) = d.place {
            to.push(Resolved::Place { dst: s, store, len: self.len(plan, s)? });
        } else if let Place::Part { of, first } = d.place {
            if first && let Place::Around(store) = plan.slots[of as usize].place {
                to.push(Resolved::Place { dst: of, store, len: self.len(plan, of)? });
            }
            to.push(Resolved::View { dst: s, src: of, offset: self.part_at(plan, s) });
        }
        Ok(())
    }
    /// Bytes of `what`, if it is dense and lies in `to` as densely, in the same order, as in `from`.
    pub(crate) fn contiguous(&self, plan: &Compiled, from: Slot, to: Slot, what: Slot) -> Result<Option<usize>> {
        let n = self.len(plan, what)?;
        let size = plan.slots[what as usize].dtype.size();
        let dims = self.dims(plan, what);
        let (a, b) = (self.strides(plan, from), self.strides(plan, to));
        let mut axes: Vec<(isize, usize)> = vec![];
        for (i, &d) in dims.iter().enumerate() {
            if d != 1 {
                if a.get(i) != b.get(i) {
                    return Ok(None);
                }
                axes.push((a[i], d));
            }
        }
        axes.sort_unstable();
        let mut step = size as isize;
        for (s, d) in axes {
            if s != step {
                return Ok(None);
            }
            step *= d as isize;
        }
        Ok(Some(n * size))
    }
    /// Whether a reshape is a view.
    fn is_view(&mut self, plan: &Compiled, src: Slot, dst: Slot, first: bool) -> bool {
        let mut to = std::mem::take(&mut self.flat);
        let is = self.regroups(plan, src, dst, first, &mut to);
        self.flat = to;
        is
    }
    /// For each index of a dynamic slice: its slot, the last place, the stride.
    pub(crate) fn places(&self, plan: &Compiled, big: Slot, small: Slot, at: &[Slot]) -> Box<[(Slot, i64, isize)]> {
        at.iter().enumerate().map(|(a, &i)| (i, self.room(plan, big, small, a), self.strides(plan, big)[a])).collect()
    }
    pub(crate) fn offset_of(&self, plan: &Compiled, at: &[(Slot, i64, isize)]) -> isize {
        at.iter().map(|&(i, room, stride)| self.scalar(plan, i).clamp(0, room) as isize * stride).sum()
    }
    fn holds(&self, plan: &Compiled, kept: &Kept) -> bool {
        // Element by element: see `same_arguments`.
        kept.iter().all(|(s, old)| self.strides(plan, *s).iter().zip(old).all(|(a, b)| a == b))
    }
    /// Runs a bound block. `Some(k)`: the binding does not hold any more, and steps from `k` on have not run.
    pub(crate) fn replay(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        block: &Block,
        b: &mut BoundBlock,
    ) -> Result<Option<usize>> {
        match ctx.clock {
            None => self.replayed::<false>(plan, ctx, block, b),
            Some(_) => self.replayed::<true>(plan, ctx, block, b),
        }
    }
    /// The same; `TIMED`: the caller asks what steps take.
    #[inline]
    fn replayed<const TIMED: bool>(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        block: &Block,
        b: &mut BoundBlock,
    ) -> Result<Option<usize>> {
        if b.generation != self.generation {
            return Ok(Some(0));
        }
        for m in &mut b.steps {
            let begun = if TIMED { m.step().map(|at| (at, ctx.begin())) } else { None };
            // Where the block is to go on in the ordinary way.
            let mut rest = None;
            match m {
                Resolved::View { dst, src, offset } => {
                    self.ptr[*dst as usize] = self.ptr[*src as usize].at(*offset);
                    self.warm[*dst as usize] = true;
                }
                Resolved::Place { dst, store, len } => {
                    let (p, warm) = self.memory_as_before(plan, ctx, *store, *len)?;
                    self.ptr[*dst as usize] = p;
                    self.warm[*dst as usize] = warm;
                }
                Resolved::Run { step, bound, results, warm } => {
                    let s = &block[*step as usize];
                    if let Some(r) = run_of(s) {
                        if !results.is_empty() && *warm != results.iter().all(|&s| self.warm[s as usize]) {
                            *warm = !*warm;
                            self.bind_run(plan, r, bound)?;
                        }
                        // SAFETY: extents and strides are those that it was bound to.
                        unsafe { self.run_bound(plan, ctx, r, bound) }.map_err(|e| e.or_span(s.span))?;
                    }
                }
                // SAFETY: extents and strides are those that it was bound to.
                Resolved::Direct { direct, .. } => unsafe { direct.run(&self.ptr) },
                Resolved::Scalars { step, area } => {
                    if let Some((r, p)) = scalars_of(plan, &block[*step as usize]) {
                        // SAFETY: the slots of operands are placed scalars; the area was initialised when it was bound.
                        unsafe { p.whole(area.ptr(), |k| self.ptr[r.operands[k as usize] as usize]) };
                    }
                }
                Resolved::Bytes { src, dst, n, .. } => {
                    let (from, to) = (self.ptr[*src as usize], self.ptr[*dst as usize]);
                    copy_bytes(from, to, *n);
                }
                Resolved::Slice { src, dst, at } => {
                    let o = self.offset_of(plan, at);
                    self.ptr[*dst as usize] = self.ptr[*src as usize].at(o);
                }
                Resolved::Kernel { step, bound, then } => {
                    let s = &block[*step as usize];
                    if let Do::Kernel(k) = &s.what {
                        bound.run(&mut KernelCx::new(self, plan, ctx, k)).map_err(|e| e.or_span(s.span))?;
                        // Steps of regions that it runs may have moved a buffer.
                        if b.generation != self.generation {
                            if let Some(r) = k.then.as_ref().filter(|_| *then) {
                                self.run_tape(plan, ctx, r).map_err(|e| e.or_span(s.span))?;
                            }
                            rest = Some(*step as usize + 1);
                        }
                    }
                }
                Resolved::Loop { step, kept } => {
                    let s = &block[*step as usize];
                    let steady = self.replay_known(plan, ctx, &s.what, kept).map_err(|e| e.or_span(s.span))?;
                    if b.generation != self.generation || !steady {
                        rest = Some(*step as usize + 1);
                    }
                }
                Resolved::Cond { step, branches, kept } => {
                    let s = &block[*step as usize];
                    let steady = self.replay_cond(plan, ctx, &s.what, branches, kept).map_err(|e| e.or_span(s.span))?;
                    if b.generation != self.generation || !steady {
                        rest = Some(*step as usize + 1);
                    }
                }
                Resolved::Step { step, kept } => {
                    let s = &block[*step as usize];
                    self.step(plan, ctx, s).map_err(|e| e.or_span(s.span))?;
                    if b.generation != self.generation || !self.holds(plan, kept) {
                        rest = Some(*step as usize + 1);
                    }
                }
            }
            if let Some((at, begun)) = begun {
                self.end(plan, ctx, &block[at as usize], begun);
            }
            if rest.is_some() {
                return Ok(rest);
            }
        }
        Ok(None)
    }
    /// Runs a loop as it was bound. Have its results the strides that they had? (Apart from the walk over steps, whose registers
    /// it would take.)
    #[inline(never)]
    fn replay_known(&mut self, plan: &Compiled, ctx: &mut Ctx, what: &Do, kept: &Kept) -> Result<bool> {
        let Do::Loop(l) = what else { return Ok(false) };
        let known = self.loops[l.id as usize].bound.take();
        self.run_loop(plan, ctx, l, known)?;
        let bound = &self.loops[l.id as usize].bound;
        Ok(bound.as_ref().is_some_and(|b| b.steady || self.holds(plan, kept)))
    }
    /// Runs a branch, bound from the second time on. Returns whether its results have the strides that they had.
    fn replay_cond(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        what: &Do,
        branches: &mut [Branch],
        kept: &Kept,
    ) -> Result<bool> {
        let Do::Cond(c) = what else { return Ok(false) };
        let which = self.way(plan, c);
        let (Way { block, yields }, known) = (&c.ways[which], &mut branches[which]);
        let rest = match known {
            Branch::Bound(b) => self.replay(plan, ctx, block, b)?,
            Branch::Fresh | Branch::Unsteady => Some(0),
        };
        let since = self.generation;
        if let Some(k) = rest {
            self.block(plan, ctx, &block[k..])?;
        }
        for (&r, &y) in c.outs.iter().zip(yields) {
            self.alias(plan, r, y);
        }
        if rest.is_none() {
            return Ok(true);
        }
        *known = match known {
            Branch::Fresh => self.bind_block(plan, ctx, block, since)?.map_or(Branch::Fresh, Branch::Bound),
            _ => Branch::Unsteady,
        };
        Ok(self.holds(plan, kept))
    }
    /// Runs the body of a call; `same`: extents of parameters and their strides are those of the last call.
    pub(crate) fn body(&mut self, plan: &Compiled, ctx: &mut Ctx, same: bool) -> Result<()> {
        let same = same && plan.bindable && !ctx.plain;
        if let Some(mut b) = self.bound.take().filter(|_| same) {
            let rest = match self.replay(plan, ctx, &plan.body, &mut b)? {
                None => {
                    self.bound = Some(b);
                    return Ok(());
                }
                Some(k) => k,
            };
            return self.block(plan, ctx, &plan.body[rest..]);
        }
        let since = self.generation;
        self.block(plan, ctx, &plan.body)?;
        if same {
            self.bound = self.bind_block(plan, ctx, &plan.body, since)?.map(Box::new);
        }
        Ok(())
    }
    /// Copies the elements of a slot of loops that were bound: `n` bytes where they are contiguous on both sides.
    pub(crate) fn copy_bound(&mut self, plan: &Compiled, ctx: &Ctx, src: Slot, to: At, n: Option<usize>) {
        match n {
            Some(n) => copy_bytes(self.ptr[src as usize], to.ptr, n),
            None => self.copy_to(plan, ctx, src, to),
        }
    }
}
/// What it takes to keep a view up to date.
fn bind_view(fixed: &mut Fixed, dst: Slot, src: Slot, offset: isize, to: &mut Vec<Resolved>) {
    if fixed.has(src) {
        fixed.views.insert(dst);
    } else {
        to.push(Resolved::View { dst, src, offset });
    }
}
/// Copies `n` bytes.
pub(crate) fn copy_bytes(from: Ptr, to: Ptr, n: usize) {
    // SAFETY: both slots hold `n` contiguous bytes and do not overlap, or are the same.
    unsafe {
        match n {
            0 => {}
            8 => to.0.cast::<u64>().write_unaligned(from.0.cast::<u64>().read_unaligned()),
            _ => std::ptr::copy(from.0, to.0, n),
        }
    }
}
