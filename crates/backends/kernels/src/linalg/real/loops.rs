//! What the kernels do, once for every vector type: loops on columns of whole vectors.
//!
//! The bits do not depend on the vector type. Sums over a column run in [`LINE`] bytes of lanes, whatever the vectors: `K`
//! vectors side by side stand for one line, and a line's lanes are added by halves. Everything else computes each element
//! by itself, in one order.
//!
//! Everything is inlined into the entry points of [`super::kern`], which have the instruction set; hence no closures.
use super::kern::{PAD, Product, Real, Reflection};
use crate::vmath::v::V;

#[inline(always)]
fn splat<T: V>(x: T::E) -> T
where
    T::E: Real,
{
    T::bits(x.raw())
}
/// Bytes of a line.
pub(super) const LINE: usize = 64;

/// The lanes of a line.
#[inline(always)]
fn spread<T: V, const K: usize>(x: [T; K]) -> [T::E; PAD]
where
    T::E: Real,
{
    const { assert!(K * T::N * size_of::<T::E>() == LINE && K * T::N <= PAD, "vectors that make a line") }
    let mut b = [T::E::ZERO; PAD];
    for k in 0..K {
        // SAFETY: a line has at most `PAD` elements.
        unsafe { x[k].store(b.as_mut_ptr().add(k * T::N)) };
    }
    b
}
/// Sum of the lanes, by halves.
#[inline(always)]
fn lanes<T: V, const K: usize>(x: [T; K]) -> T::E
where
    T::E: Real,
{
    let mut b = spread(x);
    let mut h = K * T::N / 2;
    while h > 0 {
        for i in 0..h {
            b[i] += b[i + h];
        }
        h /= 2;
    }
    b[0]
}

