//! Derivatives as passes: memoisation of the sweeps (which live beside the rows), naming of derived functions, and the
//! expansion of derivative ops and composites.
pub(crate) mod rules;
mod whole;

use crate::PassError;
use crate::batch::Batching;
use crate::opt::inline::Deep;
use crate::rewrite::{bind_extents, new_op, rewrite, rewrite_ending};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tfc_ir::derive::{self, Derive, Jvp, Linearized, Transposed};
use tfc_ir::extent::{Atom, Constraint};
use tfc_ir::op::{Expand, Linearize};
use tfc_ir::ops::derivative::wrt_suffix;
use tfc_ir::ops::elementwise::small;
use tfc_ir::outside;
use tfc_ir::{
    BODY, Builder, Code, Error, Extent, Finished, Func, FuncId, Map, Module, OpDef, OpId, RegionId, Result, ValueId,
};
use whole::Asks;

/// Each function is linearized once per set of active parameters and placement, and transposed once per set of linear
/// parameters and non-zero cotangents.
pub struct Memo<'m> {
    pub(crate) m: &'m Module,
    linearized: RefCell<HashMap<(FuncId, Vec<bool>), Arc<Linearized>>>,
    joint: RefCell<HashMap<(FuncId, Vec<bool>), Arc<Jvp>>>,
    transposed: RefCell<HashMap<(FuncId, Vec<bool>, Vec<bool>), Arc<Transposed>>>,
    /// Functions in place of ops, by the names of the functions around, which are distinct.
    stand_ins: RefCell<HashMap<(Arc<str>, OpId), FuncId>>,
    /// Linear functions whose transposes are given by a rule.
    given: RefCell<HashMap<FuncId, rules::Given>>,
    expanded: RefCell<HashSet<FuncId>>,
    /// Functions without composites that stand for others while differentiating.
    plain: RefCell<HashMap<FuncId, FuncId>>,
    /// Functions that need not be seen whole.
    parts: RefCell<HashSet<FuncId>>,
    /// Functions with their calls inlined.
    whole: RefCell<HashMap<FuncId, Arc<Finished>>>,
    changed: RefCell<bool>,
    /// How many sweeps are under way, each within the one before.
    depth: Cell<usize>,
    /// What a sweep that was given up waits for.
    wanted: RefCell<Option<Task>>,
    /// Long chains of calls, which are differentiated as one function.
    deep: Deep,
    pub(crate) batching: Batching,
}
/// A piece of work whose result is kept.
enum Task {
    Expand(FuncId),
    Linearize(FuncId, Vec<bool>),
    Jvp(FuncId, Vec<bool>),
    Transpose(FuncId, Vec<bool>, Vec<bool>),
}
/// Sweeps nest at most this deep: each takes some of the stack, with all the regions around the call that it is for.
const MAX_DEPTH: usize = 12;
impl<'m> Memo<'m> {
    /// Nothing derived yet.
    pub fn new(m: &'m Module) -> Memo<'m> {
        Memo {
            m,
            linearized: RefCell::default(),
            joint: RefCell::default(),
            transposed: RefCell::default(),
            stand_ins: RefCell::default(),
            given: RefCell::default(),
            expanded: RefCell::default(),
            plain: RefCell::default(),
            parts: RefCell::default(),
            whole: RefCell::default(),
            changed: RefCell::new(false),
            depth: Cell::new(0),
            wanted: RefCell::default(),
            deep: Deep::new(),
            batching: Batching::default(),
        }
    }
    /// Does a piece of work within others. Where too many are under way, all are given up but for what they have finished:
    /// the outermost one does what was wanted first, and they begin again. So a chain of calls of any length costs little
    /// stack, and twice the time at most.
    fn nested<T>(&self, task: impl FnOnce() -> Task, work: impl Fn() -> Result<T>) -> Result<T> {
        self.m.budget.check()?;
        let depth = self.depth.get();
        if depth == MAX_DEPTH {
            self.wanted.replace(Some(task()));
            return Err(Error::bug(Code::E0599, "a derivative waits for that of a callee"));
        }
        let mut todo: Vec<Task> = vec![];
        loop {
            self.depth.set(depth + 1);
            let done = match todo.last() {
                Some(t) => self.perform(t).map(|()| None),
                None => work().map(Some),
            };
            self.depth.set(depth);
            match done {
                Ok(Some(x)) => return Ok(x),
                Ok(None) => drop(todo.pop()),
                // Only the outermost one has the stack to go on.
                Err(e) => match self.wanted.take() {
                    Some(w) if depth == 0 => todo.push(w),
                    wanted => {
                        self.wanted.replace(wanted);
                        return Err(e);
                    }
                },
            }
        }
    }
    fn perform(&self, task: &Task) -> Result<()> {
        match task {
            Task::Expand(f) => self.expand(*f),
            Task::Linearize(f, active) => self.linearize(*f, active).map(drop),
            Task::Jvp(f, active) => self.jvp(*f, active).map(drop),
            Task::Transpose(f, linear, nonzero) => self.transpose(*f, linear, nonzero).map(drop),
        }
    }
    /// Replaces the derivative ops in `f`; callees on demand.
    pub fn expand(&self, f: FuncId) -> Result<()> {
        if !self.expanded.borrow().contains(&f) {
            if has(&*self.m.func(f)?, derivative) {
                self.nested(|| Task::Expand(f), || self.expand_now(f))?;
            }
            self.expanded.borrow_mut().insert(f);
        }
        Ok(())
    }
    fn expand_now(&self, f: FuncId) -> Result<()> {
        let src = self.m.func(f)?;
        let (new, changed) = rewrite(self.m, &src, &mut |b, f, o, args, map| match f.op(o).def.expand {
            Expand::Derivative(e) if derivative(f.op(o)) => {
                let new = new_op(f, o, args, map)?;
                outside::column(new.def, "expand", || e(b, self, &new)).map(Some)
            }
            _ => Ok(None),
        })?;
        if changed {
            self.m.define(f, new);
            *self.changed.borrow_mut() = true;
        }
        Ok(())
    }
    /// The function that is differentiated in place of `f`: without derivative ops and without composites that are
    /// differentiated by their expansion.
    fn prepared(&self, f: FuncId) -> Result<FuncId> {
        self.expand(f)?;
        if let Some(&p) = self.plain.borrow().get(&f) {
            return Ok(p);
        }
        let now = self.m.func(f)?;
        let asks = whole::asks(self.m, f, &mut self.parts.borrow_mut());
        let new = if asks == Asks::Whole {
            Some(whole::marked(self.m, &*self.whole(f)?)?)
        } else {
            let flat = self.deep.flat(self.m, f)?;
            let plain = match asks {
                Asks::Calls if Arc::ptr_eq(&flat, &now) => self.whole(f)?,
                _ => self.plain_composites(flat)?,
            };
            (!Arc::ptr_eq(&plain, &now)).then(|| Arc::unwrap_or_clone(plain))
        };
        let p = match new {
            Some(new) => self.m.add(new.private(&format!("{}.expanded", now.name))),
            None => f,
        };
        self.plain.borrow_mut().insert(f, p);
        Ok(p)
    }
    /// `f` without composites that are differentiated by their expansion.
    fn plain_composites(&self, f: Arc<Finished>) -> Result<Arc<Finished>> {
        let by_expansion = |o: &tfc_ir::Op| {
            matches!(o.def.expand, Expand::Composite(_)) && matches!(o.def.linearize, Linearize::Expand)
        };
        if !has(&f, by_expansion) {
            return Ok(f);
        }
        without_composites(self.m, &f, &|_, o| by_expansion(o)).map(Arc::new)
    }
    /// `f` in one piece: derivative ops and such composites expanded, calls inlined. Callees come first, by a list: calls
    /// may nest deep.
    fn whole(&self, f: FuncId) -> Result<Arc<Finished>> {
        let mut todo = vec![f];
        while let Some(&g) = todo.last() {
            if self.whole.borrow().contains_key(&g) {
                todo.pop();
                continue;
            }
            self.expand(g)?;
            let plain = self.plain_composites(self.m.func(g)?)?;
            let before = todo.len();
            todo.extend(whole::callees(self.m, &plain).into_iter().filter(|c| !self.whole.borrow().contains_key(c)));
            if todo.len() == before {
                let whole = whole::inlined(self.m, g, plain, &self.whole.borrow())?;
                self.whole.borrow_mut().insert(g, whole);
            }
        }
        let whole = self.whole.borrow().get(&f).cloned();
        whole.ok_or_else(|| Error::bug(Code::E0599, "a function is missing where it is seen whole"))
    }
    /// As [`Memo::whole`], `vmap`s too.
    fn piece(&self, f: FuncId) -> Result<Arc<Finished>> {
        let whole = self.whole(f)?;
        if !has(&whole, mapped) {
            return Ok(whole);
        }
        let name = format!("{}.whole", whole.name);
        let all = self.m.add(Finished::clone(&whole).private(&name));
        self.m.define(all, Finished::clone(&*self.without_maps(all)?));
        self.piece(all)
    }
    fn name(&self, f: FuncId, what: &str, suffix: &str) -> Result<String> {
        let name = self.m.func(f)?.name.clone();
        Ok(format!("{}.{what}{suffix}", name.strip_suffix(".expanded").unwrap_or(&name)))
    }
}
impl Derive for Memo<'_> {
    fn module(&self) -> &Module {
        self.m
    }
    fn linearize(&self, f: FuncId, active: &[bool]) -> Result<Arc<Linearized>> {
        let key = (f, active.to_vec());
        if let Some(l) = self.linearized.borrow().get(&key) {
            return Ok(l.clone());
        }
        let l = self.nested(
            || Task::Linearize(f, active.to_vec()),
            || {
                rules::refuse(self, f)?;
                let s = wrt_suffix(active);
                if let Some(rule) = rules::of(&*self.m.func(f)?) {
                    return rules::linearize(self, f, rule, active, &s).map(Arc::new);
                }
                let p = self.prepared(f)?;
                let names = (self.name(p, "fwd", &s)?, self.name(p, "lin", &s)?);
                derive::linearize_split(self, p, active, (&names.0, &names.1)).map(Arc::new)
            },
        )?;
        self.linearized.borrow_mut().insert(key, l.clone());
        Ok(l)
    }
    fn jvp(&self, f: FuncId, active: &[bool]) -> Result<Arc<Jvp>> {
        let key = (f, active.to_vec());
        if let Some(l) = self.joint.borrow().get(&key) {
            return Ok(l.clone());
        }
        let l = self.nested(
            || Task::Jvp(f, active.to_vec()),
            || {
                rules::refuse(self, f)?;
                if let Some(rule) = rules::of(&*self.m.func(f)?) {
                    return rules::jvp(self, f, rule, active, &wrt_suffix(active)).map(Arc::new);
                }
                let p = self.prepared(f)?;
                let name = self.name(p, "jvp", &wrt_suffix(active))?;
                derive::linearize_inline(self, p, active, &name).map(Arc::new)
            },
        )?;
        self.joint.borrow_mut().insert(key, l.clone());
        Ok(l)
    }
    fn batched(
        &self,
        f: FuncId,
        axes: &[Option<usize>],
        outs: Option<&[Option<usize>]>,
    ) -> Result<tfc_ir::batch::BatchedFunc> {
        self.batch_once(f, axes, outs).map(|b| (*b).clone())
    }
    fn stand_in(&self, f: &Func, o: OpId, make: &dyn Fn() -> Result<FuncId>) -> Result<FuncId> {
        let key = (f.name.clone(), o);
        if let Some(&made) = self.stand_ins.borrow().get(&key) {
            return Ok(made);
        }
        let made = make()?;
        self.stand_ins.borrow_mut().insert(key, made);
        Ok(made)
    }
    fn in_one_piece(&self, f: FuncId) -> Result<Option<Arc<Finished>>> {
        let (mut seen, mut todo) = (HashSet::from([f]), vec![f]);
        while let Some(g) = todo.pop() {
            if self.given.borrow().contains_key(&g) {
                return Ok(None);
            }
            todo.extend(self.m.func(g)?.callees().into_iter().filter(|&c| seen.insert(c)));
        }
        self.piece(f).map(Some)
    }
    fn transpose(&self, f: FuncId, linear: &[bool], nonzero: &[bool]) -> Result<Arc<Transposed>> {
        let key = (f, linear.to_vec(), nonzero.to_vec());
        if let Some(t) = self.transposed.borrow().get(&key) {
            return Ok(t.clone());
        }
        let name = self.m.func(f)?.name.clone();
        let name = match name.rfind(".lin") {
            Some(i) => format!("{}.T{}", &name[..i + 4], &name[i + 4..]),
            None => format!("{name}.T"),
        };
        let t = self.nested(
            || Task::Transpose(f, linear.to_vec(), nonzero.to_vec()),
            || match self.given.borrow().get(&f).cloned() {
                Some(given) => rules::transpose(self, f, &given, nonzero, &name).map(Arc::new),
                None => derive::transpose_func(self, f, linear, nonzero, &name).map(Arc::new),
            },
        )?;
        self.transposed.borrow_mut().insert(key, t.clone());
        Ok(t)
    }
}
/// An op that stands for a derivative.
pub(crate) fn derivative(o: &tfc_ir::Op) -> bool {
    matches!((o.def.expand, o.def.linearize), (Expand::Derivative(_), Linearize::Expand))
}
/// A `vmap`: what engines expand as they do derivatives, and after these.
pub(crate) fn mapped(o: &tfc_ir::Op) -> bool {
    matches!(o.def.expand, Expand::Derivative(_)) && !derivative(o)
}
pub(crate) fn has(f: &Func, test: impl Fn(&tfc_ir::Op) -> bool) -> bool {
    let mut any = false;
    f.walk(BODY, &mut |o| any |= test(f.op(o)));
    any
}
pub(crate) fn without_composites(m: &Module, f: &Func, which: &dyn Fn(&Func, &tfc_ir::Op) -> bool) -> Result<Finished> {
    let mut made = once_without_composites(m, f, &|o| which(f, o))?;
    // An expansion may hold composites again.
    for _ in 1..16 {
        if !has(&made, |o| which(&made, o)) {
            break;
        }
        made = once_without_composites(m, &made, &|o| which(&made, o))?;
    }
    Ok(made)
}
/// What a composite asks at run time and its expansion does not is asked at the end of the region: a guard is a fact for what
/// follows it, and such a condition was none.
fn once_without_composites(m: &Module, f: &Func, which: &dyn Fn(&tfc_ir::Op) -> bool) -> Result<Finished> {
    let left: RefCell<Vec<(RegionId, Constraint)>> = RefCell::default();
    let mut hook = |b: &mut Builder, f: &Func, o: OpId, args: &[ValueId], map: &mut Map| match f.op(o).def.expand {
        Expand::Composite(e) if which(f.op(o)) => {
            let mut new = new_op(f, o, args, map)?;
            for &r in &f.op(o).regions {
                new.regions.push(b.copy_region(f, r, map)?);
            }
            let before = b.func().ops.len();
            let rs = match small::wants_wide(b, &new) {
                // A composite of small floats is rounded once.
                true => outside::column(new.def, "expand", || small::on_wide(b, &new, e))?,
                false => outside::column(new.def, "expand", || e(b, &new))?,
            };
            for g in f.op(o).guards.iter().filter(|g| g.found.is_none()) {
                let c = map.constraint(&g.cond)?;
                let made = b.func().ops.get(before..).unwrap_or_default();
                if !made.iter().any(|o| o.guards.iter().any(|h| h.cond.says(&c))) {
                    left.borrow_mut().push((b.at(), c));
                }
            }
            for (&old, &new) in f.op(o).results.iter().zip(&rs) {
                bind_extents(b, f, old, new, map);
            }
            Ok(Some(rs))
        }
        _ => Ok(None),
    };
    let end = |b: &mut Builder| {
        let here = |(r, _): &(RegionId, Constraint)| *r == b.at();
        let (own, others) = left.take().into_iter().partition(here);
        left.replace(others);
        let own: Vec<(RegionId, Constraint)> = own;
        b.state(own.into_iter().map(|c| c.1))
    };
    Ok(rewrite_ending(m, f, &mut hook, &end)?.0)
}

