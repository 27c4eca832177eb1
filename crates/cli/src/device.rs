//! What runs a program, for the line that every run says.
/// Are 2 MiB pages to be had? As the kernel says it, and what that means.
pub(crate) fn huge_pages() -> String {
    let path = "/sys/kernel/mm/transparent_hugepage/enabled";
    let text = std::fs::read_to_string(path).unwrap_or_default();
    // `always [madvise] never`: the one in force stands in brackets.
    let state = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(s, _)| s);
    match state {
        Some(s @ ("always" | "madvise")) => format!("{s} (large buffers can use them)"),
        Some(s) => format!("{s} (large buffers pay for small pages; `{path}` sets it)"),
        None => "unknown".into(),
    }
}
