//! `tfc opt FILE -p PIPELINE`: run passes and print the program.
use crate::args::{Input, Opt};
use crate::program::{Program, load};
use crate::readback::ReadBack;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::fmt::Write;
use tfc_frontend::data::{check_writable, write_atomically};
use tfc_frontend::render::Source;
use tfc_ir::Span;
use tfc_passes::{PASSES, Pipeline, Report};

pub(super) fn run(session: &Session, args: &Opt) -> Done {
    if args.list_passes {
        let width = PASSES.iter().map(|p| p.name.len()).max().unwrap_or(0);
        let mut out = String::new();
        for p in PASSES {
            let _ = writeln!(out, "{:width$}  {}", p.name, p.doc);
        }
        return session.print(&out);
    }
    let Some(file) = args.file.clone() else { return Err(Stop::quietly(Exit::Usage)) };
    let pipeline = match &args.passes {
        Some(text) => Pipeline::parse(text).or_usage()?,
        None => tfc_passes::level(2),
    };
    if let Some(path) = &args.output {
        crate::deliver::refuse_input(path, std::slice::from_ref(&file)).or_usage()?;
        check_writable(path).or_run_time()?;
    }
    let mut program = load(session, &Input { file, format: args.format })?;
    transform(session, args, &mut program, &pipeline)?;
    let text = program.text(args.nest);
    match &args.output {
        Some(path) => write_atomically(path, |out| out.write_all(text.as_bytes())).or_run_time(),
        None => session.print(&text),
    }
}

fn transform(session: &Session, args: &Opt, program: &mut Program, pipeline: &Pipeline) -> Done {
    let mut times = vec![];
    let pipeline = if args.explain { pipeline.clone().explained() } else { pipeline.clone() };
    let source = program.source.clone();
    let mut reader = ReadBack::of(session, args.verify_roundtrip, &program.module);
    let result = crate::engine::run_passes(program, &pipeline, &mut |r| {
        explain(session, &source, &r);
        if args.print_after_all || (args.print_changed && r.changed) {
            session.talk(format_args!("// after {}\n{}", r.pass.name, tfc_ir::print::module(r.module)));
        }
        times.push((r.pass.name, r.time, r.changed));
        reader.see(&r);
    });
    if args.time_passes {
        for (name, time, changed) in times {
            let changed = if changed { "changed" } else { "" };
            session.talk(format_args!("{name:12} {:9.3} ms  {changed}", time.as_secs_f64() * 1e3));
        }
    }
    // Said before what the verifier says of the same pass.
    reader.done()?;
    result.map(|_| ())
}

/// A line for each statement that the pass replaced or dropped: its place, what it was and what it is now.
fn explain(session: &Session, source: &Source, r: &Report) {
    for c in &r.changes {
        let (line, column) = source.line_column(c.span.start);
        let place = match c.span == Span::default() {
            true => String::new(),
            false => format!("{}:{line}:{column}: ", source.name_at(c.span.start)),
        };
        session.say(format_args!("{}: {place}@{}: {}: {}", r.pass.name, c.func, c.was, c.now));
    }
}
