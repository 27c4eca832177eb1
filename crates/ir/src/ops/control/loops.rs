//! `scan` and `while`: rows, inference, ports.
use super::spaced::{self, Checkpoint};
use super::{batch, branch, linear, pack, port, reverse};
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::extent::{CmpOp, Constraint, Extent};
use crate::func::{Func, Op, OpId};
use crate::infer::InferCx;
use crate::op::*;
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;

/// `scan`.
pub static SCAN: OpDef = OpDef {
    name: "scan",
    doc: "Runs `body` once per index of an axis: `scan(%carry…, %xs…, carry = k) { body(%c: T…, %x: U…) {… yield %c1…, %y…} }`. \
          The first `carry` operands are carried; the others are cut along `axis` (an integer, or a list: one per `xs`, \
          then per collected value; default: the last axis of each). `body` yields the carries, then values that are \
          stacked along a new axis, or with `collect = concat` joined along their last axis, whose extent may differ at \
          each trip. `reverse` runs from the last index to the first. A scan without `xs` needs `length`. Parameters may \
          bind extents of the region's own, which carries change from trip to trip: `body(%c: f64[?i]) where ?i <= n`. A reverse derivative keeps \
          what `checkpoint` (`none`, `sqrt`, `all`), `period = k` or `binomial = k` says, and runs trips again for the rest.",
    operands: &["x…"],
    slots: &[
        Slot::with_default("carry", SlotKind::Int, SlotDefault::Int(0)),
        Slot::optional("length", SlotKind::Extent),
        Slot::optional("axis", SlotKind::IntOrInts),
        Slot::with_default("reverse", SlotKind::Bool, SlotDefault::Bool(false)),
        COLLECT,
        spaced::WORD,
        spaced::PERIOD,
        spaced::BINOMIAL,
    ],
    regions: &["body"],
    infer: infer_scan,
    linearize: Linearize::Rule(linear::lin_scan),
    transpose: Transpose::Rule(reverse::tr_scan),
    control: Control {
        trips: Some(ScanDims::of),
        ports: Some(Ports {
            of: scan_ports,
            keep: keep_scan,
            needs: |f, o| ScanDims::of(f, f.op(o)).map(|d| vec![d.length]).unwrap_or_default(),
        }),
        ..Control::NONE
    },
    batch: Batch::Rule(batch::scan),
    sample: sample_scan,
    ..OpDef::BASE
};
/// `while`.
pub static WHILE: OpDef = OpDef {
    name: "while",
    doc: "Repeats `body` while `cond` yields true: `while(%carry…) { cond(%c: T…) {… yield %p} body(%c: T…) {… yield %c1…, %y…} }`. \
          Values that `body` yields beyond the carries are stacked along a new last axis whose extent is the trip \
          count, an existential that the loop binds, or with `collect = concat` joined along their last axis. More than \
          `max_trips` trips is a run-time error. Parameters may bind extents of the regions' own, which carries change \
          from trip to trip: `body(%c: f64[?i]) where ?i <= n`. A reverse derivative keeps \
          what `checkpoint` (`none`, `sqrt`, `all`), `period = k` or `binomial = k` says, and runs trips again for the rest.",
    operands: &["x…"],
    slots: &[Slot::optional("max_trips", SlotKind::Extent), COLLECT, spaced::WORD, spaced::PERIOD, spaced::BINOMIAL],
    regions: &["cond", "body"],
    infer: infer_while,
    // It may run for ever or exceed `max_trips`: never where the source would not run it.
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linear::lin_while),
    transpose: Transpose::Never("the linear part of a `while` is a `scan`"),
    control: Control {
        repeats: Some(Repeats { cond: 0, body: 1 }),
        ports: Some(Ports { of: while_ports, keep: keep_while, needs: |_, _| vec![] }),
        ..Control::NONE
    },
    batch: Batch::Rule(batch::whiles),
    sample: sample_while,
    ..OpDef::BASE
};

const COLLECT: Slot = Slot::optional("collect", SlotKind::Words(&["stack", "concat"]));

