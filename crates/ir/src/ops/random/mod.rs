//! Random bits from counters: pure functions of a state, which is a key and a counter (Salmon, Moraes, Dror & Shaw, *Parallel
//! random numbers: as easy as 1, 2, 3*, SC 2011). Every word is computed by itself from the key and a counter of its own, so
//! that neither threads nor shapes of loops have a say in it.
//!
//! They are composites of integer ops, which engines fuse into one loop: `threefry` and `philox` hold the ciphers, this file how
//! counters and words lie in a state and a result, which is as XLA has it.
mod draws;
mod keys;
mod philox;
mod threefry;

use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::extent::{CmpOp, Extent};
use crate::func::ValueId;
use crate::infer::InferCx;
use crate::op::*;
use crate::ops::constant::IOTA;
use crate::ops::elementwise as e;
use crate::ops::shape::{CONCAT, SLICE};
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;

pub use draws::{BERNOULLI, CATEGORICAL, GAMMA, NORMAL, PERMUTATION, UNIFORM};
pub use keys::{BITS, FOLD_IN, KEY, SPLIT};

/// The rows.
pub static FAMILY: Family = &[
    &RNG_BIT_GENERATOR,
    &KEY,
    &SPLIT,
    &FOLD_IN,
    &BITS,
    &UNIFORM,
    &NORMAL,
    &BERNOULLI,
    &PERMUTATION,
    &CATEGORICAL,
    &GAMMA,
];

/// `rng_bit_generator`.
pub static RNG_BIT_GENERATOR: OpDef = OpDef {
    name: "rng_bit_generator",
    doc: "Random bits: the next state, and integers of 32 or 64 bits of the written type, every bit of which is random. The same state \
          gives the same bits, on every engine and machine, and XLA's.\n\n`state` is `u64[2]`, a key and a counter; for `philox4x32` \
          also `u64[3]`, with the low and the high half of a counter of 128 bits (of two words the key is the high half too). The next \
          state has the counter that comes after those used up. `threefry2x32` (20 rounds) makes two words of 32 bits of a counter, \
          `philox4x32` (10 rounds) four.\n\nWords lie in logical order, low half first where two make an integer of 64 bits. Those of \
          32 bits by `threefry2x32` lie otherwise: the two words of a counter are neighbours along `axis`, cut to its extent. That \
          axis is the first of even extent, else the first of the longest, and must be written where extents are not all exact and \
          there are several.\n\nNo derivative: integers have no tangent.",
    operands: &["state"],
    slots: &[Slot::required("algorithm", SlotKind::Word(&[THREEFRY, PHILOX])), Slot::optional("axis", SlotKind::Int)],
    needs_type: true,
    infer,
    linearize: Linearize::Zero,
    expand: Expand::Composite(expand),
    batch: Batch::Expand,
    sample,
    ..OpDef::BASE
};
const THREEFRY: &str = "threefry2x32";
const PHILOX: &str = "philox4x32";

fn is_threefry(attrs: &Attrs) -> bool {
    attrs.word("algorithm") == Some(THREEFRY)
}
fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_dtype(0, |d| d == DType::U64, "a state of u64")?;
    let state = cx.ty(0)?;
    let words = match &state.dims[..] {
        [n] => n.as_exact(),
        _ => None,
    };
    let threefry = is_threefry(cx.attrs());
    if words != Some(2) && (threefry || words != Some(3)) {
        let (name, some) = (cx.def().name, if threefry { "u64[2]" } else { "u64[2] or u64[3]" });
        let text = format!("the state of `{name}` is {some} here, not {}", cx.show(&state));
        return Err(Error::new(Code::E0205, text).operand(0).help("a key, then a counter"));
    }
    let Some([_, bits]) = cx.declared else {
        let text = format!("`{}` needs the types of the state and the bits written", cx.def().name);
        return Err(Error::new(Code::E0207, text).help("write `%state: u64[2], %bits: u32[…] = …`"));
    };
    let bits = bits.clone();
    cx.all_bound(&bits.dims, Part::Result(1))?;
    if !bits.dtype.is_int() {
        let text = format!("`{}` gives integers, not {}", cx.def().name, bits.dtype);
        return Err(Error::new(Code::E0203, text).at(Part::Result(1)).help("then insert `bitcast` or `convert`"));
    }
    match threefry && bits.dtype.size() == 4 && bits.rank() > 0 {
        true => {
            let axis = pairs_along(cx, &bits)?;
            cx.set_attr("axis", Attr::Int(axis as i64));
        }
        false => cx.remove_attr("axis"),
    }
    Ok(vec![state, bits])
}
/// The axis along which two words of a counter are neighbours.
fn pairs_along(cx: &InferCx, bits: &Type) -> Result<usize> {
    if cx.attrs().get("axis").is_some() || bits.rank() == 1 {
        return cx.axis("axis", bits.rank()).map(|a| if bits.rank() == 1 { 0 } else { a });
    }
    let Some(shape) = bits.exact_shape() else {
        let text = format!("`{}` needs `axis` for extents that are not exact", cx.def().name);
        return Err(Error::new(Code::E0222, text).help("the axis along which two words of a counter are neighbours"));
    };
    let longest = shape.iter().max().copied().unwrap_or(0);
    let even = shape.iter().position(|n| n % 2 == 0);
    Ok(even.or_else(|| shape.iter().position(|&n| n == longest)).unwrap_or(0))
}

