//! NumPy's `.npy` format, versions 1 to 3, both element orders, both byte orders.
//!
//! A Fortran-order and a C-order file of the same array are the same logical tensor; only the strides differ, and
//! nothing is transposed on reading. Every claim of the header is checked before memory is taken.
use super::storage::{ArrayInfo, Stored, Want, read_array, write_column_major};
use std::fs::File;
use std::io::{Read, Write};
use tfc_ir::{Budget, Code, DType, Error, Result, Tensor};

/// The first bytes of every `.npy` file.
pub const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// NumPy itself refuses headers above 10 000 bytes unless told otherwise.
const MAX_HEADER: usize = 1 << 20;
/// NumPy's own limit is 64.
const MAX_RANK: usize = 64;

fn malformed(why: impl std::fmt::Display) -> Error {
    Error::new(Code::E0602, format!("not a readable .npy file: {why}"))
}

fn fill(r: &mut dyn Read, buffer: &mut [u8], what: &str) -> Result<()> {
    r.read_exact(buffer).map_err(|e| match e.kind() {
        std::io::ErrorKind::UnexpectedEof => Error::new(Code::E0603, format!("truncated: it ends within {what}")),
        _ => Error::new(Code::E0601, e.to_string()),
    })
}

/// Reads magic and header; returns what they say and how many bytes they took.
pub fn read_header(r: &mut dyn Read, available: Option<u64>) -> Result<(ArrayInfo, u64)> {
    let mut head = [0u8; 8];
    fill(r, &mut head[..6], "the magic number")?;
    if head[..6] != MAGIC[..] {
        return Err(malformed("it does not begin with \\x93NUMPY"));
    }
    fill(r, &mut head[6..], "the version")?;
    let [.., major, minor] = head;
    let (len, prefix) = match major {
        1 => {
            let mut b = [0u8; 2];
            fill(r, &mut b, "the header length")?;
            (u16::from_le_bytes(b) as usize, 10)
        }
        2 | 3 => {
            let mut b = [0u8; 4];
            fill(r, &mut b, "the header length")?;
            (u32::from_le_bytes(b) as usize, 12)
        }
        _ => return Err(malformed(format_args!("version {major}.{minor} is unknown (1 to 3 are read)"))),
    };
    if len > MAX_HEADER {
        return Err(malformed(format_args!("it claims a header of {len} bytes")));
    }
    if available.is_some_and(|have| have < prefix + len as u64) {
        return Err(Error::new(Code::E0603, format!("truncated: it claims a header of {len} bytes and ends before")));
    }
    let mut text = vec![0u8; len];
    fill(r, &mut text, "the header")?;
    let text = std::str::from_utf8(&text).map_err(|_| malformed("the header is not text"))?;
    Ok((parse_header(text)?, prefix + len as u64))
}

/// Reads one array. `available` is the size of the whole file where it is known; `map`: the file, where it may be mapped.
pub(super) fn read(
    r: &mut dyn Read,
    available: Option<u64>,
    want: Want,
    map: Option<&File>,
    budget: &Budget,
) -> Result<Tensor> {
    let (info, used) = read_header(r, available)?;
    if let Some(file) = map
        // SAFETY: who lets files be mapped promises that nobody changes them.
        && let Some(t) = unsafe { super::mapped::map(file, used, &info, want) }?
    {
        return Ok(t);
    }
    read_array(r, &info, available.map(|n| n.saturating_sub(used)), want, budget)
}

