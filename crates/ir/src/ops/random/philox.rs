//! Philox-4x32 of 10 rounds: four words of 32 bits, and a key of two.
use super::*;

/// What the first and the third word are multiplied by.
const FACTORS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// What is added to the words of the key after each round.
const STEPS: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

/// The low and the high half of the next counter, and bits of that type, whose elements are `count`.
pub(super) fn bits(
    b: &mut Builder,
    key: ValueId,
    [low, high]: [ValueId; 2],
    ty: &Type,
    count: Extent,
) -> Result<([ValueId; 2], ValueId)> {
    let wide = ty.dtype == DType::U64;
    let blocks = count.ceildiv(&Extent::exact(if wide { 2 } else { 4 }))?;
    let next = after(b, low, &blocks)?;
    let next = [next, carried(b, next, low, high)?];
    let [at, first] = counters(b, low, &blocks)?;
    let line = b.ty(at);
    let high = b.broadcast(high, &line, &[])?;
    let above = carried(b, at, first, high)?;
    let ([x0, x1], [x2, x3]) = (halves(b, at)?, halves(b, above)?);
    let key = halves(b, key)?;
    let key = repeated(b, key, x0)?;
    let words = cipher(b, [x0, x1, x2, x3], key)?;
    let columns =
        if wide { vec![joined(b, [words[0], words[1]])?, joined(b, [words[2], words[3]])?] } else { words.to_vec() };
    Ok((next, interleaved(b, &columns, ty, &count)?))
}
/// The first four words that each of these keys of four words gives: its first two are the key, and the high half of the counter
/// whose low half are the others.
pub(super) fn first(b: &mut Builder, [w, x, y, z]: [ValueId; 4]) -> Result<[ValueId; 4]> {
    cipher(b, [y, z, w, x], [w, x])
}
/// `high`, and one more where the low half has passed its end on the way from `before` to `low`.
fn carried(b: &mut Builder, low: ValueId, before: ValueId, high: ValueId) -> Result<ValueId> {
    let over = b.lt(low, before)?;
    let one = b.convert(over, DType::U64)?;
    b.add(high, one)
}
/// The cipher (Salmon et al. §3.3 and Random123's `philox.h`).
fn cipher(b: &mut Builder, x: [ValueId; 4], key: [ValueId; 2]) -> Result<[ValueId; 4]> {
    let factors = [b.like(x[0], FACTORS[0].into())?, b.like(x[0], FACTORS[1].into())?];
    let steps = [b.like(key[0], STEPS[0].into())?, b.like(key[1], STEPS[1].into())?];
    let (mut x, mut key) = (x, key);
    for round in 0..10 {
        if round > 0 {
            key = [b.add(key[0], steps[0])?, b.add(key[1], steps[1])?];
        }
        let [a, c] = [(0, 0), (2, 1)].map(|(i, f)| (x[i], factors[f]));
        let (a_high, a_low) = (mulhi(b, a)?, b.mul(a.0, a.1)?);
        let (c_high, c_low) = (mulhi(b, c)?, b.mul(c.0, c.1)?);
        x = [mixed(b, c_high, x[1], key[0])?, c_low, mixed(b, a_high, x[3], key[1])?, a_low];
    }
    Ok(x)
}
/// The high half of a product.
fn mulhi(b: &mut Builder, (x, y): (ValueId, ValueId)) -> Result<ValueId> {
    b.emit1(NewOp::new(&e::MULHI, &[x, y]))
}
fn mixed(b: &mut Builder, x: ValueId, y: ValueId, z: ValueId) -> Result<ValueId> {
    let x = b.emit1(NewOp::new(&e::XOR, &[x, y]))?;
    b.emit1(NewOp::new(&e::XOR, &[x, z]))
}
