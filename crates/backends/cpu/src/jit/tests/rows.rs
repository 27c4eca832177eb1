//! Code for whole row programs against the kernels that tapes run, phase by phase: the same bits, nothing read or written
//! beyond the rows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::super::{Access, Ahead, Code, ROWS_OF_A_BLOCK, RowPhase, compile_rows_for};
use super::{Guarded, Rng, folds, reference, same, sets};
use crate::fused::fold::fold;
use crate::fused::program::Program;
use tfc_ir::{DType, ScalarOp};
use tfc_kernels::scalar::{Src, kernel};
use tfc_plan::region::body::{Node, Role};
use tfc_plan::region::phases::{Graph, Val};

const LENGTHS: [usize; 14] = [0, 1, 2, 15, 16, 17, 31, 63, 64, 65, 100, 129, 200, 2048];
const ROWS: usize = 7;
const AHEAD: [Ahead; 4] =
    [Ahead::Bytes(0), Ahead::Bytes(4096), Ahead::Row { from: 0, part: 0 }, Ahead::Row { from: 1, part: 1 }];

/// A graph over the dtypes of `pool`, and its outputs.
fn graph(r: &mut Rng, pool: &[DType], ops: &[ScalarOp], steps: usize) -> (Graph, Vec<(u32, u32)>) {
    let mut g = Graph::default();
    let mut vals: Vec<(u32, DType, bool)> = vec![];
    for i in 0..1 + r.below(4) {
        let (d, full) = (r.of(pool), i == 0 || r.below(3) > 0);
        let k = g.operand(d, Role::In, full);
        vals.push((g.val(Val::Load(k)), d, full));
    }
    for _ in 0..r.below(3) {
        let d = r.of(pool);
        vals.push((g.val(Val::Const(r.value(d), d)), d, false));
    }
    let mut reds = 0;
    for i in 0..steps * 8 {
        if vals.len() > steps + 4 {
            break;
        }
        let near = vals.len() - vals.len().min(5);
        let (x, d, full) = if r.below(2) == 0 { r.of(&vals) } else { r.of(&vals[near..]) };
        if full && d != DType::Bool && !d.is_small() && reds < 3 && (r.below(6) == 0 || i > steps * 4) {
            reds += 1;
            vals.push((g.val(Val::Reduce(r.of(folds(d)), x, d)), d, false));
            continue;
        }
        let alike: Vec<(u32, DType, bool)> = vals.iter().copied().filter(|v| v.1 == d).collect();
        let op = r.of(ops);
        let mut args = [(x, d, full), r.of(&alike), r.of(&alike)];
        if op == ScalarOp::Select {
            let bools: Vec<(u32, DType, bool)> = vals.iter().copied().filter(|v| v.1 == DType::Bool).collect();
            if bools.is_empty() {
                continue;
            }
            args.rotate_right(1);
            args[0] = r.of(&bools);
        }
        let from = args.map(|a| a.1);
        let has = |t: &DType| !t.is_small() || from[0] == *t || from[0] == t.wide();
        let fits = |t: &DType| pool.contains(t) && has(t) && kernel(op, &from[..op.arity()], *t).is_some();
        let to: Vec<DType> = DType::ALL.into_iter().filter(fits).collect();
        if !to.is_empty() {
            let to = r.of(&to);
            let full = args[..op.arity()].iter().any(|a| a.2);
            vals.push((g.val(Val::Apply(op, args.map(|a| a.0), to)), to, full));
        }
    }
    let mut outs = vec![];
    for _ in 0..1 + r.below(3) {
        let late = vals.len() - vals.len().min(6);
        let (v, d, full) = r.of(&vals[late..]);
        outs.push((v, g.operand(d, Role::Out, full || r.below(3) == 0)));
    }
    (g, outs)
}

/// Memory of the program's operands.
fn memory(g: &Graph, p: &Program, n: usize, seed: u64) -> Vec<Guarded> {
    let mut r = Rng(seed);
    let mut held = vec![];
    for (o, full) in &g.operands {
        let (s, count) = (o.dtype.size(), ROWS * if *full { n } else { 1 });
        let m = Guarded::new(count * s);
        for i in 0..count {
            // SAFETY: inside the mapping.
            unsafe { std::ptr::copy_nonoverlapping(r.value(o.dtype).as_ptr(), m.at.add(i * s), s) };
        }
        held.push(m);
    }
    held.extend(p.temps.iter().map(|z| Guarded::new(ROWS * n * z)));
    held.extend((0..p.kept).map(|_| Guarded::new(16)));
    held
}
/// Bytes from row to row, and whether the row has more than one element.
fn step(g: &Graph, p: &Program, k: u32, n: usize) -> (isize, bool) {
    match g.operands.get(k as usize) {
        Some((o, full)) => ((o.dtype.size() * if *full { n } else { 1 }) as isize, *full),
        None => match p.temps.get((k as usize).wrapping_sub(p.roles.len())) {
            Some(z) => ((n * z) as isize, true),
            None => (0, false),
        },
    }
}

