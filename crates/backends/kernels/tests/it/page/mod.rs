//! Sections of `docs/vmath.md` that tests write.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(unreachable_pub, reason = "a module of each test")]
use std::sync::{Mutex, PoisonError};

pub const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/vmath.md");

/// What is behind the first part of the page: the sections, if there are some.
pub fn sections() -> String {
    let page = std::fs::read_to_string(FILE).unwrap_or_default();
    page.find("\n## ").map_or(String::new(), |at| page[at..].to_owned())
}
/// The section of this title is this text, or becomes it with `TFC_ACCEPT=1`.
pub fn section(title: &str, text: &str) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let page = std::fs::read_to_string(FILE).expect("docs/vmath.md");
    let head = format!("\n## {title}\n");
    let from = page.find(&head).unwrap_or(page.len());
    let to = page[from..].get(1..).and_then(|rest| rest.find("\n## ")).map_or(page.len(), |at| from + 1 + at);
    let want = format!("{}{head}\n{}\n{}", &page[..from], text.trim_end(), &page[to..]);
    if std::env::var_os("TFC_ACCEPT").is_some_and(|v| v == "1") {
        std::fs::write(FILE, want).expect("docs is writable");
    } else {
        assert!(
            page == want,
            "`{title}` of docs/vmath.md is not up to date, run it with TFC_ACCEPT=1; it should be\n{text}"
        );
    }
}
