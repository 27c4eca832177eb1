//! The syntax tree: what was written, with the bytes where it was written. Names have lost their sigil, nothing else is
//! interpreted; integers stay text.
use tfc_ir::Span;

/// A name or literal with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct File<'a> {
    pub(crate) items: Vec<Item<'a>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item<'a> {
    Module {
        span: Span,
        name: Word<'a>,
        args: Vec<Arg<'a>>,
    },
    Data {
        span: Span,
        name: Word<'a>,
        ty: Type<'a>,
        kind: Word<'a>,
        args: Vec<Arg<'a>>,
    },
    Loc {
        span: Span,
        id: Word<'a>,
        kind: Word<'a>,
        args: Vec<Arg<'a>>,
    },
    Mesh {
        span: Span,
        name: Word<'a>,
        args: Vec<Arg<'a>>,
    },
    Import(Import<'a>),
    Func(Func<'a>),
    /// Reported already.
    Error(Span),
}
/// `import "integrate.tfir" as ode with (f = @pendulum)`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Import<'a> {
    pub(crate) span: Span,
    pub(crate) path: Word<'a>,
    /// The word `as`, unless something else stands there.
    pub(crate) as_word: Word<'a>,
    pub(crate) name: Word<'a>,
    /// Functions of the file, and what stands in their place.
    pub(crate) with: Vec<Arg<'a>>,
}
impl Item<'_> {
    pub(crate) fn span(&self) -> Span {
        match self {
            Item::Module { span, .. } | Item::Data { span, .. } | Item::Loc { span, .. } => *span,
            Item::Mesh { span, .. } | Item::Error(span) => *span,
            Item::Import(i) => i.span,
            Item::Func(f) => f.span,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Func<'a> {
    pub(crate) span: Span,
    /// `None` where the header was not readable.
    pub(crate) head: Option<FuncHead<'a>>,
    pub(crate) body: Body<'a>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FuncHead<'a> {
    pub(crate) span: Span,
    pub(crate) export: bool,
    pub(crate) name: Word<'a>,
    pub(crate) dims: Vec<Word<'a>>,
    pub(crate) params: Vec<Param<'a>>,
    pub(crate) results: Vec<(Option<Word<'a>>, Type<'a>)>,
    pub(crate) wheres: Vec<Cmp<'a>>,
    pub(crate) attrs: Vec<Arg<'a>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Param<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) ty: Option<Type<'a>>,
    pub(crate) sharding: Option<Sharding<'a>>,
    /// What a parameter is where a caller leaves it out.
    pub(crate) default: Option<Attr<'a>>,
}

/// `@ [data, _, model + pipe]`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sharding<'a> {
    pub(crate) span: Span,
    pub(crate) axes: Vec<Vec<Word<'a>>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Type<'a> {
    pub(crate) span: Span,
    pub(crate) dtype: Word<'a>,
    pub(crate) dims: Vec<Dim<'a>>,
}

/// An extent. Sums and products are n-ary: a tree of a million additions would overflow the stack when dropped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dim<'a> {
    pub(crate) span: Span,
    pub(crate) kind: DimKind<'a>,
}
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DimKind<'a> {
    Int(&'a str),
    Var(&'a str),
    Exist(&'a str),
    /// Terms; `true` is a minus.
    Sum(Vec<(bool, Dim<'a>)>),
    Prod(Vec<Dim<'a>>),
    Call(Word<'a>, Vec<Dim<'a>>),
    /// Reported already.
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CmpOp {
    Le,
    Ge,
    Eq,
}
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cmp<'a> {
    pub(crate) span: Span,
    pub(crate) lhs: Dim<'a>,
    pub(crate) op: CmpOp,
    pub(crate) rhs: Dim<'a>,
}

/// A block: statements and, unless it was forgotten, a terminator.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Body<'a> {
    pub(crate) open: Span,
    pub(crate) stmts: Vec<Line<'a>>,
    pub(crate) end: Option<Terminator<'a>>,
    pub(crate) close: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line<'a> {
    Stmt(Stmt<'a>),
    Let(Let<'a>),
    /// Reported already.
    Error(Span),
}
impl Line<'_> {
    pub(crate) fn span(&self) -> Span {
        match self {
            Line::Stmt(s) => s.span,
            Line::Let(l) => l.span,
            Line::Error(s) => *s,
        }
    }
}

/// `%y: f64[] = 3.0`: names what is no call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Let<'a> {
    pub(crate) span: Span,
    pub(crate) results: Vec<Param<'a>>,
    pub(crate) value: Expr<'a>,
    pub(crate) loc: Option<Word<'a>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Terminator<'a> {
    pub(crate) span: Span,
    /// The `return` or `yield`.
    pub(crate) keyword: Span,
    pub(crate) is_return: bool,
    pub(crate) values: Vec<Expr<'a>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stmt<'a> {
    pub(crate) span: Span,
    pub(crate) results: Vec<Param<'a>>,
    pub(crate) op: Word<'a>,
    /// Written `"acme.op"`.
    pub(crate) quoted: bool,
    pub(crate) args: Vec<Arg<'a>>,
    /// The parentheses of the arguments.
    pub(crate) parens: Span,
    /// What is picked from the result, one list a pair of brackets.
    pub(crate) picks: Vec<Picks<'a>>,
    pub(crate) regions: Vec<Region<'a>>,
    pub(crate) wheres: Vec<Cmp<'a>>,
    pub(crate) loc: Option<Word<'a>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Region<'a> {
    pub(crate) span: Span,
    pub(crate) label: Word<'a>,
    pub(crate) params: Vec<Param<'a>>,
    pub(crate) wheres: Vec<Cmp<'a>>,
    pub(crate) body: Body<'a>,
}

/// A value, or what makes one. Brackets nest at most so deep, and with them expressions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr<'a> {
    Name(Word<'a>),
    Literal(Attr<'a>),
    /// A call as a statement without results.
    Call(Box<Stmt<'a>>),
    /// `f32(%x)`
    Convert(Span, Word<'a>, Box<Expr<'a>>),
    /// Parts of parts, in a list: there may be any number of them.
    Pick(Box<Expr<'a>>, Vec<Picks<'a>>),
}
impl<'a> Expr<'a> {
    pub(crate) fn parts(of: Expr<'a>, picks: Vec<Picks<'a>>) -> Expr<'a> {
        if picks.is_empty() { of } else { Expr::Pick(Box::new(of), picks) }
    }
    pub(crate) fn span(&self) -> Span {
        match self {
            Expr::Name(w) => w.span,
            Expr::Literal(a) => a.span,
            Expr::Call(s) => s.span,
            Expr::Convert(span, ..) => *span,
            Expr::Pick(of, picks) => of.span().to(picks.last().map_or(of.span(), |p| p.span)),
        }
    }
}
/// `[0, :, %i]`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picks<'a> {
    pub(crate) span: Span,
    pub(crate) list: Vec<Pick<'a>>,
}
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pick<'a> {
    /// An index; the word `_`, which no extent is named, is a new axis.
    At(Dim<'a>),
    /// Indices that a value holds.
    Value(Word<'a>),
    /// `from:to:step`
    Range { span: Span, from: Option<Dim<'a>>, to: Option<Dim<'a>>, step: Option<Dim<'a>> },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Arg<'a> {
    Val(Expr<'a>),
    Pos(Attr<'a>),
    Key(Word<'a>, Attr<'a>),
}
impl Arg<'_> {
    pub(crate) fn span(&self) -> Span {
        match self {
            Arg::Val(e) => e.span(),
            Arg::Pos(a) => a.span,
            Arg::Key(k, a) => k.span.to(a.span),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Attr<'a> {
    pub(crate) span: Span,
    pub(crate) kind: AttrKind<'a>,
}
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AttrKind<'a> {
    Num(Num<'a>),
    /// Body between the quotes, escaped.
    Str(&'a str),
    Bool(bool),
    /// A bare word.
    Case(&'a str),
    Sym(Word<'a>, Vec<Dim<'a>>),
    List(Vec<Attr<'a>>),
    Complex(Num<'a>, Num<'a>),
    Shape(Vec<Dim<'a>>),
    Type(Type<'a>),
    Loc(&'a str),
    /// Reported already.
    Error,
}

/// A number literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Num<'a> {
    pub(crate) span: Span,
    pub(crate) negative: bool,
    pub(crate) kind: NumKind<'a>,
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NumKind<'a> {
    Int(&'a str),
    /// `0x` included.
    Hex(&'a str),
    Float(&'a str),
    Inf,
    Nan,
}
