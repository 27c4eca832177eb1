//! The inputs of the command line: `NAME=SPEC`.
use super::{Format, Reading, load_as, parse_literal, random};
use super::{Want, random::Distribution};
use std::path::{Path, PathBuf};
use tfc_ir::{Budget, Code, DType, Error, Result, Tensor, with_dtype};

/// Where an input comes from.
#[derive(Clone, PartialEq, Debug)]
pub enum Spec {
    /// `@x.npy`, `@d.npz:key`, `@w.safetensors:name`.
    File {
        /// The file.
        path: PathBuf,
        /// Format of the file.
        format: Format,
        /// The array in it.
        key: Option<String>,
    },
    /// `zeros`; `false` for `bool`.
    Zeros,
    /// `ones`; `true` for `bool`.
    Ones,
    /// `randn:SEED`, `uniform:SEED`.
    Random(Distribution, u64),
    /// `linspace:0:1`, as many numbers as the type says, or `linspace:0:1:5`.
    Linspace(f64, f64, Option<usize>),
    /// A tensor.
    Given(Given),
    /// Anything else: a literal in logical order.
    Literal(String),
}

/// The tensor of [`Spec::Given`].
#[derive(Clone, Debug)]
pub struct Given(pub Tensor);
impl PartialEq for Given {
    fn eq(&self, other: &Given) -> bool {
        self.0.same(&other.0)
    }
}

impl Spec {
    /// Reads a spec; literals are only read when their dtype is known ([`Spec::resolve`]).
    pub fn parse(text: &str) -> Result<Spec> {
        if let Some(file) = text.strip_prefix('@') {
            return Spec::parse_file(file);
        }
        let seeded = |name| text.strip_prefix(name).and_then(|t: &str| t.strip_prefix(':'));
        for (name, distribution) in [("randn", Distribution::Normal), ("uniform", Distribution::Uniform)] {
            if text == name {
                return Err(usage(text, "lacks a seed").help(format!("write `{name}:0`")));
            }
            if let Some(seed) = seeded(name) {
                let seed = seed.parse().map_err(|_| usage(text, "needs a seed between 0 and 18446744073709551615"))?;
                return Ok(Spec::Random(distribution, seed));
            }
        }
        if let Some(ends) = text.strip_prefix("linspace:") {
            let parts: Vec<&str> = ends.split(':').collect();
            let number = |s: &str| s.trim().parse::<f64>().ok().filter(|x| x.is_finite());
            let count = |s: &str| s.trim().parse::<usize>().ok();
            let read = match parts[..] {
                [a, b] => number(a).zip(number(b)).map(|(a, b)| Spec::Linspace(a, b, None)),
                [a, b, n] => number(a).zip(number(b)).zip(count(n)).map(|((a, b), n)| Spec::Linspace(a, b, Some(n))),
                _ => None,
            };
            return read.ok_or_else(|| {
                usage(text, "is no range").help("write `linspace:0:1`, or `linspace:0:1:5` for 5 numbers")
            });
        }
        Ok(match text {
            "zeros" => Spec::Zeros,
            "ones" => Spec::Ones,
            "" => return Err(usage(text, "is empty")),
            _ => Spec::Literal(text.to_owned()),
        })
    }

    fn parse_file(text: &str) -> Result<Spec> {
        if text == "-" {
            return Ok(Spec::File { path: "/dev/stdin".into(), format: Format::Npy, key: None });
        }
        for (name, format) in Format::ALL.into_iter().filter(|(_, f)| f.has_keys()) {
            // The last place where the extension is followed by a colon: a folder may be called the same.
            if let Some((stem, key)) = text.rsplit_once(&format!(".{name}:")) {
                return Ok(Spec::File { path: format!("{stem}.{name}").into(), format, key: Some(key.to_owned()) });
            }
        }
        let format = Format::of(Path::new(text))?;
        Ok(Spec::File { path: text.into(), format, key: None })
    }

    /// The file it reads, if any.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Spec::File { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Whether the input's type has to give the whole shape.
    pub fn needs_shape(&self) -> bool {
        matches!(self, Spec::Zeros | Spec::Ones | Spec::Random(..) | Spec::Linspace(_, _, None))
    }

    /// The tensor, of that dtype. `shape` must be given where [`Spec::needs_shape`]; elsewhere the caller checks the
    /// shape of what comes. The memory is taken from `budget` and stays taken, as by [`load_as`].
    pub fn resolve<'a>(
        &self,
        dtype: DType,
        shape: Option<&[usize]>,
        reading: impl Into<Reading<'a>>,
    ) -> Result<Tensor> {
        let reading = reading.into();
        let budget = reading.budget;
        let known = || {
            let shape = shape.ok_or_else(|| {
                let text = "the extents of a generated input are not known";
                Error::new(Code::E0908, text).help("give them, as in `--bind n=128`")
            })?;
            room(dtype, shape, budget).map(|()| shape)
        };
        match self {
            Spec::File { path, format, key } => {
                let want = |dtype, convert| Want { dtype, convert };
                match load_as(path, *format, key.as_deref(), want(Some(dtype), false), reading) {
                    // Numbers that the dtype has come in as what they are; standard input is read once.
                    Err(e) if e.data().code == Code::E0606 && path != Path::new("/dev/stdin") => {
                        let stored = load_as(path, *format, key.as_deref(), want(None, false), budget);
                        match stored.is_ok_and(|t| fits(&t, dtype)) {
                            true => load_as(path, *format, key.as_deref(), want(Some(dtype), true), budget),
                            false => Err(e),
                        }
                    }
                    read => read,
                }
            }
            Spec::Linspace(a, b, n) => {
                let shape = match n {
                    Some(n) => {
                        room(dtype, &[*n], budget)?;
                        vec![*n]
                    }
                    None => known()?.to_vec(),
                };
                let ([n], true) = (&shape[..], dtype.is_float()) else {
                    let text = format!("`linspace` gives floating numbers along one axis, not {dtype}{shape:?}");
                    return Err(Error::new(Code::E0908, text));
                };
                let t = Tensor::linspace(*a, *b, *n)?;
                let text: Vec<String> =
                    t.to_logical::<f64>().unwrap_or_default().iter().map(|x| format!("{x:?}")).collect();
                parse_literal(&format!("[{}]", text.join(",")), dtype, None)
            }
            Spec::Zeros => Tensor::zeros(dtype, known()?),
            Spec::Ones => ones(dtype, known()?),
            Spec::Random(distribution, seed) => random::generate(*distribution, *seed, dtype, known()?),
            Spec::Given(Given(t)) => {
                budget.charge(t.len() * dtype.size())?;
                Ok(t.clone())
            }
            Spec::Literal(text) => {
                let t = parse_literal(text, dtype, None)?;
                budget.charge(t.len() * dtype.size())?;
                Ok(t)
            }
        }
    }
}