/// How a value is collected over the trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gather {
    /// Along a new axis at this place, one index a trip.
    Stack(usize),
    /// Joined along its last axis, whose extent may differ at each trip.
    Concat,
}
impl Gather {
    /// The axis of the result that grows, for elements of that rank.
    pub fn axis(self, rank: usize) -> usize {
        match self {
            Gather::Stack(a) => a,
            Gather::Concat => rank.saturating_sub(1),
        }
    }
}
/// Which of `n` collected values are joined.
fn joined(attrs: &Attrs, n: usize) -> Result<Vec<bool>> {
    let word = |a: &Attr| matches!(a, Attr::Word(w) if &**w == "concat");
    match attrs.get("collect") {
        None => Ok(vec![false; n]),
        Some(Attr::List(l)) if l.len() == n => Ok(l.iter().map(word).collect()),
        Some(Attr::List(l)) => {
            let text = format!("`collect` names {} ways for {n} collected values", l.len());
            Err(Error::new(Code::E0216, text).attr("collect").help("write one for all, or one for each"))
        }
        Some(a) => Ok(vec![word(a); n]),
    }
}
/// Sets or removes `collect`.
pub(super) fn set_collect(attrs: &mut Attrs, how: &[Gather]) {
    attrs.remove("collect");
    if how.contains(&Gather::Concat) {
        attrs.set("collect", collect_attr(how));
    }
}
fn collect_attr(how: &[Gather]) -> Attr {
    let word = |h: &Gather| Attr::word(if *h == Gather::Concat { "concat" } else { "stack" });
    match how {
        [one] => word(one),
        _ => Attr::List(how.iter().map(word).collect()),
    }
}
/// How a `while` collects values of types `ys`.
pub(super) fn while_collect(attrs: &Attrs, ys: &[Type]) -> Result<Vec<Gather>> {
    let joined = joined(attrs, ys.len())?;
    Ok(ys.iter().zip(joined).map(|(t, j)| if j { Gather::Concat } else { Gather::Stack(t.rank()) }).collect())
}
/// How the `while` op `o` of a function collects.
pub fn while_gathers(f: &Func, op: &Op) -> Result<Vec<Gather>> {
    let body = op.regions.last().map(|&r| f.region(r).yields.clone()).unwrap_or_default();
    while_collect(&op.attrs, &f.types(body.get(op.operands.len()..).unwrap_or_default()))
}

