//! The `.tfir` language for [tree-sitter](https://tree-sitter.github.io): the parser, and what editors ask of its trees.
//!
//! ```
//! let mut parser = tree_sitter::Parser::new();
//! parser.set_language(&tree_sitter_tfir::LANGUAGE.into())?;
//! let tree = parser.parse("tfir 1.1\n", None).ok_or("no tree")?;
//! assert_eq!(tree.root_node().to_sexp(), "(source_file (version (number)))");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_tfir() -> *const ();
}
/// The language.
// SAFETY: the generated parser gives a language that is there for ever.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_tfir) };
/// What is written in which colour.
pub const HIGHLIGHTS: &str = include_str!("../../queries/highlights.scm");
/// What can be folded.
pub const FOLDS: &str = include_str!("../../queries/folds.scm");
/// Where names are defined and used.
pub const LOCALS: &str = include_str!("../../queries/locals.scm");
/// What a file defines.
pub const TAGS: &str = include_str!("../../queries/tags.scm");
