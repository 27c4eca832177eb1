//! Memory of results: storage that the caller has dropped is used again, storage that it holds never is; arguments and
//! tensors that are given away are computed over.
use std::sync::Arc;

use tfc_cpu::{CompileOptions, Cpu, Executable, RunOptions};
use tfc_ir::ops::reduce;
use tfc_ir::{Attr, Builder, DType, Extent, Module, NewOp, OpSet, Result, Span, Tensor, Type, ValueId};

/// A function of vectors of one symbolic length.
fn compile(params: usize, body: impl Fn(&mut Builder, &[ValueId]) -> Result<Vec<ValueId>>) -> Executable {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "f");
    let n = Extent::sym(b.sym("n", Span::default()));
    let xs: Vec<ValueId> = (0..params).map(|_| b.param(Type::new(DType::F64, [n.clone()]), "x")).collect();
    let ys = body(&mut b, &xs).unwrap();
    let f = m.add(b.finish(ys).unwrap());
    Cpu::compile(&m, f, &CompileOptions { threads: 1, ..CompileOptions::default() }).unwrap()
}
fn full(n: usize, x: f64) -> Tensor {
    Tensor::full(&[n], x).unwrap()
}
fn at(t: &Tensor) -> usize {
    t.storage::<f64>().unwrap().as_ptr() as usize
}
fn run(e: &Executable, x: &[Tensor]) -> Vec<Tensor> {
    e.run(x, &RunOptions::default()).unwrap()
}

