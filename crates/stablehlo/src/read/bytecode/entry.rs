//! Attributes and types of the tables, decoded: those of MLIR itself and of VHLO, StableHLO's dialect for files.
//!
//! Source of the codes: StableHLO's `VhloBytecode.cpp` and `VhloEnums.td`, MLIR's `BuiltinDialectBytecode.td`.
use super::container::{Bytes, Entry, File, Read, broken};

/// An attribute; numbers are positions in the tables.
#[derive(Debug)]
pub(super) enum Attr<'a> {
    Array(Vec<usize>),
    Bool(bool),
    /// A word of an enumeration, by the name of that.
    Word(&'static str, &'static str),
    Dict(Vec<(usize, usize)>),
    /// Its type, and its bits.
    Float(usize, u64),
    /// Its type, and its value.
    Int(usize, i64),
    Version(u64),
    Alias(Vec<i64>, i64, Vec<i64>),
    Str(&'a [u8]),
    /// `@a::@b`
    Symbol(Vec<usize>),
    Tensor(usize, &'a [u8]),
    Type(usize),
    /// Bounds of extents.
    Bounds(Vec<i64>),
    /// Whether it is the default.
    Accuracy(bool),
    Unit,
    /// A place in a file: name, line, column.
    Place(usize, u64, u64),
    /// A name that a place has.
    Named(usize, usize),
    /// What is called.
    Call(usize),
    /// Several places.
    Places(Vec<usize>),
    /// As MLIR prints it.
    Printed(&'a str),
    /// Nothing that programs need.
    Other,
}
/// A type; numbers are positions in the tables.
#[derive(Debug)]
pub(super) enum Type<'a> {
    Plain(&'static str),
    Complex(usize),
    Function(Vec<usize>, Vec<usize>),
    Tensor(Vec<i64>, usize, Option<usize>),
    Unranked(usize),
    Buffer(Vec<i64>, usize),
    Tuple(Vec<usize>),
    Future(Vec<usize>),
    /// Storage type, whether it has a sign, expressed type, axis, scales with zero points.
    Quantised {
        storage: usize,
        signed: bool,
        expressed: usize,
        axis: Option<u64>,
        scales: Vec<(f64, i64)>,
    },
    Printed(&'a str),
}

fn one_of(words: &'static [&'static str], name: &'static str, n: u64) -> Read<Attr<'static>> {
    match words.get(n as usize) {
        Some(w) if !w.is_empty() => Ok(Attr::Word(name, w)),
        _ => broken(format!("{n} is no {name}")),
    }
}
const DIRECTIONS: &[&str] = &["EQ", "NE", "GE", "GT", "LE", "LT"];
const COMPARED: &[&str] = &["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"];
const TRANSFORMS: &[&str] = &["FFT", "IFFT", "RFFT", "IRFFT"];
const PRECISIONS: &[&str] = &["DEFAULT", "HIGH", "HIGHEST"];
const GENERATORS: &[&str] = &["DEFAULT", "THREE_FRY", "PHILOX"];
const DISTRIBUTIONS: &[&str] = &["", "UNIFORM", "NORMAL"];
const TRANSPOSED: &[&str] = &["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"];

impl<'a> File<'a> {
    pub(super) fn attr(&self, i: usize) -> Read<Attr<'a>> {
        let Some(&Entry { dialect, coded, mut bytes }) = self.attrs.get(i) else {
            return broken("it refers to an attribute that is not there");
        };
        match dialect {
            _ if !coded => Ok(Attr::Printed(bytes.text()?)),
            "builtin" => self.builtin_attr(&mut bytes),
            "vhlo" => self.vhlo_attr(&mut bytes),
            // Shardings and what else other dialects attach: whoever needs one refuses it.
            _ => Ok(Attr::Other),
        }
    }
    fn vhlo_attr(&self, b: &mut Bytes<'a>) -> Read<Attr<'a>> {
        Ok(match b.number()? {
            1 => Attr::Array(b.indices()?),
            2 => Attr::Bool(b.number()? != 0),
            3 => one_of(DIRECTIONS, "comparison_direction", b.number()?)?,
            4 => one_of(COMPARED, "comparison_type", b.number()?)?,
            5 => Attr::Version(b.number()?),
            6 => Attr::Dict(pairs(b)?),
            7 => one_of(TRANSFORMS, "fft_type", b.number()?)?,
            8 => {
                let ty = b.index()?;
                let width = self.width(ty)?;
                Attr::Float(ty, b.bits(width)?)
            }
            9 => {
                let ty = b.index()?;
                let width = self.width(ty)?;
                Attr::Int(ty, signed(b.bits(width)?, width, self.is_unsigned(ty)?))
            }
            10 => Attr::Alias(b.signed_list()?, b.signed()?, b.signed_list()?),
            11 => one_of(PRECISIONS, "precision", b.number()?)?,
            12 => one_of(GENERATORS, "rng_algorithm", b.number()?)?,
            13 => one_of(DISTRIBUTIONS, "rng_distribution", b.number()?)?,
            14 => Attr::Str(self.string(b.index()?)?),
            15 => Attr::Tensor(b.index()?, b.blob()?),
            16 => one_of(TRANSPOSED, "transpose", b.number()?)?,
            17 => Attr::Type(b.index()?),
            18 => Attr::Bounds(b.signed_list()?),
            19 => Attr::Accuracy(b.number()? == 0),
            20 => {
                b.bits(64)?;
                b.bits(64)?;
                b.signed()?;
                let mode = b.index()?;
                Attr::Accuracy(matches!(self.vhlo_mode(mode)?, Attr::Accuracy(true)))
            }
            21..=25 => Attr::Other,
            n => return broken(format!("{n} is the code of no attribute that is known")),
        })
    }
    /// The mode of an accuracy, which is not an accuracy itself.
    fn vhlo_mode(&self, i: usize) -> Read<Attr<'a>> {
        match self.attrs.get(i) {
            Some(Entry { dialect: "vhlo", coded: true, bytes }) => {
                let mut b = *bytes;
                if b.number()? == 19 { Ok(Attr::Accuracy(b.number()? == 0)) } else { broken("an accuracy has no mode") }
            }
            _ => broken("an accuracy has no mode"),
        }
    }
    fn builtin_attr(&self, b: &mut Bytes<'a>) -> Read<Attr<'a>> {
        Ok(match b.number()? {
            0 => Attr::Array(b.indices()?),
            1 => Attr::Dict(pairs(b)?),
            2 | 3 => Attr::Str(self.string(b.index()?)?),
            4 => Attr::Symbol(vec![b.index()?]),
            5 => {
                let root = b.index()?;
                Attr::Symbol(std::iter::once(root).chain(b.indices()?).collect())
            }
            6 => Attr::Type(b.index()?),
            7 => Attr::Unit,
            8 => {
                let ty = b.index()?;
                let width = self.width(ty)?;
                let bits = b.bits(width)?;
                if width == 1 {
                    Attr::Bool(bits != 0)
                } else {
                    Attr::Int(ty, signed(bits, width, self.is_unsigned(ty)?))
                }
            }
            9 => {
                let ty = b.index()?;
                let width = self.width(ty)?;
                Attr::Float(ty, b.bits(width)?)
            }
            10 => {
                let callee = b.index()?;
                b.index()?;
                Attr::Call(callee)
            }
            11 => Attr::Place(b.index()?, b.number()?, b.number()?),
            12 => Attr::Places(b.indices()?),
            14 => Attr::Named(b.index()?, b.index()?),
            18 => Attr::Tensor(b.index()?, b.blob()?),
            // From a line and column to others.
            22 => {
                let name = b.index()?;
                let places = b.indices()?;
                let at = |i: usize| places.get(i).map_or(0, |&n| n as u64);
                Attr::Place(name, at(0), at(1))
            }
            _ => Attr::Other,
        })
    }
    pub(super) fn ty(&self, i: usize) -> Read<Type<'a>> {
        let Some(&Entry { dialect, coded, mut bytes }) = self.types.get(i) else {
            return broken("it refers to a type that is not there");
        };
        match dialect {
            _ if !coded => Ok(Type::Printed(bytes.text()?)),
            "builtin" => builtin_type(&mut bytes),
            "vhlo" => vhlo_type(&mut bytes),
            d => broken(format!("types of the dialect `{d}` are not known")),
        }
    }
    /// Bits of a number of the type.
    pub(super) fn width(&self, ty: usize) -> Read<u32> {
        let Type::Plain(name) = self.ty(ty)? else { return broken("a number has a type of other things") };
        width(name).map_or_else(|| broken(format!("`{name}` is no type of a number")), Ok)
    }
    fn is_unsigned(&self, ty: usize) -> Read<bool> {
        Ok(matches!(self.ty(ty)?, Type::Plain(name) if name.starts_with('u')))
    }
}
/// Bits of a number of the type of this name.
pub(super) fn width(name: &str) -> Option<u32> {
    Some(match name {
        "index" => 64,
        "bf16" => 16,
        "tf32" => 19,
        _ => {
            let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
            let n = digits.bytes().take_while(u8::is_ascii_digit).count();
            digits.get(..n)?.parse().ok()?
        }
    })
}
fn signed(bits: u64, width: u32, unsigned: bool) -> i64 {
    let free = 64 - width.clamp(1, 64);
    if unsigned || width == 1 { bits as i64 } else { (bits << free) as i64 >> free }
}
fn pairs(b: &mut Bytes) -> Read<Vec<(usize, usize)>> {
    (0..b.count()?).map(|_| Ok((b.index()?, b.index()?))).collect()
}
fn vhlo_type<'a>(b: &mut Bytes<'a>) -> Read<Type<'a>> {
    let plain = match b.number()? {
        0 => "i1",
        1 => return Ok(Type::Complex(b.index()?)),
        2 => "bf16",
        3 => "f16",
        4 => "f32",
        5 => "f64",
        6 => "f8E4M3FN",
        7 => "f8E5M2",
        8 => return Ok(Type::Function(b.indices()?, b.indices()?)),
        9 => "index",
        10 => "i4",
        11 => "i8",
        12 => "i16",
        13 => "i32",
        14 => "i64",
        15 => "ui4",
        16 => "ui8",
        17 => "ui16",
        18 => "ui32",
        19 => "ui64",
        20 => return Ok(Type::Tensor(b.signed_list()?, b.index()?, None)),
        21 => {
            let encoding = b.index()?;
            return Ok(Type::Tensor(b.signed_list()?, b.index()?, Some(encoding)));
        }
        22 => "!stablehlo.token",
        23 => return Ok(Type::Tuple(b.indices()?)),
        24 => {
            let (flags, storage, expressed) = (b.number()?, b.index()?, b.index()?);
            let scales = vec![(f64::from_bits(b.bits(64)?), b.signed()?)];
            return Ok(Type::Quantised { storage, signed: flags & 1 == 1, expressed, axis: None, scales });
        }
        25 => return Ok(Type::Unranked(b.index()?)),
        26 => "!shape.witness",
        27 => "f8E4M3FNUZ",
        28 => "f8E5M2FNUZ",
        29 => "f8E4M3B11FNUZ",
        30 => {
            let (flags, storage, expressed, axis) = (b.number()?, b.index()?, b.index()?, b.number()?);
            b.signed()?;
            b.signed()?;
            let scales = (0..b.count()?).map(|_| b.bits(64).map(f64::from_bits)).collect::<Read<Vec<f64>>>()?;
            let zeros = (0..b.count()?).map(|_| b.signed()).collect::<Read<Vec<i64>>>()?;
            let scales = scales.into_iter().zip(zeros).collect();
            return Ok(Type::Quantised { storage, signed: flags & 1 == 1, expressed, axis: Some(axis), scales });
        }
        31 => "i2",
        32 => "ui2",
        33 => "none",
        34 => "tf32",
        35 => "f8E4M3",
        36 => "f8E3M4",
        37 => "f4E2M1FN",
        38 => "f6E2M3FN",
        39 => "f6E3M2FN",
        40 => "f8E8M0FNU",
        41 => return Ok(Type::Buffer(b.signed_list()?, b.index()?)),
        42 => return Ok(Type::Future(b.indices()?)),
        n => return broken(format!("{n} is the code of no type that is known")),
    };
    Ok(Type::Plain(plain))
}
fn builtin_type<'a>(b: &mut Bytes<'a>) -> Read<Type<'a>> {
    /// Without a sign, with one, and unsigned.
    const INTEGERS: [(u64, [&str; 3]); 7] = [
        (1, ["i1", "si1", "ui1"]),
        (2, ["i2", "si2", "ui2"]),
        (4, ["i4", "si4", "ui4"]),
        (8, ["i8", "si8", "ui8"]),
        (16, ["i16", "si16", "ui16"]),
        (32, ["i32", "si32", "ui32"]),
        (64, ["i64", "si64", "ui64"]),
    ];
    let plain = match b.number()? {
        0 => {
            let n = b.number()?;
            let row = INTEGERS.iter().find(|r| r.0 == n >> 2).and_then(|r| r.1.get((n & 3) as usize));
            let Some(name) = row else { return broken(format!("there are no integers of {} bits", n >> 2)) };
            name
        }
        1 => "index",
        2 => return Ok(Type::Function(b.indices()?, b.indices()?)),
        3 => "bf16",
        4 => "f16",
        5 => "f32",
        6 => "f64",
        9 => return Ok(Type::Complex(b.index()?)),
        12 => "none",
        13 => return Ok(Type::Tensor(b.signed_list()?, b.index()?, None)),
        14 => {
            let encoding = b.index()?;
            return Ok(Type::Tensor(b.signed_list()?, b.index()?, Some(encoding)));
        }
        15 => return Ok(Type::Tuple(b.indices()?)),
        16 => return Ok(Type::Unranked(b.index()?)),
        n => return broken(format!("{n} is the code of no type of MLIR's own that is known")),
    };
    Ok(Type::Plain(plain))
}
