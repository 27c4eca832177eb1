//! Copies against a naive loop: every instruction set of the machine, every element size, permuted, reversed, stepped and
//! broadcast views, extents 0 and 1, any alignment; nothing beside the destination's elements changes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;

/// A small generator of repeatable numbers.
struct Rng(u64);
impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}
/// A view: byte strides, bytes of the memory it needs, offset of its first element.
struct View {
    strides: Vec<isize>,
    room: usize,
    first: usize,
}
/// A view of `dims` with axes in random order, sometimes padded, stepped or reversed, and, if `shared`, broadcast.
fn view(r: &mut Rng, dims: &[usize], size: usize, shared: bool, plain: bool) -> View {
    loop {
        let v = any_view(r, dims, size, shared, plain);
        if v.room <= 64 << 20 {
            return v;
        }
    }
}
fn any_view(r: &mut Rng, dims: &[usize], size: usize, shared: bool, plain: bool) -> View {
    let mut order: Vec<usize> = (0..dims.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, r.below(i + 1));
    }
    let mut v = View { strides: vec![0; dims.len()], room: size, first: 0 };
    let mut step = size;
    for a in order {
        if shared && r.one_in(6) {
            continue;
        }
        if !plain && r.one_in(5) {
            step *= 1 + r.below(4);
        }
        v.strides[a] = step as isize;
        let span = step * dims[a].saturating_sub(1);
        v.room += span;
        if !plain && r.one_in(5) {
            v.strides[a] = -v.strides[a];
            v.first += span;
        }
        step *= dims[a].max(1);
        if !plain && r.one_in(5) {
            step += size * r.below(20);
        }
    }
    v
}
fn shape(r: &mut Rng, most: usize) -> Vec<usize> {
    const EXTENTS: [usize; 16] = [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 64, 130, 257, 1100];
    loop {
        let low = usize::from(!r.one_in(20));
        let d: Vec<usize> = (0..1 + r.below(6)).map(|_| EXTENTS[low + r.below(EXTENTS.len() - low)]).collect();
        if d.iter().map(|&n| n.max(1)).product::<usize>() <= most {
            return d;
        }
    }
}
/// Memory filled with numbers, whose part `at..` has any alignment that elements of the size may have.
fn memory(r: &mut Rng, room: usize, size: usize) -> (Vec<u64>, usize) {
    let n = room / 8 + 40;
    let shift = r.below(if size == 1 { 64 } else { 128 / size.min(8) }) * size.min(8);
    ((0..n).map(|_| r.0.wrapping_add(r.below(1 << 30) as u64)).collect(), shift)
}
fn offsets(dims: &[usize], strides: &[isize]) -> Vec<isize> {
    let mut v = vec![0];
    for (&d, &s) in dims.iter().zip(strides) {
        v = (0..d as isize).flat_map(|i| v.iter().map(move |o| o + i * s)).collect();
    }
    v
}
fn bytes(v: &[u64]) -> &[u8] {
    // SAFETY: any bytes are bytes.
    unsafe { std::slice::from_raw_parts(v.as_ptr().cast(), v.len() * 8) }
}
fn check(r: &mut Rng, how: How, pool: &Pool, dims: &[usize], size: usize, plain: bool) {
    let (from, to) = (view(r, dims, size, !plain, plain), view(r, dims, size, false, plain));
    let ((src, so), (mut dst, to_shift)) = (memory(r, from.room, size), memory(r, to.room, size));
    let mut want = bytes(&dst).to_vec();
    for (o, i) in offsets(dims, &to.strides).into_iter().zip(offsets(dims, &from.strides)) {
        let (o, i) = ((to_shift + to.first) as isize + o, (so + from.first) as isize + i);
        want[o as usize..][..size].copy_from_slice(&bytes(&src)[i as usize..][..size]);
    }
    let p = Ptr(dst.as_mut_ptr().cast()).at((to_shift + to.first) as isize);
    let q = Ptr(src.as_ptr().cast_mut().cast()).at((so + from.first) as isize);
    let (d, f) = (At { ptr: p, strides: &to.strides }, At { ptr: q, strides: &from.strides });
    // SAFETY: both views lie in memory of their own.
    unsafe { copy_nd_as(how, pool, &mut Space::default(), dims, d, f, size) };
    if bytes(&dst) != want {
        let at = bytes(&dst).iter().zip(&want).position(|(a, b)| a != b);
        panic!("{how:?} {dims:?} size {size}: {:?} <- {:?}, byte {at:?}", to.strides, from.strides);
    }
}
fn ways() -> impl Iterator<Item = How> {
    let sets = Isa::ALL.into_iter().filter(|i| i.available());
    sets.flat_map(|isa| [false, true].map(|stream| How { isa, stream }))
}

