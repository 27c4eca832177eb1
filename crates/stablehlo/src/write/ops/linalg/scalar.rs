//! Short forms of statements, for iterations that look at single elements: operands may be results of other short forms.
use std::cell::RefCell;

use tfc_ir::{DType, Result};

use super::super::elementwise::{complex, conj};
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer};

/// A writer whose methods nest.
pub(super) struct Short<'a>(RefCell<&'a mut Writer>);
impl<'a> Short<'a> {
    pub(super) fn of(w: &'a mut Writer) -> Short<'a> {
        Short(RefCell::new(w))
    }
    /// Statements by the writer itself.
    pub(super) fn by<R>(&self, f: impl FnOnce(&mut Writer) -> R) -> R {
        f(&mut self.0.borrow_mut())
    }
    fn un(&self, op: &str, x: &Val) -> Val {
        self.by(|w| w.un(op, x))
    }
    fn bin(&self, op: &str, x: &Val, y: &Val) -> Val {
        self.by(|w| w.bin(op, x, y))
    }
    pub(super) fn add(&self, x: &Val, y: &Val) -> Val {
        self.bin("add", x, y)
    }
    pub(super) fn sub(&self, x: &Val, y: &Val) -> Val {
        self.bin("subtract", x, y)
    }
    pub(super) fn mul(&self, x: &Val, y: &Val) -> Val {
        self.bin("multiply", x, y)
    }
    pub(super) fn div(&self, x: &Val, y: &Val) -> Val {
        self.bin("divide", x, y)
    }
    pub(super) fn max(&self, x: &Val, y: &Val) -> Val {
        self.bin("maximum", x, y)
    }
    pub(super) fn min(&self, x: &Val, y: &Val) -> Val {
        self.bin("minimum", x, y)
    }
    pub(super) fn and(&self, x: &Val, y: &Val) -> Val {
        self.bin("and", x, y)
    }
    pub(super) fn or(&self, x: &Val, y: &Val) -> Val {
        self.bin("or", x, y)
    }
    pub(super) fn not(&self, x: &Val) -> Val {
        self.un("not", x)
    }
    pub(super) fn neg(&self, x: &Val) -> Val {
        self.un("negate", x)
    }
    pub(super) fn sqrt(&self, x: &Val) -> Val {
        self.un("sqrt", x)
    }
    /// The modulus.
    pub(super) fn abs(&self, x: &Val) -> Val {
        self.by(|w| w.to("abs", x, x.ty.with(x.dtype().real())))
    }
    /// `EQ`, `LT`, …
    pub(super) fn is(&self, how: &str, x: &Val, y: &Val) -> Val {
        self.by(|w| w.compare(how, x, y))
    }
    pub(super) fn pick(&self, p: &Val, x: &Val, y: &Val) -> Val {
        self.by(|w| w.select(p, x, y))
    }
    /// A constant of the type of `x`.
    pub(super) fn like(&self, x: &Val, c: f64) -> Result<Val> {
        self.by(|w| w.splat(&x.ty, c))
    }
    pub(super) fn int(&self, i: i64) -> Result<Val> {
        self.by(|w| w.int(i))
    }
    /// `x` times a number.
    pub(super) fn times(&self, x: &Val, c: f64) -> Result<Val> {
        Ok(self.mul(x, &self.like(x, c)?))
    }
    /// `i + c` of integers, `x + c` of others.
    pub(super) fn plus(&self, x: &Val, c: f64) -> Result<Val> {
        Ok(self.add(x, &self.like(x, c)?))
    }
    pub(super) fn re(&self, x: &Val) -> Val {
        match x.dtype().is_complex() {
            true => self.by(|w| w.to("real", x, x.ty.with(x.dtype().real()))),
            false => x.clone(),
        }
    }
    pub(super) fn im(&self, x: &Val) -> Result<Val> {
        match x.dtype().is_complex() {
            true => Ok(self.by(|w| w.to("imag", x, x.ty.with(x.dtype().real())))),
            false => self.like(x, 0.0),
        }
    }
    pub(super) fn complex(&self, re: &Val, im: &Val) -> Val {
        self.by(|w| complex(w, re, im))
    }
    pub(super) fn wide(&self, x: &Val, d: DType) -> Val {
        self.by(|w| w.convert(x, d))
    }
    pub(super) fn conj(&self, x: &Val) -> Val {
        self.by(|w| conj(w, x))
    }
    /// `x` with the sign of `like`, for `x ≥ 0`.
    pub(super) fn signed(&self, x: &Val, like: &Val) -> Result<Val> {
        let negative = self.is("LT", like, &self.like(like, 0.0)?);
        Ok(self.pick(&negative, &self.neg(x), x))
    }
    /// Element `i, j` of a matrix.
    pub(super) fn at(&self, h: &Val, i: &Val, j: &Val) -> Val {
        self.by(|w| {
            let one = w.dynamic_slice(h, &[i.clone(), j.clone()], &[1, 1]);
            w.reshape(&one, &[])
        })
    }
    /// The matrix with another element `i, j`.
    pub(super) fn set(&self, h: &Val, i: &Val, j: &Val, x: &Val) -> Val {
        self.by(|w| {
            let one = w.reshape(x, &[1, 1]);
            w.dynamic_update(h, &one, &[i.clone(), j.clone()])
        })
    }
    /// A part of a matrix from `i, j` on.
    pub(super) fn part(&self, h: &Val, i: &Val, j: &Val, sizes: [usize; 2]) -> Val {
        self.by(|w| w.dynamic_slice(h, &[i.clone(), j.clone()], &sizes))
    }
    /// The matrix with another part from `i, j` on.
    pub(super) fn put(&self, h: &Val, i: &Val, j: &Val, x: &Val) -> Val {
        self.by(|w| w.dynamic_update(h, x, &[i.clone(), j.clone()]))
    }
    /// Scalars as a vector.
    pub(super) fn vector(&self, xs: &[&Val]) -> Result<Val> {
        self.by(|w| {
            let parts: Vec<Val> = xs.iter().map(|x| w.reshape(x, &[1])).collect();
            w.concat(&parts, 0)
        })
    }
    /// As often as `like` has the axes that are not named.
    pub(super) fn over(&self, x: &Val, axes: &[usize], like: &Val) -> Val {
        self.by(|w| w.broadcast(x, axes, &like.ty.with(x.dtype())))
    }
    /// Products that are summed over one axis of each; over none it is that of all pairs.
    pub(super) fn dot(&self, x: &Val, y: &Val, axes: [&[usize]; 2]) -> Val {
        self.by(|w| w.dot(x, y, [&[], &[]], axes))
    }
    /// The number of each element along an axis.
    pub(super) fn places(&self, like: &Val, axis: usize) -> Val {
        self.by(|w| w.iota(&like.ty.with(DType::I64), axis))
    }
    /// Where the number along an axis compares so with `k`.
    pub(super) fn places_are(&self, like: &Val, axis: usize, how: &str, k: &Val) -> Val {
        let at = self.places(like, axis);
        self.is(how, &at, &self.over(k, &[], &at))
    }
    /// `x` where the mask holds, else 0.
    pub(super) fn keep(&self, mask: &Val, x: &Val) -> Result<Val> {
        Ok(self.pick(mask, x, &self.like(x, 0.0)?))
    }
    pub(super) fn sum(&self, x: &Val, axis: usize) -> Result<Val> {
        self.by(|w| w.sum(x, &[axis]))
    }
    /// A vector moved by one place towards its end (`true`) or its beginning, with 0 at the other.
    pub(super) fn shifted(&self, x: &Val, on: bool) -> Result<Val> {
        let by = if on { 1 } else { -1 };
        self.by(|w| {
            let zero = w.splat(&Ty::scalar(x.dtype()), 0.0)?;
            w.pad(x, &zero, &[by], &[-by], &[0])
        })
    }
}
