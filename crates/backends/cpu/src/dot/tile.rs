//! Products of matrices: a tile of the result is summed in registers over the whole of `k` (or one block of it), its rows
//! along the lanes.
//!
//! Every element of the result is a sum in one fixed order, whatever the instruction set, the tiling and the packing:
//! blocks of [`KC`] products, each a chain of fused multiply-adds from zero, added in order.
use super::lanes::Lanes;

/// Products of one chain.
pub(crate) const KC: usize = 256;
/// Registers of rows of a tile, at most.
pub(crate) const MV: usize = 3;

/// Called with each part of the result as it is finished, before it leaves the caches: first row, rows, first column,
/// columns.
pub(crate) type Then<'a> = &'a (dyn Fn([usize; 4]) + Sync);
/// `C = A B`: addresses, strides in elements. Rows of `C` are one element apart.
#[derive(Clone, Copy)]
pub(crate) struct Product<'a, E> {
    /// Extents `m`, `n`, `k`.
    pub(crate) mnk: [usize; 3],
    /// Left factor; strides of rows and columns.
    pub(crate) a: (*const E, isize, isize),
    /// Right factor.
    pub(crate) b: (*const E, isize, isize),
    /// Result; stride of columns.
    pub(crate) c: (*mut E, isize),
    /// What is to be done with finished parts of it.
    pub(crate) then: Option<Then<'a>>,
    /// Where the elements of a sum lie in one factor, instead of its stride along the sum.
    pub(crate) taps: Option<Taps<'a>>,
}
/// Displacements of the elements of a row or column of a factor, in elements; whether that is the left factor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taps<'a> {
    pub(crate) at: &'a [isize],
    pub(crate) left: bool,
}

/// Where a tile reads and writes: a left panel with rows one element apart, a right panel, the result.
#[derive(Clone, Copy)]
pub(crate) struct At<E> {
    pub(crate) k: usize,
    pub(crate) a: *const E,
    pub(crate) ac: isize,
    pub(crate) b: *const E,
    pub(crate) br: isize,
    pub(crate) bc: isize,
    pub(crate) c: *mut E,
    pub(crate) cc: isize,
    /// Whether the product is added to the result, rather than replacing it.
    pub(crate) more: bool,
}
/// Lines of a part of a matrix: runs of them, `stride` bytes apart.
#[derive(Clone, Copy)]
pub(crate) struct Lines {
    at: *const u8,
    stride: isize,
    /// Lines of a run.
    run: usize,
    runs: usize,
}
impl Lines {
    /// None.
    pub(crate) const NONE: Lines = Lines { at: std::ptr::null(), stride: 0, run: 0, runs: 0 };
    /// The panels of `n` by `k` elements whose strides are `ns` and `ks`; `None` where neither is 1.
    pub(crate) fn of<E>(at: *const E, [n, k]: [usize; 2], [ns, ks]: [isize; 2]) -> Lines {
        let size = size_of::<E>();
        let (len, runs, step) = match (ns, ks) {
            (1, s) if s == n as isize => (n * k, 1, 0),
            (s, 1) if s == k as isize => (n * k, 1, 0),
            (1, s) => (n, k, s),
            (s, 1) => (k, n, s),
            _ => return Lines::NONE,
        };
        let at = at.cast::<u8>();
        let run = (at.addr() % 64 + len * size).div_ceil(64);
        Lines { at, stride: step * size as isize, run, runs: if n * k > 0 { runs } else { 0 } }
    }
    fn len(&self) -> usize {
        self.run * self.runs
    }
}
/// Lines that the tiles of one block bring near for the next, some at each trip.
pub(crate) struct Ahead {
    parts: [Lines; 2],
    line: usize,
    /// Lines at each trip of [`STEPS`].
    each: usize,
}
impl Ahead {
    /// Lines of two parts, brought in over so many trips.
    pub(crate) fn new(parts: [Lines; 2], trips: usize) -> Ahead {
        let lines = parts[0].len() + parts[1].len();
        Ahead { parts, line: 0, each: lines.div_ceil(trips.max(1)).min(8) }
    }
    #[inline(always)]
    unsafe fn step<T: Lanes>(&mut self) {
        for _ in 0..self.each {
            let p = &mut self.parts[0];
            if p.runs == 0 {
                self.each = 0;
                return;
            }
            // SAFETY: a hint touches nothing.
            unsafe { T::near(p.at.wrapping_add(64 * self.line)) };
            self.line += 1;
            if self.line == p.run {
                p.at = p.at.wrapping_offset(p.stride);
                p.runs -= 1;
                self.line = 0;
                if p.runs == 0 {
                    self.parts = [self.parts[1], Lines::NONE];
                }
            }
        }
    }
}
/// Steps of a trip through packed panels: counting competes with the multiplications for ports.
pub(crate) const STEPS: usize = 4;

