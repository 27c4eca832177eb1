//! Cotangents that count only where conditions hold. Reverse mode multiplies the cotangent of a `select`'s branch by the slopes
//! of that branch; where the branch was not taken these may be infinite, and 0 times them is NaN. The condition is therefore
//! kept beside the cotangent, goes along through the statements of the branch, and is applied behind them: the result is 0
//! there, as in forward mode.
use crate::DType;
use crate::builder::Builder;
use crate::diag::Result;
use crate::func::{Def, ValueId};
use crate::op::Loops;
use crate::types::Type;

/// A condition on the elements of a cotangent: a `bool` value, which side of it counts, and which axis of the cotangent each of
/// its axes is. A scalar has none: it holds of all elements or of none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cond {
    pub(super) p: ValueId,
    pub(super) side: bool,
    pub(super) axes: Vec<usize>,
}
impl Cond {
    /// The condition that `p`, a scalar or of the cotangent's shape, is `side`. Where `p` repeats a smaller value along axes,
    /// that value stands for it.
    pub(super) fn new(b: &mut Builder, p: ValueId, side: bool) -> Result<Cond> {
        let mut c = Cond { p, side, axes: (0..b.func().ty(p).rank()).collect() };
        while let Some((x, dims)) = repeated(b, c.p)? {
            c.p = x;
            c.axes = dims.into_iter().filter_map(|d| c.axes.get(d).copied()).collect();
        }
        Ok(c)
    }
    /// With its axes where `to` says; `None` where one of them is nowhere.
    pub(super) fn moved(&self, to: &[Option<usize>]) -> Option<Cond> {
        let axes = self.axes.iter().map(|&a| to.get(a).copied().flatten()).collect::<Option<Vec<_>>>()?;
        Some(Cond { axes, ..self.clone() })
    }
    /// Where it holds for any index along the axes that are nowhere by `to`, of what is left: there, moved.
    pub(super) fn any(&self, b: &mut Builder, to: &[Option<usize>]) -> Result<Cond> {
        let at: Vec<Option<usize>> = self.axes.iter().map(|&a| to.get(a).copied().flatten()).collect();
        let gone: Vec<usize> = (0..at.len()).filter(|&i| at[i].is_none()).collect();
        let axes = at.into_iter().flatten().collect();
        if gone.is_empty() {
            return Ok(Cond { axes, ..self.clone() });
        }
        // Not all of them are true where one is false.
        let p = if self.side { b.any_along(self.p, &gone)? } else { b.all_along(self.p, &gone)? };
        Ok(Cond { p, side: self.side, axes })
    }
    /// Value of the condition in the shape of a cotangent of type `ty`, or as a scalar.
    fn spread(&self, b: &mut Builder, ty: &Type) -> Result<ValueId> {
        if self.axes.is_empty() {
            return Ok(self.p);
        }
        let mut order: Vec<usize> = (0..self.axes.len()).collect();
        order.sort_by_key(|&i| self.axes[i]);
        let p = b.transpose(self.p, &order)?;
        let axes: Vec<usize> = order.iter().map(|&i| self.axes[i]).collect();
        b.broadcast(p, &ty.with_dtype(DType::Bool), &axes)
    }
    /// `c` where it holds, else 0.
    pub(super) fn apply(&self, b: &mut Builder, c: ValueId) -> Result<ValueId> {
        let ty = b.ty(c);
        let (p, zero) = (self.spread(b, &ty)?, b.like(c, 0.0)?);
        if self.side { b.select(p, c, zero) } else { b.select(p, zero, c) }
    }
    fn opposite(&self, other: &Cond) -> bool {
        self.p == other.p && self.axes == other.axes && self.side != other.side
    }
    /// A value that is true where it holds, over the axes `axes`, which include its own, of a cotangent of type `ty`.
    fn truth(&self, b: &mut Builder, ty: &Type, axes: &[usize]) -> Result<ValueId> {
        let dims: Vec<_> = axes.iter().map(|&a| ty.dims[a].clone()).collect();
        let at: Option<Vec<usize>> = self.axes.iter().map(|a| axes.iter().position(|x| x == a)).collect();
        let small = Cond { axes: at.unwrap_or_default(), ..self.clone() };
        let whole = Type::new(DType::Bool, dims);
        let p = if small.axes.is_empty() { b.broadcast(self.p, &whole, &[])? } else { small.spread(b, &whole)? };
        if self.side { Ok(p) } else { b.not(p) }
    }
}
/// What `p` repeats along axes, without axes of extent 1 that are stretched, and which axis each of the others is.
pub(super) fn repeated(b: &mut Builder, p: ValueId) -> Result<Option<(ValueId, Vec<usize>)>> {
    let f = b.func();
    let Def::Result(o, 0) = f.value(p).def else { return Ok(None) };
    let op = f.op(o);
    let (Loops::Repeat, [x]) = (op.def.loops, &op.operands[..]) else { return Ok(None) };
    let (x, dims) = (*x, op.attrs.indices("dims"));
    let (from, to) = (f.ty(x).clone(), f.ty(p).clone());
    let mut stays = vec![];
    for (i, &d) in dims.iter().enumerate() {
        if to.dims[d] == from.dims[i] {
            stays.push(i);
        } else if from.dims[i].as_exact() != Some(1) {
            // As long, though it is spelled otherwise.
            return Ok(None);
        }
    }
    let small = Type::new(from.dtype, stays.iter().map(|&i| from.dims[i].clone()).collect::<Vec<_>>());
    let x = b.reshape(x, &small)?;
    Ok(Some((x, stays.into_iter().map(|i| dims[i]).collect())))
}

