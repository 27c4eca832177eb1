//! Ops as methods of direct tensors.
use super::context::DirectContext;
use super::sealed::Sealed;
use crate::calls::{self, Call, common_shape, placed, promote};
use crate::value::element;
use tfc_ir::ops::{composite, elementwise as e, reduce, shape};
use tfc_ir::{Attrs, DType, OpDef, Result, Tensor};

/// Both at one dtype and shape.
#[track_caller]
fn together(a: &Tensor, b: &Tensor, ctx: &mut DirectContext) -> Result<[Tensor; 2]> {
    let shape = placed(common_shape(a.shape(), b.shape()))?;
    let dtype = promote(a.dtype(), b.dtype());
    // Converted before it is repeated: there is less of it.
    Ok([a.convert(dtype, ctx)?.broadcast(&shape)?, b.convert(dtype, ctx)?.broadcast(&shape)?])
}
#[track_caller]
fn two(row: &'static OpDef, a: &Tensor, b: &Tensor, ctx: &mut DirectContext) -> Result<Tensor> {
    let call = Call::new(row, Attrs::none());
    if a.dtype() == b.dtype() && a.shape() == b.shape() {
        return ctx.call(&call, &[a, b]);
    }
    let [a, b] = together(a, b, ctx)?;
    ctx.call(&call, &[&a, &b])
}

