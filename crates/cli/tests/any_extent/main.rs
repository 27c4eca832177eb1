//! Everything accepts every kind of extent: the samples of each row are built again with symbols, then with existentials
//! (values that are cut to extents which other values decide), in place of the exact extents of their parameters. Both
//! verify, print and read back, run on both engines with the results of the exact program, and have its derivatives; the symbolic program does so
//! at other sizes as well, 0 among them.
mod again;

use again::{Axis, How, Made, again, axes};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tfc_backends::cpu::{self, Cpu};
use tfc_backends::interp::{self, Interp};
use tfc_ir::ops::derivative::{GRAD, HVP};
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
    /// Samples with so many derivatives.
    derived: [usize; 3],
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
                match Interp::new(&lowered(false, &m)?).run(made.func, &args, &interp::RunOptions::default()) {
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
fn close(a: &Tensor, b: &Tensor, tolerance: f64) -> bool {
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return false;
    }
    let near = |x: C64, y: C64| {
        let nan = |z: C64| z.re.is_nan() || z.im.is_nan();
        x == y || (nan(x) && nan(y)) || (x - y).norm() <= tolerance * (1.0 + y.norm())
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
    tolerance: f64,
}
/// How far results may be apart: sums are of any order, in single precision where something is.
fn tolerance(m: &Module) -> f64 {
    let single = |f: &Func| f.values.iter().any(|v| matches!(v.ty.dtype, DType::F32 | DType::C32));
    if m.funcs().iter().any(|(_, f)| single(f)) { 1e-5 } else { 1e-9 }
}
impl<'m> Both<'m> {
    fn new(m: &'m Module, f: FuncId) -> Checked<Both<'m>> {
        let exe = Cpu::compile(m, f, &cpu::CompileOptions::default()).map_err(|e| format!("cpu compiles: {e}"))?;
        Ok(Both { m, f, exe, tolerance: tolerance(m) })
    }
    /// The results, on which the engines agree; an error where both fail.
    fn run(&mut self, args: &[Tensor]) -> Checked<std::result::Result<Vec<Tensor>, Error>> {
        let slow = Interp::new(self.m).run(self.f, args, &interp::RunOptions::default());
        let fast = self.exe.run(args, &cpu::RunOptions::default());
        match (slow, fast) {
            (Ok(x), Ok(y)) if x.len() == y.len() && x.iter().zip(&y).all(|(x, y)| close(x, y, self.tolerance)) => {
                Ok(Ok(x))
            }
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
fn sum_of_squares(x: &Tensor) -> f64 {
    match x.dtype() {
        DType::F64 => x.to_logical::<f64>().unwrap().iter().map(|x| x * x).sum(),
        DType::C64 => x.to_logical::<C64>().unwrap().iter().map(|x| x.norm_sqr()).sum(),
        _ => 0.0,
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
/// A function that applies `grad`, or `hvp` with the arguments themselves as the vectors.
fn derived(m: &Module, f: FuncId, def: &'static OpDef, wrt: &[usize]) -> Result<FuncId> {
    let src = m.func(f)?;
    let mut b = Builder::new(m, &format!("{}.{}", src.name, def.name));
    b.copy_syms(&src);
    let xs: Vec<_> = src.params().iter().map(|&p| b.param(src.ty(p).clone(), &src.value(p).name)).collect();
    let vectors = if def.is(&HVP) { wrt.iter().map(|&i| xs[i]).collect() } else { vec![] };
    let op = NewOp::new(def, &[xs, vectors].concat()).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(wrt));
    let ys = b.emit(op)?;
    Ok(m.add(b.finish(ys)?))
}
/// With exact extents nothing is new to the verifier.
fn verified_if(general: bool, m: &Module) -> Checked {
    if general { verified(m) } else { Ok(()) }
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
fn lowered(general: bool, m: &Module) -> Checked<Module> {
    let mut plain = m.fork();
    tfc_passes::level(0).run(&mut plain, &mut |_| {}).map_err(|e| format!("lowering: {e}"))?;
    verified_if(general, &plain).map_err(|e| format!("lowered: {e}"))?;
    Ok(plain)
}

/// Derivatives of the first and the second order.
static ORDERS: [&OpDef; 2] = [&GRAD, &HVP];

/// One sample of a row.
struct Case<'s> {
    m: Module,
    src: Arc<Func>,
    domains: &'s [Domain],
    seed: u64,
    /// Which derivatives are looked at.
    derivatives: &'static [&'static OpDef],
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
    /// Function and derivatives of `how`, in a module of their own that is lowered; none where the row has none.
    fn build(&self, how: &How, kept: &BTreeSet<Axis>) -> Checked<std::result::Result<Lowered, Error>> {
        let m = self.m.fork();
        let f = match again(&m, &self.src, how, kept, false) {
            Ok(made) => made.func,
            Err(e) => return Ok(Err(e)),
        };
        let general = !matches!(how, How::At(_));
        verified_if(general, &m)?;
        let mut made = Lowered { m: lowered(general, &m)?, f, derived: vec![] };
        if self.differentiable() {
            let fork = m.fork();
            let loss = again(&fork, &self.src, how, kept, true).map_err(|e| format!("the loss: {e}"))?;
            for def in self.derivatives {
                let d = derived(&fork, loss.func, def, &self.wrt()).map_err(|e| format!("{}: {e}", def.name))?;
                verified_if(general, &fork)?;
                match lowered(general, &fork) {
                    Ok(m) => made.m = m,
                    Err(e) if e.contains("E0503") => break,
                    Err(e) => return Err(e),
                }
                made.derived.push(d);
            }
        }
        Ok(Ok(made))
    }
}
struct Lowered {
    m: Module,
    f: FuncId,
    derived: Vec<FuncId>,
}
impl Lowered {
    fn all(&self) -> impl Iterator<Item = FuncId> {
        std::iter::once(self.f).chain(self.derived.iter().copied())
    }
    fn run(&self, args: &[Tensor]) -> Checked<Vec<std::result::Result<Vec<Tensor>, Error>>> {
        self.all().map(|f| Both::new(&self.m, f)?.run(args)).collect()
    }
}
fn same(
    what: &str,
    tolerance: f64,
    want: &[std::result::Result<Vec<Tensor>, Error>],
    got: &[std::result::Result<Vec<Tensor>, Error>],
) -> Checked {
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

/// The sample with symbols: one compilation, several sizes.
fn symbols(def: &'static OpDef, case: &Case, refusals: &mut Refusals) -> Checked {
    let (_, kept, why) = general(case, &How::Symbols)?;
    refusals.note(def, "symbols", case, &kept, why);
    let made = case.build(&How::Symbols, &kept)?.map_err(|e| e.to_string())?;
    let mut all: Vec<Both> = vec![];
    for f in made.all() {
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
            Ok(exact) => same(&what, tolerance(&made.m), &exact.run(&args)?, &got)?,
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
    refusals.derived[built.derived.len()] += 1;
    let exact = case.build(&How::At(BTreeMap::new()), &kept)?.map_err(|e| e.to_string())?;
    let args = case.inputs(&kept, &BTreeMap::new())?;
    let long = case.arguments(&made, &kept)?;
    let want = exact.run(&args)?;
    let mut got = built.run(&long)?;
    // The gradient of what was cut away is zero; the rest is that of the exact program.
    let wrt = case.wrt();
    for (order, list) in got.iter_mut().enumerate().skip(1) {
        let Ok(list) = list else { continue };
        // `hvp` gives the value first.
        for (k, g) in list.iter_mut().skip(order - 1).enumerate() {
            let inner = corner(g, args[wrt[k % wrt.len()]].shape());
            let (all, own) = (sum_of_squares(g), sum_of_squares(&inner));
            if (all - own).abs() > 1e-9 * (1.0 + own) || (all.is_nan() && !own.is_nan()) {
                return Err(format!("the derivative reaches what was cut away: {g:?}"));
            }
            *g = inner;
        }
    }
    same(&format!("cut (kept {kept:?})"), tolerance(&built.m), &want, &got)
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
            let derivatives = &ORDERS[..if dtype == DType::F64 { 2 } else { 1 }];
            let case = Case { m: m.fork(), src, domains: &s.domains, seed: 5 + i as u64, derivatives };
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
    let enough = match dtype {
        DType::F64 => refusals.derived[2] > 200,
        DType::C64 => refusals.derived[1] > 100,
        _ => true,
    };
    assert!(enough, "samples without, with one and with two derivatives: {:?}", refusals.derived);
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
