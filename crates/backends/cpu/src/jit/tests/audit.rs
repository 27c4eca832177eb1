//! The checker of generated code, both ways: programs of every kind of operation, far more values than registers among
//! them, are passed; code with a fault in it is refused, or does the same all the same.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::super::asm::Insn;
use super::super::audit::{Facts, Found, audit, audit_once, places};
use super::super::lower::{Program, program};
use super::super::ssa::{Id, Op, Ssa, Ty};
use super::super::{Access, Code, Options, RowPhase, frame, mem, rows};
use super::rows::{check_with, softmax};
use super::{Rng, region, run, sets};
use std::collections::BTreeSet;
use std::ops::Range;
use tfc_ir::{DType, ScalarOp};
use tfc_kernels::scalar::kernel;
use tfc_plan::region::body::{Region, Role};

/// A patch that is never run.
unsafe fn patch(_: *mut u8) {}

/// A program being drawn: its values by type.
struct Drawn {
    s: Ssa,
    g: Region,
    reds: Vec<u32>,
    ids: [Vec<Id>; 3],
}
impl Drawn {
    fn keep(&mut self, id: Id) {
        let all = &mut self.ids[self.s.ty(id) as usize];
        if !all.contains(&id) {
            all.push(id);
        }
    }
    /// A value of the type; one that was made lately, or any.
    fn any(&self, r: &mut Rng, t: Ty) -> Option<Id> {
        let all = &self.ids[t as usize];
        let near = if r.below(2) == 0 { all.len().min(4) } else { all.len() };
        (near > 0).then(|| all[all.len() - 1 - r.below(near)])
    }
    /// An operation on what there is.
    fn step(&mut self, r: &mut Rng, types: &[Ty], evex: bool) -> Option<Id> {
        let t = r.of(types);
        let (w, x, y, z) = (t == Ty::W64, self.any(r, t)?, self.any(r, t)?, self.any(r, t)?);
        let truths = if evex { Ty::M } else { t };
        let (m, n) = (self.any(r, truths), self.any(r, truths));
        let (fp, other) = (|op| Insn::fp(w, op), if w { Ty::W32 } else { Ty::W64 });
        let s = &mut self.s;
        Some(match r.below(17) {
            0 => s.un(fp(0x51), x, t),
            1 => s.bin(fp(r.of(&[0x58, 0x59])).comm(), x, y),
            2 => s.bin(fp(r.of(&[0x5c, 0x5e, 0x5d, 0x5f])), x, y),
            3 => s.shift(r.below(2) == 0, r.below(30) as u8, x),
            4..=6 => s.fma(r.below(2) == 0, x, y, z),
            7 => s.cmp(fp(0xc2).imm(1), x, y),
            8 | 9 => s.blend(m?, x, y),
            10 if evex => s.lookup(x, std::array::from_fn(|i| i as u64 * 77)),
            11 => {
                let n = if evex { n? } else { y };
                s.kbin(r.of(&[0x41, 0x42, 0x45, 0x46, 0x47]), m?, n)
            }
            12 => s.knot(m?),
            13 => s.patch(m?, x, y, patch),
            14 => s.guess(m?, x, y),
            15 if evex && types.len() > 1 && w => s.value(Op::Down(Insn::new(2, 2, false, 0x35), x), other),
            15 if evex && types.len() > 1 => s.un(Insn::wide(2, false, 0x25), x, other),
            16 => {
                let d = if w { DType::F64 } else { DType::F32 };
                let op = r.of(&[ScalarOp::Lgamma, ScalarOp::Pow]);
                let f = kernel(op, &[d; 3][..op.arity()], d)?.f();
                s.call(f, &[x, y][..op.arity()], t)
            }
            _ => s.bin(fp(0x57).comm(), x, y),
        })
    }
}
/// A program of about `steps` operations whose first values are needed again at the end.
fn drawn(r: &mut Rng, avx2: bool, one: bool, steps: usize) -> (Program, Region, Vec<Access>) {
    let types: &[Ty] = match (avx2, r.below(3)) {
        (_, 0) => &[Ty::W32],
        (false, 1) => &[Ty::W32, Ty::W64],
        _ => &[Ty::W64],
    };
    let dtype = |t: Ty| [DType::Bool, DType::F32, DType::F64][t as usize];
    let mut s = Ssa::default();
    (s.one, s.avx2) = (one, avx2.then(|| types[0]));
    let mut d = Drawn { s, g: Region::default(), reds: vec![], ids: Default::default() };
    let mut access = vec![];
    for _ in 0..2 + r.below(12) {
        let t = if !avx2 && r.below(5) == 0 { Ty::M } else { r.of(types) };
        let k = d.g.operand(dtype(t), Role::In);
        let splat = !one && r.below(3) == 0;
        access.push(if splat { Access::Splat } else { Access::Stream });
        let id = d.s.value(if splat { Op::Splat(k) } else { Op::Load(k) }, t);
        d.keep(id);
    }
    for _ in 0..r.below(12) {
        let t = r.of(types);
        let id = d.s.constant(r.below(1 << 20) as u64, t);
        d.keep(id);
        let id = d.s.truth(r.below(2) == 0);
        d.keep(id);
    }
    for _ in 0..steps {
        if let Some(id) = d.step(r, types, !avx2) {
            d.keep(id);
        }
    }
    // All that there is into one value of each type, the last first.
    let mut sums = vec![];
    for &t in types {
        let all = d.ids[t as usize].clone();
        let add = Insn::fp(t == Ty::W64, 0x58).comm();
        sums.extend(all.into_iter().rev().reduce(|a, b| d.s.bin(add, a, b)));
    }
    for i in 0..r.below(4) as u32 {
        let v = r.of(&sums);
        let (t, j) = (d.s.ty(v), d.reds.len() as u32);
        d.reds.push(t.size());
        d.g.operand(dtype(t), Role::Reduced);
        access.push(Access::Stream);
        let acc = d.s.effect(Op::AccIn(j), t);
        let v = d.s.bin(Insn::fp(t == Ty::W64, if i == 0 { 0x58 } else { 0x59 }).comm(), acc, v);
        d.s.effect(Op::AccOut(j, v), t);
    }
    let masks = d.ids[Ty::M as usize].last().copied();
    for v in sums.into_iter().chain(masks) {
        let t = d.s.ty(v);
        let k = d.g.operand(dtype(t), Role::Out);
        access.push(if r.below(2) == 0 { Access::Stream } else { Access::StreamNt });
        d.s.effect(Op::Store(k, v), t);
    }
    let lanes = match d.s.ty.iter().max() {
        _ if one => 1,
        Some(Ty::W64) => 8 >> u32::from(avx2),
        _ => 16 >> u32::from(avx2),
    };
    (Program { ssa: d.s, lanes, reds: d.reds }, d.g, access)
}

