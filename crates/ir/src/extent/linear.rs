//! Systems of linear equations over integers: which unknowns they give, by fraction-free elimination.
//!
//! Only the coefficients are looked at, so that what is promised when a module is compiled holds for every right side;
//! the answer says how equations are to be combined. Same equations, same answer.

/// Unknowns above which nothing is tried.
pub(super) const MAX_UNKNOWNS: usize = 64;
/// Equations that are looked at.
pub(super) const MAX_EQUATIONS: usize = 256;

/// `coefficient * unknown` is the sum of the equations, each times its factor.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// Index of the unknown.
    pub(super) unknown: usize,
    /// Positive.
    pub(super) coefficient: i64,
    /// Index of an equation, and its factor, which is not 0.
    pub(super) sum: Vec<(usize, i64)>,
}

/// A combination of equations.
struct Row {
    /// By unknown, its coefficient in what is left of the row.
    left: Vec<i128>,
    /// By equation, how often it is contained in this row.
    made: Vec<i128>,
}
impl Row {
    /// The row without unknown `k`, by a multiple of `pivot`; `None` where a number does not fit.
    fn without(&self, k: usize, pivot: &Row) -> Option<Row> {
        let (a, p) = (*self.left.get(k)?, *pivot.left.get(k)?);
        let g = gcd(a, p);
        let (scale, by) = (p / g, a / g);
        let mix = |x: &[i128], y: &[i128]| -> Option<Vec<i128>> {
            let one = |(x, y): (&i128, &i128)| x.checked_mul(scale)?.checked_sub(y.checked_mul(by)?);
            x.iter().zip(y).map(one).collect()
        };
        let row = Row { left: mix(&self.left, &pivot.left)?, made: mix(&self.made, &pivot.made)? };
        Some(row.reduced())
    }
    /// Divided by what all its numbers have in common.
    fn reduced(mut self) -> Row {
        let g = self.left.iter().chain(&self.made).fold(0, |g, &x| gcd(g, x));
        if g > 1 {
            self.left.iter_mut().chain(&mut self.made).for_each(|x| *x /= g);
        }
        self
    }
}
fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        // The least number is its own negative: the result is then negative, and nothing is divided by it.
        (a, b) = (b, a.wrapping_rem(b));
    }
    a.wrapping_abs()
}

/// The unknowns that `equations` (coefficients, one an unknown) give, each once, in order. An unknown that they give may
/// be left out where there are too many of either, or where numbers outgrow 128 bits.
pub(super) fn given(equations: &[Vec<i64>]) -> Vec<Given> {
    let n = equations.first().map_or(0, Vec::len);
    if n > MAX_UNKNOWNS {
        return vec![];
    }
    let count = equations.len().min(MAX_EQUATIONS);
    // Each pivot row has its unknown alone among the pivots' unknowns.
    let mut pivots: Vec<(usize, Row)> = vec![];
    for (i, e) in equations.iter().take(count).enumerate() {
        let made = (0..count).map(|j| i128::from(i == j)).collect();
        let row = Row { left: e.iter().map(|&c| i128::from(c)).collect(), made };
        let Some(row) = pivots.iter().try_fold(row, |row, (k, p)| row.without(*k, p)) else { continue };
        let Some(k) = row.left.iter().position(|&c| c != 0) else { continue };
        let mut cleared = Vec::with_capacity(pivots.len() + 1);
        for (j, p) in &pivots {
            match p.without(k, &row) {
                Some(p) => cleared.push((*j, p)),
                None => break,
            }
        }
        if cleared.len() == pivots.len() {
            cleared.push((k, row));
            pivots = cleared;
        }
    }
    pivots.sort_by_key(|p| p.0);
    pivots.into_iter().filter_map(|(unknown, row)| alone(unknown, &row)).collect()
}
fn alone(unknown: usize, row: &Row) -> Option<Given> {
    if row.left.iter().filter(|c| **c != 0).count() != 1 {
        return None;
    }
    let coefficient = *row.left.get(unknown)?;
    let used = row.made.iter().enumerate().filter(|x| *x.1 != 0);
    let sum: Option<Vec<(usize, i64)>> =
        used.map(|(i, &m)| Some((i, i64::try_from(m.checked_mul(coefficient.signum())?).ok()?))).collect();
    Some(Given { unknown, coefficient: i64::try_from(coefficient.checked_abs()?).ok()?, sum: sum? })
}
