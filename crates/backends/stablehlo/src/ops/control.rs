//! Calls, branches, loops. What is checked inside is handed out: of a branch that does not run every check holds, of a loop it
//! holds where it holds at every trip.
use tfc_ir::ops::control as c;
use tfc_ir::ops::control::{Gather, ScanDims, while_gathers};
use tfc_ir::ops::fused::FUSED;
use tfc_ir::{DType, Error, Result};

use super::Rows;
use crate::cx::Cx;
use crate::table::Spelling::By;
use crate::ty::{Ty, list, results};
use crate::walk::Outcome;
use crate::writer::{Block, Val, broken, names, types};

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

fn call(cx: &mut Cx) -> Result<Vec<Val>> {
    let sym = cx.attrs().sym("callee").cloned().ok_or_else(|| broken("a call of nothing"))?;
    let callee = cx.walk.callee(cx.f, &sym)?;
    let (name, own, said) = (callee.name.clone(), callee.results.clone(), callee.outcomes.clone());
    let outs: Vec<Ty> = own.iter().cloned().chain(said.iter().map(|o| o.1.clone())).collect();
    let args = cx.args().to_vec();
    let (ins, to) = (list(args.iter().map(|a| &a.ty)), results(&outs));
    let mut made = cx.emit_many(&outs, format_args!("func.call @{name}({}) : ({ins}) -> {to}", names(&args)));
    let more = made.split_off(own.len());
    for (value, (text, _, shown)) in more.into_iter().zip(said) {
        cx.walk.outcome(Outcome { text, value, shown })?;
    }
    Ok(made)
}

