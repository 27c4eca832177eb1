//! From `-i NAME=SPEC` and `--bind n=128` to the arguments of a function: names or positions, files and literals
//! first, then the extents that they and `--bind` give, then what is generated from those.
use crate::limits::pair;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use tfc_frontend::data::{Format, Given, Reading, Spec, has_key, random::Distribution};
use tfc_ir::extent::{Extent, ExtentEnv, SolveFailure, SymId, solve_shapes};
use tfc_ir::{Code, Error, Func, Module, Result, Tensor, Type};

/// The specs of a function's parameters.
#[derive(Debug)]
pub(crate) struct Inputs {
    specs: Vec<Option<Spec>>,
}

/// Position of the item that `name` means: its name, or its position.
pub(crate) fn position(name: &str, names: &[String], what: &str) -> Result<usize> {
    let plain = name.trim_start_matches('%');
    let found =
        names.iter().position(|n| n == plain).or_else(|| plain.parse().ok().filter(|&i: &usize| i < names.len()));
    found.ok_or_else(|| {
        let e = Error::new(Code::E0904, format!("there is no {what} `{}`", name.escape_debug()));
        if names.is_empty() { e.help("it has none") } else { e.help(format!("it has {}", names.join(", "))) }
    })
}

/// The names of a function's parameters, as they print.
pub(crate) fn param_names(m: &Module, f: &Func) -> Vec<String> {
    let hints: Vec<String> = f.params().iter().map(|&p| f.value(p).name.to_string()).collect();
    let distinct: BTreeSet<&String> = hints.iter().collect();
    if distinct.len() == hints.len() && !distinct.contains(&String::new()) {
        return hints;
    }
    let names = tfc_ir::print::value_names(m, f);
    f.params().iter().map(|p| names.get(p.ix()).cloned().unwrap_or_default()).collect()
}

impl Inputs {
    /// Reads `NAME=SPEC` for each parameter of `f`. Errors are those of the command line.
    ///
    /// What the list does not give, arrays of the files `from` do that have the parameters' names; later files count first.
    pub(crate) fn parse(m: &Module, f: &Func, list: &[String], from: &[PathBuf]) -> Result<Inputs> {
        let names = param_names(m, f);
        let mut specs: Vec<Option<Spec>> = vec![None; names.len()];
        for text in list {
            let (name, spec) = pair("-i", text)?;
            let slot = position(name, &names, "input").map(|i| &mut specs[i])?;
            if slot.is_some() {
                return Err(Error::new(Code::E0904, format!("input `{name}` is given twice")));
            }
            *slot = Some(Spec::parse(spec)?);
        }
        for path in from.iter().rev() {
            let format = Format::of(path)?;
            if !format.has_keys() {
                let text = format!("`{}` has no named arrays", path.display());
                return Err(Error::new(Code::E0908, text).help("--inputs takes .npz and .safetensors files"));
            }
            if let Err(e) = std::fs::metadata(path) {
                return Err(Error::new(Code::E0908, format!("cannot read `{}`: {e}", path.display())));
            }
            for (slot, name) in specs.iter_mut().zip(&names).filter(|(slot, _)| slot.is_none()) {
                if has_key(path, name) {
                    *slot = Some(Spec::File { path: path.clone(), format, key: Some(name.clone()) });
                }
            }
        }
        for (slot, &p) in specs.iter_mut().zip(f.params()).filter(|(slot, _)| slot.is_none()) {
            *slot = f.whole_default_of(p)?.map(|t| Spec::Given(Given(t)));
        }
        Ok(Inputs { specs })
    }

    /// The same, with a generated spec for every parameter that has none: random numbers, zeros for what is not floating.
    pub(crate) fn filled(&self, f: &Func, distribution: Distribution) -> Inputs {
        let generate = |i: usize, p| match f.ty(p).dtype.is_inexact() {
            true => Spec::Random(distribution, i as u64),
            false => Spec::Zeros,
        };
        let fill = |(i, (s, &p)): (usize, (&Option<Spec>, &_))| Some(s.clone().unwrap_or_else(|| generate(i, p)));
        Inputs { specs: self.specs.iter().zip(f.params()).enumerate().map(fill).collect() }
    }

