//! Contractions against naive sums over random axes, orders, strides and dtypes; the same bits for any number of threads,
//! instruction set and way.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use tfc_ir::{C32, C64, DType};

use super::bind::{BoundDot, DotScratch};
use crate::machine::mem::{Buf, Ptr};
use crate::machine::pool::Pool;
use tfc_kernels::vmath::Isa;
use tfc_plan::plan::Dot;
use tfc_plan::space::Space;

/// Repeatable numbers.
struct Rng(u64);
impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
    fn shuffle<T>(&mut self, v: &mut [T]) {
        for i in (1..v.len()).rev() {
            v.swap(i, self.below(i + 1));
        }
    }
}
/// Strides in elements, elements of the storage, place of element `[0, …]`: axes in any order; with `views` also reversed,
/// with gaps, broadcast.
fn layout(r: &mut Rng, dims: &[usize], views: bool) -> (Vec<isize>, usize, usize) {
    let mut order: Vec<usize> = (0..dims.len()).collect();
    r.shuffle(&mut order);
    let (mut s, mut step, mut offset) = (vec![0isize; dims.len()], 1usize, 0);
    for a in order {
        if views && r.below(12) == 0 {
            continue;
        }
        s[a] = step as isize;
        step *= dims[a].max(1) * if views && r.below(6) == 0 { 2 } else { 1 };
        if views && dims[a] > 0 && r.below(8) == 0 {
            offset += s[a] as usize * (dims[a] - 1);
            s[a] = -s[a];
        }
    }
    (s, step, offset)
}
fn indices(dims: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let n: usize = dims.iter().product();
    (0..n).map(|mut i| {
        let mut step = |d: &usize| {
            let x = i % d;
            i /= d;
            x
        };
        dims.iter().map(&mut step).collect()
    })
}
fn place(ix: impl Iterator<Item = usize>, s: &[isize], o: usize) -> usize {
    ix.zip(s).fold(o as isize, |a, (i, &s)| a + i as isize * s) as usize
}
/// A contraction, extents of its factors, layouts of factors and result.
#[derive(Debug)]
struct Case {
    dot: Dot,
    dims: [Vec<usize>; 2],
    shape: Vec<usize>,
    lay: Vec<(Vec<isize>, usize, usize)>,
    given: bool,
}
fn case(r: &mut Rng, sizes: [&[usize]; 3], most: usize) -> Case {
    loop {
        let pick = |r: &mut Rng, n: usize, of: &[usize]| -> Vec<usize> {
            (0..r.below(n)).map(|_| of[r.below(of.len())]).collect()
        };
        let (k, b) = (pick(r, 3, sizes[1]), pick(r, 3, sizes[2]));
        let free = [pick(r, 3, sizes[0]), pick(r, 3, sizes[0])];
        let all = |v: &[usize]| v.iter().map(|&d| d.max(1)).product::<usize>();
        if all(&k) * all(&b) * all(&free[0]) * all(&free[1]) > most {
            continue;
        }
        let side = |r: &mut Rng, f: &[usize]| {
            let mut axes: Vec<(usize, usize)> = (0..k.len()).map(|i| (0, i)).collect();
            axes.extend((0..b.len()).map(|i| (1, i)));
            axes.extend((0..f.len()).map(|i| (2, i)));
            r.shuffle(&mut axes);
            let dims: Vec<usize> = axes.iter().map(|&(c, i)| [&k[..], &b[..], f][c][i]).collect();
            let at = |c: usize| -> Vec<usize> {
                let mut v: Vec<(usize, usize)> =
                    axes.iter().enumerate().filter(|(_, x)| x.0 == c).map(|(p, x)| (x.1, p)).collect();
                v.sort();
                v.into_iter().map(|x| x.1).collect()
            };
            (dims, [at(0), at(1), at(2)])
        };
        let (d0, [k0, b0, _]) = side(r, &free[0]);
        let (d1, [k1, b1, _]) = side(r, &free[1]);
        let rest = |d: &[usize], k: &[usize], b: &[usize]| -> Box<[usize]> {
            (0..d.len()).filter(|a| !k.contains(a) && !b.contains(a)).collect()
        };
        let (f0, f1) = (rest(&d0, &k0, &b0), rest(&d1, &k1, &b1));
        let mut natural: Vec<usize> = f0.iter().map(|&a| d0[a]).chain(f1.iter().map(|&a| d1[a])).collect();
        natural.extend(b0.iter().map(|&a| d0[a]));
        let mut order: Vec<usize> = (0..natural.len()).collect();
        r.shuffle(&mut order);
        let shape: Vec<usize> = order.iter().map(|&i| natural[i]).collect();
        let lay = vec![layout(r, &d0, true), layout(r, &d1, true), layout(r, &shape, false)];
        let dot = Dot {
            args: [0, 1],
            out: 2,
            contract: [k0.into(), k1.into()],
            batch: [b0.into(), b1.into()],
            free: [f0, f1],
            order: order.into(),
            conj: [r.below(2) == 0, r.below(2) == 0],
        };
        return Case { dot, dims: [d0, d1], shape, lay, given: r.below(2) == 0 };
    }
}
/// Runs it; gives the elements of the result in the order of [`indices`].
fn run<T: Copy + Default>(c: &Case, isa: Option<Isa>, threads: usize, dtype: DType, mem: [&[T]; 2]) -> Vec<T> {
    run_small(c, isa, threads, ([dtype; 2], dtype), mem.map(|m| m.as_ptr().cast()))
}
/// The same of factors of these dtypes, whose storages begin at these addresses.
fn run_small<T: Copy + Default>(
    c: &Case,
    isa: Option<Isa>,
    threads: usize,
    dtypes: ([DType; 2], DType),
    mem: [*const u8; 2],
) -> Vec<T> {
    let z = size_of::<T>() as isize;
    let bytes = |s: &[isize], z: isize| s.iter().map(|x| x * z).collect::<Vec<_>>();
    let sizes = dtypes.0.map(DType::size);
    let (a, b) = (bytes(&c.lay[0].0, sizes[0] as isize), bytes(&c.lay[1].0, sizes[1] as isize));
    let o = bytes(&c.lay[2].0, z);
    let dims = [&c.dims[0][..], &c.dims[1][..]];
    let given = c.given.then_some(&o[..]);
    let how = (given, c.dims[0].len().is_multiple_of(2));
    let bound = BoundDot::bind_small((isa, threads == 1), &c.dot, dtypes, dims, [&a, &b], how).unwrap();
    assert!(bound.fits(dims, [&a, &b], given) && !bound.fits(dims, [&a, &[&b[..], &[7]].concat()], given));
    let n = c.lay[2].1;
    let mut out = vec![T::default(); n];
    let mut packs: [Buf; 3] = Default::default();
    packs.iter_mut().zip(bound.scratch()).for_each(|(p, n)| {
        p.ensure(n).unwrap();
    });
    let mut scratch = DotScratch { packs: packs.each_ref().map(Buf::ptr), space: &mut Space::default() };
    let at = |k: usize| Ptr(mem[k].wrapping_add(c.lay[k].2 * sizes[k]).cast_mut());
    // SAFETY: the factors' layouts lie in their storage; a result without given strides is dense.
    unsafe {
        bound.run_into(
            &Pool::new(threads),
            at(0),
            at(1),
            (Ptr(out.as_mut_ptr().cast()), threads > 1),
            &mut scratch,
            None,
        )
    };
    let s: Vec<isize> = bound.strides().iter().map(|x| x / z).collect();
    indices(&c.shape).map(|ix| out[place(ix.into_iter(), &s, 0)]).collect()
}
/// Sums over all contracted indices of what `f` makes of two elements.
fn naive<T: Copy, A>(c: &Case, mem: [&[T]; 2], zero: impl Fn() -> A, f: impl Fn(&mut A, T, T)) -> Vec<A> {
    let d = &c.dot;
    let base = [0, d.free[0].len(), d.free[0].len() + d.free[1].len()];
    // Displacement of a factor for indices along some of its axes.
    let at = |s: usize, axes: &[usize], ix: &[usize]| -> isize {
        axes.iter().zip(ix).map(|(&a, &i)| i as isize * c.lay[s].0[a]).sum()
    };
    let kdims: Vec<usize> = d.contract[0].iter().map(|&a| c.dims[0][a]).collect();
    let sums: Vec<[isize; 2]> = indices(&kdims).map(|k| [0, 1].map(|s| at(s, &d.contract[s], &k))).collect();
    let one = |ix: Vec<usize>| {
        let mut natural = vec![0; ix.len()];
        d.order.iter().zip(&ix).for_each(|(&o, &i)| natural[o] = i);
        let from = [0, 1].map(|s| {
            c.lay[s].2 as isize + at(s, &d.free[s], &natural[base[s]..]) + at(s, &d.batch[s], &natural[base[2]..])
        });
        let mut acc = zero();
        for k in &sums {
            f(&mut acc, mem[0][(from[0] + k[0]) as usize], mem[1][(from[1] + k[1]) as usize]);
        }
        acc
    };
    indices(&c.shape).map(one).collect()
}
const SETS: [Option<Isa>; 4] = [None, Some(Isa::Scalar), Some(Isa::Avx2), Some(Isa::Avx512)];
fn sets() -> impl Iterator<Item = Option<Isa>> {
    SETS.into_iter().filter(|s| s.is_none_or(Isa::available))
}

