//! Every row against its own numbers: on the samples of each row and dtype, `jvp` agrees with central differences, `vjp`
//! with `jvp` by ⟨ȳ, J ẋ⟩ = ⟨Jᵀ ȳ, ẋ⟩, and both leave the results bit for bit; the same once more for `jvp` of `jvp`.
//!
//! Complex numbers count as pairs of reals: ⟨a, b⟩ = Re(conj(a) b) is the dot product of the pairs, and a difference along a
//! tangent is a derivative over the reals. So nothing here knows of conventions or of holomorphic functions.
use std::sync::Arc;
use tfc_backends::interp::{Interp, RunOptions};
use tfc_ir::op::Linearize;
use tfc_ir::ops::control::STOP_GRADIENT;
use tfc_ir::ops::derivative::{JVP, VJP};
use tfc_ir::sample::{Domain, Draw, Sample, SampleCx};
use tfc_ir::*;
use tfc_passes::Pipeline;

type Checked<T = ()> = std::result::Result<T, String>;

fn show(e: impl std::fmt::Display) -> String {
    e.to_string()
}
/// A fresh module with the samples of a row.
fn samples(def: &'static OpDef, dtype: DType) -> Checked<(Module, Vec<Sample>)> {
    let m = Module::new(Arc::new(OpSet::core()));
    let list = (def.sample)(&SampleCx { m: &m, def, dtype }).map_err(|e| format!("the sample does not build: {e}"))?;
    Ok((m, list))
}
fn run(m: &Module, f: FuncId, args: &[Tensor]) -> Checked<Vec<Tensor>> {
    Interp::new(m).run(f, args, &RunOptions::default()).map_err(show)
}
fn expand(m: &mut Module) -> Result<(), tfc_passes::PassError> {
    Pipeline::parse("expand-ad,expand")?.run(m, &mut |_| {}).map(|_| ())
}
fn inexact(types: &[Type]) -> Vec<usize> {
    (0..types.len()).filter(|&i| types[i].dtype.is_inexact()).collect()
}

