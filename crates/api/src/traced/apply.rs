//! Rows as methods: what the generated methods of `ops.rs` have in common, and the way in for rows of other crates.
use super::dim::Dim;
use super::graph::{Effect, NewNode, TracedTensor, placed};
use crate::value::{Options, Row, attr, no_slot};
use std::panic::Location;
use tfc_ir::op::{Slot, SlotKind};
use tfc_ir::{Code, DType, Error, OpDef, Result};

pub use crate::value::{IntoInts, Value};

impl NewNode {
    /// With an attribute as the row's slot of that name wants it.
    pub(crate) fn value(self, name: &str, value: Value) -> Result<NewNode> {
        let Some(slot) = self.def.slot(name) else {
            return Err(no_slot(self.def, name));
        };
        match (slot.kind, value) {
            (SlotKind::Extent | SlotKind::Extents, Value::Dims(d)) => self.extents(slot.name, &d),
            (SlotKind::Extent, Value::Int(n)) => self.extents(slot.name, &numbers(&[n], slot)?),
            (SlotKind::Extents, Value::Ints(v)) => self.extents(slot.name, &numbers(&v, slot)?),
            (kind, value) => Ok(self.attr(slot.name, attr(kind, value))),
        }
    }
}
fn numbers(v: &[i64], slot: &Slot) -> Result<Vec<Dim>> {
    let one = |&n: &i64| {
        usize::try_from(n).map(Dim::from).map_err(|_| {
            Error::new(Code::E0223, format!("attribute `{}` holds extents, and {n} is none", slot.name)).attr(slot.name)
        })
    };
    v.iter().map(one).collect()
}
/// An op on traced tensors, by its row: for rows of other crates, and for those chosen at run time. Attributes are checked
/// against the row; what it leaves out has its default.
///
/// ```
/// use tfc_api::prelude::*;
/// let x = TracedTensor::input("x", DType::F64, ["n"])?;
/// let [y] = &apply(&tfc_ir::ops::reduce::REDUCE_SUM, &[&x], [("axes", [0].into())])?[..] else { unreachable!() };
/// assert_eq!(y.to_string(), "f64[]");
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What inference of the row says of operands and attributes; `E0220` an attribute that the row does not have.
#[track_caller]
pub fn apply<'a>(
    row: &'static OpDef,
    operands: &[&TracedTensor],
    attrs: impl IntoIterator<Item = (&'a str, Value)>,
) -> Result<Vec<TracedTensor>> {
    let place = Location::caller();
    with(row, operands, attrs, place)?.add(place)
}
/// As [`apply`], of an op that gives nothing: `check_close`, `print` and the like. It is done where a tensor that is
/// [`after`](TracedTensor::after) it is computed.
///
/// # Errors
/// As [`apply`]; `E0211` where the op gives results.
#[track_caller]
pub fn effect<'a>(
    row: &'static OpDef,
    operands: &[&TracedTensor],
    attrs: impl IntoIterator<Item = (&'a str, Value)>,
) -> Result<Effect> {
    let place = Location::caller();
    with(row, operands, attrs, place)?.effect(place)
}
fn with<'a>(
    row: &'static OpDef,
    operands: &[&TracedTensor],
    attrs: impl IntoIterator<Item = (&'a str, Value)>,
    place: &'static Location<'static>,
) -> Result<NewNode> {
    let mut new = NewNode::new(row, operands);
    for (name, value) in attrs {
        new = new.value(name, value).map_err(|e| placed(e, place))?;
    }
    Ok(new)
}

/// What a generated method does.
pub(crate) fn generated(
    row: &Row,
    operands: &[&TracedTensor],
    attrs: Options,
    ty: Option<(DType, Vec<Dim>)>,
    place: &'static Location<'static>,
) -> Result<Vec<TracedTensor>> {
    let made = || {
        let mut new = NewNode::new(row.find()?, operands);
        if let Some((dtype, dims)) = ty {
            new = new.typed(dtype, &dims)?;
        }
        for (name, value) in attrs {
            new = new.value(name, value)?;
        }
        Ok(new)
    };
    made().map_err(|e| placed(e, place))?.add(place)
}
/// As [`generated`], of an op with `N` results.
pub(crate) fn generated_n<const N: usize>(
    row: &Row,
    operands: &[&TracedTensor],
    attrs: Options,
    ty: Option<(DType, Vec<Dim>)>,
    place: &'static Location<'static>,
) -> Result<[TracedTensor; N]> {
    let all = generated(row, operands, attrs, ty, place)?;
    let n = all.len();
    all.try_into()
        .map_err(|_| placed(Error::new(Code::E0211, format!("`{}` gives {n} results, not {N}", row.name())), place))
}
/// As [`generated`], of an op with one result.
pub(crate) fn generated_1(
    row: &Row,
    operands: &[&TracedTensor],
    attrs: Options,
    ty: Option<(DType, Vec<Dim>)>,
    place: &'static Location<'static>,
) -> Result<TracedTensor> {
    generated_n::<1>(row, operands, attrs, ty, place).map(|[t]| t)
}
