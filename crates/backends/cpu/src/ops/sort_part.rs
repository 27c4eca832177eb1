//! Sorts of which only one end is read: `top_k`, the median of a few, the least elements. What a program reads of a sort's results is
//! told by the ops that read them; the places outside are not sorted (they hold zeros where a caller gets their storage).
use std::ops::Range;

use tfc_ir::{Extent, Func, Op, ValueId, ops};

use super::radix::Item;

/// The places along `axis` that anything reads of the results of a sort of lines of so many elements; `None` where that is not known,
/// or is all of them.
pub(crate) fn wanted(f: &Func, op: &Op, axis: usize) -> Option<Range<usize>> {
    let n = usize::try_from(f.ty(*op.results.first()?).dims.get(axis)?.as_exact()?).ok()?;
    let handed_on = |v: ValueId| f.regions.iter().any(|r| r.yields.contains(&v));
    let (mut all, mut open): (Option<Range<usize>>, Vec<(ValueId, bool)>) =
        (None, op.results.iter().map(|&v| (v, false)).collect());
    while let Some((v, turned)) = open.pop() {
        if handed_on(v) {
            return None;
        }
        for user in f.ops.iter().filter(|u| u.operands.contains(&v)) {
            let place = |name: &str| exact(user.attrs.extents(name).get(axis)?);
            let part = if user.def.is(&ops::shape::REVERSE) {
                open.push((user.results[0], turned != user.attrs.indices("axes").contains(&axis)));
                continue;
            } else if user.def.is(&ops::shape::TAKE_PREFIX) && user.attrs.int("axis") == axis as i64 {
                0..exact(f.ty(user.results[0]).dims.get(axis)?)?
            } else if user.def.is(&ops::shape::SLICE) {
                place("start")?..place("limit")?
            } else {
                return None;
            };
            let part = if turned { n.checked_sub(part.end)?..n - part.start } else { part };
            all = Some(match all {
                Some(a) => a.start.min(part.start)..a.end.max(part.end),
                None => part,
            });
        }
    }
    all.filter(|a| a.start <= a.end && a.end <= n && a.len() <= n / LEAST)
}
/// A part larger than one in so many elements is as soon sorted with the others.
const LEAST: usize = 8;
/// Up to so many elements at an end are kept in order while the line passes.
const FEW: usize = 32;

fn exact(e: &Extent) -> Option<usize> {
    usize::try_from(e.as_exact()?).ok()
}

/// The items that a sorted line of the `n` items that `item` gives has at `part`, in order: where they are in
/// `room` afterwards.
pub(crate) fn select<T: Item>(
    n: usize,
    part: Range<usize>,
    item: impl Fn(usize) -> T,
    room: &mut Vec<T>,
) -> Range<usize> {
    room.clear();
    let k = part.len();
    if k == 0 {
        return 0..0;
    }
    if k <= FEW && (part.end == n || part.start == 0) {
        let last = part.end == n;
        // Ascending; the one that the next has to beat is at the inner end.
        let before = |a: &T, b: &T| a.whole() < b.whole();
        for i in 0..n {
            let x = item(i);
            if room.len() == k {
                let edge = if last { &room[0] } else { &room[k - 1] };
                if if last { before(&x, edge) } else { before(edge, &x) } {
                    continue;
                }
                room.remove(if last { 0 } else { k - 1 });
            }
            let at = room.partition_point(|r| before(r, &x));
            room.insert(at, x);
        }
        return 0..k;
    }
    room.extend((0..n).map(item));
    if part.end < n {
        room.select_nth_unstable_by_key(part.end, |x| x.whole());
    }
    if part.start > 0 {
        room[..part.end].select_nth_unstable_by_key(part.start, |x| x.whole());
    }
    room[part.clone()].sort_unstable_by_key(|x| x.whole());
    part
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn parts_are_those_of_the_sorted_line() {
        let mut x = 1u64;
        for n in [1usize, 2, 7, 33, 100, 1000] {
            let line: Vec<u64> = (0..n)
                .map(|i| {
                    x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    // Each once, as pairs of keys and places are.
                    (x >> 60) << 32 | i as u64
                })
                .collect();
            let mut sorted = line.clone();
            sorted.sort_unstable();
            for k in [0, 1, 2, 5, 32, 33, 64].into_iter().filter(|&k| k <= n) {
                for start in [0, (n - k) / 2, n - k] {
                    let mut room = vec![];
                    let at = select(n, start..start + k, |i| line[i], &mut room);
                    assert_eq!(room[at], sorted[start..start + k], "{n} {k} {start}");
                }
            }
        }
    }
    /// All of them.
    pub const ALL: &[fn()] = &[parts_are_those_of_the_sorted_line];
}
