//! A function on a PJRT plugin: one executable for each choice of the arguments' shapes, made when they are first seen.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tfc_engine::shapes::enter;
use tfc_engine::{Executable, Limits};
use tfc_ir::tensor::Slice;
use tfc_ir::{Code, Element, Error, Finished, FuncId, Module, Result, SymId, Tensor};
use tfc_stablehlo::{
    Checks, Dynamic, Options, Said, Shardings, Side, Spellings, export_sharded_said, narrowed, prepare, specialise,
};

use crate::ffi::{Client, Loaded};

/// Executables of one function that are kept; the one that was used longest ago goes first.
pub(crate) const KEPT: usize = 16;

/// A function for these extents.
struct Special {
    loaded: Loaded,
    /// The function with numbers for symbols: its results' types say which extents values decide.
    own: Arc<Finished>,
    said: Vec<Said>,
    /// How parameters and results are cut, where they are.
    shardings: Option<Shardings>,
}
/// A compiled function.
pub(crate) struct Program {
    module: Module,
    entry: FuncId,
    client: &'static Client,
    table: Spellings,
    shardings: Option<Shardings>,
    /// By the values of the function's symbols, the one used last behind.
    kept: Mutex<Vec<(Vec<i64>, Arc<Special>)>>,
}

/// StableHLO text of a function for these values of its symbols, the function that it is of, what it says besides its results, and
/// how these are cut.
pub(crate) fn text(
    m: &Module,
    entry: FuncId,
    syms: &[i64],
    table: &Spellings,
    shardings: Option<&Shardings>,
) -> Result<(String, Arc<Finished>, Vec<Said>, Option<Shardings>)> {
    let mut m = m.fork();
    let f = m.func(entry)?;
    let root = if f.syms.is_empty() {
        entry
    } else {
        let bind: Result<BTreeMap<String, usize>> = f
            .syms
            .iter()
            .zip(syms)
            .map(|(s, &n)| {
                let n = usize::try_from(n)
                    .map_err(|_| Error::new(Code::E0402, format!("extent `{}` is negative: {n}", s.name)))?;
                Ok((s.name.to_string(), n))
            })
            .collect();
        specialise(&m, entry, &f, &bind?)?
    };
    // Passes drop what nothing that is exported reaches.
    for (id, f) in m.funcs() {
        if f.export != (id == root) {
            m.define(id, f.exported(id == root));
        }
    }
    prepare(&mut m, 2, table).map_err(|e| {
        let at = e.span;
        e.error.or_span(at)
    })?;
    let options = Options { checks: Checks::Results, dynamic: Dynamic::Mask };
    let shardings = Shardings::of(&m, root, shardings)?;
    let (text, said) = export_sharded_said(&m, root, table, &options, shardings.as_ref())?;
    Ok((text, m.func(root)?, said, shardings))
}

