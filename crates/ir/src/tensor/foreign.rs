//! Tensors of memory that somebody else owns, and the way back: what the doors for C and for PJRT have in common.
use std::ptr::NonNull;
use std::sync::Arc;

use super::{Element, Tensor, column_major, element_count};
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::dtype::DType;
use crate::small::Small;
use crate::storage::Storage;
use crate::{with_dtype, with_small_int};

/// Where the elements of a buffer lie, from the one at index 0, …, 0 on; steps are counted in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    dtype: DType,
    shape: Vec<usize>,
    strides: Vec<isize>,
    /// Elements before and behind the first one that belong to it.
    before: usize,
    after: usize,
}
impl Layout {
    /// Of these extents and steps; without steps, the first axis is fastest.
    ///
    /// # Errors
    /// `E1042` steps that are not as many as extents, or that reach too far; `E0405` more elements than can be counted.
    pub fn new(dtype: DType, shape: Vec<usize>, strides: Option<Vec<isize>>) -> Result<Layout> {
        let wrong = |what: String| Error::new(Code::E1042, what).help("a buffer has a step for each axis, in elements");
        element_count(&shape)?;
        let strides = strides.unwrap_or_else(|| column_major(&shape));
        if strides.len() != shape.len() {
            return Err(wrong(format!("a buffer has {} extents and {} strides", shape.len(), strides.len())));
        }
        let (mut before, mut after) = (0usize, 0usize);
        if !shape.contains(&0) {
            for (&n, &s) in shape.iter().zip(&strides) {
                let reach = (n - 1).checked_mul(s.unsigned_abs());
                let side = if s < 0 { &mut before } else { &mut after };
                let sum = reach.and_then(|r| side.checked_add(r)).filter(|&r| r < isize::MAX as usize / 32);
                *side = sum.ok_or_else(|| wrong(format!("the strides of a buffer, {strides:?}, reach too far")))?;
            }
        }
        Ok(Layout { dtype, shape, strides, before, after })
    }
    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }
    /// Its extents.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }
    /// Do the elements fill the memory from the first to the last of them? What lies between them otherwise is not ours to look at.
    fn is_gapless(&self) -> bool {
        let mut axes: Vec<(usize, usize)> =
            self.shape.iter().zip(&self.strides).filter(|a| *a.0 > 1).map(|(&n, s)| (s.unsigned_abs(), n)).collect();
        axes.sort_unstable();
        // How many elements in a row the axes so far reach; copies of that row leave no gap if they begin within or right behind it.
        let mut row = 1;
        axes.into_iter().all(|(s, n)| {
            let meets = s <= row;
            row += s * (n - 1);
            meets
        })
    }
    /// Where each element lies from the one at index 0, …, 0, in elements, the first axis fastest.
    fn places(&self) -> impl Iterator<Item = isize> {
        let count = if self.is_empty() { 0 } else { self.shape.iter().product() };
        let mut index = vec![0usize; self.shape.len()];
        (0..count).map(move |_| {
            let at = index.iter().zip(&self.strides).map(|(&i, &s)| i as isize * s).sum();
            for (i, &n) in index.iter_mut().zip(&self.shape) {
                *i += 1;
                if *i < n {
                    break;
                }
                *i = 0;
            }
            at
        })
    }
    /// The axes from the slowest to the fastest, where the elements lie side by side in that order.
    fn order(&self) -> Option<Vec<usize>> {
        let mut axes: Vec<usize> = (0..self.shape.len()).collect();
        axes.sort_by_key(|&a| (self.shape[a] > 1, self.strides[a]));
        let mut next = 1;
        for &a in axes.iter().filter(|&&a| self.shape[a] > 1) {
            if self.strides[a] != next {
                return None;
            }
            next *= self.shape[a] as isize;
        }
        axes.reverse();
        Some(axes)
    }
}

