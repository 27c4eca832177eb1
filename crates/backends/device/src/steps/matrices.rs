//! What steps of linear algebra have in common: strides of matrices and batches of them, launches that say which matrix could not be
//! factored; and triangular systems, Cholesky's factor and that of LU.
use tfc_ir::ops::linalg::Triangular;
use tfc_ir::{Code, DType, Error, Result};
use tfc_kernels::linalg::Factor;
use tfc_plan::plan::{KernelStep, Slot};

use super::{Site, Step, long, misfit, step};
use crate::device::{Arg, Shape};
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{blocks, loops, space, threads};

/// Strides of the first two axes; a vector is a matrix of one column.
pub fn of_matrix(frame: &Frame, s: Slot) -> [isize; 2] {
    let by = frame.strides(s);
    [by.first().copied().unwrap_or(0), by.get(1).copied().unwrap_or(0)]
}
/// Loops over the axes behind the first `own` of each slot.
pub fn batches(frame: &Frame, slots: &[(Slot, usize)], rank: usize) -> (Arg, usize) {
    let Some(&(first, own)) = slots.first() else { return (loops(&space(&[], &[], 0), rank), 1) };
    let dims: Vec<usize> = frame.dims(first).iter().skip(own).copied().collect();
    let strides: Vec<Vec<isize>> =
        slots.iter().map(|&(s, own)| frame.strides(s).iter().skip(own).copied().collect()).collect();
    let by: Vec<&[isize]> = strides.iter().map(Vec::as_slice).collect();
    // In the order of the axes, so that the number of a matrix is its place in the batch.
    let mut s = tfc_plan::space::Space::default();
    s.clear(by.len());
    dims.iter().enumerate().for_each(|(a, &n)| s.push(n, false, |k| by[k][a]));
    (loops(&s, rank), dims.iter().product())
}
/// A launch that reports matrices it cannot factor.
pub struct Reported {
    /// The factorisation.
    pub factor: Factor,
    /// Such a matrix is no error: NaN stand for its factors.
    pub nan: bool,
}
impl Reported {
    /// What a step reports of matrices of that type.
    ///
    /// # Errors
    /// `E0718` where no factorisation is known for it.
    pub fn of(site: &Site, d: DType) -> Result<Reported> {
        let nan = site.attrs().word("on_fail") == Some("nan");
        Ok(Reported { factor: Factor::of(site.op().def, site.attrs(), d)?, nan })
    }
    /// Launches with memory for a word of each matrix, behind the pointers; then what the words say.
    ///
    /// # Errors
    /// That a matrix could not be factored; what the device reports.
    pub fn launch(
        &self,
        (frame, ctx): (&mut Frame, &mut Ctx),
        kernel: &str,
        shape: Shape,
        (pointers, rest): (Vec<Arg>, Vec<Arg>),
        batch: &[usize],
    ) -> Result<()> {
        let count: usize = batch.iter().product();
        let bytes = count.checked_mul(4).ok_or_else(|| Error::new(Code::E0406, "a batch is too large"))?;
        let bad = frame.scratch(ctx, 0, bytes)?;
        let args = [pointers, vec![Arg::Ptr(bad)], rest].concat();
        ctx.module.launch(kernel, shape, &args)?;
        if self.nan {
            return Ok(());
        }
        let mut words = vec![0u8; bytes];
        ctx.download(bad, &mut words)?;
        match words.chunks(4).position(|w| w != [0; 4]) {
            Some(i) => Err(self.factor.failed(batch, i, None)),
            None => Ok(()),
        }
    }
}

/// A triangular system. Its kernel takes the matrix, right-hand sides, solutions; rows, right-hand sides of a system, whether the matrix is a
/// lower one, strides of rows and columns of all three, and loops over systems. Strides have been exchanged, so that it solves
/// `op(a) · x = b` with an `op` that does not transpose.
pub struct Substitution {
    /// Which triangle, and how it is applied.
    pub of: Triangular,
    /// Name of the kernel.
    pub kernel: String,
    /// Loops over systems.
    pub rank: usize,
}
impl Step for Substitution {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let (&[a, b], &[x]) = (&s.args[..], &s.dsts[..]) else { return Err(misfit()) };
        let (at, count) = batches(frame, &[(a, 2), (b, 2), (x, 2)], self.rank);
        let (n, [rows, cols]) = (frame.dims(a)[0], [frame.dims(b)[0], frame.dims(b)[1]]);
        // `x · op(a) = b` is `op(a)ᵀ · xᵀ = bᵀ`.
        let columns = if self.of.left { cols } else { rows };
        if n == 0 || columns == 0 || count == 0 {
            return Ok(());
        }
        let transpose = self.of.transpose == self.of.left;
        let turned = |[r, c]: [isize; 2], turn: bool| if turn { [c, r] } else { [r, c] };
        let [ar, ac] = turned(of_matrix(frame, a), transpose);
        let ([br, bc], [xr, xc]) =
            (turned(of_matrix(frame, b), !self.of.left), turned(of_matrix(frame, x), !self.of.left));
        let lower = usize::from(self.of.lower != transpose);
        let mut args = [a, b, x].map(|s| Arg::Ptr(frame.ptr[s as usize])).to_vec();
        args.extend([
            long(n),
            long(columns),
            long(lower),
            step(ar),
            step(ac),
            step(br),
            step(bc),
            step(xr),
            step(xc),
            at,
        ]);
        ctx.module.launch(&self.kernel, threads(count.saturating_mul(columns)), &args)
    }
}

