//! Numbers of the text to numbers of the IR: integers, floats, tensor literals.
use super::super::ast::{Attr, AttrKind, Num, NumKind};
use tfc_ir::small::*;
use tfc_ir::{
    BF16, C32, C64, Code, DType, Diagnostic, Element, F16, Span, Tensor, Type, for_tiny_floats, with_small_float,
    with_small_int,
};

type Fail = Option<Box<Diagnostic>>;

fn fail(code: Code, span: Span, message: impl Into<String>, help: &str) -> Fail {
    let d = Diagnostic::error(code, span, message);
    Some(Box::new(if help.is_empty() { d } else { d.help(help) }))
}

/// An integer of 64 bits. `Err(None)` where the mistake was reported by the lexer.
pub(super) fn integer(n: &Num) -> Result<i64, Fail> {
    let NumKind::Int(text) = n.kind else {
        return Err(fail(Code::E0223, n.span, "this is no integer", ""));
    };
    wide(n, text).and_then(|v| {
        let range = "integers here are between -9223372036854775808 and 9223372036854775807";
        i64::try_from(v).map_err(|_| fail(Code::E0011, n.span, "integer does not fit into 64 bits", range))
    })
}

fn wide(n: &Num, text: &str) -> Result<i128, Fail> {
    let v: i128 = text.parse().map_err(|_| fail(Code::E0011, n.span, "integer does not fit into 64 bits", ""))?;
    Ok(if n.negative { -v } else { v })
}

/// Floating types with their bit patterns.
trait Float: Element {
    const BITS: u32;
    fn parse(text: &str) -> Option<Self>;
    fn of_bits(bits: u64) -> Self;
    fn finite(self) -> bool;
    fn negated(self) -> Self;
    /// NaN or an infinity, where the dtype has it.
    fn special(x: f32) -> Option<Self>;
}
macro_rules! floats {
    ($($t:ty, $u:ty);*) => { $(impl Float for $t {
        const BITS: u32 = <$u>::BITS;
        fn parse(text: &str) -> Option<Self> { text.parse().ok() }
        fn of_bits(bits: u64) -> Self { <$t>::from_bits(bits as $u) }
        fn finite(self) -> bool { self.is_finite() }
        fn negated(self) -> Self { -self }
        fn special(x: f32) -> Option<Self> { Some(x.into()) }
    })* };
}
floats!(f32, u32; f64, u64);
macro_rules! small_floats {
    ($($t:ty),*) => { $(impl Float for $t {
        const BITS: u32 = <$t>::DTYPE.bits();
        fn parse(text: &str) -> Option<Self> {
            let x = text.parse::<f64>().ok().filter(|&x| !beyond(<$t>::DTYPE, x));
            x.map(|x| <$t>::narrow(x.single()))
        }
        fn of_bits(bits: u64) -> Self { <$t as Small>::of_bits(bits as u32) }
        fn finite(self) -> bool { self.widen().is_finite() }
        fn negated(self) -> Self { <$t>::narrow(-self.widen()) }
        fn special(x: f32) -> Option<Self> {
            let made = <$t>::narrow(x);
            (made.widen() == x || made.widen().is_nan() && x.is_nan()).then_some(made)
        }
    })* };
}
small_floats!(BF16, F16);
for_tiny_floats!(small_floats);

