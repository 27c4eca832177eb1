//! Kernels of contractions of `f32`, `f64` and integers of 32 bits, compiled for every instruction set from one text.
#[cfg(target_arch = "x86_64")]
mod amx;
mod batch;
pub(crate) mod bind;
pub(crate) mod complex;
pub(crate) mod epilogue;
mod lanes;
pub(crate) mod library;
mod outer;
mod packed;
pub(crate) mod run;
pub(crate) mod small;
#[cfg(debug_assertions)]
pub mod tests;
mod tile;
mod tiny;
mod vector;

use batch::Batch;
use lanes::Array;
pub(crate) use lanes::Element;
#[cfg(target_arch = "x86_64")]
use lanes::{Y32, Y64, Yi, Z32, Z64, Zb, Zi, Zw};
use tile::{At, Band, MV, Product, band};
use tiny::Tiny;
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
    /// `packed` for integers of which fewer bits tell all.
    pub(crate) narrow: Option<Narrow<E>>,
    pub(crate) columns: unsafe fn(&MatVec<E>),
    pub(crate) rows: unsafe fn(&MatVec<E>),
    pub(crate) batch: unsafe fn(&Batch<E>),
    pub(crate) outer: unsafe fn(&Product<E>),
    pub(crate) half: unsafe fn(&Product<E>, *mut E),
    pub(crate) join: unsafe fn(&complex::Parts<E>),
    pub(crate) windows: unsafe fn(&Product<E>),
    pub(crate) tiny: unsafe fn(&Tiny<E>),
}
/// Products of integers that are several in a lane. They are exact, so that they have the bits of those of 32.
pub(crate) struct Narrow<E> {
    /// Whether the machine has the instructions.
    pub(crate) can: fn() -> bool,
    /// Bits that tell every element of both factors: 8, 16 or 32, which means neither.
    pub(crate) bits: unsafe fn(&Product<E>) -> u32,
    /// Their product where 16 do.
    pub(crate) words: unsafe fn(&Product<E>, *mut E, bool),
    /// Their product where 8 do.
    pub(crate) bytes: unsafe fn(&Product<E>, *mut E, bool),
}
macro_rules! sets {
    ($($table:ident $m:ident $E:ident $T:ty, $U:literal $MR:literal $NR:literal $narrow:expr $(, $features:literal)?;)*) => { $(
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
                unsafe { packed::packed::<$T, $T, $MR, $NR>(g, buf, past) }
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
            pub(super) unsafe fn windows(g: &Product<$E>) {
                // SAFETY: the caller's promise.
                unsafe { tile::windows::<$T>(g) }
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn tiny(g: &Tiny<$E>) {
                // SAFETY: the caller's promise.
                unsafe { tiny::tiny::<$E>(g) }
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn half(g: &Product<$E>, buf: *mut $E) {
                // SAFETY: the caller's promise.
                unsafe { packed::half::<$T>(g, buf, &BANDS) }
            }
        }
        pub(crate) static $table: Kernels<$E> = Kernels { direct: $m::direct, packed: $m::packed, narrow: $narrow, columns: $m::columns, rows: $m::rows, batch: $m::batch, outer: $m::outer, half: $m::half, join: $m::join, windows: $m::windows, tiny: $m::tiny };
    )* };
}
sets! {
    ONE32 one32 f32 Array<f32, 4>, 4 12 4 None;
    ONE_INT one_int i32 Array<i32, 4>, 4 12 4 None;
    ONE64 one64 f64 Array<f64, 2>, 4 6 4 None;
}
#[cfg(target_arch = "x86_64")]
sets! {
    AVX2_32 avx2_32 f32 Y32, 2 16 6 None, "avx2,fma";
    AVX2_64 avx2_64 f64 Y64, 2 8 6 None, "avx2,fma";
    AVX2_INT avx2_int i32 Yi, 2 16 6 None, "avx2,fma";
    AVX512_INT avx512_int i32 Zi, 1 48 8 Some(Narrow { can: narrow::can, bits: narrow::bits, words: narrow::words, bytes: narrow::bytes }), "avx512f,avx512dq,avx512vl,avx2,fma";
    AVX512_32 avx512_32 f32 Z32, 1 48 8 None, "avx512f,avx512dq,avx512vl,avx2,fma";
    AVX512_64 avx512_64 f64 Z64, 1 24 8 None, "avx512f,avx512dq,avx512vl,avx2,fma";
}
/// Products of integers of 16 bits, two at a time (`vpdpwssd`), and of 8, four at a time (`vpdpbusd`).
#[cfg(target_arch = "x86_64")]
mod narrow {
    use super::*;

    pub(super) fn can() -> bool {
        std::arch::is_x86_feature_detected!("avx512vnni")
    }
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
    pub(super) unsafe fn bits(g: &Product<i32>) -> u32 {
        // SAFETY: the caller's promise; the instructions of the product are asked for first.
        if can() { unsafe { packed::bits(g) } } else { 32 }
    }
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")]
    pub(super) unsafe fn words(g: &Product<i32>, buf: *mut i32, past: bool) {
        // SAFETY: the caller's promise.
        unsafe { packed::packed::<Zi, Zw, 48, 8>(g, buf, past) }
    }
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")]
    pub(super) unsafe fn bytes(g: &Product<i32>, buf: *mut i32, past: bool) {
        // SAFETY: the caller's promise.
        unsafe { packed::packed::<Zi, Zb, 48, 8>(g, buf, past) }
    }
}
