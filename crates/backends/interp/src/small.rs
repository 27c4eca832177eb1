//! Small dtypes, said as plainly as can be: an op computes in the wide dtype of its operands, its results are rounded or cut to
//! their low bits; what reads bits reads those of the small dtype (TFIR §5).
use super::grid::build;
use tfc_ir::small::{I2, I4, Small, ToHalf, U2, U4};
use tfc_ir::{Code, DType, Element, Error, Result, ScalarOp, Tensor, with_small_float, with_small_int};

/// Runs `$body` with `$t` the Rust type of a small dtype.
macro_rules! of_small {
    ($dtype:expr, $t:ident => $body:expr, _ => $other:expr) => {
        with_small_float!($dtype, $t => $body, _ => with_small_int!($dtype, $t => $body, _ => $other))
    };
}

/// What `f` makes of each element.
fn each<A: Element, R: Element>(t: &Tensor, f: impl Fn(A) -> R) -> Result<Tensor> {
    let g = super::grid::Grid::<A>::of(t)?;
    build(t.shape(), |ix| f(g.at(ix)))
}
/// The same numbers in the wide dtype.
pub(super) fn widened(t: &Tensor) -> Result<Tensor> {
    of_small!(t.dtype(), T => each(t, T::widen), _ => Ok(t.clone()))
}
/// Rounded, or cut to its low bits.
pub(super) fn narrowed(t: &Tensor, to: DType) -> Result<Tensor> {
    of_small!(to, T => each(t, T::narrow), _ => Ok(t.clone()))
}

/// Ops that are not the op on wide operands; `None` for the others.
pub(super) fn own(op: ScalarOp, args: &[Tensor], to: DType) -> Option<Result<Tensor>> {
    use ScalarOp::*;
    let (x, d) = (args.first()?, args.first()?.dtype());
    let bits = d.bits().min(64);
    let mask = u64::MAX >> (64 - bits);
    // The bits of an integer, those above being 0.
    let low = |v: i128| v as u64 & mask;
    let signed = |v: i128| (low(v) << (64 - bits)) as i64 >> (64 - bits);
    let list = |t: &Tensor| t.ints().ok_or_else(|| Error::bug(Code::E0718, "these are no integers"));
    let shifted = |f: &dyn Fn(i128, u64) -> u64| {
        let (x, n) = (list(x)?, list(args.get(1).unwrap_or(x))?);
        let y = x.iter().zip(&n).map(|(&x, &n)| f(x, low(n)).into());
        Tensor::from_ints(d, args[0].shape(), y)
    };
    Some(match op {
        Convert => convert(x, to),
        Popcnt => list(x).and_then(|v| Tensor::from_ints(d, x.shape(), v.iter().map(|&x| low(x).count_ones().into()))),
        Clz => list(x).and_then(|v| {
            Tensor::from_ints(d, x.shape(), v.iter().map(|&x| i128::from(low(x).leading_zeros() - (64 - bits))))
        }),
        ShrLogical => shifted(&|x, n| if n < u64::from(bits) { low(x) >> n } else { 0 }),
        ShrArith => shifted(&|x, n| (signed(x) >> n.min(u64::from(bits) - 1)) as u64),
        Mulhi => list(x).and_then(|v| {
            let w = list(args.get(1).unwrap_or(x))?;
            Tensor::from_ints(d, x.shape(), v.iter().zip(&w).map(|(a, b)| (a * b) >> bits))
        }),
        Nextafter => with_small_float!(d, T => next::<T>(x, &args[1]), _ => return None),
        _ => return None,
    })
}
fn next<T: Small<Wide = f32>>(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let sign = T::DTYPE.format().map_or(0, |f| f.sign());
    let (gx, gy) = (super::grid::Grid::<T>::of(x)?, super::grid::Grid::<T>::of(y)?);
    build(x.shape(), |ix| {
        let (x, y) = (gx.at(ix), gy.at(ix));
        let (a, b) = (x.widen(), y.widen());
        match () {
            () if a.is_nan() || b.is_nan() => T::narrow(f32::NAN),
            () if a == b => y,
            // From 0 to the least number of that sign.
            () if a == 0.0 => T::of_bits(if b > 0.0 { 1 } else { sign | 1 }),
            () if (b > a) == (a > 0.0) => T::of_bits(x.bits() + 1),
            // Not every format has a −0.
            () if x.bits() == sign | 1 => T::narrow(-0.0),
            () => T::of_bits(x.bits() - 1),
        }
    })
}
/// From and to every dtype of which one is small: floats towards integers truncate and saturate, NaN gives 0; integers keep their
/// low bits; towards floats all are rounded once.
fn convert(x: &Tensor, to: DType) -> Result<Tensor> {
    if to.is_small() && to.is_float() {
        macro_rules! singles {
            ($($D:ident $t:ty),*) => {
                match x.dtype() {
                    $(DType::$D => x.to_vec::<$t>()?.into_iter().map(ToHalf::single).collect(),)*
                    DType::Bool => x.to_vec::<bool>()?.into_iter().map(|v| f32::from(u8::from(v))).collect(),
                    d => with_small_float!(d, T => x.to_vec::<T>()?.into_iter().map(Small::widen).collect(), _ => {
                        return Err(Error::new(Code::E0801, format!("`convert` is not defined from {d} to {to}")));
                    }),
                }
            };
        }
        let list: Vec<f32> = singles!(I2 I2, I4 I4, I8 i8, I16 i16, I32 i32, I64 i64, U2 U2, U4 U4, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64);
        let none = || Error::bug(Code::E0718, "this is no small float");
        return with_small_float!(to, T => Tensor::from_logical(x.shape(), list.into_iter().map(T::narrow).collect()), _ =>
            Err(none()));
    }
    let x = widened(x)?;
    if to.is_small() {
        let (low, high) = to.int_range().unwrap_or_default();
        let list: Vec<i128> = match x.dtype() {
            DType::Bool => x.to_vec::<bool>()?.into_iter().map(i128::from).collect(),
            DType::F32 => x.to_vec::<f32>()?.into_iter().map(|v| (v as i128).clamp(low, high)).collect(),
            DType::F64 => x.to_vec::<f64>()?.into_iter().map(|v| (v as i128).clamp(low, high)).collect(),
            _ => x.ints().ok_or_else(|| Error::bug(Code::E0718, "these are no integers"))?,
        };
        return Tensor::from_ints(to, x.shape(), list);
    }
    let k = tfc_kernels::scalar::kernel(ScalarOp::Convert, &[x.dtype()], to);
    k.ok_or_else(|| Error::new(Code::E0801, format!("`convert` is not defined from {} to {to}", x.dtype())))?
        .apply(&[x])
}
