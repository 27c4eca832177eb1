//! Measures what threads of this machine can do at most, one or as many as its argument says: bytes a second that they
//! read, copy and write, and multiply-adds a second. Prints one JSON object (`GB/s`, `GF/s`; a multiply-add counts as two). No program can run
//! faster than its bytes and operations at these rates, so they are the floors of the tables in `docs/performance.md`.
//!
//! It has loops of its own, apart from those of the backend, which it must not share errors with: 64 MiB arrays in
//! 2 MiB pages where the machine gives them, software prefetch, stores past the cache, least of many repeats.
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Bytes of an array: far above the second-level cache, and the size of the arrays of the workloads.
const BYTES: usize = 64 << 20;
const HUGE: usize = 2 << 20;

/// A buffer in large pages, written once.
struct Buffer(*mut u8, Layout);
impl Buffer {
    fn new() -> Buffer {
        let layout = Layout::from_size_align(BYTES, HUGE).unwrap_or(Layout::new::<u8>());
        // SAFETY: the layout has a size above zero.
        let p = unsafe { alloc(layout) };
        if p.is_null() {
            handle_alloc_error(layout);
        }
        advise(p);
        // SAFETY: `p` has `BYTES` bytes.
        unsafe { p.write_bytes(0, BYTES) };
        Buffer(p, layout)
    }
}
// SAFETY: memory of its own; each thread uses its own buffers.
unsafe impl Sync for Buffer {}
impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.0, self.1) };
    }
}

/// Asks for large pages.
#[cfg(target_os = "linux")]
fn advise(p: *mut u8) {
    unsafe extern "C" {
        fn madvise(at: *mut core::ffi::c_void, length: usize, advice: i32) -> i32;
    }
    const MADV_HUGEPAGE: i32 = 14;
    // SAFETY: the range is ours; the advice changes no contents. A kernel that refuses it leaves small pages.
    let _ = unsafe { madvise(p.cast(), BYTES, MADV_HUGEPAGE) };
}
#[cfg(not(target_os = "linux"))]
fn advise(_: *mut u8) {}

/// Loops over memory and registers for one instruction set.
#[derive(Clone, Copy)]
struct Loops {
    isa: &'static str,
    /// Reads the buffer.
    read: unsafe fn(*const u8) -> u64,
    /// Copies the first buffer into the second.
    copy: unsafe fn(*const u8, *mut u8),
    /// Fills the buffer.
    write: unsafe fn(*mut u8),
    /// Multiply-adds in registers: so many rounds; how many operations each had.
    fma32: unsafe fn(u64) -> u64,
    fma64: unsafe fn(u64) -> u64,
}

/// Independent accumulators: latency of a multiply-add times how many begin in a cycle, and some more.
const CHAINS: usize = 12;

macro_rules! loops {
    ($name:ident, $isa:literal, $features:literal, $int:ident, $load:ident, $stream:ident, $xor:ident, $zero:ident,
     $f32:ident: $set32:ident $fma32:ident $n32:literal, $f64:ident: $set64:ident $fma64:ident $n64:literal) => {
        #[cfg(target_arch = "x86_64")]
        mod $name {
            use super::{BYTES, CHAINS, Loops};
            use std::arch::x86_64::*;

            const STEP: usize = size_of::<$int>();
            const AHEAD: usize = 4096;

            #[target_feature(enable = $features)]
            unsafe fn read(p: *const u8) -> u64 {
                let mut s = [$zero(); 4];
                for i in (0..BYTES).step_by(4 * STEP) {
                    for j in 0..4 {
                        // SAFETY: `i + 3 STEP` lies within the buffer; a prefetch may name any address.
                        unsafe {
                            let at = p.add(i + j * STEP);
                            _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(AHEAD).cast());
                            s[j] = $xor(s[j], $load(at.cast()));
                        }
                    }
                }
                // SAFETY: vectors are plain bits, as many as the words.
                let words: [u64; STEP / 2] = unsafe { std::mem::transmute(s) };
                words.iter().fold(0, |a, b| a ^ b)
            }
            #[target_feature(enable = $features)]
            unsafe fn copy(p: *const u8, q: *mut u8) {
                for i in (0..BYTES).step_by(STEP) {
                    // SAFETY: within both buffers; they are aligned to large pages.
                    unsafe {
                        _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(i + AHEAD).cast());
                        $stream(q.add(i).cast(), $load(p.add(i).cast()));
                    }
                }
                _mm_sfence();
            }
            #[target_feature(enable = $features)]
            unsafe fn write(q: *mut u8) {
                for i in (0..BYTES).step_by(STEP) {
                    // SAFETY: within the buffer, which is aligned to large pages.
                    unsafe { $stream(q.add(i).cast(), $zero()) };
                }
                _mm_sfence();
            }
            #[target_feature(enable = $features)]
            unsafe fn fma32(rounds: u64) -> u64 {
                let (a, b) = ($set32(std::hint::black_box(0.5)), $set32(std::hint::black_box(0.25)));
                let mut s = [$set32(1.0); CHAINS];
                for _ in 0..rounds {
                    for x in &mut s {
                        *x = $fma32(*x, a, b);
                    }
                }
                std::hint::black_box(s);
                2 * CHAINS as u64 * $n32
            }
            #[target_feature(enable = $features)]
            unsafe fn fma64(rounds: u64) -> u64 {
                let (a, b) = ($set64(std::hint::black_box(0.5)), $set64(std::hint::black_box(0.25)));
                let mut s = [$set64(1.0); CHAINS];
                for _ in 0..rounds {
                    for x in &mut s {
                        *x = $fma64(*x, a, b);
                    }
                }
                std::hint::black_box(s);
                2 * CHAINS as u64 * $n64
            }
            pub(super) const LOOPS: Loops = Loops { isa: $isa, read, copy, write, fma32, fma64 };
        }
    };
}
loops!(avx512, "avx512", "avx512f", __m512i, _mm512_load_si512, _mm512_stream_si512, _mm512_xor_si512,
    _mm512_setzero_si512, __m512: _mm512_set1_ps _mm512_fmadd_ps 16, __m512d: _mm512_set1_pd _mm512_fmadd_pd 8);
