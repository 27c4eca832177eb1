//! `conv`: a convolution is a product with sliding windows.
use super::*;
use crate::code::Code;
use crate::ops::contract::DotDims;
use crate::ops::shape::{REVERSE, Sliding, WINDOWS, dilated, pad, wrong_length};

/// `conv`.
pub static CONV: OpDef = OpDef {
    name: "conv",
    doc: "Convolution (without turning the kernel, as in machine learning) of `x` with `kernel`, over any number of spatial axes. \
          Where each axis is: `x_dims = [batch, feature, spatial…]`, `kernel_dims = [in, out, spatial…]`, `out_dims = [batch, feature, \
          spatial…]`; without them the axes are in that order. The other lists have one entry per spatial axis: `stride` of the kernel, \
          `kernel_dilation` between its elements and `x_dilation` between those of `x` (1 unless given), `low` and `high` zeros before and \
          after (0 unless given; negative ones remove), `reverse`d kernel axes (as axes of the list). With `feature_groups = g` the \
          features of `x` are `g` groups that the output features of the kernel see in turn, with `batch_groups = g` its batches are. As \
          StableHLO's `convolution`.",
    operands: &["x", "kernel"],
    alike: (0, 2),
    slots: &[
        Slot::optional("x_dims", SlotKind::Ints),
        Slot::optional("kernel_dims", SlotKind::Ints),
        Slot::optional("out_dims", SlotKind::Ints),
        Slot::optional("stride", SlotKind::Extents),
        Slot::optional("low", SlotKind::Extents),
        Slot::optional("high", SlotKind::Extents),
        Slot::optional("x_dilation", SlotKind::Ints),
        Slot::optional("kernel_dilation", SlotKind::Extents),
        Slot::optional("reverse", SlotKind::Ints),
        Slot::with_default("feature_groups", SlotKind::Int, SlotDefault::Int(1)),
        Slot::with_default("batch_groups", SlotKind::Int, SlotDefault::Int(1)),
    ],
    infer,
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    expand: Expand::Composite(expand_conv),
    sample,
    ..OpDef::BASE
};

