//! Compiled plans of single ops, kept from call to call: what runs an op of direct and eager tensors, and its derivatives.
//!
//! A plan is found by the op's row, its attributes, and of its operands dtypes, ranks, which extents are 1 and which shapes
//! are alike; it serves every other extent. Where written types or extents among the attributes say how large something
//! is, or an op needs to know, by the shapes as well. Of a plan, each layout of the operands in turn has memory of its own,
//! so that calls find strides and addresses bound as they left them.
mod build;
mod derived;
mod key;
mod plan;

pub(crate) use derived::Derived;
pub(crate) use plan::Plan;

use crate::backend::Backend;
use key::{Key, Query};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tfc_ir::hash::WordHash;
use tfc_ir::{Attrs, Error, ErrorClass, OpDef, Result, Tensor, Type};

/// How often plans were found, and how many there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct CacheStats {
    /// Calls that found their plan.
    pub hits: u64,
    /// Calls for which one was compiled.
    pub misses: u64,
    /// Plans that made room for others.
    pub evicted: u64,
    /// Plans that are kept.
    pub entries: usize,
    /// Most plans that are kept.
    pub limit: usize,
}

/// Plans kept where nothing else is said: some kilobytes each.
const LIMIT: usize = 4096;

/// A plan, or that there is none for any extents: only for each shape.
enum Kept {
    Plan(Arc<Plan>),
    ByShape,
}
struct Entry {
    key: Key,
    kept: Kept,
    /// The call that used it last.
    used: u64,
}
#[derive(Default)]
struct Table {
    entries: HashMap<u64, Vec<Entry>, WordHash>,
    count: usize,
    calls: u64,
    stats: CacheStats,
}
/// The plans of one runtime or context.
pub(crate) struct Plans {
    backend: Arc<dyn Backend>,
    table: Mutex<Table>,
    limit: AtomicU64,
}
enum Found {
    Plan(Arc<Plan>),
    ByShape,
    Nothing,
}

