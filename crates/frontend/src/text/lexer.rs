//! Source text to tokens and comments.
//!
//! Never aborts: each lexical mistake becomes a diagnostic and, where a literal was meant, a [`Tok::Bad`] token, so that
//! the parser goes on. Brackets nested too deeply are the one exception: they end the token stream, which bounds the
//! recursion of everything that follows.
use super::token::Tok;
use crate::source::{Meter, PACE};
use logos::Logos;
use tfc_ir::{Code, Diagnostic, Span};

/// How deep `(` and `[` may nest.
pub(crate) const MAX_BRACKETS: usize = 64;
/// How deep regions may nest.
pub(crate) const MAX_REGIONS: usize = 64;
/// More lexical errors than this are not listed.
const MAX_ERRORS: usize = 50;
/// A token with its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spanned<'a> {
    pub(crate) tok: Tok<'a>,
    pub(crate) span: Span,
}

/// A source file as tokens.
pub(crate) struct Lexed<'a> {
    /// Without comments.
    pub(crate) tokens: Vec<Spanned<'a>>,
    /// Comments in order, `//` included.
    pub(crate) comments: Vec<(Span, &'a str)>,
    pub(crate) errors: Vec<Diagnostic>,
    /// The token stream ends early; what is missing must not be reported.
    pub(crate) truncated: bool,
}

/// Tokens, comments and lexical errors of `src` from byte `from` on, which may be as long as the meter lets it.
pub(crate) fn lex<'a>(src: &'a str, from: usize, meter: &mut Meter) -> Result<Lexed<'a>, Box<Diagnostic>> {
    let mut errors = vec![];
    let text = src.get(from..).unwrap_or_default();
    forbidden_characters(text, from, &mut errors);
    let mut lx = Lexer { src, errors, tokens: Vec::with_capacity((src.len() / 3).min(PACE)), unknown_end: 0 };
    let mut comments = vec![];
    let (mut brackets, mut braces) = (0usize, 0usize);
    let mut truncated = false;
    for (tok, range) in Tok::lexer(text).spanned() {
        let span = Span::new(from + range.start, from + range.end);
        meter.token().map_err(|e| Box::new(e.into_diagnostic(span)))?;
        let Ok(tok) = tok else {
            lx.unknown(span);
            continue;
        };
        let tok = match tok {
            Tok::Comment(text) => {
                comments.push((span, text));
                continue;
            }
            Tok::Ident(w) => Tok::word(w),
            Tok::Number(text) => lx.number(text, span),
            Tok::Str(body) => lx.string(body, span),
            Tok::OpenStr => lx.open_string(span),
            t => t,
        };
        if let (Tok::Sym(_), Some(last @ Spanned { tok: Tok::Ident("mesh"), .. })) = (tok, lx.tokens.last_mut()) {
            last.tok = Tok::Mesh;
        }
        lx.tokens.push(Spanned { tok, span });
        match tok {
            Tok::LParen | Tok::LBrack => brackets += 1,
            Tok::RParen | Tok::RBrack => brackets = brackets.saturating_sub(1),
            Tok::LBrace => (braces, brackets) = (braces + 1, 0),
            Tok::RBrace => braces = braces.saturating_sub(1),
            _ => {}
        }
        if brackets > MAX_BRACKETS || braces > 2 * MAX_REGIONS + 1 {
            let (code, what, max) = match brackets > MAX_BRACKETS {
                true => (Code::E0009, "brackets", MAX_BRACKETS),
                false => (Code::E0010, "regions", MAX_REGIONS),
            };
            let d = Diagnostic::error(code, span, format!("{what} nested more than {max} deep"));
            lx.errors.push(d.label("the rest of the file was not read"));
            truncated = true;
            break;
        }
    }
    let mut errors = lx.errors;
    errors.sort_by_key(|d| d.span());
    if errors.len() > MAX_ERRORS {
        let left = errors.len() - MAX_ERRORS;
        errors.truncate(MAX_ERRORS);
        if let Some(last) = errors.last_mut() {
            last.notes.push(format!("{left} further lexical errors are not listed"));
        }
    }
    Ok(Lexed { tokens: lx.tokens, comments, errors, truncated })
}

