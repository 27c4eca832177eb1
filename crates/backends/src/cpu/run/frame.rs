//! The state of one call of a plan: values of extents, where each slot's elements are, buffers. Frames are kept between
//! calls: a second call of the same sizes allocates nothing but its results.
use tfc_ir::extent::{Atom, ExistId, ExtentEnv};
use tfc_ir::{Error, Result, Tensor};

use super::replay::BoundBlock;
use super::replay_loop::BoundLoop;
use crate::cpu::compiled::Compiled;
use crate::cpu::copy::At;
use crate::cpu::fused::bound::Bound;
use crate::cpu::kernel::State;
use crate::cpu::machine::mem::{Buf, OutBuf, Ptr, tensor_ptr};
use crate::cpu::machine::pool::Pool;
use crate::plan::*;
use crate::sizes::shapes;
use crate::sizes::space::{Space, strides_like};

/// A value of the table of extents that is not known (not bound yet, or its evaluation failed).
const UNKNOWN: i64 = i64::MIN;
/// The same in the table of dims.
const NO_DIM: usize = usize::MAX;
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
                "E0715",
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
    pub(crate) opt: &'a crate::cpu::RunOptions,
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
}
impl Ctx<'_> {
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
    Error::new("E0713", text).help("raise the limit on steps, or look for a loop that does not end")
}
/// Frames of calls. Each call has one, so that it finds its sizes as it left them; where those would be many, each function
/// has one: calls are never circular, so that no function is called while it runs.
#[derive(Debug)]
pub(crate) struct Frames {
    each_call: bool,
    list: Vec<Option<Box<Frame>>>,
}
impl Frames {
    /// For a program of that many calls of calls.
    pub(crate) fn new(plan: &Compiled, callees: &[Compiled]) -> Frames {
        let each_call = plan.frames <= MOST_FRAMES;
        let n = if each_call { plan.frames as usize } else { callees.len() };
        Frames { each_call, list: std::iter::repeat_with(|| None).take(n).collect() }
    }
    /// Takes the frame of call `c` in a function whose calls' frames begin at `base`: its number, and itself.
    pub(crate) fn take(&mut self, base: u32, c: &Call, callee: &Compiled) -> (usize, Box<Frame>) {
        let at = if self.each_call { base + c.frame } else { c.plan };
        let frame = self.list.get_mut(at as usize).and_then(Option::take).unwrap_or_else(|| {
            let mut frame = Box::new(Frame::new(callee));
            frame.base = at + 1;
            frame
        });
        (at as usize, frame)
    }
    /// Puts it back.
    pub(crate) fn put(&mut self, at: usize, frame: Box<Frame>) {
        if let Some(place) = self.list.get_mut(at) {
            *place = Some(frame);
        }
    }
}
/// State of a call.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Symbols and existentials.
    pub(crate) env: ExtentEnv,
    /// Values of the plan's extents.
    vals: Vec<i64>,
    /// Extents of slots, by `SlotDecl::at`.
    pub(crate) dims: Vec<usize>,
    /// Byte strides of slots, by `SlotDecl::at`.
    pub(crate) strides: Vec<isize>,
    /// Address of slots.
    pub(crate) ptr: Vec<Ptr>,
    /// Buffers.
    pub(crate) bufs: Vec<Buf>,
    /// Escaping storages, by number of storage. They stay from call to call as long as the sizes do.
    pub(crate) outs: Vec<Option<OutBuf>>,
    /// By number of argument: storage that the caller has given away, until a step takes it.
    pub(crate) donated: Vec<Option<OutBuf>>,
    /// By slot: were the pages that a step is to write into written before? What is computed into fresh memory must not
    /// bypass the caches: page faults bring its lines in.
    pub(crate) warm: Vec<bool>,
    /// Where the frames of this function's calls begin, where each call has one.
    pub(crate) base: u32,
    /// How often a buffer has moved.
    pub(crate) moved: u64,
    /// The body, once a call has had the layout of the call before.
    pub(crate) bound: Option<Box<BoundBlock>>,
    /// Loops that have been bound, until the block around takes them.
    pub(crate) loops: Vec<Option<Box<BoundLoop>>>,
    /// Stacks of scalars, by number of loop.
    pub(crate) stacks: Vec<Buf>,
    /// Area of scalars.
    pub(crate) cells: Buf,
    /// Scratch.
    pub(crate) region: Bound,
    /// Scratch.
    pub(crate) space: Space,
    /// Scratch.
    pub(crate) order: Vec<usize>,
    /// Scratch.
    pub(crate) flat: Vec<isize>,
    /// Scratch.
    pub(crate) sizes: Vec<usize>,
    /// Bound contractions, by slot of the result.
    pub(crate) dots: Vec<Option<std::sync::Arc<crate::cpu::dot::bind::BoundDot>>>,
    /// What is joined to them, by the same slot.
    pub(crate) epilogues: Vec<Option<std::sync::Arc<crate::cpu::dot::epilogue::Epilogue>>>,
    /// What kernels keep, by number of the step.
    pub(crate) states: Vec<State>,
    /// Scratch buffers of contractions and others.
    pub(crate) packs: [Buf; 3],
    ready: bool,
}

