//! A mode for tests that shows wrong uses of memory: `TFC_POISON=1`, in builds with debug assertions; elsewhere it costs
//! nothing.
//!
//! A buffer is filled with poison whenever it is given out anew, and by a chance of one in four it moves then as well: who has
//! kept its address reads poison, or writes to memory that was given back. Such memory is poisoned too and kept for a while
//! before it is freed; after each call it is looked through, as is a zone behind each buffer. A byte there that is no longer
//! poison is an error of the call. What is done by chance is the same in every run of the process.
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use tfc_ir::storage::Storage;
use tfc_ir::{Code, Error, Result};

use super::mem::Ptr;

/// Not a number in every floating-point type, no truth value, -1 as an integer.
const POISON: u8 = 0xff;
/// Bytes behind a buffer that nobody may write.
const ZONE: usize = 64;
/// Bytes of memory given back that a thread keeps.
const KEPT: usize = 1 << 20;

/// 0: not known yet, 1: off, 2: on.
static MODE: AtomicU8 = AtomicU8::new(0);

/// Whether the mode is on.
#[inline]
pub(crate) fn on() -> bool {
    cfg!(debug_assertions)
        && match MODE.load(Ordering::Relaxed) {
            0 => asked(),
            mode => mode == 2,
        }
}
#[cold]
fn asked() -> bool {
    let on = std::env::var_os("TFC_POISON").is_some_and(|v| v == "1");
    MODE.store(if on { 2 } else { 1 }, Ordering::Relaxed);
    on
}
/// Turns the mode on for this process, for tests that run programs in their own.
pub(crate) fn turn_on() {
    MODE.store(2, Ordering::Relaxed);
}

/// Something was found to be wrong, on any thread, since it was asked last.
static FAULT: AtomicBool = AtomicBool::new(false);

/// Memory given back on a thread, oldest first.
#[derive(Default)]
struct Freed {
    list: VecDeque<Storage<u8>>,
    bytes: usize,
}
thread_local! {
    static CHANCE: Cell<u32> = const { Cell::new(0x9e37_79b9) };
    static FREED: RefCell<Freed> = RefCell::default();
}

/// Whether a buffer that is large enough is to move.
#[inline]
pub(crate) fn moves() -> bool {
    on() && CHANCE.with(|c| {
        // Xorshift (Marsaglia 2003).
        let mut x = c.get();
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        c.set(x);
        x >> 30 == 0
    })
}
/// Memory for a buffer of `bytes`.
pub(crate) fn room(bytes: usize) -> Result<Storage<u8>> {
    if !on() {
        return Storage::room(bytes);
    }
    let s = Storage::room(bytes.saturating_add(ZONE))?;
    fill(Ptr(s.address()), s.capacity());
    Ok(s)
}
/// Poisons memory whose contents nobody reads any more.
#[inline]
pub(crate) fn fill(at: Ptr, bytes: usize) {
    if on() && bytes > 0 && at != Ptr::NULL {
        // SAFETY: the caller has that much memory there, and nobody else uses it.
        unsafe { at.0.write_bytes(POISON, bytes) };
    }
}
fn is_poison(s: &Storage<u8>, from: usize) -> bool {
    // SAFETY: memory of this mode was filled when it was allocated; bytes from `from` on have been written by nobody who may.
    let bytes = unsafe { std::slice::from_raw_parts(s.address(), s.capacity()) };
    bytes[from.min(bytes.len())..].iter().all(|&b| b == POISON)
}
/// Whether what lies behind the first `room` bytes is as it was.
pub(crate) fn intact(s: &Storage<u8>, room: usize) -> bool {
    // What was allocated before the mode was turned on has no zone.
    !on() || s.capacity() < room.saturating_add(ZONE) || is_poison(s, room)
}
/// Takes memory of `room` bytes that is given back.
pub(crate) fn retire(s: Storage<u8>, room: usize) {
    if !on() {
        return;
    }
    note(intact(&s, room));
    fill(Ptr(s.address()), s.capacity());
    // A thread that ends gives its memory back at once.
    let _ = FREED.try_with(|f| {
        let Ok(mut f) = f.try_borrow_mut() else { return };
        f.bytes += s.capacity();
        f.list.push_back(s);
        while f.bytes > KEPT
            && let Some(s) = f.list.pop_front()
        {
            f.bytes -= s.capacity();
            note(is_poison(&s, 0));
        }
    });
}
/// Notes whether memory is as it has to be.
pub(crate) fn note(ok: bool) {
    if !ok {
        FAULT.store(true, Ordering::Relaxed);
    }
}
/// Fails if anything has gone wrong since the last call of this function, as far as it shows.
///
/// # Errors
/// `E0718` where something was written that belongs to nobody.
pub(crate) fn check() -> Result<()> {
    if !on() {
        return Ok(());
    }
    FREED.with(|f| {
        let mut f = f.borrow_mut();
        if f.list.iter().any(|s| !is_poison(s, 0)) {
            note(false);
            // Each fault is told once.
            *f = Freed::default();
        }
    });
    if FAULT.swap(false, Ordering::Relaxed) {
        return Err(Error::bug(Code::E0718, "memory was written that belongs to nobody"));
    }
    Ok(())
}