    /// The files that are read.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.specs.iter().flatten().filter_map(|s| s.file().map(PathBuf::from)).collect()
    }

    /// Is something missing? An error of the command line that says what.
    pub(crate) fn complete(&self, f: &Func) -> Result<()> {
        let missing: Vec<String> = (self.specs.iter().zip(f.params()).filter(|(s, _)| s.is_none()))
            .map(|(_, &p)| format!("{}: {}", f.value(p).name, f.ty(p).display(f)))
            .collect();
        let Some(first) = missing.first() else { return Ok(()) };
        let name = first.split(':').next().unwrap_or_default();
        let (noun, verb) = if missing.len() == 1 { ("input", "is") } else { ("inputs", "are") };
        Err(Error::new(Code::E0905, format!("{noun} `{}` of @{} {verb} not given", missing.join("`, `"), f.name)).help(
            match (self.specs.iter().zip(f.params())).find(|(s, _)| s.is_none()).map(|(_, &p)| f.ty(p)) {
                Some(ty) if ty.is_scalar() => {
                    let value = if ty.dtype.is_inexact() {
                        "1.0"
                    } else if ty.dtype.is_int() {
                        "1"
                    } else {
                        "true"
                    };
                    format!("give each, as in `-i {name}={value}`")
                }
                _ => format!("give each, as in `-i {name}=@{name}.npy`, `-i {name}=zeros` or `-i {name}=randn:0`"),
            },
        ))
    }

    /// The arguments, which are read as `reading` says. `fallback` gives a symbolic extent that nothing fixes, by its position.
    pub(crate) fn resolve(
        &self,
        m: &Module,
        f: &Func,
        bind: &BTreeMap<String, usize>,
        fallback: Option<fn(usize) -> i64>,
        reading: Reading,
    ) -> Result<Vec<Tensor>> {
        let params: Vec<&Type> = f.params().iter().map(|&p| f.ty(p)).collect();
        let names = param_names(m, f);
        let mut equations = vec![];
        let mut known: Vec<Option<Tensor>> = vec![];
        for ((spec, ty), name) in self.specs.iter().zip(&params).zip(&names) {
            let t = match spec {
                Some(s) if !s.needs_shape() => Some(s.resolve(ty.dtype, None, reading).map_err(|e| of_input(e, name))?),
                _ => None,
            };
            let t = t.map(|t| as_table(t, ty.rank(), spec.as_ref()));
            if let Some(t) = &t {
                check_rank(name, ty, t, f)?;
                for (axis, (d, &n)) in ty.dims.iter().zip(t.shape()).enumerate() {
                    let place = format!("input `{name}` axis {axis}");
                    equations.push(Equation { pattern: d.clone(), given: n as i64, place });
                }
            }
            known.push(t);
        }
        for (name, &n) in bind {
            let sym = f.syms.iter().position(|s| *s.name == **name).ok_or_else(|| {
                let all: Vec<&str> = f.syms.iter().map(|s| &*s.name).collect();
                Error::new(Code::E0904, format!("@{} has no extent `{name}`", f.name)).help(match all.as_slice() {
                    [] => "it has none".to_owned(),
                    all => format!("it has {}", all.join(", ")),
                })
            })?;
            let pattern = Extent::sym(SymId(sym as u32));
            equations.push(Equation { pattern, given: n as i64, place: format!("`--bind {name}`") });
        }
        if known.iter().all(Option::is_some) && bind.is_empty() {
            return Ok(known.into_iter().flatten().collect());
        }
        let env = solve(f, equations, fallback)?;
        let mut out = vec![];
        for (((t, spec), ty), name) in known.into_iter().zip(&self.specs).zip(&params).zip(&names) {
            out.push(match (t, spec) {
                (Some(t), _) => t,
                (None, Some(s)) => {
                    let shape = shape_of(f, ty, &env).map_err(|e| of_input(e, name))?;
                    s.resolve(ty.dtype, Some(&shape), reading).map_err(|e| of_input(e, name))?
                }
                (None, None) => return Err(Error::new(Code::E0905, format!("input `{name}` is not given"))),
            });
        }
        Ok(out)
    }
}

