//! Op rows: everything about an op that can be said without a machine, as data. Parser, printer, verifier, derivative
//! engines and passes read rows and never name ops.
//!
//! A row is a `static` (its identity is its address), a family a `static` list of rows, an [`OpSet`] a value made of
//! families. There is no global registry.
use crate::attr::{Attr, Attrs};
use crate::batch::{Batched, Batcher};
use crate::builder::Builder;
use crate::code::Code;
use crate::derive::{Derive, Linearizer, Transposer};
use crate::diag::{Error, Result};
use crate::func::{Func, Op, OpId, ValueId};
use crate::infer::InferCx;
use crate::law::LawCx;
use crate::list::ValueList;
use crate::map::Map;
use crate::places::Places;
use crate::sample::SampleFn;
use crate::scalar::ScalarOp;
use crate::types::Type;
use std::collections::BTreeMap;

/// What running an op may do besides making its results (TFIR §5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing: removed when unused, merged when equal.
    Pure,
    /// May fail: as pure, but never runs where the source would not run it.
    MayFail,
    /// Checks or prints: never removed.
    Assert,
}

/// Where a slot is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Before the operands, without a key.
    Leading,
    /// After the operands, without a key.
    Trailing,
    /// `key = value`.
    Keyed,
}
/// What a slot holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SlotKind {
    /// `2`
    Int,
    /// `[0, 1]`
    Ints,
    /// `2` or `[0, 1]`
    IntOrInts,
    /// `[0, none]`
    Axes,
    /// `[[0], [1]]`
    IntLists,
    /// `1e-6`
    Float,
    /// `true`
    Bool,
    /// `"text"`
    Str,
    /// One of these bare words.
    Word(&'static [&'static str]),
    /// A list of these bare words, or one.
    Words(&'static [&'static str]),
    /// A number, or one of these bare words.
    FloatOrWord(&'static [&'static str]),
    /// `@f<n>`
    Func,
    /// `@w`, external data.
    Data,
    /// One extent: `4` or `shape[n + 1]`.
    Extent,
    /// A list of extents: `[1, 2]` or `shape[n, 2]`.
    Extents,
    /// A number, or nested lists of numbers, of the result's dtype.
    Literal,
}
/// What an absent attribute means.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SlotDefault {
    /// The attribute may not be absent.
    Required,
    /// Inference treats absence itself.
    Absent,
    /// This integer.
    Int(i64),
    /// This flag.
    Bool(bool),
    /// This word.
    Word(&'static str),
    /// This number.
    Float(f64),
    /// All axes of the first operand.
    AllAxes,
}
/// An attribute that an op takes.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Its name; also that of an unkeyed slot, for messages.
    pub name: &'static str,
    /// What it holds.
    pub kind: SlotKind,
    /// Where it is written.
    pub place: Place,
    /// What absence means.
    pub default: SlotDefault,
    /// Printed even where equal to its default (`wrt`).
    pub always: bool,
}
impl Slot {
    /// A keyed slot that must be given.
    pub const fn required(name: &'static str, kind: SlotKind) -> Slot {
        Slot { name, kind, place: Place::Keyed, default: SlotDefault::Required, always: false }
    }
    /// A keyed slot that may be left out.
    pub const fn optional(name: &'static str, kind: SlotKind) -> Slot {
        Slot { name, kind, place: Place::Keyed, default: SlotDefault::Absent, always: false }
    }
    /// A keyed slot with a default.
    pub const fn with_default(name: &'static str, kind: SlotKind, default: SlotDefault) -> Slot {
        Slot { name, kind, place: Place::Keyed, default, always: false }
    }
    /// A leading slot that must be given.
    pub const fn leading(name: &'static str, kind: SlotKind) -> Slot {
        Slot { name, kind, place: Place::Leading, default: SlotDefault::Required, always: false }
    }
    /// A trailing slot.
    pub const fn trailing(name: &'static str, kind: SlotKind, default: SlotDefault) -> Slot {
        Slot { name, kind, place: Place::Trailing, default, always: false }
    }
    /// Whether `a` is what absence means.
    pub fn is_default(&self, a: &Attr) -> bool {
        match (self.default, a) {
            (SlotDefault::Int(i), Attr::Int(j)) => i == *j,
            (SlotDefault::Bool(i), Attr::Bool(j)) => i == *j,
            (SlotDefault::Float(i), Attr::Float(j)) => i == *j,
            (SlotDefault::Word(i), Attr::Word(j)) => i == &**j,
            _ => false,
        }
    }
}