impl Plans {
    /// None yet.
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Plans {
        Plans { backend, table: Mutex::default(), limit: AtomicU64::new(LIMIT as u64) }
    }
    /// What they are compiled for.
    pub(crate) fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }
    fn table(&self) -> MutexGuard<'_, Table> {
        // Nothing in there is left half done: whoever panicked did so elsewhere.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn find(&self, hash: u64, query: &Query) -> Found {
        let mut table = self.table();
        table.calls += 1;
        let now = table.calls;
        let found = table.entries.get_mut(&hash).and_then(|l| l.iter_mut().find(|e| e.key.is(query)));
        let found = match found {
            None => return Found::Nothing,
            Some(e) => {
                e.used = now;
                match &e.kept {
                    Kept::Plan(p) => Found::Plan(p.clone()),
                    Kept::ByShape => Found::ByShape,
                }
            }
        };
        table.stats.hits += u64::from(matches!(found, Found::Plan(_)));
        found
    }
    fn put(&self, hash: u64, query: &Query, kept: Kept) {
        let mut table = self.table();
        let used = table.calls;
        if let Kept::Plan(_) = kept {
            table.stats.misses += 1;
        }
        let list = table.entries.entry(hash).or_default();
        // Two threads may have compiled the same.
        list.retain(|e| !e.key.is(query));
        list.push(Entry { key: query.to_key(), kept, used });
        table.count = table.entries.values().map(Vec::len).sum();
        let limit = self.limit.load(Relaxed) as usize;
        if table.count > limit {
            table.shrink(limit - limit / 4);
        }
    }
    /// The plan of an op on these operands; `types`: the written types of its results.
    ///
    /// # Errors
    /// Those of the op's inference and of compiling.
    pub(crate) fn get(
        &self,
        row: &'static OpDef,
        attrs: &Attrs,
        types: Option<&[Type]>,
        operands: &[&Tensor],
    ) -> Result<Arc<Plan>> {
        let mut query = Query::new(row, attrs, types, operands);
        let hash = query.hash();
        match self.find(hash, &query) {
            Found::Plan(p) => return Ok(p),
            Found::ByShape => {}
            Found::Nothing => match build::plan(&*self.backend, &query) {
                Ok(p) => {
                    self.put(hash, &query, Kept::Plan(p.clone()));
                    return Ok(p);
                }
                Err(e) if query.exact => return Err(e),
                Err(_) => {}
            },
        }
        // What cannot be said for all extents may be so for these; where not, the error names them.
        let any = query;
        query = Query { exact: true, ..any };
        let exact = query.hash();
        if let Found::Plan(p) = self.find(exact, &query) {
            return Ok(p);
        }
        let p = build::plan(&*self.backend, &query)?;
        self.put(hash, &any, Kept::ByShape);
        self.put(exact, &query, Kept::Plan(p.clone()));
        Ok(p)
    }
    /// Finds the plan of an op and does something with it.
    ///
    /// # Errors
    /// Those of [`Plans::get`] and of `go`; one about extents in general becomes one about these shapes.
    #[inline]
    pub(crate) fn with<R>(
        &self,
        row: &'static OpDef,
        attrs: &Attrs,
        types: Option<&[Type]>,
        operands: &[&Tensor],
        go: impl Fn(Arc<Plan>) -> Result<R>,
    ) -> Result<R> {
        self.get(row, attrs, types, operands).and_then(&go).or_else(|e| {
            self.only_by_shape(e, &Query::new(row, attrs, types, operands))?;
            self.get(row, attrs, types, operands).and_then(&go)
        })
    }
    /// After an error about extents: is there a plan for these shapes that may know more? Then it is taken from now on.
    #[cold]
    fn only_by_shape(&self, e: Error, query: &Query) -> Result<()> {
        if query.exact || !matches!(e.code().class(), ErrorClass::Extent | ErrorClass::Argument) {
            return Err(e);
        }
        build::infer(&*self.backend, &Query { exact: true, ..*query })?;
        let hash = query.hash();
        if matches!(self.find(hash, query), Found::ByShape) {
            return Err(e);
        }
        self.put(hash, query, Kept::ByShape);
        Ok(())
    }
    /// Runs an op.
    ///
    /// # Errors
    /// As [`Plans::with`].
    #[inline]
    pub(crate) fn run(
        &self,
        row: &'static OpDef,
        attrs: &Attrs,
        types: Option<&[Type]>,
        operands: &[&Tensor],
    ) -> Result<Vec<Tensor>> {
        let limits = self.backend.limits();
        self.with(row, attrs, types, operands, |plan| plan.run(operands, limits))
    }
    /// How often plans were found.
    pub(crate) fn stats(&self) -> CacheStats {
        let table = self.table();
        CacheStats { entries: table.count, limit: self.limit.load(Relaxed) as usize, ..table.stats }
    }
    /// Forgets all plans; calls that run keep theirs.
    pub(crate) fn clear(&self) {
        let mut table = self.table();
        table.entries.clear();
        table.count = 0;
    }
    /// Keeps at most so many plans from now on.
    pub(crate) fn set_limit(&self, limit: usize) {
        self.limit.store(limit as u64, Relaxed);
        let mut table = self.table();
        if table.count > limit {
            table.shrink(limit);
        }
    }
}
impl Table {
    /// Drops what was used longest ago.
    fn shrink(&mut self, to: usize) {
        let mut ages: Vec<u64> = self.entries.values().flatten().map(|e| e.used).collect();
        ages.sort_unstable();
        let Some(drop) = self.count.checked_sub(to).filter(|&d| d > 0) else { return };
        let youngest = ages.get(drop - 1).copied().unwrap_or_default();
        let before = self.count;
        self.entries.retain(|_, list| {
            list.retain(|e| e.used > youngest);
            !list.is_empty()
        });
        self.count = self.entries.values().map(Vec::len).sum();
        self.stats.evicted += (before - self.count) as u64;
    }
}