fn programs_of_every_kind_pass() {
    let (mut kinds, mut spilled) = (BTreeSet::new(), 0);
    for seed in 0..300u64 {
        let mut r = Rng(seed * 0x0051_2345);
        let (avx2, one, steps) = (r.below(2) == 0, r.below(4) == 0, r.of(&[4, 20, 60, 120, 250]));
        let (p, g, access) = drawn(&mut r, avx2, one, steps);
        let o = Options { prefetch: 2048 * r.below(2) as u32, one, unroll: r.of(&[None, Some(1), Some(2), Some(4)]) };
        let done = frame::written(&p, &g, &access, &o, |code, entry, facts| {
            spilled += usize::from(places(&code).iter().filter(|p| p.frame).count() > 100);
            audit(&code, entry, avx2, facts)
        });
        // Too large a frame is refused.
        if let Some(done) = done {
            assert_eq!(done, Ok(()), "seed {seed}: {o:?}, AVX2 {avx2}\n{:?}", p.ssa.ops);
            kinds.extend(p.ssa.ops.iter().map(|op| format!("{op:?}").split('(').next().unwrap_or("").to_owned()));
        }
    }
    assert!(kinds.len() == 18 && spilled > 50, "{kinds:?}, {spilled} programs with much in the frame");
}

/// Puts a fault into code, if `r` finds a place for one: into bodies, what is out of line, and between bodies where there is
/// one program (between phases, lanes are cleared and results delivered, of which the checker says nothing).
fn tamper(code: &mut [u8], facts: &[Facts], r: &mut Rng) -> bool {
    let all = places(code);
    let inside = |p: &&Found| {
        let within = |at: &std::ops::Range<u32>| at.contains(&(p.at.start as u32));
        facts.iter().any(|f| f.bodies.iter().any(|b| within(&b.at)))
    };
    let vectors: Vec<_> = all.iter().filter(|p| p.vector && inside(p)).collect();
    if vectors.is_empty() {
        return false;
    }
    let p = r.of(&vectors);
    match r.below(5) {
        // Another register.
        0 => {
            let prefix = p.at.start;
            match (r.below(3), code[prefix]) {
                (0, _) => code[prefix + 2] ^= 8 << r.below(4),
                (1, 0x62) => code[prefix + 1] ^= [0x80, 0x10][r.below(2)],
                (1, _) => code[prefix + 1] ^= 0x80,
                (_, first) => code[prefix + if first == 0x62 { 5 } else { 4 }] ^= 8 << r.below(3),
            }
        }
        // Something is not done: inside of a body, or anywhere, such as around calls.
        1 => code[p.at.clone()].fill(0x90),
        2 => {
            let last = facts.iter().flat_map(|f| f.bodies).map(|b| b.at.end as usize).max().unwrap_or(0);
            let there = |p: &&Found| facts.len() == 1 || inside(p) || p.at.start >= last;
            let some: Vec<_> = all.iter().filter(|p| (p.vector || p.mask) && there(p)).collect();
            code[r.of(&some).at.clone()].fill(0x90);
        }
        // Something goes where something else lies in the frame.
        3 => {
            let slots: Vec<_> = all.iter().filter(|p| p.frame && p.tail == 0 && inside(p)).collect();
            if slots.is_empty() {
                return false;
            }
            let (a, b) = (r.of(&slots), r.of(&slots));
            let n = a.disp.min(b.disp);
            if a.disp != b.disp || code[a.at.end - n..a.at.end] == code[b.at.end - n..b.at.end] {
                return false;
            }
            let other = code[b.at.end - n..b.at.end].to_vec();
            code[a.at.end - n..a.at.end].copy_from_slice(&other);
        }
        // Two neighbours change places.
        _ => {
            let Some(i) = all.iter().position(|q| q.at == p.at) else { return false };
            let Some(q) = all.get(i + 1).filter(|q| q.vector && inside(q) && !q.code && !p.code) else { return false };
            code[p.at.start..q.at.end].rotate_left(p.at.len());
        }
    }
    true
}

