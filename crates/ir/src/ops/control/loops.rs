//! `scan` and `while`: rows, inference, ports.
use super::{linear, port, reverse};
use crate::DType;
use crate::attr::{Attr, Attrs};
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
          stacked along a new axis. `reverse` runs from the last index to the first. A scan without `xs` needs `length`.",
    operands: &["x…"],
    slots: &[
        Slot::with_default("carry", SlotKind::Int, SlotDefault::Int(0)),
        Slot::optional("length", SlotKind::Extent),
        Slot::optional("axis", SlotKind::IntOrInts),
        Slot::with_default("reverse", SlotKind::Bool, SlotDefault::Bool(false)),
    ],
    regions: &["body"],
    infer: infer_scan,
    linearize: Linearize::Rule(linear::lin_scan),
    transpose: Transpose::Rule(reverse::tr_scan),
    ports: Some(Ports {
        of: scan_ports,
        keep: keep_scan,
        needs: |f, o| ScanDims::of(f, f.op(o)).map(|d| vec![d.length]).unwrap_or_default(),
    }),
    sample: sample_scan,
    ..OpDef::BASE
};
/// `while`.
pub static WHILE: OpDef = OpDef {
    name: "while",
    doc: "Repeats `body` while `cond` yields true: `while(%carry…) { cond(%c: T…) {… yield %p} body(%c: T…) {… yield %c1…, %y…} }`. \
          Values that `body` yields beyond the carries are stacked along a new last axis whose extent is the trip \
          count, an existential that the loop binds. More than `max_trips` trips is a run-time error.",
    operands: &["x…"],
    slots: &[Slot::optional("max_trips", SlotKind::Extent)],
    regions: &["cond", "body"],
    infer: infer_while,
    // It may run for ever or exceed `max_trips`: never where the source would not run it.
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linear::lin_while),
    transpose: Transpose::Never("the linear part of a `while` is a `scan`"),
    ports: Some(Ports { of: while_ports, keep: |_, _, _, _| {}, needs: |_, _| vec![] }),
    sample: sample_while,
    ..OpDef::BASE
};

