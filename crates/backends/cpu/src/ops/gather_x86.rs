//! Places of windows, and elements at them, eight at a time with AVX-512.
use std::arch::x86_64::*;

use tfc_ir::DType;

use super::gather::{Line, OUTSIDE};
use super::singles::Chunk;
use crate::machine::mem::Ptr;

/// Eight indices, from `at` on, `bytes` apart, as numbers with a sign; `u64` beyond `i64` saturates.
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
unsafe fn indices(d: DType, at: *const u8, bytes: isize, m: __mmask8) -> __m512i {
    let size = d.size() as isize;
    // SAFETY: only lanes under the mask are read, which are indices of the caller.
    unsafe {
        let x = if size == 4 {
            let x = if bytes == size {
                _mm256_maskz_loadu_epi32(m, at.cast())
            } else {
                _mm512_mask_i64gather_epi32::<1>(_mm256_setzero_si256(), m, steps(bytes), at.cast())
            };
            return if d == DType::U32 { _mm512_cvtepu32_epi64(x) } else { _mm512_cvtepi32_epi64(x) };
        } else if bytes == size {
            _mm512_maskz_loadu_epi64(m, at.cast())
        } else {
            _mm512_mask_i64gather_epi64::<1>(_mm512_setzero_si512(), m, steps(bytes), at.cast())
        };
        if d == DType::U64 { _mm512_min_epu64(x, _mm512_set1_epi64(i64::MAX)) } else { x }
    }
}
/// 0, 1, … 7 times a number of bytes.
#[target_feature(enable = "avx512f,avx512dq")]
fn steps(bytes: isize) -> __m512i {
    _mm512_mullo_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(bytes as i64))
}

/// As the other fillers of [`super::gather`], for indices of type `d`.
///
/// # Safety
/// As there; the machine has AVX-512 F, DQ and VL.
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub(super) unsafe fn fill(
    d: DType,
    line: &Line,
    table: *mut isize,
    from: Ptr,
    to: isize,
    (n, bytes, step): (usize, isize, isize),
) {
    let (zero, outside) = (_mm512_setzero_si512(), _mm512_set1_epi64(OUTSIDE as i64));
    let mut place = _mm512_add_epi64(_mm512_set1_epi64(to as i64), steps(step));
    let next = _mm512_set1_epi64((step as i64).wrapping_mul(8));
    let mut i = 0;
    while i < n {
        let m: __mmask8 = if n - i >= 8 { 0xff } else { (1u8 << (n - i)) - 1 };
        let (mut at, mut inside) = (place, if line.fits { m } else { 0 });
        for (k, &(last, stride)) in line.parts.iter().enumerate() {
            let p = from.at(i as isize * bytes + k as isize * line.vector);
            // SAFETY: by the caller's contract, for the lanes under the mask.
            let x = unsafe { indices(d, p.0, bytes, m) };
            let last = _mm512_set1_epi64(last);
            if !line.clamp {
                inside &= _mm512_cmpge_epi64_mask(x, zero) & _mm512_cmple_epi64_mask(x, last);
            }
            let start = _mm512_max_epi64(_mm512_min_epi64(x, last), zero);
            at = _mm512_add_epi64(at, times(start, stride));
        }
        let entry = _mm512_mask_blend_epi64(inside, outside, at);
        // SAFETY: the table has `n` entries.
        unsafe { _mm512_mask_storeu_epi64(table.add(i).cast(), m, entry) };
        place = _mm512_add_epi64(place, next);
        i += 8;
    }
}
/// `x` times a number of bytes: by a shift where that is a power of two, since products of 64 bits are slow.
#[target_feature(enable = "avx512f,avx512dq")]
fn times(x: __m512i, bytes: isize) -> __m512i {
    if bytes > 0 && bytes.count_ones() == 1 {
        _mm512_sll_epi64(x, _mm_cvtsi64_si128(i64::from(bytes.trailing_zeros())))
    } else {
        _mm512_mullo_epi64(x, _mm512_set1_epi64(bytes as i64))
    }
}

