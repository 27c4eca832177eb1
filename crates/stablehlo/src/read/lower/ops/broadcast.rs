//! `chlo.broadcast_*`: elementwise ops on operands of different shapes. Missing axes are in front unless
//! `broadcast_dimensions` says where an operand's axes go; an axis of one element is repeated.
use super::super::super::ast::Op;
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, Stop};
use super::{Emit, Table, find};
use tfc_ir::{Code, Diagnostic, Extent, NewOp, Type, ValueId};

/// Each is this op on operands of one shape.
macro_rules! table {
    ($($dialect:literal: $($name:literal),*;)*) => {
        pub(super) const OPS: Table = &[$($(
            (concat!("chlo.broadcast_", $name), Emit::Whole(|cx, op, v| spread(cx, op, concat!($dialect, ".", $name), v))),
        )*)*];
    };
}
table! {
    "stablehlo": "add", "and", "atan2", "compare", "complex", "divide", "maximum", "minimum", "multiply", "or", "power",
        "remainder", "select", "shift_left", "shift_right_arithmetic", "shift_right_logical", "subtract", "xor";
    "chlo": "next_after", "polygamma", "zeta";
}

fn spread<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, name: &str, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let types: Vec<Type> = v.iter().map(|&x| cx.b.ty(x)).collect();
    let rank = types.iter().map(Type::rank).max().unwrap_or(0);
    let given = match cx.find(op, "broadcast_dimensions") {
        Some(_) => Some(cx.axes(op, "broadcast_dimensions")?),
        None => None,
    };
    let places = |t: &Type| match &given {
        Some(d) if d.len() == t.rank() && t.rank() < rank => d.clone(),
        _ => (rank - t.rank()..rank).collect(),
    };
    let mut dims = vec![Extent::exact(1); rank];
    for t in &types {
        for (n, at) in t.dims.iter().zip(places(t)) {
            match dims.get_mut(at) {
                Some(d) if d.as_exact() == Some(1) => *d = n.clone(),
                Some(_) => {}
                None => {
                    let text = format!("`broadcast_dimensions` names axis {at} of {rank}");
                    return Err(Diagnostic::error(Code::E0242, op.span, text)
                        .help("axes are counted from 0")
                        .into_stop());
                }
            }
        }
    }
    let mut operands = vec![];
    for (&x, t) in v.iter().zip(&types) {
        operands.push(cx.b.broadcast(x, &t.with_dims(dims.clone()), &places(t))?);
    }
    match find(name) {
        Some(Emit::Row(def)) => Ok(cx.b.emit(NewOp::new(def, &operands))?),
        Some(Emit::Each(f)) => f(cx, op, &operands),
        _ => Err(Stop::Lost),
    }
}
