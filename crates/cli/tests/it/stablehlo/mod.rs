//! StableHLO text by the built program.
//!
//! | module | holds |
//! |---|---|
//! | `programs` | `tests/stablehlo/*.mlir`, which check themselves: every op that is read, both backends, printed and read back |
//! | `bad_input` | text that is wrong: code and place, and nothing half-written |
//! | `bytecode` | `tests/bytecode`, which JAX wrote: it does what its text does, and is refused where it is damaged |
//! | `suites` | the outside suites, where they are |
//!
//! Checks that never fail would pass everything: `control` changes what is expected, and the programs must fail.
mod bad_input;
mod bytecode;
mod control;
mod programs;
mod suites;

use std::path::{Path, PathBuf};
use std::process::Command;

/// What `tfc` said.
struct Ran {
    code: i32,
    out: String,
    err: String,
}
fn tfc(dir: &Path, args: &[&str]) -> Ran {
    let o = Command::new(env!("CARGO_BIN_EXE_tfc")).args(args).current_dir(dir).env("NO_COLOR", "1").output().unwrap();
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    Ran { code: o.status.code().unwrap_or(-1), out: text(&o.stdout), err: text(&o.stderr) }
}
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
/// An empty folder of that name.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stablehlo").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}
/// The names of the functions of a text that take nothing, as `--entry` takes them.
fn entries(text: &str) -> Vec<String> {
    let heads = text.split("func.func").skip(1).map(|f| f.trim_start().trim_start_matches("public "));
    let plain = heads.filter_map(|f| f.strip_prefix('@')).filter_map(|f| {
        let (name, rest) = match f.strip_prefix('"') {
            Some(q) => q.split_once('"')?,
            None => f.split_at(f.find('(')?),
        };
        rest.starts_with("()").then(|| name.to_owned())
    });
    plain.collect()
}
