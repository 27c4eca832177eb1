//! Loops without carries do the same to each index, so all indices can be done at once: a `scan` that carries nothing but counters
//! becomes a `vmap` of its body. One trip of a loop touches few elements and costs what steps cost; all trips at once share loops with what
//! stands before and behind them. A loop that is there to save memory stays: what its trips make in memory, all of them together,
//! has to be little.
use crate::PassError;
use crate::ad::Memo;
use crate::rewrite::{each, rewrite};
use std::cell::Cell;
use tfc_ir::op::Loops;
use tfc_ir::ops::constant::IOTA;
use tfc_ir::ops::control::{Gather, ScanDims};
use tfc_ir::ops::extents::DIM_VALUE;
use tfc_ir::{
    Attr, BODY, Builder, Code, DType, Def, Effect, Extent, Finished, Func, Map, Module, NewOp, Op, OpId, RegionId,
    Result, ScalarOp, SymId, Type, ValueId,
};

/// So many bytes may all trips make in memory that are not results: what caches hold.
const MOST_BYTES: i64 = 4 << 20;
/// A trip that works on so many elements at once is not worth it.
const MOST_ELEMENTS: i64 = 1 << 14;
/// Fewer trips are written out, or cost little.
const FEWEST: i64 = 4;
/// In a loop or a branch: a small loop in another one is code of one function, with values in registers.
const FEWEST_WITHIN: i64 = 32;