/// `pattern` of a parameter's type is `given`, as `place` says.
struct Equation {
    pattern: Extent,
    given: i64,
    place: String,
}

fn of_input(e: Error, name: &str) -> Error {
    e.context(format_args!("input `{name}`: "))
}

/// A table of one row or one column has as many axes as are wanted.
fn as_table(t: Tensor, rank: usize, spec: Option<&Spec>) -> Tensor {
    let table = matches!(spec, Some(Spec::File { format: Format::Csv, .. }));
    let to = match (rank, t.shape()) {
        (2, &[n]) if table => vec![n, 1],
        (1, &[1, n]) if table => vec![n],
        (0, &[1]) if table => vec![],
        _ => return t,
    };
    t.reshape(&to).unwrap_or(t)
}

fn check_rank(name: &str, ty: &Type, t: &Tensor, f: &Func) -> Result<()> {
    if ty.rank() == t.rank() {
        return Ok(());
    }
    let axes = |n: usize| if n == 1 { "1 axis".to_owned() } else { format!("{n} axes") };
    Err(Error::new(Code::E0607, format!("input `{name}` has {}, but {} expected", axes(t.rank()), axes(ty.rank())))
        .note(format!("got shape {:?} for {}", t.shape(), ty.display(f))))
}

/// The values of the symbols under `equations`.
fn solve(f: &Func, mut equations: Vec<Equation>, fallback: Option<fn(usize) -> i64>) -> Result<ExtentEnv> {
    loop {
        let plain: Vec<(Extent, i64)> = equations.iter().map(|e| (e.pattern.clone(), e.given)).collect();
        match solve_shapes(f.syms.len(), &plain) {
            Ok(env) => return Ok(env),
            Err(SolveFailure::Unsolved { sym }) => match fallback {
                Some(value) => {
                    let (pattern, given) = (Extent::sym(sym), value(sym.0 as usize));
                    equations.push(Equation { pattern, given, place: "the size chosen".into() });
                }
                None => {
                    let name = f.syms.get(sym.0 as usize).map_or("n", |s| &s.name);
                    return Err(Error::new(
                        Code::E0908,
                        format!("nothing gives the extent `{name}` of a generated input"),
                    )
                    .help(format!("give it, as in `--bind {name}=128`")));
                }
            },
            Err(failure) => return Err(misfit(f, &equations, failure)),
        }
    }
}

/// What does not fit: the input, its axis, what it has and what is expected.
fn misfit(f: &Func, equations: &[Equation], failure: SolveFailure) -> Error {
    let (eq, why) = match failure {
        SolveFailure::NotDivisible { eq, .. } => (eq, "that has no whole solution".to_owned()),
        SolveFailure::Mismatch { eq, expected } => (eq, format!("{expected} is expected")),
        SolveFailure::Negative { eq, value, .. } => (eq, format!("that makes an extent {value}")),
        SolveFailure::Overflow { eq } => (eq, "that overflows".to_owned()),
        SolveFailure::DivisionByZero { eq } => (eq, "that divides by zero".to_owned()),
        SolveFailure::Unsolved { .. } => (usize::MAX, String::new()),
    };
    let Some(e) = equations.get(eq) else {
        return Error::new(Code::E0607, format!("the inputs' extents do not fit @{}", f.name));
    };
    let shown = e.pattern.display(f);
    Error::new(Code::E0607, format!("{} has extent {}, but {why}", e.place, e.given))
        .note(format!("it is the extent `{shown}` of @{}", f.name))
}

fn shape_of(f: &Func, ty: &Type, env: &ExtentEnv) -> Result<Vec<usize>> {
    let extent = |d: &Extent| {
        let n = d.eval(env)?;
        usize::try_from(n).map_err(|_| Error::new(Code::E0406, format!("extent {} is {n}", d.display(f))))
    };
    ty.dims.iter().map(extent).collect()
}
