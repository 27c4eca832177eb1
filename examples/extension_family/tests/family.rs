//! The family, used from Rust and from text; and what is said where something about it is wrong.
use std::process::Command;
use tfc::backends::cpu::{self, Kernel, KernelCx};
use tfc::ir::op::{Linearize, Transpose};
use tfc::ir::{Family, OpDef};
use tfc::prelude::*;
use tfc::traced::apply;
use tfc_tropical::{FAMILY, MATMUL, MUL, POWER, kernels, ops};

fn matrix(rows: usize, v: &[f64]) -> TracedTensor {
    TracedTensor::from_tensor(Tensor::from_logical(&[rows, v.len() / rows], v.to_vec()).unwrap())
}
fn backend() -> CpuBackend {
    CpuBackend::with_families(ops().unwrap(), kernels())
}
fn compiler() -> GraphCompiler {
    GraphCompiler::new().with_family(FAMILY).unwrap()
}
fn values(t: &TracedTensor) -> Vec<f64> {
    let program = compiler().compile(t).unwrap();
    GraphExecutor::new(backend()).run(&program).unwrap().to_logical().unwrap()
}

#[test]
fn from_rust() {
    let a = matrix(2, &[0.0, 3.0, -1.0, 2.0]);
    let b = matrix(2, &[1.0, 5.0, 4.0, -2.0]);
    let [c, place] = &apply(&MATMUL, &[&a, &b], []).unwrap()[..] else { panic!() };
    assert_eq!(values(c), [7.0, 5.0, 6.0, 4.0]);
    assert_eq!(place.dtype(), DType::I64);
    let ad = AdContext::builder().with_extension_rules(FAMILY).build().unwrap();
    let weights = matrix(2, &[1.0, 10.0, 100.0, 1000.0]);
    let loss = (c * &weights).unwrap().sum().unwrap();
    // c[0,0] and c[1,0] come through k = 1, c[0,1] and c[1,1] through k = 0.
    assert_eq!(values(&ad.grad(&loss, &a).unwrap()), [10.0, 1.0, 1000.0, 100.0]);
    assert_eq!(values(&ad.grad(&loss, &b).unwrap()), [0.0, 1010.0, 101.0, 0.0]);
    // The power is differentiated by what it is made of; the elementwise op fuses and differentiates as well.
    let p = &apply(&POWER, &[&a], [("squarings", 1.into())]).unwrap()[0];
    let s = &apply(&MUL, &[p, &a], []).unwrap()[0];
    let g = ad.grad(&s.sum().unwrap(), &a).unwrap();
    assert_eq!(values(&g).iter().sum::<f64>(), 12.0);
    // A second run finds what the kernel kept.
    let program = compiler().compile(p).unwrap();
    let executor = GraphExecutor::new(backend());
    let compiled = executor.prepare(&program).unwrap();
    let arg = Tensor::from_logical(&[2, 2], vec![0.0, 3.0, -1.0, 2.0]).unwrap();
    for _ in 0..3 {
        assert_eq!(
            compiled.run(std::slice::from_ref(&arg)).unwrap()[0].to_logical::<f64>().unwrap(),
            [2.0, 5.0, 1.0, 4.0]
        );
    }
}
/// Text and graph are the same thing, with a family from outside as well.
#[test]
fn from_text() {
    let text = concat!(env!("CARGO_MANIFEST_DIR"), "/shortest.tfir");
    let program = GraphProgram::load_with(text, &std::sync::Arc::new(ops().unwrap())).unwrap();
    let w = Tensor::from_logical(&[2, 2], vec![0.0, 3.0, -1.0, 2.0]).unwrap();
    let out = GraphExecutor::new(backend()).run_with(&program, &[("w", w)]).unwrap();
    assert_eq!(out[0].to_logical::<f64>().unwrap(), [6.0, 9.0, 5.0, 8.0]);
    let tfc = |args: &[&str]| {
        let o = Command::new(env!("CARGO_BIN_EXE_tfc-tropical")).args(args).env("NO_COLOR", "1").output().unwrap();
        assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
        String::from_utf8(o.stdout).unwrap()
    };
    let given = ["-i", "w=[[0, 3], [-1, 2]]"];
    for more in [&["--backend", "cpu"], &["--backend", "interp"]] {
        let out = tfc(&[&["run", text][..], &given, more].concat());
        assert!(out.contains("[6.0, 9.0]") && out.contains("[5.0, 8.0]"), "{out}");
    }
    // Derivatives against differences; the command fails where they differ.
    tfc(&["grad", text, "--mode", "vjp", "--check", "--bind", "n=3"]);
    assert!(tfc(&["ops", "tropical.matmul"]).contains("tropical matrix product"));
}

