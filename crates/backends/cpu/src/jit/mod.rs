//! A code generator for fused regions (x86-64 with AVX-512, or with AVX2): one function a region, straight from its body,
//! with the same bits as the tape gives.
//!
//! A region becomes a straight-line program over vectors ([`ssa`]; elementary functions are recorded from the very formulas
//! of [`tfc_kernels::vmath`]), the program a loop ([`alloc`], [`body`], [`frame`]), the phases of a row program loops in one
//! function ([`rows`]), its bytes ([`asm`]) a function in memory that is never
//! writable and executable at once ([`mem`]). Where anything is missing, [`compile`] gives `None` and the tape serves.
#[cfg(all(target_arch = "x86_64", unix))]
mod alloc;
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) mod asm;
#[cfg(all(target_arch = "x86_64", unix))]
mod audit;
#[cfg(all(target_arch = "x86_64", unix))]
mod body;
#[cfg(all(target_arch = "x86_64", unix))]
mod complex;
#[cfg(all(target_arch = "x86_64", unix))]
mod frame;
#[cfg(all(target_arch = "x86_64", unix))]
mod lower;
#[cfg(all(target_arch = "x86_64", unix))]
mod mem;
#[cfg(all(target_arch = "x86_64", unix))]
mod nest;
#[cfg(all(target_arch = "x86_64", unix))]
mod quotient;
mod record;
#[cfg(all(target_arch = "x86_64", unix))]
mod rows;
#[cfg(all(target_arch = "x86_64", unix))]
mod shape;
#[cfg(all(target_arch = "x86_64", unix))]
mod shared;
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) mod ssa;
#[cfg(all(debug_assertions, target_arch = "x86_64", unix))]
pub(crate) mod tests;

use crate::nest::acts::Acts;
use tfc_kernels::limit::Limit;
use tfc_kernels::scalar::Src;
use tfc_plan::region::body::Region;

/// How a run reads or writes an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Access {
    /// Dense along the run.
    Stream,
    /// Dense along the run, and written past the caches: whoever hands the memory on fences first.
    StreamNt,
    /// One element for the whole run.
    Splat,
}

/// How code is generated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Options {
    /// Bytes that prefetches run ahead of each stream that is read; 0 for none.
    pub(crate) prefetch: u32,
    /// A run is always one element: no loop, and every operand is one element whatever its access.
    pub(crate) one: bool,
    /// Copies of the body in the main loop (1, 2 or 4); by the number of live values where `None`.
    pub(crate) unroll: Option<u8>,
}

