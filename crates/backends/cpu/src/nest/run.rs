//! Nests in a frame: bound where the sizes of all their slots are known, run on a table of numbers.
use std::sync::Arc;

use tfc_ir::{Code, Error, Result};

use super::build::{Needs, Nest, Number, Size};
use crate::compiled::Compiled;
use crate::machine::mem::Ptr;
use crate::run::control::{Running, Until};
use crate::run::frame::{Ctx, Frame};
use crate::scalars::program::copy_element;
use tfc_plan::plan::Loop;

/// Trips of the first call of a nest's code.
const FIRST_TRIPS: usize = 1 << 12;
/// How long a call may take so that the next one has twice as many trips.
const LOOK: std::time::Duration = std::time::Duration::from_millis(5);

/// A nest with its table.
#[derive(Debug)]
pub(crate) struct BoundNest {
    nest: Arc<Nest>,
    numbers: Vec<u64>,
}

impl BoundNest {
    /// Whether a loop inside it may run for ever.
    pub(crate) fn endless(&self) -> bool {
        self.nest.needs.endless
    }
}

impl Frame {
    /// Binds a loop that is a nest; `None` where it is none, and where a condition on extents does not hold somewhere in it: the
    /// steps say so when they run.
    pub(crate) fn bind_nest(&mut self, plan: &Compiled, l: &Loop) -> Option<BoundNest> {
        let nest = plan.nest(l)?;
        for s in &nest.needs.sizes {
            match s {
                Size::View(v) => self.sizes.view(plan, v).ok()?,
                Size::Cut(part, whole, axis) => {
                    self.len(plan, *part).ok()?;
                    self.cut(plan, *part, *whole, *axis as usize);
                }
                Size::Like(dst, src) => {
                    self.len(plan, *dst).ok()?;
                    self.lay_over(plan, *dst, *src);
                }
                Size::Guard(cond, what, code, span) => {
                    tfc_engine::shapes::check(&plan.func, self.env(), cond, *code, what, *span).ok()?;
                }
                Size::Some(s) => {
                    if self.len(plan, *s).ok()? == 0 {
                        return None;
                    }
                }
            }
        }
        Some(BoundNest { numbers: vec![0; nest.needs.numbers.len()], nest })
    }
    /// Runs trips from `t` on. Returns whether the loop has ended; if not, the next trip is one of those that the steps have to run,
    /// because the loop may not have so many.
    pub(crate) fn replay_nest(
        &mut self,
        plan: &Compiled,
        ctx: &mut Ctx,
        l: &Loop,
        (b, run): (&mut BoundNest, &mut Running),
        until: &Until,
        t: &mut usize,
    ) -> Result<bool> {
        let BoundNest { nest, numbers } = b;
        let needs = &nest.needs;
        let mut most = FIRST_TRIPS;
        loop {
            if until.trips == Some(*t) {
                return Ok(true);
            }
            ctx.look()?;
            if !until.may(*t, 1) {
                return Ok(false);
            }
            if *t >= run.room {
                self.more_room(plan, ctx, l, run, *t)?;
            }
            let inner = needs
                .stacks
                .iter()
                .map(|l| {
                    let trips = self.count(plan, l.trips)?;
                    self.start_stacks(plan, ctx, l, Some(trips))
                })
                .collect::<Result<Vec<Running>>>()?;
            // Between calls of the code it is asked whether the run may go on: soon, for trips may be long, then seldom, if they are not.
            let to = until.end().min(run.room).min(t.saturating_add(most));
            let since = std::time::Instant::now();
            for (n, x) in numbers.iter_mut().zip(&needs.numbers) {
                *n = self.nest_number(plan, needs, (run, &inner), *x, [*t, to, until.trips.unwrap_or(0)])?;
            }
            // SAFETY: slots from outside are placed with these extents and strides, stacks have room for the trips before `to`; views
            // lie inside what they are views of, and so do indices, which are moved there or asked for.
            unsafe { nest.code.nest(numbers) };
            if since.elapsed() < LOOK {
                most = most.saturating_mul(2);
            }
            let (start, mut over) = (*t, false);
            for (&n, x) in numbers.iter().zip(&needs.numbers) {
                match x {
                    Number::To => *t = n as usize,
                    Number::Over => over = n == 1,
                    _ => {}
                }
            }
            if *t > start {
                for &(i, n, size) in &needs.carried {
                    let to = run.carries[i as usize].0[(*t - 1) % 2];
                    // SAFETY: a buffer of the carried element, and a number, whose first bytes are the element.
                    unsafe { copy_element(to.0, numbers[n as usize..].as_ptr().cast(), size) };
                    for &q in &l.carries[i as usize].params {
                        self.ptr[q as usize] = to;
                    }
                }
            }
            if over {
                return Ok(true);
            }
        }
    }
    fn nest_number(
        &self,
        plan: &Compiled,
        needs: &Needs,
        (run, inner): (&Running, &[Running]),
        n: Number,
        [from, to, trips]: [usize; 3],
    ) -> Result<u64> {
        let address = |p: Ptr| p.0 as usize as u64;
        Ok(match n {
            Number::From => from as u64,
            Number::To => to as u64,
            Number::Over | Number::Carried(_) => 0,
            Number::Last => (trips as u64).wrapping_sub(1),
            Number::Trips(e) => self.count(plan, e)? as u64,
            Number::LastOf(e) => (self.count(plan, e)? as u64).wrapping_sub(1),
            Number::At(s) => address(self.ptr[s as usize]),
            Number::Stride(s, a) => self.strides(plan, s)[a as usize] as u64,
            Number::Room(big, small, a) => self.room(plan, big, small, a as usize) as u64,
            Number::Top(s, a) => (self.dims(plan, s)[a as usize] as u64).wrapping_sub(1),
            Number::Offset(v) => match needs.views.get(v as usize) {
                Some(v) => self.view_offset(plan, v, |_| 0)? as u64,
                None => return Err(Error::bug(Code::E0718, "a nest without one of its views")),
            },
            Number::Step(inner_loop, j) => {
                let r = inner_loop.map_or(Some(run), |k| inner.get(k as usize));
                let step = r.and_then(|r| r.ys.get(j as usize)).map(|y| y.1);
                step.ok_or_else(|| Error::bug(Code::E0718, "a nest without one of its stacks"))? as u64
            }
        })
    }
}
