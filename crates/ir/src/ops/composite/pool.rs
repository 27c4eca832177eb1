//! `reduce_window`, `select_and_scatter`: what is made of sliding windows over every axis, as StableHLO has it.
use super::*;
use crate::code::Code;
use crate::func::{Func, OpId};
use crate::ops::control::{hand, handed_on};
use crate::ops::index::SCATTER;
use crate::ops::order;
use crate::ops::reduce::{REDUCE_BY, known, on_all, start_from};
use crate::ops::shape::{Sliding, WINDOWS, dilated, pad, wrong_length};

/// Windows over every axis: slots, and what they mean. Each list has one entry an axis; `size` is required, the others are
/// 1 (`stride`, `dilation`, `base_dilation`) or 0 (`low`, `high`) unless given.
pub(super) struct Window {
    pub(super) sliding: Sliding,
    pub(super) base: Vec<usize>,
    pub(super) low: Vec<Extent>,
    pub(super) high: Vec<Extent>,
}
impl Window {
    /// Checked, for a tensor of that type.
    fn check(cx: &mut InferCx, rank: usize, dilation: bool) -> Result<Window> {
        let axes: Vec<usize> = (0..rank).collect();
        let sliding = Sliding::check_along(cx, axes, dilation)?;
        let base = match cx.attrs().get("base_dilation") {
            Some(_) => cx.attrs().indices("base_dilation"),
            None => vec![1; rank],
        };
        if base.len() != rank {
            return Err(wrong_length("base_dilation", base.len(), rank));
        }
        if base.contains(&0) {
            return Err(Error::new(Code::E0227, "`base_dilation` is at least 1").attr("base_dilation"));
        }
        let list = |name: &'static str| -> Result<Vec<Extent>> {
            let v = match cx.attrs().get(name) {
                Some(_) => cx.attrs().extents(name).to_vec(),
                None => vec![Extent::exact(0); rank],
            };
            if v.len() == rank { Ok(v) } else { Err(wrong_length(name, v.len(), rank)) }
        };
        let w = Window { sliding, base, low: list("low")?, high: list("high")? };
        for (name, plain) in
            [("base_dilation", w.base.iter().all(|&i| i == 1)), ("low", none(&w.low)), ("high", none(&w.high))]
        {
            if plain {
                cx.remove_attr(name);
            }
        }
        Ok(w)
    }
    /// Of a checked op on a tensor of that rank.
    fn of(attrs: &Attrs, rank: usize) -> Window {
        let list = |name: &str, default: i64| match attrs.get(name) {
            Some(_) => attrs.extents(name).to_vec(),
            None => vec![Extent::exact(default); rank],
        };
        let sliding = Sliding {
            axes: (0..rank).collect(),
            size: list("size", 1),
            stride: list("stride", 1),
            dilation: list("dilation", 1),
        };
        let base = if attrs.get("base_dilation").is_some() { attrs.indices("base_dilation") } else { vec![1; rank] };
        Window { sliding, base, low: list("low", 0), high: list("high", 0) }
    }
    /// The type of a tensor with what is put around and between its elements.
    pub(super) fn padded(&self, x: &Type) -> Result<Type> {
        let mut dims = vec![];
        for (i, n) in x.dims.iter().enumerate() {
            dims.push(dilated(n, self.base[i] as i64 - 1)?.add(&self.low[i])?.add(&self.high[i])?);
        }
        Ok(x.with_dims(dims))
    }
    /// Windows of `x`, padded with `v`: their elements are the axes from its rank on.
    pub(super) fn cut(&self, b: &mut Builder, x: ValueId, v: ValueId) -> Result<ValueId> {
        let ty = b.ty(x);
        let interior: Vec<usize> = self.base.iter().map(|d| d - 1).collect();
        let x = pad(b, x, Some(v), &self.low, &self.high, &interior, &self.padded(&ty)?)?;
        let s = &self.sliding;
        let op =
            NewOp::new(&WINDOWS, &[x]).attr("axes", Attr::ints(&s.axes)).attr("size", Attr::extents(s.size.clone()));
        b.emit1(op.attr("stride", Attr::extents(s.stride.clone())).attr("dilation", Attr::extents(s.dilation.clone())))
    }
}
fn none(list: &[Extent]) -> bool {
    list.iter().all(|e| e.as_exact() == Some(0))
}