/// A compiled region. Clones share the code, which is freed with the last of them.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    #[cfg(all(target_arch = "x86_64", unix))]
    text: mem::Text,
}
#[cfg(all(target_arch = "x86_64", unix))]
impl Code {
    /// Runs `n` elements (one, if it was compiled for one): `table[k].ptr` is element 0 of operand `k` (operands that are
    /// reduced into are not looked at). Reduction `j`, in the order of the body, folds element `i` into lane `i` modulo the
    /// number of lanes of [`super::fused::fold`] of the 256 bytes at `acc + 256 j`.
    ///
    /// # Safety
    /// Operands have `n` elements of the region's types, splats one, which is read also where `n` is 0; outputs overlap
    /// nothing, except an input of the same element size that is accessed alike and that no node after the store of the output
    /// reads. `acc` has 256 bytes for each reduction, aligned to 64, and all of them are initialised.
    pub(crate) unsafe fn run(&self, n: usize, table: *mut Src, acc: *mut u8) {
        // SAFETY: passed on.
        unsafe { self.trips(n, 1, table, acc) }
    }
    /// Runs the code of a nest ([`compile_nest`]) on its numbers.
    ///
    /// # Safety
    /// The addresses among the numbers are those of arrays that hold every element which the acts read and write, and nothing
    /// that is written is looked at by others meanwhile.
    pub(crate) unsafe fn nest(&self, numbers: &mut [u64]) {
        // SAFETY: the table of operands and that of numbers come in the same register; the rest is not looked at.
        unsafe { self.trips(1, 1, numbers.as_mut_ptr().cast(), std::ptr::null_mut()) }
    }
    /// Runs the code of [`compile_rows`] on `rows` rows of `n` elements, both at least 1, in blocks of `block`, from 1 to
    /// [`ROWS_OF_A_BLOCK`], through which phases that wait for each other go one after the other. Each entry of the table is an address
    /// and the bytes from row to row; buffers have the rows of a block.
    ///
    /// # Safety
    /// As [`Code::run`], for each row. Rows overlap no others, but for inputs.
    pub(crate) unsafe fn rows(&self, n: usize, rows: usize, block: usize, table: *mut Src) {
        debug_assert!(rows > 0 && (1..=ROWS_OF_A_BLOCK).contains(&block), "a block of rows");
        // SAFETY: passed on; no lanes are handed over, and in the place of their address is the length of blocks.
        unsafe { self.trips(n, rows, table, std::ptr::without_provenance_mut(block)) }
    }
    /// [`Code::run`] `trips` times (at least once; code for one element does it once), the address of each operand advanced
    /// by `table[k].stride` bytes after each.
    ///
    /// # Safety
    /// That of each run.
    pub(crate) unsafe fn trips(&self, n: usize, trips: usize, table: *mut Src, acc: *mut u8) {
        type Entry = unsafe extern "sysv64" fn(*mut Src, usize, *mut u8, usize, usize);
        // SAFETY: the text begins with a function of this type.
        let f = unsafe { std::mem::transmute::<*const u8, Entry>(self.text.entry()) };
        // SAFETY: passed on.
        unsafe { f(table, n, acc, 0, trips) }
    }
}
#[cfg(not(all(target_arch = "x86_64", unix)))]
impl Code {
    /// There is no code to run.
    ///
    /// # Safety
    /// None.
    pub(crate) unsafe fn run(&self, _: usize, _: *mut Src, _: *mut u8) {}
    /// There is no code to run.
    ///
    /// # Safety
    /// None.
    pub(crate) unsafe fn nest(&self, _: &mut [u64]) {}
    /// There is no code to run.
    ///
    /// # Safety
    /// None.
    pub(crate) unsafe fn rows(&self, _: usize, _: usize, _: usize, _: *mut Src) {}
    /// There is no code to run.
    ///
    /// # Safety
    /// None.
    pub(crate) unsafe fn trips(&self, _: usize, _: usize, _: *mut Src, _: *mut u8) {}
}

