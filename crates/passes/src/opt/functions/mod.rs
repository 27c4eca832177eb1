//! The pass `raise-functions`: functions that a program writes out, `1/(1 + exp(−x))`, become calls of private functions that
//! keep the formula, so every bit, and bring the derivative of the function instead of the formula's: which divides infinities where
//! `exp` overflows, is lost where terms cancel, and is 0 at a pole that a choice has removed.
//!
//! Shifts that cancel, as that of a softmax by its greatest element, are not differentiated (`shift`).
//!
//! Only what is going to be differentiated is looked at; `expand-ad` takes the rules away again, and `inline` the calls. What is
//! recognised is a table (`table`).
mod bessel;
mod beta;
mod formula;
mod gamma;
mod graph;
mod loggamma;
mod matches;
mod pattern;
mod shift;
mod slopes;
mod table;
mod write;

use crate::PassError;
use crate::ad::{derivative, rules};
use crate::rewrite::{improve, reached, rewrite};
use formula::Formula;
use graph::{Graph, Id, address};
use matches::Match;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use table::FUNCTIONS;
use tfc_ir::derive::{live, prune_live};
use tfc_ir::{BODY, DType, Effect, Func, Module, OpId, RegionId, Type, ValueId};
use write::Written;

/// The pass `raise-functions`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    let wanted = reached(m, derivative);
    if wanted.is_empty() {
        return Ok(false);
    }
    // A function with a rule of its own is not differentiated itself.
    let asked = |m: &Module, f: &Func| m.find(&f.name).is_some_and(|id| wanted.contains(&id)) && rules::of(f).is_none();
    let shifted = improve(m, |m, f| {
        let shifts = if asked(m, f) { shift::find(f) } else { shift::Shifts::new() };
        if shifts.is_empty() {
            return Ok(None);
        }
        let (new, _) = rewrite(m, f, &mut |b, f, o, args, map| match shifts.get(&o) {
            Some(&at) => shift::stopped(b, f, o, at, args, map).map(Some),
            None => Ok(None),
        })?;
        Ok(Some(new))
    })?;
    let (written, formulas) = (Written::new(m), Formulas::default());
    let raised = improve(m, |m, f| {
        if !asked(m, f) {
            return Ok(None);
        }
        let found = find(m, f, &formulas);
        if found.is_empty() {
            return Ok(None);
        }
        let (new, _) = rewrite(m, f, &mut |b, f, o, _, map| {
            let Some(found) = found.get(&o) else { return Ok(None) };
            let ty = map.ty(f.ty(f.op(o).results[0]))?;
            let mut args = vec![];
            for v in &found.vars {
                args.push(match v {
                    Var::Value(v) => map.value(*v)?,
                    Var::Number(x) => b.splat(&ty, *x)?,
                });
            }
            let callee = written.function(found, &ty)?;
            Ok(Some(b.call(callee, None, &args)?.0))
        })?;
        let alive = live(m, &new);
        prune_live(m, &new, &alive, |_| true).map(|(new, _)| Some(new))
    })?;
    Ok(shifted || raised)
}
/// A function that is written out.
struct Found {
    /// Places in the table: of the function, and of its spelling.
    function: usize,
    spelling: usize,
    vars: Vec<Var>,
    /// The dtype of the counters of its loops.
    index: DType,
}
/// What a variable of it is.
#[derive(Clone, Copy)]
enum Var {
    Value(ValueId),
    Number(f64),
}
/// The spellings of all functions, by dtype, with their places in the table.
#[derive(Default)]
struct Formulas(RefCell<HashMap<DType, Arc<Spelled>>>);
type Spelled = Vec<(usize, usize, Formula)>;
impl Formulas {
    fn of(&self, dtype: DType) -> Arc<Spelled> {
        let mut known = self.0.borrow_mut();
        let write = || {
            let all = FUNCTIONS.iter().enumerate();
            all.flat_map(|(i, f)| (0..f.spellings.len()).map(move |j| (i, j, f.formula(j, dtype)))).collect()
        };
        known.entry(dtype).or_insert_with(|| Arc::new(write())).clone()
    }
}
/// The functions that statements of `f` make, by the statement that gives the value.
fn find(m: &Module, f: &Func, formulas: &Formulas) -> HashMap<OpId, Found> {
    let mut s = Search {
        m,
        f,
        formulas,
        graph: Graph::new(m, f.op_count()),
        ids: HashMap::new(),
        values: HashMap::new(),
        found: HashMap::new(),
    };
    s.region(BODY);
    s.found
}
struct Search<'a> {
    m: &'a Module,
    f: &'a Func,
    formulas: &'a Formulas,
    graph: Graph<'a>,
    ids: HashMap<ValueId, Id>,
    /// The values in scope of each number, outermost first.
    values: HashMap<Id, Vec<ValueId>>,
    found: HashMap<OpId, Found>,
}
impl Search<'_> {
    fn region(&mut self, r: RegionId) {
        let mut here = vec![];
        for &p in &self.f.region(r).params {
            let id = self.graph.opaque();
            self.ids.insert(p, id);
            self.values.entry(id).or_default().push(p);
            here.push(id);
        }
        for &o in &self.f.region(r).ops {
            let op = self.f.op(o);
            op.regions.iter().for_each(|&q| self.region(q));
            self.graph.see(self.f, op, &mut self.ids, 0);
            if let Some(found) = self.function(o) {
                self.found.insert(o, found);
            }
            for &v in &op.results {
                let id = self.ids[&v];
                self.values.entry(id).or_default().push(v);
                here.push(id);
            }
        }
        // What follows the region does not see into it.
        for id in here {
            if let Some(all) = self.values.get_mut(&id) {
                all.pop();
            }
        }
    }
    /// The function that statement `o` completes.
    fn function(&mut self, o: OpId) -> Option<Found> {
        let op = self.f.op(o);
        let &[y] = op.results.as_slice() else { return None };
        let (ty, id) = (self.f.ty(y), self.ids[&y]);
        let row = self.graph.row(id)?;
        if !ty.dtype.is_float() || !op.guards.is_empty() || self.m.effect(self.f, o) != Effect::Pure {
            return None;
        }
        let (graph, formulas) = (&self.graph, self.formulas.of(ty.dtype));
        for (function, spelling, formula) in formulas.iter() {
            if formula.row().is_none_or(|r| address(r) != row) {
                continue;
            }
            if let Some(Match { vars, index }) = matches::find(graph, id, formula)
                && let Some(vars) = vars.into_iter().map(|v| self.variable(v?, ty)).collect::<Option<Vec<_>>>()
                && vars.iter().any(|v| matches!(v, Var::Value(_)))
            {
                let (function, spelling) = (*function, *spelling);
                return Some(Found { function, spelling, vars, index: index.unwrap_or(DType::I64) });
            }
        }
        None
    }
    /// The value in scope, of this type, that expression `id` is; or a number.
    fn variable(&self, id: Id, ty: &Type) -> Option<Var> {
        if let Some(x) = self.graph.number(id) {
            return Some(Var::Number(x));
        }
        self.values.get(&id)?.iter().find(|&&v| self.f.ty(v) == ty).map(|&v| Var::Value(v))
    }
}