/// The attributes of a scan, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanDims {
    /// Number of carries.
    pub carry: usize,
    /// Trip count.
    pub length: Extent,
    /// The axis along which each `xs` is cut.
    pub cut: Vec<usize>,
    /// How each value is collected.
    pub collect: Vec<Gather>,
    /// From last to first.
    pub reverse: bool,
    /// What a reverse derivative keeps.
    pub checkpoint: Checkpoint,
}
impl Default for ScanDims {
    /// No trips, no carries, nothing cut or collected.
    fn default() -> ScanDims {
        let length = Extent::exact(0);
        ScanDims { carry: 0, length, cut: vec![], collect: vec![], reverse: false, checkpoint: Checkpoint::None }
    }
}
impl ScanDims {
    /// Of a scan of a finished function.
    pub fn of(f: &Func, op: &Op) -> Result<ScanDims> {
        let k = op.attrs.int("carry") as usize;
        let xs = f.types(op.operands.get(k..).unwrap_or_default());
        let ys = f.types(f.region(op.regions[0]).yields.get(k..).unwrap_or_default());
        ScanDims::read(&op.attrs, &xs, &ys)
    }
    /// From attributes, the types of `xs` and those of the collected values.
    pub fn read(attrs: &Attrs, xs: &[Type], ys: &[Type]) -> Result<ScanDims> {
        let carry = attrs.int("carry") as usize;
        let joined = joined(attrs, ys.len())?;
        let stacked = joined.iter().filter(|j| !**j).count();
        let given: Option<Vec<i64>> = match attrs.get("axis") {
            None => None,
            Some(Attr::Int(a)) => Some(vec![*a; xs.len() + stacked]),
            Some(Attr::List(l)) => Some(l.iter().map(|a| if let Attr::Int(i) = a { *i } else { -1 }).collect()),
            Some(_) => None,
        };
        if let Some(g) = &given
            && g.len() != xs.len() + stacked
        {
            return Err(Error::new(
                Code::E0216,
                format!("`axis` names {} axes for {} `xs` and {stacked} stacked values", g.len(), xs.len()),
            )
            .attr("axis"));
        }
        let pick = |i: usize, default: Option<usize>, rank: usize| -> Result<usize> {
            match &given {
                Some(g) => Ok(crate::infer::check_axes(&[g[i]], rank).map_err(|e| e.attr("axis"))?[0]),
                None => default
                    .ok_or_else(|| Error::new(Code::E0216, "a scalar has no axis to scan along").operand(carry + i)),
            }
        };
        let cut = xs
            .iter()
            .enumerate()
            .map(|(i, t)| pick(i, t.rank().checked_sub(1), t.rank()))
            .collect::<Result<Vec<_>>>()?;
        let (mut at, mut collect) = (xs.len(), vec![]);
        for (t, joined) in ys.iter().zip(joined) {
            collect.push(if joined {
                Gather::Concat
            } else {
                at += 1;
                Gather::Stack(pick(at - 1, Some(t.rank()), t.rank() + 1)?)
            });
        }
        let length = match (attrs.extents("length").first(), xs.first()) {
            (Some(e), _) => e.clone(),
            (None, Some(t)) => t.dims[cut[0]].clone(),
            (None, None) => {
                return Err(Error::new(Code::E0222, "a `scan` without `xs` needs `length`")
                    .help("write `length = 10` or `length = shape[n]`"));
            }
        };
        let checkpoint = Checkpoint::read(attrs)?;
        Ok(ScanDims { carry, length, cut, collect, reverse: attrs.flag("reverse"), checkpoint })
    }
    /// As attributes, for `xs` of these ranks and collected elements of these ranks.
    pub fn attrs(&self, xs: &[usize], ys: &[usize]) -> Attrs {
        let mut a = Attrs::of([("carry", Attr::Int(self.carry as i64))]);
        a.set("length", Attr::extent(self.length.clone()));
        let stacked = |(h, r): (&Gather, &usize)| if let Gather::Stack(a) = h { Some((*a, *r)) } else { None };
        let stacks: Vec<_> = self.collect.iter().zip(ys).filter_map(stacked).collect();
        let plain = self.cut.iter().zip(xs).all(|(c, r)| c + 1 == *r) && stacks.iter().all(|(s, r)| s == r);
        if !plain {
            let stacks: Vec<usize> = stacks.iter().map(|s| s.0).collect();
            a.set("axis", Attr::ints(&[&self.cut[..], &stacks].concat()));
        }
        a.set("reverse", Attr::Bool(self.reverse));
        set_collect(&mut a, &self.collect);
        self.checkpoint.write(&mut a);
        a
    }
}