/// Rows `i..` (`R` vectors) and columns `j..j + C` of a product.
#[inline(always)]
unsafe fn tile<T: V, const R: usize, const C: usize>(g: &Product<T::E>, i: usize, j: usize)
where
    T::E: Real,
{
    let mut acc = [[T::c(0.0); R]; C];
    let (lda, rb, cb, ldc) = (g.a.1, g.b.1, g.b.2, g.c.1);
    // SAFETY: rows `i..i + R * N` and columns `j..j + C` are inside the result, by the contract of `Kernels`.
    unsafe {
        let (mut a, mut b) = (g.a.0.add(i), g.b.0.add(j * cb));
        for _ in 0..g.mnk[2] {
            let mut x = [T::c(0.0); R];
            for r in 0..R {
                x[r] = T::load(a.add(r * T::N));
            }
            for c in 0..C {
                let y = splat::<T>(b.add(c * cb).read());
                for r in 0..R {
                    acc[c][r] = x[r].fma(y, acc[c][r]);
                }
            }
            a = a.wrapping_add(lda);
            b = b.wrapping_add(rb);
        }
        for c in 0..C {
            for r in 0..R {
                let p = g.c.0.add(i + r * T::N + (j + c) * ldc);
                let x = if g.sub { T::load(p).sub(acc[c][r]) } else { acc[c][r] };
                x.store(p);
            }
        }
    }
}
/// `R` vectors of rows of a product, by `C` columns.
#[inline(always)]
unsafe fn band<T: V, const R: usize, const C: usize>(g: &Product<T::E>, i: usize)
where
    T::E: Real,
{
    let (n, mut j) = (g.mnk[1], 0);
    // SAFETY: passed on.
    unsafe {
        while j + C <= n {
            tile::<T, R, C>(g, i, j);
            j += C;
        }
        if j + 4 <= n {
            tile::<T, R, 4>(g, i, j);
            j += 4;
        }
        if j + 2 <= n {
            tile::<T, R, 2>(g, i, j);
            j += 2;
        }
        if j < n {
            tile::<T, R, 1>(g, i, j);
        }
    }
}
#[inline(always)]
pub(super) unsafe fn product<T: V, const C: usize>(g: &Product<T::E>)
where
    T::E: Real,
{
    let (m, mut i) = (g.mnk[0], 0);
    // SAFETY: passed on.
    unsafe {
        // One column needs more rows at a time to hide the latency of its sums.
        while g.mnk[1] == 1 && i + 8 * T::N <= m {
            tile::<T, 8, 1>(g, i, 0);
            i += 8 * T::N;
        }
        while i + 3 * T::N <= m {
            band::<T, 3, C>(g, i);
            i += 3 * T::N;
        }
        if i + 2 * T::N <= m {
            band::<T, 2, C>(g, i);
        } else if i + T::N <= m {
            band::<T, 1, C>(g, i);
        }
    }
}
#[inline(always)]
unsafe fn reflect_some<T: V, const K: usize, const C: usize>(m: usize, v: *const T::E, t: T::E, a: *mut T::E, ld: usize)
where
    T::E: Real,
{
    let mut acc = [[T::c(0.0); K]; C];
    let mut s = [T::c(0.0); C];
    // SAFETY: `C` columns of the caller's.
    unsafe {
        for i in (0..m).step_by(K * T::N) {
            for k in 0..K {
                let x = T::load(v.add(i + k * T::N));
                for c in 0..C {
                    acc[c][k] = T::load(a.add(c * ld + i + k * T::N)).fma(x, acc[c][k]);
                }
            }
        }
        for c in 0..C {
            s[c] = splat(t * lanes(acc[c]));
        }
        for i in (0..m).step_by(T::N) {
            let x = T::load(v.add(i));
            for c in 0..C {
                let p = a.add(c * ld + i);
                x.fnma(s[c], T::load(p)).store(p);
            }
        }
    }
}
#[inline(always)]
pub(super) unsafe fn reflect<T: V, const K: usize, const C: usize>(
    m: usize,
    n: usize,
    v: *const T::E,
    t: T::E,
    a: *mut T::E,
    ld: usize,
) where
    T::E: Real,
{
    let mut j = 0;
    // SAFETY: passed on.
    unsafe {
        while j + C <= n {
            reflect_some::<T, K, C>(m, v, t, a.add(j * ld), ld);
            j += C;
        }
        if j + 4 <= n {
            reflect_some::<T, K, 4>(m, v, t, a.add(j * ld), ld);
            j += 4;
        }
        if j + 2 <= n {
            reflect_some::<T, K, 2>(m, v, t, a.add(j * ld), ld);
            j += 2;
        }
        if j < n {
            reflect_some::<T, K, 1>(m, v, t, a.add(j * ld), ld);
        }
    }
}
/// Adds the squares of a line, scaled, to `s`.
#[inline(always)]
unsafe fn add_squares<T: V, const K: usize>(x: *const T::E, scale: T, s: &mut [T; K])
where
    T::E: Real,
{
    for k in 0..K {
        // SAFETY: a line of the caller's.
        let y = unsafe { T::load(x.add(k * T::N)) }.mul(scale);
        s[k] = y.fma(y, s[k]);
    }
}
/// The sum of four lines.
#[inline(always)]
fn all_lanes<T: V, const K: usize>(s: [[T; K]; 4]) -> T::E
where
    T::E: Real,
{
    let mut sum = [T::c(0.0); K];
    for k in 0..K {
        sum[k] = s[0][k].add(s[1][k]).add(s[2][k].add(s[3][k]));
    }
    lanes(sum)
}
/// Adds the squares of a line to `s`, and its magnitudes to the maxima in `top`.
#[inline(always)]
unsafe fn measure<T: V, const K: usize>(x: *const T::E, s: &mut [T; K], top: &mut [T; K])
where
    T::E: Real,
{
    for k in 0..K {
        // SAFETY: a line of the caller's.
        let y = unsafe { T::load(x.add(k * T::N)) };
        s[k] = y.fma(y, s[k]);
        top[k] = y.abs().max(top[k]);
    }
}
#[inline(always)]
pub(super) unsafe fn squares<T: V, const K: usize>(m: usize, x: *const T::E) -> (T::E, T::E)
where
    T::E: Real,
{
    let (zero, n) = (T::c(0.0), K * T::N);
    let (mut s, mut top) = ([[zero; K]; 4], [zero; K]);
    let mut i = 0;
    // SAFETY: every index is below `m`.
    unsafe {
        while i + 4 * n <= m {
            for u in 0..4 {
                measure(x.add(i + u * n), &mut s[u], &mut top);
            }
            i += 4 * n;
        }
        while i < m {
            measure(x.add(i), &mut s[0], &mut top);
            i += n;
        }
    }
    let mut most = T::E::ZERO;
    for y in spread(top) {
        most = if y > most { y } else { most };
    }
    (all_lanes(s), most)
}

