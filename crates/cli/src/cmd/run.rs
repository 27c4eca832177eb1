//! `tfc run FILE`: compile and run an entry point.
use crate::args::{BackendName, Entry, Print, Run, RunOptions, TimeFormat};
use crate::bind::Inputs;
use crate::deliver::{Expectations, Outputs};
use crate::engine::{Engine, Target, available, run_passes};
use crate::entry::{keep_only, pick, result_names, with_extents};
use crate::limits::bindings;
use crate::plot::Plots;
use crate::program::{Program, load};
use crate::progress::ProgressLine;
use crate::rates::Rates;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use crate::trace::{Runs, Trace};
use std::path::PathBuf;
use std::time::Instant;
use tfc_api::trap::{self, Origins, Trap};
use tfc_engine::Profile;
use tfc_frontend::data::compare::Tolerance;
use tfc_frontend::data::show::{Detail, show_to};
use tfc_ir::{Code, FuncId, Tensor};
use tfc_passes::Pipeline;

pub(super) fn run(session: &Session, args: &Run) -> Done {
    let started = Instant::now();
    let program = load(session, &args.input)?;
    let entry = pick(&program.module, args.entry.entry.as_deref()).or_usage()?;
    let mut trace = Trace::new(started);
    trace.span("parse and verify", started);
    execute(session, program, entry, &args.entry, &args.output, &args.run, trace)
}

/// Runs function `f` of a program under the options of `run`.
pub(crate) fn execute(
    session: &Session,
    mut program: Program,
    f: FuncId,
    entry: &Entry,
    outputs: &[String],
    options: &RunOptions,
    mut trace: Trace,
) -> Done {
    // All that can be refused is refused before anything is computed.
    let mut bind = bindings(&entry.bind).or_usage()?;
    let f = with_extents(&program.module, f, &mut bind).or_at(Exit::Usage, &program.source)?;
    let func = program.module.func(f).or_usage()?;
    let names = result_names(&func);
    let inputs = Inputs::parse(&program.module, &func, &options.input, &options.inputs).or_usage()?;
    inputs.complete(&func).or_usage()?;
    let outputs = Outputs::parse(&names, outputs, options.out_dir.as_deref()).or_usage()?;
    let plots = Plots::parse(&names, &options.plot).or_usage()?;
    let tolerance = Tolerance { rtol: options.rtol, atol: options.atol };
    let expect = Expectations::parse(&names, &options.expect, tolerance).or_usage()?;
    keep_only(&mut program.module, &[f]);
    let read: Vec<PathBuf> = [program.files(session), inputs.files(), expect.files()].concat();
    outputs.refuse_program(&program.files(session)).or_usage()?;
    plots.files().try_for_each(|p| crate::deliver::refuse_input(p, &read)).or_usage()?;
    if let Some(profile) = &options.profile {
        crate::deliver::refuse_input(profile, &read).or_usage()?;
        tfc_frontend::data::check_writable(profile).or_run_time()?;
    }
    outputs.check(options.out_dir.as_deref()).or_run_time()?;
    plots.check().or_run_time()?;

    let at = Instant::now();
    let references = expect.load(&session.budget).or_run_time()?;
    program.load_data(session)?;
    let arguments = inputs.resolve(&program.module, &func, &bind, None, session.reading()).or_run_time()?;
    trace.span("read data", at);

    let at = Instant::now();
    let source = program.source.clone();
    let again = (!options.trap.is_empty()).then(|| program.fork());
    let mut engine =
        Engine::compile(session, program, f, Target { backend: options.backend, level: 2, threads: options.threads })?;
    trace.span("compile", at);

    session.device(options.backend, options.threads);
    if options.time == Some(TimeFormat::Steps) || options.profile.is_some() && engine.has_step_times() {
        trace.steps = Some(engine.measure(options.backend)?);
    }
    let shown = ProgressLine::start(session, options.progress, || engine.progress());
    let (results, runs) = repeat(&engine, &arguments, options.repeat, &mut trace, &source)?;
    drop(shown);
    match options.time {
        Some(TimeFormat::Text) => trace.report(session, &runs, engine.peak_bytes()),
        Some(TimeFormat::Steps) => {
            trace.report(session, &runs, engine.peak_bytes());
            let backend = available(session, options.backend)?;
            let threads = options.threads.map_or(0, |n| n as usize);
            trace.report_steps(session, &runs, &Rates::measure(&session.ops, &*backend, threads).or_run_time()?);
        }
        Some(TimeFormat::Json) => {
            let device = session.device_line(options.backend, options.threads);
            session.complain(&trace.json(&runs, engine.peak_bytes(), &device));
        }
        None => {}
    }
    if let Some(profile) = &options.profile {
        trace.write(profile, &runs).or_run_time()?;
    }
    let traps: Vec<_> = options.trap.iter().map(|t| t.of()).collect();
    if let Some((i, text)) = trap::find(&names, &results, &traps, &session.budget).or_run_time()? {
        let origin = again.and_then(|p| origin(session, p, f, &arguments, &traps));
        let explained =
            origin.and_then(|(origins, again)| Some(origins.explain(again.get(i)?, &text, &func.name, Some(&source))));
        let e = explained.unwrap_or_else(|| trap::unexplained(&text));
        return Err(e).or_at(Exit::RunTime, &source);
    }
    // Files first: a reader of standard output who has seen enough ends the process.
    outputs.write(&names, &results, &session.budget).or_run_time()?;
    plots.write(&names, &results, &session.budget).or_run_time()?;
    let differing = expect.compare(&names, &results, &references, &session.budget).or_run_time()?;
    let printed = deliver(session, &names, &results, options.print);
    if differing.is_empty() { printed } else { Err(mismatch(differing)) }
}

