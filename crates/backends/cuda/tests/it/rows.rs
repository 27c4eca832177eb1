//! Samples of every row by kernels on this machine as a device, beside the interpreter: the same results, and no access that a device
//! would not forgive. What has no kernel is listed.
//!
//! `TFC_ROW=NAME` chooses a row.

use std::sync::Arc;

use crate::common::{cases, compiled, run};
use tfc_cuda::Cuda;
use tfc_cuda::host::Host;
use tfc_engine::{Backend, Options};
use tfc_ir::{OpSet, Tensor};
use tfc_testkit::Need;
use tfc_testkit::samples::Tally;

/// Samples whose kernels are compiled together.
const TOGETHER: usize = 400;

#[test]
fn samples_of_every_row_agree() {
    let Some(host) = Need::Cxx.found(Host::new()) else { return };
    let cuda = Cuda::new(Arc::new(host));
    let only = std::env::var("TFC_ROW").ok();
    let cases = cases(&Arc::new(OpSet::core()), only.as_deref());
    let mut tally = Tally::default();
    for (c, p) in cases.iter().zip(compiled(&cuda, &cases, TOGETHER)) {
        tally.see(c, p.and_then(|p| run(&p, &c.args)));
    }
    tally.judge(only.is_none().then_some(4827));
}

#[test]
fn without_a_device_nothing_runs() {
    let cuda = Cuda::opened_by(|| tfc_cuda::backend::device_named(None));
    let e = cuda.about().unwrap_err();
    assert_eq!((e.data().code.name(), cuda.device(1)), ("E1305", "cuda, no device".into()));
    assert!(e.data().help.as_ref().is_some_and(|h| h.contains("TFC_CUDA_DEVICE")));
    let ops = Arc::new(OpSet::core());
    let text = "tfir 1.0
func @f(%a: f64[64, 32], %b: f64[32, 16]) -> (y: f64[64, 16]) {
  %c: f64[64, 16] = dot_general(%a, %b, contract = [[1], [0]])
  %y: f64[64, 16] = tanh(%c)
  return %y
}
func @soft(%a: f32[2048, 50]) -> (y: f32[2048, 50]) {
  %y: f32[2048, 50] = softmax(%a, axis = 0)
  return %y
}
func @deep(%a: f32[50000, 100]) -> (y: f32[50000, 100]) {
  %y: f32[50000, 100] = softmax(%a, axis = 0)
  return %y
}
func @sum(%a: f32[100000]) -> (y: f32[]) {
  %y: f32[] = reduce_sum(%a, axes = [0])
  return %y
}
func @open<n>(%a: f32[n]) -> (y: f32[n]) {
  %y: f32[n] = add(%a, %a)
  return %y
}";
    let mut m = tfc_frontend::text::parse_module(text.as_bytes(), &ops).unwrap().module;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let made = |name: &str| cuda.compile(m.fork(), m.find(name).unwrap(), &Options::default()).unwrap();
    let args = [Tensor::full(&[64, 32], 1.0).unwrap(), Tensor::full(&[32, 16], 1.0).unwrap()];
    assert_eq!(run(&*made("f"), &args).unwrap_err().data().code.name(), "E1305");
    // What is planned can be seen, and what it may take: operands and results are moved once.
    let plan = made("f").describe();
    println!("{plan}");
    let (product, flops) = (8 * (64 * 32 + 32 * 16 + 64 * 16), 2 * 64 * 32 * 16);
    let line = plan.lines().find(|l| l.contains(&format!("{:.3} k", f64::from(product) / 1e3))).unwrap_or_default();
    assert!(line.contains(&format!("{:.3} k", f64::from(flops) / 1e3)), "{plan}");
    assert!(plan.contains("predicted, not measured") && plan.contains("A100: 0.0"), "{plan}");
    assert!(made("open").describe().contains("`--bind n=1024`"));
    // How a call walks is said, and what that moves: 1024 elements of 8 bytes in and out; a row that is held once, not three times; a
    // long one in parts, whose folds come and go.
    let line = |of: &str, kernel: &str| {
        let plan = made(of).describe();
        let line = plan.lines().find(|l| l.trim_start().starts_with(&format!("{kernel} "))).map(str::to_owned);
        line.unwrap_or_else(|| panic!("no `{kernel}` in {plan}"))
    };
    for (of, kernel, bytes, walk) in [
        ("f", "f_y_packs", "16.384 k", "packs of 2"),
        ("soft", "soft_y_once16", "819.200 k", "in registers"),
        ("deep", "deep_y", "100.000 M", "256 threads a row, packs of 4"),
        ("sum", "sum_y_parts", "400.092 k", "23 parts"),
        ("sum", "sum_y_fold", " 96 ", "23 parts"),
    ] {
        let said = line(of, kernel);
        assert!(said.contains(bytes) && said.contains(walk), "{said}");
    }
}
