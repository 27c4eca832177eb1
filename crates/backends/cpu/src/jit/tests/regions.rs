//! Code of regions against kernels: drawn at random, every function alone, more values than registers, long bodies, runs
//! that are cut; what is refused, and threads that compile at once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::super::{Access, Code, Options, available, compile, compile_for, compile_parts_for, frame, has_avx512, mem};
use super::{Lanes, Rng, check, reference, region, sets};
use tfc_ir::{DType, ScalarOp};
use tfc_kernels::scalar::{Src, kernel};
use tfc_plan::region::body::{Node, Region, Role};

const POOLS: [&[DType]; 14] = [
    &[DType::F32, DType::F8E4M3FN, DType::F8E5M2, DType::F8E4M3B11FNUZ, DType::F4E2M1FN],
    &[DType::I32, DType::U32, DType::I4, DType::U2, DType::Bool],
    &[DType::F32, DType::BF16, DType::F16],
    &[DType::F32, DType::F64, DType::BF16, DType::Bool],
    &[DType::I32, DType::U32, DType::I8, DType::U8, DType::I16, DType::U16, DType::Bool],
    &[DType::F32, DType::I32, DType::F16, DType::I8, DType::I64],
    &[DType::F32],
    &[DType::F64],
    &[DType::F32, DType::Bool],
    &[DType::F64, DType::Bool],
    &[DType::I32, DType::U32, DType::Bool],
    &[DType::I64, DType::U64, DType::Bool, DType::F64],
    &[DType::F32, DType::F64, DType::I32, DType::I64, DType::U32, DType::U64, DType::Bool],
    &[DType::F32, DType::I32, DType::U32, DType::Bool],
];

fn regions_agree_with_kernels() {
    use ScalarOp::*;
    let slow = [Zeta, Polygamma];
    let all: Vec<ScalarOp> =
        ScalarOp::ALL.iter().chain(ScalarOp::MADE).copied().filter(|op| !slow.contains(op)).collect();
    let common = [
        Neg, Abs, Sign, Exp, Tanh, Log, Sqrt, Floor, Ceil, Round, RoundEven, IsFinite, Not, Convert, Convert, Add, Add,
        Sub, Mul, Mul, Div, Max, Min, And, Or, Xor, Shl, ShrArith, ShrLogical, Eq, Ne, Lt, Le, Gt, Ge, Select, Select,
        Clamp, Sin, Cos, Fma, Fnma,
    ];
    let mut count = 0;
    for seed in 0..1500u64 {
        let mut r = Rng(seed * 0x0123_4567);
        let ops = if r.below(3) == 0 { &all[..] } else { &common[..] };
        let (pool, steps) = (r.of(&POOLS), r.of(&[3, 8, 20, 60, 150]));
        let g = region(&mut r, pool, ops, steps);
        let access: Vec<Access> = g
            .operands
            .iter()
            .map(|o| match (o.role, r.below(3)) {
                (Role::In, 0) => Access::Splat,
                (Role::Out, 0) => Access::StreamNt,
                _ => Access::Stream,
            })
            .collect();
        let one = r.below(6) == 0;
        let n = if one { 1 } else { r.below(4) * 64 + r.below(70) };
        let unroll = r.of(&[None, None, None, Some(1), Some(2), Some(4)]);
        let o = Options { prefetch: 2048 * r.below(2) as u32, one, unroll };
        match check(&g, &access, &o, n, &mut r) {
            Ok(n) => count += n,
            Err(e) => panic!("seed {seed}: {e}\n{o:?} {access:?}\n{:#?}", g.body),
        }
    }
    // One width and no truth values in memory: about a third of the regions for AVX2.
    assert!(count >= sets().len() * 400, "{count} regions had code");
}