/// Runs the program once more, on the interpreter, to see where what is trapped arises; `None` where that fails.
fn origin(
    session: &Session,
    mut program: Program,
    f: FuncId,
    arguments: &[Tensor],
    traps: &[Trap],
) -> Option<(Origins, Vec<Tensor>)> {
    let names = crate::bind::param_names(&program.module, &*program.module.func(f).ok()?);
    // What no result needs may fail where the backend has not run it.
    run_passes(&mut program, &Pipeline::parse("dce").ok()?, &mut |_| {}).ok()?;
    let interp = Target { backend: BackendName::Interp, level: 0, threads: None };
    let engine = Engine::compile(session, program, f, interp).ok()?;
    let origins = Origins::new(traps, &names, arguments, &session.budget);
    trap::follow(origins, |watch| engine.watched(arguments, watch)).ok()
}

fn mismatch(differing: Vec<String>) -> Stop {
    let diagnostics = differing.into_iter().map(|text| {
        tfc_ir::Diagnostic::error(Code::E0731, tfc_ir::Span::default(), text)
            .help("--rtol and --atol set what is allowed")
    });
    Stop::plain(Exit::Mismatch, diagnostics.collect())
}

/// Runs `n` times; the last results and how long the runs took. Results of one run are given back before the next, as a
/// caller would who needs them no longer.
fn repeat(
    engine: &Engine,
    arguments: &[Tensor],
    n: u32,
    trace: &mut Trace,
    source: &std::sync::Arc<tfc_frontend::render::Source>,
) -> Done<(Vec<Tensor>, Runs)> {
    let mut runs = Runs::default();
    let mut results = vec![];
    while runs.count() < n {
        let batch = runs.next_batch().min(n - runs.count());
        let at = Instant::now();
        for _ in 0..batch {
            drop(std::mem::take(&mut results));
            results = engine.run(arguments).or_at(Exit::RunTime, source)?;
        }
        runs.push(at.elapsed(), batch);
        if runs.count() == 1 && n > 1 {
            // What the first run takes besides is no step's.
            trace.steps.iter().for_each(Profile::clear);
        }
        let name = match (n, batch) {
            (1, _) => "run".to_owned(),
            (_, 1) => format!("run {}", runs.count()),
            _ => format!("runs {} to {}", runs.count() - batch + 1, runs.count()),
        };
        trace.span(name, at);
    }
    Ok((results, runs))
}

/// Prints the results.
fn deliver(session: &Session, names: &[String], results: &[Tensor], print: Print) -> Done {
    let detail = match print {
        Print::None => return Ok(()),
        Print::Json => return session.print(&as_json(names, results)),
        Print::Summary => Detail::Summary,
        Print::Full => Detail::Full,
    };
    let mut emit = |text: &str| {
        session.budget.check().or_run_time()?;
        if text.is_empty() { Ok(()) } else { session.print(text) }
    };
    names.iter().zip(results).try_for_each(|(n, t)| show_to(n, t, detail, &mut emit))
}

/// One object: a value for each result, nested lists in logical order, complex numbers as pairs; what JSON has no number for is text.
fn as_json(names: &[String], results: &[Tensor]) -> String {
    let quoted = |text: String| {
        let plain = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E' | ',' | '[' | ']' | ' ');
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(|c: char| !plain(c)) {
            let (before, word) = rest.split_at(at);
            // A sign belongs to the word.
            let (before, sign) = before.strip_suffix('-').map_or((before, ""), |b| (b, "-"));
            let end = word.find([',', ']']).unwrap_or(word.len());
            let (word, after) = word.split_at(end);
            let bare = matches!(word, "true" | "false");
            out.push_str(before);
            out.push_str(&if bare { word.to_owned() } else { format!("\"{sign}{word}\"") });
            rest = after;
        }
        out + rest
    };
    let value = |t: &Tensor| quoted(tfc_ir::print::literal(t).replace('(', "[").replace(')', "]"));
    let items: Vec<String> =
        names.iter().zip(results).map(|(n, t)| format!("  {}: {}", tfc_ir::print::quote(n), value(t))).collect();
    format!("{{\n{}\n}}\n", items.join(",\n"))
}
