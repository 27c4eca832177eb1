//! Backends behind one face: a program compiled for one of them, run on arguments under the limits of the command. A backend that is not
//! there is an error that names it; none ever stands in for another.
use crate::args::BackendName;
use crate::program::Program;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::cell::RefCell;
use tfc_backends::cpu::{CompileOptions, Cpu, Executable, RunOptions as CpuOptions};
use tfc_backends::interp::{Interp, RunOptions as InterpOptions, Watch};
use tfc_ir::{Budget, DType, Error, FuncId, Module, OpDef, Result, Tensor};
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
    compiled: Compiled,
    /// What a run may use besides what the command has used already.
    budget: Budget,
    /// What the op `print` writes to.
    print: tfc_backends::interp::Print,
}
enum Compiled {
    Interp {
        module: Box<Module>,
        entry: FuncId,
        kernels: tfc_backends::interp::Kernels,
    },
    /// With the options of its runs, which are made once.
    Cpu(Box<RefCell<(Executable, CpuOptions)>>),
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
    pub(crate) fn pipeline(&self) -> Pipeline {
        match self.backend {
            // The oracle runs what is written, as far as it can.
            BackendName::Interp => tfc_passes::level(0),
            _ => tfc_passes::level(self.level),
        }
    }
}

/// `E0811` for a backend that this build has not.
pub(crate) fn available(backend: BackendName) -> Done {
    match backend {
        BackendName::Cpu | BackendName::Interp => Ok(()),
        other => {
            let name = format!("{other:?}").to_lowercase();
            let e = Error::new("E0811", format!("the backend {name} is not in this build"))
                .help("`--backend cpu` and `--backend interp` are; nothing falls back to them unasked");
            Err(Stop::with(Exit::RunTime, e))
        }
    }
}

impl Engine {
    /// Compiles function `entry` for a target.
    pub(crate) fn compile(session: &Session, mut program: Program, entry: FuncId, target: Target) -> Done<Engine> {
        available(target.backend)?;
        let span = program.module.func(entry).or_usage()?.span;
        run_passes(&mut program, &target.pipeline(), &mut |r| {
            session.detail(format_args!(
                "pass {}: {:?}{}",
                r.pass.name,
                r.time,
                if r.changed { ", changed" } else { "" }
            ));
        })?;
        if target.backend == BackendName::Interp {
            let kernels = session.kernels.interp.clone();
            return Ok(Engine {
                span,
                compiled: Compiled::Interp { module: Box::new(program.module), entry, kernels },
                budget: session.budget.clone(),
                print: printer(),
            });
        }
        let options = CompileOptions {
            kernels: session.kernels.cpu.clone(),
            threads: target.threads.map_or(0, |n| n as usize),
            fast_math: session.fast_math,
        };
        let compiled = Cpu::compile(&program.module, entry, &options).or_at(Exit::RunTime, &program.source)?;
        let print = printer();
        let run = CpuOptions { print: Some(print.clone()), ..CpuOptions::default() };
        let budget = session.budget.clone();
        Ok(Engine { span, compiled: Compiled::Cpu(Box::new(RefCell::new((compiled, run)))), budget, print })
    }

    /// What it was compiled into, for people.
    pub(crate) fn describe(&self) -> String {
        match &self.compiled {
            Compiled::Interp { module, entry, .. } => {
                let name = module.func_name(*entry);
                format!("@{name}: interpreted, one op at a time\n")
            }
            Compiled::Cpu(e) => e.borrow().0.describe(),
        }
    }

    /// Most bytes that the last run had at one time, arguments not counted; `None` where nobody counts.
    pub(crate) fn peak_bytes(&self) -> Option<usize> {
        match &self.compiled {
            Compiled::Interp { .. } => None,
            Compiled::Cpu(e) => Some(e.borrow().0.peak_bytes()),
        }
    }

    /// Runs it, within the limits of the command.
    pub(crate) fn run(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>> {
        self.run_anywhere(arguments).map_err(|e| e.or_span(self.span))
    }
    /// Runs it on the interpreter and shows `watch` every op; nothing is printed, and fuel, which the backends count
    /// differently, has no limit. An error on another backend.
    pub(crate) fn watched(&self, arguments: &[Tensor], watch: Watch) -> Result<Vec<Tensor>> {
        let Compiled::Interp { module, entry, kernels } = &self.compiled else {
            return Err(Error::new("E0811", "only the interpreter shows its ops"));
        };
        let options = InterpOptions { fuel: None, budget: self.budget.clone(), print: None, watch: Some(watch) };
        Interp::new(module).with_kernels(kernels.clone()).run(*entry, arguments, &options)
    }
    fn run_anywhere(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>> {
        self.budget.check()?;
        let limits = self.budget.limits();
        match &self.compiled {
            Compiled::Interp { module, entry, kernels } => {
                let (budget, print) = (self.budget.clone(), Some(self.print.clone()));
                let options = InterpOptions { fuel: limits.fuel, budget, print, watch: None };
                Interp::new(module).with_kernels(kernels.clone()).run(*entry, arguments, &options)
            }
            Compiled::Cpu(e) => {
                let (exe, options) = &mut *e.borrow_mut();
                (options.memory, options.taken) = (limits.memory, self.budget.bytes());
                options.fuel = limits.fuel;
                exe.run(arguments, options)
            }
        }
    }
}

/// What the op `print` writes to: standard error, since it is no result.
fn printer() -> tfc_backends::interp::Print {
    std::sync::Arc::new(|label: &str, t: &Tensor| {
        let text = tfc_frontend::data::show::show(label, t, tfc_frontend::data::show::Detail::Summary);
        // That nobody listens is no reason to fail.
        let _ = std::io::Write::write_all(&mut std::io::stderr().lock(), text.as_bytes());
    })
}

/// Can a backend run ops of this row? Asked of the backend itself, by compiling the row's samples.
pub(crate) fn supports(session: &Session, backend: BackendName, def: &'static OpDef) -> bool {
    if backend == BackendName::Interp && session.kernels.interp.has(def) {
        return true;
    }
    let outside = backend == BackendName::Cpu && session.kernels.cpu.has(def);
    outside || DType::SUPPORTED.iter().any(|&dtype| sample_compiles(session, backend, def, dtype))
}
fn sample_compiles(session: &Session, backend: BackendName, def: &'static OpDef, dtype: DType) -> bool {
    let mut m = Module::new(session.ops.clone());
    let samples = (def.sample)(&tfc_ir::sample::SampleCx { m: &m, def, dtype }).unwrap_or_default();
    for s in &samples {
        // Samples are entries: nothing calls them.
        if let Some(f) = m.try_func(s.func) {
            m.define(s.func, tfc_ir::Func { export: true, ..(*f).clone() });
        }
    }
    if samples.is_empty() || tfc_passes::level(0).run(&mut m, &mut |_| {}).is_err() {
        return false;
    }
    let options = CompileOptions { kernels: session.kernels.cpu.clone(), threads: 1, ..CompileOptions::default() };
    samples.iter().any(|s| match backend {
        BackendName::Interp => m
            .try_func(s.func)
            .is_some_and(|f| Interp::new(&m).with_kernels(session.kernels.interp.clone()).missing(&f).is_empty()),
        _ => Cpu::compile(&m, s.func, &options).is_ok(),
    })
}
