//! Element types as files hold them, and the decoding of their bytes into host tensors.
//!
//! A file may hold more types than programs compute with; those come in only by conversion, which follows TFIR §5:
//! int → int wraps, float → int truncates and saturates with NaN → 0, anything → bool is `!= 0`, complex → real is an
//! error. Memory grows with the bytes that arrive, never with what a header claims, unless the claim has been checked
//! against the size of the file.
use std::io::Read;
use tfc_ir::small::*;
use tfc_ir::storage::Storage;
use tfc_ir::tensor::{column_major, element_count, row_major};
use tfc_ir::{
    BF16, Budget, C32, C64, Code, DType, Element, Error, F16, Result, Tensor, for_tiny_floats, for_tiny_ints,
    with_dtype,
};

/// An element type of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    /// An element type of the language.
    Of(DType),
    /// Bytes whose meaning the file does not say, as NumPy writes tiny numbers: who reads them says it.
    Bytes,
}
impl Stored {
    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Stored::Of(d) => d.size(),
            _ => 1,
        }
    }
    /// Name of the element type in messages.
    pub fn name(self) -> &'static str {
        match self {
            Stored::Of(d) => d.name(),
            Stored::Bytes => "bytes without a meaning",
        }
    }
}

/// What a file says about one array, checked: the extents multiply without overflow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayInfo {
    /// The element type.
    pub stored: Stored,
    /// Extents.
    pub shape: Vec<usize>,
    /// First axis fastest (Fortran order); otherwise last axis fastest.
    pub column_major: bool,
    /// Most significant byte first.
    pub big_endian: bool,
}
impl ArrayInfo {
    /// Number of bytes of its elements; an error where they cannot be counted.
    pub fn byte_len(&self) -> Result<u64> {
        if let Some(axis) = self.shape.iter().position(|&n| n > isize::MAX as usize) {
            return Err(Error::new(Code::E0603, format!("axis {axis} claims {} elements", self.shape[axis])));
        }
        let n = element_count(&self.shape).map_err(|_| {
            Error::new(Code::E0603, format!("a shape of {:?} is more than a file can hold", self.shape))
        })?;
        Ok(n as u64 * self.stored.size() as u64)
    }
}

/// What the reader asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Want {
    /// The element type wanted; `None` takes the file's, or with `convert` one that holds every value of it.
    pub dtype: Option<DType>,
    /// Convert from any storage type.
    pub convert: bool,
}

