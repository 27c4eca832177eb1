//! Modules: functions, external data, op set. Functions are finished and shared; a pass replaces whole functions, so a
//! rule may read one function and add another while a third is under construction.
use crate::attr::Attr;
use crate::budget::Budget;
use crate::code::Code;
use crate::diag::{Error, Result, Span};
use crate::func::{BODY, Finished, Func};
use crate::mesh::Mesh;
use crate::op::{Effect, OpSet};
use crate::tensor::Tensor;
use crate::types::Type;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, RwLock};

/// A function of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FuncId(pub u32);
/// A `data` declaration of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct DataId(pub u32);

/// `data @w: f32[784, 128] = npy("w.npy", sha256 = "…")`.
#[derive(Clone, Debug)]
pub struct DataDecl {
    /// Name without `@`.
    pub name: Arc<str>,
    /// Declared type; extents are exact.
    pub ty: Type,
    /// `npy`, `npz`, `safetensors`.
    pub format: Arc<str>,
    /// Path relative to the file.
    pub path: Arc<str>,
    /// Array name inside the file.
    pub key: Option<Arc<str>>,
    /// Expected checksum, hexadecimal.
    pub sha256: Option<Arc<str>>,
    /// Convert from any storage dtype.
    pub convert: bool,
    /// Where it is declared.
    pub span: Span,
    /// The contents, once loaded.
    pub value: Option<Tensor>,
}
/// `loc #0 = file("train.rs", 41, 13)`. The number behind `#` is the index in the module's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocDecl {
    /// `file` or another word.
    pub kind: Arc<str>,
    /// Arguments of the location as they print.
    pub args: Vec<Arc<str>>,
}

#[derive(Default)]
struct Table {
    funcs: Vec<Option<Arc<Finished>>>,
    names: HashMap<Arc<str>, FuncId>,
}

