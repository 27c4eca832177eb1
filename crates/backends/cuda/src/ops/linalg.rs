//! Factorisations and solutions of small systems by kernels of this crate: a block a matrix, or a thread a right-hand side. Numbers are
//! those of the textbook's order of operations (Golub & Van Loan, Matrix Computations, §3.1, §3.4, §4.2, §4.3), in the element type.
//! For large matrices this is the long way: a library's factorisation is what belongs here.
use tfc_ir::ops::linalg::Triangular;
use tfc_ir::{DType, Error, Result, ScalarOp, ops};
use tfc_kernels::linalg::Factor;
use tfc_plan::plan::{KernelStep, Slot};

use super::library::{What, or};
use super::{Rows, Site, Step, long, misfit, param, step, warps};
use crate::device::{Arg, Shape};
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{blocks, loops, space, threads};
use crate::text::scalar::ctype;
use crate::text::{Kernel, Param};

pub(super) const CORE: Rows = &[
    (&ops::linalg::CHOLESKY, |s, t| or(s, t, What::Cholesky, cholesky)),
    (&ops::linalg::LU_FACTOR, |s, t| or(s, t, What::Lu, lu)),
    (&ops::linalg::SOLVE, |s, t| or(s, t, What::Solve, solve)),
    (&ops::linalg::TRIANGULAR_SOLVE, |s, t| or(s, t, What::Triangular(Triangular::of(s.attrs())), triangular)),
    (&ops::linalg::TRIDIAGONAL_SOLVE, tridiagonal),
];

/// Threads of a block that has a matrix.
const BLOCK: u32 = 64;

