//! Scalar functions as C beside the kernels of the CPU, on every dtype: compiled as C++, evaluated on edge values and random ones.
//! What is exact, and what has a formula of vector math on reals, has the same bits (those of a NaN aside); other functions agree
//! to a few units in the last place.
//!
//! `TFC_ROW=NAME` chooses an op.
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

use tfc_cuda::nvrtc::Nvrtc;
use tfc_cuda::text::scalar::{Functions, PRELUDE, ctype, identity};
use tfc_cuda::text::{Kernel as Text, Param, Source, Written as _};
use tfc_ir::{C64, DType, ScalarOp};
use tfc_kernels::scalar::{Kernel, KernelFn, Src};
use tfc_kernels::{functions::FUNCTIONS, scalar, vmath};
use tfc_testkit::Need;

/// What the prelude of kernels says first.
const HEAD: &str = "#include <math.h>\n#include <string.h>\n#define __device__\n#define __noinline__\ntypedef unsigned short u16;\ntypedef int i32;\ntypedef unsigned int u32;\n\
    typedef long long i64;\ntypedef unsigned long long u64;\ntypedef float f32;\ntypedef double f64;\n";

/// A function on certain dtypes.
struct Case {
    op: ScalarOp,
    kernel: Kernel,
    /// The loop that engines run.
    run: KernelFn,
    /// By a formula of vector math.
    vector: bool,
}
impl Case {
    fn name(&self) -> String {
        format!("{} {:?} -> {}", self.op.name(), self.kernel.from(), self.kernel.to())
    }
    fn args(&self) -> Vec<(&'static str, DType)> {
        ["x", "y", "z"].into_iter().zip(self.kernel.from().iter().copied()).collect()
    }
    fn expression(&self, f: &mut Functions) -> String {
        f.apply(self.op, &self.args(), self.kernel.to()).unwrap_or_else(|e| panic!("{}: {e}", self.name()))
    }
    /// Units in the last place by which results may differ; 0 for the same bits.
    fn units(&self) -> f64 {
        let row = FUNCTIONS.iter().find(|f| f.op == self.op);
        let complex = self.kernel.from()[0].is_complex();
        match row {
            Some(f) if complex && f.complex => 4.0,
            Some(f) if !complex && f.real && !f.vector && self.kernel.from()[0].is_inexact() => 4.0,
            None if complex && self.op == ScalarOp::Sign => 2.0,
            _ => 0.0,
        }
    }
    /// The smallest size of a result whose unit counts. These vanish between larger terms, where neither side has all digits.
    fn least(&self) -> f64 {
        match self.op {
            ScalarOp::Lgamma | ScalarOp::Digamma | ScalarOp::Polygamma => 1.0,
            _ => 0.0,
        }
    }
    /// A large power of a real number as a complex one: the imaginary part is what rounding leaves of a whole number of half turns, and its
    /// sign, where it is infinite, says nothing.
    fn is_far(&self, w: C64, g: C64) -> bool {
        self.op == ScalarOp::Pow && w.re == g.re && w.re.is_infinite() && w.im == -g.im
    }
}
fn cases() -> Vec<Case> {
    let only = std::env::var("TFC_ROW").ok();
    let mut all = vec![];
    for &op in ScalarOp::ALL.iter().chain(ScalarOp::MADE).filter(|o| only.as_ref().is_none_or(|n| n == o.name())) {
        for d in DType::WIDE {
            for to in DType::WIDE {
                let from = if op == ScalarOp::Select { vec![DType::Bool, d, d] } else { vec![d; op.arity()] };
                let Some(kernel) = scalar::kernel(op, &from, to) else { continue };
                let fast = if d == to && from[0] == d { vmath::kernel(op, d) } else { None };
                all.push(Case { op, kernel, run: fast.unwrap_or(kernel.f()), vector: fast.is_some() });
            }
        }
    }
    all
}

