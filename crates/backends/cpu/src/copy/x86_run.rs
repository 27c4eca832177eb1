//! Runs on x86-64: copies and fills by non-temporal stores, and gathers of elements a few places apart, or backwards, by
//! permutations of whole vectors.
use std::arch::x86_64::*;

use super::parts::{StepFn, few};
use tfc_kernels::vmath::Isa;

/// Bytes ahead of the copy that are asked for: beyond what hardware prefetches, which ends with the page.
const AHEAD: usize = 2048;

/// Copies by non-temporal stores; the ends that do not fill a line are stored as usual.
///
/// # Safety
/// Both sides hold `n` bytes and do not overlap, or are the same; the machine has `isa`.
pub(super) unsafe fn stream(isa: Isa, dst: *mut u8, src: *const u8, n: usize) {
    let head = dst.align_offset(64).min(n);
    let lines = (n - head) / 64;
    // SAFETY: the parts follow each other inside the `n` bytes; the lines of the destination are aligned.
    unsafe {
        few(dst, src, head);
        let (d, s) = (dst.add(head), src.add(head));
        if isa == Isa::Avx512 {
            stream_z(d, s, lines)
        } else {
            stream_y(d, s, lines)
        }
        let done = head + 64 * lines;
        few(dst.add(done), src.add(done), n - done);
    }
}
#[target_feature(enable = "avx512f")]
unsafe fn stream_z(dst: *mut u8, src: *const u8, lines: usize) {
    let (mut d, mut s) = (dst, src);
    // SAFETY: by the contract of `stream`; a prefetch touches nothing.
    unsafe {
        for _ in 0..lines / 4 {
            for k in 0..4 {
                _mm_prefetch::<_MM_HINT_T0>(s.wrapping_add(AHEAD + 64 * k).cast());
            }
            let (a, b) = (_mm512_loadu_si512(s.cast()), _mm512_loadu_si512(s.add(64).cast()));
            let (e, f) = (_mm512_loadu_si512(s.add(128).cast()), _mm512_loadu_si512(s.add(192).cast()));
            _mm512_stream_si512(d.cast(), a);
            _mm512_stream_si512(d.add(64).cast(), b);
            _mm512_stream_si512(d.add(128).cast(), e);
            _mm512_stream_si512(d.add(192).cast(), f);
            (d, s) = (d.add(256), s.add(256));
        }
        for _ in 0..lines % 4 {
            _mm512_stream_si512(d.cast(), _mm512_loadu_si512(s.cast()));
            (d, s) = (d.add(64), s.add(64));
        }
    }
}
#[target_feature(enable = "avx2")]
unsafe fn stream_y(dst: *mut u8, src: *const u8, lines: usize) {
    let (mut d, mut s) = (dst, src);
    // SAFETY: as above.
    unsafe {
        for _ in 0..lines {
            _mm_prefetch::<_MM_HINT_T0>(s.wrapping_add(AHEAD).cast());
            let (a, b) = (_mm256_loadu_si256(s.cast()), _mm256_loadu_si256(s.add(32).cast()));
            _mm256_stream_si256(d.cast(), a);
            _mm256_stream_si256(d.add(32).cast(), b);
            (d, s) = (d.add(64), s.add(64));
        }
    }
}
/// Rows of `n` bytes from `src + i * pitch` to `dst + to[i]` (or back, if `load`), a line at a time; what does not fill a
/// line is moved by overlapping parts. `NT`: by non-temporal stores; rows then start at lines and are whole lines.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn rows_z<const NT: bool, const LOAD: bool>(far: *mut u8, at: &[isize], near: *mut u8, n: usize) {
    let whole = n / 64 * 64;
    for (i, &o) in at.iter().enumerate() {
        // SAFETY: by the contract of `move_rows`.
        unsafe {
            let (far, near) = (far.offset(o), near.add(i * n));
            let (d, s) = if LOAD { (near, far) } else { (far, near) };
            let mut j = 0;
            while j < whole {
                let x = _mm512_loadu_si512(s.add(j).cast());
                if NT {
                    _mm512_stream_si512(d.add(j).cast(), x)
                } else {
                    _mm512_storeu_si512(d.add(j).cast(), x)
                }
                j += 64;
            }
            if j < n {
                few(d.add(j), s.add(j), n - j);
            }
        }
    }
}
#[target_feature(enable = "avx2")]
pub(super) unsafe fn rows_y<const NT: bool, const LOAD: bool>(far: *mut u8, at: &[isize], near: *mut u8, n: usize) {
    let whole = n / 64 * 64;
    for (i, &o) in at.iter().enumerate() {
        // SAFETY: by the contract of `move_rows`.
        unsafe {
            let (far, near) = (far.offset(o), near.add(i * n));
            let (d, s) = if LOAD { (near, far) } else { (far, near) };
            let mut j = 0;
            while j < whole {
                let (x, y) = (_mm256_loadu_si256(s.add(j).cast()), _mm256_loadu_si256(s.add(j + 32).cast()));
                let (p, q) = (d.add(j).cast(), d.add(j + 32).cast());
                if NT {
                    _mm256_stream_si256(p, x);
                    _mm256_stream_si256(q, y);
                } else {
                    _mm256_storeu_si256(p, x);
                    _mm256_storeu_si256(q, y);
                }
                j += 64;
            }
            if j < n {
                few(d.add(j), s.add(j), n - j);
            }
        }
    }
}

