//! Denormal numbers as zeros: a mode of the floating-point unit, and of a thread. Arithmetic with them costs a hundred cycles
//! and more on many machines; what underflows, as a cotangent that shrinks through a long loop does, is slow for nothing.
//!
//! The bits: FTZ and DAZ of MXCSR (Intel SDM volume 1, 10.2.3), FZ of FPCR (Arm ARM, D19.2.30 FPCR). Elsewhere nothing changes.
use std::marker::PhantomData;

/// FTZ: results; DAZ: operands.
#[cfg(target_arch = "x86_64")]
const BITS: u32 = 1 << 15 | 1 << 6;
#[cfg(target_arch = "aarch64")]
const BITS: u64 = 1 << 24;

#[cfg(target_arch = "x86_64")]
type Mode = u32;
#[cfg(target_arch = "aarch64")]
type Mode = u64;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
type Mode = ();

/// The mode of this thread is another than before for as long as this lives; also where a panic ends it.
#[derive(Debug)]
#[must_use]
pub(crate) struct Flush {
    before: Mode,
    /// The mode belongs to a thread.
    here: PhantomData<*const ()>,
}
impl Flush {
    /// Denormal operands and results count as zeros of their sign.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) fn on() -> Flush {
        let before = mode();
        set(before | BITS);
        Flush { before, here: PhantomData }
    }
    /// Denormal numbers are what IEEE 754 says.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) fn off() -> Flush {
        let before = mode();
        set(before & !BITS);
        Flush { before, here: PhantomData }
    }
    /// There is no such mode.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(crate) fn on() -> Flush {
        Flush { before: (), here: PhantomData }
    }
    /// There is no such mode.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(crate) fn off() -> Flush {
        Flush::on()
    }
}
impl Drop for Flush {
    fn drop(&mut self) {
        set(self.before);
    }
}

#[cfg(target_arch = "x86_64")]
fn mode() -> Mode {
    let mut x = 0u32;
    // SAFETY: writes the register to `x`.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut x, options(nostack, preserves_flags)) };
    x
}
#[cfg(target_arch = "x86_64")]
fn set(x: Mode) {
    // SAFETY: rounding and masks stay as they were. The compiler takes denormal results for granted only where it computes
    // with constants, so that a value may be a denormal number or a zero: no memory, index or branch that safety rests on
    // depends on which.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const x, options(nostack, preserves_flags)) };
}
#[cfg(target_arch = "aarch64")]
fn mode() -> Mode {
    let x: u64;
    // SAFETY: reads the register.
    unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) x, options(nomem, nostack, preserves_flags)) };
    x
}
#[cfg(target_arch = "aarch64")]
fn set(x: Mode) {
    // SAFETY: rounding and traps stay as they were. The compiler takes denormal results for granted only where it computes
    // with constants, so that a value may be a denormal number or a zero: no memory, index or branch that safety rests on
    // depends on which.
    unsafe { std::arch::asm!("msr fpcr, {}", in(reg) x, options(nostack, preserves_flags)) };
}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn set((): Mode) {}
