//! Backends behind one face: a program compiled for one of them, run on arguments under the limits of the command. A backend that is not
//! there is an error that names it; none ever stands in for another.
use crate::args::BackendName;
use crate::program::Program;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::cell::RefCell;
use tfc_engine::Watch;
use tfc_engine::{Backend, Executable, Limits, Options, Profile, Progress};
use tfc_ir::module::{DataDecl, DataId};
use tfc_ir::op::SlotKind;
use tfc_ir::{Attr, Builder, Code, DType, Error, FuncId, Module, NewOp, OpDef, Result, Tensor, Type};
use tfc_passes::{PassError, Pipeline};

/// Runs a pipeline; what it finds wrong stands at its place in the source.
pub(crate) fn run_passes(
    program: &mut Program,
    pipeline: &Pipeline,
    watch: &mut dyn FnMut(tfc_passes::Report),
) -> Done<bool> {
    pipeline.run(&mut program.module, watch).map_err(|e| pass_stop(program, e))
}
fn pass_stop(program: &Program, e: PassError) -> Stop {
    Stop::at(Exit::Program, vec![e.into_diagnostic()], program.source.clone())
}

/// A compiled program.
pub(crate) struct Engine {
    /// Where its function is written: the place of errors that know none.
    span: tfc_ir::Span,
    compiled: RefCell<Box<dyn Executable>>,
    /// What a run may use besides what the command has used already, and what the op `print` writes to.
    limits: Limits,
}

/// What a program is compiled for.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) backend: BackendName,
    /// Optimisation level.
    pub(crate) level: u8,
    /// `None`: as many as the machine offers.
    pub(crate) threads: Option<u32>,
}
impl Target {
    /// The passes that run before a backend takes over.
    pub(crate) fn pipeline(&self, session: &Session) -> Done<Pipeline> {
        Ok(tfc_api::backend::pipeline(&*available(session, self.backend)?, self.level))
    }
}

/// The backend of that name; `E0811` where this build has none.
pub(crate) fn available(session: &Session, name: BackendName) -> Done<Box<dyn Backend>> {
    if name == BackendName::Cpu {
        tfc_cpu::choice::known().or_usage()?;
    }
    let all = session.backends();
    let mut names: Vec<String> = all.iter().map(|b| format!("`--backend {}`", b.name())).collect();
    if let Some(b) = all.into_iter().find(|b| b.name() == name.text()) {
        return Ok(b);
    }
    let last = names.pop().unwrap_or_default();
    let mut help = format!("{} and {last} are; nothing falls back to them unasked", names.join(", "));
    if matches!(name, BackendName::Xla | BackendName::Cuda | BackendName::Gpu) {
        help = format!("`cargo build -p tfc-lang --features {}` builds one with it; {help}", name.text());
    }
    let e = Error::new(Code::E0811, format!("the backend {} is not in this build", name.text()));
    Err(Stop::with(Exit::RunTime, e.help(help)))
}

impl Engine {
    /// Compiles function `entry` for a target.
    pub(crate) fn compile(session: &Session, mut program: Program, entry: FuncId, target: Target) -> Done<Engine> {
        let backend = available(session, target.backend)?;
        if session.shardings()?.is_some() && !matches!(target.backend, BackendName::Xla) {
            let e = Error::new(Code::E0811, format!("the backend {} runs on one device", target.backend.text()));
            let help = "`--backend xla` cuts a program over a mesh, and `tfc compile --emit stablehlo` writes it";
            return Err(Stop::with(Exit::Usage, e.help(help)));
        }
        let span = program.module.func(entry).or_usage()?.span;
        run_passes(&mut program, &target.pipeline(session)?, &mut |r| {
            session.detail(format_args!(
                "pass {}: {:?}{}",
                r.pass.name,
                r.time,
                if r.changed { ", changed" } else { "" }
            ));
        })?;
        let threads = target.threads.map_or(0, |n| n as usize);
        let options = Options { threads, fast_math: session.fast_math };
        let compiled = backend.compile(program.module, entry, &options).or_at(Exit::RunTime, &program.source)?;
        let limits = Limits {
            budget: session.budget.clone(),
            fuel: None,
            print: Some(tfc_api::backend::to_standard_error()),
            profile: None,
            progress: None,
        };
        Ok(Engine { span, compiled: RefCell::new(compiled), limits })
    }