/// `R` vectors of rows of all rotations: the column that two rotations share stays in registers.
#[inline(always)]
unsafe fn rotate_band<T: V, const R: usize>(x: *mut T::E, ld: isize, rotations: &[(T::E, T::E)])
where
    T::E: Real,
{
    let mut held = [T::c(0.0); R];
    let mut p = x;
    // SAFETY: rows of the caller's columns.
    unsafe {
        for r in 0..R {
            held[r] = T::load(p.add(r * T::N));
        }
        for &(c, s) in rotations {
            let (c, s, next) = (splat::<T>(c), splat::<T>(s), p.offset(ld));
            for r in 0..R {
                let y = T::load(next.add(r * T::N));
                y.fma(s, held[r].mul(c)).store(p.add(r * T::N));
                held[r] = held[r].fnma(s, y.mul(c));
            }
            p = next;
        }
        for r in 0..R {
            held[r].store(p.add(r * T::N));
        }
    }
}
#[inline(always)]
pub(super) unsafe fn rotate<T: V>(m: usize, x: *mut T::E, ld: isize, rotations: &[(T::E, T::E)])
where
    T::E: Real,
{
    let mut i = 0;
    // SAFETY: passed on.
    unsafe {
        while i + 6 * T::N <= m {
            rotate_band::<T, 6>(x.add(i), ld, rotations);
            i += 6 * T::N;
        }
        while i + 3 * T::N <= m {
            rotate_band::<T, 3>(x.add(i), ld, rotations);
            i += 3 * T::N;
        }
        while i < m {
            rotate_band::<T, 1>(x.add(i), ld, rotations);
            i += T::N;
        }
    }
}
/// `Σ (x · scale)²` over rows `j..m`, those of the first line one by one.
#[inline(always)]
unsafe fn tail_squares<T: V, const K: usize>(m: usize, j: usize, x: *const T::E, scale: T::E) -> T::E
where
    T::E: Real,
{
    let (n, f) = (K * T::N, splat::<T>(scale));
    let mut s = [[T::c(0.0); K]; 4];
    let (mut sum, mut i) = (T::E::ZERO, j.next_multiple_of(n));
    // SAFETY: every index is below `m`.
    unsafe {
        for l in j..i {
            let y = x.add(l).read() * scale;
            sum += y * y;
        }
        while i + 4 * n <= m {
            for u in 0..4 {
                add_squares(x.add(i + u * n), f, &mut s[u]);
            }
            i += 4 * n;
        }
        while i < m {
            add_squares(x.add(i), f, &mut s[0]);
            i += n;
        }
    }
    sum + all_lanes(s)
}
#[inline(always)]
pub(super) unsafe fn house<T: V, const K: usize>(m: usize, j: usize, x: *const T::E, v: *mut T::E) -> Reflection<T::E>
where
    T::E: Real,
{
    let (zero, one) = (T::E::ZERO, T::E::ONE);
    // SAFETY: every index is below `m`.
    unsafe {
        let mut alpha = x.add(j).read();
        let (mut scale, mut back) = (one, one);
        let mut tail = tail_squares::<T, K>(m, j + 1, x, one);
        // Squares that overflow, or that lose bits to underflow, are taken again of a column scaled by its largest element.
        let square = alpha * alpha + tail;
        if !(square <= T::E::MAX) || square < T::E::TINY / (T::E::ROUND * T::E::ROUND) {
            let mut top = zero;
            for i in j..m {
                let y = x.add(i).read().mag();
                top = if y > top { y } else { top };
            }
            if top > zero && top <= T::E::MAX {
                // Both are normal: a denormal `top` has no finite inverse.
                (scale, back) = if top < T::E::TINY { (one / T::E::TINY, T::E::TINY) } else { (one / top, top) };
                alpha *= scale;
                tail = tail_squares::<T, K>(m, j + 1, x, scale);
            }
        }
        let (tau, beta, f);
        if tail == zero {
            (tau, beta, f) = (zero, alpha, zero);
        } else {
            let b = -(alpha * alpha + tail).root().with_sign(alpha);
            (tau, beta, f) = ((b - alpha) / b, b, one / (alpha - b));
        }
        let whole = (j + 1).next_multiple_of(T::N);
        for i in 0..j {
            v.add(i).write(zero);
        }
        v.add(j).write(one);
        for i in j + 1..whole {
            v.add(i).write(x.add(i).read() * scale * f);
        }
        // Not by the product of both, which may overflow.
        let (scale, f) = (splat::<T>(scale), splat::<T>(f));
        for i in (whole..m).step_by(T::N) {
            T::load(x.add(i)).mul(scale).mul(f).store(v.add(i));
        }
        Reflection { tau, beta: beta * back }
    }
}