/// `reduce_window`.
pub static REDUCE_WINDOW: OpDef = OpDef {
    name: "reduce_window",
    doc: "The reduction of each window by a region: `reduce_window(%init…, %x…, carry = k, size = [2, 2]) { combine(%acc: T[]…, %e: U[]…) \
          {… yield %acc1…} }`, where `combine` is that of `reduce`. The lists have one entry per axis of `x`: `size` of a window, \
          `stride` from one to the next, `dilation` between its elements (1 unless given); before that `x` gets `base_dilation - 1` \
          elements between neighbours (1 unless given) and `low` and `high` before and after (0 unless given; negative ones remove), \
          each `init`: an operand of its own with the number that it starts from. As many windows as lie inside.",
    operands: &["x…"],
    slots: &[
        Slot::with_default("carry", SlotKind::Int, SlotDefault::Int(1)),
        Slot::required("size", SlotKind::Extents),
        Slot::optional("stride", SlotKind::Extents),
        Slot::optional("dilation", SlotKind::Extents),
        Slot::optional("base_dilation", SlotKind::Ints),
        Slot::optional("low", SlotKind::Extents),
        Slot::optional("high", SlotKind::Extents),
    ],
    regions: &["combine"],
    infer: infer_reduce_window,
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    expand: Expand::Composite(|b, new| {
        let k = new.attrs.int_or_one("carry") as usize;
        let rank = b.func().ty(new.operands[k]).rank();
        let w = Window::of(&new.attrs, rank);
        if let Some(y) = running(b, new, &w)? {
            return Ok(vec![y]);
        }
        let mut operands = new.operands[..k].to_vec();
        for (i, &x) in new.operands[k..].iter().enumerate() {
            operands.push(w.cut(b, x, new.operands[i])?);
        }
        let axes: Vec<usize> = (rank..2 * rank).collect();
        let op = NewOp::new(&REDUCE_BY, &operands).attr("carry", Attr::Int(k as i64)).attr("axes", Attr::ints(&axes));
        b.emit(op.regions(new.regions.clone()))
    }),
    control: Control {
        ports: Some(Ports {
            of: |f, o| all_needed(f, o, f.op(o).attrs.int_or_one("carry") as usize),
            keep: |_, _, _, _| {},
            needs: |_, _| vec![],
        }),
        ..Control::NONE
    },
    sample: sample_reduce_window,
    ..OpDef::BASE
};
/// Windows that end, or begin, at each element of one axis and reach to the end of it are a running reduction, which is worth
/// it unless there are few.
fn running(b: &mut Builder, new: &NewOp, w: &Window) -> Result<Option<ValueId>> {
    let (&[init, x], s) = (&new.operands[..], &w.sliding) else { return Ok(None) };
    let is = |e: &Extent, n: i64| e.as_exact() == Some(n);
    let ty = b.ty(x);
    let wide: Vec<usize> = (0..ty.rank()).filter(|&i| !is(&s.size[i], 1)).collect();
    let Some((op, _)) = known(b.func(), new.regions[0]) else { return Ok(None) };
    let (Some(row), &[axis]) = (order::running(op), &wide[..]) else { return Ok(None) };
    const FEW: i64 = 16;
    let few = ty.dims[axis].as_exact().is_some_and(|n| n <= FEW);
    let step = s.stride.iter().chain(&s.dilation).all(|e| is(e, 1)) && w.base.iter().all(|&n| n == 1);
    let others = (0..ty.rank()).all(|i| i == axis || is(&w.low[i], 0) && is(&w.high[i], 0));
    let before = ty.dims[axis].sub(&Extent::exact(1))?;
    let (low, high) = (&w.low[axis], &w.high[axis]);
    let reverse = match () {
        () if *low == before && is(high, 0) => false,
        () if *high == before && is(low, 0) => true,
        () => return Ok(None),
    };
    if few || !step || !others || s.size[axis] != ty.dims[axis] {
        return Ok(None);
    }
    let y = NewOp::new(row, &[x]).attr("axis", Attr::Int(axis as i64)).attr("reverse", Attr::Bool(reverse));
    let y = b.emit1(y)?;
    Ok(Some(start_from(b, op, init, y)?))
}
/// Every operand is needed, whatever the region uses: each `x` is padded with its `init`.
fn all_needed(f: &Func, o: OpId, k: usize) -> Vec<Port> {
    let port = |i: usize| Port {
        kind: PortKind::Control,
        operand: Some(i),
        params: vec![(0, i)],
        yields: vec![],
        result: None,
    };
    let out = |i: usize| Port {
        kind: PortKind::Carry,
        operand: Some(i),
        params: vec![(0, i)],
        yields: vec![(0, i)],
        result: Some(i),
    };
    (0..k).map(out).chain((k..f.op(o).operands.len()).map(port)).collect()
}
fn infer_reduce_window(cx: &mut InferCx) -> Result<Vec<Type>> {
    let types = cx.types();
    let k = usize::try_from(cx.attrs().int_or_one("carry")).unwrap_or(0);
    let Some((inits, xs)) = types.split_at_checked(k).filter(|(i, xs)| i.len() == xs.len() && !xs.is_empty()) else {
        let text = format!("`reduce_window` with `carry = {k}` takes {} operands, not {}", 2 * k, types.len());
        return Err(Error::new(Code::E0210, text)
            .attr("carry")
            .help("one initial value for each of what is reduced, and first"));
    };
    for (i, x) in xs.iter().enumerate() {
        cx.want_scalar(i, |d| d == x.dtype, &format!("a scalar {}", x.dtype))?;
        cx.agree(&xs[0].with_dtype(x.dtype), x, Part::Operand(k + i), &format!("operands {k} and {}", k + i))?;
    }
    let x = xs[0].clone();
    let w = Window::check(cx, x.rank(), true)?;
    let scalars: Vec<Type> = types.iter().map(|t| Type::scalar(t.dtype)).collect();
    let inits: Vec<Type> = inits.to_vec();
    hand(cx, 0, &scalars, None, |i| format!("parameter {i} of `combine`"))?;
    handed_on(cx, 0, &scalars[..k])?;
    let padded = w.padded(&x)?;
    let windows = x.with_dims(w.sliding.dims(&padded)?[..x.rank()].to_vec());
    Ok(inits.iter().map(|t| windows.with_dtype(t.dtype)).collect())
}

