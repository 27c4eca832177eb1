//! Computes what is read in windows in each of these windows, in place of storing it: `(a + b)[1..] - (a + b)[..n-1]` reads four
//! windows of `a` and `b` in one loop, where the sum would be written to memory and read twice. That is done of values that nothing
//! reads whole, where what is computed again costs little and is computed a few times.
//!
//! Rows say what is computed element by element and what that costs (`scalar`), and which ops are windows (`moved`).
use super::halo::moved;
use crate::PassError;
use crate::rewrite::{Users, improve, new_op, rewrite};
use std::collections::{BTreeSet, HashMap, HashSet};
use tfc_ir::op::Moved;
use tfc_ir::ops::elementwise::AND;
use tfc_ir::{
    Builder, DType, Def, Extent, Func, Map, Module, NewOp, Op, OpId, RegionId, Result, Tensor, Type, ValueId,
};

/// A value is computed in so many windows at most.
const MOST_WINDOWS: usize = 6;
/// About how many additions an element may cost that is computed in more than one.
const MOST_COST: u32 = 4;

/// A part of a value: where it begins, and its shape.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Part {
    start: Vec<usize>,
    shape: Vec<usize>,
}

/// Elements of an array of which a part is replaced, at least, where that is not done in memory.
const REPLACED: usize = 4096;
/// The longest axis along which flags say where the part is.
const FLAGS: usize = 4096;

/// The pass `recompute`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    let chosen = chosen(m)?;
    let changed = improve(m, |m, f| {
        let gone = gone(f)?;
        if gone.is_empty() {
            return Ok(None);
        }
        let mut made = HashMap::new();
        let (new, changed) = rewrite(m, f, &mut |b, f, o, _, map| {
            let op = f.op(o);
            let (Some(start), &[y]) = (window(f, op)?, &op.results[..]) else { return Ok(None) };
            let x = op.operands[0];
            let Some(shape) = f.ty(y).exact_shape().filter(|_| gone.contains(&x) && !gone.contains(&y)) else {
                return Ok(None);
            };
            Ok(Some(vec![Push { f, gone: &gone, made: &mut made, here: f.value(y).region }.part(
                b,
                map,
                x,
                &Part { start, shape },
            )?]))
        })?;
        Ok(changed.then_some(new))
    })?;
    if changed || chosen {
        super::cse::run(m)?;
        super::dce::run(m)?;
    }
    Ok(changed || chosen)
}
/// Chooses between an array and a number that replaces most of it, where ops over elements alone read the outcome: inside of a box there is the
/// number. The derivative of `x.at[1:-1, 1:-1].set(y)` is zero there.
fn chosen(m: &Module) -> std::result::Result<bool, PassError> {
    improve(m, |m, f| {
        let number = |v: &ValueId| f.def_op(*v).is_some_and(|d| d.def.constant && d.attrs.tensor("splat").is_some());
        let mut found = HashMap::new();
        for (i, op) in f.ops.iter().enumerate().filter(|x| x.1.operands.get(1).is_some_and(number)) {
            if let Some(Moved::Replaced(start)) = moved(f, op)? {
                found.insert(OpId(i as u32), start);
            }
        }
        if found.is_empty() {
            return Ok(None);
        }
        let (users, yields) = (Users::of(f), yields(f));
        found.retain(|&o, _| {
            let (op, y) = (f.op(o), f.op(o).results[0]);
            let size =
                |v: ValueId| f.ty(v).exact_shape().unwrap_or_default().iter().fold(1usize, |n, &d| n.saturating_mul(d));
            let walked = |u: &OpId| {
                f.op(*u).def.scalar.is_some()
                    && f.op(*u).results.iter().all(|&r| f.value(r).region == f.value(y).region)
            };
            let short = f.ty(y).exact_shape().is_some_and(|s| s.iter().all(|&n| n <= FLAGS));
            let most = short && size(y) >= REPLACED && size(op.operands[1]) > size(y) / 2;
            most && !yields.contains(&y) && users.of_value(y).iter().all(walked)
        });
        let (new, changed) = rewrite(m, f, &mut |b, f, o, args, map| {
            let Some(start) = found.get(&o) else { return Ok(None) };
            let (ty, part) = (b.ty(args[0]).clone(), b.ty(args[1]).exact_shape().unwrap_or_default());
            let number = f.def_op(f.op(o).operands[1]).map(|d| constant(b, map, d, ty.clone()));
            let Some(number) = number.transpose()? else { return Ok(None) };
            let all = ty.with_dtype(DType::Bool);
            let mut inside: Option<ValueId> = None;
            for (a, extent) in ty.exact_shape().unwrap_or_default().into_iter().enumerate() {
                if part[a] == extent {
                    continue;
                }
                let flags = (0..extent).map(|i| (start[a]..start[a] + part[a]).contains(&i)).collect();
                let line = b.constant(Tensor::from_logical::<bool>(&[extent], flags)?)?;
                let line = b.broadcast(line, &all, &[a])?;
                inside = Some(match inside {
                    Some(flag) => b.emit1(NewOp::new(&AND, &[flag, line]))?,
                    None => line,
                });
            }
            match inside {
                Some(flag) => Ok(Some(vec![b.select(flag, number, args[0])?])),
                None => Ok(Some(vec![number])),
            }
        })?;
        Ok(changed.then_some(new))
    })
}
fn yields(f: &Func) -> HashSet<ValueId> {
    f.regions.iter().flat_map(|r| r.yields.iter().copied()).collect()
}

