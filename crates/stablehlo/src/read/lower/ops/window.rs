//! `reduce_window`, `select_and_scatter`, `convolution`, and the forms of them whose extents are operands.
use super::super::super::ast::{Attr, AttrKind, Op};
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, args};
use super::contract::within;
use super::elementwise::{operands, to_dtype};
use super::reduce::halves;
use super::{Emit, Table, dynamic};
use tfc_ir::ops::composite::{CONV, REDUCE_WINDOW, SELECT_AND_SCATTER};
use tfc_ir::{Code, Diagnostic, Extent, NewOp, Type, ValueId};

pub(super) const OPS: Table = &[
    ("stablehlo.reduce_window", Emit::Whole(reduce_window)),
    ("stablehlo.select_and_scatter", Emit::Whole(select_and_scatter)),
    ("stablehlo.convolution", Emit::Whole(convolution)),
    ("stablehlo.dynamic_conv", Emit::Whole(dynamic_conv)),
];

fn extents(v: &[i64]) -> tfc_ir::Attr {
    tfc_ir::Attr::extents(v.iter().map(|&i| Extent::exact(i)).collect::<Vec<_>>())
}
/// Pairs `[low, high]`, one an axis.
fn padding<T: Clone>(v: Vec<T>) -> [Vec<T>; 2] {
    let side = |k: usize| v.iter().skip(k).step_by(2).cloned().collect();
    [side(0), side(1)]
}
impl<'a> FuncCx<'a> {
    /// The attributes of windows over all axes, under the names that they have here.
    fn windows(&self, op: &'a Op<'a>, mut new: NewOp) -> Made<NewOp> {
        let size = self.ints(op, "window_dimensions")?;
        let Some(size) = size else { return self.need(op, "window_dimensions").map(|_| new) };
        new = new.attr("size", extents(&size));
        for (from, to) in [("window_strides", "stride"), ("window_dilations", "dilation")] {
            if let Some(v) = self.ints(op, from)? {
                new = new.attr(to, extents(&v));
            }
        }
        if let Some(v) = self.ints(op, "base_dilations")? {
            new = new.attr("base_dilation", tfc_ir::Attr::ints(&v));
        }
        if let Some(v) = self.ints(op, "padding")? {
            let [low, high] = padding(v);
            new = new.attr("low", extents(&low)).attr("high", extents(&high));
        }
        Ok(new)
    }
    fn scalars(&self, v: &[ValueId]) -> Vec<Type> {
        v.iter().map(|&x| Type::scalar(self.b.func().ty(x).dtype)).collect()
    }
}

fn reduce_window<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let (xs, inits) = halves(op, v)?;
    let operands = [inits, xs].concat();
    let types = cx.scalars(&operands);
    let block = cx.block(op, 0)?;
    let combine = cx.region("combine", op, block, &types)?;
    let new = NewOp::new(&REDUCE_WINDOW, &operands).attr("carry", tfc_ir::Attr::Int(inits.len() as i64));
    Ok(cx.b.emit(cx.windows(op, new)?.regions(vec![combine]))?)
}
/// `@stablehlo.dynamic_reduce_window`: operands and initial values, then lists of extents; the region is a function.
pub(super) fn dynamic_reduce_window<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    const LISTS: [&str; 5] = ["size", "stride", "base_dilation", "dilation", "padding"];
    let (own, lists) = v.split_at(v.len().saturating_sub(LISTS.len()));
    let (xs, inits) = halves(op, own)?;
    let operands = [inits, xs].concat();
    let mut new = NewOp::new(&REDUCE_WINDOW, &operands).attr("carry", tfc_ir::Attr::Int(inits.len() as i64));
    for (name, &list) in LISTS.into_iter().zip(lists) {
        if name == "base_dilation" {
            new = new.attr(name, tfc_ir::Attr::ints(&dynamic::exact(cx, op, list)?));
            continue;
        }
        let list = dynamic::extents(cx, op, list)?;
        if name == "padding" {
            let [low, high] = padding(list);
            new = new.attr("low", tfc_ir::Attr::extents(low)).attr("high", tfc_ir::Attr::extents(high));
        } else {
            new = new.attr(name, tfc_ir::Attr::extents(list));
        }
    }
    let combine = cx.called_region(op, "combine", "called_computations", &cx.scalars(&operands))?;
    Ok(cx.b.emit(new.regions(vec![combine]))?)
}
/// `dynamic_conv`: a convolution whose padding is an operand.
fn dynamic_conv<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, kernel, pad] = operands(op, v)?;
    let [low, high] = padding(dynamic::extents(cx, op, pad)?);
    with_dtypes(cx, op, [x, kernel], |cx, v| {
        let new = convolved(cx, op, v)?;
        Ok(cx.b.emit(new.attr("low", tfc_ir::Attr::extents(low)).attr("high", tfc_ir::Attr::extents(high)))?)
    })
}
fn select_and_scatter<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let mut regions = vec![];
    let &[x, _, _] = v else {
        let text = format!("`{}` takes an operand, a source and an initial value", op.name.text);
        return Err(Diagnostic::error(Code::E0210, op.span, text).help("write three operands").into_stop());
    };
    let types = cx.scalars(&[x, x]);
    for (i, label) in ["select", "scatter"].into_iter().enumerate() {
        let block = cx.block(op, i)?;
        regions.push(cx.region(label, op, block, &types)?);
    }
    let new = NewOp::new(&SELECT_AND_SCATTER, v).regions(regions);
    Ok(cx.b.emit(cx.windows(op, new)?)?)
}

