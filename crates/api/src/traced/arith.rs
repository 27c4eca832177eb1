//! What traced tensors offer beyond one method a row: constants, operators with broadcasting, matrix products, changes of shape.
use super::dim::{Dim, IntoDims};
use super::graph::{NewNode, TracedTensor, placed};
use crate::value::{Row, element};
use std::panic::Location;
use tfc_ir::ops::composite::matmul_dims;
use tfc_ir::ops::contract::DOT_GENERAL;
use tfc_ir::ops::elementwise::{BITCAST, CONVERT};
use tfc_ir::ops::reduce::REDUCE_SUM;
use tfc_ir::ops::shape::{BROADCAST_IN_DIM, RESHAPE, TRANSPOSE};
use tfc_ir::ops::{constant, extents};
use tfc_ir::{Attr, C64, Code, DType, Element, Error, OpDef, Result, Tensor};

type Place = &'static Location<'static>;

pub use crate::value::Scalar;

impl TracedTensor {
    /// A constant, which stands in the text of the program.
    ///
    /// # Errors
    /// Those of the op `const`.
    #[track_caller]
    pub fn constant(value: Tensor) -> Result<TracedTensor> {
        NewNode::new(&constant::CONST, &[]).attr("value", Attr::Tensor(value)).one(Location::caller())
    }
    /// A constant scalar.
    ///
    /// # Errors
    /// Those of the op `const`.
    #[track_caller]
    pub fn scalar<T: Element>(x: T) -> Result<TracedTensor> {
        TracedTensor::constant(Tensor::scalar(x))
    }
    /// Every element the same.
    ///
    /// # Errors
    /// `E1029` a number that is no element of that dtype, `E0405` extents that overflow.
    #[track_caller]
    pub fn full(x: impl Into<Scalar>, dtype: DType, shape: impl IntoDims) -> Result<TracedTensor> {
        splat(x.into(), dtype, &shape.into_dims(), Location::caller())
    }
    /// Zeros. Errors as [`TracedTensor::full`].
    ///
    /// # Errors
    /// As [`TracedTensor::full`].
    #[track_caller]
    pub fn zeros(dtype: DType, shape: impl IntoDims) -> Result<TracedTensor> {
        splat(Scalar(C64::new(0.0, 0.0)), dtype, &shape.into_dims(), Location::caller())
    }
    /// Ones.
    ///
    /// # Errors
    /// As [`TracedTensor::full`].
    #[track_caller]
    pub fn ones(dtype: DType, shape: impl IntoDims) -> Result<TracedTensor> {
        splat(Scalar(C64::new(1.0, 0.0)), dtype, &shape.into_dims(), Location::caller())
    }
    /// Zeros of this tensor's type.
    ///
    /// # Errors
    /// None that a tensor could lead to.
    #[track_caller]
    pub fn zeros_like(&self) -> Result<TracedTensor> {
        self.beside(0.0.into())
    }
    /// Ones of this tensor's type.
    ///
    /// # Errors
    /// None that a tensor could lead to.
    #[track_caller]
    pub fn ones_like(&self) -> Result<TracedTensor> {
        self.beside(1.0.into())
    }
    /// Each element is its index along `axis`.
    ///
    /// # Errors
    /// `E0203` for `bool`, `E0212` where there is no such axis.
    #[track_caller]
    pub fn iota(dtype: DType, shape: impl IntoDims, axis: usize) -> Result<TracedTensor> {
        TracedTensor::iota_at(dtype, &shape.into_dims(), axis, Location::caller())
    }
    pub(crate) fn iota_at(dtype: DType, dims: &[Dim], axis: usize, place: Place) -> Result<TracedTensor> {
        let axis = Attr::Int(axis.try_into().unwrap_or(i64::MAX));
        NewNode::new(&constant::IOTA, &[]).attr("axis", axis).typed(dtype, dims)?.one(place)
    }
    /// An extent as an `i64` scalar.
    ///
    /// # Errors
    /// Those of the op `dim_value`.
    #[track_caller]
    pub fn dim_value(dim: impl Into<Dim>) -> Result<TracedTensor> {
        NewNode::new(&extents::DIM_VALUE, &[]).extents("extent", &[dim.into()])?.one(Location::caller())
    }
    /// To another dtype.
    ///
    /// # Errors
    /// Those of the op `convert`.
    #[track_caller]
    pub fn convert(&self, dtype: DType) -> Result<TracedTensor> {
        self.to(&CONVERT, dtype, Location::caller())
    }
    /// The same bits as elements of another dtype of the same size.
    ///
    /// # Errors
    /// Those of the op `bitcast`.
    #[track_caller]
    pub fn bitcast(&self, dtype: DType) -> Result<TracedTensor> {
        self.to(&BITCAST, dtype, Location::caller())
    }
    fn to(&self, row: &'static OpDef, dtype: DType, place: Place) -> Result<TracedTensor> {
        NewNode::new(row, &[self]).typed(dtype, &self.dims())?.one(place)
    }
    /// The same elements in another shape, the first axis fastest: costs nothing on column-major data.
    ///
    /// # Errors
    /// `E0204` where the number of elements certainly differs; where it may, the run checks it (`E0420`).
    #[track_caller]
    pub fn reshape(&self, shape: impl IntoDims) -> Result<TracedTensor> {
        let new = NewNode::new(&RESHAPE, &[self]).attr("order", Attr::word("first"));
        new.typed(self.dtype(), &shape.into_dims())?.one(Location::caller())
    }
    /// The same elements in another shape, the last axis fastest, as in NumPy.
    ///
    /// # Errors
    /// As [`TracedTensor::reshape`].
    #[track_caller]
    pub fn reshape_c(&self, shape: impl IntoDims) -> Result<TracedTensor> {
        NewNode::new(&RESHAPE, &[self]).typed(self.dtype(), &shape.into_dims())?.one(Location::caller())
    }
    /// Axis `i` becomes axis `dims[i]` of the new shape; every other axis of it is new.
    ///
    /// # Errors
    /// Those of the op `broadcast_in_dim`.
    #[track_caller]
    pub fn broadcast_in_dim(&self, shape: impl IntoDims, dims: &[usize]) -> Result<TracedTensor> {
        let new = NewNode::new(&BROADCAST_IN_DIM, &[self]).attr("dims", Attr::ints(dims));
        new.typed(self.dtype(), &shape.into_dims())?.one(Location::caller())
    }
    /// Repeated to a shape as NumPy does it: axes are counted from the last; new ones come in front; extent 1 repeats.
    ///
    /// # Errors
    /// `E0204` where an extent differs and is not 1, `E0205` where the shape has fewer axes.
    #[track_caller]
    pub fn broadcast_to(&self, shape: impl IntoDims) -> Result<TracedTensor> {
        self.repeated(&shape.into_dims(), Location::caller())
    }
    fn repeated(&self, dims: &[Dim], place: Place) -> Result<TracedTensor> {
        let own = self.dims();
        if own == dims {
            return Ok(self.clone());
        }
        let Some(first) = dims.len().checked_sub(own.len()) else {
            let text = format!("a tensor of rank {} does not repeat to one of rank {}", own.len(), dims.len());
            return Err(placed(Error::new(Code::E0205, text), place));
        };
        let axes: Vec<usize> = (first..dims.len()).collect();
        let new = NewNode::new(&BROADCAST_IN_DIM, &[self]).attr("dims", Attr::ints(&axes));
        new.typed(self.dtype(), dims)?.one(place)
    }
    /// The matrix product; a vector on the left is a row, on the right a column. Axes before the last two are those of a batch: both
    /// operands have the same ones, or one has none and is shared.
    ///
    /// # Errors
    /// `E0205` for scalars and for batches of another number of axes, `E0202` for other dtypes than the operand's, `E0204` where
    /// extents differ.
    #[track_caller]
    pub fn matmul(&self, other: &TracedTensor) -> Result<TracedTensor> {
        let place = Location::caller();
        let dims = matmul_dims(self.rank(), other.rank()).map_err(|e| placed(e, place))?;
        let new =
            dims.attrs().iter().fold(NewNode::new(&DOT_GENERAL, &[self, other]), |n, (k, a)| n.attr(k, a.clone()));
        new.one(place)
    }
    /// A matrix with its axes exchanged; of other ranks, all axes in reverse.
    ///
    /// # Errors
    /// None that a tensor could lead to.
    #[track_caller]
    pub fn t(&self) -> Result<TracedTensor> {
        let perm: Vec<usize> = (0..self.rank()).rev().collect();
        NewNode::new(&TRANSPOSE, &[self]).attr("perm", Attr::ints(&perm)).one(Location::caller())
    }
    /// The sum of all elements.
    ///
    /// # Errors
    /// `E0203` for `bool`.
    #[track_caller]
    pub fn sum(&self) -> Result<TracedTensor> {
        let axes: Vec<usize> = (0..self.rank()).collect();
        NewNode::new(&REDUCE_SUM, &[self]).attr("axes", Attr::ints(&axes)).one(Location::caller())
    }
    /// Random bits from a state: the state behind them, and an unsigned tensor of that shape. `algorithm` is one of those of the
    /// op `rng_bit_generator`.
    ///
    /// # Errors
    /// Those of the op.
    #[track_caller]
    pub fn rng_bit_generator(&self, algorithm: &str, dtype: DType, shape: impl IntoDims) -> Result<[TracedTensor; 2]> {
        let place = Location::caller();
        static ROW: Row = Row::of("rng_bit_generator");
        let name = ROW.name();
        let new = NewNode::new(ROW.find()?, &[self]).attr("algorithm", Attr::word(algorithm));
        let mut new = new.typed(dtype, &shape.into_dims())?;
        let all = new.names.with(self.names());
        let bits = new.declared.take().unwrap_or_default();
        let mut types = vec![self.names().lift_type(self.ty(), &all)?];
        for t in &bits {
            types.push(new.names.lift_type(t, &all)?);
        }
        (new.names, new.declared) = (all, Some(types));
        let all = new.add(place)?;
        all.try_into().map_err(|_| placed(Error::new(Code::E0211, format!("`{name}` gives other results")), place))
    }
    /// An elementwise op on operands that are repeated to one shape.
    pub(crate) fn elementwise(row: &Row, operands: &[&TracedTensor], place: Place) -> Result<TracedTensor> {
        let row = row.find()?;
        let mut shape: Vec<Dim> = vec![];
        for t in operands {
            let dims = t.dims();
            for (i, d) in dims.into_iter().rev().enumerate() {
                let at = shape.len().checked_sub(i + 1);
                match at.and_then(|at| shape.get_mut(at)) {
                    None => shape.insert(0, d),
                    Some(s) if s.as_exact() == Some(1) => *s = d,
                    Some(_) => {}
                }
            }
        }
        let operands = operands.iter().map(|t| t.repeated(&shape, place)).collect::<Result<Vec<_>>>()?;
        NewNode::new(row, &operands.iter().collect::<Vec<_>>()).one(place)
    }
    /// A number as a tensor of this one's type.
    #[track_caller]
    pub(crate) fn beside(&self, x: Scalar) -> Result<TracedTensor> {
        splat(x, self.dtype(), &self.dims(), Location::caller())
    }
}
fn splat(x: Scalar, dtype: DType, dims: &[Dim], place: Place) -> Result<TracedTensor> {
    let value = element(dtype, x).map_err(|e| placed(e, place))?;
    let name = if dims.is_empty() { "value" } else { "splat" };
    NewNode::new(&constant::CONST, &[]).attr(name, Attr::Tensor(value)).typed(dtype, dims)?.one(place)
}
crate::operators::operators!(TracedTensor);
