//! Carries with a halo. A stencil that steps pads or rotates what it carries, or what it has just computed and carries on: each trip
//! copies the array. Here the loop carries the array with its halo. What is computed then goes where the wider array is, of which
//! a trip writes the border alone.
use super::{GROWTH, Halo, Seen, Widths, moved, part, product, wide_shape, window};
use crate::PassError;
use crate::rewrite::{Users, each, new_op};
use std::collections::{BTreeMap, HashMap};
use tfc_ir::op::Loops;
use tfc_ir::ops::constant::scalar_of;
use tfc_ir::ops::control::ScanDims;
use tfc_ir::ops::shape::DYNAMIC_UPDATE_SLICE;
use tfc_ir::{
    BODY, Builder, DType, Def, Finished, Func, Map, Module, NewOp, Op, OpId, RegionId, Result, ValueId, outside,
};

/// Elements of what is carried, at least: a few are copied as fast as a border is written.
const LEAST: usize = 1024;
/// Elements along the first and the last axis, at least, of what goes into the carried array in place of being surrounded anew: an engine
/// computes long rows over those of the trip before.
const LEAST_ROW: usize = 48;

/// What is around a value that a loop carries.
#[derive(Clone, PartialEq)]
struct Around {
    halo: Halo,
    widths: Widths,
}
/// The carries of each loop that get a halo, by their number.
type Carries = BTreeMap<OpId, BTreeMap<usize, Around>>;

