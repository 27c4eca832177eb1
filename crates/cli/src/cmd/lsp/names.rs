//! What names stand for, found in the words of a text alone, so that it is known of programs that are not finished: a value is seen
//! from where it is defined to the end of the region that defines it, and no region defines a name again that it sees.
use super::text::Text;
use std::collections::BTreeMap;
use tfc_frontend::text::{Token, TokenKind, tokens};
use tfc_ir::Span;

/// A function of a text, by the numbers of words.
pub(super) struct FuncText {
    /// Its name.
    pub(super) name: usize,
    /// The word with which it begins.
    pub(super) start: usize,
    /// The `{` of its body, or the word where it breaks off.
    pub(super) open: usize,
    /// One past its last word.
    pub(super) end: usize,
}
/// The words of a text and what they stand for.
pub(super) struct Names {
    /// Without comments.
    pub(super) words: Vec<Token>,
    /// The word that defines the value which each word names; a definition names itself.
    defined: BTreeMap<usize, usize>,
    pub(super) funcs: Vec<FuncText>,
    /// Values that are seen at the end of the text; of a text that ends where somebody writes.
    pub(super) seen: Vec<usize>,
}
impl Names {
    pub(super) fn of(text: &Text) -> Names {
        let words: Vec<Token> = tokens(&text.all).into_iter().filter(|t| t.kind != TokenKind::Comment).collect();
        let mut names = Names { words, defined: BTreeMap::new(), funcs: vec![], seen: vec![] };
        names.find_funcs(text);
        names.find_values(text);
        names
    }
    fn find_funcs(&mut self, text: &Text) {
        let (mut depth, mut open) = (0usize, None::<FuncText>);
        for (i, t) in self.words.iter().enumerate() {
            let word = text.slice(t.span);
            match (t.kind, word) {
                (TokenKind::Keyword, "func") => {
                    let exported =
                        i.checked_sub(1).filter(|&e| self.words.get(e).is_some_and(|w| text.slice(w.span) == "export"));
                    let start = exported.unwrap_or(i);
                    self.funcs.extend(open.take().map(|f| FuncText { end: start, ..f }));
                    depth = 0;
                    if self.words.get(i + 1).is_some_and(|n| n.kind == TokenKind::Symbol) {
                        open = Some(FuncText { name: i + 1, start, open: i + 1, end: i + 2 });
                    }
                }
                (TokenKind::Sign, "{") => {
                    if let (0, Some(f)) = (depth, &mut open) {
                        f.open = i;
                    }
                    depth += 1;
                }
                (TokenKind::Sign, "}") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.funcs.extend(open.take().map(|f| FuncText { end: i + 1, ..f }));
                    }
                }
                _ => {}
            }
        }
        let end = self.words.len();
        self.funcs.extend(open.map(|f| FuncText { end, ..f }));
    }
    fn find_values(&mut self, text: &Text) {
        let mut scopes: Vec<BTreeMap<&str, usize>> = vec![BTreeMap::new()];
        // Parameters are seen in the region that follows them.
        let mut params: BTreeMap<&str, usize> = BTreeMap::new();
        // Inside of brackets; behind `return` or `yield`; the last value was a definition.
        let (mut depth, mut ending, mut listed) = (0usize, false, false);
        for i in 0..self.words.len() {
            let t = self.words[i];
            let word = text.slice(t.span);
            let beside = |k: Option<usize>| k.and_then(|k| self.words.get(k)).map_or("", |w| text.slice(w.span));
            match (t.kind, word) {
                (TokenKind::Keyword, "func") => {
                    (scopes, params) = (vec![BTreeMap::new()], BTreeMap::new());
                    (depth, ending) = (0, false);
                }
                (TokenKind::Keyword, "return" | "yield") => ending = true,
                (TokenKind::Sign, "(" | "[") => depth += 1,
                (TokenKind::Sign, ")" | "]") => depth = depth.saturating_sub(1),
                (TokenKind::Sign, "{") => {
                    scopes.push(std::mem::take(&mut params));
                    (depth, ending) = (0, false);
                }
                (TokenKind::Sign, "}") => {
                    scopes.pop();
                    (depth, ending, listed) = (0, false, false);
                }
                (TokenKind::Value, name) => {
                    let (before, after) = (beside(i.checked_sub(1)), beside(Some(i + 1)));
                    let begins = depth == 0 && !ending && matches!(after, "=" | "," | ":") && before != "=";
                    let defines = after == ":" || begins && (before != "," || listed);
                    listed = defines && depth == 0;
                    if defines {
                        let scope = if depth > 0 { Some(&mut params) } else { scopes.last_mut() };
                        scope.map(|s| s.insert(name, i));
                    }
                    let found = match defines {
                        true => Some(i),
                        false => scopes.iter().rev().chain([&params]).find_map(|s| s.get(name).copied()),
                    };
                    self.defined.extend(found.map(|d| (i, d)));
                }
                _ => {}
            }
        }
        self.seen = scopes.iter().flat_map(|s| s.values().copied()).chain(params.values().copied()).collect();
    }

    /// The word that the byte `at` is in or just behind.
    pub(super) fn at(&self, at: usize) -> Option<usize> {
        let touches = |s: Span| (s.start as usize..=s.end as usize).contains(&at);
        let near = |i: &usize| self.words.get(*i).is_some_and(|t| touches(t.span));
        let i = self.words.partition_point(|t| (t.span.end as usize) < at);
        // Of two that touch there, the one that is no sign.
        let named = |i: &usize| self.words.get(*i).is_some_and(|t| t.kind != TokenKind::Sign);
        [i, i + 1].into_iter().filter(near).find(named).or(Some(i).filter(near))
    }
    /// The word that defines the value which word `i` names.
    pub(super) fn definition(&self, i: usize) -> Option<usize> {
        self.defined.get(&i).copied()
    }
    pub(super) fn defines(&self, i: usize) -> bool {
        self.definition(i) == Some(i)
    }
    /// Every word that names the same value as word `i`.
    pub(super) fn same_value(&self, i: usize) -> Vec<usize> {
        let Some(d) = self.definition(i) else { return vec![] };
        self.defined.iter().filter(|x| *x.1 == d).map(|x| *x.0).collect()
    }
    /// The function that the word is in.
    pub(super) fn func_of(&self, word: usize) -> Option<&FuncText> {
        self.funcs.iter().find(|f| (f.start..f.end).contains(&word))
    }
    /// Every word that is this symbol.
    pub(super) fn same_symbol(&self, text: &Text, name: &str) -> Vec<usize> {
        let is = |t: &Token| t.kind == TokenKind::Symbol && text.slice(t.span) == name;
        self.words.iter().enumerate().filter(|(_, t)| is(t)).map(|(i, _)| i).collect()
    }
    /// The word that declares this symbol: behind `func` or `data`.
    pub(super) fn declaration(&self, text: &Text, name: &str) -> Option<usize> {
        let declared = |i: &usize| {
            let before = i.checked_sub(1).and_then(|b| self.words.get(b));
            before.is_some_and(|w| matches!(text.slice(w.span), "func" | "data"))
        };
        self.same_symbol(text, name).into_iter().find(declared)
    }
    /// The header of a function, from its first word to the one in front of its `{`.
    pub(super) fn header<'t>(&self, text: &'t Text, f: &FuncText) -> &'t str {
        let last = f.open.saturating_sub(1).max(f.name);
        match (self.words.get(f.start), self.words.get(last)) {
            (Some(a), Some(b)) => text.slice(a.span.to(b.span)),
            _ => "",
        }
    }
    /// What the file imports: alias, and the word that is the path.
    pub(super) fn imports<'t>(&self, text: &'t Text) -> Vec<(&'t str, usize)> {
        let mut out = vec![];
        for (i, w) in self.words.windows(4).enumerate() {
            let word = |k: usize| w.get(k).map_or("", |t| text.slice(t.span));
            if word(0) == "import" && word(2) == "as" {
                out.push((word(3), i + 1));
            }
        }
        out
    }
}
