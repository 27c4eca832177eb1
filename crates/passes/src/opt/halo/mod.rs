//! Several paddings or rotations of one value become windows of one wider array: the value with a halo. The derivative of a stencil adds
//! one value padded by one element here and by another there, a periodic stencil reads one value rotated by one element this way and
//! that way. Written out, that is an array for each term; windows are views of one array, and what reads them shares one loop. What a
//! loop carries keeps its halo from trip to trip (module `carry`). Rows say how they move elements (`moved`).
mod carry;

use crate::PassError;
use crate::rewrite::{improve, rewrite};
use std::collections::{BTreeMap, HashMap};
use tfc_ir::op::Moved;
use tfc_ir::ops::constant::{scalar_of, splat_of};
use tfc_ir::ops::elementwise::NEG;
use tfc_ir::ops::shape::{CONCAT, PAD, SLICE};
use tfc_ir::outside;
use tfc_ir::{Attr, Builder, Def, Extent, Func, Map, Module, NewOp, Op, OpId, RegionId, Result, ValueId};

/// The wider array has at most so many times the elements of the largest of those that it takes the place of.
const GROWTH: usize = 2;

/// Elements before and behind a value along each axis.
type Widths = Vec<[usize; 2]>;

/// What surrounds a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Halo {
    /// Copies of this scalar.
    Of(ValueId),
    /// Copies of the number with these bits.
    Filled(u64),
    /// The elements at the other end of this axis.
    Round(usize),
}
/// Where an array stands that is a window of the value with a halo: the region, the value, what surrounds it.
type Key = (RegionId, ValueId, Halo);

/// The windows of one value with a halo.
struct Group {
    /// How many there are.
    windows: usize,
    /// The elements before and behind the value that all of them need.
    widest: Widths,
    /// Elements of the largest window.
    elements: usize,
}

/// The pass `halo`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    let mut changed = carry::run(m)?;
    changed |= join(m)?;
    if changed {
        // The parts that rotations were joined of.
        super::dce::run(m)?;
    }
    Ok(changed)
}
fn join(m: &mut Module) -> std::result::Result<bool, PassError> {
    improve(m, |m, f| {
        let (mut groups, mut of) = (BTreeMap::<Key, Group>::new(), HashMap::new());
        for (i, op) in f.ops.iter().enumerate() {
            let Some(window) = window(f, op)? else { continue };
            let Some(&r) = op.results.first() else { continue };
            let Some(elements) = f.ty(r).exact_shape().and_then(|s| product(&s)) else { continue };
            let key = (f.value(r).region, window.of, window.halo);
            let widest = || window.widths.clone();
            let group = groups.entry(key).or_insert_with(|| Group { windows: 0, widest: widest(), elements });
            group.windows += 1;
            group.elements = group.elements.max(elements);
            widen(&mut group.widest, &window.widths);
            of.insert(OpId(i as u32), (key, window));
        }
        groups.retain(|key, g| {
            let elements = wide_shape(f, key.1, &g.widest).and_then(|s| product(&s));
            g.windows > 1 && elements.is_some_and(|n| n <= g.elements.saturating_mul(GROWTH))
        });
        if groups.is_empty() {
            return Ok(None);
        }
        let mut wide: HashMap<Key, ValueId> = HashMap::new();
        let (new, changed) = rewrite(m, f, &mut |b, f, o, _, map| {
            let Some((key, window)) = of.get(&o) else { return Ok(None) };
            let Some(group) = groups.get(key) else { return Ok(None) };
            let all = match wide.get(key) {
                Some(&all) => all,
                None => {
                    let x = map.value(key.1)?;
                    let all = key.2.around(b, map, x, &group.widest)?;
                    wide.insert(*key, all);
                    all
                }
            };
            let shape = f.ty(f.op(o).results[0]).exact_shape().unwrap_or_default();
            Ok(Some(vec![window.cut(b, all, &group.widest, &shape)?]))
        })?;
        Ok(changed.then_some(new))
    })
}

