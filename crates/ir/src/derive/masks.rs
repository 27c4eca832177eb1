//! Cotangents that count only where conditions hold. Reverse mode multiplies the cotangent of a `select`'s branch by the slopes
//! of that branch; where the branch was not taken these may be infinite, and 0 times them is NaN. The condition is therefore
//! kept beside the cotangent, goes along through elementwise ops, and is applied behind them: the result is 0 there, as in
//! forward mode.
use crate::builder::Builder;
use crate::diag::Result;
use crate::func::ValueId;

/// Conditions that all hold where a cotangent counts: values, and which side of them. None: everywhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Mask(Vec<(ValueId, bool)>);
impl Mask {
    /// This, and where `p` is `side`; `None` where that is nowhere.
    pub(super) fn and(&self, p: ValueId, side: bool) -> Option<Mask> {
        if self.0.contains(&(p, !side)) {
            return None;
        }
        let mut all = self.clone();
        if !all.0.contains(&(p, side)) {
            all.0.push((p, side));
        }
        Some(all)
    }
    /// What holds in both.
    fn common(&self, other: &Mask) -> Mask {
        Mask(self.0.iter().filter(|c| other.0.contains(c)).copied().collect())
    }
    /// What holds here and not in `other`.
    fn beyond(&self, other: &Mask) -> Mask {
        Mask(self.0.iter().filter(|c| !other.0.contains(c)).copied().collect())
    }
    /// `c` where it counts, else 0.
    fn apply(&self, b: &mut Builder, c: ValueId) -> Result<ValueId> {
        let mut c = c;
        for &(p, side) in self.0.iter().rev() {
            let zero = b.like(c, 0.0)?;
            c = if side { b.select(p, c, zero)? } else { b.select(p, zero, c)? };
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
        if let Some((_, old)) = self.first.iter_mut().chain(&mut self.more).find(|p| p.0 == mask) {
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
    /// The cotangent where the conditions hold that all its parts share, whether it is a new value, and these conditions.
    pub(super) fn common(self, b: &mut Builder) -> Result<(Option<(ValueId, bool)>, Mask)> {
        if self.more.is_empty() {
            return Ok(self.first.map_or((None, Mask::default()), |(m, c)| (Some((c, false)), m)));
        }
        let mut masks = self.first.iter().chain(&self.more).map(|p| &p.0);
        let first = masks.next().cloned().unwrap_or_default();
        let mask = masks.fold(first, |m, n| m.common(n));
        let c = self.beyond(b, &mask)?;
        Ok((c, mask))
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
            && let ([(p, side)], [(q, other)]) = (&m.0[..], &n.0[..])
            && p == q
            && side != other
        {
            // One where the other is not.
            let (t, f) = if *side { (*c, *d) } else { (*d, *c) };
            return Ok(Some((b.select(*p, t, f)?, true)));
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