/// Expressions of one element type.
pub(super) struct Numbers<'a> {
    texts: &'a mut Texts,
    d: DType,
    /// The type of a modulus.
    real: DType,
}
impl Numbers<'_> {
    pub(super) fn of(texts: &mut Texts, d: DType) -> Numbers<'_> {
        let real = match d {
            DType::C32 => DType::F32,
            DType::C64 => DType::F64,
            _ => d,
        };
        Numbers { texts, d, real }
    }
    pub(super) fn op(&mut self, op: ScalarOp, args: &[&str]) -> Result<String> {
        let args: Vec<(&str, DType)> = args.iter().map(|&a| (a, self.d)).collect();
        self.texts.source.functions.apply(op, &args, self.d)
    }
    /// `x - a b`.
    pub(super) fn less(&mut self, x: &str, a: &str, b: &str) -> Result<String> {
        let product = self.op(ScalarOp::Mul, &[a, b])?;
        self.op(ScalarOp::Sub, &[x, &product])
    }
    pub(super) fn conj(&mut self, x: &str) -> Result<String> {
        if self.d.is_complex() { self.op(ScalarOp::Conj, &[x]) } else { Ok(x.to_owned()) }
    }
    /// A real number as an element.
    pub(super) fn number(&self, x: &str) -> Result<String> {
        Ok(if self.d.is_complex() { format!("{}{{{x}, 0}}", ctype(self.d)?) } else { x.to_owned() })
    }
    /// The real part.
    pub(super) fn re(&self, x: &str) -> String {
        if self.d.is_complex() { format!("({x}).re") } else { x.to_owned() }
    }
    /// The square of the modulus.
    fn square(&self, x: &str) -> String {
        if self.d.is_complex() { format!("({x}.re * {x}.re + {x}.im * {x}.im)") } else { format!("({x} * {x})") }
    }
    /// How large it is beside others, of double precision; of complex numbers, as LAPACK's and other engines' choice of pivots has it, the
    /// sum of the moduli of both parts.
    pub(super) fn size(&self, x: &str) -> String {
        if self.d.is_complex() { format!("(fabs((f64){x}.re) + fabs((f64){x}.im))") } else { format!("fabs((f64){x})") }
    }
    /// Is it a number, of finite parts?
    pub(super) fn finite(&self, x: &str) -> String {
        // The difference of an infinity or a NaN with itself is a NaN.
        if self.d.is_complex() {
            format!("({x}.re - {x}.re == 0 && {x}.im - {x}.im == 0)")
        } else {
            format!("({x} - {x} == 0)")
        }
    }
    pub(super) fn nan(&self) -> Result<&'static str> {
        Ok(match self.d {
            DType::F32 => "(f32)(0.0 / 0.0)",
            DType::F64 => "(0.0 / 0.0)",
            DType::C32 => "c32{(f32)(0.0 / 0.0), (f32)(0.0 / 0.0)}",
            _ => "c64{0.0 / 0.0, 0.0 / 0.0}",
        })
    }
}
/// Strides of the first two axes; a vector is a matrix of one column.
pub(super) fn of_matrix(frame: &Frame, s: Slot) -> [isize; 2] {
    let by = frame.strides(s);
    [by.first().copied().unwrap_or(0), by.get(1).copied().unwrap_or(0)]
}
/// Loops over the axes behind the first `own` of each slot.
pub(super) fn batches(frame: &Frame, slots: &[(Slot, usize)], rank: usize) -> (Arg, usize) {
    let Some(&(first, own)) = slots.first() else { return (loops(&space(&[], &[], 0), rank), 1) };
    let dims: Vec<usize> = frame.dims(first).iter().skip(own).copied().collect();
    let strides: Vec<Vec<isize>> =
        slots.iter().map(|&(s, own)| frame.strides(s).iter().skip(own).copied().collect()).collect();
    let by: Vec<&[isize]> = strides.iter().map(Vec::as_slice).collect();
    // In the order of the axes, so that the number of a matrix is its place in the batch.
    let mut s = tfc_plan::sizes::space::Space::default();
    s.clear(by.len());
    dims.iter().enumerate().for_each(|(a, &n)| s.push(n, false, |k| by[k][a]));
    (loops(&s, rank), dims.iter().product())
}
/// A launch that reports matrices it cannot factor.
pub(super) struct Reported {
    pub(super) factor: Factor,
    pub(super) nan: bool,
}
impl Reported {
    pub(super) fn of(site: &Site, d: DType) -> Result<Reported> {
        let nan = site.attrs().word("on_fail") == Some("nan");
        Ok(Reported { factor: Factor::of(site.op().def, site.attrs(), d)?, nan })
    }
    /// Launches with memory for a word of each matrix, behind the pointers; then what the words say.
    pub(super) fn launch(
        &self,
        (frame, ctx): (&mut Frame, &mut Ctx),
        kernel: &str,
        shape: Shape,
        (pointers, rest): (Vec<Arg>, Vec<Arg>),
        batch: &[usize],
    ) -> Result<()> {
        let count: usize = batch.iter().product();
        let bytes = count.checked_mul(4).ok_or_else(|| Error::new("E0406", "a batch is too large"))?;
        let bad = frame.scratch(ctx, 0, bytes)?;
        let args = [pointers, vec![Arg::Ptr(bad)], rest].concat();
        ctx.module.launch(kernel, shape, &args)?;
        if self.nan {
            return Ok(());
        }
        let mut words = vec![0u8; bytes];
        ctx.download(bad, &mut words)?;
        match words.chunks(4).position(|w| w != [0; 4]) {
            Some(i) => Err(self.factor.failed(batch, i)),
            None => Ok(()),
        }
    }
}

