//! Loops and calls: decided by the host. A loop hands its carries on by alternating between two buffers, or in one whose parts the
//! body replaces; what it collects is computed in the stack where the body can.
use tfc_ir::{Code, Error, Result, Span};
use tfc_plan::plan::*;

use super::frame::{At, Buf, Ctx, Frame};
use crate::device::Ptr;

/// What a loop knows while it runs.
#[derive(Debug, Default)]
struct Running {
    /// For each carry: addresses of its two buffers, dense strides.
    carries: Vec<([Ptr; 2], Vec<isize>)>,
    /// For each collected value: strides of an element, bytes from one trip (joined: from one index) to the next.
    ys: Vec<(Vec<isize>, isize)>,
    /// For each collected value that is joined: extents of the shares so far.
    shares: Vec<Vec<usize>>,
    /// Trips there is room for.
    room: usize,
}

impl<'p> Frame<'p> {
    /// Runs a loop.
    ///
    /// # Errors
    /// `E0712`, `E0713` too many trips; what its steps report.
    pub fn run_loop(&mut self, ctx: &mut Ctx, l: &'p Loop) -> Result<()> {
        let plan = self.plan();
        let trips = if l.cond.is_none() { Some(self.sizes.count(plan, l.trips)?) } else { None };
        let limit = match l.max_trips {
            Some(e) => Some(self.sizes.count(plan, e)?),
            None => None,
        };
        ctx.spend(trips.unwrap_or(0) as u64)?;
        for c in &l.carries {
            c.params.iter().for_each(|&p| self.alias(p, c.init));
            self.alias(c.result, c.init);
        }
        for &(x, i, axis) in &l.own {
            let n = match l.carries.get(i as usize) {
                Some(c) => self.dims(c.init)[axis as usize],
                None => {
                    let (src, _, cut) = l.xs[i as usize - l.carries.len()];
                    self.dims(src)[axis as usize + usize::from(axis >= cut)]
                }
            };
            self.sizes.bind(plan, x, n as i64);
        }
        let mut run = self.start(ctx, l, trips)?;
        let mut t = 0usize;
        loop {
            match (&l.cond, trips) {
                (Some((cond, flag)), _) => {
                    self.block(ctx, cond)?;
                    if !self.flag(ctx, *flag)? {
                        break;
                    }
                    if let Some(m) = limit.filter(|&m| t >= m) {
                        let text = format!("`while` takes more than max_trips = {m} trips");
                        return Err(
                            Error::new(Code::E0712, text).help("raise `max_trips`, or look at why `cond` stays true")
                        );
                    }
                    ctx.spend(1)?;
                }
                (None, n) if Some(t) == n => break,
                _ => {}
            }
            if t >= run.room {
                self.more_room(ctx, l, &mut run, t)?;
            }
            let i = if l.reverse { trips.unwrap_or(0) - 1 - t } else { t };
            self.trip(ctx, l, &mut run, t, i)?;
            t += 1;
        }
        self.end_loop(ctx, l, &run, t)
    }
    /// Results of a loop of `t` trips, and the extents that they bind.
    fn end_loop(&mut self, ctx: &mut Ctx, l: &Loop, run: &Running, t: usize) -> Result<()> {
        let plan = self.plan();
        self.end_joined(ctx, l, run)?;
        for c in &l.carries {
            if let Some(&p) = c.params.last() {
                self.alias(c.result, p);
            }
        }
        if let Some(x) = l.binds {
            self.sizes.bind(plan, x, t as i64);
        }
        let found = |frame: &Frame, r: usize, axis: usize| match l.carries.get(r) {
            Some(c) => c.params.last().and_then(|&p| frame.dims(p).get(axis).copied()),
            None => {
                let j = r - l.carries.len();
                let y = l.ys.get(j).filter(|y| y.axis as usize == axis)?;
                Some(if y.joined { run.shares[j].iter().sum() } else { t })
            }
        };
        for &(r, axis, x) in &l.bound {
            if let Some(n) = found(self, r as usize, axis as usize) {
                self.sizes.bind(plan, x, n as i64);
            }
        }
        for g in &l.claims {
            if let Some((r, axis)) = g.found
                && let Some(n) = found(self, r, axis)
            {
                tfc_engine::shapes::found(&plan.func, self.sizes.env(), g, n, Span::default())?;
            }
        }
        Ok(())
    }
    /// Joined values of a loop that ran backwards stand in the order of its trips: turns them round.
    fn end_joined(&mut self, ctx: &mut Ctx, l: &Loop, run: &Running) -> Result<()> {
        for ((y, (_, step)), shares) in l.ys.iter().zip(&run.ys).zip(&run.shares).filter(|y| y.0.0.joined && l.reverse)
        {
            let total: usize = shares.iter().sum();
            let step = *step as usize;
            if total * step == 0 {
                continue;
            }
            let from = self.ptr[y.result as usize];
            // A copy in the order of trips, from which the stack is written anew.
            let copy = Buf { at: ctx.alloc(total * step)?, bytes: total * step };
            self.bytes(ctx, from, copy.at, copy.bytes)?;
            let (mut at, mut read) = (total, 0);
            for &n in shares.iter().filter(|&&n| n > 0) {
                at -= n;
                self.bytes(ctx, copy.at.at((read * step) as isize), from.at((at * step) as isize), n * step)?;
                read += n;
            }
            ctx.free(copy.at, copy.bytes);
        }
        Ok(())
    }
    /// Appends this trip's share of joined values.
    fn append(&mut self, ctx: &mut Ctx, y: &Collect, shape: (&[isize], isize), shares: &mut Vec<usize>) -> Result<()> {
        let (el, step) = shape;
        let n = self.dims(y.yielded).last().copied().unwrap_or(0);
        let used: usize = shares.iter().sum();
        let bytes = used.checked_add(n).and_then(|m| m.checked_mul(step as usize));
        let bytes = bytes.ok_or_else(|| Error::new(Code::E0406, "joined values are too large"))?;
        if bytes > 0 {
            let room = if self.held(y.store) < bytes { bytes.saturating_mul(2).max(256) } else { bytes };
            let p = self.grow(ctx, y.store, room, used * step as usize)?;
            self.ptr[y.result as usize] = p;
            self.copy_to(ctx, y.yielded, At { ptr: p.at(used as isize * step), strides: el })?;
        }
        shares.push(n);
        Ok(())
    }
    /// Buffers and stacks.
    fn start(&mut self, ctx: &mut Ctx, l: &Loop, trips: Option<usize>) -> Result<Running> {
        let plan = self.plan();
        let mut carries = vec![];
        for c in &l.carries {
            let mut s = vec![];
            self.sizes.packed(plan, c.init, &mut s);
            if c.buffers == Buffers::Init {
                s = self.strides(c.init).to_vec();
            }
            let mut p = [Ptr::default(); 2];
            if !c.same && !c.grows {
                self.carry_memory(ctx, c, trips, &mut p, &s)?;
            }
            carries.push((p, s));
        }
        let mut ys = vec![];
        for y in &l.ys {
            let (d, e) = (self.decl(y.result), y.axis as usize);
            let mut el = vec![];
            let mut step = d.dtype.size() as isize;
            for a in (0..d.dims.len()).filter(|&a| a != e) {
                self.sizes.strides_mut(plan, y.result)[a] = step;
                el.push(step);
                step *= self.sizes.count(plan, d.dims[a])?.max(1) as isize;
            }
            self.sizes.strides_mut(plan, y.result)[e] = step;
            self.ptr[y.result as usize] = Ptr::default();
            if y.joined {
                el.push(step);
            } else if trips.is_some() {
                let n = self.len(y.result)?;
                self.ptr[y.result as usize] = self.memory(ctx, y.store, n)?;
            }
            ys.push((el, step));
        }
        let room = trips.unwrap_or(if l.ys.is_empty() { usize::MAX } else { 0 });
        Ok(Running { carries, shares: vec![vec![]; ys.len()], ys, room })
    }
    /// Memory of a carry, before the first of `trips`; where it has one buffer, the initial value is there afterwards.
    fn carry_memory(
        &mut self,
        ctx: &mut Ctx,
        c: &Carry,
        trips: Option<usize>,
        at: &mut [Ptr; 2],
        strides: &[isize],
    ) -> Result<()> {
        let n = self.len(c.init)?;
        match c.buffers {
            Buffers::Two => {
                for (p, &r) in at.iter_mut().zip(&c.stores).take(trips.unwrap_or(2).min(2)) {
                    *p = self.memory(ctx, r, n)?;
                }
            }
            Buffers::One => {
                let ptr = self.memory(ctx, c.stores[0], n)?;
                self.copy_to(ctx, c.init, At { ptr, strides })?;
                *at = [ptr; 2];
                for &q in &c.params {
                    self.set(q, ptr, strides);
                }
            }
            Buffers::Init => *at = [self.ptr[c.init as usize]; 2],
        }
        Ok(())
    }
    /// Grows the stacks of a `while`.
    fn more_room(&mut self, ctx: &mut Ctx, l: &Loop, run: &mut Running, t: usize) -> Result<()> {
        let room = t.saturating_mul(2).max(16);
        for (y, (_, step)) in l.ys.iter().zip(&run.ys).filter(|y| !y.0.joined) {
            let step = *step as usize;
            let bytes = room.checked_mul(step).ok_or_else(|| Error::new(Code::E0406, "a stack is too large"))?;
            self.ptr[y.result as usize] = self.grow(ctx, y.store, bytes.max(1), t * step)?;
        }
        run.room = room;
        Ok(())
    }
    fn trip(&mut self, ctx: &mut Ctx, l: &'p Loop, run: &mut Running, t: usize, i: usize) -> Result<()> {
        let plan = self.plan();
        for &(src, p, axis) in &l.xs {
            let step = self.strides(src)[axis as usize];
            self.ptr[p as usize] = self.ptr[src as usize].at(i as isize * step);
            self.sizes.cut(plan, p, src, axis as usize);
        }
        for (c, (p, s)) in l.carries.iter().zip(&run.carries).filter(|c| c.0.direct) {
            self.set(c.yielded, p[t % 2], s);
        }
        for (y, (el, step)) in l.ys.iter().zip(&run.ys).filter(|y| y.0.direct) {
            self.set(y.yielded, self.ptr[y.result as usize].at(i as isize * step), el);
        }
        self.block(ctx, &l.body)?;
        for (j, (y, (el, step))) in l.ys.iter().zip(&run.ys).enumerate().filter(|y| !y.1.0.direct) {
            if y.joined {
                self.append(ctx, y, (el, *step), &mut run.shares[j])?;
                continue;
            }
            let ptr = self.ptr[y.result as usize].at(i as isize * step);
            self.copy_to(ctx, y.yielded, At { ptr, strides: el })?;
        }
        for (c, (p, s)) in l.carries.iter().zip(&mut run.carries).filter(|c| !c.0.same && !c.0.direct) {
            if c.grows {
                let n = self.len(c.yielded)?;
                self.sizes.packed(plan, c.yielded, s);
                // Room to spare, so that what grows a little each trip is not allocated each trip.
                let spare = if plan.stores[c.stores[t % 2] as usize].escapes { 0 } else { n / 2 };
                p[t % 2] = self.memory(ctx, c.stores[t % 2], n.saturating_add(spare))?;
            }
            self.copy_to(ctx, c.yielded, At { ptr: p[t % 2], strides: s })?;
        }
        if !l.own.is_empty() {
            // All are read before any is bound: what is yielded may be as long as what came in says.
            let size = |o: &(_, u32, u32)| Some((o.0, self.dims(l.carries.get(o.1 as usize)?.yielded)[o.2 as usize]));
            let new: Vec<_> = l.own.iter().filter_map(size).collect();
            for (x, n) in new {
                self.sizes.bind(plan, x, n as i64);
            }
        }
        for (c, (p, s)) in l.carries.iter().zip(&run.carries).filter(|c| !c.0.same) {
            for &q in &c.params {
                self.set(q, p[t % 2], s);
            }
        }
        Ok(())
    }
    /// Runs a callee in a frame of its own.
    ///
    /// # Errors
    /// What it reports.
    pub fn call(&mut self, ctx: &mut Ctx, c: &Call) -> Result<()> {
        let all = ctx.all;
        let Some(callee) = all.get(c.plan as usize) else {
            return Err(Error::bug(Code::E0718, format!("@{} has no plan", c.name)));
        };
        let plan = self.plan();
        let syms = c.syms.iter().map(|&e| Ok(Some(self.sizes.count(plan, e)? as i64))).collect::<Result<Vec<_>>>()?;
        let mut child = Frame::new(callee, ctx.consts(c.plan as usize));
        child.sizes.enter(&callee.plan, &syms);
        for (&a, &p) in c.args.iter().zip(&callee.plan.params) {
            child.set(p, self.ptr[a as usize], self.strides(a));
        }
        let done = self.called(ctx, c, &mut child);
        child.release(ctx);
        done
    }
    fn called(&mut self, ctx: &mut Ctx, c: &Call, child: &mut Frame) -> Result<()> {
        let (plan, callee) = (self.plan(), child.plan());
        tfc_engine::shapes::check_wheres(&callee.func, child.sizes.env())?;
        child.block(ctx, &callee.body)?;
        child.sizes.check_header(callee)?;
        for &(r, axis, x) in &c.binds {
            let n = child.dims(callee.results[r as usize])[axis as usize];
            self.sizes.bind(plan, x, n as i64);
        }
        for (&r, &s) in c.results.iter().zip(&callee.results) {
            self.place(ctx, r)?;
            child.copy_to(ctx, s, self.at(r))?;
        }
        Ok(())
    }
}
