//! `log Σ exp(x)`, written by its elements: the largest number, a sum of exponentials, a logarithm.
use crate::Job;
use serde_json::Value;
use tfc::prelude::*;

pub(super) fn job(gradient: bool, input: &Value) -> Result<Job> {
    super::scalar_or_gradient(gradient, super::input("x", super::array(input, "x")?)?, |x| {
        let most = x.reduce_max([0])?;
        (x - &most)?.exp()?.sum()?.log()? + &most
    })
}
