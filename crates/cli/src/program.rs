//! Reading programs: bytes from a file or standard input, the format, the verified module, its data.
use crate::args::{FileFormat, Input};
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tfc_frontend::data::{Roots, declared_shape};
use tfc_frontend::render::Source;
use tfc_frontend::source::MOST_BYTES;
use tfc_frontend::text::Beside;
use tfc_ir::budget::Held;
use tfc_ir::{Budget, Code, Error, Module};

/// A parsed and verified program.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) source: Arc<Source>,
    pub(crate) module: Module,
}

/// The name under which diagnostics speak of a file.
pub(crate) fn display_name(session: &Session, path: &Path) -> String {
    match path.file_name() {
        _ if path == Path::new("-") => "<stdin>".into(),
        Some(name) if session.bare_names => name.to_string_lossy().into_owned(),
        _ => path.display().to_string(),
    }
}

/// Bytes between two looks at the limits.
const CHUNK: u64 = 1 << 20;

/// All bytes of a program, which may be a pipe: it is believed no further than what a program may have. With them comes what they
/// take, and the copy of them that diagnostics show.
fn whole(mut from: impl Read, budget: &Budget, cannot: &dyn Fn(std::io::Error) -> Stop) -> Done<(Vec<u8>, Held)> {
    let mut bytes = vec![];
    let mut held = budget.hold(0).or_run_time()?;
    while bytes.len() <= MOST_BYTES {
        budget.check().or_run_time()?;
        let more = (&mut from).take(CHUNK).read_to_end(&mut bytes).map_err(cannot)?;
        held.resize((2 * bytes.len()).saturating_sub(tfc_ir::budget::FREE_BYTES)).or_run_time()?;
        if (more as u64) < CHUNK {
            return Ok((bytes, held));
        }
    }
    let e = Error::new(Code::E0012, format!("the program has more than {} MiB", MOST_BYTES >> 20));
    Err(Stop::with(Exit::Program, e.help("keep large constants outside, in `data` items")))
}

/// The bytes of a file, or of standard input for `-`.
pub(crate) fn read_bytes(session: &Session, path: &Path) -> Done<Arc<Vec<u8>>> {
    let cannot = |e: std::io::Error| {
        let text = e.to_string();
        let why = text.split(" (os error").next().unwrap_or_default().to_lowercase();
        let name = display_name(session, path);
        Stop::with(Exit::RunTime, Error::new(Code::E0601, format!("cannot read `{name}`: {why}")))
    };
    let (bytes, held) = if path == Path::new("-") {
        whole(std::io::stdin().lock(), &session.budget, &cannot)?
    } else {
        whole(std::fs::File::open(path).map_err(cannot)?, &session.budget, &cannot)?
    };
    let bytes = Arc::new(bytes);
    session.read.lock().unwrap_or_else(|e| e.into_inner()).push((display_name(session, path), bytes.clone()));
    session.read_held.lock().unwrap_or_else(|e| e.into_inner()).push(held);
    Ok(bytes)
}

/// StableHLO as text, where it is bytecode: diagnostics show that text.
fn as_text(session: &Session, path: &Path, bytes: Arc<Vec<u8>>) -> Done<Arc<Vec<u8>>> {
    match tfc_stablehlo::as_text(&bytes) {
        Ok(std::borrow::Cow::Borrowed(_)) => Ok(bytes),
        Ok(std::borrow::Cow::Owned(text)) => {
            let held = session.budget.hold(text.len().saturating_sub(tfc_ir::budget::FREE_BYTES)).or_run_time()?;
            session.read_held.lock().unwrap_or_else(|e| e.into_inner()).push(held);
            Ok(Arc::new(text))
        }
        Err(d) => {
            let source = Arc::new(Source::new(display_name(session, path), &*bytes));
            Err(Stop::at(Exit::Program, vec![*d], source))
        }
    }
}

/// The format of a program: as given, else by its name; standard input is this toolchain's own text.
pub(crate) fn format_of(path: &Path, given: Option<FileFormat>) -> Done<FileFormat> {
    let by_name = || match path.extension()?.to_str()? {
        "tfir" => Some(FileFormat::Tfir),
        "mlir" | "mlirbc" | "bin" => Some(FileFormat::Mlir),
        _ => None,
    };
    if path == Path::new("-") {
        return Ok(given.unwrap_or(FileFormat::Tfir));
    }
    given.or_else(by_name).ok_or_else(|| {
        let e = Error::new(Code::E0901, format!("the format of `{}` is not known", path.display()))
            .help("programs end in .tfir, .mlir or .mlirbc; for others give `--format tfir` or `--format mlir`");
        Stop::with(Exit::Usage, e)
    })
}

