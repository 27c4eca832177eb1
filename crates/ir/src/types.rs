//! Tensor types: an element type and extents. Cloning is cheap; equality is that of normal forms.
use crate::DType;
use crate::extent::{Extent, ExtentNames};
use std::fmt;
use std::sync::Arc;

/// `dtype[d0, d1, …]`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    /// Element type.
    pub dtype: DType,
    /// Extents, outermost written first; empty for a scalar.
    pub dims: Arc<[Extent]>,
}
impl Type {
    /// A type with these extents.
    pub fn new(dtype: DType, dims: impl Into<Arc<[Extent]>>) -> Type {
        Type { dtype, dims: dims.into() }
    }
    /// A scalar.
    pub fn scalar(dtype: DType) -> Type {
        Type { dtype, dims: Arc::default() }
    }
    /// All extents known.
    pub fn exact(dtype: DType, dims: &[usize]) -> Type {
        Type { dtype, dims: dims.iter().map(|&n| Extent::from(n)).collect() }
    }
    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }
    /// Whether the type has no axis.
    pub fn is_scalar(&self) -> bool {
        self.dims.is_empty()
    }
    /// The same extents, another element type.
    pub fn with_dtype(&self, dtype: DType) -> Type {
        Type { dtype, dims: self.dims.clone() }
    }
    /// The same element type, other extents.
    pub fn with_dims(&self, dims: impl Into<Arc<[Extent]>>) -> Type {
        Type { dtype: self.dtype, dims: dims.into() }
    }
    /// Without the axes in `axes`.
    pub fn without(&self, axes: &[usize]) -> Type {
        self.with_dims(without(&self.dims, axes))
    }
    /// With one more axis of extent `n`, which becomes axis `axis`.
    pub fn with_axis(&self, axis: usize, n: Extent) -> Type {
        let mut dims = self.dims.to_vec();
        dims.insert(axis.min(dims.len()), n);
        self.with_dims(dims)
    }
    /// The shape, where every extent is exact and non-negative.
    pub fn exact_shape(&self) -> Option<Vec<usize>> {
        self.dims.iter().map(|d| d.as_exact().and_then(|n| usize::try_from(n).ok())).collect()
    }
    /// Whether some extent mentions an existential.
    pub fn mentions_existential(&self) -> bool {
        self.dims.iter().any(Extent::mentions_existential)
    }
    /// Whether all extents are exact.
    pub fn is_exact(&self) -> bool {
        self.dims.iter().all(|d| d.as_exact().is_some())
    }
    /// As text; `names` spells symbols and existentials.
    pub fn display<'a>(&'a self, names: &'a dyn ExtentNames) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            write!(f, "{}[", self.dtype)?;
            for (i, d) in self.dims.iter().enumerate() {
                if i > 0 {
                    f.write_str(", ")?;
                }
                write!(f, "{}", d.display(names))?;
            }
            f.write_str("]")
        })
    }
}

/// `list` without the elements at the positions in `axes`.
pub fn without<T: Clone>(list: &[T], axes: &[usize]) -> Vec<T> {
    list.iter().enumerate().filter(|(i, _)| !axes.contains(i)).map(|(_, d)| d.clone()).collect()
}
/// The inverse of a permutation.
pub fn inverse(perm: &[usize]) -> Vec<usize> {
    let mut q = vec![0; perm.len()];
    for (i, &j) in perm.iter().enumerate() {
        q[j] = i;
    }
    q
}
