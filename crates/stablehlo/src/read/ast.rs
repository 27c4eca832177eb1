//! StableHLO text as a tree, as far as its syntax goes. Ops are all alike: whatever form an op is written in, it has a name,
//! operands, attributes, regions and types; what they mean is the business of the lowering.
use std::collections::HashMap;
use tfc_ir::Span;

/// A file: one module, or functions alone.
#[derive(Debug, Default)]
pub(super) struct File<'a> {
    pub(super) name: Option<Word<'a>>,
    pub(super) funcs: Vec<Func<'a>>,
    /// `#name = …`
    pub(super) aliases: HashMap<&'a str, Attr<'a>>,
    /// `#loc3 = loc(…)`
    pub(super) locs: HashMap<&'a str, Loc<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// `%x`, `%x#1`
#[derive(Clone, Copy, Debug)]
pub(super) struct Use<'a> {
    pub(super) name: &'a str,
    pub(super) index: u32,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct Func<'a> {
    pub(super) span: Span,
    /// Escapes as they are written.
    pub(super) name: Word<'a>,
    pub(super) private: bool,
    pub(super) params: Vec<Param<'a>>,
    pub(super) results: Vec<Type<'a>>,
    /// `None` where it is only declared.
    pub(super) body: Option<Block<'a>>,
}

#[derive(Clone, Debug)]
pub(super) struct Param<'a> {
    pub(super) name: Word<'a>,
    pub(super) ty: Type<'a>,
    /// `jax.global_constant = "n"`: an extent of that name.
    pub(super) constant: Option<&'a str>,
    /// `tf.aliasing_output` or `jax.buffer_donor`: its memory may be used anew.
    pub(super) donated: bool,
}

/// A region of one block.
#[derive(Debug, Default)]
pub(super) struct Block<'a> {
    pub(super) span: Span,
    pub(super) params: Vec<Param<'a>>,
    pub(super) ops: Vec<Op<'a>>,
    /// Something in it was not understood and has been reported.
    pub(super) broken: bool,
}

#[derive(Debug)]
pub(super) struct Op<'a> {
    pub(super) span: Span,
    /// `stablehlo.add`, without quotes.
    pub(super) name: Word<'a>,
    /// Names, each with how many results it stands for.
    pub(super) results: Vec<(Word<'a>, u32)>,
    pub(super) operands: Vec<Use<'a>>,
    /// How many of the operands, at their end, are written as initial values.
    pub(super) inits: usize,
    /// What is written as `key = value`, in any of the forms.
    pub(super) attrs: Vec<(Word<'a>, Attr<'a>)>,
    /// Which of these stand in a dictionary `{…}`, where anybody may add what no op knows, by their places.
    pub(super) loose: Vec<Span>,
    /// What is written without a key, in order.
    pub(super) given: Vec<Attr<'a>>,
    /// `%a` of `(%a = %x)`: what regions call the operands.
    pub(super) bound: Vec<Word<'a>>,
    pub(super) regions: Vec<Block<'a>>,
    /// Types of the operands, where a function type is written.
    pub(super) ins: Option<Vec<Type<'a>>>,
    /// Types of the results, or whatever types are listed.
    pub(super) outs: Vec<Type<'a>>,
    pub(super) loc: Option<Loc<'a>>,
}

#[derive(Clone, Debug)]
pub(super) struct Attr<'a> {
    pub(super) span: Span,
    pub(super) kind: AttrKind<'a>,
    /// The type behind a number, or of the elements of an `array<…>`, as it is written; empty where none is.
    pub(super) of: &'a str,
}
impl<'a> Attr<'a> {
    pub(super) fn new(span: Span, kind: AttrKind<'a>) -> Attr<'a> {
        Attr { span, kind, of: "" }
    }
}
#[derive(Clone, Debug)]
pub(super) enum AttrKind<'a> {
    Num(&'a str),
    Str(&'a str),
    Bool(bool),
    /// Present, without a value.
    Unit,
    /// A bare word, or the last word of `#stablehlo<comparison_direction LT>`.
    Word(&'a str),
    Symbol(&'a str),
    /// `[…]`, `array<i64: …>`
    List(Vec<Attr<'a>>),
    /// `{…}`
    Dict(Vec<(Word<'a>, Attr<'a>)>),
    /// What stands between `dense<` and `>`.
    Dense(&'a str, Option<Type<'a>>),
    /// `#stablehlo.gather<…>`: what has a key.
    Struct(Vec<(Word<'a>, Attr<'a>)>),
    /// `1:4:2`
    Range(Vec<&'a str>),
    /// `[2] x [1]`, `[…]x[…]->[…]`
    Product(Vec<Attr<'a>>),
    Alias(&'a str),
    /// A type, which no attribute that is read holds.
    Type,
    /// `(T, U) -> V`: what a function takes and gives.
    Function(Vec<Type<'a>>, Vec<Type<'a>>),
    /// Something of another dialect.
    Opaque,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Type<'a> {
    pub(super) span: Span,
    pub(super) kind: TypeKind<'a>,
}
impl Type<'_> {
    /// Whether the same type is written.
    pub(super) fn is(&self, other: &Type) -> bool {
        match (&self.kind, &other.kind) {
            (TypeKind::Tuple(a), TypeKind::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is(b)),
            (a, b) => a == b,
        }
    }
}
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TypeKind<'a> {
    /// Extents (`None`: `?`), element type, whether an encoding other than bounds is written.
    Tensor(Vec<Option<u64>>, &'a str, bool),
    Tuple(Vec<Type<'a>>),
    Token,
    /// Anything else, as it is written.
    Other(&'a str),
}

/// A place in a source from which the text was made.
#[derive(Clone, Debug)]
pub(super) enum Loc<'a> {
    /// File, line, column.
    File(&'a str, &'a str, &'a str),
    /// The first of several, or the callee of a call: what tells most.
    Of(Box<Loc<'a>>),
    Alias(&'a str),
    Unknown,
}
