//! Products of a matrix and a vector: by columns where the rows of the matrix are one element apart, by rows where its
//! columns are.
//!
//! Sums are taken in a fixed order that depends on the extents alone: by columns, four chains (column index modulo 4)
//! for few rows and one chain for many; by rows, 64 bytes of lanes folded as a tree.
use super::lanes::{Element, Lanes};

/// Rows up to which sums stay in registers while the columns pass.
pub(crate) const FEW: usize = 256;
/// Rows of a panel of a tall matrix: a piece of the result that stays in the first-level cache.
pub(crate) const PANEL: usize = 1024;

/// `y = A x`: strides in elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatVec<E> {
    /// Rows, columns.
    pub(crate) mk: [usize; 2],
    /// Rows of the whole product that this is a piece of: they, not `mk[0]`, choose the order of sums.
    pub(crate) total: usize,
    /// Matrix and its long stride: of columns ([`columns`]) or of rows ([`rows`]); the other is 1.
    pub(crate) a: (*const E, isize),
    /// Vector; one element apart for [`rows`].
    pub(crate) x: (*const E, isize),
    /// Result; one element apart for [`columns`].
    pub(crate) y: (*mut E, isize),
    /// Its sums go on from what the result holds, for [`columns`] of more rows than [`FEW`]: these are further columns of the matrix.
    pub(crate) more: bool,
}

/// Bytes of rows that stay in the first-level cache while one vector after the other multiplies them.
const NEAR: usize = 16 << 10;
/// Products of one matrix, whose columns are one element apart, with `count` vectors by `rows`, a few rows at a time. `g` is the first of them;
/// `steps`: from a vector, and from a result, to the next.
///
/// # Safety
/// That of `rows` for each of them.
pub(crate) unsafe fn by_rows<E: Copy>(rows: unsafe fn(&MatVec<E>), g: &MatVec<E>, count: usize, steps: [isize; 2]) {
    let [m, k] = g.mk;
    let each = (NEAR / (k * size_of::<E>()).max(1)).max(8) / 8 * 8;
    for lo in (0..m).step_by(each) {
        let at = lo as isize;
        let mut part = MatVec { mk: [each.min(m - lo), k], ..*g };
        part.a.0 = g.a.0.wrapping_offset(at * g.a.1);
        for i in 0..count as isize {
            part.x.0 = g.x.0.wrapping_offset(i * steps[0]);
            part.y.0 = g.y.0.wrapping_offset(at * g.y.1 + i * steps[1]);
            // SAFETY: some rows of one of the caller's products.
            unsafe { rows(&part) };
        }
    }
}

