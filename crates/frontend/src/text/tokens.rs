//! The words of a text, for editors and for pages that show programs in colours.
use super::token::Tok;
use logos::Logos;
use tfc_ir::Span;

/// What a word of a program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// `%x`.
    Value,
    /// `@f`.
    Symbol,
    /// `?k`.
    Existential,
    /// `#1`.
    Location,
    /// An op, an attribute, an extent, the label of a region.
    Name,
    /// `f64`.
    Dtype,
    /// `func`, `return`.
    Keyword,
    /// A number, or `true`, `inf`.
    Number,
    /// A string.
    Text,
    /// A comment.
    Comment,
    /// Brackets and what stands between words.
    Sign,
    /// What is no word of the language.
    Unknown,
}
/// A word of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its bytes; with its sigil or its quotes.
    pub span: Span,
}

/// The words of a text in order, comments among them; of any text, whatever is wrong with it.
pub fn tokens(src: &str) -> Vec<Token> {
    let kind = |tok| match tok {
        Tok::Ident(word) => match Tok::word(word) {
            Tok::Dtype(_) => TokenKind::Dtype,
            Tok::True | Tok::False | Tok::Inf | Tok::Nan => TokenKind::Number,
            Tok::Ident(_) => TokenKind::Name,
            _ => TokenKind::Keyword,
        },
        Tok::Value(_) => TokenKind::Value,
        Tok::Sym(_) => TokenKind::Symbol,
        Tok::Exist(_) => TokenKind::Existential,
        Tok::LocRef(_) => TokenKind::Location,
        Tok::Number(_) => TokenKind::Number,
        Tok::Str(_) | Tok::OpenStr => TokenKind::Text,
        Tok::Comment(_) => TokenKind::Comment,
        _ => TokenKind::Sign,
    };
    let all = Tok::lexer(src).spanned();
    all.map(|(tok, at)| Token { kind: tok.map_or(TokenKind::Unknown, kind), span: Span::new(at.start, at.end) })
        .collect()
}
