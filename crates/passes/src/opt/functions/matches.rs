//! Does an expression hold a formula? Exactly: what is nearly one is not touched.
use super::formula::{Formula, Part};
use super::graph::{Graph, Id, Node, address};
use tfc_ir::DType;
use tfc_ir::ops::elementwise::CONVERT;
use tfc_ir::ops::reduce::REDUCE_OR;

/// Comparisons after which an expression is taken not to be the formula.
const MAX_STEPS: usize = 20_000;

/// Where a formula was found.
pub(super) struct Match {
    /// What its variables are; `None` where it does not depend on one.
    pub(super) vars: Vec<Option<Id>>,
    /// The dtype of its counters.
    pub(super) index: Option<DType>,
}
/// The match of expression `id` with this formula; `None` where it is not this formula.
pub(super) fn find(graph: &Graph, id: Id, formula: &Formula) -> Option<Match> {
    if !may_be(graph, id, formula) {
        return None;
    }
    let mut known = Known {
        graph,
        f: formula,
        index: None,
        parts: vec![None; formula.parts.len()],
        trail: vec![],
        loops: vec![],
        steps: 0,
    };
    let found = known.is(id, formula.root);
    // Variables are the first parts.
    found.then(|| Match { vars: known.parts[..formula.vars].to_vec(), index: known.index })
}
/// Has the expression operands by the rows that the formula has there? Most have not.
fn may_be(graph: &Graph, id: Id, formula: &Formula) -> bool {
    let (Some(Part::Row(_, parts)), Some(Node::Row(_, args, _))) = (formula.parts.get(formula.root), graph.node(id))
    else {
        return false;
    };
    let rows: Vec<Option<usize>> = args.iter().map(|&a| graph.row(a)).collect();
    parts.iter().all(|&p| match formula.parts.get(p) {
        Some(Part::Row(row, _)) => rows.contains(&Some(address(row))),
        _ => true,
    })
}
struct Known<'a, 'm> {
    graph: &'a Graph<'m>,
    f: &'a Formula,
    index: Option<DType>,
    /// The expressions that parts are.
    parts: Vec<Option<Id>>,
    /// Parts in the order in which that was found.
    trail: Vec<usize>,
    /// Loops that are being compared: their first carries, and the loops of the program.
    loops: Vec<(usize, Id)>,
    steps: usize,
}
impl Known<'_, '_> {
    fn is(&mut self, id: Id, at: usize) -> bool {
        self.steps += 1;
        if let Some(known) = self.parts[at] {
            return known == id;
        }
        let (before, index) = (self.trail.len(), self.index);
        let fits = self.steps < MAX_STEPS && self.fits(id, at);
        if fits {
            self.parts[at] = Some(id);
            self.trail.push(at);
        } else {
            self.back(before, index);
        }
        fits
    }
    fn back(&mut self, to: usize, index: Option<DType>) {
        self.trail.drain(to..).for_each(|p| self.parts[p] = None);
        self.index = index;
    }
    fn all(&mut self, ids: &[Id], parts: &[usize]) -> bool {
        ids.len() == parts.len() && ids.iter().zip(parts).all(|(&i, &p)| self.is(i, p))
    }
    fn fits(&mut self, id: Id, at: usize) -> bool {
        let (f, graph) = (self.f, self.graph);
        let Some(node) = graph.node(id) else { return false };
        match (&f.parts[at], node) {
            (Part::Var(_), _) => true,
            (Part::Num(x), Node::Number(bits)) => {
                let rounded = tfc_ir::ops::constant::scalar_of(f.dtype, *x);
                let narrow = rounded.real();
                *bits == narrow.unwrap_or(*x).to_bits()
            }
            (Part::Flag(x), Node::Integer(DType::Bool, y)) => i64::from(*x) == *y,
            (Part::Int(x), Node::Integer(dtype, y)) => {
                let one_kind = self.index.is_none_or(|d| d == *dtype);
                self.index = Some(*dtype);
                dtype.is_int() && one_kind && x == y
            }
            (Part::Row(row, parts), Node::Row(r, args, None)) => {
                if *r != address(row) {
                    return false;
                }
                let (before, index) = (self.trail.len(), self.index);
                if self.all(args, parts) {
                    return true;
                }
                self.back(before, index);
                let (&[p, q], &[s, t]) = (args.as_slice(), parts.as_slice()) else { return false };
                row.scalar.is_some_and(|s| s.is_commutative()) && self.is(q, s) && self.is(p, t)
            }
            (Part::Real(x), Node::Row(r, args, Some(dtype))) => {
                *r == address(&CONVERT) && *dtype == f.dtype && self.all(args, &[*x])
            }
            (Part::Any(x), Node::Fold(r, y)) if *r == address(&REDUCE_OR) => self.is(*y, *x),
            // Of one number.
            (Part::Any(x), _) => self.is(id, *x),
            (Part::Last(made, i), Node::Last(l, j)) => *i == *j as usize && self.is(*l, *made),
            (Part::Carry(first, i), Node::Carry(level, j)) => {
                let made = self.loops.iter().rev().find(|l| l.0 == *first);
                match made.and_then(|l| graph.node(l.1)) {
                    Some(Node::Loop(depth, which, ..)) => depth == level && which.get(*i) == Some(j),
                    _ => false,
                }
            }
            (Part::Loop { first, starts, cond, body }, Node::Loop(_, which, begin, flag, next)) => {
                if which.len() != starts.len() {
                    return false;
                }
                let starts: Vec<usize> = starts.iter().map(|s| s.at()).collect();
                self.loops.push((*first, id));
                let same = self.all(begin, &starts) && self.is(*flag, *cond) && self.all(next, body);
                self.loops.pop();
                same
            }
            _ => false,
        }
    }
}
