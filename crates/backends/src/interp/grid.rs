//! Tensors by multi-index: the two loops that every kernel here is made of.
use tfc_ir::tensor::{buffer, element_count};
use tfc_ir::{Element, Error, Result, Tensor};

/// Typed access to a tensor's elements.
pub(super) struct Grid<'a, T> {
    data: &'a [T],
    strides: &'a [isize],
    offset: isize,
}
impl<'a, T: Element> Grid<'a, T> {
    /// Of a tensor of this dtype.
    pub(super) fn of(t: &'a Tensor) -> Result<Grid<'a, T>> {
        let data = t
            .storage::<T>()
            .ok_or_else(|| Error::new("E0718", format!("a kernel for {} meets {}", T::DTYPE, t.dtype())))?;
        Ok(Grid { data, strides: t.strides(), offset: t.offset() as isize })
    }
    /// The element at `ix`, which lies inside the shape.
    pub(super) fn at(&self, ix: &[usize]) -> T {
        let at = ix.iter().zip(self.strides).fold(self.offset, |a, (&i, &s)| a + i as isize * s);
        self.data[at as usize]
    }
}

/// Calls `f` with every index of `shape` in logical order (last axis fastest).
pub(super) fn each(shape: &[usize], mut f: impl FnMut(&[usize])) {
    if shape.contains(&0) {
        return;
    }
    let mut ix = vec![0; shape.len()];
    loop {
        f(&ix);
        let mut a = shape.len();
        loop {
            if a == 0 {
                return;
            }
            a -= 1;
            ix[a] += 1;
            if ix[a] < shape[a] {
                break;
            }
            ix[a] = 0;
        }
    }
}

/// The tensor whose element at `ix` is `f(ix)`; `E0705` where there is no memory for it.
pub(super) fn build<T: Element>(shape: &[usize], mut f: impl FnMut(&[usize]) -> T) -> Result<Tensor> {
    let mut v = buffer(element_count(shape)?)?;
    each(shape, |ix| v.push(f(ix)));
    Ok(Tensor::from_logical(shape, v))
}

/// Runs `$body` with `$t` the Rust type of `$dtype`; reserved dtypes are `E0201`.
macro_rules! typed {
    ($dtype:expr, $t:ident => $body:expr) => {
        tfc_ir::with_dtype!($dtype, $t => $body, _ => Err(tfc_ir::Error::new("E0201", format!("`{}` is reserved, not yet supported", $dtype))))
    };
}
pub(super) use typed;
