//! A family from outside, in a crate of its own (this one) and without `unsafe`: an elementwise row by a built-in function, and
//! two by functions of their own, which fuse; a structural row with a CPU kernel that keeps state; a row with a region
//! ([`family`]). From text by [`tfc::main_with`], as a program that such a crate would build, and from Rust; and held against
//! all that is asked of every row.
#![forbid(unsafe_code)]
use std::process::{Command, ExitCode, Output};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tfc_cpu as cpu;
use tfc_cpu::{CompileOptions, Cpu, KernelCx, RunOptions};
use tfc_interp as interp;
use tfc_interp::Interp;
use tfc_ir::op::{Batch, Linearize, Transpose};
use tfc_ir::*;
use tfc_testkit::{Asked, Sweep, check_rows};

mod family;
use family::*;

const TEXT: &str = "\
tfir 1.0
export func @mix<n>(%x: f64[n, 2], %w: f64[n, 2]) -> f64[n, 2] where n >= 1 {
  %r = acme.roll(%x, by = 1)
  %p = acme.axpy(%r, %w, %x)
  %t = tanh(%p)
  return %t
}
export func @chain<n>(%x: f64[n], %w: f64[n]) -> f64[n] where n >= 1 {
  %y = scan(%x, length = 7, carry = 1) {
    body(%c: f64[n]) {
      %r = acme.roll(%c, by = 2)
      %s = acme.axpy(%r, %w, %c)
      %t = tanh(%s)
      yield %t
    }
  }
  return %y
}
export func @power<n>(%x: f64[n], %k: f64[]) -> f64[n] {
  %kk: f64[n] = broadcast_in_dim(%k, dims = [])
  %y = acme.power(%x, times = 3) {
    body(%a: f64[n]) {
      %b = mul(%a, %a)
      %c = add(%b, %kk)
      yield %c
    }
  }
  return %y
}
export func @smooth<n>(%x: f64[n], %w: f32[n]) -> (f64[n], f32[n], f32[]) {
  %s = acme.softsign(%x)
  %l = acme.log_cosh(%s)
  %t = tanh(%l)
  %v = acme.softsign(%w)
  %u = mul(%v, %w)
  %r = reduce_sum(%u, axes = [0])
  return %t, %u, %r
}
export func @slope<n>(%x: f64[n], %ct: f64[n]) -> f64[n] {
  %y, %dx = vjp(@curve<n>, %x, %ct)
  return %dx
}
export func @curve<n>(%x: f64[n]) -> f64[n] {
  %s = acme.softsign(%x)
  %l = acme.log_cosh(%s)
  return %l
}
export func @known() -> f64[] {
  %x: f64[] = const(3.0)
  %s = acme.softsign(%x)
  return %s
}
export func @pull<n>(%x: f64[n, 2], %w: f64[n, 2], %ct: f64[n, 2]) -> (f64[n, 2], f64[n, 2]) where n >= 1 {
  %dx, %dw = vjp(@mix<n>, %x, %w, %ct)
  return %dx, %dw
}
";

