//! What stops a run: conditions on shapes and extents, checks, limits, ops without a kernel and kernels that fail.
use super::*;

#[test]
fn data_must_be_loaded() {
    let mut m = module();
    let ty = Type::exact(DType::F64, &[2]);
    m.data.push(DataDecl {
        name: "w".into(),
        ty: ty.clone(),
        format: "npy".into(),
        path: "w.npy".into(),
        key: None,
        sha256: None,
        convert: false,
        span: Span::default(),
        value: None,
    });
    let mut b = Builder::new(&m, "f");
    let y = b.emit(op("load", &[]).attr("data", Attr::Data(DataId(0)))).expect("loads");
    let f = b.finish(y).expect("finishes");
    let f = m.add(f);
    assert_eq!(code(Interp::new(&m).run(f, &[], &RunOptions::default())).0, "E0717");
    m.data[0].value = Some(f64s(&[2], &[3., 4.]));
    let r = Interp::new(&m).run(f, &[], &RunOptions::default()).expect("runs");
    assert_eq!(list::<f64>(&r[0]), [3., 4.]);
}

#[test]
fn shapes_that_disagree_are_named() {
    let m = module();
    let mut b = Builder::new(&m, "f");
    let n = Extent::sym(b.sym("n", Span::default()));
    b.param(Type::new(DType::F64, vec![n.clone(), Extent::exact(3)]), "a");
    b.param(Type::new(DType::F64, vec![n.clone()]), "b");
    b.param(Type::new(DType::F64, vec![n.add(&n).unwrap().add(&Extent::exact(1)).unwrap()]), "c");
    let f = m.add(b.finish(vec![]).expect("finishes"));
    let go = |a: &[usize], b: &[usize], c: &[usize]| {
        code(Interp::new(&m).run(f, &[count(a), count(b), count(c)], &RunOptions::default())).1
    };
    assert_eq!(go(&[2, 3], &[2], &[5]), "");
    assert_eq!(go(&[2, 4], &[2], &[5]), "error[E0704]: %a axis 1 has extent 4, but 3 is expected");
    assert_eq!(go(&[2, 3], &[4], &[5]), "error[E0704]: %b axis 0 has extent 4, but n is 2; solved so far: n = 2");
    assert_eq!(go(&[2, 3], &[2], &[6]), "error[E0704]: %c axis 0 has extent 6, but 2*n + 1 is 5; solved so far: n = 2");
}

#[test]
fn guards_name_what_they_compare() {
    let m = module();
    let mut b = Builder::new(&m, "f");
    let (p, q) = (Extent::sym(b.sym("p", Span::default())), Extent::sym(b.sym("q", Span::default())));
    let x = b.param(Type::new(DType::F64, vec![p]), "x");
    let y = b.param(Type::new(DType::F64, vec![q]), "y");
    let s = b.add(x, y).expect("a guard, not an error");
    let f = m.add(b.finish(vec![s]).expect("finishes"));
    let go = |m: &Module, a: usize, b: usize| {
        code(Interp::new(m).run(f, &[count(&[a]), count(&[b])], &RunOptions::default()))
    };
    assert_eq!(go(&m, 3, 3).0, "");
    let (c, text) = go(&m, 3, 4);
    assert!(c == "E0420" && text.contains("does not hold: p = 3, q = 4"), "{text}");
}

fn to(print: tfc_engine::Print) -> tfc_engine::Printing {
    print.into()
}

#[test]
fn checks_and_print() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = seen.clone();
    let options = RunOptions {
        print: Some(to(Arc::new(move |l, t| log.lock().expect("unpoisoned").push(format!("{l} {:?}", t.shape()))))),
        ..Default::default()
    };
    let r = run_with(&[count(&[2])], &options, &|b, x| {
        b.emit(op("print", x).attr("label", Attr::Str("here".into())))?;
        Ok(vec![])
    });
    assert!(r.is_ok());
    assert_eq!(*seen.lock().expect("unpoisoned"), ["here [2]"]);
    let check = |v: Vec<bool>| {
        run(&[Tensor::from_logical(&[v.len()], v).unwrap()], &|b, x| {
            b.emit(op("check", x).attr("message", Attr::Str("must be true".into())))
        })
    };
    assert!(check(vec![true, true]).is_ok());
    let (c, text) = code(check(vec![true, false]));
    assert!(c == "E0710" && text.contains("must be true (first at [1])"), "{text}");
    let two = |name: &'static str, x: &[f64], y: &[f64], attrs: &[(&'static str, Attr)]| {
        code(run(&[f64s(&[x.len()], x), f64s(&[y.len()], y)], &|b, v| {
            let o = attrs.iter().fold(op(name, v), |o, (k, a)| o.attr(k, a.clone()));
            b.emit(o)
        }))
    };
    assert_eq!(two("check_equal", &[1., f64::NAN], &[1., f64::NAN], &[]).0, "");
    let (c, text) = two("check_equal", &[1., 2.], &[1., 3.], &[]);
    assert!(c == "E0711" && text.contains("at [1]: 2.0 and 3.0"), "{text}");
    assert_eq!(two("check_close", &[1., 2.], &[1.05, 2.], &[("atol", Attr::Float(0.1))]).0, "");
    assert_eq!(two("check_close", &[1., 2.], &[1.05, 2.], &[("rtol", Attr::Float(0.01))]).0, "E0711");
    assert_eq!(two("check_close", &[1.0], &[1.0 + f64::EPSILON], &[("ulp", Attr::Int(1))]).0, "");
    assert_eq!(two("check_close", &[1.0], &[1.0 + 2.0 * f64::EPSILON], &[("ulp", Attr::Int(1))]).0, "E0711");
    let (c, text) = two("check_close", &[0., 5., 1.], &[0., 1., 0.], &[("atol", Attr::Float(0.1))]);
    assert!(c == "E0711" && text.contains("worst at [1]"), "{text}");
}

