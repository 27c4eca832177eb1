//! What a loop keeps for its reverse derivative changes no value: every function with loops under `tests/ir` is
//! differentiated, and differentiated again, with each policy written at each of its loops; and the memory that policies
//! save is measured.
use crate::common::folder;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tfc::filetest::discover;
use tfc_api::Kernels;
use tfc_engine::{Limits, Options};
use tfc_ir::ops::control::Checkpoint;
use tfc_ir::ops::derivative::VJP;
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::{Attr, Builder, Func, FuncId, Module, NewOp, OpSet, Result, Tensor, Type};
use tfc_testkit::tensors::close;

const POLICIES: [Checkpoint; 5] =
    [Checkpoint::All, Checkpoint::Sqrt, Checkpoint::Period(3), Checkpoint::Binomial(1), Checkpoint::Binomial(2)];

/// Writes the policy at every loop; how many there are.
fn write(m: &Module, how: Checkpoint) -> usize {
    let mut loops = 0;
    for (id, f) in m.funcs() {
        let mut new = Func::clone(&f);
        for op in &mut new.ops {
            if op.def.control.repeats.is_some() || op.def.control.trips.is_some() {
                how.write(&mut op.attrs);
                loops += 1;
            }
        }
        m.define(id, new);
    }
    loops
}
/// Arguments whose extents are all `n`; the type of each.
fn arguments(f: &Func, n: i64) -> Option<Vec<Tensor>> {
    let mut env = tfc_ir::ExtentEnv::default();
    for i in 0..f.syms.len() as u32 {
        env.bind(tfc_ir::extent::Atom::Sym(tfc_ir::SymId(i)), n);
    }
    if !f.wheres.iter().all(|w| w.holds(&env).unwrap_or(false)) {
        return None;
    }
    let mut draw = Draw::new(7);
    let one = |&p: &tfc_ir::ValueId| {
        let dims = f.ty(p).dims.iter().map(|d| d.eval(&env).ok()).collect::<Option<Vec<i64>>>()?;
        if dims.iter().product::<i64>() > 1000 {
            return None;
        }
        let domain = if f.ty(p).dtype.is_inexact() { Domain::Any } else { Domain::Ints(0, 3) };
        draw.tensor(&Type::new(f.ty(p).dtype, dims.into_iter().map(|d| d.into()).collect::<Vec<_>>()), domain).ok()
    };
    f.params().iter().map(one).collect()
}
fn types(x: &[Tensor]) -> Vec<Type> {
    x.iter().map(|t| Type::new(t.dtype(), t.shape().iter().map(|&d| (d as i64).into()).collect::<Vec<_>>())).collect()
}
/// `vjp` of `f` at arguments of these types, with cotangents of these.
fn vjp(m: &Module, f: FuncId, x: &[Type], cts: &[Type]) -> Result<FuncId> {
    let mut b = Builder::new(m, "of");
    let mut xs: Vec<_> = x.iter().map(|t| b.param(t.clone(), "x")).collect();
    let wrt: Vec<usize> = (0..x.len()).filter(|&i| x[i].dtype.is_inexact()).collect();
    xs.extend(cts.iter().map(|t| b.param(t.clone(), "ct")));
    let op = NewOp::new(&VJP, &xs).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(&wrt));
    let ys = b.emit(op)?;
    Ok(m.add(b.finish(ys)?))
}
fn run(m: &Module, f: FuncId, args: &[Tensor], backend: &str) -> std::result::Result<Vec<Tensor>, String> {
    let mut m = m.fork();
    let passes =
        if backend == "cpu" { "raise-loops,expand-ad,inline,fold,simplify,cse,dce,expand" } else { "expand-ad,expand" };
    tfc_passes::Pipeline::parse(passes).unwrap().run(&mut m, &mut |_| {}).map_err(|e| e.error.to_string())?;
    let all = Kernels::default().backends();
    let engine = all.iter().find(|b| b.name() == backend).unwrap();
    let limits = Limits { fuel: Some(20_000), ..Default::default() };
    let exe = engine.compile(m, f, &Options { threads: 1, ..Default::default() }).map_err(|e| e.to_string())?;
    exe.run(args, &limits).map_err(|e| e.to_string())
}
/// Values and derivatives of both orders; `None` where one of them is refused or cannot be run.
fn derivatives(
    m: &Module,
    f: FuncId,
    x: &[Tensor],
    backend: &str,
    orders: usize,
) -> std::result::Result<Vec<Vec<Tensor>>, String> {
    let m = m.fork();
    m.define(f, m.func(f).map_err(|e| e.to_string())?.exported(true));
    let y = run(&m, f, x, backend)?;
    let mut out = vec![];
    let (mut f, mut x, mut y) = (f, x.to_vec(), y);
    for seed in [1, 2].into_iter().take(orders) {
        let mut draw = Draw::new(seed);
        let inexact: Vec<Type> = types(&y).into_iter().filter(|t| t.dtype.is_inexact()).collect();
        if inexact.is_empty() || !x.iter().any(|t| t.dtype().is_inexact()) {
            return Err("nothing to differentiate".into());
        }
        let cts: Vec<Tensor> = inexact.iter().map(|t| draw.tensor(t, Domain::Any).unwrap()).collect();
        f = vjp(&m, f, &types(&x), &inexact).map_err(|e| e.to_string())?;
        m.define(f, m.func(f).map_err(|e| e.to_string())?.exported(true));
        x.extend(cts);
        y = run(&m, f, &x, backend)?;
        out.push(y.clone());
    }
    Ok(out)
}

