//! Backends behind one face: a program compiled for one of them, run on arguments under limits. A backend that is not
//! there is an error that names it; none ever stands in for another.
use crate::args::{BackendName, RunOptions};
use crate::program::Program;
use crate::session::{Done, Exit, Session, Stop};
use std::time::Duration;
use tfc_backends::interp::{Interp, RunOptions as InterpOptions};
use tfc_ir::{Error, FuncId, Module, OpDef, Result, Tensor};
use tfc_passes::{PassError, Pipeline};

/// The kernels of every backend of this build.
#[derive(Clone)]
pub struct Kernels {
    /// The interpreter's.
    pub interp: tfc_backends::interp::Kernels,
}
impl Default for Kernels {
    /// Those of the built-in families.
    fn default() -> Self {
        Kernels { interp: tfc_backends::interp::Kernels::core() }
    }
}
impl Kernels {
    pub(crate) fn interp_supports(&self, def: &OpDef) -> bool {
        self.interp.has(def)
    }
    pub(crate) fn cpu_supports(&self, def: &OpDef) -> bool {
        self.interp.has(def)
    }
}

/// What a run may use.
#[derive(Clone, Default)]
pub(crate) struct Limits {
    pub(crate) fuel: Option<u64>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) memory: Option<u64>,
    pub(crate) threads: Option<u32>,
}
impl Limits {
    /// Those of the command line.
    pub(crate) fn of(o: &RunOptions) -> Limits {
        Limits { fuel: o.fuel, timeout: o.timeout, memory: o.max_memory, threads: o.threads }
    }
}

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
pub(crate) enum Engine {
    Interp { module: Module, entry: FuncId, kernels: tfc_backends::interp::Kernels },
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
    /// Compiles function `entry` for a backend.
    pub(crate) fn compile(session: &Session, mut program: Program, entry: FuncId, backend: BackendName, level: u8) -> Done<Engine> {
        available(backend)?;
        let pipeline = match backend {
            // The oracle runs what is written, as far as it can.
            BackendName::Interp => tfc_passes::level(0),
            _ => tfc_passes::level(level),
        };
        run_passes(&mut program, &pipeline, &mut |r| {
            session.detail(format_args!("pass {}: {:?}{}", r.pass.name, r.time, if r.changed { ", changed" } else { "" }));
        })?;
        Ok(Engine::Interp { module: program.module, entry, kernels: session.kernels.interp.clone() })
    }

    /// What it was compiled into, for people.
    pub(crate) fn describe(&self) -> String {
        match self {
            Engine::Interp { module, entry, .. } => {
                let name = module.func_name(*entry);
                format!("@{name}: interpreted, one op at a time\n")
            }
        }
    }

    /// Runs it.
    pub(crate) fn run(&self, arguments: &[Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        match self {
            Engine::Interp { module, entry, kernels } => {
                let options = InterpOptions {
                    fuel: limits.fuel,
                    time: limits.timeout,
                    memory: limits.memory.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
                    print: None,
                };
                Interp::new(module).with_kernels(kernels.clone()).run(*entry, arguments, &options)
            }
        }
    }
}
