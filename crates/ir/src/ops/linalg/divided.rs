//! Divided differences of a function of singular or eigenvalues, with their limits where values are equal.
use super::*;
use crate::ops::constant::IOTA;

/// What the tangent is made of: factors of `H`, of `K`, and of what is outside the span of the vectors; and where each is not
/// known.
pub(super) struct Factors {
    pub(super) h: (ValueId, ValueId),
    pub(super) k: Option<(ValueId, ValueId)>,
    pub(super) out: Option<(ValueId, ValueId)>,
}
/// Which function of the matrix.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// `u · diag(d) · vt`
    Both,
    /// `u · diag(d) · uᴴ`
    OneSide,
    /// `v · diag(d) · vᴴ` of a Hermitian matrix
    Hermitian,
}

/// `true` beside the diagonal.
pub(super) fn off_diagonal(b: &mut Builder, ty: &Type) -> Result<ValueId> {
    let index = |b: &mut Builder, axis: i64| {
        b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis)).types(vec![ty.with_dtype(DType::I64)]))
    };
    let (i, j) = (index(b, 0)?, index(b, 1)?);
    b.ne(i, j)
}
/// How many units in the last place of the numerators rounding may have made of their difference. At gap `g` the quotient of
/// differences is wrong by that over `g`, the mean of both slopes by `O(g²)`: the mean is taken where both agree within the
/// former, so neither is ever far off.
const ROUNDING: f64 = 32.0;

