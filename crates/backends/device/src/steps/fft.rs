//! Fourier transforms: a block a line, along one axis after the other. Roots of unity are a table, made on the host. Long lines are left to
//! a library, where the device has it.
use tfc_ir::ops::fft::Norm;
use tfc_ir::{Code, DType, Error, Result};
use tfc_plan::plan::{KernelStep, Slot};
use tfc_plan::space::Space;

use super::{Step, long, misfit, step};
use crate::device::{Arg, Ptr};
use crate::libraries::{Libraries, LineKind, Lines};
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{blocks, loops, space, threads};

/// Threads of a block that has a line.
const BLOCK: u32 = 128;
/// Bytes that blocks at work may have together.
const WORK: usize = 1 << 26;

/// What is read and what is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Complex numbers both.
    Complex,
    /// Real numbers; the first half of their spectrum.
    Real,
    /// The first half of the spectrum of real numbers; these.
    InverseReal,
}
/// A Fourier transform.
pub struct Fourier {
    /// What is read and what is written.
    pub kind: Kind,
    /// Whether the exponent is positive.
    pub inverse: bool,
    /// Axes that are transformed.
    pub axes: Vec<usize>,
    /// How results are scaled.
    pub norm: Norm,
    /// The element type of a part.
    pub real: DType,
    /// Along the axis that `axes` names last, and along the others. They take lines, transforms, roots of unity, work memory; numbers of a
    /// line, strides of both, a factor, and loops over lines.
    pub kernels: [String; 2],
    /// Around a library: what copies half spectra for it, and what scales its results, real and complex.
    pub half: String,
    /// See above.
    pub scales: [String; 2],
    /// Loops over lines.
    pub rank: usize,
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
