//! The elements of `dense<…>`: one number for all, nested lists, or `"0x…"`, the bytes of the elements, little-endian. In time
//! and memory linear in the text.
use tfc_ir::small::*;
use tfc_ir::{BF16, C32, C64, Code, DType, Diagnostic, Element, F16, Span, Tensor, for_tiny_floats, with_dtype};

/// A constant's elements.
pub(super) enum Elements {
    /// All the same: a tensor without axes.
    Splat(Tensor),
    /// One each.
    Each(Tensor),
}

type Fail = Box<Diagnostic>;
fn fail(span: Span, message: impl Into<String>, help: &str) -> Fail {
    Box::new(Diagnostic::error(Code::E0243, span, message).help(help))
}

/// The elements that `body` says, of a tensor of this shape; `span` is the whole constant.
pub(super) fn elements(body: &str, dtype: DType, shape: &[usize], span: Span) -> Result<Elements, Fail> {
    with_dtype!(dtype, T => read::<T>(body, shape, span))
}

/// Integers of a list whose element type says nothing here: `dense<[1, 2]> : tensor<2xi64>` of an attribute.
pub(super) fn integers(body: &str, shape: &[usize], span: Span) -> Result<Vec<i64>, Fail> {
    /// Attributes are lists of axes: no longer one is believed.
    const MOST: usize = 1 << 16;
    let count = tfc_ir::tensor::element_count(shape).unwrap_or(usize::MAX);
    if count > MOST {
        return Err(fail(span, format!("a list of more than {MOST} integers"), "write one integer an axis"));
    }
    Ok(match read::<i64>(body, shape, span)? {
        Elements::Splat(t) => vec![t.item::<i64>().unwrap_or_default(); count],
        Elements::Each(t) => t.to_logical::<i64>().unwrap_or_default(),
    })
}

fn read<T: Literal>(body: &str, shape: &[usize], span: Span) -> Result<Elements, Fail> {
    let count = tfc_ir::tensor::element_count(shape)
        .map_err(|_| fail(span, "the constant has more elements than can be counted", "write a smaller type"))?;
    let body = body.trim();
    let each = |v: Vec<T>| {
        let made = Tensor::from_logical(shape, v);
        made.map(Elements::Each).map_err(|e| fail(span, e.data().message.clone(), "it is that of its type"))
    };
    if let Some(hex) = body.strip_prefix("\"0x").and_then(|h| h.strip_suffix('"')) {
        let bytes = bytes(hex, span)?;
        let size = T::SIZE;
        if bytes.len() == count * size {
            return each(bytes.chunks_exact(size).map(T::of_bytes).collect());
        }
        if bytes.len() == size && count != 1 && (T::DTYPE != DType::Bool || count > 8) {
            return Ok(Elements::Splat(Tensor::scalar(T::of_bytes(&bytes))));
        }
        // Before 2024 MLIR wrote eight truth values a byte.
        if T::DTYPE == DType::Bool && bytes.len() == count.div_ceil(8) {
            let bit = |i: usize| T::of_bytes(&[bytes.get(i / 8).map_or(0, |b| b >> (i % 8) & 1)]);
            return each((0..count).map(bit).collect());
        }
        let text = format!("the constant has {} bytes, but its type needs {}", bytes.len(), count * size);
        return Err(fail(span, text, "the bytes are those of the elements, in logical order"));
    }
    if body.starts_with('"') {
        return Err(fail(span, "a constant's text is not `\"0x…\"`", "it holds the bytes in hexadecimal digits"));
    }
    if body.is_empty() {
        return match count {
            0 => each(vec![]),
            _ => Err(fail(span, format!("the constant is empty, but its type has {count} elements"), "write them")),
        };
    }
    if !body.starts_with('[') {
        let x = one::<T>(body, span)?;
        return match shape {
            [] => each(vec![x]),
            _ => Ok(Elements::Splat(Tensor::scalar(x))),
        };
    }
    list(body, shape, count, span).and_then(each)
}

