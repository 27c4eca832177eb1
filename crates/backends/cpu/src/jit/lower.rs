//! Regions as straight-line programs: what every scalar function is in vector instructions, with the semantics of
//! [`tfc_kernels::scalar`]. A function that has none calls its scalar kernel from inside the code; a region with one from
//! outside that has none is run by its tape.
use super::asm::Insn;
use super::record::record;
use super::ssa::{Grow, Id, Op, Ssa, Ty};
use super::{Access, Options};
use tfc_ir::small::{BRAIN, Format, HALF, Small, Special};
use tfc_ir::{DType, ScalarOp, with_small_float, with_small_int};
use tfc_kernels::choose::choose;
use tfc_plan::region::body::{Node, Region, Role};

/// Opcodes of mask instructions.
pub(crate) const KAND: u8 = 0x41;
const KANDN: u8 = 0x42;
/// The upper half of a lane.
const UPPER: Op = Op::Const(0xffff_0000, Ty::W32);
/// `vcvtph2ps`.
const OF_HALVES: Insn = Insn::wide(2, false, 0x13);
pub(crate) const KOR: u8 = 0x45;
pub(crate) const KNOT: u8 = 0x44;
pub(crate) const KXNOR: u8 = 0x46;
pub(crate) const KXOR: u8 = 0x47;

/// Predicates of `vcmpps`, and of `vpcmpd` in the lower three bits.
pub(super) const EQ: u8 = 0;
pub(super) const LT: u8 = 1;
const LE: u8 = 2;
pub(super) const UNORD: u8 = 3;
pub(super) const NE: u8 = 4;
const EQ_UNORD: u8 = 8;
const GE: u8 = 13;
const GT: u8 = 14;

/// A region as a program.
pub(crate) struct Program {
    pub(crate) ssa: Ssa,
    /// Elements of a vector.
    pub(crate) lanes: u32,
    /// Bytes of an element of each reduction.
    pub(crate) reds: Vec<u32>,
}

fn ty(d: DType) -> Option<Ty> {
    Some(match d {
        DType::Bool => Ty::M,
        DType::F32 | DType::I32 | DType::U32 => Ty::W32,
        DType::F64 | DType::I64 | DType::U64 => Ty::W64,
        // As their wide dtypes: see [`grow`].
        d if d.is_small() => Ty::W32,
        _ => return None,
    })
}
/// How elements of a small dtype become lanes. A value of a small dtype is that of its wide dtype; only in memory it is small.
fn grow(d: DType) -> Option<Grow> {
    d.is_small().then(|| Grow { word: d.size() == 2, signed: d.is_signed() })
}
fn is_real(d: DType) -> bool {
    matches!(d, DType::F32 | DType::F64)
}
fn is_signed(d: DType) -> bool {
    matches!(d, DType::I32 | DType::I64)
}
fn is_double(d: DType) -> bool {
    matches!(d, DType::F64 | DType::I64 | DType::U64)
}

/// The bits of 1/y for a power of 2 that has one: x/y and x · 1/y are one number then, rounded once.
fn inverse(bits: u64, double: bool) -> Option<u64> {
    let (mantissa, bias) = if double { (52, 1023) } else { (23, 127) };
    let exponent = bits >> mantissa & (2 * bias + 1);
    let fits = bits & ((1 << mantissa) - 1) == 0 && (1..2 * bias).contains(&exponent);
    let sign = bits >> (if double { 63 } else { 31 }) & 1;
    fits.then(|| sign << (if double { 63 } else { 31 }) | (2 * bias - exponent) << mantissa)
}
/// A bit for each of the two floats of 16 bits.
fn half(d: DType) -> u8 {
    match d {
        DType::BF16 => 1,
        DType::F16 => 2,
        _ => 0,
    }
}
/// For each node, the floats of 16 bits that have its value whatever it is: to round it to those changes nothing.
fn exact(r: &Region) -> Vec<u8> {
    use ScalarOp as S;
    let mut all: Vec<u8> = Vec::with_capacity(r.body.len());
    for n in &r.body {
        let of = |x: u32| all.get(x as usize).copied().unwrap_or(0);
        all.push(match *n {
            Node::Load(k) => r.operands.get(k as usize).map_or(0, |o| half(o.dtype)),
            Node::Const(b, DType::F32) => {
                let x = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
                let fits = |f: Format, bit: u8| if f.nearest(x).to_bits() == x.to_bits() { bit } else { 0 };
                fits(BRAIN, half(DType::BF16)) | fits(HALF, half(DType::F16))
            }
            Node::Const(_, d) => half(d),
            Node::Apply(S::Convert, [x, ..], DType::F32) => of(x),
            Node::Apply(S::Convert, _, d) => half(d),
            Node::Apply(S::Select, [_, x, y], _) => of(x) & of(y),
            Node::Apply(S::Max | S::Min, [x, y, _], _) => of(x) & of(y),
            Node::Apply(S::Clamp, [x, y, z], _) => of(x) & of(y) & of(z),
            // A number too large for a fraction is whole, and smaller whole numbers fit.
            Node::Apply(S::Neg | S::Abs | S::Sign | S::Floor | S::Ceil | S::Round | S::RoundEven, [x, ..], _) => of(x),
            _ => 0,
        });
    }
    all
}

