//! `tfc explain CODE|OP|FILE`: the page of an error code, an op's documentation, a file of the library.
use super::ops;
use crate::args::Explain;
use crate::session::{Done, Session};

/// Code and page, sorted by code.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/errors.rs"));

pub(super) fn run(session: &Session, args: &Explain) -> Done {
    let what = args.what.trim_start_matches("error[").trim_end_matches(']');
    let code = what.to_ascii_uppercase();
    if let Ok(i) = PAGES.binary_search_by_key(&code.as_str(), |p| p.0) {
        return session.print(PAGES[i].1);
    }
    if let Some((_, text)) = tfc_frontend::text::LIBRARY.iter().find(|f| f.0 == what) {
        return session.print(text);
    }
    if let Some(def) = session.ops.get(what) {
        return session.print(&ops::describe(session, def));
    }
    let text = format!("nothing is known about `{}`", what.escape_debug());
    ops::elsewhere(session, what, &text, "give an error code such as E0203, or an op's name; `tfc ops` lists the ops")
}
