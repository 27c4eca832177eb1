//! Ops that move elements, where values decide how many there are.
use tfc_ir::ops::shape as s;
use tfc_ir::{DType, Extent, Result};

use super::super::index::at_indices;
use super::super::shape::index;
use crate::write::cx::Cx;
use crate::write::partial::{counting, fill, refit, refused};
use crate::write::sizes::divided;
use crate::write::ty::Ty;
use crate::write::writer::{Val, broken};

/// Operand axes are as long as the axes of the result that they become.
pub(super) fn broadcast(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, dims, ty) = (cx.arg(0)?, cx.attrs().indices("dims"), cx.result(0)?);
    // One of extent 1 is repeated.
    let of = |(&n, &d): (&usize, &usize)| if n == 1 { 1 } else { ty.dims.get(d).copied().unwrap_or(n) };
    let like: Vec<usize> = x.dims().iter().zip(&dims).map(of).collect();
    let x = refit(cx, &x, &like)?;
    Ok(vec![cx.broadcast(&x, &dims, &ty)])
}

/// An axis: its extent, and how long it is in the text.
type Axis = (Extent, usize);
/// Do the elements that count stand first when these axes become one? So they do where values decide the first alone.
fn leading(cx: &Cx, axes: &[Axis]) -> bool {
    let exact = |a: &Axis| cx.walk.is_exact(&a.0);
    axes.iter().skip_while(|a| a.1 == 1 && exact(a)).skip(1).all(exact)
}
/// Whether the axes are those of the result, some of them joined or split, with what counts first in each part.
fn in_parts(cx: &Cx, from: &[Axis], to: &[Axis]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < from.len() || j < to.len() {
        let (mut a, mut b) = (i, j);
        let (mut p, mut q) = ((Extent::exact(1), 1usize), (Extent::exact(1), 1usize));
        let grow = |p: &mut Axis, x: Option<&Axis>| -> Option<()> {
            let x = x?;
            *p = (p.0.mul(&x.0).ok()?, p.1.checked_mul(x.1)?);
            Some(())
        };
        loop {
            if (a > i || b > j) && p.0 == q.0 {
                break;
            }
            let left = a < from.len() && (p.1 <= q.1 || b >= to.len());
            let grown = if left { grow(&mut p, from.get(a)) } else { grow(&mut q, to.get(b)) };
            if grown.is_none() {
                return false;
            }
            if left { a += 1 } else { b += 1 }
        }
        let parts = from.get(i..a).zip(to.get(j..b));
        if p.1 != q.1 || !parts.is_some_and(|(x, y)| leading(cx, x) && leading(cx, y)) {
            return false;
        }
        (i, j) = (a, b);
    }
    true
}
/// Elements keep their order: those that count may have to be gathered from between others.
pub(super) fn reshape(cx: &mut Cx) -> Result<Vec<Val>> {
    let (mut x, ty) = (cx.arg(0)?, cx.result(0)?);
    let back = |n: usize| (0..n).rev().collect::<Vec<usize>>();
    let turned = cx.attrs().word("order") == Some("first");
    let (&v, &y) = match (cx.op().operands.first(), cx.op().results.first()) {
        (Some(v), Some(y)) => (v, y),
        _ => return Err(broken("a reshape of nothing")),
    };
    let axes = |cx: &Cx, v, dims: &[usize]| -> Vec<Axis> {
        cx.func().ty(v).dims.iter().cloned().zip(dims.iter().copied()).collect()
    };
    let (mut from, mut to) = (axes(cx, v, x.dims()), axes(cx, y, &ty.dims));
    if turned {
        x = cx.transpose(&x, &back(x.rank()));
        from.reverse();
        to.reverse();
    }
    let lengths: Vec<usize> = to.iter().map(|a| a.1).collect();
    let made = if x.ty.is_empty() || lengths.contains(&0) {
        cx.splat(&ty.shaped(lengths), 0.0)?
    } else if in_parts(cx, &from, &to) {
        cx.reshape(&x, &lengths)
    } else if leading(cx, &from) && leading(cx, &to) {
        let (all, wanted) = (x.dims().iter().product(), lengths.iter().product());
        let flat = cx.reshape(&x, &[all]);
        let flat = refit(cx, &flat, &[wanted])?;
        cx.reshape(&flat, &lengths)
    } else {
        gathered(cx, &x, &from, &to)?
    };
    Ok(vec![if turned { cx.transpose(&made, &back(ty.rank())) } else { made }])
}
/// Each element from its place in logical order.
fn gathered(cx: &mut Cx, x: &Val, from: &[Axis], to: &[Axis]) -> Result<Val> {
    let places = Ty::new(DType::I64, to.iter().map(|a| a.1).collect::<Vec<_>>());
    let mut at = cx.splat(&places, 0.0)?;
    for (axis, (e, _)) in to.iter().enumerate() {
        // Horner's rule: what came before, times this extent, and the index along it.
        let n = cx.count_of(e)?;
        let n = cx.broadcast(&n, &[], &places);
        let own = cx.iota(&places, axis);
        let before = cx.bin("multiply", &at, &n);
        at = cx.bin("add", &before, &own);
    }
    let mut place = cx.splat(&places, 0.0)?;
    let mut step: usize = 1;
    for (e, length) in from.iter().rev() {
        let n = cx.count_of(e)?;
        let n = cx.broadcast(&n, &[], &places);
        let (rest, own) = divided(cx, &at, &n)?;
        let by = cx.splat(&places, step as f64)?;
        let own = cx.bin("multiply", &own, &by);
        place = cx.bin("add", &place, &own);
        at = rest;
        step = step.checked_mul(*length).ok_or_else(|| broken("a shape"))?;
    }
    let flat = cx.reshape(x, &[step]);
    let column: Vec<usize> = places.dims.iter().copied().chain([1]).collect();
    let at = cx.reshape(&place, &column);
    Ok(at_indices(cx, &flat, &at, &[0], 0))
}

