//! Fourier transforms: a block a line, along one axis after the other. A line is transformed by Stockham's algorithm (Van Loan,
//! Computational Frameworks for the Fast Fourier Transform, §1.7) over the factors of its length, fours first, then primes; roots of unity
//! are a table, made on the host. Long lines are left to cuFFT, where the device has it. A length with a large prime factor p takes p steps an element: the long way, but never a wrong one.
use tfc_device::steps::fft::{Fourier, Kind};
use tfc_ir::ops::fft::Norm;
use tfc_ir::{DType, Result, ops};

use super::{Rows, Site, Step, beside, param};
use crate::program::Texts;
use crate::text::Kernel;
use crate::text::scalar::ctype;

pub(super) const CORE: Rows = &[
    (&ops::fft::FFT, |s, t| fourier(s, t, Kind::Complex, false)),
    (&ops::fft::IFFT, |s, t| fourier(s, t, Kind::Complex, true)),
    (&ops::fft::RFFT, |s, t| fourier(s, t, Kind::Real, false)),
    (&ops::fft::IRFFT, |s, t| fourier(s, t, Kind::InverseReal, true)),
];

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