/// A tensor as reals, complex elements as pairs; empty for other dtypes.
fn reals(t: &Tensor) -> Vec<f64> {
    fn all<T: Element>(t: &Tensor, f: impl Fn(T) -> Vec<f64>) -> Vec<f64> {
        t.to_logical::<T>().unwrap_or_default().into_iter().flat_map(f).collect()
    }
    match t.dtype() {
        DType::F32 => all::<f32>(t, |x| vec![f64::from(x)]),
        DType::F64 => all::<f64>(t, |x| vec![x]),
        DType::C32 => all::<C32>(t, |x| vec![f64::from(x.re), f64::from(x.im)]),
        DType::C64 => all::<C64>(t, |x| vec![x.re, x.im]),
        _ => vec![],
    }
}
/// `x + h * dx`.
fn moved(x: &Tensor, dx: &Tensor, h: f64) -> Tensor {
    let v: Vec<f64> = reals(x).iter().zip(reals(dx)).map(|(x, d)| x + h * d).collect();
    let pairs = v.chunks(2);
    match x.dtype() {
        DType::F32 => Tensor::from_logical(x.shape(), v.iter().map(|&x| x as f32).collect()),
        DType::C32 => Tensor::from_logical(x.shape(), pairs.map(|p| C32::new(p[0] as f32, p[1] as f32)).collect()),
        DType::C64 => Tensor::from_logical(x.shape(), pairs.map(|p| C64::new(p[0], p[1])).collect()),
        _ => Tensor::from_logical(x.shape(), v),
    }
}
fn dot(a: &[Tensor], b: &[Tensor]) -> (f64, f64) {
    let products = a.iter().zip(b).flat_map(|(a, b)| {
        let (a, b) = (reals(a), reals(b));
        a.into_iter().zip(b).map(|(x, y)| x * y).collect::<Vec<_>>()
    });
    products.fold((0.0, 0.0), |s, p| (s.0 + p, s.1 + p.abs()))
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
fn types(of: &[Tensor]) -> Vec<Type> {
    of.iter().map(|t| Type::exact(t.dtype(), t.shape())).collect()
}
fn select<T: Clone>(list: &[T], at: &[usize]) -> Vec<T> {
    at.iter().map(|&i| list[i].clone()).collect()
}

/// What is expected of the derivative of a sample.
#[derive(PartialEq)]
enum Expect {
    /// That of the function.
    Value,
    /// Not that of the function: both modes still agree.
    Other,
    /// The row has none: an error with this code.
    Refusal,
}
/// Checks derivatives of `f` at `x`; returns the function that `jvp` gave with its inputs, for the next order.
fn check(
    m: &mut Module,
    f: FuncId,
    x: &[Tensor],
    seed: u64,
    expect: &Expect,
) -> Checked<Option<(FuncId, Vec<Tensor>)>> {
    let plain = {
        let mut fork = m.fork();
        expand(&mut fork).map_err(|e| format!("expansion: {e}"))?;
        fork
    };
    let y = run(&plain, f, x).map_err(|e| format!("primal: {e}"))?;
    let (wrt, outs) = (inexact(&types(x)), inexact(&types(&y)));
    if wrt.is_empty() || outs.is_empty() {
        return Ok(None);
    }
    let mut draw = Draw::new(seed);
    let mut random = |t: &Type| draw.tensor(t, Domain::Any).map_err(show);
    let dx = types(&select(x, &wrt)).iter().map(&mut random).collect::<Checked<Vec<_>>>()?;
    let cy = types(&select(&y, &outs)).iter().map(&mut random).collect::<Checked<Vec<_>>>()?;
    let forward = derived(m, f, &JVP, &wrt, &types(&dx)).map_err(|e| format!("jvp: {e}"))?;
    let mut all = m.fork();
    let backward = derived(&all, f, &VJP, &wrt, &types(&cy)).map_err(|e| format!("vjp: {e}"))?;
    match (expand(&mut all), expect) {
        (Ok(()), Expect::Value | Expect::Other) => {}
        (Err(e), Expect::Refusal) if e.error.data().code == "E0503" => return Ok(None),
        (Err(e), _) => return Err(format!("expansion: {e}")),
        (Ok(()), Expect::Refusal) => return Err("the row has no derivative, yet `jvp` and `vjp` expand".into()),
    }
    let inputs = [x, &dx].concat();
    let by_jvp = run(&all, forward, &inputs).map_err(|e| format!("jvp: {e}"))?;
    let by_vjp = run(&all, backward, &[x, &cy].concat()).map_err(|e| format!("vjp: {e}"))?;
    let n = y.len();
    for (what, got) in [("jvp", &by_jvp), ("vjp", &by_vjp)] {
        if let Some(i) = (0..n).find(|&i| !got[i].same(&y[i])) {
            return Err(format!("{what} changes result {i}: {:?} instead of {:?}", got[i], y[i]));
        }
    }
    let (dy, cx) = (&by_jvp[n..], &by_vjp[n..]);
    let single = |f: &Func| f.values.iter().any(|v| matches!(v.ty.dtype, DType::F32 | DType::C32));
    let single = m.funcs().iter().any(|(_, f)| single(f));
    let (a, b) = (dot(&cy, dy), dot(cx, &dx));
    let close = if single { 1e-5 } else { 1e-12 };
    let agree = (a.0 - b.0).abs() <= close * (a.1 + b.1 + 1.0);
    if !agree {
        return Err(format!("<ct, J d> = {} but <J^T ct, d> = {}", a.0, b.0));
    }
    if !single && *expect == Expect::Value {
        differences(&plain, f, x, (&wrt, &outs), &dx, dy)?;
    }
    Ok(Some((forward, inputs)))
}
/// Central differences along `dx`, of fourth order: the error is about 1e-11 for smooth functions of order one.
fn differences(m: &Module, f: FuncId, x: &[Tensor], at: (&[usize], &[usize]), dx: &[Tensor], dy: &[Tensor]) -> Checked {
    let h = 1e-4;
    let side = |h: f64| -> Checked<Vec<Vec<f64>>> {
        let mut x = x.to_vec();
        for (&i, d) in at.0.iter().zip(dx) {
            x[i] = moved(&x[i], d, h);
        }
        let y = run(m, f, &x).map_err(|e| format!("difference: {e}"))?;
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

/// All rows on one dtype, up to derivatives of this order; every failure is reported with its row.
fn sweep(dtype: DType, order: usize) {
    let mut failures = vec![];
    let mut count = 0;
    for def in OpSet::core().iter() {
        let list = match samples(def, dtype) {
            Ok((_, list)) => list.len(),
            Err(e) => {
                failures.push(format!("{} on {dtype}: {e}", def.name));
                continue;
            }
        };
        for i in 0..list {
            for seed in [1, 2] {
                count += 1;
                if let Err(e) = one(def, dtype, i, order, seed) {
                    failures.push(format!("{} on {dtype}, sample {i}, seed {seed}: {e}", def.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count} samples fail:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 20, "only {count} samples on {dtype}");
}
fn one(def: &'static OpDef, dtype: DType, i: usize, order: usize, seed: u64) -> Checked {
    let (mut m, list) = samples(def, dtype)?;
    let mut x = list[i].inputs(&m, seed).map_err(show)?;
    let mut f = list[i].func;
    if dtype.is_complex() && !def.regions.is_empty() {
        // Iterated functions of large complex numbers leave every range.
        x = x.iter().map(|x| if x.dtype().is_complex() { moved(x, x, -0.8) } else { x.clone() }).collect();
    }
    let expect = match def.linearize {
        Linearize::Never(_) => Expect::Refusal,
        _ if def.is(&STOP_GRADIENT) => Expect::Other,
        _ => Expect::Value,
    };
    for k in 1..=order {
        match check(&mut m, f, &x, seed + k as u64, &expect).map_err(|e| format!("order {k}: {e}"))? {
            Some(next) => (f, x) = next,
            None => return Ok(()),
        }
    }
    Ok(())
}

#[test]
fn f64_twice() {
    sweep(DType::F64, 2);
}
#[test]
fn c64_twice() {
    sweep(DType::C64, 2);
}
#[test]
fn f32_once() {
    sweep(DType::F32, 1);
}
#[test]
fn c32_once() {
    sweep(DType::C32, 1);
}
/// Samples of dtypes without derivatives at least run; floating values inside are differentiated all the same.
#[test]
fn integers_and_bool() {
    for dtype in [DType::Bool, DType::I32, DType::I64, DType::U32, DType::U64] {
        sweep(dtype, 1);
    }
}
