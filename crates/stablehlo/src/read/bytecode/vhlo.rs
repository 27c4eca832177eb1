//! What VHLO's ops keep, and how StableHLO's text spells it.
//!
//! Source: StableHLO's `VhloOps.td` (attributes of each op) and `VhloLegalizeToStablehlo.cpp` (what becomes what).

/// An op that has attributes, and these in the order in which they are kept.
pub(super) struct Row {
    pub(super) op: &'static str,
    pub(super) keys: &'static [&'static str],
}
const fn row(op: &'static str, keys: &'static [&'static str]) -> Row {
    Row { op, keys }
}
const ACCURACY: &[&str] = &["result_accuracy"];
const CONV: &[&str] = &[
    "batch_group_count",
    "feature_group_count",
    "input_batch_dimension",
    "input_feature_dimension",
    "input_spatial_dimensions",
    "kernel_input_feature_dimension",
    "kernel_output_feature_dimension",
    "kernel_spatial_dimensions",
    "lhs_dilation",
    "output_batch_dimension",
    "output_feature_dimension",
    "output_spatial_dimensions",
    "padding",
    "precision_config",
    "rhs_dilation",
    "window_reversal",
    "window_strides",
];
const NORM: &[&str] = &["epsilon", "feature_index"];
const REDUCED: &[&str] = &["channel_id", "replica_groups", "use_global_device_ids"];
const COMPOSITE: &[&str] = &["composite_attributes", "decomposition", "name", "version"];

/// Every op that keeps attributes, in each of its versions.
const ROWS: &[Row] = &[
    row("all_gather_v1", &["all_gather_dim", "channel_id", "replica_groups", "use_global_device_ids"]),
    row("all_gather_v2", &["all_gather_dim", "channel_id", "replica_groups", "use_global_device_ids"]),
    row("all_reduce_v1", REDUCED),
    row("all_reduce_v2", REDUCED),
    row("all_to_all_v1", &["channel_id", "concat_dimension", "replica_groups", "split_count", "split_dimension"]),
    row("all_to_all_v2", &["channel_id", "concat_dimension", "replica_groups", "split_count", "split_dimension"]),
    row("batch_norm_grad_v1", NORM),
    row("batch_norm_inference_v1", NORM),
    row("batch_norm_training_v1", NORM),
    row("broadcast_in_dim_v1", &["broadcast_dimensions"]),
    row("broadcast_v1", &["broadcast_sizes"]),
    row("call_v1", &["callee"]),
    row("cbrt_v2", ACCURACY),
    row("cholesky_v1", &["lower"]),
    row("collective_broadcast_v1", &["channel_id", "replica_groups"]),
    row("collective_broadcast_v2", &["channel_id", "has_dynamic_root", "replica_groups"]),
    row("collective_permute_v1", &["channel_id", "source_target_pairs"]),
    row("collective_reduce_v1", &["channel_id", "has_dynamic_root", "replica_groups", "use_global_device_ids"]),
    row("compare_v1", &["compare_type", "comparison_direction"]),
    row("composite_v1", COMPOSITE),
    row("composite_v2", COMPOSITE),
    row("concatenate_v1", &["dimension"]),
    row("constant_v1", &["value"]),
    row("convolution_v1", CONV),
    row("cosine_v2", ACCURACY),
    row("cross-replica-sum_v1", &["replica_groups"]),
    row(
        "custom_call_v1",
        &[
            "api_version",
            "backend_config",
            "call_target_name",
            "called_computations",
            "has_side_effect",
            "operand_layouts",
            "output_operand_aliases",
            "result_layouts",
        ],
    ),
    row(
        "custom_call_v2",
        &[
            "api_version",
            "backend_config",
            "call_target_name",
            "called_computations",
            "has_side_effect",
            "operand_layouts",
            "output_operand_aliases",
            "result_layouts",
            "result_tilings",
        ],
    ),
    row(
        "dot_general_v1",
        &[
            "lhs_batching_dimensions",
            "lhs_contracting_dimensions",
            "precision_config",
            "rhs_batching_dimensions",
            "rhs_contracting_dimensions",
        ],
    ),
    row(
        "dot_general_v2",
        &[
            "accumulation_type",
            "allow_imprecise_accumulation",
            "lhs_batching_dimensions",
            "lhs_component_count",
            "lhs_contracting_dimensions",
            "lhs_precision_type",
            "num_primitive_operations",
            "precision_config",
            "rhs_batching_dimensions",
            "rhs_component_count",
            "rhs_contracting_dimensions",
            "rhs_precision_type",
        ],
    ),
    row("dot_v1", &["precision_config"]),
    row(
        "dynamic_broadcast_in_dim_v1",
        &["broadcast_dimensions", "known_expanding_dimensions", "known_nonexpanding_dimensions"],
    ),
    row("dynamic_conv_v1", CONV),
    row(
        "dynamic_conv_v2",
        &[
            "batch_group_count",
            "feature_group_count",
            "input_batch_dimension",
            "input_feature_dimension",
            "input_spatial_dimensions",
            "kernel_input_feature_dimension",
            "kernel_output_feature_dimension",
            "kernel_spatial_dimensions",
            "lhs_dilation",
            "output_batch_dimension",
            "output_feature_dimension",
            "output_spatial_dimensions",
            "precision_config",
            "rhs_dilation",
            "window_reversal",
            "window_strides",
        ],
    ),
    row(
        "dynamic_gather_v1",
        &["collapsed_slice_dims", "index_vector_dim", "indices_are_sorted", "offset_dims", "start_index_map"],
    ),
    row(
        "dynamic_gather_v2",
        &[
            "collapsed_slice_dims",
            "index_vector_dim",
            "indices_are_sorted",
            "offset_dims",
            "operand_batching_dims",
            "start_index_map",
            "start_indices_batching_dims",
        ],
    ),
    row("dynamic_iota_v1", &["iota_dimension"]),
    row("dynamic_slice_v1", &["slice_sizes"]),
    row("einsum_v1", &["einsum_config"]),
    row("exponential_minus_one_v2", ACCURACY),
    row("exponential_v2", ACCURACY),
    row("fft_v1", &["fft_length", "fft_type"]),
    row("func_v1", &["arg_attrs", "function_type", "res_attrs", "sym_name", "sym_visibility"]),
    row(
        "gather_v1",
        &[
            "collapsed_slice_dims",
            "index_vector_dim",
            "indices_are_sorted",
            "offset_dims",
            "slice_sizes",
            "start_index_map",
        ],
    ),
    row(
        "gather_v2",
        &[
            "collapsed_slice_dims",
            "index_vector_dim",
            "indices_are_sorted",
            "offset_dims",
            "operand_batching_dims",
            "slice_sizes",
            "start_index_map",
            "start_indices_batching_dims",
        ],
    ),
    row("get_dimension_size_v1", &["dimension"]),
    row("get_tuple_element_v1", &["index"]),
    row("infeed_v1", &["infeed_config", "layout"]),
    row("iota_v1", &["iota_dimension"]),
    row("log_plus_one_v2", ACCURACY),
    row("log_v2", ACCURACY),
    row("logistic_v2", ACCURACY),
    row("map_v1", &["dimensions"]),
    row("outfeed_v1", &["outfeed_config"]),
    row("pad_v1", &["edge_padding_high", "edge_padding_low", "interior_padding"]),
    row("recv_v1", &["channel_id", "channel_type", "is_host_transfer"]),
    row("recv_v2", &["channel_id", "channel_type", "is_host_transfer", "source_target_pairs"]),
    row("reduce_precision_v1", &["exponent_bits", "mantissa_bits"]),
    row("reduce_scatter_v1", &["channel_id", "replica_groups", "scatter_dimension", "use_global_device_ids"]),
    row("reduce_v1", &["dimensions"]),
    row("reduce_window_v1", &["base_dilations", "padding", "window_dilations", "window_dimensions", "window_strides"]),
    row("reverse_v1", &["dimensions"]),
    row("rng_bit_generator_v1", &["rng_algorithm"]),
    row("rng_v1", &["rng_distribution"]),
    row("rsqrt_v2", ACCURACY),
    row(
        "scatter_v1",
        &[
            "index_vector_dim",
            "indices_are_sorted",
            "inserted_window_dims",
            "scatter_dims_to_operand_dims",
            "unique_indices",
            "update_window_dims",
        ],
    ),
    row(
        "scatter_v2",
        &[
            "index_vector_dim",
            "indices_are_sorted",
            "input_batching_dims",
            "inserted_window_dims",
            "scatter_dims_to_operand_dims",
            "scatter_indices_batching_dims",
            "unique_indices",
            "update_window_dims",
        ],
    ),
    row("select_and_scatter_v1", &["padding", "window_dimensions", "window_strides"]),
    row("send_v1", &["channel_id", "channel_type", "is_host_transfer"]),
    row("send_v2", &["channel_id", "channel_type", "is_host_transfer", "source_target_pairs"]),
    row("set_dimension_size_v1", &["dimension"]),
    row("sine_v2", ACCURACY),
    row("slice_v1", &["limit_indices", "start_indices", "strides"]),
    row("sort_v1", &["dimension", "is_stable"]),
    row("sqrt_v2", ACCURACY),
    row("tan_v2", ACCURACY),
    row("tanh_v2", ACCURACY),
    row("torch_index_select_v1", &["batch_dims", "dim"]),
    row("transpose_v1", &["permutation"]),
    row("triangular_solve_v1", &["left_side", "lower", "transpose_a", "unit_diagonal"]),
    row("unary_einsum_v1", &["einsum_config"]),
];
/// The attributes of VHLO's op of this name, in the order in which they are kept.
pub(super) fn keys(op: &str) -> Option<&'static [&'static str]> {
    ROWS.iter().find(|r| r.op == op).map(|r| r.keys)
}