/// Where an op's window of its first operand begins, if it is one.
fn window(f: &Func, op: &Op) -> Result<Option<Vec<usize>>> {
    Ok(match moved(f, op)?.filter(|_| op.operands.len() == 1) {
        Some(Moved::Window(start)) => Some(start),
        _ => None,
    })
}
/// Whether nothing has to hold for an op, and all extents are numbers.
pub(super) fn plain(f: &Func, op: &Op) -> bool {
    let exact = |v: &ValueId| f.ty(*v).exact_shape().is_some();
    op.guards.is_empty() && op.wheres.is_empty() && op.operands.iter().chain(&op.results).all(exact)
}
/// The values that are computed in windows alone, and windows of these that are read in windows again.
fn gone(f: &Func) -> Result<HashSet<ValueId>> {
    let computed = |v: &ValueId| f.def_op(*v).is_some_and(|d| d.def.scalar.is_some());
    if !f.ops.iter().any(|op| op.def.movement.moved.is_some() && op.operands.first().is_some_and(computed)) {
        return Ok(HashSet::new());
    }
    let users = Users::of(f);
    let yielded = yields(f);
    let mut gone = HashSet::new();
    // The windows of each value in which something is computed that is not itself computed in windows.
    let mut parts: HashMap<ValueId, BTreeSet<Part>> = HashMap::new();
    for r in &f.regions {
        for &o in r.ops.iter().rev() {
            let op = f.op(o);
            let &[v] = &op.results[..] else { continue };
            // Most values are read whole.
            let in_windows = |u: &OpId| {
                let user = f.op(*u);
                user.def.movement.moved.is_some() || user.results.first().is_some_and(|y| gone.contains(y))
            };
            let candidate = match op.def.scalar {
                Some(_) => !yielded.contains(&v) && users.of_value(v).iter().all(in_windows),
                None => op.def.movement.moved.is_some(),
            };
            if !candidate {
                continue;
            }
            let Some(shape) = f.ty(v).exact_shape().filter(|s| !s.is_empty() && plain(f, op)) else { continue };
            let (over_elements, is_window) = (op.def.scalar, window(f, op)?.is_some());
            if over_elements.is_none() && !is_window {
                continue;
            }
            let mut all = BTreeSet::new();
            let mut whole = yielded.contains(&v);
            for &u in users.of_value(v) {
                let user = f.op(u);
                let y = user.results.first().copied();
                let here = y.filter(|&y| f.value(y).region == f.value(v).region);
                match (here, window(f, user)?) {
                    (Some(y), Some(start)) => {
                        let own = f.ty(y).exact_shape().unwrap_or_default();
                        let inner = parts.get(&y).cloned().unwrap_or_else(|| whole_of(&own));
                        all.extend(inner.into_iter().map(|p| Part {
                            start: p.start.iter().zip(&start).map(|(a, b)| a + b).collect(),
                            shape: p.shape,
                        }));
                    }
                    (Some(y), None) if gone.contains(&y) && user.def.scalar.is_some() => {
                        all.extend(parts.get(&y).cloned().unwrap_or_default());
                    }
                    _ => whole = true,
                }
            }
            if is_window {
                // It is a place where something is computed, unless what reads it is computed in windows again.
                if whole {
                    all.extend(whole_of(&shape));
                }
                let only = !whole && !all.is_empty();
                parts.insert(v, if all.is_empty() { whole_of(&shape) } else { all });
                if only {
                    gone.insert(v);
                }
                continue;
            }
            let cost = over_elements.map_or(0, |s| s.cost());
            let cheap = all.len() == 1 || all.len() <= MOST_WINDOWS && cost <= MOST_COST;
            if !whole && cheap && !all.is_empty() {
                gone.insert(v);
                parts.insert(v, all);
            }
        }
    }
    Ok(gone)
}
fn whole_of(shape: &[usize]) -> BTreeSet<Part> {
    BTreeSet::from([Part { start: vec![0; shape.len()], shape: shape.to_vec() }])
}

