//! `tfc grad --check`: the forward derivative against differences of the function itself, and forward against reverse
//! by ⟨ȳ, Jẋ⟩ = ⟨Jᵀȳ, ẋ⟩ with ⟨a, b⟩ = Re(conj(a)·b).
use crate::session::Done;
use tfc_frontend::data::random::{Distribution, generate};
use tfc_ir::{Budget, C32, C64, DType, Func, Result, Tensor};

/// One comparison.
#[derive(Debug)]
pub(super) struct Finding {
    /// What is compared.
    pub(super) what: String,
    /// The error found, relative to the larger side.
    pub(super) error: f64,
    /// What is allowed.
    pub(super) allowed: f64,
}
impl Finding {
    pub(super) fn passes(&self) -> bool {
        self.error <= self.allowed
    }
}

/// The three programs, as functions of arguments.
pub(super) struct Programs<'a> {
    pub(super) primal: &'a dyn Fn(&[Tensor]) -> Done<Vec<Tensor>>,
    pub(super) jvp: &'a dyn Fn(&[Tensor]) -> Done<Vec<Tensor>>,
    pub(super) vjp: &'a dyn Fn(&[Tensor]) -> Done<Vec<Tensor>>,
}

/// Elements as complex numbers in logical order.
fn numbers(t: &Tensor) -> Vec<C64> {
    match t.dtype() {
        DType::F32 => t.to_logical::<f32>().unwrap_or_default().into_iter().map(|x| C64::new(x as f64, 0.0)).collect(),
        DType::F64 => t.to_logical::<f64>().unwrap_or_default().into_iter().map(|x| C64::new(x, 0.0)).collect(),
        DType::C32 => {
            t.to_logical::<C32>().unwrap_or_default().into_iter().map(|z| C64::new(z.re as f64, z.im as f64)).collect()
        }
        DType::C64 => t.to_logical::<C64>().unwrap_or_default(),
        _ => vec![],
    }
}
fn tensor(dtype: DType, shape: &[usize], v: Vec<C64>) -> Result<Tensor> {
    match dtype {
        DType::F32 => Tensor::from_logical(shape, v.into_iter().map(|z| z.re as f32).collect()),
        DType::F64 => Tensor::from_logical(shape, v.into_iter().map(|z| z.re).collect()),
        DType::C32 => Tensor::from_logical(shape, v.into_iter().map(|z| C32::new(z.re as f32, z.im as f32)).collect()),
        DType::C64 => Tensor::from_logical(shape, v),
        d => Tensor::zeros(d, shape),
    }
}
fn largest<'a>(v: impl IntoIterator<Item = &'a C64>) -> f64 {
    // Not `fold(max)`: a NaN must not vanish.
    v.into_iter().map(|z| z.norm()).fold(0.0, |a: f64, x| if x > a || x.is_nan() { x } else { a })
}
fn inner(a: &[Tensor], b: &[Tensor]) -> f64 {
    a.iter().zip(b).flat_map(|(a, b)| numbers(a).into_iter().zip(numbers(b))).map(|(a, b)| (a.conj() * b).re).sum()
}
fn is_single(t: &Tensor) -> bool {
    t.dtype().real() == DType::F32
}

