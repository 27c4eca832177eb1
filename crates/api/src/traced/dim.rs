//! Extents of traced tensors. Traced tensors belong to no program yet, so that their extents carry the names of their atoms:
//! a symbol is what it is called, an extent that values decide is what made it.
use super::TracedTensor;
use std::sync::Arc;
use tfc_ir::extent::Atom;
use tfc_ir::{Code, Error, Extent, ExtentNames, Result, SymId, Type};

/// What an extent is made from, besides integers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Name {
    /// `n`: the same wherever it is written.
    Sym(Arc<str>),
    /// `?r`: bound when the op (or the region) with this number runs, the `index`-th that it binds.
    Found { by: u64, index: u32, name: Arc<str> },
}
impl Name {
    pub(crate) fn text(&self) -> &str {
        match self {
            Name::Sym(s) => s,
            Name::Found { name, .. } => name,
        }
    }
}
/// The atoms of extents: `SymId(i)` in an [`Extent`] of a traced tensor is the `i`-th of its names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Names(Option<Arc<[Name]>>);
impl Names {
    pub(crate) fn list(&self) -> &[Name] {
        self.0.as_deref().unwrap_or_default()
    }
    pub(crate) fn of(mut list: Vec<Name>) -> Names {
        list.sort();
        list.dedup();
        Names((!list.is_empty()).then(|| list.into()))
    }
    /// All names of both.
    pub(crate) fn with(&self, other: &Names) -> Names {
        match (&self.0, &other.0) {
            (_, None) => self.clone(),
            (None, _) => other.clone(),
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) || a == b => self.clone(),
            (Some(a), Some(b)) => Names::of(a.iter().chain(b.iter()).cloned().collect()),
        }
    }
    /// The atom of that name.
    pub(crate) fn find(&self, name: &Name) -> Option<SymId> {
        self.list().binary_search(name).ok().map(|i| SymId(i as u32))
    }
    /// An extent over these names, over `other` names that hold them all.
    pub(crate) fn lift(&self, e: &Extent, other: &Names) -> Result<Extent> {
        if self.0.is_none() || self == other {
            return Ok(e.clone());
        }
        e.subst(&|a| match a {
            Atom::Sym(s) => self.list().get(s.0 as usize).and_then(|n| other.find(n)).map(Extent::sym),
            Atom::Exist(_) => None,
        })
    }
    /// As [`Names::lift`], of a type.
    pub(crate) fn lift_type(&self, t: &Type, other: &Names) -> Result<Type> {
        Ok(t.with_dims(t.dims.iter().map(|e| self.lift(e, other)).collect::<Result<Vec<_>>>()?))
    }
}
impl ExtentNames for Names {
    fn sym(&self, s: SymId) -> &str {
        self.list().get(s.0 as usize).map_or("_", Name::text)
    }
    fn exist(&self, _: tfc_ir::ExistId) -> &str {
        "_"
    }
}