/// Reads, parses and verifies a program.
pub(crate) fn load(session: &Session, input: &Input) -> Done<Program> {
    load_from(session, &input.file, input.format)
}

/// [`load`] of a path.
pub(crate) fn load_from(session: &Session, path: &Path, format: Option<FileFormat>) -> Done<Program> {
    let format = format_of(path, format)?;
    let mut bytes = read_bytes(session, path)?;
    if format == FileFormat::Mlir {
        bytes = as_text(session, path, bytes)?;
    }
    let (source, made) = parse(session, path, &bytes, format);
    let source = Arc::new(source);
    match made {
        Ok(module) => Ok(Program { path: path.to_owned(), source, module }),
        Err(diagnostics) => Err(Stop::at(Exit::Program, diagnostics, source)),
    }
}

/// Bytes, and the files that they import, to a verified module.
fn parse(
    session: &Session,
    path: &Path,
    bytes: &[u8],
    format: FileFormat,
) -> (Source, Result<Module, Vec<tfc_ir::Diagnostic>>) {
    let name = display_name(session, path);
    match format {
        FileFormat::Tfir => {
            let roots = Roots::of_program(path, session.data_roots.clone());
            let shape = |d: &tfc_ir::DataDecl| declared_shape(d, &roots);
            let file = |import: &str| {
                let file = path.parent().unwrap_or(Path::new("")).join(import);
                let bytes = read_bytes(session, &file).map_err(|stop| {
                    let text = stop.diagnostics().first().map(|d| d.message.clone()).unwrap_or_default();
                    text.rsplit(": ").next().unwrap_or_default().to_owned()
                })?;
                Ok(bytes.to_vec())
            };
            let limits = (&session.ops, &session.budget);
            let (source, made) =
                tfc_frontend::text::parse_linked(&name, bytes, limits, Beside { file: &file, shape: &shape });
            (source, made.map(|p| p.module))
        }
        FileFormat::Mlir => {
            (Source::new(name, bytes), tfc_stablehlo::parse_within(bytes, &session.ops, &session.budget))
        }
    }
}

impl Program {
    /// A copy to be changed on its own.
    pub(crate) fn fork(&self) -> Program {
        Program { path: self.path.clone(), source: self.source.clone(), module: self.module.fork() }
    }

    /// The program as text; `nest`: with calls in calls, laid out as `tfc fmt` does.
    pub(crate) fn text(&self, nest: bool) -> String {
        if !nest {
            return tfc_ir::print::module(&self.module);
        }
        let text = tfc_ir::print::nested_module(&self.module);
        tfc_frontend::text::fmt(&text).unwrap_or(text)
    }

    /// Reads the files of the data declarations that are left in the module; says of each what is wrong with it.
    pub(crate) fn load_data(&mut self, session: &Session) -> Done {
        let roots = Roots::of_program(&self.path, session.data_roots.clone());
        self.check_data_paths(session)?;
        let wrong: Vec<_> = tfc_api::traced::load_data(&mut self.module, &roots, session.reading())
            .into_iter()
            .map(|e| e.into_diagnostic(tfc_ir::Span::default()))
            .collect();
        if wrong.is_empty() { Ok(()) } else { Err(Stop::at(Exit::RunTime, wrong, self.source.clone())) }
    }

    /// Refuses data paths that no folder makes right: empty, absolute or with `..`, where no data root is open.
    pub(crate) fn check_data_paths(&self, session: &Session) -> Done {
        let roots = Roots::of_program(&self.path, session.data_roots.clone());
        let wrong = |d: &tfc_ir::DataDecl| Some(roots.check_path(&d.path).err()?.into_diagnostic(d.span));
        let found: Vec<_> = self.module.data.iter().filter_map(wrong).collect();
        if found.is_empty() { Ok(()) } else { Err(Stop::at(Exit::Program, found, self.source.clone())) }
    }

    /// The files that the program reads, itself included; outputs must not overwrite them.
    pub(crate) fn files(&self, session: &Session) -> Vec<PathBuf> {
        let roots = Roots::of_program(&self.path, session.data_roots.clone());
        std::iter::once(self.path.clone())
            .chain(self.module.data.iter().filter_map(|d| roots.resolve(&d.path).ok()))
            .collect()
    }
}
