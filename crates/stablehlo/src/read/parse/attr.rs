//! Attributes: numbers, strings, words, lists, dictionaries, constants and what dialects put into `#name<…>`; and locations.
use super::super::ast::{Attr, AttrKind, Loc, Word};
use super::super::lexer::Tok;
use super::{Parsed, Parser, types};
use tfc_ir::{Code, Diagnostic, Span};

/// Whether the number is written like an integer.
fn whole(number: &str) -> bool {
    number.strip_prefix('-').unwrap_or(number).bytes().all(|c| c.is_ascii_digit())
}
/// Does a type hold this number? Of types that are neither integers nor floats nothing is asked, nor of bits in hexadecimal digits.
fn holds(ty: &str, number: &str) -> bool {
    let of = |prefix: &str| ty.strip_prefix(prefix)?.parse::<u32>().ok().filter(|bits| (1..=64).contains(bits));
    // One without a sign, `i32`, holds what its bits hold either way.
    let (negative, bits, most) = match (of("i"), of("si"), of("ui")) {
        (Some(n), ..) => (true, n, n),
        (_, Some(n), _) => (true, n, n - 1),
        (_, _, Some(n)) => (false, n, n),
        _ => return of("f").is_none() || !whole(number),
    };
    if number.starts_with("0x") {
        return true;
    }
    // More digits than this are more than any type holds.
    let Ok(n) = number.parse::<i128>() else { return false };
    let least = if negative { -(1i128 << (bits - 1)) } else { 0 };
    (least..1i128 << most).contains(&n)
}

