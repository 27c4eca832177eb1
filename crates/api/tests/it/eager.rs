//! Eager tensors: derivatives against known ones, differences and tangents; errors; the cache; histories of any length.
use tfc_api::prelude::*;
use tfc_ir::ops::{composite, elementwise as e, index, linalg, order, reduce, shape};
use tfc_ir::{Attr, Attrs, OpDef};

#[track_caller]
fn fails<T>(r: Result<T>, code: &str, words: &str) {
    let e = r.err().expect("an error is expected");
    assert_eq!(e.data().code.name(), code, "{e}");
    assert!(e.to_string().contains(words) && e.data().help.is_some(), "`{words}` and advice are expected: {e}");
}
fn ctx() -> EagerRuntime {
    EagerRuntime::with_cpu_backend(CpuBackend::new().threads(1))
}
fn rows<R: Rows>(r: R) -> Tensor {
    Tensor::from_rows(r).unwrap()
}
fn values(t: &Tensor) -> Vec<f64> {
    t.to_vec().unwrap()
}

/// What several threads add to one variable arrives, whoever comes first.
#[test]
fn threads_add_to_one_gradient() {
    let ctx = EagerRuntime::new();
    let variables: Vec<EagerTensor> = (0..3).map(|_| ctx.variable_from(Tensor::scalar(2.0)).unwrap()).collect();
    let (threads, times) = (4, 200);
    std::thread::scope(|s| {
        for k in 0..threads {
            let variables = &variables;
            s.spawn(move || {
                for _ in 0..times {
                    // In another order each: the sums are taken in one.
                    let mut sum = &variables[k % 3] * 1.0;
                    for i in 1..3 {
                        sum = sum.unwrap() + &variables[(k + i) % 3];
                    }
                    sum.unwrap().backward().unwrap();
                }
            });
        }
    });
    for v in variables {
        assert_eq!(v.grad().unwrap().item(), Some((threads * times) as f64));
    }
}
#[test]
fn gradients_add_up_until_they_are_cleared() {
    let c = ctx();
    let x = EagerTensor::requires_grad_in(rows([1.0, 2.0, 3.0]), &c).unwrap();
    for round in 1..=2 {
        let doubled = (&x + &x).unwrap();
        doubled.reduce_sum([0]).unwrap().backward().unwrap();
        assert_eq!(values(&x.grad().unwrap()), [2.0 * f64::from(round); 3]);
    }
    assert_eq!(values(&x.grad().unwrap()), [4.0; 3]);
    x.clear_grad();
    fails(x.grad(), "E1032", "no `backward` has reached");
    (&x * &x).unwrap().sum().unwrap().backward().unwrap();
    assert_eq!(values(&x.grad().unwrap()), [2.0, 4.0, 6.0]);
    c.clear_grads();
    assert!(x.grad_optional().is_none());
}

#[test]
fn one_plan_serves_every_shape() {
    let c = ctx();
    for n in [2usize, 3, 2, 50, 3, 0] {
        let x = c.variable_from(Tensor::full(&[n], 3.0).unwrap()).unwrap();
        let y = (&x * &x).unwrap();
        y.reduce_sum([0]).unwrap().backward().unwrap();
        assert_eq!(values(&x.grad().unwrap()), vec![6.0; n]);
    }
    // `mul`, `reduce_sum`, and `add` where both cotangents of a square meet.
    let s = c.cache_stats();
    assert_eq!((s.misses, s.entries, s.evicted), (3, 3, 0), "{s:?}");
    assert_eq!(s.hits, 15);
    // More layouts than have memory of their own.
    for n in 4..40usize {
        let t = c.constant_from(Tensor::full(&[2, n], 1.5).unwrap());
        assert_eq!(values((&t + &t).unwrap().tensor()), vec![3.0; 2 * n]);
        let t = c.constant_from(Tensor::full(&[n, 2], 1.5).unwrap().t());
        assert_eq!(values((&t + &t).unwrap().tensor()), vec![3.0; 2 * n]);
    }
    assert_eq!(c.cache_stats().misses, 4);
    c.set_cache_limit(1);
    assert_eq!((c.cache_stats().entries, c.cache_stats().evicted), (1, 3));
    c.clear_caches();
    assert_eq!(c.cache_stats().entries, 0);
}

