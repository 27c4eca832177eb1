//! The table: one line an op and kind of dtype, and the rows of [`functions`](crate::functions).
use super::loops::{Bin, Ter, Un};
use super::num::{Int, Real, Saturate, logistic};
use super::{complex as cx, gamma, inverse, quotient, remainder, special};
use crate::functions::functions;
use crate::kernel::Kernel;
use tfc_ir::small::*;
use tfc_ir::{BF16, C32, C64, DType, F16, ScalarOp};

/// A kernel from an expression in one element.
macro_rules! un {
    ($cheap:literal, $A:ty => $R:ty, |$x:ident| $e:expr) => {{
        struct K;
        impl Un for K {
            type A = $A;
            type R = $R;
            const CHEAP: bool = $cheap;
            #[inline(always)]
            fn f($x: $A) -> $R {
                $e
            }
        }
        Some(Kernel::of1::<K>())
    }};
}
/// A kernel from an expression in two elements.
macro_rules! bin {
    ($cheap:literal, $A:ty => $R:ty, |$x:ident, $y:ident| $e:expr) => {{
        struct K;
        impl Bin for K {
            type A = $A;
            type R = $R;
            const CHEAP: bool = $cheap;
            #[inline(always)]
            fn f($x: $A, $y: $A) -> $R {
                $e
            }
        }
        Some(Kernel::of2::<K>())
    }};
}
/// A kernel of quotients, or of what they leave, with a loop of its own for one divisor.
macro_rules! quotient {
    ($A:ty, $rem:literal, |$x:ident, $y:ident| $e:expr) => {{
        struct K;
        impl Bin for K {
            type A = $A;
            type R = $A;
            const CHEAP: bool = false;
            #[inline(always)]
            fn f($x: $A, $y: $A) -> $A {
                $e
            }
        }
        Some(quotient::of::<K, $rem>())
    }};
}
/// A kernel of what divisions of real numbers leave.
macro_rules! remainder {
    ($A:ty, |$x:ident, $y:ident| $e:expr) => {{
        struct K;
        impl Bin for K {
            type A = $A;
            type R = $A;
            const CHEAP: bool = false;
            #[inline(always)]
            fn f($x: $A, $y: $A) -> $A {
                $e
            }
        }
        Some(remainder::of::<K>())
    }};
}
/// Runs `$k` with `$T` the Rust type of a dtype of the named kind; `None` for the others.
macro_rules! on {
    (@ $d:expr, $T:ident, $k:expr, $($D:ident $t:ty),*) => {
        match $d { $(DType::$D => { type $T = $t; $k })* _ => None }
    };
    (bool $d:expr, $T:ident => $k:expr) => { on!(@ $d, $T, $k, Bool bool) };
    (int $d:expr, $T:ident => $k:expr) => { on!(@ $d, $T, $k, I32 i32, I64 i64, U32 u32, U64 u64) };
    (real $d:expr, $T:ident => $k:expr) => { on!(@ $d, $T, $k, F32 f32, F64 f64) };
    (complex $d:expr, $T:ident => $k:expr) => { on!(@ $d, $T, $k, C32 C32, C64 C64) };
    (ordered $d:expr, $T:ident => $k:expr) => {
        on!(@ $d, $T, $k, Bool bool, I32 i32, I64 i64, U32 u32, U64 u64, F32 f32, F64 f64)
    };
    (any $d:expr, $T:ident => $k:expr) => {
        on!(@ $d, $T, $k, Bool bool, I32 i32, I64 i64, U32 u32, U64 u64, F32 f32, F64 f64, C32 C32, C64 C64)
    };
}
/// The first kind that has the dtype.
macro_rules! first {
    ($a:expr $(, $rest:expr)* $(,)?) => { None$(.or_else(|| $rest))*.or_else(|| $a) };
}
/// A library function of `f64` on reals; `None` where the row has none.
macro_rules! on_reals {
    ([] $a:expr, $arity:ident) => {
        None
    };
    ([$($f:tt)+] $a:expr, one) => {
        on!(real $a, T => un!(false, T => T, |x| x.via($($f)+)))
    };
    ([$($f:tt)+] $a:expr, two) => {
        on!(real $a, T => bin!(false, T => T, |x, y| x.via2(y, $($f)+)))
    };
}
/// The same on complex numbers.
macro_rules! on_complex {
    ([] $a:expr, $arity:ident) => {
        None
    };
    ([$($f:tt)+] $a:expr, one) => {
        on!(complex $a, T => un!(false, T => T, |x| cx::Cplx::via(x, $($f)+)))
    };
    ([$($f:tt)+] $a:expr, two) => {
        on!(complex $a, T => bin!(false, T => T, |x, y| cx::Cplx::via2(x, y, $($f)+)))
    };
}
/// The rows of `functions`, by the number of operands.
macro_rules! library {
    ($($arity:ident { $($op:ident $real:tt $complex:tt $vector:tt $pairs:tt;)* })*) => { $(
        fn $arity(op: ScalarOp, a: DType) -> Option<Kernel> {
            match op {
                $(ScalarOp::$op => first!(on_reals!($real a, $arity), on_complex!($complex a, $arity)),)*
                _ => None,
            }
        }
    )* };
}
functions!(library);

