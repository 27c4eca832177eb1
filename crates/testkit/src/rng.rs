//! The stream that test programs are drawn from.
use tfc_ir::sample::Draw;

/// Pseudo-random choices: the bits of [`Draw`], the same for a seed on every machine.
#[derive(Clone, Debug)]
pub struct Rng(Draw);
impl Rng {
    /// The stream of that seed.
    pub fn new(seed: u64) -> Rng {
        Rng(Draw::new(seed))
    }
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }
    /// Less than `n`; 0 where `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }
    /// An element of a list that is not empty.
    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
    /// Uniform in −1…1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }
}
