//! `rng_bit_generator`, by the algorithm that it names; `DEFAULT` is what XLA takes for it on a CPU.
use super::super::super::ast::Op;
use super::super::func::FuncCx;
use super::super::{Made, args};
use super::elementwise::operands;
use super::{Emit, Table};
use tfc_ir::ops::elementwise::BITCAST;
use tfc_ir::ops::random::RNG_BIT_GENERATOR;
use tfc_ir::{Attr, DType, NewOp, ValueId};

pub(super) const OPS: Table = &[("stablehlo.rng_bit_generator", Emit::Whole(bits))];

fn bits<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let [state] = operands(op, v)?;
    let algorithm = match cx.word(op, "rng_algorithm", 0).or_else(|| cx.word(op, "algorithm", 0)) {
        Some("THREE_FRY") => "threefry2x32",
        Some("PHILOX" | "DEFAULT") => "philox4x32",
        _ => {
            let text = "`rng_bit_generator` says by `algorithm` what it is";
            return Err(args::wrong(op.span, text, "DEFAULT, THREE_FRY or PHILOX"));
        }
    };
    let (next, ty) = (cx.out(op, 0)?, cx.out(op, 1)?);
    // The bits of a floating number are random, not its value.
    let own = match ty.dtype {
        DType::F32 => DType::U32,
        DType::F64 => DType::U64,
        d => d,
    };
    let new = NewOp::new(&RNG_BIT_GENERATOR, &[state]).attr("algorithm", Attr::word(algorithm));
    let mut made = cx.b.emit(new.types(vec![next, ty.with_dtype(own)]))?;
    if let (true, Some(bits)) = (own != ty.dtype, made.last_mut()) {
        *bits = cx.b.emit1(NewOp::new(&BITCAST, &[*bits]).types(vec![ty]))?;
    }
    Ok(made)
}
