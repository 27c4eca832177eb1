//! What a budget gives and refuses.
use std::time::Duration;

use tfc_ir::budget::{BYTES_PER_OP, FREE_BYTES, MOST_OPS};
use tfc_ir::{Budget, Limits, Result};

fn code<T>(r: Result<T>) -> &'static str {
    r.err().map_or("", |e| e.data().code.name())
}

#[test]
fn nothing_said_is_no_limit_but_on_ops() {
    let b = Budget::default();
    assert_eq!(code(b.check()), "");
    assert_eq!(code(b.charge(usize::MAX / 2)), "");
    assert_eq!(code(b.spend(u64::MAX)), "");
    assert_eq!((code(b.ops(MOST_OPS)), code(b.ops(MOST_OPS + 1))), ("", "E0720"));
    assert_eq!(code(Budget::unlimited().ops(usize::MAX)), "");
}
#[test]
fn memory_is_given_back() {
    let b = Budget::new(Limits { memory: Some(100), ..Limits::default() });
    let mut held = b.hold(60).unwrap();
    assert_eq!((code(b.hold(41)), b.bytes()), ("E0715", 60));
    assert_eq!((code(held.resize(101)), b.bytes(), held.bytes()), ("E0715", 60, 60));
    held.resize(20).unwrap();
    assert_eq!(b.bytes(), 20);
    held.resize(100).unwrap();
    assert_eq!((code(b.charge(usize::MAX)), b.bytes()), ("E0715", 100));
    drop(held);
    assert_eq!((code(b.charge(100)), b.bytes()), ("", 100));
}
#[test]
fn memory_limits_programs_beyond_what_is_free() {
    let b = Budget::new(Limits { memory: Some(1 << 20), ..Limits::default() });
    let most = ((1 << 20) + FREE_BYTES) / BYTES_PER_OP;
    assert_eq!((code(b.ops(most)), code(b.ops(most + 1))), ("", "E0715"));
    assert_eq!(code(b.ops(MOST_OPS + 1)), "E0720");
    assert_eq!(code(Budget::new(Limits { memory: Some(0), ..Limits::default() }).ops(1000)), "");
}
#[test]
fn fuel_and_time_end() {
    let b = Budget::new(Limits { fuel: Some(3), ..Limits::default() });
    assert_eq!((code(b.spend(3)), code(b.spend(1))), ("", "E0713"));
    assert_eq!((code(b.again().spend(3)), code(b.check())), ("", ""));
    let b = Budget::new(Limits { time: Some(Duration::from_millis(2)), ..Limits::default() });
    while b.check().is_ok() {}
    assert!(b.check().unwrap_err().to_string().contains("0.002 s"));
    assert_eq!((code(b.ops(1)), code(b.spend(1)), b.time_left()), ("E0714", "E0714", Some(Duration::ZERO)));
    assert_eq!(code(Budget::new(Limits { time: Some(Duration::MAX), ..Limits::default() }).check()), "");
}
#[test]
fn another_thread_may_cancel() {
    let b = Budget::default();
    let other = b.clone();
    std::thread::spawn(move || other.cancel()).join().unwrap();
    assert!(b.check().unwrap_err().to_string().contains("cancelled"));
}
