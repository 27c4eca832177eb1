//! `tfc check FILE…`: parse and verify.
mod guards;
mod warnings;

pub(super) use warnings::of as warnings;

use crate::args::{BackendName, Check, FileFormat};
use crate::bind::param_names;
use crate::engine;
use crate::entry::result_names;
use crate::program::{Program, format_of, load_from};
use crate::session::{Done, Exit, Session, Stop};
use std::collections::BTreeMap;
use std::path::Path;
use tfc_frontend::render::Source;
use tfc_ir::{BODY, Code, Diagnostic, Error, Span};

pub(super) fn run(session: &Session, args: &Check) -> Done {
    let mut worst = Exit::Ok;
    for file in &args.files {
        let exit = match one(session, args, file) {
            Ok(exit) => exit,
            // The other files are still worth checking.
            Err(stop) => {
                session.show_stop(&stop);
                stop.exit
            }
        };
        worst = worst.max(exit);
    }
    if worst == Exit::Ok { Ok(()) } else { Err(Stop::quietly(worst)) }
}

fn one(session: &Session, args: &Check, file: &Path) -> Done<Exit> {
    let program = match load_from(session, file, args.format) {
        Err(stop) if args.allow_unregistered => return without_unregistered(stop),
        Err(stop) if args.unsupported => return unread(session, stop),
        loaded => loaded?,
    };
    let errors: Vec<Diagnostic> =
        tfc_ir::verify::module(&program.module).into_iter().map(|(f, e)| e.into_diagnostic(f.span)).collect();
    if !errors.is_empty() {
        return Err(Stop::at(Exit::Program, errors, program.source));
    }
    program.check_data_paths(session)?;
    check_shardings(session, &program)?;
    let mut exit = Exit::Ok;
    let listed = args.guards || args.strict_shapes;
    let guards = if listed { guards::of(&program) } else { vec![] };
    if args.guards {
        for g in &guards {
            let (line, column) = program.source.line_column(g.span.start);
            let places = g.places(&program);
            let colon = if places.is_empty() { "" } else { ": " };
            session.print(&format!(
                "{}:{line}:{column}: {}{colon}{places}\n",
                program.source.name_at(g.span.start),
                g.text
            ))?;
        }
    }
    if args.strict_shapes && !guards.is_empty() {
        let help = "state it by `where` in the header, or leave out --strict-shapes";
        let found = guards.iter().map(|g| g.diagnostic(help));
        session.show(&found.collect::<Vec<_>>(), Some(&program.source));
        exit = Exit::Program;
    }
    if args.unsupported {
        exit = exit.max(unsupported(session, args.backend, program)?);
    } else {
        // Programs of other languages are written by programs.
        let machine_made = format_of(file, args.format)? == FileFormat::Mlir;
        let warnings = if listed || machine_made { vec![] } else { warnings(&program) };
        let source = program.source.clone();
        expands(program)?;
        session.show(&warnings, Some(&source));
        if exit == Exit::Ok {
            session.detail(format_args!("{}: ok", file.display()));
        }
    }
    Ok(exit)
}

/// What is cut over a mesh has to be there.
fn check_shardings(session: &Session, program: &Program) -> Done {
    session.shardings()?;
    let funcs = program.module.funcs();
    let known: Vec<String> =
        funcs.iter().flat_map(|(_, f)| [param_names(&program.module, f), result_names(f)].concat()).collect();
    match session.sharded().find(|name| !known.iter().any(|k| k == name)) {
        None => Ok(()),
        Some(name) => {
            let text = format!("there is no parameter or result `{}` to cut", name.escape_debug());
            let e = Error::new(Code::E0904, text).help(format!("there are {}", known.join(", ")));
            Err(Stop::with(Exit::Usage, e))
        }
    }
}

/// What the ops of the program stand for has to hold as well: derivatives and composites are written out, as they are wherever
/// the program is compiled. A limit that this reaches is no mistake of the program.
fn expands(mut program: Program) -> Done {
    match engine::run_passes(&mut program, &tfc_passes::level(0), &mut |_| {}) {
        Err(stop) if !stop.diagnostics().iter().all(|d| d.code.is_limit()) => Err(stop),
        _ => Ok(()),
    }
}

/// What is left of a program's mistakes where quoted ops may be unknown. Statements around such an op have been checked
/// against its written types; the op itself cannot be.
fn without_unregistered(stop: Stop) -> Done<Exit> {
    let Some(source) = stop.source().cloned() else { return Err(stop) };
    let accepted = |d: &&Diagnostic| d.code == Code::E0217 && source.slice(d.span()).starts_with('"');
    let left: Vec<Diagnostic> = stop.diagnostics().iter().filter(|d| !accepted(d)).cloned().collect();
    if left.is_empty() { Ok(Exit::Ok) } else { Err(Stop::at(stop.exit, left, source)) }
}

/// All that a reader of another language does not read, each with its places; other errors are reported as usual.
fn unread(session: &Session, stop: Stop) -> Done<Exit> {
    let Some(source) = stop.source().cloned() else { return Err(stop) };
    let (lacking, wrong): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
        stop.diagnostics().iter().partition(|d| matches!(d.code, Code::E0240 | Code::E0241));
    let mut found: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    for d in &lacking {
        found.entry(&d.message).or_default().push(d.span());
    }
    list(session, &source, &found)?;
    if wrong.is_empty() {
        return Ok(stop.exit);
    }
    let wrong = wrong.into_iter().cloned().collect();
    Err(Stop::at(stop.exit, wrong, source))
}
/// A line each: what it is, and where.
fn list(session: &Session, source: &Source, found: &BTreeMap<&str, Vec<Span>>) -> Done {
    for (name, spans) in found {
        let places: Vec<String> = spans
            .iter()
            .map(|s| {
                let (line, column) = source.line_column(s.start);
                format!("{}:{line}:{column}", source.name_at(s.start))
            })
            .collect();
        session.print(&format!("{name}: {}\n", places.join(" ")))?;
    }
    Ok(())
}

/// Every op that a backend lacks, with the places that use it.
fn unsupported(session: &Session, backend: BackendName, mut program: Program) -> Done<Exit> {
    let backend = engine::available(session, backend)?;
    engine::run_passes(&mut program, &tfc_passes::level(0), &mut |_| {})?;
    let mut found: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    let mut known: BTreeMap<&str, bool> = BTreeMap::new();
    for (_, f) in program.module.funcs() {
        f.walk(BODY, &mut |o| {
            let def = f.op(o).def;
            if !*known.entry(def.name).or_insert_with(|| engine::supports(session, &*backend, def)) {
                found.entry(def.name).or_default().push(f.op(o).span);
            }
        });
    }
    list(session, &program.source, &found)?;
    Ok(if found.is_empty() { Exit::Ok } else { Exit::Program })
}