loops!(avx2, "avx2", "avx2,fma", __m256i, _mm256_load_si256, _mm256_stream_si256, _mm256_xor_si256,
    _mm256_setzero_si256, __m256: _mm256_set1_ps _mm256_fmadd_ps 8, __m256d: _mm256_set1_pd _mm256_fmadd_pd 4);

/// What any machine compiles well enough.
mod portable {
    use super::{BYTES, CHAINS, Loops};

    unsafe fn read(p: *const u8) -> u64 {
        // SAFETY: the buffer is initialised and aligned.
        let v = unsafe { std::slice::from_raw_parts(p.cast::<u64>(), BYTES / 8) };
        v.iter().fold(0, |a, b| a ^ b)
    }
    unsafe fn copy(p: *const u8, q: *mut u8) {
        // SAFETY: two buffers of this size.
        unsafe { q.copy_from_nonoverlapping(p, BYTES) };
    }
    unsafe fn write(q: *mut u8) {
        // SAFETY: a buffer of this size.
        unsafe { q.write_bytes(1, BYTES) };
    }
    macro_rules! fma {
        ($name:ident, $t:ty) => {
            unsafe fn $name(rounds: u64) -> u64 {
                const LANES: usize = CHAINS * 16 / size_of::<$t>();
                let (a, b): ($t, $t) = (std::hint::black_box(0.5), std::hint::black_box(0.25));
                let mut s = [1.0; LANES];
                for _ in 0..rounds {
                    for x in &mut s {
                        *x = <$t>::mul_add(*x, a, b);
                    }
                }
                std::hint::black_box(s);
                2 * LANES as u64
            }
        };
    }
    fma!(fma32, f32);
    fma!(fma64, f64);
    pub(super) const LOOPS: Loops = Loops { isa: "portable", read, copy, write, fma32, fma64 };
}

fn loops() -> Loops {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return avx512::LOOPS;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return avx2::LOOPS;
        }
    }
    portable::LOOPS
}

/// Seconds of the fastest of many rounds, in each of which every thread calls `f` once, all at the same time.
fn least(threads: usize, f: impl Fn(usize) + Sync) -> f64 {
    let (meet, over) = (Barrier::new(threads), AtomicBool::new(false));
    let rounds = |i: usize| {
        let start = Instant::now();
        let mut best = f64::INFINITY;
        loop {
            // The first thread says when it is over, and all see it behind the barrier.
            if i == 0 {
                over.store(start.elapsed().as_secs_f64() > 0.15, Ordering::Relaxed);
            }
            meet.wait();
            if over.load(Ordering::Relaxed) {
                return best;
            }
            let at = Instant::now();
            f(i);
            meet.wait();
            best = best.min(at.elapsed().as_secs_f64());
        }
    };
    std::thread::scope(|s| {
        for i in 1..threads {
            let rounds = &rounds;
            s.spawn(move || rounds(i));
        }
        rounds(0)
    })
}

fn main() {
    let threads = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1).clamp(1, 1024);
    let l = loops();
    let pairs: Vec<_> = (0..threads).map(|_| (Buffer::new(), Buffer::new())).collect();
    let bytes = (threads * BYTES) as f64 / 1e9;
    let rate = |per_byte: f64, f: &(dyn Fn(&Buffer, &Buffer) + Sync)| {
        per_byte * bytes / least(threads, |i| f(&pairs[i].0, &pairs[i].1))
    };
    // SAFETY: the buffers have the size that the loops assume, each thread has its own, and `loops` asked for the
    // instruction set.
    let read = rate(1.0, &|a, _| unsafe {
        std::hint::black_box((l.read)(a.0));
    });
    // SAFETY: as above.
    let copy = rate(2.0, &|a, b| unsafe { (l.copy)(a.0, b.0) });
    // SAFETY: as above.
    let write = rate(1.0, &|_, b| unsafe { (l.write)(b.0) });
    const ROUNDS: u64 = 1 << 20;
    let peak = |f: unsafe fn(u64) -> u64| {
        // SAFETY: as above.
        let each = unsafe { f(1) };
        // SAFETY: as above.
        let s = least(threads, |_| unsafe {
            std::hint::black_box(f(ROUNDS));
        });
        (threads as u64 * each * ROUNDS) as f64 / s / 1e9
    };
    let (f32, f64) = (peak(l.fma32), peak(l.fma64));
    println!(
        "{{\"isa\": \"{}\", \"read\": {read:.1}, \"copy\": {copy:.1}, \"write\": {write:.1}, \"f32\": {f32:.1}, \"f64\": {f64:.1}}}",
        l.isa
    );
}
