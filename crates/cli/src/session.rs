//! What every command has at hand (ops, global options, the two output streams) and how a command ends: with nothing,
//! or with a [`Stop`] that says what was wrong and which exit code it deserves.
use crate::args::{BackendName, Cli, ErrorFormat, Global, When};
pub(crate) use crate::exit::Exit;
use crate::limits::Limits;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tfc_api::Kernels;
use tfc_engine::Backend;
use tfc_frontend::data::Reading;
use tfc_frontend::render::{self, Format, Source};
use tfc_ir::budget::Held;
use tfc_ir::{Budget, Code, Diagnostic, Error, OpSet, Severity, Span};
use tfc_stablehlo::{Shardings, Spellings};

/// Why a command ended early.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) exit: Exit,
    diagnostics: Vec<Diagnostic>,
    source: Option<Arc<Source>>,
}
/// How a command ends.
pub(crate) type Done<T = ()> = Result<T, Stop>;

impl Stop {
    /// What it has to say.
    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
    /// The program that it is about.
    pub(crate) fn source(&self) -> Option<&Arc<Source>> {
        self.source.as_ref()
    }
    /// With nothing more to say.
    pub(crate) fn quietly(exit: Exit) -> Stop {
        Stop { exit, diagnostics: vec![], source: None }
    }
    /// With an error that has no place in a program.
    pub(crate) fn with(exit: Exit, e: Error) -> Stop {
        Stop::plain(exit, vec![e.into_diagnostic(Span::default())])
    }
    /// With diagnostics that have no place in a program.
    pub(crate) fn plain(exit: Exit, diagnostics: Vec<Diagnostic>) -> Stop {
        // A limit may be reached by whatever is done to a program; nothing is wrong with the program then.
        let limit = diagnostics.iter().any(|d| d.code.is_limit());
        Stop { exit: if limit { Exit::RunTime } else { exit }, diagnostics, source: None }
    }
    /// With diagnostics at places of a program.
    pub(crate) fn at(exit: Exit, diagnostics: Vec<Diagnostic>, source: Arc<Source>) -> Stop {
        Stop { source: Some(source), ..Stop::plain(exit, diagnostics) }
    }
}

/// Gives an error of a library its exit code.
pub(crate) trait OrStop<T> {
    /// The command line is wrong.
    fn or_usage(self) -> Done<T>;
    /// Reading, running or writing failed.
    fn or_run_time(self) -> Done<T>;
    /// The program is wrong, or a run failed, at a place of `source` where the error knows one.
    fn or_at(self, exit: Exit, source: &Arc<Source>) -> Done<T>;
}
impl<T> OrStop<T> for tfc_ir::Result<T> {
    fn or_usage(self) -> Done<T> {
        self.map_err(|e| Stop::with(Exit::Usage, e))
    }
    fn or_run_time(self) -> Done<T> {
        self.map_err(|e| Stop::with(Exit::RunTime, e))
    }
    fn or_at(self, exit: Exit, source: &Arc<Source>) -> Done<T> {
        self.map_err(|e| {
            // `check`, `check_equal`, `check_close`: the run went well, what it found differs.
            let failed_check = matches!(e.data().code, Code::E0710 | Code::E0711);
            let exit = if failed_check && exit == Exit::RunTime { Exit::Mismatch } else { exit };
            match e.data().span {
                Some(span) if span != Span::default() => {
                    let mut d = e.into_diagnostic(span);
                    if let (Code::E0421, Some(label)) = (d.code, d.labels.first_mut()) {
                        label.0 = condition(source, label.0, &d.message).unwrap_or(label.0);
                    }
                    Stop::at(exit, vec![d], source.clone())
                }
                _ => Stop::with(exit, e),
            }
        })
    }
}

/// Where the header of the function whose name is at `at` states the condition that a message quotes; its `where`, if the condition is
/// written otherwise there.
fn condition(source: &Source, at: Span, message: &str) -> Option<Span> {
    let header = source.slice(Span { end: u32::MAX, ..at });
    let words = tfc_frontend::text::tokens(header);
    let text =
        |t: &tfc_frontend::text::Token| header.get(t.span.start as usize..t.span.end as usize).unwrap_or_default();
    let open = words.iter().position(|t| text(t) == "{")?;
    let from = words.get(..open)?.iter().find(|t| text(t) == "where")?.span;
    let clause = header.get(from.start as usize..words.get(open)?.span.start as usize)?;
    let quoted = message.split('`').filter(|q| q.contains('=')).find_map(|q| Some((clause.find(q)?, q.len())));
    let (start, len) = quoted.unwrap_or((0, "where".len()));
    let start = at.start as usize + from.start as usize + start;
    Some(Span::new(start, start + len))
}

