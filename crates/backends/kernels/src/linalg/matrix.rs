//! Matrices whose element type is known when a program runs: what factorisations read and write. Engines make them of memory
//! or of tensors; a factorisation asks for the type that it computes with.
use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};
use tfc_ir::tensor::{buffer, element_count};
use tfc_ir::{C32, C64, DType, Element, Result, Tensor};

use super::Failed;

/// A matrix in memory: the address of its first element, extents, strides in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Raw {
    /// Address of the first element; aligned for the element type.
    pub address: *mut u8,
    /// Rows and columns.
    pub dims: [usize; 2],
    /// From row to row and from column to column: multiples of the size of an element.
    pub strides: [isize; 2],
}
/// Matrices that are factored at once, at most: the lanes of the longest vector.
pub const LANES: usize = 16;
/// Matrices of one operand or result: extents and strides (in bytes) of all, and the first element of each.
#[derive(Clone, Copy, Debug)]
pub struct Many {
    /// Addresses of the first elements; null where there are fewer matrices.
    pub first: [*mut u8; LANES],
    /// Rows and columns.
    pub dims: [usize; 2],
    /// From row to row and from column to column.
    pub strides: [isize; 2],
}
impl Many {
    /// None.
    pub const NONE: Many = Many { first: [std::ptr::null_mut(); LANES], dims: [0; 2], strides: [0; 2] };
}
/// An element type of matrices.
pub(super) trait Entry: Element {
    /// What a matrix holds that could not be computed.
    const SPOILT: Self;
    /// The matrix, if it has this element type.
    fn read<'a>(x: &In<'a>) -> Option<MatRef<'a, Self>>;
    /// The matrix, if it has this element type.
    fn write<'a>(x: &'a mut Out) -> Option<MatMut<'a, Self>>;
}
/// One matrix, whose strides count elements, as one of many.
fn one<E>(first: *mut E, dims: [usize; 2], strides: [isize; 2]) -> Many {
    let mut many = Many { dims, strides: strides.map(|s| s * size_of::<E>() as isize), ..Many::NONE };
    many.first[0] = first.cast();
    many
}
/// Where matrix `i` of `m × n` entries begins among matrices one after the other, and ends.
fn part(i: usize, m: usize, n: usize) -> Option<(usize, usize)> {
    let size = m.checked_mul(n)?;
    let from = i.checked_mul(size)?;
    Some((from, from.checked_add(size)?))
}
macro_rules! entries {
    ($($name:ident: $t:ty = $spoilt:expr;)*) => {
        /// A matrix that is read.
        #[derive(Clone, Copy, Debug)]
        pub enum In<'a> { $(#[doc = concat!("Of `", stringify!($t), "`.")] $name(MatRef<'a, $t>),)* }
        /// A matrix that is written.
        #[derive(Debug)]
        pub enum Out<'a> { $(#[doc = concat!("Of `", stringify!($t), "`.")] $name(MatMut<'a, $t>),)* }
        /// Matrices to be written, one after the other, each with its first axis fastest.
        #[derive(Debug)]
        pub enum Batch { $(#[doc = concat!("Of `", stringify!($t), "`.")] $name(Vec<$t>),)* }
        $(impl Entry for $t {
            const SPOILT: $t = $spoilt;
            fn read<'a>(x: &In<'a>) -> Option<MatRef<'a, $t>> {
                if let In::$name(m) = x { Some(*m) } else { None }
            }
            fn write<'a>(x: &'a mut Out) -> Option<MatMut<'a, $t>> {
                if let Out::$name(m) = x { Some(m.rb_mut()) } else { None }
            }
        })*
        impl<'a> In<'a> {
            /// A matrix in memory; `None` where matrices have no such elements.
            ///
            /// # Safety
            /// It lies in memory that nobody writes meanwhile, with elements of that type.
            pub unsafe fn raw(dtype: DType, at: Raw) -> Option<In<'a>> {
                let ([m, n], [row, col], z) = (at.dims, at.strides, dtype.size() as isize);
                // SAFETY: by contract.
                unsafe {
                    match dtype {
                        $(DType::$name => {
                            let first = at.address.cast_const().cast();
                            Some(In::$name(MatRef::from_raw_parts(first, m, n, row / z, col / z)))
                        })*
                        _ => None,
                    }
                }
            }
            /// Rows and columns.
            pub(super) fn dims(&self) -> [usize; 2] {
                match self { $(In::$name(m) => [m.nrows(), m.ncols()],)* }
            }
            /// Whether no element is a NaN or an infinity: none of the lower triangle, where that alone counts.
            pub(super) fn finite(&self, lower: bool) -> bool {
                match self {
                    $(In::$name(m) => (0..m.ncols()).all(|j| {
                        let from = if lower { j } else { 0 };
                        // What is not finite differs from itself by a NaN.
                        (from..m.nrows()).all(|i| { let x = m[(i, j)]; let y = x; x - y == <$t>::default() })
                    }),)*
                }
            }
            /// The matrix as one of many.
            pub(super) fn many(&self) -> Many {
                match self {
                    $(In::$name(m) => one(m.as_ptr().cast_mut(), [m.nrows(), m.ncols()], [m.row_stride(), m.col_stride()]),)*
                }
            }
            /// Matrix `i`, of `m × n`, of a tensor whose first axis is fastest, in the order of memory; `None` where it has none.
            pub fn of(t: &'a Tensor, [m, n]: [usize; 2], i: usize) -> Option<In<'a>> {
                let (from, to) = part(i, m, n)?;
                let at = t.offset().checked_add(from)?..t.offset().checked_add(to)?;
                match t.dtype() {
                    $(DType::$name => {
                        let all = t.storage::<$t>()?.get(at)?;
                        Some(In::$name(MatRef::from_column_major_slice(all, m, n)))
                    })*
                    _ => None,
                }
            }
        }
        impl<'a> Out<'a> {
            /// A matrix in memory; `None` where matrices have no such elements.
            ///
            /// # Safety
            /// It lies in memory that nobody else reads or writes meanwhile, with elements of that type.
            pub unsafe fn raw(dtype: DType, at: Raw) -> Option<Out<'a>> {
                let ([m, n], [row, col], z) = (at.dims, at.strides, dtype.size() as isize);
                // SAFETY: by contract.
                unsafe {
                    match dtype {
                        $(DType::$name => {
                            let first = at.address.cast();
                            Some(Out::$name(MatMut::from_raw_parts_mut(first, m, n, row / z, col / z)))
                        })*
                        _ => None,
                    }
                }
            }
            /// The matrix as one of many.
            pub(super) fn many(&mut self) -> Many {
                match self {
                    $(Out::$name(m) => {
                        let (dims, strides) = ([m.nrows(), m.ncols()], [m.row_stride(), m.col_stride()]);
                        one(m.as_ptr_mut(), dims, strides)
                    })*
                }
            }
            /// Fills it with what says that there is no result: NaN, and 0 where there is no NaN.
            pub(super) fn spoil(&mut self) {
                match self { $(Out::$name(m) => m.fill(<$t>::SPOILT),)* }
            }
        }
        impl Batch {
            /// All that a tensor of that shape holds, zeros; `None` where matrices have no such elements.
            ///
            /// # Errors
            /// `E0406`, `E0705` where there is no room for them.
            pub fn zeros(dtype: DType, shape: &[usize]) -> Result<Option<Batch>> {
                let n = element_count(shape)?;
                Ok(match dtype {
                    $(DType::$name => {
                        let mut all = buffer(n)?;
                        all.resize(n, <$t>::default());
                        Some(Batch::$name(all))
                    })*
                    _ => None,
                })
            }
            /// Matrix `i`, of these extents; `None` where there are fewer.
            pub fn matrix(&mut self, i: usize, m: usize, n: usize) -> Option<Out<'_>> {
                let (from, to) = part(i, m, n)?;
                Some(match self {
                    $(Batch::$name(all) => Out::$name(MatMut::from_column_major_slice_mut(all.get_mut(from..to)?, m, n)),)*
                })
            }
            /// As a tensor of the shape that it was made for.
            ///
            /// # Errors
            /// `E1020` where it was made for another.
            pub fn tensor(self, shape: &[usize]) -> Result<Tensor> {
                match self { $(Batch::$name(all) => Tensor::from_column_major(shape, all),)* }
            }
        }
    };
}
entries! {
    F32: f32 = f32::NAN;
    F64: f64 = f64::NAN;
    C32: C32 = C32::new(f32::NAN, f32::NAN);
    C64: C64 = C64::new(f64::NAN, f64::NAN);
    I64: i64 = 0;
}
impl<'a> In<'a> {
    /// The matrix, of that element type; one of another is no operand of the op.
    pub(super) fn typed<T: Entry>(&self) -> std::result::Result<MatRef<'a, T>, Failed> {
        T::read(self).ok_or(Failed)
    }
}
impl Out<'_> {
    /// The matrix, of that element type; one of another is no result of the op.
    pub(super) fn typed<T: Entry>(&mut self) -> std::result::Result<MatMut<'_, T>, Failed> {
        T::write(self).ok_or(Failed)
    }
}
