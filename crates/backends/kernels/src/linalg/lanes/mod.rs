//! Factorisations of many small real matrices at once: lane `l` of every vector belongs to matrix `l`, so that each step of a
//! textbook's algorithm is one instruction for as many matrices as a vector has lanes. What matrices do differently (pivots,
//! deflation, convergence) is a choice by lanes.
//!
//! No lane knows of the others: loops go on until the last lane is done, and change nothing of those that are. A matrix has
//! the same bits in any lane, beside any others, and alone, in vectors of one lane; and on every instruction set, for
//! vectors give the same bits on each ([`crate::vmath::v`]). Which matrices are small is said by their extents alone.
//!
//! A lane in which a matrix needs more care than this (elements that are not finite, a pivot that is 0, squares below the range of
//! numbers) is reported, and its matrix goes the way that larger ones go.
//!
//! No closures here: they are compiled without the instruction set of the function around them.
mod cholesky;
mod eigh;
mod grid;
mod lu;
mod qr;
mod svd;
#[cfg(debug_assertions)]
pub mod tests;
mod triangular;

pub(super) use cholesky::Cholesky;
pub(super) use eigh::Eigh;
pub(super) use lu::{Lu, Solve};
pub(super) use qr::{Packed, Qr};
pub(super) use svd::Svd;
pub(super) use triangular::Substitution;

use super::matrix::{Entry, LANES, Many};
use super::real::Real;
use crate::isa::Isa;
#[cfg(target_arch = "aarch64")]
use crate::vmath::neon;
use crate::vmath::one;
use crate::vmath::v::V;
#[cfg(target_arch = "x86_64")]
use crate::vmath::{avx2, avx512};
use std::fmt;

/// Extents up to which a matrix may be small. Above it a column fills vectors by itself, and a group of matrices leaves the nearest
/// cache.
pub(super) const SMALL: usize = 32;

/// What is factored at once: operands and results, of `count` matrices each.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// The operands.
    pub ins: &'a [Many],
    /// The results.
    pub outs: &'a [Many],
    /// How many matrices there are.
    pub count: usize,
}

/// What is done to the lanes of a group.
pub(super) trait Work: Copy + fmt::Debug + Send + Sync + 'static {
    /// Extents up to which this is worth it, also for a matrix alone; at most [`SMALL`].
    const LIMIT: usize = SMALL;
    /// Vectors of memory that it needs where operand 0 is `m × n`.
    fn vectors(&self, m: usize, n: usize) -> usize;
    /// Writes the results of each lane; gives the lanes (as bits) of which there are none, and nothing is written.
    ///
    /// # Safety
    /// As [`Block::run`], `memory` being zeros.
    unsafe fn run<T: V>(&self, group: &Group, memory: &mut [T]) -> u32
    where
        T::E: Real;
}
/// A factorisation of groups of matrices.
pub(super) trait Block: fmt::Debug + Send + Sync {
    /// The largest extent of an operand that it takes.
    fn limit(&self) -> usize;
    /// How many matrices it takes at once.
    fn width(&self) -> usize;
    /// Bytes of memory that it needs for a group of `count`.
    fn bytes(&self, m: usize, n: usize, count: usize) -> usize;
    /// Writes the results of each matrix; gives those (as bits) of which there are none, and nothing is written.
    ///
    /// # Safety
    /// There are as many operands and results as the op has, with its extents and element types; the matrices are readable and
    /// writable, nobody else writes them or reads results meanwhile; `memory` is writable for [`Block::bytes`], at a
    /// multiple of 64.
    unsafe fn run(&self, group: &Group, memory: *mut u8) -> u32;
}

type Entered<W> = unsafe fn(&W, &Group, *mut u8) -> u32;
/// Work on vectors of one lane, and on those of the instruction set.
#[derive(Clone, Copy)]
pub(super) struct Entries<W> {
    one: Entered<W>,
    all: Entered<W>,
    width: usize,
}
/// Elements of matrices that are factored by lanes.
pub(super) trait Lane: Real + Entry {
    /// The work for this machine.
    fn entries<W: Work>() -> Entries<W>;
}

