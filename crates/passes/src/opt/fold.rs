//! Constant folding of elementwise ops on splat constants, for the functions whose every bit TFIR §5 fixes: integer and
//! IEEE arithmetic, comparisons, conversions; and for functions of families from outside, which say their value to all engines alike.
//! Elementary functions are left to the backend that runs them. Of branches that a constant chooses, the one that runs is
//! written out.
use super::inline::ask;
use crate::PassError;
use crate::rewrite::{bind_extents, improve, rewrite};
use tfc_ir::small::ToHalf;
use tfc_ir::{Attr, Builder, DType, Func, Map, Module, NewOp, OpId, RegionId, Result, ScalarOp, Tensor, Type, ValueId};

/// The pass `fold`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    improve(m, |m, f| {
        // What folds first has constants as operands already.
        if !(0..f.ops.len() as u32).any(|o| foldable(f, OpId(o))) {
            return Ok(None);
        }
        let (new, changed) = rewrite(m, f, &mut |b, f, o, args, map| match folded(b, f, o, args, map)? {
            None => branched(b, f, o, args, map),
            some => Ok(some),
        })?;
        Ok(changed.then_some(new))
    })
}
/// Whether all operands of `o` are constants of one number, or a constant chooses the branch that it is.
pub(crate) fn foldable(f: &Func, o: OpId) -> bool {
    let op = f.op(o);
    match op.def.control.taken {
        Some(_) => decided(f, f, o, &op.operands).is_some(),
        None => op.def.scalar.is_some() && op.operands.iter().all(|&v| splat(f, v).is_some()),
    }
}
/// The region of op `o` that runs, where that is known of the first of `args`, which are values of `known`.
fn decided(known: &Func, f: &Func, o: OpId, args: &[ValueId]) -> Option<RegionId> {
    let op = f.op(o);
    let which = op.def.control.taken?(splat(known, *args.first()?)?, op.regions.len())?;
    op.regions.get(which).copied()
}
/// What the region yields that runs, where a constant chooses it; its statements stand in the place of the op.
pub(crate) fn branched(
    b: &mut Builder,
    f: &Func,
    o: OpId,
    args: &[ValueId],
    map: &mut Map,
) -> Result<Option<Vec<ValueId>>> {
    let Some(r) = decided(b.func(), f, o, args) else { return Ok(None) };
    let region = f.region(r);
    // What results are said to be is asked where they are put in their places.
    let guards: Vec<_> = f.op(o).guards.iter().filter(|g| g.found.is_none()).cloned().collect();
    ask(b, &guards, f.op(o).discharged(), map)?;
    for (&p, &x) in region.params.iter().zip(&args[1..]) {
        bind_extents(b, f, p, x, map);
    }
    region.params.iter().zip(&args[1..]).for_each(|(&p, &x)| map.insert(p, x));
    for &inner in &region.ops {
        b.copy(f, inner, map)?;
    }
    ask(b, &region.guards, &region.discharged, map)?;
    map.all(&region.yields).map(Some)
}
/// The constant that op `o` is, where its operands are constants.
pub(crate) fn folded(b: &mut Builder, f: &Func, o: OpId, args: &[ValueId], map: &Map) -> Result<Option<Vec<ValueId>>> {
    let op = f.op(o);
    let Some(scalar) = op.def.scalar else { return Ok(None) };
    let mut xs = Vec::with_capacity(args.len());
    for &a in args {
        match splat(b.func(), a) {
            Some(t) => xs.push(t.clone()),
            None => return Ok(None),
        }
    }
    let ty = map.ty(f.ty(op.results[0]))?;
    let Some(y) = eval(scalar, &xs, ty.dtype) else { return Ok(None) };
    constant(b, &ty, y).map(|v| Some(vec![v]))
}
/// A constant of type `ty`, all of it `x`.
pub(crate) fn constant(b: &mut tfc_ir::Builder, ty: &Type, x: Tensor) -> Result<ValueId> {
    let key = if ty.is_scalar() { "value" } else { "splat" };
    b.emit1(NewOp::new(&tfc_ir::ops::constant::CONST, &[]).attr(key, Attr::Tensor(x)).types(vec![ty.clone()]))
}
fn splat(f: &Func, v: ValueId) -> Option<&Tensor> {
    let op = f.def_op(v)?;
    if !op.def.is(&tfc_ir::ops::constant::CONST) {
        return None;
    }
    op.attrs.tensor("splat").or_else(|| op.attrs.tensor("value").filter(|t| t.rank() == 0))
}
/// The integer that scalar `v` is, where it is a constant.
pub(crate) fn number(f: &Func, v: ValueId) -> Option<i64> {
    let t = splat(f, v).filter(|_| f.ty(v).is_scalar())?;
    match read(t)? {
        Num::I(x) => Some(x),
        Num::U(x) => i64::try_from(x).ok(),
        Num::B(_) | Num::F(_) => None,
    }
}

