//! One step at a time.
use tfc_ir::{Error, Result};
use tfc_plan::plan::*;
use tfc_plan::sizes::space::Space;

use super::frame::{At, Ctx, Frame};
use super::launch::{blocks, loops, space, threads};
use crate::device::{Arg, Ptr};
use crate::libraries::{Matrix, Product};
use crate::ops::contract;
use crate::text::moves::{TILE, dot_loops};

impl Frame<'_> {
    /// Runs the steps of a block.
    ///
    /// # Errors
    /// What a step reports, with its place.
    pub fn block(&mut self, ctx: &mut Ctx, steps: &[Step]) -> Result<()> {
        for s in steps {
            if self.needs(&s.what) {
                self.settle()?;
            }
            self.step(ctx, s).map_err(|e| e.or_span(s.span))?;
        }
        self.settle()
    }
    fn step(&mut self, ctx: &mut Ctx, step: &Step) -> Result<()> {
        let plan = self.plan();
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
            Do::Bind { src, exist } => self.ask(ctx, *src, exist.0, step.span),
            Do::Guard { cond, what, code } => {
                tfc_plan::sizes::shapes::check(&plan.func, self.sizes.env(), cond, code, what, step.span)
            }
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
    fn cond(&mut self, ctx: &mut Ctx, c: &Cond, span: tfc_ir::Span) -> Result<()> {
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
                tfc_plan::sizes::shapes::found(&plan.func, self.sizes.env(), g, n, span)?;
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
            return Err(Error::new("E0718", text));
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
    /// Multiplies; the result has been placed.
    pub(crate) fn dot(&mut self, ctx: &mut Ctx, what: &contract::Product) -> Result<()> {
        let d = &what.dot;
        let at = |axes: &[usize], s: Slot| -> (Vec<usize>, Vec<isize>) {
            axes.iter().map(|&a| (self.dims(s)[a], self.strides(s)[a])).unzip()
        };
        // Axis of the result for each of (lhs free, rhs free, batch).
        let mut place = vec![0; d.order.len()];
        d.order.iter().enumerate().for_each(|(i, &o)| place[o] = i);
        let (m, n) = (d.free[0].len(), d.free[1].len());
        let out = |from: usize, count: usize| -> Vec<isize> {
            place[from..from + count].iter().map(|&a| self.strides(d.out)[a]).collect()
        };
        let (rows, a_rows) = at(&d.free[0], d.args[0]);
        let (cols, b_cols) = at(&d.free[1], d.args[1]);
        let (inner, a_inner) = at(&d.contract[0], d.args[0]);
        let (_, b_inner) = at(&d.contract[1], d.args[1]);
        let (batch, a_batch) = at(&d.batch[0], d.args[0]);
        let (_, b_batch) = at(&d.batch[1], d.args[1]);
        let rows = space(&rows, &[&a_rows, &out(0, m)], 1);
        let cols = space(&cols, &[&b_cols, &out(m, n)], 1);
        let inner = in_order(&inner, &[&a_inner, &b_inner]);
        let batch = space(&batch, &[&a_batch, &b_batch, &out(m + n, d.batch[0].len())], 2);
        let by_library = self.product(ctx, what, [&rows, &cols, &inner, &batch])?;
        if !by_library && !rows.is_empty() && !cols.is_empty() && !batch.is_empty() {
            let [rm, rn, rk, rb] = dot_loops(d);
            let tiles = rows
                .len()
                .div_ceil(TILE as usize)
                .saturating_mul(cols.len().div_ceil(TILE as usize))
                .saturating_mul(batch.len());
            let ptr = |s: Slot| Arg::Ptr(self.ptr[s as usize]);
            let args = [
                ptr(d.args[0]),
                ptr(d.args[1]),
                ptr(d.out),
                loops(&rows, rm),
                loops(&cols, rn),
                loops(&inner, rk),
                loops(&batch, rb),
            ];
            ctx.module.launch(&what.kernel, blocks(tiles, TILE * TILE), &args)?;
        }
        Ok(())
    }
    /// The product by a library, where the device has one that takes such loops.
    fn product(
        &mut self,
        ctx: &mut Ctx,
        what: &contract::Product,
        [rows, cols, inner, batch]: [&Space; 4],
    ) -> Result<bool> {
        let d = &what.dot;
        let dtype = self.decl(d.out).dtype;
        let same = d.args.iter().all(|&s| self.decl(s).dtype == dtype);
        let Some(library) = ctx.device.libraries().filter(|_| same && dtype.is_inexact()) else { return Ok(false) };
        let one = |s: &Space| s.rank() <= 1 && s.len() <= i32::MAX as usize;
        let [m, n, k] = [rows, cols, inner].map(Space::len);
        let many = m.saturating_mul(n).saturating_mul(k).saturating_mul(batch.len());
        if many == 0 || many < library.least_product() || ![rows, cols, inner, batch].into_iter().all(one) {
            return Ok(false);
        }
        let size = dtype.size() as isize;
        let by = |s: &Space, o: usize| if s.rank() == 0 { 0 } else { s.stride(0, o) };
        // An operand of two loops, of which one walks neighbours.
        let conj = d.conj.map(|c| c && dtype.is_complex());
        let matrix = |s: Slot, conj: bool, (p, p_by): (usize, isize), (q, q_by): (usize, isize), step: isize| {
            let near = |n: usize, by: isize| n == 1 || by == size;
            let far =
                |n: usize, by: isize, lead: usize| n == 1 || (by % size == 0 && by / size >= lead.max(1) as isize);
            let at = self.ptr[s as usize];
            let fits = step % size == 0 && at.0.is_multiple_of(size as u64);
            let ld = |n: usize, by: isize, lead: usize| if n == 1 { lead } else { (by / size) as usize };
            match () {
                () if fits && near(p, p_by) && far(q, q_by, p) => {
                    Some(Matrix { at, ld: ld(q, q_by, p), transposed: false, conj, step: step / size })
                }
                () if fits && near(q, q_by) && far(p, p_by, q) => {
                    Some(Matrix { at, ld: ld(p, p_by, q), transposed: true, conj, step: step / size })
                }
                () => None,
            }
        };
        let a = matrix(d.args[0], conj[0], (m, by(rows, 0)), (k, by(inner, 0)), by(batch, 0));
        let b = matrix(d.args[1], conj[1], (k, by(inner, 1)), (n, by(cols, 0)), by(batch, 1));
        let c = matrix(d.out, false, (m, by(rows, 1)), (n, by(cols, 1)), by(batch, 2));
        let (Some(a), Some(b), Some(c)) = (a, b, c) else { return Ok(false) };
        let (batch, tf32) = (batch.len(), self.code.fast_math);
        let mut p = Product { dtype, mnk: [m, n, k], batch, a, b, c, tf32 };
        if c.transposed {
            // The transpose of a product is that of the transposes, the other way round.
            let turned = |x: Matrix| Matrix { transposed: !x.transposed, ..x };
            p = Product { mnk: [n, m, k], a: turned(b), b: turned(a), c: turned(c), ..p };
        }
        let [m, n, k] = p.mnk;
        if p.a.conj && !p.a.transposed {
            p.a = self.conjugated(ctx, what, p.a, ([m, k], batch, 0))?;
        }
        if p.b.conj && !p.b.transposed {
            p.b = self.conjugated(ctx, what, p.b, ([k, n], batch, 1))?;
        }
        library.product(&p)?;
        Ok(true)
    }
    /// A copy of conjugates, since a library conjugates only what lies transposed.
    fn conjugated(
        &mut self,
        ctx: &mut Ctx,
        what: &contract::Product,
        x: Matrix,
        (dims, batch, i): ([usize; 2], usize, usize),
    ) -> Result<Matrix> {
        let (size, [m, n]) = (self.size(what.dot.out), dims);
        // The same matrix for all of a batch is copied once.
        let batch = if x.step == 0 { 1 } else { batch };
        let bytes = m.checked_mul(n).and_then(|c| c.checked_mul(batch)).and_then(|c| c.checked_mul(size));
        let to = self.scratch(ctx, i, bytes.ok_or_else(|| Error::new("E0406", "an operand is too large"))?)?;
        let Some(kernel) = &what.conjugate else {
            return Err(Error::new("E0718", "a conjugate without a kernel"));
        };
        let (one, all) = (size as isize, (m * n * size) as isize);
        let from = [one, (x.ld * size) as isize, x.step * one];
        let mut s = Space::default();
        s.clear(2);
        for (a, &n) in [m, n, batch].iter().enumerate() {
            s.push(n, false, |k| if k == 0 { from[a] } else { [one, (m * size) as isize, all][a] });
        }
        ctx.module.launch(kernel, threads(s.len()), &[Arg::Ptr(x.at), Arg::Ptr(to), loops(&s, 3)])?;
        Ok(Matrix {
            at: to,
            ld: m,
            transposed: false,
            conj: false,
            step: if x.step == 0 { 0 } else { (m * n) as isize },
        })
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
/// Loops in the order of the axes, the first fastest.
fn in_order(dims: &[usize], strides: &[&[isize]]) -> Space {
    let mut s = Space::default();
    s.clear(strides.len());
    for (a, &n) in dims.iter().enumerate() {
        s.push(n, false, |k| strides[k][a]);
    }
    s.collapse();
    s
}