struct Push<'a> {
    f: &'a Func,
    gone: &'a HashSet<ValueId>,
    /// Parts of values of the old function that have been made.
    made: &'a mut HashMap<(RegionId, ValueId, Part), ValueId>,
    /// Where they are made: a value of one region is none of another.
    here: RegionId,
}
impl Push<'_> {
    /// That part of a value of the old function.
    fn part(&mut self, b: &mut Builder, map: &mut Map, v: ValueId, p: &Part) -> Result<ValueId> {
        let key = (self.here, v, p.clone());
        if let Some(&y) = self.made.get(&key) {
            return Ok(y);
        }
        let f = self.f;
        let op = match f.value(v).def {
            Def::Result(o, _) => Some((o, f.op(o))),
            _ => None,
        };
        let ty = f.ty(v).with_dims(p.shape.iter().map(|&n| Extent::exact(n as i64)).collect::<Vec<_>>());
        let y = match op {
            Some((_, op)) if window(f, op)?.is_some() => {
                let start = window(f, op)?.unwrap_or_default();
                let start = start.iter().zip(&p.start).map(|(a, b)| a + b).collect();
                self.part(b, map, op.operands[0], &Part { start, shape: p.shape.clone() })?
            }
            Some((o, op)) if self.gone.contains(&v) => {
                let mut args = vec![];
                for &x in &op.operands {
                    args.push(if f.ty(x).is_scalar() { map.value(x)? } else { self.part(b, map, x, p)? });
                }
                let mut new = new_op(f, o, &args, map)?;
                new.declared = Some(vec![ty]);
                b.emit1(new)?
            }
            // One element everywhere.
            Some((_, op)) if op.def.constant && op.attrs.tensor("splat").is_some() => constant(b, map, op, ty)?,
            _ => super::halo::part(b, map.value(v)?, &p.start, &p.shape)?,
        };
        self.made.insert(key, y);
        Ok(y)
    }
}
/// A constant with one element everywhere, of another shape.
pub(super) fn constant(b: &mut Builder, map: &mut Map, op: &Op, ty: Type) -> Result<ValueId> {
    b.emit1(NewOp::new(op.def, &[]).attrs(map.attrs(&op.attrs)?).types(vec![ty]))
}
