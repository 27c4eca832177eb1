//! Blocks: rows that are dense in the destination and columns that are dense in the source, transposed through registers.
//! Where rows and columns lie is said by tables of offsets, so that a row or a column may be made of several short loops.
use tfc_kernels::vmath::Isa;

use super::parts::Block;
#[cfg(target_arch = "x86_64")]
use super::x86;

/// Moves a block.
pub(crate) type BlockFn = unsafe fn(&Block);

/// The kernel for elements of `bytes` bytes. `unit`: `ds` and `ss` are that size. `stream`: non-temporal stores; every
/// row must then start at a multiple of 64, and the thread must issue [`fence`] when it is done.
pub(crate) fn kernel(isa: Isa, bytes: usize, unit: bool, stream: bool) -> BlockFn {
    #[cfg(target_arch = "x86_64")]
    if unit {
        let best: Option<[BlockFn; 2]> = match (isa, bytes) {
            (Isa::Avx512, 4) => Some([x86::z4::<false>, x86::z4::<true>]),
            (Isa::Avx512, 8) => Some([x86::z8::<false>, x86::z8::<true>]),
            (Isa::Avx512, 16) => Some([x86::z16::<false>, x86::z16::<true>]),
            (Isa::Avx2, 4) => Some([x86::y4::<false>, x86::y4::<true>]),
            (Isa::Avx2, 8) => Some([x86::y8::<false>, x86::y8::<true>]),
            (Isa::Avx2, 16) => Some([x86::y16::<false>, x86::y16::<true>]),
            (Isa::Avx2 | Isa::Avx512, 1) => Some([x86::y1, x86::y1]),
            _ => None,
        };
        if let Some(f) = best {
            return f[usize::from(stream)];
        }
    }
    let _ = (isa, unit, stream);
    match bytes {
        1 => one::<u8>,
        2 => one::<[u8; 2]>,
        3 => two::<[u8; 2]>,
        4 => one::<[u8; 4]>,
        5..=7 => two::<[u8; 4]>,
        8 => one::<[u8; 8]>,
        9..=15 => two::<[u8; 8]>,
        16 => one::<[u8; 16]>,
        17..=32 => two::<[u8; 16]>,
        _ => two::<[u8; 32]>,
    }
}
/// Whether [`kernel`] honours `stream` for elements of that size.
pub(crate) fn streams(isa: Isa, bytes: usize) -> bool {
    cfg!(target_arch = "x86_64") && isa != Isa::Scalar && matches!(bytes, 1 | 4 | 8 | 16)
}
/// Makes non-temporal stores of this thread visible before whatever it stores next.
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86-64.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Elements of the size of `T`, one move each.
unsafe fn one<T: Copy>(b: &Block) {
    for r in 0..b.rows {
        // SAFETY: by the block's contract; `T` is an array of bytes.
        unsafe {
            let (d, s) = (b.dst.offset(*b.doff.add(r)), b.src.offset(r as isize * b.ss));
            for c in 0..b.cols {
                let x = s.offset(*b.soff.add(c)).cast::<T>().read();
                d.offset(c as isize * b.ds).cast::<T>().write(x);
            }
        }
    }
}
/// Elements of at most twice the size of `T`, by two moves that may overlap.
unsafe fn two<T: Copy>(b: &Block) {
    let last = b.bytes - size_of::<T>();
    for r in 0..b.rows {
        // SAFETY: by the block's contract; both moves lie inside the element.
        unsafe {
            let (d, s) = (b.dst.offset(*b.doff.add(r)), b.src.offset(r as isize * b.ss));
            for c in 0..b.cols {
                let (s, d) = (s.offset(*b.soff.add(c)), d.offset(c as isize * b.ds));
                let (x, y) = (s.cast::<T>().read(), s.add(last).cast::<T>().read());
                d.cast::<T>().write(x);
                d.add(last).cast::<T>().write(y);
            }
        }
    }
}
