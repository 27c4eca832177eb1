//! A hasher for tables inside one run of the compiler: fast on the few words of an op, the same in every process. Not for
//! keys that an adversary picks, and never for what is stored.
use std::hash::{BuildHasherDefault, Hasher};

/// Multiplies to twice the width and folds the halves, a word at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordHasher(u64);
/// Makes [`WordHasher`]s.
pub type WordHash = BuildHasherDefault<WordHasher>;

/// An odd number without pattern: the golden ratio's fraction.
const PHI: u64 = 0x9e37_79b9_7f4a_7c15;

impl WordHasher {
    fn word(&mut self, x: u64) {
        // The addition keeps runs of zeros from staying zero.
        let p = u128::from((self.0 ^ x).wrapping_add(PHI)) * u128::from(PHI);
        self.0 = (p as u64) ^ ((p >> 64) as u64);
    }
}
impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.word(u64::from_le_bytes(word));
        }
    }
    fn write_u8(&mut self, x: u8) {
        self.word(x.into());
    }
    fn write_u32(&mut self, x: u32) {
        self.word(x.into());
    }
    fn write_u64(&mut self, x: u64) {
        self.word(x);
    }
    fn write_usize(&mut self, x: usize) {
        self.word(x as u64);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}
