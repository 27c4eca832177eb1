//! Fourier transforms: StableHLO's are along the last axes, at most three at once, and only its inverse divides.
use tfc_ir::Result;
use tfc_ir::ops::fft::{FFT, IFFT, IRFFT, Norm, RFFT};
use tfc_ir::types::inverse;

use super::Rows;
use crate::write::cx::Cx;
use crate::write::table::Spelling::By;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, ints};

pub(super) const ROWS: Rows = &[
    (&FFT, By(|cx| transform(cx, "FFT"))),
    (&IFFT, By(|cx| transform(cx, "IFFT"))),
    (&RFFT, By(|cx| transform(cx, "RFFT"))),
    (&IRFFT, By(|cx| transform(cx, "IRFFT"))),
];
/// Axes that one op transforms.
const MOST: usize = 3;

fn transform(cx: &mut Cx, kind: &str) -> Result<Vec<Val>> {
    let (x, ty, axes) = (cx.arg(0)?, cx.result(0)?, cx.attrs().indices("axes"));
    // A line of no element has a spectrum of zeros.
    if ty.is_empty() || x.ty.is_empty() {
        return Ok(vec![cx.splat(&ty, 0.0)?]);
    }
    let inverts = kind.starts_with('I');
    // How many elements lines have before a transform or after its inverse.
    let lines = if kind == "RFFT" { &x.ty } else { &ty };
    let n: usize = axes.iter().filter_map(|&a| lines.dims.get(a)).product();
    let scale = Norm::of(cx.attrs()).scale(n, inverts) * if inverts { n as f64 } else { 1.0 };
    // The real side is transformed last of all going back, first going there, with the axes beside it.
    let cut = axes.len().saturating_sub(MOST);
    let (far, near) = axes.split_at(cut);
    let whole = |k: &'static str| if inverts { "IFFT" } else { k };
    let y = if kind == "RFFT" {
        let y = along(cx, &x, near, kind, &ty);
        groups(cx, y, far, "FFT")
    } else {
        let y = groups(cx, x, far, whole("FFT"));
        along(cx, &y, near, kind, &ty)
    };
    if scale == 1.0 {
        return Ok(vec![y]);
    }
    let by = cx.splat(&ty, scale)?;
    Ok(vec![cx.bin("multiply", &y, &by)])
}
/// Complex transforms along any number of axes.
fn groups(w: &mut Writer, x: Val, axes: &[usize], kind: &str) -> Val {
    axes.chunks(MOST).fold(x, |x, some| along(w, &x, some, kind, &x.ty.clone()))
}
/// One op: the axes go to the end and come back. `like` has the extents afterwards.
fn along(w: &mut Writer, x: &Val, axes: &[usize], kind: &str, like: &Ty) -> Val {
    if axes.is_empty() {
        return x.clone();
    }
    let perm: Vec<usize> = (0..x.rank()).filter(|a| !axes.contains(a)).chain(axes.iter().copied()).collect();
    let moved = w.transpose(x, &perm);
    let mut ty = moved.ty.with(like.dtype);
    for (d, &p) in ty.dims.iter_mut().zip(&perm) {
        if axes.contains(&p) {
            *d = like.dims.get(p).copied().unwrap_or(*d);
        }
    }
    let real = if kind == "RFFT" { &moved.ty } else { &ty };
    let length: Vec<usize> = real.dims.iter().skip(x.rank() - axes.len()).copied().collect();
    let y = w.emit(
        ty.clone(),
        format_args!("stablehlo.fft {moved}, type = {kind}, length = {} : ({}) -> {ty}", ints(&length), moved.ty),
    );
    w.transpose(&y, &inverse(&perm))
}
