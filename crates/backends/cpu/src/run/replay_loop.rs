//! Loops whose trips are bound: from the second or third trip on a trip moves addresses, replays the body and nothing else.
//! Carried values alternate between two buffers, cut and collected values advance by a stride.
use tfc_ir::Result;

use super::control::{Running, Until};
use super::frame::{Ctx, Frame, Generation};
use super::replay::BoundBlock;
use crate::compiled::Compiled;
use crate::copy::At;
use crate::machine::mem::{Buf, Ptr};
use crate::nest::run::BoundNest;
use crate::scalars::loops::ScalarLoop;
use tfc_plan::plan::*;

/// What a loop keeps from one execution to the next.
#[derive(Debug, Default)]
pub(crate) struct KeptLoop {
    /// What it was bound to when it last ran.
    pub(crate) bound: Option<Box<BoundLoop>>,
    /// Stacks of scalars that stand side by side.
    pub(crate) stacks: Buf,
}
/// What is known of a loop once two trips have run.
#[derive(Debug)]
pub(crate) struct BoundLoop {
    /// Buffers and stacks, kept from one execution to the next.
    pub(crate) run: Running,
    /// Initial values have the strides of carried ones, so that the first trip is like every other.
    pub(crate) steady: bool,
    cond: Option<BoundBlock>,
    body: BoundBlock,
    /// Cut values: parameter, source, bytes from one trip to the next.
    xs: Vec<(Slot, Slot, isize)>,
    /// Bytes of carried values that are copied, where they are contiguous; bytes of collected ones.
    carries: Vec<Option<usize>>,
    ys: Vec<Option<usize>>,
    /// The whole trip is arithmetic on scalars.
    scalars: Option<Box<ScalarLoop>>,
    /// The whole loop is code.
    nest: Option<Box<BoundNest>>,
    /// Extents and strides of all that its steps name, as they were.
    sizes: Vec<i64>,
}

