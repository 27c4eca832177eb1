//! Times of a run: for `--time` as lines or as an object, for `--profile` as a Chrome trace (about:tracing, Perfetto).
use crate::rates::Rates;
use crate::session::Session;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use tfc_engine::{Profile, StepTime};
use tfc_frontend::data::write_atomically;
use tfc_ir::Result;

/// The spans of a run so far.
pub(crate) struct Trace {
    start: Instant,
    spans: Vec<(String, Duration, Duration)>,
    /// What steps take, where it is measured; of several runs without the first.
    pub(crate) steps: Option<Profile>,
}
impl Trace {
    /// A trace that begins at `start`.
    pub(crate) fn new(start: Instant) -> Trace {
        Trace { start, spans: vec![], steps: None }
    }
    /// Adds what began at `from` and ends now.
    pub(crate) fn span(&mut self, name: impl Into<String>, from: Instant) {
        self.spans.push((name.into(), from.saturating_duration_since(self.start), from.elapsed()));
    }
    /// Says how long each part took and how much memory there was at one time; several runs are summed up.
    pub(crate) fn report(&self, session: &Session, runs: &Runs, peak: Option<usize>) {
        for (name, took) in self.parts() {
            session.say(format_args!("time: {name}: {}", text(took)));
        }
        let s = runs.summary();
        match runs.count() {
            0 => {}
            1 => session.say(format_args!("time: run: {}", text(s.least))),
            n => session.say(format_args!(
                "time: {n} runs: least {}, median {}, most {}",
                text(s.least),
                text(s.median),
                text(s.most)
            )),
        }
        if let Some(bytes) = peak {
            session.say(format_args!("memory: at most {} besides the arguments", size(bytes)));
        }
    }
    /// The steps in which the most time goes, a line each: milliseconds of a run without those of steps inside, share of all steps,
    /// how often a run executes it, the rates at which it reads and writes elements and computes, and the share that this is of what the machine
    /// can do.
    pub(crate) fn report_steps(&self, session: &Session, runs: &Runs, rates: &Rates) {
        let counted = f64::from(runs.count().saturating_sub(1).max(1));
        let (steps, all) = self.by_time();
        let share = |s: &StepTime| s.nanos as f64 / all.max(1) as f64;
        let shown = steps.iter().take(MOST_STEPS).take_while(|s| share(s) >= LEAST_SHARE).count();
        for s in &steps[..shown] {
            let rate = |n: u64, unit: &str| match n {
                0 => "-".into(),
                n => format!("{:.1} {unit}", n as f64 / s.nanos.max(1) as f64),
            };
            let (moved, computed) = (rate(s.bytes, "GB/s"), rate(s.operations, "Gop/s"));
            let of_limit = if s.bytes > 0 { format!("{:.0} %", 100.0 * rates.share(s)) } else { "-".into() };
            session.say(format_args!(
                "step: {:>10.4} ms {:>5.1} % {:>9.0} × {moved:>11} {computed:>12} {of_limit:>6}  {}",
                s.nanos as f64 / 1e6 / counted,
                100.0 * share(s),
                s.times as f64 / counted,
                s.what
            ));
        }
        let rest: u64 = steps[shown..].iter().map(|s| s.nanos).sum();
        if shown < steps.len() {
            let n = steps.len() - shown;
            session.say(format_args!("step: {:>10.4} ms in {n} others", rest as f64 / 1e6 / counted));
        }
    }
    /// The measured steps, the longest first, and the nanoseconds of all.
    fn by_time(&self) -> (Vec<StepTime>, u64) {
        let mut steps = self.steps.as_ref().map(Profile::steps).unwrap_or_default();
        steps.sort_by_key(|s| std::cmp::Reverse(s.nanos));
        let all = steps.iter().map(|s| s.nanos).sum();
        (steps, all)
    }
    /// The same for programs: one JSON object on one line. Times are in milliseconds, `first_ms` is that of the first run
    /// and `min_ms` the least of a run.
    pub(crate) fn json(&self, runs: &Runs, peak: Option<usize>, device: &str) -> String {
        let ms = |seconds: f64| format!("{:.6}", seconds * 1e3);
        let mut out = format!("{{\"device\": \"{device}\"");
        for (name, took) in self.parts() {
            let _ = write!(out, ", \"{}_ms\": {}", name.replace(' ', "_"), ms(took));
        }
        let s = runs.summary();
        let times = [("first", s.first), ("min", s.least), ("median", s.median), ("max", s.most)];
        let _ = write!(out, ", \"runs\": {}", runs.count());
        for (name, took) in times {
            let _ = write!(out, ", \"{name}_ms\": {}", ms(took));
        }
        if let Some(bytes) = peak {
            let _ = write!(out, ", \"peak_bytes\": {bytes}");
        }
        out + "}\n"
    }
    /// What came before the first run.
    fn parts(&self) -> impl Iterator<Item = (&str, f64)> {
        self.spans.iter().filter(|s| !s.0.starts_with("run")).map(|s| (s.0.as_str(), s.2.as_secs_f64()))
    }
    /// Writes the spans as a Chrome trace. Where steps are measured, a second row has a bar for each, as long as it takes in a run
    /// without the steps inside it, one after the other from where the first run begins; `steps` beside the events are what they took
    /// in all runs but the first.
    pub(crate) fn write(&self, path: &Path, runs: &Runs) -> Result<()> {
        let micros = |d: &Duration| d.as_nanos() as f64 / 1e3;
        let mut events: Vec<String> = (self.spans.iter())
            .map(|(name, from, took)| {
                let (from, took) = (micros(from), micros(took));
                format!("{{\"name\":\"{name}\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":{from:.3},\"dur\":{took:.3}}}")
            })
            .collect();
        events.extend(self.bars(runs));
        let steps = self.by_time().0.into_iter().map(|s| {
            let object = serde_json::json!({
                "function": s.at.0, "step": s.at.1, "what": s.what, "times": s.times, "nanoseconds": s.nanos, "bytes": s.bytes,
                "operations": s.operations,
            });
            object.to_string()
        });
        let steps: Vec<String> = steps.collect();
        let body = format!("{{\"traceEvents\":[\n{}\n],\"steps\":[\n{}\n]}}\n", events.join(",\n"), steps.join(",\n"));
        write_atomically(path, |out| out.write_all(body.as_bytes()))
    }
    /// The bars of steps in the order of the plans, and what their row is called.
    fn bars(&self, runs: &Runs) -> Vec<String> {
        let mut steps = self.steps.as_ref().map(Profile::steps).unwrap_or_default();
        if steps.is_empty() {
            return vec![];
        }
        steps.sort_by(|a, b| a.at.cmp(&b.at));
        let counted = f64::from(runs.count().saturating_sub(1).max(1));
        let first = self.spans.iter().find(|s| s.0.starts_with("run")).map_or(Duration::ZERO, |s| s.1);
        let mut at = first.as_nanos() as f64 / 1e3;
        let row = |tid: u32, name: &str| {
            serde_json::json!({"name": "thread_name", "ph": "M", "pid": 1, "tid": tid, "args": {"name": name}})
                .to_string()
        };
        let mut all = vec![row(1, "tfc"), row(2, "steps of a run, each without those inside")];
        for s in steps {
            let dur = s.nanos as f64 / 1e3 / counted;
            let args = serde_json::json!({
                "function": s.at.0, "step": s.at.1, "times": s.times as f64 / counted, "bytes": s.bytes as f64 / counted,
            });
            let bar = serde_json::json!({
                "name": s.what, "ph": "X", "pid": 1, "tid": 2, "ts": at, "dur": dur, "args": args,
            });
            all.push(bar.to_string());
            at += dur;
        }
        all
    }
}

