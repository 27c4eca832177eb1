//! Derivatives as passes: memoisation of the sweeps (which live beside the rows), naming of derived functions, and the
//! expansion of derivative ops and composites.
mod whole;

use crate::PassError;
use crate::rewrite::{bind_extents, new_op, rewrite};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tfc_ir::derive::{self, Derive, Jvp, Linearized, Transposed};
use tfc_ir::op::{Expand, Linearize};
use tfc_ir::ops::derivative::wrt_suffix;
use tfc_ir::{BODY, Func, FuncId, Module, Result};

/// Each function is linearized once per set of active parameters and placement, and transposed once per set of linear
/// parameters and non-zero cotangents.
pub struct Memo<'m> {
    m: &'m Module,
    linearized: RefCell<HashMap<(FuncId, Vec<bool>), Arc<Linearized>>>,
    joint: RefCell<HashMap<(FuncId, Vec<bool>), Arc<Jvp>>>,
    transposed: RefCell<HashMap<(FuncId, Vec<bool>, Vec<bool>), Arc<Transposed>>>,
    expanded: RefCell<HashSet<FuncId>>,
    /// Functions without composites that stand for others while differentiating.
    plain: RefCell<HashMap<FuncId, FuncId>>,
    /// Functions that need not be seen whole.
    parts: RefCell<HashSet<FuncId>>,
    /// Functions with their calls inlined.
    whole: RefCell<HashMap<FuncId, Arc<Func>>>,
    changed: RefCell<bool>,
}
impl<'m> Memo<'m> {
    /// Nothing derived yet.
    pub fn new(m: &'m Module) -> Memo<'m> {
        Memo {
            m,
            linearized: RefCell::default(),
            joint: RefCell::default(),
            transposed: RefCell::default(),
            expanded: RefCell::default(),
            plain: RefCell::default(),
            parts: RefCell::default(),
            whole: RefCell::default(),
            changed: RefCell::new(false),
        }
    }
    /// Replaces the derivative ops in `f`; callees on demand.
    pub fn expand(&self, f: FuncId) -> Result<()> {
        if !self.expanded.borrow_mut().insert(f) {
            return Ok(());
        }
        let src = self.m.func(f)?;
        if !has(&src, |o| matches!(o.def.expand, Expand::Derivative(_))) {
            return Ok(());
        }
        let (new, changed) = rewrite(self.m, &src, &mut |b, f, o, args, map| match f.op(o).def.expand {
            Expand::Derivative(e) => e(b, self, &new_op(f, o, args, map)?).map(Some),
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
        let src = self.m.func(f)?;
        let new = if whole::holds(self.m, f, &mut self.parts.borrow_mut()) {
            Some(whole::marked(self.m, &*self.whole(f)?)?)
        } else {
            let plain = self.plain_composites(src.clone())?;
            (!Arc::ptr_eq(&plain, &src)).then(|| Arc::unwrap_or_clone(plain))
        };
        let p = match new {
            Some(new) => self.m.add(Func { name: format!("{}.expanded", src.name).into(), export: false, ..new }),
            None => f,
        };
        self.plain.borrow_mut().insert(f, p);
        Ok(p)
    }
    /// `f` without composites that are differentiated by their expansion.
    fn plain_composites(&self, f: Arc<Func>) -> Result<Arc<Func>> {
        let by_expansion = |o: &tfc_ir::Op| {
            matches!(o.def.expand, Expand::Composite(_)) && matches!(o.def.linearize, Linearize::Expand)
        };
        if !has(&f, by_expansion) {
            return Ok(f);
        }
        without_composites(self.m, &f, &by_expansion).map(Arc::new)
    }
    /// `f` in one piece: derivative ops and such composites expanded, calls inlined.
    fn whole(&self, f: FuncId) -> Result<Arc<Func>> {
        if let Some(whole) = self.whole.borrow().get(&f) {
            return Ok(whole.clone());
        }
        self.expand(f)?;
        let plain = self.plain_composites(self.m.func(f)?)?;
        let whole = whole::inlined(self.m, plain, &|callee| self.whole(callee))?;
        self.whole.borrow_mut().insert(f, whole.clone());
        Ok(whole)
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
        let p = self.prepared(f)?;
        let s = wrt_suffix(active);
        let names = (self.name(p, "fwd", &s)?, self.name(p, "lin", &s)?);
        let l = Arc::new(derive::linearize_split(self, p, active, (&names.0, &names.1))?);
        self.linearized.borrow_mut().insert(key, l.clone());
        Ok(l)
    }
    fn jvp(&self, f: FuncId, active: &[bool]) -> Result<Arc<Jvp>> {
        let key = (f, active.to_vec());
        if let Some(l) = self.joint.borrow().get(&key) {
            return Ok(l.clone());
        }
        let p = self.prepared(f)?;
        let name = self.name(p, "jvp", &wrt_suffix(active))?;
        let l = Arc::new(derive::linearize_inline(self, p, active, &name)?);
        self.joint.borrow_mut().insert(key, l.clone());
        Ok(l)
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
        let t = Arc::new(derive::transpose_func(self, f, linear, nonzero, &name)?);
        self.transposed.borrow_mut().insert(key, t.clone());
        Ok(t)
    }
}
fn has(f: &Func, test: impl Fn(&tfc_ir::Op) -> bool) -> bool {
    let mut any = false;
    f.walk(BODY, &mut |o| any |= test(f.op(o)));
    any
}
fn without_composites(m: &Module, f: &Func, which: &dyn Fn(&tfc_ir::Op) -> bool) -> Result<Func> {
    let mut made = once_without_composites(m, f, which)?;
    // An expansion may hold composites again.
    for _ in 1..16 {
        if !has(&made, which) {
            break;
        }
        made = once_without_composites(m, &made, which)?;
    }
    Ok(made)
}
fn once_without_composites(m: &Module, f: &Func, which: &dyn Fn(&tfc_ir::Op) -> bool) -> Result<Func> {
    let (new, _) = rewrite(m, f, &mut |b, f, o, args, map| match f.op(o).def.expand {
        Expand::Composite(e) if which(f.op(o)) => {
            let rs = e(b, &new_op(f, o, args, map)?)?;
            for (&old, &new) in f.op(o).results.iter().zip(&rs) {
                bind_extents(b, f, old, new, map);
            }
            Ok(Some(rs))
        }
        _ => Ok(None),
    })?;
    Ok(new)
}

/// The pass `expand-ad`.
pub fn expand_ad(m: &mut Module) -> Result<bool, PassError> {
    let memo = Memo::new(m);
    for (id, f) in m.funcs() {
        memo.expand(id).map_err(|e| PassError::of(&f, e))?;
    }
    let changed = *memo.changed.borrow();
    if changed {
        crate::opt::dce::drop_unused(m);
    }
    Ok(changed)
}
/// The pass `expand`: composites become what they are made of.
pub fn expand_composites(m: &mut Module) -> Result<bool, PassError> {
    crate::rewrite::each(m, |m, f| {
        let composite = |o: &tfc_ir::Op| matches!(o.def.expand, Expand::Composite(_));
        if has(f, composite) { without_composites(m, f, &composite).map(Some) } else { Ok(None) }
    })
}
