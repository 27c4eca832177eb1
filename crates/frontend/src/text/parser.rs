//! Tokens to syntax tree, with as many independent syntax errors as the file has.
//!
//! The generated parser stops at the first token that cannot continue the file. Recovery happens between runs: the
//! statement, function header or item around that token is replaced by one marker token that the grammar accepts in its
//! place, and the file is parsed again. So a mistake costs one statement, never its neighbours, and the tree that comes
//! out always covers the whole file. At most one syntax error a line is reported.
use super::ast::File;
use super::grammar::FileParser;
use super::lexer::{Lexed, Spanned};
use super::token::Tok;
use super::{check, expected};
use lalrpop_util::ParseError;
use std::collections::BTreeSet;
use tfc_ir::{Code, DType, Diagnostic, Span};

/// Parsing gives up after this many repairs.
const MAX_REPAIRS: usize = 80;

/// What parsing a file gave.
pub(crate) struct Parsed<'a> {
    /// `None` where the file is beyond repair.
    pub(crate) file: Option<File<'a>>,
    /// Bytes of each skipped statement with the values it would have defined.
    pub(crate) lost: Vec<Lost<'a>>,
    pub(crate) errors: Vec<Diagnostic>,
    /// The minor version of the language that the file is written in.
    pub(crate) minor: u64,
}

/// A stretch that was skipped.
pub(crate) struct Lost<'a> {
    pub(crate) span: Span,
    /// Values that the stretch seems to define.
    pub(crate) values: Vec<&'a str>,
    /// The functions and data items it seems to define.
    pub(crate) symbols: Vec<&'a str>,
}

/// Parses the tokens of `src`; lexical errors are included in the result.
pub(crate) fn parse<'a>(src: &'a str, lexed: Lexed<'a>) -> Parsed<'a> {
    let Lexed { mut tokens, mut errors, truncated, .. } = lexed;
    let gone = |errors| Parsed { file: None, lost: vec![], errors, minor: MINOR };
    if truncated {
        return gone(errors);
    }
    let minor = match header(&tokens, &mut errors) {
        Header::Body(at, minor) => {
            tokens.drain(..at.min(tokens.len()));
            minor
        }
        Header::Stop => return gone(errors),
    };
    let small = |t: &&Spanned| matches!(t.tok, Tok::Dtype(w) if DType::from_name(w).is_some_and(DType::is_small));
    let dtype = tokens.iter().find(small).map(|t| t.span);
    let lines = errors.iter().map(|d| line_start(src, d.span().start)).collect();
    let mut p = Parser { src, toks: tokens, errors, lines, lost: vec![], eof_reported: false };
    let file = p.run();
    let (mut errors, lost) = (p.errors, p.lost);
    if let Some(file) = &file {
        check::check(file, &mut errors);
        if minor < MINOR {
            check::newer(file, (dtype, src), minor, &mut errors);
        }
    }
    errors.sort_by_key(|d| d.span());
    Parsed { file, lost, errors, minor }
}

enum Header {
    /// The version line is read; items begin at that token. The minor version, the greatest where it is not known.
    Body(usize, u64),
    /// Nothing further can be said about the file.
    Stop,
}

/// This tool reads tfir 1.0 up to this minor version.
pub(crate) const MINOR: u64 = 1;

/// Checks `tfir 1.0`.
fn header(tokens: &[Spanned], errors: &mut Vec<Diagnostic>) -> Header {
    let Some(first) = tokens.first() else {
        if errors.is_empty() {
            let d = Diagnostic::error(Code::E0108, Span::default(), "the file is empty");
            errors.push(d.help("a program begins with `tfir 1.0`"));
        }
        return Header::Stop;
    };
    if first.tok != Tok::Tfir {
        let d = Diagnostic::error(Code::E0101, first.span, "the `tfir` header is missing").label("comes before it");
        errors.push(d.help("begin the file with `tfir 1.0`"));
        return Header::Body(0, MINOR);
    }
    let version = tokens.get(1).copied().unwrap_or(Spanned { tok: Tok::Comma, span: first.span });
    let (major, minor) = match version.tok {
        Tok::Int(major) => (major, "0"),
        Tok::Float(text) => text.split_once('.').unwrap_or((text, "")),
        Tok::Bad => return Header::Body(2, MINOR),
        _ => ("", ""),
    };
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let (major_value, minor_value) = (major.parse::<u64>(), minor.parse::<u64>());
    if !digits(major) || !digits(minor) || major_value == Ok(0) {
        let d = Diagnostic::error(Code::E0109, version.span, "the `tfir` header names no version");
        errors.push(d.help("write `tfir 1.0`"));
        let consumed = matches!(version.tok, Tok::Int(_) | Tok::Float(_));
        return Header::Body(if consumed { 2 } else { 1 }, MINOR);
    }
    let known = minor_value.ok().filter(|&m| major_value == Ok(1) && m <= MINOR);
    let Some(minor) = known else {
        let d = Diagnostic::error(Code::E0102, version.span, format!("the file needs tfir {major}.{minor}"));
        // What a newer version means by the rest cannot be judged here.
        *errors = vec![d.label("this tool reads up to tfir 1.1").help("use a newer tfc")];
        return Header::Stop;
    };
    Header::Body(2, minor)
}

