//! Branches of `select` that are not taken, and functions in other places: on samples of every row the derivative of what a
//! `select` did not choose is 0 in both modes, also where the row was given infinities and NaN, and the derivative of a sample
//! is the same when it is called, written out, in a branch or in a loop.
use tfc_interp::{Interp, RunOptions};
use tfc_ir::derive::pick;
use tfc_ir::ops::control::{Gather, ScanDims, WHILE};
use tfc_ir::ops::derivative::{JVP, VJP};
use tfc_ir::sample::{Domain, Draw, Sample};
use tfc_ir::{
    Attr, Builder, Code, DType, ErrorClass, Extent, Func, FuncId, Module, NewOp, OpDef, Result, Tensor, Type, ValueId,
};
use tfc_passes::Pipeline;

use crate::again::alone;
use crate::context::{Checked, Cx, Found, expand, show, tame};
use crate::tensors::{close, reals};

/// More ops than any sample runs: what goes on is a loop that infinities keep from ending.
const FUEL: u64 = 200_000;

pub(crate) fn sweep(cx: &Cx, def: &'static OpDef, found: &mut Found) {
    for dtype in [DType::F64, DType::C64] {
        let (m, list) = cx.samples_or_fault(def, dtype, found);
        for (i, s) in list.iter().enumerate() {
            for poison in [0.0, f64::NAN] {
                for each in [false, true] {
                    let done = untaken(cx, def, (&m, s), poison, each, Place::Here);
                    let name = || format!("{dtype}, sample {i}, divided by {poison}, a predicate for {}", of(each));
                    count(found, "branches", done, name);
                }
            }
            if dtype != DType::F64 {
                continue;
            }
            for place in PLACES {
                count(found, "places", moved(cx, def, (&m, s), place), || format!("sample {i}, {place:?}"));
                let done = untaken(cx, def, (&m, s), f64::NAN, true, place);
                count(found, "branches", done, || format!("sample {i}, not taken, {place:?}"));
            }
        }
    }
}
fn of(each: bool) -> &'static str {
    if each { "each element" } else { "all" }
}
/// Counts a case where something was compared.
fn count(found: &mut Found, what: &'static str, done: Checked<bool>, name: impl FnOnce() -> String) {
    if let Ok(true) = done {
        found.count(what, 1);
    }
    found.case(done.map(drop), name);
}

/// Where a function stands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Here,
    Called,
    Branch { called: bool },
    Scan { called: bool },
    While { called: bool },
}
const PLACES: [Place; 7] = [
    Place::Called,
    Place::Branch { called: true },
    Place::Branch { called: false },
    Place::Scan { called: true },
    Place::Scan { called: false },
    Place::While { called: true },
    Place::While { called: false },
];
/// A function of the parameters of `f` with its results, which stands in that place there; `None` where its results have
/// extents that only it binds, or are none.
fn placed(m: &mut Module, f: FuncId, place: Place) -> Result<Option<FuncId>> {
    let src = m.func(f)?;
    if place == Place::Here {
        return Ok(Some(f));
    }
    if src.result_types.is_empty() || src.result_types.iter().any(|t| t.exact_shape().is_none()) {
        return Ok(None);
    }
    let mut b = Builder::new(m, &format!("{}.placed", src.name));
    let xs: Vec<_> = src.params().iter().map(|&p| b.param(src.ty(p).clone(), "x")).collect();
    let types = src.result_types.clone();
    let (ys, called) = match place {
        Place::Here | Place::Called => (b.call(f, None, &xs)?.0, true),
        Place::Branch { called } => {
            // Not known before it runs.
            let p = b.param(Type::scalar(DType::Bool), "p");
            let then = b.region("then", &[], |b, _| Ok(b.call(f, None, &xs)?.0))?;
            let other = b.region("else", &[], |b, _| types.iter().map(|t| b.zeros(t)).collect())?;
            (b.cond(p, &[], then, other)?, called)
        }
        Place::Scan { called } => {
            let body = b.region("body", &[], |b, _| Ok(b.call(f, None, &xs)?.0))?;
            let collect = types.iter().map(|t| Gather::Stack(t.rank())).collect();
            let dims = ScanDims { length: Extent::exact(1), collect, ..ScanDims::default() };
            let stacks = b.scan(&[], &dims, body)?;
            (stacks.iter().zip(&types).map(|(&y, t)| b.reshape(y, t)).collect::<Result<_>>()?, called)
        }
        Place::While { called } => {
            let number = Type::scalar(DType::I64);
            let (zero, one) = (b.zeros(&number)?, b.splat(&number, 1.0)?);
            let mut carries = vec![zero];
            for t in &types {
                carries.push(b.zeros(t)?);
            }
            let params: Vec<(Type, &str)> = std::iter::once(&number).chain(&types).map(|t| (t.clone(), "c")).collect();
            let cond = b.region("cond", &params, |b, c| Ok(vec![b.lt(c[0], one)?]))?;
            let body = b.region("body", &params, |b, c| {
                let next = b.add(c[0], one)?;
                Ok(std::iter::once(next).chain(b.call(f, None, &xs)?.0).collect())
            })?;
            let ys = b.emit(NewOp::new(&WHILE, &carries).regions(vec![cond, body]))?;
            (ys[1..].to_vec(), called)
        }
    };
    let g = m.add(b.finish(ys)?);
    if !called {
        let mut own = Func::clone(&*m.func(g)?);
        own.export = true;
        m.define(g, own);
        Pipeline::parse("inline")?.run(m, &mut |_| {}).map_err(|e| e.error)?;
        // What is made of it is not exported either.
        let own = m.func(g)?.exported(false);
        m.define(g, own);
    }
    Ok(Some(g))
}

