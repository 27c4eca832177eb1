//! Contractions: every element of the result is a sum over the contracted indices in their order, in the element type.
use super::OpCx;
use super::grid::{Grid, build, each};
use tfc_ir::ops::contract::DotDims;
use tfc_ir::{C32, C64, Code, DType, Element, Error, Result, Tensor};

/// A running sum of products. Real and complex `f32` sum in `f64`; everything else in its own type.
trait Products: Element {
    type Acc: Copy + Default;
    fn add(acc: Self::Acc, x: Self, y: Self) -> Self::Acc;
    fn round(acc: Self::Acc) -> Self;
    fn conj(self) -> Self {
        self
    }
}
macro_rules! wrapping {
    ($($t:ty)*) => { $(impl Products for $t {
        type Acc = $t;
        fn add(acc: $t, x: $t, y: $t) -> $t { acc.wrapping_add(x.wrapping_mul(y)) }
        fn round(acc: $t) -> $t { acc }
    })* };
}
wrapping!(i32 i64 u32 u64);
impl Products for f32 {
    type Acc = f64;
    fn add(acc: f64, x: f32, y: f32) -> f64 {
        acc + f64::from(x) * f64::from(y)
    }
    fn round(acc: f64) -> f32 {
        acc as f32
    }
}
impl Products for f64 {
    type Acc = f64;
    fn add(acc: f64, x: f64, y: f64) -> f64 {
        acc + x * y
    }
    fn round(acc: f64) -> f64 {
        acc
    }
}
impl Products for C32 {
    type Acc = C64;
    fn add(acc: C64, x: C32, y: C32) -> C64 {
        acc + C64::new(x.re.into(), x.im.into()) * C64::new(y.re.into(), y.im.into())
    }
    fn round(acc: C64) -> C32 {
        C32::new(acc.re as f32, acc.im as f32)
    }
    fn conj(self) -> C32 {
        C32::new(self.re, -self.im)
    }
}
impl Products for C64 {
    type Acc = C64;
    fn add(acc: C64, x: C64, y: C64) -> C64 {
        acc + x * y
    }
    fn round(acc: C64) -> C64 {
        acc
    }
    fn conj(self) -> C64 {
        C64::new(self.re, -self.im)
    }
}

pub(super) fn dot_general(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let dims = DotDims::of(cx.attrs())?;
    let (x, y) = (cx.arg(0)?, cx.arg(1)?);
    Ok(vec![match x.dtype() {
        DType::I32 => dot::<i32>(x, y, &dims)?,
        DType::I64 => dot::<i64>(x, y, &dims)?,
        DType::U32 => dot::<u32>(x, y, &dims)?,
        DType::U64 => dot::<u64>(x, y, &dims)?,
        DType::F32 => dot::<f32>(x, y, &dims)?,
        DType::F64 => dot::<f64>(x, y, &dims)?,
        DType::C32 => dot::<C32>(x, y, &dims)?,
        DType::C64 => dot::<C64>(x, y, &dims)?,
        d => return Err(Error::new(Code::E0801, format!("`dot_general` is not defined on {d}"))),
    }])
}

fn dot<T: Products>(x: &Tensor, y: &Tensor, dims: &DotDims) -> Result<Tensor> {
    let (gx, gy) = (Grid::<T>::of(x)?, Grid::<T>::of(y)?);
    let free = [dims.free(0, x.rank()), dims.free(1, y.rank())];
    // In the order (lhs free, rhs free, batch): the axis of each side that a result axis runs along.
    let mut axes: Vec<[Option<usize>; 2]> = free[0].iter().map(|&a| [Some(a), None]).collect();
    axes.extend(free[1].iter().map(|&a| [None, Some(a)]));
    axes.extend(dims.batch[0].iter().zip(&dims.batch[1]).map(|(&a, &b)| [Some(a), Some(b)]));
    if let Some(out) = &dims.out {
        axes = out.iter().map(|&i| axes[i]).collect();
    }
    let extent = |a: &[Option<usize>; 2]| match a {
        [Some(i), _] => x.shape()[*i],
        [_, Some(j)] => y.shape()[*j],
        _ => 1,
    };
    let shape: Vec<usize> = axes.iter().map(extent).collect();
    let summed: Vec<usize> = dims.contract[0].iter().map(|&a| x.shape()[a]).collect();
    let (mut ix, mut iy) = (vec![0; x.rank()], vec![0; y.rank()]);
    build(&shape, |at| {
        for (a, &i) in axes.iter().zip(at) {
            a[0].into_iter().for_each(|k| ix[k] = i);
            a[1].into_iter().for_each(|k| iy[k] = i);
        }
        let mut acc = T::Acc::default();
        each(&summed, |s| {
            for (k, &i) in s.iter().enumerate() {
                ix[dims.contract[0][k]] = i;
                iy[dims.contract[1][k]] = i;
            }
            let (u, v) = (gx.at(&ix), gy.at(&iy));
            acc = T::add(acc, if dims.conj_lhs { u.conj() } else { u }, if dims.conj_rhs { v.conj() } else { v });
        });
        T::round(acc)
    })
}
