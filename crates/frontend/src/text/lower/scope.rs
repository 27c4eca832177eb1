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
