//! Places of a text as the protocol counts them: lines from 0, and within a line units of UTF-16.
use serde_json::{Value, json};
use tfc_ir::Span;

/// A text with the beginnings of its lines.
pub(super) struct Text {
    pub(super) all: String,
    lines: Vec<usize>,
}
impl Text {
    pub(super) fn new(all: String) -> Text {
        let ends = all.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        Text { all, lines }
    }
    pub(super) fn slice(&self, span: Span) -> &str {
        self.all.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
    /// Byte `at` as a place.
    fn position(&self, at: usize) -> Value {
        let at = self.all.floor_char_boundary(at.min(self.all.len()));
        let line = self.lines.partition_point(|&l| l <= at).saturating_sub(1);
        let start = self.lines.get(line).copied().unwrap_or(0);
        let units: usize = self.all.get(start..at).unwrap_or_default().chars().map(char::len_utf16).sum();
        json!({ "line": line, "character": units })
    }
    pub(super) fn range(&self, span: Span) -> Value {
        json!({ "start": self.position(span.start as usize), "end": self.position(span.end as usize) })
    }
    pub(super) fn whole(&self) -> Value {
        self.range(Span::new(0, self.all.len()))
    }
    /// The byte of a place; places behind a line's end are its end.
    pub(super) fn byte(&self, position: &Value) -> usize {
        let number = |key: &str| position[key].as_u64().unwrap_or(0) as usize;
        let (line, mut units) = (number("line"), number("character"));
        let Some(&start) = self.lines.get(line) else { return self.all.len() };
        let mut at = start;
        for c in self.all.get(start..).unwrap_or_default().chars() {
            if c == '\n' || units == 0 {
                break;
            }
            units = units.saturating_sub(c.len_utf16());
            at += c.len_utf8();
        }
        at
    }
}
