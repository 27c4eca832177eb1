//! One function with the chosen calls written out. What is open (functions and regions, each within the one before) is a
//! list and not the stack: calls may nest as deep as they like.
use super::{ask, name_extents};
use crate::rewrite::{bind_extents, type_of};
use std::collections::HashSet;
use std::sync::Arc;
use tfc_ir::{
    BODY, Builder, Code, Error, Finished, Func, FuncId, Map, Module, OpId, Opened, RegionId, Result, Span, ValueId,
    ValueList,
};

/// A function that is being copied.
struct Active {
    id: FuncId,
    f: Arc<Finished>,
    map: Map,
}
/// A region that is being copied, of the function that is on top.
struct Open {
    region: RegionId,
    next: usize,
    end: End,
}
/// What follows where a region ends.
enum End {
    /// The region was the function's own.
    Function,
    /// The region was the body of the callee of this op; with it, where ops without a place belonged before.
    Call(OpId, (Option<u32>, Span)),
    /// The region was one of this op's; with it, the operands and the regions before it.
    Region(OpId, ValueList, Opened, Vec<RegionId>),
}
struct Expansion<'m, 'c> {
    b: Builder<'m>,
    written: Written<'c>,
    /// Calls that stay, by the function that holds them.
    kept: &'c HashSet<(FuncId, OpId)>,
    active: Vec<Active>,
    open: Vec<Open>,
    /// The call that is being begun or ended.
    at: Option<(FuncId, OpId)>,
    changed: bool,
}
/// The body that is written out in the place of an op of a function, and whose it is; `None` where the op stays.
pub(crate) type Written<'a> = &'a dyn Fn(FuncId, OpId) -> Option<(FuncId, Arc<Finished>)>;
/// So many calls are found one after the other not to fit.
const KEPT: usize = 16;

/// `f`, which is `id` of the module, with the calls written out of which `written` gives the body.
///
/// A call whose extents certainly do not fit what the body asks stays a call, which fails where it runs; `None` where more
/// than [`KEPT`] do, or something else does not fit behind them, or nothing changes.
pub(crate) fn expand(m: &Module, id: FuncId, f: &Arc<Finished>, written: Written) -> Result<Option<Finished>> {
    let mut kept = HashSet::new();
    loop {
        let b = Builder::new(m, &f.name);
        let mut x = Expansion { b, written, kept: &kept, active: vec![], open: vec![], at: None, changed: false };
        let failed = match x.function(id, f) {
            Ok(returns) if x.changed => return x.b.finish_rewritten(returns).map(Some),
            Ok(_) => return Ok(None),
            Err(e) if !e.is_about_extents() => return Err(e),
            Err(_) => x.failed(),
        };
        if !failed.is_some_and(|call| kept.len() < KEPT && kept.insert(call)) {
            return Ok(None);
        }
    }
}
fn lost() -> Error {
    Error::bug(Code::E0599, "a function is missing where calls are written out")
}

