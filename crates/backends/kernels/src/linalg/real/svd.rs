//! Singular value decompositions of real matrices of any shape and strides, on one thread: thin, values alone, or
//! truncated.
//!
//! A matrix that is not square is reduced by QR first; the square core goes to bidiagonal form by reflections (Golub and
//! Kahan, 1965) and to diagonal form by [`super::bidiag`]. Where only singular values above a tolerance are wanted, the
//! reduction stops once what is left of the matrix is rounding noise, so that a matrix of low numerical rank costs what its
//! rank does.
use super::bidiag::diagonalize;
use super::kern::{Kernels, Real};
use super::reduce::{bidiagonalize, copy_core, rescale, settled_rows};
use super::reflect::{Reflectors, carve, load, padded, pieces, store};
use crate::linalg::Failed;
use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::svd as library;
use faer::linalg::svd::ComputeSvdVectors;
use faer::{Auto, MatMut, MatRef, Par, Spec};

/// Which singular values are kept, of `s₀ ≥ s₁ ≥ …`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(debug_assertions),
    expect(dead_code, reason = "truncation is composed of a thin decomposition and a count as yet")
)]
pub(crate) enum Keep<E> {
    /// All.
    All,
    /// `s > tol · s₀`.
    Relative(E),
    /// `s > tol`.
    Absolute(E),
    /// The fewest for which the norm of the others is at most `tol` times that of all.
    Tail(E),
}

/// Extents from which on the library's divide-and-conquer decomposes the core.
const LARGE: usize = 192;

fn core_sizes<E: Real>(c: usize, vectors: bool) -> [usize; 19] {
    let cp = padded(c);
    let size = cp.saturating_mul(c);
    let [v, vt, t, w] = Reflectors::<E>::sizes(c, c, c);
    let x = if vectors { size } else { 0 };
    [size, x, x, v, vt, t, w, v, vt, t, w, cp, cp, cp, cp, cp, cp, 2 * c, 2 * c]
}
fn library_params<E: Real>() -> Spec<library::SvdParams, E> {
    Spec::new(Auto::<E>::auto())
}
/// Memory that [`decompose`] needs; `whole`: all values are kept.
pub(crate) fn scratch<E: Real>(m: usize, n: usize, whole: bool, vectors: bool) -> StackReq {
    let (m, n) = (m.max(n), m.min(n));
    let (tall, wide) = (padded(m).saturating_mul(n), padded(n).saturating_mul(n));
    let thin = if vectors { ComputeSvdVectors::Thin } else { ComputeSvdVectors::No };
    let mut all = pieces::<E>(&Reflectors::<E>::sizes(m, n, n)).and(pieces::<E>(&[tall]));
    if !whole {
        all = all.and(pieces::<E>(&Reflectors::<E>::sizes(n, n, n))).and(pieces::<E>(&[wide]));
    }
    if vectors {
        all = all.and(pieces::<E>(&[tall, wide]));
    }
    if n >= LARGE {
        all = all.and(library::svd_scratch::<E>(n, n, thin, thin, Par::Seq, library_params::<E>()));
    }
    all.and(pieces::<E>(&core_sizes::<E>(n, vectors))).and(pieces::<usize>(&[n]))
}

/// A decomposition whose vectors are still in factors: [`decompose`] makes it, [`Svd::write`] writes it out.
pub(crate) struct Svd<'a, E: 'static> {
    /// Extents of the matrix.
    shape: [usize; 2],
    /// Whether the transpose was decomposed.
    transposed: bool,
    /// What the matrix was multiplied by.
    scale: E,
    /// Singular values of the core, signed, and their numbers in descending order.
    values: &'a [E],
    order: &'a [usize],
    /// How many are kept.
    pub(crate) rank: usize,
    /// Left, right.
    sides: Option<[Side<E>; 2]>,
}
/// Singular vectors of one side: those of the core, `Q` that takes them to those of the matrix, and room for the product.
struct Side<E: 'static> {
    core: *mut E,
    q: Option<Reflectors<E>>,
    out: *mut E,
    /// Padded lengths.
    ld: [usize; 2],
}

