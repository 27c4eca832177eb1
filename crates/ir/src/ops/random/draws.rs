//! Random numbers of distributions by JAX's recipes. What comes of bits alone has JAX's bits; what goes through `erf_inv`, `log` or `pow` is
//! within their rounding.
use super::keys::{Key, RECIPE, bits, counters_of, key, of_keys, word_of, written};
use super::*;
use crate::batch::{Batched, Batcher};
use crate::code::Code;
use crate::func::OpId;
use crate::ops::control::WHILE;
use crate::ops::elementwise::{BITCAST, LOG};
use crate::ops::index::TAKE;
use crate::ops::order::SORT;
use crate::ops::reduce::{ARGMAX, REDUCE_OR, reduce};

/// `random.uniform`.
pub static UNIFORM: OpDef = OpDef {
    name: "random.uniform",
    doc: "Real numbers of the written type, uniform from 0 to 1 without 1, or between two scalars: `random.uniform(%key, %low, %high)`. They \
          are those of `jax.random.uniform`: random bits as the mantissa of a number from 1 to 2, less 1, times `high − low`, plus `low`, \
          and at least `low` (where XLA contracts that product and sum, it rounds the last bit otherwise).\n\nDerivative: that in `low` and `high`.",
    operands: &["key", "bounds…"],
    alike: (1, usize::MAX),
    needs_type: true,
    infer: |cx| {
        let ty = real_result(cx)?;
        if !matches!(cx.len(), 1 | 3) {
            let text = format!("`random.uniform` takes a key, or a key and two bounds, not {} operands", cx.len());
            return Err(Error::new(Code::E0210, text).help("write `random.uniform(%key, %low, %high)`"));
        }
        for i in 1..cx.len() {
            cx.want_scalar(i, |d| d == ty.dtype, &format!("a scalar {}[]", ty.dtype))?;
        }
        Ok(vec![ty])
    },
    linearize: Linearize::Expand,
    expand: Expand::Composite(|b, new| {
        let ty = written(new)?;
        let key = Key::of(b, new.operands[0])?;
        let x = unit(b, &key, &ty)?;
        let &[_, low, high] = new.operands.as_slice() else { return Ok(vec![x]) };
        let (low, high) = (b.broadcast(low, &ty, &[])?, b.broadcast(high, &ty, &[])?);
        Ok(vec![between(b, x, low, high)?])
    }),
    sample: |cx| {
        if !cx.dtype.is_float() {
            return Ok(vec![]);
        }
        let mut out = of_keys(cx, |b, key, ty| b.emit(NewOp::new(&UNIFORM, &[key]).types(vec![ty])))?;
        let bound = (cx.ty(&[]), Domain::Any);
        let params = [(Type::exact(DType::U32, &[2]), Domain::Any), bound.clone(), bound];
        out.push(cx.op(&params, Attrs::none(), Some(cx.ty(&[2, 3])))?);
        Ok(out)
    },
    small: OnSmall::Kept,
    ..RECIPE
};
/// `random.normal`.
pub static NORMAL: OpDef = OpDef {
    name: "random.normal",
    doc: "Normal numbers of the written type, of mean 0 and variance 1; of complex ones both parts have variance 1/2. By the recipe of \
          `jax.random.normal`: `√2 · erf_inv(u)` with `u` uniform between −1 and 1, both left out; the parts of a complex number have keys of \
          their own. They differ from JAX's where `erf_inv` is rounded otherwise.",
    operands: &["key"],
    needs_type: true,
    infer: |cx| {
        key(cx)?;
        let ty = cx.declared()?;
        if !ty.dtype.is_inexact() {
            let text = format!("`random.normal` gives real or complex numbers, not {}", ty.dtype);
            return Err(Error::new(Code::E0203, text).at(Part::Result(0)));
        }
        Ok(vec![ty])
    },
    expand: Expand::Composite(|b, new| {
        let ty = written(new)?;
        let key = Key::of(b, new.operands[0])?;
        if !ty.dtype.is_complex() {
            return Ok(vec![normal(b, &key, &ty)?]);
        }
        let real = ty.with_dtype(ty.dtype.real());
        let keys = b.emit1(NewOp::new(&super::keys::SPLIT, &[new.operands[0]]))?;
        let own = b.ty(new.operands[0]);
        let mut parts = vec![];
        for i in 0..2 {
            let key = b.part(keys, 0, i, 1)?;
            let key = b.reshape(key, &own)?;
            let key = Key::of(b, key)?;
            let x = normal(b, &key, &real)?;
            let root = b.like(x, std::f64::consts::SQRT_2)?;
            parts.push(b.div(x, root)?);
        }
        Ok(vec![b.complex(parts[0], parts[1])?])
    }),
    sample: |cx| {
        if !cx.dtype.is_inexact() {
            return Ok(vec![]);
        }
        of_keys(cx, |b, key, ty| b.emit(NewOp::new(&NORMAL, &[key]).types(vec![ty])))
    },
    small: OnSmall::Kept,
    ..RECIPE
};
/// `random.bernoulli`.
pub static BERNOULLI: OpDef = OpDef {
    name: "random.bernoulli",
    doc: "`true` with probability `p`, a scalar or one number for each element of the written type: where `random.uniform` in the dtype of \
          `p` is less. They are those of `jax.random.bernoulli`.",
    operands: &["key", "p"],
    needs_type: true,
    infer: |cx| {
        key(cx)?;
        let ty = cx.declared()?;
        if ty.dtype != DType::Bool {
            let text = format!("`random.bernoulli` gives bool, not {}", ty.dtype);
            return Err(Error::new(Code::E0203, text).at(Part::Result(0)));
        }
        let dtype = cx.want_dtype(1, DType::is_float, "a real number")?;
        let p = cx.ty(1)?;
        if !p.is_scalar() {
            cx.agree(&ty.with_dtype(dtype), &p, Part::Operand(1), "the result and operand 1")?;
        }
        Ok(vec![ty])
    },
    expand: Expand::Composite(|b, new| {
        let ty = written(new)?;
        let key = Key::of(b, new.operands[0])?;
        let p = new.operands[1];
        let real = ty.with_dtype(b.func().ty(p).dtype);
        let x = unit(b, &key, &real)?;
        let p = if b.func().ty(p).is_scalar() { b.broadcast(p, &real, &[])? } else { p };
        Ok(vec![b.lt(x, p)?])
    }),
    sample: |cx| {
        if !cx.dtype.is_float() {
            return Ok(vec![]);
        }
        let mut out = vec![];
        for words in [2, 4] {
            for (shape, p) in [(&[][..], &[][..]), (&[6], &[]), (&[2, 3], &[2, 3]), (&[0], &[0])] {
                let key = (Type::exact(DType::U32, &[words]), Domain::Any);
                let declared = Type::exact(DType::Bool, shape);
                out.push(cx.op(&[key, (cx.ty(p), Domain::Range(0.0, 1.0))], Attrs::none(), Some(declared))?);
            }
        }
        Ok(out)
    },
    small: OnSmall::Kept,
    ..RECIPE
};
/// `random.permutation`.
pub static PERMUTATION: OpDef = OpDef {
    name: "random.permutation",
    doc: "The operand with its indices along `axis` (0 unless given) in random order, the same for all other axes: that of \
          `jax.random.permutation`. Indices are sorted by random bits as often as makes collisions of these of no account: `⌈3 ln n / ln \
          (2³² − 1)⌉` times.\n\nDerivative: the order is fixed.",
    operands: &["key", "x"],
    slots: &[Slot::with_default("axis", SlotKind::Int, SlotDefault::Int(0))],
    infer: |cx| {
        key(cx)?;
        let x = cx.ty(1)?;
        if x.rank() == 0 {
            return Err(Error::new(Code::E0205, "`random.permutation` needs at least one axis, a scalar has none")
                .operand(1)
                .help("`iota` makes the numbers from 0 on"));
        }
        crate::infer::check_axes(&[cx.attrs().int("axis")], x.rank()).map_err(|e| e.attr("axis"))?;
        Ok(vec![x])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Expand,
    expand: Expand::Composite(expand_permutation),
    sample: |cx| {
        let mut out = vec![];
        for (words, shape, axis) in [(2, &[7][..], 0), (2, &[1], 0), (2, &[0], 0), (4, &[3, 4], 1), (2, &[5, 2, 2], 0)]
        {
            let key = (Type::exact(DType::U32, &[words]), Domain::Any);
            let attrs = Attrs::of([("axis", Attr::Int(axis))]);
            out.push(cx.op(&[key, (cx.ty(shape), Domain::Any)], attrs, None)?);
        }
        Ok(out)
    },
    ..RECIPE
};
/// `random.categorical`.
pub static CATEGORICAL: OpDef = OpDef {
    name: "random.categorical",
    doc: "Indices along `axis` (the last unless given), `i64`, each with a probability in proportion to `exp` of its logit: the greatest of \
          logits and Gumbel numbers `−log(−log u)`, by the recipe of `jax.random.categorical`. An empty axis is an error.",
    operands: &["key", "logits"],
    slots: &[Slot::optional("axis", SlotKind::Int)],
    infer: |cx| {
        key(cx)?;
        cx.want_dtype(1, DType::is_float, "real floating numbers")?;
        let x = cx.ty(1)?;
        let axis = category_axis(cx.attrs(), x.rank())?;
        if axis + 1 == x.rank() {
            cx.remove_attr("axis");
        }
        let n = x.dims[axis].clone();
        cx.demand(
            &Extent::exact(1),
            CmpOp::Le,
            &n,
            Part::Operand(1),
            &format!("axis {axis}, which must not be empty"),
        )?;
        Ok(vec![x.without(&[axis]).with_dtype(DType::I64)])
    },
    effect: Effect::MayFail,
    expand: Expand::Composite(|b, new| {
        let logits = new.operands[1];
        let ty = b.ty(logits);
        let key = Key::of(b, new.operands[0])?;
        let x = unit(b, &key, &ty)?;
        let exponent = ty.dtype.float_bits().map_or(11, |x| x.0);
        // The least normal number.
        let least = (2.0 - f64::from(1u32 << (exponent - 1))).exp2();
        let (low, high) = (b.like(x, least)?, b.like(x, 1.0)?);
        let u = between(b, x, low, high)?;
        let mut g = u;
        for _ in 0..2 {
            let l = b.emit1(NewOp::new(&LOG, &[g]))?;
            g = b.neg(l)?;
        }
        let sum = b.add(g, logits)?;
        let axis = category_axis(&new.attrs, ty.rank())?;
        b.emit(NewOp::new(&ARGMAX, &[sum]).attr("axis", Attr::Int(axis as i64)))
    }),
    sample: |cx| {
        if !cx.dtype.is_float() {
            return Ok(vec![]);
        }
        let mut out = vec![];
        for (words, shape, axis) in
            [(2, &[5][..], None), (4, &[2, 3], None), (2, &[3, 2, 2], Some(0)), (2, &[0, 2], None)]
        {
            let key = (Type::exact(DType::U32, &[words]), Domain::Any);
            let attrs = axis.map_or(Attrs::none(), |a| Attrs::of([("axis", Attr::Int(a))]));
            out.push(cx.op(&[key, (cx.ty(shape), Domain::Any)], attrs, None)?);
        }
        Ok(out)
    },
    small: OnSmall::Kept,
    ..RECIPE
};
/// `random.gamma`.
pub static GAMMA: OpDef = OpDef {
    name: "random.gamma",
    doc: "Gamma numbers of the shape parameters `alpha` and scale 1, one for each, by rejection (Marsaglia & Tsang 2000), and for `alpha < 1` \
          from `alpha + 1` and a power of a uniform number: the recipe of `jax.random.gamma`, each element with a key of its own. They differ from JAX's where `erf_inv`, `log` and `pow` are rounded otherwise.\n\nNo derivative: a number that is found by rejection is \
          no continuous function of `alpha`.",
    operands: &["key", "alpha"],
    infer: |cx| {
        key(cx)?;
        cx.want_dtype(1, DType::is_float, "real floating numbers")?;
        Ok(vec![cx.ty(1)?])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Never(
        "a number that is found by rejection is no continuous function of the shape parameter; cut it by `stop_gradient`",
    ),
    expand: Expand::Composite(|b, new| Ok(vec![gamma(b, new.operands[0], new.operands[1], false)?])),
    batch: Batch::Rule(batch_gamma),
    sample: |cx| {
        if !cx.dtype.is_float() {
            return Ok(vec![]);
        }
        let one = |&(words, shape): &(usize, &[usize])| {
            let key = (Type::exact(DType::U32, &[words]), Domain::Any);
            cx.op(&[key, (cx.ty(shape), Domain::Range(0.3, 3.0))], Attrs::none(), None)
        };
        [(2, &[][..]), (2, &[7]), (2, &[2, 3]), (2, &[0]), (4, &[]), (4, &[5])].iter().map(one).collect()
    },
    ..RECIPE
};

/// The written type, of real numbers, of a row whose first operand is a key.
fn real_result(cx: &InferCx) -> Result<Type> {
    key(cx)?;
    let ty = cx.declared()?;
    if !ty.dtype.is_float() {
        let text = format!("`{}` gives real numbers, not {}", cx.def().name, ty.dtype);
        return Err(Error::new(Code::E0203, text).at(Part::Result(0)).help("`random.bits` gives integers"));
    }
    Ok(ty)
}
/// Random bits as numbers from 0 to 1, without 1: the highest as the mantissa of a number from 1 on, less 1.
fn from_bits(b: &mut Builder, bits: ValueId, ty: &Type) -> Result<ValueId> {
    // Of a small float as many bits are used as make whole bytes of its mantissa: JAX's recipe.
    let d = ty.dtype;
    let (exponent, mantissa) = d.float_bits().unwrap_or((8, 23));
    let used = if d.is_small() { mantissa.next_multiple_of(8) } else { 8 * d.size() as u32 };
    let bits = if d.is_small() {
        let low = b.like(bits, f64::from((1u32 << used) - 1))?;
        b.and(bits, low)?
    } else {
        bits
    };
    let by = b.like(bits, f64::from(used - mantissa))?;
    let drawn = b.emit1(NewOp::new(&e::SHR_LOGICAL, &[bits, by]))?;
    if d.is_tiny() {
        // What the mantissa of a number from 1 on adds to 1.
        let x = b.convert(drawn, DType::F32)?;
        let unit = b.like(x, (-f64::from(mantissa)).exp2())?;
        let x = b.mul(x, unit)?;
        return b.convert(x, d);
    }
    // The exponent of 1: half of the greatest one, rounded down.
    let one = ((1u64 << (exponent - 1)) - 1) as f64 * f64::from(mantissa).exp2();
    let one = b.like(bits, one)?;
    let number = b.or(drawn, one)?;
    let number = if d.is_small() { b.convert(number, DType::U16)? } else { number };
    let x = b.emit1(NewOp::new(&BITCAST, &[number]).types(vec![ty.clone()]))?;
    let one = b.like(x, 1.0)?;
    b.sub(x, one)
}
fn unit(b: &mut Builder, key: &Key, ty: &Type) -> Result<ValueId> {
    let bits = bits(b, key, ty)?;
    from_bits(b, bits, ty)
}
/// `max(low, x (high − low) + low)`.
fn between(b: &mut Builder, x: ValueId, low: ValueId, high: ValueId) -> Result<ValueId> {
    let width = b.sub(high, low)?;
    let x = b.mul(x, width)?;
    let x = b.add(x, low)?;
    b.max(low, x)
}
/// A uniform number as a normal one.
fn as_normal(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    // The number after −1.
    let half = b.func().ty(x).dtype.epsilon() / 2.0;
    let (low, high) = (b.like(x, half - 1.0)?, b.like(x, 1.0)?);
    let u = between(b, x, low, high)?;
    let y = b.erf_inv(u)?;
    let root = b.like(y, std::f64::consts::SQRT_2)?;
    b.mul(root, y)
}
fn normal(b: &mut Builder, key: &Key, ty: &Type) -> Result<ValueId> {
    let x = unit(b, key, ty)?;
    as_normal(b, x)
}
fn category_axis(attrs: &Attrs, rank: usize) -> Result<usize> {
    if attrs.get("axis").is_none() {
        return rank.checked_sub(1).ok_or_else(|| {
            Error::new(Code::E0205, "`random.categorical` needs at least one axis, a scalar has none").operand(1)
        });
    }
    let axes = crate::infer::check_axes(&[attrs.int("axis")], rank).map_err(|e| e.attr("axis"))?;
    axes.first().copied().ok_or_else(|| Error::new(Code::E0222, "an axis is needed"))
}

/// How often so many indices are sorted.
fn rounds(n: f64) -> f64 {
    (3.0 * n.max(1.0).ln() / f64::from(u32::MAX).ln()).ceil()
}
fn expand_permutation(b: &mut Builder, new: &NewOp) -> Result<Vec<ValueId>> {
    let &[key, x] = new.operands.as_slice() else { return Ok(vec![]) };
    let axis = new.attrs.int("axis");
    let n = b.func().ty(x).dims.get(axis as usize).cloned().unwrap_or(Extent::exact(1));
    let line = Type::new(DType::I64, [n.clone()]);
    let own = b.ty(key);
    let mut order = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![line.clone()]))?;
    let round = |b: &mut Builder, key: ValueId, order: ValueId| -> Result<[ValueId; 2]> {
        let keys = b.emit1(NewOp::new(&super::keys::SPLIT, &[key]))?;
        let mut both = [keys; 2];
        for (i, k) in both.iter_mut().enumerate() {
            let one = b.part(keys, 0, i as i64, 1)?;
            *k = b.reshape(one, &own)?;
        }
        let by = Key::of(b, both[1])?;
        let by = bits(b, &by, &line.with_dtype(DType::U32))?;
        let sorted = b.emit(NewOp::new(&SORT, &[by, order]).attr("axis", Attr::Int(0)))?;
        let order = sorted.get(1).copied().ok_or_else(|| Error::new(Code::E0299, "a sort gives its operands"))?;
        Ok([both[0], order])
    };
    match n.as_exact() {
        Some(n) => {
            let mut key = key;
            for _ in 0..rounds(n as f64) as usize {
                [key, order] = round(b, key, order)?;
            }
        }
        None => {
            let number = Type::scalar(DType::I64);
            let count = b.dim_value(n)?;
            let one = b.like(count, 1.0)?;
            let count = b.max(count, one)?;
            let count = b.convert(count, DType::F64)?;
            let log = b.log(count)?;
            let three = b.like(log, 3.0)?;
            let log = b.mul(three, log)?;
            let by = b.like(log, f64::from(u32::MAX).ln())?;
            let ratio = b.div(log, by)?;
            let most = b.emit1(NewOp::new(&e::CEIL, &[ratio]))?;
            let most = b.convert(most, DType::I64)?;
            let start = b.zeros(&number)?;
            let params = [(number, "done"), (own.clone(), "key"), (line.clone(), "order")];
            let cond = b.region("cond", &params, |b, x| Ok(vec![b.lt(x[0], most)?]))?;
            let body = b.region("body", &params, |b, x| {
                let [key, order] = round(b, x[1], x[2])?;
                Ok(vec![b.add(x[0], one)?, key, order])
            })?;
            let made = b.emit(NewOp::new(&WHILE, &[start, key, order]).regions(vec![cond, body]))?;
            order = made.get(2).copied().unwrap_or(order);
        }
    }
    // Every index lies inside; of an empty axis there is none.
    let take = NewOp::new(&TAKE, &[x, order]).attr("axis", Attr::Int(axis));
    b.emit(take.attr("out_of_bounds", Attr::word("zero")))
}