/// The width of the lanes of a region; `None` where there is more than one, or where truth values are in memory.
fn one_width(r: &Region) -> Option<Ty> {
    let mut w = None;
    for n in &r.body {
        let d = match *n {
            Node::Const(_, DType::Bool) | Node::Apply(_, _, DType::Bool) => continue,
            Node::Const(_, d) | Node::Apply(_, _, d) => d,
            Node::Load(k) | Node::Store(k, _) | Node::Red(_, k, _) => r.operands.get(k as usize)?.dtype,
        };
        let t = ty(d.real()).filter(|_| !d.is_small())?;
        if t == Ty::M || w.is_some_and(|w| w != t) {
            return None;
        }
        w = Some(t);
    }
    w
}

/// The program of a region, for AVX-512 or AVX2; `None` where it uses types that have no lanes (complex numbers), and for
/// AVX2 where it uses types of different sizes or truth values in memory.
pub(crate) fn program(r: &Region, access: &[Access], o: &Options, avx2: bool) -> Option<Program> {
    program_of(r, &[], access, o, avx2)
}
/// [`program`], where `second` says which operand has the imaginary parts of a complex one.
pub(crate) fn program_of(
    r: &Region,
    second: &[Option<u32>],
    access: &[Access],
    o: &Options,
    avx2: bool,
) -> Option<Program> {
    let mut lw = Lower { s: Ssa::with_room(r.body.len()), dtype: vec![None; r.body.len()] };
    lw.s.one = o.one;
    lw.s.grow = r.operands.iter().map(|o| grow(o.dtype)).collect();
    if avx2 {
        lw.s.avx2 = Some(one_width(r)?);
    }
    let imaginary = |k: u32| second.get(k as usize).copied().flatten();
    // Values are pairs; of those that are not complex the first is meant.
    let mut place = vec![[0; 2]; r.body.len()];
    let mut reds = vec![];
    let exact = exact(r);
    for (i, n) in r.body.iter().enumerate() {
        match *n {
            Node::Load(k) => {
                let d = r.operands.get(k as usize)?.dtype;
                let one = *access.get(k as usize)? == Access::Splat && !o.one;
                let load = |k| if one { Op::Splat(k) } else { Op::Load(k) };
                let x = lw.s.value(load(k), ty(d.real())?);
                place[i][0] = lw.unpacked(x, d);
                if d.is_complex() {
                    place[i][1] = lw.s.value(load(imaginary(k)?), ty(d.real())?);
                }
                lw.dtype[i] = Some(d);
            }
            Node::Const(b, d) => {
                place[i][0] = lw.constant(b, d.real())?;
                if d.is_complex() {
                    let mut im = [0; 16];
                    im[..8].copy_from_slice(&b[d.real().size()..][..8]);
                    place[i][1] = lw.constant(im, d.real())?;
                }
                lw.dtype[i] = Some(d);
            }
            Node::Apply(op, a, to) => {
                let (mut from, mut args, mut pairs) = ([DType::Bool; 3], [0; 3], [[0; 2]; 3]);
                let n = op.arity();
                for (j, &x) in a.iter().enumerate().take(n) {
                    from[j] = (*lw.dtype.get(x as usize)?)?;
                    (args[j], pairs[j]) = (place[x as usize][0], place[x as usize]);
                }
                let rounded = op == ScalarOp::Convert && half(to) & exact[*a.first()? as usize] != 0;
                place[i] = if rounded {
                    [args[0]; 2]
                } else if to.is_complex() || from[..n].iter().any(|d| d.is_complex()) {
                    lw.complex(op, &pairs[..n], &from[..n], to)?
                } else {
                    [lw.apply(op, &args[..n], &from[..n], to)?; 2]
                };
                lw.dtype[i] = Some(to);
            }
            Node::Store(k, n) => {
                let d = r.operands.get(k as usize)?;
                if d.role != Role::Out || *lw.dtype.get(n as usize)? != Some(d.dtype) {
                    return None;
                }
                let [re, im] = place[n as usize];
                let x = lw.packed(re, d.dtype);
                lw.s.effect(Op::Store(k, x), ty(d.dtype.real())?);
                if d.dtype.is_complex() {
                    lw.s.effect(Op::Store(imaginary(k)?, im), ty(d.dtype.real())?);
                }
            }
            Node::Red(op, k, n) => {
                let d = r.operands.get(k as usize)?.dtype;
                if *lw.dtype.get(n as usize)? != Some(d) {
                    return None;
                }
                let j = reds.len() as u32;
                reds.push(d.size() as u32);
                let acc = lw.s.effect(Op::AccIn(j), ty(d)?);
                // The element second: of two NaNs and of two equal numbers either will do.
                let v = lw.apply(op, &[acc, place[n as usize][0]], &[d, d], d)?;
                lw.s.effect(Op::AccOut(j, v), ty(d)?);
            }
        }
    }
    if o.one && lw.s.alone {
        return None;
    }
    let lanes = match lw.s.ty.iter().max() {
        _ if o.one => 1,
        Some(Ty::W64) => 8 >> u32::from(avx2),
        _ => 16 >> u32::from(avx2),
    };
    Some(Program { ssa: lw.s, lanes, reds })
}

