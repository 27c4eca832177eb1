//! Everything accepts every kind of extent: the samples of each row are built again with symbols, then with existentials
//! (values that are cut to extents which other values decide), in place of the exact extents of their parameters. Both
//! verify, print and read back, run on both engines with the results of the exact program, and have its gradients; the symbolic program does so
//! at other sizes as well, 0 among them.
mod again;

use again::{Axis, How, Made, again, axes};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tfc_backends::cpu::{self, Cpu};
use tfc_backends::interp::{self, Interp};
use tfc_ir::ops::derivative::GRAD;
use tfc_ir::sample::{Domain, Draw, SampleCx};
use tfc_ir::*;

type Checked<T = ()> = std::result::Result<T, String>;

/// Where samples need an exact extent.
#[derive(Default)]
struct Refusals {
    /// Row, mode and the code that says so.
    list: BTreeSet<(&'static str, &'static str, &'static str)>,
    /// Axes of parameters, and how many of them stayed exact.
    axes: (usize, usize),
}
impl Refusals {
    fn note(
        &mut self,
        def: &'static OpDef,
        mode: &'static str,
        case: &Case,
        kept: &BTreeSet<Axis>,
        why: Option<&'static str>,
    ) {
        self.list.extend(why.map(|code| (def.name, mode, code)));
        self.axes.0 += axes(&case.src).len();
        self.axes.1 += kept.len();
    }
}

/// The function with as few exact axes as it accepts, and the code of the error that the first refusal had: when it is
/// built, or by a guard when it meets the sample's own sizes (an axis that is repeated is a literal 1).
fn general(case: &Case, how: &How) -> Checked<(Made, BTreeSet<Axis>, Option<&'static str>)> {
    let all = axes(&case.src);
    let mut subsets: Vec<u32> = (0..1 << all.len()).collect();
    subsets.sort_by_key(|s| s.count_ones());
    let mut why = None;
    for s in subsets {
        let kept: BTreeSet<Axis> = (0..all.len()).filter(|i| s >> i & 1 == 1).map(|i| all[i]).collect();
        let m = case.m.fork();
        let code = match again(&m, &case.src, how, &kept, false) {
            Ok(made) => {
                let args = case.arguments(&made, &kept)?;
                match Interp::new(&lowered(&m)?).run(made.func, &args, &interp::RunOptions::default()) {
                    Err(e) if e.data().code == "E0420" => "E0420",
                    _ => return Ok((made, kept, why)),
                }
            }
            Err(e) => e.data().code,
        };
        why.get_or_insert(code);
    }
    Err(format!("is refused even with exact extents: {why:?}"))
}

/// Closeness of results: of floating ones relative to their size, of others exactly.
fn close(a: &Tensor, b: &Tensor) -> bool {
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return false;
    }
    let near = |x: C64, y: C64| {
        let nan = |z: C64| z.re.is_nan() || z.im.is_nan();
        x == y || (nan(x) && nan(y)) || (x - y).norm() <= 1e-9 * (1.0 + y.norm())
    };
    match a.dtype() {
        DType::F64 => {
            let (x, y) = (a.to_logical::<f64>().unwrap(), b.to_logical::<f64>().unwrap());
            x.iter().zip(&y).all(|(&x, &y)| near(x.into(), y.into()))
        }
        DType::C64 => {
            let (x, y) = (a.to_logical::<C64>().unwrap(), b.to_logical::<C64>().unwrap());
            x.iter().zip(&y).all(|(&x, &y)| near(x, y))
        }
        _ => a.same(b),
    }
}
/// Both engines on one function.
struct Both<'m> {
    m: &'m Module,
    f: FuncId,
    exe: cpu::Executable,
}
impl<'m> Both<'m> {
    fn new(m: &'m Module, f: FuncId) -> Checked<Both<'m>> {
        let exe = Cpu::compile(m, f, &cpu::CompileOptions::default()).map_err(|e| format!("cpu compiles: {e}"))?;
        Ok(Both { m, f, exe })
    }
    /// The results, on which the engines agree; an error where both fail.
    fn run(&mut self, args: &[Tensor]) -> Checked<std::result::Result<Vec<Tensor>, Error>> {
        let slow = Interp::new(self.m).run(self.f, args, &interp::RunOptions::default());
        let fast = self.exe.run(args, &cpu::RunOptions::default());
        match (slow, fast) {
            (Ok(x), Ok(y)) if x.len() == y.len() && x.iter().zip(&y).all(|(x, y)| close(x, y)) => Ok(Ok(x)),
            // One engine may meet the negative extent, the other the guard against it.
            (Err(x), Err(y)) if failure(&x) == failure(&y) => Ok(Err(x)),
            (x, y) => Err(format!("engines differ: interp {x:?}, cpu {y:?}")),
        }
    }
}
fn failure(e: &Error) -> &'static str {
    if e.data().code == "E0402" { "E0420" } else { e.data().code }
}
/// `x` in the corner of a larger tensor whose other elements must not matter.
fn padded(x: &Tensor, shape: &[usize]) -> Tensor {
    fn fill<T: Element>(x: &Tensor, shape: &[usize], other: T) -> Tensor {
        let n: usize = shape.iter().product();
        let mut v = vec![other; n];
        for (i, slot) in v.iter_mut().enumerate() {
            let mut at = vec![0; shape.len()];
            let mut rest = i;
            for k in (0..shape.len()).rev() {
                at[k] = rest % shape[k];
                rest /= shape[k];
            }
            if at.iter().zip(x.shape()).all(|(a, n)| a < n) {
                *slot = x.get::<T>(&at).unwrap();
            }
        }
        Tensor::from_logical(shape, v)
    }
    match x.dtype() {
        DType::F64 => fill(x, shape, f64::NAN),
        DType::C64 => fill(x, shape, C64::new(f64::NAN, 1.0)),
        DType::I64 => fill(x, shape, i64::MIN),
        _ => with_dtype!(x.dtype(), T => fill(x, shape, T::default()), _ => x.clone()),
    }
}
/// The elements of `x` that are elements of a tensor of that shape.
fn corner(x: &Tensor, shape: &[usize]) -> Tensor {
    with_dtype!(x.dtype(), T => {
        let (strides, data) = (x.strides().to_vec(), x.data().clone());
        let v: Vec<T> = Tensor::view(data, shape.to_vec(), strides, x.offset()).to_logical().unwrap();
        Tensor::from_logical(shape, v)
    }, _ => x.clone())
}
fn gradient(m: &Module, f: FuncId, wrt: &[usize]) -> Result<FuncId> {
    let src = m.func(f)?;
    let mut b = Builder::new(m, &format!("{}.gradient", src.name));
    b.copy_syms(&src);
    let xs: Vec<_> = src.params().iter().map(|&p| b.param(src.ty(p).clone(), &src.value(p).name)).collect();
    let op = NewOp::new(&GRAD, &xs).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(wrt));
    let ys = b.emit(op)?;
    Ok(m.add(b.finish(ys)?))
}
fn verified(m: &Module) -> Checked {
    match verify::module(m).first() {
        None => {}
        Some((f, e)) => return Err(format!("does not verify: {e}\n{}", print::func(m, f))),
    }
    let text = print::module(m);
    match tfc_frontend::text::parse_module(text.as_bytes(), &Arc::new(OpSet::core())) {
        Ok(p) if print::module(&p.module) == text => Ok(()),
        Ok(p) => Err(format!("reads back as something else:\n{text}\n{}", print::module(&p.module))),
        Err(d) => Err(format!("does not read back: {}\n{text}", d[0])),
    }
}
fn lowered(m: &Module) -> Checked<Module> {
    let mut plain = m.fork();
    tfc_passes::level(0).run(&mut plain, &mut |_| {}).map_err(|e| format!("lowering: {e}"))?;
    verified(&plain).map_err(|e| format!("lowered: {e}"))?;
    Ok(plain)
}

