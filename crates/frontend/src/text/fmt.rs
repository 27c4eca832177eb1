//! Canonical layout of a source file. Works on tokens and comments, so it can neither lose a comment nor change what the
//! file means; the syntax tree only says where lines begin.
//!
//! One statement a line, two spaces a level. Lines longer than [`WIDTH`] are broken before `->`, `where` and `with`, after
//! `=`, then after commas, and go on four spaces further in; `data`, `loc`, `mesh` and `module` lines stay whole. Comments stay
//! before or behind what they stood before or behind; at most one blank line in a row, exactly one around functions.
//! Formatting twice changes nothing.
use super::ast::{Body, File, Item, Line};
use super::lexer::{Spanned, lex};
use super::parser::parse;
use super::token::Tok;
use crate::source::Meter;
use std::collections::BTreeMap;
use tfc_ir::{Budget, Diagnostic, Span};

/// Longest line that is not broken, in characters.
const WIDTH: usize = 120;

/// `src` in canonical layout.
///
/// # Errors
/// Its lexical and syntax errors.
pub fn fmt(src: &str) -> Result<String, Vec<Diagnostic>> {
    fmt_within(src, &Budget::default())
}

/// As [`fmt`], of a text that may use so much.
///
/// # Errors
/// As [`fmt`], or which limit was reached.
pub fn fmt_within(src: &str, budget: &Budget) -> Result<String, Vec<Diagnostic>> {
    let mut meter = Meter::new(budget).map_err(|e| vec![e.into_diagnostic(Span::default())])?;
    let lexed = lex(src, 0, &mut meter).map_err(|d| vec![*d])?;
    let (tokens, comments) = (lexed.tokens.clone(), lexed.comments.clone());
    let mut starts = BTreeMap::new();
    starts.extend(tokens.first().map(|t| (t.span.start, Start::Item)));
    let parsed = parse(src, lexed);
    match parsed.file {
        Some(file) if parsed.errors.is_empty() => line_starts(&file, &mut starts),
        _ => return Err(parsed.errors),
    }
    let mut p = Printer { src, starts, out: String::with_capacity(src.len()), ..Printer::default() };
    let mut comments = comments.into_iter().peekable();
    for (k, t) in tokens.iter().enumerate() {
        while let Some((span, text)) = comments.next_if(|c| c.0.start < t.span.start) {
            p.comment(span.start, span.end, text, Some(*t));
        }
        let next = tokens.get(k + 1);
        let comment_between = comments.peek().is_some_and(|c| next.is_none_or(|n| c.0.start < n.span.start));
        let closes = |n: &Spanned| matches!(n.tok, Tok::RParen | Tok::RBrack | Tok::Gt | Tok::RBrace);
        if t.tok == Tok::Comma && !comment_between && !p.must_break && next.is_some_and(closes) {
            p.end = t.span.end;
            continue;
        }
        p.token(*t);
    }
    for (span, text) in comments {
        p.comment(span.start, span.end, text, None);
    }
    p.flush();
    p.end_line();
    Ok(p.out)
}

/// What begins at a byte.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    Func,
    Item,
    Line,
}

fn line_starts(file: &File, starts: &mut BTreeMap<u32, Start>) {
    for item in &file.items {
        let kind = if matches!(item, Item::Func(_)) { Start::Func } else { Start::Item };
        starts.insert(item.span().start, kind);
        if let Item::Func(f) = item {
            block_starts(&f.body, starts);
        }
    }
}

fn block_starts(body: &Body, starts: &mut BTreeMap<u32, Start>) {
    starts.extend(body.stmts.iter().map(|l| (l.span().start, Start::Line)));
    starts.extend(body.end.iter().map(|t| (t.span.start, Start::Line)));
    for line in &body.stmts {
        let Line::Stmt(s) = line else { continue };
        for r in &s.regions {
            starts.insert(r.span.start, Start::Line);
            block_starts(&r.body, starts);
        }
    }
}

/// An open bracket; lines may be broken after commas in `List` only.
#[derive(Clone, Copy, PartialEq)]
enum Bracket {
    List,
    Extents,
    /// What is picked from a value.
    Picks,
}

/// Whether a line may be broken before a token.
#[derive(Clone, Copy, PartialEq)]
enum Break {
    Never,
    /// After a comma inside that many brackets.
    Comma(usize),
    /// Between the large parts of a line. The flag: a part that fills more than a line begins its own.
    Part(bool),
}

