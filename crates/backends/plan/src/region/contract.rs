//! Contraction, for `fast_math`: a product that nothing but one sum reads becomes part of it, rounded once. On graphs, so that
//! tapes, generated code and programs of scalars contract alike and agree to the bit.
//!
//! Products that are reduced stay what they are. (Where a machine has no instruction for it, its engine does not ask.)
use tfc_ir::{DType, ScalarOp};

use super::phases::{Graph, Val};

impl Graph {
    /// Contracts products into sums and differences; `outs` (value, operand) are renumbered.
    pub fn contract(&mut self, outs: &mut [(u32, u32)]) {
        let (uses, full) = (self.uses(outs), self.walks());
        let old = std::mem::take(&mut self.vals);
        let mut c = Contract { old: &old, uses, full, new: vec![0; old.len()], vals: vec![], late: vec![] };
        for (i, v) in old.iter().enumerate() {
            c.push(i, v);
        }
        for o in outs.iter_mut() {
            o.0 = c.at(o.0);
        }
        self.vals = c.vals;
    }
    /// How often each value is read.
    fn uses(&self, outs: &[(u32, u32)]) -> Vec<u32> {
        let mut n = vec![0; self.vals.len()];
        for v in &self.vals {
            match v {
                Val::Apply(op, a, _) => a[..op.arity()].iter().for_each(|&x| n[x as usize] += 1),
                Val::Reduce(_, x, _) => n[*x as usize] += 1,
                Val::Load(_) | Val::Const(..) => {}
            }
        }
        outs.iter().for_each(|o| n[o.0 as usize] += 1);
        n
    }
    /// Which values differ along reduced loops.
    fn walks(&self) -> Vec<bool> {
        let mut full: Vec<bool> = vec![];
        for v in &self.vals {
            full.push(match v {
                Val::Load(k) => self.operands.get(*k as usize).is_some_and(|o| o.1),
                Val::Apply(op, a, _) => a[..op.arity()].iter().any(|&x| full[x as usize]),
                Val::Const(..) | Val::Reduce(..) => false,
            });
        }
        full
    }
}
/// No number yet: a product that waits for the sum that may take it.
const LATE: u32 = u32::MAX;
struct Contract<'a> {
    old: &'a [Val],
    uses: Vec<u32>,
    full: Vec<bool>,
    /// New number of each value.
    new: Vec<u32>,
    vals: Vec<Val>,
    /// Scratch.
    late: Vec<u32>,
}
impl Contract<'_> {
    fn emit(&mut self, v: Val) -> u32 {
        self.vals.push(v);
        self.vals.len() as u32 - 1
    }
    /// The new number of a value; a product that no sum has taken is emitted now.
    fn at(&mut self, x: u32) -> u32 {
        self.late.push(x);
        // Products of products wait one for the other, however long the chain is.
        while let Some(&y) = self.late.last() {
            let (Val::Apply(op, a, d), LATE) = (self.old[y as usize], self.new[y as usize]) else {
                self.late.pop();
                continue;
            };
            let waits = a[..op.arity()].iter().copied().find(|&z| self.new[z as usize] == LATE);
            match waits {
                Some(z) => self.late.push(z),
                None => {
                    let v = Val::Apply(op, [self.new[a[0] as usize], self.new[a[1] as usize], 0], d);
                    self.new[y as usize] = self.emit(v);
                    self.late.pop();
                }
            }
        }
        self.new[x as usize]
    }
    /// The factors of `x`, if it is a product that only the present sum reads. `y`: the other summand, `i`: the sum.
    fn product(&self, x: u32, y: u32, i: usize) -> Option<[u32; 2]> {
        match self.old[x as usize] {
            Val::Apply(ScalarOp::Mul, a, _)
                if x != y && self.uses[x as usize] == 1 && self.full[x as usize] == self.full[i] =>
            {
                Some([a[0], a[1]])
            }
            _ => None,
        }
    }
    fn push(&mut self, i: usize, v: &Val) {
        let real = |d: DType| matches!(d, DType::F32 | DType::F64);
        self.new[i] = match *v {
            Val::Apply(ScalarOp::Mul, _, d) if real(d) && self.uses[i] == 1 => LATE,
            Val::Apply(op @ (ScalarOp::Add | ScalarOp::Sub), [x, y, _], d) if real(d) => self.sum(op, x, y, d, i),
            Val::Apply(op, a, d) => {
                let mut b = [0; 3];
                for (b, &x) in b.iter_mut().zip(&a[..op.arity()]) {
                    *b = self.at(x);
                }
                self.emit(Val::Apply(op, b, d))
            }
            Val::Reduce(op, x, d) => {
                let x = self.at(x);
                self.emit(Val::Reduce(op, x, d))
            }
            Val::Load(_) | Val::Const(..) => self.emit(*v),
        };
    }
    /// `x + y` or `x − y`.
    fn sum(&mut self, op: ScalarOp, x: u32, y: u32, d: DType, i: usize) -> u32 {
        let (right, left) = (self.product(y, x, i), self.product(x, y, i));
        let (op, a) = match (op, left, right) {
            (ScalarOp::Add, _, Some([a, b])) => (ScalarOp::Fma, [a, b, x]),
            (ScalarOp::Add, Some([a, b]), _) => (ScalarOp::Fma, [a, b, y]),
            (_, _, Some([a, b])) => (ScalarOp::Fnma, [a, b, x]),
            (_, Some([a, b]), _) => {
                let (a, b, y) = (self.at(a), self.at(b), self.at(y));
                let c = self.emit(Val::Apply(ScalarOp::Neg, [y, y, y], d));
                return self.emit(Val::Apply(ScalarOp::Fma, [a, b, c], d));
            }
            _ => (op, [x, y, x]),
        };
        let a = a.map(|z| self.at(z));
        self.emit(Val::Apply(op, a, d))
    }
}