fn scan_ports(f: &Func, o: OpId) -> Vec<Port> {
    let op = f.op(o);
    let k = op.attrs.int("carry") as usize;
    let mut ps: Vec<_> = (0..k).map(|i| port(PortKind::Carry, Some(i), &[(0, i)], &[(0, i)], Some(i))).collect();
    ps.extend((k..op.operands.len()).map(|i| port(PortKind::In, Some(i), &[(0, i)], &[], None)));
    ps.extend((k..op.results.len()).map(|i| port(PortKind::Out, None, &[], &[(0, i)], Some(i))));
    ps
}
fn keep_scan(attrs: &mut Attrs, f: &Func, o: OpId, kept: &[Port]) {
    let op = f.op(o);
    let Ok(d) = ScanDims::of(f, op) else { return };
    let carry = kept.iter().filter(|p| p.kind == PortKind::Carry).count();
    let of = |k: PortKind, operand: bool| -> Vec<usize> {
        let i = |p: &Port| if operand { p.operand } else { p.result };
        kept.iter().filter(|p| p.kind == k).filter_map(i).map(|i| i - d.carry).collect()
    };
    let (xs, ys) = (of(PortKind::In, true), of(PortKind::Out, false));
    let all_ys = &f.region(op.regions[0]).yields[d.carry..];
    let rank = |i: &usize| f.ty(op.operands[d.carry + i]).rank();
    let new = ScanDims {
        carry,
        length: d.length.clone(),
        cut: xs.iter().map(|&i| d.cut[i]).collect(),
        collect: ys.iter().map(|&i| d.collect[i]).collect(),
        reverse: d.reverse,
        checkpoint: d.checkpoint,
    };
    let xr: Vec<_> = xs.iter().map(rank).collect();
    let yr: Vec<_> = ys.iter().map(|&i| f.ty(all_ys[i]).rank()).collect();
    *attrs = new.attrs(&xr, &yr);
    if !xs.is_empty() {
        attrs.remove("length");
    }
    for (k, default) in [("carry", Attr::Int(0)), ("reverse", Attr::Bool(false))] {
        if attrs.get(k) == Some(&default) {
            attrs.remove(k);
        }
    }
}
fn keep_while(attrs: &mut Attrs, f: &Func, o: OpId, kept: &[Port]) {
    let op = f.op(o);
    let Ok(all) = while_gathers(f, op) else { return };
    let k = op.operands.len();
    let of = |p: &Port| if p.kind == PortKind::Out { all.get(p.result?.checked_sub(k)?).copied() } else { None };
    let how: Vec<Gather> = kept.iter().filter_map(of).collect();
    set_collect(attrs, &how);
}
fn while_ports(f: &Func, o: OpId) -> Vec<Port> {
    let op = f.op(o);
    let k = op.operands.len();
    let mut ps = vec![port(PortKind::Control, None, &[], &[(0, 0)], None)];
    ps.extend((0..k).map(|i| port(PortKind::Carry, Some(i), &[(0, i), (1, i)], &[(1, i)], Some(i))));
    ps.extend((k..op.results.len()).map(|i| port(PortKind::Out, None, &[], &[(1, i)], Some(i))));
    ps
}

