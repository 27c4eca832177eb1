//! Programs that are made of another one, a derivative or a function at many indices: printed, or run.
use crate::args::{Entry, FileFormat, Input, RunOptions};
use crate::engine::run_passes;
use crate::entry::{export_only, keep_only, pick};
use crate::program::{Program, format_of, load};
use crate::readback::ReadBack;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::path::Path;
use std::time::Instant;
use tfc_frontend::data::{check_writable, write_atomically};
use tfc_ir::{Code, Error, FuncId, Module};
use tfc_passes::{PassError, Pipeline, Report};

/// What turns a derivative op or a `vmap` into a program that a person can follow.
pub(super) const PIPELINE: &str = "raise-loops,raise-functions,expand-ad,inline,fold,simplify,cse,dce";

/// Leaves of a module these functions alone, as a person can follow them.
pub(super) fn written_out(m: &mut Module, roots: &[FuncId], watch: &mut dyn FnMut(Report)) -> Result<(), PassError> {
    keep_only(m, roots);
    Pipeline::parse(PIPELINE)?.run(m, watch)?;
    keep_only(m, roots);
    // A caller gives the extents of a linear part: it need not be an entry point.
    export_only(m, roots, |_| true);
    Ok(())
}

/// A program that is to be made, and where it goes.
pub(super) struct Made<'a> {
    pub(super) input: &'a Input,
    pub(super) entry: &'a Entry,
    /// What cleans up a program of another language.
    pub(super) passes: &'a str,
    pub(super) output: &'a [String],
    /// It is run and not printed.
    pub(super) exec: bool,
    /// What it is, in words.
    pub(super) what: &'a str,
    /// The options with which something runs, in words.
    pub(super) needs: &'a str,
    /// It is printed with calls in calls.
    pub(super) nest: bool,
    pub(super) verify_roundtrip: bool,
    pub(super) run: &'a RunOptions,
}
impl Made<'_> {
    /// Runs or prints what `make` adds to the program: its functions.
    pub(super) fn deliver(
        &self,
        session: &Session,
        started: Instant,
        make: impl FnOnce(&mut Program) -> Done<Vec<FuncId>>,
    ) -> Done {
        if !self.exec {
            self.refuse_run_options()?;
            self.check_output(session)?;
        }
        let mut program = read(session, self.input, self.entry, self.passes)?;
        let roots = make(&mut program)?;
        if self.exec {
            let root = roots.first().copied().ok_or_else(|| Stop::quietly(Exit::Usage))?;
            let trace = crate::trace::Trace::new(started);
            return super::run::execute(session, program, root, self.entry, self.output, self.run, trace);
        }
        keep_only(&mut program.module, &roots);
        let mut reader = ReadBack::of(session, self.verify_roundtrip, &program.module);
        let made = written_out(&mut program.module, &roots, &mut |r| reader.see(&r));
        // Said before what the verifier says of the same pass.
        reader.done()?;
        made.map_err(|e| Stop::at(Exit::Program, vec![e.into_diagnostic()], program.source.clone()))?;
        let text = program.text(self.nest);
        match self.output.first() {
            Some(path) => write_atomically(Path::new(path), |out| out.write_all(text.as_bytes())).or_run_time(),
            None => session.print(&text),
        }
    }
    /// Options that only make sense where something runs.
    fn refuse_run_options(&self) -> Done {
        let o = self.run;
        let given = [
            ("-i", !o.input.is_empty()),
            ("--out-dir", o.out_dir.is_some()),
            ("--expect", !o.expect.is_empty()),
            ("--profile", o.profile.is_some()),
            ("--time", o.time.is_some()),
            ("--repeat", o.repeat != 1),
            ("--plot", !o.plot.is_empty()),
        ];
        match given.iter().find(|g| g.1) {
            Some((option, _)) => {
                let text = format!("`{option}` needs {}: the {} is printed", self.needs, self.what);
                Err(Stop::with(Exit::Usage, Error::new(Code::E0901, text)))
            }
            None => Ok(()),
        }
    }
    fn check_output(&self, session: &Session) -> Done {
        match self.output {
            [] => Ok(()),
            [path] => {
                let path = Path::new(path);
                crate::deliver::refuse_input(path, std::slice::from_ref(&self.input.file)).or_usage()?;
                session.detail(format_args!("the {} goes to {}", self.what, path.display()));
                check_writable(path).or_run_time()
            }
            _ => {
                let text = format!("the {} goes to one file, but several are named", self.what);
                Err(Stop::with(Exit::Usage, Error::new(Code::E0901, text)))
            }
        }
    }
}

/// The program. One of another language is cleaned up first by `passes`, those of `tfc import` in general: what is made is made of
/// what `import` prints.
pub(super) fn read(session: &Session, input: &Input, entry: &Entry, passes: &str) -> Done<Program> {
    let mut program = load(session, input)?;
    if format_of(&input.file, input.format)? == FileFormat::Mlir {
        let f = pick(&program.module, entry.entry.as_deref()).or_usage()?;
        keep_only(&mut program.module, &[f]);
        run_passes(&mut program, &Pipeline::parse(passes).or_usage()?, &mut |_| {})?;
    }
    Ok(program)
}
