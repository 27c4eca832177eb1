//! `tfc new DIR`: the beginning of a program, with data, a page that says how to run it, and a test.
use crate::args::New;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use tfc_frontend::data::write_atomically;
use tfc_ir::{Code, Error};

/// What is in the folder.
const FILES: &[(&str, &str)] = &[
    ("main.tfir", include_str!("../../template/main.tfir")),
    ("points.csv", include_str!("../../template/points.csv")),
    ("README.md", include_str!("../../template/README.md")),
    ("test.tfir", include_str!("../../template/test.tfir")),
];

pub(super) fn run(session: &Session, args: &New) -> Done {
    let dir = &args.dir;
    let cannot = |e: std::io::Error| {
        let e = Error::new(Code::E0610, format!("cannot make the folder `{}`: {e}", dir.display()));
        Stop::with(Exit::RunTime, e)
    };
    if dir.exists() && std::fs::read_dir(dir).map_err(cannot)?.next().is_some() {
        let e = Error::new(Code::E0901, format!("`{}` is not empty", dir.display()));
        return Err(Stop::with(Exit::Usage, e.help("a program begins in a folder of its own")));
    }
    for (name, text) in FILES {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(dir)).map_err(cannot)?;
        write_atomically(&path, |out| out.write_all(text.as_bytes())).or_run_time()?;
        session.detail(format_args!("{}", path.display()));
    }
    session.talk(format_args!("begun: {0}; `cd {0}`, then `tfc run main.tfir -i table=@points.csv`", dir.display()));
    Ok(())
}