impl Halo {
    /// A value of the new function with this halo, so wide.
    fn around(self, b: &mut Builder, map: &Map, x: ValueId, widths: &Widths) -> Result<ValueId> {
        match self {
            Halo::Of(v) => padded(b, x, map.value(v)?, widths),
            Halo::Filled(bits) => {
                let v = b.constant(scalar_of(b.ty(x).dtype, f64::from_bits(bits)))?;
                padded(b, x, v, widths)
            }
            Halo::Round(axis) => wrapped(b, x, axis, widths[axis]),
        }
    }
}
/// What an op makes, as a window of a value with a halo.
#[derive(Clone)]
struct Seen {
    of: ValueId,
    halo: Halo,
    /// How wide the halo has to be.
    widths: Widths,
    /// The elements of the window change their sign.
    negated: bool,
}
impl Seen {
    /// The window of `all`, which is the value with a halo of these widths.
    fn cut(&self, b: &mut Builder, all: ValueId, wide: &Widths, shape: &[usize]) -> Result<ValueId> {
        let round = matches!(self.halo, Halo::Round(_));
        // A rotation needs elements on one side alone.
        let start = wide.iter().zip(&self.widths).map(|(w, n)| w[0] - n[0] + if round { n[1] } else { 0 });
        let y = part(b, all, &start.collect::<Vec<_>>(), shape)?;
        if self.negated { b.emit1(NewOp::new(&NEG, &[y])) } else { Ok(y) }
    }
}
/// Makes a halo as wide as another one has to be.
fn widen(halo: &mut Widths, other: &Widths) {
    for (w, n) in halo.iter_mut().zip(other) {
        *w = [w[0].max(n[0]), w[1].max(n[1])];
    }
}
/// The value of which the result of an op is a window, once that value has a halo.
fn window(f: &Func, op: &Op) -> Result<Option<Seen>> {
    let Some(&x) = op.operands.first() else { return Ok(None) };
    Ok(match (moved(f, op)?, op.operands.get(1)) {
        (Some(Moved::Surrounded(widths)), Some(&v)) => {
            let halo = splat_of(f, v).map_or(Halo::Of(v), |number| Halo::Filled(number.to_bits()));
            Some(Seen { of: x, halo, widths, negated: false })
        }
        (Some(Moved::Joined(axis)), Some(&y)) => {
            let round = if op.operands.len() == 2 { rotated(f, x, y, axis)? } else { None };
            round.or_else(|| between(f, op, axis))
        }
        _ => None,
    })
}
/// The one value that is joined along an axis with copies of one number alone, before and behind it.
fn between(f: &Func, op: &Op, axis: usize) -> Option<Seen> {
    let number = |v: ValueId| splat_of(f, v).map(f64::to_bits);
    let mut values = op.operands.iter().enumerate().filter(|x| number(*x.1).is_none());
    let (Some((at, &x)), None) = (values.next(), values.next()) else { return None };
    let bits = op.operands.iter().find_map(|&v| number(v))?;
    let extent = |v: &ValueId| f.ty(*v).exact_shape().map(|s| s[axis]);
    let mut widths = vec![[0, 0]; f.ty(x).rank()];
    for (i, v) in op.operands.iter().enumerate().filter(|p| p.0 != at) {
        if number(*v) != Some(bits) {
            return None;
        }
        widths[axis][usize::from(i > at)] += extent(v)?;
    }
    Some(Seen { of: x, halo: Halo::Filled(bits), widths, negated: false })
}
/// The value that is rotated along an axis where `x` and then `y` are joined along it.
fn rotated(f: &Func, x: ValueId, y: ValueId, axis: usize) -> Result<Option<Seen>> {
    let made = |v: ValueId| match f.value(v).def {
        Def::Result(o, 0) => Some(f.op(o)),
        _ => None,
    };
    let (Some(p), Some(q)) = (made(x), made(y)) else { return Ok(None) };
    let (Some(Moved::Window(first)), Some(Moved::Window(second))) = (moved(f, p)?, moved(f, q)?) else {
        return Ok(None);
    };
    let (source, other) = (p.operands[0], q.operands[0]);
    let shapes = (f.ty(source).exact_shape(), f.ty(x).exact_shape(), f.ty(y).exact_shape());
    let (Some(whole), Some(n), Some(k)) = shapes else { return Ok(None) };
    let across = |a: usize| a == axis || (first[a] == 0 && second[a] == 0 && n[a] == whole[a] && k[a] == whole[a]);
    // `y` is what comes before `x` in the value.
    let round =
        second[axis] == 0 && first[axis] == k[axis] && n[axis] + k[axis] == whole[axis] && k[axis] > 0 && n[axis] > 0;
    if source != other || !round || !(0..whole.len()).all(across) {
        return Ok(None);
    }
    let mut widths = vec![[0, 0]; whole.len()];
    widths[axis] = if k[axis] <= n[axis] { [0, k[axis]] } else { [n[axis], 0] };
    // The derivative of a difference of two rotations rotates a value one way, and its negative the other way.
    let negative = f.def_op(source).filter(|d| d.def.is(&NEG) && d.guards.is_empty() && d.wheres.is_empty());
    let of =
        negative.and_then(|d| d.operands.first().copied()).filter(|&v| f.value(v).region == f.value(source).region);
    let (of, negated) = (of.unwrap_or(source), of.is_some());
    Ok(Some(Seen { of, halo: Halo::Round(axis), widths, negated }))
}
/// How an op moves elements, where nothing is checked and all extents are numbers.
pub(super) fn moved(f: &Func, op: &Op) -> Result<Option<Moved>> {
    let Some(moved) = op.def.movement.moved else { return Ok(None) };
    let exact = |v: &ValueId| f.ty(*v).exact_shape().is_some();
    if !op.guards.is_empty() || !op.wheres.is_empty() || !op.operands.iter().chain(&op.results).all(exact) {
        return Ok(None);
    }
    outside::column(op.def, "moved", || Ok(moved(f, op)))
}

