//! The subcommands, one file each.
mod check;
mod compile;
mod completions;
mod doctor;
mod example;
mod explain;
mod fmt;
pub(crate) mod grad;
mod import;
mod lsp;
mod made;
mod new;
mod ops;
mod opt;
pub(crate) mod run;
mod test;
mod vmap;
mod watch;

use crate::args::Command;
use crate::session::{Done, Session};

/// Runs the command that the command line names.
pub(crate) fn dispatch(session: &Session, command: &Command) -> Done {
    match command {
        Command::Run(a) => run::run(session, a),
        Command::Grad(a) => grad::run(session, a),
        Command::Vmap(a) => vmap::run(session, a),
        Command::Compile(a) => compile::run(session, a),
        Command::Opt(a) => opt::run(session, a),
        Command::Check(a) => check::run(session, a),
        Command::Import(a) => import::run(session, a),
        Command::Fmt(a) => fmt::run(session, a),
        Command::Ops(a) => ops::run(session, a),
        Command::Explain(a) => explain::run(session, a),
        Command::Test(a) => test::run(session, a),
        Command::Completions(a) => completions::run(session, a),
        Command::New(a) => new::run(session, a),
        Command::Watch(a) => watch::run(session, a),
        Command::Lsp(_) => lsp::run(session),
        Command::Doctor => doctor::run(session),
    }
}
