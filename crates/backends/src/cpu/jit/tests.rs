//! Generated code against the kernels that tapes run, on regions drawn at random: the same bits (those of a NaN aside),
//! nothing read or written beyond the operands (each ends where memory ends).
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests, for this architecture alone")]
use super::asm::{Asm, Insn, Len, Mem, RCX, RDI, RSP, Rm};
use super::{Access, Code, Options, available, compile, compile_for, has_avx512};
use crate::region::body::{Node, Region, Role};
use crate::scalar::{KernelFn, Src, kernel};
use crate::vmath::{self, Isa};
use tfc_ir::{DType, ScalarOp};

/// A generator of numbers (Steele, Lea and Flood 2014, SplitMix).
pub(crate) struct Rng(pub(crate) u64);
impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub(crate) fn of<T: Copy>(&mut self, v: &[T]) -> T {
        v[self.below(v.len())]
    }
    /// An element: special, any bits, or of moderate size.
    pub(crate) fn value(&mut self, d: DType) -> [u8; 16] {
        let (mut b, x) = ([0u8; 16], self.next());
        let moderate = (x >> 40) as f64 / 1e6 - 8.0;
        let special = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 88.8, -104.0, 709.78, 3e9, -3e9, 1e19, 1e22, 5e-324];
        let odd = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, f64::MAX, 4_294_967_296.0, 2_147_483_648.0];
        let v = match self.below(5) {
            0 => self.of(&special),
            1 => self.of(&odd),
            _ => moderate,
        };
        let any = self.below(5) == 0;
        match d {
            DType::Bool => b[0] = (x & 1) as u8,
            DType::F32 if any => b[..4].copy_from_slice(&(x as u32).to_le_bytes()),
            DType::F32 => b[..4].copy_from_slice(&(v as f32).to_le_bytes()),
            DType::F64 if !any => b[..8].copy_from_slice(&v.to_le_bytes()),
            DType::F64 => b[..8].copy_from_slice(&x.to_le_bytes()),
            _ => {
                let few = [0, 1, u64::MAX, i64::MIN as u64, i64::MAX as u64, i32::MIN as u64, 31, 32, 63, 64];
                let i = match self.below(4) {
                    0 => self.of(&few),
                    1 => x & 63,
                    2 => (x & 63).wrapping_neg(),
                    _ => x,
                };
                b[..d.size()].copy_from_slice(&i.to_le_bytes()[..d.size()]);
            }
        }
        b
    }
}

/// Elements that end where a page begins that nobody may touch.
pub(crate) struct Guarded {
    map: *mut u8,
    len: usize,
    pub(crate) at: *mut u8,
}
impl Guarded {
    pub(crate) fn new(bytes: usize) -> Guarded {
        let len = bytes.next_multiple_of(4096) + 4096;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: a new mapping, whose last page is taken away.
        unsafe {
            let map = libc::mmap(std::ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            assert!(map != libc::MAP_FAILED);
            let map = map.cast::<u8>();
            assert_eq!(libc::mprotect(map.add(len - 4096).cast(), 4096, libc::PROT_NONE), 0);
            Guarded { map, len, at: map.add(len - 4096 - bytes) }
        }
    }
}
impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made above.
        unsafe { libc::munmap(self.map.cast(), self.len) };
    }
}

fn dtype(r: &Region, n: u32) -> DType {
    match r.body[n as usize] {
        Node::Load(k) => r.operands[k as usize].dtype,
        Node::Const(_, d) | Node::Apply(_, _, d) => d,
        _ => unreachable!("stores and reductions have no value"),
    }
}
/// What the tape would run.
fn tape_kernel(op: ScalarOp, from: &[DType], to: DType) -> KernelFn {
    let vector = if from.iter().all(|&d| d == to) { vmath::kernel(op, to) } else { None };
    vector.unwrap_or_else(|| kernel(op, from, to).expect("chosen for having one").f)
}
pub(crate) fn folds(d: DType) -> &'static [ScalarOp] {
    use ScalarOp::*;
    match d {
        DType::Bool => &[And, Or, Xor, Max, Min],
        DType::F32 | DType::F64 => &[Add, Mul, Max, Min],
        _ => &[Add, Mul, Max, Min, And, Or, Xor],
    }
}

