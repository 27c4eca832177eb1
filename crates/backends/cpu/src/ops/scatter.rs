//! `scatter`: on one thread, updates in the order in which they take effect. Where windows have one element along every
//! axis that indices move them on, two updates of one element lie at the same place of their windows: then a window's
//! loops may run inside, and only the order of the windows matters.
use std::sync::Arc;

use tfc_ir::ops::index::IndexDims;
use tfc_ir::{C32 as Z1, C64 as Z2, Code, DType, Error, Result, ops};

use super::gather::{OUTSIDE, Places, Window};
use super::singles::{Chunk, PutFn, Singles};
use super::{Rows, misfit};
use crate::compiled::Compiled;
use crate::copy::{At, Ready};
use crate::kernel::{Bound, Kernel, KernelCx, Site};
use crate::machine::mem::Ptr;
use crate::run::frame::{Ctx, Frame};
use tfc_kernels::scalar::num::Real;
use tfc_plan::plan::{Inner, Slot};
use tfc_plan::space::Space;

/// Kernels of the family.
pub(crate) const CORE: Rows = &[(&ops::index::SCATTER, scatter)];

fn scatter(site: &Site) -> Result<Arc<dyn Kernel>> {
    let (Some(x), Some(index), Some(u)) = (site.operand(0), site.operand(1), site.operand(2)) else {
        return Err(misfit(site));
    };
    let a = site.attrs();
    let dims = IndexDims::of_scatter(a, index);
    let sizes = dims.window_axes(x.rank()).into_iter().zip(&dims.window).map(|(a, &w)| (a, u.dims[w].as_exact()));
    let disjoint = sizes.into_iter().all(|(a, n)| n == Some(1) || !dims.map.contains(&a));
    let places = Places { dims, clamp: a.word("out_of_bounds") == Some("clamp") };
    if !site.op().regions.is_empty() {
        return Ok(Arc::new(ByRegion { places }));
    }
    let combine = a.word("combine").unwrap_or("set");
    let (run, put) = kernel(combine, x.dtype).ok_or_else(|| misfit(site))?;
    Ok(Arc::new(Scatter { places, disjoint, run, put, set: combine == "set" }))
}

/// Combines updates into elements: pointers to elements, updates and table (each entry is added to the first), and two loops, the inner
/// one first. A table that stands still in a loop is read once for it.
type RunFn = unsafe fn([Ptr; 3], [Loop; 2]);
/// A loop: its trips, and the strides of elements, updates and table.
#[derive(Clone, Copy, Debug)]
struct Loop {
    n: usize,
    steps: [isize; 3],
}
/// The loop of one trip.
const ONCE: Loop = Loop { n: 1, steps: [0; 3] };

