//! Graphs of traced tensors: nodes that hold what they were made of. A node is never changed, belongs to no program, and may
//! be used from any thread; programs are made by walking from what is asked for to where it comes from.
use super::dim::{Dim, IntoDims, Name, Names, symbolic, type_of};
use super::emit;
use std::cell::RefCell;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tfc_ir::op::OpDef;
use tfc_ir::{Attrs, Code, DType, Element, Error, Result, Tensor, Type};

/// A tensor that stands for a value of a program to be: one result of an op on other traced tensors, or an input.
///
/// Ops check their operands at once and say where in the Rust program they were called. A handle is cheap to clone.
///
/// ```
/// use tfc_api::prelude::*;
/// let x = TracedTensor::input("x", DType::F64, ["n"])?;
/// let y = (&(&x * &x)? + 1.0)?;
/// assert_eq!(y.to_string(), "f64[n]");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct TracedTensor {
    pub(crate) node: Arc<Node>,
    pub(crate) index: usize,
}

/// What makes values.
pub(crate) struct Node {
    pub(crate) id: u64,
    pub(crate) kind: Kind,
    /// The atoms of the extents in its types and attributes.
    pub(crate) names: Names,
    pub(crate) types: Vec<Type>,
    /// What people call its results.
    pub(crate) hints: Vec<OnceLock<Arc<str>>>,
    /// The closure in which it was made.
    pub(crate) scope: Option<Arc<Scope>>,
    /// Where in the Rust program.
    pub(crate) place: &'static Location<'static>,
}
pub(crate) enum Kind {
    /// A parameter of the program; the value is used where a run gives none.
    Input(Option<Tensor>),
    /// A parameter of a region.
    Param,
    /// An op.
    Op(Box<Applied>),
    /// The first of these, once what the others name has been done.
    After(Vec<TracedTensor>),
    /// The first of these, an integer scalar, whose value binds the extent that the node's number names; it is at most that
    /// of the limit, which the others bind.
    Extent(Vec<TracedTensor>, Option<Dim>),
}
/// An op on traced tensors.
pub(crate) struct Applied {
    pub(crate) def: &'static OpDef,
    pub(crate) operands: Vec<TracedTensor>,
    pub(crate) attrs: Attrs,
    pub(crate) declared: Option<Vec<Type>>,
    pub(crate) regions: Vec<Block>,
    pub(crate) callee: Option<Arc<Function>>,
    /// What it needs besides its operands: what regions use from outside, and what binds the extents in attributes.
    pub(crate) needs: Vec<TracedTensor>,
}
/// A region.
pub(crate) struct Block {
    pub(crate) scope: Arc<Scope>,
    pub(crate) params: Vec<TracedTensor>,
    pub(crate) results: Vec<TracedTensor>,
    /// The extents that its parameters bind, with what they do not exceed.
    pub(crate) binds: Vec<(Name, Option<Dim>)>,
}
/// A function of the program, made of a part of a graph: from `params` to `results`.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) params: Vec<TracedTensor>,
    pub(crate) results: Vec<TracedTensor>,
    /// The extents that it takes: those that nothing in it binds.
    pub(crate) names: Names,
    /// Does it check and print? A derivative is of values alone.
    pub(crate) effects: bool,
    /// The derivative of the function, where the function brings one along.
    pub(crate) rules: Rules,
}
/// What a function says of its derivative.
pub(crate) enum Rules {
    /// Nothing.
    None,
    /// A function of parameters and tangents.
    Jvp(Arc<Function>),
    /// The two halves of reverse mode.
    Vjp(Arc<Function>, Arc<Function>),
}