/// The attributes of a convolution over `n` spatial axes.
struct Conv {
    /// Where batch, feature and spatial axes are: in `x`, in the kernel (in, out, spatial), in the result.
    dims: [Vec<usize>; 3],
    stride: Vec<Extent>,
    low: Vec<Extent>,
    high: Vec<Extent>,
    x_dilation: Vec<usize>,
    kernel_dilation: Vec<Extent>,
    reverse: Vec<usize>,
    feature_groups: i64,
    batch_groups: i64,
}
const DIMS: [&str; 3] = ["x_dims", "kernel_dims", "out_dims"];
impl Conv {
    fn of(attrs: &Attrs, rank: usize) -> Conv {
        let n = rank - 2;
        let list = |name: &str, default: i64| match attrs.get(name) {
            Some(_) => attrs.extents(name).to_vec(),
            None => vec![Extent::exact(default); n],
        };
        let dims = DIMS.map(|d| if attrs.get(d).is_some() { attrs.indices(d) } else { (0..rank).collect() });
        Conv {
            dims,
            stride: list("stride", 1),
            low: list("low", 0),
            high: list("high", 0),
            x_dilation: if attrs.get("x_dilation").is_some() { attrs.indices("x_dilation") } else { vec![1; n] },
            kernel_dilation: list("kernel_dilation", 1),
            reverse: attrs.indices("reverse"),
            feature_groups: attrs.int_or_one("feature_groups"),
            batch_groups: attrs.int_or_one("batch_groups"),
        }
    }
    /// The windows of `x`, once it is padded.
    fn sliding(&self, kernel: &Type) -> Sliding {
        let size = self.dims[1][2..].iter().map(|&a| kernel.dims[a].clone()).collect();
        let axes = self.dims[0][2..].to_vec();
        Sliding { axes, size, stride: self.stride.clone(), dilation: self.kernel_dilation.clone() }
    }
    /// The type of `x` with zeros around and between its elements.
    fn padded(&self, x: &Type) -> Result<Type> {
        let mut dims = x.dims.to_vec();
        for (i, &a) in self.dims[0][2..].iter().enumerate() {
            dims[a] = dilated(&dims[a], self.x_dilation[i] as i64 - 1)?.add(&self.low[i])?.add(&self.high[i])?;
        }
        Ok(x.with_dims(dims))
    }
}
fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    let (x, kernel) = (cx.ty(0)?, cx.ty(1)?);
    let rank = x.rank();
    if rank < 2 || kernel.rank() != rank {
        let text = format!("`conv` of {} with {}", cx.show(&x), cx.show(&kernel));
        return Err(Error::new(Code::E0205, text)
            .operand(1)
            .help("both have a batch or output axis, a feature axis and equally many spatial axes"));
    }
    if x.dtype != kernel.dtype || x.dtype == DType::Bool {
        let text = format!("`conv` of {} with {}", cx.show(&x), cx.show(&kernel));
        return Err(Error::new(Code::E0202, text)
            .operand(1)
            .help("both have one dtype, which is not bool: insert `convert`"));
    }
    for name in DIMS {
        if cx.attrs().get(name).is_some() {
            let v = cx.axes(name, rank)?;
            if v.len() != rank {
                return Err(wrong_length(name, v.len(), rank));
            }
            if v.is_sorted() {
                cx.remove_attr(name);
            }
        }
    }
    for name in ["stride", "low", "high", "kernel_dilation", "x_dilation"] {
        let n = match cx.attrs().get(name) {
            None => continue,
            Some(Attr::Extents(v)) => v.len(),
            Some(_) => cx.attrs().indices(name).len(),
        };
        if n != rank - 2 {
            return Err(wrong_length(name, n, rank - 2));
        }
    }
    if cx.attrs().get("reverse").is_some() {
        cx.axes("reverse", rank - 2)?;
    }
    let c = Conv::of(cx.attrs(), rank);
    if c.x_dilation.contains(&0) {
        return Err(Error::new(Code::E0227, "`x_dilation` is at least 1").attr("x_dilation"));
    }
    for (name, g) in [("feature_groups", c.feature_groups), ("batch_groups", c.batch_groups)] {
        if g < 1 {
            return Err(Error::new(Code::E0227, format!("`{name}` is at least 1, not {g}")).attr(name));
        }
    }
    if c.feature_groups > 1 && c.batch_groups > 1 {
        return Err(Error::new(Code::E0227, "groups of features or of batches, not both").attr("batch_groups"));
    }
    let one = Extent::exact(1);
    for (name, list) in [("stride", &c.stride), ("kernel_dilation", &c.kernel_dilation)] {
        for (i, e) in list.iter().enumerate() {
            cx.demand(&one, CmpOp::Le, e, Part::Attr(name), &format!("spatial axis {i}"))?;
        }
    }
    let s = c.sliding(&kernel);
    for (i, e) in s.size.iter().enumerate() {
        cx.demand(&one, CmpOp::Le, e, Part::Operand(1), &format!("spatial axis {i} of the kernel"))?;
    }
    let [b, f, i, o] =
        [&x.dims[c.dims[0][0]], &x.dims[c.dims[0][1]], &kernel.dims[c.dims[1][0]], &kernel.dims[c.dims[1][1]]];
    let seen = i.mul(&Extent::exact(c.feature_groups))?;
    cx.equal(&seen, f, Part::Operand(1), || "input features of the kernel, and those of a group".into())?;
    for (name, g, e) in [
        ("feature_groups", c.feature_groups, o),
        ("batch_groups", c.batch_groups, o),
        ("batch_groups", c.batch_groups, b),
    ] {
        let g = Extent::exact(g);
        cx.equal(&e.floordiv(&g)?.mul(&g)?, e, Part::Attr(name), || "a multiple of the number of groups".into())?;
    }
    let windows = s.dims(&c.padded(&x)?)?;
    let mut dims = vec![Extent::exact(0); rank];
    dims[c.dims[2][0]] = b.floordiv(&Extent::exact(c.batch_groups))?;
    dims[c.dims[2][1]] = o.clone();
    for (k, &a) in c.dims[0][2..].iter().enumerate() {
        dims[c.dims[2][2 + k]] = windows[a].clone();
    }
    Ok(vec![x.with_dims(dims)])
}
/// Axis `a` as `groups` and what a group has of it.
fn grouped(b: &mut Builder, x: ValueId, a: usize, groups: i64) -> Result<ValueId> {
    let ty = b.ty(x);
    let g = Extent::exact(groups);
    let mut dims = ty.dims.to_vec();
    dims[a] = dims[a].floordiv(&g)?;
    dims.insert(a, g);
    b.reshape(x, &ty.with_dims(dims))
}
/// Products from which on a convolution of a dilated operand is made by phases.
const WORTH: usize = 1 << 16;