/// The pass `expand-ad`: derivatives first, then functions for many indices.
pub fn expand_ad(m: &mut Module) -> Result<bool, PassError> {
    let memo = Memo::new(m);
    for (id, f) in m.funcs() {
        memo.expand(id).map_err(|e| PassError::of(&f, e))?;
    }
    let mut changed = *memo.changed.borrow();
    // What is made for all indices may hold a `vmap` that does not depend on them.
    loop {
        let used = crate::opt::dce::used(m);
        let mut more = false;
        for (id, f) in m.funcs() {
            // What only stood for other functions while derivatives were taken is not run.
            if used.as_ref().is_none_or(|u| u.contains(&id)) && has(&f, mapped) {
                let new = memo.without_maps(id).map_err(|e| PassError::of(&f, e))?;
                m.define(id, Finished::clone(&new));
                more = true;
            }
        }
        changed |= more;
        if !more {
            break;
        }
    }
    drop(memo);
    changed |= rules::strip(m);
    if changed {
        crate::opt::dce::drop_unused(m);
    }
    Ok(changed)
}
/// The pass `expand`: composites become what they are made of, but for those that engines run whole.
pub fn expand_composites(m: &mut Module) -> Result<bool, PassError> {
    expand_where(m, &|f, o| !(o.def.whole)(f, o))
}
/// All composites become what they are made of but those of rows that `keeps`: that a target without kernels has itself.
///
/// # Errors
/// Those of the expansions.
pub fn expand_composites_but(m: &mut Module, keeps: &dyn Fn(&OpDef) -> bool) -> Result<bool, PassError> {
    expand_where(m, &|_, o| !keeps(o.def))
}
fn expand_where(m: &mut Module, which: &dyn Fn(&Func, &tfc_ir::Op) -> bool) -> Result<bool, PassError> {
    let which = |f: &Func, o: &tfc_ir::Op| matches!(o.def.expand, Expand::Composite(_)) && which(f, o);
    let chooses = |f: &Func| has(f, |o| o.def.explain.is_some() && which(f, o));
    let hints = m.funcs().iter().any(|(_, f)| !f.syms.is_empty() && chooses(f));
    if hints {
        hint_extents(m);
    }
    let changed = crate::rewrite::each(m, |m, f| {
        if has(f, |o| which(f, o)) { without_composites(m, f, &which).map(Some) } else { Ok(None) }
    });
    if hints {
        set_hints(m, &HashMap::new());
    }
    changed
}
/// Says of each symbol of a private function what all its callers give it, where that is one number: expansions that choose by
/// extents come before calls are inlined.
pub fn hint_extents(m: &Module) {
    let mut given: HashMap<(FuncId, usize), Option<i64>> = HashMap::new();
    // Callers come behind what they call.
    for (id, f) in m.funcs().into_iter().rev() {
        let own = |a: Atom| match a {
            Atom::Sym(s) if !f.export => given.get(&(id, s.0 as usize)).copied().flatten().map(Extent::exact),
            _ => None,
        };
        let mut all = vec![];
        f.walk(BODY, &mut |o| {
            for (_, a) in f.op(o).attrs.iter() {
                if let tfc_ir::Attr::Sym(s) = a {
                    let number = |e: &Extent| e.subst(&own).ok().and_then(|e| e.as_exact());
                    all.extend(s.extents.iter().map(number).enumerate().map(|(i, n)| ((s.func, i), n)));
                }
            }
        });
        for (key, n) in all {
            given.entry(key).and_modify(|old| *old = old.filter(|o| Some(*o) == n)).or_insert(n);
        }
    }
    set_hints(m, &given);
}
fn set_hints(m: &Module, given: &HashMap<(FuncId, usize), Option<i64>>) {
    for (id, f) in m.funcs() {
        let hint = |i: usize| given.get(&(id, i)).copied().flatten().filter(|_| !f.export);
        if f.syms.iter().enumerate().any(|(i, s)| s.likely != hint(i)) {
            let mut new = Func::clone(&f);
            new.syms.iter_mut().enumerate().for_each(|(i, s)| s.likely = hint(i));
            m.define(id, new);
        }
    }
}
