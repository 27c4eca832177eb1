//! Memory of tensors.
use std::ptr::NonNull;

use tfc_ir::storage::{LINE, Storage};

/// Pages of this size hold storages of more than two of them.
const HUGE: usize = 2 << 20;

#[test]
fn addresses_suit_the_size() {
    for (n, align) in [(8, LINE), (1000, LINE), (HUGE / 4 + 1, HUGE)] {
        let s = Storage::<f64>::full(n, 1.5).unwrap();
        assert_eq!(s.address() as usize % align, 0, "{n}");
        assert!(s.capacity() >= n && s.len() == n && s.iter().all(|&x| x == 1.5));
    }
}
#[test]
fn a_vec_keeps_its_address() {
    let mut v: Vec<i32> = Vec::with_capacity(10);
    v.extend([1, 2, 3]);
    let p = v.as_ptr();
    let s = Storage::from(v);
    assert_eq!((&s[..], s.as_ptr(), s.capacity()), (&[1, 2, 3][..], p, 10));
    assert_eq!(Storage::from(Vec::<u64>::new()).len(), 0);
}
#[test]
fn memory_of_somebody_else_is_read_and_given_back() {
    use std::sync::Arc;
    let elements = Arc::new([1.0, 2.0, 3.0]);
    let at = NonNull::from(&elements[..]).cast::<f64>();
    // SAFETY: the array lives as long as a reference to it, and nobody writes it.
    let s = unsafe { Storage::foreign(at, 3, Box::new(elements.clone())) }.unwrap();
    assert!(s.is_foreign() && s[..] == [1.0, 2.0, 3.0]);
    let mut data = tfc_ir::Data::F64(Arc::new(s));
    assert!(data.exclusive().is_none(), "nobody may write it");
    assert_eq!(Arc::strong_count(&elements), 2);
    data = tfc_ir::Data::F64(Arc::new(Storage::room(0).unwrap()));
    assert!(data.is_empty());
    assert_eq!(Arc::strong_count(&elements), 1);
}
#[test]
fn what_cannot_be_had_is_an_error() {
    assert_eq!(Storage::<f64>::room(usize::MAX).unwrap_err().data().code.name(), "E0705");
    assert_eq!(Storage::<f64>::room(usize::MAX / 16).unwrap_err().data().code.name(), "E0705");
    assert!(Storage::<f64>::room(0).unwrap().is_empty());
}
#[test]
#[should_panic(expected = "no room")]
fn nothing_is_written_beyond_the_end() {
    let mut s = Storage::collect(2, [1u8, 2]).unwrap();
    while s.len() < 100 {
        s.push(3);
    }
}
