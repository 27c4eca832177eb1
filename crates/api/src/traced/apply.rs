//! Rows as methods: what the generated methods of `ops.rs` have in common, and the way in for rows of other crates.
use super::dim::{Dim, IntoDims};
use super::graph::{Effect, NewNode, TracedTensor, placed};
use std::panic::Location;
use std::sync::LazyLock;
use tfc_ir::op::{Slot, SlotKind};
use tfc_ir::{Attr, Code, DType, Error, OpDef, OpSet, Result, Tensor};

/// The built-in row of that name.
pub(crate) fn row(name: &str) -> Result<&'static OpDef> {
    static CORE: LazyLock<OpSet> = LazyLock::new(OpSet::core);
    CORE.get(name).ok_or_else(|| Error::new(Code::E0211, format!("there is no op `{name}`")))
}

/// What an attribute is given as. Integers, numbers, flags, words and text, lists of these, extents and tensors become one by
/// `into()`.
#[derive(Clone, Debug)]
pub enum Value {
    /// `2`
    Int(i64),
    /// `[0, 1]`
    Ints(Vec<i64>),
    /// `[[0], [1]]`
    IntLists(Vec<Vec<i64>>),
    /// `1e-6`
    Float(f64),
    /// `true`
    Bool(bool),
    /// A word or text.
    Text(String),
    /// A list of words.
    Words(Vec<String>),
    /// Extents.
    Dims(Vec<Dim>),
    /// Numbers.
    Tensor(Tensor),
}
macro_rules! value {
    ($($t:ty, $x:ident => $e:expr;)*) => { $(impl From<$t> for Value {
        fn from($x: $t) -> Value { $e }
    })* };
}
value! {
    i32, x => Value::Int(x.into());
    i64, x => Value::Int(x);
    usize, x => Value::Int(x.try_into().unwrap_or(i64::MAX));
    f64, x => Value::Float(x);
    bool, x => Value::Bool(x);
    &str, x => Value::Text(x.into());
    String, x => Value::Text(x);
    &[&str], x => Value::Words(x.iter().map(|w| (*w).to_owned()).collect());
    Dim, x => Value::Dims(vec![x]);
    Vec<Dim>, x => Value::Dims(x);
    &[Dim], x => Value::Dims(x.to_vec());
    &[i64], x => Value::Ints(x.to_vec());
    &[usize], x => Value::Ints(x.into_ints());
    &[&[usize]], x => Value::IntLists(x.iter().map(|l| l.into_ints()).collect());
    Tensor, x => Value::Tensor(x);
}
impl<const N: usize> From<[i64; N]> for Value {
    fn from(x: [i64; N]) -> Value {
        Value::Ints(x.to_vec())
    }
}
impl<const N: usize> From<[Dim; N]> for Value {
    fn from(x: [Dim; N]) -> Value {
        Value::Dims(x.to_vec())
    }
}

/// A list of integers: arrays, slices and vectors of any integer type.
pub trait IntoInts {
    /// The values as 64-bit integers; what does not fit is the largest, which no axis and no extent is.
    fn into_ints(self) -> Vec<i64>;
}
impl<I: Copy + TryInto<i64>, const N: usize> IntoInts for [I; N] {
    fn into_ints(self) -> Vec<i64> {
        ints(&self)
    }
}
impl<I: Copy + TryInto<i64>, const N: usize> IntoInts for &[I; N] {
    fn into_ints(self) -> Vec<i64> {
        ints(self)
    }
}
impl<I: Copy + TryInto<i64>> IntoInts for &[I] {
    fn into_ints(self) -> Vec<i64> {
        ints(self)
    }
}
impl<I: Copy + TryInto<i64>> IntoInts for Vec<I> {
    fn into_ints(self) -> Vec<i64> {
        ints(&self)
    }
}
impl<I: Copy + TryInto<i64>> IntoInts for &Vec<I> {
    fn into_ints(self) -> Vec<i64> {
        ints(self)
    }
}
fn ints<I: Copy + TryInto<i64>>(v: &[I]) -> Vec<i64> {
    v.iter().map(|&i| i.try_into().unwrap_or(i64::MAX)).collect()
}

impl NewNode {
    /// With an attribute as the row's slot of that name wants it.
    pub(crate) fn value(self, name: &str, value: Value) -> Result<NewNode> {
        let Some(slot) = self.def.slot(name) else {
            let all: Vec<&str> = self.def.slots.iter().map(|s| s.name).collect();
            let e = Error::new(Code::E0220, format!("`{}` has no attribute `{}`", self.def.name, name.escape_debug()));
            return Err(match all.as_slice() {
                [] => e.help("it has none"),
                all => e.help(format!("it has {}", all.join(", "))),
            });
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
/// What the builder finds unfit for the slot is its error (`E0223`).
fn attr(kind: SlotKind, value: Value) -> Attr {
    match value {
        Value::Int(i) if matches!(kind, SlotKind::Float | SlotKind::FloatOrWord(_)) => Attr::Float(i as f64),
        Value::Int(i) => Attr::Int(i),
        Value::Ints(v) => Attr::ints(&v),
        Value::IntLists(v) => Attr::List(v.iter().map(|l| Attr::ints(l)).collect()),
        Value::Float(x) => Attr::Float(x),
        Value::Bool(b) => Attr::Bool(b),
        Value::Text(s) if kind == SlotKind::Str => Attr::Str(s.into()),
        Value::Text(s) => Attr::word(&s),
        Value::Words(v) => Attr::List(v.iter().map(|w| Attr::word(w)).collect()),
        Value::Dims(d) => Attr::extents(d.into_iter().map(|d| d.extent).collect::<Vec<_>>()),
        Value::Tensor(t) => Attr::Tensor(t),
    }
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
    name: &str,
    operands: &[&TracedTensor],
    required: Vec<(&str, Value)>,
    options: &[(&str, Value)],
    ty: Option<(DType, Vec<Dim>)>,
    place: &'static Location<'static>,
) -> Result<Vec<TracedTensor>> {
    let made = || {
        let mut new = NewNode::new(row(name)?, operands);
        if let Some((dtype, dims)) = ty {
            new = new.typed(dtype, &dims)?;
        }
        for (name, value) in required {
            new = new.value(name, value)?;
        }
        for (name, value) in options {
            new = new.value(name, value.clone())?;
        }
        Ok(new)
    };
    made().map_err(|e| placed(e, place))?.add(place)
}
/// As [`generated`], of an op with `N` results.
pub(crate) fn generated_n<const N: usize>(
    name: &str,
    operands: &[&TracedTensor],
    required: Vec<(&str, Value)>,
    options: &[(&str, Value)],
    ty: Option<(DType, Vec<Dim>)>,
    place: &'static Location<'static>,
) -> Result<[TracedTensor; N]> {
    let all = generated(name, operands, required, options, ty, place)?;
    let n = all.len();
    all.try_into().map_err(|_| placed(Error::new(Code::E0211, format!("`{name}` gives {n} results, not {N}")), place))
}
/// As [`generated`], of an op with one result.
pub(crate) fn generated_1(
    name: &str,
    operands: &[&TracedTensor],
    required: Vec<(&str, Value)>,
    options: &[(&str, Value)],
    ty: Option<(DType, Vec<Dim>)>,
    place: &'static Location<'static>,
) -> Result<TracedTensor> {
    generated_n::<1>(name, operands, required, options, ty, place).map(|[t]| t)
}
/// Extents as a value.
pub(crate) fn dims(d: impl IntoDims) -> Value {
    Value::Dims(d.into_dims())
}
