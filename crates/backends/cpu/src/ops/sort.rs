//! `sort`. Each line along the axis is gathered as pairs of a key – bits whose unsigned order is that of TFIR §5 – and a
//! place, sorted, and the operands are written in that order. A stable order is unique, so neither the method nor the
//! number of threads shows. A comparator is a block of steps that runs for two places at a time.
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tfc_ir::ops::order::{sort_axis, sort_keys};
use tfc_ir::{DType, Result, Type, ops};

use super::cumulative::around;
use super::radix::{Item, sort_stable, sort_whole};
use super::sort_key::{Exact, Key, Packed, Pair, Tagged};
use super::sort_part::{select, wanted};
use super::{Rows, misfit};
use crate::compiled::Compiled;
use crate::kernel::{Kernel, KernelCx, Site};
use crate::machine::mem::{Buf, Ptr, with_scratch};
use crate::run::frame::Frame;
use tfc_plan::plan::{Inner, Slot};
use tfc_plan::space::Space;

/// Kernels of the family.
pub(crate) const CORE: Rows = &[(&ops::order::SORT, sort)];

fn sort(site: &Site) -> Result<Arc<dyn Kernel>> {
    let a = site.attrs();
    let axis = sort_axis(a, site.operand(0).map_or(0, Type::rank));
    if site.op().regions.is_empty() {
        let keys = sort_keys(a);
        let part = if keys == 1 { wanted(site.func, site.op(), axis) } else { None };
        return Ok(Arc::new(Sort { axis, keys, part }));
    }
    Ok(Arc::new(Compared { axis }))
}

/// Ordered by its leading operands.
#[derive(Debug)]
struct Sort {
    axis: usize,
    keys: usize,
    /// The places that anything reads, where they are few.
    part: Option<Range<usize>>,
}
/// Ordered by steps.
#[derive(Debug)]
struct Compared {
    axis: usize,
}

/// One line: number of elements, and the first element and byte step of each operand, then of each result.
struct Line<'a> {
    n: usize,
    at: &'a [Ptr],
    steps: &'a [isize],
    sizes: &'a [usize],
}
impl Line<'_> {
    /// Element `i` of operand or result `k`.
    fn element(&self, k: usize, i: usize) -> Ptr {
        self.at[k].at(i as isize * self.steps[k])
    }
    /// Writes the elements `i` of each result at some places from the place `from(i)` of its operand.
    ///
    /// # Safety
    /// The line lies inside operands and results, which do not overlap; places are below `n`.
    unsafe fn permute(&self, places: Range<usize>, from: impl Fn(usize) -> usize) {
        let m = self.sizes.len();
        for (k, &size) in self.sizes.iter().enumerate() {
            let (p, q, s, t) = (self.at[k], self.at[m + k], self.steps[k], self.steps[m + k]);
            macro_rules! go {
                ($t:ty) => {
                    for i in places.clone() {
                        // SAFETY: by contract; elements are moved as words of their size and at most their alignment.
                        unsafe {
                            let x = p.at(from(i) as isize * s).0.cast::<$t>().read();
                            q.at(i as isize * t).0.cast::<$t>().write(x)
                        }
                    }
                };
            }
            match size {
                1 => go!(u8),
                2 => go!([u8; 2]),
                4 => go!([u8; 4]),
                8 => go!([u32; 2]),
                _ => go!([u64; 2]),
            }
        }
    }
}
/// The walk over lines that both kinds share.
struct Lines {
    n: usize,
    steps: Vec<isize>,
    sizes: Vec<usize>,
    ptrs: Vec<Ptr>,
    loops: Space,
}
impl Lines {
    fn of(frame: &mut Frame, plan: &Compiled, axis: usize, args: &[Slot], dsts: &[Slot]) -> Lines {
        let slots = [args, dsts].concat();
        let mut loops = std::mem::take(&mut frame.space);
        let n = around(frame, plan, &slots, axis, &mut loops);
        Lines {
            n,
            steps: slots.iter().map(|&s| frame.strides(plan, s)[axis]).collect(),
            sizes: args.iter().map(|&s| plan.slots[s as usize].dtype.size()).collect(),
            ptrs: slots.iter().map(|&s| frame.ptr[s as usize]).collect(),
            loops,
        }
    }
    /// Line `i`; `at` is room for its addresses.
    fn line<'a>(&'a self, i: usize, at: &'a mut Vec<Ptr>) -> Line<'a> {
        at.clear();
        at.extend(self.ptrs.iter().enumerate().map(|(k, p)| p.at(self.loops.offset(k, i))));
        Line { n: self.n, at, steps: &self.steps, sizes: &self.sizes }
    }
}

