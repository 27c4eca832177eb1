//! Times of a run: for `--time` as lines, for `--profile` as a Chrome trace (about:tracing, Perfetto).
use crate::session::Session;
use std::path::Path;
use std::time::{Duration, Instant};
use tfc_frontend::data::write_atomically;
use tfc_ir::Result;

/// The spans of a run so far.
pub(crate) struct Trace {
    start: Instant,
    spans: Vec<(String, Duration, Duration)>,
}
impl Trace {
    /// A trace that begins at `start`.
    pub(crate) fn new(start: Instant) -> Trace {
        Trace { start, spans: vec![] }
    }
    /// Adds what began at `from` and ends now.
    pub(crate) fn span(&mut self, name: impl Into<String>, from: Instant) {
        self.spans.push((name.into(), from.saturating_duration_since(self.start), from.elapsed()));
    }
    /// Says how long each part took; several runs are summed up.
    pub(crate) fn report(&self, session: &Session, runs: &[Duration]) {
        for (name, _, took) in self.spans.iter().filter(|s| !s.0.starts_with("run")) {
            session.talk(format_args!("time: {name}: {}", text(*took)));
        }
        let mut sorted = runs.to_vec();
        sorted.sort();
        match sorted.as_slice() {
            [] => {}
            [one] => session.talk(format_args!("time: run: {}", text(*one))),
            [first, .., last] => {
                let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
                let n = sorted.len();
                session.talk(format_args!(
                    "time: {n} runs: least {}, median {}, most {}",
                    text(*first),
                    text(median),
                    text(*last)
                ));
            }
        }
    }
    /// Writes the spans as a Chrome trace.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let events: Vec<String> = (self.spans.iter())
            .map(|(name, from, took)| {
                let micros = |d: &Duration| d.as_nanos() as f64 / 1e3;
                format!(
                    "{{\"name\":\"{name}\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":{:.3},\"dur\":{:.3}}}",
                    micros(from),
                    micros(took)
                )
            })
            .collect();
        let body = format!("{{\"traceEvents\":[\n{}\n]}}\n", events.join(",\n"));
        write_atomically(path, |out| out.write_all(body.as_bytes()))
    }
}

fn text(d: Duration) -> String {
    let s = d.as_secs_f64();
    match s {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.3} s"),
    }
}