impl<'a> Parser<'a> {
    /// An attribute; with `typed`, a type may stand behind it.
    pub(super) fn attr(&mut self, typed: bool) -> Parsed<Attr<'a>> {
        self.nested(|p| p.attr_inside(typed))
    }
    fn attr_inside(&mut self, typed: bool) -> Parsed<Attr<'a>> {
        let start = self.span;
        let kind = match self.tok {
            Tok::Num(text) => {
                self.advance();
                AttrKind::Num(text)
            }
            Tok::Str(text) => {
                self.advance();
                AttrKind::Str(text)
            }
            Tok::Symbol(text) => {
                self.advance();
                // `@module::@function`
                while self.is(b':') && self.peek() == Tok::Punct(b':') {
                    self.advance();
                    self.advance();
                    self.advance();
                }
                AttrKind::Symbol(text)
            }
            Tok::Punct(b'[') => return self.list(),
            Tok::Punct(b'{') => AttrKind::Dict(self.dict()?),
            Tok::Punct(b'<') => return self.structure(start),
            Tok::Hash(name) => {
                let open = start.end as usize;
                self.advance();
                if self.is(b'<') && self.span.start as usize == open {
                    return self.structure(start);
                }
                AttrKind::Alias(name)
            }
            Tok::Punct(b'(') => {
                let ins = self.type_list()?;
                if self.tok != Tok::Arrow {
                    return Err(self.expected("`->`"));
                }
                self.advance();
                // One result may stand without brackets; a comma behind it belongs to what is around.
                let outs = if self.is(b'(') { self.type_list()? } else { vec![self.ty()?] };
                AttrKind::Function(ins, outs)
            }
            Tok::Bang(_) => {
                self.ty()?;
                AttrKind::Type
            }
            Tok::Ident("true") => self.just(AttrKind::Bool(true)),
            Tok::Ident("false") => self.just(AttrKind::Bool(false)),
            Tok::Ident("unit") => self.just(AttrKind::Unit),
            Tok::Ident("dense") if self.peek() == Tok::Punct(b'<') => return self.dense(typed),
            Tok::Ident("array") if self.peek() == Tok::Punct(b'<') => return self.array(),
            Tok::Ident("loc") if self.peek() == Tok::Punct(b'(') => {
                self.loc()?;
                AttrKind::Opaque
            }
            Tok::Ident(w @ ("dense_resource" | "sparse")) => {
                let d = Diagnostic::error(Code::E0243, start, format!("constants are not read from `{w}`"));
                return Err(self.report(d.help("print the module with the elements in place")));
            }
            Tok::Ident(w) => {
                if self.peek() == Tok::Punct(b'<') || types::is_plain(w) {
                    self.ty()?;
                    AttrKind::Type
                } else {
                    self.just(AttrKind::Word(w))
                }
            }
            _ => return Err(self.expected("an attribute")),
        };
        let mut attr = Attr::new(start.to(self.last), kind);
        if typed && self.is(b':') {
            self.advance();
            let ty = self.ty()?;
            attr.of = self.cursor.src.get(ty.span.start as usize..ty.span.end as usize).unwrap_or_default();
            if let AttrKind::Dense(_, slot) = &mut attr.kind {
                *slot = Some(ty);
            }
            attr.span = start.to(self.last);
        }
        if typed
            && let AttrKind::Num(text) = attr.kind
            && !holds(if attr.of.is_empty() { "i64" } else { attr.of }, text)
        {
            let d = Diagnostic::error(Code::E0242, start, format!("`{text}` has more bits than its type"));
            return Err(self.report(d.help("write a smaller number, or a wider type behind `:`")));
        }
        Ok(attr)
    }
    fn just(&mut self, kind: AttrKind<'a>) -> AttrKind<'a> {
        self.advance();
        kind
    }

    /// `{a = 1, b, "c.d" = […]}`
    pub(super) fn dict(&mut self) -> Parsed<Vec<(Word<'a>, Attr<'a>)>> {
        self.nested(|p| {
            p.expect(b'{')?;
            let mut out = vec![];
            while !p.is(b'}') {
                let (Tok::Ident(text) | Tok::Str(text)) = p.tok else { return Err(p.expected("an attribute's name")) };
                let key = Word { text, span: p.span };
                p.advance();
                let value = if p.eat(b'=') {
                    let a = p.attr(true)?;
                    if p.is_word("x") { p.product(a)? } else { a }
                } else {
                    Attr::new(key.span, AttrKind::Unit)
                };
                out.push((key, value));
                if !p.another(b'}')? {
                    break;
                }
            }
            p.expect(b'}')?;
            Ok(out)
        })
    }

    /// `[1, 2]`, `[0:2, 1:5:2]`, `[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]`
    fn list(&mut self) -> Parsed<Attr<'a>> {
        let start = self.expect(b'[')?;
        let mut items = vec![];
        while !self.is(b']') {
            let from = self.span;
            let mut a = self.attr(false)?;
            match (&a.kind, self.peek()) {
                (AttrKind::Num(first), Tok::Num(_)) if self.is(b':') => {
                    let mut parts = vec![*first];
                    while self.eat(b':') {
                        let Tok::Num(n) = self.tok else { return Err(self.expected("a number")) };
                        parts.push(n);
                        self.advance();
                    }
                    a = Attr::new(from.to(self.last), AttrKind::Range(parts));
                }
                _ if self.eat(b':') => {
                    let written = self.ty()?;
                    if let AttrKind::Dense(_, ty) = &mut a.kind {
                        *ty = Some(written);
                    }
                }
                _ => {}
            }
            items.push(a);
            if !self.another(b']')? {
                break;
            }
        }
        self.expect(b']')?;
        let list = Attr::new(start.to(self.last), AttrKind::List(items));
        let joined = self.span.start == self.last.end && (self.is_word("x") || self.tok == Tok::Arrow);
        if joined { self.product(list) } else { Ok(list) }
    }
    /// What follows the first of several lists that `x` or `->` join.
    pub(super) fn product(&mut self, first: Attr<'a>) -> Parsed<Attr<'a>> {
        let start = first.span;
        let mut all = vec![first];
        while self.is_word("x") || (self.tok == Tok::Arrow && self.peek() == Tok::Punct(b'[')) {
            self.advance();
            let next = self.list()?;
            match next.kind {
                AttrKind::Product(more) => all.extend(more),
                _ => all.push(next),
            }
        }
        Ok(Attr::new(start.to(self.last), AttrKind::Product(all)))
    }

    /// `<a = [1], b = 2>`, `<comparison_direction LT>`, or whatever another dialect writes there.
    fn structure(&mut self, start: Span) -> Parsed<Attr<'a>> {
        let open = self.span.start as usize;
        let Some(end) = self.cursor.angle_end(open) else {
            self.tok = Tok::End;
            self.span = Span::new(self.cursor.src.len(), self.cursor.src.len());
            return Err(self.expected("`>`"));
        };
        let (known, over) = (self.errors.len(), self.over);
        self.advance();
        let kind = self.fields();
        // What is not understood is no mistake here: the op says whether it needs it.
        let kind = match kind {
            Ok(kind) if self.is(b'>') && self.span.end as usize == end => kind,
            _ if self.over != over => return Err(super::Reported),
            _ => AttrKind::Opaque,
        };
        self.errors.truncate(known);
        self.cursor.at = end;
        self.span = Span::new(end - 1, end);
        self.advance();
        Ok(Attr::new(Span::new(start.start as usize, end), kind))
    }
    fn fields(&mut self) -> Parsed<AttrKind<'a>> {
        let (mut keyed, mut plain) = (vec![], vec![]);
        while !self.is(b'>') {
            match self.tok {
                Tok::Ident(text) if self.peek() == Tok::Punct(b'=') => {
                    let key = Word { text, span: self.span };
                    self.advance();
                    self.advance();
                    keyed.push((key, self.attr(true)?));
                    if !self.another(b'>')? && !self.is(b'>') {
                        return Err(self.expected("`,` or `>`"));
                    }
                    continue;
                }
                _ => plain.push(self.attr(true)?),
            }
            // `comparison_direction LT` has no comma between its words.
            self.eat(b',');
            if self.tok == Tok::End {
                return Err(self.expected("`>`"));
            }
        }
        Ok(match plain.pop() {
            Some(Attr { kind: AttrKind::Word(w), .. }) if keyed.is_empty() => AttrKind::Word(w),
            Some(Attr { kind: AttrKind::Product(l), .. }) if keyed.is_empty() && plain.is_empty() => {
                AttrKind::Product(l)
            }
            None => AttrKind::Struct(keyed),
            _ => AttrKind::Opaque,
        })
    }

    /// `dense<…>`: its elements are read when their type is known.
    fn dense(&mut self, typed: bool) -> Parsed<Attr<'a>> {
        let start = self.span;
        self.advance();
        let open = self.span.start as usize;
        let Some(end) = self.cursor.angle_end(open) else {
            self.tok = Tok::End;
            self.span = Span::new(self.cursor.src.len(), self.cursor.src.len());
            return Err(self.expected("the `>` of this constant"));
        };
        let body = self.cursor.src.get(open + 1..end - 1).unwrap_or_default();
        self.cursor.at = end;
        self.span = Span::new(end - 1, end);
        self.advance();
        let ty = if typed && self.eat(b':') { Some(self.ty()?) } else { None };
        Ok(Attr::new(Span::new(start.start as usize, end), AttrKind::Dense(body, ty)))
    }

    /// `array<i64: 1, 2>`
    fn array(&mut self) -> Parsed<Attr<'a>> {
        let start = self.span;
        self.advance();
        self.expect(b'<')?;
        let Tok::Ident(of) = self.tok else { return Err(self.expected("an element type")) };
        self.advance();
        let mut items = vec![];
        if self.eat(b':') {
            while !self.is(b'>') {
                items.push(self.attr(false)?);
                if !self.another(b'>')? {
                    break;
                }
            }
        }
        self.expect(b'>')?;
        Ok(Attr { span: start.to(self.last), kind: AttrKind::List(items), of })
    }

    /// `loc("file.py":3:7)`, `loc(callsite(#a at #b))`, `loc("name"(#a))`, `loc(#a)`, `loc(unknown)`
    pub(super) fn loc(&mut self) -> Parsed<Loc<'a>> {
        self.advance();
        self.expect(b'(')?;
        let l = self.loc_inside()?;
        self.expect(b')')?;
        Ok(l)
    }
    fn loc_inside(&mut self) -> Parsed<Loc<'a>> {
        self.nested(|p| match p.tok {
            Tok::Hash(name) => {
                p.advance();
                Ok(Loc::Alias(name))
            }
            Tok::Str(text) => {
                p.advance();
                if p.eat(b':') {
                    let Tok::Num(line) = p.tok else { return Err(p.expected("a line")) };
                    p.advance();
                    p.expect(b':')?;
                    let Tok::Num(column) = p.tok else { return Err(p.expected("a column")) };
                    p.advance();
                    // `3:7 to :9` or `3:7 to 4:2`
                    if p.eat_word("to") {
                        while matches!(p.tok, Tok::Num(_) | Tok::Punct(b':')) {
                            p.advance();
                        }
                    }
                    Ok(Loc::File(text, line, column))
                } else if p.eat(b'(') {
                    let l = p.loc_inside()?;
                    p.expect(b')')?;
                    Ok(Loc::Of(Box::new(l)))
                } else {
                    Ok(Loc::Unknown)
                }
            }
            Tok::Ident("callsite") => {
                p.advance();
                p.expect(b'(')?;
                let l = p.loc_inside()?;
                if !p.eat_word("at") {
                    return Err(p.expected("`at`"));
                }
                p.loc_inside()?;
                p.expect(b')')?;
                Ok(Loc::Of(Box::new(l)))
            }
            Tok::Ident("fused") => {
                p.advance();
                if p.is(b'<') {
                    p.structure(p.span)?;
                }
                p.expect(b'[')?;
                let mut first = None;
                while !p.is(b']') {
                    let l = p.loc_inside()?;
                    first.get_or_insert(l);
                    if !p.another(b']')? {
                        break;
                    }
                }
                p.expect(b']')?;
                Ok(first.map_or(Loc::Unknown, |l| Loc::Of(Box::new(l))))
            }
            Tok::Ident("unknown") | Tok::Punct(b'?') => {
                p.advance();
                Ok(Loc::Unknown)
            }
            _ => Err(p.expected("a location")),
        })
    }
}
