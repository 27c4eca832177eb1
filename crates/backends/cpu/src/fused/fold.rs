//! Reduction kernels: fold a run of elements into lanes of accumulators and those into one (*row*), or a run into as many
//! accumulators (*column*).
//!
//! Element `i` of a run goes to lane `i` modulo the number of lanes, and the lanes are combined as a tree. Both are fixed by the
//! element type, so the same run gives the same bits on every instruction set, at every alignment, and however it is cut at
//! multiples of the number of lanes.
use tfc_ir::{C32 as Z1, C64 as Z2, DType, ScalarOp};
use tfc_kernels::scalar::complex::product;

/// Folds `n` elements at the second pointer into the accumulator(s) at the first.
pub(crate) type FoldFn = unsafe fn(*mut u8, *const u8, usize);

/// Bytes of the lanes of one reduction; they want that alignment of a cache line.
pub(crate) const LANE_BYTES: usize = 256;
/// Most lanes of a reduction: cutting runs at multiples of this keeps every element in its lane.
pub(crate) const MOST_LANES: usize = 64;

/// The kernels of one reduction of one dtype.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fold {
    /// Elements into lanes.
    pub(crate) row: FoldFn,
    /// The lanes into one value, written to the second address.
    pub(crate) finish: unsafe fn(*const u8, *mut u8),
    /// Sets the lanes to the identity.
    pub(crate) clear: unsafe fn(*mut u8),
    /// Element `i` into accumulator `i`.
    pub(crate) col: FoldFn,
    /// The accumulator of an empty run.
    pub(crate) identity: [u8; 16],
}

trait Op {
    type T: Copy;
    const ID: Self::T;
    const LANES: usize = {
        let n = LANE_BYTES / size_of::<Self::T>();
        if n < MOST_LANES { n } else { MOST_LANES }
    };
    fn f(a: Self::T, b: Self::T) -> Self::T;
}

#[inline(always)]
unsafe fn row<O: Op>(acc: *mut u8, src: *const u8, n: usize) {
    let (acc, src) = (acc.cast::<O::T>(), src.cast::<O::T>());
    let whole = n / O::LANES * O::LANES;
    // SAFETY: the caller gives the lanes and `n` readable elements.
    unsafe {
        if whole > 0 {
            let mut part = [O::ID; MOST_LANES];
            for j in 0..O::LANES {
                part[j] = *acc.add(j);
            }
            let mut i = 0;
            while i < whole {
                for j in 0..O::LANES {
                    part[j] = O::f(part[j], *src.add(i + j));
                }
                i += O::LANES;
            }
            for j in 0..O::LANES {
                *acc.add(j) = part[j];
            }
        }
        for i in whole..n {
            *acc.add(i - whole) = O::f(*acc.add(i - whole), *src.add(i));
        }
    }
}
#[inline(always)]
unsafe fn finish<O: Op>(acc: *const u8, to: *mut u8) {
    let mut part = [O::ID; MOST_LANES];
    // SAFETY: the caller gives the lanes and room for an element.
    unsafe {
        for j in 0..O::LANES {
            part[j] = *acc.cast::<O::T>().add(j);
        }
        // Constant bounds: each level is a few vector instructions.
        macro_rules! levels {
            ($($half:literal)*) => { $(if O::LANES > $half {
                for j in 0..$half {
                    part[j] = O::f(part[j], part[j + $half]);
                }
            })* };
        }
        levels!(32 16 8 4 2 1);
        to.cast::<O::T>().write(part[0]);
    }
}
#[inline(always)]
unsafe fn clear<O: Op>(acc: *mut u8) {
    for j in 0..O::LANES {
        // SAFETY: the caller gives the lanes.
        unsafe { acc.cast::<O::T>().add(j).write(O::ID) };
    }
}
#[inline(always)]
unsafe fn col<O: Op>(acc: *mut u8, src: *const u8, n: usize) {
    let (acc, src) = (acc.cast::<O::T>(), src.cast::<O::T>());
    for i in 0..n {
        // SAFETY: the caller gives `n` accumulators and `n` elements, which do not overlap.
        unsafe { *acc.add(i) = O::f(*acc.add(i), *src.add(i)) };
    }
}

