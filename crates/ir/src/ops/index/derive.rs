//! Derivatives of `scatter`. The tangent of a combination is a combination of tangents at the same places, by `set` or
//! `add`: both are linear, and `gather` at the same places transposes them.
use super::super::constant::IOTA;
use super::super::control::{Gather, ScanDims};
use super::super::elementwise::CLAMP;
use super::super::shape::{CONCAT, cotangent, lin_jointly};
use super::*;
use crate::code::Code;
use crate::derive::{Linearizer, Transposer};
use crate::func::OpId;

/// Forward rule.
pub(super) fn lin_scatter(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let (dx, du) = (cx.tangent(op.operands[0]), cx.tangent(op.operands[2]));
    if let Some(&r) = op.regions.first() {
        let captured = cx.src.captures(r).into_iter().any(|v| cx.tangent(v).is_some());
        if captured || dx.is_some() || du.is_some() {
            let text = "`scatter` has no derivative where a region combines: updates take effect one after the other";
            return Err(
                Error::new(Code::E0503, text).help("combine by `set`, `add`, `mul`, `min` or `max`, or write a `scan`")
            );
        }
        cx.copy_primal(o)?;
        return Ok(());
    }
    match op.attrs.word("combine") {
        Some("set") => return lin_jointly(cx, o),
        // Places that no update reaches keep the operand's tangent.
        Some("add") if du.is_none() => {
            cx.copy_primal(o)?;
            return cx.set_tangent(op.results[0], dx);
        }
        Some("add") => return lin_jointly(cx, o),
        _ => {}
    }
    let y = cx.copy_primal(o)?[0];
    if dx.is_none() && du.is_none() {
        return Ok(());
    }
    let [x, i, u] = [0, 1, 2].map(|k| cx.primal(op.operands[k]));
    let at = Places {
        index: i?,
        dims: IndexDims::of_scatter(&op.attrs, cx.src.ty(op.operands[1])),
        clamp: clamps(&op.attrs, "drop"),
    };
    let (fx, fu) = match op.attrs.word("combine") {
        Some("mul") => factors(cx.p(), x?, u?, &at)?,
        _ => shares(cx.p(), x?, u?, y, &at)?,
    };
    let dx = scaled(cx, fx, dx)?;
    let dy = match scaled(cx, fu, du)? {
        None => dx,
        Some(du) => {
            let dx = match dx {
                Some(dx) => dx,
                None => cx.zero_tangent(op.operands[0])?,
            };
            let i = cx.residual(at.index)?;
            Some(scatter(cx.t(), [dx, i, du], &at.dims, "add", at.clamp)?)
        }
    };
    cx.set_tangent(op.results[0], dy)
}
/// A factor of the primal part times a tangent.
fn scaled(cx: &mut Linearizer, factor: ValueId, d: Option<ValueId>) -> Result<Option<ValueId>> {
    let Some(d) = d else { return Ok(None) };
    let f = cx.residual(factor)?;
    Ok(Some(cx.t().mul(f, d)?))
}
/// Where updates go.
struct Places {
    index: ValueId,
    dims: IndexDims,
    clamp: bool,
}
impl Places {
    /// What `v`, of the operand's shape, holds where each update of type `u` goes; 0 for one that is dropped.
    fn read(&self, b: &mut Builder, v: ValueId, u: &Type) -> Result<ValueId> {
        let sizes = self.dims.sizes(u, b.func().ty(v).rank());
        gather(b, v, self.index, &self.dims, sizes, self.clamp)
    }
}
/// `min`, `max`: 1 / (number of operand elements and updates equal to the result) where one of them is, 0 elsewhere, for
/// the operand and for the updates.
fn shares(b: &mut Builder, x: ValueId, u: ValueId, y: ValueId, at: &Places) -> Result<(ValueId, ValueId)> {
    let ty = b.ty(u);
    let kept = b.eq(x, y)?;
    let kept = b.convert(kept, ty.dtype)?;
    let there = at.read(b, y, &ty)?;
    let hit = b.eq(u, there)?;
    let hit = b.convert(hit, ty.dtype)?;
    let ties = scatter(b, [kept, at.index, hit], &at.dims, "add", at.clamp)?;
    let fx = b.div(kept, ties)?;
    let ties = at.read(b, ties, &ty)?;
    // A dropped update reads 0: its share is not used, but must be finite.
    let one = b.like(ties, 1.0)?;
    let ties = b.max(ties, one)?;
    let fu = b.div(hit, ties)?;
    Ok((b.hint(fx, "share"), b.hint(fu, "share")))
}
/// `mul`: for each operand element the product of its updates, for each update the product of the operand's element and
/// of all other updates of it. Products of those before and of those after, and no division: right with zeros, and to any
/// order.
fn factors(b: &mut Builder, x: ValueId, u: ValueId, at: &Places) -> Result<(ValueId, ValueId)> {
    let (ty, whole) = (b.ty(x), b.ty(u));
    let flat = flatten(b, &ty, u, at)?;
    let [all, before] = running(b, &ty, &flat, false)?;
    let [_, after] = running(b, &ty, &flat, true)?;
    let others = b.mul(before, after)?;
    let others = unflatten(b, others, &whole, &at.dims)?;
    let there = at.read(b, x, &whole)?;
    let fu = b.mul(there, others)?;
    Ok((b.hint(all, "product"), b.hint(fu, "others")))
}
/// Updates in their order along axis 0, one index vector for each window.
struct Flat {
    index: ValueId,
    updates: ValueId,
    count: Extent,
    /// For one window.
    dims: IndexDims,
}
/// Batch axes become components of the index vectors, then all axes but the window's become one.
fn flatten(b: &mut Builder, x: &Type, u: ValueId, at: &Places) -> Result<Flat> {
    let (d, ty, whole) = (&at.dims, b.ty(at.index), b.ty(u));
    let axes = d.index_axes(ty.rank());
    let batch: Vec<Extent> = axes.iter().map(|&a| ty.dims[a].clone()).collect();
    let one = |n: Extent| ty.with_dims([&batch[..], &[n]].concat());
    let own = if d.vector < ty.rank() {
        b.transpose(at.index, &[&axes[..], &[d.vector]].concat())?
    } else {
        b.reshape(at.index, &one(Extent::exact(1)))?
    };
    let own = if at.clamp { inside(b, own, x, &whole, d)? } else { own };
    let mut parts = vec![];
    for q in &d.index_batch {
        let axis = axes.iter().position(|a| a == q).unwrap_or(0) as i64;
        let iota = NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis)).types(vec![one(Extent::exact(1))]);
        parts.push(b.emit1(iota)?);
    }
    parts.push(own);
    let index = match &parts[..] {
        [own] => *own,
        _ => b.emit1(NewOp::new(&CONCAT, &parts).attr("axis", Attr::Int(axes.len() as i64)))?,
    };
    let map: Vec<usize> = d.batch.iter().chain(&d.map).copied().collect();
    let count = product(&batch)?;
    let index = b.reshape(index, &ty.with_dims(vec![count.clone(), Extent::exact(map.len() as i64)]))?;
    let (outer, window) = (d.batch_axes(whole.rank()), d.window.clone());
    let updates = b.transpose(u, &[&outer[..], &window].concat())?;
    let inner = window.iter().map(|&w| whole.dims[w].clone());
    let updates =
        b.reshape(updates, &whole.with_dims(std::iter::once(count.clone()).chain(inner).collect::<Vec<_>>()))?;
    let mut collapsed = [&d.collapsed[..], &d.batch].concat();
    collapsed.sort_unstable();
    let dims = IndexDims {
        window: (0..d.window_axes(x.rank()).len()).collect(),
        collapsed,
        batch: vec![],
        index_batch: vec![],
        map,
        vector: 0,
    };
    Ok(Flat { index, updates, count, dims })
}
/// Index vectors moved to where the window lies in an operand of type `x`. Batch axes need no such move, so that they may
/// be empty.
fn inside(b: &mut Builder, index: ValueId, x: &Type, u: &Type, d: &IndexDims) -> Result<ValueId> {
    let (ty, sizes) = (b.ty(index), d.sizes(u, x.rank()));
    let last = ty.rank().saturating_sub(1);
    let one = ty.without(&[last]).with_axis(last, Extent::exact(1));
    let mut most = vec![];
    for &a in &d.map {
        let m = b.dim_value(x.dims[a].sub(&sizes[a])?)?;
        let m = b.convert(m, ty.dtype)?;
        most.push(b.broadcast(m, &one, &[])?);
    }
    if most.is_empty() {
        return Ok(index);
    }
    let most = b.emit1(NewOp::new(&CONCAT, &most).attr("axis", Attr::Int(last as i64)))?;
    let least = b.zeros(&ty)?;
    b.emit1(NewOp::new(&CLAMP, &[least, index, most]))
}
/// Values for windows one after the other, back in the shape `u` of the updates.
fn unflatten(b: &mut Builder, v: ValueId, u: &Type, d: &IndexDims) -> Result<ValueId> {
    let order = [&d.batch_axes(u.rank())[..], &d.window].concat();
    let dims: Vec<Extent> = order.iter().map(|&a| u.dims[a].clone()).collect();
    let v = b.reshape(v, &u.with_dims(dims))?;
    b.transpose(v, &crate::types::inverse(&order))
}
/// Products of updates of each operand element: of all, and for each update of those before it (with `reverse`, after).
fn running(b: &mut Builder, x: &Type, flat: &Flat, reverse: bool) -> Result<[ValueId; 2]> {
    let start = b.splat(x, 1.0)?;
    let (i, u) = (b.ty(flat.index).without(&[0]), b.ty(flat.updates).without(&[0]));
    let params = [(x.clone(), "product"), (i, "index"), (u.clone(), "update")];
    let body = b.region("body", &params, |b, p| {
        let sizes = flat.dims.sizes(&u, x.rank());
        let so_far = gather(b, p[0], p[1], &flat.dims, sizes, false)?;
        let next = b.mul(so_far, p[2])?;
        Ok(vec![scatter(b, [p[0], p[1], next], &flat.dims, "set", false)?, so_far])
    })?;
    let dims = ScanDims {
        carry: 1,
        length: flat.count.clone(),
        cut: vec![0, 0],
        collect: vec![Gather::Stack(0)],
        reverse,
        ..ScanDims::default()
    };
    let ys = b.scan(&[start, flat.index, flat.updates], &dims, body)?;
    Ok([ys[0], ys[1]])
}

