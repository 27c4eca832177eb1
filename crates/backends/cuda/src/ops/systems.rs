//! Systems of equations by kernels of this crate: triangular ones, a thread a right-hand side; general ones by their factors; tridiagonal
//! ones, a thread a system. Numbers are those of the textbook's order of operations (Golub & Van Loan, Matrix Computations, §3.1, §4.3), in
//! the element type.
use tfc_ir::ops::linalg::Triangular;
use tfc_ir::{Code, DType, Error, Result, ScalarOp, ops};
use tfc_plan::plan::{KernelStep, Slot};

use super::library::{What, or};
use super::linalg::lu_text;
use super::numbers::Numbers;
use super::{Rows, Site, Step, beside, long, misfit, param, step, warps};
use crate::device::Arg;
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{blocks, loops, threads};
use crate::text::scalar::ctype;
use crate::text::{Kernel, Param};
use tfc_device::steps::matrices::{BLOCK, Reported, Substitution, batches, of_matrix};

pub(super) const CORE: Rows = &[
    (&ops::linalg::SOLVE, |s, t| or(s, t, What::Solve, solve)),
    (&ops::linalg::TRIANGULAR_SOLVE, |s, t| or(s, t, What::Triangular(Triangular::of(s.attrs())), triangular)),
    (&ops::linalg::TRIDIAGONAL_SOLVE, tridiagonal),
];

fn triangular(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let (a, of) = (site.operand(0)?, Triangular::of(site.attrs()));
    let rank = beside(a.rank() - 2);
    let kernel = substitution_text(texts, a.dtype, rank, of)?;
    Ok(Box::new(Substitution { of, kernel, rank }))
}
/// The kernel that solves `op(a) · x = b`, with strides exchanged where `op` transposes.
fn substitution_text(texts: &mut Texts, d: DType, rank: usize, of: Triangular) -> Result<String> {
    let mut n = Numbers::of(texts, d);
    let t = ctype(d);
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
    let (d, rank) = (ty.dtype, beside(ty.rank() - 2));
    let reported = Reported::of(site, d)?;
    let small = warps::solve(texts, d, rank, reported.nan)?;
    let factors = lu_text(texts, d, rank, reported.nan)?;
    let lower = substitution_text(texts, d, rank, LOWER)?;
    let upper = substitution_text(texts, d, rank, Triangular { lower: false, unit: false, ..LOWER })?;
    let t = ctype(d);
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
        let large = || Error::new(Code::E0406, "a batch is too large");
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
            let mut s = tfc_plan::space::Space::default();
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
    let (d, rank) = (b.dtype, beside(b.rank() - 2));
    let reported = Reported::of(site, d)?;
    let mut n = Numbers::of(texts, d);
    let (t, nan) = (ctype(d), n.nan()?);
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
        let work = frame.scratch(ctx, 1, bytes.ok_or_else(|| Error::new(Code::E0406, "a batch is too large"))?)?;
        let row = |s: Slot| step(of_matrix(frame, s)[0]);
        let ([br, bc], [xr, xc]) = (of_matrix(frame, b), of_matrix(frame, x));
        let mut rest = vec![long(n), long(columns), long(self.size), row(dl), row(d), row(du)];
        rest.extend([step(br), step(bc), step(xr), step(xc), at]);
        let mut pointers = [dl, d, du, b, x].map(|s| Arg::Ptr(frame.ptr[s as usize])).to_vec();
        pointers.push(Arg::Ptr(work));
        self.reported.launch((frame, ctx), &self.kernel, threads(count), (pointers, rest), &batch)
    }
}