/// Runs the comparisons at `x`, in directions drawn from fixed seeds.
pub(super) fn check(f: &Func, wrt: &[usize], x: &[Tensor], programs: &Programs, budget: &Budget) -> Done<Vec<Finding>> {
    use crate::session::OrStop;
    let single = wrt.iter().filter_map(|&w| x.get(w)).any(is_single);
    let (step, allowed_difference, allowed_dot) = if single { (3e-2, 2e-2, 1e-4) } else { (1e-3, 1e-6, 1e-10) };
    let direction = |t: &Tensor, seed: u64| generate(Distribution::Normal, seed, t.dtype(), t.shape());
    let v: Vec<Tensor> = (wrt.iter().filter_map(|&w| x.get(w)).zip(1000..))
        .map(|(t, seed)| direction(t, seed))
        .collect::<Result<_>>()
        .or_run_time()?;
    let ys = (programs.primal)(x)?;
    // Directions, and what is compared, as complex numbers: a few at a time of each argument and of each result.
    let elements = |ts: &[Tensor]| ts.iter().map(Tensor::len).fold(0, usize::saturating_add);
    let _held = budget.hold(elements(x).saturating_add(elements(&ys)).saturating_mul(8 * 16)).or_run_time()?;
    let n = ys.len();
    let forward = (programs.jvp)(&[x, &v].concat())?;
    let tangents = forward.get(n..).unwrap_or_default();
    let outputs: Vec<usize> = (0..n).filter(|&i| ys[i].dtype().is_inexact()).collect();

    let mut findings = vec![];
    let differences = differences(wrt, x, &v, step, programs)?;
    for (&i, tangent) in outputs.iter().zip(tangents) {
        let (d, t) = (&differences[i], numbers(tangent));
        let off = largest(&d.iter().zip(&t).map(|(a, b)| a - b).collect::<Vec<_>>());
        // A derivative of nothing is judged against the value it belongs to.
        let scale = largest(d).max(largest(&t)).max(1e-6 * largest(&numbers(&ys[i])));
        let error = if off == 0.0 { 0.0 } else { off / scale };
        findings.push(Finding {
            what: format!("jvp of {} against differences", f.result_name(i)),
            error,
            allowed: allowed_difference,
        });
    }

    let ct: Vec<Tensor> =
        (outputs.iter().zip(2000..)).map(|(&i, seed)| direction(&ys[i], seed)).collect::<Result<_>>().or_run_time()?;
    let backward = (programs.vjp)(&[x, &ct].concat())?;
    let cotangents = backward.get(n..).unwrap_or_default();
    let (a, b) = (inner(&ct, tangents), inner(cotangents, &v));
    let magnitude = |p: &[Tensor], q: &[Tensor]| inner(p, p).sqrt() * inner(q, q).sqrt();
    let scale = magnitude(&ct, tangents).max(magnitude(cotangents, &v));
    let error = if a == b { 0.0 } else { (a - b).abs() / scale };
    findings.push(Finding { what: "vjp against jvp".into(), error, allowed: allowed_dot });
    Ok(findings)
}

/// Derivatives of every result along `v` by central differences, extrapolated once (error of fourth order).
fn differences(wrt: &[usize], x: &[Tensor], v: &[Tensor], step: f64, programs: &Programs) -> Done<Vec<Vec<C64>>> {
    use crate::session::OrStop;
    let scale = wrt.iter().filter_map(|&w| x.get(w)).map(|t| largest(&numbers(t))).fold(0.0, f64::max);
    let h = step * if scale > 0.0 && scale.is_finite() { scale } else { 1.0 }
        / largest(v.iter().flat_map(numbers).collect::<Vec<_>>().iter()).max(1e-300);
    let at = |h: f64| -> Done<Vec<Vec<C64>>> {
        let mut moved = x.to_vec();
        for (&w, d) in wrt.iter().zip(v) {
            let p = numbers(&x[w]).into_iter().zip(numbers(d)).map(|(x, d)| x + d * h).collect();
            moved[w] = tensor(x[w].dtype(), x[w].shape(), p).or_run_time()?;
        }
        Ok((programs.primal)(&moved)?.iter().map(numbers).collect())
    };
    let slope = |h: f64| -> Done<Vec<Vec<C64>>> {
        let (a, b) = (at(h)?, at(-h)?);
        let one = |(a, b): (&Vec<C64>, &Vec<C64>)| a.iter().zip(b).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        Ok(a.iter().zip(&b).map(one).collect())
    };
    let (coarse, fine) = (slope(h)?, slope(h / 2.0)?);
    let one = |(c, f): (&Vec<C64>, &Vec<C64>)| c.iter().zip(f).map(|(c, f)| (f * 4.0 - c) / 3.0).collect();
    Ok(coarse.iter().zip(&fine).map(one).collect())
}

/// Is some floating element NaN? Then nothing can be compared there.
pub(super) fn has_nan(t: &Tensor) -> bool {
    numbers(t).iter().any(|z| z.re.is_nan() || z.im.is_nan())
}
