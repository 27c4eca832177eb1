//! The StableHLO text front end: StableHLO, CHLO and func ops as JAX prints them and as MLIR's generic form writes them.
//!
//! Text becomes a tree (`parse`), the tree a module by the builder (`lower`), which infers and checks every statement.
//! A file gives all its errors, each at its place. Names that this language does not have are spelled one to one by
//! [`mangle`].
mod ast;
pub mod bytecode;
mod lexer;
mod lower;
mod parse;

use std::borrow::Cow;
use std::sync::Arc;
use tfc_frontend::source::{Meter, decode, listed};
use tfc_ir::{Budget, Diagnostic, Module, OpSet, Span};

/// More diagnostics than this are not listed.
const MAX_ERRORS: usize = 1000;

/// A file as text: itself, or what it is where it is [`bytecode`] or what `jax.export` has serialised.
///
/// # Errors
/// `E0114` bytecode that is not read.
pub fn as_text(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Box<Diagnostic>> {
    match bytecode::find(bytes) {
        None => Ok(Cow::Borrowed(bytes)),
        Some(code) => bytecode::text(code).map(|text| Cow::Owned(text.into_bytes())),
    }
}

/// Reads a file: lexer, parser, lowering through the builder, which infers and checks every statement. Places of diagnostics are those
/// of [`as_text`].
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
    let bytes = as_text(bytes).map_err(|d| vec![*d])?;
    let src = decode(&bytes).map_err(|d| vec![*d])?;
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

/// The positions of the parameters of `@main` whose memory the caller gives away (`tf.aliasing_output`, `jax.buffer_donor`); none where
/// the file is not understood.
pub fn donated(bytes: &[u8]) -> Vec<usize> {
    let Ok(bytes) = as_text(bytes) else { return vec![] };
    let (Ok(src), Ok(meter)) = (decode(&bytes), Meter::new(&Budget::unlimited())) else { return vec![] };
    let (file, ..) = parse::parse(src, meter);
    let main = file.funcs.iter().find(|f| f.name.text == "main");
    let params = main.map_or(&[][..], |f| &f.params);
    params.iter().enumerate().filter(|p| p.1.donated).map(|p| p.0).collect()
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
    match decode(bytes) {
        Ok(src) => match Meter::new(&Budget::unlimited()) {
            Ok(meter) => parse::parse(src, meter).1,
            Err(e) => vec![e.into_diagnostic(Span::default())],
        },
        Err(d) => vec![*d],
    }
}