/// `select_and_scatter`.
pub static SELECT_AND_SCATTER: OpDef = OpDef {
    name: "select_and_scatter",
    doc: "Puts each element of `source` to the place in `x` that its window selects: `select_and_scatter(%x, %source, %init, size = [2, 2]) \
          { select(%a: T[], %b: T[]) {… yield %p} scatter(%old: T[], %new: T[]) {… yield %r} }`. A window of `x` (as in `reduce_window`, \
          without dilations) keeps the element `%a` that it has as long as `select` of it and the next one is true. The result has the \
          shape of `x`; it starts from `init` everywhere, and `scatter` combines what is there with an element of `source`. What \
          `low` and `high` put around `x` is never selected.",
    operands: &["x", "source", "init"],
    alike: (0, 3),
    slots: &[
        Slot::required("size", SlotKind::Extents),
        Slot::optional("stride", SlotKind::Extents),
        Slot::optional("low", SlotKind::Extents),
        Slot::optional("high", SlotKind::Extents),
    ],
    regions: &["select", "scatter"],
    infer: |cx| {
        let (x, source) = (cx.ty(0)?, cx.ty(1)?);
        cx.want_scalar(2, |d| d == x.dtype, &format!("a scalar {}", x.dtype))?;
        let w = Window::check(cx, x.rank(), false)?;
        let padded = w.padded(&x)?;
        let windows = x.with_dims(w.sliding.dims(&padded)?[..x.rank()].to_vec());
        cx.agree(&windows, &source, Part::Operand(1), "windows and `source`")?;
        let two = [Type::scalar(x.dtype), Type::scalar(x.dtype)];
        hand(cx, 0, &two, None, |i| format!("parameter {i} of `select`"))?;
        hand(cx, 1, &two, None, |i| format!("parameter {i} of `scatter`"))?;
        for (r, want) in [(0, DType::Bool), (1, x.dtype)] {
            if cx.region_yields(r) != [Type::scalar(want)] {
                let text = format!("`{}` yields one {want}", cx.region(r).label);
                return Err(Error::new(Code::E0215, text).at(Part::Region(r)));
            }
        }
        Ok(vec![x])
    },
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    expand: Expand::Composite(expand_select),
    control: Control {
        ports: Some(Ports { of: select_ports, keep: |_, _, _, _| {}, needs: |_, _| vec![] }),
        ..Control::NONE
    },
    sample: sample_select,
    ..OpDef::BASE
};
fn select_ports(_: &Func, _: OpId) -> Vec<Port> {
    let port = |kind, i, params: &[(usize, usize)], out: bool| Port {
        kind,
        operand: Some(i),
        params: params.to_vec(),
        yields: if out { vec![(1, 0)] } else { vec![] },
        result: Some(0),
    };
    let mut select = port(PortKind::Control, 0, &[(0, 0), (0, 1)], false);
    select.yields = vec![(0, 0)];
    select.result = None;
    vec![select, port(PortKind::In, 1, &[(1, 1)], false), port(PortKind::Carry, 2, &[(1, 0)], true)]
}
/// By the number of each element: that of the one that is selected, −1 where there is none yet.
fn expand_select(b: &mut Builder, new: &NewOp) -> Result<Vec<ValueId>> {
    let [x, source, init] = new.operands[..] else { return Err(Error::new(Code::E0210, "three operands")) };
    let (ty, of) = (b.ty(x), b.ty(source));
    let w = Window::of(&new.attrs, ty.rank());
    let all = ty.dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d))?;
    let line = Type::new(DType::I64, [all.clone()]);
    let number = b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(0)).types(vec![line]))?;
    let number = b.reshape(number, &ty.with_dtype(DType::I64))?;
    let index = Type::scalar(DType::I64);
    let nowhere = b.splat(&index, -1.0)?;
    let operands = [init, nowhere, w.cut(b, x, init)?, w.cut(b, number, nowhere)?];
    let el = Type::scalar(ty.dtype);
    let params = [(el.clone(), "a"), (index.clone(), "i"), (el, "b"), (index, "j")];
    let select = new.regions[0];
    let combine = b.region("combine", &params, |b, p| {
        let kept = on_all(b, select, &[p[0], p[2]], &Type::scalar(ty.dtype))?;
        let zero = b.like(p[1], 0.0)?;
        let (first, outside) = (b.lt(p[1], zero)?, b.lt(p[3], zero)?);
        let stays = b.not(first)?;
        let stays = b.and(stays, kept[0])?;
        let stays = b.or(stays, outside)?;
        Ok(vec![b.select(stays, p[0], p[2])?, b.select(stays, p[1], p[3])?])
    })?;
    let axes: Vec<usize> = (ty.rank()..2 * ty.rank()).collect();
    let op = NewOp::new(&REDUCE_BY, &operands).attr("carry", Attr::Int(2)).attr("axes", Attr::ints(&axes));
    let chosen = b.emit(op.regions(vec![combine]))?[1];
    let count = of.dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d))?;
    let places = b.reshape(chosen, &Type::new(DType::I64, [count.clone()]))?;
    let values = b.reshape(source, &Type::new(ty.dtype, [count]))?;
    let start = b.broadcast(init, &Type::new(ty.dtype, [all]), &[])?;
    let op = NewOp::new(&SCATTER, &[start, places, values]).attr("inserted_window_dims", Attr::ints(&[0usize]));
    let op = match known(b.func(), new.regions[1]) {
        Some((row, _)) if row.is(&crate::ops::elementwise::ADD) => op.attr("combine", Attr::word("add")),
        _ => op.regions(vec![new.regions[1]]),
    };
    let y = b.emit1(op)?;
    Ok(vec![b.reshape(y, &ty)?])
}

