//! Arrays of files as memory: what a program does not look at is never read, and what it has looked at can leave again.
use super::storage::{ArrayInfo, Stored, Want};
use memmap2::MmapOptions;
use std::fs::File;
use tfc_ir::tensor::foreign::{Layout, borrowed};
use tfc_ir::tensor::{column_major, row_major};
use tfc_ir::{Budget, Error, Result, Tensor};

/// How files are read: what they may take, and whether large arrays are mapped.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    pub(super) budget: &'a Budget,
    pub(super) map: bool,
}
impl<'a> From<&'a Budget> for Reading<'a> {
    fn from(budget: &'a Budget) -> Reading<'a> {
        Reading { budget, map: false }
    }
}
impl<'a> Reading<'a> {
    /// Arrays of at least [`MAPPED_FROM`] bytes in `.npy` and `.safetensors` files are mapped into memory where they have the dtype that
    /// is wanted, this machine's byte order, and a place in the file that is a multiple of their elements' size. They are not taken
    /// from the budget.
    ///
    /// # Safety
    /// Nobody changes these files as long as a tensor of them lives: engines check indices once, and a file that becomes shorter ends
    /// the process.
    pub unsafe fn mapped(budget: &'a Budget) -> Reading<'a> {
        Reading { budget, map: true }
    }
}

/// Fewer bytes are read: pages of their own would cost more than a copy.
pub const MAPPED_FROM: u64 = 1 << 20;

/// The array `info` of a file, from byte `at` on, as mapped memory; `None` where it has to be read.
///
/// # Safety
/// That of [`Reading::mapped`].
pub(super) unsafe fn map(file: &File, at: u64, info: &ArrayInfo, want: Want) -> Result<Option<Tensor>> {
    let bytes = info.byte_len()?;
    let Stored::Of(dtype) = info.stored else { return Ok(None) };
    let native = dtype.size() == 1 || info.big_endian == cfg!(target_endian = "big");
    let there = file.metadata().is_ok_and(|m| m.is_file() && m.len().checked_sub(at).is_some_and(|n| n >= bytes));
    if !native || !there || want.dtype.is_some_and(|d| d != dtype) || bytes < MAPPED_FROM {
        return Ok(None);
    }
    // Not every byte is a `bool`, or a number of fewer bits: only a look at each would tell.
    if dtype.bits() < 8 || !at.is_multiple_of(dtype.size() as u64) {
        return Ok(None);
    }
    let Ok(len) = usize::try_from(bytes) else { return Ok(None) };
    // SAFETY: nobody changes the file, by contract.
    let Ok(memory) = (unsafe { MmapOptions::new().offset(at).len(len).map_copy_read_only(file) }) else {
        return Ok(None);
    };
    let strides = if info.column_major { column_major(&info.shape) } else { row_major(&info.shape) };
    let layout = Layout::new(dtype, info.shape.clone(), Some(strides))?;
    let first = memory.as_ptr().cast_mut();
    // SAFETY: the elements lie in the mapping, which the tensor owns and nobody writes.
    unsafe { borrowed(first, layout, Box::new(memory)) }.map(Some)
}

/// The file, where it may be mapped.
pub(super) fn mappable(file: &File, reading: Reading) -> Result<Option<File>> {
    let again = || file.try_clone().map_err(|e| Error::new(tfc_ir::Code::E0601, e.to_string()));
    reading.map.then(again).transpose()
}