/// Bytes of scratch that an element of a line needs: two pairs and a place.
const ROOM: usize = 2 * size_of::<Pair>() + size_of::<u64>();

impl Kernel for Sort {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let (frame, plan, ctx, args, dsts) = cx.all();
        let Some(&first) = args.first() else { return Ok(()) };
        let dtypes: Vec<DType> = args.iter().take(self.keys).map(|&s| plan.slots[s as usize].dtype).collect();
        if let Some(&d) = dtypes.iter().find(|d| d.is_complex() || d.is_small()) {
            return Err(super::not_taken(d));
        }
        if frame.len(plan, first)? == 0 {
            return Ok(());
        }
        if self.part.is_some() {
            // Storage that the caller gets as a part of a result has to hold elements everywhere.
            let zero = [0u64; 2];
            let escapes =
                |&&s: &&Slot| plan.slots[s as usize].place.store().is_some_and(|r| plan.stores[r as usize].escapes);
            for &s in dsts.iter().filter(escapes) {
                frame.fill(plan, ctx, s, Ptr(zero.as_ptr().cast_mut().cast()));
            }
        }
        let lines = Lines::of(frame, plan, self.axis, args, dsts);
        let (n, total) = (lines.n, lines.loops.len());
        let bytes = n.saturating_mul(ROOM);
        let group = (GROUP / n).max(1);
        let failed = AtomicBool::new(false);
        ctx.pool.run(total.div_ceil(group), (total * n) as u64 * 16, |g| {
            let mut at = Vec::with_capacity(lines.ptrs.len());
            let range = g * group..((g + 1) * group).min(total);
            if let (Some(part), [d]) = (&self.part, &dtypes[..]) {
                for i in range {
                    // SAFETY: lines are disjoint.
                    unsafe { part_of_line(&lines.line(i, &mut at), *d, part) };
                }
                return;
            }
            let done = with_scratch(bytes, |mem| {
                for i in range {
                    // SAFETY: scratch has the bytes; lines are disjoint.
                    unsafe { sort_line(&lines.line(i, &mut at), &dtypes, mem) };
                }
            });
            failed.fetch_or(done.is_err(), Ordering::Relaxed);
        });
        frame.space = lines.loops;
        if failed.into_inner() { Err(Buf::exhausted(bytes)) } else { Ok(()) }
    }
}
/// Elements that one thread takes at a time, if lines are shorter.
const GROUP: usize = 4096;

