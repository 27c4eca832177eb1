//! Which calls are written out. Bodies are counted callees first, so that nothing has to be copied to know how large it
//! becomes.
use super::target;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use tfc_ir::op::Expand;
use tfc_ir::{Attr, BODY, Finished, Func, FuncId, Module, OpId, RegionId, Result};

/// Regions nest no deeper in what is written out: passes walk them by recursion, and what is printed must read back.
const REGIONS: usize = 48;
/// A chain of so many calls is short: its functions are differentiated one by one.
const SHORT: usize = 32;

/// A call that may be written out.
struct Site {
    op: OpId,
    callee: FuncId,
    /// Regions around it.
    depth: usize,
}
struct Node {
    func: Arc<Finished>,
    sites: Vec<Site>,
    /// Functions that it names otherwise.
    named: Vec<FuncId>,
    /// How deep its own regions nest.
    depth: usize,
    /// The calls that are written out.
    written: HashMap<OpId, FuncId>,
    /// Functions that stay.
    kept: Vec<FuncId>,
    /// Ops, those calls included, and depth of regions when that is done.
    becomes: (usize, usize),
}
/// The calls of a module, and which of them are written out.
pub(super) struct Calls {
    order: Vec<FuncId>,
    nodes: HashMap<FuncId, Node>,
}
impl Calls {
    /// The calls of `roots` and of what they call.
    pub(super) fn of(m: &Module, roots: &[FuncId]) -> Calls {
        let order = m.callees_first(roots.iter().copied(), |_| false);
        let mut nodes = HashMap::with_capacity(order.len());
        for &id in &order {
            let Some(func) = m.try_func(id) else { continue };
            let mut node = Node {
                func: func.clone(),
                sites: vec![],
                named: vec![],
                depth: 0,
                written: HashMap::new(),
                kept: vec![],
                becomes: (0, 0),
            };
            node.look(m, &func, &nodes, BODY, 0);
            nodes.insert(id, node);
        }
        Calls { order, nodes }
    }
    /// Writes out callees of which `may` holds, as far as that lets no function grow by more than `most` ops: small ones
    /// first.
    pub(super) fn choose(&mut self, most: usize, may: impl Fn(FuncId) -> bool) {
        for id in &self.order {
            let Some(mut node) = self.nodes.remove(id) else { continue };
            let size = |c: &FuncId| self.nodes.get(c).map_or((usize::MAX, 0), |n| n.becomes);
            let own = node.func.ops.len();
            let (mut ops, mut depth) = (own, node.depth);
            let (limit, deepest) = (own.saturating_add(most), REGIONS.max(node.depth));
            node.written.clear();
            node.kept.clear();
            let mut sites: Vec<(usize, usize)> =
                node.sites.iter().enumerate().map(|(i, s)| (size(&s.callee).0, i)).collect();
            sites.sort_unstable();
            for (_, i) in sites {
                let s = &node.sites[i];
                let (n, d) = size(&s.callee);
                // The call goes, but to write it out is as much work: functions may be nothing but calls.
                let (grown, deep) = (ops.saturating_add(n), s.depth + d);
                if grown <= limit && deep <= deepest && may(s.callee) {
                    (ops, depth) = (grown, depth.max(deep));
                    node.written.insert(s.op, s.callee);
                } else {
                    node.kept.push(s.callee);
                }
            }
            node.becomes = (ops, depth);
            self.nodes.insert(*id, node);
        }
    }
    /// The functions that are needed when that is done, in the module's order.
    pub(super) fn needed(&self, roots: &[FuncId]) -> BTreeSet<FuncId> {
        let (mut needed, mut copied) = (BTreeSet::new(), HashSet::new());
        let mut todo = roots.to_vec();
        needed.extend(roots);
        while let Some(n) = todo.pop().and_then(|id| self.nodes.get(&id)) {
            todo.extend(n.named.iter().chain(&n.kept).copied().filter(|&f| needed.insert(f) && !copied.contains(&f)));
            todo.extend(n.written.values().copied().filter(|&f| copied.insert(f) && !needed.contains(&f)));
        }
        needed
    }
    /// By how many ops these grow together.
    pub(super) fn growth(&self, of: &BTreeSet<FuncId>) -> usize {
        let grows = |n: &Node| n.becomes.0.saturating_sub(n.func.ops.len());
        of.iter().filter_map(|f| self.nodes.get(f)).fold(0, |sum: usize, n| sum.saturating_add(grows(n)))
    }
    /// Whether calls of this function are written out.
    pub(super) fn changes(&self, f: FuncId) -> bool {
        self.nodes.get(&f).is_some_and(|n| !n.written.is_empty())
    }
    /// A function as it was.
    pub(super) fn func(&self, f: FuncId) -> Option<&Arc<Finished>> {
        self.nodes.get(&f).map(|n| &n.func)
    }
    /// The callee of `o` in `f`, where it is written out, as it was.
    pub(super) fn body(&self, f: FuncId, o: OpId) -> Option<(FuncId, Arc<Finished>)> {
        let callee = *self.nodes.get(&f)?.written.get(&o)?;
        Some((callee, self.func(callee)?.clone()))
    }
}
impl Node {
    fn look(&mut self, m: &Module, f: &Func, known: &HashMap<FuncId, Node>, r: RegionId, depth: usize) {
        self.depth = self.depth.max(depth);
        for &o in &f.region(r).ops {
            let op = f.op(o);
            if op.def.calls() {
                match target(m, f, o).filter(|c| known.contains_key(c)) {
                    Some(callee) => self.sites.push(Site { op: o, callee, depth }),
                    None => self.named.extend(
                        op.attrs.iter().filter_map(|(_, a)| if let Attr::Sym(s) = a { Some(s.func) } else { None }),
                    ),
                }
            }
            for &q in &op.regions {
                self.look(m, f, known, q, depth + 1);
            }
        }
    }
}

