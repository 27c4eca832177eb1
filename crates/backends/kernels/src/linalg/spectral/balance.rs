//! Balancing: rows and columns are scaled by powers of 2, which changes no bits, until the norms of each row and its column are
//! about the same (Parlett & Reinsch 1969; by Euclidean norms, James, Langou & Lowery, arXiv:1401.5766). Eigenvalues of matrices whose entries
//! have many sizes are found the better for it.
use super::super::Field;
use super::super::columns::Columns;

/// A step is taken where the sum of both norms falls below this part.
const GAIN: f64 = 0.95;
/// Sizes that factors and norms stay within.
const RANGE: (f64, f64) = (1e-280, 1e280);

/// Makes `a` to `d⁻¹ a d`, with `d` on the diagonal in `scale`.
pub(super) fn balance<T: Field>(a: &mut Columns<T>, scale: &mut [f64]) {
    let n = scale.len();
    scale.fill(1.0);
    // Of the elements that `at` gives.
    let length = |at: &dyn Fn(usize) -> T| {
        let square: f64 = (0..n).map(|l| at(l).parts()).map(|(x, y)| x * x + y * y).sum();
        // Where squares lose nothing that counts; else one after the other.
        match square {
            1e-200..1e200 => square.sqrt(),
            _ => (0..n).fold(0.0, |s: f64, l| s.hypot(at(l).modulus())),
        }
    };
    let inside = |x: f64| x > RANGE.0 && x < RANGE.1;
    let mut moved = true;
    while moved {
        moved = false;
        for i in 0..n {
            let mut c = length(&|l| a[(l, i)]);
            let mut r = length(&|l| a[(i, l)]);
            if c == 0.0 || r == 0.0 {
                continue;
            }
            let (sum, mut f) = (c + r, 1.0f64);
            while c < r / 2.0 && inside(2.0 * f) && inside(c) && inside(r) {
                (f, c, r) = (2.0 * f, 2.0 * c, r / 2.0);
            }
            while c / 2.0 >= r && inside(f / 2.0) && inside(c) && inside(r) {
                (f, c, r) = (f / 2.0, c / 2.0, 2.0 * r);
            }
            if c + r >= GAIN * sum || !inside(f * scale[i]) {
                continue;
            }
            scale[i] *= f;
            moved = true;
            for l in 0..n {
                a[(i, l)] = a[(i, l)].scaled(1.0 / f);
            }
            a.column(i).iter_mut().for_each(|x| *x = x.scaled(f));
        }
    }
}
