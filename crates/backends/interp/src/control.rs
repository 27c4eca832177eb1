//! Calls, branches, loops: a region is evaluated with its parameters bound, one trip after the other.
use super::OpCx;
use super::grid::{Grid, build, every};
use tfc_ir::ops::control::{Gather, ScanDims, while_gathers};
use tfc_ir::{Code, Error, Held, Result, Tensor};

pub(super) fn identity(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    Ok(cx.args().to_vec())
}

/// `call`, `checkpoint`.
pub(super) fn call(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let sym = cx.attrs().sym("callee").cloned();
    let sym = sym.ok_or_else(|| Error::new(Code::E0222, "a call needs a function"))?;
    let args = cx.args().to_vec();
    cx.call(&sym, &args)
}

/// `fused`: its region on its operands.
pub(super) fn fused(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let args = cx.args().to_vec();
    cx.region(0, &args)
}

pub(super) fn truth(t: Option<&Tensor>) -> Result<bool> {
    t.and_then(|t| t.item::<bool>()).ok_or_else(|| Error::bug(Code::E0718, "a predicate is one bool"))
}

/// One of the regions, as the row says.
pub(super) fn branch(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let op = cx.op();
    let which = op.def.control.taken.zip(cx.args().first()).and_then(|(f, by)| f(by, op.regions.len()));
    let which = which.ok_or_else(|| Error::bug(Code::E0718, "a branch is chosen by one bool or one index"))?;
    let args = cx.args()[1..].to_vec();
    cx.region(which, &args)
}

/// One index of one axis, which goes.
fn cut(t: &Tensor, axis: usize, i: usize) -> Result<Tensor> {
    let without = |k: usize| k != axis;
    let keep = |(k, _): &(usize, &usize)| without(*k);
    let shape = t.shape().iter().enumerate().filter(keep).map(|(_, &n)| n).collect();
    let strides = t.strides().iter().enumerate().filter(|(k, _)| without(*k)).map(|(_, &s)| s).collect();
    let offset = t.offset() as isize + i as isize * t.strides()[axis];
    Tensor::view(t.data().clone(), shape, strides, offset as usize)
}

/// `parts` along a new axis of result `r`; its shape says what no parts look like.
fn stack(cx: &OpCx, r: usize, axis: usize, parts: &[Tensor]) -> Result<Tensor> {
    let (dtype, mut shape) = cx.result_shape(r)?;
    if let Some(p) = parts.first() {
        shape = p.shape().to_vec();
        shape.insert(axis, parts.len());
    }
    if let Some(p) = parts.iter().find(|p| p.shape() != parts[0].shape()) {
        let text = format!("values of shapes {:?} and {:?} cannot be stacked", parts[0].shape(), p.shape());
        return Err(Error::bug(Code::E0718, text));
    }
    cx.room(&shape, dtype)?;
    every!(dtype, T => {
        let grids = parts.iter().map(Grid::<T>::of).collect::<Result<Vec<_>>>()?;
        build(&shape, |ix| {
            let inner: Vec<usize> = ix.iter().enumerate().filter(|(k, _)| *k != axis).map(|(_, &i)| i).collect();
            grids[ix[axis]].at(&inner)
        })
    })
}

/// `parts` joined along the last axis of result `r`.
fn join(cx: &mut OpCx, r: usize, parts: &[Tensor]) -> Result<Tensor> {
    let ty = cx.func().ty(cx.op().results[r]).clone();
    let last = ty.rank().saturating_sub(1);
    let total: usize = parts.iter().map(|p| p.shape()[last]).sum();
    let mut shape = vec![];
    for (k, d) in ty.dims.iter().enumerate() {
        shape.push(match parts.first() {
            _ if k == last => total,
            Some(p) => p.shape()[k],
            None => usize::try_from(cx.extent(d)?).map_err(|_| Error::new(Code::E0402, "an extent is negative"))?,
        });
    }
    cx.bind_result(r, &shape)?;
    cx.room(&shape, ty.dtype)?;
    let mut place = vec![];
    for (i, p) in parts.iter().enumerate() {
        place.extend((0..p.shape()[last]).map(|j| (i, j)));
    }
    every!(ty.dtype, T => {
        let grids = parts.iter().map(Grid::<T>::of).collect::<Result<Vec<_>>>()?;
        build(&shape, |ix| {
            let (i, j) = place[ix[last]];
            let mut inner = ix.to_vec();
            inner[last] = j;
            grids[i].at(&inner)
        })
    })
}
fn gather(cx: &mut OpCx, r: usize, how: Gather, parts: &[Tensor]) -> Result<Tensor> {
    match how {
        Gather::Stack(axis) => stack(cx, r, axis, parts),
        Gather::Concat => join(cx, r, parts),
    }
}

