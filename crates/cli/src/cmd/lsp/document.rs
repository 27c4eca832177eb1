//! An open document: its text, what its names stand for, and what it was when it was last right.
use super::names::Names;
use super::text::Text;
use crate::program::Program;
use crate::session::Session;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tfc_frontend::data::{Roots, declared_shape};
use tfc_frontend::render::Source;
use tfc_frontend::text::{Beside, LIBRARY};
use tfc_ir::{Budget, Diagnostic, Func, Severity, Span};

pub(super) struct Document {
    /// Where it lies; of one that was never saved, a name.
    pub(super) path: PathBuf,
    pub(super) text: Text,
    pub(super) names: Names,
    /// The program, as it was when it was last right.
    pub(super) program: Option<Program>,
    /// The program is that of this text.
    pub(super) current: bool,
}

/// The path of a `file:` address.
pub(super) fn path_of(uri: &str) -> PathBuf {
    let rest = uri.strip_prefix("file://").unwrap_or(uri);
    let mut bytes = vec![];
    let mut chars = rest.bytes();
    while let Some(b) = chars.next() {
        let mut digit = || char::from(chars.next()?).to_digit(16).map(|d| d as u8);
        bytes.push(if b == b'%' { digit().zip(digit()).map_or(b'%', |(h, l)| 16 * h + l) } else { b });
    }
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}
/// The `file:` address of a path.
pub(super) fn uri_of(path: &Path) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/-_.~".contains(&b);
    let text = path.to_string_lossy();
    let quoted = text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") });
    format!("file://{}", quoted.collect::<String>())
}

impl Document {
    pub(super) fn new(path: PathBuf, text: String, before: Option<Document>) -> Document {
        let text = Text::new(text);
        let names = Names::of(&text);
        Document { path, text, names, program: before.and_then(|d| d.program), current: false }
    }
    /// Whether other files are parts of its program.
    pub(super) fn imports(&self) -> bool {
        !self.names.imports(&self.text).is_empty()
    }
    /// The text of a file that it imports: as it is open, else as it lies beside it or in the library.
    pub(super) fn beside(&self, import: &str, open: &BTreeMap<String, Document>) -> Result<String, String> {
        if let Some((_, text)) = LIBRARY.iter().find(|f| f.0 == import) {
            return Ok((*text).to_owned());
        }
        let path = self.path.parent().unwrap_or(Path::new("")).join(import);
        if let Some(other) = open.values().find(|d| d.path == path) {
            return Ok(other.text.all.clone());
        }
        std::fs::read_to_string(&path).map_err(|e| e.to_string())
    }

    /// Reads the program; what is wrong with it, as the protocol has it.
    pub(super) fn check(&mut self, session: &Session, open: &BTreeMap<String, Document>) -> Vec<Value> {
        let name = self.path.display().to_string();
        let budget = Budget::default();
        let file = |import: &str| self.beside(import, open).map(String::into_bytes);
        let roots = Roots::of_program(&self.path, session.data_roots.clone());
        let shape = |d: &tfc_ir::DataDecl| declared_shape(d, &roots);
        let beside = Beside { file: &file, shape: &shape };
        let read = tfc_frontend::text::parse_linked(&name, self.text.all.as_bytes(), (&session.ops, &budget), beside);
        let (source, made) = (Arc::new(read.0), read.1);
        let found = match made {
            Err(found) => {
                self.current = false;
                found
            }
            Ok(parsed) => {
                let program = Program { path: self.path.clone(), source: source.clone(), module: parsed.module };
                let warnings = crate::cmd::check::warnings(&program);
                (self.program, self.current) = (Some(program), true);
                warnings
            }
        };
        found.iter().map(|d| self.shown(d, &source)).collect()
    }

    fn shown(&self, d: &Diagnostic, source: &Source) -> Value {
        let here =
            |span: Span| (span.start as usize) <= self.text.all.len() && source.name_at(span.start) == source.name();
        let mut message = d.message.clone();
        let mut span = d.span();
        if !here(span) {
            // It is in a file that is imported: shown where that is done, with its place there.
            let (line, column) = source.line_column(span.start);
            message = format!("{}:{line}:{column}: {message}", source.name_at(span.start));
            let imports = self.names.imports(&self.text);
            let place = imports.first().and_then(|i| self.names.words.get(i.1));
            span = place.map_or(Span::default(), |w| w.span);
        }
        if let Some(text) = d.labels.first().map(|l| &l.1).filter(|t| !t.is_empty()) {
            message = format!("{message}: {text}");
        }
        for text in d.notes.iter().map(|n| format!("note: {n}")).chain(d.help.iter().map(|h| format!("help: {h}"))) {
            message = format!("{message}\n{text}");
        }
        let related = d.labels.iter().skip(1).filter(|l| here(l.0)).map(|(span, text)| {
            json!({ "location": { "uri": uri_of(&self.path), "range": self.text.range(*span) }, "message": text })
        });
        json!({
            "range": self.text.range(span),
            "severity": if d.severity == Severity::Error { 1 } else { 2 },
            "code": d.code.name(),
            "source": "tfc",
            "message": message,
            "relatedInformation": related.collect::<Vec<_>>(),
        })
    }

    /// The function of that name, as it was when the program was last right.
    pub(super) fn func(&self, name: &str) -> Option<Arc<tfc_ir::Finished>> {
        let program = self.program.as_ref()?;
        let name = name.trim_start_matches('@');
        program.module.funcs().into_iter().map(|f| f.1).find(|f| *f.name == *name)
    }
    /// The function that word `i` is in, and the value that it names there.
    pub(super) fn value(&self, i: usize) -> Option<(Arc<tfc_ir::Finished>, tfc_ir::ValueId)> {
        let func = self.names.func_of(i)?;
        let f = self.func(self.text.slice(self.names.words.get(func.name)?.span))?;
        let defined = self.names.words.get(self.names.definition(i)?)?.span;
        let name = self.text.slice(defined).trim_start_matches('%');
        let named = |f: &Func, exact: bool| {
            let is = |v: &tfc_ir::func::Value| match exact {
                true => v.span.start == defined.start,
                false => *v.name == *name,
            };
            f.values.iter().position(is).map(|v| tfc_ir::ValueId(v as u32))
        };
        let v = if self.current { named(&f, true) } else { named(&f, false) }?;
        Some((f, v))
    }
}
