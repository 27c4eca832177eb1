//! From functions to text: callees before callers, each once for the extents that it is called with, statement by statement.
//! No op is named here: the table says how each is written.
use std::collections::{BTreeMap, HashMap};

use tfc_ir::extent::Atom;
use tfc_ir::{
    Attr, BODY, Binder, Code, Constraint, Def, Error, Extent, ExtentEnv, Func, FuncId, Guard, Module, OpId, RegionId,
    Result, Span, SymRef, Type, ValueId,
};

use crate::write::cx::Cx;
use crate::write::known::{bound, call_key, caps, environment, unbounded, value};
use crate::write::partial;
use crate::write::sizes::{self, Bound, Counts};
use crate::write::table::{Spelling, Spellings};
use crate::write::ty::{Ty, list};
use crate::write::writer::{Block, Open, Val, Writer, broken, names, types};
use crate::{Checks, Dynamic, Options, Shardings, Side};

/// What a program says besides its results: a check, true where it holds, or a value that it prints.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The message of the check, the label of what is printed.
    pub(crate) text: String,
    /// The value.
    pub(crate) value: Val,
    /// The code of the error where a check does not hold; `None` for a value that is printed.
    pub(crate) code: Option<Code>,
    /// The check's statement, once that is written.
    pub(crate) span: Option<Span>,
}
/// A function and the extents that it is called with.
pub(crate) type Key = (FuncId, Vec<Bound>);
/// A function that has been written.
pub(crate) struct Written {
    /// The function's name in the text.
    pub(crate) name: String,
    /// Types of its parameters, without extents that the caller has of values.
    pub(crate) params: Vec<Ty>,
    /// Types of its results, without what is checked.
    pub(crate) results: Vec<Ty>,
    /// Where extents of the header stand that values decide: a result and an axis. Each is one more result, an `i64[]`.
    pub(crate) counts: Vec<(usize, usize)>,
    /// What is checked and printed; values are those of this function.
    pub(crate) outcomes: Vec<Outcome>,
}