fn expand(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    let Some([_, ty]) = op.declared.as_deref() else {
        return Err(Error::new(Code::E0207, "`rng_bit_generator` needs the types of its results written"));
    };
    let state = op.operands[0];
    let key = word(b, state, 0)?;
    let low = word(b, state, 1)?;
    let wide = ty.dtype.size() == 8;
    let unsigned = ty.with_dtype(if wide { DType::U64 } else { DType::U32 });
    let count = ty.dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d))?;
    let (next, bits) = if is_threefry(&op.attrs) {
        let axis = op.attrs.get("axis").map(|_| op.attrs.int("axis") as usize);
        threefry::bits(b, key, low, &unsigned, count, axis)?
    } else {
        let longer = b.func().ty(state).dims.first().and_then(Extent::as_exact) == Some(3);
        let high = if longer { word(b, state, 2)? } else { key };
        let (next, bits) = philox::bits(b, key, [low, high], &unsigned, count)?;
        (if longer { next.to_vec() } else { vec![next[0]] }, bits)
    };
    let one = Type::exact(DType::U64, &[1]);
    let parts: Vec<ValueId> =
        [vec![key], next].concat().into_iter().map(|w| b.reshape(w, &one)).collect::<Result<_>>()?;
    let next = b.emit1(NewOp::new(&CONCAT, &parts).attr("axis", Attr::Int(0)))?;
    Ok(vec![next, b.convert(bits, ty.dtype)?])
}
/// Word `i` of a state.
fn word(b: &mut Builder, state: ValueId, i: i64) -> Result<ValueId> {
    let at = |i: i64| Attr::extents([Extent::exact(i)]);
    let one = b.emit1(NewOp::new(&SLICE, &[state]).attr("start", at(i)).attr("limit", at(i + 1)))?;
    b.reshape(one, &Type::scalar(DType::U64))
}
/// The two halves of words of 64 bits, the low one first.
fn halves(b: &mut Builder, x: ValueId) -> Result<[ValueId; 2]> {
    let by = b.like(x, 32.0)?;
    let high = b.emit1(NewOp::new(&e::SHR_LOGICAL, &[x, by]))?;
    Ok([b.convert(x, DType::U32)?, b.convert(high, DType::U32)?])
}
/// Words of 64 bits of their halves.
fn joined(b: &mut Builder, [low, high]: [ValueId; 2]) -> Result<ValueId> {
    let (low, high) = (b.convert(low, DType::U64)?, b.convert(high, DType::U64)?);
    let by = b.like(high, 32.0)?;
    let high = b.emit1(NewOp::new(&e::SHL, &[high, by]))?;
    b.or(low, high)
}
/// `x + 0, x + 1, …`: so many counters from a scalar on, and that scalar as often.
fn counters(b: &mut Builder, x: ValueId, count: &Extent) -> Result<[ValueId; 2]> {
    let line = Type::new(DType::U64, [count.clone()]);
    let i = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![line.clone()]))?;
    let x = b.broadcast(x, &line, &[])?;
    Ok([b.add(x, i)?, x])
}
/// A counter after so many.
fn after(b: &mut Builder, x: ValueId, count: &Extent) -> Result<ValueId> {
    let n = b.dim_value(count.clone())?;
    let n = b.convert(n, DType::U64)?;
    b.add(x, n)
}
/// Scalars as often as `like` has elements.
fn repeated<const N: usize>(b: &mut Builder, words: [ValueId; N], like: ValueId) -> Result<[ValueId; N]> {
    let ty = b.ty(like).with_dtype(DType::U32);
    let mut out = words;
    for w in &mut out {
        *w = b.broadcast(*w, &ty, &[])?;
    }
    Ok(out)
}
/// Lists of one length as the columns of a matrix, row after row, of which the first elements fill the type.
fn interleaved(b: &mut Builder, columns: &[ValueId], ty: &Type, count: &Extent) -> Result<ValueId> {
    let first = columns.first().map(|&c| b.ty(c));
    let rows = first.and_then(|t| t.dims.first().cloned()).unwrap_or(Extent::exact(0));
    let column = ty.with_dims(vec![rows.clone(), Extent::exact(1)]);
    let columns: Vec<ValueId> = columns.iter().map(|&c| b.reshape(c, &column)).collect::<Result<_>>()?;
    let matrix = b.emit1(NewOp::new(&CONCAT, &columns).attr("axis", Attr::Int(1)))?;
    let all = ty.with_dims(vec![rows.mul(&Extent::exact(columns.len() as i64))?]);
    let line = b.reshape(matrix, &all)?;
    let line = b.take_prefix(line, 0, count)?;
    b.reshape(line, ty)
}

fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_int() {
        return Ok(vec![]);
    }
    let shapes: &[&[usize]] = &[&[], &[1], &[4], &[7], &[0], &[2, 3], &[3, 5], &[3, 3], &[5, 0], &[3, 1, 2]];
    let mut out = vec![];
    for shape in shapes {
        for (algorithm, words) in [(THREEFRY, 2), (PHILOX, 2), (PHILOX, 3)] {
            let state = Type::exact(DType::U64, &[words]);
            out.push(cx.program(&[(state.clone(), Domain::Any)], |b, x| {
                let op = NewOp::new(cx.def, x).attr("algorithm", Attr::word(algorithm));
                b.emit(op.types(vec![state.clone(), cx.ty(shape)]))
            })?);
        }
    }
    Ok(out)
}