/// Adds the product of a column of `A` and a row of `B`.
#[inline(always)]
unsafe fn step<T: Lanes, const W: usize, const R: usize, const PACKED: bool>(
    acc: &mut [[T; W]; R],
    a: *const T::E,
    b: *const T::E,
    bc: isize,
    mask: T::Mask,
) {
    // SAFETY: the caller's panels.
    unsafe {
        let mut x = [T::zero(); W];
        for v in 0..W - 1 {
            x[v] = T::load(a.add(v * T::N));
        }
        let last = a.add((W - 1) * T::N);
        x[W - 1] = if PACKED { T::load(last) } else { T::load_mask(last, mask) };
        for j in 0..R {
            let s = T::splat(b.wrapping_offset(j as isize * bc));
            for v in 0..W {
                acc[j][v] = x[v].fma(s, acc[j][v]);
            }
        }
    }
}
/// `W` registers of rows, the last under the mask, by `R` columns.
#[inline(always)]
pub(crate) unsafe fn tile<T: Lanes, const W: usize, const R: usize>(t: &At<T::E>, mask: T::Mask) {
    let mut acc = [[T::zero(); W]; R];
    let (mut a, mut b) = (t.a, t.b);
    // SAFETY: the caller's panels cover the tile.
    unsafe {
        for _ in 0..t.k {
            step::<T, W, R, false>(&mut acc, a, b, t.bc, mask);
            a = a.wrapping_offset(t.ac);
            b = b.wrapping_offset(t.br);
        }
        put::<T, W, R>(t, &acc, mask);
    }
}
/// As [`tile`], one factor by its `taps` of this block of the sum.
#[inline(always)]
unsafe fn tapped<T: Lanes, const W: usize, const R: usize>(t: &At<T::E>, mask: T::Mask, taps: Taps) {
    let mut acc = [[T::zero(); W]; R];
    // One of them counts.
    let [la, lb] = if taps.left { [1, 0] } else { [0, 1] };
    let (mut a, mut b) = (t.a, t.b);
    // SAFETY: the caller's factors cover the tile.
    unsafe {
        for &at in taps.at {
            step::<T, W, R, false>(&mut acc, a.wrapping_offset(at * la), b.wrapping_offset(at * lb), t.bc, mask);
            a = a.wrapping_offset(t.ac);
            b = b.wrapping_offset(t.br);
        }
        put::<T, W, R>(t, &acc, mask);
    }
}
/// A band of `W` registers of rows and `n` columns by [`tapped`] tiles.
#[inline(always)]
unsafe fn tapped_band<T: Lanes, const W: usize>(t: &At<T::E>, n: usize, rows: usize, taps: Taps) {
    let (mut t, mut left, mask) = (*t, n, T::mask(rows - (W - 1) * T::N));
    // SAFETY: passed on.
    unsafe {
        while left > 0 {
            let r = match left {
                8.. if T::COLS == 8 => {
                    tapped::<T, W, 8>(&t, mask, taps);
                    8
                }
                4.. => {
                    tapped::<T, W, 4>(&t, mask, taps);
                    4
                }
                2.. => {
                    tapped::<T, W, 2>(&t, mask, taps);
                    2
                }
                _ => {
                    tapped::<T, W, 1>(&t, mask, taps);
                    1
                }
            };
            left -= r;
            t.b = t.b.wrapping_offset(r as isize * t.bc);
            t.c = t.c.wrapping_offset(r as isize * t.cc);
        }
    }
}
/// A product one of whose factors has [`Product::taps`], and is read where it is: windows that overlap, say, of which a copy would be
/// many times larger. Rows of the left factor and of `C` one element apart.
#[inline(always)]
pub(crate) unsafe fn windows<T: Lanes>(p: &Product<T::E>) {
    let ([m, n, k], Some(all)) = (p.mnk, p.taps) else { return };
    for p0 in (0..k).step_by(KC) {
        let kc = KC.min(k - p0);
        let taps = Taps { at: &all.at[p0..p0 + kc], left: all.left };
        let (mut i, mut left) = (0, m.div_ceil(T::N));
        while left > 0 {
            let w = band_width::<T>(left);
            let rows = (m - i).min(w * T::N);
            let [ac, br] = if all.left { [0, p.b.1] } else { [p.a.2, 0] };
            let t = At {
                k: kc,
                a: p.a.0.wrapping_add(i).wrapping_offset(p0 as isize * ac),
                ac,
                b: p.b.0.wrapping_offset(p0 as isize * br),
                br,
                bc: p.b.2,
                c: p.c.0.wrapping_add(i),
                cc: p.c.1,
                more: p0 > 0,
            };
            // SAFETY: rows `i..i + rows` of the caller's matrices.
            unsafe {
                match w {
                    1 => tapped_band::<T, 1>(&t, n, rows, taps),
                    2 => tapped_band::<T, 2>(&t, n, rows, taps),
                    _ => tapped_band::<T, 3>(&t, n, rows, taps),
                }
            }
            if let Some(then) = p.then.filter(|_| p0 + kc == k) {
                then([i, rows, 0, n]);
            }
            i += rows;
            left -= w;
        }
    }
}
/// The same on panels packed as wide as the tile, with zeros where rows or columns are missing. `ahead`: what to bring near
/// meanwhile; `past`: writes past the caches, whole registers that are aligned. Behind the panel of the right factor lies what sums of
/// four start with ([`Lanes::starts`]).
#[inline(always)]
pub(crate) unsafe fn packed<T: Lanes, const W: usize, const R: usize>(
    t: &At<T::E>,
    mask: T::Mask,
    ahead: &mut Ahead,
    past: bool,
) {
    let mut acc = [[T::zero(); W]; R];
    let (mut a, mut b, mut left) = (t.a, t.b, t.k);
    // SAFETY: the caller's panels cover the tile; prefetching touches nothing.
    unsafe {
        if T::JOINED > 2 {
            for j in 0..R {
                acc[j] = [T::splat(b.add(R * t.k + j)); W];
            }
        }
        for j in 0..if past { 0 } else { R } {
            for v in 0..W {
                T::fetch(t.c.wrapping_offset(j as isize * t.cc).wrapping_add(v * T::N));
            }
        }
        while left >= STEPS {
            for _ in 0..STEPS {
                step::<T, W, R, true>(&mut acc, a, b, 1, mask);
                a = a.wrapping_add(W * T::N);
                b = b.wrapping_add(R);
            }
            ahead.step::<T>();
            left -= STEPS;
        }
        for _ in 0..left {
            step::<T, W, R, true>(&mut acc, a, b, 1, mask);
            a = a.wrapping_add(W * T::N);
            b = b.wrapping_add(R);
        }
        if past {
            for j in 0..R {
                let c = t.c.wrapping_offset(j as isize * t.cc);
                for v in 0..W {
                    acc[j][v].stream(c.add(v * T::N));
                }
            }
        } else {
            put::<T, W, R>(t, &acc, mask);
        }
    }
}
/// Writes the sums of a tile, or adds them to what is there.
#[inline(always)]
unsafe fn put<T: Lanes, const W: usize, const R: usize>(t: &At<T::E>, acc: &[[T; W]; R], mask: T::Mask) {
    // SAFETY: the caller's tile of the result.
    unsafe {
        for j in 0..R {
            let c = t.c.wrapping_offset(j as isize * t.cc);
            for v in 0..W {
                let p = c.add(v * T::N);
                if v < W - 1 {
                    (if t.more { T::load(p).add(acc[j][v]) } else { acc[j][v] }).store(p);
                } else {
                    (if t.more { T::load_mask(p, mask).add(acc[j][v]) } else { acc[j][v] }).store_mask(p, mask);
                }
            }
        }
    }
}
/// A band of `rows` rows in so many registers, and `n` columns, any number.
pub(crate) type Band<E> = unsafe fn(&At<E>, n: usize, rows: usize);
/// A [`Band`] of `W` registers.
#[inline(always)]
pub(crate) unsafe fn band<T: Lanes, const W: usize>(t: &At<T::E>, n: usize, rows: usize) {
    let (mut t, mut left, mask) = (*t, n, T::mask(rows - (W - 1) * T::N));
    // SAFETY: passed on.
    unsafe {
        while left >= T::COLS {
            if T::COLS == 8 {
                tile::<T, W, 8>(&t, mask);
            } else {
                tile::<T, W, 4>(&t, mask);
            }
            left -= T::COLS;
            t.b = t.b.wrapping_offset(T::COLS as isize * t.bc);
            t.c = t.c.wrapping_offset(T::COLS as isize * t.cc);
        }
        match left {
            0 => {}
            1 => tile::<T, W, 1>(&t, mask),
            2 => tile::<T, W, 2>(&t, mask),
            3 => tile::<T, W, 3>(&t, mask),
            4 => tile::<T, W, 4>(&t, mask),
            5 => tile::<T, W, 5>(&t, mask),
            6 => tile::<T, W, 6>(&t, mask),
            _ => tile::<T, W, 7>(&t, mask),
        }
    }
}
/// Registers of the next band of rows where `left` are left: as even as possible.
#[inline(always)]
pub(crate) fn band_width<T: Lanes>(left: usize) -> usize {
    match left {
        4 => 2,
        _ => left.min(T::ROWS),
    }
}
/// A product without packing: rows of `A` and `C` one element apart.
#[inline(always)]
pub(crate) unsafe fn direct<T: Lanes>(p: &Product<T::E>, bands: &[Band<T::E>; MV]) {
    let [m, n, k] = p.mnk;
    let mut p0 = 0;
    while p0 < k {
        let kc = KC.min(k - p0);
        let (mut i, mut left) = (0, m.div_ceil(T::N));
        while left > 0 {
            let w = band_width::<T>(left);
            let rows = (m - i).min(w * T::N);
            let t = At {
                k: kc,
                a: p.a.0.wrapping_add(i).wrapping_offset(p0 as isize * p.a.2),
                ac: p.a.2,
                b: p.b.0.wrapping_offset(p0 as isize * p.b.1),
                br: p.b.1,
                bc: p.b.2,
                c: p.c.0.wrapping_add(i),
                cc: p.c.1,
                more: p0 > 0,
            };
            // SAFETY: rows `i..i + rows` of the caller's matrices.
            unsafe { bands[w - 1](&t, n, rows) };
            if let Some(then) = p.then.filter(|_| p0 + kc == k) {
                then([i, rows, 0, n]);
            }
            i += rows;
            left -= w;
        }
        p0 += kc;
    }
}