fn extents(n: impl Iterator<Item = usize>) -> Attr {
    Attr::Extents(n.map(|n| Extent::exact(n as i64)).collect())
}
pub(super) fn padded(b: &mut Builder, x: ValueId, v: ValueId, widths: &Widths) -> Result<ValueId> {
    let side = |k: usize| extents(widths.iter().map(|w| w[k]));
    b.emit1(NewOp::new(&PAD, &[x, v]).attr("low", side(0)).attr("high", side(1)))
}
/// The last `before` elements along an axis, the value, and the first `behind` elements.
fn wrapped(b: &mut Builder, x: ValueId, axis: usize, [before, behind]: [usize; 2]) -> Result<ValueId> {
    let shape = b.ty(x).exact_shape().unwrap_or_default();
    let mut parts = vec![];
    for (from, n) in [(shape[axis] - before, before), (0, shape[axis]), (0, behind)] {
        if n > 0 {
            let (mut start, mut size) = (vec![0; shape.len()], shape.clone());
            (start[axis], size[axis]) = (from, n);
            parts.push(part(b, x, &start, &size)?);
        }
    }
    b.emit1(NewOp::new(&CONCAT, &parts).attr("axis", Attr::Int(axis as i64)))
}
/// A window; the value itself where the window is all of it.
pub(super) fn part(b: &mut Builder, x: ValueId, start: &[usize], shape: &[usize]) -> Result<ValueId> {
    if b.ty(x).exact_shape().as_deref() == Some(shape) {
        return Ok(x);
    }
    let limit = extents(start.iter().zip(shape).map(|(s, n)| s + n));
    b.emit1(NewOp::new(&SLICE, &[x]).attr("start", extents(start.iter().copied())).attr("limit", limit))
}
fn product(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d))
}
fn wide_shape(f: &Func, x: ValueId, widest: &Widths) -> Option<Vec<usize>> {
    let shape = f.ty(x).exact_shape()?;
    shape.iter().zip(widest).map(|(n, w)| n.checked_add(w[0])?.checked_add(w[1])).collect()
}
