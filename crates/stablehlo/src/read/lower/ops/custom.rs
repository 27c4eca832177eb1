//! `custom_call`: a table by target.
use super::super::super::ast::{AttrKind, Op};
use super::super::super::lexer::unescape;
use super::super::func::{FuncCx, IntoStop};
use super::super::{Made, args};
use super::{Emit, OnValues, Table, checks, dynamic, factors, linalg, order, window};
use tfc_ir::ops::elementwise as e;
use tfc_ir::ops::extents::CHECK;
use tfc_ir::{Attr, Code, DType, Diagnostic, NewOp, OpDef, ValueId};

pub(super) const OPS: Table = &[("stablehlo.custom_call", Emit::Whole(custom_call))];

const TARGETS: &[(&str, OnValues)] = &[
    ("check.expect_almost_eq", |cx, op, v| checks::within(cx, super::elementwise::operands(op, v)?, 1e-3)),
    ("check.expect_close", |cx, op, v| checks::near(cx, super::elementwise::operands(op, v)?, 3)),
    ("check.expect_eq", checks::equal),
    ("shape_assertion", shape_assertion),
    ("Sharding", |_, _, v| Ok(v.to_vec())),
    ("SPMDFullToShardShape", |_, _, v| Ok(v.to_vec())),
    ("SPMDShardToFullShape", |_, _, v| Ok(v.to_vec())),
    ("annotate_device_placement", |_, _, v| Ok(v.to_vec())),
    ("ApproxTopK", order::approximate),
    ("stablehlo.dynamic_top_k", order::dynamic_top_k),
    ("stablehlo.dynamic_reduce_window", window::dynamic_reduce_window),
    ("Eigh", linalg::eigh),
    // CHLO as older versions of JAX write it.
    ("mhlo.acos", |cx, _, v| row(cx, &e::ACOS, v)),
    ("mhlo.acosh", |cx, _, v| row(cx, &e::ACOSH, v)),
    ("mhlo.asin", |cx, _, v| row(cx, &e::ASIN, v)),
    ("mhlo.asinh", |cx, _, v| row(cx, &e::ASINH, v)),
    ("mhlo.atanh", |cx, _, v| row(cx, &e::ATANH, v)),
    ("mhlo.cosh", |cx, _, v| row(cx, &e::COSH, v)),
    ("mhlo.erf", |cx, _, v| row(cx, &e::ERF, v)),
    ("mhlo.sinh", |cx, _, v| row(cx, &e::SINH, v)),
    ("mhlo.tan", |cx, _, v| row(cx, &e::TAN, v)),
    ("mhlo.topk", order::called_top_k),
    ("TopK", order::top_k_by),
    ("LuDecomposition", linalg::lu_decomposition),
    ("Qr", factors::geqrf),
    ("ProductOfElementaryHouseholderReflectors", factors::orgqr),
];

/// What a setting of `mhlo.backend_config` may be.
enum Setting {
    /// One of these letters, as the number of it.
    Letter(&'static str),
    /// `true` or `false`, or 1 or 0.
    Flag,
    /// A number.
    Count,
}
use Setting::{Count, Flag, Letter};

/// A function of LAPACK.
struct Lapack {
    /// The letters of the dtypes that there is one for.
    letters: &'static str,
    name: &'static str,
    /// All settings that it takes, each of which has to be written.
    settings: &'static [(&'static str, Setting)],
    emit: OnValues,
}
const fn lapack(
    letters: &'static str,
    name: &'static str,
    settings: &'static [(&'static str, Setting)],
    emit: OnValues,
) -> Lapack {
    Lapack { letters, name, settings, emit }
}
const UPLO: (&str, Setting) = ("uplo", Letter("LU"));
const VECTORS: (&str, Setting) = ("mode", Letter("VN"));
const SINGULAR: &[(&str, Setting)] = &[("mode", Letter("SAN"))];

