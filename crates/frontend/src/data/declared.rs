//! `data` declarations: where their files may lie, and what is checked of them.
//!
//! A path is relative to the folder of the `.tfir` file and stays inside it: no `..`, no absolute path, no link that
//! leads out. A data root given by the user widens this: the path is then looked up there too, and may lead anywhere
//! inside the folder or a root.
use super::{Format, Reading, Want, cannot_read, load_as, shape_of};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use tfc_ir::{Budget, Code, DType, DataDecl, Error, Result, Tensor};

/// The folders that data may come from.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    /// The folder of the program's file; empty for the current folder.
    pub folder: PathBuf,
    /// Folders that the user opened (`--data-root`).
    pub extra: Vec<PathBuf>,
}
impl Roots {
    /// The roots of a program in `file`; a program from standard input belongs to the current folder.
    pub fn of_program(file: &Path, extra: Vec<PathBuf>) -> Roots {
        Roots { folder: file.parent().map(Path::to_path_buf).unwrap_or_default(), extra }
    }

    fn bases(&self) -> impl Iterator<Item = &Path> {
        let here = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        std::iter::once(here).chain(self.extra.iter().map(|p| p.as_path()))
    }

    /// Is `path` one that a declaration may write? No file is looked at.
    pub fn check_path(&self, path: &str) -> Result<()> {
        if path.is_empty() || path.contains('\0') {
            return Err(Error::new(Code::E0609, format!("data path `{}` names no file", path.escape_debug())));
        }
        if !self.extra.is_empty() {
            return Ok(());
        }
        for c in Path::new(path).components() {
            match c {
                Component::Normal(_) | Component::CurDir => {}
                Component::ParentDir => return Err(outside(path, "contains `..`")),
                Component::RootDir | Component::Prefix(_) => return Err(outside(path, "is absolute")),
            }
        }
        Ok(())
    }

    /// The file that `path` of a declaration means.
    pub fn resolve(&self, path: &str) -> Result<PathBuf> {
        self.check_path(path)?;
        let wanted = Path::new(path);
        let mut first = None;
        for base in self.bases() {
            let candidate = base.join(wanted);
            match candidate.canonicalize() {
                Ok(real) if self.bases().any(|b| b.canonicalize().is_ok_and(|b| real.starts_with(b))) => {
                    return Ok(candidate);
                }
                Ok(_) => return Err(outside(path, "leads out of the program's folder")),
                Err(e) => {
                    first.get_or_insert_with(|| cannot_read(&candidate, &e));
                }
            }
        }
        Err(first.unwrap_or_else(|| outside(path, "names no file")))
    }
}

fn outside(path: &str, why: &str) -> Error {
    Error::new(Code::E0609, format!("data path `{}` {why}", path.escape_debug()))
        .help("keep data beside or below the program, or open another folder by `--data-root DIR`")
}

/// What a `data` declaration says.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    /// The path as written.
    pub path: &'a str,
    /// The format as written.
    pub format: Format,
    /// The array's name in the file.
    pub key: Option<&'a str>,
    /// The declared dtype.
    pub dtype: DType,
    /// The declared extents.
    pub shape: &'a [usize],
    /// The declared checksum, in hexadecimal.
    pub sha256: Option<&'a str>,
    /// Convert from any storage type.
    pub convert: bool,
}

/// The shape of the array that a declaration means, as its file says it.
///
/// # Errors
/// `E0602` an unknown format, `E0609` a path that leads outside, and what reading the file reports.
pub fn declared_shape(d: &DataDecl, roots: &Roots) -> Result<Vec<usize>> {
    let format = Format::from_name(&d.format)
        .ok_or_else(|| Error::new(Code::E0602, format!("`{}` is no data format", d.format)))?;
    shape_of(&roots.resolve(&d.path)?, format, d.key.as_deref())
}

/// Finds, checks and reads the file of a declaration.
pub fn load_declared<'a>(d: &Declared, roots: &Roots, reading: impl Into<Reading<'a>>) -> Result<Tensor> {
    let reading = reading.into();
    let path = roots.resolve(d.path)?;
    if let Some(expected) = d.sha256 {
        let got = sha256(&path, reading.budget)?;
        if !got.eq_ignore_ascii_case(expected) {
            return Err(Error::new(Code::E0608, format!("`{}` has another checksum than declared", path.display()))
                .note(format!("declared {}", expected.escape_debug()))
                .note(format!("found    {got}")));
        }
    }
    let t = load_as(&path, d.format, d.key, Want { dtype: Some(d.dtype), convert: d.convert }, reading)?;
    expect_shape(t.shape(), d.shape).map_err(|e| e.context(format_args!("`{}`: ", path.display())))?;
    Ok(t)
}

/// `E0607`, naming the first axis that differs.
pub(super) fn expect_shape(got: &[usize], want: &[usize]) -> Result<()> {
    let axes = |n: usize| if n == 1 { "1 axis".to_owned() } else { format!("{n} axes") };
    if got.len() != want.len() {
        return Err(Error::new(Code::E0607, format!("has {}, but {} expected", axes(got.len()), axes(want.len())))
            .note(format!("shape {got:?} where {want:?} is declared")));
    }
    match got.iter().zip(want).position(|(g, w)| g != w) {
        None => Ok(()),
        Some(a) => Err(Error::new(Code::E0607, format!("axis {a} has extent {}, but {} is expected", got[a], want[a]))
            .note(format!("shape {got:?} where {want:?} is declared"))),
    }
}

/// The SHA-256 of a file, in hexadecimal.
pub fn sha256(path: &Path, budget: &Budget) -> Result<String> {
    let mut file = File::open(path).map_err(|e| cannot_read(path, &e))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0u8; 1 << 16];
    loop {
        budget.check()?;
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => hash.update(buffer.get(..n).unwrap_or_default()),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(cannot_read(path, &e)),
        }
    }
    Ok(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}