/// Elements of four (`WIDE`: eight) bytes for `n` entries that lie side by side, side by side; zero where a window is outside.
///
/// # Safety
/// Each entry is [`OUTSIDE`] or the place of an element; there is room for `n` of them.
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub(super) unsafe fn elements<const WIDE: bool>(to: *mut u8, from: *const u8, table: *const isize, n: usize) {
    let outside = _mm512_set1_epi64(OUTSIDE as i64);
    let mut i = 0;
    while i < n {
        let m: __mmask8 = if n - i >= 8 { 0xff } else { (1u8 << (n - i)) - 1 };
        // SAFETY: by the caller's contract, for the lanes under the mask.
        unsafe {
            let entry = _mm512_maskz_loadu_epi64(m, table.add(i).cast());
            let there = m & _mm512_cmpneq_epi64_mask(entry, outside);
            if WIDE {
                let x = _mm512_mask_i64gather_epi64::<1>(_mm512_setzero_si512(), there, entry, from.cast());
                _mm512_mask_storeu_epi64(to.add(8 * i).cast(), m, x);
            } else {
                let x = _mm512_mask_i64gather_epi32::<1>(_mm256_setzero_si256(), there, entry, from.cast());
                _mm256_mask_storeu_epi32(to.add(4 * i).cast(), m, x);
            }
        }
        i += 8;
    }
}

/// Sixteen indices that lie side by side, moved into `0 ..= last`; which of them were there before.
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
unsafe fn starts(d: DType, at: *const u8, last: i64, m: __mmask16) -> (__m512i, __mmask16) {
    let zero = _mm512_setzero_si512();
    if d.size() == 4 {
        // Starts are places of elements, which 32 bits count.
        let most = _mm512_set1_epi32(last as i32);
        // SAFETY: only lanes under the mask are read, which are indices of the caller.
        let x = unsafe { _mm512_maskz_loadu_epi32(m, at.cast()) };
        let x = if d == DType::U32 { _mm512_min_epu32(x, _mm512_set1_epi32(i32::MAX)) } else { x };
        let start = _mm512_max_epi32(_mm512_min_epi32(x, most), zero);
        return (start, _mm512_cmpeq_epi32_mask(start, x));
    }
    let most = _mm512_set1_epi64(last);
    let half = |k: usize| {
        // SAFETY: as above.
        let x = unsafe { _mm512_maskz_loadu_epi64((m >> (8 * k)) as __mmask8, at.wrapping_add(64 * k).cast()) };
        let x = if d == DType::U64 { _mm512_min_epu64(x, _mm512_set1_epi64(i64::MAX)) } else { x };
        let start = _mm512_max_epi64(_mm512_min_epi64(x, most), zero);
        (_mm512_cvtepi64_epi32(start), u16::from(_mm512_cmpeq_epi64_mask(start, x)))
    };
    let (low, high) = (half(0), half(1));
    (_mm512_inserti64x4::<1>(_mm512_castsi256_si512(low.0), high.0), low.1 | high.1 << 8)
}

/// As the other finders of [`super::singles`], for indices of type `d`.
///
/// # Safety
/// As there; the machine has AVX-512 F, DQ and VL.
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub(super) unsafe fn find(d: DType, line: &Line, at: Ptr, n: usize, to: &mut Chunk) {
    to.all = true;
    for (g, (places, there)) in to.places.as_chunks_mut::<16>().0.iter_mut().zip(&mut to.inside).enumerate() {
        let i = 16 * g;
        if i >= n {
            return;
        }
        let m: __mmask16 = if n - i >= 16 { 0xffff } else { (1u16 << (n - i)) - 1 };
        *there = m;
        let mut place = _mm512_setzero_si512();
        for (k, &(last, stride)) in line.parts.iter().enumerate() {
            let p = at.at((i * d.size()) as isize + k as isize * line.vector);
            // SAFETY: by the caller's contract, for the lanes under the mask.
            let (start, inside) = unsafe { starts(d, p.0, last, m) };
            if !line.clamp {
                *there &= inside;
            }
            place = _mm512_add_epi32(place, _mm512_mullo_epi32(start, _mm512_set1_epi32(stride as i32)));
        }
        // SAFETY: there is room for sixteen places.
        unsafe { _mm512_storeu_si512(places.as_mut_ptr().cast(), place) };
        to.all &= *there == m;
    }
}
