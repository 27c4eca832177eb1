//! Programs of several files: which files those are, and their text, one behind the other, so that one offset says a place in any
//! of them.
use super::lexer::unescape;
use super::token::Tok;
use crate::source::{MOST_BYTES, decode};
use logos::Logos;
use std::collections::BTreeMap;
use tfc_ir::{Code, DataDecl, Diagnostic, Span};

/// Gives the bytes of a file that a program imports, by its path from the folder of the program, or says why there are none.
pub type Resolve<'r> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'r;

/// What lies beside a program.
#[derive(Clone, Copy)]
pub struct Beside<'r> {
    /// The files that it imports.
    pub file: &'r Resolve<'r>,
    /// The shapes of the arrays that its `data` mean, where a declaration leaves them to the file.
    pub shape: &'r Shape<'r>,
}
/// Gives the shape of the array that a declaration of data means.
pub type Shape<'r> = dyn Fn(&DataDecl) -> tfc_ir::Result<Vec<usize>> + 'r;
impl Beside<'_> {
    /// Nothing: the program has no folder.
    pub const NOTHING: Beside<'static> = Beside {
        file: &|_| Err("the program has no folder".into()),
        shape: &|d| {
            Err(tfc_ir::Error::new(Code::E0601, format!("cannot read `{}`: the program has no folder", d.path)))
        },
    };
}

/// The library: files that every program can import, by these paths, and with `tfc/f32/` for `tfc/` in f32 in place of f64.
pub const LIBRARY: &[(&str, &str)] = &[
    ("tfc/init.tfir", include_str!("../../library/init.tfir")),
    ("tfc/integrate.tfir", include_str!("../../library/integrate.tfir")),
    ("tfc/layers.tfir", include_str!("../../library/layers.tfir")),
    ("tfc/losses.tfir", include_str!("../../library/losses.tfir")),
    ("tfc/optimise.tfir", include_str!("../../library/optimise.tfir")),
    ("tfc/roots.tfir", include_str!("../../library/roots.tfir")),
];

/// A file of a program.
pub(super) struct Part {
    /// Its path from the program's folder; empty for the program itself.
    pub(super) path: String,
    /// Its bytes in the text of all.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The files that it imports, by the places of the words that say so.
    pub(super) imports: BTreeMap<u32, usize>,
}
impl Part {
    /// The folder in which it lies, with a `/` behind it.
    pub(super) fn folder(&self) -> &str {
        self.path.rfind('/').map_or("", |i| self.path.get(..=i).unwrap_or_default())
    }
}

/// All files of a program: itself, then what is imported, each once.
pub(super) struct Files {
    pub(super) text: String,
    pub(super) parts: Vec<Part>,
    /// What is wrong with imports.
    pub(super) errors: Vec<Diagnostic>,
}

/// Finds all files that the program `main` imports.
pub(super) fn gather(main: &str, resolve: &Resolve) -> Files {
    let first = Part { path: String::new(), start: 0, end: main.len(), imports: BTreeMap::new() };
    let mut files = Files { text: main.to_owned(), parts: vec![first], errors: vec![] };
    let mut at = 0;
    while let Some(part) = files.parts.get(at) {
        let found = imports(files.text.get(part.start..part.end).unwrap_or_default(), part.start);
        let folder = part.folder().to_owned();
        for (word, path, span) in found {
            match files.import(&folder, &path, resolve) {
                Ok(to) => {
                    if let Some(part) = files.parts.get_mut(at) {
                        part.imports.insert(word, to);
                    }
                }
                Err((text, help)) => {
                    files.errors.push(Diagnostic::error(Code::E0111, span, text).help(help));
                }
            }
        }
        at += 1;
    }
    files
}

impl Files {
    fn import(&mut self, folder: &str, path: &str, resolve: &Resolve) -> Result<usize, (String, String)> {
        let library = path.starts_with("tfc/") || folder.starts_with("tfc/");
        let inside =
            !path.is_empty() && !path.contains(['\\', ':']) && path.split('/').all(|p| !matches!(p, "" | "." | ".."));
        if !inside {
            let help = "a file is named by its path from the folder of the one that imports it, without `..`: `\"parts/layers.tfir\"`";
            return Err((format!("`{path}` is no path of a file beside this one"), help.into()));
        }
        let key = if path.starts_with("tfc/") { path.to_owned() } else { format!("{folder}{path}") };
        if let Some(known) = self.parts.iter().position(|p| p.path == key) {
            return Ok(known);
        }
        // Programs in f32 import the same files, in f32.
        let single = key.strip_prefix("tfc/f32/").map(|rest| format!("tfc/{rest}"));
        let name = single.as_deref().unwrap_or(&key);
        let bytes = match LIBRARY.iter().find(|f| f.0 == name) {
            Some((_, text)) if single.is_some() => text.replace("f64", "f32").into_bytes(),
            Some((_, text)) => text.as_bytes().to_vec(),
            None if library => {
                let names: Vec<_> = LIBRARY.iter().map(|f| f.0).collect();
                return Err((format!("the library has no `{key}`"), format!("it has {}", names.join(", "))));
            }
            None => resolve(&key).map_err(|why| {
                (format!("`{key}` cannot be imported: {why}"), "paths are relative to the program".into())
            })?,
        };
        if self.text.len() + bytes.len() > MOST_BYTES {
            return Err((
                format!("with `{key}` the program has more than {} MiB", MOST_BYTES >> 20),
                "import less".into(),
            ));
        }
        let text = decode(&bytes)
            .map_err(|d| (format!("`{key}` cannot be imported: {}", d.message), "save it as UTF-8".into()))?;
        self.text.push('\n');
        let start = self.text.len();
        self.text.push_str(text);
        self.parts.push(Part { path: key, start, end: self.text.len(), imports: BTreeMap::new() });
        Ok(self.parts.len() - 1)
    }
}

/// `import "path"` in a text that begins at `start`: where the word stands, the path, and where it stands.
fn imports(text: &str, start: usize) -> Vec<(u32, String, Span)> {
    let mut found = vec![];
    let mut word = None;
    // Most programs are one file, and some are long.
    if !text.contains("import") {
        return found;
    }
    for (tok, range) in Tok::lexer(text).spanned() {
        match (tok, word) {
            (Ok(Tok::Ident("import")), _) => word = Some((start + range.start) as u32),
            (Ok(Tok::Str(path)), Some(at)) => {
                found.push((at, unescape(path), Span::new(start + range.start, start + range.end)));
                word = None;
            }
            (Ok(Tok::Comment(_)), _) => {}
            _ => word = None,
        }
    }
    found
}
