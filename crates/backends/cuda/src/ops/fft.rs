//! Fourier transforms: a block a line, along one axis after the other. A line is transformed by Stockham's algorithm (Van Loan,
//! Computational Frameworks for the Fast Fourier Transform, §1.7) over the factors of its length, fours first, then primes; roots of unity
//! are a table, made on the host. Long lines are left to cuFFT, where the device has it. A length with a large prime factor p takes p steps an element: the long way, but never a wrong one.
use tfc_ir::ops::fft::Norm;
use tfc_ir::{Code, DType, Error, Result, ops};
use tfc_plan::plan::{KernelStep, Slot};
use tfc_plan::space::Space;

use super::{Rows, Site, Step, beside, long, misfit, param, step};
use crate::device::{Arg, Ptr};
use crate::libraries::{Libraries, LineKind, Lines};
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{blocks, loops, space, threads};
use crate::text::Kernel;
use crate::text::scalar::ctype;

pub(super) const CORE: Rows = &[
    (&ops::fft::FFT, |s, t| fourier(s, t, Kind::Complex, false)),
    (&ops::fft::IFFT, |s, t| fourier(s, t, Kind::Complex, true)),
    (&ops::fft::RFFT, |s, t| fourier(s, t, Kind::Real, false)),
    (&ops::fft::IRFFT, |s, t| fourier(s, t, Kind::InverseReal, true)),
];

/// Threads of a block that has a line.
const BLOCK: u32 = 128;
/// Bytes that blocks at work may have together.
const WORK: usize = 1 << 26;

/// What is read and what is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Complex,
    /// Real numbers; the first half of their spectrum.
    Real,
    /// The first half of the spectrum of real numbers; these.
    InverseReal,
}
struct Fourier {
    kind: Kind,
    inverse: bool,
    axes: Vec<usize>,
    norm: Norm,
    /// The element type of a part.
    real: DType,
    /// Along the axis that `axes` names last, and along the others.
    kernels: [String; 2],
    /// Around a library: what copies half spectra for it, and what scales its results, real and complex.
    half: String,
    scales: [String; 2],
    rank: usize,
}
fn fourier(site: &Site, texts: &mut Texts, kind: Kind, inverse: bool) -> Result<Box<dyn Step>> {
    let ty = site.operand(0)?;
    let (real, rank) = (ty.dtype.real(), beside(ty.rank().saturating_sub(1)));
    let kernels = [text(texts, kind, real, rank)?, text(texts, Kind::Complex, real, rank)?];
    let (axes, norm) = (site.attrs().indices("axes"), Norm::of(site.attrs()));
    let (half, scales) =
        (half_text(texts, real, rank)?, [scale_text(texts, real, true, rank)?, scale_text(texts, real, false, rank)?]);
    Ok(Box::new(Fourier { kind, inverse, axes, norm, real, kernels, half, scales, rank }))
}
/// Copies half spectra, line after line, without the parts that a real line cannot have.
fn half_text(texts: &mut Texts, real: DType, rank: usize) -> Result<String> {
    let t = ctype(real.complex().unwrap_or(real));
    let size = 2 * real.size();
    let body = format!(
        "  const i64 half = n / 2 + 1;
  for (i64 e = thread_of_grid(); e < at.count() * half; e += threads_of_grid()) {{
    const i64 k = e / half, i = e % half;
    {t} z = x(at.place(0, at.index(k)) + i * from);
    if (i == 0 || 2 * i == n) z.im = 0;
    to(e * {size}) = z;
  }}
"
    );
    let params = vec![
        param(format!("In<{t}>"), "x"),
        param(format!("Out<{t}>"), "to"),
        param("i64", "n"),
        param("i64", "from"),
        param(format!("Loops<{rank}, 2>"), "at"),
    ];
    Ok(texts.add(Kernel { name: format!("half_spectra_{t}"), params, body }))
}
/// Multiplies the numbers of lines.
fn scale_text(texts: &mut Texts, real: DType, of_real: bool, rank: usize) -> Result<String> {
    let r = ctype(real);
    let t = if of_real { r } else { ctype(real.complex().unwrap_or(real)) };
    let scaled = if of_real { "v * by".to_owned() } else { format!("{t}{{v.re * by, v.im * by}}") };
    let body = format!(
        "  for (i64 e = thread_of_grid(); e < at.count() * n; e += threads_of_grid()) {{
    const i64 here = at.place(1, at.index(e / n)) + e % n * step;
    const {t} v = y(here);
    y(here) = {scaled};
  }}
