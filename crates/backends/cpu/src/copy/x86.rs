//! Blocks transposed in registers on x86-64: 64-byte rows with AVX-512, 32-byte rows with AVX2, 16-byte rows of bytes
//! with SSE2. Elements of 4, 8 and 16 bytes; parts of a block are read and written under masks, so nothing outside the
//! block is touched.
use std::arch::x86_64::*;

use super::parts::Block;

/// A kernel over squares of `$w` by `$w` elements of `$z` bytes. Squares follow each other along the destination's rows.
macro_rules! squares {
    ($(#[$m:meta])* $name:ident, $features:literal, $w:literal, $z:literal, $v:ty, $zero:ident,
     $load:ident, $store:ident, $stream:ident, $mask:ident, $loadm:ident, $storem:ident, $flip:ident) => {
        $(#[$m])*
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name<const NT: bool>(b: &Block) {
            let mut r = 0;
            while r < b.rows {
                let nr = (b.rows - r).min($w);
                let mut c = 0;
                while c < b.cols {
                    let nc = (b.cols - c).min($w);
                    // SAFETY: the block's tables have an entry for each row and column; whole vectors are moved only where
                    // the square is whole, and else the part inside the block.
                    unsafe {
                        let (s, so) = (b.src.add(r * $z), b.soff.add(c));
                        let (d, to) = (b.dst.add(c * $z), b.doff.add(r));
                        let mut v: [$v; $w] = [$zero(); $w];
                        if nr == $w && nc == $w {
                            if b.ahead != 0 {
                                for k in 0..$w {
                                    let p = s.wrapping_offset(*so.add(k)).wrapping_offset(b.ahead);
                                    _mm_prefetch::<_MM_HINT_T1>(p.cast());
                                }
                            }
                            for k in 0..$w {
                                v[k] = $load(s.offset(*so.add(k)).cast());
                            }
                            let v = $flip(v);
                            if NT && $w * $z < 64 && b.cols - c >= 2 * $w {
                                // Both halves of a line are stored together.
                                let mut x: [$v; $w] = [$zero(); $w];
                                for k in 0..$w {
                                    x[k] = $load(s.offset(*so.add($w + k)).cast());
                                }
                                let x = $flip(x);
                                for k in 0..$w {
                                    let p = d.offset(*to.add(k));
                                    $stream(p.cast(), v[k]);
                                    $stream(p.add($w * $z).cast(), x[k]);
                                }
                                c += 2 * $w;
                                continue;
                            }
                            for k in 0..$w {
                                let p = d.offset(*to.add(k)).cast();
                                if NT && $w * $z == 64 { $stream(p, v[k]) } else { $store(p, v[k]) }
                            }
                        } else {
                            let m = $mask(nr);
                            for k in 0..$w {
                                if k < nc {
                                    v[k] = $loadm(m, s.offset(*so.add(k)).cast());
                                }
                            }
                            let v = $flip(v);
                            let m = $mask(nc);
                            for k in 0..$w {
                                if k < nr {
                                    $storem(m, d.offset(*to.add(k)).cast(), v[k]);
                                }
                            }
                        }
                    }
                    c += $w;
                }
                r += $w;
            }
        }
    };
}

type Z = __m512i;
type Y = __m256i;

#[inline]
#[target_feature(enable = "avx512f")]
fn z_zero() -> Z {
    _mm512_setzero_si512()
}
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn z_load(p: *const Z) -> Z {
    // SAFETY: by the caller's contract.
    unsafe { _mm512_loadu_si512(p) }
}
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn z_store(p: *mut Z, v: Z) {
    // SAFETY: by the caller's contract.
    unsafe { _mm512_storeu_si512(p, v) }
}
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn z_stream(p: *mut Z, v: Z) {
    // SAFETY: by the caller's contract; the address is a multiple of 64.
    unsafe { _mm512_stream_si512(p, v) }
}
#[inline]
#[target_feature(enable = "avx512f")]
fn mask4(n: usize) -> __mmask16 {
    ((1u32 << n) - 1) as __mmask16
}
#[inline]
#[target_feature(enable = "avx512f")]
fn mask8(n: usize) -> __mmask8 {
    ((1u32 << n) - 1) as __mmask8
}
#[inline]
#[target_feature(enable = "avx512f")]
fn mask16(n: usize) -> __mmask8 {
    ((1u32 << (2 * n)) - 1) as __mmask8
}
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn z_load4(m: __mmask16, p: *const i32) -> Z {
    // SAFETY: by the caller's contract.
    unsafe { _mm512_maskz_loadu_epi32(m, p) }
}
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn z_store4(m: __mmask16, p: *mut i32, v: Z) {
    // SAFETY: by the caller's contract.
    unsafe { _mm512_mask_storeu_epi32(p, m, v) }
}
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn z_load8(m: __mmask8, p: *const i64) -> Z {
    // SAFETY: by the caller's contract.
    unsafe { _mm512_maskz_loadu_epi64(m, p) }
}
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn z_store8(m: __mmask8, p: *mut i64, v: Z) {
    // SAFETY: by the caller's contract.
    unsafe { _mm512_mask_storeu_epi64(p, m, v) }
}
/// 16 × 16 elements of 4 bytes: pairs, pairs of pairs, then lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn z_flip4(mut r: [Z; 16]) -> [Z; 16] {
    let mut t = r;
    for i in 0..8 {
        t[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
    }
    for i in 0..4 {
        r[4 * i] = _mm512_unpacklo_epi64(t[4 * i], t[4 * i + 2]);
        r[4 * i + 1] = _mm512_unpackhi_epi64(t[4 * i], t[4 * i + 2]);
        r[4 * i + 2] = _mm512_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
        r[4 * i + 3] = _mm512_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
    }
    for i in 0..4 {
        t[i] = _mm512_shuffle_i32x4::<0x88>(r[i], r[i + 4]);
        t[i + 4] = _mm512_shuffle_i32x4::<0xdd>(r[i], r[i + 4]);
        t[i + 8] = _mm512_shuffle_i32x4::<0x88>(r[i + 8], r[i + 12]);
        t[i + 12] = _mm512_shuffle_i32x4::<0xdd>(r[i + 8], r[i + 12]);
    }
    for i in 0..8 {
        r[i] = _mm512_shuffle_i32x4::<0x88>(t[i], t[i + 8]);
        r[i + 8] = _mm512_shuffle_i32x4::<0xdd>(t[i], t[i + 8]);
    }
    r
}
/// 8 × 8 elements of 8 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
fn z_flip8(mut r: [Z; 8]) -> [Z; 8] {
    let mut t = r;
    for i in 0..4 {
        t[2 * i] = _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
    }
    for i in 0..2 {
        let (a, b) = (_mm512_shuffle_i64x2::<0x88>(t[i], t[i + 2]), _mm512_shuffle_i64x2::<0x88>(t[i + 4], t[i + 6]));
        let (c, d) = (_mm512_shuffle_i64x2::<0xdd>(t[i], t[i + 2]), _mm512_shuffle_i64x2::<0xdd>(t[i + 4], t[i + 6]));
        r[i] = _mm512_shuffle_i64x2::<0x88>(a, b);
        r[i + 4] = _mm512_shuffle_i64x2::<0xdd>(a, b);
        r[i + 2] = _mm512_shuffle_i64x2::<0x88>(c, d);
        r[i + 6] = _mm512_shuffle_i64x2::<0xdd>(c, d);
    }
    r
}
/// 4 × 4 elements of 16 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
fn z_flip16(r: [Z; 4]) -> [Z; 4] {
    let (a, b) = (_mm512_shuffle_i64x2::<0x44>(r[0], r[1]), _mm512_shuffle_i64x2::<0x44>(r[2], r[3]));
    let (c, d) = (_mm512_shuffle_i64x2::<0xee>(r[0], r[1]), _mm512_shuffle_i64x2::<0xee>(r[2], r[3]));
    [
        _mm512_shuffle_i64x2::<0x88>(a, b),
        _mm512_shuffle_i64x2::<0xdd>(a, b),
        _mm512_shuffle_i64x2::<0x88>(c, d),
        _mm512_shuffle_i64x2::<0xdd>(c, d),
    ]
}
squares!(
    /// AVX-512, elements of 4 bytes.
    z4, "avx512f,avx512dq,avx512vl,avx2,fma", 16, 4, Z, z_zero, z_load, z_store, z_stream, mask4, z_load4, z_store4, z_flip4
);
squares!(
    /// AVX-512, elements of 8 bytes.
    z8, "avx512f,avx512dq,avx512vl,avx2,fma", 8, 8, Z, z_zero, z_load, z_store, z_stream, mask8, z_load8, z_store8, z_flip8
);
squares!(
    /// AVX-512, elements of 16 bytes.
    z16, "avx512f,avx512dq,avx512vl,avx2,fma", 4, 16, Z, z_zero, z_load, z_store, z_stream, mask16, z_load8, z_store8, z_flip16
);

#[inline]
#[target_feature(enable = "avx2")]
fn y_zero() -> Y {
    _mm256_setzero_si256()
}
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn y_load(p: *const Y) -> Y {
    // SAFETY: by the caller's contract.
    unsafe { _mm256_loadu_si256(p) }
}
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn y_store(p: *mut Y, v: Y) {
    // SAFETY: by the caller's contract.
    unsafe { _mm256_storeu_si256(p, v) }
}
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn y_stream(p: *mut Y, v: Y) {
    // SAFETY: by the caller's contract; the address is a multiple of 32.
    unsafe { _mm256_stream_si256(p, v) }
}
/// All bits of the first `n` places of 4 bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn ones(n: usize) -> Y {
    _mm256_cmpgt_epi32(_mm256_set1_epi32(n as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
}
#[inline]
#[target_feature(enable = "avx2")]
fn ones8(n: usize) -> Y {
    ones(2 * n)
}
#[inline]
#[target_feature(enable = "avx2")]
fn ones16(n: usize) -> Y {
    ones(4 * n)
}
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn y_loadm(m: Y, p: *const i32) -> Y {
    // SAFETY: by the caller's contract.
    unsafe { _mm256_maskload_epi32(p, m) }
}
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn y_storem(m: Y, p: *mut i32, v: Y) {
    // SAFETY: by the caller's contract.
    unsafe { _mm256_maskstore_epi32(p, m, v) }
}
/// 8 × 8 elements of 4 bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn y_flip4(mut r: [Y; 8]) -> [Y; 8] {
    let mut t = r;
    for i in 0..4 {
        t[2 * i] = _mm256_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm256_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
    }
    for i in 0..2 {
        r[4 * i] = _mm256_unpacklo_epi64(t[4 * i], t[4 * i + 2]);
        r[4 * i + 1] = _mm256_unpackhi_epi64(t[4 * i], t[4 * i + 2]);
        r[4 * i + 2] = _mm256_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
        r[4 * i + 3] = _mm256_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
    }
    for i in 0..4 {
        t[i] = _mm256_permute2x128_si256::<0x20>(r[i], r[i + 4]);
        t[i + 4] = _mm256_permute2x128_si256::<0x31>(r[i], r[i + 4]);
    }
    t
}
/// 4 × 4 elements of 8 bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn y_flip8(r: [Y; 4]) -> [Y; 4] {
    let (a, b) = (_mm256_unpacklo_epi64(r[0], r[1]), _mm256_unpackhi_epi64(r[0], r[1]));
    let (c, d) = (_mm256_unpacklo_epi64(r[2], r[3]), _mm256_unpackhi_epi64(r[2], r[3]));
    [
        _mm256_permute2x128_si256::<0x20>(a, c),
        _mm256_permute2x128_si256::<0x20>(b, d),
        _mm256_permute2x128_si256::<0x31>(a, c),
        _mm256_permute2x128_si256::<0x31>(b, d),
    ]
}
/// 2 × 2 elements of 16 bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn y_flip16(r: [Y; 2]) -> [Y; 2] {
    [_mm256_permute2x128_si256::<0x20>(r[0], r[1]), _mm256_permute2x128_si256::<0x31>(r[0], r[1])]
}
squares!(
    /// AVX2, elements of 4 bytes.
    y4, "avx2", 8, 4, Y, y_zero, y_load, y_store, y_stream, ones, y_loadm, y_storem, y_flip4
);
squares!(
    /// AVX2, elements of 8 bytes.
    y8, "avx2", 4, 8, Y, y_zero, y_load, y_store, y_stream, ones8, y_loadm, y_storem, y_flip8
);
squares!(
    /// AVX2, elements of 16 bytes.
    y16, "avx2", 2, 16, Y, y_zero, y_load, y_store, y_stream, ones16, y_loadm, y_storem, y_flip16
);