/// Factors of a function with values `d`, which have slopes `slope` (`None`: not known), at the values `s`.
pub(super) fn factors(
    p: &mut Builder,
    s: ValueId,
    d: ValueId,
    slope: Option<ValueId>,
    eps: f64,
    form: Form,
    out: bool,
) -> Result<Factors> {
    let ty = pairs_type(&p.ty(s));
    let dtype = p.ty(d).dtype;
    let wide = ty.with_dtype(dtype);
    let ulp = unit(dtype);
    let both = |b: &mut Builder, x: ValueId, ty: &Type| -> Result<[ValueId; 2]> {
        Ok([along(b, x, ty, 0)?, along(b, x, ty, 1)?])
    };
    let scale = scale_of(p, s)?;
    let scale = along(p, scale, &ty, 0)?;
    let least = p.like(scale, eps)?;
    let least = p.mul(least, scale)?;
    let ([si, sj], [di, dj]) = (both(p, s, &ty)?, both(p, d, &wide)?);
    let size = p.abs(d)?;
    let top = super::super::reduce::reduce(p, &super::super::reduce::REDUCE_MAX, size, &[0])?;
    let top = super::super::reduce::expand(p, top, &ty, &[0, 1])?;
    let [mi, mj] = both(p, size, &ty)?;
    let pair = p.add(mi, mj)?;
    let mut magnitude = pair;
    let mean = match slope {
        Some(g) => {
            let steep = p.abs(g)?;
            let [ti, tj] = both(p, steep, &ty)?;
            let least = p.min(ti, tj)?;
            // A numerator may be small because greater ones cancel: it is as wrong as values are.
            let carried = p.mul(least, scale)?;
            magnitude = p.add(magnitude, carried)?;
            let [gi, gj] = both(p, g, &wide)?;
            let half = p.like(gi, 0.5)?;
            let sum = p.add(gi, gj)?;
            Some(p.mul(half, sum)?)
        }
        None => None,
    };
    // What a numerator that should vanish may be.
    let loose = p.like(pair, ulp.sqrt() + 16.0 * eps)?;
    let loose = p.mul(loose, pair)?;
    let floor = p.like(top, 2.0 * ROUNDING * ulp)?;
    let most = p.max(top, magnitude)?;
    let floor = p.mul(floor, most)?;
    let allowed = p.add(loose, floor)?;
    let off = off_diagonal(p, &ty)?;
    let zero = p.like(si, 0.0)?;
    let one = p.like(si, 1.0)?;
    let none = p.zeros(&wide)?;
    let numerator = p.sub(dj, di)?;
    // Is the numerator at these values other than the slope says?
    let jumps = |p: &mut Builder, numerator: ValueId, denominator: ValueId, at: ValueId| -> Result<ValueId> {
        let Some(mean) = mean else { return Ok(at) };
        let x = p.convert(denominator, dtype)?;
        let x = p.mul(mean, x)?;
        let rest = p.sub(numerator, x)?;
        let rest = p.abs(rest)?;
        let over = p.gt(rest, allowed)?;
        p.and(at, over)
    };
    // Γ
    let gap = p.sub(sj, si)?;
    let distance = p.abs(gap)?;
    let equal = p.le(distance, least)?;
    let touching = p.eq(gap, zero)?;
    let safe = p.select(touching, one, gap)?;
    let q = quotient(p, numerator, safe)?;
    let gamma = match mean {
        Some(mean) => {
            let miss = p.sub(q, mean)?;
            let miss = p.abs(miss)?;
            let noise = p.like(magnitude, ROUNDING * ulp)?;
            let noise = p.mul(noise, magnitude)?;
            let room = p.abs(safe)?;
            let noise = p.div(noise, room)?;
            let agree = p.le(miss, noise)?;
            let near = p.or(equal, agree)?;
            p.select(near, mean, q)?
        }
        None => q,
    };
    let mut unknown = jumps(p, numerator, gap, equal)?;
    if form == Form::Hermitian {
        return Ok(Factors { h: half_of(p, gamma, unknown, Some(off))?, k: None, out: None });
    }
    // Λ
    let sum = p.add(si, sj)?;
    let vanish = p.le(sum, least)?;
    let safe = p.select(vanish, one, sum)?;
    let plus = p.add(di, dj)?;
    let q = quotient(p, plus, safe)?;
    let lambda = p.select(vanish, mean.unwrap_or(none), q)?;
    let mut open = jumps(p, plus, sum, vanish)?;
    let mut k = (lambda, open);
    if form == Form::OneSide {
        // A function of `a aᴴ` is smooth at 0 where its slope by `s` vanishes.
        let steep = match mean {
            Some(mean) => {
                let steep = p.abs(mean)?;
                let steep = p.mul(steep, scale)?;
                let most = p.like(top, ulp.sqrt() + 16.0 * eps)?;
                let most = p.mul(most, top)?;
                let steep = p.gt(steep, most)?;
                p.and(vanish, steep)?
            }
            None => vanish,
        };
        unknown = p.or(unknown, steep)?;
        open = p.or(open, steep)?;
        // What `d` is at 0 is of no account between two such values, only whether it differs.
        let q = quotient(p, numerator, safe)?;
        let unsure = p.and(unknown, vanish)?;
        k = (p.select(vanish, none, q)?, p.and(unsure, off)?);
    }
    let out = match out {
        true => {
            let (r, o) = (diagonal(p, lambda)?, diagonal(p, open)?);
            let one = p.like(r, 1.0)?;
            Some((p.select(o, one, r)?, o))
        }
        false => None,
    };
    let k = half_of(p, k.0, k.1, None)?;
    Ok(Factors { h: half_of(p, gamma, unknown, Some(off))?, k: Some(k), out })
}
/// `x / y` for a real `y`.
fn quotient(p: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    let dtype = p.func().ty(x).dtype;
    let y = p.convert(y, dtype)?;
    p.div(x, y)
}
/// Half of a factor, and where it is not known: 1 stands there, so that what it is multiplied by is seen from either side. With `off`,
/// 0 elsewhere, and known.
fn half_of(p: &mut Builder, x: ValueId, unknown: ValueId, off: Option<ValueId>) -> Result<(ValueId, ValueId)> {
    let half = p.like(x, 0.5)?;
    let x = p.mul(half, x)?;
    let x = p.select(unknown, half, x)?;
    let Some(off) = off else { return Ok((x, unknown)) };
    let zero = p.like(x, 0.0)?;
    Ok((p.select(off, x, zero)?, p.and(unknown, off)?))
}
