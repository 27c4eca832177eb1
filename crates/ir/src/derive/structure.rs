//! Where derivatives are zero whatever values are: which elements of the results of a linear function may depend on which
//! elements of one parameter. Rows say it axis by axis ([`crate::places`]); what they do not say may be anywhere.
//!
//! An index along an axis of the parameter is split into digits where a reshape splits it; so is an axis of a value into parts,
//! slowest first. Of each digit is known that it lies, for an element of a value, at most so far from the index along one part.
use crate::attr::Attrs;
use crate::diag::Result;
use crate::extent::Extent;
use crate::func::{BODY, Func, Op, ValueId};
use crate::places::{Kept, Places, kept};
use crate::types::Type;

/// A digit differs from the index along part `part` of axis `axis` by `from` at least and `to` at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The axis of the value.
    pub axis: usize,
    /// The part of the axis.
    pub part: usize,
    /// Least difference, digit less index.
    pub from: i64,
    /// Greatest difference.
    pub to: i64,
}
impl Link {
    /// How many digits go with an index; `None` where that is no number.
    pub fn width(&self) -> Option<i64> {
        self.to.checked_sub(self.from)?.checked_add(1)
    }
}
/// What an element of a value depends on.
#[derive(Clone, PartialEq, Debug)]
pub struct Reach {
    /// Extents of the parts of each axis.
    pub axes: Vec<Vec<Extent>>,
    /// By digit, how far apart its elements are linked; `None`: to any.
    pub links: Vec<Option<Link>>,
}
/// What results depend on.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Extents of the digits of each axis of the parameter.
    pub digits: Vec<Vec<Extent>>,
    /// By result, what it depends on; `None`: it does not depend on the parameter.
    pub results: Vec<Option<Reach>>,
}
/// A digit is to be split into these.
struct Split {
    digit: usize,
    into: Vec<Extent>,
}
/// So many digits are split, at most.
const MOST_SPLITS: usize = 8;

