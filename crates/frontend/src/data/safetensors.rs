//! `.safetensors`: named tensors, a JSON header before their bytes.
//!
//! The whole header is checked, not only the tensor asked for: each name and each field once and no others, every byte
//! behind the header in exactly one tensor (as the format's description asks). What a tensor holds cannot be checked:
//! the format has no checksum.
use super::npz::pick;
use super::storage::{ArrayInfo, Stored, Want, read_array, write_logical};
use safetensors::Dtype;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use tfc_ir::{Budget, Code, DType, Error, Result, Tensor};

fn not_safetensors(why: impl std::fmt::Display) -> Error {
    Error::new(Code::E0602, format!("not a readable .safetensors file: {why}"))
}

/// The format's own limit.
const MAX_HEADER: u64 = 100_000_000;

/// What the header says of a tensor.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    dtype: Dtype,
    shape: Vec<usize>,
    /// From and to, in bytes behind the header.
    data_offsets: (u64, u64),
}

/// Texts about the file, `__metadata__`.
const TEXTS: &str = "__metadata__";

/// An object whose keys are all different: JSON lets readers differ over one that stands twice. Its values are those of
/// the header (`top`), or texts.
struct Keys {
    top: bool,
}
impl<'de> DeserializeSeed<'de> for Keys {
    type Value = BTreeMap<String, Option<Entry>>;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> std::result::Result<Self::Value, D::Error> {
        d.deserialize_map(self)
    }
}
impl<'de> Visitor<'de> for Keys {
    type Value = BTreeMap<String, Option<Entry>>;
    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut out = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = match &*key {
                TEXTS if self.top => map.next_value_seed(Keys { top: false }).map(|_| None)?,
                _ if self.top => Some(map.next_value()?),
                _ => map.next_value::<String>().map(|_| None)?,
            };
            if out.contains_key(&key) {
                return Err(de::Error::custom(format_args!("`{}` stands there twice", key.escape_debug())));
            }
            out.insert(key, value);
        }
        Ok(out)
    }
}

/// The tensors of a header before `held` bytes.
fn parse_header(text: &[u8], held: u64) -> Result<BTreeMap<String, Entry>> {
    let wrong = |e: serde_json::Error| not_safetensors(format_args!("its header: {e}"));
    let mut json = serde_json::Deserializer::from_slice(text);
    let items = Keys { top: true }.deserialize(&mut json).map_err(wrong)?;
    json.end().map_err(wrong)?;
    let tensors: BTreeMap<String, Entry> = items.into_iter().filter_map(|(k, e)| Some((k, e?))).collect();
    let mut ranges: Vec<((u64, u64), &str)> = tensors.iter().map(|(k, e)| (e.data_offsets, &**k)).collect();
    ranges.sort_unstable();
    let mut at = 0;
    for ((from, to), name) in ranges {
        let wrong = |why: String| not_safetensors(format_args!("tensor `{}` {why}", name.escape_debug()));
        if to < from {
            return Err(wrong(format!("ends at byte {to}, before it begins at {from}")));
        }
        if from != at {
            let how = if from < at { "overlaps another" } else { "leaves a hole before it" };
            return Err(wrong(format!("begins at byte {from} where {at} is due: it {how}")));
        }
        at = to;
        if tensors.get(name).and_then(Entry::bits) != (to - from).checked_mul(8) {
            return Err(wrong("has a byte range that does not fit its shape".into()));
        }
    }
    match at.cmp(&held) {
        Ordering::Greater => {
            Err(Error::new(Code::E0603, format!("truncated: it claims {at} bytes of elements and holds {held}")))
        }
        Ordering::Less => Err(not_safetensors(format_args!("{} bytes follow its last tensor", held - at))),
        Ordering::Equal => Ok(tensors),
    }
}
impl Entry {
    /// Bits of its elements; `None` where they cannot be counted.
    fn bits(&self) -> Option<u64> {
        let count = |n: u64, &d: &usize| n.checked_mul(u64::try_from(d).ok()?);
        self.shape.iter().try_fold(self.dtype.bitsize() as u64, count)
    }
}