/// One sample of a row.
struct Case<'s> {
    m: Module,
    src: Arc<Func>,
    domains: &'s [Domain],
    seed: u64,
}
impl Case<'_> {
    /// Arguments of the function that `How::At(to)` makes.
    fn inputs(&self, kept: &BTreeSet<Axis>, to: &BTreeMap<i64, i64>) -> Checked<Vec<Tensor>> {
        let mut draw = Draw::new(self.seed);
        let one = |(i, (&p, &d)): (usize, (&ValueId, &Domain))| {
            let ty = self.src.ty(p);
            let dims: Vec<Extent> = ty
                .dims
                .iter()
                .enumerate()
                .map(|(k, e)| {
                    let v = e.as_exact().unwrap_or(0);
                    Extent::exact(if kept.contains(&(i, k)) { v } else { to.get(&v).copied().unwrap_or(v) })
                })
                .collect();
            draw.tensor(&ty.with_dims(dims), d).map_err(|e| e.to_string())
        };
        self.src.params().iter().zip(self.domains).enumerate().map(one).collect()
    }
    /// Arguments of a general function, at the sample's own sizes: longer ones where they are cut.
    fn arguments(&self, made: &Made, kept: &BTreeSet<Axis>) -> Checked<Vec<Tensor>> {
        let args = self.inputs(kept, &BTreeMap::new())?;
        if made.cuts.is_empty() {
            return Ok(args);
        }
        let longer = |i: usize, x: &Tensor| {
            let axis = |(k, n): (usize, &usize)| n + usize::from(!kept.contains(&(i, k)));
            padded(x, &x.shape().iter().enumerate().map(axis).collect::<Vec<_>>())
        };
        let mut long: Vec<Tensor> = args.iter().enumerate().map(|(i, x)| longer(i, x)).collect();
        long.extend(made.cuts.iter().map(|&v| Tensor::scalar(v)));
        Ok(long)
    }
    fn wrt(&self) -> Vec<usize> {
        let is = |&i: &usize| self.src.ty(self.src.params()[i]).dtype.is_inexact();
        (0..self.src.params().len()).filter(is).collect()
    }
    fn differentiable(&self) -> bool {
        !self.wrt().is_empty() && self.src.result_types.iter().any(|t| t.dtype.is_inexact())
    }
    /// Function and gradient of `how`, in a module of their own that is lowered; no gradient where the row has none.
    fn build(&self, how: &How, kept: &BTreeSet<Axis>) -> Checked<std::result::Result<Lowered, Error>> {
        let m = self.m.fork();
        let f = match again(&m, &self.src, how, kept, false) {
            Ok(made) => made.func,
            Err(e) => return Ok(Err(e)),
        };
        verified(&m)?;
        if self.differentiable() {
            let fork = m.fork();
            let loss = again(&fork, &self.src, how, kept, true).map_err(|e| format!("the loss: {e}"))?;
            let g = gradient(&fork, loss.func, &self.wrt()).map_err(|e| format!("the gradient: {e}"))?;
            verified(&fork)?;
            match lowered(&fork) {
                Ok(m) => return Ok(Ok(Lowered { m, f, g: Some(g) })),
                Err(e) if e.contains("E0503") => {}
                Err(e) => return Err(e),
            }
        }
        Ok(Ok(Lowered { m: lowered(&m)?, f, g: None }))
    }
}
struct Lowered {
    m: Module,
    f: FuncId,
    g: Option<FuncId>,
}
impl Lowered {
    fn run(&self, args: &[Tensor]) -> Checked<Vec<std::result::Result<Vec<Tensor>, Error>>> {
        [Some(self.f), self.g].into_iter().flatten().map(|f| Both::new(&self.m, f)?.run(args)).collect()
    }
}
fn same(
    what: &str,
    want: &[std::result::Result<Vec<Tensor>, Error>],
    got: &[std::result::Result<Vec<Tensor>, Error>],
) -> Checked {
    if want.len() != got.len() {
        return Err(format!("{what}: one has a gradient, the other has none"));
    }
    for (i, pair) in want.iter().zip(got).enumerate() {
        let part = ["result", "gradient"][i.min(1)];
        match pair {
            (Ok(x), Ok(y)) => {
                if let Some(k) = (0..x.len()).find(|&k| !close(&y[k], &x[k])) {
                    return Err(format!("{what}: {part} {k} is {:?}, not {:?}", y[k], x[k]));
                }
            }
            (Err(_), Err(_)) => {}
            (x, y) => return Err(format!("{what}: {part}: exact {x:?}, general {y:?}")),
        }
    }
    Ok(())
}

