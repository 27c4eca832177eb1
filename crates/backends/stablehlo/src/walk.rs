//! From functions to text: callees before callers, each once for the extents that it is called with, statement by statement.
//! No op is named here: the table says how each is written.
use std::collections::{BTreeMap, HashMap};

use tfc_ir::extent::Atom;
use tfc_ir::{
    Attr, BODY, Binder, Constraint, Def, Error, Extent, ExtentEnv, Func, FuncId, Guard, Module, OpId, RegionId, Result,
    SymRef, Type, ValueId,
};

use crate::cx::Cx;
use crate::table::{Spelling, Spellings};
use crate::ty::{Ty, list};
use crate::writer::{Block, Val, Writer, broken, names, types};
use crate::{Checks, Options};

/// What a program says besides its results: a check, true where it holds, or a value that it prints.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The message of the check, the label of what is printed.
    pub(crate) text: String,
    /// The value.
    pub(crate) value: Val,
    /// Is it printed?
    pub(crate) shown: bool,
}
/// A function and the extents that it is called with.
pub(crate) type Key = (FuncId, Vec<i64>);
/// A function that has been written.
pub(crate) struct Written {
    /// Its name in the text.
    pub(crate) name: String,
    /// Types of its results, without what is checked.
    pub(crate) results: Vec<Ty>,
    /// What is checked: text, type, whether it is printed.
    pub(crate) outcomes: Vec<(String, Ty, bool)>,
}

/// The module as text, with that function as `@main`.
pub(crate) fn module(m: &Module, root: FuncId, table: &Spellings, options: &Options) -> Result<String> {
    let f = m.func(root)?;
    if let Some(s) = f.syms.first() {
        let text = format!("the extent `{}` of @{} is not known", s.name, f.name);
        return Err(Error::new("E1101", text).help(format!("give it a number: `--bind {}=4`", s.name)).or_span(s.span));
    }
    let mut done: BTreeMap<Key, Written> = BTreeMap::new();
    let mut out = format!("module @{} {{\n", symbol(m.name.as_deref().unwrap_or(&f.name)));
    let mut taken = vec!["main".to_owned()];
    let mut texts = vec![];
    for key in order(m, root)? {
        let f = m.func(key.0)?;
        let main = key.0 == root;
        let name = if main { "main".to_owned() } else { fresh(&f.name, &taken) };
        taken.push(name.clone());
        let walk = Walk {
            m,
            table,
            options,
            done: &done,
            env: environment(&key),
            // Within a function of a module.
            w: Writer::at(2),
            values: HashMap::new(),
            outcomes: vec![],
            depth: 0,
        };
        let (text, written) = walk.function(&f, name, main)?;
        texts.push(text);
        done.insert(key, written);
    }
    // The entry is read first.
    texts.iter().rev().for_each(|t| out.push_str(t));
    out.push_str("}\n");
    Ok(out)
}
fn fresh(name: &str, taken: &[String]) -> String {
    let free = |n: &String| !taken.contains(n);
    let plain = symbol(name);
    if free(&plain) { plain } else { (1..).map(|i| format!("{plain}_{i}")).find(free).unwrap_or(plain) }
}
/// A name that MLIR takes without quotes. (Names of this language are letters, digits, `_` and `.`.)
fn symbol(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$') { c } else { '_' }).collect()
}
/// A string's body.
fn quoted(s: &str) -> String {
    let mut out = String::new();
    for b in s.bytes() {
        match b {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(b.into());
            }
            0x20..0x7f => out.push(b.into()),
            _ => out.push_str(&format!("\\{b:02X}")),
        }
    }
    out
}