/// Text of a string literal's body; escapes were checked by the lexer.
pub(crate) fn unescape(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(c) => c,
                None => break,
            },
            c => c,
        });
    }
    out
}

fn bidi(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn forbidden(c: char) -> bool {
    c == '\u{feff}' || bidi(c) || (c.is_control() && !matches!(c, '\t' | '\n'))
}

/// Reports byte order marks, control characters and bidirectional controls wherever they stand.
fn forbidden_characters(src: &str, from: usize, errors: &mut Vec<Diagnostic>) {
    for (at, c) in src.char_indices() {
        if matches!(c, ' '..='~' | '\n') || !forbidden(c) {
            continue;
        }
        if c == '\r' && src.as_bytes().get(at + 1) == Some(&b'\n') {
            continue;
        }
        let span = Span::new(from + at, from + at + c.len_utf8());
        let code = c as u32;
        errors.push(match c {
            '\u{feff}' => Diagnostic::error(Code::E0002, span, "byte order mark")
                .label("U+FEFF, which editors do not show")
                .help("save the file as UTF-8 without a byte order mark"),
            c if bidi(c) => {
                Diagnostic::error(Code::E0004, span, format!("bidirectional control character U+{code:04X}"))
                    .label("makes the line look different from what it says")
                    .help("remove it, also from comments and strings")
            }
            '\r' => Diagnostic::error(Code::E0003, span, "carriage return without a line feed")
                .help("end lines with `\\n` or `\\r\\n`"),
            _ => Diagnostic::error(Code::E0003, span, format!("control character U+{code:04X}"))
                .help("remove it; only tabs and line ends are allowed"),
        });
    }
}

struct Lexer<'a> {
    src: &'a str,
    errors: Vec<Diagnostic>,
    tokens: Vec<Spanned<'a>>,
    /// End of the last unknown character that was reported: a word with several is one mistake.
    unknown_end: u32,
}

impl<'a> Lexer<'a> {
    fn unknown(&mut self, span: Span) {
        let text = self.src.get(span.start as usize..span.end as usize).unwrap_or_default();
        let Some(c) = text.chars().next() else { return };
        if forbidden(c) {
            return;
        }
        let between = self.src.get(self.unknown_end as usize..span.start as usize).unwrap_or(" ");
        let same_run = self.unknown_end > 0 && between.chars().all(char::is_alphanumeric);
        self.unknown_end = span.end;
        if same_run {
            if let Some(label) = self.errors.last_mut().and_then(|d| d.labels.first_mut()) {
                label.0.end = span.end;
            }
            return;
        }
        // What is wrong about a name is its first letter, not the sigil before it.
        let behind = self.src.get(span.end as usize..).and_then(|s| s.chars().next());
        let letter = behind.filter(|l| c == '%' && l.is_alphabetic());
        let shown = letter.unwrap_or(c).escape_debug();
        let d = Diagnostic::error(Code::E0008, span, format!("unknown character `{shown}`"));
        let help = match c {
            '%' if letter.is_some() => "names are ASCII: `%alpha`",
            '%' => "a value is written `%name`",
            '?' => "a value-dependent extent is written `?name`",
            '#' => "comments are `// …`; a location is written `#12`",
            '/' if self.src.get(..span.start as usize).is_some_and(|s| s.ends_with('*'))
                || self.src.get(span.end as usize..).is_some_and(|s| s.starts_with('*')) =>
            {
                "comments are `// …`, to the end of the line"
            }
            '/' => {
                "quotients are ops, `div(%x, %y)`, of extents `floordiv(a, b)`, and of numbers written out; comments are `// …`"
            }
            '.' => "a float has digits on both sides of the point: `0.5`, `1.0`",
            '\'' if self
                .src
                .get(..span.start as usize)
                .is_some_and(|s| s.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, ')' | ']' | '_'))) =>
            {
                "a matrix is turned by `transpose(%a, perm = [1, 0])`; strings are written with double quotes"
            }
            '|' => "absolute values are `abs(%x)`; of two conditions one holds where `or(%p, %q)` does",
            '&' => "two conditions hold where `and(%p, %q)` does",
            '!' => "a condition is turned by `not(%p)`, and `ne(%x, %y)` is where two values differ",
            '^' => "powers are `pow(%x, 2)`, and `xor(%p, %q)` is one of two",
            '\'' => "strings are written with double quotes",
            ';' => "remove it: nothing stands between statements",
            c if c.is_alphabetic() => "names are ASCII",
            _ => "remove it",
        };
        self.errors.push(d.help(help));
    }

    fn number(&mut self, text: &'a str, span: Span) -> Tok<'a> {
        if let Some(tok) = classify_number(text) {
            return tok;
        }
        let d = Diagnostic::error(Code::E0007, span, format!("`{}` is not a number", shorten(text)));
        self.errors.push(d.help(number_help(text)));
        Tok::Bad
    }

    fn string(&mut self, body: &'a str, span: Span) -> Tok<'a> {
        let mut chars = body.char_indices();
        let mut ok = true;
        while let Some((at, c)) = chars.next() {
            if c != '\\' {
                continue;
            }
            let Some((_, e)) = chars.next() else { break };
            if !matches!(e, '"' | '\\' | 'n' | 't') {
                let start = span.start as usize + 1 + at;
                let place = Span::new(start, start + 1 + e.len_utf8());
                let d = Diagnostic::error(Code::E0006, place, format!("unknown escape `\\{}`", e.escape_debug()));
                self.errors.push(d.help("strings know `\\\"`, `\\\\`, `\\n` and `\\t`; write `\\\\` for a backslash"));
                ok = false;
            }
        }
        if ok { Tok::Str(body) } else { Tok::Bad }
    }

    fn open_string(&mut self, span: Span) -> Tok<'a> {
        let d = Diagnostic::error(Code::E0005, span, "unterminated string").label("no closing `\"` on this line");
        self.errors.push(d.help("close it with `\"`; a line break inside is written `\\n`"));
        Tok::Bad
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(24) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into(),
    }
}

