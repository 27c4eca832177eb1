//! A charged particle is to pass through the origin: the place of one of two charges is found by descent along the derivative of where the particle
//! crosses the axis, and each step of its path takes a derivative of the potential.
use super::descent::{Mode, least, modes};
use super::{input, number, one};
use crate::Job;
use serde_json::Value;
use tfc::prelude::*;

const STEP: f64 = 0.1;

pub(super) fn job(function: &str, given: &Value) -> Result<Job> {
    let [outer, inner] = modes(function);
    let w = input("w", Tensor::scalar(number(given, "w")?))?;
    let found = least(outer, std::slice::from_ref(&w.0), &|w| crossing(inner, &w[0]))?;
    Job::new(&[&found[0]], vec![w], |r| one(r, 0))
}
/// The square of where the particle crosses the axis, by Euler's method and a straight line for the last step.
fn crossing(mode: Mode, w: &TracedTensor) -> Result<TracedTensor> {
    let number = TracedTensor::scalar::<f64>;
    let (ten, zero) = (number(10.0)?, number(0.0)?);
    let moved = (&ten - w)?;
    let potential = |x: &[TracedTensor]| -> Result<TracedTensor> {
        let across = (&x[0] - &ten)?;
        let across = (&across * &across)?;
        let inverse = |y: TracedTensor| -> Result<TracedTensor> {
            let distance = (&across + (&y * &y)?)?.sqrt()?;
            number(1.0)? / distance
        };
        inverse((&x[1] - &moved)?)? + inverse(x[1].clone())?
    };
    let next = |[x, y, vx, vy]: &[TracedTensor; 4]| -> Result<[TracedTensor; 2]> {
        Ok([(x + (vx * STEP)?)?, (y + (vy * STEP)?)?])
    };
    let start = [&zero, &number(8.0)?, &number(0.75)?, &zero];
    let last = while_loop(
        start,
        |state| next(state)?[1].gt(&zero),
        |state| {
            let [x, y] = next(state)?;
            let slope = mode.gradient(&potential(&state[..2])?, &state[..2])?;
            Ok([x, y, (&state[2] - (&slope[0] * STEP)?)?, (&state[3] - (&slope[1] * STEP)?)?])
        },
    )?;
    let [x, y] = next(&last)?;
    let at = (x - ((y / &last[3])? * &last[2])?)?;
    &at * &at
}
