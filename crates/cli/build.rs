//! Collects the pages of `docs/errors` into the table that `tfc explain` shows.
use std::fmt::Write;
use std::{env, fs, path::Path};

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let folder = Path::new(&root).join("../../docs/errors");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut pages: Vec<_> =
        fs::read_dir(&folder).map(|d| d.filter_map(|e| e.ok().map(|e| e.path())).collect()).unwrap_or_default();
    pages.retain(|p| {
        let stem = p.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        p.extension().is_some_and(|e| e == "md") && stem.len() == 5 && stem.starts_with('E')
    });
    pages.sort();
    let mut table = String::from("&[\n");
    for p in pages {
        let (stem, full) = (p.file_stem().unwrap_or_default(), p.canonicalize().unwrap_or(p.clone()));
        let _ = writeln!(table, "    ({stem:?}, include_str!({full:?})),");
    }
    table.push(']');
    let out = Path::new(&env::var("OUT_DIR").unwrap_or_default()).join("errors.rs");
    if let Err(e) = fs::write(&out, table) {
        println!("cargo::error=cannot write {}: {e}", out.display());
    }
}
