//! Linear algebra, one matrix at a time, by the functions that the CPU engine calls.
use super::OpCx;
use super::grid::{Grid, each};
use crate::linalg::{self, Failed, Field, Kind};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::{Mat, MatMut};
use tfc_ir::ops::linalg::Triangular;
use tfc_ir::tensor::{buffer, element_count, row_major};
use tfc_ir::{C32, C64, DType, Element, Error, Result, Tensor};

/// Runs `$f::<T>($cx)` for the dtype of operand 0.
macro_rules! by_field {
    ($cx:expr, $f:ident) => {
        match $cx.arg(0)?.dtype() {
            DType::F32 => $f::<f32>($cx),
            DType::F64 => $f::<f64>($cx),
            DType::C32 => $f::<C32>($cx),
            DType::C64 => $f::<C64>($cx),
            d => Err(Error::new("E0801", format!("`{}` is not defined on {d}", $cx.op().def.name))),
        }
    };
}
pub(super) fn svd(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    by_field!(cx, svd_of)
}
fn svd_of<T: Field>(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let a = Batch::<T>::of(cx, 0)?;
    let (m, n) = (a.m, a.n);
    let k = m.min(n);
    let (mut u, mut s, mut vt) =
        (Parts::new(m, k, &a.batch)?, Parts::new(k, 1, &a.batch)?, Parts::new(k, n, &a.batch)?);
    let mut memory = memory::<T>(cx, Kind::Svd, m, n)?;
    a.for_each(cx, Kind::Svd, |x| {
        let r = linalg::svd(x.as_ref(), u.next(), s.next(), vt.next(), MemStack::new(&mut memory));
        if r.is_err() {
            u.spoil(T::nan());
            s.spoil(T::part_nan());
            vt.spoil(T::nan());
        }
        r
    })?;
    Ok(vec![u.tensor(), s.vectors(), vt.tensor()])
}

pub(super) fn qr(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    by_field!(cx, qr_of)
}
/// With a third result, that is the permutation.
fn qr_of<T: Field>(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let a = Batch::<T>::of(cx, 0)?;
    let (m, n) = (a.m, a.n);
    let k = m.min(n);
    let pivoted = cx.op().results.len() > 2;
    let kind = if pivoted { Kind::QrPivoted } else { Kind::Qr };
    let (mut q, mut r) = (Parts::new(m, k, &a.batch)?, Parts::new(k, n, &a.batch)?);
    let mut p = if pivoted { Some(Parts::<i64>::new(n, 1, &a.batch)?) } else { None };
    let mut memory = memory::<T>(cx, kind, m, n)?;
    a.for_each(cx, kind, |x| {
        let p = p.as_mut().map(Parts::next);
        let done = linalg::qr(x.as_ref(), q.next(), r.next(), p, MemStack::new(&mut memory));
        if done.is_err() {
            q.spoil(T::nan());
            r.spoil(T::nan());
        }
        done
    })?;
    Ok([q.tensor(), r.tensor()].into_iter().chain(p.map(Parts::vectors)).collect())
}
pub(super) fn eigh(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    by_field!(cx, eigh_of)
}
fn eigh_of<T: Field>(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let a = Batch::<T>::of(cx, 0)?;
    let n = a.n;
    let by_modulus = cx.attrs().word("order") == Some("modulus");
    let (mut w, mut v) = (Parts::new(n, 1, &a.batch)?, Parts::new(n, n, &a.batch)?);
    let mut memory = memory::<T>(cx, Kind::Eigh(by_modulus), n, n)?;
    a.for_each(cx, Kind::Eigh(by_modulus), |x| {
        let r = linalg::eigh(x.as_ref(), w.next(), v.next(), by_modulus, MemStack::new(&mut memory));
        if r.is_err() {
            w.spoil(T::part_nan());
            v.spoil(T::nan());
        }
        r
    })?;
    Ok(vec![w.vectors(), v.tensor()])
}
pub(super) fn triangular_solve(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    by_field!(cx, triangular_of)
}
fn triangular_of<T: Field>(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (a, b) = (Batch::<T>::of(cx, 0)?, Batch::<T>::of(cx, 1)?);
    let mut x = Parts::new(b.m, b.n, &b.batch)?;
    let t = Triangular::of(cx.attrs());
    each(&b.batch, |ix| linalg::triangular_solve(a.at(ix).as_ref(), b.at(ix).as_ref(), x.next(), t));
    Ok(vec![x.tensor()])
}