/// Whether every element is a number of that dtype, so that nothing is lost where it becomes one.
fn fits(t: &Tensor, dtype: DType) -> bool {
    use DType::{C32, C64, F32, F64};
    if let Some(ints) = t.ints() {
        let (least, most): (i128, i128) = match dtype {
            F64 | C64 => (-(1 << 53), 1 << 53),
            F32 | C32 => (-(1 << 24), 1 << 24),
            d if d.is_int() => d.int_range().unwrap_or_default(),
            _ => return false,
        };
        return ints.iter().all(|x| (least..=most).contains(x));
    }
    match t.dtype() {
        d if d.is_small() => matches!(dtype, F32 | F64 | C32 | C64),
        F32 => matches!(dtype, F64 | C32 | C64),
        F64 => dtype == C64,
        C32 => dtype == C64,
        _ => false,
    }
}

fn usage(text: &str, why: &str) -> Error {
    Error::new(Code::E0908, format!("input `{}` {why}", text.escape_debug()))
}

/// Refuses what no memory can hold, before the standard library would end the process over it, and what is over the limit.
fn room(dtype: DType, shape: &[usize], budget: &Budget) -> Result<()> {
    let bytes = tfc_ir::tensor::element_count(shape)? * dtype.size();
    budget.charge(bytes)?;
    Vec::<u8>::new()
        .try_reserve_exact(bytes)
        .map_err(|_| Error::new(Code::E0613, format!("no memory for {bytes} bytes of {dtype}{shape:?}")))
}

fn ones(dtype: DType, shape: &[usize]) -> Result<Tensor> {
    let one = parse_literal("1", dtype, None)?;
    with_dtype!(dtype, T => Tensor::full::<T>(shape, one.item::<T>().unwrap_or_default()))
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn specs_are_told_apart() {
        let file = |s: &str| match Spec::parse(s).unwrap() {
            Spec::File { path, format, key } => (path.display().to_string(), format, key),
            other => panic!("{other:?}"),
        };
        assert_eq!(file("@a/x.npy"), ("a/x.npy".into(), Format::Npy, None));
        assert_eq!(file("@d.npz:w:1"), ("d.npz".into(), Format::Npz, Some("w:1".into())));
        assert_eq!(file("@d.npz"), ("d.npz".into(), Format::Npz, None));
        assert_eq!(file("@w.safetensors:l.0"), ("w.safetensors".into(), Format::Safetensors, Some("l.0".into())));
        assert_eq!(Spec::parse("randn:7").unwrap(), Spec::Random(Distribution::Normal, 7));
        assert_eq!(Spec::parse("[1]").unwrap(), Spec::Literal("[1]".into()));
        for (s, code) in [("@x.txt", "E0602"), ("@", "E0602"), ("randn", "E0908"), ("randn:-1", "E0908"), ("", "E0908")]
        {
            assert_eq!(Spec::parse(s).unwrap_err().data().code.name(), code, "{s}");
        }
    }

    fn generated_inputs_need_a_shape() {
        let all = Budget::unlimited();
        assert_eq!(Spec::Zeros.resolve(DType::F64, None, &all).unwrap_err().data().code.name(), "E0908");
        let t = Spec::Ones.resolve(DType::Bool, Some(&[2]), &all).unwrap();
        assert_eq!(t.to_logical::<bool>().unwrap(), [true, true]);
        assert_eq!(
            Spec::Zeros.resolve(DType::F64, Some(&[1 << 40, 1 << 40]), &all).unwrap_err().data().code.name(),
            "E0406"
        );
        for spec in [Spec::Zeros, Spec::Ones, Spec::Random(Distribution::Normal, 1)] {
            assert_eq!(spec.resolve(DType::F64, Some(&[1 << 55]), &all).unwrap_err().data().code.name(), "E0613");
        }
    }

    fn inputs_are_taken_from_the_budget() {
        let b = Budget::new(tfc_ir::Limits { memory: Some(1000), ..Default::default() });
        let specs = [Spec::Zeros, Spec::Ones, Spec::Random(Distribution::Normal, 1), Spec::Literal("[1, 2]".into())];
        for (i, s) in specs.iter().enumerate() {
            s.resolve(DType::F64, Some(&[2]), &b).unwrap();
            assert_eq!(b.bytes(), 16 * (i + 1), "{s:?}");
        }
        for s in &specs[..3] {
            assert_eq!(s.resolve(DType::F64, Some(&[118]), &b).unwrap_err().data().code.name(), "E0715", "{s:?}");
        }
    }
    /// All of them.
    pub const ALL: &[fn()] = &[specs_are_told_apart, generated_inputs_need_a_shape, inputs_are_taken_from_the_budget];
}