/// One number on its way between types.
#[derive(Clone, Copy)]
enum Num {
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

trait Decode: Copy {
    const SIZE: usize;
    fn decode(b: &[u8], big: bool) -> Self;
    fn num(self) -> Num;
}
macro_rules! decode {
    ($($t:ty => $n:expr),*) => { $(impl Decode for $t {
        const SIZE: usize = size_of::<$t>();
        #[inline(always)]
        fn decode(b: &[u8], big: bool) -> Self {
            let mut a = [0u8; size_of::<$t>()];
            a.copy_from_slice(b);
            if big { <$t>::from_be_bytes(a) } else { <$t>::from_le_bytes(a) }
        }
        #[inline(always)]
        fn num(self) -> Num { let f: fn($t) -> Num = $n; f(self) }
    })* };
}
decode!(i8 => |x| Num::Int(x as i128), i16 => |x| Num::Int(x as i128), i32 => |x| Num::Int(x as i128),
        i64 => |x| Num::Int(x as i128), u8 => |x| Num::Int(x as i128), u16 => |x| Num::Int(x as i128),
        u32 => |x| Num::Int(x as i128), u64 => |x| Num::Int(x as i128),
        BF16 => |x| Num::Float(x.widen().into()), F16 => |x| Num::Float(x.widen().into()),
        f32 => |x| Num::Float(x as f64), f64 => Num::Float);

macro_rules! decode_complex {
    ($($t:ty, $p:ty);*) => { $(impl Decode for $t {
        const SIZE: usize = size_of::<$t>();
        #[inline(always)]
        fn decode(b: &[u8], big: bool) -> Self {
            let (re, im) = b.split_at(size_of::<$p>());
            <$t>::new(<$p>::decode(re, big), <$p>::decode(im, big))
        }
        #[inline(always)]
        fn num(self) -> Num { Num::Complex(self.re as f64, self.im as f64) }
    })* };
}
decode_complex!(C32, f32; C64, f64);

impl Decode for bool {
    const SIZE: usize = 1;
    fn decode(b: &[u8], _: bool) -> Self {
        b.first().is_some_and(|&x| x != 0)
    }
    fn num(self) -> Num {
        Num::Int(self as i128)
    }
}

macro_rules! decode_tiny {
    ($num:ident: $($t:ty),*) => { $(impl Decode for $t {
        const SIZE: usize = 1;
        #[inline(always)]
        fn decode(b: &[u8], _: bool) -> Self {
            <$t>::from_bits(b.first().copied().unwrap_or_default())
        }
        #[inline(always)]
        fn num(self) -> Num { Num::$num(self.widen().into()) }
    })* };
}
for_tiny_ints!(decode_tiny Int:);
for_tiny_floats!(decode_tiny Float:);

trait FromNum: Element {
    fn from_num(n: Num) -> Self;
}
macro_rules! from_num {
    ($($t:ty),*) => { $(impl FromNum for $t {
        #[inline(always)]
        fn from_num(n: Num) -> Self {
            match n { Num::Int(i) => i as $t, Num::Float(f) => f as $t, Num::Complex(re, _) => re as $t }
        }
    })* };
}
from_num!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);
macro_rules! from_num_small {
    ($($t:ty),*) => { $(impl FromNum for $t {
        #[inline(always)]
        fn from_num(n: Num) -> Self {
            <$t>::narrow(match n {
                Num::Int(i) => odd(odd_int(i)),
                Num::Float(f) => f.single(),
                Num::Complex(re, _) => re.single(),
            })
        }
    })* };
}
from_num_small!(BF16, F16);
for_tiny_floats!(from_num_small);
macro_rules! from_num_tiny {
    ($($t:ty),*) => { $(impl FromNum for $t {
        #[inline(always)]
        fn from_num(n: Num) -> Self {
            // A float saturates, an integer wraps.
            let (low, high) = Self::DTYPE.int_range().unwrap_or_default();
            <$t>::of_bits(match n {
                Num::Int(i) => i,
                Num::Float(f) | Num::Complex(f, _) => (f as i128).clamp(low, high),
            } as u32)
        }
    })* };
}
for_tiny_ints!(from_num_tiny);
macro_rules! from_num_complex {
    ($($t:ty, $p:ty);*) => { $(impl FromNum for $t {
        #[inline(always)]
        fn from_num(n: Num) -> Self {
            match n {
                Num::Int(i) => <$t>::new(i as $p, 0.0),
                Num::Float(f) => <$t>::new(f as $p, 0.0),
                Num::Complex(re, im) => <$t>::new(re as $p, im as $p),
            }
        }
    })* };
}
from_num_complex!(C32, f32; C64, f64);
impl FromNum for bool {
    fn from_num(n: Num) -> Self {
        match n {
            Num::Int(i) => i != 0,
            Num::Float(f) => f != 0.0,
            Num::Complex(re, im) => re != 0.0 || im != 0.0,
        }
    }
}

/// Decides the dtype of the tensor made from an array stored as `stored`.
fn target(stored: Stored, want: Want) -> Result<DType> {
    let name = stored.name();
    let from_complex = matches!(stored, Stored::Of(d) if d.is_complex());
    let advice = "read it through a `data` declaration with `convert = true`, or convert the file";
    match want.dtype {
        Some(d) if stored == Stored::Of(d) || stored == Stored::Bytes && d.is_tiny() => Ok(d),
        _ if stored == Stored::Bytes => Err(Error::new(
            Code::E0605,
            "holds bytes without a meaning, as NumPy writes 4-bit and 8-bit dtypes of `ml_dtypes`",
        )
        .help("read it where the type is written: `f8e4m3fn[…]` of a parameter, or of a `data` declaration")),
        Some(d) if want.convert && from_complex && !d.is_complex() && d != DType::Bool => {
            Err(Error::new(Code::E0606, format!("holds {name}, which does not convert to {d}"))
                .help("take the real part or the modulus before storing it"))
        }
        Some(d) if want.convert => Ok(d),
        Some(d) => Err(Error::new(Code::E0606, format!("holds {name}, but {d} is expected")).help(advice)),
        None => match stored {
            Stored::Of(d) => Ok(d),
            Stored::Bytes => Ok(DType::U8),
        },
    }
}

/// Reads the elements of `info` from `r`. `available` is the number of bytes that are known to follow, if any is.
pub(super) fn read_array(
    r: &mut dyn Read,
    info: &ArrayInfo,
    available: Option<u64>,
    want: Want,
    budget: &Budget,
) -> Result<Tensor> {
    let bytes = info.byte_len()?;
    if let Some(have) = available.filter(|&have| have < bytes) {
        return Err(Error::new(
            Code::E0603,
            format!("truncated: the header claims {bytes} bytes of elements, the file holds {have}"),
        ));
    }
    let dtype = target(info.stored, want)?;
    let trusted = available.is_some();
    let bytes = element_count(&info.shape)?.saturating_mul(dtype.size());
    budget.charge(bytes)?;
    let read = with_dtype!(dtype, T => read_as::<T>(r, info, trusted, budget));
    read.inspect_err(|_| budget.release(bytes))
}

