//! `y₀' = x₀`, `yᵢ' = xᵢ yᵢ₋₁` from `y = 0` to the time 2, by `s` steps of the fourth order method of Runge and Kutta; and the gradient of the last
//! element by `x`.
use super::flat;
use crate::Job;
use serde_json::Value;
use tfc::prelude::*;

pub(super) fn job(gradient: bool, input: &Value) -> Result<Job> {
    let x = super::input("x", super::array(input, "x")?)?;
    let (n, s) = (x.1.len(), super::count(input, "s")?);
    let h = 2.0 / s as f64;
    let one = TracedTensor::ones(DType::F64, [1])?;
    // The numbers before each one, with a 1 before the first.
    let before = |y: &TracedTensor| -> Result<TracedTensor> { one.concat(&[&y.slice_range([0], [n - 1])?], 0) };
    let slope = |y: &TracedTensor| -> Result<TracedTensor> { &x.0 * before(y)? };
    let start = TracedTensor::zeros(DType::F64, [n])?;
    let [y] = fori_loop(s, [&start], |_, [y]| {
        let k1 = slope(y)?;
        let k2 = slope(&(y + (&k1 * (h / 2.0))?)?)?;
        let k3 = slope(&(y + (&k2 * (h / 2.0))?)?)?;
        let k4 = slope(&(y + (&k3 * h)?)?)?;
        let sum = (((&k1 + (&k2 * 2.0)?)? + (&k3 * 2.0)?)? + &k4)?;
        Ok([(y + (sum * (h / 6.0))?)?])
    })?;
    let out = if gradient {
        let last = y.slice_range([n - 1], [n])?.sum()?;
        AdContext::default().grad(&last, &x.0)?
    } else {
        y
    };
    Job::new(&[&out], vec![x], |r| Ok(flat(r, 0)?.into()))
}