/// Reads the tensor `key` of a `.safetensors` file of `size` bytes.
pub fn read_safetensors(
    file: impl Read + Seek,
    size: u64,
    key: Option<&str>,
    want: Want,
    budget: &Budget,
) -> Result<Tensor> {
    read(file, size, key, want, None, budget)
}
/// The same, of what the header says of the tensor alone.
pub(super) fn header(file: impl Read + Seek, size: u64, key: Option<&str>, budget: &Budget) -> Result<ArrayInfo> {
    find(file, size, key, budget).map(|found| found.array)
}
/// A tensor that a header describes, and where its elements lie in the file.
struct Found {
    array: ArrayInfo,
    from: u64,
    to: u64,
    name: String,
}
impl Found {
    fn named(&self, e: Error) -> Error {
        e.context(format_args!("tensor `{}`: ", self.name.escape_debug()))
    }
}
/// The same; `map`: the file, where it may be mapped.
pub(super) fn read(
    mut file: impl Read + Seek,
    size: u64,
    key: Option<&str>,
    want: Want,
    map: Option<&File>,
    budget: &Budget,
) -> Result<Tensor> {
    let found = find(&mut file, size, key, budget)?;
    let named = |e: Error| found.named(e);
    if let Some(whole) = map
        // SAFETY: who lets files be mapped promises that nobody changes them.
        && let Some(t) = unsafe { super::mapped::map(whole, found.from, &found.array, want) }.map_err(named)?
    {
        return Ok(t);
    }
    file.seek(SeekFrom::Start(found.from)).map_err(|e| Error::new(Code::E0601, e.to_string()))?;
    read_array(&mut file, &found.array, Some(found.to - found.from), want, budget).map_err(named)
}
/// Reads the header, and finds the tensor `key` in it.
fn find(mut file: impl Read + Seek, size: u64, key: Option<&str>, budget: &Budget) -> Result<Found> {
    let io = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::UnexpectedEof => Error::new(Code::E0603, "truncated: it ends within the header"),
        _ => Error::new(Code::E0601, e.to_string()),
    };
    let mut head = [0u8; 8];
    file.read_exact(&mut head).map_err(io)?;
    let len = u64::from_le_bytes(head);
    if len > MAX_HEADER {
        return Err(not_safetensors(format_args!("it claims a header of {len} bytes")));
    }
    if len + 8 > size {
        return Err(Error::new(
            Code::E0603,
            format!("truncated: it claims a header of {len} bytes and holds {size} in all"),
        ));
    }
    // What is made of a header takes a few times its text.
    let _held = budget.hold(8 * len as usize)?;
    let mut header = vec![0u8; len as usize];
    file.read_exact(&mut header).map_err(io)?;
    let tensors = parse_header(&header, size - 8 - len)?;
    let name = pick(key, tensors.keys().map(|k| k.as_str()).collect())?;
    let entry = tensors.get(name).ok_or_else(|| Error::new(Code::E0604, "has no such tensor"))?;
    let named = |e: Error| e.context(format_args!("tensor `{}`: ", name.escape_debug()));
    let stored = storage(entry.dtype).map_err(named)?;
    let array = ArrayInfo { stored, shape: entry.shape.clone(), column_major: false, big_endian: false };
    let (from, to) = entry.data_offsets;
    Ok(Found { array, from: 8 + len + from, to: 8 + len + to, name: name.to_owned() })
}

fn storage(d: Dtype) -> Result<Stored> {
    use Dtype as S;
    Ok(Stored::Of(match d {
        S::BOOL => DType::Bool,
        S::I8 => DType::I8,
        S::I16 => DType::I16,
        S::I32 => DType::I32,
        S::I64 => DType::I64,
        S::U8 => DType::U8,
        S::U16 => DType::U16,
        S::U32 => DType::U32,
        S::U64 => DType::U64,
        S::BF16 => DType::BF16,
        S::F16 => DType::F16,
        S::F32 => DType::F32,
        S::F64 => DType::F64,
        S::C64 => DType::C32,
        S::F8_E4M3 => DType::F8E4M3FN,
        S::F8_E5M2 => DType::F8E5M2,
        S::F8_E4M3FNUZ => DType::F8E4M3FNUZ,
        S::F8_E5M2FNUZ => DType::F8E5M2FNUZ,
        other => return Err(Error::new(Code::E0605, format!("holds elements of type {other:?}, which are not read"))),
    }))
}

/// Writes a `.safetensors` file, row-major; wide elements come first, so that every tensor is aligned.
pub fn write_safetensors(mut out: impl Write, arrays: &[(&str, &Tensor)]) -> std::io::Result<()> {
    let mut arrays = arrays.to_vec();
    arrays.sort_by_key(|(name, t)| (std::cmp::Reverse(t.dtype().size()), *name));
    let mut header = serde_json::Map::new();
    let mut at = 0u64;
    for (name, t) in &arrays {
        let dtype = match t.dtype() {
            DType::C32 => "C64".to_owned(),
            DType::C64 => return Err(std::io::Error::other("the format has no complex type of two f64")),
            DType::F8E4M3FN => "F8_E4M3".to_owned(),
            DType::F8E5M2 => "F8_E5M2".to_owned(),
            DType::F8E4M3FNUZ => "F8_E4M3FNUZ".to_owned(),
            DType::F8E5M2FNUZ => "F8_E5M2FNUZ".to_owned(),
            d if d.is_tiny() => return Err(std::io::Error::other(format!("the format has no {d} of one byte each"))),
            d => d.name().to_uppercase(),
        };
        let end = at + t.len() as u64 * t.dtype().size() as u64;
        let entry = serde_json::json!({ "dtype": dtype, "shape": t.shape(), "data_offsets": [at, end] });
        header.insert((*name).to_owned(), entry);
        at = end;
    }
    let mut text = serde_json::to_string(&header)?;
    text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(8) - text.len()));
    out.write_all(&(text.len() as u64).to_le_bytes())?;
    out.write_all(text.as_bytes())?;
    arrays.iter().try_for_each(|(_, t)| write_logical(t, &mut out))
}
