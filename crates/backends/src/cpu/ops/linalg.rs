//! Linear algebra in plans: one matrix at a time on strided slots, in memory that each thread keeps. A batch is shared out
//! by matrices, each of which one thread computes: the bits do not depend on how many there are.
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use faer::dyn_stack::MemStack;
use faer::{MatMut, MatRef};
use tfc_ir::ops::linalg::Triangular;
use tfc_ir::{C32, C64, DType, Result, ops};

use super::Rows;
use crate::cpu::compiled::Compiled;
use crate::cpu::kernel::{Kernel, KernelCx, Site};
use crate::cpu::machine::mem::{Ptr, with_scratch};
use crate::cpu::run::frame::{Ctx, Frame};
use crate::linalg::{self, Failed, Field, Kind};
use crate::plan::Slot;

/// Kernels of the family.
pub(crate) const CORE: Rows = &[
    (&ops::linalg::SVD, |s| factor(s, Kind::Svd)),
    (&ops::linalg::QR, |s| factor(s, Kind::Qr)),
    (&ops::linalg::QR_PIVOTED, |s| factor(s, Kind::QrPivoted)),
    (&ops::linalg::EIGH, |s| factor(s, Kind::Eigh(s.attrs().word("order") == Some("modulus")))),
    (&ops::linalg::TRIANGULAR_SOLVE, |s| factor(s, Kind::Triangular(Triangular::of(s.attrs())))),
];

fn factor(site: &Site, kind: Kind) -> Result<Arc<dyn Kernel>> {
    Ok(Arc::new(Factor { kind, nan: site.attrs().word("on_fail") == Some("nan") }))
}

/// A factorisation.
#[derive(Debug)]
struct Factor {
    kind: Kind,
    /// Gives NaN where it fails.
    nan: bool,
}
/// A strided matrix: address, byte strides, extents.
#[derive(Clone, Copy, Debug)]
struct Raw {
    ptr: Ptr,
    row: isize,
    col: isize,
    dims: [usize; 2],
}
impl Raw {
    /// Reads it.
    ///
    /// # Safety
    /// It lies in memory that nobody writes meanwhile, with elements of type `T`.
    unsafe fn read<'a, T>(self) -> MatRef<'a, T> {
        let z = size_of::<T>() as isize;
        // SAFETY: by contract; strides of slots are multiples of the size of an element.
        unsafe {
            MatRef::from_raw_parts(
                self.ptr.0.cast_const().cast(),
                self.dims[0],
                self.dims[1],
                self.row / z,
                self.col / z,
            )
        }
    }
    /// Writes it.
    ///
    /// # Safety
    /// It lies in memory that nobody else reads or writes meanwhile, with elements of type `T`.
    unsafe fn write<'a, T>(self) -> MatMut<'a, T> {
        let z = size_of::<T>() as isize;
        // SAFETY: by contract; strides of slots are multiples of the size of an element.
        unsafe { MatMut::from_raw_parts_mut(self.ptr.0.cast(), self.dims[0], self.dims[1], self.row / z, self.col / z) }
    }
    /// Fills it.
    ///
    /// # Safety
    /// As [`Raw::write`].
    unsafe fn fill<T: Copy>(self, x: T) {
        // SAFETY: passed on.
        let mut m = unsafe { self.write::<T>() };
        for j in 0..m.ncols() {
            for i in 0..m.nrows() {
                m[(i, j)] = x;
            }
        }
    }
}
/// The matrices of a slot.
#[derive(Clone, Debug)]
struct Stack {
    first: Raw,
    batch: Vec<(usize, isize)>,
}
impl Stack {
    /// Slot `s`; vectors are matrices of one column. `rank` is that of one element of the batch.
    fn of(frame: &Frame, plan: &Compiled, s: Slot, rank: usize) -> Stack {
        let (at, dims) = (frame.at(plan, s), frame.dims(plan, s));
        let axis = |i: usize| if i < rank { (dims[i], at.strides[i]) } else { (1, 0) };
        let ((m, row), (n, col)) = (axis(0), axis(1));
        let batch = dims.iter().copied().zip(at.strides.iter().copied()).skip(rank).collect();
        Stack { first: Raw { ptr: at.ptr, row, col, dims: [m, n] }, batch }
    }
    fn len(&self) -> usize {
        self.batch.iter().fold(1, |n, b| n.saturating_mul(b.0))
    }
    /// The index of matrix `i`, first batch axis fastest.
    fn index(&self, mut i: usize) -> Vec<usize> {
        let mut out = vec![];
        for &(n, _) in &self.batch {
            out.push(i % n);
            i /= n;
        }
        out
    }
    fn at(&self, mut i: usize) -> Raw {
        let mut offset = 0;
        for &(n, step) in &self.batch {
            offset += (i % n) as isize * step;
            i /= n;
        }
        Raw { ptr: self.first.ptr.at(offset), ..self.first }
    }
}

