//! Sorting of items by unsigned keys: byte by byte, the least significant first, in as many passes as there are bytes that
//! differ; few items by comparison.
use std::mem::MaybeUninit;

/// What is sorted.
pub(crate) trait Item: Copy {
    /// The key, and behind it whatever tells items of equal keys apart.
    type Whole: Ord;
    /// Decides the order.
    fn key(self) -> u64;
    /// See [`Item::Whole`].
    fn whole(self) -> Self::Whole;
}
macro_rules! words {
    ($($t:ident)*) => { $(impl Item for $t {
        type Whole = $t;
        #[inline(always)]
        fn key(self) -> u64 { self.into() }
        #[inline(always)]
        fn whole(self) -> $t { self }
    })* };
}
words!(u32 u64);
/// Up to this many items are sorted by insertion.
const FEW: usize = 32;
/// Passes are worth while for at least this many items.
const MANY: usize = 512;
/// Most bytes that are passed over; what is equal in these and differs in others is sorted by comparison.
const AT_ONCE: u32 = 4;

/// Bit `d` is set where byte `d` of the keys is not the same in all of them; none where they ascend already.
fn varying(items: &[impl Item]) -> u8 {
    let (mut bits, mut last, mut sorted) = (0, 0, true);
    let first = items.first().map_or(0, |x| x.key());
    for x in items {
        let k = x.key();
        bits |= k ^ first;
        sorted &= last <= k;
        last = k;
    }
    if sorted { 0 } else { (0..8).filter(|d| (bits >> (8 * d)) & 255 != 0).fold(0, |m, d| m | 1 << d) }
}
/// Sorts `items`, of which those of equal keys are in order already, by whichever method is faster; gives the half that
/// holds the result. `spare` has at least as much room.
pub(crate) fn sort_whole<'a, T: Item>(items: &'a mut [T], spare: &'a mut [MaybeUninit<T>]) -> &'a mut [T] {
    if items.len() < MANY {
        items.sort_unstable_by_key(|x| x.whole());
        return items;
    }
    let bytes = varying(items);
    let mut high = bytes;
    while high.count_ones() > AT_ONCE {
        high &= high - 1;
    }
    let sorted = passes(items, spare, high);
    if high != bytes {
        let shift = 8 * high.trailing_zeros();
        for run in sorted.chunk_by_mut(|a, b| a.key() >> shift == b.key() >> shift).filter(|r| r.len() > 1) {
            run.sort_unstable_by_key(|x| x.whole());
        }
    }
    sorted
}
/// Sorts `items` by key; those of equal keys keep their order. Otherwise as [`sort_whole`].
pub(crate) fn sort_stable<'a, T: Item>(items: &'a mut [T], spare: &'a mut [MaybeUninit<T>]) -> &'a mut [T] {
    if items.len() <= FEW {
        insertion_sort(items);
        return items;
    }
    let bytes = varying(items);
    passes(items, spare, bytes)
}
/// A pass for each of these bytes, the lowest first.
fn passes<'a, T: Item>(items: &'a mut [T], spare: &'a mut [MaybeUninit<T>], bytes: u8) -> &'a mut [T] {
    let n = items.len();
    let spare = &mut spare[..n];
    let (mut from, mut to) = (items.as_mut_ptr(), spare.as_mut_ptr().cast::<T>());
    for d in (0..8).filter(|d| bytes >> d & 1 == 1) {
        let digit = |x: T| (x.key() >> (8 * d)) as usize & 255;
        let mut places = [0usize; 256];
        for i in 0..n {
            // SAFETY: both halves have room for `n` items, and all of `from` are set: at first they are the items given,
            // later the last pass has set each once.
            places[digit(unsafe { *from.add(i) })] += 1;
        }
        let mut at = 0;
        for p in &mut places {
            at += std::mem::replace(p, at);
        }
        for i in 0..n {
            // SAFETY: as above; the running sums of the counts of these very items stay below `n`.
            unsafe {
                let x = *from.add(i);
                let p = &mut places[digit(x)];
                to.add(*p).write(x);
                *p += 1;
            }
        }
        std::mem::swap(&mut from, &mut to);
    }
    // SAFETY: one of the two halves, set wholly, borrowed for `'a`.
    unsafe { std::slice::from_raw_parts_mut(from, n) }
}
fn insertion_sort<T: Item>(items: &mut [T]) {
    for i in 1..items.len() {
        let x = items[i];
        let mut j = i;
        while j > 0 && x.key() < items[j - 1].key() {
            items[j] = items[j - 1];
            j -= 1;
        }
        items[j] = x;
    }
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    impl Item for (u64, u32) {
        type Whole = (u64, u32);
        fn key(self) -> u64 {
            self.0
        }
        fn whole(self) -> (u64, u32) {
            self
        }
    }
    fn as_the_stable_sort_of_the_standard_library() {
        let mut draw = tfc_ir::sample::Draw::new(5);
        for n in [0usize, 1, 2, 31, 32, 33, 100, 1000, 5000] {
            for mask in [u64::MAX, 0xff00_0000_0000_00ff, 0xffff_ffff, 1, 0, 0xffff] {
                let items: Vec<(u64, u32)> = (0..n).map(|i| (draw.bits() & mask, i as u32)).collect();
                let mut want = items.clone();
                want.sort_by_key(|x| x.0);
                let mut spare = vec![MaybeUninit::uninit(); n];
                for sort in [sort_whole, sort_stable] {
                    assert_eq!(sort(&mut items.clone(), &mut spare), want, "{n} items, mask {mask:x}");
                    assert_eq!(sort(&mut want.clone(), &mut spare), want, "sorted already");
                }
            }
        }
    }
    fn equal_keys_keep_their_order() {
        let mut items: Vec<(u64, u32)> = (0..1000).map(|i| (u64::from(i % 3), 1000 - i)).collect();
        let mut want = items.clone();
        want.sort_by_key(|x| x.0);
        assert_eq!(sort_stable(&mut items, &mut vec![MaybeUninit::uninit(); 1000]), want);
    }
    /// All of them.
    pub const ALL: &[fn()] = &[as_the_stable_sort_of_the_standard_library, equal_keys_keep_their_order];
}