/// Conditions that all hold where a cotangent counts, and of each whether the cotangent is 0 already where it does not. None:
/// everywhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Mask(pub(super) Vec<(Cond, bool)>);
impl PartialEq for Mask {
    /// Whether both masks are the same conditions.
    fn eq(&self, other: &Mask) -> bool {
        self.0.len() == other.0.len() && self.0.iter().all(|c| other.has(&c.0))
    }
}
impl Mask {
    fn has(&self, c: &Cond) -> bool {
        self.0.iter().any(|d| d.0 == *c)
    }
    /// This, and where `c` holds; `None` where that is nowhere.
    pub(super) fn and(&self, c: Cond) -> Option<Mask> {
        if self.0.iter().any(|d| d.0.opposite(&c)) {
            return None;
        }
        let mut all = self.clone();
        all.push(c, false);
        Some(all)
    }
    /// Adds a condition, if it is not there.
    pub(super) fn push(&mut self, c: Cond, clean: bool) {
        if !self.has(&c) {
            self.0.push((c, clean));
        }
    }
    /// What holds in both.
    pub(super) fn common(&self, other: &Mask) -> Mask {
        let clean = |c: &Cond| other.0.iter().find(|d| d.0 == *c).map(|d| d.1);
        Mask(self.0.iter().filter_map(|(c, own)| Some((c.clone(), clean(c)? && *own))).collect())
    }
    /// What holds here and not in `other`.
    pub(super) fn beyond(&self, other: &Mask) -> Mask {
        Mask(self.0.iter().filter(|c| !other.has(&c.0)).cloned().collect())
    }
    /// A scalar that is true where it may hold of any element; `None` where nothing is said.
    pub(super) fn anywhere(&self, b: &mut Builder) -> Result<Option<ValueId>> {
        let mut all = None;
        for (c, _) in &self.0 {
            let any = c.any(b, &[])?;
            let p = if any.side { any.p } else { b.not(any.p)? };
            all = Some(match all {
                Some(q) => b.and(q, p)?,
                None => p,
            });
        }
        Ok(all)
    }
    /// `c` where it counts, else 0.
    pub(super) fn apply(&self, b: &mut Builder, c: ValueId) -> Result<ValueId> {
        let mut c = c;
        for (cond, _) in self.0.iter().rev().filter(|c| !c.1) {
            c = cond.apply(b, c)?;
        }
        Ok(c)
    }
}

