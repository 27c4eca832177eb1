//! `.npz`: a zip of `.npy` files, stored or deflated.
//!
//! Only the array asked for is read, to its last byte, and its CRC-32 is compared with the one that the archive states.
//! What a member claims to hold is checked against the bytes that it has in the file before memory is taken.
use super::npy;
use super::storage::{ArrayInfo, Want};
use std::io::{Read, Seek, SeekFrom, Write};
use tfc_ir::{Budget, Code, Error, Result, Tensor};
use zip::CompressionMethod;

/// The arrays that the message for a missing key lists at most.
const LISTED: usize = 8;

/// Picks the entry: `key`, or the only one there is.
pub(super) fn pick<'a>(key: Option<&'a str>, mut names: Vec<&'a str>) -> Result<&'a str> {
    names.sort_unstable();
    let list = || {
        let more = if names.len() > LISTED { ", …" } else { "" };
        let shown: Vec<&str> = names.iter().take(LISTED).copied().collect();
        if shown.is_empty() { "it is empty".to_owned() } else { format!("it holds {}{more}", shown.join(", ")) }
    };
    match (key, names.as_slice()) {
        (Some(k), _) if names.contains(&k) => Ok(k),
        (Some(k), _) => Err(Error::new(Code::E0604, format!("has no array `{}`", k.escape_debug())).help(list())),
        (None, [one]) => Ok(one),
        (None, _) => Err(Error::new(Code::E0604, "a key is needed to choose an array").help(list())),
    }
}

fn zip_error(e: zip::result::ZipError) -> Error {
    match e {
        zip::result::ZipError::Io(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            Error::new(Code::E0603, "truncated zip archive")
        }
        zip::result::ZipError::Io(e) => Error::new(Code::E0601, e.to_string()),
        e => Error::new(Code::E0602, format!("not a readable .npz file: {e}")),
    }
}

/// Deflate makes at most 258 bytes out of two bits (RFC 1951, 3.2.5 and 3.2.7), and zlib's own bound is 1032 : 1.
const MOST_INFLATED: u64 = 1032;

/// Refuses a member that claims more than its bytes in the file can hold; the bytes that it may then hold.
fn plausible(method: CompressionMethod, packed: u64, claimed: u64, file: u64) -> Result<u64> {
    let most = match method {
        CompressionMethod::Stored => packed,
        CompressionMethod::Deflated => packed.saturating_mul(MOST_INFLATED),
        other => return Err(not_npz(format_args!("its members are compressed by {other}, not stored or deflated"))),
    };
    match (packed, claimed) {
        (packed, _) if packed > file => {
            Err(Error::new(Code::E0603, format!("truncated: it claims {packed} bytes of a file of {file}")))
        }
        (_, claimed) if claimed > most => {
            Err(not_npz(format_args!("it claims {claimed} bytes, and {packed} in the file cannot hold them")))
        }
        _ => Ok(claimed),
    }
}
fn not_npz(why: impl std::fmt::Display) -> Error {
    Error::new(Code::E0602, format!("not a readable .npz file: {why}"))
}

/// A member while it is read: its checksum so far, and what is wrong with its compressed bytes.
struct Member<R> {
    inner: R,
    crc: flate2::Crc,
    wrong: Option<String>,
}
impl<R: Read> Read for Member<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        use std::io::ErrorKind::{InvalidData, InvalidInput};
        match self.inner.read(buffer) {
            Ok(n) => {
                self.crc.update(buffer.get(..n).unwrap_or_default());
                Ok(n)
            }
            Err(e) => {
                if matches!(e.kind(), InvalidData | InvalidInput) {
                    self.wrong.get_or_insert_with(|| e.to_string());
                }
                Err(e)
            }
        }
    }
}

/// Reads the array `key` (without `.npy`) of an `.npz` file.
pub fn read_npz(file: impl Read + Seek, key: Option<&str>, want: Want, budget: &Budget) -> Result<Tensor> {
    of_member(file, key, |entry, size| read_member(entry, size, want, budget))
}
/// What the header of the array `key` says.
pub(super) fn header(file: impl Read + Seek, key: Option<&str>) -> Result<ArrayInfo> {
    of_member(file, key, |mut entry, _| npy::read_header(&mut entry, None).map(|h| h.0))
}
/// What `read` makes of the array `key` of an `.npz` file, and of the size of that file.
fn of_member<F: Read + Seek, T>(
    mut file: F,
    key: Option<&str>,
    read: impl FnOnce(zip::read::ZipFile<F>, u64) -> Result<T>,
) -> Result<T> {
    let size = file.seek(SeekFrom::End(0)).map_err(|e| Error::new(Code::E0601, e.to_string()))?;
    let mut archive = zip::ZipArchive::new(file).map_err(zip_error)?;
    if archive.has_duplicate_names() {
        return Err(not_npz("it has two members of one name"));
    }
    let chosen = {
        let names: Vec<_> = archive.file_names().collect::<std::result::Result<_, _>>().map_err(zip_error)?;
        pick(key, names.iter().map(|n| n.strip_suffix(".npy").unwrap_or(n)).collect())?.to_owned()
    };
    let at = archive.index_for_name(&format!("{chosen}.npy")).or_else(|| archive.index_for_name(&chosen));
    let at = at.ok_or_else(|| Error::new(Code::E0604, format!("has no array `{}`", chosen.escape_debug())))?;
    // The checksum is ours to compare, so that the message can say both.
    let options = zip::read::ZipReadOptions::new().ignore_crc32(true);
    let entry = archive.by_index_with_options(at, options).map_err(zip_error)?;
    read(entry, size).map_err(|e| e.context(format_args!("array `{}`: ", chosen.escape_debug())))
}
fn read_member<R: Read>(entry: zip::read::ZipFile<R>, file: u64, want: Want, budget: &Budget) -> Result<Tensor> {
    let claimed = plausible(entry.compression(), entry.compressed_size(), entry.size(), file)?;
    let stated = entry.crc32();
    let mut member = Member { inner: entry, crc: flate2::Crc::new(), wrong: None };
    let read = npy::read(&mut member, Some(claimed), want, None, budget).and_then(|t| {
        // Only a member that ends here has been read whole.
        match member.read(&mut [0]).map_err(|e| Error::new(Code::E0601, e.to_string()))? {
            0 => Ok(t),
            _ => Err(not_npz("more bytes follow the array")),
        }
    });
    if let Some(why) = &member.wrong {
        return Err(not_npz(format_args!("damaged: {why}")));
    }
    let (t, found) = (read?, member.crc.sum());
    if found != stated {
        return Err(Error::new(Code::E0608, "its CRC-32 is wrong: the file is damaged")
            .note(format!("declared {stated:08x}"))
            .note(format!("found    {found:08x}")));
    }
    Ok(t)
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
