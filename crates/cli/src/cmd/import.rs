//! `tfc import FILE`: a program of another language, printed in this one: written out, cleaned up and with scans for loops
//! that count, or as it was read. Nothing is written unless all of it was read.
use crate::args::Import;
use crate::program::load;
use crate::session::{Done, OrStop, Session};
use tfc_frontend::data::{check_writable, write_atomically};
use tfc_passes::Pipeline;

/// What makes a program readable that another program has written.
pub(super) const PASSES: &str = "inline,fold,simplify,cse,dce,raise-loops,simplify,cse,dce";

pub(super) fn run(session: &Session, args: &Import) -> Done {
    if let Some(path) = &args.output {
        crate::deliver::refuse_input(path, std::slice::from_ref(&args.input.file)).or_usage()?;
        check_writable(path).or_run_time()?;
    }
    let mut program = load(session, &args.input)?;
    if !args.raw {
        let pipeline = Pipeline::parse(PASSES).or_usage()?;
        crate::engine::run_passes(&mut program, &pipeline, &mut |_| {})?;
    }
    let text = program.text(args.nest);
    match &args.output {
        Some(path) => write_atomically(path, |out| out.write_all(text.as_bytes())).or_run_time(),
        None => session.print(&text),
    }
}
