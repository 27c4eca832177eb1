//! The loops around scalar functions. An element function is a zero-sized type, so every loop is monomorphic.
//!
//! Cheap functions have loops over slices for the usual strides, compiled for the base instruction set and for AVX2, which machines
//! with AVX-512 take too (what is fused is generated code there): slices that cannot overlap are what LLVM vectorises without
//! checks. Work in place goes through a copy of a piece at a time. Other strides and library functions get one plain loop.
use crate::isa::Isa;
use crate::kernel::{Kernel, KernelFn, Src};
use std::mem::MaybeUninit;
use std::slice::from_raw_parts;
use tfc_ir::{DType, Element};

/// Elements that are copied at a time where an operand is also the result.
const PIECE: usize = 256;

/// A function of one element.
pub(super) trait Un {
    type A: Element;
    type R: Element;
    const CHEAP: bool;
    fn f(a: Self::A) -> Self::R;
}
/// A function of two elements of one type.
pub(super) trait Bin {
    type A: Element;
    type R: Element;
    const CHEAP: bool;
    fn f(a: Self::A, b: Self::A) -> Self::R;
}
/// A function of three elements, the first of another type.
pub(super) trait Ter {
    type P: Element;
    type A: Element;
    fn f(p: Self::P, a: Self::A, b: Self::A) -> Self::A;
}

/// An operand as a loop reads it: a slice, or one value.
trait Get<T: Copy>: Copy {
    /// Element `i`.
    ///
    /// # Safety
    /// A slice is longer than `i`.
    unsafe fn at(self, i: usize) -> T;
}
impl<T: Copy> Get<T> for &[T] {
    #[inline(always)]
    unsafe fn at(self, i: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { *self.get_unchecked(i) }
    }
}
/// One value for every element.
#[derive(Clone, Copy)]
struct One<T>(T);
impl<T: Copy> Get<T> for One<T> {
    #[inline(always)]
    unsafe fn at(self, _: usize) -> T {
        self.0
    }
}
type Out<R> = [MaybeUninit<R>];

/// The instruction sets that cheap loops are compiled for, as numbers for const generics.
const BASE: u8 = 0;
#[cfg(target_arch = "x86_64")]
const AVX2: u8 = 1;

/// Loops over slices, in two versions each. (Their parameters carry the promise of no overlap; that of a function that
/// is inlined before LLVM sees it would be lost.)
macro_rules! loops {
    ($($run:ident $base:ident $avx2:ident <$($G:ident),*> $K:ident($($x:ident: $T:ty),*) $R:ident;)*) => { $(
        #[inline(never)]
        unsafe fn $base<K: $K $(, $G: Get<$T>)*>($($x: $G,)* out: &mut Out<K::$R>) {
            for i in 0..out.len() {
                // SAFETY: operands have the length of the result.
                unsafe { out.get_unchecked_mut(i).write(K::f($($x.at(i)),*)) };
            }
        }
        #[cfg(target_arch = "x86_64")]
        #[inline(never)]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn $avx2<K: $K $(, $G: Get<$T>)*>($($x: $G,)* out: &mut Out<K::$R>) {
            for i in 0..out.len() {
                // SAFETY: operands have the length of the result.
                unsafe { out.get_unchecked_mut(i).write(K::f($($x.at(i)),*)) };
            }
        }
        /// # Safety
        /// Slices are as long as `out`; the machine has the instruction set `L`.
        #[inline(always)]
        unsafe fn $run<const L: u8, K: $K $(, $G: Get<$T>)*>($($x: $G,)* out: &mut Out<K::$R>) {
            // SAFETY: passed on.
            unsafe {
                match L {
                    #[cfg(target_arch = "x86_64")]
                    AVX2 => $avx2::<K $(, $G)*>($($x,)* out),
                    _ => $base::<K $(, $G)*>($($x,)* out),
                }
            }
        }
    )* };
}
loops! {
    dense1 dense1_base dense1_avx2 <F> Un(x: K::A) R;
    dense2 dense2_base dense2_avx2 <F, G> Bin(x: K::A, y: K::A) R;
    dense3 dense3_base dense3_avx2 <F, G, H> Ter(p: K::P, x: K::A, y: K::A) A;
}

