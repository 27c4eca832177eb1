//! Views: other extents, strides and offsets over the same storage. Every argument is checked; what no strides can
//! express is copied where its documentation says so.
use super::{Element, Tensor, column_major, element_count, row_major};
use crate::code::Code;
use crate::diag::{Error, Result};
use std::iter::FusedIterator;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo};

/// What a view takes of one axis. Negative positions count from the end, as in NumPy; others must lie inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Slice {
    /// One index; the axis is gone.
    At(isize),
    /// From `start` to before `stop` by `step`, which may be negative; what is `None` is the end in question.
    Range {
        /// The first index.
        start: Option<isize>,
        /// Where it ends, not included.
        stop: Option<isize>,
        /// The distance of two indices that follow each other.
        step: isize,
    },
}
impl Slice {
    /// All of the axis.
    pub const ALL: Slice = Slice::Range { start: None, stop: None, step: 1 };
    /// From `start` to before `stop`, where negative positions count from the end: `Slice::range(1, -1)` leaves out the
    /// first and the last.
    pub fn range(start: impl Into<Option<isize>>, stop: impl Into<Option<isize>>) -> Slice {
        Slice::Range { start: start.into(), stop: stop.into(), step: 1 }
    }
    /// First index, number of indices and step along an axis of a shape; one of 1 for [`Slice::At`].
    ///
    /// # Errors
    /// `E1022` where there is no such axis, `E1023` where the slice leaves it or its step is 0.
    pub fn on(self, axis: usize, shape: &[usize]) -> Result<(usize, usize, isize)> {
        let n = *shape.get(axis).ok_or_else(|| no_axis(axis, shape.len()))?;
        match self {
            Slice::At(i) => match within(i, n, axis)? {
                at if at as usize == n => Err(outside(i, n, axis)),
                at => Ok((at as usize, 1, 1)),
            },
            Slice::Range { start, stop, step } => range(start, stop, step, n, axis),
        }
    }
    /// The same by another step: `Slice::ALL.by(-1)` is the axis backwards.
    pub fn by(self, step: isize) -> Slice {
        match self {
            Slice::At(i) => Slice::At(i),
            Slice::Range { start, stop, .. } => Slice::Range { start, stop, step },
        }
    }
}
impl From<isize> for Slice {
    fn from(i: isize) -> Slice {
        Slice::At(i)
    }
}
impl From<usize> for Slice {
    fn from(i: usize) -> Slice {
        Slice::At(place(i))
    }
}
impl From<RangeFull> for Slice {
    fn from(_: RangeFull) -> Slice {
        Slice::ALL
    }
}
/// An index beyond every axis stays beyond it.
fn place(i: usize) -> isize {
    isize::try_from(i).unwrap_or(isize::MAX)
}
impl From<Range<usize>> for Slice {
    fn from(r: Range<usize>) -> Slice {
        Slice::range(place(r.start), place(r.end))
    }
}
impl From<RangeInclusive<usize>> for Slice {
    fn from(r: RangeInclusive<usize>) -> Slice {
        Slice::range(place(*r.start()), place(*r.end()).saturating_add(1))
    }
}
impl From<RangeFrom<usize>> for Slice {
    fn from(r: RangeFrom<usize>) -> Slice {
        Slice::range(place(r.start), None)
    }
}
impl From<RangeTo<usize>> for Slice {
    fn from(r: RangeTo<usize>) -> Slice {
        Slice::range(None, place(r.end))
    }
}

fn no_axis(axis: usize, rank: usize) -> Error {
    Error::new(Code::E1022, format!("there is no axis {axis}: the tensor has {rank}")).help("axes count from 0")
}
/// `i`, or where it is negative what it counts from the end, between 0 and `n`.
fn within(i: isize, n: usize, axis: usize) -> Result<isize> {
    let from_start = if i < 0 { i.checked_add_unsigned(n) } else { Some(i) };
    from_start.filter(|&i| i >= 0 && i as usize <= n).ok_or_else(|| outside(i, n, axis))
}
fn outside(i: isize, n: usize, axis: usize) -> Error {
    Error::new(Code::E1023, format!("{i} lies outside axis {axis}, whose extent is {n}"))
        .help("positions go from 0 to the extent; negative ones count from the end")
}

