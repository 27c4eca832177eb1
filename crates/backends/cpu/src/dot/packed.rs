//! Products of larger matrices: panels of both factors are copied side by side, so that a tile reads them in order and
//! they stay in the cache level that the loops were cut for (Goto and van de Geijn, ACM TOMS 34(3), 2008; Van Zee and van
//! de Geijn, ACM TOMS 41(3), 2015). Sums are those of [`super::tile`].
use super::lanes::{Element, Lanes};
use super::tile::{self, Ahead, At, Band, KC, Lines, MV, Product, STEPS, band_width};

/// Rows of the left factor that are packed at once, at most (elements of `KC` columns: half of a second-level cache).
const ROWS: usize = 480;
/// Columns of the right factor that are packed at once, at most.
const COLUMNS: usize = 2048;

/// Copies a strip of `rows` rows (`rs` apart, columns `ks` apart), padded with zeros to `r`, so that the elements of a
/// column follow each other.
#[inline(always)]
unsafe fn strip<T: Lanes>(r: usize, rows: usize, k: usize, src: *const T::E, rs: isize, ks: isize, dst: *mut T::E) {
    // SAFETY: `rows * k` elements of the caller's matrix, `r * k` of its scratch.
    unsafe {
        if rs == 1 {
            // Whole registers, then one with the rows that are left, then zeros.
            let whole = rows / T::N * T::N;
            let (left, rest) = (rows - whole, (r - whole).min(T::N));
            let (some, to) = (T::mask(left.max(1)), T::mask(rest.max(1)));
            for p in 0..k {
                let (s, d) = (src.wrapping_offset(p as isize * ks), dst.add(p * r));
                for v in (0..whole).step_by(T::N) {
                    T::load(s.wrapping_add(v)).store(d.add(v));
                }
                if rest > 0 {
                    let x = if left > 0 { T::load_mask(s.wrapping_add(whole), some) } else { T::zero() };
                    x.store_mask(d.add(whole), to);
                }
                for v in (whole + T::N..r).step_by(T::N) {
                    T::zero().store_mask(d.add(v), T::mask(T::N.min(r - v)));
                }
            }
            return;
        }
        let (mut i0, mut k0) = (0, 0);
        if ks == 1 {
            (i0, k0) = (rows / T::BLOCK * T::BLOCK, k / T::BLOCK * T::BLOCK);
            for p in (0..k0).step_by(T::BLOCK) {
                for i in (0..i0).step_by(T::BLOCK) {
                    T::turn(src.wrapping_offset(i as isize * rs).wrapping_add(p), rs, dst.add(p * r + i), r as isize);
                }
            }
        }
        for p in 0..k {
            let s = src.wrapping_offset(p as isize * ks);
            for i in if p < k0 { i0 } else { 0 }..rows {
                dst.add(p * r + i).write(s.wrapping_offset(i as isize * rs).read());
            }
        }
        for v in (rows..r).step_by(T::N) {
            let mask = T::mask(T::N.min(r - v));
            for p in 0..k {
                T::zero().store_mask(dst.add(p * r + v), mask);
            }
        }
    }
}
/// Strips of `R` rows one element apart, whole ones, side by side: each column is read to its end before the next, as
/// memory likes it.
#[inline(always)]
unsafe fn strips<T: Lanes, const R: usize>(rows: usize, k: usize, src: *const T::E, ks: isize, dst: *mut T::E) {
    for p in 0..k {
        let s = src.wrapping_offset(p as isize * ks);
        for i in (0..rows).step_by(R) {
            for v in (0..R).step_by(T::N) {
                // SAFETY: `rows * k` elements of the caller's matrix and as many of its scratch.
                unsafe { T::load(s.wrapping_add(i + v)).store(dst.add(i * k + p * R + v)) };
            }
        }
    }
}
/// Columns of a band of tiles that are finished at once.
const NEAR_COLUMNS: usize = 64;
/// Bytes of a panel of the left factor: `KC` columns of the rows of a tile.
pub(crate) const PANEL: usize = 49152;
#[repr(C, align(64))]
struct Panel(std::mem::MaybeUninit<[u8; PANEL]>);
/// Calls `f` with memory for a panel. A function of its own that is never inlined: LLVM may move the probing of a large
/// stack frame behind an early exit and let it overwrite a register in use there.
#[inline(never)]
pub(crate) fn with_panel(f: &mut dyn FnMut(*mut u8)) {
    let mut panel = Panel(std::mem::MaybeUninit::uninit());
    f(panel.0.as_mut_ptr().cast());
}

