//! Derivatives of a row against its own numbers: on samples of every dtype, `jvp` agrees with central differences, `vjp` with
//! `jvp` by ⟨ȳ, J ẋ⟩ = ⟨Jᵀ ȳ, ẋ⟩, and both leave the results bit for bit; the same once more for `jvp` of `jvp`. (In single
//! precision and below there are no differences.) Samples of dtypes without derivatives at least run; floating values inside them are differentiated all the same.
//!
//! Complex numbers count as pairs of reals: ⟨a, b⟩ = Re(conj(a) b) is the dot product of the pairs, and a difference along a
//! tangent is a derivative over the reals. So nothing here knows of conventions or of holomorphic functions.
use std::cell::Cell;

use tfc_ir::op::Linearize;
use tfc_ir::ops::derivative::{JVP, VJP};
use tfc_ir::sample::{Domain, Draw, Sample};
use tfc_ir::{Attr, Builder, Code, DType, FuncId, Module, NewOp, OpDef, Result, Tensor, Type};

use crate::Part;
use crate::again::alone;
use crate::context::{Checked, Cx, Found, coarse, expand, listed, show, tame, types};
use crate::tensors::{dot, moved, reals};

pub(crate) fn sweep(cx: &Cx, def: &'static OpDef, found: &mut Found) {
    let (other, shown) = (listed(cx.exceptions.other_derivative, def), Cell::new(false));
    let other = other.then_some(&shown);
    for dtype in DType::WIDE.into_iter().chain([DType::BF16, DType::F16, DType::F8E5M2]) {
        let first = cx.samples_or_fault(def, dtype, found);
        // A row makes the same samples each time.
        let second = cx.samples(def, dtype);
        for i in 0..first.1.len() {
            for (seed, built) in [(1, Ok(&first)), (2, second.as_ref())] {
                let mut ran = vec![];
                let sample = built.map_err(String::clone).and_then(|(m, list)| {
                    let s = list.get(i).ok_or("the row makes other samples each time")?;
                    Ok((m, s))
                });
                let done = sample.and_then(|sample| one(cx, def, sample, (2, seed), other, &mut ran));
                if done.is_ok() {
                    found.ran.extend(ran.into_iter().map(|part| (dtype, part)));
                }
                found.case(done, || format!("{dtype}, sample {i}, seed {seed}"));
            }
        }
    }
    if other.is_some() && !shown.get() {
        found.fault("it is listed as a row with another derivative, and differences do not show it");
    }
}
/// One sample, up to derivatives of this order.
fn one(
    cx: &Cx,
    def: &'static OpDef,
    (m, sample): (&Module, &Sample),
    (order, seed): (usize, u64),
    other: Option<&Cell<bool>>,
    ran: &mut Vec<Part>,
) -> Checked {
    let mut m = alone(m, sample.func);
    let mut x = tame(def, sample.inputs(&m, seed).map_err(show)?)?;
    let mut f = sample.func;
    let expect = match (def.linearize, other) {
        (Linearize::Never(_), _) => Expect::Refusal,
        (_, Some(shown)) => Expect::Other(shown),
        _ => Expect::Value,
    };
    for k in 1..=order {
        match check(cx, &mut m, f, &x, seed + k as u64, &expect).map_err(|e| format!("order {k}: {e}"))? {
            Came::Right(next, inputs) => {
                (f, x) = (next, inputs);
                ran.extend(if k == 1 { vec![Part::Jvp, Part::Vjp] } else { vec![Part::Second] });
            }
            Came::Refused => {
                ran.push(Part::NoDerivative);
                return Ok(());
            }
            Came::Nothing => return Ok(()),
        }
    }
    Ok(())
}
fn inexact(types: &[Type]) -> Vec<usize> {
    (0..types.len()).filter(|&i| types[i].dtype.is_inexact()).collect()
}

/// A function that applies `jvp` or `vjp` to `f`; `extra` are the types of tangents or cotangents.
fn derived(m: &Module, f: FuncId, def: &'static OpDef, wrt: &[usize], extra: &[Type]) -> Result<FuncId> {
    let src = m.func(f)?;
    let mut b = Builder::new(m, &format!("{}.by_{}", src.name, def.name));
    let mut xs: Vec<_> = src.params().iter().map(|&p| b.param(src.ty(p).clone(), &src.value(p).name)).collect();
    xs.extend(extra.iter().map(|t| b.param(t.clone(), "e")));
    let op = NewOp::new(def, &xs).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(wrt));
    let ys = b.emit(op)?;
    Ok(m.add(b.finish(ys)?))
}
fn select<T: Clone>(list: &[T], at: &[usize]) -> Vec<T> {
    at.iter().map(|&i| list[i].clone()).collect()
}

