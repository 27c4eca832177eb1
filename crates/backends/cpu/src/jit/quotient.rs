//! Quotients and remainders of integers: no processor divides vectors of them. By a known divisor they are multiplications, by a power of two
//! shifts; others are estimated by floating-point arithmetic.
//!
//! The inverse of the divisor, made smaller by 8 units of its last place, estimates quotients: five roundings of half a unit each leave
//! the estimate too small, by a part in 2⁻⁴⁹ of itself at most (2⁻²⁰ for 32 bits). What remains is not negative and at most 2¹⁵ divisors
//! (2¹²), and an estimate of what that holds is too small by one at most. So every bit is right, whatever the operands.
use super::asm::Insn;
use super::lower::Lower;
use super::ssa::{Id, Op, Ty};
use tfc_ir::{DType, ScalarOp};

impl Lower {
    /// `x / y` rounded towards zero, or what it leaves; needs AVX-512.
    pub(super) fn quotient(&mut self, rem: bool, [x, y]: [Id; 2], d: DType) -> Option<Id> {
        if self.s.avx2.is_some() {
            return None;
        }
        let wide = matches!(d, DType::I64 | DType::U64);
        let (signed, t) = (matches!(d, DType::I32 | DType::I64), if wide { Ty::W64 } else { Ty::W32 });
        let (real, whole) = if wide { (DType::F64, DType::U64) } else { (DType::F32, DType::U32) };
        let known = match self.s.ops[y as usize] {
            Op::Const(c, _) if wide => Some(c as i64),
            Op::Const(c, _) if signed => Some(i64::from(c as i32)),
            Op::Const(c, _) => Some(i64::from(c as u32)),
            _ => None,
        };
        let (zero, ones) = (self.num(d, 0.0), self.num(d, -1.0));
        if known == Some(0) {
            return Some(if rem { x } else { ones });
        }
        let size = |k: i64| if signed { k.unsigned_abs() } else { k as u64 };
        if let Some(k) = known.map(size).filter(|k| k.is_power_of_two())
            && (!signed || k < 1 << if wide { 63 } else { 31 })
        {
            return self.shifted(rem, [x, y], k.trailing_zeros(), d);
        }
        let magnitude = |this: &mut Lower, v: Id| if signed { this.integer(ScalarOp::Abs, &[v], d) } else { Some(v) };
        if let Some(k) = known {
            let (ux, by) = (magnitude(self, x)?, size(k));
            let q = self.multiplied(ux, by, signed);
            let v = if rem {
                let uy = self.s.constant(by, t);
                let whole = self.integer(ScalarOp::Mul, &[q, uy], d)?;
                self.integer(ScalarOp::Sub, &[ux, whole], d)?
            } else {
                q
            };
            return if signed { self.with_sign(rem, [x, y], v, d) } else { Some(v) };
        }
        let (ux, uy) = (magnitude(self, x)?, magnitude(self, y)?);
        let to_real = |this: &mut Lower, v: Id| {
            this.s.un(if wide { Insn::new(1, 2, true, 0x7a) } else { Insn::new(1, 3, false, 0x7a) }, v, t)
        };
        let to_whole = |this: &mut Lower, v: Id| {
            this.s.un(if wide { Insn::new(1, 1, true, 0x78) } else { Insn::new(1, 0, false, 0x78) }, v, t)
        };
        // A little less than the quotient.
        let less = if wide { 1.0 - f64::EPSILON * 4.0 } else { 1.0 - f64::from(f32::EPSILON) * 4.0 };
        let by = {
            let (one, less, y) = (self.num(real, 1.0), self.num(real, less), to_real(self, uy));
            let inverse = self.real(ScalarOp::Div, &[one, y], real)?;
            self.real(ScalarOp::Mul, &[inverse, less], real)?
        };
        let estimate = |this: &mut Lower, v: Id| {
            let v = to_real(this, v);
            let e = this.real(ScalarOp::Mul, &[v, by], real)?;
            Some(to_whole(this, e))
        };
        let (mut q, mut r) = (None, ux);
        for _ in 0..2 {
            let e = estimate(self, r)?;
            let less = self.integer(ScalarOp::Mul, &[e, uy], d)?;
            r = self.integer(ScalarOp::Sub, &[r, less], d)?;
            q = Some(match q {
                Some(q) => self.integer(ScalarOp::Add, &[q, e], d)?,
                None => e,
            });
        }
        let more = self.compare(ScalarOp::Ge, whole, &[r, uy]);
        let v = if rem {
            let last = self.integer(ScalarOp::Sub, &[r, uy], d)?;
            self.s.blend(more, last, r)
        } else {
            let last = self.integer(ScalarOp::Sub, &[q?, ones], d)?;
            self.s.blend(more, last, q?)
        };
        let v = if signed { self.with_sign(rem, [x, y], v, d)? } else { v };
        let none = self.compare(ScalarOp::Eq, d, &[y, zero]);
        Some(self.s.blend(none, if rem { x } else { ones }, v))
    }
    /// A quotient, or what it leaves, of magnitudes with the sign that it has.
    fn with_sign(&mut self, rem: bool, [x, y]: [Id; 2], v: Id, d: DType) -> Option<Id> {
        let (zero, negative) = (self.num(d, 0.0), self.integer(ScalarOp::Neg, &[v], d)?);
        let side = if rem { x } else { self.integer(ScalarOp::Xor, &[x, y], d)? };
        let flips = self.compare(ScalarOp::Lt, d, &[side, zero]);
        Some(self.s.blend(flips, negative, v))
    }
    /// The quotient by a known number, at least 3 and no power of two, by multiplication: T. Granlund, P. L. Montgomery, Division by invariant
    /// integers using multiplication, PLDI 1994, figure 4.1. `magnitude`: `x` of `n` bits is at most `2ⁿ⁻¹`, which a multiplier of `n` bits is
    /// exact enough for.
    fn multiplied(&mut self, x: Id, by: u64, magnitude: bool) -> Id {
        let wide = self.s.ty(x) == Ty::W64;
        let (bits, by, l) = (if wide { 64 } else { 32 }, u128::from(by), u64::BITS - (by - 1).leading_zeros());
        if magnitude {
            let t = self.upper_product(x, ((1u128 << (bits - 1 + l)) / by + 1) as u64);
            return self.s.shift(true, (l - 1) as u8, t);
        }
        let t = self.upper_product(x, ((((1u128 << l) - by) << bits) / by + 1) as u64);
        let (add, sub) = (
            Insn::wide(1, wide, if wide { 0xd4 } else { 0xfe }).comm(),
            Insn::wide(1, wide, if wide { 0xfb } else { 0xfa }),
        );
        let rest = self.s.bin(sub, x, t);
        let half = self.s.shift(true, 1, rest);
        let sum = self.s.bin(add, t, half);
        self.s.shift(true, (l - 1) as u8, sum)
    }
    /// The upper halves of the products of lanes with a number, which have twice their bits.
    fn upper_product(&mut self, x: Id, by: u64) -> Id {
        let (multiply, down) = (Insn::wide(1, true, 0xf4), Insn::wide(1, true, 0x73).imm(32));
        if self.s.ty(x) == Ty::W64 {
            let add = Insn::wide(1, true, 0xd4).comm();
            let [low, high, half] = [by & 0xffff_ffff, by >> 32, 0xffff_ffff].map(|c| self.s.constant(c, Ty::W64));
            let upper = self.s.shift(true, 32, x);
            let [ll, ul, lh, uh] =
                [(x, low), (upper, low), (x, high), (upper, high)].map(|(x, c)| self.s.bin(multiply, x, c));
            let carried = self.s.shift(true, 32, ll);
            let first = self.s.bin(add, ul, carried);
            let (rest, carried) = (self.s.bin(Insn::wide(1, true, 0xdb), first, half), self.s.shift(true, 32, first));
            let second = self.s.bin(add, lh, rest);
            let more = self.s.shift(true, 32, second);
            let more = self.s.bin(add, carried, more);
            return self.s.bin(add, uh, more);
        }
        let by = self.s.constant(by, Ty::W64);
        let even = self.s.bin(multiply, x, by);
        let even = self.s.value(Op::Shift(down, 2, even), Ty::W32);
        if self.s.one {
            return even;
        }
        let odd = self.s.un(Insn::wide(1, false, 0x70).imm(0xf5), x, Ty::W32);
        let (odd, upper) = (self.s.bin(multiply, odd, by), self.s.constant(!0 << 32, Ty::W64));
        let odd = self.s.bin(Insn::wide(1, true, 0xdb), odd, upper);
        self.s.bin(Insn::wide(1, false, 0xeb).comm(), even, odd)
    }
    /// The same where the divisor is `2ᵏ`, or that with a minus.
    fn shifted(&mut self, rem: bool, [x, y]: [Id; 2], k: u32, d: DType) -> Option<Id> {
        use ScalarOp::*;
        let (signed, negative) = (matches!(d, DType::I32 | DType::I64), self.is_negative(y, d));
        let bits = if matches!(d, DType::I64 | DType::U64) { 64 } else { 32 };
        if k == 0 {
            return match (rem, negative) {
                (true, _) => Some(self.num(d, 0.0)),
                (_, true) => self.integer(Neg, &[x], d),
                _ => Some(x),
            };
        }
        // Below zero the quotient is rounded up.
        let from = if signed {
            let (most, up) = (self.num(d, f64::from(bits - 1)), self.num(d, f64::from(bits - k)));
            let side = self.integer(ShrArith, &[x, most], d)?;
            let more = self.integer(ShrLogical, &[side, up], d)?;
            self.integer(Add, &[x, more], d)?
        } else {
            x
        };
        let by = self.num(d, f64::from(k));
        let q = self.integer(if signed { ShrArith } else { ShrLogical }, &[from, by], d)?;
        if rem {
            let whole = self.integer(Shl, &[q, by], d)?;
            return self.integer(Sub, &[x, whole], d);
        }
        if negative { self.integer(Neg, &[q], d) } else { Some(q) }
    }
    /// Whether a constant is below zero.
    fn is_negative(&self, v: Id, d: DType) -> bool {
        match (self.s.ops[v as usize], d) {
            (Op::Const(c, _), DType::I64) => (c as i64) < 0,
            (Op::Const(c, _), DType::I32) => (c as i32) < 0,
            _ => false,
        }
    }
}