/// A product whose left factor has any strides: its panels are copied one at a time to `buf` (see [`with_panel`]); the
/// right factor is read where it is. Rows of `C` one element apart.
#[inline(always)]
pub(crate) unsafe fn half<T: Lanes>(g: &Product<T::E>, buf: *mut T::E, bands: &[Band<T::E>; MV]) {
    let [m, n, k] = g.mnk;
    for p0 in (0..k).step_by(KC) {
        let kc = KC.min(k - p0);
        let (mut i, mut left) = (0, m.div_ceil(T::N));
        while left > 0 {
            let w = band_width::<T>(left);
            let rows = (m - i).min(w * T::N);
            let t = At {
                k: kc,
                a: buf.cast_const(),
                ac: (w * T::N) as isize,
                b: g.b.0.wrapping_offset(p0 as isize * g.b.1),
                br: g.b.1,
                bc: g.b.2,
                c: g.c.0.wrapping_add(i),
                cc: g.c.1,
                more: p0 > 0,
            };
            let a = g.a.0.wrapping_offset(i as isize * g.a.1 + p0 as isize * g.a.2);
            // SAFETY: rows `i..i + rows` of the caller's matrices; a panel has `MV * N * KC` elements at most.
            unsafe {
                strip::<T>(w * T::N, rows, kc, a, g.a.1, g.a.2, buf);
            }
            // What follows finds the columns in the first-level cache.
            let then = g.then.filter(|_| p0 + kc == k);
            let each = if then.is_some() { NEAR_COLUMNS } else { n };
            for j in (0..n).step_by(each.max(1)) {
                let cols = each.min(n - j);
                let (b, c) = (t.b.wrapping_offset(j as isize * t.bc), t.c.wrapping_offset(j as isize * t.cc));
                // SAFETY: as above, columns `j..j + cols`.
                unsafe { bands[w - 1](&At { b, c, ..t }, cols, rows) };
                if let Some(then) = then {
                    then([i, rows, j, cols]);
                }
            }
            i += rows;
            left -= w;
        }
    }
}
/// Rows and columns of the blocks that a product of these extents is packed in: even shares rather than a short last one.
/// Where sums are short, blocks are longer, so that they are as large.
fn blocks([m, n, k]: [usize; 3], [mr, nr]: [usize; 2]) -> [usize; 2] {
    let share = |n: usize, most: usize, unit: usize| n.div_ceil(n.div_ceil(most).max(1)).next_multiple_of(unit);
    let more = (KC / k.clamp(1, KC)).min(8);
    [share(m, ROWS * more, mr), share(n, COLUMNS, nr)]
}
/// Elements of scratch that [`packed`] needs.
pub(crate) fn scratch(mnk: [usize; 3]) -> usize {
    // Rows and columns of tiles divide these.
    let [mc, nc] = blocks(mnk, [48, 24]);
    mc * KC.min(mnk[2]) + nc * (KC.min(mnk[2]) + 1) + TILE
}
/// Elements of a tile.
const TILE: usize = 48 * 8;

