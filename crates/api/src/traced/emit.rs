//! From graphs to functions: what is asked for is emitted through the one builder, each node after what it needs, the
//! nodes of a closure in the region that was made of it.
use super::dim::{Dim, Name, Names};
use super::graph::{Applied, Block, Function, Kind, NewNode, Node, Rules, Scope, TracedTensor, placed};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::panic::Location;
use std::sync::{Arc, LazyLock};
use tfc_ir::extent::{Atom, CmpOp, Constraint};
use tfc_ir::op::SlotKind;
use tfc_ir::{
    Attr, Attrs, BODY, Binder, Builder, Code, Error, Extent, FuncId, LocDecl, Module, NewOp, OpSet, Result, Span,
    SymId, SymRef, Type, ValueId,
};

/// What the functions of one module share.
pub(crate) struct Shared<'m> {
    m: &'m Module,
    /// Functions made of parts of the graph, by address.
    functions: RefCell<HashMap<*const Function, FuncId>>,
    /// Places in the Rust program.
    locs: RefCell<(Vec<LocDecl>, HashMap<Location<'static>, u32>)>,
}
impl<'m> Shared<'m> {
    pub(crate) fn new(m: &'m Module) -> Shared<'m> {
        Shared { m, functions: RefCell::default(), locs: RefCell::default() }
    }
    /// The table of places.
    pub(crate) fn locs(self) -> Vec<LocDecl> {
        self.locs.into_inner().0
    }
    fn loc(&self, place: &'static Location<'static>) -> u32 {
        let mut table = self.locs.borrow_mut();
        let (list, by_place) = &mut *table;
        *by_place.entry(*place).or_insert_with(|| {
            let args = vec![
                tfc_ir::print::quote(place.file()).into(),
                place.line().to_string().into(),
                place.column().to_string().into(),
            ];
            list.push(LocDecl { kind: "file".into(), args });
            list.len() as u32 - 1
        })
    }
}

/// A function under construction.
pub(crate) struct Emitter<'m, 's> {
    shared: &'s Shared<'m>,
    b: Builder<'m>,
    /// What extents are called here.
    extents: HashMap<Name, Extent>,
    values: HashMap<(u64, usize), ValueId>,
    /// Nodes that have been emitted.
    done: HashSet<u64>,
    /// Whether checks and prints are wanted.
    effects: bool,
}
/// What is left to do for a node.
enum Step<'a> {
    Before(&'a Arc<Node>),
    Emit(&'a Arc<Node>),
}
impl<'m, 's> Emitter<'m, 's> {
    fn new(shared: &'s Shared<'m>, name: &str) -> Self {
        let mut b = Builder::new(shared.m, name);
        // Extents that different statements decide are compared when the program runs.
        b.mend();
        Emitter { shared, b, extents: HashMap::new(), values: HashMap::new(), done: HashSet::new(), effects: true }
    }
    fn extent(&self, names: &Names, e: &Extent) -> Result<Extent> {
        if e.as_exact().is_some() {
            return Ok(e.clone());
        }
        let missing = RefCell::new(None);
        let new = e.subst(&|a| match a {
            Atom::Sym(s) => {
                let name = names.list().get(s.0 as usize)?;
                let known = self.extents.get(name).cloned();
                if known.is_none() {
                    missing.replace(Some(name.text().to_owned()));
                }
                known
            }
            Atom::Exist(_) => None,
        })?;
        match missing.into_inner() {
            None => Ok(new),
            Some(name) => Err(Error::bug(Code::E0408, format!("nothing gives the extent `{name}` here"))
                .help("an input of the program has to have it in its shape")),
        }
    }
    fn ty(&self, names: &Names, t: &Type) -> Result<Type> {
        Ok(t.with_dims(t.dims.iter().map(|e| self.extent(names, e)).collect::<Result<Vec<_>>>()?))
    }
    fn attrs(&self, names: &Names, attrs: &Attrs) -> Result<Attrs> {
        let one = |(k, a): &(&'static str, Attr)| match a {
            Attr::Extents(v) => {
                Ok((*k, Attr::extents(v.iter().map(|e| self.extent(names, e)).collect::<Result<Vec<_>>>()?)))
            }
            a => Ok((*k, a.clone())),
        };
        Ok(Attrs::of(attrs.iter().map(one).collect::<Result<Vec<_>>>()?))
    }
    fn param(&mut self, p: &TracedTensor) -> Result<()> {
        let ty = self.ty(p.names(), p.ty())?;
        let hint = p.node.hint(p.index).unwrap_or_default();
        let v = self.b.param(ty, &spelled(&hint));
        self.values.insert(p.key(), v);
        Ok(())
    }
    fn value(&self, t: &TracedTensor) -> Result<ValueId> {
        self.values.get(&t.key()).copied().ok_or_else(|| missing(t))
    }
    /// Emits what `results` need and is not there yet.
    fn need(&mut self, results: &[TracedTensor]) -> Result<Vec<ValueId>> {
        let mut todo: Vec<Step> = results.iter().rev().map(|t| Step::Before(&t.node)).collect();
        while let Some(step) = todo.pop() {
            match step {
                Step::Before(n) if self.has(n) => {}
                Step::Before(n) => {
                    todo.push(Step::Emit(n));
                    let first = todo.len();
                    let wanted = |t: &&TracedTensor| self.effects || !t.node.types.is_empty();
                    todo.extend(n.before().filter(wanted).map(|t| Step::Before(&t.node)));
                    // Operands in order: the text reads as the Rust program does.
                    todo[first..].reverse();
                }
                Step::Emit(n) if self.has(n) => {}
                Step::Emit(n) => self.emit(n)?,
            }
        }
        results.iter().map(|t| self.value(t)).collect()
    }
    fn has(&self, n: &Node) -> bool {
        self.done.contains(&n.id) || self.values.contains_key(&(n.id, 0))
    }
    fn emit(&mut self, n: &Arc<Node>) -> Result<()> {
        self.done.insert(n.id);
        if let (Kind::After(_), Some(t)) = (&n.kind, n.inputs().next()) {
            let v = self.value(t)?;
            self.values.insert((n.id, 0), v);
            return Ok(());
        }
        let loc = self.shared.loc(n.place);
        // There is no text: a span is the statement's entry in the table of places (`Origin::Rust`).
        let back = self.b.set_loc(Some(loc), Span { start: loc, end: loc.saturating_add(1) });
        if let Kind::Extent(list, most) = &n.kind {
            let made = self.bind(n.id, list, most.as_ref()).map_err(|e| placed(e, n.place));
            self.b.set_loc(back.0, back.1);
            return made;
        }
        let Some(a) = n.op() else {
            return Err(missing(&TracedTensor { node: n.clone(), index: 0 }));
        };
        let made = self.op(a, &n.names).map_err(|e| placed(e, n.place));
        self.b.set_loc(back.0, back.1);
        let rs = made?;
        for (i, (&r, t)) in rs.iter().zip(&n.types).enumerate() {
            let new = self.b.ty(r);
            for (d, e) in t.dims.iter().zip(new.dims.iter()) {
                if let Some(Atom::Sym(SymId(s))) = d.as_atom()
                    && let Some(name) = n.names.list().get(s as usize)
                    && !self.extents.contains_key(name)
                {
                    self.extents.insert(name.clone(), e.clone());
                }
            }
            if let Some(h) = n.hint(i) {
                self.b.rename(r, spelled(&h));
            }
            self.values.insert((n.id, i), r);
        }
        Ok(())
    }
    /// Binds the extent that node `id` names to the first of these values.
    fn bind(&mut self, id: u64, list: &[TracedTensor], most: Option<&Dim>) -> Result<()> {
        let Some(count) = list.first() else { return Ok(()) };
        let v = self.value(count)?;
        let name = count.node.hint(count.index).unwrap_or_else(|| "r".into());
        let x = Extent::exist(self.b.exist(&spelled(&name), Span::default()));
        let wheres = most.map(|d| self.at_most(&x, d)).transpose()?.into_iter().collect();
        self.b.bind_extent(v, x.clone(), wheres)?;
        self.extents.insert(Name::Found { by: id, index: 0, name }, x);
        self.values.insert((id, 0), v);
        Ok(())
    }
    fn at_most(&self, x: &Extent, most: &Dim) -> Result<Constraint> {
        Ok(Constraint { lhs: x.clone(), op: CmpOp::Le, rhs: self.extent(&most.names, &most.extent)? })
    }
    /// The extents that parameters of the region at hand bind, and the parameters.
    fn params(&mut self, block: &Block) -> Result<()> {
        for (name, _) in &block.binds {
            let x = self.b.exist(&spelled(name.text()), Span::default());
            self.extents.insert(name.clone(), Extent::exist(x));
        }
        block.params.iter().try_for_each(|p| self.param(p))?;
        for (name, most) in &block.binds {
            if let (Some(most), Some(x)) = (most, self.extents.get(name)) {
                let c = self.at_most(x, most)?;
                self.b.region_where(c);
            }
        }
        Ok(())
    }
    fn op(&mut self, a: &Applied, names: &Names) -> Result<Vec<ValueId>> {
        self.apply(a.def, &a.operands, &a.attrs, a.declared.as_deref(), names, &a.regions, a.callee.as_ref())
    }
    #[allow(clippy::too_many_arguments, reason = "the parts of an op, of a node that is and of one that is to be")]
    fn apply(
        &mut self,
        def: &'static tfc_ir::OpDef,
        operands: &[TracedTensor],
        attrs: &Attrs,
        declared: Option<&[Type]>,
        names: &Names,
        regions: &[Block],
        callee: Option<&Arc<Function>>,
    ) -> Result<Vec<ValueId>> {
        let operands = operands.iter().map(|t| self.value(t)).collect::<Result<Vec<_>>>()?;
        let mut new = NewOp::new(def, &operands).attrs(self.attrs(names, attrs)?);
        new.declared = declared.map(|ts| ts.iter().map(|t| self.ty(names, t)).collect()).transpose()?;
        for (block, label) in regions.iter().zip(def.regions) {
            let opened = self.b.open(tfc_ir::op::region_label(label).0);
            let made = self.params(block).and_then(|()| self.need(&block.results));
            // What a region binds ends with it.
            block.binds.iter().for_each(|b| drop(self.extents.remove(&b.0)));
            new.regions.push(match made {
                Ok(ys) => self.b.close(opened, ys),
                Err(e) => {
                    self.b.suspend(opened);
                    return Err(e);
                }
            });
        }
        if let Some(f) = callee {
            let slot = def.slots.iter().find(|s| s.kind == SlotKind::Func);
            let slot = slot.ok_or_else(|| Error::new(Code::E0220, format!("`{}` names no function", def.name)))?;
            let func = self.function(f)?;
            let extents = f.names.list().iter().map(|n| {
                let e = self.extents.get(n).cloned();
                e.ok_or_else(|| Error::bug(Code::E0408, format!("nothing gives the extent `{}` here", n.text())))
            });
            let extents = extents.collect::<Result<Vec<_>>>()?;
            let sym = SymRef { func, explicit: !extents.is_empty(), extents: extents.into() };
            new = new.attr(slot.name, Attr::Sym(sym));
        }
        self.b.emit(new)
    }
    fn function(&self, f: &Arc<Function>) -> Result<FuncId> {
        if let Some(&id) = self.shared.functions.borrow().get(&Arc::as_ptr(f)) {
            return Ok(id);
        }
        let mut made = function(self.shared, &f.name, &f.params, &f.results, &f.names, false, f.effects)?;
        let symbol = |f: &Arc<Function>| {
            let func = self.function(f)?;
            Ok(Attr::Sym(SymRef { func, extents: [].into(), explicit: false }))
        };
        match &f.rules {
            Rules::None => {}
            Rules::Jvp(rule) => made = made.with_attr("jvp", symbol(rule)?),
            Rules::Vjp(fwd, bwd) => made = made.with_attr("vjp", Attr::List([symbol(fwd)?, symbol(bwd)?].into())),
        }
        let id = self.shared.m.add(made);
        self.shared.functions.borrow_mut().insert(Arc::as_ptr(f), id);
        Ok(id)
    }
}
/// `E1001`: a value that is not to be had at this place.
fn missing(t: &TracedTensor) -> Error {
    let what = match t.node.op() {
        Some(a) => format!("a result of `{}`", a.def.name),
        None => "a parameter".to_owned(),
    };
    let e = Error::new(Code::E1001, format!("{what} of type {t} is used outside of the closure where it lives"))
        .help("what a closure of `cond`, `while_loop` or `scan` makes leaves it as one of its results");
    placed(e, t.node.place)
}
/// A name in the letters of the language.
pub(crate) fn spelled(name: &str) -> String {
    let ok = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut s: String = name.chars().map(|c| if ok(c) { c } else { '_' }).collect();
    if s.starts_with(|c: char| c.is_ascii_digit()) {
        s.insert(0, '_');
    }
    s
}

/// The function from `params` to `results` that takes the extents `names`.
pub(crate) fn function(
    shared: &Shared,
    name: &str,
    params: &[TracedTensor],
    results: &[TracedTensor],
    names: &Names,
    export: bool,
    effects: bool,
) -> Result<tfc_ir::Finished> {
    let mut e = Emitter::new(shared, name);
    e.effects = effects;
    let mut taken = BTreeSet::new();
    for n in names.list() {
        let text = spelled(n.text());
        let mut free = text.clone();
        let mut i = 2;
        while !taken.insert(free.clone()) {
            free = format!("{text}_{i}");
            i += 1;
        }
        let s = e.b.sym(&free, Span::default());
        e.extents.insert(n.clone(), Extent::sym(s));
    }
    for p in params {
        e.param(p)?;
    }
    let ys = e.need(results)?;
    e.b.export(export);
    if export {
        let mut seen = BTreeSet::new();
        let hint = |t: &TracedTensor| t.node.hint(t.index).map(|h| Arc::from(spelled(&h)));
        let names = results.iter().map(|t| hint(t).filter(|h: &Arc<str>| seen.insert(h.clone()))).collect();
        e.b.name_results(names);
    }
    e.b.finish(ys)
}

/// Nodes from `results` back to `stop`, which are not among them; not those inside of regions. Of a region, whose scope is given, those
/// that it has itself: what it uses from outside is needed by its op as well, and is reached from there. Were it followed from each
/// region, a program of regions that use results of earlier ones would be walked as often as there are paths through it.
fn reach<'a>(results: &'a [TracedTensor], stop: &HashSet<(u64, usize)>, scope: Option<&Scope>) -> Vec<&'a Arc<Node>> {
    let (mut seen, mut out) = (HashSet::new(), vec![]);
    let mut todo: Vec<&TracedTensor> = results.iter().collect();
    while let Some(t) = todo.pop() {
        let inside = scope.is_none_or(|s| t.node.is_within(s));
        if inside && !stop.contains(&t.key()) && seen.insert(t.node.id) {
            out.push(&t.node);
            todo.extend(t.node.before());
        }
    }
    out
}
/// The extents that nodes between `params` and `results` mention and none of them binds.
pub(crate) fn free_names(params: &[TracedTensor], results: &[TracedTensor]) -> Names {
    free(|all, made| visit(params, results, None, all, made))
}
/// As [`free_names`], of a region.
fn free_names_of(b: &Block) -> Names {
    free(|all, made| visit_block(b, all, made))
}
fn free(visit: impl FnOnce(&mut BTreeSet<Name>, &mut HashSet<u64>)) -> Names {
    let (mut all, mut made) = (BTreeSet::new(), HashSet::new());
    visit(&mut all, &mut made);
    Names::of(all.into_iter().filter(|n| !matches!(n, Name::Found { by, .. } if made.contains(by))).collect())
}
fn visit_block(b: &Block, all: &mut BTreeSet<Name>, made: &mut HashSet<u64>) {
    made.insert(b.scope.id);
    all.extend(b.binds.iter().filter_map(|b| b.1.as_ref()).flat_map(|d| d.names.list().iter().cloned()));
    visit(&b.params, &b.results, Some(&b.scope), all, made);
}
fn visit(
    params: &[TracedTensor],
    results: &[TracedTensor],
    scope: Option<&Scope>,
    all: &mut BTreeSet<Name>,
    made: &mut HashSet<u64>,
) {
    for p in params {
        // What `by` binds and only other types of it mention does not matter to this one.
        p.ty().dims.iter().for_each(|e| {
            e.for_each_atom(&mut |a| {
                if let Atom::Sym(s) = a
                    && let Some(n) = p.names().list().get(s.0 as usize)
                {
                    all.insert(n.clone());
                }
            })
        });
    }
    let stop = params.iter().map(TracedTensor::key).collect();
    for n in reach(results, &stop, scope) {
        if matches!(n.kind, Kind::After(_) | Kind::Extent(..)) {
            made.insert(n.id);
        }
        if let Kind::Extent(_, Some(most)) = &n.kind {
            all.extend(most.names.list().iter().cloned());
        }
        if let Some(a) = n.op() {
            made.insert(n.id);
            all.extend(n.names.list().iter().cloned());
            a.regions.iter().for_each(|b| visit_block(b, all, made));
            if let Some(f) = &a.callee {
                all.extend(f.names.list().iter().cloned());
            }
        }
    }
}
/// What a region uses from outside.
pub(crate) fn captures(b: &Block) -> Vec<TracedTensor> {
    let (mut seen, mut out) = (HashSet::new(), vec![]);
    let mut todo: Vec<&TracedTensor> = b.results.iter().collect();
    while let Some(t) = todo.pop() {
        if !seen.insert(t.key()) {
            continue;
        }
        if t.node.is_within(&b.scope) { todo.extend(t.node.before()) } else { out.push(t.clone()) }
    }
    // In the order in which they were made.
    out.sort_by_key(TracedTensor::key);
    out
}