/// Decomposes `a` as far as `keep` asks, with at least `ranks[0]` and at most `ranks[1]` values kept; with or without
/// vectors. Fails where an element is not finite, or the iteration does not end.
pub(crate) fn decompose<'a, E: Real>(
    kern: &'static Kernels<E>,
    a: MatRef<'_, E>,
    keep: Keep<E>,
    ranks: [usize; 2],
    vectors: bool,
    stack: &'a mut MemStack,
) -> Result<Svd<'a, E>, Failed> {
    let shape = [a.nrows(), a.ncols()];
    let transposed = shape[0] < shape[1];
    let a = if transposed { a.transpose() } else { a };
    let (m, n) = (a.nrows(), a.ncols());
    let mut f = Svd { shape, transposed, scale: E::ONE, values: &[], order: &[], rank: 0, sides: None };
    if n == 0 {
        return Ok(f);
    }
    let (mp, np, from) = (padded(m), padded(n), (a.as_ptr(), a.row_stride(), a.col_stride()));
    let ([x], stack) = carve::<E, 1>(stack, [mp * n]);
    let (mem, stack) = carve::<E, 4>(stack, Reflectors::<E>::sizes(m, n, n));
    // SAFETY: the pieces have the sizes asked for, here and below.
    unsafe {
        load(m, n, from, x, mp);
        let (scale, norm) = rescale(kern, x, mp, n).ok_or(Failed)?;
        f.scale = scale;
        let drop = noise(keep, scale, norm, n);
        if m == n && drop == E::ZERO {
            f.solve(kern, (x, mp, n, false), [mp, np], vectors.then_some([None, None]), stack)?;
        } else {
            let mut q = Reflectors::new(kern, m, n, mem);
            q.factor(x, n, drop);
            let mut c = settled_rows(x, mp, q.k, n, drop);
            if c < ranks[0].min(n) {
                // More is wanted than what stands out from rounding errors: all of it then.
                load(m, n, from, x, mp);
                rescale(kern, x, mp, n);
                q = Reflectors::new(kern, m, n, mem);
                q.factor(x, n, E::ZERO);
                c = n;
            }
            if c == n {
                f.solve(kern, (x, mp, n, true), [mp, np], vectors.then_some([Some(q), None]), stack)?;
            } else {
                let ([y], stack) = carve::<E, 1>(stack, [np * c]);
                let (mem, stack) = carve::<E, 4>(stack, Reflectors::<E>::sizes(n, c, c));
                for j in 0..c {
                    std::slice::from_raw_parts_mut(x.add(j + 1 + j * mp), c - j - 1).fill(E::ZERO);
                }
                load(n, c, (x, mp as isize, 1), y, np);
                let mut p = Reflectors::new(kern, n, c, mem);
                p.factor(y, c, E::ZERO);
                f.solve(kern, (y, np, c, true), [mp, np], vectors.then_some([Some(q), Some(p)]), stack)?;
            }
        }
    }
    let found = f.values.len();
    f.rank = f.count(keep).max(ranks[0].min(found)).min(ranks[1].max(ranks[0]).min(found));
    Ok(f)
}

/// The norm below which what is left of a matrix does not matter: that of rounding errors of the reduction, and less than
/// what the tolerance discards.
fn noise<E: Real>(keep: Keep<E>, scale: E, norm: E, n: usize) -> E {
    let rounding = E::of(NOISE) * E::ROUND * norm;
    let limit = match keep {
        Keep::All => E::ZERO,
        Keep::Relative(tol) | Keep::Tail(tol) => tol * norm / E::of(2.0 * (n as f64).sqrt()),
        Keep::Absolute(tol) => tol * scale / E::of(2.0),
    };
    if limit > rounding {
        rounding
    } else if limit > E::ZERO {
        limit
    } else {
        E::ZERO
    }
}
/// In units of rounding of the norm: what is discarded in all. As large as the errors of the reflections that found it.
const NOISE: f64 = 32.0;