pub(super) fn unary(op: ScalarOp, a: DType, to: DType) -> Option<Kernel> {
    use ScalarOp::*;
    match op {
        Convert => convert(a, to),
        Neg | Abs | Sign | Floor | Ceil | Round | RoundEven | IsFinite | Not | Popcnt | Clz | Real | Imag | Conj => {
            unary_exact(op, a)
        }
        _ => one(op, a),
    }
}

/// Correctly rounded, and cheap for reals.
fn unary_exact(op: ScalarOp, a: DType) -> Option<Kernel> {
    use ScalarOp::*;
    match op {
        Neg => first!(
            on!(int a, T => un!(true, T => T, |x| x.wrapping_neg())),
            on!(real a, T => un!(true, T => T, |x| -x)),
            on!(complex a, T => un!(true, T => T, |x| -x)),
        ),
        Abs => first!(
            on!(int a, T => un!(true, T => T, |x| x.iabs())),
            on!(real a, T => un!(true, T => T, |x| x.abs())),
            on!(complex a, T => un!(true, T => <T as cx::Cplx>::Part, |x| cx::Cplx::modulus(x))),
        ),
        Sign => first!(
            on!(int a, T => un!(true, T => T, |x| x.isign())),
            on!(real a, T => un!(true, T => T, |x| x.fsign())),
            on!(complex a, T => un!(false, T => T, |x| cx::Cplx::via(x, cx::sign))),
        ),
        Floor => on!(real a, T => un!(true, T => T, |x| x.floor())),
        Ceil => on!(real a, T => un!(true, T => T, |x| x.ceil())),
        Round => on!(real a, T => un!(true, T => T, |x| x.round())),
        RoundEven => on!(real a, T => un!(true, T => T, |x| x.round_ties_even())),
        IsFinite => on!(real a, T => un!(true, T => bool, |x| x.is_finite())),
        Not => first!(on!(bool a, T => un!(true, T => T, |x| !x)), on!(int a, T => un!(true, T => T, |x| !x)),),
        Popcnt => on!(int a, T => un!(true, T => T, |x| x.count_ones() as T)),
        Clz => on!(int a, T => un!(true, T => T, |x| x.leading_zeros() as T)),
        Real => first!(
            on!(real a, T => un!(true, T => T, |x| x)),
            on!(complex a, T => un!(true, T => <T as cx::Cplx>::Part, |x| x.re)),
        ),
        Imag => first!(
            on!(real a, T => un!(true, T => T, |_x| 0.0)),
            on!(complex a, T => un!(true, T => <T as cx::Cplx>::Part, |x| x.im)),
        ),
        Conj => {
            first!(on!(real a, T => un!(true, T => T, |x| x)), on!(complex a, T => un!(true, T => T, |x| x.conj())),)
        }
        _ => None,
    }
}