impl Tensor {
    /// A part of the tensor, one [`Slice`] an axis; axes that are not named are taken whole. No element is copied.
    ///
    /// ```
    /// # use tfc_ir::{Slice, Tensor};
    /// let a = Tensor::from_rows([[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.slice(&[Slice::At(1), Slice::ALL.by(-1)])?.to_string(), "i32[3] = [6, 5, 4]");
    /// assert_eq!(a.slice(&[(..).into(), (1..).into()])?.to_string(), "i32[2, 2] =\n  [[2, 3],\n   [5, 6]]");
    /// # Ok::<(), tfc_ir::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1022` where there are more slices than axes, `E1023` where one leaves its axis or its step is 0.
    pub fn slice(&self, slices: &[Slice]) -> Result<Tensor> {
        if slices.len() > self.rank() {
            return Err(no_axis(self.rank(), self.rank()).note(format!("{} slices are given", slices.len())));
        }
        let (mut shape, mut strides) = (vec![], vec![]);
        let mut offset = self.offset as isize;
        for (axis, &stride) in self.strides.iter().enumerate() {
            let slice = slices.get(axis).copied().unwrap_or(Slice::ALL);
            let (first, count, step) = slice.on(axis, &self.shape)?;
            // An empty axis begins nowhere.
            offset += if count == 0 { 0 } else { first as isize * stride };
            if !matches!(slice, Slice::At(_)) {
                shape.push(count);
                // A step that leads nowhere may be larger than there are numbers for.
                strides.push(if count > 1 { stride * step } else { stride });
            }
        }
        Ok(self.over(shape, strides, offset))
    }
    /// A part of one axis, the others whole.
    ///
    /// # Errors
    /// As [`Tensor::slice`].
    pub fn slice_axis(&self, axis: usize, slice: impl Into<Slice>) -> Result<Tensor> {
        if axis >= self.rank() {
            return Err(no_axis(axis, self.rank()));
        }
        let mut all = vec![Slice::ALL; axis];
        all.push(slice.into());
        self.slice(&all)
    }
    /// A view that is known to lie in the storage: part of this one.
    fn over(&self, shape: Vec<usize>, mut strides: Vec<isize>, mut offset: isize) -> Tensor {
        if shape.contains(&0) {
            strides.fill(0);
            offset = 0;
        }
        Tensor { data: self.data.clone(), shape, strides, offset: offset as usize }
    }
    /// Axis `i` of the view is axis `perm[i]` of the tensor. No element is copied.
    ///
    /// # Errors
    /// `E1022` where `perm` does not list every axis once.
    pub fn transpose(&self, perm: &[usize]) -> Result<Tensor> {
        self.permuted(perm)
    }
    /// The tensor backwards along these axes. No element is copied.
    ///
    /// # Errors
    /// `E1022` where there is no such axis.
    pub fn reverse(&self, axes: &[usize]) -> Result<Tensor> {
        let mut all = vec![Slice::ALL; self.rank()];
        for &a in axes {
            *all.get_mut(a).ok_or_else(|| no_axis(a, self.rank()))? = Slice::ALL.by(-1);
        }
        self.slice(&all)
    }
    /// The same elements under other extents, both read with the first axis fastest. A view where strides can say it, as
    /// they can of column-major tensors; else a column-major copy.
    ///
    /// ```
    /// # use tfc_ir::Tensor;
    /// let a = Tensor::from_vec_col_major([6], vec![1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.reshape([2, 3])?.to_string(), "i32[2, 3] =\n  [[1, 3, 5],\n   [2, 4, 6]]");
    /// assert_eq!(a.reshape_c([2, 3])?.to_string(), "i32[2, 3] =\n  [[1, 2, 3],\n   [4, 5, 6]]");
    /// # Ok::<(), tfc_ir::Error>(())
    /// ```
    ///
    /// # Errors
    /// `E1020` where the number of elements is another, `E0406` where the shape is too large.
    pub fn reshape(&self, shape: impl AsRef<[usize]>) -> Result<Tensor> {
        let shape = shape.as_ref();
        let n = element_count(shape)?;
        if n != self.len() {
            let text = format!("shape {:?} has {} elements, shape {shape:?} has {n}", self.shape, self.len());
            return Err(Error::new(Code::E1020, text).help("the extents must multiply to the number of elements"));
        }
        let source = match regroup(&self.shape, &self.strides, shape) {
            Some(strides) => return Ok(self.over(shape.to_vec(), strides, self.offset as isize)),
            None => self.dense()?,
        };
        Ok(source.over(shape.to_vec(), column_major(shape), 0))
    }
    /// The same elements under other extents, both read with the last axis fastest; a view or a copy as [`Tensor::reshape`].
    ///
    /// # Errors
    /// As [`Tensor::reshape`].
    pub fn reshape_c(&self, shape: impl AsRef<[usize]>) -> Result<Tensor> {
        let backwards: Vec<usize> = shape.as_ref().iter().rev().copied().collect();
        Ok(self.t().reshape(backwards)?.t())
    }
    /// The tensor repeated to a larger shape by NumPy's rule: axes are matched from the last one on, an extent of 1 is
    /// repeated, axes that are missing in front are new. No element is copied.
    ///
    /// # Errors
    /// `E1026` where an extent is neither 1 nor that of the shape; `E0406` where the shape is too large.
    pub fn broadcast(&self, shape: impl AsRef<[usize]>) -> Result<Tensor> {
        let shape = shape.as_ref();
        element_count(shape)?;
        let fail = || {
            Error::new(Code::E1026, format!("a tensor of shape {:?} does not repeat to shape {shape:?}", self.shape))
                .help("counted from the last axis, each extent must be 1 or that of the shape")
        };
        let new = shape.len().checked_sub(self.rank()).ok_or_else(fail)?;
        let mut strides = vec![0; shape.len()];
        for (axis, (&n, &s)) in self.shape.iter().zip(&self.strides).enumerate() {
            let want = shape[new + axis];
            if n == want {
                strides[new + axis] = s;
            } else if n != 1 {
                return Err(fail());
            }
        }
        Ok(self.over(shape.to_vec(), strides, self.offset as isize))
    }
    /// The elements as they lie in memory, first axis fastest, without a copy.
    ///
    /// # Errors
    /// `E1025` for another dtype, `E1024` where they do not lie so: `t.dense()` makes a copy that does.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        let all = self.storage::<T>().ok_or_else(|| self.other_dtype(T::DTYPE))?;
        let lies = self.is_order(&column_major(&self.shape));
        let (from, to) = (self.offset, self.offset + self.len());
        all.get(if self.is_empty() { 0..0 } else { from..to }).filter(|_| lies).ok_or_else(|| {
            Error::new(
                Code::E1024,
                format!("the elements of this {:?} view do not lie one after the other", self.shape),
            )
            .note(format!("its strides are {:?}, first axis first", self.strides))
            .help("`dense()` makes a tensor whose elements do, first axis fastest")
        })
    }
    /// `E1025`: elements of another dtype are asked for.
    pub(crate) fn other_dtype(&self, want: crate::DType) -> Error {
        Error::new(Code::E1025, format!("the tensor is {}, not {want}", self.dtype()))
            .help(format!("ask for {}, or convert it first", self.dtype()))
    }
    /// The elements in logical order (last axis fastest).
    ///
    /// # Errors
    /// `E1025` for another dtype.
    pub fn iter<T: Element>(&self) -> Result<Iter<'_, T>> {
        let data = self.storage::<T>().ok_or_else(|| self.other_dtype(T::DTYPE))?;
        Ok(Iter::over(self, data))
    }
    /// The elements in logical order, copied.
    ///
    /// # Errors
    /// `E1025` for another dtype, `E0705` where the memory cannot be had.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let all = self.storage::<T>().ok_or_else(|| self.other_dtype(T::DTYPE))?;
        let mut v = super::buffer(self.len())?;
        if self.is_order(&row_major(&self.shape)) {
            v.extend_from_slice(&all[self.offset..self.offset + self.len()]);
        } else if let Some(&first) = all.get(self.offset).filter(|_| !self.is_empty()) {
            v.resize(self.len(), first);
            self.turn(all, &mut v);
        }
        Ok(v)
    }
    /// Writes the elements, of which there are some, in logical order. Where another axis than the last is the one whose elements lie side
    /// by side, by squares, so that whole cache lines are read as well as written.
    fn turn<T: Element>(&self, from: &[T], to: &mut [T]) {
        const SQUARE: usize = 16;
        let Some(last) = self.rank().checked_sub(1) else { return };
        let (count, step) = (self.shape[last], self.strides[last]);
        let side = (0..last).find(|&a| self.strides[a] == 1 && self.shape[a] > 1).filter(|_| step != 1);
        // The other axes, each at its first index.
        let mut outer = self.clone();
        outer.shape[last] = 1;
        let (mut rows, mut across) = (1, 0);
        if let Some(a) = side {
            rows = std::mem::replace(&mut outer.shape[a], 1);
            across = row_major(&self.shape)[a] as usize;
        }
        // Where the rows of the result begin, in the order in which the other axes are walked.
        let mut places =
            Tensor { shape: outer.shape.clone(), strides: row_major(&self.shape), offset: 0, ..outer.clone() };
        places.shape[last] = 1;
        for (at, place) in outer.indices().zip(places.indices()) {
            for r0 in (0..rows).step_by(SQUARE) {
                for c0 in (0..count).step_by(if side.is_some() { SQUARE } else { count }) {
                    let columns = if side.is_some() { SQUARE.min(count - c0) } else { count };
                    for r in r0..rows.min(r0 + SQUARE) {
                        let line = place + r * across + c0;
                        let begin = (at + r) as isize + c0 as isize * step;
                        for (c, x) in to[line..line + columns].iter_mut().enumerate() {
                            *x = from[(begin + c as isize * step) as usize];
                        }
                    }
                }
            }
        }
    }
}

