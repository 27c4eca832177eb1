//! Angles that are multiples of ln 2, less whole turns, for arguments of any size: M. H. Payne and R. N. Hanek, "Radian
//! reduction for trigonometric functions", ACM SIGNUM Newsletter 18 (1983) 19–24, in integers and with 2 ln 2/π in place of 2/π.
use super::dd::Dd;
use std::f64::consts::FRAC_PI_2;

/// The first 1216 binary digits of 2 ln 2/π.
const TWO_LN_2_OVER_PI: [u64; 19] = [
    0x70f7_263d_fa5a_6eec,
    0xb608_582e_55fe_f3dd,
    0x8e13_becd_1d49_5c36,
    0x1d72_013a_ea9f_8fca,
    0x76e8_66fc_9b48_be48,
    0x15f5_cb6f_d8be_e211,
    0x0394_db30_20d6_eb52,
    0x30ff_a9ae_90cb_c735,
    0x5135_8ced_67c0_db3c,
    0x490d_15bd_d91a_29f5,
    0x6824_02af_5e8f_9c23,
    0xbff1_5cbc_71f0_5fed,
    0xfe0b_b062_2a8c_8f67,
    0x7309_c45a_7502_282a,
    0xead0_c243_5c55_27bb,
    0x759f_345e_2d06_28e8,
    0xb1a5_63a2_53e6_2918,
    0xea5f_fdab_eac0_d479,
    0xcfed_b1b6_fc78_b439,
];
/// What π/2 rounded lacks.
const FRAC_PI_2_LOW: f64 = 6.123_233_995_736_766e-17;

/// 64 binary digits of 2 ln 2/π from digit `first` on (1 is the first after the point; what is before it is 0).
fn digits(first: i32) -> u64 {
    let (i, k) = ((first - 1).div_euclid(64), (first - 1).rem_euclid(64));
    let limb = |i: i32| u128::from(usize::try_from(i).ok().and_then(|i| TWO_LN_2_OVER_PI.get(i)).copied().unwrap_or(0));
    ((limb(i) << 64 | limb(i + 1)) >> (64 - k)) as u64
}
/// (n, r) with y ln 2 = n π/2 + r modulo 2π, n from 0 to 3 and |r| ≤ π/4, for finite y ≥ 1. The error of r is below 2⁻¹⁰⁰.
pub(super) fn quarters(y: f64) -> (u32, Dd) {
    let e = (y.to_bits() >> 52) as i32 - 1075;
    let m = u128::from(y.to_bits() & ((1 << 52) - 1) | 1 << 52);
    // y = m 2^e. Digits whose product with it is a multiple of 4 are left out; of the others 192 suffice.
    let mut product = [0u64; 3];
    let mut carry = 0;
    for k in (0..3).rev() {
        let p = m * u128::from(digits(e - 1 + 64 * k)) + carry;
        product[k as usize] = p as u64;
        carry = p >> 64;
    }
    // Bit 190 of the product counts one.
    nearest(u128::from(product[0]) << 64 | u128::from(product[1]))
}
/// (n, r): so many quarter turns, with 126 binary places and modulo 4, are n of them and the angle r, |r| ≤ π/4.
pub(super) fn nearest(turns: u128) -> (u32, Dd) {
    let n = turns.wrapping_add(1 << 125) >> 126;
    let part = turns.wrapping_sub(n << 126) as i128;
    ((n & 3) as u32, pair(part, 126) * Dd(FRAC_PI_2, FRAC_PI_2_LOW))
}
/// A number with so many binary places.
pub(super) fn pair(v: i128, places: u64) -> Dd {
    let unit = f64::from_bits((1023 - places) << 52);
    let high = v as f64;
    Dd(high * unit, (v - high as i128) as f64 * unit)
}
