//! Traced tensors: programs made of them, control flow, derivatives, errors.
use tfc_api::prelude::*;

fn run(t: &TracedTensor) -> Tensor {
    let program = GraphCompiler::new().compile(t).unwrap();
    let text = program.to_string();
    let again = GraphProgram::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(again.to_string(), text, "a program reads as it prints");
    GraphExecutor::new(CpuBackend::new()).run(&program).unwrap_or_else(|e| panic!("{e}\n{text}"))
}
fn values(t: &TracedTensor) -> Vec<f64> {
    run(t).to_logical().unwrap()
}
fn vector(v: &[f64]) -> TracedTensor {
    TracedTensor::from_vec_col_major([v.len()], v.to_vec()).unwrap()
}
fn close(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= 1e-9 * w.abs().max(1.0), "{got:?} is not {want:?}");
    }
}

#[test]
fn operators_repeat_and_convert_numbers() {
    let x = vector(&[1.0, 2.0, 3.0]);
    let m = TracedTensor::from_vec_col_major([2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    assert_eq!(values(&(&m * &x).unwrap()), [1.0, 6.0, 15.0, 2.0, 8.0, 18.0]);
    assert_eq!(values(&(2.0 - &x).unwrap()), [1.0, 0.0, -1.0]);
    assert_eq!(values(&(&x * &x + &x).unwrap()), [2.0, 6.0, 12.0]);
    let i = TracedTensor::from_vec_col_major([2], vec![3_i64, 4]).unwrap();
    assert_eq!(run(&(&i * 2.0).unwrap()).to_logical::<i64>().unwrap(), [6, 8]);
    let e = (&i * 0.5).unwrap_err();
    assert_eq!(e.data().code.name(), "E1029");
    assert!(e.to_string().contains("i64"), "{e}");
    let e = (&x + &vector(&[1.0, 2.0])).unwrap_err();
    assert_eq!(e.data().code.name(), "E0204", "{e}");
    assert!(e.data().notes.iter().any(|n| n.contains("tests/it/traced.rs")), "{e:?}");
}
#[test]
fn symbolic_extents_are_names() {
    let x = TracedTensor::input("x", DType::F64, dims!["n", 3]).unwrap();
    let y = TracedTensor::input("y", DType::F64, ["n"]).unwrap();
    let z = (&x * &y.reshape([y.dim(0).unwrap(), 1.into()]).unwrap()).unwrap();
    let rows = x.dim(0).unwrap().mul(&3.into()).unwrap();
    let flat = z.reshape_c([rows]).unwrap();
    assert_eq!(flat.to_string(), "f64[3*n]");
    let program = GraphCompiler::new().compile(&flat.named("flat")).unwrap();
    let text = program.to_string();
    assert!(text.contains("export func @main<n>(%x: f64[n, 3], %y: f64[n]) -> (flat: f64[3*n])"), "{text}");
    let executor = GraphExecutor::new(CpuBackend::new());
    for n in [0, 1, 4] {
        let given = [
            (&x, Tensor::from_column_major(&[n, 3], vec![1.0; 3 * n]).unwrap()),
            (&y, Tensor::from_column_major(&[n], (0..n).map(|i| i as f64).collect()).unwrap()),
        ];
        let out = executor.run_with(&program, &given).unwrap();
        let want: Vec<f64> = (0..n).flat_map(|i| [i as f64; 3]).collect();
        assert_eq!(out[0].to_logical::<f64>().unwrap(), want);
    }
    assert_eq!(executor.cache_stats().misses, 1);
    assert_eq!(executor.cache_stats().hits, 2);
}
#[test]
fn extents_that_values_decide_are_types() {
    let a = TracedTensor::from_vec_col_major([2, 2], vec![3.0, 0.0, 0.0, 0.1]).unwrap();
    let tol = TracedTensor::scalar(0.5).unwrap();
    let [u, s, vt] = a.svd_trunc_with(&tol, options::SvdTrunc::new().rule("relative")).unwrap();
    assert!(s.concrete_shape().is_err());
    let low = (&u * &s).unwrap().matmul(&vt).unwrap();
    close(&values(&low), &[3.0, 0.0, 0.0, 0.0]);
    // A constant of that extent needs what binds it, though it has no operand.
    let ones = TracedTensor::ones(DType::F64, [s.dim(0).unwrap()]).unwrap();
    assert_eq!(values(&ones.sum().unwrap()), [1.0]);
    let g = AdContext::default().grad(&s.sum().unwrap(), &a).unwrap();
    close(&values(&g), &[1.0, 0.0, 0.0, 0.0]);
}
#[test]
fn closures_become_regions() {
    let x = vector(&[1.0, 2.0, 3.0, 4.0]);
    let outside = (&x * 10.0).unwrap();
    // Uses what is outside, and what the loop around it has made.
    let zero = TracedTensor::scalar(0.0).unwrap();
    let ([last], [seen]) = scan([&zero], [&x], |[c], [x]| {
        let inner = (c * 2.0)?;
        let [picked] = cond(
            &x.gt(&TracedTensor::scalar(2.5)?)?,
            || Ok([(&inner + &outside.sum()?)?]),
            || {
                let [w] = while_loop([x], |[w]| w.lt(&TracedTensor::scalar(8.0)?), |[w]| Ok([(w * 3.0)?]))?;
                Ok([w])
            },
        )?;
        Ok(([(c + x)?], [picked]))
    })
    .unwrap();
    assert_eq!(values(&last), [10.0]);
    assert_eq!(values(&seen), [9.0, 18.0, 106.0, 112.0]);
    let loss = (&seen * &seen).unwrap().sum().unwrap();
    let jvp = loss.jvp(&x, &vector(&[1.0, 0.0, 0.0, 0.0])).unwrap();
    // d: 2·9·9, then 2·106·(10 + 2) + 2·112·(10 + 2).
    close(&values(&jvp), &[162.0 + 24.0 * 106.0 + 24.0 * 112.0]);
    let grad = loss.grad(&x).unwrap();
    close(&values(&grad)[..1], &[162.0 + 24.0 * 106.0 + 24.0 * 112.0]);
    let [sum] = fori_loop(5, [&zero], |i, [s]| Ok([(s + i.convert(DType::F64)?)?])).unwrap();
    assert_eq!(values(&sum), [10.0]);
}
#[test]
fn what_a_closure_makes_stays_inside() {
    let x = vector(&[1.0]);
    let mut leaked = None;
    let [y] = cond(
        &TracedTensor::scalar(true).unwrap(),
        || {
            leaked = Some((&x * 2.0)?);
            Ok([x.clone()])
        },
        || Ok([x.clone()]),
    )
    .unwrap();
    let e = (&y + &leaked.unwrap()).unwrap_err();
    assert_eq!(e.data().code.name(), "E1001", "{e}");
}
#[test]
fn derivatives_of_derivatives() {
    let x = vector(&[0.5, -1.0]);
    let ad = AdContext::default();
    let f = x.sin().unwrap().exp().unwrap().sum().unwrap();
    let g = ad.grad(&f, &x).unwrap();
    let want: Vec<f64> = [0.5_f64, -1.0].iter().map(|x| x.cos() * x.sin().exp()).collect();
    close(&values(&g), &want);
    let h = ad.grad(&g.sum().unwrap(), &x).unwrap();
    let second = |x: f64| (x.cos() * x.cos() - x.sin()) * x.sin().exp();
    close(&values(&h), &[second(0.5), second(-1.0)]);
    let third = ad.grad(&h.sum().unwrap(), &x).unwrap();
    let d3 = |x: f64| (x.cos().powi(3) - 3.0 * x.sin() * x.cos() - x.cos()) * x.sin().exp();
    close(&values(&third), &[d3(0.5), d3(-1.0)]);
    let (_, hv) = ad.hvp(&f, &x, &vector(&[1.0, 2.0])).unwrap();
    close(&values(&hv), &[second(0.5), 2.0 * second(-1.0)]);
    let (value, grads) = ad.value_and_grad(&f, &[&x]).unwrap();
    let both = GraphCompiler::new().compile_many(&[&value, &grads[0]]).unwrap();
    let out = GraphExecutor::new(CpuBackend::new()).run_many(&both).unwrap();
    close(&out[1].to_logical::<f64>().unwrap(), &want);
    let (y, map) = ad.linearize(&g, &x).unwrap();
    close(&values(&y), &want);
    close(&values(&map.apply(&vector(&[1.0, 2.0])).unwrap()), &[second(0.5), 2.0 * second(-1.0)]);
    close(&values(&map.transpose(&vector(&[1.0, 2.0])).unwrap()), &[second(0.5), 2.0 * second(-1.0)]);
}
#[test]
fn a_derivative_inside_of_a_loop() {
    // Gradient descent on (x − 3)².
    let x0 = TracedTensor::from_vec_col_major([], vec![0.0]).unwrap();
    let [x] = fori_loop(60, [&x0], |_, [x]| {
        let d = (x - 3.0)?;
        let g = (&d * &d)?.grad(x)?;
        Ok([(x - (&g * 0.25)?)?])
    })
    .unwrap();
    close(&values(&x), &[3.0]);
    let [y] = checkpoint([&x0], |[x]| Ok([(x + 1.0)?.log()?])).unwrap();
    close(&values(&y.grad(&x0).unwrap()), &[1.0]);
    let [z] = call("square", [&x], |[x]| Ok([(x * x)?])).unwrap();
    assert!(GraphCompiler::new().compile(&z).unwrap().to_string().contains("func @square("));
    close(&values(&z), &[9.0]);
}
#[test]
fn what_does_not_depend_says_so() {
    let (x, y) = (vector(&[1.0, 2.0]), vector(&[3.0]));
    let ad = AdContext::default();
    let loss = (&x * &x).unwrap().sum().unwrap();
    assert_eq!(ad.grad(&loss, &y).unwrap_err().data().code.name(), "E1032");
    assert!(ad.grad_optional(&loss, &y).unwrap().is_none());
    assert!(ad.grad_optional(&loss, &x).unwrap().is_some());
    assert!(ad.vjp_optional(&x, &y, &x).unwrap().is_none());
    assert!(ad.jvp_optional(&loss, &y, &y).unwrap().is_none());
    assert!(ad.jvp_many(&loss, &[(&x, &x), (&y, &y)]).unwrap().is_some());
    assert_eq!(ad.grad(&x, &x).unwrap_err().data().code.name(), "E0501");
    assert_eq!(ad.grad_many(&loss, &[&x, &x]).unwrap_err().data().code.name(), "E0506");
    let stopped = x.stop_gradient().unwrap().sum().unwrap();
    assert_eq!(ad.grad(&stopped, &x).unwrap_err().data().code.name(), "E1032");
    let count = TracedTensor::from_vec_col_major([1], vec![1_i64]).unwrap();
    assert_eq!(ad.grad(&loss, &count).unwrap_err().data().code.name(), "E0502");
}
#[test]
fn programs_ask_for_their_inputs() {
    let x = TracedTensor::input("x", DType::F64, ["n"]).unwrap();
    let y = (&x + 1.0).unwrap();
    let compiler = GraphCompiler::new();
    let program = compiler.compile(&y).unwrap();
    let executor = GraphExecutor::new(CpuBackend::new());
    let e = executor.run(&program).unwrap_err();
    assert_eq!(e.data().code.name(), "E1008");
    assert!(e.to_string().contains("`x`: f64[n]"), "{e}");
    let one = || Tensor::from_column_major(&[1], vec![1.0]).unwrap();
    assert_eq!(executor.run_with(&program, &[("z", one())]).unwrap_err().data().code.name(), "E1008");
    assert_eq!(executor.run_with(&program, &[(&y, one())]).unwrap_err().data().code.name(), "E1008");
    assert_eq!(executor.run_with(&program, &[("x", one())]).unwrap()[0].item::<f64>(), Some(2.0));
    assert_eq!(compiler.compile_with_inputs(&[&y], &[]).unwrap_err().data().code.name(), "E1006");
    assert_eq!(compiler.compile_with_inputs(&[&y], &[&y]).unwrap_err().data().code.name(), "E1006");
    let unused = vector(&[1.0]);
    assert_eq!(compiler.compile_with_inputs(&[&y], &[&unused, &x]).unwrap().inputs().unwrap().len(), 2);
    let two = compiler.compile_many(&[&y, &x]).unwrap();
    let e = executor.run_with(&two, &[(&x, one())]).and_then(|_| executor.run(&two)).unwrap_err();
    assert_eq!(e.data().code.name(), "E1008");
    let bound = vector(&[1.0]);
    let two = compiler.compile_many(&[&bound, &bound]).unwrap();
    assert_eq!(executor.run(&two).unwrap_err().data().code.name(), "E1009");
    assert_eq!(TracedTensor::from_vec_col_major([3], vec![1.0]).unwrap_err().data().code.name(), "E1020");
    let odd = TracedTensor::input("x", DType::F64, ["n + 1"]).unwrap();
    assert_eq!(compiler.compile(&odd).unwrap_err().data().code.name(), "E1007");
    let free = TracedTensor::zeros(DType::F64, ["m"]).unwrap();
    let e = compiler.compile(&free).unwrap_err();
    assert_eq!(e.data().code.name(), "E0415", "{e}");
    assert!(e.to_string().contains("`m`"), "{e}");
    let e = x.concrete_shape().unwrap_err();
    assert_eq!(e.data().code.name(), "E1003");
}
#[test]
fn a_text_and_a_graph_are_the_same() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    std::fs::create_dir_all(&dir).unwrap();
    let program = trace([f64s("x", ["n"])], |[x]| {
        let loss = (x * x)?.sum()?.named("loss");
        let g = AdContext::default().grad(&loss, x)?;
        Ok([loss, g.named("g")])
    })
    .unwrap();
    let path = dir.join("square.tfir");
    program.save(&path).unwrap();
    let read = GraphProgram::load(&path).unwrap();
    assert_eq!(read.to_string(), program.to_string());
    assert_eq!(read.outputs().unwrap()[1], ("g".to_owned(), "f64[n]".to_owned()));
    let executor = GraphExecutor::new(CpuBackend::new());
    let x = Tensor::from_column_major(&[3], vec![1.0, 2.0, 3.0]).unwrap();
    let out = executor.run_with(&read, &[("x", x)]).unwrap();
    assert_eq!(out[1].to_logical::<f64>().unwrap(), [2.0, 4.0, 6.0]);
    // Where an op was called stands in the text.
    assert!(program.to_string().contains("tests/it/traced.rs"), "{program}");
    let mlir = dir.join("double.mlir");
    let text = "func.func @main(%a: tensor<2xf64>) -> tensor<2xf64> {\n  %0 = stablehlo.add %a, %a : tensor<2xf64>\n  return %0 : tensor<2xf64>\n}\n";
    std::fs::write(&mlir, text).unwrap();
    let read = GraphProgram::load(&mlir).unwrap();
    let name = read.inputs().unwrap()[0].0.clone();
    let out = executor.run_with(&read, &[(&*name, Tensor::from_column_major(&[2], vec![1.0, 2.0]).unwrap())]).unwrap();
    assert_eq!(out[0].to_logical::<f64>().unwrap(), [2.0, 4.0]);
    let e = GraphProgram::parse("tfir 1.0\nfunc @f(%x: f64[n]) -> (f64[]) {\n  return %x\n}\n").unwrap_err();
    assert!(e.to_string().contains("<text>:2"), "{e}");
    assert_eq!(GraphProgram::load(dir.join("none.tfir")).unwrap_err().data().code.name(), "E0601");
    assert_eq!(GraphProgram::load(dir.join("square.txt")).unwrap_err().data().code.name(), "E0601");
}
#[test]
fn long_chains_need_no_stack() {
    let x = vector(&[1.0]);
    let mut y = x.clone();
    for _ in 0..20_000 {
        y = (&y + 1.0).unwrap();
    }
    assert_eq!(values(&y), [20_001.0]);
    drop(y);
    assert!(x.rank() == 1);
}
#[test]
fn programs_run_from_many_threads() {
    let x = TracedTensor::input("x", DType::F64, ["n"]).unwrap();
    let y = x.sin().unwrap().exp().unwrap().sum().unwrap();
    let program = GraphCompiler::new().compile(&AdContext::default().grad(&y, &x).unwrap()).unwrap();
    let executor = GraphExecutor::new(CpuBackend::new());
    let compiled = executor.prepare(&program).unwrap();
    let given =
        |k: usize| Tensor::from_column_major(&[1000 + k], (0..1000 + k).map(|i| i as f64 * 0.01).collect()).unwrap();
    let alone: Vec<Vec<f64>> = (0..16).map(|k| compiled.run(&[given(k)]).unwrap()[0].to_logical().unwrap()).collect();
    std::thread::scope(|s| {
        for k in 0..16 {
            let (compiled, alone) = (&compiled, &alone);
            s.spawn(move || {
                for _ in 0..50 {
                    let got: Vec<f64> = compiled.run(&[given(k)]).unwrap()[0].to_logical().unwrap();
                    assert!(got.iter().zip(&alone[k]).all(|(a, b)| a.to_bits() == b.to_bits()));
                }
            });
        }
    });
}
#[test]
fn checks_are_done_where_they_are_wanted() {
    let x = vector(&[1.0, -2.0]);
    let close = effect(&tfc_ir::ops::extents::CHECK_CLOSE, &[&x, &(&x + 1e-3).unwrap()], [("atol", 1e-2.into())]);
    let same = effect(&tfc_ir::ops::extents::CHECK_EQUAL, &[&x, &(&x + 1.0).unwrap()], []).unwrap();
    let y = (&x * &x).unwrap();
    assert_eq!(values(&y.after([&close.unwrap()])), [1.0, 4.0]);
    let failing = y.after([&same]);
    let run = |t: &TracedTensor| GraphExecutor::new(CpuBackend::new()).run(&GraphCompiler::new().compile(t).unwrap());
    assert_eq!(run(&failing).unwrap_err().data().code.name(), "E0711");
    // Nobody asked for it.
    assert_eq!(values(&y), [1.0, 4.0]);
    // The derivative is of the value.
    assert_eq!(values(&failing.sum().unwrap().grad(&x).unwrap()), [2.0, -4.0]);
    // A branch that does not run checks nothing.
    let [picked] = cond(
        &TracedTensor::scalar(false).unwrap(),
        || Ok([x.checked(&x.gt(&TracedTensor::zeros(DType::F64, [2])?)?, "positive")?]),
        || Ok([x.clone()]),
    )
    .unwrap();
    assert_eq!(values(&picked), [1.0, -2.0]);
    let (said, program) = (
        std::sync::Arc::new(std::sync::Mutex::new(vec![])),
        GraphCompiler::new().compile(&picked.printed("picked").unwrap()).unwrap(),
    );
    let to = said.clone();
    let backend = CpuBackend::new().print_to(std::sync::Arc::new(move |label: &str, t: &Tensor| {
        to.lock().unwrap().push((label.to_owned(), t.to_logical::<f64>().unwrap()));
    }));
    assert_eq!(GraphExecutor::new(backend).run(&program).unwrap().to_logical::<f64>().unwrap(), [1.0, -2.0]);
    assert_eq!(*said.lock().unwrap(), [("picked".to_owned(), vec![1.0, -2.0])]);
    let e = effect(&tfc_ir::ops::elementwise::SIN, &[&x], []).err().unwrap();
    assert_eq!(e.data().code.name(), "E0211");
}

#[test]
fn carries_may_grow_and_values_be_collected() {
    // Doubles a list until it has at least n elements, bounded; what is differentiated goes through it.
    let x = vector(&[1.0, 2.0, 3.0]);
    let n = TracedTensor::from_vec_col_major([], vec![10_i64]).unwrap();
    let [long] = Loop::new([&x])
        .varying_within(0, 0, 100)
        .repeat_only(|[v]| TracedTensor::dim_value(v.dim(0)?)?.lt(&n), |[v]| Ok([v.concat(&[&(v * 2.0)?], 0)?]))
        .unwrap();
    let loss = (&long * &long).unwrap().sum().unwrap();
    assert_eq!(values(&long), [1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 2.0, 4.0, 6.0, 4.0, 8.0, 12.0]);
    // Σ over copies of squares of factors 1, 2, 2, 4: 25 x².
    assert_eq!(values(&loss.grad(&x).unwrap()), [50.0, 100.0, 150.0]);
    // Of more than 100 elements it is an error.
    let many = TracedTensor::from_vec_col_major([], vec![150_i64]).unwrap();
    let [long] = Loop::new([&x])
        .varying_within(0, 0, 100)
        .repeat_only(|[v]| TracedTensor::dim_value(v.dim(0)?)?.lt(&many), |[v]| Ok([v.concat(&[&(v * 2.0)?], 0)?]))
        .unwrap();
    let program = GraphCompiler::new().compile(&long).unwrap();
    let e = GraphExecutor::new(CpuBackend::new()).run(&program).unwrap_err();
    assert_eq!(e.data().code.name(), "E0420", "{e}");
}
#[test]
fn collected_values_are_stacked_or_joined() {
    let x = vector(&[1.0, 2.0, 3.0]);
    let zero = TracedTensor::scalar(0.0).unwrap();
    let build = |reverse: bool| {
        let l = Loop::new([&zero]).joining(1);
        let l = if reverse { l.reverse() } else { l };
        let ([sum], [sums, twice]) = l
            .scan([&x], |[s], [x]| {
                let next = (s + x)?;
                Ok(([next.clone()], [next.clone(), x.reshape([1])?.concat(&[&next.reshape([1])?], 0)?]))
            })
            .unwrap();
        (values(&sum), values(&sums), values(&twice))
    };
    assert_eq!(build(false), (vec![6.0], vec![1.0, 3.0, 6.0], vec![1.0, 1.0, 2.0, 3.0, 3.0, 6.0]));
    assert_eq!(build(true).0, [6.0]);
    assert_eq!(build(true).1, [6.0, 5.0, 3.0]);
    let e = Loop::new([&zero]).varying(1, 0).repeat_only(|[z]| z.lt(&zero), |[z]| Ok([z.clone()])).unwrap_err();
    assert_eq!(e.data().code.name(), "E0212");
    let e = Loop::new([&zero]).varying(0, 0).repeat_only(|[z]| z.lt(&zero), |[z]| Ok([z.clone()])).unwrap_err();
    assert_eq!(e.data().code.name(), "E0212");
}
#[test]
fn values_are_extents() {
    let n = TracedTensor::input("n", DType::I64, [] as [usize; 0]).unwrap();
    let x = TracedTensor::input("x", DType::F64, ["m"]).unwrap();
    let m = x.dim(0).unwrap();
    let k = n.to_dim_within(m).unwrap();
    let head = x.take_prefix(0, DType::F64, [k.clone()]).unwrap();
    assert_eq!(head.to_string(), "f64[n]");
    let loss = (&head * &head).unwrap().sum().unwrap();
    let grad = loss.grad(&x).unwrap();
    let program = GraphCompiler::new().compile_many(&[&loss, &grad]).unwrap();
    let text = program.to_string();
    assert!(text.contains("extent(%n, shape[?n]) where ?n <= m"), "{text}");
    assert_eq!(GraphProgram::parse(&text).unwrap().to_string(), text);
    let executor = GraphExecutor::new(CpuBackend::new());
    let given = |k: i64| [(&n, Tensor::scalar(k)), (&x, Tensor::from_rows([1.0, 2.0, 3.0]).unwrap())];
    let out = executor.run_with(&program, &given(2)).unwrap();
    assert_eq!((out[0].item(), out[1].to_vec::<f64>().unwrap()), (Some(5.0), vec![2.0, 4.0, 0.0]));
    assert_eq!(executor.run_with(&program, &given(4)).unwrap_err().data().code.name(), "E0420");
    assert_eq!(executor.run_with(&program, &given(-1)).unwrap_err().data().code.name(), "E0422");
    assert_eq!(x.to_dim().unwrap_err().data().code.name(), "E0203");
    // Inside of a closure, of a value of the trip.
    let total = TracedTensor::scalar(0.0).unwrap();
    let [sum] = fori_loop(4, [&total], |i, [s]| {
        let part = TracedTensor::ones(DType::F64, [i.to_dim()?])?;
        Ok([(s + &part.sum()?)?])
    })
    .unwrap();
    assert_eq!(values(&sum), [6.0]);
}
/// What a program finds wrong when it runs is said with the line of Rust that called the op, through derivatives, loops and
/// optimisation; of a program from text, with its line there; and a code is said once.
#[test]
fn errors_of_a_run_say_which_call_it_was() -> Result<()> {
    let x = TracedTensor::input("x", DType::F64, ["n"])?;
    let k = TracedTensor::input("k", DType::I64, [] as [&str; 0])?;
    let executor = GraphExecutor::new(CpuBackend::new());
    let given = || [("x", Tensor::full(&[3], 1.0).unwrap()), ("k", Tensor::scalar(-1i64))];
    let says = |e: Error, code: &str, line: u32| {
        let want = format!("called at {}:{line}:", file!());
        let text = e.to_string();
        assert!(e.data().code.name() == code && text.contains(&want), "{want}: {text}");
        assert_eq!((text.matches(code).count(), text.matches("called at").count()), (1, 1), "{text}");
    };
    let scale = |x: &TracedTensor| x * &TracedTensor::ones(DType::F64, [k.to_dim()?])?.sum()?;
    let line = line!() - 1;
    let y = scale(&x)?.sum()?;
    let run = |y: &TracedTensor| {
        let p = GraphCompiler::new().compile(y).unwrap();
        let names: Vec<String> = p.inputs().unwrap().iter().map(|i| i.0.clone()).collect();
        let given: Vec<_> = given().into_iter().filter(|g| names.iter().any(|n| n == g.0)).collect();
        executor.run_with(&p, &given).unwrap_err()
    };
    says(run(&y), "E0422", line);
    says(run(&AdContext::default().grad(&y, &x)?), "E0422", line);
    let [z] = fori_loop(2, [&y], |_, [s]| Ok([(s + &scale(&x)?.sum()?)?]))?;
    says(run(&z), "E0422", line);
    let text = "tfir 1.0\nexport func @main(%k: i64[]) -> f64[] {\n  %n: i64[] = neg(%k)\n  \
        %0: f64[?r] = iota_of(%n)\n  return %0\n}\n";
    let e = GraphProgram::parse(text).unwrap_err();
    assert_eq!(e.to_string().matches(e.data().code.name()).count(), 1, "{e}");
    let text = "tfir 1.0\nexport func @main<n, m>(%x: f64[n], %y: f64[m]) -> f64[n] {\n  \
        guard() where n == m\n  %0 = add(%x, %y)\n  return %0\n}\n";
    let p = GraphProgram::parse(text)?;
    let e = executor.run_with(&p, &[("x", Tensor::full(&[3], 1.0)?), ("y", Tensor::full(&[2], 1.0)?)]).unwrap_err();
    assert!(e.to_string().contains("at <text>:3:3"), "{e}");
    Ok(())
}
#[test]
fn a_compiler_keeps_its_programs() {
    let x = vector(&[1.0, 2.0]);
    let (a, b) = ((&x + 1.0).unwrap(), (&x * 2.0).unwrap());
    let compiler = GraphCompiler::new().cache_limit(2);
    let first = compiler.compile(&a).unwrap();
    assert_eq!(compiler.compile(&a).unwrap().to_string(), first.to_string());
    assert_eq!((compiler.cache_stats().hits, compiler.cache_stats().misses), (1, 1));
    // A name that was given since is seen.
    a.named("more");
    assert!(compiler.compile(&a).unwrap().to_string().contains("(more: f64[2])"));
    compiler.compile(&b).unwrap();
    compiler.compile_many(&[&a, &b]).unwrap();
    let stats = compiler.cache_stats();
    assert_eq!((stats.hits, stats.misses, stats.evicted, stats.entries), (1, 4, 1, 2));
    // Other inputs are another program.
    let y = vector(&[3.0]);
    let program = compiler.compile_with_inputs(&[&a], &[&y, &x]).unwrap();
    assert_eq!(program.inputs().unwrap().len(), 2);
    compiler.clear_caches();
    assert_eq!(compiler.cache_stats().entries, 0);
}

#[test]
fn rules_by_closures_say_what_is_wrong() -> Result<()> {
    let x = TracedTensor::input("x", DType::F64, ["n"])?;
    let w = TracedTensor::input("w", DType::F64, ["n"])?;
    let outside = custom_jvp("f", [&x], |[x]| Ok([(x * &w)?]), |[x], d| Ok(([(x * &w)?], vec![(&d[0] * &w)?])));
    let e = outside.err().unwrap();
    assert!(e.data().code.name() == "E1225" && e.data().message.contains("`w`"), "{e}");
    let none = custom_jvp("f", [&x], |[x]| Ok([x.sin()?]), |[x], _| Ok(([x.sin()?], vec![])));
    let e = none.err().unwrap();
    assert!(e.data().code.name() == "E0509" && e.data().message.contains("0 tangents, not 1"), "{e}");
    let short =
        custom_vjp("f", [&x], |[x]| Ok([x.sin()?]), |[x]| Ok(([x.sin()?], vec![])), |_, c| Ok(vec![c[0].sum()?]));
    assert_eq!(short.err().unwrap().data().code.name(), "E0509");
    // A square is not linear: found when the derivative is taken.
    let [y] = custom_jvp("f", [&x], |[x]| Ok([x.sin()?]), |[x], d| Ok(([x.sin()?], vec![(&d[0] * &d[0])?])))?;
    let g = AdContext::default().grad(&y.sum()?, &x)?;
    let run = GraphCompiler::new().compile(&g).and_then(|p| {
        GraphExecutor::new(CpuBackend::new())
            .run_with(&p, &[("x", Tensor::from_column_major(&[1], vec![1.0]).unwrap())])
    });
    assert_eq!(run.unwrap_err().data().code.name(), "E0509");
    Ok(())
}

#[test]
fn rules_by_closures_take_integers_from_outside_and_keep_what_they_need() -> Result<()> {
    let x = TracedTensor::input("x", DType::F64, ["n"])?;
    let k = TracedTensor::input("k", DType::I64, [] as [&str; 0])?;
    let times = |x: &TracedTensor| -> Result<TracedTensor> { x * &k.convert(DType::F64)? };
    let [y] = custom_vjp(
        "times",
        [&x],
        |[x]| Ok([times(x)?]),
        |[x]| Ok(([times(x)?], vec![])),
        |_, c| Ok(vec![times(&c[0])?.neg()?]),
    )?;
    let g = AdContext::default().grad(&y.sum()?, &x)?;
    let p = GraphCompiler::new().compile(&g)?;
    // The rule's, not the function's: the sign is turned.
    let inputs = [("x", Tensor::from_column_major(&[2], vec![1.0, 2.0]).unwrap()), ("k", Tensor::scalar(3i64))];
    let known: Vec<_> = p.inputs()?.iter().map(|i| i.0.clone()).collect();
    let inputs: Vec<_> = inputs.into_iter().filter(|i| known.iter().any(|k| k == i.0)).collect();
    assert_eq!(
        GraphExecutor::new(CpuBackend::new()).run_with(&p, &inputs)?[0].to_logical::<f64>(),
        Some(vec![-3.0, -3.0])
    );
    Ok(())
}

/// Regions that use results of earlier regions: the paths through 64 of them are more than anybody could follow.
#[test]
fn regions_that_use_earlier_ones_are_walked_once() {
    let program = trace([f64s("x", ["n"]), f64s("t", [0; 0])], |[x, t]| {
        let mut x = x.clone();
        for i in 0..64 {
            let big = t.gt(&TracedTensor::scalar(f64::from(i))?)?;
            let (yes, no) = (x.clone(), x.clone());
            [x] = cond(&big, || Ok([(&yes + 1.0)?]), || Ok([(&no - 1.0)?]))?;
        }
        Ok([x.sum()?.named("y")])
    })
    .unwrap();
    let inputs = [("x", Tensor::from_logical(&[2], vec![0.0, 1.0]).unwrap()), ("t", Tensor::scalar(40.5))];
    let y = GraphExecutor::new(CpuBackend::new()).run_with(&program, &inputs).unwrap();
    assert_eq!(y[0].item::<f64>(), Some(1.0 + 2.0 * (41.0 - 23.0)));
}

#[test]
fn lists_of_tensors_are_carried_and_called_with() -> Result<()> {
    let list = |n: usize| -> Result<Vec<TracedTensor>> { (0..n).map(|i| TracedTensor::scalar(i as f64)).collect() };
    let numbers = |ts: &[TracedTensor]| -> Result<Vec<f64>> {
        let program = GraphCompiler::new().compile_many(&ts.iter().collect::<Vec<_>>())?;
        let out = GraphExecutor::new(CpuBackend::new()).run_many(&program)?;
        Ok(out.iter().flat_map(|t| t.to_vec::<f64>().unwrap()).collect())
    };
    let carries = list(3)?;
    let x = TracedTensor::from_vec_col_major([2], vec![1.0, 10.0])?;
    // Each carry takes up the slice; what is collected is a list too.
    let (last, sums) = scan(&carries, [&x], |c, [x]| {
        let next: Vec<TracedTensor> = c.iter().map(|t| t + x).collect::<Result<_>>()?;
        Ok((next.clone(), next))
    })?;
    assert_eq!(numbers(&last)?, [11.0, 12.0, 13.0]);
    assert_eq!(numbers(&sums)?, [1.0, 11.0, 2.0, 12.0, 3.0, 13.0]);
    let less = carries[0].lt(&carries[1])?;
    let chosen = cond(&less, || Ok(carries.clone()), || list(3))?;
    assert_eq!(numbers(&chosen)?, [0.0, 1.0, 2.0]);
    let doubled =
        checkpoint(carries.iter().collect::<Vec<_>>(), |c| c.iter().map(|t| t * 2).collect::<Result<Vec<_>>>())?;
    assert_eq!(numbers(&doubled)?, [0.0, 2.0, 4.0]);
    // The slope of each argument is thrice that of the results.
    let ruled = custom_jvp(
        "ruled",
        &carries,
        |c| Ok(c.clone()),
        |c, dc| Ok((c.clone(), dc.iter().map(|d| d * 3).collect::<Result<_>>()?)),
    )?;
    let sum = (&ruled[0] + &ruled[2])?;
    let wrt: Vec<&TracedTensor> = carries.iter().collect();
    assert_eq!(numbers(&AdContext::default().grad_many(&sum, &[wrt[0], wrt[2]])?)?, [3.0, 3.0]);
    // A body that loses a carry is no loop.
    let e = fori_loop(2, &carries, |_, c| Ok(c[1..].to_vec())).unwrap_err();
    assert!(e.data().code.name().starts_with("E02"), "{e}");
    Ok(())
}
