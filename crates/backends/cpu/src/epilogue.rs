//! The elementwise region of a step, applied to parts of the kernel's first result as they become ready: indices along the last
//! axis, in order, so that what has been applied is one number, and each element has it done to it once.
use tfc_ir::Result;

use super::compiled::Compiled;
use super::fused::bound::Bound;
use super::fused::program::Program;
use super::machine::mem::Ptr;
use super::machine::pool::Pool;
use tfc_plan::plan::sizes::Sizes;
use tfc_plan::plan::{NONE, Run};

/// A region over the axes of a result.
#[derive(Debug)]
pub(crate) struct Epilogue<'a> {
    program: &'a Program,
    pool: &'a Pool,
    /// Extents of the result.
    dims: Vec<usize>,
    /// Byte strides along its axes, operand by operand.
    strides: Vec<isize>,
    /// Where operands are.
    ptr: Vec<Ptr>,
    /// Scratch.
    bound: &'a mut Bound,
    /// Indices along the last axis that are done.
    done: &'a mut usize,
}
impl<'a> Epilogue<'a> {
    /// That of `r`, whose loops are the axes of the result and whose outputs are placed; `done`: indices along the last axis to
    /// which it has been applied.
    ///
    /// # Errors
    /// `E042x` where extents are not known.
    pub(crate) fn new(
        code: &'a Compiled,
        r: &Run,
        sizes: &Sizes,
        ptr: &[Ptr],
        (pool, bound): (&'a Pool, &'a mut Bound),
        done: &'a mut usize,
    ) -> Result<Epilogue<'a>> {
        let dims = r.loops.iter().map(|&e| sizes.count(code, e)).collect::<Result<Vec<_>>>()?;
        let stride = |(i, &axis): (usize, &u32)| match axis {
            NONE => 0,
            a => sizes.strides(code, r.operands[i / dims.len()])[a as usize],
        };
        let strides = r.maps.iter().enumerate().map(stride).collect();
        let ptr = r.operands.iter().map(|&s| ptr[s as usize]).collect();
        Ok(Epilogue { program: &code.fused(r).program, pool, dims, strides, ptr, bound, done })
    }
    /// Applies it to indices below `n` that are not done.
    ///
    /// # Errors
    /// `E0705` where there is no memory to work in.
    pub(crate) fn apply(&mut self, n: usize) -> Result<()> {
        let loops = self.dims.len();
        let (first, Some(last)) = (*self.done, self.dims.last_mut()) else { return Ok(()) };
        let (n, whole) = (n.min(*last), *last);
        if n <= first {
            return Ok(());
        }
        *last = n - first;
        let strides = |k: usize| &self.strides[k * loops..(k + 1) * loops];
        self.bound.bind(self.program, &self.dims, strides, |_| false, |_| false);
        let base = |k: usize| self.ptr[k].at(first as isize * strides(k)[loops - 1]);
        // SAFETY: operands cover the loops of the whole result, of which these are a part; outputs overlap nothing else but what
        // the program lets them lie over; no element of the part has been computed before.
        let done = unsafe { self.bound.run(self.pool, self.program, base) };
        if let Some(last) = self.dims.last_mut() {
            *last = whole;
        }
        *self.done = n;
        done
    }
}
