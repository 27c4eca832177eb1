//! Blocks against a naive loop: operands of all sizes in any order of axes, reversed, padded and broadcast, one or two
//! outputs; also in place.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;

struct Rng(u64);
impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}
/// Byte strides of `dims` in that order of axes, the bytes they need, and the offset of the first element.
fn layout(r: &mut Rng, dims: &[usize], order: &[usize], size: usize, role: Role) -> (Vec<isize>, usize, usize) {
    let (mut s, mut step, mut first) = (vec![0isize; dims.len()], size, 0);
    for &a in order {
        if role == Role::In && r.below(6) == 0 {
            continue;
        }
        s[a] = step as isize;
        if role == Role::In && r.below(6) == 0 {
            first += step * (dims[a] - 1);
            s[a] = -s[a];
        }
        step *= dims[a];
        step += if r.below(8) == 0 { size * r.below(30) } else { 0 };
    }
    (s, step, first)
}
fn offsets(dims: &[usize], strides: &[isize]) -> Vec<isize> {
    let mut v = vec![0];
    for (&d, &s) in dims.iter().zip(strides) {
        v = (0..d as isize).flat_map(|i| v.iter().map(move |o| o + i * s)).collect();
    }
    v
}
fn shape(r: &mut Rng, most: usize) -> Vec<usize> {
    const EXTENTS: [usize; 14] = [2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 64, 130, 515, 1100];
    loop {
        let d: Vec<usize> = (0..2 + r.below(4)).map(|_| EXTENTS[r.below(EXTENTS.len())]).collect();
        if (LEAST..=most).contains(&d.iter().product()) {
            return d;
        }
    }
}

/// Every output element is the sum of the inputs' first bytes, and the number of the output, in all its bytes.
fn blocks_agree_with_naive_loops() {
    let mut r = Rng(3);
    let mut ran = 0;
    for round in 0..500 {
        let dims = shape(&mut r, if round % 10 == 0 { 1_500_000 } else { 60_000 });
        let mut orders: Vec<Vec<usize>> = vec![];
        let outs = 1 + usize::from(r.below(3) == 0);
        let kinds: Vec<(usize, Role)> = (0..outs + 1 + r.below(3))
            .map(|k| ([1, 4, 8, 16, 4][r.below(5)], if k < outs { Role::Out } else { Role::In }))
            .collect();
        let mut memory = vec![];
        let mut layouts = vec![];
        for &(size, role) in &kinds {
            let mut order: Vec<usize> = (0..dims.len()).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, r.below(i + 1));
            }
            if r.below(4) == 0 && !orders.is_empty() {
                order = orders[0].clone();
            }
            let (s, room, first) = layout(&mut r, &dims, &order, size, role);
            orders.push(order);
            memory.push((0..room + 64).map(|_| r.below(256) as u8).collect::<Vec<u8>>());
            layouts.push((s, first));
        }
        let n = kinds.len();
        let mut s = Space::default();
        s.clear(n);
        (0..dims.len()).for_each(|a| s.push(dims[a], false, |k| layouts[k].0[a]));
        s.sort_by_key(|s, l| s.stride(l, 0).unsigned_abs());
        s.collapse();
        let Some(b) = Blocks::bind(&s, &kinds) else { continue };
        ran += 1;
        let places: Vec<Vec<isize>> = layouts.iter().map(|l| offsets(&dims, &l.0)).collect();
        // In place: an input that has the output's layout and size is the output.
        let same = (outs..n).find(|&k| outs == 1 && layouts[k] == layouts[0] && kinds[k].0 == kinds[0].0);
        if let Some(k) = same {
            memory[k] = memory[0].clone();
        }
        let mut want = memory.clone();
        for i in 0..places[0].len() {
            let at = |k: usize| (places[k][i] + layouts[k].1 as isize) as usize;
            let sum = (outs..n).fold(0u8, |a, k| a.wrapping_add(memory[k][at(k)]));
            for k in 0..outs {
                want[k][at(k)..][..kinds[k].0].fill(sum.wrapping_add(k as u8));
            }
        }
        let ptr: Vec<Ptr> = memory.iter_mut().zip(&layouts).map(|(m, l)| Ptr(m[l.1..].as_mut_ptr())).collect();
        let base = |k: usize| if Some(k) == same { ptr[0] } else { ptr[k] };
        let mut mem = vec![0u64; b.scratch() / 8 + 16];
        let at = Ptr(mem.as_mut_ptr().cast());
        let mem = at.at(at.0.align_offset(64) as isize);
        let f = |x: &[Src], m: usize| {
            assert!(m <= 1000);
            for i in 0..m as isize {
                // SAFETY: operands have `m` elements, or one for all.
                unsafe {
                    let p = |k: usize| x[k].ptr.offset(i * x[k].stride * kinds[k].0 as isize);
                    let sum = (outs..n).fold(0u8, |a, k| a.wrapping_add(*p(k)));
                    for k in 0..outs {
                        p(k).cast_mut().write_bytes(sum.wrapping_add(k as u8), kinds[k].0);
                    }
                }
            }
        };
        for i in (0..b.pieces()).rev() {
            // SAFETY: operands cover the loops; the outputs are memory of their own.
            unsafe { b.run(i, 1000, base, mem, f) };
        }
        for k in 0..outs {
            assert!(memory[k] == want[k], "round {round}: {dims:?} {kinds:?} {layouts:?}, output {k}");
        }
    }
    assert!(ran > 200, "{ran} of the shapes were cut into blocks");
}
/// All of them.
pub const ALL: &[fn()] = &[blocks_agree_with_naive_loops];
