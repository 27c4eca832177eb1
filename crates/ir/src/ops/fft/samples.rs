//! Programs of transforms: even and odd lengths, primes, 0 and 1, several axes in each order, each norm.
use super::*;
use crate::sample::{Domain, Sample, SampleCx};

/// The extents of lines, before a transform or after its inverse, and the axes transformed.
type Case = (&'static [usize], &'static [usize]);
const SMALL: &[Case] = &[
    (&[5], &[0]),
    (&[6], &[0]),
    (&[1], &[0]),
    (&[2], &[0]),
    (&[0], &[0]),
    (&[4, 3], &[0]),
    (&[4, 3], &[1]),
    (&[2, 3], &[0, 1]),
    (&[3, 4], &[1, 0]),
    (&[0, 3], &[1]),
    (&[2, 0], &[0, 1]),
    (&[2, 2, 3], &[2, 0]),
    (&[2, 1, 3, 2], &[3, 1]),
];
/// Lengths of every kind that an implementation treats by itself: powers of two and others, primes below and above what has a
/// kernel of its own, products of primes; many lines, near and far apart.
const HARD: &[Case] = &[
    (&[64], &[0]),
    (&[96], &[0]),
    (&[17], &[0]),
    (&[97], &[0]),
    (&[211], &[0]),
    (&[105, 2], &[0]),
    (&[3, 128], &[1]),
    (&[37, 20], &[1, 0]),
    (&[2, 30, 9], &[1, 2]),
    (&[5, 4, 33], &[0, 2, 1]),
];
const NORMS: [&str; 3] = ["backward", "ortho", "forward"];

/// Each case; a small one with each norm in turn, so that all meet all kinds.
fn cases(cx: &SampleCx, list: &[Case], takes: fn(DType) -> bool, spectrum: bool) -> Result<Vec<Sample>> {
    if !takes(cx.dtype) {
        return Ok(vec![]);
    }
    let one = |(i, &(shape, axes)): (usize, &Case)| {
        let mut attrs = Attrs::of([("axes", Attr::ints(axes)), ("norm", Attr::word(NORMS[i % 3]))]);
        let mut shape = shape.to_vec();
        if let (true, Some(&a)) = (spectrum, axes.last()) {
            attrs.set("length", Attr::extent(shape[a].into()));
            shape[a] = shape[a] / 2 + 1;
        }
        cx.op(&[(cx.ty(&shape), Domain::Any)], attrs, None)
    };
    list.iter().enumerate().map(one).collect()
}
pub(super) fn complex(cx: &SampleCx) -> Result<Vec<Sample>> {
    let mut all = cases(cx, SMALL, DType::is_complex, false)?;
    all.extend(cases(cx, &[(&[3], &[])], DType::is_complex, false)?);
    Ok(all)
}
/// Whether a complex dtype has such parts.
fn is_part(d: DType) -> bool {
    d.complex().is_some()
}
pub(super) fn real(cx: &SampleCx) -> Result<Vec<Sample>> {
    cases(cx, SMALL, is_part, false)
}
pub(super) fn inverse_real(cx: &SampleCx) -> Result<Vec<Sample>> {
    cases(cx, SMALL, DType::is_complex, true)
}
pub(super) fn hard_complex(cx: &SampleCx) -> Result<Vec<Sample>> {
    cases(cx, HARD, DType::is_complex, false)
}
pub(super) fn hard_real(cx: &SampleCx) -> Result<Vec<Sample>> {
    cases(cx, HARD, is_part, false)
}
pub(super) fn hard_inverse_real(cx: &SampleCx) -> Result<Vec<Sample>> {
    cases(cx, HARD, DType::is_complex, true)
}