/// A closure that is being traced.
pub(crate) struct Scope {
    pub(crate) id: u64,
    parent: Option<Arc<Scope>>,
}
impl Scope {
    /// Whether the scope is `other`, or lies inside `other`.
    fn within(&self, other: &Scope) -> bool {
        let mut at = Some(self);
        while let Some(s) = at {
            if s.id == other.id {
                return true;
            }
            at = s.parent.as_deref();
        }
        false
    }
}
thread_local! {
    /// The closures that are being traced by this thread: what they make belongs to them.
    static SCOPES: RefCell<Vec<Arc<Scope>>> = const { RefCell::new(vec![]) };
}
pub(crate) fn scope() -> Option<Arc<Scope>> {
    SCOPES.with(|s| s.borrow().last().cloned())
}
/// Traces a closure, which gives parameters and results of a region: what it makes belongs to a scope of its own.
pub(crate) fn within(trace: impl FnOnce() -> Result<(Vec<TracedTensor>, Vec<TracedTensor>)>) -> Result<Block> {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            SCOPES.with(|s| drop(s.borrow_mut().pop()));
        }
    }
    let scope = Arc::new(Scope { id: fresh(), parent: scope() });
    SCOPES.with(|s| s.borrow_mut().push(scope.clone()));
    let _leave = Leave;
    let (params, results) = trace()?;
    Ok(Block { scope, params, results, binds: vec![] })
}

/// Numbers of nodes and scopes: they grow, so that what is older has the smaller one.
pub(crate) fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A chain of nodes is as long as the program: it is taken apart by a list, not by recursion.
impl Drop for Node {
    fn drop(&mut self) {
        let mut todo = vec![];
        take_apart(&mut self.kind, &mut todo);
        while let Some(t) = todo.pop() {
            if let Some(mut node) = Arc::into_inner(t.node) {
                take_apart(&mut node.kind, &mut todo);
            }
        }
    }
}
fn take_apart(kind: &mut Kind, todo: &mut Vec<TracedTensor>) {
    if let Kind::After(list) | Kind::Extent(list, _) = kind {
        todo.append(list);
    }
    if let Kind::Op(a) = kind {
        todo.append(&mut a.operands);
        todo.append(&mut a.needs);
        for b in &mut a.regions {
            todo.append(&mut b.params);
            todo.append(&mut b.results);
            todo.extend(b.binds.drain(..).filter_map(|b| b.1).flat_map(|d| d.found));
        }
        let mut functions: Vec<Arc<Function>> = a.callee.take().into_iter().collect();
        while let Some(mut f) = functions.pop().and_then(Arc::into_inner) {
            todo.append(&mut f.params);
            todo.append(&mut f.results);
            match f.rules {
                Rules::None => {}
                Rules::Jvp(rule) => functions.push(rule),
                Rules::Vjp(fwd, bwd) => functions.extend([fwd, bwd]),
            }
        }
    }
}

impl Node {
    /// What has to be there before it.
    pub(crate) fn before(&self) -> impl Iterator<Item = &TracedTensor> {
        let list = if let Kind::After(list) | Kind::Extent(list, _) = &self.kind { &list[..] } else { &[] };
        self.op().into_iter().flat_map(|a| a.operands.iter().chain(&a.needs)).chain(list)
    }
    /// The tensors among them: not what only checks or prints.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &TracedTensor> {
        self.before().filter(|t| !t.node.types.is_empty())
    }
    /// Whether that closure, or one inside of it, made the node.
    pub(crate) fn is_within(&self, scope: &Scope) -> bool {
        self.scope.as_ref().is_some_and(|s| s.within(scope))
    }
    pub(crate) fn op(&self) -> Option<&Applied> {
        if let Kind::Op(a) = &self.kind { Some(a) } else { None }
    }
    /// What people or else its op call result `i`.
    pub(crate) fn hint(&self, i: usize) -> Option<Arc<str>> {
        self.hints.get(i).and_then(|h| h.get().cloned())
    }
}

/// Where an op of the Rust program was called, as a note of an error.
pub(crate) fn placed(e: Error, place: &Location) -> Error {
    called_at(e, format_args!("{}:{}:{}", place.file(), place.line(), place.column()))
}
/// The same, of a place in words.
pub(crate) fn called_at(e: Error, place: std::fmt::Arguments) -> Error {
    let note = format!("called at {place}");
    if e.data().notes.iter().any(|n| n.starts_with("called at ")) { e } else { e.note(note) }
}

