//! Keys and random bits by JAX's recipes: Threefry with counters in logical order (`jax_threefry_partitionable`, the default of JAX since
//! 0.5), and, of keys of four words, Philox as JAX's `rbg` has it.
use super::*;
use crate::code::Code;
use crate::ops::elementwise::BITCAST;

/// `random.key`.
pub static KEY: OpDef = OpDef {
    name: "random.key",
    doc: "A key from a seed, an integer: for `threefry2x32` (`u32[2]`) its high and its low word, for `philox4x32` (`u32[4]`) these twice. They \
          are those of `jax.random.key(seed)` and `jax.random.key(seed, impl = \"rbg\")`.",
    operands: &["seed"],
    slots: &[Slot::with_default("algorithm", SlotKind::Word(&[THREEFRY, PHILOX]), SlotDefault::Word(THREEFRY))],
    infer: |cx| {
        cx.want_scalar(0, DType::is_int, "an integer scalar")?;
        Ok(vec![Type::exact(DType::U32, &[if cx.attrs().word("algorithm") == Some(PHILOX) { 4 } else { 2 }])])
    },
    expand: Expand::Composite(|b, new| {
        let seed = new.operands[0];
        // A seed of 32 bits has no high word, whatever its sign.
        let wide = b.func().ty(seed).dtype.size() == 8;
        let words = if wide {
            let seed = b.convert(seed, DType::U64)?;
            let [low, high] = halves(b, seed)?;
            vec![high, low]
        } else {
            let low = b.convert(seed, DType::U32)?;
            vec![b.like(low, 0.0)?, low]
        };
        let half = listed(b, &words)?;
        let both = new.attrs.word("algorithm") == Some(PHILOX);
        Ok(vec![if both { joined_along(b, &[half, half], 0)? } else { half }])
    }),
    sample: |cx| {
        if !cx.dtype.is_int() {
            return Ok(vec![]);
        }
        let one = |a: &&str| cx.op(&[(cx.ty(&[]), Domain::Any)], Attrs::of([("algorithm", Attr::word(a))]), None);
        [THREEFRY, PHILOX].iter().map(one).collect()
    },
    ..RECIPE
};
/// `random.split`.
pub static SPLIT: OpDef = OpDef {
    name: "random.split",
    doc: "`num` new keys from a key (2 unless given), along a new first axis: those of `jax.random.split`.",
    operands: &["key"],
    slots: &[Slot::optional("num", SlotKind::Extent)],
    infer: |cx| {
        let key = key(cx)?;
        let num = cx.attrs().extents("num").first().cloned().unwrap_or(Extent::exact(2));
        cx.demand(&Extent::exact(0), CmpOp::Le, &num, Part::Attr("num"), "`num`")?;
        if num.as_exact() == Some(2) {
            cx.remove_attr("num");
        }
        Ok(vec![key.with_axis(0, num)])
    },
    expand: Expand::Composite(|b, new| {
        let key = Key::of(b, new.operands[0])?;
        let num = new.attrs.extents("num").first().cloned().unwrap_or(Extent::exact(2));
        let line = Type::new(DType::U32, [num.clone()]);
        let mut columns = vec![];
        for half in key.halves() {
            columns.extend(key_stream(b, half, &line)?);
        }
        let column = line.with_axis(1, Extent::exact(1));
        let columns = columns.into_iter().map(|c| b.reshape(c, &column)).collect::<Result<Vec<_>>>()?;
        Ok(vec![joined_along(b, &columns, 1)?])
    }),
    sample: |cx| {
        if cx.dtype != DType::U32 {
            return Ok(vec![]);
        }
        let mut out = vec![];
        for words in [2, 4] {
            for num in [None, Some(1), Some(5), Some(0)] {
                let attrs = num.map_or(Attrs::none(), |n| Attrs::of([("num", Attr::extent(Extent::exact(n)))]));
                out.push(cx.op(&[(cx.ty(&[words]), Domain::Any)], attrs, None)?);
            }
        }
        Ok(out)
    },
    ..RECIPE
};
/// `random.fold_in`.
pub static FOLD_IN: OpDef = OpDef {
    name: "random.fold_in",
    doc: "A new key from a key and an integer, of which the low 32 bits count: that of `jax.random.fold_in`.",
    operands: &["key", "data"],
    infer: |cx| {
        cx.want_scalar(1, DType::is_int, "an integer scalar")?;
        Ok(vec![key(cx)?])
    },
    expand: Expand::Composite(|b, new| {
        let key = Key::of(b, new.operands[0])?;
        let data = b.convert(new.operands[1], DType::U32)?;
        let zero = b.like(data, 0.0)?;
        let mut words = vec![];
        for half in key.halves() {
            words.extend(threefry::cipher(b, [zero, data], half)?);
        }
        Ok(vec![listed(b, &words)?])
    }),
    sample: |cx| {
        if !cx.dtype.is_int() {
            return Ok(vec![]);
        }
        let one = |words: &usize| {
            let key = Type::exact(DType::U32, &[*words]);
            cx.op(&[(key, Domain::Any), (cx.ty(&[]), Domain::Any)], Attrs::none(), None)
        };
        [2, 4].iter().map(one).collect()
    },
    ..RECIPE
};
/// `random.bits`.
pub static BITS: OpDef = OpDef {
    name: "random.bits",
    doc: "Random bits of a key: integers of 32 or 64 bits of the written type, every bit of which is random. They are those of \
          `jax.random.bits`: of a key of two words, element `i` in logical order is what Threefry makes of the counter `i`.",
    operands: &["key"],
    needs_type: true,
    infer: |cx| {
        key(cx)?;
        let ty = cx.declared()?;
        if !ty.dtype.is_int() {
            let text = format!("`random.bits` gives integers, not {}", ty.dtype);
            return Err(Error::new(Code::E0203, text).at(Part::Result(0)).help("`random.uniform` gives real numbers"));
        }
        Ok(vec![ty])
    },
    expand: Expand::Composite(|b, new| {
        let ty = written(new)?;
        let key = Key::of(b, new.operands[0])?;
        let bits = bits(b, &key, &ty)?;
        Ok(vec![b.convert(bits, ty.dtype)?])
    }),
    sample: |cx| {
        if !cx.dtype.is_int() {
            return Ok(vec![]);
        }
        of_keys(cx, |b, key, ty| b.emit(NewOp::new(&BITS, &[key]).types(vec![ty])))
    },
    ..RECIPE
};