/// This program again, as the `tfc` of a family; the program `text` is in `p.tfir`.
fn process(family: &str, text: &str, line: &str) -> Output {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside_family");
    std::fs::create_dir_all(&dir).expect("a folder");
    std::fs::write(dir.join("p.tfir"), text).expect("a file");
    let me = std::env::current_exe().expect("a path");
    Command::new(me)
        .args(line.split_whitespace())
        .current_dir(&dir)
        .env("OUTSIDE_FAMILY", family)
        .env("NO_COLOR", "1")
        .output()
        .expect("it starts")
}
fn tfc(line: &str) -> String {
    let o = process("sound", TEXT, line);
    assert!(o.status.success(), "{line}\n{}", String::from_utf8_lossy(&o.stderr));
    String::from_utf8(o.stdout).expect("text")
}
fn from_text() {
    tfc("check p.tfir");
    for (entry, args) in [
        ("mix", "-i x=[[1,2],[3,4],[5,6]] -i w=[[1,0],[0.5,1],[2,-1]]"),
        ("chain", "-i x=[0.1,0.2,0.3,0.4,0.5] -i w=[1,2,3,4,5]"),
        ("power", "-i x=[0.5,-1,2] -i k=0.25"),
        ("smooth", "-i x=[0,-1,3,-0.25,-7] -i w=[0,-1,2,0.5,1]"),
        ("curve", "-i x=[0,-1,2,0.5,-30,1e9,-1e300,1e-310,0.1,0.2,0.3,inf]"),
        ("slope", "-i x=[0,0.5,0.25,3] -i ct=[1,2,3,4]"),
        ("known", ""),
        ("pull", "-i x=[[1,2],[3,4],[5,6]] -i w=[[1,0],[0.5,1],[2,-1]] -i ct=[[1,1],[1,2],[3,1]]"),
    ] {
        let run = |more: &str| tfc(&format!("run p.tfir --entry {entry} {args} {more} --print full"));
        let want = run("--backend interp");
        for more in ["--backend cpu", "--backend cpu --repeat 4", "--backend cpu --threads 2"] {
            assert_eq!(run(more), want, "{entry} {more}");
        }
    }
    let plan = tfc("compile p.tfir --entry mix --emit plan");
    assert!(plan.contains("acme.roll(") && plan.contains("2 instructions"), "axpy and tanh are one loop:\n{plan}");
    let plan = tfc("compile p.tfir --entry smooth --emit plan");
    assert!(plan.contains("3 instructions"), "two functions from outside and tanh are one loop:\n{plan}");
    // The value is found when the program is compiled.
    let text = tfc("opt p.tfir -p fold,dce");
    assert!(text.contains("const(0.75)") && text.matches("acme.softsign").count() == 3, "{text}");
    println!("text ... ok");
}
/// A state is kept from call to call, and steps with kernels from outside are bound like all others.
fn from_rust() {
    let m = Module::new(Arc::new(ops()));
    let mut b = Builder::new(&m, "f");
    let x = b.param(Type::exact(DType::F64, &[4, 3]), "x");
    let r = b.emit1(NewOp::new(&ROLL, &[x]).attr("by", Attr::Int(-1))).expect("a roll");
    let t = b.transpose(r, &[1, 0]).expect("a view");
    let y = b.emit1(NewOp::new(&ROLL, &[t]).attr("by", Attr::Int(1))).expect("a roll");
    let f = m.add(b.finish(vec![y]).expect("a function"));
    let k = kernels();
    let arg = Tensor::from_logical(&[4, 3], (0..12).map(f64::from).collect()).unwrap();
    let want =
        Interp::new(&m).with_kernels(k.interp).run(f, std::slice::from_ref(&arg), &interp::RunOptions::default());
    let want = want.expect("it runs");
    let exe = Cpu::compile(&m, f, &CompileOptions { kernels: k.cpu, ..Default::default() }).expect("it compiles");
    let before = RUNS.each_ref().map(|n| n.load(Ordering::Relaxed));
    for _ in 0..5 {
        let got = exe.run(std::slice::from_ref(&arg), &RunOptions::default()).expect("it runs");
        assert!(got[0].same(&want[0]), "{got:?}\n{want:?}");
    }
    let after = RUNS.each_ref().map(|n| n.load(Ordering::Relaxed));
    assert_eq!([after[0] - before[0], after[1] - before[1]], [10, 8], "each of two steps finds what it kept");
    println!("rust ... ok");
}
/// The elementwise row becomes part of a kernel in CUDA C without a word from the family; the structural one brings its kernel.
fn on_cuda() {
    use tfc_cuda::device::Arg;
    use tfc_cuda::ops::{Site, Step, Steps};
    use tfc_cuda::run::frame::{Ctx, Frame};
    use tfc_cuda::run::launch::threads;
    use tfc_cuda::text::{Kernel, Param};
    use tfc_engine::{Backend, Limits, Options};
    struct Turned {
        kernel: String,
        by: i64,
    }
    impl Step for Turned {
        fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &tfc_plan::plan::KernelStep) -> Result<()> {
            let (x, y) = (step.args[0], step.dsts[0]);
            let (rows, lines) = (frame.dims(x)[0], frame.dims(x)[1]);
            let mut args = vec![Arg::Ptr(frame.ptr[x as usize]), Arg::Ptr(frame.ptr[y as usize])];
            let by = self.by.rem_euclid(rows.max(1) as i64);
            let strides = [frame.strides(x)[0], frame.strides(x)[1], frame.strides(y)[0], frame.strides(y)[1]];
            let numbers = [rows as i64, lines as i64, by].into_iter().chain(strides.map(|s| s as i64));
            args.extend(numbers.map(|n| Arg::Longs(vec![n])));
            ctx.module.launch(&self.kernel, threads(rows * lines), &args)
        }
    }
    let roll = |site: &Site, texts: &mut tfc_cuda::program::Texts| -> Result<Box<dyn Step>> {
        let body = "  for (i64 e = thread_of_grid(); e < rows * lines; e += threads_of_grid()) {
    const i64 i = e % rows, j = e / rows;
    y((i + by) % rows * y_row + j * y_line) = x(i * x_row + j * x_line);
  }
