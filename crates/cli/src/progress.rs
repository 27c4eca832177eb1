//! `--progress`: how far the outermost loop of a run is, said by a thread beside it.
use crate::args::When;
use crate::session::Session;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tfc_engine::{Progress, Reached};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(250);

/// The line on the terminal; it is gone when this is.
pub(crate) struct ProgressLine {
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}
impl ProgressLine {
    /// Begins to show what an engine tells, where that is asked for and there is a terminal; `always`, a line each time.
    pub(crate) fn start(session: &Session, when: When, progress: impl FnOnce() -> Progress) -> ProgressLine {
        let terminal = std::io::stderr().is_terminal();
        let asked = when == When::Always || when == When::Auto && terminal && !session.quiet;
        if !asked {
            return ProgressLine { over: None, thread: None };
        }
        let progress = progress();
        let (over, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let (mut since, mut known) = (Instant::now(), progress.now());
            let mut said = String::new();
            while ended.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                let now = progress.now();
                if now.loops != known.loops {
                    (since, known) = (Instant::now(), now);
                    continue;
                }
                let line = line(now, known, since.elapsed());
                if line != said {
                    // That nobody listens is no reason to fail.
                    let (before, after) = if terminal { ("\r\u{1b}[K", "") } else { ("", "\n") };
                    let _ = write!(std::io::stderr().lock(), "{before}{line}{after}");
                    said = line;
                }
            }
            if terminal && !said.is_empty() {
                let _ = write!(std::io::stderr().lock(), "\r\u{1b}[K");
            }
        });
        ProgressLine { over: Some(over), thread: Some(thread) }
    }
}
impl Drop for ProgressLine {
    fn drop(&mut self) {
        drop(self.over.take());
        if let Some(t) = self.thread.take() {
            let _ = t.join();
        }
    }
}

/// `progress: 1200 of 5000 trips, 300/s, 13 s left`; nothing before there is a trip.
fn line(now: Reached, first: Reached, since: Duration) -> String {
    let made = now.trips.saturating_sub(first.trips);
    if made == 0 {
        return String::new();
    }
    let rate = made as f64 / since.as_secs_f64().max(1e-9);
    let rate_text = if rate < 10.0 { format!("{rate:.1}/s") } else { format!("{rate:.0}/s") };
    match now.of {
        None => format!("progress: {} trips, {rate_text}", now.trips),
        Some(of) => {
            let left = of.saturating_sub(now.trips) as f64 / rate;
            format!("progress: {} of {of} trips, {rate_text}, {left:.0} s left", now.trips)
        }
    }
}
