//! Divisions of extents that round down, as `jnp.floor_divide` and `jnp.remainder` are written: a division that rounds towards 0,
//! and a correction where the remainder is not 0 and signs differ. The divisor is at least 1.
//!
//! Of a dividend that is negative neither quotient nor remainder is an extent by itself, but what the correction makes of it is:
//! for `a ≥ 1`, `floor(−a / d) = −1 − floor((a − 1) / d)` and `−a mod d = d − 1 − (a − 1) mod d`.
use super::super::super::ast::Op;
use super::super::func::FuncCx;
use super::dynamic::{at_least, known};
use std::collections::HashMap;
use tfc_ir::ops::elementwise::SUB;
use tfc_ir::{Extent, ValueId};

/// A dividend and a divisor of at least 1.
type Pair = (Extent, Extent);

/// What a truth value says.
#[derive(Clone, PartialEq)]
enum Says {
    /// Whether this extent, which is not negative, is 0.
    Zero(Extent),
    /// Whether the remainder is not 0.
    Rest(Pair),
    /// Whether the remainder is less than 0.
    Negative(Pair),
}
/// What is known of the values of a function.
#[derive(Default)]
pub(in super::super) struct Rounding {
    /// Quotients that are rounded towards 0.
    quotients: HashMap<ValueId, Pair>,
    /// Their remainders.
    rests: HashMap<ValueId, Pair>,
    /// Signs of what is not negative.
    signs: HashMap<ValueId, Extent>,
    says: HashMap<ValueId, Says>,
}

pub(super) fn is_negative(cx: &FuncCx, x: &Extent) -> bool {
    Extent::sub(&Extent::exact(0), x).is_ok_and(|a| at_least(cx, &[a], 1))
}
fn one(cx: &FuncCx, v: ValueId) -> Option<Extent> {
    match known(cx, v)?.as_slice() {
        [x] => Some(x.clone()),
        _ => None,
    }
}

/// What two truth values decide that are undecided by themselves: 0 has no remainder.
pub(super) fn truth(cx: &FuncCx, name: &str, v: &[ValueId]) -> Option<bool> {
    let ("stablehlo.and", [p, q]) = (name, v) else { return None };
    let says = &cx.rounding.says;
    match (says.get(p)?, says.get(q)?) {
        (Says::Zero(x), Says::Rest((y, _))) | (Says::Rest((y, _)), Says::Zero(x)) if x == y => Some(false),
        _ => None,
    }
}
/// Keeps what an op says of its result.
pub(super) fn follow<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId], result: ValueId) {
    let r = &cx.rounding;
    let said = match (op.name.text, v) {
        ("stablehlo.divide" | "stablehlo.remainder", &[x, y]) => {
            let (Some(x), Some(d)) = (one(cx, x), one(cx, y)) else { return };
            let least = |e: &Extent, n: i64| at_least(cx, std::slice::from_ref(e), n);
            let divides = least(&d, 1) && (least(&x, 0) || is_negative(cx, &x));
            let rest = op.name.text == "stablehlo.remainder";
            let list = if rest { &mut cx.rounding.rests } else { &mut cx.rounding.quotients };
            if divides {
                list.insert(result, (x, d));
            }
            return;
        }
        ("stablehlo.sign", &[x]) => {
            if let Some(x) = one(cx, x).filter(|x| at_least(cx, std::slice::from_ref(x), 0)) {
                cx.rounding.signs.insert(result, x);
            }
            return;
        }
        ("stablehlo.compare", &[x, y]) => {
            let (to, direction) = (one(cx, y).and_then(|y| y.as_exact()), cx.word(op, "comparison_direction", 0));
            match (direction, r.rests.get(&x), r.signs.get(&x), to) {
                (Some("NE"), Some(pair), _, Some(0)) => Some(Says::Rest(pair.clone())),
                (Some("LT"), Some(pair), _, Some(0)) if is_negative(cx, &pair.0) => Some(Says::Negative(pair.clone())),
                (Some("NE"), _, Some(of), Some(1)) => Some(Says::Zero(of.clone())),
                // Different from what does not hold is what holds.
                (Some("NE"), None, None, None) if cx.decided.get(&y) == Some(&false) => r.says.get(&x).cloned(),
                (Some("NE"), None, None, None) if cx.decided.get(&x) == Some(&false) => r.says.get(&y).cloned(),
                _ => None,
            }
        }
        ("stablehlo.and", [p, q]) => match (r.says.get(p), r.says.get(q)) {
            (Some(s), None) if cx.decided.get(q) == Some(&true) => Some(s.clone()),
            (None, Some(s)) if cx.decided.get(p) == Some(&true) => Some(s.clone()),
            (Some(Says::Negative(x)), Some(Says::Rest(y))) | (Some(Says::Rest(y)), Some(Says::Negative(x)))
                if x == y =>
            {
                Some(Says::Negative(x.clone()))
            }
            _ => None,
        },
        _ => None,
    };
    if let Some(said) = said {
        cx.rounding.says.insert(result, said);
    }
}
/// The extent that `select(p, yes, no)` is, where `p` says when `no` has to be corrected to `yes`.
pub(super) fn selected(cx: &FuncCx, p: ValueId, yes: ValueId, no: ValueId) -> Option<Extent> {
    let r = &cx.rounding;
    let (pair, rest) = match r.says.get(&p)? {
        Says::Negative(pair) => (pair, true),
        Says::Rest(pair) => (pair, false),
        Says::Zero(_) => return None,
    };
    let (x, d) = pair;
    if !is_negative(cx, x) {
        return None;
    }
    let less = Extent::sub(&Extent::exact(-1), x).ok()?;
    // 0 by anything that is not 0 is 0, which is not said of an extent by itself.
    let none = (less.as_exact() == Some(0)).then(|| less.clone());
    if rest {
        let (of, by) = cx.beyond.get(&yes)?;
        let corrected = *of == no && *by == [d.clone()] && r.rests.get(&no) == Some(pair);
        let most = Extent::sub(d, &Extent::exact(1)).ok()?;
        let part = none.or_else(|| Extent::modulo(&less, d).ok())?;
        return Extent::sub(&most, &part).ok().filter(|_| corrected);
    }
    let op = cx.b.func().def_op(yes).filter(|o| o.def.is(&SUB))?;
    let by = one(cx, *op.operands.get(1)?)?.as_exact();
    let corrected = op.operands.first() == Some(&no) && by == Some(1) && r.quotients.get(&no) == Some(pair);
    let part = none.or_else(|| Extent::floordiv(&less, d).ok())?;
    Extent::sub(&Extent::exact(-1), &part).ok().filter(|_| corrected)
}
