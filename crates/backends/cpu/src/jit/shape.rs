//! What is known of a program before its code is written: how often values are used, which are the same for the whole run,
//! how many live at once, and so how the main loop is unrolled and what stays in registers.
use super::alloc::TAIL;
use super::lower::Program;
use super::shared::{Fixed, NONE, Once, Shared};
use super::ssa::{Id, Op, Ssa, Ty};

/// How often each value is used by what has an effect.
pub(crate) fn used(p: &Program) -> Vec<u32> {
    let mut used = vec![0; p.ssa.ops.len()];
    for (i, op) in p.ssa.ops.iter().enumerate().rev() {
        if used[i] > 0 || matches!(op, Op::Store(..) | Op::AccOut(..)) {
            let (a, n) = p.ssa.args(op);
            a[..n].iter().for_each(|&x| used[x as usize] += 1);
        }
    }
    used
}
/// Which values are the same for the whole run: constants, splats and what is computed of these alone.
pub(crate) fn same(s: &Ssa) -> Vec<bool> {
    let mut same = vec![false; s.ops.len()];
    for (i, op) in s.ops.iter().enumerate() {
        let (a, k) = s.args(op);
        same[i] = match op {
            Op::Const(..) | Op::Splat(_) => true,
            Op::Store(..) | Op::AccOut(..) => false,
            _ => k > 0 && a[..k].iter().all(|&x| same[x as usize]),
        };
    }
    same
}
/// Which values are the same for the whole run, with places in the frame from `at` on for those that loops read; the end
/// of these places.
pub(crate) fn fixed(p: &Program, used: &[u32], one: bool, mut at: i32) -> (Vec<Once>, i32) {
    let shared = |i: Id| matches!(p.ssa.ops[i as usize], Op::Const(..) | Op::Splat(_));
    let mut once: Vec<Once> = same(&p.ssa)
        .into_iter()
        .enumerate()
        .map(|(i, same)| if same && (!one || shared(i as Id)) { Once::Inner } else { Once::No })
        .collect();
    at = (at + 63) / 64 * 64;
    for (i, op) in p.ssa.ops.iter().enumerate() {
        let effect = matches!(op, Op::Store(..) | Op::AccOut(..));
        if once[i] != Once::No || used[i] == 0 && !effect {
            continue;
        }
        let (a, k) = p.ssa.args(op);
        for &x in &a[..k] {
            if once[x as usize] == Once::Inner && !shared(x) {
                once[x as usize] = Once::Kept(at);
                at += 64;
            }
        }
    }
    (once, at)
}
/// Most vectors alive at once in one copy of the body, and its instructions.
fn pressure(s: &Shared) -> (u32, u32) {
    let (p, n) = (s.ssa, s.ssa.ops.len());
    let (mut first, mut last) = (vec![NONE; n], vec![0u32; n]);
    let mut work = 0;
    for (i, op) in p.ops.iter().enumerate() {
        if s.fixed[i] != Once::No || s.used[i] == 0 && !matches!(op, Op::Store(..) | Op::AccOut(..)) {
            continue;
        }
        work += u32::from(!matches!(op, Op::Load(_) | Op::AccIn(_)));
        if !matches!(op, Op::Load(_)) {
            first[i] = i as u32;
        }
        let (a, k) = p.args(op);
        for &x in &a[..k] {
            last[x as usize] = i as u32;
            // A load happens where it is first needed.
            first[x as usize] = first[x as usize].min(i as u32);
        }
    }
    let mut change = vec![0i32; n + 1];
    for i in 0..n {
        if p.ty[i] != Ty::M && s.fixed[i] == Once::No && first[i] != NONE && last[i] > first[i] {
            change[first[i] as usize] += 1;
            change[last[i] as usize] -= 1;
        }
    }
    let (mut live, mut most) = (0, 0);
    for c in change {
        live += c;
        most = most.max(live);
    }
    (most as u32, work)
}

/// Most instructions of a body beside which those that make a mask count.
const SHORT: u32 = 48;

/// How the main loop is written.
pub(crate) struct Shape {
    /// Copies of the body in a trip.
    pub(crate) unroll: u32,
    /// Whole vectors behind the main loop have a loop of their own.
    pub(crate) vectors: bool,
    /// What lies in registers throughout.
    pub(crate) fixed: Fixed,
}
/// Chooses the copies by what lives at once, and gives what is left of the registers to accumulators and to what lasts.
pub(crate) fn shape(s: &Shared, unroll: Option<u8>) -> Shape {
    let (live, work) = pressure(s);
    // What may live in registers, beside a few for constants.
    let (most, all) = match (s.a.vex, s.lanes) {
        (true, _) => (12, 14),
        (_, 8) => (30, 30),
        _ => (26, 30),
    };
    let accs = 4 * s.reds.len() as u32;
    let fits = accs <= 12 && accs > 0 && s.reds.iter().all(|&r| r * s.lanes == 64);
    let unroll = match unroll {
        _ if s.ssa.alone => 1,
        Some(u) => u32::from(u.clamp(1, 4).next_power_of_two()),
        None if fits && 4 * live + accs <= 28 && work <= 64 => 4,
        // Long chains wait for themselves: copies side by side keep the units busy.
        None if accs == 0 && 4 * live <= most && work <= 1024 => 4,
        None if 2 * live <= most.min(26) && work <= 4096 => 2,
        None => 1,
    };
    let in_registers = fits && unroll == 4;
    let accs = if in_registers { accs } else { 0 };
    let room = (all as u32).saturating_sub(accs + unroll * live).min(20 - accs).min(all as u32 / 2 + 5);
    let top = if s.a.vex { TAIL - 1 } else { 31 };
    let lasts = |i: usize| match s.ssa.ops[i] {
        Op::Const(..) | Op::Splat(_) => true,
        _ => matches!(s.fixed[i], Once::Kept(_)),
    };
    let mut often: Vec<(u32, Id)> = (0..s.ssa.ops.len())
        .filter(|&i| s.used[i] > 0 && s.ssa.ty[i] != Ty::M && lasts(i))
        .map(|i| (s.used[i], i as Id))
        .collect();
    often.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let hoisted = often.iter().take(room as usize).enumerate().map(|(i, h)| (h.1, top - accs as u8 - i as u8));
    let vectors = unroll > 1 && work <= SHORT;
    Shape { unroll, vectors, fixed: Fixed { hoisted: hoisted.collect(), accs: in_registers, others: 0 } }
}
