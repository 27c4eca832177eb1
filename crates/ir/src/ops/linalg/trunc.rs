//! Truncated factorisations: the factorisation, a count, and prefixes of that length. The count is the project's only
//! definition of truncation (TFIR §6).
use super::*;
use crate::code::Code;
use crate::diag::Part;
use crate::extent::Truth;
use crate::infer::InferCx;
use crate::ops::constant::IOTA;
use crate::ops::control::STOP_GRADIENT;
use crate::ops::extents::{DIM_VALUE, EXTENT};
use crate::ops::reduce::{REDUCE_MAX, reduce};
use crate::ops::shape::TAKE_PREFIX;

/// `linalg.svd_trunc`.
pub static SVD_TRUNC: OpDef = OpDef {
    name: "linalg.svd_trunc",
    doc: "The first `?r` singular values and vectors of a matrix, where values decide `?r`: those with `s_i > tol · s_0` \
          (`rule = relative`), or `s_i > tol` (`absolute`), or the smallest number for which `sqrt(Σ_{i ≥ r} s_i²) <= tol · \
          sqrt(Σ s_i²)` (`tail`); but at least `min_rank` (1 unless given) and at most `max_rank`, and at most `min(m, n)`. \
          `max_rank < min_rank` is an error, a NaN tolerance keeps `min_rank`. `tol` has the real dtype of `a`.\n\nThe other \
          attributes and the derivative are those of `linalg.svd`: what is discarded, and its distance from what is kept, \
          are taken into account; `?r` and `tol` are locally constant.",
    operands: &["a", "tol"],
    slots: &[RULE, MAX_RANK, MIN_RANK, ON_FAIL, DEGENERATE, EPS],
    infer: |cx| {
        let a = one_matrix(cx)?;
        let (m, n) = (a.dims[0].clone(), a.dims[1].clone());
        let r = truncated(cx, &Extent::min(&m, &n)?)?;
        Ok(vec![a.with_dims(vec![m, r.clone()]), Type::new(a.dtype.real(), [r.clone()]), a.with_dims(vec![r, n])])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    prepare: Prepare::Whole,
    expand: Expand::Composite(expand_svd),
    law: Law::Holds {
        state: laws::svd_trunc,
        hard: |cx| hard::truncation(cx, hard::single, &["relative", "absolute", "tail"]),
    },
    sample: sample_svd,
    ..OpDef::BASE
};

/// `linalg.eigh_trunc`.
pub static EIGH_TRUNC: OpDef = OpDef {
    name: "linalg.eigh_trunc",
    doc: "The `?r` eigenvalues of largest modulus of a Hermitian matrix, in descending order of modulus, and their vectors. How \
          many are kept is decided as by `linalg.svd_trunc`, with `|w_i|` in the place of `s_i`; all else is as for `linalg.eigh`.",
    operands: &["a", "tol"],
    slots: &[RULE, MAX_RANK, MIN_RANK, ON_FAIL, DEGENERATE, EPS],
    infer: |cx| {
        let a = one_matrix(cx)?;
        let n = a.dims[0].clone();
        cx.equal(&n, &a.dims[1], Part::Operand(0), || "rows and columns of operand 0".into())?;
        let r = truncated(cx, &n)?;
        Ok(vec![Type::new(a.dtype.real(), [r.clone()]), a.with_dims(vec![n, r])])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    prepare: Prepare::Whole,
    expand: Expand::Composite(|b, new| {
        let &[a, tol] = new.operands.as_slice() else { return Ok(vec![]) };
        let r = b.emit(NewOp::new(&EIGH, &[a]).attrs(handed(&new.attrs).with("order", Attr::word("modulus"))))?;
        let &[w, v] = r.as_slice() else { return Ok(r) };
        let n = b.func().ty(w).dims[0].clone();
        let size = b.abs(w)?;
        let k = count(b, size, tol, new.attrs.word("rule").unwrap_or("relative"))?;
        let r = bind(b, new, k, &n)?;
        Ok(vec![prefix(b, w, 0, &r)?, prefix(b, v, 1, &r)?])
    }),
    law: Law::Holds {
        state: laws::eigh_trunc,
        hard: |cx| hard::truncation(cx, |h| hard::single(h) && h.is_square(), &["relative", "absolute", "tail"]),
    },
    sample: sample_eigh,
    ..OpDef::BASE
};
/// `linalg.qr_rank`.
pub static QR_RANK: OpDef = OpDef {
    name: "linalg.qr_rank",
    doc: "The first `?r` columns of `q` and rows of `r` of `linalg.qr_pivoted`, `a[:, p] ≈ q · r`: those with `|r_ii| > tol · \
          |r_00|`, but at least `min_rank` (1 unless given) and at most `max_rank`, and at most `min(m, n)`. `max_rank < \
          min_rank` is an error, a NaN tolerance keeps `min_rank`. `tol` has the real dtype of `a`.\n\nDerivative: that of \
          the factorisation of the `?r` columns that come first, and of the products `qᴴ a[:, p]`; `p` and `?r` are locally constant.",
    operands: &["a", "tol"],
    slots: &[MAX_RANK, MIN_RANK, ON_FAIL],
    infer: |cx| {
        let a = one_matrix(cx)?;
        let r = truncated(cx, &Extent::min(&a.dims[0], &a.dims[1])?)?;
        let [q, r] = super::qr::factors(&a, &r);
        Ok(vec![q, r, super::qr::permutation(&a)])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Rule(|cx, o| super::qr::linearize(cx, o, false)),
    expand: Expand::Composite(|b, new| {
        let &[a, tol] = new.operands.as_slice() else { return Ok(vec![]) };
        let f = b.emit(NewOp::new(&QR_PIVOTED, &[a]).attrs(handed(&new.attrs)))?;
        let &[q, r, p] = f.as_slice() else { return Ok(f) };
        let d = diagonal(b, r)?;
        let d = b.abs(d)?;
        let k = b.func().ty(d).dims[0].clone();
        let n = count(b, d, tol, "relative")?;
        let cut = bind(b, new, n, &k)?;
        Ok(vec![prefix(b, q, 1, &cut)?, prefix(b, r, 0, &cut)?, p])
    }),
    batch: Batch::Expand,
    law: Law::Holds { state: laws::qr_rank, hard: |cx| hard::truncation(cx, hard::single, &["relative"]) },
    sample: sample_qr,
    ..OpDef::BASE
};

const RULE: Slot =
    Slot::with_default("rule", SlotKind::Word(&["relative", "absolute", "tail"]), SlotDefault::Word("relative"));
const MAX_RANK: Slot = Slot::optional("max_rank", SlotKind::Extent);
const MIN_RANK: Slot = Slot::optional("min_rank", SlotKind::Extent);

/// Operand 0 is one matrix, operand 1 a tolerance.
fn one_matrix(cx: &InferCx) -> Result<Type> {
    let a = matrices(cx)?;
    if a.rank() != 2 {
        return Err(Error::new(Code::E0205, format!("`{}` takes one matrix, not {}", cx.def().name, cx.show(&a)))
            .operand(0)
            .help("ranks of a batch would differ: run it matrix by matrix in a `scan`"));
    }
    let real = a.dtype.real();
    cx.want_scalar(1, |d| d == real, &format!("a tolerance {real}[]"))?;
    check_eps(cx)?;
    Ok(a)
}
/// The extents between which `?r` lies, given that of the whole.
struct Bounds {
    /// `min(min_rank, k)`, where `min_rank` is 1 unless given.
    least: Extent,
    /// At most each of these.
    most: Vec<Extent>,
    /// What `max_rank` may not be below.
    asked: Option<(Extent, Extent)>,
}
fn bounds(attrs: &Attrs, k: &Extent) -> Result<Bounds> {
    let given = attrs.extents("min_rank").first().cloned();
    let least = match &given {
        Some(e) => Extent::min(e, k)?,
        None => Extent::min(&Extent::exact(1), k)?,
    };
    let max = attrs.extents("max_rank").first().cloned();
    let asked = max.clone().map(|max| (given.unwrap_or_else(|| least.clone()), max));
    Ok(Bounds { least, most: std::iter::once(k.clone()).chain(max).collect(), asked })
}
impl Bounds {
    fn facts(&self, r: &Extent) -> Vec<Constraint> {
        let most = self.most.iter().map(|e| fact(r, CmpOp::Le, e));
        most.chain([fact(&self.least, CmpOp::Le, r)]).collect()
    }
}
/// The new extent, with what is known of it. `k` is the extent of the whole.
fn truncated(cx: &mut InferCx, k: &Extent) -> Result<Extent> {
    let b = bounds(cx.attrs(), k)?;
    for name in ["min_rank", "max_rank"] {
        if let Some(e) = cx.attrs().extents(name).first().cloned() {
            cx.demand(&Extent::exact(0), CmpOp::Le, &e, Part::Attr(name), &format!("`{name}`"))?;
        }
    }
    if let Some((min, max)) = &b.asked {
        cx.demand(min, CmpOp::Le, max, Part::Attr("max_rank"), "`min_rank` and `max_rank`")
            .map_err(|e| e.help("`max_rank` is at least `min_rank`, which is 1 unless given"))?;
    }
    let r = Extent::exist(cx.fresh_exist("r"));
    for c in b.facts(&r) {
        cx.add_where(c);
    }
    Ok(r)
}
/// `dim_value` as `i64[]`.
fn value_of(b: &mut Builder, e: &Extent) -> Result<ValueId> {
    b.emit1(NewOp::new(&DIM_VALUE, &[]).attr("extent", Attr::extent(e.clone())))
}
/// How many of the values `s` (descending, not negative) the rule keeps.
fn count(b: &mut Builder, s: ValueId, tol: ValueId, rule: &str) -> Result<ValueId> {
    let s = b.emit1(NewOp::new(&STOP_GRADIENT, &[s]))?;
    let tol = b.emit1(NewOp::new(&STOP_GRADIENT, &[tol]))?;
    let ty = b.ty(s);
    let (size, least) = match rule {
        "absolute" => (s, tol),
        "tail" => {
            // Relative to the largest, so that squares neither overflow nor vanish.
            let scale = scale_of(b, s)?;
            let rel = b.div(s, scale)?;
            let square = b.mul(rel, rel)?;
            let pairs = pairs_type(&ty);
            let index = |b: &mut Builder, axis: i64| {
                let ty = pairs.with_dtype(DType::I64);
                b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis)).types(vec![ty]))
            };
            let (i, j) = (index(b, 0)?, index(b, 1)?);
            let behind = b.ge(j, i)?;
            let behind = b.convert(behind, ty.dtype)?;
            let dims = DotDims { contract: [vec![1], vec![0]], ..DotDims::default() };
            let tail = b.dot(behind, square, &dims)?;
            let tail = b.sqrt(tail)?;
            let all = reduce(b, &REDUCE_MAX, tail, &[0])?;
            (tail, b.mul(tol, all)?)
        }
        _ => {
            let top = reduce(b, &REDUCE_MAX, s, &[0])?;
            (s, b.mul(tol, top)?)
        }
    };
    let least = b.broadcast(least, &ty, &[])?;
    let keep = b.gt(size, least)?;
    let keep = b.convert(keep, DType::I64)?;
    b.reduce_sum(keep, &[0])
}
/// Binds `?r` to the count between its bounds. `new` is the composite that is expanded.
fn bind(b: &mut Builder, new: &NewOp, count: ValueId, k: &Extent) -> Result<Extent> {
    let known = bounds(&new.attrs, k)?;
    let least = value_of(b, &known.least)?;
    let mut n = b.max(count, least)?;
    for e in &known.most {
        let most = value_of(b, e)?;
        n = b.min(n, most)?;
    }
    let free = |name: &String| b.func().exists.iter().all(|d| *d.name != **name);
    let name = std::iter::once("r".to_string()).chain((2..).map(|k| format!("r_{k}"))).find(free);
    let r = Extent::exist(b.exist(name.as_deref().unwrap_or("r"), new.span));
    let mut op = NewOp::new(&EXTENT, &[n]).attr("extent", Attr::extent(r.clone()));
    op.wheres = known.facts(&r);
    if let Some((min, max)) = known.asked {
        let c = fact(&min, CmpOp::Le, &max);
        if b.facts().prove(&c) != Truth::Yes {
            // First: a failure names the attributes, not the extent.
            op.wheres.insert(0, c);
        }
    }
    b.emit(op)?;
    Ok(r)
}
/// The first `r` along `axis`.
fn prefix(b: &mut Builder, x: ValueId, axis: usize, r: &Extent) -> Result<ValueId> {
    let ty = b.ty(x);
    let dims = ty.dims.iter().enumerate().map(|(i, d)| if i == axis { r.clone() } else { d.clone() });
    let ty = ty.with_dims(dims.collect::<Vec<_>>());
    b.emit1(NewOp::new(&TAKE_PREFIX, &[x]).attr("axis", Attr::Int(axis as i64)).types(vec![ty]))
}
/// The attributes that a truncated form hands to the whole one.
fn handed(attrs: &Attrs) -> Attrs {
    Attrs::of(attrs.iter().filter(|(k, _)| matches!(*k, "on_fail" | "degenerate" | "eps")).cloned())
}
fn expand_svd(b: &mut Builder, new: &NewOp) -> Result<Vec<ValueId>> {
    let &[a, tol] = new.operands.as_slice() else { return Ok(vec![]) };
    let r = b.emit(NewOp::new(&SVD, &[a]).attrs(handed(&new.attrs)))?;
    let &[u, s, vt] = r.as_slice() else { return Ok(r) };
    let k = b.func().ty(s).dims[0].clone();
    let n = count(b, s, tol, new.attrs.word("rule").unwrap_or("relative"))?;
    let r = bind(b, new, n, &k)?;
    Ok(vec![prefix(b, u, 1, &r)?, prefix(b, s, 0, &r)?, prefix(b, vt, 0, &r)?])
}