/// A loop over an operand that is also the result (elements of one size).
///
/// # Safety
/// `n` elements are there to be read and to be written; the machine has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
unsafe fn own1_avx2<K: Un>(d: *mut K::R, n: usize) {
    for i in 0..n {
        // SAFETY: the caller's promise.
        unsafe { d.add(i).write(K::f(d.cast::<K::A>().add(i).read())) };
    }
}
/// The same of two operands, of which the other one is the first if `FLIP`.
///
/// # Safety
/// As [`own1_avx2`]; a slice has `n` elements.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
unsafe fn own2_avx2<K: Bin, G: Get<K::A>, const FLIP: bool>(d: *mut K::R, y: G, n: usize) {
    for i in 0..n {
        // SAFETY: the caller's promise.
        unsafe {
            let (x, y) = (d.cast::<K::A>().add(i).read(), y.at(i));
            d.add(i).write(if FLIP { K::f(y, x) } else { K::f(x, y) });
        }
    }
}
/// `d[i] = f(d[i])`, if there is a loop for it.
///
/// # Safety
/// `n` elements are there to be read and, of the same size, to be written; the machine has the instruction set `L`.
#[inline(always)]
unsafe fn own1<K: Un, const L: u8>(d: *mut K::R, n: usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        match L {
            #[cfg(target_arch = "x86_64")]
            AVX2 if size_of::<K::A>() == size_of::<K::R>() => own1_avx2::<K>(d, n),
            _ => {
                let _ = (d, n);
                return false;
            }
        }
    }
    true
}
/// `d[i] = f(d[i], y)` or flipped, if there is a loop for it.
///
/// # Safety
/// As [`own1`]; a slice has `n` elements.
#[inline(always)]
unsafe fn own2<K: Bin, G: Get<K::A>, const FLIP: bool, const L: u8>(d: *mut K::R, y: G, n: usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        match L {
            #[cfg(target_arch = "x86_64")]
            AVX2 if size_of::<K::A>() == size_of::<K::R>() => own2_avx2::<K, G, FLIP>(d, y, n),
            _ => {
                let _ = (d, y, n);
                return false;
            }
        }
    }
    true
}

/// `n` writable elements at `d`.
///
/// # Safety
/// They are, and nothing else refers to them.
#[inline(always)]
unsafe fn out<'a, R>(d: *mut R, n: usize) -> &'a mut Out<R> {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(d.cast::<MaybeUninit<R>>(), n) }
}
/// Room for a piece of an operand.
type Room<T> = [MaybeUninit<T>; PIECE];
fn room<T>() -> Room<T> {
    [const { MaybeUninit::uninit() }; PIECE]
}
/// `n` elements from `p` on, copied to `room`.
///
/// # Safety
/// They are readable; `n <= PIECE`.
#[inline(always)]
unsafe fn copied<T>(p: *const T, n: usize, room: &mut Room<T>) -> &[T] {
    // SAFETY: the room has space for them and holds them then.
    unsafe {
        std::ptr::copy_nonoverlapping(p, room.as_mut_ptr().cast::<T>(), n);
        from_raw_parts(room.as_ptr().cast::<T>(), n)
    }
}

/// # Safety
/// As [`Kernel::run`], on a machine with the instruction set `L`.
unsafe fn run1<K: Un, const L: u8>(n: usize, s: &[Src; 3], dst: *mut u8) {
    let (a, d) = (s[0].ptr.cast::<K::A>(), dst.cast::<K::R>());
    // SAFETY: the caller's promise.
    unsafe {
        match s[0].stride {
            1 if K::CHEAP && a.cast() != dst.cast_const() => dense1::<L, K, _>(from_raw_parts(a, n), out(d, n)),
            1 if K::CHEAP && own1::<K, L>(d, n) => (),
            1 if K::CHEAP => {
                let mut space = room();
                for i in (0..n).step_by(PIECE) {
                    let k = PIECE.min(n - i);
                    dense1::<L, K, _>(copied(a.add(i), k, &mut space), out(d.add(i), k));
                }
            }
            st => strided1::<K>(n, a, st, d),
        }
    }
}
/// The loop for every stride, and of functions that are not cheap: one for all instruction sets, which would only repeat it.
///
/// # Safety
/// As [`Kernel::run`].
#[inline(never)]
unsafe fn strided1<K: Un>(n: usize, a: *const K::A, st: isize, d: *mut K::R) {
    // SAFETY: the caller's promise.
    unsafe {
        if st == 0 && n > 0 {
            let r = K::f(a.read());
            (0..n).for_each(|i| d.add(i).write(r));
            return;
        }
        (0..n).for_each(|i| d.add(i).write(K::f(a.offset(i as isize * st).read())));
    }
}