fn cond(cx: &mut Cx) -> Result<Vec<Val>> {
    let p = cx.arg(0)?;
    branches(cx, "if", &p)
}
/// A negative index takes the last region, as one beyond does; StableHLO's is an `i32`.
fn switch(cx: &mut Cx) -> Result<Vec<Val>> {
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
    let mut blocks: Vec<(Block, Vec<Val>, Vec<Outcome>)> = vec![];
    for r in 0..cx.op().regions.len() {
        blocks.push(cx.nested(r, &args)?);
    }
    let own = (0..cx.op().results.len()).map(|i| cx.result(i)).collect::<Result<Vec<Ty>>>()?;
    let checks: usize = blocks.iter().map(|b| b.2.len()).sum();
    let outs: Vec<Ty> = own.iter().cloned().chain(std::iter::repeat_n(flag(), checks)).collect();
    if outs.is_empty() {
        return Ok(vec![]);
    }
    let (mut regions, mut said, mut at) = (vec![], vec![], 0);
    for (block, ys, outcomes) in blocks {
        if types(&ys) != own {
            let text = "the branches give different extents, which StableHLO cannot say";
            return Err(Error::new("E1102", text).help("pad what they give to one exact extent"));
        }
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
    Ok(made)
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

fn repeat(cx: &mut Cx) -> Result<Vec<Val>> {
    let max = match cx.attrs().get("max_trips") {
        Some(_) => cx.extents("max_trips")?.first().copied(),
        None => None,
    };
    // How many trips there are, and with it what is collected, is decided by values.
    if !while_gathers(cx.func(), cx.op())?.is_empty() {
        let text = "how much a `while` collects is decided by values when the program runs";
        return Err(Error::new("E1102", text).help("write a `scan` of an exact length, and select what counts"));
    }
    let mut inits = cx.args().to_vec();
    let own = inits.len();
    let mut params: Vec<Val> = inits.iter().map(|v| cx.val(v.ty.clone())).collect();
    let cond = cx.nested(0, &params)?;
    super::checks::none(&cond.2)?;
    let (body, mut ys, outcomes) = cx.nested(1, &params)?;
    let (mut body, ends, more, starts) = joined(cx, body, &outcomes)?;
    params.extend(more);
    inits.extend(starts);
    ys.extend(ends);
    let (mut cond, mut go) = (cond.0, cond.1.first().cloned().ok_or_else(|| broken("a loop without a condition"))?);
    // A loop has a carry; the one that counts stops it.
    if max.is_some() || inits.is_empty() {
        let zero = cx.int(0)?;
        let count = cx.val(zero.ty.clone());
        let (block, next) = cx.resume(body, |w| {
            let one = w.int(1)?;
            Ok(w.bin("add", &count, &one))
        })?;
        body = block;
        if let Some(m) = max {
            (cond, go) = cx.resume(cond, |w| {
                let most = w.int(m)?;
                let less = w.compare("LT", &count, &most);
                Ok(w.bin("and", &go, &less))
            })?;
        }
        inits.push(zero);
        params.push(count);
        ys.push(next);
    }
    let mut made = cx.looped(&inits, &params, (cond, &go), (body, &ys));
    let more = made.split_off(own);
    let count = outcomes.len();
    hand_out(cx, outcomes, more.into_iter().take(count).collect())?;
    if let Some(m) = max {
        cx.walk.named(cx.f, cx.op, &made);
        let again = cx.region(0, &made)?;
        let go = again.first().cloned().ok_or_else(|| broken("a loop without a condition"))?;
        let ok = cx.un("not", &go);
        cx.check(ok, &format!("`while` takes at most max_trips = {m} trips"))?;
    }
    Ok(made)
}

/// A counter and a `while`: what is cut is read at it, what is collected written there.
fn scan(cx: &mut Cx) -> Result<Vec<Val>> {
    let d = ScanDims::of(cx.func(), cx.op())?;
    let trips = cx.extent(&d.length)?;
    let outs = (0..cx.op().results.len()).map(|i| cx.result(i)).collect::<Result<Vec<Ty>>>()?;
    let args = cx.args().to_vec();
    let (carry, xs) = args.split_at(d.carry.min(args.len()));
    let zero = cx.int(0)?;
    let mut inits = vec![zero];
    inits.extend(carry.iter().cloned());
    for ty in outs.iter().skip(d.carry) {
        inits.push(cx.splat(ty, 0.0)?);
    }
    if trips <= 0 {
        return Ok(inits.split_off(1));
    }
    let own = inits.len();
    let mut params: Vec<Val> = inits.iter().map(|v| cx.val(v.ty.clone())).collect();
    let i = params.first().cloned().ok_or_else(|| broken("a loop"))?;
    let (cond, go) = cx.block(|w| {
        let n = w.int(trips)?;
        Ok(w.compare("LT", &i, &n))
    })?;
    // The body of the region stands between what reads and what writes.
    let opened = cx.open();
    let made = trip(cx, &d, trips, &params, xs);
    let block = cx.close(opened);
    let (mut ys, outcomes) = made?;
    let (block, ends, more, starts) = joined(cx, block, &outcomes)?;
    params.extend(more);
    inits.extend(starts);
    ys.extend(ends);
    let mut made = cx.looped(&inits, &params, (cond, &go), (block, &ys));
    let more = made.split_off(own);
    hand_out(cx, outcomes, more)?;
    made.remove(0);
    Ok(made)
}
/// One trip: the next counter, carries and buffers, and what is checked.
fn trip(cx: &mut Cx, d: &ScanDims, trips: i64, params: &[Val], xs: &[Val]) -> Result<(Vec<Val>, Vec<Outcome>)> {
    let (i, rest) = params.split_first().ok_or_else(|| broken("a loop"))?;
    let (carry, buffers) = rest.split_at(d.carry.min(rest.len()));
    let at = if d.reverse {
        let last = cx.int(trips - 1)?;
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
    let (ys, outcomes) = cx.walk.within(cx.f, cx.op, &args)?;
    let (kept, collected) = ys.split_at(d.carry.min(ys.len()));
    let one = cx.int(1)?;
    let mut out = vec![cx.bin("add", i, &one)];
    out.extend(kept.iter().cloned());
    for ((y, buffer), how) in collected.iter().zip(buffers).zip(&d.collect) {
        let (part, axis, from) = match *how {
            Gather::Stack(axis) => {
                let mut dims = y.dims().to_vec();
                dims.insert(axis.min(dims.len()), 1);
                (cx.reshape(y, &dims), axis, at.clone())
            }
            Gather::Concat => {
                let axis = y.rank().checked_sub(1).ok_or_else(|| broken("an axis"))?;
                let by = cx.int(y.dims().get(axis).map_or(0, |&n| n as i64))?;
                let from = cx.bin("multiply", &at, &by);
                (y.clone(), axis, from)
            }
        };
        if part.ty.is_empty() {
            out.push(buffer.clone());
            continue;
        }
        out.push(cx.dynamic_update(buffer, &part, &place(buffer.rank(), axis, &from)));
    }
    Ok((out, outcomes))
}
