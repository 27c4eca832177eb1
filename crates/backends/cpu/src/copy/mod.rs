//! Moving elements: strided runs, and whole strided views into each other. Elements are moved by size (1, 4, 8, 16 bytes);
//! their type does not matter.
//!
//! Large copies use non-temporal stores, which need no reading of the memory they overwrite; work is cut by sizes alone.
pub(super) mod block;
pub(crate) mod complex;
pub(super) mod nd;
pub(super) mod parts;
pub(super) mod ready;
pub(super) mod run;
pub(super) mod tiling;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_run;

pub(crate) use block::fence;
pub(crate) use ready::Ready;

use super::machine::mem::Ptr;
use super::machine::pool::Pool;
use tfc_kernels::vmath::Isa;
use tfc_plan::space::Space;

/// Brings the line at `p` into the caches; any address will do.
#[inline(always)]
pub(crate) fn prefetch(p: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults, and every x86-64 machine has it.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(p.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = p;
}
/// Elements of one parallel piece of work.
pub(crate) const GRAIN: usize = 64 * 1024;

/// How a copy may be done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    /// Instruction set.
    pub(crate) isa: Isa,
    /// Large results may go past the caches. Memory that was never touched is better written through them.
    pub(crate) stream: bool,
}
impl How {
    /// The best of the machine, with non-temporal stores.
    pub(crate) fn best() -> How {
        How { isa: Isa::chosen().unwrap_or(Isa::Scalar), stream: true }
    }
    /// The best of the machine, through the caches.
    pub(crate) fn plain() -> How {
        How { stream: false, ..How::best() }
    }
}

/// Copies `n` elements of `size` bytes; strides in bytes.
///
/// # Safety
/// Both runs are inside memory of the caller and do not overlap, except that they may be the same dense run.
#[inline]
pub(crate) unsafe fn copy_run(dst: *mut u8, ds: isize, src: *const u8, ss: isize, n: usize, size: usize) {
    // SAFETY: passed on.
    unsafe { run::copy(dst, ds, src, ss, n, size) }
}
/// Writes the element at `src` to `n` places.
///
/// # Safety
/// The run is inside memory of the caller and aligned; `src` holds an element.
pub(crate) unsafe fn fill_run(dst: *mut u8, ds: isize, src: *const u8, n: usize, size: usize) {
    // SAFETY: passed on.
    unsafe { run::fill(dst, ds, src, n, size) }
}

/// A strided view that a copy reads or writes: address and byte strides, one for each axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    /// Element `[0, …, 0]`.
    pub(crate) ptr: Ptr,
    /// Bytes from one element to the next, by axis.
    pub(crate) strides: &'a [isize],
}

/// Copies a view of shape `dims` into another; `space` is scratch that is kept between calls.
///
/// # Safety
/// Both views are inside memory of the caller; no element of `dst` is an element of `src` or occurs twice.
pub(crate) unsafe fn copy_nd(pool: &Pool, space: &mut Space, dims: &[usize], dst: At, src: At, size: usize) {
    // SAFETY: passed on.
    unsafe { nd::copy(How::best(), pool, space, dims, dst, src, size) }
}
/// As [`copy_nd`], in a particular way.
///
/// # Safety
/// As there; the machine has the instruction set.
#[cfg(debug_assertions)]
pub(crate) unsafe fn copy_nd_as(how: How, pool: &Pool, s: &mut Space, dims: &[usize], dst: At, src: At, size: usize) {
    // SAFETY: passed on.
    unsafe { nd::copy(how, pool, s, dims, dst, src, size) }
}

/// Writes one element to every place of a view.
///
/// # Safety
/// The view is inside memory of the caller; `value` holds an element.
pub(crate) unsafe fn fill_nd(pool: &Pool, space: &mut Space, dims: &[usize], dst: At, value: *const u8, size: usize) {
    let zeros = Zeros::of(dims.len());
    let mut x = [0u8; 16];
    // SAFETY: an element has `size` bytes, at most 16; the source below is that one element.
    unsafe {
        std::ptr::copy_nonoverlapping(value, x.as_mut_ptr(), size.min(16));
        copy_nd(pool, space, dims, dst, At { ptr: Ptr(x.as_mut_ptr()), strides: zeros.get() }, size);
    }
}
/// Zero strides for any number of axes, without allocating for the usual ones.
pub(crate) enum Zeros {
    /// Few axes.
    Few(usize),
    /// Many.
    Many(Vec<isize>),
}
impl Zeros {
    /// For `rank` axes.
    pub(crate) fn of(rank: usize) -> Zeros {
        if rank <= 16 { Zeros::Few(rank) } else { Zeros::Many(vec![0; rank]) }
    }
    /// The strides.
    pub(crate) fn get(&self) -> &[isize] {
        const Z: [isize; 16] = [0; 16];
        match self {
            Zeros::Few(n) => &Z[..*n],
            Zeros::Many(v) => v,
        }
    }
}
#[cfg(debug_assertions)]
pub mod tests;
