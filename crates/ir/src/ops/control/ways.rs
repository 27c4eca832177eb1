//! Branches and loops that go another way at each index. A branch runs for the indices that take it, a loop for those that are still
//! under way: what belongs to these is gathered, the batch axis in front, and results are scattered to their places. A region is run
//! for other indices too only where that can neither fail nor last, and what it gives them is dropped: branches that cost little, and
//! trips of indices that have ended, until they are half of all at hand.
use super::{COND, WHILE};
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::batch::{Batched, Batcher, refused};
use crate::builder::Builder;
use crate::diag::Result;
use crate::extent::Extent;
use crate::func::{Func, Op, OpId, RegionId, ValueId};
use crate::op::{Batch, Effect, Loops, NewOp};
use crate::ops::constant::IOTA;
use crate::ops::extents::{CHECK, DIM_VALUE};
use crate::ops::index::{NONZERO, put_rows, rows};
use crate::types::Type;

/// Refuses regions whose parameters have extents of their own, which are the same for all indices only where all go one way.
fn no_own_extents(cx: &Batcher, op: &Op) -> Result<()> {
    for &r in &op.regions {
        let region = cx.src.region(r);
        let own = |v: &ValueId| cx.src.ty(*v).dims.iter().any(|d| cx.src.bound_within(d, r));
        if !region.wheres.is_empty() || region.params.iter().chain(&region.yields).any(own) {
            return Err(refused(op, "what it carries would be of another extent at each index"));
        }
    }
    Ok(())
}
/// What regions use from outside that differs from index to index.
fn captured(cx: &Batcher, regions: &[RegionId]) -> Result<Vec<ValueId>> {
    let mut out: Vec<ValueId> = vec![];
    for v in regions.iter().flat_map(|&r| cx.src.captures(r)) {
        if cx.value(v)?.axis.is_some() && !out.contains(&v) {
            out.push(v);
        }
    }
    Ok(out)
}
fn number(b: &mut Builder, e: &Extent) -> Result<ValueId> {
    b.emit1(NewOp::new(&DIM_VALUE, &[]).attr("extent", Attr::extent(e.clone())))
}
fn some(b: &mut Builder, e: &Extent) -> Result<ValueId> {
    let n = number(b, e)?;
    let none = b.splat(&Type::scalar(DType::I64), 0.0)?;
    b.gt(n, none)
}
/// The places of the indices where `p` holds, and how many there are.
fn places(b: &mut Builder, p: ValueId) -> Result<(ValueId, Extent)> {
    let at = b.emit1(NewOp::new(&NONZERO, &[p]))?;
    Ok((at, b.func().ty(at).dims[0].clone()))
}
/// `x` where `p` holds of the index, else `y`.
fn pick(b: &mut Builder, p: ValueId, x: ValueId, y: ValueId) -> Result<ValueId> {
    if x == y {
        return Ok(x);
    }
    let wide = b.ty(x).with_dtype(DType::Bool);
    let p = if wide.rank() == 1 { p } else { b.broadcast(p, &wide, &[0])? };
    b.select(p, x, y)
}
/// The same at every index.
fn spread(b: &mut Builder, x: ValueId, each: &Extent) -> Result<ValueId> {
    let ty = b.ty(x);
    let dims: Vec<usize> = (1..=ty.rank()).collect();
    b.broadcast(x, &ty.with_axis(0, each.clone()), &dims)
}

