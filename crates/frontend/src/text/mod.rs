//! The `.tfir` text front end.
pub(crate) mod ast;
mod check;
mod expected;
mod fmt;
pub(crate) mod lexer;
mod link;
pub(crate) mod lower;
pub(crate) mod parser;
pub(crate) mod token;
mod tokens;

use crate::render::Source;
use crate::source::{self, Meter};
pub use fmt::{fmt, fmt_within};
pub use link::{Beside, LIBRARY, Resolve, Shape};
use std::sync::Arc;
use tfc_ir::{Budget, Diagnostic, Module, OpSet, Span};
pub use tokens::{Token, TokenKind, tokens};

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
    let lexed = lexer::lex(src, 0, &mut meter)?;
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
    parse_linked("", bytes, (ops, budget), Beside::NOTHING).1
}

/// As [`parse_within`], of a program of that name with the files that it imports. The source shows places in each of them.
pub fn parse_linked(
    name: &str,
    bytes: &[u8],
    (ops, budget): (&Arc<OpSet>, &Budget),
    beside: Beside,
) -> (Source, Result<Parsed, Vec<Diagnostic>>) {
    let main = match source::decode(bytes) {
        Ok(main) => main,
        Err(d) => return (Source::new(name, bytes), Err(vec![*d])),
    };
    let files = link::gather(main, beside.file);
    let made = linked(&files, beside.shape, ops, budget);
    let segments = files.parts.iter().map(|p| {
        let place = if p.path.is_empty() { name.to_owned() } else { Source::beside(name, &p.path) };
        (p.start, place)
    });
    (Source::of_files(files.text.as_str(), segments.collect()), made)
}

/// The module of several files.
fn linked(files: &link::Files, shape: &Shape, ops: &Arc<OpSet>, budget: &Budget) -> Result<Parsed, Vec<Diagnostic>> {
    let limit = |d: Diagnostic| vec![d];
    let mut meter = Meter::new(budget).map_err(|e| limit(e.into_diagnostic(Span::default())))?;
    let mut errors = files.errors.clone();
    let mut parsed = vec![];
    for part in &files.parts {
        let src = files.text.get(..part.end).unwrap_or_default();
        let lexed = lexer::lex(src, part.start, &mut meter).map_err(|d| limit(*d))?;
        let mut one = parser::parse(src, lexed);
        errors.append(&mut one.errors);
        parsed.push((src, one, part));
    }
    // Of a program that is beyond repair nothing more is said.
    if parsed.first().is_none_or(|p| p.1.file.is_none()) {
        return Err(source::listed(errors, MAX_ERRORS));
    }
    let texts: Vec<Option<lower::Text>> = parsed
        .iter()
        .map(|(src, one, part)| {
            Some(lower::Text { src, file: one.file.as_ref()?, minor: one.minor, lost: &one.lost, part })
        })
        .collect();
    let mut module = Module::new(ops.clone());
    module.budget = budget.clone();
    lower::lower(&mut module, &texts, shape, &mut errors);
    if errors.is_empty() {
        return Ok(Parsed { module });
    }
    Err(source::listed(errors, MAX_ERRORS))
}