fn every_function_alone() {
    for &op in ScalarOp::ALL.iter().chain(ScalarOp::MADE) {
        for d in DType::ALL {
            for to in DType::ALL {
                let from = if op == ScalarOp::Select { [DType::Bool, d, d] } else { [d; 3] };
                if kernel(op, &from[..op.arity()], to).is_none() {
                    continue;
                }
                let mut g = Region::default();
                let mut a = [0; 3];
                for (j, a) in a.iter_mut().enumerate().take(op.arity()) {
                    let k = g.operand(from[j], Role::In);
                    *a = g.node(Node::Load(k));
                }
                let y = g.node(Node::Apply(op, a, to));
                let k = g.operand(to, Role::Out);
                g.node(Node::Store(k, y));
                let access = vec![Access::Stream; g.operands.len()];
                let complex = |d: DType| matches!(d, DType::C32 | DType::C64);
                // A small float of another number than that of its wide dtype is rounded by a function of its own.
                let own = to.is_small() && d != to && d != to.wide();
                if complex(d) || complex(to) || own {
                    assert!(compile(&g, &access, &Options::default()).is_none(), "{op:?} from {d} to {to}");
                    continue;
                }
                for (n, one) in [(150, false), (1, true)] {
                    let o = Options { one, ..Options::default() };
                    if let Err(e) = check(&g, &access, &o, n, &mut Rng(n as u64)) {
                        panic!("{op:?} from {d} to {to}, one: {one}: {e}");
                    }
                }
            }
        }
    }
}

/// Regions of complex numbers, whose code sees parts apart: drawn at random, and every function alone, ordinary and special numbers.
fn complex_regions_agree_with_kernels() {
    use ScalarOp::*;
    let exact = [Neg, Conj, Real, Imag, Complex, Convert, Add, Sub, Mul, Eq, Ne, Select];
    // By formulas that AVX2 has no instructions for.
    let more = [Abs, Div, Exp, Log, Sqrt, Sin, Cos, Sinh, Cosh, Tanh];
    let pools: [&[DType]; 4] = [
        &[DType::C64],
        &[DType::C32],
        &[DType::C64, DType::F64, DType::Bool],
        &[DType::C32, DType::C64, DType::F32, DType::F64],
    ];
    let (mut count, mut applied) = (0, std::collections::BTreeSet::new());
    for seed in 0..600u64 {
        let mut r = Rng(seed * 0x0357_9135);
        let steps = r.of(&[1, 3, 8, 20]);
        let all = [&exact[..], &more].concat();
        let one = [r.of(&all)];
        let ops = if seed % 3 == 0 { &one[..] } else { &all };
        let mut g = region(&mut r, pools[seed as usize % 4], ops, steps);
        g.body.retain(|n| !matches!(n, Node::Red(..)));
        let access: Vec<Access> = g
            .operands
            .iter()
            .map(|o| if o.role == Role::In && r.below(3) == 0 { Access::Splat } else { Access::Stream })
            .collect();
        let n = r.below(4) * 64 + r.below(70);
        for avx2 in sets() {
            let Some(code) = compile_parts_for(avx2, &g, &access, &Options::default()) else {
                assert!(avx2, "seed {seed}: {:#?}", g.body);
                continue;
            };
            if let Err(e) = run_parts(&code, &g, &access, n, &mut r) {
                panic!("seed {seed}, AVX2 {avx2}: {e}\n{access:?} {:#?}", g.body);
            }
            count += 1;
            for x in &g.body {
                if let Node::Apply(op, a, to) = *x
                    && (to.is_complex() || g.dtype(a[0]).is_some_and(DType::is_complex))
                {
                    applied.insert((avx2, op.name()));
                }
            }
        }
    }
    let with_all = usize::from(sets().contains(&false));
    let of_all = applied.iter().filter(|x| !x.0).count();
    assert!(of_all >= with_all * (exact.len() + more.len()), "{applied:?}");
    assert!(count >= with_all * 600, "{count} regions had code");
}
/// Runs code for parts and kernels on `n` random elements, and compares.
fn run_parts(code: &Code, g: &Region, access: &[Access], n: usize, r: &mut Rng) -> Result<(), String> {
    let (mut whole, mut apart, mut imaginary) = (vec![], vec![], vec![]);
    for (o, &a) in g.operands.iter().zip(access) {
        let (d, one) = (o.dtype, a == Access::Splat);
        let values: Vec<u8> = (0..if one { 1 } else { n }).flat_map(|_| r.value(d)[..d.size()].to_vec()).collect();
        let size = d.real().size();
        let part = |k: usize| values.chunks(d.size()).flat_map(|z| z[k * size..][..size].to_vec()).collect::<Vec<u8>>();
        apart.push(part(0));
        if d.is_complex() {
            imaginary.push(part(1));
        }
        whole.push((values, isize::from(!one)));
    }
    let table: Vec<Src> = whole.iter().map(|(v, s)| Src { ptr: v.as_ptr(), stride: *s }).collect();
    let want = reference(g, &table, n);
    apart.append(&mut imaginary);
    let mut table: Vec<Src> = apart.iter_mut().map(|v| Src { ptr: v.as_mut_ptr(), stride: 0 }).collect();
    // SAFETY: operands have `n` elements, or one, of the types of their parts, and nothing is reduced.
    unsafe { code.run(n, table.as_mut_ptr(), std::ptr::null_mut()) };
    for node in &g.body {
        let Node::Store(k, x) = *node else { continue };
        let (d, k) = (g.operands[k as usize].dtype, k as usize);
        let (size, complex) = (d.real().size(), g.operands[..k].iter().filter(|o| o.dtype.is_complex()).count());
        let second = d.is_complex().then(|| &apart[g.operands.len() + complex]);
        for (j, want) in want[x as usize].chunks(d.size()).enumerate() {
            let parts = [Some(&apart[k]), second].into_iter().flatten();
            for (got, want) in parts.map(|p| &p[j * size..][..size]).zip(want.chunks(size)) {
                if !super::same(d.real(), got, want) {
                    return Err(format!("{node:?} of {d}, element {j} of {n}: {got:02x?}, not {want:02x?}"));
                }
            }
        }
    }
    Ok(())
}

