//! Tensors as text. Numbers print as the shortest decimal that reads back to the same bits, every NaN as `nan` (its sign
//! and payload are no part of a value); only arrays shown in part are shortened to eight significant digits.
use crate::small::*;
use crate::{BF16, C32, C64, Element, F16, Tensor, TypedTensor, with_dtype};
use std::convert::Infallible;
use std::fmt::Write;

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
/// About the most elements of an array that is shown in part.
const IN_PART: usize = 10_000;
/// The most elements that are put into one text.
const AT_ONCE: usize = 4096;
/// Bytes of a piece of a longer text.
const PIECE: usize = 1 << 16;
/// Elements between two looks at the clock.
const PACE: usize = 1 << 14;

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
show_plain!(i8, i16, i32, i64, u8, u16, u32, u64);
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
macro_rules! show_half {
    ($($t:ty),*) => { $(impl Show for $t {
        fn exact(self) -> String { shortest(self) }
        fn order(self) -> Option<f64> { Some(self.widen().into()) }
    })* };
}
show_half!(BF16, F16);
crate::for_tiny_floats!(show_half);
macro_rules! show_tiny {
    ($($t:ty),*) => { $(impl Show for $t {
        fn exact(self) -> String { self.to_string() }
        fn order(self) -> Option<f64> { Some(self.get().into()) }
    })* };
}
crate::for_tiny_ints!(show_tiny);
macro_rules! show_complex {
    ($($t:ty),*) => { $(impl Show for $t {
        fn exact(self) -> String { format!("({}, {})", self.re.exact(), self.im.exact()) }
        fn brief(self) -> String { format!("({}, {})", self.re.brief(), self.im.brief()) }
    })* };
}
show_complex!(C32, C64);

/// One element, as the shortest text that reads back; empty outside the tensor.
pub fn element_text(t: &Tensor, index: &[usize]) -> String {
    with_dtype!(t.dtype(), T => t.get::<T>(index).map(T::exact).unwrap_or_default())
}

/// `f64[2, 3]`.
pub fn type_text(t: &Tensor) -> String {
    let extents: Vec<String> = t.shape().iter().map(usize::to_string).collect();
    format!("{}[{}]", t.dtype(), extents.join(", "))
}

/// Where text goes, piece by piece. Long walks that give no text for a while hand over an empty piece: whoever takes it may
/// look at the clock, and its errors end the walk.
pub type Emit<'a, E> = &'a mut dyn FnMut(&str) -> Result<(), E>;

/// What is printed of a result, with a line end: `name = 1.5` for a scalar, `name: f64[2] = [1.0, 2.0]` for a small
/// array, type and range and edges for a large one.
pub fn show(name: &str, t: &Tensor, detail: Detail) -> String {
    let mut out = String::new();
    let done = show_to(name, t, detail, &mut |text| {
        out.push_str(text);
        Ok::<(), Infallible>(())
    });
    match done {
        Ok(()) => out,
        Err(never) => match never {},
    }
}

/// As [`show`] prints a result without a name, whole where it is small: `f64[2] = [1.0, 2.0]`.
impl std::fmt::Display for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        show_to("", self, Detail::Summary, &mut |text| f.write_str(text.trim_end_matches('\n')))
    }
}
/// As it is displayed: type and elements, not how they are stored.
impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
impl<T: Element> std::fmt::Display for TypedTensor<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        std::fmt::Display::fmt(self.as_tensor(), f)
    }
}
impl<T: Element> std::fmt::Debug for TypedTensor<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        std::fmt::Display::fmt(self.as_tensor(), f)
    }
}