/// Every function that the root reaches with the extents that it is called with, callees first. Without recursion: calls may
/// nest deep.
fn order(m: &Module, root: FuncId) -> Result<Vec<Key>> {
    let (mut seen, mut out): (BTreeMap<Key, ()>, _) = (BTreeMap::new(), vec![]);
    let mut open: Vec<(Key, std::vec::IntoIter<Key>)> = vec![];
    let mut next = Some((root, vec![]));
    loop {
        m.budget.check()?;
        if let Some(key) = next.take()
            && seen.insert(key.clone(), ()).is_none()
        {
            let below = calls(m, &key)?;
            open.push((key, below.into_iter()));
        }
        let Some((_, rest)) = open.last_mut() else { break };
        next = rest.next();
        if next.is_none()
            && let Some((key, _)) = open.pop()
        {
            out.push(key);
        }
    }
    Ok(out)
}
fn calls(m: &Module, key: &Key) -> Result<Vec<Key>> {
    let f = m.func(key.0)?;
    let env = environment(key);
    let mut out = vec![];
    let mut failed = Ok(());
    f.walk(BODY, &mut |o| {
        for (_, a) in f.op(o).attrs.iter() {
            if let Attr::Sym(s) = a {
                match call_key(&f, &env, s) {
                    Ok(key) => out.push(key),
                    Err(e) => {
                        if failed.is_ok() {
                            failed = Err(e.or_span(f.op(o).span));
                        }
                    }
                }
            }
        }
    });
    failed.map(|()| out)
}
fn environment(key: &Key) -> ExtentEnv {
    ExtentEnv { syms: key.1.iter().map(|&n| Some(n)).collect(), exists: vec![] }
}
fn call_key(f: &Func, env: &ExtentEnv, s: &SymRef) -> Result<Key> {
    Ok((s.func, s.extents.iter().map(|e| value(f, env, e)).collect::<Result<_>>()?))
}
/// The value of an extent; where it has none, who decides it.
fn value(f: &Func, env: &ExtentEnv, e: &Extent) -> Result<i64> {
    let mut unknown = None;
    e.for_each_atom(&mut |a| {
        if env.get(a).is_none() {
            unknown.get_or_insert(a);
        }
    });
    match unknown {
        None => e.eval(env),
        Some(Atom::Sym(s)) => {
            let name = f.syms.get(s.0 as usize).map_or("?", |s| &s.name);
            Err(Error::new("E1101", format!("the extent `{name}` of @{} is not known", f.name))
                .help(format!("give it a number: `--bind {name}=4`")))
        }
        Some(Atom::Exist(r)) => {
            let decl = f.exists.get(r.0 as usize);
            let name = decl.map_or("?", |d| &d.name);
            let by = match decl.and_then(|d| d.binder) {
                Some(Binder::Op(o)) => format!(", which `{}` binds,", f.op(o).def.name),
                _ => String::new(),
            };
            let text = format!("the extent `?{name}`{by} is decided by values when the program runs");
            let e = Error::new("E1102", text).help(
                "StableHLO's shapes are known when it is compiled: work on the whole axis under a mask, or cut it to an exact extent",
            );
            Err(match decl {
                Some(d) if d.span != tfc_ir::Span::default() => e.also(d.span, "it is named here"),
                _ => e,
            })
        }
    }
}

/// One function under way.
pub(crate) struct Walk<'m> {
    m: &'m Module,
    table: &'m Spellings,
    options: &'m Options,
    done: &'m BTreeMap<Key, Written>,
    env: ExtentEnv,
    pub(crate) w: Writer,
    values: HashMap<ValueId, Val>,
    outcomes: Vec<Outcome>,
    /// Regions around the statement.
    depth: usize,
}

