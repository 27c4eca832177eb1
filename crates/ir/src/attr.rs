//! Attributes: named compile-time values of an op, stored uniformly and described by the slots of its row.
use crate::dtype::DType;
use crate::extent::Extent;
use crate::module::{DataId, FuncId};
use crate::small::Small;
use crate::tensor::Tensor;
use crate::types::Type;
use crate::{with_small_float, with_small_int};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A function symbol with the extents given to its parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SymRef {
    /// The function.
    pub func: FuncId,
    /// One extent (of the caller) per extent parameter of the function; inference fills what follows from operands.
    pub extents: Arc<[Extent]>,
    /// Are they printed? (Because written, or because they do not follow from the operands.)
    pub explicit: bool,
}
impl From<FuncId> for SymRef {
    fn from(func: FuncId) -> SymRef {
        SymRef { func, extents: Arc::default(), explicit: false }
    }
}

/// An attribute value.
#[derive(Clone, Debug)]
pub enum Attr {
    /// Integer.
    Int(i64),
    /// Floating number that is not an element of a tensor (a tolerance).
    Float(f64),
    /// `true`, `false`.
    Bool(bool),
    /// Quoted text.
    Str(Arc<str>),
    /// Bare word, one of the cases that the slot lists.
    Word(Arc<str>),
    /// List.
    List(Arc<[Attr]>),
    /// Function symbol.
    Sym(SymRef),
    /// Data symbol.
    Data(DataId),
    /// One extent or several; the slot says which.
    Extents(Arc<[Extent]>),
    /// A type.
    Type(Type),
    /// A number or nested lists of numbers, with the element type it is meant for.
    Tensor(Tensor),
}
impl Attr {
    /// A list of integers.
    pub fn ints<I: TryInto<i64> + Copy>(v: &[I]) -> Attr {
        Attr::List(v.iter().map(|&i| Attr::Int(i.try_into().unwrap_or(i64::MAX))).collect())
    }
    /// A list of lists of integers.
    pub fn int_lists(v: &[&[usize]]) -> Attr {
        Attr::List(v.iter().map(|l| Attr::ints(l)).collect())
    }
    /// One extent.
    pub fn extent(e: Extent) -> Attr {
        Attr::Extents([e].into())
    }
    /// Several extents.
    pub fn extents(v: impl Into<Arc<[Extent]>>) -> Attr {
        Attr::Extents(v.into())
    }
    /// A bare word.
    pub fn word(w: &str) -> Attr {
        Attr::Word(w.into())
    }
}
impl PartialEq for Attr {
    fn eq(&self, other: &Attr) -> bool {
        match (self, other) {
            (Attr::Int(a), Attr::Int(b)) => a == b,
            (Attr::Float(a), Attr::Float(b)) => a.to_bits() == b.to_bits(),
            (Attr::Bool(a), Attr::Bool(b)) => a == b,
            (Attr::Str(a), Attr::Str(b)) | (Attr::Word(a), Attr::Word(b)) => a == b,
            (Attr::List(a), Attr::List(b)) => a == b,
            (Attr::Sym(a), Attr::Sym(b)) => a == b,
            (Attr::Data(a), Attr::Data(b)) => a == b,
            (Attr::Extents(a), Attr::Extents(b)) => a == b,
            (Attr::Type(a), Attr::Type(b)) => a == b,
            (Attr::Tensor(a), Attr::Tensor(b)) => a.same(b),
            _ => false,
        }
    }
}
impl Eq for Attr {}
impl Hash for Attr {
    fn hash<H: Hasher>(&self, h: &mut H) {
        std::mem::discriminant(self).hash(h);
        match self {
            Attr::Int(a) => a.hash(h),
            Attr::Float(a) => a.to_bits().hash(h),
            Attr::Bool(a) => a.hash(h),
            Attr::Str(a) | Attr::Word(a) => a.hash(h),
            Attr::List(a) => a.hash(h),
            Attr::Sym(a) => a.hash(h),
            Attr::Data(a) => a.hash(h),
            Attr::Extents(a) => a.hash(h),
            Attr::Type(a) => a.hash(h),
            Attr::Tensor(a) => {
                a.dtype().hash(h);
                a.shape().hash(h);
                hash_some(a, h);
            }
        }
    }
}