/// Small integers: exact in every dtype, whatever the order of sums.
fn dot_agrees_with_naive_sums_for_every_dtype() {
    let mut r = Rng(3);
    let sizes: [&[usize]; 3] = [&[0, 1, 1, 2, 3, 5, 8, 17, 33, 70], &[0, 1, 2, 3, 8, 17, 40, 300], &[0, 1, 2, 3, 7]];
    for round in 0..500 {
        let c = case(&mut r, sizes, if round % 9 == 0 { 400_000 } else { 40_000 });
        let ints: Vec<Vec<(i64, i64)>> = c.lay[..2]
            .iter()
            .map(|l| (0..l.1).map(|_| (r.below(9) as i64 - 4, r.below(9) as i64 - 4)).collect())
            .collect();
        let complex = |z: (i64, i64)| C64::new(z.0 as f64, z.1 as f64);
        let conj = |z: C64, s: usize| if c.dot.conj[s] { z.conj() } else { z };
        let want = naive(&c, [&ints[0], &ints[1]], Default::default, |acc: &mut (i64, C64, bool), x, y| {
            acc.0 += x.0 * y.0;
            acc.1 += conj(complex(x), 0) * conj(complex(y), 1);
            acc.2 |= x.0 > 0 && y.0 > 0;
        });
        for isa in sets() {
            macro_rules! check {
                ($($d:ident $t:ty: |$z:ident| $of:expr, |$w:ident| $want:expr;)*) => { $(
                    let mem: Vec<Vec<$t>> = ints.iter().map(|v| v.iter().map(|$z| $of).collect()).collect();
                    let got = run::<$t>(&c, isa, 1 + round % 2, DType::$d, [&mem[0], &mem[1]]);
                    let due: Vec<$t> = want.iter().map(|$w| $want).collect();
                    assert_eq!(got, due, "round {round}, {isa:?}, {c:?}");
                )* };
            }
            check! {
                F32 f32: |z| z.0 as f32, |w| w.0 as f32;
                F64 f64: |z| z.0 as f64, |w| w.0 as f64;
                C32 C32: |z| C32::new(z.0 as f32, z.1 as f32), |w| C32::new(w.1.re as f32, w.1.im as f32);
                C64 C64: |z| complex(*z), |w| w.1;
            }
            check! {
                I32 i32: |z| z.0 as i32, |w| w.0 as i32;
                U32 u32: |z| z.0 as u32, |w| w.0 as u32;
            }
            if isa.is_none() {
                check! {
                    I64 i64: |z| z.0, |w| w.0;
                    U64 u64: |z| z.0 as u64, |w| w.0 as u64;
                    Bool bool: |z| z.0 > 0, |w| w.2;
                }
            }
        }
    }
}

