//! Factors of a product that lie in memory in fewer bits than they are multiplied in. Where their product reads them piece by piece, each
//! piece is widened into a few lines that stay in the caches; otherwise the factor is widened as a whole. Widening is exact, and sums
//! are those of a factor that is there in full.
use tfc_ir::small::Small;
use tfc_ir::{DType, F16};
use tfc_kernels::vmath::Isa;
use tfc_plan::space::Space;

use crate::copy::GRAIN;
use crate::machine::mem::Ptr;
use crate::machine::pool::Pool;

/// How the elements of a factor become those that are multiplied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Widen {
    /// Bytes of an element in memory.
    pub(crate) size: usize,
    /// Bytes of an element that is multiplied.
    wide: usize,
    /// Bits that tell every element as a signed integer; 32 where no fewer do.
    pub(crate) bits: u32,
    /// Of bytes that become integers, whether they are signed.
    pub(crate) byte: Option<bool>,
    line: Line,
}
/// Widens elements that lie side by side, from the first address to the second.
type Line = unsafe fn(*const u8, *mut u8, usize);

/// Whether products read factors of dtype `stored` that they multiply as `wide`.
pub(crate) fn reads(stored: DType, wide: DType) -> bool {
    line(stored, wide, None).is_some()
}
impl Widen {
    /// Of elements of dtype `stored` to `wide`; `None` where [`reads`] says no, or where the two are the same.
    pub(crate) fn of(stored: DType, wide: DType, isa: Option<Isa>) -> Option<Widen> {
        let bits = match (stored, wide) {
            (DType::I8, DType::I32 | DType::U32) => 8,
            (DType::U8 | DType::I16, DType::I32 | DType::U32) => 16,
            _ => 32,
        };
        let byte = (wide.is_int() && stored.size() == 1).then(|| stored.is_signed());
        Some(Widen { size: stored.size(), wide: wide.size(), bits, byte, line: line(stored, wide, isa)? })
    }
    /// Widens `n` elements side by side.
    ///
    /// # Safety
    /// So many are readable at `from` and writable at `to`, of the dtypes of [`Widen::of`].
    pub(crate) unsafe fn line(&self, from: *const u8, to: *mut u8, n: usize) {
        // SAFETY: passed on; the instruction set is one that the machine has.
        unsafe { (self.line)(from, to, n) }
    }
    /// The stride of a factor that is there in full, for one of the factor as it lies.
    pub(crate) fn full(&self, stride: isize) -> isize {
        stride / self.size as isize * self.wide as isize
    }
    /// Widens `lines` lines of `n` elements; `from` and `to`: addresses, and bytes from a line to the next.
    ///
    /// # Safety
    /// As [`Widen::line`], for each line.
    pub(crate) unsafe fn lines(&self, from: (*const u8, isize), to: (*mut u8, isize), [lines, n]: [usize; 2]) {
        for i in 0..lines as isize {
            // SAFETY: passed on.
            unsafe { self.line(from.0.wrapping_offset(i * from.1), to.0.wrapping_offset(i * to.1), n) };
        }
    }
}
macro_rules! lines {
    ($($S:ident $W:ident $m:ident: $s:ty => $w:ty, |$x:ident| $wide:expr;)*) => {
        $(mod $m {
            #[inline(always)]
            unsafe fn line(from: *const u8, to: *mut u8, n: usize) {
                let (from, to) = (from.cast::<$s>(), to.cast::<$w>());
                for i in 0..n {
                    // SAFETY: the caller's promise.
                    unsafe {
                        let $x = from.add(i).read();
                        to.add(i).write($wide);
                    }
                }
            }
            pub(super) unsafe fn plain(from: *const u8, to: *mut u8, n: usize) {
                // SAFETY: passed on.
                unsafe { line(from, to, n) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            pub(super) unsafe fn avx2(from: *const u8, to: *mut u8, n: usize) {
                // SAFETY: passed on.
                unsafe { line(from, to, n) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
            pub(super) unsafe fn avx512(from: *const u8, to: *mut u8, n: usize) {
                // SAFETY: passed on.
                unsafe { line(from, to, n) }
            }
        })*
        fn line(stored: DType, wide: DType, isa: Option<Isa>) -> Option<Line> {
            Some(match (stored, wide) {
                $((DType::$S, DType::$W) => match isa {
                    #[cfg(target_arch = "x86_64")]
                    Some(Isa::Avx512) => $m::avx512,
                    #[cfg(target_arch = "x86_64")]
                    Some(Isa::Avx2) => $m::avx2,
                    _ => $m::plain,
                },)*
                (DType::F16, DType::F32) => match isa {
                    #[cfg(target_arch = "x86_64")]
                    Some(Isa::Avx512) => halves,
                    _ => half,
                },
                _ => return None,
            })
        }
    };
}
lines! {
    I8 I32 i8_i32: i8 => i32, |x| x.into();
    I16 I32 i16_i32: i16 => i32, |x| x.into();
    U8 U32 u8_u32: u8 => u32, |x| x.into();
    U16 U32 u16_u32: u16 => u32, |x| x.into();
    U8 I32 u8_i32: u8 => i32, |x| x.into();
    U16 I32 u16_i32: u16 => i32, |x| x.into();
    I8 F32 i8_f32: i8 => f32, |x| x.into();
    I16 F32 i16_f32: i16 => f32, |x| x.into();
    U8 F32 u8_f32: u8 => f32, |x| x.into();
    U16 F32 u16_f32: u16 => f32, |x| x.into();
    BF16 F32 bf16_f32: tfc_ir::BF16 => f32, |x| f32::from_bits(u32::from(x.to_bits()) << 16);
}
/// Numbers of `f16` where the machine has no instruction for several.
unsafe fn half(from: *const u8, to: *mut u8, n: usize) {
    for i in 0..n {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<f32>().add(i).write(from.cast::<F16>().add(i).read().widen()) };
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn halves(from: *const u8, to: *mut u8, n: usize) {
    use std::arch::x86_64::*;
    let (from, to) = (from.cast::<i16>(), to.cast::<f32>());
    let whole = n / 16 * 16;
    // SAFETY: the caller's promise; of the last register the elements that are there.
    unsafe {
        for i in (0..whole).step_by(16) {
            _mm512_storeu_ps(to.add(i), _mm512_cvtph_ps(_mm256_loadu_si256(from.add(i).cast())));
        }
        if whole < n {
            let mask = (1u32 << (n - whole)) as u16 - 1;
            let x = _mm256_maskz_loadu_epi16(mask, from.add(whole));
            _mm512_mask_storeu_ps(to.add(whole), mask, _mm512_cvtph_ps(x));
        }
    }
}

/// A factor that is widened as a whole.
#[derive(Debug)]
pub(crate) struct Fill {
    /// Extents of the axes that the factor does not repeat.
    dims: Box<[usize]>,
    /// Byte strides of the factor as it lies, and in full.
    from: Box<[isize]>,
    to: Box<[isize]>,
    by: Widen,
}
impl Fill {
    /// Of a factor with these extents and strides: in full its axes have the order that they lie in; what it repeats is there once. Gives
    /// its strides in full and its bytes as well; `None` where these do not fit the address space.
    pub(crate) fn of(by: Widen, dims: &[usize], strides: &[isize]) -> Option<(Fill, Vec<isize>, usize)> {
        let mut axes: Vec<usize> = (0..dims.len()).filter(|&a| strides[a] != 0 && dims[a] > 1).collect();
        axes.sort_by_key(|&a| strides[a].unsigned_abs());
        let (mut full, mut step) = (vec![0; dims.len()], by.wide);
        for &a in &axes {
            full[a] = step as isize;
            step = step.checked_mul(dims[a]).filter(|&s| s <= isize::MAX as usize)?;
        }
        let none = dims.contains(&0);
        let dims = if none { [0].into() } else { axes.iter().map(|&a| dims[a]).collect() };
        let along = |all: &[isize]| if none { [0].into() } else { axes.iter().map(|&a| all[a]).collect() };
        let (from, to) = (along(strides), along(&full));
        Some((Fill { dims, from, to, by }, full, if none { 0 } else { step }))
    }
    /// # Safety
    /// The first address is that of the factor's element at 0, …; at the second there is room for all.
    pub(crate) unsafe fn run(&self, pool: &Pool, from: Ptr, to: Ptr, space: &mut Space) {
        space.clear(2);
        for (l, &d) in self.dims.iter().enumerate() {
            space.push(d, false, |k| if k == 0 { self.to[l] } else { self.from[l] });
        }
        space.collapse();
        let space = &*space;
        let (n, steps) = match space.dims.first() {
            Some(&n) => (n, [space.stride(0, 0), space.stride(0, 1)]),
            None => (1, [0; 2]),
        };
        let beside = steps[1] == self.by.size as isize || n == 1;
        // Pieces of lines, as many at once as are worth a thread.
        let chunks = n.div_ceil(GRAIN).max(1);
        let (units, group) = (space.len() / n.max(1) * chunks, (GRAIN / n.max(1)).max(1));
        pool.run(units.div_ceil(group), (space.len() / 8) as u64, |p| {
            for unit in p * group..((p + 1) * group).min(units) {
                let (i, at) = (unit / chunks * n, unit % chunks * GRAIN);
                let len = GRAIN.min(n - at);
                let (y, x) = (to.at(space.offset(0, i)), from.at(space.offset(1, i)));
                let each = if beside { len } else { 1 };
                for e in (at..at + len).step_by(each.max(1)) {
                    let (y, x) = (y.at(e as isize * steps[0]), x.at(e as isize * steps[1]));
                    // SAFETY: elements of the caller's factor, and their places.
                    unsafe { self.by.line(x.0.cast_const(), y.0, each) };
                }
            }
        });
    }
}
