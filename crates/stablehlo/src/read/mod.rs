//! The StableHLO text front end: StableHLO, CHLO and func ops as JAX prints them and as MLIR's generic form writes them.
//!
//! Text becomes a tree (`parse`), the tree a module by the builder (`lower`), which infers and checks every statement.
//! A file gives all its errors, each at its place. Names that this language does not have are spelled one to one by
//! [`mangle`].
mod ast;
mod lexer;
mod lower;
mod parse;

use std::sync::Arc;
use tfc_frontend::source::{Meter, decode, listed};
use tfc_ir::{Budget, Code, Diagnostic, Module, OpSet, Span};

/// More diagnostics than this are not listed.
const MAX_ERRORS: usize = 1000;

/// Reads a file: lexer, parser, lowering through the builder, which infers and checks every statement.
///
/// # Errors
/// Everything that is wrong or not read, in the order of the file, each mistake once.
pub fn parse_module(bytes: &[u8], ops: &Arc<OpSet>) -> Result<Module, Vec<Diagnostic>> {
    parse_within(bytes, ops, &Budget::default())
}

/// As [`parse_module`], of a program that may use so much; the module goes on with it.
///
/// # Errors
/// As [`parse_module`], or which limit was reached.
pub fn parse_within(bytes: &[u8], ops: &Arc<OpSet>, budget: &Budget) -> Result<Module, Vec<Diagnostic>> {
    let src = source(bytes).map_err(|d| vec![*d])?;
    let meter = Meter::new(budget).map_err(|e| vec![e.into_diagnostic(Span::default())])?;
    let (file, mut errors, _held) = parse::parse(src, meter);
    // What was not read any more is not missing.
    if let Some(limit) = errors.iter().position(|d| d.code.is_limit()) {
        return Err(vec![errors.swap_remove(limit)]);
    }
    let module = lower::lower(&file, (ops, budget), &mut errors);
    if errors.is_empty() {
        return Ok(module);
    }
    Err(listed(errors, MAX_ERRORS))
}

/// The names of all ops that are read, and of the targets of `custom_call`, in order.
pub fn ops_read() -> Vec<String> {
    lower::names()
}

/// A name in the letters of this language, which has letters, digits, `_` and `.`: any other byte, a digit in front, and a
/// `.` that would read as one of these is `.x` and two hexadecimal digits. No two names become one.
pub fn mangle(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (i, c) in name.bytes().enumerate() {
        let plain = match c {
            b'0'..=b'9' => i > 0,
            b'.' => i > 0 && name.as_bytes().get(i + 1) != Some(&b'x'),
            c => c.is_ascii_alphabetic() || c == b'_',
        };
        match (plain, i) {
            (true, _) => out.push(char::from(c)),
            // A name begins with a letter or `_`.
            (false, 0) => out.push_str(&format!("_.x{c:02X}")),
            (false, _) => out.push_str(&format!(".x{c:02X}")),
        }
    }
    if out.is_empty() { "_.x".into() } else { out }
}

/// Lexical and syntax errors of a file, in order; no names, types or ops are looked at.
pub fn syntax_errors(bytes: &[u8]) -> Vec<Diagnostic> {
    match source(bytes) {
        Ok(src) => match Meter::new(&Budget::unlimited()) {
            Ok(meter) => parse::parse(src, meter).1,
            Err(e) => vec![e.into_diagnostic(Span::default())],
        },
        Err(d) => vec![*d],
    }
}

/// The bytes as text; a diagnostic where they are none.
fn source(bytes: &[u8]) -> Result<&str, Box<Diagnostic>> {
    if bytes.starts_with(b"ML\xefR") {
        let d = Diagnostic::error(Code::E0114, tfc_ir::Span::new(0, 4), "the file is MLIR bytecode, not text");
        return Err(Box::new(d.help("print it as text: `print(exported.mlir_module())` in JAX, or `stablehlo-opt`")));
    }
    decode(bytes)
}
