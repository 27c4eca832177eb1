//! Axes of which only a beginning counts (`--dyn`): they are as long as they can get, and what stands behind the beginning is
//! anything. An op of which no element that counts depends on one that does not is written as any other; where elements meet,
//! what does not count is first replaced by what changes nothing. What each row does is said by the table ([`Partial`]).
use tfc_ir::op::Batch;
use tfc_ir::{Code, DType, Error, Extent, Func, Result, Tensor};

use crate::write::cx::Cx;
use crate::write::table::{Neutral, Partial, Spelling};
use crate::write::ty::{Ty, element};
use crate::write::writer::{Val, Writer, broken};

/// Where an index along the axis is less than `count`, an `i64[]`.
pub(crate) fn counts_along(w: &mut Writer, dims: &[usize], axis: usize, count: &Val) -> Val {
    let ty = Ty::new(DType::I64, dims);
    let (at, most) = (w.iota(&ty, axis), w.broadcast(count, &[], &ty));
    w.compare("LT", &at, &most)
}
/// Where all indices along these axes count; `None` where there is no such axis.
pub(crate) fn counting(w: &mut Writer, dims: &[usize], axes: &[(usize, Val)]) -> Option<Val> {
    axes.iter().fold(None, |all: Option<Val>, (axis, count)| {
        let one = counts_along(w, dims, *axis, count);
        Some(match all {
            Some(all) => w.bin("and", &all, &one),
            None => one,
        })
    })
}
/// `x`, with a scalar in the place of what does not count along these axes.
pub(crate) fn fill(w: &mut Writer, x: &Val, axes: &[(usize, Val)], with: &Val) -> Result<Val> {
    let dims = x.dims().to_vec();
    let Some(mask) = counting(w, &dims, axes) else { return Ok(x.clone()) };
    let with = w.broadcast(with, &[], &x.ty);
    Ok(w.select(&mask, x, &with))
}
/// The same with a neutral element.
pub(crate) fn neutral(w: &mut Writer, x: &Val, axes: &[(usize, Val)], with: Neutral) -> Result<Val> {
    if axes.is_empty() || x.ty.is_empty() {
        return Ok(x.clone());
    }
    let one = Ty::scalar(x.dtype());
    let with = match with {
        Neutral::Zero => w.splat(&one, 0.0)?,
        Neutral::One => w.splat(&one, 1.0)?,
        Neutral::Ones => {
            let zero = w.splat(&one, 0.0)?;
            w.un("not", &zero)
        }
        Neutral::Least => w.end(&one, false)?,
        Neutral::Greatest => w.end(&one, true)?,
        Neutral::Identity => {
            let dims = x.dims().to_vec();
            let Some(mask) = counting(w, &dims, axes) else { return Ok(x.clone()) };
            let diagonal = crate::write::ops::diagonal_mask(w, &dims, "EQ", 0)?;
            let (ones, zeros) = (w.splat(&x.ty, 1.0)?, w.splat(&x.ty, 0.0)?);
            let eye = w.select(&diagonal, &ones, &zeros);
            return Ok(w.select(&mask, x, &eye));
        }
    };
    fill(w, x, axes, &with)
}
/// `x` with axes of these lengths: cut, or with zeros behind it.
pub(crate) fn refit(w: &mut Writer, x: &Val, dims: &[usize]) -> Result<Val> {
    if x.dims() == dims {
        return Ok(x.clone());
    }
    let kept: Vec<usize> = x.dims().iter().zip(dims).map(|(&a, &b)| a.min(b)).collect();
    let head = w.slice(x, &vec![0; x.rank()], &kept, &vec![1; x.rank()]);
    let zero = w.splat(&Ty::scalar(x.dtype()), 0.0)?;
    let more = |(&a, &b): (&usize, &usize)| i64::try_from(b - a).map_err(|_| broken("an extent"));
    let high = kept.iter().zip(dims).map(more).collect::<Result<Vec<_>>>()?;
    w.pad(&head, &zero, &vec![0; x.rank()], &high, &vec![0; x.rank()])
}
/// The value with as many elements along these axes as count, and its type.
pub(crate) fn bounded(w: &mut Writer, x: &Val, axes: &[(usize, Val)]) -> (Val, String) {
    let text = |open: &[usize]| {
        let mut out = String::from("tensor<");
        for (a, n) in x.dims().iter().enumerate() {
            out.push_str(&if open.contains(&a) { "?x".into() } else { format!("{n}x") });
        }
        let bound = |(a, n): (usize, &usize)| if open.contains(&a) { n.to_string() } else { "?".into() };
        let bounds: Vec<String> = x.dims().iter().enumerate().map(bound).collect();
        out + element(x.dtype()) + &format!(", #stablehlo.bounds<{}>>", bounds.join(", "))
    };
    let (mut made, mut said, mut open) = (x.clone(), x.ty.to_string(), vec![]);
    for (axis, count) in axes {
        let size = w.convert(count, DType::I32);
        open.push(*axis);
        let to = text(&open);
        made = w.emit(
            x.ty.clone(),
            format_args!("stablehlo.set_dimension_size {made}, {size}, dim = {axis} : ({said}, {}) -> {to}", size.ty),
        );
        said = to;
    }
    (made, said)
}