"
    );
    let params = vec![
        param(format!("Out<{t}>"), "y"),
        param("i64", "n"),
        param("i64", "step"),
        param(r, "by"),
        param(format!("Loops<{rank}, 2>"), "at"),
    ];
    Ok(texts.add(Kernel { name: format!("scale_lines_{t}"), params, body }))
}
/// The kernel of one axis.
fn text(texts: &mut Texts, kind: Kind, real: DType, rank: usize) -> Result<String> {
    let r = ctype(real);
    let t = ctype(real.complex().unwrap_or(real));
    let size = 2 * real.size();
    let (name, from, to, read, count, write) = match kind {
        Kind::Complex => {
            ("complex", t, t, "x(x_ + i * from)".to_owned(), "n", format!("{t}{{v.re * scale, v.im * scale}}"))
        }
        Kind::Real => (
            "real",
            r,
            t,
            format!("{t}{{x(x_ + i * from), 0}}"),
            "n / 2 + 1",
            format!("{t}{{v.re * scale, v.im * scale}}"),
        ),
        // Parts that a real line cannot have are not looked at.
        Kind::InverseReal => (
            "inverse_real",
            t,
            r,
            format!(
                "i == 0 || 2 * i == n ? {t}{{x(x_ + i * from).re, 0}}
        : 2 * i < n ? x(x_ + i * from) : {t}{{x(x_ + (n - i) * from).re, -x(x_ + (n - i) * from).im}}"
            ),
            "n",
            "v.re * scale".to_owned(),
        ),
    };
    let body = format!(
        "  // Two lines of the block's own, in turn.
  const i64 mine = (i64)blockIdx.x * 2 * n * {size};
  for (i64 k = blockIdx.x; k < at.count(); k += gridDim.x) {{
    const auto x__ = at.index(k);
    const i64 x_ = at.place(0, x__), y_ = at.place(1, x__);
    i64 here = mine, there = mine + n * {size};
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) work(here + i * {size}) = {read};
    __syncthreads();
    // Lines of `rest` numbers lie between each other, `done` of them.
    for (i64 rest = n, done = 1; rest > 1;) {{
      i64 p = 2;
      if (rest % 4 == 0) p = 4;
      else while (rest % p != 0) p++;
      const i64 m = rest / p, root = n / p;
      for (i64 e = threadIdx.x; e < n; e += blockDim.x) {{
        const i64 i = e % done, c = e / done % p, q = e / (done * p);
        {r} re = 0, im = 0;
        for (i64 j = 0; j < p; j++) {{
          const {t} v = work(here + (i + done * (q + m * j)) * {size}), w = roots(j * c % p * root * {size});
          re += v.re * w.re - v.im * w.im;
          im += v.re * w.im + v.im * w.re;
        }}
        const {t} w = roots(q * c * done * {size});
        work(there + e * {size}) = {t}{{re * w.re - im * w.im, re * w.im + im * w.re}};
      }}
      __syncthreads();
      const i64 turned = here;
      here = there;
      there = turned;
      rest = m;
      done *= p;
    }}
    for (i64 i = threadIdx.x; i < {count}; i += blockDim.x) {{
      {t} v = {t}{{0, 0}};
      if (i < n) v = work(here + i * {size});
      y(y_ + i * to) = {write};
    }}
    __syncthreads();
  }}
"
    );
    let kernel = Kernel {
        name: format!("fourier_{name}_{t}"),
        params: vec![
            param(format!("In<{from}>"), "x"),
            param(format!("Out<{to}>"), "y"),
            param(format!("In<{t}>"), "roots"),
            param(format!("Out<{t}>"), "work"),
            param("i64", "n"),
            param("i64", "from"),
            param("i64", "to"),
            param(r, "scale"),
            param(format!("Loops<{rank}, 2>"), "at"),
        ],
        body,
    };
    Ok(texts.add(kernel))
}
/// `exp(∓2πi·k/n)` for each k, as bytes.
fn roots(n: usize, inverse: bool, real: DType) -> Vec<u8> {
    let mut out = Vec::with_capacity(n * 2 * real.size());
    for k in 0..n {
        // From the nearest quarter, so that angles are small, and conjugates are so to the last bit.
        let first = k.min(n - k);
        let quarter = (8 * first / n).div_ceil(2);
        let off = 4.0 * first as f64 - (quarter * n) as f64;
        let (s, c) = (std::f64::consts::FRAC_PI_2 * off / n as f64).sin_cos();
        let (re, im) = match quarter {
            0 => (c, s),
            1 => (-s, c),
            _ => (-c, -s),
        };
        for x in [re, if inverse == (first == k) { im } else { -im }] {
            match real {
                DType::F32 => out.extend((x as f32).to_le_bytes()),
                _ => out.extend(x.to_le_bytes()),
            }
        }
    }
    out
}
/// Lines on one side of a pass.
#[derive(Clone)]
struct View {
    ptr: Ptr,
    strides: Vec<isize>,
}
/// Transforms along one axis of lines with these extents, `long` numbers each where they are real or all are there.
struct Pass<'a> {
    kernel: &'a str,
    axis: usize,
    long: usize,
    dims: &'a [usize],
    scale: f64,
}
impl Fourier {
    fn scale(&self, p: &Pass) -> Arg {
        match self.real {
            DType::F32 => Arg::Words(vec![(p.scale as f32).to_bits()]),
            _ => Arg::Longs(vec![p.scale.to_bits() as i64]),
        }
    }
    /// The same by a library, where it takes such strides: as many lines at once as one loop has.
    fn by_library(
        &self,
        frame: &mut Frame,
        ctx: &mut Ctx,
        p: &Pass,
        (from, to, at): (&View, &View, &Space),
        library: &dyn Libraries,
    ) -> Result<bool> {
        let (real, complex) = (self.real.size(), 2 * self.real.size());
        let main = p.kernel == self.kernels[0];
        let kind = match (main, self.kind, self.inverse) {
            (true, Kind::Real, _) => LineKind::Real,
            (true, Kind::InverseReal, _) => LineKind::InverseReal,
            (_, _, true) => LineKind::Inverse,
            (_, _, false) => LineKind::Forward,
        };
        let read = if kind == LineKind::Real { real } else { complex };
        let written = if kind == LineKind::InverseReal { real } else { complex };
        // Elements of a stride; `None` for what no plan can have.
        let elements = |bytes: isize, size: usize| {
            usize::try_from(bytes).ok().filter(|b| *b > 0 && b.is_multiple_of(size)).map(|b| b / size)
        };
        let half = p.long / 2 + 1;
        // Two real numbers are read and written at once.
        if !from.ptr.0.is_multiple_of(complex as u64)
            || !to.ptr.0.is_multiple_of(complex as u64)
            || at.len() > i32::MAX as usize
        {
            return Ok(false);
        }
        let (Some(step_from), Some(step_to)) =
            (elements(from.strides[p.axis], read), elements(to.strides[p.axis], written))
        else {
            return Ok(false);
        };
        // The longest loop is that of a plan, the others are walked here.
        let Some(l) = (0..at.rank()).max_by_key(|&l| at.dims[l]).or(Some(0)) else { return Ok(false) };
        let count = if at.rank() == 0 { 1 } else { at.dims[l] };
        let by = |l: usize, k: usize| if at.rank() == 0 { 0 } else { at.stride(l, k) };
        let dense = kind == LineKind::InverseReal;
        let before: usize = at.dims.iter().take(l.min(at.rank())).product();
        let line_from =
            if dense { Some(half * before) } else { elements(by(l, 0), read).or((count == 1).then_some(1)) };
        let line_to = elements(by(l, 1), written).or((count == 1).then_some(1));
        let (Some(line_from), Some(line_to)) = (line_from, line_to) else { return Ok(false) };
        let step_from = if dense { 1 } else { step_from };
        let lines = Lines {
            kind,
            double: self.real == DType::F64,
            n: p.long,
            from: [step_from, line_from],
            to: [step_to, line_to],
            count,
        };
        let mut first = from.ptr;
        if dense {
            let numbers = half.checked_mul(at.len()).and_then(|n| n.checked_mul(complex));
            first = frame.scratch(ctx, 1, numbers.ok_or_else(|| Error::new(Code::E0406, "a line is too long"))?)?;
            let args =
                [Arg::Ptr(from.ptr), Arg::Ptr(first), long(p.long), step(from.strides[p.axis]), loops(at, self.rank)];
            ctx.module.launch(&self.half, threads(half * at.len()), &args)?;
        }
        let others: Vec<usize> = (0..at.rank()).filter(|&o| o != l).collect();
        for i in 0..at.len() / count.max(1) {
            let (mut rest, mut x, mut y) = (i, 0isize, 0isize);
            for &o in &others {
                let here = (rest % at.dims[o]) as isize;
                rest /= at.dims[o];
                let lines: usize = at.dims.iter().take(o).product();
                x += here * if dense { (lines * half * complex) as isize } else { by(o, 0) };
                y += here * by(o, 1);
            }
            library.transform(&lines, first.at(x), to.ptr.at(y))?;
        }
        if p.scale != 1.0 {
            let n = if kind == LineKind::Real { half } else { p.long };
            let args = [Arg::Ptr(to.ptr), long(n), step(to.strides[p.axis]), self.scale(p), loops(at, self.rank)];
            let kernel = &self.scales[usize::from(!dense)];
            ctx.module.launch(kernel, threads(n * at.len()), &args)?;
        }
        Ok(true)
    }
    fn pass(&self, frame: &mut Frame, ctx: &mut Ctx, p: &Pass, from: &View, to: &View) -> Result<()> {
        let others = |of: &[isize]| -> Vec<isize> { (0..of.len()).filter(|&a| a != p.axis).map(|a| of[a]).collect() };
        let dims: Vec<usize> = (0..p.dims.len()).filter(|&a| a != p.axis).map(|a| p.dims[a]).collect();
        let at = space(&dims, &[&others(&from.strides), &others(&to.strides)], 1);
        if at.is_empty() {
            return Ok(());
        }
        if let Some(l) = ctx.device.libraries().filter(|l| p.long >= l.least_line())
            && self.by_library(frame, ctx, p, (from, to, &at), l)?
        {
            return Ok(());
        }
        let large = || Error::new(Code::E0406, "a line is too long");
        let line = p.long.checked_mul(2 * self.real.size()).ok_or_else(large)?;
        let shape = blocks(at.len().min((WORK / line.max(1) / 2).max(1)), BLOCK);
        let room = line.checked_mul(2).and_then(|b| b.checked_mul(shape.grid[0] as usize)).ok_or_else(large)?;
        let work = frame.scratch(ctx, 1, room)?;
        let table = frame.scratch(ctx, 2, line)?;
        ctx.device.upload(table, &roots(p.long, self.inverse, self.real))?;
        let args = [
            Arg::Ptr(from.ptr),
            Arg::Ptr(to.ptr),
            Arg::Ptr(table),
            Arg::Ptr(work),
            long(p.long),
            step(from.strides[p.axis]),
            step(to.strides[p.axis]),
            self.scale(p),
            loops(&at, self.rank),
        ];
        ctx.module.launch(p.kernel, shape, &args)
    }
}
impl Step for Fourier {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let (&[src], &[dst]) = (&s.args[..], &s.dsts[..]) else { return Err(misfit()) };
        let Some((&last, others)) = self.axes.split_last() else { return frame.copy_slot(ctx, src, dst) };
        let view = |frame: &Frame, s: Slot| View { ptr: frame.ptr[s as usize], strides: frame.strides(s).to_vec() };
        let (x, y) = (view(frame, src), view(frame, dst));
        let (from, to) = (frame.dims(src).to_vec(), frame.dims(dst).to_vec());
        let half = self.kind == Kind::InverseReal;
        let full = if half { &to } else { &from };
        let scale = self.norm.scale(self.axes.iter().map(|&a| full[a]).product(), self.inverse);
        let [main, other] = &self.kernels;
        // Half a spectrum becomes real when all is done along the other axes, for which there is room between; lines of other axes
        // are those of the half.
        let ends = Pass { kernel: main, axis: last, long: full[last], dims: &to, scale };
        if !half {
            self.pass(frame, ctx, &ends, &x, &y)?;
            return others.iter().try_for_each(|&axis| {
                let p = Pass { kernel: other, axis, long: to[axis], dims: &to, scale: 1.0 };
                self.pass(frame, ctx, &p, &y, &y)
            });
        }
        let mut now = x;
        if !others.is_empty() {
            let size = 2 * self.real.size();
            let bytes = frame
                .len(src)?
                .checked_mul(size)
                .ok_or_else(|| Error::new(Code::E0406, "half a spectrum is too large"))?;
            let by = |by: &mut isize, &n: &usize| Some(std::mem::replace(by, *by * n as isize));
            let room =
                View { ptr: frame.scratch(ctx, 0, bytes)?, strides: from.iter().scan(size as isize, by).collect() };
            for &axis in others {
                let p = Pass { kernel: other, axis, long: from[axis], dims: &from, scale: 1.0 };
                self.pass(frame, ctx, &p, &now, &room)?;
                now = room.clone();
            }
        }
        self.pass(frame, ctx, &ends, &now, &y)
    }
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn roots_are_near_and_symmetric() {
        for n in [1usize, 2, 3, 4, 5, 7, 8, 12, 60, 1000] {
            let all: Vec<f64> =
                roots(n, false, DType::F64).chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
            for k in 0..n {
                let (re, im) = (all[2 * k], all[2 * k + 1]);
                let angle = -std::f64::consts::TAU * k as f64 / n as f64;
                assert!((re - angle.cos()).abs() < 2e-15 && (im - angle.sin()).abs() < 2e-15, "{k} of {n}: {re} {im}");
                let other = (n - k) % n;
                assert!(re == all[2 * other] && im == -all[2 * other + 1], "{k} of {n}");
            }
        }
    }
    /// All of them.
    pub const ALL: &[fn()] = &[roots_are_near_and_symmetric];
}