impl<'m> Walk<'m> {
    /// The text of the function, and what callers know of it.
    fn function(mut self, f: &Func, name: String, main: bool) -> Result<(String, Written)> {
        let mut args = vec![];
        for &p in f.params() {
            let ty = self.ty(f, f.ty(p)).map_err(|e| e.or_span(f.value(p).span))?;
            let v = self.w.val(ty);
            self.w.hint(&v, &f.value(p).name);
            args.push(v);
        }
        let body = self.asked(f).and_then(|()| self.region(f, BODY, &args));
        let (ys, outcomes) = match body {
            // Nobody need ever call it.
            Err(e) if !main && self.fails_later(&e) => {
                self.w.clear();
                let (ys, outcome) = self.failed(f, &f.result_types, &e)?;
                (ys, vec![outcome])
            }
            ys => (ys?, std::mem::take(&mut self.outcomes)),
        };
        let infos: Vec<String> =
            (0..ys.len()).map(|i| f.result_name(i)).chain(outcomes.iter().map(Outcome::info)).collect();
        let all: Vec<Val> = ys.iter().chain(outcomes.iter().map(|o| &o.value)).cloned().collect();
        let end = match all.as_slice() {
            [] => "return".to_owned(),
            _ => format!("return {} : {}", names(&all), list(&types(&all))),
        };
        self.w.line(end);
        let text = self.w.finish(&header(&name, main, &args, &all, &infos)) + "  }\n";
        let outcomes = outcomes.into_iter().map(|o| (o.text, o.value.ty, o.shown)).collect();
        Ok((text, Written { name, results: types(&ys), outcomes }))
    }
    /// The conditions of the header hold.
    fn asked(&self, f: &Func) -> Result<()> {
        let on_symbols = |c: &&Constraint| !c.lhs.mentions_existential() && !c.rhs.mentions_existential();
        let mut all = f.wheres.iter().filter(on_symbols);
        all.try_for_each(|c| self.holds(f, c, "`where` of the function").map_err(|e| e.or_span(f.span)))
    }
}
/// The first line of a function; results of the entry are named.
fn header(name: &str, main: bool, args: &[Val], results: &[Val], infos: &[String]) -> String {
    let params: Vec<String> = args.iter().map(|a| format!("{a}: {}", a.ty)).collect();
    let named = |(y, info): (&Val, &String)| match main {
        true => format!("{} {{jax.result_info = \"{}\"}}", y.ty, quoted(info)),
        false => y.ty.to_string(),
    };
    let tos: Vec<String> = results.iter().zip(infos).map(named).collect();
    let visible = if main { "public" } else { "private" };
    format!("  func.func {visible} @{name}({}) -> ({}) {{\n", params.join(", "), tos.join(", "))
}
impl Outcome {
    /// What the result that holds it is called.
    fn info(&self) -> String {
        format!("{}: {}", if self.shown { "print" } else { "check" }, self.text)
    }
}

