//! Tensors as text. Numbers print as the shortest decimal that reads back to the same bits, every NaN as `nan` (its sign
//! and payload are no part of a value); only arrays shown in part are shortened to eight significant digits.
use std::fmt::Write;
use tfc_ir::{C32, C64, Element, Tensor, with_dtype};

/// How much of an array is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Detail {
    /// Nothing, not even scalars.
    None,
    /// Scalars and small arrays whole, larger ones in part.
    #[default]
    Summary,
    /// Everything.
    Full,
}

/// The most elements that a summary prints whole.
const WHOLE: usize = 64;
/// Entries at each end of an axis that is shown in part.
const EDGE: usize = 3;
/// Width within which an array is put on one line.
const WIDTH: usize = 100;

trait Show: Element {
    /// The text that reads back.
    fn exact(self) -> String;
    /// Eight significant digits.
    fn brief(self) -> String {
        self.exact()
    }
    /// An ordering number for minimum and maximum; `None` for what has no order.
    fn order(self) -> Option<f64> {
        None
    }
}
macro_rules! show_plain {
    ($($t:ty),*) => { $(impl Show for $t {
        fn exact(self) -> String { self.to_string() }
        fn order(self) -> Option<f64> { Some(self as f64) }
    })* };
}
show_plain!(i32, i64, u32, u64);
impl Show for bool {
    fn exact(self) -> String {
        self.to_string()
    }
}
macro_rules! show_float {
    ($($t:ty),*) => { $(impl Show for $t {
        fn exact(self) -> String {
            if self.is_nan() { "nan".into() } else { format!("{self:?}") }
        }
        fn brief(self) -> String {
            if self.is_nan() {
                return "nan".into();
            }
            // Rounding to eight digits first lets the shortest form of the rounded number be short.
            let rounded: f64 = format!("{self:.7e}").parse().unwrap_or(self as f64);
            format!("{rounded:?}")
        }
        fn order(self) -> Option<f64> { Some(self as f64) }
    })* };
}
show_float!(f32, f64);
macro_rules! show_complex {
    ($($t:ty),*) => { $(impl Show for $t {
        fn exact(self) -> String { format!("({}, {})", self.re.exact(), self.im.exact()) }
        fn brief(self) -> String { format!("({}, {})", self.re.brief(), self.im.brief()) }
    })* };
}
show_complex!(C32, C64);

/// One element, as the shortest text that reads back; empty outside the tensor.
pub fn element_text(t: &Tensor, index: &[usize]) -> String {
    with_dtype!(t.dtype(), T => t.get::<T>(index).map(T::exact).unwrap_or_default(), _ => String::new())
}

/// `f64[2, 3]`.
pub fn type_text(t: &Tensor) -> String {
    let extents: Vec<String> = t.shape().iter().map(usize::to_string).collect();
    format!("{}[{}]", t.dtype(), extents.join(", "))
}

/// What `run` prints of a result, with a line end: `name = 1.5` for a scalar, `name: f64[2] = [1.0, 2.0]` for a small
/// array, type and range and edges for a large one.
pub fn show(name: &str, t: &Tensor, detail: Detail) -> String {
    if detail == Detail::None {
        return String::new();
    }
    if t.rank() == 0 {
        return format!("{name} = {}\n", element_text(t, &[]));
    }
    let whole = detail == Detail::Full || t.len() <= WHOLE;
    let mut out = format!("{name}: {}", type_text(t));
    if !whole && let Some(range) = range(t) {
        let _ = write!(out, ", {range}");
    }
    let body = nested(t, whole);
    if body.contains('\n') || out.len() + body.len() + 3 > WIDTH {
        let _ = writeln!(out, " =\n  {}", body.replace('\n', "\n  "));
    } else {
        let _ = writeln!(out, " = {body}");
    }
    out
}

/// The elements as nested lists in logical order; with `whole` unset, long axes are cut to their ends.
pub fn nested(t: &Tensor, whole: bool) -> String {
    with_dtype!(t.dtype(), T => Lists::<T>::of(t, whole).text(), _ => String::new())
}

/// The elements as one line, whole, as a literal that reads back.
pub fn literal(t: &Tensor) -> String {
    let mut s = nested(t, true);
    if s.contains('\n') {
        s = s.split('\n').map(str::trim_start).collect::<Vec<_>>().join(" ");
    }
    s
}

