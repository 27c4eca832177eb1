//! One function to one plan: its ops walked in order by the table of rules, then its storages assigned to buffers.
use tfc_ir::verify::Checked;
use tfc_ir::{FuncId, Result};

use super::assign::{Memory, assign};
use super::build::Lower;
use super::{rules, *};

/// Plans one function for an engine; what it calls has been planned. `nested`: it is called by another plan, and its results
/// stay in the frame. `fast_math`: a product that only a sum reads is contracted with it.
pub fn plan(
    m: &Checked,
    id: FuncId,
    target: &mut dyn Target,
    callees: &Callees,
    nested: bool,
    fast_math: bool,
) -> Result<Plan> {
    let m = m.module();
    let f = m.func(id)?;
    if let Some(op) = tfc_ir::ops::elementwise::small::unwidened(&f) {
        let small = op.operands.iter().chain(&op.results).map(|&v| f.ty(v).dtype).find(|d| d.is_small());
        let text = format!("`{}` on {} wants 32 bits here", op.def.name, small.map_or("", |d| d.name()));
        return Err(tfc_ir::Error::new(Code::E0801, text).or_span(op.span).help("run the pass `widen` first"));
    }
    let mut lw = Lower::new(m, f.clone(), rules::rule, target, callees);
    lw.fast_math = fast_math;
    let mut params = vec![];
    for (i, &p) in f.params().iter().enumerate() {
        let s = lw.slot_of(p, Place::Arg(i as u32));
        lw.homes[s as usize].push(Place::Arg(i as u32));
        // The argument's memory has a life like any other: where it ends, the step may compute over it.
        let r = lw.store(&f.ty(p).clone());
        lw.stores[r as usize].arg = i as u32;
        lw.roots[s as usize].push(r);
        params.push(s);
    }
    // Arguments are there before the first step.
    lw.pos = 1;
    lw.block_ops(tfc_ir::BODY)?;
    lw.pos += 1;
    let mut results = vec![];
    for &v in f.returns() {
        results.push(lw.result(v, nested)?);
    }
    for &s in &results {
        for r in lw.roots[s as usize].clone() {
            lw.stores[r as usize].live.1 = u32::MAX;
            lw.stores[r as usize].escapes = !nested && lw.stores[r as usize].arg == NONE;
        }
    }
    let mut body = std::mem::take(&mut lw.entry);
    body.extend(lw.end_block());
    let body: Block = body.into();
    let bufs = {
        let (over, merged, exts) = (std::mem::take(&mut lw.over), std::mem::take(&mut lw.merged), &lw.exts);
        let (slots, stores, roots) = (&mut lw.slots, &mut lw.stores, &mut lw.roots);
        assign(Memory { over, merged, exts, slots, stores, roots })
    };
    let kept = |r: &&Store| lw.stores[**r as usize].arg == NONE;
    let homes: Vec<Vec<Place>> = results
        .iter()
        .map(|&s| {
            let own = lw.roots[s as usize].iter().filter(kept).map(|&r| Place::Own(r));
            own.chain(lw.homes[s as usize].iter().copied()).collect()
        })
        .collect();
    let mut escaping: Vec<Store> = homes.iter().flatten().filter_map(Place::store).collect();
    escaping.sort_unstable();
    escaping.dedup();
    let donors = lw.slots.iter().map(|s| s.donor).filter(|&a| a != NONE).collect();
    let (by_exist, users) = lw.extent_tables();
    Ok(Plan {
        exts: lw.exts,
        by_exist,
        users,
        slots: lw.slots,
        axes: lw.axes,
        stores: lw.stores,
        bufs,
        consts: lw.consts,
        frames: lw.frames,
        depth: lw.depth,
        loops: lw.loop_count,
        kernels: lw.kernels,
        bindable: super::bindable(&body),
        params,
        results,
        homes,
        escaping,
        donors,
        open_header: tfc_engine::shapes::open_header(&f),
        func: f,
        body,
    })
}