/// A region over the dtypes of `pool` with about `steps` applications of `ops`.
fn region(r: &mut Rng, pool: &[DType], ops: &[ScalarOp], steps: usize) -> Region {
    let mut g = Region::default();
    let mut vals: Vec<u32> = vec![];
    for _ in 0..1 + r.below(4) {
        let k = g.operand(r.of(pool), Role::In);
        vals.push(g.node(Node::Load(k)));
    }
    for _ in 0..r.below(4) {
        let d = r.of(pool);
        vals.push(g.node(Node::Const(r.value(d), d)));
    }
    for _ in 0..steps * 8 {
        if vals.len() > steps + 4 {
            break;
        }
        let (op, recent) = (r.of(ops), vals.len() - vals.len().min(6));
        let x = if r.below(2) == 0 { r.of(&vals) } else { r.of(&vals[recent..]) };
        let d = dtype(&g, x);
        let alike: Vec<u32> = vals.iter().copied().filter(|&v| dtype(&g, v) == d).collect();
        let bools: Vec<u32> = vals.iter().copied().filter(|&v| dtype(&g, v) == DType::Bool).collect();
        let (args, from) = if op == ScalarOp::Select {
            if bools.is_empty() {
                continue;
            }
            ([r.of(&bools), x, r.of(&alike)], [DType::Bool, d, d])
        } else {
            ([x, r.of(&alike), r.of(&alike)], [d; 3])
        };
        let fits = |t: &DType| pool.contains(t) && kernel(op, &from[..op.arity()], *t).is_some();
        let to: Vec<DType> = DType::SUPPORTED.into_iter().filter(fits).collect();
        if !to.is_empty() {
            let to = r.of(&to);
            vals.push(g.node(Node::Apply(op, args, to)));
        }
    }
    let late = vals.len() - vals.len().min(5);
    for _ in 0..1 + r.below(3) {
        let x = r.of(&vals[late..]);
        let k = g.operand(dtype(&g, x), Role::Out);
        g.node(Node::Store(k, x));
    }
    for _ in 0..r.below(6) / 3 {
        let x = r.of(&vals[late..]);
        let d = dtype(&g, x);
        let k = g.operand(d, Role::Reduced);
        g.node(Node::Red(r.of(folds(d)), k, x));
    }
    g
}

pub(crate) fn same(d: DType, a: &[u8], b: &[u8]) -> bool {
    let nan = |x: &[u8]| match d {
        DType::F32 => f32::from_le_bytes(x.try_into().expect("size")).is_nan(),
        DType::F64 => f64::from_le_bytes(x.try_into().expect("size")).is_nan(),
        _ => false,
    };
    a == b || nan(a) && nan(b)
}

/// The values of a region by kernels, node by node; for reductions their lanes.
pub(crate) fn reference(g: &Region, table: &[Src], n: usize) -> Vec<Vec<u8>> {
    let mut vals: Vec<Vec<u8>> = vec![];
    for node in &g.body {
        let v = match *node {
            Node::Load(k) => {
                let (s, p) = (g.operands[k as usize].dtype.size(), table[k as usize]);
                // SAFETY: the table holds `n` elements, or one of stride 0.
                let element = |j: usize| unsafe { std::slice::from_raw_parts(p.ptr.add(j * p.stride as usize * s), s) };
                (0..n).flat_map(element).copied().collect()
            }
            Node::Const(b, d) => b[..d.size()].repeat(n),
            Node::Apply(op, a, to) => {
                let from: Vec<DType> = a[..op.arity()].iter().map(|&x| dtype(g, x)).collect();
                let mut src = [Src::NONE; 3];
                (0..from.len()).for_each(|j| src[j] = Src { ptr: vals[a[j] as usize].as_ptr(), stride: 1 });
                let mut v = vec![0u8; n * to.size()];
                // SAFETY: operands and result have `n` elements of the kernel's types (vectors of bytes are allocated at
                // multiples of sixteen).
                unsafe { tape_kernel(op, &from, to)(n, &src, v.as_mut_ptr()) };
                v
            }
            Node::Store(..) => vec![],
            Node::Red(op, k, x) => {
                let d = g.operands[k as usize].dtype;
                let f = crate::cpu::fused::fold::fold(op, d).expect("chosen for being one");
                let mut acc = Lanes([0; 256]);
                // SAFETY: the lanes of a reduction, and `n` elements.
                unsafe {
                    (f.clear)(acc.0.as_mut_ptr());
                    (f.row)(acc.0.as_mut_ptr(), vals[x as usize].as_ptr(), n);
                }
                acc.0.to_vec()
            }
        };
        vals.push(v);
    }
    vals
}
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub(crate) [u8; 256]);

