//! The state of one call of a plan: its sizes, where each slot's elements are, buffers. Frames are kept between
//! calls: a second call of the same sizes allocates nothing but its results.
use std::borrow::Borrow;
use std::ops::{Deref, DerefMut};

use tfc_ir::{Code, Error, Result, Tensor};

use super::replay::BoundBlock;
use super::replay_loop::KeptLoop;
use crate::compiled::Compiled;
use crate::copy::At;
use crate::fused::bound::Bound;
use crate::kernel::State;
use crate::machine::mem::{Buf, OutBuf, Ptr, tensor_ptr};
use crate::machine::pool::Pool;
use tfc_plan::plan::sizes::Sizes;
use tfc_plan::plan::*;
use tfc_plan::space::Space;

/// Calls of calls have a frame each up to this number.
const MOST_FRAMES: u32 = 1024;

/// Bytes allocated, now and at most.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Memory {
    /// Allocated now.
    pub(crate) now: usize,
    /// The most so far in this call.
    pub(crate) peak: usize,
    /// What may not be exceeded.
    pub(crate) limit: Option<usize>,
    /// What others have of it.
    pub(crate) taken: usize,
}
impl Memory {
    /// Notes that `more` bytes are about to be allocated and `less` were given back.
    pub(crate) fn change(&mut self, more: usize, less: usize, what: impl std::fmt::Display) -> Result<()> {
        let next = self.now.saturating_sub(less).saturating_add(more);
        if let Some(l) = self.limit
            && next.saturating_add(self.taken) > l
            && more > less
        {
            return Err(Error::new(
                Code::E0715,
                format!("{more} bytes for {what} would exceed the memory limit of {l} bytes"),
            )
            .note(format!("{} bytes are in use", self.now.saturating_sub(less).saturating_add(self.taken))));
        }
        self.now = next;
        self.peak = self.peak.max(next);
        Ok(())
    }
}
/// What steps share.
pub(crate) struct Ctx<'a> {
    /// Threads.
    pub(crate) pool: &'a Pool,
    /// Choices of the caller.
    pub(crate) opt: &'a crate::RunOptions,
    /// Nothing is bound: every step finds out its sizes each time.
    pub(crate) plain: bool,
    /// Memory account.
    pub(crate) mem: &'a mut Memory,
    /// Trips of loops that may still begin.
    pub(crate) fuel: Option<u64>,
    /// Plans of functions that are called.
    pub(crate) callees: &'a [Compiled],
    /// Their frames.
    pub(crate) frames: &'a mut Frames,
    /// Times of steps, where the caller asks for them.
    pub(crate) clock: Option<super::clock::Clock>,
    /// Loops that run, each inside of the one before.
    pub(crate) loops: u32,
}
impl Ctx<'_> {
    /// Says that the loop which runs has made `t` trips, where somebody watches and it is inside of no other.
    #[inline]
    pub(crate) fn reach(&self, t: usize) {
        if let (1, Some(p)) = (self.loops, &self.opt.progress) {
            p.reach(t as u64);
        }
    }
    /// Fails where the run may not go on: its time is over, or somebody has cancelled it.
    #[inline]
    pub(crate) fn look(&self) -> Result<()> {
        self.opt.budget.as_ref().map_or(Ok(()), tfc_ir::Budget::check)
    }
    /// Whether the time of the run is limited.
    pub(crate) fn timed(&self) -> bool {
        self.opt.budget.as_ref().is_some_and(|b| b.limits().time.is_some())
    }
    /// Takes `n` trips of a loop from what is left.
    #[inline]
    pub(crate) fn spend(&mut self, n: u64) -> Result<()> {
        match &mut self.fuel {
            None => Ok(()),
            Some(left) if *left >= n => {
                *left -= n;
                Ok(())
            }
            Some(_) => Err(out_of_fuel(self.opt.fuel)),
        }
    }
}
#[cold]
pub(crate) fn out_of_fuel(limit: Option<u64>) -> Error {
    let text = format!("the loops of the run take more than {} trips", limit.unwrap_or_default());
    Error::new(Code::E0713, text).help("raise the limit on steps, or look for a loop that does not end")
}
/// Frames of calls. Each call has one, so that it finds its sizes as it left them; where those would be many, each function
/// has one: calls are never circular, so that no function is called while it runs.
///
/// Buffers are not a frame's own: what a call leaves in them nobody reads, so calls that are nested equally deep, which never run
/// at the same time, have the same ones.
#[derive(Debug)]
pub(crate) struct Frames {
    each_call: bool,
    list: Vec<Option<Box<Frame>>>,
    /// Buffers by how deep the call is nested.
    bufs: Vec<Vec<Buf>>,
}
impl Frames {
    /// For a program of that many calls of calls.
    pub(crate) fn new(plan: &Compiled, callees: &[Compiled]) -> Frames {
        let each_call = plan.frames <= MOST_FRAMES;
        let n = if each_call { plan.frames as usize } else { callees.len() };
        Frames { each_call, list: std::iter::repeat_with(|| None).take(n).collect(), bufs: vec![] }
    }
    /// Takes the frame of call `c` in a function whose own frame is `around`: its number, and itself.
    pub(crate) fn take(&mut self, around: &Frame, c: &Call, callee: &Compiled) -> (usize, Box<Frame>) {
        let at = if self.each_call { around.base + c.frame } else { c.plan };
        let mut frame = self.list.get_mut(at as usize).and_then(Option::take).unwrap_or_else(|| {
            let mut frame = Box::new(Frame::new(callee));
            frame.base = at + 1;
            frame.bufs = vec![];
            frame
        });
        frame.level = around.level + 1;
        if self.bufs.len() < frame.level {
            self.bufs.resize_with(frame.level, Vec::new);
        }
        std::mem::swap(&mut frame.bufs, &mut self.bufs[frame.level - 1]);
        if frame.bufs.len() < callee.bufs {
            frame.bufs.resize_with(callee.bufs, Buf::default);
        }
        // Others may have made them larger meanwhile: what is bound to where they were is bound again.
        if !frame.left.iter().copied().eq(frame.bufs.iter().take(frame.left.len()).map(Buf::place)) {
            frame.generation.end();
        }
        (at as usize, frame)
    }
    /// See [`Frame::intact`].
    pub(crate) fn intact(&self) -> bool {
        self.bufs.iter().flatten().all(Buf::intact) && self.list.iter().flatten().all(|f| f.intact())
    }
    /// Puts it back.
    pub(crate) fn put(&mut self, at: usize, callee: &Compiled, mut frame: Box<Frame>) {
        frame.left.clear();
        frame.left.extend(frame.bufs.iter().take(callee.bufs).map(Buf::place));
        if let Some(level) = self.bufs.get_mut(frame.level - 1) {
            std::mem::swap(&mut frame.bufs, level);
        }
        if let Some(place) = self.list.get_mut(at) {
            *place = Some(frame);
        }
    }
}
/// A number for the addresses of a frame's buffers: another one whenever a buffer has moved. Who keeps an address keeps the
/// generation that it was found in, and asks before it is used again. In one generation no buffer has become smaller either.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Generation(u64);
impl Generation {
    /// A buffer moves.
    fn end(&mut self) {
        self.0 += 1;
    }
}
/// State of a call.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Extents and strides.
    pub(crate) sizes: Sizes,
    /// Address of slots.
    pub(crate) ptr: Vec<Ptr>,
    /// Buffers; while a call does not run, they are with [`Frames`].
    pub(crate) bufs: Vec<Buf>,
    /// Where they were, and how large, when it last ended.
    pub(crate) left: Vec<(usize, usize)>,
    /// How deep the call is nested; 0 is the entry.
    pub(crate) level: usize,
    /// Escaping storages, by number of storage. They stay from call to call as long as the sizes do.
    pub(crate) outs: Vec<Option<OutBuf>>,
    /// By number of argument: storage that the caller has given away, until a step takes it.
    pub(crate) donated: Vec<Option<OutBuf>>,
    /// By slot: were the pages that a step is to write into written before? What is computed into fresh memory must not
    /// bypass the caches: page faults bring its lines in.
    pub(crate) warm: Vec<bool>,
    /// Where the frames of this function's calls begin, where each call has one.
    pub(crate) base: u32,
    /// Generation of the addresses of the frame's buffers.
    pub(crate) generation: Generation,
    /// The body, once a call has had the layout of the call before.
    pub(crate) bound: Option<Box<BoundBlock>>,
    /// What loops keep, by their number.
    pub(crate) loops: Vec<KeptLoop>,
    /// Area of scalars.
    pub(crate) cells: Buf,
    /// Scratch.
    pub(crate) region: Bound,
    /// Scratch.
    pub(crate) space: Space,
    /// Scratch.
    pub(crate) flat: Vec<isize>,
    /// Scratch.
    pub(crate) counts: Vec<usize>,
    /// What kernels keep, by number of the step.
    pub(crate) states: Vec<State>,
    /// Scratch buffers of contractions and others.
    pub(crate) packs: [Buf; 3],
}

