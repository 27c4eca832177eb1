//! `scatter`.
use super::*;

/// `scatter`.
pub static SCATTER: OpDef = OpDef {
    name: "scatter",
    doc: "`x` with the windows of `updates` combined into it at the places that `index` names: they replace what is there \
          (`combine = set`) or are added, multiplied, or the lesser or greater is kept. Several updates of one element \
          take effect one after the other, in logical order of `updates` (last axis fastest): of several that `set` it, \
          the last stays.\n\n\
          The axis `index_vector_dim` of `index` holds index vectors (its rank, the default: each element is one), whose \
          components say where a window starts along the axes `scatter_dims_to_operand_dims` of `x` (default \
          `[0, 1, …]`); along other axes it starts at 0. The axes `update_window_dims` of `updates` walk a window, which \
          has one element along the axes `inserted_window_dims` of `x`; the other axes of `updates` are those of `index`. \
          The axes `input_batching_dims` of `x` are walked together with `scatter_indices_batching_dims` of `index`. \
          Dimension numbers are StableHLO's.\n\n\
          A window that does not lie inside `x` is dropped as a whole, or, with `out_of_bounds = clamp`, moved inside. \
          Derivatives: those of the update that stays (`set`); shared evenly among equals (`min`, `max`); exact with \
          zeros and repeated places (`mul`, which then takes one window after the other).",
    operands: &["x", "index", "updates"],
    slots: &[
        Slot::optional("update_window_dims", SlotKind::Ints),
        Slot::optional("inserted_window_dims", SlotKind::Ints),
        Slot::optional("input_batching_dims", SlotKind::Ints),
        Slot::optional("scatter_indices_batching_dims", SlotKind::Ints),
        Slot::optional("scatter_dims_to_operand_dims", SlotKind::Ints),
        Slot::optional("index_vector_dim", SlotKind::Int),
        Slot::required("combine", SlotKind::Word(&["set", "add", "mul", "min", "max"])),
        Slot::with_default(BOUNDS, SlotKind::Word(&["drop", CLAMP]), SlotDefault::Word("drop")),
    ],
    infer,
    linearize: Linearize::Rule(derive::lin_scatter),
    transpose: Transpose::Rule(derive::tr_scatter),
    sample,
    ..OpDef::BASE
};
/// Does the operation take that dtype? If not, what it takes and what to do.
fn refuses(combine: &str, d: DType) -> Option<(&'static str, &'static str)> {
    match combine {
        "add" | "mul" if d == DType::Bool => {
            Some(("numbers", "for bool `max` is or, `min` is and; or insert `convert`"))
        }
        "min" | "max" if d.is_complex() => Some(("bool, integers and floats", "complex numbers have no order")),
        _ => None,
    }
}
fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    let d = IndexDims::check(cx, &dims::SCATTER)?;
    let (x, index, u) = (cx.ty(0)?, cx.ty(1)?, cx.ty(2)?);
    let combine = cx.attrs().word("combine").unwrap_or_default().to_string();
    if let Some((takes, help)) = refuses(&combine, x.dtype) {
        let text = format!("`scatter` by `{combine}` takes {takes}, not {}", x.dtype);
        return Err(Error::new("E0203", text).operand(0).help(help));
    }
    if x.dtype != u.dtype {
        let text = format!("operands 0 and 2: dtypes differ: {} and {}", cx.show(&x), cx.show(&u));
        return Err(Error::new("E0202", text).operand(2).help("nothing is promoted in the IR: insert `convert`"));
    }
    let axes = d.index_axes(index.rank());
    if u.rank() != axes.len() + d.window.len() {
        let text = format!(
            "updates of rank {} for {} axes of `index` and {} of a window",
            u.rank(),
            axes.len(),
            d.window.len()
        );
        return Err(Error::new("E0205", text).operand(2).help("`updates` has the axes of both and no other"));
    }
    for (&a, b) in axes.iter().zip(d.batch_axes(u.rank())) {
        let what = || format!("axis {a} of operand 1 and axis {b} of operand 2");
        cx.equal(&index.dims[a], &u.dims[b], Part::Operand(2), what)?;
    }
    let clamp = clamps(cx.attrs(), "drop");
    windows_fit(cx, &d, &d.sizes(&u, x.rank()), Part::Operand(2), clamp)?;
    Ok(vec![x])
}
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    let mut out = vec![];
    for (k, case) in CASES.iter().enumerate() {
        for (j, combine) in ["set", "add", "mul", "min", "max"].into_iter().enumerate() {
            if refuses(combine, cx.dtype).is_some() {
                continue;
            }
            let (d, [x, i]) = (case.dims(), case.params(cx, k));
            let u = (d.result(&x.0, &i.0, &case.sizes()), Domain::Any);
            let attrs = d.attrs(&dims::SCATTER).with("combine", Attr::word(combine));
            out.push(cx.op(&[x, i, u], bounds(attrs, (j + k) % 2 == 1, "drop"), None)?);
        }
    }
    Ok(out)
}
