//! The instruction sets that kernels are compiled for, and which of them this machine has.
use crate::limit::{Limit, limit};
use std::sync::OnceLock;

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Isa {
    /// One element at a time, any machine; slow where the machine has no fused multiply-add.
    Scalar,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 F, DQ, VL and BW.
    Avx512,
    /// The vectors that every AArch64 machine has.
    Neon,
}
impl Isa {
    /// All of them, the best last.
    pub const ALL: [Isa; 4] = [Isa::Scalar, Isa::Avx2, Isa::Avx512, Isa::Neon];

    /// Whether this machine can run the instruction set.
    pub fn available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let avx2 = has!("avx2") && has!("fma");
            match self {
                Isa::Scalar => true,
                Isa::Avx2 => avx2,
                Isa::Neon => false,
                Isa::Avx512 => avx2 && has!("avx512f") && has!("avx512dq") && has!("avx512vl") && has!("avx512bw"),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Isa::Scalar || cfg!(target_arch = "aarch64") && self == Isa::Neon
        }
    }
    /// The set that kernels are chosen for: the best of the machine, or what `TFC_CPU=avx2|scalar` limits it to.
    /// `None` where only emulated multiply-adds would be left: the scalar library is faster there.
    pub fn chosen() -> Option<Isa> {
        static CHOSEN: OnceLock<Option<Isa>> = OnceLock::new();
        *CHOSEN.get_or_init(|| {
            let limit = match limit() {
                Some(Limit::Scalar) => return Some(Isa::Scalar),
                Some(Limit::Avx2) => Isa::Avx2,
                _ => Isa::Neon,
            };
            let best = Isa::ALL.into_iter().rfind(|&i| i <= limit && i.available());
            best.filter(|&i| i != Isa::Scalar || cfg!(target_feature = "fma"))
        })
    }
}
