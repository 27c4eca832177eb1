//! Copies whose extents and strides are known before they run: what can be decided once is, and addresses are all that is left.
use super::nd;
use super::run::{copy as copy_run, fill as fill_run};
use super::{At, How};
use crate::machine::mem::Ptr;
use crate::machine::pool::Pool;
use tfc_plan::space::Space;

/// Copies of more bytes are cut among threads and may go past the caches: they are decided about as they run.
const LARGE: usize = 256 << 10;

/// A copy between two views of one shape.
#[derive(Debug)]
pub(crate) struct Ready {
    /// Bytes from the first element of the destination, and of the source, to where the copy begins.
    at: [isize; 2],
    /// Bytes of an element.
    size: usize,
    way: Way,
}
#[derive(Debug)]
enum Way {
    /// No element.
    Nothing,
    /// So many bytes, dense on both sides.
    Dense(usize),
    /// One element to so many places, and the bytes from one to the next.
    Fill(usize, isize),
    /// One loop: elements, and the bytes from one to the next on both sides.
    Line(usize, [isize; 2]),
    /// Rows of so many bytes, dense on both sides: their number, and the bytes from one to the next.
    Rows(usize, usize, [isize; 2]),
    /// Anything else: extents, strides of the destination and of the source.
    Views(Box<[usize]>, Box<[isize]>, Box<[isize]>),
}
impl Ready {
    /// The copy of a view of shape `dims` with strides `from` to one with strides `to`; strides in bytes.
    pub(crate) fn new(dims: &[usize], to: &[isize], from: &[isize], size: usize) -> Ready {
        let (mut s, mut at) = (Space::default(), [0isize; 2]);
        nd::merged(&mut s, dims, [to, from], &mut at);
        let z = size as isize;
        let both = |l: usize| [s.stride(l, 0), s.stride(l, 1)];
        let way = match s.rank() {
            _ if s.is_empty() => Way::Nothing,
            _ if s.len().saturating_mul(size) > LARGE => Way::Views(dims.into(), to.into(), from.into()),
            0 => Way::Dense(size),
            1 if both(0) == [z, z] => Way::Dense(size * s.dims[0]),
            1 if s.stride(0, 1) == 0 => Way::Fill(s.dims[0], s.stride(0, 0)),
            1 => Way::Line(s.dims[0], both(0)),
            2 if both(0) == [z, z] => Way::Rows(size * s.dims[0], s.dims[1], both(1)),
            _ => Way::Views(dims.into(), to.into(), from.into()),
        };
        if matches!(way, Way::Views(..)) {
            at = [0; 2];
        }
        Ready { at, size, way }
    }
    /// The same of a source that begins so many bytes further.
    pub(crate) fn from(mut self, bytes: isize) -> Ready {
        self.at[1] = self.at[1].wrapping_add(bytes);
        self
    }
    /// Copies; the addresses are those of the first elements of the views.
    ///
    /// # Safety
    /// Both views are inside memory of the caller; no element of the destination is one of the source or occurs twice.
    pub(crate) unsafe fn go(&self, pool: &Pool, space: &mut Space, dst: Ptr, src: Ptr) {
        let (d, f) = (dst.at(self.at[0]), src.at(self.at[1]));
        // SAFETY: passed on.
        unsafe {
            match &self.way {
                Way::Nothing => {}
                Way::Dense(n) => copy_run(d.0, 1, f.0, 1, *n, 1),
                Way::Fill(n, ds) => fill_run(d.0, *ds, f.0, *n, self.size),
                Way::Line(n, [ds, ss]) => copy_run(d.0, *ds, f.0, *ss, *n, self.size),
                Way::Rows(bytes, n, [ds, ss]) => {
                    for i in 0..*n as isize {
                        copy_run(d.at(i * ds).0, 1, f.at(i * ss).0, 1, *bytes, 1);
                    }
                }
                Way::Views(dims, to, from) => {
                    let (d, f) = (At { ptr: d, strides: to }, At { ptr: f, strides: from });
                    nd::copy(How::best(), pool, space, dims, d, f, self.size);
                }
            }
        }
    }
}