/// The sample with symbols: one compilation, several sizes.
fn symbols(def: &'static OpDef, case: &Case, refusals: &mut Refusals) -> Checked {
    let (_, kept, why) = general(case, &How::Symbols)?;
    refusals.note(def, "symbols", case, &kept, why);
    let made = case.build(&How::Symbols, &kept)?.map_err(|e| e.to_string())?;
    let mut all: Vec<Both> = vec![];
    for f in [Some(made.f), made.g].into_iter().flatten() {
        all.push(Both::new(&made.m, f)?);
    }
    let values: BTreeSet<i64> = axes(&case.src)
        .into_iter()
        .filter(|a| !kept.contains(a))
        .filter_map(|(p, k)| case.src.ty(case.src.params()[p]).dims[k].as_exact())
        .collect();
    let mut sizes: Vec<BTreeMap<i64, i64>> = vec![BTreeMap::new()];
    sizes.extend(values.iter().map(|&v| BTreeMap::from([(v, 0)])));
    sizes.push(values.iter().map(|&v| (v, 0)).collect());
    sizes.push(values.iter().map(|&v| (v, v + 1)).collect());
    for to in sizes {
        let what = format!("with {to:?} (kept {kept:?})");
        let args = case.inputs(&kept, &to)?;
        let got =
            all.iter_mut().map(|b| b.run(&args)).collect::<Checked<Vec<_>>>().map_err(|e| format!("{what}: {e}"))?;
        match case.build(&How::At(to.clone()), &kept)? {
            Ok(exact) => same(&what, &exact.run(&args)?, &got)?,
            // What is refused when it is compiled with these sizes fails when the general program meets them.
            Err(e) if got[0].is_ok() => return Err(format!("{what}: exact is refused: {e}, general runs")),
            Err(_) => {}
        }
    }
    Ok(())
}
/// The sample with existentials, at its own sizes.
fn existentials(def: &'static OpDef, case: &Case, refusals: &mut Refusals) -> Checked {
    let (made, kept, why) = general(case, &How::Existentials)?;
    refusals.note(def, "existentials", case, &kept, why);
    let built = case.build(&How::Existentials, &kept)?.map_err(|e| e.to_string())?;
    let exact = case.build(&How::At(BTreeMap::new()), &kept)?.map_err(|e| e.to_string())?;
    let args = case.inputs(&kept, &BTreeMap::new())?;
    let long = case.arguments(&made, &kept)?;
    let want = exact.run(&args)?;
    let mut got = built.run(&long)?;
    // The gradient of what was cut away is zero; the rest is that of the exact program.
    if let Some(Ok(g)) = got.get_mut(1) {
        for (g, &i) in g.iter_mut().zip(&case.wrt()) {
            let inner = corner(g, args[i].shape());
            let zero = Tensor::zeros(g.dtype(), g.shape()).map_err(|e| e.to_string())?;
            let outside = match g.dtype() {
                DType::F64 => {
                    let (all, own) = (g.to_logical::<f64>().unwrap(), inner.to_logical::<f64>().unwrap());
                    all.iter().map(|x| x * x).sum::<f64>() - own.iter().map(|x| x * x).sum::<f64>()
                }
                _ => 0.0,
            };
            if outside.abs() > 1e-9 || zero.shape() != g.shape() {
                return Err(format!("the gradient reaches what was cut away: {g:?}"));
            }
            *g = inner;
        }
    }
    same(&format!("cut (kept {kept:?})"), &want, &got)
}

