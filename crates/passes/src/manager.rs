//! The pass manager: a pipeline is a string, `"expand-ad,inline,fold,simplify,cse,dce"`; the verifier runs after each
//! pass that changed something.
use crate::error::PassError;
use crate::journal::{Change, asked};
use crate::{ad, batch, lower, opt};
use std::time::{Duration, Instant};
use tfc_ir::{Code, Error, Module};

/// A pass.
pub struct Pass {
    /// Name of the pass in pipelines.
    pub name: &'static str,
    /// What the pass does, in one sentence.
    pub doc: &'static str,
    /// Rewrites the module; says whether it changed anything.
    pub run: fn(&mut Module) -> Result<bool, PassError>,
}
/// Every pass.
pub static PASSES: &[Pass] = &[
    Pass {
        name: "verify",
        doc: "Builds every function again through the one builder and reports what does not hold.",
        run: verify,
    },
    Pass {
        name: "expand-ad",
        doc: "Replaces derivative ops (`grad value_and_grad vjp jvp hvp jacobian hessian`) by calls of generated functions.",
        run: ad::expand_ad,
    },
    Pass {
        name: "batch",
        doc: "Adds to each function that says `with (batch = […])` one that runs it for many indices at once.",
        run: batch::run,
    },
    Pass {
        name: "expand",
        doc: "Replaces composite ops by their expansions, but for those that engines run whole.",
        run: ad::expand_composites,
    },
    Pass {
        name: "widen",
        doc: "Has ops on elements of one and two bytes done in 32 bits and rounded once, but for those that only move them.",
        run: lower::widen::run,
    },
    Pass {
        name: "inline",
        doc: "Replaces calls by the callee's body and drops functions that nothing calls any more.",
        run: opt::inline::run,
    },
    Pass {
        name: "fold",
        doc: "Evaluates ops on constants where the meaning of the ops fixes every bit of the result.",
        run: opt::fold::run,
    },
    Pass {
        name: "ranges",
        doc: "Decides comparisons of integers of which it is known between which numbers they lie.",
        run: opt::ranges::run,
    },
    Pass {
        name: "simplify",
        doc: "Applies the rows' algebraic rules, which hold for NaN, ±0 and ±inf.",
        run: opt::simplify::run,
    },
    Pass { name: "cse", doc: "Merges equal ops.", run: opt::cse::run },
    Pass {
        name: "chains",
        doc: "Orders products of products anew where that takes at most half of the operations and extents are numbers.",
        run: opt::chains::run,
    },
    Pass {
        name: "dce",
        doc: "Drops dead ops, loop carries that only feed themselves, and private functions that nothing calls.",
        run: opt::dce::run,
    },
    Pass {
        name: "raise-loops",
        doc: "Makes scans of loops that count, with cut and collected values for windows that move by the same each trip.",
        run: opt::raise::run,
    },
    Pass {
        name: "raise-maps",
        doc: "Makes a `vmap` of a scan that carries nothing, where all trips together make little in memory.",
        run: opt::raise::maps::run,
    },
    Pass {
        name: "raise-functions",
        doc: "Gives functions that are written out, as `1/(1 + exp(-x))`, the derivative that they have, where one is asked for.",
        run: opt::functions::run,
    },
    Pass {
        name: "licm",
        doc: "Moves what no trip of a loop changes before the loop, where that saves work.",
        run: opt::licm::run,
    },
    Pass { name: "unroll", doc: "Writes loops of few trips out where they stand in a loop.", run: opt::unroll::run },
    Pass {
        name: "hoist",
        doc: "Makes one product of many that a scan makes or sums trip by trip, where sizes are known.",
        run: opt::hoist::run,
    },
    Pass {
        name: "outer",
        doc: "Writes products that sum over nothing as elementwise products, which share loops with what reads them.",
        run: opt::outer::run,
    },
    Pass {
        name: "accumulate",
        doc: "Adds a part to a sum where the part is, in place of zeros with the part in them to the whole sum.",
        run: opt::accumulate::run,
    },
    Pass {
        name: "pads",
        doc: "Joins paddings by zeros that do not overlap, where they are added, into one array.",
        run: opt::pads::run,
    },
    Pass {
        name: "apart",
        doc: "Takes small arrays of loops apart into scalars, where a loop only computes with their elements and moves them.",
        run: opt::apart::run,
    },
    Pass {
        name: "halo",
        doc: "Makes windows of one wider array of several paddings or rotations of one value.",
        run: opt::halo::run,
    },
    Pass {
        name: "short",
        doc: "Writes reductions over a few elements out as elementwise ops of windows.",
        run: opt::short::run,
    },
    Pass {
        name: "recompute",
        doc: "Computes what is read in windows alone in each of them, where that costs little, in place of storing it.",
        run: opt::recompute::run,
    },
    Pass {
        name: "stacks",
        doc: "Computes what is stacked with the axis along which it is, so that an engine can compute it where it goes.",
        run: opt::stacks::run,
    },
    Pass {
        name: "fuse",
        doc: "Wraps ops that share one loop nest, reductions and what follows from them included, into a `fused` op.",
        run: lower::fuse::run,
    },
];