/// A formula from outside, of every operation, is code with the bits of its loops; a function without one leaves a region to
/// its tape.
fn functions_from_outside() {
    use tfc_kernels::outside::{Formula, ScalarFunction, V, of_reals, of_vectors};
    struct All;
    impl Formula<2> for All {
        #[inline(always)]
        fn of<T: V>([x, y]: [T; 2]) -> T {
            let a = x.div(T::c(1.0).add(y.abs())).fma(T::pick(0.5, 0.25), T::c(0.125)).fnma(y, x.min(T::c(3.0)));
            let b = a.abs().sqrt().max(T::c(0.1)).sub(x.sign());
            let c = b.iadd(T::bits(3)).isub(T::bits(1)).shl(1).shr(1).xor(T::bits(1)).or(T::bits(2));
            let d = T::sel(c.odd(), b, c);
            let e = T::sel(T::eq(x, T::c(0.5)), x, d.mul(y));
            e.rare::<Rare>(T::lt(x, T::c(-4.0)), x)
        }
    }
    struct Rare;
    impl tfc_kernels::vmath::v::Un for Rare {
        #[inline(always)]
        fn f<T: V>(x: T) -> T {
            let (exponent, part) = x.log_parts();
            part.scalef(T::c(3.0)).add(exponent)
        }
    }
    static ALL: ScalarFunction = ScalarFunction { name: "test.all", cost: 30, formulas: &of_vectors::<2, All>() };
    static REAL: ScalarFunction = ScalarFunction { name: "test.real", cost: 30, formulas: &of_reals(|[x]| x + 1.0) };
    let (mut count, mut applied) = (0, 0);
    for seed in 0..60u64 {
        let mut r = Rng(seed * 0x0765_4321);
        let ops = [ScalarOp::Outside(&ALL), ScalarOp::Tanh, ScalarOp::Add, ScalarOp::Outside(&ALL)];
        let g = region(&mut r, [&[DType::F32][..], &[DType::F64]][seed as usize % 2], &ops, 6);
        applied += g.body.iter().filter(|n| matches!(n, Node::Apply(ScalarOp::Outside(_), ..))).count();
        let n = r.below(4) * 64 + r.below(70);
        let o = Options::default();
        match check(&g, &vec![Access::Stream; g.operands.len()], &o, n, &mut r) {
            Ok(n) => count += n,
            Err(e) => panic!("seed {seed}: {e}\n{:#?}", g.body),
        }
    }
    assert!(count >= sets().len() * 60 && applied > 100, "{count} regions had code, for {applied} applications");
    for one in [false, true] {
        let g = region(&mut Rng(1), &[DType::F64], &[ScalarOp::Outside(&REAL)], 3);
        assert!(g.body.iter().any(|n| matches!(n, Node::Apply(..))), "{g:?}");
        let o = Options { one, ..Options::default() };
        assert!(compile(&g, &vec![Access::Stream; g.operands.len()], &o).is_none(), "it may panic");
    }
}

