//! Routines of libraries by the textbook (Golub & Van Loan, Matrix Computations, §3.4, §4.2, §5.2; the definition of the discrete
//! Fourier transform), in double precision, on matrices in the memory of [`Host`].
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::{Mat, MatRef};
use tfc_ir::{Attrs, C32, C64, Code, DType, Error, OpDef, Result};
use tfc_kernels::linalg::{Factor, In, Out};

use crate::device::{Device, Ptr};
use crate::host::Host;
use crate::libraries::{Added, Call, LineKind, Lines, Matrix, Product, Routine, Substitution};

/// A matrix, first axis fastest.
#[derive(Clone)]
struct Dense {
    rows: usize,
    x: Vec<C64>,
}
impl Dense {
    fn zeros(rows: usize, cols: usize) -> Dense {
        Dense { rows, x: vec![C64::ZERO; rows * cols] }
    }
    fn at(&self, i: usize, j: usize) -> C64 {
        self.x[i + j * self.rows]
    }
    fn put(&mut self, i: usize, j: usize, z: C64) {
        self.x[i + j * self.rows] = z;
    }
}
/// The product; of real numbers, the real one.
fn mul(a: C64, b: C64) -> C64 {
    if a.im == 0.0 && b.im == 0.0 { C64::new(a.re * b.re, 0.0) } else { a * b }
}
/// The quotient; of real numbers, the real one.
fn div(a: C64, b: C64) -> C64 {
    if a.im == 0.0 && b.im == 0.0 { C64::new(a.re / b.re, 0.0) } else { a / b }
}
fn number(d: DType, b: &[u8]) -> C64 {
    let single = |i: usize| b[i..].first_chunk().map_or(f64::NAN, |b| f64::from(f32::from_le_bytes(*b)));
    let double = |i: usize| b[i..].first_chunk().map_or(f64::NAN, |b| f64::from_le_bytes(*b));
    match d {
        DType::F32 => C64::new(single(0), 0.0),
        DType::C32 => C64::new(single(0), single(4)),
        DType::C64 => C64::new(double(0), double(8)),
        _ => C64::new(double(0), 0.0),
    }
}
fn bytes(d: DType, z: C64, to: &mut Vec<u8>) {
    match d {
        DType::F32 => to.extend((z.re as f32).to_le_bytes()),
        DType::C32 => {
            let z = C32::new(z.re as f32, z.im as f32);
            to.extend([z.re, z.im].into_iter().flat_map(f32::to_le_bytes));
        }
        DType::C64 => to.extend([z.re, z.im].into_iter().flat_map(f64::to_le_bytes)),
        _ => to.extend(z.re.to_le_bytes()),
    }
}
/// The number of that type next to it.
fn rounded(d: DType, z: C64) -> C64 {
    let mut b = vec![];
    bytes(d, z, &mut b);
    number(d, &b)
}
/// Elements one after the other.
fn read(h: &Host, d: DType, at: Ptr, n: usize) -> Result<Vec<C64>> {
    let mut b = vec![0; n * d.size()];
    h.download(at, &mut b)?;
    Ok(b.chunks(d.size()).map(|b| number(d, b)).collect())
}
fn write(h: &Host, d: DType, at: Ptr, x: &[C64]) -> Result<()> {
    let mut b = vec![];
    x.iter().for_each(|&z| bytes(d, z, &mut b));
    h.upload(at, &b)
}
fn column(d: DType, at: Ptr, ld: usize, j: usize) -> Ptr {
    at.at((j * ld * d.size()) as isize)
}
fn load(h: &Host, d: DType, at: Ptr, [m, n]: [usize; 2], ld: usize) -> Result<Dense> {
    let mut x = vec![];
    for j in 0..n {
        x.extend(read(h, d, column(d, at, ld, j), m)?);
    }
    Ok(Dense { rows: m, x })
}
fn store(h: &Host, d: DType, at: Ptr, a: &Dense, ld: usize) -> Result<()> {
    if a.rows == 0 {
        return Ok(());
    }
    a.x.chunks(a.rows).enumerate().try_for_each(|(j, c)| write(h, d, column(d, at, ld, j), c))
}
/// An operand of a product as it enters it.
fn operand(h: &Host, d: DType, a: &Matrix, [m, n]: [usize; 2], i: usize) -> Result<Dense> {
    let at = a.at.at(a.step * (i * d.size()) as isize);
    if !a.transposed {
        return load(h, d, at, [m, n], a.ld);
    }
    let t = load(h, d, at, [n, m], a.ld)?;
    let mut out = Dense::zeros(m, n);
    (0..m).for_each(|i| (0..n).for_each(|j| out.put(i, j, if a.conj { t.at(j, i).conj() } else { t.at(j, i) })));
    Ok(out)
}
pub(super) fn product(h: &Host, p: &Product) -> Result<()> {
    let ([m, n, k], d) = (p.mnk, p.dtype);
    for i in 0..p.batch {
        let (a, b) = (operand(h, d, &p.a, [m, k], i)?, operand(h, d, &p.b, [k, n], i)?);
        let mut c = Dense::zeros(m, n);
        for j in 0..n {
            for l in 0..k {
                let y = b.at(l, j);
                (0..m).for_each(|i| c.x[i + j * m] += mul(a.at(i, l), y));
            }
        }
        if let Some(s) = &p.plus {
            let added = match s.what {
                Added::Matrix(x) => operand(h, d, &x, [m, n], i)?,
                Added::Column(at) => {
                    let column = read(h, d, at, m)?;
                    Dense { rows: m, x: (0..n).flat_map(|_| column.clone()).collect() }
                }
            };
            let sign = |minus: bool, z: C64| if minus { -z } else { z };
            for (z, y) in c.x.iter_mut().zip(added.x) {
                *z = sign(s.minus_product, rounded(d, *z)) + sign(s.minus_added, y);
            }
        }
        store(h, d, p.c.at.at(p.c.step * (i * d.size()) as isize), &c, p.c.ld)?;
    }
    Ok(())
}
pub(super) fn substitution(h: &Host, s: &Substitution) -> Result<()> {
    let (d, [m, n]) = (s.dtype, s.mn);
    let size = if s.left { m } else { n };
    let mut a = Dense::zeros(size, size);
    // The other triangle is not even looked at.
    for j in 0..size {
        let rows = if s.lower { j..size } else { 0..j + 1 };
        let first = column(d, s.a.0, s.a.1, j).at((rows.start * d.size()) as isize);
        for (i, z) in rows.clone().zip(read(h, d, first, rows.len())?) {
            a.put(i, j, if i == j && s.unit { C64::ONE } else { z });
        }
    }
    let op = |i: usize, j: usize| match (s.transpose, s.conj) {
        (false, _) => a.at(i, j),
        (true, false) => a.at(j, i),
        (true, true) => a.at(j, i).conj(),
    };
    // The rows of a system on the right are those of the transposed system.
    let entry = |i: usize, j: usize| if s.left { op(i, j) } else { op(j, i) };
    let lower = (s.lower != s.transpose) == s.left;
    let mut b = load(h, d, s.b.0, [m, n], s.b.1)?;
    let columns = if s.left { n } else { m };
    for c in 0..columns {
        let place = |i: usize| if s.left { i + c * m } else { c + i * m };
        for l in 0..size {
            let i = if lower { l } else { size - 1 - l };
            let mut sum = b.x[place(i)];
            for q in 0..l {
                let j = if lower { q } else { size - 1 - q };
                sum -= mul(entry(i, j), b.x[place(j)]);
            }
            b.x[place(i)] = if s.unit { sum } else { div(sum, entry(i, i)) };
        }
    }
    store(h, d, s.b.0, &b, s.b.1)
}
pub(super) fn solver(h: &Host, c: &Call) -> Result<()> {
    let d = c.dtype;
    let info = match c.routine {
        Routine::Cholesky { n } => {
            let mut a = load(h, d, c.a, [n, n], n)?;
            let info = cholesky(&mut a, n);
            store(h, d, c.a, &a, n)?;
            info
        }
        Routine::Lu { m, n, pivots } => {
            let mut a = load(h, d, c.a, [m, n], m)?;
            let (rows, info) = lu(&mut a, m, n);
            store(h, d, c.a, &a, m)?;
            let words: Vec<u8> = rows.iter().flat_map(|&r| (r as i64 + 1).to_le_bytes()).collect();
            h.upload(pivots, &words)?;
            info
        }
        Routine::Qr { m, n, tau } => {
            let mut a = load(h, d, c.a, [m, n], m)?;
            let t = reflect(&mut a, m, n);
            store(h, d, c.a, &a, m)?;
            write(h, d, tau, &t)?;
            0
        }
        Routine::Reflections { m, n, k, tau } => {
            let (a, t) = (load(h, d, c.a, [m, n], m)?, read(h, d, tau, k)?);
            store(h, d, c.a, &reflected(&a, &t, m, n), m)?;
            0
        }
        Routine::Eigen { n, values } => eigen(h, d, c.a, n, values)?,
        Routine::Eigens { n, values, count } => {
            for k in 0..count {
                let at = |p: Ptr, each: usize| p.at((k * each) as isize);
                let info = eigen(h, d, at(c.a, n * n * d.size()), n, at(values, n * d.real().size()))?;
                h.upload(at(c.info, 4), &(info as i32).to_le_bytes())?;
            }
            return Ok(());
        }
        Routine::General { n, values } => {
            let a = load(h, d, c.a, [n, n], n)?;
            let mut w = Mat::<C64>::zeros(n, 1);
            let (mut right, mut left) = (Mat::<C64>::zeros(n, n), Mat::<C64>::zeros(n, n));
            let outs = &mut [Out::C64(w.as_mut()), Out::C64(right.as_mut()), Out::C64(left.as_mut())];
            factor(&tfc_ir::ops::linalg::EIG, Mat::from_fn(n, n, |i, j| a.at(i, j)).as_ref(), outs)?;
            let complex = if d.real() == DType::F32 { DType::C32 } else { DType::C64 };
            write(h, complex, values, &(0..n).map(|j| w[(j, 0)]).collect::<Vec<_>>())?;
            store(h, d, c.a, &Dense { rows: n, x: vec![C64::new(f64::NAN, 0.0); n * n] }, n)?;
            0
        }
        Routine::Svd { m, n, s, u, .. } | Routine::Jacobi { m, n, s, u, .. } => {
            if m < n {
                return Err(Error::new(Code::E1303, "cusolverDnXgesvd says CUSOLVER_STATUS_INVALID_VALUE: m < n"));
            }
            let a = load(h, d, c.a, [m, n], m)?;
            let full = Mat::from_fn(m, n, |i, j| a.at(i, j));
            let (mut left, mut w, mut right) =
                (Mat::<C64>::zeros(m, n), Mat::<f64>::zeros(n, 1), Mat::<C64>::zeros(n, n));
            let outs = &mut [Out::C64(left.as_mut()), Out::F64(w.as_mut()), Out::C64(right.as_mut())];
            factor(&tfc_ir::ops::linalg::SVD, full.as_ref(), outs)?;
            let w: Vec<C64> = (0..n).map(|j| C64::new(w[(j, 0)], 0.0)).collect();
            write(h, d.real(), s, &w)?;
            store(h, d, u, &dense(left.as_ref(), |_, j| turn(d, j)), m)?;
            let vt = dense(right.as_ref(), |i, _| turn(d, i).conj());
            match c.routine {
                Routine::Svd { vt: to, .. } => store(h, d, to, &vt, n)?,
                Routine::Jacobi { v: to, .. } => {
                    let mut v = Dense::zeros(n, n);
                    (0..n).for_each(|i| (0..n).for_each(|j| v.put(i, j, vt.at(j, i).conj())));
                    store(h, d, to, &v, n)?;
                }
                _ => {}
            }
            // The matrix is lost.
            let gone = Dense { rows: m, x: vec![C64::new(f64::NAN, 0.0); m * n] };
            store(h, d, c.a, &gone, m)?;
            0
        }
    };
    h.upload(c.info, &(info as i32).to_le_bytes())
}
fn eigen(h: &Host, d: DType, at: Ptr, n: usize, values: Ptr) -> Result<usize> {
    let a = load(h, d, at, [n, n], n)?;
    // The lower triangle says all.
    let full = Mat::from_fn(n, n, |i, j| if i >= j { a.at(i, j) } else { a.at(j, i).conj() });
    let (mut w, mut v) = (Mat::<f64>::zeros(n, 1), Mat::<C64>::zeros(n, n));
    factor(&tfc_ir::ops::linalg::EIGH, full.as_ref(), &mut [Out::F64(w.as_mut()), Out::C64(v.as_mut())])?;
    let w: Vec<C64> = (0..n).map(|j| C64::new(w[(j, 0)], 0.0)).collect();
    write(h, d.real(), values, &w)?;
    store(h, d, at, &dense(v.as_ref(), |_, j| turn(d, j)), n)?;
    Ok(0)
}
/// The phase that a library may give vector `j`.
fn turn(d: DType, j: usize) -> C64 {
    if d.is_complex() {
        C64::from_polar(1.0, 1.0 + j as f64)
    } else {
        C64::new(if j.is_multiple_of(2) { -1.0 } else { 1.0 }, 0.0)
    }
}
fn dense(a: MatRef<'_, C64>, by: impl Fn(usize, usize) -> C64) -> Dense {
    let mut out = Dense::zeros(a.nrows(), a.ncols());
    (0..a.nrows()).for_each(|i| (0..a.ncols()).for_each(|j| out.put(i, j, a[(i, j)] * by(i, j))));
    out
}
fn factor(row: &OpDef, a: MatRef<'_, C64>, outs: &mut [Out]) -> Result<()> {
    let f = Factor::of(row, &Attrs::none(), DType::C64)?;
    let mut memory = MemBuffer::new(f.scratch(a.nrows(), a.ncols()));
    // SAFETY: each caller makes the results for the extents of `a`.
    unsafe { f.run(&[In::C64(a)], outs, MemStack::new(&mut memory)) }.map_err(|_| f.failed(&[], 0, None))
}
/// In place; the number of the first pivot that is not positive, from 1, or 0.
fn cholesky(a: &mut Dense, n: usize) -> usize {
    for j in 0..n {
        let mut sum = a.at(j, j).re;
        (0..j).for_each(|k| sum -= a.at(j, k).norm_sqr());
        if sum.is_nan() || sum <= 0.0 {
            return j + 1;
        }
        let root = sum.sqrt();
        a.put(j, j, C64::new(root, 0.0));
        for i in j + 1..n {
            let mut x = a.at(i, j);
            (0..j).for_each(|k| x -= mul(a.at(i, k), a.at(j, k).conj()));
            a.put(i, j, x / root);
        }
    }
    0
}
/// In place; rows exchanged, from 0, and the number of the first pivot that is 0, from 1, or 0.
fn lu(a: &mut Dense, m: usize, n: usize) -> (Vec<usize>, usize) {
    let (mut rows, mut info) = (vec![], 0);
    for j in 0..m.min(n) {
        let size = |z: C64| z.re.abs() + z.im.abs();
        let top = (j..m).fold(j, |best, i| if size(a.at(i, j)) > size(a.at(best, j)) { i } else { best });
        rows.push(top);
        (0..n).for_each(|c| a.x.swap(j + c * m, top + c * m));
        let pivot = a.at(j, j);
        if pivot == C64::ZERO {
            info = if info == 0 { j + 1 } else { info };
            continue;
        }
        for i in j + 1..m {
            let f = div(a.at(i, j), pivot);
            a.put(i, j, f);
            (j + 1..n).for_each(|c| {
                let by = mul(f, a.at(j, c));
                a.x[i + c * m] -= by;
            });
        }
    }
    (rows, info)
}
/// Reflections in place; their factors.
fn reflect(a: &mut Dense, m: usize, n: usize) -> Vec<C64> {
    let mut tau = vec![];
    for j in 0..m.min(n) {
        let first = a.at(j, j);
        let tail = (j + 1..m).map(|i| a.at(i, j).norm_sqr()).sum::<f64>().sqrt();
        if tail == 0.0 && first.im == 0.0 {
            tau.push(C64::ZERO);
            continue;
        }
        let beta = -first.norm().hypot(tail).copysign(first.re);
        let t = (C64::new(beta, 0.0) - first) / beta;
        (j + 1..m).for_each(|i| a.x[i + j * m] = div(a.x[i + j * m], first - beta));
        a.put(j, j, C64::new(beta, 0.0));
        for c in j + 1..n {
            let mut sum = a.at(j, c);
            (j + 1..m).for_each(|i| sum += mul(a.at(i, j).conj(), a.at(i, c)));
            let by = mul(t.conj(), sum);
            a.x[j + c * m] -= by;
            (j + 1..m).for_each(|i| {
                let less = mul(a.at(i, j), by);
                a.x[i + c * m] -= less;
            });
        }
        tau.push(t);
    }
    tau
}
/// The first columns of a product of reflections.
fn reflected(a: &Dense, tau: &[C64], m: usize, n: usize) -> Dense {
    let mut q = Dense::zeros(m, n);
    (0..n.min(m)).for_each(|j| q.put(j, j, C64::ONE));
    for (j, &t) in tau.iter().enumerate().rev() {
        for c in 0..n {
            let mut sum = q.at(j, c);
            (j + 1..m).for_each(|i| sum += mul(a.at(i, j).conj(), q.at(i, c)));
            let by = mul(t, sum);
            q.x[j + c * m] -= by;
            (j + 1..m).for_each(|i| q.x[i + c * m] -= mul(a.at(i, j), by));
        }
    }
    q
}
pub(super) fn transform(h: &Host, l: &Lines, from: Ptr, to: Ptr) -> Result<()> {
    let real = if l.double { DType::F64 } else { DType::F32 };
    let complex = if l.double { DType::C64 } else { DType::C32 };
    let half = l.n / 2 + 1;
    let (d_in, d_out, n_in, n_out) = match l.kind {
        LineKind::Real => (real, complex, l.n, half),
        LineKind::InverseReal => (complex, real, half, l.n),
        LineKind::Forward | LineKind::Inverse => (complex, complex, l.n, l.n),
    };
    let sign = if matches!(l.kind, LineKind::Forward | LineKind::Real) { -1.0 } else { 1.0 };
    let roots: Vec<C64> =
        (0..l.n).map(|k| C64::from_polar(1.0, sign * std::f64::consts::TAU * k as f64 / l.n as f64)).collect();
    let place = |p: Ptr, d: DType, [step, line]: [usize; 2], i: usize, k: usize| {
        p.at(((i * step + k * line) * d.size()) as isize)
    };
    for k in 0..l.count {
        let mut x = vec![];
        for i in 0..n_in {
            x.push(read(h, d_in, place(from, d_in, l.from, i, k), 1)?[0]);
        }
        if l.kind == LineKind::InverseReal {
            // Parts that a real line cannot have may do anything in a library: they are not to be there.
            if x[0].im != 0.0 || (l.n.is_multiple_of(2) && x[l.n / 2].im != 0.0) {
                return Err(Error::new(Code::E1303, "half a spectrum is not that of real numbers"));
            }
            (half..l.n).for_each(|i| x.push(x[l.n - i].conj()));
        }
        for i in 0..n_out {
            let y: C64 = x.iter().enumerate().map(|(j, z)| z * roots[i * j % l.n]).sum();
            write(h, d_out, place(to, d_out, l.to, i, k), &[y])?;
        }
    }
    Ok(())
}
