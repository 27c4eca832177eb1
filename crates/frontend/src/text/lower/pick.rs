//! `%x[0, :, %i]`: parts of a value, as NumPy picks them. Numbers and ranges become a `slice` and a `reshape`, indices that a
//! value holds a `take` along their axis, and `_` a new axis.
use super::super::ast::{Dim, DimKind, Pick, Picks};
use super::func::{FuncCx, Unknown};
use super::operand::Made;
use tfc_ir::ops::{index::TAKE, shape::RESHAPE, shape::SLICE};
use tfc_ir::{Attr, Code, Diagnostic, Extent, NewOp, Span, Type, ValueId};

/// The picks of one value, sorted by what is done for them.
#[derive(Default)]
struct Plan {
    start: Vec<Extent>,
    limit: Vec<Extent>,
    step: Vec<i64>,
    /// Axes of the value of which one index is left and the axis is dropped.
    dropped: Vec<usize>,
    /// Values that hold indices along axes, counted without those that are dropped.
    taken: Vec<(usize, ValueId, Span)>,
    /// For each axis of what is picked, whether the value has it.
    axes: Vec<bool>,
}

impl<'a> FuncCx<'_, 'a> {
    /// Parts of parts of a value; the last of the type that is written.
    pub(super) fn parts_of(&mut self, mut made: Made, all: &[Picks<'a>], ty: Option<&Type>) -> Option<Made> {
        for (i, picks) in all.iter().enumerate() {
            self.newer("picking by brackets", picks.span);
            let value = self.shaped(&made, &[], picks.span)?;
            made = self.picked(value, picks, ty.filter(|_| i + 1 == all.len()))?;
        }
        Some(made)
    }

    /// The part of `x` that is picked, of the type that is written.
    fn picked(&mut self, x: ValueId, picks: &Picks<'a>, ty: Option<&Type>) -> Option<Made> {
        let of = self.b.ty(x);
        let plan = self.plan(&of, picks)?;
        let sliced = plan.start.iter().any(|s| s.as_exact() != Some(0))
            || plan.limit.iter().ne(of.dims.iter())
            || plan.step.iter().any(|&s| s != 1);
        let news = plan.axes.iter().any(|a| !a);
        // The type that is written is that of the last step.
        let mut left = usize::from(sliced) + usize::from(!plan.dropped.is_empty()) + plan.taken.len();
        let mut last = || {
            left -= 1;
            ty.filter(|_| left == 0 && !news)
        };
        let (mut v, name) = (x, self.b.name(x));
        if sliced {
            let new = NewOp::new(&SLICE, &[v]).attr("start", Attr::extents(plan.start));
            let new = new.attr("limit", Attr::extents(plan.limit));
            let unit = plan.step.iter().all(|&s| s == 1);
            let steps = Attr::List(plan.step.iter().map(|&s| Attr::Int(s)).collect());
            v = self.emitted(picks.span, if unit { new } else { new.attr("stride", steps) }, last())?;
        }
        if !plan.dropped.is_empty() {
            let to = self.b.ty(v).without(&plan.dropped);
            v = self.emitted(picks.span, NewOp::new(&RESHAPE, &[v]).types(vec![to]), last())?;
        }
        for &(axis, i, span) in plan.taken.iter().rev() {
            v = self.emitted(span, NewOp::new(&TAKE, &[v, i]).attr("axis", Attr::Int(axis as i64)), last())?;
        }
        if v != x {
            self.b.hint(v, name);
        }
        Some(Made { value: v, axes: news.then_some(plan.axes) })
    }

    fn plan(&mut self, of: &Type, picks: &Picks<'a>) -> Option<Plan> {
        let mut plan = Plan::default();
        let mut axis = 0;
        for p in &picks.list {
            if let Pick::At(Dim { kind: DimKind::Var("_"), .. }) = p {
                plan.axes.push(false);
                continue;
            }
            let Some(n) = of.dims.get(axis) else {
                let (given, rank) = (picks.list.len() - plan.axes.iter().filter(|a| !**a).count(), of.rank());
                let s = if rank == 1 { "axis" } else { "axes" };
                let text = format!("{given} indices are picked of what has {rank} {s}");
                self.error(Diagnostic::error(Code::E0212, picks.span, text).help(match rank {
                    0 => "a scalar has nothing to pick from; `_` gives it an axis",
                    _ => "write one entry an axis; those that are left out are kept, and `_` is a new one",
                }));
                return None;
            };
            let zero = Extent::exact(0);
            let (start, limit, step) = match p {
                Pick::At(d) => {
                    let at = self.index_of(d, n)?;
                    let next = at.add(&Extent::exact(1)).map_err(|e| self.error(e.into_diagnostic(d.span))).ok()?;
                    plan.dropped.push(axis);
                    (at, next, 1)
                }
                Pick::Value(w) => {
                    let i = self.operand(w).flatten()?;
                    let rank = self.b.func().ty(i).rank();
                    if rank > 0 && plan.taken.iter().any(|t| self.b.func().ty(t.1).rank() > 0) {
                        let d = Diagnostic::error(Code::E0205, w.span, "two operands with axes pick at once");
                        self.error(
                            d.help("pick by one after the other; where their indices belong together, use `gather`"),
                        );
                        return None;
                    }
                    plan.taken.push((axis - plan.dropped.len(), i, w.span));
                    plan.axes.extend(std::iter::repeat_n(true, rank));
                    (zero, n.clone(), 1)
                }
                Pick::Range { span, from, to, step } => {
                    let start = from.as_ref().map_or(Some(zero), |d| self.place_of(d, n))?;
                    let limit = to.as_ref().map_or(Some(n.clone()), |d| self.place_of(d, n))?;
                    let step = match step {
                        Some(d) => self.extent(d, Unknown::Error)?.as_exact(),
                        None => Some(1),
                    };
                    let Some(step) = step.filter(|&s| s >= 1) else {
                        let d = Diagnostic::error(Code::E0227, *span, "the step of a range is a number, 1 or more");
                        self.error(d.help("`reverse` turns an axis round"));
                        return None;
                    };
                    plan.axes.push(true);
                    (start, limit, step)
                }
            };
            plan.start.push(start);
            plan.limit.push(limit);
            plan.step.push(step);
            axis += 1;
        }
        for n in of.dims.iter().skip(axis) {
            plan.start.push(Extent::exact(0));
            plan.limit.push(n.clone());
            plan.step.push(1);
            plan.axes.push(true);
        }
        Some(plan)
    }

    /// A place along an axis of `n` elements; a negative number counts from its end.
    fn place_of(&mut self, d: &Dim<'a>, n: &Extent) -> Option<Extent> {
        let e = self.extent(d, Unknown::Error)?;
        match e.as_exact() {
            Some(k) if k < 0 => n.add(&e).map_err(|e| self.error(e.into_diagnostic(d.span))).ok(),
            _ => Some(e),
        }
    }

    /// The place of one element along an axis of `n`.
    fn index_of(&mut self, d: &Dim<'a>, n: &Extent) -> Option<Extent> {
        let at = self.place_of(d, n)?;
        if let (Some(k), Some(n)) = (at.as_exact(), n.as_exact())
            && !(0..n).contains(&k)
        {
            let shown = if k < 0 { k - n } else { k };
            let text = format!("index {shown} is outside of an axis of {n}");
            let d = Diagnostic::error(Code::E0403, d.span, text);
            self.error(if n > 0 { d.help(format!("they go from 0 to {}, or from -{n} to -1", n - 1)) } else { d });
            return None;
        }
        Some(at)
    }
}
