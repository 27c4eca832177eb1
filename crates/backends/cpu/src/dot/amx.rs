//! Products of bytes by the tiles of AMX: sixteen rows of sixteen sums, each of the products of 64 bytes of the sum (Intel 64 and IA-32
//! Architectures Software Developer's Manual, volume 1, chapter 18; `TDPBSSD` and its kin in volume 2). Sums of integers wrap, so that they have
//! the bits of every other way.
use std::arch::asm;
use std::arch::x86_64::*;
use std::sync::OnceLock;

/// A factor whose elements are bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes {
    /// Element 0, 0.
    pub(crate) at: *const u8,
    /// Bytes from a row of the left factor, or a column of the right one, to the next; and along the sum.
    pub(crate) steps: [isize; 2],
    /// Whether a byte is a number below 0 where its highest bit is 1.
    pub(crate) signed: bool,
}
/// `C = A B`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    /// Rows and columns of the result, length of the sums.
    pub(crate) mnk: [usize; 3],
    /// The factors.
    pub(crate) a: Bytes,
    pub(crate) b: Bytes,
    /// Result, whose rows are one element apart, and elements from a column to the next.
    pub(crate) c: (*mut i32, isize),
}
/// Rows and columns of the result that are summed at once: two tiles by two.
const SIDE: usize = 32;
/// Bytes of a sum that a tile multiplies at once.
const DEPTH: usize = 64;
/// Bytes of the tiles of one factor for that.
const STEP: usize = SIDE * DEPTH;
/// Elements of a square of tiles.
const SQUARE: usize = SIDE * SIDE;
/// How a product is cut: rows, columns and bytes of sums that are packed at once.
#[derive(Clone, Copy)]
struct Cut {
    rows: usize,
    columns: usize,
    sums: usize,
}
/// Two megabytes of packed factors at most: a second-level cache.
const LARGE: Cut = Cut { rows: 512, columns: 512, sums: 1024 };
/// What fits a panel of the stack.
const SMALL: Cut = Cut { rows: SIDE, columns: SIDE, sums: 512 };

