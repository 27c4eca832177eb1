//! `gather` and `scatter`, whose dimension numbers the rows share.
use super::super::super::ast::Op;
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, Stop, args};
use super::region::expressions;
use super::{Emit, Table};
use tfc_ir::ops::elementwise::small::widened;
use tfc_ir::ops::index::{GATHER, SCATTER};
use tfc_ir::{Attr, Code, DType, Diagnostic, Extent, NewOp, Type, ValueId};

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
/// Operands of which those from `first` on are indices: of 32 bits at least.
pub(super) fn with_indices(cx: &mut FuncCx, v: &[ValueId], first: usize) -> Made<Vec<ValueId>> {
    let mut v = v.to_vec();
    for i in v.iter_mut().skip(first) {
        *i = widened(&mut cx.b, *i)?;
    }
    Ok(v)
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
    let v = with_indices(cx, v, 1)?;
    let new = numbers(cx, op, "dimension_numbers", GATHERED, NewOp::new(&GATHER, &v))?;
    Ok(cx.b.emit(new.attr("slice_sizes", Attr::extents(sizes)))?)
}

/// What a row's `combine` says of a result of a region of scalars, given what is there and what comes.
fn word(region: &str, old: usize, new: usize, dtype: DType) -> Option<&'static str> {
    let truth = dtype == DType::Bool;
    if region == new.to_string() {
        return Some("set");
    }
    let name = [(old, new), (new, old)].iter().find_map(|(a, b)| region.strip_suffix(&format!("({a},{b})")))?;
    Some(match name {
        "add" => {
            if truth {
                "max"
            } else {
                "add"
            }
        }
        "multiply" => {
            if truth {
                "min"
            } else {
                "mul"
            }
        }
        "maximum" if !dtype.is_complex() => "max",
        "minimum" if !dtype.is_complex() => "min",
        "or" if truth => "max",
        "and" if truth => "min",
        _ => return None,
    })
}
/// Several operands are scattered into one after the other, as each result depends on nothing but its own operand.
fn scatter<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let count = v.len() / 2;
    let (Some((xs, rest)), true) = (v.split_at_checked(count), v.len() % 2 == 1) else {
        let text = format!("`stablehlo.scatter` takes operands, indices and as many updates, not {} values", v.len());
        return Err(Diagnostic::error(Code::E0210, op.span, text).help("write one update an operand").into_stop());
    };
    let Some((&index, updates)) = rest.split_first() else { return Err(Stop::Lost) };
    let index = widened(&mut cx.b, index)?;
    let block = cx.block(op, 0)?;
    let said = expressions(block);
    let types: Vec<Type> = xs.iter().chain(updates).map(|&x| Type::scalar(cx.b.func().ty(x).dtype)).collect();
    let gives: Vec<DType> = types.iter().take(count).map(|t| t.dtype).collect();
    cx.checked_region(op, block, &types, &gives)?;
    let mut out = vec![];
    for (i, (&x, &update)) in xs.iter().zip(updates).enumerate() {
        let new = NewOp::new(&SCATTER, &[x, index, update]);
        let new = numbers(cx, op, "scatter_dimension_numbers", SCATTERED, new)?;
        let dtype = cx.b.func().ty(x).dtype;
        let found = said.as_ref().and_then(|s| s.get(i)).and_then(|s| word(s, i, count + i, dtype));
        let new = match found {
            Some(w) => new.attr("combine", Attr::word(w)),
            None => {
                let Some(region) = cx.part_of_region("combine", op, block, &types, &[i, count + i], i)? else {
                    let d =
                        Diagnostic::error(Code::E0240, op.span, "`stablehlo.scatter` whose operands mix is not read");
                    return Err(d.help("a result depends on its own operand and update only").into_stop());
                };
                new.regions(vec![region])
            }
        };
        out.push(cx.b.emit1(new)?);
    }
    Ok(out)
}
