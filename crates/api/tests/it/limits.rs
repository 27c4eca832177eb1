//! What a backend may be told: limits of its runs, a level, speed before exactness.
use std::time::Duration;

use tfc_api::prelude::*;
use tfc_ir::{Budget, Code, Limits};

/// Trips that take minutes, whatever a trip does.
const LONG: usize = 200_000_000_000;

fn number(x: f64) -> TracedTensor {
    TracedTensor::scalar(x).unwrap()
}
/// Programs that run for minutes, one for each way in which loops run: trips of scalars as code, with and without a number of trips known
/// before; trips of arrays; loops in a loop as one code; and such with a loop inside that does not end.
fn long() -> Vec<(&'static str, TracedTensor)> {
    let [scalar] = fori_loop(LONG, [&number(0.5)], |_, [s]| Ok([((s * 0.5)? + 1.0)?])).unwrap();
    let [endless] = while_loop([&number(0.5)], |[s]| s.lt(&number(9.0)), |[s]| Ok([((s * 0.5)? + 1.0)?])).unwrap();
    let v = TracedTensor::from_vec_col_major([300], vec![0.5; 300]).unwrap();
    let [arrays] = fori_loop(LONG, [&v], |_, [s]| Ok([s.reverse([0])?.sort(&[])?.swap_remove(0)])).unwrap();
    let [nest] =
        fori_loop(LONG, [&number(0.5)], |_, [s]| fori_loop(7, [s], |_, [s]| Ok([((s * 0.5)? + 1.0)?]))).unwrap();
    let [inside] = fori_loop(LONG, [&number(0.5)], |_, [s]| {
        while_loop([s], |[s]| s.lt(&number(9.0)), |[s]| Ok([((s * 0.5)? + 1.0)?]))
    })
    .unwrap();
    vec![("scalar", scalar), ("endless", endless), ("arrays", arrays), ("nest", nest), ("inside", inside)]
}
fn ends(name: &str, t: &TracedTensor, budget: Budget) {
    let program = GraphCompiler::new().compile(t).unwrap();
    let e = GraphExecutor::new(CpuBackend::new().within(budget)).run(&program).unwrap_err();
    assert_eq!(e.code(), Code::E0714, "{name}: {e}");
}
#[test]
fn time_ends_every_kind_of_loop() {
    for (name, t) in long() {
        let limits = Limits { time: Some(Duration::from_millis(300)), ..Limits::default() };
        ends(name, &t, Budget::new(limits));
    }
}
#[test]
fn another_thread_ends_a_run() {
    // A loop without end that code runs inside of another one is not asked: only what is around it is.
    for (name, t) in long().into_iter().filter(|t| t.0 != "inside") {
        let budget = Budget::unlimited();
        let other = budget.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            other.cancel();
        });
        ends(name, &t, budget);
        thread.join().unwrap();
    }
}
#[test]
fn memory_is_limited_for_each_run() {
    let x = TracedTensor::input("x", DType::F64, ["n"]).unwrap();
    let y = x.sort(&[]).unwrap().swap_remove(0);
    let program = GraphCompiler::new().compile(&y).unwrap();
    let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
    let executor = GraphExecutor::new(CpuBackend::new().within(Budget::new(limits)));
    let of = |n: usize| Tensor::from_column_major(&[n], vec![1.0; n]).unwrap();
    for _ in 0..20 {
        assert!(executor.run_with(&program, &[(&x, of(20_000))]).is_ok());
    }
    let e = executor.run_with(&program, &[(&x, of(200_000))]).unwrap_err();
    assert_eq!(e.code(), Code::E0715, "{e}");
}
#[test]
fn speed_goes_before_exactness_where_it_is_asked_for() {
    // The least positive number, which is denormal: its half of the double is itself, or 0.
    let x = TracedTensor::input("x", DType::F64, [4]).unwrap();
    let y = ((&x * 2.0).unwrap() * 0.75).unwrap();
    let program = GraphCompiler::new().compile(&y).unwrap();
    let given = [(&x, Tensor::from_column_major(&[4], vec![f64::from_bits(4); 4]).unwrap())];
    let run = |fast| GraphExecutor::new(CpuBackend::new().fast_math(fast)).run_with(&program, &given).unwrap();
    assert_eq!(run(false)[0].to_logical::<f64>().unwrap(), [f64::from_bits(6); 4]);
    assert_eq!(run(true)[0].to_logical::<f64>().unwrap(), [0.0; 4]);
}
#[test]
fn levels_give_the_same_values() {
    let x = TracedTensor::input("x", DType::F64, [5]).unwrap();
    let y = x.sin().unwrap();
    let z = (&(&y * &y).unwrap() + &x.reverse([0]).unwrap().reverse([0]).unwrap()).unwrap();
    let program = GraphCompiler::new().compile(&z).unwrap();
    let given = [(&x, Tensor::from_column_major(&[5], vec![0.1, 0.2, 0.3, 0.4, 0.5]).unwrap())];
    let run = |level| GraphExecutor::new(CpuBackend::new().optimised(level)).run_with(&program, &given).unwrap();
    let want = run(0)[0].to_logical::<f64>().unwrap();
    for level in 1..3 {
        let got = run(level)[0].to_logical::<f64>().unwrap();
        assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-15), "{level}: {got:?} {want:?}");
    }
}
