//! Linear algebra in plans: on strided slots, in memory that each thread keeps, one matrix at a time or, of small ones, as many
//! as a vector has lanes. A batch is shared out by matrices or by such groups, each of which one thread computes, and a
//! matrix has the same bits in any group: they do not depend on how many threads there are.
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use faer::Par;
use faer::dyn_stack::MemStack;
use tfc_ir::{DType, OpDef, Result};

use super::{Make, Rows, misfit};
use crate::compiled::Compiled;
use crate::kernel::{Bound, Kernel, KernelCx, Site};
use crate::machine::mem::{Buf, Ptr, with_scratch};
use crate::run::frame::Frame;
use tfc_kernels::linalg::{ALL, Factor, Failed, Group, In, LANES, MOST, Many, Out, Raw};
use tfc_plan::plan::Slot;

/// Kernels of the family: one for each factorisation that there is.
pub(crate) const CORE: Rows = &{
    let mut rows: [(&'static OpDef, Make); ALL.len()] = [(ALL[0].row, factor); ALL.len()];
    let mut i = 0;
    while i < ALL.len() {
        rows[i].0 = ALL[i].row;
        i += 1;
    }
    rows
};

fn factor(site: &Site) -> Result<Arc<dyn Kernel>> {
    let dtype = site.operand(0).ok_or_else(|| misfit(site))?.dtype;
    Ok(Arc::new(Factored(Arc::new(Factor::of(site.op().def, site.attrs(), dtype)?))))
}

/// Groups of small matrices that a thread takes at once.
const PART: usize = 4;

/// A factorisation of each matrix of a batch.
#[derive(Debug)]
struct Factored(Arc<Factor>);
/// The same, bound to extents and strides.
#[derive(Debug)]
struct Stacks {
    factor: Arc<Factor>,
    ins: Vec<Stack>,
    outs: Vec<Stack>,
    /// Bytes of scratch memory of a thread.
    bytes: usize,
}
/// The matrices of a slot.
#[derive(Clone, Debug)]
struct Stack {
    slot: Slot,
    dtype: DType,
    first: Ptr,
    dims: [usize; 2],
    strides: [isize; 2],
    batch: Vec<(usize, isize)>,
}
impl Stack {
    /// Slot `s`; vectors are matrices of one column. `rank` is that of one element of the batch.
    fn of(frame: &Frame, plan: &Compiled, s: Slot, rank: usize) -> Stack {
        let (at, dims) = (frame.at(plan, s), frame.dims(plan, s));
        let axis = |i: usize| if i < rank { (dims[i], at.strides[i]) } else { (1, 0) };
        let ((m, row), (n, col)) = (axis(0), axis(1));
        let batch = dims.iter().copied().zip(at.strides.iter().copied()).skip(rank).collect();
        let dtype = plan.slots[s as usize].dtype;
        Stack { slot: s, dtype, first: at.ptr, dims: [m, n], strides: [row, col], batch }
    }
    fn len(&self) -> usize {
        self.batch.iter().fold(1, |n, b| n.saturating_mul(b.0))
    }
    /// Matrix `i`, first batch axis fastest.
    fn at(&self, i: usize) -> Raw {
        Raw { address: self.address(i), dims: self.dims, strides: self.strides }
    }
    /// Address of the first element of matrix `i`.
    fn address(&self, mut i: usize) -> *mut u8 {
        let mut offset = 0;
        for &(n, step) in &self.batch {
            offset += (i % n) as isize * step;
            i /= n;
        }
        self.first.at(offset).0
    }
    /// Addresses of none of the matrices.
    fn none(&self) -> Many {
        Many { dims: self.dims, strides: self.strides, ..Many::NONE }
    }
    /// `count` matrices from matrix `i` on.
    fn some(&self, i: usize, count: usize, to: &mut Many) {
        let (n, step) = self.batch.first().copied().unwrap_or((1, 0));
        let (mut along, mut at) = (i % n, self.address(i));
        for (l, p) in to.first.iter_mut().take(count).enumerate() {
            if along == n {
                (along, at) = (0, self.address(i + l));
            }
            *p = at;
            (along, at) = (along + 1, at.wrapping_offset(step));
        }
    }
}

impl Kernel for Factored {
    fn scratch(&self, _: &Site) -> Option<usize> {
        None
    }
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        self.stacks(cx).map_or(Ok(()), |s| s.run_all(cx))
    }
    fn bind(&self, cx: &mut KernelCx) -> Result<Option<Box<dyn Bound>>> {
        Ok(self.stacks(cx).map(|s| -> Box<dyn Bound> { Box::new(s) }))
    }
}
impl Factored {
    /// The matrices of the slots as they lie; `None` where there is no operand.
    fn stacks(&self, cx: &mut KernelCx) -> Option<Stacks> {
        let (frame, plan, _, args, dsts) = cx.all();
        // One operand at least is a matrix: what it has beyond two axes is the batch.
        let batch = args.iter().map(|&s| frame.dims(plan, s).len()).max().unwrap_or(2) - 2;
        let stack = |&s: &Slot| Stack::of(frame, plan, s, frame.dims(plan, s).len() - batch);
        let ins: Vec<Stack> = args.iter().map(stack).collect();
        let [m, n] = ins.first()?.dims;
        let bytes = self.0.scratch(m, n).unaligned_bytes_required();
        Some(Stacks { factor: self.0.clone(), ins, outs: dsts.iter().map(stack).collect(), bytes })
    }
}
impl Bound for Stacks {
    fn run(&mut self, cx: &mut KernelCx) -> Result<()> {
        for s in self.ins.iter_mut().chain(&mut self.outs) {
            s.first = cx.frame.ptr[s.slot as usize];
        }
        self.run_all(cx)
    }
}
impl Stacks {
    fn run_all(&self, cx: &mut KernelCx) -> Result<()> {
        let Stacks { factor: f, ins, outs, bytes } = self;
        let (bytes, Some(a)) = (*bytes, ins.first()) else { return Ok(()) };
        let (.., ctx, _, _) = cx.all();
        let [m, n] = a.dims;
        // One thread's; others have as much.
        ctx.mem.change(bytes, 0, f.name())?;
        ctx.mem.change(0, bytes, f.name())?;
        let (first, full) = (AtomicUsize::new(usize::MAX), AtomicUsize::new(0));
        let one = |i: usize, par: Par| {
            let done = with_scratch(bytes, |p| {
                // SAFETY: the scratch holds that many bytes and is this call's alone.
                let memory = unsafe { std::slice::from_raw_parts_mut(p.0.cast::<MaybeUninit<u8>>(), bytes) };
                // SAFETY: the operands' matrices are only read; results are placed, disjoint, and matrix `i` of each is
                // written by this call alone; the dtypes are those of the slots.
                let matrices = unsafe { matrices(ins, outs, i) };
                let (ins, mut outs) = matrices.ok_or(Failed)?;
                // SAFETY: they are the op's operands and results, which verification has seen to.
                unsafe { f.share(&ins, &mut outs, par, MemStack::new(memory)) }
            });
            match done {
                Ok(Ok(())) => {}
                Ok(Err(Failed)) => {
                    first.fetch_min(i, Ordering::Relaxed);
                }
                Err(_) => {
                    full.store(bytes, Ordering::Relaxed);
                }
            }
        };
        // About 20 flops an element and column, at a few per nanosecond.
        let work = (m as u64).saturating_mul(n as u64).saturating_mul(m.min(n) as u64).saturating_mul(8);
        let (count, work) = (a.len(), work.saturating_mul(a.len() as u64));
        let width = f.width(ins.iter().map(|x| x.dims)).filter(|_| ins.len() <= MOST && outs.len() <= MOST);
        match width.map(|w| w.min(LANES)) {
            // One large matrix is shared inside, where its kernel can do that; several are handed out.
            None if count == 1 => ctx.pool.library(work, |par| one(0, par)),
            None => ctx.pool.run(count, work, |i| one(i, Par::Seq)),
            Some(width) => {
                let groups = count.div_ceil(width);
                let some = |part: usize| {
                    let (mut operands, mut results) = ([Many::NONE; MOST], [Many::NONE; MOST]);
                    operands.iter_mut().zip(ins).for_each(|(to, x)| *to = x.none());
                    results.iter_mut().zip(outs).for_each(|(to, x)| *to = x.none());
                    let mut left = [0; PART];
                    let firsts = (part * PART..groups.min((part + 1) * PART)).map(|g| g * width);
                    let done = with_scratch(bytes, |p| {
                        for (from, left) in firsts.clone().zip(&mut left) {
                            let here = width.min(count - from);
                            operands.iter_mut().zip(ins).for_each(|(to, x)| x.some(from, here, to));
                            results.iter_mut().zip(outs).for_each(|(to, x)| x.some(from, here, to));
                            let (ins, outs) = (&operands[..ins.len()], &results[..outs.len()]);
                            // SAFETY: the scratch holds that many bytes and is this call's alone.
                            let memory =
                                unsafe { std::slice::from_raw_parts_mut(p.0.cast::<MaybeUninit<u8>>(), bytes) };
                            // SAFETY: the operands' matrices are only read; results are placed, disjoint, and the matrices of this
                            // group are written by this call alone; the dtypes and extents are those of the slots.
                            *left = unsafe { f.run_many(&Group { ins, outs, count: here }, MemStack::new(memory)) };
                        }
                    });
                    if done.is_err() {
                        full.store(bytes, Ordering::Relaxed);
                    }
                    for (from, left) in firsts.zip(left) {
                        (0..LANES).filter(|l| left >> l & 1 == 1).for_each(|l| one(from + l, Par::Seq));
                    }
                };
                ctx.pool.run(groups.div_ceil(PART), work, some);
            }
        }
        match (full.into_inner(), first.into_inner()) {
            (0, usize::MAX) => Ok(()),
            (0, i) => {
                // SAFETY: the operands' matrices are only read, and every thread has ended.
                let operands = unsafe { matrices(ins, &[], i) };
                let operands = operands.as_ref().map(|m| m.0.as_slice());
                Err(f.failed(&a.batch.iter().map(|b| b.0).collect::<Vec<_>>(), i, operands))
            }
            (bytes, _) => Err(Buf::exhausted(bytes)),
        }
    }
}
/// Matrix `i` of each operand and result.
///
/// # Safety
/// While they live, nobody writes the operands' matrices, and nobody else reads or writes those of the results.
unsafe fn matrices<'a>(ins: &[Stack], outs: &[Stack], i: usize) -> Option<(Vec<In<'a>>, Vec<Out<'a>>)> {
    // SAFETY: by contract; strides of slots are multiples of the size of an element.
    let read = |s: &Stack| unsafe { In::raw(s.dtype, s.at(i)) };
    // SAFETY: as above.
    let write = |s: &Stack| unsafe { Out::raw(s.dtype, s.at(i)) };
    Some((ins.iter().map(read).collect::<Option<_>>()?, outs.iter().map(write).collect::<Option<_>>()?))
}