macro_rules! surface {
    (unary { $($(#[$ud:meta])* $u:ident $urow:path,)* } binary { $($b:ident $brow:path,)* }
     reductions { $($r:ident $rrow:path, $rdoc:literal;)* }) => {
        /// Ops on a [`Tensor`] that run at once. Two operands are repeated to a common shape and taken to a common dtype.
        ///
        /// Views – slices, transposes, reshapes, repetitions – are methods of [`Tensor`] itself: they need no context.
        pub trait TensorOpsExt: Sealed {
            $(
                $(#[$ud])* #[doc = concat!("`", stringify!($u), "`, element by element.\n\n# Errors\nThose of the row: dtypes it does not take.")]
                fn $u(&self, ctx: &mut DirectContext) -> Result<Tensor>;
            )*
            $(
                #[doc = concat!("`", stringify!($b), "`, element by element.\n\n# Errors\n`E1026` shapes that do not go together; \
                    those of the row: dtypes it does not take.")]
                fn $b(&self, other: &Tensor, ctx: &mut DirectContext) -> Result<Tensor>;
            )*
            $(
                #[doc = concat!("The ", $rdoc, " over these axes, which are gone in the result.\n\n# Errors\n`E0212` where there \
                    is no such axis; those of the row: dtypes it does not take.")]
                fn $r(&self, axes: &[usize], ctx: &mut DirectContext) -> Result<Tensor>;
            )*
            /// The matrix product; of tensors with further axes before the last two, one for each index, by NumPy's rule; of a
            /// vector, the sum over its axis.
            ///
            /// # Errors
            /// `E1028` shapes without a product, `E1026` further axes that do not go together, `E0204` where the extents summed
            /// over differ.
            fn matmul(&self, other: &Tensor, ctx: &mut DirectContext) -> Result<Tensor>;
            /// The softmax along an axis.
            ///
            /// # Errors
            /// `E0212` where there is no such axis; `E0203` for a dtype that is not real and floating.
            fn softmax(&self, axis: usize, ctx: &mut DirectContext) -> Result<Tensor>;
            /// The tensors one behind the other along an axis, at their common dtype.
            ///
            /// # Errors
            /// `E0204` where other extents differ.
            fn concat(&self, others: &[&Tensor], axis: usize, ctx: &mut DirectContext) -> Result<Tensor>;
            /// Sums of products by labelled axes of this tensor and others, at their common dtype, as the op `einsum` says:
            /// `a.einsum(&[&b], "ij,jk->ik", ctx)` is a product of matrices.
            ///
            /// # Errors
            /// `E1200` to `E1204` about the text; `E0204` where extents of one label differ.
            fn einsum(&self, others: &[&Tensor], spec: &str, ctx: &mut DirectContext) -> Result<Tensor>;
            /// The element of `yes` where this is true, else that of `no`; all three at a common shape.
            ///
            /// # Errors
            /// `E0203` where this is not of dtype `bool`, `E1026` shapes that do not go together.
            fn select(&self, yes: &Tensor, no: &Tensor, ctx: &mut DirectContext) -> Result<Tensor>;
            /// As another dtype, as the op `convert` says.
            ///
            /// # Errors
            /// `E0203` from complex to real.
            fn convert(&self, to: DType, ctx: &mut DirectContext) -> Result<Tensor>;
            /// Times a number, which takes the tensor's dtype.
            ///
            /// # Errors
            /// `E1029` where the dtype has no such number.
            fn scale(&self, factor: f64, ctx: &mut DirectContext) -> Result<Tensor>;
        }
        impl TensorOpsExt for Tensor {
            $(#[track_caller] fn $u(&self, ctx: &mut DirectContext) -> Result<Tensor> {
                ctx.call(&Call::new(&$urow, Attrs::none()), &[self])
            })*
            $(#[track_caller] fn $b(&self, other: &Tensor, ctx: &mut DirectContext) -> Result<Tensor> {
                two(&$brow, self, other, ctx)
            })*
            $(#[track_caller] fn $r(&self, axes: &[usize], ctx: &mut DirectContext) -> Result<Tensor> {
                ctx.call(&calls::over(&$rrow, axes), &[self])
            })*
            #[track_caller]
            fn matmul(&self, other: &Tensor, ctx: &mut DirectContext) -> Result<Tensor> {
                let dtype = promote(self.dtype(), other.dtype());
                let (mut a, mut b) = (self.convert(dtype, ctx)?, other.convert(dtype, ctx)?);
                let (m, n) = (a.rank(), b.rank());
                if m > 1 && n > 1 && m.max(n) > 2 {
                    let before = placed(common_shape(&a.shape()[..m - 2], &b.shape()[..n - 2]))?;
                    let all = |t: &Tensor| t.broadcast([&before[..], &t.shape()[t.rank() - 2..]].concat());
                    (a, b) = (all(&a)?, all(&b)?);
                }
                ctx.call(&placed(calls::matmul(a.shape(), b.shape()))?, &[&a, &b])
            }
            #[track_caller]
            fn softmax(&self, axis: usize, ctx: &mut DirectContext) -> Result<Tensor> {
                ctx.call(&calls::along(&composite::SOFTMAX, axis), &[self])
            }
            #[track_caller]
            fn concat(&self, others: &[&Tensor], axis: usize, ctx: &mut DirectContext) -> Result<Tensor> {
                let dtype = others.iter().fold(self.dtype(), |d, t| promote(d, t.dtype()));
                let all = std::iter::once(self).chain(others.iter().copied()).map(|t| t.convert(dtype, ctx));
                let all = all.collect::<Result<Vec<_>>>()?;
                ctx.call(&calls::along(&shape::CONCAT, axis), &all.iter().collect::<Vec<_>>())
            }
            #[track_caller]
            fn einsum(&self, others: &[&Tensor], spec: &str, ctx: &mut DirectContext) -> Result<Tensor> {
                let dtype = others.iter().fold(self.dtype(), |d, t| promote(d, t.dtype()));
                let all = std::iter::once(self).chain(others.iter().copied()).map(|t| t.convert(dtype, ctx));
                let all = all.collect::<Result<Vec<_>>>()?;
                ctx.call(&calls::einsum(spec), &all.iter().collect::<Vec<_>>())
            }
            #[track_caller]
            fn select(&self, yes: &Tensor, no: &Tensor, ctx: &mut DirectContext) -> Result<Tensor> {
                let [yes, no] = together(yes, no, ctx)?;
                let to = placed(common_shape(self.shape(), yes.shape()))?;
                let call = Call::new(&e::SELECT, Attrs::none());
                ctx.call(&call, &[&self.broadcast(&to)?, &yes.broadcast(&to)?, &no.broadcast(&to)?])
            }
            #[track_caller]
            fn convert(&self, to: DType, ctx: &mut DirectContext) -> Result<Tensor> {
                if self.dtype() == to {
                    return Ok(self.clone());
                }
                ctx.call(&calls::convert(to, self.shape()), &[self])
            }
            #[track_caller]
            fn scale(&self, factor: f64, ctx: &mut DirectContext) -> Result<Tensor> {
                let factor = placed(element(self.dtype(), factor.into()))?;
                self.mul(&factor, ctx)
            }
        }
    };
}
surface! {
    unary {
        neg e::NEG, abs e::ABS, sign e::SIGN, exp e::EXP, exp2 e::EXP2, expm1 e::EXPM1, log e::LOG, log1p e::LOG1P,
        sqrt e::SQRT, rsqrt e::RSQRT, cbrt e::CBRT, sin e::SIN, cos e::COS, tan e::TAN, sinh e::SINH, cosh e::COSH,
        tanh e::TANH, erf e::ERF, floor e::FLOOR, ceil e::CEIL, conj e::CONJ, real e::REAL, imag e::IMAG, not e::NOT,
        logistic e::LOGISTIC,
        silu composite::SILU, softplus composite::SOFTPLUS,
    }
    binary {
        add e::ADD, sub e::SUB, mul e::MUL, div e::DIV, rem e::REM, pow e::POW, atan2 e::ATAN2, max e::MAX,
        min e::MIN, eq e::EQ, ne e::NE, lt e::LT, le e::LE, gt e::GT, ge e::GE, and e::AND, or e::OR, xor e::XOR,
        complex e::COMPLEX,
    }
    reductions {
        reduce_sum reduce::REDUCE_SUM, "sum";
        reduce_prod reduce::REDUCE_PROD, "product";
        reduce_max reduce::REDUCE_MAX, "greatest element";
        reduce_min reduce::REDUCE_MIN, "least element";
        mean composite::MEAN, "mean";
        logsumexp composite::LOGSUMEXP, "logarithm of the sum of exponentials";
    }
}
