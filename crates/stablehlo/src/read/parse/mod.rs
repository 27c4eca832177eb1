//! Tokens to tree. What is not understood is reported at its place, and reading goes on with the next statement, so a file
//! gives several errors. Nesting is limited, which bounds the recursion of everything that follows.
mod attr;
mod generic;
mod op;
mod types;

use super::ast::{Attr, AttrKind, Block, File, Func, Param, Word};
use super::lexer::{Cursor, Tok};
use tfc_frontend::source::Meter;
use tfc_ir::{Code, Diagnostic, Span};

/// How deep regions, lists and attributes may nest together.
const MAX_DEPTH: usize = 100;
/// How deep regions may nest.
const MAX_REGIONS: usize = 60;
/// More syntax errors than this are not listed.
const MAX_ERRORS: usize = 50;

/// The diagnostic has been recorded.
#[derive(Debug)]
struct Reported;
type Parsed<T> = Result<T, Reported>;

/// The tree of `src`, as far as it was understood and `meter` lets it grow, and what was not; the meter has counted it.
pub(super) fn parse(src: &str, meter: Meter) -> (File<'_>, Vec<Diagnostic>, Meter) {
    let mut p = Parser {
        cursor: Cursor { src, at: 0 },
        tok: Tok::End,
        span: Span::default(),
        last: Span::default(),
        errors: vec![],
        depth: 0,
        regions: 0,
        over: false,
        file: File::default(),
        modules: 0,
        meter,
    };
    p.advance();
    let empty = p.tok == Tok::End;
    p.items(false);
    if p.errors.is_empty() && p.modules == 0 && p.file.funcs.is_empty() {
        let text = if empty { "the file is empty" } else { "the file has no function" };
        let d = Diagnostic::error(Code::E0108, Span::default(), text);
        p.errors.push(d.help("a program is a `module` or functions: `func.func @main(…) … { … }`"));
    }
    let mut errors = p.errors;
    if errors.len() > MAX_ERRORS {
        let left = errors.len() - MAX_ERRORS;
        errors.truncate(MAX_ERRORS);
        if let Some(last) = errors.last_mut() {
            last.notes.push(format!("{left} further syntax errors are not listed"));
        }
    }
    (p.file, errors, p.meter)
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    tok: Tok<'a>,
    span: Span,
    /// The place of the token before.
    last: Span,
    errors: Vec<Diagnostic>,
    depth: usize,
    regions: usize,
    /// A limit was reached, or the file has ended inside of something: nothing more is reported.
    over: bool,
    file: File<'a>,
    modules: usize,
    meter: Meter,
}