/// Counts for ever.
fn endless(options: &RunOptions) -> &'static str {
    code(run_with(&[Tensor::scalar(0i64)], options, &|b, x| {
        let params = [(b.ty(x[0]), "i")];
        let cond = b.region("cond", &params, |b, q| Ok(vec![b.eq(q[0], q[0])?]))?;
        let body = b.region("body", &params, |b, q| {
            let one = b.like(q[0], 1.0)?;
            Ok(vec![b.add(q[0], one)?])
        })?;
        b.emit(op("while", x).regions(vec![cond, body]))
    }))
    .0
}
#[test]
fn limits() {
    assert_eq!(endless(&RunOptions { fuel: Some(1000), ..Default::default() }), "E0713");
    let within = |time, memory| RunOptions {
        budget: Budget::new(Limits { time: Option::map(time, Duration::from_millis), memory, ..Limits::default() }),
        ..Default::default()
    };
    assert_eq!(endless(&within(Some(20), None)), "E0714");
    let small = within(None, Some(1 << 20));
    let splat =
        |n: usize| code(run_with(&[], &small, &|b, _| Ok(vec![b.splat(&Type::exact(DType::F64, &[n]), 1.0)?]))).0;
    assert_eq!((splat(1000), splat(1 << 20), splat(1 << 40)), ("", "E0715", "E0715"));
    assert_eq!(splat(1 << 62), "E0406");
    // A view of an argument needs no memory, and what an op has made is given back with the run.
    let x = f64s(&[1 << 16], &vec![1.0; 1 << 16]);
    let kept = |k: usize| {
        code(run_with(std::slice::from_ref(&x), &small, &|b, v| {
            let mut all = vec![v[0]];
            for _ in 0..k {
                all.push(b.add(all[all.len() - 1], v[0])?);
            }
            Ok(all)
        }))
        .0
    };
    assert_eq!((kept(1), kept(1), kept(3)), ("", "", "E0715"));
    assert_eq!(small.budget.bytes(), 0);
}

/// Ops that take seconds and begin within their time: nothing asks for it once the last op is done, so it is the op that stops.
#[test]
fn long_ops_stop_in_the_middle() {
    let n = 700;
    let wide = Tensor::full(&[n, n], 1.0).expect("fits");
    let long = Tensor::full(&[1 << 24], 1.0).expect("fits");
    let stops = |x: &Tensor, emit: &dyn Fn(&mut Builder, &[ValueId]) -> Result<Vec<ValueId>>| {
        let limits = Limits { time: Some(Duration::from_millis(10)), ..Limits::default() };
        let options = RunOptions { budget: Budget::new(limits), ..Default::default() };
        code(run_with(std::slice::from_ref(x), &options, emit)).0
    };
    let ints = |v: &[usize]| Attr::ints(v);
    let dims = || Attr::int_lists(&[&[1], &[0]]);
    assert_eq!(stops(&wide, &|b, x| b.emit(op("dot_general", &[x[0], x[0]]).attr("contract", dims()))), "E0714");
    assert_eq!(stops(&long, &|b, x| b.emit(op("cumsum", x).attr("axis", Attr::Int(0)))), "E0714");
    assert_eq!(stops(&long, &|b, x| b.emit(op("reduce_sum", x).attr("axes", ints(&[0])))), "E0714");
    assert_eq!(stops(&long, &|b, x| b.emit(op("argmax", x).attr("axis", Attr::Int(0)))), "E0714");
    assert_eq!(stops(&long, &|b, x| b.emit(op("sort", x).attr("axis", Attr::Int(0)))), "E0714");
    assert_eq!(stops(&long, &|b, x| b.emit(op("lgamma", x))), "E0714");
    assert_eq!(stops(&long, &|b, x| b.emit(op("reverse", x).attr("axes", ints(&[0])))), "E0714");
}

/// What a loop collects is counted with what each tensor takes besides its elements.
#[test]
fn what_loops_collect_counts() {
    let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
    let options = RunOptions { budget: Budget::new(limits), fuel: Some(1 << 20), ..Default::default() };
    let c = code(run_with(&[Tensor::scalar(0i64)], &options, &|b, x| {
        let params = [(b.ty(x[0]), "i")];
        let cond = b.region("cond", &params, |b, q| Ok(vec![b.eq(q[0], q[0])?]))?;
        let body = b.region("body", &params, |_, q| Ok(vec![q[0], q[0]]))?;
        b.emit(op("while", x).regions(vec![cond, body]))
    }));
    assert_eq!(c.0, "E0715");
    assert_eq!(options.budget.bytes(), 0);
}

