//! Jacobians with zeros whose places were found: directions that meet in no row are one direction, and are told apart again by
//! where they may stand. Along each digit of the parameter's indices that is kept up to a band of width `w`, directions repeat
//! every `w` elements; so do results along each part of theirs, for runs of the transpose.
use super::{Found, iota, modulo};
use crate::builder::Builder;
use crate::derive::{Link, Reach};
use crate::diag::Result;
use crate::extent::{Atom, Extent, SymId};
use crate::func::ValueId;
use crate::op::NewOp;
use crate::ops::constant::IOTA;
use crate::ops::elementwise::{AND, GE, LE};
use crate::ops::index::TAKE;
use crate::types::Type;
use crate::{Attr, DType};

/// What was found of one parameter, in the caller's extents.
#[derive(Debug)]
pub(super) struct Sparse {
    /// The digits of all axes.
    pub(super) digits: Vec<Extent>,
    results: Vec<Option<Reach>>,
}
/// What was found, with these extents for the symbols of the linear part. Nothing, where an extent is known inside of it alone.
pub(super) fn of(found: &Found, extents: &[Extent]) -> Result<Sparse> {
    let new = |e: &Extent| {
        e.subst(&|a| match a {
            Atom::Sym(SymId(i)) => extents.get(i as usize).cloned(),
            Atom::Exist(_) => None,
        })
    };
    let inner = |axes: &[Vec<Extent>]| axes.iter().flatten().any(Extent::mentions_existential);
    let hidden = inner(&found.digits) || found.results.iter().flatten().any(|r| inner(&r.axes));
    let digits = found.digits.iter().flatten().map(new).collect::<Result<Vec<_>>>()?;
    let mut results = vec![];
    for r in &found.results {
        results.push(match r {
            None => None,
            Some(r) => {
                let axes = r.axes.iter().map(|a| a.iter().map(new).collect()).collect::<Result<_>>()?;
                let links = if hidden { vec![None; r.links.len()] } else { r.links.clone() };
                Some(Reach { axes, links })
            }
        });
    }
    Ok(Sparse { digits, results })
}
/// After how many elements of an axis of this extent directions repeat, where each goes with so many; `None`: never.
fn period(width: Option<i64>, n: &Extent) -> Option<i64> {
    let w = width.filter(|&w| (1..1 << 31).contains(&w))?;
    n.as_exact().is_none_or(|n| w < n).then_some(w)
}
/// By digit, after how many directions its elements repeat; `None` where they do not.
pub(super) fn periods(s: &Sparse) -> Vec<Option<i64>> {
    let one = |(d, n): (usize, &Extent)| {
        let widths = s.results.iter().flatten().map(|r| r.links.get(d).copied().flatten().and_then(|l| l.width()));
        // No result depends on it: one direction will do.
        let most = widths.reduce(|a, b| Some(a?.max(b?))).unwrap_or(Some(1));
        period(most, n)
    };
    s.digits.iter().enumerate().map(one).collect()
}
/// How many runs that takes; `i64::MAX` where no number is known.
pub(super) fn runs(extents: &[Extent], periods: &[Option<i64>]) -> i64 {
    let one = |(i, n): (usize, &Extent)| periods.get(i).copied().flatten().or_else(|| n.as_exact());
    extents.iter().enumerate().try_fold(1i64, |n, e| n.checked_mul(one(e)?)).unwrap_or(i64::MAX)
}
/// What was found, in words; `None`: nothing.
pub(super) fn words(s: &Sparse) -> Option<String> {
    let all = periods(s);
    if all.iter().all(Option::is_none) {
        return None;
    }
    let one = |(n, p): (&Extent, &Option<i64>)| {
        let n = n.as_exact().map_or("its".to_owned(), |n| n.to_string());
        match p {
            None => format!("all {n}"),
            Some(1) => format!("each of {n} alone"),
            Some(w) => format!("a band of {w} of {n}"),
        }
    };
    Some(s.digits.iter().zip(&all).map(one).collect::<Vec<_>>().join(", "))
}

