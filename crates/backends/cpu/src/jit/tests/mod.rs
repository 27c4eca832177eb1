//! What tests of generated code share: regions drawn at random, and how code is held against the kernels that tapes run: the
//! same bits (those of a NaN aside), nothing read or written beyond the operands (each ends where memory ends).
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests, for this architecture alone")]
use super::{Access, Code, Options, available, compile_for, has_avx512};
use tfc_ir::{DType, ScalarOp};
use tfc_kernels::choose::{choose, exact};
use tfc_kernels::scalar::Src;
use tfc_kernels::vmath::Isa;
use tfc_plan::region::body::{Node, Region, Role};

pub mod audit;
pub mod bytes;
pub mod regions;
pub mod rows;

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
        if d.is_complex() {
            let (mut z, part) = ([0u8; 16], d.real());
            for place in z[..d.size()].chunks_mut(part.size()) {
                place.copy_from_slice(&self.value(part)[..part.size()]);
            }
            return z;
        }
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
            // The byte of such an integer is its number; of such a float the bits above its own are 0.
            d if d.is_tiny() && d.is_signed() => b[0] = ((x as i8) << (8 - d.bits()) >> (8 - d.bits())) as u8,
            d if d.is_tiny() => b[0] = x as u8 >> (8 - d.bits()),
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
        let has = |t: &DType| !t.is_small() || d == *t || d == t.wide();
        let fits = |t: &DType| pool.contains(t) && has(t) && exact(op, &from[..op.arity()], *t).is_some();
        let to: Vec<DType> = DType::ALL.into_iter().filter(fits).collect();
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
        if d.is_small() {
            continue;
        }
        let k = g.operand(d, Role::Reduced);
        g.node(Node::Red(r.of(folds(d)), k, x));
    }
    g
}

pub(crate) fn same(d: DType, a: &[u8], b: &[u8]) -> bool {
    let nan = |x: &[u8]| match d {
        DType::F32 => f32::from_le_bytes(x.try_into().expect("size")).is_nan(),
        DType::F64 => f64::from_le_bytes(x.try_into().expect("size")).is_nan(),
        d => {
            let bits = x.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b));
            d.format().is_some_and(|f| f.widen(bits).is_nan())
        }
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
                unsafe { (choose(op, &from, to).expect("chosen for having one").f)(n, &src, v.as_mut_ptr()) };
                v
            }
            Node::Store(..) => vec![],
            Node::Red(op, k, x) => {
                let d = g.operands[k as usize].dtype;
                let f = crate::fused::fold::fold(op, d).expect("chosen for being one");
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
            let f = crate::fused::fold::fold(op, g.operands[k as usize].dtype).expect("chosen for being one");
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
