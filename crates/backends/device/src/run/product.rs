//! Products: their loops, and by what they are computed. A library computes what it has matrices for, and adds what the region behind
//! the product does in the product's place, of real numbers; a kernel of tiles takes any strides.
use tfc_ir::{Code, DType, Error, Result, ScalarOp};
use tfc_plan::plan::*;
use tfc_plan::region::body::Node;
use tfc_plan::space::Space;

use super::frame::{Ctx, Frame};
use super::launch::{blocks, loops, space, threads};
use crate::device::{Arg, Ptr};
use crate::libraries::{Added, Matrix, Plus, Product};
use crate::steps::contract::{self, TILE, dot_loops};

/// What an address of a column that a library adds is a multiple of: which kernels it has for others is not said.
pub const COLUMN_ALIGNED: u64 = 16;

/// Loops of a product: rows of the result, its columns, what is summed over, what there are many of. Operands of rows and columns:
/// the one that has them, the result; of a batch: both, the result; then, of each, what is added.
struct Nest {
    rows: Space,
    cols: Space,
    inner: Space,
    batch: Space,
}
/// What is added to a product where it lies.
struct Sum {
    at: Ptr,
    /// Bytes from one element to the next along each axis of the result.
    strides: Vec<isize>,
    minus_product: bool,
    minus_added: bool,
}
impl Frame<'_> {
    /// Multiplies, and applies the region behind it; the product has been placed.
    ///
    /// # Errors
    /// `E0705` where there is no memory; what the device reports.
    pub fn dot(&mut self, ctx: &mut Ctx, what: &contract::Product, then: Option<&Run>) -> Result<()> {
        for &s in then.iter().flat_map(|r| &r.outs) {
            self.place(ctx, s)?;
        }
        if let Some(sum) = then.and_then(|r| self.sum(r, what.dot.out)) {
            let nest = self.nest(&what.dot, Some(&sum.strides));
            if self.by_library(ctx, what, &nest, Some(&sum))? {
                return Ok(());
            }
        }
        let nest = self.nest(&what.dot, None);
        if !self.by_library(ctx, what, &nest, None)? {
            self.by_tiles(ctx, what, &nest)?;
        }
        then.map_or(Ok(()), |r| self.run_region(ctx, r))
    }
    /// What a region adds to a product, if it does nothing else, and in the product's place: nobody else reads the product then.
    fn sum(&self, r: &Run, product: Slot) -> Option<Sum> {
        let code = self.code;
        let ([part], &[out]) = (&*code.regions[r.id as usize].cutting.parts, &*r.outs) else { return None };
        let &[Node::Load(x), Node::Load(y), Node::Apply(op, [a, b, _], _), Node::Store(_, 2)] = &*part.region.body
        else {
            return None;
        };
        let minus = match op {
            ScalarOp::Add => false,
            ScalarOp::Sub => true,
            _ => return None,
        };
        let (n, operand) = (r.loops.len(), |node: u32| part.operands[[x, y][node as usize] as usize] as usize);
        let itself = |k: usize| r.operands[k] == product && (0..n).all(|l| r.maps[k * n + l] as usize == l);
        // The second operand is the one that `Sub` subtracts.
        let (added, second) = match [operand(a), operand(b)] {
            [p, k] if itself(p) => (k, true),
            [k, p] if itself(p) => (k, false),
            _ => return None,
        };
        let slot = r.operands[added];
        if slot == product || self.decl(out).over != product {
            return None;
        }
        Some(Sum {
            at: self.ptr[slot as usize],
            strides: (0..n).map(|l| self.loop_stride(r, added, l)).collect(),
            minus_product: minus && !second,
            minus_added: minus && second,
        })
    }
    /// The loops of a product, with what is added to it.
    fn nest(&self, d: &Dot, added: Option<&[isize]>) -> Nest {
        let at = |axes: &[usize], s: Slot| -> (Vec<usize>, Vec<isize>) {
            axes.iter().map(|&a| (self.dims(s)[a], self.strides(s)[a])).unzip()
        };
        // Axis of the result for each of (lhs free, rhs free, batch).
        let mut place = vec![0; d.order.len()];
        d.order.iter().enumerate().for_each(|(i, &o)| place[o] = i);
        let results: Vec<&[isize]> = [self.strides(d.out)].into_iter().chain(added).collect();
        let along = |from: usize, dims: &[usize], by: usize, operands: &[&[isize]]| {
            let axes = &place[from..from + dims.len()];
            let mine: Vec<Vec<isize>> = results.iter().map(|s| axes.iter().map(|&a| s[a]).collect()).collect();
            let all: Vec<&[isize]> = operands.iter().copied().chain(mine.iter().map(Vec::as_slice)).collect();
            space(dims, &all, by)
        };
        let (rows, a_rows) = at(&d.free[0], d.args[0]);
        let (cols, b_cols) = at(&d.free[1], d.args[1]);
        let (inner, a_inner) = at(&d.contract[0], d.args[0]);
        let (_, b_inner) = at(&d.contract[1], d.args[1]);
        let (batch, a_batch) = at(&d.batch[0], d.args[0]);
        let (_, b_batch) = at(&d.batch[1], d.args[1]);
        let (m, n) = (rows.len(), cols.len());
        Nest {
            rows: along(0, &rows, 1, &[&a_rows]),
            cols: along(m, &cols, 1, &[&b_cols]),
            inner: in_order(&inner, &[&a_inner, &b_inner]),
            batch: along(m + n, &batch, 2, &[&a_batch, &b_batch]),
        }
    }
    fn by_tiles(&self, ctx: &mut Ctx, what: &contract::Product, nest: &Nest) -> Result<()> {
        let (d, Nest { rows, cols, inner, batch }) = (&what.dot, nest);
        if rows.is_empty() || cols.is_empty() || batch.is_empty() {
            return Ok(());
        }
        let [rm, rn, rk, rb] = dot_loops(d);
        let tiles = rows
            .len()
            .div_ceil(TILE as usize)
            .saturating_mul(cols.len().div_ceil(TILE as usize))
            .saturating_mul(batch.len());
        let ptr = |s: Slot| Arg::Ptr(self.ptr[s as usize]);
        let args = [
            ptr(d.args[0]),
            ptr(d.args[1]),
            ptr(d.out),
            loops(rows, rm),
            loops(cols, rn),
            loops(inner, rk),
            loops(batch, rb),
        ];
        ctx.module.launch(&what.kernel, blocks(tiles, TILE * TILE), &args)
    }
    /// The product, or its sum, by a library; whether the device has one that takes such loops.
    fn by_library(&mut self, ctx: &mut Ctx, what: &contract::Product, nest: &Nest, sum: Option<&Sum>) -> Result<bool> {
        let (d, Nest { rows, cols, inner, batch }) = (&what.dot, nest);
        let dtype = self.decl(d.out).dtype;
        let same = d.args.iter().all(|&s| self.decl(s).dtype == dtype);
        let Some(library) = ctx.device.libraries().filter(|_| same && dtype.is_inexact()) else { return Ok(false) };
        let one = |s: &Space| s.rank() <= 1 && s.len() <= i32::MAX as usize;
        let [m, n, k] = [rows, cols, inner].map(Space::len);
        let many = m.saturating_mul(n).saturating_mul(k).saturating_mul(batch.len());
        if many == 0 || many < library.least_product() || ![rows, cols, inner, batch].into_iter().all(one) {
            return Ok(false);
        }
        let size = dtype.size() as isize;
        let by = |s: &Space, o: usize| if s.rank() == 0 { 0 } else { s.stride(0, o) };
        // A matrix of two loops, of which the first walks neighbours, or the second where it lies transposed.
        let lies = |at: Ptr, p: (usize, isize), q: (usize, isize), step: isize, transposed: bool| {
            let ((near, near_by), (far, far_by)) = if transposed { (q, p) } else { (p, q) };
            let fits = step % size == 0
                && at.0.is_multiple_of(size as u64)
                && (near == 1 || near_by == size)
                && (far == 1 || (far_by % size == 0 && far_by / size >= near.max(1) as isize));
            let ld = if far == 1 { near } else { (far_by / size) as usize };
            fits.then_some(Matrix { at, ld, transposed, conj: false, step: step / size })
        };
        let operand = |i: usize, p: (usize, isize), q: (usize, isize)| {
            let at = self.ptr[d.args[i] as usize];
            let x = [false, true].into_iter().find_map(|t| lies(at, p, q, by(batch, i), t))?;
            Some(Matrix { conj: d.conj[i] && dtype.is_complex(), ..x })
        };
        let a = operand(0, (m, by(rows, 0)), (k, by(inner, 0)));
        let b = operand(1, (k, by(inner, 1)), (n, by(cols, 0)));
        // The result, and what is added to it, which has to lie as it does.
        let place = |at: Ptr, o: usize, t: bool| lies(at, (m, by(rows, o)), (n, by(cols, o)), by(batch, o + 1), t);
        let c = [false, true].into_iter().find_map(|t| {
            let c = place(self.ptr[d.out as usize], 1, t)?;
            let Some(s) = sum else { return Some((c, None)) };
            let (near, far) = if t { (cols, rows) } else { (rows, cols) };
            let still = |s: &Space, o: usize| s.len() == 1 || by(s, o) == 0;
            let column = (near.len() == 1 || by(near, 2) == size) && still(far, 2) && still(batch, 3);
            let what = match place(s.at, 2, t) {
                Some(x) => Added::Matrix(x),
                None if dtype == DType::F32 && !s.minus_added && column && s.at.0.is_multiple_of(COLUMN_ALIGNED) => {
                    Added::Column(s.at)
                }
                None => return None,
            };
            Some((c, Some(Plus { what, minus_product: s.minus_product, minus_added: s.minus_added })))
        });
        let (Some(a), Some(b), Some((c, plus))) = (a, b, c) else { return Ok(false) };
        let (batch, tf32) = (batch.len(), self.code.fast_math);
        let mut p = Product { dtype, mnk: [m, n, k], batch, a, b, c, plus, tf32 };
        if c.transposed {
            // The transpose of a product is that of the transposes, the other way round.
            let turned = |x: Matrix| Matrix { transposed: !x.transposed, ..x };
            let plus = plus.map(|s| match s.what {
                Added::Matrix(x) => Plus { what: Added::Matrix(turned(x)), ..s },
                Added::Column(_) => s,
            });
            p = Product { mnk: [n, m, k], a: turned(b), b: turned(a), c: turned(c), plus, ..p };
        }
        let [m, n, k] = p.mnk;
        if p.a.conj && !p.a.transposed {
            p.a = self.conjugated(ctx, what, p.a, ([m, k], batch, 0))?;
        }
        if p.b.conj && !p.b.transposed {
            p.b = self.conjugated(ctx, what, p.b, ([k, n], batch, 1))?;
        }
        library.product(&p)
    }
    /// A copy of conjugates, since a library conjugates only what lies transposed.
    fn conjugated(
        &mut self,
        ctx: &mut Ctx,
        what: &contract::Product,
        x: Matrix,
        (dims, batch, i): ([usize; 2], usize, usize),
    ) -> Result<Matrix> {
        let (size, [m, n]) = (self.size(what.dot.out), dims);
        // The same matrix for all of a batch is copied once.
        let batch = if x.step == 0 { 1 } else { batch };
        let bytes = m.checked_mul(n).and_then(|c| c.checked_mul(batch)).and_then(|c| c.checked_mul(size));
        let to = self.scratch(ctx, i, bytes.ok_or_else(|| Error::new(Code::E0406, "an operand is too large"))?)?;
        let Some(kernel) = &what.conjugate else {
            return Err(Error::bug(Code::E0718, "a conjugate without a kernel"));
        };
        let (one, all) = (size as isize, (m * n * size) as isize);
        let from = [one, (x.ld * size) as isize, x.step * one];
        let mut s = Space::default();
        s.clear(2);
        for (a, &n) in [m, n, batch].iter().enumerate() {
            s.push(n, false, |k| if k == 0 { from[a] } else { [one, (m * size) as isize, all][a] });
        }
        ctx.module.launch(kernel, threads(s.len()), &[Arg::Ptr(x.at), Arg::Ptr(to), loops(&s, 3)])?;
        Ok(Matrix {
            at: to,
            ld: m,
            transposed: false,
            conj: false,
            step: if x.step == 0 { 0 } else { (m * n) as isize },
        })
    }
}
/// Loops in the order of the axes, the first fastest.
fn in_order(dims: &[usize], strides: &[&[isize]]) -> Space {
    let mut s = Space::default();
    s.clear(strides.len());
    for (a, &n) in dims.iter().enumerate() {
        s.push(n, false, |k| strides[k][a]);
    }
    s.collapse();
    s
}