/// Parameters of region `r` have the types `want`.
pub(super) fn check_params(cx: &mut InferCx, r: usize, want: &[Type]) -> Result<()> {
    let label = cx.region(r).label.clone();
    pack::hand(cx, r, want, None, |i| format!("parameter {i} of `{label}`"))
}
/// `body` (region `r`) yields at least the carries; gives what it yields.
fn yielded(cx: &InferCx, r: usize, carries: usize) -> Result<Vec<Type>> {
    let ys = cx.region_yields(r);
    if ys.len() < carries {
        let text = format!("`body` yields {} values, but there are {carries} carries", ys.len());
        return Err(Error::new(Code::E0215, text).at(Part::Region(r)));
    }
    Ok(ys)
}
/// Types of collected values, `ys` in region `r` and results from `first` on: stacked along a new axis of `trips`, or
/// joined along their last.
fn collected(
    cx: &mut InferCx,
    r: usize,
    ys: &[Type],
    first: usize,
    how: &[Gather],
    trips: &Extent,
) -> Result<Vec<Type>> {
    let region = cx.region_id(r);
    let (mut out, mut totals) = (vec![], Vec::<(Extent, Extent)>::new());
    for (j, (t, how)) in ys.iter().zip(how).enumerate() {
        let (fixed, last) = match *how {
            Gather::Stack(_) => (&t.dims[..], None),
            Gather::Concat => match t.dims.split_last() {
                Some((last, fixed)) => (fixed, Some(last)),
                None => {
                    let text = format!("collected value {j} is a scalar: it has no axis to be joined along");
                    let e = Error::new(Code::E0216, text).attr("collect");
                    return Err(e.help("write `stack` for it, or let `body` yield a tensor of one axis"));
                }
            },
        };
        if let Some(d) = fixed.iter().find(|d| cx.func().bound_within(d, region)) {
            let text = format!(
                "collected value {j} is {}, whose extent {} may differ at each trip",
                cx.show(t),
                cx.show_extent(d)
            );
            let e = Error::new(Code::E0216, text).at(Part::Region(r));
            return Err(e.help("let it be the last axis and write `collect = concat`: that joins along it"));
        }
        out.push(match (*how, last) {
            (Gather::Stack(axis), _) => t.with_axis(axis, trips.clone()),
            (Gather::Concat, Some(last))
                if !cx.func().bound_within(last, region)
                    && !cx.named(first + j, fixed.len())
                    && !branch::renamed(cx, first + j, fixed.len(), &last.mul(trips)?) =>
            {
                let dims = [fixed, &[last.mul(trips)?]].concat();
                t.with_dims(dims)
            }
            (_, last) => {
                // Values that are equally long at each trip are so in all.
                let last = last.cloned().unwrap_or(Extent::exact(0));
                let what = "values that are joined to the same extent";
                let known = totals.iter().find(|t| cx.equal_for_certain(Some(r), &t.0, &last, what));
                let known = known.map(|t| t.1.clone());
                let total = match (known, cx.claimed(first + j, fixed.len())) {
                    (Some(e), _) => e,
                    (None, Some(e)) => {
                        cx.claim(first + j, fixed.len(), &e);
                        totals.push((last, e.clone()));
                        e
                    }
                    (None, None) => {
                        let e = Extent::exist(cx.fresh_exist("s"));
                        totals.push((last, e.clone()));
                        e
                    }
                };
                t.with_dims([fixed, &[total]].concat())
            }
        });
    }
    Ok(out)
}
fn infer_scan(cx: &mut InferCx) -> Result<Vec<Type>> {
    let k = cx.attrs().int("carry");
    let types = cx.types();
    if k < 0 || k as usize > types.len() {
        return Err(
            Error::new(Code::E0216, format!("`carry` is {k}, but there are {} operands", types.len())).attr("carry")
        );
    }
    let k = k as usize;
    let ys = yielded(cx, 0, k)?;
    let d = ScanDims::read(cx.attrs(), &types[k..], &ys[k..])?;
    let mut want = types[..k].to_vec();
    for (i, (t, &axis)) in types[k..].iter().zip(&d.cut).enumerate() {
        cx.equal(&t.dims[axis].clone(), &d.length, Part::Operand(k + i), || {
            format!("axis {axis} of operand {} and the trip count", k + i)
        })?;
        want.push(t.without(&[axis]));
    }
    if types.len() > k {
        cx.remove_attr("length");
    }
    tidy_collect(cx, &d.collect);
    cx.demand(&Extent::exact(0), CmpOp::Le, &d.length, Part::Attr("length"), "trip count")?;
    check_params(cx, 0, &want)?;
    let again = [&ys[..k], &want[k..]].concat();
    pack::hand(cx, 0, &again, Some(0), |i| format!("carry {i} as `body` yields it"))?;
    let mut out = pack::results(cx, 0, &types[..k])?;
    out.extend(collected(cx, 0, &ys[k..], k, &d.collect, &d.length)?);
    Ok(out)
}
fn infer_while(cx: &mut InferCx) -> Result<Vec<Type>> {
    let carry = cx.types();
    Checkpoint::read(cx.attrs())?;
    for r in 0..2 {
        check_params(cx, r, &carry)?;
    }
    match &cx.region_yields(0)[..] {
        [t] if t.is_scalar() && t.dtype == DType::Bool => {}
        ys => {
            let list: Vec<_> = ys.iter().map(|t| cx.show(t)).collect();
            return Err(Error::new(Code::E0215, format!("`cond` yields one bool[], not ({})", list.join(", ")))
                .at(Part::Region(0)));
        }
    }
    let k = carry.len();
    let ys = yielded(cx, 1, k)?;
    for r in 0..2 {
        pack::hand(cx, r, &ys[..k], Some(1), |i| format!("carry {i} as `body` yields it"))?;
    }
    let mut out = pack::results(cx, 1, &carry)?;
    let how = while_collect(cx.attrs(), &ys[k..])?;
    tidy_collect(cx, &how);
    if ys.len() > k {
        let stack = how.iter().position(|g| *g != Gather::Concat).map(|j| (k + j, ys[k + j].rank()));
        let trips = match stack.and_then(|(i, axis)| Some((i, axis, cx.claimed(i, axis)?))) {
            Some((i, axis, e)) => {
                cx.claim(i, axis, &e);
                e
            }
            None => Extent::exist(cx.fresh_exist("t")),
        };
        let all = collected(cx, 1, &ys[k..], k, &how, &trips)?;
        if stack.is_some()
            && let Some(max) = cx.attrs().extents("max_trips").first().cloned()
        {
            cx.add_where(Constraint { lhs: trips, op: CmpOp::Le, rhs: max });
        }
        out.extend(all);
    }
    Ok(out)
}
/// Removes a `collect` that says what its absence says.
fn tidy_collect(cx: &mut InferCx, how: &[Gather]) {
    if how.iter().all(|h| *h != Gather::Concat) {
        cx.remove_attr("collect");
    } else {
        cx.set_attr("collect", collect_attr(how));
    }
}

