//! `tfc fmt FILE…`: the one layout, comments kept.
use crate::args::Fmt;
use crate::program::{display_name, read_bytes};
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::path::Path;
use std::sync::Arc;
use tfc_frontend::data::write_atomically;
use tfc_frontend::render::Source;
use tfc_ir::{Code, Error};

pub(super) fn run(session: &Session, args: &Fmt) -> Done {
    let mut worst = Exit::Ok;
    for file in &args.files {
        let exit = match one(session, file, args.check) {
            Ok(exit) => exit,
            // The other files are still worth laying out.
            Err(stop) => {
                session.show_stop(&stop);
                stop.exit
            }
        };
        worst = worst.max(exit);
    }
    if worst == Exit::Ok { Ok(()) } else { Err(Stop::quietly(worst)) }
}

fn one(session: &Session, file: &Path, check: bool) -> Done<Exit> {
    if file.extension().is_some_and(|e| e == "mlir") {
        let e = Error::new(Code::E0901, format!("`{}` is no .tfir program", file.display()));
        return Err(Stop::with(Exit::Usage, e.help("`tfc import` prints it as one, which is laid out")));
    }
    let bytes = read_bytes(session, file)?;
    let name = display_name(session, file);
    let source = Arc::new(Source::new(name.as_str(), &*bytes));
    let wrong = |d| Stop::at(Exit::Program, d, source.clone());
    // The lexer says what is wrong with bytes that are no text.
    let text = std::str::from_utf8(&bytes).map_err(|_| wrong(tfc_frontend::text::syntax_errors(&bytes)))?;
    let text = tfc_frontend::text::fmt_within(text, &session.budget).map_err(wrong)?;
    if file == Path::new("-") {
        if !check {
            session.print(&text)?;
        }
    } else if text.as_bytes() != bytes.as_slice() && !check {
        write_atomically(file, |out| out.write_all(text.as_bytes())).or_run_time()?;
        session.detail(format_args!("{name}: laid out"));
    }
    if check && text.as_bytes() != bytes.as_slice() {
        session.talk(format_args!("{name}: not laid out as `tfc fmt` would"));
        return Ok(Exit::Program);
    }
    Ok(Exit::Ok)
}
