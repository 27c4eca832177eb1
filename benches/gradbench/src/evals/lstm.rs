//! A stack of `l` diagonal LSTM cells reads `c` characters of `b` bits and foretells the next one; the loss is its mean cross entropy. `log(2 + Σ exp)`
//! is the eval's.
use super::{array, flat, input, one};
use crate::Job;
use serde_json::Value;
use tfc::prelude::*;

pub(super) fn job(gradient: bool, given: &Value) -> Result<Job> {
    let inputs = vec![
        input("main_params", array(given, "main_params")?)?,
        input("extra_params", array(given, "extra_params")?)?,
        input("state", array(given, "state")?)?,
        input("sequence", array(given, "sequence")?)?,
    ];
    let by: Vec<&TracedTensor> = inputs.iter().map(|i| &i.0).collect();
    let sizes = [inputs[2].1.shape(), inputs[3].1.shape()];
    let &[&[b, states], &[_, c]] = &sizes else { return Err(super::wrong("state and sequence are matrices")) };
    let loss = loss(&by, b, states / 2, c)?;
    if !gradient {
        return Job::new(&[&loss], inputs, |r| one(r, 0));
    }
    let g = AdContext::default().grad_many(&loss, &by[..2])?;
    Job::new(&[&g[0], &g[1]], inputs.clone(), |r| Ok([flat(r, 0)?, flat(r, 1)?].concat().into()))
}
fn loss(by: &[&TracedTensor], b: usize, layers: usize, c: usize) -> Result<TracedTensor> {
    let &[main, extra, state, sequence] = by else { return Err(super::wrong("lstm takes four arrays")) };
    // Part `i` of column `j`.
    let part = |m: &TracedTensor, i: usize, j: usize| -> Result<TracedTensor> {
        m.slice_range([i * b, j], [(i + 1) * b, j + 1])?.reshape([b])
    };
    let (w_in, w_out, b_out) = (part(extra, 0, 0)?, part(extra, 0, 1)?, part(extra, 0, 2)?);
    let mut gates = vec![];
    for layer in 0..layers {
        let of = |i: usize| Ok([part(main, i, 2 * layer)?, part(main, i, 2 * layer + 1)?]);
        gates.push([of(0)?, of(1)?, of(2)?, of(3)?]);
    }
    let gate = |x: &TracedTensor, [w, bias]: &[TracedTensor; 2]| -> Result<TracedTensor> { (x * w)? + bias };
    let mut start = (0..2 * layers).map(|j| part(state, 0, j)).collect::<Result<Vec<_>>>()?;
    start.push(TracedTensor::scalar(0.0)?);
    let seen = sequence.slice_range([0, 0], [b, c - 1])?;
    let next = sequence.slice_range([0, 1], [b, c])?;
    let (last, []) = scan(&start, [&seen, &next], |carry: &Vec<TracedTensor>, [x, gold]| {
        let mut x = (x * &w_in)?;
        let mut out = vec![];
        for (layer, [forget, ingate, outgate, change]) in gates.iter().enumerate() {
            let (hidden, cell) = (&carry[2 * layer], &carry[2 * layer + 1]);
            let kept = (cell * gate(&x, forget)?.logistic()?)?;
            let new = (gate(hidden, ingate)?.logistic()? * gate(hidden, change)?.tanh()?)?;
            let cell = (kept + new)?;
            x = (gate(&x, outgate)?.logistic()? * cell.tanh()?)?;
            out.extend([x.clone(), cell]);
        }
        let y = ((x * &w_out)? + &b_out)?;
        let norm = (y.exp()?.sum()? + 2.0)?.log()?;
        let hit = (gold * (y - norm)?)?.sum()?;
        out.push((&carry[2 * layers] + hit)?);
        Ok((out, []))
    })?;
    &last[2 * layers] * (-1.0 / (b * (c - 1)) as f64)
}