/// The attributes of a scan, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanDims {
    /// Number of carries.
    pub carry: usize,
    /// Trip count.
    pub length: Extent,
    /// The axis along which each `xs` is cut.
    pub cut: Vec<usize>,
    /// The axis that stacking each collected value adds.
    pub stack: Vec<usize>,
    /// From last to first.
    pub reverse: bool,
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
        let (nx, ny) = (xs.len(), ys.len());
        let given: Option<Vec<i64>> = match attrs.get("axis") {
            None => None,
            Some(Attr::Int(a)) => Some(vec![*a; nx + ny]),
            Some(Attr::List(l)) => Some(l.iter().map(|a| if let Attr::Int(i) = a { *i } else { -1 }).collect()),
            Some(_) => None,
        };
        if let Some(g) = &given
            && g.len() != nx + ny
        {
            return Err(Error::new(
                "E0216",
                format!("`axis` names {} axes for {nx} `xs` and {ny} collected values", g.len()),
            )
            .attr("axis"));
        }
        let pick = |i: usize, default: Option<usize>, rank: usize| -> Result<usize> {
            match &given {
                Some(g) => Ok(crate::infer::check_axes(&[g[i]], rank).map_err(|e| e.attr("axis"))?[0]),
                None => {
                    default.ok_or_else(|| Error::new("E0216", "a scalar has no axis to scan along").operand(carry + i))
                }
            }
        };
        let cut = xs
            .iter()
            .enumerate()
            .map(|(i, t)| pick(i, t.rank().checked_sub(1), t.rank()))
            .collect::<Result<Vec<_>>>()?;
        let stack = ys
            .iter()
            .enumerate()
            .map(|(j, t)| pick(nx + j, Some(t.rank()), t.rank() + 1))
            .collect::<Result<Vec<_>>>()?;
        let length = match (attrs.extents("length").first(), xs.first()) {
            (Some(e), _) => e.clone(),
            (None, Some(t)) => t.dims[cut[0]].clone(),
            (None, None) => {
                return Err(Error::new("E0222", "a `scan` without `xs` needs `length`")
                    .help("write `length = 10` or `length = shape[n]`"));
            }
        };
        Ok(ScanDims { carry, length, cut, stack, reverse: attrs.flag("reverse") })
    }
    /// As attributes, for `xs` of these ranks and collected elements of these ranks.
    pub fn attrs(&self, xs: &[usize], ys: &[usize]) -> Attrs {
        let mut a = Attrs::of([("carry", Attr::Int(self.carry as i64))]);
        a.set("length", Attr::extent(self.length.clone()));
        let plain = self.cut.iter().zip(xs).all(|(c, r)| c + 1 == *r) && self.stack.iter().zip(ys).all(|(s, r)| s == r);
        if !plain {
            a.set("axis", Attr::ints(&[&self.cut[..], &self.stack].concat()));
        }
        a.set("reverse", Attr::Bool(self.reverse));
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
        stack: ys.iter().map(|&i| d.stack[i]).collect(),
        reverse: d.reverse,
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
    let got = cx.region_params(r);
    let label = cx.region(r).label.clone();
    if got.len() != want.len() {
        return Err(Error::new(
            "E0215",
            format!("`{label}` has {} parameters, {} are handed to it", got.len(), want.len()),
        )
        .at(Part::Region(r)));
    }
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        cx.agree(g, w, Part::Region(r), &format!("parameter {i} of `{label}`"))?;
    }
    Ok(())
}
fn check_carries(cx: &mut InferCx, r: usize, carry: &[Type], ys: &[Type]) -> Result<()> {
    if ys.len() < carry.len() {
        return Err(Error::new(
            "E0215",
            format!("`body` yields {} values, but there are {} carries", ys.len(), carry.len()),
        )
        .at(Part::Region(r)));
    }
    for (i, (y, c)) in ys.iter().zip(carry).enumerate() {
        cx.agree(y, c, Part::Region(r), &format!("carry {i} as `body` yields it"))?;
    }
    Ok(())
}
fn infer_scan(cx: &mut InferCx) -> Result<Vec<Type>> {
    let k = cx.attrs().int("carry");
    let types = cx.types();
    if k < 0 || k as usize > types.len() {
        return Err(
            Error::new("E0216", format!("`carry` is {k}, but there are {} operands", types.len())).attr("carry")
        );
    }
    let k = k as usize;
    let ys = cx.region_yields(0);
    if ys.len() < k {
        check_carries(cx, 0, &types[..k], &ys)?;
    }
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
    cx.demand(&Extent::exact(0), CmpOp::Le, &d.length, Part::Attr("length"), "trip count")?;
    check_params(cx, 0, &want)?;
    check_carries(cx, 0, &types[..k], &ys)?;
    let mut out = types[..k].to_vec();
    out.extend(ys[k..].iter().zip(&d.stack).map(|(t, &a)| t.with_axis(a, d.length.clone())));
    Ok(out)
}
fn infer_while(cx: &mut InferCx) -> Result<Vec<Type>> {
    let carry = cx.types();
    for r in 0..2 {
        check_params(cx, r, &carry)?;
    }
    match &cx.region_yields(0)[..] {
        [t] if t.is_scalar() && t.dtype == DType::Bool => {}
        ys => {
            let list: Vec<_> = ys.iter().map(|t| cx.show(t)).collect();
            return Err(
                Error::new("E0215", format!("`cond` yields one bool[], not ({})", list.join(", "))).at(Part::Region(0))
            );
        }
    }
    let ys = cx.region_yields(1);
    check_carries(cx, 1, &carry, &ys)?;
    let k = carry.len();
    let mut out = carry;
    if ys.len() > k {
        let trips = Extent::exist(cx.fresh_exist("t"));
        if let Some(max) = cx.attrs().extents("max_trips").first().cloned() {
            cx.add_where(Constraint { lhs: trips.clone(), op: CmpOp::Le, rhs: max });
        }
        out.extend(ys[k..].iter().map(|t| t.with_axis(t.rank(), trips.clone())));
    }
    Ok(out)
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
    Ok(vec![one(false, None)?, one(true, None)?, one(false, Some(Attr::ints(&[0usize, 0])))?])
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
