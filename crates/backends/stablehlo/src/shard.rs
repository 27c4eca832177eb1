//! How parameters and results of `@main` are laid out over a mesh of devices, as Shardy attributes.
//!
//! A mesh has named axes. A sharding names for each axis of a value the mesh axes over which it is cut, in order; a mesh axis
//! cuts a value at most once. What has no sharding is whole on every device. What happens between is the partitioner's choice.
use std::collections::BTreeMap;

use tfc_ir::{Error, Func, Result};

use crate::writer::Val;

/// A mesh, and the shardings of parameters and results by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shardings {
    mesh: Vec<(String, usize)>,
    values: BTreeMap<String, Vec<Vec<String>>>,
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
                let e = Error::new("E1122", format!("`{part}` is no axis of a mesh"));
                return Err(e.help("axes have different names and at least one device: `--mesh data=2,model=2`"));
            };
            out.mesh.push((name, size));
        }
        if out.mesh.iter().try_fold(1usize, |n, a| n.checked_mul(a.1)).is_none() {
            return Err(Error::new("E1122", format!("the mesh `{mesh}` has more devices than can be counted"))
                .help("the number of devices is the product of the axes"));
        }
        for text in values.iter().map(AsRef::as_ref) {
            let read = text.split_once('=').and_then(|(name, axes)| Some((word(name)?, axes)));
            let Some((name, axes)) = read.filter(|r| !out.values.contains_key(&r.0)) else {
                return Err(Error::new("E1122", format!("`{text}` is no sharding"))
                    .help("each value has one: `--shard x=data,_`, with `_` for an axis that is not cut"));
            };
            let sharding = out.axes(&name, axes)?;
            out.values.insert(name, sharding);
        }
        Ok(out)
    }
    /// How many devices the mesh has; they are counted with the last axis fastest.
    pub fn devices(&self) -> usize {
        self.mesh.iter().map(|a| a.1).product()
    }
    /// The part of a value of that name and shape that each device holds: for each axis, from where and how many. The extents are
    /// known to divide: an export has looked at them.
    pub fn parts(&self, name: &str, shape: &[usize]) -> Vec<Vec<(usize, usize)>> {
        let whole = vec![vec![]; shape.len()];
        let axes = self.values.get(name).unwrap_or(&whole);
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
    fn has(&self, axis: &str) -> bool {
        self.mesh.iter().any(|a| a.0 == axis)
    }
    fn axes(&self, name: &str, text: &str) -> Result<Vec<Vec<String>>> {
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
                    Error::new("E1123", why).help(format!("the mesh has {}, each once a value", known.join(", ")))
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
        match self.values.keys().find(|k| !all.contains(k)) {
            Some(name) => {
                let e = Error::new("E1124", format!("@{} has neither a parameter nor a result `{name}`", f.name));
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
    pub(crate) fn attribute(&self, f: &Func, name: &str, v: &Val) -> Result<String> {
        let whole = vec![vec![]; v.ty.dims.len()];
        let axes = self.values.get(name).unwrap_or(&whole);
        let off = |text: String, help: &str| Err(Error::new("E1125", text).help(help).or_span(f.span));
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
        Ok(format!("sdy.sharding = #sdy.sharding<@mesh, [{}]>", dims.join(", ")))
    }
}
/// A name of letters, digits, `_` and `.` that starts with a letter, or with `_` and more behind it.
fn word(text: &str) -> Option<String> {
    let t = text.trim();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    (!t.is_empty() && t != "_" && t.chars().all(fits)).then(|| t.to_owned())
}
