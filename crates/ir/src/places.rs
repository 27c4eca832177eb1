//! Which elements of an operand an element of a result may depend on, axis by axis: what makes Jacobians sparse. A row says it
//! in its column `places`; of elementwise rows, folds, repetitions and products other columns say it already.
use crate::attr::Attrs;
use crate::extent::Extent;
use crate::func::{Func, Op};
use crate::op::{Batch, Loops, OpDef};

/// An axis of an operand that a result keeps: elements with index `i` along `axis` of the result depend on those whose index lies
/// between `i + from` and `i + to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept {
    /// The axis of the result.
    pub axis: usize,
    /// Least difference of the indices.
    pub from: i64,
    /// Greatest difference.
    pub to: i64,
}
impl Kept {
    /// Index for index.
    pub fn at(axis: usize) -> Kept {
        Kept { axis, from: 0, to: 0 }
    }
    /// Moved: result `i` depends on operand `i + by`.
    pub fn moved(axis: usize, by: i64) -> Kept {
        Kept { axis, from: by, to: by }
    }
}
/// What becomes of each axis of operand `i` of an op; `None`: the result may depend on all of it. All results have it alike.
pub type AxesFn = fn(&Func, &Op, usize) -> Vec<Option<Kept>>;
/// The column of a row.
#[derive(Clone, Copy)]
pub enum Places {
    /// What other columns say; where they do not, any element may depend on any.
    Unsaid,
    /// Axis by axis.
    Axes(AxesFn),
    /// The same elements in the same order, the last axis fastest or, by `order = first`, the first one.
    Reshaped,
}

/// What becomes of the axes of operand `i` of `op`, by its row's columns; `None`: nothing is known.
pub fn kept(f: &Func, op: &Op, i: usize) -> Option<Vec<Option<Kept>>> {
    let def: &OpDef = op.def;
    let x = f.ty(*op.operands.get(i)?);
    let y = f.ty(*op.results.first()?);
    let same = || (0..x.rank()).map(|a| Some(Kept::at(a))).collect::<Vec<_>>();
    if let Places::Axes(rule) = def.movement.places {
        return Some(rule(f, op, i));
    }
    if matches!(def.batch, Batch::Elementwise) {
        return (x.rank() == 0 || x.rank() == y.rank()).then(same);
    }
    match def.loops {
        Loops::Same => Some(same()),
        Loops::Fold(_) => Some(but(x.rank(), &op.attrs.indices("axes"), true)),
        Loops::Repeat => {
            let dims = op.attrs.indices("dims");
            let one = |(&a, n): (&usize, &Extent)| (y.dims.get(a) == Some(n)).then(|| Kept::at(a));
            Some(dims.iter().zip(x.dims.iter()).map(one).collect())
        }
        Loops::Own => None,
    }
}
/// All of `rank` axes but those in `axes` stay where they are, or close ranks where these are `gone`.
pub fn but(rank: usize, axes: &[usize], gone: bool) -> Vec<Option<Kept>> {
    let mut next = 0;
    let one = |a| {
        let stays = !axes.contains(&a);
        let at = next;
        next += usize::from(stays || !gone);
        stays.then(|| Kept::at(at))
    };
    (0..rank).map(one).collect()
}
/// A rule: the axes that attribute `name` lists are mixed, every other one is kept.
pub fn across(f: &Func, op: &Op, i: usize, name: &str) -> Vec<Option<Kept>> {
    let rank = op.operands.get(i).map_or(0, |&x| f.ty(x).rank());
    but(rank, &op.attrs.indices(name), false)
}
/// A rule: matrices are the two leading axes, the others are kept.
pub fn behind(f: &Func, op: &Op, i: usize) -> Vec<Option<Kept>> {
    let rank = op.operands.get(i).map_or(0, |&x| f.ty(x).rank());
    but(rank, &[0, 1], false)
}
/// A rule: every axis is kept, moved by what attribute `name` says times `sign`, where that is a number and `steps` (an attribute
/// with an entry an axis) is `still` there.
pub fn moved(attrs: &Attrs, rank: usize, name: &str, sign: i64, steps: (&str, usize)) -> Vec<Option<Kept>> {
    let by = attrs.extents(name);
    let every = attrs.indices(steps.0);
    let one = |a: usize| {
        let even = every.get(a).is_none_or(|&s| s == steps.1);
        let by = by.get(a)?.as_exact()?.checked_mul(sign)?;
        even.then(|| Kept::moved(a, by))
    };
    (0..rank).map(one).collect()
}