struct Lists<'a, T> {
    tensor: &'a Tensor,
    whole: bool,
    text_of: fn(T) -> String,
    width: usize,
}
impl<'a, T: Show> Lists<'a, T> {
    fn of(tensor: &'a Tensor, whole: bool) -> Self {
        let mut l = Lists { tensor, whole, text_of: if whole { T::exact } else { T::brief }, width: 0 };
        if tensor.rank() > 1 {
            // Columns line up, as far as single elements decide.
            let mut width = 0;
            l.walk(&mut vec![], &mut |l, ix| width = width.max(l.element(ix).len()));
            l.width = width.min(24);
        }
        l
    }
    fn element(&self, index: &[usize]) -> String {
        self.tensor.get::<T>(index).map(self.text_of).unwrap_or_default()
    }
    /// The positions of an axis that are shown; `None` stands for those left out.
    fn shown(&self, axis: usize) -> Vec<Option<usize>> {
        let n = self.tensor.shape().get(axis).copied().unwrap_or(0);
        if self.whole || n <= 2 * EDGE + 1 {
            return (0..n).map(Some).collect();
        }
        (0..EDGE).map(Some).chain([None]).chain((n - EDGE..n).map(Some)).collect()
    }
    fn walk(&self, index: &mut Vec<usize>, f: &mut impl FnMut(&Self, &[usize])) {
        if index.len() == self.tensor.rank() {
            return f(self, index);
        }
        for i in self.shown(index.len()).into_iter().flatten() {
            index.push(i);
            self.walk(index, f);
            index.pop();
        }
    }
    fn text(&self) -> String {
        let mut out = String::new();
        self.list(&mut vec![], &mut out);
        out
    }
    fn list(&self, index: &mut Vec<usize>, out: &mut String) {
        let depth = index.len();
        if depth == self.tensor.rank() {
            let text = self.element(index);
            out.extend(std::iter::repeat_n(' ', self.width.saturating_sub(text.len())));
            out.push_str(&text);
            return;
        }
        let innermost = depth + 1 == self.tensor.rank();
        out.push('[');
        for (k, i) in self.shown(depth).into_iter().enumerate() {
            if k > 0 {
                out.push(',');
                if innermost {
                    out.push(' ');
                } else {
                    out.push('\n');
                    out.extend(std::iter::repeat_n(' ', depth + 1));
                }
            }
            match i {
                None => out.push_str("..."),
                Some(i) => {
                    index.push(i);
                    self.list(index, out);
                    index.pop();
                }
            }
        }
        out.push(']');
    }
}

fn range(t: &Tensor) -> Option<String> {
    with_dtype!(t.dtype(), T => {
        let data = t.storage::<T>()?;
        let (mut low, mut high, mut nan) = (None::<(f64, T)>, None::<(f64, T)>, 0usize);
        t.for_each_index(|i| {
            let Some((&x, order)) = data.get(i).and_then(|x| Some((x, x.order()?))) else { return };
            if order.is_nan() {
                nan += 1;
                return;
            }
            if low.is_none_or(|(o, _)| order < o) {
                low = Some((order, x));
            }
            if high.is_none_or(|(o, _)| order > o) {
                high = Some((order, x));
            }
        });
        let mut text = format!("min {}, max {}", low?.1.brief(), high?.1.brief());
        if nan > 0 {
            let _ = write!(text, ", {nan} nan");
        }
        Some(text)
    }, _ => None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::parse_literal;
    use tfc_ir::DType;

    #[test]
    fn scalars_read_back() {
        for x in [0.1, 1e300, -0.0, f64::INFINITY, f64::MIN_POSITIVE, 1e16, 123456789.125] {
            let text = show("x", &Tensor::scalar(x), Detail::Summary);
            let literal = text.strip_prefix("x = ").unwrap().trim_end();
            let back = parse_literal(literal, DType::F64, None).unwrap().item::<f64>().unwrap();
            assert_eq!(back.to_bits(), x.to_bits(), "{text}");
        }
        for bits in [f64::NAN.to_bits(), 0x7ff8_0000_0000_0001, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001] {
            assert_eq!(show("n", &Tensor::scalar(f64::from_bits(bits)), Detail::Full), "n = nan\n");
        }
        assert_eq!(show("z", &Tensor::scalar(C64::new(1.0, -2.5)), Detail::Full), "z = (1.0, -2.5)\n");
        assert_eq!(show("z", &Tensor::scalar(1.0), Detail::None), "");
    }

    #[test]
    fn small_arrays_print_whole() {
        let t = Tensor::from_logical(&[2, 2], vec![1.0, 2.0, 3.0, -40.5]);
        assert_eq!(show("w", &t, Detail::Summary), "w: f64[2, 2] =\n  [[  1.0,   2.0],\n   [  3.0, -40.5]]\n");
        let v = Tensor::from_logical(&[3], vec![1, 2, 3]);
        assert_eq!(show("v", &v, Detail::Summary), "v: i32[3] = [1, 2, 3]\n");
        assert_eq!(show("e", &Tensor::from_logical::<bool>(&[0, 2], vec![]), Detail::Full), "e: bool[0, 2] = []\n");
        assert_eq!(literal(&t), "[[  1.0,   2.0], [  3.0, -40.5]]");
        assert!(parse_literal(&literal(&t), DType::F64, None).unwrap().same(&t));
    }

    #[test]
    fn large_arrays_print_in_part() {
        let t = Tensor::from_logical(&[100], (0..100).map(|i| i as f64 / 3.0).collect());
        let text = show("v", &t, Detail::Summary);
        assert_eq!(
            text,
            "v: f64[100], min 0.0, max 33.0 = [0.0, 0.33333333, 0.66666667, ..., 32.333333, 32.666667, 33.0]\n"
        );
        assert_eq!(show("v", &t, Detail::Full).matches(',').count(), 99);
    }
}
