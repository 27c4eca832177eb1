//! `gather`, `scatter`: one element after the other, in logical order.
use super::OpCx;
use super::grid::{Grid, build, each, every, typed};
use tfc_ir::ops::index::IndexDims;
use tfc_ir::small::*;
use tfc_ir::{BF16, C32, C64, Code, DType, Element, Error, F16, Result, Tensor, for_tiny_floats, for_tiny_ints};
use tfc_kernels::scalar::num::Real;

/// Integers of any dtype, as mathematical ones.
enum Indices<'a> {
    I32(Grid<'a, i32>),
    I64(Grid<'a, i64>),
    U32(Grid<'a, u32>),
    U64(Grid<'a, u64>),
}
impl<'a> Indices<'a> {
    fn of(t: &'a Tensor) -> Result<Indices<'a>> {
        Ok(match t.dtype() {
            DType::I32 => Indices::I32(Grid::of(t)?),
            DType::I64 => Indices::I64(Grid::of(t)?),
            DType::U32 => Indices::U32(Grid::of(t)?),
            DType::U64 => Indices::U64(Grid::of(t)?),
            d => return Err(Error::bug(Code::E0718, format!("{d} is no index"))),
        })
    }
    fn at(&self, ix: &[usize]) -> i128 {
        match self {
            Indices::I32(g) => g.at(ix).into(),
            Indices::I64(g) => g.at(ix).into(),
            Indices::U32(g) => g.at(ix).into(),
            Indices::U64(g) => g.at(ix).into(),
        }
    }
}
/// From an element of the result of `gather` (of the updates of `scatter`) to the element of the operand.
struct Places<'a> {
    dims: IndexDims,
    index: Indices<'a>,
    index_rank: usize,
    operand: Vec<usize>,
    /// Sizes of a window.
    sizes: Vec<usize>,
    batch_axes: Vec<usize>,
    window_axes: Vec<usize>,
    clamp: bool,
}
impl<'a> Places<'a> {
    /// `windowed` is the shape of the result or of the updates.
    fn new(dims: IndexDims, x: &Tensor, index: &'a Tensor, windowed: &[usize], clamp: bool) -> Result<Places<'a>> {
        let window_axes = dims.window_axes(x.rank());
        let mut sizes = vec![1; x.rank()];
        for (&a, &w) in window_axes.iter().zip(&dims.window) {
            sizes[a] = windowed[w];
        }
        Ok(Places {
            batch_axes: dims.batch_axes(windowed.len()),
            window_axes,
            index: Indices::of(index)?,
            index_rank: index.rank(),
            operand: x.shape().to_vec(),
            sizes,
            dims,
            clamp,
        })
    }
    /// The element for `ix`; `None` where the window leaves the operand.
    fn find(&self, ix: &[usize]) -> Option<Vec<usize>> {
        let d = &self.dims;
        // The place in the indices, up to the component.
        let mut at = vec![0; self.index_rank];
        for (&a, &b) in d.index_axes(self.index_rank).iter().zip(&self.batch_axes) {
            at[a] = ix[b];
        }
        let mut start = vec![0i128; self.operand.len()];
        for (k, &a) in d.map.iter().enumerate() {
            if d.vector < self.index_rank {
                at[d.vector] = k;
            }
            start[a] = self.index.at(&at);
        }
        for (&a, &b) in d.batch.iter().zip(&d.index_batch) {
            start[a] = at[b] as i128;
        }
        for (a, s) in start.iter_mut().enumerate() {
            let last = self.operand[a] as i128 - self.sizes[a] as i128;
            if last < 0 || (!self.clamp && !(0..=last).contains(s)) {
                return None;
            }
            *s = (*s).clamp(0, last);
        }
        let mut out: Vec<usize> = start.into_iter().map(|s| s as usize).collect();
        for (&a, &w) in self.window_axes.iter().zip(&d.window) {
            out[a] += ix[w];
        }
        Some(out)
    }
}

pub(super) fn gather(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let (x, index) = (cx.arg(0)?, cx.arg(1)?);
    let dims = IndexDims::of_gather(cx.attrs(), cx.func().ty(cx.op().operands[1]));
    let clamp = cx.attrs().word("out_of_bounds") != Some("zero");
    let at = Places::new(dims, x, index, &shape, clamp)?;
    typed!(dtype, T => {
        let g = Grid::<T>::of(x)?;
        Ok(vec![build(&shape, |ix| at.find(ix).map_or(T::default(), |p| g.at(&p)))?])
    })
}

/// What `combine` does to an element and an update.
type Both<T> = fn(T, T) -> T;
trait Combine: Element {
    /// `add`, `mul`, `min`, `max`, where the type has them; small ones come widened where they are combined.
    const BOTH: [Option<Both<Self>>; 4];
    fn combine(word: &str) -> Option<Both<Self>> {
        match ["add", "mul", "min", "max"].iter().position(|w| *w == word) {
            Some(k) => Self::BOTH[k],
            None => Some(|_, b| b),
        }
    }
}
macro_rules! combine {
    ($($t:ident $add:expr, $mul:expr, $min:expr, $max:expr;)*) => { $(impl Combine for $t {
        const BOTH: [Option<Both<$t>>; 4] = [$add, $mul, $min, $max];
    })* };
}
combine! {
    bool None, None, Some(|a, b| a & b), Some(|a, b| a | b);
    i32 Some(i32::wrapping_add), Some(i32::wrapping_mul), Some(Ord::min), Some(Ord::max);
    i64 Some(i64::wrapping_add), Some(i64::wrapping_mul), Some(Ord::min), Some(Ord::max);
    u32 Some(u32::wrapping_add), Some(u32::wrapping_mul), Some(Ord::min), Some(Ord::max);
    u64 Some(u64::wrapping_add), Some(u64::wrapping_mul), Some(Ord::min), Some(Ord::max);
    f32 Some(|a, b| a + b), Some(|a, b| a * b), Some(Real::fmin), Some(Real::fmax);
    f64 Some(|a, b| a + b), Some(|a, b| a * b), Some(Real::fmin), Some(Real::fmax);
    i8 None, None, None, None;
    i16 None, None, None, None;
    u8 None, None, None, None;
    u16 None, None, None, None;
    BF16 None, None, None, None;
    F16 None, None, None, None;
    C32 Some(|a, b| a + b), Some(|a, b| a * b), None, None;
    C64 Some(|a, b| a + b), Some(|a, b| a * b), None, None;
}

macro_rules! moved {
    ($($t:ident),*) => { combine! { $($t None, None, None, None;)* } };
}
for_tiny_ints!(moved);
for_tiny_floats!(moved);

/// `scatter` by a region.
fn scatter_by_region(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (x, index, u) = (cx.arg(0)?.clone(), cx.arg(1)?.clone(), cx.arg(2)?.clone());
    let dims = IndexDims::of_scatter(cx.attrs(), cx.func().ty(cx.op().operands[1]));
    let clamp = cx.attrs().word("out_of_bounds") == Some("clamp");
    let at = Places::new(dims, &x, &index, u.shape(), clamp)?;
    let mut places = vec![];
    each(u.shape(), |ix| places.extend(at.find(ix).map(|p| (ix.to_vec(), p))));
    every!(x.dtype(), T => {
        let (shape, g) = (x.shape(), Grid::<T>::of(&u)?);
        let mut out = x.to_logical::<T>().unwrap_or_default();
        for (ix, p) in places {
            let k = p.iter().zip(shape).fold(0, |k, (&i, &n)| k * n + i);
            let r = cx.region(0, &[Tensor::scalar(out[k]), Tensor::scalar(g.at(&ix))])?;
            let r = r.first().and_then(|r| r.item::<T>());
            out[k] = r.ok_or_else(|| Error::bug(Code::E0718, "`combine` yields one element"))?;
        }
        Ok(vec![Tensor::from_logical(shape, out)?])
    })
}
pub(super) fn scatter(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    if !cx.op().regions.is_empty() {
        return scatter_by_region(cx);
    }
    let (x, index, u) = (cx.arg(0)?, cx.arg(1)?, cx.arg(2)?);
    let dims = IndexDims::of_scatter(cx.attrs(), cx.func().ty(cx.op().operands[1]));
    let clamp = cx.attrs().word("out_of_bounds") == Some("clamp");
    let word = cx.attrs().word("combine").unwrap_or("set");
    let at = Places::new(dims, x, index, u.shape(), clamp)?;
    typed!(x.dtype(), T => {
        let f = T::combine(word).ok_or_else(|| Error::new(Code::E0801, format!("`scatter` by `{word}` on {}", T::DTYPE)))?;
        let (shape, g) = (x.shape(), Grid::<T>::of(u)?);
        let mut out = x.to_logical::<T>().unwrap_or_default();
        each(u.shape(), |ix| {
            if let Some(p) = at.find(ix) {
                let k = p.iter().zip(shape).fold(0, |k, (&i, &n)| k * n + i);
                out[k] = f(out[k], g.at(ix));
            }
        });
        Ok(vec![Tensor::from_logical(shape, out)?])
    })
}