/// Factors that lie in fewer bits: the numbers of the same factors in full, wherever they are widened.
fn small_factors_are_those_in_full() {
    let mut r = Rng(8);
    let small: [&[usize]; 3] = [&[0, 1, 2, 3, 8, 17, 70], &[0, 1, 2, 9, 40, 300], &[0, 1, 2]];
    // Factors that leave the caches in full: vectors, few rows, both long.
    let large: [&[usize]; 3] = [&[1, 1, 3, 20, 1030, 2300], &[64, 300, 1025, 1300], &[1]];
    let mut taken = 0;
    for round in 0..260 {
        let c =
            case(&mut r, if round % 4 == 0 { large } else { small }, if round % 4 == 0 { 40_000_000 } else { 40_000 });
        let ints: Vec<Vec<i8>> = c.lay[..2].iter().map(|l| (0..l.1).map(|_| r.below(15) as i8 - 7).collect()).collect();
        macro_rules! check {
            ($wide:ident $W:ty: $($d:ident $t:ty: |$z:ident| $of:expr;)*) => { $(
                let full: Vec<Vec<$W>> = ints.iter().map(|v| v.iter().map(|&$z| <$W>::from($of)).collect()).collect();
                let less: Vec<Vec<$t>> = ints.iter().map(|v| v.iter().map(|&$z| $of).collect()).collect();
                for isa in sets() {
                    let want = run::<$W>(&c, isa, 1, DType::$wide, [&full[0], &full[1]]);
                    for which in 1..4 {
                        let of = |s: usize| if which >> s & 1 == 1 { (DType::$d, less[s].as_ptr().cast()) } else { (DType::$wide, full[s].as_ptr().cast()) };
                        let (x, y) = (of(0), of(1));
                        let got = run_small::<$W>(&c, isa, 1 + round % 2, ([x.0, y.0], DType::$wide), [x.1, y.1]);
                        assert_eq!(got, want, "round {round}, {isa:?}, {which}, {c:?}");
                        taken += got.len();
                    }
                }
            )* };
        }
        match round % 8 {
            0 | 1 => {
                check! { F32 f32: BF16 tfc_ir::BF16: |z| tfc_ir::BF16::from_f32(z.into()); }
            }
            2 | 3 => {
                check! { F32 f32: F16 tfc_ir::F16: |z| tfc_ir::F16::from_f32(z.into()); }
            }
            4 | 5 => {
                check! { I32 i32: I8 i8: |z| z * 18; I16 i16: |z| i16::from(z); U8 u8: |z| z.unsigned_abs() * 36; }
                check! { U32 u32: U8 u8: |z| z.unsigned_abs() * 36; }
            }
            _ => {
                check! { F32 f32: I8 i8: |z| z; }
            }
        }
    }
    assert!(taken > 100_000);
}