impl Kernel for Factor {
    fn scratch(&self, _: &Site) -> Option<usize> {
        None
    }
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, args, dsts) = cx.all();
        let Some(&a) = args.first() else { return Ok(()) };
        match plan.slots[a as usize].dtype {
            DType::F32 => self.all::<f32>(frame, plan, ctx, args, dsts),
            DType::F64 => self.all::<f64>(frame, plan, ctx, args, dsts),
            DType::C32 => self.all::<C32>(frame, plan, ctx, args, dsts),
            DType::C64 => self.all::<C64>(frame, plan, ctx, args, dsts),
            d => Err(crate::kernels::unsupported(d)),
        }
    }
}
impl Factor {
    fn all<T: Field>(&self, frame: &Frame, plan: &Compiled, ctx: &mut Ctx, args: &[Slot], dsts: &[Slot]) -> Result<()> {
        let ins: Vec<Stack> = args.iter().map(|&s| Stack::of(frame, plan, s, 2)).collect();
        let Some(a) = ins.first() else { return Ok(()) };
        let batch = a.batch.len();
        let outs: Vec<Stack> =
            dsts.iter().map(|&d| Stack::of(frame, plan, d, frame.dims(plan, d).len() - batch)).collect();
        let [m, n] = a.first.dims;
        let bytes = self.kind.scratch::<T>(m, n).unaligned_bytes_required();
        // One thread's; others have as much.
        ctx.mem.change(bytes, 0, self.kind.name())?;
        ctx.mem.change(0, bytes, self.kind.name())?;
        let (first, full) = (AtomicUsize::new(usize::MAX), AtomicUsize::new(0));
        let one = |i: usize| {
            let done = with_scratch(bytes, |p| {
                // SAFETY: the scratch holds that many bytes and is this call's alone.
                let memory = unsafe { std::slice::from_raw_parts_mut(p.0.cast::<MaybeUninit<u8>>(), bytes) };
                let ins: Vec<Raw> = ins.iter().map(|o| o.at(i)).collect();
                let outs: Vec<Raw> = outs.iter().map(|o| o.at(i)).collect();
                // SAFETY: the operands' matrices are only read; results are placed, disjoint, and matrix `i` of each is
                // written by this call alone.
                unsafe { self.one::<T>(&ins, &outs, MemStack::new(memory)) }
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
        ctx.pool.run(a.len(), work.saturating_mul(a.len() as u64), one);
        match (full.into_inner(), first.into_inner()) {
            (0, usize::MAX) => Ok(()),
            (0, _) if self.nan => Ok(()),
            (0, i) => Err(self.kind.failed(Some(&a.index(i)))),
            (bytes, _) => Err(crate::cpu::machine::mem::Buf::exhausted(bytes)),
        }
    }
    /// # Safety
    /// `ins` are readable, `outs` are writable by this call alone; their element types and extents are those of the op.
    unsafe fn one<T: Field>(&self, ins: &[Raw], outs: &[Raw], stack: &mut MemStack) -> std::result::Result<(), Failed> {
        // SAFETY: by contract; values of factorisations are real, permutations i64.
        unsafe {
            let r = match (self.kind, ins, outs) {
                (Kind::Svd, &[a], &[u, s, vt]) => {
                    linalg::svd::<T>(a.read(), u.write(), s.write::<T::Part>(), vt.write(), stack)
                }
                (Kind::Qr, &[a], &[q, r]) => linalg::qr::<T>(a.read(), q.write(), r.write(), None, stack),
                (Kind::QrPivoted, &[a], &[q, r, p]) => {
                    linalg::qr::<T>(a.read(), q.write(), r.write(), Some(p.write()), stack)
                }
                (Kind::Eigh(by_modulus), &[a], &[w, v]) => {
                    linalg::eigh::<T>(a.read(), w.write::<T::Part>(), v.write(), by_modulus, stack)
                }
                (Kind::Triangular(t), &[a, b], &[x]) => {
                    linalg::triangular_solve::<T>(a.read(), b.read(), x.write(), t);
                    Ok(())
                }
                _ => Err(Failed),
            };
            if r.is_err() && self.nan {
                match (self.kind, outs) {
                    (Kind::Svd, &[u, s, vt]) => {
                        u.fill(T::nan());
                        s.fill(T::part_nan());
                        vt.fill(T::nan());
                    }
                    (Kind::Qr | Kind::QrPivoted, &[q, r, ref p @ ..]) => {
                        q.fill(T::nan());
                        r.fill(T::nan());
                        p.iter().for_each(|p| p.fill(0i64));
                    }
                    (Kind::Eigh(_), &[w, v]) => {
                        w.fill(T::part_nan());
                        v.fill(T::nan());
                    }
                    _ => {}
                }
            }
            r
        }
    }
}