#[derive(Debug)]
struct Scatter {
    places: Places,
    /// Only updates at the same place of their windows can go to the same element.
    disjoint: bool,
    run: RunFn,
    put: PutFn,
    /// Updates replace elements.
    set: bool,
}
impl Kernel for Scatter {
    fn scratch(&self, site: &Site) -> Option<usize> {
        self.places.scratch(site, site.operand(2))
    }
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[x, index, u], &[dst]) = (args, dsts) else {
            return Err(Error::bug(Code::E0718, "`scatter` takes three operands"));
        };
        if plan.slots[dst as usize].over != x {
            copy_operand(frame, plan, ctx, x, dst);
        }
        let mut space = std::mem::take(&mut frame.space);
        let all = Singles::of(&self.places, frame, plan, [dst, index, u], &mut space);
        space.collapse();
        if let Some(all) = all.filter(|all| all.suits(&space)) {
            all.write(&space, [dst, index, u].map(|s| frame.ptr[s as usize]), self.put);
            frame.space = space;
            return Ok(());
        }
        self.places.space(frame, plan, [dst, index, u], &mut space);
        if space.is_empty() {
            frame.space = space;
            return Ok(());
        }
        let table = self.places.table(frame, plan, ctx, [dst, index, u])?;
        if self.disjoint {
            // Dense loops of windows inside; loops over windows keep their order.
            space.sort_by_key(|s, l| if s.kind[l] { s.stride(l, 1).unsigned_abs() } else { usize::MAX });
        }
        space.collapse();
        let done = walk(&space, [frame.ptr[dst as usize], frame.ptr[u as usize], table], |at, loops| {
            // SAFETY: the table holds offsets of windows inside the operand; updates are walked inside their slot.
            unsafe { (self.run)(at, loops) };
            Ok(())
        });
        frame.space = space;
        done
    }
    fn bind(&self, cx: &mut KernelCx) -> Result<Option<Box<dyn Bound>>> {
        let (frame, plan, _, args, dsts) = cx.all();
        let (&[x, index, u], &[dst]) = (args, dsts) else { return Ok(None) };
        let over = plan.slots[dst as usize].over == x;
        let one = Places::entries(frame, plan, index, &self.places.dims) == 1;
        let size = plan.slots[dst as usize].dtype.size();
        let whole =
            (!over).then(|| Ready::new(frame.dims(plan, dst), frame.strides(plan, dst), frame.strides(plan, x), size));
        if !(one || self.disjoint && self.places.has_few(frame, plan, index)) {
            let mut space = Space::default();
            let all = Singles::of(&self.places, frame, plan, [dst, index, u], &mut space);
            space.collapse();
            let all = all.filter(|all| all.suits(&space));
            let (slots, put) = ([dst, index, u], self.put);
            return Ok(all.map(|all| Box::new(Writes { x, slots, all, space, whole, put }) as Box<dyn Bound>));
        }
        let Some(window) = self.places.window(frame, plan, [dst, index, u]) else { return Ok(None) };
        let how = if self.set {
            Replaced::Set(window.copy(true, size))
        } else {
            let mut space = window.space();
            if space.is_empty() {
                return Ok(None);
            }
            space.sort_by_key(|s, l| s.stride(l, 0).unsigned_abs());
            space.collapse();
            Replaced::Combined(space, self.run)
        };
        let all = self.places.each(frame, plan, index, u);
        Ok(Some(Box::new(FewUpdates { x, u, dst, window, whole, how, all })))
    }
}
/// The updates of a `scatter` to single elements.
#[derive(Debug)]
struct Writes {
    x: Slot,
    /// The result, indices, updates.
    slots: [Slot; 3],
    all: Singles,
    space: Space,
    /// Where the result does not lie over the operand.
    whole: Option<Ready>,
    put: PutFn,
}
impl Bound for Writes {
    fn run(&mut self, cx: &mut KernelCx) -> Result<()> {
        let (frame, _, ctx, ..) = cx.all();
        let at = self.slots.map(|s| frame.ptr[s as usize]);
        if let Some(r) = &self.whole {
            // SAFETY: operand and result are different memory of one shape.
            unsafe { r.go(ctx.pool, &mut frame.space, at[0], frame.ptr[self.x as usize]) };
        }
        self.all.write(&self.space, at, self.put);
        Ok(())
    }
}
/// The windows of a `scatter` that has few.
#[derive(Debug)]
struct FewUpdates {
    x: Slot,
    u: Slot,
    dst: Slot,
    window: Window,
    /// Where the result does not lie over the operand.
    whole: Option<Ready>,
    how: Replaced,
    /// Of each, bytes from the first index vector to its own, and from the first update to the window's.
    all: Box<[[isize; 2]]>,
}
/// What becomes of the elements of a window.
#[derive(Debug)]
enum Replaced {
    /// They are the updates.
    Set(Ready),
    /// They are combined with the updates.
    Combined(Space, RunFn),
}
impl Bound for FewUpdates {
    fn run(&mut self, cx: &mut KernelCx) -> Result<()> {
        let (frame, _, ctx, ..) = cx.all();
        let (x, u, dst) = (frame.ptr[self.x as usize], frame.ptr[self.u as usize], frame.ptr[self.dst as usize]);
        if let Some(r) = &self.whole {
            // SAFETY: operand and result are different memory of one shape.
            unsafe { r.go(ctx.pool, &mut frame.space, dst, x) };
        }
        for &[index, from] in &self.all {
            let (Some(o), u) = (self.window.place(frame, index), u.at(from)) else { continue };
            match &self.how {
                // SAFETY: the window lies inside the result; updates are other memory.
                Replaced::Set(r) => unsafe { r.go(ctx.pool, &mut frame.space, dst.at(o), u) },
                Replaced::Combined(space, run) => {
                    let table = Ptr((&raw const o).cast_mut().cast());
                    walk(space, [dst, u, table], |at, loops| {
                        // SAFETY: as above; the table is the one offset, and no loop moves in it.
                        unsafe { run(at, loops) };
                        Ok(())
                    })?;
                }
            }
        }
        Ok(())
    }
}
fn copy_operand(frame: &mut Frame, plan: &Compiled, ctx: &mut Ctx, x: Slot, dst: Slot) {
    let strides = frame.strides(plan, dst).to_vec();
    let to = At { ptr: frame.ptr[dst as usize], strides: &strides };
    frame.copy_to(plan, ctx, x, to);
}
/// Calls `f` for the two innermost loops wherever those outside stand, with addresses of operand, updates and table.
fn walk(s: &Space, mut at: [Ptr; 3], mut f: impl FnMut([Ptr; 3], [Loop; 2]) -> Result<()>) -> Result<()> {
    // Operands of the space: updates, operand, table.
    let steps = |l: usize| [s.stride(l, 1), s.stride(l, 0), s.stride(l, 2)];
    let inner = [0, 1].map(|l| if l < s.rank() { Loop { n: s.dims[l], steps: steps(l) } } else { ONCE });
    // The two innermost loops are the callee's.
    let mut ix = if s.rank() > inner.len() { vec![0usize; s.rank()] } else { vec![] };
    loop {
        f(at, inner)?;
        let mut l = inner.len();
        loop {
            if l >= s.rank() {
                return Ok(());
            }
            let step = steps(l);
            ix[l] += 1;
            if ix[l] < s.dims[l] {
                for (p, d) in at.iter_mut().zip(step) {
                    *p = p.at(d);
                }
                break;
            }
            let back = s.dims[l] as isize - 1;
            for (p, d) in at.iter_mut().zip(step) {
                *p = p.at(-back * d);
            }
            ix[l] = 0;
            l += 1;
        }
    }
}

