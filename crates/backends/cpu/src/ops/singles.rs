//! Windows of one element: their places are found some at a time, so that these stay in the nearest cache until elements are read or
//! written there. No table of all places is written.
use tfc_ir::DType;

use super::gather::{Index, Line, Places};
use crate::compiled::Compiled;
use crate::copy::GRAIN;
use crate::machine::mem::Ptr;
use crate::run::frame::{Ctx, Frame};
#[cfg(target_arch = "x86_64")]
use tfc_kernels::vmath::Isa;
use tfc_plan::plan::Slot;
use tfc_plan::space::Space;

/// Places that are found at a time.
pub(super) const CHUNK: usize = 256;

/// Places of single elements.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Bytes from the operand's first element to each; of one that is outside, to where it is moved inside.
    pub(super) places: [i32; CHUNK],
    /// Sixteen to a number: those that are inside.
    pub(super) inside: [u16; CHUNK / 16],
    /// All are inside.
    pub(super) all: bool,
}
impl Chunk {
    /// Whether place `i` is inside.
    #[inline(always)]
    pub(super) fn has(&self, i: usize) -> bool {
        self.inside[i / 16] >> (i % 16) & 1 == 1
    }
}
/// Finds the places of so many windows, from the first index on (and bytes from one to the next).
type FindFn = unsafe fn(&Line, Ptr, (usize, isize), &mut Chunk);

/// Windows of one element, bound to the extents and strides that slots have now.
#[derive(Debug)]
pub(super) struct Singles {
    parts: Vec<(i64, isize)>,
    vector: isize,
    clamp: bool,
    /// Where indices lie side by side, and where they do not.
    find: [FindFn; 2],
    /// Bytes of an index, and of an element.
    size: [isize; 2],
    /// Indices have one axis, so that no order of theirs is better than the one in which windows follow each other.
    one: bool,
}
impl Singles {
    /// `None` where windows are others. `windowed` is the result or the updates; `space` is then the loops over it, strides of it and of
    /// the indices, in the order in which windows follow each other (the last axis fastest).
    pub(super) fn of(
        places: &Places,
        frame: &Frame,
        plan: &Compiled,
        [x, index, windowed]: [Slot; 3],
        space: &mut Space,
    ) -> Option<Singles> {
        let d = &places.dims;
        let (n, nx, ni) = (frame.dims(plan, windowed), frame.dims(plan, x), frame.dims(plan, index));
        let (s, sx, si) = (frame.strides(plan, windowed), frame.strides(plan, x), frame.strides(plan, index));
        let [element, indices] = [x, index].map(|s| plan.slots[s as usize].dtype);
        // Places count bytes from the operand's first element in 32 bits.
        let span = nx
            .iter()
            .zip(sx)
            .try_fold(element.size(), |all, (&n, s)| all.checked_add(n.checked_sub(1)?.checked_mul(s.unsigned_abs())?));
        let single = d.window.iter().all(|&w| n[w] == 1) && d.batch.is_empty();
        if !single || span.is_none_or(|n| n > i32::MAX as usize) {
            return None;
        }
        let parts: Vec<(i64, isize)> = d.map.iter().map(|&a| (nx[a] as i64 - 1, sx[a])).collect();
        // Starts, too, are counted in 32 bits: an axis without a stride may have more.
        if parts.iter().any(|p| p.0 >= i32::MAX.into()) {
            return None;
        }
        let axes = d.index_axes(ni.len());
        let one = axes.len() == 1;
        let mut axes = axes.into_iter().rev();
        space.clear(2);
        for a in (0..n.len()).rev().filter(|a| !d.window.contains(a)) {
            let step = axes.next().map_or(0, |a| si[a]);
            space.push(n[a], true, |o| [s[a], step][o]);
        }
        let size = indices.size() as isize;
        let vector = si.get(d.vector).copied().unwrap_or(0);
        let find = finders(indices)?;
        let singles = Singles { parts, vector, clamp: places.clamp, find, size: [size, element.size() as isize], one };
        if space.rank() == 0 {
            // One element: a loop of one trip.
            space.dims.push(1);
            space.kind.push(true);
            space.strides.extend([0, 0]);
        }
        (!space.is_empty()).then_some(singles)
    }
    /// Calls `f` for the windows of a row whose indices begin at `at` (`step` bytes from one to the next), some at a time: the number of
    /// the first, how many, and where they are.
    #[inline(always)]
    unsafe fn each(
        &self,
        (at, step): (Ptr, isize),
        n: usize,
        chunk: &mut Chunk,
        mut f: impl FnMut(usize, usize, &Chunk),
    ) {
        let find = self.find[usize::from(step != self.size[0])];
        let line = Line { parts: &self.parts, vector: self.vector, fits: true, clamp: self.clamp };
        for first in (0..n).step_by(CHUNK) {
            let m = CHUNK.min(n - first);
            // SAFETY: by the caller's contract.
            unsafe { find(&line, at.at(first as isize * step), (m, step), chunk) };
            f(first, m, chunk);
        }
    }
}
impl Singles {
    /// Whether loops in this order find the places as fast as a table of them would be written.
    pub(super) fn suits(&self, space: &Space) -> bool {
        self.one || space.stride(0, 1) == self.size[0]
    }
    /// Orders the loops as [`Singles::read`] wants them.
    pub(super) fn in_order(space: &mut Space) {
        space.sort_by_key(|s, l| s.stride(l, 0).unsigned_abs());
        space.collapse();
    }
    /// Reads elements of an operand, at these indices, into a result.
    pub(super) fn read(&self, ctx: &Ctx, space: &Space, [from, index, to]: [Ptr; 3]) {
        let read: ReadFn = match self.size[1] {
            1 => read::<u8>,
            2 => read::<u16>,
            4 => read::<u32>,
            8 => read::<u64>,
            _ => read::<[u64; 2]>,
        };
        let (n, rows, [out, step]) = (space.dims[0], space.len() / space.dims[0], [0, 1].map(|k| space.stride(0, k)));
        let (part, each) = (n.min(GRAIN), (GRAIN / n).max(1));
        let (parts, groups) = (n.div_ceil(part), rows.div_ceil(each));
        ctx.pool.run(parts * groups, (space.len() as u64).saturating_mul(2), |i| {
            let (lo, group) = (i % parts * part, i / parts);
            let (first, m) = (lo as isize, part.min(n - lo));
            let mut chunk = Chunk::default();
            space.rows(group * each..((group + 1) * each).min(rows), |[d, i]: [isize; 2]| {
                let to = to.at(d + first * out);
                // SAFETY: parts of a row of the result and of the indices; places lie inside the operand, whose bytes 32 bits count.
                unsafe {
                    self.each((index.at(i + first * step), step), m, &mut chunk, |i, n, chunk| {
                        read(from, (to.at(i as isize * out), out), n, chunk);
                    });
                }
            });
        });
    }
    /// Combines updates into elements at these indices, one after the other.
    pub(super) fn write(&self, space: &Space, [to, index, from]: [Ptr; 3], put: PutFn) {
        let (n, [step, apart]) = (space.dims[0], [0, 1].map(|k| space.stride(0, k)));
        let mut chunk = Chunk::default();
        space.rows(0..space.len() / n, |[u, i]: [isize; 2]| {
            // SAFETY: rows of the updates and of the indices; places lie inside the operand.
            unsafe {
                self.each((index.at(i), apart), n, &mut chunk, |i, n, chunk| {
                    put(to, from.at(u + i as isize * step), step, n, chunk);
                });
            }
        });
    }
}
impl Default for Chunk {
    fn default() -> Chunk {
        Chunk { places: [0; CHUNK], inside: [0; CHUNK / 16], all: false }
    }
}
/// Reads so many elements, to where the first of them goes (and bytes from one to the next); zero for one outside.
type ReadFn = unsafe fn(Ptr, (Ptr, isize), usize, &Chunk);
/// Combines so many updates (from the first on, bytes from one to the next) into elements.
pub(super) type PutFn = unsafe fn(Ptr, Ptr, isize, usize, &Chunk);