fn read_as<T: FromNum + Decode>(r: &mut dyn Read, info: &ArrayInfo, trusted: bool, budget: &Budget) -> Result<Tensor> {
    let v = if [Stored::Of(T::DTYPE), Stored::Bytes].contains(&info.stored) {
        elements::<T>(r, info, trusted, budget, Same)
    } else {
        elements::<T>(r, info, trusted, budget, Converted { read: numbers(info.stored), numbers: vec![] })
    }?;
    let strides = if info.column_major { column_major(&info.shape) } else { row_major(&info.shape) };
    Tensor::with_strides(&info.shape, strides, 0, v)
}

/// Appends the numbers of these bytes.
type Numbers = fn(&[u8], bool, &mut Vec<Num>);
fn numbers(stored: Stored) -> Numbers {
    fn of<S: Decode>(bytes: &[u8], big_endian: bool, out: &mut Vec<Num>) {
        out.extend(bytes.chunks_exact(S::SIZE).map(|b| S::decode(b, big_endian).num()));
    }
    match stored {
        Stored::Of(d) => with_dtype!(d, T => of::<T>),
        Stored::Bytes => of::<u8>,
    }
}
/// How the bytes of a step become elements.
trait Step<T> {
    fn step(&mut self, bytes: &[u8], big_endian: bool, out: &mut impl Extend<T>);
}
/// The elements are of the dtype that is wanted.
struct Same;
impl<T: Decode> Step<T> for Same {
    fn step(&mut self, bytes: &[u8], big_endian: bool, out: &mut impl Extend<T>) {
        // Two loops, so that the usual one has no test per element.
        if big_endian {
            out.extend(bytes.chunks_exact(T::SIZE).map(|b| T::decode(b, true)));
        } else {
            out.extend(bytes.chunks_exact(T::SIZE).map(|b| T::decode(b, false)));
        }
    }
}
/// The elements become numbers, and the numbers become elements: a loop for each pair of types would be two hundred.
struct Converted {
    read: Numbers,
    numbers: Vec<Num>,
}
impl<T: FromNum> Step<T> for Converted {
    fn step(&mut self, bytes: &[u8], big_endian: bool, out: &mut impl Extend<T>) {
        self.numbers.clear();
        (self.read)(bytes, big_endian, &mut self.numbers);
        out.extend(self.numbers.iter().map(|&n| T::from_num(n)));
    }
}

/// Elements decoded per step: 64 KiB of `f64`.
const STEP: usize = 8192;

fn elements<T: Copy>(
    r: &mut dyn Read,
    info: &ArrayInfo,
    trusted: bool,
    budget: &Budget,
    how: impl Step<T>,
) -> Result<Storage<T>> {
    let n = element_count(&info.shape)?;
    let none = || Error::new(Code::E0613, format!("no memory for {n} elements"));
    if trusted {
        let mut out = Storage::room(n).map_err(|_| none())?;
        decode(r, info, n, budget, how, &mut out)?;
        return Ok(out);
    }
    // Room grows with what arrives: the claim alone costs nothing.
    let mut out = Vec::new();
    out.try_reserve_exact(n.min(STEP)).map_err(|_| none())?;
    decode(r, info, n, budget, how, &mut out)?;
    Ok(out.into())
}
fn decode<T>(
    r: &mut dyn Read,
    info: &ArrayInfo,
    n: usize,
    budget: &Budget,
    mut how: impl Step<T>,
    out: &mut impl Extend<T>,
) -> Result<()> {
    let size = info.stored.size();
    let mut buffer = vec![0u8; n.min(STEP) * size];
    let mut left = n;
    while left > 0 {
        budget.check()?;
        let k = left.min(STEP);
        let chunk = &mut buffer[..k * size];
        r.read_exact(chunk).map_err(|e| match e.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                Error::new(Code::E0603, format!("truncated: {n} elements are claimed, {} are there", n - left))
            }
            _ => Error::new(Code::E0601, e.to_string()),
        })?;
        how.step(chunk, info.big_endian, out);
        left -= k;
    }
    Ok(())
}

