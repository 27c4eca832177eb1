//! What a program computes with lies in memory that belongs to it: programs and file tests in the mode in which buffers move,
//! and are filled with poison, whenever they are given out anew (`TFC_POISON`).
use crate::common::{Ran, command};
use std::path::{Path, PathBuf};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir").canonicalize().unwrap()
}
fn ran(line: &str, engine: &str, poison: &str) -> Ran {
    let mut c = command(&tests(), &line.split(' ').collect::<Vec<_>>());
    Ran::of(line, c.env("TFC_POISON", poison).env("TFC_CPU", engine).output().unwrap())
}

/// A branch that first runs in a loop that is bound grows a buffer: what was placed in it before is placed again.
#[test]
fn a_branch_may_grow_a_buffer() {
    let line = "run -q regress/branch_grows_a_buffer.tfir -i x=ones -i z=ones -i n=40 --repeat 3";
    for engine in ["jit", "tape", "avx2", "scalar"] {
        let want = ran(line, engine, "0").ok();
        ran(line, engine, "1").gives(&want);
    }
}
#[test]
fn file_tests_run_in_memory_of_their_own() {
    ran("test .", "jit", "1").ok();
}
