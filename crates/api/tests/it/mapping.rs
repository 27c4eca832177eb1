//! The page `docs/mapping.md`: the expressions of its last column are those that run here, one by one.
use std::collections::BTreeSet;
use tfc_api::prelude::*;

/// Without what a formatter may change.
fn plain(s: &str) -> String {
    s.chars().filter(|c| !c.is_whitespace()).collect()
}
/// The code in the last cell of each row.
fn cells(page: &str) -> Vec<String> {
    let rows = page.lines().filter(|l| l.starts_with("| ") && l.contains('`'));
    let last = |l: &str| {
        let l = l.replace("\\|", "\u{1}");
        let cell = l.trim_end_matches(" |").rsplit('|').next().unwrap_or_default().trim().to_owned();
        plain(&cell.trim_matches('`').replace('\u{1}', "|"))
    };
    rows.map(last).collect()
}
fn vector(v: &[f64]) -> TracedTensor {
    TracedTensor::from_vec_col_major([v.len()], v.to_vec()).unwrap()
}
fn numbers(t: &TracedTensor) -> Vec<f64> {
    let program = GraphCompiler::new().compile(t).unwrap();
    GraphExecutor::new(CpuBackend::new()).run(&program).unwrap().to_logical().unwrap()
}
fn near(got: &[f64], want: &[f64]) {
    let close = |(g, w): (&f64, &f64)| (g - w).abs() <= 1e-12 * w.abs().max(1.0);
    assert!(got.len() == want.len() && got.iter().zip(want).all(close), "{got:?} is not {want:?}");
}

