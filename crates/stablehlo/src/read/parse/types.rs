//! Types: `tensor<2x?xf32, #enc>`, `tuple<…>`, `!stablehlo.token`, and whatever else is written where a type stands, which is
//! kept as it is written and refused by who needs it.
use super::super::ast::{Type, TypeKind};
use super::super::lexer::Tok;
use super::{MAX_DEPTH, Parsed, Parser};
use tfc_ir::Span;

/// Whether the word is a type by itself.
pub(super) fn is_plain(w: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let number = |p: &str| w.strip_prefix(p).is_some_and(digits);
    matches!(w, "index" | "none" | "bf16" | "tf32")
        || ["i", "si", "ui", "f"].into_iter().any(number)
        || ["f4E", "f6E", "f8E"].into_iter().any(|p| w.starts_with(p))
}

impl<'a> Parser<'a> {
    pub(super) fn ty(&mut self) -> Parsed<Type<'a>> {
        let start = self.span;
        if !matches!(self.tok, Tok::Ident(_) | Tok::Bang(_)) {
            return Err(self.expected("a type"));
        }
        let open = start.end as usize;
        let mut end = open;
        if self.cursor.src.as_bytes().get(open) == Some(&b'<') {
            match self.cursor.angle_end(open) {
                Some(e) => end = e,
                None => {
                    self.tok = Tok::End;
                    self.span = Span::new(self.cursor.src.len(), self.cursor.src.len());
                    return Err(self.expected("the `>` of this type"));
                }
            }
        }
        let text = self.cursor.src.get(start.start as usize..end).unwrap_or_default();
        self.cursor.at = end;
        self.span = Span::new(end.saturating_sub(1), end);
        self.advance();
        Ok(of_text(text, start.start as usize, 0))
    }
}

/// The type that `text`, which stands at byte `at`, is.
fn of_text(text: &str, at: usize, depth: usize) -> Type<'_> {
    let span = Span::new(at, at + text.len());
    let inside = |name: &str| text.strip_prefix(name)?.strip_prefix('<')?.strip_suffix('>');
    let kind = if let Some(body) = inside("tensor") {
        tensor(body).unwrap_or(TypeKind::Other(text))
    } else if let Some(body) = inside("tuple").filter(|_| depth < MAX_DEPTH) {
        let offset = at + text.len() - 1 - body.len();
        TypeKind::Tuple(parts(body).map(|(i, part)| of_text(part, offset + i, depth + 1)).collect())
    } else if text == "!stablehlo.token" {
        TypeKind::Token
    } else {
        TypeKind::Other(text)
    };
    Type { span, kind }
}

/// The parts that commas outside of brackets separate, trimmed, with their places.
fn parts(body: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut depth, mut from, mut out) = (0i32, 0, vec![]);
    for (i, c) in body.char_indices() {
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push((from, body.get(from..i).unwrap_or_default()));
                from = i + 1;
            }
            _ => {}
        }
    }
    out.push((from, body.get(from..).unwrap_or_default()));
    out.into_iter().filter(|p| !p.1.trim().is_empty()).map(|(i, p)| (i + p.len() - p.trim_start().len(), p.trim()))
}

/// `2x?xf32, #encoding`
fn tensor(body: &str) -> Option<TypeKind<'_>> {
    let mut list = parts(body);
    let mut rest = list.next()?.1;
    // Bounds say how large extents `?` get: nothing is computed from them here.
    let bounds = |e: &str| e.starts_with("#stablehlo.bounds<") || e.starts_with("#stablehlo.type_extensions<bounds");
    let encoded = list.next().is_some_and(|e| !bounds(e.1));
    let mut dims = vec![];
    loop {
        if let Some(r) = rest.strip_prefix("?x") {
            dims.push(None);
            rest = r;
            continue;
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        match rest.get(digits..).and_then(|r| r.strip_prefix('x')) {
            Some(r) if digits > 0 => {
                dims.push(Some(rest.get(..digits)?.parse().ok()?));
                rest = r;
            }
            _ => break,
        }
    }
    let word = rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!');
    (word && !rest.starts_with('x')).then_some(TypeKind::Tensor(dims, rest, encoded))
}
