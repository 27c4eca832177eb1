//! How a pass fails: an error with the function that it is about. Every pass needs it, and the manager needs every pass, so
//! it stands by itself.
use tfc_ir::{Diagnostic, Error, Func, Span};

/// What a pass found wrong, and in which function.
#[derive(Clone, Debug)]
pub struct PassError {
    /// Name of the function.
    pub func: String,
    /// The error.
    pub error: Error,
    /// The place of the function, for errors that know none.
    pub span: Span,
}
impl PassError {
    /// An error in function `f`.
    pub fn of(f: &Func, error: Error) -> PassError {
        PassError { func: f.name.to_string(), error, span: f.span }
    }
    /// As a diagnostic.
    pub fn into_diagnostic(self) -> Diagnostic {
        let note = (!self.func.is_empty()).then(|| format!("in @{}", self.func));
        let mut d = self.error.into_diagnostic(self.span);
        d.notes.extend(note);
        d
    }
}
impl From<Error> for PassError {
    fn from(error: Error) -> PassError {
        PassError { func: String::new(), error, span: Span::default() }
    }
}
impl std::fmt::Display for PassError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}", self.error)?;
        if self.func.is_empty() { Ok(()) } else { write!(f, " (in @{})", self.func) }
    }
}
impl std::error::Error for PassError {}