impl Expansion<'_, '_> {
    /// The whole function; what it returns.
    fn function(&mut self, id: FuncId, f: &Arc<Finished>) -> Result<Vec<ValueId>> {
        self.b.mend();
        let mut map = Map::new();
        self.b.copy_header(f, &mut map)?;
        self.active.push(Active { id, f: f.clone(), map });
        self.open.push(Open { region: BODY, next: 0, end: End::Function });
        loop {
            if let Some(returns) = self.step()? {
                return Ok(returns);
            }
        }
    }
    /// The call in which it ended: that which was begun or ended, or the innermost one around.
    fn failed(&self) -> Option<(FuncId, OpId)> {
        let around = self.open.iter().rev().find_map(|o| if let End::Call(o, _) = o.end { Some(o) } else { None });
        let caller = self.active.len().checked_sub(2).and_then(|i| self.active.get(i));
        self.at.or_else(|| Some((caller?.id, around?)))
    }
    /// Copies an op, or ends a region. What the function returns, at its end.
    fn step(&mut self) -> Result<Option<Vec<ValueId>>> {
        let (Some(open), Some(a)) = (self.open.last_mut(), self.active.last()) else { return Err(lost()) };
        let f = a.f.clone();
        match f.region(open.region).ops.get(open.next) {
            Some(&o) => {
                open.next += 1;
                self.op(&f, o).map_err(|e| e.or_span(f.op(o).span))?;
                Ok(None)
            }
            None => self.end(&f),
        }
    }
    fn op(&mut self, f: &Func, o: OpId) -> Result<()> {
        let a = self.active.last_mut().ok_or_else(lost)?;
        let op = f.op(o);
        let args = a.map.list(&op.operands)?;
        let site = (a.id, o);
        if let Some((callee, body)) = (self.written)(a.id, o).filter(|_| !self.kept.contains(&site)) {
            (self.at, self.changed) = (Some(site), true);
            let old = self.b.set_loc(op.loc, op.span);
            if op.loc.is_none() {
                self.b.set_loc(old.0, op.span);
            }
            let attrs = a.map.attrs(&op.attrs)?;
            let sym = tfc_ir::derive::callee(&attrs)?;
            ask(&mut self.b, &op.guards, op.discharged(), &a.map)?;
            let mut map = Map::with_syms(sym.extents.to_vec());
            for (&p, &a) in body.params().iter().zip(&args) {
                self.b.shard_like(a, &body, p);
                map.insert(p, a);
            }
            self.active.push(Active { id: callee, f: body, map });
            self.open.push(Open { region: BODY, next: 0, end: End::Call(o, old) });
            self.at = None;
            return Ok(());
        }
        match op.regions.first() {
            Some(&region) => {
                let opened = self.b.open_copy(f, region, &mut a.map)?;
                let regions = Vec::with_capacity(op.regions.len());
                self.open.push(Open { region, next: 0, end: End::Region(o, args, opened, regions) });
            }
            None => drop(self.b.copy_with(f, o, args, vec![], &mut a.map)?),
        }
        Ok(())
    }
    fn end(&mut self, f: &Func) -> Result<Option<Vec<ValueId>>> {
        let Some(Open { region, end, .. }) = self.open.pop() else { return Err(lost()) };
        let a = self.active.last_mut().ok_or_else(lost)?;
        match end {
            End::Function => return a.map.all(f.returns()).map(Some),
            End::Call(o, loc) => {
                let rs = a.map.all(f.returns())?;
                self.active.pop();
                self.at = self.active.last().map(|a| (a.id, o));
                self.results(o, &rs)?;
                self.at = None;
                self.b.set_loc(loc.0, loc.1);
            }
            End::Region(o, args, opened, mut done) => {
                done.push(self.b.close_copy(opened, f, region, &a.map)?);
                match f.op(o).regions.get(done.len()) {
                    Some(&region) => {
                        let opened = self.b.open_copy(f, region, &mut a.map)?;
                        self.open.push(Open { region, next: 0, end: End::Region(o, args, opened, done) });
                    }
                    None => drop(self.b.copy_with(f, o, args, done, &mut a.map)?),
                }
            }
        }
        Ok(None)
    }
    /// The results of call `o` are these values.
    fn results(&mut self, o: OpId, rs: &[ValueId]) -> Result<()> {
        let a = self.active.last_mut().ok_or_else(lost)?;
        let op = a.f.op(o);
        let args = a.map.list(&op.operands)?;
        // Names first: what one result shows may be a part of what another has.
        for (&old, &new) in op.results.iter().zip(rs) {
            bind_extents(&self.b, &a.f, old, new, &mut a.map);
        }
        for (&old, &new) in op.results.iter().zip(rs) {
            name_extents(&mut self.b, &a.f, old, new);
            // The caller's name wins, but for an operand that is handed through.
            let name = a.f.value(old).name.clone();
            if !name.is_empty() && !args.contains(&new) {
                self.b.rename(new, name);
            } else {
                self.b.hint(new, name);
            }
            self.b.shard_like(new, &a.f, old);
            let ty = type_of(&self.b, &a.f, old, new, &a.map)?;
            self.b.state_type(new, &ty).map_err(|e| e.or_span(op.span))?;
        }
        op.results.iter().zip(rs).for_each(|(&old, &new)| a.map.insert(old, new));
        Ok(())
    }
}
