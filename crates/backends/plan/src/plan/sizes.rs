//! The sizes of one call of a plan: values of extents, and extents and strides of each slot as far as they are known yet. An
//! engine's frame holds these beside its memory. Strides are in bytes.
use std::borrow::Borrow;

use tfc_ir::extent::{Atom, ExistId, ExtentEnv};
use tfc_ir::{Binder, Code, Error, Result, Tensor};

use super::{Ext, NONE, Near, Place, Plan, Run, Slot, Start, ViewOf};
use crate::space::{regroup, strides_like};
use tfc_engine::shapes;

/// A value of the table of extents that is not known (not bound yet, or its evaluation failed).
const UNKNOWN: i64 = i64::MIN;
/// An extent that is not known, in the table of dims.
const NO_DIM: usize = usize::MAX;

/// What is known, at one time of one call, of the extents and strides of a plan's slots.
#[derive(Debug, Default)]
pub struct Sizes {
    /// Symbols and existentials.
    env: ExtentEnv,
    /// Values of the plan's extents.
    vals: Vec<i64>,
    /// Extents of slots, by `SlotDecl::at`.
    dims: Vec<usize>,
    /// Strides of slots, by `SlotDecl::at`.
    strides: Vec<isize>,
    /// A call has been entered.
    ready: bool,
    /// Axes of a slot that nothing else orders lie as the axes of most arguments do: the last is the fastest.
    last_first: bool,
    /// Scratch.
    order: Vec<usize>,
    /// Scratch.
    model: Vec<isize>,
}
/// Regions of fewer elements are laid out as their first operand is: what they take does not depend on it.
const LEAST_ELEMENTS: usize = 256;
/// What a walk along a loop costs, by element of an operand: one that stands still, one whose elements follow each other, one whose
/// elements lie apart; and what each row costs besides, in elements.
pub const STILL: usize = 1;
/// See [`STILL`].
pub const DENSE: usize = 8;
/// See [`STILL`].
pub const APART: usize = 24;
const ROW: usize = 128;
/// The same of a row of a few elements of four or eight bytes: many are brought side by side at once.
const SHORT_ROW: usize = 32;
/// Elements of such a row.
const FEW: usize = 4;
/// The same of a row in a region with reductions, phase by phase.
const PHASED_ROW: usize = 2048;
/// An axis so many times as long as another is long beside it.
const LONGER: usize = 8;
/// Elements of a vector.
const LANES: usize = 8;
/// An axis of so many elements is a poor innermost one.
const SHORT: usize = 8;
/// The axes in an order that keeps to as many of the given orders of some of them as go together, the first ones first; where these say nothing,
/// as in `axes`.
fn in_all_orders(axes: &[usize], orders: &[Vec<usize>]) -> Vec<usize> {
    let n = axes.len();
    // before[a * n + b]: axis `a` is known to come before axis `b`.
    let mut before = vec![false; n * n];
    for (&a, &b) in orders.iter().flat_map(|o| o.iter().zip(o.iter().skip(1))) {
        if before[a * n + b] || before[b * n + a] {
            continue;
        }
        let to: Vec<usize> = (0..n).filter(|&y| y == b || before[b * n + y]).collect();
        for x in (0..n).filter(|&x| x == a || before[x * n + a]).collect::<Vec<_>>() {
            to.iter().for_each(|y| before[x * n + y] = true);
        }
    }
    let (mut left, mut order) = (axes.to_vec(), vec![]);
    while let Some(i) = left.iter().position(|&b| left.iter().all(|&a| !before[a * n + b])) {
        order.push(left.remove(i));
    }
    order
}
impl Sizes {
    /// The sizes at the beginning of a call of `plan`: nothing is known but how constants are laid out.
    pub fn new(plan: &Plan) -> Sizes {
        let mut s = Sizes {
            vals: vec![UNKNOWN; plan.exts.len()],
            dims: vec![NO_DIM; plan.axes],
            strides: vec![0; plan.axes],
            ..Sizes::default()
        };
        for (i, d) in plan.slots.iter().enumerate() {
            if let Place::Const(c) = d.place {
                s.lay_as(plan, i as Slot, &plan.consts[c as usize]);
            }
        }
        s
    }
    /// Starts a call with these values of the symbols. Returns whether these are the values of the last call.
    pub fn enter(&mut self, plan: &Plan, syms: &[Option<i64>]) -> bool {
        let again = self.ready && self.env.syms == syms;
        if again && plan.by_exist.is_empty() {
            return true;
        }
        self.env.syms.clear();
        self.env.syms.extend_from_slice(syms);
        self.env.exists.clear();
        self.env.exists.resize(plan.by_exist.len(), None);
        for i in 0..plan.exts.len() {
            self.eval(plan, i as Ext);
        }
        self.ready = true;
        again
    }
    /// Are these arguments of the extents and strides that parameters have since the last call? Then nothing else needs to be
    /// asked of them.
    pub fn same_arguments<T: Borrow<Tensor>>(&self, plan: &Plan, args: &[T]) -> bool {
        self.ready
            && plan.by_exist.is_empty()
            && args.len() == plan.params.len()
            && plan.params.iter().zip(args.iter().map(T::borrow)).all(|(&p, t)| {
                let (d, size) = (&plan.slots[p as usize], t.dtype().size() as isize);
                // Element by element: `memcmp` of two empty slices may cost a hundred cycles, where it loads under an empty
                // mask from their addresses, which are none.
                let same = |a: &[usize], b: &[usize]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b);
                let strides = |a: &[isize], b: &[isize]| a.iter().zip(b).all(|(&a, &b)| a * size == b);
                t.dtype() == d.dtype
                    && same(t.shape(), self.dims(plan, p))
                    && strides(t.strides(), self.strides(plan, p))
            })
    }
    /// Gives a slot the strides of a tensor of its type.
    pub fn lay_as(&mut self, plan: &Plan, s: Slot, t: &Tensor) {
        let size = t.dtype().size() as isize;
        for (to, s) in self.strides_mut(plan, s).iter_mut().zip(t.strides()) {
            *to = s * size;
        }
    }
    /// Finds out how axes lie that nothing orders: as those of most elements of the arguments, whose strides are known by now; where
    /// no argument tells, as `around` says. Returns whether that differs from the last call.
    pub fn orient(&mut self, plan: &Plan, around: bool) -> bool {
        let mut votes = 0i64;
        for &p in &plan.params {
            let (dims, strides) = (self.dims(plan, p), self.strides(plan, p));
            let mut long = (0..dims.len()).filter(|&a| dims[a] > 1 && strides[a] != 0);
            let (Some(first), Some(last)) = (long.next(), long.next_back()) else { continue };
            let elements = dims.iter().fold(1i64, |n, &d| n.saturating_mul(d as i64));
            match strides[first].unsigned_abs().cmp(&strides[last].unsigned_abs()) {
                std::cmp::Ordering::Less => votes = votes.saturating_sub(elements),
                std::cmp::Ordering::Greater => votes = votes.saturating_add(elements),
                std::cmp::Ordering::Equal => {}
            }
        }
        let before = self.last_first;
        self.last_first = if votes == 0 { around } else { votes > 0 };
        before != self.last_first
    }
    /// Whether the last of the axes that nothing orders is the fastest.
    pub fn last_first(&self) -> bool {
        self.last_first
    }
    fn eval(&mut self, plan: &Plan, e: Ext) {
        let v = plan.exts[e as usize].eval(&self.env).unwrap_or(UNKNOWN);
        self.vals[e as usize] = v;
        let d = usize::try_from(v).unwrap_or(NO_DIM);
        for &u in &plan.users[e as usize] {
            self.dims[u as usize] = d;
        }
    }
    /// Binds an existential and evaluates what depends on it.
    pub fn bind(&mut self, plan: &Plan, x: ExistId, value: i64) {
        self.env.bind(Atom::Exist(x), value);
        if let Some(list) = plan.by_exist.get(x.0 as usize) {
            for &e in list {
                self.eval(plan, e);
            }
        }
    }
    /// The value of an extent.
    pub fn ext(&self, plan: &Plan, e: Ext) -> Result<i64> {
        match self.vals[e as usize] {
            UNKNOWN => plan.exts[e as usize].eval(&self.env),
            v => Ok(v),
        }
    }
    /// The value of an extent that counts something.
    pub fn count(&self, plan: &Plan, e: Ext) -> Result<usize> {
        let v = self.ext(plan, e)?;
        if v < 0 { shapes::size(&plan.func, &plan.exts[e as usize], &self.env) } else { Ok(v as usize) }
    }
    /// Extents of a slot.
    pub fn dims(&self, plan: &Plan, s: Slot) -> &[usize] {
        let d = &plan.slots[s as usize];
        &self.dims[d.at as usize..d.at as usize + d.dims.len()]
    }
    /// Byte strides of a slot.
    pub fn strides(&self, plan: &Plan, s: Slot) -> &[isize] {
        let d = &plan.slots[s as usize];
        &self.strides[d.at as usize..d.at as usize + d.dims.len()]
    }
    /// Number of elements of a slot; an error where an extent is negative or the count does not fit.
    pub fn len(&self, plan: &Plan, s: Slot) -> Result<usize> {
        let d = self.dims(plan, s);
        if d.contains(&NO_DIM) {
            for &e in &plan.slots[s as usize].dims {
                self.count(plan, e)?;
            }
        }
        let mut n = 1usize;
        for &x in d {
            n = n.saturating_mul(x);
        }
        if n > isize::MAX as usize / 16 {
            return tfc_ir::tensor::element_count(d);
        }
        Ok(n)
    }
    /// What is known of symbols and existentials.
    pub fn env(&self) -> &ExtentEnv {
        &self.env
    }
    /// Strides of a slot, to be set.
    pub fn strides_mut(&mut self, plan: &Plan, s: Slot) -> &mut [isize] {
        let d = &plan.slots[s as usize];
        &mut self.strides[d.at as usize..d.at as usize + d.dims.len()]
    }
    /// Gives `dst` the strides of `src`, axis by axis, as far as both reach.
    pub fn lay_over(&mut self, plan: &Plan, dst: Slot, src: Slot) {
        let (a, b) = (&plan.slots[src as usize], &plan.slots[dst as usize]);
        let from = a.at as usize;
        self.strides.copy_within(from..from + a.dims.len().min(b.dims.len()), b.at as usize);
    }
    /// Extents and strides of all slots, by `SlotDecl::at`.
    pub fn tables(&self) -> (&[usize], &[isize]) {
        (&self.dims, &self.strides)
    }
    /// Dense strides for a slot, in the axis order of `like`, or of what its declaration names, or of most arguments.
    pub fn dense(&mut self, plan: &Plan, s: Slot, like: Slot) {
        let d = &plan.slots[s as usize];
        let (at, n) = (d.at as usize, d.dims.len());
        let mut model = std::mem::take(&mut self.model);
        model.clear();
        if like != NONE {
            model.extend_from_slice(self.strides(plan, like));
        }
        if d.near.len() == n && self.says_nothing(plan, s, &model) {
            self.nearest(plan, &d.near, &mut model);
        }
        let known = (!model.is_empty()).then_some(&model[..]);
        let (dims, to) = (&self.dims[at..at + n], &mut self.strides[at..at + n]);
        strides_like(dims, known, self.last_first && !d.columns, d.dtype.size(), &mut self.order, to);
        self.model = model;
    }
    /// The loops of a region, the innermost first, as its outputs had better lie by how its inputs do; `None` where they lie so already.
    /// A region with reductions is asked only where the operand that its outputs follow is repeated along one of their axes: the order of
    /// such an operand says nothing of that axis.
    ///
    /// A short loop is a poor innermost one, however its elements lie, unless they and those of the next loop are one row.
    pub fn inwards(&self, plan: &Plan, r: &Run) -> Option<Vec<usize>> {
        let n = r.loops.len();
        if n < 2 {
            return None;
        }
        let free = |&s: &Slot| {
            let d = &plan.slots[s as usize];
            let placed = matches!(d.place, Place::Own(_) | Place::Part { first: true, .. });
            let along = |first: usize| (0..n).all(|l| r.maps[first * n + l] as usize == l);
            d.over == NONE && placed && r.operands.iter().position(|&x| x == s).is_some_and(along)
        };
        // What is folded of a region with reductions has fewer axes than there are loops.
        let out = *if r.reduces { r.outs.iter().find(|s| free(s)) } else { r.outs.first().filter(|s| free(s)) }?;
        let d = &plan.slots[out as usize];
        let follows = (d.like != NONE).then(|| self.strides(plan, d.like)).filter(|s| s.len() == n);
        if r.reduces && !follows.is_some_and(|s| s.contains(&0)) {
            return None;
        }
        let dims = self.dims(plan, out);
        if dims.iter().fold(1usize, |n, &d| n.saturating_mul(d)) < LEAST_ELEMENTS {
            return None;
        }
        let inputs = || r.operands.iter().enumerate().filter(|x| !r.outs.contains(x.1));
        let stride = |(k, &s): (usize, &Slot), l: usize| match self.strides(plan, s).get(r.maps[k * n + l] as usize) {
            Some(&x) => x,
            None => 0,
        };
        let begin = if r.reduces { PHASED_ROW } else { ROW };
        let cost = |l: usize| {
            let mut row = dims[l];
            let mut last = l;
            let mut left: Vec<usize> = (0..n).filter(|&m| m != l && dims[m] > 1).collect();
            let behind = |m: usize, last: usize| {
                inputs().all(|x| stride(x, m) == stride(x, last).wrapping_mul(dims[last] as isize))
            };
            while let Some(i) = left.iter().position(|&m| behind(m, last)) {
                last = left.remove(i);
                row = row.saturating_mul(dims[last]);
            }
            let one = |x: (usize, &Slot)| match stride(x, l).unsigned_abs() {
                0 => STILL,
                s if s == plan.slots[*x.1 as usize].dtype.size() => DENSE,
                _ => APART,
            };
            let words = inputs().all(|x| matches!(plan.slots[*x.1 as usize].dtype.size(), 4 | 8));
            let begin = if !r.reduces && row <= FEW && words { SHORT_ROW } else { begin };
            // A vector costs the same whether or not it is full.
            let row = row.max(1);
            (DENSE + inputs().map(one).sum::<usize>()) * row.next_multiple_of(LANES) / row + begin / row
        };
        let now = self.strides(plan, out);
        if d.near.len() == n {
            let like = if d.like == NONE { &[][..] } else { self.strides(plan, d.like) };
            let others = inputs().all(|x| (0..n).filter(|&l| dims[l] > 1 && stride(x, l) != 0).count() < 2);
            if others && self.says_nothing(plan, out, like) {
                return None;
            }
        }
        // Axes along which the operand that the output follows stands still lie as those of other operands do.
        let still = |l: usize| dims[l] > 1 && follows.is_some_and(|s| s[l] == 0);
        let any_still = (0..n).any(still);
        let mut order: Vec<usize> = (0..n).collect();
        if self.last_first {
            order.reverse();
        }
        if any_still {
            let moves = |x: (usize, &Slot)| {
                // One of a single element as well: what the output is a part of may have more.
                let mut axes: Vec<usize> = (0..n).filter(|&l| stride(x, l) != 0).collect();
                axes.sort_by_key(|&l| stride(x, l).unsigned_abs());
                axes
            };
            let mut all: Vec<Vec<usize>> = inputs().map(moves).collect();
            all.sort_by_key(|axes| usize::MAX - axes.len());
            order = in_all_orders(&order, &all);
            // Along which no operand moves comes last.
            order.sort_by_key(|l| !all.iter().any(|axes| axes.contains(l)));
        } else {
            order.sort_by_key(|&l| now[l].unsigned_abs());
        }
        let usual = *order.iter().find(|&&l| dims[l] > 1)?;
        let best = (0..n).filter(|&l| dims[l] > 1).min_by_key(|&l| (cost(l), l != usual))?;
        if best != usual && cost(best) * 8 <= cost(usual) * 7 {
            order.retain(|&l| l != best);
            order.insert(0, best);
        }
        let long = || order.iter().filter(|&&l| dims[l] > 1);
        if long().zip(long().skip(1)).all(|(&a, &b)| now[a].unsigned_abs() < now[b].unsigned_abs()) {
            return None;
        }
        Some(order)
    }
    /// The axes of a result of a region that folds loops away, the fastest first, as they had better lie; `None` where they lie so already.
    /// Nothing orders such a result but how arguments lie. Where that makes a short axis the fastest and elements of some input
    /// follow each other along a long one, the long one is.
    pub fn kept_inwards(&self, plan: &Plan, r: &Run, out: Slot) -> Option<Vec<usize>> {
        let (n, d) = (r.loops.len(), &plan.slots[out as usize]);
        let rank = d.dims.len();
        let at = r.operands.iter().position(|&s| s == out)?;
        if !r.reduces || !(2..n).contains(&rank) || d.over != NONE || !matches!(d.place, Place::Own(_)) {
            return None;
        }
        let (dims, now) = (self.dims(plan, out), self.strides(plan, out));
        let of_axis = |a: usize| (0..n).find(|&l| r.maps[at * n + l] as usize == a);
        let least = |a: usize| {
            let l = of_axis(a)?;
            let stride = |(k, &s): (usize, &Slot)| self.strides(plan, s).get(r.maps[k * n + l] as usize).copied();
            let inputs = r.operands.iter().enumerate().filter(|x| !r.outs.contains(x.1));
            inputs.filter_map(stride).map(isize::unsigned_abs).filter(|&s| s != 0).min()
        };
        let long = || (0..rank).filter(|&a| dims[a] > 1);
        let fast = long().min_by_key(|&a| now[a].unsigned_abs())?;
        let best = long().min_by_key(|&a| (least(a).unwrap_or(usize::MAX), usize::MAX - dims[a]))?;
        if best == fast || dims[best] < LONGER * dims[fast] || least(best) > least(fast) {
            return None;
        }
        let mut order: Vec<usize> = (0..rank).collect();
        order.sort_by_key(|&a| (a != best, now[a].unsigned_abs()));
        Some(order)
    }
    /// Whether strides tell nothing of the order of a slot's axes: at most one of them moves.
    fn says_nothing(&self, plan: &Plan, s: Slot, strides: &[isize]) -> bool {
        strides.iter().zip(self.dims(plan, s)).filter(|x| *x.0 != 0 && *x.1 != 1).count() < 2
    }
    /// The axis of a slot that its declaration wants to be the fastest, of those with more than one element; `None` where it says
    /// nothing.
    pub fn wanted_first(&mut self, plan: &Plan, s: Slot) -> Option<usize> {
        let near = &plan.slots[s as usize].near;
        if near.is_empty() {
            return None;
        }
        let mut model = std::mem::take(&mut self.model);
        self.nearest(plan, near, &mut model);
        let dims = self.dims(plan, s);
        let first = (0..near.len()).filter(|&a| dims[a] != 1).min_by_key(|&a| model[a]);
        self.model = model;
        first
    }
    /// Gives a slot of its own dense strides, its axes in this order, the fastest first.
    pub fn lay_in_order(&mut self, plan: &Plan, s: Slot, axes: &[usize]) {
        let d = &plan.slots[s as usize];
        let at = d.at as usize;
        let mut step = d.dtype.size() as isize;
        for &a in axes {
            self.strides[at + a] = step;
            step = step.wrapping_mul(self.dims[at + a].max(1) as isize);
        }
    }
    /// Gives a slot dense strides, its axes in the order that the last slot laid by [`Sizes::dense`] has; one along which its parts are
    /// single elements, and which its declaration wants to be the slowest, comes last.
    pub fn lay_around(&mut self, plan: &Plan, whole: Slot) {
        let mut order = std::mem::take(&mut self.order);
        let near = &plan.slots[whole as usize].near;
        let slowest = |a: usize| near.get(a).and_then(|n| n.least.first()).is_some_and(|x| x.1 == NONE);
        order.sort_by_key(|&a| slowest(a));
        self.lay_in_order(plan, whole, &order);
        self.order = order;
    }
    /// Numbers the axes in the order that `near` gives, the closest first.
    fn nearest(&mut self, plan: &Plan, near: &[Near], model: &mut Vec<isize>) {
        let mut order = std::mem::take(&mut self.order);
        let stride = |&(s, a): &(Slot, u32)| match self.strides(plan, s).get(a as usize) {
            None | Some(0) => usize::MAX,
            Some(x) => x.unsigned_abs(),
        };
        let key = |n: &Near| (n.least.iter().map(stride).min(), n.then.as_ref().map(stride));
        order.clear();
        order.extend(0..near.len());
        // Axes that strides do not tell apart lie as those of the slots do where nothing orders them.
        let slot = |n: &Near| n.least.first().map(|x| x.0);
        let partner = near.first().and_then(slot).filter(|&s| near.iter().all(|n| slot(n) == Some(s)));
        let axis = |a: usize| if partner.is_some() { near[a].least[0].1 } else { a as u32 };
        order.sort_by_key(|&a| axis(a));
        if self.last_first {
            order.reverse();
        }
        // What has no partner comes last.
        order.sort_by_key(|&a| axis(a) == NONE);
        order.sort_by_key(|&a| key(&near[a]));
        model.clear();
        model.resize(near.len(), 0);
        order.iter().zip(1..).for_each(|(&a, i)| model[a] = i);
        self.order = order;
    }
    /// Dense strides in the axis order of a slot.
    pub fn packed(&mut self, plan: &Plan, s: Slot, to: &mut Vec<isize>) {
        let d = &plan.slots[s as usize];
        let axes = d.at as usize..d.at as usize + d.dims.len();
        to.clear();
        to.resize(d.dims.len(), 0);
        let model = Some(&self.strides[axes.clone()]);
        strides_like(&self.dims[axes], model, self.last_first, d.dtype.size(), &mut self.order, to);
    }
    /// Dense strides of a slot whose axes may lie in any order: as [`Sizes::packed`], but with a long axis before a short one.
    pub fn turned(&mut self, plan: &Plan, s: Slot, to: &mut Vec<isize>) {
        self.packed(plan, s, to);
        let d = &plan.slots[s as usize];
        let dims = &self.dims[d.at as usize..d.at as usize + d.dims.len()];
        let mut order: Vec<usize> = (0..dims.len()).filter(|&a| dims[a] > 1).collect();
        order.sort_by_key(|&a| to[a].unsigned_abs());
        let Some(long) = order.iter().copied().max_by_key(|&a| (dims[a], usize::MAX - a)) else { return };
        let short = order.first().is_some_and(|&a| dims[a] <= SHORT && dims[long] >= LONGER * LONGER.max(dims[a]));
        if !short {
            return;
        }
        order.retain(|&a| a != long);
        order.insert(0, long);
        let mut step = d.dtype.size() as isize;
        for a in order {
            to[a] = step;
            step = step.wrapping_mul(dims[a] as isize);
        }
    }
    /// Gives `dst`, the part of `src` at one index along an axis, its strides.
    pub fn cut(&mut self, plan: &Plan, dst: Slot, src: Slot, axis: usize) {
        let (a, b) = (&plan.slots[src as usize], &plan.slots[dst as usize]);
        let (from, to) = (a.at as usize, b.at as usize);
        for k in 0..b.dims.len() {
            self.strides[to + k] = self.strides[from + k + usize::from(k >= axis)];
        }
    }
    /// Gives a view its strides.
    ///
    /// # Errors
    /// `E042x` where its extents are negative or do not fit.
    pub fn view(&mut self, plan: &Plan, v: &ViewOf) -> Result<()> {
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
        Ok(())
    }
    /// Bytes from the first element of a slot to that of a view of it; `index` reads a computed index.
    ///
    /// # Errors
    /// As [`Sizes::ext`].
    pub fn view_offset(&self, plan: &Plan, v: &ViewOf, index: impl Fn(Slot) -> i64) -> Result<isize> {
        let (n, by) = (self.dims(plan, v.src), self.strides(plan, v.src));
        let mut o = 0;
        for &(axis, start) in &v.start {
            let at = match start {
                Start::Ext(e) => self.ext(plan, e)?,
                Start::Index(i) => index(i).clamp(0, self.room(plan, v.src, v.dst, axis as usize)),
            };
            o += at as isize * by[axis as usize];
        }
        for a in v.axes.iter().filter(|a| a.from != NONE && a.reversed) {
            o += by[a.from as usize] * n[a.from as usize].saturating_sub(1) as isize;
        }
        Ok(o)
    }
    /// The last place along an axis at which what has the extents of `small` stays inside `big`.
    pub fn room(&self, plan: &Plan, big: Slot, small: Slot, axis: usize) -> i64 {
        self.dims(plan, big)[axis].saturating_sub(self.dims(plan, small)[axis]) as i64
    }
    /// Whether `dst` is a view of `src` with its elements in the same order; `to` gets the strides of that view.
    pub fn regroups(&self, plan: &Plan, src: Slot, dst: Slot, first: bool, to: &mut Vec<isize>) -> bool {
        to.clear();
        to.resize(plan.slots[dst as usize].dims.len(), 0);
        regroup(self.dims(plan, src), self.strides(plan, src), self.dims(plan, dst), first, to)
    }
    /// A slot's type with what is known of its extents.
    pub fn type_of(&self, plan: &Plan, s: Slot) -> String {
        let d = &plan.slots[s as usize];
        let extent = |&e: &Ext| match self.count(plan, e) {
            Ok(n) => n.to_string(),
            Err(_) => plan.exts[e as usize].display(&*plan.func).to_string(),
        };
        format!("{}[{}]", d.dtype, d.dims.iter().map(extent).collect::<Vec<_>>().join(", "))
    }
    /// A storage's type with the values of its extents.
    pub fn shown<'a>(&'a self, dtype: tfc_ir::DType, dims: &'a [Ext]) -> impl std::fmt::Display + 'a {
        std::fmt::from_fn(move |f| {
            let dims: Vec<i64> = dims.iter().map(|&e| self.vals[e as usize]).collect();
            write!(f, "{dtype}{dims:?}")
        })
    }
    /// Results against the header's types, whose existentials are a pack of their own.
    pub fn check_header(&self, plan: &Plan) -> Result<()> {
        if !plan.open_header {
            return Ok(());
        }
        let f = &plan.func;
        for &s in &plan.results {
            self.len(plan, s)?;
        }
        let mut env = self.env.clone();
        shapes::unbind(f, Binder::Header, &mut env);
        for (t, &s) in f.result_types.iter().zip(&plan.results) {
            shapes::bind_from_shape(t, self.dims(plan, s), &mut env);
        }
        for (i, (t, &s)) in f.result_types.iter().zip(&plan.results).enumerate() {
            let want = shapes::shape(f, t, &env)?;
            if want != self.dims(plan, s) {
                let text =
                    format!("result {i} of @{} has shape {:?}, its type says {want:?}", f.name, self.dims(plan, s));
                return Err(Error::new(Code::E0421, text));
            }
        }
        for c in f.wheres.iter().filter(|c| shapes::is_open(c)) {
            shapes::check(f, &env, c, Code::E0421, &format!("`where` on the results of @{}", f.name), f.span)?;
        }
        Ok(())
    }
}
