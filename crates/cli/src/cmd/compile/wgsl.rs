//! `--emit wgsl`: the kernels of the entries, a module each.
use crate::args::Compile;
use crate::engine::run_passes;
use crate::entry::keep_only;
use crate::program::Program;
use crate::session::{Done, Exit, OrStop, Session};
use tfc_gpu::Gpu;
use tfc_ir::FuncId;

/// The modules of each entry, one after the other, each with what it needs.
pub(super) fn text(session: &Session, program: &Program, roots: &[FuncId], args: &Compile) -> Done<String> {
    let gpu = Gpu::of_environment();
    let mut copy = program.fork();
    super::stand_in_for_data(&mut copy).or_at(Exit::Program, &program.source)?;
    keep_only(&mut copy.module, roots);
    run_passes(&mut copy, &tfc_api::backend::pipeline(&gpu, args.level.level), &mut |_| {})?;
    let list: Vec<_> = roots.iter().map(|&r| (&copy.module, r)).collect();
    let source = gpu.source(&list, session.fast_math).or_at(Exit::RunTime, &program.source)?;
    let modules: Vec<String> = source.kernels.iter().map(|k| tfc_gpu::text::module(k, &source.functions)).collect();
    Ok(modules.join("\n"))
}