impl Frame {
    /// A frame for `plan`.
    pub(crate) fn new(plan: &Compiled) -> Frame {
        let mut f = Frame {
            vals: vec![UNKNOWN; plan.exts.len()],
            dims: vec![NO_DIM; plan.axes],
            strides: vec![0; plan.axes],
            ptr: vec![Ptr::NULL; plan.slots.len()],
            warm: vec![false; plan.slots.len()],
            ..Frame::default()
        };
        f.bufs.resize_with(plan.bufs, Buf::default);
        f.outs.resize_with(plan.stores.len(), || None);
        f.loops.resize_with(plan.loops as usize, || None);
        f.stacks.resize_with(plan.loops as usize, Buf::default);
        for (i, s) in plan.slots.iter().enumerate() {
            if let Place::Const(c) = s.place {
                let t = &plan.consts[c as usize];
                f.ptr[i] = tensor_ptr(t);
                for (a, &st) in t.strides().iter().enumerate() {
                    f.strides[s.at as usize + a] = st * s.dtype.size() as isize;
                }
            }
        }
        f
    }
    /// Starts a call with these values of the symbols; are they those of the last call?
    pub(crate) fn enter(&mut self, plan: &Compiled, syms: &[Option<i64>]) -> bool {
        let again = self.ready && self.env.syms == syms;
        if again && plan.by_exist.is_empty() {
            return true;
        }
        self.env.syms.clear();
        self.env.syms.extend_from_slice(syms);
        self.env.exists.clear();
        self.env.exists.resize(plan.by_exist.len(), None);
        for i in 0..plan.exts.len() {
            self.eval(plan, i as Ext);
        }
        self.ready = true;
        again
    }
    /// Are these arguments laid out as those of the last call? Then their addresses are taken over, and nothing else needs
    /// to be asked of them.
    pub(crate) fn same_arguments(&mut self, plan: &Compiled, args: &[Tensor]) -> bool {
        if !self.ready || !plan.by_exist.is_empty() || args.len() != plan.params.len() {
            return false;
        }
        for (&p, t) in plan.params.iter().zip(args) {
            let d = &plan.slots[p as usize];
            let (at, n, size) = (d.at as usize, d.dims.len(), d.dtype.size() as isize);
            // Element by element: `memcmp` of two empty slices may cost a hundred cycles, where it loads under an empty mask
            // from their addresses, which are none.
            let same = |a: &[usize], b: &[usize]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b);
            let strides = |a: &[isize], b: &[isize]| a.iter().zip(b).all(|(&a, &b)| a * size == b);
            if t.dtype() != d.dtype
                || !same(t.shape(), &self.dims[at..at + n])
                || !strides(t.strides(), &self.strides[at..at + n])
            {
                return false;
            }
            self.ptr[p as usize] = tensor_ptr(t);
        }
        true
    }
    /// Takes over addresses and strides of arguments that fit.
    pub(crate) fn arguments(&mut self, plan: &Compiled, args: &[Tensor]) {
        for (&p, t) in plan.params.iter().zip(args) {
            let d = &plan.slots[p as usize];
            self.ptr[p as usize] = tensor_ptr(t);
            for (to, s) in self.strides[d.at as usize..].iter_mut().zip(t.strides()) {
                *to = s * d.dtype.size() as isize;
            }
        }
    }
    fn eval(&mut self, plan: &Compiled, e: Ext) {
        let v = plan.exts[e as usize].eval(&self.env).unwrap_or(UNKNOWN);
        self.vals[e as usize] = v;
        let d = usize::try_from(v).unwrap_or(NO_DIM);
        for &u in &plan.users[e as usize] {
            self.dims[u as usize] = d;
        }
    }
    /// Binds an existential and evaluates what depends on it.
    pub(crate) fn bind(&mut self, plan: &Compiled, x: ExistId, value: i64) {
        self.env.bind(Atom::Exist(x), value);
        if let Some(list) = plan.by_exist.get(x.0 as usize) {
            for &e in list {
                self.eval(plan, e);
            }
        }
    }
    /// The value of an extent.
    pub(crate) fn ext(&self, plan: &Compiled, e: Ext) -> Result<i64> {
        match self.vals[e as usize] {
            UNKNOWN => plan.exts[e as usize].eval(&self.env),
            v => Ok(v),
        }
    }
    /// The value of an extent that counts something.
    pub(crate) fn count(&self, plan: &Compiled, e: Ext) -> Result<usize> {
        let v = self.ext(plan, e)?;
        if v < 0 { shapes::size(&plan.func, &plan.exts[e as usize], &self.env) } else { Ok(v as usize) }
    }
    /// Extents of a slot.
    pub(crate) fn dims(&self, plan: &Compiled, s: Slot) -> &[usize] {
        let d = &plan.slots[s as usize];
        &self.dims[d.at as usize..d.at as usize + d.dims.len()]
    }
    /// Byte strides of a slot.
    pub(crate) fn strides(&self, plan: &Compiled, s: Slot) -> &[isize] {
        let d = &plan.slots[s as usize];
        &self.strides[d.at as usize..d.at as usize + d.dims.len()]
    }
    /// A slot as a strided view.
    pub(crate) fn at(&self, plan: &Compiled, s: Slot) -> At<'_> {
        At { ptr: self.ptr[s as usize], strides: self.strides(plan, s) }
    }
    /// Number of elements of a slot; an error where an extent is negative or the count does not fit.
    pub(crate) fn len(&self, plan: &Compiled, s: Slot) -> Result<usize> {
        let d = self.dims(plan, s);
        if d.contains(&NO_DIM) {
            for &e in &plan.slots[s as usize].dims {
                self.count(plan, e)?;
            }
        }
        let mut n = 1usize;
        for &x in d {
            n = n.saturating_mul(x);
        }
        if n > isize::MAX as usize / 16 {
            return tfc_ir::tensor::element_count(d);
        }
        Ok(n)
    }
    /// Memory of a storage for `len` elements, and whether its pages have been written before.
    /// Where there are none, an address that faults when it is touched: nothing may.
    pub(crate) fn memory(&mut self, plan: &Compiled, ctx: &mut Ctx, r: Store, len: usize) -> Result<(Ptr, bool)> {
        if len == 0 {
            return Ok((Ptr::NOTHING, true));
        }
        let st = &plan.stores[r as usize];
        let bytes = len * st.size;
        let vals = &self.vals;
        let shape = std::fmt::from_fn(|f| {
            let dims: Vec<i64> = st.dims.iter().map(|&e| vals[e as usize]).collect();
            write!(f, "{}{dims:?}", st.dtype)
        });
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
        let old = b.capacity();
        if old < bytes {
            ctx.mem.change(bytes, old, shape)?;
            self.moved += 1;
        }
        let p = b.ensure(bytes)?;
        Ok((p, b.warm(bytes)))
    }
    /// Gives a slot its memory and strides before a step computes it.
    pub(crate) fn place(&mut self, plan: &Compiled, ctx: &mut Ctx, s: Slot) -> Result<()> {
        let d = &plan.slots[s as usize];
        if d.over != NONE {
            self.ptr[s as usize] = self.ptr[d.over as usize];
            self.warm[s as usize] = true;
            let from = plan.slots[d.over as usize].at as usize;
            self.strides.copy_within(from..from + d.dims.len(), d.at as usize);
            return Ok(());
        }
        let n = self.len(plan, s)?;
        if let Place::Own(r) = d.place {
            if d.donor != NONE && self.donate(plan, s, r, d.donor, n) {
                return Ok(());
            }
            let mut order = std::mem::take(&mut self.order);
            self.dense(plan, s, d.like, &mut order);
            self.order = order;
            (self.ptr[s as usize], self.warm[s as usize]) = self.memory(plan, ctx, r, n)?;
        }
        Ok(())
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
    /// Dense strides for a slot, in the axis order of `like` (or the first axis fastest).
    pub(crate) fn dense(&mut self, plan: &Compiled, s: Slot, like: Slot, order: &mut Vec<usize>) {
        let d = &plan.slots[s as usize];
        let (at, n) = (d.at as usize, d.dims.len());
        let mut model = std::mem::take(&mut self.flat);
        model.clear();
        if like != NONE {
            model.extend_from_slice(self.strides(plan, like));
        }
        let known = (like != NONE).then_some(&model[..]);
        strides_like(&self.dims[at..at + n], known, d.dtype.size(), order, &mut self.strides[at..at + n]);
        self.flat = model;
    }
    /// Makes slot `dst` mean what `src` means.
    pub(crate) fn alias(&mut self, plan: &Compiled, dst: Slot, src: Slot) {
        if dst != src {
            self.ptr[dst as usize] = self.ptr[src as usize];
            let (a, b) = (&plan.slots[src as usize], plan.slots[dst as usize].at as usize);
            self.strides.copy_within(a.at as usize..a.at as usize + a.dims.len(), b);
        }
    }
    /// Copies the elements of `src` to a place with these strides.
    pub(crate) fn copy_to(&mut self, plan: &Compiled, ctx: &Ctx, src: Slot, dst: At) {
        let mut space = std::mem::take(&mut self.space);
        let size = plan.slots[src as usize].dtype.size();
        // SAFETY: `dst` is storage of a slot of the same shape, which no live slot that `src` views shares.
        unsafe { crate::cpu::copy::copy_nd(ctx.pool, &mut space, self.dims(plan, src), dst, self.at(plan, src), size) };
        self.space = space;
    }
    /// Results against the header's types, whose existentials are a pack of their own.
    pub(crate) fn check_header(&mut self, plan: &Compiled) -> Result<()> {
        if !plan.open_header {
            return Ok(());
        }
        let f = &plan.func;
        let mut env = self.env.clone();
        shapes::unbind(f, tfc_ir::Binder::Header, &mut env);
        for (t, &s) in f.result_types.iter().zip(&plan.results) {
            shapes::bind_from_shape(t, self.dims(plan, s), &mut env);
        }
        for (i, (t, &s)) in f.result_types.iter().zip(&plan.results).enumerate() {
            let want = shapes::shape(f, t, &env)?;
            if want != self.dims(plan, s) {
                let text =
                    format!("result {i} of @{} has shape {:?}, its type says {want:?}", f.name, self.dims(plan, s));
                return Err(Error::new("E0421", text));
            }
        }
        for c in f.wheres.iter().filter(|c| shapes::is_open(c)) {
            shapes::check(f, &env, c, "E0421", &format!("`where` on the results of @{}", f.name), f.span)?;
        }
        Ok(())
    }
}
/// Where an address lies in a tensor's storage: the number of the element.
pub(crate) fn holds(t: &Tensor, p: Ptr) -> Option<usize> {
    let size = t.dtype().size();
    let base = tensor_ptr(t).0 as usize - t.offset() * size;
    let len = tfc_ir::with_dtype!(t.dtype(), T => t.storage::<T>().map_or(0, <[T]>::len), _ => 0);
    let at = (p.0 as usize).checked_sub(base)?;
    (at < len * size).then_some(at / size)
}
