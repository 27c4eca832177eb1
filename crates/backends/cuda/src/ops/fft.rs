//! Fourier transforms: a block a line, along one axis after the other. A line is transformed by Stockham's algorithm (Van Loan,
//! Computational Frameworks for the Fast Fourier Transform, §1.7) over the factors of its length, fours first, then primes; roots of unity
//! are a table, made on the host. A length with a large prime factor p takes p steps an element: the long way, but never a wrong one.
use tfc_ir::ops::fft::Norm;
use tfc_ir::{DType, Error, Result, ops};
use tfc_plan::plan::{KernelStep, Slot};

use super::{Rows, Site, Step, long, misfit, param, step};
use crate::device::{Arg, Ptr};
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{blocks, loops, space};
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
    rank: usize,
}
fn fourier(site: &Site, texts: &mut Texts, kind: Kind, inverse: bool) -> Result<Box<dyn Step>> {
    let ty = site.operand(0)?;
    let (real, rank) = (ty.dtype.real(), ty.rank().saturating_sub(1).max(1));
    let kernels = [text(texts, kind, real, rank)?, text(texts, Kind::Complex, real, rank)?];
    let (axes, norm) = (site.attrs().indices("axes"), Norm::of(site.attrs()));
    Ok(Box::new(Fourier { kind, inverse, axes, norm, real, kernels, rank }))
}
/// The kernel of one axis.
fn text(texts: &mut Texts, kind: Kind, real: DType, rank: usize) -> Result<String> {
    let r = ctype(real)?;
    let t = ctype(real.complex().unwrap_or(real))?;
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
    fn pass(&self, frame: &mut Frame, ctx: &mut Ctx, p: &Pass, from: &View, to: &View) -> Result<()> {
        let others = |of: &[isize]| -> Vec<isize> { (0..of.len()).filter(|&a| a != p.axis).map(|a| of[a]).collect() };
        let dims: Vec<usize> = (0..p.dims.len()).filter(|&a| a != p.axis).map(|a| p.dims[a]).collect();
        let at = space(&dims, &[&others(&from.strides), &others(&to.strides)], 1);
        if at.is_empty() {
            return Ok(());
        }
        let large = || Error::new("E0406", "a line is too long");
        let line = p.long.checked_mul(2 * self.real.size()).ok_or_else(large)?;
        let shape = blocks(at.len().min((WORK / line.max(1) / 2).max(1)), BLOCK);
        let room = line.checked_mul(2).and_then(|b| b.checked_mul(shape.grid[0] as usize)).ok_or_else(large)?;
        let work = frame.scratch(ctx, 1, room)?;
        let table = frame.scratch(ctx, 2, line)?;
        ctx.device.upload(table, &roots(p.long, self.inverse, self.real))?;
        let scale = match self.real {
            DType::F32 => (p.scale as f32).to_le_bytes().to_vec(),
            _ => p.scale.to_le_bytes().to_vec(),
        };
        let args = [
            Arg::Ptr(from.ptr),
            Arg::Ptr(to.ptr),
            Arg::Ptr(table),
            Arg::Ptr(work),
            long(p.long),
            step(from.strides[p.axis]),
            step(to.strides[p.axis]),
            Arg::Bytes(scale),
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
            let bytes =
                frame.len(src)?.checked_mul(size).ok_or_else(|| Error::new("E0406", "half a spectrum is too large"))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
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
}
