//! Matching the diagnostics of a run with the `//~` annotations of its file.
use super::Expected;
use crate::session::Shown;

/// One line for each annotation without a diagnostic and each diagnostic without an annotation.
pub(super) fn unmatched(expected: &[Expected], shown: &[Shown]) -> Vec<String> {
    let mut left: Vec<&Shown> = shown.iter().collect();
    let mut failures = vec![];
    for e in expected {
        let fits = |d: &&Shown| d.line == e.line && d.code == e.code && d.text.contains(&e.text);
        match left.iter().position(fits) {
            Some(i) => {
                left.remove(i);
            }
            None => failures.push(format!("this diagnostic is missing: {e}")),
        }
    }
    failures.extend(
        left.iter().map(|d| format!("this diagnostic is not annotated: line {}: {} {}", d.line, d.code, d.text)),
    );
    failures
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn each_annotation_takes_one_diagnostic() {
        let shown = |line, code, text: &str| Shown { line, code, text: text.into() };
        let expected = |line, code: &str, text: &str| Expected { line, code: code.into(), text: text.into() };
        let two = [shown(1, "E0203", "types differ"), shown(1, "E0203", "types differ")];
        assert!(unmatched(&[expected(1, "E0203", "differ"), expected(1, "E0203", "")], &two).is_empty());
        assert_eq!(unmatched(&[expected(1, "E0203", "")], &two).len(), 1);
        assert_eq!(unmatched(&[expected(2, "E0203", "")], &two[..1]).len(), 2);
        assert_eq!(unmatched(&[expected(1, "E0203", "agree")], &two[..1]).len(), 2);
    }
    /// All of them.
    pub const ALL: &[fn()] = &[each_annotation_takes_one_diagnostic];
}
