//! What the benchmarks share: programs compiled from text and run on made-up inputs, generated programs of any length, and
//! the least of many repeats. Nothing here depends on the clock but [`least`], or on chance: the same program gets the
//! same inputs everywhere.
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tfc_cpu::{CompileOptions, Cpu, Executable, RunOptions};
use tfc_ir::{DType, FuncId, Module, OpSet, Tensor};

/// Order of the elements of inputs in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The first axis is fastest.
    Columns,
    /// The last axis is fastest.
    Rows,
}

/// A program's text as a module.
pub fn parse(text: &str) -> Result<Module, String> {
    let parsed = tfc_frontend::text::parse_module(text.as_bytes(), &Arc::new(OpSet::core()));
    parsed.map(|p| p.module).map_err(|d| d.first().map_or_else(String::new, |d| format!("{}: {}", d.code, d.message)))
}

/// The passes of the default level, without the verifier between them.
pub fn optimise(m: &mut Module) -> Result<(), String> {
    tfc_passes::level(2).unchecked().run(m, &mut |_| {}).map(|_| ()).map_err(|e| e.to_string())
}

/// The function that is run: `@main`.
pub fn entry(m: &Module) -> Result<FuncId, String> {
    m.find("main").ok_or_else(|| "there is no @main".into())
}

/// `@main` of an optimised module, compiled for one thread.
pub fn plan(m: &Module) -> Result<Executable, String> {
    let options = CompileOptions { threads: 1, ..CompileOptions::default() };
    Cpu::compile(m, entry(m)?, &options).map_err(|e| e.to_string())
}

/// A compiled program with inputs.
pub struct Program {
    exe: Executable,
    args: Vec<Tensor>,
    options: RunOptions,
}
impl Program {
    /// From text; inputs are numbers between ¼ and 1¼ in an order of elements.
    pub fn new(text: &str, order: Order) -> Result<Program, String> {
        let mut m = parse(text)?;
        optimise(&mut m)?;
        let f = m.func(entry(&m)?).map_err(|e| e.to_string())?;
        let args = f.params().iter().enumerate().map(|(i, &p)| {
            let shape = f.ty(p).exact_shape().ok_or("inputs need exact extents")?;
            input(f.ty(p).dtype, &shape, order, i as u64 + 1)
        });
        Ok(Program { args: args.collect::<Result<_, _>>()?, exe: plan(&m)?, options: RunOptions::default() })
    }
    /// Runs it once; the results are given back at once.
    pub fn run(&mut self) {
        // An error would make the time worthless, and inputs are the same each time: the first run shows it.
        if let Err(e) = self.exe.run(std::hint::black_box(&self.args), &self.options) {
            eprintln!("a run failed: {e}");
            std::process::exit(1);
        }
    }
}

/// Numbers between ¼ and 1¼ (xorshift64; Marsaglia, Journal of Statistical Software 8(14), 2003).
fn numbers(seed: u64) -> impl Iterator<Item = f64> {
    let mut s = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        0.25 + (s >> 11) as f64 / (1u64 << 53) as f64
    })
}

/// A tensor of [`numbers`].
fn input(dtype: DType, shape: &[usize], order: Order, seed: u64) -> Result<Tensor, String> {
    let n = tfc_ir::tensor::element_count(shape).map_err(|e| e.to_string())?;
    match (dtype, order) {
        (DType::F32, Order::Columns) => Ok(Tensor::from_column_major(shape, narrow(seed, n)).unwrap()),
        (DType::F32, Order::Rows) => Ok(Tensor::from_logical(shape, narrow(seed, n)).unwrap()),
        (DType::F64, Order::Columns) => Ok(Tensor::from_column_major(shape, numbers(seed).take(n).collect()).unwrap()),
        (DType::F64, Order::Rows) => Ok(Tensor::from_logical(shape, numbers(seed).take(n).collect()).unwrap()),
        (other, _) => Err(format!("no inputs of {other}")),
    }
}
fn narrow(seed: u64, n: usize) -> Vec<f32> {
    numbers(seed).map(|x| x as f32).take(n).collect()
}

/// A loop of `n` trips as programs of other languages write them: it counts, reads rows of 16 by index and writes others into
/// a buffer by index. With `buffer` each trip reads what the one before has written there. With `gradient`, the gradient of
/// the sum of the buffer by what is read.
pub fn counting(n: usize, buffer: bool, gradient: bool) -> String {
    let head = if gradient { "func @f" } else { "export func @main" };
    let before = if buffer { "%y" } else { "%x" };
    let mut t = format!(
        "tfir 1.0
{head}(%x: f64[{n}, 16]) -> (s: f64[]) {{
  %none: f64[{n}, 16] = const(splat = 0.5)
  %start = const(1)
  %all, %last = while(%none, %start) {{
    cond(%y: f64[{n}, 16], %i: i64[]) {{
      %n = const({n})
      %go = lt(%i, %n)
      yield %go
    }}
    body(%y: f64[{n}, 16], %i: i64[]) {{
      %zero = const(0)
      %one = const(1)
      %j = sub(%i, %one)
      %row = dynamic_slice(%x, %i, %zero, sizes = [1, 16])
      %last_row = dynamic_slice({before}, %j, %zero, sizes = [1, 16])
      %t = tanh(%last_row)
      %p = mul(%t, %row)
      %y1 = dynamic_update_slice(%y, %p, %i, %zero)
      %i1 = add(%i, %one)
      yield %y1, %i1
    }}
  }}
  %s = reduce_sum(%all, axes = [0, 1])
  return %s
}}
"
    );
    if gradient {
        let _ = write!(
            t,
            "export func @main(%x: f64[{n}, 16]) -> (g: f64[{n}, 16]) {{\n  %g = grad(@f, %x, wrt = [0])\n  return %g\n}}\n"
        );
    }
    t
}

