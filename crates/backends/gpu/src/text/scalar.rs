//! Scalar functions as WGSL.
//!
//! The language lets a compiler rearrange sums and make a product part of a sum, and compilers do both. So what must not change is
//! held ([`HOLD`]): a number that has passed through `hold` is bits that nobody knows, and arithmetic of floats stops at it. The
//! formulas of elementary functions are those of the CPU's vector math, recorded ([`formula`]); what they lean on, a product and a sum
//! rounded once, is `fused`, which a device that rounds twice computes by parts (`parts.wgsl`). NaN is told by bits, because a
//! comparison of a number with itself is folded.
use std::collections::BTreeSet;
use std::fmt::Write;

use tfc_ir::{Code, DType, Error, Result, ScalarOp};
use tfc_kernels::vmath::{Recorded, Step, formula};

use super::type_of;

/// Functions in sections that begin with `//# NAME: OTHER SECTIONS THAT THEY NEED`.
const SECTIONS: &str = include_str!("functions.wgsl");
/// `fused` for devices that round a product before it is added.
pub const PARTS: &str = include_str!("parts.wgsl");
/// The name of the function that holds a number.
pub const HOLD: &str = "hold";

/// Functions that kernels use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Functions {
    sections: BTreeSet<&'static str>,
    /// Recorded ones by name.
    recorded: Vec<(String, String)>,
}
/// Name, what else is needed, text.
fn sections() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    SECTIONS.split("//# ").skip(1).filter_map(|s| {
        let (head, text) = s.split_once('\n')?;
        let (name, needs) = head.split_once(':').unwrap_or((head, ""));
        Some((name.trim(), needs, text))
    })
}
fn none(op: ScalarOp, d: DType) -> Error {
    Error::new(Code::E1304, format!("the gpu backend has no `{}` of {d}", op.name())).help("use the backend cpu")
}
/// A real constant.
fn real(bits: u32) -> String {
    let x = f32::from_bits(bits);
    if x.is_normal() || bits == 0 {
        return if x < 0.0 { format!("({x:?})") } else { format!("{x:?}") };
    }
    // Numbers that a compiler refuses, or takes for others.
    format!("bitcast<f32>(0x{bits:08x}u | p.zero)")
}
/// A constant.
pub fn literal(b: [u8; 16], d: DType) -> String {
    let four = |at: usize| u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]]);
    match d {
        DType::Bool => (b[0] != 0).to_string(),
        DType::I32 => match four(0) as i32 {
            i32::MIN => "bitcast<i32>(0x80000000u)".into(),
            x if x < 0 => format!("({x})"),
            x => x.to_string(),
        },
        DType::U32 => format!("{}u", four(0)),
        DType::I64 | DType::U64 => format!("{}({}u, {}u)", type_of(d), four(0), four(4)),
        DType::C32 => format!("c32({}, {})", real(four(0)), real(four(4))),
        _ => real(four(0)),
    }
}
/// What a fold starts with.
///
/// # Errors
/// `E1304` where a reduction has none.
pub fn identity(op: ScalarOp, d: DType) -> Result<String> {
    let none = op.identity(d).ok_or_else(|| none(op, d))?;
    Ok(literal(none.scalar_bytes(), d))
}
impl Functions {
    /// The functions as text.
    pub fn text(&self) -> String {
        let own = sections().filter(|s| self.sections.contains(s.0)).map(|s| s.2);
        own.chain(self.recorded.iter().map(|r| r.1.as_str())).collect()
    }
    /// Adds a section and all that it needs. Returns whether there is one.
    pub fn need(&mut self, section: &str) -> bool {
        let Some((name, needs, _)) = sections().find(|s| s.0 == section) else { return false };
        if self.sections.insert(name) {
            needs.split_whitespace().for_each(|n| _ = self.need(n));
        }
        true
    }
    fn call(&mut self, name: &str, args: &[&str]) -> String {
        self.need(name);
        format!("{name}({})", args.join(", "))
    }
    /// The fold of a reduction.
    ///
    /// # Errors
    /// As [`Functions::apply`].
    pub fn combine(&mut self, op: ScalarOp, a: &str, b: &str, d: DType) -> Result<String> {
        self.apply(op, &[(a, d), (b, d)], d)
    }
    /// A number that passes through `hold`.
    pub fn held(&mut self, x: &str, d: DType) -> String {
        match d {
            DType::F32 => self.call(HOLD, &[x]),
            _ => x.to_owned(),
        }
    }
    /// An expression; operands are names or expressions that may be evaluated more than once.
    ///
    /// # Errors
    /// `E1304` where a function of these element types has no text.
    pub fn apply(&mut self, op: ScalarOp, args: &[(&str, DType)], to: DType) -> Result<String> {
        use ScalarOp as S;
        let Some(&(x, d)) = args.first() else { return Err(none(op, to)) };
        let y = args.get(1).map_or("", |a| a.0);
        let z = args.get(2).map_or("", |a| a.0);
        if op == S::Select {
            return Ok(format!("select({z}, {y}, {x})"));
        }
        if op == S::Convert {
            return self.convert(x, d, to);
        }
        match d {
            DType::Bool => flag(op, x, y, z).ok_or_else(|| none(op, d)),
            DType::I32 | DType::U32 => self.word(op, [x, y, z], d),
            DType::I64 | DType::U64 => self.long(op, [x, y, z], d),
            DType::F32 => self.float(op, [x, y, z]),
            DType::C32 => self.complex(op, [x, y]),
            _ => Err(none(op, d)),
        }
    }
    fn word(&mut self, op: ScalarOp, [x, y, z]: [&str; 3], d: DType) -> Result<String> {
        use ScalarOp as S;
        let signed = d == DType::I32;
        let t = type_of(d);
        let two = |op: &str| format!("({x} {op} {y})");
        Ok(match op {
            S::Neg => format!("({t}(0) - {x})"),
            S::Abs if signed => self.call("abs_i32", &[x]),
            S::Abs => x.to_owned(),
            S::Sign if signed => format!("sign({x})"),
            S::Sign => format!("min({x}, 1u)"),
            S::Not => format!("(~{x})"),
            S::Popcnt => format!("countOneBits({x})"),
            S::Clz => format!("countLeadingZeros({x})"),
            S::Add => two("+"),
            S::Sub => two("-"),
            S::Mul => two("*"),
            S::Max => format!("max({x}, {y})"),
            S::Min => format!("min({x}, {y})"),
            S::And => two("&"),
            S::Or => two("|"),
            S::Xor => two("^"),
            S::Eq => two("=="),
            S::Ne => two("!="),
            S::Lt => two("<"),
            S::Le => two("<="),
            S::Gt => two(">"),
            S::Ge => two(">="),
            S::Clamp => format!("min(max({x}, {y}), {z})"),
            S::Div | S::Rem | S::Pow | S::Mulhi | S::Shl | S::ShrLogical | S::ShrArith => {
                self.call(&format!("{}_{t}", op.name()), &[x, y])
            }
            _ => return Err(none(op, d)),
        })
    }
    fn long(&mut self, op: ScalarOp, [x, y, z]: [&str; 3], d: DType) -> Result<String> {
        use ScalarOp as S;
        let signed = d == DType::I64;
        let t = type_of(d);
        let less = format!("{t}_lt");
        let by = |f: &mut Self| f.call("ulong_by", &[y]);
        Ok(match op {
            S::Neg => self.call("long_neg", &[x]),
            S::Abs if signed => self.call("abs_long", &[x]),
            S::Abs => x.to_owned(),
            S::Sign if signed => self.call("sign_long", &[x]),
            S::Sign => format!("ulong(select(0u, 1u, ({x}.x | {x}.y) != 0u), 0u)"),
            S::Not => format!("(~{x})"),
            S::Popcnt => format!("{t}(countOneBits({x}.x) + countOneBits({x}.y), 0u)"),
            S::Clz => format!("{t}({}, 0u)", self.call("ulong_clz", &[x])),
            S::Add => self.call("ulong_add", &[x, y]),
            S::Sub => self.call("ulong_sub", &[x, y]),
            S::Mul => self.call("ulong_mul", &[x, y]),
            S::And => format!("({x} & {y})"),
            S::Or => format!("({x} | {y})"),
            S::Xor => format!("({x} ^ {y})"),
            S::Eq => format!("all({x} == {y})"),
            S::Ne => format!("any({x} != {y})"),
            S::Lt => self.call(&less, &[x, y]),
            S::Gt => self.call(&less, &[y, x]),
            S::Le => format!("(!{})", self.call(&less, &[y, x])),
            S::Ge => format!("(!{})", self.call(&less, &[x, y])),
            S::Max => format!("select({x}, {y}, {})", self.call(&less, &[x, y])),
            S::Min => format!("select({x}, {y}, {})", self.call(&less, &[y, x])),
            S::Clamp => {
                let low = format!("select({x}, {y}, {})", self.call(&less, &[x, y]));
                format!("select({low}, {z}, {})", self.call(&less, &[z, &low]))
            }
            S::Shl => {
                let by = by(self);
                self.call("ulong_shl", &[x, &by])
            }
            S::ShrLogical => {
                let by = by(self);
                self.call("ulong_shr", &[x, &by])
            }
            S::ShrArith => {
                let by = by(self);
                self.call("long_sar", &[x, &by])
            }
            S::Div | S::Rem | S::Pow | S::Mulhi => self.call(&format!("{}_{t}", op.name()), &[x, y]),
            _ => return Err(none(op, d)),
        })
    }
    fn float(&mut self, op: ScalarOp, [x, y, z]: [&str; 3]) -> Result<String> {
        use ScalarOp as S;
        // A product with a zero that a compiler knows would be zero, whatever the other factor is.
        let solid = |x: &str| if x == "0.0" { "bitcast<f32>(p.zero)".to_owned() } else { x.to_owned() };
        let two = |op: &str| format!("({} {op} {})", solid(x), solid(y));
        Ok(match op {
            S::Neg => format!("(-{x})"),
            S::Abs => format!("abs({x})"),
            S::Sign => self.call("sign_f32", &[x]),
            S::Floor => format!("floor({x})"),
            S::Ceil => format!("ceil({x})"),
            S::Round => self.call("round_f32", &[x]),
            S::RoundEven => format!("round({x})"),
            S::Sqrt => format!("sqrt({x})"),
            S::IsFinite => self.call("is_finite", &[x]),
            S::Real | S::Conj => x.to_owned(),
            S::Imag => "0.0".into(),
            S::Complex => format!("c32({x}, {y})"),
            S::Add => two("+"),
            S::Sub => two("-"),
            S::Mul => two("*"),
            S::Div => two("/"),
            S::Rem => self.call("rem_f32", &[x, y]),
            S::Max => self.call("largest_f32", &[x, y]),
            S::Min => self.call("smallest_f32", &[x, y]),
            S::Nextafter => self.call("nextafter_f32", &[x, y]),
            S::Eq => two("=="),
            S::Ne => format!("(!({x} == {y}))"),
            S::Lt => two("<"),
            S::Le => two("<="),
            S::Gt => two(">"),
            S::Ge => two(">="),
            S::Clamp => {
                let low = self.call("largest_f32", &[x, y]);
                self.call("smallest_f32", &[&low, z])
            }
            S::Fma | S::Fnma => {
                self.need(HOLD);
                let minus = if op == S::Fnma { "-" } else { "" };
                self.call("fused", &[&format!("{minus}{x}"), y, z])
            }
            _ => {
                let name = self.formula(op)?;
                let args: Vec<&str> = [x, y, z].into_iter().take(op.arity()).collect();
                format!("{name}({})", args.join(", "))
            }
        })
    }
    fn complex(&mut self, op: ScalarOp, [x, y]: [&str; 2]) -> Result<String> {
        use ScalarOp as S;
        Ok(match op {
            S::Neg => format!("(-{x})"),
            S::Abs => self.call("c32_abs", &[x]),
            S::Real => format!("{x}.x"),
            S::Imag => format!("{x}.y"),
            S::Conj => format!("c32({x}.x, -{x}.y)"),
            S::Add => format!("({x} + {y})"),
            S::Sub => format!("({x} - {y})"),
            S::Mul => self.call("c32_mul", &[x, y]),
            S::Div => self.call("c32_div", &[x, y]),
            S::Eq => format!("all({x} == {y})"),
            S::Ne => format!("(!all({x} == {y}))"),
            _ => return Err(none(op, DType::C32)),
        })
    }
    fn convert(&mut self, x: &str, from: DType, to: DType) -> Result<String> {
        use DType::{Bool, C32, F32, I32, I64, U32, U64};
        let t = type_of(to);
        Ok(match (from, to) {
            _ if from == to => x.to_owned(),
            (I64, U64) | (U64, I64) => x.to_owned(),
            (C32, Bool) => format!("any({x} != c32(0.0, 0.0))"),
            (F32, C32) => format!("c32({x}, 0.0)"),
            (_, C32) => format!("c32({}, 0.0)", self.convert(x, from, F32)?),
            (F32, Bool) => format!("(!({x} == 0.0))"),
            (I32 | U32, Bool) => format!("({x} != {}(0))", type_of(from)),
            (I64 | U64, Bool) => format!("any({x} != {}(0u, 0u))", type_of(from)),
            (Bool, F32) => format!("select(0.0, 1.0, {x})"),
            (Bool, I32 | U32) => format!("select({t}(0), {t}(1), {x})"),
            (Bool, I64 | U64) => format!("{t}(select(0u, 1u, {x}), 0u)"),
            (I32, U32) | (U32, I32) => format!("bitcast<{t}>({x})"),
            (I32 | U32, F32) => format!("f32({x})"),
            (I32, I64 | U64) => format!("{t}(bitcast<u32>({x}), bitcast<u32>({x} >> 31u))"),
            (U32, I64 | U64) => format!("{t}({x}, 0u)"),
            (I64 | U64, U32) => format!("{x}.x"),
            (I64 | U64, I32) => format!("bitcast<i32>({x}.x)"),
            (I64 | U64, F32) => self.call(&format!("{}_to_f32", type_of(from)), &[x]),
            (F32, I32 | U32 | I64 | U64) => self.call(&format!("f32_to_{t}"), &[x]),
            _ => return Err(none(ScalarOp::Convert, from)),
        })
    }
    /// The name of a recorded formula.
    fn formula(&mut self, op: ScalarOp) -> Result<String> {
        let name = format!("{}_f32", op.name());
        if !self.recorded.iter().any(|r| r.0 == name) {
            let f = formula(op, false).ok_or_else(|| none(op, DType::F32))?;
            self.need(HOLD);
            self.need("fused");
            self.record(&name, &f);
        }
        Ok(name)
    }
    /// Writes a formula down, and what it calls.
    fn record(&mut self, name: &str, f: &Recorded) {
        let mut exprs: Vec<String> = Vec::with_capacity(f.steps().len());
        let held = held(f);
        let (mut body, mut operands) = (String::new(), 0);
        for (i, s) in f.steps().iter().enumerate() {
            let at = |k: &u32| exprs.get(*k as usize).map_or("", String::as_str);
            let bits = |k: &u32| match f.steps().get(*k as usize) {
                Some(Step::Bits(b)) => format!("0x{:08x}u", *b as u32),
                _ => format!("bitcast<u32>({})", at(k)),
            };
            let both = |a: &u32, op: &str, b: &u32| format!("bitcast<f32>({} {op} {})", bits(a), bits(b));
            let value = match s {
                Step::Operand(k) => {
                    operands = operands.max(k + 1);
                    exprs.push(["x", "y", "z"].get(*k).copied().unwrap_or_default().into());
                    continue;
                }
                Step::Bits(b) => {
                    exprs.push(real(*b as u32));
                    continue;
                }
                Step::Add(a, b) => format!("{} + {}", at(a), at(b)),
                // The difference of an infinity to itself is none.
                Step::Sub(a, b) if a == b => format!("hold({0}) - {0}", at(a)),
                Step::Sub(a, b) => format!("{} - {}", at(a), at(b)),
                Step::Mul(a, b) => format!("{} * {}", at(a), at(b)),
                Step::Div(a, b) => format!("{} / {}", at(a), at(b)),
                Step::Min(a, b) => format!("select({1}, {0}, {0} < {1})", at(a), at(b)),
                Step::Max(a, b) => format!("select({1}, {0}, {0} > {1})", at(a), at(b)),
                Step::Sqrt(a) => format!("sqrt({})", at(a)),
                Step::Fma([a, b, c]) => format!("fused({}, {}, {})", at(a), at(b), at(c)),
                Step::Fnma([a, b, c]) => format!("fused(-{}, {}, {})", at(a), at(b), at(c)),
                Step::And(a, b) => both(a, "&", b),
                Step::Or(a, b) => both(a, "|", b),
                Step::Xor(a, b) => both(a, "^", b),
                Step::Iadd(a, b) => both(a, "+", b),
                Step::Isub(a, b) => both(a, "-", b),
                Step::Shl(a, k) => format!("bitcast<f32>({} << {k}u)", bits(a)),
                Step::Shr(a, k) => format!("bitcast<f32>({} >> {k}u)", bits(a)),
                Step::Lt(a, b) => format!("{} < {}", at(a), at(b)),
                Step::Eq(a, b) => format!("{} == {}", at(a), at(b)),
                Step::Odd(a) => format!("({} & 1u) != 0u", bits(a)),
                Step::Sel([m, a, b]) => format!("select({}, {}, {})", at(b), at(a), at(m)),
                Step::Lookup(a, table) => {
                    let entries: Vec<String> = table.s.iter().map(|x| format!("0x{:08x}u", x.to_bits())).collect();
                    let text = format!("array<u32, 16>({});", entries.join(", "));
                    // Tables that are equal are one.
                    let known = self.recorded.iter().find(|r| r.1.contains(&text)).map(|r| r.0.clone());
                    let table = known.unwrap_or_else(|| {
                        let table = format!("{name}_table{i}");
                        self.recorded.push((table.clone(), format!("const {table} = {text}\n")));
                        table
                    });
                    format!("bitcast<f32>({table}[{} & 15u])", bits(a))
                }
                Step::Rare([m, a, v], rare) => {
                    let rarely = format!("{name}_rare");
                    self.record(&rarely, rare);
                    // Called where it is needed, and nowhere else.
                    let _ = writeln!(body, "  var r{i} = {};\n  if {} {{ r{i} = {rarely}({}); }}", at(v), at(m), at(a));
                    exprs.push(format!("r{i}"));
                    continue;
                }
            };
            let value = if held[i] { format!("hold({value})") } else { value };
            let _ = writeln!(body, "  let v{i} = {value};");
            exprs.push(format!("v{i}"));
        }
        let params: Vec<String> = ["x", "y", "z"].iter().take(operands).map(|x| format!("{x}: f32")).collect();
        let value = exprs.get(f.result() as usize).map_or("x", String::as_str);
        let text = format!("fn {name}({}) -> f32 {{\n{body}  return {value};\n}}\n", params.join(", "));
        self.recorded.push((name.to_owned(), text));
    }
}
/// Which values a compiler could take apart: sums and products that become part of a sum.
fn held(f: &Recorded) -> Vec<bool> {
    let mut held = vec![false; f.steps().len()];
    for s in f.steps() {
        if let Step::Add(a, b) | Step::Sub(a, b) = s {
            for &k in [a, b] {
                let of = f.steps().get(k as usize);
                if let Some(Step::Add(..) | Step::Sub(..) | Step::Mul(..) | Step::Fma(..) | Step::Fnma(..)) = of {
                    held[k as usize] = true;
                }
            }
        }
    }
    held
}
fn flag(op: ScalarOp, x: &str, y: &str, z: &str) -> Option<String> {
    use ScalarOp as S;
    Some(match op {
        S::Not => format!("(!{x})"),
        S::Max | S::Or => format!("({x} || {y})"),
        S::Min | S::And => format!("({x} && {y})"),
        S::Xor | S::Ne => format!("({x} != {y})"),
        S::Eq => format!("({x} == {y})"),
        S::Lt => format!("(!{x} && {y})"),
        S::Le => format!("(!{x} || {y})"),
        S::Gt => format!("({x} && !{y})"),
        S::Ge => format!("({x} || !{y})"),
        S::Clamp => format!("(({x} || {y}) && {z})"),
        _ => return None,
    })
}