struct Cholesky {
    kernel: String,
    small: String,
    size: usize,
    rank: usize,
    reported: Reported,
}
fn cholesky(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let ty = site.operand(0)?;
    let (d, rank) = (ty.dtype, (ty.rank() - 2).max(1));
    let reported = Reported::of(site, d)?;
    let mut n = Numbers::of(texts, d);
    let (t, r) = (ctype(d)?, ctype(n.real)?);
    let (zero, diagonal, nan) = (n.number("0")?, n.number("root")?, n.nan()?);
    let root = n.texts.source.functions.apply(ScalarOp::Sqrt, &[("square", n.real)], n.real)?;
    let real = n.re("x");
    let scaled = if d.is_complex() { format!("{t}{{x.re / root, x.im / root}}") } else { "x / root".into() };
    let right = n.conj("q")?;
    let less = n.less("x", "p", &right)?;
    let fill = if reported.nan {
        format!(
            "    if (bad(k * 4) != 0) for (i64 e = threadIdx.x; e < n * n; e += blockDim.x) l(l_ + e % n * l_row + e / n * l_col) = {nan};\n    __syncthreads();\n"
        )
    } else {
        String::new()
    };
    let body = format!(
        "  SHARED({r}, pivot, 1);
  for (i64 k = blockIdx.x; k < at.count(); k += gridDim.x) {{
    const auto x_ = at.index(k);
    const i64 a_ = at.place(0, x_), l_ = at.place(1, x_);
    if (threadIdx.x == 0) bad(k * 4) = 0;
    for (i64 e = threadIdx.x; e < n * n; e += blockDim.x) {{
      const i64 i = e % n, j = e / n;
      if (i < j) l(l_ + i * l_row + j * l_col) = {zero};
      else l(l_ + i * l_row + j * l_col) = a(a_ + i * a_row + j * a_col);
    }}
    __syncthreads();
    for (i64 j = 0; j < n; j++) {{
      if (threadIdx.x == 0) {{
        const {t} x = l(l_ + j * l_row + j * l_col);
        const {r} square = {real};
        if (!(square > 0 && square - square == 0)) bad(k * 4) = 1;
        const {r} root = {root};
        l(l_ + j * l_row + j * l_col) = {diagonal};
        pivot[0] = root;
      }}
      __syncthreads();
      const {r} root = pivot[0];
      for (i64 i = j + 1 + threadIdx.x; i < n; i += blockDim.x) {{
        const {t} x = l(l_ + i * l_row + j * l_col);
        l(l_ + i * l_row + j * l_col) = {scaled};
      }}
      __syncthreads();
      const i64 rest = n - j - 1;
      for (i64 e = threadIdx.x; e < rest * rest; e += blockDim.x) {{
        const i64 i = j + 1 + e % rest, c = j + 1 + e / rest;
        if (i >= c) {{
          const {t} x = l(l_ + i * l_row + c * l_col), p = l(l_ + i * l_row + j * l_col), q = l(l_ + c * l_row + j * l_col);
          l(l_ + i * l_row + c * l_col) = {less};
        }}
      }}
      __syncthreads();
    }}
{fill}  }}
"
    );
    let kernel = texts.add(Kernel {
        name: format!("cholesky_{t}"),
        params: vec![
            param(format!("In<{t}>"), "a"),
            param(format!("Out<{t}>"), "l"),
            param("Out<i32>", "bad"),
            param("i64", "n"),
            param("i64", "a_row"),
            param("i64", "a_col"),
            param("i64", "l_row"),
            param("i64", "l_col"),
            param(format!("Loops<{rank}, 2>"), "at"),
        ],
        body,
    });
    let small = warps::cholesky(texts, d, rank, reported.nan)?;
    Ok(Box::new(Cholesky { kernel, small, size: d.size(), rank, reported }))
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
        let (kernel, shape) = match n <= warps::MOST {
            true => (&self.small, warps::shape(count, n * n * self.size)),
            false => (&self.kernel, blocks(count, BLOCK)),
        };
        self.reported.launch((frame, ctx), kernel, shape, (pointers, rest), &batch)
    }
}