impl<'a, E: Real> Svd<'a, E> {
    /// Decomposes the core (pointer, column stride, extent, upper triangle alone?), and keeps `q`, which takes its vectors to
    /// those of the matrix. With a second reduction the core is that of the transpose.
    ///
    /// # Safety
    /// The core is readable.
    unsafe fn solve(
        &mut self,
        kern: &'static Kernels<E>,
        (from, ld, c, upper): (*const E, usize, usize, bool),
        [mp, np]: [usize; 2],
        q: Option<[Option<Reflectors<E>>; 2]>,
        stack: &'a mut MemStack,
    ) -> Result<(), Failed> {
        let (cp, vectors) = (padded(c), q.is_some());
        let ([a, x, y, v1, vt1, t1, w1, v2, vt2, t2, w2, d, e, tl, tr, row, w, turn1, turn2], stack) =
            carve::<E, 19>(stack, core_sizes::<E>(c, vectors));
        let ([order], mut stack) = carve::<usize, 1>(stack, [c]);
        // SAFETY: the pieces have the sizes asked for; slices are filled before they are made.
        unsafe {
            copy_core((from, ld, c), upper, a);
            let slice = |p: *mut E, n: usize| {
                std::ptr::write_bytes(p, 0, n);
                std::slice::from_raw_parts_mut(p, n)
            };
            let [d, e, tl, tr] = [d, e, tl, tr].map(|p| slice(p, c));
            if let Some([q1, q2]) = q {
                let (first, second) = if q2.is_some() { (y, x) } else { (x, y) };
                let ([o1, o2], rest) = carve::<E, 2>(stack, [mp * c, np * c]);
                stack = rest;
                self.sides = Some([
                    Side { core: first, q: q1, out: o1, ld: [cp, mp] },
                    Side { core: second, q: q2, out: o2, ld: [cp, np] },
                ]);
            }
            if c >= LARGE {
                let view = |p: *mut E| vectors.then(|| MatMut::from_raw_parts_mut(p, c, c, 1, cp as isize));
                let core = MatRef::from_raw_parts(a.cast_const(), c, c, 1, cp as isize);
                let diag = DiagMut::from_slice_mut(&mut *d);
                library::svd(core, diag, view(x), view(y), Par::Seq, stack, library_params::<E>())
                    .map_err(|_| Failed)?;
            } else {
                let mut left = Reflectors::new(kern, c, c, [v1, vt1, t1, w1]);
                let mut right = Reflectors::new(kern, c, c - 1, [v2, vt2, t2, w2]);
                bidiagonalize(kern, (a, c), [&mut left, &mut right], d, e, [&mut *tl, &mut *tr], [row, w]);
                let mut columns = [None, None];
                if vectors {
                    left.close_all(tl);
                    right.close_all(tr);
                    left.form(x, c);
                    right.form(y, c);
                    columns = [Some((x, cp)), Some((y, cp))];
                }
                let turns = [turn1, turn2].map(|p| {
                    slice(p, 2 * c);
                    std::slice::from_raw_parts_mut(p.cast::<(E, E)>(), c)
                });
                if !diagonalize(kern, d, &mut e[..c - 1], columns, turns) {
                    return Err(Failed);
                }
            }
            self.values = d;
        }
        // SAFETY: as above.
        let order = unsafe {
            (0..c).for_each(|i| order.add(i).write(i));
            std::slice::from_raw_parts_mut(order, c)
        };
        let values = self.values;
        let size = |i: usize| values[i].mag();
        order.sort_by(|&i, &j| size(j).partial_cmp(&size(i)).unwrap_or(std::cmp::Ordering::Equal));
        self.order = order;
        Ok(())
    }
    /// Singular value `i` in descending order.
    pub(crate) fn value(&self, i: usize) -> E {
        self.values[self.order[i]].mag() / self.scale
    }
    /// How many values the rule keeps.
    fn count(&self, keep: Keep<E>) -> usize {
        let c = self.values.len();
        let above = |least: E| (0..c).take_while(|&i| self.value(i) > least).count();
        match keep {
            Keep::All => c,
            Keep::Relative(tol) => above(tol * self.value(0)),
            Keep::Absolute(tol) => above(tol),
            Keep::Tail(tol) => {
                let mag = |i: usize| self.values[self.order[i]].mag();
                let square = |from: usize| (from..c).rev().fold(E::ZERO, |s, i| s + mag(i) * mag(i));
                let all = square(0).root();
                (0..c).take_while(|&i| square(i).root() > tol * all).count()
            }
        }
    }
    /// Writes the first `rank` vectors and values. The entry of largest modulus in each column of `u` is positive: the first
    /// within a thousandth of the largest, so that rounding does not choose between equal ones.
    pub(crate) fn write(&self, u: MatMut<'_, E>, mut s: MatMut<'_, E>, vt: MatMut<'_, E>) {
        let (r, c) = (self.rank, self.values.len());
        let [m, n] = self.shape;
        assert!(u.shape() == (m, r) && vt.shape() == (r, n) && s.shape() == (r, 1), "extents of the factors");
        (0..r).for_each(|i| s[(i, 0)] = self.value(i));
        let Some(sides) = &self.sides else { return };
        for (which, side) in sides.iter().enumerate() {
            let [cp, ld] = side.ld;
            for (to, &from) in self.order.iter().take(r).enumerate() {
                let flip = which == 1 && self.values[from] < E::ZERO;
                for i in 0..ld {
                    // SAFETY: columns of the core and of the result; the latter are not shorter.
                    unsafe {
                        let x = if i < c { side.core.add(i + from * cp).read() } else { E::ZERO };
                        side.out.add(i + to * ld).write(if flip { -x } else { x });
                    }
                }
            }
            if let Some(q) = &side.q {
                // SAFETY: `r <= c` columns of the result.
                unsafe { q.times(side.out, r) }
            }
        }
        let [left, right] = if self.transposed { [&sides[1], &sides[0]] } else { [&sides[0], &sides[1]] };
        // SAFETY: the results have as many rows as the matrix and its transpose.
        unsafe {
            gauge(left, u.nrows(), right, vt.ncols(), r);
            store(left.out, left.ld[1], u);
            store(right.out, right.ld[1], vt.transpose_mut());
        }
    }
}
/// Fixes the signs of `r` pairs of vectors.
///
/// # Safety
/// The sides hold `r` columns of `m` and `n` elements.
unsafe fn gauge<E: Real>(left: &Side<E>, m: usize, right: &Side<E>, n: usize, r: usize) {
    for j in 0..r {
        // SAFETY: the caller's columns.
        unsafe {
            let u = std::slice::from_raw_parts_mut(left.out.add(j * left.ld[1]), m);
            let top = u.iter().fold(E::ZERO, |t, x| if x.mag() > t { x.mag() } else { t });
            let near = top * E::of(tfc_ir::ops::linalg::LEADING);
            if u.iter().find(|x| x.mag() >= near).is_some_and(|&x| x < E::ZERO) {
                let v = std::slice::from_raw_parts_mut(right.out.add(j * right.ld[1]), n);
                u.iter_mut().chain(v).for_each(|x| *x = -*x);
            }
        }
    }
}

/// `A = U diag(s) Vᵀ` with `k = min(m, n)` columns in `u`, values in `s` and rows in `vt`; values descend.
pub(crate) fn thin<E: Real>(
    kern: &'static Kernels<E>,
    a: MatRef<'_, E>,
    u: MatMut<'_, E>,
    s: MatMut<'_, E>,
    vt: MatMut<'_, E>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    decompose(kern, a, Keep::All, [0, usize::MAX], true, stack)?.write(u, s, vt);
    Ok(())
}
/// The singular values alone, descending, in a matrix of one column.
#[cfg_attr(not(debug_assertions), expect(dead_code, reason = "no op asks for values alone as yet"))]
pub(crate) fn values<E: Real>(
    kern: &'static Kernels<E>,
    a: MatRef<'_, E>,
    mut s: MatMut<'_, E>,
    stack: &mut MemStack,
) -> Result<(), Failed> {
    let f = decompose(kern, a, Keep::All, [0, usize::MAX], false, stack)?;
    (0..f.rank).for_each(|i| s[(i, 0)] = f.value(i));
    Ok(())
}