/// A number of one of the dtypes that are folded.
#[derive(Clone, Copy)]
enum Num {
    B(bool),
    I(i64),
    U(u64),
    F(f64),
}
fn read(t: &Tensor) -> Option<Num> {
    Some(match t.dtype() {
        DType::Bool => Num::B(t.item()?),
        DType::I32 => Num::I(t.item::<i32>()?.into()),
        DType::I64 => Num::I(t.item()?),
        DType::U32 => Num::U(t.item::<u32>()?.into()),
        DType::U64 => Num::U(t.item()?),
        DType::F32 => Num::F(t.item::<f32>()?.into()),
        DType::F64 => Num::F(t.item()?),
        d if d.is_signed() => Num::I(t.int()? as i64),
        d if d.is_unsigned() => Num::U(t.int()? as u64),
        _ => Num::F(t.real()?),
    })
}
/// Writes `x`, computed in the widest type of its kind, as an element of `dtype`: integers wrap, floats round once, small ones
/// as `f32` and then once more (TFIR §5). Every
/// NaN is the one of the text format: which one comes out of an operation depends on the machine that compiles.
fn write(x: Num, dtype: DType) -> Option<Tensor> {
    let x = if matches!(x, Num::F(x) if x.is_nan()) { Num::F(f64::NAN) } else { x };
    Some(match (dtype, x) {
        (DType::Bool, Num::B(x)) => Tensor::scalar(x),
        (DType::I32, Num::I(x)) => Tensor::scalar(x as i32),
        (DType::I64, Num::I(x)) => Tensor::scalar(x),
        (DType::U32, Num::U(x)) => Tensor::scalar(x as u32),
        (DType::U64, Num::U(x)) => Tensor::scalar(x),
        (DType::F32, Num::F(x)) => Tensor::scalar(x as f32),
        (DType::F64, Num::F(x)) => Tensor::scalar(x),
        (d, Num::I(x)) if d.is_signed() => Tensor::from_ints(d, &[], [x.into()]).ok()?,
        (d, Num::U(x)) if d.is_unsigned() => Tensor::from_ints(d, &[], [x.into()]).ok()?,
        (d, Num::F(x)) if d.is_small() && d.is_float() => Tensor::from_reals(d, &[], [f64::from(x as f32)]).ok()?,
        _ => return None,
    })
}
fn eval(op: ScalarOp, xs: &[Tensor], to: DType) -> Option<Tensor> {
    use ScalarOp as S;
    let v: Vec<Num> = xs.iter().map(read).collect::<Option<_>>()?;
    if op == S::Convert {
        return write(convert(v[0], to)?, to);
    }
    if op == S::Select {
        return match v[0] {
            Num::B(p) => Some(xs[if p { 1 } else { 2 }].clone()),
            _ => None,
        };
    }
    if let S::Outside(f) = op {
        return f.formulas.value(xs).filter(|y| y.dtype() == to).and_then(|y| write(read(&y)?, to));
    }
    // f32 operations rounded through f64 are correctly rounded for + − × ÷ (Figueroa 1995: 53 ≥ 2·24 + 2).
    let y = match (op, v.as_slice()) {
        (S::Neg, [Num::F(a)]) => Num::F(-a),
        (S::Neg, [Num::I(a)]) => Num::I(a.wrapping_neg()),
        (S::Abs, [Num::F(a)]) => Num::F(a.abs()),
        (S::Not, [Num::B(a)]) => Num::B(!a),
        (S::And, [Num::B(a), Num::B(b)]) => Num::B(*a && *b),
        (S::Or, [Num::B(a), Num::B(b)]) => Num::B(*a || *b),
        (S::Add, [Num::F(a), Num::F(b)]) => Num::F(a + b),
        (S::Sub, [Num::F(a), Num::F(b)]) => Num::F(a - b),
        (S::Mul, [Num::F(a), Num::F(b)]) => Num::F(a * b),
        (S::Div, [Num::F(a), Num::F(b)]) => Num::F(a / b),
        (S::Add, [Num::I(a), Num::I(b)]) => Num::I(a.wrapping_add(*b)),
        (S::Sub, [Num::I(a), Num::I(b)]) => Num::I(a.wrapping_sub(*b)),
        (S::Mul, [Num::I(a), Num::I(b)]) => Num::I(a.wrapping_mul(*b)),
        (S::Add, [Num::U(a), Num::U(b)]) => Num::U(a.wrapping_add(*b)),
        (S::Sub, [Num::U(a), Num::U(b)]) => Num::U(a.wrapping_sub(*b)),
        (S::Mul, [Num::U(a), Num::U(b)]) => Num::U(a.wrapping_mul(*b)),
        (_, [a, b]) => Num::B(compare(op, *a, *b)?),
        _ => return None,
    };
    write(y, to)
}
fn compare(op: ScalarOp, a: Num, b: Num) -> Option<bool> {
    let ord = match (a, b) {
        (Num::F(a), Num::F(b)) => a.partial_cmp(&b),
        (Num::I(a), Num::I(b)) => Some(a.cmp(&b)),
        (Num::U(a), Num::U(b)) => Some(a.cmp(&b)),
        (Num::B(a), Num::B(b)) => Some(a.cmp(&b)),
        _ => return None,
    };
    use ScalarOp as S;
    Some(match op {
        S::Eq => ord.is_some_and(|o| o.is_eq()),
        S::Ne => ord.is_none_or(|o| o.is_ne()),
        S::Lt => ord.is_some_and(|o| o.is_lt()),
        S::Le => ord.is_some_and(|o| o.is_le()),
        S::Gt => ord.is_some_and(|o| o.is_gt()),
        S::Ge => ord.is_some_and(|o| o.is_ge()),
        _ => return None,
    })
}
/// TFIR §5: float to integer truncates and saturates, NaN gives 0; integers wrap; to bool is `!= 0`.
fn convert(x: Num, to: DType) -> Option<Num> {
    Some(match to {
        DType::Bool => Num::B(match x {
            Num::B(b) => b,
            Num::I(i) => i != 0,
            Num::U(u) => u != 0,
            Num::F(f) => f != 0.0,
        }),
        DType::F32 => Num::F(match x {
            Num::B(b) => f64::from(u8::from(b)),
            Num::I(i) => f64::from(i as f32),
            Num::U(u) => f64::from(u as f32),
            Num::F(f) => f,
        }),
        DType::F64 => Num::F(match x {
            Num::B(b) => f64::from(u8::from(b)),
            Num::I(i) => i as f64,
            Num::U(u) => u as f64,
            Num::F(f) => f,
        }),
        // What rounds once more as the number itself would.
        d if d.is_float() => Num::F(match x {
            Num::B(b) => f64::from(u8::from(b)),
            Num::I(i) => i.single().into(),
            Num::U(u) => u.single().into(),
            Num::F(f) => f.single().into(),
        }),
        d if d.is_signed() => Num::I(match x {
            Num::B(b) => i64::from(b),
            Num::I(i) => i,
            Num::U(u) => u as i64,
            Num::F(f) => saturated(f, d)? as i64,
        }),
        d if d.is_unsigned() => Num::U(match x {
            Num::B(b) => u64::from(b),
            Num::I(i) => i as u64,
            Num::U(u) => u,
            Num::F(f) => saturated(f, d)? as u64,
        }),
        _ => return None,
    })
}
/// The integer towards zero, or the nearest that `d` has.
fn saturated(f: f64, d: DType) -> Option<i128> {
    d.int_range().map(|(low, high)| (f as i128).clamp(low, high))
}
/// The row that computes a fold's step.
pub(super) fn fold_row(s: tfc_ir::ScalarOp) -> Option<&'static tfc_ir::OpDef> {
    static CORE: std::sync::OnceLock<tfc_ir::OpSet> = std::sync::OnceLock::new();
    CORE.get_or_init(tfc_ir::OpSet::core).iter().find(|d| d.scalar == Some(s) && d.operands.len() == 2)
}
