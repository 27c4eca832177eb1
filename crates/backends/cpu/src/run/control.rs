//! Loops and calls. A loop hands its carries on by alternating between two buffers, or in one whose parts the body replaces; what it collects is computed in the stack
//! where the body can. From the third trip on its trips are bound (`replay_loop`) where extents and strides stay the same.
use tfc_ir::{Code, Error, Result, Tensor};

use super::frame::{Ctx, Frame};
use super::replay_loop::BoundLoop;
use crate::compiled::Compiled;
use crate::copy::At;
use crate::machine::mem::{OutBuf, Ptr};
use tfc_plan::plan::*;

/// What a loop knows while it runs.
#[derive(Debug, Default)]
pub(crate) struct Running {
    /// For each carry: addresses of its two buffers, dense strides.
    pub(crate) carries: Vec<([Ptr; 2], Vec<isize>)>,
    /// For each collected value: strides of an element, bytes from one trip (joined: from one index) to the next.
    pub(crate) ys: Vec<(Vec<isize>, isize)>,
    /// For each collected value that is joined: extents of the shares so far.
    shares: Vec<Vec<usize>>,
    /// Trips there is room for.
    pub(crate) room: usize,
    /// Stacks of scalars that stand side by side: number of the collected value, offset.
    side: Vec<(usize, isize)>,
    /// Bytes of one trip of these.
    row: isize,
}
/// When a loop ends.
pub(crate) struct Until {
    /// Trips of a scan.
    pub(crate) trips: Option<usize>,
    /// Most trips of a `while`, by its `max_trips`.
    limit: Option<u64>,
    /// Trips up to which there is fuel, where the loop itself keeps account of it.
    fuel: Option<u64>,
    /// From the last index to the first.
    pub(crate) reverse: bool,
}
impl Until {
    /// The index that trip `t` works on.
    pub(crate) fn index(&self, t: usize) -> usize {
        if self.reverse { self.trips.unwrap_or(0) - 1 - t } else { t }
    }
    /// The trip before which a scan ends, or up to which a limit allows trips.
    pub(crate) fn end(&self) -> usize {
        let most = self.limit.map_or(usize::MAX, |m| usize::try_from(m).unwrap_or(usize::MAX));
        self.trips.unwrap_or(usize::MAX).min(most)
    }
    /// Whether the limit on trips allows the trips `t .. t + n`.
    pub(crate) fn may(&self, t: usize, n: usize) -> bool {
        let end = (t as u64).saturating_add(n as u64);
        self.limit.is_none_or(|m| end <= m)
            && self.trips.is_none_or(|m| end <= m as u64)
            && self.fuel.is_none_or(|m| end <= m)
    }
    /// The same for a `while` that keeps account of fuel itself from trip `t` on: nothing else spends any in it.
    pub(crate) fn fuelled(&self, ctx: &Ctx, t: usize) -> Until {
        let fuel = ctx.fuel.filter(|_| self.trips.is_none()).map(|left| left.saturating_add(t as u64));
        Until { fuel, ..*self }
    }
    /// Checks that trip `t` of a `while` may begin.
    #[inline]
    pub(crate) fn begins(&self, ctx: &mut Ctx, t: usize) -> Result<()> {
        ctx.look()?;
        match (self.limit, self.fuel) {
            (Some(m), _) if t as u64 >= m => {
                let text = format!("`while` takes more than max_trips = {m} trips");
                Err(Error::new(Code::E0712, text).help("raise `max_trips`, or look at why `cond` stays true"))
            }
            (_, Some(m)) if t as u64 >= m => Err(super::frame::out_of_fuel(ctx.opt.fuel)),
            (_, Some(_)) => Ok(()),
            _ => ctx.spend(1),
        }
    }
}

