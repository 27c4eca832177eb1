//! `tfc completions SHELL`.
use crate::args::{Cli, Completions};
use crate::session::{Done, Session};
use clap::CommandFactory;

pub(super) fn run(session: &Session, args: &Completions) -> Done {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut Cli::command(), "tfc", &mut script);
    session.print(&String::from_utf8_lossy(&script))
}
