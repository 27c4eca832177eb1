//! Several trips of a loop of scalars as one call: the graphs of condition and body are joined for so many trips and
//! compiled together, so that what is carried stays in registers from one to the next. Nothing but carried values may come
//! out of a trip, so a condition that fails on the way costs nothing: what the call has computed is dropped, and the trips
//! that were left are run one by one.
//!
//! Trips that are joined do what trips do one by one, so the bits are the same.
use std::collections::HashMap;
use std::sync::Arc;

use tfc_ir::{DType, Result, ScalarOp};

use super::program::copy_element;
use crate::compiled::Compiled;
use crate::jit::{Access, Code, Options, compile};
use crate::machine::mem::{Buf, Ptr};
use crate::run::control::Until;
use crate::run::frame::Frame;
use tfc_kernels::scalar::Src;
use tfc_plan::plan::*;
use tfc_plan::region::body::Role;
use tfc_plan::region::phases::{Graph, Val};

/// The graph of a program of scalars and its outputs: value and operand.
pub(crate) type Source = (Graph, Vec<(u32, u32)>);
/// What is run in a trip: slots of the operands, and the graph.
pub(crate) type Part<'a> = (&'a Run, &'a Source);

/// Values that a call computes at most, and trips.
const MOST_VALUES: usize = 256;
const MOST_TRIPS: usize = 8;
/// Calls after which it is asked whether the run may go on.
const LOOKS: usize = 4096;
/// Bytes of a cell.
const CELL: usize = 16;

/// The code of several trips of a loop, the same wherever the loop runs.
#[derive(Debug)]
pub(crate) struct Joined {
    code: Code,
    /// Trips of a call.
    n: usize,
    /// Number of operands.
    operands: usize,
    /// What no trip changes: slot, operand, bytes.
    fixed: Vec<(Slot, u32, u32)>,
    /// For each value carried: the operand that reads it, and its bytes.
    carried: Vec<(Option<u32>, u32)>,
    /// Whether the last operand says that every condition held.
    flagged: bool,
}
/// Trips joined.
#[derive(Debug)]
pub(crate) struct Trips {
    code: Arc<Joined>,
    /// Cells: values that no trip changes; for each carried value one and another, which are read and written in turn; the
    /// flag.
    cells: Buf,
    /// Slot, offset and bytes of what no trip changes.
    entry: Vec<(Slot, usize, u32)>,
    /// Offset of the first of two cells of each value carried, and its bytes.
    carried: Vec<(usize, u32)>,
    /// Offset of the flag that says whether every condition held.
    flag: Option<usize>,
    /// Addresses of the operands, for either turn.
    tables: [Box<[Src]>; 2],
}
// SAFETY: the tables hold addresses of its own cells.
unsafe impl Send for Trips {}
// SAFETY: as above; a shared reference reads nothing through them.
unsafe impl Sync for Trips {}

struct Join<'a> {
    plan: &'a Compiled,
    graph: Graph,
    /// The carried value, by number, that a parameter stands for.
    carry_of: HashMap<Slot, usize>,
    /// Each carried value in the present trip, and its operand, once something has read it.
    state: Vec<Option<u32>>,
    reads: Vec<Option<u32>>,
    /// What no trip changes: value and operand.
    fixed: HashMap<Slot, (u32, u32)>,
    /// The carried values, by number among those that change: what they begin with and are yielded.
    carries: Vec<&'a Carry>,
}
impl<'a> Join<'a> {
    fn new(plan: &'a Compiled, l: &'a Loop) -> Join<'a> {
        let carries: Vec<&Carry> = l.carries.iter().filter(|c| !c.same).collect();
        let params = carries.iter().enumerate().flat_map(|(i, c)| c.params.iter().map(move |&q| (q, i)));
        let n = carries.len();
        Join {
            plan,
            graph: Graph::default(),
            carry_of: params.collect(),
            state: vec![None; n],
            reads: vec![None; n],
            fixed: HashMap::new(),
            carries,
        }
    }
    fn dtype(&self, s: Slot) -> DType {
        self.plan.slots[s as usize].dtype
    }
    /// The value of a slot as a trip begins.
    fn read(&mut self, s: Slot) -> u32 {
        let d = self.dtype(s);
        let carry = self.carry_of.get(&s).copied();
        let known = match carry {
            Some(i) => self.state[i],
            None => self.fixed.get(&s).map(|f| f.0),
        };
        if let Some(v) = known {
            return v;
        }
        let k = self.graph.operand(d, Role::In, false);
        let v = self.graph.val(Val::Load(k));
        match carry {
            Some(i) => (self.state[i], self.reads[i]) = (Some(v), Some(k)),
            None => {
                self.fixed.insert(s, (v, k));
            }
        }
        v
    }
    /// Adds a graph; the values of its outputs, by slot. `None` where it is no graph of scalars.
    fn add(&mut self, (run, (g, outs)): Part) -> Option<HashMap<Slot, u32>> {
        let mut new: Vec<u32> = vec![];
        for v in &g.vals {
            new.push(match *v {
                Val::Load(k) => self.read(*run.operands.get(k as usize)?),
                Val::Const(..) => self.graph.val(*v),
                Val::Apply(op, a, d) => {
                    let mut b = [0; 3];
                    b.iter_mut().zip(&a[..op.arity()]).for_each(|(b, &x)| *b = new[x as usize]);
                    self.graph.val(Val::Apply(op, b, d))
                }
                Val::Reduce(..) => return None,
            });
        }
        Some(outs.iter().map(|&(v, k)| (run.operands[k as usize], new[v as usize])).collect())
    }
    /// A trip: condition, body, what is carried on. The flag of the condition.
    fn trip(&mut self, body: Part, cond: Option<(Part, Slot)>) -> Option<Option<u32>> {
        let flag = match cond {
            Some((c, slot)) => Some(*self.add(c)?.get(&slot)?),
            None => None,
        };
        let made = self.add(body)?;
        let mut next = vec![];
        for i in 0..self.carries.len() {
            let y = self.carries[i].yielded;
            next.push(Some(match made.get(&y) {
                Some(&v) => v,
                None => self.read(y),
            }));
        }
        self.state = next;
        Some(flag)
    }
}

