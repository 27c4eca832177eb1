//! The driver's functions and its libraries, where there is no GPU: calls go to a stub that checks them, kernels run on this machine, and
//! routines of libraries are stand-ins. What comes out is compared with the interpreter.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::{cases, compiled, differs, run};
use tfc_api::Kernels;
use tfc_cuda::Cuda;
use tfc_cuda::driver::stub::Stub;
use tfc_cuda::driver::{Driver, Least};
use tfc_engine::{Backend, Executable, Limits, Options};
use tfc_interp::Oracle;
use tfc_ir::{C32, C64, DType, OpSet, Tensor};
use tfc_testkit::Need;

fn stub(watch: bool) -> Option<Arc<Driver<Stub>>> {
    Need::Cxx.found(Stub::new()).map(|s| Arc::new(Driver::with(s, watch, Some(Least::ALL))))
}
/// Samples of rows that libraries have a part in: `TFC_ROW=NAME` chooses one.
#[test]
fn libraries_agree() {
    let Some(device) = stub(false) else { return };
    let cuda = Cuda::new(device.clone());
    let ops = Arc::new(OpSet::core());
    let only = std::env::var("TFC_ROW").ok();
    let rows = ops.iter().filter(|d| match &only {
        Some(o) => d.name == o,
        None => d.name.starts_with("linalg.") || d.name.starts_with("fft.") || d.name == "dot_general",
    });
    let cases: Vec<_> = rows.flat_map(|d| cases(&ops, Some(d.name))).collect();
    let (mut wrong, mut same) = (vec![], 0);
    for (c, p) in cases.iter().zip(compiled(&cuda, &cases, 400)) {
        let p = match p {
            Ok(p) => p,
            Err(e) if e.data().code.name() == "E1304" => continue,
            Err(e) => panic!("{}: {e}", c.name),
        };
        // What is taken down runs the third time.
        for _ in 0..3 {
            match run(&p, &c.args) {
                Ok(got) => match c.want.iter().zip(&got).find_map(|(w, g)| differs(w, g)) {
                    None => same += 1,
                    Some(why) => wrong.push(format!("{}: {why}", c.name)),
                },
                Err(e) => wrong.push(format!("{}: {e} {:?}", c.name, e.data().notes)),
            }
        }
    }
    let called: BTreeSet<&str> = device.bindings().calls().into_iter().collect();
    println!("{same} calls agree; {called:?}");
    wrong.dedup();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    if only.is_none() {
        let all = [
            "cublasLtMatmul",
            "cublas trsm",
            "cusolverDnXpotrf",
            "cusolverDnXgetrf",
            "cusolverDnXgeqrf",
            "cusolverDn orgqr",
            "cusolverDnXsyevd",
            "cusolverDnXsyevBatched",
            "cusolverDn gesvdj",
            "cusolverDnXgeev",
            "cufftExec C2C",
            "cufftExec R2C",
            "cufftExec C2R",
        ];
        let never: Vec<_> = all.iter().filter(|c| !called.contains(*c)).collect();
        assert!(never.is_empty(), "never called: {never:?}");
    }
}

