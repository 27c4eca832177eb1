//! The logarithm of the gamma function as programs that `jax.export` writes have it, in which CHLO is written out: Lanczos' approximation
//! with `g = 7` and 9 terms, reflected below ½.
use super::formula::{E, Pen};
use std::f64::consts::PI;

/// Of terms `c/(z + n)`, from `n = 1` on.
const TERMS: [f64; 8] = [
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];
/// How `log |Γ|` is written.
pub(super) type LogGamma = for<'p> fn(&'p Pen, E<'p>) -> E<'p>;

/// By the row.
pub(super) fn row<'p>(_: &'p Pen, x: E<'p>) -> E<'p> {
    x.lgamma()
}
/// Written out.
pub(super) fn lanczos<'p>(pen: &'p Pen, x: E<'p>) -> E<'p> {
    let (half, one, infinity) = (pen.num(0.5), pen.num(1.0), pen.num(f64::INFINITY));
    let below = x.lt(half);
    let z = below.select(-x, x - one);
    let mut sum = pen.num(0.999_999_999_999_809_9);
    for (n, c) in TERMS.iter().enumerate() {
        sum = sum + *c / (z + (n as f64 + 1.0));
    }
    let t = 7.5 + z;
    let log_t = 2.014_903_020_542_264_7 + (z / 7.5).log1p();
    let direct = 0.918_938_533_204_672_7 + (z + half - t / log_t) * log_t + sum.log();
    let size = x.abs();
    let rest = size - size.floor();
    let rest = half.lt(rest).select(one - rest, rest);
    let sine = (PI * rest).sin().log();
    let reflected = 1.144_729_885_849_400_2 - sine - direct;
    let y = below.select(sine.is_finite().select(reflected, -sine), direct);
    size.eq(infinity).select(infinity, y)
}