struct Lu {
    kernel: String,
    small: String,
    size: usize,
    rank: usize,
    reported: Reported,
}
fn lu(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let ty = site.operand(0)?;
    let (d, rank) = (ty.dtype, (ty.rank() - 2).max(1));
    let reported = Reported::of(site, d)?;
    let kernel = lu_text(texts, d, rank, reported.nan)?;
    let small = warps::lu(texts, d, rank, reported.nan)?;
    Ok(Box::new(Lu { kernel, small, size: d.size(), rank, reported }))
}
/// The kernel that factors; of a matrix that holds no numbers, `nan` everywhere.
fn lu_text(texts: &mut Texts, d: DType, rank: usize, nans: bool) -> Result<String> {
    let mut n = Numbers::of(texts, d);
    let (t, nan) = (ctype(d)?, n.nan()?);
    let (finite, size, quotient) = (n.finite("x"), n.size("x"), n.op(ScalarOp::Div, &["x", "pivot"])?);
    let (less, zero) = (n.less("x", "p", "q")?, n.size("pivot"));
    let fill = if nans {
        format!(
            "    if (bad(k * 4) != 0) for (i64 e = threadIdx.x; e < m * n; e += blockDim.x) lu(lu_ + e % m * lu_row + e / m * lu_col) = {nan};\n    __syncthreads();\n"
        )
    } else {
        String::new()
    };
    let body = format!(
        "  SHARED(i64, found, 1);
  for (i64 k = blockIdx.x; k < at.count(); k += gridDim.x) {{
    const auto x_ = at.index(k);
    const i64 a_ = at.place(0, x_), lu_ = at.place(1, x_), s_ = at.place(2, x_), p_ = at.place(3, x_);
    for (i64 e = threadIdx.x; e < m * n; e += blockDim.x)
      lu(lu_ + e % m * lu_row + e / m * lu_col) = a(a_ + e % m * a_row + e / m * a_col);
    for (i64 i = threadIdx.x; i < m; i += blockDim.x) p(p_ + i * p_row) = i;
    if (threadIdx.x == 0) bad(k * 4) = 0;
    __syncthreads();
    if (threadIdx.x == 0) {{
      bool all = true;
      for (i64 e = 0; e < m * n; e++) {{
        const {t} x = lu(lu_ + e % m * lu_row + e / m * lu_col);
        all = all && {finite};
      }}
      if (!all) bad(k * 4) = 1;
    }}
    for (i64 j = 0; j < m && j < n; j++) {{
      if (threadIdx.x == 0) {{
        i64 top = j;
        f64 most = -1;
        for (i64 i = j; i < m; i++) {{
          const {t} x = lu(lu_ + i * lu_row + j * lu_col);
          const f64 size = {size};
          if (size > most) {{
            most = size;
            top = i;
          }}
        }}
        found[0] = top;
        pivots(s_ + j * s_row) = top;
        const i64 row = p(p_ + j * p_row), other = p(p_ + top * p_row);
        p(p_ + j * p_row) = other;
        p(p_ + top * p_row) = row;
      }}
      __syncthreads();
      const i64 top = found[0];
      if (top != j)
        for (i64 c = threadIdx.x; c < n; c += blockDim.x) {{
          const {t} x = lu(lu_ + j * lu_row + c * lu_col), q = lu(lu_ + top * lu_row + c * lu_col);
          lu(lu_ + j * lu_row + c * lu_col) = q;
          lu(lu_ + top * lu_row + c * lu_col) = x;
        }}
      __syncthreads();
      const {t} pivot = lu(lu_ + j * lu_row + j * lu_col);
      // A column without a pivot is left as it is.
      if ({zero} != 0) {{
        for (i64 i = j + 1 + threadIdx.x; i < m; i += blockDim.x) {{
          const {t} x = lu(lu_ + i * lu_row + j * lu_col);
          lu(lu_ + i * lu_row + j * lu_col) = {quotient};
        }}
      }}
      __syncthreads();
      const i64 below = m - j - 1, behind = n - j - 1;
      for (i64 e = threadIdx.x; e < below * behind; e += blockDim.x) {{
        const i64 i = j + 1 + e % below, c = j + 1 + e / below;
        const {t} x = lu(lu_ + i * lu_row + c * lu_col), p = lu(lu_ + i * lu_row + j * lu_col), q = lu(lu_ + j * lu_row + c * lu_col);
        lu(lu_ + i * lu_row + c * lu_col) = {less};
      }}
      __syncthreads();
    }}
{fill}  }}
"
    );
    Ok(n.texts.add(lu_kernel(t, rank, nans, "", body)))
}
/// A kernel of `lu_factor`, whatever shares out its matrices: `by` ends its name.
pub(super) fn lu_kernel(t: &str, rank: usize, nans: bool, by: &str, body: String) -> Kernel {
    let mut params = vec![
        param(format!("In<{t}>"), "a"),
        param(format!("Out<{t}>"), "lu"),
        param("Out<i64>", "pivots"),
        param("Out<i64>", "p"),
        param("Out<i32>", "bad"),
    ];
    params.extend(["m", "n", "a_row", "a_col", "lu_row", "lu_col", "s_row", "p_row"].map(|x| param("i64", x)));
    params.push(param(format!("Loops<{rank}, 4>"), "at"));
    let name = if nans { format!("lu_factor_or_nan_{t}{by}") } else { format!("lu_factor_{t}{by}") };
    Kernel { name, params, body }
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
        let (kernel, shape) = match m.max(n) <= warps::MOST {
            true => (&self.small, warps::shape(count, m * n * self.size)),
            false => (&self.kernel, blocks(count, BLOCK)),
        };
        self.reported.launch((frame, ctx), kernel, shape, (pointers, rest), &batch)
    }
}

