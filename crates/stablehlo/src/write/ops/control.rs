//! Calls, branches, loops. What is checked inside is handed out: of a branch that does not run every check holds, of a loop it
//! holds where it holds at every trip.
use tfc_ir::extent::Atom;
use tfc_ir::ops::control as c;
use tfc_ir::ops::control::{Gather, ScanDims, while_gathers};
use tfc_ir::ops::fused::FUSED;
use tfc_ir::{Binder, Code, DType, Def, Error, Extent, Func, RegionId, Result, ValueId};

use super::Rows;
use crate::write::Dynamic;
use crate::write::cx::Cx;
use crate::write::partial;
use crate::write::table::Spelling::By;
use crate::write::ty::{Ty, list, results};
use crate::write::walk::{Outcome, Walk};
use crate::write::writer::{Block, Val, Writer, broken, names, types};

pub(super) const ROWS: Rows = &[
    (&c::CALL, By(call)),
    (&c::CHECKPOINT, By(call)),
    (&c::STOP_GRADIENT, By(|cx| Ok(vec![cx.arg(0)?]))),
    (&c::COND, By(cond)),
    (&c::SWITCH, By(switch)),
    (&c::SCAN, By(scan)),
    (&c::WHILE, By(repeat)),
    (
        &FUSED,
        By(|cx| {
            let args = cx.args().to_vec();
            cx.region(0, &args)
        }),
    ),
];

fn flag() -> Ty {
    Ty::scalar(DType::Bool)
}

/// Behind the operands stand extents of the callee that values decide, behind its results those that it decides.
pub(super) fn call(cx: &mut Cx) -> Result<Vec<Val>> {
    let sym = cx.attrs().sym("callee").cloned().ok_or_else(|| broken("a call of nothing"))?;
    let callee = cx.walk.callee(cx.f, &sym)?;
    let (name, own, said) = (callee.name.clone(), callee.results.clone(), callee.outcomes.clone());
    let (params, places) = (callee.params.clone(), callee.counts.clone());
    let counts = places.iter().map(|_| Ty::scalar(DType::I64));
    let outs: Vec<Ty> = own.iter().cloned().chain(counts).chain(said.iter().map(|o| o.value.ty.clone())).collect();
    let mut args = vec![];
    for (x, want) in cx.args().to_vec().iter().zip(&params) {
        args.push(cx.walk.fitted(x, want).ok_or_else(|| broken("a call with operands of other types"))??);
    }
    for e in sym.extents.iter().filter(|e| !cx.walk.is_exact(e)).cloned().collect::<Vec<_>>() {
        args.push(cx.count_of(&e)?);
    }
    // The symbols of a polymorphic module go everywhere.
    args.extend(cx.walk.w.open.iter().flat_map(|o| o.syms.iter().cloned()).collect::<Vec<_>>());
    let (ins, to) = (list(args.iter().map(|a| &a.ty)), results(&outs));
    let mut made = cx.emit_many(&outs, format_args!("func.call @{name}({}) : ({ins}) -> {to}", names(&args)));
    let mut counts = made.split_off(own.len());
    let more = counts.split_off(places.len());
    for ((i, axis), count) in places.into_iter().zip(&counts) {
        bind(cx, i, axis, count)?;
    }
    hand_out(cx, said, more)?;
    Ok(made)
}
/// The extent that the op has found along an axis of a result: it is what the name there stands for, or, where the type says what
/// it is, that is checked.
fn bind(cx: &mut Cx, i: usize, axis: usize, count: &Val) -> Result<()> {
    let &v = cx.op().results.get(i).ok_or_else(|| broken("a result that is not there"))?;
    let Def::Result(this, _) = cx.func().value(v).def else { return Err(broken("a result of nothing")) };
    let d = cx.func().ty(v).dims.get(axis).cloned().ok_or_else(|| broken("an axis"))?;
    if let Some(a @ Atom::Exist(r)) = d.as_atom()
        && cx.func().binder(r) == Some(Binder::Op(this))
    {
        cx.walk.open.insert(a, count.clone());
        return Ok(());
    }
    let Some(g) = cx.op().guards.iter().find(|g| g.found == Some((i, axis))).cloned() else { return Ok(()) };
    let said = cx.count_of(&d)?;
    let ok = cx.compare("EQ", count, &said);
    cx.check_as(Code::E0420, ok, &format!("axis {axis} of result {i} == {} ({})", d.display(cx.f), g.what))
}
/// The extents that a region binds by its parameters: each with the parameter and the axis where it stands alone.
fn own_extents(f: &Func, r: RegionId) -> Vec<(Atom, usize, usize)> {
    let mut out: Vec<(Atom, usize, usize)> = vec![];
    for (i, &p) in f.region(r).params.iter().enumerate() {
        for (axis, d) in f.ty(p).dims.iter().enumerate() {
            if let Some(a @ Atom::Exist(x)) = d.as_atom()
                && f.binder(x) == Some(Binder::Params(r))
                && !out.iter().any(|o| o.0 == a)
            {
                out.push((a, i, axis));
            }
        }
    }
    out
}
fn dim(f: &Func, v: ValueId, axis: usize) -> Result<Extent> {
    f.ty(v).dims.get(axis).cloned().ok_or_else(|| broken("an axis"))
}

