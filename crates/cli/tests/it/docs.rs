//! README and book are true: every fenced program passes `tfc check`, every fenced command runs and prints what the
//! page says.
//!
//! - a fence marked `tfir NAME.tfir` is saved under that name for the commands of the same page; plain `tfir` is only
//!   checked; `mlir NAME.mlir` likewise;
//! - `sh` holds commands that must succeed (those of `cargo` are CI's own steps and are left to it);
//! - `console` holds lines `$ command`, each followed by what it prints on stdout; a line `...` stands for any lines,
//!   `...` at the end of a line for its rest.
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
struct Fence {
    line: usize,
    info: String,
    text: String,
}
fn fences(page: &str) -> Vec<Fence> {
    let mut out = vec![];
    let mut open: Option<Fence> = None;
    for (i, l) in page.lines().enumerate() {
        match (&mut open, l.trim_start().strip_prefix("```")) {
            (None, Some(info)) => open = Some(Fence { line: i + 1, info: info.trim().into(), text: String::new() }),
            (Some(_), Some(_)) => out.extend(open.take()),
            (Some(f), None) => {
                f.text.push_str(l);
                f.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    out
}
fn pages(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut list: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    list.sort();
    for p in list {
        if p.is_dir() {
            pages(&p, out);
        } else if p.extension().is_some_and(|e| e == "md") {
            out.push(p);
        }
    }
}
fn run(dir: &Path, command: &str) -> (bool, String, String) {
    let tfc = Path::new(env!("CARGO_BIN_EXE_tfc"));
    let path = format!("{}:{}", tfc.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let out = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", command])
        .current_dir(dir)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    (out.status.success(), text(&out.stdout), text(&out.stderr))
}
/// A line `...` stands for any number of lines, `...` at the end of a line for its rest.
fn matches(want: &[&str], got: &[&str]) -> bool {
    match want.split_first() {
        None => got.is_empty(),
        Some((&"...", rest)) => (0..=got.len()).any(|k| matches(rest, &got[k..])),
        Some((w, rest)) => {
            got.split_first().is_some_and(|(g, more)| line(w.trim_end(), g.trim_end()) && matches(rest, more))
        }
    }
}
fn line(want: &str, got: &str) -> bool {
    want == got || want.strip_suffix("...").is_some_and(|w| got.starts_with(w))
}
fn console(dir: &Path, text: &str, at: &str, failures: &mut Vec<String>) {
    let mut blocks: Vec<(String, Vec<&str>)> = vec![];
    for l in text.lines() {
        match l.strip_prefix("$ ") {
            Some(c) => blocks.push((c.into(), vec![])),
            None => blocks.last_mut().unwrap_or_else(|| panic!("{at}: output before a command")).1.push(l),
        }
    }
    for (c, mut want) in blocks {
        while want.last().is_some_and(|l| l.is_empty()) {
            want.pop();
        }
        let (_, out, err) = run(dir, &c);
        let out = out.replace(dir.to_str().unwrap_or("\0"), ".");
        let got: Vec<_> = out.trim_end().lines().collect();
        if !matches(&want, &got) {
            failures.push(format!("{at}: `{c}` prints\n{out}--- stderr\n{err}--- the page says\n{}", want.join("\n")));
        }
    }
}

/// Text outside of fences and of inline code.
fn prose(page: &str) -> Vec<(usize, String)> {
    let (mut out, mut fenced) = (vec![], false);
    for (i, l) in page.lines().enumerate() {
        if l.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            out.push((i + 1, l.to_owned()));
        }
    }
    out
}
/// Where the links of a line lead, as `[text](here)`; what stands in backquotes is no link.
fn links(line: &str) -> Vec<&str> {
    let (mut out, mut code, mut at) = (vec![], false, 0);
    let bytes = line.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'`' => code = !code,
            b']' if !code && bytes.get(at + 1) == Some(&b'(') => {
                let rest = &line[at + 2..];
                out.extend(rest.find(')').map(|end| &rest[..end]));
            }
            _ => {}
        }
        at += 1;
    }
    out
}
/// Anchors of a page's headings, as mdBook and GitHub make them.
fn anchors(page: &str) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    for (_, l) in prose(page) {
        let title = l.trim_start_matches('#');
        if title.len() == l.len() || !title.starts_with(' ') {
            continue;
        }
        let slug: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c),
                _ => None,
            })
            .collect();
        let again = out.iter().filter(|o| **o == slug || o.starts_with(&format!("{slug}-"))).count();
        out.push(if out.contains(&slug) { format!("{slug}-{again}") } else { slug });
    }
    out
}

