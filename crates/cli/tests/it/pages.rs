//! The generated parts of the book are up to date.
//!
//! - every error code in the source has a page in `docs/errors`, every page a code, and `tfc explain` prints it;
//! - an error page is true: a fence `text NAME` is a file, a fence `text` that begins with `$ ` holds commands, each
//!   followed by what it prints on both streams (`...` as in `docs.rs`); the page's code is among it;
//! - `docs/ops` is what the op rows say; the lists of ops, error pages and chapters are complete.
//!
//! `TFC_ACCEPT=1 cargo test -p tfc-lang --test it pages` rewrites what differs.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tfc_ir::op::Family;
use tfc_ir::{Code, OpSet, ops};

/// File, title, introduction, rows.
static FAMILIES: &[(&str, &str, &str, Family)] = &[
    ("constants", "Constants", "Values that depend on no operand.", ops::constant::FAMILY),
    (
        "elementwise",
        "Elementwise ops",
        "All operands have the result's shape, except where an op says that a scalar will do. Nothing is broadcast and no \
         dtype is promoted.",
        ops::elementwise::FAMILY,
    ),
    ("shape", "Shape", "Elements are moved, repeated, cut and joined.", ops::shape::FAMILY),
    ("indexing", "Indexing", "Elements at places that values name.", ops::index::FAMILY),
    ("reduce", "Reductions", "Axes are folded away.", ops::reduce::FAMILY),
    ("order", "Running reductions", "The order of elements along an axis counts.", ops::order::FAMILY),
    ("contract", "Contractions", "Sums of products.", ops::contract::FAMILY),
    ("linalg", "Linear algebra", "The matrix is the two leading axes, batch axes trail.", ops::linalg::FAMILY),
    (
        "matrices",
        "Linear algebra: what is made of factorisations",
        "The matrix is the two leading axes, batch axes trail, except where an op names axes.",
        ops::linalg::MADE_OF,
    ),
    (
        "fft",
        "Fourier transforms",
        "Any length, any axes. Derivatives in both modes: they are linear, and the adjoint of each is another.",
        ops::fft::FAMILY,
    ),
    ("random", "Random numbers", "Pure functions of a key and a counter.", ops::random::FAMILY),
    ("control", "Control", "Calls, branches and loops.", ops::control::FAMILY),
    (
        "extents",
        "Extents and checks",
        "Between extents and values, and what is checked at run time.",
        ops::extents::FAMILY,
    ),
    ("derivatives", "Derivatives", "Ops that stand for the derivative of a function.", ops::derivative::FAMILY),
    ("composite", "Composites", "Ops that expand into others.", ops::composite::FAMILY),
    ("fused", "Made by passes", "Ops that programs need not write.", ops::fused::FAMILY),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
fn accepting() -> bool {
    std::env::var_os("TFC_ACCEPT").is_some_and(|v| v == "1")
}
/// The file holds `want`, or does from now on.
fn settle(path: &Path, want: &str, failures: &mut Vec<String>) {
    if read(path) == want {
        return;
    }
    if accepting() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, want).unwrap();
    } else {
        let name = path.strip_prefix(root()).unwrap_or(path).display().to_string();
        failures.push(format!(
            "{name} is not up to date: run `TFC_ACCEPT=1 cargo test -p tfc-lang --test it pages`; it should be\n{want}"
        ));
    }
}
fn bash(dir: &Path, command: &str) -> Output {
    let tfc = Path::new(env!("CARGO_BIN_EXE_tfc"));
    let path = format!("{}:{}", tfc.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let script = format!("exec 2>&1\n{command}\n");
    Command::new("bash").args(["-c", &script]).current_dir(dir).env("PATH", path).env("NO_COLOR", "1").output().unwrap()
}
fn stdout(args: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_tfc")).args(args).output().unwrap();
    assert!(out.status.success(), "tfc {args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}
/// Every `.rs` file below.
fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    for e in std::fs::read_dir(dir).unwrap() {
        let p = e.unwrap().path();
        if p.is_dir() {
            sources(&p, out);
        } else if p.extension().is_some_and(|e| e == "rs") {
            out.push(p);
        }
    }
}
fn is_code(s: &str) -> bool {
    s.len() == 5 && (s.starts_with("E0") || s.starts_with("E1")) && s.bytes().skip(1).all(|b| b.is_ascii_digit())
}
/// The codes that the crates make errors of or ask for. Their table itself is not looked at.
fn used_codes() -> BTreeSet<String> {
    let mut files = vec![];
    sources(&root().join("crates"), &mut files);
    let mut out = BTreeSet::new();
    for f in files.iter().filter(|f| !f.ends_with("ir/src/code.rs")) {
        let text = read(f);
        out.extend(text.split("Code::").filter_map(|s| s.get(..5)).filter(|s| is_code(s)).map(str::to_owned));
    }
    out
}
/// Code and text of every error page.
fn error_pages() -> BTreeMap<String, String> {
    let dir = root().join("docs/errors");
    let files = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    let pages = files.filter_map(|p| Some((p.file_stem()?.to_str()?.to_owned(), read(&p))));
    pages.filter(|(stem, _)| is_code(stem)).collect()
}
fn title(page: &str) -> &str {
    page.lines().next().unwrap_or_default().trim_start_matches("# ")
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let (used, pages) = (used_codes(), error_pages());
    let table: BTreeMap<_, _> = Code::ALL.iter().map(|c| (c.name().to_owned(), *c)).collect();
    assert_eq!(table.len(), Code::ALL.len(), "a code stands twice in the table");
    let missing: Vec<_> = table.keys().filter(|c| !pages.contains_key(*c)).collect();
    let unknown: Vec<_> = pages.keys().filter(|c| !table.contains_key(*c)).collect();
    let idle: Vec<_> = table.keys().filter(|c| !used.contains(*c)).collect();
    assert!(missing.is_empty(), "codes without a page in docs/errors: {missing:?}");
    assert!(unknown.is_empty(), "pages of codes that `tfc_ir::Code` does not have: {unknown:?}");
    assert!(idle.is_empty(), "codes that no source uses: {idle:?}");
    for (code, text) in &pages {
        assert_eq!(
            title(text),
            format!("{code}: {}", table[code].title()),
            "the heading of {code}.md is the code's title"
        );
    }
}

#[test]
fn explain_prints_the_pages() {
    // The pages are compiled in: what is rewritten now shows after the next build.
    if accepting() {
        return;
    }
    for (code, text) in error_pages() {
        assert_eq!(stdout(&["explain", &code]), text, "{code}");
    }
}

/// A line `...` stands for any number of lines, `...` at the end of a line for its rest.
fn matches(want: &[&str], got: &[&str]) -> bool {
    match want.split_first() {
        None => got.is_empty(),
        Some((&"...", rest)) => (0..=got.len()).any(|k| matches(rest, &got[k..])),
        Some((w, rest)) => got.split_first().is_some_and(|(g, more)| {
            (w == g || w.strip_suffix("...").is_some_and(|w| g.starts_with(w))) && matches(rest, more)
        }),
    }
}
/// The page with what its commands print, and all that they print.
fn replay(page: &str, dir: &Path) -> (String, String) {
    let (mut out, mut printed) = (String::new(), String::new());
    let mut lines = page.lines();
    while let Some(l) = lines.next() {
        let _ = writeln!(out, "{l}");
        let Some(info) = l.strip_prefix("```") else { continue };
        let mut body = vec![];
        for b in lines.by_ref().take_while(|b| *b != "```") {
            body.push(b);
        }
        if let Some(name) = info.strip_prefix("text ") {
            std::fs::write(dir.join(name), body.join("\n") + "\n").unwrap();
        }
        let mut rest = &body[..];
        while let Some((&first, more)) = rest.split_first() {
            let _ = writeln!(out, "{first}");
            let Some(command) = first.strip_prefix("$ ") else {
                rest = more;
                continue;
            };
            let n = more.iter().position(|l| l.starts_with("$ ")).unwrap_or(more.len());
            let text = String::from_utf8_lossy(&bash(dir, command).stdout).into_owned();
            let got: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
            let shown = if matches(&more[..n], &got) { &more[..n] } else { &got[..] };
            shown.iter().for_each(|l| out.extend([l, "\n"]));
            printed.push_str(&text);
            rest = &more[n..];
        }
        out.push_str("```\n");
    }
    (out, printed)
}

#[test]
fn error_pages_show_what_tfc_prints() {
    let (root, mut failures, mut played) = (root(), vec![], 0);
    for (code, page) in error_pages() {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("error-pages").join(&code);
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        std::os::unix::fs::symlink(root.join("examples"), dir.join("examples")).unwrap();
        let (want, printed) = replay(&page, &dir);
        if page.contains("\n$ ") {
            played += 1;
            if !printed.contains(&code) {
                failures.push(format!("the example of {code} does not give it, but\n{printed}"));
                continue;
            }
        }
        settle(&root.join("docs/errors").join(format!("{code}.md")), &want, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(played > 80, "only {played} error pages have an example");
}

#[test]
fn lists_of_errors_are_complete() {
    const KINDS: &[(&str, &str)] = &[
        ("E00", "Characters and words"),
        ("E01", "Syntax"),
        ("E02", "Types, attributes and ops"),
        ("E03", "Names and scopes"),
        ("E04", "Extents"),
        ("E05", "Derivatives"),
        ("E06", "Data files and inputs"),
        ("E07", "Run time"),
        ("E08", "Backends"),
        ("E09", "Command line"),
        ("E10", "Rust API"),
        ("E11", "StableHLO out"),
        ("E120", "Products by labels"),
        ("E122", "Linear algebra and random numbers"),
        ("E13", "CUDA"),
    ];
    let (docs, pages, mut failures) = (root().join("docs"), error_pages(), vec![]);
    let mut list = String::from(
        "# Errors\n\nEvery diagnostic has a code. `tfc explain CODE` prints its page. Codes are never given a new meaning.\n",
    );
    let mut summary = read(&docs.join("SUMMARY.md"));
    let from = summary.find("- [Errors](errors/README.md)\n").expect("SUMMARY.md ends with the chapter on errors");
    summary.truncate(from);
    summary.push_str("- [Errors](errors/README.md)\n");
    for (first, kind) in KINDS {
        let _ = writeln!(list, "\n## {kind}\n\n| code | means |\n|---|---|");
        for (code, text) in pages.iter().filter(|p| p.0.starts_with(*first)) {
            let what = title(text).split_once(": ").map_or("", |t| t.1);
            let _ = writeln!(list, "| [{code}]({code}.md) | {what} |");
            let _ = writeln!(summary, "  - [{code}: {what}](errors/{code}.md)");
        }
    }
    settle(&docs.join("errors/README.md"), &list, &mut failures);
    settle(&docs.join("SUMMARY.md"), &summary, &mut failures);
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn op_pages_say_what_the_rows_say() {
    let markdown = format!("\n{}", stdout(&["ops", "--markdown"]));
    let sections: BTreeMap<&str, &str> =
        markdown.split("\n## ").skip(1).filter_map(|s| Some((s.strip_prefix('`')?.split('`').next()?, s))).collect();
    let (dir, mut failures, mut seen) = (root().join("docs/ops"), vec![], BTreeSet::new());
    let mut index = String::from(
        "# Ops\n\nWhat each op does, from its row in the source; `tfc ops NAME` prints the same. `…?` marks an attribute that \
         may be\nleft out, `key = value` its default. Operands with `…` stand for any number.\n\n\
         | op | family | does |\n|---|---|---|\n",
    );
    let mut rows = BTreeMap::new();
    for (file, name, introduction, family) in FAMILIES {
        let mut page = format!("# {name}\n\n{introduction}\n");
        for def in *family {
            assert!(seen.insert(def.name), "`{}` is in two families", def.name);
            let section = sections.get(def.name).unwrap_or_else(|| panic!("`tfc ops --markdown` lacks {}", def.name));
            let _ = write!(page, "\n## {}\n", section.trim_end());
            let summary = def.doc.split(". ").next().unwrap_or_default().trim_end_matches('.').replace('|', "\\|");
            // The heading's anchor is its name without what is no letter.
            let anchor = def.name.replace('.', "");
            rows.insert(def.name, format!("| [`{}`]({file}.md#{anchor}) | {name} | {summary} |\n", def.name));
        }
        settle(&dir.join(format!("{file}.md")), &page, &mut failures);
    }
    index.extend(rows.into_values());
    settle(&dir.join("README.md"), &index, &mut failures);
    let without: Vec<_> = OpSet::core().iter().map(|d| d.name).filter(|n| !seen.contains(n)).collect();
    assert!(without.is_empty(), "ops whose family has no page: {without:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn every_chapter_is_in_the_summary() {
    fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
        for e in std::fs::read_dir(dir).unwrap() {
            let p = e.unwrap().path();
            if p.is_dir() {
                walk(&p, out);
            } else if p.extension().is_some_and(|e| e == "md") {
                out.push(p);
            }
        }
    }
    // The list may be in the making.
    if accepting() {
        return;
    }
    let docs = root().join("docs");
    let (summary, mut all) = (read(&docs.join("SUMMARY.md")), vec![]);
    walk(&docs, &mut all);
    all.sort();
    let linked: BTreeSet<&str> = summary.split("](").skip(1).filter_map(|s| s.split(')').next()).collect();
    let files: BTreeSet<String> =
        all.iter().filter_map(|p| Some(p.strip_prefix(&docs).ok()?.to_str()?.replace('\\', "/"))).collect();
    // Records of decisions are no chapters.
    let chapters = files.iter().filter(|f| *f != "SUMMARY.md" && !f.starts_with("adr/"));
    let lost: Vec<_> = chapters.filter(|f| !linked.contains(f.as_str())).collect();
    let dead: Vec<_> = linked.iter().filter(|l| !files.contains(**l)).collect();
    assert!(lost.is_empty(), "pages that docs/SUMMARY.md does not list: {lost:?}");
    assert!(dead.is_empty(), "docs/SUMMARY.md links to pages that do not exist: {dead:?}");
}
