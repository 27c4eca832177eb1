//! What tests of programs run by the built binary share: a folder with one program, a command in it under a limit of the
//! engine (`TFC_CPU`), and the bytes of what it saved.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(unreachable_pub, reason = "a module of each test")]
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fresh folder of that name that holds `program` as `p.tfir`.
pub fn folder(name: &str, program: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("p.tfir"), program).unwrap();
    dir
}
/// Runs `tfc` with the words of `line` in `dir`, which has to succeed; what it printed.
pub fn tfc(dir: &Path, engine: &str, line: &str) -> String {
    let o = Command::new(env!("CARGO_BIN_EXE_tfc"))
        .args(line.split_whitespace())
        .current_dir(dir)
        .env("TFC_CPU", engine)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert!(o.status.success(), "TFC_CPU={engine} tfc {line}\n{}", String::from_utf8_lossy(&o.stderr));
    String::from_utf8(o.stdout).unwrap()
}
/// Runs `line` and saves `outs`; the bytes of their files.
pub fn saved(dir: &Path, engine: &str, line: &str, outs: &[&str]) -> Vec<Vec<u8>> {
    let save: String = outs.iter().map(|o| format!(" -o {o}={o}.npy")).collect();
    tfc(dir, engine, &format!("{line}{save} --print none"));
    outs.iter().map(|o| fs::read(dir.join(format!("{o}.npy"))).unwrap()).collect()
}