/// The lanes of a reduction folded into one value, in the order of [`crate::fused::fold`]: operands are the vectors of the
/// lanes, and one that receives the value in its first lane. `None` for truth values, and where an instruction is missing.
pub(crate) fn tree(op: ScalarOp, d: DType, avx2: bool) -> Option<Program> {
    let t = ty(d).filter(|&t| t != Ty::M)?;
    let mut lw = Lower { s: Ssa::with_room(64), dtype: vec![] };
    if avx2 {
        lw.s.avx2 = Some(t);
    }
    let (vectors, lanes) = if avx2 { (8, 32 / t.size()) } else { (4, 64 / t.size()) };
    let mut v: Vec<Id> = (0..vectors).map(|k| lw.s.value(Op::Load(k), t)).collect();
    while v.len() > 1 {
        let half = v.len() / 2;
        for j in 0..half {
            v[j] = lw.apply(op, &[v[j], v[j + half]], &[d, d], d)?;
        }
        v.truncate(half);
    }
    let (mut x, mut half) = (*v.first()?, lanes / 2);
    while half > 0 {
        let i = match (avx2, half * t.size()) {
            // Within 16 bytes, which is fast, halves change places; across them (valignd, valignq) lane j + half comes to lane j. The first
            // lane is the one that counts.
            (_, 8) => Insn::fp(true, 0xc6).imm(if avx2 { 5 } else { 0x55 }),
            (_, 4) => Insn::fp(false, 0xc6).imm(0xb1),
            (true, _) => Insn::new(3, 1, false, 0x06).imm(1),
            (false, _) => Insn::wide(3, t == Ty::W64, 0x03).imm(half as u8),
        };
        let y = lw.s.bin(i, x, x);
        x = lw.apply(op, &[x, y], &[d, d], d)?;
        half /= 2;
    }
    lw.s.effect(Op::Store(vectors, x), t);
    Some(Program { ssa: lw.s, lanes, reds: vec![] })
}

pub(super) struct Lower {
    pub(super) s: Ssa,
    dtype: Vec<Option<DType>>,
}
impl Lower {
    fn constant(&mut self, b: [u8; 16], d: DType) -> Option<Id> {
        let x = u64::from_le_bytes(b[..8].try_into().ok()?);
        let x = with_small_float!(d, T => u64::from(T::of_bits(x as u32).widen().to_bits()), _ =>
            with_small_int!(d, T => u64::from(i128::from(T::of_bits(x as u32)) as u32), _ => x));
        Some(match ty(d)? {
            Ty::M => self.s.truth(x & 1 == 1),
            Ty::W32 => self.s.constant(x & 0xffff_ffff, Ty::W32),
            Ty::W64 => self.s.constant(x, Ty::W64),
        })
    }
    /// The float `x`, or the integer.
    pub(super) fn num(&mut self, d: DType, x: f64) -> Id {
        let bits = match d {
            DType::F32 => u64::from((x as f32).to_bits()),
            DType::F64 => x.to_bits(),
            DType::I32 | DType::U32 => u64::from(x as i64 as u32),
            _ => x as i64 as u64,
        };
        self.s.constant(bits, if is_double(d) { Ty::W64 } else { Ty::W32 })
    }
    pub(super) fn sign_bit(&mut self, d: DType) -> Id {
        let dbl = is_double(d);
        self.s.constant(if dbl { 1 << 63 } else { 1 << 31 }, if dbl { Ty::W64 } else { Ty::W32 })
    }
    pub(super) fn fcmp(&mut self, d: DType, p: u8, a: Id, b: Id) -> Id {
        self.s.cmp(Insn::fp(d == DType::F64, 0xc2).imm(p), a, b)
    }
    /// A comparison that is not about floats.
    fn icmp(&mut self, d: DType, p: u8, a: Id, b: Id) -> Id {
        let op = if is_signed(d) { 0x1f } else { 0x1e };
        self.s.cmp(Insn::wide(3, is_double(d), op).imm(p & 7), a, b)
    }