/// # Safety
/// The line lies inside operands and results; `mem` has [`ROOM`] for each of its elements.
unsafe fn sort_line(line: &Line, keys: &[DType], mem: Ptr) {
    // SAFETY: passed on.
    unsafe {
        if let ([d], [_]) = (keys, line.sizes)
            && alone(line, *d, mem)
        {
            return;
        }
        let order = places(mem.at((line.n * (ROOM - size_of::<u64>())) as isize), line.n);
        if !(matches!(keys, [DType::I64]) && is_permutation(line, order)) {
            order.iter_mut().enumerate().for_each(|(i, o)| *o = i as u64);
            for (k, &d) in keys.iter().enumerate().rev() {
                by_key(line, k, d, order, k + 1 == keys.len(), mem);
            }
        }
        line.permute(0..line.n, |i| order[i] as usize);
    }
}
/// Writes the results of a line at the places `part`, below its length, alone.
///
/// # Safety
/// The line lies inside operands and results; operand 0 has dtype `d`.
unsafe fn part_of_line(line: &Line, d: DType, part: &Range<usize>) {
    unsafe fn go<T: Key, P: Tagged>(line: &Line, part: &Range<usize>) {
        // SAFETY: element `i` of the operand.
        let item = |i: usize| P::new(unsafe { line.element(0, i).0.cast::<T>().read() }.bits().into(), i as u64);
        let mut room = vec![];
        let at = select(line.n, part.clone(), item, &mut room);
        // SAFETY: by contract; places of items are below `n`.
        unsafe { line.permute(part.clone(), |i| room[at.start + i - part.start].place() as usize) };
    }
    let small = u32::try_from(line.n).is_ok();
    // SAFETY: passed on.
    unsafe {
        match (d, small) {
            (DType::Bool, true) => go::<bool, Packed>(line, part),
            (DType::I32, true) => go::<i32, Packed>(line, part),
            (DType::U32, true) => go::<u32, Packed>(line, part),
            (DType::F32, true) => go::<f32, Packed>(line, part),
            (DType::Bool, false) => go::<bool, Pair>(line, part),
            (DType::I32, false) => go::<i32, Pair>(line, part),
            (DType::U32, false) => go::<u32, Pair>(line, part),
            (DType::F32, false) => go::<f32, Pair>(line, part),
            (DType::I64, _) => go::<i64, Pair>(line, part),
            (DType::U64, _) => go::<u64, Pair>(line, part),
            _ => go::<f64, Pair>(line, part),
        }
    }
}
/// # Safety
/// There is room for `n` words at `p`.
unsafe fn places<'a>(p: Ptr, n: usize) -> &'a mut [u64] {
    // SAFETY: by contract; the words are set here.
    unsafe {
        p.0.write_bytes(0, n * size_of::<u64>());
        std::slice::from_raw_parts_mut(p.0.cast(), n)
    }
}
/// The `n` items that `item` gives, at `mem`, and room for as many behind them.
///
/// # Safety
/// There is such room.
unsafe fn items<'a, T>(mem: Ptr, n: usize, item: impl Fn(usize) -> T) -> (&'a mut [T], &'a mut [MaybeUninit<T>]) {
    let p = mem.0.cast::<T>();
    // SAFETY: by contract; the first half is set before it is read.
    unsafe {
        (0..n).for_each(|i| p.add(i).write(item(i)));
        (std::slice::from_raw_parts_mut(p, n), std::slice::from_raw_parts_mut(p.add(n).cast(), n))
    }
}
/// Sorts one operand by itself, where its elements come back from their bits.
///
/// # Safety
/// As [`sort_line`]; the operand has dtype `d`.
unsafe fn alone(line: &Line, d: DType, mem: Ptr) -> bool {
    unsafe fn go<T: Exact>(line: &Line, mem: Ptr) -> bool {
        // SAFETY: element `i` of the operand.
        let element = |i: usize| unsafe { line.element(0, i).0.cast::<T>().read() };
        if (0..line.n).any(|i| element(i).special()) {
            return false;
        }
        // SAFETY: two words are no more than two pairs.
        let (words, spare) = unsafe { items(mem, line.n, |i| element(i).bits()) };
        for (i, &k) in sort_whole(words, spare).iter().enumerate() {
            // SAFETY: element `i` of the result.
            unsafe { line.element(1, i).0.cast::<T>().write(T::value(k)) };
        }
        true
    }
    // SAFETY: passed on.
    unsafe {
        match d {
            DType::I32 => go::<i32>(line, mem),
            DType::I64 => go::<i64>(line, mem),
            DType::U32 => go::<u32>(line, mem),
            DType::U64 => go::<u64>(line, mem),
            DType::F32 => go::<f32>(line, mem),
            DType::F64 => go::<f64>(line, mem),
            _ => false,
        }
    }
}
/// Are the keys of operand 0 the numbers below `n`, each once? Then `order` becomes their inverse: where each comes from.
///
/// # Safety
/// As [`sort_line`]; operand 0 is i64.
unsafe fn is_permutation(line: &Line, order: &mut [u64]) -> bool {
    order.fill(u64::MAX);
    for i in 0..line.n {
        // SAFETY: element `i` of the operand.
        let x = unsafe { line.element(0, i).0.cast::<i64>().read() };
        match usize::try_from(x).ok().and_then(|x| order.get_mut(x)) {
            Some(o) if *o == u64::MAX => *o = i as u64,
            _ => return false,
        }
    }
    true
}
/// Sorts the ascending places in `order` by keys of 64 bits: by the 32 highest that differ, then the few that are equal in
/// these by all.
///
/// # Safety
/// As [`items`]; places are below 2³².
unsafe fn by_window(order: &mut [u64], key: impl Fn(u64) -> u64, mem: Ptr) {
    let first = order.first().map_or(0, |&i| key(i));
    let bits = order.iter().fold(0, |b, &i| b | (key(i) ^ first));
    let shift = (u64::BITS - bits.leading_zeros()).saturating_sub(u32::BITS);
    let window = |i: u64| (key(i) >> shift) & u64::from(u32::MAX);
    // SAFETY: passed on.
    let (pairs, spare) = unsafe { items(mem, order.len(), |i| Packed::new(window(order[i]), order[i])) };
    let sorted = sort_whole(pairs, spare);
    order.iter_mut().zip(sorted.iter()).for_each(|(o, p)| *o = p.place());
    if shift == 0 {
        return;
    }
    let mut rest = order;
    for run in sorted.chunk_by(|a, b| a.key() == b.key()) {
        let (now, later) = rest.split_at_mut(run.len());
        rest = later;
        if run.len() > 1 {
            now.sort_unstable_by_key(|&i| (key(i), i));
        }
    }
}
/// Sorts the places in `order` by operand `k`; among equals they keep their order. `first`: they still
/// ascend.
///
/// # Safety
/// As [`sort_line`]; operand `k` has dtype `d`, places are below `n`.
unsafe fn by_key(line: &Line, k: usize, d: DType, order: &mut [u64], first: bool, mem: Ptr) {
    unsafe fn go<T: Key, P: Tagged>(line: &Line, k: usize, order: &mut [u64], first: bool, mem: Ptr) {
        // SAFETY: by contract.
        let key = |i: u64| unsafe { line.element(k, i as usize).0.cast::<T>().read().bits().into() };
        if first && size_of::<P>() > size_of::<Packed>() && u32::try_from(line.n).is_ok() {
            // SAFETY: passed on.
            return unsafe { by_window(order, key, mem) };
        }
        // SAFETY: two items are no more than two pairs.
        let (pairs, spare) = unsafe { items(mem, line.n, |i| P::new(key(order[i]), order[i])) };
        let sorted = if first { sort_whole(pairs, spare) } else { sort_stable(pairs, spare) };
        order.iter_mut().zip(sorted).for_each(|(o, p)| *o = p.place());
    }
    let small = u32::try_from(line.n).is_ok();
    // SAFETY: passed on.
    unsafe {
        match (d, small) {
            (DType::Bool, true) => go::<bool, Packed>(line, k, order, first, mem),
            (DType::I32, true) => go::<i32, Packed>(line, k, order, first, mem),
            (DType::U32, true) => go::<u32, Packed>(line, k, order, first, mem),
            (DType::F32, true) => go::<f32, Packed>(line, k, order, first, mem),
            (DType::Bool, false) => go::<bool, Pair>(line, k, order, first, mem),
            (DType::I32, false) => go::<i32, Pair>(line, k, order, first, mem),
            (DType::U32, false) => go::<u32, Pair>(line, k, order, first, mem),
            (DType::F32, false) => go::<f32, Pair>(line, k, order, first, mem),
            (DType::I64, _) => go::<i64, Pair>(line, k, order, first, mem),
            (DType::U64, _) => go::<u64, Pair>(line, k, order, first, mem),
            _ => go::<f64, Pair>(line, k, order, first, mem),
        }
    }
}

