//! Numbers of what a function computes ([`Graph`]): equal expressions have one number, calls of straight-line functions are looked
//! through, constants and what repeats one number are that number, whatever their shape. So a formula neither sees which function a statement
//! stands in, nor whether equal statements have been merged.
//!
//! A loop that only running it ends is numbered too. Its carries are numbered by how deep the loop stands; a carry that comes out
//! of each trip as it went in is the value that it started as, and a result is said by the carries that it depends on alone. So
//! it does not matter which other carries the loop has.
use crate::ad::rules;
use std::collections::HashMap;
use std::sync::Arc;
use tfc_ir::op::{Expand, Loops, Repeats};
use tfc_ir::ops::constant::splat_of;
use tfc_ir::{Attr, BODY, DType, Func, FuncId, Module, Op, OpDef, RegionId, ScalarOp, ValueId};

/// The number of an expression.
pub(super) type Id = u32;
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// Something that nothing is said of.
    Opaque(u32),
    /// A floating constant: its bits as `f64`.
    Number(u64),
    /// A constant of integers or truth values.
    Integer(DType, i64),
    /// A row, by its address, on operands; the dtype where it is not that of the operands.
    Row(usize, Vec<Id>, Option<DType>),
    /// All elements of an operand folded into one by a row.
    Fold(usize, Id),
    /// A carry of a loop within so many others.
    Carry(u32, u32),
    /// A loop: how deep it stands, which of its carries count, what they start as, the condition, what they become.
    Loop(u32, Vec<u32>, Vec<Id>, Id, Vec<Id>),
    /// What one of the carries that count is in the end.
    Last(Id, u32),
}
/// Numbers of expressions.
pub(super) struct Graph<'m> {
    m: &'m Module,
    nodes: Vec<Node>,
    ids: HashMap<Node, Id>,
    opaque: u32,
    /// What calls give.
    calls: HashMap<(FuncId, Vec<Id>), Option<Arc<[Id]>>>,
    /// Nodes up to which calls are looked through, and statements that may still be numbered in loops.
    room: usize,
    work: usize,
    /// Loops around.
    level: u32,
}
/// Calls are looked through this deep, loops numbered.
const MAX_DEPTH: usize = 8;
const MAX_LEVEL: u32 = 3;
/// Carries of a loop that is numbered.
const MAX_CARRIES: usize = 64;
impl<'m> Graph<'m> {
    /// Nothing numbered yet; `ops` statements are going to be.
    pub(super) fn new(m: &'m Module, ops: usize) -> Graph<'m> {
        let room = ops.saturating_mul(8).saturating_add(4096);
        Graph { m, nodes: vec![], ids: HashMap::new(), opaque: 0, calls: HashMap::new(), room, work: room, level: 0 }
    }
    fn id(&mut self, node: Node) -> Id {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = self.nodes.len() as Id;
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }
    /// A value that nothing is said of.
    pub(super) fn opaque(&mut self) -> Id {
        self.opaque += 1;
        self.id(Node::Opaque(self.opaque))
    }
    /// What an expression is.
    pub(super) fn node(&self, id: Id) -> Option<&Node> {
        self.nodes.get(id as usize)
    }
    /// The number that an expression is.
    pub(super) fn number(&self, id: Id) -> Option<f64> {
        if let Some(Node::Number(bits)) = self.node(id) { Some(f64::from_bits(*bits)) } else { None }
    }
    /// The address of the row of an expression.
    pub(super) fn row(&self, id: Id) -> Option<usize> {
        if let Some(Node::Row(row, ..)) = self.node(id) { Some(*row) } else { None }
    }
    fn constant(&mut self, f: &Func, r: ValueId) -> Option<Id> {
        let dtype = f.ty(r).dtype;
        let x = splat_of(f, r)?;
        match dtype {
            _ if dtype.is_float() => Some(self.id(Node::Number(x.to_bits()))),
            _ if dtype.is_int() || dtype == DType::Bool => Some(self.id(Node::Integer(dtype, x as i64))),
            _ => None,
        }
    }
    /// The results of a statement, of operands `args`; `None` where nothing is said of them.
    fn results(
        &mut self,
        f: &Func,
        op: &Op,
        args: &[Id],
        ids: &mut HashMap<ValueId, Id>,
        depth: usize,
    ) -> Option<Vec<Id>> {
        let &r = op.results.first()?;
        if !op.guards.is_empty() {
            return None;
        }
        if let Some(id) = self.constant(f, r) {
            return Some(vec![id]);
        }
        let rank = op.operands.first().map_or(0, |&x| f.ty(x).rank());
        match op.def.loops {
            Loops::Repeat => {
                let same = |&&a: &&Id| rank == 0 || matches!(self.node(a), Some(Node::Number(_) | Node::Integer(..)));
                return args.first().filter(same).map(|&a| vec![a]);
            }
            Loops::Fold(_) if op.attrs.indices("axes").len() == rank => {
                let &a = args.first()?;
                return Some(vec![if rank == 0 { a } else { self.id(Node::Fold(address(op.def), a)) }]);
            }
            _ => {}
        }
        if let (Some(scalar), true) = (op.def.scalar, op.def.slots.is_empty()) {
            if let (ScalarOp::Select, &[_, yes, no]) = (scalar, args)
                && yes == no
            {
                return Some(vec![yes]);
            }
            let mut args = args.to_vec();
            if scalar.is_commutative() {
                args.sort_unstable();
            }
            // A conversion is known by what it gives, not by its row alone.
            let typed = op.def.needs_type.then(|| f.ty(r).dtype);
            return Some(vec![self.id(Node::Row(address(op.def), args, typed))]);
        }
        if matches!(op.def.expand, Expand::Inline) && depth < MAX_DEPTH {
            let callee = op.attrs.iter().find_map(|(_, a)| if let Attr::Sym(s) = a { Some(s.func) } else { None })?;
            return self.call(callee, args, depth).map(|ids| ids.to_vec());
        }
        let repeats = op.def.control.repeats.filter(|_| op.attrs.is_empty())?;
        self.level += 1;
        let found = self.repeated(f, op, repeats, args, ids, depth);
        self.level -= 1;
        found
    }
    fn call(&mut self, callee: FuncId, args: &[Id], depth: usize) -> Option<Arc<[Id]>> {
        let key = (callee, args.to_vec());
        if let Some(known) = self.calls.get(&key) {
            return known.clone();
        }
        let made = self.written_out(callee, args, depth);
        self.calls.insert(key, made.clone());
        made
    }
    fn written_out(&mut self, callee: FuncId, args: &[Id], depth: usize) -> Option<Arc<[Id]>> {
        let f = self.m.try_func(callee).filter(|f| rules::of(f).is_none())?;
        let ops = &f.region(BODY).ops;
        if self.nodes.len().saturating_add(ops.len()) > self.room || ops.iter().any(|&o| !f.op(o).regions.is_empty()) {
            return None;
        }
        let mut ids: HashMap<ValueId, Id> = f.params().iter().copied().zip(args.iter().copied()).collect();
        for &o in ops {
            self.see(&f, f.op(o), &mut ids, depth + 1);
        }
        f.returns().iter().map(|y| ids.get(y).copied()).collect()
    }
    /// Numbers the results of a statement.
    pub(super) fn see(&mut self, f: &Func, op: &Op, ids: &mut HashMap<ValueId, Id>, depth: usize) {
        let args: Option<Vec<Id>> = op.operands.iter().map(|v| ids.get(v).copied()).collect();
        let found = args.and_then(|args| self.results(f, op, &args, ids, depth));
        for (i, &r) in op.results.iter().enumerate() {
            let id = found.as_ref().and_then(|ids| ids.get(i).copied()).unwrap_or_else(|| self.opaque());
            ids.insert(r, id);
        }
    }
    /// What a region yields, of these parameters.
    fn region(
        &mut self,
        f: &Func,
        r: RegionId,
        params: &[Id],
        ids: &mut HashMap<ValueId, Id>,
        depth: usize,
    ) -> Option<Vec<Id>> {
        let region = f.region(r);
        self.work = self.work.checked_sub(region.ops.len())?;
        ids.extend(region.params.iter().copied().zip(params.iter().copied()));
        for &o in &region.ops {
            self.see(f, f.op(o), ids, depth);
        }
        region.yields.iter().map(|y| ids.get(y).copied()).collect()
    }
    fn repeated(
        &mut self,
        f: &Func,
        op: &Op,
        repeats: Repeats,
        args: &[Id],
        ids: &mut HashMap<ValueId, Id>,
        depth: usize,
    ) -> Option<Vec<Id>> {
        let (level, n) = (self.level, args.len());
        let (cond, body) = (*op.regions.get(repeats.cond)?, *op.regions.get(repeats.body)?);
        if level > MAX_LEVEL || n > MAX_CARRIES || f.region(body).yields.len() != n {
            return None;
        }
        let carries: Vec<Id> = (0..n as u32).map(|i| self.id(Node::Carry(level, i))).collect();
        let mut next = self.region(f, body, &carries, ids, depth)?;
        let same: Vec<bool> = (0..n).map(|i| next[i] == carries[i]).collect();
        let given: Vec<Id> = (0..n).map(|i| if same[i] { args[i] } else { carries[i] }).collect();
        if same.contains(&true) {
            next = self.region(f, body, &given, ids, depth)?;
        }
        let &[flag] = self.region(f, cond, &given, ids, depth)?.as_slice() else { return None };
        let mut seen = HashMap::new();
        let needs: Vec<u64> = next.iter().map(|&y| self.needs(y, level, &mut seen)).collect();
        let always = self.needs(flag, level, &mut seen);
        let mut out = vec![];
        for i in 0..n {
            if same[i] {
                out.push(args[i]);
                continue;
            }
            let mut all = always | 1 << i;
            loop {
                let more = (0..n).filter(|&j| all >> j & 1 == 1).fold(all, |a, j| a | needs[j]);
                if more == all {
                    break;
                }
                all = more;
            }
            let which: Vec<u32> = (0..n as u32).filter(|&j| all >> j & 1 == 1).collect();
            let of = |list: &[Id]| which.iter().map(|&j| list[j as usize]).collect::<Vec<Id>>();
            let (starts, becomes) = (of(args), of(&next));
            let place = which.iter().position(|&j| j as usize == i)? as u32;
            let made = self.id(Node::Loop(level, which, starts, flag, becomes));
            out.push(self.id(Node::Last(made, place)));
        }
        Some(out)
    }
    /// The carries of the loop at this level that an expression depends on.
    fn needs(&self, id: Id, level: u32, seen: &mut HashMap<Id, u64>) -> u64 {
        let mut todo = vec![id];
        while let Some(&at) = todo.last() {
            if seen.contains_key(&at) {
                todo.pop();
                continue;
            }
            let (own, parts): (u64, Vec<Id>) = match self.node(at) {
                Some(&Node::Carry(l, i)) if l == level => (1 << i, vec![]),
                Some(Node::Row(_, args, _)) => (0, args.clone()),
                Some(&(Node::Fold(_, x) | Node::Last(x, _))) => (0, vec![x]),
                Some(Node::Loop(_, _, starts, cond, body)) => (0, [&starts[..], &[*cond], body].concat()),
                _ => (0, vec![]),
            };
            let open: Vec<Id> = parts.iter().copied().filter(|p| !seen.contains_key(p)).collect();
            if open.is_empty() {
                let all = parts.iter().fold(own, |a, p| a | seen.get(p).copied().unwrap_or(0));
                seen.insert(at, all);
                todo.pop();
            } else {
                todo.extend(open);
            }
        }
        seen.get(&id).copied().unwrap_or(0)
    }
}
pub(super) fn address(row: &'static OpDef) -> usize {
    std::ptr::from_ref(row).addr()
}
