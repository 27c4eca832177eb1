//! Every sample of every row as StableHLO text, read back by this project's own reader and run by the interpreter: the same
//! results as the sample has. What is not exported is refused for one of a few reasons, which are listed in `judge`.
//!
//! `TFC_EXPORT_TO=FOLDER` writes each case there (text, operands, results) for judges from outside:
//! `crates/stablehlo/tests/run_jaxlib.py FOLDER`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::judge::{Judged, NO_SAMPLE, REFUSED, judge_rows, judged};
use tfc_ir::OpSet;
use tfc_stablehlo::{Spelling, Spellings};

#[test]
fn samples_of_every_row_come_back() {
    let only = std::env::var("TFC_ROW").ok();
    let ops = Arc::new(OpSet::core());
    let some;
    let judged = match &only {
        None => judged(),
        Some(name) => {
            some = judge_rows(&ops, &ops.iter().filter(|d| d.name == name).collect::<Vec<_>>());
            &some
        }
    };
    let wrong: Vec<&str> = judged.values().flat_map(|j| &j.wrong).map(String::as_str).collect();
    let of = |some: fn(&Judged) -> bool| judged.iter().filter(move |j| some(j.1));
    let refused: BTreeMap<_, _> = of(|j| !j.refused.is_empty()).map(|(n, j)| (*n, j.refused.clone())).collect();
    let exported: BTreeMap<_, _> = of(|j| !j.same.is_empty()).map(|(n, j)| (*n, j.same.len())).collect();
    let total: usize = exported.values().sum();
    println!("{total} samples of {} rows; refused: {refused:#?}", exported.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), wrong.len() + total, wrong.join("\n"));
    if only.is_some() {
        return;
    }
    let decided = of(|j| j.decided).map(|j| *j.0).collect();
    table(&ops, &decided, &refused, &exported);
    assert!(REFUSED.len() <= 15);
    for def in ops.iter() {
        let listed = REFUSED.iter().find(|r| r.1.contains(&def.name));
        let no_sample = NO_SAMPLE.iter().any(|n| n.0 == def.name);
        match refused.get(def.name) {
            None => assert!(listed.is_none() && (no_sample || exported.contains_key(def.name)), "{}", def.name),
            Some(why) => {
                let reason = listed.unwrap_or_else(|| panic!("{} is refused: {why:?}", def.name)).0;
                assert!(why.iter().all(|w| w.contains(reason)), "{}: {why:?}", def.name);
            }
        }
    }
    assert!(total > 3000, "only {total}");
}
/// The table of `docs/export.md` is what came of the samples.
fn table(
    ops: &OpSet,
    decided: &BTreeSet<&str>,
    refused: &BTreeMap<&str, BTreeSet<String>>,
    exported: &BTreeMap<&str, usize>,
) {
    let spellings = Spellings::default();
    let mut out = String::from("| op | becomes |\n|---|---|\n");
    for def in ops.iter() {
        let how = match spellings.of(def) {
            Some(Spelling::Is(word)) => format!("`{word}`"),
            Some(Spelling::By(_)) => "written".into(),
            Some(Spelling::Refused(_)) => String::new(),
            None if NO_SAMPLE.iter().any(|n| n.0 == def.name) => "taken before".into(),
            None => "expanded".into(),
        };
        let why = REFUSED.iter().find(|r| r.1.contains(&def.name)).map(|r| r.0);
        let how = match (refused.contains_key(def.name), exported.contains_key(def.name)) {
            (true, true) => format!("{how}; refused where {}", why.unwrap_or("?")),
            (true, false) => format!("refused: {}", why.unwrap_or("?")),
            _ if decided.contains(def.name) => format!("{how}; by `--dyn` where values decide extents"),
            _ => how,
        };
        out.push_str(&format!("| `{}` | {how} |\n", def.name));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/export.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (text, _) = page.split_once("| op | becomes |").unwrap_or((&page, ""));
    let want = format!("{text}{out}");
    if std::env::var_os("TFC_ACCEPT").is_some_and(|v| v == "1") {
        std::fs::write(path, want).unwrap();
    } else {
        assert_eq!(page, want, "run it with TFC_ACCEPT=1");
    }
}
