//! `tfc compile FILE`: passes and lowering, and what a program becomes on the way.
#[cfg(feature = "cuda")]
mod cuda;
mod graph;
mod html;
mod stablehlo;
#[cfg(feature = "gpu")]
mod wgsl;

use crate::args::Compile;
use crate::engine::{Engine, Target, available, run_passes};
use crate::entry::{export_only, keep_only, pick, specialise};
use crate::limits::bindings;
use crate::program::{Program, load};
use crate::readback::ReadBack;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tfc_frontend::data::{check_writable, write_atomically};
use tfc_ir::op::Expand;
use tfc_ir::outside;
use tfc_ir::{BODY, Code, Error, ErrorClass, Finished, Func, FuncId, Result, Tensor};
use tfc_passes::ad::Memo;

/// What can be emitted, its name and its extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Tfir,
    Json,
    Plan,
    StableHlo,
    Dot,
    Svg,
    Html,
    Cuda,
    Ptx,
    Wgsl,
}
impl Kind {
    const NAMES: [(&'static str, Kind); 10] = [
        ("tfir", Kind::Tfir),
        ("json", Kind::Json),
        ("plan", Kind::Plan),
        ("stablehlo", Kind::StableHlo),
        ("dot", Kind::Dot),
        ("svg", Kind::Svg),
        ("html", Kind::Html),
        ("cuda", Kind::Cuda),
        ("ptx", Kind::Ptx),
        ("wgsl", Kind::Wgsl),
    ];

    fn of(name: &str) -> Result<Kind> {
        if let Some((_, k)) = Kind::NAMES.iter().find(|(n, _)| *n == name) {
            let lacks = match k {
                Kind::Cuda | Kind::Ptx if cfg!(not(feature = "cuda")) => Some("cuda"),
                Kind::Wgsl if cfg!(not(feature = "gpu")) => Some("gpu"),
                _ => None,
            };
            if let Some(feature) = lacks {
                return Err(Error::new(Code::E0812, format!("this build does not emit {name}")).help(format!(
                    "it emits tfir, json, plan, stablehlo, dot, svg and html; `cargo build -p tfc-lang --features {feature}` builds one that does",
                )));
            }
            return Ok(*k);
        }
        Err(Error::new(Code::E0901, format!("`{}` is nothing to emit", name.escape_debug()))
            .help("what can be emitted: tfir, json, plan, stablehlo, dot, svg, html"))
    }
}

/// What to emit and where.
fn wanted(args: &Compile) -> Result<Vec<(Kind, Option<PathBuf>)>> {
    let mut out = vec![];
    for text in &args.emit {
        let (name, path) = text.split_once('=').map_or((text.as_str(), None), |(n, p)| (n, Some(PathBuf::from(p))));
        out.push((Kind::of(name)?, path));
    }
    if let Some(path) = &args.output {
        match out.as_mut_slice() {
            [] => {
                let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
                let kind = match extension {
                    "txt" => Kind::Plan,
                    "mlir" => Kind::StableHlo,
                    other => Kind::of(other)?,
                };
                out.push((kind, Some(path.clone())));
            }
            [(_, slot @ None)] => *slot = Some(path.clone()),
            _ => {
                return Err(Error::new(
                    Code::E0901,
                    "`-o` names one file; give each kind its own by `--emit KIND=PATH`",
                ));
            }
        }
    }
    if out.is_empty() {
        out.push((Kind::Tfir, None));
    }
    Ok(out)
}

pub(super) fn run(session: &Session, args: &Compile) -> Done {
    let wanted = wanted(args).map_err(|e| {
        let exit = if e.code().class() == ErrorClass::Backend { Exit::RunTime } else { Exit::Usage };
        Stop::with(exit, e)
    })?;
    available(session, args.backend)?;
    let pipeline = pipeline(session, args)?;
    for (_, path) in &wanted {
        if let Some(path) = path {
            crate::deliver::refuse_input(path, std::slice::from_ref(&args.input.file)).or_usage()?;
            check_writable(path).or_run_time()?;
        }
    }
    let mut program = load(session, &args.input)?;
    let roots = roots(&program, args)?;
    let roots = bind_extents(&program, roots, args)?;
    let exported: Vec<FuncId> = roots.iter().copied().filter(|&r| is_exported(&program, r)).collect();
    keep_only(&mut program.module, &roots);
    let plan = match wanted.iter().any(|w| matches!(w.0, Kind::Plan | Kind::Html)) {
        true => Some(plan(session, &program, &roots, args)?),
        false => None,
    };
    let exported_text = match wanted.iter().any(|w| w.0 == Kind::StableHlo) {
        true => Some(stablehlo::text(session, &program, &roots, args)?),
        false => None,
    };
    #[cfg(feature = "cuda")]
    let kernels = |kind| cuda::text(session, &program, &roots, args, kind == Kind::Ptx);
    #[cfg(not(feature = "cuda"))]
    let kernels = |_| Ok::<String, Stop>(String::new());
    #[cfg(feature = "gpu")]
    let modules = || wgsl::text(session, &program, &roots, args);
    #[cfg(not(feature = "gpu"))]
    let modules = || Ok::<String, Stop>(String::new());
    let mut written = vec![];
    for (kind, _) in &wanted {
        written.push(match kind {
            Kind::Cuda | Kind::Ptx => kernels(*kind)?,
            Kind::Wgsl => modules()?,
            _ => String::new(),
        });
    }
    let mut reader = ReadBack::of(session, args.verify_roundtrip, &program.module);
    let mut states = wanted.iter().any(|w| w.0 == Kind::Html).then(|| html::States::of(&program.module));
    let made = run_passes(&mut program, &pipeline, &mut |r| {
        reader.see(&r);
        states.iter_mut().for_each(|s| s.take(&r));
    });
    // Said before what the verifier says of the same pass.
    reader.done()?;
    made?;
    // Passes keep entry points alone; what is printed has those that the source has.
    keep_only(&mut program.module, &roots);
    export_only(&program.module, &roots, |id| exported.contains(&id));
    for ((kind, path), kernels) in wanted.iter().zip(written) {
        let text = match kind {
            Kind::Cuda | Kind::Ptx | Kind::Wgsl => kernels,
            Kind::Plan => plan.clone().unwrap_or_default(),
            Kind::Html => {
                let plan = plan.as_deref().unwrap_or_default();
                states.as_ref().map(|s| s.page(&program.path, plan)).unwrap_or_default()
            }
            Kind::StableHlo => exported_text.clone().unwrap_or_default(),
            kind => emit(&program, *kind),
        };
        match path {
            Some(path) => write(path, &text)?,
            None => session.print(&text)?,
        }
    }
    Ok(())
}

fn is_exported(program: &Program, id: FuncId) -> bool {
    program.module.try_func(id).is_some_and(|f| f.export)
}

fn target(args: &Compile) -> Target {
    Target { backend: args.backend, level: args.level.level, threads: None }
}

/// The passes of the level, up to `--after`.
fn pipeline(session: &Session, args: &Compile) -> Done<tfc_passes::Pipeline> {
    let all = target(args).pipeline(session)?;
    let Some(pass) = &args.after else { return Ok(all) };
    let until = all.until(pass).ok_or_else(|| {
        let names: Vec<_> = all.names().collect();
        Error::new(Code::E0901, format!("the pipeline has no pass `{}`", pass.escape_debug()))
            .help(format!("at this level it is {}", names.join(",")))
    });
    until.or_usage()
}

/// The functions to compile: the entry named, else every export, else all.
fn roots(program: &Program, args: &Compile) -> Done<Vec<FuncId>> {
    if args.entry.entry.is_some() {
        return Ok(vec![pick(&program.module, args.entry.entry.as_deref()).or_usage()?]);
    }
    let funcs = program.module.funcs();
    let exports: Vec<FuncId> = funcs.iter().filter(|(_, f)| f.export).map(|(id, _)| *id).collect();
    Ok(if exports.is_empty() { funcs.iter().map(|(id, _)| *id).collect() } else { exports })
}

/// Replaces symbols of the roots by numbers (`--bind n=128`); the roots that come of it.
fn bind_extents(program: &Program, roots: Vec<FuncId>, args: &Compile) -> Done<Vec<FuncId>> {
    let bind = bindings(&args.entry.bind).or_usage()?;
    if bind.is_empty() {
        return Ok(roots);
    }
    let m = &program.module;
    let funcs: Vec<_> = roots.iter().map(|&id| m.func(id)).collect::<Result<_>>().or_usage()?;
    if let Some(name) = bind.keys().find(|n| !funcs.iter().any(|f| f.syms.iter().any(|s| *s.name == ***n))) {
        let e = Error::new(Code::E0904, format!("no compiled function has an extent `{name}`"));
        return Err(Stop::with(Exit::Usage, e));
    }
    let one = |(&id, f): (&FuncId, &std::sync::Arc<Finished>)| {
        specialise(m, id, f, &bind)
            .map_err(|e| Stop::at(Exit::Program, vec![e.into_diagnostic(f.span)], program.source.clone()))
    };
    roots.iter().zip(&funcs).map(one).collect()
}

fn plan(session: &Session, program: &Program, roots: &[FuncId], args: &Compile) -> Done<String> {
    let mut out = String::new();
    for &root in roots {
        let mut copy = program.fork();
        stand_in_for_data(&mut copy).or_at(Exit::Program, &program.source)?;
        out.push_str(&explained(session, copy.fork(), root, args)?);
        out.push_str(&Engine::compile(session, copy, root, target(args))?.describe());
    }
    Ok(out)
}

/// What ops say of their expansion: derivatives as they are written, the others once derivatives are written out.
fn explained(session: &Session, mut program: Program, root: FuncId, args: &Compile) -> Done<String> {
    let mut out = String::new();
    let Some(first) = target(args).pipeline(session)?.until("expand-ad") else { return Ok(out) };
    let mut written = program.fork();
    keep_only(&mut written.module, &[root]);
    told(&written, true, &mut out)?;
    run_passes(&mut program, &first, &mut |_| {})?;
    keep_only(&mut program.module, &[root]);
    tfc_passes::ad::hint_extents(&program.module);
    told(&program, false, &mut out)?;
    Ok(out)
}
/// What the ops of a program say, those that are derivatives or the others.
fn told(program: &Program, derivatives: bool, out: &mut String) -> Done {
    let memo = Memo::new(&program.module);
    for (_, f) in program.module.funcs() {
        let mut ops = vec![];
        f.walk(BODY, &mut |o| ops.push(o));
        for op in ops.into_iter().map(|o| f.op(o)) {
            let Some(explain) = op.def.explain else { continue };
            if matches!(op.def.expand, Expand::Derivative(_)) != derivatives {
                continue;
            }
            let text = outside::column(op.def, "explain", || explain(&memo, &f, op));
            let text = text.map_err(|e| e.or_span(op.span)).or_at(Exit::Program, &program.source)?;
            let names: Vec<String> = op.results.iter().map(|&r| format!("%{}", f.value(r).name)).collect();
            let _ = writeln!(out, "@{} {} = {text}", f.name, names.join(", "));
        }
    }
    Ok(())
}

/// A plan depends on the types of data and not on their values: they are not read, and one element stands in for them.
fn stand_in_for_data(program: &mut Program) -> Result<()> {
    for d in &mut program.module.data {
        let none = || Error::new(Code::E0607, format!("the shape of data @{} is not exact", d.name)).or_span(d.span);
        let shape = d.ty.exact_shape().ok_or_else(none)?;
        let one = Tensor::zeros(d.ty.dtype, &[])?;
        d.value = Some(Tensor::view(one.data().clone(), shape.clone(), vec![0; shape.len()], 0)?);
    }
    Ok(())
}

/// The module itself, as passes have left it.
fn emit(program: &Program, kind: Kind) -> String {
    let funcs = program.module.funcs();
    let list: Vec<&Func> = funcs.iter().map(|(_, f)| &***f).collect();
    match kind {
        Kind::Json => format!("{:#}\n", tfc_ir::json::module(&program.module)),
        Kind::Dot => graph::dot(&list),
        Kind::Svg => graph::svg(&list),
        Kind::Tfir | Kind::Plan | Kind::StableHlo | Kind::Html | Kind::Cuda | Kind::Ptx | Kind::Wgsl => {
            tfc_ir::print::module(&program.module)
        }
    }
}

fn write(path: &Path, text: &str) -> Done {
    write_atomically(path, |out| out.write_all(text.as_bytes())).or_run_time()
}