macro_rules! versions {
    ($($name:ident $v2:ident $v4:ident $of:ident($($a:ident: $t:ty),*);)*) => { $(
        unsafe fn $name<O: Op>($($a: $t),*) {
            // SAFETY: passed on.
            unsafe { $of::<O>($($a),*) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        unsafe fn $v2<O: Op>($($a: $t),*) {
            // SAFETY: passed on.
            unsafe { $of::<O>($($a),*) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2")]
        unsafe fn $v4<O: Op>($($a: $t),*) {
            // SAFETY: passed on.
            unsafe { $of::<O>($($a),*) }
        }
    )* };
}
versions! {
    row_any row_avx2 row_avx512 row(a: *mut u8, s: *const u8, n: usize);
    col_any col_avx2 col_avx512 col(a: *mut u8, s: *const u8, n: usize);
    finish_any finish_avx2 finish_avx512 finish(a: *const u8, to: *mut u8);
    clear_any clear_avx2 clear_avx512 clear(a: *mut u8);
}

fn pick<O: Op>() -> Fold {
    let mut identity = [0u8; 16];
    // SAFETY: element types have at most 16 bytes and no padding.
    unsafe { identity.as_mut_ptr().cast::<O::T>().write_unaligned(O::ID) };
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512vl") && has!("avx512dq") && has!("avx512bw") && has!("avx2") {
            let (row, col) = (row_avx512::<O>, col_avx512::<O>);
            return Fold { row, finish: finish_avx512::<O>, col, clear: clear_avx512::<O>, identity };
        }
        if has!("avx2") {
            let (row, col) = (row_avx2::<O>, col_avx2::<O>);
            return Fold { row, finish: finish_avx2::<O>, col, clear: clear_avx2::<O>, identity };
        }
    }
    Fold { row: row_any::<O>, finish: finish_any::<O>, col: col_any::<O>, clear: clear_any::<O>, identity }
}

macro_rules! ops {
    ($($s:ident($($t:ty = $id:expr),*) |$a:ident, $b:ident| $e:expr;)*) => { $(
        struct $s<T>(std::marker::PhantomData<T>);
        $(impl Op for $s<$t> {
            type T = $t;
            const ID: $t = $id;
            #[inline(always)]
            fn f($a: $t, $b: $t) -> $t { $e }
        })*
    )* };
}
const Z32: Z1 = Z1::new(0.0, 0.0);
const Z64: Z2 = Z2::new(0.0, 0.0);
const O32: Z1 = Z1::new(1.0, 0.0);
const O64: Z2 = Z2::new(1.0, 0.0);
// Of two equal numbers the bits differ in a zero's sign at most: `and` gives +0 for max, `or` gives -0 for min. Chosen by
// masks, because the fold of lanes would otherwise be branches.
macro_rules! extreme {
    ($($name:ident $t:ty, $u:ty, $cmp:tt, $join:tt;)*) => { $(
        #[inline(always)]
        fn $name(a: $t, b: $t) -> $t {
            let mask = |c: bool| (0 as $u).wrapping_sub(<$u>::from(c));
            let (x, y, first) = (a.to_bits(), b.to_bits(), mask(a $cmp b) | mask(a.is_nan()));
            let same = mask(a == b);
            <$t>::from_bits(x & first | !first & (same & (x $join y) | !same & y))
        }
    )* };
}
extreme! {
    max32 f32, u32, >, &;
    max64 f64, u64, >, &;
    min32 f32, u32, <, |;
    min64 f64, u64, <, |;
}
ops! {
    FSum(f32 = 0.0, f64 = 0.0, Z1 = Z32, Z2 = Z64) |a, b| a + b;
    FProd(f32 = 1.0, f64 = 1.0) |a, b| a * b;
    ZProd(Z1 = O32, Z2 = O64) |a, b| product(a, b);
    ISum(i32 = 0, i64 = 0, u32 = 0, u64 = 0) |a, b| a.wrapping_add(b);
    IProd(i32 = 1, i64 = 1, u32 = 1, u64 = 1) |a, b| a.wrapping_mul(b);
    IMax(i32 = i32::MIN, i64 = i64::MIN, u32 = 0, u64 = 0) |a, b| if a > b { a } else { b };
    IMin(i32 = i32::MAX, i64 = i64::MAX, u32 = u32::MAX, u64 = u64::MAX) |a, b| if a < b { a } else { b };
    And(i32 = -1, i64 = -1, u32 = u32::MAX, u64 = u64::MAX, bool = true) |a, b| a & b;
    Or(i32 = 0, i64 = 0, u32 = 0, u64 = 0, bool = false) |a, b| a | b;
    Xor(i32 = 0, i64 = 0, u32 = 0, u64 = 0, bool = false) |a, b| a ^ b;
    MaxF32(f32 = f32::NEG_INFINITY) |a, b| max32(a, b);
    MaxF64(f64 = f64::NEG_INFINITY) |a, b| max64(a, b);
    MinF32(f32 = f32::INFINITY) |a, b| min32(a, b);
    MinF64(f64 = f64::INFINITY) |a, b| min64(a, b);
}

/// The kernels of `op` (`add mul max min and or xor`) on `dtype`, where there are any.
pub(crate) fn fold(op: ScalarOp, dtype: DType) -> Option<Fold> {
    let fold = kernels(op, dtype)?;
    debug_assert_eq!(op.identity(dtype).map(|t| t.scalar_bytes()), Some(fold.identity), "{op:?} of {dtype}");
    Some(fold)
}
fn kernels(op: ScalarOp, dtype: DType) -> Option<Fold> {
    use DType::*;
    use ScalarOp as S;
    macro_rules! by {
        ($($d:ident => $s:ident<$t:ty>,)*) => { match dtype { $($d => Some(pick::<$s<$t>>()),)* _ => None } };
    }
    match op {
        S::Add => by!(F32 => FSum<f32>, F64 => FSum<f64>, C32 => FSum<Z1>, C64 => FSum<Z2>,
            I32 => ISum<i32>, I64 => ISum<i64>, U32 => ISum<u32>, U64 => ISum<u64>,),
        S::Mul => by!(F32 => FProd<f32>, F64 => FProd<f64>, C32 => ZProd<Z1>, C64 => ZProd<Z2>,
            I32 => IProd<i32>, I64 => IProd<i64>, U32 => IProd<u32>, U64 => IProd<u64>,),
        S::Max => by!(F32 => MaxF32<f32>, F64 => MaxF64<f64>, I32 => IMax<i32>, I64 => IMax<i64>, U32 => IMax<u32>,
            U64 => IMax<u64>, Bool => Or<bool>,),
        S::Min => by!(F32 => MinF32<f32>, F64 => MinF64<f64>, I32 => IMin<i32>, I64 => IMin<i64>, U32 => IMin<u32>,
            U64 => IMin<u64>, Bool => And<bool>,),
        S::And => by!(I32 => And<i32>, I64 => And<i64>, U32 => And<u32>, U64 => And<u64>, Bool => And<bool>,),
        S::Or => by!(I32 => Or<i32>, I64 => Or<i64>, U32 => Or<u32>, U64 => Or<u64>, Bool => Or<bool>,),
        S::Xor => by!(I32 => Xor<i32>, I64 => Xor<i64>, U32 => Xor<u32>, U64 => Xor<u64>, Bool => Xor<bool>,),
        _ => None,
    }
}
