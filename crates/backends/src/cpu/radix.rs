//! Stable sorting of items by unsigned keys: least significant byte first, bytes that all items share left out. Keys of a
//! narrow range – permutations, flags, labels – take as many passes as they have bytes that differ.

/// What is sorted.
pub(crate) trait Item: Copy {
    /// Decides the order.
    fn key(self) -> u64;
}
/// Up to this many items are sorted by insertion.
const FEW: usize = 32;

/// Sorts `items`, of whose keys the lowest `bytes` bytes count and the others are 0; gives the half that holds the result.
/// Items of equal keys keep their order.
pub(crate) fn radix_sort<'a, T: Item>(items: &'a mut [T], spare: &'a mut [T], bytes: usize) -> &'a [T] {
    let n = items.len();
    if n <= FEW {
        for i in 1..n {
            let x = items[i];
            let mut j = i;
            while j > 0 && x.key() < items[j - 1].key() {
                items[j] = items[j - 1];
                j -= 1;
            }
            items[j] = x;
        }
        return items;
    }
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
    let (mut from, mut to) = (items, spare);
    for (d, c) in counts.iter_mut().enumerate() {
        if c.contains(&n) {
            continue;
        }
        let mut at = 0;
        for c in c.iter_mut() {
            at += std::mem::replace(c, at);
        }
        for &x in from.iter() {
            let c = &mut c[(x.key() >> (8 * d)) as usize & 255];
            to[*c] = x;
            *c += 1;
        }
        std::mem::swap(&mut from, &mut to);
    }
    from
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
        for n in [0usize, 1, 2, 31, 32, 33, 100, 1000, 5000] {
            for (bytes, mask) in
                [(8, u64::MAX), (8, 0xff00_0000_0000_00ff), (4, 0xffff_ffff), (1, 1), (2, 0), (8, 0xffff)]
            {
                let mut items: Vec<(u64, u32)> = (0..n).map(|i| (draw.bits() & mask, i as u32)).collect();
                let mut want = items.clone();
                want.sort_by_key(|x| x.0);
                let mut spare = vec![(0, 0); n];
                assert_eq!(radix_sort(&mut items, &mut spare, bytes), want, "{n} items, {bytes} bytes, mask {mask:x}");
                let mut again = want.clone();
                assert_eq!(radix_sort(&mut again, &mut spare, bytes), want, "sorted already");
            }
        }
    }
}
