//! The engine's kernels against naive loops: regions with odd sizes, strides, broadcasts and dtypes; reductions with one
//! and two threads; copies; contractions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use tfc_ir::{C64, DType, ScalarOp};

use super::copy::{At, copy_nd};
use super::dot::library::{Gemm, Mat, gemm};
use super::fused::bound::Bound;
use super::machine::mem::Ptr;
use super::machine::pool::Pool;
use crate::fused::program::Program;
use tfc_plan::region::body::{Node, Region, Role};
use tfc_plan::region::phases::Cutting;
use tfc_plan::space::Space;

/// A small generator of repeatable numbers.
struct Rng(u64);
impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }
    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }
    fn unit(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 31) as f64 * 2.0 - 1.0
    }
}
/// Dense strides in elements of `dims` with the axes in a random order, some of them reversed or broadcast.
fn layout(r: &mut Rng, dims: &[usize], views: bool) -> (Vec<isize>, usize, isize) {
    let mut order: Vec<usize> = (0..dims.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, r.below(i + 1));
    }
    let (mut s, mut step, mut offset) = (vec![0isize; dims.len()], 1isize, 0isize);
    for a in order {
        if views && r.below(4) == 0 {
            continue;
        }
        s[a] = step;
        step *= dims[a] as isize * if views && r.below(4) == 0 { 2 } else { 1 };
        if views && r.below(5) == 0 {
            offset += s[a] * (dims[a] as isize - 1);
            s[a] = -s[a];
        }
    }
    (s, step.max(1) as usize, offset)
}
fn indices(dims: &[usize]) -> Vec<Vec<usize>> {
    let mut v = vec![vec![]];
    for &d in dims {
        v = v.into_iter().flat_map(|p| (0..d).map(move |i| [p.clone(), vec![i]].concat())).collect();
    }
    v
}
fn at(ix: &[usize], s: &[isize], o: isize) -> usize {
    ix.iter().zip(s).fold(o, |a, (&i, &s)| a + i as isize * s) as usize
}
fn bytes(s: &[isize], z: isize) -> Vec<isize> {
    s.iter().map(|x| x * z).collect()
}
const SIZES: [usize; 12] = [1, 2, 3, 5, 7, 17, 31, 64, 129, 513, 1025, 2100];
fn shape(r: &mut Rng, most: usize) -> Vec<usize> {
    loop {
        let d: Vec<usize> = (0..r.below(4)).map(|_| SIZES[r.below(SIZES.len())]).collect();
        if d.iter().product::<usize>() <= most {
            return d;
        }
    }
}

/// `p = a * b + c; q = select(p < a, p, b)` with a second output `p`, over random layouts.
fn regions_agree_with_naive_loops() {
    let mut g = Region::default();
    let ops: Vec<u32> = (0..3).map(|_| g.operand(DType::F64, Role::In)).collect();
    let (o1, o2) = (g.operand(DType::F64, Role::Out), g.operand(DType::F64, Role::Out));
    let l: Vec<u32> = ops.iter().map(|&k| g.node(Node::Load(k))).collect();
    let half = g.node(Node::Const(pad16(0.5f64.to_ne_bytes()), DType::F64));
    let m = g.node(Node::Apply(ScalarOp::Mul, [l[0], l[1], 0], DType::F64));
    let m2 = g.node(Node::Apply(ScalarOp::Mul, [m, half, 0], DType::F64));
    let p = g.node(Node::Apply(ScalarOp::Add, [m2, l[2], 0], DType::F64));
    let lt = g.node(Node::Apply(ScalarOp::Lt, [p, l[0], 0], DType::Bool));
    let q = g.node(Node::Apply(ScalarOp::Select, [lt, p, l[1]], DType::F64));
    g.node(Node::Store(o1, p));
    g.node(Node::Store(o2, q));
    let program = Program::new(Cutting::single(g.clone())).unwrap();
    let (mut r, mut run, two) = (Rng(1), Bound::default(), Pool::new(2));
    for round in 0..120 {
        let dims = shape(&mut r, 300_000);
        let lay: Vec<_> = (0..5).map(|k| layout(&mut r, &dims, k < 3)).collect();
        let mut mem: Vec<Vec<f64>> = lay.iter().map(|l| (0..l.1).map(|_| r.unit()).collect()).collect();
        let st: Vec<Vec<isize>> = lay.iter().map(|l| bytes(&l.0, 8)).collect();
        let want: Vec<(usize, f64, usize, f64)> = indices(&dims)
            .iter()
            .map(|ix| {
                let x: Vec<f64> = (0..3).map(|k| mem[k][at(ix, &lay[k].0, lay[k].2)]).collect();
                let p = x[0] * x[1] * 0.5 + x[2];
                let q = if p < x[0] { p } else { x[1] };
                (at(ix, &lay[3].0, lay[3].2), p, at(ix, &lay[4].0, lay[4].2), q)
            })
            .collect();
        let ptr: Vec<Ptr> =
            mem.iter_mut().zip(&lay).map(|(m, l)| Ptr(m.as_mut_ptr().wrapping_offset(l.2).cast())).collect();
        run.bind(&program, &dims, |k| &st[k], |_| false, |_| false);
        // SAFETY: operands cover the loops; the outputs are vectors of their own.
        unsafe { run.run(&two, &program, |k| ptr[k]) }.unwrap();
        for (i, p, j, q) in want {
            assert_eq!((mem[3][i], mem[4][j]), (p, q), "round {round}, shape {dims:?}, layouts {lay:?}");
        }
    }
}
fn pad16<const N: usize>(b: [u8; N]) -> [u8; 16] {
    let mut x = [0u8; 16];
    x[..N].copy_from_slice(&b);
    x
}