fn text(s: f64) -> String {
    match s {
        s if s < 1e-5 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.3} s"),
    }
}
fn size(bytes: usize) -> String {
    match bytes as f64 {
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.2} GB", b / 1e9),
    }
}

/// Most steps that are listed, and the least share of the time of one that is.
const MOST_STEPS: usize = 24;
const LEAST_SHARE: f64 = 0.005;

/// A batch of short runs takes about so long: thousands of times what reading the clock takes.
const BATCH: Duration = Duration::from_micros(100);

/// How long the runs of a program took. Short ones are timed by the batch, so that the clock does not count.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// Seconds a run and how many runs, of each batch.
    batches: Vec<(f64, u32)>,
    count: u32,
}
/// Seconds a run.
struct Summary {
    first: f64,
    least: f64,
    median: f64,
    most: f64,
}
impl Runs {
    /// How many runs there were.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }
    /// How many runs to time together next. The first run is alone: it takes the memory that the others use again.
    pub(crate) fn next_batch(&self) -> u32 {
        let later = self.batches.get(1..).unwrap_or_default();
        let least = later.iter().map(|b| b.0).fold(f64::INFINITY, f64::min);
        if least.is_finite() { (BATCH.as_secs_f64() / least.max(1e-9)).clamp(1.0, 1e6) as u32 } else { 1 }
    }
    /// Adds a batch of `n` runs.
    pub(crate) fn push(&mut self, took: Duration, n: u32) {
        self.batches.push((took.as_secs_f64() / f64::from(n.max(1)), n));
        self.count += n;
    }
    fn summary(&self) -> Summary {
        let mut sorted: Vec<f64> = self.batches.iter().map(|b| b.0).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |i: usize| sorted.get(i).copied().unwrap_or_default();
        Summary {
            first: self.batches.first().map_or(0.0, |b| b.0),
            least: at(0),
            median: at(sorted.len() / 2),
            most: at(sorted.len().saturating_sub(1)),
        }
    }
}