pub(super) fn binary(op: ScalarOp, a: DType) -> Option<Kernel> {
    use ScalarOp::*;
    match op {
        Eq | Ne | Lt | Le | Gt | Ge => compare(op, a),
        And | Or | Xor | Shl | ShrArith | ShrLogical | Mulhi => bits(op, a),
        _ => arithmetic(op, a).or_else(|| two(op, a)),
    }
}

fn arithmetic(op: ScalarOp, a: DType) -> Option<Kernel> {
    use ScalarOp::*;
    match op {
        Add => first!(
            on!(int a, T => bin!(true, T => T, |x, y| x.wrapping_add(y))),
            on!(real a, T => bin!(true, T => T, |x, y| x + y)),
            on!(complex a, T => bin!(true, T => T, |x, y| x + y)),
        ),
        Sub => first!(
            on!(int a, T => bin!(true, T => T, |x, y| x.wrapping_sub(y))),
            on!(real a, T => bin!(true, T => T, |x, y| x - y)),
            on!(complex a, T => bin!(true, T => T, |x, y| x - y)),
        ),
        Mul => first!(
            on!(int a, T => bin!(true, T => T, |x, y| x.wrapping_mul(y))),
            on!(real a, T => bin!(true, T => T, |x, y| x * y)),
            on!(complex a, T => bin!(true, T => T, |x, y| x * y)),
        ),
        Div => first!(
            on!(int a, T => quotient!(T, false, |x, y| x.idiv(y))),
            on!(real a, T => bin!(true, T => T, |x, y| x / y)),
        ),
        Rem => {
            first!(on!(int a, T => quotient!(T, true, |x, y| x.irem(y))), on!(real a, T => remainder!(T, |x, y| x % y)),)
        }
        Pow => on!(int a, T => bin!(false, T => T, |x, y| x.ipow(y))),
        Max => first!(
            on!(bool a, T => bin!(true, T => T, |x, y| x | y)),
            on!(int a, T => bin!(true, T => T, |x, y| x.max(y))),
            on!(real a, T => bin!(true, T => T, |x, y| x.fmax(y))),
        ),
        Min => first!(
            on!(bool a, T => bin!(true, T => T, |x, y| x & y)),
            on!(int a, T => bin!(true, T => T, |x, y| x.min(y))),
            on!(real a, T => bin!(true, T => T, |x, y| x.fmin(y))),
        ),
        Nextafter => on!(real a, T => bin!(false, T => T, |x, y| x.next_towards(y))),
        Complex => match a {
            DType::F32 => bin!(true, f32 => C32, |x, y| C32::new(x, y)),
            DType::F64 => bin!(true, f64 => C64, |x, y| C64::new(x, y)),
            _ => None,
        },
        _ => None,
    }
}

fn bits(op: ScalarOp, a: DType) -> Option<Kernel> {
    use ScalarOp::*;
    match op {
        And => first!(
            on!(bool a, T => bin!(true, T => T, |x, y| x & y)),
            on!(int a, T => bin!(true, T => T, |x, y| x & y)),
        ),
        Or => first!(
            on!(bool a, T => bin!(true, T => T, |x, y| x | y)),
            on!(int a, T => bin!(true, T => T, |x, y| x | y)),
        ),
        Xor => first!(
            on!(bool a, T => bin!(true, T => T, |x, y| x ^ y)),
            on!(int a, T => bin!(true, T => T, |x, y| x ^ y)),
        ),
        Shl => on!(int a, T => bin!(true, T => T, |x, y| x.ishl(y))),
        ShrArith => on!(int a, T => bin!(true, T => T, |x, y| x.ishr_arith(y))),
        ShrLogical => on!(int a, T => bin!(true, T => T, |x, y| x.ishr_logical(y))),
        Mulhi => on!(int a, T => bin!(true, T => T, |x, y| x.imulhi(y))),
        _ => None,
    }
}

