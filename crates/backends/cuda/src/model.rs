//! What kernels may take on devices that are not here: a roofline (Williams, Waterman & Patterson, CACM 52:4, 2009) of the bytes that a
//! kernel has to move and the operations that it does, against a device's bandwidth and peak as its data sheet has them, and how many
//! threads of a multiprocessor the code leaves room for, where NVRTC has compiled it. These are predictions: nothing has been measured.
use std::collections::BTreeMap;
use std::fmt::Write;

use tfc_ir::DType;
use tfc_plan::plan::{Block, Do, Dot, Run, Slot};
use tfc_plan::region::body::Node;

use crate::nvrtc::{Nvrtc, Usage};
use crate::program::CompiledFunction;
use crate::rehearsal::{AllTaken, Taken};
use crate::text::{Source, Written as _};

/// A device by its data sheet.
struct Sheet {
    name: &'static str,
    arch: &'static str,
    /// Bytes a second from and to memory.
    bandwidth: f64,
    /// Operations a second, single and double precision, without tensor cores.
    peak: [f64; 2],
}
/// NVIDIA A100 80GB SXM (data sheet of 2021) and H100 SXM5 (of 2023).
const SHEETS: [Sheet; 2] = [
    Sheet { name: "A100", arch: "sm_80", bandwidth: 2039e9, peak: [19.5e12, 9.7e12] },
    Sheet { name: "H100", arch: "sm_90", bandwidth: 3352e9, peak: [67e12, 34e12] },
];
/// Registers, threads and blocks of a multiprocessor of either.
const REGISTERS: u32 = 65536;
const THREADS: u32 = 2048;
const BLOCKS: u32 = 32;
/// Threads of a block of what is not known better.
const BLOCK: u32 = 256;