/// Sum of squares and maximum over random axes and layouts: right, and the same bits for one and two threads.
fn reductions_agree_with_naive_loops_for_any_thread_count() {
    let mut g = Region::default();
    let a = g.operand(DType::F64, Role::In);
    let (s, m) = (g.operand(DType::F64, Role::Reduced), g.operand(DType::F64, Role::Reduced));
    let x = g.node(Node::Load(a));
    let sq = g.node(Node::Apply(ScalarOp::Mul, [x, x, 0], DType::F64));
    g.node(Node::Red(ScalarOp::Add, s, sq));
    g.node(Node::Red(ScalarOp::Max, m, x));
    let program = Program::new(Cutting::single(g.clone())).unwrap();
    let (mut r, mut run) = (Rng(7), Bound::default());
    let pools = [Pool::new(1), Pool::new(2)];
    for round in 0..150 {
        let mut dims = shape(&mut r, 500_000);
        if round % 10 == 9 && !dims.is_empty() {
            dims[0] = 0;
        }
        let red: Vec<bool> = dims.iter().map(|_| r.below(2) == 0).collect();
        let (ls, size, off) = layout(&mut r, &dims, round % 3 == 0);
        let mem: Vec<f64> = (0..size).map(|_| r.unit()).collect();
        let kept: Vec<usize> = dims.iter().zip(&red).map(|(&d, &k)| if k { 1 } else { d }).collect();
        let (mut os, n, _) = layout(&mut r, &kept, false);
        os.iter_mut().zip(&red).for_each(|(s, &k)| *s = if k { 0 } else { *s });
        let mut want = vec![(0.0f64, f64::NEG_INFINITY); n];
        for ix in indices(&dims) {
            let (w, x) = (&mut want[at(&ix, &os, 0)], mem[at(&ix, &ls, off)]);
            *w = (w.0 + x * x, w.1.max(x));
        }
        let mut got = vec![];
        for p in &pools {
            let (mut sum, mut max) = (vec![f64::NAN; n], vec![f64::NAN; n]);
            let (is, ob) = (bytes(&ls, 8), bytes(&os, 8));
            let ptr = [
                Ptr(mem.as_ptr().wrapping_offset(off).cast_mut().cast()),
                Ptr(sum.as_mut_ptr().cast()),
                Ptr(max.as_mut_ptr().cast()),
            ];
            run.bind(&program, &dims, |k| if k == 0 { &is } else { &ob }, |l| red[l], |_| false);
            // SAFETY: operands cover the loops; the outputs are vectors of their own.
            unsafe { run.run(p, &program, |k| ptr[k]) }.unwrap();
            got.push((sum, max));
        }
        if kept.contains(&0) {
            continue;
        }
        for (i, want) in want.iter().enumerate() {
            let (s, m) = (got[0].0[i], got[0].1[i]);
            assert!((s - want.0).abs() <= 1e-12 * want.0.abs(), "{dims:?} {red:?} {ls:?}: {s} {:?}", want);
            assert_eq!(m, want.1, "{dims:?} {red:?} {ls:?}");
            assert_eq!((s.to_bits(), m.to_bits()), (got[1].0[i].to_bits(), got[1].1[i].to_bits()), "{dims:?} {red:?}");
        }
    }
}

