//! The `.tfir` text front end.
pub(crate) mod ast;
mod check;
mod expected;
mod fmt;
pub(crate) mod lexer;
pub(crate) mod lower;
pub(crate) mod parser;
pub(crate) mod token;

use crate::source::{self, Meter};
pub use fmt::{fmt, fmt_within};
use std::sync::Arc;
use tfc_ir::{Budget, Diagnostic, Module, OpSet, Span};

lalrpop_util::lalrpop_mod!(
    #[allow(
        clippy::all,
        clippy::panic,
        clippy::unwrap_used,
        dead_code,
        missing_docs,
        unreachable_pub,
        unused,
        reason = "generated code"
    )]
    grammar,
    "/text/grammar.rs"
);

/// Lexical and syntax errors of a file, in order; no names or types are looked at.
pub fn syntax_errors(bytes: &[u8]) -> Vec<Diagnostic> {
    match source::decode(bytes) {
        Ok(src) => match read(src, &Budget::unlimited()) {
            Ok((parsed, _)) => parsed.errors,
            Err(d) => vec![*d],
        },
        Err(d) => vec![*d],
    }
}

/// The tree of a text, and what it takes of the budget as long as it lives.
fn read<'a>(src: &'a str, budget: &Budget) -> Result<(parser::Parsed<'a>, Meter), Box<Diagnostic>> {
    let mut meter = Meter::new(budget).map_err(|e| Box::new(e.into_diagnostic(Span::default())))?;
    let lexed = lexer::lex(src, &mut meter)?;
    Ok((parser::parse(src, lexed), meter))
}

/// More diagnostics than this are not listed.
const MAX_ERRORS: usize = 100;

/// A file that is right, as far as parsing, names, types and extents go.
pub struct Parsed {
    /// The module; values, ops and declarations carry the bytes they are written at.
    pub module: Module,
}

/// Reads a file: lexer, parser, lowering through the builder, which infers and checks every statement.
///
/// # Errors
/// Everything that is wrong, in the order of the file, each mistake once.
pub fn parse_module(bytes: &[u8], ops: &Arc<OpSet>) -> Result<Parsed, Vec<Diagnostic>> {
    parse_within(bytes, ops, &Budget::default())
}

/// As [`parse_module`], of a program that may use so much; the module goes on with it.
///
/// # Errors
/// As [`parse_module`], or which limit was reached.
pub fn parse_within(bytes: &[u8], ops: &Arc<OpSet>, budget: &Budget) -> Result<Parsed, Vec<Diagnostic>> {
    let src = source::decode(bytes).map_err(|d| vec![*d])?;
    let (parsed, _held) = read(src, budget).map_err(|d| vec![*d])?;
    let mut errors = parsed.errors;
    let Some(file) = parsed.file else { return Err(errors) };
    let module = lower::lower(src, (&file, parsed.minor), &parsed.lost, (ops, budget), &mut errors);
    if errors.is_empty() {
        return Ok(Parsed { module });
    }
    Err(source::listed(errors, MAX_ERRORS))
}
