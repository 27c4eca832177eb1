//! `tfc grad FILE`: differentiate a function; print, run or check the derivative.
mod check;
mod wrapper;

pub(super) use wrapper::{add as derivative, wrt_positions};

use super::made::{Made, read};
use crate::args::{Grad, Mode};
use crate::bind::Inputs;
use crate::engine::{Engine, Target};
use crate::entry::{keep_only, pick, with_extents};
use crate::limits::bindings;
use crate::program::Program;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::time::Instant;
use tfc_frontend::data::random::Distribution;
use tfc_ir::derive::Derive;
use tfc_ir::{Code, Error, ErrorClass, Finished, Func, FuncId, Module, Tensor};
use tfc_passes::Memo;

pub(super) fn run(session: &Session, args: &Grad) -> Done {
    let started = Instant::now();
    if args.check {
        return check_derivative(session, args);
    }
    if args.exec && matches!(args.mode, Mode::Linearize | Mode::Transpose) {
        let e =
            Error::new(Code::E0901, "linearize and transpose give functions of residuals: they are printed, not run");
        return Err(Stop::with(Exit::Usage, e));
    }
    let target = Made {
        input: &args.input,
        entry: &args.entry,
        passes: super::import::PASSES,
        output: &args.output,
        exec: args.exec,
        what: "derivative",
        needs: "`--run` or `--check`",
        nest: args.nest,
        verify_roundtrip: args.verify_roundtrip,
        run: &args.run,
    };
    target.deliver(session, started, |program| derive(program, args))
}

/// The entry and the parameters to differentiate by.
fn what(program: &Program, args: &Grad) -> Done<(FuncId, std::sync::Arc<Finished>, Vec<usize>)> {
    let f = pick(&program.module, args.entry.entry.as_deref()).or_usage()?;
    let func = program.module.func(f).or_usage()?;
    let wrt = wrapper::wrt_positions(&program.module, &func, &args.wrt);
    // A name that does not exist is a slip of the command line; a program without anything to differentiate is wrong.
    let wrt = wrt.map_err(|e| match e.code().class() == ErrorClass::CommandLine {
        true => Stop::with(Exit::Usage, e),
        false => at_function(program, &func, e),
    })?;
    Ok((f, func, wrt))
}
fn at_function(program: &Program, f: &Func, e: Error) -> Stop {
    Stop::at(Exit::Program, vec![e.into_diagnostic(f.span)], program.source.clone())
}

/// Adds the derivative to the module; its functions.
fn derive(program: &mut Program, args: &Grad) -> Done<Vec<FuncId>> {
    let (f, func, wrt) = what(program, args)?;
    let made = match args.mode {
        Mode::Linearize | Mode::Transpose => split(&program.module, f, &func, &wrt, args.mode),
        mode => wrapper::add(&program.module, f, mode, &wrt).map(|id| vec![id]),
    };
    made.map_err(|e| at_function(program, &func, e))
}

/// `@f.fwd` and `@f.lin`, or `@f.lin.T`.
fn split(m: &Module, f: FuncId, func: &Func, wrt: &[usize], mode: Mode) -> tfc_ir::Result<Vec<FuncId>> {
    let active: Vec<bool> = (0..func.params().len()).map(|i| wrt.contains(&i)).collect();
    for &w in wrt {
        if let Some(&p) = func.params().get(w)
            && !func.ty(p).dtype.is_inexact()
        {
            let text = format!(
                "%{} of @{} is {}: it has no derivative",
                func.value(p).name,
                func.name,
                func.ty(p).display(func)
            );
            return Err(Error::new(Code::E0502, text));
        }
    }
    let memo = Memo::new(m);
    let l = memo.linearize(f, &active)?;
    let outs = (0..func.result_types.len()).filter(|&i| l.out.get(i) == Some(&true));
    if mode == Mode::Linearize {
        name_results(m, l.lin, outs.map(|i| format!("d_{}", func.result_name(i))))?;
        return Ok(vec![l.fwd, l.lin]);
    }
    let linear: Vec<bool> = (0..l.residuals + l.tangents).map(|i| i >= l.residuals).collect();
    let nonzero = vec![true; outs.count()];
    let t = memo.transpose(l.lin, &linear, &nonzero)?;
    let params = func.params().iter().enumerate().filter(|(i, _)| active.get(*i) == Some(&true));
    let reached = params.zip(&t.out).filter(|(_, out)| **out);
    name_results(m, t.func, reached.map(|((_, &p), _)| format!("ct_{}", func.value(p).name)))?;
    Ok(vec![t.func])
}
/// Names results that have no name.
fn name_results(m: &Module, id: FuncId, names: impl Iterator<Item = String>) -> tfc_ir::Result<()> {
    m.define(id, m.func(id)?.with_names(names));
    Ok(())
}

