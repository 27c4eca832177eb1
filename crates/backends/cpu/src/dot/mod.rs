//! Kernels of contractions of `f32` and `f64`, compiled for every instruction set from one text.
mod batch;
pub(crate) mod bind;
pub(crate) mod complex;
pub(crate) mod epilogue;
mod lanes;
pub(crate) mod library;
mod outer;
mod packed;
pub(crate) mod run;
#[cfg(test)]
mod tests;
mod tile;
mod vector;

use batch::Batch;
use lanes::Array;
pub(crate) use lanes::Float;
#[cfg(target_arch = "x86_64")]
use lanes::{Y32, Y64, Z32, Z64};
use tile::{At, Band, MV, Product, band};
use vector::MatVec;

impl<E> std::fmt::Debug for Kernels<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("kernels")
    }
}
/// The kernels for one element type and instruction set.
pub(crate) struct Kernels<E: 'static> {
    pub(crate) direct: unsafe fn(&Product<E>),
    pub(crate) packed: unsafe fn(&Product<E>, *mut E, bool),
    pub(crate) columns: unsafe fn(&MatVec<E>),
    pub(crate) rows: unsafe fn(&MatVec<E>),
    pub(crate) batch: unsafe fn(&Batch<E>),
    pub(crate) outer: unsafe fn(&Product<E>),
    pub(crate) half: unsafe fn(&Product<E>, *mut E),
    pub(crate) join: unsafe fn(&complex::Parts<E>),
}
macro_rules! sets {
    ($($table:ident $m:ident $E:ident $T:ty, $U:literal $MR:literal $NR:literal $(, $features:literal)?;)*) => { $(
        mod $m {
            use super::*;
            $(#[target_feature(enable = $features)])?
            unsafe fn band1(t: &At<$E>, n: usize, rows: usize) {
                // SAFETY: the caller's promise.
                unsafe { band::<$T, 1>(t, n, rows) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn band2(t: &At<$E>, n: usize, rows: usize) {
                // SAFETY: the caller's promise.
                unsafe { band::<$T, 2>(t, n, rows) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn band3(t: &At<$E>, n: usize, rows: usize) {
                // SAFETY: the caller's promise.
                unsafe { band::<$T, 3>(t, n, rows) }
            }
            const BANDS: [Band<$E>; MV] = [band1, band2, band3];
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn direct(g: &Product<$E>) {
                // SAFETY: the caller's promise.
                unsafe { tile::direct::<$T>(g, &BANDS) }
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn packed(g: &Product<$E>, buf: *mut $E, past: bool) {
                // SAFETY: the caller's promise.
                unsafe { packed::packed::<$T, $MR, $NR>(g, buf, past) }
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn columns(g: &MatVec<$E>) {
                // SAFETY: the caller's promise.
                unsafe { vector::columns::<$T>(g) }
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn rows(g: &MatVec<$E>) {
                // SAFETY: the caller's promise.
                unsafe { vector::rows::<$T, $U>(g) }
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn batch(g: &Batch<$E>) {
                // SAFETY: the caller's promise.
                unsafe { batch::batch::<$T>(g) }
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn outer(g: &Product<$E>) {
                // SAFETY: the caller's promise.
                unsafe { outer::outer::<$T>(g) }
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn join(p: &complex::Parts<$E>) {
                // SAFETY: the caller's promise.
                unsafe { complex::join::<$T>(p) }
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn half(g: &Product<$E>, buf: *mut $E) {
                // SAFETY: the caller's promise.
                unsafe { packed::half::<$T>(g, buf, &BANDS) }
            }
        }
        pub(crate) static $table: Kernels<$E> = Kernels { direct: $m::direct, packed: $m::packed, columns: $m::columns, rows: $m::rows, batch: $m::batch, outer: $m::outer, half: $m::half, join: $m::join };
    )* };
}
sets! {
    ONE32 one32 f32 Array<f32, 4>, 4 12 4;
    ONE64 one64 f64 Array<f64, 2>, 4 6 4;
}
#[cfg(target_arch = "x86_64")]
sets! {
    AVX2_32 avx2_32 f32 Y32, 2 16 6, "avx2,fma";
    AVX2_64 avx2_64 f64 Y64, 2 8 6, "avx2,fma";
    AVX512_32 avx512_32 f32 Z32, 1 48 8, "avx512f,avx512dq,avx512vl,avx2,fma";
    AVX512_64 avx512_64 f64 Z64, 1 24 8, "avx512f,avx512dq,avx512vl,avx2,fma";
}
