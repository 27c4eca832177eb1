//! Fourier transforms: a workgroup a line, by Stockham's algorithm (Van Loan, Computational Frameworks for the Fast Fourier Transform, §1.7)
//! over the factors of its length, fours first, then primes. A length with a large prime factor p takes p steps an element.
use tfc_device::steps::beside;
use tfc_device::steps::fft::{Fourier, Kind};
use tfc_ir::ops::fft::Norm;
use tfc_ir::{DType, ops};

use super::{Made, Rows, Site, Wgsl, Written};
use crate::text::{GROUP, Kernel, Nest, param};

pub(super) fn core() -> Rows<Wgsl> {
    vec![
        (&ops::fft::FFT, |s, t| fourier(s, t, Kind::Complex, false)),
        (&ops::fft::IFFT, |s, t| fourier(s, t, Kind::Complex, true)),
        (&ops::fft::RFFT, |s, t| fourier(s, t, Kind::Real, false)),
        (&ops::fft::IRFFT, |s, t| fourier(s, t, Kind::InverseReal, true)),
    ]
}
fn fourier(site: &Site, texts: Written, kind: Kind, inverse: bool) -> Made {
    let ty = site.operand(0)?;
    let rank = beside(ty.rank().saturating_sub(1));
    let kernels = [text(texts, kind, rank), text(texts, Kind::Complex, rank)];
    let (axes, norm) = (site.attrs().indices("axes"), Norm::of(site.attrs()));
    let (half, scales, real) = (String::new(), Default::default(), DType::F32);
    Ok(Box::new(Fourier { kind, inverse, axes, norm, real, kernels, half, scales, rank }))
}
/// The kernel of one axis.
fn text(texts: Written, kind: Kind, rank: usize) -> String {
    let at = Nest { name: "at", rank };
    let complex = |i: &str| format!("x_[(p.x_at + a0 + ({i}) * p.read_by) >> 3]");
    let (name, from, to, read, count, write) = match kind {
        Kind::Complex => ("complex", "c32", "c32", format!("let v = {};", complex("i")), "p.n", "v * p.scale"),
        Kind::Real => (
            "real",
            "f32",
            "c32",
            "let v = c32(x_[(p.x_at + a0 + i * p.read_by) >> 2], 0.0);".to_owned(),
            "p.n / 2 + 1",
            "v * p.scale",
        ),
        // Parts that a real line cannot have are not looked at.
        Kind::InverseReal => (
            "inverse_real",
            "c32",
            "f32",
            format!(
                "var v = {}; if 2 * i > p.n {{ v.y = -v.y; }} if i == 0 || 2 * i == p.n {{ v.y = 0.0; }}",
                complex("min(i, p.n - i)")
            ),
            "p.n",
            "v.x * p.scale",
        ),
    };
    let shift = if to == "f32" { 2 } else { 3 };
    let body = format!(
        "  // Two lines of the workgroup's own, in turn.
  let mine = (p.work_at >> 3) + i32(block.x) * 2 * p.n;
  for (var k = i32(block.x); k < {lines}; k += i32(blocks.x)) {{
    {index}
    let a0 = {x0};
    let b0 = {y0};
    var here = mine;
    var there = mine + p.n;
    for (var i = i32(thread); i < p.n; i += {GROUP}) {{ {read} work_[here + i] = v; }}
    storageBarrier();
    // Lines of `rest` numbers lie between each other, `done` of them.
    var rest = p.n;
    var done = 1;
    while rest > 1 {{
      var f = 2;
      if rest % 4 == 0 {{ f = 4; }} else {{ while rest % f != 0 {{ f++; }} }}
      let m = rest / f;
      let root = p.n / f;
      for (var e = i32(thread); e < p.n; e += {GROUP}) {{
        let i = e % done;
        let c = e / done % f;
        let q = e / (done * f);
        var sum = c32(0.0, 0.0);
        for (var j = 0; j < f; j++) {{
          let v = work_[here + i + done * (q + m * j)];
          let w = roots_[(p.roots_at >> 3) + j * c % f * root];
          sum += c32(v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x);
        }}
        let w = roots_[(p.roots_at >> 3) + q * c * done];
        work_[there + e] = c32(sum.x * w.x - sum.y * w.y, sum.x * w.y + sum.y * w.x);
      }}
      storageBarrier();
      let turned = here;
      here = there;
      there = turned;
      rest = m;
      done *= f;
    }}
    for (var i = i32(thread); i < {count}; i += {GROUP}) {{
      var v = c32(0.0, 0.0);
      if i < p.n {{ v = work_[here + i]; }}
      y_[(p.y_at + b0 + i * p.write_by) >> {shift}] = {write};
    }}
    storageBarrier();
  }}
",
        lines = at.count(),
        index = at.index("k", "x"),
        x0 = at.place(0, "x"),
        y0 = at.place(1, "x"),
    );
    let mut params = vec![param(format!("In<{from}>"), "x_"), param(format!("Out<{to}>"), "y_")];
    params.extend([param("In<c32>", "roots_"), param("Out<c32>", "work_")]);
    params.extend(["n", "read_by", "write_by"].map(|x| param("i64", x)));
    params.extend([param("f32", "scale"), param(format!("Loops<{rank}, 2>"), "at")]);
    texts.add(Kernel { name: format!("fourier_{name}"), params, body })
}