fn float<T: Float>(n: &Num) -> Result<T, Fail> {
    let none = |what: &str| {
        fail(Code::E0011, n.span, format!("{} has no {what}", T::DTYPE), "its numbers are finite ones alone")
    };
    let v = match n.kind {
        NumKind::Inf => T::special(f32::INFINITY).ok_or_else(|| none("infinity"))?,
        NumKind::Nan => T::special(f32::NAN).ok_or_else(|| none("NaN"))?,
        NumKind::Int(text) | NumKind::Float(text) => match T::parse(text) {
            Some(v) if v.finite() => v,
            _ => {
                return Err(fail(
                    Code::E0011,
                    n.span,
                    format!("number does not fit into {}", T::DTYPE),
                    "write `inf` for infinity",
                ));
            }
        },
        NumKind::Hex(text) => {
            let bits = text.get(2..).and_then(|h| u64::from_str_radix(h, 16).ok());
            match bits {
                Some(b) if !n.negative && (T::BITS == 64 || b >> T::BITS == 0) => T::of_bits(b),
                _ => return Err(fail(Code::E0011, n.span, format!("bit pattern does not fit into {}", T::DTYPE), "")),
            }
        }
    };
    Ok(if n.negative { v.negated() } else { v })
}

/// A floating number that is no tensor element.
pub(super) fn float64(n: &Num) -> Result<f64, Fail> {
    float::<f64>(n)
}

/// A number or nested lists of numbers as a tensor, of the dtype of `want` where a type is written.
pub(super) fn tensor(a: &Attr, want: Option<&Type>) -> Result<Tensor, Fail> {
    let mut shape = vec![];
    let mut first = a;
    while let AttrKind::List(v) = &first.kind {
        shape.push(v.len());
        match v.first() {
            Some(f) => first = f,
            None => break,
        }
    }
    let mut leaves = vec![];
    gather(a, &shape, &mut leaves)?;
    let dtype = match want {
        Some(t) => t.dtype,
        None => guess(&leaves, a.span)?,
    };
    // `[]` alone does not say what stands beside an axis of extent 0; the written type does.
    if leaves.is_empty()
        && let Some(written) = want.and_then(Type::exact_shape)
        && written.contains(&0)
        && (written.starts_with(&shape) || shape == [0])
    {
        shape = written;
    }
    Ok(match dtype {
        DType::Bool => build(a.span, &shape, &leaves, boolean)?,
        DType::I32 => build(a.span, &shape, &leaves, int::<i32>)?,
        DType::I64 => build(a.span, &shape, &leaves, int::<i64>)?,
        DType::U32 => build(a.span, &shape, &leaves, int::<u32>)?,
        DType::U64 => build(a.span, &shape, &leaves, int::<u64>)?,
        DType::F32 => build(a.span, &shape, &leaves, real::<f32>)?,
        DType::F64 => build(a.span, &shape, &leaves, real::<f64>)?,
        DType::C32 => build(a.span, &shape, &leaves, |a| pair::<f32>(a).map(|(re, im)| C32::new(re, im)))?,
        DType::C64 => build(a.span, &shape, &leaves, |a| pair::<f64>(a).map(|(re, im)| C64::new(re, im)))?,
        d => with_small_float!(d, T => build(a.span, &shape, &leaves, real::<T>)?, _ =>
            with_small_int!(d, T => build(a.span, &shape, &leaves, int::<T>)?, _ => return Err(None))),
    })
}

fn build<T: Element>(
    span: Span,
    shape: &[usize],
    leaves: &[&Attr],
    f: impl Fn(&Attr) -> Result<T, Fail>,
) -> Result<Tensor, Fail> {
    let v = leaves.iter().map(|a| f(a)).collect::<Result<Vec<T>, Fail>>()?;
    Tensor::from_logical(shape, v).map_err(|e| fail(e.data().code, span, e.data().message.clone(), ""))
}

/// Numbers in logical order; nesting is bounded by the lexer.
fn gather<'s, 'a>(a: &'s Attr<'a>, shape: &[usize], leaves: &mut Vec<&'s Attr<'a>>) -> Result<(), Fail> {
    match (&a.kind, shape) {
        (AttrKind::List(v), [n, inner @ ..]) => {
            if v.len() != *n {
                let help = "lists on one level have one length";
                return Err(fail(
                    Code::E0226,
                    a.span,
                    format!("list of {} where its neighbours have {n}", v.len()),
                    help,
                ));
            }
            v.iter().try_for_each(|x| gather(x, inner, leaves))
        }
        (AttrKind::List(_), []) => Err(fail(Code::E0226, a.span, "list where its neighbours are numbers", "")),
        (AttrKind::Error, _) => Err(None),
        (_, []) => {
            leaves.push(a);
            Ok(())
        }
        (_, _) => Err(fail(Code::E0226, a.span, "number where its neighbours are lists", "")),
    }
}

