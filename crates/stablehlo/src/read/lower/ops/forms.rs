//! What may be written at an op: its attributes, each under its names and of its kind, what stands without a key, how many
//! regions, and what the types behind `:` are of. An op without a row here has no attributes and no regions.
//!
//! What a dictionary `{…}` holds beyond these is of no concern to the op: MLIR lets anybody add to it. A property `<{…}>`, or a
//! `key = value` of the short form, that no row names is a mistake, or something of a later version that would change what
//! the op does.
use super::super::super::ast::{Attr, AttrKind, Op, TypeKind};
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, args};
use std::collections::HashMap;
use std::sync::LazyLock;
use tfc_ir::{Code, Diagnostic};

/// What an attribute holds.
#[derive(Clone, Copy)]
enum Kind {
    /// An integer of this type, at least that.
    Int(&'static str, i64),
    /// A version of how calls are made.
    Version,
    /// Integers of 64 bits.
    Ints,
    /// Truth values, one an axis.
    Flags,
    Flag,
    Number,
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of these words, at most two.
    Words(&'static [&'static str]),
    /// Fields of these names, or lists joined by `x` and `->`.
    Fields(&'static [&'static str]),
    Symbol,
    Dense,
    /// A text or a dictionary.
    Config,
    Any,
}
/// An attribute: the name of the generic form, that of the short form, what it holds, and whether the generic form has to
/// hold it.
struct Key(&'static str, &'static str, Kind, bool);

/// Of what the types are that are written without a function type.
#[derive(Clone, Copy, PartialEq)]
pub(in super::super) enum Written {
    /// One of all operands and results, or one an operand.
    Same,
    /// The predicate, then all else.
    Select,
    /// The operands, one each.
    Operands,
    /// The results.
    Results,
}
/// What may be written at an op.
pub(in super::super) struct Form {
    keys: &'static [Key],
    /// Anything: ops that are no part of StableHLO.
    open: bool,
    /// How many things may stand without a key.
    bare: usize,
    regions: (usize, usize),
    pub(in super::super) types: Written,
}
const MANY: usize = usize::MAX;
const fn form(keys: &'static [Key]) -> Form {
    Form { keys, open: false, bare: 0, regions: (0, 0), types: Written::Same }
}
impl Form {
    const fn bare(self, bare: usize) -> Form {
        Form { bare, ..self }
    }
    const fn regions(self, least: usize, most: usize) -> Form {
        Form { regions: (least, most), ..self }
    }
    const fn types(self, types: Written) -> Form {
        Form { types, ..self }
    }
    const fn open(self) -> Form {
        Form { open: true, bare: MANY, ..self }
    }
}

const DIRECTIONS: &[&str] = &["EQ", "NE", "LT", "LE", "GT", "GE"];
const COMPARED: &[&str] = &["FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED", "NOTYPE"];
const PRECISIONS: &[&str] = &["DEFAULT", "HIGH", "HIGHEST"];
const GATHERED: &[&str] = &[
    "offset_dims",
    "collapsed_slice_dims",
    "operand_batching_dims",
    "start_indices_batching_dims",
    "start_index_map",
    "index_vector_dim",
];
const SCATTERED: &[&str] = &[
    "update_window_dims",
    "inserted_window_dims",
    "input_batching_dims",
    "scatter_indices_batching_dims",
    "scatter_dims_to_operand_dims",
    "index_vector_dim",
];
const CONTRACTED: &[&str] =
    &["lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions", "rhs_contracting_dimensions"];
const RAGGED: &[&str] = &[
    "lhs_batching_dimensions",
    "rhs_batching_dimensions",
    "lhs_contracting_dimensions",
    "rhs_contracting_dimensions",
    "lhs_ragged_dimensions",
    "rhs_group_dimensions",
];
const ALGORITHM: &[&str] = &[
    "lhs_precision_type",
    "rhs_precision_type",
    "accumulation_type",
    "lhs_component_count",
    "rhs_component_count",
    "num_primitive_operations",
    "allow_imprecise_accumulation",
];
const WINDOW: &[&str] = &["stride", "pad", "lhs_dilate", "rhs_dilate", "reverse"];
const CHANNEL: &[&str] = &["handle", "type"];

