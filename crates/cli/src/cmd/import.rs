//! `tfc import FILE`: a program of another language, printed in this one. Nothing is written unless all of it was read.
use crate::args::Import;
use crate::program::load;
use crate::session::{Done, OrStop, Session};
use tfc_frontend::data::{check_writable, write_atomically};

pub(super) fn run(session: &Session, args: &Import) -> Done {
    if let Some(path) = &args.output {
        crate::deliver::refuse_input(path, std::slice::from_ref(&args.input.file)).or_usage()?;
        check_writable(path).or_run_time()?;
    }
    let program = load(session, &args.input)?;
    let text = tfc_ir::print::module(&program.module);
    match &args.output {
        Some(path) => write_atomically(path, |out| out.write_all(text.as_bytes())).or_run_time(),
        None => session.print(&text),
    }
}