pub(super) fn cond(cx: &mut Cx) -> Result<Vec<Val>> {
    let p = cx.arg(0)?;
    branches(cx, "if", &p)
}
/// A negative index takes the last region, as one beyond does; StableHLO's is an `i32`.
pub(super) fn switch(cx: &mut Cx) -> Result<Vec<Val>> {
    let i = cx.arg(0)?;
    let last = i64::try_from(cx.op().regions.len()).unwrap_or(i64::MAX) - 1;
    let (zero, last) = (cx.splat(&i.ty, 0.0)?, cx.splat(&i.ty, last as f64)?);
    let (below, above) = (cx.compare("LT", &i, &zero), cx.compare("GT", &i, &last));
    let outside = cx.bin("or", &below, &above);
    let i = cx.select(&outside, &last, &i);
    let i = cx.convert(&i, DType::I32);
    branches(cx, "case", &i)
}
fn branches(cx: &mut Cx, op: &str, by: &Val) -> Result<Vec<Val>> {
    let args = cx.args().get(1..).unwrap_or_default().to_vec();
    let own = (0..cx.op().results.len()).map(|i| cx.result(i)).collect::<Result<Vec<Ty>>>()?;
    let places = joins(cx);
    let counts = places.iter().map(|_| Ty::scalar(DType::I64));
    let own: Vec<Ty> = own.into_iter().chain(counts).collect();
    let mut blocks: Vec<(Block, Vec<Val>, Vec<Outcome>)> = vec![];
    let f = cx.f;
    for &r in &cx.op().regions.clone() {
        let yields = f.region(r).yields.clone();
        let block = cx.walk.nested(f, r, &args, Some(&own), &mut |_| Ok(()), &mut |walk, ys| {
            let text = "the branches give different extents, which StableHLO cannot say";
            let differ = || Error::new(Code::E1102, text).help("`--dyn=mask` and `--dyn=bounds` take what has a bound");
            let mut out = vec![];
            for (y, want) in ys.iter().zip(&own) {
                out.push(walk.fitted(y, want).ok_or_else(differ)??);
            }
            for &(i, axis) in &places {
                let &y = yields.get(i).ok_or_else(|| broken("a branch that gives too little"))?;
                out.push(walk.count(f, &dim(f, y, axis)?)?);
            }
            Ok(out)
        })?;
        blocks.push(block);
    }
    let checks: usize = blocks.iter().map(|b| b.2.len()).sum();
    let outs: Vec<Ty> = own.iter().cloned().chain(std::iter::repeat_n(flag(), checks)).collect();
    if outs.is_empty() {
        return Ok(vec![]);
    }
    let (mut regions, mut said, mut at) = (vec![], vec![], 0);
    for (block, ys, outcomes) in blocks {
        let mut ys = ys;
        let (block, more) = cx.resume(block, |w| {
            let own = |k: usize| k.checked_sub(at).and_then(|k| outcomes.get(k));
            (0..checks)
                .map(|k| own(k).map_or_else(|| w.splat(&flag(), 1.0), |o| Ok(o.value.clone())))
                .collect::<Result<Vec<_>>>()
        })?;
        ys.extend(more);
        at += outcomes.len();
        regions.push(cx.walk.w.region(&[], block, &ys));
        said.extend(outcomes);
    }
    let mut made = cx.generic(op, std::slice::from_ref(by), "", &regions, &outs);
    let more = made.split_off(own.len());
    hand_out(cx, said, more)?;
    let counts = made.split_off(cx.op().results.len().min(made.len()));
    for ((i, axis), count) in places.into_iter().zip(&counts) {
        bind(cx, i, axis, count)?;
    }
    Ok(made)
}
/// Axes of results of which each branch says how long they are.
fn joins(cx: &Cx) -> Vec<(usize, usize)> {
    if cx.walk.dynamic() == Dynamic::Refuse {
        return vec![];
    }
    let (f, op) = (cx.func(), cx.op());
    let mut out = vec![];
    for (i, &v) in op.results.iter().enumerate() {
        let Def::Result(this, _) = f.value(v).def else { continue };
        for (axis, d) in f.ty(v).dims.iter().enumerate() {
            let own = matches!(d.as_atom(), Some(Atom::Exist(r))
                if f.binder(r) == Some(Binder::Op(this)));
            if own || op.guards.iter().any(|g| g.found == Some((i, axis))) {
                out.push((i, axis));
            }
        }
    }
    out
}
/// What was checked inside, as it is known outside.
fn hand_out(cx: &mut Cx, said: Vec<Outcome>, values: Vec<Val>) -> Result<()> {
    said.into_iter().zip(values).try_for_each(|(o, value)| cx.walk.outcome(Outcome { value, ..o }))
}
/// The end of a loop's body, behind which what is checked in it is joined with what was known before: the block, and what it
/// hands on for checks; their parameters, and what they start from.
fn joined(cx: &mut Cx, block: Block, outcomes: &[Outcome]) -> Result<(Block, Vec<Val>, Vec<Val>, Vec<Val>)> {
    let truth = if outcomes.is_empty() { vec![] } else { vec![cx.splat(&flag(), 1.0)?] };
    let inits: Vec<Val> = outcomes.iter().filter_map(|_| truth.first().cloned()).collect();
    let params: Vec<Val> = outcomes.iter().map(|_| cx.val(flag())).collect();
    let (block, ends) = cx.resume(block, |w| {
        Ok(outcomes.iter().zip(&params).map(|(o, p)| w.bin("and", p, &o.value)).collect::<Vec<_>>())
    })?;
    Ok((block, ends, params, inits))
}

