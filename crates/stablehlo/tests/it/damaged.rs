//! Damaged StableHLO text gives diagnostics, each with a place inside of the file and advice; never a panic, nor a module of
//! what was cut off.
use std::path::Path;
use std::sync::Arc;
use tfc_ir::{Diagnostic, Module, OpSet};
use tfc_stablehlo::parse_module;

fn programs() -> Vec<String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/stablehlo");
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 3);
    paths.iter().map(|p| std::fs::read_to_string(p).unwrap()).collect()
}
fn read(text: &[u8]) -> Result<Module, Vec<Diagnostic>> {
    let read = parse_module(text, &Arc::new(OpSet::core()));
    for d in read.as_ref().err().into_iter().flatten() {
        assert!(d.span().end as usize <= text.len() && d.span().start <= d.span().end, "{d:?}");
        assert!(!d.message.is_empty() && d.code.name().len() == 5, "{d:?}");
    }
    read
}

#[test]
fn truncated() {
    for text in programs() {
        let end = text.trim_end().len() - 1;
        // Whole functions without a module are a program by themselves, whatever comments follow.
        let code = |l: &&str| !l.trim().is_empty() && !l.trim().starts_with("//");
        let whole = |at: usize| {
            !text.contains("module") && text[..at].lines().rfind(code).is_some_and(|l| l.trim_end().ends_with('}'))
        };
        for at in (0..end).step_by(13).filter(|&at| text.is_char_boundary(at)) {
            let left = text[..at].lines().any(|l| code(&l));
            if left && !whole(at) {
                assert!(read(&text.as_bytes()[..at]).is_err(), "cut at {at}: {}", &text[at.saturating_sub(80)..at]);
            }
        }
    }
}

/// A character taken out, doubled, or replaced, in one place after another.
#[test]
fn changed_in_one_place() {
    let marks = ["", "{", "}", "(", "<", ">", "\"", "%", "0", ",", "#", "x", "-"];
    for text in programs() {
        for (k, at) in (0..text.len() - 1).step_by(29).enumerate() {
            if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
                let mark = marks[k % marks.len()];
                // Read or refused: that it ends, without a panic, is what is asked.
                let _ = read(format!("{}{mark}{}", &text[..at], &text[at + 1..]).as_bytes());
            }
        }
    }
}