fn exact(v: &[i64]) -> Attr {
    Attr::extents(v.iter().map(|&i| Extent::exact(i)).collect::<Vec<_>>())
}
fn sample_reduce_window(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    type Case = (&'static [usize], Attrs);
    let size = |s: &[i64]| Attrs::of([("size", exact(s))]);
    let cases: [Case; 4] = [
        (&[5], size(&[3])),
        (&[4, 4], size(&[2, 2]).with("stride", exact(&[2, 1]))),
        (
            &[3],
            size(&[2]).with("low", exact(&[1])).with("high", exact(&[2])).with("base_dilation", Attr::ints(&[2usize])),
        ),
        (&[1, 5], size(&[1, 2]).with("dilation", exact(&[1, 3]))),
    ];
    let one = cx.ty(&[]);
    let mut out = vec![];
    for (i, (shape, attrs)) in cases.into_iter().enumerate() {
        let params = [(one.clone(), Domain::Any), (cx.ty(shape), Domain::Any)];
        out.push(cx.program(&params, |b, x| {
            let r = b.region("combine", &[(one.clone(), "acc"), (one.clone(), "e")], |b, p| {
                let y = if i % 2 == 0 { p[1] } else { b.mul(p[1], p[1])? };
                Ok(vec![b.add(p[0], y)?])
            })?;
            b.emit(NewOp::new(cx.def, x).attrs(attrs).regions(vec![r]))
        })?);
    }
    Ok(out)
}
fn sample_select(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_float() {
        return Ok(vec![]);
    }
    let one = cx.ty(&[]);
    let cases: [(&[usize], &[usize], Attrs); 2] = [
        (&[4, 4], &[2, 3], Attrs::of([("size", exact(&[2, 2])), ("stride", exact(&[2, 1]))])),
        (&[3], &[3], Attrs::of([("size", exact(&[2])), ("low", exact(&[1]))])),
    ];
    let mut out = vec![];
    for (shape, of, attrs) in cases {
        let params = [(cx.ty(shape), Domain::Any), (cx.ty(of), Domain::Any), (one.clone(), Domain::Any)];
        out.push(cx.program(&params, |b, x| {
            let two = [(one.clone(), "a"), (one.clone(), "b")];
            let select = b.region("select", &two, |b, p| Ok(vec![b.ge(p[0], p[1])?]))?;
            let scatter = b.region("scatter", &two, |b, p| Ok(vec![b.add(p[0], p[1])?]))?;
            b.emit(NewOp::new(cx.def, x).attrs(attrs).regions(vec![select, scatter]))
        })?);
    }
    Ok(out)
}