/// What all rows that follow a recipe have in common.
pub(super) const RECIPE: OpDef = OpDef {
    linearize: Linearize::Zero,
    batch: Batch::Expand,
    law: Law::None("it is made of integer arithmetic, and its values are compared with JAX's"),
    ..OpDef::BASE
};

/// Operand 0: a key.
pub(super) fn key(cx: &InferCx) -> Result<Type> {
    let key = cx.ty(0)?;
    let words = match &key.dims[..] {
        [n] => n.as_exact(),
        _ => None,
    };
    if key.dtype != DType::U32 || !matches!(words, Some(2 | 4)) {
        let text = format!("a key is u32[2] (Threefry) or u32[4] (Philox), not {}", cx.show(&key));
        return Err(Error::new(Code::E1224, text).operand(0).help("`random.key` makes one from a seed"));
    }
    Ok(key)
}
/// The type that is written.
pub(super) fn written(new: &NewOp) -> Result<Type> {
    match new.declared.as_deref() {
        Some([ty]) => Ok(ty.clone()),
        _ => Err(Error::new(Code::E0207, format!("`{}` needs its result type written", new.def.name))),
    }
}
/// Vectors, or matrices, one after the other along an axis.
pub(super) fn joined_along(b: &mut Builder, parts: &[ValueId], axis: i64) -> Result<ValueId> {
    b.emit1(NewOp::new(&CONCAT, parts).attr("axis", Attr::Int(axis)))
}
/// Scalars as a vector.
fn listed(b: &mut Builder, words: &[ValueId]) -> Result<ValueId> {
    let one = Type::exact(DType::U32, &[1]);
    let words = words.iter().map(|&w| b.reshape(w, &one)).collect::<Result<Vec<_>>>()?;
    joined_along(b, &words, 0)
}