/// 16 × 16 bytes.
#[inline]
fn x_flip1(mut r: [__m128i; 16]) -> [__m128i; 16] {
    let mut t = r;
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        for i in 0..8 {
            t[2 * i] = _mm_unpacklo_epi8(r[2 * i], r[2 * i + 1]);
            t[2 * i + 1] = _mm_unpackhi_epi8(r[2 * i], r[2 * i + 1]);
        }
        for i in 0..4 {
            for h in 0..2 {
                r[4 * i + 2 * h] = _mm_unpacklo_epi16(t[4 * i + h], t[4 * i + 2 + h]);
                r[4 * i + 2 * h + 1] = _mm_unpackhi_epi16(t[4 * i + h], t[4 * i + 2 + h]);
            }
        }
        for i in 0..2 {
            for h in 0..4 {
                t[8 * i + 2 * h] = _mm_unpacklo_epi32(r[8 * i + h], r[8 * i + 4 + h]);
                t[8 * i + 2 * h + 1] = _mm_unpackhi_epi32(r[8 * i + h], r[8 * i + 4 + h]);
            }
        }
        for h in 0..8 {
            r[2 * h] = _mm_unpacklo_epi64(t[h], t[8 + h]);
            r[2 * h + 1] = _mm_unpackhi_epi64(t[h], t[8 + h]);
        }
    }
    r
}
/// SSE2, elements of one byte; what does not fill a square goes one by one.
pub(super) unsafe fn x1(b: &Block) {
    for r in (0..b.rows).step_by(16) {
        for c in (0..b.cols).step_by(16) {
            // SAFETY: as in `squares`.
            unsafe {
                let (s, so) = (b.src.add(r), b.soff.add(c));
                let (d, to) = (b.dst.add(c), b.doff.add(r));
                if b.rows - r >= 16 && b.cols - c >= 16 {
                    let mut v = [_mm_setzero_si128(); 16];
                    for k in 0..16 {
                        v[k] = _mm_loadu_si128(s.offset(*so.add(k)).cast());
                    }
                    let v = x_flip1(v);
                    for k in 0..16 {
                        _mm_storeu_si128(d.offset(*to.add(k)).cast(), v[k]);
                    }
                } else {
                    for i in 0..(b.rows - r).min(16) {
                        for j in 0..(b.cols - c).min(16) {
                            d.offset(*to.add(i)).add(j).write(s.offset(*so.add(j)).add(i).read());
                        }
                    }
                }
            }
        }
    }
}

