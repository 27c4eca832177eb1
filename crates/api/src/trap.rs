//! Results that hold what nobody wants, NaN or infinity, and the op that makes it: `tfc run --trap` and
//! [`GraphProgram::explain`](crate::traced::GraphProgram::explain).
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tfc_engine::{Step, Watch};
use tfc_frontend::render::Source;
use tfc_ir::small::Small;
use tfc_ir::{Budget, C32, C64, Code, Data, Error, Result, Span, Tensor, with_dtype, with_small_float};

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trap {
    /// What is no number.
    Nan,
    /// An infinity of either sign.
    Inf,
}

/// Elements between two looks at the clock.
const PACE: usize = 1 << 14;

/// The first element, in logical order, that one of `traps` catches. What a view repeats is looked at once.
fn caught(t: &Tensor, traps: &[Trap], budget: &Budget) -> Result<Option<(usize, Trap)>> {
    let (nan, inf) = (traps.contains(&Trap::Nan), traps.contains(&Trap::Inf));
    let judge = |x: f64| match x {
        x if nan && x.is_nan() => Some(Trap::Nan),
        x if inf && x.is_infinite() => Some(Trap::Inf),
        _ => None,
    };
    let once = t.distinct();
    macro_rules! scan {
        ($t:ty, $f:expr) => {{
            let data = t.storage::<$t>().unwrap_or_default();
            for (k, x) in once.indices().filter_map(|i| data.get(i)).enumerate() {
                if k % PACE == 0 {
                    budget.check()?;
                }
                if let Some(trap) = $f(*x) {
                    return Ok(Some((place(k, once.shape(), t.shape()), trap)));
                }
            }
        }};
    }
    match t.dtype() {
        tfc_ir::DType::F32 => scan!(f32, |x: f32| judge(x as f64)),
        tfc_ir::DType::F64 => scan!(f64, judge),
        tfc_ir::DType::C32 => scan!(C32, |z: C32| judge(z.re as f64).or(judge(z.im as f64))),
        tfc_ir::DType::C64 => scan!(C64, |z: C64| judge(z.re).or(judge(z.im))),
        small => with_small_float!(small, T => scan!(T, |x: T| judge(x.widen() as f64)), _ => {}),
    }
    Ok(None)
}
/// The position in `shape` of element `k` of a tensor of shape `once`, which has some axes cut to their first index.
fn place(mut k: usize, once: &[usize], shape: &[usize]) -> usize {
    let (mut at, mut step) = (0, 1);
    for (&m, &n) in once.iter().zip(shape).rev() {
        at += k % m.max(1) * step;
        (k, step) = (k / m.max(1), step * n);
    }
    at
}

/// The first result that holds what `traps` catch: its number, and what is to be said of it.
///
/// # Errors
/// Where `budget` is over.
pub fn find(names: &[String], results: &[Tensor], traps: &[Trap], budget: &Budget) -> Result<Option<(usize, String)>> {
    for (i, (name, t)) in names.iter().zip(results).enumerate().filter(|_| !traps.is_empty()) {
        let Some((at, trap)) = caught(t, traps, budget)? else { continue };
        let what = if trap == Trap::Nan { "nan" } else { "inf" };
        let place = if t.rank() == 0 { String::new() } else { format!(" (element {at} in logical order)") };
        return Ok(Some((i, format!("result `{name}` holds {what}{place}"))));
    }
    Ok(None)
}