/// All rows on one dtype.
fn sweep(dtype: DType, refusals: &mut Refusals) {
    let mut failures = vec![];
    let mut count = 0;
    for def in OpSet::core().iter() {
        let m = Module::new(Arc::new(OpSet::core()));
        let list = (def.sample)(&SampleCx { m: &m, def, dtype }).expect("samples build");
        for (i, s) in list.iter().enumerate() {
            count += 1;
            let src = m.func(s.func).unwrap();
            let case = Case { m: m.fork(), src, domains: &s.domains, seed: 5 + i as u64 };
            if let Err(e) = symbols(def, &case, refusals) {
                failures.push(format!("{} on {dtype}, sample {i}, symbols: {e}", def.name));
            }
            if let Err(e) = existentials(def, &case, refusals) {
                failures.push(format!("{} on {dtype}, sample {i}, existentials: {e}", def.name));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count} samples fail:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 20, "only {count} samples on {dtype}");
}
/// What every dtype needs exact: an axis that `broadcast_in_dim` repeats is a literal 1; the length of index vectors says
/// which axes are indexed; and that `?r2*?r6` elements are `3*?r2*?r2` nobody knows.
const EXACT: &[&str] = &[
    "broadcast_in_dim existentials E0404",
    "broadcast_in_dim existentials E0420",
    "broadcast_in_dim symbols E0420",
    "gather existentials E0222",
    "gather symbols E0222",
    "reshape existentials E0404",
    "scatter existentials E0222",
    "scatter symbols E0222",
];
/// Samples of `svd` write the number of singular values as one of the two extents: they have chosen the smaller one.
const MATRICES: &[&str] = &["linalg.svd existentials E0404"];
fn listed(dtype: DType, also: &[&str]) {
    let mut refusals = Refusals::default();
    sweep(dtype, &mut refusals);
    let got: Vec<String> = refusals.list.iter().map(|(op, mode, code)| format!("{op} {mode} {code}")).collect();
    let mut want = [EXACT, also].concat();
    want.sort_unstable();
    assert_eq!(got, want, "what needs exact extents has changed:\n{}", got.join("\n"));
    let (all, exact) = refusals.axes;
    assert!(exact * 20 < all, "{exact} of {all} axes stayed exact");
}

#[test]
fn f64_samples() {
    listed(DType::F64, MATRICES);
}
#[test]
fn c64_samples() {
    listed(DType::C64, MATRICES);
}
#[test]
fn i64_samples() {
    listed(DType::I64, &[]);
}
#[test]
fn bool_samples() {
    listed(DType::Bool, &[]);
}
