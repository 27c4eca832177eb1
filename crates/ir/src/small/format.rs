//! Formats of floats of at most 16 bits: what a pattern of bits means, and which number of a format is nearest.

/// What the greatest patterns of a format stand for, and what becomes of numbers beyond its greatest one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// The greatest exponent is infinity and NaN, as IEEE 754 has it: what lies beyond is infinite.
    Ieee,
    /// All ones are NaN, and there is no infinity (`fn`): what lies beyond is NaN.
    Nan,
    /// The pattern of −0 is NaN; there is no infinity and no −0 (`fnuz`): what lies beyond is NaN.
    Unsigned,
    /// Numbers alone: what lies beyond is the greatest number of its sign, and NaN becomes −0.
    Finite,
}

/// A format of floats of at most 16 bits: a sign, `exponent` bits, `mantissa` bits. Each of its numbers is an `f32`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the mantissa, without the leading one.
    pub mantissa: u32,
    /// What is subtracted from the exponent's bits.
    pub bias: i32,
    /// What its greatest patterns stand for.
    pub special: Special,
}

/// 2^`n`, `n` from −126 to 127.
const fn power(n: i32) -> f32 {
    f32::from_bits(((127 + n) as u32) << 23)
}

impl Format {
    /// The format with a bias as IEEE 754 chooses it, or one more where −0 is given to NaN.
    pub const fn new(exponent: u32, mantissa: u32, special: Special) -> Format {
        let bias = (1 << (exponent - 1)) - if matches!(special, Special::Unsigned) { 0 } else { 1 };
        Format { exponent, mantissa, bias, special }
    }
    /// Bits of a number, the sign among them.
    pub const fn bits(self) -> u32 {
        1 + self.exponent + self.mantissa
    }
    /// The bits of a number but the sign.
    pub const fn size_mask(self) -> u32 {
        (1 << (self.exponent + self.mantissa)) - 1
    }
    /// The sign bit.
    pub const fn sign(self) -> u32 {
        1 << (self.exponent + self.mantissa)
    }
    /// How many bits of the mantissa of an `f32` the format lacks.
    pub const fn lacks(self) -> u32 {
        23 - self.mantissa
    }
    /// By what the exponent's bits of an `f32` are more, in place.
    pub const fn more(self) -> u32 {
        ((127 - self.bias) as u32) << 23
    }
    /// The greatest exponent's bits, where it means infinity and NaN.
    pub const fn top(self) -> Option<u32> {
        match self.special {
            Special::Ieee => Some(self.size_mask() & !((1 << self.mantissa) - 1)),
            _ => None,
        }
    }
    /// The bits of NaN, where they are one pattern.
    pub const fn nan(self) -> Option<u32> {
        match self.special {
            Special::Nan => Some(self.size_mask()),
            Special::Unsigned => Some(self.sign()),
            Special::Ieee => Some((self.sign() - (1 << self.mantissa)) | 1 << (self.mantissa - 1)),
            Special::Finite => None,
        }
    }
    /// The greatest number.
    pub const fn most(self) -> f32 {
        let bits = match self.special {
            Special::Ieee => self.size_mask() - (1 << self.mantissa),
            Special::Nan => self.size_mask() - 1,
            Special::Unsigned | Special::Finite => self.size_mask(),
        };
        f32::from_bits((bits << self.lacks()) + self.more())
    }
    /// What numbers beyond the greatest one become.
    pub const fn beyond(self) -> f32 {
        match self.special {
            Special::Ieee => f32::INFINITY,
            Special::Nan | Special::Unsigned => f32::NAN,
            Special::Finite => self.most(),
        }
    }
    /// What NaN becomes.
    pub const fn of_nan(self) -> f32 {
        if matches!(self.special, Special::Finite) { -0.0 } else { f32::NAN }
    }
    /// The least number with a leading one.
    pub const fn least_normal(self) -> f32 {
        power(1 - self.bias)
    }
    /// A sum with this number has room for no bit that a number below [`Format::least_normal`] lacks.
    pub const fn rounder(self) -> f32 {
        power(24 - self.bias - self.mantissa as i32)
    }

    /// The number with these bits; bits above those of the format do not count.
    #[inline(always)]
    pub const fn widen(self, bits: u32) -> f32 {
        let size = bits & self.size_mask();
        let moved = size << self.lacks();
        let number = match self.special {
            // Infinities and NaN have the greatest exponent there is.
            Special::Ieee if self.is_top(size) => f32::from_bits(moved | 0x7f80_0000),
            Special::Nan if size == self.size_mask() => f32::NAN,
            Special::Unsigned if bits & (self.sign() | self.size_mask()) == self.sign() => f32::NAN,
            // Without a leading one: as if it were there, less it. No product of denormal numbers, which take long, and which
            // `--fast-math` takes for 0.
            _ if size >> self.mantissa == 0 => {
                f32::from_bits(moved + self.least_normal().to_bits()) - self.least_normal()
            }
            _ => f32::from_bits(moved + self.more()),
        };
        f32::from_bits(number.to_bits() | (bits & self.sign()) << (31 - self.exponent - self.mantissa))
    }
    const fn is_top(self, size: u32) -> bool {
        match self.top() {
            Some(top) => size & top == top,
            None => false,
        }
    }
    /// The nearest number of the format, the even one of two; [`Format::beyond`] and [`Format::of_nan`] for what has none.
    #[inline(always)]
    pub fn nearest(self, x: f32) -> f32 {
        let (size, sign) = (x.abs(), x.to_bits() & 0x8000_0000);
        let fine = (size + self.rounder()) - self.rounder();
        let bits = size.to_bits();
        let last = 1u32 << self.lacks();
        let near = f32::from_bits(bits.wrapping_add((last >> 1) - 1 + (bits >> self.lacks() & 1)) & !(last - 1));
        let near = if near > self.most() { self.beyond() } else { near };
        let near = if size < self.least_normal() { fine } else { near };
        let near = f32::from_bits(near.to_bits() | sign);
        let near = if x.is_nan() { self.of_nan() } else { near };
        // There is no −0: it becomes 0.
        if matches!(self.special, Special::Unsigned) { near + 0.0 } else { near }
    }
    /// The bits of a number of the format.
    #[inline(always)]
    pub fn bits_of(self, x: f32) -> u32 {
        let size = x.abs();
        let moved = size.to_bits() >> self.lacks();
        // How many of the equal distances at which such numbers stand: the last bits of a sum that has room for no finer ones.
        let fine = (size + self.rounder()).to_bits();
        let far = moved.wrapping_sub(self.more() >> self.lacks());
        let number = if size < self.least_normal() { fine } else { far };
        // Infinity has the greatest exponent there is.
        let number = if size.to_bits() >= 0x7f80_0000 { moved } else { number };
        let bits = number & self.size_mask() | (x.to_bits() >> (31 - self.exponent - self.mantissa) & self.sign());
        match self.nan() {
            Some(nan) if x.is_nan() => nan,
            _ => bits,
        }
    }
    /// The bits of the nearest number of the format.
    #[inline(always)]
    pub fn narrow(self, x: f32) -> u32 {
        self.bits_of(self.nearest(x))
    }
}
