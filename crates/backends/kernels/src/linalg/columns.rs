//! A matrix in memory of its own, column after column: what factorisations written out here work on.
use faer::dyn_stack::{DynArray, MemStack, StackReq};
use faer::{MatMut, MatRef};
use std::ops::{Index, IndexMut};

use super::Field;

/// `m` rows, columns side by side.
pub(super) struct Columns<'a, T> {
    data: DynArray<'a, T>,
    m: usize,
}
impl<'a, T: Field> Columns<'a, T> {
    /// Memory for one of `m × n`.
    pub(super) fn scratch(m: usize, n: usize) -> StackReq {
        StackReq::new::<T>(m.saturating_mul(n))
    }
    /// Zeros, and the memory behind them.
    pub(super) fn zeros(m: usize, n: usize, stack: &'a mut MemStack) -> (Columns<'a, T>, &'a mut MemStack) {
        let (data, rest) = stack.make_with(m * n, |_| T::zero_impl());
        (Columns { data, m }, rest)
    }
    /// Column `j`.
    pub(super) fn column(&mut self, j: usize) -> &mut [T] {
        &mut self.data[j * self.m..(j + 1) * self.m]
    }
    /// Column `j`, to read.
    pub(super) fn read(&self, j: usize) -> &[T] {
        &self.data[j * self.m..(j + 1) * self.m]
    }
    /// Column `i` to read, and column `j > i` to write.
    pub(super) fn two(&mut self, i: usize, j: usize) -> (&[T], &mut [T]) {
        let (head, tail) = self.data.split_at_mut(j * self.m);
        (&head[i * self.m..(i + 1) * self.m], &mut tail[..self.m])
    }
    /// Replaces each pair of elements of rows `i` and `j`, in columns `from..to`, by what `f` makes of the pair.
    pub(super) fn in_rows(&mut self, i: usize, j: usize, from: usize, to: usize, f: impl Fn(T, T) -> (T, T)) {
        for c in from..to {
            let at = c * self.m;
            (self.data[at + i], self.data[at + j]) = f(self.data[at + i], self.data[at + j]);
        }
    }
    /// Replaces each pair of elements of two columns, in rows `from..to`, as [`Columns::in_rows`] does.
    pub(super) fn in_columns(&mut self, i: usize, j: usize, from: usize, to: usize, f: impl Fn(T, T) -> (T, T)) {
        for r in from..to {
            let (p, q) = (i * self.m + r, j * self.m + r);
            (self.data[p], self.data[q]) = f(self.data[p], self.data[q]);
        }
    }
    /// All elements.
    pub(super) fn all(&mut self) -> &mut [T] {
        &mut self.data
    }
    /// All elements, to read.
    pub(super) fn elements(&self) -> &[T] {
        &self.data
    }
    /// The number of rows.
    pub(super) fn order(&self) -> usize {
        self.m
    }
    /// Takes the elements of a matrix of other numbers.
    pub(super) fn load<S: Field>(&mut self, a: MatRef<S>) {
        for j in 0..a.ncols() {
            for i in 0..a.nrows() {
                let (re, im) = a[(i, j)].parts();
                self[(i, j)] = T::of_parts(re, im);
            }
        }
    }
    /// Gives them, each times `by`, to a matrix of other numbers.
    pub(super) fn store<S: Field>(&self, mut to: MatMut<S>, by: f64) {
        for j in 0..to.ncols() {
            for i in 0..to.nrows() {
                let (re, im) = self[(i, j)].parts();
                to[(i, j)] = S::of_parts(re * by, im * by);
            }
        }
    }
}
impl<T> Index<(usize, usize)> for Columns<'_, T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.data[i + j * self.m]
    }
}
impl<T> IndexMut<(usize, usize)> for Columns<'_, T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.data[i + j * self.m]
    }
}
