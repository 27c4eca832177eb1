//! Scalar functions as C. What is exact is an expression, or a small function of `scalar/functions.cuh`; elementary functions are the
//! formulas of the CPU's vector math, recorded (`scalar/record.rs`).
use std::collections::{BTreeMap, BTreeSet};

use tfc_ir::small::{Format, Special};
use tfc_ir::{Code, DType, Error, Result, ScalarOp};
use tfc_kernels::functions::FUNCTIONS;

mod record;

/// Bits of numbers and complex numbers: what every text begins with.
pub const PRELUDE: &str = include_str!("scalar/prelude.cuh");
/// Functions in sections that begin with `//# NAME: WHAT IS BEFORE`: other sections, and recorded formulas of `f64` (`exp_f64`).
/// The first ones stand before all recorded formulas, the others after them.
const SECTIONS: [&str; 2] = [
    include_str!("scalar/functions.cuh"),
    concat!(
        include_str!("scalar/special.cuh"),
        include_str!("scalar/complex.cuh"),
        include_str!("scan.cuh"),
        include_str!("sort.cuh")
    ),
];

/// Device functions that kernels use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Functions {
    sections: BTreeSet<&'static str>,
    /// Recorded ones, in the order in which they have to stand, by name.
    recorded: Vec<(String, String)>,
    known: BTreeMap<String, usize>,
}
/// Name, what has to stand before, text.
fn sections(of: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    of.split("//# ").skip(1).filter_map(|s| {
        let (head, text) = s.split_once('\n')?;
        let (name, before) = head.split_once(':').unwrap_or((head, ""));
        Some((name.trim(), before, text))
    })
}
fn none(op: ScalarOp, d: DType) -> Error {
    Error::new(Code::E1304, format!("the cuda backend has no `{}` of {d}", op.name()))
        .help("use the backend cpu or xla")
}
/// A type.
pub fn ctype(d: DType) -> &'static str {
    match d {
        DType::Bool => "bool",
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::U8 => "u8",
        DType::U16 => "u16",
        DType::BF16 => "bf16",
        DType::F16 => "f16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::U32 => "u32",
        DType::U64 => "u64",
        DType::F32 => "f32",
        DType::F64 => "f64",
        DType::C32 => "c32",
        DType::C64 => "c64",
        // Tiny numbers are their bytes.
        d if d.is_signed() => "i8",
        _ => "u8",
    }
}
/// A constant.
pub fn literal(b: [u8; 16], d: DType) -> String {
    let four = |at: usize| u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]]);
    let eight = |at: usize| u64::from(four(at)) | u64::from(four(at + 4)) << 32;
    let real = |bits: u64, double| record::real(bits, double);
    let two = u16::from_le_bytes([b[0], b[1]]);
    match d {
        DType::Bool => (b[0] != 0).to_string(),
        DType::I8 => format!("(i8)({})", b[0] as i8),
        DType::I16 => format!("(i16)({})", two as i16),
        DType::U8 => format!("(u8){}", b[0]),
        DType::U16 => format!("(u16){two}"),
        DType::BF16 | DType::F16 => format!("{}{{{two}}}", ctype(d)),
        DType::I32 => match four(0) as i32 {
            i32::MIN => "(-2147483647 - 1)".into(),
            x if x < 0 => format!("({x})"),
            x => x.to_string(),
        },
        DType::U32 => format!("{}u", four(0)),
        DType::I64 => match eight(0) as i64 {
            i64::MIN => "(-9223372036854775807ll - 1)".into(),
            x if x < 0 => format!("({x}ll)"),
            x => format!("{x}ll"),
        },
        DType::U64 => format!("{}ull", eight(0)),
        DType::F32 => real(four(0).into(), false),
        DType::F64 => real(eight(0), true),
        DType::C32 => format!("c32{{{}, {}}}", real(four(0).into(), false), real(four(4).into(), false)),
        DType::C64 => format!("c64{{{}, {}}}", real(eight(0), true), real(eight(8), true)),
        d if d.is_signed() => format!("(i8)({})", b[0] as i8),
        _ => format!("(u8){}", b[0]),
    }
}
/// A scalar's bits as one of another type of that size.
pub fn bits(x: &str, from: DType, to: DType) -> Option<String> {
    use DType::{F32, F64, I32, I64, U32, U64};
    Some(match (from, to) {
        (a, b) if a == b => x.to_owned(),
        (F32, U32) => format!("f32_bits({x})"),
        (F32, I32) => format!("(i32)f32_bits({x})"),
        (F64, U64) => format!("f64_bits({x})"),
        (F64, I64) => format!("(i64)f64_bits({x})"),
        (U32 | I32, F32) => format!("f32_from((u32)({x}))"),
        (U64 | I64, F64) => format!("f64_from((u64)({x}))"),
        (U32, I32) | (U64, I64) => format!("({})({x})", if to == I32 { "i32" } else { "i64" }),
        (I32, U32) | (I64, U64) => format!("({})({x})", if to == U32 { "u32" } else { "u64" }),
        _ => return None,
    })
}
/// What a fold starts with.
///
/// # Errors
/// `E1304` where a reduction has none.
pub fn identity(op: ScalarOp, d: DType) -> Result<String> {
    let none = op.identity(d).ok_or_else(|| none(op, d))?;
    Ok(literal(none.scalar_bytes(), d))
}
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Real,
    Complex,
}
fn kind(d: DType) -> Kind {
    match d {
        DType::Bool => Kind::Bool,
        DType::F32 | DType::F64 => Kind::Real,
        DType::C32 | DType::C64 => Kind::Complex,
        _ => Kind::Int,
    }
}
impl Functions {
    /// The sections as text, each after what it needs.
    pub fn text(&self) -> String {
        let needed = |of| sections(of).filter(|s| self.sections.contains(s.0)).map(|s| s.2);
        let recorded = self.recorded.iter().map(|r| r.1.as_str());
        needed(SECTIONS[0]).chain(recorded).chain(needed(SECTIONS[1])).collect()
    }
    /// Adds functions that are not of scalars, and all that they need.
    ///
    /// # Errors
    /// `E0718` where there are none of that name.
    pub fn section(&mut self, name: &str) -> Result<()> {
        if self.need(name) { Ok(()) } else { Err(Error::bug(Code::E0718, format!("no section `{name}` of functions"))) }
    }
    /// Adds a section and all that it needs. Returns whether there is such a section.
    fn need(&mut self, section: &str) -> bool {
        let Some((name, before, _)) = SECTIONS.into_iter().flat_map(sections).find(|s| s.0 == section) else {
            return false;
        };
        if self.sections.insert(name) {
            for b in before.split_whitespace() {
                if !self.need(b)
                    && let Some(f) = FUNCTIONS.iter().find(|f| b.strip_suffix("_f64") == Some(f.op.name()))
                {
                    self.formula(f.op, true);
                }
            }
        }
        true
    }
    fn call(&mut self, section: &str, name: &str, args: &[(&str, DType)]) -> String {
        self.need(section);
        let args: Vec<&str> = args.iter().map(|a| a.0).collect();
        format!("{name}({})", args.join(", "))
    }
    /// A recorded formula, if there is one.
    fn formula(&mut self, op: ScalarOp, double: bool) -> Option<String> {
        let name = record::name(op, double);
        if !self.known.contains_key(&name) {
            for (name, text) in record::record(op, double)? {
                if !self.known.contains_key(&name) {
                    self.known.insert(name.clone(), self.recorded.len());
                    self.recorded.push((name, text));
                }
            }
        }
        Some(name)
    }
    /// The fold of a reduction.
    ///
    /// # Errors
    /// As [`Functions::apply`].
    pub fn combine(&mut self, op: ScalarOp, a: &str, b: &str, d: DType) -> Result<String> {
        let both = self.apply(op, &[(a, d), (b, d)], d)?;
        if op == ScalarOp::Mul && d.is_complex() {
            // 1 leaves the other factor as it is, infinite or not: what a product starts from does not show.
            let one = |z: &str| format!("{z}.re == 1 && {z}.im == 0");
            return Ok(format!("({} ? {b} : {} ? {a} : {both})", one(a), one(b)));
        }
        Ok(both)
    }
    /// An expression; operands are names or expressions that may be evaluated more than once.
    ///
    /// # Errors
    /// `E1304` where a function of these element types has no text.
    pub fn apply(&mut self, op: ScalarOp, args: &[(&str, DType)], to: DType) -> Result<String> {
        use Kind::*;
        use ScalarOp as S;
        let Some(&(x, d)) = args.first() else { return Err(none(op, to)) };
        let y = args.get(1).map_or("", |a| a.0);
        let k = kind(d);
        let f = if d == DType::F32 { "f" } else { "" };
        let two = |op: &str| format!("({x} {op} {y})");
        Ok(match (op, k) {
            (S::Convert, _) => self.convert(x, d, to)?,
            (S::Neg, Int) => self.call("wrap", "wrap_sub", &[(&format!("({})0", ctype(d)), d), args[0]]),
            (S::Neg, Real | Complex) => format!("(-{x})"),
            (S::Abs, Int) => self.call("int_abs", "int_abs", args),
            (S::Abs, Real) => format!("fabs{f}({x})"),
            (S::Abs, Complex) => self.call("modulus", "modulus", args),
            (S::Sign, Int) => self.call("int_sign", "int_sign", args),
            (S::Sign, Real) => self.call("real_sign", "real_sign", args),
            (S::Floor, Real) => format!("floor{f}({x})"),
            (S::Ceil, Real) => format!("ceil{f}({x})"),
            (S::Round, Real) => format!("round{f}({x})"),
            (S::RoundEven, Real) => format!("rint{f}({x})"),
            (S::IsFinite, Real) => format!("({x} - {x} == 0)"),
            (S::Not, Bool) => format!("(!{x})"),
            (S::Not, Int) => format!("(~{x})"),
            (S::Popcnt, Int) => self.call("count_bits", "count_bits", args),
            (S::Clz, Int) => self.call("leading_zeros", "leading_zeros", args),
            (S::Real | S::Conj, Real) => x.to_owned(),
            (S::Imag, Real) => format!("({})0", ctype(d)),
            (S::Real, Complex) => format!("({x}).re"),
            (S::Imag, Complex) => format!("({x}).im"),
            (S::Conj, Complex) => format!("conj({x})"),
            (S::Complex, Real) => format!("{}{{{x}, {y}}}", ctype(to)),
            (S::Add, Int) => self.call("wrap", "wrap_add", args),
            (S::Sub, Int) => self.call("wrap", "wrap_sub", args),
            (S::Mul, Int) => self.call("wrap", "wrap_mul", args),
            (S::Add, Real | Complex) => two("+"),
            (S::Sub, Real | Complex) => two("-"),
            (S::Mul, Real | Complex) => two("*"),
            (S::Div, Real) => two("/"),
            (S::Div, Int) => self.call("int_div", "int_div", args),
            (S::Rem, Int) => self.call("int_rem", "int_rem", args),
            (S::Rem, Real) => format!("fmod{f}({x}, {y})"),
            (S::Pow, Int) => self.call("int_pow", "int_pow", args),
            (S::Mulhi, Int) => self.call("high", "high", args),
            (S::Max, Bool) | (S::Or, Bool) => two("|"),
            (S::Min, Bool) | (S::And, Bool) => two("&"),
            (S::Xor, Bool) => two("!="),
            (S::Max, Int | Real) => self.call("largest", "largest", args),
            (S::Min, Int | Real) => self.call("smallest", "smallest", args),
            (S::Nextafter, Real) => self.call("next_after", "next_after", args),
            (S::And, Int) => two("&"),
            (S::Or, Int) => two("|"),
            (S::Xor, Int) => two("^"),
            (S::Shl, Int) => self.call("shift", "shift_left", args),
            (S::ShrLogical, Int) => self.call("shift", "shift_right", args),
            (S::ShrArith, Int) => self.call("shift", "shift_signed", args),
            (S::Eq, _) => two("=="),
            (S::Ne, _) => two("!="),
            (S::Lt, Bool | Int | Real) => two("<"),
            (S::Le, Bool | Int | Real) => two("<="),
            (S::Gt, Bool | Int | Real) => two(">"),
            (S::Ge, Bool | Int | Real) => two(">="),
            (S::Select, _) => format!("({x} ? {y} : {})", args.get(2).map_or("", |a| a.0)),
            (S::Clamp, Bool) => format!("(({x} | {y}) & {})", args.get(2).map_or("", |a| a.0)),
            (S::Clamp, Int | Real) => {
                let low = self.call("largest", "largest", &args[..2]);
                let high = args.get(2).map_or("", |a| a.0);
                self.call("smallest", "smallest", &[(&low, d), (high, d)])
            }
            (S::Fma, Real) => format!("fma{f}({x}, {y}, {})", args.get(2).map_or("", |a| a.0)),
            (S::Fnma, Real) => format!("fma{f}(-{x}, {y}, {})", args.get(2).map_or("", |a| a.0)),
            (S::Lgamma, Real) => self.of_doubles("lgamma", "lgamma_f64", args),
            (S::Digamma, Real) => self.of_doubles("digamma", "digamma", args),
            (S::Polygamma, Real) => self.of_doubles("polygamma", "polygamma", args),
            (S::Zeta, Real) => self.of_doubles("zeta", "zeta", args),
            (S::BesselI0e, Real) => self.of_doubles("bessel", "bessel_i0e", args),
            (S::BesselI1e, Real) => self.of_doubles("bessel", "bessel_i1e", args),
            (_, Real) => {
                let name = self.formula(op, d == DType::F64).ok_or_else(|| none(op, d))?;
                let list: Vec<&str> = args.iter().map(|a| a.0).collect();
                format!("{name}({})", list.join(", "))
            }
            (_, Complex) => {
                let name = format!("complex_{}", op.name());
                if !self.need(&name) {
                    return Err(none(op, d));
                }
                self.of_doubles(&name, &name, args)
            }
            _ => return Err(none(op, d)),
        })
    }
    /// The call of a function of `f64` or `c64`; of shorter numbers, its value is rounded once.
    fn of_doubles(&mut self, section: &str, name: &str, args: &[(&str, DType)]) -> String {
        self.need(section);
        let d = args.first().map_or(DType::F64, |a| a.1);
        if d == DType::C32 {
            self.need("pairs");
        }
        let (before, after) = match d {
            DType::F32 => ("(f64)(", "(f32)"),
            DType::C32 => ("widen(", "narrow("),
            _ => ("(", ""),
        };
        let args: Vec<String> = args.iter().map(|a| format!("{before}{})", a.0)).collect();
        format!("{after}{name}({}){}", args.join(", "), if d == DType::C32 { ")" } else { "" })
    }
    fn convert(&mut self, x: &str, from: DType, to: DType) -> Result<String> {
        let t = ctype(to);
        if from != to && (from.is_small() || to.is_small()) {
            return self.convert_small(x, from, to);
        }
        let part = if to == DType::C32 { "f32" } else { "f64" };
        Ok(match (kind(from), kind(to)) {
            _ if from == to => x.to_owned(),
            (Kind::Complex, Kind::Complex) => format!("{t}{{({part})({x}).re, ({part})({x}).im}}"),
            (Kind::Complex, Kind::Bool) => format!("(({x}).re != 0 || ({x}).im != 0)"),
            (Kind::Complex, _) => return Err(none(ScalarOp::Convert, from)),
            (_, Kind::Complex) => format!("{t}{{({part}){x}, 0}}"),
            (_, Kind::Bool) => format!("({x} != 0)"),
            (Kind::Real, Kind::Int) => self.call("to_int", &format!("to_{t}"), &[(x, from)]),
            _ => format!("({t}){x}"),
        })
    }
    /// Between a small dtype and its wide one, and of wide numbers to small floats: the pass `widen` leaves no others.
    fn convert_small(&mut self, x: &str, from: DType, to: DType) -> Result<String> {
        let t = ctype(to);
        let format = |d: DType| d.format().filter(|_| d.is_tiny());
        let parameters = |f: Format| {
            let special = match f.special {
                Special::Ieee => 0,
                Special::Nan => 1,
                Special::Unsigned => 2,
                Special::Finite => 3,
            };
            format!("{}, {}, {}, {special}", f.exponent, f.mantissa, f.bias)
        };
        if let Some(f) = format(from).filter(|_| to == from.wide()) {
            return Ok(self.call("tiny", &format!("tiny_wide<{}>", parameters(f)), &[(x, from)]));
        }
        if let Some(f) = format(to).filter(|_| !from.is_small() && from != DType::Bool && !from.is_complex()) {
            let near = self.call("small", "small_odd", &[(x, from)]);
            return Ok(self.call("tiny", &format!("tiny<{}>", parameters(f)), &[(&near, DType::F32)]));
        }
        Ok(match (from, to) {
            _ if to.is_tiny() && from == to.wide() => match 32 - to.bits() {
                up if to.is_signed() => format!("({t})((i32)((u32)({x}) << {up}) >> {up})"),
                _ => format!("({t})(({x}) & {})", (1 << to.bits()) - 1),
            },
            _ if from.is_small() && from.is_float() && to == from.wide() => {
                self.call("small", "small_wide", &[(x, from)])
            }
            _ if from.is_small() && to == from.wide() || to.is_int() && from == to.wide() => format!("({t}){x}"),
            _ if to.is_float() && !from.is_small() && from != DType::Bool && !from.is_complex() => {
                let near = self.call("small", "small_odd", &[(x, from)]);
                self.call("small", &format!("small_{t}"), &[(&near, DType::F32)])
            }
            _ => return Err(none(ScalarOp::Convert, from)),
        })
    }
}