pub(crate) fn line_start(src: &str, at: u32) -> u32 {
    let before = src.as_bytes().get(..at as usize).unwrap_or(src.as_bytes());
    before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p as u32 + 1)
}

struct Parser<'a> {
    src: &'a str,
    toks: Vec<Spanned<'a>>,
    errors: Vec<Diagnostic>,
    /// Starts of lines that have an error already.
    lines: BTreeSet<u32>,
    lost: Vec<Lost<'a>>,
    eof_reported: bool,
}

type Failure<'a> = ParseError<usize, Tok<'a>, std::convert::Infallible>;

fn parse_tokens<'a>(toks: impl Iterator<Item = Spanned<'a>>) -> Result<File<'a>, Failure<'a>> {
    FileParser::new().parse(toks.map(|t| Ok((t.span.start as usize, t.tok, t.span.end as usize))))
}

impl<'a> Parser<'a> {
    fn run(&mut self) -> Option<File<'a>> {
        for _ in 0..MAX_REPAIRS {
            let failure = match parse_tokens(self.toks.iter().copied()) {
                Ok(file) => return Some(file),
                Err(f) => f,
            };
            let (at, expected) = match failure {
                ParseError::UnrecognizedToken { token, expected } => (self.index_of(token.0, token.1), expected),
                ParseError::UnrecognizedEof { expected, .. } => (self.toks.len(), expected),
                _ => return None,
            };
            self.repair(at, &expected);
        }
        if let Some(last) = self.errors.last_mut() {
            last.notes.push("the rest of the file was not checked: too many syntax errors".into());
        }
        None
    }

    /// Inserted braces are empty and may share their start with the token that follows them.
    fn index_of(&self, start: usize, tok: Tok) -> usize {
        let from = self.toks.partition_point(|t| (t.span.start as usize) < start);
        let rest = self.toks.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|t| t.tok != tok && t.span.start as usize == start).count()
    }

    fn tok(&self, at: usize) -> Option<Tok<'a>> {
        self.toks.get(at).map(|t| t.tok)
    }

    fn line_first(&self, at: usize) -> bool {
        let Some(t) = self.toks.get(at) else { return false };
        let from = at.checked_sub(1).and_then(|p| self.toks.get(p)).map_or(0, |p| p.span.end as usize);
        at == 0 || self.src.as_bytes().get(from..t.span.start as usize).is_some_and(|gap| gap.contains(&b'\n'))
    }

    /// Whether a statement, terminator, region or item seems to begin at `at`, or a block to end.
    fn sync(&self, at: usize) -> bool {
        let Some(tok) = self.tok(at) else { return false };
        let next = self.tok(at + 1);
        let named = matches!(next, Some(Tok::Eq | Tok::Colon));
        // Between arguments a line begins with one of them, unless it gives names.
        let before = at.checked_sub(1).and_then(|k| self.tok(k));
        let argument = matches!(before, Some(Tok::Comma | Tok::LParen | Tok::LBrack));
        match tok {
            Tok::SkippedStmt | Tok::SkippedHeader | Tok::SkippedItem => true,
            _ if !self.line_first(at) => false,
            Tok::RBrace => true,
            Tok::Return | Tok::Yield => !named,
            t if t.begins_item() => !named,
            Tok::Value(_) => match next {
                Some(Tok::Comma) => self.assigns(at),
                Some(Tok::LBrack) => false,
                next => next != Some(Tok::RParen),
            },
            Tok::Ident(_) | Tok::Str(_) => next == Some(Tok::LParen) && !argument,
            _ => false,
        }
    }

    /// Whether `%a, %b … =` stands at `at`, before any parenthesis.
    fn assigns(&self, at: usize) -> bool {
        let rest = self.toks.get(at..).unwrap_or_default();
        let stop = rest.iter().take(4096).find(|t| matches!(t.tok, Tok::Eq | Tok::LParen | Tok::RParen | Tok::RBrace));
        stop.is_some_and(|t| t.tok == Tok::Eq)
    }

    /// Whether the tokens before `at` can be followed by `tok`.
    fn viable(&self, at: usize, tok: Tok<'a>) -> bool {
        let end = self.toks.get(at).map_or(self.src.len(), |t| t.span.start as usize);
        let extra = Spanned { tok, span: Span::new(end, end) };
        let prefix = self.toks.iter().take(at).copied().chain([extra]);
        !matches!(parse_tokens(prefix), Err(ParseError::UnrecognizedToken { .. }))
    }

    fn report(&mut self, at: usize, d: Diagnostic) {
        let skipped = matches!(self.tok(at), Some(Tok::SkippedStmt | Tok::SkippedHeader | Tok::SkippedItem));
        if skipped || (at == self.toks.len() && std::mem::replace(&mut self.eof_reported, true)) {
            return;
        }
        if self.lines.insert(line_start(self.src, d.span().start)) {
            self.errors.push(d);
        }
    }

    fn repair(&mut self, at: usize, expected: &[String]) {
        if self.viable(at, Tok::SkippedStmt) {
            self.repair_in_block(at, expected);
        } else if self.viable(at, Tok::SkippedItem) {
            self.report(at, expected::at_item(&self.toks, at));
            let end = self.next_item(at + 1);
            self.skip(at, end, Tok::SkippedItem);
        } else {
            self.repair_inside(at, expected);
        }
    }

    /// The statements so far are complete, and `at` begins none.
    fn repair_in_block(&mut self, at: usize, expected: &[String]) {
        match self.tok(at) {
            None => self.close_block(at),
            Some(t) if t.begins_item() && self.sync(at) => self.close_block(at),
            _ => {
                self.report(at, expected::here(&self.toks, at, expected));
                let end = self.statement_end(at, at);
                self.skip(at, end, Tok::SkippedStmt);
            }
        }
    }

    /// Somewhere inside a statement, header or item, or after a terminator.
    fn repair_inside(&mut self, at: usize, expected: &[String]) {
        let starts_here = self.sync(at);
        let start = self.statement_start(at);
        if self.after_terminator(start, at) {
            return;
        }
        let item_or_end = self.tok(at).is_none_or(|t| t.begins_item() && starts_here);
        if item_or_end && self.viable(at, Tok::RBrace) {
            return self.close_block(at);
        }
        if starts_here && self.viable(at, Tok::LBrace) && self.tok(start).is_some_and(|t| t.begins_item()) {
            self.report(at, expected::unexpected(self.src, &self.toks, at, &[r#""{""#.into()]));
            return self.insert(at, Tok::LBrace);
        }
        self.report(at, expected::unexpected(self.src, &self.toks, at, expected));
        let Some(first) = self.tok(start) else { return };
        if first.begins_item() || first == Tok::SkippedHeader || first == Tok::SkippedItem {
            let item_end = self.next_item(start + 1);
            let item = self.toks.get(start..item_end).unwrap_or_default();
            let brace = item.iter().position(|t| t.tok == Tok::LBrace).map(|p| start + p);
            match brace {
                Some(b) if matches!(first, Tok::Func | Tok::Export) && at <= b => {
                    self.skip(start, b, Tok::SkippedHeader);
                }
                _ => self.skip(start, item_end, Tok::SkippedItem),
            }
        } else {
            let end = self.statement_end(start, at);
            self.skip(start, end, Tok::SkippedStmt);
        }
    }

    /// Where the statement or item that fails at `at` begins: the last line before which the file is complete.
    fn statement_start(&self, at: usize) -> usize {
        // Lines inside blocks that are closed before `at` are no candidates.
        let mut depth = 0usize;
        let mut lines = vec![];
        for k in (0..at.min(self.toks.len())).rev() {
            match self.tok(k) {
                Some(Tok::RBrace) => depth += 1,
                Some(Tok::LBrace) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && self.line_first(k) {
                lines.push(k);
                if self.tok(k).is_some_and(|t| t.begins_item()) {
                    break;
                }
            }
        }
        let exact = |&k: &usize| self.viable(k, Tok::SkippedStmt) || self.viable(k, Tok::SkippedItem);
        let near = lines.iter().copied().take(8).find(exact);
        near.or_else(|| lines.into_iter().find(|&k| self.sync(k))).unwrap_or(0)
    }

    /// Drops what stands between a terminator and the end of its block, and says so.
    fn after_terminator(&mut self, start: usize, at: usize) -> bool {
        let Some(word) = self.toks.get(start).copied() else { return false };
        if !matches!(word.tok, Tok::Return | Tok::Yield) {
            return false;
        }
        let Some(from) = (start + 1..=at).find(|&k| self.sync(k)) else { return false };
        let ends = self.tok(from).is_none_or(|t| t == Tok::RBrace || t.begins_item());
        if ends || !self.viable(from, Tok::RBrace) {
            return false;
        }
        let end = self.block_end(from);
        let place = self.toks.get(from).map(|t| t.span).unwrap_or_default();
        let name = word.tok.fixed().unwrap_or("return");
        let d = Diagnostic::error(Code::E0106, place, format!("statement after `{name}`")).label("is never reached");
        self.report(from, d.also(word.span, "the block ends here").help("move it up, or remove it"));
        self.toks.drain(from..end);
        true
    }

    /// Index of the `}` that closes the block that `from` stands in, or of the next item.
    fn block_end(&self, from: usize) -> usize {
        let mut depth = 0usize;
        for k in from..self.toks.len() {
            match self.tok(k) {
                Some(Tok::LBrace) => depth += 1,
                Some(Tok::RBrace) if depth == 0 => return k,
                Some(Tok::RBrace) => depth -= 1,
                Some(t) if t.begins_item() && self.sync(k) => return k,
                _ => {}
            }
        }
        self.toks.len()
    }

    /// Index after the broken statement that begins at `start` and fails at `at`.
    fn statement_end(&self, start: usize, at: usize) -> usize {
        let is_skipped = matches!(self.tok(at), Some(Tok::SkippedStmt | Tok::SkippedHeader | Tok::SkippedItem));
        let mut end = if self.sync(at) && at > start && !is_skipped { at } else { (at + 1).max(start + 1) };
        let mut depth = 0isize;
        let mut k = start;
        while k < self.toks.len() {
            if k >= end && depth <= 0 && self.sync(k) {
                return k;
            }
            match self.tok(k) {
                Some(Tok::LBrace) => depth += 1,
                Some(Tok::RBrace) => depth -= 1,
                Some(t) if k > start && t.begins_item() && self.sync(k) => return k,
                _ => {}
            }
            // A `}` that closes the enclosing block is not part of the statement.
            if depth < 0 && k > start {
                return k;
            }
            k += 1;
            end = end.max(start + 1);
        }
        self.toks.len()
    }

    fn next_item(&self, from: usize) -> usize {
        let found = (from..self.toks.len()).find(|&k| {
            let marker = matches!(self.tok(k), Some(Tok::SkippedHeader | Tok::SkippedItem));
            marker || (self.tok(k).is_some_and(|t| t.begins_item()) && self.sync(k))
        });
        found.unwrap_or(self.toks.len())
    }

    fn skip(&mut self, start: usize, end: usize, marker: Tok<'a>) {
        let end = end.clamp((start + 1).min(self.toks.len()), self.toks.len());
        let Some(range) = self.toks.get(start..end) else { return };
        let (Some(first), Some(last)) = (range.first(), range.last()) else {
            let place = Span::new(self.src.len(), self.src.len());
            return self.toks.push(Spanned { tok: marker, span: place });
        };
        let span = first.span.to(last.span);
        let mut values: Vec<&'a str> = vec![];
        if range.iter().any(|t| t.tok == Tok::Eq) {
            let head = range.iter().take_while(|t| t.tok != Tok::Eq);
            values.extend(head.filter_map(|t| if let Tok::Value(v) = t.tok { Some(v) } else { None }));
        }
        let names = range.windows(2).filter_map(|w| match w {
            [Spanned { tok: Tok::Func | Tok::Data, .. }, Spanned { tok: Tok::Sym(name), .. }] => Some(*name),
            _ => None,
        });
        let mut symbols: Vec<&'a str> = names.collect();
        // A wider skip swallows the narrower ones it is made of.
        for inner in self.lost.extract_if(.., |l| span.start <= l.span.start && l.span.end <= span.end) {
            values.extend(inner.values);
            symbols.extend(inner.symbols);
        }
        self.lost.push(Lost { span, values, symbols });
        self.toks.splice(start..end, [Spanned { tok: marker, span }]);
    }

    fn insert(&mut self, at: usize, tok: Tok<'a>) {
        let place = at.checked_sub(1).and_then(|p| self.toks.get(p)).map_or(0, |p| p.span.end as usize);
        self.toks.insert(at.min(self.toks.len()), Spanned { tok, span: Span::new(place, place) });
    }

    /// Adds the `}` that is missing before `at`.
    fn close_block(&mut self, at: usize) {
        let mut depth = 0usize;
        let open = self.toks.iter().take(at).rev().find(|t| {
            match t.tok {
                Tok::RBrace => depth += 1,
                Tok::LBrace if depth == 0 => return true,
                Tok::LBrace => depth -= 1,
                _ => {}
            }
            false
        });
        let open = open.map(|t| t.span).unwrap_or_default();
        let place = match self.toks.get(at) {
            Some(t) => t.span,
            None => Span::new(self.src.trim_end().len(), self.src.trim_end().len()),
        };
        let found = if at == self.toks.len() { "end of file" } else { "item" };
        let d = Diagnostic::error(Code::E0110, place, "unclosed block")
            .label(format!("{found} before the block is closed"));
        self.report(at, d.also(open, "opened here").help("close it with `}`"));
        self.insert(at, Tok::RBrace);
    }
}
