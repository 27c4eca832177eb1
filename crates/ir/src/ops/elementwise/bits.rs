//! Logic and bits of `bool` and integers. None carries a derivative.
use super::simplify as s;
use super::{rows, small};
use crate::op::Linearize::*;
use crate::op::{Batch, Family, OnSmall, OpDef};
use crate::sample::Domain::*;
use crate::scalar::ScalarOp;

rows! {
    NOT Not "not" ["x"] BITS => same, [Any], Zero, "Negation of `bool`, complement of the bits of an integer." {
        simplify: Some(s::not),
    };
    POPCNT Popcnt "popcnt" ["x"] INTS => same, [Any], Zero, "Number of one bits." { small: OnSmall::Rule(small::unsigned) };
    CLZ Clz "clz" ["x"] INTS => same, [Any], Zero, "Number of zero bits above the highest one bit; the width for 0." { small: OnSmall::Rule(small::clz) };
    MULHI Mulhi "mulhi" ["x", "y"] INTS => same, [Any, Any], Zero, "Upper half of the double-width product." {
        small: OnSmall::Rule(small::mulhi),
    };
    AND And "and" ["x", "y"] BITS => same, [Any, Any], Zero, "Both; bitwise for integers." { simplify: Some(s::and) };
    OR Or "or" ["x", "y"] BITS => same, [Any, Any], Zero, "Either or both; bitwise for integers." { simplify: Some(s::or) };
    XOR Xor "xor" ["x", "y"] BITS => same, [Any, Any], Zero, "One, not both; bitwise for integers." { simplify: Some(s::xor) };
    SHL Shl "shl" ["x", "n"] INTS => same, [Any, Ints(0, 70)], Zero,
        "Shifts bits up by `n`, read as unsigned; 0 where `n` is the width or more." { simplify: Some(s::shift) };
    SHR_ARITH ShrArith "shr_arith" ["x", "n"] INTS => same, [Any, Ints(0, 70)], Zero,
        "Shifts bits down by `n`, read as unsigned, and fills with the sign bit of `x`, of unsigned dtypes too." {
            simplify: Some(s::shift), small: OnSmall::Rule(small::shr_arith),
        };
    SHR_LOGICAL ShrLogical "shr_logical" ["x", "n"] INTS => same, [Any, Ints(0, 70)], Zero,
        "Shifts bits down by `n`, read as unsigned, and fills with zeros; 0 where `n` is the width or more." {
            simplify: Some(s::shift), small: OnSmall::Rule(small::unsigned),
        };
}