/// The instruction sets (AVX2?) that code is generated for here.
pub(crate) fn sets() -> Vec<bool> {
    let sets = [(has_avx512(), false), (Isa::Avx2.available(), true)];
    if available().is_err() { vec![] } else { sets.into_iter().filter(|s| s.0).map(|s| s.1).collect() }
}
/// Compiles a region for every instruction set and compares; says how often there was code.
fn check(g: &Region, access: &[Access], o: &Options, n: usize, r: &mut Rng) -> Result<usize, String> {
    let mut count = 0;
    for avx2 in sets() {
        match compile_for(avx2, g, access, o) {
            Some(code) => run(&code, g, access, o, n, r).map_err(|e| format!("AVX2 {avx2}: {e}"))?,
            None if avx2 => continue,
            None => return Err("not compiled".into()),
        }
        count += 1;
    }
    Ok(count)
}
/// Runs a region both ways on `n` random elements and compares.
fn run(code: &Code, g: &Region, access: &[Access], o: &Options, n: usize, r: &mut Rng) -> Result<(), String> {
    let (mut held, mut table, mut acc) = (vec![], vec![], vec![]);
    for (op, &a) in g.operands.iter().zip(access) {
        let (one, s) = (op.role == Role::In && (a == Access::Splat || o.one), op.dtype.size());
        let count = if one { 1 } else { n };
        let m = Guarded::new(count * s);
        for i in 0..count {
            // SAFETY: inside the mapping.
            unsafe { std::ptr::copy_nonoverlapping(r.value(op.dtype).as_ptr(), m.at.add(i * s), s) };
        }
        table.push(Src { ptr: m.at, stride: isize::from(!one) });
        held.push(m);
    }
    let want = reference(g, &table, n);
    for node in &g.body {
        if let Node::Red(op, k, _) = *node {
            let mut l = Lanes([0; 256]);
            let f = crate::cpu::fused::fold::fold(op, g.operands[k as usize].dtype).expect("chosen for being one");
            // SAFETY: the lanes of a reduction.
            unsafe { (f.clear)(l.0.as_mut_ptr()) };
            acc.push(l);
        }
    }
    acc.push(Lanes([7; 256]));
    // SAFETY: operands have `n` elements of the region's types, and there are lanes for each reduction.
    unsafe { code.run(n, table.as_ptr().cast_mut(), acc.as_mut_ptr().cast()) };
    let mut reds = 0;
    for (i, node) in g.body.iter().enumerate() {
        let (k, got, want) = match *node {
            // SAFETY: the operand has `n` elements.
            Node::Store(k, x) => (
                k,
                unsafe {
                    let size = n * g.operands[k as usize].dtype.size();
                    std::slice::from_raw_parts(table[k as usize].ptr, size).to_vec()
                },
                &want[x as usize],
            ),
            Node::Red(_, k, _) => {
                reds += 1;
                (k, acc[reds - 1].0.to_vec(), &want[i])
            }
            _ => continue,
        };
        let d = g.operands[k as usize].dtype;
        for (j, (a, b)) in got.chunks(d.size()).zip(want.chunks(d.size())).enumerate() {
            if !same(d, a, b) {
                return Err(format!("{node:?} of {d}, element {j} of {n}: {a:02x?}, not {b:02x?}"));
            }
        }
    }
    if acc[reds].0 == [7; 256] { Ok(()) } else { Err("wrote beyond the accumulators".into()) }
}

const POOLS: [&[DType]; 8] = [
    &[DType::F32],
    &[DType::F64],
    &[DType::F32, DType::Bool],
    &[DType::F64, DType::Bool],
    &[DType::I32, DType::U32, DType::Bool],
    &[DType::I64, DType::U64, DType::Bool, DType::F64],
    &[DType::F32, DType::F64, DType::I32, DType::I64, DType::U32, DType::U64, DType::Bool],
    &[DType::F32, DType::I32, DType::U32, DType::Bool],
];

#[test]
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

