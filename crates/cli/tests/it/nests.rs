//! Loops over single numbers are one function each: the plans of `tests/ir/run/nests.tfir` say so of every loop, and those of loops
//! over arrays do not.
use super::common::{Ran, command};
use std::path::Path;

/// What the plan says of the loops of an entry point.
fn loops(file: &str, entry: &str) -> Vec<String> {
    let args = ["compile", file, "--entry", entry, "--emit", "plan"];
    let text = Ran::of(entry, command(Path::new("."), &args).output().unwrap()).ok();
    let is = |l: &&str| l.trim_start().starts_with("scan ") || l.trim_start().starts_with("while");
    text.lines().filter(is).map(|l| l.trim().to_owned()).collect()
}

#[test]
fn loops_over_single_numbers_are_functions() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ir/run/nests.tfir");
    let text = std::fs::read_to_string(file).unwrap();
    let names = text.lines().filter_map(|l| l.strip_prefix("func ")).filter_map(|l| l.split(['(', '<']).next());
    let mut all = 0;
    for name in names {
        let loops = loops(file, name);
        assert!(!loops.is_empty(), "{name} has no loop");
        // But for what its comment in the file says is none.
        let is = !["@turned_round", "@side_by_side"].contains(&name);
        assert!(loops.iter().all(|l| l.ends_with(", one function") == is), "{name}: {loops:?}");
        all += loops.len();
    }
    assert!(all >= 20, "{all} loops");
}
#[test]
fn loops_over_arrays_are_not() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ir/run/in_place.tfir");
    let text = std::fs::read_to_string(file).unwrap();
    let names = text.lines().filter_map(|l| l.strip_prefix("func ")).filter_map(|l| l.split(['(', '<']).next());
    assert!(names.flat_map(|n| loops(file, n)).any(|l| !l.ends_with(", one function")));
}
