//! Ways to write a function, and where a program holds one.
//!
//! Values of a function are numbered by what they are computed from ([`Graph`]): equal expressions have one number, calls
//! of straight-line functions are looked through, constants are what they hold, whatever their shape. So a pattern neither sees
//! which function a statement stands in, nor whether equal statements have been merged.
use crate::ad::rules;
use std::collections::HashMap;
use std::sync::Arc;
use tfc_ir::op::{Expand, Loops};
use tfc_ir::ops::constant::splat_of;
use tfc_ir::{Attr, BODY, Builder, DType, Func, FuncId, Module, Op, OpDef, Result, ValueId};

/// An expression of elementwise rows.
pub(super) enum Term {
    /// The variable of that number.
    Var(usize),
    /// A number, in the dtype of the variables.
    Num(f64),
    /// A row on operands.
    Op(&'static OpDef, &'static [Term]),
}
impl Term {
    /// Its row.
    pub(super) fn row(&self) -> Option<&'static OpDef> {
        if let Term::Op(row, _) = self { Some(row) } else { None }
    }
    /// Writes it on these variables.
    pub(super) fn build(&self, b: &mut Builder, vars: &[ValueId]) -> Result<ValueId> {
        match self {
            Term::Var(i) => Ok(vars[*i]),
            Term::Num(x) => b.like(vars[0], *x),
            Term::Op(row, args) => {
                let args = args.iter().map(|a| a.build(b, vars)).collect::<Result<Vec<_>>>()?;
                b.emit1(tfc_ir::NewOp::new(row, &args))
            }
        }
    }
}

/// The number of an expression.
pub(super) type Id = u32;
#[derive(Clone, PartialEq, Eq, Hash)]
enum Node {
    /// Something that nothing is said of.
    Opaque(u32),
    /// A constant: its bits as `f64`.
    Number(u64),
    /// A row, by its address, on operands.
    Row(usize, Vec<Id>),
}
/// Numbers of expressions.
pub(super) struct Graph<'m> {
    m: &'m Module,
    nodes: Vec<Node>,
    ids: HashMap<Node, Id>,
    opaque: u32,
    /// What calls give.
    calls: HashMap<(FuncId, Vec<Id>), Option<Arc<[Id]>>>,
    /// Nodes up to which calls are looked through.
    room: usize,
}
/// Calls are looked through this deep.
const MAX_DEPTH: usize = 8;
impl<'m> Graph<'m> {
    /// Nothing numbered yet; `ops` statements are going to be.
    pub(super) fn new(m: &'m Module, ops: usize) -> Graph<'m> {
        let room = ops.saturating_mul(8).saturating_add(4096);
        Graph { m, nodes: vec![], ids: HashMap::new(), opaque: 0, calls: HashMap::new(), room }
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
    /// The number that an expression is.
    pub(super) fn number(&self, id: Id) -> Option<f64> {
        if let Some(Node::Number(bits)) = self.nodes.get(id as usize) { Some(f64::from_bits(*bits)) } else { None }
    }
    /// The address of the row of an expression.
    pub(super) fn row(&self, id: Id) -> Option<usize> {
        if let Some(Node::Row(row, _)) = self.nodes.get(id as usize) { Some(*row) } else { None }
    }
    /// The results of a statement, of operands `args`; `None` where nothing is said of them.
    pub(super) fn results(&mut self, f: &Func, op: &Op, args: &[Id], depth: usize) -> Option<Vec<Id>> {
        let &r = op.results.first()?;
        if !op.guards.is_empty() {
            return None;
        }
        if let Some(x) = splat_of(f, r).filter(|_| f.ty(r).dtype.is_float()) {
            return Some(vec![self.id(Node::Number(x.to_bits()))]);
        }
        if op.def.loops == Loops::Repeat {
            return args.first().filter(|&&a| self.number(a).is_some()).map(|&a| vec![a]);
        }
        if let (Some(scalar), true) = (op.def.scalar, op.def.slots.is_empty()) {
            let mut args = args.to_vec();
            if scalar.is_commutative() {
                args.sort_unstable();
            }
            // A conversion is known by what it gives, not by its row alone.
            let typed = op.def.needs_type;
            return (!typed).then(|| vec![self.id(Node::Row(address(op.def), args))]);
        }
        if matches!(op.def.expand, Expand::Inline) && depth < MAX_DEPTH {
            let callee = op.attrs.iter().find_map(|(_, a)| if let Attr::Sym(s) = a { Some(s.func) } else { None })?;
            return self.call(callee, args, depth).map(|ids| ids.to_vec());
        }
        None
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
        let found = args.and_then(|args| self.results(f, op, &args, depth));
        for (i, &r) in op.results.iter().enumerate() {
            let id = found.as_ref().and_then(|ids| ids.get(i).copied()).unwrap_or_else(|| self.opaque());
            ids.insert(r, id);
        }
    }
    /// Is the expression this term? Then what its variables are is in `vars`.
    pub(super) fn is(&self, id: Id, term: &Term, dtype: DType, vars: &mut Vec<Option<Id>>) -> bool {
        match term {
            Term::Var(i) => match vars.get(*i).copied().flatten() {
                Some(known) => known == id,
                None => {
                    vars[*i] = Some(id);
                    true
                }
            },
            Term::Num(x) => self.number(id).is_some_and(|y| {
                let rounded = tfc_ir::ops::constant::scalar_of(dtype, *x);
                let narrow = rounded.and_then(|t| t.item::<f32>()).map(f64::from);
                y.to_bits() == narrow.unwrap_or(*x).to_bits()
            }),
            Term::Op(row, terms) => {
                let Some(Node::Row(r, args)) = self.nodes.get(id as usize) else { return false };
                if *r != address(row) || args.len() != terms.len() {
                    return false;
                }
                let before = vars.clone();
                if args.iter().zip(*terms).all(|(&a, t)| self.is(a, t, dtype, vars)) {
                    return true;
                }
                *vars = before;
                let (&[p, q], [s, t]) = (args.as_slice(), *terms) else { return false };
                if !row.scalar.is_some_and(|s| s.is_commutative()) {
                    return false;
                }
                let before = vars.clone();
                let turned = self.is(q, s, dtype, vars) && self.is(p, t, dtype, vars);
                if !turned {
                    *vars = before;
                }
                turned
            }
        }
    }
}
fn address(row: &'static OpDef) -> usize {
    std::ptr::from_ref(row).addr()
}
/// Is a row at this address?
pub(super) fn is_at(row: &'static OpDef, at: usize) -> bool {
    address(row) == at
}