/// What one execution of a step does.
struct Work {
    kernel: String,
    /// How it walks, where that is known, and threads of a block.
    walk: String,
    block: u32,
    /// What it reads and writes.
    bytes: f64,
    operations: f64,
    double: bool,
}
/// The table of the kernels of a function, whose extents are numbers; what to do where they are not.
pub(crate) fn table(code: &CompiledFunction, taken: &AllTaken, source: &Source) -> String {
    let mut works = vec![];
    let known = block((code, taken), &code.plan.body, &mut works);
    let mut out = String::from("\nmodel (predicted, not measured)\n");
    if !known {
        out.push_str("  extents are not all numbers: `--bind n=1024` gives them\n");
    }
    if works.is_empty() {
        return if known { String::new() } else { out };
    }
    let usages: Vec<BTreeMap<String, Usage>> = match Nvrtc::find() {
        Ok(n) => SHEETS.iter().filter_map(|s| Some(n.cubin(&source.text(), s.arch).ok()?.usage)).collect(),
        Err(_) => vec![],
    };
    let widest = works.iter().map(|w| w.kernel.len()).max().unwrap_or(0).max(6);
    let _ = write!(out, "  {:widest$}  {:>10}  {:>10}", "kernel", "bytes", "operations");
    for s in &SHEETS {
        let _ = write!(out, "  {:>12}", format!("{} µs", s.name));
        if usages.len() == SHEETS.len() {
            let _ = write!(out, "  {:>9}", "registers");
            let _ = write!(out, "  {:>9}", "occupancy");
        }
    }
    out.push_str("  bound by    walk\n");
    let mut totals = [0.0; SHEETS.len()];
    for w in &works {
        let _ = write!(out, "  {:widest$}  {:>10}  {:>10}", w.kernel, count(w.bytes), count(w.operations));
        let mut by_memory = true;
        for (i, s) in SHEETS.iter().enumerate() {
            let (moved, done) = (w.bytes / s.bandwidth, w.operations / s.peak[usize::from(w.double)]);
            by_memory = moved >= done;
            totals[i] += moved.max(done);
            let _ = write!(out, "  {:>12.2}", 1e6 * moved.max(done));
            if usages.len() == SHEETS.len() {
                match usages[i].get(&w.kernel) {
                    Some(u) => {
                        let _ = write!(out, "  {:>9}  {:>8}%", u.registers, occupancy(u, w.block));
                    }
                    None => {
                        let _ = write!(out, "  {:>9}  {:>9}", "", "");
                    }
                }
            }
        }
        let bound = if by_memory { "memory" } else { "operations" };
        let _ = writeln!(out, "{}", format!("  {bound:<10}  {}", w.walk).trim_end());
    }
    for (s, t) in SHEETS.iter().zip(totals) {
        let _ = writeln!(out, "  {}: {:.2} µs in all, without launches", s.name, 1e6 * t);
    }
    out
}
/// Percent of a multiprocessor's threads that have room beside each other. Registers are handed out to warps by 256.
fn occupancy(u: &Usage, block: u32) -> u32 {
    let warps = block.div_ceil(32).max(1);
    let by_registers = REGISTERS / ((u.registers.max(1) * 32).next_multiple_of(256) * warps);
    // Of shared memory a multiprocessor has 164 KiB (A100) or more.
    let by_shared = (164 << 10) / u.shared.max(1);
    let blocks = by_registers.min(by_shared).min(THREADS / (32 * warps)).min(BLOCKS);
    100 * blocks * 32 * warps / THREADS
}
/// A count in three digits.
fn count(x: f64) -> String {
    match x {
        x if x >= 1e12 => format!("{:.3} T", x / 1e12),
        x if x >= 1e9 => format!("{:.3} G", x / 1e9),
        x if x >= 1e6 => format!("{:.3} M", x / 1e6),
        x if x >= 1e3 => format!("{:.3} k", x / 1e3),
        x => format!("{x}"),
    }
}
/// Adds the steps of a block, each once. Returns whether all extents are known.
fn block(of: (&CompiledFunction, &AllTaken), b: &Block, out: &mut Vec<Work>) -> bool {
    let mut known = true;
    for s in b {
        let works = match &s.what {
            Do::Run(r) => region(of, r),
            what => {
                let product = if let Do::Kernel(k) = what { of.0.steps[k.id as usize].product() } else { None };
                let Some((d, kernel)) = product else {
                    known &= what.blocks().iter().all(|b| block(of, b, out));
                    continue;
                };
                // What follows it, as where no library adds it.
                let then = if let Do::Kernel(k) = what { k.then.as_deref() } else { None };
                let then = then.map_or(Some(vec![]), |r| region(of, r));
                dot(of.0, d, kernel).zip(then).map(|(w, then)| [w].into_iter().chain(then).collect())
            }
        };
        match works {
            Some(w) => out.extend(w),
            None => known = false,
        }
    }
    known
}
fn elements(code: &CompiledFunction, s: Slot) -> Option<f64> {
    let dims = &code.plan.slots[s as usize].dims;
    dims.iter().map(|&e| code.plan.exts[e as usize].as_exact().map(|n| n as f64)).product()
}
fn bytes(code: &CompiledFunction, slots: &[Slot]) -> Option<f64> {
    let each: std::collections::BTreeSet<Slot> = slots.iter().copied().collect();
    each.into_iter().map(|s| Some(elements(code, s)? * code.plan.slots[s as usize].dtype.size() as f64)).sum()
}
/// The kernels of a region. Where it is not seen which, the first, that moves each operand once.
fn region((code, taken): (&CompiledFunction, &AllTaken), r: &Run) -> Option<Vec<Work>> {
    let made = &code.regions[r.id as usize];
    let along = |reduced: bool| -> Option<f64> {
        let loops = r.loops.iter().zip(&r.reduced).filter(|l| reduced || !l.1);
        loops.map(|l| code.plan.exts[*l.0 as usize].as_exact().map(|n| n as f64)).product()
    };
    let (all, kept) = (along(true)?, along(false)?);
    let (mut operations, mut double) = (0.0, false);
    for p in &made.cutting.parts {
        for n in &p.region.body {
            let (each, d) = match n {
                Node::Apply(op, _, d) => (f64::from(op.cost()), *d),
                Node::Red(_, k, _) => (1.0, p.region.operands[*k as usize].dtype),
                _ => continue,
            };
            double |= matches!(d, DType::F64 | DType::C64 | DType::I64 | DType::U64);
            operations += each * if p.kept { kept } else { all } * if d.is_complex() { 4.0 } else { 1.0 };
        }
    }
    let work = |t: &Taken, operations| {
        let Taken { kernel, walk, block, bytes } = t.clone();
        Work { kernel, walk, block, bytes, operations, double }
    };
    if let Some(all) = taken.get(&r.id) {
        // What folds parts has next to nothing to do.
        return Some(all.iter().enumerate().map(|(i, t)| work(t, if i == 0 { operations } else { 0.0 })).collect());
    }
    let kernel = made.forms.first().map_or_else(String::new, |f| f.1.clone());
    let once = Taken { kernel, walk: String::new(), block: BLOCK, bytes: bytes(code, &r.operands)? };
    Some(vec![work(&once, operations)])
}
fn dot(code: &CompiledFunction, d: &Dot, kernel: &str) -> Option<Work> {
    let dims = &code.plan.slots[d.args[0] as usize].dims;
    let contracted = d.contract[0].iter().map(|&a| code.plan.exts[dims[a] as usize].as_exact().map(|n| n as f64));
    let dtype = code.plan.slots[d.out as usize].dtype;
    let each = if dtype.is_complex() { 8.0 } else { 2.0 };
    let operations = each * elements(code, d.out)? * contracted.product::<Option<f64>>()?;
    let double = matches!(dtype, DType::F64 | DType::C64);
    let (walk, block) = (String::new(), BLOCK);
    Some(Work {
        kernel: kernel.into(),
        walk,
        block,
        bytes: bytes(code, &[d.args[0], d.args[1], d.out])?,
        operations,
        double,
    })
}