/// Random numbers: close to the sums in twice the precision, the same bits for each instruction set and thread count.
fn dot_has_the_same_bits_for_each_instruction_set_and_thread_count() {
    let mut r = Rng(5);
    let small: [&[usize]; 3] = [&[1, 2, 3, 8, 17, 33, 70], &[1, 2, 5, 31, 64, 300, 600], &[1, 2, 7]];
    let large: [&[usize]; 3] = [&[1, 9, 100, 230, 300, 1100], &[64, 100, 257, 600], &[1, 2]];
    let wide: [&[usize]; 3] = [&[1, 2300], &[1, 3, 8], &[1]];
    let deep: [&[usize]; 3] = [&[1, 2, 3, 9, 17, 33], &[1, 9000, 30_000, 140_000], &[1]];
    let tall: [&[usize]; 3] = [&[7, 17, 24, 60_001], &[1, 9, 24, 40], &[1]];
    for round in 0..160 {
        let heavy = round % 20 == 0;
        let c = if round % 20 == 1 {
            case(&mut r, wide, 12_000_000)
        } else if round % 10 == 2 {
            case(&mut r, if round % 20 == 2 { deep } else { tall }, 40_000_000)
        } else if heavy {
            case(&mut r, large, 12_000_000)
        } else {
            case(&mut r, small, 200_000)
        };
        macro_rules! check {
            ($d:ident $t:ty) => {
                let mem: Vec<Vec<$t>> = c.lay[..2]
                    .iter()
                    .map(|l| (0..l.1).map(|_| (r.below(1 << 20) as f64 / (1 << 19) as f64 - 1.0) as $t).collect())
                    .collect();
                let got: Vec<Vec<$t>> = sets()
                    .flatten()
                    .flat_map(|i| [(i, 1), (i, 2)])
                    .map(|(i, threads)| run(&c, Some(i), threads, DType::$d, [&mem[0], &mem[1]]))
                    .collect();
                for g in &got[1..] {
                    assert!(g.iter().zip(&got[0]).all(|(x, y)| x.to_bits() == y.to_bits()), "round {round}, {c:?}");
                }
                let want = naive(&c, [&mem[0], &mem[1]], Default::default, |acc: &mut (f64, f64), x, y| {
                    acc.0 += x as f64 * y as f64;
                    acc.1 += (x as f64 * y as f64).abs();
                });
                for (g, w) in got[0].iter().zip(&want) {
                    let error = (*g as f64 - w.0).abs();
                    assert!(error <= 64.0 * w.1 * <$t>::EPSILON as f64, "round {round}: {g} {w:?}, {c:?}");
                }
            };
        }
        check!(F64 f64);
        check!(F32 f32);
        // Integers of 32 bits, or the least and largest of 16 and of 8, for which there are other instructions.
        let number = |r: &mut Rng| match round % 3 {
            0 => (r.below(1 << 31) as i32).wrapping_mul(if r.below(2) == 0 { 1 } else { -2 }),
            1 => [-32768, 32767, -32768, -1, 0, 255][r.below(6)],
            _ => [-128, 127, -128, -1, 0, 127, 99][r.below(7)],
        };
        let mem: Vec<Vec<i32>> = c.lay[..2].iter().map(|l| (0..l.1).map(|_| number(&mut r)).collect()).collect();
        let want =
            naive(&c, [&mem[0], &mem[1]], || 0, |acc: &mut i32, x, y| *acc = acc.wrapping_add(x.wrapping_mul(y)));
        for isa in sets() {
            for threads in [1, 2] {
                let got = run(&c, isa, threads, DType::I32, [&mem[0], &mem[1]]);
                assert!(got == want, "round {round}, {isa:?}, {threads} threads, {c:?}");
            }
        }
        if round % 3 == 0 && !heavy {
            let mem: Vec<Vec<C32>> = c.lay[..2]
                .iter()
                .map(|l| (0..l.1).map(|_| C32::new(r.below(1 << 20) as f32 / 7.0, r.below(99) as f32)).collect())
                .collect();
            let got: Vec<Vec<C32>> = sets()
                .flatten()
                .flat_map(|i| [(i, 1), (i, 2)])
                .map(|(i, threads)| run(&c, Some(i), threads, DType::C32, [&mem[0], &mem[1]]))
                .collect();
            let bits = |v: &[C32]| v.iter().map(|z| (z.re.to_bits(), z.im.to_bits())).collect::<Vec<_>>();
            assert!(got.iter().all(|g| bits(g) == bits(&got[0])), "round {round}, {c:?}");
        }
    }
}
/// All of them.
pub const ALL: &[fn()] = &[
    dot_agrees_with_naive_sums_for_every_dtype,
    small_factors_are_those_in_full,
    dot_has_the_same_bits_for_each_instruction_set_and_thread_count,
];