/// About `n` operations on 16 × 16 matrices: products, reductions, broadcasts and maps in turn; with `gradient`, the
/// value and its gradient with respect to the first matrix.
pub fn mixed(n: usize, gradient: bool) -> String {
    let head = if gradient { "func @f" } else { "export func @main" };
    let mut t = format!("tfir 1.0\n{head}(%a0: f64[16, 16], %b0: f64[16, 16]) -> (y: f64[]) {{\n");
    t += "  %tenth: f64[16, 16] = const(splat = 0.1)\n";
    let rounds = n / 8;
    for i in 0..rounds {
        let j = i + 1;
        let _ = write!(
            t,
            "  %p{i} = dot_general(%a{i}, %b{i}, contract = [[1], [0]])
  %t{i} = tanh(%p{i})
  %s{i} = mul(%tenth, %a{i})
  %u{i} = add(%t{i}, %s{i})
  %m{i} = mean(%u{i}, axes = [0])
  %n{i}: f64[16, 16] = broadcast_in_dim(%m{i}, dims = [1])
  %a{j} = sub(%u{i}, %n{i})
  %x{i} = transpose(%a{j}, perm = [1, 0])
  %k{i}: f64[16, 16] = const(splat = {:?})
  %d{i} = mul(%k{i}, %x{i})
  %b{j} = add(%b{i}, %d{i})
",
            0.01 / j as f64
        );
    }
    let _ = write!(
        t,
        "  %sa = reduce_sum(%a{rounds}, axes = [0, 1])\n  %sb = reduce_sum(%b{rounds}, axes = [0, 1])\n  \
         %y = add(%sa, %sb)\n  return %y\n}}\n"
    );
    if gradient {
        t += "export func @main(%a: f64[16, 16], %b: f64[16, 16]) -> (y: f64[], g: f64[16, 16]) {\n  \
              %y, %g = value_and_grad(@f, %a, %b, wrt = [0])\n  return %y, %g\n}\n";
    }
    t
}

/// `n` elementwise operations on tensors of a type, no two alike enough to merge.
pub fn many(n: usize, ty: &str) -> String {
    let mut t = format!("tfir 1.0\nexport func @main(%a0: {ty}, %b0: {ty}) -> (y: {ty}) {{\n");
    let rounds = n / 4;
    for i in 0..rounds {
        let j = i + 1;
        let (c, k) = (0.5 / j as f64, 1e-3 * j as f64);
        let splat = if ty.ends_with("[]") { "" } else { "splat = " };
        let _ = write!(
            t,
            "  %c{i}: {ty} = const({splat}{c:?})\n  %k{i}: {ty} = const({splat}{k:?})\n  %p{i} = mul(%a{i}, %b{i})
  %a{j} = add(%p{i}, %c{i})\n  %s{i} = sin(%a{j})\n  %q{i} = mul(%b{i}, %k{i})\n  %b{j} = sub(%s{i}, %q{i})\n"
        );
    }
    let _ = write!(t, "  %y = add(%a{rounds}, %b{rounds})\n  return %y\n}}\n");
    t
}

/// One expression over `n` elements of a dtype: `lines` compute `%y` from `%a`, `%b`, `%c` of the type `T`.
pub fn elementwise(dtype: &str, n: usize, lines: &[&str]) -> String {
    let ty = format!("{dtype}[{n}]");
    let body: String = lines.iter().map(|l| format!("  {}\n", l.replace("T =", &format!("{ty} =")))).collect();
    let uses = |v: &str| lines.iter().any(|l| l.contains(v));
    let params: Vec<String> = ["%a", "%b", "%c"].iter().filter(|v| uses(v)).map(|v| format!("{v}: {ty}")).collect();
    let result = if lines.iter().any(|l| l.contains("%y = reduce")) { format!("{dtype}[]") } else { ty };
    format!("tfir 1.0\nexport func @main({}) -> (y: {result}) {{\n{body}  return %y\n}}\n", params.join(", "))
}

/// Seconds of a call: the least of batches that are long enough for the clock, for so long a time.
pub fn least(budget: Duration, mut f: impl FnMut()) -> f64 {
    f();
    let start = Instant::now();
    f();
    let one = start.elapsed().as_secs_f64().max(1e-9);
    let batch = (1e-4 / one).clamp(1.0, 1e6) as u32;
    let (mut best, start) = (f64::INFINITY, Instant::now());
    loop {
        let at = Instant::now();
        (0..batch).for_each(|_| f());
        best = best.min(at.elapsed().as_secs_f64() / f64::from(batch));
        if start.elapsed() >= budget {
            return best;
        }
    }
}
