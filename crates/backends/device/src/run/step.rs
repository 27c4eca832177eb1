//! One step at a time.
use tfc_ir::{Code, Error, Result};
use tfc_plan::plan::*;

use super::frame::{At, Ctx, Frame};
use crate::device::Ptr;

impl<'p> Frame<'p> {
    /// Runs the steps of a block.
    ///
    /// # Errors
    /// What a step reports, with its place.
    pub fn block(&mut self, ctx: &mut Ctx, steps: &'p [Step]) -> Result<()> {
        for s in steps {
            if self.waits(ctx, &s.what) {
                self.settle()?;
            }
            if let Err(e) = self.step(ctx, s) {
                // What is wrong with an extent from before comes first; after a fault nothing can be asked.
                let e = if e.data().code == Code::E1303 { e } else { self.settle().err().unwrap_or(e) };
                return Err(e.or_span(s.span));
            }
        }
        self.settle()
    }
    fn step(&mut self, ctx: &mut Ctx, step: &'p Step) -> Result<()> {
        match &step.what {
            Do::Run(r) => {
                r.outs.iter().try_for_each(|&s| self.place(ctx, s))?;
                self.run_region(ctx, r)
            }
            Do::View(v) => self.view(ctx, v),
            Do::Reshape { src, dst, store, how: Reading::Bits } => self.bitcast(ctx, *src, *dst, *store),
            Do::Reshape { src, dst, store, how } => self.reshape(ctx, *src, *dst, *store, *how == Reading::First),
            Do::Copy { src, dst } => {
                self.place(ctx, *dst)?;
                self.copy_slot(ctx, *src, *dst)
            }
            Do::Bind { src, exist } => self.ask(ctx, *src, *exist, step.span),
            Do::Guard { cond, what, code } => self.guard(cond, (what, *code), step.span),
            Do::Cond(c) => self.cond(ctx, c, step.span),
            Do::Loop(l) => self.run_loop(ctx, l),
            Do::Call(c) => self.call(ctx, c),
            Do::Kernel(k) => {
                // Results whose extents the kernel says are placed once it has.
                if k.binds.is_empty() {
                    k.dsts.iter().try_for_each(|&d| self.place(ctx, d))?;
                }
                let code = self.code;
                code.steps[k.id as usize].run(self, ctx, k)
            }
        }
    }
    fn cond(&mut self, ctx: &mut Ctx, c: &'p Cond, span: tfc_ir::Span) -> Result<()> {
        let plan = self.plan();
        let way = match c.by {
            By::Flag => usize::from(!self.flag(ctx, c.choice)?),
            By::Index => tfc_ir::ops::control::nth(self.scalar(ctx, c.choice)?, c.ways.len()),
        };
        let way = &c.ways[way];
        self.block(ctx, &way.block)?;
        for &(i, axis, x) in &c.binds {
            let n = self.dims(way.yields[i as usize])[axis as usize];
            self.sizes.bind(plan, x, n as i64);
        }
        for g in &c.claims {
            if let Some((i, axis)) = g.found {
                let n = self.dims(way.yields[i])[axis];
                tfc_engine::shapes::found(&plan.func, self.sizes.env(), g, n, span)?;
            }
        }
        for (&r, &y) in c.outs.iter().zip(&way.yields) {
            self.alias(r, y);
        }
        Ok(())
    }
    fn view(&mut self, ctx: &mut Ctx, v: &ViewOf) -> Result<()> {
        let plan = self.plan();
        self.sizes.view(plan, v)?;
        // Indices are read before: the place of a view is decided by the host.
        let mut at = vec![];
        for &(_, start) in &v.start {
            if let Start::Index(i) = start {
                at.push((i, self.scalar(ctx, i)?));
            }
        }
        let index = |s: Slot| at.iter().find(|x| x.0 == s).map_or(0, |x| x.1);
        let o = self.sizes.view_offset(plan, v, index)?;
        self.ptr[v.dst as usize] = self.ptr[v.src as usize].at(o);
        Ok(())
    }
    fn reshape(&mut self, ctx: &mut Ctx, src: Slot, dst: Slot, store: Store, first: bool) -> Result<()> {
        let n = self.len(dst)?;
        if n != self.len(src)? {
            let text =
                format!("reshape from {:?} to {:?}: the numbers of elements differ", self.dims(src), self.dims(dst));
            return Err(Error::bug(Code::E0718, text));
        }
        let size = self.size(src);
        let mut to = vec![];
        let p = if self.sizes.regroups(self.plan(), src, dst, first, &mut to) {
            self.ptr[src as usize]
        } else {
            let p = self.memory(ctx, store, n)?;
            let order = |dims: &[usize]| {
                let mut out = vec![0; dims.len()];
                let mut s = size as isize;
                for i in 0..dims.len() {
                    let a = if first { i } else { dims.len() - 1 - i };
                    out[a] = s;
                    s *= dims[a].max(1) as isize;
                }
                out
            };
            self.copy_to(ctx, src, At { ptr: p, strides: &order(self.dims(src)) })?;
            to = order(self.dims(dst));
            p
        };
        self.set(dst, p, &to);
        Ok(())
    }
    fn bitcast(&mut self, ctx: &mut Ctx, src: Slot, dst: Slot, store: Store) -> Result<()> {
        self.len(dst)?;
        let plan = self.plan();
        let (x, y) = (self.size(src), self.size(dst));
        let kept = self.decl(src).dims.len().min(self.decl(dst).dims.len());
        if y <= x {
            // Parts of an element follow each other in memory, the lowest bits first.
            self.sizes.lay_over(plan, dst, src);
            if y < x {
                self.sizes.strides_mut(plan, dst)[kept] = y as isize;
            }
            self.ptr[dst as usize] = self.ptr[src as usize];
            return Ok(());
        }
        let n = self.len(src)?;
        let p = self.memory(ctx, store, n * x / y)?;
        let mut s = vec![x as isize; kept + 1];
        for i in (0..kept).rev() {
            s[i] = if i == kept - 1 { y as isize } else { s[i + 1] * self.dims(dst)[i + 1].max(1) as isize };
        }
        self.copy_to(ctx, src, At { ptr: p, strides: &s })?;
        self.sizes.strides_mut(plan, dst)[..kept].copy_from_slice(&s[..kept]);
        self.ptr[dst as usize] = p;
        Ok(())
    }
    /// Copies between placed slots of one shape.
    ///
    /// # Errors
    /// What the device reports.
    pub fn copy_slot(&self, ctx: &mut Ctx, src: Slot, dst: Slot) -> Result<()> {
        self.copy_to(ctx, src, self.at(dst))
    }
    /// Copies `src` into the part of `dst` that starts `offset` bytes from its first element.
    ///
    /// # Errors
    /// What the device reports.
    pub fn copy_part(&self, ctx: &mut Ctx, src: Slot, dst: Slot, offset: isize) -> Result<()> {
        self.copy_to(ctx, src, At { ptr: self.ptr[dst as usize].at(offset), strides: self.strides(dst) })
    }
    /// Fills a placed slot with zeros.
    ///
    /// # Errors
    /// What the device reports.
    pub fn zero(&mut self, ctx: &mut Ctx, dst: Slot) -> Result<()> {
        let zero = self.scratch(ctx, 7, 16)?;
        ctx.device.upload(zero, &[0; 16])?;
        let still = vec![0; self.dims(dst).len()];
        self.copy(ctx, self.dims(dst), At { ptr: zero, strides: &still }, self.at(dst), self.size(dst))
    }
    /// The first element of a slot, everywhere in another one.
    ///
    /// # Errors
    /// What the device reports.
    pub fn fill(&mut self, ctx: &mut Ctx, dst: Slot, value: Ptr) -> Result<()> {
        let still = vec![0; self.dims(dst).len()];
        self.copy(ctx, self.dims(dst), At { ptr: value, strides: &still }, self.at(dst), self.size(dst))
    }
}