/// How cotangents of one result repeat.
pub(super) struct Across {
    pub(super) parts: Vec<Extent>,
    pub(super) periods: Vec<Option<i64>>,
    /// By parameter and by part with a period: the digit and how far its elements lie apart.
    links: Vec<Vec<Option<(usize, Link)>>>,
}
/// What result `i` of the linear part depends on, for all parameters at once; `None` where it depends on none.
pub(super) fn across(found: &[Sparse], i: usize) -> Option<Across> {
    let of = |s: &Sparse| s.results.get(i).cloned().flatten();
    let all: Vec<Option<Reach>> = found.iter().map(of).collect();
    let first = all.iter().flatten().next()?;
    // An axis that parameters see in different parts is whole.
    let mut axes = first.axes.clone();
    let mut same = vec![true; axes.len()];
    for (a, parts) in axes.iter_mut().enumerate() {
        if all.iter().flatten().any(|r| r.axes.get(a) != Some(parts)) {
            same[a] = false;
            let product = parts.iter().try_fold(Extent::exact(1), |n, p| n.mul(p).ok())?;
            *parts = vec![product];
        }
    }
    let place = |axis: usize, part: usize| axes[..axis].iter().map(Vec::len).sum::<usize>() + part;
    let parts: Vec<Extent> = axes.iter().flatten().cloned().collect();
    let mut periods: Vec<Option<i64>> = vec![Some(1); parts.len()];
    let mut links = vec![];
    for r in &all {
        let mut own: Vec<Option<(usize, Link)>> = vec![None; parts.len()];
        let Some(r) = r else {
            links.push(own);
            continue;
        };
        for (d, l) in r.links.iter().enumerate() {
            let Some(l) = l.filter(|l| same[l.axis] || r.axes[l.axis].len() == 1) else { continue };
            let Some(slot) = own.get_mut(place(l.axis, l.part)) else { continue };
            let better = slot.is_none_or(|(_, old)| l.width().unwrap_or(i64::MAX) < old.width().unwrap_or(i64::MAX));
            if better {
                *slot = Some((d, l));
            }
        }
        for (p, o) in periods.iter_mut().zip(&own) {
            *p = p.and_then(|p| Some(p.max(o.and_then(|o| o.1.width())?)));
        }
        links.push(own);
    }
    for (p, n) in periods.iter_mut().zip(&parts) {
        *p = period(*p, n);
    }
    Some(Across { parts, periods, links })
}

