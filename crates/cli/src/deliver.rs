//! Where results go: `-o NAME=PATH`, `--out-dir`, `--expect NAME=PATH`. Everything that can be refused is refused
//! before the program runs.
use crate::bind::position;
use crate::limits::pair;
use std::path::{Path, PathBuf};
use tfc_frontend::data::compare::{Tolerance, compare_within};
use tfc_frontend::data::{Format, Want, check_writable, has_key, load_as, output_format, same_file, save_all};
use tfc_ir::{Budget, Code, Error, Result, Tensor};

/// What to write: files and the results that each holds.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    files: Vec<(PathBuf, Vec<usize>)>,
}
impl Outputs {
    /// Reads `NAME=PATH` for results of these names. Errors are those of the command line.
    pub(crate) fn parse(names: &[String], list: &[String], out_dir: Option<&Path>) -> Result<Outputs> {
        let mut outputs = Outputs::default();
        for text in list {
            // A file alone takes all results, under their names.
            let whole = Path::new(text);
            if !text.contains('=') && output_format(whole).is_ok_and(|f| f.has_keys() || names.len() == 1) {
                (0..names.len()).try_for_each(|i| outputs.add(whole.to_owned(), i))?;
                continue;
            }
            let (name, path) = pair("-o", text)?;
            let i = position(name, names, "result")?;
            outputs.add(PathBuf::from(path), i)?;
        }
        for (i, name) in names.iter().enumerate().filter(|_| out_dir.is_some()) {
            outputs.add(out_dir.unwrap_or(Path::new("")).join(format!("{name}.npy")), i)?;
        }
        Ok(outputs)
    }

    fn add(&mut self, path: PathBuf, result: usize) -> Result<()> {
        let format = output_format(&path).map_err(|e| {
            let d = e.data();
            Error::new(Code::E0901, d.message.clone()).help(d.help.clone().unwrap_or_default())
        })?;
        match self.files.iter_mut().find(|(p, _)| *p == path) {
            Some((_, results)) if format.has_keys() && !results.contains(&result) => results.push(result),
            Some(_) => return Err(Error::new(Code::E0901, format!("two results go to `{}`", path.display()))),
            None => self.files.push((path, vec![result])),
        }
        Ok(())
    }

    /// Refuses what would overwrite the program. Inputs are read whole before anything is written: a result may take the place of one.
    pub(crate) fn refuse_program(&self, inputs: &[PathBuf]) -> Result<()> {
        self.files.iter().try_for_each(|(path, _)| refuse_input(path, inputs))
    }

    /// Refuses what cannot be written.
    pub(crate) fn check(&self, out_dir: Option<&Path>) -> Result<()> {
        if let Some(dir) = out_dir {
            std::fs::create_dir_all(dir)
                .map_err(|e| Error::new(Code::E0610, format!("cannot make the folder `{}`: {e}", dir.display())))?;
        }
        self.files.iter().try_for_each(|(path, _)| check_writable(path))
    }

    /// Writes the results; where one cannot be written, all files are as they were.
    pub(crate) fn write(&self, names: &[String], results: &[Tensor], budget: &Budget) -> Result<()> {
        let array = |&i: &usize| Some((names.get(i)?.as_str(), results.get(i)?));
        let files: Vec<(&Path, Vec<(&str, &Tensor)>)> =
            self.files.iter().map(|(path, which)| (path.as_path(), which.iter().filter_map(array).collect())).collect();
        save_all(&files, budget)
    }
}

/// `E0906` where writing `path` would overwrite an input.
pub(crate) fn refuse_input(path: &Path, inputs: &[PathBuf]) -> Result<()> {
    match inputs.iter().find(|i| same_file(i, path)) {
        Some(i) => Err(Error::new(Code::E0906, format!("output `{}` is the input `{}`", path.display(), i.display()))
            .help("write to another file")),
        None => Ok(()),
    }
}

/// What results are compared with.
#[derive(Debug)]
pub(crate) struct Expectations {
    list: Vec<(usize, PathBuf, Option<String>)>,
    tolerance: Tolerance,
}
impl Expectations {
    /// Reads `NAME=PATH` for results of these names; the path may name an array of an archive as inputs do.
    pub(crate) fn parse(names: &[String], list: &[String], tolerance: Tolerance) -> Result<Expectations> {
        let one = |text: &String| {
            let (name, path) = pair("--expect", text)?;
            let i = position(name, names, "result")?;
            let spec = tfc_frontend::data::Spec::parse(&format!("@{}", path.trim_start_matches('@')))?;
            match spec {
                // Of named arrays it is the one with the result's name.
                tfc_frontend::data::Spec::File { path, key, format } => {
                    let own = || names.get(i).filter(|n| format.has_keys() && has_key(&path, n)).cloned();
                    let key = key.or_else(own);
                    Ok((i, path, key))
                }
                _ => Err(Error::new(Code::E0901, format!("`{path}` is no file"))),
            }
        };
        Ok(Expectations { list: list.iter().map(one).collect::<Result<_>>()?, tolerance })
    }
    /// The files that are read.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.list.iter().map(|(_, p, _)| p.clone()).collect()
    }
    /// Reads the references; before the run, so that a missing one is said at once.
    pub(crate) fn load(&self, budget: &Budget) -> Result<Vec<Tensor>> {
        let want = Want { dtype: None, convert: true };
        self.list.iter().map(|(_, path, key)| load_as(path, Format::of(path)?, key.as_deref(), want, budget)).collect()
    }
    /// What differs: one line a result.
    pub(crate) fn compare(
        &self,
        names: &[String],
        results: &[Tensor],
        references: &[Tensor],
        budget: &Budget,
    ) -> Result<Vec<String>> {
        let mut out = vec![];
        for ((i, path, _), want) in self.list.iter().zip(references) {
            let (Some(got), Some(name)) = (results.get(*i), names.get(*i)) else { continue };
            if let Err(difference) = compare_within(got, want, self.tolerance, || budget.check())? {
                out.push(format!("result `{name}` differs from `{}`: {difference}", path.display()));
            }
        }
        Ok(out)
    }
}