/// Whether a region costs little more than finding out who takes it, and can be run by those who do not.
fn cheap(cx: &Batcher, r: RegionId) -> bool {
    let (m, f) = (cx.driver.module(), &cx.src);
    if m.region_effect(f, r) != Effect::Pure {
        return false;
    }
    let mut all = true;
    f.walk(r, &mut |o| {
        let d = f.op(o).def;
        let moves = d.movement.element.is_some() || d.movement.moved.is_some();
        all &= d.scalar.is_some()
            || d.constant
            || moves
            || d.loops != Loops::Own
            || d.control.taken.is_some()
            || matches!(d.batch, Batch::Elementwise);
    });
    all
}
/// `cond` and `switch` where the way differs from index to index.
pub(super) fn branch(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    no_own_extents(cx, &op)?;
    let src = cx.src.clone();
    for &y in &op.results {
        if src.ty(y).dims.iter().any(|d| binds(&src, d, o)) {
            return Err(refused(&op, "what it gives would be of another extent at each index"));
        }
    }
    let by = cx.at(xs[0], 0)?;
    let masks = masks(&mut cx.b, by, op.regions.len())?;
    let taken = if op.regions.iter().all(|&r| cheap(cx, r)) {
        let mut all = vec![];
        for &r in &op.regions {
            let ys = cx.inline(r, &xs[1..])?;
            all.push(ys.into_iter().map(|y| cx.at(y, 0)).collect::<Result<Vec<_>>>()?);
        }
        let mut taken = all.pop().unwrap_or_default();
        for (ys, &p) in all.iter().zip(&masks).rev() {
            for (t, &y) in taken.iter_mut().zip(ys) {
                *t = pick(&mut cx.b, p, y, *t)?;
            }
        }
        taken
    } else {
        parted(cx, &op, &xs[1..], &masks)?
    };
    Ok(taken.into_iter().map(|y| Batched::along(y, 0)).collect())
}
fn binds(f: &Func, d: &Extent, o: OpId) -> bool {
    let mut any = false;
    d.for_each_atom(&mut |a| {
        if let crate::extent::Atom::Exist(r) = a {
            any |= f.binder(r) == Some(crate::func::Binder::Op(o));
        }
    });
    any
}
/// Which indices take which of `n` regions.
fn masks(b: &mut Builder, by: ValueId, n: usize) -> Result<Vec<ValueId>> {
    let ty = b.ty(by);
    if ty.dtype == DType::Bool {
        return Ok(vec![by, b.not(by)?]);
    }
    let mut out = vec![];
    let mut any = b.splat(&ty.with_dtype(DType::Bool), 0.0)?;
    for k in 1..n {
        let k = b.splat(&ty, (k - 1) as f64)?;
        let p = b.eq(by, k)?;
        any = b.or(any, p)?;
        out.push(p);
    }
    out.push(b.not(any)?);
    Ok(out)
}
/// Each region on the indices that take it, where there are any.
fn parted(cx: &mut Batcher, op: &Op, xs: &[Batched], masks: &[ValueId]) -> Result<Vec<ValueId>> {
    let mut outs = vec![];
    for &y in &op.results {
        let ty = cx.ty(y)?.with_axis(0, cx.extent.clone());
        outs.push(cx.b.zeros(&ty)?);
    }
    for (&r, &p) in op.regions.iter().zip(masks) {
        let (at, k) = places(&mut cx.b, p)?;
        let any = some(&mut cx.b, &k)?;
        let held = captured(cx, &[r])?;
        let old = held.iter().map(|&v| cx.value(v)).collect::<Result<Vec<_>>>()?;
        let then = cx.b.open("then");
        let few = |cx: &mut Batcher, x: Batched| -> Result<Batched> {
            if x.axis.is_none() {
                return Ok(x);
            }
            let x = cx.at(x, 0)?;
            Ok(Batched::along(rows(&mut cx.b, x, at)?, 0))
        };
        let mut args = vec![];
        for &x in xs {
            args.push(few(cx, x)?);
        }
        for (&v, &x) in held.iter().zip(&old) {
            let x = few(cx, x)?;
            cx.set(v, x);
        }
        let put = cx.within(k, at, |cx| {
            let ys = cx.inline(r, &args)?;
            let mut put = vec![];
            for (y, &out) in ys.into_iter().zip(&outs) {
                let y = cx.at(y, 0)?;
                put.push(put_rows(&mut cx.b, out, at, y)?);
            }
            Ok(put)
        })?;
        let then = cx.b.close(then, put);
        for (v, x) in held.into_iter().zip(old) {
            cx.set(v, x);
        }
        let other = cx.b.open("else");
        let other = cx.b.close(other, outs.clone());
        outs = cx.b.branch_typed(&COND, any, &[], vec![then, other], &[])?;
    }
    Ok(outs)
}