/// `Σ (xᵢ xⱼ)` over `k` inputs, all products alive at once.
fn products(k: u32, d: DType) -> Region {
    let mut g = Region::default();
    let x: Vec<u32> = (0..k)
        .map(|_| {
            let k = g.operand(d, Role::In);
            g.node(Node::Load(k))
        })
        .collect();
    let mut v = vec![];
    for &a in &x {
        for &b in &x {
            v.push(g.node(Node::Apply(ScalarOp::Mul, [a, b, 0], d)));
        }
    }
    let last = v.pop().unwrap_or(0);
    let sum = v.iter().fold(last, |s, &p| g.node(Node::Apply(ScalarOp::Add, [s, p, 0], d)));
    let o = g.operand(d, Role::Out);
    g.node(Node::Store(o, sum));
    g
}
fn more_values_and_operands_than_registers() {
    for (k, d) in [(8, DType::F32), (9, DType::F64), (40, DType::F32), (12, DType::I64)] {
        let g = products(k, d);
        for (access, one, n) in [(Access::Stream, false, 131), (Access::Splat, false, 77), (Access::Stream, true, 1)] {
            let mut access = vec![access; g.operands.len()];
            access[k as usize] = Access::Stream;
            for unroll in [None, Some(2), Some(4)] {
                let o = Options { one, unroll, ..Options::default() };
                if let Err(e) = check(&g, &access, &o, n, &mut Rng(5)) {
                    panic!("{k} operands of {d}: {e}");
                }
            }
        }
    }
}

/// A chain of `len` applications of a few cheap ops.
fn chain(len: usize) -> Region {
    let mut g = Region::default();
    let k = g.operand(DType::F64, Role::In);
    let x = g.node(Node::Load(k));
    let mut p = x;
    for i in 0..len {
        let mut c = [0; 16];
        c[..8].copy_from_slice(&(1.0 / (i as f64 + 1.0)).to_le_bytes());
        let c = g.node(Node::Const(c, DType::F64));
        let op = [ScalarOp::Mul, ScalarOp::Add, ScalarOp::Sub][i % 3];
        p = g.node(Node::Apply(op, [p, if i % 3 == 0 { x } else { c }, 0], DType::F64));
    }
    let o = g.operand(DType::F64, Role::Out);
    g.node(Node::Store(o, p));
    g
}
fn long_bodies() {
    for len in [1000, 10_000] {
        let g = chain(len);
        for one in [false, true] {
            let o = Options { one, ..Options::default() };
            if let Err(e) = check(&g, &[Access::Stream; 2], &o, if one { 1 } else { 100 }, &mut Rng(1)) {
                panic!("{len} ops: {e}");
            }
        }
    }
}

/// Runs cut at multiples of the lanes fold into the same lanes.
fn cuts_do_not_move_lanes() {
    let mut g = Region::default();
    let k = g.operand(DType::F32, Role::In);
    let x = g.node(Node::Load(k));
    let e = g.node(Node::Apply(ScalarOp::Exp, [x; 3], DType::F32));
    let k = g.operand(DType::F32, Role::Reduced);
    g.node(Node::Red(ScalarOp::Add, k, e));
    let data: Vec<f32> = (0..1000).map(|i| (i as f32 * 0.37).sin()).collect();
    let mut results = vec![];
    let unrolls = [None, Some(1), Some(2), Some(4)];
    for (avx2, unroll) in sets().into_iter().flat_map(|s| unrolls.map(|u| (s, u))) {
        let o = Options { unroll, ..Options::default() };
        let code = compile_for(avx2, &g, &[Access::Stream; 2], &o).expect("a region of floats");
        for cut in [64, 192, 640, 1000] {
            let mut acc = Lanes([0; 256]);
            for part in data.chunks(cut) {
                let table = [Src::slice(part), Src::NONE];
                // SAFETY: as many elements as the slice has, one reduction.
                unsafe { code.run(part.len(), table.as_ptr().cast_mut(), acc.0.as_mut_ptr()) };
            }
            results.push(acc.0.to_vec());
        }
    }
    assert!(results.iter().all(|r| *r == results[0] && *r != vec![0; 256]));
}

