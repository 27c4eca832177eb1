//! Tokens of `.tfir`. Each class of name carries its own sigil, which is what keeps the grammar LR(1).
//!
//! Tokens borrow from the source: names come without their sigil, strings without their quotes and still escaped.
use logos::Logos;
use tfc_ir::DType;

/// One token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n]+")]
#[allow(missing_docs)]
pub(crate) enum Tok<'a> {
    /// Words are classified by [`Tok::word`]; the variants from `Tfir` to `Ident` all come from this rule.
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*", |l| l.slice())]
    Ident(&'a str),
    Tfir,
    Module,
    Data,
    Loc,
    Func,
    Export,
    Import,
    Where,
    With,
    Return,
    Yield,
    /// `mesh` in front of a symbol; elsewhere it is a name like others, as it is in tfir 1.0.
    Mesh,
    Shape,
    True,
    False,
    Inf,
    Nan,
    Dtype(&'a str),
    #[regex(r"%[A-Za-z0-9_][A-Za-z0-9_.]*", |l| &l.slice()[1..])]
    Value(&'a str),
    #[regex(r"@[A-Za-z_][A-Za-z0-9_.]*", |l| &l.slice()[1..])]
    Sym(&'a str),
    #[token("@")]
    At,
    #[regex(r"\?[A-Za-z0-9_]+", |l| &l.slice()[1..])]
    Exist(&'a str),
    #[regex(r"#[0-9]+", |l| &l.slice()[1..])]
    LocRef(&'a str),
    /// Any run that begins like a number; the lexer sorts it into the next three or reports it.
    #[regex(r"[0-9]([A-Za-z0-9_.]|[eE][+-])*", |l| l.slice())]
    Number(&'a str),
    Int(&'a str),
    Hex(&'a str),
    Float(&'a str),
    #[regex(r#""([^"\\\n]|\\[^\n])*""#, |l| &l.slice()[1..l.slice().len() - 1])]
    Str(&'a str),
    #[regex(r#""([^"\\\n]|\\[^\n])*\\?"#)]
    OpenStr,
    #[regex(r"//[^\n]*", |l| l.slice(), allow_greedy = true)]
    Comment(&'a str),
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token("[")]
    LBrack,
    #[token("]")]
    RBrack,
    #[token("<")]
    Lt,
    #[token(">")]
    Gt,
    #[token("<=")]
    Le,
    #[token(">=")]
    Ge,
    #[token("==")]
    EqEq,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("=")]
    Eq,
    #[token("->")]
    Arrow,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    /// A literal that was reported already.
    Bad,
    /// Stands for the tokens of a statement that were skipped.
    SkippedStmt,
    /// Stands for a function header that was skipped, its `{` excluded.
    SkippedHeader,
    /// Stands for a skipped item.
    SkippedItem,
}

/// Whether the word names an element type, or is kept for one.
fn is_dtype(word: &str) -> bool {
    // All but these begin with one letter and a digit, as few other words do.
    match word.as_bytes() {
        [b'i' | b'u' | b'f' | b'c', b'1'..=b'9', ..] => {
            DType::from_name(word).is_some() || DType::RESERVED.contains(&word)
        }
        _ => matches!(word, "bool" | "bf16"),
    }
}
impl<'a> Tok<'a> {
    /// The keyword, dtype or identifier that `word` is.
    pub(crate) fn word(word: &'a str) -> Tok<'a> {
        match word {
            "tfir" => Tok::Tfir,
            "module" => Tok::Module,
            "data" => Tok::Data,
            "loc" => Tok::Loc,
            "func" => Tok::Func,
            "export" => Tok::Export,
            "import" => Tok::Import,
            "where" => Tok::Where,
            "with" => Tok::With,
            "return" => Tok::Return,
            "yield" => Tok::Yield,
            "shape" => Tok::Shape,
            "true" => Tok::True,
            "false" => Tok::False,
            "inf" => Tok::Inf,
            "nan" => Tok::Nan,
            _ if is_dtype(word) => Tok::Dtype(word),
            _ => Tok::Ident(word),
        }
    }

    /// Whether it is a keyword that begins an item.
    pub(crate) fn begins_item(self) -> bool {
        matches!(self, Tok::Module | Tok::Mesh | Tok::Data | Tok::Loc | Tok::Func | Tok::Export | Tok::Import)
    }

    /// How a person would call it in a message.
    pub(crate) fn describe(self) -> String {
        match self {
            Tok::Ident(w) => format!("`{w}`"),
            Tok::Dtype(w) => format!("the dtype `{w}`"),
            Tok::Value(n) => format!("`%{n}`"),
            Tok::Sym(n) => format!("`@{n}`"),
            Tok::Exist(n) => format!("`?{n}`"),
            Tok::LocRef(n) => format!("`#{n}`"),
            Tok::Int(n) | Tok::Hex(n) | Tok::Float(n) | Tok::Number(n) if n.len() <= 24 => format!("`{n}`"),
            Tok::Int(_) | Tok::Hex(_) | Tok::Float(_) | Tok::Number(_) => "a number".into(),
            Tok::Str(_) | Tok::OpenStr => "a string".into(),
            Tok::Comment(_) => "a comment".into(),
            Tok::Bad | Tok::SkippedStmt | Tok::SkippedHeader | Tok::SkippedItem => "this".into(),
            t => match t.fixed() {
                Some(s) if s.starts_with(|c: char| c.is_ascii_alphabetic()) => format!("the keyword `{s}`"),
                Some(s) => format!("`{s}`"),
                None => "this".into(),
            },
        }
    }

    /// The spelling of a token that has only one.
    pub(crate) fn fixed(self) -> Option<&'static str> {
        Some(match self {
            Tok::Tfir => "tfir",
            Tok::Module => "module",
            Tok::Data => "data",
            Tok::Loc => "loc",
            Tok::Func => "func",
            Tok::Export => "export",
            Tok::Import => "import",
            Tok::Where => "where",
            Tok::With => "with",
            Tok::Return => "return",
            Tok::Yield => "yield",
            Tok::Mesh => "mesh",
            Tok::Shape => "shape",
            Tok::True => "true",
            Tok::False => "false",
            Tok::Inf => "inf",
            Tok::Nan => "nan",
            Tok::LParen => "(",
            Tok::RParen => ")",
            Tok::LBrace => "{",
            Tok::RBrace => "}",
            Tok::LBrack => "[",
            Tok::RBrack => "]",
            Tok::Lt => "<",
            Tok::Gt => ">",
            Tok::Le => "<=",
            Tok::Ge => ">=",
            Tok::EqEq => "==",
            Tok::Comma => ",",
            Tok::Colon => ":",
            Tok::At => "@",
            Tok::Eq => "=",
            Tok::Arrow => "->",
            Tok::Plus => "+",
            Tok::Minus => "-",
            Tok::Star => "*",
            _ => return None,
        })
    }
}