/// Where a stream goes: the process's own, or memory (file tests).
#[derive(Clone, Debug, Default)]
pub(crate) enum Sink {
    #[default]
    Process,
    Memory(Arc<Mutex<Vec<u8>>>),
}
impl Sink {
    fn write(&self, text: &str, own: impl FnOnce(&[u8]) -> std::io::Result<()>) -> std::io::Result<()> {
        match self {
            Sink::Process => own(text.as_bytes()),
            Sink::Memory(m) => {
                m.lock().unwrap_or_else(|e| e.into_inner()).extend_from_slice(text.as_bytes());
                Ok(())
            }
        }
    }
    /// What has come so far.
    pub(crate) fn text(&self) -> String {
        match self {
            Sink::Process => String::new(),
            Sink::Memory(m) => String::from_utf8_lossy(&m.lock().unwrap_or_else(|e| e.into_inner())).into_owned(),
        }
    }
}

/// A diagnostic as a file test sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shown {
    /// From 1; 0 without a place.
    pub(crate) line: usize,
    pub(crate) code: &'static str,
    /// Message and labels.
    pub(crate) text: String,
}

/// What every command has at hand.
pub(crate) struct Session {
    pub(crate) ops: Arc<OpSet>,
    pub(crate) kernels: Kernels,
    /// How rows are exported.
    pub(crate) spellings: Spellings,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) limits: Limits,
    /// What the command may use.
    pub(crate) budget: Budget,
    pub(crate) data_roots: Vec<PathBuf>,
    map: bool,
    /// Speed before exactness, for engines that know it.
    pub(crate) fast_math: bool,
    /// The plugin of the backend `xla`, where the command line names one.
    #[cfg_attr(not(feature = "xla"), expect(dead_code, reason = "a build without that backend has no plugin"))]
    pub(crate) plugin: Option<PathBuf>,
    mesh: Option<String>,
    shard: Vec<String>,
    format: Format,
    color: bool,
    shown: Mutex<Vec<Shown>>,
    /// Sources read so far, for the reproducer of a crash.
    pub(crate) read: Mutex<Vec<(String, Arc<Vec<u8>>)>>,
    /// What they take.
    pub(crate) read_held: Mutex<Vec<Held>>,
    /// Diagnostics name files without their folders, so that snapshots read the same everywhere.
    pub(crate) bare_names: bool,
    out: Sink,
    err: Sink,
}
impl Session {
    /// Of these global options.
    pub(crate) fn new(ops: OpSet, kernels: Kernels, global: &Global) -> Session {
        let color = match global.color {
            When::Always => true,
            When::Never => false,
            When::Auto => std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) && std::io::stderr().is_terminal(),
        };
        let format = match global.error_format {
            ErrorFormat::Human => Format::Human,
            ErrorFormat::Short => Format::Short,
            ErrorFormat::Json => Format::Json,
        };
        Session {
            ops: Arc::new(ops),
            kernels,
            spellings: Spellings::default(),
            quiet: global.quiet,
            verbose: global.verbose,
            limits: Limits::default(),
            budget: Limits::default().budget(global.timeout, global.max_memory, None),
            data_roots: global.data_root.clone(),
            map: global.map,
            fast_math: global.fast_math,
            plugin: global.plugin.clone(),
            mesh: global.mesh.clone(),
            shard: global.shard.clone(),
            format,
            color,
            shown: Mutex::default(),
            read: Mutex::default(),
            read_held: Mutex::default(),
            bare_names: false,
            out: Sink::Process,
            err: Sink::Process,
        }
    }

    /// Takes over the limits of a command line, and starts its clock.
    pub(crate) fn limit(&mut self, cli: &Cli) -> Done {
        self.limits = Limits::parse(&cli.global.limit).or_usage()?;
        self.budget = self.limits.budget(cli.global.timeout, cli.global.max_memory, cli.command.fuel());
        if let Some(time) = cli.global.timeout.filter(|_| !self.bare_names) {
            crate::watchdog::start(time);
        }
        Ok(())
    }
    /// How data files are read.
    pub(crate) fn reading(&self) -> Reading<'_> {
        match self.map {
            // SAFETY: whoever writes `--map` says that nobody changes the files.
            true => unsafe { Reading::mapped(&self.budget) },
            false => (&self.budget).into(),
        }
    }
    /// A session that writes to memory: itself, output, talk.
    pub(crate) fn quiet(ops: OpSet, kernels: Kernels) -> (Session, Sink, Sink) {
        Session::new(ops, kernels, &Global::default()).captured(&Global::default())
    }
    /// A session of the same ops that writes to memory: output, then talk.
    pub(crate) fn captured(&self, global: &Global) -> (Session, Sink, Sink) {
        let (out, err) = (Sink::Memory(Arc::default()), Sink::Memory(Arc::default()));
        let mut s = Session::new((*self.ops).clone(), self.kernels.clone(), global);
        (s.color, s.bare_names, s.out, s.err) = (false, true, out.clone(), err.clone());
        s.spellings = self.spellings.clone();
        s.data_roots.extend(self.data_roots.iter().cloned());
        (s, out, err)
    }
    /// Diagnostics and talk.
    pub(crate) fn complain(&self, text: &str) {
        // That nobody listens is no reason to fail.
        let _ = self.err.write(text, |b| std::io::stderr().lock().write_all(b));
    }

    /// A line on standard error, unless silence was asked for.
    pub(crate) fn talk(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            self.complain(&format!("{text}\n"));
        }
    }
    /// A line on standard error that was asked for by an option of its own.
    pub(crate) fn say(&self, text: impl std::fmt::Display) {
        self.complain(&format!("{text}\n"));
    }
    /// A line on standard error for those who asked for more.
    pub(crate) fn detail(&self, text: impl std::fmt::Display) {
        if self.verbose {
            self.complain(&format!("{text}\n"));
        }
    }
    /// The mesh that the command line names, and what is cut over it.
    pub(crate) fn shardings(&self) -> Done<Option<Shardings>> {
        self.mesh.as_ref().map(|mesh| Shardings::parse(mesh, &self.shard)).transpose().or_usage()
    }
    /// What the command line cuts over it: names of parameters and results.
    pub(crate) fn sharded(&self) -> impl Iterator<Item = &str> {
        self.shard.iter().map(|s| s.split_once('=').map_or(s.as_str(), |s| s.0).trim())
    }
    /// The backends of this build.
    pub(crate) fn backends(&self) -> Vec<Box<dyn Backend>> {
        #[cfg_attr(
            not(any(feature = "xla", feature = "cuda", feature = "gpu")),
            expect(unused_mut, reason = "backends are added below")
        )]
        let mut all = self.kernels.backends();
        #[cfg(feature = "xla")]
        all.push(Box::new(self.xla()));
        #[cfg(feature = "cuda")]
        all.push(Box::new(tfc_cuda::Cuda::of_environment()));
        #[cfg(feature = "gpu")]
        all.push(Box::new(tfc_gpu::Gpu::of_environment()));
        all
    }
    /// XLA, by the plugin that the command line or the environment names.
    #[cfg(feature = "xla")]
    pub(crate) fn xla(&self) -> tfc_xla::Xla {
        // What cannot be read is said where a backend is chosen.
        let shardings = self.shardings().ok().flatten();
        tfc_xla::Xla::new(self.spellings.clone(), self.plugin.clone()).sharded(shardings)
    }
    /// Says which device a run uses.
    pub(crate) fn device(&self, backend: BackendName, threads: Option<u32>) {
        // A file test's output must not depend on the machine.
        if !self.bare_names {
            self.talk(format_args!("device: {}", self.device_line(backend, threads)));
        }
    }
    /// What runs programs of that backend: `cpu, 2 threads, avx512`.
    pub(crate) fn device_line(&self, backend: BackendName, threads: Option<u32>) -> String {
        let named = self.backends().into_iter().find(|b| b.name() == backend.text());
        named.map_or_else(|| backend.text(), |b| b.device(threads.map_or(0, |n| n as usize)))
    }
    /// The product.
    pub(crate) fn print(&self, text: &str) -> Done {
        let own = |b: &[u8]| {
            let mut out = std::io::stdout().lock();
            out.write_all(b).and_then(|()| out.flush())
        };
        self.out.write(text, own).map_err(|e| match e.kind() {
            // Whoever read the output has seen enough.
            std::io::ErrorKind::BrokenPipe => Stop::quietly(Exit::Ok),
            _ => Stop::with(Exit::RunTime, Error::new(Code::E0610, format!("cannot write standard output: {e}"))),
        })
    }
    /// The diagnostics so far.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        self.shown.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }
    /// Shows diagnostics; says how many errors there are.
    pub(crate) fn show(&self, diagnostics: &[Diagnostic], source: Option<&Source>) -> usize {
        self.shown.lock().unwrap_or_else(|e| e.into_inner()).extend(diagnostics.iter().map(|d| {
            let line = source.map_or(0, |s| s.line_column(d.span().start).0);
            let labels = d.labels.iter().map(|l| format!(" {}", l.1)).collect::<String>();
            Shown { line, code: d.code.name(), text: format!("{}{labels}", d.message) }
        }));
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        let shown: Vec<Diagnostic> = diagnostics
            .iter()
            .filter(|d| !self.quiet || d.severity == Severity::Error)
            .take(self.limits.errors)
            .cloned()
            .collect();
        let text = match source {
            Some(s) => render::render(&shown, s, self.format, self.color),
            None => render::render_without_source(&shown, self.format, self.color),
        };
        self.complain(&text);
        if diagnostics.len() > shown.len() && shown.len() == self.limits.errors && self.format == Format::Human {
            self.talk(format_args!("… and {} more (--limit errors=N shows more)", diagnostics.len() - shown.len()));
        }
        errors
    }
    /// Shows what a stop has to say.
    pub(crate) fn show_stop(&self, stop: &Stop) {
        if !stop.diagnostics.is_empty() {
            self.show(&stop.diagnostics, stop.source.as_deref());
        }
    }
}