/// An input or a parameter of a region.
pub(crate) fn leaf(kind: Kind, ty: Type, names: Names, name: &str, place: &'static Location<'static>) -> TracedTensor {
    let hint = if name.is_empty() { OnceLock::new() } else { OnceLock::from(Arc::from(name)) };
    let node = Node { id: fresh(), kind, names, types: vec![ty], hints: vec![hint], scope: scope(), place };
    TracedTensor { node: Arc::new(node), index: 0 }
}
/// A parameter of the region that is being traced, of the type of `like` or a part of it.
pub(crate) fn param(ty: Type, names: Names, name: &str, place: &'static Location<'static>) -> TracedTensor {
    leaf(Kind::Param, ty, names, name, place)
}

/// Everything that an op needs, before its results are known.
pub(crate) struct NewNode {
    pub(crate) def: &'static OpDef,
    pub(crate) operands: Vec<TracedTensor>,
    /// Attributes over `names`.
    pub(crate) attrs: Attrs,
    /// Result types over `names`, where the op wants them written.
    pub(crate) declared: Option<Vec<Type>>,
    pub(crate) names: Names,
    pub(crate) regions: Vec<Block>,
    pub(crate) callee: Option<Arc<Function>>,
    /// What binds the extents in `attrs` and `declared`.
    pub(crate) needs: Vec<TracedTensor>,
}
impl NewNode {
    pub(crate) fn new(def: &'static OpDef, operands: &[&TracedTensor]) -> NewNode {
        NewNode {
            def,
            operands: operands.iter().map(|&t| t.clone()).collect(),
            attrs: Attrs::none(),
            declared: None,
            names: Names::default(),
            regions: vec![],
            callee: None,
            needs: vec![],
        }
    }
    /// With a result of that type.
    pub(crate) fn typed(mut self, dtype: DType, dims: &[Dim]) -> Result<NewNode> {
        let (ty, names) = type_of(dtype, dims)?;
        let all = self.names.with(&names);
        self.attrs = lift_attrs(&self.attrs, &self.names, &all)?;
        self.declared = Some(vec![names.lift_type(&ty, &all)?]);
        self.names = all;
        self.needs.extend(dims.iter().flat_map(|d| d.found.iter().cloned()));
        Ok(self)
    }
    /// With an attribute.
    pub(crate) fn attr(mut self, name: &'static str, a: tfc_ir::Attr) -> NewNode {
        self.attrs.set(name, a);
        self
    }
    /// With an attribute of extents.
    pub(crate) fn extents(mut self, name: &'static str, dims: &[Dim]) -> Result<NewNode> {
        let all = dims.iter().fold(self.names.clone(), |n, d| n.with(&d.names));
        self.attrs = lift_attrs(&self.attrs, &self.names, &all)?;
        if let Some(ts) = &mut self.declared {
            *ts = ts.iter().map(|t| self.names.lift_type(t, &all)).collect::<Result<_>>()?;
        }
        self.names = all;
        let list = dims.iter().map(|d| d.names.lift(&d.extent, &self.names)).collect::<Result<Vec<_>>>()?;
        self.attrs.set(name, tfc_ir::Attr::extents(list));
        self.needs.extend(dims.iter().flat_map(|d| d.found.iter().cloned()));
        Ok(self)
    }
    /// With a region.
    pub(crate) fn region(mut self, block: Block) -> NewNode {
        self.regions.push(block);
        self
    }
    /// Checks the op and adds it to the graph: its results.
    pub(crate) fn add(self, place: &'static Location<'static>) -> Result<Vec<TracedTensor>> {
        Ok(self.node(place)?.1)
    }
    /// As [`NewNode::add`], of an op that gives nothing: a check, a print.
    pub(crate) fn effect(self, place: &'static Location<'static>) -> Result<Effect> {
        let name = self.def.name;
        let (node, results) = self.node(place)?;
        if results.is_empty() {
            return Ok(Effect(TracedTensor { node, index: 0 }));
        }
        Err(placed(Error::new(Code::E0211, format!("`{name}` gives results: it is used by them")), place))
    }
    fn node(mut self, place: &'static Location<'static>) -> Result<(Arc<Node>, Vec<TracedTensor>)> {
        let here = scope();
        let visible = |t: &TracedTensor| match (&t.node.scope, &here) {
            (None, _) => true,
            (Some(s), Some(h)) => h.within(s),
            (Some(_), None) => false,
        };
        for (i, t) in self.operands.iter().enumerate() {
            if !visible(t) {
                let e = Error::new(Code::E1001, format!("operand {i} of `{}` lives in another closure", self.def.name))
                    .operand(i)
                    .help("what a closure of `cond`, `while_loop` or `scan` makes leaves it as one of its results");
                return Err(placed(e, place));
            }
        }
        for b in &self.regions {
            self.needs.extend(emit::captures(b));
            self.needs.extend(b.binds.iter().filter_map(|b| b.1.as_ref()).flat_map(|d| d.found.clone()));
        }
        let id = fresh();
        let known = emit::infer(&self, id).map_err(|e| placed(e, place))?;
        let applied = Applied {
            def: self.def,
            operands: self.operands,
            attrs: known.attrs,
            declared: known.declared,
            regions: self.regions,
            callee: self.callee,
            needs: self.needs,
        };
        let n = known.types.len();
        let node = Arc::new(Node {
            id,
            kind: Kind::Op(Box::new(applied)),
            names: known.names,
            types: known.types,
            hints: (0..n).map(|_| OnceLock::new()).collect(),
            scope: here,
            place,
        });
        let results = (0..n).map(|index| TracedTensor { node: node.clone(), index }).collect();
        Ok((node, results))
    }
    /// As [`NewNode::add`], of an op with one result.
    pub(crate) fn one(self, place: &'static Location<'static>) -> Result<TracedTensor> {
        let name = self.def.name;
        let mut all = self.add(place)?;
        match (all.pop(), all.is_empty()) {
            (Some(t), true) => Ok(t),
            _ => Err(placed(Error::new(Code::E0211, format!("`{name}` does not give one result")), place)),
        }
    }
}
/// Attributes over `names`, over `all`.
pub(crate) fn lift_attrs(attrs: &Attrs, names: &Names, all: &Names) -> Result<Attrs> {
    if names == all || !attrs.iter().any(|(_, a)| matches!(a, tfc_ir::Attr::Extents(_))) {
        return Ok(attrs.clone());
    }
    let one = |(k, a): &(&'static str, tfc_ir::Attr)| {
        Ok(match a {
            tfc_ir::Attr::Extents(v) => {
                (*k, tfc_ir::Attr::extents(v.iter().map(|e| names.lift(e, all)).collect::<Result<Vec<_>>>()?))
            }
            a => (*k, a.clone()),
        })
    };
    Ok(Attrs::of(attrs.iter().map(one).collect::<Result<Vec<_>>>()?))
}