/// Every link of README, book and examples leads somewhere: to a file of the repository, and where it names an anchor, to a
/// heading of that page.
#[test]
fn no_link_is_dead() {
    let root = root();
    let mut list = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for dir in ["docs", "examples"] {
        pages(&root.join(dir), &mut list);
    }
    let (mut dead, mut count) = (vec![], 0);
    for page in &list {
        let text = std::fs::read_to_string(page).unwrap();
        for (line, l) in prose(&text) {
            for link in links(&l) {
                let outside = ["http://", "https://", "mailto:"].iter().any(|p| link.starts_with(p));
                if outside {
                    continue;
                }
                count += 1;
                let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
                let to = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
                let heading = || std::fs::read_to_string(&to).is_ok_and(|t| anchors(&t).iter().any(|a| a == anchor));
                if !to.exists() || !anchor.is_empty() && !heading() {
                    dead.push(format!("{}:{line}: {link}", page.strip_prefix(&root).unwrap().display()));
                }
            }
        }
    }
    assert!(dead.is_empty(), "{} of {count} links lead nowhere:\n{}", dead.len(), dead.join("\n"));
    assert!(count > 300, "only {count} links were found: is the walk broken?");
}

/// Every page of the book is a chapter of it, and no two want one file: mdBook makes `index.html` of `README.md`.
#[test]
fn no_two_pages_want_one_file() {
    let docs = root().join("docs");
    let mut list = vec![];
    pages(&docs, &mut list);
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let mut seen: std::collections::BTreeMap<PathBuf, PathBuf> = std::collections::BTreeMap::new();
    for page in list.into_iter().filter(|p| !p.ends_with("SUMMARY.md")) {
        let own = page.strip_prefix(&docs).unwrap();
        assert!(summary.contains(&format!("({})", own.display())), "{} is no chapter", own.display());
        let file = match page.file_stem().unwrap().to_str().unwrap() {
            "README" => page.with_file_name("index.html"),
            _ => page.with_extension("html"),
        };
        if let Some(other) = seen.insert(file, page.clone()) {
            panic!("{} and {} want one file of the book", other.display(), page.display());
        }
    }
}

#[test]
fn every_fence_of_readme_and_book_is_true() {
    let root = root();
    let mut list = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    pages(&root.join("docs"), &mut list);
    let (mut failures, mut count) = (vec![], 0);
    for (k, page) in list.iter().enumerate() {
        let text = std::fs::read_to_string(page).unwrap();
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("docs-{k}"));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        for shared in ["examples", "docs", "tests"] {
            std::os::unix::fs::symlink(root.join(shared), dir.join(shared)).unwrap();
        }
        for f in fences(&text) {
            let at = format!("{}:{}", page.strip_prefix(&root).unwrap().display(), f.line);
            let mut words = f.info.split_whitespace();
            match words.next() {
                Some(kind @ ("tfir" | "mlir")) => {
                    let plain = format!("fence.{kind}");
                    let name = words.next().unwrap_or(&plain);
                    std::fs::write(dir.join(name), &f.text).unwrap();
                    let (ok, _, err) = run(&dir, &format!("tfc check {name}"));
                    if !ok {
                        failures.push(format!("{at}: the program does not pass `tfc check`\n{err}"));
                    }
                }
                Some("sh") => {
                    for c in f
                        .text
                        .lines()
                        .filter(|l| !l.trim().is_empty() && !l.starts_with('#') && !l.starts_with("cargo "))
                    {
                        let (ok, out, err) = run(&dir, c);
                        if !ok {
                            failures.push(format!("{at}: `{c}` fails\n{out}{err}"));
                        }
                    }
                }
                Some("console") => console(&dir, &f.text, &at, &mut failures),
                Some("text" | "toml" | "rust" | "json" | "python") => continue,
                other => failures.push(format!(
                    "{at}: a fence of kind {other:?}: say tfir, mlir, sh, console, text, toml, rust, json or python"
                )),
            }
            count += 1;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(count >= 8, "only {count} fences were found: is the walk broken?");
}
