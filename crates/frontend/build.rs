//! Generates the parser tables from `src/text/grammar.lalrpop`.
use std::process::ExitCode;

fn main() -> ExitCode {
    match lalrpop::Configuration::new().emit_rerun_directives(true).use_cargo_dir_conventions().process() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("lalrpop: {e}");
            ExitCode::FAILURE
        }
    }
}
