//! Which machine code serves a tape: compiled once for each way in which its operands are accessed, never for sizes.
use std::sync::{Arc, Mutex, PoisonError};

use crate::jit::{Access, Code, Options, compile, compile_parts};
use tfc_kernels::limit::{Limit, limit};
use tfc_plan::region::body::{Node, Region, Role};

/// How a tile sees an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Dense along the tile.
    Stream,
    /// One element for the whole tile.
    Splat,
    /// Through the staging slot of that number.
    Pack(u32),
    /// Dense, computed in that slot of the stage, and written past the caches from there.
    Past(u32),
    /// Of complex numbers: real and imaginary parts apart, in the second of these slots of the stage; through the first slot where the
    /// operand is not dense.
    Parts(Option<u32>, u32),
}
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
pub(crate) const WORTH_NS: u64 = 20_000;

impl Codes {
    /// None yet.
    pub(crate) fn new(region: &Region) -> Codes {
        Codes { region: region.clone(), known: Arc::default() }
    }
    /// Whether code would be compiled now for so much work, if it has not been.
    pub(crate) fn is_worth(&self, work_ns: u64) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.bound || work_ns >= WORTH_NS || limit() == Some(Limit::Jit)
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
        let uses = |k: usize| match class[k] {
            _ if form == Form::One => Access::Splat,
            Class::Stream if nt(k) => Access::StreamNt,
            Class::Splat => Access::Splat,
            _ => Access::Stream,
        };
        let same = |key: &Key| {
            key.form == form
                && key.prefetch == prefetch
                && key.access.iter().take(class.len()).enumerate().all(|(k, a)| *a == uses(k))
        };
        if let Some(c) = known.codes.iter().find(|c| same(&c.0)) {
            return c.1.clone();
        }
        let mut access: Vec<Access> = (0..class.len()).map(uses).collect();
        let options = Options { prefetch, one: form == Form::One, unroll: None };
        let code = if form == Form::Column {
            let r = columns(&self.region);
            access.resize(r.operands.len(), Access::Stream);
            compile(&r, &access, &options)
        } else {
            compile_parts(&self.region, &access, &options)
        };
        known.codes.push((Key { form, access, prefetch }, code.clone()));
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