/// What the results of `f`, which is linear in parameter `param` and in one piece, depend on in that parameter.
pub fn structure(f: &Func, param: ValueId) -> Result<Structure> {
    let mut digits: Vec<Vec<Extent>> = f.ty(param).dims.iter().map(|d| vec![d.clone()]).collect();
    for round in 0..=MOST_SPLITS {
        let may_split = round < MOST_SPLITS;
        let flat = digits.iter().flatten().cloned().collect();
        let mut walk = Walk { f, digits: flat, reach: vec![None; f.values.len()], split: None, may_split };
        walk.start(param, &digits);
        walk.region()?;
        match walk.split {
            Some(s) => {
                let mut at = s.digit;
                for axis in &mut digits {
                    if at < axis.len() {
                        axis.splice(at..=at, s.into.iter().cloned());
                        break;
                    }
                    at -= axis.len();
                }
            }
            None => {
                let results = f.returns().iter().map(|y| walk.reach[y.ix()].clone()).collect();
                return Ok(Structure { digits, results });
            }
        }
    }
    Ok(Structure { results: vec![None; f.returns().len()], digits })
}
fn whole(ty: &Type, digits: usize) -> Reach {
    Reach { axes: ty.dims.iter().map(|d| vec![d.clone()]).collect(), links: vec![None; digits] }
}
struct Walk<'a> {
    f: &'a Func,
    digits: Vec<Extent>,
    reach: Vec<Option<Reach>>,
    split: Option<Split>,
    may_split: bool,
}
impl Walk<'_> {
    fn start(&mut self, param: ValueId, digits: &[Vec<Extent>]) {
        let mut links = vec![];
        for (axis, d) in digits.iter().enumerate() {
            links.extend((0..d.len()).map(|part| Some(Link { axis, part, from: 0, to: 0 })));
        }
        self.reach[param.ix()] = Some(Reach { axes: digits.to_vec(), links });
    }
    fn region(&mut self) -> Result<()> {
        for &o in &self.f.region(BODY).ops {
            let op = self.f.op(o);
            let captured = op.regions.iter().flat_map(|&r| self.f.captures(r));
            let digits = captured.chain(op.operands.iter().copied()).find_map(|v| self.reach[v.ix()].as_ref());
            let Some(digits) = digits.map(|r| r.links.len()) else { continue };
            for &y in &op.results {
                let made = self.result(op, y, digits)?;
                self.reach[y.ix()] = Some(made);
            }
            if self.split.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }
    /// What result `y` of `op` depends on.
    fn result(&mut self, op: &Op, y: ValueId, digits: usize) -> Result<Reach> {
        let f = self.f;
        let ty = f.ty(y);
        if !op.regions.is_empty() || op.results.iter().any(|&r| f.ty(r).rank() != ty.rank()) {
            return Ok(whole(ty, digits));
        }
        let mut all: Option<Reach> = None;
        for (i, &x) in op.operands.iter().enumerate() {
            let Some(from) = self.reach[x.ix()].clone() else { continue };
            let one = match op.def.movement.places {
                Places::Reshaped => self.reshaped(&from, ty, &op.attrs)?,
                _ => match kept(f, op, i) {
                    Some(kept) => through(&from, &kept, ty),
                    None => whole(ty, digits),
                },
            };
            all = Some(match all {
                Some(a) => joined(a, one, ty),
                None => one,
            });
        }
        Ok(all.unwrap_or_else(|| whole(ty, digits)))
    }
    /// The elements in the same order in another shape: parts that multiply to the same number of elements are the same parts.
    fn reshaped(&mut self, from: &Reach, ty: &Type, attrs: &Attrs) -> Result<Reach> {
        let digits = from.links.len();
        let mut out = whole(ty, digits);
        let first = attrs.word("order") == Some("first");
        let (mut parts, mut dims) = (vec![], vec![]);
        let turned = |n: usize| (0..n).map(move |i| if first { n - 1 - i } else { i });
        for a in turned(from.axes.len()) {
            parts.extend(from.axes[a].iter().enumerate().map(|(k, e)| ((a, k), e.clone())));
        }
        for a in turned(ty.rank()) {
            dims.push((a, ty.dims[a].clone()));
        }
        parts.retain(|p| p.1.as_exact() != Some(1));
        dims.retain(|d| d.1.as_exact() != Some(1));
        let none = |e: &Extent| e.as_exact() == Some(0);
        if parts.iter().any(|p| none(&p.1)) || dims.iter().any(|d| none(&d.1)) {
            return Ok(out);
        }
        let (mut p, mut d) = (0, 0);
        while p < parts.len() && d < dims.len() {
            let Some((n, m)) = matching(&parts[p..], &dims[d..])? else { break };
            let (these, those) = (&parts[p..p + n], &dims[d..d + m]);
            (p, d) = (p + n, d + m);
            let linked = |(a, k): (usize, usize)| {
                let on = move |l: &Option<Link>| l.is_some_and(|l| (l.axis, l.part) == (a, k));
                (0..digits).filter(move |&i| on(&from.links[i])).collect::<Vec<_>>()
            };
            if m == 1 {
                // Parts of one axis.
                let axis = those[0].0;
                out.axes[axis] = these.iter().map(|t| t.1.clone()).collect();
                for (part, t) in these.iter().enumerate() {
                    for i in linked(t.0) {
                        out.links[i] = from.links[i].map(|l| Link { axis, part, ..l });
                    }
                }
            } else if n == 1 {
                // A digit is split as its part is, where it is as long: of a slice it is not.
                for i in linked(these[0].0) {
                    let exact = self.digits[i] == these[0].1 && from.links[i].is_some_and(|l| l.from == 0 && l.to == 0);
                    if exact && self.may_split && self.split.is_none() {
                        self.split = Some(Split { digit: i, into: those.iter().map(|t| t.1.clone()).collect() });
                    }
                }
            }
        }
        Ok(out)
    }
}
/// The least numbers of parts and of extents, from the first ones on, that multiply to the same.
fn matching<T, U>(parts: &[(T, Extent)], dims: &[(U, Extent)]) -> Result<Option<(usize, usize)>> {
    let products = |list: Vec<&Extent>| -> Result<Vec<Extent>> {
        let mut all = vec![];
        let mut last = Extent::exact(1);
        for e in list {
            last = last.mul(e)?;
            all.push(last.clone());
        }
        Ok(all)
    };
    let left = products(parts.iter().map(|p| &p.1).collect())?;
    let right = products(dims.iter().map(|d| &d.1).collect())?;
    for sum in 0..left.len() + right.len() {
        for i in 0..left.len().min(sum + 1) {
            if right.get(sum - i) == Some(&left[i]) {
                return Ok(Some((i + 1, sum - i + 1)));
            }
        }
    }
    Ok(None)
}
/// What an op makes of an operand whose axes become these.
fn through(from: &Reach, kept: &[Option<Kept>], ty: &Type) -> Reach {
    let mut out = whole(ty, from.links.len());
    let mut taken = vec![false; ty.rank()];
    // Of axes that become the same one, the first.
    let mut to: Vec<Option<Kept>> = vec![None; from.axes.len()];
    for (a, k) in kept.iter().enumerate() {
        let (Some(k), Some(parts)) = (k, from.axes.get(a)) else { continue };
        if taken.get(k.axis) != Some(&false) {
            continue;
        }
        let whole = parts.len() == 1;
        let still = k.from == 0 && k.to == 0 && product(parts).as_ref() == ty.dims.get(k.axis);
        if whole || still {
            taken[k.axis] = true;
            to[a] = Some(*k);
            if !whole {
                out.axes[k.axis] = parts.clone();
            }
        }
    }
    for (new, old) in out.links.iter_mut().zip(&from.links) {
        let Some(l) = old else { continue };
        let Some(Some(k)) = to.get(l.axis) else { continue };
        *new = (|| {
            Some(Link { axis: k.axis, part: l.part, from: l.from.checked_add(k.from)?, to: l.to.checked_add(k.to)? })
        })();
    }
    out
}
fn product(parts: &[Extent]) -> Option<Extent> {
    parts.iter().try_fold(Extent::exact(1), |n, p| n.mul(p).ok())
}
/// What depends on either.
fn joined(a: Reach, b: Reach, ty: &Type) -> Reach {
    let mut out = whole(ty, a.links.len());
    let mut same = vec![true; ty.rank()];
    for (axis, parts) in out.axes.iter_mut().enumerate() {
        if a.axes[axis] == b.axes[axis] {
            parts.clone_from(&a.axes[axis]);
        } else {
            same[axis] = false;
        }
    }
    for (i, new) in out.links.iter_mut().enumerate() {
        let (Some(l), Some(m)) = (a.links[i], b.links[i]) else { continue };
        let alike = same[l.axis] || (a.axes[l.axis].len() == 1 && b.axes[l.axis].len() == 1);
        if (l.axis, l.part) == (m.axis, m.part) && alike {
            *new = Some(Link { from: l.from.min(m.from), to: l.to.max(m.to), ..l });
        }
    }
    out
}