/// A tensor of elements that lie at `data`: without a copy where they are aligned, with nothing between them. Only bytes of elements
/// are read.
///
/// # Errors
/// `E1042` a byte other than 0 and 1 of `bool`, or no memory where there are elements; `E0705` where the memory of a copy cannot be had.
///
/// # Safety
/// Until `owner` is dropped, the elements of the layout are there and written by nobody.
pub unsafe fn borrowed(data: *mut u8, l: Layout, owner: Box<dyn Send + Sync>) -> Result<Tensor> {
    if l.is_empty() {
        return Tensor::zeros(l.dtype, &l.shape);
    }
    let nothing = || Error::new(Code::E1042, "a buffer with elements has no memory").help("say where they lie");
    if data.is_null() {
        return Err(nothing());
    }
    // Other bytes than 0 and 1 are no `bool`.
    // SAFETY: an element of the layout, by contract.
    if l.dtype == DType::Bool && l.places().any(|at| unsafe { data.offset(at).read() } > 1) {
        let e = Error::new(Code::E1042, "a buffer of bool holds another byte than 0 and 1");
        return Err(e.help("0 is false, 1 is true"));
    }
    if l.dtype.is_tiny() && l.dtype.bits() < 8 {
        // Of others' bytes only the lowest bits count, which is not so of the tensor's.
        // SAFETY: an element of the layout.
        let bytes: Vec<u8> = l.places().map(|at| unsafe { data.offset(at).read() }).collect();
        let reversed: Vec<usize> = l.shape.iter().rev().copied().collect();
        return Ok(Tensor::from_small_bytes(l.dtype, &reversed, &bytes)?.t());
    }
    with_dtype!(l.dtype, T => {
        let first = data.cast::<T>();
        if first.is_aligned() && l.is_gapless() {
            let lowest = NonNull::new(first.wrapping_sub(l.before)).ok_or_else(nothing)?;
            // SAFETY: aligned, there without gaps, valid, and left alone, by contract.
            let s = unsafe { Storage::foreign(lowest, l.before + l.after + 1, owner) }?;
            return Tensor::view(T::wrap(Arc::new(s)), l.shape, l.strides, l.before);
        }
        let mut copied = super::buffer(l.shape.iter().product())?;
        // SAFETY: an element of the layout, if at an odd address.
        copied.extend(l.places().map(|at| unsafe { first.offset(at).read_unaligned() }));
        Tensor::from_column_major(&l.shape, copied)
    })
}
/// A copy with memory of its own, whose elements lie in the same order where that has no gaps.
///
/// # Errors
/// `E0705` where the memory cannot be had.
pub fn copied(t: &Tensor) -> Result<Tensor> {
    let l = Layout::new(t.dtype(), t.shape().to_vec(), Some(t.strides().to_vec()))?;
    let order = l.order().unwrap_or_else(|| (0..t.rank()).rev().collect());
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(i, &a)| back[a] = i);
    let turned = t.permuted(&order)?;
    with_dtype!(t.dtype(), T => Tensor::from_logical(turned.shape(), turned.to_vec::<T>()?)?.permuted(&back))
}
/// Writes the elements of a tensor to where a layout of its dtype and shape has them.
///
/// # Errors
/// `E1043` another dtype or shape; `E0705` where memory cannot be had.
///
/// # Safety
/// The elements of the layout, from `data` on, may be written, and none of them is the tensor's.
pub unsafe fn write(t: &Tensor, data: *mut u8, l: &Layout) -> Result<()> {
    if l.dtype != t.dtype() || l.shape != t.shape() {
        let e = Error::new(
            Code::E1043,
            format!("it is {}{:?}; its buffer is {}{:?}", t.dtype(), t.shape(), l.dtype, l.shape),
        );
        return Err(e.help("give a buffer of that type"));
    }
    if t.is_empty() {
        return Ok(());
    }
    if t.dtype().is_tiny() && t.dtype().is_signed() {
        // Others' bytes hold the lowest bits alone.
        let bits =
            with_small_int!(t.dtype(), T => t.to_vec::<T>()?.iter().map(|x| x.bits() as u8).collect(), _ => vec![]);
        let (bits, l) = (Tensor::from_logical(t.shape(), bits)?, Layout { dtype: DType::U8, ..l.clone() });
        // SAFETY: bytes of the same places.
        return unsafe { write(&bits, data, &l) };
    }
    fn bytes<T: Element>(from: &[T]) -> (*const u8, usize) {
        (from.as_ptr().cast(), size_of_val(from))
    }
    with_dtype!(l.dtype, T => {
        if let Some(mut order) = l.order() {
            order.reverse();
            let turned = t.permuted(&order)?;
            let made;
            let all = match turned.as_slice::<T>() {
                Ok(all) => all,
                Err(_) => {
                    made = turned.t().to_vec::<T>()?;
                    &made
                }
            };
            let (from, size) = bytes(all);
            // SAFETY: both are dense in one order, with as many elements; they do not overlap, by contract.
            unsafe { std::ptr::copy_nonoverlapping(from, data, size) };
            return Ok(());
        }
        let (from, to) = (t.storage::<T>().unwrap_or_default(), data.cast::<T>());
        for (from, place) in t.t().indices().filter_map(|at| from.get(at)).zip(l.places()) {
            // SAFETY: an element that the buffer has.
            unsafe { to.offset(place).write_unaligned(*from) };
        }
        Ok(())
    })
}