/// d result / d operand, elementwise, built from the operands and the result.
pub type Partial = fn(&mut Builder, args: &[ValueId], out: ValueId) -> Result<ValueId>;
/// How an op is differentiated forward.
#[derive(Clone, Copy)]
pub enum Linearize {
    /// A compile error at the op when an active value reaches it.
    Never(&'static str),
    /// Locally constant: results carry no tangent.
    Zero,
    /// Linear in each operand separately: the sum, over operands with a tangent, of the op on that tangent.
    Multilinear,
    /// Elementwise: the sum of partial × tangent, one partial an operand.
    Partials(&'static [Partial]),
    /// Everything else, region ops included: sets primal and tangent of each result.
    Rule(fn(&mut Linearizer, OpId) -> Result<()>),
    /// By its expansion.
    Expand,
}
/// What is done to a function that holds the op before that function is differentiated.
#[derive(Clone, Copy)]
pub enum Prepare {
    /// Nothing.
    No,
    /// Calls of functions that hold the op, and those that these make, are inlined: what stands before and behind it is asked
    /// which elements count.
    Calls,
    /// As `Calls`, and the function is simplified: the derivative of the op depends on how its results are used.
    Whole,
    /// The op is replaced, in a function that holds one of [`Prepare::Whole`], where this says so.
    Replace(SimplifyFn),
}
/// How a linear op is transposed.
#[derive(Clone, Copy)]
pub enum Transpose {
    /// It is not linear, or never arises in a linear program.
    Never(&'static str),
    /// Gets cotangents of the results (`None`: zero), gives those of the linear operands (`None`: zero or not linear).
    Rule(fn(&mut Transposer, OpId, &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>>),
}

/// What a port of a region op does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PortKind {
    /// Decides which region runs, or how often.
    Control,
    /// From outside into regions.
    In,
    /// From regions to a result.
    Out,
    /// From an operand round the regions to a result.
    Carry,
}
/// What a loop cuts its operands along, and how it collects what its body yields.
pub type TripsFn = fn(&Func, &Op) -> Result<crate::ops::control::ScanDims>;
/// A loop that runs as long as one of its regions says so: operands, parameters of both regions and what `body` yields first
/// are its carries, in one order. What `body` yields beyond them is collected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repeats {
    /// The region that yields the flag.
    pub cond: usize,
    /// The region that yields the next carries.
    pub body: usize,
}
/// What an op does with a window of its first operand: extents of the window at integer scalars, one per axis, which are moved
/// so that it lies inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Window {
    /// There is none.
    No,
    /// The result is the window; the other operands say where it starts.
    Read,
    /// The result is the first operand with the window replaced by the second; those behind it say where it starts.
    Written,
}
impl Window {
    /// The operand with which the starts begin.
    pub fn starts(self) -> usize {
        if self == Window::Written { 2 } else { 1 }
    }
}
/// What the expansion of an op will do, in lines of text; of a derivative op by the engines that it asks.
pub type ExplainFn = fn(&dyn Derive, &Func, &Op) -> Result<String>;
/// The attributes of one product in place of many of these attributes, on operands of these ranks: an operand with an axis
/// has a further one there, the others are the same for all. Where one operand has it, the result has the further axis last;
/// where both have, the products are summed along it. `None` where there is no such product.
pub type ProductFn = fn(&Attrs, ranks: [usize; 2], at: [Option<usize>; 2]) -> Result<Option<Attrs>>;
/// The labels of axes of a product with these attributes, of operands of these ranks; `None` where its place among other
/// products is to be kept.
pub type LabelsFn = fn(&Attrs, ranks: [usize; 2]) -> Result<Option<Labels>>;
/// A product by labels, which are any numbers: those that the result does not have are summed over. No list has one twice, and
/// the result has none that no operand has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Labels {
    /// Labels of the axes of each operand.
    pub terms: [Vec<usize>; 2],
    /// Labels of the axes of the result.
    pub out: Vec<usize>,
    /// Whether each operand is conjugated.
    pub conj: [bool; 2],
}
/// Where an element of the result of an op that only moves elements comes from: which operand, and its index there. Extents of
/// operands and result are numbers, and `index` lies in the result. `None` where the place depends on a value that is no constant.
pub type ElementFn = fn(&Func, &Op, index: &[usize]) -> Option<(usize, Vec<usize>)>;
/// How an op moves the elements of its operands, in numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Moved {
    /// The result is the part of the first operand that begins at this index; no element between its first and its last is left out.
    Window(Vec<usize>),
    /// The result is the operands, one behind the other along this axis.
    Joined(usize),
    /// The result is the first operand with so many copies of the second, a scalar, before and behind it along each axis.
    Surrounded(Vec<[usize; 2]>),
    /// The result is the first operand, but for the window that begins at this index: that is the second operand.
    Replaced(Vec<usize>),
}
/// How an op whose operands and results have numbers for extents moves elements; `None` where it is none of these ways.
pub type MovedFn = fn(&Func, &Op) -> Option<Moved>;
/// How one stream of values runs through a region op. Activity, linearity, liveness and the removal of dead carries all
/// follow from the list of ports.
#[derive(Clone, Debug)]
pub struct Port {
    /// What it does.
    pub kind: PortKind,
    /// The operand it starts from.
    pub operand: Option<usize>,
    /// Region parameters it reaches: (region, index).
    pub params: Vec<(usize, usize)>,
    /// Region yields it comes from: (region, index).
    pub yields: Vec<(usize, usize)>,
    /// The result it ends in.
    pub result: Option<usize>,
}
/// How a region op describes itself.
#[derive(Clone, Copy)]
pub struct Ports {
    /// The ports of an op.
    pub of: fn(&Func, OpId) -> Vec<Port>,
    /// Rewrites attributes that count or rest on ports, when only those in `kept` remain.
    pub keep: fn(&mut Attrs, &Func, OpId, kept: &[Port]),
    /// Extents that the op needs whichever ports remain: a trip count that now follows from an operand.
    pub needs: fn(&Func, OpId) -> Vec<crate::Extent>,
}