/// Which checks of functions count in a module.
#[derive(Clone)]
struct Seals {
    /// What builders of this module put on functions. No other module has it.
    own: u64,
    /// Functions that came from the module of which this is a fork.
    inherited: BTreeSet<u64>,
    /// Whether a function has got another signature after others may have been checked against the old one.
    stale: bool,
}
impl Seals {
    fn new() -> Seals {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Seals { own: NEXT.fetch_add(1, Relaxed), inherited: BTreeSet::new(), stale: false }
    }
}
/// A module.
pub struct Module {
    ops: Arc<OpSet>,
    table: RwLock<Table>,
    /// The sizes of its functions together.
    size: AtomicUsize,
    seals: RwLock<Seals>,
    /// What may be used to make it and to run it; the builder asks it for every op.
    pub budget: Budget,
    /// Name of the module, if it has one.
    pub name: Option<Arc<str>>,
    /// `key = "value"` of the header.
    pub meta: Vec<(Arc<str>, Arc<str>)>,
    /// External data.
    pub data: Vec<DataDecl>,
    /// The `loc` table.
    pub locs: Vec<LocDecl>,
    /// The devices over which values are cut.
    pub mesh: Option<Mesh>,
}
impl Module {
    /// An empty module over these ops.
    pub fn new(ops: Arc<OpSet>) -> Module {
        Module {
            ops,
            table: RwLock::default(),
            size: AtomicUsize::new(0),
            seals: RwLock::new(Seals::new()),
            budget: Budget::default(),
            name: None,
            meta: vec![],
            data: vec![],
            locs: vec![],
            mesh: None,
        }
    }
    /// The sizes of its functions together ([`Func::size`]).
    pub fn size(&self) -> usize {
        self.size.load(Relaxed)
    }
    /// May a function that is being made grow to `size`? One of its name is going to be replaced. By how much it may grow
    /// beyond.
    pub(crate) fn allows(&self, name: &str, size: usize) -> Result<usize> {
        let mut all = self.size().saturating_add(size);
        if self.budget.ops(all).is_err() {
            let old = self.find(name).and_then(|f| self.try_func(f)).map_or(0, |f| f.size());
            all = all.saturating_sub(old);
            self.budget.ops(all)?;
        }
        Ok(self.budget.room(all))
    }
    /// The ops that the module may use.
    pub fn op_set(&self) -> &Arc<OpSet> {
        &self.ops
    }
    fn read(&self) -> std::sync::RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(|e| e.into_inner())
    }
    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Table> {
        self.table.write().unwrap_or_else(|e| e.into_inner())
    }
    /// The function, if the id is this module's and the function is defined.
    pub fn try_func(&self, f: FuncId) -> Option<Arc<Finished>> {
        self.read().funcs.get(f.0 as usize).cloned().flatten()
    }
    /// The function; `E0302` if it is not defined.
    pub fn func(&self, f: FuncId) -> Result<Arc<Finished>> {
        self.try_func(f).ok_or_else(|| Error::new(Code::E0302, "this function is not defined"))
    }
    /// The function of that name.
    pub fn find(&self, name: &str) -> Option<FuncId> {
        self.read().names.get(name).copied()
    }
    /// Name of a function, defined or reserved.
    pub fn func_name(&self, f: FuncId) -> Arc<str> {
        let t = self.read();
        if let Some(Some(f)) = t.funcs.get(f.0 as usize) {
            return f.name.clone();
        }
        t.names.iter().find(|x| *x.1 == f).map_or_else(|| "?".into(), |x| x.0.clone())
    }
    /// Defined functions in definition order.
    pub fn funcs(&self) -> Vec<(FuncId, Arc<Finished>)> {
        let t = self.read();
        t.funcs.iter().enumerate().filter_map(|(i, f)| Some((FuncId(i as u32), f.clone()?))).collect()
    }
    /// `roots` and all that they call, callees before callers, each once; not what `skip` names, nor what is reached only
    /// through that. Without recursion: calls may nest deep.
    pub fn callees_first(&self, roots: impl IntoIterator<Item = FuncId>, skip: impl Fn(FuncId) -> bool) -> Vec<FuncId> {
        let (mut seen, mut out) = (std::collections::HashSet::new(), vec![]);
        let mut open: Vec<(FuncId, std::vec::IntoIter<FuncId>)> = vec![];
        for root in roots {
            let mut next = Some(root);
            loop {
                if let Some(f) = next.filter(|&f| !skip(f) && seen.insert(f)) {
                    let callees = self.try_func(f).map_or_else(Vec::new, |f| f.callees());
                    open.push((f, callees.into_iter()));
                }
                let Some((f, rest)) = open.last_mut() else { break };
                next = rest.next();
                if next.is_none() {
                    out.push(*f);
                    open.pop();
                }
            }
        }
        out
    }
    /// `roots` and every function that one of them names, in an op or as a rule for its derivative, and so on.
    pub fn reached(&self, roots: impl IntoIterator<Item = FuncId>) -> BTreeSet<FuncId> {
        fn see(a: &Attr, todo: &mut Vec<FuncId>) {
            match a {
                Attr::Sym(s) => todo.push(s.func),
                Attr::List(l) => l.iter().for_each(|a| see(a, todo)),
                _ => {}
            }
        }
        let (mut seen, mut todo) = (BTreeSet::new(), roots.into_iter().collect::<Vec<_>>());
        while let Some(id) = todo.pop() {
            if let (true, Some(f)) = (seen.insert(id), self.try_func(id)) {
                f.with.iter().for_each(|(_, a)| see(a, &mut todo));
                f.walk(BODY, &mut |o| f.op(o).attrs.iter().for_each(|(_, a)| see(a, &mut todo)));
            }
        }
        seen
    }
    /// Reserves a name, for a function that is defined later. `None` if it is taken.
    pub fn reserve(&self, name: &str) -> Option<FuncId> {
        let mut t = self.write();
        if t.names.contains_key(name) {
            return None;
        }
        let id = FuncId(t.funcs.len() as u32);
        t.funcs.push(None);
        t.names.insert(name.into(), id);
        Some(id)
    }
    /// A name that is not taken: `name`, or `name` with a number.
    pub fn fresh_name(&self, name: &str) -> String {
        let t = self.read();
        // Functions and data share one set of names.
        let free = |n: &str| !t.names.contains_key(n) && self.find_data(n).is_none();
        if free(name) {
            return name.to_string();
        }
        (2..).map(|i| format!("{name}_{i}")).find(|n| free(n)).unwrap_or_default()
    }
    /// Adds a function under a name that is free or made so.
    pub fn add(&self, f: impl Into<Finished>) -> FuncId {
        let mut f = f.into();
        f.func_mut().name = self.fresh_name(&f.name).into();
        self.size.fetch_add(f.size(), Relaxed);
        let mut t = self.write();
        let id = FuncId(t.funcs.len() as u32);
        t.names.insert(f.name.clone(), id);
        t.funcs.push(Some(Arc::new(f)));
        id
    }
    /// Defines a reserved function, or replaces a defined one; the name stays.
    pub fn define(&self, id: FuncId, f: impl Into<Finished>) {
        let f = f.into();
        if self.try_func(id).is_some_and(|old| !same_header(&old, &f)) {
            self.seals.write().unwrap_or_else(|e| e.into_inner()).stale = true;
        }
        if let Some(slot) = self.write().funcs.get_mut(id.0 as usize) {
            self.size.fetch_add(f.size(), Relaxed);
            if let Some(old) = slot.replace(Arc::new(f)) {
                self.size.fetch_sub(old.size(), Relaxed);
            }
        }
    }
    /// Removes a function; its id stays unused.
    pub fn remove(&self, id: FuncId) {
        let mut t = self.write();
        if let Some(slot) = t.funcs.get_mut(id.0 as usize)
            && let Some(f) = slot.take()
        {
            self.size.fetch_sub(f.size(), Relaxed);
            t.names.remove(&f.name);
        }
    }
    /// The data declaration of that name.
    pub fn find_data(&self, name: &str) -> Option<DataId> {
        self.data.iter().position(|d| &*d.name == name).map(|i| DataId(i as u32))
    }
    /// A data declaration.
    pub fn data_decl(&self, d: DataId) -> Option<&DataDecl> {
        self.data.get(d.0 as usize)
    }
    /// What running this op may do, callees and regions included (TFIR §5, effects).
    pub fn effect(&self, f: &Func, o: crate::OpId) -> Effect {
        let op = f.op(o);
        let mut e = op.def.effect;
        if !op.guards.is_empty() {
            e = e.max(Effect::MayFail);
        }
        if e == Effect::Assert {
            return e;
        }
        if op.def.calls() {
            for (_, a) in op.attrs.iter() {
                if let crate::Attr::Sym(s) = a
                    && let Some(g) = self.try_func(s.func)
                {
                    e = e.max(g.effect);
                }
            }
        }
        for &r in &op.regions {
            e = e.max(self.region_effect(f, r));
        }
        e
    }
    /// The worst effect in a region.
    pub fn region_effect(&self, f: &Func, r: crate::RegionId) -> Effect {
        let own = if f.region(r).guards.is_empty() { Effect::Pure } else { Effect::MayFail };
        f.region(r).ops.iter().map(|&o| self.effect(f, o)).fold(own, Effect::max)
    }
    pub(crate) fn key(&self) -> u64 {
        self.seals.read().unwrap_or_else(|e| e.into_inner()).own
    }
    /// Whether a builder of this module has checked `f`, as it is, against the functions that the module has.
    pub(crate) fn sealed(&self, f: &Func) -> bool {
        let seals = self.seals.read().unwrap_or_else(|e| e.into_inner());
        !seals.stale && f.seal.0.is_some_and(|k| k == seals.own || seals.inherited.contains(&k))
    }
    /// A copy that shares the functions: a pass pipeline may change one and keep the other.
    pub fn fork(&self) -> Module {
        let t = self.read();
        // From here on a function of one is unknown to the other: what is checked later counts in one of them.
        let mut seals = self.seals.write().unwrap_or_else(|e| e.into_inner());
        let known = |k: &u64| *k == seals.own || seals.inherited.contains(k);
        let held: BTreeSet<u64> = t.funcs.iter().flatten().filter_map(|f| f.seal.0).filter(known).collect();
        let stale = seals.stale;
        *seals = Seals { inherited: held, stale, ..Seals::new() };
        let other = Seals { own: Seals::new().own, ..seals.clone() };
        drop(seals);
        Module {
            seals: RwLock::new(other),
            ops: self.ops.clone(),
            table: RwLock::new(Table { funcs: t.funcs.clone(), names: t.names.clone() }),
            size: AtomicUsize::new(self.size()),
            budget: self.budget.clone(),
            name: self.name.clone(),
            meta: self.meta.clone(),
            data: self.data.clone(),
            locs: self.locs.clone(),
            mesh: self.mesh.clone(),
        }
    }
}

/// Whether callers see the same of both functions.
fn same_header(a: &Func, b: &Func) -> bool {
    let params = a.params().iter().map(|&p| a.ty(p)).eq(b.params().iter().map(|&p| b.ty(p)));
    params && a.syms.len() == b.syms.len() && a.result_types == b.result_types && a.wheres == b.wheres
}
