//! The formulas of vector math as C: an implementation of `V` whose operations are written down instead of done, so that a
//! device computes by the very formulas of the CPU, to the bit (those of a NaN aside).
//!
//! Statements go to a function of this thread that is there while a formula is being recorded.
use std::cell::RefCell;
use std::fmt::Write;

use tfc_ir::ScalarOp;
use tfc_kernels::vmath::v::{Bin, Lut, Un, V};
use tfc_kernels::vmath::{Visit, visit};

/// A function under way.
#[derive(Default)]
struct Recording {
    /// Name of the function in the text.
    name: String,
    /// Names and constants, by number.
    exprs: Vec<String>,
    body: String,
    variables: usize,
    /// Tables and functions that come before it: name and text.
    before: Vec<(String, String)>,
}
thread_local! {
    static STACK: RefCell<Vec<Recording>> = const { RefCell::new(vec![]) };
}
/// Functions and tables by which a function is computed, callees first, itself last: names and texts. `None` where there is no
/// formula.
pub(super) fn record(op: ScalarOp, double: bool) -> Option<Vec<(String, String)>> {
    let name = name(op, double);
    visit(op, Record { name, double }).flatten()
}
/// What the function is called.
pub(super) fn name(op: ScalarOp, double: bool) -> String {
    format!("{}_{}", op.name(), if double { "f64" } else { "f32" })
}
struct Record {
    name: String,
    double: bool,
}
impl Visit for Record {
    type Out = Option<Vec<(String, String)>>;
    fn un<F: Un>(self) -> Self::Out {
        Some(match self.double {
            true => function(INLINE, self.name, 1, "f64", |x: &[R64]| F::f(x[0])),
            false => function(INLINE, self.name, 1, "f32", |x: &[R32]| F::f(x[0])),
        })
    }
    fn bin<F: Bin>(self) -> Self::Out {
        Some(match self.double {
            true => function(INLINE, self.name, 2, "f64", |x: &[R64]| F::f(x[0], x[1])),
            false => function(INLINE, self.name, 2, "f32", |x: &[R32]| F::f(x[0], x[1])),
        })
    }
    /// Has no text.
    fn outside(self, _: &'static tfc_ir::ScalarFunction) -> Self::Out {
        None
    }
}
/// How a function is declared that is part of what calls it.
const INLINE: &str = "__device__ inline";
/// And one that is hardly ever called: compiled once, not where it is called, for that takes its time.
const RARE: &str = "static __device__ __noinline__";