/// `T(key; 0, i)`: the key of number `i` that a split of each of these keys gives, of keys of Philox of each pair of words.
fn split_each(b: &mut Builder, key: &[ValueId], i: u32) -> Result<Vec<ValueId>> {
    let mut out = vec![];
    for half in key.as_chunks::<2>().0 {
        let (zero, at) = (b.like(half[0], 0.0)?, b.like(half[0], i.into())?);
        out.extend(threefry::cipher(b, [zero, at], *half)?);
    }
    Ok(out)
}
/// One uniform number of each key.
fn unit_each(b: &mut Builder, key: &[ValueId], ty: &Type) -> Result<ValueId> {
    let wide = ty.dtype.size() == 8;
    let bits = match key {
        &[w, x, y, z] => {
            let words = philox::first(b, [w, x, y, z])?;
            if wide { joined(b, [words[0], words[1]])? } else { words[0] }
        }
        _ => {
            let words = split_each(b, key, 0)?;
            let &[x, y] = words.as_slice() else { return Err(Error::new(Code::E0299, "a key has two words or four")) };
            word_of(b, [x, y], wide)?
        }
    };
    from_bits(b, bits, ty)
}
/// The words of a key of its own for each element of `ty`; with `many` the last axis counts batches, in each of which elements are
/// counted from 0, and which a key `u32[words, batches]` has too.
fn key_each(b: &mut Builder, key: ValueId, ty: &Type, many: bool) -> Result<Vec<ValueId>> {
    let words = ty.with_dtype(DType::U32);
    let own = if many { words.without(&[ty.rank().saturating_sub(1)]) } else { words.clone() };
    let all: Vec<usize> = (0..own.rank()).collect();
    let mut at = vec![];
    for c in counters_of(b, &own)? {
        at.push(b.broadcast(c, &words, &all)?);
    }
    let &[high, low] = at.as_slice() else { return Err(Error::new(Code::E0299, "a counter has two words")) };
    let of = b.ty(key);
    let count = of.dims.first().and_then(Extent::as_exact).unwrap_or(2);
    let batches = of.without(&[0]);
    let along = if batches.rank() == 0 { vec![] } else { vec![ty.rank().saturating_sub(1)] };
    let mut parts = vec![];
    for i in 0..count {
        let one = b.part(key, 0, i, 1)?;
        let one = b.reshape(one, &batches)?;
        parts.push(b.broadcast(one, &words, &along)?);
    }
    let mut out = vec![];
    for half in parts.as_chunks::<2>().0 {
        out.extend(threefry::cipher(b, [high, low], *half)?);
    }
    Ok(out)
}
/// Keys and shape parameters of all indices at once: a number that is accepted waits for those that are not, of other indices too.
fn batch_gamma(cx: &mut Batcher, _: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let key = if xs[0].axis.is_some() { cx.at(xs[0], 1)? } else { xs[0].value };
    let alpha = cx.last(xs[1])?;
    let y = gamma(&mut cx.b, key, alpha, true)?;
    let axis = cx.b.func().ty(y).rank().saturating_sub(1);
    Ok(vec![Batched::along(y, axis)])
}
fn any(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let axes: Vec<usize> = (0..b.func().ty(x).rank()).collect();
    if axes.is_empty() { Ok(x) } else { reduce(b, &REDUCE_OR, x, &axes) }
}
/// The factor before the square in the first test (Marsaglia & Tsang 2000, §6).
const SQUEEZE: f64 = 0.0331;