/// What is expected of the derivative of a sample.
#[derive(PartialEq)]
enum Expect<'a> {
    /// That of the function.
    Value,
    /// Not that of the function: both modes still agree, and whether differences show it is noted.
    Other(&'a Cell<bool>),
    /// The row has none: an error with this code.
    Refusal,
}
/// What came of it.
enum Came {
    /// Nothing in it has a derivative.
    Nothing,
    /// It is refused, as it has to be.
    Refused,
    /// Both derivatives are right: the function that `jvp` gave, and its inputs.
    Right(FuncId, Vec<Tensor>),
}
/// Checks derivatives of `f` at `x`.
fn check(cx: &Cx, m: &mut Module, f: FuncId, x: &[Tensor], seed: u64, expect: &Expect<'_>) -> Checked<Came> {
    let plain = {
        let mut fork = m.fork();
        expand(&mut fork).map_err(|e| format!("expansion: {e}"))?;
        fork
    };
    let y = cx.interp(&plain, f, x).map_err(|e| format!("primal: {e}"))?;
    let (wrt, outs) = (inexact(&types(x)), inexact(&types(&y)));
    if wrt.is_empty() || outs.is_empty() {
        return Ok(Came::Nothing);
    }
    let mut draw = Draw::new(seed);
    let mut random = |t: &Type| draw.tensor(t, Domain::Any).map_err(show);
    let dx = types(&select(x, &wrt)).iter().map(&mut random).collect::<Checked<Vec<_>>>()?;
    let cy = types(&select(&y, &outs)).iter().map(&mut random).collect::<Checked<Vec<_>>>()?;
    let forward = derived(m, f, &JVP, &wrt, &types(&dx)).map_err(|e| format!("jvp: {e}"))?;
    let mut all = m.fork();
    let backward = derived(&all, f, &VJP, &wrt, &types(&cy)).map_err(|e| format!("vjp: {e}"))?;
    match (expand(&mut all), expect) {
        (Ok(()), Expect::Value | Expect::Other(_)) => {}
        (Err(e), Expect::Refusal) if e.error.data().code == Code::E0503 => return Ok(Came::Refused),
        (Err(e), _) => return Err(format!("expansion: {e}")),
        (Ok(()), Expect::Refusal) => return Err("the row has no derivative, yet `jvp` and `vjp` expand".into()),
    }
    let inputs = [x, &dx].concat();
    let by_jvp = cx.interp(&all, forward, &inputs).map_err(|e| format!("jvp: {e}"))?;
    let by_vjp = cx.interp(&all, backward, &[x, &cy].concat()).map_err(|e| format!("vjp: {e}"))?;
    let n = y.len();
    for (what, got) in [("jvp", &by_jvp), ("vjp", &by_vjp)] {
        if let Some(i) = (0..n).find(|&i| !got[i].same(&y[i])) {
            return Err(format!("{what} changes result {i}: {:?} instead of {:?}", got[i], y[i]));
        }
    }
    let (dy, back) = (&by_jvp[n..], &by_vjp[n..]);
    let coarse = coarse(m);
    let (a, b) = (dot(&cy, dy), dot(back, &dx));
    let close = coarse.unwrap_or(1e-12);
    let agree = (a.0 - b.0).abs() <= close * (a.1 + b.1 + 1.0);
    if !agree {
        return Err(format!("<ct, J d> = {} but <J^T ct, d> = {}", a.0, b.0));
    }
    if coarse.is_none() {
        let agree = differences(cx, (&plain, f), x, (&wrt, &outs), &dx, dy);
        match expect {
            Expect::Other(shown) => shown.set(shown.get() || agree.is_err()),
            _ => agree?,
        }
    }
    Ok(Came::Right(forward, inputs))
}
/// Central differences along `dx`, of fourth order: the error is about 1e-11 for smooth functions of order one.
fn differences(
    cx: &Cx,
    (m, f): (&Module, FuncId),
    x: &[Tensor],
    at: (&[usize], &[usize]),
    dx: &[Tensor],
    dy: &[Tensor],
) -> Checked {
    let h = 1e-4;
    let side = |h: f64| -> Checked<Vec<Vec<f64>>> {
        let mut x = x.to_vec();
        for (&i, d) in at.0.iter().zip(dx) {
            x[i] = moved(&x[i], d, h)?;
        }
        let y = cx.interp(m, f, &x).map_err(|e| format!("difference: {e}"))?;
        Ok(select(&y, at.1).iter().map(reals).collect())
    };
    let (p1, m1, p2, m2) = (side(h)?, side(-h)?, side(2.0 * h)?, side(-2.0 * h)?);
    for (i, dy) in dy.iter().enumerate() {
        let dy = reals(dy);
        let largest = dy.iter().chain(&p1[i]).fold(1.0f64, |a, x| a.max(x.abs()));
        for (k, &got) in dy.iter().enumerate() {
            let want = (8.0 * (p1[i][k] - m1[i][k]) - (p2[i][k] - m2[i][k])) / (12.0 * h);
            let agree = (got - want).abs() <= 1e-7 * largest;
            if !agree {
                return Err(format!("tangent {i}, element {k}: {got}, but differences give {want}"));
            }
        }
    }
    Ok(())
}