impl Kernel for Compared {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let Some(Inner { params, block, yields, .. }) = cx.step.regions.first() else { return Err(misfit(&cx.site())) };
        let &[flag] = &yields[..] else { return Err(misfit(&cx.site())) };
        let (frame, plan, ctx, args, dsts) = cx.all();
        let Some(&first) = args.first() else { return Ok(()) };
        if frame.len(plan, first)? == 0 {
            return Ok(());
        }
        let lines = Lines::of(frame, plan, self.axis, args, dsts);
        let n = lines.n;
        let (mut order, mut spare) = (tfc_ir::tensor::buffer(n)?, tfc_ir::tensor::buffer(n)?);
        let mut at = vec![];
        for i in 0..lines.loops.len() {
            order.clear();
            order.extend(0..n);
            let line = lines.line(i, &mut at);
            let before = |a: usize, b: usize| {
                for (k, p) in params.chunks_exact(2).enumerate() {
                    frame.ptr[p[0] as usize] = line.element(k, a);
                    frame.ptr[p[1] as usize] = line.element(k, b);
                }
                frame.block(plan, ctx, block)?;
                Ok(frame.flag(flag))
            };
            merge_sort(&mut order, &mut spare, before)?;
            // SAFETY: the order is a permutation of the places.
            unsafe { line.permute(0..n, |i| order[i]) };
        }
        frame.space = lines.loops;
        Ok(())
    }
}
/// Stable merge sort from short runs upwards; `before` may fail.
fn merge_sort(
    order: &mut Vec<usize>,
    spare: &mut Vec<usize>,
    mut before: impl FnMut(usize, usize) -> Result<bool>,
) -> Result<()> {
    let n = order.len();
    let mut run = 1;
    while run < n {
        spare.clear();
        for start in (0..n).step_by(2 * run) {
            let (mid, end) = ((start + run).min(n), (start + 2 * run).min(n));
            let (mut a, mut b) = (start, mid);
            while a < mid && b < end {
                let right = before(order[b], order[a])?;
                spare.push(if right { order[b] } else { order[a] });
                if right { b += 1 } else { a += 1 }
            }
            spare.extend_from_slice(&order[a..mid]);
            spare.extend_from_slice(&order[b..end]);
        }
        std::mem::swap(order, spare);
        run *= 2;
    }
    Ok(())
}