#[derive(Clone, Copy)]
struct With<W, E> {
    work: W,
    entries: Entries<W>,
    element: std::marker::PhantomData<E>,
}
impl<W: Work, E: Lane> fmt::Debug for With<W, E> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?} of {} lanes", self.work, self.entries.width)
    }
}
/// That work, for this machine.
pub(super) fn block<W: Work, E: Lane>(work: W) -> Option<Box<dyn Block>> {
    Some(Box::new(With { work, entries: E::entries::<W>(), element: std::marker::PhantomData::<E> }))
}
impl<W: Work, E: Lane> Block for With<W, E> {
    fn limit(&self) -> usize {
        W::LIMIT.min(SMALL)
    }
    fn width(&self) -> usize {
        self.entries.width
    }
    fn bytes(&self, m: usize, n: usize, count: usize) -> usize {
        let lanes = if count == 1 { 1 } else { self.entries.width };
        self.work.vectors(m, n).saturating_mul(lanes * size_of::<E>())
    }
    unsafe fn run(&self, group: &Group, memory: *mut u8) -> u32 {
        let enter = if group.count == 1 { self.entries.one } else { self.entries.all };
        // SAFETY: the caller's promise; the entries are those that this machine can run.
        unsafe { enter(&self.work, group, memory) }
    }
}

/// # Safety
/// As [`Block::run`]; on a machine with the instruction set.
#[inline(always)]
unsafe fn enter<W: Work, T: V>(work: &W, group: &Group, memory: *mut u8) -> u32
where
    T::E: Real,
{
    let Some([m, n]) = group.ins.first().map(|a| a.dims) else { return 0 };
    let size = work.vectors(m, n);
    // SAFETY: the caller's memory, which is aligned for any vector; zeros are elements of one.
    unsafe {
        let p = memory.cast::<T>();
        // What the compiler does not know to be zeros is written by vectors: a call for a few lines takes longer than they do.
        let zeros = std::hint::black_box(T::c(0.0));
        for i in 0..size {
            p.add(i).write(zeros);
        }
        work.run::<T>(group, std::slice::from_raw_parts_mut(p, size))
    }
}
macro_rules! entries {
    ($($name:ident $T:ty, $(#[$set:meta])?;)*) => { $(
        $(#[$set])?
        unsafe fn $name<W: Work>(work: &W, group: &Group, memory: *mut u8) -> u32 {
            // SAFETY: the caller's promise.
            unsafe { enter::<W, $T>(work, group, memory) }
        }
    )* };
}
entries! {
    scalar_32 one::F32x1,;
    scalar_64 one::F64x1,;
}
#[cfg(target_arch = "aarch64")]
entries! {
    neon_32 neon::F32x4,;
    neon_64 neon::F64x2,;
}
#[cfg(target_arch = "x86_64")]
entries! {
    fma_32 one::F32x1, #[target_feature(enable = "fma")];
    fma_64 one::F64x1, #[target_feature(enable = "fma")];
    avx2_32 avx2::F32x8, #[target_feature(enable = "avx2,fma")];
    avx2_64 avx2::F64x4, #[target_feature(enable = "avx2,fma")];
    avx512_32 avx512::F32x16, #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")];
    avx512_64 avx512::F64x8, #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")];
}
/// The work for one instruction set, which the machine has.
fn entries_for<W: Work>(isa: Isa, double: bool) -> Entries<W> {
    macro_rules! pair {
        ($one:ident $one_double:ident, $all:ident $all_double:ident, $width:literal) => {
            if double {
                Entries { one: $one_double, all: $all_double, width: $width / 2 }
            } else {
                Entries { one: $one, all: $all, width: $width }
            }
        };
    }
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => pair!(fma_32 fma_64, avx512_32 avx512_64, 16),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => pair!(fma_32 fma_64, avx2_32 avx2_64, 8),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => pair!(scalar_32 scalar_64, neon_32 neon_64, 4),
        #[cfg(target_arch = "x86_64")]
        Isa::Scalar if std::arch::is_x86_feature_detected!("fma") => {
            Entries { width: 1, ..pair!(fma_32 fma_64, fma_32 fma_64, 1) }
        }
        _ => Entries { width: 1, ..pair!(scalar_32 scalar_64, scalar_32 scalar_64, 1) },
    }
}
impl Lane for f32 {
    fn entries<W: Work>() -> Entries<W> {
        entries_for(Isa::chosen().unwrap_or(Isa::Scalar), false)
    }
}
impl Lane for f64 {
    fn entries<W: Work>() -> Entries<W> {
        entries_for(Isa::chosen().unwrap_or(Isa::Scalar), true)
    }
}