impl<'a> Parser<'a> {
    fn advance(&mut self) {
        self.last = self.span;
        (self.tok, self.span) = self.cursor.next(&mut self.errors);
        if let Err(e) = self.meter.token() {
            self.report(e.into_diagnostic(self.span));
            self.over = true;
            self.cursor.at = self.cursor.src.len();
            self.tok = Tok::End;
        }
    }
    /// The token behind the present one.
    fn peek(&self) -> Tok<'a> {
        let mut cursor = self.cursor;
        cursor.next(&mut vec![]).0
    }
    fn is(&self, c: u8) -> bool {
        self.tok == Tok::Punct(c)
    }
    fn is_word(&self, w: &str) -> bool {
        self.tok == Tok::Ident(w)
    }
    fn eat(&mut self, c: u8) -> bool {
        let found = self.is(c);
        if found {
            self.advance();
        }
        found
    }
    fn eat_word(&mut self, w: &str) -> bool {
        let found = self.is_word(w);
        if found {
            self.advance();
        }
        found
    }
    fn report(&mut self, d: Diagnostic) -> Reported {
        if !self.over {
            self.errors.push(d);
        }
        Reported
    }
    /// Something else is expected at the present token.
    fn expected(&mut self, what: &str) -> Reported {
        match self.tok {
            Tok::Bad => Reported,
            Tok::End => {
                let d =
                    Diagnostic::error(Code::E0103, self.span, format!("{what} is expected, but the file ends here"));
                let e = self.report(d.help("the file may have been cut off"));
                self.over = true;
                e
            }
            tok => {
                let d =
                    Diagnostic::error(Code::E0103, self.span, format!("{what} is expected, not {}", tok.describe()));
                self.report(d.help("this is StableHLO text, as MLIR prints it"))
            }
        }
    }
    fn expect(&mut self, c: u8) -> Parsed<Span> {
        let span = self.span;
        if self.eat(c) { Ok(span) } else { Err(self.expected(&format!("`{}`", char::from(c)))) }
    }
    /// Does another item of a list follow, behind a comma? One that is there has an item behind it.
    fn another(&mut self, close: u8) -> Parsed<bool> {
        if !self.eat(b',') {
            return Ok(false);
        }
        if self.is(close) { Err(self.expected("an item behind the comma")) } else { Ok(true) }
    }
    /// Goes one level deeper for `f`.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let d = Diagnostic::error(Code::E0009, self.span, format!("brackets nested more than {MAX_DEPTH} deep"));
            let e = self.report(d.label("the rest of the file was not read").help("take the program apart"));
            self.over = true;
            return Err(e);
        }
        self.depth += 1;
        let out = f(self);
        self.depth -= 1;
        out
    }

    /// `module`, functions and aliases, up to the end of the file or of the module.
    fn items(&mut self, inside: bool) {
        while !self.over && self.tok != Tok::End && !(inside && self.is(b'}')) {
            let at = self.cursor.at;
            if self.item().is_err() {
                if self.cursor.at == at && self.tok != Tok::End {
                    self.advance();
                }
                self.recover(|t| {
                    matches!(
                        t,
                        Tok::Ident("func.func" | "module") | Tok::Str("func.func" | "builtin.module") | Tok::End
                    )
                });
            }
        }
    }
    /// Skips to a token that `stop` takes, nothing of which is reported.
    fn recover(&mut self, stop: impl Fn(Tok) -> bool) {
        let known = self.errors.len();
        while !stop(self.tok) && self.tok != Tok::End {
            self.advance();
        }
        self.errors.truncate(known);
    }

    fn item(&mut self) -> Parsed<()> {
        match self.tok {
            Tok::Ident("module" | "builtin.module") => self.module(),
            Tok::Ident("func.func") => {
                let f = self.func()?;
                self.file.funcs.push(f);
                Ok(())
            }
            Tok::Hash(name) => {
                self.advance();
                self.expect(b'=')?;
                if self.is_word("loc") {
                    let loc = self.loc()?;
                    self.file.locs.insert(name, loc);
                } else {
                    let a = self.attr(false)?;
                    self.file.aliases.insert(name, a);
                }
                Ok(())
            }
            Tok::Str("builtin.module") => self.generic_module(),
            Tok::Str("func.func") => {
                let f = self.generic_func()?;
                self.file.funcs.push(f);
                Ok(())
            }
            Tok::Ident("sdy.mesh") | Tok::Str("sdy.mesh") => self.op().map(drop),
            Tok::Ident("loc") => self.loc().map(drop),
            _ => Err(self.expected("`module` or `func.func`")),
        }
    }

    /// A module begins, which has to be the first.
    fn one_module(&mut self) -> Parsed<()> {
        self.modules += 1;
        if self.modules > 1 {
            let d = Diagnostic::error(Code::E0112, self.span, "second module of a file");
            let e = self.report(d.help("put each module into a file of its own: `// -----` separates those of a test"));
            self.over = true;
            return Err(e);
        }
        self.advance();
        Ok(())
    }
    fn module(&mut self) -> Parsed<()> {
        self.one_module()?;
        if let Tok::Symbol(text) = self.tok {
            self.file.name = Some(Word { text, span: self.span });
            self.advance();
        }
        if self.eat_word("attributes") {
            self.dict()?;
        }
        self.expect(b'{')?;
        self.items(true);
        self.expect(b'}')?;
        if self.is_word("loc") {
            self.loc()?;
        }
        Ok(())
    }

    fn func(&mut self) -> Parsed<Func<'a>> {
        let start = self.span;
        self.advance();
        let private = self.eat_word("private") || (self.eat_word("nested"));
        if !private {
            self.eat_word("public");
        }
        let Tok::Symbol(text) = self.tok else { return Err(self.expected("the function's name, `@name`")) };
        let name = Word { text, span: self.span };
        self.advance();
        self.expect(b'(')?;
        let mut params = vec![];
        while !self.is(b')') {
            params.push(self.param()?);
            if !self.another(b')')? {
                break;
            }
        }
        self.expect(b')')?;
        let mut results = vec![];
        if self.tok == Tok::Arrow {
            self.advance();
            if self.eat(b'(') {
                while !self.is(b')') {
                    results.push(self.ty()?);
                    self.details()?;
                    if !self.another(b')')? {
                        break;
                    }
                }
                self.expect(b')')?;
            } else {
                results.push(self.ty()?);
            }
        }
        if self.eat_word("attributes") {
            self.dict()?;
        }
        let span = start.to(self.last);
        let body = if self.is(b'{') { Some(self.region()?) } else { None };
        if self.is_word("loc") {
            self.loc()?;
        }
        Ok(Func { span, name, private, params, results, body })
    }
    /// Attributes and location of a parameter or result; of these the name of an extent has a meaning here, and whether memory may be
    /// used anew.
    fn details(&mut self) -> Parsed<(Option<&'a str>, bool)> {
        let mut found = (None, false);
        if self.is(b'{') {
            found = param_attrs(&self.dict()?);
        }
        if self.is_word("loc") {
            self.loc()?;
        }
        Ok(found)
    }
    /// `%x: T {…} loc(…)`
    fn param(&mut self) -> Parsed<Param<'a>> {
        let Tok::Value(text, 0) = self.tok else { return Err(self.expected("a parameter, `%name: type`")) };
        let name = Word { text, span: self.span };
        self.advance();
        self.expect(b':')?;
        let ty = self.ty()?;
        let (constant, donated) = self.details()?;
        Ok(Param { name, ty, constant, donated })
    }

    /// `{ ^bb0(%a: T): … }`
    fn region(&mut self) -> Parsed<Block<'a>> {
        if self.regions >= MAX_REGIONS {
            let d = Diagnostic::error(Code::E0010, self.span, format!("regions nested more than {MAX_REGIONS} deep"));
            let e = self.report(d.label("the rest of the file was not read").help("move inner regions into functions"));
            self.over = true;
            return Err(e);
        }
        self.regions += 1;
        let out = self.nested(Self::block);
        self.regions -= 1;
        out
    }
    fn block(&mut self) -> Parsed<Block<'a>> {
        let start = self.expect(b'{')?;
        let mut b = Block { span: start, ..Block::default() };
        if let Tok::Caret(_) = self.tok {
            self.advance();
            if self.eat(b'(') {
                while !self.is(b')') {
                    b.params.push(self.param()?);
                    if !self.another(b')')? {
                        break;
                    }
                }
                self.expect(b')')?;
            }
            self.expect(b':')?;
        }
        while !self.is(b'}') {
            if self.over {
                return Err(Reported);
            }
            match self.tok {
                Tok::End => return Err(self.expected("`}`")),
                Tok::Caret(_) => {
                    let d = Diagnostic::error(Code::E0244, self.span, "a region of several blocks");
                    let e = self.report(d.help("control flow is `stablehlo.while`, `case` and `if` here"));
                    self.over = true;
                    return Err(e);
                }
                _ => {}
            }
            match self.op() {
                Ok(op) => b.ops.push(op),
                Err(Reported) => {
                    b.broken = true;
                    self.next_statement();
                }
            }
        }
        b.span = start.to(self.span);
        self.advance();
        Ok(b)
    }
    /// Skips what is left of a statement that was not understood: up to where a line begins like another one, or the
    /// region ends.
    fn next_statement(&mut self) {
        let (known, mut depth) = (self.errors.len(), 0usize);
        loop {
            match self.tok {
                Tok::End => break,
                Tok::Punct(b'{') => depth += 1,
                Tok::Punct(b'}') if depth == 0 => break,
                Tok::Punct(b'}') => depth -= 1,
                _ => {}
            }
            let from = self.span.end as usize;
            self.advance();
            let between = self.cursor.src.get(from..self.span.start as usize).unwrap_or_default();
            let begins = match self.tok {
                Tok::Value(..) => self.defines(),
                Tok::Ident(w) => w.contains('.') || op::is_statement(w),
                Tok::Str(_) => self.peek() == Tok::Punct(b'('),
                _ => false,
            };
            if depth == 0 && begins && between.contains('\n') {
                break;
            }
        }
        self.errors.truncate(known);
    }
}

/// What the attributes of a parameter say: the name of an extent, and whether its memory may be used anew.
fn param_attrs<'a>(dict: &[(Word<'a>, Attr<'a>)]) -> (Option<&'a str>, bool) {
    let mut found = (None, false);
    for (key, a) in dict {
        match (key.text, &a.kind) {
            ("jax.global_constant", AttrKind::Str(name)) => found.0 = Some(*name),
            ("tf.aliasing_output", _) | ("jax.buffer_donor", AttrKind::Bool(true)) => found.1 = true,
            _ => {}
        }
    }
    found
}
