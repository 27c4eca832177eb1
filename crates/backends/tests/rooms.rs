//! Imports point one way in this crate and in that of the plan, where what every engine shares lies.
use std::fs;
use std::path::{Path, PathBuf};

/// Folder or file of a `src` → what it may use of the others there.
const MAY_USE: &[(&str, &[&str])] = &[
    ("sizes", &[]),
    ("region", &["sizes"]),
    ("plan", &["region", "sizes", "kernels"]),
    ("kernels", &[]),
    ("outside", &[]),
    ("interp", &["outside", "kernels of the crate below"]),
    ("backend", &["interp", "cpu"]),
    ("cpu", &["outside", "interp", "kernels of the crate below"]),
];
/// Modules of `tfc-kernels` under their names here.
const BELOW: &[&str] = &["choose", "function", "scalar", "vmath", "limit", "linalg", "fft"];

fn files(at: &Path, to: &mut Vec<PathBuf>) {
    for e in fs::read_dir(at).unwrap() {
        let p = e.unwrap().path();
        if p.is_dir() {
            files(&p, to);
        } else if p.extension().is_some_and(|e| e == "rs") {
            to.push(p);
        }
    }
}
/// The modules of the crate that a line names by their full path.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::").skip(1).flat_map(|rest| {
        let list = rest.strip_prefix('{').and_then(|r| r.split('}').next()).unwrap_or(rest);
        let many = rest.starts_with('{');
        list.split(',')
            .take(if many { usize::MAX } else { 1 })
            .map(|x| x.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
    })
}

#[test]
fn imports_point_one_way() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut wrong, mut seen) = (vec![], 0);
    for src in [here.join("src"), here.join("plan/src")] {
        let mut all = vec![];
        files(&src, &mut all);
        for f in all {
            let path = f.strip_prefix(&src).unwrap();
            let room = path.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
            if room == "lib" {
                continue;
            }
            let may =
                MAY_USE.iter().find(|m| m.0 == room).unwrap_or_else(|| panic!("{room} is not in the table above")).1;
            for (i, line) in fs::read_to_string(&f).unwrap().lines().enumerate() {
                for name in named(line) {
                    let ok = name == room
                        || may.contains(&name)
                        || BELOW.contains(&name) && may.contains(&"kernels of the crate below");
                    seen += 1;
                    if !ok {
                        wrong.push(format!("{}:{}: {name}", path.display(), i + 1));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "these imports point the wrong way:\n{}", wrong.join("\n"));
    assert!(seen > 200, "only {seen} imports were found");
}
#[test]
fn names_are_found() {
    let found: Vec<&str> = named("use crate::{cpu::x, sizes}; crate::plan::Slot // crate::interp").collect();
    assert_eq!(found, ["cpu", "sizes", "plan"]);
}
