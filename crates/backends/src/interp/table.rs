//! The kernels of the built-in families, by name of the row. (Elementwise rows need none.)
use super::{OpCx, constant, contract, control, extents, reduce, shape};
use tfc_ir::{OpDef, Result, Tensor};

type Built = fn(&mut OpCx) -> Result<Vec<Tensor>>;

/// One line an op.
pub(super) const BY_NAME: &[(&str, Built)] = &[
    ("const", constant::constant),
    ("load", constant::load),
    ("iota", constant::iota),
    ("reshape", shape::reshape),
    ("transpose", shape::transpose),
    ("broadcast_in_dim", shape::broadcast_in_dim),
    ("slice", shape::slice),
    ("pad", shape::pad),
    ("concat", shape::concat),
    ("reverse", shape::reverse),
    ("dynamic_slice", shape::dynamic_slice),
    ("dynamic_update_slice", shape::dynamic_update_slice),
    ("take_prefix", shape::resize),
    ("pad_suffix", shape::resize),
    ("tril", shape::tril),
    ("triu", shape::triu),
    ("extract_diag", shape::extract_diag),
    ("embed_diag", shape::embed_diag),
    ("bitcast", shape::bitcast),
    ("reduce_precision", shape::reduce_precision),
    ("reduce_sum", reduce::reduce_sum),
    ("reduce_prod", reduce::reduce_prod),
    ("reduce_max", reduce::reduce_max),
    ("reduce_min", reduce::reduce_min),
    ("reduce_and", reduce::reduce_and),
    ("reduce_or", reduce::reduce_or),
    ("reduce_xor", reduce::reduce_xor),
    ("argmax", reduce::argmax),
    ("argmin", reduce::argmin),
    ("cumsum", reduce::cumsum),
    ("cumprod", reduce::cumprod),
    ("cummax", reduce::cummax),
    ("cummin", reduce::cummin),
    ("dot_general", contract::dot_general),
    ("call", control::call),
    ("checkpoint", control::call),
    ("stop_gradient", control::identity),
    ("fused", control::fused),
    ("cond", control::cond),
    ("while", control::while_loop),
    ("scan", control::scan),
    ("dim_value", extents::dim_value),
    ("extent", extents::extent),
    ("guard", extents::guard),
    ("check", extents::check),
    ("check_equal", extents::check_equal),
    ("check_close", extents::check_close),
    ("print", extents::print),
];

/// The row of that name in the built-in families.
pub(super) fn row(name: &str) -> Option<&'static OpDef> {
    tfc_ir::ops::FAMILIES.iter().flat_map(|f| f.iter()).copied().find(|d| d.name == name)
}