/// Names of the words of a key.
const WORDS: [&str; 4] = ["k0", "k1", "k2", "k3"];

fn gamma(b: &mut Builder, key: ValueId, alpha: ValueId, many: bool) -> Result<ValueId> {
    let ty = b.ty(alpha);
    let words = ty.with_dtype(DType::U32);
    let key = key_each(b, key, &ty, many)?;
    // Carries: the words of keys, then these.
    let n = key.len();
    let carries = |rest: &[&'static str]| -> Vec<(Type, &'static str)> {
        let keys = WORDS.iter().take(n).map(|&k| (words.clone(), k));
        keys.chain(rest.iter().map(|&r| (ty.clone(), r))).collect()
    };
    let one = b.splat(&ty, 1.0)?;
    let zero = b.zeros(&ty)?;
    let third = b.splat(&ty, 1.0 / 3.0)?;
    let large = b.ge(alpha, one)?;
    let more = b.add(alpha, one)?;
    let shape = b.select(large, alpha, more)?;
    let d = b.sub(shape, third)?;
    let root = b.sqrt(d)?;
    let c = b.div(third, root)?;
    let boosted = split_each(b, &key, 1)?;
    let key = split_each(b, &key, 0)?;
    // Is the number refused?
    let refused = |b: &mut Builder, x: ValueId, v: ValueId, u: ValueId| -> Result<ValueId> {
        let square = b.mul(x, x)?;
        let squeeze = b.like(x, SQUEEZE)?;
        let square = b.mul(squeeze, square)?;
        let most = b.sub(one, square)?;
        let first = b.ge(u, most)?;
        let log = b.log(u)?;
        let half = b.like(x, 0.5)?;
        let half = b.mul(x, half)?;
        let rest = b.sub(one, v)?;
        let log_v = b.log(v)?;
        let rest = b.add(rest, log_v)?;
        let rest = b.mul(d, rest)?;
        let most = b.add(half, rest)?;
        let second = b.ge(log, most)?;
        b.and(first, second)
    };
    let of = |b: &mut Builder, on: ValueId, new: &[ValueId], old: &[ValueId]| -> Result<Vec<ValueId>> {
        new.iter().zip(old).map(|(&x, &y)| b.select(on, x, y)).collect()
    };
    let params = carries(&["x", "v", "u"]);
    let cond = b.region("cond", &params, |b, s| {
        let on = refused(b, s[n], s[n + 1], s[n + 2])?;
        Ok(vec![any(b, on)?])
    })?;
    let body = b.region("body", &params, |b, s| {
        let on = refused(b, s[n], s[n + 1], s[n + 2])?;
        let key = &s[..n];
        let (next, by_x, by_u) = (split_each(b, key, 0)?, split_each(b, key, 1)?, split_each(b, key, 2)?);
        let none = b.not(on)?;
        // A number that is not asked for is positive from the start.
        let minus = b.like(one, -1.0)?;
        let start = b.select(none, one, minus)?;
        let params = carries(&["x", "v"]);
        let cond = b.region("cond", &params, |b, s| {
            let on = b.le(s[n + 1], zero)?;
            Ok(vec![any(b, on)?])
        })?;
        let body = b.region("body", &params, |b, s| {
            let on = b.le(s[n + 1], zero)?;
            let key = &s[..n];
            let (next, own) = (split_each(b, key, 0)?, split_each(b, key, 1)?);
            let u = unit_each(b, &own, &ty)?;
            let x = as_normal(b, u)?;
            let v = b.mul(x, c)?;
            let v = b.add(one, v)?;
            of(b, on, &[&next[..], &[x, v]].concat(), s)
        })?;
        let first = [&by_x[..], &[zero, start]].concat();
        let made = b.emit(NewOp::new(&WHILE, &first).regions(vec![cond, body]))?;
        let &[.., x, v] = made.as_slice() else { return Err(Error::new(Code::E0299, "a loop gives its carries")) };
        let square = b.mul(x, x)?;
        let cube = b.mul(v, v)?;
        let cube = b.mul(cube, v)?;
        let u = unit_each(b, &by_u, &ty)?;
        of(b, on, &[&next[..], &[square, cube, u]].concat(), s)
    })?;
    let two = b.like(one, 2.0)?;
    let first = [&key[..], &[zero, one, two]].concat();
    let made = b.emit(NewOp::new(&WHILE, &first).regions(vec![cond, body]))?;
    let &[.., v, _] = made.as_slice() else { return Err(Error::new(Code::E0299, "a loop gives its carries")) };
    let u = unit_each(b, &boosted, &ty)?;
    let u = b.sub(one, u)?;
    let power = b.div(one, alpha)?;
    let boost = b.pow(u, power)?;
    let boost = b.select(large, one, boost)?;
    let y = b.mul(d, v)?;
    b.mul(y, boost)
}
