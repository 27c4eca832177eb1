//! The hash of small keys.
use std::hash::Hasher;

use std::collections::HashSet;
use std::hash::Hash;
use tfc_ir::hash::WordHasher;

#[test]
fn small_keys_do_not_collide() {
    let mut seen = HashSet::new();
    for a in 0..300u32 {
        for b in 0..300u32 {
            let mut h = WordHasher::default();
            (a, b, "axes").hash(&mut h);
            // Tables use the low bits and the highest seven.
            assert!(seen.insert(h.finish()));
        }
    }
    let low: HashSet<u64> = seen.iter().map(|h| h & 0xffff).collect();
    assert!(low.len() > 40_000, "{}", low.len());
}