#[test]
fn what_is_wrong_is_said() {
    let (c, other) = (ctx(), ctx());
    let x = c.variable_from(rows([1.0, 2.0])).unwrap();
    let y = other.variable_from(rows([1.0, 2.0])).unwrap();
    fails(&x + &y, "E1031", "`add`");
    assert!(!x.same_context(&y) && x.same_context(&y.detach_into(&c)));
    fails(x.backward(), "E1030", "f64[2]");
    fails(c.grad(&x, &[&x]), "E1030", "f64[2]");
    fails(c.constant_from(Tensor::scalar(1.0)).backward(), "E1032", "from no variable");
    fails(c.variable_from(rows([1, 2])), "E1036", "i32");
    let short = c.constant_from(rows([1.0]));
    fails(x.backward_with(&short), "E1033", "cotangent");
    fails(c.vjp(&x, &[&x], &short), "E1033", "cotangent");
    fails(c.jvp(&[&x], &[&x], &[&short]), "E1033", "tangent");
    fails(c.jvp(&[&x], &[&x], &[]), "E1033", "0 tangents");
    fails(c.grad(&x.sum().unwrap(), &[&c.variable_from(rows([0.0])).unwrap()]), "E1032", "tensor 0");
    fails(x.matmul(&c.constant_from(Tensor::scalar(1.0))), "E1028", "matrix product");
    fails(x.broadcast_to(&[3]), "E1026", "[3]");
    fails(x.slice(&[Slice::At(2)]), "E1023", "2 lies outside");
    fails(&c.constant_from(rows([1])) + 2.5, "E1029", "2.5");
    let (line, e) = (line!(), (&x + &y).unwrap_err());
    assert!(e.to_string().contains(&format!("called at {}:{line}:", file!())), "{e}");
    // Errors of ops name the shapes that met, although the plan serves any.
    let three = c.constant_from(rows([1.0, 2.0, 3.0]));
    let e = (&x + &three).unwrap_err();
    assert_eq!(e.data().code.name(), "E1026");
    assert!(e.to_string().contains('2') && e.to_string().contains('3'), "{e}");
    assert_eq!((&x + &c.constant_from(rows([1.0f32, 2.0]))).unwrap_err().data().code.name(), "E0202");
}

#[test]
fn only_what_is_followed_is_remembered() {
    let c = ctx();
    let x = c.variable_from(rows([2.0, 3.0])).unwrap();
    assert!(x.tracks_grad() && !x.detach().tracks_grad());
    let quiet = c.no_grad();
    assert!(!x.exp().unwrap().tracks_grad());
    drop(quiet);
    // A comparison has no derivative.
    assert!(!x.gt(&x).unwrap().tracks_grad());
    let y = (&x.detach() * &x).unwrap();
    y.sum().unwrap().backward().unwrap();
    assert_eq!(values(&x.grad().unwrap()), [2.0, 3.0]);
    assert_eq!(format!("{x:?}"), "variable f64[2] = [2.0, 3.0]");
}