struct Substitution {
    of: Triangular,
    kernel: String,
    rank: usize,
}
fn triangular(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let (a, of) = (site.operand(0)?, Triangular::of(site.attrs()));
    let rank = (a.rank() - 2).max(1);
    let kernel = substitution_text(texts, a.dtype, rank, of)?;
    Ok(Box::new(Substitution { of, kernel, rank }))
}
/// The kernel that solves `op(a) · x = b`, with strides exchanged where `op` transposes.
fn substitution_text(texts: &mut Texts, d: DType, rank: usize, of: Triangular) -> Result<String> {
    let mut n = Numbers::of(texts, d);
    let t = ctype(d)?;
    let entry = if of.conj { n.conj("raw")? } else { "raw".to_owned() };
    let (less, quotient) = (n.less("sum", "e", "known")?, n.op(ScalarOp::Div, &["sum", "e"])?);
    let last = if of.unit {
        String::new()
    } else {
        format!("      const {t} raw = a(a_ + i * a_row + i * a_col), e = {entry};\n      sum = {quotient};\n")
    };
    // As `op(a) · x = b` with a lower or an upper `op(a)`: strides of both have been exchanged where they have to be.
    let body = format!(
        "  for (i64 k = thread_of_grid(); k < at.count() * columns; k += threads_of_grid()) {{
    const auto x_ = at.index(k / columns);
    const i64 c = k % columns, a_ = at.place(0, x_), b_ = at.place(1, x_) + c * b_col, x__ = at.place(2, x_) + c * x_col;
    for (i64 l = 0; l < n; l++) {{
      const i64 i = lower != 0 ? l : n - 1 - l;
      {t} sum = b(b_ + i * b_row);
      for (i64 q = 0; q < l; q++) {{
        const i64 j = lower != 0 ? q : n - 1 - q;
        const {t} raw = a(a_ + i * a_row + j * a_col), e = {entry}, known = x(x__ + j * x_row);
        sum = {less};
      }}
{last}      x(x__ + i * x_row) = sum;
    }}
  }}
"
    );
    let mut params =
        vec![param(format!("In<{t}>"), "a"), param(format!("In<{t}>"), "b"), param(format!("Out<{t}>"), "x")];
    params.extend(
        ["n", "columns", "lower", "a_row", "a_col", "b_row", "b_col", "x_row", "x_col"].map(|x| param("i64", x)),
    );
    params.push(param(format!("Loops<{rank}, 3>"), "at"));
    let word = match (of.unit, of.conj) {
        (false, false) => "",
        (true, false) => "_unit",
        (false, true) => "_conj",
        (true, true) => "_unit_conj",
    };
    Ok(n.texts.add(Kernel { name: format!("triangular_solve{word}_{t}"), params, body }))
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

/// `linalg.solve`, where it is run whole: factors, rows in their order, and two substitutions.
struct Solve {
    small: String,
    factors: String,
    rows: String,
    lower: String,
    upper: String,
    rank: usize,
    size: usize,
    reported: Reported,
}
const LOWER: Triangular = Triangular { left: true, lower: true, transpose: false, conj: false, unit: true };
fn solve(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let ty = site.operand(0)?;
    let (d, rank) = (ty.dtype, (ty.rank() - 2).max(1));
    let reported = Reported::of(site, d)?;
    let small = warps::solve(texts, d, rank, reported.nan)?;
    let factors = lu_text(texts, d, rank, reported.nan)?;
    let lower = substitution_text(texts, d, rank, LOWER)?;
    let upper = substitution_text(texts, d, rank, Triangular { lower: false, unit: false, ..LOWER })?;
    let t = ctype(d)?;
    let body = "  for (i64 k = thread_of_grid(); k < at.count() * n * columns; k += threads_of_grid()) {
    const auto x_ = at.index(k / (n * columns));
    const i64 i = k % n, c = k / n % columns;
    const i64 from = p(at.place(2, x_) + i * 8);
    x(at.place(1, x_) + i * x_row + c * x_col) = b(at.place(0, x_) + from * b_row + c * b_col);
  }