/// A window of these lengths at these starts, `i64[]`: what stands in it behind the operand is zero.
fn window(cx: &mut Cx, x: &Val, starts: &[Val], sizes: &[usize]) -> Result<Val> {
    let zero = cx.splat(&Ty::scalar(x.dtype()), 0.0)?;
    let more = sizes.iter().map(|&n| i64::try_from(n).map_err(|_| broken("an extent"))).collect::<Result<Vec<_>>>()?;
    let none = vec![0; x.rank()];
    let wide = cx.pad(x, &zero, &none, &more, &vec![0; x.rank()])?;
    Ok(cx.dynamic_slice(&wide, starts, sizes))
}
pub(super) fn slice(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, ty) = (cx.arg(0)?, cx.result(0)?);
    let from = cx.attrs().extents("start").to_vec();
    let stride = s::strides(cx.attrs(), x.rank());
    let mut starts = vec![];
    for e in &from {
        starts.push(cx.count_of(e)?);
    }
    let span = |(&n, &t): (&usize, &usize)| if n == 0 { 0 } else { (n - 1) * t + 1 };
    let sizes: Vec<usize> = ty.dims.iter().zip(&stride).map(span).collect();
    let wide = window(cx, &x, &starts, &sizes)?;
    Ok(vec![cx.slice(&wide, &vec![0; x.rank()], &sizes, &stride)])
}
/// What does not count is padding already; starts and ends may be decided by values too.
pub(super) fn pad(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, v, ty) = (cx.arg(0)?, cx.arg(1)?, cx.result(0)?);
    let open = cx.open_of(0)?;
    let x = fill(cx, &x, &open, &v)?;
    let interior = s::interiors(cx.attrs(), x.rank());
    let low = cx.attrs().extents("low").to_vec();
    // With room on both sides for whatever is added or taken away, and then the window that counts.
    let none = vec![0; x.rank()];
    let spread = cx.pad(&x, &v, &none, &none, &interior)?;
    let sized = |n: usize| i64::try_from(n).map_err(|_| broken("an extent"));
    let room = ty.dims.iter().map(|&n| sized(n)).collect::<Result<Vec<_>>>()?;
    let wide = cx.pad(&spread, &v, &room, &room, &vec![0; x.rank()])?;
    let mut starts = vec![];
    for (e, n) in low.iter().zip(&room) {
        let (low, n) = (cx.count_of(e)?, cx.int(*n)?);
        starts.push(cx.bin("subtract", &n, &low));
    }
    let cut = cx.dynamic_slice(&wide, &starts, &ty.dims);
    Ok(vec![cut])
}
/// One part after the other, each over what did not count of the one before.
pub(super) fn concat(cx: &mut Cx) -> Result<Vec<Val>> {
    let (xs, ty) = (cx.args().to_vec(), cx.result(0)?);
    let axis = cx.attrs().indices("axis").first().copied().ok_or_else(|| broken("an axis"))?;
    let mut like = ty.dims.clone();
    let parts: Vec<usize> = xs.iter().map(|x| x.dims().get(axis).copied().unwrap_or(0)).collect();
    let all = parts.iter().try_fold(0usize, |n, &p| n.checked_add(p)).ok_or_else(|| broken("an extent"))?;
    *like.get_mut(axis).ok_or_else(|| broken("an axis"))? = all;
    let mut made = cx.splat(&ty.shaped(like.clone()), 0.0)?;
    let zero = cx.int(0)?;
    let mut at = zero.clone();
    for ((x, &n), &v) in xs.iter().zip(&parts).zip(cx.op().operands.to_vec().iter()) {
        *like.get_mut(axis).ok_or_else(|| broken("an axis"))? = n;
        let x = refit(cx, x, &like)?;
        let starts: Vec<Val> = (0..x.rank()).map(|a| if a == axis { at.clone() } else { zero.clone() }).collect();
        if !x.ty.is_empty() {
            made = cx.dynamic_update(&made, &x, &starts);
        }
        let e = cx.func().ty(v).dims.get(axis).cloned().ok_or_else(|| broken("an axis"))?;
        let n = cx.count_of(&e)?;
        at = cx.bin("add", &at, &n);
    }
    Ok(vec![refit(cx, &made, &ty.dims)?])
}
/// Turned round as a whole, then to the front.
pub(super) fn reverse(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, axes) = (cx.arg(0)?, cx.attrs().indices("axes"));
    let open = cx.open_of(0)?;
    let y = super::super::shape::reverse(cx, &x, &axes);
    let zero = cx.int(0)?;
    let mut starts = vec![zero; x.rank()];
    let mut moves = false;
    for (a, count) in open.iter().filter(|(a, _)| axes.contains(a)) {
        let n = cx.int(x.dims().get(*a).map_or(0, |&n| n as i64))?;
        if let Some(s) = starts.get_mut(*a) {
            *s = cx.bin("subtract", &n, count);
            moves = true;
        }
    }
    let dims = x.dims().to_vec();
    Ok(vec![if moves { window(cx, &y, &starts, &dims)? } else { y }])
}
/// Starts as the window has to have them to lie within what counts.
fn clamped(cx: &mut Cx, first: usize, sizes: &[Extent]) -> Result<Vec<Val>> {
    let args = cx.args().get(first..).unwrap_or_default().to_vec();
    let &v = cx.op().operands.first().ok_or_else(|| broken("an operand"))?;
    let dims = cx.func().ty(v).dims.to_vec();
    let mut out = vec![];
    for ((i, n), size) in args.iter().zip(&dims).zip(sizes) {
        let (i, zero) = (index(cx, i)?, cx.int(0)?);
        let last = n.sub(size)?;
        let last = cx.count_of(&last)?;
        let i = cx.bin("minimum", &i, &last);
        out.push(cx.bin("maximum", &i, &zero));
    }
    Ok(out)
}
pub(super) fn dynamic_slice(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, ty) = (cx.arg(0)?, cx.result(0)?);
    let sizes = cx.attrs().extents("sizes").to_vec();
    let starts = clamped(cx, 1, &sizes)?;
    Ok(vec![window(cx, &x, &starts, &ty.dims)?])
}
/// Of the window only what counts is written.
pub(super) fn dynamic_update_slice(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, u) = (cx.arg(0)?, cx.arg(1)?);
    let &v = cx.op().operands.get(1).ok_or_else(|| broken("an operand"))?;
    let sizes = cx.func().ty(v).dims.to_vec();
    let starts = clamped(cx, 2, &sizes)?;
    let open = cx.open_of(1)?;
    if open.is_empty() {
        return Ok(vec![cx.dynamic_update(&x, &u, &starts)]);
    }
    let truth = cx.splat(&u.ty.with(DType::Bool), 1.0)?;
    let inside = counting(cx, u.dims(), &open).unwrap_or(truth);
    // In a frame where the longest window fits behind any start.
    let frame: Vec<usize> = x.dims().iter().zip(u.dims()).map(|(a, b)| a + b).collect();
    let wide = refit(cx, &x, &frame)?;
    let none = cx.splat(&wide.ty.with(DType::Bool), 0.0)?;
    let (made, mask) = (cx.dynamic_update(&wide, &u, &starts), cx.dynamic_update(&none, &inside, &starts));
    let both = cx.select(&mask, &made, &wide);
    Ok(vec![refit(cx, &both, x.dims())?])
}
/// Where an attribute of windows is not the whole axis, values may not decide it.
pub(super) fn whole(cx: &Cx, sizes: &[Extent]) -> Result<()> {
    let &v = cx.op().operands.first().ok_or_else(|| broken("an operand"))?;
    let dims = &cx.func().ty(v).dims;
    let fits = |(s, n): (&Extent, &Extent)| s == n || cx.walk.is_exact(s);
    if sizes.iter().zip(dims.iter()).all(fits) { Ok(()) } else { Err(refused(cx, "has windows in an axis")) }
}
