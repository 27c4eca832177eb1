//! Lines of an operand and a result along an axis.
use tfc_plan::plan::Slot;
use tfc_plan::space::Space;

use crate::device::{Arg, Ptr};
use crate::run::frame::Frame;
use crate::run::launch::{loops, space};

/// Lines of two slots of one shape.
pub struct Along {
    /// The first element of the first line of each; from behind, where lines are walked backwards.
    pub first: [Ptr; 2],
    /// Bytes from one element of a line to the next.
    pub by: [isize; 2],
    /// Elements of a line.
    pub n: usize,
    /// Loops over lines.
    pub at: Space,
}
impl Along {
    /// The lines along that axis.
    pub fn of(frame: &Frame, slots: [Slot; 2], axis: usize, reverse: bool) -> Along {
        let n = frame.dims(slots[0])[axis];
        let (mut first, mut by) = (slots.map(|s| frame.ptr[s as usize]), slots.map(|s| frame.strides(s)[axis]));
        if reverse {
            for (p, by) in first.iter_mut().zip(&mut by) {
                *p = p.at(*by * (n as isize - 1));
                *by = -*by;
            }
        }
        let axes = || (0..frame.dims(slots[0]).len()).filter(|&a| a != axis);
        let strides = slots.map(|s| axes().map(|a| frame.strides(s)[a]).collect::<Vec<_>>());
        let dims: Vec<usize> = axes().map(|a| frame.dims(slots[0])[a]).collect();
        Along { first, by, n, at: space(&dims, &[&strides[0], &strides[1]], 1) }
    }
}
/// Loops over the lines of slots along an axis, in one order for all kernels of a step: as the axes are written.
pub fn lines(frame: &Frame, slots: &[Slot], axis: usize, rank: usize) -> Arg {
    let mut s = Space::default();
    s.clear(slots.len());
    if let Some(&first) = slots.first() {
        for (a, &d) in frame.dims(first).iter().enumerate().filter(|&(a, _)| a != axis) {
            s.push(d, false, |k| frame.strides(slots[k])[a]);
        }
    }
    loops(&s, rank)
}