/// Attributes of an op that the text writes as fields of one.
pub(super) struct Group {
    /// Beginnings of the names of the ops.
    pub(super) ops: &'static [&'static str],
    pub(super) key: &'static str,
    pub(super) dialect_name: &'static str,
    pub(super) fields: &'static [&'static str],
}
/// All groups. Which dimensions of convolutions are what has a form of its own.
pub(super) const GROUPS: &[Group] = &[
    Group {
        ops: &["gather", "dynamic_gather"],
        key: "dimension_numbers",
        dialect_name: "gather",
        fields: &[
            "offset_dims",
            "collapsed_slice_dims",
            "operand_batching_dims",
            "start_indices_batching_dims",
            "start_index_map",
            "index_vector_dim",
        ],
    },
    Group {
        ops: &["scatter"],
        key: "scatter_dimension_numbers",
        dialect_name: "scatter",
        fields: &[
            "update_window_dims",
            "inserted_window_dims",
            "input_batching_dims",
            "scatter_indices_batching_dims",
            "scatter_dims_to_operand_dims",
            "index_vector_dim",
        ],
    },
    Group {
        ops: &["dot_general"],
        key: "dot_dimension_numbers",
        dialect_name: "dot",
        fields: &[
            "lhs_batching_dimensions",
            "rhs_batching_dimensions",
            "lhs_contracting_dimensions",
            "rhs_contracting_dimensions",
        ],
    },
    Group {
        ops: &["dot_general"],
        key: "algorithm",
        dialect_name: "dot_algorithm",
        fields: &[
            "lhs_precision_type",
            "rhs_precision_type",
            "accumulation_type",
            "lhs_component_count",
            "rhs_component_count",
            "num_primitive_operations",
            "allow_imprecise_accumulation",
        ],
    },
];
/// For each of the three tensors of a convolution: its two dimensions that have a letter, and the list of the others.
pub(super) const CONVOLVED: [[(&str, &str); 3]; 3] = [
    [("b", "input_batch_dimension"), ("f", "input_feature_dimension"), ("", "input_spatial_dimensions")],
    [
        ("i", "kernel_input_feature_dimension"),
        ("o", "kernel_output_feature_dimension"),
        ("", "kernel_spatial_dimensions"),
    ],
    [("b", "output_batch_dimension"), ("f", "output_feature_dimension"), ("", "output_spatial_dimensions")],
];
/// Attributes that are lists, and say nothing where those are empty.
pub(super) const LISTS: &[&str] =
    &["called_computations", "operand_layouts", "result_layouts", "output_operand_aliases", "precision_config"];
/// Flags that the text leaves out where they are false.
pub(super) const FLAGS: &[&str] = &["use_global_device_ids", "has_dynamic_root", "has_side_effect"];