";
    let mut params = vec![param(format!("In<{t}>"), "b"), param(format!("Out<{t}>"), "x"), param("In<i64>", "p")];
    params.extend(["n", "columns", "b_row", "b_col", "x_row", "x_col"].map(|x| param("i64", x)));
    params.push(param(format!("Loops<{rank}, 3>"), "at"));
    let rows = texts.add(Kernel { name: format!("rows_in_order_{t}"), params, body: body.into() });
    Ok(Box::new(Solve { small, factors, rows, lower, upper, rank, size: d.size(), reported }))
}
impl Solve {
    /// A warp a system.
    fn small(
        &self,
        (frame, ctx): (&mut Frame, &mut Ctx),
        (a, b, x): (Slot, Slot, Slot),
        batch: &[usize],
    ) -> Result<()> {
        let (n, columns) = (frame.dims(b)[0], frame.dims(b)[1]);
        let (at, count) = batches(frame, &[(a, 2), (b, 2), (x, 2)], self.rank);
        let pointers = [a, b, x].map(|s| Arg::Ptr(frame.ptr[s as usize])).to_vec();
        let mut rest = vec![long(n), long(n), long(columns)];
        rest.extend([a, b, x].iter().flat_map(|&s| of_matrix(frame, s)).map(step));
        rest.push(at);
        let shape = warps::shape(count, n * n * self.size);
        self.reported.launch((frame, ctx), &self.small, shape, (pointers, rest), batch)
    }
}
impl Step for Solve {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let (&[a, b], &[x]) = (&s.args[..], &s.dsts[..]) else { return Err(misfit()) };
        let (n, columns, batch) = (frame.dims(b)[0], frame.dims(b)[1], frame.dims(a)[2..].to_vec());
        let count: usize = batch.iter().product();
        if n == 0 || count == 0 {
            return Ok(());
        }
        if n <= warps::MOST {
            return self.small((frame, ctx), (a, b, x), &batch);
        }
        let large = || Error::new("E0406", "a batch is too large");
        let matrix = n.checked_mul(n).and_then(|k| k.checked_mul(self.size)).ok_or_else(large)?;
        let all = |each: usize| each.checked_mul(count).ok_or_else(large);
        let lu = frame.scratch(ctx, 2, all(matrix)?)?;
        let pivots = frame.scratch(ctx, 3, all(8 * n)?)?;
        let p = frame.scratch(ctx, 4, all(8 * n)?)?;
        // Strides of the batch: of slots as they are, of scratch one matrix behind the other.
        let mine = |each: usize| -> Vec<isize> {
            batch.iter().scan(each as isize, |by, &n| Some(std::mem::replace(by, *by * n as isize))).collect()
        };
        let behind = |s: Slot| frame.strides(s)[2..].to_vec();
        let nest = |by: &[Vec<isize>]| {
            let mut s = tfc_plan::sizes::space::Space::default();
            s.clear(by.len());
            batch.iter().enumerate().for_each(|(a, &n)| s.push(n, false, |k| by[k][a]));
            loops(&s, self.rank)
        };
        let ([ar, ac], [br, bc], [xr, xc]) = (of_matrix(frame, a), of_matrix(frame, b), of_matrix(frame, x));
        let (lr, lc) = (self.size as isize, (self.size * n) as isize);
        let at = nest(&[behind(a), mine(matrix), mine(8 * n), mine(8 * n)]);
        let order = nest(&[behind(b), behind(x), mine(8 * n)]);
        let both = nest(&[mine(matrix), behind(x), behind(x)]);
        let [a, b, x] = [a, b, x].map(|s| Arg::Ptr(frame.ptr[s as usize]));
        let pointers = vec![a, Arg::Ptr(lu), Arg::Ptr(pivots), Arg::Ptr(p)];
        let rest = vec![long(n), long(n), step(ar), step(ac), step(lr), step(lc), step(8), step(8), at];
        self.reported.launch((frame, ctx), &self.factors, blocks(count, BLOCK), (pointers, rest), &batch)?;
        let elements = all(n.checked_mul(columns).ok_or_else(large)?)?;
        if elements == 0 {
            return Ok(());
        }
        let mut args = vec![b, x.clone(), Arg::Ptr(p), long(n), long(columns)];
        args.extend([step(br), step(bc), step(xr), step(xc), order]);
        ctx.module.launch(&self.rows, threads(elements), &args)?;
        for (kernel, lower) in [(&self.lower, 1), (&self.upper, 0)] {
            // In place: a thread has its right-hand side to itself, and reads an entry before it writes it.
            let mut args = vec![Arg::Ptr(lu), x.clone(), x.clone(), long(n), long(columns), long(lower)];
            args.extend([step(lr), step(lc), step(xr), step(xc), step(xr), step(xc), both.clone()]);
            ctx.module.launch(kernel, threads(count.saturating_mul(columns)), &args)?;
        }
        Ok(())
    }
}

