//! `scatter`: on one thread, updates in the order in which they take effect. Where windows have one element along every
//! axis that indices move them on, two updates of one element lie at the same place of their windows: then a window's
//! loops may run inside, and only the order of the windows matters.
use std::sync::Arc;

use tfc_ir::ops::index::IndexDims;
use tfc_ir::{C32 as Z1, C64 as Z2, DType, Error, Op, RegionId, Result, ops};

use super::gather::{OUTSIDE, Places};
use crate::cpu::copy::At;
use crate::cpu::machine::mem::Ptr;
use crate::cpu::run::frame::{Ctx, Frame};
use crate::plan::build::{Lower, bug};
use crate::plan::views::Rules;
use crate::plan::*;
use crate::scalar::num::Real;
use crate::sizes::space::Space;

pub(crate) static RULES: Rules = &[(&ops::index::SCATTER, scatter)];

fn scatter(l: &mut Lower, op: &Op) -> Result<()> {
    let f = l.f.clone();
    let dims = IndexDims::of_scatter(&op.attrs, f.ty(op.operands[1]));
    let clamp = op.attrs.word("out_of_bounds") == Some("clamp");
    let (x, u) = (f.ty(op.operands[0]), f.ty(op.operands[2]));
    let sizes = dims.window_axes(x.rank()).into_iter().zip(&dims.window).map(|(a, &w)| (a, u.dims[w].as_exact()));
    let disjoint = sizes.into_iter().all(|(a, n)| n == Some(1) || !dims.map.contains(&a));
    let places = Places { dims, clamp };
    if let Some(&r) = op.regions.first() {
        return by_region(l, op, r, places);
    }
    let combine = op.attrs.word("combine").unwrap_or("set");
    let run = kernel(combine, x.dtype).ok_or_else(|| bug(op, "this dtype cannot be combined"))?;
    let args: Box<[Slot]> = (0..3).map(|i| l.operand(op, i)).collect::<Result<_>>()?;
    let dst = l.own(op.results[0]);
    l.slots[dst as usize].like = args[0];
    l.over.push((l.pos, dst, vec![args[0]], args.to_vec()));
    let what = Arc::new(Scatter { places, disjoint, run });
    l.push(Do::Native { what, args, dsts: [dst].into() });
    Ok(())
}

/// A region runs once for each update; what it yields is copied to the element.
fn by_region(l: &mut Lower, op: &Op, r: RegionId, places: Places) -> Result<()> {
    let f = l.f.clone();
    let &[x, index, u] = &op.operands[..] else { return Err(bug(op, "three operands")) };
    let (params, yields) = (f.region(r).params.clone(), f.region(r).yields.clone());
    let (&[old, new], &[y]) = (&params[..], &yields[..]) else { return Err(bug(op, "the region does not fit")) };
    let dst = l.own(op.results[0]);
    l.slots[dst as usize].like = l.value(x)?;
    let (u_slot, _) = (l.value(u)?, l.value(index)?);
    let (old, new) = (l.alias(old, &[dst]), l.alias(new, &[u_slot]));
    // The result is written, and operands are read, while the steps of the region run.
    l.enter_loop();
    for s in [dst, old, new] {
        l.read(s);
    }
    let mut yielded = NONE;
    let body = l.nested_block(|l| {
        l.block_ops(r)?;
        yielded = l.value(y)?;
        Ok(())
    })?;
    l.leave_loop();
    l.span = op.span;
    l.read(dst);
    let args = [x, index, u].into_iter().map(|v| l.value(v)).collect::<Result<_>>()?;
    let what = Arc::new(ByRegion { places, body, params: [old, new], yielded });
    l.push(Do::Native { what, args, dsts: [dst].into() });
    Ok(())
}

/// Combines `n` updates into elements: pointers to elements, updates and table (each entry is added to the first), with
/// their strides. A table that stands still is read once.
type RunFn = unsafe fn([Ptr; 3], [isize; 3], usize);