/// Cuts at a tolerance, by a number, by both, and not at all; what is seen does not depend on signs and phases.
fn sample_svd(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let one = |e: i64| Attr::extent(Extent::exact(e));
    let cases: [(&[usize], &str, f64, Attrs); 6] = [
        (&[3, 3], "relative", 0.5, Attrs::none()),
        (&[4, 3], "absolute", 5.0, Attrs::none()),
        (&[3, 4], "tail", 0.3, Attrs::none()),
        (&[3, 4], "relative", 0.0, Attrs::of([("max_rank", one(2))])),
        (&[4, 3], "absolute", 1e9, Attrs::of([("min_rank", one(2))])),
        (&[0, 3], "tail", 0.1, Attrs::none()),
    ];
    let mut out = vec![];
    for (shape, rule, tol, attrs) in cases {
        let attrs = attrs.with("rule", Attr::word(rule));
        out.push(cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
            let a = spread(b, x[0])?;
            let tol = b.splat(&Type::scalar(cx.dtype.real()), tol)?;
            let r = b.emit(NewOp::new(&SVD_TRUNC, &[a, tol]).attrs(attrs.clone()))?;
            let &[u, s, vt] = r.as_slice() else { return Ok(r) };
            let g = b.log1p(s)?;
            let sum = b.reduce_sum(g, &[0])?;
            let g = b.convert(g, cx.dtype)?;
            let ty = b.ty(u);
            let g = along(b, g, &ty, 1)?;
            let ug = b.mul(u, g)?;
            let y = mm(b, ug, vt)?;
            let p = mh(b, u, u)?;
            Ok(vec![sum, y, p])
        })?);
    }
    Ok(out)
}
/// Positive and negative eigenvalues, cut at a tolerance, by a number, and not at all.
fn sample_eigh(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let two = Attr::extent(Extent::exact(2));
    let cases: [(usize, &str, f64, Attrs); 4] = [
        (3, "relative", 0.5, Attrs::none()),
        (3, "tail", 0.3, Attrs::none()),
        (4, "relative", 0.0, Attrs::of([("max_rank", two)])),
        (0, "absolute", 0.1, Attrs::none()),
    ];
    let mut out = vec![];
    for (n, rule, tol, attrs) in cases {
        let attrs = attrs.with("rule", Attr::word(rule));
        out.push(cx.program(&[(cx.ty(&[n, n]), Domain::Any)], |b, x| {
            let a = spread(b, x[0])?;
            let tol = b.splat(&Type::scalar(cx.dtype.real()), tol)?;
            let r = b.emit(NewOp::new(&EIGH_TRUNC, &[a, tol]).attrs(attrs.clone()))?;
            let &[w, v] = r.as_slice() else { return Ok(r) };
            let g = b.sin(w)?;
            let sum = b.reduce_sum(g, &[0])?;
            let g = b.convert(g, cx.dtype)?;
            let ty = b.ty(v);
            let g = along(b, g, &ty, 1)?;
            let vg = b.mul(v, g)?;
            Ok(vec![sum, mh(b, vg, v)?])
        })?);
    }
    Ok(out)
}
/// What is seen of the factors has known extents.
fn sample_qr(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let two = Attr::extent(Extent::exact(2));
    let cases: [(&[usize], f64, Attrs); 5] = [
        (&[3, 3], 0.5, Attrs::none()),
        (&[4, 3], 0.0, Attrs::of([("max_rank", two.clone())])),
        (&[3, 4], 0.0, Attrs::none()),
        (&[3, 4], 10.0, Attrs::of([("min_rank", two)])),
        (&[0, 3], 0.1, Attrs::none()),
    ];
    let mut out = vec![];
    for (shape, tol, attrs) in cases {
        out.push(cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
            let a = spread(b, x[0])?;
            let tol = b.splat(&Type::scalar(cx.dtype.real()), tol)?;
            let f = b.emit(NewOp::new(&QR_RANK, &[a, tol]).attrs(attrs.clone()))?;
            let &[q, r, p] = f.as_slice() else { return Ok(f) };
            let size = b.mul(q, q)?;
            Ok(vec![mm(b, q, r)?, mm(b, size, r)?, p])
        })?);
    }
    Ok(out)
}
