//! Numbers for inputs (`randn:SEED`, `uniform:SEED`): a pure function of seed, element index and dtype, the same on
//! every machine and for every number of threads.
//!
//! Each element has its own block of Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
//! SC 2011) under the seed as key, counted in logical order. Normal deviates are Box–Muller in f64 with a portable
//! `log` and `cos`, rounded once to the dtype.
use tfc_ir::storage::Storage;
use tfc_ir::tensor::{element_count, row_major};
use tfc_ir::{C32, C64, Code, DType, Error, Result, Tensor};

/// One block of Philox4x32 with 10 rounds.
pub fn philox4x32(key: [u32; 2], counter: [u32; 4]) -> [u32; 4] {
    let ([mut k0, mut k1], [mut a, mut b, mut c, mut d]) = (key, counter);
    for _ in 0..10 {
        let p = 0xD251_1F53u64 * a as u64;
        let q = 0xCD9E_8D57u64 * c as u64;
        (a, b, c, d) = ((q >> 32) as u32 ^ b ^ k0, q as u32, (p >> 32) as u32 ^ d ^ k1, p as u32);
        k0 = k0.wrapping_add(0x9E37_79B9);
        k1 = k1.wrapping_add(0xBB67_AE85);
    }
    [a, b, c, d]
}

/// The distribution of generated inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distribution {
    /// Mean 0, variance 1; complex numbers have parts of variance 1/2.
    Normal,
    /// Uniform on [0, 1); complex numbers in each part.
    Uniform,
}

/// Two 64-bit words for element `i`.
fn words(seed: u64, i: u64) -> [u64; 2] {
    let [a, b, c, d] = philox4x32([seed as u32, (seed >> 32) as u32], [i as u32, (i >> 32) as u32, 0, 0]);
    [a as u64 | (b as u64) << 32, c as u64 | (d as u64) << 32]
}
fn unit(w: u64) -> f64 {
    (w >> 11) as f64 * f64::EPSILON / 2.0
}
/// Uniform on [0, 1) in f32: rounding an f64 could give 1.
fn unit32(w: u64) -> f32 {
    (w >> 40) as f32 * f32::EPSILON / 2.0
}
/// Two independent normal deviates.
fn normals([u, v]: [u64; 2]) -> (f64, f64) {
    let radius = libm::sqrt(-2.0 * libm::log(unit(u) + f64::EPSILON / 2.0));
    let angle = std::f64::consts::TAU * unit(v);
    (radius * libm::cos(angle), radius * libm::sin(angle))
}

/// A tensor of `shape` filled from `seed`; floating and complex dtypes only.
pub fn generate(distribution: Distribution, seed: u64, dtype: DType, shape: &[usize]) -> Result<Tensor> {
    let n = element_count(shape)?;
    macro_rules! fill {
        ($f:expr) => {{
            let v = Storage::collect(n, (0..n as u64).map(|i| words(seed, i)).map($f))?;
            Tensor::with_strides(shape, row_major(shape), 0, v)
        }};
    }
    let half = std::f64::consts::FRAC_1_SQRT_2;
    use Distribution::*;
    match (dtype, distribution) {
        (DType::F32, Normal) => fill!(|w| normals(w).0 as f32),
        (DType::F32, Uniform) => fill!(|[u, _]| unit32(u)),
        (DType::F64, Normal) => fill!(|w| normals(w).0),
        (DType::F64, Uniform) => fill!(|[u, _]| unit(u)),
        (DType::C32, Normal) => fill!(|w| {
            let (x, y) = normals(w);
            C32::new((x * half) as f32, (y * half) as f32)
        }),
        (DType::C32, Uniform) => fill!(|[u, v]| C32::new(unit32(u), unit32(v))),
        (DType::C64, Normal) => fill!(|w| {
            let (x, y) = normals(w);
            C64::new(x * half, y * half)
        }),
        (DType::C64, Uniform) => fill!(|[u, v]| C64::new(unit(u), unit(v))),
        (d, Normal) if d.is_float() => Tensor::from_reals(d, shape, (0..n as u64).map(|i| normals(words(seed, i)).0)),
        // As many bits as the dtype has: rounding more of them could give 1.
        (d, Uniform) if d.is_float() => {
            let digits = d.float_bits().map_or(8, |(_, mantissa)| mantissa + 1);
            let one = |i: u64| (words(seed, i)[0] >> (64 - digits)) as f64 * (-f64::from(digits)).exp2();
            Tensor::from_reals(d, shape, (0..n as u64).map(one))
        }
        _ => Err(Error::new(Code::E0606, format!("random inputs are floating or complex, but {dtype} is expected"))
            .help("give a literal or a file")),
    }
}

/// What is tested from inside.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn philox_gives_the_published_vectors() {
        // Known answers of the Random123 distribution.
        assert_eq!(philox4x32([0; 2], [0; 4]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        assert_eq!(
            philox4x32([0xa4093822, 0x299f31d0], [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344]),
            [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]
        );
    }

    fn moments_are_those_of_the_distribution() {
        let moments = |d, t| {
            let v: Vec<f64> = generate(d, 7, t, &[200, 100]).unwrap().to_logical().unwrap();
            let mean = v.iter().sum::<f64>() / v.len() as f64;
            (mean, v.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / v.len() as f64)
        };
        let (mean, variance) = moments(Distribution::Normal, DType::F64);
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
        let (mean, variance) = moments(Distribution::Uniform, DType::F64);
        assert!((mean - 0.5).abs() < 0.01 && (variance - 1.0 / 12.0).abs() < 0.005, "{mean} {variance}");
    }

    fn numbers_are_fixed_for_ever() {
        let v: Vec<f64> = generate(Distribution::Normal, 1, DType::F64, &[2]).unwrap().to_logical().unwrap();
        let first: Vec<f64> = generate(Distribution::Normal, 1, DType::F64, &[3, 5]).unwrap().to_logical().unwrap();
        assert_eq!(v, first[..2]);
        assert_eq!(generate(Distribution::Normal, 1, DType::I64, &[2]).unwrap_err().data().code.name(), "E0606");
        assert_ne!(words(1, 0), words(2, 0));
    }
    /// All of them.
    pub const ALL: &[fn()] =
        &[philox_gives_the_published_vectors, moments_are_those_of_the_distribution, numbers_are_fixed_for_ever];
}