/// Scratch for a matrix.
fn memory<T: Field>(cx: &OpCx, kind: Kind, m: usize, n: usize) -> Result<MemBuffer> {
    let need = kind.scratch::<T>(m, n);
    let bytes = need.unaligned_bytes_required();
    cx.room(&[bytes], DType::Bool)?;
    let none = |_| Error::new("E0705", format!("out of memory: {bytes} bytes could not be allocated"));
    MemBuffer::try_new(need).map_err(none)
}
/// The matrices of an operand.
struct Batch<'a, T> {
    grid: Grid<'a, T>,
    m: usize,
    n: usize,
    batch: Vec<usize>,
}
impl<T: Field> Batch<'_, T> {
    fn of<'a>(cx: &'a OpCx, i: usize) -> Result<Batch<'a, T>> {
        let t = cx.arg(i)?;
        let &[m, n, ref batch @ ..] = t.shape() else {
            return Err(Error::new("E0718", format!("`{}` got no matrix", cx.op().def.name)));
        };
        Ok(Batch { grid: Grid::of(t)?, m, n, batch: batch.to_vec() })
    }
    fn at(&self, index: &[usize]) -> Mat<T> {
        let mut ix = [&[0, 0], index].concat();
        Mat::from_fn(self.m, self.n, |i, j| {
            (ix[0], ix[1]) = (i, j);
            self.grid.at(&ix)
        })
    }
    /// Calls `f` for each matrix; fails where it does, unless NaN is asked for.
    fn for_each(
        &self,
        cx: &OpCx,
        kind: Kind,
        mut f: impl FnMut(Mat<T>) -> std::result::Result<(), Failed>,
    ) -> Result<()> {
        let nan = cx.attrs().word("on_fail") == Some("nan");
        let mut first = None;
        each(&self.batch, |ix| {
            if f(self.at(ix)).is_err() && !nan && first.is_none() {
                first = Some(ix.to_vec());
            }
        });
        first.map_or(Ok(()), |ix| Err(kind.failed(Some(&ix))))
    }
}
/// Matrices being made, one after the other in the order of [`each`].
struct Parts<T> {
    m: usize,
    n: usize,
    batch: Vec<usize>,
    data: Vec<T>,
    done: usize,
}
impl<T: Element> Parts<T> {
    fn new(m: usize, n: usize, batch: &[usize]) -> Result<Parts<T>> {
        let len = element_count(&[&[m, n], batch].concat())?;
        let mut data = buffer(len)?;
        data.resize(len, T::default());
        Ok(Parts { m, n, batch: batch.to_vec(), data, done: 0 })
    }
    /// The next matrix.
    fn next(&mut self) -> MatMut<'_, T> {
        let size = self.m * self.n;
        let at = self.done * size;
        self.done += 1;
        MatMut::from_column_major_slice_mut(&mut self.data[at..at + size], self.m, self.n)
    }
    /// Fills the matrix that [`Parts::next`] gave last.
    fn spoil(&mut self, x: T) {
        let size = self.m * self.n;
        self.data[(self.done - 1) * size..self.done * size].fill(x);
    }
    fn strided(self, shape: &[usize], mut strides: Vec<isize>) -> Tensor {
        let size = (self.m * self.n) as isize;
        strides.extend(row_major(&self.batch).iter().map(|s| s * size));
        Tensor::with_strides(&[shape, &self.batch].concat(), strides, 0, self.data)
    }
    fn tensor(self) -> Tensor {
        let (m, n) = (self.m, self.n);
        self.strided(&[m, n], vec![1, m as isize])
    }
    /// Without the second axis, which is 1.
    fn vectors(self) -> Tensor {
        let m = self.m;
        self.strided(&[m], vec![1])
    }
}