/// As [`x_flip1`] in both halves: rows 0 to 15 in the lower, 16 to 31 in the upper.
#[inline]
#[target_feature(enable = "avx2")]
fn y_flip1(mut r: [Y; 16]) -> [Y; 16] {
    let mut t = r;
    for i in 0..8 {
        t[2 * i] = _mm256_unpacklo_epi8(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm256_unpackhi_epi8(r[2 * i], r[2 * i + 1]);
    }
    for i in 0..4 {
        for h in 0..2 {
            r[4 * i + 2 * h] = _mm256_unpacklo_epi16(t[4 * i + h], t[4 * i + 2 + h]);
            r[4 * i + 2 * h + 1] = _mm256_unpackhi_epi16(t[4 * i + h], t[4 * i + 2 + h]);
        }
    }
    for i in 0..2 {
        for h in 0..4 {
            t[8 * i + 2 * h] = _mm256_unpacklo_epi32(r[8 * i + h], r[8 * i + 4 + h]);
            t[8 * i + 2 * h + 1] = _mm256_unpackhi_epi32(r[8 * i + h], r[8 * i + 4 + h]);
        }
    }
    for h in 0..8 {
        r[2 * h] = _mm256_unpacklo_epi64(t[h], t[8 + h]);
        r[2 * h + 1] = _mm256_unpackhi_epi64(t[h], t[8 + h]);
    }
    r
}
/// AVX2, elements of one byte: 32 rows of 16 columns at once, rows innermost, so that lines of the source are read whole;
/// the rest by [`x1`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn y1(b: &Block) {
    let (rows, cols) = (b.rows / 32 * 32, b.cols / 16 * 16);
    // SAFETY: as in `squares`; the parts beside the whole ones are blocks of their own.
    unsafe {
        for c in (0..cols).step_by(16) {
            for r in (0..rows).step_by(32) {
                let (s, so) = (b.src.add(r), b.soff.add(c));
                let (d, to) = (b.dst.add(c), b.doff.add(r));
                let mut v = [y_zero(); 16];
                for k in 0..16 {
                    let p = s.offset(*so.add(k));
                    if b.ahead != 0 && r % 64 == 0 {
                        _mm_prefetch::<_MM_HINT_T1>(p.wrapping_offset(b.ahead).cast());
                    }
                    v[k] = y_load(p.cast());
                }
                let v = y_flip1(v);
                for k in 0..16 {
                    _mm_storeu_si128(d.offset(*to.add(k)).cast(), _mm256_castsi256_si128(v[k]));
                    _mm_storeu_si128(d.offset(*to.add(16 + k)).cast(), _mm256_extracti128_si256::<1>(v[k]));
                }
            }
        }
        if rows < b.rows {
            x1(&Block { src: b.src.add(rows), doff: b.doff.add(rows), rows: b.rows - rows, ..*b });
        }
        if cols < b.cols && rows > 0 {
            x1(&Block { dst: b.dst.add(cols), soff: b.soff.add(cols), rows, cols: b.cols - cols, ..*b });
        }
    }
}
