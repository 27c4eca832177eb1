//! The kernels of the built-in families, by row. (Elementwise rows need none; factorisations are one kernel.)
use super::{OpCx, constant, contract, control, extents, fft, index, linalg, order, reduce, shape};
use tfc_ir::{OpDef, Result, Tensor, ops};
use tfc_kernels::linalg as factorisations;

type Built = fn(&mut OpCx) -> Result<Vec<Tensor>>;

/// Every row with its kernel.
pub(super) fn core() -> impl Iterator<Item = (&'static OpDef, Built)> {
    let factored = factorisations::ALL.iter().map(|f| (f.row, linalg::factor as Built));
    CORE.iter().copied().chain(factored)
}
/// One line an op.
const CORE: &[(&OpDef, Built)] = &[
    (&ops::constant::CONST, constant::constant),
    (&ops::constant::LOAD, constant::load),
    (&ops::constant::IOTA, constant::iota),
    (&ops::shape::RESHAPE, shape::reshape),
    (&ops::shape::TRANSPOSE, shape::transpose),
    (&ops::shape::BROADCAST_IN_DIM, shape::broadcast_in_dim),
    (&ops::shape::SLICE, shape::slice),
    (&ops::shape::PAD, shape::pad),
    (&ops::shape::CONCAT, shape::concat),
    (&ops::shape::REVERSE, shape::reverse),
    (&ops::shape::DYNAMIC_SLICE, shape::dynamic_slice),
    (&ops::shape::DYNAMIC_UPDATE_SLICE, shape::dynamic_update_slice),
    (&ops::shape::TAKE_PREFIX, shape::resize),
    (&ops::shape::PAD_SUFFIX, shape::resize),
    (&ops::shape::TRIL, shape::tril),
    (&ops::shape::TRIU, shape::triu),
    (&ops::shape::EXTRACT_DIAG, shape::extract_diag),
    (&ops::shape::EMBED_DIAG, shape::embed_diag),
    (&ops::shape::WINDOWS, shape::windows),
    (&ops::shape::OVERLAP_ADD, reduce::overlap_add),
    (&ops::index::GATHER, index::gather),
    (&ops::index::SCATTER, index::scatter),
    (&ops::elementwise::BITCAST, shape::bitcast),
    (&ops::elementwise::REDUCE_PRECISION, shape::reduce_precision),
    (&ops::reduce::REDUCE_SUM, reduce::reduce_sum),
    (&ops::reduce::REDUCE_PROD, reduce::reduce_prod),
    (&ops::reduce::REDUCE_MAX, reduce::reduce_max),
    (&ops::reduce::REDUCE_MIN, reduce::reduce_min),
    (&ops::reduce::REDUCE_AND, reduce::reduce_and),
    (&ops::reduce::REDUCE_OR, reduce::reduce_or),
    (&ops::reduce::REDUCE_XOR, reduce::reduce_xor),
    (&ops::reduce::ARGMAX, reduce::argmax),
    (&ops::reduce::ARGMIN, reduce::argmin),
    (&ops::order::CUMSUM, order::cumsum),
    (&ops::order::CUMPROD, order::cumprod),
    (&ops::order::CUMMAX, order::cummax),
    (&ops::order::CUMMIN, order::cummin),
    (&ops::order::CUMLOGSUMEXP, order::cumlogsumexp),
    (&ops::order::SORT, order::sort),
    (&ops::fft::FFT, fft::fft),
    (&ops::fft::IFFT, fft::ifft),
    (&ops::fft::RFFT, fft::rfft),
    (&ops::fft::IRFFT, fft::irfft),
    (&ops::contract::DOT_GENERAL, contract::dot_general),
    (&ops::control::CALL, control::call),
    (&ops::control::CHECKPOINT, control::call),
    (&ops::control::STOP_GRADIENT, control::identity),
    (&ops::fused::FUSED, control::fused),
    (&ops::control::COND, control::branch),
    (&ops::control::SWITCH, control::branch),
    (&ops::control::WHILE, control::while_loop),
    (&ops::control::SCAN, control::scan),
    (&ops::extents::DIM_VALUE, extents::dim_value),
    (&ops::extents::EXTENT, extents::extent),
    (&ops::extents::GUARD, extents::guard),
    (&ops::extents::CHECK, extents::check),
    (&ops::extents::CHECK_EQUAL, extents::check_equal),
    (&ops::extents::CHECK_CLOSE, extents::check_close),
    (&ops::extents::PRINT, extents::print),
];
