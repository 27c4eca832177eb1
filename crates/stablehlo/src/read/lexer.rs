//! StableHLO text to tokens, one at a time: nothing is kept but the place, so that constants of many megabytes cost their
//! own length and no more. Never fails: what is no token is one diagnostic and a [`Tok::Bad`].
use tfc_ir::{Code, Diagnostic, Span};

/// A token; texts are those of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tok<'a> {
    /// `stablehlo.add`, `dense`, `x`
    Ident(&'a str),
    /// `%name`, or `%name#2`: the result of that number.
    Value(&'a str, u32),
    /// `@name`, or the body between the quotes of `@"na me"`.
    Symbol(&'a str),
    /// `#name`
    Hash(&'a str),
    /// `!name`
    Bang(&'a str),
    /// `^name`
    Caret(&'a str),
    /// A number, with its sign.
    Num(&'a str),
    /// The body between the quotes, escapes as they are written.
    Str(&'a str),
    /// One of `( ) { } [ ] < > , : = ? *`
    Punct(u8),
    /// `->`
    Arrow,
    /// Reported already.
    Bad,
    /// The end of the file.
    End,
}
impl Tok<'_> {
    /// The token as it is shown in a message.
    pub(super) fn describe(self) -> String {
        match self {
            Tok::Ident(s) | Tok::Num(s) => format!("`{s}`"),
            Tok::Value(s, 0) => format!("`%{s}`"),
            Tok::Value(s, i) => format!("`%{s}#{i}`"),
            Tok::Symbol(s) => format!("`@{s}`"),
            Tok::Hash(s) => format!("`#{s}`"),
            Tok::Bang(s) => format!("`!{s}`"),
            Tok::Caret(s) => format!("`^{s}`"),
            Tok::Str(_) => "a string".into(),
            Tok::Punct(c) => format!("`{}`", char::from(c)),
            Tok::Arrow => "`->`".into(),
            Tok::Bad => "this".into(),
            Tok::End => "the end of the file".into(),
        }
    }
}

/// Where reading stands. A copy is a place to come back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    pub(super) src: &'a str,
    pub(super) at: usize,
}

fn name_byte(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.')
}

impl<'a> Cursor<'a> {
    fn byte(&self, at: usize) -> u8 {
        self.src.as_bytes().get(at).copied().unwrap_or(0)
    }
    fn text(&self, from: usize, to: usize) -> &'a str {
        self.src.get(from..to).unwrap_or_default()
    }
    /// The end of the run of bytes from `at` that `f` accepts.
    fn run(&self, at: usize, f: impl Fn(u8) -> bool) -> usize {
        let rest = self.src.as_bytes().get(at..).unwrap_or_default();
        at + rest.iter().position(|&c| !f(c)).unwrap_or(rest.len())
    }
    fn skip_space(&mut self) {
        loop {
            self.at = self.run(self.at, |c| c.is_ascii_whitespace());
            if self.byte(self.at) == b'/' && self.byte(self.at + 1) == b'/' {
                self.at = self.run(self.at, |c| c != b'\n');
            } else {
                return;
            }
        }
    }

    /// The next token; what is wrong with it goes to `errors`.
    pub(super) fn next(&mut self, errors: &mut Vec<Diagnostic>) -> (Tok<'a>, Span) {
        self.skip_space();
        let start = self.at;
        let c = self.byte(start);
        if start >= self.src.len() {
            return (Tok::End, Span::new(start, start));
        }
        let tok = match c {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.at = self.run(start, name_byte);
                Tok::Ident(self.text(start, self.at))
            }
            b'0'..=b'9' => self.number(start),
            b'-' if self.byte(start + 1) == b'>' => {
                self.at += 2;
                Tok::Arrow
            }
            b'-' | b'+' if self.byte(start + 1).is_ascii_digit() => self.number(start),
            b'%' => self.value(start),
            b'@' if self.byte(start + 1) == b'"' => {
                self.at += 1;
                match self.string(errors) {
                    Tok::Str(s) => Tok::Symbol(s),
                    t => t,
                }
            }
            b'@' => Tok::Symbol(self.sigil(|c| name_byte(c) || c == b'-')),
            b'#' => Tok::Hash(self.sigil(name_byte)),
            b'!' => Tok::Bang(self.sigil(name_byte)),
            b'^' => Tok::Caret(self.sigil(name_byte)),
            b'"' => self.string(errors),
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b',' | b':' | b'=' | b'?' | b'*' | b'|' | b'/'
            | b'+' | b'-' => {
                self.at += 1;
                Tok::Punct(c)
            }
            _ => self.unknown(errors),
        };
        (tok, Span::new(start, self.at))
    }

    fn number(&mut self, start: usize) -> Tok<'a> {
        let digits = start + usize::from(matches!(self.byte(start), b'-' | b'+'));
        if self.byte(digits) == b'0' && self.byte(digits + 1) == b'x' && self.byte(digits + 2).is_ascii_hexdigit() {
            self.at = self.run(digits + 2, |c| c.is_ascii_hexdigit());
            return Tok::Num(self.text(start, self.at));
        }
        let mut end = self.run(digits, |c| c.is_ascii_digit());
        // An exponent stands behind a point: `1e5` is a number and a word.
        if self.byte(end) == b'.' {
            end = self.run(end + 1, |c| c.is_ascii_digit());
            if matches!(self.byte(end), b'e' | b'E') {
                let exponent = end + 1 + usize::from(matches!(self.byte(end + 1), b'-' | b'+'));
                if self.byte(exponent).is_ascii_digit() {
                    end = self.run(exponent, |c| c.is_ascii_digit());
                }
            }
        }
        self.at = end;
        Tok::Num(self.text(start, end))
    }
    fn value(&mut self, start: usize) -> Tok<'a> {
        let end = self.run(start + 1, |c| name_byte(c) || c == b'-');
        self.at = end;
        let name = self.text(start + 1, end);
        if self.byte(end) == b'#' && self.byte(end + 1).is_ascii_digit() {
            self.at = self.run(end + 1, |c| c.is_ascii_digit());
            return Tok::Value(name, self.text(end + 1, self.at).parse().unwrap_or(u32::MAX));
        }
        Tok::Value(name, 0)
    }
    fn sigil(&mut self, f: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at + 1;
        self.at = self.run(start, f);
        self.text(start, self.at)
    }
    fn string(&mut self, errors: &mut Vec<Diagnostic>) -> Tok<'a> {
        let start = self.at + 1;
        let mut end = start;
        loop {
            end = self.run(end, |c| !matches!(c, b'"' | b'\\' | b'\n'));
            match self.byte(end) {
                b'"' => {
                    self.at = end + 1;
                    return Tok::Str(self.text(start, end));
                }
                b'\\' if end + 1 < self.src.len() => end += 2,
                _ => break,
            }
        }
        self.at = end.min(self.src.len());
        let d = Diagnostic::error(Code::E0005, Span::new(start - 1, start), "unterminated string");
        errors.push(d.label("no closing `\"` on this line").help("the file may have been cut off here"));
        Tok::Bad
    }
    fn unknown(&mut self, errors: &mut Vec<Diagnostic>) -> Tok<'a> {
        let rest = self.src.get(self.at..).unwrap_or_default();
        let c = rest.chars().next().unwrap_or('?');
        let span = Span::new(self.at, self.at + c.len_utf8());
        self.at += c.len_utf8().max(1);
        let code = match c {
            '\u{feff}' => Code::E0002,
            c if c.is_control() => Code::E0003,
            _ => Code::E0008,
        };
        let text = match code {
            Code::E0002 => "byte order mark".to_owned(),
            Code::E0003 => format!("control character U+{:04X}", c as u32),
            _ => format!("unknown character `{}`", c.escape_debug()),
        };
        let help = if code == Code::E0002 { "save the file as UTF-8 without a byte order mark" } else { "remove it" };
        errors.push(Diagnostic::error(code, span, text).help(help));
        Tok::Bad
    }

    /// The end of the bracketed text that begins with `<` at `open`, strings skipped: the place behind its `>`.
    pub(super) fn angle_end(&self, open: usize) -> Option<usize> {
        let bytes = self.src.as_bytes();
        let (mut depth, mut at) = (0usize, open);
        while let Some(&c) = bytes.get(at) {
            match c {
                b'<' => depth += 1,
                b'-' if bytes.get(at + 1) == Some(&b'>') => at += 1,
                b'>' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                b'"' => {
                    at += 1;
                    while !matches!(bytes.get(at), Some(b'"') | None) {
                        at += if bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// A string's body with its escapes resolved: `\"`, `\\`, `\n`, `\t` and two hexadecimal digits.
pub(super) fn unescape(body: &str) -> String {
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body.bytes();
    while let Some(c) = rest.next() {
        if c != b'\\' {
            bytes.push(c);
            continue;
        }
        let digit = |c: u8| char::from(c).to_digit(16);
        match (rest.clone().next(), rest.clone().nth(1).and_then(digit)) {
            (Some(a), Some(lo)) if digit(a).is_some() => {
                bytes.push((digit(a).unwrap_or(0) * 16 + lo) as u8);
                rest.nth(1);
            }
            (Some(a), _) => {
                bytes.push(match a {
                    b'n' => b'\n',
                    b't' => b'\t',
                    c => c,
                });
                rest.next();
            }
            (None, _) => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