/// Transpose of `add` and `set`.
pub(super) fn tr_scatter(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let (x, u, c) = (op.operands[0], op.operands[2], cotangent(ct)?);
    let at = Places {
        index: cx.val(op.operands[1])?,
        dims: IndexDims::of_scatter(&op.attrs, cx.src.ty(op.operands[1])),
        clamp: clamps(&op.attrs, "drop"),
    };
    let set = match op.attrs.word("combine") {
        Some("set") => true,
        Some("add") => false,
        _ => {
            return Err(Error::new(
                Code::E0504,
                "`scatter` cannot be transposed: it is linear by `set` and `add` only",
            ));
        }
    };
    let mut out = vec![None; 3];
    let ty = cx.ty(u)?;
    if cx.linear(x) {
        out[0] = Some(if set {
            let zeros = cx.b.zeros(&ty)?;
            scatter(&mut cx.b, [c, at.index, zeros], &at.dims, "set", at.clamp)?
        } else {
            c
        });
    }
    if cx.linear(u) {
        let there = at.read(&mut cx.b, c, &ty)?;
        out[2] = Some(if set {
            let stays = stays(&mut cx.b, c, &ty, &at)?;
            let zeros = cx.b.zeros(&ty)?;
            cx.b.select(stays, there, zeros)?
        } else {
            there
        });
    }
    Ok(out)
}
/// Which updates of type `u` stay when they `set` a tensor shaped like `x`: those whose number is found where they went.
fn stays(b: &mut Builder, x: ValueId, u: &Type, at: &Places) -> Result<ValueId> {
    let numbers = u.with_dtype(DType::I64);
    let line = Type::new(DType::I64, [product(&u.dims)?]);
    let line = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![line]))?;
    let numbers = b.reshape(line, &numbers)?;
    // Counted from 1: a dropped update reads 0.
    let one = b.like(numbers, 1.0)?;
    let numbers = b.add(numbers, one)?;
    let nobody = b.ty(x).with_dtype(DType::I64);
    let nobody = b.zeros(&nobody)?;
    let last = scatter(b, [nobody, at.index, numbers], &at.dims, "set", at.clamp)?;
    let last = at.read(b, last, u)?;
    b.eq(last, numbers)
}