/// Threads of a block that has a matrix.
pub const BLOCK: u32 = 64;
/// A kernel for small matrices.
pub struct Small {
    /// Name of the kernel.
    pub kernel: String,
    /// Rows or columns, at most.
    pub most: usize,
    /// Blocks and threads for so many matrices of so many bytes each.
    pub shape: fn(usize, usize) -> Shape,
    /// Bytes of an element.
    pub size: usize,
}
impl Small {
    /// The kernel for so many matrices, and how it is launched.
    fn or<'a>(small: Option<&'a Small>, kernel: &'a str, [m, n, count]: [usize; 3]) -> (&'a str, Shape) {
        match small {
            Some(s) if m.max(n) <= s.most => (&s.kernel, (s.shape)(count, m * n * s.size)),
            _ => (kernel, blocks(count, BLOCK)),
        }
    }
}
/// Cholesky's factor. Its kernel takes the matrix, the factor, words that say which matrix has none; rows, strides of both, and loops over
/// matrices.
pub struct Cholesky {
    /// Name of the kernel.
    pub kernel: String,
    /// Another one for small matrices.
    pub small: Option<Small>,
    /// Loops over matrices.
    pub rank: usize,
    /// What is said of a matrix without factors.
    pub reported: Reported,
}
impl Step for Cholesky {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let (&[a], &[l]) = (&s.args[..], &s.dsts[..]) else { return Err(misfit()) };
        if frame.len(a)? == 0 {
            return Ok(());
        }
        let (n, batch) = (frame.dims(a)[0], frame.dims(a)[2..].to_vec());
        let ([ar, ac], [lr, lc]) = (of_matrix(frame, a), of_matrix(frame, l));
        let (at, count) = batches(frame, &[(a, 2), (l, 2)], self.rank);
        let pointers = vec![Arg::Ptr(frame.ptr[a as usize]), Arg::Ptr(frame.ptr[l as usize])];
        let rest = vec![long(n), step(ar), step(ac), step(lr), step(lc), at];
        let (kernel, shape) = Small::or(self.small.as_ref(), &self.kernel, [n, n, count]);
        self.reported.launch((frame, ctx), kernel, shape, (pointers, rest), &batch)
    }
}

/// LU with partial pivoting. Its kernel takes the matrix, the factors, pivots, rows in their order, words that say which matrix holds no
/// numbers; rows, columns, strides of all, and loops over matrices.
pub struct Lu {
    /// Name of the kernel.
    pub kernel: String,
    /// Another one for small matrices.
    pub small: Option<Small>,
    /// Loops over matrices.
    pub rank: usize,
    /// What is said of a matrix without factors.
    pub reported: Reported,
}
impl Step for Lu {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let (&[a], &[lu, pivots, p]) = (&s.args[..], &s.dsts[..]) else { return Err(misfit()) };
        let ([m, n], batch) = ([frame.dims(a)[0], frame.dims(a)[1]], frame.dims(a)[2..].to_vec());
        let (at, count) = batches(frame, &[(a, 2), (lu, 2), (pivots, 1), (p, 1)], self.rank);
        if m == 0 || count == 0 {
            return Ok(());
        }
        let ([ar, ac], [lr, lc]) = (of_matrix(frame, a), of_matrix(frame, lu));
        let ([sr, _], [pr, _]) = (of_matrix(frame, pivots), of_matrix(frame, p));
        let pointers = [a, lu, pivots, p].map(|s| Arg::Ptr(frame.ptr[s as usize])).to_vec();
        let rest = vec![long(m), long(n), step(ar), step(ac), step(lr), step(lc), step(sr), step(pr), at];
        let (kernel, shape) = Small::or(self.small.as_ref(), &self.kernel, [m, n, count]);
        self.reported.launch((frame, ctx), kernel, shape, (pointers, rest), &batch)
    }
}