/// The module as text, with that function as `@main`, and what it checks and prints.
pub(crate) fn module(
    m: &Module,
    root: FuncId,
    table: &Spellings,
    options: &Options,
    shardings: Option<&Shardings>,
) -> Result<(String, Vec<Outcome>)> {
    module_of(m, root, table, options, None, shardings).map(|(text, said, _)| (text, said))
}
/// The same; with `numbers` those stand for the symbols of the entry, and what they become is written as extents that are not known.
#[allow(clippy::type_complexity, reason = "the text, what is said, and what numbers stand for")]
pub(crate) fn module_of(
    m: &Module,
    root: FuncId,
    table: &Spellings,
    options: &Options,
    numbers: Option<&[i64]>,
    shardings: Option<&Shardings>,
) -> Result<(String, Vec<Outcome>, BTreeMap<i64, Extent>)> {
    let f = m.func(root)?;
    shardings.map_or(Ok(()), |s| s.known(&f))?;
    let rooms: Vec<Bound> = numbers.unwrap_or_default().iter().map(|&n| Bound::Is(n)).collect();
    let mut sizes: BTreeMap<i64, Extent> = BTreeMap::new();
    for (i, &n) in numbers.unwrap_or_default().iter().enumerate() {
        sizes.insert(n, Extent::sym(tfc_ir::SymId(i as u32)));
    }
    if let Some(s) = f.syms.get(rooms.len()) {
        let text = format!("the extent `{}` of @{} is not known", s.name, f.name);
        return Err(Error::new(Code::E1101, text)
            .help(format!("give it a number: `--bind {}=4`", s.name))
            .or_span(s.span));
    }
    let mut done: BTreeMap<Key, Written> = BTreeMap::new();
    let mut out = format!("module @{} {{\n", symbol(m.name.as_deref().unwrap_or(&f.name)));
    let mut taken = vec!["main".to_owned()];
    if let Some(s) = shardings {
        out.push_str(&s.mesh());
        taken.push("mesh".to_owned());
    }
    let (mut texts, mut said) = (vec![], vec![]);
    let dynamic = options.dynamic;
    for key in order(m, (root, rooms), dynamic)? {
        let f = m.func(key.0)?;
        let main = key.0 == root;
        let name = if main { "main".to_owned() } else { fresh(&f.name, &taken) };
        taken.push(name.clone());
        let walk = Walk {
            m,
            table,
            options,
            shardings,
            main,
            done: &done,
            env: environment(&key),
            caps: caps(m, &f, &key, dynamic),
            open: HashMap::new(),
            rooms: key.1.clone(),
            // Within a function of a module.
            w: Writer::at(2),
            values: HashMap::new(),
            outcomes: vec![],
            depth: 0,
        };
        let mut walk = walk;
        if numbers.is_some() {
            walk.w.open = Some(Open { sizes: std::mem::take(&mut sizes).into(), ..Open::default() });
        }
        let (text, written, known) = walk.function(&f, name, main)?;
        sizes = known;
        texts.push(text);
        if main {
            said.clone_from(&written.outcomes);
        }
        done.insert(key, written);
    }
    // The entry is read first.
    texts.iter().rev().for_each(|t| out.push_str(t));
    out.push_str("}\n");
    Ok((out, said, sizes))
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
fn order(m: &Module, root: Key, dynamic: Dynamic) -> Result<Vec<Key>> {
    let (mut seen, mut out): (BTreeMap<Key, ()>, _) = (BTreeMap::new(), vec![]);
    let mut open: Vec<(Key, std::vec::IntoIter<Key>)> = vec![];
    let mut next = Some(root);
    loop {
        m.budget.check()?;
        if let Some(key) = next.take()
            && seen.insert(key.clone(), ()).is_none()
        {
            let below = calls(m, &key, dynamic)?;
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
fn calls(m: &Module, key: &Key, dynamic: Dynamic) -> Result<Vec<Key>> {
    let f = m.func(key.0)?;
    let (env, caps) = (environment(key), caps(m, &f, key, dynamic));
    let mut out = vec![];
    let mut failed = Ok(());
    f.walk(BODY, &mut |o| {
        for (_, a) in f.op(o).attrs.iter() {
            if let Attr::Sym(s) = a {
                match call_key(&f, &env, &caps, s) {
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
/// One function under way.
pub(crate) struct Walk<'m> {
    m: &'m Module,
    table: &'m Spellings,
    options: &'m Options,
    /// The mesh, where there is one, and what the entry's parameters and results are cut by.
    shardings: Option<&'m Shardings>,
    /// Whether the function is the entry.
    main: bool,
    done: &'m BTreeMap<Key, Written>,
    env: ExtentEnv,
    /// How large extents can get that values decide.
    caps: HashMap<Atom, i64>,
    /// How large they are, where the program has got to them: an `i64[]` each.
    pub(crate) open: HashMap<Atom, Val>,
    /// What the function is called with.
    rooms: Vec<Bound>,
    pub(crate) w: Writer,
    values: HashMap<ValueId, Val>,
    outcomes: Vec<Outcome>,
    /// Regions around the statement.
    depth: usize,
}

impl<'m> Walk<'m> {
    /// The text of the function, and what callers know of it.
    fn function(mut self, f: &Func, name: String, main: bool) -> Result<(String, Written, BTreeMap<i64, Extent>)> {
        let mut args = vec![];
        for &p in f.params() {
            let ty = self.ty(f, f.ty(p)).map_err(|e| e.or_span(f.value(p).span))?;
            let v = self.w.val(ty);
            self.w.hint(&v, &f.value(p).name);
            args.push(v);
        }
        // Behind the arguments stand the extents that the caller has of values.
        for (i, room) in self.rooms.clone().iter().enumerate() {
            if let Bound::UpTo(_) = room {
                let v = self.w.val(Ty::scalar(tfc_ir::DType::I64));
                self.open.insert(Atom::Sym(tfc_ir::SymId(i as u32)), v.clone());
                args.push(v);
            }
        }
        let own = f.params().len();
        let params = types(args.get(..own).unwrap_or_default());
        self.symbols(f, main, &mut args)?;
        let body = self.asked(f).and_then(|()| self.region(f, BODY, args.get(..own).unwrap_or_default()));
        let (mut ys, outcomes) = match body {
            // Nobody need ever call it.
            Err(e) if !main && self.fails_later(&e) => {
                self.w.clear();
                let (ys, outcome) = self.failed(f, &f.result_types, &e)?;
                (ys, vec![outcome])
            }
            ys => (ys?, std::mem::take(&mut self.outcomes)),
        };
        let results = types(&ys);
        let mut infos: Vec<String> = (0..ys.len()).map(|i| f.result_name(i)).collect();
        let mut counts = vec![];
        let mut said: Vec<String> = results.iter().map(Ty::to_string).collect();
        if main {
            let more = self.handed_out(f, &mut ys, &mut said)?;
            infos.extend(more.iter().map(|(name, _)| format!("extent: {name}")));
            ys.extend(more.into_iter().map(|(_, v)| v));
        } else {
            for (i, t) in f.result_types.iter().enumerate() {
                for (axis, d) in t.dims.iter().enumerate() {
                    let returned = f.returns().get(i).map(|&v| f.ty(v).clone());
                    let found = returned.and_then(|t| t.dims.get(axis).cloned());
                    if let (Some(Atom::Exist(_)), Some(e)) = (d.as_atom(), found) {
                        ys.push(self.count(f, &e)?);
                        counts.push((i, axis));
                        infos.push(d.display(f).to_string());
                    }
                }
            }
        }
        said.extend(ys.iter().skip(said.len()).map(|y| y.ty.to_string()));
        said.extend(outcomes.iter().map(|o| o.value.ty.to_string()));
        infos.extend(outcomes.iter().map(Outcome::info));
        ys.extend(outcomes.iter().map(|o| o.value.clone()));
        let mut marks = (vec![], vec![]);
        if let Some(s) = self.shardings.filter(|_| main) {
            let of_args = f.params().iter().map(|&p| f.value(p).name.to_string()).zip(&args);
            marks.0 = of_args.map(|(name, v)| s.attribute(f, Side::Param, &name, v)).collect::<Result<_>>()?;
            let of_results = infos.iter().zip(&ys).map(|(name, v)| s.attribute(f, Side::Result, name, v));
            marks.1 = of_results.collect::<Result<_>>()?;
        }
        let end = match ys.as_slice() {
            [] => "return".to_owned(),
            _ => format!("return {} : {}", names(&ys), said.join(", ")),
        };
        self.w.line(end);
        let open = self.w.open.take().unwrap_or_default();
        if let Some(e) = open.failed {
            return Err(e);
        }
        let text = self.w.finish(&header(&name, main, (&args, &marks.0), (&said, &marks.1), &infos)) + "  }\n";
        Ok((text, Written { name, params, results, counts, outcomes }, open.sizes.into_inner()))
    }
    /// The symbols of a polymorphic module: of the entry from the shapes of its arguments, of which is asked that they agree; else
    /// behind the arguments.
    fn symbols(&mut self, f: &Func, main: bool, args: &mut Vec<Val>) -> Result<()> {
        let Some(open) = &self.w.open else { return Ok(()) };
        let i64s = Ty::scalar(tfc_ir::DType::I64);
        if !main {
            let count = open.sizes.borrow().values().filter(|e| matches!(e.as_atom(), Some(Atom::Sym(_)))).count();
            let syms: Vec<Val> = (0..count).map(|_| self.w.val(i64s.clone())).collect();
            args.extend(syms.iter().cloned());
            if let Some(open) = &mut self.w.open {
                open.syms = syms;
            }
            return Ok(());
        }
        let mut found: Vec<Option<Val>> = vec![None; f.syms.len()];
        let mut others = vec![];
        for (&p, v) in f.params().iter().zip(args.iter()) {
            for (axis, e) in f.ty(p).dims.iter().enumerate() {
                if e.as_exact().is_some() {
                    continue;
                }
                let i32s = Ty::scalar(tfc_ir::DType::I32);
                let what = format!("stablehlo.get_dimension_size {v}, dim = {axis} : ({}) -> {i32s}", v.ty);
                let n = self.w.emit(i32s, what);
                let n = self.w.convert(&n, tfc_ir::DType::I64);
                match e.as_atom() {
                    Some(Atom::Sym(s)) if found.get(s.0 as usize).is_some_and(Option::is_none) => {
                        self.w.hint(&n, &f.syms[s.0 as usize].name);
                        found[s.0 as usize] = Some(n);
                    }
                    _ => others.push((e.clone(), n, p, axis)),
                }
            }
        }
        let missing = found.iter().position(Option::is_none).and_then(|i| f.syms.get(i));
        if let Some(s) = missing {
            let text = format!("no axis of an argument of @{} is the extent `{}`", f.name, s.name);
            return Err(Error::new(Code::E1226, text).or_span(s.span).help(format!(
                "a polymorphic module finds extents in the shapes of arguments: give it a number, `--bind {}=4`",
                s.name
            )));
        }
        if let Some(open) = &mut self.w.open {
            open.syms = found.into_iter().flatten().collect();
        }
        // As of jax.export's: spellings are those of tensors that have elements.
        let syms = self.w.open.as_ref().map(|o| o.syms.clone()).unwrap_or_default();
        let one = self.w.int(1)?;
        for (s, n) in f.syms.iter().zip(&syms) {
            let ok = self.w.compare("GE", n, &one);
            self.asserts(&ok, n, &one, &format!("the extent {} is {{0}}, less than {{1}}", s.name));
        }
        for (e, n, p, axis) in others {
            let want = self.w.extent(&e)?;
            let ok = self.w.compare("EQ", &n, &want);
            self.asserts(
                &ok,
                &n,
                &want,
                &format!("axis {axis} of %{} is {{0}}, not {} = {{1}}", f.value(p).name, e.display(f)),
            );
        }
        Ok(())
    }
    /// What is asked when the extents of a polymorphic module become known.
    fn asserts(&mut self, ok: &Val, l: &Val, r: &Val, message: &str) {
        let ins = list([&ok.ty, &l.ty, &r.ty]);
        self.w.line(format_args!(
            "stablehlo.custom_call @shape_assertion({ok}, {l}, {r}) {{api_version = 2 : i32, error_message = \"{}\", has_side_effect = true}} : ({ins}) -> ()",
            quoted(message)
        ));
    }
    /// The extent over the symbols of the entry of a polymorphic module; what its value stands for from here on.
    fn known_as(&self, e: &Extent, n: i64) {
        let Some(open) = &self.w.open else { return };
        let mut sizes = open.sizes.borrow_mut();
        if e.as_exact().is_some() || n.unsigned_abs() < crate::write::polymorphic::LEAST {
            return;
        }
        let rooms = &self.rooms;
        let root = e.subst(&|a| match a {
            Atom::Sym(s) => match rooms.get(s.0 as usize) {
                Some(Bound::Is(n)) => Some(sizes.get(n).cloned().unwrap_or_else(|| Extent::exact(*n))),
                _ => None,
            },
            Atom::Exist(_) => None,
        });
        if let Ok(root) = root
            && !root.mentions_existential()
        {
            sizes.entry(n).or_insert(root);
        }
    }
    /// What the entry makes of results with extents that values decide: zeros stand behind what counts, and each extent is one
    /// more result; or the result says itself how large it is. Their names and values.
    fn handed_out(&mut self, f: &Func, ys: &mut [Val], said: &mut [String]) -> Result<Vec<(String, Val)>> {
        let mut seen: Vec<(Extent, String, Val)> = vec![];
        for (i, y) in ys.iter_mut().enumerate() {
            let Some(&v) = f.returns().get(i) else { continue };
            let (ty, named) = (f.ty(v), f.result_types.get(i).map(|t| t.dims.to_vec()).unwrap_or_default());
            for (d, e) in ty.dims.iter().zip(named) {
                if !self.is_exact(&e) && !seen.iter().any(|s| s.0 == e) {
                    let (name, count) = (e.display(f).to_string(), self.count(f, d)?);
                    seen.push((e, name, count));
                }
            }
            let open = self.open_axes(f, ty)?;
            if open.is_empty() {
                continue;
            }
            let zero = self.w.splat(&Ty::scalar(y.dtype()), 0.0)?;
            *y = partial::fill(&mut self.w, y, &open, &zero)?;
            if self.options.dynamic == Dynamic::Bounds
                && let Some(text) = said.get_mut(i)
            {
                (*y, *text) = partial::bounded(&mut self.w, y, &open);
            }
        }
        Ok(match self.options.dynamic {
            Dynamic::Bounds => vec![],
            _ => seen.into_iter().map(|(_, name, v)| (name, v)).collect(),
        })
    }
    /// The conditions of the header hold.
    fn asked(&mut self, f: &Func) -> Result<()> {
        if self.w.open.is_some() {
            return f.wheres.iter().try_for_each(|c| self.holds(f, c, "`where` of the function"));
        }
        // What is asked of extents that values decide is asked where the function is called.
        let exact = |e: &Extent| value(f, &self.env, e).is_ok();
        let on_symbols = |c: &&Constraint| exact(&c.lhs) && exact(&c.rhs);
        let mut all = f.wheres.iter().filter(on_symbols);
        all.try_for_each(|c| self.certain(f, c, "`where` of the function").map_err(|e| e.or_span(f.span)))
    }
}
/// The first line of a function; results of the entry are named. Beside parameters and results stand their shardings, if any.
fn header(
    name: &str,
    main: bool,
    args: (&[Val], &[String]),
    results: (&[String], &[String]),
    infos: &[String],
) -> String {
    let param = |(i, a): (usize, &Val)| match args.1.get(i) {
        Some(mark) => format!("{a}: {} {{{mark}}}", a.ty),
        None => format!("{a}: {}", a.ty),
    };
    let params: Vec<String> = args.0.iter().enumerate().map(param).collect();
    let named = |(i, (ty, info)): (usize, (&String, &String))| match (main, results.1.get(i)) {
        (true, Some(mark)) => format!("{ty} {{jax.result_info = \"{}\", {mark}}}", quoted(info)),
        (true, None) => format!("{ty} {{jax.result_info = \"{}\"}}", quoted(info)),
        (false, _) => ty.clone(),
    };
    let tos: Vec<String> = results.0.iter().zip(infos).enumerate().map(named).collect();
    let visible = if main { "public" } else { "private" };
    format!("  func.func {visible} @{name}({}) -> ({}) {{\n", params.join(", "), tos.join(", "))
}
impl Outcome {
    /// What the result that holds it is called.
    fn info(&self) -> String {
        format!("{}: {}", if self.code.is_none() { "print" } else { "check" }, self.text)
    }
}

impl Walk<'_> {
    /// What an extent is.
    pub(crate) fn extent(&self, f: &Func, e: &Extent) -> Result<i64> {
        let n = value(f, &self.env, e)?;
        self.known_as(e, n);
        Ok(n)
    }
    /// The most that an extent can be.
    pub(crate) fn most(&self, f: &Func, e: &Extent) -> Result<i64> {
        match bound(f, &self.env, &self.caps, e) {
            Ok(Bound::Is(n) | Bound::UpTo(n)) => {
                self.known_as(e, n);
                Ok(n)
            }
            Err(x) if x.data().code == Code::E1102 && self.options.dynamic != Dynamic::Refuse => {
                let mut first = None;
                e.for_each_atom(&mut |a| {
                    if let (Atom::Exist(r), None) = (a, self.caps.get(&a)) {
                        first.get_or_insert(r);
                    }
                });
                Err(first.map_or(x, |r| unbounded(f, r, &self.caps)))
            }
            Err(x) => Err(x),
        }
    }
    /// Whether the extent is known.
    pub(crate) fn is_exact(&self, e: &Extent) -> bool {
        let mut exact = true;
        e.for_each_atom(&mut |a| exact &= self.env.get(a).is_some());
        exact
    }
    /// An extent as an `i64[]`, whoever decides it.
    pub(crate) fn count(&mut self, f: &Func, e: &Extent) -> Result<Val> {
        if self.is_exact(e) {
            let n = self.extent(f, e)?;
            return self.w.int(n);
        }
        let (env, open, w) = (&self.env, &self.open, &mut self.w);
        // Numbers first: the closure cannot write.
        let mut known: HashMap<Atom, Val> = HashMap::new();
        let mut failed = None;
        e.for_each_atom(&mut |a| match env.get(a).map(|n| w.int(n)) {
            Some(Ok(v)) => drop(known.insert(a, v)),
            Some(Err(x)) => failed = Some(x),
            None => {}
        });
        if let Some(x) = failed {
            return Err(x);
        }
        e.compute(&mut Counts { w, of: &|a| known.get(&a).or_else(|| open.get(&a)).cloned().map(Ok) })
    }
    /// The axes of a type whose extents values decide, and these.
    pub(crate) fn open_axes(&mut self, f: &Func, t: &Type) -> Result<Vec<(usize, Val)>> {
        let mut out = vec![];
        for (axis, d) in t.dims.iter().enumerate() {
            if !self.is_exact(d) {
                out.push((axis, self.count(f, d)?));
            }
        }
        Ok(out)
    }
    /// The type as the text has it: an axis is as long as it can get.
    pub(crate) fn ty(&self, f: &Func, t: &Type) -> Result<Ty> {
        let mut dims = vec![];
        for d in t.dims.iter() {
            let n = self.most(f, d)?;
            dims.push(usize::try_from(n).map_err(|_| Error::new(Code::E0402, format!("an extent is negative: {n}")))?);
        }
        let ty = Ty::new(t.dtype, dims);
        tfc_ir::tensor::element_count(&ty.dims)?;
        Ok(ty)
    }
    /// A function that has been written already.
    pub(crate) fn callee(&self, f: &Func, s: &SymRef) -> Result<&Written> {
        let key = call_key(f, &self.env, &self.caps, s)?;
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
        let what = if o.code.is_none() { "prints" } else { "may fail" };
        if self.options.checks == Checks::Refuse {
            let text = format!("the program {what}, which StableHLO cannot say: {}", o.text);
            return Err(Error::new(Code::E1105, text).help("`--checks=results` makes a result of each check and print"));
        }
        if o.code.is_none() && self.depth > 0 {
            let text = format!("the program prints in a branch or a loop, which no result can say: {}", o.text);
            return Err(Error::new(Code::E1105, text).help("print what the branch or the loop gives, behind it"));
        }
        self.outcomes.push(o);
        Ok(())
    }
    /// A condition between extents: decided at once, or checked where values decide them.
    pub(crate) fn holds(&mut self, f: &Func, c: &Constraint, what: &str) -> Result<()> {
        let exact = |e: &Extent| e.as_exact().is_some();
        let by_values = c.lhs.mentions_existential() || c.rhs.mentions_existential();
        if self.w.open.is_some() && !by_values && !(exact(&c.lhs) && exact(&c.rhs)) {
            let (l, r) = (self.count(f, &c.lhs)?, self.count(f, &c.rhs)?);
            let how = match c.op {
                tfc_ir::CmpOp::Eq => "EQ",
                tfc_ir::CmpOp::Le => "LE",
                tfc_ir::CmpOp::Ge => "GE",
            };
            let ok = self.w.compare(how, &l, &r);
            self.asserts(&ok, &l, &r, &format!("{} does not hold: {{0}} and {{1}} ({what})", c.display(f)));
            return Ok(());
        }
        if self.options.dynamic == Dynamic::Refuse || (self.is_exact(&c.lhs) && self.is_exact(&c.rhs)) {
            return self.certain(f, c, what);
        }
        let (l, r) = (self.count(f, &c.lhs)?, self.count(f, &c.rhs)?);
        let how = match c.op {
            tfc_ir::CmpOp::Eq => "EQ",
            tfc_ir::CmpOp::Le => "LE",
            tfc_ir::CmpOp::Ge => "GE",
        };
        let value = self.w.compare(how, &l, &r);
        self.outcome(Outcome { text: format!("{} ({what})", c.display(f)), value, code: Some(Code::E0420), span: None })
    }
    /// A condition between extents that are known is true.
    fn certain(&self, f: &Func, c: &Constraint, what: &str) -> Result<()> {
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
        Err(Error::new(Code::E1104, text).help("the program fails where it gets here: give other extents"))
    }
    fn guard(&mut self, f: &Func, g: &Guard, results: &[ValueId]) -> Result<()> {
        let Some((i, axis)) = g.found else { return self.holds(f, &g.cond, &g.what) };
        // What finds an extent that values decide checks it itself.
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
            let a = self.fitted(a, &want).ok_or_else(|| broken("a region with parameters of other types"))??;
            // The header of the entry says it.
            let a = if self.main && r == BODY { a } else { self.placed(f, p, a)? };
            self.w.hint(&a, &f.value(p).name);
            self.values.insert(p, a);
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
    /// The value with axes as long as that type's; `None` where it differs otherwise.
    pub(crate) fn fitted(&mut self, v: &Val, want: &Ty) -> Option<Result<Val>> {
        if v.ty == *want {
            return Some(Ok(v.clone()));
        }
        let may = self.options.dynamic != Dynamic::Refuse && v.dtype() == want.dtype && v.rank() == want.rank();
        may.then(|| partial::refit(&mut self.w, v, &want.dims))
    }
    /// The same as a block of its own, with what is checked in it. `before` stands at its beginning, `then` at its end and makes of what the region hands on
    /// what the block does, which has these types.
    pub(crate) fn nested(
        &mut self,
        f: &Func,
        r: RegionId,
        args: &[Val],
        like: Option<&[Ty]>,
        before: &mut dyn FnMut(&mut Self) -> Result<()>,
        then: &mut dyn FnMut(&mut Self, Vec<Val>) -> Result<Vec<Val>>,
    ) -> Result<(Block, Vec<Val>, Vec<Outcome>)> {
        let outer = std::mem::take(&mut self.outcomes);
        self.depth += 1;
        let opened = self.w.open();
        let ys = before(self).and_then(|()| self.region(f, r, args)).and_then(|ys| then(self, ys));
        let mut block = self.w.close(opened);
        self.depth -= 1;
        let mut inner = std::mem::replace(&mut self.outcomes, outer);
        let ys = match ys {
            Err(e) if self.fails_later(&e) => {
                let opened = self.w.open();
                let failed = match like {
                    Some(like) => self.zeros(like, &e),
                    None => self.failed(f, &f.types(&f.region(r).yields), &e),
                };
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
                    return Err(Error::new(Code::E1103, text).help("hand them to the op as operands, or use constants"));
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
            return Err(Error::new(Code::E1105, text).help("check what goes in, before the op"));
        }
        Ok((block, made?))
    }
    /// Whether it is an error of a part that may never run, while there is a result that can say that it has.
    fn fails_later(&self, e: &Error) -> bool {
        e.data().code == Code::E1104 && self.options.checks == Checks::Results
    }
    /// What stands for a part of the program that certainly fails: zeros, and a check that does not hold.
    fn failed(&mut self, f: &Func, types: &[Type], e: &Error) -> Result<(Vec<Val>, Outcome)> {
        let types = types.iter().map(|t| self.ty(f, t)).collect::<Result<Vec<Ty>>>()?;
        self.zeros(&types, e)
    }
    fn zeros(&mut self, types: &[Ty], e: &Error) -> Result<(Vec<Val>, Outcome)> {
        let mut ys = vec![];
        for ty in types {
            ys.push(self.w.splat(ty, 0.0)?);
        }
        let value = self.w.splat(&Ty::scalar(tfc_ir::DType::Bool), 0.0)?;
        Ok((ys, Outcome { text: e.data().message.clone(), value, code: Some(Code::E0420), span: None }))
    }
    /// What becomes of extents that values decide.
    pub(crate) fn dynamic(&self) -> Dynamic {
        self.options.dynamic
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
    /// The value, cut over the mesh as the program says.
    fn placed(&mut self, f: &Func, v: ValueId, y: Val) -> Result<Val> {
        let of = f.value(v);
        match (self.shardings, f.sharding(v)) {
            (Some(mesh), Some(s)) if y.rank() > 0 => {
                let how = mesh.constraint(s, &of.name, &y, of.span)?;
                let ty = y.ty.clone();
                Ok(self.w.emit(ty.clone(), format!("sdy.sharding_constraint {y} {how} : {ty}")))
            }
            _ => Ok(y),
        }
    }
    fn value(&self, v: ValueId) -> Result<Val> {
        self.values.get(&v).cloned().ok_or_else(|| broken("a value that is not there"))
    }
    fn statement(&mut self, f: &Func, o: OpId) -> Result<()> {
        let before = self.outcomes.len();
        self.written(f, o)?;
        // What stands in a region has its place already.
        for said in self.outcomes.iter_mut().skip(before) {
            said.span.get_or_insert(f.op(o).span);
        }
        Ok(())
    }
    /// The operands of an op, which may rest on it that extents are equal of which one can get longer than the other: as long as the
    /// lesser. What lies beyond that counts for nothing where they are equal, and where they are not the program fails.
    fn aligned(&mut self, f: &Func, op: &tfc_ir::Op, mut args: Vec<Val>) -> Result<Vec<Val>> {
        let stated = op.guards.iter().filter(|g| g.found.is_none()).chain(op.discharged()).map(|g| &g.cond);
        for c in stated.filter(|c| c.op == tfc_ir::CmpOp::Eq) {
            let (Ok(l), Ok(r)) = (self.most(f, &c.lhs), self.most(f, &c.rhs)) else { continue };
            let Some(least) = usize::try_from(l.min(r)).ok().filter(|_| l != r) else { continue };
            for (x, &v) in args.iter_mut().zip(&op.operands) {
                let one = |(d, &n): (&Extent, &usize)| if [&c.lhs, &c.rhs].contains(&d) { least.min(n) } else { n };
                let dims: Vec<usize> = f.ty(v).dims.iter().zip(x.dims()).map(one).collect();
                *x = partial::refit(&mut self.w, x, &dims)?;
            }
        }
        Ok(args)
    }
    fn written(&mut self, f: &Func, o: OpId) -> Result<()> {
        let op = f.op(o);
        let name = op.def.name;
        // Conditions on what the op itself binds are for behind it.
        let later = |g: &&Guard| {
            let mut own = false;
            for e in [&g.cond.lhs, &g.cond.rhs] {
                e.for_each_atom(&mut |a| {
                    let decl = if let Atom::Exist(r) = a { f.exists.get(r.0 as usize) } else { None };
                    own |= decl.is_some_and(|d| d.binder == Some(Binder::Op(o)));
                });
            }
            own
        };
        for g in op.guards.iter().filter(|g| !later(g)) {
            self.guard(f, g, &op.results)?;
        }
        // What cannot be said is said of the result that has it.
        let want = op.results.iter().map(|&v| self.ty(f, f.ty(v))).collect::<Result<Vec<Ty>>>()?;
        let args = op.operands.iter().map(|&v| self.value(v)).collect::<Result<Vec<Val>>>()?;
        let open = self.options.dynamic != Dynamic::Refuse && !sizes::named(f, op).iter().all(|e| self.is_exact(e));
        let args = if open { self.aligned(f, op, args)? } else { args };
        let made = match self.table.of(op.def) {
            Some(how) if open => {
                let part = self.table.partial(op.def);
                partial::spelled(&mut Cx { walk: self, f, op, args }, how, part)?
            }
            Some(Spelling::By(spell)) => spell(&mut Cx { walk: self, f, op, args })?,
            Some(Spelling::Is(word)) => vec![self.w.same(word, &args.iter().collect::<Vec<_>>())?],
            Some(Spelling::Refused(why)) => {
                return Err(Error::new(Code::E1103, format!("`{name}` is not exported: {why}"))
                    .help("`docs/export.md` lists what is"));
            }
            None => {
                return Err(Error::new(Code::E1103, format!("`{name}` has no spelling in StableHLO"))
                    .help("a family from outside adds one by `Spellings::with`, or an expansion to its row"));
            }
        };
        let wrong = || broken(&format!("`{name}` gives other types than it should"));
        if made.len() != want.len() {
            return Err(wrong());
        }
        for ((&v, y), want) in op.results.iter().zip(made).zip(&want) {
            let y = self.fitted(&y, want).ok_or_else(wrong)??;
            let y = self.placed(f, v, y)?;
            self.w.hint(&y, &f.value(v).name);
            self.values.insert(v, y);
        }
        for g in op.guards.iter().filter(later) {
            self.guard(f, g, &op.results)?;
        }
        Ok(())
    }
}
