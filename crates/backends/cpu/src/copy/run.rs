//! Runs: elements one after the other along one loop of both sides. Dense runs are moved whole, large ones with
//! non-temporal stores where the caller allows them; small steps go through vector permutations.
use super::block::fence;
use super::parts::{StepFn, few};
use super::{GRAIN, How};
use crate::machine::mem::Ptr;
use crate::machine::pool::Pool;
use tfc_kernels::vmath::Isa;

#[cfg(target_arch = "x86_64")]
use super::x86_run as x86;

/// Copies of at least so many bytes go past the caches: what they write would not stay in them until it is read.
pub(crate) const STREAM: usize = 2 << 20;
/// The same for fills and repetitions, which plain stores of full lines serve well while a cache has room for them.
pub(crate) const STREAM_FILL: usize = 8 << 20;

/// A 16-byte element.
#[derive(Clone, Copy)]
#[repr(C)]
struct Wide(u64, u64);

/// Runs `$body` with `$t` a type of `$size` bytes.
macro_rules! by_size {
    ($size:expr, $t:ident => $body:expr) => {
        match $size {
            1 => {
                type $t = u8;
                $body
            }
            2 => {
                type $t = u16;
                $body
            }
            4 => {
                type $t = u32;
                $body
            }
            8 => {
                type $t = u64;
                $body
            }
            size => {
                debug_assert_eq!(size, 16, "no dtype has elements of this size");
                type $t = Wide;
                $body
            }
        }
    };
}

/// A dense run of `n` bytes.
#[inline]
unsafe fn whole(dst: *mut u8, src: *const u8, n: usize) {
    // SAFETY: by the callers' contract.
    unsafe { if n <= 64 { few(dst, src, n) } else { std::ptr::copy(src, dst, n) } }
}

/// See [`super::copy_run`].
///
/// # Safety
/// As there.
#[inline]
pub(crate) unsafe fn copy(dst: *mut u8, ds: isize, src: *const u8, ss: isize, n: usize, size: usize) {
    // SAFETY: by contract.
    unsafe {
        if ds == size as isize && ss == ds {
            whole(dst, src, n * size);
        } else if ss == 0 {
            fill(dst, ds, src, n, size);
        } else if n < 32 {
            by_size!(size, T => strided::<T>(dst, ds, src, ss, n));
        } else {
            Run::new(&How::plain(), ds, ss, size, false).go(dst, src, n);
        }
    }
}
/// See [`super::fill_run`].
///
/// # Safety
/// As there.
pub(crate) unsafe fn fill(dst: *mut u8, ds: isize, src: *const u8, n: usize, size: usize) {
    unsafe fn go<T: Copy>(dst: *mut u8, ds: isize, src: *const u8, n: usize) {
        // SAFETY: by contract; the constant may be stored without alignment.
        unsafe {
            let x = src.cast::<T>().read_unaligned();
            if ds == size_of::<T>() as isize {
                for i in 0..n {
                    dst.cast::<T>().add(i).write(x);
                }
            } else {
                for i in 0..n as isize {
                    dst.offset(i * ds).cast::<T>().write(x);
                }
            }
        }
    }
    // SAFETY: by contract.
    unsafe { by_size!(size, T => go::<T>(dst, ds, src, n)) }
}
/// Elements one by one.
unsafe fn strided<T: Copy>(dst: *mut u8, ds: isize, src: *const u8, ss: isize, n: usize) {
    let z = size_of::<T>() as isize;
    // SAFETY: by the contract of `copy_run`.
    unsafe {
        if ds == z {
            let d = dst.cast::<T>();
            for i in 0..n {
                d.add(i).write(src.offset(i as isize * ss).cast::<T>().read());
            }
        } else {
            for i in 0..n as isize {
                dst.offset(i * ds).cast::<T>().write(src.offset(i * ss).cast::<T>().read());
            }
        }
    }
}

