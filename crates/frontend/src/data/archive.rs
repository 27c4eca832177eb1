//! Files of several named arrays: `.npz` (a zip of `.npy`, stored or deflated) and `.safetensors`.
//!
//! Only the array asked for is read. Sizes that a zip entry claims are believed no further than the bytes that come
//! out of it, so a bomb costs no more memory than the array it really holds.
use super::npy;
use super::storage::{ArrayInfo, Stored, Want, read_array, write_logical};
use std::io::{Read, Seek, SeekFrom, Write};
use tfc_ir::{DType, Error, Result, Tensor};

/// The arrays that the message for a missing key lists at most.
const LISTED: usize = 8;

/// Picks the entry: `key`, or the only one there is.
fn pick<'a>(key: Option<&'a str>, mut names: Vec<&'a str>) -> Result<&'a str> {
    names.sort_unstable();
    let list = || {
        let more = if names.len() > LISTED { ", …" } else { "" };
        let shown: Vec<&str> = names.iter().take(LISTED).copied().collect();
        if shown.is_empty() { "it is empty".to_owned() } else { format!("it holds {}{more}", shown.join(", ")) }
    };
    match (key, names.as_slice()) {
        (Some(k), _) if names.contains(&k) => Ok(k),
        (Some(k), _) => Err(Error::new("E0604", format!("has no array `{}`", k.escape_debug())).help(list())),
        (None, [one]) => Ok(one),
        (None, _) => Err(Error::new("E0604", "a key is needed to choose an array").help(list())),
    }
}

fn zip_error(e: zip::result::ZipError) -> Error {
    match e {
        zip::result::ZipError::Io(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            Error::new("E0603", "truncated zip archive")
        }
        zip::result::ZipError::Io(e) => Error::new("E0601", e.to_string()),
        e => Error::new("E0602", format!("not a readable .npz file: {e}")),
    }
}

/// Reads the array `key` (without `.npy`) of an `.npz` file.
pub fn read_npz(file: impl Read + Seek, key: Option<&str>, want: Want) -> Result<Tensor> {
    let mut archive = zip::ZipArchive::new(file).map_err(zip_error)?;
    let chosen = {
        let names: Vec<_> = archive.file_names().collect::<std::result::Result<_, _>>().map_err(zip_error)?;
        pick(key, names.iter().map(|n| n.strip_suffix(".npy").unwrap_or(n)).collect())?.to_owned()
    };
    let at = archive.index_for_name(&format!("{chosen}.npy")).or_else(|| archive.index_for_name(&chosen));
    let at = at.ok_or_else(|| Error::new("E0604", format!("has no array `{}`", chosen.escape_debug())))?;
    let mut entry = archive.by_index(at).map_err(zip_error)?;
    npy::read(&mut entry, None, want).map_err(|e| e.context(format_args!("array `{}`: ", chosen.escape_debug())))
}

/// Writes an `.npz` file, uncompressed, entries in the order given; the same arrays give the same bytes.
pub fn write_npz(out: impl Write + Seek, arrays: &[(&str, &Tensor)]) -> std::io::Result<()> {
    let mut zip = zip::ZipWriter::new(out);
    for (name, t) in arrays {
        let large = t.len().saturating_mul(t.dtype().size()) > (u32::MAX / 2) as usize;
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored)
            .last_modified_time(zip::DateTime::default())
            .large_file(large);
        zip.start_file(format!("{name}.npy"), options)?;
        npy::write(t, &mut zip)?;
    }
    zip.finish()?;
    Ok(())
}

fn not_safetensors(why: impl std::fmt::Display) -> Error {
    Error::new("E0602", format!("not a readable .safetensors file: {why}"))
}

/// Reads the tensor `key` of a `.safetensors` file of `size` bytes.
pub fn read_safetensors(mut file: impl Read + Seek, size: u64, key: Option<&str>, want: Want) -> Result<Tensor> {
    let io = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::UnexpectedEof => Error::new("E0603", "truncated: it ends within the header"),
        _ => Error::new("E0601", e.to_string()),
    };
    let mut head = [0u8; 8];
    file.read_exact(&mut head).map_err(io)?;
    let len = u64::from_le_bytes(head);
    // The format's own limit.
    if len > 100_000_000 {
        return Err(not_safetensors(format_args!("it claims a header of {len} bytes")));
    }
    if len + 8 > size {
        return Err(Error::new(
            "E0603",
            format!("truncated: it claims a header of {len} bytes and holds {size} in all"),
        ));
    }
    let mut header = vec![0u8; len as usize];
    file.read_exact(&mut header).map_err(io)?;
    // The crate's own entry point wants the whole file in memory; its metadata type makes the same checks.
    let metadata: safetensors::tensor::Metadata = serde_json::from_slice(&header).map_err(not_safetensors)?;
    let (claimed, held) = (metadata.data_len() as u64, size - 8 - len);
    if claimed > held {
        return Err(Error::new("E0603", format!("truncated: it claims {claimed} bytes of elements and holds {held}")));
    }
    let tensors = metadata.tensors();
    let name = pick(key, tensors.keys().map(|k| k.as_str()).collect())?;
    let info = tensors.get(name).ok_or_else(|| Error::new("E0604", "has no such tensor"))?;
    let named = |e: Error| e.context(format_args!("tensor `{}`: ", name.escape_debug()));
    let array = ArrayInfo {
        stored: storage(info.dtype).map_err(named)?,
        shape: info.shape.clone(),
        column_major: false,
        big_endian: false,
    };
    let (from, to) = info.data_offsets;
    let start = 8 + len + from as u64;
    if array.byte_len().map_err(named)? != (to as u64).saturating_sub(from as u64) {
        return Err(named(not_safetensors("its byte range does not fit its shape")));
    }
    file.seek(SeekFrom::Start(start)).map_err(io)?;
    read_array(&mut file, &array, Some(size.saturating_sub(start)), want).map_err(named)
}

fn storage(d: safetensors::Dtype) -> Result<Stored> {
    use safetensors::Dtype as S;
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
        S::F8_E4M3 => return Ok(Stored::F8E4M3),
        S::F8_E5M2 => return Ok(Stored::F8E5M2),
        other => return Err(Error::new("E0605", format!("holds elements of type {other:?}, which are not read"))),
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
