//! Where the program begins and how it ends. Standard output carries only the product; everything else goes to standard
//! error. A panic anywhere is caught here, leaves a reproducer and gives exit code 101.
use crate::session::{self, Exit, Session};
use crate::{args, cmd, filetest};
use clap::Parser;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use tfc_api::Kernels;
use tfc_ir::OpSet;
use tfc_stablehlo::Spellings;

/// The program `tfc` with these ops and kernels.
pub fn main_with(ops: OpSet, kernels: Kernels) -> ExitCode {
    main_exporting(ops, kernels, Spellings::default())
}
/// The program `tfc` with these ops and kernels, which exports ops as these spellings say.
pub fn main_exporting(ops: OpSet, kernels: Kernels, spellings: Spellings) -> ExitCode {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // A closed stream is no reason to fail.
            let _ = match as_json(&e) {
                Some(line) => std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes()),
                None => e.print(),
            };
            return ExitCode::from(e.exit_code() as u8);
        }
    };
    let mut session = Session::new(ops, kernels, &cli.global);
    session.spellings = spellings;
    if let Err(stop) = session.limit(&cli) {
        session.show_stop(&stop);
        return stop.exit.into();
    }
    guarded(&session, || cmd::dispatch(&session, &cli.command))
}

/// What is wrong with the command line as a JSON object, where it asks for that; nothing has read it otherwise.
fn as_json(e: &clap::Error) -> Option<String> {
    let args: Vec<String> = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    let asked =
        args.windows(2).any(|w| w == ["--error-format", "json"]) || args.iter().any(|a| a == "--error-format=json");
    if !asked || !e.use_stderr() {
        return None;
    }
    let text = e.render().to_string();
    let (message, rest) = text.trim().split_once("\n\n").unwrap_or((text.trim(), ""));
    let message = message.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ");
    let d = tfc_ir::Diagnostic::error(tfc_ir::Code::E0901, tfc_ir::Span::default(), message);
    let help = rest.lines().next().unwrap_or("for more information, try '--help'");
    let d = d.help(help.trim());
    Some(tfc_frontend::render::render_without_source(&[d], tfc_frontend::render::Format::Json, false))
}

/// The runner of file tests over these ops and kernels.
pub fn runner(ops: OpSet, kernels: Kernels) -> filetest::Runner {
    filetest::Runner::of(&Session::quiet(ops, kernels).0, cmd::dispatch)
}

/// Where and why the last panic happened.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs a command; whatever it does, the process ends with a code and a word about it.
pub(crate) fn guarded(session: &Session, command: impl FnOnce() -> session::Done) -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut p) = PANIC.lock() {
            p.get_or_insert(info.to_string());
        }
    }));
    match catch_unwind(AssertUnwindSafe(command)) {
        Ok(Ok(())) => Exit::Ok.into(),
        Ok(Err(stop)) => {
            session.show_stop(&stop);
            stop.exit.into()
        }
        Err(_) => {
            let why = PANIC.lock().ok().and_then(|p| p.clone()).unwrap_or_else(|| "an unknown panic".into());
            report_bug(session, &why);
            Exit::Bug.into()
        }
    }
}

/// Writes what is needed to see the crash again: command line, reason, and every program that was read.
fn report_bug(session: &Session, why: &str) {
    let mut text = format!("// tfc {}\n// arguments:", env!("CARGO_PKG_VERSION"));
    for a in std::env::args_os().skip(1) {
        text.push_str(&format!(" {:?}", a.to_string_lossy()));
    }
    for line in why.lines() {
        text.push_str(&format!("\n// {line}"));
    }
    let mut bytes = text.into_bytes();
    for (name, source) in session.read.lock().unwrap_or_else(|e| e.into_inner()).iter() {
        bytes.extend(format!("\n// ---- {}\n", name.escape_debug()).bytes());
        bytes.extend(&**source);
    }
    session.complain(&format!("this is a bug in tfc: {why}\n"));
    let name = format!("tfc-bug-{}.tfir", std::process::id());
    let places = [std::env::temp_dir().join(&name), std::path::PathBuf::from(&name)];
    match places.iter().find(|p| std::fs::write(p, &bytes).is_ok()) {
        Some(p) => session.complain(&format!("please report it with the reproducer {}\n", p.display())),
        None => session.complain("no reproducer could be written\n"),
    }
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn a_panic_leaves_a_reproducer_and_gives_101() {
        let (session, _, err) = Session::quiet(OpSet::core(), Kernels::default());
        session.read.lock().unwrap().push(("a.tfir".into(), std::sync::Arc::new(b"tfir 1.0\n".to_vec())));
        let code = guarded(&session, || panic!("a table is upside down"));
        let _ = std::panic::take_hook();
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(101)));
        let said = err.text();
        assert!(said.contains("this is a bug in tfc") && said.contains("a table is upside down"), "{said}");
        let path = said.split("reproducer ").nth(1).unwrap().trim();
        let text = std::fs::read_to_string(path).unwrap();
        std::fs::remove_file(path).unwrap();
        assert!(text.contains("// ---- a.tfir\ntfir 1.0") && text.contains("upside down"), "{text}");
    }
    /// All of them.
    pub const ALL: &[fn()] = &[a_panic_leaves_a_reproducer_and_gives_101];
}