/// A key and its words.
pub(super) struct Key {
    value: ValueId,
    words: Vec<ValueId>,
}
impl Key {
    pub(super) fn of(b: &mut Builder, value: ValueId) -> Result<Key> {
        let n = b.func().ty(value).dims.first().and_then(Extent::as_exact).unwrap_or(2);
        let words = (0..n).map(|i| {
            let one = b.part(value, 0, i, 1)?;
            b.reshape(one, &Type::scalar(DType::U32))
        });
        let words = words.collect::<Result<_>>()?;
        Ok(Key { value, words })
    }
    /// Pairs of words: one of a key of Threefry, two of Philox.
    pub(super) fn halves(&self) -> Vec<[ValueId; 2]> {
        self.words.chunks_exact(2).map(|w| [w[0], w[1]]).collect()
    }
}
/// The high and the low word of each element's number in logical order, of that type.
pub(super) fn counters_of(b: &mut Builder, ty: &Type) -> Result<[ValueId; 2]> {
    let count = ty.dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d))?;
    let line = Type::new(DType::U64, [count]);
    let at = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![line]))?;
    let at = b.reshape(at, &ty.with_dtype(DType::U64))?;
    let [low, high] = halves(b, at)?;
    Ok([high, low])
}
/// What Threefry makes of the number of each element of that type.
pub(super) fn key_stream(b: &mut Builder, key: [ValueId; 2], ty: &Type) -> Result<[ValueId; 2]> {
    let at = counters_of(b, ty)?;
    let key = repeated(b, key, at[0])?;
    threefry::cipher(b, at, key)
}
/// One word of 32 or 64 bits of two of 32.
pub(super) fn word_of(b: &mut Builder, [x, y]: [ValueId; 2], wide: bool) -> Result<ValueId> {
    if wide { joined(b, [y, x]) } else { b.emit1(NewOp::new(&e::XOR, &[x, y])) }
}
/// Random bits of the extents of `ty`, `u32` or `u64` by its size.
pub(super) fn bits(b: &mut Builder, key: &Key, ty: &Type) -> Result<ValueId> {
    let wide = ty.dtype.size() == 8;
    if key.words.len() == 2 {
        let words = key_stream(b, [key.words[0], key.words[1]], ty)?;
        return word_of(b, words, wide);
    }
    let pairs = b.reshape(key.value, &Type::exact(DType::U32, &[2, 2]))?;
    let words = Type::exact(DType::U64, &[2]);
    let state = b.emit1(NewOp::new(&BITCAST, &[pairs]).types(vec![words.clone()]))?;
    let unsigned = ty.with_dtype(if wide { DType::U64 } else { DType::U32 });
    let op = NewOp::new(&RNG_BIT_GENERATOR, &[state]).attr("algorithm", Attr::word(PHILOX));
    let made = b.emit(op.types(vec![words, unsigned]))?;
    made.get(1).copied().ok_or_else(|| Error::new(Code::E0299, "random bits are the second result"))
}
/// Programs of both kinds of keys, in several shapes of the dtype.
pub(super) fn of_keys(
    cx: &SampleCx,
    of: fn(&mut Builder, ValueId, Type) -> Result<Vec<ValueId>>,
) -> Result<Vec<Sample>> {
    let mut out = vec![];
    for words in [2, 4] {
        for shape in [&[][..], &[5], &[2, 3], &[0], &[2, 1, 3]] {
            let key = Type::exact(DType::U32, &[words]);
            out.push(cx.program(&[(key, Domain::Any)], |b, x| of(b, x[0], cx.ty(shape)))?);
        }
    }
    Ok(out)
}