#[test]
#[allow(clippy::too_many_lines, reason = "one line a row of the page")]
fn every_row_runs() -> Result<()> {
    let mut seen = BTreeSet::new();
    macro_rules! row {
        ($e:expr) => {{
            seen.insert(plain(stringify!($e)));
            $e
        }};
        ($e:expr, $want:expr) => {
            near(&numbers(&row!($e)), &$want)
        };
    }
    let (x, y) = (vector(&[1.0, 2.0]), vector(&[3.0, -1.0]));
    let matrix = |v: [f64; 4]| TracedTensor::from_tensor(Tensor::from_logical(&[2, 2], v.to_vec()).unwrap());
    let (a, b) = (matrix([4.0, 2.0, 2.0, 5.0]), matrix([1.0, 2.0, 3.0, 4.0]));
    let s = TracedTensor::from_vec_col_major([], vec![10.0])?;
    let n = 3;
    let e = |x: f64| x.exp();
    row!(x.exp()?, [e(1.0), e(2.0)]);
    row!((&x * &y)?, [3.0, -2.0]);
    row!(((2.0 * &x)? + 1.0)?, [3.0, 5.0]);
    row!((&a + &x)?, [5.0, 4.0, 3.0, 7.0]);
    row!(a.reduce_sum([0])?, [6.0, 7.0]);
    row!(x.sum()?, [3.0]);
    row!(a.mean([0, 1])?, [3.25]);
    row!(a.reduce_max([1])?, [4.0, 5.0]);
    let at = row!(x.argmax(0)?);
    row!(x.cumsum(0)?, [1.0, 3.0]);
    near(&numbers(&row!(x.sort(&[])?)[0]), &[1.0, 2.0]);
    row!(a.matmul(&b)?, [10.0, 16.0, 17.0, 24.0]);
    row!(GraphCompiler::new().einsum(&[&a, &b, &x], "ij,jk,k->i")?, [42.0, 65.0]);
    row!(a.einsum(&[&x], "ij,j->ij")?, [4.0, 4.0, 2.0, 10.0]);
    row!(a.transpose([1, 0])?, [4.0, 2.0, 2.0, 5.0]);
    near(&numbers(&b.reshape_c([4])?), &[1.0, 2.0, 3.0, 4.0]);
    row!(a.reshape_c([4])?, [4.0, 2.0, 2.0, 5.0]);
    near(&numbers(&b.reshape([4])?), &[1.0, 3.0, 2.0, 4.0]);
    row!(a.reshape([4])?, [4.0, 2.0, 2.0, 5.0]);
    row!(x.broadcast_to([3, 2])?, [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    row!(x.concat(&[&y], 0)?, [1.0, 2.0, 3.0, -1.0]);
    row!(x.slice_range([1], [2])?, [2.0]);
    let i = at;
    row!(x.take(&i, 0)?, [2.0]);
    row!(x.gt(&y.zeros_like()?)?.select(&x, &y)?, [1.0, 2.0]);
    assert_eq!(row!(x.convert(DType::F32)?).dtype(), DType::F32);
    let [_, values, _] = row!(a.svd()?);
    let root = 17.0_f64.sqrt();
    near(&numbers(&values), &[(9.0 + root) / 2.0, (9.0 - root) / 2.0]);
    row!(a.cholesky()?, [2.0, 0.0, 1.0, 2.0]);
    row!(a.solve(&b)?, [-0.0625, 0.125, 0.625, 0.75]);
    row!(a.lstsq(&b)?, [-0.0625, 0.125, 0.625, 0.75]);
    row!(a.pinv()?, [0.3125, -0.125, -0.125, 0.25]);
    row!(x.norm()?, [5.0_f64.sqrt()]);
    row!(a.trace()?, [9.0]);
    let z = x.complex(&y)?;
    near(&numbers(&row!(z.fft([0])?).real()?), &[3.0, -1.0]);
    row!(x.softmax(0)?, [1.0 / (1.0 + e(1.0)), e(1.0) / (1.0 + e(1.0))]);
    row!(x.stop_gradient()?, [1.0, 2.0]);
    let ad = AdContext::default();
    let out = (&x * &x)?;
    let loss = out.sum()?;
    let (dx, ct) = (vector(&[1.0, 10.0]), vector(&[1.0, -1.0]));
    row!(ad.grad(&loss, &x)?, [2.0, 4.0]);
    let (value, grads) = row!(ad.value_and_grad(&loss, &[&x])?);
    near(&[numbers(&value), numbers(&grads[0])].concat(), &[5.0, 2.0, 4.0]);
    row!(ad.vjp(&out, &x, &ct)?, [2.0, -4.0]);
    row!(ad.jvp(&out, &x, &dx)?, [2.0, 40.0]);
    near(&numbers(&row!(ad.hvp(&loss, &x, &dx)?).1), &[2.0, 20.0]);
    near(&numbers(&row!(ad.jacobian(&out, &x, Sparsity::Found)?)), &[2.0, 0.0, 0.0, 4.0]);
    near(&numbers(&row!(ad.hessian(&loss, &x, Sparsity::Found)?)), &[2.0, 0.0, 0.0, 2.0]);
    near(&numbers(&row!(ad.linearize(&out, &x)?).1.apply(&dx)?), &[2.0, 40.0]);
    let [y] = row!(custom_jvp("f", [&x], |[x]| Ok([x.sin()?]), |[x], d| Ok(([x.sin()?], vec![(&x.cos()? * &d[0])?])))?);
    near(&numbers(&ad.jvp(&y, &x, &dx)?), &numbers(&(&x.cos()? * &dx)?));
    let [y] = row!(custom_vjp(
        "f",
        [&x],
        |[x]| Ok([x.sin()?]),
        |[x]| Ok(([x.sin()?], vec![x.clone()])),
        |r, c| Ok(vec![(&r[0].cos()? * &c[0])?])
    )?);
    near(&numbers(&ad.vjp(&y, &x, &dx)?), &numbers(&(&x.cos()? * &dx)?));
    let w = vector(&[3.0, 5.0]);
    near(&numbers(&row!(vmap([&w, &x], &[None, Some(0)], &[], |[w, x]| Ok([(w * x)?]))?)[0]), &[3.0, 5.0, 6.0, 10.0]);
    near(&numbers(&row!(checkpoint([&x], |[x]| Ok([x.exp()?]))?)[0]), &[e(1.0), e(2.0)]);
    let p = s.gt(&TracedTensor::scalar(0.0)?)?;
    near(&numbers(&row!(cond(&p, || Ok([x.exp()?]), || Ok([x.clone()]))?)[0]), &[e(1.0), e(2.0)]);
    near(&numbers(&row!(fori_loop(n, [&x], |_, [c]| Ok([(c * 2.0)?]))?)[0]), &[8.0, 16.0]);
    let (last, seen_sums) = row!(scan([&s], [&x], |[c], [e]| Ok(([(c + e)?], [c.clone()])))?);
    near(&[numbers(&last[0]), numbers(&seen_sums[0])].concat(), &[13.0, 10.0, 11.0]);
    let program = row!(GraphCompiler::new().compile(&out)?);
    let executor = GraphExecutor::new(CpuBackend::new());
    near(&row!(executor.run(&program)?).to_vec::<f64>()?, &[1.0, 4.0]);
    assert_eq!(row!(Tensor::zeros(DType::F64, &[2, 3])?).shape(), [2, 3]);
    let t = row!(Tensor::from_rows([[1.0, 2.0], [3.0, 4.0]])?);
    near(&row!(Tensor::linspace(0.0, 1.0, 5)?).to_vec::<f64>()?, &[0.0, 0.25, 0.5, 0.75, 1.0]);
    let (u, mut ctx) = (Tensor::from_rows([10, 20])?, DirectContext::new());
    near(&row!(t.add(&u, &mut ctx)?).to_vec::<f64>()?, &[11.0, 22.0, 13.0, 24.0]);
    near(&row!(t.matmul(&u, &mut ctx)?).to_vec::<f64>()?, &[50.0, 110.0]);
    let rt = EagerRuntime::new();
    let v = row!(rt.variable_from(t.clone())?);
    let w = rt.constant_from(t.clone());
    row!((&v * &w)?.sum()?.backward()?);
    near(&row!(v.grad()?).to_vec::<f64>()?, &[1.0, 2.0, 3.0, 4.0]);
    assert!(!row!(v.detach()).tracks_grad());
    {
        let _guard = row!(rt.no_grad());
        assert!(!(&v * &w)?.tracks_grad());
    }
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mapping.md")).unwrap();
    let listed: BTreeSet<String> = cells(&page).into_iter().collect();
    let idle: Vec<_> = listed.difference(&seen).collect();
    let missing: Vec<_> = seen.difference(&listed).collect();
    assert!(idle.is_empty() && missing.is_empty(), "not run: {idle:?}\nnot on the page: {missing:?}");
    Ok(())
}
