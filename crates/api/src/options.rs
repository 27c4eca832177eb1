//! Options of methods that are rows, one type each: `x.cumsum_with(0, options::Cumsum::new().reverse(true))`.
//!
//! Generated from the rows by the test `ops` (`TFC_ACCEPT=1`): not to be edited.
use crate::traced::{Dim, IntoDims};
use crate::value::{IntoInts, Options, Value, dims, options};

options! { Argsort "argsort"
    "The attribute `axis`." axis: i64 => axis.into();
    "The attribute `descending`; `false` unless set." descending: bool => descending.into();
}
options! { Compress "compress"
    "The attribute `axis`." axis: i64 => axis.into();
}
options! { Conv "conv"
    "The attribute `x_dims`." x_dims: impl IntoInts => Value::Ints(x_dims.into_ints());
    "The attribute `kernel_dims`." kernel_dims: impl IntoInts => Value::Ints(kernel_dims.into_ints());
    "The attribute `out_dims`." out_dims: impl IntoInts => Value::Ints(out_dims.into_ints());
    "The attribute `stride`." stride: impl IntoDims => dims(stride);
    "The attribute `low`." low: impl IntoDims => dims(low);
    "The attribute `high`." high: impl IntoDims => dims(high);
    "The attribute `x_dilation`." x_dilation: impl IntoInts => Value::Ints(x_dilation.into_ints());
    "The attribute `kernel_dilation`." kernel_dilation: impl IntoDims => dims(kernel_dilation);
    "The attribute `reverse`." reverse: impl IntoInts => Value::Ints(reverse.into_ints());
    "The attribute `feature_groups`; 1 unless set." feature_groups: i64 => feature_groups.into();
    "The attribute `batch_groups`; 1 unless set." batch_groups: i64 => batch_groups.into();
}
options! { Cumlogsumexp "cumlogsumexp"
    "The attribute `reverse`; `false` unless set." reverse: bool => reverse.into();
}
options! { Cummax "cummax"
    "The attribute `reverse`; `false` unless set." reverse: bool => reverse.into();
}
options! { Cummin "cummin"
    "The attribute `reverse`; `false` unless set." reverse: bool => reverse.into();
}
options! { Cumprod "cumprod"
    "The attribute `reverse`; `false` unless set." reverse: bool => reverse.into();
}
options! { Cumsum "cumsum"
    "The attribute `reverse`; `false` unless set." reverse: bool => reverse.into();
}
options! { DotGeneral "dot_general"
    "The attribute `batch`." batch: &[&[usize]] => batch.into();
    "The attribute `out`." out: impl IntoInts => Value::Ints(out.into_ints());
    "The attribute `conj_lhs`; `false` unless set." conj_lhs: bool => conj_lhs.into();
    "The attribute `conj_rhs`; `false` unless set." conj_rhs: bool => conj_rhs.into();
    "The attribute `kept`; `false` unless set." kept: bool => kept.into();
}
options! { Einsum "einsum"
    "The attribute `conj`." conj: impl IntoInts => Value::Ints(conj.into_ints());
    "The attribute `path`." path: &[&[usize]] => path.into();
    "The attribute `minimize`: `flops`, `size`, `both`; `flops` unless set." minimize: &str => minimize.into();
    "The attribute `memory_limit`." memory_limit: i64 => memory_limit.into();
    "The attribute `assume`." assume: impl IntoInts => Value::Ints(assume.into_ints());
}
options! { Fft "fft.fft"
    "The attribute `norm`: `backward`, `ortho`, `forward`; `backward` unless set." norm: &str => norm.into();
}
options! { Ifft "fft.ifft"
    "The attribute `norm`: `backward`, `ortho`, `forward`; `backward` unless set." norm: &str => norm.into();
}
options! { Irfft "fft.irfft"
    "The attribute `norm`: `backward`, `ortho`, `forward`; `backward` unless set." norm: &str => norm.into();
}
options! { Rfft "fft.rfft"
    "The attribute `norm`: `backward`, `ortho`, `forward`; `backward` unless set." norm: &str => norm.into();
}
options! { Gather "gather"
    "The attribute `offset_dims`." offset_dims: impl IntoInts => Value::Ints(offset_dims.into_ints());
    "The attribute `collapsed_slice_dims`." collapsed_slice_dims: impl IntoInts => Value::Ints(collapsed_slice_dims.into_ints());
    "The attribute `operand_batching_dims`." operand_batching_dims: impl IntoInts => Value::Ints(operand_batching_dims.into_ints());
    "The attribute `start_indices_batching_dims`." start_indices_batching_dims: impl IntoInts => Value::Ints(start_indices_batching_dims.into_ints());
    "The attribute `start_index_map`." start_index_map: impl IntoInts => Value::Ints(start_index_map.into_ints());
    "The attribute `index_vector_dim`." index_vector_dim: i64 => index_vector_dim.into();
    "The attribute `out_of_bounds`: `clamp`, `zero`; `clamp` unless set." out_of_bounds: &str => out_of_bounds.into();
}
options! { Gelu "gelu"
    "The attribute `approximate`; `true` unless set." approximate: bool => approximate.into();
}
options! { LayerNorm "layer_norm"
    "The attribute `eps`; 1e-5 unless set." eps: f64 => eps.into();
}
options! { Adjugate "linalg.adjugate"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Cholesky "linalg.cholesky"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Complement "linalg.complement"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
    "The attribute `degenerate`: `error`, `damp`; `error` unless set." degenerate: &str => degenerate.into();
}
options! { Det "linalg.det"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Eig "linalg.eig"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
    "The attribute `eps`." eps: f64 => eps.into();
}
options! { Eigh "linalg.eigh"
    "The attribute `order`: `ascending`, `modulus`; `ascending` unless set." order: &str => order.into();
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
    "The attribute `degenerate`: `error`, `damp`; `error` unless set." degenerate: &str => degenerate.into();
    "The attribute `eps`." eps: f64 => eps.into();
}
options! { EighGen "linalg.eigh_gen"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
    "The attribute `degenerate`: `error`, `damp`; `error` unless set." degenerate: &str => degenerate.into();
    "The attribute `eps`." eps: f64 => eps.into();
}
options! { EighTrunc "linalg.eigh_trunc"
    "The attribute `rule`: `relative`, `absolute`, `tail`; `relative` unless set." rule: &str => rule.into();
    "The attribute `max_rank`." max_rank: impl Into<Dim> => Value::Dims(vec![max_rank.into()]);
    "The attribute `min_rank`." min_rank: impl Into<Dim> => Value::Dims(vec![min_rank.into()]);
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
    "The attribute `degenerate`: `error`, `damp`; `error` unless set." degenerate: &str => degenerate.into();
    "The attribute `eps`." eps: f64 => eps.into();
}
options! { Eigvals "linalg.eigvals"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
    "The attribute `eps`." eps: f64 => eps.into();
}
options! { Eigvalsh "linalg.eigvalsh"
    "The attribute `order`: `ascending`, `modulus`; `ascending` unless set." order: &str => order.into();
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
    "The attribute `degenerate`: `error`, `damp`; `error` unless set." degenerate: &str => degenerate.into();
    "The attribute `eps`." eps: f64 => eps.into();
}
options! { Frechet "linalg.frechet"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Hessenberg "linalg.hessenberg"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Inv "linalg.inv"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Logm "linalg.logm"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Lstsq "linalg.lstsq"
    "The attribute `method`: `qr`, `svd`; `qr` unless set." method: &str => method.into();
    "The attribute `rtol`." rtol: f64 => rtol.into();
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Lu "linalg.lu"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { LuFactor "linalg.lu_factor"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Norm "linalg.norm"
    "The attribute `axes`." axes: impl IntoInts => Value::Ints(axes.into_ints());
    "The attribute `ord`: `fro`, `nuc`." ord: impl Into<Value> => ord.into();
}
options! { Pinv "linalg.pinv"
    "The attribute `rtol`." rtol: f64 => rtol.into();
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Qr "linalg.qr"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { QrFactor "linalg.qr_factor"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { QrMultiply "linalg.qr_multiply"
    "The attribute `adjoint`; `false` unless set." adjoint: bool => adjoint.into();
}
options! { QrPivoted "linalg.qr_pivoted"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { QrRank "linalg.qr_rank"
    "The attribute `max_rank`." max_rank: impl Into<Dim> => Value::Dims(vec![max_rank.into()]);
    "The attribute `min_rank`." min_rank: impl Into<Dim> => Value::Dims(vec![min_rank.into()]);
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Schur "linalg.schur"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Slogdet "linalg.slogdet"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Solve "linalg.solve"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Sqrtm "linalg.sqrtm"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Svd "linalg.svd"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
    "The attribute `degenerate`: `error`, `damp`; `error` unless set." degenerate: &str => degenerate.into();
    "The attribute `eps`." eps: f64 => eps.into();
}
options! { SvdFull "linalg.svd_full"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
    "The attribute `degenerate`: `error`, `damp`; `error` unless set." degenerate: &str => degenerate.into();
    "The attribute `eps`." eps: f64 => eps.into();
}
options! { SvdTrunc "linalg.svd_trunc"
    "The attribute `rule`: `relative`, `absolute`, `tail`; `relative` unless set." rule: &str => rule.into();
    "The attribute `max_rank`." max_rank: impl Into<Dim> => Value::Dims(vec![max_rank.into()]);
    "The attribute `min_rank`." min_rank: impl Into<Dim> => Value::Dims(vec![min_rank.into()]);
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
    "The attribute `degenerate`: `error`, `damp`; `error` unless set." degenerate: &str => degenerate.into();
    "The attribute `eps`." eps: f64 => eps.into();
}
options! { Svdvals "linalg.svdvals"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
    "The attribute `degenerate`: `error`, `damp`; `error` unless set." degenerate: &str => degenerate.into();
    "The attribute `eps`." eps: f64 => eps.into();
}
options! { TriangularSolve "linalg.triangular_solve"
    "The attribute `left`; `true` unless set." left: bool => left.into();
    "The attribute `lower`; `true` unless set." lower: bool => lower.into();
    "The attribute `transpose`: `none`, `transpose`, `adjoint`; `none` unless set." transpose: &str => transpose.into();
    "The attribute `unit`; `false` unless set." unit: bool => unit.into();
}
options! { TridiagonalSolve "linalg.tridiagonal_solve"
    "The attribute `on_fail`: `error`, `nan`; `error` unless set." on_fail: &str => on_fail.into();
}
options! { Linspace "linspace"
    "The attribute `endpoint`; `true` unless set." endpoint: bool => endpoint.into();
}
options! { OneHot "one_hot"
    "The attribute `axis`." axis: i64 => axis.into();
}
options! { OverlapAdd "overlap_add"
    "The attribute `stride`." stride: impl IntoDims => dims(stride);
    "The attribute `dilation`." dilation: impl IntoDims => dims(dilation);
}
options! { Pad "pad"
    "The attribute `interior`." interior: impl IntoInts => Value::Ints(interior.into_ints());
}
options! { RandomCategorical "random.categorical"
    "The attribute `axis`." axis: i64 => axis.into();
}
options! { RandomKey "random.key"
    "The attribute `algorithm`: `threefry2x32`, `philox4x32`; `threefry2x32` unless set." algorithm: &str => algorithm.into();
}
options! { RandomPermutation "random.permutation"
    "The attribute `axis`; 0 unless set." axis: i64 => axis.into();
}
options! { RandomSplit "random.split"
    "The attribute `num`." num: impl Into<Dim> => Value::Dims(vec![num.into()]);
}
options! { RmsNorm "rms_norm"
    "The attribute `eps`; 1e-6 unless set." eps: f64 => eps.into();
}
options! { Scatter "scatter"
    "The attribute `update_window_dims`." update_window_dims: impl IntoInts => Value::Ints(update_window_dims.into_ints());
    "The attribute `inserted_window_dims`." inserted_window_dims: impl IntoInts => Value::Ints(inserted_window_dims.into_ints());
    "The attribute `input_batching_dims`." input_batching_dims: impl IntoInts => Value::Ints(input_batching_dims.into_ints());
    "The attribute `scatter_indices_batching_dims`." scatter_indices_batching_dims: impl IntoInts => Value::Ints(scatter_indices_batching_dims.into_ints());
    "The attribute `scatter_dims_to_operand_dims`." scatter_dims_to_operand_dims: impl IntoInts => Value::Ints(scatter_dims_to_operand_dims.into_ints());
    "The attribute `index_vector_dim`." index_vector_dim: i64 => index_vector_dim.into();
    "The attribute `combine`: `set`, `add`, `mul`, `min`, `max`." combine: &str => combine.into();
    "The attribute `out_of_bounds`: `drop`, `clamp`; `drop` unless set." out_of_bounds: &str => out_of_bounds.into();
}
options! { SliceRange "slice"
    "The attribute `stride`." stride: impl IntoInts => Value::Ints(stride.into_ints());
}
options! { Softmax "softmax"
    "The attribute `divide`; `false` unless set." divide: bool => divide.into();
}
options! { Sort "sort"
    "The attribute `axis`." axis: i64 => axis.into();
    "The attribute `keys`; 1 unless set." keys: i64 => keys.into();
    "The attribute `stable`; `true` unless set." stable: bool => stable.into();
}
options! { Stack "stack"
    "The attribute `axis`; 0 unless set." axis: i64 => axis.into();
}
options! { Take "take"
    "The attribute `out_of_bounds`: `clamp`, `zero`; `clamp` unless set." out_of_bounds: &str => out_of_bounds.into();
}
options! { Tril "tril"
    "The attribute `k`; 0 unless set." k: i64 => k.into();
}
options! { Triu "triu"
    "The attribute `k`; 0 unless set." k: i64 => k.into();
}
options! { Var "var"
    "The attribute `correction`; 0 unless set." correction: i64 => correction.into();
}
options! { Windows "windows"
    "The attribute `stride`." stride: impl IntoDims => dims(stride);
    "The attribute `dilation`." dilation: impl IntoDims => dims(dilation);
}