/// Checks that the tensor is of a type that may bind an extent.
///
/// # Errors
/// Those of the op `extent`.
pub(crate) fn check_extent(t: &TracedTensor) -> Result<()> {
    let m = Module::new(Arc::new(OpSet::empty()));
    let mut b = Builder::new(&m, "op");
    let v = b.param(t.ty().with_dims(vec![Extent::exact(1); t.rank()]), "n");
    let x = b.exist("r", Span::default());
    b.bind_extent(v, Extent::exist(x), vec![]).map(drop)
}

/// What inference says of an op.
pub(crate) struct Inferred {
    pub(crate) names: Names,
    pub(crate) types: Vec<Type>,
    pub(crate) attrs: Attrs,
    pub(crate) declared: Option<Vec<Type>>,
}
/// Checks an op in a function of its own, of which all that it needs from outside is a parameter.
pub(crate) fn infer(new: &NewNode, id: u64) -> Result<Inferred> {
    static NO_OPS: LazyLock<Arc<OpSet>> = LazyLock::new(|| Arc::new(OpSet::empty()));
    let m = Module::new(NO_OPS.clone());
    let shared = Shared::new(&m);
    let mut e = Emitter::new(&shared, "op");
    let outside: Vec<&TracedTensor> = new.operands.iter().chain(&new.needs).collect();
    let mut names = outside.iter().fold(new.names.clone(), |n, t| n.with(t.names()));
    for b in &new.regions {
        names = names.with(&free_names_of(b));
    }
    if let Some(f) = &new.callee {
        names = names.with(&f.names);
    }
    let mut taken = vec![];
    for n in names.list() {
        let atom = match n {
            Name::Sym(text) => Extent::sym(e.b.sym(text, Span::default())),
            Name::Found { name, .. } => {
                let x = e.b.exist(name, Span::default());
                if let Some(d) = e.b.func_mut().exists.get_mut(x.0 as usize) {
                    d.binder = Some(Binder::Params(BODY));
                }
                taken.push(x);
                Extent::exist(x)
            }
        };
        e.extents.insert(n.clone(), atom);
    }
    for t in outside {
        if !e.values.contains_key(&t.key()) {
            e.param(t)?;
        }
    }
    let rs = e.apply(
        new.def,
        &new.operands,
        &new.attrs,
        new.declared.as_deref(),
        &new.names,
        &new.regions,
        new.callee.as_ref(),
    )?;
    // Back from the atoms of this function to names; what the op binds gets one.
    let types = e.b.func().types(&rs);
    let f = e.b.func();
    let mut found: Vec<(tfc_ir::ExistId, Name)> = vec![];
    for t in &types {
        for d in t.dims.iter() {
            d.for_each_atom(&mut |a| {
                if let Atom::Exist(x) = a
                    && !taken.contains(&x)
                    && found.iter().all(|n| n.0 != x)
                {
                    let name = f.exists.get(x.0 as usize).map_or_else(|| "r".into(), |d| d.name.clone());
                    found.push((x, Name::Found { by: id, index: found.len() as u32, name }));
                }
            });
        }
    }
    let all = names.with(&Names::of(found.iter().map(|n| n.1.clone()).collect()));
    let sym_names: Vec<&Name> = names.list().iter().filter(|n| matches!(n, Name::Sym(_))).collect();
    let found_names: Vec<&Name> = names.list().iter().filter(|n| matches!(n, Name::Found { .. })).collect();
    let back = |d: &Extent| {
        d.subst(&|a| {
            let name = match a {
                Atom::Sym(s) => sym_names.get(s.0 as usize).copied(),
                Atom::Exist(x) => match taken.iter().position(|t| *t == x) {
                    Some(i) => found_names.get(i).copied(),
                    None => found.iter().find(|n| n.0 == x).map(|n| &n.1),
                },
            };
            name.and_then(|n| all.find(n)).map(Extent::sym)
        })
    };
    let types = types
        .iter()
        .map(|t| Ok(t.with_dims(t.dims.iter().map(back).collect::<Result<Vec<_>>>()?)))
        .collect::<Result<Vec<_>>>()?;
    let attrs = super::graph::lift_attrs(&new.attrs, &new.names, &all)?;
    let declared = match &new.declared {
        Some(ts) => Some(ts.iter().map(|t| new.names.lift_type(t, &all)).collect::<Result<Vec<_>>>()?),
        None => None,
    };
    Ok(Inferred { names: all, types, attrs, declared })
}
