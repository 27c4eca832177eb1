//! Meshes of devices, and how values are cut over them. Both say where a value lives, never what it is: types, rules of ops and
//! results know nothing of them. An annotation is an entry of a table of the function and is carried wherever a value stands for
//! another: copies, replacements, tangents and cotangents.
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Span};
use crate::func::{BODY, Def, Func, ValueId};
use crate::types::Type;
use std::fmt;
use std::sync::Arc;

/// `mesh @m(data = 2, model = 4)`: devices by named axes, the last of which is the fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mesh {
    /// Name without `@`.
    pub name: Arc<str>,
    /// Axes, with how many devices are along each.
    pub axes: Vec<(Arc<str>, usize)>,
    /// Where it is declared.
    pub span: Span,
}
impl Mesh {
    /// How many devices it has; `None` where they cannot be counted.
    pub fn devices(&self) -> Option<usize> {
        self.axes.iter().try_fold(1usize, |n, a| n.checked_mul(a.1))
    }
    /// How many devices are along that axis.
    pub fn along(&self, axis: &str) -> Option<usize> {
        self.axes.iter().find(|a| &*a.0 == axis).map(|a| a.1)
    }
}
impl fmt::Display for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<String> = self.axes.iter().map(|(n, k)| format!("{n} = {k}")).collect();
        write!(f, "mesh @{}({})", self.name, axes.join(", "))
    }
}

/// `@ [data, _, model + pipe]`: for each axis of a value the axes of the mesh over which it is cut, none or several. Of several
/// the first is the slowest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sharding(pub Vec<Vec<Arc<str>>>);
impl Sharding {
    /// What does not fit, with the place in the annotation: axis of the value, and which of its mesh axes.
    ///
    /// `E0313` there is no such axis of a mesh, `E0314` one cuts the value twice, `E0231` the value has another number of axes.
    pub fn fault(&self, mesh: Option<&Mesh>, ty: &Type) -> Option<(Error, Option<(usize, usize)>)> {
        let Some(mesh) = mesh else {
            let e = Error::new(Code::E0313, "there is no mesh of devices");
            return Some((e.help("declare one: `mesh @m(data = 2)`"), None));
        };
        let mut seen: Vec<&str> = vec![];
        for (i, axes) in self.0.iter().enumerate() {
            for (j, a) in axes.iter().enumerate() {
                if mesh.along(a).is_none() {
                    let known: Vec<&str> = mesh.axes.iter().map(|a| &*a.0).collect();
                    let e = Error::new(Code::E0313, format!("the mesh has no axis `{a}`"));
                    return Some((e.help(format!("its axes are {}", known.join(", "))), Some((i, j))));
                }
                if seen.contains(&&**a) {
                    let e = Error::new(Code::E0314, format!("the mesh axis `{a}` cuts this value twice"));
                    return Some((e.help("a mesh axis cuts at most one axis of a value"), Some((i, j))));
                }
                seen.push(a);
            }
        }
        if self.0.len() == ty.dims.len() {
            return None;
        }
        let (n, of) = (self.0.len(), ty.dims.len());
        let s = if n == 1 { "y" } else { "ies" };
        let e = Error::new(Code::E0231, format!("the sharding has {n} entr{s}, the value {of} axes"));
        Some((e.help("write one entry for each axis of the value, `_` where it is not cut"), None))
    }
}
impl fmt::Display for Sharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = |axes: &Vec<Arc<str>>| if axes.is_empty() { "_".into() } else { axes.join(" + ") };
        write!(f, "@ [{}]", self.0.iter().map(cut).collect::<Vec<_>>().join(", "))
    }
}

impl Builder<'_> {
    /// Says how value `v` is cut; it must fit ([`Sharding::fault`]).
    pub fn shard(&mut self, v: ValueId, s: Arc<Sharding>) {
        self.f.shardings.insert(v, s);
    }
    /// Value `v` stands for value `old` of `src`: it is cut as that is, unless something is said of it already. Parameters of
    /// functions stay as they are, since callers cut them; so do values with another number of axes.
    #[inline]
    pub fn shard_like(&mut self, v: ValueId, src: &Func, old: ValueId) {
        if let Some(s) = src.sharding(old) {
            self.shard_as(v, s.clone());
        }
    }
    /// The same of what is said of that value.
    #[cold]
    pub(crate) fn shard_as(&mut self, v: ValueId, s: Arc<Sharding>) {
        let here = self.f.value(v);
        let parameter = here.region == BODY && matches!(here.def, Def::Param(_));
        if !parameter && here.ty.dims.len() == s.0.len() {
            self.f.shardings.entry(v).or_insert(s);
        }
    }
}
