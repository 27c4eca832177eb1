//! Products of Householder reflections, in panels of a few columns, and the factorisation that makes them.
//!
//! A panel is reduced one reflection at a time; everything else is products of matrices, in the compact WY form
//! `H₁ … H_b = I - V T Vᵀ` (Schreiber and Van Loan, 1989). Columns are padded with zeros to whole vectors, and the vectors
//! are kept apart from what they were made of, with their zeros and ones, so that no kernel knows of triangles.
use super::kern::{Kernels, PAD, Product, Real};
use faer::MatMut;
use faer::dyn_stack::{MemStack, StackReq};

/// Memory for pieces of so many elements each, which start at cache lines.
pub(super) fn pieces<E>(sizes: &[usize]) -> StackReq {
    sizes.iter().fold(StackReq::EMPTY, |s, &n| s.and(StackReq::new_aligned::<E>(n, 64)))
}
/// Pieces of so many elements each, not initialised, and the memory behind them.
pub(super) fn carve<'a, E: 'a, const K: usize>(
    stack: &'a mut MemStack,
    sizes: [usize; K],
) -> ([*mut E; K], &'a mut MemStack) {
    let mut stack = stack;
    let mut out = [std::ptr::null_mut(); K];
    for (p, n) in out.iter_mut().zip(sizes) {
        let (piece, rest) = stack.make_aligned_uninit::<E>(n, 64);
        *p = piece.as_mut_ptr().cast();
        stack = rest;
    }
    (out, stack)
}
/// `m` rounded up to whole vectors.
pub(super) fn padded(m: usize) -> usize {
    m.saturating_add(PAD - 1) / PAD * PAD
}

/// A product of reflections `Q = H₁ … H_k` on vectors of `m` elements, in memory that the caller keeps.
pub(crate) struct Reflectors<E: 'static> {
    pub(crate) kern: &'static Kernels<E>,
    /// Elements of a vector, padded.
    pub(crate) m: usize,
    /// Reflections. Those of reflection `j` start with element `j`.
    pub(crate) k: usize,
    /// Columns of a panel.
    nb: usize,
    /// The vectors: `m × k`.
    pub(crate) v: *mut E,
    /// By panel, the vectors as rows, and `T` followed by its transpose.
    vt: *mut E,
    t: *mut E,
    /// Space for `PAD` rows of two products.
    w: *mut E,
}

/// Columns of a panel: few where the whole has few.
fn width<E>(k: usize) -> usize {
    if k <= 8 && size_of::<E>() == 8 { 8 } else { PAD }
}

