//! `tfc vmap FILE`: run a function at many indices at once, or print the program that does.
use super::made::Made;
use crate::args::{Axis, Vmap};
use crate::entry::pick;
use crate::program::Program;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::time::Instant;
use tfc_api::traced::mapped;
use tfc_ir::FuncId;

/// As `tfc import`, but that loops stay what they are: at each index they may run another number of trips.
const CLEAN: &str = "inline,fold,simplify,cse,dce";

pub(super) fn run(session: &Session, args: &Vmap) -> Done {
    let target = Made {
        input: &args.input,
        entry: &args.entry,
        passes: CLEAN,
        output: &args.output,
        exec: args.exec,
        what: "program",
        needs: "`--run`",
        nest: args.nest,
        verify_roundtrip: args.verify_roundtrip,
        run: &args.run,
    };
    target.deliver(session, Instant::now(), |program| map(program, args))
}
/// Adds the function for many indices to the module.
fn map(program: &mut Program, args: &Vmap) -> Done<Vec<FuncId>> {
    let f = pick(&program.module, args.entry.entry.as_deref()).or_usage()?;
    let func = program.module.func(f).or_usage()?;
    let axes = |l: &[Axis]| l.iter().map(|a| a.0).collect::<Vec<_>>();
    let made = mapped(&program.module, f, &axes(&args.ins), &axes(&args.outs));
    let made = made.map_err(|e| Stop::at(Exit::Program, vec![e.into_diagnostic(func.span)], program.source.clone()))?;
    Ok(vec![made])
}
