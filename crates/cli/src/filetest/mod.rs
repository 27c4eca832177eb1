//! File tests (TFIR §9): one `.tfir` file is one test. Its directives say which command is under test (the output is a
//! snapshot beside the file), which calls must give which values on every backend, and which diagnostics must appear
//! on which lines. A file without directives must pass `check`.
//!
//! `tfc test` and the workspace's own test walk the same files through [`Runner`].
pub(crate) mod directives;
pub(crate) mod expect;
mod exported;
mod runs;
pub mod snap;

pub use directives::{Directives, Expected, Outcome, RunLine};
pub use exported::Exported;
pub(crate) use runs::Came;

use crate::args::{Cli, Command, Global};
use crate::session::{Done, Session, Sink};
use clap::Parser;
use std::path::{Path, PathBuf};

/// What came of a test file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The output of the command under test, to be compared with the snapshot.
    pub output: Option<String>,
    /// What went wrong; empty when only the snapshot is left to compare.
    pub failures: Vec<String>,
}

/// What runs the command that a command line names. The runner is handed it, because one of the commands is the runner.
pub(crate) type Dispatch = fn(&Session, &Command) -> Done;

/// Runs test files over one set of ops and kernels; [`crate::runner`] makes one.
pub struct Runner {
    session: Session,
    dispatch: Dispatch,
    /// Memory that each command and each call may take, where a file says nothing else.
    memory: Option<u64>,
}
impl Runner {
    /// A runner whose commands run under what `session` knows and write to memory.
    pub(crate) fn of(session: &Session, dispatch: Dispatch) -> Runner {
        let memory = session.budget.limits().memory.map(|n| n as u64);
        Runner { session: session.captured(&Global::default()).0, dispatch, memory }
    }
    /// What one call is done under.
    fn session(&self) -> Session {
        self.session.captured(&Global { max_memory: self.memory, ..Global::default() }).0
    }
    /// The text of a file.
    fn text(&self, file: &Path) -> Result<String, String> {
        let bytes = || {
            let size = std::fs::metadata(file)?.len();
            if self.memory.is_some_and(|most| size > most) {
                return Err(std::io::Error::other(format!("it has {size} bytes, more than the memory limit")));
            }
            std::fs::read(file)
        };
        Ok(String::from_utf8_lossy(&bytes().map_err(|e| format!("cannot be read: {e}"))?).into_owned())
    }

    /// Runs one file.
    pub fn run(&self, file: &Path) -> Report {
        let mut report = Report::default();
        let directives = match self.text(file).and_then(|text| Directives::parse(&text)) {
            Ok(d) => d,
            Err(e) => {
                report.failures.push(e);
                return report;
            }
        };
        let check = ["check".to_owned()];
        let words = directives.command.as_deref();
        if words.is_some() || directives.runs.is_empty() {
            match self.command(words.unwrap_or(&check), file) {
                Ok(ran) => {
                    // Where diagnostics are annotated, they need not also be in a snapshot.
                    if words.is_some() {
                        report.output = Some(ran.text());
                    }
                    if !directives.expected.is_empty() {
                        report.failures.extend(expect::unmatched(&directives.expected, &ran.diagnostics));
                    } else if words.is_none() && ran.code != 0 {
                        report.failures.push(format!("`check` gives exit {}:\n{}", ran.code, ran.err));
                    }
                }
                Err(e) => report.failures.push(e),
            }
        }
        for line in &directives.runs {
            report.failures.extend(runs::run(|| self.session(), file, line));
        }
        report
    }

    /// The calls of a file on one backend.
    ///
    /// # Errors
    /// The file cannot be read, or its directives.
    pub(crate) fn on(&self, file: &Path, backend: crate::args::BackendName) -> Result<Vec<Came>, String> {
        let directives = Directives::parse(&self.text(file)?)?;
        Ok(directives.runs.iter().map(|line| runs::on(&self.session(), file, line, backend)).collect())
    }

    /// The calls of a file that give values, by way of StableHLO: exported for the extents of their arguments, read back and
    /// compiled for the CPU. One entry a call, but for those with an argument of more elements than `most`.
    ///
    /// # Errors
    /// The file cannot be read, or its directives.
    pub fn exported(&self, file: &Path, most: usize) -> Result<Vec<Exported>, String> {
        let calls = Directives::parse(&self.text(file)?)?.runs;
        let values = calls.iter().filter(|l| matches!(l.outcome, Outcome::Values { .. }));
        Ok(values.filter_map(|line| exported::judged(&self.session(), file, line, most)).collect())
    }

    /// Runs a command (without the program's name) on `file`, in this process; its exit status and what it said on
    /// standard output and standard error.
    ///
    /// # Errors
    /// The words are no command.
    pub fn tell(&self, words: &[&str], file: &Path) -> Result<(u8, String, String), String> {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        self.command(&words, file).map(|ran| (ran.code, ran.out, ran.err))
    }

    /// Runs a command of this very program on `file`, in this process.
    fn command(&self, words: &[String], file: &Path) -> Result<Ran, String> {
        let argv =
            std::iter::once("tfc".into()).chain(words.iter().map(Into::into)).chain([file.as_os_str().to_owned()]);
        let mut cli = Cli::try_parse_from(argv).map_err(|e| format!("the command under test is not one: {e}"))?;
        cli.global.max_memory = cli.global.max_memory.or(self.memory);
        let (mut session, out, err) = self.session.captured(&cli.global);
        let code = match session.limit(&cli).and_then(|()| (self.dispatch)(&session, &cli.command)) {
            Ok(()) => 0,
            Err(stop) => {
                session.show_stop(&stop);
                stop.exit as u8
            }
        };
        Ok(Ran { code, out: Sink::text(&out), err: Sink::text(&err), diagnostics: session.shown() })
    }
}

/// What a command did.
struct Ran {
    code: u8,
    out: String,
    err: String,
    diagnostics: Vec<crate::session::Shown>,
}
impl Ran {
    /// The product; where the command failed, how, and what it said.
    fn text(&self) -> String {
        let out = snap::normal(&self.out);
        if self.code == 0 { out } else { snap::normal(&format!("{out}\nexit: {}\n{}", self.code, self.err)) }
    }
}

/// The test files at `path`, a file or a folder, sorted.
pub fn discover(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return std::fs::metadata(path).map(|_| vec![path.to_owned()]);
    }
    let mut found = vec![];
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for p in entries {
        if p.is_dir() {
            found.extend(discover(&p)?);
        } else if p.extension().is_some_and(|e| e == "tfir" || e == "mlir") {
            found.push(p);
        }
    }
    Ok(found)
}