/// A cotangent as a sum of parts, each with where it counts; no two of one mask. Most have one part, for which nothing is
/// allocated.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    first: Option<(Mask, ValueId)>,
    more: Vec<(Mask, ValueId)>,
}
impl Parts {
    /// `c`, everywhere.
    pub(super) fn of(c: ValueId) -> Parts {
        Parts { first: Some((Mask::default(), c)), more: vec![] }
    }
    /// Adds `c` where `mask` holds; gives the sum of what there is of that mask.
    pub(super) fn add(&mut self, b: &mut Builder, mask: Mask, c: ValueId) -> Result<ValueId> {
        if let Some((m, old)) = self.first.iter_mut().chain(&mut self.more).find(|p| p.0 == mask) {
            *m = m.common(&mask);
            *old = b.add(*old, c)?;
            return Ok(*old);
        }
        match self.first {
            None => self.first = Some((mask, c)),
            Some(_) => self.more.push((mask, c)),
        }
        Ok(c)
    }
    /// The whole cotangent; whether it is a new value.
    pub(super) fn whole(self, b: &mut Builder) -> Result<Option<(ValueId, bool)>> {
        self.beyond(b, &Mask::default())
    }
    /// The cotangent where the conditions hold that all its parts share, whether it is a new value, and these conditions. Where
    /// `on`, it is multiplied further on: that it is 0 where none of its parts counts is then a condition too.
    pub(super) fn common(self, b: &mut Builder, on: bool) -> Result<(Option<(ValueId, bool)>, Mask)> {
        if self.more.is_empty() {
            return Ok(self.first.map_or((None, Mask::default()), |(m, c)| (Some((c, false)), m)));
        }
        let mut masks = self.first.iter().chain(&self.more).map(|p| &p.0);
        let first = masks.next().cloned().unwrap_or_default();
        let mut mask = masks.fold(first, |m, n| m.common(n));
        let any = if on { self.any(b, &mask)? } else { None };
        let c = self.beyond(b, &mask)?;
        if let Some(any) = any {
            mask.push(any, true);
        }
        Ok((c, mask))
    }
    /// Where any of the parts counts, as far as they differ from `mask`; `None` where that may be everywhere.
    fn any(&self, b: &mut Builder, mask: &Mask) -> Result<Option<Cond>> {
        let rests: Vec<Mask> = self.first.iter().chain(&self.more).map(|p| p.0.beyond(mask)).collect();
        let everywhere = rests.iter().any(|r| r.0.is_empty());
        let sides = match &rests[..] {
            [m, n] => matches!((&m.0[..], &n.0[..]), ([c], [d]) if c.0.opposite(&d.0)),
            _ => false,
        };
        let Some((_, c)) = self.first.as_ref().filter(|_| !everywhere && !sides && rests.len() <= MOST_PARTS) else {
            return Ok(None);
        };
        let ty = b.ty(*c);
        let mut axes: Vec<usize> = rests.iter().flat_map(|r| &r.0).flat_map(|c| c.0.axes.clone()).collect();
        axes.sort_unstable();
        axes.dedup();
        let mut any = None;
        for r in &rests {
            let mut all = None;
            for (c, _) in &r.0 {
                let p = c.truth(b, &ty, &axes)?;
                all = Some(match all {
                    Some(q) => b.and(q, p)?,
                    None => p,
                });
            }
            any = match (any, all) {
                (Some(q), Some(p)) => Some(b.or(q, p)?),
                (q, p) => q.or(p),
            };
        }
        Ok(any.map(|p| Cond { p, side: true, axes }))
    }
    /// The sum, where `mask`, which every part shares, holds.
    fn beyond(self, b: &mut Builder, mask: &Mask) -> Result<Option<(ValueId, bool)>> {
        let Some((m, c)) = self.first else { return Ok(None) };
        if self.more.is_empty() && m == *mask {
            return Ok(Some((c, false)));
        }
        let all = std::iter::once((m, c)).chain(self.more);
        let parts: Vec<(Mask, ValueId)> = all.map(|(m, c)| (m.beyond(mask), c)).collect();
        if let [(m, c), (n, d)] = &parts[..]
            && let ([(p, _)], [(q, _)]) = (&m.0[..], &n.0[..])
            && p.opposite(q)
        {
            // One where the other is not.
            let (t, f) = if p.side { (*c, *d) } else { (*d, *c) };
            let ty = b.ty(t);
            let p = p.spread(b, &ty)?;
            return Ok(Some((b.select(p, t, f)?, true)));
        }
        let mut sum = None;
        for (m, c) in parts {
            let c = m.apply(b, c)?;
            sum = Some(match sum {
                Some(s) => b.add(s, c)?,
                None => c,
            });
        }
        Ok(sum.map(|s| (s, true)))
    }
}
/// Most parts of which anybody asks where any of them counts: for more, the conditions would cost more than what they guard.
const MOST_PARTS: usize = 8;