unsafe fn read<T: Copy + Default>(from: Ptr, (to, step): (Ptr, isize), n: usize, chunk: &Chunk) {
    // SAFETY: a place is that of an element, also where it was moved inside; there is room for `n` elements.
    unsafe {
        let one = |place: i32| from.at(place as isize).0.cast::<T>().read();
        let places = &chunk.places[..n];
        if step == size_of::<T>() as isize {
            let to = std::slice::from_raw_parts_mut(to.0.cast::<T>(), n);
            to.iter_mut().zip(places).for_each(|(to, &place)| *to = one(place));
        } else {
            let put = |(i, &place): (usize, &i32)| to.at(i as isize * step).0.cast::<T>().write(one(place));
            places.iter().enumerate().for_each(put);
        }
        if !chunk.all {
            let outside = (0..n).filter(|&i| !chunk.has(i));
            outside.for_each(|i| to.at(i as isize * step).0.cast::<T>().write(T::default()));
        }
    }
}
unsafe fn find<T: Index>(line: &Line, at: Ptr, (n, step): (usize, isize), to: &mut Chunk) {
    to.places[..n].fill(0);
    to.inside.fill(u16::MAX);
    to.all = true;
    for (k, &(last, stride)) in line.parts.iter().enumerate() {
        for (i, place) in to.places[..n].iter_mut().enumerate() {
            // SAFETY: the caller's indices have this type.
            let x = unsafe { at.at(k as isize * line.vector + i as isize * step).0.cast::<T>().read() }.wide();
            let start = x.min(last).max(0);
            *place = place.wrapping_add((start as i32).wrapping_mul(stride as i32));
            if !line.clamp && start != x {
                to.inside[i / 16] &= !(1 << (i % 16));
                to.all = false;
            }
        }
    }
}
/// The finders for indices of a type: where they lie side by side, and where they do not.
fn finders(d: DType) -> Option<[FindFn; 2]> {
    let any: FindFn = match d {
        DType::I32 => find::<i32>,
        DType::U32 => find::<u32>,
        DType::I64 => find::<i64>,
        DType::U64 => find::<u64>,
        _ => return None,
    };
    #[cfg(target_arch = "x86_64")]
    if Isa::chosen() == Some(Isa::Avx512) {
        macro_rules! by {
            ($d:ident) => {
                // SAFETY: the machine has the instructions; else by the caller's contract.
                |line, at, (n, _), to| unsafe { super::gather_x86::find(DType::$d, line, at, n, to) }
            };
        }
        return Some(match d {
            DType::I32 => [by!(I32), any],
            DType::U32 => [by!(U32), any],
            DType::I64 => [by!(I64), any],
            _ => [by!(U64), any],
        });
    }
    Some([any, any])
}
