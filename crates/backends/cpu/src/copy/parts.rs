//! What blocks and runs are made of, whatever moves them: the ground of `block` and `run` and of their kernels.

/// A block: element `(r, c)` goes from `src + soff[c] + r * ss` to `dst + doff[r] + c * ds`.
pub(crate) struct Block {
    /// Destination of element (0, 0), less its offset.
    pub(crate) dst: *mut u8,
    /// Byte offset of each row in the destination.
    pub(crate) doff: *const isize,
    /// Source of element (0, 0), less its offset.
    pub(crate) src: *const u8,
    /// Byte offset of each column in the source.
    pub(crate) soff: *const isize,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Number of columns.
    pub(crate) cols: usize,
    /// Bytes from a column to the next in the destination.
    pub(crate) ds: isize,
    /// Bytes from a row to the next in the source.
    pub(crate) ss: isize,
    /// How far ahead of each column's rows the source is asked for; 0 for not at all.
    pub(crate) ahead: isize,
    /// Bytes of an element: 1 to 64.
    pub(crate) bytes: usize,
}

/// Gathers elements `step` elements apart into a dense run; returns how many it has done, which may be less than all.
pub(crate) type StepFn = unsafe fn(dst: *mut u8, src: *const u8, step: isize, n: usize) -> usize;

/// Moves `n <= 64` bytes without a call.
///
/// # Safety
/// Both sides hold `n` bytes; they do not overlap, or are the same.
#[inline(always)]
pub(crate) unsafe fn few(dst: *mut u8, src: *const u8, n: usize) {
    #[inline(always)]
    unsafe fn two<T: Copy>(dst: *mut u8, src: *const u8, n: usize) {
        let last = n - size_of::<T>();
        // SAFETY: the two moves lie inside the `n` bytes and cover them; both are read before either is written.
        unsafe {
            let (x, y) = (src.cast::<T>().read_unaligned(), src.add(last).cast::<T>().read_unaligned());
            dst.cast::<T>().write_unaligned(x);
            dst.add(last).cast::<T>().write_unaligned(y);
        }
    }
    // SAFETY: passed on.
    unsafe {
        match n {
            0 => {}
            1 => dst.write(src.read()),
            2..=3 => two::<u16>(dst, src, n),
            4..=7 => two::<u32>(dst, src, n),
            8..=15 => two::<u64>(dst, src, n),
            16..=32 => two::<[u64; 2]>(dst, src, n),
            _ => two::<[u64; 4]>(dst, src, n),
        }
    }
}