fn copies_agree_with_naive_loops() {
    let (mut r, mut space, pool) = (Rng(3), Space::default(), Pool::new(2));
    for _ in 0..150 {
        let dims = shape(&mut r, 400_000);
        let ((ss, n, so), (ds, m, _)) = (layout(&mut r, &dims, true), layout(&mut r, &dims, false));
        let src: Vec<u32> = (0..n).map(|_| r.next() as u32).collect();
        let mut dst = vec![0u32; m];
        let (sb, db) = (bytes(&ss, 4), bytes(&ds, 4));
        let to = At { ptr: Ptr(dst.as_mut_ptr().cast()), strides: &db };
        let from = At { ptr: Ptr(src.as_ptr().wrapping_offset(so).cast_mut().cast()), strides: &sb };
        // SAFETY: operands cover the loops; the outputs are vectors of their own.
        unsafe { copy_nd(&pool, &mut space, &dims, to, from, 4) };
        for ix in indices(&dims) {
            assert_eq!(dst[at(&ix, &ds, 0)], src[at(&ix, &ss, so)], "{dims:?} {ss:?} {ds:?}");
        }
    }
}

/// Products of strided matrices, with conjugation, vectors among them; two threads give the bits of one.
fn gemm_agrees_with_naive_loops() {
    let mut r = Rng(11);
    let sizes = [0, 1, 2, 3, 8, 17, 70, 200, 700];
    for round in 0..150 {
        let mnk: Vec<usize> = (0..3).map(|_| sizes[r.below(sizes.len())]).collect();
        let (m, n, k) = (mnk[0], mnk[1], mnk[2]);
        if m * n * k > 9_000_000 {
            continue;
        }
        let (ca, cb) = (r.below(2) == 0, r.below(2) == 0);
        let lay: Vec<_> = [[m, k], [k, n], [m, n]].iter().map(|d| layout(&mut r, d, false)).collect();
        let mut mem: Vec<Vec<C64>> =
            lay.iter().map(|l| (0..l.1).map(|_| C64::new(r.unit(), r.unit())).collect()).collect();
        let mut bits: Option<Vec<C64>> = None;
        for threads in [1, 2] {
            let mats: Vec<Mat> = mem
                .iter_mut()
                .zip(&lay)
                .map(|(v, l)| Mat { ptr: Ptr(v.as_mut_ptr().cast()), row: l.0[0] * 16, col: l.0[1] * 16 })
                .collect();
            let mut batch = Space::default();
            batch.clear(3);
            let g = Gemm {
                dtype: DType::C64,
                mnk: [m, n, k],
                lhs: mats[0],
                conj_lhs: ca,
                rhs: mats[1],
                conj_rhs: cb,
                out: mats[2],
                batch: &batch,
            };
            // SAFETY: operands cover the loops; the outputs are vectors of their own.
            unsafe { gemm(&Pool::new(threads), &g) };
            assert!(bits.as_ref().is_none_or(|b| *b == mem[2] || b.is_empty()), "round {round} {mnk:?}");
            bits = Some(mem[2].clone());
        }
        for i in 0..m {
            for j in 0..n {
                let conj = |x: C64, c: bool| if c { x.conj() } else { x };
                let want: C64 = (0..k)
                    .map(|p| conj(mem[0][at(&[i, p], &lay[0].0, 0)], ca) * conj(mem[1][at(&[p, j], &lay[1].0, 0)], cb))
                    .sum();
                let got = mem[2][at(&[i, j], &lay[2].0, 0)];
                assert!((got - want).norm() < 1e-11, "round {round} {mnk:?} {i} {j}: {got} {want}");
            }
        }
    }
}
/// All of them.
pub const ALL: &[fn()] = &[
    regions_agree_with_naive_loops,
    reductions_agree_with_naive_loops_for_any_thread_count,
    copies_agree_with_naive_loops,
    gemm_agrees_with_naive_loops,
];