/// A token of the line being gathered.
struct Piece<'a> {
    text: &'a str,
    space: bool,
    at: Break,
}
impl Piece<'_> {
    fn width(&self) -> usize {
        self.text.chars().count() + usize::from(self.space)
    }
}

#[derive(Default)]
struct Printer<'a> {
    src: &'a str,
    starts: BTreeMap<u32, Start>,
    out: String,
    /// The line being gathered, its indentation, and that of what it is broken into.
    line: Vec<Piece<'a>>,
    indent: usize,
    rest_indent: usize,
    /// Lines of this item may be broken.
    breaks: bool,
    /// Open braces.
    depth: usize,
    brackets: Vec<Bracket>,
    /// Inside a `where` clause.
    in_where: bool,
    previous: Option<Tok<'a>>,
    /// The previous token is a sign, not an operator.
    sign: bool,
    /// End in the source of what was printed last.
    end: u32,
    /// A comment ended the line.
    must_break: bool,
    /// The item printed last was a function.
    after_func: bool,
    /// A blank line has been decided on for the item whose comments are being printed.
    separated: bool,
}

impl<'a> Printer<'a> {
    fn newlines_before(&self, at: u32) -> usize {
        let gap = self.src.as_bytes().get(self.end as usize..at as usize).unwrap_or_default();
        gap.iter().filter(|&&b| b == b'\n').count()
    }

    fn new_line(&mut self, indent: usize) {
        self.flush();
        self.end_line();
        self.indent = indent;
        self.rest_indent = 2 * self.depth + 4;
    }

    fn end_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn pad(&mut self, n: usize) {
        self.out.extend(std::iter::repeat_n(' ', n));
    }

    /// Ends the line, and leaves one blank where the source has some, or where a function begins or ends.
    fn separate(&mut self, at: u32, start: Option<Start>, closing: bool) {
        self.flush();
        if self.out.is_empty() {
            return;
        }
        self.end_line();
        let forced = start == Some(Start::Func) || (self.after_func && start == Some(Start::Item));
        let first = self.previous == Some(Tok::LBrace) && !self.must_break;
        let wanted = (forced && !self.separated) || (self.newlines_before(at) > 1 && !closing && !first);
        if wanted && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn comment(&mut self, start: u32, end: u32, text: &str, next: Option<Spanned>) {
        let own_line = (self.out.is_empty() && self.line.is_empty()) || self.newlines_before(start) > 0;
        if !own_line {
            self.flush();
            if self.out.ends_with('\n') {
                self.out.pop();
            }
            self.out.push(' ');
        } else {
            let next_start = next.map_or(Some(Start::Item), |t| self.starts.get(&t.span.start).copied());
            let closing = next.is_some_and(|t| t.tok == Tok::RBrace);
            let indent = if closing || next_start.is_some() { 2 * self.depth } else { 2 * self.depth + 4 };
            if closing {
                self.separate(start, None, false);
            } else if next_start.is_some() {
                self.separate(start, next_start, false);
                self.separated = true;
            }
            self.new_line(indent);
            self.pad(indent);
        }
        self.out.push_str(text.trim_end());
        self.out.push('\n');
        self.must_break = true;
        self.end = end;
    }

    fn token(&mut self, t: Spanned<'a>) {
        let start = self.starts.get(&t.span.start).copied();
        let mut at = Break::Never;
        if t.tok == Tok::RBrace {
            self.depth = self.depth.saturating_sub(1);
            self.separate(t.span.start, None, true);
            self.new_line(2 * self.depth);
            self.breaks = true;
        } else if let Some(s) = start {
            self.separate(t.span.start, Some(s), false);
            self.separated = false;
            self.in_where = false;
            if s != Start::Line {
                self.after_func = s == Start::Func;
            }
            self.breaks = s != Start::Item;
            self.new_line(2 * self.depth);
        } else if self.must_break {
            self.new_line(2 * self.depth + 4);
        } else {
            at = self.break_before(t.tok);
        }
        self.must_break = false;
        let space = !self.line.is_empty() && self.space(t.tok);
        let text = self.src.get(t.span.start as usize..t.span.end as usize).unwrap_or_default();
        self.line.push(Piece { text, space, at });
        self.sign = t.tok == Tok::Minus && !self.binary();
        self.track(t.tok);
        self.previous = Some(t.tok);
        self.end = t.span.end;
    }

    /// Keeps count of brackets.
    fn track(&mut self, tok: Tok) {
        match tok {
            Tok::LBrace => {
                self.depth += 1;
                self.in_where = false;
            }
            Tok::Where => self.in_where = true,
            Tok::With => self.in_where = false,
            Tok::LParen => self.brackets.push(match self.brackets.last() {
                Some(Bracket::Extents | Bracket::Picks) => Bracket::Extents,
                None if self.in_where => Bracket::Extents,
                _ => Bracket::List,
            }),
            Tok::LBrack => self.brackets.push(match self.previous {
                Some(Tok::Dtype(_) | Tok::Shape | Tok::At) => Bracket::Extents,
                Some(p) if picked(p) => Bracket::Picks,
                _ => Bracket::List,
            }),
            Tok::Lt => self.brackets.push(Bracket::Extents),
            Tok::RParen | Tok::RBrack | Tok::Gt => drop(self.brackets.pop()),
            _ => {}
        }
    }

    fn break_before(&self, next: Tok) -> Break {
        let outside = self.brackets.is_empty();
        match (self.previous, next) {
            _ if !self.breaks => Break::Never,
            (_, Tok::Where | Tok::With | Tok::Arrow) if outside => Break::Part(true),
            (Some(Tok::Eq), _) if outside => Break::Part(false),
            (Some(Tok::Comma), _) if !matches!(self.brackets.last(), Some(Bracket::Extents | Bracket::Picks)) => {
                Break::Comma(self.brackets.len())
            }
            _ => Break::Never,
        }
    }

    /// Prints the gathered line, broken where it is too long.
    fn flush(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return;
        }
        self.pad(self.indent);
        let mut column = self.indent;
        for (i, p) in line.iter().enumerate() {
            let rest = line.get(i..).unwrap_or_default();
            let wrap = match p.at {
                Break::Never => false,
                Break::Part(own) => {
                    let width = chunk(rest, |b| matches!(b, Break::Part(_)));
                    let fits_alone = self.rest_indent + width <= WIDTH;
                    column + width > WIDTH && (own || fits_alone)
                }
                Break::Comma(d) => {
                    column + chunk(rest, |b| matches!(b, Break::Part(_)) || matches!(b, Break::Comma(e) if e <= d))
                        > WIDTH
                }
            };
            if wrap {
                self.out.push('\n');
                self.pad(self.rest_indent);
                column = self.rest_indent;
            } else if p.space {
                self.out.push(' ');
                column += 1;
            }
            self.out.push_str(p.text);
            column += p.text.chars().count();
        }
    }