#[test]
fn every_function_alone() {
    for &op in ScalarOp::ALL.iter().chain(ScalarOp::MADE) {
        for d in DType::SUPPORTED {
            for to in DType::SUPPORTED {
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
                if complex(d) || complex(to) {
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
#[test]
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
#[test]
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
#[test]
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

/// Bytes as the GNU assembler gives them.
#[test]
fn encodings() {
    let add = Insn::fp(false, 0x58);
    let one = |f: &dyn Fn(&mut Asm)| {
        let mut a = Asm::default();
        f(&mut a);
        a.code
    };
    let far = Mem { base: super::asm::Gpr(13), scale: Some(2), disp: 0 };
    let vex = |f: &dyn Fn(&mut Asm)| {
        let mut a = Asm::new(true);
        f(&mut a);
        a.code
    };
    let cases: [(Vec<u8>, &[u8]); 14] = [
        // vaddps zmm1, zmm2, zmm3
        (one(&|a| a.evex(add, Len::Z, 1, 2, Rm::Reg(3), 0, false)), &[0x62, 0xf1, 0x6c, 0x48, 0x58, 0xcb]),
        // vaddps zmm17, zmm18, zmm29
        (one(&|a| a.evex(add, Len::Z, 17, 18, Rm::Reg(29), 0, false)), &[0x62, 0x81, 0x6c, 0x40, 0x58, 0xcd]),
        // vaddpd ymm9, ymm8, [rsp + 0x40]
        (
            one(&|a| a.evex(Insn::fp(true, 0x58), Len::Y, 9, 8, Rm::Mem(Mem::at(RSP, 64), 32), 0, false)),
            &[0x62, 0x71, 0xbd, 0x28, 0x58, 0x4c, 0x24, 0x02],
        ),
        // vaddps zmm0, zmm1, [rcx + 4]{1to16}
        (
            one(&|a| a.evex(add, Len::Z, 0, 1, Rm::Bc(Mem::at(RCX, 4)), 0, false)),
            &[0x62, 0xf1, 0x74, 0x58, 0x58, 0x41, 0x01],
        ),
        // vmovups zmm5{k1}{z}, [r13 + rax * 4]
        (
            one(&|a| a.evex(Insn::fp(false, 0x10), Len::Z, 5, 0, Rm::Mem(far, 64), 1, true)),
            &[0x62, 0xd1, 0x7c, 0xc9, 0x10, 0x6c, 0x85, 0x00],
        ),
        // vcmppd k3, zmm4, zmm20, 1
        (
            one(&|a| a.evex(Insn::fp(true, 0xc2).imm(1), Len::Z, 3, 4, Rm::Reg(20), 0, false)),
            &[0x62, 0xb1, 0xdd, 0x48, 0xc2, 0xdc, 0x01],
        ),
        // vpslld zmm7, zmm8, 5
        (
            one(&|a| a.evex(Insn::wide(1, false, 0x72).imm(5), Len::Z, 6, 7, Rm::Reg(8), 0, false)),
            &[0x62, 0xd1, 0x45, 0x48, 0x72, 0xf0, 0x05],
        ),
        // kandw k3, k4, k5
        (one(&|a| a.kop(0x41, true, 3, 4, 5)), &[0xc5, 0xdc, 0x41, 0xdd]),
        // kmovw k2, [rsp + 8]
        (one(&|a| a.kmov_mem(0x90, 2, Mem::at(RSP, 8))), &[0xc5, 0xf8, 0x90, 0x54, 0x24, 0x08]),
        // {vex3} vaddps ymm1, ymm2, ymm13
        (vex(&|a| a.evex(add, Len::Y, 1, 2, Rm::Reg(13), 0, false)), &[0xc4, 0xc1, 0x6c, 0x58, 0xcd]),
        // vfmadd231pd ymm9, ymm8, [rsp + 0x40]
        (
            vex(&|a| a.evex(Insn::wide(2, true, 0xb8), Len::Y, 9, 8, Rm::Mem(Mem::at(RSP, 64), 32), 0, false)),
            &[0xc4, 0x62, 0xbd, 0xb8, 0x4c, 0x24, 0x40],
        ),
        // vblendvps ymm1, ymm2, ymm3, ymm12
        (
            vex(&|a| a.evex(Insn::wide(3, false, 0x4a).imm(0xc0), Len::Y, 1, 2, Rm::Reg(3), 0, false)),
            &[0xc4, 0xe3, 0x6d, 0x4a, 0xcb, 0xc0],
        ),
        // vmaskmovps [r13 + rax * 4], ymm15, ymm7
        (
            vex(&|a| a.evex(Insn::wide(2, false, 0x2e), Len::Y, 7, 15, Rm::Mem(far, 1), 0, false)),
            &[0xc4, 0xc2, 0x05, 0x2e, 0x7c, 0x85, 0x00],
        ),
        // mov rcx, [rdi + 0x100]
        (one(&|a| a.load(RCX, Mem::at(RDI, 256))), &[0x48, 0x8b, 0x8f, 0x00, 0x01, 0x00, 0x00]),
    ];
    for (i, (got, want)) in cases.iter().enumerate() {
        assert_eq!(got, want, "case {i}");
    }
}

/// Entries of a table by the low four bits, in every lane count.
#[test]
fn tables() {
    use super::lower::Program;
    use super::ssa::{Op, Ssa, Ty};
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
        let (code, entry) = super::frame::function(&p, &g, &[Access::Stream; 2], &o).expect("a small frame");
        let code = super::Code { text: super::mem::seal(&code, entry).expect("available") };
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
#[test]
fn frames_have_a_limit() {
    let g = products(120, DType::F64);
    let access = vec![Access::Stream; g.operands.len()];
    for avx2 in sets() {
        assert!(compile_for(avx2, &g, &access, &Options::default()).is_none());
    }
}

/// Threads compile, run and drop code that spills and calls at the same time; no page is writable and executable.
#[test]
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