struct Tridiagonal {
    kernel: String,
    rank: usize,
    size: usize,
    reported: Reported,
}
fn tridiagonal(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let b = site.operand(3)?;
    let (d, rank) = (b.dtype, (b.rank() - 2).max(1));
    let reported = Reported::of(site, d)?;
    let mut n = Numbers::of(texts, d);
    let (t, nan) = (ctype(d)?, n.nan()?);
    let (zero, factor) = (n.number("0")?, n.op(ScalarOp::Div, &["low", "here"])?);
    let (turned, above, below) = (n.op(ScalarOp::Div, &["here", "low"])?, n.square("here"), n.square("low"));
    let (plain, swapped, lower) = (n.less("next", "f", "up")?, n.less("up", "f", "next")?, n.less("y", "f", "x0")?);
    let filled = n.less(&zero, "f", "far")?;
    let (back1, back2, quotient) =
        (n.less("v", "u1", "x1")?, n.less("v", "u2", "x2")?, n.op(ScalarOp::Div, &["v", "p"])?);
    let finite: Vec<String> = ["low", "here", "up", "y"].iter().map(|x| n.finite(x)).collect();
    let [fl, fh, fu, fy] = &finite[..] else { return Err(site.misfit()) };
    let fill = if reported.nan {
        format!(
            "    if (bad(k * 4) != 0) for (i64 e = 0; e < n * columns; e++) x(x__ + e % n * x_row + e / n * x_col) = {nan};\n"
        )
    } else {
        String::new()
    };
    // `work` holds, for each system, the diagonal and the two above it as elimination leaves them.
    let body = format!(
        "  for (i64 k = thread_of_grid(); k < at.count(); k += threads_of_grid()) {{
    const auto x_ = at.index(k);
    const i64 l_ = at.place(0, x_), d_ = at.place(1, x_), u_ = at.place(2, x_), b_ = at.place(3, x_), x__ = at.place(4, x_);
    const i64 w_ = k * 3 * n * size;
    bool good = true;
    for (i64 i = 0; i < n; i++) {{
      const {t} here = d(d_ + i * d_row);
      good = good && {fh};
      work(w_ + i * size) = here;
      if (i + 1 < n) {{
        const {t} up = du(u_ + i * u_row), low = dl(l_ + (i + 1) * l_row);
        good = good && {fu} && {fl};
        work(w_ + (n + i) * size) = up;
      }} else {{
        work(w_ + (n + i) * size) = {zero};
      }}
      work(w_ + (2 * n + i) * size) = {zero};
      for (i64 c = 0; c < columns; c++) {{
        const {t} y = b(b_ + i * b_row + c * b_col);
        good = good && {fy};
        x(x__ + i * x_row + c * x_col) = y;
      }}
    }}
    for (i64 i = 0; i + 1 < n; i++) {{
      const {t} here = work(w_ + i * size), low = dl(l_ + (i + 1) * l_row), next = work(w_ + (i + 1) * size);
      const {t} up = work(w_ + (n + i) * size), far = work(w_ + (n + i + 1) * size);
      if ({above} >= {below}) {{
        if ({above} == 0) {{
          good = false;
          continue;
        }}
        const {t} f = {factor};
        work(w_ + (i + 1) * size) = {plain};
        for (i64 c = 0; c < columns; c++) {{
          const {t} x0 = x(x__ + i * x_row + c * x_col), y = x(x__ + (i + 1) * x_row + c * x_col);
          x(x__ + (i + 1) * x_row + c * x_col) = {lower};
        }}
      }} else {{
        const {t} f = {turned};
        work(w_ + i * size) = low;
        work(w_ + (n + i) * size) = next;
        work(w_ + (2 * n + i) * size) = far;
        work(w_ + (i + 1) * size) = {swapped};
        work(w_ + (n + i + 1) * size) = {filled};
        for (i64 c = 0; c < columns; c++) {{
          const {t} y = x(x__ + i * x_row + c * x_col), x0 = x(x__ + (i + 1) * x_row + c * x_col);
          x(x__ + i * x_row + c * x_col) = x0;
          x(x__ + (i + 1) * x_row + c * x_col) = {lower};
        }}
      }}
    }}
    for (i64 i = n - 1; i >= 0; i--) {{
      const {t} p = work(w_ + i * size), here = p, u1 = work(w_ + (n + i) * size), u2 = work(w_ + (2 * n + i) * size);
      if ({above} == 0) good = false;
      for (i64 c = 0; c < columns; c++) {{
        {t} v = x(x__ + i * x_row + c * x_col);
        if (i + 1 < n) {{
          const {t} x1 = x(x__ + (i + 1) * x_row + c * x_col);
          v = {back1};
        }}
        if (i + 2 < n) {{
          const {t} x2 = x(x__ + (i + 2) * x_row + c * x_col);
          v = {back2};
        }}
        x(x__ + i * x_row + c * x_col) = {quotient};
      }}
    }}
    bad(k * 4) = good ? 0 : 1;
{fill}  }}
"
    );
    let mut params: Vec<Param> = ["dl", "d", "du", "b"].map(|x| param(format!("In<{t}>"), x)).to_vec();
    params.extend([param(format!("Out<{t}>"), "x"), param(format!("Out<{t}>"), "work"), param("Out<i32>", "bad")]);
    let strides = ["n", "columns", "size", "l_row", "d_row", "u_row", "b_row", "b_col", "x_row", "x_col"];
    params.extend(strides.map(|x| param("i64", x)));
    params.push(param(format!("Loops<{rank}, 5>"), "at"));
    let kernel = n.texts.add(Kernel { name: format!("tridiagonal_solve_{t}"), params, body });
    Ok(Box::new(Tridiagonal { kernel, rank, size: d.size(), reported }))
}
impl Step for Tridiagonal {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let (&[dl, d, du, b], &[x]) = (&s.args[..], &s.dsts[..]) else { return Err(misfit()) };
        let (n, columns, batch) = (frame.dims(b)[0], frame.dims(b)[1], frame.dims(b)[2..].to_vec());
        let (at, count) = batches(frame, &[(dl, 1), (d, 1), (du, 1), (b, 2), (x, 2)], self.rank);
        if n == 0 || count == 0 {
            return Ok(());
        }
        let bytes = count.checked_mul(3 * self.size).and_then(|k| k.checked_mul(n));
        let work = frame.scratch(ctx, 1, bytes.ok_or_else(|| Error::new("E0406", "a batch is too large"))?)?;
        let row = |s: Slot| step(of_matrix(frame, s)[0]);
        let ([br, bc], [xr, xc]) = (of_matrix(frame, b), of_matrix(frame, x));
        let mut rest = vec![long(n), long(columns), long(self.size), row(dl), row(d), row(du)];
        rest.extend([step(br), step(bc), step(xr), step(xc), at]);
        let mut pointers = [dl, d, du, b, x].map(|s| Arg::Ptr(frame.ptr[s as usize])).to_vec();
        pointers.push(Arg::Ptr(work));
        self.reported.launch((frame, ctx), &self.kernel, threads(count), (pointers, rest), &batch)
    }
}