/// Records a function of so many operands, declared so.
fn function<R: Recorded>(
    head: &str,
    name: String,
    operands: usize,
    t: &str,
    f: impl FnOnce(&[R]) -> R,
) -> Vec<(String, String)> {
    STACK.with_borrow_mut(|s| s.push(Recording { name: name.clone(), ..Recording::default() }));
    let args: Vec<R> = (0..operands).map(|i| R::of(on(|r| r.expr(["x", "y"][i.min(1)].into())))).collect();
    let result = f(&args).id();
    let done = STACK.with_borrow_mut(Vec::pop).unwrap_or_default();
    let params: Vec<String> = (0..operands).map(|i| format!("{t} {}", ["x", "y"][i.min(1)])).collect();
    let value = done.exprs.get(result as usize).map_or("x", String::as_str);
    let text = format!("{head} {t} {name}({})\n{{\n{}  return {value};\n}}\n", params.join(", "), done.body);
    let mut all = done.before;
    all.push((name, text));
    all
}
fn on<T: Default>(f: impl FnOnce(&mut Recording) -> T) -> T {
    STACK.with_borrow_mut(|s| s.last_mut().map(f).unwrap_or_default())
}
impl Recording {
    fn expr(&mut self, text: String) -> u32 {
        self.exprs.push(text);
        self.exprs.len() as u32 - 1
    }
    fn at(&self, i: u32) -> &str {
        self.exprs.get(i as usize).map_or("", String::as_str)
    }
    /// A variable of that type with that value, in which `$0 $1 $2` stand for others.
    fn let_(&mut self, ty: &str, value: &str, args: &[u32]) -> u32 {
        let mut text = value.to_owned();
        for (i, &a) in args.iter().enumerate() {
            text = text.replace(&format!("${i}"), self.at(a));
        }
        let name = format!("v{}", self.variables);
        self.variables += 1;
        let _ = writeln!(self.body, "  const {ty} {name} = {text};");
        self.expr(name)
    }
}
trait Recorded: V + Sized {
    fn of(id: u32) -> Self;
    fn id(self) -> u32;
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

macro_rules! recorder {
    ($R:ident $E:ident $t:literal $U:literal $dbl:literal $table:ident $bits:literal $from:literal $suffix:literal) => {
        /// A number of a recorded function.
        #[derive(Clone, Copy)]
        struct $R(u32);
        impl $R {
            fn make(value: &str, args: &[u32]) -> Self {
                $R(on(|r| r.let_($t, value, args)))
            }
            fn mask(value: &str, args: &[u32]) -> u32 {
                on(|r| r.let_("bool", value, args))
            }
        }
        impl Recorded for $R {
            fn of(id: u32) -> Self {
                $R(id)
            }
            fn id(self) -> u32 {
                self.0
            }
        }
        impl V for $R {
            type E = $E;
            type Mask = u32;
            const N: usize = 1;
            const DBL: bool = $dbl;
            fn bits(x: u64) -> Self {
                $R(on(|r| r.expr(real(x, $dbl))))
            }
            unsafe fn load(_: *const $E) -> Self {
                Self::bits(0)
            }
            unsafe fn load_part(_: *const $E, _: usize) -> Self {
                Self::bits(0)
            }
            unsafe fn splat(_: *const $E) -> Self {
                Self::bits(0)
            }
            unsafe fn store(self, _: *mut $E) {}
            unsafe fn store_part(self, _: *mut $E, _: usize) {}
            fn add(self, o: Self) -> Self {
                Self::make("$0 + $1", &[self.0, o.0])
            }
            fn sub(self, o: Self) -> Self {
                Self::make("$0 - $1", &[self.0, o.0])
            }
            fn mul(self, o: Self) -> Self {
                Self::make("$0 * $1", &[self.0, o.0])
            }
            fn div(self, o: Self) -> Self {
                Self::make("$0 / $1", &[self.0, o.0])
            }
            fn sqrt(self) -> Self {
                Self::make(concat!("sqrt", $suffix, "($0)"), &[self.0])
            }
            fn min(self, o: Self) -> Self {
                Self::make("$0 < $1 ? $0 : $1", &[self.0, o.0])
            }
            fn max(self, o: Self) -> Self {
                Self::make("$0 > $1 ? $0 : $1", &[self.0, o.0])
            }
            fn fma(self, b: Self, c: Self) -> Self {
                Self::make(concat!("fma", $suffix, "($0, $1, $2)"), &[self.0, b.0, c.0])
            }
            fn fnma(self, b: Self, c: Self) -> Self {
                Self::make(concat!("fma", $suffix, "(-$0, $1, $2)"), &[self.0, b.0, c.0])
            }
            fn and(self, o: Self) -> Self {
                Self::make(concat!($from, "(", $bits, "($0) & ", $bits, "($1))"), &[self.0, o.0])
            }
            fn or(self, o: Self) -> Self {
                Self::make(concat!($from, "(", $bits, "($0) | ", $bits, "($1))"), &[self.0, o.0])
            }
            fn xor(self, o: Self) -> Self {
                Self::make(concat!($from, "(", $bits, "($0) ^ ", $bits, "($1))"), &[self.0, o.0])
            }
            fn iadd(self, o: Self) -> Self {
                Self::make(concat!($from, "(", $bits, "($0) + ", $bits, "($1))"), &[self.0, o.0])
            }
            fn isub(self, o: Self) -> Self {
                Self::make(concat!($from, "(", $bits, "($0) - ", $bits, "($1))"), &[self.0, o.0])
            }
            fn shl(self, k: u32) -> Self {
                Self::make(&format!("{}({}($0) << {k})", $from, $bits), &[self.0])
            }
            fn shr(self, k: u32) -> Self {
                Self::make(&format!("{}({}($0) >> {k})", $from, $bits), &[self.0])
            }
            fn lt(a: Self, b: Self) -> u32 {
                Self::mask("$0 < $1", &[a.0, b.0])
            }
            fn eq(a: Self, b: Self) -> u32 {
                Self::mask("$0 == $1", &[a.0, b.0])
            }
            fn odd(self) -> u32 {
                Self::mask(concat!("(", $bits, "($0) & 1) != 0"), &[self.0])
            }
            fn sel(m: u32, a: Self, b: Self) -> Self {
                Self::make("$0 ? $1 : $2", &[m, a.0, b.0])
            }
            fn any(_: u32) -> bool {
                // Both ways are recorded.
                true
            }
            fn lookup(self, t: &'static Lut) -> Self {
                let entries: Vec<String> = t.$table.iter().map(|x| real(u64::from(x.to_bits()), $dbl)).collect();
                let text = entries.join(", ");
                let name = on(|r| {
                    // Tables that are equal are one.
                    let known = r.before.iter().find(|b| b.1.contains(&text)).map(|b| b.0.clone());
                    known.unwrap_or_else(|| {
                        let name = format!("{}_table{}", r.name, r.before.len());
                        let table = format!("__device__ const {} {name}[16] = {{{text}}};\n", $t);
                        r.before.push((name.clone(), table));
                        name
                    })
                });
                Self::make(&format!("{name}[{}($0) & 15]", $bits), &[self.0])
            }
            fn rare<F: Un>(self, m: u32, x: Self) -> Self {
                let name = on(|r| format!("{}_rare", r.name));
                let mut text = function(RARE, name.clone(), 1, $t, |x: &[$R]| F::f(x[0]));
                on(|r| r.before.append(&mut text));
                Self::make(&format!("$0 ? {name}($1) : $2"), &[m, x.0, self.0])
            }
        }
    };
}
recorder! { R32 f32 "f32" "u32" false s "f32_bits" "f32_from" "f" }
recorder! { R64 f64 "f64" "u64" true d "f64_bits" "f64_from" "" }