/// A reader of the Python literals that headers are made of.
struct Literal<'a> {
    rest: &'a str,
}
impl<'a> Literal<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }
    fn eat(&mut self, c: char) -> bool {
        self.skip();
        match self.rest.strip_prefix(c) {
            Some(r) => {
                self.rest = r;
                true
            }
            None => false,
        }
    }
    fn expect(&mut self, c: char) -> Result<()> {
        if self.eat(c) { Ok(()) } else { Err(malformed(format_args!("the header lacks a `{c}`"))) }
    }
    fn string(&mut self) -> Result<&'a str> {
        self.skip();
        let quote = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let found = quote.and_then(|q| self.rest.get(1..)?.split_once(q));
        let (s, rest) = found.ok_or_else(|| malformed("the header lacks a string"))?;
        self.rest = rest;
        Ok(s)
    }
    fn boolean(&mut self) -> Result<bool> {
        self.skip();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(r) = self.rest.strip_prefix(word) {
                self.rest = r;
                return Ok(value);
            }
        }
        Err(malformed("`fortran_order` is neither True nor False"))
    }
    fn extents(&mut self) -> Result<Vec<usize>> {
        self.expect('(')?;
        let mut shape = vec![];
        while !self.eat(')') {
            self.skip();
            let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            let (digits, rest) = self.rest.split_at(end);
            if digits.is_empty() {
                return Err(malformed("`shape` holds something that is no extent"));
            }
            let n: u64 = digits
                .parse()
                .map_err(|_| Error::new(Code::E0603, format!("an extent of {digits} is more than a file can hold")))?;
            shape.push(
                usize::try_from(n)
                    .map_err(|_| Error::new(Code::E0603, format!("an extent of {n} does not fit this machine")))?,
            );
            if shape.len() > MAX_RANK {
                return Err(malformed(format_args!("it claims more than {MAX_RANK} axes")));
            }
            self.rest = rest.strip_prefix('L').unwrap_or(rest);
            if !self.eat(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }
}

fn parse_header(text: &str) -> Result<ArrayInfo> {
    let mut p = Literal { rest: text };
    let (mut descr, mut order, mut shape) = (None, None, None);
    p.expect('{')?;
    while !p.eat('}') {
        let key = p.string()?;
        p.expect(':')?;
        match key {
            "descr" if p.rest.trim_start().starts_with('[') => {
                return Err(Error::new(Code::E0605, "holds records (a structured dtype)")
                    .help("store each field as an array of its own"));
            }
            "descr" => descr = Some(p.string()?),
            "fortran_order" => order = Some(p.boolean()?),
            "shape" => shape = Some(p.extents()?),
            _ => return Err(malformed(format_args!("the header has a key `{}`", key.escape_debug()))),
        }
        if !p.eat(',') {
            p.expect('}')?;
            break;
        }
    }
    let missing = |key| malformed(format_args!("the header lacks `{key}`"));
    let (stored, big_endian) = storage(descr.ok_or_else(|| missing("descr"))?)?;
    let info = ArrayInfo {
        stored,
        big_endian,
        column_major: order.ok_or_else(|| missing("fortran_order"))?,
        shape: shape.ok_or_else(|| missing("shape"))?,
    };
    info.byte_len()?;
    Ok(info)
}

/// The storage type that a `descr` such as `<f8` names, and whether it is big-endian.
fn storage(descr: &str) -> Result<(Stored, bool)> {
    use DType::*;
    let (order, code) = match descr.chars().next() {
        Some(c @ ('<' | '>' | '|' | '=')) => (c, &descr[1..]),
        _ => ('=', descr),
    };
    let dtype = match code {
        "b1" | "?" => Bool,
        "i1" => I8,
        "i2" => I16,
        "i4" => I32,
        "i8" => I64,
        "u1" => U8,
        "u2" => U16,
        "u4" => U32,
        "u8" => U64,
        "f2" => F16,
        // What `ml_dtypes` has NumPy write: two bytes without a meaning.
        "V2" | "bfloat16" => BF16,
        "f4" => F32,
        "f8" => F64,
        "c8" => C32,
        "c16" => C64,
        // So does it write what it has of one byte, but for this one, which NumPy itself does not read back.
        "f1" => F8E5M2,
        "V1" => return Ok((Stored::Bytes, false)),
        _ => {
            let e = Error::new(Code::E0605, format!("holds elements of dtype `{}`", descr.escape_debug()));
            return Err(match code.chars().next() {
                Some('O') => e.help("Python objects are not read; store numbers"),
                Some('V') => e.help("raw bytes have no meaning here"),
                _ => e.help("readable are bool, int8…64, uint8…64, float16…64, complex64 and complex128"),
            });
        }
    };
    Ok((Stored::Of(dtype), order == '>'))
}

/// NumPy's name of a dtype; of `bf16` and the tiny ones what its package `ml_dtypes` makes of them.
fn descr(d: DType) -> &'static str {
    match d {
        DType::Bool => "|b1",
        DType::I32 => "<i4",
        DType::I64 => "<i8",
        DType::U32 => "<u4",
        DType::U64 => "<u8",
        DType::F32 => "<f4",
        DType::F64 => "<f8",
        DType::C32 => "<c8",
        DType::C64 => "<c16",
        DType::I8 => "|i1",
        DType::U8 => "|u1",
        DType::I16 => "<i2",
        DType::U16 => "<u2",
        DType::F16 => "<f2",
        DType::BF16 => "<V2",
        _ => "|V1",
    }
}

/// Writes `t` as version 1.0 in Fortran order (arrays of less than two axes have one order, and say C as NumPy does).
pub fn write(t: &Tensor, out: &mut dyn Write) -> std::io::Result<()> {
    let extents: String = match t.shape() {
        [n] => format!("{n},"),
        s => s.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    };
    let order = if t.rank() >= 2 { "True" } else { "False" };
    let mut header = format!("{{'descr': '{}', 'fortran_order': {order}, 'shape': ({extents}), }}", descr(t.dtype()));
    // NumPy aligns the data at 64 bytes; the header ends in a newline.
    let total = (10 + header.len() + 1).next_multiple_of(64);
    header.extend(std::iter::repeat_n(' ', total - 11 - header.len()));
    header.push('\n');
    let len = u16::try_from(header.len()).map_err(std::io::Error::other)?;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&len.to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    write_column_major(t, out)
}

