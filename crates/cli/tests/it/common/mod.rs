//! What tests of programs run by the built binary share: a folder with one program, a command in it and what it did, a
//! command under a limit of the engine (`TFC_CPU`), and the bytes of what it saved.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(unreachable_pub, reason = "a module of each test")]
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a command did.
pub struct Ran {
    /// The command line, for what is said of it.
    pub line: String,
    /// Its exit code; −1 where it died.
    pub code: i32,
    pub out: String,
    pub err: String,
}
impl Ran {
    pub fn of(line: impl Into<String>, o: Output) -> Ran {
        let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
        Ran { line: line.into(), code: o.status.code().unwrap_or(-1), out: text(o.stdout), err: text(o.stderr) }
    }
    /// It ends with that code and says all of `words` on standard error.
    #[track_caller]
    pub fn fails(&self, code: i32, words: &[&str]) -> &Ran {
        assert_eq!(self.code, code, "`{}`\n{}{}", self.line, self.out, self.err);
        self.mentions(words)
    }
    /// What it says on standard error, with that exit code.
    #[track_caller]
    pub fn error(&self, code: i32) -> &str {
        &self.fails(code, &[]).err
    }
    #[track_caller]
    pub fn mentions(&self, words: &[&str]) -> &Ran {
        for w in words {
            assert!(self.err.contains(w), "`{}`: `{w}` is missing in:\n{}", self.line, self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }
    /// Standard output of a run that went well.
    #[track_caller]
    pub fn ok(&self) -> String {
        assert_eq!(self.code, 0, "`{}`\n{}{}", self.line, self.out, self.err);
        self.out.clone()
    }
    /// It goes well and prints exactly this.
    #[track_caller]
    pub fn gives(&self, out: &str) {
        assert_eq!(self.ok(), out, "`{}`\n{}", self.line, self.err);
    }
    /// It goes well and prints all of `words`.
    #[track_caller]
    pub fn shows(&self, words: &[&str]) -> &Ran {
        for w in words {
            assert!(self.ok().contains(w), "`{w}` is expected of `{}`\n{}", self.line, self.out);
        }
        self.fails(0, &[])
    }
    /// The diagnostics, each `LINE:COLUMN CODE`, of `--error-format short`.
    pub fn places(&self) -> Vec<String> {
        let short = |l: &str| {
            let (place, rest) = l.split_once(": error[")?;
            Some(format!("{} {}", place.split_once(':')?.1, &rest[..5]))
        };
        self.err.lines().filter_map(short).collect()
    }
    /// Exactly these diagnostics, exit 1, and nothing on standard output.
    #[track_caller]
    pub fn says(&self, places: &[&str]) -> &Ran {
        assert_eq!(self.places(), places, "{}", self.err);
        assert_eq!((self.code, self.out.as_str()), (1, ""), "{}", self.err);
        self
    }
}
/// `tfc` with these arguments in `dir`, not yet started.
pub fn command(dir: &Path, args: &[&str]) -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_tfc"));
    c.args(args).current_dir(dir).env("NO_COLOR", "1");
    c
}
/// Runs `tfc` with the words of `line` in `dir`.
pub fn ran(dir: &Path, line: &str) -> Ran {
    Ran::of(line, command(dir, &line.split_whitespace().collect::<Vec<_>>()).output().unwrap())
}
/// The names of what is in a folder, in order.
pub fn names(dir: &Path) -> Vec<String> {
    let mut v: Vec<_> = fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    v.sort();
    v
}
/// A fresh folder of that name.
pub fn empty(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}
/// A fresh folder of that name that holds `program` as `p.tfir`.
pub fn folder(name: &str, program: &str) -> PathBuf {
    let dir = empty(name);
    fs::write(dir.join("p.tfir"), program).unwrap();
    dir
}
/// Runs `tfc` with the words of `line` in `dir`, which has to succeed; what it printed.
pub fn tfc(dir: &Path, engine: &str, line: &str) -> String {
    let mut c = command(dir, &line.split_whitespace().collect::<Vec<_>>());
    Ran::of(line, c.env("TFC_CPU", engine).output().unwrap()).ok()
}
/// Runs `line` and saves `outs`; the bytes of their files.
pub fn saved(dir: &Path, engine: &str, line: &str, outs: &[&str]) -> Vec<Vec<u8>> {
    let save: String = outs.iter().map(|o| format!(" -o {o}={o}.npy")).collect();
    tfc(dir, engine, &format!("{line}{save} --print none"));
    outs.iter().map(|o| fs::read(dir.join(format!("{o}.npy"))).unwrap()).collect()
}