/// Entries of a table by the low four bits, in every lane count.
fn tables() {
    use super::super::lower::Program;
    use super::super::ssa::{Op, Ssa, Ty};
    if available().is_err() || !has_avx512() {
        return;
    }
    for (d, ty, lanes) in
        [(DType::I32, Ty::W32, 16), (DType::I64, Ty::W64, 8), (DType::I32, Ty::W32, 8), (DType::I64, Ty::W64, 1)]
    {
        let table: [u64; 16] = std::array::from_fn(|i| 1000 + i as u64);
        let mut ssa = Ssa::default();
        let x = ssa.value(Op::Load(0), ty);
        let y = ssa.lookup(x, table);
        ssa.effect(Op::Store(1, y), ty);
        let mut g = Region::default();
        g.operand(d, Role::In);
        g.operand(d, Role::Out);
        let o = Options { one: lanes == 1, ..Options::default() };
        let p = Program { ssa, lanes, reds: vec![] };
        let (code, entry) = frame::function(&p, &g, &[Access::Stream; 2], &o).expect("a small frame");
        let code = Code { text: mem::seal(&code, entry).expect("available") };
        let n = if o.one { 1 } else { 50 };
        let from: Vec<u8> = (0..n as u64).flat_map(|i| (i * 7).to_le_bytes().into_iter().take(d.size())).collect();
        let mut to = vec![0u8; n * d.size()];
        let table = [Src { ptr: from.as_ptr(), stride: 1 }, Src { ptr: to.as_mut_ptr(), stride: 1 }];
        // SAFETY: `n` elements each.
        unsafe { code.run(n, table.as_ptr().cast_mut(), std::ptr::null_mut()) };
        for (i, e) in to.chunks(d.size()).enumerate() {
            assert_eq!(u64::from(e[0]) + 256 * u64::from(e[1]), 1000 + ((i as u64 * 7) & 15), "{d} in {lanes} lanes");
        }
    }
}

/// A frame that would not fit on a stack is refused.
fn frames_have_a_limit() {
    let g = products(120, DType::F64);
    let access = vec![Access::Stream; g.operands.len()];
    for avx2 in sets() {
        assert!(compile_for(avx2, &g, &access, &Options::default()).is_none());
    }
}

/// Threads compile, run and drop code that spills and calls at the same time; no page is writable and executable.
fn threads_share_memory_for_code() {
    let d = DType::F32;
    let mut g = products(8, d);
    let x = g.node(Node::Load(0));
    let y = g.node(Node::Apply(ScalarOp::Lgamma, [x; 3], d));
    let o = g.operand(d, Role::Out);
    g.node(Node::Store(o, y));
    let access = vec![Access::Stream; g.operands.len()];
    std::thread::scope(|s| {
        for seed in 0..4 {
            let (g, access) = (&g, &access);
            s.spawn(move || {
                for i in 0..30 {
                    let r = check(g, access, &Options::default(), 40 + i, &mut Rng(seed));
                    assert!(r.is_ok(), "{r:?}");
                }
            });
        }
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        assert!(!maps.lines().any(|l| l.contains("rwx")), "{maps}");
    });
}
/// All of them.
pub const ALL: &[fn()] = &[
    regions_agree_with_kernels,
    every_function_alone,
    complex_regions_agree_with_kernels,
    functions_from_outside,
    more_values_and_operands_than_registers,
    long_bodies,
    cuts_do_not_move_lanes,
    tables,
    frames_have_a_limit,
    threads_share_memory_for_code,
];
