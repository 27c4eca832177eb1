//! Contractions: axes are grouped into matrices without copying where strides allow, and the result is laid out so that
//! the product writes it in place whatever the order of its axes.
use tfc_ir::Result;

use super::copy::At;
use super::frame::{Ctx, Frame};
use super::gemm::{Gemm, Mat, gemm, merge, pack};
use super::mem::Ptr;
use super::plan::*;

/// A factor: address, strides by axis.
struct Factor {
    ptr: Ptr,
    strides: Vec<isize>,
}

impl Frame {
    /// Runs a product.
    pub(crate) fn dot(&mut self, plan: &Plan, ctx: &mut Ctx, d: &Dot) -> Result<()> {
        let dtype = plan.slots[d.out as usize].dtype;
        let size = dtype.size();
        let dims = [self.dims(plan, d.args[0]).to_vec(), self.dims(plan, d.args[1]).to_vec()];
        let strides = [self.strides(plan, d.args[0]).to_vec(), self.strides(plan, d.args[1]).to_vec()];
        // The fastest axis of each group comes first; contracted axes follow the larger factor.
        let by = |side: usize, axes: &[usize]| {
            let mut v = axes.to_vec();
            v.sort_by_key(|&a| strides[side][a].unsigned_abs());
            v
        };
        let free = [by(0, &d.free[0]), by(1, &d.free[1])];
        let lead = usize::from(dims[1].iter().product::<usize>() > dims[0].iter().product::<usize>());
        let mut pairs: Vec<usize> = (0..d.contract[0].len()).collect();
        pairs.sort_by_key(|&i| strides[lead][d.contract[lead][i]].unsigned_abs());
        let contract: [Vec<usize>; 2] = [0, 1].map(|s| pairs.iter().map(|&i| d.contract[s][i]).collect());
        let mut factors = vec![];
        for s in 0..2 {
            let (f, k) =
                (merge(&free[s], &dims[s], &strides[s], size), merge(&contract[s], &dims[s], &strides[s], size));
            factors.push(if f.is_some() && k.is_some() {
                Factor { ptr: self.ptr[d.args[s] as usize], strides: strides[s].clone() }
            } else {
                let (x, y) = if s == 0 { (&free[0], &contract[0]) } else { (&contract[1], &free[1]) };
                let order: Vec<usize> = x.iter().chain(y).chain(d.batch[s].iter()).copied().collect();
                let src = At { ptr: self.ptr[d.args[s] as usize], strides: &strides[s] };
                let mut new = vec![];
                // SAFETY: the operand's own view; the buffer is this frame's scratch.
                let ptr = unsafe {
                    pack(ctx.pool, &mut self.space, &mut self.packs[s], &dims[s], src, &order, &mut new, size)?
                };
                Factor { ptr, strides: new }
            });
        }
        let natural = natural(d, &dims, &free, size);
        let (out, copy) = self.place_product(plan, ctx, d, &dims, &free, &natural, size)?;
        let group = |s: usize, axes: &[usize]| merge(axes, &dims[s], &factors[s].strides, size).unwrap_or((0, 0));
        let ((m, ar), (k, ac)) = (group(0, &free[0]), group(0, &contract[0]));
        let ((_, br), (n, bc)) = (group(1, &contract[1]), group(1, &free[1]));
        let rank = d.order.len();
        // Places of the result's groups in natural order.
        let at = |i: usize| out.strides[d.order.iter().position(|&o| o == i).unwrap_or(0)];
        let side = |s: usize, base: usize| -> isize {
            let mut it = free[s].iter().filter(|&&a| dims[s][a] != 1);
            it.next().map_or(size as isize, |a| at(base + d.free[s].iter().position(|x| x == a).unwrap_or(0)))
        };
        let (cr, cc) = (side(0, 0), side(1, d.free[0].len()));
        let mut batch = std::mem::take(&mut self.space);
        batch.clear(3);
        for (i, (&x, &y)) in d.batch[0].iter().zip(d.batch[1].iter()).enumerate() {
            let s = [factors[0].strides[x], factors[1].strides[y], at(rank - d.batch[0].len() + i)];
            batch.push(dims[0][x], false, |k| s[k]);
        }
        let mat = |ptr, row, col| Mat { ptr, row, col };
        let g = Gemm {
            dtype,
            mnk: [m, n, k],
            lhs: mat(factors[0].ptr, ar, ac),
            conj_lhs: d.conj[0],
            rhs: mat(factors[1].ptr, br, bc),
            conj_rhs: d.conj[1],
            out: mat(out.ptr, cr, cc),
            batch: &batch,
        };
        // SAFETY: factors and result are views of placed slots or packed copies with these extents; the result's storage
        // is its own.
        unsafe { gemm(ctx.pool, &g) };
        self.space = batch;
        if copy {
            let size = plan.slots[d.out as usize].dtype.size();
            let src = At { ptr: out.ptr, strides: &out.strides };
            let mut space = std::mem::take(&mut self.space);
            // SAFETY: from scratch memory to the placed result.
            unsafe {
                super::copy::copy_nd(ctx.pool, &mut space, self.dims(plan, d.out), self.at(plan, d.out), src, size)
            };
            self.space = space;
        }
        Ok(())
    }
    /// Gives the result its memory, with strides that make it one matrix (a batch); where its strides are given already
    /// and do not, scratch memory that is copied afterwards.
    fn place_product(
        &mut self,
        plan: &Plan,
        ctx: &mut Ctx,
        d: &Dot,
        dims: &[Vec<usize>; 2],
        free: &[Vec<usize>; 2],
        natural: &[isize],
        size: usize,
    ) -> Result<(Factor, bool)> {
        let strides: Vec<isize> = d.order.iter().map(|&i| natural[i]).collect();
        let s = d.out;
        self.place(plan, ctx, s)?;
        let at = plan.slots[s as usize].at as usize;
        if let Place::Own(_) = plan.slots[s as usize].place {
            self.strides[at..at + strides.len()].copy_from_slice(&strides);
            return Ok((Factor { ptr: self.ptr[s as usize], strides }, false));
        }
        let given = self.strides(plan, s).to_vec();
        // Strides of the free axes of one side in the given result.
        let place = |side: usize, base: usize| -> Vec<isize> {
            (0..dims[side].len())
                .map(|a| {
                    let i = d.free[side].iter().position(|&x| x == a);
                    i.and_then(|i| d.order.iter().position(|&o| o == base + i)).map_or(0, |j| given[j])
                })
                .collect()
        };
        let fits = [0, 1].iter().all(|&k| {
            let base = if k == 0 { 0 } else { d.free[0].len() };
            merge(&free[k], &dims[k], &place(k, base), size).is_some()
        });
        if fits {
            return Ok((Factor { ptr: self.ptr[s as usize], strides: given }, false));
        }
        let n = self.len(plan, s)?;
        let ptr = self.packs[2].ensure(n * size)?;
        Ok((Factor { ptr, strides }, true))
    }
}
/// Dense strides of the product by natural axis (lhs free, rhs free, batch): rows fastest, then columns, then batches.
fn natural(d: &Dot, dims: &[Vec<usize>; 2], free: &[Vec<usize>; 2], size: usize) -> Vec<isize> {
    let mut out = vec![0isize; d.order.len()];
    let mut step = size as isize;
    for s in 0..2 {
        let base = if s == 0 { 0 } else { d.free[0].len() };
        for &a in &free[s] {
            let i = d.free[s].iter().position(|&x| x == a).unwrap_or(0);
            out[base + i] = step;
            step *= dims[s][a].max(1) as isize;
        }
    }
    let base = d.free[0].len() + d.free[1].len();
    for (i, &a) in d.batch[0].iter().enumerate() {
        out[base + i] = step;
        step *= dims[0][a].max(1) as isize;
    }
    out
}
