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

/// A cotangent as a sum of parts, each with where it counts; no two of one mask.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts(Vec<(Mask, ValueId)>);
impl Parts {
    /// `c`, everywhere.
    pub(super) fn of(c: ValueId) -> Parts {
        Parts(vec![(Mask::default(), c)])
    }
    /// Adds `c` where `mask` holds; a sum gets the name.
    pub(super) fn add(&mut self, b: &mut Builder, mask: Mask, c: ValueId, name: &str) -> Result<()> {
        let sum = match self.0.iter_mut().find(|p| p.0 == mask) {
            Some((_, old)) => {
                *old = b.add(*old, c)?;
                *old
            }
            None => {
                self.0.push((mask, c));
                c
            }
        };
        b.hint(sum, name);
        Ok(())
    }
    /// The whole cotangent.
    pub(super) fn whole(self, b: &mut Builder, name: &str) -> Result<Option<ValueId>> {
        self.beyond(b, &Mask::default(), name)
    }
    /// The cotangent where the conditions hold that all its parts share, and these.
    pub(super) fn common(self, b: &mut Builder, name: &str) -> Result<(Option<ValueId>, Mask)> {
        let Some((first, rest)) = self.0.split_first() else { return Ok((None, Mask::default())) };
        let mask = rest.iter().fold(first.0.clone(), |m, p| m.common(&p.0));
        let c = self.beyond(b, &mask, name)?;
        Ok((c, mask))
    }
    /// The sum, where `mask`, which every part shares, holds.
    fn beyond(self, b: &mut Builder, mask: &Mask, name: &str) -> Result<Option<ValueId>> {
        let parts: Vec<(Mask, ValueId)> = self.0.into_iter().map(|(m, c)| (m.beyond(mask), c)).collect();
        if let [(m, c), (n, d)] = &parts[..]
            && let ([(p, side)], [(q, other)]) = (&m.0[..], &n.0[..])
            && p == q
            && side != other
        {
            // One where the other is not.
            let (t, f) = if *side { (*c, *d) } else { (*d, *c) };
            let c = b.select(*p, t, f)?;
            b.hint(c, name);
            return Ok(Some(c));
        }
        let mut sum = None;
        for (m, c) in parts {
            let c = m.apply(b, c)?;
            sum = Some(match sum {
                Some(s) => b.add(s, c)?,
                None => c,
            });
        }
        if let Some(s) = sum {
            b.hint(s, name);
        }
        Ok(sum)
    }
}