impl Walk<'_> {
    /// What an extent is.
    pub(crate) fn extent(&self, f: &Func, e: &Extent) -> Result<i64> {
        value(f, &self.env, e)
    }
    /// The type as the text has it.
    pub(crate) fn ty(&self, f: &Func, t: &Type) -> Result<Ty> {
        let mut dims = vec![];
        for d in t.dims.iter() {
            let n = self.extent(f, d)?;
            dims.push(usize::try_from(n).map_err(|_| Error::new("E0402", format!("an extent is negative: {n}")))?);
        }
        if !t.dtype.is_supported() {
            return Err(Error::new("E0201", format!("`{}` is reserved, not yet supported", t.dtype)));
        }
        let ty = Ty::new(t.dtype, dims);
        tfc_ir::tensor::element_count(&ty.dims)?;
        Ok(ty)
    }
    /// A function that has been written already.
    pub(crate) fn callee(&self, f: &Func, s: &SymRef) -> Result<&Written> {
        let key = call_key(f, &self.env, s)?;
        self.done.get(&key).ok_or_else(|| broken("a function that calls itself"))
    }
    /// The module.
    pub(crate) fn module(&self) -> &Module {
        self.m
    }
    /// Results of an op have its names, whatever else they are called.
    pub(crate) fn named(&mut self, f: &Func, op: &tfc_ir::Op, made: &[Val]) {
        for (&v, y) in op.results.iter().zip(made) {
            self.w.hint(y, &f.value(v).name);
        }
    }
    /// Something is checked or printed here.
    pub(crate) fn outcome(&mut self, o: Outcome) -> Result<()> {
        let what = if o.shown { "prints" } else { "may fail" };
        if self.options.checks == Checks::Refuse {
            let text = format!("the program {what}, which StableHLO cannot say: {}", o.text);
            return Err(Error::new("E1105", text).help("`--checks=results` makes a result of each check and print"));
        }
        if o.shown && self.depth > 0 {
            let text = format!("the program prints in a branch or a loop, which no result can say: {}", o.text);
            return Err(Error::new("E1105", text).help("print what the branch or the loop gives, behind it"));
        }
        self.outcomes.push(o);
        Ok(())
    }
    /// A condition between extents is true.
    pub(crate) fn holds(&self, f: &Func, c: &Constraint, what: &str) -> Result<()> {
        // What is not known is an error of its own.
        let (l, r) = (self.extent(f, &c.lhs)?, self.extent(f, &c.rhs)?);
        let ok = match c.op {
            tfc_ir::CmpOp::Eq => l == r,
            tfc_ir::CmpOp::Le => l <= r,
            tfc_ir::CmpOp::Ge => l >= r,
        };
        if ok {
            return Ok(());
        }
        let text = format!("{} does not hold for these extents: {l} and {r} ({what})", c.display(f));
        Err(Error::new("E1104", text).help("the program fails where it gets here: give other extents"))
    }
    fn guard(&self, f: &Func, g: &Guard, results: &[ValueId]) -> Result<()> {
        let Some((i, axis)) = g.found else { return self.holds(f, &g.cond, &g.what) };
        let found = results.get(i).and_then(|&v| f.ty(v).dims.get(axis).cloned());
        let found = found.ok_or_else(|| broken("a guard of an axis that is not there"))?;
        self.holds(f, &Constraint { lhs: found, op: g.cond.op, rhs: g.cond.rhs.clone() }, &g.what)
    }

    /// The statements of a region whose parameters are these values; what it hands on.
    pub(crate) fn region(&mut self, f: &Func, r: RegionId, args: &[Val]) -> Result<Vec<Val>> {
        let region = f.region(r);
        if region.params.len() != args.len() {
            return Err(broken("a region with other parameters"));
        }
        for (&p, a) in region.params.iter().zip(args) {
            let want = self.ty(f, f.ty(p)).map_err(|e| e.or_span(f.value(p).span))?;
            if want != a.ty {
                return Err(broken("a region with parameters of other types"));
            }
            self.w.hint(a, &f.value(p).name);
            self.values.insert(p, a.clone());
        }
        for &o in &region.ops {
            self.m.budget.check()?;
            self.statement(f, o).map_err(|e| e.or_span(f.op(o).span))?;
        }
        for g in &region.guards {
            self.guard(f, g, &[]).map_err(|e| e.or_span(region.span))?;
        }
        region.yields.iter().map(|v| self.value(*v)).collect()
    }
    /// The same as a block of its own, with what is checked in it.
    pub(crate) fn nested(&mut self, f: &Func, r: RegionId, args: &[Val]) -> Result<(Block, Vec<Val>, Vec<Outcome>)> {
        let outer = std::mem::take(&mut self.outcomes);
        self.depth += 1;
        let opened = self.w.open();
        let ys = self.region(f, r, args);
        let mut block = self.w.close(opened);
        self.depth -= 1;
        let mut inner = std::mem::replace(&mut self.outcomes, outer);
        let ys = match ys {
            Err(e) if self.fails_later(&e) => {
                let opened = self.w.open();
                let failed = self.failed(f, &f.types(&f.region(r).yields), &e);
                block = self.w.close(opened);
                let (ys, outcome) = failed?;
                inner = vec![outcome];
                ys
            }
            ys => ys?,
        };
        Ok((block, ys, inner))
    }
    /// A region that takes nothing from outside: see [`Cx::closed`].
    pub(crate) fn closed(&mut self, f: &Func, op: &tfc_ir::Op, r: RegionId, args: &[Val]) -> Result<(Block, Vec<Val>)> {
        let (mut again, mut outer) = (vec![], vec![]);
        for v in f.captures(r) {
            match f.value(v).def {
                Def::Result(o, _) if f.op(o).def.constant && f.op(o).operands.is_empty() => again.push(o),
                _ => {
                    let name = op.def.name;
                    let text =
                        format!("`{name}` is not exported: its region takes values from outside, which XLA refuses");
                    return Err(Error::new("E1103", text).help("hand them to the op as operands, or use constants"));
                }
            }
            outer.push((v, self.value(v)?));
        }
        let all = std::mem::take(&mut self.outcomes);
        let opened = self.w.open();
        let made = again.into_iter().try_for_each(|o| self.statement(f, o)).and_then(|()| self.region(f, r, args));
        let block = self.w.close(opened);
        let inner = std::mem::replace(&mut self.outcomes, all);
        self.values.extend(outer);
        if let Some(o) = inner.first() {
            let text = format!("the program may fail in a comparison or a combination: {}", o.text);
            return Err(Error::new("E1105", text).help("check what goes in, before the op"));
        }
        Ok((block, made?))
    }
    /// Is it an error of a part that may never run, and is there a result that can say that it has?
    fn fails_later(&self, e: &Error) -> bool {
        e.data().code == "E1104" && self.options.checks == Checks::Results
    }
    /// What stands for a part of the program that certainly fails: zeros, and a check that does not hold.
    fn failed(&mut self, f: &Func, types: &[Type], e: &Error) -> Result<(Vec<Val>, Outcome)> {
        let mut ys = vec![];
        for t in types {
            let ty = self.ty(f, t)?;
            ys.push(self.w.splat(&ty, 0.0)?);
        }
        let value = self.w.splat(&Ty::scalar(tfc_ir::DType::Bool), 0.0)?;
        Ok((ys, Outcome { text: e.data().message.clone(), value, shown: false }))
    }
    /// The statements of an op's first region in the block that is open, with what is checked in them.
    pub(crate) fn within(&mut self, f: &Func, op: &tfc_ir::Op, args: &[Val]) -> Result<(Vec<Val>, Vec<Outcome>)> {
        let r = *op.regions.first().ok_or_else(|| broken("a region that is not there"))?;
        let outer = std::mem::take(&mut self.outcomes);
        self.depth += 1;
        let ys = self.region(f, r, args);
        self.depth -= 1;
        let mut inner = std::mem::replace(&mut self.outcomes, outer);
        let ys = match ys {
            Err(e) if self.fails_later(&e) => {
                let (ys, outcome) = self.failed(f, &f.types(&f.region(r).yields), &e)?;
                inner = vec![outcome];
                ys
            }
            ys => ys?,
        };
        Ok((ys, inner))
    }
    fn value(&self, v: ValueId) -> Result<Val> {
        self.values.get(&v).cloned().ok_or_else(|| broken("a value that is not there"))
    }
    fn statement(&mut self, f: &Func, o: OpId) -> Result<()> {
        let op = f.op(o);
        let name = op.def.name;
        for g in &op.guards {
            self.guard(f, g, &op.results)?;
        }
        // What cannot be said is said of the result that has it.
        let want = op.results.iter().map(|&v| self.ty(f, f.ty(v))).collect::<Result<Vec<Ty>>>()?;
        let args = op.operands.iter().map(|&v| self.value(v)).collect::<Result<Vec<Val>>>()?;
        let made = match self.table.of(op.def) {
            Some(Spelling::By(spell)) => spell(&mut Cx { walk: self, f, op, args })?,
            Some(Spelling::Is(word)) => vec![self.w.same(word, &args.iter().collect::<Vec<_>>())?],
            Some(Spelling::Refused(why)) => {
                return Err(Error::new("E1103", format!("`{name}` is not exported: {why}"))
                    .help("`docs/export.md` lists what is"));
            }
            None => {
                return Err(Error::new("E1103", format!("`{name}` has no spelling in StableHLO"))
                    .help("a family from outside adds one by `Spellings::with`, or an expansion to its row"));
            }
        };
        if types(&made) != want {
            return Err(broken(&format!("`{name}` gives other types than it should")));
        }
        for (&v, y) in op.results.iter().zip(made) {
            self.w.hint(&y, &f.value(v).name);
            self.values.insert(v, y);
        }
        Ok(())
    }
}