struct Random(u64);
impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
const EDGES: [f64; 34] = [
    0.0,
    1.0,
    0.5,
    2.0,
    3.0,
    0.75,
    1.5,
    0.85,
    0.9,
    8.0,
    10.0,
    1e-3,
    1e-10,
    1e-40,
    5e-324,
    2.2250738585072014e-308,
    1.1754944e-38,
    88.7,
    103.9,
    700.5,
    709.78,
    745.1,
    1e5,
    1e9,
    1e16,
    2147483648.0,
    9223372036854775808.0,
    1e22,
    1e38,
    1e300,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
    std::f64::consts::FRAC_PI_2,
];
fn edge(i: usize) -> f64 {
    let x = EDGES[i / 2 % EDGES.len()];
    if i.is_multiple_of(2) { x } else { -x }
}
/// Element `i` of an operand, for a stride through the edges: their pairs come first.
fn real(i: usize, stride: usize, r: &mut Random) -> f64 {
    let edges = 2 * EDGES.len();
    if i < edges * edges {
        return edge(i / stride);
    }
    let (a, b) = (r.next(), r.next());
    let unit = (a >> 11) as f64 / (1u64 << 53) as f64;
    match b % 4 {
        0 => f64::from_bits(a),
        1 => 2.0 * unit - 1.0,
        2 => 40.0 * unit - 20.0,
        _ => f64::from(f32::from_bits(a as u32)),
    }
}
const N: usize = 9000;
/// An operand's elements as bytes.
fn operand(d: DType, stride: usize, seed: u64) -> Vec<u64> {
    let mut r = Random(seed);
    let mut bytes: Vec<u8> = vec![];
    for i in 0..N {
        let x = real(i, stride, &mut r);
        let whole = [0, 1, -1, i64::MIN, i64::MAX, i64::from(i32::MIN), i64::from(i32::MAX), 2, 31, 32, 63, 64, 7, -7];
        let int = match i % 3 {
            0 => whole[i / stride / 3 % whole.len()],
            1 => r.next() as i64,
            _ => (r.next() % 20) as i64 - 10,
        };
        let other = real(if i % 5 == 4 { N } else { i }, 1 + stride % 67, &mut r);
        match d {
            DType::Bool => bytes.push((int & 1) as u8),
            DType::I32 | DType::U32 => bytes.extend((int as u32).to_le_bytes()),
            DType::I64 | DType::U64 => bytes.extend(int.to_le_bytes()),
            DType::F32 => bytes.extend((x as f32).to_le_bytes()),
            DType::F64 => bytes.extend(x.to_le_bytes()),
            DType::C32 => [x, other].iter().for_each(|p| bytes.extend((*p as f32).to_le_bytes())),
            _ => [x, other].iter().for_each(|p| bytes.extend(p.to_le_bytes())),
        }
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes.chunks(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect()
}
/// Element `i`, and the size of a unit in its last place.
fn number(v: &[u64], d: DType, i: usize) -> C64 {
    let word = |i: usize| (v[i / 2] >> (32 * (i % 2))) as u32;
    let single = |i| f64::from(f32::from_bits(word(i)));
    match d {
        DType::F32 => C64::new(single(i), 0.0),
        DType::F64 => C64::new(f64::from_bits(v[i]), 0.0),
        DType::C32 => C64::new(single(2 * i), single(2 * i + 1)),
        DType::C64 => C64::new(f64::from_bits(v[2 * i]), f64::from_bits(v[2 * i + 1])),
        DType::Bool => C64::new((v[i / 8] >> (8 * (i % 8)) & 0xff) as f64, 0.0),
        DType::I32 | DType::U32 => C64::new(f64::from(word(i)), 0.0),
        _ => C64::new(v[i] as f64, 0.0),
    }
}
/// By how many units in the last place of the larger part results differ; infinite where one is special and the other is not. `least`
/// is the smallest size whose unit counts.
fn distance(w: C64, g: C64, d: DType, least: f64) -> f64 {
    let (epsilon, tiny) =
        if matches!(d, DType::F32 | DType::C32) { (f64::from(f32::EPSILON), 1e-45) } else { (f64::EPSILON, 5e-324) };
    let parts = [(w.re, g.re), (w.im, g.im)];
    let size = parts.iter().flat_map(|p| [p.0, p.1]).filter(|x| x.is_finite()).fold(least, |a, x| a.max(x.abs()));
    let unit = (epsilon * size).max(tiny);
    let far = parts.map(|(w, g)| match (w, g) {
        _ if w == g || w.is_nan() && g.is_nan() => 0.0,
        _ if w.is_finite() && g.is_finite() => (w - g).abs() / unit,
        _ => f64::INFINITY,
    });
    far[0].max(far[1])
}
fn same_bits(a: &[u64], b: &[u64], d: DType, i: usize) -> bool {
    let (w, g) = (number(a, d, i), number(b, d, i));
    let bits = |w: f64, g: f64| w.to_bits() == g.to_bits() || w.is_nan() && g.is_nan();
    match d {
        DType::I64 | DType::U64 => a[i] == b[i],
        _ => bits(w.re, g.re) && bits(w.im, g.im),
    }
}
fn compiler() -> Option<String> {
    let set = std::env::var("CXX").ok().into_iter();
    set.chain(["c++", "g++", "clang++"].map(String::from))
        .find(|c| Command::new(c).arg("--version").output().is_ok_and(|o| o.status.success()))
}

/// A library of C++ functions, and the file that they are in.
fn built(compiler: &str, name: &str, text: &str) -> (libloading::Library, std::path::PathBuf) {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |end: &str| dir.join(format!("{name}{}.{end}", std::process::id()));
    let (source, library) = (file("cpp"), file("so"));
    std::fs::write(&source, format!("{HEAD}{PRELUDE}{text}")).unwrap();
    let out = Command::new(compiler)
        .args(["-std=c++17", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-fno-strict-aliasing", "-w", "-o"])
        .args([&library, &source])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr).chars().take(6000).collect::<String>());
    // SAFETY: the library has only functions, and runs nothing when it is loaded.
    let lib = unsafe { libloading::Library::new(&library) }.unwrap();
    // What is loaded stays.
    let _ = std::fs::remove_file(&library);
    (lib, source)
}

#[test]
fn every_function_on_every_dtype() {
    let Some(compiler) = compiler() else {
        Need::Cxx.missing("there is no C++ compiler");
        return;
    };
    let cases = cases();
    let mut functions = Functions::default();
    let mut loops = String::new();
    for (i, c) in cases.iter().enumerate() {
        let k = &c.kernel;
        let _ = writeln!(loops, "extern \"C\" void k{i}(i64 n, const void *const *from, void *to)\n{{");
        let _ = writeln!(loops, "  for (i64 i = 0; i < n; i++) {{");
        for (j, (name, d)) in c.args().iter().enumerate() {
            let t = ctype(*d);
            let _ = writeln!(loops, "    const {t} {name} = ((const {t} *)from[{j}])[i];");
        }
        let e = c.expression(&mut functions);
        let _ = writeln!(loops, "    (({} *)to)[i] = {e};\n  }}\n}}", ctype(k.to()));
    }
    let (lib, source) = built(&compiler, "scalar", &format!("{}{loops}", functions.text()));
    let (mut wrong, mut worst) = (String::new(), BTreeMap::<&str, f64>::new());
    let edges = 2 * EDGES.len();
    for (i, c) in cases.iter().enumerate() {
        let k = &c.kernel;
        let strides = [1, edges, 7];
        let from: Vec<Vec<u64>> =
            (0..k.arity()).map(|j| operand(k.from()[j], strides[j], 0x9e37_79b9 + 77 * j as u64)).collect();
        let mut src = [Src::NONE; 3];
        for (s, v) in src.iter_mut().zip(&from) {
            *s = Src { ptr: v.as_ptr().cast(), stride: 1 };
        }
        let (mut want, mut got) = (vec![0u64; 2 * N], vec![0u64; 2 * N]);
        let pointers: Vec<*const u64> = from.iter().map(|v| v.as_ptr()).collect();
        // SAFETY: operands and results have room for `N` elements of the kernel's dtypes, and bools are 0 or 1.
        unsafe {
            (c.run)(N, &src, want.as_mut_ptr().cast());
            let f: libloading::Symbol<unsafe extern "C" fn(i64, *const *const u64, *mut u64)> =
                lib.get(format!("k{i}").as_bytes()).unwrap();
            f(N as i64, pointers.as_ptr(), got.as_mut_ptr());
        }
        let units = c.units();
        let mut failures = 0;
        for e in 0..N {
            let (w, g) = (number(&want, k.to(), e), number(&got, k.to(), e));
            let far = if same_bits(&want, &got, k.to(), e) { 0.0 } else { distance(w, g, k.to(), c.least()).max(0.1) };
            let allowed = c.is_far(w, g) || if units > 0.0 { far <= units } else { far == 0.0 };
            if far > 0.0 && far.is_finite() {
                let most = worst.entry(c.op.name()).or_default();
                *most = most.max(far);
            }
            if !allowed {
                failures += 1;
                if failures <= 4 {
                    let args: Vec<String> =
                        (0..k.arity()).map(|j| format!("{:e}", number(&from[j], k.from()[j], e))).collect();
                    let kind = if c.vector { " (vectors)" } else { "" };
                    let _ =
                        writeln!(wrong, "{}{kind} of {}: {g:e}, not {w:e}: {far:.3e} units", c.name(), args.join(", "));
                }
            }
        }
        if failures > 4 {
            let _ = writeln!(wrong, "  … {failures} of {N}");
        }
    }
    drop(lib);
    println!("{} functions of dtypes; largest differences in units: {worst:?}", cases.len());
    assert!(wrong.is_empty(), "{}\n{wrong}", source.display());
    let _ = std::fs::remove_file(&source);
}

#[test]
fn every_function_compiles_for_sm_80() {
    compiles("sm_80");
}
#[test]
fn every_function_compiles_for_sm_90() {
    compiles("sm_90");
}
fn compiles(arch: &str) {
    let nvrtc = match Nvrtc::find() {
        Ok(n) => n,
        Err(e) if e.data().code.name() == "E1301" => {
            Need::Nvrtc.missing(e);
            return;
        }
        Err(e) => panic!("{e}"),
    };
    let (mut functions, mut source) = (Functions::default(), Source::default());
    let mut params = vec![];
    let mut body = String::new();
    for (i, c) in cases().iter().enumerate() {
        let e = c.expression(&mut functions);
        body.push_str("  {\n");
        for (j, (name, d)) in c.args().iter().enumerate() {
            let _ = writeln!(body, "    const {} {name} = a{i}_{j}(8 * n);", ctype(*d));
            params.push(Param { ty: format!("In<{}>", ctype(*d)), name: format!("a{i}_{j}") });
        }
        let t = ctype(c.kernel.to());
        let _ = writeln!(body, "    r{i}(8 * n) = {e};\n  }}");
        params.push(Param { ty: format!("Out<{t}>"), name: format!("r{i}") });
        // Parameters of a kernel have 4 KiB.
        if params.len() > 400 || i + 1 == cases().len() {
            let body = format!("  const i64 n = thread_of_grid();\n{}", std::mem::take(&mut body));
            source.kernels.push(Text { name: format!("some{i}"), params: std::mem::take(&mut params), body });
        }
    }
    source.functions = functions.text();
    let made = nvrtc.cubin(&source.text(), arch).unwrap_or_else(|e| panic!("{arch}: {e}"));
    assert_eq!(made.usage.len(), source.kernels.len());
}

#[test]
fn a_formula_can_be_read() {
    let mut f = Functions::default();
    assert_eq!(f.apply(ScalarOp::Exp, &[("x", DType::F32)], DType::F32).unwrap(), "exp_f32(x)");
    assert_eq!(f.apply(ScalarOp::Exp, &[("2.0f", DType::F32)], DType::F32).unwrap(), "exp_f32(2.0f)");
    let text = f.text();
    println!("{text}");
    assert_eq!(text.matches("f32 exp_f32(f32 x)").count(), 1, "{text}");
    assert!(text.contains("1.442695f"), "constants by value: {text}");
    assert!(text.lines().count() < 40, "{text}");
}

/// What a fold starts with changes no element, on either side.
#[test]
fn folds_begin_with_what_changes_nothing() {
    use ScalarOp::*;
    let Some(compiler) = compiler() else {
        Need::Cxx.missing("there is no C++ compiler");
        return;
    };
    let (mut functions, mut loops, mut all) = (Functions::default(), String::new(), vec![]);
    for op in [Add, Mul, Max, Min, And, Or, Xor] {
        for d in DType::WIDE.into_iter().filter(|&d| scalar::kernel(op, &[d, d], d).is_some()) {
            let (t, e) = (ctype(d), identity(op, d).unwrap_or_else(|e| panic!("{} {d}: {e}", op.name())));
            for args in [[("start", d), ("x", d)], [("x", d), ("start", d)]] {
                let y = functions.apply(op, &args, d).unwrap();
                let _ = writeln!(loops, "extern \"C\" void k{}(i64 n, const void *from, void *to)\n{{", all.len());
                let _ = writeln!(
                    loops,
                    "  for (i64 i = 0; i < n; i++) {{\n    const {t} x = ((const {t} *)from)[i], start = {e};"
                );
                let _ = writeln!(loops, "    (({t} *)to)[i] = {y};\n  }}\n}}");
                all.push((op, d, e.clone()));
            }
        }
    }
    let (lib, source) = built(&compiler, "folds", &format!("{}{loops}", functions.text()));
    let mut wrong = String::new();
    for (k, (op, d, e)) in all.iter().enumerate() {
        let (from, mut got) = (operand(*d, 1, 11), vec![0u64; 2 * N]);
        // SAFETY: operand and result have room for `N` elements of the dtype, and bools are 0 or 1.
        unsafe {
            let f: libloading::Symbol<unsafe extern "C" fn(i64, *const u64, *mut u64)> =
                lib.get(format!("k{k}").as_bytes()).unwrap();
            f(N as i64, from.as_ptr(), got.as_mut_ptr());
        }
        // A sum of nothing but negative zeros is 0, as in every engine.
        let zero = |i: usize| *op == Add && number(&from, *d, i) == C64::new(0.0, 0.0);
        if let Some(i) = (0..N).find(|&i| !unchanged(&from, &got, *d, i) && !zero(i)) {
            let (w, g) = (number(&from, *d, i), number(&got, *d, i));
            let _ = writeln!(wrong, "{} {d} with {e}: {g:e}, not {w:e}", op.name());
        }
    }
    drop(lib);
    assert!(all.len() > 60, "only {}", all.len());
    assert!(wrong.is_empty(), "{}\n{wrong}", source.display());
    let _ = std::fs::remove_file(&source);
}
/// The same bits, or a NaN for a NaN: a product of complex numbers makes NaN of infinities.
fn unchanged(a: &[u64], b: &[u64], d: DType, i: usize) -> bool {
    let (w, g) = (number(a, d, i), number(b, d, i));
    let odd = |z: C64| !z.re.is_finite() || !z.im.is_finite();
    same_bits(a, b, d, i) || d.is_complex() && (odd(w) && odd(g) || w == g)
}
