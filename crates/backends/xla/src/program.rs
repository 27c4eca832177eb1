//! A function on a PJRT plugin: one executable for each choice of the arguments' shapes, made when they are first seen.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tfc_backends::backend::{Executable, Limits, enter};
use tfc_ir::{Error, Func, FuncId, Module, Result, SymId, Tensor};
use tfc_stablehlo::{Checks, Dynamic, Options, Said, Spellings, export_said, narrowed, prepare, specialise};

use crate::ffi::{Client, Loaded};

/// Executables of one function that are kept; the one that was used longest ago goes first.
pub(crate) const KEPT: usize = 16;

/// A function for these extents.
struct Special {
    loaded: Loaded,
    /// The function with numbers for symbols: its results' types say which extents values decide.
    own: Arc<Func>,
    said: Vec<Said>,
}
/// A compiled function.
pub(crate) struct Program {
    module: Module,
    entry: FuncId,
    client: &'static Client,
    table: Spellings,
    /// By the values of the function's symbols, the one used last behind.
    kept: Mutex<Vec<(Vec<i64>, Arc<Special>)>>,
}

/// StableHLO text of a function for these values of its symbols, the function that it is of, and what it says besides its results.
pub(crate) fn text(
    m: &Module,
    entry: FuncId,
    syms: &[i64],
    table: &Spellings,
) -> Result<(String, Arc<Func>, Vec<Said>)> {
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
                    .map_err(|_| Error::new("E0402", format!("extent `{}` is negative: {n}", s.name)))?;
                Ok((s.name.to_string(), n))
            })
            .collect();
        specialise(&m, entry, &f, &bind?)?
    };
    // Passes drop what nothing that is exported reaches.
    for (id, f) in m.funcs() {
        if f.export != (id == root) {
            m.define(id, Func { export: id == root, ..(*f).clone() });
        }
    }
    prepare(&mut m, 2, table).map_err(|e| {
        let at = e.span;
        e.error.or_span(at)
    })?;
    let options = Options { checks: Checks::Results, dynamic: Dynamic::Mask };
    let (text, said) = export_said(&m, root, table, &options)?;
    Ok((text, m.func(root)?, said))
}

impl Program {
    /// The function on that client. Without symbols it is compiled at once.
    pub(crate) fn new(client: &'static Client, module: Module, entry: FuncId, table: Spellings) -> Result<Program> {
        let constant = module.func(entry)?.syms.is_empty();
        let out = Program { module, entry, client, table, kept: Mutex::default() };
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
        let (text, own, said) = text(&self.module, self.entry, syms, &self.table)?;
        let made = Arc::new(Special { loaded: self.client.compile(&text)?, own, said });
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((syms.to_vec(), made.clone()));
        Ok(made)
    }
    fn go(&self, args: &[&Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        limits.budget.check()?;
        if limits.fuel.is_some() {
            return Err(
                Error::new("E0811", "xla does not count steps").help("`--fuel` is for `--backend interp` and `cpu`")
            );
        }
        let func = self.module.func(self.entry)?;
        let shapes: Vec<_> = args.iter().map(|t| (t.dtype(), t.shape())).collect();
        let env = enter(&func, &shapes)?;
        let symbols = (0..func.syms.len() as u32).map(|i| env.get(tfc_ir::extent::Atom::Sym(SymId(i))).unwrap_or(-1));
        let special = self.special(&symbols.collect::<Vec<i64>>())?;
        let results = special.loaded.run(args)?;
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
                        let e = Error::new(code, message.clone());
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
        }
        out
    }
}