/// [`show`], without holding more than a piece of the text at a time.
///
/// # Errors
/// Those of `emit`.
pub fn show_to<E>(name: &str, t: &Tensor, detail: Detail, emit: Emit<E>) -> Result<(), E> {
    if detail == Detail::None {
        return Ok(());
    }
    if t.rank() == 0 {
        let head = if name.is_empty() { type_text(t) } else { name.to_owned() };
        return emit(&format!("{head} = {}\n", element_text(t, &[])));
    }
    let whole = detail == Detail::Full || t.len() <= WHOLE;
    let mut out = if name.is_empty() { type_text(t) } else { format!("{name}: {}", type_text(t)) };
    if whole && t.len() > AT_ONCE {
        // Wider than a line in any case.
        emit(&format!("{out} =\n  "))?;
        with_dtype!(t.dtype(), T => Lists::<T>::of(t, true, emit).and_then(|l| l.to(emit, "  ")))?;
        return emit("\n");
    }
    if !whole && let Some(range) = range(t, emit)? {
        let _ = write!(out, ", {range}");
    }
    let body = nested(t, whole);
    if body.contains('\n') || out.len() + body.len() + 3 > WIDTH {
        let _ = writeln!(out, " =\n  {}", body.replace('\n', "\n  "));
    } else {
        let _ = writeln!(out, " = {body}");
    }
    emit(&out)
}

/// Is it a tensor without elements whose empty lists are too many to write? `[]` stands for it, beside its type.
pub(crate) fn is_nothing(t: &Tensor) -> bool {
    let lists = t.shape().iter().take_while(|&&n| n > 0).try_fold(1usize, |a, &n| a.checked_mul(n));
    t.is_empty() && lists.is_none_or(|n| n > WHOLE)
}
/// The elements as nested lists in logical order; with `whole` unset, long axes are cut to their ends.
pub fn nested(t: &Tensor, whole: bool) -> String {
    let mut out = String::new();
    if is_nothing(t) {
        out.push_str("[]");
        return out;
    }
    let emit: Emit<Infallible> = &mut |text| {
        out.push_str(text);
        Ok(())
    };
    let done = with_dtype!(t.dtype(), T => Lists::<T>::of(t, whole, emit).and_then(|l| l.to(emit, "")));
    match done {
        Ok(()) => out,
        Err(never) => match never {},
    }
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
    /// For each axis, entries shown at each end; `None` shows all.
    edges: Vec<Option<usize>>,
    text_of: fn(T) -> String,
    width: usize,
}
/// Text on its way.
struct Out<'a, E> {
    text: String,
    /// Before every line but the first.
    indent: &'static str,
    emit: Emit<'a, E>,
}
impl<'a, T: Show> Lists<'a, T> {
    fn of<E>(tensor: &'a Tensor, whole: bool, emit: Emit<E>) -> Result<Self, E> {
        let edges = if whole { vec![None; tensor.rank()] } else { edges(tensor.shape()) };
        let mut l = Lists { tensor, edges, text_of: if whole { T::exact } else { T::brief }, width: 0 };
        if tensor.rank() > 1 {
            // Columns line up, as far as single elements decide.
            let mut width = 0;
            if whole {
                let distinct = tensor.distinct();
                let data = tensor.storage::<T>().unwrap_or_default();
                for (k, x) in distinct.indices().filter_map(|i| data.get(i)).enumerate() {
                    if k % PACE == 0 {
                        emit("")?;
                    }
                    width = width.max(T::exact(*x).len());
                }
            } else {
                l.walk(&mut vec![], &mut |l, ix| width = width.max(l.element(ix).len()));
            }
            l.width = width.min(24);
        }
        Ok(l)
    }
    fn element(&self, index: &[usize]) -> String {
        self.tensor.get::<T>(index).map(self.text_of).unwrap_or_default()
    }
    /// The positions of an axis that are shown; `None` stands for those left out.
    fn shown(&self, axis: usize) -> impl Iterator<Item = Option<usize>> + use<T> {
        let n = self.tensor.shape().get(axis).copied().unwrap_or(0);
        let (first, gap, last) = match self.edges.get(axis).copied().flatten() {
            Some(edge) => (edge.max(1), true, edge),
            None => (n, false, 0),
        };
        (0..first).map(Some).chain(gap.then_some(None)).chain((n - last..n).map(Some))
    }
    fn walk(&self, index: &mut Vec<usize>, f: &mut impl FnMut(&Self, &[usize])) {
        if index.len() == self.tensor.rank() {
            return f(self, index);
        }
        for i in self.shown(index.len()).flatten() {
            index.push(i);
            self.walk(index, f);
            index.pop();
        }
    }
    fn to<E>(&self, emit: Emit<E>, indent: &'static str) -> Result<(), E> {
        let mut out = Out { text: String::new(), indent, emit };
        self.list(&mut vec![], &mut out)?;
        (out.emit)(&out.text)
    }
    fn list<E>(&self, index: &mut Vec<usize>, out: &mut Out<E>) -> Result<(), E> {
        let depth = index.len();
        if depth == self.tensor.rank() {
            let text = self.element(index);
            out.text.extend(std::iter::repeat_n(' ', self.width.saturating_sub(text.len())));
            out.text.push_str(&text);
            if out.text.len() > PIECE {
                (out.emit)(&out.text)?;
                out.text.clear();
            }
            return Ok(());
        }
        let innermost = depth + 1 == self.tensor.rank();
        out.text.push('[');
        for (k, i) in self.shown(depth).enumerate() {
            if k > 0 {
                out.text.push(',');
                if innermost {
                    out.text.push(' ');
                } else {
                    out.text.push('\n');
                    out.text.push_str(out.indent);
                    out.text.extend(std::iter::repeat_n(' ', depth + 1));
                }
            }
            match i {
                None => out.text.push_str("..."),
                Some(i) => {
                    index.push(i);
                    self.list(index, out)?;
                    index.pop();
                }
            }
        }
        out.text.push(']');
        Ok(())
    }
}

