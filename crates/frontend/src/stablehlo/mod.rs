//! The StableHLO text front end: StableHLO, CHLO and func ops as JAX prints them and as MLIR's generic form writes them.
//!
//! Text becomes a tree ([`parse`]), the tree a module by the builder ([`lower`]), which infers and checks every statement.
//! A file gives all its errors, each at its place. Names that this language does not have are spelled one to one by
//! [`mangle`].
mod ast;
mod lexer;
mod parse;

use crate::text::lexer::decode;
use tfc_ir::Diagnostic;

/// Lexical and syntax errors of a file, in order; no names, types or ops are looked at.
pub fn syntax_errors(bytes: &[u8]) -> Vec<Diagnostic> {
    match source(bytes) {
        Ok(src) => parse::parse(src).1,
        Err(d) => vec![*d],
    }
}

/// The bytes as text; a diagnostic where they are none.
fn source(bytes: &[u8]) -> Result<&str, Box<Diagnostic>> {
    if bytes.starts_with(b"ML\xefR") {
        let d = Diagnostic::error("E0114", tfc_ir::Span::new(0, 4), "the file is MLIR bytecode, not text");
        return Err(Box::new(d.help("print it as text: `print(exported.mlir_module())` in JAX, or `stablehlo-opt`")));
    }
    decode(bytes)
}
