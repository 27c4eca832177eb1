//! Programs: what a fused region compiles to, one tape a phase.
use std::sync::{Arc, Mutex, PoisonError};

use tfc_ir::Result;

use super::code::WORTH_NS;
use super::tape::Tape;
use crate::jit::{Access, Ahead, Code, RowPhase, compile_rows};
use tfc_kernels::limit::{Limit, limit};
use tfc_plan::region::body::Role;
use tfc_plan::region::phases::Cutting;

/// Instructions that run over a whole row, or once for each kept index.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    /// What runs.
    pub(crate) tape: Tape,
    /// The program's operand that each operand of the tape is.
    pub(crate) operands: Box<[u32]>,
    /// Whether the phase runs once for each kept index, and not over a whole row.
    pub(crate) kept: bool,
}
/// A region ready to be bound. Its operands are those of the step, then buffers of one row, then kept values.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Roles of the step's operands.
    pub(crate) roles: Vec<Role>,
    /// Bytes of an element of each row buffer.
    pub(crate) temps: Vec<usize>,
    /// Number of kept values.
    pub(crate) kept: usize,
    /// What runs, in order.
    pub(crate) phases: Vec<Phase>,
    /// For each `Out` operand: which `In` operands may be the same memory with the same strides.
    pub(crate) in_place: Vec<(u32, u32)>,
    /// Estimated cost of one element in picoseconds.
    pub(crate) cost_ps: u64,
    /// Machine code for all phases at once.
    pub(crate) rows: RowCodes,
}
impl Program {
    /// Compiles the parts of a cutting.
    ///
    /// # Errors
    /// `E0801` where a scalar function has no kernel for its types.
    pub(crate) fn new(c: Cutting) -> Result<Program> {
        let mut phases = vec![];
        for p in c.parts {
            phases.push(Phase { tape: Tape::aliased(&p.region, &p.aliased)?, operands: p.operands, kept: p.kept });
        }
        let in_place = match &phases[..] {
            [p] if p.operands.iter().eq(&(0..c.roles.len() as u32).collect::<Vec<_>>()) => p.tape.in_place.clone(),
            _ => in_place(&c.roles, &phases),
        };
        let cost_ps = phases.iter().filter(|p| !p.kept).map(|p| p.tape.cost_ps).sum();
        let (roles, temps, kept) = (c.roles, c.temps, c.kept);
        Ok(Program { roles, temps, kept, phases, in_place, cost_ps, rows: RowCodes::default() })
    }
    /// Number of operands, buffers included.
    pub(crate) fn operands(&self) -> usize {
        self.roles.len() + self.temps.len() + self.kept
    }
    /// Bytes of an element of operand `k` of the step.
    pub(crate) fn size(&self, k: u32) -> usize {
        let of = |p: &Phase| p.operands.iter().position(|&o| o == k).map(|j| p.tape.operands[j].0);
        self.phases.iter().find_map(of).unwrap_or(0)
    }
    /// Whether a phase after the last that writes output `k` reads that output.
    pub(crate) fn read_back(&self, k: u32) -> bool {
        let has = |p: &Phase, role: Role| p.operands.iter().zip(&p.tape.operands).any(|(&o, t)| o == k && t.1 == role);
        let last = self.phases.iter().rposition(|p| has(p, Role::Out)).unwrap_or(0);
        self.phases.iter().skip(last + 1).any(|p| has(p, Role::In))
    }
    /// Whether the program has a reduction.
    pub(crate) fn reduces(&self) -> bool {
        self.phases.iter().any(|p| !p.tape.reds.is_empty())
    }
}

/// Pairs of outputs and inputs that may be the same memory: the input is read for the last time before the output is first
/// written, or in the same phase in an order that allows it.
fn in_place(roles: &[Role], phases: &[Phase]) -> Vec<(u32, u32)> {
    let with = |k: u32, role: Role| {
        let of = move |p: &Phase| p.operands.iter().zip(&p.tape.operands).any(|(&o, t)| o == k && t.1 == role);
        (phases.iter().position(of), phases.iter().rposition(of))
    };
    let mut v = vec![];
    for o in (0..roles.len() as u32).filter(|&k| roles[k as usize] == Role::Out) {
        let Some(first) = with(o, Role::Out).0 else { continue };
        for i in (0..roles.len() as u32).filter(|&k| roles[k as usize] == Role::In) {
            let Some(last) = with(i, Role::In).1 else { continue };
            let p = &phases[first];
            let local =
                |k: u32, role: Role| p.operands.iter().zip(&p.tape.operands).position(|(&x, t)| x == k && t.1 == role);
            let ok = last < first
                || last == first
                    && match (local(o, Role::Out), local(i, Role::In)) {
                        (Some(a), Some(b)) => p.tape.in_place.contains(&(a as u32, b as u32)),
                        _ => false,
                    };
            // One kept index may be written while another row still reads: whole rows only.
            if ok && !p.kept {
                v.push((o, i));
            }
        }
    }
    v
}

/// The code of whole programs that run row by row, compiled so far: for each the way that operands are accessed, in order of
/// phases.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowCodes {
    known: Arc<Mutex<KnownRows>>,
}
#[derive(Debug, Default)]
struct KnownRows {
    codes: Vec<(Vec<Use>, Option<Code>)>,
    bound: bool,
}
/// How a phase uses an operand: its number in the program, the access, what is prefetched.
pub(crate) type Use = (u32, Access, Ahead);

impl RowCodes {
    /// The code for the phases of `p` that access operand `j` of phase `i` as `uses(i, j)` says; `None` as for [`super::code::Codes::get`].
    pub(crate) fn get(&self, p: &Program, uses: impl Fn(usize, usize) -> Use, work_ns: u64) -> Option<Code> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let again = std::mem::replace(&mut known.bound, true);
        if !again && work_ns < WORTH_NS && limit() != Some(Limit::Jit) {
            return None;
        }
        let key = || p.phases.iter().enumerate().flat_map(|(i, x)| (0..x.operands.len()).map(move |j| (i, j)));
        if let Some(c) = known.codes.iter().find(|c| c.0.iter().copied().eq(key().map(|(i, j)| uses(i, j)))) {
            return c.1.clone();
        }
        let operands: Vec<Vec<u32>> =
            p.phases.iter().enumerate().map(|(i, x)| (0..x.operands.len()).map(|j| uses(i, j).0).collect()).collect();
        let mut phases = vec![];
        for (i, (x, operands)) in p.phases.iter().zip(&operands).enumerate() {
            let all = 0..x.operands.len();
            phases.push(RowPhase {
                region: &x.tape.codes.region,
                access: all.clone().map(|j| uses(i, j).1).collect(),
                operands,
                ahead: all.map(|j| uses(i, j).2).collect(),
                kept: x.kept,
            });
        }
        let first = (p.roles.len() + p.temps.len()) as u32;
        let code = compile_rows(&phases, p.roles.len() as u32, first..first + p.kept as u32);
        known.codes.push((key().map(|(i, j)| uses(i, j)).collect(), code.clone()));
        code
    }
}