/// Gives what loops carry the halos that it is read with.
pub(super) fn run(m: &Module) -> std::result::Result<bool, PassError> {
    each(m, |m, f| {
        let loops = found(f)?;
        if loops.is_empty() {
            return Ok(None);
        }
        rebuilt(m, f, &loops).map(Some)
    })
}
/// How a loop counts and what it carries, where nothing has to hold for it.
fn counted(f: &Func, op: &Op) -> Result<Option<ScanDims>> {
    let (Some(trips), &[r]) = (op.def.control.trips, &op.regions[..]) else { return Ok(None) };
    let region = f.region(r);
    let free = op.guards.is_empty() && op.wheres.is_empty() && region.wheres.is_empty() && region.guards.is_empty();
    if !free {
        return Ok(None);
    }
    outside::column(op.def, "trips", || trips(f, op)).map(Some)
}
fn found(f: &Func) -> Result<Carries> {
    let mut all = BTreeMap::new();
    if !f.ops.iter().any(|op| op.def.control.trips.is_some()) {
        return Ok(all);
    }
    let users = Users::of(f);
    for (i, op) in f.ops.iter().enumerate() {
        let Some(dims) = counted(f, op)? else { continue };
        let body = f.region(op.regions[0]);
        // Rotations are windows of the two slices that they join.
        let mut rotations = vec![];
        for &o in body.ops.iter().filter(|_| dims.carry > 0) {
            rotations.extend(window(f, f.op(o))?.filter(|w| matches!(w.halo, Halo::Round(_))));
        }
        let mut own = BTreeMap::new();
        for k in 0..dims.carry {
            if let (Some(&p), Some(&v)) = (body.params.get(k), body.yields.get(k))
                && body.yields[..dims.carry].iter().filter(|y| **y == v).count() == 1
                && let Some(around) = halo_of(f, (&users, &rotations), op.regions[0], p, v)?
            {
                own.insert(k, around);
            }
        }
        if !own.is_empty() {
            all.insert(OpId(i as u32), own);
        }
    }
    Ok(all)
}
/// The halo with which a loop whose body is region `r` had better carry what it calls `p` before a trip and `v` behind it.
fn halo_of(
    f: &Func,
    (users, rotations): (&Users, &[Seen]),
    r: RegionId,
    p: ValueId,
    v: ValueId,
) -> Result<Option<Around>> {
    let own = |x: ValueId| f.value(x).region == r;
    let computed = matches!(f.value(v).def, Def::Result(o, _) if own(v) && f.op(o).def.scalar.is_some());
    let large = f.ty(p).exact_shape().and_then(|s| product(&s)).is_some_and(|n| n >= LEAST);
    if !computed || !large || f.ty(p).dims != f.ty(v).dims || f.ty(p).dtype != f.ty(v).dtype {
        return Ok(None);
    }
    // How often each halo is read, and how wide it is.
    let mut halos: BTreeMap<Halo, (usize, Widths)> = BTreeMap::new();
    for x in [p, v] {
        for &o in users.of_value(x) {
            let op = f.op(o);
            // Products and others take the array as it is, without gaps between its rows.
            let walks = op.def.scalar.is_some() || matches!(op.def.loops, Loops::Fold(_)) || moved(f, op)?.is_some();
            if !walks {
                return Ok(None);
            }
            let here = op.results.first().is_some_and(|&y| own(y));
            let stays = |w: &Seen| !matches!(w.halo, Halo::Of(s) if own(s));
            if let Some(w) = window(f, op)?.filter(|w| here && w.of == x && stays(w)) {
                note(&mut halos, &w);
            }
        }
    }
    rotations.iter().filter(|w| w.of == p || w.of == v).for_each(|w| note(&mut halos, w));
    let elements = |x: &[usize]| product(x).unwrap_or(usize::MAX);
    let small = f.ty(p).exact_shape().map_or(0, |s| elements(&s));
    let fits = |w: &Widths| wide_shape(f, p, w).is_some_and(|s| elements(&s) <= small.saturating_mul(GROWTH));
    let best = halos.into_iter().filter(|x| fits(&x.1.1)).max_by_key(|x| x.1.0);
    Ok(best.map(|(halo, (_, widths))| Around { halo, widths }))
}
/// Counts a window.
fn note(halos: &mut BTreeMap<Halo, (usize, Widths)>, w: &Seen) {
    let all = halos.entry(w.halo).or_insert_with(|| (0, vec![[0, 0]; w.widths.len()]));
    all.0 += 1;
    super::widen(&mut all.1, &w.widths);
}
fn rebuilt(m: &Module, f: &Func, loops: &Carries) -> Result<Finished> {
    let mut b = Builder::new(m, &f.name);
    b.mend();
    let mut map = Map::new();
    b.copy_header(f, &mut map)?;
    let mut new = Rebuilt { f, loops, next: HashMap::new(), wide: HashMap::new() };
    new.region(&mut b, BODY, &mut map)?;
    let ys = map.all(f.returns())?;
    b.finish_rewritten(ys)
}
struct Rebuilt<'a> {
    f: &'a Func,
    loops: &'a Carries,
    /// What loops that have been entered carry on: what it was before the trip, and its halo.
    next: HashMap<ValueId, (ValueId, Around)>,
    /// Values of the old function that have been given their halo.
    wide: HashMap<ValueId, (ValueId, Around)>,
}
impl Rebuilt<'_> {
    fn region(&mut self, b: &mut Builder, r: RegionId, map: &mut Map) -> Result<()> {
        let f = self.f;
        for &o in &f.region(r).ops {
            let op = f.op(o);
            let old = b.set_loc(op.loc, op.span);
            self.op(b, o, map).map_err(|e| e.or_span(op.span))?;
            for &v in &op.results {
                if let Some(next) = self.next.get(&v).cloned() {
                    self.widen(b, v, next, map)?;
                }
            }
            b.set_loc(old.0, old.1);
        }
        Ok(())
    }
    /// Gives a value that has been computed its halo; what reads it reads that array. Copies of a number are there already, around what was
    /// carried before.
    fn widen(&mut self, b: &mut Builder, v: ValueId, (p, around): (ValueId, Around), map: &mut Map) -> Result<()> {
        let shape = b.ty(map.value(v)?).exact_shape().unwrap_or_default();
        let long = |n: Option<&usize>| n.is_some_and(|&n| n >= LEAST_ROW);
        let all = match (around.halo, self.wide.get(&p)) {
            (Halo::Of(_) | Halo::Filled(_), Some((before, _))) if long(shape.first()) && long(shape.last()) => {
                let mut operands = vec![*before, map.value(v)?];
                for w in &around.widths {
                    operands.push(b.constant(scalar_of(DType::I64, w[0] as f64))?);
                }
                b.emit1(NewOp::new(&DYNAMIC_UPDATE_SLICE, &operands))?
            }
            _ => around.halo.around(b, map, map.value(v)?, &around.widths)?,
        };
        self.enter(b, v, all, around, map)
    }
    /// Value `v` is the middle of `all`.
    fn enter(&mut self, b: &mut Builder, v: ValueId, all: ValueId, around: Around, map: &mut Map) -> Result<()> {
        let (start, shape) = middle(self.f, v, &around);
        map.insert(v, part(b, all, &start, &shape)?);
        self.wide.insert(v, (all, around));
        Ok(())
    }
    fn op(&mut self, b: &mut Builder, o: OpId, map: &mut Map) -> Result<()> {
        let f = self.f;
        let op = f.op(o);
        if let Some(w) = window(f, op)?
            && let Some((all, around)) = self.wide.get(&w.of)
            && around.halo == w.halo
            && around.widths.iter().zip(&w.widths).all(|(a, n)| a[0] >= n[0] && a[1] >= n[1])
        {
            let shape = f.ty(op.results[0]).exact_shape().unwrap_or_default();
            let y = w.cut(b, *all, &around.widths, &shape)?;
            map.insert(op.results[0], y);
            return Ok(());
        }
        if let Some(own) = self.loops.get(&o) {
            return self.a_loop(b, o, own, map);
        }
        let args = map.list(&op.operands)?;
        let mut regions = Vec::with_capacity(op.regions.len());
        for &q in &op.regions {
            let opened = b.open_copy(f, q, map)?;
            self.region(b, q, map)?;
            regions.push(b.close_copy(opened, f, q, map)?);
        }
        b.copy_with(f, o, args, regions, map)?;
        Ok(())
    }
    fn a_loop(&mut self, b: &mut Builder, o: OpId, own: &BTreeMap<usize, Around>, map: &mut Map) -> Result<()> {
        let f = self.f;
        let op = f.op(o);
        let (r, mut args) = (op.regions[0], map.all(&op.operands)?);
        for (&k, around) in own {
            args[k] = around.halo.around(b, map, args[k], &around.widths)?;
        }
        let (region, opened) = (f.region(r), b.open(&f.region(r).label));
        let mut params = vec![];
        for (k, &p) in region.params.iter().enumerate() {
            let ty = if own.contains_key(&k) { b.ty(args[k]).clone() } else { map.ty(f.ty(p))? };
            let q = b.param_like(ty, f, p);
            map.insert(p, q);
            params.push(q);
        }
        for (&k, around) in own {
            self.enter(b, region.params[k], params[k], around.clone(), map)?;
            self.next.insert(region.yields[k], (region.params[k], around.clone()));
        }
        self.region(b, r, map)?;
        let mut ys = map.all(&region.yields)?;
        for &k in own.keys() {
            if let Some((all, _)) = self.wide.get(&region.yields[k]) {
                ys[k] = *all;
            }
        }
        let made = b.close(opened, ys);
        let mut new = new_op(f, o, &args, map)?.regions(vec![made]);
        if let Some(types) = &mut new.declared {
            own.keys().for_each(|&k| types[k] = b.ty(args[k]).clone());
        }
        for (k, (&y, all)) in op.results.iter().zip(b.emit(new)?).enumerate() {
            b.hint(all, f.value(y).name.clone());
            map.insert(y, all);
            if let Some(around) = own.get(&k) {
                let (start, shape) = middle(f, y, around);
                map.insert(y, part(b, all, &start, &shape)?);
            }
            b.shard_like(map.value(y)?, f, y);
        }
        Ok(())
    }
}
/// Where a value begins in its array with a halo, and its shape.
fn middle(f: &Func, v: ValueId, around: &Around) -> (Vec<usize>, Vec<usize>) {
    (around.widths.iter().map(|w| w[0]).collect(), f.ty(v).exact_shape().unwrap_or_default())
}