/// What the checker said of faults.
#[derive(Default, Debug)]
struct Count {
    passed: usize,
    refused: usize,
}
/// Puts many faults into code, one at a time: the last that the checker passes.
fn faulty(
    code: &[u8],
    entry: usize,
    avx2: bool,
    facts: &[Facts],
    r: &mut Rng,
    count: &mut Count,
) -> Option<(Vec<u8>, usize)> {
    assert_eq!(audit(code, entry, avx2, facts), Ok(()));
    assert_eq!(audit_once(code, entry, avx2, facts), Ok(()));
    let mut last = None;
    for _ in 0..60 {
        let mut bad = code.to_vec();
        if !tamper(&mut bad, facts, r) || bad == code {
            continue;
        }
        let passes = audit(&bad, entry, avx2, facts).is_ok();
        // That the code passed says nothing of the one with the fault.
        assert_eq!(audit_once(&bad, entry, avx2, facts).is_ok(), passes);
        if passes {
            count.passed += 1;
            last = Some((bad, entry));
        } else {
            count.refused += 1;
        }
    }
    last
}

fn code_with_a_fault_is_refused_or_does_the_same() {
    use ScalarOp::*;
    let ops = [Exp, Tanh, Log, Sin, Add, Sub, Mul, Mul, Div, Max, Floor, Lt, Select, Lgamma, Fma, Sqrt, Pow];
    let pools: [&[DType]; 3] = [&[DType::F32], &[DType::F64], &[DType::F32, DType::Bool]];
    let mut count = Count::default();
    for seed in 0..60u64 {
        let mut r = Rng(seed * 0x0765_4321);
        let (pool, steps, avx2) = (r.of(&pools), r.of(&[4, 10, 40]), r.below(2) == 0);
        if !sets().contains(&avx2) {
            continue;
        }
        let g = region(&mut r, pool, &ops, steps);
        let access: Vec<Access> = g
            .operands
            .iter()
            .map(|o| if o.role == Role::In && r.below(3) == 0 { Access::Splat } else { Access::Stream })
            .collect();
        let o = Options { unroll: r.of(&[None, Some(1), Some(4)]), ..Options::default() };
        let Some(p) = program(&g, &access, &o, avx2) else { continue };
        let Some(Some((code, entry))) = frame::written(&p, &g, &access, &o, |code, entry, facts| {
            faulty(&code, entry, avx2, facts, &mut r, &mut count)
        }) else {
            continue;
        };
        let code = Code { text: mem::seal(&code, entry).unwrap() };
        for n in [0, 1, 63, 64, 200] {
            let same = run(&code, &g, &access, &o, n, &mut r);
            assert!(same.is_ok(), "seed {seed}: what passes has other bits: {same:?}\n{o:?} AVX2 {avx2} {:#?}", g.body);
        }
    }
    // A machine may have one of the two sets.
    let least = 500 * sets().len();
    assert!(
        sets().is_empty() || count.passed > 20 && count.refused > least,
        "{count:?}: faults are not what they were"
    );
}

/// The same of programs of phases, which hand values to one another in the frame.
fn phases_with_a_fault_are_refused_or_do_the_same() {
    let mut count = Count::default();
    for seed in 0..24u64 {
        let (g, outs) = softmax([DType::F32, DType::F64][seed as usize % 2], seed % 4 < 2);
        let mut r = Rng(seed * 0x0123_4567);
        let mut compile = |avx2: bool, phases: &[RowPhase], moving: u32, inside: Range<u32>| {
            let (code, entry) = rows::written(phases, moving, inside, avx2, |code, entry, facts| {
                faulty(&code, entry, avx2, facts, &mut r, &mut count).unwrap_or((code, entry))
            })?;
            Some(Code { text: mem::seal(&code, entry).unwrap() })
        };
        for n in [1, 64, 100] {
            let same = check_with(&mut compile, &g, &outs, n, seed);
            assert_eq!(same, Ok(sets().len()), "seed {seed}, rows of {n}: what passes has other bits");
        }
    }
    assert!(sets().is_empty() || count.passed > 20 && count.refused > 1000, "{count:?}: faults are not what they were");
}
/// All of them.
pub const ALL: &[fn()] = &[
    programs_of_every_kind_pass,
    code_with_a_fault_is_refused_or_does_the_same,
    phases_with_a_fault_are_refused_or_do_the_same,
];
