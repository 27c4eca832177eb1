//! The Rust API on a GPU's backend, with this machine behind the driver's functions: `cargo test -p tfc-api --test it cuda_backend --features
//! tfc-api/cuda`.
#![cfg(feature = "cuda")]
use std::sync::Arc;

use tfc_api::prelude::*;
use tfc_cuda::driver::stub::Stub;
use tfc_cuda::driver::{Driver, Least};
use tfc_testkit::Need;

fn device() -> Option<Arc<Driver<Stub>>> {
    Need::Cxx.found(Stub::new()).map(|s| Arc::new(Driver::with(s, false, Some(Least::ALL))))
}
#[test]
fn tensors_stay_on_the_device() {
    let Some(device) = device() else { return };
    let program = trace([f64s("x", ["n", "n"])], |[x]| {
        let y = x.matmul(&x)?;
        Ok([(y * 0.5)?.sin()?])
    })
    .unwrap();
    let executor = GraphExecutor::new(CudaBackend::on(device.clone()));
    let x = Tensor::from_rows([[0.5, 1.0], [-1.0, 2.0]]).unwrap();
    // A view is brought there as what it shows.
    let there = executor.backend().upload(&x.t()).unwrap();
    device.bindings().calls();
    let once = executor.run_placed(&program, &[there]).unwrap();
    let twice = executor.run_placed(&program, &once).unwrap();
    let calls = device.bindings().calls();
    assert!(calls.contains(&"cublasLtMatmul") && calls.contains(&"cuLaunchKernel"), "{calls:?}");
    assert!(!calls.iter().any(|c| *c == "cuMemcpyDtoHAsync" || *c == "cuStreamSynchronize"), "{calls:?}");
    let got = executor.backend().download(&twice[0]).unwrap();
    let cpu = GraphExecutor::new(CpuBackend::new());
    let first = cpu.run_with(&program, &[("x", x.t())]).unwrap();
    let want = cpu.run_with(&program, &[("x", first[0].clone())]).unwrap();
    let pairs = got.to_vec::<f64>().unwrap().into_iter().zip(want[0].to_vec::<f64>().unwrap());
    assert!(pairs.into_iter().all(|(g, w)| (g - w).abs() <= 1e-15), "{got:?}\n{want:?}");
    // A tensor of another backend is none of this one.
    let other = CudaBackend::on(device).upload(&x).unwrap();
    let e = executor.run_placed(&program, &[other]).unwrap_err();
    assert_eq!(e.data().code.name(), "E1012");
}
#[test]
fn eager_tensors_and_their_derivatives() {
    let Some(device) = device() else { return };
    let loss = |ctx: &EagerRuntime| {
        let x = ctx.variable_from(Tensor::from_rows([1.0, 2.0, -1.0]).unwrap()).unwrap();
        let loss = (&x * &x).unwrap().sin().unwrap().reduce_sum([0]).unwrap();
        loss.backward().unwrap();
        x.grad().unwrap().to_vec::<f64>().unwrap()
    };
    let got = loss(&EagerRuntime::with_cuda_backend(CudaBackend::on(device.clone())));
    let want = loss(&EagerRuntime::new());
    assert!(got.iter().zip(&want).all(|(g, w)| (g - w).abs() <= 1e-15 * w.abs().max(1.0)), "{got:?} {want:?}");
    assert!(device.bindings().calls().contains(&"cuLaunchKernel"));
}