#[expect(clippy::bool_comparison, reason = "one expression serves every dtype")]
fn compare(op: ScalarOp, a: DType) -> Option<Kernel> {
    use ScalarOp::*;
    match op {
        Eq => on!(any a, T => bin!(true, T => bool, |x, y| x == y)),
        Ne => on!(any a, T => bin!(true, T => bool, |x, y| x != y)),
        Lt => on!(ordered a, T => bin!(true, T => bool, |x, y| x < y)),
        Le => on!(ordered a, T => bin!(true, T => bool, |x, y| x <= y)),
        Gt => on!(ordered a, T => bin!(true, T => bool, |x, y| x > y)),
        Ge => on!(ordered a, T => bin!(true, T => bool, |x, y| x >= y)),
        _ => None,
    }
}

pub(super) fn ternary(op: ScalarOp, a: DType) -> Option<Kernel> {
    macro_rules! ter {
        ($P:ty, $A:ty, |$p:ident, $x:ident, $y:ident| $e:expr) => {{
            struct K;
            impl Ter for K {
                type P = $P;
                type A = $A;
                #[inline(always)]
                fn f($p: $P, $x: $A, $y: $A) -> $A {
                    $e
                }
            }
            Some(Kernel::of3::<K>())
        }};
    }
    match op {
        ScalarOp::Select => on!(any a, T => ter!(bool, T, |p, x, y| if p { x } else { y })),
        ScalarOp::Clamp => first!(
            on!(bool a, T => ter!(T, T, |lo, x, hi| (lo | x) & hi)),
            on!(int a, T => ter!(T, T, |lo, x, hi| lo.max(x).min(hi))),
            on!(real a, T => ter!(T, T, |lo, x, hi| lo.fmax(x).fmin(hi))),
        ),
        ScalarOp::Fma => on!(real a, T => ter!(T, T, |x, y, z| x.mul_add(y, z))),
        ScalarOp::Fnma => on!(real a, T => ter!(T, T, |x, y, z| (-x).mul_add(y, z))),
        _ => None,
    }
}