    fn apply(&mut self, op: ScalarOp, a: &[Id], from: &[DType], to: DType) -> Option<Id> {
        use ScalarOp::*;
        let d = *from.get(usize::from(op == Select))?;
        if op != Convert && (to.is_small() || from.iter().any(|d| d.is_small())) {
            return None;
        }
        let v = match op {
            Convert => self.convert(d, a[0], to),
            Select if to == DType::Bool => {
                let (x, y) = (self.s.kbin(KAND, a[0], a[1]), self.s.kbin(KANDN, a[0], a[2]));
                Some(self.s.kbin(KOR, x, y))
            }
            Select => Some(self.s.blend(a[0], a[1], a[2])),
            Clamp => {
                let x = self.apply(Max, &[a[0], a[1]], &[d, d], d)?;
                return self.apply(Min, &[x, a[2]], &[d, d], d);
            }
            _ if d == DType::Bool => self.boolean(op, a),
            Eq | Ne | Lt | Le | Gt | Ge => Some(self.compare(op, d, a)),
            _ if is_real(d) => self.real(op, a, d),
            _ => self.integer(op, a, d),
        };
        // A function from outside the code would read and write elements of small dtypes, not lanes.
        if v.is_some() || to.is_small() || d.is_small() {
            return v;
        }
        if is_real(to)
            && from.iter().all(|&f| f == to)
            && let Some(v) = record(&mut self.s, op, to == DType::F64, a)
        {
            return Some(v);
        }
        if let Outside(_) = op {
            // What is not written for this crate may panic, which must not unwind through machine code.
            return None;
        }
        // What tapes would run.
        let f = choose(op, from, to)?.f;
        let (to, masks) = (ty(to)?, self.s.avx2.is_none());
        let fits = |t: Ty| t != Ty::M || masks;
        (fits(to) && from.iter().all(|&d| ty(d).is_some_and(fits))).then(|| self.s.call(f, a, to))
    }

    fn boolean(&mut self, op: ScalarOp, a: &[Id]) -> Option<Id> {
        use ScalarOp::*;
        let (x, y) = (a[0], *a.get(1).unwrap_or(&a[0]));
        Some(match op {
            Not => self.s.knot(x),
            And | Min => self.s.kbin(KAND, x, y),
            Or | Max => self.s.kbin(KOR, x, y),
            Xor | Ne => self.s.kbin(KXOR, x, y),
            Eq => self.s.kbin(KXNOR, x, y),
            Lt => self.s.kbin(KANDN, x, y),
            Gt => self.s.kbin(KANDN, y, x),
            Le | Ge => {
                let v = if op == Le { self.s.kbin(KANDN, y, x) } else { self.s.kbin(KANDN, x, y) };
                self.s.knot(v)
            }
            _ => return None,
        })
    }
    pub(super) fn compare(&mut self, op: ScalarOp, d: DType, a: &[Id]) -> Id {
        use ScalarOp::*;
        let p = match op {
            Eq => EQ,
            Ne => NE,
            Lt => LT,
            Le => LE,
            Gt => GT,
            _ => GE,
        };
        if is_real(d) { self.fcmp(d, p, a[0], a[1]) } else { self.icmp(d, p, a[0], a[1]) }
    }