/// The dtype of numbers that nothing else gives one.
fn guess(leaves: &[&Attr], span: Span) -> Result<DType, Fail> {
    let mut dtype = None;
    for a in leaves {
        let d = match &a.kind {
            AttrKind::Bool(_) => DType::Bool,
            AttrKind::Complex(..) => DType::C64,
            AttrKind::Num(Num { kind: NumKind::Int(_), .. }) => DType::I64,
            AttrKind::Num(_) => DType::F64,
            _ => return Err(not_a_number(a)),
        };
        dtype = match (dtype, d) {
            (None, d) => Some(d),
            (Some(DType::Bool), d) | (Some(d), DType::Bool) if d != DType::Bool => {
                return Err(fail(Code::E0223, a.span, "numbers and truth values in one literal", ""));
            }
            // i64 < f64 < c64 in the order of declaration.
            (Some(e), d) => Some(e.max(d)),
        };
    }
    dtype.ok_or_else(|| fail(Code::E0207, span, "an empty literal needs its type written", "write `%name: f64[0] = …`"))
}

fn not_a_number(a: &Attr) -> Fail {
    match a.kind {
        AttrKind::Error => None,
        _ => fail(
            Code::E0223,
            a.span,
            "this is no number",
            "literals are numbers, `true`, `false`, `(re, im)` or lists of them",
        ),
    }
}

fn boolean(a: &Attr) -> Result<bool, Fail> {
    match a.kind {
        AttrKind::Bool(b) => Ok(b),
        AttrKind::Num(n) => Err(fail(Code::E0223, n.span, "a number in a bool literal", "write `true` or `false`")),
        _ => Err(not_a_number(a)),
    }
}

fn int<T: Element + TryFrom<i128>>(a: &Attr) -> Result<T, Fail> {
    match &a.kind {
        AttrKind::Num(n @ Num { kind: NumKind::Int(text), .. }) => {
            let message = || format!("integer does not fit into {}", T::DTYPE);
            let v = wide(n, text).map_err(|_| fail(Code::E0011, n.span, message(), ""))?;
            T::try_from(v).map_err(|_| fail(Code::E0011, n.span, message(), ""))
        }
        AttrKind::Num(n) => {
            Err(fail(Code::E0223, n.span, format!("not an integer, but the dtype is {}", T::DTYPE), ""))
        }
        AttrKind::Bool(_) => Err(fail(Code::E0223, a.span, format!("a truth value in a literal of {}", T::DTYPE), "")),
        AttrKind::Complex(..) => {
            Err(fail(Code::E0223, a.span, format!("a complex number in a literal of {}", T::DTYPE), ""))
        }
        _ => Err(not_a_number(a)),
    }
}

fn real<T: Float>(a: &Attr) -> Result<T, Fail> {
    match &a.kind {
        AttrKind::Num(n) => float(n),
        AttrKind::Bool(_) => Err(fail(Code::E0223, a.span, format!("a truth value in a literal of {}", T::DTYPE), "")),
        AttrKind::Complex(..) => {
            Err(fail(Code::E0223, a.span, format!("a complex number in a literal of {}", T::DTYPE), ""))
        }
        _ => Err(not_a_number(a)),
    }
}

fn pair<T: Float>(a: &Attr) -> Result<(T, T), Fail> {
    match &a.kind {
        AttrKind::Complex(re, im) => Ok((float(re)?, float(im)?)),
        _ => {
            let re: T = real(a)?;
            Ok((re, T::of_bits(0)))
        }
    }
}
