//! Names in scope. A name is unique along the chain of enclosing regions, so one hash table serves the whole chain; when
//! a region ends its names leave the table and are remembered only for messages.
use std::collections::HashMap;
use tfc_ir::Span;

/// Names of one kind, each with a meaning `T` and the place of its definition.
pub(super) struct Scope<'a, T> {
    live: HashMap<&'a str, (T, Span)>,
    regions: Vec<Vec<&'a str>>,
    ended: HashMap<&'a str, Span>,
}

impl<'a, T: Copy> Scope<'a, T> {
    /// The scope of a function's body.
    pub(super) fn new() -> Self {
        Scope { live: HashMap::new(), regions: vec![vec![]], ended: HashMap::new() }
    }
    /// A region begins.
    pub(super) fn enter(&mut self) {
        self.regions.push(vec![]);
    }
    /// A region ends.
    pub(super) fn leave(&mut self) {
        for name in self.regions.pop().unwrap_or_default() {
            if let Some((_, span)) = self.live.remove(name) {
                self.ended.insert(name, span);
            }
        }
    }
    /// Defines a name; where it is taken, the place of the first definition, which stays.
    pub(super) fn define(&mut self, name: &'a str, meaning: T, span: Span) -> Result<(), Span> {
        if let Some((_, first)) = self.live.get(name) {
            return Err(*first);
        }
        self.live.insert(name, (meaning, span));
        if let Some(names) = self.regions.last_mut() {
            names.push(name);
        }
        Ok(())
    }
    /// What a name means here.
    pub(super) fn get(&self, name: &str) -> Option<T> {
        self.live.get(name).map(|e| e.0)
    }
    /// Where a region that has ended defined the name.
    pub(super) fn ended(&self, name: &str) -> Option<Span> {
        self.ended.get(name).copied()
    }
    /// All names in scope, in no order.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.live.keys().copied()
    }
}

/// The candidate nearest to `name` by edits, if one is near enough to be meant; the first by name among equals.
pub(crate) fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let limit = (name.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for c in candidates {
        if c == name || c.len().abs_diff(name.len()) > 4 * limit {
            continue;
        }
        // Single letters are all alike: nobody meant the other one.
        let shorter = c.chars().count().min(name.chars().count());
        let d = if c.eq_ignore_ascii_case(name) { 0 } else { distance(name, c) };
        if d <= limit && (d < shorter || d == 0) && best.is_none_or(|b| (d, c) < b) {
            best = Some((d, c));
        }
    }
    best.map(|b| b.1)
}

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows = vec![vec![0usize; b.len() + 1]; 3];
    rows[1] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        rows[2][0] = i;
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut d = (rows[1][j] + 1).min(rows[2][j - 1] + 1).min(rows[1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                d = d.min(rows[0][j - 2] + 1);
            }
            rows[2][j] = d;
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::nearest;

    fn nearest_finds_typos_and_nothing_else() {
        let ops = ["add", "mul", "reduce_sum", "reduce_max", "reshape"];
        assert_eq!(nearest("redcue_sum", ops), Some("reduce_sum"));
        assert_eq!(nearest("reduce_sun", ops), Some("reduce_sum"));
        assert_eq!(nearest("rehsape", ops), Some("reshape"));
        assert_eq!(nearest("ad", ops), Some("add"));
        assert_eq!(nearest("softmax", ops), None);
        assert_eq!(nearest("", ops), None);
        assert_eq!(nearest("x", ["y", "z"]), None);
        assert_eq!(nearest("X", ["x", "z"]), Some("x"));
    }
    /// All of them.
    pub const ALL: &[fn()] = &[nearest_finds_typos_and_nothing_else];
}
