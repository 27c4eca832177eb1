//! What was made for a key is kept until there is too much of it; then what was used longest ago goes.
use crate::plans::CacheStats;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Things by key, at most so many.
pub(crate) struct Kept<K, V> {
    table: Mutex<Table<K, V>>,
}
struct Table<K, V> {
    /// With the call that used it last.
    entries: BTreeMap<K, (V, u64)>,
    calls: u64,
    stats: CacheStats,
}
impl<K: Ord + Clone, V: Clone> Kept<K, V> {
    pub(crate) fn new(limit: usize) -> Kept<K, V> {
        let stats = CacheStats { limit, ..CacheStats::default() };
        Kept { table: Mutex::new(Table { entries: BTreeMap::new(), calls: 0, stats }) }
    }
    fn table(&self) -> MutexGuard<'_, Table<K, V>> {
        // Nothing in there is left half done: whoever panicked did so elsewhere.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// What is kept for `key`, if `valid` says that it still serves.
    pub(crate) fn get(&self, key: &K, valid: impl FnOnce(&V) -> bool) -> Option<V> {
        let mut t = self.table();
        t.calls += 1;
        let now = t.calls;
        let (found, used) = t.entries.get_mut(key)?;
        if !valid(found) {
            return None;
        }
        *used = now;
        let found = found.clone();
        t.stats.hits += 1;
        Some(found)
    }
    /// Keeps what was made. It was made without the lock, so that others went on: perhaps twice.
    pub(crate) fn put(&self, key: K, made: V) {
        let mut t = self.table();
        t.stats.misses += 1;
        let now = t.calls;
        t.entries.insert(key, (made, now));
        t.shrink();
    }
    pub(crate) fn set_limit(&self, limit: usize) {
        let mut t = self.table();
        t.stats.limit = limit;
        t.shrink();
    }
    pub(crate) fn stats(&self) -> CacheStats {
        let t = self.table();
        CacheStats { entries: t.entries.len(), ..t.stats }
    }
    pub(crate) fn clear(&self) {
        self.table().entries.clear();
    }
}
impl<K: Ord + Clone, V> Table<K, V> {
    fn shrink(&mut self) {
        while self.entries.len() > self.stats.limit {
            let Some(oldest) = self.entries.iter().min_by_key(|e| e.1.1).map(|e| e.0.clone()) else { return };
            self.entries.remove(&oldest);
            self.stats.evicted += 1;
        }
    }
}