/// What is tested from inside.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn file(header: &str, body: &[u8]) -> Vec<u8> {
        let mut f = b"\x93NUMPY\x01\x00".to_vec();
        f.extend((header.len() as u16).to_le_bytes());
        f.extend(header.as_bytes());
        f.extend(body);
        f
    }
    fn get(f: &[u8], want: Want) -> Result<Tensor> {
        read(&mut &f[..], Some(f.len() as u64), want, None, &Budget::unlimited())
    }
    fn code(f: &[u8]) -> &'static str {
        let known = get(f, Want::default()).unwrap_err().data().code.name();
        let stream =
            read(&mut &f[..], None, Want::default(), None, &Budget::unlimited()).unwrap_err().data().code.name();
        assert_eq!(known, stream);
        known
    }
    const I4: &str = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }";
    fn ints(v: &[i32]) -> Vec<u8> {
        v.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn both_orders_are_the_same_tensor() {
        let c = get(&file(I4, &ints(&[1, 2, 3, 4])), Want::default()).unwrap();
        let f = get(&file(&I4.replace("False", "True"), &ints(&[1, 3, 2, 4])), Want::default()).unwrap();
        assert_eq!(c.to_logical::<i32>().unwrap(), [1, 2, 3, 4]);
        assert!(c.same(&f));
        assert_eq!((c.strides(), f.strides()), (&[2, 1][..], &[1, 2][..]));
    }

    fn big_endian_and_versions_are_read() {
        let body: Vec<u8> = [1.5f64, -2.0].iter().flat_map(|x| x.to_be_bytes()).collect();
        let header = "{'descr': '>f8', 'fortran_order': False, 'shape': (2,)}\n";
        let one = file(header, &body);
        let mut three = b"\x93NUMPY\x03\x00".to_vec();
        three.extend((header.len() as u32).to_le_bytes());
        three.extend(&one[10..]);
        for f in [one, three] {
            assert_eq!(get(&f, Want::default()).unwrap().to_logical::<f64>().unwrap(), [1.5, -2.0]);
        }
    }

    fn bad_files_are_errors() {
        assert_eq!(code(b""), "E0603");
        assert_eq!(code(b"PK\x03\x04garbage"), "E0602");
        assert_eq!(code(b"\x93NUMPY\x09\x00"), "E0602");
        assert_eq!(code(b"\x93NUMPY\x01\x00\xff\xff{"), "E0603");
        assert_eq!(code(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{"), "E0602");
        assert_eq!(code(&file(I4, &ints(&[1, 2, 3]))), "E0603");
        for n in ["9223372036854775808", "4294967296, 4294967296", "1152921504606846976", "99999999999999999999999"] {
            assert_eq!(code(&file(&I4.replace("2, 2", n), &ints(&[1]))), "E0603", "{n}");
        }
        assert_eq!(code(&file(&I4.replace("2, 2", "100000000000"), &ints(&[1]))), "E0603");
        assert_eq!(code(&file(&I4.replace("2, 2", "-1"), b"")), "E0602");
        assert_eq!(code(&file(&I4.replace("2, 2", &"1,".repeat(65)), b"")), "E0602");
        assert_eq!(code(&file("{'descr': '|O', 'fortran_order': False, 'shape': ()}", b"")), "E0605");
        assert_eq!(code(&file("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': ()}", b"")), "E0605");
        assert_eq!(code(&file("{'descr': '|V1', 'fortran_order': False, 'shape': ()}", b"a")), "E0605");
        for h in ["", "{", "{'descr", "{'descr': '<i4'}", "{'shape': (}", "[]", "{'fortran_order': None}", "{'x': 1}"] {
            assert_eq!(code(&file(h, b"")), "E0602", "{h}");
        }
    }

    fn storage_types_convert_only_when_asked() {
        let f = file("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", &[0, 7, 255]);
        let want = Want { dtype: Some(DType::F32), convert: true };
        assert_eq!(get(&f, want).unwrap().to_logical::<f32>().unwrap(), [0.0, 7.0, 255.0]);
        assert_eq!(get(&f, Want { convert: false, ..want }).unwrap_err().data().code.name(), "E0606");
        let bools = get(&f, Want { dtype: Some(DType::Bool), convert: true }).unwrap();
        assert_eq!(bools.to_logical::<bool>().unwrap(), [false, true, true]);
    }

    fn what_is_written_reads_back() {
        let t = Tensor::from_logical::<f64>(&[2, 3], vec![1.0, f64::NAN, -0.0, f64::INFINITY, 5.0, 6.0]).unwrap();
        for t in [
            t.clone(),
            t.t(),
            Tensor::scalar(true),
            Tensor::scalar(tfc_ir::C32::new(1.0, 2.0)),
            Tensor::from_logical::<u64>(&[0, 3], vec![]).unwrap(),
            Tensor::from_logical(&[20000], (0..20000).collect::<Vec<i64>>()).unwrap(),
        ] {
            let mut f = vec![];
            write(&t, &mut f).unwrap();
            assert_eq!((f.len() - t.len() * t.dtype().size()) % 64, 0);
            assert!(get(&f, Want::default()).unwrap().same(&t));
        }
    }
    /// All of them.
    pub const ALL: &[fn()] = &[
        both_orders_are_the_same_tensor,
        big_endian_and_versions_are_read,
        bad_files_are_errors,
        storage_types_convert_only_when_asked,
        what_is_written_reads_back,
    ];
}