    pub(super) fn real(&mut self, op: ScalarOp, a: &[Id], d: DType) -> Option<Id> {
        use ScalarOp::*;
        let dbl = d == DType::F64;
        let x = a[0];
        let round = |m: u8| Insn::wide(3, dbl, if dbl { 9 } else { 8 }).imm(8 | m);
        let t = if dbl { Ty::W64 } else { Ty::W32 };
        Some(match op {
            Add => self.s.bin(Insn::fp(dbl, 0x58).comm(), x, a[1]),
            Sub => self.s.bin(Insn::fp(dbl, 0x5c), x, a[1]),
            Mul => self.s.bin(Insn::fp(dbl, 0x59).comm(), x, a[1]),
            Div => match self.s.ops[a[1] as usize] {
                Op::Const(bits, _) if let Some(inverse) = inverse(bits, dbl) => {
                    let inverse = self.s.constant(inverse, t);
                    self.s.bin(Insn::fp(dbl, 0x59).comm(), x, inverse)
                }
                _ => self.s.bin(Insn::fp(dbl, 0x5e), x, a[1]),
            },
            Rem => {
                // By a power of two from 1 on, quotient and product are exact. What is left has the sign of `x`.
                let Op::Const(bits, _) = self.s.ops[a[1] as usize] else { return None };
                let one = if dbl { 1f64.to_bits() } else { u64::from(1f32.to_bits()) };
                let bits = bits & if dbl { !0 >> 1 } else { 0x7fff_ffff };
                let by = inverse(bits, dbl).filter(|_| bits >= one)?;
                let (y, by, sb) = (self.s.constant(bits, t), self.s.constant(by, t), self.sign_bit(d));
                let q = self.s.bin(Insn::fp(dbl, 0x59).comm(), x, by);
                let q = self.s.un(round(3), q, t);
                let whole = self.s.bin(Insn::fp(dbl, 0x59).comm(), q, y);
                let rest = self.s.bin(Insn::fp(dbl, 0x5c), x, whole);
                let s = self.s.bin(Insn::fp(dbl, 0x54).comm(), x, sb);
                self.s.bin(Insn::fp(dbl, 0x56).comm(), rest, s)
            }
            Fma | Fnma => self.s.fma(op == Fnma, x, a[1], a[2]),
            Max | Min => self.extreme(op == Max, x, a[1], d),
            Neg => {
                let s = self.sign_bit(d);
                self.s.bin(Insn::fp(dbl, 0x57).comm(), x, s)
            }
            Abs => self.magnitude(x, d),
            Sign => {
                let (zero, one, sb) = (self.num(d, 0.0), self.num(d, 1.0), self.sign_bit(d));
                let m = self.fcmp(d, EQ_UNORD, x, zero);
                let s = self.s.bin(Insn::fp(dbl, 0x54).comm(), x, sb);
                let s = self.s.bin(Insn::fp(dbl, 0x56).comm(), s, one);
                self.s.blend(m, x, s)
            }
            Floor => self.s.un(round(1), x, t),
            Ceil => self.s.un(round(2), x, t),
            RoundEven => self.s.un(round(0), x, t),
            Round => {
                // Away from zero in the middle: the part cut off is exact.
                let (half, one, sb) = (self.num(d, 0.5), self.num(d, 1.0), self.sign_bit(d));
                let cut = self.s.un(round(3), x, t);
                let rest = self.s.bin(Insn::fp(dbl, 0x5c), x, cut);
                let rest = self.magnitude(rest, d);
                let up = self.fcmp(d, GE, rest, half);
                let s = self.s.bin(Insn::fp(dbl, 0x54).comm(), x, sb);
                let s = self.s.bin(Insn::fp(dbl, 0x56).comm(), s, one);
                let more = self.s.bin(Insn::fp(dbl, 0x58).comm(), cut, s);
                self.s.blend(up, more, cut)
            }
            IsFinite => {
                let (m, inf) = (self.magnitude(x, d), self.num(d, f64::INFINITY));
                self.fcmp(d, LT, m, inf)
            }
            Real | Conj => x,
            Imag => self.num(d, 0.0),
            _ => return None,
        })
    }
    pub(super) fn magnitude(&mut self, x: Id, d: DType) -> Id {
        let dbl = d == DType::F64;
        let m = self.s.constant(if dbl { !0 >> 1 } else { 0x7fff_ffff }, if dbl { Ty::W64 } else { Ty::W32 });
        self.s.bin(Insn::fp(dbl, 0x54).comm(), x, m)
    }
    /// The larger or the smaller; NaN if either is, −0 below +0.
    fn extreme(&mut self, max: bool, a: Id, b: Id, d: DType) -> Id {
        let dbl = d == DType::F64;
        let plain = Insn::fp(dbl, if max { 0x5f } else { 0x5d });
        let known = |s: &Ssa, x: Id| match s.ops[x as usize] {
            Op::Const(c, _) => Some(if dbl { f64::from_bits(c) } else { f64::from(f32::from_bits(c as u32)) }),
            _ => None,
        };
        for (c, x) in [(a, b), (b, a)] {
            if let Some(v) = known(&self.s, c).filter(|v| !v.is_nan()) {
                // The instruction gives its second operand where either is NaN and where both are zeros.
                let r = self.s.bin(plain, c, x);
                if v != 0.0 || v.is_sign_negative() == max {
                    return r;
                }
                if max {
                    // −0 + 0 is +0, and nothing else changes.
                    return self.s.bin(Insn::fp(dbl, 0x58).comm(), r, c);
                }
            }
        }
        // `vrange` orders the zeros; the sum of a NaN and anything is a NaN.
        let r = if self.s.avx2.is_none() {
            self.s.bin(Insn::wide(3, dbl, 0x50).imm(4 | u8::from(max)), a, b)
        } else {
            // Of two equal numbers the bits differ in a zero's sign at most.
            let (r, same) = (self.s.bin(plain, a, b), self.fcmp(d, EQ, a, b));
            let zero = self.s.bin(Insn::fp(dbl, if max { 0x54 } else { 0x56 }).comm(), a, b);
            self.s.blend(same, zero, r)
        };
        let sum = self.s.bin(Insn::fp(dbl, 0x58).comm(), a, b);
        let nan = self.fcmp(d, UNORD, a, b);
        self.s.blend(nan, sum, r)
    }

    pub(super) fn integer(&mut self, op: ScalarOp, a: &[Id], d: DType) -> Option<Id> {
        use ScalarOp::*;
        let (w, signed, x) = (is_double(d), is_signed(d), a[0]);
        let short = self.s.avx2.is_some();
        // 64 bits wide these need AVX-512.
        if short && w && matches!(op, Mul | Max | Min | ShrArith | Abs | Sign) {
            return None;
        }
        if matches!(op, Div | Rem) {
            return self.quotient(op == Rem, [x, a[1]], d);
        }
        let t = self.s.ty(x);
        let wide = |map, op: u8| Insn::wide(map, w, op);
        let max = wide(2, if signed { 0x3d } else { 0x3f }).comm();
        let min = wide(2, if signed { 0x39 } else { 0x3b }).comm();
        let i = match op {
            Add => wide(1, if w { 0xd4 } else { 0xfe }).comm(),
            Sub => wide(1, if w { 0xfb } else { 0xfa }),
            Mul => wide(2, 0x40).comm(),
            And => wide(1, 0xdb).comm(),
            Or => wide(1, 0xeb).comm(),
            Xor => wide(1, 0xef).comm(),
            Max => max,
            Min => min,
            Shl => wide(2, 0x47),
            ShrLogical => wide(2, 0x45),
            ShrArith => wide(2, 0x46),
            Neg => {
                let zero = self.num(d, 0.0);
                return Some(self.s.bin(wide(1, if w { 0xfb } else { 0xfa }), zero, x));
            }
            Not => {
                let ones = self.num(d, -1.0);
                return Some(self.s.bin(wide(1, 0xef).comm(), x, ones));
            }
            Abs if !signed => return Some(x),
            Abs => return Some(self.s.un(wide(2, if w { 0x1f } else { 0x1e }), x, t)),
            Sign => {
                let one = self.num(d, 1.0);
                let v = if signed {
                    let low = self.num(d, -1.0);
                    self.s.bin(max, x, low)
                } else {
                    x
                };
                return Some(self.s.bin(min, v, one));
            }
            Popcnt if !short && self.s.avx2.is_none() && super::has_popcnt() => {
                return Some(self.s.un(wide(2, 0x55), x, t));
            }
            Popcnt if !short => return self.counted(x, d),
            Clz if !short && super::has_lzcnt() => return Some(self.s.un(wide(2, 0x44), x, t)),
            _ => return None,
        };
        Some(self.s.bin(i, x, a[1]))
    }