fn classify_number(text: &str) -> Option<Tok<'_>> {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if digits(text) {
        return Some(Tok::Int(text));
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return (!hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit())).then_some(Tok::Hex(text));
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((m, e)) => (m, Some(e.strip_prefix(['+', '-']).unwrap_or(e))),
        None => (text, None),
    };
    let mantissa_ok = match mantissa.split_once('.') {
        Some((i, f)) => digits(i) && digits(f),
        None => digits(mantissa),
    };
    (mantissa_ok && exponent.is_none_or(digits)).then_some(Tok::Float(text))
}

/// What `4x3xf64` is here.
fn shape_of_mlir(text: &str) -> Option<String> {
    let mut parts: Vec<&str> = text.split('x').collect();
    let dtype = parts.pop().filter(|d| matches!(Tok::word(d), Tok::Dtype(_)) || *d == "i1")?;
    let digits = |p: &&str| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit());
    let dtype = tfc_ir::words::dtype(dtype).unwrap_or(dtype);
    (!parts.is_empty() && parts.iter().all(digits)).then(|| format!("{dtype}[{}]", parts.join(", ")))
}

fn number_help(text: &str) -> String {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    let rest = &text[digits.len()..];
    if text.starts_with("0x") || text.starts_with("0X") {
        "bit patterns are `0x` and hexadecimal digits: `0x7ff8000000000001`".into()
    } else if rest == "." {
        format!("write `{digits}.0`")
    } else if let Some(shape) = shape_of_mlir(text) {
        format!("types are written with their extents in brackets: `{shape}`")
    } else if rest.contains("..") {
        "there are no ranges; a float is written `1.5`".into()
    } else if rest.contains('_') {
        "digits are not grouped by `_`".into()
    } else if rest.starts_with(|c: char| c.is_ascii_alphabetic()) && !rest.starts_with(['e', 'E']) {
        format!("a product of extents is written `{digits}*{rest}`; names do not begin with a digit")
    } else {
        "floats are written `1.5`, `1e-3` or `1.5e10`".into()
    }
}