/// One extent: a number, a symbol (`"n"`), an axis of a traced tensor ([`TracedTensor::dim`]), or an
/// expression of these. Equal expressions are the same extent: `n + 1 + n` is `2*n + 1`.
///
/// ```
/// use tfc_api::prelude::*;
/// let n = Dim::from("n");
/// assert_eq!(n.add(&n)?.add(&1.into())?.to_string(), "2*n + 1");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dim {
    pub(crate) extent: Extent,
    pub(crate) names: Names,
    /// Tensors whose making binds the extents that values decide.
    pub(crate) found: Vec<TracedTensor>,
}
impl Dim {
    /// The extent's value, where it is a number.
    pub fn as_exact(&self) -> Option<usize> {
        self.extent.as_exact().and_then(|n| usize::try_from(n).ok())
    }
    fn both(&self, other: &Dim, f: impl Fn(&Extent, &Extent) -> Result<Extent>) -> Result<Dim> {
        let names = self.names.with(&other.names);
        let extent = f(&self.names.lift(&self.extent, &names)?, &other.names.lift(&other.extent, &names)?)?;
        let found = [&self.found[..], &other.found[..]].concat();
        Ok(Dim { extent, names, found })
    }
    /// `self + other`. Errors: `E0405` where that overflows 64 bits.
    pub fn add(&self, other: &Dim) -> Result<Dim> {
        self.both(other, Extent::add)
    }
    /// `self - other`; where that is negative when a program runs, it says so. Errors as [`Dim::add`].
    pub fn sub(&self, other: &Dim) -> Result<Dim> {
        self.both(other, Extent::sub)
    }
    /// `self * other`. Errors as [`Dim::add`].
    pub fn mul(&self, other: &Dim) -> Result<Dim> {
        self.both(other, Extent::mul)
    }
    /// The smaller one. Errors as [`Dim::add`].
    pub fn min(&self, other: &Dim) -> Result<Dim> {
        self.both(other, Extent::min)
    }
    /// The larger one. Errors as [`Dim::add`].
    pub fn max(&self, other: &Dim) -> Result<Dim> {
        self.both(other, Extent::max)
    }
    /// `self / other`, rounded down. Errors: `E0407` where `other` is 0, `E0405`.
    pub fn floordiv(&self, other: &Dim) -> Result<Dim> {
        self.both(other, Extent::floordiv)
    }
}
impl PartialEq for Dim {
    fn eq(&self, other: &Dim) -> bool {
        let names = self.names.with(&other.names);
        let lifted = |d: &Dim| d.names.lift(&d.extent, &names).ok();
        lifted(self) == lifted(other)
    }
}
impl std::fmt::Display for Dim {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}", self.extent.display(&self.names))
    }
}
impl From<usize> for Dim {
    fn from(n: usize) -> Dim {
        Dim { extent: Extent::from(n), names: Names::default(), found: vec![] }
    }
}
/// A symbol of that name. What is no name of the language is an error where the program is compiled.
impl From<&str> for Dim {
    fn from(name: &str) -> Dim {
        Dim { extent: Extent::sym(SymId(0)), names: Names::of(vec![Name::Sym(name.into())]), found: vec![] }
    }
}
impl From<&Dim> for Dim {
    fn from(d: &Dim) -> Dim {
        d.clone()
    }
}

/// A list of [`Dim`]s: `dims!["n", 3]`.
#[macro_export]
macro_rules! dims {
    ($($d:expr),* $(,)?) => { [$($crate::traced::Dim::from($d)),*] };
}

/// What a shape may be given as: numbers, names, [`Dim`]s.
pub trait IntoDims {
    /// The values as extents.
    fn into_dims(self) -> Vec<Dim>;
}
impl<D: Clone + Into<Dim>, const N: usize> IntoDims for [D; N] {
    fn into_dims(self) -> Vec<Dim> {
        self.into_iter().map(Into::into).collect()
    }
}
impl<D: Clone + Into<Dim>, const N: usize> IntoDims for &[D; N] {
    fn into_dims(self) -> Vec<Dim> {
        self.iter().cloned().map(Into::into).collect()
    }
}
impl<D: Clone + Into<Dim>> IntoDims for &[D] {
    fn into_dims(self) -> Vec<Dim> {
        self.iter().cloned().map(Into::into).collect()
    }
}
impl<D: Clone + Into<Dim>> IntoDims for Vec<D> {
    fn into_dims(self) -> Vec<Dim> {
        self.into_iter().map(Into::into).collect()
    }
}
impl<D: Clone + Into<Dim>> IntoDims for &Vec<D> {
    fn into_dims(self) -> Vec<Dim> {
        self.iter().cloned().map(Into::into).collect()
    }
}

/// A type over the names of all its extents.
pub(crate) fn type_of(dtype: tfc_ir::DType, dims: &[Dim]) -> Result<(Type, Names)> {
    let names = dims.iter().fold(Names::default(), |n, d| n.with(&d.names));
    let dims = dims.iter().map(|d| d.names.lift(&d.extent, &names)).collect::<Result<Vec<_>>>()?;
    Ok((Type::new(dtype, dims), names))
}

/// `E1003`: a shape is asked of which some extent is known only when a program runs.
pub(crate) fn symbolic(d: &Dim, axis: usize) -> Error {
    Error::new(Code::E1003, format!("the extent of axis {axis} is `{d}`, which only a run knows"))
        .help("use `dim`, which gives it as an expression")
}
