//! Snapshot files: a header between `---` lines, then the output. The same files serve insta (`cargo test`) and
//! `tfc test`; the header of an existing one is kept as it is.
use std::path::{Path, PathBuf};

/// The test that insta runs over the same files; its name stands in every header.
const SOURCE: &str = "crates/cli/tests/it/ir_files.rs";

/// The snapshot beside a test file.
pub fn beside(test: &Path) -> PathBuf {
    test.with_extension("snap")
}

/// Header (with its lines) and body; a file without a header is all body.
fn split(text: &str) -> (&str, &str) {
    let Some(rest) = text.strip_prefix("---\n") else { return ("", text) };
    match rest.find("\n---\n") {
        Some(i) => text.split_at("---\n".len() + i + "\n---\n".len()),
        None => ("", text),
    }
}

/// The body of a snapshot file as it is compared.
pub fn body(text: &str) -> String {
    normal(split(&text.replace("\r\n", "\n")).1)
}

/// Outputs are compared without their outer blank lines, as insta does.
pub fn normal(text: &str) -> String {
    text.replace("\r\n", "\n").trim_start_matches('\n').trim_end().to_owned()
}

/// The file for a new body: the old header, or one that insta accepts.
pub fn file(old: Option<&str>, body: &str) -> String {
    let header = old.map(|t| split(t).0).filter(|h| !h.is_empty()).map(str::to_owned);
    let header = header.unwrap_or_else(|| format!("---\nsource: {SOURCE}\nexpression: output\n---\n"));
    format!("{header}{}\n", normal(body))
}

/// The first line in which two bodies differ, for a message.
pub fn first_difference(old: &str, new: &str) -> String {
    let (mut a, mut b) = (old.lines(), new.lines());
    for number in 1.. {
        let (x, y) = (a.next(), b.next());
        if x != y {
            let show = |l: Option<&str>| l.map_or("(the end)".to_owned(), str::to_owned);
            return format!("first difference in line {number}:\n    - {}\n    + {}", show(x), show(y));
        }
        if x.is_none() {
            break;
        }
    }
    String::new()
}

/// What is tested from inside.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn headers_survive() {
        let new = file(None, "a\nb\n\n");
        assert_eq!(body(&new), "a\nb");
        let old = "---\nsource: x.rs\nexpression: y\ninput_file: z\n---\nold\n";
        assert_eq!(file(Some(old), "new"), "---\nsource: x.rs\nexpression: y\ninput_file: z\n---\nnew\n");
        assert_eq!(body("no header\n"), "no header");
        assert_eq!(body("---\r\nsource: x\r\n---\r\na\r\n---\r\nb"), "a\n---\nb");
    }

    fn differences_are_shown() {
        assert!(first_difference("a\nb", "a\nc").contains("line 2:\n    - b\n    + c"));
        assert!(first_difference("a", "a\nc").contains("- (the end)\n    + c"));
        assert_eq!(first_difference("a", "a"), "");
    }
    /// All of them.
    pub const ALL: &[fn()] = &[headers_survive, differences_are_shown];
}