/// What a tensor takes besides its elements: shape, strides, a counted and aligned allocation, its place in a list that
/// grows by doubling.
const TENSOR: usize = 384;

/// Appends one trip's values, which are taken from `held`.
fn collect(collected: &mut [Vec<Tensor>], ys: Vec<Tensor>, held: &mut Held) -> Result<()> {
    let all = ys.iter().map(|y| y.len() * y.dtype().size() + TENSOR).sum::<usize>();
    held.resize(held.bytes().saturating_add(all))?;
    for (c, y) in collected.iter_mut().zip(ys) {
        c.push(y.dense()?);
    }
    Ok(())
}

pub(super) fn scan(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let d = ScanDims::of(cx.func(), cx.op())?;
    let trips =
        usize::try_from(cx.extent(&d.length)?).map_err(|_| Error::new(Code::E0402, "the trip count is negative"))?;
    let (mut carry, xs) = (cx.args()[..d.carry].to_vec(), cx.args()[d.carry..].to_vec());
    let mut collected: Vec<Vec<Tensor>> = vec![vec![]; d.collect.len()];
    let mut held = cx.hold(0)?;
    for k in 0..trips {
        let i = if d.reverse { trips - 1 - k } else { k };
        let mut args = carry.clone();
        for (x, &a) in xs.iter().zip(&d.cut) {
            args.push(cut(x, a, i)?);
        }
        let mut ys = cx.region(0, &args)?;
        collect(&mut collected, ys.split_off(d.carry.min(ys.len())), &mut held)?;
        carry = ys;
    }
    let mut results = carry;
    for (j, (mut c, &how)) in collected.into_iter().zip(&d.collect).enumerate() {
        if d.reverse {
            c.reverse();
        }
        results.push(gather(cx, d.carry + j, how, &c)?);
    }
    Ok(results)
}

pub(super) fn while_loop(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let max = cx.extents("max_trips")?.first().copied();
    let mut carry = cx.args().to_vec();
    let n = carry.len();
    let mut collected: Vec<Vec<Tensor>> = vec![vec![]; cx.op().results.len().saturating_sub(n)];
    let (mut trips, mut held) = (0, cx.hold(0)?);
    while truth(cx.region(0, &carry)?.first())? {
        if max.is_some_and(|m| trips >= m) {
            let text = format!("`while` takes more than max_trips = {} trips", max.unwrap_or_default());
            return Err(Error::new(Code::E0712, text).help("raise `max_trips`, or look at why `cond` stays true"));
        }
        trips += 1;
        let mut ys = cx.region(1, &carry)?;
        collect(&mut collected, ys.split_off(n.min(ys.len())), &mut held)?;
        carry = ys;
    }
    let mut results = carry;
    let how = while_gathers(cx.func(), cx.op())?;
    for (j, (c, how)) in collected.iter().zip(how).enumerate() {
        if how != Gather::Concat {
            bind_trips(cx, n + j, trips)?;
        }
        results.push(gather(cx, n + j, how, c)?);
    }
    Ok(results)
}

fn bind_trips(cx: &mut OpCx, result: usize, trips: i64) -> Result<()> {
    let ty = cx.func().ty(cx.op().results[result]).clone();
    if let Some(a @ tfc_ir::extent::Atom::Exist(_)) = ty.dims.last().and_then(|d| d.as_atom())
        && cx.env().get(a).is_none()
    {
        cx.env().bind(a, trips);
    }
    Ok(())
}
