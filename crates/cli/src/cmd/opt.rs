//! `tfc opt FILE -p PIPELINE`: run passes and print the program.
use crate::args::{Input, Opt};
use crate::program::{Program, load};
use crate::readback::ReadBack;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::fmt::Write;
use tfc_frontend::data::{check_writable, write_atomically};
use tfc_passes::{PASSES, Pipeline};

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
    let mut reader = ReadBack::of(session, args.verify_roundtrip, &program.module);
    let result = crate::engine::run_passes(program, pipeline, &mut |r| {
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
