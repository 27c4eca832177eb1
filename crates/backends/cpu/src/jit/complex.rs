//! Complex numbers as pairs of real lanes: machine code sees a complex operand as two arrays, its real and its imaginary parts
//! ([`Parts`]), and computes with the formulas of [`tfc_kernels::scalar::complex`], to the same bits.
use super::asm::Insn;
use super::lower::{EQ, KAND, KOR, Lower, NE};
use super::record::record_pairs;
use super::ssa::{Id, Ty};
use tfc_ir::{DType, ScalarOp};
use tfc_plan::region::body::Region;

/// The operands of a region as its code sees them: in place of a complex one its real parts, and behind all of them the
/// imaginary parts of each complex one, in order.
pub(crate) struct Parts {
    /// A region without a body that has these operands.
    pub(crate) region: Region,
    /// For each operand of the region, the one of its imaginary parts.
    pub(crate) second: Vec<Option<u32>>,
}
impl Parts {
    pub(crate) fn of(r: &Region) -> Parts {
        let mut p = Parts { region: Region { operands: r.operands.clone(), body: vec![] }, second: vec![] };
        for (k, o) in r.operands.iter().enumerate() {
            let second = o.dtype.is_complex().then(|| {
                p.region.operands[k].dtype = o.dtype.real();
                p.region.operand(o.dtype.real(), o.role)
            });
            p.second.push(second);
        }
        p
    }
}

type Pair = [Id; 2];

impl Lower {
    /// A function of complex operands, or with a complex result; `None` where there is no formula in vectors.
    pub(super) fn complex(&mut self, op: ScalarOp, a: &[Pair], from: &[DType], to: DType) -> Option<Pair> {
        use ScalarOp::*;
        let d = *from.get(usize::from(op == Select))?;
        let (x, y) = (*a.first()?, a.get(1).copied());
        let part = d.real();
        let each =
            |lw: &mut Self, op, y: Pair| Some([lw.real(op, &[x[0], y[0]], part)?, lw.real(op, &[x[1], y[1]], part)?]);
        let one = |v: Id| [v, v];
        Some(match op {
            Convert => self.converted(x, d, to)?,
            Select => [self.s.blend(x[0], a.get(1)?[0], a.get(2)?[0]), self.s.blend(x[0], a.get(1)?[1], a.get(2)?[1])],
            Complex => [x[0], y?[0]],
            Real => one(x[0]),
            Imag => one(x[1]),
            Conj => [x[0], self.real(Neg, &[x[1]], part)?],
            Neg => [self.real(Neg, &[x[0]], part)?, self.real(Neg, &[x[1]], part)?],
            Add | Sub => each(self, op, y?)?,
            Mul => self.product(x, y?, part)?,
            Eq | Ne => {
                let (p, k) = if op == Eq { (EQ, KAND) } else { (NE, KOR) };
                let (re, im) = (self.fcmp(part, p, x[0], y?[0]), self.fcmp(part, p, x[1], y?[1]));
                one(self.s.kbin(k, re, im))
            }
            // What follows shifts the exponents of doubles, by instructions that AVX2 does not have.
            _ if self.s.avx2.is_some() => return None,
            Abs if d == DType::C64 => one(self.modulus(x)?),
            Abs => {
                let x = self.converted(x, d, DType::C64)?;
                one(self.modulus_of_wide(x)?)
            }
            _ if d == to => {
                let x = self.converted(x, d, DType::C64)?;
                let y = match y {
                    Some(y) => self.converted(y, d, DType::C64)?,
                    None => x,
                };
                let z = self.function(op, x, y)?;
                self.converted(z, DType::C64, d)?
            }
            _ => return None,
        })
    }
    fn converted(&mut self, x: Pair, d: DType, to: DType) -> Option<Pair> {
        if d.is_complex() && to == DType::Bool {
            let zero = self.num(d.real(), 0.0);
            let (re, im) = (self.fcmp(d.real(), NE, x[0], zero), self.fcmp(d.real(), NE, x[1], zero));
            let any = self.s.kbin(KOR, re, im);
            return Some([any, any]);
        }
        if !to.is_complex() {
            return None;
        }
        let re = self.convert(d.real(), x[0], to.real())?;
        let im = if d.is_complex() { self.convert(d.real(), x[1], to.real())? } else { self.num(to.real(), 0.0) };
        Some([re, im])
    }
    fn product(&mut self, x: Pair, y: Pair, part: DType) -> Option<Pair> {
        use ScalarOp::{Add, Mul, Sub};
        let mul = |lw: &mut Self, a, b| lw.real(Mul, &[a, b], part);
        let (rr, ii) = (mul(self, x[0], y[0])?, mul(self, x[1], y[1])?);
        let (ri, ir) = (mul(self, x[0], y[1])?, mul(self, x[1], y[0])?);
        Some([self.real(Sub, &[rr, ii], part)?, self.real(Add, &[ri, ir], part)?])
    }

