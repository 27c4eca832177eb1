//! The table of places that an op touches, in CONTRIBUTING.md, is what the sources say: for one op of each kind, every file
//! that has to name the op, its row or its kernel. A place more is a cost that the table shows or a mistake.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tfc_ir::OpSet;

/// An op of the table.
struct Op {
    name: &'static str,
    /// The folder of its family. Rows of other families that are made of it are no places of it.
    family: &'static str,
    /// Its row and its kernels, by the names that they have in the sources.
    names: &'static [&'static str],
}
const OPS: [Op; 3] = [
    Op { name: "erf", family: "ops/elementwise", names: &["ERF", "Erf", "erf"] },
    Op { name: "tril", family: "ops/shape", names: &["TRIL", "Triangle", "tril"] },
    Op { name: "linalg.qr_pivoted", family: "ops/linalg", names: &["QR_PIVOTED", "QrPivoted"] },
];
/// Columns of the table: a folder, and where in it is looked; nothing stands for the family's own.
const COLUMNS: [(&str, &[&str]); 4] = [
    ("crates/ir/src", &["", "scalar.rs"]),
    ("crates/backends/interp/src", &["."]),
    ("crates/backends", &["cpu/src", "plan/src"]),
    ("crates/backends/kernels/src", &["."]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
fn files(at: &Path, out: &mut Vec<PathBuf>) {
    if at.is_file() {
        out.push(at.to_owned());
    } else {
        std::fs::read_dir(at).unwrap().for_each(|e| files(&e.unwrap().path(), out));
    }
}
/// Whether `word` is a whole word of the line.
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(part) && !line[at + word.len()..].chars().next().is_some_and(part)
    })
}
/// Does a line of code name it? Not where an op is only built, nor where a name is only brought into scope.
fn names(line: &str, word: &str) -> bool {
    let code = line.trim_start();
    let passing = ["//", "use "].iter().any(|p| code.starts_with(p)) || code.contains(&format!("NewOp::new(&{word}"));
    !passing && has_word(code, word)
}
/// The files of a column that name the op, from the column's folder.
fn places(op: &Op, (folder, parts): (&str, &[&str])) -> BTreeSet<String> {
    let folder = root().join(folder);
    let mut all = vec![];
    for part in parts {
        files(&folder.join(if part.is_empty() { op.family } else { part }), &mut all);
    }
    let named = |p: &PathBuf| {
        let text = std::fs::read_to_string(p).unwrap();
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        code.lines().any(|l| op.names.iter().any(|n| names(l, n)))
    };
    let short = |p: &PathBuf| p.canonicalize().unwrap().strip_prefix(&folder).unwrap().display().to_string();
    all.iter().filter(|p| named(p)).map(short).filter(|p| !p.contains("tests")).collect()
}
/// What a cell of the table lists.
fn listed(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_table_of_places_is_measured() {
    let text = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let ops = OpSet::core();
    let mut wrong = vec![];
    for op in &OPS {
        assert!(ops.get(op.name).is_some(), "no op {}", op.name);
        let start = format!("| `{}`,", op.name);
        let line = text.lines().find(|l| l.starts_with(&start)).unwrap_or_else(|| panic!("no line `{start}`"));
        let cells: Vec<_> = line.trim_matches('|').split('|').skip(1).map(listed).collect();
        assert_eq!(cells.len(), COLUMNS.len(), "{line}");
        for (cell, column) in cells.iter().zip(COLUMNS) {
            let found = places(op, column);
            if *cell != found {
                wrong.push(format!("{} in {}: the table lists {cell:?}, the sources {found:?}", op.name, column.0));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
#[test]
fn words_are_whole_and_in_code() {
    assert!(names("    (&ops::shape::TRIL, shape::tril),", "TRIL"));
    assert!(names("pub use diagonal::{TRIL, TRIU};", "TRIL"));
    for passing in ["// TRIL", "use super::TRIL;", "    b.emit1(NewOp::new(&TRIL, &[x]))?", "MATRIL", "TRIL_ROWS"] {
        assert!(!names(passing, "TRIL"), "{passing}");
    }
}
