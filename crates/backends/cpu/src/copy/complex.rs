//! Complex numbers as two arrays: real parts, and behind them imaginary parts.
use tfc_kernels::vmath::Isa;

/// Writes the parts of the `n` complex numbers of `size` bytes at `from` to `to` and to `second` bytes behind.
///
/// # Safety
/// All are inside memory of the caller, aligned for the parts, and do not overlap; the machine has `isa`.
pub(crate) unsafe fn split(isa: Isa, from: *const u8, to: *mut u8, second: usize, n: usize, size: usize) {
    // SAFETY: passed on.
    unsafe {
        let im = to.add(second);
        match size {
            8 => split_of::<u32>(isa, from.cast(), to.cast(), im.cast(), n),
            _ => split_of::<u64>(isa, from.cast(), to.cast(), im.cast(), n),
        }
    }
}
/// Writes the `n` complex numbers of `size` bytes whose parts are at `from` and `second` bytes behind to `to`.
///
/// # Safety
/// As [`split`].
pub(crate) unsafe fn join(isa: Isa, to: *mut u8, from: *const u8, second: usize, n: usize, size: usize) {
    // SAFETY: passed on.
    unsafe {
        let im = from.add(second);
        match size {
            8 => join_of::<u32>(isa, to.cast(), from.cast(), im.cast(), n),
            _ => join_of::<u64>(isa, to.cast(), from.cast(), im.cast(), n),
        }
    }
}

/// One loop, compiled for each instruction set.
macro_rules! for_each_set {
    ($name:ident $avx512:ident $avx2:ident $plain:ident ($($x:ident: $t:ty),*) $body:block) => {
        /// # Safety
        /// As [`split`].
        #[inline(always)]
        unsafe fn $plain<T: Copy>($($x: $t),*) $body
        /// # Safety
        /// As [`split`].
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
        unsafe fn $avx512<T: Copy>($($x: $t),*) {
            // SAFETY: passed on.
            unsafe { $plain($($x),*) }
        }
        /// # Safety
        /// As [`split`].
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        unsafe fn $avx2<T: Copy>($($x: $t),*) {
            // SAFETY: passed on.
            unsafe { $plain($($x),*) }
        }
        /// # Safety
        /// As [`split`].
        unsafe fn $name<T: Copy>(isa: Isa, $($x: $t),*) {
            // SAFETY: passed on; the machine has the instructions.
            unsafe {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 => $avx512($($x),*),
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 => $avx2($($x),*),
                    _ => $plain($($x),*),
                }
            }
        }
    };
}
for_each_set! { split_of split_avx512 split_avx2 split_plain (z: *const T, re: *mut T, im: *mut T, n: usize) {
    // SAFETY: by contract.
    let (z, re, im) = unsafe {
        (std::slice::from_raw_parts(z, 2 * n), std::slice::from_raw_parts_mut(re, n), std::slice::from_raw_parts_mut(im, n))
    };
    for ((z, re), im) in z.chunks_exact(2).zip(re).zip(im) {
        (*re, *im) = (z[0], z[1]);
    }
} }
for_each_set! { join_of join_avx512 join_avx2 join_plain (z: *mut T, re: *const T, im: *const T, n: usize) {
    // SAFETY: by contract.
    let (z, re, im) = unsafe {
        (std::slice::from_raw_parts_mut(z, 2 * n), std::slice::from_raw_parts(re, n), std::slice::from_raw_parts(im, n))
    };
    for ((z, &re), &im) in z.chunks_exact_mut(2).zip(re).zip(im) {
        (z[0], z[1]) = (re, im);
    }
} }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_apart_and_together() {
        for isa in Isa::ALL.into_iter().filter(|i| i.available()) {
            for n in [0, 1, 7, 8, 15, 16, 33, 200] {
                let z: Vec<u64> = (0..2 * n as u64).collect();
                let (mut parts, mut back) = (vec![!0u64; 2 * n + 8], vec![0u64; 2 * n]);
                let second = (n + 8) * 8;
                // SAFETY: the arrays are long enough.
                unsafe {
                    split(isa, z.as_ptr().cast(), parts.as_mut_ptr().cast(), second, n, 16);
                    join(isa, back.as_mut_ptr().cast(), parts.as_ptr().cast(), second, n, 16);
                }
                assert!((0..n).all(|i| parts[i] == 2 * i as u64 && parts[n + 8 + i] == 2 * i as u64 + 1));
                assert_eq!(back, z);
                let z: Vec<u32> = (0..2 * n as u32).collect();
                let (mut parts, mut back) = (vec![!0u32; 2 * n], vec![0u32; 2 * n]);
                // SAFETY: the arrays are long enough.
                unsafe {
                    split(isa, z.as_ptr().cast(), parts.as_mut_ptr().cast(), 4 * n, n, 8);
                    join(isa, back.as_mut_ptr().cast(), parts.as_ptr().cast(), 4 * n, n, 8);
                }
                assert!((0..n).all(|i| parts[i] == 2 * i as u32 && parts[n + i] == 2 * i as u32 + 1));
                assert_eq!(back, z);
            }
        }
    }
}