/// # Safety
/// As [`Kernel::run`], on a machine with the instruction set `L`.
unsafe fn run2<K: Bin, const L: u8>(n: usize, s: &[Src; 3], dst: *mut u8) {
    let (a, b, d) = (s[0].ptr.cast::<K::A>(), s[1].ptr.cast::<K::A>(), dst.cast::<K::R>());
    let own = [0, 1].map(|k| s[k].stride == 1 && s[k].ptr == dst.cast_const());
    // SAFETY: the caller's promise.
    unsafe {
        match (s[0].stride, s[1].stride) {
            (1, 1) if K::CHEAP && own == [true, false] && own2::<K, _, false, L>(d, from_raw_parts(b, n), n) => (),
            (1, 1) if K::CHEAP && own == [false, true] && own2::<K, _, true, L>(d, from_raw_parts(a, n), n) => (),
            (1, 0) if K::CHEAP && own[0] && n > 0 && own2::<K, _, false, L>(d, One(b.read()), n) => (),
            (0, 1) if K::CHEAP && own[1] && n > 0 && own2::<K, _, true, L>(d, One(a.read()), n) => (),
            (0 | 1, 0 | 1) if K::CHEAP && (own[0] || own[1]) => {
                let mut space = [room(), room()];
                for i in (0..n).step_by(PIECE) {
                    let k = PIECE.min(n - i);
                    let [p, q] = &mut space;
                    let x = if own[0] { copied(a.add(i), k, p).as_ptr() } else { a.offset(i as isize * s[0].stride) };
                    let y = if own[1] { copied(b.add(i), k, q).as_ptr() } else { b.offset(i as isize * s[1].stride) };
                    slices2::<K, L>(k, [x, y], [s[0].stride, s[1].stride], d.add(i));
                }
            }
            (0, 1) | (1, 0 | 1) if K::CHEAP => slices2::<K, L>(n, [a, b], [s[0].stride, s[1].stride], d),
            strides => strided2::<K>(n, [a, b], strides, d),
        }
    }
}
/// The loop of a function of two operands that is not cheap.
///
/// # Safety
/// As [`Kernel::run`].
pub(super) unsafe fn plain2<K: Bin>(n: usize, s: &[Src; 3], dst: *mut u8) {
    // SAFETY: passed on.
    unsafe { run2::<K, BASE>(n, s, dst) }
}
/// As [`strided1`], of two operands.
///
/// # Safety
/// As [`Kernel::run`].
#[inline(never)]
unsafe fn strided2<K: Bin>(n: usize, [a, b]: [*const K::A; 2], (sa, sb): (isize, isize), d: *mut K::R) {
    for i in 0..n as isize {
        // SAFETY: the caller's promise.
        unsafe { d.offset(i).write(K::f(a.offset(i * sa).read(), b.offset(i * sb).read())) };
    }
}
/// # Safety
/// As [`run2`]; strides are 0 or 1, not both 0; the result overlaps no operand.
#[inline(always)]
unsafe fn slices2<K: Bin, const L: u8>(n: usize, [a, b]: [*const K::A; 2], strides: [isize; 2], d: *mut K::R) {
    if n == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe {
        let d = out(d, n);
        match strides {
            [1, 1] => dense2::<L, K, _, _>(from_raw_parts(a, n), from_raw_parts(b, n), d),
            [1, _] => dense2::<L, K, _, _>(from_raw_parts(a, n), One(b.read()), d),
            _ => dense2::<L, K, _, _>(One(a.read()), from_raw_parts(b, n), d),
        }
    }
}

