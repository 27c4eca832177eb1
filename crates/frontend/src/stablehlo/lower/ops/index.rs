//! `gather` and `scatter`, whose dimension numbers the rows share.
use super::super::super::ast::Op;
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, args};
use super::region::{Combiner, combiner};
use super::{Emit, Table};
use tfc_ir::ops::index::{GATHER, SCATTER};
use tfc_ir::{Attr, DType, Diagnostic, Extent, NewOp, Type, ValueId};

pub(super) const OPS: Table = &[("stablehlo.gather", Emit::Whole(gather)), ("stablehlo.scatter", Emit::Whole(scatter))];

const GATHERED: [&str; 5] =
    ["offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims", "start_index_map"];
const SCATTERED: [&str; 5] = [
    "update_window_dims",
    "inserted_window_dims",
    "input_batching_dims",
    "scatter_indices_batching_dims",
    "scatter_dims_to_operand_dims",
];

/// With the dimension numbers that the attribute `key` holds. A field that is not written is empty, or 0.
fn numbers<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>, key: &str, names: [&'static str; 5], new: NewOp) -> Made<NewOp> {
    let fields = cx.fields(op, key)?;
    let mut new = new;
    for name in names {
        new = new.attr(name, Attr::ints(&cx.field(fields, name)?));
    }
    let last = match cx.field(fields, "index_vector_dim")?.as_slice() {
        [] => 0,
        [n] => *n,
        _ => return Err(args::wrong(op.span, "`index_vector_dim` is one axis", "write an integer")),
    };
    Ok(new.attr("index_vector_dim", Attr::Int(last as i64)))
}
fn gather<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let sizes = cx.axes(op, "slice_sizes")?.into_iter().map(Extent::from).collect();
    gather_sized(cx, op, v, sizes)
}
pub(super) fn gather_sized<'a>(
    cx: &mut FuncCx<'a>,
    op: &'a Op<'a>,
    v: &[ValueId],
    sizes: Vec<Extent>,
) -> Made<Vec<ValueId>> {
    let new = numbers(cx, op, "dimension_numbers", GATHERED, NewOp::new(&GATHER, v))?;
    Ok(cx.b.emit(new.attr("slice_sizes", Attr::extents(sizes)))?)
}

fn scatter<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let &[x, index, updates] = v else {
        let d = Diagnostic::error("E0240", op.span, "`stablehlo.scatter` of several operands is not read");
        return Err(d.help("scatter into one operand at a time").into_stop());
    };
    let block = cx.block(op, 0)?;
    let dtype = cx.b.func().ty(x).dtype;
    let truth = dtype == DType::Bool;
    let word = match combiner(block) {
        Some(Combiner::Second) => Some("set"),
        Some(Combiner::Op("stablehlo.add")) => Some(if truth { "max" } else { "add" }),
        Some(Combiner::Op("stablehlo.multiply")) => Some(if truth { "min" } else { "mul" }),
        Some(Combiner::Op("stablehlo.maximum")) if !dtype.is_complex() => Some("max"),
        Some(Combiner::Op("stablehlo.minimum")) if !dtype.is_complex() => Some("min"),
        Some(Combiner::Op("stablehlo.or")) if truth => Some("max"),
        Some(Combiner::Op("stablehlo.and")) if truth => Some("min"),
        _ => None,
    };
    let new = NewOp::new(&SCATTER, &[x, index, updates]);
    let new = numbers(cx, op, "scatter_dimension_numbers", SCATTERED, new)?;
    let new = match word {
        Some(w) => new.attr("combine", Attr::word(w)),
        None => {
            let one = Type::scalar(dtype);
            let region = cx.region("combine", op, block, &[one.clone(), one])?;
            new.regions(vec![region])
        }
    };
    Ok(cx.b.emit(new)?)
}
