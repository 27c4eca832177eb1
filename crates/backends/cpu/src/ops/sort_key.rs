//! Elements as sorting keys: bits whose unsigned order is that of TFIR §5 (−0 equals 0, NaN last and equal to NaN), alone or
//! beside the place that an element comes from.
use super::radix::Item;

/// Bits whose unsigned order is that of the elements.
pub(crate) trait Key: Copy {
    /// An integer as wide as the element.
    type Bits: Item + Into<u64>;
    /// The bits.
    fn bits(self) -> Self::Bits;
}
/// Keys that come back from their bits.
pub(crate) trait Exact: Key {
    /// Whether `value` would give back another element than this one.
    fn special(self) -> bool;
    /// The element that has these bits.
    fn value(bits: Self::Bits) -> Self;
}
macro_rules! ints {
    ($($t:ident $u:ident $flip:expr;)*) => { $(
        impl Key for $t {
            type Bits = $u;
            #[inline(always)]
            fn bits(self) -> $u { self as $u ^ $flip }
        }
        impl Exact for $t {
            #[inline(always)]
            fn special(self) -> bool { false }
            #[inline(always)]
            fn value(bits: $u) -> Self { (bits ^ $flip) as $t }
        }
    )* };
}
ints!(i32 u32 1 << 31; u32 u32 0; i64 u64 1 << 63; u64 u64 0;);
macro_rules! reals {
    ($($t:ident $u:ident $top:expr;)*) => { $(
        impl Key for $t {
            type Bits = $u;
            #[inline(always)]
            fn bits(self) -> $u {
                // −0 + 0 is 0.
                let b = if self.is_nan() { !$top } else { (self + 0.0).to_bits() };
                if b & $top == 0 { b | $top } else { !b }
            }
        }
        impl Exact for $t {
            #[inline(always)]
            fn special(self) -> bool { self.is_nan() || (self == 0.0 && self.is_sign_negative()) }
            #[inline(always)]
            fn value(bits: $u) -> Self { $t::from_bits(if bits & $top == 0 { !bits } else { bits & !$top }) }
        }
    )* };
}
reals!(f32 u32 1u32 << 31; f64 u64 1u64 << 63;);
impl Key for bool {
    type Bits = u32;
    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(self)
    }
}

/// A key and a place.
#[derive(Clone, Copy)]
pub(crate) struct Pair(u64, u64);
impl Item for Pair {
    type Whole = u128;
    #[inline(always)]
    fn key(self) -> u64 {
        self.0
    }
    #[inline(always)]
    fn whole(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}
impl Tagged for Pair {
    #[inline(always)]
    fn new(key: u64, place: u64) -> Pair {
        Pair(key, place)
    }
    #[inline(always)]
    fn place(self) -> u64 {
        self.1
    }
}
/// A key of 32 bits above a place of 32 bits.
#[derive(Clone, Copy)]
pub(crate) struct Packed(u64);
impl Item for Packed {
    type Whole = u64;
    #[inline(always)]
    fn key(self) -> u64 {
        self.0 >> 32
    }
    #[inline(always)]
    fn whole(self) -> u64 {
        self.0
    }
}
impl Tagged for Packed {
    #[inline(always)]
    fn new(key: u64, place: u64) -> Packed {
        Packed(key << 32 | place)
    }
    #[inline(always)]
    fn place(self) -> u64 {
        self.0 & u64::from(u32::MAX)
    }
}
/// A key with the place it comes from.
pub(crate) trait Tagged: Item {
    /// A pair of a key and a place.
    fn new(key: u64, place: u64) -> Self;
    /// The place.
    fn place(self) -> u64;
}
