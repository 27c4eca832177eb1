//! Which machine code serves a tape: compiled once for each way in which its operands are accessed, never for sizes.
use std::sync::{Arc, Mutex, PoisonError};

use super::program::Program;
use super::tiles::Class;
use crate::cpu::jit::{Access, Ahead, Code, Options, RowPhase, compile, compile_rows};
use crate::limit::{Limit, limit};
use crate::region::body::{Node, Region, Role};

/// How a phase calls the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// A single element.
    One,
    /// Runs whose reductions go to lanes.
    Row,
    /// Runs whose reductions go to one accumulator an element: two more operands each, the accumulators read and written.
    Column,
}
/// What code is compiled for.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Key {
    form: Form,
    access: Vec<Access>,
    prefetch: u32,
}
#[derive(Debug, Default)]
struct Known {
    codes: Vec<(Key, Option<Code>)>,
    bound: bool,
}
/// A region and the code compiled for it so far.
#[derive(Clone, Debug)]
pub(crate) struct Codes {
    pub(crate) region: Region,
    known: Arc<Mutex<Known>>,
}

/// Nanoseconds of work from which code is compiled at once; below, the second binding asks for it.
const WORTH_NS: u64 = 20_000;

impl Codes {
    /// None yet.
    pub(crate) fn new(region: &Region) -> Codes {
        Codes { region: region.clone(), known: Arc::default() }
    }
    /// The code for operands accessed as `class` says, those in `nt` written past the caches. `None` where there is none, or
    /// where `work_ns` is not worth compiling it for the first time that the tape is bound.
    pub(crate) fn get(
        &self,
        form: Form,
        class: &[Class],
        nt: impl Fn(usize) -> bool,
        prefetch: u32,
        work_ns: u64,
    ) -> Option<Code> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let again = std::mem::replace(&mut known.bound, true);
        if !again && work_ns < WORTH_NS && limit() != Some(Limit::Jit) {
            return None;
        }
        let met = |k: usize| match class[k] {
            _ if form == Form::One => Access::Splat,
            Class::Stream if nt(k) => Access::StreamNt,
            Class::Splat => Access::Splat,
            _ => Access::Stream,
        };
        let same = |key: &Key| {
            key.form == form
                && key.prefetch == prefetch
                && key.access.iter().take(class.len()).enumerate().all(|(k, a)| *a == met(k))
        };
        if let Some(c) = known.codes.iter().find(|c| same(&c.0)) {
            return c.1.clone();
        }
        let mut access: Vec<Access> = (0..class.len()).map(met).collect();
        let options = Options { prefetch, one: form == Form::One, unroll: None };
        let code = if form == Form::Column {
            let r = columns(&self.region);
            access.resize(r.operands.len(), Access::Stream);
            compile(&r, &access, &options)
        } else {
            compile(&self.region, &access, &options)
        };
        known.codes.push((Key { form, access, prefetch }, code.clone()));
        code
    }
}
/// The code of whole programs that run row by row, compiled so far: for each the way that operands are accessed, in order of
/// phases.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowCodes {
    known: Arc<Mutex<KnownRows>>,
}
#[derive(Debug, Default)]
struct KnownRows {
    codes: Vec<(Vec<Met>, Option<Code>)>,
    bound: bool,
}
/// How a phase meets an operand: its number in the program, the access, what is prefetched.
pub(crate) type Met = (u32, Access, Ahead);

impl RowCodes {
    /// The code for the phases of `p` that access operand `j` of phase `i` as `met(i, j)` says; `None` as for [`Codes::get`].
    pub(crate) fn get(&self, p: &Program, met: impl Fn(usize, usize) -> Met, work_ns: u64) -> Option<Code> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let again = std::mem::replace(&mut known.bound, true);
        if !again && work_ns < WORTH_NS && limit() != Some(Limit::Jit) {
            return None;
        }
        let key = || p.phases.iter().enumerate().flat_map(|(i, x)| (0..x.operands.len()).map(move |j| (i, j)));
        if let Some(c) = known.codes.iter().find(|c| c.0.iter().copied().eq(key().map(|(i, j)| met(i, j)))) {
            return c.1.clone();
        }
        let operands: Vec<Vec<u32>> =
            p.phases.iter().enumerate().map(|(i, x)| (0..x.operands.len()).map(|j| met(i, j).0).collect()).collect();
        let mut phases = vec![];
        for (i, (x, operands)) in p.phases.iter().zip(&operands).enumerate() {
            let all = 0..x.operands.len();
            phases.push(RowPhase {
                region: &x.tape.codes.region,
                access: all.clone().map(|j| met(i, j).1).collect(),
                met: operands,
                ahead: all.map(|j| met(i, j).2).collect(),
                kept: x.kept,
            });
        }
        let first = (p.roles.len() + p.temps.len()) as u32;
        let code = compile_rows(&phases, p.roles.len() as u32, first..first + p.kept as u32);
        known.codes.push((key().map(|(i, j)| met(i, j)).collect(), code.clone()));
        code
    }
}
/// The region with accumulators as operands: for each reduction one that is read and one, the same memory, that is written.
fn columns(r: &Region) -> Region {
    use tfc_ir::ScalarOp as S;
    let mut c = Region { operands: r.operands.clone(), body: vec![] };
    let mut place = vec![];
    let mut stores = vec![];
    for n in &r.body {
        let moved = |x: u32, place: &[u32]| place[x as usize];
        let new = match *n {
            Node::Apply(op, a, d) => {
                let mut b = [0; 3];
                b.iter_mut().zip(&a[..op.arity()]).for_each(|(b, &x)| *b = moved(x, &place));
                Node::Apply(op, b, d)
            }
            Node::Store(k, x) => Node::Store(k, moved(x, &place)),
            Node::Red(op, k, x) => {
                let d = r.operands[k as usize].dtype;
                let (from, to) = (c.operand(d, Role::In), c.operand(d, Role::Out));
                let acc = c.node(Node::Load(from));
                // Of truth values the greater is the disjunction.
                let op = match (op, d) {
                    (S::Max, tfc_ir::DType::Bool) => S::Or,
                    (S::Min, tfc_ir::DType::Bool) => S::And,
                    _ => op,
                };
                stores.push((to, c.node(Node::Apply(op, [acc, moved(x, &place), 0], d))));
                place.push(u32::MAX);
                continue;
            }
            n => n,
        };
        place.push(c.node(new));
    }
    for (k, x) in stores {
        c.node(Node::Store(k, x));
    }
    c
}