#[test]
fn deep_calls_are_refused() {
    let m = module();
    let mut f = None;
    for i in 0..300 {
        let mut b = Builder::new(&m, &format!("f{i}"));
        let x = b.param(Type::scalar(DType::F64), "x");
        let y = match f {
            Some(g) => b.call(g, None, &[x]).expect("calls").0,
            None => vec![x],
        };
        f = Some(m.add(b.finish(y).expect("finishes")));
    }
    let r = Interp::new(&m).run(f.expect("defined"), &[Tensor::scalar(1.0)], &RunOptions::default());
    assert_eq!(code(r).0, "E0719");
}

#[test]
fn what_passes_expand_is_refused_by_name() {
    let m = module();
    let mut b = Builder::new(&m, "f");
    let x = b.param(Type::scalar(DType::F64), "x");
    let f = m.add(b.finish(vec![x]).expect("finishes"));
    let mut b = Builder::new(&m, "main");
    let x = b.param(Type::scalar(DType::F64), "x");
    let o = op("grad", &[x]).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(&[0usize]));
    let g = b.emit(o).expect("grad");
    let main = m.add(b.finish(g).expect("finishes"));
    let interp = Interp::new(&m);
    let (c, text) = code(interp.run(main, &[Tensor::scalar(1.0)], &RunOptions::default()));
    assert!(c == "E0801" && text.contains("`grad`") && text.contains("expand-ad"), "{text}");
    let main = m.func(main).expect("defined");
    assert_eq!(interp.missing(&main).iter().map(|x| x.0).collect::<Vec<_>>(), ["grad"]);
}

#[test]
fn outside_kernels_have_equal_rights() {
    static TWICE: OpDef =
        OpDef { name: "acme.twice", operands: &["x"], infer: |cx| Ok(vec![cx.ty(0)?]), ..OpDef::BASE };
    static FAMILY: tfc_ir::Family = &[&TWICE];
    let m = Module::new(Arc::new(OpSet::core().with(FAMILY).expect("free name")));
    let mut b = Builder::new(&m, "f");
    let x = b.param(Type::exact(DType::F64, &[2]), "x");
    let y = b.emit(NewOp::new(&TWICE, &[x])).expect("emits");
    let f = m.add(b.finish(y).expect("finishes"));
    let args = [f64s(&[2], &[1., 2.])];
    assert_eq!(code(Interp::new(&m).run(f, &args, &RunOptions::default())).0, "E0801");
    let twice = Kernels::core().with(&TWICE, |cx| {
        let v = cx.arg(0)?.to_logical::<f64>().unwrap_or_default();
        Ok(vec![Tensor::from_logical(cx.arg(0)?.shape(), v.iter().map(|x| 2.0 * x).collect()).unwrap()])
    });
    let r = Interp::new(&m).with_kernels(twice).run(f, &args, &RunOptions::default()).expect("runs");
    assert_eq!(list::<f64>(&r[0]), [2., 4.]);
    // A kernel that breaks its type is found out, and so is one that panics.
    let run = |k: Kernels| code(Interp::new(&m).with_kernels(k).run(f, &args, &RunOptions::default()));
    let says = |(c, text): (&str, String), code: &str, words: &str| {
        assert!(c == code && text.contains(words) && text.contains("come from outside of tfc"), "{text}");
    };
    let none = "the kernel of `acme.twice` gave 0 results where 1 are expected";
    let kernel = Kernels::core().with(&TWICE, |_| Ok(vec![Tensor::scalar(1f32)]));
    says(run(kernel), "E0802", "result 0 of the kernel of `acme.twice` is f32[] where f64[2] is expected");
    says(run(Kernels::core().with(&TWICE, |_| Ok(vec![]))), "E0802", none);
    let kernel = Kernels::core().with(&TWICE, |_| panic!("index {} out of range", 7));
    says(run(kernel), "E0721", "the kernel of `acme.twice` panicked: index 7 out of range");
    // The same on cpu.
    fn short(_: &Attrs, _: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(vec![])
    }
    fn wrong(_: &Attrs, x: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(vec![Tensor::zeros(x[0].dtype(), &[3])?])
    }
    fn panics(_: &Attrs, _: &[Tensor]) -> Result<Vec<Tensor>> {
        panic!("no reason")
    }
    for (k, c, text) in [
        (short as cpu::WholeFn, "E0802", none),
        (wrong, "E0802", "result 0 of the kernel of `acme.twice` is f64[3] where f64[2] is expected"),
        (panics, "E0721", "the kernel of `acme.twice` panicked: no reason"),
    ] {
        let options = cpu::CompileOptions { kernels: cpu::Kernels::core().with(&TWICE, k), ..Default::default() };
        let exe = cpu::Cpu::compile(&m, f, &options).expect("compiles");
        says(code(exe.run(&args, &cpu::RunOptions::default())), c, text);
    }
}