/// Long chains of calls. What a function keeps for its derivative, its callers keep as well: along a chain that is the
/// square of its length. So a long chain of functions that are called from one place each is made one function first,
/// which takes no more ops than the chain.
pub(crate) struct Deep(OnceCell<Chains>);
struct Chains {
    /// How deep the calls of each function nest.
    depth: HashMap<FuncId, usize>,
    calls: Calls,
}
impl Deep {
    /// Nothing is known yet.
    pub(crate) fn new() -> Deep {
        Deep(OnceCell::new())
    }
    /// The function, as it is differentiated.
    pub(crate) fn flat(&self, m: &Module, f: FuncId) -> Result<Arc<Finished>> {
        let Chains { depth, calls } = self.0.get_or_init(|| Chains::of(m));
        let now = m.func(f)?;
        let same = calls.func(f).is_some_and(|known| Arc::ptr_eq(known, &now));
        if same && calls.changes(f) && depth.get(&f).is_some_and(|&d| d >= SHORT) {
            return Ok(super::expand(m, f, &now, &|f, o| calls.body(f, o))?.map_or(now, Arc::new));
        }
        Ok(now)
    }
}
impl Chains {
    fn of(m: &Module) -> Chains {
        let ids: Vec<FuncId> = m.funcs().into_iter().map(|f| f.0).collect();
        let mut calls = Calls::of(m, &ids);
        let (mut depth, mut places): (HashMap<FuncId, usize>, HashMap<FuncId, usize>) = Default::default();
        for (id, n) in calls.order.iter().filter_map(|id| Some((*id, calls.nodes.get(id)?))) {
            let sites = || n.sites.iter().map(|s| s.callee);
            let callees = sites().chain(n.named.iter().copied());
            depth.insert(id, callees.filter_map(|c| depth.get(&c)).max().map_or(0, |d| d + 1));
            sites().for_each(|c| *places.entry(c).or_default() += 1);
            // What is named by other ops is differentiated by itself anyway.
            n.named.iter().for_each(|&c| *places.entry(c).or_default() += 2);
        }
        // What holds derivative ops is going to be another function.
        let plain = |f: &Func| f.ops.iter().all(|o| !matches!(o.def.expand, Expand::Derivative(_)));
        let alone = |c: FuncId| places.get(&c) == Some(&1) && calls.func(c).is_some_and(|f| plain(f));
        let alone: HashSet<FuncId> = ids.into_iter().filter(|&c| alone(c)).collect();
        calls.choose(usize::MAX, |c| alone.contains(&c));
        Chains { depth, calls }
    }
}