impl Frame {
    /// Binds a loop after at least two trips, the last of which began in generation `since`.
    pub(crate) fn bind_loop(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        l: &Loop,
        (run, since): (&Running, Generation),
        steady: bool,
    ) -> Result<Option<BoundLoop>> {
        let Some(body) = self.bind_block(plan, ctx, &l.body, since)? else { return Ok(None) };
        let cond = match &l.cond {
            Some((c, _)) => self.bind_block(plan, ctx, c, since)?,
            None => None,
        };
        let stride = |f: &Frame, s: Slot, axis: u32| f.strides(plan, s)[axis as usize];
        let xs = l.xs.iter().map(|&(src, p, axis)| (p, src, stride(self, src, axis))).collect();
        let bytes = |f: &Frame, s: Slot, to: &[isize]| -> Result<Option<usize>> {
            let n = f.len(plan, s)?;
            let (dims, own) = (f.dims(plan, s), f.strides(plan, s));
            let mut axes: Vec<(isize, usize)> = vec![];
            for ((&d, &a), &b) in dims.iter().zip(own).zip(to) {
                if d != 1 && a != b {
                    return Ok(None);
                }
                if d != 1 {
                    axes.push((a, d));
                }
            }
            axes.sort_unstable();
            let mut step = plan.slots[s as usize].dtype.size() as isize;
            let dense = axes.iter().all(|&(s, d)| {
                let ok = s == step;
                step *= d as isize;
                ok
            });
            Ok(dense.then_some(n * plan.slots[s as usize].dtype.size()))
        };
        let carries =
            l.carries.iter().zip(&run.carries).map(|(c, r)| bytes(self, c.yielded, &r.1)).collect::<Result<_>>()?;
        let ys = l.ys.iter().zip(&run.ys).map(|(y, r)| bytes(self, y.yielded, &r.0)).collect::<Result<_>>()?;
        let scalars = match (body.only_scalars(), &cond) {
            (Some(b), None) => self.scalar_loop(plan, l, b, None)?,
            (Some(b), Some(c)) => match c.only_scalars() {
                Some(c) => self.scalar_loop(plan, l, b, Some(c))?,
                None => None,
            },
            _ => None,
        };
        let nest = match &scalars {
            Some(s) if s.joins_trips() => None,
            _ => self.bind_nest(plan, l).map(Box::new),
        };
        let (run, scalars) = (Running::default(), scalars.map(Box::new));
        let mut sizes = vec![];
        self.sizes_named(plan, l, &mut |x| sizes.push(x));
        Ok(Some(BoundLoop { run, steady, cond, body, xs, carries, ys, scalars, nest, sizes }))
    }
    /// Extents and strides of all that the steps of a loop name, in order.
    fn sizes_named(&self, plan: &Compiled, l: &Loop, f: &mut dyn FnMut(i64)) {
        let Some(named) = plan.named(l) else { return };
        for &s in &named.slots {
            self.dims(plan, s).iter().for_each(|&n| f(n as i64));
            self.strides(plan, s).iter().for_each(|&x| f(x as i64));
        }
        // One that is not known is like no other.
        named.exts.iter().for_each(|&e| f(self.ext(plan, e).unwrap_or(i64::MIN)));
    }
    /// What a loop was bound to when it last ran, if everything has the extents and strides that it had then. A condition on extents
    /// is asked each time, so that a loop with one begins anew.
    pub(crate) fn bound_as_before(&mut self, plan: &Compiled, l: &Loop) -> Option<Box<BoundLoop>> {
        let bound = self.loops.get_mut(l.id as usize)?.bound.take()?;
        let asks = plan.named(l).is_none_or(|n| n.guarded);
        if asks || !bound.body.is_of(self.generation) {
            return None;
        }
        let (mut old, mut same) = (bound.sizes.iter(), true);
        self.sizes_named(plan, l, &mut |x| same &= old.next() == Some(&x));
        (same && old.next().is_none()).then_some(bound)
    }
    /// Runs trips from `t` on until the loop ends; false: the binding has ceased to hold, and trips before `t` have run.
    pub(crate) fn replay_loop(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        l: &Loop,
        b: &mut BoundLoop,
        until: &Until,
        t: &mut usize,
    ) -> Result<bool> {
        // Code does not count the trips of inner loops, nor does it look at a clock.
        if let Some(nest) = b.nest.as_mut().filter(|n| ctx.fuel.is_none() && !(n.endless() && ctx.timed()))
            && self.replay_nest(plan, ctx, l, (nest, &mut b.run), until, t)?
        {
            return Ok(true);
        }
        if let Some(mut s) = b.scalars.take() {
            let done = self.replay_scalars(plan, ctx, l, &mut s, &mut b.run, until, t);
            b.scalars = Some(s);
            return done.map(|()| true);
        }
        loop {
            let mut holds = true;
            match (&l.cond, &mut b.cond) {
                (Some((steps, flag)), Some(c)) => {
                    if let Some(k) = self.replay(plan, ctx, steps, c)? {
                        holds = false;
                        self.block(plan, ctx, &steps[k..])?;
                    }
                    if !self.flag(*flag) {
                        return Ok(true);
                    }
                    until.begins(ctx, *t)?;
                }
                _ if until.trips == Some(*t) => return Ok(true),
                _ => ctx.look()?,
            }
            if *t >= b.run.room {
                self.more_room(plan, ctx, l, &mut b.run, *t)?;
            }
            let i = until.index(*t);
            holds &= self.replay_trip(plan, ctx, l, b, *t, i)?;
            *t += 1;
            ctx.reach(*t);
            if !holds {
                return Ok(false);
            }
        }
    }
    fn replay_trip(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        l: &Loop,
        b: &mut BoundLoop,
        t: usize,
        i: usize,
    ) -> Result<bool> {
        for &(p, src, step) in &b.xs {
            self.ptr[p as usize] = self.ptr[src as usize].at(i as isize * step);
        }
        for (c, (p, _)) in l.carries.iter().zip(&b.run.carries).filter(|c| c.0.direct) {
            self.ptr[c.yielded as usize] = p[t % 2];
            self.warm[c.yielded as usize] = true;
        }
        for (y, (_, step)) in l.ys.iter().zip(&b.run.ys).filter(|y| y.0.direct) {
            self.ptr[y.yielded as usize] = self.ptr[y.result as usize].at(i as isize * step);
            self.warm[y.yielded as usize] = self.warm[y.result as usize];
        }
        let rest = self.replay(plan, ctx, &l.body, &mut b.body)?;
        if let Some(k) = rest {
            self.block(plan, ctx, &l.body[k..])?;
        }
        // Where the binding has ceased to hold, yielded values may have other strides.
        let plain = rest.is_some();
        for ((y, (el, step)), &n) in l.ys.iter().zip(&b.run.ys).zip(&b.ys).filter(|y| !y.0.0.direct) {
            let ptr: Ptr = self.ptr[y.result as usize].at(i as isize * step);
            self.copy_bound(plan, ctx, y.yielded, At { ptr, strides: el }, n.filter(|_| !plain));
        }
        for ((c, (p, s)), &n) in
            l.carries.iter().zip(&b.run.carries).zip(&b.carries).filter(|c| !c.0.0.same && !c.0.0.direct)
        {
            self.copy_bound(plan, ctx, c.yielded, At { ptr: p[t % 2], strides: s }, n.filter(|_| !plain));
        }
        for (c, (p, _)) in l.carries.iter().zip(&b.run.carries).filter(|c| !c.0.same) {
            for &q in &c.params {
                self.ptr[q as usize] = p[t % 2];
            }
        }
        Ok(!plain)
    }
}
