//! Functions for many indices at once give what the function gives at each index: for operands that are batched and that
//! are not, batch axes anywhere, in operands and results, and for no index at all. Bit for bit, unless the row is listed as one that
//! computes in another order.
use std::cell::Cell;

use tfc_ir::op::{Batch, Expand, Linearize};
use tfc_ir::sample::{Draw, Sample};
use tfc_ir::{Builder, Code, DType, Error, FuncId, Module, OpDef, Tensor, Type, verify};
use tfc_passes::Memo;

use crate::again::alone;
use crate::context::{Checked, Cx, Found, expand, listed, show, tame};
use crate::engines::{agree, tolerance};
use crate::layouts::{at_index, stacked};
use crate::tensors::distance;

/// Rules move axes about: what they do does not depend on the dtype, but for the kinds that these stand for.
const DTYPES: [DType; 5] = [DType::F64, DType::F32, DType::C64, DType::I64, DType::Bool];

pub(crate) fn sweep(cx: &Cx, def: &'static OpDef, found: &mut Found) {
    if matches!((def.expand, def.linearize), (Expand::Derivative(_), Linearize::Expand)) {
        return;
    }
    let (mut samples, mut refused) = (0, 0);
    let (close, shown) = (listed(cx.exceptions.other_order, def), Cell::new(false));
    let close = close.then_some(&shown);
    for dtype in DTYPES {
        let (m, list) = cx.samples_or_fault(def, dtype, found);
        for (i, s) in list.iter().enumerate() {
            match of_sample(cx, (def, &m, s), i as u64, close, &format!("{dtype}, sample {i}"), found) {
                Ok(None) => {}
                Ok(Some(n)) => {
                    samples += 1;
                    refused += n;
                }
                Err(e) => found.fault(format!("{dtype}, sample {i}: {e}")),
            }
        }
    }
    if close.is_some() && !shown.get() {
        found.fault("it is listed as a row that computes in another order, and results have the same bits");
    }
    let e = cx.exceptions;
    let (never, partly) = (listed(e.never_batched, def), listed(e.partly_batched, def));
    if matches!(def.batch, Batch::Never(_)) {
        if never || partly {
            found.fault("it is listed as a row that is refused, which the row says itself");
        }
        return;
    }
    if samples > 0 && found.cases == 0 && !never {
        found.fault("its rule is not tried");
    }
    match (refused > 0, never || partly) {
        (true, false) => found.fault(format!("refused {refused} times, and not listed")),
        (false, true) => found.fault("it is listed as a row that is refused, and is not"),
        _ => {}
    }
}
/// A sample for every choice of batch axes: how often it was refused, `None` where it has no parameter.
fn of_sample(
    cx: &Cx,
    (def, m, s): (&OpDef, &Module, &Sample),
    i: u64,
    close: Option<&Cell<bool>>,
    name: &str,
    found: &mut Found,
) -> Checked<Option<usize>> {
    let f = m.func(s.func).map_err(show)?;
    let types = f.types(f.params());
    if types.is_empty() {
        return Ok(None);
    }
    let m = &alone(m, s.func);
    let one = plain(m)?;
    let mut refused = 0;
    for (k, axes) in choices(&types, i).into_iter().enumerate() {
        // The first choice batches every parameter: it runs for no index and for one as well, and for pairs of indices.
        if k == 0 && types.iter().all(|t| t.exact_shape().is_some()) {
            let inputs = (0..PAIRS[0] * PAIRS[1]).map(|n| tame(def, s.inputs(m, 10 * i + n as u64).map_err(show)?));
            match nested(cx, (m, &one, s.func), &types, &inputs.collect::<Checked<Vec<_>>>()?, close) {
                Ok(true) => found.cases += 1,
                Ok(false) => refused += 1,
                Err(e) => found.fault(format!("{name}, a `vmap` of a `vmap`: {e}")),
            }
        }
        for count in if k == 0 { vec![3, 0, 1] } else { vec![3] } {
            let inputs = (0..count).map(|n| s.inputs(m, 10 * i + n).map_err(show)).collect::<Checked<Vec<_>>>()?;
            match compare(cx, (m, &one, s.func), &axes, &inputs, k % 2 == 1, close) {
                Ok(true) => found.cases += 1,
                Ok(false) => refused += 1,
                Err(e) => found.fault(format!("{name}, batch axes {axes:?}, {count} indices: {e}")),
            }
        }
    }
    Ok(Some(refused))
}
/// How many indices there are of each of two.
const PAIRS: [usize; 2] = [2, 3];
/// A `vmap` of a `vmap` of a function of `m`, expanded in `one`, beside the function at each pair of indices, and all engines beside each
/// other on it; false where an op refuses.
fn nested(
    cx: &Cx,
    (m, one, f): (&Module, &Module, FuncId),
    types: &[Type],
    inputs: &[Vec<Tensor>],
    close: Option<&Cell<bool>>,
) -> Checked<bool> {
    let (all, outs) = (m.fork(), vec![Some(0); m.func(f).map_err(show)?.returns().len()]);
    let ins = vec![Some(0); types.len()];
    let mut callee = f;
    let mut wide = types.to_vec();
    for n in PAIRS.into_iter().rev() {
        let made = (|| {
            let mut b = Builder::new(&all, "mapped");
            wide = wide.iter().map(|t| t.with_axis(0, n.into())).collect();
            let ps: Vec<_> = wide.iter().map(|t| b.param(t.clone(), "p")).collect();
            let ys = b.vmap(callee, vec![], (&ins, &outs), None, &ps)?.0;
            b.finish(ys)
        })();
        callee = all.add(made.map_err(show)?);
    }
    let mapped = all.fork();
    let mut all = all;
    match expand(&mut all) {
        Ok(()) => {}
        Err(e) if e.error.data().code == Code::E0508 => return Ok(false),
        Err(e) => return Err(format!("expansion: {e}")),
    }
    if let Some((g, e)) = verify::module(&all).into_iter().next() {
        return Err(format!("@{} does not verify: {e}", g.name));
    }
    let mut args = vec![];
    for (k, ty) in types.iter().enumerate() {
        let shape = ty.exact_shape().unwrap_or_default();
        let each: Vec<Tensor> = inputs.iter().map(|x| x[k].clone()).collect();
        let rows = each.chunks(PAIRS[1]).map(|r| stacked(r, 0, ty.dtype, &shape)).collect::<Checked<Vec<_>>>()?;
        args.push(stacked(&rows, 0, ty.dtype, &[&[PAIRS[1]], &shape[..]].concat())?);
    }
    let got = cx.interp(&all, callee, &args).map_err(|e| format!("for pairs: {e}"))?;
    for (i, x) in inputs.iter().enumerate() {
        let want = cx.interp(one, f, x).map_err(|e| format!("for one: {e}"))?;
        for (k, (w, g)) in want.iter().zip(&got).enumerate() {
            let g = at_index(&at_index(g, 0, i / PAIRS[1])?, 0, i % PAIRS[1])?;
            let same = g.same(w);
            if let (false, Some(shown)) = (same, close) {
                shown.set(true);
            }
            if !same && (close.is_none() || distance(&g, w) > tolerance(w)) {
                return Err(format!("result {k} at pair {i}: {g:?} for all, {w:?} for one"));
            }
        }
    }
    agree(cx, &mapped, callee, &args).map_err(|e| format!("on pairs: {e}"))?;
    Ok(true)
}
/// Which parameters are batched, and where: all in front, all behind, each alone, each but one, in the middle.
fn choices(types: &[Type], seed: u64) -> Vec<Vec<Option<usize>>> {
    let n = types.len();
    let mut draw = Draw::new(seed);
    let mut any = |t: &Type| draw.bits() as usize % (t.rank() + 1);
    let mut out = vec![vec![Some(0); n], types.iter().map(|t| Some(t.rank())).collect()];
    for i in 0..n {
        let alone = any(&types[i]);
        out.push((0..n).map(|k| (k == i).then_some(alone)).collect());
        if n > 1 {
            out.push((0..n).map(|k| if k == i { None } else { Some(any(&types[k])) }).collect());
        }
    }
    out
}
fn plain(m: &Module) -> Checked<Module> {
    let mut plain = m.fork();
    expand(&mut plain).map_err(|e| format!("expansion: {e}"))?;
    Ok(plain)
}
/// Runs a function of `m`, expanded in `one`, for all `inputs` at once, and for each; false where an op refuses. `close`: results
/// need not have the same bits, and where they have not that is said there.
fn compare(
    cx: &Cx,
    (m, one, f): (&Module, &Module, FuncId),
    axes: &[Option<usize>],
    inputs: &[Vec<Tensor>],
    behind: bool,
    close: Option<&Cell<bool>>,
) -> Checked<bool> {
    let during = |what: &str, e: Error| format!("{what}: {e}");
    let src = m.func(f).map_err(show)?;
    let all = m.fork();
    let at: Vec<usize> = src.returns().iter().map(|&y| if behind { src.ty(y).rank() } else { 0 }).collect();
    let outs: Vec<Option<usize>> = at.iter().copied().map(Some).collect();
    let made = match Memo::new(&all).batch_named(f, axes, Some(&outs), "all") {
        Ok(made) => made,
        Err(e) if e.data().code == Code::E0508 => return Ok(false),
        Err(e) => return Err(during("batching", e)),
    };
    if let Some((g, e)) = verify::module(&all).into_iter().next() {
        return Err(during(&format!("@{} does not verify", g.name), e));
    }
    // A parameter that is not batched has the first index's value.
    let value = |x: &[Tensor], k: usize| if axes[k].is_some() { x[k].clone() } else { inputs[0][k].clone() };
    let mut args = vec![];
    for (k, (a, ty)) in axes.iter().zip(src.types(src.params())).enumerate() {
        args.push(match a {
            Some(a) => {
                let each: Vec<Tensor> = inputs.iter().map(|x| x[k].clone()).collect();
                stacked(&each, *a, ty.dtype, &ty.exact_shape().unwrap_or_default())?
            }
            None => inputs[0][k].clone(),
        });
    }
    let got = cx.interp(&plain(&all)?, made.func, &args).map_err(|e| during("for all", e))?;
    for (i, x) in inputs.iter().enumerate() {
        let x: Vec<Tensor> = (0..x.len()).map(|k| value(x, k)).collect();
        let want = cx.interp(one, f, &x).map_err(|e| during("for one", e))?;
        for (k, (w, g)) in want.iter().zip(&got).enumerate() {
            let g = at_index(g, at[k], i)?;
            let same = g.same(w);
            if let (false, Some(shown)) = (same, close) {
                shown.set(true);
            }
            if !same && (close.is_none() || distance(&g, w) > tolerance(w)) {
                return Err(format!("result {k} at index {i}: {g:?} for all, {w:?} for one"));
            }
        }
    }
    Ok(true)
}
