//! From functions to kernels: each function is planned, and what its steps need is written as text: forms of its regions, copies
//! between strides, the kernels of its ops. One source holds them all, a text that occurs twice once.
use std::collections::BTreeMap;

use tfc_ir::op::Expand;
use tfc_ir::ops::contract::DOT_GENERAL;
use tfc_ir::verify::Checked;
use tfc_ir::{Code, DType, Error, Func, FuncId, Module, OpDef, Result, Span};
use tfc_plan::plan::audit::audit;
use tfc_plan::plan::describe::Made;
use tfc_plan::plan::{Block, Callee, Callees, Do, KernelStep, NONE, Plan, Run, Slot, Target, lower};
use tfc_plan::region::body::Role;
use tfc_plan::region::phases::{Cutting, Graph};

use crate::dialect::{Dialect, Texts};
use crate::region::{self, Extents, Form, LEAST_PACKED, PACK, Walk};
use crate::steps::{self, Steps};

/// The most phases of a region: what is cut into more runs as steps of its own.
const MOST_PHASES: usize = 64;

/// A region's kernels.
#[derive(Debug)]
pub struct Region {
    /// Phases of the region.
    pub cutting: Cutting,
    /// Element types of its operands.
    pub dtypes: Vec<DType>,
    /// Forms of the region and their kernels.
    pub forms: Vec<(Form, String)>,
    /// Bytes of an element of each row that is kept.
    pub rows: Vec<usize>,
    /// Bytes of what is folded for each kept index.
    pub folds: Vec<usize>,
    /// Which operands walk a reduced loop (any loop, without a reduction).
    pub full: Vec<bool>,
    /// Neighbours that a thread takes at a time.
    pub pack: usize,
}
impl Region {
    /// Whether the region has a kernel that walks so.
    pub fn has(&self, walk: Walk) -> bool {
        self.forms.iter().any(|f| f.0.walk == walk)
    }
    /// Whether the region has a reduction.
    pub fn reduces(&self) -> bool {
        !self.folds.is_empty()
    }
}
/// A compiled function.
pub struct CompiledFunction {
    /// What runs.
    pub plan: Plan,
    /// By number of the region.
    pub regions: Vec<Region>,
    /// By number of the step.
    pub steps: Vec<Box<dyn steps::Step>>,
    /// Kernels that copy, by how they walk, bytes of an element and number of loops.
    pub copies: BTreeMap<(Walk, usize, usize), String>,
    /// Less exact products may be chosen.
    pub fast_math: bool,
}
/// The engine while a function is planned.
struct Engine<'a, D: Dialect> {
    steps: &'a Steps<D>,
    regions: Vec<(Cutting, Vec<DType>)>,
}
impl<D: Dialect> Target for Engine<'_, D> {
    fn replaces(&self, row: &OpDef) -> bool {
        self.steps.replaces(row)
    }
    fn most_phases(&self) -> usize {
        MOST_PHASES
    }
    /// Libraries add to a product as they write it.
    fn joins(&self, f: &Func, step: &KernelStep) -> bool {
        let op = f.op(step.op);
        // Factors of complex sums are complex: times one, an infinity would become a NaN.
        let real = op.results.first().is_some_and(|&v| f.ty(v).dtype.is_float());
        op.def.is(&DOT_GENERAL) && !self.replaces(op.def) && real
    }
    fn fused(&mut self, g: &Graph, outs: &[(u32, u32)], _: usize, _: bool) -> Result<Vec<(u32, u32)>> {
        let cutting = g.cut(outs);
        let dtypes = g.operands.iter().map(|o| o.0.dtype).collect();
        let pairs = in_place(&cutting, &g.operands.iter().map(|o| o.0.dtype.size()).collect::<Vec<_>>());
        self.regions.push((cutting, dtypes));
        Ok(pairs)
    }
}
/// Pairs of outputs and inputs that may be the same memory under the same strides: a thread reads its element of the input for
/// the last time before it writes the same element of the output.
fn in_place(c: &Cutting, sizes: &[usize]) -> Vec<(u32, u32)> {
    let uses = |k: u32, role: Role| {
        c.parts
            .iter()
            .enumerate()
            .filter(move |(_, p)| p.operands.iter().zip(&p.region.operands).any(|(&o, x)| o == k && x.role == role))
    };
    let mut pairs = vec![];
    for o in (0..c.roles.len() as u32).filter(|&k| c.roles[k as usize] == Role::Out) {
        let Some((first, part)) = uses(o, Role::Out).next() else { continue };
        for i in (0..c.roles.len() as u32).filter(|&k| c.roles[k as usize] == Role::In) {
            let Some((last, _)) = uses(i, Role::In).next_back() else { continue };
            // Of one element for each row, another row may be read still.
            let whole = !part.kept || c.parts.len() == 1;
            if last <= first && whole && sizes[o as usize] == sizes[i as usize] {
                pairs.push((o, i));
            }
        }
    }
    pairs
}

