//! Data dependences as a graph over values and hubs. A hub stands for an op (or a port of a region op), so that an op
//! with `p` operands and `q` results costs `p + q` edges, not `p·q`: calls of `fwd` and `lin.T` have thousands of both.
use crate::DType;
use crate::func::{BODY, Func, Op, OpId, ValueId};
use crate::op::Linearize;

/// Nodes are values first, then hubs. Edges lead from what is used to what uses it.
pub struct Flow {
    nodes: u32,
    edges: Vec<(u32, u32)>,
}
impl Flow {
    /// The flow through a whole function, nested regions included.
    pub fn of(f: &Func) -> Flow {
        Flow::through(f, |_| true)
    }
    /// As [`Flow::of`], through the ops where `open` holds.
    pub fn through(f: &Func, open: impl Fn(&Op) -> bool) -> Flow {
        Flow::among(f, &|o| open(f.op(o)))
    }
    /// As [`Flow::through`], by their places.
    pub fn among(f: &Func, open: &dyn Fn(OpId) -> bool) -> Flow {
        let mut g = Flow { nodes: f.values.len() as u32, edges: Vec::with_capacity(4 * f.values.len()) };
        f.walk(BODY, &mut |o| {
            if !open(o) {
                return;
            }
            let op = f.op(o);
            let Some(ports) = op.def.control.ports else {
                g.hub(op.operands.iter().copied(), op.results.iter().copied());
                return;
            };
            for p in (ports.of)(f, o) {
                let from = p.operand.map(|i| op.operands[i]);
                let inner = p.yields.iter().map(|&(r, i)| f.region(op.regions[r]).yields[i]);
                let to = p.result.map(|i| op.results[i]);
                let params = p.params.iter().map(|&(r, i)| f.region(op.regions[r]).params[i]);
                g.hub(from.into_iter().chain(inner), to.into_iter().chain(params));
            }
        });
        g
    }
    fn hub(&mut self, from: impl Iterator<Item = ValueId>, to: impl Iterator<Item = ValueId>) {
        let h = self.node();
        self.edges.extend(from.map(|v| (v.0, h)));
        self.edges.extend(to.map(|v| (h, v.0)));
    }
    /// A further node.
    pub(crate) fn node(&mut self) -> u32 {
        self.nodes += 1;
        self.nodes - 1
    }
    /// `to` uses `from`.
    pub(crate) fn edge(&mut self, from: u32, to: u32) {
        self.edges.push((from, to));
    }
    /// For each node, those that use it.
    pub(crate) fn users(&self) -> Lists {
        Lists::new(self.nodes, &self.edges, |e| e)
    }
    /// For each node, those that it uses.
    pub(crate) fn used(&self) -> Lists {
        Lists::new(self.nodes, &self.edges, |(from, to)| (to, from))
    }
}
/// Which values lead to something else than truth values, keys and places: to numbers that have slopes, out of a region or of the
/// function, or into regions and other functions, where nobody follows them.
pub(super) fn leads(f: &Func) -> Vec<bool> {
    let mut leads = vec![false; f.values.len()];
    let mut ops = vec![];
    f.walk(BODY, &mut |o| ops.push(o));
    let regions = ops.iter().flat_map(|&o| &f.op(o).regions).chain([&BODY]);
    for &v in regions.flat_map(|&r| &f.region(r).yields) {
        leads[v.ix()] = f.ty(v).dtype != DType::Bool;
    }
    // What uses a value comes behind it, also where a region uses one from around it.
    for &o in ops.iter().rev() {
        let op = f.op(o);
        // What moves numbers reads others as keys or places alone.
        let inexact = |&v: &ValueId| f.ty(v).dtype.is_inexact();
        let moves = op.def.scalar.is_none() && op.operands.iter().any(inexact);
        let truth = |v: &ValueId| f.ty(*v).dtype == DType::Bool;
        let on = |v: &ValueId| if inexact(v) { !moves } else { leads[v.ix()] && !truth(v) };
        // What a permutation makes of one operand it makes of no other.
        let found: Vec<ValueId> = match op.def.control.ports {
            Some(ports) if op.regions.is_empty() => {
                let ways = (ports.of)(f, o).into_iter().filter_map(|p| Some((p.operand?, p.result?)));
                ways.filter(|(_, r)| on(&op.results[*r])).map(|(i, _)| op.operands[i]).collect()
            }
            _ if !op.regions.is_empty() || op.def.calls() || op.results.iter().any(on) => op.operands.to_vec(),
            _ => vec![],
        };
        found.into_iter().for_each(|v| leads[v.ix()] = true);
    }
    leads
}
/// A list for each node, one behind the other in one piece of memory: graphs have a node for every value and op.
pub(crate) struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}
impl Lists {
    fn new(nodes: u32, edges: &[(u32, u32)], turn: impl Fn((u32, u32)) -> (u32, u32)) -> Lists {
        let mut start = vec![0u32; nodes as usize + 1];
        edges.iter().for_each(|&e| start[turn(e).0 as usize] += 1);
        let mut sum = 0;
        for s in &mut start {
            sum += *s;
            *s = sum;
        }
        // Each start is now its list's end, and moves to the front as the list fills from behind.
        let mut items = vec![0u32; edges.len()];
        for &e in edges.iter().rev() {
            let (at, item) = turn(e);
            start[at as usize] -= 1;
            items[start[at as usize] as usize] = item;
        }
        Lists { start, items }
    }
    /// The list of a node.
    pub(crate) fn of(&self, node: usize) -> &[u32] {
        &self.items[self.start[node] as usize..self.start[node + 1] as usize]
    }
    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }
}
/// Which floating or complex values depend on `seeds`: one reachability over the whole function. Linear time.
/// Locally constant ops end it.
pub fn reach(f: &Func, seeds: &[ValueId]) -> Vec<bool> {
    let g = Flow::through(f, |op| !matches!(op.def.linearize, Linearize::Zero)).users();
    let mut on = vec![false; g.len()];
    let mut todo: Vec<u32> = seeds.iter().map(|v| v.0).collect();
    while let Some(v) = todo.pop() {
        let v = v as usize;
        if on[v] || f.values.get(v).is_some_and(|v| !v.ty.dtype.is_inexact()) {
            continue;
        }
        on[v] = true;
        todo.extend(g.of(v));
    }
    on.truncate(f.values.len());
    on
}
