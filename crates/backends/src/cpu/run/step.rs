//! Running steps.
use tfc_ir::{Error, Result};

use super::frame::{Ctx, Frame};
use crate::cpu::copy::{At, fill_nd};
use crate::cpu::fused::bound::Bound;
use crate::cpu::machine::mem::Ptr;
use crate::cpu::ops::positions::{arg, fill_outside, iota, pad_axis, triangle};
use crate::plan::*;

impl Frame {
    /// Runs the steps of a block.
    pub(crate) fn block(&mut self, plan: &Plan, ctx: &mut Ctx, steps: &[Step]) -> Result<()> {
        for s in steps {
            self.step(plan, ctx, s).map_err(|e| e.or_span(s.span))?;
        }
        Ok(())
    }
    /// Runs a step.
    pub(crate) fn step(&mut self, plan: &Plan, ctx: &mut Ctx, step: &Step) -> Result<()> {
        match &step.what {
            Do::Run(r) => self.run_tape(plan, ctx, r),
            Do::View(v) => self.view(plan, v),
            Do::Reshape { src, dst, store, first } => self.reshape(plan, ctx, *src, *dst, *store, *first),
            Do::Copy { src, dst } => {
                self.place(plan, ctx, *dst)?;
                self.copy_slot(plan, ctx, *src, *dst);
                Ok(())
            }
            Do::Dot(d) => self.dot(plan, ctx, d),
            Do::Iota { dst, axis } => self.iota(plan, ctx, *dst, *axis),
            Do::Concat { args, dst, axis } => self.concat(plan, ctx, args, *dst, *axis),
            Do::Pad { src, value, dst, low, high, interior } => {
                self.pad(plan, ctx, [*src, *value, *dst], [low, high, interior])
            }
            Do::DynamicSlice { src, dst, at } => self.dynamic_slice(plan, *src, *dst, at),
            Do::DynamicUpdate { src, update, dst, at } => self.dynamic_update(plan, ctx, *src, *update, *dst, at),
            Do::Bitcast { src, dst, store } => self.bitcast(plan, ctx, *src, *dst, *store),
            Do::Precision { src, dst, exponent, mantissa } => {
                self.place(plan, ctx, *dst)?;
                self.copy_slot(plan, ctx, *src, *dst);
                let (n, d) = (self.len(plan, *dst)?, &plan.slots[*dst as usize]);
                // SAFETY: a placed slot of its own storage is dense.
                unsafe {
                    crate::cpu::ops::precision::reduce_precision(
                        d.dtype,
                        self.ptr[*dst as usize],
                        n,
                        *exponent,
                        *mantissa,
                    )
                };
                Ok(())
            }
            Do::EmbedDiag { src, dst } => self.embed_diag(plan, ctx, *src, *dst),
            Do::Triangle { src, dst, k, lower } => self.triangle(plan, ctx, *src, *dst, *k, *lower),
            Do::Arg { src, dst, axis, max } => self.arg(plan, ctx, *src, *dst, *axis, *max),
            Do::DimValue { ext, dst } => {
                let v = self.ext(plan, *ext)?;
                self.place(plan, ctx, *dst)?;
                // SAFETY: the slot is a placed i64 scalar.
                unsafe { self.ptr[*dst as usize].0.cast::<i64>().write(v) };
                Ok(())
            }
            Do::BindExtent { src, exist } => {
                let v = self.scalar(plan, *src);
                if v < 0 {
                    let e = tfc_ir::Extent::exist(*exist);
                    let text = format!("extent {} would be {v}, which is negative", e.display(&*plan.func));
                    return Err(Error::new("E0422", text));
                }
                self.bind(plan, *exist, v);
                Ok(())
            }
            Do::Guard { cond, what, code } => {
                crate::sizes::shapes::check(&plan.func, &self.env, cond, code, what, step.span)
            }
            Do::Check { pred, message } => self.check_true(plan, *pred, message),
            Do::Compare { a, b, atol, rtol, ulp, exact } => crate::sizes::check::compare(
                &self.tensor(plan, *a)?,
                &self.tensor(plan, *b)?,
                *atol,
                *rtol,
                *ulp,
                *exact,
            ),
            Do::Print { src, label } => {
                if let Some(p) = &ctx.opt.print {
                    p(label, &self.tensor(plan, *src)?);
                }
                Ok(())
            }
            Do::Cond { pred, then, other, outs, binds, claims } => {
                let taken = self.flag(*pred);
                self.block(plan, ctx, if taken { then } else { other })?;
                for &(i, axis, x) in binds {
                    let (_, a, b) = outs[i as usize];
                    let n = self.dims(plan, if taken { a } else { b })[axis as usize];
                    self.bind(plan, x, n as i64);
                }
                for g in claims {
                    if let Some((i, axis)) = g.found {
                        let (_, a, b) = outs[i];
                        let n = self.dims(plan, if taken { a } else { b })[axis];
                        crate::sizes::shapes::found(&plan.func, &self.env, g, n, step.span)?;
                    }
                }
                for &(r, a, b) in outs {
                    self.alias(plan, r, if taken { a } else { b });
                }
                Ok(())
            }
            Do::Loop(l) => self.run_loop(plan, ctx, l),
            Do::Call(c) => self.call(plan, ctx, c),
            Do::Native { what, args, dsts } => {
                for &d in dsts {
                    self.place(plan, ctx, d)?;
                }
                what.run(self, plan, ctx, args, dsts)
            }
            Do::Library { kernel, attrs, args, dsts } => self.library(plan, ctx, *kernel, attrs, args, dsts),
        }
    }
    fn run_tape(&mut self, plan: &Plan, ctx: &mut Ctx, r: &Run) -> Result<()> {
        self.place_outs(plan, ctx, r)?;
        self.run_placed(plan, ctx, r)
    }
    /// Places the outputs of a region.
    pub(crate) fn place_outs(&mut self, plan: &Plan, ctx: &mut Ctx, r: &Run) -> Result<()> {
        r.outs.iter().try_for_each(|&s| self.place(plan, ctx, s))
    }
    /// Runs a region whose outputs are placed.
    pub(crate) fn run_placed(&mut self, plan: &Plan, ctx: &mut Ctx, r: &Run) -> Result<()> {
        if let Some(p) = r.scalars.as_ref().filter(|_| !ctx.plain) {
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
            unsafe { self.run_bound(ctx, r, &mut bound) }
        });
        self.region = bound;
        done
    }
    /// Binds a region to the extents and strides that its slots have now; its outputs have been placed.
    pub(crate) fn bind_run(&mut self, plan: &Plan, r: &Run, to: &mut Bound) -> Result<()> {
        let mut dims = std::mem::take(&mut self.sizes);
        dims.clear();
        for &e in &r.loops {
            dims.push(self.count(plan, e)?);
        }
        let mut flat = std::mem::take(&mut self.flat);
        self.loop_strides(plan, r, &mut flat);
        let n = r.loops.len();
        to.bind(
            &r.program,
            &dims,
            |k| &flat[k * n..(k + 1) * n],
            |l| r.reduced[l],
            |k| self.streams(plan, r.operands[k]),
        );
        self.sizes = dims;
        self.flat = flat;
        Ok(())
    }
    /// Strides of a region's operands along its loops, operand by operand.
    pub(crate) fn loop_strides(&self, plan: &Plan, r: &Run, to: &mut Vec<isize>) {
        to.clear();
        let n = r.loops.len();
        for (i, &m) in r.maps.iter().enumerate() {
            let at = plan.slots[r.operands[i / n] as usize].at;
            to.push(if m == NONE { 0 } else { self.strides[(at + m) as usize] });
        }
    }
    /// May a slot be written past the caches? Results are not read again soon; memory never touched before is brought in by
    /// plain stores at a lower price.
    fn streams(&self, plan: &Plan, s: Slot) -> bool {
        let own = |r: Store| plan.stores[r as usize].escapes;
        self.warm[s as usize] && matches!(plan.slots[s as usize].place, Place::Own(r) if own(r))
    }
    /// Runs a bound region on the present addresses of its slots.
    ///
    /// # Safety
    /// `bound` comes from [`Frame::bind_run`] with this `r`, and the slots' extents and strides are what they were then.
    pub(crate) unsafe fn run_bound(&self, ctx: &Ctx, r: &Run, bound: &mut Bound) -> Result<()> {
        // SAFETY: slots are placed with the extents of the loops that walk them; outputs have storage that no other
        // operand shares, except where assignment made them in place, which the tape allows.
        unsafe { bound.run(ctx.pool, &r.program, |k| self.ptr[r.operands[k] as usize]) }
    }
    fn view(&mut self, plan: &Plan, v: &ViewOf) -> Result<()> {
        self.len(plan, v.dst)?;
        let (from, to) = (plan.slots[v.src as usize].at as usize, plan.slots[v.dst as usize].at as usize);
        for (i, a) in v.axes.iter().enumerate() {
            self.strides[to + i] = if a.from == NONE {
                0
            } else {
                let s = self.strides[from + a.from as usize];
                let step = self.ext(plan, a.step)? as isize;
                if a.reversed { -s * step } else { s * step }
            };
        }
        if v.also != NONE {
            self.strides[to] += self.strides[from + v.also as usize];
        }
        self.ptr[v.dst as usize] = self.ptr[v.src as usize].at(self.view_offset(plan, v)?);
        Ok(())
    }
    /// Bytes from the first element of a slot to that of a view of it.
    pub(crate) fn view_offset(&self, plan: &Plan, v: &ViewOf) -> Result<isize> {
        let from = plan.slots[v.src as usize].at as usize;
        let mut o = 0;
        for &(axis, e) in &v.start {
            o += self.ext(plan, e)? as isize * self.strides[from + axis as usize];
        }
        for a in v.axes.iter().filter(|a| a.from != NONE && a.reversed) {
            let at = from + a.from as usize;
            o += self.strides[at] * self.dims[at].saturating_sub(1) as isize;
        }
        Ok(o)
    }
    /// Is a reshape a view?
    pub(crate) fn regroups(&mut self, plan: &Plan, src: Slot, dst: Slot, first: bool) -> bool {
        let mut to = std::mem::take(&mut self.flat);
        to.clear();
        to.resize(plan.slots[dst as usize].dims.len(), 0);
        let (a, b) = (self.dims(plan, src), self.dims(plan, dst));
        let is = crate::sizes::space::regroup(a, self.strides(plan, src), b, first, &mut to);
        self.flat = to;
        is
    }
    fn reshape(&mut self, plan: &Plan, ctx: &mut Ctx, src: Slot, dst: Slot, store: Store, first: bool) -> Result<()> {
        let n = self.len(plan, dst)?;
        if n != self.len(plan, src)? {
            return Err(Error::new(
                "E0718",
                format!(
                    "reshape from {:?} to {:?}: the numbers of elements differ",
                    self.dims(plan, src),
                    self.dims(plan, dst)
                ),
            ));
        }
        let (at, rank) = (plan.slots[dst as usize].at as usize, plan.slots[dst as usize].dims.len());
        let mut to = std::mem::take(&mut self.flat);
        to.clear();
        to.resize(rank, 0);
        let size = plan.slots[src as usize].dtype.size();
        let p = if crate::sizes::space::regroup(
            self.dims(plan, src),
            self.strides(plan, src),
            self.dims(plan, dst),
            first,
            &mut to,
        ) {
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
        self.strides[at..at + rank].copy_from_slice(&to);
        self.flat = to;
        self.ptr[dst as usize] = p;
        Ok(())
    }
    fn bitcast(&mut self, plan: &Plan, ctx: &mut Ctx, src: Slot, dst: Slot, store: Store) -> Result<()> {
        self.len(plan, dst)?;
        let (a, b) = (&plan.slots[src as usize], &plan.slots[dst as usize]);
        let (from, to, x, y) = (a.at as usize, b.at as usize, a.dtype.size(), b.dtype.size());
        let kept = a.dims.len().min(b.dims.len());
        if y <= x {
            // Parts of an element follow each other in memory, the lowest bits first.
            self.strides.copy_within(from..from + kept, to);
            if y < x {
                self.strides[to + kept] = y as isize;
            }
            self.ptr[dst as usize] = self.ptr[src as usize];
            return Ok(());
        }
        let n = self.len(plan, src)?;
        let p = self.memory(plan, ctx, store, n * x / y)?.0;
        let mut s = vec![x as isize; kept + 1];
        for i in (0..kept).rev() {
            s[i] = if i == kept - 1 { y as isize } else { s[i + 1] * self.dims[to + i + 1].max(1) as isize };
        }
        self.copy_to(plan, ctx, src, At { ptr: p, strides: &s });
        self.strides[to..to + kept].copy_from_slice(&s[..kept]);
        self.ptr[dst as usize] = p;
        Ok(())
    }
    /// Copies between placed slots of one shape.
    pub(crate) fn copy_slot(&mut self, plan: &Plan, ctx: &Ctx, src: Slot, dst: Slot) {
        let mut to = std::mem::take(&mut self.flat);
        to.clear();
        to.extend_from_slice(self.strides(plan, dst));
        self.copy_to(plan, ctx, src, At { ptr: self.ptr[dst as usize], strides: &to });
        self.flat = to;
    }
    /// Copies `src` into the part of `dst` that starts `offset` bytes from its first element.
    fn copy_part(&mut self, plan: &Plan, ctx: &Ctx, src: Slot, dst: Slot, offset: isize) {
        let mut to = std::mem::take(&mut self.flat);
        to.clear();
        to.extend_from_slice(self.strides(plan, dst));
        self.copy_to(plan, ctx, src, At { ptr: self.ptr[dst as usize].at(offset), strides: &to });
        self.flat = to;
    }
    fn fill(&mut self, plan: &Plan, ctx: &Ctx, dst: Slot, value: Ptr) {
        let mut space = std::mem::take(&mut self.space);
        let size = plan.slots[dst as usize].dtype.size();
        // SAFETY: the slot is placed; the value is an element of its type.
        unsafe { fill_nd(ctx.pool, &mut space, self.dims(plan, dst), self.at(plan, dst), value.0, size) };
        self.space = space;
    }
    fn iota(&mut self, plan: &Plan, ctx: &mut Ctx, dst: Slot, axis: usize) -> Result<()> {
        self.place(plan, ctx, dst)?;
        let d = &plan.slots[dst as usize];
        let n = self.dims(plan, dst)[axis];
        if d.dims.len() == 1 && self.strides(plan, dst)[0] == d.dtype.size() as isize {
            // SAFETY: the slot is placed, and dense.
            unsafe { iota(d.dtype, n, self.ptr[dst as usize]) };
            return Ok(());
        }
        let p = self.packs[0].ensure(n * d.dtype.size())?;
        // SAFETY: the buffer has room; the copy below reads it along one axis.
        unsafe {
            iota(d.dtype, n, p);
            let mut from = std::mem::take(&mut self.flat);
            from.clear();
            from.resize(d.dims.len(), 0);
            from[axis] = d.dtype.size() as isize;
            let src = At { ptr: p, strides: &from };
            let mut space = std::mem::take(&mut self.space);
            crate::cpu::copy::copy_nd(
                ctx.pool,
                &mut space,
                self.dims(plan, dst),
                self.at(plan, dst),
                src,
                d.dtype.size(),
            );
            self.space = space;
            self.flat = from;
        }
        Ok(())
    }
    fn concat(&mut self, plan: &Plan, ctx: &mut Ctx, args: &[Slot], dst: Slot, axis: usize) -> Result<()> {
        self.place(plan, ctx, dst)?;
        let mut at = 0;
        for &a in args {
            self.copy_part(plan, ctx, a, dst, at as isize * self.strides(plan, dst)[axis]);
            at += self.dims(plan, a)[axis];
        }
        Ok(())
    }
    fn pad(&mut self, plan: &Plan, ctx: &mut Ctx, [src, value, dst]: [Slot; 3], by: [&[Ext]; 3]) -> Result<()> {
        self.place(plan, ctx, dst)?;
        let (rank, size) = (by[0].len(), plan.slots[src as usize].dtype.size());
        let (mut dims, mut from, mut to) = (vec![0; rank], vec![0; rank], vec![0; rank]);
        let (mut inside, mut gaps) = (vec![(0, 0); rank], false);
        let (mut p, mut q) = (self.ptr[src as usize], self.ptr[dst as usize]);
        for a in 0..rank {
            let n = self.dims(plan, src)[a];
            let (low, high, gap) = (self.ext(plan, by[0][a])?, self.ext(plan, by[1][a])?, self.ext(plan, by[2][a])?);
            let (first, count, place) =
                pad_axis(n, low, high, gap).ok_or_else(|| Error::new("E0405", "padding overflows 64 bits"))?;
            dims[a] = count;
            inside[a] = (place, count);
            gaps |= gap > 0 && count > 1;
            from[a] = self.strides(plan, src)[a];
            to[a] = self.strides(plan, dst)[a];
            p = p.at(first as isize * from[a]);
            q = q.at(place as isize * to[a]);
            to[a] *= gap as isize + 1;
        }
        // What the operand's elements do not cover.
        if gaps || dims.contains(&0) {
            self.fill(plan, ctx, dst, self.ptr[value as usize]);
        } else {
            let mut space = std::mem::take(&mut self.space);
            let (v, whole) = (self.ptr[value as usize], self.dims(plan, dst));
            // SAFETY: the slot is placed, and the box inside it; the value is an element of its type.
            unsafe { fill_outside(ctx.pool, &mut space, whole, self.at(plan, dst), &inside, v, size) };
            self.space = space;
        }
        let (d, s) = (At { ptr: q, strides: &to }, At { ptr: p, strides: &from });
        // SAFETY: `pad_axis` keeps both views inside their tensors.
        unsafe { crate::cpu::copy::copy_nd(ctx.pool, &mut self.space, &dims, d, s, size) };
        Ok(())
    }
    /// Byte offset of the part of `big` with the extents of `small` that starts at the clamped indices.
    fn clamped(&self, plan: &Plan, big: Slot, small: Slot, at: &[Slot]) -> isize {
        let mut o = 0;
        for (a, &i) in at.iter().enumerate() {
            let room = self.dims(plan, big)[a].saturating_sub(self.dims(plan, small)[a]);
            o += self.scalar(plan, i).clamp(0, room as i64) as isize * self.strides(plan, big)[a];
        }
        o
    }
    fn dynamic_slice(&mut self, plan: &Plan, src: Slot, dst: Slot, at: &[Slot]) -> Result<()> {
        self.len(plan, dst)?;
        let o = self.clamped(plan, src, dst, at);
        self.alias(plan, dst, src);
        self.ptr[dst as usize] = self.ptr[dst as usize].at(o);
        Ok(())
    }
    fn dynamic_update(
        &mut self,
        plan: &Plan,
        ctx: &mut Ctx,
        src: Slot,
        update: Slot,
        dst: Slot,
        at: &[Slot],
    ) -> Result<()> {
        self.place(plan, ctx, dst)?;
        if plan.slots[dst as usize].over == NONE {
            self.copy_slot(plan, ctx, src, dst);
        }
        let o = self.clamped(plan, dst, update, at);
        self.copy_part(plan, ctx, update, dst, o);
        Ok(())
    }
    fn embed_diag(&mut self, plan: &Plan, ctx: &mut Ctx, src: Slot, dst: Slot) -> Result<()> {
        self.place(plan, ctx, dst)?;
        let zero = [0u8; 16];
        self.fill(plan, ctx, dst, Ptr(zero.as_ptr().cast_mut()));
        let mut to: Vec<isize> = self.strides(plan, dst)[1..].to_vec();
        to[0] += self.strides(plan, dst)[0];
        self.copy_to(plan, ctx, src, At { ptr: self.ptr[dst as usize], strides: &to });
        Ok(())
    }
    fn triangle(&mut self, plan: &Plan, ctx: &mut Ctx, src: Slot, dst: Slot, k: i64, lower: bool) -> Result<()> {
        self.place(plan, ctx, dst)?;
        let size = plan.slots[src as usize].dtype.size();
        let mut space = std::mem::take(&mut self.space);
        let both = [self.at(plan, dst), self.at(plan, src)];
        // SAFETY: both slots are placed and have one shape; the result's storage is its own.
        unsafe { triangle(ctx.pool, &mut space, self.dims(plan, src), both, (k, lower), size) };
        self.space = space;
        Ok(())
    }
    fn arg(&mut self, plan: &Plan, ctx: &mut Ctx, src: Slot, dst: Slot, axis: usize, max: bool) -> Result<()> {
        self.place(plan, ctx, dst)?;
        let (n, step) = (self.dims(plan, src)[axis], self.strides(plan, src)[axis]);
        let count = self.len(plan, dst)?;
        if n == 0 && count > 0 {
            return Err(Error::new("E0716", format!("there is no largest or smallest element: axis {axis} is empty"))
                .help("state that the extent is at least 1 (`where n >= 1`)"));
        }
        let mut space = std::mem::take(&mut self.space);
        space.clear(2);
        let kept = (0..self.dims(plan, src).len()).filter(|&a| a != axis);
        for (i, a) in kept.enumerate() {
            let s = [self.strides(plan, src)[a], self.strides(plan, dst)[i]];
            space.push(self.dims(plan, src)[a], false, |k| s[k]);
        }
        let d = plan.slots[src as usize].dtype;
        // SAFETY: the loops are those of both slots.
        let ok = count == 0
            || unsafe { arg(ctx.pool, d, max, &space, n, step, self.ptr[src as usize], self.ptr[dst as usize]) };
        self.space = space;
        if ok { Ok(()) } else { Err(crate::cpu::unsupported(d)) }
    }
    /// A flag.
    pub(crate) fn flag(&self, s: Slot) -> bool {
        // SAFETY: the slot is a placed bool scalar.
        unsafe { self.ptr[s as usize].0.cast::<bool>().read() }
    }
    /// An integer scalar; `u64` beyond `i64` saturates.
    pub(crate) fn scalar(&self, plan: &Plan, s: Slot) -> i64 {
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
    fn check_true(&self, plan: &Plan, pred: Slot, message: &str) -> Result<()> {
        let t = self.tensor(plan, pred)?;
        crate::sizes::check::all_true(&t, message)
    }
}
