//! The logarithm of the posterior probability of a mixture of `k` Gaussians in `d` dimensions with a Wishart prior, of `n` points; and its gradient
//! by weights, means and the triangular factors of the precision matrices. The formulas are those of the eval's page ("Implementation"), the
//! factors applied to points and means apart: `Q(x − μ) = Qx − Qμ`.
use super::{array, constant, count, flat, indices, input, number, one, rows};
use crate::Job;
use serde_json::{Value, json};
use tfc::prelude::*;

pub(super) fn job(gradient: bool, given: &Value) -> Result<Job> {
    let (d, k, n, m) = (count(given, "d")?, count(given, "k")?, count(given, "n")?, count(given, "m")?);
    let gamma = number(given, "gamma")?;
    let lower = d * d.saturating_sub(1) / 2;
    // A matrix of one dimension has nothing below its diagonal: its rows are empty.
    let l = if lower == 0 { Tensor::zeros(DType::F64, &[0, k])? } else { array(given, "l")? };
    let inputs = vec![
        input("x", array(given, "x")?)?,
        input("alpha", array(given, "alpha")?)?,
        input("mu", array(given, "mu")?)?,
        input("q", array(given, "q")?)?,
        input("l", l)?,
    ];
    let by: Vec<&TracedTensor> = inputs.iter().map(|i| &i.0).collect();
    let y = log_posterior(&by, [d, k, n], m as f64, gamma)?;
    if !gradient {
        return Job::new(&[&y], inputs, |r| one(r, 0));
    }
    // With one dimension nothing depends on `l`.
    let wrt = if lower == 0 { &by[1..4] } else { &by[1..] };
    let g = AdContext::default().grad_many(&y, wrt)?;
    Job::new(&g.iter().collect::<Vec<_>>(), inputs.clone(), move |r| {
        let l = if lower == 0 { json!(vec![Vec::<f64>::new(); k]) } else { rows(&flat(r, 3)?, lower) };
        Ok(json!({ "alpha": flat(r, 0)?, "mu": rows(&flat(r, 1)?, d), "q": rows(&flat(r, 2)?, d), "l": l }))
    })
}
fn log_posterior(by: &[&TracedTensor], [d, k, n]: [usize; 3], m: f64, gamma: f64) -> Result<TracedTensor> {
    let &[x, alpha, mu, q, l] = by else { return Err(super::wrong("gmm takes five arrays")) };
    let diagonal = q.exp()?;
    let logs = q.reduce_sum([0])?;
    // The factors Q: row, column, component. Place (i, j) below the diagonal is element Σ_{c<j} (d − 1 − c) + i − j − 1 of `l`.
    let places = (0..d * d).map(|at| {
        let (i, j) = (at % d, at / d);
        if i > j { j * (2 * d - j - 1) / 2 + i - j - 1 } else { 0 }
    });
    let whole = [d, d, k];
    let on_diagonal = constant(&[d, d], (0..d * d).map(|at| f64::from(u8::from(at % d == at / d))).collect())?;
    let spread = diagonal.broadcast_in_dim(whole, &[0, 2])?;
    let mut factors = (spread * on_diagonal.broadcast_in_dim(whole, &[0, 1])?)?;
    if d > 1 {
        let places = indices(places.map(|p| i64::try_from(p).unwrap_or(0)).collect())?;
        let below = constant(&[d, d], (0..d * d).map(|at| f64::from(u8::from(at % d > at / d))).collect())?;
        let filled = l.take(&places, 0)?.reshape(whole)?;
        factors = (factors + (filled * below.broadcast_in_dim(whole, &[0, 1])?)?)?;
    }
    let of_points = factors.dot_general(x, &[&[1], &[0]])?;
    let of_means = factors.einsum(&[mu], "ijk,jk->ik")?.broadcast_in_dim(of_points.dims(), &[0, 1])?;
    let centred = (of_points - of_means)?;
    let squares = (&centred * &centred)?.reduce_sum([0])?;
    let weights = (alpha + &logs)?.broadcast_in_dim(squares.dims(), &[0])?;
    let likelihood = (weights - (squares * 0.5)?)?.logsumexp([0])?.sum()?;
    let frobenius = ((&diagonal * &diagonal)?.sum()? + (l * l)?.sum()?)?;
    let prior = ((logs.sum()? * m)? - (frobenius * (0.5 * gamma * gamma))?)?;
    let (d, k, n) = (d as f64, k as f64, n as f64);
    let degrees = d + m + 1.0;
    // Γ_d of degrees/2: π^(d(d−1)/4) Π_j Γ((degrees + 1 − j)/2).
    let mut log_gamma = constant(&[], vec![0.25 * d * (d - 1.0) * std::f64::consts::PI.ln()])?;
    for j in 0..d as usize {
        log_gamma = (log_gamma + constant(&[], vec![0.5 * (degrees - j as f64)])?.lgamma()?)?;
    }
    let of_prior = k * degrees * d * (gamma / std::f64::consts::SQRT_2).ln();
    let of_points = -n * d * 0.5 * (2.0 * std::f64::consts::PI).ln();
    let sum = ((likelihood - (alpha.logsumexp([0])? * n)?)? + prior)?;
    (sum - (log_gamma * k)?)? + (of_prior + of_points)
}
