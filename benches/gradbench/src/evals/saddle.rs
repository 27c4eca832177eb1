//! The saddle point of `(x₁² + y₁²) − (x₂² + y₂²)`: descent for the first point along the derivative of a largest value, which is itself found by
//! ascent for the second one.
use super::descent::{Mode, greatest, least, modes};
use super::{array, flat, input};
use crate::Job;
use serde_json::Value;
use tfc::prelude::*;

pub(super) fn job(function: &str, given: &Value) -> Result<Job> {
    let [outer, inner] = modes(function);
    let start = input("start", array(given, "start")?)?;
    let at = |i: usize| -> Result<TracedTensor> { start.0.slice_range([i], [i + 1])?.reshape([] as [usize; 0]) };
    let from = [at(0)?, at(1)?];
    let second = |first: &[TracedTensor], mode: Mode| greatest(mode, &from, &|x| height(first, x));
    let first = least(outer, &from, &|x| height(x, &second(x, inner)?))?;
    // The mode of the last ascent is that of the first descent.
    let mut point = first.clone();
    point.extend(second(&first, outer)?);
    let flat_point = point.iter().map(|x| x.reshape([1])).collect::<Result<Vec<_>>>()?;
    let all = flat_point[0].concat(&flat_point[1..].iter().collect::<Vec<_>>(), 0)?;
    Job::new(&[&all], vec![start], |r| Ok(flat(r, 0)?.into()))
}
fn height(a: &[TracedTensor], b: &[TracedTensor]) -> Result<TracedTensor> {
    let square = |p: &[TracedTensor]| -> Result<TracedTensor> { (&p[0] * &p[0])? + (&p[1] * &p[1])? };
    square(a)? - square(b)?
}