const fn int(name: &'static str, short: &'static str) -> Key {
    Key(name, short, Kind::Int("i64", 0), true)
}
const fn ints(name: &'static str, short: &'static str) -> Key {
    Key(name, short, Kind::Ints, true)
}
const fn more(name: &'static str) -> Key {
    Key(name, name, Kind::Ints, false)
}
const fn flag(name: &'static str) -> Key {
    Key(name, name, Kind::Flag, false)
}
const fn needed(name: &'static str, kind: Kind) -> Key {
    Key(name, name, kind, true)
}
const fn may(name: &'static str, kind: Kind) -> Key {
    Key(name, name, kind, false)
}
const PRECISION: Key = Key("precision_config", "precision", Kind::Words(PRECISIONS), false);
const NUMBERS: Key = Key("dimension_numbers", "dim_numbers", Kind::Fields(&[]), true);
const GROUPS: Key = needed("replica_groups", Kind::Dense);
const HANDLE: Key = may("channel_handle", Kind::Fields(CHANNEL));
const ACCURACY: Form = form(&[may("result_accuracy", Kind::Any)]);

const CALL: Form = form(&[may("callee", Kind::Symbol)]).bare(1);
const RETURN: Form = form(&[]).types(Written::Operands);
const NORM: Form = form(&[needed("epsilon", Kind::Number), int("feature_index", "feature_index")]);