/// Something that a program does and that gives no tensor: a check, a print. It is done where a tensor that is
/// [`after`](TracedTensor::after) it is computed.
#[derive(Clone)]
pub struct Effect(TracedTensor);

impl TracedTensor {
    /// This tensor, once these things have been done: what computes it checks and prints first. A program that asks for a
    /// derivative of it alone does not.
    #[track_caller]
    pub fn after<'a>(&self, effects: impl IntoIterator<Item = &'a Effect>) -> TracedTensor {
        let list = [self.clone()].into_iter().chain(effects.into_iter().map(|e| e.0.clone())).collect();
        let hints = vec![OnceLock::new()];
        let (names, types) = (self.names().clone(), vec![self.ty().clone()]);
        let place = Location::caller();
        let node = Node { id: fresh(), kind: Kind::After(list), names, types, hints, scope: scope(), place };
        TracedTensor { node: Arc::new(node), index: 0 }
    }
    /// This tensor, where every element of `predicate` is true; else the run fails with the message (`E0710`).
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let x = TracedTensor::from_vec_col_major([2], vec![1.0_f64, -1.0])?;
    /// let positive = x.gt(&TracedTensor::zeros(DType::F64, [2])?)?;
    /// let y = x.checked(&positive, "x is positive")?.log()?;
    /// let e = GraphExecutor::new(CpuBackend::new()).run(&GraphCompiler::new().compile(&y)?).unwrap_err();
    /// assert!(e.to_string().contains("x is positive"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `E0203` a predicate that is not of `bool`.
    #[track_caller]
    pub fn checked(&self, predicate: &TracedTensor, message: &str) -> Result<TracedTensor> {
        let check = NewNode::new(&tfc_ir::ops::extents::CHECK, &[predicate]);
        let check = check.attr("message", tfc_ir::Attr::Str(message.into())).effect(Location::caller())?;
        Ok(self.after([&check]))
    }
    /// This tensor, which the run prints under a label.
    ///
    /// # Errors
    /// None that a tensor could lead to.
    #[track_caller]
    pub fn printed(&self, label: &str) -> Result<TracedTensor> {
        self.printed_every(label, 1)
    }
    /// As [`TracedTensor::printed`]: of the values that a run has under this label the first, and each `every`-th from there.
    ///
    /// # Errors
    /// `E0227` where `every` is 0.
    #[track_caller]
    pub fn printed_every(&self, label: &str, every: u32) -> Result<TracedTensor> {
        let print = NewNode::new(&tfc_ir::ops::extents::PRINT, &[self]);
        let print = print.attr("label", tfc_ir::Attr::Str(label.into())).attr("every", tfc_ir::Attr::Int(every.into()));
        let print = print.effect(Location::caller())?;
        Ok(self.after([&print]))
    }
    /// An input of that name and type, which every run has to be given.
    ///
    /// `shape` is a list of numbers, names or [`Dim`]s: `[3, 4]`, `["n"]`, `dims!["n", 3]`.
    ///
    /// # Errors
    /// `E0405` extents that overflow.
    #[track_caller]
    pub fn input(name: &str, dtype: DType, shape: impl IntoDims) -> Result<TracedTensor> {
        let place = Location::caller();
        let (ty, names) = type_of(dtype, &shape.into_dims())?;
        Ok(leaf(Kind::Input(None), ty, names, name, place))
    }
    /// An input of a known shape.
    ///
    /// # Errors
    /// As [`TracedTensor::input`].
    #[track_caller]
    pub fn input_concrete_shape(dtype: DType, shape: &[usize]) -> Result<TracedTensor> {
        TracedTensor::input("", dtype, shape)
    }
    /// An input of that rank, each of whose extents is a symbol of its own.
    ///
    /// # Errors
    /// As [`TracedTensor::input`].
    #[track_caller]
    pub fn input_symbolic_shape(dtype: DType, rank: usize) -> Result<TracedTensor> {
        let id = fresh();
        let names: Vec<String> = (0..rank).map(|i| format!("n{id}_{i}")).collect();
        TracedTensor::input("", dtype, names.iter().map(String::as_str).collect::<Vec<_>>())
    }
    /// An input with a value, which a run uses unless it is given another. The program does not hold the value: its text is
    /// that of an input.
    #[track_caller]
    pub fn from_tensor(value: Tensor) -> TracedTensor {
        let ty = Type::exact(value.dtype(), value.shape());
        leaf(Kind::Input(Some(value)), ty, Names::default(), "", Location::caller())
    }
    /// [`TracedTensor::from_tensor`] of elements with the first axis fastest.
    ///
    /// # Errors
    /// `E1020` where the number of elements is not that of the shape, `E0406` a shape that is too large.
    #[track_caller]
    pub fn from_vec_col_major<T: Element>(shape: impl AsRef<[usize]>, v: Vec<T>) -> Result<TracedTensor> {
        let value = Tensor::from_vec_col_major(shape, v).map_err(|e| placed(e, Location::caller()))?;
        Ok(TracedTensor::from_tensor(value))
    }
    /// Element type of the tensor.
    pub fn dtype(&self) -> DType {
        self.ty().dtype
    }
    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.ty().rank()
    }
    /// An extent of its value, which only a run knows: `extent` of the language. A negative value is an error of the run
    /// (`E0422`).
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let n = TracedTensor::input("n", DType::I64, [] as [usize; 0])?;
    /// let squares = TracedTensor::iota(DType::I64, [n.to_dim()?], 0)?.pow(&TracedTensor::scalar(2_i64)?)?;
    /// let program = GraphCompiler::new().compile(&squares)?;
    /// let executor = GraphExecutor::new(CpuBackend::new());
    /// assert_eq!(executor.run_with(&program, &[(&n, Tensor::scalar(4_i64))])?[0].to_vec::<i64>()?, [0, 1, 4, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `E0203`, `E0202` for something else than an `i64[]`.
    #[track_caller]
    pub fn to_dim(&self) -> Result<Dim> {
        self.extent_of(None, Location::caller())
    }
    /// As [`TracedTensor::to_dim`], of a value that does not exceed `most`: otherwise the run fails (`E0420`). That is a fact
    /// about everything that has the extent.
    ///
    /// # Errors
    /// As [`TracedTensor::to_dim`].
    #[track_caller]
    pub fn to_dim_within(&self, most: impl Into<Dim>) -> Result<Dim> {
        self.extent_of(Some(most.into()), Location::caller())
    }
    fn extent_of(&self, most: Option<Dim>, place: &'static Location<'static>) -> Result<Dim> {
        emit::check_extent(self).map_err(|e| placed(e, place))?;
        let id = fresh();
        let name = Name::Found { by: id, index: 0, name: self.node.hint(self.index).unwrap_or_else(|| "r".into()) };
        let own = Names::of(vec![name]);
        let limit = most.iter().fold(Names::default(), |n, d| n.with(&d.names));
        let list = [self.clone()].into_iter().chain(most.iter().flat_map(|d| d.found.clone())).collect();
        let node = Node {
            id,
            kind: Kind::Extent(list, most),
            names: own.with(&limit).with(self.names()),
            types: vec![self.ty().clone()],
            hints: vec![OnceLock::new()],
            scope: scope(),
            place,
        };
        let found = vec![TracedTensor { node: Arc::new(node), index: 0 }];
        Ok(Dim { extent: tfc_ir::Extent::sym(tfc_ir::SymId(0)), names: own, found })
    }
    /// The extent of an axis.
    ///
    /// # Errors
    /// `E0212` where there is no such axis.
    pub fn dim(&self, axis: usize) -> Result<Dim> {
        let e =
            self.ty().dims.get(axis).ok_or_else(|| {
                Error::new(Code::E0212, format!("axis {axis} is out of range for rank {}", self.rank()))
            })?;
        Ok(self.dim_of(e.clone()))
    }
    /// All extents.
    pub fn dims(&self) -> Vec<Dim> {
        self.ty().dims.iter().map(|e| self.dim_of(e.clone())).collect()
    }
    fn dim_of(&self, extent: tfc_ir::Extent) -> Dim {
        let found = self.names().list().iter().any(|n| matches!(n, super::dim::Name::Found { .. }));
        Dim { extent, names: self.names().clone(), found: if found { vec![self.clone()] } else { vec![] } }
    }
    /// The extents, where all of them are numbers.
    pub fn try_concrete_shape(&self) -> Option<Vec<usize>> {
        self.ty().exact_shape()
    }
    /// The extents as numbers.
    ///
    /// # Errors
    /// `E1003` where one is known only when a program runs.
    pub fn concrete_shape(&self) -> Result<Vec<usize>> {
        let dims = self.dims();
        dims.iter().enumerate().map(|(i, d)| d.as_exact().ok_or_else(|| symbolic(d, i))).collect()
    }
    /// Gives it a name, under which it stands in the text of a program and among its results. The first name stays.
    pub fn named(&self, name: &str) -> TracedTensor {
        if let Some(h) = self.node.hints.get(self.index) {
            h.get_or_init(|| name.into());
        }
        self.clone()
    }
    /// Whether both are the same value, and not only equal ones.
    pub fn is(&self, other: &TracedTensor) -> bool {
        self.key() == other.key()
    }
    pub(crate) fn key(&self) -> (u64, usize) {
        (self.node.id, self.index)
    }
    pub(crate) fn ty(&self) -> &Type {
        // A handle is made for a result that there is.
        &self.node.types[self.index]
    }
    pub(crate) fn names(&self) -> &Names {
        &self.node.names
    }
}
/// Prints the tensor's type: `f64[n, 3]`.
impl std::fmt::Display for TracedTensor {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}", self.ty().display(self.names()))
    }
}
impl std::fmt::Debug for TracedTensor {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let made = match &self.node.kind {
            Kind::Input(_) => "input",
            Kind::Param => "parameter",
            Kind::Op(a) => a.def.name,
            Kind::After(_) => "checked value",
            Kind::Extent(..) => "extent",
        };
        write!(f, "TracedTensor({made}: {self})")
    }
}
