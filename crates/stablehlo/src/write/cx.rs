//! What the spelling of an op sees: the op, its operands as they are written already, what extents are, and the writer.
use std::ops::{Deref, DerefMut};

use tfc_ir::{Attrs, Code, Error, Extent, Func, Op, Result, ValueId};

use crate::write::ty::Ty;
use crate::write::walk::{Outcome, Walk};
use crate::write::writer::{Val, Writer, broken};

/// An op that is being written. It is a [`Writer`] too.
pub struct Cx<'a, 'm> {
    pub(crate) walk: &'a mut Walk<'m>,
    pub(crate) f: &'a Func,
    pub(crate) op: &'a Op,
    pub(crate) args: Vec<Val>,
}
impl Deref for Cx<'_, '_> {
    type Target = Writer;
    fn deref(&self) -> &Writer {
        &self.walk.w
    }
}
impl DerefMut for Cx<'_, '_> {
    fn deref_mut(&mut self) -> &mut Writer {
        &mut self.walk.w
    }
}
impl Cx<'_, '_> {
    /// The op.
    pub fn op(&self) -> &Op {
        self.op
    }
    /// The function that holds it.
    pub fn func(&self) -> &Func {
        self.f
    }
    /// Attributes of the op.
    pub fn attrs(&self) -> &Attrs {
        &self.op.attrs
    }
    /// Operands of the op.
    pub fn args(&self) -> &[Val] {
        &self.args
    }
    /// Operand `i`.
    pub fn arg(&self, i: usize) -> Result<Val> {
        self.args.get(i).cloned().ok_or_else(|| broken("an operand that is not there"))
    }
    /// The type of result `i`.
    ///
    /// # Errors
    /// `E1101`, `E1102` where an extent of it is not known.
    pub fn result(&self, i: usize) -> Result<Ty> {
        let v = self.op.results.get(i).ok_or_else(|| broken("a result that is not there"))?;
        self.walk.ty(self.f, self.f.ty(*v))
    }
    /// What an extent is.
    ///
    /// # Errors
    /// `E1101`, `E1102` where it is not known.
    pub fn extent(&self, e: &Extent) -> Result<i64> {
        self.walk.extent(self.f, e)
    }
    /// The extents of an attribute.
    pub fn extents(&self, name: &str) -> Result<Vec<i64>> {
        self.attrs().extents(name).iter().map(|e| self.extent(e)).collect()
    }
    /// The same, of which none is negative; `n` times `default` where there is no such attribute.
    pub fn sizes(&self, name: &str, n: usize, default: usize) -> Result<Vec<usize>> {
        if self.attrs().get(name).is_none() {
            return Ok(vec![default; n]);
        }
        let size =
            |i: i64| usize::try_from(i).map_err(|_| Error::new(Code::E0402, format!("`{name}` is negative: {i}")));
        // Where values decide it, it is the most that it can be.
        let all = self.attrs().extents(name).iter().map(|e| self.walk.most(self.f, e));
        all.collect::<Result<Vec<i64>>>()?.into_iter().map(size).collect()
    }
    /// The statements of region `i` on these, here; what it hands on.
    pub fn region(&mut self, i: usize, args: &[Val]) -> Result<Vec<Val>> {
        let r = *self.op.regions.get(i).ok_or_else(|| broken("a region that is not there"))?;
        self.walk.region(self.f, r, args)
    }
    /// An extent as an `i64[]`, whoever decides it.
    pub fn count_of(&mut self, e: &Extent) -> Result<Val> {
        self.walk.count(self.f, e)
    }
    /// The axes of a value of the function whose extents values decide, with these. They are as long as they can get; what counts
    /// stands first.
    pub fn open_axes(&mut self, v: ValueId) -> Result<Vec<(usize, Val)>> {
        self.walk.open_axes(self.f, self.f.ty(v))
    }
    /// The open axes of operand `i`.
    pub fn open_of(&mut self, i: usize) -> Result<Vec<(usize, Val)>> {
        let v = *self.op.operands.get(i).ok_or_else(|| broken("an operand that is not there"))?;
        self.open_axes(v)
    }
    /// The open axes of result `i`.
    pub fn open_of_result(&mut self, i: usize) -> Result<Vec<(usize, Val)>> {
        let v = *self.op.results.get(i).ok_or_else(|| broken("a result that is not there"))?;
        self.open_axes(v)
    }
    /// Region `i`, of scalars, for ops of which XLA runs it once an element: a region that takes nothing from outside. Constants
    /// are written again within it.
    ///
    /// # Errors
    /// `E1103` where it takes other values, `E1105` where something is checked in it.
    pub(crate) fn closed(&mut self, i: usize, params: &[Ty]) -> Result<String> {
        let r = *self.op.regions.get(i).ok_or_else(|| broken("a region that is not there"))?;
        let ps: Vec<Val> = params.iter().map(|t| self.val(t.clone())).collect();
        let (block, ys) = self.walk.closed(self.f, self.op, r, &ps)?;
        Ok(self.walk.w.region(&ps, block, &ys))
    }
    /// The same with `more` parameters in front that the region does not see; `then` joins them with what it gives.
    pub(crate) fn closed_with(
        &mut self,
        i: usize,
        params: &[Ty],
        more: usize,
        then: impl FnOnce(&mut Writer, &[Val], &Val) -> Result<Val>,
    ) -> Result<String> {
        let r = *self.op.regions.get(i).ok_or_else(|| broken("a region that is not there"))?;
        let ps: Vec<Val> = params.iter().map(|t| self.val(t.clone())).collect();
        let (front, own) = ps.split_at(more.min(ps.len()));
        let (block, ys) = self.walk.closed(self.f, self.op, r, own)?;
        let [y] = ys.as_slice() else { return Err(broken("a region of one result")) };
        let (block, y) = self.walk.w.resume(block, |w| then(w, front, y))?;
        Ok(self.walk.w.region(&ps, block, &[y]))
    }
    /// The program fails where `ok`, an `i1`, is false: it becomes a result, or the program is refused.
    ///
    /// # Errors
    /// `E1105` where checks are refused.
    pub fn check(&mut self, ok: Val, message: &str) -> Result<()> {
        self.check_as(Code::E0710, ok, message)
    }
    /// The same, with the code of the error that it is.
    pub(crate) fn check_as(&mut self, code: Code, ok: Val, message: &str) -> Result<()> {
        self.walk.outcome(Outcome { text: message.to_owned(), value: ok, code: Some(code), span: None })
    }
    /// The program prints this.
    ///
    /// # Errors
    /// `E1105` where that is refused.
    pub fn print(&mut self, value: Val, label: &str) -> Result<()> {
        self.walk.outcome(Outcome { text: label.to_owned(), value, code: None, span: None })
    }
}