fn verify(m: &mut Module) -> Result<bool, PassError> {
    match tfc_ir::verify::module(m).into_iter().next() {
        Some((f, e)) => Err(PassError::of(&f, e)),
        None => Ok(false),
    }
}

/// What a pass did.
pub struct Report<'a> {
    /// The pass.
    pub pass: &'static Pass,
    /// Whether the pass changed anything.
    pub changed: bool,
    /// How long it took, verification not included.
    pub time: Duration,
    /// What became of statements, of a pipeline that is [`Pipeline::explained`].
    pub changes: Vec<Change>,
    /// The module after it.
    pub module: &'a Module,
}
/// A list of passes.
#[derive(Clone)]
pub struct Pipeline {
    passes: Vec<&'static Pass>,
    verify: bool,
    explain: bool,
}
impl Pipeline {
    /// From a comma-separated list; `E0902` names an unknown pass and the nearest known one.
    pub fn parse(text: &str) -> Result<Pipeline, Error> {
        let mut passes = vec![];
        for name in text.split(',').map(str::trim).filter(|s| !s.is_empty()) {
            let found = PASSES.iter().find(|p| p.name == name);
            passes.push(found.ok_or_else(|| {
                let list: Vec<_> = PASSES.iter().map(|p| p.name).collect();
                Error::new(Code::E0902, format!("there is no pass `{name}`"))
                    .help(format!("the passes are {}", list.join(", ")))
            })?);
        }
        Ok(Pipeline { passes, verify: true, explain: false })
    }
    /// Without the verifier after each pass: for pipelines whose every step is checked by the builder already.
    pub fn unchecked(mut self) -> Pipeline {
        self.verify = false;
        self
    }
    /// The same pipeline, which says what becomes of statements.
    pub fn explained(mut self) -> Pipeline {
        self.explain = true;
        self
    }
    /// The same pipeline up to and with the first pass of that name; `None` if it has none.
    pub fn until(&self, pass: &str) -> Option<Pipeline> {
        let i = self.passes.iter().position(|p| p.name == pass)?;
        Some(Pipeline { passes: self.passes[..=i].to_vec(), ..*self })
    }
    /// Names of its passes.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.passes.iter().map(|p| p.name)
    }
    /// Runs it; `watch` sees the module after each pass.
    pub fn run(&self, m: &mut Module, watch: &mut dyn FnMut(Report)) -> Result<bool, PassError> {
        let mut any = false;
        for pass in &self.passes {
            m.budget.check()?;
            let start = Instant::now();
            let (done, changes) = if self.explain { asked(|| (pass.run)(m)) } else { ((pass.run)(m), vec![]) };
            let changed = done?;
            let time = start.elapsed();
            any |= changed;
            watch(Report { pass, changed, time, changes, module: m });
            if changed && self.verify {
                verify(m).map_err(|mut e| {
                    e.error = e.error.note(format!("found after pass `{}`: this is a bug in tfc", pass.name));
                    e
                })?;
            }
        }
        Ok(any)
    }
}
/// The pipeline without a pass.
pub fn nothing() -> Pipeline {
    Pipeline { passes: vec![], verify: false, explain: false }
}
/// What an engine that runs op by op, on every dtype, needs: derivatives and composites are taken apart.
pub fn plain() -> Pipeline {
    of("raise-functions,expand-ad,expand")
}
fn of(text: &str) -> Pipeline {
    let passes = text.split(',').filter_map(|n| PASSES.iter().find(|p| p.name == n)).collect();
    Pipeline { passes, verify: cfg!(debug_assertions), explain: false }
}
/// The pipeline of an optimisation level: 0 lowers only, 1 raises loops, cleans up, hoists and
/// fuses, 2 (default) also simplifies and orders products anew.
pub fn level(n: u8) -> Pipeline {
    let text = match n {
        0 => "raise-functions,expand-ad,expand,widen",
        1 => {
            "raise-loops,raise-maps,raise-functions,expand-ad,expand,widen,inline,fold,cse,licm,dce,unroll,hoist,accumulate,outer,pads,apart,halo,short,recompute,stacks,widen,fuse"
        }
        _ => {
            "raise-loops,raise-maps,raise-functions,expand-ad,expand,widen,inline,fold,ranges,simplify,cse,licm,dce,unroll,hoist,chains,accumulate,outer,pads,apart,halo,short,recompute,stacks,widen,fuse"
        }
    };
    of(text)
}
