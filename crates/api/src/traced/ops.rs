//! One method a row. Generated from the rows by the test `ops` (`TFC_ACCEPT=1`): not to be edited.
#![allow(clippy::should_implement_trait, reason = "operators are these methods; both are there")]
use super::apply::{generated, generated_1, generated_n};
use super::dim::{Dim, IntoDims};
use super::graph::TracedTensor;
use crate::options;
use crate::value::{IntoInts, Row, Value, dims};
use std::panic::Location;
use tfc_ir::{DType, Result};

impl TracedTensor {
    /// Absolute value; of a complex number its modulus, a real. Integers wrap: the least one is its own absolute value. Derivative: `sign(x)`, which is 0 at 0; for complex `z`, `Re(conj(sign(z)) dz)`.
    ///
    /// # Errors
    /// Those of the op `abs`.
    #[track_caller]
    pub fn abs(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("abs");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Inverse cosine. Derivative: `-1/sqrt(1 - x^2)` (DLMF 4.24.8).
    ///
    /// # Errors
    /// Those of the op `acos`.
    #[track_caller]
    pub fn acos(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("acos");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Inverse hyperbolic cosine; NaN below 1. Derivative: `1/(sqrt(x - 1) sqrt(x + 1))` (DLMF 4.38.10).
    ///
    /// # Errors
    /// Those of the op `acosh`.
    #[track_caller]
    pub fn acosh(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("acosh");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Sum; integers wrap. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `add`.
    #[track_caller]
    pub fn add(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("add");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Both; bitwise for integers. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `and`.
    #[track_caller]
    pub fn and(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("and");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Index along `axis` of the greatest element, as `i64`: the first of equal ones, the first NaN where there is one. An empty axis is an error.
    ///
    /// # Errors
    /// Those of the op `argmax`.
    #[track_caller]
    pub fn argmax(&self, axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("argmax");
        generated_1(&ROW, &[self], vec![("axis", axis.into())], None, Location::caller())
    }
    /// Index along `axis` of the least element, as `i64`: the first of equal ones, the first NaN where there is one. An empty axis is an error.
    ///
    /// # Errors
    /// Those of the op `argmin`.
    #[track_caller]
    pub fn argmin(&self, axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("argmin");
        generated_1(&ROW, &[self], vec![("axis", axis.into())], None, Location::caller())
    }
    /// The indices, as `i64`, that sort `x` along `axis` (the last unless given), ascending, or, with `descending = true`, from the greatest on. Equal elements keep their order. NaN is greater than any number.
    ///
    /// # Errors
    /// Those of the op `argsort`.
    #[track_caller]
    pub fn argsort(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("argsort");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// The indices, as `i64`, that sort `x` along `axis` (the last unless given), ascending, or, with `descending = true`, from the greatest on. Equal elements keep their order. NaN is greater than any number.
    ///
    /// The options are `axis`, `descending`.
    ///
    /// # Errors
    /// Those of the op `argsort`.
    #[track_caller]
    pub fn argsort_with(&self, options: options::Argsort) -> Result<TracedTensor> {
        static ROW: Row = Row::of("argsort");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Inverse sine. Derivative: `1/sqrt(1 - x^2)` (DLMF 4.24.7).
    ///
    /// # Errors
    /// Those of the op `asin`.
    #[track_caller]
    pub fn asin(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("asin");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Inverse hyperbolic sine. Derivative: `1/sqrt(x^2 + 1)` (DLMF 4.38.9).
    ///
    /// # Errors
    /// Those of the op `asinh`.
    #[track_caller]
    pub fn asinh(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("asinh");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Inverse tangent. Derivative: `1/(1 + x^2)` (DLMF 4.24.9).
    ///
    /// # Errors
    /// Those of the op `atan`.
    #[track_caller]
    pub fn atan(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("atan");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Angle of the point `(x, y)`, between -π and π. Derivative: `(x dy - y dx)/(x^2 + y^2)`. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `atan2`.
    #[track_caller]
    pub fn atan2(&self, x: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("atan2");
        TracedTensor::elementwise(&ROW, &[self, x], Location::caller())
    }
    /// Inverse hyperbolic tangent. Derivative: `1/(1 - x^2)` (DLMF 4.38.11).
    ///
    /// # Errors
    /// Those of the op `atanh`.
    #[track_caller]
    pub fn atanh(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("atanh");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `exp(-|x|) I_0(x)`, I the modified Bessel function. Derivative: `bessel_i1e(x) - sign(x) bessel_i0e(x)` (DLMF 10.29.3).
    ///
    /// # Errors
    /// Those of the op `bessel_i0e`.
    #[track_caller]
    pub fn bessel_i0e(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("bessel_i0e");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `exp(-|x|) I_1(x)`, I the modified Bessel function. Derivative: `bessel_i0e(x) - y (sign(x) + 1/x)` at the result `y`, 1/2 at 0 (DLMF 10.29.2).
    ///
    /// # Errors
    /// Those of the op `bessel_i1e`.
    #[track_caller]
    pub fn bessel_i1e(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("bessel_i1e");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Cube root, negative for negative reals; of a complex number the principal one. Derivative: `1/(3 cbrt(x)^2)`, infinite at 0.
    ///
    /// # Errors
    /// Those of the op `cbrt`.
    #[track_caller]
    pub fn cbrt(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cbrt");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// The least integer that is not less.
    ///
    /// # Errors
    /// Those of the op `ceil`.
    #[track_caller]
    pub fn ceil(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("ceil");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `min(max(lo, x), hi)`. The bounds are scalars or have the shape of `x`. Derivative: that of `x` strictly between the bounds, elsewhere that of the bound which is taken. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `clamp`.
    #[track_caller]
    pub fn clamp_from(&self, x: &TracedTensor, hi: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("clamp");
        TracedTensor::elementwise(&ROW, &[self, x, hi], Location::caller())
    }
    /// Number of zero bits above the highest one bit; the width for 0.
    ///
    /// # Errors
    /// Those of the op `clz`.
    #[track_caller]
    pub fn clz(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("clz");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// The complex number with these parts. Linear over the reals: its transpose takes the parts of the cotangent. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `complex`.
    #[track_caller]
    pub fn complex(&self, im: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("complex");
        TracedTensor::elementwise(&ROW, &[self, im], Location::caller())
    }
    /// The elements of `x` where `mask` is true, in logical order (last axis fastest), as one axis whose extent the mask decides: `%y: f64\[?r\] = compress(%x, %mask)`. Both operands have one shape, as in NumPy's `x\[mask\]`. With `axis`, `mask` has one axis and selects along that axis of `x`, as NumPy's `compress`. The extent is at most the number of elements that could be selected.
    ///
    /// # Errors
    /// Those of the op `compress`.
    #[track_caller]
    pub fn compress(&self, mask: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("compress");
        generated_1(&ROW, &[self, mask], vec![], None, Location::caller())
    }
    /// The elements of `x` where `mask` is true, in logical order (last axis fastest), as one axis whose extent the mask decides: `%y: f64\[?r\] = compress(%x, %mask)`. Both operands have one shape, as in NumPy's `x\[mask\]`. With `axis`, `mask` has one axis and selects along that axis of `x`, as NumPy's `compress`. The extent is at most the number of elements that could be selected.
    ///
    /// The options are `axis`.
    ///
    /// # Errors
    /// Those of the op `compress`.
    #[track_caller]
    pub fn compress_with(&self, mask: &TracedTensor, options: options::Compress) -> Result<TracedTensor> {
        static ROW: Row = Row::of("compress");
        generated_1(&ROW, &[self, mask], options.0, None, Location::caller())
    }
    /// Joins tensors along `axis`; all other extents are equal.
    ///
    /// # Errors
    /// Those of the op `concat`.
    #[track_caller]
    pub fn concat(&self, others: &[&TracedTensor], axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("concat");
        generated_1(&ROW, &[&[self][..], others].concat(), vec![("axis", axis.into())], None, Location::caller())
    }
    /// Complex conjugate; a real number is its own. Linear over the reals: it is its own transpose.
    ///
    /// # Errors
    /// Those of the op `conj`.
    #[track_caller]
    pub fn conj(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("conj");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Convolution (without turning the kernel, as in machine learning) of `x` with `kernel`, over any number of spatial axes. Where each axis is: `x_dims = \[batch, feature, spatial…\]`, `kernel_dims = \[in, out, spatial…\]`, `out_dims = \[batch, feature, spatial…\]`; without them the axes are in that order. The other lists have one entry per spatial axis: `stride` of the kernel, `kernel_dilation` between its elements and `x_dilation` between those of `x` (1 unless given), `low` and `high` zeros before and after (0 unless given; negative ones remove), `reverse`d kernel axes (as axes of the list). With `feature_groups = g` the features of `x` are `g` groups that the output features of the kernel see in turn, with `batch_groups = g` its batches are. As StableHLO's `convolution`.
    ///
    /// # Errors
    /// Those of the op `conv`.
    #[track_caller]
    pub fn conv(&self, kernel: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("conv");
        generated_1(&ROW, &[self, kernel], vec![], None, Location::caller())
    }
    /// Convolution (without turning the kernel, as in machine learning) of `x` with `kernel`, over any number of spatial axes. Where each axis is: `x_dims = \[batch, feature, spatial…\]`, `kernel_dims = \[in, out, spatial…\]`, `out_dims = \[batch, feature, spatial…\]`; without them the axes are in that order. The other lists have one entry per spatial axis: `stride` of the kernel, `kernel_dilation` between its elements and `x_dilation` between those of `x` (1 unless given), `low` and `high` zeros before and after (0 unless given; negative ones remove), `reverse`d kernel axes (as axes of the list). With `feature_groups = g` the features of `x` are `g` groups that the output features of the kernel see in turn, with `batch_groups = g` its batches are. As StableHLO's `convolution`.
    ///
    /// The options are `x_dims`, `kernel_dims`, `out_dims`, `stride`, `low`, `high`, `x_dilation`, `kernel_dilation`, `reverse`, `feature_groups`, `batch_groups`.
    ///
    /// # Errors
    /// Those of the op `conv`.
    #[track_caller]
    pub fn conv_with(&self, kernel: &TracedTensor, options: options::Conv) -> Result<TracedTensor> {
        static ROW: Row = Row::of("conv");
        generated_1(&ROW, &[self, kernel], options.0, None, Location::caller())
    }
    /// Cosine. Derivative: `-sin(x)`.
    ///
    /// # Errors
    /// Those of the op `cos`.
    #[track_caller]
    pub fn cos(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cos");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Hyperbolic cosine. Derivative: `sinh(x)`.
    ///
    /// # Errors
    /// Those of the op `cosh`.
    #[track_caller]
    pub fn cosh(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cosh");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Running `log(sum(exp(x)))` along `axis` without overflow: element `i` covers elements `0` to `i`, or with `reverse = true` `i` to the last. Where every element covered is −inf, the result is −inf and its derivative 0.
    ///
    /// # Errors
    /// Those of the op `cumlogsumexp`.
    #[track_caller]
    pub fn cumlogsumexp(&self, axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cumlogsumexp");
        generated_1(&ROW, &[self], vec![("axis", axis.into())], None, Location::caller())
    }
    /// Running `log(sum(exp(x)))` along `axis` without overflow: element `i` covers elements `0` to `i`, or with `reverse = true` `i` to the last. Where every element covered is −inf, the result is −inf and its derivative 0.
    ///
    /// The options are `reverse`.
    ///
    /// # Errors
    /// Those of the op `cumlogsumexp`.
    #[track_caller]
    pub fn cumlogsumexp_with(&self, axis: i64, options: options::Cumlogsumexp) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cumlogsumexp");
        generated_1(&ROW, &[self], options.with(vec![("axis", axis.into())]), None, Location::caller())
    }
    /// Running maxima along `axis`: element `i` is the greatest of elements `0` to `i`, or with `reverse = true` of `i` to the last; NaN from the first NaN on. The derivative of each element is shared evenly among the equal greatest elements that it covers, as that of `reduce_max`.
    ///
    /// # Errors
    /// Those of the op `cummax`.
    #[track_caller]
    pub fn cummax(&self, axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cummax");
        generated_1(&ROW, &[self], vec![("axis", axis.into())], None, Location::caller())
    }
    /// Running maxima along `axis`: element `i` is the greatest of elements `0` to `i`, or with `reverse = true` of `i` to the last; NaN from the first NaN on. The derivative of each element is shared evenly among the equal greatest elements that it covers, as that of `reduce_max`.
    ///
    /// The options are `reverse`.
    ///
    /// # Errors
    /// Those of the op `cummax`.
    #[track_caller]
    pub fn cummax_with(&self, axis: i64, options: options::Cummax) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cummax");
        generated_1(&ROW, &[self], options.with(vec![("axis", axis.into())]), None, Location::caller())
    }
    /// Running minima along `axis`: element `i` is the least of elements `0` to `i`, or with `reverse = true` of `i` to the last; NaN from the first NaN on. The derivative of each element is shared evenly among the equal least elements that it covers, as that of `reduce_min`.
    ///
    /// # Errors
    /// Those of the op `cummin`.
    #[track_caller]
    pub fn cummin(&self, axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cummin");
        generated_1(&ROW, &[self], vec![("axis", axis.into())], None, Location::caller())
    }
    /// Running minima along `axis`: element `i` is the least of elements `0` to `i`, or with `reverse = true` of `i` to the last; NaN from the first NaN on. The derivative of each element is shared evenly among the equal least elements that it covers, as that of `reduce_min`.
    ///
    /// The options are `reverse`.
    ///
    /// # Errors
    /// Those of the op `cummin`.
    #[track_caller]
    pub fn cummin_with(&self, axis: i64, options: options::Cummin) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cummin");
        generated_1(&ROW, &[self], options.with(vec![("axis", axis.into())]), None, Location::caller())
    }
    /// Running products along `axis`: element `i` is the product of elements `0` to `i`, or with `reverse = true` of `i` to the last. Integers wrap. Its derivative is exact where elements are 0: it never divides.
    ///
    /// # Errors
    /// Those of the op `cumprod`.
    #[track_caller]
    pub fn cumprod(&self, axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cumprod");
        generated_1(&ROW, &[self], vec![("axis", axis.into())], None, Location::caller())
    }
    /// Running products along `axis`: element `i` is the product of elements `0` to `i`, or with `reverse = true` of `i` to the last. Integers wrap. Its derivative is exact where elements are 0: it never divides.
    ///
    /// The options are `reverse`.
    ///
    /// # Errors
    /// Those of the op `cumprod`.
    #[track_caller]
    pub fn cumprod_with(&self, axis: i64, options: options::Cumprod) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cumprod");
        generated_1(&ROW, &[self], options.with(vec![("axis", axis.into())]), None, Location::caller())
    }
    /// Running sums along `axis`: element `i` is the sum of elements `0` to `i`, or with `reverse = true` of `i` to the last. Integers wrap.
    ///
    /// # Errors
    /// Those of the op `cumsum`.
    #[track_caller]
    pub fn cumsum(&self, axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cumsum");
        generated_1(&ROW, &[self], vec![("axis", axis.into())], None, Location::caller())
    }
    /// Running sums along `axis`: element `i` is the sum of elements `0` to `i`, or with `reverse = true` of `i` to the last. Integers wrap.
    ///
    /// The options are `reverse`.
    ///
    /// # Errors
    /// Those of the op `cumsum`.
    #[track_caller]
    pub fn cumsum_with(&self, axis: i64, options: options::Cumsum) -> Result<TracedTensor> {
        static ROW: Row = Row::of("cumsum");
        generated_1(&ROW, &[self], options.with(vec![("axis", axis.into())]), None, Location::caller())
    }
    /// Logarithmic derivative of the gamma function; NaN at its poles. Derivative: `polygamma(1, x)` (DLMF 5.15).
    ///
    /// # Errors
    /// Those of the op `digamma`.
    #[track_caller]
    pub fn digamma(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("digamma");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Quotient. Integers truncate; `x/0` is -1 (all ones for unsigned), the least integer over -1 is itself. Derivative: `(dx - q dy)/y` at the quotient `q`. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `div`.
    #[track_caller]
    pub fn div(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("div");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Sums of products over the axes `contract = \[\[lhs…\], \[rhs…\]\]`, pairwise, for each index of the axes `batch = \[\[lhs…\], \[rhs…\]\]`. The axes of the result are those of `x` that remain, those of `y` that remain, then the batch axes; `out` permutes them: axis `i` of the result is axis `out\[i\]` of that list. `conj_lhs`, `conj_rhs` conjugate an operand first. Integers wrap; sums of floating products may be reassociated and fused. A product of such products may be made in another order, unless they are `kept`.
    ///
    /// # Errors
    /// Those of the op `dot_general`.
    #[track_caller]
    pub fn dot_general(&self, y: &TracedTensor, contract: &[&[usize]]) -> Result<TracedTensor> {
        static ROW: Row = Row::of("dot_general");
        generated_1(&ROW, &[self, y], vec![("contract", contract.into())], None, Location::caller())
    }
    /// Sums of products over the axes `contract = \[\[lhs…\], \[rhs…\]\]`, pairwise, for each index of the axes `batch = \[\[lhs…\], \[rhs…\]\]`. The axes of the result are those of `x` that remain, those of `y` that remain, then the batch axes; `out` permutes them: axis `i` of the result is axis `out\[i\]` of that list. `conj_lhs`, `conj_rhs` conjugate an operand first. Integers wrap; sums of floating products may be reassociated and fused. A product of such products may be made in another order, unless they are `kept`.
    ///
    /// The options are `batch`, `out`, `conj_lhs`, `conj_rhs`, `kept`.
    ///
    /// # Errors
    /// Those of the op `dot_general`.
    #[track_caller]
    pub fn dot_general_with(
        &self,
        y: &TracedTensor,
        contract: &[&[usize]],
        options: options::DotGeneral,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("dot_general");
        generated_1(&ROW, &[self, y], options.with(vec![("contract", contract.into())]), None, Location::caller())
    }
    /// The window of extents `sizes` that starts at the integer scalars `i…`, one per axis. Starts are clamped, so that the window lies inside.
    ///
    /// # Errors
    /// Those of the op `dynamic_slice`.
    #[track_caller]
    pub fn dynamic_slice(&self, others: &[&TracedTensor], sizes: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("dynamic_slice");
        generated_1(&ROW, &[&[self][..], others].concat(), vec![("sizes", dims(sizes))], None, Location::caller())
    }
    /// `x` with the window that starts at the integer scalars `i…`, one per axis, replaced by `u`. Starts are clamped, so that the window lies inside.
    ///
    /// # Errors
    /// Those of the op `dynamic_update_slice`.
    #[track_caller]
    pub fn dynamic_update_slice(&self, u: &TracedTensor, others: &[&TracedTensor]) -> Result<TracedTensor> {
        static ROW: Row = Row::of("dynamic_update_slice");
        generated_1(&ROW, &[&[self, u][..], others].concat(), vec![], None, Location::caller())
    }
    /// Sums of products of elements whose axes are labelled alike: `einsum("ij,jk->ik", %a, %b)` is a product of matrices. Labels that the result does not name are summed over. A label is a letter or a number (`"0 1,1 2->0 2"`); one that an operand has twice is a diagonal, one that the result has twice makes one; any number of operands may share it. Equal labels have equal extents: 1 is repeated nowhere. `...` stands for axes without labels, counted from the last; without `->` the result has them, then the labels that occur once. `conj` lists the operands that are conjugated. Operands are multiplied two at a time: those in parentheses first, or as `path` says (lists of positions in what is left, as in NumPy), else in the order that makes `minimize` small for the extents, those of symbols being as `assume` says (one number a label, 0 for nothing said), or as all callers of a function say. No intermediate result has more than `memory_limit` elements: loops over some labels see to it. Integers wrap; the order of multiplications and additions of floating numbers is not fixed otherwise.
    ///
    /// # Errors
    /// Those of the op `einsum`.
    #[track_caller]
    pub fn einsum(&self, others: &[&TracedTensor], spec: &str) -> Result<TracedTensor> {
        static ROW: Row = Row::of("einsum");
        generated_1(&ROW, &[&[self][..], others].concat(), vec![("spec", spec.into())], None, Location::caller())
    }
    /// Sums of products of elements whose axes are labelled alike: `einsum("ij,jk->ik", %a, %b)` is a product of matrices. Labels that the result does not name are summed over. A label is a letter or a number (`"0 1,1 2->0 2"`); one that an operand has twice is a diagonal, one that the result has twice makes one; any number of operands may share it. Equal labels have equal extents: 1 is repeated nowhere. `...` stands for axes without labels, counted from the last; without `->` the result has them, then the labels that occur once. `conj` lists the operands that are conjugated. Operands are multiplied two at a time: those in parentheses first, or as `path` says (lists of positions in what is left, as in NumPy), else in the order that makes `minimize` small for the extents, those of symbols being as `assume` says (one number a label, 0 for nothing said), or as all callers of a function say. No intermediate result has more than `memory_limit` elements: loops over some labels see to it. Integers wrap; the order of multiplications and additions of floating numbers is not fixed otherwise.
    ///
    /// The options are `conj`, `path`, `minimize`, `memory_limit`, `assume`.
    ///
    /// # Errors
    /// Those of the op `einsum`.
    #[track_caller]
    pub fn einsum_with(&self, others: &[&TracedTensor], spec: &str, options: options::Einsum) -> Result<TracedTensor> {
        static ROW: Row = Row::of("einsum");
        generated_1(
            &ROW,
            &[&[self][..], others].concat(),
            options.with(vec![("spec", spec.into())]),
            None,
            Location::caller(),
        )
    }
    /// Diagonal matrices: the leading axis `n` becomes two leading axes `n, n` with the elements on the main diagonal and 0 (`false`) elsewhere; batch axes trail.
    ///
    /// # Errors
    /// Those of the op `embed_diag`.
    #[track_caller]
    pub fn embed_diag(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("embed_diag");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Is `x` equal to `y`? Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `eq`.
    #[track_caller]
    pub fn eq(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("eq");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Error function. Derivative: `2/sqrt(pi) exp(-x^2)` (DLMF 7.10.1).
    ///
    /// # Errors
    /// Those of the op `erf`.
    #[track_caller]
    pub fn erf(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("erf");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Inverse of `erf`. Derivative: `sqrt(pi)/2 exp(y^2)` at the result `y`.
    ///
    /// # Errors
    /// Those of the op `erf_inv`.
    #[track_caller]
    pub fn erf_inv(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("erf_inv");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `1 - erf(x)`, exact for large `x`. Derivative: `-2/sqrt(pi) exp(-x^2)` (DLMF 7.10.1).
    ///
    /// # Errors
    /// Those of the op `erfc`.
    #[track_caller]
    pub fn erfc(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("erfc");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// e to the power `x`. Derivative: the result.
    ///
    /// # Errors
    /// Those of the op `exp`.
    #[track_caller]
    pub fn exp(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("exp");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// 2 to the power `x`. Derivative: `ln 2` times the result.
    ///
    /// # Errors
    /// Those of the op `exp2`.
    #[track_caller]
    pub fn exp2(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("exp2");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `exp(x) - 1`, exact near 0. Derivative: the result plus 1.
    ///
    /// # Errors
    /// Those of the op `expm1`.
    #[track_caller]
    pub fn expm1(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("expm1");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Main diagonals of matrices: the two leading axes `m, n` become one axis of extent `min(m, n)`; batch axes trail.
    ///
    /// # Errors
    /// Those of the op `extract_diag`.
    #[track_caller]
    pub fn extract_diag(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("extract_diag");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Discrete Fourier transform of complex lines along each of `axes`: `y\[k\] = Σ x\[j\]·exp(-2πi·jk/n)`. Any extent, 0 included.
    ///
    /// # Errors
    /// Those of the op `fft.fft`.
    #[track_caller]
    pub fn fft(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("fft.fft");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// Discrete Fourier transform of complex lines along each of `axes`: `y\[k\] = Σ x\[j\]·exp(-2πi·jk/n)`. Any extent, 0 included.
    ///
    /// The options are `norm`.
    ///
    /// # Errors
    /// Those of the op `fft.fft`.
    #[track_caller]
    pub fn fft_with(&self, axes: impl IntoInts, options: options::Fft) -> Result<TracedTensor> {
        static ROW: Row = Row::of("fft.fft");
        generated_1(
            &ROW,
            &[self],
            options.with(vec![("axes", Value::Ints(axes.into_ints()))]),
            None,
            Location::caller(),
        )
    }
    /// Inverse of `fft.fft`: `y\[k\] = 1/n · Σ x\[j\]·exp(2πi·jk/n)` along each of `axes`. `norm` as there.
    ///
    /// # Errors
    /// Those of the op `fft.ifft`.
    #[track_caller]
    pub fn ifft(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("fft.ifft");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// Inverse of `fft.fft`: `y\[k\] = 1/n · Σ x\[j\]·exp(2πi·jk/n)` along each of `axes`. `norm` as there.
    ///
    /// The options are `norm`.
    ///
    /// # Errors
    /// Those of the op `fft.ifft`.
    #[track_caller]
    pub fn ifft_with(&self, axes: impl IntoInts, options: options::Ifft) -> Result<TracedTensor> {
        static ROW: Row = Row::of("fft.ifft");
        generated_1(
            &ROW,
            &[self],
            options.with(vec![("axes", Value::Ints(axes.into_ints()))]),
            None,
            Location::caller(),
        )
    }
    /// Inverse of `fft.rfft`: real lines of extent `length` along the axis that `axes` names last, which has `length/2 + 1` numbers here. What a real line cannot have, an imaginary part of number 0 and, of an even length, of number `length/2`, is not looked at. `norm` as in `fft.fft`.
    ///
    /// # Errors
    /// Those of the op `fft.irfft`.
    #[track_caller]
    pub fn irfft(&self, axes: impl IntoInts, length: impl Into<Dim>) -> Result<TracedTensor> {
        static ROW: Row = Row::of("fft.irfft");
        generated_1(
            &ROW,
            &[self],
            vec![("axes", Value::Ints(axes.into_ints())), ("length", Value::Dims(vec![length.into()]))],
            None,
            Location::caller(),
        )
    }
    /// Inverse of `fft.rfft`: real lines of extent `length` along the axis that `axes` names last, which has `length/2 + 1` numbers here. What a real line cannot have, an imaginary part of number 0 and, of an even length, of number `length/2`, is not looked at. `norm` as in `fft.fft`.
    ///
    /// The options are `norm`.
    ///
    /// # Errors
    /// Those of the op `fft.irfft`.
    #[track_caller]
    pub fn irfft_with(
        &self,
        axes: impl IntoInts,
        length: impl Into<Dim>,
        options: options::Irfft,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("fft.irfft");
        generated_1(
            &ROW,
            &[self],
            options.with(vec![("axes", Value::Ints(axes.into_ints())), ("length", Value::Dims(vec![length.into()]))]),
            None,
            Location::caller(),
        )
    }
    /// Discrete Fourier transform of real lines: of the axis that `axes` names last the first `n/2 + 1` numbers (rounded down), as in NumPy; the others are their conjugates. `norm` as in `fft.fft`.
    ///
    /// # Errors
    /// Those of the op `fft.rfft`.
    #[track_caller]
    pub fn rfft(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("fft.rfft");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// Discrete Fourier transform of real lines: of the axis that `axes` names last the first `n/2 + 1` numbers (rounded down), as in NumPy; the others are their conjugates. `norm` as in `fft.fft`.
    ///
    /// The options are `norm`.
    ///
    /// # Errors
    /// Those of the op `fft.rfft`.
    #[track_caller]
    pub fn rfft_with(&self, axes: impl IntoInts, options: options::Rfft) -> Result<TracedTensor> {
        static ROW: Row = Row::of("fft.rfft");
        generated_1(
            &ROW,
            &[self],
            options.with(vec![("axes", Value::Ints(axes.into_ints()))]),
            None,
            Location::caller(),
        )
    }
    /// The greatest integer that is not greater.
    ///
    /// # Errors
    /// Those of the op `floor`.
    #[track_caller]
    pub fn floor(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("floor");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Windows of `x` at the places that `index` names. The axis `index_vector_dim` of `index` holds index vectors (its rank, the default: each element is one), whose components say where a window starts along the axes `start_index_map` of `x` (default `\[0, 1, …\]`); along other axes it starts at 0. A window has the extents `slice_sizes`; those of the axes `collapsed_slice_dims` are 1 and these axes are left out. Its other axes are `offset_dims` of the result, the remaining axes of the result are those of `index`. The axes `operand_batching_dims` of `x` are walked together with `start_indices_batching_dims` of `index`. Dimension numbers are StableHLO's.
    ///
    /// # Errors
    /// Those of the op `gather`.
    #[track_caller]
    pub fn gather(&self, index: &TracedTensor, slice_sizes: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("gather");
        generated_1(&ROW, &[self, index], vec![("slice_sizes", dims(slice_sizes))], None, Location::caller())
    }
    /// Windows of `x` at the places that `index` names. The axis `index_vector_dim` of `index` holds index vectors (its rank, the default: each element is one), whose components say where a window starts along the axes `start_index_map` of `x` (default `\[0, 1, …\]`); along other axes it starts at 0. A window has the extents `slice_sizes`; those of the axes `collapsed_slice_dims` are 1 and these axes are left out. Its other axes are `offset_dims` of the result, the remaining axes of the result are those of `index`. The axes `operand_batching_dims` of `x` are walked together with `start_indices_batching_dims` of `index`. Dimension numbers are StableHLO's.
    ///
    /// The options are `offset_dims`, `collapsed_slice_dims`, `operand_batching_dims`, `start_indices_batching_dims`, `start_index_map`, `index_vector_dim`, `out_of_bounds`.
    ///
    /// # Errors
    /// Those of the op `gather`.
    #[track_caller]
    pub fn gather_with(
        &self,
        index: &TracedTensor,
        slice_sizes: impl IntoDims,
        options: options::Gather,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("gather");
        generated_1(
            &ROW,
            &[self, index],
            options.with(vec![("slice_sizes", dims(slice_sizes))]),
            None,
            Location::caller(),
        )
    }
    /// Is `x` greater than or equal to `y`? Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `ge`.
    #[track_caller]
    pub fn ge(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("ge");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// The Gaussian error linear unit `x * Phi(x)`, elementwise. `approximate = true` (the default, as in `jax.nn`) is `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x^3)))`, `approximate = false` is `x/2 * erfc(-x/sqrt(2))` (Hendrycks and Gimpel, arXiv 1606.08415).
    ///
    /// # Errors
    /// Those of the op `gelu`.
    #[track_caller]
    pub fn gelu(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("gelu");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// The Gaussian error linear unit `x * Phi(x)`, elementwise. `approximate = true` (the default, as in `jax.nn`) is `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x^3)))`, `approximate = false` is `x/2 * erfc(-x/sqrt(2))` (Hendrycks and Gimpel, arXiv 1606.08415).
    ///
    /// The options are `approximate`.
    ///
    /// # Errors
    /// Those of the op `gelu`.
    #[track_caller]
    pub fn gelu_with(&self, options: options::Gelu) -> Result<TracedTensor> {
        static ROW: Row = Row::of("gelu");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Is `x` greater than `y`? Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `gt`.
    #[track_caller]
    pub fn gt(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("gt");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Imaginary part; that of a real number is 0. Linear over the reals: the transpose of a cotangent `c` is `0 + ci`.
    ///
    /// # Errors
    /// Those of the op `imag`.
    #[track_caller]
    pub fn imag(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("imag");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Is it neither infinite nor NaN?
    ///
    /// # Errors
    /// Those of the op `is_finite`.
    #[track_caller]
    pub fn is_finite(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("is_finite");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `(x - mean) / sqrt(var + eps)` over `axes`, then times `scale` and plus `bias` where these are given: `layer_norm(%x, %scale, %bias, axes = \[1\])`. Both have the extents of `x` along `axes`, in that order.
    ///
    /// # Errors
    /// Those of the op `layer_norm`.
    #[track_caller]
    pub fn layer_norm(&self, others: &[&TracedTensor], axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("layer_norm");
        generated_1(
            &ROW,
            &[&[self][..], others].concat(),
            vec![("axes", Value::Ints(axes.into_ints()))],
            None,
            Location::caller(),
        )
    }
    /// `(x - mean) / sqrt(var + eps)` over `axes`, then times `scale` and plus `bias` where these are given: `layer_norm(%x, %scale, %bias, axes = \[1\])`. Both have the extents of `x` along `axes`, in that order.
    ///
    /// The options are `eps`.
    ///
    /// # Errors
    /// Those of the op `layer_norm`.
    #[track_caller]
    pub fn layer_norm_with(
        &self,
        others: &[&TracedTensor],
        axes: impl IntoInts,
        options: options::LayerNorm,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("layer_norm");
        generated_1(
            &ROW,
            &[&[self][..], others].concat(),
            options.with(vec![("axes", Value::Ints(axes.into_ints()))]),
            None,
            Location::caller(),
        )
    }
    /// Is `x` less than or equal to `y`? Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `le`.
    #[track_caller]
    pub fn le(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("le");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Logarithm of the absolute value of the gamma function. Derivative: `digamma(x)` (DLMF 5.2.2).
    ///
    /// # Errors
    /// Those of the op `lgamma`.
    #[track_caller]
    pub fn lgamma(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("lgamma");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// The adjugate of square matrices, the transposed matrix of cofactors: `adj · a = a · adj = det(a) · I`, for matrices without an inverse as well. By the inverse where there is one and the condition number is at most 1000, else by `linalg.svd`.
    ///
    /// # Errors
    /// Those of the op `linalg.adjugate`.
    #[track_caller]
    pub fn adjugate(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.adjugate");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// The adjugate of square matrices, the transposed matrix of cofactors: `adj · a = a · adj = det(a) · I`, for matrices without an inverse as well. By the inverse where there is one and the condition number is at most 1000, else by `linalg.svd`.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.adjugate`.
    #[track_caller]
    pub fn adjugate_with(&self, options: options::Adjugate) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.adjugate");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Cholesky factor of Hermitian positive definite matrices: `a = l · lᴴ`, `l` lower triangular with a positive diagonal, 0 above it. Of `a` the lower triangle is read, and of its diagonal the real part.
    ///
    /// # Errors
    /// Those of the op `linalg.cholesky`.
    #[track_caller]
    pub fn cholesky(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.cholesky");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Cholesky factor of Hermitian positive definite matrices: `a = l · lᴴ`, `l` lower triangular with a positive diagonal, 0 above it. Of `a` the lower triangle is read, and of its diagonal the real part.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.cholesky`.
    #[track_caller]
    pub fn cholesky_with(&self, options: options::Cholesky) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.cholesky");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// An orthonormal basis of what is orthogonal to the columns of `u` (`m × k` with `k \<= m`, themselves orthonormal): the last `m − k` columns of the `q` of its QR factorisation (`linalg.qr_factor`).
    ///
    /// # Errors
    /// Those of the op `linalg.complement`.
    #[track_caller]
    pub fn complement(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.complement");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// An orthonormal basis of what is orthogonal to the columns of `u` (`m × k` with `k \<= m`, themselves orthonormal): the last `m − k` columns of the `q` of its QR factorisation (`linalg.qr_factor`).
    ///
    /// The options are `on_fail`, `degenerate`.
    ///
    /// # Errors
    /// Those of the op `linalg.complement`.
    #[track_caller]
    pub fn complement_with(&self, options: options::Complement) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.complement");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Determinant of square matrices; 1 of a matrix without elements.
    ///
    /// # Errors
    /// Those of the op `linalg.det`.
    #[track_caller]
    pub fn det(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.det");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Determinant of square matrices; 1 of a matrix without elements.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.det`.
    #[track_caller]
    pub fn det_with(&self, options: options::Det) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.det");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Eigenvalues `w` and eigenvectors of square matrices, complex, in the order of `linalg.schur`: `a · v = v · diag(w)` and `uᴴ · a = diag(w) · uᴴ`. Columns of `v` (right) and of `u` (left) have norm 1, and in each the first entry whose modulus is at least 0.999 of the largest is real and positive. A matrix with fewer eigenvectors than rows has columns that are equal up to rounding.
    ///
    /// # Errors
    /// Those of the op `linalg.eig`.
    #[track_caller]
    pub fn eig(&self) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.eig");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Eigenvalues `w` and eigenvectors of square matrices, complex, in the order of `linalg.schur`: `a · v = v · diag(w)` and `uᴴ · a = diag(w) · uᴴ`. Columns of `v` (right) and of `u` (left) have norm 1, and in each the first entry whose modulus is at least 0.999 of the largest is real and positive. A matrix with fewer eigenvectors than rows has columns that are equal up to rounding.
    ///
    /// The options are `on_fail`, `eps`.
    ///
    /// # Errors
    /// Those of the op `linalg.eig`.
    #[track_caller]
    pub fn eig_with(&self, options: options::Eig) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.eig");
        generated_n(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Eigenvalues and eigenvectors of Hermitian matrices, `a · v = v · diag(w)`. Of a matrix that is not Hermitian its Hermitian part `(a + aᴴ)/2` is taken, as in JAX. `w` ascends, or, with `order = modulus`, descends in modulus (the positive one of two equal ones first). In each column of `v` the first entry whose modulus is at least 0.999 of the largest is real and positive.
    ///
    /// # Errors
    /// Those of the op `linalg.eigh`.
    #[track_caller]
    pub fn eigh(&self) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.eigh");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Eigenvalues and eigenvectors of Hermitian matrices, `a · v = v · diag(w)`. Of a matrix that is not Hermitian its Hermitian part `(a + aᴴ)/2` is taken, as in JAX. `w` ascends, or, with `order = modulus`, descends in modulus (the positive one of two equal ones first). In each column of `v` the first entry whose modulus is at least 0.999 of the largest is real and positive.
    ///
    /// The options are `order`, `on_fail`, `degenerate`, `eps`.
    ///
    /// # Errors
    /// Those of the op `linalg.eigh`.
    #[track_caller]
    pub fn eigh_with(&self, options: options::Eigh) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.eigh");
        generated_n(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Eigenvalues `w` (ascending) and vectors `v` of pairs of a Hermitian matrix and a Hermitian positive definite one: `a · v = b · v · diag(w)`, `vᴴ · b · v = 1`. With the Cholesky factor `b = l · lᴴ` they are `w` and `l⁻ᴴ · y` of `linalg.eigh` of `l⁻¹ · a · l⁻ᴴ` (Golub & Van Loan, §8.7.2), and signs and phases are such that those of `y` are as it fixes them. Of `a` the Hermitian part is taken, of `b` the lower triangle.
    ///
    /// # Errors
    /// Those of the op `linalg.eigh_gen`.
    #[track_caller]
    pub fn eigh_gen(&self, b: &TracedTensor) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.eigh_gen");
        generated_n(&ROW, &[self, b], vec![], None, Location::caller())
    }
    /// Eigenvalues `w` (ascending) and vectors `v` of pairs of a Hermitian matrix and a Hermitian positive definite one: `a · v = b · v · diag(w)`, `vᴴ · b · v = 1`. With the Cholesky factor `b = l · lᴴ` they are `w` and `l⁻ᴴ · y` of `linalg.eigh` of `l⁻¹ · a · l⁻ᴴ` (Golub & Van Loan, §8.7.2), and signs and phases are such that those of `y` are as it fixes them. Of `a` the Hermitian part is taken, of `b` the lower triangle.
    ///
    /// The options are `on_fail`, `degenerate`, `eps`.
    ///
    /// # Errors
    /// Those of the op `linalg.eigh_gen`.
    #[track_caller]
    pub fn eigh_gen_with(&self, b: &TracedTensor, options: options::EighGen) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.eigh_gen");
        generated_n(&ROW, &[self, b], options.0, None, Location::caller())
    }
    /// The `?r` eigenvalues of largest modulus of a Hermitian matrix, in descending order of modulus, and their vectors. How many are kept is decided as by `linalg.svd_trunc`, with `|w_i|` in the place of `s_i`; all else is as for `linalg.eigh`.
    ///
    /// # Errors
    /// Those of the op `linalg.eigh_trunc`.
    #[track_caller]
    pub fn eigh_trunc(&self, tol: &TracedTensor) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.eigh_trunc");
        generated_n(&ROW, &[self, tol], vec![], None, Location::caller())
    }
    /// The `?r` eigenvalues of largest modulus of a Hermitian matrix, in descending order of modulus, and their vectors. How many are kept is decided as by `linalg.svd_trunc`, with `|w_i|` in the place of `s_i`; all else is as for `linalg.eigh`.
    ///
    /// The options are `rule`, `max_rank`, `min_rank`, `on_fail`, `degenerate`, `eps`.
    ///
    /// # Errors
    /// Those of the op `linalg.eigh_trunc`.
    #[track_caller]
    pub fn eigh_trunc_with(&self, tol: &TracedTensor, options: options::EighTrunc) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.eigh_trunc");
        generated_n(&ROW, &[self, tol], options.0, None, Location::caller())
    }
    /// Eigenvalues of square matrices, complex: those of `linalg.eig`, in its order, with its attributes.
    ///
    /// # Errors
    /// Those of the op `linalg.eigvals`.
    #[track_caller]
    pub fn eigvals(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.eigvals");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Eigenvalues of square matrices, complex: those of `linalg.eig`, in its order, with its attributes.
    ///
    /// The options are `on_fail`, `eps`.
    ///
    /// # Errors
    /// Those of the op `linalg.eigvals`.
    #[track_caller]
    pub fn eigvals_with(&self, options: options::Eigvals) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.eigvals");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Eigenvalues of Hermitian matrices, ascending: those of `linalg.eigh`, whose attributes it has.
    ///
    /// # Errors
    /// Those of the op `linalg.eigvalsh`.
    #[track_caller]
    pub fn eigvalsh(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.eigvalsh");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Eigenvalues of Hermitian matrices, ascending: those of `linalg.eigh`, whose attributes it has.
    ///
    /// The options are `order`, `on_fail`, `degenerate`, `eps`.
    ///
    /// # Errors
    /// Those of the op `linalg.eigvalsh`.
    #[track_caller]
    pub fn eigvalsh_with(&self, options: options::Eigvalsh) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.eigvalsh");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Exponential of square matrices, by scaling and squaring: the diagonal Padé approximant of degree 13 of `a / 2^s`, squared `s` times. `s` is that of each matrix: the least for which the 1-norm of `a / 2^s` is at most 5.37 (Higham 2005, algorithm 2.3), or less where norms of powers allow it (Al-Mohy & Higham 2009). A matrix with a NaN or an infinity gives NaN.
    ///
    /// # Errors
    /// Those of the op `linalg.expm`.
    #[track_caller]
    pub fn expm(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.expm");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Derivative of a function of square matrices at `a` in direction `e`, linear in `e`: the upper right block of the function (`of`: `linalg.expm`, `linalg.logm` or `linalg.sqrtm`) of the matrix of four blocks `a, e` above `0, a` (Mathias 1996; Higham, *Functions of Matrices*, eq. 3.16). Its adjoint is that at `aᴴ`.
    ///
    /// # Errors
    /// Those of the op `linalg.frechet`.
    #[track_caller]
    pub fn frechet(&self, e: &TracedTensor, of: &str) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.frechet");
        generated_1(&ROW, &[self, e], vec![("of", of.into())], None, Location::caller())
    }
    /// Derivative of a function of square matrices at `a` in direction `e`, linear in `e`: the upper right block of the function (`of`: `linalg.expm`, `linalg.logm` or `linalg.sqrtm`) of the matrix of four blocks `a, e` above `0, a` (Mathias 1996; Higham, *Functions of Matrices*, eq. 3.16). Its adjoint is that at `aᴴ`.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.frechet`.
    #[track_caller]
    pub fn frechet_with(&self, e: &TracedTensor, of: &str, options: options::Frechet) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.frechet");
        generated_1(&ROW, &[self, e], options.with(vec![("of", of.into())]), None, Location::caller())
    }
    /// The tangents `du` (and `dvt`) of singular or eigenvectors, unchanged. Made by derivatives. Its transpose first checks that the cotangents do not depend on the choice of vectors of equal values (`equal`, and `zero` for those of singular value 0): turning such vectors into each other, or those of value 0 out of the space that all of them span, must not change the function by more than `tolerance`, relative to its cotangents. With a last operand `ds`, the tangents of the values, handed through as well, the function weighs vectors by what follows from values: then it fails wherever values that count are equal, or 0 beside vectors that do not span all.
    ///
    /// # Errors
    /// Those of the op `linalg.gauge`.
    #[track_caller]
    pub fn gauge(
        &self,
        du: &TracedTensor,
        u: &TracedTensor,
        others: &[&TracedTensor],
        tolerance: f64,
    ) -> Result<Vec<TracedTensor>> {
        static ROW: Row = Row::of("linalg.gauge");
        generated(
            &ROW,
            &[&[self, du, u][..], others].concat(),
            vec![("tolerance", tolerance.into())],
            None,
            Location::caller(),
        )
    }
    /// Hessenberg form `a = q · h · qᴴ` of square matrices by `n − 1` reflections, as LAPACK's `gehrd` packs them: the first result holds `h` on and above the first diagonal below the main one, and, below that, the vectors of the reflections behind their leading 1; `tau` (`\[max(n − 1, 0)\]`) their factors. The first row and column of `q` are those of the identity; the rest is what `linalg.qr_multiply` makes of rows from 1 on and columns but the last.
    ///
    /// # Errors
    /// Those of the op `linalg.hessenberg`.
    #[track_caller]
    pub fn hessenberg(&self) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.hessenberg");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Hessenberg form `a = q · h · qᴴ` of square matrices by `n − 1` reflections, as LAPACK's `gehrd` packs them: the first result holds `h` on and above the first diagonal below the main one, and, below that, the vectors of the reflections behind their leading 1; `tau` (`\[max(n − 1, 0)\]`) their factors. The first row and column of `q` are those of the identity; the rest is what `linalg.qr_multiply` makes of rows from 1 on and columns but the last.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.hessenberg`.
    #[track_caller]
    pub fn hessenberg_with(&self, options: options::Hessenberg) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.hessenberg");
        generated_n(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Inverse of square matrices: `linalg.solve` of the identity.
    ///
    /// # Errors
    /// Those of the op `linalg.inv`.
    #[track_caller]
    pub fn inv(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.inv");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Inverse of square matrices: `linalg.solve` of the identity.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.inv`.
    #[track_caller]
    pub fn inv_with(&self, options: options::Inv) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.inv");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// `x`, which must be 0 where `unknown` holds, up to `tolerance` relative to the sum of the moduli of each matrix: the factor by which it is multiplied there is not known, and 0 stands for it. Else it fails (`E1221`). Made by derivatives; its transpose asks the same of the cotangent.
    ///
    /// # Errors
    /// Those of the op `linalg.known`.
    #[track_caller]
    pub fn known(&self, unknown: &TracedTensor, tolerance: f64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.known");
        generated_1(&ROW, &[self, unknown], vec![("tolerance", tolerance.into())], None, Location::caller())
    }
    /// Kronecker product of matrices `a` (`m × n`) and `b` (`p × q`): `mp × nq`, with the block `a\[i, j\] · b` in rows from `ip` and columns from `jq` on.
    ///
    /// # Errors
    /// Those of the op `linalg.kron`.
    #[track_caller]
    pub fn kron(&self, b: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.kron");
        generated_1(&ROW, &[self, b], vec![], None, Location::caller())
    }
    /// Principal logarithm of square matrices, whose eigenvalues have imaginary parts between −π and π, by inverse scaling and squaring of the Schur form (Al-Mohy & Higham 2012): roots until the matrix is near the identity, a Padé approximant of degree 7, and the diagonals from the eigenvalues. An eigenvalue that is negative or 0 is an error (`E1220`), as is a NaN or an infinity; with `on_fail = nan` such a matrix gives NaN. An eigenvalue counts as real where its imaginary part is rounding.
    ///
    /// # Errors
    /// Those of the op `linalg.logm`.
    #[track_caller]
    pub fn logm(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.logm");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Principal logarithm of square matrices, whose eigenvalues have imaginary parts between −π and π, by inverse scaling and squaring of the Schur form (Al-Mohy & Higham 2012): roots until the matrix is near the identity, a Padé approximant of degree 7, and the diagonals from the eigenvalues. An eigenvalue that is negative or 0 is an error (`E1220`), as is a NaN or an infinity; with `on_fail = nan` such a matrix gives NaN. An eigenvalue counts as real where its imaginary part is rounding.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.logm`.
    #[track_caller]
    pub fn logm_with(&self, options: options::Logm) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.logm");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Least squares: the `x` (`n × p`) of least norm among those for which `a · x − b` has the least, for matrices `a` (`m × n`) and right-hand sides `b` (`m × p`), column by column. `method = qr`: by the QR factorisations of `a` and of its triangle's adjoint (a complete orthogonal decomposition without pivoting: Golub & Van Loan, §5.4.7), for matrices of full rank; others give infinities and NaN. `method = svd`: by `linalg.pinv`, whose `rtol` it takes, for matrices of any rank.
    ///
    /// # Errors
    /// Those of the op `linalg.lstsq`.
    #[track_caller]
    pub fn lstsq(&self, b: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.lstsq");
        generated_1(&ROW, &[self, b], vec![], None, Location::caller())
    }
    /// Least squares: the `x` (`n × p`) of least norm among those for which `a · x − b` has the least, for matrices `a` (`m × n`) and right-hand sides `b` (`m × p`), column by column. `method = qr`: by the QR factorisations of `a` and of its triangle's adjoint (a complete orthogonal decomposition without pivoting: Golub & Van Loan, §5.4.7), for matrices of full rank; others give infinities and NaN. `method = svd`: by `linalg.pinv`, whose `rtol` it takes, for matrices of any rank.
    ///
    /// The options are `method`, `rtol`, `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.lstsq`.
    #[track_caller]
    pub fn lstsq_with(&self, b: &TracedTensor, options: options::Lstsq) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.lstsq");
        generated_1(&ROW, &[self, b], options.0, None, Location::caller())
    }
    /// The factors of `linalg.lu_factor` apart: `a\[p, :\] = l · u`, with `p` (`i64\[m\]`) the row of `a` that each row was, `l` (`m × k`, `k = min(m, n)`) unit lower triangular and `u` (`k × n`) upper triangular.
    ///
    /// # Errors
    /// Those of the op `linalg.lu`.
    #[track_caller]
    pub fn lu(&self) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.lu");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// The factors of `linalg.lu_factor` apart: `a\[p, :\] = l · u`, with `p` (`i64\[m\]`) the row of `a` that each row was, `l` (`m × k`, `k = min(m, n)`) unit lower triangular and `u` (`k × n`) upper triangular.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.lu`.
    #[track_caller]
    pub fn lu_with(&self, options: options::Lu) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.lu");
        generated_n(&ROW, &[self], options.0, None, Location::caller())
    }
    /// LU factorisation with partial pivoting of matrices `m × n`: `a\[p, :\] = l · u` with `k = min(m, n)`, `l` unit lower triangular, `m × k`, and `u` upper triangular, `k × n`. `lu` holds `u` and, below the diagonal, `l` without its ones, as LAPACK's `getrf`. `pivots` (`i64\[k\]`, from 0) says with which row each row was exchanged in turn, `p` (`i64\[m\]`) the row of `a` that each row was. A matrix without an inverse is factored too.
    ///
    /// # Errors
    /// Those of the op `linalg.lu_factor`.
    #[track_caller]
    pub fn lu_factor(&self) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.lu_factor");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// LU factorisation with partial pivoting of matrices `m × n`: `a\[p, :\] = l · u` with `k = min(m, n)`, `l` unit lower triangular, `m × k`, and `u` upper triangular, `k × n`. `lu` holds `u` and, below the diagonal, `l` without its ones, as LAPACK's `getrf`. `pivots` (`i64\[k\]`, from 0) says with which row each row was exchanged in turn, `p` (`i64\[m\]`) the row of `a` that each row was. A matrix without an inverse is factored too.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.lu_factor`.
    #[track_caller]
    pub fn lu_factor_with(&self, options: options::LuFactor) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.lu_factor");
        generated_n(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Norm over `axes` (all unless given), as NumPy's: real. Without `ord` the root of the sum of squares of moduli, over any axes, without overflow.
    ///
    /// # Errors
    /// Those of the op `linalg.norm`.
    #[track_caller]
    pub fn norm(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.norm");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Norm over `axes` (all unless given), as NumPy's: real. Without `ord` the root of the sum of squares of moduli, over any axes, without overflow.
    ///
    /// The options are `axes`, `ord`.
    ///
    /// # Errors
    /// Those of the op `linalg.norm`.
    #[track_caller]
    pub fn norm_with(&self, options: options::Norm) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.norm");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Pseudo-inverse of matrices `m × n` (Moore and Penrose), `n × m`, by `linalg.svd`: reciprocals of the singular values that are more than `rtol` times the largest, 0 for the others. `rtol` is `max(m, n)` units in the last place of 1 unless given.
    ///
    /// # Errors
    /// Those of the op `linalg.pinv`.
    #[track_caller]
    pub fn pinv(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.pinv");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Pseudo-inverse of matrices `m × n` (Moore and Penrose), `n × m`, by `linalg.svd`: reciprocals of the singular values that are more than `rtol` times the largest, 0 for the others. `rtol` is `max(m, n)` units in the last place of 1 unless given.
    ///
    /// The options are `rtol`, `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.pinv`.
    #[track_caller]
    pub fn pinv_with(&self, options: options::Pinv) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.pinv");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// QR factorisation `a = q · r` of matrices `m × n`: `q` has `k = min(m, n)` orthonormal columns, `r` is upper triangular (trapezoidal for `m \< n`), `k × n`. The diagonal of `r` is real and not negative, which makes the factors unique where the leading `k` columns are independent.
    ///
    /// # Errors
    /// Those of the op `linalg.qr`.
    #[track_caller]
    pub fn qr(&self) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.qr");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// QR factorisation `a = q · r` of matrices `m × n`: `q` has `k = min(m, n)` orthonormal columns, `r` is upper triangular (trapezoidal for `m \< n`), `k × n`. The diagonal of `r` is real and not negative, which makes the factors unique where the leading `k` columns are independent.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.qr`.
    #[track_caller]
    pub fn qr_with(&self, options: options::Qr) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.qr");
        generated_n(&ROW, &[self], options.0, None, Location::caller())
    }
    /// QR factorisation of matrices `m × n` by `k = min(m, n)` reflections, as LAPACK's `geqrf` packs them: `a = H₁ H₂ … H_k · r`, `H_j = 1 − tau_j v_j v_jᴴ`. `qr` (`m × n`) holds the upper triangle (trapezoid) `r`, whose diagonal is real, and, below it, `v_j` in column `j` behind its leading 1; `tau` (`\[k\]`) the factors. A column that has nothing below the diagonal (and is real on it) is not reflected: its `tau` is 0. `linalg.qr_multiply` multiplies with the reflections.
    ///
    /// # Errors
    /// Those of the op `linalg.qr_factor`.
    #[track_caller]
    pub fn qr_factor(&self) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.qr_factor");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// QR factorisation of matrices `m × n` by `k = min(m, n)` reflections, as LAPACK's `geqrf` packs them: `a = H₁ H₂ … H_k · r`, `H_j = 1 − tau_j v_j v_jᴴ`. `qr` (`m × n`) holds the upper triangle (trapezoid) `r`, whose diagonal is real, and, below it, `v_j` in column `j` behind its leading 1; `tau` (`\[k\]`) the factors. A column that has nothing below the diagonal (and is real on it) is not reflected: its `tau` is 0. `linalg.qr_multiply` multiplies with the reflections.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.qr_factor`.
    #[track_caller]
    pub fn qr_factor_with(&self, options: options::QrFactor) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.qr_factor");
        generated_n(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Product `q · c` of reflections with matrices, or `qᴴ · c` with `adjoint = true`: `q = H₁ H₂ … H_k`, `H_j = 1 − tau_j v_j v_jᴴ`, where `v_j` is column `j` of `qr` below its diagonal, behind a 1 (the rest of `qr` is not read), as `linalg.qr_factor` gives them. `qr` is `m × n` with at least `k` rows and columns, `tau` is `\[k\]`, `c` is `m × p`. Of an identity `c` the product is LAPACK's `orgqr`. Any `v` and `tau` will do: where `H_j` is not unitary, `qᴴ` is the adjoint, not the inverse.
    ///
    /// # Errors
    /// Those of the op `linalg.qr_multiply`.
    #[track_caller]
    pub fn qr_multiply(&self, tau: &TracedTensor, c: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.qr_multiply");
        generated_1(&ROW, &[self, tau, c], vec![], None, Location::caller())
    }
    /// Product `q · c` of reflections with matrices, or `qᴴ · c` with `adjoint = true`: `q = H₁ H₂ … H_k`, `H_j = 1 − tau_j v_j v_jᴴ`, where `v_j` is column `j` of `qr` below its diagonal, behind a 1 (the rest of `qr` is not read), as `linalg.qr_factor` gives them. `qr` is `m × n` with at least `k` rows and columns, `tau` is `\[k\]`, `c` is `m × p`. Of an identity `c` the product is LAPACK's `orgqr`. Any `v` and `tau` will do: where `H_j` is not unitary, `qᴴ` is the adjoint, not the inverse.
    ///
    /// The options are `adjoint`.
    ///
    /// # Errors
    /// Those of the op `linalg.qr_multiply`.
    #[track_caller]
    pub fn qr_multiply_with(
        &self,
        tau: &TracedTensor,
        c: &TracedTensor,
        options: options::QrMultiply,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.qr_multiply");
        generated_1(&ROW, &[self, tau, c], options.0, None, Location::caller())
    }
    /// QR factorisation with column pivoting: `a\[:, p\] = q · r` as `linalg.qr` gives it, where `p` puts at each step the column first whose part outside the span of those before it is largest, so that the diagonal of `r` descends (up to rounding). `on_fail` and derivative as there; `p` is locally constant.
    ///
    /// # Errors
    /// Those of the op `linalg.qr_pivoted`.
    #[track_caller]
    pub fn qr_pivoted(&self) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.qr_pivoted");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// QR factorisation with column pivoting: `a\[:, p\] = q · r` as `linalg.qr` gives it, where `p` puts at each step the column first whose part outside the span of those before it is largest, so that the diagonal of `r` descends (up to rounding). `on_fail` and derivative as there; `p` is locally constant.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.qr_pivoted`.
    #[track_caller]
    pub fn qr_pivoted_with(&self, options: options::QrPivoted) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.qr_pivoted");
        generated_n(&ROW, &[self], options.0, None, Location::caller())
    }
    /// The first `?r` columns of `q` and rows of `r` of `linalg.qr_pivoted`, `a\[:, p\] ≈ q · r`: those with `|r_ii| > tol · |r_00|`, but at least `min_rank` (1 unless given) and at most `max_rank`, and at most `min(m, n)`. `max_rank \< min_rank` is an error, a NaN tolerance keeps `min_rank`. `tol` has the real dtype of `a`.
    ///
    /// # Errors
    /// Those of the op `linalg.qr_rank`.
    #[track_caller]
    pub fn qr_rank(&self, tol: &TracedTensor) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.qr_rank");
        generated_n(&ROW, &[self, tol], vec![], None, Location::caller())
    }
    /// The first `?r` columns of `q` and rows of `r` of `linalg.qr_pivoted`, `a\[:, p\] ≈ q · r`: those with `|r_ii| > tol · |r_00|`, but at least `min_rank` (1 unless given) and at most `max_rank`, and at most `min(m, n)`. `max_rank \< min_rank` is an error, a NaN tolerance keeps `min_rank`. `tol` has the real dtype of `a`.
    ///
    /// The options are `max_rank`, `min_rank`, `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.qr_rank`.
    #[track_caller]
    pub fn qr_rank_with(&self, tol: &TracedTensor, options: options::QrRank) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.qr_rank");
        generated_n(&ROW, &[self, tol], options.0, None, Location::caller())
    }
    /// Schur form `a = z · t · zᴴ` of square matrices, `z` unitary, and the eigenvalues `w`, complex, as they stand on the diagonal of `t`. Of a complex matrix `t` is upper triangular. Of a real one `t` and `z` are real: a pair of conjugate eigenvalues is a block of two rows and columns with equal numbers on the diagonal and numbers of different sign beside it, and the value with the positive imaginary part comes first. Eigenvalues are in the order in which they were found.
    ///
    /// # Errors
    /// Those of the op `linalg.schur`.
    #[track_caller]
    pub fn schur(&self) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.schur");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Schur form `a = z · t · zᴴ` of square matrices, `z` unitary, and the eigenvalues `w`, complex, as they stand on the diagonal of `t`. Of a complex matrix `t` is upper triangular. Of a real one `t` and `z` are real: a pair of conjugate eigenvalues is a block of two rows and columns with equal numbers on the diagonal and numbers of different sign beside it, and the value with the positive imaginary part comes first. Eigenvalues are in the order in which they were found.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.schur`.
    #[track_caller]
    pub fn schur_with(&self, options: options::Schur) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.schur");
        generated_n(&ROW, &[self], options.0, None, Location::caller())
    }
    /// `sign` and logarithm `logabs` of the modulus of the determinant of square matrices, which itself may overflow: `det = sign · exp(logabs)`, where `sign` has modulus 1. A matrix without an inverse has 0 and −inf.
    ///
    /// # Errors
    /// Those of the op `linalg.slogdet`.
    #[track_caller]
    pub fn slogdet(&self) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.slogdet");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `sign` and logarithm `logabs` of the modulus of the determinant of square matrices, which itself may overflow: `det = sign · exp(logabs)`, where `sign` has modulus 1. A matrix without an inverse has 0 and −inf.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.slogdet`.
    #[track_caller]
    pub fn slogdet_with(&self, options: options::Slogdet) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("linalg.slogdet");
        generated_n(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Solves `a · x = b` for square `a` (`n × n`) and right-hand sides `b` (`n × p`), by LU factorisation with partial pivoting. A matrix without an inverse gives infinities and NaN.
    ///
    /// # Errors
    /// Those of the op `linalg.solve`.
    #[track_caller]
    pub fn solve(&self, b: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.solve");
        generated_1(&ROW, &[self, b], vec![], None, Location::caller())
    }
    /// Solves `a · x = b` for square `a` (`n × n`) and right-hand sides `b` (`n × p`), by LU factorisation with partial pivoting. A matrix without an inverse gives infinities and NaN.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.solve`.
    #[track_caller]
    pub fn solve_with(&self, b: &TracedTensor, options: options::Solve) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.solve");
        generated_1(&ROW, &[self, b], options.0, None, Location::caller())
    }
    /// `y`, which is `x · diag(d) · vt`, or `x · diag(d) · xᴴ` without `vt`. Put before differentiation where `x` and `vt` are vectors of one factorisation: the derivative is then that of a function of the factored matrix, which exists where values are equal although that of the vectors does not. Elsewhere it says nothing.
    ///
    /// # Errors
    /// Those of the op `linalg.spectral`.
    #[track_caller]
    pub fn spectral(&self, x: &TracedTensor, d: &TracedTensor, others: &[&TracedTensor]) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.spectral");
        generated_1(&ROW, &[&[self, x, d][..], others].concat(), vec![], None, Location::caller())
    }
    /// Principal square root of square matrices, whose eigenvalues have real parts that are not negative, by the Schur form (Björck & Hammarling 1983; Higham, *Functions of Matrices*, algorithm 6.3). An eigenvalue that is negative, or 0 where the matrix has no root, is an error (`E1220`), as is a NaN or an infinity; with `on_fail = nan` such a matrix gives NaN. An eigenvalue counts as real where its imaginary part is rounding, as 0 where it is negative and rounding.
    ///
    /// # Errors
    /// Those of the op `linalg.sqrtm`.
    #[track_caller]
    pub fn sqrtm(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.sqrtm");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Principal square root of square matrices, whose eigenvalues have real parts that are not negative, by the Schur form (Björck & Hammarling 1983; Higham, *Functions of Matrices*, algorithm 6.3). An eigenvalue that is negative, or 0 where the matrix has no root, is an error (`E1220`), as is a NaN or an infinity; with `on_fail = nan` such a matrix gives NaN. An eigenvalue counts as real where its imaginary part is rounding, as 0 where it is negative and rounding.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.sqrtm`.
    #[track_caller]
    pub fn sqrtm_with(&self, options: options::Sqrtm) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.sqrtm");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Singular value decomposition `a = u · diag(s) · vt` of matrices `m × n`, with `k = min(m, n)` columns of `u`, singular values in descending order, and rows of `vt` (which is `vᴴ`). In each column of `u` the first entry whose modulus is at least 0.999 of the largest is real and positive.
    ///
    /// # Errors
    /// Those of the op `linalg.svd`.
    #[track_caller]
    pub fn svd(&self) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.svd");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Singular value decomposition `a = u · diag(s) · vt` of matrices `m × n`, with `k = min(m, n)` columns of `u`, singular values in descending order, and rows of `vt` (which is `vᴴ`). In each column of `u` the first entry whose modulus is at least 0.999 of the largest is real and positive.
    ///
    /// The options are `on_fail`, `degenerate`, `eps`.
    ///
    /// # Errors
    /// Those of the op `linalg.svd`.
    #[track_caller]
    pub fn svd_with(&self, options: options::Svd) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.svd");
        generated_n(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Singular value decomposition with whole bases: `u` is `m × m`, `vt` is `n × n`, `a = u\[:, :k\] · diag(s) · vt\[:k, :\]` with `k = min(m, n)`. The first `k` columns of `u` and rows of `vt` are those of `linalg.svd`, whose attributes it has, the others those of `linalg.complement`.
    ///
    /// # Errors
    /// Those of the op `linalg.svd_full`.
    #[track_caller]
    pub fn svd_full(&self) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.svd_full");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Singular value decomposition with whole bases: `u` is `m × m`, `vt` is `n × n`, `a = u\[:, :k\] · diag(s) · vt\[:k, :\]` with `k = min(m, n)`. The first `k` columns of `u` and rows of `vt` are those of `linalg.svd`, whose attributes it has, the others those of `linalg.complement`.
    ///
    /// The options are `on_fail`, `degenerate`, `eps`.
    ///
    /// # Errors
    /// Those of the op `linalg.svd_full`.
    #[track_caller]
    pub fn svd_full_with(&self, options: options::SvdFull) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.svd_full");
        generated_n(&ROW, &[self], options.0, None, Location::caller())
    }
    /// The first `?r` singular values and vectors of a matrix, where values decide `?r`: those with `s_i > tol · s_0` (`rule = relative`), or `s_i > tol` (`absolute`), or the smallest number for which `sqrt(Σ_{i ≥ r} s_i²) \<= tol · sqrt(Σ s_i²)` (`tail`); but at least `min_rank` (1 unless given) and at most `max_rank`, and at most `min(m, n)`. `max_rank \< min_rank` is an error, a NaN tolerance keeps `min_rank`. `tol` has the real dtype of `a`.
    ///
    /// # Errors
    /// Those of the op `linalg.svd_trunc`.
    #[track_caller]
    pub fn svd_trunc(&self, tol: &TracedTensor) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.svd_trunc");
        generated_n(&ROW, &[self, tol], vec![], None, Location::caller())
    }
    /// The first `?r` singular values and vectors of a matrix, where values decide `?r`: those with `s_i > tol · s_0` (`rule = relative`), or `s_i > tol` (`absolute`), or the smallest number for which `sqrt(Σ_{i ≥ r} s_i²) \<= tol · sqrt(Σ s_i²)` (`tail`); but at least `min_rank` (1 unless given) and at most `max_rank`, and at most `min(m, n)`. `max_rank \< min_rank` is an error, a NaN tolerance keeps `min_rank`. `tol` has the real dtype of `a`.
    ///
    /// The options are `rule`, `max_rank`, `min_rank`, `on_fail`, `degenerate`, `eps`.
    ///
    /// # Errors
    /// Those of the op `linalg.svd_trunc`.
    #[track_caller]
    pub fn svd_trunc_with(&self, tol: &TracedTensor, options: options::SvdTrunc) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("linalg.svd_trunc");
        generated_n(&ROW, &[self, tol], options.0, None, Location::caller())
    }
    /// Singular values of matrices `m × n`, `min(m, n)` of them, in descending order: those of `linalg.svd`, whose attributes it has.
    ///
    /// # Errors
    /// Those of the op `linalg.svdvals`.
    #[track_caller]
    pub fn svdvals(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.svdvals");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Singular values of matrices `m × n`, `min(m, n)` of them, in descending order: those of `linalg.svd`, whose attributes it has.
    ///
    /// The options are `on_fail`, `degenerate`, `eps`.
    ///
    /// # Errors
    /// Those of the op `linalg.svdvals`.
    #[track_caller]
    pub fn svdvals_with(&self, options: options::Svdvals) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.svdvals");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Sum of the main diagonal of matrices `m × n`; 0 of a matrix without elements. Integers wrap.
    ///
    /// # Errors
    /// Those of the op `linalg.trace`.
    #[track_caller]
    pub fn trace(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.trace");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Solves `op(a) · x = b` (`left = true`) or `x · op(a) = b` for triangular `a`, of which only one triangle is read (the upper one with `lower = false`), without its diagonal where `unit = true` says that it is all 1. `op` is nothing, the transpose or the adjoint, as `transpose` says. A zero on the diagonal gives infinities and NaN.
    ///
    /// # Errors
    /// Those of the op `linalg.triangular_solve`.
    #[track_caller]
    pub fn triangular_solve(&self, b: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.triangular_solve");
        generated_1(&ROW, &[self, b], vec![], None, Location::caller())
    }
    /// Solves `op(a) · x = b` (`left = true`) or `x · op(a) = b` for triangular `a`, of which only one triangle is read (the upper one with `lower = false`), without its diagonal where `unit = true` says that it is all 1. `op` is nothing, the transpose or the adjoint, as `transpose` says. A zero on the diagonal gives infinities and NaN.
    ///
    /// The options are `left`, `lower`, `transpose`, `unit`.
    ///
    /// # Errors
    /// Those of the op `linalg.triangular_solve`.
    #[track_caller]
    pub fn triangular_solve_with(&self, b: &TracedTensor, options: options::TriangularSolve) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.triangular_solve");
        generated_1(&ROW, &[self, b], options.0, None, Location::caller())
    }
    /// Solves `a · x = b` for tridiagonal `a`, by elimination with exchanges of rows, in time linear in `n`: `a\[i, i - 1\] = dl\[i\]`, `a\[i, i\] = d\[i\]`, `a\[i, i + 1\] = du\[i\]`. All three have `n` elements; the first of `dl` and the last of `du` are not read. `b` is `n × p`.
    ///
    /// # Errors
    /// Those of the op `linalg.tridiagonal_solve`.
    #[track_caller]
    pub fn tridiagonal_solve(&self, d: &TracedTensor, du: &TracedTensor, b: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.tridiagonal_solve");
        generated_1(&ROW, &[self, d, du, b], vec![], None, Location::caller())
    }
    /// Solves `a · x = b` for tridiagonal `a`, by elimination with exchanges of rows, in time linear in `n`: `a\[i, i - 1\] = dl\[i\]`, `a\[i, i\] = d\[i\]`, `a\[i, i + 1\] = du\[i\]`. All three have `n` elements; the first of `dl` and the last of `du` are not read. `b` is `n × p`.
    ///
    /// The options are `on_fail`.
    ///
    /// # Errors
    /// Those of the op `linalg.tridiagonal_solve`.
    #[track_caller]
    pub fn tridiagonal_solve_with(
        &self,
        d: &TracedTensor,
        du: &TracedTensor,
        b: &TracedTensor,
        options: options::TridiagonalSolve,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linalg.tridiagonal_solve");
        generated_1(&ROW, &[self, d, du, b], options.0, None, Location::caller())
    }
    /// Evenly spaced numbers from `start` to `stop`, which is the last of them, or, with `endpoint = false`, would be the next one. The written type has one axis and says how many there are: `%x: f64\[101\] = linspace(0, 1)`. Of one number it is `start`.
    ///
    /// # Errors
    /// Those of the op `linspace`.
    #[track_caller]
    pub fn linspace(&self, stop: &TracedTensor, dtype: DType, shape: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linspace");
        generated_1(&ROW, &[self, stop], vec![], Some((dtype, shape.into_dims())), Location::caller())
    }
    /// Evenly spaced numbers from `start` to `stop`, which is the last of them, or, with `endpoint = false`, would be the next one. The written type has one axis and says how many there are: `%x: f64\[101\] = linspace(0, 1)`. Of one number it is `start`.
    ///
    /// The options are `endpoint`.
    ///
    /// # Errors
    /// Those of the op `linspace`.
    #[track_caller]
    pub fn linspace_with(
        &self,
        stop: &TracedTensor,
        dtype: DType,
        shape: impl IntoDims,
        options: options::Linspace,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("linspace");
        generated_1(&ROW, &[self, stop], options.0, Some((dtype, shape.into_dims())), Location::caller())
    }
    /// Natural logarithm; NaN for negative reals, the principal branch for complex numbers. Derivative: `1/x`.
    ///
    /// # Errors
    /// Those of the op `log`.
    #[track_caller]
    pub fn log(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("log");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `log(x) / log(10)`, rounded at both steps.
    ///
    /// # Errors
    /// Those of the op `log10`.
    #[track_caller]
    pub fn log10(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("log10");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `log(1 + x)`, exact near 0. Derivative: `1/(1 + x)`.
    ///
    /// # Errors
    /// Those of the op `log1p`.
    #[track_caller]
    pub fn log1p(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("log1p");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `log(x) / log(2)`, rounded at both steps.
    ///
    /// # Errors
    /// Those of the op `log2`.
    #[track_caller]
    pub fn log2(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("log2");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Logarithm of `softmax` along `axis`, without overflow or cancellation.
    ///
    /// # Errors
    /// Those of the op `log_softmax`.
    #[track_caller]
    pub fn log_softmax(&self, axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("log_softmax");
        generated_1(&ROW, &[self], vec![("axis", axis.into())], None, Location::caller())
    }
    /// `1/(1 + exp(-x))`. Derivative: `y (1 - y)` at the result `y`, where `1 - y` is `logistic(-x)` of reals, which does not cancel.
    ///
    /// # Errors
    /// Those of the op `logistic`.
    #[track_caller]
    pub fn logistic(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("logistic");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `log(sum(exp(x)))` over `axes` without overflow; −inf where there is no element.
    ///
    /// # Errors
    /// Those of the op `logsumexp`.
    #[track_caller]
    pub fn logsumexp(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("logsumexp");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// Is `x` less than `y`? `false` is less than `true`. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `lt`.
    #[track_caller]
    pub fn lt(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("lt");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// The greater; NaN if either is NaN, and -0 is below +0. Derivative: that of the greater, half of each where they are equal. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `max`.
    #[track_caller]
    pub fn max(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("max");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Arithmetic mean over `axes`; NaN where there is no element.
    ///
    /// # Errors
    /// Those of the op `mean`.
    #[track_caller]
    pub fn mean(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("mean");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// The lesser; NaN if either is NaN, and -0 is below +0. Derivative: that of the lesser, half of each where they are equal. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `min`.
    #[track_caller]
    pub fn min(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("min");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Product; integers wrap. The transpose of `a dz` multiplies by `conj(a)`. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `mul`.
    #[track_caller]
    pub fn mul(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("mul");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Upper half of the double-width product. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `mulhi`.
    #[track_caller]
    pub fn mulhi(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("mulhi");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Is `x` unequal to `y`? Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `ne`.
    #[track_caller]
    pub fn ne(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("ne");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Negation; integers wrap.
    ///
    /// # Errors
    /// Those of the op `neg`.
    #[track_caller]
    pub fn neg(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("neg");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// The representable number next to `x` in the direction of the second operand. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `nextafter`.
    #[track_caller]
    pub fn nextafter(&self, toward: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("nextafter");
        TracedTensor::elementwise(&ROW, &[self, toward], Location::caller())
    }
    /// Where `x` is not zero (true, for bool; NaN is not zero): the indices along each axis, one `i64\[?r\]` an axis, in logical order (last axis fastest), as in NumPy. The extent is at most the number of elements. A scalar has no axis to index: reshape it to one element.
    ///
    /// # Errors
    /// Those of the op `nonzero`.
    #[track_caller]
    pub fn nonzero(&self) -> Result<Vec<TracedTensor>> {
        static ROW: Row = Row::of("nonzero");
        generated(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Negation of `bool`, complement of the bits of an integer.
    ///
    /// # Errors
    /// Those of the op `not`.
    #[track_caller]
    pub fn not(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("not");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// 1 (`true`) at the place that an index names along `axis` of the written type, 0 elsewhere; all 0 for an index out of range. `axis` is the new one, the last unless given; the other axes are the operand's.
    ///
    /// # Errors
    /// Those of the op `one_hot`.
    #[track_caller]
    pub fn one_hot(&self, dtype: DType, shape: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("one_hot");
        generated_1(&ROW, &[self], vec![], Some((dtype, shape.into_dims())), Location::caller())
    }
    /// 1 (`true`) at the place that an index names along `axis` of the written type, 0 elsewhere; all 0 for an index out of range. `axis` is the new one, the last unless given; the other axes are the operand's.
    ///
    /// The options are `axis`.
    ///
    /// # Errors
    /// Those of the op `one_hot`.
    #[track_caller]
    pub fn one_hot_with(&self, dtype: DType, shape: impl IntoDims, options: options::OneHot) -> Result<TracedTensor> {
        static ROW: Row = Row::of("one_hot");
        generated_1(&ROW, &[self], options.0, Some((dtype, shape.into_dims())), Location::caller())
    }
    /// Either or both; bitwise for integers. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `or`.
    #[track_caller]
    pub fn or(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("or");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Sums of windows that overlap, the transpose of `windows`: `x` has the axes that `windows` with these attributes gives for a tensor of the written type, and element `i` of the result is the sum of the elements of all windows that stand for it, 0 where none does. Integers wrap.
    ///
    /// # Errors
    /// Those of the op `overlap_add`.
    #[track_caller]
    pub fn overlap_add(
        &self,
        axes: impl IntoInts,
        size: impl IntoDims,
        dtype: DType,
        shape: impl IntoDims,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("overlap_add");
        generated_1(
            &ROW,
            &[self],
            vec![("axes", Value::Ints(axes.into_ints())), ("size", dims(size))],
            Some((dtype, shape.into_dims())),
            Location::caller(),
        )
    }
    /// Sums of windows that overlap, the transpose of `windows`: `x` has the axes that `windows` with these attributes gives for a tensor of the written type, and element `i` of the result is the sum of the elements of all windows that stand for it, 0 where none does. Integers wrap.
    ///
    /// The options are `stride`, `dilation`.
    ///
    /// # Errors
    /// Those of the op `overlap_add`.
    #[track_caller]
    pub fn overlap_add_with(
        &self,
        axes: impl IntoInts,
        size: impl IntoDims,
        dtype: DType,
        shape: impl IntoDims,
        options: options::OverlapAdd,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("overlap_add");
        generated_1(
            &ROW,
            &[self],
            options.with(vec![("axes", Value::Ints(axes.into_ints())), ("size", dims(size))]),
            Some((dtype, shape.into_dims())),
            Location::caller(),
        )
    }
    /// Puts copies of the scalar `v` around and between elements: `interior` between neighbours, then `low` before and `high` after, along each axis. Negative `low` and `high` remove elements instead, as in StableHLO. `interior` is 0 everywhere unless given.
    ///
    /// # Errors
    /// Those of the op `pad`.
    #[track_caller]
    pub fn pad(&self, v: &TracedTensor, low: impl IntoDims, high: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("pad");
        generated_1(&ROW, &[self, v], vec![("low", dims(low)), ("high", dims(high))], None, Location::caller())
    }
    /// Puts copies of the scalar `v` around and between elements: `interior` between neighbours, then `low` before and `high` after, along each axis. Negative `low` and `high` remove elements instead, as in StableHLO. `interior` is 0 everywhere unless given.
    ///
    /// The options are `interior`.
    ///
    /// # Errors
    /// Those of the op `pad`.
    #[track_caller]
    pub fn pad_with(
        &self,
        v: &TracedTensor,
        low: impl IntoDims,
        high: impl IntoDims,
        options: options::Pad,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("pad");
        generated_1(
            &ROW,
            &[self, v],
            options.with(vec![("low", dims(low)), ("high", dims(high))]),
            None,
            Location::caller(),
        )
    }
    /// Appends zeros (`false`) along `axis` until the extent of the written type is reached.
    ///
    /// # Errors
    /// Those of the op `pad_suffix`.
    #[track_caller]
    pub fn pad_suffix(&self, axis: i64, dtype: DType, shape: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("pad_suffix");
        generated_1(&ROW, &[self], vec![("axis", axis.into())], Some((dtype, shape.into_dims())), Location::caller())
    }
    /// Derivative of order `n` of `digamma` at `x`; NaN where `n` is not a natural number. Derivative in `x`: `polygamma(n + 1, x)` (DLMF 5.15); none in the order. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `polygamma`.
    #[track_caller]
    pub fn polygamma(&self, x: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("polygamma");
        TracedTensor::elementwise(&ROW, &[self, x], Location::caller())
    }
    /// Number of one bits.
    ///
    /// # Errors
    /// Those of the op `popcnt`.
    #[track_caller]
    pub fn popcnt(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("popcnt");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `a` to the power `b`. Integers wrap, and a negative exponent truncates `1/a^n`. Derivative: `b a^(b-1) da`, which is 0 where `b` is 0, plus `log(a) a^b db`, which is 0 where `a` is 0. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `pow`.
    #[track_caller]
    pub fn pow(&self, b: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("pow");
        TracedTensor::elementwise(&ROW, &[self, b], Location::caller())
    }
    /// `true` with probability `p`, a scalar or one number for each element of the written type: where `random.uniform` in the dtype of `p` is less. They are those of `jax.random.bernoulli`.
    ///
    /// # Errors
    /// Those of the op `random.bernoulli`.
    #[track_caller]
    pub fn random_bernoulli(&self, p: &TracedTensor, dtype: DType, shape: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.bernoulli");
        generated_1(&ROW, &[self, p], vec![], Some((dtype, shape.into_dims())), Location::caller())
    }
    /// Random bits of a key: integers of 32 or 64 bits of the written type, every bit of which is random. They are those of `jax.random.bits`: of a key of two words, element `i` in logical order is what Threefry makes of the counter `i`.
    ///
    /// # Errors
    /// Those of the op `random.bits`.
    #[track_caller]
    pub fn random_bits(&self, dtype: DType, shape: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.bits");
        generated_1(&ROW, &[self], vec![], Some((dtype, shape.into_dims())), Location::caller())
    }
    /// Indices along `axis` (the last unless given), `i64`, each with a probability in proportion to `exp` of its logit: the greatest of logits and Gumbel numbers `−log(−log u)`, by the recipe of `jax.random.categorical`. An empty axis is an error.
    ///
    /// # Errors
    /// Those of the op `random.categorical`.
    #[track_caller]
    pub fn random_categorical(&self, logits: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.categorical");
        generated_1(&ROW, &[self, logits], vec![], None, Location::caller())
    }
    /// Indices along `axis` (the last unless given), `i64`, each with a probability in proportion to `exp` of its logit: the greatest of logits and Gumbel numbers `−log(−log u)`, by the recipe of `jax.random.categorical`. An empty axis is an error.
    ///
    /// The options are `axis`.
    ///
    /// # Errors
    /// Those of the op `random.categorical`.
    #[track_caller]
    pub fn random_categorical_with(
        &self,
        logits: &TracedTensor,
        options: options::RandomCategorical,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.categorical");
        generated_1(&ROW, &[self, logits], options.0, None, Location::caller())
    }
    /// A new key from a key and an integer, of which the low 32 bits count: that of `jax.random.fold_in`.
    ///
    /// # Errors
    /// Those of the op `random.fold_in`.
    #[track_caller]
    pub fn random_fold_in(&self, data: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.fold_in");
        generated_1(&ROW, &[self, data], vec![], None, Location::caller())
    }
    /// Gamma numbers of the shape parameters `alpha` and scale 1, one for each, by rejection (Marsaglia & Tsang 2000), and for `alpha \< 1` from `alpha + 1` and a power of a uniform number: the recipe of `jax.random.gamma`, each element with a key of its own. They differ from JAX's where `erf_inv`, `log` and `pow` are rounded otherwise.
    ///
    /// # Errors
    /// Those of the op `random.gamma`.
    #[track_caller]
    pub fn random_gamma(&self, alpha: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.gamma");
        generated_1(&ROW, &[self, alpha], vec![], None, Location::caller())
    }
    /// A key from a seed, an integer: for `threefry2x32` (`u32\[2\]`) its high and its low word, for `philox4x32` (`u32\[4\]`) these twice. They are those of `jax.random.key(seed)` and `jax.random.key(seed, impl = "rbg")`.
    ///
    /// # Errors
    /// Those of the op `random.key`.
    #[track_caller]
    pub fn random_key(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.key");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// A key from a seed, an integer: for `threefry2x32` (`u32\[2\]`) its high and its low word, for `philox4x32` (`u32\[4\]`) these twice. They are those of `jax.random.key(seed)` and `jax.random.key(seed, impl = "rbg")`.
    ///
    /// The options are `algorithm`.
    ///
    /// # Errors
    /// Those of the op `random.key`.
    #[track_caller]
    pub fn random_key_with(&self, options: options::RandomKey) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.key");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Normal numbers of the written type, of mean 0 and variance 1; of complex ones both parts have variance 1/2. By the recipe of `jax.random.normal`: `√2 · erf_inv(u)` with `u` uniform between −1 and 1, both left out; the parts of a complex number have keys of their own. They differ from JAX's where `erf_inv` is rounded otherwise.
    ///
    /// # Errors
    /// Those of the op `random.normal`.
    #[track_caller]
    pub fn random_normal(&self, dtype: DType, shape: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.normal");
        generated_1(&ROW, &[self], vec![], Some((dtype, shape.into_dims())), Location::caller())
    }
    /// The operand with its indices along `axis` (0 unless given) in random order, the same for all other axes: that of `jax.random.permutation`. Indices are sorted by random bits as often as makes collisions of these of no account: `⌈3 ln n / ln (2³² − 1)⌉` times.
    ///
    /// # Errors
    /// Those of the op `random.permutation`.
    #[track_caller]
    pub fn random_permutation(&self, x: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.permutation");
        generated_1(&ROW, &[self, x], vec![], None, Location::caller())
    }
    /// The operand with its indices along `axis` (0 unless given) in random order, the same for all other axes: that of `jax.random.permutation`. Indices are sorted by random bits as often as makes collisions of these of no account: `⌈3 ln n / ln (2³² − 1)⌉` times.
    ///
    /// The options are `axis`.
    ///
    /// # Errors
    /// Those of the op `random.permutation`.
    #[track_caller]
    pub fn random_permutation_with(
        &self,
        x: &TracedTensor,
        options: options::RandomPermutation,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.permutation");
        generated_1(&ROW, &[self, x], options.0, None, Location::caller())
    }
    /// `num` new keys from a key (2 unless given), along a new first axis: those of `jax.random.split`.
    ///
    /// # Errors
    /// Those of the op `random.split`.
    #[track_caller]
    pub fn random_split(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.split");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `num` new keys from a key (2 unless given), along a new first axis: those of `jax.random.split`.
    ///
    /// The options are `num`.
    ///
    /// # Errors
    /// Those of the op `random.split`.
    #[track_caller]
    pub fn random_split_with(&self, options: options::RandomSplit) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.split");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Real numbers of the written type, uniform from 0 to 1 without 1, or between two scalars: `random.uniform(%key, %low, %high)`. They are those of `jax.random.uniform`: random bits as the mantissa of a number from 1 to 2, less 1, times `high − low`, plus `low`, and at least `low` (where XLA contracts that product and sum, it rounds the last bit otherwise).
    ///
    /// # Errors
    /// Those of the op `random.uniform`.
    #[track_caller]
    pub fn random_uniform(&self, others: &[&TracedTensor], dtype: DType, shape: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("random.uniform");
        generated_1(&ROW, &[&[self][..], others].concat(), vec![], Some((dtype, shape.into_dims())), Location::caller())
    }
    /// Real part; a real number is its own. Linear over the reals: the transpose of a cotangent `c` is `c + 0i`.
    ///
    /// # Errors
    /// Those of the op `real`.
    #[track_caller]
    pub fn real(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("real");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Bitwise and over `axes`; `true` or all ones where there is no element.
    ///
    /// # Errors
    /// Those of the op `reduce_and`.
    #[track_caller]
    pub fn reduce_and(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("reduce_and");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// Greatest element over `axes`; NaN where there is one; −inf or the least integer where there is no element. The derivative is shared evenly among equal greatest elements.
    ///
    /// # Errors
    /// Those of the op `reduce_max`.
    #[track_caller]
    pub fn reduce_max(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("reduce_max");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// Least element over `axes`; NaN where there is one; inf or the greatest integer where there is no element. The derivative is shared evenly among equal least elements.
    ///
    /// # Errors
    /// Those of the op `reduce_min`.
    #[track_caller]
    pub fn reduce_min(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("reduce_min");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// Bitwise or over `axes`; `false` or 0 where there is no element.
    ///
    /// # Errors
    /// Those of the op `reduce_or`.
    #[track_caller]
    pub fn reduce_or(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("reduce_or");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// Rounds to what a format with so many exponent and mantissa bits can hold (ties to even; overflow becomes infinite, subnormals of the format become zero). Derivative: tangents and cotangents are rounded in the same way.
    ///
    /// # Errors
    /// Those of the op `reduce_precision`.
    #[track_caller]
    pub fn reduce_precision(&self, exponent: i64, mantissa: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("reduce_precision");
        generated_1(
            &ROW,
            &[self],
            vec![("exponent", exponent.into()), ("mantissa", mantissa.into())],
            None,
            Location::caller(),
        )
    }
    /// Product over `axes`; 1 where there is nothing to multiply. Integers wrap. Its derivative is exact where elements are 0: it multiplies all others and never divides.
    ///
    /// # Errors
    /// Those of the op `reduce_prod`.
    #[track_caller]
    pub fn reduce_prod(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("reduce_prod");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// Sum over `axes`; 0 where there is nothing to add. Integers wrap. The order of additions is not fixed, but gives the same bits for any number of threads.
    ///
    /// # Errors
    /// Those of the op `reduce_sum`.
    #[track_caller]
    pub fn reduce_sum(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("reduce_sum");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// Bitwise exclusive or over `axes`; `false` or 0 where there is no element.
    ///
    /// # Errors
    /// Those of the op `reduce_xor`.
    #[track_caller]
    pub fn reduce_xor(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("reduce_xor");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// `max(x, 0)`, elementwise, with slope 0 at 0, as `jax.nn` has it; NaN stays NaN.
    ///
    /// # Errors
    /// Those of the op `relu`.
    #[track_caller]
    pub fn relu(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("relu");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Remainder, with the sign of the dividend `x`; for integers `x` rem 0 is `x`. Derivative: `dx - trunc(x/y) dy`. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `rem`.
    #[track_caller]
    pub fn rem(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("rem");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Reverses the order of elements along `axes`.
    ///
    /// # Errors
    /// Those of the op `reverse`.
    #[track_caller]
    pub fn reverse(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("reverse");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// `x / sqrt(mean(x^2) + eps)` over `axes`, then times `scale` where it is given: `rms_norm(%x, %scale, axes = \[1\])`. It has the extents of `x` along `axes`, in that order (Zhang and Sennrich, arXiv 1910.07467).
    ///
    /// # Errors
    /// Those of the op `rms_norm`.
    #[track_caller]
    pub fn rms_norm(&self, others: &[&TracedTensor], axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("rms_norm");
        generated_1(
            &ROW,
            &[&[self][..], others].concat(),
            vec![("axes", Value::Ints(axes.into_ints()))],
            None,
            Location::caller(),
        )
    }
    /// `x / sqrt(mean(x^2) + eps)` over `axes`, then times `scale` where it is given: `rms_norm(%x, %scale, axes = \[1\])`. It has the extents of `x` along `axes`, in that order (Zhang and Sennrich, arXiv 1910.07467).
    ///
    /// The options are `eps`.
    ///
    /// # Errors
    /// Those of the op `rms_norm`.
    #[track_caller]
    pub fn rms_norm_with(
        &self,
        others: &[&TracedTensor],
        axes: impl IntoInts,
        options: options::RmsNorm,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("rms_norm");
        generated_1(
            &ROW,
            &[&[self][..], others].concat(),
            options.with(vec![("axes", Value::Ints(axes.into_ints()))]),
            None,
            Location::caller(),
        )
    }
    /// Moves every element `shift` places up along `axis`, round its end: element `i` becomes element `i + shift` modulo the extent. A negative `shift` moves down.
    ///
    /// # Errors
    /// Those of the op `roll`.
    #[track_caller]
    pub fn roll(&self, shift: i64, axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("roll");
        generated_1(&ROW, &[self], vec![("shift", shift.into()), ("axis", axis.into())], None, Location::caller())
    }
    /// The nearest integer; halves go away from zero.
    ///
    /// # Errors
    /// Those of the op `round`.
    #[track_caller]
    pub fn round(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("round");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// The nearest integer; halves go to the even one.
    ///
    /// # Errors
    /// Those of the op `round_even`.
    #[track_caller]
    pub fn round_even(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("round_even");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `1/sqrt(x)`. Derivative: `-0.5 rsqrt(x)/x`.
    ///
    /// # Errors
    /// Those of the op `rsqrt`.
    #[track_caller]
    pub fn rsqrt(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("rsqrt");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `x` with the windows of `updates` combined into it at the places that `index` names: they replace what is there (`combine = set`) or are added, multiplied, or the lesser or greater is kept. Several updates of one element take effect one after the other, in logical order of `updates` (last axis fastest): of several that `set` it, the last stays. In place of `combine` a region may say what becomes of an element and an update of it: `{ combine(%old: T\[\], %new: T\[\]) {… yield %r } }`.
    ///
    /// # Errors
    /// Those of the op `scatter`.
    #[track_caller]
    pub fn scatter(&self, index: &TracedTensor, updates: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("scatter");
        generated_1(&ROW, &[self, index, updates], vec![], None, Location::caller())
    }
    /// `x` with the windows of `updates` combined into it at the places that `index` names: they replace what is there (`combine = set`) or are added, multiplied, or the lesser or greater is kept. Several updates of one element take effect one after the other, in logical order of `updates` (last axis fastest): of several that `set` it, the last stays. In place of `combine` a region may say what becomes of an element and an update of it: `{ combine(%old: T\[\], %new: T\[\]) {… yield %r } }`.
    ///
    /// The options are `update_window_dims`, `inserted_window_dims`, `input_batching_dims`, `scatter_indices_batching_dims`, `scatter_dims_to_operand_dims`, `index_vector_dim`, `combine`, `out_of_bounds`.
    ///
    /// # Errors
    /// Those of the op `scatter`.
    #[track_caller]
    pub fn scatter_with(
        &self,
        index: &TracedTensor,
        updates: &TracedTensor,
        options: options::Scatter,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("scatter");
        generated_1(&ROW, &[self, index, updates], options.0, None, Location::caller())
    }
    /// `x` with `u` added at the indices `i` along `axis`: what `take` reads is added to, where an index occurs more than once as often. The axes of `u` are those of `x`, with the axes of `i` in the place of `axis`. An index outside is dropped. It is the transpose of `take`.
    ///
    /// # Errors
    /// Those of the op `scatter_add`.
    #[track_caller]
    pub fn scatter_add(&self, i: &TracedTensor, u: &TracedTensor, axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("scatter_add");
        generated_1(&ROW, &[self, i, u], vec![("axis", axis.into())], None, Location::caller())
    }
    /// The element of `t` where `p` is true, else that of `f`. `p` is a scalar or has the shape of `t`. Derivative: that of the element chosen. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `select`.
    #[track_caller]
    pub fn select(&self, t: &TracedTensor, f: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("select");
        TracedTensor::elementwise(&ROW, &[self, t, f], Location::caller())
    }
    /// Shifts bits up by `n`, read as unsigned; 0 where `n` is the width or more. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `shl`.
    #[track_caller]
    pub fn shl(&self, n: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("shl");
        TracedTensor::elementwise(&ROW, &[self, n], Location::caller())
    }
    /// Shifts bits down by `n`, read as unsigned, and fills with the sign bit of `x`, of unsigned dtypes too. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `shr_arith`.
    #[track_caller]
    pub fn shr_arith(&self, n: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("shr_arith");
        TracedTensor::elementwise(&ROW, &[self, n], Location::caller())
    }
    /// Shifts bits down by `n`, read as unsigned, and fills with zeros; 0 where `n` is the width or more. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `shr_logical`.
    #[track_caller]
    pub fn shr_logical(&self, n: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("shr_logical");
        TracedTensor::elementwise(&ROW, &[self, n], Location::caller())
    }
    /// -1, 0 or 1; of a complex number `z/|z|`, 0 at 0. Zeros keep their sign, NaN stays. Derivative: 0; for complex `z`, `i sign(z) Im(conj(sign(z)) dz) / |z|`, 0 at 0.
    ///
    /// # Errors
    /// Those of the op `sign`.
    #[track_caller]
    pub fn sign(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("sign");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// `x * logistic(x)`, elementwise (also named swish).
    ///
    /// # Errors
    /// Those of the op `silu`.
    #[track_caller]
    pub fn silu(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("silu");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Sine. Derivative: `cos(x)`.
    ///
    /// # Errors
    /// Those of the op `sin`.
    #[track_caller]
    pub fn sin(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("sin");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Hyperbolic sine. Derivative: `cosh(x)`.
    ///
    /// # Errors
    /// Those of the op `sinh`.
    #[track_caller]
    pub fn sinh(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("sinh");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Every `stride`-th element from `start` up to but not including `limit`, along each axis: all three lists have one entry per axis, `stride` is 1 everywhere unless given. `0 \<= start \<= limit \<= n` holds or is checked at run time; the extent of the result is `ceildiv(limit - start, stride)`.
    ///
    /// # Errors
    /// Those of the op `slice`.
    #[track_caller]
    pub fn slice_range(&self, start: impl IntoDims, limit: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("slice");
        generated_1(&ROW, &[self], vec![("start", dims(start)), ("limit", dims(limit))], None, Location::caller())
    }
    /// Every `stride`-th element from `start` up to but not including `limit`, along each axis: all three lists have one entry per axis, `stride` is 1 everywhere unless given. `0 \<= start \<= limit \<= n` holds or is checked at run time; the extent of the result is `ceildiv(limit - start, stride)`.
    ///
    /// The options are `stride`.
    ///
    /// # Errors
    /// Those of the op `slice`.
    #[track_caller]
    pub fn slice_range_with(
        &self,
        start: impl IntoDims,
        limit: impl IntoDims,
        options: options::SliceRange,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("slice");
        generated_1(
            &ROW,
            &[self],
            options.with(vec![("start", dims(start)), ("limit", dims(limit))]),
            None,
            Location::caller(),
        )
    }
    /// `exp(x) / sum(exp(x))` along `axis` without overflow. With `divide = true` each element is divided by the sum, else multiplied by its reciprocal.
    ///
    /// # Errors
    /// Those of the op `softmax`.
    #[track_caller]
    pub fn softmax(&self, axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("softmax");
        generated_1(&ROW, &[self], vec![("axis", axis.into())], None, Location::caller())
    }
    /// `exp(x) / sum(exp(x))` along `axis` without overflow. With `divide = true` each element is divided by the sum, else multiplied by its reciprocal.
    ///
    /// The options are `divide`.
    ///
    /// # Errors
    /// Those of the op `softmax`.
    #[track_caller]
    pub fn softmax_with(&self, axis: i64, options: options::Softmax) -> Result<TracedTensor> {
        static ROW: Row = Row::of("softmax");
        generated_1(&ROW, &[self], options.with(vec![("axis", axis.into())]), None, Location::caller())
    }
    /// `log(1 + exp(x))`, elementwise, without overflow; its derivative is `logistic(x)`.
    ///
    /// # Errors
    /// Those of the op `softplus`.
    #[track_caller]
    pub fn softplus(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("softplus");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Permutes its operands alike along `axis` (the last unless given), so that the first `keys` of them ascend: by the first, where that is equal by the second, and so on. −0 equals 0, NaN comes last and equals NaN, `false` comes before `true`. Equal keys keep their order; `stable = false` gives that up. In place of `keys` a region may say which element comes first: `comparator(%a0: T0, %b0: T0, %a1: T1, %b1: T1, …)` gets the elements at two places of each operand and yields one `bool\[\]`, true where the first place comes before the second. The derivative holds the permutation fixed.
    ///
    /// # Errors
    /// Those of the op `sort`.
    #[track_caller]
    pub fn sort(&self, others: &[&TracedTensor]) -> Result<Vec<TracedTensor>> {
        static ROW: Row = Row::of("sort");
        generated(&ROW, &[&[self][..], others].concat(), vec![], None, Location::caller())
    }
    /// Permutes its operands alike along `axis` (the last unless given), so that the first `keys` of them ascend: by the first, where that is equal by the second, and so on. −0 equals 0, NaN comes last and equals NaN, `false` comes before `true`. Equal keys keep their order; `stable = false` gives that up. In place of `keys` a region may say which element comes first: `comparator(%a0: T0, %b0: T0, %a1: T1, %b1: T1, …)` gets the elements at two places of each operand and yields one `bool\[\]`, true where the first place comes before the second. The derivative holds the permutation fixed.
    ///
    /// The options are `axis`, `keys`, `stable`.
    ///
    /// # Errors
    /// Those of the op `sort`.
    #[track_caller]
    pub fn sort_with(&self, others: &[&TracedTensor], options: options::Sort) -> Result<Vec<TracedTensor>> {
        static ROW: Row = Row::of("sort");
        generated(&ROW, &[&[self][..], others].concat(), options.0, None, Location::caller())
    }
    /// Square root; NaN for negative reals, the principal branch for complex numbers. Derivative: `0.5/sqrt(x)`, infinite at 0.
    ///
    /// # Errors
    /// Those of the op `sqrt`.
    #[track_caller]
    pub fn sqrt(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("sqrt");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Joins tensors of one type along a new axis `axis` (0 unless given).
    ///
    /// # Errors
    /// Those of the op `stack`.
    #[track_caller]
    pub fn stack(&self, others: &[&TracedTensor]) -> Result<TracedTensor> {
        static ROW: Row = Row::of("stack");
        generated_1(&ROW, &[&[self][..], others].concat(), vec![], None, Location::caller())
    }
    /// Joins tensors of one type along a new axis `axis` (0 unless given).
    ///
    /// The options are `axis`.
    ///
    /// # Errors
    /// Those of the op `stack`.
    #[track_caller]
    pub fn stack_with(&self, others: &[&TracedTensor], options: options::Stack) -> Result<TracedTensor> {
        static ROW: Row = Row::of("stack");
        generated_1(&ROW, &[&[self][..], others].concat(), options.0, None, Location::caller())
    }
    /// Its operand, through which no derivative flows.
    ///
    /// # Errors
    /// Those of the op `stop_gradient`.
    #[track_caller]
    pub fn stop_gradient(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("stop_gradient");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Difference; integers wrap. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `sub`.
    #[track_caller]
    pub fn sub(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("sub");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// The elements of `x` at the indices `i` along `axis`: the axes of `i` stand in the place of that axis. An index outside is moved inside, or, with `out_of_bounds = zero`, reads zeros.
    ///
    /// # Errors
    /// Those of the op `take`.
    #[track_caller]
    pub fn take(&self, i: &TracedTensor, axis: i64) -> Result<TracedTensor> {
        static ROW: Row = Row::of("take");
        generated_1(&ROW, &[self, i], vec![("axis", axis.into())], None, Location::caller())
    }
    /// The elements of `x` at the indices `i` along `axis`: the axes of `i` stand in the place of that axis. An index outside is moved inside, or, with `out_of_bounds = zero`, reads zeros.
    ///
    /// The options are `out_of_bounds`.
    ///
    /// # Errors
    /// Those of the op `take`.
    #[track_caller]
    pub fn take_with(&self, i: &TracedTensor, axis: i64, options: options::Take) -> Result<TracedTensor> {
        static ROW: Row = Row::of("take");
        generated_1(&ROW, &[self, i], options.with(vec![("axis", axis.into())]), None, Location::caller())
    }
    /// The first elements along `axis`, as many as the written type says: the way to cut to an extent that a value has decided.
    ///
    /// # Errors
    /// Those of the op `take_prefix`.
    #[track_caller]
    pub fn take_prefix(&self, axis: i64, dtype: DType, shape: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("take_prefix");
        generated_1(&ROW, &[self], vec![("axis", axis.into())], Some((dtype, shape.into_dims())), Location::caller())
    }
    /// Tangent. Derivative: `1 + tan(x)^2`.
    ///
    /// # Errors
    /// Those of the op `tan`.
    #[track_caller]
    pub fn tan(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("tan");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Hyperbolic tangent. Derivative: `1 - tanh(x)^2`, of reals without cancelling where that is nearly 0.
    ///
    /// # Errors
    /// Those of the op `tanh`.
    #[track_caller]
    pub fn tanh(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("tanh");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// The `k` greatest elements along the last axis, descending, and their indices there as `i64`. Of equal elements that of the lower index comes first; NaN counts as greatest. The derivative of a value is that of the element it is.
    ///
    /// # Errors
    /// Those of the op `top_k`.
    #[track_caller]
    pub fn top_k(&self, k: impl Into<Dim>) -> Result<[TracedTensor; 2]> {
        static ROW: Row = Row::of("top_k");
        generated_n(&ROW, &[self], vec![("k", Value::Dims(vec![k.into()]))], None, Location::caller())
    }
    /// Permutes axes: axis `i` of the result is axis `perm\[i\]` of the operand.
    ///
    /// # Errors
    /// Those of the op `transpose`.
    #[track_caller]
    pub fn transpose(&self, perm: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("transpose");
        generated_1(&ROW, &[self], vec![("perm", Value::Ints(perm.into_ints()))], None, Location::caller())
    }
    /// Lower triangle of matrices: element `\[i, j\]` is kept where `j - i \<= k`, elsewhere 0 (`false`). Matrices are the two leading axes, batch axes trail.
    ///
    /// # Errors
    /// Those of the op `tril`.
    #[track_caller]
    pub fn tril(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("tril");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Lower triangle of matrices: element `\[i, j\]` is kept where `j - i \<= k`, elsewhere 0 (`false`). Matrices are the two leading axes, batch axes trail.
    ///
    /// The options are `k`.
    ///
    /// # Errors
    /// Those of the op `tril`.
    #[track_caller]
    pub fn tril_with(&self, options: options::Tril) -> Result<TracedTensor> {
        static ROW: Row = Row::of("tril");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// Upper triangle of matrices: element `\[i, j\]` is kept where `j - i >= k`, elsewhere 0 (`false`). Matrices are the two leading axes, batch axes trail.
    ///
    /// # Errors
    /// Those of the op `triu`.
    #[track_caller]
    pub fn triu(&self) -> Result<TracedTensor> {
        static ROW: Row = Row::of("triu");
        generated_1(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Upper triangle of matrices: element `\[i, j\]` is kept where `j - i >= k`, elsewhere 0 (`false`). Matrices are the two leading axes, batch axes trail.
    ///
    /// The options are `k`.
    ///
    /// # Errors
    /// Those of the op `triu`.
    #[track_caller]
    pub fn triu_with(&self, options: options::Triu) -> Result<TracedTensor> {
        static ROW: Row = Row::of("triu");
        generated_1(&ROW, &[self], options.0, None, Location::caller())
    }
    /// The distinct elements, ascending: `%v: f64\[?r\], %inverse: i64\[n\], %counts: i64\[?r\] = unique(%x)`. `inverse` has the operand's shape and says at each element which of them it is; `counts` says how often each occurs. NaN equals NaN and comes last, −0 equals 0. Each value is that of its first occurrence in logical order, and its derivative goes there.
    ///
    /// # Errors
    /// Those of the op `unique`.
    #[track_caller]
    pub fn unique(&self) -> Result<[TracedTensor; 3]> {
        static ROW: Row = Row::of("unique");
        generated_n(&ROW, &[self], vec![], None, Location::caller())
    }
    /// Variance over `axes`: the sum of `|x - mean|^2` divided by the number of elements less `correction` (0: of a whole population, 1: Bessel's estimate from a sample). NaN where that number is not positive. Of complex numbers the result is real.
    ///
    /// # Errors
    /// Those of the op `var`.
    #[track_caller]
    pub fn var(&self, axes: impl IntoInts) -> Result<TracedTensor> {
        static ROW: Row = Row::of("var");
        generated_1(&ROW, &[self], vec![("axes", Value::Ints(axes.into_ints()))], None, Location::caller())
    }
    /// Variance over `axes`: the sum of `|x - mean|^2` divided by the number of elements less `correction` (0: of a whole population, 1: Bessel's estimate from a sample). NaN where that number is not positive. Of complex numbers the result is real.
    ///
    /// The options are `correction`.
    ///
    /// # Errors
    /// Those of the op `var`.
    #[track_caller]
    pub fn var_with(&self, axes: impl IntoInts, options: options::Var) -> Result<TracedTensor> {
        static ROW: Row = Row::of("var");
        generated_1(
            &ROW,
            &[self],
            options.with(vec![("axes", Value::Ints(axes.into_ints()))]),
            None,
            Location::caller(),
        )
    }
    /// Sliding windows along `axes`: axis `axes\[i\]` of extent `n` becomes the axis that counts windows, and the elements of a window, `size\[i\]` of them, become a new axis behind all others, in the order of `axes`. Windows start `stride\[i\]` elements apart (1 unless given) and their elements are `dilation\[i\]` apart (1 unless given); there are as many as lie inside: `floordiv(n - (size - 1)*dilation - 1, stride) + 1`, or none. `size`, `stride` and `dilation` are at least 1, or this is checked at run time.
    ///
    /// # Errors
    /// Those of the op `windows`.
    #[track_caller]
    pub fn windows(&self, axes: impl IntoInts, size: impl IntoDims) -> Result<TracedTensor> {
        static ROW: Row = Row::of("windows");
        generated_1(
            &ROW,
            &[self],
            vec![("axes", Value::Ints(axes.into_ints())), ("size", dims(size))],
            None,
            Location::caller(),
        )
    }
    /// Sliding windows along `axes`: axis `axes\[i\]` of extent `n` becomes the axis that counts windows, and the elements of a window, `size\[i\]` of them, become a new axis behind all others, in the order of `axes`. Windows start `stride\[i\]` elements apart (1 unless given) and their elements are `dilation\[i\]` apart (1 unless given); there are as many as lie inside: `floordiv(n - (size - 1)*dilation - 1, stride) + 1`, or none. `size`, `stride` and `dilation` are at least 1, or this is checked at run time.
    ///
    /// The options are `stride`, `dilation`.
    ///
    /// # Errors
    /// Those of the op `windows`.
    #[track_caller]
    pub fn windows_with(
        &self,
        axes: impl IntoInts,
        size: impl IntoDims,
        options: options::Windows,
    ) -> Result<TracedTensor> {
        static ROW: Row = Row::of("windows");
        generated_1(
            &ROW,
            &[self],
            options.with(vec![("axes", Value::Ints(axes.into_ints())), ("size", dims(size))]),
            None,
            Location::caller(),
        )
    }
    /// One, not both; bitwise for integers. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `xor`.
    #[track_caller]
    pub fn xor(&self, y: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("xor");
        TracedTensor::elementwise(&ROW, &[self, y], Location::caller())
    }
    /// Hurwitz zeta function: the sum of `(k + q)^-s` over k = 0, 1, …; NaN for `s \< 1`. Derivative in `q`: `-s zeta(s + 1, q)` (DLMF 25.11.17); none in `s`. Operands are repeated to one shape.
    ///
    /// # Errors
    /// Those of the op `zeta`.
    #[track_caller]
    pub fn zeta(&self, q: &TracedTensor) -> Result<TracedTensor> {
        static ROW: Row = Row::of("zeta");
        TracedTensor::elementwise(&ROW, &[self, q], Location::caller())
    }
}