/// A convolution has so many phases at most.
const MOST_PHASES: usize = 16;

/// A convolution with zeros between the elements of `x`, which a transposed convolution and the derivative of one with a stride are, without the
/// products with these zeros: along an axis of dilation `d`, every `d`-th element of the result, its phase, is a convolution of `x` itself with every
/// `d`-th element of the kernel. The phases are then joined in turn. `None` where there is no dilation, or where extents are no numbers.
fn by_phases(b: &mut Builder, new: &NewOp, c: &Conv) -> Result<Option<ValueId>> {
    let [x, kernel] = new.operands[..] else { return Ok(None) };
    let (tx, tk) = (b.ty(x), b.ty(kernel));
    let spatial = tx.rank() - 2;
    let exact = |list: &[Extent]| list.iter().map(Extent::as_exact).collect::<Option<Vec<i64>>>();
    let (Some(stride), Some(low), Some(high)) = (exact(&c.stride), exact(&c.low), exact(&c.high)) else {
        return Ok(None);
    };
    let (Some(apart), Some(shape), Some(size)) = (exact(&c.kernel_dilation), exact(&tx.dims), exact(&tk.dims)) else {
        return Ok(None);
    };
    let plain = stride.iter().chain(&apart).all(|&n| n == 1) && c.reverse.is_empty();
    let phases = c.x_dilation.iter().fold(1usize, |n, &d| n.saturating_mul(d));
    if !plain || phases == 1 || phases > MOST_PHASES {
        return Ok(None);
    }
    // Along each axis: the dilation, the elements of `x`, of the kernel and of the result.
    let mut axes = vec![];
    for i in 0..spatial {
        let (n, k) = (shape[c.dims[0][2 + i]], size[c.dims[1][2 + i]]);
        let d = c.x_dilation[i] as i64;
        let all = if n == 0 { Some(0) } else { (n - 1).checked_mul(d).and_then(|m| m.checked_add(1)) };
        let out = all.and_then(|m| m.checked_add(low[i])?.checked_add(high[i])?.checked_sub(k)?.checked_add(1));
        match out {
            Some(out) if n > 0 && out > 0 => axes.push([d, n, k, out]),
            _ => return Ok(None),
        }
    }
    // Products of the convolution as it is written: of each place of the result and each element of the kernel.
    let count = |n: usize, m: &i64| n.saturating_mul(usize::try_from(*m).unwrap_or(0));
    let products = axes.iter().map(|a| &a[3]).chain(&size).chain([&shape[c.dims[0][0]]]).fold(1, count);
    if products < WORTH {
        return Ok(None);
    }
    let mut wide = None;
    let y = phase(b, new, c, (&axes, &low), &mut vec![], &mut wide)?;
    // An axis of the result is its places within a phase and then the phase; phases that end before the others have elements too many.
    let Some(ty) = wide else { return Ok(None) };
    let (mut dims, mut limit) = (ty.dims.to_vec(), ty.dims.to_vec());
    for (i, a) in axes.iter().enumerate() {
        dims[c.dims[2][2 + i]] = Extent::exact(a[3].div_euclid(a[0]) * a[0] + if a[3] % a[0] == 0 { 0 } else { a[0] });
        limit[c.dims[2][2 + i]] = Extent::exact(a[3]);
    }
    let whole = b.reshape(y, &ty.with_dims(dims.clone()))?;
    if dims == limit {
        return Ok(Some(whole));
    }
    let start = vec![Extent::exact(0); limit.len()];
    let cut = NewOp::new(&crate::ops::shape::SLICE, &[whole]).attr("start", Attr::extents(start));
    Ok(Some(b.emit1(cut.attr("limit", Attr::extents(limit)))?))
}
/// The phases of a convolution whose phases along the first axes are `at`, joined along the others: an axis of one phase each stands behind each of those.
/// `wide`: the type of one of them.
fn phase(
    b: &mut Builder,
    new: &NewOp,
    c: &Conv,
    (axes, low): (&[[i64; 4]], &[i64]),
    at: &mut Vec<i64>,
    wide: &mut Option<Type>,
) -> Result<ValueId> {
    let spatial = axes.len();
    if at.len() < spatial {
        let i = at.len();
        let mut parts = vec![];
        for p in 0..axes[i][0] {
            at.push(p);
            parts.push(phase(b, new, c, (axes, low), at, wide)?);
            at.pop();
        }
        // Axes of phases stand behind spatial axes of the result, of which there are some before this one.
        let own = c.dims[2][2 + i];
        let place = own + 1 + c.dims[2][2..].iter().filter(|&&a| a < own).count();
        let axis = Attr::Int(place as i64);
        return b.emit1(NewOp::new(&crate::ops::shape::CONCAT, &parts).attr("axis", axis));
    }
    let (mut k, tk) = (new.operands[1], b.ty(new.operands[1]));
    let (mut start, mut limit, mut step) = (vec![Extent::exact(0); tk.rank()], tk.dims.to_vec(), vec![1i64; tk.rank()]);
    let (mut lows, mut highs, mut none) = (vec![], vec![], false);
    for (i, &[d, n, size, out]) in axes.iter().enumerate() {
        // Element q of phase p is the sum of kernel elements t = first + d s with elements q + s + moved of `x`.
        let first = (low[i] - at[i]).rem_euclid(d);
        let moved = (at[i] + first - low[i]).div_euclid(d);
        let taps = (size - first + d - 1).div_euclid(d).max(0);
        let places = (out + d - 1).div_euclid(d);
        none |= taps == 0;
        let a = c.dims[1][2 + i];
        (start[a], step[a]) = (Extent::exact(first.min(size)), d);
        limit[a] = Extent::exact(size);
        lows.push(Extent::exact(-moved));
        highs.push(Extent::exact(places - 1 + taps - n + moved));
    }
    let mut dims = b.ty(new.operands[0]).dims.to_vec();
    let ty = b.ty(new.operands[0]);
    dims[c.dims[2][0]] = ty.dims[c.dims[0][0]].floordiv(&Extent::exact(c.batch_groups))?;
    dims[c.dims[2][1]] = tk.dims[c.dims[1][1]].clone();
    for (i, a) in axes.iter().enumerate() {
        dims[c.dims[2][2 + i]] = Extent::exact((a[3] + a[0] - 1).div_euclid(a[0]));
    }
    let ty = ty.with_dims(dims);
    let y = if none {
        b.zeros(&ty)?
    } else {
        let cut = NewOp::new(&crate::ops::shape::SLICE, &[k]).attr("start", Attr::extents(start));
        let step: Vec<usize> = step.iter().map(|&s| usize::try_from(s).unwrap_or(1)).collect();
        k = b.emit1(cut.attr("limit", Attr::extents(limit)).attr("stride", Attr::ints(&step)))?;
        let mut attrs = new.attrs.clone();
        for (name, list) in [("low", lows), ("high", highs)] {
            attrs.set(name, Attr::extents(list));
        }
        attrs.remove("x_dilation");
        let mut one = new.clone();
        (one.operands, one.attrs, one.declared) = ([new.operands[0], k].into_iter().collect(), attrs, None);
        expand_conv(b, &one)?.first().copied().ok_or_else(|| Error::new(Code::E0210, "`conv` gives no result"))?
    };
    *wide = Some(ty.clone());
    let mut spread = vec![];
    for (a, d) in ty.dims.iter().enumerate() {
        spread.push(d.clone());
        if c.dims[2][2..].contains(&a) {
            spread.push(Extent::exact(1));
        }
    }
    b.reshape(y, &ty.with_dims(spread))
}
fn expand_conv(b: &mut Builder, new: &NewOp) -> Result<Vec<ValueId>> {
    let [x, kernel] = new.operands[..] else { return Err(Error::new(Code::E0210, "`conv` takes two operands")) };
    let (tx, tk) = (b.ty(x), b.ty(kernel));
    let rank = tx.rank();
    let c = Conv::of(&new.attrs, rank);
    if let Some(y) = by_phases(b, new, &c)? {
        return Ok(vec![y]);
    }
    let [xd, kd, od] = &c.dims;
    let mut k = kernel;
    if !c.reverse.is_empty() {
        let axes: Vec<usize> = c.reverse.iter().map(|&i| kd[2 + i]).collect();
        k = b.emit1(NewOp::new(&REVERSE, &[k]).attr("axes", Attr::ints(&axes)))?;
    }
    let (mut low, mut high, mut interior) = (vec![Extent::exact(0); rank], vec![Extent::exact(0); rank], vec![0; rank]);
    for (i, &a) in xd[2..].iter().enumerate() {
        (low[a], high[a], interior[a]) = (c.low[i].clone(), c.high[i].clone(), c.x_dilation[i] - 1);
    }
    let x = pad(b, x, None, &low, &high, &interior, &c.padded(&tx)?)?;
    let s = c.sliding(&tk);
    let w = NewOp::new(&WINDOWS, &[x]).attr("axes", Attr::ints(&s.axes)).attr("size", Attr::extents(s.size));
    let w = b.emit1(w.attr("stride", Attr::extents(s.stride)).attr("dilation", Attr::extents(s.dilation)))?;
    // Groups, of features or of batches, are batches of the product.
    let groups = c.feature_groups.max(c.batch_groups);
    let cut = if c.batch_groups > 1 { xd[0] } else { xd[1] };
    let (mut w, mut k) = (w, k);
    if groups > 1 {
        (w, k) = (grouped(b, w, cut, groups)?, grouped(b, k, kd[1], groups)?);
    }
    // Axes behind the one that was cut have moved; the groups stand at its place.
    let extra = usize::from(groups > 1);
    let at = |a: usize, cut: usize| a + if groups > 1 && a >= cut { 1 } else { 0 };
    let spatial = rank - 2;
    let x_at = |a: usize| at(a, cut);
    let k_at = |a: usize| at(a, kd[1]);
    let mut contract = [vec![x_at(xd[1])], vec![k_at(kd[0])]];
    for i in 0..spatial {
        contract[0].push(rank + extra + i);
        contract[1].push(k_at(kd[2 + i]));
    }
    let batch = if groups > 1 { [vec![cut], vec![kd[1]]] } else { [vec![], vec![]] };
    let dims = DotDims { contract, batch, ..DotDims::default() };
    // Free axes in the order of the left factor, the output features, then the groups.
    let y = b.dot(w, k, &dims)?;
    let mut free: Vec<usize> = (0..rank + extra).filter(|a| *a != x_at(xd[1]) && !(groups > 1 && *a == cut)).collect();
    free.truncate(rank - 1);
    let place = |a: usize| free.iter().position(|&f| f == a).unwrap_or(0);
    let (features, group) = (free.len(), free.len() + 1);
    let mut perm = vec![0; rank + extra];
    let out_of = |a: usize| at(a, od[1]);
    perm[out_of(od[0])] = place(x_at(xd[0]));
    perm[out_of(od[1])] = features;
    for i in 0..spatial {
        perm[out_of(od[2 + i])] = place(x_at(xd[2 + i]));
    }
    if groups > 1 {
        perm[od[1]] = group;
    }
    let y = if perm.is_sorted() { y } else { b.transpose(y, &perm)? };
    if groups == 1 {
        return Ok(vec![y]);
    }
    let ty = b.ty(y);
    let whole = ty.dims[od[1]].mul(&ty.dims[od[1] + 1])?;
    let joined = ty.without(&[od[1], od[1] + 1]).with_axis(od[1], whole);
    Ok(vec![b.reshape(y, &joined)?])
}

fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    let list = |v: &[i64]| Attr::extents(v.iter().map(|&i| Extent::exact(i)).collect::<Vec<_>>());
    let cases: [(&[usize], &[usize], Attrs); 7] = [
        (&[2, 3, 5], &[3, 2, 2], Attrs::none()),
        (&[1, 2], &[2, 3], Attrs::none()),
        (
            &[1, 1, 4, 3],
            &[1, 2, 2, 2],
            Attrs::of([("stride", list(&[2, 1])), ("low", list(&[1, 0])), ("high", list(&[0, 1]))]),
        ),
        (
            &[1, 2, 4],
            &[2, 1, 2],
            Attrs::of([
                ("x_dilation", Attr::ints(&[2usize])),
                ("kernel_dilation", list(&[2])),
                ("reverse", Attr::ints(&[0usize])),
            ]),
        ),
        (&[2, 4, 3], &[2, 2, 2], Attrs::of([("feature_groups", Attr::Int(2))])),
        (&[4, 2, 3], &[2, 2, 2], Attrs::of([("batch_groups", Attr::Int(2))])),
        (
            &[3, 4, 1, 2],
            &[2, 2, 4, 2],
            Attrs::of([
                ("x_dims", Attr::ints(&[2usize, 3, 0, 1])),
                ("kernel_dims", Attr::ints(&[3usize, 2, 0, 1])),
                ("out_dims", Attr::ints(&[3usize, 1, 0, 2])),
            ]),
        ),
    ];
    cases
        .into_iter()
        .map(|(x, k, attrs)| cx.op(&[(cx.ty(x), Domain::Any), (cx.ty(k), Domain::Any)], attrs, None))
        .collect()
}