/// Where axes are: in `[b, 0, 1, f]` the axes `b` and `f`, then the numbered ones in their order.
fn places(list: &Attr, first: &str, second: &str) -> Made<Vec<usize>> {
    let wrong = || {
        let help = format!("axes are `{first}`, `{second}` and the numbers of spatial axes, each once");
        args::wrong(list.span, "axes of a convolution", help)
    };
    let AttrKind::List(l) = &list.kind else { return Err(wrong()) };
    let name = |a: &Attr| match &a.kind {
        AttrKind::Word(w) => Some((*w).to_owned()),
        AttrKind::Num(n) => Some((*n).to_owned()),
        _ => None,
    };
    let names: Vec<String> = l.iter().map(name).collect::<Option<_>>().ok_or_else(wrong)?;
    let at = |what: &str| names.iter().position(|n| n == what).ok_or_else(wrong);
    let mut out = vec![at(first)?, at(second)?];
    for i in 0..names.len().saturating_sub(2) {
        out.push(at(&i.to_string())?);
    }
    Ok(out)
}
/// `dim_numbers = […]x[…]->[…]`, or `#stablehlo.conv<[…]x[…]->[…]>`: of the operand, the kernel (in, out, spatial), the result.
fn dim_numbers<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>) -> Made<[Vec<usize>; 3]> {
    let key = if cx.find(op, "dim_numbers").is_some() { "dim_numbers" } else { "dimension_numbers" };
    let a = cx.need(op, key)?;
    let AttrKind::Product(all) = &a.kind else {
        return Err(args::wrong(
            a.span,
            format!("`{key}` is not read"),
            "it is written `[b, f, 0]x[o, i, 0]->[b, f, 0]`",
        ));
    };
    let [x, k, y] = all.as_slice() else {
        return Err(args::wrong(
            a.span,
            format!("`{key}` has {} lists", all.len()),
            "operand, kernel and result have one each",
        ));
    };
    Ok([places(x, "b", "f")?, places(k, "i", "o")?, places(y, "b", "f")?])
}
fn convolution<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [x, kernel] = operands(op, v)?;
    with_dtypes(cx, op, [x, kernel], |cx, v| Ok(cx.b.emit(convolved(cx, op, v)?)?))
}
/// A convolution whose result is of another dtype than its operands is computed as a product of such is.
fn with_dtypes<'a>(
    cx: &mut FuncCx<'a>,
    op: &'a Op<'a>,
    v: [ValueId; 2],
    make: impl FnOnce(&mut FuncCx<'a>, &[ValueId]) -> Made<Vec<ValueId>>,
) -> Made<Vec<ValueId>> {
    let (of, to) = (v.map(|x| cx.b.func().ty(x).dtype), cx.out_dtype(op, 0)?);
    if of == [to, to] {
        return make(cx, &v);
    }
    let within = within(of, to);
    let [x, kernel] = [to_dtype(cx, v[0], of[0], within)?, to_dtype(cx, v[1], of[1], within)?];
    let made = make(cx, &[x, kernel])?;
    made.into_iter().map(|y| to_dtype(cx, y, within, to)).collect()
}
/// The convolution with the attributes that are written.
fn convolved<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<NewOp> {
    let dims = dim_numbers(cx, op)?;
    let mut new = NewOp::new(&CONV, v);
    for (name, d) in ["x_dims", "kernel_dims", "out_dims"].into_iter().zip(&dims) {
        new = new.attr(name, tfc_ir::Attr::ints(d));
    }
    // `window = {stride = …}` or attributes of the op itself.
    let window = match cx.find(op, "window").map(|a| &a.kind) {
        Some(AttrKind::Dict(d)) => d.as_slice(),
        _ => &[],
    };
    let list = |short: &str, long: &str| -> Made<Option<Vec<i64>>> {
        match window.iter().find(|(k, _)| k.text == short) {
            Some((_, a)) => Ok(Some(args::ints(cx.resolve(a))?)),
            None => cx.ints(op, long),
        }
    };
    let lists =
        [("stride", list("stride", "window_strides")?), ("kernel_dilation", list("rhs_dilate", "rhs_dilation")?)];
    for (name, v) in lists {
        if let Some(v) = v {
            new = new.attr(name, extents(&v));
        }
    }
    if let Some(v) = list("lhs_dilate", "lhs_dilation")? {
        new = new.attr("x_dilation", tfc_ir::Attr::ints(&v));
    }
    if let Some(v) = list("pad", "padding")? {
        let [low, high] = padding(v);
        new = new.attr("low", extents(&low)).attr("high", extents(&high));
    }
    if let Some(v) = list("reverse", "window_reversal")? {
        let axes: Vec<usize> = (0..v.len()).filter(|&i| v[i] != 0).collect();
        new = new.attr("reverse", tfc_ir::Attr::ints(&axes));
    }
    for (from, to) in [("feature_group_count", "feature_groups"), ("batch_group_count", "batch_groups")] {
        new = new.attr(to, tfc_ir::Attr::Int(cx.int_or(op, from, 1)?));
    }
    Ok(new)
}
