//! The generated files are those of the grammar; the grammar reads every program of the project; its queries name what there is.
use std::path::{Path, PathBuf};
use tree_sitter::{Parser, Query};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What src/made_of says of a grammar (FNV-1a): whether the generated files are of this one is seen without the generator.
fn fingerprint(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}\n")
}

#[test]
fn generated_files_are_of_this_grammar() {
    let read = |name: &str| std::fs::read_to_string(here().join(name)).expect("a file");
    let help = "grammar.js has changed: run `TFC_ACCEPT=1 cargo test --features generate`, then again";
    assert_eq!(read("src/made_of"), fingerprint(&read("grammar.js")), "{help}");
}

/// The oldest form of parsers that editors of the last years read; the grammar needs nothing of a later one.
#[cfg(feature = "generate")]
const ABI: usize = 14;

#[cfg(feature = "generate")]
#[test]
fn generated_files_are_fresh() {
    use tree_sitter_generate::{OptLevel, generate_parser_in_directory};
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    std::fs::create_dir_all(&out).expect("a folder");
    let grammar = here().join("grammar.js");
    // The engine within the crate evaluates grammar.js: nothing has to be installed.
    let runtime = Some("native");
    let optimised = OptLevel::default();
    let said = &mut vec![];
    generate_parser_in_directory(here(), Some(&out), Some(grammar), ABI, None, runtime, true, optimised, said)
        .expect("a parser");
    let text = std::fs::read_to_string(here().join("grammar.js")).expect("the grammar");
    std::fs::write(out.join("made_of"), fingerprint(&text)).expect("a file");
    for name in ["made_of", "parser.c", "grammar.json", "node-types.json", "tree_sitter/parser.h"] {
        let kept = here().join("src").join(name);
        let made = std::fs::read(out.join(name)).expect("a generated file");
        if std::env::var_os("TFC_ACCEPT").is_some() {
            std::fs::create_dir_all(kept.parent().expect("a folder")).expect("a folder");
            std::fs::write(&kept, &made).expect("a file");
        }
        assert!(std::fs::read(&kept).is_ok_and(|k| k == made), "src/{name}: run `TFC_ACCEPT=1 cargo test`, then again");
    }
}

/// All programs below a folder.
fn programs(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            programs(&path, out);
        } else if path.extension().is_some_and(|e| e == "tfir") {
            out.push(path);
        }
    }
}

#[test]
fn every_program_is_read() {
    let mut all = vec![];
    let root = here().join("../..");
    for folder in ["examples/programs", "tests/ir", "crates/frontend/library", "docs", "benches"] {
        programs(&root.join(folder), &mut all);
    }
    all.sort();
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_tfir::LANGUAGE.into()).expect("the language");
    let (mut read, mut wrong) = (0, vec![]);
    for path in &all {
        // Those are wrong on purpose, or written in a way that only the printer's own tests are about.
        let inside = path.strip_prefix(&root).unwrap_or(path).display().to_string();
        if inside.starts_with("tests/ir/errors") {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let tree = parser.parse(&text, None).expect("a tree");
        read += 1;
        if tree.root_node().has_error() {
            let mut at = tree.root_node();
            while let Some(inner) = (0..at.child_count()).filter_map(|i| at.child(i)).find(|c| c.has_error()) {
                at = inner;
            }
            wrong.push(format!("{inside}:{}:{}", at.start_position().row + 1, at.start_position().column + 1));
        }
    }
    assert!(wrong.is_empty(), "{} of {read} are not read:\n{}", wrong.len(), wrong.join("\n"));
    assert!(read > 150, "only {read} programs");
}

#[test]
fn what_is_wrong_is_an_error() {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_tfir::LANGUAGE.into()).expect("the language");
    for text in
        ["tfir 1.1\nfunc f() -> f64[] {}", "tfir 1.1\nfunc @f(%x f64[]) -> f64[] { return %x }", "tfir 1.1\n%x = 1"]
    {
        assert!(parser.parse(text, None).expect("a tree").root_node().has_error(), "{text}");
    }
}

#[test]
fn queries_name_what_there_is() {
    let language = tree_sitter_tfir::LANGUAGE.into();
    for (name, text) in [
        ("highlights", tree_sitter_tfir::HIGHLIGHTS),
        ("folds", tree_sitter_tfir::FOLDS),
        ("locals", tree_sitter_tfir::LOCALS),
        ("tags", tree_sitter_tfir::TAGS),
    ] {
        if let Err(e) = Query::new(&language, text) {
            panic!("{name}: {e}");
        }
    }
}