/// Phase by phase, by kernels.
fn by_kernels(g: &Graph, p: &Program, mem: &[Guarded], n: usize) {
    for row in 0..ROWS as isize {
        for x in &p.phases {
            let region = &x.tape.codes.region;
            let place = |&k: &u32| {
                let (step, full) = step(g, p, k, n);
                Src { ptr: mem[k as usize].at.wrapping_offset(row * step), stride: isize::from(full) }
            };
            let table: Vec<Src> = x.operands.iter().map(place).collect();
            let n = if x.kept { 1 } else { n };
            let vals = reference(region, &table, n);
            for (node, v) in region.body.iter().zip(&vals) {
                match *node {
                    // SAFETY: the operand has as many elements in a row.
                    Node::Store(k, v) => unsafe {
                        let from = &vals[v as usize];
                        std::ptr::copy_nonoverlapping(from.as_ptr(), table[k as usize].ptr.cast_mut(), from.len());
                    },
                    // SAFETY: there are all lanes, and the place of a result has an element.
                    Node::Red(op, k, _) => unsafe {
                        let f = fold(op, region.operands[k as usize].dtype).expect("chosen for being one");
                        let mut lanes = super::Lanes([0; 256]);
                        lanes.0.copy_from_slice(v);
                        let mut to = super::Lanes([0; 256]);
                        (f.finish)(lanes.0.as_ptr(), to.0.as_mut_ptr());
                        let size = region.operands[k as usize].dtype.size();
                        std::ptr::copy_nonoverlapping(to.0.as_ptr(), table[k as usize].ptr.cast_mut(), size);
                    },
                    _ => {}
                }
            }
        }
    }
}
/// Compiles and runs. Returns whether there is code.
fn by_code(compile: Compile, avx2: bool, g: &Graph, p: &Program, mem: &[Guarded], n: usize, r: &mut Rng) -> bool {
    let (first, roles) = ((p.roles.len() + p.temps.len()) as u32, p.roles.len() as u32);
    let phases: Vec<RowPhase> = p
        .phases
        .iter()
        .map(|x| {
            let nt = |k: u32| k < roles && !p.read_back(k) && k.is_multiple_of(2);
            let access = |(&k, o): (&u32, &(usize, Role))| match step(g, p, k, n).1 {
                _ if x.kept || o.1 == Role::Reduced => Access::Splat,
                false => Access::Splat,
                true if o.1 == Role::Out && nt(k) => Access::StreamNt,
                true => Access::Stream,
            };
            RowPhase {
                region: &x.tape.codes.region,
                access: x.operands.iter().zip(&x.tape.operands).map(access).collect(),
                operands: &x.operands,
                ahead: x.operands.iter().map(|_| r.of(&AHEAD)).collect(),
                kept: x.kept,
            }
        })
        .collect();
    let Some(code) = compile(avx2, &phases, roles, first..first + p.kept as u32) else { return false };
    let entry = |k: u32| Src { ptr: mem[k as usize].at, stride: step(g, p, k, n).0 };
    let mut table: Vec<Src> = (0..p.operands() as u32).map(entry).collect();
    // SAFETY: operands and buffers have rows of `n` elements, as the program was compiled for.
    unsafe { code.rows(n, ROWS, r.of(&[1, 2, 3, ROWS, ROWS_OF_A_BLOCK]), table.as_mut_ptr()) };
    true
}

/// How a test has code made, for AVX2 or not.
pub(super) type Compile<'a> = &'a mut dyn FnMut(bool, &[RowPhase], u32, std::ops::Range<u32>) -> Option<Code>;

fn check(g: &Graph, outs: &[(u32, u32)], n: usize, seed: u64) -> Result<usize, String> {
    check_with(&mut compile_rows_for, g, outs, n, seed)
}
/// Holds the code that `compile` makes against kernels, for every instruction set; how often there was code.
pub(super) fn check_with(
    compile: Compile,
    g: &Graph,
    outs: &[(u32, u32)],
    n: usize,
    seed: u64,
) -> Result<usize, String> {
    let p = Program::new(g.cut(outs)).map_err(|e| format!("{e:?}"))?;
    let want = memory(g, &p, n, seed);
    by_kernels(g, &p, &want, n);
    let mut count = 0;
    for avx2 in sets() {
        let got = memory(g, &p, n, seed);
        if !by_code(compile, avx2, g, &p, &got, n, &mut Rng(seed)) {
            continue;
        }
        count += 1;
        for &(v, k) in outs {
            let d = g.operands[k as usize].0.dtype;
            let bytes = ROWS * d.size() * if g.operands[k as usize].1 { n } else { 1 };
            let of = |m: &[Guarded]| {
                // SAFETY: the operand has as many bytes.
                unsafe { std::slice::from_raw_parts(m[k as usize].at.cast_const(), bytes).to_vec() }
            };
            for (j, (a, b)) in of(&got).chunks(d.size()).zip(of(&want).chunks(d.size())).enumerate() {
                if !same(d, a, b) {
                    return Err(format!("AVX2 {avx2}: value {v} of {d}, element {j}: {a:02x?}, not {b:02x?}"));
                }
            }
        }
    }
    Ok(count)
}