impl Joined {
    /// The trips of a loop that cuts and collects nothing; `None` where they cannot be joined or are too long.
    pub(crate) fn new(plan: &Compiled, l: &Loop, body: Part, cond: Option<(Part, Slot)>) -> Option<Joined> {
        let size = body.1.0.vals.len() + cond.as_ref().map_or(0, |c| c.0.1.0.vals.len());
        let n = (MOST_VALUES / size.max(1)).min(MOST_TRIPS);
        if n < 2 || !l.xs.is_empty() || !l.ys.is_empty() {
            return None;
        }
        let mut j = Join::new(plan, l);
        let mut all = None;
        for _ in 0..n {
            let flag = j.trip(body, cond)?;
            all = match (all, flag) {
                (Some(a), Some(f)) => Some(j.graph.val(Val::Apply(ScalarOp::And, [a, f, 0], DType::Bool))),
                (a, f) => a.or(f),
            };
        }
        let mut outs = vec![];
        for i in 0..j.carries.len() {
            let k = j.graph.operand(j.dtype(j.carries[i].yielded), Role::Out, false);
            outs.push((j.state[i]?, k));
        }
        if let Some(a) = all {
            outs.push((a, j.graph.operand(DType::Bool, Role::Out, false)));
        }
        let one = Options { one: true, ..Options::default() };
        let operands = j.graph.operands.len();
        let code = compile(&j.graph.flat(&outs), &vec![Access::Splat; operands], &one)?;
        let bytes = |s: Slot| j.dtype(s).size() as u32;
        let mut fixed: Vec<(Slot, u32, u32)> = j.fixed.iter().map(|(&s, f)| (s, f.1, bytes(s))).collect();
        fixed.sort_unstable();
        let carried = j.reads.iter().zip(&j.carries).map(|(&k, c)| (k, bytes(c.yielded))).collect();
        Some(Joined { code, n, operands, fixed, carried, flagged: all.is_some() })
    }
}
impl Trips {
    /// Gives everything a cell.
    ///
    /// # Errors
    /// `E0705` where there is no memory.
    pub(crate) fn new(code: Arc<Joined>) -> Result<Trips> {
        let j = &*code;
        let first = j.fixed.len() * CELL;
        let carried: Vec<(usize, u32)> =
            j.carried.iter().enumerate().map(|(i, c)| (first + 2 * i * CELL, c.1)).collect();
        let end = first + 2 * carried.len() * CELL;
        let mut cells = Buf::default();
        let base = cells.ensure(end + CELL)?;
        let cell = |at: usize| Src { ptr: base.at(at as isize).0, stride: 1 };
        let outputs = j.operands - carried.len() - usize::from(j.flagged);
        let tables = [0, 1].map(|turn| {
            let mut t = vec![Src::NONE; j.operands];
            for (i, &(_, k, _)) in j.fixed.iter().enumerate() {
                t[k as usize] = cell(i * CELL);
            }
            for (i, (&(at, _), &(read, _))) in carried.iter().zip(&j.carried).enumerate() {
                if let Some(k) = read {
                    t[k as usize] = cell(at + turn * CELL);
                }
                t[outputs + i] = cell(at + (1 - turn) * CELL);
            }
            if j.flagged {
                t[j.operands - 1] = cell(end);
            }
            t.into()
        });
        let entry = j.fixed.iter().enumerate().map(|(i, &(s, _, size))| (s, i * CELL, size)).collect();
        let flag = j.flagged.then_some(end);
        Ok(Trips { code, cells, entry, carried, flag, tables })
    }
    /// Runs from trip `t` on as long as `n` more trips may begin, all of their conditions hold, and `budget` lasts, at which every
    /// [`LOOKS`] calls look; the number of trips. `from` are the cells of the carried values that change, in order: they hold the values before and after.
    ///
    /// # Safety
    /// Slots that no trip changes are placed; `from` has the cells of scalars of their types.
    pub(crate) unsafe fn run(
        &mut self,
        f: &Frame,
        from: &[Ptr],
        until: &Until,
        t: usize,
        budget: Option<&tfc_ir::Budget>,
    ) -> usize {
        let base = self.cells.ptr();
        // SAFETY: cells have room for any element; tables hold their addresses.
        unsafe {
            for &(s, at, size) in &self.entry {
                copy_element(base.at(at as isize).0, f.ptr[s as usize].0, size);
            }
            for (p, &(at, size)) in from.iter().zip(&self.carried) {
                copy_element(base.at(at as isize).0, p.0, size);
            }
            let (mut done, mut turn, mut calls) = (0, 0, 0_usize);
            let Joined { code, n, .. } = &*self.code;
            while until.may(t + done, *n) {
                code.run(1, self.tables[turn].as_mut_ptr(), std::ptr::null_mut());
                if self.flag.is_some_and(|o| base.at(o as isize).0.read() == 0) {
                    break;
                }
                done += n;
                turn = 1 - turn;
                calls += 1;
                if calls % LOOKS == 0 && budget.is_some_and(|b| b.check().is_err()) {
                    break;
                }
            }
            for (p, &(at, size)) in from.iter().zip(&self.carried) {
                copy_element(p.0, base.at((at + turn * CELL) as isize).0, size);
            }
            done
        }
    }
}