fn spell(cx: &mut Cx, how: Spelling) -> Result<Vec<Val>> {
    match how {
        Spelling::By(spell) => spell(cx),
        Spelling::Is(word) => {
            let args = cx.args().to_vec();
            Ok(vec![cx.same(word, &args.iter().collect::<Vec<_>>())?])
        }
        Spelling::Refused(why) => {
            Err(Error::new(Code::E1103, format!("`{}` is not exported: {why}", cx.op().def.name))
                .help("`docs/export.md` lists what is"))
        }
    }
}
/// The error of a row that cannot leave a part of an axis out.
pub(crate) fn refused(cx: &Cx, what: &str) -> Error {
    let text = format!("`{}` {what} whose extent values decide", cx.op().def.name);
    Error::new(Code::E1121, text).help("cut or pad its operand to an exact extent: `take_prefix`, `pad_suffix`")
}
/// An op of which some extent is decided by values.
pub(crate) fn spelled(cx: &mut Cx, how: Spelling, part: Option<Partial>) -> Result<Vec<Val>> {
    match part {
        Some(Partial::By(own)) => return own(cx),
        Some(Partial::Alone) => {
            if matches!(cx.op().def.batch, Batch::Elementwise) && !cx.op().results.is_empty() {
                // Extents that are equal may be known to be so without having one bound.
                let like = cx.result(0)?.dims;
                let args = cx.args().to_vec();
                cx.args = args
                    .iter()
                    .map(|a| if a.rank() == like.len() { refit(cx, a, &like) } else { Ok(a.clone()) })
                    .collect::<Result<Vec<_>>>()?;
            }
        }
        Some(Partial::Filled(of)) => {
            for i in 0..cx.args().len() {
                let (spec, mut open) = (of(cx, i), cx.open_of(i)?);
                open.retain(|(a, _)| spec.axes.contains(a));
                let x = cx.arg(i)?;
                let x = neutral(cx, &x, &open, spec.with)?;
                if let Some(slot) = cx.args.get_mut(i) {
                    *slot = x;
                }
            }
        }
        Some(Partial::Exact(of)) => {
            for i in 0..cx.args().len() {
                let (axes, open) = (of(cx, i), cx.open_of(i)?);
                if open.iter().any(|(a, _)| axes.contains(a)) {
                    return Err(refused(cx, "works on the whole of an axis"));
                }
                // Iterations end on zeros.
                let x = cx.arg(i)?;
                let x = neutral(cx, &x, &open, Neutral::Zero)?;
                if let Some(slot) = cx.args.get_mut(i) {
                    *slot = x;
                }
            }
        }
        None => return Err(refused(cx, "has a rule for no axis")),
    }
    spell(cx, how)
}

/// The extents in the types of a function's results that values decide, each once, in order: what results of
/// [`Dynamic::Mask`](crate::write::Dynamic::Mask) beyond its own say, as `i64[]`.
pub fn extents(f: &Func) -> Vec<Extent> {
    let mut out = vec![];
    for d in f.result_types.iter().flat_map(|t| t.dims.iter()) {
        if d.mentions_existential() && !out.contains(d) {
            out.push(d.clone());
        }
    }
    out
}
/// Results of `@main` of [`Dynamic::Mask`](crate::write::Dynamic::Mask) as the function itself gives them: what counts of its own
/// results; checks and prints, which stand last, as they are.
///
/// # Errors
/// `E1109` where results are missing or say extents that they do not have.
pub fn narrowed(f: &Func, mut results: Vec<Tensor>) -> Result<Vec<Tensor>> {
    let (own, open) = (f.result_types.len(), extents(f));
    if results.len() < own + open.len() {
        return Err(broken("a result is missing"));
    }
    let counts: Vec<Tensor> = results.drain(own..own + open.len()).collect();
    for (t, y) in f.result_types.iter().zip(results.iter_mut()) {
        for (axis, d) in t.dims.iter().enumerate() {
            let Some(count) = open.iter().position(|e| e == d).and_then(|k| counts.get(k)) else { continue };
            let n = count.item::<i64>().and_then(|n| usize::try_from(n).ok());
            let n = n.filter(|&n| y.shape().get(axis).is_some_and(|&all| n <= all));
            let n = n.ok_or_else(|| broken("an extent outside of its axis"))?;
            let mut shape = y.shape().to_vec();
            if let Some(d) = shape.get_mut(axis) {
                *d = n;
            }
            *y = Tensor::view(y.data().clone(), shape, y.strides().to_vec(), y.offset())?;
        }
    }
    Ok(results)
}