/// Nested lists, which must have the extents of `shape`.
fn list<T: Literal>(body: &str, shape: &[usize], count: usize, span: Span) -> Result<Vec<T>, Fail> {
    let misfit =
        || fail(span, format!("the constant's lists do not have the shape {shape:?}"), "it is that of its type");
    let mut out = Vec::with_capacity(count.min(body.len()));
    // How many items each open list has so far; the first stands for the constant itself.
    let mut items = vec![0usize];
    let bytes = body.as_bytes();
    let mut at = 0;
    // Between two items stands one comma.
    let (mut comma, mut item) = (false, false);
    let apart = || fail(span, "items of the constant are not separated by one comma each", "`[1, 2]`");
    while let Some(&c) = bytes.get(at) {
        match c {
            b'[' => {
                if item {
                    return Err(apart());
                }
                comma = false;
                if items.len() > shape.len() {
                    return Err(misfit());
                }
                items.push(0);
                at += 1;
            }
            b']' => {
                if comma {
                    return Err(apart());
                }
                item = true;
                let n = items.pop().unwrap_or(0);
                if items.is_empty() || shape.get(items.len() - 1) != Some(&n) {
                    return Err(misfit());
                }
                if let Some(outer) = items.last_mut() {
                    *outer += 1;
                }
                at += 1;
            }
            b',' => {
                if !item {
                    return Err(apart());
                }
                (comma, item) = (true, false);
                at += 1;
            }
            c if c.is_ascii_whitespace() => at += 1,
            _ => {
                let rest = bytes.get(at..).unwrap_or_default();
                let end = match c {
                    b'(' => rest.iter().position(|&c| c == b')').map(|n| n + 1),
                    _ => rest.iter().position(|&c| matches!(c, b',' | b']') || c.is_ascii_whitespace()),
                };
                let end = at + end.unwrap_or(rest.len());
                if items.len() != shape.len() + 1 {
                    return Err(misfit());
                }
                if item {
                    return Err(apart());
                }
                (comma, item) = (false, true);
                out.push(one(body.get(at..end).unwrap_or_default(), span)?);
                if let Some(n) = items.last_mut() {
                    *n += 1;
                }
                at = end;
            }
        }
    }
    if items != [1] || out.len() != count {
        return Err(misfit());
    }
    Ok(out)
}

fn one<T: Literal>(text: &str, span: Span) -> Result<T, Fail> {
    T::of_text(text.trim()).ok_or_else(|| {
        let shown: String = text.chars().take(24).collect();
        let what = format!("`{shown}` is no element of {}", T::DTYPE);
        fail(
            span,
            what,
            "integers are written `1`, floats `1.0`, `1.5e-3` or `0x7FC00000` (bits), others `(1.0, 0.0)` and `true`",
        )
    })
}

fn bytes(hex: &str, span: Span) -> Result<Vec<u8>, Fail> {
    if !hex.len().is_multiple_of(2) {
        let text = format!("the constant has {} hexadecimal digits, an odd number", hex.len());
        return Err(fail(span, text, "two digits make a byte: the file may have been cut off"));
    }
    let digit = |c: u8| char::from(c).to_digit(16).map(|d| d as u8);
    let byte = |p: &[u8]| Some(digit(*p.first()?)? << 4 | digit(*p.get(1)?)?);
    let all: Option<Vec<u8>> = hex.as_bytes().chunks_exact(2).map(byte).collect();
    all.ok_or_else(|| {
        fail(span, "the constant's text has a character that is no hexadecimal digit", "digits are 0-9, A-F")
    })
}

