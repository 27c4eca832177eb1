//! `tfc test DIR [--accept]`: file tests (TFIR §9).
use crate::args::{BackendName, Test};
use crate::filetest::{Came, Runner, discover, snap};
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tfc_frontend::data::write_atomically;
use tfc_ir::{Code, Error, Result};

pub(super) fn run(session: &Session, args: &Test) -> Done {
    let mut files = vec![];
    for path in &args.paths {
        let found = discover(path)
            .map_err(|e| {
                let (all, name) = (e.to_string(), path.display());
                let why = all.split(" (os error").next().unwrap_or_default().to_lowercase();
                Error::new(Code::E0601, format!("cannot read `{name}`: {why}"))
            })
            .or_run_time()?;
        files.extend(found);
    }
    if files.is_empty() {
        return Err(Stop::with(Exit::Usage, Error::new(Code::E0901, "there is no .tfir or .mlir file")));
    }
    let runner = Runner::of(session, super::dispatch);
    if let Some(backend) = args.backend {
        return calls(session, &runner, &files, backend);
    }
    let (mut failed, mut accepted) = (0, 0);
    for file in &files {
        let report = runner.run(file);
        let mut failures = report.failures;
        if let Some(output) = &report.output {
            match compare(file, output, args.accept).or_run_time()? {
                Compared::Same => {}
                Compared::Accepted => accepted += 1,
                Compared::Differs(why) => failures.push(why),
            }
        }
        if failures.is_empty() {
            session.detail(format_args!("{}: ok", file.display()));
            continue;
        }
        failed += 1;
        for f in failures {
            session.print(&format!("{}: {}\n", file.display(), f.trim_end()))?;
        }
    }
    let plural = if files.len() == 1 { "" } else { "s" };
    let rewritten = if accepted > 0 { format!(", {accepted} snapshots rewritten") } else { String::new() };
    session.print(&format!(
        "{} file{plural}: {} passed, {failed} failed{rewritten}\n",
        files.len(),
        files.len() - failed
    ))?;
    if failed == 0 { Ok(()) } else { Err(Stop::quietly(Exit::Mismatch)) }
}

/// Calls on one backend alone.
fn calls(session: &Session, runner: &Runner, files: &[PathBuf], backend: BackendName) -> Done {
    crate::engine::available(session, backend)?;
    let (mut right, mut wrong, mut refused) = (0, 0, BTreeMap::<String, usize>::new());
    for file in files {
        let failed = |why: String| format!("{}: {}\n", file.display(), why.trim_end());
        let came = match runner.on(file, backend) {
            Ok(came) => came,
            Err(why) => vec![Came::Wrong(why)],
        };
        for came in came {
            match came {
                Came::Right => right += 1,
                Came::Refused(code) => *refused.entry(code).or_default() += 1,
                Came::Wrong(why) => {
                    wrong += 1;
                    session.print(&failed(why))?;
                }
            }
        }
    }
    let by: Vec<String> = refused.iter().map(|(code, n)| format!("{code} {n} times")).collect();
    let by = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
    let no: usize = refused.values().sum();
    session.print(&format!("calls on {}: {right} passed, {wrong} failed, {no} refused{by}\n", backend.text()))?;
    if wrong == 0 { Ok(()) } else { Err(Stop::quietly(Exit::Mismatch)) }
}

enum Compared {
    Same,
    Accepted,
    Differs(String),
}

fn compare(file: &Path, output: &str, accept: bool) -> Result<Compared> {
    let path = snap::beside(file);
    let old = std::fs::read_to_string(&path).ok();
    let new = snap::normal(output);
    let why = match old.as_deref().map(snap::body) {
        Some(body) if body == new => return Ok(Compared::Same),
        Some(body) => format!("the output is not that of {}; {}", path.display(), snap::first_difference(&body, &new)),
        None => format!("there is no snapshot {}", path.display()),
    };
    if !accept {
        return Ok(Compared::Differs(format!("{why}\n    --accept takes the new one")));
    }
    let text = snap::file(old.as_deref(), &new);
    write_atomically(&path, |out| out.write_all(text.as_bytes()))?;
    Ok(Compared::Accepted)
}
