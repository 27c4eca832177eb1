//! The formulas of vector math as C: what is recorded of them, printed, so that a device computes by the very formulas of the CPU, to
//! the bit (those of a NaN aside).
use std::fmt::Write;

use tfc_ir::ScalarOp;
use tfc_kernels::vmath::{Recorded, Step, formula};

/// Functions and tables by which a function is computed, callees first, itself last: names and texts. `None` where there is no
/// formula.
pub(super) fn record(op: ScalarOp, double: bool) -> Option<Vec<(String, String)>> {
    let (name, recorded) = (name(op, double), formula(op, double)?);
    let mut before = vec![];
    let text = function(INLINE, &name, &recorded, double, &mut before);
    before.push((name, text));
    Some(before)
}
/// What the function is called.
pub(super) fn name(op: ScalarOp, double: bool) -> String {
    format!("{}_{}", op.name(), if double { "f64" } else { "f32" })
}
/// How a function is declared that is part of what calls it.
const INLINE: &str = "__device__ inline";
/// And one that is hardly ever called: compiled once, not where it is called, for that takes its time.
const RARE: &str = "static __device__ __noinline__";

/// A function by its operations; tables and functions that come before it go to `before`: name and text.
fn function(head: &str, name: &str, f: &Recorded, double: bool, before: &mut Vec<(String, String)>) -> String {
    let t = if double { "f64" } else { "f32" };
    let suffix = if double { "" } else { "f" };
    let mut exprs: Vec<String> = Vec::with_capacity(f.steps().len());
    let (mut body, mut variables, mut operands) = (String::new(), 0, 0);
    for s in f.steps() {
        let at = |k: &u32| exprs.get(*k as usize).map_or("", String::as_str);
        let bits = |k: &u32| format!("{t}_bits({})", at(k));
        let both = |a: &u32, op: &str, b: &u32| format!("{t}_from({} {op} {})", bits(a), bits(b));
        let (mut ty, value) = (
            t,
            match s {
                Step::Operand(k) => {
                    operands = operands.max(k + 1);
                    exprs.push(["x", "y", "z"].get(*k).copied().unwrap_or_default().into());
                    continue;
                }
                Step::Bits(b) => {
                    exprs.push(real(*b, double));
                    continue;
                }
                Step::Add(a, b) => format!("{} + {}", at(a), at(b)),
                Step::Sub(a, b) => format!("{} - {}", at(a), at(b)),
                Step::Mul(a, b) => format!("{} * {}", at(a), at(b)),
                Step::Div(a, b) => format!("{} / {}", at(a), at(b)),
                Step::Min(a, b) => format!("{0} < {1} ? {0} : {1}", at(a), at(b)),
                Step::Max(a, b) => format!("{0} > {1} ? {0} : {1}", at(a), at(b)),
                Step::Sqrt(a) => format!("sqrt{suffix}({})", at(a)),
                Step::Fma([a, b, c]) => format!("fma{suffix}({}, {}, {})", at(a), at(b), at(c)),
                Step::Fnma([a, b, c]) => format!("fma{suffix}(-{}, {}, {})", at(a), at(b), at(c)),
                Step::And(a, b) => both(a, "&", b),
                Step::Or(a, b) => both(a, "|", b),
                Step::Xor(a, b) => both(a, "^", b),
                Step::Iadd(a, b) => both(a, "+", b),
                Step::Isub(a, b) => both(a, "-", b),
                Step::Shl(a, k) => format!("{t}_from({} << {k})", bits(a)),
                Step::Shr(a, k) => format!("{t}_from({} >> {k})", bits(a)),
                Step::Lt(a, b) => format!("{} < {}", at(a), at(b)),
                Step::Eq(a, b) => format!("{} == {}", at(a), at(b)),
                Step::Odd(a) => format!("({} & 1) != 0", bits(a)),
                Step::Sel([m, a, b]) => format!("{} ? {} : {}", at(m), at(a), at(b)),
                Step::Lookup(a, table) => {
                    let entries: Vec<String> = match double {
                        true => table.d.iter().map(|x| real(x.to_bits(), true)).collect(),
                        false => table.s.iter().map(|x| real(x.to_bits().into(), false)).collect(),
                    };
                    let text = entries.join(", ");
                    // Tables that are equal are one.
                    let known = before.iter().find(|b| b.1.contains(&text)).map(|b| b.0.clone());
                    let table = known.unwrap_or_else(|| {
                        let table = format!("{name}_table{}", before.len());
                        before.push((table.clone(), format!("__device__ const {t} {table}[16] = {{{text}}};\n")));
                        table
                    });
                    format!("{table}[{} & 15]", bits(a))
                }
                Step::Rare([m, a, v], rare) => {
                    let name = format!("{name}_rare");
                    let mut all = vec![];
                    let text = function(RARE, &name, rare, double, &mut all);
                    before.append(&mut all);
                    before.push((name.clone(), text));
                    format!("{} ? {name}({}) : {}", at(m), at(a), at(v))
                }
            },
        );
        if let Step::Lt(..) | Step::Eq(..) | Step::Odd(..) = s {
            ty = "bool";
        }
        let _ = writeln!(body, "  const {ty} v{variables} = {value};");
        exprs.push(format!("v{variables}"));
        variables += 1;
    }
    let params: Vec<String> = ["x", "y", "z"].iter().take(operands).map(|x| format!("{t} {x}")).collect();
    let value = exprs.get(f.result() as usize).map_or("x", String::as_str);
    format!("{head} {t} {name}({})\n{{\n{body}  return {value};\n}}\n", params.join(", "))
}
/// A constant as C writes it.
pub(super) fn real(bits: u64, double: bool) -> String {
    let (x, infinite) = if double {
        let x = f64::from_bits(bits);
        (format!("{x:?}"), !x.is_finite())
    } else {
        let x = f32::from_bits(bits as u32);
        (format!("{x:?}f"), !x.is_finite())
    };
    match (infinite, double) {
        (false, _) if x.starts_with('-') => format!("({x})"),
        (false, _) => x,
        (true, true) => format!("f64_from(0x{bits:016x}ull)"),
        (true, false) => format!("f32_from(0x{:08x}u)", bits as u32),
    }
}
