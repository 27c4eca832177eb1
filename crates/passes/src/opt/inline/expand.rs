//! One function with the chosen calls written out. What is open (functions and regions, each within the one before) is a
//! list and not the stack: calls may nest as deep as they like.
use super::choose::Calls;
use super::{ask, name_extents};
use crate::rewrite::bind_extents;
use std::sync::Arc;
use tfc_ir::{
    BODY, Builder, Error, Func, FuncId, Map, Module, OpId, Opened, RegionId, Result, Span, ValueId, ValueList,
};

/// A function that is being copied.
struct Active {
    id: FuncId,
    f: Arc<Func>,
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
    /// It was the function's own.
    Function,
    /// It was the callee's of this op; where ops without a place belonged before.
    Call(OpId, (Option<u32>, Span)),
    /// It was one of this op's; operands and the regions before it.
    Region(OpId, ValueList, Opened, Vec<RegionId>),
}
struct Expansion<'m, 'c> {
    b: Builder<'m>,
    calls: &'c Calls,
    active: Vec<Active>,
    open: Vec<Open>,
}

/// Function `id` with the calls written out that `calls` chose.
pub(super) fn expand(m: &Module, id: FuncId, calls: &Calls) -> Result<Func> {
    let f = calls.func(id).ok_or_else(lost)?.clone();
    let mut b = Builder::new(m, &f.name);
    let mut map = Map::new();
    b.copy_header(&f, &mut map)?;
    let open = vec![Open { region: BODY, next: 0, end: End::Function }];
    let mut x = Expansion { b, calls, active: vec![Active { id, f, map }], open };
    loop {
        if let Some(returns) = x.step()? {
            return x.b.finish_rewritten(returns);
        }
    }
}
fn lost() -> Error {
    Error::new("E0599", "a function is missing where calls are written out")
}

impl Expansion<'_, '_> {
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
        if let Some(callee) = self.calls.written(a.id, o) {
            let body = self.calls.func(callee).ok_or_else(lost)?.clone();
            let old = self.b.set_loc(op.loc, op.span);
            if op.loc.is_none() {
                self.b.set_loc(old.0, op.span);
            }
            let attrs = a.map.attrs(&op.attrs)?;
            let sym = tfc_ir::derive::callee(&attrs)?;
            ask(&mut self.b, &op.guards, &a.map)?;
            let mut map = Map::with_syms(sym.extents.to_vec());
            body.params().iter().zip(&args).for_each(|(&p, &a)| map.insert(p, a));
            self.active.push(Active { id: callee, f: body, map });
            self.open.push(Open { region: BODY, next: 0, end: End::Call(o, old) });
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
                self.results(o, &rs)?;
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
        for (&old, &new) in op.results.iter().zip(rs) {
            bind_extents(&self.b, &a.f, old, new, &mut a.map);
            name_extents(&mut self.b, &a.f, old, new);
            // The caller's name wins, but for an operand that is handed through.
            let name = a.f.value(old).name.clone();
            if !name.is_empty() && !args.contains(&new) {
                self.b.rename(new, name);
            } else {
                self.b.hint(new, name);
            }
        }
        op.results.iter().zip(rs).for_each(|(&old, &new)| a.map.insert(old, new));
        Ok(())
    }
}
