//! The state of a call: what is known of sizes, where each slot's elements are on the device, what has been allocated.
use std::collections::BTreeMap;

use tfc_engine::{Limits, Printing};
use tfc_ir::{Code, DType, Error, Result, Tensor, with_dtype};
use tfc_plan::plan::sizes::Sizes;
use tfc_plan::plan::*;

use super::pending::Pending;
use crate::device::{Device, Module, Ptr};
use crate::program::CompiledFunction;
use crate::rehearsal::AllTaken;

/// Buffers that an error names, at most.
const MOST_LINES: usize = 12;

/// What steps share.
pub struct Ctx<'a> {
    /// The device.
    pub device: &'a dyn Device,
    /// The kernels, loaded.
    pub module: &'a dyn Module,
    /// Functions that are called.
    pub all: &'a [CompiledFunction],
    /// Their constants on the device.
    pub consts: &'a [Vec<Ptr>],
    /// Limits and outlets of the call.
    pub limits: &'a Limits,
    /// Where the call prints.
    pub print: Option<Printing>,
    /// Trips of loops that may still begin.
    pub fuel: Option<u64>,
    /// Bytes on the device, now and at most.
    pub memory: Memory,
    /// How often the host has waited for something that it needs to go on.
    pub waits: usize,
    /// Where somebody wants to know it: what the regions of that function start.
    pub taken: Option<(&'a CompiledFunction, AllTaken)>,
}
/// Bytes on the device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// Now.
    pub now: usize,
    /// The most so far.
    pub peak: usize,
}
impl<'a> Ctx<'a> {
    /// The constants of a function.
    pub fn consts(&self, f: usize) -> &'a [Ptr] {
        self.consts.get(f).map_or(&[], Vec::as_slice)
    }
    /// Copies to the host, which needs it to go on.
    ///
    /// # Errors
    /// What the device reports.
    pub fn download(&mut self, from: Ptr, to: &mut [u8]) -> Result<()> {
        self.waits += 1;
        self.device.download(from, to)
    }
    /// Memory for that many bytes.
    ///
    /// # Errors
    /// `E0715` beyond the limit of the call, `E0705` where there is none; `E0714` where its time is over.
    pub fn alloc(&mut self, bytes: usize) -> Result<Ptr> {
        let budget = &self.limits.budget;
        budget.check()?;
        let next = self.memory.now.saturating_add(bytes);
        if let Some(l) = budget.limits().memory
            && next.saturating_add(budget.bytes()) > l
        {
            return Err(Error::new(
                Code::E0715,
                format!("{bytes} bytes on the device would exceed the memory limit of {l} bytes"),
            )
            .note(format!("{} bytes are in use", self.memory.now.saturating_add(budget.bytes()))));
        }
        let p = self.device.alloc(bytes)?;
        self.memory.now = next;
        self.memory.peak = self.memory.peak.max(next);
        Ok(p)
    }
    /// Gives it back.
    pub fn free(&mut self, p: Ptr, bytes: usize) {
        self.memory.now = self.memory.now.saturating_sub(bytes);
        self.device.free(p);
    }
    /// Takes `n` trips of a loop from what is left.
    ///
    /// # Errors
    /// `E0713` where there are not so many; `E0714` where the time of the call is over.
    pub fn spend(&mut self, n: u64) -> Result<()> {
        self.limits.budget.check()?;
        match &mut self.fuel {
            Some(left) if *left < n => {
                let text =
                    format!("the loops of the run take more than {} trips", self.limits.fuel.unwrap_or_default());
                Err(Error::new(Code::E0713, text)
                    .help("raise the limit on steps, or look for a loop that does not end"))
            }
            Some(left) => {
                *left -= n;
                Ok(())
            }
            None => Ok(()),
        }
    }
}
/// Memory of a frame.
#[derive(Debug, Default)]
pub struct Held {
    /// Buffers.
    bufs: Vec<Buf>,
    /// Escaping storages, by number of storage.
    outs: BTreeMap<Store, Buf>,
    /// Scratch of steps.
    scratch: Vec<Buf>,
}
impl Held {
    /// What was allocated: addresses and bytes.
    pub fn all(&mut self) -> Vec<Buf> {
        let outs = std::mem::take(&mut self.outs).into_values();
        self.bufs.drain(..).chain(outs).chain(self.scratch.drain(..)).filter(|b| b.bytes > 0).collect()
    }
}
/// Memory that grows where it has to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Buf {
    /// Where it is.
    pub at: Ptr,
    /// How many bytes it has.
    pub bytes: usize,
}
/// A slot's elements.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The first.
    pub ptr: Ptr,
    /// Bytes from one to the next along each axis.
    pub strides: &'a [isize],
}
/// State of a call.
pub struct Frame<'p> {
    /// The function.
    pub code: &'p CompiledFunction,
    /// Extents and strides.
    pub sizes: Sizes,
    /// Address of each slot.
    pub ptr: Vec<Ptr>,
    /// Memory.
    held: Held,
    /// Extents that the host does not know yet.
    pub(super) pending: Vec<Pending<'p>>,
}
impl<'p> Frame<'p> {
    /// A frame for a function, whose constants are there.
    pub fn new(code: &'p CompiledFunction, consts: &[Ptr]) -> Frame<'p> {
        Frame::with(code, consts, Held::default())
    }
    /// The same with memory that a frame of this function has had.
    pub fn with(code: &'p CompiledFunction, consts: &[Ptr], mut held: Held) -> Frame<'p> {
        let plan = &code.plan;
        let mut ptr = vec![Ptr::default(); plan.slots.len()];
        for (i, s) in plan.slots.iter().enumerate() {
            if let Place::Const(c) = s.place {
                ptr[i] = consts[c as usize];
            }
        }
        held.bufs.resize(plan.bufs, Buf::default());
        Frame { code, sizes: Sizes::new(plan), ptr, held, pending: vec![] }
    }
    /// Takes the frame's memory away.
    pub fn take(&mut self) -> Held {
        std::mem::take(&mut self.held)
    }
    /// The plan.
    pub fn plan(&self) -> &'p Plan {
        &self.code.plan
    }
    /// A slot's declaration.
    pub fn decl(&self, s: Slot) -> &'p SlotDecl {
        &self.plan().slots[s as usize]
    }
    /// Bytes of an element of a slot.
    pub fn size(&self, s: Slot) -> usize {
        self.decl(s).dtype.size()
    }
    /// Extents of a slot.
    pub fn dims(&self, s: Slot) -> &[usize] {
        self.sizes.dims(self.plan(), s)
    }
    /// Byte strides of a slot.
    pub fn strides(&self, s: Slot) -> &[isize] {
        self.sizes.strides(self.plan(), s)
    }
    /// Number of elements of a slot.
    ///
    /// # Errors
    /// `E042x` where an extent is negative, not known or too large.
    pub fn len(&self, s: Slot) -> Result<usize> {
        self.sizes.len(self.plan(), s)
    }
    /// A slot's elements.
    pub fn at(&self, s: Slot) -> At<'_> {
        At { ptr: self.ptr[s as usize], strides: self.strides(s) }
    }
    /// Gives all memory back.
    pub fn release(&mut self, ctx: &mut Ctx) {
        for b in self.held.all() {
            ctx.free(b.at, b.bytes);
        }
    }
    fn ensure(ctx: &mut Ctx, b: &mut Buf, bytes: usize) -> Result<()> {
        if b.bytes < bytes {
            if b.bytes > 0 {
                ctx.free(b.at, b.bytes);
                *b = Buf::default();
            }
            *b = Buf { at: ctx.alloc(bytes)?, bytes };
        }
        Ok(())
    }
    /// Memory of a storage for `len` elements.
    ///
    /// # Errors
    /// As [`Ctx::alloc`].
    pub fn memory(&mut self, ctx: &mut Ctx, r: Store, len: usize) -> Result<Ptr> {
        let st = &self.plan().stores[r as usize];
        if len == 0 {
            return Ok(Ptr::default());
        }
        let b = if st.escapes { self.held.outs.entry(r).or_default() } else { &mut self.held.bufs[st.buf as usize] };
        Self::ensure(ctx, b, len * st.size)?;
        Ok(b.at)
    }
    /// Memory of a storage for `len` elements, of which those in the first `keep` bytes stay what they are.
    ///
    /// # Errors
    /// As [`Ctx::alloc`].
    pub fn grow(&mut self, ctx: &mut Ctx, r: Store, bytes: usize, keep: usize) -> Result<Ptr> {
        let st = &self.plan().stores[r as usize];
        let old = if st.escapes {
            self.held.outs.get(&r).copied().unwrap_or_default()
        } else {
            self.held.bufs[st.buf as usize]
        };
        if old.bytes >= bytes {
            return Ok(old.at);
        }
        let new = Buf { at: ctx.alloc(bytes)?, bytes };
        if old.bytes > 0 {
            if keep > 0 {
                self.bytes(ctx, old.at, new.at, keep)?;
            }
            ctx.free(old.at, old.bytes);
        }
        if st.escapes {
            self.held.outs.insert(r, new);
        } else {
            self.held.bufs[st.buf as usize] = new;
        }
        Ok(new.at)
    }
    /// Bytes that a storage has.
    pub fn held(&self, r: Store) -> usize {
        let st = &self.plan().stores[r as usize];
        if st.escapes { self.held.outs.get(&r).map_or(0, |b| b.bytes) } else { self.held.bufs[st.buf as usize].bytes }
    }
    /// Scratch number `i` of a step, of at least that many bytes. Another step may have it next.
    ///
    /// # Errors
    /// As [`Ctx::alloc`].
    pub fn scratch(&mut self, ctx: &mut Ctx, i: usize, bytes: usize) -> Result<Ptr> {
        let all = &mut self.held.scratch;
        if all.len() <= i {
            all.resize(i + 1, Buf::default());
        }
        Self::ensure(ctx, &mut all[i], bytes.max(1))?;
        Ok(all[i].at)
    }
    /// Gives a slot its memory and strides before a step computes it.
    ///
    /// # Errors
    /// As [`Frame::memory`], [`Frame::len`].
    pub fn place(&mut self, ctx: &mut Ctx, s: Slot) -> Result<()> {
        let d = self.decl(s);
        if d.over != NONE {
            self.alias(s, d.over);
            return Ok(());
        }
        let n = self.len(s)?;
        if let Place::Own(r) = d.place {
            self.sizes.dense(self.plan(), s, d.like);
            self.ptr[s as usize] = self.memory(ctx, r, n)?;
        }
        Ok(())
    }
    /// Makes slot `dst` mean what `src` means.
    pub fn alias(&mut self, dst: Slot, src: Slot) {
        if dst != src {
            self.ptr[dst as usize] = self.ptr[src as usize];
            let plan = self.plan();
            self.sizes.lay_over(plan, dst, src);
        }
    }
    /// Says where a slot is.
    pub fn set(&mut self, s: Slot, p: Ptr, strides: &[isize]) {
        self.ptr[s as usize] = p;
        let plan = self.plan();
        self.sizes.strides_mut(plan, s).copy_from_slice(strides);
    }
    /// The first bytes of a slot, once they are computed.
    ///
    /// # Errors
    /// What the device reports.
    pub fn read<const N: usize>(&self, ctx: &mut Ctx, s: Slot) -> Result<[u8; N]> {
        let mut b = [0; N];
        ctx.download(self.ptr[s as usize], &mut b)?;
        Ok(b)
    }
    /// A flag.
    ///
    /// # Errors
    /// As [`Frame::read`].
    pub fn flag(&self, ctx: &mut Ctx, s: Slot) -> Result<bool> {
        Ok(self.read::<1>(ctx, s)? != [0])
    }
    /// An integer scalar; `u64` beyond `i64` saturates.
    ///
    /// # Errors
    /// As [`Frame::read`].
    pub fn scalar(&self, ctx: &mut Ctx, s: Slot) -> Result<i64> {
        let d = self.decl(s).dtype;
        let mut b = [0; 8];
        let b = &mut b[..d.size().min(8)];
        ctx.download(self.ptr[s as usize], b)?;
        Ok(integer(d, b))
    }
    /// The frame's memory for people: the largest buffers, with what is in them, and their sum.
    pub fn table(&self) -> String {
        let plan = self.plan();
        let mut all: BTreeMap<(bool, u32), (usize, Vec<&str>)> = BTreeMap::new();
        for s in &plan.slots {
            let Place::Own(r) = s.place else { continue };
            let st = &plan.stores[r as usize];
            let (key, bytes) = match st.escapes {
                true => ((true, r), self.held.outs.get(&r).map_or(0, |b| b.bytes)),
                false => ((false, st.buf), self.held.bufs.get(st.buf as usize).map_or(0, |b| b.bytes)),
            };
            let e = all.entry(key).or_insert((bytes, vec![]));
            if !e.1.contains(&&*s.name) {
                e.1.push(&s.name);
            }
        }
        let scratch: usize = self.held.scratch.iter().map(|b| b.bytes).sum();
        let total: usize = all.values().map(|b| b.0).sum::<usize>() + scratch;
        let mut lines: Vec<(usize, String)> = all
            .into_values()
            .filter(|b| b.0 > 0)
            .map(|(bytes, names)| (bytes, format!("{bytes:>14}  {}", names.join(", "))))
            .collect();
        if scratch > 0 {
            lines.push((scratch, format!("{scratch:>14}  scratch of steps")));
        }
        // The largest first; of equal ones, in the order of the plan.
        lines.sort_by_key(|l| std::cmp::Reverse(l.0));
        let more = lines.len().saturating_sub(MOST_LINES);
        let mut text = format!("buffers of @{} on the device, {total} bytes in all:", plan.func.name);
        lines.iter().take(MOST_LINES).for_each(|l| text += &format!("\n{}", l.1));
        if more > 0 {
            text += &format!("\nand {more} more");
        }
        text
    }
    /// Where a slot's elements lie one after the other, the first axis fastest: where it is, or a copy in scratch number `i`.
    ///
    /// # Errors
    /// `E0705` where there is no memory; what the device reports.
    pub fn dense(&mut self, ctx: &mut Ctx, s: Slot, i: usize) -> Result<Ptr> {
        let (n, size, dims) = (self.len(s)?, self.size(s), self.dims(s).to_vec());
        if n == 0 {
            return Ok(Ptr::default());
        }
        let dense: Vec<isize> = tfc_ir::tensor::column_major(&dims).iter().map(|x| x * size as isize).collect();
        let same = dims.iter().zip(self.strides(s).iter().zip(&dense)).all(|(&n, (a, b))| n == 1 || a == b);
        if same {
            return Ok(self.ptr[s as usize]);
        }
        let p = self.scratch(ctx, i, n * size)?;
        self.copy_to(ctx, s, At { ptr: p, strides: &dense })?;
        Ok(p)
    }
    /// A slot's elements as a tensor of the host, the first axis fastest.
    ///
    /// # Errors
    /// As [`Frame::dense`].
    pub fn tensor(&mut self, ctx: &mut Ctx, s: Slot) -> Result<Tensor> {
        ctx.waits += 1;
        let from = self.dense(ctx, s, 0)?;
        download(ctx.device, from, self.decl(s).dtype, self.dims(s))
    }
}
/// A tensor of elements that lie one after the other on the device.
///
/// # Errors
/// `E0705` where there is no memory; what the device reports.
pub fn download(device: &dyn Device, from: Ptr, dtype: DType, dims: &[usize]) -> Result<Tensor> {
    let n: usize = dims.iter().product();
    if n == 0 {
        return Tensor::zeros(dtype, dims);
    }
    let mut bytes = vec![0u8; n * dtype.size()];
    device.download(from, &mut bytes)?;
    from_bytes(dtype, dims, &bytes)
}
/// An integer or a flag of these bytes; `u64` beyond `i64` saturates.
pub(super) fn integer(d: DType, b: &[u8]) -> i64 {
    let (four, eight) = (b.first_chunk().copied().unwrap_or_default(), b.first_chunk().copied().unwrap_or_default());
    match d {
        DType::I32 => i64::from(i32::from_le_bytes(four)),
        DType::U32 => i64::from(u32::from_le_bytes(four)),
        DType::U64 => i64::try_from(u64::from_le_bytes(eight)).unwrap_or(i64::MAX),
        DType::Bool => i64::from(b.first().is_some_and(|&x| x != 0)),
        _ => i64::from_le_bytes(eight),
    }
}
/// The bytes of a tensor's elements and their place: from the lowest address that an element has, and how far behind it the first
/// element begins.
pub fn bytes_of(t: &Tensor) -> (Vec<u8>, isize) {
    let size = t.dtype().size();
    let (mut low, mut high) = (0isize, 0isize);
    if t.is_empty() {
        return (vec![], 0);
    }
    for (&n, &s) in t.shape().iter().zip(t.strides()) {
        let reach = (n as isize - 1) * s;
        low += reach.min(0);
        high += reach.max(0);
    }
    let first = (t.offset() as isize + low) as usize;
    let count = (high - low) as usize + 1;
    let bytes = with_dtype!(t.dtype(), T => {
        let all = t.storage::<T>().unwrap_or_default();
        let part = all.get(first..first + count).unwrap_or_default();
        // SAFETY: the bytes of numbers, all of them initialised.
        unsafe { std::slice::from_raw_parts(part.as_ptr().cast::<u8>(), size_of_val(part)) }.to_vec()
    });
    (bytes, -low * size as isize)
}
/// A real number of these bytes.
pub fn real(d: DType, b: &[u8]) -> f64 {
    match (d, b.first_chunk(), b.first_chunk()) {
        (DType::F32, Some(b), _) => f32::from_le_bytes(*b).into(),
        (_, _, Some(b)) => f64::from_le_bytes(*b),
        _ => f64::NAN,
    }
}
/// A tensor of these bytes, the first axis fastest.
fn from_bytes(d: DType, dims: &[usize], bytes: &[u8]) -> Result<Tensor> {
    with_dtype!(d, T => {
        let size = size_of::<T>();
        let mut v = vec![T::default(); bytes.len() / size];
        for (x, b) in v.iter_mut().zip(bytes.chunks_exact(size)) {
            if d == DType::Bool && b[0] > 1 {
                return Err(Error::bug(Code::E0718, "a kernel has written something that is no bool"));
            }
            // SAFETY: any bytes are a value of a number type, and 0 and 1 are those of `bool`.
            unsafe { std::ptr::copy_nonoverlapping(b.as_ptr(), std::ptr::from_mut(x).cast::<u8>(), size) };
        }
        Tensor::from_column_major(dims, v)
    })
}
