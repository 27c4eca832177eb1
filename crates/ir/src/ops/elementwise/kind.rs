//! Which dtypes an op takes, what it gives, and what to advise where it takes another.
use crate::DType;

/// A set of dtypes.
pub(super) struct Kind {
    /// In words, for "takes …".
    pub(super) words: &'static str,
    /// Whether a dtype is one of the kind.
    pub(super) has: fn(DType) -> bool,
}
macro_rules! kinds {
    ($($(#[$d:meta])* $K:ident $words:literal $has:expr;)*) => { $(
        $(#[$d])*
        pub(super) static $K: Kind = Kind { words: $words, has: $has };
    )* };
}
kinds! {
    /// Everything.
    ANY "any dtype" |_| true;
    /// Integers, floats, complex.
    NUMBERS "integers, floats and complex numbers" |d| d != DType::Bool;
    /// Integers, floats.
    REAL_NUMBERS "integers and floats" |d| d.is_int() || d.is_float();
    /// Booleans, integers, floats.
    ORDERED "bool, integers and floats" |d| !d.is_complex();
    /// Floats, complex.
    INEXACT "floats and complex numbers" |d| d.is_inexact();
    /// Floats.
    FLOATS "floats" |d| d.is_float();
    /// Floats that are the parts of a complex dtype.
    PARTS "f32 and f64" |d| d.is_float() && !d.is_small();
    /// Integers.
    INTS "integers" |d| d.is_int();
    /// Booleans, integers.
    BITS "bool and integers" |d| d == DType::Bool || d.is_int();
}
impl Kind {
    /// What to do about an operand of dtype `d`, which is not of this kind.
    pub(super) fn help(&self, d: DType) -> String {
        // What takes integers besides floats, and no complex numbers, goes by order.
        if d.is_complex() && (self.has)(DType::I64) && (self.has)(DType::F64) {
            return "complex numbers have no order: spell out the lexicographic one by `real`, `imag`, `lt`, `eq` and \
                    `select`, or compare `abs`"
                .into();
        }
        if d.is_complex() && (self.has)(DType::F64) {
            return "it is a function of real numbers: take `real`, `imag` or `abs` first".into();
        }
        if d.is_small() && (self.has)(d.wide()) {
            return format!("`convert` to {} first: no complex dtype has parts of {d}", d.wide());
        }
        if d == DType::Bool {
            return "use `and`, `or`, `xor` and `not` on bool, or insert `convert`".into();
        }
        if d.is_int() {
            return "nothing is promoted in the IR: insert `convert` to f64 or f32".into();
        }
        "`convert` to an integer dtype truncates; `bitcast` gives the bits".into()
    }
}

/// The operands' dtype.
pub(super) fn same(d: DType) -> DType {
    d
}
/// `bool`.
pub(super) fn truth(_: DType) -> DType {
    DType::Bool
}
/// The dtype of the parts of a complex number.
pub(super) fn real(d: DType) -> DType {
    d.real()
}
/// The complex dtype with such parts.
pub(super) fn complex(d: DType) -> DType {
    d.complex().unwrap_or(d)
}
