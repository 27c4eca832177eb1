//! The `.tfir` text front end.
pub(crate) mod ast;
mod check;
mod expected;
mod fmt;
pub(crate) mod lexer;
pub(crate) mod parser;
pub(crate) mod token;

pub use fmt::fmt;
use tfc_ir::Diagnostic;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, dead_code, missing_docs, unreachable_pub, unused, reason = "generated code")]
    grammar,
    "/text/grammar.rs"
);

/// Lexical and syntax errors of a file, in order; no names or types are looked at.
pub fn syntax_errors(bytes: &[u8]) -> Vec<Diagnostic> {
    match lexer::decode(bytes) {
        Ok(src) => parser::parse(src, lexer::lex(src)).errors,
        Err(d) => vec![*d],
    }
}
