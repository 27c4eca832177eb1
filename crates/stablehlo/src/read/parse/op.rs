//! One statement, in whatever form: `%r = "dialect.op"(%a) <{…}> ({…}) {…} : (T) -> U` or any of the short forms, which are
//! read by one grammar: items up to where the next statement begins. No op is named here; what an unknown one says is
//! kept, and the lowering reports it.
use super::super::ast::{Attr, AttrKind, Op, Param, Type, Use, Word};
use super::super::lexer::Tok;
use super::{Parsed, Parser};
use tfc_ir::{Code, Diagnostic};

/// Ops of the default dialects that are written without their dialect.
pub(super) fn is_statement(w: &str) -> bool {
    matches!(w, "return" | "call" | "module")
}

impl<'a> Parser<'a> {
    /// Whether a definition `%a, %b:2 =` begins here.
    pub(super) fn defines(&self) -> bool {
        let (mut cursor, mut tok, mut none) = (self.cursor, self.tok, vec![]);
        let mut next = || cursor.next(&mut none).0;
        loop {
            let Tok::Value(_, 0) = tok else { return false };
            tok = next();
            if tok == Tok::Punct(b':') {
                let Tok::Num(_) = next() else { return false };
                tok = next();
            }
            match tok {
                Tok::Punct(b'=') => return true,
                Tok::Punct(b',') => tok = next(),
                _ => return false,
            }
        }
    }