    /// The number of ones: pairs of bits, of these pairs and so on, added side by side (Warren, Hacker's Delight, 2nd ed., §5–1).
    fn counted(&mut self, x: Id, d: DType) -> Option<Id> {
        let wide = is_double(d);
        let and = Insn::wide(1, wide, 0xdb).comm();
        let (add, sub) = (
            Insn::wide(1, wide, if wide { 0xd4 } else { 0xfe }).comm(),
            Insn::wide(1, wide, if wide { 0xfb } else { 0xfa }),
        );
        let [ones, twos, fours] = [0x55, 0x33, 0x0f].map(|b| self.constant([b; 16], d));
        let (ones, twos, fours) = (ones?, twos?, fours?);
        let half = self.s.shift(true, 1, x);
        let half = self.s.bin(and, half, ones);
        let x = self.s.bin(sub, x, half);
        let high = self.s.shift(true, 2, x);
        let (low, high) = (self.s.bin(and, x, twos), self.s.bin(and, high, twos));
        let x = self.s.bin(add, low, high);
        let high = self.s.shift(true, 4, x);
        let x = self.s.bin(add, x, high);
        let mut x = self.s.bin(and, x, fours);
        for by in [8, 16, 32].into_iter().take(if wide { 3 } else { 2 }) {
            let high = self.s.shift(true, by, x);
            x = self.s.bin(add, x, high);
        }
        let most = self.num(d, 127.0);
        Some(self.s.bin(and, x, most))
    }
    pub(super) fn convert(&mut self, d: DType, x: Id, to: DType) -> Option<Id> {
        let (t, dbl) = (ty(to)?, is_double(to));
        if d == to || d.wide() == to {
            return Some(x);
        }
        if to.is_small() || d.is_small() {
            return if to.wide() == d { Some(self.narrowed(x, to)) } else { None };
        }
        if d == DType::Bool {
            let (one, zero) = (self.num(to, 1.0), self.num(to, 0.0));
            return Some(self.s.blend(x, one, zero));
        }
        let wide = is_double(d);
        if to == DType::Bool {
            if is_real(d) {
                let zero = self.num(d, 0.0);
                return Some(self.fcmp(d, NE, x, zero));
            }
            return Some(self.s.cmp(Insn::wide(2, wide, 0x27), x, x));
        }
        // Of one size, so of the conversions AVX2 has two.
        let known = matches!((d, to), (DType::I32, DType::F32) | (DType::F32, DType::I32));
        if self.s.avx2.is_some() && !known && is_real(d) != is_real(to) {
            return None;
        }
        let i = match (is_real(d), is_real(to)) {
            (false, false) if wide == dbl => return Some(x),
            (false, false) if wide => return Some(self.s.value(Op::Down(Insn::new(2, 2, false, 0x35), x), t)),
            (false, false) => Insn::wide(2, false, if is_signed(d) { 0x25 } else { 0x35 }),
            (true, true) if wide => Insn::new(1, 1, true, 0x5a),
            (true, true) => Insn::new(1, 0, false, 0x5a),
            (false, true) => match (wide, dbl, is_signed(d)) {
                (false, false, true) => Insn::new(1, 0, false, 0x5b),
                (false, false, false) => Insn::new(1, 3, false, 0x7a),
                (false, true, true) => Insn::new(1, 2, false, 0xe6),
                (false, true, false) => Insn::new(1, 2, false, 0x7a),
                (true, true, true) => Insn::new(1, 2, true, 0xe6),
                (true, true, false) => Insn::new(1, 2, true, 0x7a),
                (true, false, true) => Insn::new(1, 0, true, 0x5b),
                (true, false, false) => Insn::new(1, 3, true, 0x7a),
            },
            (true, false) => return Some(self.truncate(d, x, to)),
        };
        Some(self.s.un(i, x, t))
    }
    /// An integer operation on lanes of 32 bits, with a number.
    fn with(&mut self, op: u8, x: Id, number: u32) -> Id {
        let n = self.s.constant(number.into(), Ty::W32);
        self.s.bin(Insn::wide(1, false, op).comm(), x, n)
    }
    /// The value of lanes as they come from memory.
    fn unpacked(&mut self, x: Id, d: DType) -> Id {
        const ADD: u8 = 0xfe;
        const AND: u8 = 0xdb;
        const OR: u8 = 0xeb;
        let f = match d.format() {
            None => return x,
            Some(_) if d == DType::BF16 => return self.s.shift(false, 16, x),
            Some(_) if d == DType::F16 => {
                let words = self.s.value(Op::Down(Insn::new(2, 2, false, 0x33), x), Ty::W32);
                return self.of_halves(words);
            }
            Some(f) => f,
        };
        // As `Format::widen`.
        let bits = self.with(AND, x, f.size_mask());
        let size = self.s.shift(false, f.lacks() as u8, bits);
        let more = self.s.constant(f.more().into(), Ty::W32);
        let far = self.s.bin(Insn::wide(1, false, ADD).comm(), size, more);
        let least = self.num(DType::F32, f.least_normal().into());
        let near = self.s.bin(Insn::wide(1, false, ADD).comm(), size, least);
        let near = self.s.bin(Insn::fp(false, 0x5c), near, least);
        let lead = self.s.constant(1 << f.mantissa, Ty::W32);
        let is_near = self.icmp(DType::I32, LT, bits, lead);
        let number = self.s.blend(is_near, near, far);
        let size = match (f.special, f.nan()) {
            (Special::Ieee, _) => {
                let beyond = self.with(OR, size, 0x7f80_0000);
                let most = f.top().unwrap_or_default();
                let top = self.with(AND, x, most);
                let most = self.s.constant(most.into(), Ty::W32);
                let last = self.icmp(DType::I32, EQ, top, most);
                self.s.blend(last, beyond, number)
            }
            (_, Some(nan)) => {
                let pattern = if f.special == Special::Nan { bits } else { x };
                let nan = self.s.constant(nan.into(), Ty::W32);
                let none = self.icmp(DType::I32, EQ, pattern, nan);
                let nan = self.s.constant(0x7fc0_0000, Ty::W32);
                self.s.blend(none, nan, number)
            }
            _ => number,
        };
        let sign = self.with(AND, x, f.sign());
        let sign = self.s.shift(false, (32 - f.bits()) as u8, sign);
        self.s.bin(Insn::wide(1, false, OR).comm(), size, sign)
    }
    /// The nearest numbers of 16 bits (`vcvtps2ph`), side by side in the lower half of a register.
    fn halves(&mut self, x: Id) -> Id {
        self.s.value(Op::Down(Insn::new(3, 1, false, 0x1d).imm(0), x), Ty::W32)
    }
    /// The lanes of numbers of 16 bits in the lower half of a register (`vcvtph2ps`).
    fn of_halves(&mut self, words: Id) -> Id {
        self.s.un(OF_HALVES, words, Ty::W32)
    }
    /// Lanes whose low bits are the elements.
    fn packed(&mut self, x: Id, d: DType) -> Id {
        const SUB: u8 = 0xfa;
        const AND: u8 = 0xdb;
        let f = match d.format() {
            None => return x,
            Some(_) if d == DType::BF16 => {
                // The bits that rounding cuts off are shifted out as well.
                let x = match self.s.ops[x as usize] {
                    Op::Blend(none, nan, cut) => match self.s.ops[cut as usize] {
                        Op::Bin(Insn { op: AND, map: 1, .. }, a, b)
                            if [a, b].map(|v| self.s.ops[v as usize]).contains(&UPPER) =>
                        {
                            let near = if self.s.ops[a as usize] == UPPER { b } else { a };
                            self.s.blend(none, nan, near)
                        }
                        _ => x,
                    },
                    _ => x,
                };
                return self.s.shift(true, 16, x);
            }
            Some(_) if d == DType::F16 => {
                let words = match self.s.ops[x as usize] {
                    // They are where these lanes come from.
                    Op::Un(OF_HALVES, words) => words,
                    _ => self.halves(x),
                };
                return self.s.un(Insn::wide(2, false, 0x33), words, Ty::W32);
            }
            Some(f) => f,
        };
        // As `Format::bits_of`.
        let size = self.magnitude(x, DType::F32);
        let moved = self.s.shift(true, f.lacks() as u8, size);
        let more = self.s.constant((f.more() >> f.lacks()).into(), Ty::W32);
        let far = self.s.bin(Insn::wide(1, false, SUB), moved, more);
        let rounder = self.num(DType::F32, f.rounder().into());
        let near = self.s.bin(Insn::fp(false, 0x58).comm(), size, rounder);
        let least = self.num(DType::F32, f.least_normal().into());
        let is_near = self.fcmp(DType::F32, LT, size, least);
        let number = self.s.blend(is_near, near, far);
        let number = if f.special == Special::Ieee {
            let infinity = self.num(DType::F32, f64::INFINITY);
            let last = self.fcmp(DType::F32, LT, size, infinity);
            self.s.blend(last, number, moved)
        } else {
            number
        };
        let size = self.with(AND, number, f.size_mask());
        let sign = self.s.shift(true, (32 - f.bits()) as u8, x);
        let sign = self.with(AND, sign, f.sign());
        let bits = self.s.bin(Insn::wide(1, false, 0xeb).comm(), size, sign);
        match f.nan() {
            // Infinity and NaN have become their own patterns.
            Some(nan) if f.special != Special::Ieee => {
                let nan = self.s.constant(nan.into(), Ty::W32);
                let none = self.fcmp(DType::F32, UNORD, x, x);
                self.s.blend(none, nan, bits)
            }
            _ => bits,
        }
    }
    /// The value of a wide dtype as one of a small dtype: rounded, or its low bits.
    fn narrowed(&mut self, x: Id, to: DType) -> Id {
        let add = |lw: &mut Self, op: u8, a, b| lw.s.bin(Insn::wide(1, false, op).comm(), a, b);
        // The nearest number without the bits below `bits`, the even one of two.
        let rounded = |lw: &mut Self, x: Id, bits: u8| {
            let odd = lw.s.shift(true, bits, x);
            let odd = lw.with(0xdb, odd, 1);
            let half = lw.with(0xfe, odd, (1 << (bits - 1)) - 1);
            let near = add(lw, 0xfe, x, half);
            lw.with(0xdb, near, !((1u32 << bits) - 1))
        };
        match to {
            d if d.is_unsigned() => self.with(0xdb, x, (1 << d.bits()) - 1),
            d if d.is_signed() => {
                let k = (32 - d.bits()) as u8;
                let (up, by) = (self.s.shift(false, k, x), self.s.constant(k.into(), Ty::W32));
                self.s.bin(Insn::wide(2, false, 0x46), up, by)
            }
            DType::BF16 => {
                let near = rounded(self, x, 16);
                let nan = self.s.constant(0x7fc0_0000, Ty::W32);
                let none = self.fcmp(DType::F32, UNORD, x, x);
                self.s.blend(none, nan, near)
            }
            DType::F16 => {
                let nan = self.s.constant(0x7fc0_0000, Ty::W32);
                let none = self.fcmp(DType::F32, UNORD, x, x);
                let x = self.s.blend(none, nan, x);
                let words = self.halves(x);
                self.of_halves(words)
            }
            d => {
                // As `Format::nearest`.
                let Some(f) = d.format() else { return x };
                let size = self.magnitude(x, DType::F32);
                let rounder = self.num(DType::F32, f.rounder().into());
                let fine = self.s.bin(Insn::fp(false, 0x58).comm(), size, rounder);
                let fine = self.s.bin(Insn::fp(false, 0x5c), fine, rounder);
                let near = rounded(self, size, f.lacks() as u8);
                let (most, beyond) = (self.num(DType::F32, f.most().into()), self.num(DType::F32, f.beyond().into()));
                let is_beyond = self.fcmp(DType::F32, GT, near, most);
                let near = self.s.blend(is_beyond, beyond, near);
                let least = self.num(DType::F32, f.least_normal().into());
                let small = self.fcmp(DType::F32, LT, size, least);
                let near = self.s.blend(small, fine, near);
                let sign = self.with(0xdb, x, 0x8000_0000);
                let near = add(self, 0xeb, near, sign);
                let nan = self.num(DType::F32, f.of_nan().into());
                let none = self.fcmp(DType::F32, UNORD, x, x);
                let near = self.s.blend(none, nan, near);
                if f.special != Special::Unsigned {
                    return near;
                }
                let zero = self.num(DType::F32, 0.0);
                self.s.bin(Insn::fp(false, 0x58).comm(), near, zero)
            }
        }
    }
    /// Towards zero, saturating, NaN as 0.
    fn truncate(&mut self, d: DType, x: Id, to: DType) -> Id {
        let (t, signed) = (if is_double(to) { Ty::W64 } else { Ty::W32 }, is_signed(to));
        let i = match (is_double(d), is_double(to), signed) {
            (false, false, true) => Insn::new(1, 2, false, 0x5b),
            (false, false, false) => Insn::new(1, 0, false, 0x78),
            (false, true, true) => Insn::new(1, 1, false, 0x7a),
            (false, true, false) => Insn::new(1, 1, false, 0x78),
            (true, false, true) => Insn::new(1, 1, true, 0xe6),
            (true, false, false) => Insn::new(1, 0, true, 0x78),
            (true, true, true) => Insn::new(1, 1, true, 0x7a),
            (true, true, false) => Insn::new(1, 1, true, 0x78),
        };
        let r = self.s.un(i, x, t);
        let zero = self.s.constant(0, t);
        if !signed {
            // All ones beyond the range on either side, and for NaN.
            let null = self.num(d, 0.0);
            let ok = self.fcmp(d, GE, x, null);
            return self.s.blend(ok, r, zero);
        }
        // The least integer beyond the range on either side, and for NaN.
        let (top, most) = if t == Ty::W64 {
            (9_223_372_036_854_775_808.0, i64::MAX as u64)
        } else {
            (2_147_483_648.0, i32::MAX as u64)
        };
        let (top, most) = (self.num(d, top), self.s.constant(most, t));
        let above = self.fcmp(d, GE, x, top);
        let nan = self.fcmp(d, UNORD, x, x);
        let r = self.s.blend(above, most, r);
        self.s.blend(nan, zero, r)
    }
}