/// For people who look on.
fn show(line: impl FnOnce() -> String) {
    if std::env::var_os("TFC_SHOW").is_some() {
        println!("{}", line());
    }
}

#[test]
fn no_policy_changes_a_derivative() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let ops = Arc::new(OpSet::core());
    let (mut wrong, mut compared, mut functions) = (vec![], 0, BTreeSet::new());
    for file in ["ad", "run", "regress"].iter().flat_map(|d| discover(&root.join("tests/ir").join(d)).unwrap()) {
        if file.extension().is_none_or(|e| e != "tfir") {
            continue;
        }
        let Ok(parsed) = tfc_frontend::text::parse_module(&std::fs::read(&file).unwrap(), &ops) else { continue };
        let m = parsed.module;
        // A rule that is not the derivative makes what is run again another function than what ran first.
        let ruled = m.funcs().iter().any(|f| f.1.with.get("jvp").is_some() || f.1.with.get("vjp").is_some());
        if ruled || write(&m.fork(), Checkpoint::All) == 0 {
            continue;
        }
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        for (id, f) in m.funcs() {
            // Callers are other functions' derivatives again.
            if !f.ops.iter().any(|o| o.def.control.repeats.is_some() || o.def.control.trips.is_some()) {
                continue;
            }
            let orders = if f.ops.len() < 20 { 2 } else { 1 };
            let start = std::time::Instant::now();
            for (n, backend) in [(5, "interp"), (0, "cpu"), (7, "cpu")] {
                let Some(x) = arguments(&f, n).filter(|_| n == 7 || !f.syms.is_empty()) else { continue };
                let want = match derivatives(&m, id, &x, backend, orders) {
                    // Where derivatives explode, so does rounding.
                    Ok(want)
                        if want
                            .iter()
                            .flatten()
                            .all(|t| tfc_testkit::tensors::reals(t).iter().all(|x| x.abs() < 1e6)) =>
                    {
                        want
                    }
                    Ok(_) => continue,
                    Err(e) => {
                        show(|| format!("{name} @{} n={n} {backend}: skipped, {e}", f.name));
                        continue;
                    }
                };
                for how in POLICIES {
                    let other = m.fork();
                    write(&other, how);
                    let place = format!("{name} @{} {how:?} n={n} {backend}", f.name);
                    match derivatives(&other, id, &x, backend, orders) {
                        Ok(got) => {
                            compared += 1;
                            functions.insert(format!("{name} @{}", f.name));
                            for (order, (g, w)) in got.iter().zip(&want).enumerate() {
                                let same = g.len() == w.len() && g.iter().zip(w).all(|(g, w)| close(g, w, 1e-7));
                                if !same {
                                    wrong.push(format!("{place}: order {}: {g:?} for {w:?}", order + 1));
                                }
                            }
                        }
                        Err(e) => wrong.push(format!("{place}: {e}")),
                    }
                }
            }
            show(|| format!("{name} @{}: {:?}, {} wrong {:?}", f.name, start.elapsed(), wrong.len(), wrong.last()));
        }
    }
    println!("{compared} derivatives of {} functions", functions.len());
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    assert!(functions.len() > 30, "only {} functions were compared", functions.len());
}

