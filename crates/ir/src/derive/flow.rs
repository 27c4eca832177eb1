//! Data dependences as a graph over values and hubs. A hub stands for an op (or a port of a region op), so that an op
//! with `p` operands and `q` results costs `p + q` edges, not `p·q`: calls of `fwd` and `lin.T` have thousands of both.
use crate::func::{BODY, Func, Op, ValueId};
use crate::op::Linearize;

/// Nodes are values first, then hubs.
pub struct Flow {
    pub(crate) next: Vec<Vec<u32>>,
    pub(crate) prev: Vec<Vec<u32>>,
}
impl Flow {
    /// Of a whole function, nested regions included.
    pub fn of(f: &Func) -> Flow {
        Flow::through(f, |_| true)
    }
    /// As [`Flow::of`], through the ops where `open` holds.
    pub fn through(f: &Func, open: impl Fn(&Op) -> bool) -> Flow {
        let n = f.values.len();
        let mut g = Flow { next: vec![vec![]; n], prev: vec![vec![]; n] };
        f.walk(BODY, &mut |o| {
            let op = f.op(o);
            if !open(op) {
                return;
            }
            let Some(ports) = op.def.ports else {
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
    pub(crate) fn hub(&mut self, from: impl Iterator<Item = ValueId>, to: impl Iterator<Item = ValueId>) {
        let h = self.next.len() as u32;
        let (mut back, mut ahead) = (vec![], vec![]);
        for v in from {
            self.next[v.ix()].push(h);
            back.push(v.0);
        }
        for v in to {
            self.prev[v.ix()].push(h);
            ahead.push(v.0);
        }
        self.next.push(ahead);
        self.prev.push(back);
    }
}
/// Which floating or complex values depend on `seeds`: one reachability over the whole function. Linear time.
/// Locally constant ops end it.
pub fn reach(f: &Func, seeds: &[ValueId]) -> Vec<bool> {
    let g = Flow::through(f, |op| !matches!(op.def.linearize, Linearize::Zero));
    let mut on = vec![false; g.next.len()];
    let mut todo: Vec<u32> = seeds.iter().map(|v| v.0).collect();
    while let Some(v) = todo.pop() {
        let v = v as usize;
        if on[v] || f.values.get(v).is_some_and(|v| !v.ty.dtype.is_inexact()) {
            continue;
        }
        on[v] = true;
        todo.extend(&g.next[v]);
    }
    on.truncate(f.values.len());
    on
}
