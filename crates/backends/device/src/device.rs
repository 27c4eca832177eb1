//! What runs kernels: memory, copies and launches, in one order (a stream).
use std::sync::MutexGuard;

use tfc_ir::Result;

use crate::libraries::Libraries;
use crate::text::Source;

/// An address in the memory of a device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Ptr(pub u64);
impl Ptr {
    /// The pointer that many bytes further on.
    #[must_use]
    pub fn at(self, bytes: isize) -> Ptr {
        Ptr(self.0.wrapping_add_signed(bytes as i64))
    }
}
/// How many blocks, of how many threads each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block, at most 1024 in all.
    pub block: [u32; 3],
}
/// An argument of a launch.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// An address.
    Ptr(Ptr),
    /// Numbers of 64 bits, one after the other: extents, strides, counts.
    Longs(Vec<i64>),
    /// Numbers of 32 bits, one after the other.
    Words(Vec<u32>),
}
impl Arg {
    /// Where the bytes of the value are, as C lays it out, and how many there are.
    pub fn value(&self) -> (*const u8, usize) {
        match self {
            Arg::Ptr(p) => ((&raw const p.0).cast(), 8),
            Arg::Longs(v) => (v.as_ptr().cast(), size_of_val(v.as_slice())),
            Arg::Words(v) => (v.as_ptr().cast(), size_of_val(v.as_slice())),
        }
    }
}
/// Kernels that a device has compiled and loaded.
pub trait Module: Send + Sync {
    /// Starts the kernel of that name, after everything that was started before it.
    ///
    /// # Errors
    /// `E1303` what the device says of it.
    fn launch(&self, kernel: &str, shape: Shape, args: &[Arg]) -> Result<()>;
}
/// Bytes that are on their way to the host.
pub trait Fetched: Send {
    /// Waits for them.
    ///
    /// # Errors
    /// `E1303` what the device says.
    fn wait(self: Box<Self>) -> Result<Vec<u8>>;
}
/// What was started once, and can be started again as a whole.
pub trait Recorded: Send + Sync {
    /// Starts it, after everything that was started before.
    ///
    /// # Errors
    /// `E1303` what the device says.
    fn start(&self) -> Result<()>;
}
/// A device. What is started on it runs in the order in which it was started.
pub trait Device: Send + Sync {
    /// What it is, for people.
    fn describe(&self) -> String;
    /// Memory for that many bytes, aligned to 256; what is in it is not defined.
    ///
    /// # Errors
    /// `E0705` there is none.
    fn alloc(&self, bytes: usize) -> Result<Ptr>;
    /// Gives memory back, once everything started before is done.
    fn free(&self, p: Ptr);
    /// Copies from the host.
    ///
    /// # Errors
    /// `E1303` what the device says.
    fn upload(&self, to: Ptr, from: &[u8]) -> Result<()>;
    /// Copies to the host, once everything started before is done.
    ///
    /// # Errors
    /// The same.
    fn download(&self, from: Ptr, to: &mut [u8]) -> Result<()>;
    /// Copies between two places of the device that do not overlap.
    ///
    /// # Errors
    /// The same.
    fn copy(&self, to: Ptr, from: Ptr, bytes: usize) -> Result<()>;
    /// Compiles and loads kernels.
    ///
    /// # Errors
    /// `E1302` they do not compile.
    fn load(&self, source: &Source) -> Result<Box<dyn Module>>;
    /// The device for one caller, until that is dropped: calls of programs follow each other.
    fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        None
    }
    /// Copies to the host without waiting for it.
    ///
    /// # Errors
    /// `E1303` what the device says.
    fn fetch(&self, from: Ptr, bytes: usize) -> Result<Box<dyn Fetched>> {
        let mut b = vec![0; bytes];
        self.download(from, &mut b)?;
        Ok(Box::new(Here(b)))
    }
    /// Takes down what `work` starts, which is not run; `None` where that cannot be done, on this device or with this work.
    ///
    /// # Errors
    /// What `work` reports.
    fn record(&self, _work: &mut dyn FnMut() -> Result<()>) -> Result<Option<Box<dyn Recorded>>> {
        Ok(None)
    }
    /// What solves large problems, if the device has it.
    fn libraries(&self) -> Option<&dyn Libraries> {
        None
    }
}
/// Bytes that have been copied from the device already, so that nobody waits for them.
struct Here(Vec<u8>);
impl Fetched for Here {
    fn wait(self: Box<Self>) -> Result<Vec<u8>> {
        Ok(self.0)
    }
}
