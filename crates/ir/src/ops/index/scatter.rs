//! `scatter`.
use super::*;
use crate::code::Code;
use crate::func::{Func, OpId};

/// `scatter`.
pub static SCATTER: OpDef = OpDef {
    name: "scatter",
    doc: "`x` with the windows of `updates` combined into it at the places that `index` names: they replace what is there \
          (`combine = set`) or are added, multiplied, or the lesser or greater is kept. Several updates of one element \
          take effect one after the other, in logical order of `updates` (last axis fastest): of several that `set` it, \
          the last stays. In place of `combine` a region may say what becomes of an element and an update of it: \
          `{ combine(%old: T[], %new: T[]) {… yield %r } }`.\n\n\
          The axis `index_vector_dim` of `index` holds index vectors (its rank, the default: each element is one), whose \
          components say where a window starts along the axes `scatter_dims_to_operand_dims` of `x` (default \
          `[0, 1, …]`); along other axes it starts at 0. The axes `update_window_dims` of `updates` walk a window, which \
          has one element along the axes `inserted_window_dims` of `x`; the other axes of `updates` are those of `index`. \
          The axes `input_batching_dims` of `x` are walked together with `scatter_indices_batching_dims` of `index`. \
          Dimension numbers are StableHLO's.\n\n\
          A window that does not lie inside `x` is dropped as a whole, or, with `out_of_bounds = clamp`, moved inside. \
          Derivatives: those of the update that stays (`set`); shared evenly among equals (`min`, `max`); exact with \
          zeros and repeated places (`mul`, which then takes one window after the other). A combination by a region has none.",
    operands: &["x", "index", "updates"],
    slots: &[
        Slot::optional("update_window_dims", SlotKind::Ints),
        Slot::optional("inserted_window_dims", SlotKind::Ints),
        Slot::optional("input_batching_dims", SlotKind::Ints),
        Slot::optional("scatter_indices_batching_dims", SlotKind::Ints),
        Slot::optional("scatter_dims_to_operand_dims", SlotKind::Ints),
        Slot::optional("index_vector_dim", SlotKind::Int),
        Slot::optional("combine", SlotKind::Word(&["set", "add", "mul", "min", "max"])),
        Slot::with_default(BOUNDS, SlotKind::Word(&["drop", CLAMP]), SlotDefault::Word("drop")),
    ],
    regions: &["combine?"],
    infer,
    linearize: Linearize::Rule(derive::lin_scatter),
    transpose: Transpose::Rule(derive::tr_scatter),
    batch: Batch::Rule(batch),
    simplify: Some(known::scattered),
    small: OnSmall::KeptWhere(|attrs| attrs.word("combine") == Some("set")),
    control: Control { ports: Some(Ports { of: ports, keep: |_, _, _, _| {}, needs: |_, _| vec![] }), ..Control::NONE },
    sample,
    ..OpDef::BASE
};
/// The batch axis is the first; the indices need none where they are the same for every index.
fn batch(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let index = xs[1].axis.is_some();
    let d = IndexDims::of_scatter(&op.attrs, cx.src.ty(op.operands[1])).batched(true, index);
    let mut attrs = cx.attrs(&op.attrs)?;
    d.attrs(&dims::SCATTER).iter().for_each(|(k, a)| attrs.set(k, a.clone()));
    let i = if index { cx.at(xs[1], 0)? } else { xs[1].value };
    let xs = [cx.at(xs[0], 0)?, i, cx.at(xs[2], 0)?];
    cx.again(o, &xs, attrs, |_| 0)
}
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
    check_region(cx, &x, !combine.is_empty())?;
    if let Some((takes, help)) = refuses(&combine, x.dtype) {
        let text = format!("`scatter` by `{combine}` takes {takes}, not {}", x.dtype);
        return Err(Error::new(Code::E0203, text).operand(0).help(help));
    }
    if x.dtype != u.dtype {
        let text = format!("operands 0 and 2: dtypes differ: {} and {}", cx.show(&x), cx.show(&u));
        return Err(Error::new(Code::E0202, text).operand(2).help("nothing is promoted in the IR: insert `convert`"));
    }
    let axes = d.index_axes(index.rank());
    if u.rank() != axes.len() + d.window.len() {
        let text = format!(
            "updates of rank {} for {} axes of `index` and {} of a window",
            u.rank(),
            axes.len(),
            d.window.len()
        );
        return Err(Error::new(Code::E0205, text).operand(2).help("`updates` has the axes of both and no other"));
    }
    for (&a, b) in axes.iter().zip(d.batch_axes(u.rank())) {
        let what = || format!("axis {a} of operand 1 and axis {b} of operand 2");
        cx.equal(&index.dims[a], &u.dims[b], Part::Operand(2), what)?;
    }
    let clamp = clamps(cx.attrs(), "drop");
    windows_fit(cx, &d, &d.sizes(&u, x.rank()), Part::Operand(2), clamp)?;
    Ok(vec![x])
}
/// Either a word or a region, which takes two scalars and yields one.
fn check_region(cx: &InferCx, x: &Type, word: bool) -> Result<()> {
    match (cx.region_count(), word) {
        (0, true) => return Ok(()),
        (0, false) => {
            let text = "`scatter` needs `combine` or a region `combine`";
            return Err(Error::new(Code::E0222, text).help("`combine` is one of set, add, mul, min, max"));
        }
        (_, true) => {
            let text = "`scatter` takes `combine = …` or a region `combine`, not both";
            return Err(Error::new(Code::E0214, text).at(Part::Region(0)));
        }
        _ => {}
    }
    let one = Type::scalar(x.dtype);
    let list = |ts: &[Type]| ts.iter().map(|t| cx.show(t)).collect::<Vec<_>>().join(", ");
    let (got, yields) = (cx.region_params(0), cx.region_yields(0));
    let text = if got != [one.clone(), one.clone()] {
        format!("`combine` takes ({}), not ({})", list(&[one.clone(), one]), list(&got))
    } else if yields != [one] {
        format!("`combine` yields {}[], not {}", x.dtype, list(&yields))
    } else {
        return Ok(());
    };
    Err(Error::new(Code::E0215, text)
        .at(Part::Region(0))
        .help("it gets an element and an update of it, and yields one"))
}
/// Every operand is needed, whatever the region uses.
fn ports(f: &Func, o: OpId) -> Vec<Port> {
    let inner = |i: usize| if f.op(o).regions.is_empty() { vec![] } else { vec![(0, i)] };
    let port = |kind, operand, params, yields, result| Port { kind, operand: Some(operand), params, yields, result };
    vec![
        port(PortKind::Carry, 0, inner(0), inner(0), Some(0)),
        port(PortKind::Control, 1, vec![], vec![], None),
        port(PortKind::Control, 2, inner(1), vec![], Some(0)),
    ]
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
    if !cx.dtype.is_inexact() && cx.dtype != DType::Bool {
        out.push(sample_region(cx)?);
    }
    Ok(out)
}
/// The greater, and what is left over of the lesser by a value from outside: the order of updates shows.
fn sample_region(cx: &SampleCx) -> Result<Sample> {
    let (case, one) = (&CASES[0], cx.ty(&[]));
    let (d, [x, i]) = (case.dims(), case.params(cx, 0));
    let u = (d.result(&x.0, &i.0, &case.sizes()), Domain::Any);
    cx.program(&[x, i, u, (one.clone(), Domain::Any)], |b, p| {
        let body = b.region("combine", &[(one.clone(), "old"), (one, "new")], |b, q| {
            let (most, least) = (b.max(q[0], q[1])?, b.min(q[0], q[1])?);
            let rest = b.rem(least, p[3])?;
            Ok(vec![b.sub(most, rest)?])
        })?;
        b.emit(NewOp::new(&SCATTER, &p[..3]).attrs(d.attrs(&dims::SCATTER)).regions(vec![body]))
    })
}