/// A region runs once for each update; what it yields is copied to the element.
#[derive(Debug)]
struct ByRegion {
    places: Places,
}
impl Kernel for ByRegion {
    fn scratch(&self, site: &Site) -> Option<usize> {
        self.places.table_bytes(site)
    }
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let Some(Inner { params, block, yields, .. }) = cx.step.regions.first() else { return Err(misfit(&cx.site())) };
        let (&[old, new], &[y]) = (&params[..], &yields[..]) else { return Err(misfit(&cx.site())) };
        let (frame, plan, ctx, args, dsts) = cx.all();
        let (&[x, index, u], &[dst]) = (args, dsts) else {
            return Err(Error::bug(Code::E0718, "`scatter` takes three operands"));
        };
        copy_operand(frame, plan, ctx, x, dst);
        // The region's steps use the frame's scratch: loops and table are this step's own.
        let mut space = Space::default();
        self.places.space(frame, plan, [dst, index, u], &mut space);
        if space.is_empty() {
            return Ok(());
        }
        let table = self.places.table(frame, plan, ctx, [dst, index, u])?;
        let entries = Places::entries(frame, plan, index, &self.places.dims);
        // SAFETY: the table has just been written.
        let own: Vec<isize> = unsafe { std::slice::from_raw_parts(table.0.cast::<isize>(), entries) }.to_vec();
        let table = Ptr(own.as_ptr().cast_mut().cast());
        let size = plan.slots[dst as usize].dtype.size();
        walk(&space, [frame.ptr[dst as usize], frame.ptr[u as usize], table], |[to, from, table], [inner, outer]| {
            for i in 0..(inner.n * outer.n) as isize {
                let (i, j) = (i % inner.n as isize, i / inner.n as isize);
                let [to_i, from_i, table_i] = std::array::from_fn(|k| i * inner.steps[k] + j * outer.steps[k]);
                // SAFETY: an entry of the table.
                let o = unsafe { table.at(table_i).0.cast::<isize>().read() };
                if o == OUTSIDE {
                    continue;
                }
                let element = to.at(o).at(to_i);
                frame.ptr[old as usize] = element;
                frame.ptr[new as usize] = from.at(from_i);
                frame.block(plan, ctx, block)?;
                // SAFETY: both hold an element of this dtype; they may be the same.
                unsafe { std::ptr::copy(frame.ptr[y as usize].0, element.0, size) };
            }
            Ok(())
        })
    }
}