";
        let names = ["rows", "lines", "by", "x_row", "x_line", "y_row", "y_line"];
        let param = |ty: &str, name: &str| Param { ty: ty.into(), name: name.into() };
        let mut params = vec![param("In<f64>", "x"), param("Out<f64>", "y")];
        params.extend(names.map(|n| param("i64", n)));
        let kernel = texts.add(Kernel { name: "acme_roll".into(), params, body: body.into() });
        Ok(Box::new(Turned { kernel, by: site.attrs().int("by") }))
    };
    let steps = Steps::default().with(&ROLL, roll);
    let mut m = tfc_frontend::text::parse_module(TEXT.as_bytes(), &Arc::new(ops())).expect("it parses").module;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).expect("passes run");
    let f = m.find("mix").expect("a function");
    let text = tfc_cuda::Cuda::of_environment().with_steps(steps.clone()).source(&[(&m, f)], false).expect("kernels");
    let kernels: Vec<&str> = text.kernels.iter().map(|k| &*k.name).filter(|n| !n.starts_with("copy_")).collect();
    let forms = ["mix_t", "mix_t_strided", "mix_t_packs", "mix_t_tiles"];
    assert_eq!((kernels[0], &kernels[1..]), ("acme_roll", &forms[..]), "axpy and tanh are one region, in four forms");
    let fused = &text.kernels.iter().find(|k| k.name == "mix_t").expect("the kernel").body;
    assert!(fused.contains("fma(") && fused.contains("tanh"), "{fused}");
    // A region that only its kernels know how to run has none here, which is said before anything runs.
    let g = m.find("power").expect("a function");
    let e = tfc_cuda::Cuda::of_environment().source(&[(&m, g)], false).expect_err("no kernel");
    assert_eq!(e.data().code.name(), "E1304");
    // Nor has a function of its own a text, and StableHLO no spelling for it.
    let h = m.find("smooth").expect("a function");
    let e = tfc_cuda::Cuda::of_environment().source(&[(&m, h)], false).expect_err("no text");
    let e = e.data();
    assert!(e.code.name() == "E1304" && e.message.contains("acme."), "{e:?}");
    let text = "tfir 1.0\nexport func @main(%x: f64[3]) -> f64[3] {\n  %y = acme.softsign(%x)\n  return %y\n}\n";
    let one = tfc_frontend::text::parse_module(text.as_bytes(), &Arc::new(ops())).expect("it parses").module;
    let (main, table) = (one.find("main").expect("a function"), tfc_stablehlo::Spellings::default());
    let e = tfc_stablehlo::export(&one, main, &table, &tfc_stablehlo::Options::default()).expect_err("no spelling");
    assert_eq!(e.data().code.name(), "E1103");
    let host = match tfc_cuda::host::Host::new() {
        Ok(h) => h,
        Err(e) => {
            println!("cuda ... text only: {e}");
            return;
        }
    };
    let cuda = tfc_cuda::Cuda::new(Arc::new(host)).with_steps(steps);
    let args = [
        Tensor::from_logical(&[3, 2], vec![1., 2., 3., 4., 5., 6.]).unwrap(),
        Tensor::from_logical(&[3, 2], vec![1., 0., 0.5, 1., 2., -1.]).unwrap(),
    ];
    for name in ["mix", "pull"] {
        let f = m.find(name).expect("a function");
        let mut args = args.to_vec();
        args.extend((name == "pull").then(|| Tensor::from_logical(&[3, 2], vec![1., 1., 1., 2., 3., 1.]).unwrap()));
        let want = tfc_cpu::Native(self::kernels().cpu)
            .compile(m.fork(), f, &Options::default())
            .and_then(|p| p.run(&args, &Limits::default()))
            .expect("it runs");
        let got = cuda
            .compile(m.fork(), f, &Options::default())
            .and_then(|p| p.run(&args, &Limits::default()))
            .expect("it runs");
        for (w, g) in want.iter().zip(&got) {
            let pairs = w.to_logical::<f64>().expect("f64").into_iter().zip(g.to_logical::<f64>().expect("f64"));
            assert!(pairs.into_iter().all(|(w, g)| (w - g).abs() <= 1e-15 * (1.0 + w.abs())), "{name}: {g:?}\n{w:?}");
        }
    }
    println!("cuda ... ok");
}
/// A function that panics ends the run with an error, on every engine and in loops of every kind, and the next run is none the
/// worse. What calls it is not found out when the program is compiled.
fn failing_functions() {
    let m = Module::new(Arc::new(OpSet::core().with(const { &[&PICKY] }).expect("the name is free")));
    let mut b = Builder::new(&m, "f");
    let x = b.param(Type::exact(DType::F64, &[40_000]), "x");
    let y = b.emit1(NewOp::new(&PICKY, &[x])).expect("a number more");
    let z = b.tanh(y).expect("a function of it");
    let sum = b.reduce_sum(z, &[0]).expect("a sum");
    let last = b.emit1(NewOp::new(&PICKY, &[sum])).expect("of one number");
    let f = m.add(b.finish(vec![z, last]).expect("a function"));
    let (good, mut bad) = (vec![0.25; 40_000], vec![0.25; 40_000]);
    bad[39_000] = -1.0;
    let [good, bad] = [good, bad].map(|v| [Tensor::from_logical(&[40_000], v).unwrap()]);
    let panicked = |r: Result<Vec<Tensor>>| {
        let e = r.expect_err("it panics").data().clone();
        assert!(
            e.code.name() == "E0721" && e.message.contains("PICKY") && e.message.contains("-1 is negative"),
            "{e:?}"
        );
    };
    let interp = Interp::new(&m);
    let want = interp.run(f, &good, &interp::RunOptions::default()).expect("it runs");
    panicked(interp.run(f, &bad, &interp::RunOptions::default()));
    for threads in [1, 4] {
        let exe = Cpu::compile(&m, f, &CompileOptions { threads, ..Default::default() }).expect("it compiles");
        for _ in 0..2 {
            panicked(exe.run(&bad, &RunOptions::default()));
            let got = exe.run(&good, &RunOptions::default()).expect("it runs");
            let near = |i: usize| {
                let (a, b) = (got[i].to_logical::<f64>().expect("f64"), want[i].to_logical::<f64>().expect("f64"));
                a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs())
            };
            assert!(near(0) && near(1));
        }
    }
    println!("failing functions ... ok");
}
/// What a kernel may not do is said of it.
fn faults() {
    #[derive(Debug)]
    struct Silent;
    impl cpu::Kernel for Silent {
        fn run(&self, _: &mut KernelCx) -> Result<()> {
            Ok(())
        }
    }
    #[derive(Debug)]
    struct Panics;
    impl cpu::Kernel for Panics {
        fn run(&self, cx: &mut KernelCx) -> Result<()> {
            cx.open::<()>()?.results[9].write([0.0]);
            Ok(())
        }
    }
    #[derive(Debug)]
    struct Larger;
    impl cpu::Kernel for Larger {
        fn run(&self, cx: &mut KernelCx) -> Result<()> {
            cx.give(0, &Tensor::full(&[9], 1.0)?)
        }
    }
    let m = Module::new(Arc::new(ops()));
    let mut b = Builder::new(&m, "f");
    let x = b.param(Type::exact(DType::F64, &[4]), "x");
    let y = b.emit1(NewOp::new(&ROLL, &[x]).attr("by", Attr::Int(1))).expect("a roll");
    let f = m.add(b.finish(vec![y]).expect("a function"));
    let code = |kernels: cpu::Kernels| {
        let exe = Cpu::compile(&m, f, &CompileOptions { kernels, ..Default::default() })?;
        exe.run(&[Tensor::full(&[4], 1.0)?], &RunOptions::default())
    };
    let core = cpu::Kernels::core;
    for (kernels, want) in [
        (core(), "E0801"),
        (core().with_kernel(&ROLL, |_| Ok(Silent)), "E0802"),
        (core().with_kernel(&ROLL, |_| Ok(Panics)), "E0721"),
        (core().with_kernel(&ROLL, |_| Ok(Larger)), "E0802"),
    ] {
        assert_eq!(code(kernels).expect_err("a fault").data().code.name(), want);
    }
    println!("faults ... ok");
}
/// What the rows of [`BROKEN`] have in common.
const SOUND: OpDef =
    OpDef { linearize: Linearize::Multilinear, transpose: Transpose::Rule(|_, _, ct| Ok(ct.to_vec())), ..ONE };