fn program(device: Arc<dyn tfc_cuda::device::Device>, text: &str) -> Box<dyn Executable> {
    let ops = Arc::new(OpSet::core());
    let mut m = tfc_frontend::text::parse_module(format!("tfir 1.0\n{text}").as_bytes(), &ops).unwrap().module;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let f = m.find("f").unwrap();
    Cuda::new(device).compile(m, f, &Options::default()).unwrap()
}
fn count(calls: &[&str], name: &str) -> usize {
    calls.iter().filter(|c| **c == name).count()
}
/// What older libraries lack is asked for before, and done otherwise where that can be.
#[test]
fn routines_that_not_every_library_has() {
    let Some(device) = stub(false) else { return };
    let p = |text: &str| program(device.clone(), text);
    let numbers = |dims: &[usize]| {
        let n = dims.iter().product::<usize>();
        Tensor::from_logical(dims, (0..n).map(|i| ((i * i * 31 + i * 7) % 23) as f64 / 5.0 - 2.0).collect::<Vec<_>>())
            .unwrap()
    };
    let eigh = p("func @f<n, b>(%a: f64[n, n, b]) -> (f64[n, b], f64[n, n, b]) {
           %w, %v = linalg.eigh(%a)
           return %w, %v
         }");
    let (tall, wide) = (numbers(&[6, 4]), numbers(&[4, 6]));
    let svd = p("func @f<m, n>(%a: f64[m, n]) -> (f64[m, min(m, n)], f64[min(m, n)], f64[min(m, n), n]) {
           %u, %s, %vt = linalg.svd(%a)
           return %u, %s, %vt
         }");
    let values = p("func @f<n>(%a: f64[n, n]) -> c64[n] {
           %w = linalg.eigvals(%a)
           return %w
         }");
    let all = |calls: &[&str], names: &[&str]| names.iter().map(|n| count(calls, n)).collect::<Vec<_>>();
    let agree = |a: &[Tensor], b: &[Tensor]| a.iter().zip(b).all(|(a, b)| differs(a, b).is_none());
    let a = numbers(&[5, 5, 3]);
    let first = run(&*eigh, std::slice::from_ref(&a)).unwrap();
    let known: Vec<_> = [&tall, &wide].map(|x| run(&*svd, std::slice::from_ref(x)).unwrap()).to_vec();
    let w = run(&*values, &[numbers(&[7, 7])]).unwrap();
    let names =
        ["cusolverDnXsyevBatched", "cusolverDnXsyevd", "cusolverDn gesvdj", "cusolverDnXgesvd", "cusolverDnXgeev"];
    assert_eq!(all(&device.bindings().calls(), &names), [1, 0, 2, 0, 1]);
    let trace: f64 = (0..7).map(|i| numbers(&[7, 7]).to_logical::<f64>().unwrap()[i * 8]).sum();
    let sum: tfc_ir::C64 = w[0].to_logical::<tfc_ir::C64>().unwrap().into_iter().sum();
    assert!((sum.re - trace).abs() < 1e-12 && sum.im.abs() < 1e-12, "{sum} {trace}");

    ["cusolverDnXsyevBatched", "cusolverDnDgesvdj", "cusolverDnXgeev"].iter().for_each(|s| device.bindings().lack(s));
    assert!(agree(&first, &run(&*eigh, &[a]).unwrap()));
    for (x, known) in [&tall, &wide].into_iter().zip(&known) {
        assert!(agree(known, &run(&*svd, std::slice::from_ref(x)).unwrap()));
    }
    let e = run(&*values, &[numbers(&[7, 7])]).unwrap_err();
    assert!(e.data().code.name() == "E1306" && e.data().notes[0].contains("cusolverDnXgeev"), "{e}");
    assert_eq!(all(&device.bindings().calls(), &names), [0, 3, 0, 2, 0]);
    // Without a library there are no values, and vectors there are not at all.
    let Ok(s) = Stub::new() else { return };
    let text = "func @f<n>(%a: f64[n, n]) -> c64[n] {
           %w = linalg.eigvals(%a)
           return %w
         }";
    let none = program(Arc::new(Driver::with(s, false, None)), text);
    let e = run(&*none, &[numbers(&[3, 3])]).unwrap_err();
    assert!(e.data().code.name() == "E1304" && e.data().notes[0].contains("cuSOLVER"), "{e}");
    let ops = Arc::new(OpSet::core());
    let text = "tfir 1.0\nfunc @f<n>(%a: f64[n, n]) -> c64[n, n] {
           %w, %v, %u = linalg.eig(%a)
           return %v
         }";
    let mut m = tfc_frontend::text::parse_module(text.as_bytes(), &ops).unwrap().module;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let f = m.find("f").unwrap();
    let e = Cuda::new(device).compile(m, f, &Options::default()).err().unwrap();
    assert!(e.data().code.name() == "E1304" && e.data().notes[0].contains("right vectors only"), "{e}");
}
/// What is added to a product is added by the call that makes it, where that lies as the product does, or is the same column
/// everywhere; and nobody else reads the product.
#[test]
fn sums_with_products() {
    let Some(device) = stub(false) else { return };
    let (beta, bias, none) = (Some("cublasLtMatmul, beta"), Some("cublasLtMatmul, bias"), None);
    let dot = "%p = dot_general(%a, %b, contract = [[1], [0]])";
    let square = "%a: T[n, k], %b: T[k, n], %c: T[n, n]";
    let line = "%a: T[n, k], %b: T[k, n], %c: T[n]";
    let part = "%a: T[n, k], %b: T[k, n], %c: T[n + 1]";
    let cut = "%e: T[n] = slice(%c, start = [1], limit = shape[n + 1])";
    let many = "%a: T[n, k, q], %b: T[k, n, q], %c: T[n, n]";
    let batched = "%p = dot_general(%a, %b, contract = [[1], [0]], batch = [[2], [2]])
        %d: T[n, n, q] = broadcast_in_dim(%c, dims = [0, 1])
        %y = add(%p, %d)";
    let wide = |axis: usize| format!("{dot}\n%d: T[n, n] = broadcast_in_dim(%c, dims = [{axis}])\n");
    // What it is, extents of the third operand, parameters, steps, what is called in f32 and in f64. Of complex numbers, no sums.
    let cases = [
        ("p + c", &[4, 4][..], square, format!("{dot}\n%y = add(%p, %c)"), [beta; 2]),
        ("c + p", &[4, 4], square, format!("{dot}\n%y = add(%c, %p)"), [beta; 2]),
        ("p - c", &[4, 4], square, format!("{dot}\n%y = sub(%p, %c)"), [beta; 2]),
        ("c - p", &[4, 4], square, format!("{dot}\n%y = sub(%c, %p)"), [beta; 2]),
        ("p * c", &[4, 4], square, format!("{dot}\n%y = mul(%p, %c)"), [none; 2]),
        ("p + p'", &[4, 4], square, format!("{dot}\n%t = transpose(%p, perm = [1, 0])\n%y = add(%p, %t)"), [none; 2]),
        ("sin(p + c)", &[4, 4], square, format!("{dot}\n%s = add(%p, %c)\n%y = sin(%s)"), [none; 2]),
        (
            "p, p + c",
            &[4, 4],
            square,
            format!("{dot}\n%s = add(%p, %c)\n%q = mul(%p, %s)\n%y = add(%q, %s)"),
            [none; 2],
        ),
        ("a column", &[4], line, wide(0) + "%y = add(%p, %d)", [bias, none]),
        ("a column - p", &[4], line, wide(0) + "%y = sub(%d, %p)", [bias, none]),
        ("p - a column", &[4], line, wide(0) + "%y = sub(%p, %d)", [none; 2]),
        // From an odd address.
        ("a part", &[5], part, format!("{cut}\n{}", wide(0).replace("%c", "%e")) + "%y = add(%p, %d)", [none; 2]),
        ("a row", &[4], line, wide(1) + "%y = add(%p, %d)", [none; 2]),
        ("one for many", &[4, 4], many, batched.into(), [beta; 2]),
    ];
    let ops = Arc::new(OpSet::core());
    let dtypes = ["f32", "f64", "c32", "c64"];
    let (mut plain, mut ready) = (vec![], vec![]);
    for dtype in dtypes {
        for (_, _, params, steps, _) in &cases {
            let more = if *params == many { ", q" } else { "" };
            let text = format!("func @f<n, k{more}>({params}) -> T[n, n{more}] {{\n{steps}\nreturn %y\n}}");
            let text = format!("tfir 1.0\n{}", text.replace("T[", &format!("{dtype}[")));
            let m = tfc_frontend::text::parse_module(text.as_bytes(), &ops).unwrap().module;
            ready.push(crate::common::ready(&m, m.find("f").unwrap()).unwrap());
            plain.push(m);
        }
    }
    let list: Vec<_> = ready.iter().map(|(m, f)| (m, *f)).collect();
    let all = Cuda::new(device.clone()).compile_all(&list, false).unwrap();
    let interp = Oracle(Kernels::default().interp);
    for (i, (exe, m)) in all.into_iter().zip(plain).enumerate() {
        let (dtype, (name, third, params, _, want)) = (dtypes[i / cases.len()], &cases[i % cases.len()]);
        let batch: &[usize] = if *params == many { &[2] } else { &[] };
        let numbers = |dims: &[usize], step: usize| {
            let n = dims.iter().product::<usize>();
            let z = |x: f64| C64::new(x, x * x - 1.0);
            let all: Vec<C64> = (0..n).map(|i| z(((i * step) % 23) as f64 / 7.0 - 1.5)).collect();
            match dtype {
                "f32" => Tensor::from_column_major(dims, all.iter().map(|z| z.re as f32).collect()).unwrap(),
                "f64" => Tensor::from_column_major(dims, all.iter().map(|z| z.re).collect()).unwrap(),
                "c32" => {
                    Tensor::from_column_major(dims, all.iter().map(|z| C32::new(z.re as f32, z.im as f32)).collect())
                        .unwrap()
                }
                _ => Tensor::from_column_major(dims, all).unwrap(),
            }
        };
        let (exe, f) = (exe.unwrap(), m.find("f").unwrap());
        let args = [numbers(&[&[4, 3], batch].concat(), 5), numbers(&[&[3, 4], batch].concat(), 11), numbers(third, 7)];
        // As they are stored, and with the last axis fastest.
        let by_rows = args.each_ref().map(|t| {
            tfc_ir::with_dtype!(t.dtype(), T => Tensor::from_logical(t.shape(), t.to_logical::<T>().unwrap()).unwrap())
        });
        let expected = run(&*interp.compile(m, f, &Options::default()).unwrap(), &args).unwrap();
        device.bindings().calls();
        let got = run(&exe, &args).unwrap();
        let calls = device.bindings().calls();
        assert_eq!(differs(&expected[0], &got[0]), None, "{dtype} {name}");
        let called = calls.iter().find(|c| c.starts_with("cublasLtMatmul, ")).copied();
        let want = if i / cases.len() < 2 { want[i / cases.len()] } else { none };
        assert_eq!(called, want, "{dtype} {name}: {calls:?}");
        assert!(called.is_none() || count(&calls, "cuLaunchKernel") == 0, "{dtype} {name}: {calls:?}");
        let got = run(&exe, &by_rows).unwrap();
        assert_eq!(differs(&expected[0], &got[0]), None, "{dtype} {name}, by rows");
    }
}
#[test]
fn the_third_call_is_a_graph() {
    let Some(device) = stub(false) else { return };
    let p = program(
        device.clone(),
        "func @g<n>(%x: f64[n]) -> f64[n] with (inline = never) {
           %y = exp(%x)
           %s = scan(%y, length = 3, carry = 1) {
             body(%c: f64[n]) {
               %d = sin(%c)
               yield %d
             }
           }
           return %s
         }
         func @f<n>(%x: f64[n], %a: f64[n, n]) -> (f64[n], f64[n, n], f64[n]) {
           %y = call(@g, %x)
           %t = transpose(%a, perm = [1, 0])
           %z = dot_general(%a, %y, contract = [[1], [0]])
           return %z, %t, %x
         }",
    );
    let call = |k: usize, n: usize| {
        let x = Tensor::from_logical(&[n], (0..n).map(|i| (i + k) as f64 / 7.0).collect::<Vec<_>>()).unwrap();
        let a =
            Tensor::from_logical(&[n, n], (0..n * n).map(|i| (i * k % 5) as f64 - 1.0).collect::<Vec<_>>()).unwrap();
        let out = run(&*p, &[x.clone(), a.clone()]).unwrap();
        let y: Vec<f64> = x.to_logical::<f64>().unwrap().iter().map(|x| x.exp().sin().sin().sin()).collect();
        let rows = a.to_logical::<f64>().unwrap();
        let z: Vec<f64> = rows.chunks(n).map(|r| r.iter().zip(&y).map(|(a, y)| a * y).sum()).collect();
        let got = out[0].to_logical::<f64>().unwrap();
        assert!(got.iter().zip(&z).all(|(g, w)| (g - w).abs() < 1e-13), "{k}: {got:?} {z:?}");
        assert!(out[1].same(&a.t()) && out[2].same(&x));
        device.bindings().calls()
    };
    let first = call(1, 3);
    let launches = count(&first, "cuLaunchKernel");
    assert!(launches > 3 && count(&first, "cuGraphLaunch") == 0);
    let second = call(2, 3);
    assert_eq!((count(&second, "cuStreamBeginCapture"), count(&second, "cuLaunchKernel")), (1, 2 * launches));
    for k in 3..6 {
        let later = call(k, 3);
        assert_eq!((count(&later, "cuGraphLaunch"), count(&later, "cuLaunchKernel")), (1, 0), "{later:?}");
        assert_eq!((count(&later, "cuMemAllocAsync"), count(&later, "cuMemcpyHtoDAsync")), (0, 2), "{later:?}");
    }
    // Other extents begin anew, and those of before are still there.
    assert_eq!(count(&call(1, 4), "cuGraphLaunch"), 0);
    assert_eq!(count(&call(7, 3), "cuGraphLaunch"), 1);
    // With a limit, steps are counted one by one.
    let limits = Limits { fuel: Some(100), ..Limits::default() };
    p.run(&[Tensor::full(&[3], 1.0).unwrap(), Tensor::full(&[3, 3], 1.0).unwrap()], &limits).unwrap();
    assert_eq!(count(&device.bindings().calls(), "cuGraphLaunch"), 0);
    drop(p);
    let end = device.bindings().calls();
    assert!(count(&end, "cuGraphExecDestroy") == 1 && count(&end, "cuMemFreeAsync") > 0, "{end:?}");
}
/// Where the library has no algorithm for a sum, it is made behind the product.
#[test]
fn sums_that_a_library_does_not_make() {
    let Some(device) = stub(false) else { return };
    let text = "func @f<n>(%a: f64[n, n], %c: f64[n, n]) -> f64[n, n] {
      %p = dot_general(%a, %a, contract = [[1], [0]])
      %y = add(%p, %c)
      return %y
    }";
    let full = |x: f64| Tensor::full(&[3, 3], x).unwrap();
    let mut sums = vec![];
    for lacking in [None, Some("cublasLtMatmul, beta"), Some("cublasLtMatmul")] {
        lacking.into_iter().for_each(|l| device.bindings().lack(l));
        let y = run(&*program(device.clone(), text), &[full(2.0), full(0.5)]).unwrap();
        assert!(y[0].same(&full(12.5)), "{y:?}");
        let calls = device.bindings().calls();
        sums.push(["cublasLtMatmul, beta", "cublasLtMatmul", "cuLaunchKernel"].map(|c| count(&calls, c)));
    }
    assert_eq!(sums, [[1, 0, 0], [0, 1, 1], [0, 0, 2]]);
}
/// What does not depend on an extent starts before the host waits for it.
#[test]
fn an_extent_is_fetched_while_other_work_goes_on() {
    let Some(device) = stub(false) else { return };
    let p = program(
        device.clone(),
        "func @f<n>(%x: f64[n], %k: i64[]) -> (f64[n], f64[?r]) {
           extent(%k, shape[?r])
           %y = sin(%x)
           %z: f64[?r] = iota(axis = 0)
           return %y, %z
         }",
    );
    let out = run(&*p, &[Tensor::full(&[4], 0.5).unwrap(), Tensor::scalar(3_i64)]).unwrap();
    assert_eq!(out[1].to_logical::<f64>().unwrap(), [0.0, 1.0, 2.0]);
    let e = run(&*p, &[Tensor::full(&[4], 0.5).unwrap(), Tensor::scalar(-3_i64)]).unwrap_err();
    assert_eq!(e.data().code.name(), "E0422", "{e}");
    let calls = device.bindings().calls();
    let first = calls.iter().position(|c| *c == "cuEventRecord").unwrap();
    // The sine, between what asks for the extent and what needs it.
    assert_eq!(calls[first + 1..first + 3], ["cuMemAllocAsync", "cuLaunchKernel"], "{calls:?}");
}
/// What may be computed for more of an extent than there is does not wait for it, where it is known what it is at most, and that is
/// not much; what comes out is what there is.
#[test]
fn steps_run_at_the_bound_of_an_extent() {
    let Some(device) = stub(false) else { return };
    let text = |ty: &str, steps: &str, out: &str| {
        format!("func @f<n>(%x: f64[n], %m: bool[n], %w: f64[n, 3]) -> {ty} {{\n{steps}\nreturn {out}\n}}")
    };
    let map = "%y: f64[?r] = compress(%x, %m)\n%z = exp(%y)";
    let rows = "%v: f64[?s, 3] = compress(%w, %m, axis = 0)\n%u = sin(%v)";
    let looped = "%y = scan(%x, length = 3, carry = 1) {
        body(%c: f64[n]) {
          %e = sin(%c)
          %b = gt(%e, %c)
          %t: f64[?t] = compress(%c, %b)
          %s = reduce_sum(%t, axes = [0])
          %o: f64[n] = broadcast_in_dim(%s, dims = [])
          %d = sub(%e, %o)
          yield %d
        }
      }";
    let all = format!("{map}\n{rows}\n%t = transpose(%u, perm = [1, 0])\n%s = reduce_sum(%z, axes = [0])");
    // Starts of kernels behind the last wait: what folds has to wait.
    let cases = [
        ("f64[?r]", map, "%z", 0),
        ("f64[?s, 3]", rows, "%u", 0),
        ("f64[?s, ?s]", &format!("{rows}\n%q = dot_general(%u, %v, contract = [[1], [1]])"), "%q", 0),
        (
            "f64[?s, 3]",
            &format!(
                "{rows}\n%g = dot_general(%w, %w, contract = [[0], [0]])
                 %q = dot_general(%u, %g, contract = [[1], [0]])\n%y = sub(%q, %v)"
            ),
            "%y",
            0,
        ),
        ("f64[]", &format!("{map}\n%s = reduce_sum(%z, axes = [0])"), "%s", 1),
        // An extent of every trip, and two of which one bounds the other.
        ("f64[n]", looped, "%y", 2),
        ("f64[?t]", &format!("{map}\n%b = gt(%z, %y)\n%t: f64[?t] = compress(%z, %b)"), "%t", 0),
        // And a transposed result is laid out as results are.
        ("(f64[?r], f64[3, ?s], f64[])", &all, "%z, %t, %s", 2),
    ];
    let numbers = |dims: &[usize]| {
        let n = dims.iter().product::<usize>();
        Tensor::from_column_major(dims, (0..n).map(|i| (i * i % 17) as f64 / 5.0 - 1.0).collect::<Vec<_>>()).unwrap()
    };
    let interp = Oracle(Kernels::default().interp);
    for (ty, steps, out, late) in cases {
        let text = text(ty, steps, out);
        let exe = program(device.clone(), &text);
        let ops = Arc::new(OpSet::core());
        let mut m = tfc_frontend::text::parse_module(format!("tfir 1.0\n{text}").as_bytes(), &ops).unwrap().module;
        tfc_passes::level(0).run(&mut m, &mut |_| {}).unwrap();
        let f = m.find("f").unwrap();
        let oracle = interp.compile(m, f, &Options::default()).unwrap();
        for (n, every) in [(12, 3), (12, 1), (12, 100), (0, 1), (1, 1)] {
            let mask =
                Tensor::from_column_major(&[n], (0..n).map(|i| i % every == every.min(2) - 1).collect::<Vec<_>>())
                    .unwrap();
            let args = [numbers(&[n]), mask, numbers(&[n, 3])];
            let want = run(&*oracle, &args).unwrap();
            device.bindings().calls();
            let got = run(&*exe, &args).unwrap();
            let calls = device.bindings().calls();
            for (w, g) in want.iter().zip(&got) {
                assert_eq!(differs(w, g), None, "{ty} {n} {every}");
            }
            let wait = calls.iter().rposition(|c| *c == "cuEventSynchronize").unwrap();
            if n == 12 && every == 1 {
                // With everything chosen, results lie as they are wanted.
                assert_eq!(count(&calls[wait..], "cuLaunchKernel"), late, "{ty}: {calls:?}");
            }
        }
    }
    // Where that may be much, steps wait.
    let (exe, n) = (program(device.clone(), &text("f64[?r]", map, "%z")), 1 << 18);
    let args = [numbers(&[n]), Tensor::full(&[n], true).unwrap(), Tensor::zeros(DType::F64, &[n, 3]).unwrap()];
    run(&*exe, &args).unwrap();
    let calls = device.bindings().calls();
    let wait = calls.iter().position(|c| *c == "cuEventSynchronize").unwrap();
    assert!(count(&calls[wait..], "cuLaunchKernel") > 1, "{calls:?}");
    // Conditions are checked when the extent is known, and before what goes wrong later.
    let wrong = program(
        device.clone(),
        "func @f<n>(%x: f64[n], %k: i64[], %a: f64[n, n]) -> (f64[?r], f64[n, n]) {
           extent(%k, shape[?r]) where ?r <= n
           %y: f64[?r] = iota(axis = 0)
           %l = linalg.cholesky(%a)
           return %y, %l
         }",
    );
    let a = |x: f64| Tensor::full(&[2, 2], x).unwrap();
    let call = |k: i64, x: f64| run(&*wrong, &[Tensor::full(&[2], 0.5).unwrap(), Tensor::scalar(k), a(x)]);
    for (k, code) in [(3, "E0420"), (-1, "E0422"), (1, "E0740")] {
        assert_eq!(call(k, 0.0).unwrap_err().data().code.name(), code, "{k}");
    }
    // In the order of the program.
    let two = program(
        device,
        "func @f<n, m>(%x: f64[n], %y: f64[m], %k: i64[], %l: i64[]) -> (f64[?r], f64[?s]) {
           extent(%k, shape[?r]) where ?r <= n
           extent(%l, shape[?s])
           guard() where ?r <= m
           %a: f64[?r] = iota(axis = 0)
           %b: f64[?s] = iota(axis = 0)
           return %a, %b
         }",
    );
    let full = |n: usize| Tensor::full(&[n], 0.5).unwrap();
    for (k, l, code) in [(3, -1, "E0422"), (3, 1, "E0420"), (10, -1, "E0420"), (-1, -1, "E0422")] {
        let e = run(&*two, &[full(9), full(2), Tensor::scalar(k as i64), Tensor::scalar(l as i64)]).unwrap_err();
        assert_eq!(e.data().code.name(), code, "{k} {l}: {e}");
    }
}
#[test]
fn memory_that_is_not_there_is_said_with_who_has_it() {
    let Ok(s) = Stub::with_memory(120_000) else { return };
    let device = Arc::new(Driver::with(s, false, None));
    let p = program(
        device.clone(),
        "func @f<n>(%x: f64[n, n]) -> f64[n, n] {
           %y = dot_general(%x, %x, contract = [[1], [0]])
           %z = dot_general(%y, %x, contract = [[1], [0]])
           %w = add(%z, %y)
           return %w
         }",
    );
    assert!(run(&*p, &[Tensor::full(&[40, 40], 1.0).unwrap()]).is_ok());
    let e = run(&*p, &[Tensor::full(&[80, 80], 1.0).unwrap()]).unwrap_err();
    let notes = e.data().notes.join("\n");
    assert_eq!(e.data().code.name(), "E0705");
    assert!(notes.contains("buffers of @f on the device") && notes.contains("51200  y"), "{e} {notes}");
    // All of it has been given back: the small one runs again.
    assert!(run(&*p, &[Tensor::full(&[40, 40], 1.0).unwrap()]).is_ok());
}
#[test]
fn a_fault_names_kernels() {
    use tfc_cuda::device::{Arg, Device, Shape};
    use tfc_cuda::text::{Kernel, Param, Source};
    for watch in [false, true] {
        let Some(device) = stub(watch) else { return };
        let kernel = |name: &str, body: &str| Kernel {
            name: name.into(),
            params: vec![Param { ty: "Out<f32>".into(), name: "x".into() }],
            body: body.into(),
        };
        let kernels =
            vec![kernel("good", "  x(0) = 1;\n"), kernel("bad", "  x(400) = 1;\n"), kernel("late", "  x(4) = 1;\n")];
        let m = device.load(&Source { kernels, ..Source::default() }).unwrap();
        let p = device.alloc(64).unwrap();
        let shape = Shape { grid: [1, 1, 1], block: [1, 1, 1] };
        let start = |name: &str| m.launch(name, shape, &[Arg::Ptr(p)]);
        start("good").unwrap();
        let mut b = [0; 4];
        device.download(p, &mut b).unwrap();
        let bad = start("bad");
        if watch {
            let e = bad.unwrap_err();
            let notes = e.data().notes.join("\n");
            assert!(notes.contains("one kernel was started: `bad`"), "{e} {notes}");
        } else {
            bad.unwrap();
            start("late").unwrap();
            let e = device.download(p, &mut b).unwrap_err();
            let notes = e.data().notes.join("\n");
            assert!(notes.contains("`bad`, `late`") && !notes.contains("`good`"), "{e} {notes}");
            assert!(e.data().help.as_ref().is_some_and(|h| h.contains("TFC_CUDA_WATCH")));
        }
        // The device goes on to work.
        device.download(p, &mut b).unwrap();
        assert_eq!(f32::from_le_bytes(b), 1.0);
        device.free(p);
    }
}
#[test]
fn devices_that_are_not_there() {
    for name in ["gpu", "-1"] {
        let e = tfc_cuda::backend::device_named(Some(name)).err().unwrap();
        assert!(e.data().code.name() == "E1305" && e.data().message.contains(name), "{e}");
    }
    // There may be a GPU, but not a hundred.
    let e = tfc_cuda::backend::device_named(Some("99")).err().unwrap();
    assert!(e.data().code.name() == "E1305" && !e.data().notes.is_empty(), "{e}");
}
