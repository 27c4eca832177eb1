//! Comparisons: the result is `bool`. On floats they are those of IEEE 754: NaN is unequal to everything, -0 equals +0.
use super::rows;
use super::simplify as s;
use crate::op::Linearize::*;
use crate::op::{Batch, Family, OpDef};
use crate::sample::Domain::*;
use crate::scalar::ScalarOp;

rows! {
    EQ Eq "eq" ["x", "y"] ANY => truth, [Any, Any], Zero, "Is `x` equal to `y`?" { simplify: Some(s::eq) };
    NE Ne "ne" ["x", "y"] ANY => truth, [Any, Any], Zero, "Is `x` unequal to `y`?" { simplify: Some(s::ne) };
    LT Lt "lt" ["x", "y"] ORDERED => truth, [Any, Any], Zero, "Is `x` less than `y`? `false` is less than `true`." {
        simplify: Some(s::strict),
    };
    LE Le "le" ["x", "y"] ORDERED => truth, [Any, Any], Zero, "Is `x` less than or equal to `y`?" { simplify: Some(s::weak) };
    GT Gt "gt" ["x", "y"] ORDERED => truth, [Any, Any], Zero, "Is `x` greater than `y`?" { simplify: Some(s::strict) };
    GE Ge "ge" ["x", "y"] ORDERED => truth, [Any, Any], Zero, "Is `x` greater than or equal to `y`?" { simplify: Some(s::weak) };
}
