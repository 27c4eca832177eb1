//! A tool for GradBench (github.com/gradbench/gradbench): it answers on standard output, a line of JSON each, what an eval asks on standard
//! input. The programs of the evals are in [`evals`]; every derivative among them is made by the compiler.
//!
//! `tfc-gradbench [--threads N] [--fast-math] [--print]`: one thread if not said otherwise; `--fast-math` flushes denormal numbers to zero, as XLA
//! does unasked, and fuses products with additions; `--print` writes every program to standard error.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod evals;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};
use tfc::prelude::*;

/// A function of an eval for one input: a program, what it is run on, and how its results are written.
pub(crate) struct Job {
    /// The program.
    pub(crate) program: GraphProgram,
    /// Values of its inputs.
    pub(crate) arguments: Vec<Tensor>,
    /// The output that the eval expects.
    pub(crate) output: Box<dyn Fn(&[Tensor]) -> Result<Value>>,
}
impl Job {
    /// A program of `results` by `inputs`, which are given with their values.
    ///
    /// # Errors
    /// As [`GraphCompiler::compile_with_inputs`].
    pub(crate) fn new(
        results: &[&TracedTensor],
        inputs: Vec<(TracedTensor, Tensor)>,
        output: impl Fn(&[Tensor]) -> Result<Value> + 'static,
    ) -> Result<Job> {
        let by: Vec<&TracedTensor> = inputs.iter().map(|i| &i.0).collect();
        let program = GraphCompiler::new().compile_with_inputs(results, &by)?;
        Ok(Job { program, arguments: inputs.into_iter().map(|i| i.1).collect(), output: Box::new(output) })
    }
}

struct Tool {
    executor: GraphExecutor<CpuBackend>,
    print: bool,
}
impl Tool {
    /// Runs a function as often as the eval asks for (`min_runs`, `min_seconds`); each run is timed.
    fn evaluate(&self, message: &Value) -> Result<Value> {
        let (module, function) = (text(&message["module"]), text(&message["function"]));
        let input = &message["input"];
        let begin = Instant::now();
        let job = evals::job(module, function, input)?;
        if self.print {
            eprintln!("{}", job.program);
        }
        let program = self.executor.prepare(&job.program)?;
        let mut timings = vec![json!({ "name": "prepare", "nanoseconds": nanoseconds(begin.elapsed()) })];
        let least_runs = input["min_runs"].as_u64().unwrap_or(1);
        let least_time = Duration::from_secs_f64(input["min_seconds"].as_f64().unwrap_or(0.0).clamp(0.0, 1e6));
        let (mut runs, mut elapsed, mut results) = (0, Duration::ZERO, vec![]);
        while runs < least_runs.max(1) || elapsed < least_time {
            let begin = Instant::now();
            results = program.run(&job.arguments)?;
            let time = begin.elapsed();
            timings.push(json!({ "name": "evaluate", "nanoseconds": nanoseconds(time) }));
            runs += 1;
            elapsed += time;
        }
        Ok(json!({ "success": true, "output": (job.output)(&results)?, "timings": timings }))
    }
}
fn nanoseconds(t: Duration) -> u64 {
    u64::try_from(t.as_nanos()).unwrap_or(u64::MAX)
}
fn text(v: &Value) -> &str {
    v.as_str().unwrap_or_default()
}

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut threads = 1;
    let (mut print, mut fast) = (false, false);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--print" => print = true,
            "--fast-math" => fast = true,
            "--threads" => match rest.next().and_then(|n| n.parse().ok()) {
                Some(n) => threads = n,
                None => return Err(std::io::Error::other("--threads takes a number")),
            },
            other => {
                return Err(std::io::Error::other(format!("no option {other}: --threads N, --fast-math, --print")));
            }
        }
    }
    let tool = Tool { executor: GraphExecutor::new(CpuBackend::new().threads(threads).fast_math(fast)), print };
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let mut answer = match text(&message["kind"]) {
            "start" => json!({ "tool": "tfc", "config": { "threads": threads } }),
            "define" => json!({ "success": evals::MODULES.contains(&text(&message["module"])) }),
            "evaluate" => {
                tool.evaluate(&message).unwrap_or_else(|e| json!({ "success": false, "error": e.to_string() }))
            }
            _ => json!({}),
        };
        answer["id"] = message["id"].clone();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
