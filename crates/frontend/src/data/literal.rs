//! Literals: `1.5`, `[[1, 2], [3, 4]]`, `nan`, `-inf`, `true`, `"1+2j"`, `(1.0, 2.0)`, `0x7ff8…`.
//!
//! Elements stand in logical order (last axis fastest) and are read straight into the wanted dtype, so that no number
//! is rounded twice; one that the dtype cannot hold (a fraction as an integer, a number out of range, a complex one as
//! a real) is an error. A hexadecimal number is an integer, or the bit pattern of a float.
use tfc_ir::small::*;
use tfc_ir::{
    BF16, C32, C64, Code, DType, Element, Error, F16, Result, Tensor, for_tiny_floats, for_tiny_ints, with_dtype,
};

/// Nesting that no tensor of ours reaches, and no stack minds.
const MAX_DEPTH: usize = 64;

/// The tensor that `text` describes, of that dtype. `shape`, where known, is checked.
pub fn parse_literal(text: &str, dtype: DType, shape: Option<&[usize]>) -> Result<Tensor> {
    with_dtype!(
    dtype,
    T => {
        let mut p = Parser { text, at: 0, found: vec![], shape: vec![], closed: 0, elements: Vec::<T>::new() };
        p.value(0)?;
        p.skip();
        if p.at < text.len() {
            return Err(p.unreadable("the end"));
        }
        // `[]` alone does not say what stands beside an axis of extent 0.
        if let Some(want) = shape
            && want.contains(&0)
            && p.shape == [0]
        {
            p.shape = want.to_vec();
        }
        if let Some(want) = shape {
            super::declared::expect_shape(&p.shape, want).map_err(|e| e.context("the literal "))?;
        }
        Tensor::from_logical(&p.shape, p.elements)
    })
}

struct Parser<'a, T> {
    text: &'a str,
    at: usize,
    /// Index path of the value being read, for messages.
    found: Vec<usize>,
    /// Extents, outermost first, as the first list of each depth showed them.
    shape: Vec<usize>,
    /// How many of the innermost extents are known for good: lists of those depths have been closed.
    closed: usize,
    elements: Vec<T>,
}

impl<T: FromText> Parser<'_, T> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }
    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }
    fn eat(&mut self, c: char) -> bool {
        self.skip();
        let yes = self.rest().starts_with(c);
        if yes {
            self.at += c.len_utf8();
        }
        yes
    }
    fn unreadable(&self, wanted: &str) -> Error {
        let near: String = self.rest().chars().take(16).collect();
        let near = if near.is_empty() { "its end".to_owned() } else { format!("`{}`", near.escape_debug()) };
        Error::new(Code::E0611, format!("not a literal: {wanted} is expected at {near}"))
            .help("literals look like 1.5, [[1, 2], [3, 4]], nan, true or \"1+2j\"")
    }
    fn ragged(&self, why: String) -> Error {
        let at: String = self.found.iter().map(|i| format!("[{i}]")).collect();
        Error::new(
            Code::E0611,
            format!("the literal is ragged: {}{why}", if at.is_empty() { String::new() } else { at + " " }),
        )
    }

    fn value(&mut self, depth: usize) -> Result<()> {
        if !self.eat('[') {
            if depth < self.shape.len() {
                return Err(self.ragged("is a number where a list is expected".into()));
            }
            return self.element();
        }
        if depth >= MAX_DEPTH {
            return Err(Error::new(Code::E0611, format!("the literal is nested deeper than {MAX_DEPTH}")));
        }
        // The first list of this depth opens an axis; one below finished elements would be a list among numbers.
        let first = depth == self.shape.len();
        if first && (!self.elements.is_empty() || self.closed > 0) {
            return Err(self.ragged("is a list where a number is expected".into()));
        }
        if first {
            self.shape.push(0);
        }
        let mut n = 0;
        while !self.eat(']') {
            if n > 0 && !self.eat(',') {
                return Err(self.unreadable("`,` or `]`"));
            }
            if n > 0 && self.eat(']') {
                break;
            }
            self.found.push(n);
            self.value(depth + 1)?;
            self.found.pop();
            n += 1;
        }
        let known = self.shape.len() - depth <= self.closed;
        match self.shape.get_mut(depth) {
            Some(extent) if !known => *extent = n,
            Some(&mut extent) if extent != n => {
                return Err(self.ragged(format!("has {n} entries where its neighbours have {extent}")));
            }
            _ => {}
        }
        self.closed = self.closed.max(self.shape.len() - depth);
        Ok(())
    }

    fn element(&mut self) -> Result<()> {
        self.skip();
        let rest = self.rest();
        let (token, used) = if let Some(r) = rest.strip_prefix('"') {
            let end = r.find('"').ok_or_else(|| self.unreadable("a closing `\"`"))?;
            (&r[..end], end + 2)
        } else if rest.starts_with('(') {
            let end = rest.find(')').ok_or_else(|| self.unreadable("`)`"))?;
            (&rest[..end + 1], end + 1)
        } else {
            let end = rest.find(|c: char| matches!(c, ',' | ']' | '[') || c.is_whitespace()).unwrap_or(rest.len());
            (&rest[..end], end)
        };
        if token.is_empty() {
            return Err(self.unreadable("a number"));
        }
        let parsed = T::from_text(token.trim());
        match parsed {
            Ok(x) => {
                self.elements.push(x);
                self.at += used;
                Ok(())
            }
            Err(Unfit::Unreadable) => Err(self.unreadable("a number")),
            Err(Unfit::Why(why)) => {
                let short: String = token.chars().take(40).collect();
                Err(Error::new(Code::E0612, format!("`{}` {why} {}", short.escape_debug(), T::DTYPE)))
            }
        }
    }
}