/// # Safety
/// As [`Kernel::run`], on a machine with the instruction set `L`.
unsafe fn run3<K: Ter, const L: u8>(n: usize, s: &[Src; 3], dst: *mut u8) {
    let (p, a, b) = (s[0].ptr.cast::<K::P>(), s[1].ptr.cast::<K::A>(), s[2].ptr.cast::<K::A>());
    let (d, st) = (dst.cast::<K::A>(), [0, 1, 2].map(|k| s[k].stride));
    let own = [0, 1, 2].map(|k| s[k].stride == 1 && s[k].ptr == dst.cast_const());
    // SAFETY: the caller's promise.
    unsafe {
        match (st[0], st[1], st[2]) {
            (0 | 1, 0 | 1, 0 | 1) if own.contains(&true) => {
                let (mut space, mut more) = (room(), [room(), room()]);
                for i in (0..n).step_by(PIECE) {
                    let (k, j) = (PIECE.min(n - i), i as isize);
                    let [q, r] = &mut more;
                    let c = if own[0] { copied(p.add(i), k, &mut space).as_ptr() } else { p.offset(j * st[0]) };
                    let x = if own[1] { copied(a.add(i), k, q).as_ptr() } else { a.offset(j * st[1]) };
                    let y = if own[2] { copied(b.add(i), k, r).as_ptr() } else { b.offset(j * st[2]) };
                    slices3::<K, L>(k, c, [x, y], st, d.add(i));
                }
            }
            (0 | 1, 0 | 1, 0 | 1) => slices3::<K, L>(n, p, [a, b], st, d),
            strides => strided3::<K>(n, p, [a, b], strides, d),
        }
    }
}
/// As [`strided1`], of three operands.
///
/// # Safety
/// As [`Kernel::run`].
#[inline(never)]
unsafe fn strided3<K: Ter>(
    n: usize,
    p: *const K::P,
    [a, b]: [*const K::A; 2],
    (sp, sa, sb): (isize, isize, isize),
    d: *mut K::A,
) {
    for i in 0..n as isize {
        // SAFETY: the caller's promise.
        unsafe { d.offset(i).write(K::f(p.offset(i * sp).read(), a.offset(i * sa).read(), b.offset(i * sb).read())) };
    }
}
/// # Safety
/// As [`run3`]; strides are 0 or 1; the result overlaps no operand.
#[inline(always)]
unsafe fn slices3<K: Ter, const L: u8>(
    n: usize,
    p: *const K::P,
    [a, b]: [*const K::A; 2],
    strides: [isize; 3],
    d: *mut K::A,
) {
    if n == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe {
        let d = out(d, n);
        match strides {
            [1, 1, 1] => dense3::<L, K, _, _, _>(from_raw_parts(p, n), from_raw_parts(a, n), from_raw_parts(b, n), d),
            [1, 1, 0] => dense3::<L, K, _, _, _>(from_raw_parts(p, n), from_raw_parts(a, n), One(b.read()), d),
            [1, 0, 1] => dense3::<L, K, _, _, _>(from_raw_parts(p, n), One(a.read()), from_raw_parts(b, n), d),
            [1, 0, 0] => dense3::<L, K, _, _, _>(from_raw_parts(p, n), One(a.read()), One(b.read()), d),
            [0, 1, 0] => dense3::<L, K, _, _, _>(One(p.read()), from_raw_parts(a, n), One(b.read()), d),
            [0, 1, 1] => dense3::<L, K, _, _, _>(One(p.read()), from_raw_parts(a, n), from_raw_parts(b, n), d),
            [0, 0, 1] => dense3::<L, K, _, _, _>(One(p.read()), One(a.read()), from_raw_parts(b, n), d),
            [_, sa, sb] => {
                let p = p.read();
                for (i, d) in d.iter_mut().enumerate() {
                    d.write(K::f(p, a.offset(i as isize * sa).read(), b.offset(i as isize * sb).read()));
                }
            }
        }
    }
}

/// The instruction set that the vector math uses too.
fn level() -> u8 {
    match Isa::chosen() {
        #[cfg(target_arch = "x86_64")]
        Some(Isa::Avx512 | Isa::Avx2) => AVX2,
        _ => BASE,
    }
}
macro_rules! pick {
    ($cheap:expr, $run:ident) => {{
        let f: KernelFn = match if $cheap { level() } else { BASE } {
            #[cfg(target_arch = "x86_64")]
            AVX2 => $run::<K, AVX2>,
            _ => $run::<K, BASE>,
        };
        f
    }};
}

impl Kernel {
    pub(super) fn of1<K: Un>() -> Kernel {
        let f = pick!(K::CHEAP, run1);
        Kernel { f, arity: 1, from: [K::A::DTYPE, DType::Bool, DType::Bool], to: K::R::DTYPE, cheap: K::CHEAP }
    }
    pub(super) fn of2<K: Bin>() -> Kernel {
        let f = pick!(K::CHEAP, run2);
        Kernel { f, arity: 2, from: [K::A::DTYPE, K::A::DTYPE, DType::Bool], to: K::R::DTYPE, cheap: K::CHEAP }
    }
    pub(super) fn of3<K: Ter>() -> Kernel {
        let f = pick!(true, run3);
        Kernel { f, arity: 3, from: [K::P::DTYPE, K::A::DTYPE, K::A::DTYPE], to: K::A::DTYPE, cheap: true }
    }
}
