//! Linear algebra, one matrix at a time, by the functions that the CPU engine calls.
use faer::dyn_stack::{MemBuffer, MemStack};
use tfc_ir::tensor::column_major;
use tfc_ir::{Code, DType, Error, Result, Tensor};

use super::OpCx;
use super::grid::{over, tick};
use tfc_kernels::linalg::{Batch, Factor, In};

/// The op by its factorisation, matrix by matrix: the two leading axes of operands and results are those of a matrix, or one is that
/// of a vector; behind them are those of the batch. One operand at least is a matrix.
pub(super) fn factor(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (def, count) = (cx.op().def, cx.op().results.len());
    let f = Factor::of(def, cx.attrs(), cx.arg(0)?.dtype())?;
    let wrong = || Error::bug(Code::E0718, format!("`{}` got no matrices", def.name));
    let operands = (0..cx.args().len()).map(|i| columns(cx, i)).collect::<Result<Vec<_>>>()?;
    let Some(widest) = operands.iter().map(Tensor::shape).max_by_key(|s| s.len()) else { return Err(wrong()) };
    let &[_, _, ref batch @ ..] = widest else { return Err(wrong()) };
    let extents = |shape: &[usize]| {
        let rank = shape.len().checked_sub(batch.len()).ok_or_else(wrong)?;
        Ok::<_, Error>([0, 1].map(|a| if a < rank { shape[a] } else { 1 }))
    };
    let dims = operands.iter().map(|t| extents(t.shape())).collect::<Result<Vec<_>>>()?;
    let &[m, n] = dims.first().ok_or_else(wrong)?;
    let mut results = vec![];
    for i in 0..count {
        let (dtype, shape) = cx.result_shape(i)?;
        let dims = extents(&shape)?;
        results.push((Batch::zeros(dtype, &shape)?.ok_or_else(wrong)?, dims, shape));
    }
    let need = f.scratch(m, n);
    let bytes = need.unaligned_bytes_required();
    cx.room(&[bytes], DType::Bool)?;
    let none = |_| Error::new(Code::E0705, format!("out of memory: {bytes} bytes could not be allocated"));
    let mut memory = MemBuffer::try_new(need).map_err(none)?;
    for i in 0..batch.iter().product() {
        if !tick() {
            break;
        }
        let ins: Option<Vec<In>> = operands.iter().zip(&dims).map(|(t, d)| In::of(t, *d, i)).collect();
        let outs: Option<Vec<_>> = results.iter_mut().map(|(all, [m, n], _)| all.matrix(i, *m, *n)).collect();
        let (ins, mut outs) = ins.zip(outs).ok_or_else(wrong)?;
        // SAFETY: operands and results have the types that inference gave the op.
        unsafe { f.run(&ins, &mut outs, MemStack::new(&mut memory)) }.map_err(|_| f.failed(batch, i, Some(&ins)))?;
    }
    over()?;
    results.into_iter().map(|(all, _, shape)| all.tensor(&shape)).collect()
}
/// Operand `i` with its first axis fastest.
fn columns(cx: &OpCx, i: usize) -> Result<Tensor> {
    let t = cx.arg(i)?;
    if !t.is_order(&column_major(t.shape())) {
        cx.room(t.shape(), t.dtype())?;
    }
    t.dense()
}