    fn double(&mut self, op: ScalarOp, a: &[Id]) -> Option<Id> {
        self.real(op, a, DType::F64)
    }
    fn long(&mut self, op: ScalarOp, a: &[Id]) -> Option<Id> {
        self.integer(op, a, DType::I64)
    }
    fn number(&mut self, x: f64) -> Id {
        self.num(DType::F64, x)
    }
    /// `a > b ? a : b`.
    fn larger(&mut self, a: Id, b: Id) -> Id {
        self.s.bin(Insn::fp(true, 0x5f), a, b)
    }
    fn root(&mut self, x: Id) -> Id {
        self.s.un(Insn::fp(true, 0x51), x, Ty::W64)
    }
    fn either(&mut self, a: Id, b: Id) -> Id {
        self.s.kbin(KOR, a, b)
    }
    fn double_is(&mut self, p: u8, a: Id, x: f64) -> Id {
        let x = self.number(x);
        self.fcmp(DType::F64, p, a, x)
    }
    /// The biased exponent of a number ≥ 0, at least 1 and at most 2045, so that 2 to it and 2 to its negative are normal.
    fn exponent(&mut self, m: Id) -> Option<Id> {
        let (least, most) = (self.num(DType::I64, 1.0), self.num(DType::I64, 2045.0));
        let e = self.s.shift(true, 52, m);
        let e = self.long(ScalarOp::Max, &[e, least])?;
        self.long(ScalarOp::Min, &[e, most])
    }
    /// 2 to the negative of a biased exponent.
    fn power_down(&mut self, e: Id) -> Option<Id> {
        let top = self.num(DType::I64, 2046.0);
        let down = self.long(ScalarOp::Sub, &[top, e])?;
        Some(self.s.shift(false, 52, down))
    }
    fn modulus(&mut self, x: Pair) -> Option<Id> {
        use ScalarOp::{Add, Mul};
        let (a, b) = (self.magnitude(x[0], DType::F64), self.magnitude(x[1], DType::F64));
        let m = self.larger(a, b);
        let e = self.exponent(m)?;
        let (down, up) = (self.power_down(e)?, self.s.shift(false, 52, e));
        let (u, v) = (self.double(Mul, &[a, down])?, self.double(Mul, &[b, down])?);
        let (uu, vv) = (self.double(Mul, &[u, u])?, self.double(Mul, &[v, v])?);
        let sum = self.double(Add, &[uu, vv])?;
        let root = self.root(sum);
        let r = self.double(Mul, &[root, up])?;
        let (p, q) = (self.double_is(EQ, a, f64::INFINITY), self.double_is(EQ, b, f64::INFINITY));
        let (infinite, infinity) = (self.either(p, q), self.number(f64::INFINITY));
        Some(self.s.blend(infinite, infinity, r))
    }
    /// Of parts that were `f32`, whose squares neither overflow nor vanish; as `f32`.
    fn modulus_of_wide(&mut self, x: Pair) -> Option<Id> {
        use ScalarOp::{Add, Mul};
        let (uu, vv) = (self.double(Mul, &[x[0], x[0]])?, self.double(Mul, &[x[1], x[1]])?);
        let sum = self.double(Add, &[uu, vv])?;
        let root = self.root(sum);
        let r = self.convert(DType::F64, root, DType::F32)?;
        let (a, b) = (self.magnitude(x[0], DType::F64), self.magnitude(x[1], DType::F64));
        let (p, q) = (self.double_is(EQ, a, f64::INFINITY), self.double_is(EQ, b, f64::INFINITY));
        let (infinite, infinity) = (self.either(p, q), self.num(DType::F32, f64::INFINITY));
        Some(self.s.blend(infinite, infinity, r))
    }

    /// A function with a formula for pairs of vectors; lanes that the formula is not for are put right out of the line.
    fn function(&mut self, op: ScalarOp, x: Pair, y: Pair) -> Option<Pair> {
        let ([re, im, unfit], p) = record_pairs(&mut self.s, op, x, y)?;
        // What one patch keeps another reads: copies of the body beside each other would come between.
        self.s.alone = true;
        let rare = self.double_is(NE, unfit, 0.0);
        let parts = [x[0], x[1], y[0], y[1]];
        let parts = &parts[..2 * p.arity];
        // Each patch has what the one before gives for an operand, so that they come in order, and none is left out.
        let mut last = parts[0];
        for (&part, keep) in parts[1..].iter().zip(p.keep) {
            last = self.s.patch(rare, last, part, keep);
        }
        let re = self.s.patch(rare, last, re, p.first);
        let im = self.s.patch(rare, re, im, p.second);
        Some([re, im])
    }
}