/// The gradients of a weighted sum of `f`, against central differences and against tangents.
#[track_caller]
fn against_differences(at: &[Tensor], f: impl Fn(&[EagerTensor]) -> Result<EagerTensor>) {
    let c = ctx();
    let loss = |xs: &[Tensor]| -> (Vec<EagerTensor>, EagerTensor) {
        let vars: Vec<_> = xs.iter().map(|t| c.variable_from(t.clone()).unwrap()).collect();
        let y = f(&vars).unwrap();
        let w = Tensor::from_fn(y.shape(), |i| 1.0 + i.iter().sum::<usize>() as f64 / 3.0).unwrap();
        let s = (&y * &c.constant_from(w)).unwrap().sum().unwrap();
        (vars, s)
    };
    let (vars, s) = loss(at);
    let got = c.grad(&s, &vars.iter().collect::<Vec<_>>()).unwrap();
    for (k, x) in at.iter().enumerate() {
        let g = values(got[k].tensor());
        for j in 0..x.len() {
            let with = |h: f64| {
                let (mut xs, mut v) = (at.to_vec(), values(x));
                v[j] += h;
                xs[k] = Tensor::from_vec_row_major(x.shape(), v).unwrap();
                loss(&xs).1.item::<f64>().unwrap()
            };
            let want = (with(1e-5) - with(-1e-5)) / 2e-5;
            assert!((g[j] - want).abs() <= 1e-6 * want.abs().max(1.0), "operand {k}, element {j}: {} {want}", g[j]);
            let mut v = vec![0.0; x.len()];
            v[j] = 1.0;
            let v = c.constant_from(Tensor::from_vec_row_major(x.shape(), v).unwrap());
            let d = c.jvp(&[&s], &[&vars[k]], &[&v]).unwrap()[0].item::<f64>().unwrap();
            assert!((g[j] - d).abs() <= 1e-9 * d.abs().max(1.0), "operand {k}, element {j}: {} by tangents {d}", g[j]);
        }
    }
}
fn made(shape: &[usize], seed: usize) -> Tensor {
    let number = |i: &[usize]| i.iter().fold(seed, |n, &i| 7 * n + i + 1);
    Tensor::from_fn(shape, |i| 0.3 + ((number(i) * 37) % 101) as f64 / 90.0).unwrap()
}
fn one(row: &'static OpDef, xs: &[EagerTensor], attrs: Attrs) -> Result<EagerTensor> {
    let all: Vec<&EagerTensor> = xs.iter().collect();
    Ok(xs[0].runtime().apply(row, &all, &attrs, None)?.remove(0))
}

#[test]
fn gradients_of_methods() {
    let (a, b) = (made(&[2, 3], 1), made(&[2, 3], 2));
    let both = [a.clone(), b];
    against_differences(&both, |x| &(&x[0] * &x[1])? + &x[0].sin()?);
    against_differences(&both, |x| x[0].div(&x[1])?.pow(&x[0]));
    against_differences(&both, |x| (&x[0] * 2.5)?.tanh()? - &(1.0 / &x[1])?);
    against_differences(&both, |x| x[0].matmul(&x[1].t()?));
    against_differences(&[made(&[4, 2, 3], 1), made(&[4, 3, 2], 5)], |x| x[0].matmul(&x[1]));
    against_differences(&[made(&[2, 3], 1), made(&[3], 5)], |x| x[0].matmul(&x[1])?.matmul(&x[0]));
    against_differences(&both, |x| x[0].reshape(&[3, 2])?.matmul(&x[1]));
    against_differences(&both, |x| x[0].reshape_c(&[6])?.exp()? * x[1].reshape(&[6])?);
    against_differences(&both, |x| {
        x[0].mean([1])?.broadcast_to(&[3, 2])? + x[1].reduce_max([1])?.broadcast_to(&[3, 2])?
    });
    against_differences(&both, |x| x[0].softmax(1)? * x[1].logsumexp([0])?.broadcast_to(&[2, 3])?);
    against_differences(&both, |x| {
        x[0].slice(&[Slice::At(1), Slice::ALL.by(-2)])?.concat(&[&x[1].reduce_prod([0])?], 0)
    });
    against_differences(&both, |x| x[0].gt(&x[1])?.select(&x[0], &(&x[1] * &x[1])?));
    against_differences(std::slice::from_ref(&a), |x| x[0].reverse([0])?.silu()? * x[0].logistic()?);
    against_differences(&[a], |x| &(&x[0] * &x[0])? * &x[0].convert(DType::F64)?);
}