/// Hashes a few elements of a tensor: enough to tell constants of one type apart, which programs have by the thousand. A
/// large one is not worth hashing whole.
fn hash_some<H: Hasher>(t: &Tensor, h: &mut H) {
    const SOME: usize = 4;
    if t.is_empty() {
        return;
    }
    // Equality is that of bits, except that any NaN equals any other.
    let real = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    for i in 0..SOME {
        let index: Vec<usize> = t.shape().iter().map(|n| (n - 1) / (SOME - 1) * i).collect();
        match t.dtype() {
            DType::F32 => t.get::<f32>(&index).map(|x| real(x.into())).hash(h),
            DType::F64 => t.get::<f64>(&index).map(real).hash(h),
            DType::I64 => t.get::<i64>(&index).hash(h),
            DType::I32 => t.get::<i32>(&index).hash(h),
            // Others are rare enough to be told apart by their types.
            d => with_small_float!(d, T => t.get::<T>(&index).map(|x| real(x.widen().into())).hash(h), _ =>
                with_small_int!(d, T => t.get::<T>(&index).map(Small::bits).hash(h), _ => {})),
        }
        if t.rank() == 0 {
            return;
        }
    }
}

/// The attributes of one op, in the order of its row's slots; those equal to their default are absent.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Attrs(Option<Arc<Vec<(&'static str, Attr)>>>);
impl Attrs {
    /// No attribute.
    pub fn none() -> Attrs {
        Attrs(None)
    }
    /// These attributes (the builder sorts them).
    pub fn of(list: impl IntoIterator<Item = (&'static str, Attr)>) -> Attrs {
        let v: Vec<_> = list.into_iter().collect();
        if v.is_empty() { Attrs(None) } else { Attrs(Some(Arc::new(v))) }
    }
    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &(&'static str, Attr)> {
        self.0.iter().flat_map(|v| v.iter())
    }
    /// Whether there is no attribute.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
    /// The attribute of that name, if present.
    pub fn get(&self, name: &str) -> Option<&Attr> {
        self.iter().find(|a| a.0 == name).map(|a| &a.1)
    }
    /// With that attribute set.
    pub fn with(mut self, name: &'static str, a: Attr) -> Attrs {
        self.set(name, a);
        self
    }
    /// Sets an attribute.
    pub fn set(&mut self, name: &'static str, a: Attr) {
        let v = Arc::make_mut(self.0.get_or_insert_with(Default::default));
        match v.iter_mut().find(|x| x.0 == name) {
            Some(x) => x.1 = a,
            None => v.push((name, a)),
        }
    }
    /// Removes an attribute.
    pub fn remove(&mut self, name: &str) {
        if self.get(name).is_some() {
            let v: Vec<_> = self.iter().filter(|a| a.0 != name).cloned().collect();
            *self = Attrs::of(v);
        }
    }
    /// Sorted by `order` (unknown names last).
    pub(crate) fn sort_by(&mut self, order: impl Fn(&str) -> usize) {
        if let Some(v) = &mut self.0
            && !v.is_sorted_by_key(|a| order(a.0))
        {
            Arc::make_mut(v).sort_by_key(|a| order(a.0));
        }
    }
    /// An integer; 0 where absent.
    pub fn int(&self, name: &str) -> i64 {
        match self.get(name) {
            Some(Attr::Int(i)) => *i,
            _ => 0,
        }
    }
    /// An integer; 1 where absent.
    pub fn int_or_one(&self, name: &str) -> i64 {
        if self.get(name).is_some() { self.int(name) } else { 1 }
    }
    /// A list of non-negative integers (or one); empty where absent. Inference has checked them.
    pub fn indices(&self, name: &str) -> Vec<usize> {
        match self.get(name) {
            Some(Attr::List(v)) => v.iter().map(|a| if let Attr::Int(i) = a { *i as usize } else { 0 }).collect(),
            Some(Attr::Int(i)) => vec![*i as usize],
            _ => vec![],
        }
    }
    /// A flag; `false` where absent.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Attr::Bool(true)))
    }
    /// A word, if present.
    pub fn word(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Attr::Word(w)) => Some(w),
            _ => None,
        }
    }
    /// Text, if present.
    pub fn str(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Attr::Str(w)) => Some(w),
            _ => None,
        }
    }
    /// A function symbol, if present.
    pub fn sym(&self, name: &str) -> Option<&SymRef> {
        match self.get(name) {
            Some(Attr::Sym(s)) => Some(s),
            _ => None,
        }
    }
    /// Extents; empty where absent.
    pub fn extents(&self, name: &str) -> &[Extent] {
        match self.get(name) {
            Some(Attr::Extents(v)) => v,
            _ => &[],
        }
    }
    /// A literal, if present.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        match self.get(name) {
            Some(Attr::Tensor(t)) => Some(t),
            _ => None,
        }
    }
}