fn exact(p: Option<i64>, n: &Extent) -> Extent {
    p.map_or_else(|| n.clone(), Extent::exact)
}
/// Whether `i` along axis `axes[0]` goes with `j` along axis `axes[1]` of `dims`.
fn pairs(
    b: &mut Builder,
    dims: &[Extent],
    axes: [usize; 2],
    test: impl FnOnce(&mut Builder, ValueId, ValueId) -> Result<ValueId>,
) -> Result<ValueId> {
    let small = axes.map(|a| dims[a].clone());
    let (i, j) = (iota(b, &small, 0)?, iota(b, &small, 1)?);
    let on = test(b, i, j)?;
    b.broadcast(on, &Type::new(DType::Bool, dims.to_vec()), &axes)
}
fn every(b: &mut Builder, masks: &[ValueId]) -> Result<Option<ValueId>> {
    let mut all = None;
    for &m in masks {
        all = Some(match all {
            None => m,
            Some(a) => b.emit1(NewOp::new(&AND, &[a, m]))?,
        });
    }
    Ok(all)
}
/// The directions: the axes of `ty`, then that of directions, the elements of which are counted part by part.
pub(super) fn seeds(b: &mut Builder, ty: &Type, parts: &[Extent], periods: &[Option<i64>]) -> Result<ValueId> {
    let ps: Vec<Extent> = parts.iter().zip(periods).map(|(n, p)| exact(*p, n)).collect();
    let dims = [parts, &ps].concat();
    let mut masks = vec![];
    for (k, (p, period)) in ps.iter().zip(periods).enumerate() {
        if *period != Some(1) {
            masks.push(pairs(b, &dims, [k, parts.len() + k], |b, i, c| {
                let i = if period.is_some() { modulo(b, i, p)? } else { i };
                b.eq(i, c)
            })?);
        }
    }
    let on = match every(b, &masks)? {
        Some(on) => b.convert(on, ty.dtype)?,
        None => b.splat(&ty.with_dims(dims), 1.0)?,
    };
    let count = ps.iter().try_fold(Extent::exact(1), |n, p| n.mul(p))?;
    b.reshape(on, &ty.with_dims([&ty.dims[..], &[count]].concat()))
}
/// Axis `axis` repeated every `p` elements until it has `n`.
fn widened(b: &mut Builder, v: ValueId, axis: usize, n: &Extent, p: i64) -> Result<ValueId> {
    let ty = b.ty(v);
    if p == 1 {
        let mut dims = ty.dims.to_vec();
        dims[axis] = n.clone();
        return b.broadcast(v, &ty.with_dims(dims), &(0..ty.rank()).collect::<Vec<_>>());
    }
    let i =
        b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![Type::new(DType::I64, [n.clone()])]))?;
    let i = modulo(b, i, &Extent::exact(p))?;
    b.emit1(NewOp::new(&TAKE, &[v, i]).attr("axis", Attr::Int(axis as i64)))
}
/// `v`, which has the parts of the result and the digits of the parameter, zero but where linked; as `ty`.
fn masked(b: &mut Builder, v: ValueId, ty: &Type, links: &[(usize, usize, Link)]) -> Result<ValueId> {
    let dims = b.ty(v).dims.to_vec();
    let mut masks = vec![];
    for &(part, digit, l) in links {
        masks.push(pairs(b, &dims, [part, digit], |b, i, j| {
            if l.from == 0 && l.to == 0 {
                return b.eq(i, j);
            }
            let far = b.sub(j, i)?;
            let (from, to) = (b.like(far, l.from as f64)?, b.like(far, l.to as f64)?);
            let (low, high) = (b.emit1(NewOp::new(&GE, &[far, from]))?, b.emit1(NewOp::new(&LE, &[far, to]))?);
            b.emit1(NewOp::new(&AND, &[low, high]))
        })?);
    }
    let v = match every(b, &masks)? {
        None => v,
        Some(on) => {
            let zero = b.like(v, 0.0)?;
            b.select(on, v, zero)?
        }
    };
    b.reshape(v, ty)
}
/// The Jacobian `ty` of result `i` of the linear part, from its derivatives by all directions, whose axis is the last one.
pub(super) fn forward(
    b: &mut Builder,
    v: ValueId,
    ty: &Type,
    (s, periods): (&Sparse, &[Option<i64>]),
    i: usize,
) -> Result<ValueId> {
    let Some(reach) = s.results.get(i).and_then(Option::as_ref) else { return b.zeros(ty) };
    let parts: Vec<Extent> = reach.axes.iter().flatten().cloned().collect();
    let ps = s.digits.iter().zip(periods).map(|(n, p)| exact(*p, n));
    let mut v = b.reshape(v, &ty.with_dims(parts.iter().cloned().chain(ps).collect::<Vec<_>>()))?;
    let mut links = vec![];
    for (d, (n, p)) in s.digits.iter().zip(periods).enumerate() {
        let (Some(p), Some(l)) = (p, reach.links[d]) else { continue };
        v = widened(b, v, parts.len() + d, n, *p)?;
        let part = reach.axes[..l.axis].iter().map(Vec::len).sum::<usize>() + l.part;
        links.push((part, parts.len() + d, l));
    }
    masked(b, v, ty, &links)
}
/// The Jacobian `ty` by parameter `k`, from its cotangents for all runs, whose axis is the first one.
pub(super) fn reverse(b: &mut Builder, c: ValueId, ty: &Type, (a, s): (&Across, &Sparse), k: usize) -> Result<ValueId> {
    let ps: Vec<Extent> = a.parts.iter().zip(&a.periods).map(|(n, p)| exact(*p, n)).collect();
    let mut c = b.reshape(c, &ty.with_dims([&ps[..], &s.digits].concat()))?;
    let mut links = vec![];
    for (part, (n, p)) in a.parts.iter().zip(&a.periods).enumerate() {
        let Some(p) = p else { continue };
        c = widened(b, c, part, n, *p)?;
        if let Some((d, l)) = a.links.get(k).and_then(|l| l.get(part).copied().flatten()) {
            links.push((part, a.parts.len() + d, l));
        }
    }
    masked(b, c, ty, &links)
}