/// How an element is written.
trait Literal: Element {
    /// Bytes of one in `"0x…"`.
    const SIZE: usize;
    fn of_text(text: &str) -> Option<Self>;
    fn of_bytes(bytes: &[u8]) -> Self;
}
impl Literal for bool {
    const SIZE: usize = 1;
    fn of_text(text: &str) -> Option<bool> {
        match text {
            "true" | "1" | "-1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        }
    }
    fn of_bytes(bytes: &[u8]) -> bool {
        bytes.first().is_some_and(|&b| b != 0)
    }
}
macro_rules! numbers {
    ($($t:ty => $of_text:expr),*) => { $(impl Literal for $t {
        const SIZE: usize = size_of::<$t>();
        fn of_text(text: &str) -> Option<$t> { $of_text(text) }
        fn of_bytes(bytes: &[u8]) -> $t { <$t>::from_le_bytes(bytes.try_into().unwrap_or_default()) }
    })* };
}
/// The digits behind `0x`, as bits.
fn bits<U: TryFrom<u64>>(text: &str) -> Option<U> {
    U::try_from(u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()?).ok()
}
/// A decimal as MLIR writes one: `-1.5e-3`. Without a point it is an integer, which is no element of these types.
fn decimal(text: &str) -> Option<&str> {
    let digits = |s: &str| s.bytes().all(|c| c.is_ascii_digit());
    let (whole, rest) = text.strip_prefix('-').unwrap_or(text).split_once('.')?;
    let (fraction, exponent) = rest.split_once(['e', 'E']).map_or((rest, None), |(f, e)| (f, Some(e)));
    let plain = |e: &str| {
        let e = e.strip_prefix(['+', '-']).unwrap_or(e);
        !e.is_empty() && digits(e)
    };
    (!whole.is_empty() && digits(whole) && digits(fraction) && exponent.is_none_or(plain)).then_some(text)
}
/// An integer as MLIR writes one: without a `+`.
fn integer<T: std::str::FromStr>(text: &str) -> Option<T> {
    if text.starts_with('+') { None } else { text.parse().ok() }
}
/// A decimal as MLIR reads it: a double, from which a small float is rounded once.
fn small<T: Small<Wide = f32>>(text: &str) -> Option<T> {
    decimal(text)?.parse::<f64>().ok().map(|x| T::narrow(x.single()))
}
numbers! {
    // `i32` of MLIR has no sign: a number that its bits hold is one of it.
    i8 => |t: &str| integer(t).or_else(|| Some(integer::<u8>(t).or_else(|| bits(t))? as i8)),
    i16 => |t: &str| integer(t).or_else(|| Some(integer::<u16>(t).or_else(|| bits(t))? as i16)),
    u8 => |t: &str| integer(t).or_else(|| bits(t)),
    u16 => |t: &str| integer(t).or_else(|| bits(t)),
    BF16 => |t: &str| bits(t).map(BF16::from_bits).or_else(|| small(t)),
    F16 => |t: &str| bits(t).map(F16::from_bits).or_else(|| small(t)),
    i32 => |t: &str| integer(t).or_else(|| Some(integer::<u32>(t).or_else(|| bits(t))? as i32)),
    i64 => |t: &str| integer(t).or_else(|| Some(integer::<u64>(t).or_else(|| bits(t))? as i64)),
    u32 => |t: &str| integer(t).or_else(|| bits(t)),
    u64 => |t: &str| integer(t).or_else(|| bits(t)),
    f32 => |t: &str| bits(t).map(f32::from_bits).or_else(|| decimal(t)?.parse().ok()),
    f64 => |t: &str| bits(t).map(f64::from_bits).or_else(|| decimal(t)?.parse().ok())
}
macro_rules! tiny {
    ($($t:ty => $of_text:expr),*) => { $(impl Literal for $t {
        const SIZE: usize = 1;
        fn of_text(text: &str) -> Option<$t> { $of_text(text) }
        fn of_bytes(bytes: &[u8]) -> $t { <$t>::from_bits(bytes.first().copied().unwrap_or_default()) }
    })* };
}
macro_rules! tiny_ints {
    ($($t:ty => $least:literal),*) => { tiny! { $($t => |t: &str| {
        let n: i128 = integer(t).or_else(|| bits::<u8>(t).map(i128::from))?;
        // As of the others: a number that the bits hold.
        let fits = ($least..1i128 << <$t>::DTYPE.bits()).contains(&n);
        fits.then(|| <$t>::from_bits(n as u8))
    }),* } };
}
tiny_ints!(I2 => -2, I4 => -8, U2 => 0, U4 => 0);
macro_rules! tiny_floats {
    ($($t:ty),*) => { tiny! { $($t => |t: &str| bits::<u8>(t).map(<$t>::from_bits).or_else(|| small(t))),* } };
}
for_tiny_floats!(tiny_floats);
macro_rules! pairs {
    ($($t:ty, $r:ty);*) => { $(impl Literal for $t {
        const SIZE: usize = size_of::<$t>();
        fn of_text(text: &str) -> Option<$t> {
            let (re, im) = text.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
            Some(<$t>::new(<$r>::of_text(re.trim())?, <$r>::of_text(im.trim())?))
        }
        fn of_bytes(bytes: &[u8]) -> $t {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            <$t>::new(<$r>::of_bytes(re), <$r>::of_bytes(im))
        }
    })* };
}
pairs!(C32, f32; C64, f64);
