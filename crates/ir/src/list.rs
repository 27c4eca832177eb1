//! Short lists of values. An op has few operands and results: up to five stand in the op itself, so that building, copying
//! and dropping an op allocates nothing for them.
use crate::func::ValueId;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// How many values need no allocation: as many as fit where a `Vec` would stand.
const INLINE: usize = 5;

/// A list of values of fixed length; a slice in use.
#[derive(Clone)]
pub struct ValueList(Repr);
#[derive(Clone)]
enum Repr {
    Inline(u8, [ValueId; INLINE]),
    Heap(Box<[ValueId]>),
}
impl ValueList {
    /// No value.
    pub const fn new() -> ValueList {
        ValueList(Repr::Inline(0, [ValueId(0); INLINE]))
    }
    /// The values.
    pub fn as_slice(&self) -> &[ValueId] {
        self
    }
}
impl Default for ValueList {
    fn default() -> Self {
        ValueList::new()
    }
}
impl Deref for ValueList {
    type Target = [ValueId];
    #[inline]
    fn deref(&self) -> &[ValueId] {
        match &self.0 {
            Repr::Inline(n, list) => list.get(..usize::from(*n)).unwrap_or_default(),
            Repr::Heap(list) => list,
        }
    }
}
impl DerefMut for ValueList {
    fn deref_mut(&mut self) -> &mut [ValueId] {
        match &mut self.0 {
            Repr::Inline(n, list) => list.get_mut(..usize::from(*n)).unwrap_or_default(),
            Repr::Heap(list) => list,
        }
    }
}
impl From<&[ValueId]> for ValueList {
    fn from(list: &[ValueId]) -> ValueList {
        if list.len() > INLINE {
            return ValueList(Repr::Heap(list.into()));
        }
        let mut out = [ValueId(0); INLINE];
        out.iter_mut().zip(list).for_each(|(x, &v)| *x = v);
        ValueList(Repr::Inline(list.len() as u8, out))
    }
}
impl From<Vec<ValueId>> for ValueList {
    fn from(list: Vec<ValueId>) -> ValueList {
        if list.len() > INLINE { ValueList(Repr::Heap(list.into())) } else { list.as_slice().into() }
    }
}
impl FromIterator<ValueId> for ValueList {
    fn from_iter<I: IntoIterator<Item = ValueId>>(list: I) -> ValueList {
        let (mut out, mut n) = ([ValueId(0); INLINE], 0);
        let mut it = list.into_iter();
        for slot in &mut out {
            let Some(v) = it.next() else { return ValueList(Repr::Inline(n, out)) };
            *slot = v;
            n += 1;
        }
        match it.next() {
            None => ValueList(Repr::Inline(n, out)),
            Some(v) => ValueList(Repr::Heap(out.into_iter().chain([v]).chain(it).collect())),
        }
    }
}
impl<'a> IntoIterator for &'a ValueList {
    type Item = &'a ValueId;
    type IntoIter = std::slice::Iter<'a, ValueId>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
impl PartialEq for ValueList {
    fn eq(&self, other: &ValueList) -> bool {
        **self == **other
    }
}
impl Eq for ValueList {}
impl Hash for ValueList {
    fn hash<H: Hasher>(&self, h: &mut H) {
        (**self).hash(h);
    }
}
impl fmt::Debug for ValueList {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (**self).fmt(f)
    }
}