impl<E: Real> Reflectors<E> {
    /// Elements of each piece of memory for `k` reflections of `m` elements and products with `c` columns.
    pub(crate) fn sizes(m: usize, k: usize, c: usize) -> [usize; 4] {
        let (m, kp) = (padded(m), padded(k));
        let (tall, wide) = (kp.saturating_mul(2 * PAD), c.max(PAD).saturating_mul(2 * PAD));
        [m.saturating_mul(k), m.saturating_mul(kp), tall, wide]
    }
    /// No vectors yet; `mem` are pieces of [`Reflectors::sizes`].
    pub(crate) fn new(kern: &'static Kernels<E>, m: usize, k: usize, [v, vt, t, w]: [*mut E; 4]) -> Self {
        Reflectors { kern, m: padded(m), k, nb: width::<E>(k), v, vt, t, w }
    }
    /// The first element that reflection `j` may change: that of its panel.
    pub(crate) fn start(&self, j: usize) -> usize {
        j - j % self.nb
    }
    /// The panels, as first reflection and count.
    fn panels(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> + use<E> {
        let (k, nb) = (self.k, self.nb);
        (0..k).step_by(nb).map(move |j| (j, nb.min(k - j)))
    }
    /// Makes `T` of the reflections `j..j + b`, whose vectors are there (LAPACK's dlarft): its column `i` is
    /// `-tau_i T (Vᵀ v_i)` above `tau_i`.
    ///
    /// # Safety
    /// The memory is there; `j` and `b` are a panel.
    unsafe fn close(&mut self, j: usize, b: usize, tau: &[E]) {
        let (m, nb) = (self.m, self.nb);
        let mut t = [[E::ZERO; PAD]; PAD];
        // SAFETY: the panel's own pieces.
        unsafe {
            let (v, vt, g) = (self.v.add(j + j * m).cast_const(), self.vt.add(j * m), self.w);
            for i in 0..m - j {
                for l in 0..nb {
                    vt.add(i * nb + l).write(if l < b { v.add(l * m + i).read() } else { E::ZERO });
                }
            }
            self.product([nb, b, m - j], (vt, nb), (v, m), (g, nb), false);
            for i in 0..b {
                let mut c = [E::ZERO; PAD];
                for l in 0..i {
                    let s = -tau[i] * g.add(l + i * nb).read();
                    for r in 0..PAD {
                        c[r] += t[l][r] * s;
                    }
                }
                c[i] = tau[i];
                t[i] = c;
            }
            let to = self.t.add(j * 2 * nb);
            for i in 0..nb {
                for r in 0..nb {
                    to.add(r + i * nb).write(t[i][r]);
                    to.add(nb * nb + i + r * nb).write(t[i][r]);
                }
            }
        }
    }
    /// The factor of reflection `j`.
    ///
    /// # Safety
    /// Its panel is closed.
    pub(crate) unsafe fn tau(&self, j: usize) -> E {
        let first = self.start(j);
        // SAFETY: the diagonal of the panel's own `T`.
        unsafe { self.t.add(first * 2 * self.nb + (j - first) * (self.nb + 1)).read() }
    }
    /// [`close`](Self::close) for all panels.
    ///
    /// # Safety
    /// The memory is there, with all vectors.
    pub(crate) unsafe fn close_all(&mut self, tau: &[E]) {
        for (j, b) in self.panels() {
            // SAFETY: passed on.
            unsafe { self.close(j, b, &tau[j..j + b]) }
        }
    }
    /// A product of matrices that all have columns side by side: pointer and column stride each.
    unsafe fn product(
        &self,
        mnk: [usize; 3],
        a: (*const E, usize),
        b: (*const E, usize),
        c: (*mut E, usize),
        sub: bool,
    ) {
        // SAFETY: passed on.
        unsafe { (self.kern.product)(&Product { mnk, a, b: (b.0, 1, b.1), c, sub }) }
    }
    /// `X -= V T Vᵀ X`, or with `Tᵀ`, for a panel: `X` has rows `j..m` of `cols` columns, `ld` apart.
    unsafe fn apply(&self, (j, b): (usize, usize), transposed: bool, x: *mut E, ld: usize, cols: usize) {
        let (m, nb) = (self.m, self.nb);
        // SAFETY: the panel's own pieces, and those columns.
        unsafe {
            let t = self.t.add(j * 2 * nb + if transposed { nb * nb } else { 0 });
            let (w, tw) = (self.w, self.w.add(nb * cols));
            self.product([nb, cols, m - j], (self.vt.add(j * m), nb), (x, ld), (w, nb), false);
            self.product([nb, cols, b], (t, nb), (w, nb), (tw, nb), false);
            self.product([m - j, cols, b], (self.v.add(j + j * m), m), (tw, nb), (x, ld), true);
        }
    }
    /// `X = Q X` for `X` with `cols` columns of padded length.
    ///
    /// # Safety
    /// They are writable, and `cols` is at most what the memory was made for.
    pub(crate) unsafe fn times(&self, x: *mut E, cols: usize) {
        for p in self.panels().rev() {
            // SAFETY: rows from `j` on of the caller's columns.
            unsafe { self.apply(p, false, x.add(p.0), self.m, cols) }
        }
    }
    /// Writes the first `cols >= k` columns of `Q`, padded, at `x`.
    ///
    /// # Safety
    /// As [`Reflectors::times`].
    pub(crate) unsafe fn form(&self, x: *mut E, cols: usize) {
        let m = self.m;
        // SAFETY: as above; a reflection leaves columns of the identity before its own alone.
        unsafe {
            std::slice::from_raw_parts_mut(x, m * cols).fill(E::ZERO);
            for i in 0..cols {
                x.add(i + i * m).write(E::ONE);
            }
            for p in self.panels().rev() {
                self.apply(p, false, x.add(p.0 + p.0 * m), m, cols - p.0);
            }
        }
    }
    /// Factors the matrix `a` with `n` columns of padded length in place: `Qᵀ A = R`. Where `drop` is positive, stops as
    /// soon as what is left has a Frobenius norm of at most `drop`, and takes it as zero: `k` is less then.
    ///
    /// # Safety
    /// They are writable; the memory is for products with `n` columns.
    pub(crate) unsafe fn factor(&mut self, a: *mut E, n: usize, drop: E) {
        let (m, kern) = (self.m, self.kern);
        // SAFETY: the pieces hold what is written; blocks of rows start at multiples of the panel, hence of a vector.
        unsafe {
            for (j, b) in self.panels() {
                let rest = || (j..n).fold(E::ZERO, |s, c| s + (kern.squares)(m - j, a.add(j + c * m)).0);
                if drop > E::ZERO && rest() <= drop * drop {
                    self.k = j;
                    break;
                }
                let mut tau = [E::ZERO; PAD];
                let (pa, v) = (a.add(j + j * m), self.v.add(j + j * m));
                for i in 0..b {
                    let h = (kern.house)(m - j, i, pa.add(i * m), v.add(i * m));
                    if h.tau != E::ZERO && i + 1 < b {
                        (kern.reflect)(m - j, b - i - 1, v.add(i * m), h.tau, pa.add((i + 1) * m), m);
                    }
                    pa.add(i + i * m).write(h.beta);
                    tau[i] = h.tau;
                }
                self.close(j, b, &tau);
                if j + b < n {
                    self.apply((j, b), true, a.add(j + (j + b) * m), m, n - j - b);
                }
            }
        }
    }
}

/// Side of a block of a transposed copy.
const BLOCK: usize = 8;

/// Copies a strided matrix to columns `ld` apart, zeros below.
pub(super) unsafe fn load<E: Real>(m: usize, n: usize, (p, rs, cs): (*const E, isize, isize), to: *mut E, ld: usize) {
    // SAFETY: the caller's matrix and memory.
    unsafe {
        if rs == 1 {
            for j in 0..n {
                std::ptr::copy_nonoverlapping(p.offset(j as isize * cs), to.add(j * ld), m);
            }
        } else {
            for j in (0..n).step_by(BLOCK) {
                for i in (0..m).step_by(BLOCK) {
                    for l in i..(i + BLOCK).min(m) {
                        for c in j..(j + BLOCK).min(n) {
                            to.add(l + c * ld).write(p.offset(l as isize * rs + c as isize * cs).read());
                        }
                    }
                }
            }
        }
        for j in 0..n {
            for i in m..ld {
                to.add(i + j * ld).write(E::ZERO);
            }
        }
    }
}
/// Copies columns `ld` apart to a strided matrix.
pub(super) unsafe fn store<E: Real>(from: *const E, ld: usize, to: MatMut<'_, E>) {
    let (m, n, rs, cs) = (to.nrows(), to.ncols(), to.row_stride(), to.col_stride());
    let p = to.as_ptr_mut();
    // SAFETY: the caller's memory; every index is inside the matrix.
    unsafe {
        if rs == 1 {
            for j in 0..n {
                std::ptr::copy_nonoverlapping(from.add(j * ld), p.offset(j as isize * cs), m);
            }
            return;
        }
        for j in (0..n).step_by(BLOCK) {
            for i in (0..m).step_by(BLOCK) {
                for l in i..(i + BLOCK).min(m) {
                    for c in j..(j + BLOCK).min(n) {
                        p.offset(l as isize * rs + c as isize * cs).write(from.add(l + c * ld).read());
                    }
                }
            }
        }
    }
}