/// How an op is run for many indices at once, where what it takes depends on the index: see [`crate::batch`].
#[derive(Clone, Copy)]
pub enum Batch {
    /// It is not: why.
    Never(&'static str),
    /// Elementwise: every operand is batched alike.
    Elementwise,
    /// Everything else, region ops included: gets what each operand has become, at least one of which (or of what the regions
    /// use from outside) is batched; gives what each result becomes.
    Rule(fn(&mut Batcher, OpId, &[Batched]) -> Result<Vec<Batched>>),
    /// By its expansion.
    Expand,
}
impl Batch {
    /// The reason of rows that nobody has thought of.
    pub const UNWRITTEN: &'static str = "no rule is written";
}

/// What holds between operands and results, whoever computes them: see [`crate::law`].
#[derive(Clone, Copy)]
pub enum Law {
    /// None is stated: why.
    None(&'static str),
    /// A law.
    Holds {
        /// States its clauses.
        state: fn(&mut LawCx) -> Result<()>,
        /// Programs beside those of the column `sample` on which it is to be tested: operands on which it is hard to keep,
        /// whether or not a derivative exists there.
        hard: SampleFn,
    },
}

impl Law {
    /// The reason of rows whose kernels differ from engine to engine.
    pub const COMPARED: &'static str = "each engine computes it in a way of its own, and they are compared";
}

/// What an op means in terms of others.
#[derive(Clone, Copy)]
pub enum Expand {
    /// The op is primitive.
    No,
    /// A composite: built from its operands, and of its regions, which are copied to where it stands.
    Composite(fn(&mut Builder, &NewOp) -> Result<Vec<ValueId>>),
    /// A derivative op: asks the engines.
    Derivative(fn(&mut Builder, &dyn crate::derive::Derive, &NewOp) -> Result<Vec<ValueId>>),
    /// A call: `inline` replaces it by the callee's body.
    Inline,
}

/// An op about to be built, with operands of the function under construction.
#[derive(Clone, Debug)]
pub struct NewOp {
    /// Row of the op.
    pub def: &'static OpDef,
    /// Operands.
    pub operands: ValueList,
    /// Attributes.
    pub attrs: Attrs,
    /// Regions, closed.
    pub regions: Vec<crate::RegionId>,
    /// Written or known result types.
    pub declared: Option<Vec<Type>>,
    /// The statement's `where`.
    pub wheres: Vec<crate::extent::Constraint>,
    /// Index into the `loc` table.
    pub loc: Option<u32>,
    /// Where it is written.
    pub span: crate::Span,
}
impl NewOp {
    /// An op with operands and nothing else.
    pub fn new(def: &'static OpDef, operands: &[ValueId]) -> NewOp {
        NewOp {
            def,
            operands: operands.into(),
            attrs: Attrs::none(),
            regions: vec![],
            declared: None,
            wheres: vec![],
            loc: None,
            span: crate::Span::default(),
        }
    }
    /// With these attributes.
    pub fn attrs(mut self, attrs: Attrs) -> NewOp {
        self.attrs = attrs;
        self
    }
    /// With one more attribute.
    pub fn attr(mut self, name: &'static str, a: Attr) -> NewOp {
        self.attrs.set(name, a);
        self
    }
    /// With these regions.
    pub fn regions(mut self, regions: Vec<crate::RegionId>) -> NewOp {
        self.regions = regions;
        self
    }
    /// With these result types.
    pub fn types(mut self, types: Vec<Type>) -> NewOp {
        self.declared = Some(types);
        self
    }
}

/// A simplification: the replacement of an op about to be built, or `None`. Must hold for NaN, ±0, ±inf (TFIR §5).
pub type SimplifyFn = fn(&mut Builder, &NewOp) -> Result<Option<Vec<ValueId>>>;
/// A simplification of an op with regions, which stand in the function that is rewritten: its results in the one that is being built,
/// from its operands there, or `None`. What holds for [`SimplifyFn`] holds for it.
pub type WithinFn = fn(&mut Builder, &Func, OpId, &[ValueId], &Map) -> Result<Option<Vec<ValueId>>>;

/// How an op that is not elementwise walks its only operand, so that it can share loops with elementwise ops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loops {
    /// In a way of its own.
    Own,
    /// Hands it on unchanged: it means something to derivatives only.
    Same,
    /// Folds the axes in its attribute `axes` away; the others keep their order.
    Fold(ScalarOp),
    /// Repeats it: axis `i` becomes axis `dims[i]` of the result (attribute `dims`).
    Repeat,
}

/// How an op that has operands or results of [small](crate::DType::is_small) dtypes is run by an engine that computes in wide ones.
/// Ops with regions or callees take small values as they are, whatever their rows say.
#[derive(Clone, Copy)]
pub enum OnSmall {
    /// On operands of the wide dtypes; results are then rounded (floats) or cut to their low bits (integers).
    Wide,
    /// As it is: it only stores or moves elements.
    Kept,
    /// As it is where this says so of its attributes, otherwise on wide operands.
    KeptWhere(fn(&Attrs) -> bool),
    /// By what this builds, in which small dtypes are only moved and converted to and from their wide ones; `None` where the op is
    /// that already.
    Rule(SimplifyFn),
}

/// Columns of ops with regions: loops, branches, folds.
#[derive(Clone, Copy)]
pub struct Control {
    /// How its streams of values run, of an op with regions.
    pub ports: Option<Ports>,
    /// A loop over a number of trips that is known before it runs: what it cuts and collects.
    pub trips: Option<TripsFn>,
    /// A loop over a number of trips that only running it tells.
    pub repeats: Option<Repeats>,
    /// One of its regions runs, on the operands behind the first: which one.
    pub taken: Option<TakenFn>,
    /// Simplification that reads its regions.
    pub within: Option<WithinFn>,
}
impl Control {
    /// Of ops without regions.
    pub const NONE: Control = Control { ports: None, trips: None, repeats: None, taken: None, within: None };
}
/// Columns about places: where elements go, and which of them are read.
#[derive(Clone, Copy)]
pub struct Movement {
    /// What it does with a window of its first operand.
    pub window: Window,
    /// Which elements of operands its results depend on, where no other column says that.
    pub places: Places,
    /// It only moves elements: where each of them comes from.
    pub element: Option<ElementFn>,
    /// It moves elements in one of the ways that passes know.
    pub moved: Option<MovedFn>,
}
impl Movement {
    /// Nothing is said.
    pub const NONE: Movement = Movement { window: Window::No, places: Places::Unsaid, element: None, moved: None };
}
/// Columns of products of two operands.
#[derive(Clone, Copy)]
pub struct Contraction {
    /// A product, linear in each of its two operands, of which many are much faster as one.
    pub product: Option<ProductFn>,
    /// A product of its two operands in which axes are paired, kept and summed over: which ones. Products of products are the
    /// same in any order, but for rounding.
    pub labels: Option<LabelsFn>,
}
impl Contraction {
    /// Of what is no product.
    pub const NONE: Contraction = Contraction { product: None, labels: None };
}

/// A row.
pub struct OpDef {
    /// Name in the text format.
    pub name: &'static str,
    /// Documentation: first sentence is the summary; the rest is Markdown.
    pub doc: &'static str,
    /// First version of the language that has it.
    pub since: (u16, u16),
    /// Names of operands; a last one that ends in `…` stands for any number.
    pub operands: &'static [&'static str],
    /// From which operand on and up to which one their elements have one dtype: that of a literal among them.
    pub alike: (usize, usize),
    /// Attributes in print order.
    pub slots: &'static [Slot],
    /// Labels of regions; those at the end that end in `?` may be left out. A last one that ends in `…` stands for one or
    /// more, numbered from 0: `case0`, `case1`.
    pub regions: &'static [&'static str],
    /// Whether the result types must be written.
    pub needs_type: bool,
    /// Result types from everything else. Inference is verification.
    pub infer: fn(&mut InferCx) -> Result<Vec<Type>>,
    /// Is the statement's `where` a demand, checked when it runs? (Else it restates facts that inference gives.)
    pub demands: bool,
    /// Effect of the op itself; regions and callees add theirs.
    pub effect: Effect,
    /// Forward derivative.
    pub linearize: Linearize,
    /// What comes before it.
    pub prepare: Prepare,
    /// Transposition.
    pub transpose: Transpose,
    /// Meaning in terms of other ops.
    pub expand: Expand,
    /// What its expansion will do and what that costs, in words, where it chooses: `compile --emit plan` shows it.
    pub explain: Option<ExplainFn>,
    /// What ops with regions have besides.
    pub control: Control,
    /// How it moves elements, and which of them its results depend on.
    pub movement: Movement,
    /// What products of two operands have besides.
    pub contraction: Contraction,
    /// Elementwise meaning.
    pub scalar: Option<ScalarOp>,
    /// How it walks its operand, for fusion.
    pub loops: Loops,
    /// Of a composite: is this op run as it is, by engines that have a kernel for it? Otherwise it is expanded before.
    pub whole: fn(&Func, &Op) -> bool,
    /// How it is run on elements of one and two bytes.
    pub small: OnSmall,
    /// How it is run for many indices at once.
    pub batch: Batch,
    /// What its results have to be.
    pub law: Law,
    /// Algebraic simplification.
    pub simplify: Option<SimplifyFn>,
    /// Small programs that exercise the op.
    pub sample: SampleFn,
    /// Costs nothing to make again: never a residual.
    pub constant: bool,
    /// Its results take memory that it is there to save: a reverse derivative runs it where they are used first.
    pub late: bool,
}
/// The row that others start from: `OpDef { name: "…", …, ..OpDef::BASE }`.
impl OpDef {
    /// A row with nothing filled in.
    pub const BASE: OpDef = OpDef {
        name: "",
        doc: "",
        since: (1, 0),
        operands: &[],
        alike: (0, 0),
        slots: &[],
        regions: &[],
        needs_type: false,
        infer: |cx| Err(Error::new(Code::E0299, format!("`{}` has no inference", cx.def().name))),
        demands: false,
        effect: Effect::Pure,
        linearize: Linearize::Never("no rule is written"),
        prepare: Prepare::No,
        transpose: Transpose::Never("it is not linear"),
        expand: Expand::No,
        explain: None,
        control: Control::NONE,
        movement: Movement::NONE,
        contraction: Contraction::NONE,
        scalar: None,
        loops: Loops::Own,
        whole: |_, _| false,
        small: OnSmall::Wide,
        batch: Batch::Never(Batch::UNWRITTEN),
        law: Law::None(Law::COMPARED),
        simplify: None,
        sample: |_| Ok(vec![]),
        constant: false,
        late: false,
    };
    /// The slot of that name.
    pub fn slot(&self, name: &str) -> Option<&'static Slot> {
        self.slots.iter().find(|s| s.name == name)
    }
    /// Whether an op of the row, with these attributes and so many regions, takes elements of small dtypes as they are.
    pub fn keeps_small(&self, attrs: &Attrs, regions: usize) -> bool {
        match self.small {
            OnSmall::Kept => true,
            OnSmall::KeptWhere(f) => f(attrs) || regions > 0,
            OnSmall::Wide | OnSmall::Rule(_) => regions > 0 || self.calls(),
        }
    }
    /// Whether the op names a function.
    pub fn calls(&self) -> bool {
        self.slots.iter().any(|s| s.kind == SlotKind::Func)
    }
    /// Whether operand `i` is one of those whose elements have one dtype.
    pub fn shares_dtype(&self, i: usize) -> bool {
        (self.alike.0..self.alike.1).contains(&i)
    }
    /// Whether the text may give it scalars, and operands with fewer axes, beside others: they are repeated.
    pub fn spreads(&self) -> bool {
        // What bounds a clamp may be a scalar as it is.
        self.scalar.is_some_and(|s| s != ScalarOp::Clamp) && self.operands.len() > 1
    }
    /// Whether both are the same row.
    pub fn is(&self, other: &OpDef) -> bool {
        std::ptr::eq(self, other)
    }
    /// (least, greatest) number of operands.
    pub fn arity(&self) -> (usize, Option<usize>) {
        match self.operands.last() {
            Some(l) if l.ends_with('…') => (self.operands.len() - 1, None),
            _ => (self.operands.len(), Some(self.operands.len())),
        }
    }
}
impl std::fmt::Debug for OpDef {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
impl PartialEq for OpDef {
    fn eq(&self, other: &OpDef) -> bool {
        self.is(other)
    }
}
impl Eq for OpDef {}

/// The region that runs, of so many, where the first operand is this number; `None` where it is no such number.
pub type TakenFn = fn(&crate::Tensor, regions: usize) -> Option<usize>;

/// The label of region `i` of a row, as it is written.
pub fn region_name(labels: &[&'static str], i: usize) -> Option<std::borrow::Cow<'static, str>> {
    let last = labels.len().checked_sub(1)?;
    match labels.get(last)?.strip_suffix('…') {
        Some(stem) if i >= last => Some(format!("{stem}{}", i - last).into()),
        _ => labels.get(i).map(|&l| region_label(l).0.into()),
    }
}
/// Whether a row may have any number of regions beyond those before the last label.
pub fn many_regions(labels: &[&'static str]) -> bool {
    labels.last().is_some_and(|l| l.ends_with('…'))
}
/// The label of a region as it is written, and whether the region may be left out.
pub fn region_label(label: &'static str) -> (&'static str, bool) {
    match label.strip_suffix('?') {
        Some(l) => (l, true),
        None => (label, false),
    }
}

/// A list of rows.
pub type Family = &'static [&'static OpDef];
/// The ops that a module may use.
#[derive(Clone, Default)]
pub struct OpSet(BTreeMap<&'static str, &'static OpDef>);
impl OpSet {
    /// No op.
    pub fn empty() -> OpSet {
        OpSet::default()
    }
    /// Every op of this crate.
    pub fn core() -> OpSet {
        let mut s = OpSet::default();
        for f in crate::ops::FAMILIES {
            for d in *f {
                s.0.insert(d.name, d);
            }
        }
        s
    }
    /// With one more family; `E0298` where a name is taken.
    pub fn with(mut self, family: Family) -> Result<OpSet> {
        for d in family {
            if self.0.insert(d.name, d).is_some() {
                return Err(Error::new(Code::E0298, format!("two ops are named `{}`", d.name)));
            }
        }
        Ok(self)
    }
    /// The row of that name.
    pub fn get(&self, name: &str) -> Option<&'static OpDef> {
        self.0.get(name).copied()
    }
    /// All rows by name.
    pub fn iter(&self) -> impl Iterator<Item = &'static OpDef> {
        self.0.values().copied()
    }
}
