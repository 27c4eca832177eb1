//! What methods of tensors that are rows have in common, whichever way they compute: how attributes and numbers are given.
use crate::traced::{Dim, IntoDims};
use std::sync::{LazyLock, OnceLock};
use tfc_ir::op::{Slot, SlotKind};
use tfc_ir::{Attr, Attrs, C32, C64, Code, DType, Error, Extent, OpDef, OpSet, Result, Tensor};

/// A built-in row by its name, which is looked up once.
#[derive(Debug)]
pub(crate) struct Row(&'static str, OnceLock<&'static OpDef>);
impl Row {
    pub(crate) const fn of(name: &'static str) -> Row {
        Row(name, OnceLock::new())
    }
    pub(crate) fn name(&self) -> &'static str {
        self.0
    }
    #[inline]
    pub(crate) fn find(&self) -> Result<&'static OpDef> {
        match self.1.get() {
            Some(row) => Ok(row),
            None => {
                static CORE: LazyLock<OpSet> = LazyLock::new(OpSet::core);
                let row =
                    CORE.get(self.0).ok_or_else(|| Error::new(Code::E0211, format!("there is no op `{}`", self.0)))?;
                Ok(self.1.get_or_init(|| row))
            }
        }
    }
}

/// Attributes by their names.
pub(crate) type Options = Vec<(&'static str, Value)>;

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

/// What the builder finds unfit for the slot is its error (`E0223`).
pub(crate) fn attr(kind: SlotKind, value: Value) -> Attr {
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

/// `E0220`, with the attributes that there are.
pub(crate) fn no_slot(def: &OpDef, name: &str) -> Error {
    let all: Vec<&str> = def.slots.iter().map(|s| s.name).collect();
    let e = Error::new(Code::E0220, format!("`{}` has no attribute `{}`", def.name, name.escape_debug()));
    match all.as_slice() {
        [] => e.help("it has none"),
        all => e.help(format!("it has {}", all.join(", "))),
    }
}
/// The type of a row's options: a list of the attributes that were set.
macro_rules! options {
    ($name:ident $row:literal $($doc:literal $slot:ident: $ty:ty => $value:expr;)*) => {
        #[doc = concat!("Options of the op `", $row, "`; what is not set is as the op says.")]
        #[derive(Clone, Debug, Default)]
        pub struct $name(pub(crate) Options);
        impl $name {
            /// Nothing is set.
            pub fn new() -> $name {
                $name::default()
            }
            $(
                #[doc = $doc]
                #[must_use]
                pub fn $slot(mut self, $slot: $ty) -> $name {
                    self.0.push((stringify!($slot), $value));
                    self
                }
            )*
            /// Behind attributes that have to be given.
            #[allow(dead_code, reason = "of ops that have such")]
            pub(crate) fn with(self, mut required: Options) -> Options {
                required.extend(self.0);
                required
            }
        }
    };
}
pub(crate) use options;

/// Attributes of an op that runs at once: extents are numbers.
///
/// # Errors
/// `E0220` for an attribute that the row does not have, `E0223` for an extent that is no number.
pub(crate) fn exact(def: &'static OpDef, given: Options) -> Result<Attrs> {
    let mut attrs = Attrs::none();
    for (name, value) in given {
        let slot = def.slot(name).ok_or_else(|| no_slot(def, name))?;
        let value = match (slot.kind, value) {
            (SlotKind::Extent | SlotKind::Extents, Value::Int(n)) => extents(slot, &[Some(n)])?,
            (SlotKind::Extent | SlotKind::Extents, Value::Ints(v)) => {
                extents(slot, &v.into_iter().map(Some).collect::<Vec<_>>())?
            }
            (SlotKind::Extent | SlotKind::Extents, Value::Dims(d)) => {
                let number = |d: &Dim| d.as_exact().and_then(|n| i64::try_from(n).ok());
                extents(slot, &d.iter().map(number).collect::<Vec<_>>())?
            }
            (kind, value) => attr(kind, value),
        };
        attrs.set(slot.name, value);
    }
    Ok(attrs)
}
fn extents(slot: &Slot, list: &[Option<i64>]) -> Result<Attr> {
    let one = |n: &Option<i64>| match n {
        Some(n) if *n >= 0 => Ok(Extent::exact(*n)),
        _ => {
            let text = format!("attribute `{}` of an op that runs at once holds extents that are numbers", slot.name);
            Err(Error::new(Code::E0223, text).attr(slot.name))
        }
    };
    Ok(Attr::extents(list.iter().map(one).collect::<Result<Vec<_>>>()?))
}
/// Extents as a value.
pub(crate) fn dims(d: impl IntoDims) -> Value {
    Value::Dims(d.into_dims())
}

/// A number beside a tensor: it takes the tensor's dtype.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scalar(pub(crate) C64);
impl From<f64> for Scalar {
    fn from(x: f64) -> Scalar {
        Scalar(C64::new(x, 0.0))
    }
}
impl From<i32> for Scalar {
    fn from(x: i32) -> Scalar {
        Scalar(C64::new(x.into(), 0.0))
    }
}
impl From<C64> for Scalar {
    fn from(x: C64) -> Scalar {
        Scalar(x)
    }
}
/// A number as an element of that dtype; `E1029` where it is none.
pub(crate) fn element(dtype: DType, x: Scalar) -> Result<Tensor> {
    let x = x.0;
    let no = || {
        let shown = if x.im == 0.0 { x.re.to_string() } else { format!("{} + {}i", x.re, x.im) };
        Error::new(Code::E1029, format!("{shown} is no element of a {dtype} tensor"))
            .help("convert the tensor first: `x.convert(DType::F64)?`")
    };
    if !dtype.is_complex() && x.im != 0.0 {
        return Err(no());
    }
    // Exact there and back, or it is another number.
    let whole = |y: i128| if y as f64 == x.re { Ok(y) } else { Err(no()) };
    Ok(match dtype {
        DType::F64 => Tensor::scalar(x.re),
        DType::F32 => Tensor::scalar(x.re as f32),
        DType::C64 => Tensor::scalar(x),
        DType::C32 => Tensor::scalar(C32::new(x.re as f32, x.im as f32)),
        d if d.is_int() => {
            let x = whole(x.re as i128)?;
            if d.int_range().is_none_or(|(low, high)| x < low || x > high) {
                return Err(no());
            }
            Tensor::from_ints(d, &[], [x])?
        }
        DType::Bool => Tensor::scalar(match x.re {
            0.0 => false,
            1.0 => true,
            _ => return Err(no()),
        }),
        d => Tensor::from_reals(d, &[], [x.re])?,
    })
}
