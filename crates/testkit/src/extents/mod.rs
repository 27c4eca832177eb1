//! Every kind of extent: samples are built again with symbols, then with existentials (values that are cut to extents which
//! other values decide), in place of the exact extents of their parameters. Both verify, print, read back, and run on every
//! backend with the results of the exact program and its derivatives of the first and second order; compiled once they do
//! so at other sizes as well, 0 among them.
mod case;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use tfc_ir::{Code, DType, OpDef, Tensor};

use crate::Part;
use crate::again::{Axis, How, Made, again, alone, axes};
use crate::context::{Checked, Cx, Found};
use crate::layouts::corner;
use crate::tensors::{close, sum_of_squares};
use case::{Case, ORDERS, Outcome, lowered};

pub(crate) fn sweep(cx: &Cx, def: &'static OpDef, found: &mut Found) {
    let mut refused = BTreeSet::new();
    for dtype in tfc_ir::sample::DTYPES {
        let (m, list) = cx.samples_or_fault(def, dtype, found);
        for (i, s) in list.iter().enumerate() {
            let src = match m.func(s.func) {
                Ok(f) if f.params().iter().all(|&p| f.ty(p).is_exact()) => f,
                _ => continue,
            };
            let derivatives = &ORDERS[..if dtype == DType::F64 { 2 } else { 1 }];
            let case = Case {
                cx,
                def,
                m: alone(&m, s.func),
                src,
                domains: &s.domains,
                dtype,
                seed: 5 + i as u64,
                derivatives,
                known: RefCell::default(),
            };
            for (how, mode) in [(How::Symbols, "symbols"), (How::Existentials, "existentials")] {
                let done = agrees(&case, &how, mode, &mut refused, found);
                found.case(done, || format!("{dtype}, sample {i}, {mode}"));
            }
        }
    }
    let exact: BTreeSet<String> =
        cx.exceptions.exact.iter().filter(|e| e.0 == def.name).map(|e| e.1.to_owned()).collect();
    for what in refused.difference(&exact) {
        found.fault(format!("it needs an extent to be exact, and is not listed: {what}"));
    }
    for what in exact.difference(&refused) {
        found.fault(format!("it is listed as a row that needs an exact extent, and does not: {what}"));
    }
}

/// The function with as few exact axes as it accepts, and the code of the error that the first refusal had: when it is
/// built, or by a guard when it runs at the sample's own sizes (an axis that is repeated is a literal 1).
fn general(case: &Case, how: &How) -> Checked<(Made, BTreeSet<Axis>, Option<Code>)> {
    let all = axes(&case.src);
    let mut subsets: Vec<u32> = (0..1 << all.len()).collect();
    subsets.sort_by_key(|s| s.count_ones());
    let mut why = None;
    for s in subsets {
        let kept: BTreeSet<Axis> = (0..all.len()).filter(|i| s >> i & 1 == 1).map(|i| all[i]).collect();
        let m = case.m.fork();
        let code = match again(&m, &case.src, how, &kept, false) {
            Ok(made) => {
                let args = case.arguments(&made, &kept, &BTreeMap::new())?;
                match case.cx.interp(&lowered(false, case.cx, &alone(&m, made.func))?, made.func, &args) {
                    Err(e) if e.data().code == Code::E0420 => Code::E0420,
                    _ => return Ok((made, kept, why)),
                }
            }
            Err(e) => e.data().code,
        };
        why.get_or_insert(code);
    }
    Err(format!("is refused even with exact extents: {why:?}"))
}

fn same(what: &str, tolerance: f64, want: &[Outcome], got: &[Outcome]) -> Checked {
    if want.len() != got.len() {
        return Err(format!("{what}: one has a derivative that the other has not"));
    }
    for (i, pair) in want.iter().zip(got).enumerate() {
        let part = ["result", "gradient", "second derivative"][i.min(2)];
        match pair {
            (Ok(x), Ok(y)) => {
                if let Some(k) = (0..x.len()).find(|&k| !close(&y[k], &x[k], tolerance)) {
                    return Err(format!("{what}: {part} {k} is {:?}, not {:?}", y[k], x[k]));
                }
            }
            (Err(_), Err(_)) => {}
            (x, y) => return Err(format!("{what}: {part}: exact {x:?}, general {y:?}")),
        }
    }
    Ok(())
}