/// The pass `raise-maps`.
pub fn run(m: &mut Module) -> std::result::Result<bool, PassError> {
    each(m, |m, f| {
        let maps = find(m, f);
        if maps.is_empty() {
            return Ok(None);
        }
        let made = Cell::new(0);
        let (new, changed) = rewrite(m, f, &mut |b, f, o, _, map| {
            if maps.contains(&o) { raise(m, b, f, o, map, &made) } else { Ok(None) }
        })?;
        Ok(changed.then_some(new))
    })
}
/// Loops that may be done at once, the outer one of two.
fn find(m: &Module, f: &Func) -> Vec<OpId> {
    let mut found = vec![];
    let mut todo = vec![BODY];
    while let Some(r) = todo.pop() {
        for &o in &f.region(r).ops {
            if fits(m, f, o, if r == BODY { FEWEST } else { FEWEST_WITHIN }) {
                found.push(o);
            } else {
                todo.extend(f.op(o).regions.iter());
            }
        }
    }
    found
}
fn fits(m: &Module, f: &Func, o: OpId, fewest: i64) -> bool {
    let op = f.op(o);
    let Some(trips) = op.def.control.trips else { return false };
    let Ok(d) = trips(f, op) else { return false };
    let &[body] = op.regions.as_slice() else { return false };
    let stacked = d.collect.iter().all(|c| matches!(c, Gather::Stack(_)));
    let counts = (0..d.carry).all(|i| step(f, op, i).is_some());
    if !counts || (d.carry > 0 && d.reverse) || !stacked || m.region_effect(f, body) != Effect::Pure {
        return false;
    }
    if d.length.as_exact().is_some_and(|n| n < fewest) || d.length.mentions_existential() {
        return false;
    }
    let mut cost = Some(Cost::default());
    f.walk(body, &mut |p| {
        let op = f.op(p);
        let plain = !op.def.calls() && op.def.control.repeats.is_none() && !op.attrs.iter().any(|a| unbound(&a.1));
        cost = cost.filter(|_| plain).and_then(|c| c.with(f, op));
    });
    let Some(cost) = cost.filter(|c| c.widest < MOST_ELEMENTS) else { return false };
    let Some(passed) = cost_of_ports(f, op, body) else { return false };
    // What the loop reads and gives it has in memory anyway.
    cost.bytes <= passed || d.length.as_exact().is_some_and(|n| n.saturating_mul(cost.bytes) <= MOST_BYTES)
}
/// What carry `i` of a loop grows by in each trip, where it is an integer that does: a value from outside, or a constant of the body.
fn step(f: &Func, op: &Op, i: usize) -> Option<ValueId> {
    let &[body] = op.regions.as_slice() else { return None };
    let (&p, &y) = (f.region(body).params.get(i)?, f.region(body).yields.get(i)?);
    let wide = matches!(f.ty(y).dtype, DType::I32 | DType::I64 | DType::U32 | DType::U64) && f.ty(y).is_scalar();
    let add = f.def_op(y).filter(|o| wide && o.def.scalar == Some(ScalarOp::Add))?;
    let by = match *add.operands.as_slice() {
        [a, b] if a == p => b,
        [a, b] if b == p => a,
        _ => return None,
    };
    let fixed =
        !f.within(f.value(by).region, body) || f.def_op(by).is_some_and(|o| o.def.constant && o.operands.is_empty());
    (by != p && fixed).then_some(by)
}
/// The values of counter `i` in all trips, and the one behind the last.
fn counted(b: &mut Builder, f: &Func, op: &Op, i: usize, length: &Extent, map: &Map) -> Result<Option<[ValueId; 2]>> {
    let Some(by) = step(f, op, i) else { return Ok(None) };
    let by = match f.value(by).def {
        Def::Result(o, _) if map.value(by).is_err() => b.copy(f, o, &mut Map::new())?[0],
        _ => map.value(by)?,
    };
    let start = map.value(op.operands[i])?;
    let line = b.ty(start).with_axis(0, length.clone());
    let trips = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![line.clone()]))?;
    let steps = b.broadcast(by, &line, &[])?;
    let moved = b.mul(trips, steps)?;
    let first = b.broadcast(start, &line, &[])?;
    let all = b.add(first, moved)?;
    let n = b.emit1(NewOp::new(&DIM_VALUE, &[]).attr("extent", Attr::extent(length.clone())))?;
    let dtype = b.ty(start).dtype;
    let n = b.convert(n, dtype)?;
    let moved = b.mul(n, by)?;
    Ok(Some([all, b.add(start, moved)?]))
}
fn unbound(a: &tfc_ir::Attr) -> bool {
    matches!(a, tfc_ir::Attr::Extents(e) if e.iter().any(Extent::mentions_existential))
}
fn elements(ty: &Type) -> Option<i64> {
    ty.exact_shape()?.into_iter().try_fold(1i64, |n, d| n.checked_mul(i64::try_from(d).ok()?))
}
/// What one trip works on.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Elements of the largest value.
    widest: i64,
    /// What is made in memory: of ops that do not share loops.
    bytes: i64,
}
impl Cost {
    /// With an op; `None` where it is not known.
    fn with(mut self, f: &Func, op: &Op) -> Option<Cost> {
        let moves = op.def.movement.element.is_some() || op.def.movement.moved.is_some();
        let shares = op.def.scalar.is_some() || op.def.loops != Loops::Own || op.def.constant || moves;
        for &v in &op.results {
            let ty = f.ty(v);
            let n = elements(ty)?;
            self.widest = self.widest.max(n);
            if !shares {
                self.bytes = self.bytes.saturating_add(n.saturating_mul(ty.dtype.size() as i64));
            }
        }
        Some(self)
    }
}
/// Bytes that a trip is given and gives.
fn cost_of_ports(f: &Func, op: &Op, body: RegionId) -> Option<i64> {
    let r = f.region(body);
    let mut sum = 0i64;
    for &v in r.params.iter().chain(&r.yields).take(r.params.len() + op.results.len()) {
        let ty = f.ty(v);
        sum = sum.saturating_add(elements(ty)?.saturating_mul(ty.dtype.size() as i64));
    }
    Some(sum)
}
/// The loop as a `vmap` of its body; `None` where that cannot be run for all indices.
fn raise(
    m: &Module,
    b: &mut Builder,
    f: &Func,
    o: OpId,
    map: &Map,
    made: &Cell<usize>,
) -> Result<Option<Vec<ValueId>>> {
    let op = f.op(o);
    let d = ScanDims::of(f, op)?;
    let captured = f.captures(op.regions[0]);
    made.set(made.get() + 1);
    let name = format!("{}.map{}", f.name, made.get());
    let Ok(body) = function(m, f, (op.regions[0], d.carry), &captured, &name) else { return Ok(None) };
    let func = m.add(body);
    let (mut ins, mut outs) = (vec![], vec![]);
    ins.extend((0..d.carry).map(|_| Some(0)));
    ins.extend(d.cut.iter().map(|&a| Some(a)));
    ins.extend(captured.iter().map(|_| None));
    outs.extend(d.collect.iter().map(|c| if let Gather::Stack(a) = c { Some(*a) } else { None }));
    // Tried before anything rests on it.
    let trial = m.fork();
    if let Err(e) = Memo::new(&trial).batch_once(func, &ins, Some(&outs)) {
        m.remove(func);
        return if e.data().code == Code::E0508 || e.is_about_extents() { Ok(None) } else { Err(e) };
    }
    let length = map.extent(&d.length)?;
    let (mut args, mut results) = (vec![], vec![]);
    for i in 0..d.carry {
        let Some([all, end]) = counted(b, f, op, i, &length, map)? else { return Ok(None) };
        args.push(all);
        results.push(end);
    }
    for &v in op.operands[d.carry..].iter().chain(&captured) {
        args.push(map.value(v)?);
    }
    let extents = (0..f.syms.len() as u32).map(|i| Extent::sym(SymId(i))).collect();
    results.extend(b.vmap(func, extents, (&ins, &outs), Some(&length), &args)?.0);
    Ok(Some(results))
}
/// The body as a function of its parameters and of what it uses from outside, which gives what it yields behind the carries.
fn function(m: &Module, f: &Func, (r, carry): (RegionId, usize), captured: &[ValueId], name: &str) -> Result<Finished> {
    let mut b = Builder::new(m, name);
    b.mend();
    b.copy_syms(f);
    b.place(f.span);
    let mut map = Map::new();
    for &v in f.region(r).params.iter().chain(captured) {
        let ty: Type = map.ty(f.ty(v))?;
        let p = b.param_like(ty, f, v);
        map.insert(v, p);
    }
    for &o in &f.region(r).ops {
        b.copy(f, o, &mut map)?;
    }
    let ys = map.all(f.region(r).yields.get(carry..).unwrap_or_default())?;
    Ok(b.finish(ys)?.exported(false))
}
