//! Whatever a pass makes prints, reads back and verifies: every program of the repository through every level and every
//! derivative, looked at after each pass.
use std::path::{Path, PathBuf};
use tfc::filetest::{Runner, discover};
use tfc_ir::OpSet;

/// The commands that print programs.
const COMMANDS: [&[&str]; 9] = [
    &["compile", "-O0"],
    &["compile", "-O1"],
    &["compile", "-O2"],
    &["opt"],
    &["grad", "--mode", "vjp"],
    &["grad", "--mode", "jvp"],
    &["grad", "--mode", "hvp"],
    &["grad", "--mode", "linearize"],
    &["grad", "--mode", "transpose"],
];

/// A third derivative that is refused: the lengths that a `scan` joins are equal only in it, by what it states itself, and
/// its rule still asks for an extent that the loop is to find.
const OPEN: ([&str; 3], &str, &str) =
    (["--verify-roundtrip", "--entry", "check"], "error[E0401]", "regress/composite_of_other_extents.tfir");

fn programs(folders: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut files: Vec<PathBuf> = folders.iter().flat_map(|f| discover(&root.join(f)).unwrap()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "tfir"));
    assert!(files.len() > 40, "{} programs", files.len());
    files
}
/// Every function of a program that can be named as an entry.
fn entries(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|l| l.strip_prefix("export ").unwrap_or(l).strip_prefix("func @"));
    names.map(|l| l.split(['<', '(']).next().unwrap_or_default().to_owned()).collect()
}
/// Runs a command on a file; what is wrong with what came of it. Not every function has every derivative; what checks
/// must not fit no longer once a pass has rewritten it.
fn look(runner: &Runner, words: &[&str], file: &Path) -> Option<String> {
    let (code, _, said) = runner.tell(words, file).unwrap();
    let known = said.contains(OPEN.1) && words.ends_with(&OPEN.0) && file.ends_with(OPEN.2);
    let refused = code == 1 && (said.contains("error[E05") || known) && !said.contains("bug in tfc");
    (code != 0 && !refused).then(|| format!("{} {}: exit {code}: {said}", words.join(" "), file.display()))
}
/// What is wrong with what comes of one program, and how many commands ran.
fn look_at(runner: &Runner, file: &Path) -> (Vec<String>, usize) {
    let mut wrong = vec![];
    let mut looked = 0;
    if runner.tell(&["check", "-q"], file).unwrap().0 != 0 {
        return (wrong, 0);
    }
    let text = std::fs::read_to_string(file).unwrap();
    for command in COMMANDS {
        let entries = if command[0] == "grad" { entries(&text) } else { vec![String::new()] };
        for entry in &entries {
            let mut words = [command, &["--verify-roundtrip"]].concat();
            if !entry.is_empty() {
                words.extend(["--entry", entry]);
            }
            wrong.extend(look(runner, &words, file));
            looked += 1;
        }
    }
    (wrong, looked)
}
#[test]
fn what_passes_make_reads_back() {
    let files = programs(&["tests/ir", "examples/programs", "benches/peers/programs"]);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let one = || {
        let runner = tfc::runner(OpSet::core(), tfc::Kernels::default());
        let (mut wrong, mut looked) = (vec![], 0);
        while let Some(file) = files.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            let (w, n) = look_at(&runner, file);
            wrong.extend(w);
            looked += n;
        }
        (wrong, looked)
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let (mut wrong, mut looked) = (vec![], 0);
    std::thread::scope(|s| {
        let all: Vec<_> = (0..threads).map(|_| s.spawn(one)).collect();
        for t in all {
            let (w, n) = t.join().unwrap();
            wrong.extend(w);
            looked += n;
        }
    });
    wrong.sort();
    assert!(looked > 2000, "{looked} commands");
    assert!(wrong.is_empty(), "{} of {looked}:\n{}", wrong.len(), wrong.join("\n"));
}