impl Program {
    /// The function on that client. Without symbols it is compiled at once.
    pub(crate) fn new(
        client: &'static Client,
        module: Module,
        entry: FuncId,
        (table, shardings): (Spellings, Option<Shardings>),
    ) -> Result<Program> {
        let constant = module.func(entry)?.syms.is_empty();
        let out = Program { module, entry, client, table, shardings, kept: Mutex::default() };
        if constant {
            out.special(&[])?;
        }
        Ok(out)
    }
    /// The executable for these values of the symbols.
    fn special(&self, syms: &[i64]) -> Result<Arc<Special>> {
        // Two threads that ask for the same one wait for each other rather than compile it twice.
        let mut kept = self.kept.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(i) = kept.iter().position(|k| k.0 == syms) {
            let last = kept.remove(i);
            let found = last.1.clone();
            kept.push(last);
            return Ok(found);
        }
        let (text, own, said, shardings) = text(&self.module, self.entry, syms, &self.table, self.shardings.as_ref())?;
        let devices = shardings.as_ref().map_or(1, Shardings::devices);
        let made = Arc::new(Special { loaded: self.client.compile(&text, devices)?, own, said, shardings });
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((syms.to_vec(), made.clone()));
        Ok(made)
    }
    fn go(&self, args: &[&Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        limits.budget.check()?;
        if limits.fuel.is_some() {
            return Err(Error::new(Code::E0811, "xla does not count steps")
                .help("`--fuel` is for `--backend interp` and `cpu`"));
        }
        let func = self.module.func(self.entry)?;
        let shapes: Vec<_> = args.iter().map(|t| (t.dtype(), t.shape())).collect();
        let env = enter(&func, &shapes)?;
        let symbols = (0..func.syms.len() as u32).map(|i| env.get(tfc_ir::extent::Atom::Sym(SymId(i))).unwrap_or(-1));
        let special = self.special(&symbols.collect::<Vec<i64>>())?;
        let results = match &special.shardings {
            None => special.loaded.run(args)?,
            Some(s) => on_mesh(&special, s, args)?,
        };
        limits.budget.check()?;
        let bytes = results.iter().map(|t| t.len().saturating_mul(t.dtype().size())).fold(0, usize::saturating_add);
        let _held = limits.budget.hold(bytes)?;
        let mut results = narrowed(&special.own, results)?;
        let said = results.split_off(special.own.result_types.len().min(results.len()));
        for (what, value) in special.said.iter().zip(&said) {
            match what {
                Said::Print { label } => limits.print.iter().for_each(|p| p(label, value)),
                Said::Check { code, message, span } => {
                    if value.item::<bool>() != Some(true) {
                        let e = Error::new(*code, message.clone());
                        return Err(span.map_or(e.clone(), |at| e.or_span(at)));
                    }
                }
            }
        }
        Ok(results)
    }
}
impl Executable for Program {
    fn run(&self, args: &[Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        self.go(&args.iter().collect::<Vec<_>>(), limits)
    }
    fn run_on(&self, args: &[&Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        self.go(args, limits)
    }
    fn describe(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(|e| e.into_inner());
        let mut out = format!("@{}: by {}\n", self.module.func_name(self.entry), self.client.plugin().describe());
        for (syms, s) in kept.iter() {
            let names = self.module.func(self.entry).map(|f| {
                let list = f.syms.iter().zip(syms).map(|(s, n)| format!("{} = {n}", s.name));
                list.collect::<Vec<_>>().join(", ")
            });
            let at = names.ok().filter(|n| !n.is_empty()).map_or_else(String::new, |n| format!(" for {n}"));
            out.push_str(&format!("executable{at}: {} checks and prints\n", s.said.len()));
            if let (Some(mesh), Ok(list)) = (&s.shardings, s.loaded.collectives()) {
                out.push_str(&format!("  {} devices, which tell each other\n", mesh.devices()));
                list.iter().for_each(|c| out.push_str(&format!("    {c}\n")));
            }
        }
        out
    }
}
/// Runs it on every device of a mesh, each with its parts of the arguments, and puts the results together.
fn on_mesh(special: &Special, mesh: &Shardings, args: &[&Tensor]) -> Result<Vec<Tensor>> {
    let own = &special.own;
    let mut parts: Vec<Vec<Tensor>> = vec![vec![]; mesh.devices()];
    for (t, &p) in args.iter().zip(own.params()) {
        for (to, part) in parts.iter_mut().zip(mesh.parts(Side::Param, &own.value(p).name, t.shape())) {
            let mut piece = (*t).clone();
            for (axis, (from, n)) in part.into_iter().enumerate() {
                piece = piece.slice_axis(axis, Slice::range(from as isize, (from + n) as isize))?;
            }
            to.push(piece);
        }
    }
    let made = special.loaded.run_on_all(&parts)?;
    let count = made.first().map_or(0, Vec::len);
    let whole = |i: usize| {
        let name = if i < own.result_types.len() { own.result_name(i) } else { String::new() };
        let mine: Vec<&Tensor> = made.iter().filter_map(|m| m.get(i)).collect();
        joined(mesh, &name, &mine)
    };
    (0..count).map(whole).collect()
}
/// A value of all devices' parts of it.
fn joined(mesh: &Shardings, name: &str, parts: &[&Tensor]) -> Result<Tensor> {
    let Some(first) = parts.first() else { return Err(Error::new(Code::E1113, "a result of no device")) };
    // Extents of the whole: each part has as much of an axis as the others.
    let unit: Vec<usize> = vec![parts.len(); first.shape().len()];
    let cuts = mesh.parts(Side::Result, name, &unit);
    let share: Vec<usize> = cuts.first().map_or(vec![], |c| c.iter().map(|c| parts.len() / c.1.max(1)).collect());
    let shape: Vec<usize> = first.shape().iter().zip(&share).map(|(n, k)| n * k).collect();
    if share.iter().all(|&k| k == 1) {
        // Whole on each: they have computed the same.
        if let Some(i) = parts.iter().position(|p| !p.same(first)) {
            let text = format!("`{name}` is whole on every device, and device {i} has another one than device 0");
            return Err(Error::new(Code::E1113, text).help("its operations are not the same on all devices"));
        }
        return Ok((*first).clone());
    }
    let places = mesh.parts(Side::Result, name, &shape);
    tfc_ir::with_dtype!(first.dtype(), T => filled::<T>(&shape, parts, &places))
}
/// A tensor of these parts, each from the given place on along every axis.
fn filled<T: Element>(shape: &[usize], parts: &[&Tensor], places: &[Vec<(usize, usize)>]) -> Result<Tensor> {
    let steps = tfc_ir::tensor::row_major(shape);
    let mut out = vec![None; tfc_ir::tensor::element_count(shape)?];
    for (part, place) in parts.iter().zip(places) {
        // Indices of the part, last axis fastest, as its elements come.
        let mut index = vec![0; place.len()];
        for x in part.iter::<T>()? {
            let at: isize = index.iter().zip(place).zip(&steps).map(|((i, p), s)| (i + p.0) as isize * s).sum();
            if let Some(to) = out.get_mut(at as usize) {
                *to = Some(x);
            }
            for (i, p) in index.iter_mut().zip(place).rev() {
                *i += 1;
                if *i < p.1 {
                    break;
                }
                *i = 0;
            }
        }
    }
    let all = out.into_iter().collect::<Option<Vec<T>>>();
    let all = all.ok_or_else(|| Error::new(Code::E1113, "the parts of a result leave elements out"))?;
    Tensor::from_logical(shape, all)
}