    /// What it was compiled into, for people.
    pub(crate) fn describe(&self) -> String {
        self.compiled.borrow().describe()
    }

    /// Most bytes that the last run had at one time, arguments not counted; `None` where nobody counts.
    pub(crate) fn peak_bytes(&self) -> Option<usize> {
        self.compiled.borrow().peak_bytes()
    }

    /// Whether its backend says what its steps take.
    pub(crate) fn has_step_times(&self) -> bool {
        self.compiled.borrow().has_step_times()
    }
    /// Collects what its steps take from now on; `E0811` where the backend does not say.
    pub(crate) fn measure(&mut self, name: BackendName) -> Done<Profile> {
        if !self.has_step_times() {
            let e = Error::new(Code::E0811, format!("the backend {} does not say what its steps take", name.text()));
            return Err(Stop::with(Exit::Usage, e.help("`--time=steps` is for `--backend cpu`")));
        }
        Ok(self.limits.profile.get_or_insert_default().clone())
    }
    /// Told how far its loops are from now on.
    pub(crate) fn progress(&mut self) -> Progress {
        self.limits.progress.get_or_insert_default().clone()
    }
    /// Runs it, within the limits of the command.
    pub(crate) fn run(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>> {
        let budget = &self.limits.budget;
        let limits = Limits { fuel: budget.limits().fuel, ..self.limits.clone() };
        let done = budget.check().and_then(|()| self.compiled.borrow_mut().run(arguments, &limits));
        done.map_err(|e| e.or_span(self.span))
    }
    /// Runs it and shows `watch` every op; nothing is printed, and fuel, which the backends count differently, has no limit.
    /// An error on a backend without single ops.
    pub(crate) fn watched(&self, arguments: &[Tensor], watch: Watch) -> Result<Vec<Tensor>> {
        let limits = Limits { fuel: None, print: None, ..self.limits.clone() };
        self.compiled.borrow_mut().watched(arguments, &limits, watch)
    }
}

/// Can a backend run ops of this row? Asked of the backend itself, by compiling the row's samples.
pub(crate) fn supports(session: &Session, backend: &dyn Backend, def: &'static OpDef) -> bool {
    backend.has(def) || tfc_ir::sample::DTYPES.iter().any(|&dtype| sample_compiles(session, backend, def, dtype))
}
/// A program of a row that only names external data, which rows have no samples of.
fn data_sample(m: &mut Module, def: &'static OpDef, dtype: DType) -> Option<FuncId> {
    let slot = def.slots.iter().find(|s| matches!(s.kind, SlotKind::Data))?;
    let ty = Type::exact(dtype, &[1]);
    let value = Some(Tensor::zeros(dtype, &[1]).ok()?);
    m.data.push(DataDecl {
        name: "sample".into(),
        ty,
        format: "npy".into(),
        path: "sample.npy".into(),
        key: None,
        sha256: None,
        convert: false,
        span: tfc_ir::Span::default(),
        value,
    });
    let made = {
        let mut b = Builder::new(m, "sample");
        b.func_mut().export = true;
        let out = b.emit(NewOp::new(def, &[]).attr(slot.name, Attr::Data(DataId(0)))).ok()?;
        b.finish(out).ok()?
    };
    let id = m.reserve("sample")?;
    m.define(id, made);
    Some(id)
}
fn sample_compiles(session: &Session, backend: &dyn Backend, def: &'static OpDef, dtype: DType) -> bool {
    let mut m = Module::new(session.ops.clone());
    let samples = (def.sample)(&tfc_ir::sample::SampleCx { m: &m, def, dtype }).unwrap_or_default();
    for s in &samples {
        // Samples are entries: nothing calls them.
        if let Some(f) = m.try_func(s.func) {
            m.define(s.func, f.exported(true));
        }
    }
    if samples.is_empty()
        && let Some(f) = data_sample(&mut m, def, dtype)
    {
        return backend.runs(&m, f);
    }
    if samples.is_empty() || tfc_passes::level(0).run(&mut m, &mut |_| {}).is_err() {
        return false;
    }
    samples.iter().any(|s| backend.runs(&m, s.func))
}
