//! The substitution of values and extents by which ops are copied from one function to another.
use crate::attr::{Attr, Attrs, SymRef};
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::extent::{Atom, CmpOp, Constraint, ExistId, Extent, Facts, Truth};
use crate::func::ValueId;
use crate::list::ValueList;
use crate::types::Type;
use std::collections::HashMap;

/// Old values and extents to new ones, from one function to another.
#[derive(Clone, Debug, Default)]
pub struct Map {
    values: Vec<Option<ValueId>>,
    syms: Option<Vec<Extent>>,
    exists: HashMap<ExistId, Extent>,
    opens: bool,
}
/// Whether the extent is at least 0 whatever its symbols are.
fn never_negative(e: &Extent) -> bool {
    if let Some(n) = e.as_exact() {
        return n >= 0;
    }
    let holds = Constraint { lhs: Extent::exact(0), op: CmpOp::Le, rhs: e.clone() };
    e.as_atom().is_some() || Facts::new().prove(&holds) == Truth::Yes
}
impl Map {
    /// Symbols stay; no value and no existential is mapped yet.
    pub fn new() -> Map {
        Map::default()
    }
    /// With symbol `i` becoming `syms[i]`.
    pub fn with_syms(syms: Vec<Extent>) -> Map {
        let opens = syms.iter().any(|e| e.mentions_existential() || !never_negative(e));
        Map { syms: Some(syms), opens, ..Map::default() }
    }
    /// Whether symbols become other extents.
    pub(crate) fn has_syms(&self) -> bool {
        self.syms.is_some()
    }
    /// Whether every existential of a type is mapped.
    pub fn knows(&self, t: &Type) -> bool {
        let mut known = true;
        t.dims.iter().for_each(|d| {
            d.for_each_atom(&mut |a| known &= !matches!(a, Atom::Exist(r) if self.exist(r).is_none()));
        });
        known
    }
    /// From now on copies of ops are inferred anew: they come to stand where other things are known.
    pub fn reopen(&mut self) {
        self.opens = true;
    }
    /// Are copies inferred anew? Also where a symbol becomes an extent that values decide, of which more is asked, or one that may be
    /// negative: that a symbol is not needs no check.
    pub(crate) fn opens(&self) -> bool {
        self.opens
    }
    /// Makes room for the values of a function.
    pub(crate) fn reserve(&mut self, values: usize) {
        self.values.reserve(values);
    }
    /// Maps a value.
    #[inline]
    pub fn insert(&mut self, old: ValueId, new: ValueId) {
        if self.values.len() <= old.ix() {
            self.values.resize(old.ix() + 1, None);
        }
        self.values[old.ix()] = Some(new);
    }
    /// What a value became.
    #[inline]
    pub fn get(&self, old: ValueId) -> Option<ValueId> {
        self.values.get(old.ix()).copied().flatten()
    }
    /// Forgets a value.
    pub fn remove(&mut self, old: ValueId) -> Option<ValueId> {
        self.values.get_mut(old.ix()).and_then(Option::take)
    }
    /// What a value became; `E0399` (a bug) where it has not been mapped.
    #[inline]
    pub fn value(&self, old: ValueId) -> Result<ValueId> {
        self.get(old).ok_or_else(|| Error::bug(Code::E0399, format!("value {} has not been mapped", old.0)))
    }
    /// What several values became.
    pub fn all(&self, old: &[ValueId]) -> Result<Vec<ValueId>> {
        old.iter().map(|&v| self.value(v)).collect()
    }
    /// As [`Map::all`], as an op holds them.
    pub fn list(&self, old: &[ValueId]) -> Result<ValueList> {
        old.iter().map(|&v| self.value(v)).collect()
    }
    /// Maps an existential.
    pub fn bind(&mut self, old: ExistId, new: Extent) {
        self.exists.insert(old, new);
    }
    /// Forgets an existential; gives what it became.
    pub fn unbind(&mut self, old: ExistId) -> Option<Extent> {
        self.exists.remove(&old)
    }
    /// Forgets existentials: the next to come get fresh ones.
    pub fn forget_exists(&mut self) {
        self.exists.clear();
    }
    /// What an existential became.
    pub fn exist(&self, old: ExistId) -> Option<&Extent> {
        self.exists.get(&old)
    }
    /// Whether every extent stays what it is.
    fn is_identity(&self) -> bool {
        self.syms.is_none() && self.exists.is_empty()
    }
    /// An extent under the map; what is not mapped stays.
    pub fn extent(&self, e: &Extent) -> Result<Extent> {
        if e.as_exact().is_some() {
            return Ok(e.clone());
        }
        e.subst(&|a| match a {
            Atom::Sym(s) => self.syms.as_ref().and_then(|v| v.get(s.0 as usize).cloned()),
            Atom::Exist(r) => self.exists.get(&r).cloned(),
        })
    }
    /// A type under the map.
    pub fn ty(&self, t: &Type) -> Result<Type> {
        if self.is_identity() || t.is_exact() || (self.syms.is_none() && !t.mentions_existential()) {
            return Ok(t.clone());
        }
        Ok(t.with_dims(t.dims.iter().map(|d| self.extent(d)).collect::<Result<Vec<_>>>()?))
    }
    /// Whether type `old` becomes `new`.
    pub(crate) fn becomes(&self, old: &Type, new: &Type) -> bool {
        old == new && (self.is_identity() || old.is_exact()) || self.ty(old).is_ok_and(|t| t == *new)
    }
    /// A constraint under the map.
    pub fn constraint(&self, c: &Constraint) -> Result<Constraint> {
        Ok(Constraint { lhs: self.extent(&c.lhs)?, op: c.op, rhs: self.extent(&c.rhs)? })
    }
    /// An attribute under the map.
    pub fn attr(&self, a: &Attr) -> Result<Attr> {
        Ok(match a {
            Attr::Extents(v) => Attr::Extents(v.iter().map(|e| self.extent(e)).collect::<Result<_>>()?),
            Attr::Type(t) => Attr::Type(self.ty(t)?),
            Attr::Sym(s) => Attr::Sym(SymRef {
                func: s.func,
                extents: s.extents.iter().map(|e| self.extent(e)).collect::<Result<_>>()?,
                explicit: s.explicit,
            }),
            a => a.clone(),
        })
    }
    /// Attributes under the map.
    pub fn attrs(&self, a: &Attrs) -> Result<Attrs> {
        let exact = |v: &[Extent]| v.iter().all(|e| e.as_exact().is_some());
        let fixed = |a: &Attr| match a {
            Attr::Extents(v) => exact(v),
            Attr::Type(t) => exact(&t.dims),
            Attr::Sym(s) => exact(&s.extents),
            // Of integers and words, or of lists of these: no slot takes another list.
            _ => true,
        };
        if self.is_identity() || a.iter().all(|x| fixed(&x.1)) {
            return Ok(a.clone());
        }
        Ok(Attrs::of(a.iter().map(|(k, v)| Ok((*k, self.attr(v)?))).collect::<Result<Vec<_>>>()?))
    }
}
