//! What an engine has for rows, kept by the row itself: by its address, never by its name. Two rows of one name never meet.
use std::collections::HashMap;

use tfc_ir::OpDef;
use tfc_ir::hash::WordHash;

/// A table by row. Later entries replace earlier ones.
#[derive(Clone, Debug)]
pub struct Table<K>(HashMap<usize, K, WordHash>);
impl<K> Default for Table<K> {
    fn default() -> Self {
        Table(HashMap::default())
    }
}
fn key(row: &OpDef) -> usize {
    std::ptr::from_ref(row) as usize
}
impl<K> Table<K> {
    /// Sets the entry of a row.
    pub fn set(&mut self, row: &'static OpDef, entry: K) {
        self.0.insert(key(row), entry);
    }
    /// The entry of a row.
    pub fn get(&self, row: &OpDef) -> Option<&K> {
        self.0.get(&key(row))
    }
}
impl<K> FromIterator<(&'static OpDef, K)> for Table<K> {
    fn from_iter<I: IntoIterator<Item = (&'static OpDef, K)>>(list: I) -> Self {
        Table(list.into_iter().map(|(row, k)| (key(row), k)).collect())
    }
}