/// The sample's own sizes; each of them 0, all of them 0, all of them larger.
fn sizes(case: &Case, kept: &BTreeSet<Axis>) -> Vec<BTreeMap<i64, i64>> {
    let values: BTreeSet<i64> = axes(&case.src)
        .into_iter()
        .filter(|a| !kept.contains(a))
        .filter_map(|(p, k)| case.src.ty(case.src.params()[p]).dims[k].as_exact())
        .collect();
    let mut sizes: Vec<BTreeMap<i64, i64>> = vec![BTreeMap::new()];
    sizes.extend(values.iter().map(|&v| BTreeMap::from([(v, 0)])));
    sizes.push(values.iter().map(|&v| (v, 0)).collect());
    sizes.push(values.iter().map(|&v| (v, v + 1)).collect());
    sizes
}
/// The sample made general: one compilation, several sizes.
fn agrees(case: &Case, how: &How, mode: &'static str, refused: &mut BTreeSet<String>, found: &mut Found) -> Checked {
    let (made, kept, why) = general(case, how)?;
    refused.extend(why.map(|code| format!("{mode} {code}")));
    found.count("axes", axes(&case.src).len());
    found.count("axes that stay exact", kept.len());
    let built = case.build(how, &kept)?.map_err(|e| e.to_string())?;
    for what in &["first derivatives", "second derivatives"][..built.derivatives()] {
        found.count(what, 1);
    }
    let all = built.compiled(case.cx)?;
    for to in sizes(case, &kept) {
        let what = format!("with {to:?} (kept {kept:?})");
        let args = case.inputs(&kept, &to)?;
        let given = case.arguments(&made, &kept, &to)?;
        let mut got =
            all.iter().map(|b| b.run(&given)).collect::<Checked<Vec<_>>>().map_err(|e| format!("{what}: {e}"))?;
        if !made.cuts.is_empty() {
            uncut(case, &args, &mut got).map_err(|e| format!("{what}: {e}"))?;
        }
        let empty = to.values().any(|v| *v == 0);
        match case.exact(&kept, &to)? {
            Ok(exact) => {
                same(&what, built.tolerance(), &exact, &got)?;
                if empty {
                    let part = if got[0].is_ok() { Part::Empty } else { Part::EmptyRefused };
                    found.ran.insert((case.dtype, part));
                }
            }
            // What is refused when it is compiled with these sizes fails when the general program runs at them.
            Err(e) if got[0].is_ok() => return Err(format!("{what}: exact is refused: {e}, general runs")),
            Err(_) if empty => drop(found.ran.insert((case.dtype, Part::EmptyRefused))),
            Err(_) => {}
        }
    }
    Ok(())
}
/// Derivatives by arguments that were longer become those by `args`: what was cut away has none.
fn uncut(case: &Case, args: &[Tensor], got: &mut [Outcome]) -> Checked {
    let wrt = case.wrt();
    for (order, list) in got.iter_mut().enumerate().skip(1) {
        let Ok(list) = list else { continue };
        // `hvp` gives the value first.
        for (k, g) in list.iter_mut().skip(order - 1).enumerate() {
            let inner = corner(g, args[wrt[k % wrt.len()]].shape())?;
            let (all, own) = (sum_of_squares(g), sum_of_squares(&inner));
            if (all - own).abs() > 1e-9 * (1.0 + own) || (all.is_nan() && !own.is_nan()) {
                return Err(format!("the derivative reaches what was cut away: {g:?}"));
            }
            *g = inner;
        }
    }
    Ok(())
}
