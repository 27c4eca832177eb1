//! Small elements beside an independent crate.
use tfc_ir::small::{Small, ToHalf, odd, shortest};
use tfc_ir::{BF16, F16};

/// Every number there is comes back; between two neighbours the nearer one is taken, the even one in the middle.
fn all<T: Small<Wide = f32>>(of: fn(u16) -> T, bits: fn(T) -> u16, outside: fn(f32) -> u16) {
    for b in 0..=u16::MAX {
        let x = of(b).widen();
        assert_eq!(x.is_nan(), T::narrow(x).widen().is_nan(), "{b:#x}");
        if !x.is_nan() {
            assert_eq!(bits(T::narrow(x)), b, "{x:e}");
            let text = shortest(of(b));
            assert_eq!(bits(T::narrow(odd(text.parse().unwrap()))), b, "{text}");
        }
        for near in
            [x.to_bits().wrapping_sub(1), x.to_bits().wrapping_add(1), x.to_bits() ^ 0x1000, x.to_bits() ^ 0x8000]
        {
            for near in [near, near.wrapping_add(1), near.wrapping_sub(1)] {
                let y = f32::from_bits(near);
                if !y.is_nan() {
                    assert_eq!(bits(T::narrow(y)), outside(y), "{y:e}");
                }
            }
        }
    }
}
#[test]
fn numbers_round_as_an_independent_crate_rounds_them() {
    all(BF16::from_bits, BF16::to_bits, |x| BF16::from_f32(x).to_bits());
    all(F16::from_bits, F16::to_bits, |x| F16::from_f32_const(x).to_bits());
    for b in 0..=u16::MAX {
        let x = F16::from_bits(b);
        assert!(x.is_nan() || x.widen().to_bits() == x.to_f32_const().to_bits(), "{b:#x}");
        let y = BF16::from_bits(b);
        assert!(y.is_nan() || y.widen().to_bits() == y.to_f32().to_bits(), "{b:#x}");
    }
}
#[test]
fn wide_numbers_are_rounded_once() {
    // A little more than the middle between 1 and its neighbour, which `f32` does not see.
    let x = 1.0 + 2f64.powi(-8) + 2f64.powi(-40);
    assert_eq!(BF16::narrow(x.single()).to_bits(), 0x3f81);
    assert_eq!(BF16::narrow(x as f32).to_bits(), 0x3f80);
    let n = (1i64 << 40) + (1 << 32) + 1;
    assert_eq!(BF16::narrow(n.single()).widen(), 2f32.powi(40) + 2f32.powi(33));
    assert_eq!(BF16::narrow(f64::MAX.single()).widen(), f32::INFINITY);
    assert_eq!(F16::narrow(65519.999.single()).widen(), 65504.0);
    assert_eq!(F16::narrow(65520.0.single()).widen(), f32::INFINITY);
    assert_eq!(F16::narrow((-1e-300).single()).to_bits(), 0x8000);
    assert_eq!(F16::narrow(u64::MAX.single()).widen(), f32::INFINITY);
    assert_eq!(shortest(BF16::narrow(0.1)), "0.1");
    assert_eq!(shortest(F16::narrow(65504.0)), "65500.0");
}
