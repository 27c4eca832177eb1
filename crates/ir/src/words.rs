//! What other libraries call things: names of NumPy, SciPy, JAX, PyTorch and StableHLO, with the ops that do the same, or the words
//! in which a program says it. Messages about unknown ops, `tfc ops` and `tfc explain` look here.

/// Names, the ops that do the same, and what to write.
type Entry = (&'static str, &'static [&'static str], &'static str);

/// Some name of a library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Foreign {
    /// Ops that do the same, the nearest first; none where something else does.
    pub ops: &'static [&'static str],
    /// How it is written here; empty where the op's page says all.
    pub note: &'static str,
}
impl Foreign {
    /// One sentence about `word`, which is the name as it was given.
    pub fn text(&self, word: &str) -> String {
        let ops: Vec<String> = self.ops.iter().map(|o| format!("`{o}`")).collect();
        match (&ops[..], self.note) {
            ([], note) => format!("`{word}` is written {note}"),
            (ops, "") => format!("`{word}` is {} here", ops.join(" or ")),
            (ops, note) => format!("`{word}` is {} here: {note}", ops.join(" or ")),
        }
    }
}

/// What is meant by a name that is none of an op: with its module or without it, in any case.
pub fn foreign(word: &str) -> Option<Foreign> {
    let last = word.rsplit('.').next().unwrap_or(word).to_ascii_lowercase();
    let found = |e: &&Entry| e.0.split(' ').any(|w| w == last);
    WORDS.iter().find(found).map(|&(_, ops, note)| Foreign { ops, note })
}

/// What somebody means who writes a name that is none of `ops`, as help; `None` where nothing is near.
pub fn meant(name: &str, ops: &[&'static str]) -> Option<String> {
    let mean = |near: &str| format!("did you mean `{near}`?");
    if let Some(known) = foreign(name) {
        return Some(known.text(name));
    }
    if let Some(near) = nearest(name, ops.iter().copied()) {
        return Some(mean(near));
    }
    // Without its family, or as elsewhere.
    let last = |op: &'static str| op.rsplit('.').next().unwrap_or(op);
    let word = name.rsplit('.').next().unwrap_or(name);
    // With the module that another language has it in.
    if let Some(op) = ops.iter().find(|op| **op == word) {
        return Some(mean(op));
    }
    if let Some(op) = ops.iter().find(|op| op.contains('.') && last(op) == word) {
        return Some(mean(op));
    }
    // Short words are near to anything.
    if word.chars().count() < 4 {
        return None;
    }
    let near = nearest(word, ops.iter().copied().map(last).chain(words()))?;
    match (ops.iter().find(|op| last(op) == near), foreign(near)) {
        (Some(op), _) => Some(mean(op)),
        (None, known) => Some(format!("did you mean `{near}`? {}", known?.text(near))),
    }
}

/// The attribute among `names` that `word` is in other libraries.
pub fn attribute<'n>(word: &str, names: &[&'n str]) -> Option<&'n str> {
    const SAME: &[(&str, &[&str])] = &[
        ("dim dims axis dimension dimensions", &["axes", "axis", "dims"]),
        ("argnums argnum inputs", &["wrt"]),
        ("in_axes in_dims", &["in"]),
        ("out_axes out_dims", &["out"]),
        ("a_min min minimum", &["low"]),
        ("a_max max maximum", &["high"]),
        ("full_matrices", &["mode"]),
        ("steps n_steps num_steps", &["length"]),
    ];
    let meant = SAME.iter().find(|(words, _)| words.split(' ').any(|w| w == word))?.1;
    meant.iter().find_map(|m| names.iter().copied().find(|n| n == m))
}

/// The dtype that `word` is in other languages.
pub fn dtype(word: &str) -> Option<&'static str> {
    const SAME: &[(&str, &str)] = &[
        ("float float32 Float32 single real4", "f32"),
        ("double float64 Float64 real real8", "f64"),
        ("half float16", "f16"),
        ("bfloat16", "bf16"),
        ("int int64 long Int64 integer index", "i64"),
        ("int32 Int32", "i32"),
        ("int16 short", "i16"),
        ("int8 char", "i8"),
        ("uint8 byte", "u8"),
        ("uint16", "u16"),
        ("uint32 unsigned", "u32"),
        ("uint64 size_t usize", "u64"),
        ("boolean logical bool_ i1", "bool"),
        ("complex complex128 ComplexF64", "c64"),
        ("complex64", "c32"),
    ];
    SAME.iter().find(|(words, _)| words.split(' ').any(|w| w == word)).map(|s| s.1)
}