trait Both {
    type T: Copy;
    fn f(a: Self::T, b: Self::T) -> Self::T;
    /// Whether `f(a, b)` is known to be `a` at a glance: an extreme that many updates follow seldom changes.
    fn stays(a: Self::T, b: Self::T) -> bool;
}
/// Combines the element at `p` with `q`.
#[inline(always)]
unsafe fn change<O: Both>(p: *mut O::T, q: O::T) {
    // SAFETY: the caller's element.
    unsafe {
        let x = p.read();
        if !O::stays(x, q) {
            p.write(O::f(x, q));
        }
    }
}
/// Windows of `N` elements that lie side by side, as the updates of each do.
unsafe fn windows<O: Both, const N: usize>([to, from, table]: [Ptr; 3], outer: Loop) {
    for j in 0..outer.n as isize {
        let [to, from, table] = [(to, 0), (from, 1), (table, 2)].map(|(p, k)| p.at(j * outer.steps[k]));
        // SAFETY: by the contract of `RunFn`; operand and updates are different memory.
        unsafe {
            let o = table.0.cast::<isize>().read();
            if o != OUTSIDE {
                let (to, from) = (&mut *to.at(o).0.cast::<[O::T; N]>(), *from.0.cast::<[O::T; N]>());
                *to = std::array::from_fn(|i| O::f(to[i], from[i]));
            }
        }
    }
}
unsafe fn go<O: Both>(at: [Ptr; 3], [inner, outer]: [Loop; 2]) {
    let ([ds, ss, ts], n) = (inner.steps, inner.n);
    let size = size_of::<O::T>() as isize;
    if ts == 0 && ds == size && ss == size {
        // SAFETY: passed on.
        unsafe {
            match n {
                4 => return windows::<O, 4>(at, outer),
                8 => return windows::<O, 8>(at, outer),
                16 => return windows::<O, 16>(at, outer),
                32 => return windows::<O, 32>(at, outer),
                _ => {}
            }
        }
    }
    let [to, from, table] = at;
    // SAFETY: by the contract of `RunFn`.
    unsafe {
        let entry = |table: Ptr, i: isize| table.at(i * ts).0.cast::<isize>().read();
        let one = |to: Ptr, from: Ptr, o: isize, i: isize| {
            let (p, q) = (to.at(o).at(i * ds).0.cast::<O::T>(), from.at(i * ss).0.cast::<O::T>());
            change::<O>(p, q.read());
        };
        for j in 0..outer.n as isize {
            let [to, from, table] = [(to, 0), (from, 1), (table, 2)].map(|(p, k)| p.at(j * outer.steps[k]));
            if ts == 0 {
                let o = entry(table, 0);
                if o == OUTSIDE {
                } else if ds == size && ss == size {
                    // Operand and updates are different memory: what lies side by side is combined several at a time.
                    let to = std::slice::from_raw_parts_mut(to.at(o).0.cast::<O::T>(), n);
                    let from = std::slice::from_raw_parts(from.0.cast::<O::T>().cast_const(), n);
                    to.iter_mut().zip(from).for_each(|(p, &q)| *p = O::f(*p, q));
                } else {
                    (0..n as isize).for_each(|i| one(to, from, o, i));
                }
            } else if ds == 0 && (ss == size || ss == 0) && ts == size_of::<isize>() as isize {
                // Single elements, whose updates and places lie side by side, or whose updates are one element: four at a time but for
                // their reads and writes.
                let places = std::slice::from_raw_parts(table.0.cast::<isize>().cast_const(), n);
                let put = |o: isize, q: O::T| {
                    let p = to.at(o).0.cast::<O::T>();
                    change::<O>(p, q);
                };
                let (fours, rest) = places.as_chunks::<4>();
                if ss == 0 {
                    let q = from.0.cast::<O::T>().read();
                    for o in fours {
                        if o.iter().all(|&o| o != OUTSIDE) {
                            o.iter().for_each(|&o| put(o, q));
                        } else {
                            o.iter().filter(|&&o| o != OUTSIDE).for_each(|&o| put(o, q));
                        }
                    }
                    rest.iter().filter(|&&o| o != OUTSIDE).for_each(|&o| put(o, q));
                    continue;
                }
                let updates = std::slice::from_raw_parts(from.0.cast::<O::T>().cast_const(), n);
                let (updates, last) = updates.as_chunks::<4>();
                for (o, q) in fours.iter().zip(updates) {
                    if o.iter().all(|&o| o != OUTSIDE) {
                        (0..4).for_each(|k| put(o[k], q[k]));
                    } else {
                        o.iter().zip(q).filter(|x| *x.0 != OUTSIDE).for_each(|(&o, &q)| put(o, q));
                    }
                }
                rest.iter().zip(last).filter(|x| *x.0 != OUTSIDE).for_each(|(&o, &q)| put(o, q));
            } else {
                for i in 0..n as isize {
                    let o = entry(table, i);
                    if o != OUTSIDE {
                        one(to, from, o, i);
                    }
                }
            }
        }
    }
}
/// As [`go`], for single elements whose places have been found.
unsafe fn put<O: Both>(to: Ptr, from: Ptr, step: isize, n: usize, chunk: &Chunk) {
    // SAFETY: a place is that of an element, and there are `n` updates.
    unsafe {
        let one = |place: i32, q: O::T| {
            change::<O>(to.at(place as isize).0.cast::<O::T>(), q);
        };
        let places = &chunk.places[..n];
        let update = |i: usize| from.at(i as isize * step).0.cast::<O::T>().read();
        if !chunk.all {
            places.iter().enumerate().filter(|(i, _)| chunk.has(*i)).for_each(|(i, &o)| one(o, update(i)));
        } else if step == size_of::<O::T>() as isize {
            let updates = std::slice::from_raw_parts(from.0.cast::<O::T>().cast_const(), n);
            places.iter().zip(updates).for_each(|(&o, &q)| one(o, q));
        } else if step == 0 {
            let q = update(0);
            places.iter().for_each(|&o| one(o, q));
        } else {
            places.iter().enumerate().for_each(|(i, &o)| one(o, update(i)));
        }
    }
}
macro_rules! both {
    ($($name:ident |$a:ident, $b:ident| $($t:ident)* => $e:expr, $stays:expr;)*) => { $(
        struct $name<T>(std::marker::PhantomData<T>);
        $(impl Both for $name<$t> {
            type T = $t;
            #[inline(always)]
            fn f($a: $t, $b: $t) -> $t { $e }
            #[inline(always)]
            fn stays($a: $t, $b: $t) -> bool { let _ = ($a, $b); $stays }
        })*
    )* };
}
both! {
    Add |a, b| f32 f64 Z1 Z2 => a + b, false;
    Mul |a, b| f32 f64 Z1 Z2 => a * b, false;
    Sum |a, b| i32 i64 u32 u64 => a.wrapping_add(b), false;
    Product |a, b| i32 i64 u32 u64 => a.wrapping_mul(b), false;
    Min |a, b| bool i32 i64 u32 u64 => a.min(b), false;
    Max |a, b| bool i32 i64 u32 u64 => a.max(b), false;
    Least |a, b| f32 f64 => a.fmin(b), a < b;
    Greatest |a, b| f32 f64 => a.fmax(b), a > b;
}
/// `set`, by size alone.
struct Set<T>(std::marker::PhantomData<T>);
impl<T: Copy> Both for Set<T> {
    type T = T;
    #[inline(always)]
    fn f(_: T, b: T) -> T {
        b
    }
    #[inline(always)]
    fn stays(_: T, _: T) -> bool {
        false
    }
}
fn kernel(combine: &str, d: DType) -> Option<(RunFn, PutFn)> {
    use DType::*;
    macro_rules! by {
        ($($d:ident => $o:ty,)*) => {
            [$(($d, go::<$o> as RunFn, put::<$o> as PutFn),)*].iter().find(|k| k.0 == d).map(|k| (k.1, k.2))
        };
    }
    match combine {
        "set" if d.is_tiny() => Some((go::<Set<u8>>, put::<Set<u8>>)),
        "set" => {
            by!(Bool => Set<bool>, I8 => Set<u8>, U8 => Set<u8>, I16 => Set<u16>, U16 => Set<u16>, BF16 => Set<u16>,
            F16 => Set<u16>, I32 => Set<i32>, I64 => Set<i64>, U32 => Set<u32>, U64 => Set<u64>,
            F32 => Set<f32>, F64 => Set<f64>, C32 => Set<Z1>, C64 => Set<Z2>,)
        }
        "add" => by!(I32 => Sum<i32>, I64 => Sum<i64>, U32 => Sum<u32>, U64 => Sum<u64>, F32 => Add<f32>,
            F64 => Add<f64>, C32 => Add<Z1>, C64 => Add<Z2>,),
        "mul" => by!(I32 => Product<i32>, I64 => Product<i64>, U32 => Product<u32>, U64 => Product<u64>,
            F32 => Mul<f32>, F64 => Mul<f64>, C32 => Mul<Z1>, C64 => Mul<Z2>,),
        "min" => by!(Bool => Min<bool>, I32 => Min<i32>, I64 => Min<i64>, U32 => Min<u32>, U64 => Min<u64>,
            F32 => Least<f32>, F64 => Least<f64>,),
        "max" => by!(Bool => Max<bool>, I32 => Max<i32>, I64 => Max<i64>, U32 => Max<u32>, U64 => Max<u64>,
            F32 => Greatest<f32>, F64 => Greatest<f64>,),
        _ => None,
    }
}