/// For each axis of an array shown in part, how many entries at each end: [`EDGE`], and fewer on the outer axes where so
/// many axes would still make a long text.
fn edges(shape: &[usize]) -> Vec<Option<usize>> {
    let mut edges: Vec<Option<usize>> = shape.iter().map(|&n| (n > 2 * EDGE + 1).then_some(EDGE)).collect();
    let count = |edges: &[Option<usize>]| {
        let one = |(e, &n): (&Option<usize>, &usize)| e.map_or(n, |e| (2 * e).max(1));
        edges.iter().zip(shape).map(one).fold(1, usize::saturating_mul)
    };
    for fewer in [1, 0] {
        for axis in 0..shape.len() {
            if count(&edges) <= IN_PART {
                return edges;
            }
            if shape[axis] > 2 * fewer + 1 {
                edges[axis] = Some(fewer);
            }
        }
    }
    edges
}

/// Minimum, maximum and the number of NaNs; `None` where elements have no order, or so many share one storage place that
/// nobody would wait for it.
fn range<E>(t: &Tensor, emit: Emit<E>) -> Result<Option<String>, E> {
    let once = t.distinct();
    if once.len() / 16 > t.data().len() {
        return Ok(None);
    }
    with_dtype!(t.dtype(), T => {
        let Some(data) = t.storage::<T>() else { return Ok(None) };
        let (mut low, mut high, mut nan) = (None::<(f64, T)>, None::<(f64, T)>, 0usize);
        for (k, i) in once.indices().enumerate() {
            if k % PACE == 0 {
                emit("")?;
            }
            let Some((&x, order)) = data.get(i).and_then(|x| Some((x, x.order()?))) else { return Ok(None) };
            if order.is_nan() {
                nan += 1;
                continue;
            }
            if low.is_none_or(|(o, _)| order < o) {
                low = Some((order, x));
            }
            if high.is_none_or(|(o, _)| order > o) {
                high = Some((order, x));
            }
        }
        let (Some(low), Some(high)) = (low, high) else { return Ok(None) };
        let mut text = format!("min {}, max {}", low.1.brief(), high.1.brief());
        if nan > 0 {
            let _ = write!(text, ", {} nan", nan * (t.len() / once.len().max(1)));
        }
        Ok(Some(text))
    })
}
