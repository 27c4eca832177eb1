//! Extents that values decide, told apart in messages: under names of their own, with who binds each.
use crate::diag::Error;
use crate::extent::{Atom, ExistId, Extent, ExtentNames, SymId};
use crate::func::{Binder, Func, ValueId};
use crate::types::Type;

/// Names for messages about these extents: two existentials that are called alike are numbered.
pub struct Apart<'f> {
    f: &'f Func,
    seen: Vec<(ExistId, String)>,
    alike: bool,
}
impl<'f> Apart<'f> {
    /// The binders of the existentials in `all`, in their order.
    pub fn of<'e>(f: &'f Func, all: impl IntoIterator<Item = &'e Extent>) -> Apart<'f> {
        let mut seen: Vec<(ExistId, String)> = vec![];
        let mut alike = false;
        for e in all {
            e.for_each_atom(&mut |atom| {
                let Atom::Exist(r) = atom else { return };
                if seen.iter().any(|s| s.0 == r) {
                    return;
                }
                let name = f.exist(r);
                let free = |n: &String| seen.iter().all(|s| s.1 != *n);
                let own = std::iter::once(name.to_owned()).chain((2..).map(|k| format!("{name}_{k}"))).find(free);
                let own = own.unwrap_or_default();
                alike |= own != name;
                seen.push((r, own));
            });
        }
        Apart { f, seen, alike }
    }
    /// Whether some binders are called alike where they are written.
    pub fn alike(&self) -> bool {
        self.alike
    }
    /// An extent.
    pub fn extent(&self, e: &Extent) -> String {
        e.display(self).to_string()
    }
    /// A type.
    pub fn ty(&self, t: &Type) -> String {
        let dims: Vec<String> = t.dims.iter().map(|d| self.extent(d)).collect();
        format!("{}[{}]", t.dtype, dims.join(", "))
    }
    /// The error with the place and the binder of each.
    pub fn told(&self, mut e: Error) -> Error {
        for (r, name) in &self.seen {
            if let Some(d) = self.f.exists.get(r.0 as usize) {
                let by = binder(self.f, *r).map_or(String::new(), |by| format!(", by {by}"));
                e = e.also(d.span, format!("?{name} is bound here{by}"));
            }
        }
        e
    }
}
impl ExtentNames for Apart<'_> {
    fn sym(&self, s: SymId) -> &str {
        self.f.sym(s)
    }
    fn exist(&self, e: ExistId) -> &str {
        self.seen.iter().find(|s| s.0 == e).map_or_else(|| self.f.exist(e), |s| &s.1)
    }
}

/// Who binds an existential, as messages say it: "`%u` of `linalg.svd_trunc`", "`extent` of `%k`"; `None` where nobody does.
pub fn binder(f: &Func, r: ExistId) -> Option<String> {
    let mentions = |v: &ValueId| {
        let mut found = false;
        f.ty(*v).dims.iter().for_each(|d| d.for_each_atom(&mut |a| found |= a == Atom::Exist(r)));
        found
    };
    let named = |v: ValueId| Some(&f.value(v).name).filter(|n| !n.is_empty()).map(|n| format!("`%{n}`"));
    Some(match f.binder(r)? {
        Binder::Op(o) => {
            let op = f.op(o);
            let result = op.results.iter().copied().find(|v| mentions(v));
            match (result.and_then(named), op.operands.first().copied().and_then(named)) {
                (Some(v), _) => format!("{v} of `{}`", op.def.name),
                (None, Some(v)) => format!("`{}` of {v}", op.def.name),
                (None, None) => format!("`{}`", op.def.name),
            }
        }
        Binder::Params(q) => match f.region(q).params.iter().copied().find(|v| mentions(v)).and_then(named) {
            Some(v) => format!("the parameter {v} of a region"),
            None => "the parameters of a region".to_owned(),
        },
        Binder::Header => "the header".to_owned(),
    })
}