/// All ops that are named, for a test: each is one.
pub fn named() -> impl Iterator<Item = &'static str> {
    WORDS.iter().flat_map(|e| e.1.iter().copied())
}
/// All names of other libraries.
pub fn words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().flat_map(|e| e.0.split(' '))
}

/// The candidate nearest to `name` by edits, if one is near enough to be meant; the first by name among equals.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let limit = (name.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for c in candidates {
        if c == name || c.len().abs_diff(name.len()) > 4 * limit {
            continue;
        }
        // Single letters are all alike: nobody meant the other one.
        let shorter = c.chars().count().min(name.chars().count());
        let d = if c.eq_ignore_ascii_case(name) { 0 } else { distance(name, c) };
        if d <= limit && (d < shorter || d == 0) && best.is_none_or(|b| (d, c) < b) {
            best = Some((d, c));
        }
    }
    best.map(|b| b.1)
}

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows = vec![vec![0usize; b.len() + 1]; 3];
    rows[1] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        rows[2][0] = i;
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut d = (rows[1][j] + 1).min(rows[2][j - 1] + 1).min(rows[1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                d = d.min(rows[0][j - 2] + 1);
            }
            rows[2][j] = d;
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

const WORDS: &[Entry] = &[
    // Making values.
    ("zeros zeros_like new_zeros", &[], "as a literal with its type: `%z: f64[n] = 0`"),
    ("ones ones_like new_ones", &[], "as a literal with its type: `%z: f64[n] = 1`"),
    (
        "full full_like fill fill_ constant array tensor asarray",
        &["const"],
        "a literal with its type: `%c: f64[2] = [0.5, 1.5]`",
    ),
    ("eye identity", &["embed_diag"], "`%one: f64[n] = 1`, then `%eye = embed_diag(%one)`"),
    ("arange range", &["iota"], "`%i: i64[n] = iota(axis = 0)` counts from 0"),
    ("logspace geomspace", &["linspace", "exp"], "`exp` of a `linspace` of the logarithms"),
    ("meshgrid", &[], "by new axes where the values meet: `mul(%x[:, _], %y[_, :])`"),
    ("rand uniform random_uniform rng_uniform", &["random.uniform"], "`%u: f64[n] = random.uniform(%key)`"),
    ("randn normal standard_normal rng_normal", &["random.normal"], "`%u: f64[n] = random.normal(%key)`"),
    ("randint", &["random.bits"], "`rem(%bits, m)` of unsigned bits"),
    ("prngkey key seed manual_seed default_rng", &["random.key"], ""),
    ("choice multinomial", &["random.categorical"], ""),
    ("shuffle randperm permutation", &["random.permutation"], ""),
    ("bernoulli", &["random.bernoulli"], ""),
    (
        "split",
        &["slice", "random.split"],
        "parts of a value are picked: `%x[:k]`, `%x[k:]`; keys are split by `random.split`",
    ),
    // Elementwise.
    ("plus", &["add"], ""),
    ("subtract minus", &["sub"], ""),
    ("multiply times", &["mul"], ""),
    ("divide true_divide truediv", &["div"], ""),
    ("floor_divide floordiv", &["floor", "div"], "`floor(div(%x, %y))`; `div` of integers goes towards 0"),
    ("mod remainder fmod", &["rem"], "its sign is that of the dividend"),
    ("negative", &["neg"], ""),
    ("absolute fabs magnitude modulus", &["abs"], ""),
    ("square", &["mul"], "`mul(%x, %x)`"),
    ("reciprocal", &["div"], "`div(1, %x)`"),
    ("power float_power", &["pow"], ""),
    ("hypot", &["sqrt"], "`abs(complex(%x, %y))`, which does not overflow"),
    ("ln exponential_e", &["log"], ""),
    ("exponential", &["exp"], ""),
    ("exponential_minus_one", &["expm1"], ""),
    ("log_plus_one", &["log1p"], ""),
    ("logaddexp", &["logsumexp"], "`logsumexp(stack(%x, %y), axes = [0])`"),
    ("sine", &["sin"], ""),
    ("cosine", &["cos"], ""),
    ("tangent", &["tan"], ""),
    ("arcsin", &["asin"], ""),
    ("arccos", &["acos"], ""),
    ("arctan", &["atan"], ""),
    ("arctan2 angle phase", &["atan2"], "the angle of a complex number is `atan2(imag(%z), real(%z))`"),
    ("arcsinh", &["asinh"], ""),
    ("arccosh", &["acosh"], ""),
    ("arctanh", &["atanh"], ""),
    ("deg2rad radians rad2deg degrees", &["mul"], "`mul(%x, 0.017453292519943295)`, or by its inverse"),
    ("maximum fmax", &["max"], "of two values; over axes it is `reduce_max`"),
    ("minimum fmin", &["min"], "of two values; over axes it is `reduce_min`"),
    ("clip clamp_", &["clamp"], "`clamp(lo, %x, hi)`"),
    ("where if_else ifelse", &["select"], "`select(%p, %x, %y)`; `cond` runs one of two regions"),
    ("sigmoid expit", &["logistic"], ""),
    ("swish", &["silu"], ""),
    ("log_sigmoid logsigmoid", &["softplus"], "`neg(softplus(neg(%x)))`"),
    ("relu6", &["clamp"], "`clamp(0, %x, 6)`"),
    ("leaky_relu elu", &["select"], "`select(gt(%x, 0), %x, mul(%x, 0.01))`"),
    ("sgn signum", &["sign"], ""),
    ("rint nearbyint", &["round_even"], ""),
    ("trunc fix", &["select"], "`select(lt(%x, 0), ceil(%x), floor(%x))`"),
    ("isnan", &["ne"], "`ne(%x, %x)`"),
    ("isfinite", &["is_finite"], ""),
    ("isinf", &["eq"], "`eq(abs(%x), inf)`"),
    ("nan_to_num", &["select"], "`select(is_finite(%x), %x, 0)`"),
    ("equal", &["eq"], ""),
    ("not_equal", &["ne"], ""),
    ("less", &["lt"], ""),
    ("less_equal", &["le"], ""),
    ("greater", &["gt"], ""),
    ("greater_equal", &["ge"], ""),
    ("compare", &["eq", "ne", "lt", "le", "gt", "ge"], ""),
    ("logical_and bitwise_and", &["and"], ""),
    ("logical_or bitwise_or", &["or"], ""),
    ("logical_not bitwise_not invert", &["not"], ""),
    ("logical_xor bitwise_xor", &["xor"], ""),
    ("left_shift shift_left", &["shl"], ""),
    ("right_shift shift_right_arithmetic", &["shr_arith"], ""),
    ("shift_right_logical", &["shr_logical"], ""),
    ("astype cast to type float int", &["convert"], "by the name of the dtype: `f32(%x)`"),
    ("bitcast_convert frombuffer", &["bitcast"], ""),
    ("view", &["reshape", "bitcast"], "`reshape` where extents change, `bitcast` where the dtype does"),
    ("conjugate", &["conj"], ""),
    ("erfinv", &["erf_inv"], ""),
    ("gammaln loggamma", &["lgamma"], ""),
    ("psi", &["digamma"], ""),
    ("i0e", &["bessel_i0e"], ""),
    ("i1e", &["bessel_i1e"], ""),
    ("fma muladd", &["add"], "`add(mul(%x, %y), %z)`"),
    // Over axes.
    ("sum nansum", &["reduce_sum"], "over all axes, or over `axes = [0]`"),
    ("prod product", &["reduce_prod"], "over all axes, or over `axes = [0]`"),
    ("amax", &["reduce_max"], ""),
    ("amin", &["reduce_min"], ""),
    ("any", &["reduce_or"], ""),
    ("all", &["reduce_and"], ""),
    ("average", &["mean"], ""),
    ("std", &["var"], "`sqrt(var(%x))`"),
    ("variance", &["var"], ""),
    ("median quantile percentile", &["sort"], "a place of the sorted values: `sort(%x)[k]`"),
    ("count_nonzero", &["reduce_sum"], "`reduce_sum(i64(%p))`"),
    ("ptp", &["reduce_max", "reduce_min"], "their difference"),
    ("cumulative_sum", &["cumsum"], ""),
    ("diff", &["sub"], "`sub(%x[1:], %x[:-1])`"),
    ("softmin", &["softmax"], "of `neg(%x)`"),
    ("layernorm", &["layer_norm"], ""),
    ("rmsnorm", &["rms_norm"], ""),
    ("max_pool avg_pool maxpool avgpool max_pool2d avg_pool2d", &["reduce_window"], ""),
    ("conv1d conv2d conv3d convolution convolve conv_general_dilated correlate", &["conv"], ""),
    ("mse mse_loss", &["mean"], "`mean(mul(sub(%x, %y), sub(%x, %y)))`"),
    ("cross_entropy nll_loss", &["log_softmax"], ""),
    // Products.
    ("dot inner vdot mm mv bmm", &["matmul", "dot_general"], ""),
    ("tensordot", &["dot_general", "einsum"], ""),
    ("outer", &["mul"], "`mul(%x[:, _], %y[_, :])`"),
    ("norm", &["linalg.norm"], ""),
    ("svd", &["linalg.svd"], ""),
    ("solve", &["linalg.solve"], ""),
    ("solve_triangular triangular_solve", &["linalg.triangular_solve"], ""),
    ("inv inverse", &["linalg.inv"], "to solve, use `linalg.solve`"),
    ("pinv", &["linalg.pinv"], ""),
    ("det", &["linalg.det"], ""),
    ("slogdet logdet", &["linalg.slogdet"], ""),
    ("qr", &["linalg.qr"], ""),
    ("lu lu_factor", &["linalg.lu", "linalg.lu_factor"], ""),
    ("cholesky cho_factor", &["linalg.cholesky"], ""),
    ("eig", &["linalg.eig"], ""),
    ("eigh", &["linalg.eigh"], ""),
    ("eigvals", &["linalg.eigvals"], ""),
    ("eigvalsh", &["linalg.eigvalsh"], ""),
    ("lstsq", &["linalg.lstsq"], ""),
    ("expm matrix_exp", &["linalg.expm"], ""),
    ("logm", &["linalg.logm"], ""),
    ("sqrtm", &["linalg.sqrtm"], ""),
    ("kron", &["linalg.kron"], ""),
    ("trace", &["linalg.trace"], ""),
    ("schur", &["linalg.schur"], ""),
    ("hessenberg", &["linalg.hessenberg"], ""),
    ("svdvals", &["linalg.svdvals"], ""),
    ("fft", &["fft.fft"], ""),
    ("ifft", &["fft.ifft"], ""),
    ("rfft", &["fft.rfft"], ""),
    ("irfft", &["fft.irfft"], ""),
    ("fft2 fftn", &["fft.fft"], "over several `axes`"),
    ("ifft2 ifftn", &["fft.ifft"], "over several `axes`"),
    // Shapes.
    ("concatenate cat hstack vstack column_stack append", &["concat", "stack"], ""),
    ("flip fliplr flipud", &["reverse"], ""),
    ("permute swapaxes moveaxis t", &["transpose"], ""),
    ("expand_dims unsqueeze newaxis", &["broadcast_in_dim"], "`_` in brackets: `%x[_, :]`"),
    ("squeeze", &["reshape"], "a number in brackets: `%x[0]`"),
    ("ravel flatten", &["reshape"], "`%y: f64[m*n] = reshape(%x)`"),
    ("broadcast broadcast_to expand", &["broadcast_in_dim"], ""),
    ("tile repeat", &["broadcast_in_dim", "concat"], ""),
    ("getitem index_select index dynamic_index_in_dim", &["take"], "in brackets: `%x[%i]`"),
    ("take_along_axis", &["gather"], ""),
    ("index_add segment_sum bincount index_put add_at", &["scatter_add"], ""),
    ("index_update put set", &["scatter", "dynamic_update_slice"], ""),
    ("diag diagonal", &["extract_diag", "embed_diag"], ""),
    ("argwhere flatnonzero", &["nonzero"], ""),
    ("extract boolean_mask masked_select", &["compress"], ""),
    ("topk", &["top_k"], ""),
    ("unfold sliding_window_view", &["windows"], ""),
    ("fold col2im", &["overlap_add"], ""),
    ("len shape size numel dim", &["dim_value"], "`dim_value(shape[n])`"),
    ("flip_left_right", &["reverse"], ""),
    // Control, derivatives, checks.
    ("for fori_loop foreach", &["scan", "while"], ""),
    ("while_loop do", &["while"], ""),
    (
        "linear dense",
        &["matmul"],
        "`dense` of the library: `import \"tfc/layers.tfir\" as nn`, then `call(@nn.dense, %x, …)`",
    ),
    ("if ifthenelse", &["cond"], "`cond(%p, %x) { then(…) {…} else(…) {…} }`; elementwise it is `select`"),
    ("case match", &["switch"], ""),
    ("map pmap vectorize", &["vmap"], ""),
    ("jit compile", &[], "not at all: every program is compiled"),
    ("gradient backward autograd", &["grad"], ""),
    ("jacfwd jacrev", &["jacobian"], ""),
    ("remat", &["checkpoint"], ""),
    ("detach stop_grad no_grad", &["stop_gradient"], ""),
    ("assert expect", &["check"], ""),
    ("allclose isclose assert_allclose", &["check_close"], ""),
    ("array_equal assert_equal", &["check_equal"], ""),
    ("printf debug_print println", &["print"], ""),
    ("custom_call pure_callback", &[], "not at all: a program runs nothing outside it"),
];