/// A function of the parameters of the sample, a number and a predicate: what the sample gives where the predicate holds, else
/// zeros; floating parameters are divided by the number first. `each`: the predicate has an element for each of a result.
fn branch(m: &Module, f: FuncId, each: bool) -> Result<FuncId> {
    let src = m.func(f)?;
    let mut b = Builder::new(m, &format!("{}.branch", src.name));
    let xs: Vec<_> = src.params().iter().map(|&p| b.param(src.ty(p).clone(), "x")).collect();
    let z = b.param(Type::scalar(DType::F64), "z");
    let mut given = vec![];
    for &x in &xs {
        let ty = b.ty(x);
        given.push(if ty.dtype.is_inexact() {
            let z = b.convert(z, ty.dtype)?;
            let z = b.broadcast(z, &ty, &[])?;
            b.div(x, z)?
        } else {
            x
        });
    }
    let ys = b.call(f, None, &given)?.0;
    let scalar = b.param(Type::scalar(DType::Bool), "p");
    let mut out = vec![];
    for y in ys {
        let ty = b.ty(y);
        if !ty.dtype.is_inexact() {
            continue;
        }
        let zero = b.zeros(&ty)?;
        let p = match each && ty.exact_shape().is_some() {
            true => b.param(ty.with_dtype(DType::Bool), "p"),
            false => scalar,
        };
        out.push(b.select(p, y, zero)?);
    }
    Ok(m.add(b.finish(out)?))
}
/// `vjp` or `jvp` of `f` by the parameters `wrt`.
fn derived(m: &Module, f: FuncId, def: &'static OpDef, wrt: &[usize], extra: &[Type]) -> Result<FuncId> {
    let src = m.func(f)?;
    let mut b = Builder::new(m, &format!("{}.by_{}", src.name, def.name));
    let mut xs: Vec<ValueId> = src.params().iter().map(|&p| b.param(src.ty(p).clone(), "x")).collect();
    xs.extend(extra.iter().map(|t| b.param(t.clone(), "e")));
    let op = NewOp::new(def, &xs).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(wrt));
    let ys = b.emit(op)?;
    Ok(m.add(b.finish(ys)?))
}
/// Results; `None` where it fails while it runs: on infinities many functions do, and have no derivative then either.
fn ran(cx: &Cx, m: &Module, f: FuncId, args: &[Tensor]) -> Checked<Option<Vec<Tensor>>> {
    match run(cx, m, f, args) {
        Ok(y) => Ok(Some(y)),
        // `ErrorClass::Op`: E1220 and its like, a matrix that holds an infinity.
        Err(e)
            if matches!(
                e.code().class(),
                ErrorClass::Run | ErrorClass::Limit | ErrorClass::Argument | ErrorClass::Extent | ErrorClass::Op
            ) =>
        {
            Ok(None)
        }
        Err(e) => Err(show(e)),
    }
}
fn run(cx: &Cx, m: &Module, f: FuncId, args: &[Tensor]) -> tfc_ir::Result<Vec<Tensor>> {
    let options = RunOptions { fuel: Some(FUEL), ..RunOptions::default() };
    Interp::new(m).with_kernels(cx.kernels.interp.clone()).run(f, args, &options)
}
/// Has the module a derivative? What is refused is checked elsewhere.
fn expands(m: &mut Module) -> bool {
    expand(m).is_ok()
}
/// The derivatives of a branch that is not taken are 0; whether there are any.
fn untaken(
    cx: &Cx,
    def: &OpDef,
    (m, sample): (&Module, &Sample),
    poison: f64,
    each: bool,
    place: Place,
) -> Checked<bool> {
    let mut m = alone(m, sample.func);
    let x = tame(def, sample.inputs(&m, 3).map_err(show)?)?;
    let wrt: Vec<usize> = (0..x.len()).filter(|&i| x[i].dtype().is_inexact()).collect();
    let Ok(f) = branch(&m, sample.func, each) else { return Ok(false) };
    let Some(f) = placed(&mut m, f, place).map_err(show)? else { return Ok(false) };
    let src = m.func(f).map_err(show)?;
    if wrt.is_empty() || src.result_types.is_empty() {
        return Ok(false);
    }
    let mut args = x.clone();
    for &p in &src.params()[x.len()..] {
        let shape = src.ty(p).exact_shape().unwrap_or_default();
        args.push(match src.ty(p).dtype {
            DType::F64 => Tensor::scalar(poison),
            _ => Tensor::zeros(DType::Bool, &shape).map_err(show)?,
        });
    }
    if let (Place::Branch { .. }, Some(p)) = (place, args.last_mut()) {
        *p = Tensor::scalar(true);
    }
    let mut plain = m.fork();
    expand(&mut plain).map_err(|e| format!("expansion: {e}"))?;
    let Some(y) = ran(cx, &plain, f, &args)? else { return Ok(false) };
    let ones = |t: &Tensor| Tensor::ones(t.dtype(), t.shape()).map_err(show);
    let mut compared = false;
    for (rule, e) in [
        (&JVP, wrt.iter().map(|&i| ones(&x[i])).collect::<Checked<Vec<_>>>()?),
        (&VJP, y.iter().map(ones).collect::<Checked<Vec<_>>>()?),
    ] {
        let types: Vec<Type> = e.iter().map(|t| Type::exact(t.dtype(), t.shape())).collect();
        let mut all = m.fork();
        let Ok(by) = derived(&all, f, rule, &wrt, &types) else { return Ok(false) };
        if !expands(&mut all) {
            return Ok(false);
        }
        let Some(got) = ran(cx, &all, by, &[&args[..], &e].concat())? else { continue };
        for (i, d) in got[y.len()..].iter().enumerate() {
            if let Some(v) = reals(d).into_iter().find(|v| *v != 0.0) {
                return Err(format!("{}: derivative {i} of a branch not taken is {v}", rule.name));
            }
        }
        compared = true;
    }
    Ok(compared)
}
/// The reverse derivative of the sample in that place is that of the sample; whether there is one.
fn moved(cx: &Cx, def: &OpDef, (m, sample): (&Module, &Sample), place: Place) -> Checked<bool> {
    let mut m = alone(m, sample.func);
    let x = tame(def, sample.inputs(&m, 3).map_err(show)?)?;
    let wrt: Vec<usize> = (0..x.len()).filter(|&i| x[i].dtype().is_inexact()).collect();
    let mut plain = m.fork();
    expand(&mut plain).map_err(|e| format!("expansion: {e}"))?;
    let y = run(cx, &plain, sample.func, &x).map_err(show)?;
    let outs: Vec<bool> = y.iter().map(|t| t.dtype().is_inexact()).collect();
    if wrt.is_empty() || !outs.contains(&true) {
        return Ok(false);
    }
    let mut draw = Draw::new(5);
    let types: Vec<Type> = pick(&y, &outs).iter().map(|t| Type::exact(t.dtype(), t.shape())).collect();
    let cts = types.iter().map(|t| draw.tensor(t, Domain::Any).map_err(show)).collect::<Checked<Vec<_>>>()?;
    let mut all = m.fork();
    let Ok(plain) = derived(&all, sample.func, &VJP, &wrt, &types) else { return Ok(false) };
    if !expands(&mut all) {
        return Ok(false);
    }
    let want = run(cx, &all, plain, &[&x[..], &cts].concat()).map_err(show)?;
    let Some(g) = placed(&mut m, sample.func, place).map_err(show)? else { return Ok(false) };
    let by = derived(&m, g, &VJP, &wrt, &types).map_err(show)?;
    match expand(&mut m) {
        // In a loop, what does not depend on the operands beside what does is refused.
        Err(e) if e.error.data().code == Code::E0505 => return Ok(false),
        done => done.map_err(|e| format!("expansion: {e}"))?,
    }
    let mut args = x.clone();
    if let Place::Branch { .. } = place {
        args.push(Tensor::scalar(true));
    }
    let got = run(cx, &m, by, &[&args[..], &cts].concat()).map_err(show)?;
    for (i, (g, w)) in got.iter().zip(&want).enumerate() {
        if !close(g, w, 1e-12) {
            return Err(format!("result {i} of `vjp` is {g:?}, not {w:?}"));
        }
    }
    Ok(true)
}