#[inline(always)]
unsafe fn block<T: Lanes, const W: usize>(
    k: usize,
    a: *const T::E,
    ac: isize,
    x: *const T::E,
    xs: isize,
    y: *mut T::E,
    mask: T::Mask,
) {
    let mut acc = [[T::zero(); W]; 4];
    let (mut a, mut x, mut j) = (a, x, 0);
    // SAFETY: the caller's rows.
    unsafe {
        while j + 4 <= k {
            for c in 0..4 {
                let s = T::splat(x.wrapping_offset(c as isize * xs));
                let p = a.wrapping_offset(c as isize * ac);
                for v in 0..W - 1 {
                    acc[c][v] = T::load(p.add(v * T::N)).fma(s, acc[c][v]);
                }
                acc[c][W - 1] = T::load_mask(p.add((W - 1) * T::N), mask).fma(s, acc[c][W - 1]);
            }
            a = a.wrapping_offset(4 * ac);
            x = x.wrapping_offset(4 * xs);
            j += 4;
        }
        for c in 0..3 {
            if j + c < k {
                let s = T::splat(x.wrapping_offset(c as isize * xs));
                let p = a.wrapping_offset(c as isize * ac);
                for v in 0..W - 1 {
                    acc[c][v] = T::load(p.add(v * T::N)).fma(s, acc[c][v]);
                }
                acc[c][W - 1] = T::load_mask(p.add((W - 1) * T::N), mask).fma(s, acc[c][W - 1]);
            }
        }
        for v in 0..W {
            let s = acc[0][v].add(acc[1][v]).add(acc[2][v].add(acc[3][v]));
            if v < W - 1 { s.store(y.add(v * T::N)) } else { s.store_mask(y.add(v * T::N), mask) }
        }
    }
}
/// Few rows, one element apart.
#[inline(always)]
unsafe fn few<T: Lanes>(g: &MatVec<T::E>) {
    let [m, k] = g.mk;
    let mut i = 0;
    // As many registers as sums of four chains leave room for.
    let most = if T::COLS == 8 { 4 } else { 2 };
    while i < m {
        let left = (m - i).div_ceil(T::N);
        let w = left.min(most);
        let rows = (m - i).min(w * T::N);
        let mask = T::mask(rows - (w - 1) * T::N);
        let (a, y) = (g.a.0.wrapping_add(i), g.y.0.wrapping_add(i));
        // SAFETY: rows `i..i + rows`.
        unsafe {
            match w {
                1 => block::<T, 1>(k, a, g.a.1, g.x.0, g.x.1, y, mask),
                2 => block::<T, 2>(k, a, g.a.1, g.x.0, g.x.1, y, mask),
                3 => block::<T, 3>(k, a, g.a.1, g.x.0, g.x.1, y, mask),
                _ => block::<T, 4>(k, a, g.a.1, g.x.0, g.x.1, y, mask),
            }
        }
        i += rows;
    }
}
/// `y (+)= R columns of A times x`, `m` rows.
#[inline(always)]
unsafe fn axpys<T: Lanes, const R: usize>(
    m: usize,
    a: *const T::E,
    ac: isize,
    x: *const T::E,
    xs: isize,
    y: *mut T::E,
    more: bool,
) {
    let mut s = [T::zero(); R];
    // SAFETY: the caller's rows.
    unsafe {
        for j in 0..R {
            s[j] = T::splat(x.wrapping_offset(j as isize * xs));
        }
        let mut i = 0;
        while i + T::N <= m {
            let p = a.add(i);
            let mut t = if more { T::load(y.add(i)) } else { T::zero() };
            for j in 0..R {
                t = T::load(p.wrapping_offset(j as isize * ac)).fma(s[j], t);
            }
            t.store(y.add(i));
            i += T::N;
        }
        if i < m {
            let (p, mask) = (a.add(i), T::mask(m - i));
            let mut t = if more { T::load_mask(y.add(i), mask) } else { T::zero() };
            for j in 0..R {
                t = T::load_mask(p.wrapping_offset(j as isize * ac), mask).fma(s[j], t);
            }
            t.store_mask(y.add(i), mask);
        }
    }
}
/// Rows of `A` and of `y` one element apart.
#[inline(always)]
pub(crate) unsafe fn columns<T: Lanes>(g: &MatVec<T::E>) {
    let [m, k] = g.mk;
    if g.total <= FEW {
        // SAFETY: passed on.
        return unsafe { few::<T>(g) };
    }
    let mut i = 0;
    while i < m {
        let rows = PANEL.min(m - i);
        let mut j = 0;
        while j < k {
            let p = g.a.0.wrapping_add(i).wrapping_offset(j as isize * g.a.1);
            let (x, y) = (g.x.0.wrapping_offset(j as isize * g.x.1), g.y.0.wrapping_add(i));
            // SAFETY: rows `i..i + rows` of the columns from `j`.
            unsafe {
                let w = match k - j {
                    8.. => 8,
                    4.. => 4,
                    l => l,
                };
                match w {
                    8 => axpys::<T, 8>(rows, p, g.a.1, x, g.x.1, y, g.more || j > 0),
                    4 => axpys::<T, 4>(rows, p, g.a.1, x, g.x.1, y, g.more || j > 0),
                    3 => axpys::<T, 3>(rows, p, g.a.1, x, g.x.1, y, g.more || j > 0),
                    2 => axpys::<T, 2>(rows, p, g.a.1, x, g.x.1, y, g.more || j > 0),
                    _ => axpys::<T, 1>(rows, p, g.a.1, x, g.x.1, y, g.more || j > 0),
                }
                j += w;
            }
        }
        i += rows;
    }
}

