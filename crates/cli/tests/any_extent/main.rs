//! Everything accepts every kind of extent: the samples of each row are built again with symbols, then with existentials
//! (values that are cut to extents which other values decide), in place of the exact extents of their parameters. Both
//! verify, print, read back, and run on both engines with the results of the exact program and its derivatives of the
//! first and second order; compiled once they do so at other sizes as well, 0 among them.
mod again;
mod tensors;

use again::{Axis, How, Made, again, axes};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tensors::{close, corner, padded, sum_of_squares};
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
                let args = case.arguments(&made, &kept, &BTreeMap::new())?;
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
    if m.funcs().iter().any(|(_, f)| single(f)) { 1e-4 } else { 1e-9 }
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
    /// Arguments of a general function for these sizes: longer ones where they are cut.
    fn arguments(&self, made: &Made, kept: &BTreeSet<Axis>, to: &BTreeMap<i64, i64>) -> Checked<Vec<Tensor>> {
        let args = self.inputs(kept, to)?;
        if made.cuts.is_empty() {
            return Ok(args);
        }
        let longer = |i: usize, x: &Tensor| {
            let axis = |(k, n): (usize, &usize)| n + usize::from(!kept.contains(&(i, k)));
            padded(x, &x.shape().iter().enumerate().map(axis).collect::<Vec<_>>())
        };
        let mut long: Vec<Tensor> = args.iter().enumerate().map(|(i, x)| longer(i, x)).collect();
        long.extend(made.cuts.iter().map(|v| Tensor::scalar(to.get(v).copied().unwrap_or(*v))));
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
fn agrees(def: &'static OpDef, case: &Case, how: &How, mode: &'static str, refusals: &mut Refusals) -> Checked {
    let (made, kept, why) = general(case, how)?;
    refusals.note(def, mode, case, &kept, why);
    let built = case.build(how, &kept)?.map_err(|e| e.to_string())?;
    refusals.derived[built.derived.len()] += 1;
    let mut all = built.all().map(|f| Both::new(&built.m, f)).collect::<Checked<Vec<_>>>()?;
    for to in sizes(case, &kept) {
        let what = format!("with {to:?} (kept {kept:?})");
        let args = case.inputs(&kept, &to)?;
        let given = case.arguments(&made, &kept, &to)?;
        let mut got =
            all.iter_mut().map(|b| b.run(&given)).collect::<Checked<Vec<_>>>().map_err(|e| format!("{what}: {e}"))?;
        if !made.cuts.is_empty() {
            uncut(case, &args, &mut got).map_err(|e| format!("{what}: {e}"))?;
        }
        match case.build(&How::At(to.clone()), &kept)? {
            Ok(exact) => same(&what, tolerance(&built.m), &exact.run(&args)?, &got)?,
            // What is refused when it is compiled with these sizes fails when the general program meets them.
            Err(e) if got[0].is_ok() => return Err(format!("{what}: exact is refused: {e}, general runs")),
            Err(_) => {}
        }
    }
    Ok(())
}
/// Derivatives by arguments that were longer become those by `args`: what was cut away has none.
fn uncut(case: &Case, args: &[Tensor], got: &mut [std::result::Result<Vec<Tensor>, Error>]) -> Checked {
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
    Ok(())
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
            for (how, mode) in [(How::Symbols, "symbols"), (How::Existentials, "existentials")] {
                if let Err(e) = agrees(def, &case, &how, mode, refusals) {
                    failures.push(format!("{} on {dtype}, sample {i}, {mode}: {e}", def.name));
                }
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
const MATRICES: &[&str] = &["linalg.spectral existentials E0404", "linalg.svd existentials E0404"];
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
        DType::F64 => refusals.derived[2] > 400,
        DType::C64 => refusals.derived[1] > 200,
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

#[test]
fn f32_samples() {
    listed(DType::F32, MATRICES);
}
#[test]
fn c32_samples() {
    listed(DType::C32, MATRICES);
}
#[test]
fn u32_samples() {
    listed(DType::U32, &[]);
}
#[test]
fn i32_samples() {
    listed(DType::I32, &[]);
}