/// Whether this machine has the tiles, and its system lets this process use them.
pub(crate) fn ready() -> bool {
    static READY: OnceLock<bool> = OnceLock::new();
    *READY.get_or_init(|| std::arch::is_x86_feature_detected!("avx512f") && has_tiles() && allowed())
}
/// Whether the processor has tiles of bytes, and the system saves them.
fn has_tiles() -> bool {
    #[target_feature(enable = "xsave")]
    fn saved() -> u64 {
        // SAFETY: the caller has asked for the instruction.
        unsafe { _xgetbv(0) }
    }
    const TILES_AND_BYTES: u32 = 1 << 24 | 1 << 25;
    const SAVED: u64 = 1 << 17 | 1 << 18;
    let (first, most) = (__cpuid(1), __cpuid(0).eax);
    let named = most >= 7 && __cpuid_count(7, 0).edx & TILES_AND_BYTES == TILES_AND_BYTES;
    // SAFETY: bit 27 of `ecx` says that the instruction is there.
    named && first.ecx >> 27 & 1 == 1 && unsafe { saved() } & SAVED == SAVED
}
/// Asks the system for the tiles: Linux gives their memory to processes that ask (`arch_prctl`, `ARCH_REQ_XCOMP_PERM`).
#[cfg(target_os = "linux")]
fn allowed() -> bool {
    const ARCH_PRCTL: i64 = 158;
    const ARCH_REQ_XCOMP_PERM: u64 = 0x1023;
    const XFEATURE_XTILEDATA: u64 = 18;
    let mut answer = ARCH_PRCTL;
    // SAFETY: this system call takes two numbers and touches no memory of the process.
    unsafe {
        asm!("syscall", inlateout("rax") answer, in("rdi") ARCH_REQ_XCOMP_PERM, in("rsi") XFEATURE_XTILEDATA,
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    answer == 0
}
#[cfg(not(target_os = "linux"))]
fn allowed() -> bool {
    false
}

/// Memory that [`product`] packs into, for a product of these extents.
pub(crate) fn scratch([m, n, k]: [usize; 3]) -> usize {
    room(LARGE, [m, n, k])
}
fn room(cut: Cut, [m, n, k]: [usize; 3]) -> usize {
    let sums = k.min(cut.sums).next_multiple_of(DEPTH);
    (m.min(cut.rows).next_multiple_of(SIDE) + n.min(cut.columns).next_multiple_of(SIDE)) * sums
}
/// The product. `memory`: [`scratch`] bytes; without, it is made in small pieces on the stack.
///
/// # Safety
/// [`ready`]. The factors cover the extents; the result is the caller's, and overlaps neither.
pub(crate) unsafe fn product(g: &Product, memory: Option<*mut u8>) {
    // SAFETY: passed on; a panel of the stack has room for small pieces.
    unsafe {
        configure();
        match memory {
            Some(at) => pieces(g, LARGE, at),
            None => super::packed::with_panel(&mut |at| pieces(g, SMALL, at)),
        }
        asm!("tilerelease", options(nostack, preserves_flags));
    }
}
/// Eight tiles of sixteen rows of 64 bytes.
unsafe fn configure() {
    #[repr(C, align(64))]
    struct Config([u8; 64]);
    let mut all = Config([0; 64]);
    all.0[0] = 1;
    for t in 0..8 {
        (all.0[16 + 2 * t], all.0[48 + t]) = (64, 16);
    }
    // SAFETY: 64 bytes, which say what tiles are.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const all, options(nostack, preserves_flags, readonly)) };
}
unsafe fn pieces(g: &Product, cut: Cut, memory: *mut u8) {
    let [m, n, k] = g.mnk;
    let multiply = match (g.b.signed, g.a.signed) {
        (true, true) => signed_signed,
        (true, false) => signed_unsigned,
        (false, true) => unsigned_signed,
        (false, false) => unsigned_unsigned,
    };
    let at = |f: &Bytes, i: usize, p: usize| {
        f.at.wrapping_offset(i as isize * f.steps[0]).wrapping_offset(p as isize * f.steps[1])
    };
    for jc in (0..n).step_by(cut.columns) {
        let columns = cut.columns.min(n - jc);
        for p0 in (0..k).step_by(cut.sums) {
            let sums = cut.sums.min(k - p0);
            let (steps, strip) = (sums.div_ceil(DEPTH), sums.div_ceil(DEPTH) * STEP);
            let left = memory.wrapping_add(columns.div_ceil(SIDE) * strip);
            for j in (0..columns).step_by(SIDE) {
                // SAFETY: columns of the caller's factor; there is room for whole strips.
                unsafe {
                    pack_right(
                        at(&g.b, jc + j, p0),
                        g.b.steps,
                        [SIDE.min(columns - j), sums],
                        memory.add(j / SIDE * strip),
                    )
                };
            }
            for ic in (0..m).step_by(cut.rows) {
                let rows = cut.rows.min(m - ic);
                for i in (0..rows).step_by(SIDE) {
                    // SAFETY: as above, of rows.
                    unsafe {
                        pack_left(
                            at(&g.a, ic + i, p0),
                            g.a.steps,
                            [SIDE.min(rows - i), sums],
                            left.add(i / SIDE * strip),
                        )
                    };
                }
                for j in (0..columns).step_by(SIDE) {
                    for i in (0..rows).step_by(SIDE) {
                        let (a, b) = (left.wrapping_add(i / SIDE * strip), memory.wrapping_add(j / SIDE * strip));
                        let c = g.c.0.wrapping_add(ic + i).wrapping_offset((jc + j) as isize * g.c.1);
                        let there = [SIDE.min(rows - i), SIDE.min(columns - j)];
                        // SAFETY: packed strips, and a part of the caller's result.
                        unsafe { square(multiply, [a, b], steps, (c, g.c.1), there, p0 > 0) };
                    }
                }
            }
        }
    }
}
/// Sums of a square of the result, of which the caller has `there` rows and columns; with `more`, added to what is there.
unsafe fn square(
    multiply: unsafe fn(*const u8, *const u8, usize),
    [a, b]: [*mut u8; 2],
    steps: usize,
    (c, cc): (*mut i32, isize),
    there: [usize; 2],
    more: bool,
) {
    // SAFETY: the caller's strips and result; what is not whole goes through memory of its own.
    unsafe {
        if there == [SIDE, SIDE] {
            if more {
                load(c, cc)
            } else {
                zero()
            }
            multiply(a, b, steps);
            return store(c, cc);
        }
        zero();
        multiply(a, b, steps);
        let mut all = [0i32; SQUARE];
        store(all.as_mut_ptr(), SIDE as isize);
        for j in 0..there[1] {
            for i in 0..there[0] {
                let to = c.wrapping_offset(j as isize * cc).wrapping_add(i);
                to.write(if more { to.read().wrapping_add(all[j * SIDE + i]) } else { all[j * SIDE + i] });
            }
        }
    }
}
unsafe fn zero() {
    // SAFETY: tiles 0 to 3 hold sums.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            options(nostack, preserves_flags, nomem)
        );
    }
}
/// The addresses of the four tiles of a square, and bytes from a column to the next.
fn corners(c: *mut i32, cc: isize) -> ([*mut i32; 4], isize) {
    let half = (SIDE / 2) as isize;
    let below = c.wrapping_offset(half);
    ([c, below, c.wrapping_offset(half * cc), below.wrapping_offset(half * cc)], cc * size_of::<i32>() as isize)
}
unsafe fn load(c: *mut i32, cc: isize) {
    let ([x, y, z, w], step) = corners(c, cc);
    // SAFETY: the caller's square.
    unsafe {
        asm!("tileloadd tmm0, [{x} + {s}]", "tileloadd tmm1, [{y} + {s}]", "tileloadd tmm2, [{z} + {s}]", "tileloadd tmm3, [{w} + {s}]",
            x = in(reg) x, y = in(reg) y, z = in(reg) z, w = in(reg) w, s = in(reg) step,
            options(nostack, preserves_flags, readonly));
    }
}
unsafe fn store(c: *mut i32, cc: isize) {
    let ([x, y, z, w], step) = corners(c, cc);
    // SAFETY: the caller's square.
    unsafe {
        asm!("tilestored [{x} + {s}], tmm0", "tilestored [{y} + {s}], tmm1", "tilestored [{z} + {s}], tmm2", "tilestored [{w} + {s}], tmm3",
            x = in(reg) x, y = in(reg) y, z = in(reg) z, w = in(reg) w, s = in(reg) step,
            options(nostack, preserves_flags));
    }
}
macro_rules! multiply {
    ($($name:ident $op:literal;)*) => { $(
        /// Adds products of two packed strips to the sums. A column of the result is a row of its tile: the right factor is the
        /// instruction's first.
        unsafe fn $name(left: *const u8, right: *const u8, steps: usize) {
            // SAFETY: the caller's strips have so many steps, at least one.
            unsafe {
                asm!(
                    "2:",
                    "tileloadd tmm4, [{b} + {near}]",
                    "tileloadd tmm6, [{a} + {far}]",
                    concat!($op, " tmm0, tmm4, tmm6"),
                    "tileloadd tmm7, [{a} + {far} + 64]",
                    concat!($op, " tmm1, tmm4, tmm7"),
                    "tileloadd tmm5, [{b} + {near} + 1024]",
                    concat!($op, " tmm2, tmm5, tmm6"),
                    concat!($op, " tmm3, tmm5, tmm7"),
                    "add {a}, 2048",
                    "add {b}, 2048",
                    "dec {n}",
                    "jnz 2b",
                    a = inout(reg) left => _, b = inout(reg) right => _, n = inout(reg) steps => _,
                    near = in(reg) 64usize, far = in(reg) 128usize,
                    options(nostack, readonly));
            }
        }
    )* };
}
multiply! {
    signed_signed "tdpbssd";
    signed_unsigned "tdpbsud";
    unsigned_signed "tdpbusd";
    unsigned_unsigned "tdpbuud";
}
/// Columns of the right factor as tiles: of 64 bytes of each sum, those of a column beside each other.
unsafe fn pack_right(from: *const u8, [step, along]: [isize; 2], [columns, sums]: [usize; 2], to: *mut u8) {
    // SAFETY: the caller's columns, and room for a strip.
    unsafe {
        if columns < SIDE || !sums.is_multiple_of(DEPTH) {
            to.write_bytes(0, sums.div_ceil(DEPTH) * STEP);
        }
        for j in 0..columns {
            let (from, to) = (from.wrapping_offset(j as isize * step), to.add(j * DEPTH));
            for p in (0..sums).step_by(DEPTH) {
                let (n, to) = (DEPTH.min(sums - p), to.add(p * SIDE));
                if along == 1 {
                    std::ptr::copy_nonoverlapping(from.add(p), to, n);
                } else {
                    (0..n).for_each(|q| to.add(q).write(from.wrapping_offset((p + q) as isize * along).read()));
                }
            }
        }
    }
}
/// Rows of the left factor as tiles: four bytes of the sum of a row beside each other, then those of the next row.
unsafe fn pack_left(from: *const u8, [step, along]: [isize; 2], [rows, sums]: [usize; 2], to: *mut u8) {
    // SAFETY: the caller's rows, and room for a strip.
    unsafe {
        if rows < SIDE || !sums.is_multiple_of(DEPTH) {
            to.write_bytes(0, sums.div_ceil(DEPTH) * STEP);
        }
        let place = |i: usize, p: usize| to.add(p / 4 * (4 * SIDE) + i * 4 + p % 4);
        let one = |i: usize, p: usize| {
            place(i, p).write(from.wrapping_offset(i as isize * step).wrapping_offset(p as isize * along).read());
        };
        let whole = sums / 4 * 4;
        if step == 1 {
            let sixteens = rows / 16 * 16;
            for p in (0..whole).step_by(4) {
                let column = |q: usize| from.wrapping_offset((p + q) as isize * along);
                for i in (0..sixteens).step_by(16) {
                    let [x, y, z, w] = [0, 1, 2, 3].map(|q| _mm_loadu_si128(column(q).add(i).cast()));
                    let (low, high) = (_mm_unpacklo_epi8(x, y), _mm_unpackhi_epi8(x, y));
                    let (low2, high2) = (_mm_unpacklo_epi8(z, w), _mm_unpackhi_epi8(z, w));
                    let quads = [
                        _mm_unpacklo_epi16(low, low2),
                        _mm_unpackhi_epi16(low, low2),
                        _mm_unpacklo_epi16(high, high2),
                        _mm_unpackhi_epi16(high, high2),
                    ];
                    let to = place(i, p).cast::<__m128i>();
                    quads.into_iter().enumerate().for_each(|(e, x)| _mm_storeu_si128(to.add(e), x));
                }
                (sixteens..rows).for_each(|i| (0..4).for_each(|q| one(i, p + q)));
            }
        } else if along == 1 {
            for i in 0..rows {
                let from = from.wrapping_offset(i as isize * step);
                for p in (0..whole).step_by(4) {
                    place(i, p).cast::<u32>().write_unaligned(from.add(p).cast::<u32>().read_unaligned());
                }
            }
        } else {
            (0..rows).for_each(|i| (0..whole).for_each(|p| one(i, p)));
        }
        (0..rows).for_each(|i| (whole..sums).for_each(|p| one(i, p)));
    }
}
