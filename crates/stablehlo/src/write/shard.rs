//! How values are laid out over a mesh of devices, as Shardy attributes: by annotations of the program, and by options that stand
//! above them.
//!
//! A mesh has named axes. A sharding names for each axis of a value the mesh axes over which it is cut, in order; a mesh axis
//! cuts a value at most once. A parameter or a result of `@main` that has no sharding is whole on every device. What happens to
//! values between that have none is the partitioner's choice.
use std::collections::BTreeMap;

use tfc_ir::{Code, Error, Func, FuncId, Module, Result, Sharding, Span};

use crate::write::writer::Val;

/// A mesh, and the shardings of parameters and results of an entry by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shardings {
    mesh: Vec<(String, usize)>,
    params: BTreeMap<String, Cuts>,
    results: BTreeMap<String, Cuts>,
}
/// For each axis of a value the axes of the mesh that cut it.
type Cuts = Vec<Vec<String>>;
/// Which side of an entry has a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The value is a parameter.
    Param,
    /// The value is a result.
    Result,
}
impl Shardings {
    /// Reads `data=2,model=2` and, for each value, `NAME=AXIS,AXIS`: for each of its axes a mesh axis, `_` for none, `+` between
    /// several. A scalar has none: `NAME=`.
    ///
    /// # Errors
    /// `E1122` a mesh or a sharding that cannot be read, `E1123` a mesh axis that is unknown or cuts a value twice.
    pub fn parse<S: AsRef<str>>(mesh: &str, values: &[S]) -> Result<Shardings> {
        let mut out = Shardings::default();
        for part in mesh.split(',') {
            let axis = part.split_once('=').and_then(|(n, k)| Some((word(n)?, k.trim().parse().ok()?)));
            let Some((name, size)) = axis.filter(|a: &(String, usize)| a.1 > 0 && !out.has(&a.0)) else {
                let e = Error::new(Code::E1122, format!("`{part}` is no axis of a mesh"));
                return Err(e.help("axes have different names and at least one device: `--mesh data=2,model=2`"));
            };
            out.mesh.push((name, size));
        }
        if out.mesh.iter().try_fold(1usize, |n, a| n.checked_mul(a.1)).is_none() {
            return Err(Error::new(Code::E1122, format!("the mesh `{mesh}` has more devices than can be counted"))
                .help("the number of devices is the product of the axes"));
        }
        for text in values.iter().map(AsRef::as_ref) {
            let read = text.split_once('=').and_then(|(name, axes)| Some((word(name)?, axes)));
            let Some((name, axes)) = read.filter(|r| !out.params.contains_key(&r.0)) else {
                return Err(Error::new(Code::E1122, format!("`{text}` is no sharding"))
                    .help("each value has one: `--shard x=data,_`, with `_` for an axis that is not cut"));
            };
            let sharding = out.axes(&name, axes)?;
            out.params.insert(name.clone(), sharding.clone());
            out.results.insert(name, sharding);
        }
        Ok(out)
    }
    /// What a program and options together say of an entry: the options' mesh in place of the program's, and their shardings before
    /// annotations. `None` where neither has a mesh.
    ///
    /// # Errors
    /// `E1123` an axis of the program's mesh that the options' mesh lacks.
    pub fn of(m: &Module, entry: FuncId, given: Option<&Shardings>) -> Result<Option<Shardings>> {
        let Some(mesh) = &m.mesh else { return Ok(given.cloned()) };
        let f = m.func(entry)?;
        let own =
            || Shardings { mesh: mesh.axes.iter().map(|(n, k)| (n.to_string(), *k)).collect(), ..Self::default() };
        let mut out = given.cloned().unwrap_or_else(own);
        if let Some((axis, k)) = mesh.axes.iter().find(|a| !out.has(&a.0)) {
            let e = Error::new(Code::E1123, format!("the mesh has no axis `{axis}`, which the program's has"));
            return Err(e.help(format!("name each of its axes: `{axis}={k}`, `{axis}=1` where nothing is to be cut")));
        }
        let cuts = |s: &Sharding| s.0.iter().map(|c| c.iter().map(|a| a.to_string()).collect()).collect();
        for &p in f.params() {
            if let Some(s) = f.sharding(p) {
                out.params.entry(f.value(p).name.to_string()).or_insert_with(|| cuts(s));
            }
        }
        for (i, &y) in f.returns().iter().enumerate() {
            if let Some(s) = f.sharding(y) {
                out.results.entry(f.result_name(i)).or_insert_with(|| cuts(s));
            }
        }
        Ok(Some(out))
    }
    /// How many devices the mesh has; they are counted with the last axis fastest.
    pub fn devices(&self) -> usize {
        self.mesh.iter().map(|a| a.1).product()
    }
    /// The part of a value of that name and shape that each device holds: for each axis, from where and how many. The extents are
    /// known to divide: an export has looked at them.
    pub fn parts(&self, side: Side, name: &str, shape: &[usize]) -> Vec<Vec<(usize, usize)>> {
        let whole = vec![vec![]; shape.len()];
        let axes = self.cuts(side, name).unwrap_or(&whole);
        let part = |device: usize| {
            let place = |axis: &String| {
                let behind = self.mesh.iter().skip_while(|a| a.0 != *axis).skip(1).map(|a| a.1);
                let size = self.mesh.iter().find(|a| a.0 == *axis).map_or(1, |a| a.1);
                (device / behind.product::<usize>() % size, size)
            };
            let along = |(&n, cut): (&usize, &Vec<String>)| {
                // The first of several mesh axes is the slowest.
                let (at, of) = cut.iter().map(place).fold((0, 1), |(at, of), (i, k)| (at * k + i, of * k));
                (n / of * at, n / of)
            };
            shape.iter().zip(axes).map(along).collect()
        };
        (0..self.devices()).map(part).collect()
    }
    fn cuts(&self, side: Side, name: &str) -> Option<&Cuts> {
        match side {
            Side::Param => self.params.get(name),
            Side::Result => self.results.get(name),
        }
    }
    fn has(&self, axis: &str) -> bool {
        self.mesh.iter().any(|a| a.0 == axis)
    }
    fn axes(&self, name: &str, text: &str) -> Result<Cuts> {
        let mut seen: Vec<&str> = vec![];
        let each = if text.trim().is_empty() { vec![] } else { text.split(',').map(str::trim).collect() };
        let mut out = vec![];
        for axis in each {
            let parts: Vec<&str> = if axis == "_" { vec![] } else { axis.split('+').map(str::trim).collect() };
            for &a in &parts {
                let why = match (self.has(a), seen.contains(&a)) {
                    (false, _) => format!("the mesh has no axis `{a}`"),
                    (_, true) => format!("the mesh axis `{a}` cuts `{name}` twice"),
                    _ => {
                        seen.push(a);
                        continue;
                    }
                };
                let known: Vec<&str> = self.mesh.iter().map(|a| a.0.as_str()).collect();
                return Err(
                    Error::new(Code::E1123, why).help(format!("the mesh has {}, each once a value", known.join(", ")))
                );
            }
            out.push(parts.into_iter().map(str::to_owned).collect());
        }
        Ok(out)
    }
    /// Each sharding belongs to a parameter or a result.
    pub(crate) fn known(&self, f: &Func) -> Result<()> {
        let params = f.params().iter().map(|&p| f.value(p).name.to_string());
        let all: Vec<String> = params.chain((0..f.result_types.len()).map(|i| f.result_name(i))).collect();
        match self.params.keys().chain(self.results.keys()).find(|k| !all.contains(k)) {
            Some(name) => {
                let e = Error::new(Code::E1124, format!("@{} has neither a parameter nor a result `{name}`", f.name));
                Err(e.help(format!("it has {}", all.join(", "))).or_span(f.span))
            }
            None => Ok(()),
        }
    }
    /// The mesh as a line of a module.
    pub(crate) fn mesh(&self) -> String {
        let axes: Vec<String> = self.mesh.iter().map(|(n, k)| format!("\"{n}\"={k}")).collect();
        format!("  sdy.mesh @mesh = <[{}]>\n", axes.join(", "))
    }
    /// The attribute of a parameter or a result of the entry.
    pub(crate) fn attribute(&self, f: &Func, side: Side, name: &str, v: &Val) -> Result<String> {
        let whole = vec![vec![]; v.ty.dims.len()];
        let axes = self.cuts(side, name).unwrap_or(&whole);
        Ok(format!("sdy.sharding = #sdy.sharding{}", self.layout(axes, name, v, f.span)?))
    }
    /// What is said of a value inside of the program, behind its name in `sdy.sharding_constraint`.
    pub(crate) fn constraint(&self, s: &Sharding, name: &str, v: &Val, span: Span) -> Result<String> {
        let cuts: Cuts = s.0.iter().map(|c| c.iter().map(|a| a.to_string()).collect()).collect();
        self.layout(&cuts, name, v, span)
    }
    fn layout(&self, axes: &Cuts, name: &str, v: &Val, span: Span) -> Result<String> {
        let off = |text: String, help: &str| Err(Error::new(Code::E1125, text).help(help).or_span(span));
        if axes.len() != v.ty.dims.len() {
            let text =
                format!("the sharding of `{name}` has {} axes, its type {} has {}", axes.len(), v.ty, v.ty.dims.len());
            return off(text, "write one entry for each axis, `_` where it is not cut");
        }
        for (i, (cut, &d)) in axes.iter().zip(&v.ty.dims).enumerate() {
            let sizes = self.mesh.iter().filter(|a| cut.contains(&a.0));
            let parts: usize = sizes.map(|a| a.1).product();
            if !d.is_multiple_of(parts) {
                return off(
                    format!("axis {i} of `{name}` has extent {d}, which {parts} devices cannot share evenly"),
                    "pad it, or cut another axis",
                );
            }
        }
        let quoted = |cut: &Vec<String>| {
            let names: Vec<String> = cut.iter().map(|a| format!("\"{a}\"")).collect();
            format!("{{{}}}", names.join(", "))
        };
        let dims: Vec<String> = axes.iter().map(quoted).collect();
        Ok(format!("<@mesh, [{}]>", dims.join(", ")))
    }
}
/// A name of letters, digits, `_` and `.` that starts with a letter, or with `_` and more behind it.
fn word(text: &str) -> Option<String> {
    let t = text.trim();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    (!t.is_empty() && t != "_" && t.chars().all(fits)).then(|| t.to_owned())
}