    /// Whether a minus that comes next subtracts.
    fn binary(&self) -> bool {
        matches!(self.previous, Some(Tok::Int(_) | Tok::Ident(_) | Tok::Exist(_) | Tok::RParen))
    }

    /// Whether a space separates the previous token from `next` on one line.
    fn space(&self, next: Tok) -> bool {
        let Some(previous) = self.previous else { return false };
        match next {
            Tok::Colon if previous == Tok::Comma => return true,
            Tok::Comma | Tok::Colon | Tok::RParen | Tok::RBrack | Tok::Gt | Tok::Lt | Tok::Star => return false,
            Tok::LParen => match previous {
                Tok::Ident(_) | Tok::Sym(_) | Tok::Str(_) | Tok::Gt | Tok::Dtype(_) => return false,
                _ => {}
            },
            Tok::LBrack if matches!(previous, Tok::Dtype(_) | Tok::Shape) || picked(previous) => return false,
            _ if previous == Tok::Colon && self.brackets.last() == Some(&Bracket::Picks) => return false,
            _ => {}
        }
        !(self.sign || matches!(previous, Tok::LParen | Tok::LBrack | Tok::Lt | Tok::Star))
    }
}

/// Whether brackets behind a token pick from what it ends.
fn picked(previous: Tok) -> bool {
    matches!(previous, Tok::Value(_) | Tok::RParen | Tok::RBrack)
}

/// Width of `pieces` up to the next break of the wanted kind; over-long is as good as endless.
fn chunk(pieces: &[Piece], stop: impl Fn(Break) -> bool) -> usize {
    let mut width = 0;
    for (i, p) in pieces.iter().enumerate() {
        if width > WIDTH || (i > 0 && stop(p.at)) {
            break;
        }
        width += p.width();
    }
    width
}