impl Deref for Frame {
    type Target = Sizes;
    fn deref(&self) -> &Sizes {
        &self.sizes
    }
}
impl DerefMut for Frame {
    fn deref_mut(&mut self) -> &mut Sizes {
        &mut self.sizes
    }
}
impl Frame {
    /// A frame for `plan`.
    pub(crate) fn new(plan: &Compiled) -> Frame {
        let mut f = Frame {
            sizes: Sizes::new(plan),
            ptr: vec![Ptr::NULL; plan.slots.len()],
            warm: vec![false; plan.slots.len()],
            ..Frame::default()
        };
        f.bufs.resize_with(plan.bufs, Buf::default);
        f.outs.resize_with(plan.stores.len(), || None);
        f.loops.resize_with(plan.loops as usize, KeptLoop::default);
        f.states.resize_with(plan.kernels as usize, State::default);
        for (i, s) in plan.slots.iter().enumerate() {
            if let Place::Const(c) = s.place {
                f.ptr[i] = tensor_ptr(&plan.consts[c as usize]);
            }
        }
        f
    }
    /// Are these arguments laid out as those of the last call? Then their addresses are taken over.
    pub(crate) fn same_arguments<T: Borrow<Tensor>>(&mut self, plan: &Compiled, args: &[T]) -> bool {
        let same = self.sizes.same_arguments(plan, args);
        if same {
            for (&p, t) in plan.params.iter().zip(args.iter().map(T::borrow)) {
                self.ptr[p as usize] = tensor_ptr(t);
            }
        }
        same
    }
    /// Takes over addresses and strides of arguments that fit.
    pub(crate) fn arguments<T: Borrow<Tensor>>(&mut self, plan: &Compiled, args: &[T]) {
        for (&p, t) in plan.params.iter().zip(args.iter().map(T::borrow)) {
            self.ptr[p as usize] = tensor_ptr(t);
            self.sizes.lay_as(plan, p, t);
        }
    }
    /// A slot as a strided view.
    pub(crate) fn at(&self, plan: &Compiled, s: Slot) -> At<'_> {
        At { ptr: self.ptr[s as usize], strides: self.strides(plan, s) }
    }
    /// Memory of a storage for `len` elements, and whether its pages have been written before.
    /// Where there are none, an address that faults when it is touched: nothing may.
    pub(crate) fn memory(&mut self, plan: &Compiled, ctx: &mut Ctx, r: Store, len: usize) -> Result<(Ptr, bool)> {
        if len == 0 {
            return Ok((Ptr::NOTHING, true));
        }
        let st = &plan.stores[r as usize];
        let bytes = len * st.size;
        let shape = self.sizes.shown(st.dtype, &st.dims);
        if st.escapes {
            let o = &mut self.outs[r as usize];
            if let Some(o) = o.as_ref().filter(|o| o.fits(st.dtype, len)) {
                return Ok((o.ptr(), o.warm()));
            }
            let old = o.take().map_or(0, |o| o.counted());
            ctx.mem.change(bytes, old, shape)?;
            let o = o.insert(OutBuf::new(st.dtype, len)?);
            return Ok((o.ptr(), false));
        }
        let b = &mut self.bufs[st.buf as usize];
        room(b, &mut self.generation, ctx, bytes, shape)
    }
    /// The same where the block has run with these sizes before, in this generation: the buffer is there and large enough.
    pub(crate) fn memory_as_before(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        r: Store,
        len: usize,
    ) -> Result<(Ptr, bool)> {
        let st = &plan.stores[r as usize];
        if st.escapes || len == 0 {
            return self.memory(plan, ctx, r, len);
        }
        let b = &self.bufs[st.buf as usize];
        debug_assert!(b.capacity() >= len * st.size, "a buffer is smaller than when it was bound");
        Ok((b.ptr(), true))
    }
    /// Makes room in the buffer of a storage that grows, and keeps the first `keep` bytes.
    pub(crate) fn grow(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        r: Store,
        sizes: [usize; 2],
        what: &str,
    ) -> Result<Ptr> {
        let (b, [bytes, keep]) = (&mut self.bufs[plan.stores[r as usize].buf as usize], sizes);
        if b.capacity() < bytes {
            ctx.mem.change(bytes, b.capacity(), what)?;
            self.generation.end();
        }
        b.grow(bytes, keep)
    }
    /// Puts a buffer in the place of that of a storage.
    pub(crate) fn replace(&mut self, plan: &Compiled, r: Store, new: Buf) -> Buf {
        self.generation.end();
        std::mem::replace(&mut self.bufs[plan.stores[r as usize].buf as usize], new)
    }
    /// Memory for the stacks of a loop that stand side by side.
    pub(crate) fn stacks(&mut self, ctx: &mut Ctx, l: &Loop, bytes: usize) -> Result<(Ptr, bool)> {
        let b = &mut self.loops[l.id as usize].stacks;
        room(b, &mut self.generation, ctx, bytes, "stacks of scalars")
    }
    /// Have steps written behind buffers? Asked in a mode for tests.
    pub(crate) fn intact(&self) -> bool {
        let stacks = self.loops.iter().map(|l| &l.stacks);
        self.bufs.iter().chain(&self.packs).chain([&self.cells]).chain(stacks).all(Buf::intact)
    }
    /// Gives a slot its memory and strides before a step computes it.
    pub(crate) fn place(&mut self, plan: &Compiled, ctx: &mut Ctx, s: Slot) -> Result<()> {
        let d = &plan.slots[s as usize];
        if d.over != NONE {
            self.ptr[s as usize] = self.ptr[d.over as usize];
            self.warm[s as usize] = true;
            self.lay_over(plan, s, d.over);
            return Ok(());
        }
        let n = self.len(plan, s)?;
        if let Place::Own(r) = d.place {
            if d.donor != NONE && self.donate(plan, s, r, d.donor, n) {
                return Ok(());
            }
            self.dense(plan, s, d.like);
            (self.ptr[s as usize], self.warm[s as usize]) = self.memory(plan, ctx, r, n)?;
        }
        if let Place::Part { of, first } = d.place {
            if first && let Place::Around(r) = plan.slots[of as usize].place {
                let n = self.len(plan, of)?;
                (self.ptr[of as usize], self.warm[of as usize]) = self.memory(plan, ctx, r, n)?;
                self.dense(plan, s, d.like);
                self.lay_around(plan, of);
            }
            self.take_part(plan, s, of);
        }
        Ok(())
    }
    /// Makes slot `s` the window of the slot that it is a part of, which is placed.
    pub(crate) fn take_part(&mut self, plan: &Compiled, s: Slot, of: Slot) {
        self.lay_over(plan, s, of);
        let at = self.part_at(plan, s);
        (self.ptr[s as usize], self.warm[s as usize]) = (self.ptr[of as usize].at(at), self.warm[of as usize]);
    }
    /// Bytes from the first element of a slot to that of a part of it, which has its strides.
    pub(crate) fn part_at(&self, plan: &Compiled, s: Slot) -> isize {
        let starts = plan.slots[s as usize].start.iter().zip(self.strides(plan, s));
        starts.map(|(&at, &stride)| at as isize * stride).sum()
    }
    /// Places a slot over an argument that the caller has given away, if it has.
    fn donate(&mut self, plan: &Compiled, s: Slot, r: Store, arg: u32, n: usize) -> bool {
        let d = &plan.slots[s as usize];
        let Some(o) = self.donated.get_mut(arg as usize) else { return false };
        if !o.as_ref().is_some_and(|o| o.fits(d.dtype, n)) {
            return false;
        }
        let p = plan.params[arg as usize];
        if plan.stores[r as usize].escapes {
            self.outs[r as usize] = o.take();
        }
        self.alias(plan, s, p);
        self.warm[s as usize] = true;
        true
    }
    /// Makes slot `dst` mean what `src` means.
    pub(crate) fn alias(&mut self, plan: &Compiled, dst: Slot, src: Slot) {
        if dst != src {
            self.ptr[dst as usize] = self.ptr[src as usize];
            self.lay_over(plan, dst, src);
        }
    }
    /// Copies the elements of `src` to a place with these strides.
    pub(crate) fn copy_to(&mut self, plan: &Compiled, ctx: &Ctx, src: Slot, dst: At) {
        let mut space = std::mem::take(&mut self.space);
        let size = plan.slots[src as usize].dtype.size();
        // SAFETY: `dst` is storage of a slot of the same shape, which no live slot that `src` views shares.
        unsafe { crate::copy::copy_nd(ctx.pool, &mut space, self.dims(plan, src), dst, self.at(plan, src), size) };
        self.space = space;
    }
}
/// Room of `bytes` in a buffer, whose contents are lost, and whether its pages have been written before.
fn room(
    b: &mut Buf,
    generation: &mut Generation,
    ctx: &mut Ctx,
    bytes: usize,
    what: impl std::fmt::Display,
) -> Result<(Ptr, bool)> {
    let (old, at) = (b.capacity(), b.ptr());
    if old < bytes {
        ctx.mem.change(bytes, old, what)?;
        // Before it is known whether the memory can be had: the old one is gone in either case.
        generation.end();
    }
    let p = b.ensure(bytes)?;
    if p != at {
        generation.end();
    }
    Ok((p, b.warm(bytes)))
}
/// Where an address lies in a tensor's storage: the number of the element.
pub(crate) fn holds(t: &Tensor, p: Ptr) -> Option<usize> {
    let size = t.dtype().size();
    let base = tensor_ptr(t).0 as usize - t.offset() * size;
    let len = tfc_ir::with_dtype!(t.dtype(), T => t.storage::<T>().map_or(0, <[T]>::len));
    let at = (p.0 as usize).checked_sub(base)?;
    (at < len * size).then_some(at / size)
}
