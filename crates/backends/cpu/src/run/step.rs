//! One step at a time: each finds out the extents and strides of its slots, places its results, and runs. Whatever can fail
//! fails here, with the statement's place: a block that is replayed has run in this way before.
use tfc_ir::{Code, Error, Result};

use super::frame::{Ctx, Frame};
use crate::compiled::Compiled;
use crate::copy::{At, fill_nd};
use crate::fused::bound::Bound;
use crate::kernel::KernelCx;
use crate::machine::mem::Ptr;
use tfc_plan::plan::*;

impl Frame {
    /// Runs the steps of a block.
    pub(crate) fn block(&mut self, plan: &Compiled, ctx: &mut Ctx, steps: &[Step]) -> Result<()> {
        for s in steps {
            let begun = ctx.begin();
            self.step(plan, ctx, s).map_err(|e| e.or_span(s.span))?;
            self.end(plan, ctx, s, begun);
        }
        Ok(())
    }
    /// Runs a step.
    pub(crate) fn step(&mut self, plan: &Compiled, ctx: &mut Ctx, step: &Step) -> Result<()> {
        match &step.what {
            Do::Run(r) => self.run_tape(plan, ctx, r),
            Do::View(v) => self.view(plan, v),
            Do::Reshape { src, dst, store, how: Reading::Bits } => self.bitcast(plan, ctx, *src, *dst, *store),
            Do::Reshape { src, dst, store, how } => self.reshape(plan, ctx, *src, *dst, *store, *how == Reading::First),
            Do::Copy { src, dst } => {
                self.place(plan, ctx, *dst)?;
                self.copy_slot(plan, ctx, *src, *dst);
                Ok(())
            }
            Do::Bind { src, exist } => {
                let v = self.scalar(plan, *src);
                if v < 0 {
                    let e = tfc_ir::Extent::exist(*exist);
                    let text = format!("extent {} would be {v}, which is negative", e.display(&*plan.func));
                    return Err(Error::new(Code::E0422, text));
                }
                self.bind(plan, *exist, v);
                Ok(())
            }
            Do::Guard { cond, what, code } => {
                tfc_engine::shapes::check(&plan.func, self.env(), cond, *code, what, step.span)
            }
            Do::Cond(c) => {
                let way = &c.ways[self.way(plan, c)];
                self.block(plan, ctx, &way.block)?;
                for &(i, axis, x) in &c.binds {
                    let n = self.dims(plan, way.yields[i as usize])[axis as usize];
                    self.bind(plan, x, n as i64);
                }
                for g in &c.claims {
                    if let Some((i, axis)) = g.found {
                        let n = self.dims(plan, way.yields[i])[axis];
                        tfc_engine::shapes::found(&plan.func, self.env(), g, n, step.span)?;
                    }
                }
                for (&r, &y) in c.outs.iter().zip(&way.yields) {
                    self.alias(plan, r, y);
                }
                Ok(())
            }
            Do::Loop(l) => {
                let known = if ctx.plain { None } else { self.bound_as_before(plan, l) };
                self.run_loop(plan, ctx, l, known)
            }
            Do::Call(c) => self.call(plan, ctx, c),
            Do::Kernel(k) => {
                // Results whose extents the kernel says are placed once it has.
                if k.binds.is_empty() {
                    for &d in &k.dsts {
                        self.place(plan, ctx, d)?;
                    }
                }
                plan.kernel(k).run(KernelCx::new(self, plan, ctx, k))
            }
        }
    }
    pub(crate) fn run_tape(&mut self, plan: &Compiled, ctx: &mut Ctx, r: &Run) -> Result<()> {
        self.place_outs(plan, ctx, r)?;
        self.run_placed(plan, ctx, r)
    }
    /// Places the outputs of a region.
    pub(crate) fn place_outs(&mut self, plan: &Compiled, ctx: &mut Ctx, r: &Run) -> Result<()> {
        r.outs.iter().try_for_each(|&s| self.place(plan, ctx, s))?;
        for &s in r.outs.iter().filter(|&&s| plan.slots[s as usize].donor == NONE) {
            if let Some(order) = self.kept_inwards(plan, r, s) {
                self.lay_in_order(plan, s, &order);
            }
        }
        let Some(order) = self.inwards(plan, r) else { return Ok(()) };
        for &s in &r.outs {
            let d = &plan.slots[s as usize];
            if d.over != NONE || d.dims.len() != order.len() || d.donor != NONE {
                continue;
            }
            match d.place {
                Place::Own(_) => self.lay_in_order(plan, s, &order),
                Place::Part { of, first: true } => self.lay_in_order(plan, of, &order),
                _ => {}
            }
        }
        // Each part lies as the whole does now, those that another output of the same region is laid around as well.
        for &s in &r.outs {
            if let Place::Part { of, .. } = plan.slots[s as usize].place {
                self.take_part(plan, s, of);
            }
        }
        Ok(())
    }
    /// Runs a region whose outputs are placed.
    pub(crate) fn run_placed(&mut self, plan: &Compiled, ctx: &mut Ctx, r: &Run) -> Result<()> {
        if let Some(p) = plan.fused(r).scalars.as_ref().filter(|_| !ctx.plain) {
            let area = self.cells.ensure(p.bytes)?;
            // SAFETY: the area is as large as it has to be; operands are placed scalars.
            unsafe {
                p.init(area);
                p.whole(area, |k| self.ptr[r.operands[k as usize] as usize]);
            }
            return Ok(());
        }
        let mut bound = std::mem::take(&mut self.region);
        let done = self.bind_run(plan, r, &mut bound).and_then(|()| {
            // SAFETY: bound to the slots as they are now.
            unsafe { self.run_bound(plan, ctx, r, &mut bound) }
        });
        self.region = bound;
        done
    }
    /// Binds a region to the extents and strides that its slots have now; its outputs have been placed.
    pub(crate) fn bind_run(&mut self, plan: &Compiled, r: &Run, to: &mut Bound) -> Result<()> {
        let mut dims = std::mem::take(&mut self.counts);
        dims.clear();
        for &e in &r.loops {
            dims.push(self.count(plan, e)?);
        }
        let mut flat = std::mem::take(&mut self.flat);
        self.loop_strides(plan, r, &mut flat);
        let n = r.loops.len();
        to.bind(
            &plan.fused(r).program,
            &dims,
            |k| &flat[k * n..(k + 1) * n],
            |l| r.reduced[l],
            |k| self.streams(plan, r.operands[k]),
        );
        self.counts = dims;
        self.flat = flat;
        Ok(())
    }
    /// Strides of a region's operands along its loops, operand by operand.
    pub(crate) fn loop_strides(&self, plan: &Compiled, r: &Run, to: &mut Vec<isize>) {
        to.clear();
        let n = r.loops.len();
        for (i, &m) in r.maps.iter().enumerate() {
            to.push(if m == NONE { 0 } else { self.strides(plan, r.operands[i / n])[m as usize] });
        }
    }
    /// May a slot be written past the caches? Results are not read again soon; memory never touched before is brought in by
    /// plain stores at a lower price.
    fn streams(&self, plan: &Compiled, s: Slot) -> bool {
        let own = |r: Store| plan.stores[r as usize].escapes;
        self.warm[s as usize] && matches!(plan.slots[s as usize].place, Place::Own(r) if own(r))
    }
    /// Runs a bound region on the present addresses of its slots.
    ///
    /// # Safety
    /// `bound` comes from [`Frame::bind_run`] with this `r`, and the slots' extents and strides are what they were then.
    pub(crate) unsafe fn run_bound(&self, plan: &Compiled, ctx: &Ctx, r: &Run, bound: &mut Bound) -> Result<()> {
        // SAFETY: slots are placed with the extents of the loops that walk them; outputs have storage that no other
        // operand shares, except where assignment made them in place, which the tape allows.
        unsafe { bound.run(ctx.pool, &plan.fused(r).program, |k| self.ptr[r.operands[k] as usize]) }
    }
    fn view(&mut self, plan: &Compiled, v: &ViewOf) -> Result<()> {
        self.sizes.view(plan, v)?;
        self.ptr[v.dst as usize] = self.ptr[v.src as usize].at(self.view_at(plan, v)?);
        Ok(())
    }
    /// Bytes from the first element of a slot to that of a view of it.
    pub(crate) fn view_at(&self, plan: &Compiled, v: &ViewOf) -> Result<isize> {
        self.view_offset(plan, v, |i| self.scalar(plan, i))
    }
    fn reshape(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        src: Slot,
        dst: Slot,
        store: Store,
        first: bool,
    ) -> Result<()> {
        let n = self.len(plan, dst)?;
        if n != self.len(plan, src)? {
            return Err(Error::bug(
                Code::E0718,
                format!(
                    "reshape from {:?} to {:?}: the numbers of elements differ",
                    self.dims(plan, src),
                    self.dims(plan, dst)
                ),
            ));
        }
        let mut to = std::mem::take(&mut self.flat);
        let size = plan.slots[src as usize].dtype.size();
        let p = if self.regroups(plan, src, dst, first, &mut to) {
            self.ptr[src as usize]
        } else {
            let p = self.memory(plan, ctx, store, n)?.0;
            let order = |dims: &[usize], out: &mut Vec<isize>| {
                out.clear();
                out.resize(dims.len(), 0);
                let mut s = size as isize;
                for i in 0..dims.len() {
                    let a = if first { i } else { dims.len() - 1 - i };
                    out[a] = s;
                    s *= dims[a].max(1) as isize;
                }
            };
            order(self.dims(plan, src), &mut to);
            self.copy_to(plan, ctx, src, At { ptr: p, strides: &to });
            order(self.dims(plan, dst), &mut to);
            p
        };
        self.strides_mut(plan, dst).copy_from_slice(&to);
        self.flat = to;
        self.ptr[dst as usize] = p;
        Ok(())
    }
    fn bitcast(&mut self, plan: &Compiled, ctx: &mut Ctx, src: Slot, dst: Slot, store: Store) -> Result<()> {
        self.len(plan, dst)?;
        let (a, b) = (&plan.slots[src as usize], &plan.slots[dst as usize]);
        let (x, y) = (a.dtype.size(), b.dtype.size());
        let kept = a.dims.len().min(b.dims.len());
        if y <= x {
            // Parts of an element follow each other in memory, the lowest bits first.
            self.lay_over(plan, dst, src);
            if y < x {
                self.strides_mut(plan, dst)[kept] = y as isize;
            }
            self.ptr[dst as usize] = self.ptr[src as usize];
            return Ok(());
        }
        let n = self.len(plan, src)?;
        let p = self.memory(plan, ctx, store, n * x / y)?.0;
        let mut s = vec![x as isize; kept + 1];
        for i in (0..kept).rev() {
            s[i] = if i == kept - 1 { y as isize } else { s[i + 1] * self.dims(plan, dst)[i + 1].max(1) as isize };
        }
        self.copy_to(plan, ctx, src, At { ptr: p, strides: &s });
        self.strides_mut(plan, dst)[..kept].copy_from_slice(&s[..kept]);
        self.ptr[dst as usize] = p;
        Ok(())
    }
    /// Copies between placed slots of one shape.
    pub(crate) fn copy_slot(&mut self, plan: &Compiled, ctx: &Ctx, src: Slot, dst: Slot) {
        let mut to = std::mem::take(&mut self.flat);
        to.clear();
        to.extend_from_slice(self.strides(plan, dst));
        self.copy_to(plan, ctx, src, At { ptr: self.ptr[dst as usize], strides: &to });
        self.flat = to;
    }
    /// Copies `src` into the part of `dst` that starts `offset` bytes from its first element.
    pub(crate) fn copy_part(&mut self, plan: &Compiled, ctx: &Ctx, src: Slot, dst: Slot, offset: isize) {
        let mut to = std::mem::take(&mut self.flat);
        to.clear();
        to.extend_from_slice(self.strides(plan, dst));
        self.copy_to(plan, ctx, src, At { ptr: self.ptr[dst as usize].at(offset), strides: &to });
        self.flat = to;
    }
    pub(crate) fn fill(&mut self, plan: &Compiled, ctx: &Ctx, dst: Slot, value: Ptr) {
        let mut space = std::mem::take(&mut self.space);
        let size = plan.slots[dst as usize].dtype.size();
        // SAFETY: the slot is placed; the value is an element of its type.
        unsafe { fill_nd(ctx.pool, &mut space, self.dims(plan, dst), self.at(plan, dst), value.0, size) };
        self.space = space;
    }
    /// The index in slot `i`, moved so that what has the extents of `small` stays inside `big` along the axis.
    pub(crate) fn clamped(&self, plan: &Compiled, big: Slot, small: Slot, axis: usize, i: Slot) -> i64 {
        self.scalar(plan, i).clamp(0, self.room(plan, big, small, axis))
    }
    /// The branch that runs.
    pub(crate) fn way(&self, plan: &Compiled, c: &Cond) -> usize {
        match c.by {
            By::Flag => usize::from(!self.flag(c.choice)),
            By::Index => tfc_ir::ops::control::nth(self.scalar(plan, c.choice), c.ways.len()),
        }
    }
    /// A flag.
    pub(crate) fn flag(&self, s: Slot) -> bool {
        // SAFETY: the slot is a placed bool scalar.
        unsafe { self.ptr[s as usize].0.cast::<bool>().read() }
    }
    /// An integer scalar; `u64` beyond `i64` saturates.
    pub(crate) fn scalar(&self, plan: &Compiled, s: Slot) -> i64 {
        use tfc_ir::DType::*;
        let p = self.ptr[s as usize].0;
        // SAFETY: the slot is a placed scalar of that type.
        unsafe {
            match plan.slots[s as usize].dtype {
                I32 => i64::from(p.cast::<i32>().read()),
                U32 => i64::from(p.cast::<u32>().read()),
                U64 => i64::try_from(p.cast::<u64>().read()).unwrap_or(i64::MAX),
                Bool => i64::from(p.cast::<bool>().read()),
                _ => p.cast::<i64>().read(),
            }
        }
    }
}