#[test]
fn gradients_of_rows() {
    let square = || {
        let mut v = values(&made(&[3, 3], 4));
        (0..3).for_each(|i| v[4 * i] += 3.0);
        Tensor::from_vec_row_major([3, 3], v).unwrap()
    };
    let along = |a: i64| Attrs::of([("axis", Attr::Int(a))]);
    let over = |a: &[usize]| Attrs::of([("axes", Attr::ints(a))]);
    against_differences(&[square(), made(&[3, 2], 9)], |x| one(&linalg::SOLVE, x, Attrs::none()));
    against_differences(&[square()], |x| one(&linalg::INV, x, Attrs::none()));
    let svd = |x: &EagerTensor| x.runtime().apply(&linalg::SVD, &[x], &Attrs::none(), None);
    against_differences(&[square()], |x| Ok(svd(&x[0])?.remove(1)));
    against_differences(&[made(&[5], 3)], |x| one(&order::CUMPROD, x, along(0)));
    against_differences(&[made(&[2, 5], 3)], |x| one(&composite::VAR, x, over(&[1])));
    against_differences(&[made(&[3, 3], 3)], |x| one(&shape::TRIL, x, Attrs::none()));
    // How many elements there are only running tells.
    against_differences(&[made(&[4], 3)], |x| {
        let mask = x[0].runtime().constant_from(rows([true, false, true, true]));
        let found = x[0].runtime().apply(&index::COMPRESS, &[&x[0], &mask], &along(0), None)?;
        found[0].exp()
    });
    against_differences(&[made(&[2, 3], 3)], |x| one(&reduce::REDUCE_PROD, x, over(&[0, 1])));
    against_differences(&[made(&[2], 3), made(&[2], 4)], |x| one(&e::ATAN2, x, Attrs::none()));
}

/// An svd of which values and vectors are used runs once forward, and its transpose once.
#[test]
fn factorisations_run_once() {
    let c = ctx();
    let x = c.variable_from(rows([[3.0, 1.0], [0.5, 1.0]])).unwrap();
    c.set_profile(true);
    let usv = c.apply(&linalg::SVD, &[&x], &Attrs::none(), None).unwrap();
    let back = (&usv[0] * &usv[1].broadcast_to(&[2, 2]).unwrap()).unwrap().matmul(&usv[2]).unwrap();
    back.sum().unwrap().backward().unwrap();
    let profile = c.take_profile();
    let calls = |name: &str| profile.iter().find(|p| p.name == name).map(|p| p.calls);
    let name = linalg::SVD.name;
    assert_eq!((calls(name), calls(&format!("{name} (backward)"))), (Some(1), Some(1)), "{profile:?}");
    assert!(profile.is_sorted_by_key(|p| std::cmp::Reverse(p.total)));
    // What is put together again is the matrix itself.
    assert!(values(back.tensor()).iter().zip([3.0, 1.0, 0.5, 1.0]).all(|(a, b)| (a - b).abs() < 1e-12));
    assert!(values(&x.grad().unwrap()).iter().all(|g| (g - 1.0).abs() < 1e-10), "{}", x.grad().unwrap());
    assert!(c.take_profile().is_empty());
}

#[test]
fn complex_gradients_point_uphill() {
    let c = ctx();
    let z = c.variable_from(rows([C64::new(1.0, 2.0)])).unwrap();
    let size = (&z * &z.conj().unwrap()).unwrap().real().unwrap().sum().unwrap();
    size.backward().unwrap();
    assert_eq!(z.grad().unwrap().to_vec::<C64>().unwrap(), [C64::new(2.0, 4.0)]);
}

#[test]
fn long_histories_end_without_a_deep_stack() {
    let c = ctx();
    let x = c.variable_from(Tensor::scalar(1.0)).unwrap();
    let mut y = x.clone();
    for _ in 0..200_000 {
        y = (&y + &x).unwrap();
    }
    y.backward().unwrap();
    assert_eq!(x.grad().unwrap().item(), Some(200_001.0));
    drop(y);
}

#[test]
fn threads_share_a_runtime() {
    let c = EagerRuntime::new();
    let one = |k: usize| {
        let x = c.variable_from(made(&[k + 1, 4], k)).unwrap();
        let y = x.exp().unwrap().matmul(&x.t().unwrap()).unwrap();
        y.sum().unwrap().backward().unwrap();
        values(&x.grad().unwrap())
    };
    let alone: Vec<_> = (0..8).map(one).collect();
    let together: Vec<_> = std::thread::scope(|s| {
        let one = &one;
        let all: Vec<_> = (0..8).map(|k| s.spawn(move || one(k))).collect();
        all.into_iter().map(|h| h.join().unwrap()).collect()
    });
    assert_eq!(alone, together);
}