/// Functions of LAPACK, called `lapack_` with the letter of a dtype and the name, then `_ffi`.
const LAPACK: &[Lapack] = &[
    lapack(
        "sdcz",
        "trsm",
        &[("side", Letter("LR")), UPLO, ("trans_x", Letter("NTC")), ("diag", Letter("UN"))],
        linalg::trsm,
    ),
    lapack("sdcz", "potrf", &[UPLO], linalg::potrf),
    lapack("sdcz", "getrf", &[], linalg::getrf),
    lapack("sdcz", "geqrf", &[], factors::geqrf),
    lapack("sd", "orgqr", &[], factors::orgqr),
    lapack("cz", "ungqr", &[], factors::orgqr),
    lapack("sd", "ormqr", &[("left", Flag), ("transpose", Flag)], factors::ormqr),
    lapack("cz", "unmqr", &[("left", Flag), ("transpose", Flag)], factors::ormqr),
    lapack("sdcz", "geqp3", &[], factors::geqp3),
    lapack("sd", "syevd", &[VECTORS, UPLO], linalg::syevd),
    lapack("cz", "heevd", &[VECTORS, UPLO], linalg::syevd),
    lapack("sd", "sytrd", &[UPLO], factors::sytrd),
    lapack("cz", "hetrd", &[UPLO], factors::sytrd),
    lapack("sdcz", "gesdd", SINGULAR, factors::gesdd),
    lapack("sdcz", "gesvd", SINGULAR, factors::gesdd),
    lapack("sdcz", "gehrd", &[("low", Count), ("high", Count)], factors::gehrd),
    lapack("sdcz", "gees", &[VECTORS, ("sort", Letter("NS"))], factors::gees),
    lapack("sdcz", "geev", &[("compute_left", Letter("VN")), ("compute_right", Letter("VN"))], factors::geev),
    lapack("sdcz", "gtsv", &[], factors::gtsv),
];
/// The function of LAPACK that a target is, and the letter of its dtype.
fn of_lapack(target: &str) -> Option<(&'static Lapack, char)> {
    let name = target.strip_prefix("lapack_")?.strip_suffix("_ffi")?;
    LAPACK.iter().find_map(|f| {
        let mut letter = name.strip_suffix(f.name)?.chars();
        match (letter.next(), letter.next()) {
            (Some(l), None) if f.letters.contains(l) => Some((f, l)),
            _ => None,
        }
    })
}
/// What reads calls of that target.
fn of_target(target: &str) -> Option<OnValues> {
    let plain = TARGETS.iter().find(|t| t.0 == target).map(|t| t.1);
    plain.or_else(|| of_lapack(target).map(|f| f.0.emit))
}
/// A call of LAPACK has matrices of the dtype of its letter, and all settings, each of which is one that it may be.
fn lapack_settings<'a>(cx: &FuncCx<'a>, op: &'a Op<'a>, target: &str, v: &[ValueId]) -> Made<()> {
    let Some((f, letter)) = of_lapack(target) else { return Ok(()) };
    let dtype = match letter {
        's' => DType::F32,
        'd' => DType::F64,
        'c' => DType::C32,
        _ => DType::C64,
    };
    // Pivots, which are integers, come beside the matrices.
    let own = |x: &&ValueId| !matches!(cx.b.func().ty(**x).dtype, DType::I32 | DType::I64);
    if let Some(&x) = v.iter().filter(own).find(|&&x| cx.b.func().ty(x).dtype != dtype) {
        let text = format!("`@{target}` takes {dtype}, not {}", cx.show(cx.b.func().ty(x)));
        return Err(Diagnostic::error(Code::E0203, op.span, text)
            .help("its letter says which: s, d, c or z")
            .into_stop());
    }
    // What an older version of JAX hands over beside them stands in operands, and is not read.
    let config = cx.find(op, "mhlo.backend_config");
    let given = match config.map(|a| (&a.kind, a.span)) {
        None => &[][..],
        Some((AttrKind::Dict(d), _)) => d.as_slice(),
        Some((_, span)) => {
            return Err(args::wrong(span, "settings of LAPACK are no dictionary", "`{uplo = 76 : ui8}`"));
        }
    };
    let span = config.map_or(op.span, |a| a.span);
    if let Some((key, _)) = given.iter().find(|(k, _)| f.settings.iter().all(|s| s.0 != k.text)) {
        let names: Vec<&str> = f.settings.iter().map(|s| s.0).collect();
        let text = format!("`@{target}` has no setting `{}`", key.text);
        return Err(args::wrong(key.span, text, format!("its settings are: {}", names.join(", "))));
    }
    for (name, setting) in f.settings {
        let Some((_, a)) = given.iter().find(|(k, _)| k.text == *name) else {
            return Err(args::wrong(span, format!("`@{target}` has no `{name}`"), "every setting is written"));
        };
        let n = args::one(cx.resolve(a)).ok();
        let letter = n.and_then(|n| char::from_u32(u32::try_from(n).ok()?));
        let (ok, help) = match setting {
            Letter(all) => {
                let one = |c: char| format!("{} ({c})", u32::from(c));
                let list: Vec<String> = all.chars().map(one).collect();
                (letter.is_some_and(|c| all.contains(c)) && matches!(a.of, "" | "ui8"), list.join(", "))
            }
            Flag => (matches!(n, Some(0 | 1)), "true or false".to_owned()),
            Count => (n.is_some() && matches!(a.of, "" | "i32"), "an integer of 32 bits".to_owned()),
        };
        if !ok {
            return Err(args::wrong(a.span, format!("`{name}` of `@{target}` is not one of its values"), help));
        }
    }
    Ok(())
}

