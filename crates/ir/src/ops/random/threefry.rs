//! Threefry-2x32 of 20 rounds: two words of 32 bits, and a key of two.
use super::*;

/// By how many bits the second word is rotated, round by round.
const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
/// What the third word of the key schedule starts from.
const PARITY: u32 = 0x1bd1_1bda;

/// The next counter, and bits of that type, whose elements are `count`.
pub(super) fn bits(
    b: &mut Builder,
    key: ValueId,
    counter: ValueId,
    ty: &Type,
    count: Extent,
    axis: Option<usize>,
) -> Result<(Vec<ValueId>, ValueId)> {
    let two = Extent::exact(2);
    // Two words along the axis for each counter.
    let (pairs, cut) = match axis {
        Some(a) => {
            let half = ty.dims[a].ceildiv(&two)?;
            let dims = ty.without(&[a]).with_axis(a, half);
            let n = dims.dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d))?;
            (n, Some((a, dims)))
        }
        None => (count, None),
    };
    let next = after(b, counter, &pairs)?;
    let [at, _] = counters(b, counter, &pairs)?;
    let [x, y] = halves(b, at)?;
    let key = halves(b, key)?;
    let key = repeated(b, key, x)?;
    let words = cipher(b, [x, y], key)?;
    let bits = match cut {
        Some((a, dims)) => {
            let (pair, n) = (dims.with_axis(a + 1, Extent::exact(1)), dims.dims[a].mul(&two)?);
            let words = [b.reshape(words[0], &pair)?, b.reshape(words[1], &pair)?];
            let both = b.emit1(NewOp::new(&CONCAT, &words).attr("axis", Attr::Int(a as i64 + 1)))?;
            let both = b.reshape(both, &dims.without(&[a]).with_axis(a, n))?;
            b.take_prefix(both, a, &ty.dims[a])?
        }
        None if ty.dtype == DType::U64 => {
            let both = joined(b, words)?;
            b.reshape(both, ty)?
        }
        None => b.reshape(words[0], ty)?,
    };
    Ok((vec![next], bits))
}
/// The cipher, word by word (Salmon et al. §3.3 and Random123's `threefry.h`): a word of the key every four rounds.
pub(super) fn cipher(b: &mut Builder, x: [ValueId; 2], key: [ValueId; 2]) -> Result<[ValueId; 2]> {
    let parity = b.like(key[0], PARITY.into())?;
    let third = xor(b, parity, key[0])?;
    let keys = [key[0], key[1], xor(b, third, key[1])?];
    let [mut x, mut y] = [b.add(x[0], keys[0])?, b.add(x[1], keys[1])?];
    for block in 0..5 {
        for by in ROTATIONS[block % 2] {
            x = b.add(x, y)?;
            y = rotated(b, y, by)?;
            y = xor(b, x, y)?;
        }
        x = b.add(x, keys[(block + 1) % 3])?;
        y = b.add(y, keys[(block + 2) % 3])?;
        let number = b.like(y, (block + 1) as f64)?;
        y = b.add(y, number)?;
    }
    Ok([x, y])
}
fn xor(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    b.emit1(NewOp::new(&e::XOR, &[x, y]))
}
/// Rotated to the left.
fn rotated(b: &mut Builder, x: ValueId, by: u32) -> Result<ValueId> {
    let (left, right) = (b.like(x, by.into())?, b.like(x, (32 - by).into())?);
    let high = b.emit1(NewOp::new(&e::SHL, &[x, left]))?;
    let low = b.emit1(NewOp::new(&e::SHR_LOGICAL, &[x, right]))?;
    b.or(high, low)
}
