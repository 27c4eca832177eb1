//! Diagnostics: one value type for every error and warning of the toolchain. Rendering is the front end's business.
//!
//! What kind of mistake a diagnostic is about is its [`Code`].
use crate::code::Code;
use std::fmt;

/// A byte range of a source file; `0..0` where nothing better is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}
impl Span {
    /// The bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start.min(u32::MAX as usize) as u32, end: end.min(u32::MAX as usize) as u32 }
    }
    /// From the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end }
    }
}

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The program is wrong.
    Error,
    /// The program is suspect.
    Warning,
}

/// What is known about one mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What kind of mistake it is.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// One line, lower case, without a full stop.
    pub message: String,
    /// Underlined places; the first is the primary one.
    pub labels: Vec<(Span, String)>,
    /// Further facts.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
}
impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: vec![(span, String::new())],
            notes: vec![],
            help: None,
        }
    }
    /// With a text on the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        if let Some(l) = self.labels.first_mut() {
            l.1 = text.into();
        }
        self
    }
    /// With a second place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push((span, text.into()));
        self
    }
    /// With a further fact.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }
    /// With advice.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }
    /// The primary place.
    pub fn span(&self) -> Span {
        self.labels.first().map(|l| l.0).unwrap_or_default()
    }
}
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code, self.message)?;
        if let Some(h) = &self.help {
            write!(f, " (help: {h})")?;
        }
        Ok(())
    }
}
impl std::error::Error for Diagnostic {}

/// Which part of an op an error is about; whoever knows spans turns it into one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Part {
    /// The statement as a whole.
    #[default]
    Op,
    /// The operand of that index.
    Operand(usize),
    /// The attribute of that name.
    Attr(&'static str),
    /// Bytes of the text that the attribute of that name holds: from, to.
    Text(&'static str, usize, usize),
    /// The written type of that result.
    Result(usize),
    /// A region (index).
    Region(usize),
}

/// An error of the IR layer: a diagnostic that does not know its place yet. Boxed: the happy path stays small.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<ErrorData>);
/// What an [`Error`] holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorData {
    /// What kind of error it is.
    pub code: Code,
    /// The message.
    pub message: String,
    /// Which part of the op.
    pub part: Part,
    /// Place of the statement, where known (an adjoint statement's primal).
    pub span: Option<Span>,
    /// Further places with their texts.
    pub also: Vec<(Span, String)>,
    /// Further facts.
    pub notes: Vec<String>,
    /// Advice.
    pub help: Option<String>,
}
impl Error {
    /// An error about the whole op.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error(Box::new(ErrorData {
            code,
            message: message.into(),
            part: Part::Op,
            span: None,
            also: vec![],
            notes: vec![],
            help: None,
        }))
    }
    /// An error that says that the toolchain itself is wrong: something that one part of it promises another does not hold. `code` is
    /// one of the codes that [`Code::is_bug`] names.
    pub fn bug(code: Code, message: impl Into<String>) -> Error {
        debug_assert!(code.is_bug(), "{code} is no code of a bug");
        Error::new(code, message)
            .help("this is a bug in tfc or in a family from outside: please report it with the program")
    }
    /// The kind of error.
    pub fn code(&self) -> Code {
        self.0.code
    }
    /// About that part.
    pub fn at(mut self, part: Part) -> Error {
        self.0.part = part;
        self
    }
    /// About operand `i`.
    pub fn operand(self, i: usize) -> Error {
        self.at(Part::Operand(i))
    }
    /// About attribute `name`.
    pub fn attr(self, name: &'static str) -> Error {
        self.at(Part::Attr(name))
    }
    /// At that place, unless one is known already.
    pub fn or_span(mut self, span: Span) -> Error {
        self.0.span.get_or_insert(span);
        self
    }
    /// With a second place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Error {
        self.0.also.push((span, text.into()));
        self
    }
    /// With a further fact.
    pub fn note(mut self, text: impl Into<String>) -> Error {
        self.0.notes.push(text.into());
        self
    }
    /// With advice.
    pub fn help(mut self, text: impl Into<String>) -> Error {
        self.0.help = Some(text.into());
        self
    }
    /// With `text` in front of the message.
    pub fn context(mut self, text: impl fmt::Display) -> Error {
        self.0.message = format!("{text}{}", self.0.message);
        self
    }
    /// Is it about extents that do not fit, or are not known to? Where a pass that puts other extents into checked ops
    /// finds that, the program fails there when it runs, if it ever gets there: what it was is left as it was.
    pub fn is_about_extents(&self) -> bool {
        matches!(self.0.code, Code::E0204 | Code::E0206 | Code::E0403 | Code::E0404)
    }
    /// What it holds.
    pub fn data(&self) -> &ErrorData {
        &self.0
    }
    /// The error as a diagnostic; `span` serves where the error itself knows none.
    pub fn into_diagnostic(self, span: Span) -> Diagnostic {
        let d = *self.0;
        let mut labels = vec![(d.span.unwrap_or(span), String::new())];
        labels.extend(d.also);
        Diagnostic { code: d.code, severity: Severity::Error, message: d.message, labels, notes: d.notes, help: d.help }
    }
}
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "error[{}]: {}", self.0.code, self.0.message)?;
        for n in &self.0.notes {
            write!(f, "; {n}")?;
        }
        if let Some(h) = &self.0.help {
            write!(f, " (help: {h})")?;
        }
        Ok(())
    }
}
/// Prints the error's message, since that is what `fn main() -> Result<()>` and `unwrap` print.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl std::error::Error for Error {}
/// Result with the IR layer's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;