/// Code for a region whose operands are accessed as `access` says; `None` where it has complex operands, or where
/// [`available`] says no; for AVX2 also where it uses types of different sizes or truth values in memory. Time is linear
/// in the body.
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) fn compile(r: &Region, access: &[Access], o: &Options) -> Option<Code> {
    if available().is_err() {
        return None;
    }
    compile_for(!has_avx512(), r, access, o)
}
/// [`compile`] for a region that may have complex operands. The code's table has the real parts of each in its place, and behind
/// the operands the imaginary parts of the complex ones, in order; parts are accessed as the operand is.
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) fn compile_parts(r: &Region, access: &[Access], o: &Options) -> Option<Code> {
    available().ok()?;
    compile_parts_for(!has_avx512(), r, access, o)
}
/// As [`compile_parts`], for AVX-512 or AVX2, which the machine has.
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) fn compile_parts_for(avx2: bool, r: &Region, access: &[Access], o: &Options) -> Option<Code> {
    if access.len() < r.operands.len() {
        return None;
    }
    let parts = complex::Parts::of(r);
    let p = lower::program_of(r, &parts.second, access, o, avx2)?;
    let mut access = access[..r.operands.len()].to_vec();
    let second = access.iter().zip(&parts.second).filter(|x| x.1.is_some()).map(|x| *x.0);
    access.extend(second.collect::<Vec<_>>());
    let (code, entry) = frame::function(&p, &parts.region, &access, o)?;
    Some(Code { text: mem::seal(&code, entry).ok()? })
}
/// As [`compile`], for AVX-512 or AVX2, which the machine has.
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) fn compile_for(avx2: bool, r: &Region, access: &[Access], o: &Options) -> Option<Code> {
    if r.operands.iter().any(|o| o.dtype.is_complex()) {
        return None;
    }
    compile_parts_for(avx2, r, access, o)
}
/// What is prefetched of an operand that is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Ahead {
    /// What comes so many bytes later; 0 for nothing.
    Bytes(u32),
    /// Of the next row 2^-`part`, from quarter `from` of it on; in programs that run row by row.
    Row {
        /// The first quarter.
        from: u8,
        /// How much: 0 the whole row, 1 half of it, 2 a quarter.
        part: u8,
    },
}
/// A phase of a program that runs row by row.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RowPhase<'a> {
    /// What it computes.
    pub(crate) region: &'a Region,
    /// How its operands are accessed.
    pub(crate) access: Vec<Access>,
    /// The program's operand that each of them is.
    pub(crate) operands: &'a [u32],
    /// How each of them is prefetched.
    pub(crate) ahead: Vec<Ahead>,
    /// Whether there is one element a row.
    pub(crate) kept: bool,
}
/// Rows of a block, at most.
pub(crate) const ROWS_OF_A_BLOCK: usize = 16;
/// Code that runs all phases on rows: [`Code::rows`] with the program's operands in the table, where
/// the first `moving` advance by their strides from row to row, buffers behind them do within a block, and `inside` are the code's own: values of one element
/// that only phases exchange. Results of reductions are written to their operands; no lanes are handed over. `None` as for
/// [`compile`], and where truth values are reduced.
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) fn compile_rows(phases: &[RowPhase], moving: u32, inside: std::ops::Range<u32>) -> Option<Code> {
    if available().is_err() {
        return None;
    }
    compile_rows_for(!has_avx512(), phases, moving, inside)
}
/// As [`compile_rows`], for AVX-512 or AVX2, which the machine has.
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) fn compile_rows_for(
    avx2: bool,
    phases: &[RowPhase],
    moving: u32,
    inside: std::ops::Range<u32>,
) -> Option<Code> {
    let (code, entry) = rows::function(phases, moving, inside, avx2)?;
    let text = mem::seal(&code, entry).ok()?;
    Some(Code { text })
}
/// Code for the acts of a nest of loops; `None` as for [`compile`].
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) fn compile_nest(acts: &Acts) -> Option<Code> {
    available().ok()?;
    let (code, entry) = nest::function(acts, !has_avx512())?;
    Some(Code { text: mem::seal(&code, entry).ok()? })
}
/// `None`: no code is generated for this machine.
#[cfg(not(all(target_arch = "x86_64", unix)))]
pub(crate) fn compile_nest(_: &Acts) -> Option<Code> {
    None
}
/// `None`: no code is generated for this machine.
#[cfg(not(all(target_arch = "x86_64", unix)))]
pub(crate) fn compile_rows(_: &[RowPhase], _: u32, _: std::ops::Range<u32>) -> Option<Code> {
    None
}
/// `None`: no code is generated for this machine.
#[cfg(not(all(target_arch = "x86_64", unix)))]
pub(crate) fn compile_parts(_: &Region, _: &[Access], _: &Options) -> Option<Code> {
    None
}
/// `None`: no code is generated for this machine.
#[cfg(not(all(target_arch = "x86_64", unix)))]
pub(crate) fn compile(_: &Region, _: &[Access], _: &Options) -> Option<Code> {
    None
}

/// Can this process generate code, and does its environment let it? The reason if not.
pub(crate) fn available() -> Result<(), String> {
    if tfc_kernels::limit::limit().is_some_and(|l| l < Limit::Jit) {
        return Err("TFC_CPU limits the engine to another".into());
    }
    #[cfg(all(target_arch = "x86_64", unix))]
    {
        if !has_avx512() && !tfc_kernels::vmath::Isa::Avx2.available() {
            return Err("the machine has neither AVX-512 F, DQ, VL and BW nor AVX2 and FMA".into());
        }
        mem::works()
    }
    #[cfg(not(all(target_arch = "x86_64", unix)))]
    Err("code is generated for x86-64 only".into())
}
#[cfg(all(target_arch = "x86_64", unix))]
fn has_avx512() -> bool {
    use std::arch::is_x86_feature_detected as has;
    tfc_kernels::vmath::Isa::Avx512.available() && has!("avx512bw") && has!("bmi2")
}
#[cfg(all(target_arch = "x86_64", unix))]
fn has_popcnt() -> bool {
    std::arch::is_x86_feature_detected!("avx512vpopcntdq")
}
#[cfg(all(target_arch = "x86_64", unix))]
fn has_lzcnt() -> bool {
    std::arch::is_x86_feature_detected!("avx512cd")
}

const _: () = assert!(size_of::<Src>() == 16 && std::mem::offset_of!(Src, ptr) == 0);