impl Frame {
    /// Runs a loop, and keeps what it was bound to: from the start as bound where it is `known`, since its layout is that of the
    /// execution before; else from the third trip on where it can be.
    pub(crate) fn run_loop(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        l: &Loop,
        known: Option<Box<BoundLoop>>,
    ) -> Result<()> {
        ctx.loops += 1;
        let done = self.run_trips(plan, ctx, l, known);
        ctx.loops -= 1;
        done
    }
    fn run_trips(&mut self, plan: &Compiled, ctx: &mut Ctx, l: &Loop, mut known: Option<Box<BoundLoop>>) -> Result<()> {
        let trips = if l.cond.is_none() { Some(self.count(plan, l.trips)?) } else { None };
        let max = match l.max_trips {
            Some(e) => Some(self.count(plan, e)? as u64),
            None => None,
        };
        let until = Until { trips, limit: max, fuel: None, reverse: l.reverse };
        ctx.spend(trips.unwrap_or(0) as u64)?;
        if let (1, Some(p)) = (ctx.loops, &ctx.opt.progress) {
            p.begin(trips.map(|n| n as u64));
        }
        for c in &l.carries {
            for &p in &c.params {
                self.alias(plan, p, c.init);
            }
            self.alias(plan, c.result, c.init);
        }
        for &(x, i, axis) in &l.own {
            let n = match l.carries.get(i as usize) {
                Some(c) => self.dims(plan, c.init)[axis as usize],
                None => {
                    let (src, _, cut) = l.xs[i as usize - l.carries.len()];
                    self.dims(plan, src)[axis as usize + usize::from(axis >= cut)]
                }
            };
            self.bind(plan, x, n as i64);
        }
        let mut run = match &mut known {
            Some(b) => self.restart(plan, ctx, l, trips, std::mem::take(&mut b.run))?,
            None => self.start(plan, ctx, l, trips)?,
        };
        let steady = l
            .carries
            .iter()
            .zip(&run.carries)
            .all(|(c, r)| c.same || c.buffers == Buffers::One || self.strides(plan, c.init).iter().eq(&r.1));
        let mut ready = known.as_ref().is_some_and(|b| b.steady);
        let mut may = l.bindable && !ctx.plain;
        let mut t = 0usize;
        loop {
            if let Some(b) = known.as_mut().filter(|_| ready) {
                b.run = std::mem::take(&mut run);
                let done = self.replay_loop(plan, ctx, l, b, &until, &mut t);
                run = std::mem::take(&mut b.run);
                if done? {
                    break;
                }
                (known, ready, may) = (None, false, false);
            }
            let since = self.generation;
            match (&l.cond, trips) {
                (Some((cond, flag)), _) => {
                    self.block(plan, ctx, cond)?;
                    if !self.flag(*flag) {
                        break;
                    }
                    until.begins(ctx, t)?;
                }
                (None, n) if Some(t) == n => break,
                _ => ctx.look()?,
            }
            if t >= run.room {
                self.more_room(plan, ctx, l, &mut run, t)?;
            }
            self.trip(plan, ctx, l, &mut run, t, until.index(t))?;
            t += 1;
            ctx.reach(t);
            if may && t >= 2 && trips.is_none_or(|n| n > t) {
                if known.is_none() {
                    known = self.bind_loop(plan, ctx, l, (&run, since), steady)?.map(Box::new);
                }
                ready = known.is_some();
            }
        }
        ctx.reach(t);
        self.end_loop(plan, ctx, l, &run, t)?;
        if let Some(b) = &mut known {
            b.run = run;
        }
        self.loops[l.id as usize].bound = known;
        Ok(())
    }
    /// Results of a loop of `t` trips, and the extents that they bind.
    fn end_loop(&mut self, plan: &Compiled, ctx: &mut Ctx, l: &Loop, run: &Running, t: usize) -> Result<()> {
        self.end_joined(plan, ctx, l, run)?;
        for c in &l.carries {
            if let Some(&p) = c.params.last() {
                self.alias(plan, c.result, p);
            }
        }
        if let Some(x) = l.binds {
            self.bind(plan, x, t as i64);
        }
        let found = |frame: &Frame, r: usize, axis: usize| match l.carries.get(r) {
            Some(c) => c.params.last().and_then(|&p| frame.dims(plan, p).get(axis).copied()),
            None => {
                let j = r - l.carries.len();
                let y = l.ys.get(j).filter(|y| y.axis as usize == axis)?;
                Some(if y.joined { run.shares[j].iter().sum() } else { t })
            }
        };
        for &(r, axis, x) in &l.bound {
            if let Some(n) = found(self, r as usize, axis as usize) {
                self.bind(plan, x, n as i64);
            }
        }
        for g in &l.claims {
            if let Some((r, axis)) = g.found
                && let Some(n) = found(self, r, axis)
            {
                tfc_engine::shapes::found(&plan.func, self.env(), g, n, tfc_ir::Span::default())?;
            }
        }
        Ok(())
    }
    /// Joined values of a loop that ran backwards stand in the order of its trips: turns them round.
    fn end_joined(&mut self, plan: &Compiled, ctx: &mut Ctx, l: &Loop, run: &Running) -> Result<()> {
        for ((y, (_, step)), shares) in l.ys.iter().zip(&run.ys).zip(&run.shares).filter(|y| y.0.0.joined && l.reverse)
        {
            let total: usize = shares.iter().sum();
            let (step, bytes) = (*step as usize, total * *step as usize);
            let mut turned = crate::machine::mem::Buf::default();
            ctx.mem.change(bytes, 0, "joined values")?;
            let (to, from) = (turned.ensure(bytes)?, self.ptr[y.result as usize]);
            let mut at = total;
            let mut read = 0;
            for &n in shares {
                at -= n;
                // SAFETY: both hold `total` indices of `step` bytes; shares do not overlap.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        from.at((read * step) as isize).0,
                        to.at((at * step) as isize).0,
                        n * step,
                    )
                };
                read += n;
            }
            let old = self.replace(plan, y.store, turned);
            ctx.mem.change(0, old.capacity(), "joined values")?;
            self.ptr[y.result as usize] = to;
        }
        Ok(())
    }
    /// Appends this trip's share of joined values.
    fn append(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        y: &Collect,
        shape: (&[isize], isize),
        shares: &mut Vec<usize>,
    ) -> Result<()> {
        let (el, step) = shape;
        let n = self.dims(plan, y.yielded).last().copied().unwrap_or(0);
        let used: usize = shares.iter().sum();
        let bytes = (used.checked_add(n)).and_then(|m| m.checked_mul(step as usize));
        let bytes = bytes.ok_or_else(|| crate::machine::mem::Buf::exhausted(usize::MAX))?;
        let b = &self.bufs[plan.stores[y.store as usize].buf as usize];
        let p = if b.capacity() < bytes {
            let room = bytes.saturating_mul(2).max(256);
            self.grow(plan, ctx, y.store, [room, used * step as usize], "joined values")?
        } else {
            b.ptr()
        };
        self.ptr[y.result as usize] = p;
        self.copy_to(plan, ctx, y.yielded, At { ptr: p.at(used as isize * step), strides: el });
        shares.push(n);
        Ok(())
    }
    /// Buffers and stacks.
    fn start(&mut self, plan: &Compiled, ctx: &mut Ctx, l: &Loop, trips: Option<usize>) -> Result<Running> {
        let mut carries = vec![];
        for c in &l.carries {
            let mut s = vec![];
            if c.turns {
                self.turned(plan, c.init, &mut s);
            } else {
                self.packed(plan, c.init, &mut s);
            }
            if c.buffers == Buffers::Init {
                s.clear();
                s.extend_from_slice(self.strides(plan, c.init));
            }
            let mut p = [Ptr::NULL; 2];
            if !c.same && !c.grows {
                self.carry_memory(plan, ctx, c, trips, &mut p, &s)?;
            }
            carries.push((p, s));
        }
        Ok(Running { carries, ..self.start_stacks(plan, ctx, l, trips)? })
    }
    /// Stacks alone.
    pub(crate) fn start_stacks(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        l: &Loop,
        trips: Option<usize>,
    ) -> Result<Running> {
        let (side, row) = if trips.is_some() { l.beside(plan) } else { (vec![], 0) };
        let mut ys = vec![];
        for (j, y) in l.ys.iter().enumerate() {
            let (d, e) = (&plan.slots[y.result as usize], y.axis as usize);
            let mut step = d.dtype.size() as isize;
            let (rank, last_first) = (d.dims.len(), self.last_first());
            for i in 0..rank {
                let a = if last_first { rank - 1 - i } else { i };
                if a != e {
                    self.strides_mut(plan, y.result)[a] = step;
                    step *= self.count(plan, d.dims[a])?.max(1) as isize;
                }
            }
            let strides = self.strides(plan, y.result).iter().enumerate();
            let mut el: Vec<isize> = strides.filter(|x| x.0 != e).map(|x| *x.1).collect();
            self.strides_mut(plan, y.result)[e] = step;
            if y.joined {
                el.push(step);
                self.ptr[y.result as usize] = Ptr::NOTHING;
            } else if side.iter().any(|s| s.0 == j) {
                self.len(plan, y.result)?;
            } else if trips.is_some() {
                let n = self.len(plan, y.result)?;
                (self.ptr[y.result as usize], self.warm[y.result as usize]) = self.memory(plan, ctx, y.store, n)?;
            } else {
                self.ptr[y.result as usize] = Ptr::NOTHING;
            }
            ys.push((el, step));
        }
        for &(j, _) in &side {
            self.strides_mut(plan, l.ys[j].result)[0] = row;
            ys[j].1 = row;
        }
        let room = trips.unwrap_or(if l.ys.is_empty() { usize::MAX } else { 0 });
        let run = Running { carries: vec![], shares: vec![vec![]; ys.len()], ys, room, side, row };
        self.place_beside(ctx, l, trips, &run)?;
        Ok(run)
    }
    /// Memory of a carry, before the first of `trips`; where it has one buffer, the initial value is there afterwards.
    fn carry_memory(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        c: &Carry,
        trips: Option<usize>,
        at: &mut [Ptr; 2],
        strides: &[isize],
    ) -> Result<()> {
        let n = self.len(plan, c.init)?;
        match c.buffers {
            Buffers::Two => {
                for (p, &r) in at.iter_mut().zip(&c.stores).take(trips.unwrap_or(2).min(2)) {
                    *p = self.memory(plan, ctx, r, n)?.0;
                }
            }
            Buffers::One => {
                let ptr = self.memory(plan, ctx, c.stores[0], n)?.0;
                self.copy_to(plan, ctx, c.init, At { ptr, strides });
                *at = [ptr; 2];
                for &q in &c.params {
                    self.set(plan, q, ptr, strides);
                }
            }
            Buffers::Init => *at = [self.ptr[c.init as usize]; 2],
        }
        Ok(())
    }
    /// Memory of the stacks that stand side by side.
    fn place_beside(&mut self, ctx: &mut Ctx, l: &Loop, trips: Option<usize>, run: &Running) -> Result<()> {
        if run.side.is_empty() {
            return Ok(());
        }
        let bytes = trips.unwrap_or(0).checked_mul(run.row as usize);
        let bytes = bytes.ok_or_else(|| crate::machine::mem::Buf::exhausted(usize::MAX))?;
        let (p, warm) = self.stacks(ctx, l, bytes)?;
        for &(j, at) in &run.side {
            let s = l.ys[j].result as usize;
            (self.ptr[s], self.warm[s]) = (p.at(at), warm);
        }
        Ok(())
    }
    /// Brings addresses up to date for another execution with the same extents.
    fn restart(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        l: &Loop,
        trips: Option<usize>,
        mut run: Running,
    ) -> Result<Running> {
        for (c, (p, s)) in l.carries.iter().zip(&mut run.carries).filter(|c| !c.0.same) {
            self.carry_memory(plan, ctx, c, trips, p, s)?;
        }
        if trips.is_some() {
            let mut side = run.side.iter().peekable();
            for (j, y) in l.ys.iter().enumerate() {
                if side.next_if(|s| s.0 == j).is_some() {
                    continue;
                }
                let n = self.len(plan, y.result)?;
                (self.ptr[y.result as usize], self.warm[y.result as usize]) = self.memory(plan, ctx, y.store, n)?;
            }
            self.place_beside(ctx, l, trips, &run)?;
        }
        run.room = trips.unwrap_or(if l.ys.is_empty() { usize::MAX } else { 0 });
        Ok(run)
    }
    /// Grows the stacks of a `while`.
    pub(crate) fn more_room(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        l: &Loop,
        run: &mut Running,
        t: usize,
    ) -> Result<()> {
        let room = t.saturating_mul(2).max(16);
        for (y, (_, step)) in l.ys.iter().zip(&run.ys).filter(|y| !y.0.joined) {
            let step = *step as usize;
            let bytes = room.checked_mul(step).ok_or_else(|| crate::machine::mem::Buf::exhausted(usize::MAX))?;
            self.ptr[y.result as usize] = self.grow(plan, ctx, y.store, [bytes, t * step], "a stack")?;
        }
        run.room = room;
        Ok(())
    }
    fn trip(&mut self, plan: &Compiled, ctx: &mut Ctx, l: &Loop, run: &mut Running, t: usize, i: usize) -> Result<()> {
        for &(src, p, axis) in &l.xs {
            let step = self.strides(plan, src)[axis as usize];
            self.ptr[p as usize] = self.ptr[src as usize].at(i as isize * step);
            self.cut(plan, p, src, axis as usize);
        }
        for (c, (p, s)) in l.carries.iter().zip(&run.carries).filter(|c| c.0.direct) {
            self.set(plan, c.yielded, p[t % 2], s);
            self.warm[c.yielded as usize] = t >= 2;
        }
        for (y, (el, step)) in l.ys.iter().zip(&run.ys).filter(|y| y.0.direct) {
            self.set(plan, y.yielded, self.ptr[y.result as usize].at(i as isize * step), el);
            self.warm[y.yielded as usize] = self.warm[y.result as usize];
        }
        self.block(plan, ctx, &l.body)?;
        for (j, (y, (el, step))) in l.ys.iter().zip(&run.ys).enumerate().filter(|y| !y.1.0.direct) {
            if y.joined {
                self.append(plan, ctx, y, (el, *step), &mut run.shares[j])?;
                continue;
            }
            let ptr = self.ptr[y.result as usize].at(i as isize * step);
            self.copy_to(plan, ctx, y.yielded, At { ptr, strides: el });
        }
        for (c, (p, s)) in l.carries.iter().zip(&mut run.carries).filter(|c| !c.0.same && !c.0.direct) {
            if c.grows {
                let n = self.len(plan, c.yielded)?;
                self.packed(plan, c.yielded, s);
                // Room to spare, so that what grows a little each trip is not allocated each trip.
                let spare = if plan.stores[c.stores[t % 2] as usize].escapes { 0 } else { n / 2 };
                p[t % 2] = self.memory(plan, ctx, c.stores[t % 2], n.saturating_add(spare))?.0;
            }
            self.copy_to(plan, ctx, c.yielded, At { ptr: p[t % 2], strides: s });
        }
        if !l.own.is_empty() {
            // All are read before any is bound: what is yielded may be as long as what came in says.
            let size =
                |o: &(_, u32, u32)| Some((o.0, self.dims(plan, l.carries.get(o.1 as usize)?.yielded)[o.2 as usize]));
            let new: Vec<_> = l.own.iter().filter_map(size).collect();
            for (x, n) in new {
                self.bind(plan, x, n as i64);
            }
        }
        for (c, (p, s)) in l.carries.iter().zip(&run.carries).filter(|c| !c.0.same) {
            for &q in &c.params {
                self.set(plan, q, p[t % 2], s);
            }
        }
        Ok(())
    }
    /// Says where a slot is.
    pub(crate) fn set(&mut self, plan: &Compiled, s: Slot, p: Ptr, strides: &[isize]) {
        self.ptr[s as usize] = p;
        self.strides_mut(plan, s).copy_from_slice(strides);
    }
    /// Runs a callee in a frame of its own.
    pub(crate) fn call(&mut self, plan: &Compiled, ctx: &mut Ctx, c: &Call) -> Result<()> {
        let callees = ctx.callees;
        let Some(callee) = callees.get(c.plan as usize) else {
            return Err(Error::bug(Code::E0718, format!("@{} has no plan", c.name)));
        };
        let mut syms = vec![];
        for &e in &c.syms {
            syms.push(Some(self.count(plan, e)? as i64));
        }
        let (at, mut child) = ctx.frames.take(self, c, callee);
        let again = child.enter(callee, &syms) && callee.by_exist.is_empty();
        let mut same = again;
        for (&a, &p) in c.args.iter().zip(&callee.params) {
            same &= child.strides(callee, p).iter().eq(self.strides(plan, a));
            child.set(callee, p, self.ptr[a as usize], self.strides(plan, a));
        }
        same &= !child.orient(callee, self.last_first());
        let asked = if again { Ok(()) } else { tfc_engine::shapes::check_wheres(&callee.func, child.env()) };
        let done = asked.and_then(|()| child.body(callee, ctx, same)).and_then(|()| child.check_header(callee));
        if done.is_ok() {
            for &(r, axis, x) in &c.binds {
                let n = child.dims(callee, callee.results[r as usize])[axis as usize];
                self.bind(plan, x, n as i64);
            }
            for (&r, &s) in c.results.iter().zip(&callee.results) {
                self.place(plan, ctx, r)?;
                let to = self.strides(plan, r).to_vec();
                child.copy_to(callee, ctx, s, At { ptr: self.ptr[r as usize], strides: &to });
            }
        }
        ctx.frames.put(at, callee, child);
        done
    }
    /// A slot's elements as a tensor of its own.
    pub(crate) fn tensor(&self, plan: &Compiled, s: Slot) -> Result<Tensor> {
        let n = self.len(plan, s)?;
        let d = &plan.slots[s as usize];
        let dims = self.dims(plan, s).to_vec();
        let mut o = OutBuf::new(d.dtype, n)?;
        let size = d.dtype.size() as isize;
        let strides = tfc_ir::tensor::column_major(&dims);
        let bytes: Vec<isize> = strides.iter().map(|s| s * size).collect();
        let mut space = tfc_plan::space::Space::default();
        let one = crate::machine::pool::Pool::new(1);
        // SAFETY: fresh storage of the slot's size, written whole before it becomes a tensor.
        let data = unsafe {
            crate::copy::copy_nd(
                &one,
                &mut space,
                &dims,
                At { ptr: o.ptr(), strides: &bytes },
                self.at(plan, s),
                size as usize,
            );
            o.finish()
        };
        Tensor::view(data, dims, strides, 0)
    }
}