/// Plans a function and what it calls, each once, callees first; their kernels go to `texts`, where those of other programs may be.
///
/// # Errors
/// What the verifier finds; `E1304` where rows or scalar functions have no kernel: all rows without one are named.
pub fn compile<D: Dialect>(
    m: &Module,
    f: FuncId,
    steps: &Steps<D>,
    fast_math: bool,
    texts: &mut Texts<D>,
) -> Result<Vec<CompiledFunction>> {
    let checked = Checked::of(m, f)?;
    let (mut callees, mut all, mut missing) = (Callees::new(), vec![], vec![]);
    let called = checked.module().callees_first([f], |_| false).into_iter().filter(|&g| g != f);
    for (g, nested) in called.map(|g| (g, true)).chain([(f, false)]) {
        let mut engine = Engine { steps, regions: vec![] };
        let plan = lower::plan(&checked, g, &mut engine, &callees, nested, fast_math)?;
        if cfg!(debug_assertions) {
            audit(&plan)?;
        }
        if let Some(d) = plan.slots.iter().find(|d| !D::takes(d.dtype)) {
            return Err(Error::new(
                Code::E1304,
                format!("the {} backend has no {}, which `{}` is", D::BACKEND, d.dtype, d.name),
            )
            .help(format!("convert to another element type (`convert`), or use the backend {}", D::INSTEAD)));
        }
        let (name, depth, frames) = (plan.func.name.clone(), plan.depth, plan.frames);
        callees.insert(g, Callee { plan: all.len() as u32, name, depth, frames });
        all.push(write(plan, engine.regions, (steps, fast_math), texts, &mut missing)?);
    }
    match missing.split_first() {
        Some((first, rest)) => Err(no_kernel::<D>(first, rest)),
        None => Ok(all),
    }
}
type Missing = (&'static OpDef, Span);

fn write<D: Dialect>(
    plan: Plan,
    regions: Vec<(Cutting, Vec<DType>)>,
    (steps, fast_math): (&Steps<D>, bool),
    texts: &mut Texts<D>,
    missing: &mut Vec<Missing>,
) -> Result<CompiledFunction> {
    let mut w = Write { steps, texts, missing, copies: BTreeMap::new(), regions: vec![], made: vec![] };
    w.made.resize_with(plan.kernels as usize, || None);
    w.regions.resize_with(regions.len(), || None);
    let mut regions: Vec<Option<(Cutting, Vec<DType>)>> = regions.into_iter().map(Some).collect();
    w.block(&plan, &plan.body, &mut regions)?;
    for s in 0..plan.slots.len() {
        w.copy(&plan, s as Slot)?;
    }
    let Write { copies, regions, made, .. } = w;
    // Where one is missing, compilation ends before anybody asks for it.
    let (regions, made) = (regions.into_iter().flatten().collect(), made.into_iter().flatten().collect());
    Ok(CompiledFunction { plan, regions, steps: made, copies, fast_math })
}
struct Write<'a, D: Dialect> {
    steps: &'a Steps<D>,
    texts: &'a mut Texts<D>,
    missing: &'a mut Vec<Missing>,
    copies: BTreeMap<(Walk, usize, usize), String>,
    regions: Vec<Option<Region>>,
    made: Vec<Option<Box<dyn steps::Step>>>,
}
impl<D: Dialect> Write<'_, D> {
    fn block(&mut self, plan: &Plan, block: &Block, regions: &mut [Option<(Cutting, Vec<DType>)>]) -> Result<()> {
        for s in block {
            match &s.what {
                Do::Run(r) => self.region(plan, r, regions).map_err(|e| e.or_span(s.span))?,
                Do::Kernel(k) => {
                    let row = plan.func.op(k.op).def;
                    match self.steps.get(row) {
                        Some(make) => {
                            let made =
                                make(&steps::Site { plan, step: k }, self.texts).map_err(|e| e.or_span(s.span))?;
                            self.made[k.id as usize] = Some(made);
                        }
                        None if self.missing.iter().any(|m| std::ptr::eq(m.0, row)) => {}
                        None => self.missing.push((row, s.span)),
                    }
                    if let Some(r) = &k.then {
                        self.region(plan, r, regions).map_err(|e| e.or_span(s.span))?;
                    }
                }
                _ => {}
            }
            for b in s.what.blocks() {
                self.block(plan, b, regions)?;
            }
        }
        Ok(())
    }
    /// The kernels that copy a slot's elements.
    fn copy(&mut self, plan: &Plan, s: Slot) -> Result<()> {
        let d = &plan.slots[s as usize];
        let (size, rank) = (d.dtype.size(), d.dims.len());
        let elements = d.dims.iter().map(|&e| plan.exts[e as usize].as_exact()).product::<Option<i64>>();
        let many = rank > 0 && elements.is_none_or(|n| n >= LEAST_PACKED as i64);
        let mut add = |walk: Walk, rank: usize| {
            if !self.copies.contains_key(&(walk, size, rank))
                && let Some(k) = D::copy(walk, size, rank)
            {
                let name = self.texts.add(k);
                self.copies.insert((walk, size, rank), name);
            }
        };
        for rank in [1, rank].into_iter().filter(|&r| r > 0) {
            add(Walk::Elements, rank);
        }
        if many && size < PACK {
            add(Walk::Packs, rank);
        }
        if many && rank > 1 {
            add(Walk::Tiles, rank);
        }
        Ok(())
    }
    fn region(&mut self, plan: &Plan, r: &Run, regions: &mut [Option<(Cutting, Vec<DType>)>]) -> Result<()> {
        let Some((cutting, dtypes)) = regions.get_mut(r.id as usize).and_then(Option::take) else {
            return Err(Error::bug(Code::E0718, "a region that has been written or that there is not"));
        };
        if r.operands.len() > D::MOST_OPERANDS {
            let text = format!(
                "the {} backend has no kernel for a region of {} operands: it has at most {}",
                D::BACKEND,
                r.operands.len(),
                D::MOST_OPERANDS
            );
            return Err(Error::new(Code::E1304, text).help(format!("use the backend {}", D::INSTEAD)));
        }
        let names = region::names(r.operands.iter().map(|&s| &*plan.slots[s as usize].name));
        let n = r.loops.len();
        let reduces = r.reduced.contains(&true);
        let walks =
            |k: usize, of: &dyn Fn(usize) -> bool| (0..n).filter(|&l| of(l) && r.maps[k * n + l] != NONE).count();
        let full: Vec<bool> = (0..r.operands.len()).map(|k| walks(k, &|l| !reduces || r.reduced[l]) > 0).collect();
        let along = |reduced: bool| (0..n).filter(move |&l| r.reduced[l] == reduced);
        let trips = |reduced: bool| {
            let each =
                along(reduced).map(|l| plan.exts[r.loops[l] as usize].as_exact().and_then(|n| usize::try_from(n).ok()));
            each.product::<Option<usize>>()
        };
        // An output lies as its first operand does, or in its place: with that alone, nothing is turned.
        let wide: Vec<Slot> =
            (0..r.operands.len()).filter(|&k| walks(k, &|_| true) > 1).map(|k| r.operands[k]).collect();
        let like = r.outs.first().map(|&s| &plan.slots[s as usize]);
        let like = like.map(|d| if d.over == NONE { d.like } else { d.over });
        let turns = wide.iter().any(|&s| !r.outs.contains(&s) && Some(s) != like);
        let extents =
            Extents { loops: [along(false).count(), along(true).count()], trips: [trips(false), trips(true)], turns };
        let few = extents.few();
        let site = region::Site { cutting: &cutting, names: &names, dtypes: &dtypes, full: &full, few };
        let name = base(plan, r);
        let mut made: Vec<(Form, String)> = vec![];
        for form in D::forms(&site, extents) {
            let how = match form.walk {
                Walk::Elements | Walk::Teams if made.iter().any(|m| m.0.walk == form.walk) => "_strided".into(),
                Walk::Elements | Walk::Teams => String::new(),
                Walk::Packs => "_packs".into(),
                Walk::Tiles => "_tiles".into(),
                Walk::Once(chunks) => format!("_once{}", chunks * site.pack()),
                Walk::Parts => "_parts".into(),
                Walk::Fold => "_fold".into(),
            };
            let k = D::region(&site, form, format!("{name}{how}"), &mut self.texts.functions)?;
            made.push((form, self.texts.add(k)));
        }
        let rows = site.rows()?.iter().map(|d| d.size()).collect();
        let folds = site.folds().iter().map(|d| d.size()).collect();
        let pack = site.pack();
        self.regions[r.id as usize] = Some(Region { cutting, dtypes, forms: made, rows, folds, full, pack });
        Ok(())
    }
}
/// What a region's kernels are called: after what it computes last.
fn base(plan: &Plan, r: &Run) -> String {
    let last = r.outs.last().map_or("", |&s| &*plan.slots[s as usize].name);
    let clean: String = last.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!(
        "{}_{clean}",
        plan.func.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>()
    )
}
fn no_kernel<D: Dialect>((row, span): &Missing, rest: &[Missing]) -> Error {
    let e =
        Error::new(Code::E1304, format!("the {} backend has no kernel for `{}`", D::BACKEND, row.name)).or_span(*span);
    let e = match row.expand {
        Expand::Derivative(_) => e.help("run the pass `expand-ad` first"),
        Expand::Composite(_) => e.help("run the pass `expand` first"),
        _ => e.help(format!("use the backend {}", D::INSTEAD)),
    };
    if rest.is_empty() {
        return e;
    }
    let names: Vec<String> = rest.iter().map(|m| format!("`{}`", m.0.name)).collect();
    e.note(format!("nor for {}", names.join(", ")))
}
impl Made for CompiledFunction {
    fn scratch(&self, _: &KernelStep) -> Option<usize> {
        Some(0)
    }
    fn fused(&self, run: &Run, over: &str) -> String {
        let names: Vec<&str> = self.regions[run.id as usize].forms.iter().map(|f| f.1.as_str()).collect();
        format!("kernel over {over}: {}", names.join(" or "))
    }
}
/// The plan of the function that is run: the last.
pub fn entry(all: &[CompiledFunction]) -> Result<&CompiledFunction> {
    all.last().ok_or_else(|| Error::bug(Code::E0718, "nothing was planned"))
}
