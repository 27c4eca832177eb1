//! `tfc watch COMMAND …`: runs a command, and again whenever a file that it reads changes.
use crate::args::{Cli, Command, Watch};
use crate::session::{Done, Exit, Session, Stop};
use clap::Parser;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use tfc_ir::{Code, Error};

/// Between two looks at the files.
const PAUSE: Duration = Duration::from_millis(100);

/// When each file was last written, and how long it is; nothing of one that is not there.
type Seen = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

pub(super) fn run(session: &Session, args: &Watch) -> Done {
    let words = || std::iter::once("tfc".to_owned()).chain(args.words.iter().cloned());
    let parsed = || {
        Cli::try_parse_from(words()).map_err(|e| {
            let text = e.render().to_string();
            let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            let help = "the words after `watch` are those of another command: `tfc watch run p.tfir -i x=1`";
            Stop::with(Exit::Usage, Error::new(Code::E0901, first).help(help))
        })
    };
    if matches!(parsed()?.command, Command::Watch(_) | Command::Lsp(_)) || args.words.iter().any(|w| w == "-") {
        let e = Error::new(Code::E0901, "a command that waits for others cannot be watched");
        return Err(Stop::with(Exit::Usage, e.help("give it a file")));
    }
    let (named, written) = named(&args.words);
    loop {
        let cli = parsed()?;
        // Times are taken first: what is written while the command runs is seen as a change.
        let before = seen(named.iter().cloned());
        let mut one = Session::new((*session.ops).clone(), session.kernels.clone(), &cli.global);
        one.spellings = session.spellings.clone();
        one.limit(&cli)?;
        if std::io::stderr().is_terminal() {
            one.complain("\u{1b}[2J\u{1b}[H");
        }
        one.talk(format_args!("watch: tfc {}", args.words.join(" ")));
        let _ = crate::start::guarded(&one, || super::dispatch(&one, &cli.command));
        let read = one.read.lock().unwrap_or_else(|e| e.into_inner());
        let also = read.iter().map(|r| PathBuf::from(&r.0));
        let mut last = seen(also.filter(|p| !before.contains_key(p) && !written.contains(p)).collect::<Vec<_>>());
        last.extend(before);
        drop(read);
        one.talk("watch: waiting for a change");
        while seen(last.keys().cloned()) == last {
            std::thread::sleep(PAUSE);
        }
    }
}
/// Options whose values name files that are read, and files that are written.
const READ: [&str; 4] = ["-i", "--input", "--inputs", "--expect"];
const WRITTEN: [&str; 5] = ["-o", "--output", "--plot", "--emit", "--profile"];

/// Files that the words name to be read, less those to be written: a run that replaces one would be its own reason to run again.
fn named(words: &[String]) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut read, mut written) = (vec![], vec![]);
    let mut option = "";
    for word in words {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with('-') => (name, value),
            _ => (std::mem::take(&mut option), word.as_str()),
        };
        // Behind a name, without the name of an array in it.
        let path = value.rsplit_once('=').map_or(value, |v| v.1).trim_start_matches('@');
        let whole = PathBuf::from(path);
        let program = whole.extension().is_some_and(|e| e == "tfir" || e == "mlir" || e == "mlirbc");
        if WRITTEN.contains(&name) {
            written.push(whole);
        } else if READ.contains(&name) {
            let paths = [path, path.rsplit_once(':').map_or(path, |v| v.0)].map(PathBuf::from);
            read.extend(paths.into_iter().find(|p| p.is_file()));
        } else if name.is_empty() && word.starts_with('-') {
            option = word;
        } else if program {
            // It may not be there yet.
            read.push(whole);
        }
    }
    read.retain(|p| !written.contains(p));
    (read, written)
}
fn seen(paths: impl IntoIterator<Item = PathBuf>) -> Seen {
    let one = |p: PathBuf| {
        let state = std::fs::metadata(&p).ok().and_then(|m| Some((m.modified().ok()?, m.len())));
        (p, state)
    };
    paths.into_iter().map(one).collect()
}