fn row(cx: &mut FuncCx, def: &'static OpDef, v: &[ValueId]) -> Made<Vec<ValueId>> {
    Ok(cx.b.emit(NewOp::new(def, v))?)
}

/// The targets, as they are written.
pub(super) fn targets() -> impl Iterator<Item = String> {
    let lapack = LAPACK.iter().flat_map(|f| f.letters.chars().map(move |l| format!("lapack_{l}{}_ffi", f.name)));
    TARGETS.iter().map(|t| t.0.to_string()).chain(lapack)
}
fn custom_call<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let target = match cx.symbol(op, "call_target_name") {
        Ok(w) => w.text,
        Err(e) => cx.text(op, "call_target_name").ok_or(e)?,
    };
    let Some(emit) = of_target(target) else {
        // A row of a family from outside, whose names have a dot, is called by its name.
        return match cx.b.module().op_set().get(target).filter(|_| target.contains('.')) {
            Some(def) => of_family(cx, op, def, v),
            None => Err(unread(op, target).into_stop()),
        };
    };
    // The last operands may be the extents of the results.
    let shapes = cx.ints(op, "indices_of_shape_operands")?.map_or(0, |l| l.len());
    let (own, shapes) = v.split_at(v.len().saturating_sub(shapes));
    lapack_settings(cx, op, target, own)?;
    let known = shapes.iter().map(|&s| dynamic::extents(cx, op, s)).collect::<Made<_>>()?;
    cx.result_extents = known;
    let made = emit(cx, op, own);
    cx.result_extents.clear();
    made
}
/// A call of a row: its attributes are those of the dictionary `mhlo.backend_config` or `backend_config`, its results as they are written.
fn of_family<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, def: &'static OpDef, v: &[ValueId]) -> Made<Vec<ValueId>> {
    let mut new = NewOp::new(def, v);
    let given = ["mhlo.backend_config", "backend_config"].into_iter().find_map(|key| match &cx.find(op, key)?.kind {
        AttrKind::Dict(d) => Some(d.as_slice()),
        _ => None,
    });
    for (key, a) in given.unwrap_or_default() {
        let a = cx.resolve(a);
        let value = match (&a.kind, def.slot(key.text)) {
            (AttrKind::Num(n), Some(_)) => n.parse().ok().map(Attr::Int),
            (AttrKind::Bool(b), Some(_)) => Some(Attr::Bool(*b)),
            (AttrKind::Str(s), Some(_)) => Some(Attr::Str(unescape(s).into())),
            _ => None,
        };
        let Some(value) = value else {
            let text = format!("`{}` is no attribute of `{}`, or of another kind", key.text, def.name);
            return Err(args::wrong(a.span, text, "attributes are integers, truth values and texts"));
        };
        let Some(slot) = def.slot(key.text) else { continue };
        new = new.attr(slot.name, value);
    }
    if def.needs_type {
        new = new.types((0..op.outs.len()).map(|i| cx.out(op, i)).collect::<Made<Vec<_>>>()?);
    }
    Ok(cx.b.emit(new)?)
}
/// The diagnostic of a target that is not read.
fn unread(op: &Op, target: &str) -> Diagnostic {
    if target.contains("callback") {
        let text = format!("the custom call `@{target}` of `jax.pure_callback` or `jax.debug.print` is not read");
        let d = Diagnostic::error(Code::E0240, op.span, text);
        return d.help("it calls back into Python: leave these out of what is exported");
    }
    let d = Diagnostic::error(Code::E0240, op.span, format!("the custom call `@{target}` is not read"));
    d.help("it is code outside of the program: export with ops of StableHLO in its place")
}

/// An assertion about extents: nothing where it is known to hold, else a check with what JAX says first.
fn shape_assertion<'a>(cx: &mut FuncCx<'a>, op: &'a Op<'a>, v: &[ValueId]) -> Made<Vec<ValueId>> {
    if let Some(c) = v.first().and_then(|p| cx.compared.get(p)).cloned() {
        cx.notes.asserted.push(c);
    }
    let Some(&p) = v.first().filter(|p| cx.decided.get(p) != Some(&true)) else { return Ok(vec![]) };
    let text = unescape(cx.text(op, "error_message").unwrap_or("an assertion about extents does not hold"));
    // The message has places for values, `{0}`, which a check has not.
    let first =
        [" Using the following", ", but found {"].iter().fold(&*text, |t, end| t.split(end).next().unwrap_or_default());
    Ok(cx.b.emit(NewOp::new(&CHECK, &[p]).attr("message", Attr::Str(first.into())))?)
}