fn sample_scan(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    let (state, xs) = (cx.ty(&[2]), cx.ty(&[2, 3]));
    let def = cx.def;
    let one = |reverse: bool, axis: Option<Attr>| {
        cx.program(&[(state.clone(), Domain::Any), (xs.clone(), Domain::Any), (state.clone(), Domain::Any)], |b, x| {
            let el = if axis.is_some() { xs.without(&[0]) } else { xs.without(&[1]) };
            // Scanning the first axis gives slices of another length: bring them to the state's by a sum.
            let carry = state.clone();
            let body = b.region("body", &[(carry, "h"), (el, "x")], |b, q| {
                let s = b.reduce_sum(q[1], &[0])?;
                let sb = b.broadcast(s, &state, &[])?;
                let w = b.mul(q[0], x[2])?;
                let a = b.add(w, sb)?;
                let h = b.sin(a)?;
                let y = b.mul(h, q[0])?;
                Ok(vec![h, y])
            })?;
            let mut attrs = Attrs::of([("carry", Attr::Int(1)), ("reverse", Attr::Bool(reverse))]);
            if let Some(a) = &axis {
                attrs.set("axis", a.clone());
            }
            b.emit(NewOp::new(def, &x[..2]).attrs(attrs).regions(vec![body]))
        })
    };
    Ok(vec![one(false, None)?, one(true, None)?, one(false, Some(Attr::ints(&[0usize, 0])))?, sample_growing(cx)?])
}
/// A carry that doubles at each trip, squares of it joined over the trips.
fn sample_growing(cx: &SampleCx) -> Result<Sample> {
    let def = cx.def;
    cx.program(&[(cx.ty(&[2]), Domain::Any)], |b, x| {
        let o = b.open("body");
        let i = Extent::exist(b.exist("i", Default::default()));
        let ty = b.ty(x[0]).with_dims(vec![i]);
        let c = b.param(ty, "c");
        let s = b.sin(c)?;
        let joined = b.emit1(NewOp::new(&crate::ops::shape::CONCAT, &[c, s]).attr("axis", Attr::Int(0)))?;
        let square = b.mul(c, c)?;
        let body = b.close(o, vec![joined, square]);
        let attrs = Attrs::of([
            ("carry", Attr::Int(1)),
            ("length", Attr::extent(Extent::exact(2))),
            ("collect", Attr::word("concat")),
        ]);
        let rs = b.emit(NewOp::new(def, x).attrs(attrs).regions(vec![body]))?;
        // One number: what a loop makes has extents of its own.
        let first = b.reduce_sum(rs[0], &[0])?;
        let second = b.reduce_sum(rs[1], &[0])?;
        Ok(vec![first, second])
    })
}
fn sample_while(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    let (ty, count) = (cx.ty(&[2]), Type::scalar(DType::I64));
    let def = cx.def;
    Ok(vec![cx.program(&[(ty.clone(), Domain::Any), (ty.clone(), Domain::Any)], |b, x| {
        let i0 = b.zeros(&count)?;
        let params = [(count.clone(), "i"), (ty.clone(), "h")];
        let cond = b.region("cond", &params, |b, q| {
            let n = b.like(q[0], 3.0)?;
            Ok(vec![b.lt(q[0], n)?])
        })?;
        let body = b.region("body", &params, |b, q| {
            let one = b.like(q[0], 1.0)?;
            let i = b.add(q[0], one)?;
            let p = b.mul(q[1], x[1])?;
            let h = b.sin(p)?;
            Ok(vec![i, h])
        })?;
        let r = b.emit(NewOp::new(def, &[i0, x[0]]).regions(vec![cond, body]))?;
        Ok(vec![r[1]])
    })?])
}