/// Peak of a gradient through a loop of 400 trips of a matrix of 1000 elements, in units of a carry.
fn peak(policy: &str) -> f64 {
    let text = format!(
        "tfir 1.0
func @loss(%x: f64[1000]) -> f64[] {{
  %y = scan(%x, carry = 1, length = 400{policy}) {{
    body(%c: f64[1000]) {{
      %s = sin(%c)
      %t = exp(%s)
      %u = cos(%t)
      %d = mul(%u, %s)
      yield %d
    }}
  }}
  %l = reduce_sum(%y, axes = [0])
  return %l
}}
export func @main(%x: f64[1000]) -> (g: f64[1000]) {{
  %g = grad(@loss, %x)
  return %g
}}
"
    );
    let dir = folder(&format!("checkpoint-memory-{}", policy.replace(|c: char| !c.is_alphanumeric(), "")), &text);
    let m = tfc_frontend::text::parse_module(&std::fs::read(dir.join("p.tfir")).unwrap(), &Arc::new(OpSet::core()));
    let m = m.unwrap_or_else(|_| panic!("{text}")).module;
    let mut m = m.fork();
    tfc_passes::level(2).run(&mut m, &mut |_| {}).map_err(|e| e.error.to_string()).unwrap();
    let all = Kernels::default().backends();
    let engine = all.iter().find(|b| b.name() == "cpu").unwrap();
    let f = m.find("main").unwrap();
    let exe = engine.compile(m, f, &Options { threads: 1, ..Default::default() }).unwrap();
    let x = Tensor::from_vec_col_major([1000], (0..1000).map(|i| f64::from(i) / 1000.0).collect::<Vec<f64>>()).unwrap();
    exe.run(&[x], &Limits::default()).unwrap();
    exe.peak_bytes().unwrap() as f64 / 8000.0
}
#[test]
fn policies_save_the_memory_that_they_are_for() {
    let none = peak("");
    let rows: Vec<(&str, f64)> = ["all", "sqrt"]
        .iter()
        .map(|w| (*w, peak(&format!(", checkpoint = {w}"))))
        .chain([("period 20", peak(", period = 20")), ("binomial 5", peak(", binomial = 5"))])
        .collect();
    println!("none {none}, {rows:?}");
    // Residuals: what is kept of each trip is at least two vectors.
    let per_trip = none / 400.0;
    assert!(per_trip > 1.9, "{none}");
    // Inputs, results, and the vectors of the trip that runs.
    let room = 30.0;
    for (name, got) in rows {
        // A segment's residuals stand once where it makes them, once with who reads them.
        let most = match name {
            "all" => 400.0,
            // Five, and the buffers of the parts that run within each other: twelve, as binom(5 + 7, 5) is above 400.
            "binomial 5" => 5.0 + 12.0 * 8.0,
            _ => 20.0 + 2.0 * 20.0 * per_trip,
        };
        assert!(got < most + room, "{name}: {got} carries, of {none} without; {most} expected");
    }
}
