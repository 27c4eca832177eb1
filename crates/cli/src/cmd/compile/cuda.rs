//! `--emit cuda` and `--emit ptx`: the kernels of the entries, as text and as NVRTC compiles it.
use crate::args::Compile;
use crate::engine::run_passes;
use crate::entry::keep_only;
use crate::program::Program;
use crate::session::{Done, Exit, OrStop, Session};
use tfc_cuda::Cuda;
use tfc_cuda::nvrtc::Nvrtc;
use tfc_cuda::text::Written as _;
use tfc_ir::FuncId;

/// The oldest architecture that kernels are compiled for.
const ARCH: &str = "sm_80";

/// The kernels of each entry, without what all of them begin with; or what becomes of them.
pub(super) fn text(session: &Session, program: &Program, roots: &[FuncId], args: &Compile, ptx: bool) -> Done<String> {
    let cuda = Cuda::of_environment();
    let mut copy = program.fork();
    super::stand_in_for_data(&mut copy).or_at(Exit::Program, &program.source)?;
    keep_only(&mut copy.module, roots);
    run_passes(&mut copy, &tfc_api::backend::pipeline(&cuda, args.level.level), &mut |_| {})?;
    let list: Vec<_> = roots.iter().map(|&r| (&copy.module, r)).collect();
    let source = cuda.source(&list, session.fast_math).or_at(Exit::RunTime, &program.source)?;
    if !ptx {
        return Ok(source.program());
    }
    let made = Nvrtc::find().and_then(|n| n.ptx(&source.text(), ARCH)).or_at(Exit::RunTime, &program.source)?;
    Ok(String::from_utf8_lossy(&made.image).into_owned())
}