/// Where a nan or inf comes from.
#[derive(Clone, Debug)]
enum Origin {
    /// This op made it, of operands without.
    Op(&'static str, Span),
    /// It was in the argument of this name.
    Input(String),
}

/// Follows what is trapped through a run of the interpreter, from the op that makes it to the results. Tensors are known
/// by their storage, which views share.
pub struct Origins {
    traps: Vec<Trap>,
    /// The run ends by it, not this: where the time is over nothing is caught any more.
    budget: Budget,
    /// By the address of the storage, which is kept so that no other takes its place.
    known: HashMap<usize, (Data, Origin)>,
    /// When to forget what nobody else refers to any more.
    sweep: usize,
    /// What ops made that stand inside of an op that still runs: their depths.
    made: Vec<(usize, Origin)>,
}
fn address(t: &Tensor) -> usize {
    with_dtype!(t.dtype(), T => t.storage::<T>().map_or(0, |s| s.as_ptr() as usize))
}
impl Origins {
    /// Of a run on arguments of these names.
    pub fn new(traps: &[Trap], names: &[String], arguments: &[Tensor], budget: &Budget) -> Origins {
        let (traps, budget) = (traps.to_vec(), budget.clone());
        let mut o = Origins { traps, budget, known: HashMap::new(), sweep: 1024, made: vec![] };
        for (name, t) in names.iter().zip(arguments) {
            if o.catches(t) {
                o.note(t, Origin::Input(name.clone()));
            }
        }
        o
    }
    fn catches(&self, t: &Tensor) -> bool {
        caught(t, &self.traps, &self.budget).is_ok_and(|c| c.is_some())
    }
    fn note(&mut self, t: &Tensor, origin: Origin) {
        if self.known.len() >= self.sweep {
            self.known.retain(|_, (data, _)| data.exclusive().is_none());
            self.sweep = 2 * self.known.len().max(512);
        }
        self.known.entry(address(t)).or_insert_with(|| (t.data().clone(), origin));
    }
    fn of(&self, t: &Tensor) -> Option<&Origin> {
        self.known.get(&address(t)).filter(|(data, _)| data.same_storage(t.data())).map(|x| &x.1)
    }
    /// Takes note of an op that has run.
    pub fn step(&mut self, s: &Step) {
        let inside = self.made.iter().position(|m| m.0 > s.depth).map(|k| self.made.split_off(k));
        for t in s.results {
            if !self.catches(t) {
                continue;
            }
            let from = s.operands.iter().find(|t| self.catches(t));
            let origin = match from.map(|t| self.of(t)) {
                Some(known) => known.cloned(),
                None => {
                    // Of a loop, a branch or a call it is an op inside.
                    let first = || Some(inside.as_ref()?.first()?.1.clone());
                    let origin = self.of(t).cloned().or_else(first).unwrap_or(Origin::Op(s.def.name, s.span));
                    if self.made.last().is_none_or(|m| m.0 != s.depth) {
                        self.made.push((s.depth, origin.clone()));
                    }
                    Some(origin)
                }
            };
            if let Some(origin) = origin {
                self.note(t, origin);
            }
        }
    }
    /// The error for result `t` of the function `entry`, made of a program of that source, if there is one; `text` says what the result
    /// holds.
    pub fn explain(&self, t: &Tensor, text: &str, entry: &str, source: Option<&Source>) -> Error {
        match self.of(t) {
            Some(Origin::Op(name, span)) => {
                let made = source.map_or("", |source| {
                    // An op of a derivative or an expansion has the place of what it was made of.
                    let written = *span == Span::default() || source.slice(*span).contains(name);
                    let whole = source.slice(Span { start: 0, end: u32::MAX });
                    match (written, whole.contains(&format!("@{entry}"))) {
                        (false, _) => ", in the derivative or the expansion of this statement",
                        (true, false) => ", in this statement or its derivative",
                        (true, true) => "",
                    }
                });
                Error::new(Code::E0732, format!("{text}, which `{name}` makes{made}")).or_span(*span).help(
                    "its operands hold none: look at what they are, or keep them where the op is defined, as by `select`",
                )
            }
            Some(Origin::Input(name)) => {
                Error::new(Code::E0732, format!("{text}, which comes from the input `{name}`"))
                    .help("look at where the input comes from")
            }
            None => unexplained(text),
        }
    }
}
/// Runs a program once more, by `run`, which shows every op to what it is given, and follows what is trapped: where it comes from, and the
/// results of that run.
///
/// # Errors
/// As `run`.
pub fn follow(origins: Origins, run: impl FnOnce(Watch) -> Result<Vec<Tensor>>) -> Result<(Origins, Vec<Tensor>)> {
    let origins = Arc::new(Mutex::new(origins));
    let seen = origins.clone();
    let results = run(Arc::new(move |s: &Step| {
        if let Ok(mut o) = seen.lock() {
            o.step(s);
        }
    }))?;
    let known = Arc::into_inner(origins).and_then(|o| o.into_inner().ok());
    Ok((known.ok_or_else(|| Error::bug(Code::E0718, "an op is still watched after its run"))?, results))
}
/// The error where nobody knows more.
pub fn unexplained(text: &str) -> Error {
    Error::new(Code::E0732, text).help("run parts of the program as entries of their own to find where it arises")
}