const FORMS: &[(&str, Form)] = &[
    ("call", CALL),
    ("func.call", CALL),
    ("return", RETURN),
    ("func.return", RETURN),
    ("stablehlo.return", RETURN),
    ("chlo.return", RETURN),
    ("stablehlo.add", form(&[])),
    ("stablehlo.subtract", form(&[])),
    ("stablehlo.multiply", form(&[])),
    ("stablehlo.negate", form(&[])),
    ("stablehlo.not", form(&[])),
    ("stablehlo.shift_left", form(&[])),
    ("stablehlo.and", form(&[])),
    ("stablehlo.or", form(&[])),
    ("stablehlo.xor", form(&[])),
    ("stablehlo.maximum", form(&[])),
    ("stablehlo.minimum", form(&[])),
    ("stablehlo.popcnt", form(&[])),
    ("stablehlo.shift_right_logical", form(&[])),
    ("stablehlo.reshape", form(&[])),
    ("stablehlo.optimization_barrier", form(&[]).types(Written::Operands)),
    ("stablehlo.convert", form(&[])),
    ("stablehlo.cbrt", ACCURACY),
    ("stablehlo.cosine", ACCURACY),
    ("stablehlo.exponential", ACCURACY),
    ("stablehlo.exponential_minus_one", ACCURACY),
    ("stablehlo.log", ACCURACY),
    ("stablehlo.log_plus_one", ACCURACY),
    ("stablehlo.logistic", ACCURACY),
    ("stablehlo.rsqrt", ACCURACY),
    ("stablehlo.sine", ACCURACY),
    ("stablehlo.sqrt", ACCURACY),
    ("stablehlo.tan", ACCURACY),
    ("stablehlo.tanh", ACCURACY),
    ("stablehlo.constant", form(&[may("value", Kind::Dense)]).bare(1)),
    ("chlo.constant", form(&[may("value", Kind::Dense)]).bare(1)),
    ("chlo.constant_like", form(&[needed("value", Kind::Number)])),
    ("stablehlo.complex", form(&[]).types(Written::Results)),
    ("stablehlo.select", form(&[]).types(Written::Select)),
    (
        "stablehlo.compare",
        form(&[may("comparison_direction", Kind::Word(DIRECTIONS)), may("compare_type", Kind::Word(COMPARED))]).bare(2),
    ),
    (
        "stablehlo.reduce_precision",
        form(&[
            may("exponent_bits", Kind::Int("i32", 1)),
            may("mantissa_bits", Kind::Int("i32", 0)),
            may("format", Kind::Any),
        ]),
    ),
    ("stablehlo.broadcast", form(&[ints("broadcast_sizes", "sizes")])),
    ("stablehlo.broadcast_in_dim", form(&[ints("broadcast_dimensions", "dims")])),
    ("stablehlo.concatenate", form(&[int("dimension", "dim")])),
    ("stablehlo.dynamic_slice", form(&[ints("slice_sizes", "sizes")])),
    ("stablehlo.iota", form(&[int("iota_dimension", "dim")])),
    (
        "stablehlo.pad",
        form(&[
            ints("edge_padding_low", "low"),
            ints("edge_padding_high", "high"),
            ints("interior_padding", "interior"),
        ]),
    ),
    ("stablehlo.reverse", form(&[ints("dimensions", "dims")])),
    ("stablehlo.slice", form(&[more("start_indices"), more("limit_indices"), more("strides")]).bare(1)),
    ("stablehlo.transpose", form(&[ints("permutation", "dims")])),
    (
        "stablehlo.dynamic_broadcast_in_dim",
        form(&[
            ints("broadcast_dimensions", "dims"),
            more("known_expanding_dimensions"),
            more("known_nonexpanding_dimensions"),
        ]),
    ),
    (
        "stablehlo.dynamic_gather",
        form(&[needed("dimension_numbers", Kind::Fields(GATHERED)), flag("indices_are_sorted")]),
    ),
    ("stablehlo.dynamic_iota", form(&[int("iota_dimension", "dim")])),
    ("stablehlo.get_dimension_size", form(&[int("dimension", "dim")])),
    ("stablehlo.set_dimension_size", form(&[int("dimension", "dim")])),
    (
        "stablehlo.gather",
        form(&[
            needed("dimension_numbers", Kind::Fields(GATHERED)),
            ints("slice_sizes", "slice_sizes"),
            flag("indices_are_sorted"),
        ]),
    ),
    (
        "stablehlo.scatter",
        form(&[
            needed("scatter_dimension_numbers", Kind::Fields(SCATTERED)),
            flag("indices_are_sorted"),
            flag("unique_indices"),
        ])
        .regions(1, 1),
    ),
    ("stablehlo.dot", form(&[PRECISION])),
    (
        "stablehlo.dot_general",
        form(&[
            may("dot_dimension_numbers", Kind::Fields(CONTRACTED)),
            may("batching_dims", Kind::Fields(&[])),
            may("contracting_dims", Kind::Fields(&[])),
            PRECISION,
            may("algorithm", Kind::Fields(ALGORITHM)),
        ]),
    ),
    ("chlo.ragged_dot", form(&[needed("ragged_dot_dimension_numbers", Kind::Fields(RAGGED)), PRECISION])),
    (
        "stablehlo.convolution",
        form(&[
            NUMBERS,
            may("window", Kind::Fields(WINDOW)),
            more("window_strides"),
            more("padding"),
            more("lhs_dilation"),
            more("rhs_dilation"),
            may("window_reversal", Kind::Flags),
            Key("feature_group_count", "feature_group_count", Kind::Int("i64", 1), true),
            Key("batch_group_count", "batch_group_count", Kind::Int("i64", 1), true),
            PRECISION,
        ]),
    ),
    (
        "stablehlo.dynamic_conv",
        form(&[
            NUMBERS,
            may("window", Kind::Fields(WINDOW)),
            more("window_strides"),
            more("lhs_dilation"),
            more("rhs_dilation"),
            may("window_reversal", Kind::Flags),
            Key("feature_group_count", "feature_group_count", Kind::Int("i64", 1), true),
            Key("batch_group_count", "batch_group_count", Kind::Int("i64", 1), true),
            PRECISION,
        ]),
    ),
    ("stablehlo.map", form(&[ints("dimensions", "dims")]).regions(1, 1)),
    ("stablehlo.reduce", form(&[ints("dimensions", "dimensions")]).bare(1).regions(0, 1)),
    (
        "stablehlo.reduce_window",
        form(&[
            ints("window_dimensions", "window_dimensions"),
            more("window_strides"),
            more("base_dilations"),
            more("window_dilations"),
            more("padding"),
        ])
        .regions(1, 1),
    ),
    (
        "stablehlo.select_and_scatter",
        form(&[more("window_dimensions"), more("window_strides"), more("padding")]).regions(2, 2),
    ),
    ("stablehlo.sort", form(&[may("dimension", Kind::Int("i64", i64::MIN)), flag("is_stable")]).regions(1, 1)),
    ("chlo.top_k", form(&[int("k", "k")])),
    ("stablehlo.cholesky", form(&[flag("lower")])),
    (
        "stablehlo.triangular_solve",
        form(&[
            needed("left_side", Kind::Flag),
            needed("lower", Kind::Flag),
            needed("unit_diagonal", Kind::Flag),
            needed("transpose_a", Kind::Word(&["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])),
        ]),
    ),
    (
        "stablehlo.fft",
        form(&[
            Key("fft_type", "type", Kind::Word(&["FFT", "IFFT", "RFFT", "IRFFT"]), true),
            ints("fft_length", "length"),
        ]),
    ),
    (
        "stablehlo.rng_bit_generator",
        form(&[Key("rng_algorithm", "algorithm", Kind::Word(&["DEFAULT", "THREE_FRY", "PHILOX"]), true)]),
    ),
    ("stablehlo.batch_norm_grad", NORM),
    ("stablehlo.batch_norm_inference", NORM),
    ("stablehlo.batch_norm_training", NORM),
    ("stablehlo.case", form(&[]).regions(0, MANY)),
    ("stablehlo.if", form(&[]).regions(0, MANY)),
    (
        "stablehlo.while",
        // What Enzyme and others add has a dot.
        form(&[]).types(Written::Operands).regions(2, 2),
    ),
    (
        "chlo.scan",
        form(&[
            int("dimension", "dimension"),
            flag("is_reverse"),
            may("is_associative", Kind::Any),
            may("operandSegmentSizes", Kind::Any),
            may("resultSegmentSizes", Kind::Any),
        ])
        .regions(1, 1),
    ),
    ("stablehlo.tuple", form(&[]).types(Written::Results)),
    ("stablehlo.get_tuple_element", form(&[may("index", Kind::Int("i32", 0))]).bare(1)),
    (
        "stablehlo.composite",
        form(&[
            may("name", Kind::Text),
            may("composite_attributes", Kind::Any),
            may("decomposition", Kind::Symbol),
            may("version", Kind::Int("i32", 0)),
            may("composite_regions", Kind::Any),
        ])
        .bare(1),
    ),
    (
        "stablehlo.custom_call",
        form(&[
            may("call_target_name", Kind::Text),
            flag("has_side_effect"),
            may("backend_config", Kind::Config),
            may("api_version", Kind::Version),
            may("called_computations", Kind::Any),
            may("operand_layouts", Kind::Any),
            may("result_layouts", Kind::Any),
            may("output_operand_aliases", Kind::Any),
            may("indices_of_shape_operands", Kind::Ints),
        ])
        .bare(1),
    ),
    (
        "stablehlo.all_gather",
        form(&[int("all_gather_dim", "all_gather_dim"), GROUPS, HANDLE, flag("use_global_device_ids")]),
    ),
    ("stablehlo.all_reduce", form(&[GROUPS, HANDLE, flag("use_global_device_ids")]).regions(1, 1)),
    (
        "stablehlo.all_to_all",
        form(&[
            int("split_dimension", "split_dimension"),
            int("concat_dimension", "concat_dimension"),
            Key("split_count", "split_count", Kind::Int("i64", 1), true),
            GROUPS,
            HANDLE,
        ]),
    ),
    ("stablehlo.collective_broadcast", form(&[GROUPS, HANDLE])),
    ("stablehlo.collective_permute", form(&[needed("source_target_pairs", Kind::Dense), HANDLE])),
    (
        "stablehlo.reduce_scatter",
        form(&[int("scatter_dimension", "scatter_dimension"), GROUPS, HANDLE, flag("use_global_device_ids")])
            .regions(1, 1),
    ),
    (
        "chlo.broadcast_compare",
        form(&[
            more("broadcast_dimensions"),
            may("comparison_direction", Kind::Word(DIRECTIONS)),
            may("compare_type", Kind::Word(COMPARED)),
        ])
        .bare(2),
    ),
    ("sdy.propagation_barrier", form(&[]).open()),
    ("sdy.reshard", form(&[]).open()),
    ("sdy.sharding_constraint", form(&[]).open()),
    ("sdy.sharding_group", form(&[]).open()),
];
static TABLE: LazyLock<HashMap<&'static str, &'static Form>> =
    LazyLock::new(|| FORMS.iter().map(|(name, form)| (*name, form)).collect());

/// What may be written at an op of that name.
pub(in super::super) fn of(name: &str) -> &'static Form {
    static PLAIN: Form = form(&[]);
    static SPREAD: Form = form(&[more("broadcast_dimensions")]);
    static OPEN: Form = form(&[]).open();
    match TABLE.get(name) {
        Some(form) => form,
        None if name.starts_with("chlo.broadcast_") => &SPREAD,
        None if ["check.", "interpreter.", "enzyme."].iter().any(|d| name.starts_with(d)) => &OPEN,
        None => &PLAIN,
    }
}

/// Checks that everything that is written at the op is something that it may have.
pub(in super::super) fn check<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>) -> Made<()> {
    let (form, name) = (of(op.name.text), op.name.text);
    for (i, (key, a)) in op.attrs.iter().enumerate() {
        if op.attrs.iter().take(i).any(|other| other.0.text == key.text) {
            return Err(args::wrong(key.span, format!("`{}` is written twice", key.text), "leave one out"));
        }
        if form.open || key.text.contains('.') {
            continue;
        }
        match form.keys.iter().find(|k| k.0 == key.text || k.1 == key.text) {
            Some(k) => {
                if let Some(what) = refuses(cx, k.2, cx.resolve(a)) {
                    return Err(args::wrong(
                        a.span,
                        format!("`{}` is not {what}", key.text),
                        format!("{what} is expected here"),
                    ));
                }
            }
            None if op.loose.contains(&key.span) => {}
            None => {
                let names: Vec<String> = form.keys.iter().map(|k| format!("`{}`", k.0)).collect();
                let help = match names.as_slice() {
                    [] => "it has no attributes".to_owned(),
                    names => format!("its attributes are {}", names.join(", ")),
                };
                return Err(args::wrong(key.span, format!("`{name}` has no attribute `{}`", key.text), help));
            }
        }
    }
    for k in form.keys.iter().filter(|k| k.3) {
        if !op.attrs.iter().any(|(key, _)| key.text == k.0 || key.text == k.1) {
            let text = format!("`{name}` has no `{}`", k.0);
            return Err(args::wrong(op.name.span, text, format!("`{}` says what it does: write it", k.0)));
        }
    }
    if op.given.len() > form.bare {
        let extra = op.given.get(form.bare).map_or(op.span, |a| a.span);
        return Err(args::wrong(extra, format!("`{name}` does not take this"), "leave it out, or write its key"));
    }
    let (least, most) = form.regions;
    if !(least..=most).contains(&op.regions.len()) {
        let text = format!("`{name}` has {} regions, not {least}", op.regions.len());
        return Err(Diagnostic::error(Code::E0244, op.span, text).help("write as many as it takes").into_stop());
    }
    Ok(())
}

/// What is expected in place of `a`.
fn refuses<'a>(cx: &FuncCx<'a>, kind: Kind, a: &'a Attr<'a>) -> Option<&'static str> {
    let number = |a: &Attr, ty: &str| match a.kind {
        AttrKind::Num(n) if a.of.is_empty() || a.of == ty => n.parse::<i64>().ok(),
        _ => None,
    };
    let integers = |a: &Attr, of: &str| match &a.kind {
        AttrKind::List(_) => a.of.is_empty() || a.of == of,
        AttrKind::Dense(_, Some(t)) => matches!(t.kind, TypeKind::Tensor(_, element, _) if element == of),
        // As JAX wrote it before 2024.
        AttrKind::Num(_) => a.of.is_empty() || a.of == of,
        _ => false,
    };
    let word = |a: &Attr, list: &[&str]| matches!(a.kind, AttrKind::Word(w) if list.contains(&w));
    let ok = match kind {
        Kind::Int(ty, least) => {
            return match (number(a, ty), ty, least) {
                (Some(n), ..) if n >= least => None,
                (_, "i32", _) => Some("an integer of 32 bits that is not negative"),
                (_, _, i64::MIN) => Some("an integer of 64 bits"),
                (_, _, 1) => Some("an integer of 64 bits that is at least 1"),
                _ => Some("an integer of 64 bits that is not negative"),
            };
        }
        Kind::Version => {
            let known = number(a, "i32").is_some_and(|n| (0..=4).contains(&n));
            return (!known).then_some("an integer of 32 bits from 0 to 4");
        }
        Kind::Ints => return (!integers(a, "i64")).then_some("a list of integers of 64 bits"),
        Kind::Flags => return (!integers(a, "i1")).then_some("a list of truth values"),
        Kind::Flag => return (!matches!(a.kind, AttrKind::Bool(_) | AttrKind::Unit)).then_some("a truth value"),
        Kind::Number => return (!matches!(a.kind, AttrKind::Num(_))).then_some("a number"),
        Kind::Text => return (!matches!(a.kind, AttrKind::Str(_))).then_some("a text"),
        Kind::Symbol => return (!matches!(a.kind, AttrKind::Symbol(_))).then_some("a function's name"),
        Kind::Dense => return (!matches!(a.kind, AttrKind::Dense(..))).then_some("a constant, `dense<…>`"),
        Kind::Word(list) => word(a, list),
        Kind::Words(list) => match &a.kind {
            AttrKind::List(l) => l.len() <= 2 && l.iter().all(|a| word(cx.resolve(a), list)),
            _ => false,
        },
        Kind::Fields(names) => match &a.kind {
            AttrKind::Struct(l) | AttrKind::Dict(l) => l
                .iter()
                .enumerate()
                .all(|(i, (k, _))| names.contains(&k.text) && !l.iter().take(i).any(|other| other.0.text == k.text)),
            AttrKind::Product(_) => names.is_empty(),
            _ => false,
        },
        Kind::Config => {
            let ok = matches!(a.kind, AttrKind::Str(_) | AttrKind::Dict(_));
            return (!ok).then_some("a text or a dictionary");
        }
        Kind::Any => true,
    };
    (!ok).then_some(match kind {
        Kind::Word(_) => "a word that it may hold",
        Kind::Words(_) => "a list of DEFAULT, HIGH or HIGHEST, one an operand",
        _ => "made of fields that it has, each once",
    })
}