#[test]
fn dropped_results_are_used_again_and_held_ones_are_not() {
    let e = compile(1, |b, x| Ok(vec![b.neg(x[0])?]));
    for n in [5, 100_000, 1_000_000] {
        let size = n * 8;
        let first = run(&e, &[full(n, 1.0)]);
        assert_eq!(e.peak_bytes(), size);
        let second = run(&e, &[full(n, 2.0)]);
        let third = run(&e, &[full(n, 3.0)]);
        for (r, x) in [(&first, -1.0), (&second, -2.0), (&third, -3.0)] {
            assert!(r[0].storage::<f64>().unwrap().iter().all(|&y| y == x));
        }
        let place = at(&third[0]);
        let held = first[0].clone();
        drop((second, third));
        let fourth = run(&e, &[full(n, 4.0)]);
        assert_eq!(at(&fourth[0]), place, "the storage is free: it serves again");
        assert_eq!((e.peak_bytes(), held.get::<f64>(&[n - 1])), (size, Some(-1.0)));
        // A view of it holds it as well as the tensor.
        let view = fourth[0].permuted(&[0]).unwrap();
        drop(fourth);
        let fifth = run(&e, &[full(n, 5.0)]);
        assert_ne!(at(&fifth[0]), place);
        assert_eq!((view.get::<f64>(&[0]), fifth[0].get::<f64>(&[0])), (Some(-4.0), Some(-5.0)));
    }
}
#[test]
fn other_sizes_and_errors_leave_nothing_behind() {
    let mut e = compile(2, |b, x| {
        let s = b.add(x[0], x[1])?;
        Ok(vec![b.mul(s, s)?, s])
    });
    for n in [7, 7, 7, 3, 0, 3, 3, 1000, 7] {
        let r = run(&e, &[full(n, 1.0), full(n, 2.0)]);
        assert!(r[0].to_logical::<f64>().unwrap().iter().all(|&x| x == 9.0));
        assert!(r[1].to_logical::<f64>().unwrap().iter().all(|&x| x == 3.0));
        assert_eq!((r[0].shape(), r[1].len()), (&[n][..], n));
    }
    let small = RunOptions { memory: Some(100), ..RunOptions::default() };
    let code = |r: Result<Vec<Tensor>>| r.unwrap_err().data().code.name();
    assert_eq!(code(e.run(&[full(50, 1.0), full(50, 2.0)], &small)), "E0715");
    assert_eq!(code(e.run(&[full(50, 1.0), full(51, 2.0)], &small)), "E0704");
    let r = e.run(&[full(6, 1.0), full(6, 2.0)], &small).unwrap();
    assert_eq!(r[0].to_logical::<f64>().unwrap(), [9.0; 6]);
    e.release();
    assert_eq!(run(&e, &[full(2, 1.0), full(2, 2.0)])[1].to_logical::<f64>().unwrap(), [3.0; 2]);
}
#[test]
fn a_limit_counts_storage_once() {
    let e = compile(1, |b, x| Ok(vec![b.neg(x[0])?]));
    let options = RunOptions { memory: Some(8000), ..RunOptions::default() };
    for i in 0..5 {
        let r = e.run(&[full(1000, f64::from(i))], &options).unwrap();
        assert_eq!((r[0].get::<f64>(&[0]), e.peak_bytes()), (Some(-f64::from(i)), 8000));
    }
}
#[test]
fn arguments_that_are_given_away_are_computed_over() {
    let e = compile(2, |b, x| {
        let y = b.mul(x[0], x[1])?;
        Ok(vec![b.add(x[0], y)?])
    });
    let mut state = vec![];
    let mut args = vec![full(1000, 1.0), full(1000, 1.0)];
    for step in 0..4 {
        let places = [at(&args[0]), at(&args[1])];
        e.run_into(args, &mut state, &RunOptions::default()).unwrap();
        assert!(places.contains(&at(&state[0])));
        assert_eq!(state[0].get::<f64>(&[999]), Some(f64::from(2 << step)));
        assert_eq!(e.peak_bytes(), 0, "step {step}");
        args = vec![state.remove(0), full(1000, 1.0)];
    }
    // An argument that somebody else holds, or that is no dense tensor of its storage, stays as it is.
    let held = args.remove(0);
    let part = Tensor::with_strides(&[500], vec![2], 0, vec![3.0; 1000]).unwrap();
    for w in [held.clone(), part.clone()] {
        let (n, x) = (w.len(), w.get::<f64>(&[0]).unwrap());
        let mut r = vec![];
        e.run_into(vec![w, full(n, 1.0)], &mut r, &RunOptions::default()).unwrap();
        assert_eq!(r[0].to_logical::<f64>().unwrap(), vec![2.0 * x; n]);
    }
    assert_eq!((held.get::<f64>(&[3]), part.get::<f64>(&[3])), (Some(16.0), Some(3.0)));
    // One storage as two arguments is held by the other.
    let mut r = vec![];
    e.run_into(vec![held.clone(), held.clone()], &mut r, &RunOptions::default()).unwrap();
    assert_eq!((r[0].get::<f64>(&[7]), held.get::<f64>(&[7])), (Some(272.0), Some(16.0)));
}
#[test]
fn arguments_that_are_computed_over_stay_out_of_the_account() {
    let e = compile(2, |b, x| {
        let t = b.mul(x[0], x[1])?;
        let s = b.emit1(NewOp::new(&reduce::REDUCE_SUM, &[t]).attr("axes", Attr::ints(&[0])))?;
        let ty = b.ty(x[0]);
        let w = b.broadcast(s, &ty, &[])?;
        Ok(vec![b.add(x[0], w)?])
    });
    let args = || vec![full(1000, 1.0), full(1000, 2.0)];
    let r = run(&e, &args());
    let peak = e.peak_bytes();
    assert!(peak >= 16_000, "a product and a result: {peak}");
    let mut given = vec![];
    e.run_into(args(), &mut given, &RunOptions::default()).unwrap();
    assert!(given[0].same(&r[0]));
    run(&e, &args());
    assert_eq!(e.peak_bytes(), peak);
}
#[test]
fn a_result_that_reads_its_argument_later_is_not_computed_over_it() {
    let e = compile(1, |b, x| {
        let y = b.neg(x[0])?;
        let z = b.exp(y)?;
        Ok(vec![y, z, x[0]])
    });
    let mut r = vec![];
    e.run_into(vec![full(64, 1.0)], &mut r, &RunOptions::default()).unwrap();
    let want = [-1.0, (-1.0f64).exp(), 1.0];
    for (t, x) in r.iter().zip(want) {
        assert!((t.get::<f64>(&[63]).unwrap() - x).abs() < 1e-15);
    }
}
#[test]
fn results_are_written_where_the_caller_says() {
    let e = compile(1, |b, x| Ok(vec![b.neg(x[0])?, b.exp(x[0])?]));
    let mut r = vec![full(300, 0.0), full(300, 0.0)];
    let places = [at(&r[0]), at(&r[1])];
    for i in 0..3 {
        let x = full(300, f64::from(i));
        e.run_into(vec![x.clone()], &mut r, &RunOptions::default()).unwrap();
        assert_eq!([at(&r[0]), at(&r[1])], places);
        assert_eq!((r[0].get::<f64>(&[299]), x.get::<f64>(&[299])), (Some(-f64::from(i)), Some(f64::from(i))));
    }
    // Storage of another size, of another type, or that is held, is left alone.
    let held = r[1].clone();
    r[0] = full(299, 7.0);
    e.run_into(vec![full(300, 1.0)], &mut r, &RunOptions::default()).unwrap();
    assert_ne!(at(&r[1]), places[1]);
    assert_eq!((r[0].len(), held.get::<f64>(&[0])), (300, Some(2f64.exp())));
    r[1] = Tensor::full(&[300], 1i64).unwrap();
    e.run_into(vec![full(300, 1.0)], &mut r, &RunOptions::default()).unwrap();
    assert_eq!(r[1].dtype(), DType::F64);
    let mut bad = vec![full(300, 1.0)];
    assert!(e.run_into(vec![], &mut bad, &RunOptions::default()).is_err());
    assert!(bad.is_empty());
}