/// `--check`.
fn check_derivative(session: &Session, args: &Grad) -> Done {
    let mut program = read(session, &args.input, &args.entry, super::import::PASSES)?;
    let (f, asked, wrt) = what(&program, args)?;
    let mut bind = bindings(&args.entry.bind).or_usage()?;
    let mut f = with_extents(&program.module, f, &mut bind).or_at(Exit::Usage, &program.source)?;
    if matches!(args.mode, Mode::Hvp | Mode::Hessian) {
        // The second derivative is the first one of the gradient.
        f = wrapper::add(&program.module, f, Mode::Grad, &wrt).map_err(|e| at_function(&program, &asked, e))?;
    }
    let func = program.module.func(f).or_usage()?;
    let inputs = Inputs::parse(&program.module, &func, &args.run.input, &args.run.inputs).or_usage()?;
    // Data is read once for the three programs.
    keep_only(&mut program.module, &[f]);
    program.load_data(session)?;
    session.device(args.run.backend, args.run.threads);
    let target = Target { backend: args.run.backend, level: 2, threads: args.run.threads };
    let compile = |mode: Option<Mode>| -> Done<Engine> {
        let mut program = program.fork();
        let root = match mode {
            None => f,
            Some(mode) => wrapper::add(&program.module, f, mode, &wrt).map_err(|e| at_function(&program, &func, e))?,
        };
        keep_only(&mut program.module, &[root]);
        Engine::compile(session, program, root, target)
    };
    let (primal, jvp, vjp) = (compile(None)?, compile(Some(Mode::Jvp))?, compile(Some(Mode::Vjp))?);
    let on = |engine: &Engine, arguments: &[Tensor]| engine.run(arguments).or_at(Exit::RunTime, &program.source);
    let programs = check::Programs { primal: &|a| on(&primal, a), jvp: &|a| on(&jvp, a), vjp: &|a| on(&vjp, a) };
    // Sizes that nothing fixes: small, and different, so that axes cannot be mistaken for one another.
    let budget = &session.budget;
    let size: fn(usize) -> i64 = |i| 3 + i as i64;
    let point =
        |d| inputs.filled(&func, d).resolve(&program.module, &func, &bind, Some(size), session.reading()).or_run_time();
    let taken = budget.bytes();
    let mut x = point(Distribution::Normal)?;
    let defined = |values: Done<Vec<Tensor>>| values.map(|v| !v.iter().any(check::has_nan));
    if !matches!(defined((programs.primal)(&x)), Ok(true)) {
        // A function of positive numbers, perhaps.
        drop(std::mem::take(&mut x));
        budget.release(budget.bytes().saturating_sub(taken));
        x = point(Distribution::Uniform)?;
    }
    if !defined((programs.primal)(&x))? {
        let e =
            Error::new(Code::E0733, format!("@{} gives nan at these inputs, where nothing can be compared", func.name))
                .help("give inputs where it is smooth, by `-i NAME=SPEC`");
        return Err(Stop::with(Exit::RunTime, e));
    }
    let findings = check::check(&func, &wrt, &x, &programs, budget)?;
    for c in &findings {
        let verdict = if c.passes() { "ok" } else { "WRONG" };
        session.print(&format!(
            "@{}: {}: error {:.1e}, allowed {:.0e}: {verdict}\n",
            func.name, c.what, c.error, c.allowed
        ))?;
    }
    if findings.iter().all(check::Finding::passes) { Ok(()) } else { Err(Stop::quietly(Exit::Mismatch)) }
}
