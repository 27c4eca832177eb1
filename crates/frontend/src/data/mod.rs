//! Data files and literals: what comes into a program and what leaves it.
//!
//! Reading: `.npy`, `.npz`, `.safetensors` ([`load`], and [`load_declared`] for `data` declarations), literals
//! ([`parse_literal`]), the specs of the command line ([`Spec`]). Writing: [`save`], atomically. Also printing
//! ([`show`]) and comparing ([`compare`]) of tensors.
//!
//! A file's claims are checked against its real size before memory is taken, and the memory is taken from a
//! [`Budget`]; what is wrong with a file is an error value that names the file and the reason (`E06xx`), never a panic.
pub mod compare;
mod csv;
mod declared;
pub(crate) mod literal;
mod mapped;
pub mod npy;
mod npz;
mod output;
pub mod random;
mod safetensors;
pub mod show;
pub(crate) mod spec;
pub(crate) mod storage;

pub use self::safetensors::{read_safetensors, write_safetensors};
pub use declared::{Declared, Roots, declared_shape, load_declared, sha256};
pub use literal::parse_literal;
pub use mapped::{MAPPED_FROM, Reading};
pub use npz::{read_npz, write_npz};
pub use output::{abandon, check_writable, output_format, same_file, save, save_all, save_within, write_atomically};
pub use spec::{Given, Spec};
pub use storage::{ArrayInfo, Stored, Want};

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use tfc_ir::{Budget, Code, DType, Error, Result, Tensor};

/// The format of a data file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// One array, `.npy`.
    Npy,
    /// Named arrays in a zip archive, `.npz`.
    Npz,
    /// Named tensors, `.safetensors`.
    Safetensors,
    /// Rows of numbers, `.csv`.
    Csv,
}
impl Format {
    /// The formats and their extensions.
    pub const ALL: [(&'static str, Format); 4] =
        [("npy", Format::Npy), ("npz", Format::Npz), ("safetensors", Format::Safetensors), ("csv", Format::Csv)];
    /// The format of that name (`npy`, `npz`, `safetensors`, `csv`).
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|(n, _)| *n == name).map(|(_, f)| f)
    }
    /// Name of the format, which is also its file extension.
    pub fn name(self) -> &'static str {
        match self {
            Format::Npy => "npy",
            Format::Npz => "npz",
            Format::Safetensors => "safetensors",
            Format::Csv => "csv",
        }
    }
    /// By the extension of `path`.
    pub fn of(path: &Path) -> Result<Format> {
        path.extension().and_then(|e| e.to_str()).and_then(Format::from_name).ok_or_else(|| {
            Error::new(Code::E0602, format!("`{}` has no known data format", path.display()))
                .help("data files end in .npy, .npz, .safetensors or .csv")
        })
    }
    /// Whether the format holds named arrays, so that a key makes sense.
    pub fn has_keys(self) -> bool {
        matches!(self, Format::Npz | Format::Safetensors)
    }
}

/// Reads one array of the file at `path`, the format being given by the extension. `key` chooses among several; it may
/// be left out where there is one. With `want` the file must hold that dtype, or with `convert` any that converts
/// (TFIR §5); without it the file's dtype is taken, and with
/// `convert` one that programs lack is widened. There is no limit on time and memory.
pub fn load(path: &Path, key: Option<&str>, want: Option<DType>, convert: bool) -> Result<Tensor> {
    load_as(path, Format::of(path)?, key, Want { dtype: want, convert }, &Budget::unlimited())
}

/// [`load`] of a known format, whatever the file is called. The elements are taken from `budget` before there is memory
/// for them, and stay taken: a tensor does not say when it goes.
pub fn load_as<'a>(
    path: &Path,
    format: Format,
    key: Option<&str>,
    want: Want,
    reading: impl Into<Reading<'a>>,
) -> Result<Tensor> {
    let reading = reading.into();
    let budget = reading.budget;
    budget.check()?;
    let named = |e: Error| e.context(format_args!("`{}`: ", path.display()));
    let file = File::open(path).map_err(|e| cannot_read(path, &e))?;
    let meta = file.metadata().map_err(|e| cannot_read(path, &e))?;
    if meta.is_dir() {
        return Err(Error::new(Code::E0601, format!("cannot read `{}`: it is a folder", path.display())));
    }
    if !format.has_keys() && key.is_some() {
        let text = format!("a .{} file has no keys", format.name());
        return Err(named(Error::new(Code::E0604, text).help("leave the key out")));
    }
    let size = meta.is_file().then_some(meta.len());
    let mappable = mapped::mappable(&file, reading)?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    match (format, size) {
        (Format::Npy, _) => npy::read(&mut reader, size, want, mappable.as_ref(), budget),
        (Format::Csv, _) => csv::read(&mut reader, want.dtype, budget),
        (Format::Npz, Some(_)) => read_npz(reader, key, want, budget),
        (Format::Safetensors, Some(n)) => safetensors::read(reader, n, key, want, mappable.as_ref(), budget),
        (f, None) => Err(Error::new(Code::E0601, format!("a .{} file must be a regular file", f.name()))),
    }
    .map_err(named)
}

/// The shape of the array that [`load_as`] would read; of a `.csv` file all is read for it, of others what stands before the elements.
///
/// # Errors
/// As those of [`load_as`].
pub fn shape_of(path: &Path, format: Format, key: Option<&str>) -> Result<Vec<usize>> {
    let named = |e: Error| e.context(format_args!("`{}`: ", path.display()));
    let none = Budget::unlimited();
    let file = File::open(path).map_err(|e| cannot_read(path, &e))?;
    let size = file.metadata().map_err(|e| cannot_read(path, &e))?.len();
    let mut reader = BufReader::new(file);
    match format {
        Format::Npy => npy::read_header(&mut reader, Some(size)).map(|h| h.0.shape),
        Format::Npz => npz::header(reader, key).map(|h| h.shape),
        Format::Safetensors => safetensors::header(reader, size, key, &none).map(|h| h.shape),
        Format::Csv => csv::read(&mut reader, None, &none).map(|t| t.shape().to_vec()),
    }
    .map_err(named)
}

/// Whether the file at `path` has an array of that name; `false` also where the file cannot be read, which reading it says.
pub fn has_key(path: &Path, key: &str) -> bool {
    let none = Want { dtype: Some(DType::Bool), convert: false };
    // Of an array of another dtype nothing is read.
    let found = Format::of(path).and_then(|f| load_as(path, f, Some(key), none, &Budget::unlimited()));
    found.map_or_else(|e| e.data().code != Code::E0604 && e.data().code != Code::E0601, |_| true)
}

fn cannot_read(path: &Path, e: &std::io::Error) -> Error {
    Error::new(Code::E0601, format!("cannot read `{}`: {}", path.display(), reason(e)))
}

/// The operating system's reason without its number, in lower case like every message.
fn reason(e: &std::io::Error) -> String {
    let text = e.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}

#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod tests;
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod tests_files;