/// How runs of certain strides are moved.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    way: Way,
    ds: isize,
    ss: isize,
    size: usize,
}
#[derive(Clone, Copy)]
enum Way {
    Dense,
    Stream(Isa),
    Fill,
    StreamFill(Isa),
    One,
    /// A kernel of dense results.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "made for x86-64 only"))]
    By(StepFn),
}
impl Run {
    /// For runs of elements of `size` bytes, with these strides. `stream`: by non-temporal stores, which the thread
    /// ends with [`fence`].
    pub(crate) fn new(how: &How, ds: isize, ss: isize, size: usize, stream: bool) -> Run {
        let z = size as isize;
        let way = match (ds == z, ss) {
            (true, s) if s == z => {
                if stream && how.isa != Isa::Scalar {
                    Way::Stream(how.isa)
                } else {
                    Way::Dense
                }
            }
            (true, 0) if stream && how.isa != Isa::Scalar => Way::StreamFill(how.isa),
            (_, 0) => Way::Fill,
            #[cfg(target_arch = "x86_64")]
            (true, s) if s % z == 0 => x86::gather(how.isa, size, s / z).map_or(Way::One, Way::By),
            _ => Way::One,
        };
        Run { way, ds, ss, size }
    }
    /// Moves `n` elements.
    ///
    /// # Safety
    /// As for [`super::copy_run`].
    #[inline]
    pub(crate) unsafe fn go(&self, dst: *mut u8, src: *const u8, n: usize) {
        // SAFETY: by contract.
        unsafe {
            match self.way {
                Way::Dense => whole(dst, src, n * self.size),
                #[cfg(target_arch = "x86_64")]
                Way::Stream(isa) => x86::stream(isa, dst, src, n * self.size),
                #[cfg(target_arch = "x86_64")]
                Way::StreamFill(isa) => x86::stream_fill(isa, dst, src, n, self.size),
                #[cfg(not(target_arch = "x86_64"))]
                Way::Stream(_) => whole(dst, src, n * self.size),
                #[cfg(not(target_arch = "x86_64"))]
                Way::StreamFill(_) => fill(dst, self.ds, src, n, self.size),
                Way::Fill => fill(dst, self.ds, src, n, self.size),
                Way::One => by_size!(self.size, T => strided::<T>(dst, self.ds, src, self.ss, n)),
                Way::By(f) => {
                    let done = f(dst, src, self.ss / self.size as isize, n);
                    let (d, s) = (dst.add(done * self.size), src.offset(done as isize * self.ss));
                    by_size!(self.size, T => strided::<T>(d, self.ds, s, self.ss, n - done));
                }
            }
        }
    }
}

/// One dense run, shared among threads.
pub(crate) unsafe fn dense(how: &How, pool: &Pool, d: Ptr, f: Ptr, bytes: usize) {
    let piece = 8 * GRAIN;
    let run = Run::new(how, 1, 1, 1, how.stream && bytes >= STREAM);
    pool.run(bytes.div_ceil(piece), bytes as u64 / 8, |i| {
        let (lo, hi) = (i * piece, ((i + 1) * piece).min(bytes));
        // SAFETY: pieces are disjoint.
        unsafe { run.go(d.at(lo as isize).0, f.at(lo as isize).0, hi - lo) };
        if matches!(run.way, Way::Stream(_)) {
            fence();
        }
    });
}
/// Writes a dense run of `n` bytes that is in cache, by non-temporal stores where the machine has them.
///
/// # Safety
/// Both sides hold `n` bytes and do not overlap; the machine has `isa`.
pub(crate) unsafe fn stream_out(isa: Isa, dst: *mut u8, src: *const u8, n: usize) {
    // SAFETY: passed on.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if isa != Isa::Scalar {
            return x86::stream(isa, dst, src, n);
        }
        let _ = isa;
        std::ptr::copy_nonoverlapping(src, dst, n);
    }
}

/// Moves rows of `n` bytes between a dense block `near` and places `far + at[i]`: to the block (`load`), or from it, then
/// perhaps by non-temporal stores, for which rows start at lines and are whole lines.
///
/// # Safety
/// Both sides are inside memory of the caller and do not overlap; the machine has `isa`.
pub(crate) unsafe fn move_rows(
    isa: Isa,
    far: *mut u8,
    at: &[isize],
    near: *mut u8,
    n: usize,
    load: bool,
    stream: bool,
) {
    // SAFETY: passed on.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        match (isa, load, stream) {
            (Isa::Avx512, true, _) => return x86::rows_z::<false, true>(far, at, near, n),
            (Isa::Avx512, _, true) => return x86::rows_z::<true, false>(far, at, near, n),
            (Isa::Avx512, ..) => return x86::rows_z::<false, false>(far, at, near, n),
            (Isa::Avx2, true, _) => return x86::rows_y::<false, true>(far, at, near, n),
            (Isa::Avx2, _, true) => return x86::rows_y::<true, false>(far, at, near, n),
            (Isa::Avx2, ..) => return x86::rows_y::<false, false>(far, at, near, n),
            _ => {}
        }
        let _ = (isa, stream);
        for (i, &o) in at.iter().enumerate() {
            let (far, near) = (far.offset(o), near.add(i * n));
            if load { whole(near, far, n) } else { whole(far, near, n) }
        }
    }
}
