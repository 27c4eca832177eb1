//! Small elements beside an independent crate.
use tfc_ir::small::{Small, Special, ToHalf, odd, shortest};
use tfc_ir::{BF16, DType, F16, with_small_float, with_small_int};

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

/// The number of a pattern, by the definition of its format.
fn defined(d: DType, bits: u32) -> f64 {
    let f = d.format().unwrap();
    let sign = if bits >> (f.bits() - 1) & 1 == 1 { -1.0 } else { 1.0 };
    let (e, m) = ((bits >> f.mantissa & ((1 << f.exponent) - 1)) as i32, bits & ((1 << f.mantissa) - 1));
    let ones = (e == (1 << f.exponent) - 1, m == (1 << f.mantissa) - 1);
    match f.special {
        Special::Ieee if ones.0 => return if m == 0 { sign * f64::INFINITY } else { f64::NAN },
        Special::Nan if ones == (true, true) => return f64::NAN,
        Special::Unsigned if sign < 0.0 && e == 0 && m == 0 => return f64::NAN,
        _ => {}
    }
    let whole = f64::from(if e == 0 { m } else { m | 1 << f.mantissa });
    sign * whole * f64::from(e.max(1) - f.bias - f.mantissa as i32).exp2()
}
/// The published greatest numbers, least ones, and biases by way of 1.
#[test]
fn tiny_formats_are_the_published_ones() {
    use DType::*;
    let known = [
        (F4E2M1FN, 6.0, 0.5, 0x2),
        (F6E2M3FN, 7.5, 0.125, 0x8),
        (F6E3M2FN, 28.0, 0.0625, 0xc),
        (F8E3M4, 15.5, 2f64.powi(-6), 0x30),
        (F8E4M3, 240.0, 2f64.powi(-9), 0x38),
        (F8E4M3B11FNUZ, 30.0, 2f64.powi(-13), 0x58),
        (F8E4M3FN, 448.0, 2f64.powi(-9), 0x38),
        (F8E4M3FNUZ, 240.0, 2f64.powi(-10), 0x40),
        (F8E5M2, 57344.0, 2f64.powi(-16), 0x3c),
        (F8E5M2FNUZ, 57344.0, 2f64.powi(-17), 0x40),
        (F16, 65504.0, 2f64.powi(-24), 0x3c00),
        (BF16, 3.3895313892515355e38, 2f64.powi(-133), 0x3f80),
    ];
    assert_eq!(known.len() + DType::TINY.iter().filter(|d| d.is_int()).count(), DType::TINY.len() + 2);
    for (d, most, least, one) in known {
        let f = d.format().unwrap();
        assert_eq!(f64::from(f.most()), most, "{d}");
        assert_eq!((defined(d, 1), defined(d, one)), (least, 1.0), "{d}");
    }
}
#[test]
fn tiny_numbers_are_the_nearest_ones() {
    for d in DType::TINY.into_iter().filter(|d| d.is_float()) {
        let all: Vec<(u32, f64)> = (0..1 << d.bits()).map(|b| (b, defined(d, b))).collect();
        let finite = || all.iter().copied().filter(|x| x.1.is_finite());
        let beyond = d.format().unwrap();
        // By the definition: the nearest one; in the middle of two the even pattern; the sign of what becomes 0 stays where there is a −0.
        let want = |x: f64| {
            let size = x.abs();
            let most = f64::from(beyond.most());
            // What would be the next one behind the greatest.
            let step = most - finite().map(|y| y.1).filter(|&y| y < most).fold(f64::NEG_INFINITY, f64::max);
            let even = finite().find(|y| y.1 == most).unwrap().0 % 2 == 0;
            if size > most + step / 2.0 || size == most + step / 2.0 && !even {
                return f64::from(beyond.beyond()).copysign(x);
            }
            let near = finite().filter(|y| !y.1.is_sign_negative()).min_by(|a, b| {
                let by = |y: &(u32, f64)| (y.1 - size).abs();
                by(a).total_cmp(&by(b)).then((a.0 % 2).cmp(&(b.0 % 2)))
            });
            let near = near.unwrap().1.copysign(x);
            if beyond.special == Special::Unsigned { near + 0.0 } else { near }
        };
        with_small_float!(d, T => {
            for &(b, x) in &all {
                let t = T::of_bits(b);
                assert!(f64::from(t.widen()).to_bits() == x.to_bits() || t.widen().is_nan() && x.is_nan(), "{d} {b:#x}: {t:?} {x}");
                assert_eq!(T::of_bits(b | 0xffff_ff00 << 1).bits(), T::of_bits(b).bits());
                if !x.is_nan() {
                    assert_eq!(T::narrow(x as f32).bits(), b, "{d} {x}");
                    assert_eq!(T::narrow(odd(shortest(t).parse().unwrap())).bits(), b, "{d} {x}");
                }
            }
            let mut values: Vec<f64> = finite().map(|x| x.1).collect();
            values.sort_by(f64::total_cmp);
            values.extend([1e-30, 1e30, f64::MAX, f64::from(beyond.most()) * 1.03, f64::from(beyond.most()) * 1.2]);
            for w in values.clone().windows(2) {
                let middle = (w[0] + w[1]) / 2.0;
                values.extend([middle, middle.next_up(), middle.next_down()]);
            }
            for x in values.into_iter().flat_map(|x| [x, -x]) {
                let (got, want) = (f64::from(T::narrow(x.single()).widen()), want(x));
                assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{d} {x}: {got} for {want}");
            }
            let nan = T::narrow(f32::NAN).widen();
            assert!(nan.is_nan() || beyond.special == Special::Finite && nan.to_bits() == (-0f32).to_bits(), "{d}");
        }, _ => unreachable!());
    }
}
#[test]
fn tiny_integers_wrap() {
    for d in DType::TINY.into_iter().filter(|d| d.is_int()) {
        let (low, high) = d.int_range().unwrap();
        with_small_int!(d, T => {
            for x in -40i128..40 {
                let want = (x - low).rem_euclid(high - low + 1) + low;
                assert_eq!(i128::from(T::of_bits(x as u32).widen()), want, "{d} {x}");
                assert_eq!(T::try_from(x).is_ok(), (low..=high).contains(&x), "{d} {x}");
            }
        }, _ => unreachable!());
    }
}