enum Unfit {
    Unreadable,
    Why(&'static str),
}
trait FromText: Element {
    fn from_text(s: &str) -> Result<Self, Unfit>;
}

fn digits_ok(s: &str) -> bool {
    !s.is_empty()
        && s.bytes().all(|b| b.is_ascii_digit() || b"+-.eE_".contains(&b))
        && s.bytes().any(|b| b.is_ascii_digit())
}

macro_rules! integer {
    ($($t:ty),*) => { $(impl FromText for $t {
        fn from_text(s: &str) -> Result<Self, Unfit> {
            let range = Unfit::Why("is out of range for");
            let exact = |n: i128| <$t>::try_from(n).map_err(|_| Unfit::Why("is out of range for"));
            if let Some(hex) = s.strip_prefix("0x") {
                return i128::from_str_radix(hex, 16).map_err(|_| range).and_then(exact);
            }
            if matches!(s, "true" | "false") {
                return exact((s == "true").into());
            }
            if matches!(s.trim_start_matches(['+', '-']), "nan" | "inf") || complex_parts(s).is_some() {
                return Err(Unfit::Why("is not a value of"));
            }
            if !digits_ok(s) {
                return Err(Unfit::Unreadable);
            }
            let plain = s.replace('_', "");
            if plain.bytes().all(|b| b.is_ascii_digit() || b == b'+' || b == b'-') {
                let wide = plain.parse::<i128>();
                return match wide {
                    Ok(n) => exact(n),
                    Err(e) if matches!(e.kind(), std::num::IntErrorKind::InvalidDigit) => Err(Unfit::Unreadable),
                    Err(_) => Err(range),
                };
            }
            let x: f64 = plain.parse().map_err(|_| Unfit::Unreadable)?;
            if x.fract() != 0.0 {
                return Err(Unfit::Why("has a fraction, which is no value of"));
            }
            // Below 2^53 the f64 is exactly what was written.
            if x.abs() < 9e15 { exact(x as i128) } else { Err(range) }
        }
    })* };
}
integer!(i8, i16, i32, i64, u8, u16, u32, u64);
for_tiny_ints!(integer);

impl FromText for bool {
    fn from_text(s: &str) -> Result<Self, Unfit> {
        match s {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            s if digits_ok(s) || s.contains("nan") || s.contains("inf") => Err(Unfit::Why("is not a value of")),
            _ => Err(Unfit::Unreadable),
        }
    }
}

macro_rules! float {
    ($($t:ty, $bits:ty, $read:expr);*) => { $(impl FromText for $t {
        fn from_text(s: &str) -> Result<Self, Unfit> {
            let read: fn(&str) -> Option<$t> = $read;
            if let Some(hex) = s.strip_prefix("0x") {
                let fits = |b: &u64| Self::DTYPE.bits() == 64 || b >> Self::DTYPE.bits() == 0;
                let bits = u64::from_str_radix(hex, 16).ok().filter(fits);
                return bits.map(|b| <$t>::from_bits(b as $bits)).ok_or(Unfit::Why("is no bit pattern of"));
            }
            // Not every format has them.
            let special = |text: &str, is: fn(f64) -> bool| {
                read(text).filter(|&x| is(x.into())).ok_or(Unfit::Why("is not a value of"))
            };
            match s {
                "true" => return read("1").ok_or(Unfit::Unreadable),
                "false" => return read("0").ok_or(Unfit::Unreadable),
                "nan" | "NaN" | "+nan" | "-nan" => return special("NaN", f64::is_nan),
                "inf" | "+inf" => return special("inf", f64::is_infinite),
                "-inf" => return special("-inf", f64::is_infinite),
                _ => {}
            }
            if complex_parts(s).is_some() {
                return Err(Unfit::Why("is complex, but the input is"));
            }
            if !digits_ok(s) {
                return Err(Unfit::Unreadable);
            }
            let x = read(&s.replace('_', "")).ok_or(Unfit::Unreadable)?;
            if f64::from(x).is_finite() { Ok(x) } else { Err(Unfit::Why("is out of range for")) }
        }
    })* };
}
/// Through `f64`, and from there rounded once.
fn small<T: Small<Wide = f32>>(s: &str) -> Option<T> {
    let x = s.parse::<f64>().ok()?;
    // Of a dtype without infinity and NaN, NaN stands for what is beyond.
    Some(T::narrow(x.single())).filter(|_| !beyond(T::DTYPE, x))
}
float!(f32, u32, |s| s.parse().ok(); f64, u64, |s| s.parse().ok(); BF16, u16, small; F16, u16, small);
macro_rules! tiny_float {
    ($($t:ty),*) => { float!($($t, u8, small);*); };
}
for_tiny_floats!(tiny_float);

/// Real and imaginary text of `1+2j`, `2j` or `(1.0, 2.0)`.
fn complex_parts(s: &str) -> Option<(&str, &str)> {
    if let Some(inner) = s.strip_prefix('(').and_then(|s| s.strip_suffix(')')) {
        return match inner.split_once(',') {
            Some((re, im)) => Some((re.trim(), im.trim())),
            None => complex_parts(inner),
        };
    }
    let body = s.strip_suffix(['j', 'i'])?;
    // The sign between the parts is the last one that belongs to no exponent.
    let cut = body.char_indices().rev().find(|&(i, c)| {
        i > 0
            && matches!(c, '+' | '-')
            && !(body[..i].ends_with(['e', 'E']) && body[..i - 1].ends_with(|c: char| c.is_ascii_digit() || c == '.'))
    });
    let (re, im) = cut.map_or(("0", body), |(i, _)| body.split_at(i));
    let im = match im {
        "" | "+" => "1",
        "-" => "-1",
        im => im,
    };
    (digits_ok(im) || im.ends_with("inf") || im.ends_with("nan")).then_some((re.trim(), im.trim()))
}

macro_rules! complex {
    ($($t:ty, $p:ty);*) => { $(impl FromText for $t {
        fn from_text(s: &str) -> Result<Self, Unfit> {
            match complex_parts(s) {
                Some((re, im)) => Ok(<$t>::new(<$p>::from_text(re)?, <$p>::from_text(im)?)),
                None => Ok(<$t>::new(<$p>::from_text(s)?, 0.0)),
            }
        }
    })* };
}
complex!(C32, f32; C64, f64);

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn f64s(s: &str) -> Vec<f64> {
        parse_literal(s, DType::F64, None).unwrap().to_logical().unwrap()
    }
    fn code(s: &str, d: DType) -> &'static str {
        parse_literal(s, d, None).unwrap_err().data().code.name()
    }

    fn literals_are_read_in_logical_order() {
        let t = parse_literal(" [[1, 2.5 , -3e2],[inf,-inf,0x3ff0000000000000] ] ", DType::F64, Some(&[2, 3])).unwrap();
        assert_eq!(t.to_logical::<f64>().unwrap(), [1.0, 2.5, -300.0, f64::INFINITY, f64::NEG_INFINITY, 1.0]);
        assert!(f64s("nan")[0].is_nan());
        assert_eq!(f64s("[.5, 1., +2, true]"), [0.5, 1.0, 2.0, 1.0]);
        assert_eq!(parse_literal("0.1", DType::F32, None).unwrap().item::<f32>(), Some(0.1));
        assert_eq!(parse_literal("[true, 0]", DType::Bool, None).unwrap().to_logical::<bool>().unwrap(), [true, false]);
        assert_eq!(parse_literal("18446744073709551615", DType::U64, None).unwrap().item(), Some(u64::MAX));
        assert_eq!(parse_literal("1e3", DType::I32, None).unwrap().item(), Some(1000));
        assert_eq!(parse_literal("[]", DType::F64, Some(&[0])).unwrap().shape(), [0]);
        assert_eq!(parse_literal("[[], []]", DType::F64, None).unwrap().shape(), [2, 0]);
        assert_eq!(parse_literal("[[[1], [2]], [[3], [4]]]", DType::F64, None).unwrap().shape(), [2, 2, 1]);
    }

    fn complex_numbers_have_three_spellings() {
        let c = |s| parse_literal(s, DType::C64, None).unwrap().item::<C64>().unwrap();
        assert_eq!(c("\"1+2j\""), C64::new(1.0, 2.0));
        assert_eq!(c("1e-3-2.5e+1j"), C64::new(1e-3, -25.0));
        assert_eq!(c("-j"), C64::new(0.0, -1.0));
        assert_eq!(c("(1.0, -2.0)"), C64::new(1.0, -2.0));
        assert_eq!(c("3"), C64::new(3.0, 0.0));
        assert_eq!(c("inf+infj"), C64::new(f64::INFINITY, f64::INFINITY));
        let t = parse_literal("[(1, 2), \"3j\"]", DType::C32, None).unwrap();
        assert_eq!(t.to_logical::<C32>().unwrap(), [C32::new(1.0, 2.0), C32::new(0.0, 3.0)]);
    }

    fn malformed_literals_are_errors() {
        for s in [
            "", "[", "[1", "[1 2]", "[1,,2]", "]", "1]", "x", "1..2", "1e", "0x", "\"1", "(1", "--1", "[,]", "é",
            "[1]é",
        ] {
            let c = code(s, DType::F64);
            assert!(matches!(c, "E0611" | "E0612"), "{s}: {c}");
        }
        for s in ["[1, [2]]", "[[1], 2]", "[[1], [1, 2]]", "[[], [1]]", "[[[1]], [1]]", "[[], [[]]]", "[[1], [[2]]]"] {
            assert_eq!(code(s, DType::F64), "E0611", "{s}");
        }
        assert_eq!(code(&"[".repeat(1_000_000), DType::F64), "E0611");
    }

    fn numbers_the_dtype_cannot_hold_are_errors() {
        for (s, d) in [
            ("1.5", DType::I32),
            ("2147483648", DType::I32),
            ("-1", DType::U32),
            ("nan", DType::I64),
            ("1e40", DType::F32),
            ("1+2j", DType::F64),
            ("2", DType::Bool),
            ("1e400", DType::C64),
        ] {
            assert_eq!(code(s, d), "E0612", "{s}");
        }
        assert_eq!(code(&"9".repeat(400), DType::I64), "E0612");
        for (s, d) in
            [("128", DType::I8), ("-1", DType::U8), ("70000", DType::U16), ("65520", DType::F16), ("1e39", DType::BF16)]
        {
            assert_eq!(code(s, d), "E0612", "{s}");
        }
        let small = |s: &str, d| parse_literal(s, d, None).unwrap().real();
        assert_eq!(small("0.1", DType::BF16), Some(0.100097656250));
        assert_eq!(small("65519.9", DType::F16), Some(65504.0));
        assert_eq!(small("0x3c00", DType::F16), Some(1.0));
        let e = parse_literal("[[1, 2]]", DType::F64, Some(&[1, 3])).unwrap_err();
        assert_eq!(e.data().code.name(), "E0607");
        assert!(e.data().message.contains("axis 1 has extent 2, but 3"), "{e}");
    }
    /// All of them.
    pub const ALL: &[fn()] = &[
        literals_are_read_in_logical_order,
        complex_numbers_have_three_spellings,
        malformed_literals_are_errors,
        numbers_the_dtype_cannot_hold_are_errors,
    ];
}
