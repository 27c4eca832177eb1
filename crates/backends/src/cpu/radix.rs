//! Stable sorting of items by unsigned keys: least significant byte first, bytes that all items share left out. Keys of a
//! narrow range – flags, labels, small counts – take as many passes as they have bytes that differ.
use std::mem::MaybeUninit;

/// What is sorted.
pub(crate) trait Item: Copy {
    /// Decides the order.
    fn key(self) -> u64;
}
impl Item for u32 {
    #[inline(always)]
    fn key(self) -> u64 {
        self.into()
    }
}
impl Item for u64 {
    #[inline(always)]
    fn key(self) -> u64 {
        self
    }
}
/// Up to this many items are sorted by insertion.
const FEW: usize = 32;

/// Sorts `items`, of whose keys the lowest `bytes` bytes count and the others are 0; gives the half that holds the result.
/// Items of equal keys keep their order. `spare` has at least as much room.
pub(crate) fn radix_sort<'a, T: Item>(
    items: &'a mut [T],
    spare: &'a mut [MaybeUninit<T>],
    bytes: usize,
) -> &'a mut [T] {
    let n = items.len();
    if n <= FEW {
        insertion_sort(items);
        return items;
    }
    let spare = &mut spare[..n];
    let mut counts = [[0usize; 256]; 8];
    let counts = &mut counts[..bytes.min(8)];
    let mut sorted = true;
    let mut last = 0;
    for x in items.iter() {
        let k = x.key();
        sorted &= last <= k;
        last = k;
        for (d, c) in counts.iter_mut().enumerate() {
            c[(k >> (8 * d)) as usize & 255] += 1;
        }
    }
    if sorted {
        return items;
    }
    let (mut from, mut to) = (items.as_mut_ptr(), spare.as_mut_ptr().cast::<T>());
    for (d, c) in counts.iter_mut().enumerate() {
        if c.contains(&n) {
            continue;
        }
        let mut at = 0;
        for c in c.iter_mut() {
            at += std::mem::replace(c, at);
        }
        for i in 0..n {
            // SAFETY: both halves have room for `n` items, and all of `from` are set: at first they are the items given,
            // later the last pass has set each once. The counts are those of these items: their running sums stay
            // below `n`.
            unsafe {
                let x = *from.add(i);
                let c = &mut c[(x.key() >> (8 * d)) as usize & 255];
                to.add(*c).write(x);
                *c += 1;
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

#[cfg(test)]
mod tests {
    use super::*;
    impl Item for (u64, u32) {
        fn key(self) -> u64 {
            self.0
        }
    }
    #[test]
    fn as_the_stable_sort_of_the_standard_library() {
        let mut draw = tfc_ir::sample::Draw::new(5);
        let masks = [(8, u64::MAX), (8, 0xff00_0000_0000_00ff), (4, 0xffff_ffff), (1, 1), (2, 0), (8, 0xffff)];
        for n in [0usize, 1, 2, 31, 32, 33, 100, 1000, 5000] {
            for (bytes, mask) in masks {
                let mut items: Vec<(u64, u32)> = (0..n).map(|i| (draw.bits() & mask, i as u32)).collect();
                let mut want = items.clone();
                want.sort_by_key(|x| x.0);
                let mut spare = vec![MaybeUninit::uninit(); n];
                assert_eq!(radix_sort(&mut items, &mut spare, bytes), want, "{n} items, {bytes} bytes, mask {mask:x}");
                let mut again = want.clone();
                assert_eq!(radix_sort(&mut again, &mut spare, bytes), want, "sorted already");
            }
        }
    }
}