fn gone<T>() -> T {
    panic!("the table is empty")
}
/// Rows of which one column panics.
static BROKEN: Family = &[
    &OpDef { name: "acme.infer", infer: |_| gone(), ..SOUND },
    &OpDef { name: "acme.rule", linearize: Linearize::Rule(|_, _| gone()), ..SOUND },
    &OpDef { name: "acme.partials", linearize: Linearize::Partials(&[|_, _, _| gone()]), ..SOUND },
    &OpDef { name: "acme.transpose", transpose: Transpose::Rule(|_, _, _| gone()), ..SOUND },
    &OpDef { name: "acme.batch", batch: Batch::Rule(|_, _, _| gone()), ..SOUND },
    &OpDef { name: "acme.expand", expand: op::Expand::Composite(|_, _| gone()), ..SOUND },
    &OpDef {
        name: "acme.explain",
        expand: op::Expand::Composite(|b, x| Ok(vec![b.neg(x.operands[0])?])),
        explain: Some(|_, _, _| gone()),
        ..SOUND
    },
    &OpDef { name: "acme.simplify", simplify: Some(|_, _| gone()), ..SOUND },
];
/// The panic of a column of a row ends the command with an error that names op and column, and is no bug of tfc's.
fn failing_columns() {
    for (row, column, line) in [
        ("infer", "infer", "check p.tfir"),
        ("rule", "linearize", "opt p.tfir --passes expand-ad"),
        ("partials", "linearize", "opt p.tfir --passes expand-ad"),
        ("transpose", "transpose", "opt p.tfir --passes expand-ad"),
        ("batch", "batch", "opt p.tfir --passes batch"),
        ("expand", "expand", "opt p.tfir --passes expand"),
        ("explain", "explain", "compile p.tfir --emit plan"),
        ("simplify", "simplify", "opt p.tfir --passes simplify"),
    ] {
        let batch = if row == "batch" { "with (batch = [0]) " } else { "" };
        let text = format!(
            "tfir 1.0
func @f(%x: f64[4]) -> f64[4] {batch}{{
  %y = acme.{row}(%x)
  %z = acme.{row}(%y)
  return %z
}}
export func @back(%x: f64[4]) -> f64[4] {{
  %y, %d = vjp(@f, %x, %x)
  return %d
}}
"
        );
        let o = process("broken", &text, line);
        let said = String::from_utf8_lossy(&o.stderr).into_owned();
        let want = format!("the column `{column}` of the op `acme.{row}` panicked: the table is empty");
        assert_eq!(o.status.code(), Some(1), "{line}\n{said}");
        assert!(said.contains("E0721") && said.contains(&want) && said.contains("outside of tfc"), "{line}\n{said}");
        assert!(!said.contains("bug"), "{said}");
    }
    println!("failing columns ... ok");
}
/// A kernel that is added for a built-in row stands before what is built in.
fn replaced() {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "f");
    let a = b.param(Type::exact(DType::F64, &[2, 2]), "a");
    let qr = b.emit(NewOp::new(&ops::linalg::QR, &[a])).expect("factors");
    let s = b.add(qr[0], qr[1]).expect("a sum");
    let n = b.neg(s).expect("a negation");
    let f = m.add(b.finish(vec![n]).expect("a function"));
    fn ones(_: &Attrs, x: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(vec![Tensor::full(x[0].shape(), 1.0)?, Tensor::full(x[0].shape(), 2.0)?])
    }
    fn sevens(_: &Attrs, x: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(vec![Tensor::full(x[0].shape(), 7.0)?])
    }
    let arg = Tensor::full(&[2, 2], 3.0).expect("a tensor");
    let run = |kernels: cpu::Kernels| {
        let exe = Cpu::compile(&m, f, &CompileOptions { kernels, ..Default::default() })?;
        exe.run(std::slice::from_ref(&arg), &RunOptions::default())
    };
    let all = |kernels| run(kernels).expect("it runs")[0].to_logical::<f64>().expect("numbers");
    assert_eq!(all(cpu::Kernels::core().with(&ops::linalg::QR, ones)), [-3.0; 4]);
    assert_eq!(all(cpu::Kernels::core().with(&ops::elementwise::NEG, sevens)), [7.0; 4]);
    assert_ne!(all(cpu::Kernels::core()), [-3.0; 4]);
    println!("replaced ... ok");
}
/// Whatever is asked of built-in rows is asked of these, by the same call.
fn checked() {
    let report = check_rows(&ops(), &kernels(), &Asked { rows: FAMILY, ..Asked::default() });
    assert!(report.faults.is_empty(), "{report}");
    for (sweep, row, least) in [
        (Sweep::Complete, &AXPY, 4),
        (Sweep::Derivatives, &ROLL, 6),
        (Sweep::Engines, &POWER, 1),
        (Sweep::Batch, &ROLL, 12),
        (Sweep::Extents, &AXPY, 8),
        (Sweep::Complete, &SOFTSIGN, 4),
        (Sweep::Derivatives, &SOFTSIGN, 2),
        (Sweep::Engines, &LOG_COSH, 1),
        (Sweep::Derivatives, &LOG_COSH, 2),
        (Sweep::Batch, &LOG_COSH, 2),
    ] {
        let cases = report.cases_of(sweep, row.name);
        assert!(cases >= least, "{}: {cases} cases of {sweep:?}", row.name);
    }
    println!("checked ... ok");
}
fn main() -> ExitCode {
    if let Some(family) = std::env::var_os("OUTSIDE_FAMILY") {
        return match family == "broken" {
            true => tfc::main_with(OpSet::core().with(BROKEN).expect("the names are free"), kernels()),
            false => tfc::main_with(ops(), kernels()),
        };
    }
    from_text();
    from_rust();
    faults();
    failing_functions();
    failing_columns();
    on_cuda();
    replaced();
    checked();
    ExitCode::SUCCESS
}