/// First index, count and step.
fn range(
    start: Option<isize>,
    stop: Option<isize>,
    step: isize,
    n: usize,
    axis: usize,
) -> Result<(usize, usize, isize)> {
    if step == 0 {
        return Err(
            Error::new(Code::E1023, format!("the step along axis {axis} is 0")).help("use a step of 1, or of -1")
        );
    }
    let end = place(n);
    // Backwards, positions name elements, of which the first one taken is the last.
    let (first, past) = if step > 0 {
        (start.map_or(Ok(0), |i| within(i, n, axis))?, stop.map_or(Ok(end), |i| within(i, n, axis))?)
    } else {
        let first = start.map_or(Ok(end - 1), |i| within(i, n, axis))?;
        (first.min(end - 1), stop.map_or(Ok(-1), |i| within(i, n, axis))?)
    };
    let way = if step > 0 { past - first } else { first - past };
    let by = step.unsigned_abs();
    Ok((first.max(0) as usize, (way.max(0) as usize).div_ceil(by), step))
}

/// The strides under which elements that lie as `shape` and `strides` say are those of `to`, both with the first axis
/// fastest; `None` where there are none. Both have the same number of elements.
fn regroup(shape: &[usize], strides: &[isize], to: &[usize]) -> Option<Vec<isize>> {
    if to.contains(&0) {
        return Some(column_major(to));
    }
    let old: Vec<(usize, isize)> = shape.iter().copied().zip(strides.iter().copied()).filter(|a| a.0 != 1).collect();
    let mut new = vec![1; to.len()];
    let (mut i, mut k) = (0, 0);
    while let Some(&n) = to.get(k) {
        if n == 1 {
            k += 1;
            continue;
        }
        // The shortest runs of axes that have as many elements.
        let (mut have, mut want, mut j, mut l) = (old.get(i)?.0, n, i + 1, k + 1);
        while have != want {
            if have < want {
                have *= old.get(j)?.0;
                j += 1;
            } else {
                want *= to.get(l)?;
                l += 1;
            }
        }
        let dense = old[i..j].windows(2).all(|w| w[1].1 == (w[0].0 as isize).wrapping_mul(w[0].1));
        if !dense {
            return None;
        }
        let mut s = old[i].1;
        for m in k..l {
            new[m] = s;
            s = s.wrapping_mul(to[m] as isize);
        }
        (i, k) = (j, l);
    }
    Some(new)
}

/// See [`Tensor::iter`].
#[derive(Clone, Debug)]
pub struct Iter<'a, T> {
    data: &'a [T],
    at: super::Indices<'a>,
    left: usize,
}
impl<'a, T> Iter<'a, T> {
    /// Over the elements of `t`, whose storage is `data`.
    pub(super) fn over(t: &'a Tensor, data: &'a [T]) -> Iter<'a, T> {
        Iter { data, at: t.indices(), left: t.len() }
    }
}
impl<T: Copy> Iterator for Iter<'_, T> {
    type Item = T;
    #[inline]
    fn next(&mut self) -> Option<T> {
        let x = self.data.get(self.at.next()?).copied()?;
        self.left -= 1;
        Some(x)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}
impl<T: Copy> ExactSizeIterator for Iter<'_, T> {}
impl<T: Copy> FusedIterator for Iter<'_, T> {}