#[derive(Debug)]
struct Scatter {
    places: Places,
    /// Only updates at the same place of their windows meet.
    disjoint: bool,
    run: RunFn,
}
impl Native for Scatter {
    fn name(&self) -> &str {
        "scatter"
    }
    fn scratch(&self, plan: &Plan, args: &[Slot]) -> Option<usize> {
        self.places.table_bytes(plan, args.get(1))
    }
    fn run(&self, frame: &mut Frame, plan: &Plan, ctx: &mut Ctx, args: &[Slot], dsts: &[Slot]) -> Result<()> {
        let (&[x, index, u], &[dst]) = (args, dsts) else {
            return Err(Error::new("E0718", "`scatter` takes three operands"));
        };
        if plan.slots[dst as usize].over == NONE {
            copy_operand(frame, plan, ctx, x, dst);
        }
        let mut space = std::mem::take(&mut frame.space);
        self.places.space(frame, plan, [dst, u], &mut space);
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
        let done = walk(&space, [frame.ptr[dst as usize], frame.ptr[u as usize], table], |at, step, n| {
            // SAFETY: the table holds offsets of windows inside the operand; updates are walked inside their slot.
            unsafe { (self.run)(at, step, n) };
            Ok(())
        });
        frame.space = space;
        done
    }
}
fn copy_operand(frame: &mut Frame, plan: &Plan, ctx: &mut Ctx, x: Slot, dst: Slot) {
    let strides = frame.strides(plan, dst).to_vec();
    let to = At { ptr: frame.ptr[dst as usize], strides: &strides };
    frame.copy_to(plan, ctx, x, to);
}
/// Calls `f` for each run of the innermost loop, with addresses of operand, updates and table, steps and length.
fn walk(s: &Space, mut at: [Ptr; 3], mut f: impl FnMut([Ptr; 3], [isize; 3], usize) -> Result<()>) -> Result<()> {
    // Operands of the space: updates, operand, table.
    let steps = |l: usize| [s.stride(l, 1), s.stride(l, 0), s.stride(l, 2)];
    let (n, inner) = if s.rank() == 0 { (1, [0; 3]) } else { (s.dims[0], steps(0)) };
    let mut ix = vec![0usize; s.rank()];
    loop {
        f(at, inner, n)?;
        let mut l = 1;
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

#[derive(Debug)]
struct ByRegion {
    places: Places,
    body: Block,
    /// The element and the update.
    params: [Slot; 2],
    yielded: Slot,
}
impl Native for ByRegion {
    fn name(&self) -> &str {
        "scatter by a region"
    }
    fn scratch(&self, plan: &Plan, args: &[Slot]) -> Option<usize> {
        self.places.table_bytes(plan, args.get(1))
    }
    fn run(&self, frame: &mut Frame, plan: &Plan, ctx: &mut Ctx, args: &[Slot], dsts: &[Slot]) -> Result<()> {
        let (&[x, index, u], &[dst]) = (args, dsts) else {
            return Err(Error::new("E0718", "`scatter` takes three operands"));
        };
        copy_operand(frame, plan, ctx, x, dst);
        // The region's steps use the frame's scratch: loops and table are this step's own.
        let mut space = Space::default();
        self.places.space(frame, plan, [dst, u], &mut space);
        if space.is_empty() {
            return Ok(());
        }
        let table = self.places.table(frame, plan, ctx, [dst, index, u])?;
        let entries = Places::entries(frame, plan, index, &self.places.dims);
        // SAFETY: the table has just been written.
        let own: Vec<isize> = unsafe { std::slice::from_raw_parts(table.0.cast::<isize>(), entries) }.to_vec();
        let table = Ptr(own.as_ptr().cast_mut().cast());
        let size = plan.slots[dst as usize].dtype.size();
        let [old, new] = self.params;
        walk(&space, [frame.ptr[dst as usize], frame.ptr[u as usize], table], |[to, from, table], step, n| {
            for i in 0..n as isize {
                // SAFETY: an entry of the table.
                let o = unsafe { table.at(i * step[2]).0.cast::<isize>().read() };
                if o == OUTSIDE {
                    continue;
                }
                let element = to.at(o).at(i * step[0]);
                frame.ptr[old as usize] = element;
                frame.ptr[new as usize] = from.at(i * step[1]);
                frame.block(plan, ctx, &self.body)?;
                // SAFETY: both hold an element of this dtype; they may be the same.
                unsafe { std::ptr::copy(frame.ptr[self.yielded as usize].0, element.0, size) };
            }
            Ok(())
        })
    }
}

trait Both {
    type T: Copy;
    fn f(a: Self::T, b: Self::T) -> Self::T;
}
unsafe fn go<O: Both>([to, from, table]: [Ptr; 3], [ds, ss, ts]: [isize; 3], n: usize) {
    // SAFETY: by the contract of `RunFn`.
    unsafe {
        let entry = |i: isize| table.at(i * ts).0.cast::<isize>().read();
        let one = |o: isize, i: isize| {
            let (p, q) = (to.at(o).at(i * ds).0.cast::<O::T>(), from.at(i * ss).0.cast::<O::T>());
            p.write(O::f(p.read(), q.read()));
        };
        if ts == 0 {
            let o = entry(0);
            if o != OUTSIDE {
                (0..n as isize).for_each(|i| one(o, i));
            }
        } else {
            for i in 0..n as isize {
                let o = entry(i);
                if o != OUTSIDE {
                    one(o, i);
                }
            }
        }
    }
}
macro_rules! both {
    ($($name:ident |$a:ident, $b:ident| $($t:ident)* => $e:expr;)*) => { $(
        struct $name<T>(std::marker::PhantomData<T>);
        $(impl Both for $name<$t> {
            type T = $t;
            #[inline(always)]
            fn f($a: $t, $b: $t) -> $t { $e }
        })*
    )* };
}
both! {
    Add |a, b| f32 f64 Z1 Z2 => a + b;
    Mul |a, b| f32 f64 Z1 Z2 => a * b;
    Sum |a, b| i32 i64 u32 u64 => a.wrapping_add(b);
    Product |a, b| i32 i64 u32 u64 => a.wrapping_mul(b);
    Min |a, b| bool i32 i64 u32 u64 => a.min(b);
    Max |a, b| bool i32 i64 u32 u64 => a.max(b);
    Least |a, b| f32 f64 => a.fmin(b);
    Greatest |a, b| f32 f64 => a.fmax(b);
}
/// `set`, by size alone.
struct Set<T>(std::marker::PhantomData<T>);
impl<T: Copy> Both for Set<T> {
    type T = T;
    #[inline(always)]
    fn f(_: T, b: T) -> T {
        b
    }
}
fn kernel(combine: &str, d: DType) -> Option<RunFn> {
    use DType::*;
    macro_rules! by {
        ($($d:ident => $o:ty,)*) => { match d { $($d => Some(go::<$o> as RunFn),)* _ => None } };
    }
    match combine {
        "set" => by!(Bool => Set<bool>, I32 => Set<i32>, I64 => Set<i64>, U32 => Set<u32>, U64 => Set<u64>,
            F32 => Set<f32>, F64 => Set<f64>, C32 => Set<Z1>, C64 => Set<Z2>,),
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
