//! Least squares of a polynomial with `m` coefficients `x` through the sign of `t`, at `n` places `t` from −1 to 1:
//! `½ Σᵢ (sign(tᵢ) − Σⱼ xⱼ tᵢʲ)²`. The polynomial is evaluated by Horner's rule, at all places at once.
use crate::Job;
use serde_json::Value;
use tfc::prelude::*;

pub(super) fn job(gradient: bool, input: &Value) -> Result<Job> {
    let n = super::count(input, "n")?;
    super::scalar_or_gradient(gradient, super::input("x", super::array(input, "x")?)?, |x| {
        let i = TracedTensor::iota(DType::F64, [n], 0)?;
        let t = (((i * 2.0)? / (n as f64 - 1.0))? - 1.0)?;
        let zero = t.zeros_like()?;
        let ([p], []) = Loop::new([&zero]).reverse().scan([x], |[p], [c]| Ok(([((p * &t)? + c)?], [])))?;
        let miss = (t.sign()? - p)?;
        (&miss * &miss)?.sum()? * 0.5
    })
}
