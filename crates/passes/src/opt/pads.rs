//! A sum of paddings by zeros that do not overlap is one joined array. The derivative of what cuts an array into its rows, columns or elements
//! pads the derivative of each part to the whole and adds them up: as many arrays of the size of the whole as there are parts. Rows
//! say how they move elements (`moved`).
use crate::PassError;
use crate::rewrite::{improve, rewrite, uses};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tfc_ir::op::Moved;
use tfc_ir::ops::constant::splat_of;
use tfc_ir::ops::elementwise::ADD;
use tfc_ir::ops::shape::CONCAT;
use tfc_ir::{Attr, Builder, Code, Def, Error, Extent, Func, Map, Module, NewOp, Op, OpId, Result, ValueId, outside};

use super::halo::padded;

/// Parts of one array, at most: each is compared with each.
const MOST: usize = 512;
/// Elements before and behind a part along each axis.
type Widths = Vec<[usize; 2]>;
/// A part of a sum: the value that is padded, and how.
#[derive(Clone)]
struct Part {
    value: ValueId,
    widths: Widths,
}
/// A value as a sum of paddings that do not overlap, and at most one other term.
#[derive(Clone, Default)]
struct Sum {
    rest: Option<ValueId>,
    parts: Vec<Part>,
}

/// The pass `pads`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    let changed = improve(m, |m, f| {
        let sums = sums(f)?;
        if sums.is_empty() {
            return Ok(None);
        }
        let (new, changed) = rewrite(m, f, &mut |b, f, o, _, map| match sums.get(&o) {
            Some(sum) => Ok(Some(vec![joined(b, f, sum, map)?])),
            None => Ok(None),
        })?;
        Ok(changed.then_some(new))
    })?;
    Ok(if changed { super::dce::run(m)? || changed } else { false })
}
/// The additions that are sums of paddings of which some can be joined.
fn sums(f: &Func) -> Result<BTreeMap<OpId, Sum>> {
    let uses = uses(f);
    // By value: what it is a sum of, where only one addition reads it.
    let mut known: HashMap<ValueId, Sum> = HashMap::new();
    let mut roots = BTreeMap::new();
    for (i, op) in f.ops.iter().enumerate() {
        let (o, Some(&y)) = (OpId(i as u32), op.results.first()) else { continue };
        if let (Some(widths), &[x, zero]) = (surrounded(f, op)?, &op.operands[..]) {
            if splat_of(f, zero).is_some_and(|z| z.to_bits() == 0) && uses[y.ix()] == 1 {
                known.insert(y, Sum { rest: None, parts: vec![Part { value: x, widths }] });
            }
            continue;
        }
        let &[l, r] = &op.operands[..] else { continue };
        if !op.def.is(&ADD) || !op.guards.is_empty() || !op.wheres.is_empty() {
            continue;
        }
        let term = |v: ValueId| match known.get(&v) {
            Some(sum) if f.value(v).region == f.value(y).region => sum.clone(),
            _ => Sum { rest: Some(v), parts: vec![] },
        };
        let (l_sum, r_sum) = (term(l), term(r));
        // What is added in another order is added to zeros alone.
        let apart = |p: &Part| r_sum.parts.iter().all(|q| !overlap(f, p, q));
        let many = l_sum.parts.len() + r_sum.parts.len() > MOST;
        if l_sum.rest.is_some() && r_sum.rest.is_some() || many || !l_sum.parts.iter().all(apart) {
            continue;
        }
        for v in [l, r] {
            if known.contains_key(&v)
                && let Def::Result(inner, _) = f.value(v).def
            {
                roots.remove(&inner);
            }
        }
        let sum = Sum { rest: l_sum.rest.or(r_sum.rest), parts: [l_sum.parts, r_sum.parts].concat() };
        if sum.parts.len() > 1 {
            roots.insert(o, sum.clone());
        }
        if uses[y.ix()] == 1 {
            known.insert(y, sum);
        }
    }
    roots.retain(|_, sum| {
        let rank = sum.parts.first().map_or(0, |p| p.widths.len());
        (0..rank).any(|axis| groups(&sum.parts, axis).iter().any(|g| g.len() > 1))
    });
    Ok(roots)
}
/// How an op surrounds its operand, whose extents are numbers along axes that grow.
fn surrounded(f: &Func, op: &Op) -> Result<Option<Widths>> {
    let (Some(moved), Some(&x)) = (op.def.movement.moved, op.operands.first()) else { return Ok(None) };
    if !op.guards.is_empty() || !op.wheres.is_empty() || op.operands.len() != 2 {
        return Ok(None);
    }
    let Some(Moved::Surrounded(widths)) = outside::column(op.def, "moved", || Ok(moved(f, op)))? else {
        return Ok(None);
    };
    let known = f.ty(x).dims.iter().zip(&widths).all(|(d, w)| *w == [0, 0] || d.as_exact().is_some());
    Ok(known.then_some(widths))
}
/// Whether two parts of one whole have elements at one place.
fn overlap(f: &Func, p: &Part, q: &Part) -> bool {
    let extent = |p: &Part, a: usize| number(&f.ty(p.value).dims, a);
    (0..p.widths.len()).all(|a| match (extent(p, a), extent(q, a)) {
        (Some(n), Some(k)) => {
            let ([i, _], [j, _]) = (p.widths[a], q.widths[a]);
            i < j + k && j < i + n
        }
        // Neither grows along this axis.
        _ => true,
    })
}
fn number(dims: &[Extent], a: usize) -> Option<usize> {
    dims.get(a).and_then(Extent::as_exact).and_then(|n| usize::try_from(n).ok())
}
/// The parts that stand one behind the other along an axis and alike along the others, in their order along the axis.
fn groups(parts: &[Part], axis: usize) -> Vec<Vec<usize>> {
    let mut by: BTreeMap<Widths, BTreeSet<(usize, usize)>> = BTreeMap::new();
    for (i, p) in parts.iter().enumerate() {
        let mut key = p.widths.clone();
        key[axis] = [0, 0];
        by.entry(key).or_default().insert((p.widths[axis][0], i));
    }
    by.into_values().map(|g| g.into_iter().map(|(_, i)| i).collect()).collect()
}
/// The sum, its parts joined as far as they go.
fn joined(b: &mut Builder, f: &Func, sum: &Sum, map: &Map) -> Result<ValueId> {
    // Each place of the whole gets zeros from all other paddings, by which −0 becomes 0. They are added to what is joined, as the last step
    // that computes it; windows are joined first, since what joins two windows of one array may be seen to be a rotation.
    let mut windows = true;
    for p in &sum.parts {
        windows &= match f.def_op(p.value) {
            Some(d) => matches!(super::halo::moved(f, d)?, Some(Moved::Window(_))),
            None => false,
        };
    }
    let plus_zero = |b: &mut Builder, value: ValueId| {
        if b.ty(value).dtype.is_int() {
            return Ok(value);
        }
        let zero = zeros(b, value, None)?;
        b.emit1(NewOp::new(&ADD, &[value, zero]))
    };
    let mut parts = vec![];
    for p in &sum.parts {
        let value = map.value(p.value)?;
        parts.push(Part { value: if windows { value } else { plus_zero(b, value)? }, widths: p.widths.clone() });
    }
    let rank = parts.first().map_or(0, |p| p.widths.len());
    let mut axis = 0;
    while axis < rank {
        let all = groups(&parts, axis);
        let some = all.iter().any(|g| g.len() > 1);
        let mut next = vec![];
        for g in all {
            next.push(behind(b, &g.iter().map(|&i| parts[i].clone()).collect::<Vec<_>>(), axis)?);
        }
        parts = next;
        // What has been joined along one axis may now stand behind others along one before it.
        axis = if some { 0 } else { axis + 1 };
    }
    let mut total = sum.rest.map(|v| map.value(v)).transpose()?;
    for p in parts {
        let p = Part { value: if windows { plus_zero(b, p.value)? } else { p.value }, ..p };
        let whole = if p.widths.iter().all(|w| *w == [0, 0]) {
            p.value
        } else {
            let scalar = b.ty(p.value).with_dims(vec![]);
            let zero = b.zeros(&scalar)?;
            padded(b, p.value, zero, &p.widths)?
        };
        total = Some(match total {
            None => whole,
            Some(t) => b.emit1(NewOp::new(&ADD, &[t, whole]))?,
        });
    }
    total.ok_or_else(|| Error::bug(Code::E0718, "a sum without terms"))
}
/// Parts in their order along an axis as one, with zeros between them.
fn behind(b: &mut Builder, parts: &[Part], axis: usize) -> Result<Part> {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return Err(Error::bug(Code::E0718, "a group without parts"));
    };
    if parts.len() == 1 {
        return Ok(first.clone());
    }
    let extent = |b: &Builder, v: ValueId| number(&b.ty(v).dims, axis).unwrap_or(0);
    let (mut values, mut at) = (vec![], first.widths[axis][0]);
    for p in parts {
        let start = p.widths[axis][0];
        if start > at {
            values.push(zeros(b, p.value, Some((axis, start - at)))?);
        }
        values.push(p.value);
        at = start + extent(b, p.value);
    }
    let value = b.emit1(NewOp::new(&CONCAT, &values).attr("axis", Attr::Int(axis as i64)))?;
    let mut widths = first.widths.clone();
    widths[axis][1] = last.widths[axis][1];
    Ok(Part { value, widths })
}
/// Zeros of the type of a value, with another extent along an axis.
fn zeros(b: &mut Builder, like: ValueId, extent: Option<(usize, usize)>) -> Result<ValueId> {
    let mut ty = b.ty(like);
    if let Some((axis, n)) = extent {
        let along = |(a, d): (usize, &Extent)| if a == axis { Extent::exact(n as i64) } else { d.clone() };
        ty = ty.with_dims(ty.dims.iter().enumerate().map(along).collect::<Vec<_>>());
    }
    b.zeros(&ty)
}