fn programs_agree_with_kernels() {
    use ScalarOp::*;
    let ops = [
        Neg, Abs, Sign, Exp, Tanh, Log, Sqrt, Floor, Round, Not, Convert, Add, Add, Sub, Sub, Mul, Mul, Div, Max, Min,
        And, Or, Xor, Eq, Lt, Ge, Select, Select, Clamp, Sin, Lgamma,
    ];
    let pools: [&[DType]; 9] = [
        &[DType::F32, DType::F8E3M4, DType::F6E3M2FN, DType::F8E5M2FNUZ],
        &[DType::F32, DType::BF16, DType::F16],
        &[DType::I32, DType::U32, DType::I8, DType::U16, DType::F64],
        &[DType::F32],
        &[DType::F64],
        &[DType::F32, DType::Bool],
        &[DType::I32, DType::U32],
        &[DType::I64, DType::U64, DType::F64, DType::Bool],
        &[DType::F32, DType::F64, DType::I32, DType::I64, DType::U32, DType::U64, DType::Bool],
    ];
    let (mut count, mut phases) = (0, 0);
    for seed in 0..700u64 {
        let mut r = Rng(seed * 0x0765_4321);
        let (pool, steps, n) = (r.of(&pools), r.of(&[3, 8, 20]), r.of(&LENGTHS));
        let (g, outs) = graph(&mut r, pool, &ops, steps);
        if !g.vals.iter().any(|v| matches!(v, Val::Reduce(..))) {
            continue;
        }
        phases = phases.max(g.phases());
        match check(&g, &outs, n, seed) {
            Ok(c) => count += c,
            Err(e) => panic!("seed {seed}, rows of {n}: {e}\n{:#?}\n{outs:?}", g.vals),
        }
    }
    assert!(count >= sets().len() * 200 && (phases > 6 || sets().is_empty()), "{count} programs had code");
}

/// Softmax: the largest, the sum of exponentials, the quotient; each alone and all of them as results.
pub(super) fn softmax(d: DType, also: bool) -> (Graph, Vec<(u32, u32)>) {
    let mut g = Graph::default();
    let k = g.operand(d, Role::In, true);
    let x = g.val(Val::Load(k));
    let m = g.val(Val::Reduce(ScalarOp::Max, x, d));
    let y = g.val(Val::Apply(ScalarOp::Sub, [x, m, 0], d));
    let e = g.val(Val::Apply(ScalarOp::Exp, [y; 3], d));
    let s = g.val(Val::Reduce(ScalarOp::Add, e, d));
    let p = g.val(Val::Apply(ScalarOp::Div, [e, s, 0], d));
    let mut outs = vec![(p, g.operand(d, Role::Out, true))];
    if also {
        let l = g.val(Val::Apply(ScalarOp::Log, [s; 3], d));
        outs.extend([(m, g.operand(d, Role::Out, false)), (l, g.operand(d, Role::Out, false))]);
        outs.push((e, g.operand(d, Role::Out, true)));
    }
    (g, outs)
}
fn softmax_of_every_length() {
    for d in [DType::F32, DType::F64] {
        for also in [false, true] {
            let (g, outs) = softmax(d, also);
            for n in LENGTHS.into_iter().chain([8, 32, 48, 255, 256, 257]) {
                assert_eq!(check(&g, &outs, n, n as u64), Ok(sets().len()), "{d}, rows of {n}");
            }
        }
    }
}
/// Every fold alone, in the order of its lanes.
fn every_fold() {
    for d in DType::WIDE.into_iter().filter(|d| !matches!(d, DType::Bool | DType::C32 | DType::C64)) {
        for &op in folds(d) {
            let mut g = Graph::default();
            let k = g.operand(d, Role::In, true);
            let x = g.val(Val::Load(k));
            let s = g.val(Val::Reduce(op, x, d));
            let outs = [(s, g.operand(d, Role::Out, false))];
            for n in LENGTHS {
                let count = check(&g, &outs, n, 7 + n as u64);
                assert!(
                    count.as_ref().is_ok_and(|&c| c >= sets().len().min(1)),
                    "{op:?} of {d}, rows of {n}: {count:?}"
                );
            }
        }
    }
}
/// All of them.
pub const ALL: &[fn()] = &[programs_agree_with_kernels, softmax_of_every_length, every_fold];