/// A product of any strides in the factors; rows of `C` one element apart. `buf`: [`scratch`] elements. `past`: writes past
/// the caches, a result whose columns are aligned to registers, where sums end in the first block. `T` copies, `S` multiplies:
/// numbers of so few bits that several are a lane ([`Lanes::JOINED`]).
#[inline(always)]
pub(crate) unsafe fn packed<T: Lanes, S: Lanes<E = T::E>, const MR: usize, const NR: usize>(
    g: &Product<T::E>,
    buf: *mut T::E,
    past: bool,
) {
    let [m, n, k] = g.mnk;
    let [mc, nc] = blocks(g.mnk, [MR, NR]);
    let past = past && k <= KC;
    let (edge, pa) = (buf, buf.wrapping_add(TILE));
    let pb = pa.wrapping_add(mc * KC.min(k));
    // SAFETY: every index below is inside the caller's matrices or the scratch.
    unsafe {
        for jc in (0..n).step_by(nc) {
            let nb = nc.min(n - jc);
            for p0 in (0..k).step_by(KC) {
                let kc = KC.min(k - p0);
                let steps = kc.div_ceil(S::JOINED);
                // What sums of four start with lies behind a strip.
                let strip_of = steps + usize::from(S::JOINED > 2);
                for j in (0..nb).step_by(NR) {
                    let s = g.b.0.wrapping_offset((jc + j) as isize * g.b.2 + p0 as isize * g.b.1);
                    let to = pb.add(j * strip_of);
                    if S::JOINED == 1 {
                        strip::<T>(NR, NR.min(nb - j), kc, s, g.b.2, g.b.1, to);
                    } else {
                        joined::<S>([NR, NR.min(nb - j), kc], s, [g.b.2, g.b.1], to, false);
                        S::starts(to, steps);
                    }
                }
                for ic in (0..m).step_by(mc) {
                    let mb = mc.min(m - ic);
                    if S::JOINED == 1 {
                        left_panels::<T, MR>(g, [ic, mb], [p0, kc], pa);
                    } else {
                        for i in (0..mb).step_by(MR) {
                            let s = g.a.0.wrapping_offset((ic + i) as isize * g.a.1 + p0 as isize * g.a.2);
                            let rows = MR.min(mb - i);
                            let to = pa.add(i * steps);
                            joined::<S>([rows.next_multiple_of(S::N), rows, kc], s, [g.a.1, g.a.2], to, true);
                        }
                    }
                    let tiles = mb.div_ceil(MR) * nb.div_ceil(NR);
                    let mut ahead = Ahead::new(following(g, [mc, nc], [ic, jc, p0]), tiles * (steps / STEPS));
                    for j in (0..nb).step_by(NR) {
                        let cols = NR.min(nb - j);
                        for i in (0..mb).step_by(MR) {
                            let rows = MR.min(mb - i);
                            let mut t = At {
                                k: steps,
                                a: pa.add(i * steps).cast_const(),
                                ac: 0,
                                b: pb.add(j * strip_of).cast_const(),
                                br: NR as isize,
                                bc: 1,
                                c: g.c.0.wrapping_offset((jc + j) as isize * g.c.1).wrapping_add(ic + i),
                                cc: g.c.1,
                                more: p0 > 0,
                            };
                            if cols < NR {
                                (t.c, t.cc, t.more) = (edge, MR as isize, false);
                            }
                            let w = rows.div_ceil(T::N);
                            let (mask, past) = (S::mask(rows - (w - 1) * T::N), past && rows == w * T::N && cols == NR);
                            match w {
                                1 => tile::packed::<S, 1, NR>(&t, mask, &mut ahead, past),
                                3 if MR > 2 * T::N => tile::packed::<S, MV, NR>(&t, mask, &mut ahead, past),
                                _ => tile::packed::<S, 2, NR>(&t, mask, &mut ahead, past),
                            }
                            if cols < NR {
                                let c = g.c.0.wrapping_offset((jc + j) as isize * g.c.1).wrapping_add(ic + i);
                                add_edge(edge, MR, [rows, cols], c, g.c.1, p0 > 0);
                            }
                        }
                        if let Some(then) = g.then.filter(|_| p0 + kc == k) {
                            then([ic, mb, jc + j, cols]);
                        }
                    }
                }
            }
        }
    }
    if past {
        T::fence();
    }
}
/// As [`strip`], with the neighbours of a sum joined; `left`: of the left factor.
#[inline(always)]
unsafe fn joined<S: Lanes>(
    [r, rows, k]: [usize; 3],
    src: *const S::E,
    [rs, ks]: [isize; 2],
    dst: *mut S::E,
    left: bool,
) {
    let steps = k.div_ceil(S::JOINED);
    let columns = |p: usize| S::JOINED.min(k - p * S::JOINED);
    // SAFETY: `rows * k` elements of the caller's matrix, `r` for each step of its scratch.
    unsafe {
        if rs == 1 {
            for p in 0..steps {
                let (s, d) = (src.wrapping_offset((p * S::JOINED) as isize * ks), dst.add(p * r));
                for v in (0..r).step_by(S::N) {
                    let x = match rows.saturating_sub(v) {
                        0 => S::zero(),
                        n => S::join(s.wrapping_add(v), ks, columns(p), S::mask(n.min(S::N)), left),
                    };
                    x.store_mask(d.add(v), S::mask(S::N.min(r - v)));
                }
            }
            return;
        }
        for i in 0..r {
            let s = src.wrapping_offset(i as isize * rs);
            for p in 0..steps {
                let s = s.wrapping_offset((p * S::JOINED) as isize * ks);
                let x = if i < rows { S::join_one(s, ks, columns(p), left) } else { S::E::ZERO };
                dst.add(p * r + i).write(x);
            }
        }
    }
}
/// Bits that tell every element of both factors: 8, 16 or 32.
#[inline(always)]
pub(crate) unsafe fn bits(g: &Product<i32>) -> u32 {
    let [m, n, k] = g.mnk;
    let of = |at: *const i32, [x, y]: [usize; 2], [xs, ys]: [isize; 2]| {
        // The axis whose elements are beside each other inside.
        let ([x, y], [xs, ys]) = if ys == 1 && xs != 1 { ([y, x], [ys, xs]) } else { ([x, y], [xs, ys]) };
        let mut most = 8;
        for j in 0..y as isize {
            let line = at.wrapping_offset(j * ys);
            let (mut byte, mut word) = (0, 0);
            for i in 0..x as isize {
                // SAFETY: elements of the caller's factor.
                let e = unsafe { if xs == 1 { line.wrapping_offset(i) } else { line.wrapping_offset(i * xs) }.read() };
                byte |= e.wrapping_add(1 << 7) as u32;
                word |= e.wrapping_add(1 << 15) as u32;
            }
            match (byte >> 8, word >> 16) {
                (0, _) => {}
                (_, 0) => most = 16,
                _ => return 32,
            }
        }
        most
    };
    match of(g.a.0, [m, k], [g.a.1, g.a.2]) {
        32 => 32,
        left => of(g.b.0, [k, n], [g.b.1, g.b.2]).max(left),
    }
}
/// Copies `mb` rows of the left factor from row `ic`, `kc` columns from column `p0`: panels of `MR` rows, the last as wide as
/// the registers that its rows need.
#[inline(always)]
unsafe fn left_panels<T: Lanes, const MR: usize>(
    g: &Product<T::E>,
    [ic, mb]: [usize; 2],
    [p0, kc]: [usize; 2],
    to: *mut T::E,
) {
    let at = |i: usize| g.a.0.wrapping_offset((ic + i) as isize * g.a.1 + p0 as isize * g.a.2);
    // SAFETY: rows and columns of the caller's matrix.
    unsafe {
        let mut done = 0;
        if g.a.1 == 1 {
            done = mb / MR * MR;
            strips::<T, MR>(done, kc, at(0), g.a.2, to);
        }
        for i in (done..mb).step_by(MR) {
            let rows = MR.min(mb - i);
            strip::<T>(rows.next_multiple_of(T::N), rows, kc, at(i), g.a.1, g.a.2, to.add(i * kc));
        }
    }
}
/// What is packed after the block of the left factor at row `ic`, column `p0` for columns of the result from `jc`: the next
/// such block; behind the last, the next of the right factor and the first of the left again.
#[inline(always)]
fn following<E: Element>(g: &Product<E>, [mc, nc]: [usize; 2], [ic, jc, p0]: [usize; 3]) -> [Lines; 2] {
    let [m, n, k] = g.mnk;
    let far = |x: usize, y: usize| x.saturating_mul(y).saturating_mul(size_of::<E>()) >= FAR;
    let left = |i: usize, p: usize| {
        let at = g.a.0.wrapping_offset(i as isize * g.a.1 + p as isize * g.a.2);
        let part = [mc.min(m - i), KC.min(k - p)];
        if far(m, k) { Lines::of(at, part, [g.a.1, g.a.2]) } else { Lines::NONE }
    };
    let right = |j: usize, p: usize| {
        let at = g.b.0.wrapping_offset(j as isize * g.b.2 + p as isize * g.b.1);
        let part = [nc.min(n - j), KC.min(k - p)];
        if far(n, k) { Lines::of(at, part, [g.b.2, g.b.1]) } else { Lines::NONE }
    };
    if ic + mc < m {
        [left(ic + mc, p0), Lines::NONE]
    } else if p0 + KC < k {
        [right(jc, p0 + KC), left(0, p0 + KC)]
    } else if jc + nc < n {
        [right(jc + nc, 0), Lines::NONE]
    } else {
        [Lines::NONE; 2]
    }
}
/// Bytes of a factor from which it does not stay in the second-level cache.
const FAR: usize = 1 << 20;
/// Moves a tile with fewer columns than it was summed for to its place in the result, or adds it.
#[inline(always)]
unsafe fn add_edge<E: Element>(
    from: *const E,
    step: usize,
    [rows, cols]: [usize; 2],
    c: *mut E,
    cc: isize,
    more: bool,
) {
    for j in 0..cols {
        let to = c.wrapping_offset(j as isize * cc);
        for i in 0..rows {
            // SAFETY: the caller's tiles.
            unsafe {
                let x = from.add(j * step + i).read();
                to.add(i).write(if more { to.add(i).read().plus(x) } else { x });
            }
        }
    }
}
