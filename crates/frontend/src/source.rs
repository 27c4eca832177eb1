//! What every reader of programs does with a file, whatever its language: bytes become text, tokens count towards limits, and
//! a long list of errors is cut.
use tfc_ir::budget::{FREE_BYTES, Held};
use tfc_ir::{Budget, Code, Diagnostic, Result, Span};

/// A program has at most so many bytes.
pub const MOST_BYTES: usize = 256 << 20;
/// What a token or comment takes while a file is read: itself, and its part of the tree (estimated of what reading long programs takes).
const BYTES_PER_TOKEN: usize = 144;
/// Tokens between two looks at the limits.
pub(crate) const PACE: usize = 4096;

/// Counts tokens towards the limits of whoever reads a file: before the tree is made of them, since the tree is larger.
pub struct Meter {
    budget: Budget,
    held: Held,
    tokens: usize,
}
impl Meter {
    /// A meter that has counted nothing.
    ///
    /// # Errors
    /// Which limit has been reached already.
    pub fn new(budget: &Budget) -> Result<Meter> {
        budget.check()?;
        Ok(Meter { budget: budget.clone(), held: budget.hold(0)?, tokens: 0 })
    }
    /// Counts one more token. As a program of few bytes, one of few tokens is free.
    ///
    /// # Errors
    /// Which limit is reached.
    #[inline]
    pub fn token(&mut self) -> Result<()> {
        self.tokens += 1;
        if self.tokens.is_multiple_of(PACE) { self.look() } else { Ok(()) }
    }
    fn look(&mut self) -> Result<()> {
        self.held.resize(self.tokens.saturating_mul(BYTES_PER_TOKEN).saturating_sub(FREE_BYTES))?;
        self.budget.check()
    }
}

/// The bytes as text.
///
/// # Errors
/// `E0012` there are more than [`MOST_BYTES`]; `E0001` at the first byte that is part of no character.
pub fn decode(bytes: &[u8]) -> Result<&str, Box<Diagnostic>> {
    if bytes.len() > MOST_BYTES {
        let text = format!("the program has more than {} MiB", MOST_BYTES >> 20);
        let d = Diagnostic::error(Code::E0012, Span::default(), text);
        return Err(Box::new(d.help("keep large constants outside, in `data` items")));
    }
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = bytes {
        let d =
            Diagnostic::error(Code::E0001, Span::new(0, 2), "the file is not UTF-8").label("UTF-16 byte order mark");
        return Err(Box::new(d.help("save the file as UTF-8")));
    }
    std::str::from_utf8(bytes).map_err(|e| {
        let at = e.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        let d = Diagnostic::error(Code::E0001, Span::new(at, at + 1), "the file is not UTF-8");
        Box::new(d.label(format!("byte 0x{byte:02x} is not part of a character")).help("save the file as UTF-8"))
    })
}

/// Errors in the order of the file, each once, and no more than `most`; the last of them says how many are left out.
pub fn listed(mut errors: Vec<Diagnostic>, most: usize) -> Vec<Diagnostic> {
    errors.sort_by_key(|d| d.span());
    errors.dedup();
    if errors.len() > most {
        let left = errors.len() - most;
        errors.truncate(most);
        if let Some(last) = errors.last_mut() {
            last.notes.push(format!("{left} further errors are not listed"));
        }
    }
    errors
}