    pub(super) fn op(&mut self) -> Parsed<Op<'a>> {
        let start = self.span;
        let mut results = vec![];
        if let Tok::Value(..) = self.tok {
            loop {
                let Tok::Value(text, 0) = self.tok else { return Err(self.expected("a result, `%name`")) };
                let name = Word { text, span: self.span };
                self.advance();
                let mut count = 1;
                if self.eat(b':') {
                    let Tok::Num(n) = self.tok else { return Err(self.expected("the number of results")) };
                    let Some(n) = n.parse().ok().filter(|n| (1..=100_000).contains(n)) else {
                        return Err(self.expected("a number of results between 1 and 100000"));
                    };
                    count = n;
                    self.advance();
                }
                results.push((name, count));
                if !self.eat(b',') {
                    break;
                }
            }
            self.expect(b'=')?;
        }
        let name = match self.tok {
            Tok::Ident(text) | Tok::Str(text) => Word { text, span: self.span },
            _ => return Err(self.expected("an op, `dialect.name`")),
        };
        self.advance();
        let mut op = Op {
            span: start,
            name,
            results,
            operands: vec![],
            inits: 0,
            attrs: vec![],
            loose: vec![],
            given: vec![],
            bound: vec![],
            regions: vec![],
            ins: None,
            outs: vec![],
            loc: None,
        };
        self.pieces(&mut op)?;
        op.span = start.to(self.last);
        Ok(op)
    }

    /// Everything behind the name.
    fn pieces(&mut self, op: &mut Op<'a>) -> Parsed<()> {
        // Operands that open regions' accumulators, `(%x init: %z)`, and what regions call theirs, `(%a: T, %b: T)`.
        let (mut inits, mut params): (Vec<Use>, Vec<Vec<Param>>) = (vec![], vec![]);
        let mut applies = false;
        let mut comma = false;
        // Is the piece before an operand that stands by itself, or a key with its value?
        let (mut operand, mut keyed) = (false, false);
        loop {
            let after_comma = std::mem::replace(&mut comma, false);
            let after_operand = std::mem::replace(&mut operand, false);
            let after_key = std::mem::replace(&mut keyed, false);
            if after_comma && matches!(self.tok, Tok::Caret(_) | Tok::Punct(b'}' | b')' | b']' | b'>' | b':' | b'{')) {
                return Err(self.expected("an operand or attribute behind the comma"));
            }
            match self.tok {
                Tok::End | Tok::Bad | Tok::Caret(_) | Tok::Punct(b'}' | b')' | b']' | b'>') => break,
                Tok::Punct(b',') => {
                    self.advance();
                    if self.is(b',') {
                        return Err(self.expected("an operand, attribute, region or type"));
                    }
                    comma = true;
                }
                Tok::Value(..) if !after_comma && self.defines() => break,
                Tok::Value(..) if after_operand && !after_comma => return Err(self.expected("`,` or `:`")),
                Tok::Value(..) => {
                    op.operands.push(self.operand()?);
                    operand = true;
                }
                Tok::Ident("loc") if self.peek() == Tok::Punct(b'(') => op.loc = Some(self.loc()?),
                Tok::Ident("dense" | "array" | "true" | "false" | "unit" | "dense_resource" | "sparse") => {
                    op.given.push(self.attr(false)?)
                }
                Tok::Ident("inits") if self.peek() == Tok::Punct(b'(') => {
                    self.advance();
                    let known = op.operands.len();
                    self.group(op, &mut vec![], &mut params)?;
                    inits.extend(op.operands.drain(known..));
                }
                Tok::Ident(w) => {
                    if !std::mem::take(&mut applies)
                        && (w.contains('.') || is_statement(w))
                        && !op_continues(w, self.peek())
                    {
                        break;
                    }
                    keyed = self.peek() == Tok::Punct(b'=');
                    if keyed && (after_key || after_operand) && !after_comma {
                        return Err(self.expected("`,`"));
                    }
                    applies = w == "applies";
                    self.word(op)?;
                }
                Tok::Str(_) if self.peek() == Tok::Punct(b'(') && !self.on_this_line() => break,
                Tok::Str(_) | Tok::Symbol(_) | Tok::Num(_) | Tok::Punct(b'[') => {
                    let a = self.attr(false)?;
                    // `@mesh = <…>`
                    if self.eat(b'=') {
                        self.attr(false)?;
                    }
                    op.given.push(a)
                }
                Tok::Hash(_) | Tok::Bang(_) if self.peek() == Tok::Punct(b'=') => break,
                Tok::Hash(_) | Tok::Bang(_) => op.given.push(self.attr(false)?),
                Tok::Punct(b'<') if self.peek() == Tok::Punct(b'{') => {
                    self.advance();
                    let d = self.dict()?;
                    op.attrs.extend(d);
                    self.expect(b'>')?;
                }
                Tok::Punct(b'<') => op.given.push(self.attr(false)?),
                Tok::Punct(b'(') => self.group(op, &mut inits, &mut params)?,
                Tok::Punct(b'{') if self.at_dict() => {
                    let d = self.dict()?;
                    op.loose.extend(d.iter().map(|a| a.0.span));
                    op.attrs.extend(d);
                }
                Tok::Punct(b'{') => {
                    let r = self.region()?;
                    op.regions.push(r);
                }
                Tok::Punct(b':') => {
                    self.advance();
                    self.types(op)?;
                }
                Tok::Arrow => {
                    self.advance();
                    op.outs = self.type_list()?;
                }
                _ => return Err(self.expected("an operand, attribute, region or type")),
            }
        }
        op.inits = inits.len();
        op.operands.extend(inits);
        self.own_params(op, params)
    }
    /// Whether the present token is on the line of the one before.
    fn on_this_line(&self) -> bool {
        let between = self.cursor.src.get(self.last.end as usize..self.span.start as usize).unwrap_or_default();
        !between.contains('\n')
    }

    /// The parameters of `reducer(%a: T, %b: T) (%c: U, %d: U) {…}` are those of its region: first of each pair, then second.
    fn own_params(&mut self, op: &mut Op<'a>, params: Vec<Vec<Param<'a>>>) -> Parsed<()> {
        if params.is_empty() {
            return Ok(());
        }
        let Some(region) = op.regions.last_mut() else {
            return Err(self.expected("the region that these parameters belong to"));
        };
        let sizes: Vec<usize> = params.iter().map(Vec::len).collect();
        if sizes.iter().any(|&n| n != 2) {
            let d = Diagnostic::error(Code::E0244, region.span, "a reducer takes two parameters of each operand");
            return Err(self.report(d.help("`reducer(%a: T, %b: T) (%c: U, %d: U) { … }`")));
        }
        let (first, second): (Vec<_>, Vec<_>) = params.into_iter().map(|mut p| (p.remove(0), p.remove(0))).unzip();
        region.params = first.into_iter().chain(second).collect();
        Ok(())
    }

    pub(super) fn operand(&mut self) -> Parsed<Use<'a>> {
        let Tok::Value(name, index) = self.tok else { return Err(self.expected("an operand, `%name`")) };
        let span = self.span;
        self.advance();
        Ok(Use { name, index, span })
    }

    /// A word: a key with its value, or a word by itself.
    fn word(&mut self, op: &mut Op<'a>) -> Parsed<()> {
        let Tok::Ident(text) = self.tok else { return Err(self.expected("a word")) };
        let word = Word { text, span: self.span };
        self.advance();
        if self.eat(b'=') {
            let mut value = self.attr(false)?;
            // `[2] x [1]`
            if let (AttrKind::List(_), Tok::Ident("x")) = (&value.kind, self.tok) {
                value = self.product(value)?;
            }
            op.attrs.push((word, value));
        } else if !matches!(text, "attributes" | "across" | "reducer" | "cond" | "do" | "applies") {
            op.given.push(Attr::new(word.span, AttrKind::Word(text)));
        }
        Ok(())
    }

    /// `(…)`: operands, named operands, operands with initial values, parameters of a region to come, or regions.
    fn group(&mut self, op: &mut Op<'a>, inits: &mut Vec<Use<'a>>, params: &mut Vec<Vec<Param<'a>>>) -> Parsed<()> {
        self.expect(b'(')?;
        if self.is(b'{') {
            loop {
                let r = self.region()?;
                op.regions.push(r);
                if !self.eat(b',') {
                    break;
                }
            }
            return self.expect(b')').map(drop);
        }
        if matches!(self.tok, Tok::Value(..)) && self.peek() == Tok::Punct(b':') {
            let mut own = vec![];
            while !self.is(b')') {
                own.push(self.param()?);
                if !self.another(b')')? {
                    break;
                }
            }
            params.push(own);
            return self.expect(b')').map(drop);
        }
        while !self.is(b')') {
            if let Tok::Ident(_) = self.tok {
                // `(%x, k = 4)`
                self.word(op)?;
                if !self.another(b')')? {
                    break;
                }
                continue;
            }
            let x = self.operand()?;
            if self.eat(b'=') {
                op.bound.push(Word { text: x.name, span: x.span });
                op.operands.push(self.operand()?);
            } else {
                op.operands.push(x);
                if self.eat_word("init") {
                    self.expect(b':')?;
                    inits.push(self.operand()?);
                }
            }
            if !self.another(b')')? {
                break;
            }
        }
        self.expect(b')').map(drop)
    }

    /// Whether what begins with `{` is a dictionary, and not a region.
    fn at_dict(&self) -> bool {
        let (mut cursor, mut none) = (self.cursor, vec![]);
        match cursor.next(&mut none).0 {
            Tok::Punct(b'}') => true,
            Tok::Ident(w) if w == "return" || w.ends_with(".return") => false,
            Tok::Ident(_) => matches!(cursor.next(&mut none).0, Tok::Punct(b'=' | b',' | b'}')),
            Tok::Str(_) => cursor.next(&mut none).0 == Tok::Punct(b'='),
            _ => false,
        }
    }

    /// What stands behind `:`.
    fn types(&mut self, op: &mut Op<'a>) -> Parsed<()> {
        let list = self.type_list()?;
        if self.tok == Tok::Arrow {
            self.advance();
            op.ins = Some(list);
            op.outs = self.type_list()?;
        } else {
            op.outs = list;
        }
        Ok(())
    }
    /// `T`, `T, U` or `(T, U)`
    pub(super) fn type_list(&mut self) -> Parsed<Vec<Type<'a>>> {
        let mut out = vec![];
        if self.eat(b'(') {
            while !self.is(b')') {
                out.push(self.ty()?);
                if !self.another(b')')? {
                    break;
                }
            }
            self.expect(b')')?;
            return Ok(out);
        }
        loop {
            out.push(self.ty()?);
            if !self.is(b',') {
                return Ok(out);
            }
            self.advance();
        }
    }
}

/// Whether a word with a dot goes on with the statement, as a key.
fn op_continues(word: &str, next: Tok) -> bool {
    next == Tok::Punct(b'=') && word.contains('.')
}
