//! The last resort of `--timeout`. Readers, passes, engines and writers look at the clock themselves and stop with a word
//! about where they were; this thread ends the process where none of them comes to it: while a pipe is opened, within a
//! factorisation, in generated code.
use crate::exit::Exit;
use std::time::Duration;
use tfc_ir::{Code, Error, Span};

/// How long after its time a command may still come to an end by itself.
fn grace(limit: Duration) -> Duration {
    (limit / 4).clamp(Duration::from_millis(20), Duration::from_millis(500))
}

/// Ends the process when the time is over. It is meant for a whole process: nothing takes it back.
pub(crate) fn start(limit: Duration) {
    // A time that the clock cannot show is without end.
    let Some(all) = limit.checked_add(grace(limit)) else { return };
    std::thread::spawn(move || {
        std::thread::sleep(all);
        let e = Error::new(Code::E0714, format!("this takes longer than {} s", limit.as_secs_f64()))
            .help("`--timeout SECONDS` sets the limit");
        let text = tfc_frontend::render::render_without_source(
            &[e.into_diagnostic(Span::default())],
            tfc_frontend::render::Format::Human,
            false,
        );
        // No half of a file stays behind.
        tfc_frontend::data::abandon(|| {
            let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
            std::process::exit(Exit::RunTime as i32);
        });
    });
}
