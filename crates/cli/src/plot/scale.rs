//! Numbers along an axis, and colours.

/// A range of numbers, and where it lies in a drawing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Places of `low` and `high`, in pixels.
    pub(super) from: f64,
    pub(super) to: f64,
}
impl Scale {
    /// Of all finite numbers among these; of none, or of one alone, with room around it.
    pub(super) fn of(numbers: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in numbers.filter(|x| x.is_finite()) {
            (low, high) = (low.min(x), high.max(x));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        } else if low == high {
            let room = if low == 0.0 { 1.0 } else { low.abs() / 2.0 };
            (low, high) = (low - room, high + room);
        }
        Scale { low, high, from, to }
    }
    pub(super) fn place(&self, x: f64) -> f64 {
        // Halves: the difference of two numbers may be more than any.
        let part = (x / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0);
        self.from + part * (self.to - self.from)
    }
    /// Round numbers, about so many, within the range.
    pub(super) fn ticks(&self, about: usize) -> Vec<f64> {
        let step = (self.high / 2.0 - self.low / 2.0) * 2.0 / about.max(1) as f64;
        if !step.is_finite() || step <= 0.0 {
            return vec![self.low, self.high];
        }
        let ten = 10f64.powf(step.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * ten).find(|s| *s >= step).unwrap_or(step);
        let first = (self.low / step).ceil();
        let count = ((self.high / step).floor() - first).clamp(0.0, 4.0 * about as f64) as usize;
        (0..=count).map(|k| (first + k as f64) * step).collect()
    }
}
/// A number of a tick: short, without what rounding has left of zeros.
pub(super) fn number(x: f64) -> String {
    let x: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    match x.abs() {
        0.0 => "0".into(),
        a if (1e-4..1e6).contains(&a) => x.to_string(),
        _ => format!("{x:e}"),
    }
}

/// From dark violet over green to yellow as `x` goes from 0 to 1: a colour map in the manner of viridis, by five of its colours (van der
/// Walt and Smith, 2015); what is not a number is grey.
pub(super) fn colour(x: f64) -> String {
    const STOPS: [[f64; 3]; 5] =
        [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 201.0, 98.0], [253.0, 231.0, 37.0]];
    if x.is_nan() {
        return "#bbb".into();
    }
    let at = x.clamp(0.0, 1.0) * 4.0;
    let k = (at as usize).min(3);
    let part = at - k as f64;
    rgb(std::array::from_fn(|c| STOPS[k][c] + part * (STOPS[k + 1][c] - STOPS[k][c])))
}
/// Of numbers from 0 to 255.
pub(super) fn rgb(c: [f64; 3]) -> String {
    let byte = |x: f64| if x.is_nan() { 187 } else { x.round().clamp(0.0, 255.0) as u8 };
    format!("#{:02x}{:02x}{:02x}", byte(c[0]), byte(c[1]), byte(c[2]))
}