/// Four rows with 64 bytes of lanes each, `U` registers.
#[inline(always)]
unsafe fn dots<T: Lanes, const U: usize, const R: usize>(
    k: usize,
    a: *const T::E,
    ar: isize,
    x: *const T::E,
    out: *mut T::E,
) {
    let mut acc = [[T::zero(); U]; R];
    let (lanes, mut j) = (U * T::N, 0);
    // SAFETY: the caller's rows.
    unsafe {
        while j + lanes <= k {
            for u in 0..U {
                let s = T::load(x.add(j + u * T::N));
                for r in 0..R {
                    acc[r][u] = T::load(a.wrapping_offset(r as isize * ar).add(j + u * T::N)).fma(s, acc[r][u]);
                }
            }
            j += lanes;
        }
        for u in 0..U {
            if j + u * T::N < k {
                let at = j + u * T::N;
                let mask = T::mask((k - at).min(T::N));
                let s = T::load_mask(x.add(at), mask);
                for r in 0..R {
                    acc[r][u] = T::load_mask(a.wrapping_offset(r as isize * ar).add(at), mask).fma(s, acc[r][u]);
                }
            }
        }
        let mut q = 0;
        while q < R {
            let row = |r: usize| if q + r < R { q + r } else { q };
            T::fold4::<U>([acc[row(0)], acc[row(1)], acc[row(2)], acc[row(3)]], out.add(q));
            q += 4;
        }
    }
}
/// A few rows, long: four times the lanes, so that sums do not wait for each other.
#[inline(always)]
unsafe fn long<T: Lanes, const U: usize>(k: usize, a: *const T::E, x: *const T::E) -> T::E {
    let mut acc = [[T::zero(); U]; 4];
    let (lanes, mut j) = (U * T::N, 0);
    // SAFETY: the caller's row.
    unsafe {
        while j + 4 * lanes <= k {
            for c in 0..4 {
                for u in 0..U {
                    let at = j + c * lanes + u * T::N;
                    acc[c][u] = T::load(a.add(at)).fma(T::load(x.add(at)), acc[c][u]);
                }
            }
            j += 4 * lanes;
        }
        for c in 0..4 {
            for u in 0..U {
                let at = j + c * lanes + u * T::N;
                if at < k {
                    let mask = T::mask((k - at).min(T::N));
                    acc[c][u] = T::load_mask(a.add(at), mask).fma(T::load_mask(x.add(at), mask), acc[c][u]);
                }
            }
        }
        let mut s = [T::zero(); U];
        for u in 0..U {
            s[u] = acc[0][u].add(acc[2][u]).add(acc[1][u].add(acc[3][u]));
        }
        let mut out = [T::E::ZERO; 4];
        T::fold4::<U>([s; 4], out.as_mut_ptr());
        out[0]
    }
}
/// Columns of `A` and elements of `x` one element apart; `U` registers are 64 bytes.
#[inline(always)]
pub(crate) unsafe fn rows<T: Lanes, const U: usize>(g: &MatVec<T::E>) {
    let [m, k] = g.mk;
    let mut i = 0;
    let at = |i: usize| g.a.0.wrapping_offset(i as isize * g.a.1);
    // SAFETY: rows from `i` on.
    unsafe {
        if g.total < 4 {
            for i in 0..m {
                g.y.0.wrapping_offset(i as isize * g.y.1).write(long::<T, U>(k, at(i), g.x.0));
            }
            return;
        }
        let mut out = [T::E::ZERO; 8];
        while i < m {
            let n = match m - i {
                8.. if T::COLS == 8 => {
                    dots::<T, U, 8>(k, at(i), g.a.1, g.x.0, out.as_mut_ptr());
                    8
                }
                4.. => {
                    dots::<T, U, 4>(k, at(i), g.a.1, g.x.0, out.as_mut_ptr());
                    4
                }
                _ => {
                    dots::<T, U, 1>(k, at(i), g.a.1, g.x.0, out.as_mut_ptr());
                    1
                }
            };
            for r in 0..n {
                g.y.0.wrapping_offset((i + r) as isize * g.y.1).write(out[r]);
            }
            i += n;
        }
    }
}