/// `to` as seen from each operand type. `as` truncates and saturates from floats to integers, gives 0 for NaN, wraps
/// between integers and rounds once to nearest towards floats: TFIR §5 word for word.
fn convert(a: DType, to: DType) -> Option<Kernel> {
    macro_rules! to {
        ($T:ident, $($D:ident $t:ty: |$x:ident| $e:expr),*; $b:ident $be:expr; $r:ident $re:expr) => {
            match to {
                $(DType::$D => un!(true, $T => $t, |$x| $e),)*
                DType::Bool => un!(true, $T => bool, |$b| $be),
                DType::C32 => un!(true, $T => C32, |$r| C32::new($re as f32, 0.0)),
                DType::C64 => un!(true, $T => C64, |$r| C64::new($re as f64, 0.0)),
                _ => None,
            }
        };
    }
    if a.is_small() || to.is_small() {
        return convert_small(a, to);
    }
    match a {
        DType::Bool => match to {
            DType::I32 => un!(true, bool => i32, |x| x as i32),
            DType::I64 => un!(true, bool => i64, |x| x as i64),
            DType::U32 => un!(true, bool => u32, |x| x as u32),
            DType::U64 => un!(true, bool => u64, |x| x as u64),
            DType::F32 => un!(true, bool => f32, |x| x as u8 as f32),
            DType::F64 => un!(true, bool => f64, |x| x as u8 as f64),
            DType::C32 => un!(true, bool => C32, |x| C32::new(x as u8 as f32, 0.0)),
            DType::C64 => un!(true, bool => C64, |x| C64::new(x as u8 as f64, 0.0)),
            DType::Bool => un!(true, bool => bool, |x| x),
            _ => None,
        },
        DType::C32 => match to {
            DType::C32 => un!(true, C32 => C32, |x| x),
            DType::C64 => un!(true, C32 => C64, |x| C64::new(x.re as f64, x.im as f64)),
            DType::Bool => un!(true, C32 => bool, |x| x.re != 0.0 || x.im != 0.0),
            _ => None,
        },
        DType::C64 => match to {
            DType::C32 => un!(true, C64 => C32, |x| C32::new(x.re as f32, x.im as f32)),
            DType::C64 => un!(true, C64 => C64, |x| x),
            DType::Bool => un!(true, C64 => bool, |x| x.re != 0.0 || x.im != 0.0),
            _ => None,
        },
        _ => first!(
            on!(int a, T => to!(T, I32 i32: |x| x as i32, I64 i64: |x| x as i64, U32 u32: |x| x as u32,
                U64 u64: |x| x as u64, F32 f32: |x| x as f32, F64 f64: |x| x as f64; x x != 0; x x)),
            on!(real a, T => to!(T, I32 i32: |x| x.saturate(), I64 i64: |x| x.saturate(), U32 u32: |x| x.saturate(),
                U64 u64: |x| x.saturate(), F32 f32: |x| x as f32, F64 f64: |x| x as f64; x x != 0.0; x x)),
        ),
    }
}
/// Between a small dtype and its wide one; and of every wide number to the small floats, rounded once.
fn convert_small(a: DType, to: DType) -> Option<Kernel> {
    macro_rules! pairs {
        ($($D:ident $t:ty, $W:ident $w:ty;)*) => {
            match (a, to) {
                $((DType::$D, DType::$W) => un!(true, $t => $w, |x| x.widen()),
                (DType::$W, DType::$D) => un!(true, $w => $t, |x| <$t>::narrow(x)),
                (DType::$D, DType::$D) => un!(true, $t => $t, |x| x),)*
                _ => None,
            }
        };
    }
    macro_rules! halves {
        ($($D:ident $t:ty),*) => {
            match to {
                $(DType::$D => first!(
                    on!(@ a, T, un!(false, T => $t, |x| <$t>::narrow(x.single())), I32 i32, I64 i64, U32 u32, U64 u64),
                    on!(@ a, T, un!(false, T => $t, |x| <$t>::narrow(x.single())), F64 f64),
                ),)*
                _ => None,
            }
        };
    }
    pairs! {
        I8 i8, I32 i32; I16 i16, I32 i32; U8 u8, U32 u32; U16 u16, U32 u32; BF16 BF16, F32 f32; F16 F16, F32 f32;
        I2 I2, I32 i32; I4 I4, I32 i32; U2 U2, U32 u32; U4 U4, U32 u32;
        F4E2M1FN F4E2M1FN, F32 f32;
        F6E2M3FN F6E2M3FN, F32 f32;
        F6E3M2FN F6E3M2FN, F32 f32;
        F8E3M4 F8E3M4, F32 f32;
        F8E4M3 F8E4M3, F32 f32;
        F8E4M3B11FNUZ F8E4M3B11FNUZ, F32 f32;
        F8E4M3FN F8E4M3FN, F32 f32;
        F8E4M3FNUZ F8E4M3FNUZ, F32 f32;
        F8E5M2 F8E5M2, F32 f32;
        F8E5M2FNUZ F8E5M2FNUZ, F32 f32;
    }
    .or_else(|| {
        halves!(
            BF16 BF16, F16 F16, F4E2M1FN F4E2M1FN, F6E2M3FN F6E2M3FN, F6E3M2FN F6E3M2FN, F8E3M4 F8E3M4, F8E4M3 F8E4M3, F8E4M3B11FNUZ F8E4M3B11FNUZ, F8E4M3FN F8E4M3FN, F8E4M3FNUZ F8E4M3FNUZ, F8E5M2 F8E5M2, F8E5M2FNUZ F8E5M2FNUZ
        )
    })
}