/// A `while` that runs another number of trips at each index, whose carries depend on the index where `on` says so, whether or
/// not they end together.
pub(super) fn whiles(cx: &mut Batcher, o: OpId, xs: &[Batched], on: &[bool]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let &[cond, body] = op.regions.as_slice() else { return Ok(vec![]) };
    no_own_extents(cx, &op)?;
    let src = cx.src.clone();
    if src.region(body).yields.len() > xs.len() {
        return Err(refused(&op, "what it collects would be of another length at each index"));
    }
    let max = match op.attrs.extents("max_trips").first() {
        Some(e) => Some(cx.map_extent(e)?),
        None => None,
    };
    let m = cx.driver.module();
    let may = m.region_effect(&src, cond).max(m.region_effect(&src, body));
    let mut ways = vec![];
    let held = captured(cx, &[cond, body])?;
    for (i, (&y, &p)) in src.region(body).yields.iter().zip(&src.region(body).params).enumerate() {
        ways.push(match (y == p, on[i]) {
            (true, _) => Way::Fixed,
            (false, true) => Way::Each,
            (false, false) => Way::Common,
        });
    }
    let guess = may == Effect::Pure;
    Loop { xs: xs.to_vec(), ways, cond, body, held, fixed: vec![], old: vec![], guess, max }.run(cx)
}
/// How a carry goes through a loop.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// It is what it was before the loop.
    Fixed,
    /// It differs from index to index.
    Each,
    /// It is the same in all indices that are under way.
    Common,
}
struct Loop {
    /// The operands,
    xs: Vec<Batched>,
    /// and how each is carried.
    ways: Vec<Way>,
    cond: RegionId,
    body: RegionId,
    /// What the regions use from outside that differs from index to index,
    held: Vec<ValueId>,
    /// and the carries that do and never change.
    fixed: Vec<usize>,
    /// What stood for `held` outside.
    old: Vec<Batched>,
    /// Whether an index that has ended may run on for a while.
    guess: bool,
    max: Option<Extent>,
}
/// What goes round: arrays of the indices under way, what they share, and results of all indices.
#[derive(Clone, Default)]
struct State {
    /// The places of the indices among all.
    at: Vec<ValueId>,
    /// What never changes: of [`Loop::fixed`], then of [`Loop::held`].
    steady: Vec<ValueId>,
    /// Carries that differ.
    each: Vec<ValueId>,
    /// Carries that do not, as they were when each index ended.
    ended: Vec<ValueId>,
    /// Carries that do not.
    common: Vec<ValueId>,
    /// Results, and how many trips there were.
    outs: Vec<ValueId>,
    trips: Vec<ValueId>,
}
impl State {
    fn parts(&mut self) -> [&mut Vec<ValueId>; 7] {
        [
            &mut self.at,
            &mut self.steady,
            &mut self.each,
            &mut self.ended,
            &mut self.common,
            &mut self.outs,
            &mut self.trips,
        ]
    }
    fn list(mut self) -> Vec<ValueId> {
        self.parts().into_iter().flat_map(|p| p.clone()).collect()
    }
    /// The same parts of these values.
    fn of(mut self, values: &[ValueId]) -> State {
        let mut values = values.iter().copied();
        for part in self.parts() {
            part.iter_mut().for_each(|v| *v = values.next().unwrap_or(*v));
        }
        self
    }
    /// Those indices alone that are at these places of them.
    fn few(mut self, b: &mut Builder, at: ValueId) -> Result<State> {
        let [places, steady, each, ended, ..] = self.parts();
        for v in [places, steady, each, ended].into_iter().flatten() {
            *v = rows(b, *v, at)?;
        }
        Ok(self)
    }
}
impl Loop {
    fn run(mut self, cx: &mut Batcher) -> Result<Vec<Batched>> {
        let all = cx.extent.clone();
        let mut s = State::default();
        let line = Type::new(DType::I64, [all.clone()]);
        s.at.push(cx.b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![line]))?);
        for (i, (&x, &way)) in self.xs.iter().zip(&self.ways).enumerate() {
            match way {
                Way::Fixed if x.axis.is_some() => {
                    self.fixed.push(i);
                    s.steady.push(cx.at(x, 0)?);
                }
                Way::Fixed => {}
                Way::Each => {
                    let x = cx.at(x, 0)?;
                    s.each.push(x);
                    s.outs.push(x);
                }
                Way::Common => {
                    let wide = spread(&mut cx.b, x.value, &all)?;
                    s.common.push(x.value);
                    s.outs.push(wide);
                    if self.guess {
                        s.ended.push(wide);
                    }
                }
            }
        }
        for &v in &self.held {
            let x = cx.value(v)?;
            self.old.push(x);
            s.steady.push(cx.at(x, 0)?);
        }
        if self.max.is_some() {
            s.trips.push(cx.b.splat(&Type::scalar(DType::I64), 0.0)?);
        }
        let types: Vec<Type> = s.clone().list().iter().map(|&v| cx.b.ty(v)).collect();
        let moving = s.at.len() + s.steady.len() + s.each.len() + s.ended.len();
        // Parameters of a region with indices of its own number.
        let open = |cx: &mut Batcher, label: &str| {
            let opened = cx.b.open(label);
            let k = Extent::exist(cx.b.exist("left", Default::default()));
            let wide =
                |(i, t): (usize, &Type)| if i < moving { t.without(&[0]).with_axis(0, k.clone()) } else { t.clone() };
            let params: Vec<ValueId> = types.iter().enumerate().map(wide).map(|t| cx.b.param(t, "")).collect();
            (opened, k, params)
        };
        let (opened, k, _) = open(cx, "cond");
        let go = some(&mut cx.b, &k)?;
        let cond = cx.b.close(opened, vec![go]);
        let (opened, k, params) = open(cx, "body");
        let now = s.clone().of(&params);
        let places = now.at[0];
        let next = cx.within(k.clone(), places, |cx| {
            if self.guess { self.together(cx, &k, now) } else { self.one_trip(cx, &k, now) }
        });
        // What the regions used is outside what it was.
        for (&v, &x) in self.held.iter().zip(&self.old) {
            cx.set(v, x);
        }
        let body = cx.b.close(opened, next?.list());
        let start = s.clone().list();
        let ends = cx.b.emit(NewOp::new(&WHILE, &start).regions(vec![cond, body]))?;
        let mut outs = s.of(&ends).outs.into_iter();
        let mut results = vec![];
        for (&x, way) in self.xs.iter().zip(&self.ways) {
            results.push(match way {
                Way::Fixed => x,
                _ => outs.next().map_or(x, |y| Batched::along(y, 0)),
            });
        }
        Ok(results)
    }
    /// The arguments of the regions, and what they use from outside, for the indices of `s`; `common` where carries are the same in all.
    fn arguments(&self, cx: &mut Batcher, s: &State) -> Vec<Batched> {
        let (mut steady, mut each, mut common) = (s.steady.iter().copied(), s.each.iter(), s.common.iter());
        let fixed: Vec<ValueId> = steady.by_ref().take(self.fixed.len()).collect();
        for (&v, x) in self.held.iter().zip(steady) {
            cx.set(v, Batched::along(x, 0));
        }
        let mut out = self.xs.clone();
        for (i, way) in self.ways.iter().enumerate() {
            let fixed = self.fixed.iter().position(|&f| f == i).and_then(|f| fixed.get(f));
            let own = match way {
                Way::Fixed => fixed,
                Way::Each => each.next(),
                Way::Common => {
                    if let Some(&c) = common.next() {
                        out[i] = Batched { value: c, axis: None };
                    }
                    None
                }
            };
            if let Some(&x) = own {
                out[i] = Batched::along(x, 0);
            }
        }
        out
    }
    /// The next carries, in the parts of the state.
    fn step(&self, cx: &mut Batcher, s: &mut State, args: &[Batched]) -> Result<()> {
        let ys = cx.inline(self.body, args)?;
        let (mut each, mut common) = (vec![], vec![]);
        for (&y, way) in ys.iter().zip(&self.ways) {
            match way {
                Way::Fixed => {}
                Way::Each => each.push(cx.at(y, 0)?),
                Way::Common => common.push(y.value),
            }
        }
        (s.each, s.common) = (each, common);
        Ok(())
    }
    /// Results of indices that stand at `s` now, whether or not they have ended.
    fn store(&self, cx: &mut Batcher, k: &Extent, s: &mut State) -> Result<()> {
        let (mut each, mut ended, mut common) = (s.each.iter(), s.ended.iter(), s.common.iter());
        let mut outs = s.outs.iter_mut();
        for way in self.ways.iter().filter(|w| **w != Way::Fixed) {
            let now = match way {
                Way::Common if self.guess => ended.next().copied(),
                Way::Common => match common.next() {
                    Some(&c) => Some(spread(&mut cx.b, c, k)?),
                    None => None,
                },
                _ => each.next().copied(),
            };
            if let (Some(out), Some(now), Some(&at)) = (outs.next(), now, s.at.first()) {
                *out = put_rows(&mut cx.b, *out, at, now)?;
            }
        }
        Ok(())
    }
    /// Fails where an index runs more trips than it may, after `trips` have asked: those left run or have run as many, and the last that
    /// has ended one less.
    fn bounded(&self, cx: &mut Batcher, k: &Extent, trips: &[ValueId]) -> Result<()> {
        let (Some(max), Some(&t)) = (&self.max, trips.first()) else { return Ok(()) };
        let max = number(&mut cx.b, max)?;
        let any = some(&mut cx.b, k)?;
        let none = cx.b.not(any)?;
        let one = cx.b.convert(none, DType::I64)?;
        let most = cx.b.add(max, one)?;
        let fine = cx.b.le(t, most)?;
        let text = "a `while` runs more than `max_trips` trips at an index of a `vmap`";
        cx.b.emit(NewOp::new(&CHECK, &[fine]).attr("message", Attr::Str(text.into())))?;
        Ok(())
    }
    /// A trip of indices each of which is asked first; those that have ended leave.
    fn one_trip(&self, cx: &mut Batcher, k: &Extent, mut s: State) -> Result<State> {
        let args = self.arguments(cx, &s);
        let go = cx.inline(self.cond, &args)?;
        let go = match go.first() {
            Some(&p) => cx.at(p, 0)?,
            None => return Ok(s),
        };
        self.store(cx, k, &mut s)?;
        let (at, left) = places(&mut cx.b, go)?;
        let mut s = s.few(&mut cx.b, at)?;
        self.count(cx, &mut s)?;
        self.bounded(cx, &left, &s.trips)?;
        let any = some(&mut cx.b, &left)?;
        let then = cx.b.open("then");
        let mut made = s.clone();
        cx.within(left, at, |cx| {
            let args = self.arguments(cx, &s);
            self.step(cx, &mut made, &args)
        })?;
        let yields = |s: &State| [&s.each[..], &s.common].concat();
        let then = cx.b.close(then, yields(&made));
        let other = cx.b.open("else");
        let other = cx.b.close(other, yields(&s));
        let ys = cx.b.branch_typed(&COND, any, &[], vec![then, other], &[])?;
        let (each, common) = ys.split_at(s.each.len());
        (s.each, s.common) = (each.to_vec(), common.to_vec());
        Ok(s)
    }
    fn count(&self, cx: &mut Batcher, s: &mut State) -> Result<()> {
        for t in &mut s.trips {
            let one = cx.b.splat(&Type::scalar(DType::I64), 1.0)?;
            *t = cx.b.add(*t, one)?;
        }
        Ok(())
    }
    /// Trips of all indices until at most half of them are under way; then these alone.
    fn together(&self, cx: &mut Batcher, k: &Extent, s: State) -> Result<State> {
        let flags = Type::new(DType::Bool, [k.clone()]);
        let going = cx.b.splat(&flags, 1.0)?;
        // What goes round here: the flags, and what trips change.
        let round = |p: ValueId, s: &State| [&[p][..], &s.each, &s.ended, &s.common, &s.trips].concat();
        let unround = |list: &[ValueId], s: &State| {
            let mut new = s.clone();
            let mut rest = list.iter().copied().skip(1);
            let [_, _, each, ended, common, _, trips] = new.parts();
            for v in [each, ended, common, trips].into_iter().flatten() {
                *v = rest.next().unwrap_or(*v);
            }
            (list.first().copied().unwrap_or(going), new)
        };
        let start = round(going, &s);
        let types: Vec<Type> = start.iter().map(|&v| cx.b.ty(v)).collect();
        let params = |cx: &mut Batcher| -> Vec<ValueId> { types.iter().map(|t| cx.b.param(t.clone(), "")).collect() };
        let opened = cx.b.open("cond");
        let ps = params(cx);
        let one = cx.b.convert(ps[0], DType::I64)?;
        let count = cx.b.reduce_sum(one, &[0])?;
        let twice = cx.b.add(count, count)?;
        let each = number(&mut cx.b, k)?;
        let go = cx.b.gt(twice, each)?;
        let cond = cx.b.close(opened, vec![go]);
        let opened = cx.b.open("body");
        let ps = params(cx);
        let (p, mut now) = unround(&ps, &s);
        let before = now.clone();
        let args = self.arguments(cx, &now);
        let go = cx.inline(self.cond, &args)?;
        let p = match go.first() {
            Some(&q) => {
                let q = cx.at(q, 0)?;
                cx.b.and(p, q)?
            }
            None => p,
        };
        self.step(cx, &mut now, &args)?;
        for (new, &old) in now.each.iter_mut().zip(&before.each) {
            *new = pick(&mut cx.b, p, *new, old)?;
        }
        for ((end, &old), &c) in now.ended.iter_mut().zip(&before.ended).zip(&now.common) {
            let c = spread(&mut cx.b, c, k)?;
            *end = pick(&mut cx.b, p, c, old)?;
        }
        self.count(cx, &mut now)?;
        let body = cx.b.close(opened, round(p, &now));
        let mut attrs = Attrs::none();
        if let Some(max) = &self.max {
            attrs.set("max_trips", Attr::extent(max.add(&Extent::exact(1))?));
        }
        let ys = cx.b.emit(NewOp::new(&WHILE, &start).attrs(attrs).regions(vec![cond, body]))?;
        let (p, mut s) = unround(&ys, &s);
        self.store(cx, k, &mut s)?;
        let (at, left) = places(&mut cx.b, p)?;
        let s = s.few(&mut cx.b, at)?;
        self.bounded(cx, &left, &s.trips)?;
        Ok(s)
    }
}
