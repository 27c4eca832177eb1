//! What plans are found by.
use std::hash::{Hash, Hasher};
use tfc_ir::hash::WordHasher;
use tfc_ir::{Attr, Attrs, DType, OpDef, Tensor, Type};

/// A call, as far as plans depend on it.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a> {
    pub(crate) row: &'static OpDef,
    pub(crate) attrs: &'a Attrs,
    /// Written types of the results.
    pub(crate) types: Option<&'a [Type]>,
    pub(crate) operands: &'a [&'a Tensor],
    /// Whether the extents of the operands are part of the key.
    pub(crate) exact: bool,
}
/// A query that is kept, with values of its own.
pub(crate) struct Key {
    row: &'static OpDef,
    attrs: Attrs,
    types: Option<Box<[Type]>>,
    classes: Box<[Class]>,
    /// Where extents count: those of all operands.
    shapes: Option<Box<[usize]>>,
}
/// What counts of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    dtype: DType,
    rank: u32,
    /// Which of the first axes have extent 1: a literal one repeats where another extent does not.
    pub(crate) ones: u64,
    /// Whether the result has the shape of the first operand.
    pub(crate) like_first: bool,
}
impl Class {
    #[inline]
    fn of(t: &Tensor, first: &Tensor) -> Class {
        let mut ones = 0;
        for (i, &n) in t.shape().iter().take(64).enumerate() {
            ones |= u64::from(n == 1) << i;
        }
        // Element by element: comparing slices calls `memcmp`, which costs more than most shapes are long.
        let (a, b) = (t.shape(), first.shape());
        let like_first = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b);
        Class { dtype: t.dtype(), rank: t.rank() as u32, ones, like_first }
    }
}

impl<'a> Query<'a> {
    #[inline]
    pub(crate) fn new(
        row: &'static OpDef,
        attrs: &'a Attrs,
        types: Option<&'a [Type]>,
        operands: &'a [&'a Tensor],
    ) -> Query<'a> {
        // Where an expansion chooses among orders of more than two operands, extents decide.
        let chosen = row.explain.is_some() && operands.len() > 2;
        let exact = chosen || types.is_some() || attrs.iter().any(|(_, a)| matches!(a, Attr::Extents(_)));
        Query { row, attrs, types, operands, exact }
    }
    #[inline]
    pub(crate) fn classes(&self) -> impl Iterator<Item = Class> {
        self.operands.iter().map(|t| Class::of(t, self.operands[0]))
    }
    #[inline]
    pub(crate) fn hash(&self) -> u64 {
        let mut h = WordHasher::default();
        h.write_usize(std::ptr::from_ref(self.row).addr());
        if !self.attrs.is_empty() {
            self.attrs.hash(&mut h);
        }
        if let Some(t) = self.types {
            t.hash(&mut h);
        }
        for c in self.classes() {
            h.write_u64(u64::from(c.dtype as u8) << 40 | u64::from(c.like_first) << 32 | u64::from(c.rank));
            h.write_u64(c.ones);
        }
        if self.exact {
            self.operands.iter().flat_map(|t| t.shape()).for_each(|&n| h.write_usize(n));
        }
        h.finish()
    }
    pub(crate) fn to_key(self) -> Key {
        let shapes = || self.operands.iter().flat_map(|t| t.shape()).copied().collect();
        Key {
            row: self.row,
            attrs: self.attrs.clone(),
            types: self.types.map(Into::into),
            classes: self.classes().collect(),
            shapes: self.exact.then(shapes),
        }
    }
}
impl Key {
    #[inline]
    pub(crate) fn is(&self, q: &Query) -> bool {
        let shapes = || match &self.shapes {
            None => !q.exact,
            Some(s) => q.exact && s.iter().eq(q.operands.iter().flat_map(|t| t.shape())),
        };
        self.row.is(q.row)
            && self.classes.len() == q.operands.len()
            && self.classes.iter().copied().eq(q.classes())
            && self.attrs == *q.attrs
            && self.types.as_deref() == q.types
            && shapes()
    }
}