/// A value that a loop collects.
struct Collected {
    how: Gather,
    /// Are its parts of several lengths? Then what is there already says where the next one goes, and is carried too.
    ragged: bool,
    /// From the last part to the first: those are put in from the end on, and moved to the front when all are there.
    back: bool,
    /// What the region yields.
    yields: ValueId,
    /// The type of the result, and with room for the longest part behind it.
    ty: Ty,
    room: Ty,
}
fn collected(cx: &mut Cx, first: usize, yields: &[ValueId], how: &[Gather], reverse: bool) -> Result<Vec<Collected>> {
    let mut out = vec![];
    for (j, (&y, &how)) in yields.iter().zip(how).enumerate() {
        let (ty, part) = (cx.result(first + j)?, cx.walk.ty(cx.f, cx.f.ty(y))?);
        let exact = cx.f.ty(y).dims.last().is_none_or(|e| cx.walk.is_exact(e));
        let ragged = how == Gather::Concat && !exact;
        let mut room = ty.clone();
        if let (true, Some(n), Some(&p)) = (ragged, room.dims.last_mut(), part.dims.last()) {
            *n = n.checked_add(p).ok_or_else(|| broken("an extent"))?;
        }
        out.push(Collected { how, ragged, back: ragged && reverse, yields: y, ty, room });
    }
    Ok(out)
}
impl Collected {
    /// A part `y` in its place, at trip `at` or behind what is there: the buffer, and how far it is filled where that is carried.
    fn put(
        &self,
        walk: &mut Walk,
        f: &Func,
        y: &Val,
        buffer: &Val,
        at: &Val,
        filled: Option<&Val>,
    ) -> Result<(Val, Option<Val>)> {
        let mut dims = y.dims().to_vec();
        let last = y.rank().saturating_sub(1);
        let count = match filled {
            Some(_) => Some(walk.count(f, &dim(f, self.yields, last)?)?),
            None => None,
        };
        let (axis, place) = match (self.how, filled) {
            (Gather::Stack(axis), _) => {
                dims.insert(axis.min(dims.len()), 1);
                (axis, at.clone())
            }
            (Gather::Concat, Some(filled)) => match &count {
                Some(n) if self.back => (last, walk.w.bin("subtract", filled, n)),
                _ => (last, filled.clone()),
            },
            (Gather::Concat, None) => {
                let by = walk.w.int(dims.get(last).map_or(0, |&n| n as i64))?;
                (last, walk.w.bin("multiply", at, &by))
            }
        };
        let part = walk.w.reshape(y, &dims);
        let mut like = buffer.dims().to_vec();
        if let (Some(n), Some(&own)) = (like.get_mut(axis), dims.get(axis)) {
            *n = own;
        }
        let mut part = partial::refit(&mut walk.w, &part, &like)?;
        let zero = walk.w.int(0)?;
        let starts: Vec<Val> = (0..like.len()).map(|a| if a == axis { place.clone() } else { zero.clone() }).collect();
        if let (true, Some(n)) = (self.back, &count) {
            // Behind what counts of it stand the parts that came before.
            let there = walk.w.dynamic_slice(buffer, &starts, &like);
            let counts = partial::counts_along(&mut walk.w, &like, axis, n);
            part = walk.w.select(&counts, &part, &there);
        }
        let buffer = match part.ty.is_empty() {
            true => buffer.clone(),
            false => walk.w.dynamic_update(buffer, &part, &starts),
        };
        let (Some(filled), Some(n)) = (filled, count) else { return Ok((buffer, None)) };
        Ok((buffer, Some(if self.back { place } else { walk.w.bin("add", filled, &n) })))
    }
    /// How far it is filled when nothing is in it.
    fn start(&self, w: &mut Writer) -> Result<Val> {
        let end = self.ty.dims.last().map_or(0, |&n| n as i64);
        w.int(if self.back { end } else { 0 })
    }
    /// The result, and what is known of its extent: the trips, or how far it is filled.
    fn end(&self, cx: &mut Cx, i: usize, buffer: &Val, trips: &Val, filled: Option<&Val>) -> Result<Val> {
        let (mut buffer, mut filled) = (buffer.clone(), filled.cloned());
        if let (true, Some(first)) = (self.back, &filled) {
            let axis = self.ty.rank().saturating_sub(1);
            let (zero, last) = (cx.int(0)?, self.start(cx)?);
            let starts: Vec<Val> =
                (0..self.ty.rank()).map(|a| if a == axis { first.clone() } else { zero.clone() }).collect();
            buffer = cx.dynamic_slice(&buffer, &starts, &self.ty.dims);
            filled = Some(cx.bin("subtract", &last, first));
        }
        if cx.walk.dynamic() != Dynamic::Refuse {
            let last = self.ty.rank().saturating_sub(1);
            let (axis, count) = match (self.how, &filled) {
                (Gather::Stack(axis), _) => (axis, trips.clone()),
                (Gather::Concat, Some(filled)) => (last, filled.clone()),
                (Gather::Concat, None) => {
                    let n = cx.count_of(&dim(cx.f, self.yields, last)?)?;
                    (last, cx.bin("multiply", trips, &n))
                }
            };
            let &v = cx.op().results.get(i).ok_or_else(|| broken("a result that is not there"))?;
            let d = dim(cx.f, v, axis)?;
            // Of parts of one length the type says how many there are.
            let mut unknown = None;
            d.for_each_atom(&mut |a| {
                if !cx.walk.is_exact(&Extent::atom(a)) && !cx.walk.open.contains_key(&a) {
                    unknown = Some(a);
                }
            });
            match unknown {
                Some(a) if d.as_atom() != Some(a) => drop(cx.walk.open.insert(a, trips.clone())),
                _ => bind(cx, i, axis, &count)?,
            }
        }
        partial::refit(cx, &buffer, &self.ty.dims)
    }
}
/// The extents of a region's own, from those of the values that are handed to its parameters.
fn enter(walk: &mut Walk, f: &Func, own: &[(Atom, usize, usize)], from: &[ValueId]) -> Result<()> {
    for &(a, i, axis) in own {
        let &v = from.get(i).ok_or_else(|| broken("a region with more parameters"))?;
        let count = walk.count(f, &dim(f, v, axis)?)?;
        walk.open.insert(a, count);
    }
    Ok(())
}
/// Loops carry, besides the carries, how large those of changing size are, and what is collected.
pub(super) fn repeat(cx: &mut Cx) -> Result<Vec<Val>> {
    let max = cx.attrs().extents("max_trips").first().cloned();
    let how = while_gathers(cx.func(), cx.op())?;
    let (f, carries) = (cx.f, cx.args().len());
    let &[rc, rb] = cx.op().regions.as_slice() else { return Err(broken("a loop without a body")) };
    let (own, asked) = (own_extents(f, rb), own_extents(f, rc));
    let (at_entry, inside) = (cx.op().operands.to_vec(), f.region(rb).params.clone());
    let yields = f.region(rb).yields.clone();
    let kept = collected(cx, carries, yields.get(carries..).unwrap_or_default(), &how, false)?;
    let mut inits = vec![];
    for (x, &p) in cx.args().to_vec().iter().zip(&inside) {
        let want = cx.walk.ty(f, f.ty(p))?;
        inits.push(cx.walk.fitted(x, &want).ok_or_else(|| broken("a loop with operands of other types"))??);
    }
    for &(_, i, axis) in &own {
        let &v = at_entry.get(i).ok_or_else(|| broken("a loop with more parameters"))?;
        inits.push(cx.count_of(&dim(f, v, axis)?)?);
    }
    let zero = cx.int(0)?;
    for c in &kept {
        inits.push(cx.splat(&c.room, 0.0)?);
    }
    for c in kept.iter().filter(|c| c.ragged) {
        inits.push(c.start(cx)?);
    }
    // A loop has a carry; the one that counts stops it.
    let counted = max.is_some() || inits.is_empty() || !kept.is_empty();
    if counted {
        inits.push(zero.clone());
    }
    let all = inits.len();
    let mut params: Vec<Val> = inits.iter().map(|v| cx.val(v.ty.clone())).collect();
    let count = params.last().cloned().filter(|_| counted);
    for ((a, ..), p) in own.iter().zip(params.iter().skip(carries)) {
        cx.walk.open.insert(*a, p.clone());
    }
    let carried = params.get(..carries).unwrap_or_default().to_vec();
    let (mut cond, ys, said) =
        cx.walk.nested(f, rc, &carried, None, &mut |w| enter(w, f, &asked, &inside), &mut |_, y| Ok(y))?;
    super::checks::none(&said)?;
    let mut go = ys.first().cloned().ok_or_else(|| broken("a loop without a condition"))?;
    let like = types(&params);
    let (buffers, fills) = (carries + own.len(), carries + own.len() + kept.len());
    let (body, mut ys, outcomes) = cx.walk.nested(f, rb, &carried, Some(&like), &mut |_| Ok(()), &mut |walk, ys| {
        let mut out = vec![];
        for (y, want) in ys.iter().zip(like.iter().take(carries)) {
            out.push(walk.fitted(y, want).ok_or_else(|| broken("a loop that gives other types"))??);
        }
        for &(_, i, axis) in &own {
            let &y = yields.get(i).ok_or_else(|| broken("a loop that gives too little"))?;
            out.push(walk.count(f, &dim(f, y, axis)?)?);
        }
        let (mut filled, mut fill) = (vec![], params.iter().skip(fills));
        for (j, c) in kept.iter().enumerate() {
            let got = (ys.get(carries + j), params.get(buffers + j), count.as_ref());
            let (Some(y), Some(buffer), Some(at)) = got else { return Err(broken("a loop that gives too little")) };
            let behind = if c.ragged { fill.next() } else { None };
            let (buffer, behind) = c.put(walk, f, y, buffer, at, behind)?;
            out.push(buffer);
            filled.extend(behind);
        }
        out.extend(filled);
        if let Some(count) = &count {
            let one = walk.w.int(1)?;
            out.push(walk.w.bin("add", count, &one));
        }
        Ok(out)
    })?;
    let (body, ends, more, starts) = joined(cx, body, &outcomes)?;
    params.extend(more);
    inits.extend(starts);
    ys.extend(ends);
    if let (Some(m), Some(count)) = (&max, &count) {
        let most = cx.count_of(m)?;
        (cond, go) = cx.resume(cond, |w| {
            let less = w.compare("LT", count, &most);
            Ok(w.bin("and", &go, &less))
        })?;
    }
    let mut made = cx.looped(&inits, &params, (cond, &go), (body, &ys));
    let flags = made.split_off(all);
    hand_out(cx, outcomes, flags)?;
    let more = made.split_off(carries);
    for (&(a, i, axis), n) in own.iter().zip(&more) {
        cx.walk.open.insert(a, n.clone());
        bind(cx, i, axis, n)?;
    }
    if let Some(m) = max {
        cx.walk.named(cx.f, cx.op, &made);
        enter(cx.walk, f, &asked, &inside)?;
        let again = cx.region(0, &made)?;
        let go = again.first().cloned().ok_or_else(|| broken("a loop without a condition"))?;
        let ok = cx.un("not", &go);
        cx.check_as(Code::E0712, ok, &format!("`while` takes at most max_trips = {} trips", m.display(f)))?;
    }
    let mut fill = more.iter().skip(own.len() + kept.len());
    for (j, c) in kept.iter().enumerate() {
        let (buffer, trips) = more.get(own.len() + j).zip(more.last()).ok_or_else(|| broken("a loop"))?;
        made.push(c.end(cx, carries + j, buffer, trips, if c.ragged { fill.next() } else { None })?);
    }
    Ok(made)
}

