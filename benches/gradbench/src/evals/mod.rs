//! The evals, a module each. Rows of the evals' arrays are the last axis here: what is written row by row lies in memory as a tensor whose first
//! axis is the place within the row.
mod ba;
mod descent;
mod det;
mod gmm;
mod hello;
mod ht;
mod kmeans;
mod llsq;
mod lse;
mod lstm;
mod ode;
mod particle;
mod saddle;

use crate::Job;
use serde_json::{Value, json};
use tfc::prelude::*;
use tfc::{Code, Error};

/// The evals that this tool has.
pub(crate) const MODULES: [&str; 12] =
    ["hello", "gmm", "ba", "ht", "lstm", "kmeans", "det", "llsq", "lse", "ode", "particle", "saddle"];

/// What `function` of the eval `module` computes of `input`.
///
/// # Errors
/// `E0905` where there is no such function, or the input lacks something; as the API where a program cannot be traced.
pub(crate) fn job(module: &str, function: &str, input: &Value) -> Result<Job> {
    match (module, function) {
        ("hello", "square" | "double") => hello::job(function == "double", input),
        ("gmm", "objective" | "jacobian") => gmm::job(function == "jacobian", input),
        ("ba", "objective" | "jacobian") => ba::job(function == "jacobian", input),
        ("ht", "objective" | "jacobian") => ht::job(function == "jacobian", input),
        ("lstm", "objective" | "jacobian") => lstm::job(function == "jacobian", input),
        ("kmeans", "cost" | "dir") => kmeans::job(function == "dir", input),
        ("det", "primal" | "gradient") => det::job(function == "gradient", input),
        ("llsq", "primal" | "gradient") => llsq::job(function == "gradient", input),
        ("lse", "primal" | "gradient") => lse::job(function == "gradient", input),
        ("ode", "primal" | "gradient") => ode::job(function == "gradient", input),
        ("particle", "ff" | "fr" | "rf" | "rr") => particle::job(function, input),
        ("saddle", "ff" | "fr" | "rf" | "rr") => saddle::job(function, input),
        _ => Err(wrong(format!("no function {function} of {module}"))),
    }
}
/// An input that is not as its eval says.
fn wrong(what: impl Into<String>) -> Error {
    Error::new(Code::E0905, what.into())
}
/// A number of the input.
fn number(input: &Value, name: &str) -> Result<f64> {
    input[name].as_f64().ok_or_else(|| wrong(format!("the input has no number {name}")))
}
/// A count of the input.
fn count(input: &Value, name: &str) -> Result<usize> {
    input[name]
        .as_u64()
        .and_then(|n| usize::try_from(n).ok())
        .ok_or_else(|| wrong(format!("the input has no count {name}")))
}
/// An array of numbers, of arrays of numbers and so on: the tensor whose last axis is the outermost array.
fn array(v: &Value, name: &str) -> Result<Tensor> {
    fn walk(v: &Value, depth: usize, shape: &mut Vec<usize>, out: &mut Vec<f64>) -> Option<()> {
        let Value::Array(items) = v else {
            out.push(v.as_f64()?);
            return (depth == shape.len()).then_some(());
        };
        if depth == shape.len() && out.is_empty() {
            shape.push(items.len());
        }
        if shape.get(depth) != Some(&items.len()) {
            return None;
        }
        items.iter().try_for_each(|item| walk(item, depth + 1, shape, out))
    }
    let (mut shape, mut out) = (vec![], vec![]);
    walk(&v[name], 0, &mut shape, &mut out).ok_or_else(|| wrong(format!("the input has no array {name}")))?;
    shape.reverse();
    Tensor::from_column_major(&shape, out)
}
/// The same as integers.
fn integers(v: &Value, name: &str) -> Result<Vec<i64>> {
    let items = v[name].as_array().ok_or_else(|| wrong(format!("the input has no array {name}")))?;
    items
        .iter()
        .map(|x| x.as_i64().ok_or_else(|| wrong(format!("{name} holds something that is no integer"))))
        .collect()
}
/// An input of the program that has this value.
fn input(name: &str, value: Tensor) -> Result<(TracedTensor, Tensor)> {
    Ok((TracedTensor::input(name, value.dtype(), value.shape())?, value))
}
fn constant(shape: &[usize], values: Vec<f64>) -> Result<TracedTensor> {
    TracedTensor::constant(Tensor::from_column_major(shape, values)?)
}
fn indices(values: Vec<i64>) -> Result<TracedTensor> {
    TracedTensor::constant(Tensor::from_column_major(&[values.len()], values)?)
}
/// One number.
fn one(results: &[Tensor], i: usize) -> Result<Value> {
    results.get(i).and_then(|t| t.item::<f64>()).map(Value::from).ok_or_else(|| wrong("the result is no number"))
}
/// Numbers in the order in which they lie in memory.
fn flat(results: &[Tensor], i: usize) -> Result<Vec<f64>> {
    results.get(i).and_then(|t| t.to_column_major()).ok_or_else(|| wrong("the result is no array of f64"))
}
/// Rows of so many numbers.
fn rows(values: &[f64], length: usize) -> Value {
    if length == 0 { json!([]) } else { values.chunks(length).collect() }
}
/// A scalar function's value, or its gradient, by one input.
fn scalar_or_gradient(
    gradient: bool,
    x: (TracedTensor, Tensor),
    f: impl FnOnce(&TracedTensor) -> Result<TracedTensor>,
) -> Result<Job> {
    let y = f(&x.0)?;
    if gradient {
        let g = AdContext::default().grad(&y, &x.0)?;
        return Job::new(&[&g], vec![x], |r| Ok(flat(r, 0)?.into()));
    }
    Job::new(&[&y], vec![x], |r| one(r, 0))
}