#[test]
fn operands_are_repeated_and_derivatives_follow() -> Result<()> {
    let c = EagerRuntime::new();
    let a = c.variable_from(Tensor::from_rows([[1.0, 2.0], [3.0, 4.0]])?)?;
    let v = c.variable_from(Tensor::from_rows([10.0, 20.0])?)?;
    let y = (&a * &v + &a)?;
    assert_eq!(y.tensor().to_vec::<f64>()?, [11.0, 42.0, 33.0, 84.0]);
    y.sum()?.backward()?;
    assert_eq!(v.grad()?.to_vec::<f64>()?, [4.0, 6.0]);
    assert_eq!(a.grad()?.to_vec::<f64>()?, [11.0, 21.0, 11.0, 21.0]);
    assert_eq!(a.lt(&v)?.select(&v, &a)?.tensor().to_vec::<f64>()?, [10.0, 20.0, 10.0, 20.0]);
    Ok(())
}
#[test]
fn numbers_take_the_dtype_of_the_tensor_beside_them() -> Result<()> {
    let c = EagerRuntime::new();
    let x = c.constant_from(Tensor::from_rows([1.0, 2.0])?);
    let n = c.constant_from(Tensor::from_rows([7_i64, 9])?);
    let f64s = |t: EagerTensor| t.tensor().to_vec::<f64>();
    assert_eq!(f64s((2 * &x)?)?, [2.0, 4.0]);
    assert_eq!(f64s(((1.0 - x.clone())? * 3)?)?, [0.0, -3.0]);
    assert_eq!(f64s((x.clone() / 4 + x.clone())?)?, [1.25, 2.5]);
    assert_eq!(f64s(((&x * &x)? - &x * 2.0)?)?, [-1.0, 0.0]);
    assert_eq!((&n % 4)?.tensor().to_vec::<i64>()?, [3, 1]);
    assert_eq!((&n * 2.5).unwrap_err().data().code.name(), "E1029");
    assert_eq!((&x * C64::new(0.0, 1.0)).unwrap_err().data().code.name(), "E1029");
    let z = (x.complex(&x)? * C64::new(0.0, 1.0))?;
    assert_eq!(f64s(z.real()?)?, [-1.0, -2.0]);
    Ok(())
}
#[test]
fn rows_have_their_options_and_types() -> Result<()> {
    let c = EagerRuntime::new();
    let x = c.variable_from(Tensor::from_rows([1.0, 2.0, 4.0, 8.0])?)?;
    let sums = x.cumsum_with(0, options::Cumsum::new().reverse(true))?;
    assert_eq!(sums.tensor().to_vec::<f64>()?, [15.0, 14.0, 12.0, 8.0]);
    sums.sum()?.backward()?;
    assert_eq!(x.grad()?.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
    // An extent that is an attribute, and axes as any list of integers.
    let back = x.rfft([0])?.irfft(vec![0_i64], 4)?;
    assert!(back.sub(&x)?.abs()?.reduce_max([0])?.item::<f64>().is_some_and(|e| e < 1e-14));
    let [u, s, vt] = x
        .reshape(&[2, 2])?
        .svd_trunc_with(&c.constant_from(Tensor::scalar(0.5)), options::SvdTrunc::new().rule("relative"))?;
    assert_eq!((u.shape(), s.shape(), vt.shape()), (&[2, 1][..], &[1][..], &[1, 2][..]));
    // Extents that run at once are numbers, none of them negative.
    let e = x.slice_range([-1], [2]).unwrap_err();
    assert_eq!(e.data().code.name(), "E0223", "{e}");
    let e = x.svd_trunc_with(&x, options::SvdTrunc::new().rule("nearly")).unwrap_err();
    assert!(e.to_string().contains(file!()), "{e}");
    Ok(())
}