/// Fills by non-temporal stores.
///
/// # Safety
/// `dst` holds `n` elements of `size` bytes (1, 4, 8 or 16) and `src` one; the machine has `isa`.
pub(super) unsafe fn stream_fill(isa: Isa, dst: *mut u8, src: *const u8, n: usize, size: usize) {
    // Two lines of the element: one of them starts where a line of the destination does.
    let mut pattern = [0u8; 128];
    let bytes = n * size;
    let head = dst.align_offset(64).min(bytes);
    // SAFETY: the element repeats every `size` bytes, which divides 64; the parts lie inside the destination.
    unsafe {
        for i in 0..128 / size {
            std::ptr::copy_nonoverlapping(src, pattern.as_mut_ptr().add(i * size), size);
        }
        std::ptr::copy_nonoverlapping(pattern.as_ptr(), dst, head);
        let lines = (bytes - head) / 64;
        let from = pattern.as_ptr().add(head);
        if isa == Isa::Avx512 {
            fill_z(dst.add(head), from, lines)
        } else {
            fill_y(dst.add(head), from, lines)
        }
        let done = head + 64 * lines;
        std::ptr::copy_nonoverlapping(from, dst.add(done), bytes - done);
    }
}
#[target_feature(enable = "avx512f")]
unsafe fn fill_z(d: *mut u8, from: *const u8, lines: usize) {
    // SAFETY: by the contract of `stream_fill`.
    unsafe {
        let x = _mm512_loadu_si512(from.cast());
        for i in 0..lines {
            _mm512_stream_si512(d.add(64 * i).cast(), x);
        }
    }
}
#[target_feature(enable = "avx2")]
unsafe fn fill_y(d: *mut u8, from: *const u8, lines: usize) {
    // SAFETY: by the contract of `stream_fill`.
    unsafe {
        let (x, y) = (_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(32).cast()));
        for i in 0..lines {
            _mm256_stream_si256(d.add(64 * i).cast(), x);
            _mm256_stream_si256(d.add(64 * i + 32).cast(), y);
        }
    }
}

/// A kernel for elements `step` places apart, where there is one that is faster than one by one.
pub(super) fn gather(isa: Isa, size: usize, step: isize) -> Option<StepFn> {
    Some(match (isa, size, step) {
        (Isa::Avx512, 4, -1) => back4,
        (Isa::Avx512, 8, -1) => back8,
        (Isa::Avx512, 4, 2..=6) => step4,
        (Isa::Avx512, 8, 2..=4) => step8,
        _ => return None,
    })
}
#[target_feature(enable = "avx512f")]
unsafe fn back4(dst: *mut u8, src: *const u8, _: isize, n: usize) -> usize {
    let turn = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    let whole = n / 16 * 16;
    for i in (0..whole).step_by(16) {
        // SAFETY: elements i to i + 15, the last of them first in memory.
        unsafe {
            let x = _mm512_loadu_si512(src.cast::<u32>().sub(i + 15).cast());
            _mm512_storeu_si512(dst.cast::<u32>().add(i).cast(), _mm512_permutexvar_epi32(turn, x));
        }
    }
    whole
}
#[target_feature(enable = "avx512f")]
unsafe fn back8(dst: *mut u8, src: *const u8, _: isize, n: usize) -> usize {
    let turn = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    let whole = n / 8 * 8;
    for i in (0..whole).step_by(8) {
        // SAFETY: as above.
        unsafe {
            let x = _mm512_loadu_si512(src.cast::<u64>().sub(i + 7).cast());
            _mm512_storeu_si512(dst.cast::<u64>().add(i).cast(), _mm512_permutexvar_epi64(turn, x));
        }
    }
    whole
}
/// Sixteen results lie in `step` whole vectors: each is permuted, and its lanes merged.
#[target_feature(enable = "avx512f")]
unsafe fn step4(dst: *mut u8, src: *const u8, step: isize, n: usize) -> usize {
    let k = step as usize;
    let mut at = [0u32; 16];
    let mut lanes = [0u16; 8];
    for i in 0..16 {
        at[i] = (i * k % 16) as u32;
        lanes[(i * k / 16) & 7] |= 1 << i;
    }
    let mut i = 0;
    // SAFETY: the vectors read end before element i + 16, which exists.
    unsafe {
        let at = _mm512_loadu_si512(at.as_ptr().cast());
        while i + 16 < n {
            let s = src.cast::<u32>().add(i * k);
            let mut x = _mm512_permutexvar_epi32(at, _mm512_loadu_si512(s.cast()));
            for j in 1..k {
                let v = _mm512_loadu_si512(s.add(16 * j).cast());
                x = _mm512_mask_permutexvar_epi32(x, *lanes.get_unchecked(j), at, v);
            }
            _mm512_storeu_si512(dst.cast::<u32>().add(i).cast(), x);
            i += 16;
        }
    }
    i
}
#[target_feature(enable = "avx512f")]
unsafe fn step8(dst: *mut u8, src: *const u8, step: isize, n: usize) -> usize {
    let k = step as usize;
    let mut at = [0u64; 8];
    let mut lanes = [0u8; 8];
    for i in 0..8 {
        at[i] = (i * k % 8) as u64;
        lanes[(i * k / 8) & 7] |= 1 << i;
    }
    let mut i = 0;
    // SAFETY: the vectors read end before element i + 8, which exists.
    unsafe {
        let at = _mm512_loadu_si512(at.as_ptr().cast());
        while i + 8 < n {
            let s = src.cast::<u64>().add(i * k);
            let mut x = _mm512_permutexvar_epi64(at, _mm512_loadu_si512(s.cast()));
            for j in 1..k {
                let v = _mm512_loadu_si512(s.add(8 * j).cast());
                x = _mm512_mask_permutexvar_epi64(x, *lanes.get_unchecked(j), at, v);
            }
            _mm512_storeu_si512(dst.cast::<u64>().add(i).cast(), x);
            i += 8;
        }
    }
    i
}