/// An element on its way to a file. Every NaN is written as one (`nan` of the text format), since its sign and payload
/// are no part of a value and differ from engine to engine.
pub(super) trait Encode: Element {
    fn encode(self, out: &mut Vec<u8>);
}
macro_rules! encode {
    ($($t:ty),*) => { $(impl Encode for $t {
        #[inline(always)]
        fn encode(self, out: &mut Vec<u8>) { out.extend_from_slice(&self.to_le_bytes()); }
    })* };
}
encode!(i8, i16, i32, i64, u8, u16, u32, u64);
macro_rules! encode_float {
    ($($t:ty),*) => { $(impl Encode for $t {
        #[inline(always)]
        fn encode(self, out: &mut Vec<u8>) {
            let x = if self.is_nan() { <$t>::NAN } else { self };
            out.extend_from_slice(&x.to_le_bytes());
        }
    })* };
}
encode_float!(BF16, F16, f32, f64);
macro_rules! encode_tiny {
    ($($t:ty),*) => { $(impl Encode for $t {
        #[inline(always)]
        fn encode(self, out: &mut Vec<u8>) {
            // NaN as one pattern, as of the other floats.
            let same = <$t>::narrow(self.widen());
            out.push(same.to_bits());
        }
    })* };
}
for_tiny_ints!(encode_tiny);
for_tiny_floats!(encode_tiny);
impl Encode for bool {
    fn encode(self, out: &mut Vec<u8>) {
        out.push(self as u8);
    }
}
impl Encode for C32 {
    fn encode(self, out: &mut Vec<u8>) {
        self.re.encode(out);
        self.im.encode(out);
    }
}
impl Encode for C64 {
    fn encode(self, out: &mut Vec<u8>) {
        self.re.encode(out);
        self.im.encode(out);
    }
}

/// Writes the elements of `t`, little-endian, last axis fastest, through a buffer of fixed size.
pub(super) fn write_logical(t: &Tensor, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    fn go<T: Encode>(t: &Tensor, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        let Some(data) = t.storage::<T>() else { return Ok(()) };
        let mut buffer = Vec::with_capacity(STEP * 16);
        for x in t.indices().filter_map(|i| data.get(i)) {
            x.encode(&mut buffer);
            if buffer.len() + 16 > STEP * 16 {
                out.write_all(&buffer)?;
                buffer.clear();
            }
        }
        out.write_all(&buffer)
    }
    with_dtype!(t.dtype(), T => go::<T>(t, out))
}

/// Writes the elements of `t`, little-endian, first axis fastest.
pub(super) fn write_column_major(t: &Tensor, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    write_logical(&t.t(), out)
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn small_floats_have_their_published_values() {
        assert_eq!(F16::decode(&[0xff, 0x7b], false).widen(), 65504.0);
        assert_eq!(BF16::decode(&[0x40, 0x49], true).widen(), 3.140625);
        assert_eq!(F8E4M3FN::decode(&[0x7e], false).widen(), 448.0);
        assert!(F8E4M3FN::decode(&[0x7f], false).widen().is_nan());
        assert_eq!(F8E5M2::decode(&[0x7b], true).widen(), 57344.0);
        // Bits above those of a number do not count, and are not written.
        assert_eq!(I4::decode(&[0x5f], false).get(), -1);
        let mut out = vec![];
        I4::decode(&[0x5f], false).encode(&mut out);
        F4E2M1FN::decode(&[0xff], false).encode(&mut out);
        assert_eq!(out, [0x0f, 0x0f]);
    }

    fn every_nan_is_written_as_one() {
        let bytes = |t: Tensor| {
            let mut out = vec![];
            write_logical(&t, &mut out).unwrap();
            out
        };
        let odd = [f64::NAN, -f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001), f64::from_bits(0xfff8_1234_0000_0000)];
        assert_eq!(bytes(Tensor::from_logical(&[4], odd.to_vec()).unwrap()), f64::NAN.to_le_bytes().repeat(4));
        let odd = [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(0xffc0_0100)];
        assert_eq!(bytes(Tensor::from_logical(&[4], odd.to_vec()).unwrap()), f32::NAN.to_le_bytes().repeat(4));
        let z = C64::new(-f64::NAN, -0.0);
        assert_eq!(bytes(Tensor::scalar(z)), [f64::NAN.to_le_bytes(), (-0.0f64).to_le_bytes()].concat());
    }
    fn conversion_follows_the_language() {
        assert_eq!(i32::from_num(Num::Float(f64::NAN)), 0);
        assert_eq!(i32::from_num(Num::Float(1e20)), i32::MAX);
        assert_eq!(i32::from_num(Num::Float(-2.9)), -2);
        assert_eq!(u32::from_num(Num::Int(-1)), u32::MAX);
        assert!(bool::from_num(Num::Float(f64::NAN)));
        assert_eq!(f32::from_num(Num::Int(u64::MAX as i128)), u64::MAX as f32);
    }
    /// All of them.
    pub const ALL: &[fn()] =
        &[small_floats_have_their_published_values, every_nan_is_written_as_one, conversion_follows_the_language];
}