fn small_views_of_any_layout() {
    let (mut r, pool) = (Rng(5), Pool::new(1));
    for how in ways() {
        for round in 0..500 {
            let dims = shape(&mut r, 1 << (4 + round % 10));
            check(&mut r, how, &pool, &dims, [1, 4, 8, 16][round % 4], round % 3 == 0);
        }
    }
}
fn large_views_of_any_layout_and_two_threads() {
    let (mut r, pool) = (Rng(9), Pool::new(2));
    for how in ways() {
        for round in 0..12 {
            let size = [1, 4, 8, 16][round % 4];
            let dims = loop {
                let d = shape(&mut r, (5 << 20) / size);
                if d.iter().product::<usize>() * size > 1 << 20 {
                    break d;
                }
            };
            check(&mut r, how, &pool, &dims, size, round % 3 != 0);
        }
    }
}
/// Shapes that take particular ways: whole lines, rows off alignment that are staged, many short axes, short runs.
fn transposes_of_particular_shapes() {
    let (mut r, pool) = (Rng(2), Pool::new(2));
    let shapes: [&[usize]; 9] = [
        &[1024, 640],
        &[1023, 641],
        &[1 << 18, 3],
        &[3, 700, 300],
        &[16, 8, 16, 8, 16, 3],
        &[2; 19],
        &[5; 8],
        &[6, 1000, 100],
        &[700, 2, 400],
    ];
    for how in ways().filter(|h| h.stream) {
        for dims in shapes {
            for size in [1, 4, 8, 16] {
                check(&mut r, how, &pool, dims, size, true);
            }
        }
    }
}
fn runs_of_any_step_and_length() {
    let mut r = Rng(77);
    for round in 0..4000 {
        let (size, n) = ([1, 4, 8, 16][round % 4], r.below(150));
        let step = r.below(21) as isize - 10;
        let (ds, ss) = (if r.one_in(3) { 3 * size as isize } else { size as isize }, step * size as isize);
        let room = n.max(1) * size * 10 + size;
        let ((src, so), (mut dst, to)) = (memory(&mut r, room, size), memory(&mut r, room, size));
        let start = so + if step < 0 { step.unsigned_abs() * size * n.saturating_sub(1) } else { 0 };
        let mut want = bytes(&dst).to_vec();
        for i in 0..n {
            let from = (start as isize + i as isize * ss) as usize;
            want[to + i * ds as usize..][..size].copy_from_slice(&bytes(&src)[from..][..size]);
        }
        let (p, q) = (Ptr(dst.as_mut_ptr().cast()).at(to as isize), bytes(&src)[start..].as_ptr());
        // SAFETY: both runs lie in memory of their own.
        unsafe { copy_run(p.0, ds, q, ss, n, size) };
        assert_eq!(bytes(&dst), want, "{n} elements of {size}, steps {ds} and {ss}");
    }
}
fn fills_reach_every_element() {
    let (mut r, pool) = (Rng(6), Pool::new(2));
    for round in 0..300 {
        let (size, dims) = ([1, 4, 8, 16][round % 4], shape(&mut r, 1 << (4 + round % 18)));
        let to = view(&mut r, &dims, size, false, false);
        let (mut dst, shift) = memory(&mut r, to.room, size);
        let mut want = bytes(&dst).to_vec();
        let x: [u8; 16] = std::array::from_fn(|i| 100 + i as u8);
        for o in offsets(&dims, &to.strides) {
            want[((shift + to.first) as isize + o) as usize..][..size].copy_from_slice(&x[..size]);
        }
        let p = Ptr(dst.as_mut_ptr().cast()).at((shift + to.first) as isize);
        // SAFETY: the view lies in its memory.
        unsafe {
            let at = At { ptr: p, strides: &to.strides };
            fill_nd(&pool, &mut Space::default(), &dims, at, x.as_ptr(), size);
        }
        assert!(bytes(&dst) == want, "{dims:?} size {size} {:?}", to.strides);
    }
}
/// All of them.
pub const ALL: &[fn()] = &[
    small_views_of_any_layout,
    large_views_of_any_layout_and_two_threads,
    transposes_of_particular_shapes,
    runs_of_any_step_and_length,
    fills_reach_every_element,
];