/// An op that has no derivative.
static STEP: OpDef = OpDef {
    name: "tropical.step",
    doc: "Itself.",
    operands: &["x"],
    infer: |cx| Ok(vec![cx.ty(0)?]),
    linearize: Linearize::Never("it jumps"),
    transpose: Transpose::Never("it jumps"),
    ..OpDef::BASE
};
static STEPS: Family = &[&STEP];

#[test]
fn what_is_wrong_is_said() {
    let a = matrix(2, &[0.0, 3.0, -1.0, 2.0]);
    let c = &apply(&MATMUL, &[&a, &a], []).unwrap()[0];
    let loss = c.sum().unwrap();
    // A context without the family names it.
    let e = AdContext::default().grad(&loss, &a).unwrap_err();
    assert_eq!(e.data().code.name(), "E1011");
    assert!(e.to_string().contains("`tropical`"), "{e}");
    // So does a program for a compiler that does not know it, where its text is read.
    let text = compiler().compile(c).unwrap().to_string();
    let e = GraphProgram::parse(&text).unwrap_err();
    assert!(e.to_string().contains("tropical.matmul"), "{e}");
    // And an engine without its kernels.
    let bare = GraphExecutor::new(CpuBackend::new());
    let e = bare.run(&compiler().compile(c).unwrap()).unwrap_err();
    assert!(e.to_string().contains("tropical.matmul"), "{e}");
    assert_eq!(e.data().code.name(), "E0801");
    // An op without a derivative is named.
    let y = apply(&STEP, &[&a], []).unwrap()[0].sum().unwrap();
    let ad = AdContext::builder().with_extension_rules(STEPS).build().unwrap();
    let g = ad.grad(&y, &a).unwrap();
    let program = GraphCompiler::new().with_family(STEPS).unwrap().compile(&g).unwrap();
    let e = bare.run(&program).unwrap_err();
    assert!(e.to_string().contains("tropical.step") && e.to_string().contains("it jumps"), "{e}");
    // Two families with one name.
    let e = GraphCompiler::new().with_family(FAMILY).unwrap().with_family(FAMILY).err().unwrap();
    assert_eq!(e.data().code.name(), "E0298");
    let e = AdContext::builder().with_extension_rules(FAMILY).with_extension_rules(FAMILY).build().err().unwrap();
    assert_eq!(e.data().code.name(), "E0298");
}

#[derive(Debug)]
struct Wrong;
impl Kernel for Wrong {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        cx.give(0, &Tensor::full(&[9], 1.0)?)
    }
}
#[derive(Debug)]
struct Panics;
impl Kernel for Panics {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let open = cx.open::<()>()?;
        let none: Option<usize> = open.operands.get(7).map(|o| o.shape()[0]);
        panic!("there is no operand 7: {none:?}")
    }
}
/// A wrong kernel is an error of one run, and nothing else is harmed by it.
#[test]
fn kernels_that_go_wrong() {
    let a = matrix(2, &[0.0, 3.0, -1.0, 2.0]);
    let c = &apply(&MATMUL, &[&a, &a], []).unwrap()[0];
    let program = compiler().compile(c).unwrap();
    let with = |cpu: cpu::Kernels| {
        let kernels = tfc::Kernels { cpu, ..kernels() };
        GraphExecutor::new(CpuBackend::with_families(ops().unwrap(), kernels))
    };
    let wrong = with(cpu::Kernels::core().with_kernel(&MATMUL, |_| Ok(Wrong)));
    assert_eq!(wrong.run(&program).unwrap_err().data().code.name(), "E0802");
    let panics = with(cpu::Kernels::core().with_kernel(&MATMUL, |_| Ok(Panics)));
    std::panic::set_hook(Box::new(|_| {}));
    for _ in 0..2 {
        assert_eq!(panics.run(&program).unwrap_err().data().code.name(), "E0721");
    }
    let _ = std::panic::take_hook();
    // The same executor goes on.
    let other = GraphCompiler::new().compile(&a.sum().unwrap()).unwrap();
    assert_eq!(panics.run(&other).unwrap().item::<f64>(), Some(4.0));
}
