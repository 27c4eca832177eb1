//! Loops that count become scans: a loop that runs as long as its counter, moved by the same in every trip, is below (or
//! above) a bound that no trip changes. Windows that move by the same each trip become cut values, a buffer of which each trip
//! writes another part and that none reads becomes a collected value, a carry that is handed on as it came is used from
//! outside. What the loop computes stays the same bit for bit; its derivative then keeps what it needs in stacks and asks
//! for no `max_trips`.
//!
//! Starts of windows are clamped where they run, so only those are raised whose starts are proved to lie inside. Rows say
//! what is such a loop (`repeats`), what a loop hands on (`ports`) and what is a window (`window`).
mod build;
pub(crate) mod find;
mod index;
pub mod maps;

use crate::rewrite::{improve, reached};
use crate::{PassError, opt::inline};
use tfc_ir::op::Expand;
use tfc_ir::{BODY, Builder, Func, Map, Module};

/// Most rounds: an inner loop that has become a scan may show that the one around hands a value on as it came.
const ROUNDS: usize = 4;

/// The pass `raise-loops`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    let mut any = false;
    if m.funcs().iter().any(|(_, f)| calls_in_loops(f)) {
        any |= inline::run(m)?;
    }
    let mapped = reached(m, crate::ad::mapped);
    for _ in 0..ROUNDS {
        let changed = improve(m, |m, f| {
            let mut found = find::find(m, f);
            // At many indices another number of trips each is no extent.
            if m.find(&f.name).is_some_and(|id| mapped.contains(&id)) {
                found.retain(|_, r| !matches!(r.trips, find::Trips::Above(..)));
            }
            if found.is_empty() {
                return Ok(None);
            }
            let mut b = Builder::new(m, &f.name);
            b.mend();
            let mut map = Map::new();
            b.copy_header(f, &mut map)?;
            build::Raise { b: &mut b, f, found: &found }.ops(BODY, &mut map)?;
            let ys = map.all(f.returns())?;
            b.finish_rewritten(ys).map(Some)
        })?;
        if !changed {
            break;
        }
        any = true;
    }
    Ok(any)
}
/// Whether a loop whose trips only running it tells calls something that can be written out.
fn calls_in_loops(f: &Func) -> bool {
    let mut found = false;
    f.walk(BODY, &mut |o| {
        if f.op(o).def.control.repeats.is_some() {
            f.op(o).regions.iter().for_each(|&r| {
                f.walk(r, &mut |o| found |= matches!(f.op(o).def.expand, Expand::Inline));
            });
        }
    });
    found
}