/// A counter and a `while`: what is cut is read at it, what is collected written there.
pub(super) fn scan(cx: &mut Cx) -> Result<Vec<Val>> {
    let d = ScanDims::of(cx.func(), cx.op())?;
    let f = cx.f;
    let &[r] = cx.op().regions.as_slice() else { return Err(broken("a loop without a body")) };
    let outs = (0..cx.op().results.len()).map(|i| cx.result(i)).collect::<Result<Vec<Ty>>>()?;
    let args = cx.args().to_vec();
    let (carry, xs) = args.split_at(d.carry.min(args.len()));
    let yields = f.region(r).yields.clone();
    let parts = yields.get(d.carry..).unwrap_or_default();
    let kept = collected(cx, d.carry, parts, &d.collect, d.reverse)?;
    let (own, fixed): (Vec<_>, Vec<_>) = own_extents(f, r).into_iter().partition(|o| o.1 < d.carry);
    for (a, i, axis) in fixed {
        // What is cut lacks an axis.
        let cut = i.checked_sub(d.carry).and_then(|k| d.cut.get(k)).ok_or_else(|| broken("a cut"))?;
        let &v = cx.op().operands.get(i).ok_or_else(|| broken("an operand"))?;
        let count = cx.count_of(&dim(f, v, if axis < *cut { axis } else { axis + 1 })?)?;
        cx.walk.open.insert(a, count);
    }
    let exact = cx.walk.is_exact(&d.length);
    let zero = cx.int(0)?;
    let mut inits = vec![zero.clone()];
    for (x, &p) in carry.iter().zip(&f.region(r).params) {
        let want = cx.walk.ty(f, f.ty(p))?;
        inits.push(cx.walk.fitted(x, &want).ok_or_else(|| broken("a loop with operands of other types"))??);
    }
    for &(_, i, axis) in &own {
        let &v = cx.op().operands.get(i).ok_or_else(|| broken("an operand"))?;
        inits.push(cx.count_of(&dim(f, v, axis)?)?);
    }
    if exact && cx.extent(&d.length)? <= 0 && own.is_empty() {
        inits.remove(0);
        for ty in outs.iter().skip(d.carry) {
            inits.push(cx.splat(ty, 0.0)?);
        }
        for (j, c) in kept.iter().enumerate() {
            let buffer = inits.get(d.carry + j).cloned().ok_or_else(|| broken("a loop"))?;
            let start = c.start(cx)?;
            c.end(cx, d.carry + j, &buffer, &zero, c.ragged.then_some(&start))?;
        }
        return Ok(inits);
    }
    let trips = cx.count_of(&d.length)?;
    for c in &kept {
        inits.push(cx.splat(&c.room, 0.0)?);
    }
    for c in kept.iter().filter(|c| c.ragged) {
        inits.push(c.start(cx)?);
    }
    let all = inits.len();
    let mut params: Vec<Val> = inits.iter().map(|v| cx.val(v.ty.clone())).collect();
    for ((a, ..), p) in own.iter().zip(params.iter().skip(1 + d.carry)) {
        cx.walk.open.insert(*a, p.clone());
    }
    let i = params.first().cloned().ok_or_else(|| broken("a loop"))?;
    let (cond, go) = cx.block(|w| Ok(w.compare("LT", &i, &trips)))?;
    // The body of the region stands between what reads and what writes.
    let opened = cx.open();
    let made = trip(cx, &d, &trips, &params, xs, &own, &kept);
    let block = cx.close(opened);
    let (mut ys, outcomes) = made?;
    let (block, ends, more, starts) = joined(cx, block, &outcomes)?;
    params.extend(more);
    inits.extend(starts);
    ys.extend(ends);
    let mut made = cx.looped(&inits, &params, (cond, &go), (block, &ys));
    let flags = made.split_off(all);
    hand_out(cx, outcomes, flags)?;
    made.remove(0);
    let more = made.split_off(d.carry);
    for (&(_, i, axis), n) in own.iter().zip(&more) {
        bind(cx, i, axis, n)?;
    }
    let mut fill = more.iter().skip(own.len() + kept.len());
    for (j, c) in kept.iter().enumerate() {
        let buffer = more.get(own.len() + j).ok_or_else(|| broken("a loop"))?;
        made.push(c.end(cx, d.carry + j, buffer, &trips, if c.ragged { fill.next() } else { None })?);
    }
    Ok(made)
}
/// One trip: the next counter, carries, their extents, buffers, how far these are filled, and what is checked.
fn trip(
    cx: &mut Cx,
    d: &ScanDims,
    trips: &Val,
    params: &[Val],
    xs: &[Val],
    own: &[(Atom, usize, usize)],
    kept: &[Collected],
) -> Result<(Vec<Val>, Vec<Outcome>)> {
    let f = cx.f;
    let (i, rest) = params.split_first().ok_or_else(|| broken("a loop"))?;
    let (carry, rest) = rest.split_at(d.carry.min(rest.len()));
    let buffers = rest.get(own.len()..).unwrap_or_default();
    let one = cx.int(1)?;
    let at = if d.reverse {
        let last = cx.bin("subtract", trips, &one);
        cx.bin("subtract", &last, i)
    } else {
        i.clone()
    };
    let zero = cx.int(0)?;
    let place = |rank: usize, axis: usize, at: &Val| -> Vec<Val> {
        (0..rank).map(|a| if a == axis { at.clone() } else { zero.clone() }).collect()
    };
    let mut args = carry.to_vec();
    for (x, &axis) in xs.iter().zip(&d.cut) {
        let mut sizes = x.dims().to_vec();
        *sizes.get_mut(axis).ok_or_else(|| broken("an axis"))? = 1;
        let one = cx.dynamic_slice(x, &place(x.rank(), axis, &at), &sizes);
        sizes.remove(axis);
        args.push(cx.reshape(&one, &sizes));
    }
    // Statements of a region that are not a block of their own; what is checked in them is.
    let (ys, outcomes) = cx.walk.within(f, cx.op, &args)?;
    let mut out = vec![cx.bin("add", i, &one)];
    for (y, p) in ys.iter().zip(carry) {
        out.push(cx.walk.fitted(y, &p.ty).ok_or_else(|| broken("a loop that gives other types"))??);
    }
    let yields = cx.op().regions.first().map(|&r| f.region(r).yields.clone()).unwrap_or_default();
    for &(_, i, axis) in own {
        let &y = yields.get(i).ok_or_else(|| broken("a loop that gives too little"))?;
        out.push(cx.count_of(&dim(f, y, axis)?)?);
    }
    let (mut fills, mut fill) = (vec![], buffers.iter().skip(kept.len()));
    for (j, c) in kept.iter().enumerate() {
        let got = (ys.get(d.carry + j), buffers.get(j));
        let (Some(y), Some(buffer)) = got else { return Err(broken("a loop that gives too little")) };
        let behind = if c.ragged { fill.next() } else { None };
        let (buffer, behind) = c.put(cx.walk, f, y, buffer, &at, behind)?;
        out.push(buffer);
        fills.extend(behind);
    }
    out.extend(fills);
    Ok((out, outcomes))
}
