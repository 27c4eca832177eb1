//! `x²` and its derivative.
use super::{one, wrong};
use crate::Job;
use serde_json::Value;
use tfc::prelude::*;

pub(super) fn job(derivative: bool, input: &Value) -> Result<Job> {
    let x = input.as_f64().ok_or_else(|| wrong("the input is no number"))?;
    let x = super::input("x", Tensor::scalar(x))?;
    let mut y = (&x.0 * &x.0)?;
    if derivative {
        y = AdContext::default().grad(&y, &x.0)?;
    }
    Job::new(&[&y], vec![x], |r| one(r, 0))
}
