//! Extents that values decide, where they have a bound: how large each can get, found before anything is written, and how
//! large it is, an `i64[]` of the text. An axis of such an extent is as long as it can get; its elements come first, and what
//! stands behind them counts for nothing.
use std::cell::Cell;
use std::collections::HashMap;

use tfc_ir::extent::{Arithmetic, Atom, ExtentFn};
use tfc_ir::ops::control::{Gather, ScanDims, while_gathers};
use tfc_ir::{
    Attr, Binder, CmpOp, Code, Constraint, DType, Error, ExistId, Extent, ExtentEnv, Func, Module, Op, RegionId,
    Result, SymId, SymRef,
};

use crate::write::writer::{Val, Writer};

/// What is known of an extent when the text is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) enum Bound {
    /// The extent is that number.
    Is(i64),
    /// The extent is at most that number.
    UpTo(i64),
}

fn overflow() -> Error {
    Error::new(Code::E0405, "extent arithmetic overflows 64 bits")
        .help("extents are 64-bit integers: use smaller bounds")
}

/// From the least to the greatest value of an extent.
struct Spans<'a>(&'a dyn Fn(Atom) -> Result<Bound>);
type Span = (i128, i128);
impl Arithmetic for Spans<'_> {
    type Value = Span;
    fn exact(&mut self, n: i64) -> Result<Span> {
        Ok((n.into(), n.into()))
    }
    fn atom(&mut self, a: Atom) -> Result<Span> {
        Ok(match (self.0)(a)? {
            Bound::Is(n) => (n.into(), n.into()),
            Bound::UpTo(n) => (0, n.into()),
        })
    }
    fn add(&mut self, x: &Span, y: &Span) -> Result<Span> {
        x.0.checked_add(y.0).zip(x.1.checked_add(y.1)).ok_or_else(overflow)
    }
    fn mul(&mut self, x: &Span, y: &Span) -> Result<Span> {
        let all = [(x.0, y.0), (x.0, y.1), (x.1, y.0), (x.1, y.1)].map(|(a, b)| a.checked_mul(b));
        let all = all.into_iter().collect::<Option<Vec<i128>>>().ok_or_else(overflow)?;
        all.iter().min().copied().zip(all.iter().max().copied()).ok_or_else(overflow)
    }
    fn call(&mut self, f: ExtentFn, x: &Span, y: &Span) -> Result<Span> {
        // A divisor is at least 1 wherever the quotient is defined; of negative ones nothing is made use of.
        let (few, many) = (y.0.max(1), y.1.max(1));
        let quotient = |up: bool| {
            let round = |a: i128, b: i128| (if up { a + b - 1 } else { a }).div_euclid(b);
            (round(x.0, if x.0 < 0 { few } else { many }), round(x.1, if x.1 < 0 { many } else { few }))
        };
        Ok(match f {
            ExtentFn::Min => (x.0.min(y.0), x.1.min(y.1)),
            ExtentFn::Max => (x.0.max(y.0), x.1.max(y.1)),
            ExtentFn::FloorDiv => quotient(false),
            ExtentFn::CeilDiv => quotient(true),
            ExtentFn::Mod => (0, (many - 1).min(if x.0 >= 0 { x.1 } else { many })),
        })
    }
}
/// The most that an extent can be; an axis is not less than 0.
pub(crate) fn most(e: &Extent, of: &dyn Fn(Atom) -> Result<Bound>) -> Result<i64> {
    let (_, high) = e.compute(&mut Spans(of))?;
    i64::try_from(high.max(0)).map_err(|_| overflow())
}

/// An extent as an `i64[]`.
pub(crate) struct Counts<'a> {
    pub(crate) w: &'a mut Writer,
    pub(crate) of: &'a dyn Fn(Atom) -> Option<Result<Val>>,
}
impl Arithmetic for Counts<'_> {
    type Value = Val;
    fn exact(&mut self, n: i64) -> Result<Val> {
        self.w.int(n)
    }
    fn atom(&mut self, a: Atom) -> Result<Val> {
        (self.of)(a).unwrap_or_else(|| Err(crate::write::writer::broken("an extent that nothing has bound")))
    }
    fn add(&mut self, x: &Val, y: &Val) -> Result<Val> {
        Ok(self.w.bin("add", x, y))
    }
    fn mul(&mut self, x: &Val, y: &Val) -> Result<Val> {
        Ok(self.w.bin("multiply", x, y))
    }
    fn call(&mut self, f: ExtentFn, x: &Val, y: &Val) -> Result<Val> {
        let w = &mut *self.w;
        Ok(match f {
            ExtentFn::Min => w.bin("minimum", x, y),
            ExtentFn::Max => w.bin("maximum", x, y),
            ExtentFn::FloorDiv => divided(w, x, y)?.0,
            ExtentFn::CeilDiv => {
                let x = w.un("negate", x);
                let q = divided(w, &x, y)?.0;
                w.un("negate", &q)
            }
            ExtentFn::Mod => divided(w, x, y)?.1,
        })
    }
}
/// The quotient of integers rounded down, and what it leaves. By 0, which no extent divides by, it is by 1.
pub(crate) fn divided(w: &mut Writer, x: &Val, y: &Val) -> Result<(Val, Val)> {
    let (zero, one) = (w.splat(&x.ty, 0.0)?, w.splat(&x.ty, 1.0)?);
    let none = w.compare("EQ", y, &zero);
    let y = w.select(&none, &one, y);
    let (q, r) = (w.bin("divide", x, &y), w.bin("remainder", x, &y));
    let (a, b) = (w.compare("LT", &r, &zero), w.compare("LT", &y, &zero));
    let differs = w.compare("NE", &a, &b);
    let some = w.compare("NE", &r, &zero);
    let down = w.bin("and", &some, &differs);
    let less = w.bin("subtract", &q, &one);
    let q = w.select(&down, &less, &q);
    let more = w.bin("add", &r, &y);
    Ok((q, w.select(&down, &more, &r)))
}

/// No axis is longer: what is, comes of an extent of which nothing is known.
const LONGEST: i64 = 1 << 48;
/// Trips that are followed to find out how large carries get; all loops of a function together.
const FOLLOWED: u32 = 1024;

/// How large every existential of a function can get, for symbols that are known so well. Those without a bound are missing.
pub(crate) fn bounds(m: &Module, f: &Func, env: &ExtentEnv, caps: &HashMap<Atom, i64>) -> HashMap<ExistId, i64> {
    bounds_with(m, f, env, caps, HashMap::new(), &Cell::new(FOLLOWED))
}
/// The same, where some are known.
fn bounds_with(
    m: &Module,
    f: &Func,
    env: &ExtentEnv,
    caps: &HashMap<Atom, i64>,
    mut out: HashMap<ExistId, i64>,
    fuel: &Cell<u32>,
) -> HashMap<ExistId, i64> {
    // Each may depend on others; those that a round finds let the next one find more.
    for _ in 0..=f.exists.len() {
        let before = out.len();
        for (i, d) in f.exists.iter().enumerate() {
            let r = ExistId(i as u32);
            if out.contains_key(&r) {
                continue;
            }
            let see = Known { m, f, env, caps, found: &out, fuel };
            let found = match d.binder {
                Some(Binder::Op(o)) => see.by_op(r, f.op(o)),
                Some(Binder::Params(q)) => see.by_region(r, q),
                Some(Binder::Header) => see.said(r, &f.wheres),
                None => None,
            };
            if let Some(n) = found {
                out.insert(r, n);
            }
        }
        if out.len() == before {
            break;
        }
    }
    out
}
#[derive(Clone, Copy)]
struct Known<'a> {
    m: &'a Module,
    f: &'a Func,
    env: &'a ExtentEnv,
    caps: &'a HashMap<Atom, i64>,
    found: &'a HashMap<ExistId, i64>,
    fuel: &'a Cell<u32>,
}
impl Known<'_> {
    fn most(&self, e: &Extent) -> Option<i64> {
        let of = |a: Atom| {
            let cap = match a {
                Atom::Exist(r) => self.found.get(&r),
                Atom::Sym(_) => self.caps.get(&a),
            };
            let known = self.env.get(a).map(Bound::Is).or(cap.map(|&n| Bound::UpTo(n)));
            // The lesser of what is known and what is not is known all the same.
            Ok(known.unwrap_or(Bound::UpTo(i64::MAX)))
        };
        most(e, &of).ok().filter(|&n| n <= LONGEST)
    }
    /// The least of what conditions say.
    fn said<'c>(&self, r: ExistId, all: impl IntoIterator<Item = &'c Constraint>) -> Option<i64> {
        let of = |low: &Extent, high: &Extent| -> Option<i64> {
            // `0 <= d`, where `d + k r` has no `r`: then `r <= (d + k r) / k`.
            let d = high.sub(low).ok()?;
            (1..=4).find_map(|k| {
                let rest = d.add(&Extent::exist(r).mul(&Extent::exact(k)).ok()?).ok()?;
                if rest.mentions(Atom::Exist(r)) { None } else { Some(self.most(&rest)? / k) }
            })
        };
        let each = |c: &Constraint| {
            let (le, ge) = (|| of(&c.lhs, &c.rhs), || of(&c.rhs, &c.lhs));
            match c.op {
                CmpOp::Le => le(),
                CmpOp::Ge => ge(),
                CmpOp::Eq => le().into_iter().chain(ge()).min(),
            }
        };
        all.into_iter().filter_map(each).min()
    }
    fn by_region(&self, r: ExistId, q: RegionId) -> Option<i64> {
        self.said(r, &self.f.region(q).wheres).or_else(|| {
            let op = self.f.ops.iter().find(|o| o.regions.contains(&q))?;
            let params = &self.f.region(q).params;
            let (i, axis) = place_of(self.f, r, params)?;
            let body = *op.regions.get(op.def.control.repeats.map_or(0, |l| l.body))?;
            if body != q {
                // The condition of a loop sees what its body does.
                return self.most(self.f.ty(*self.f.region(body).params.get(i)?).dims.get(axis)?);
            }
            let mut trips = None;
            if op.def.control.trips.is_some() {
                let d = ScanDims::of(self.f, op).ok()?;
                if let Some(k) = i.checked_sub(d.carry) {
                    // One of an operand that a loop cuts stays as it comes in.
                    let cut = *d.cut.get(k)?;
                    let dims = &self.f.ty(*op.operands.get(i)?).dims;
                    return self.most(dims.get(if axis < cut { axis } else { axis + 1 })?);
                }
                trips = Some(self.most(&d.length)?);
            } else if let Some(e) = op.attrs.extents("max_trips").first() {
                trips = self.most(e);
            }
            self.followed(r, op, body, trips)
        })
    }
    /// How large an extent of a loop's body gets, trip by trip: at most so many, or until nothing grows.
    fn followed(&self, r: ExistId, op: &Op, body: RegionId, trips: Option<i64>) -> Option<i64> {
        let region = self.f.region(body);
        let mut own = vec![];
        for (i, d) in self.f.exists.iter().enumerate().filter(|(_, d)| d.binder == Some(Binder::Params(body))) {
            let x = ExistId(i as u32);
            let (k, axis) = place_of(self.f, x, &region.params)?;
            if let Some(n) = self.found.get(&x) {
                own.push((x, k, axis, *n));
            } else if d.binder.is_some() {
                own.push((x, k, axis, self.most(self.f.ty(*op.operands.get(k)?).dims.get(axis)?)?));
            }
        }
        let mut trip = 0;
        while trips.is_none_or(|t| trip < t) {
            self.fuel.set(self.fuel.get().checked_sub(1)?);
            let mut seed = self.found.clone();
            seed.extend(own.iter().map(|o| (o.0, o.3)));
            // What the loop gives is not known within it.
            let known = bounds_with(self.m, self.f, self.env, self.caps, seed, self.fuel);
            let see = Known { found: &known, ..*self };
            let (mut grows, mut next) = (false, vec![]);
            for &(x, k, axis, n) in &own {
                let y = *region.yields.get(k)?;
                let m = see.most(self.f.ty(y).dims.get(axis)?)?.max(n);
                grows |= m > n;
                next.push((x, k, axis, m));
            }
            own = next;
            trip += 1;
            if !grows {
                break;
            }
        }
        own.iter().find(|o| o.0 == r).map(|o| o.3)
    }
    fn by_op(&self, r: ExistId, op: &Op) -> Option<i64> {
        let (i, axis) = match place_of(self.f, r, &op.results) {
            Some(place) => place,
            None => {
                let trips = op.def.control.repeats.and_then(|_| self.most(op.attrs.extents("max_trips").first()?));
                return self.said(r, op.said()).or(trips);
            }
        };
        self.said(r, op.said()).or_else(|| {
            let loops = op.def.control.repeats.is_some() || op.def.control.trips.is_some();
            let body = op.regions.get(op.def.control.repeats.map_or(0, |l| l.body)).map(|&q| self.f.region(q));
            let carries = if op.def.control.repeats.is_some() {
                op.operands.len()
            } else {
                op.attrs.int("carry").max(0) as usize
            };
            if let Some(body) = body.filter(|_| loops && i < carries) {
                return self.most(self.f.ty(*body.params.get(i)?).dims.get(axis)?);
            }
            if let Some(rep) = op.def.control.repeats {
                let how = while_gathers(self.f, op).ok()?;
                let how = how.get(i.checked_sub(op.operands.len())?)?;
                let trips = self.most(op.attrs.extents("max_trips").first()?)?;
                return self.collected(op, rep.body, i, *how, trips);
            }
            if op.def.control.trips.is_some() {
                let d = ScanDims::of(self.f, op).ok()?;
                let how = *d.collect.get(i.checked_sub(d.carry)?)?;
                return self.collected(op, 0, i, how, self.most(&d.length)?);
            }
            if let Some(sym) = op.attrs.sym("callee") {
                return self.by_callee(sym, i, axis);
            }
            // Branches join what each of them gives.
            let each = |&q: &RegionId| self.most(self.f.ty(*self.f.region(q).yields.get(i)?).dims.get(axis)?);
            let all = op.regions.iter().map(each).collect::<Option<Vec<i64>>>()?;
            all.into_iter().max()
        })
    }
    /// What a function says of its results, or does.
    fn by_callee(&self, sym: &SymRef, i: usize, axis: usize) -> Option<i64> {
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        let callee = self.m.func(sym.func).ok()?;
        let (mut env, mut caps) = (ExtentEnv::default(), HashMap::new());
        for (k, e) in sym.extents.iter().enumerate() {
            let (s, mut exact) = (Atom::Sym(SymId(u32::try_from(k).ok()?)), true);
            e.for_each_atom(&mut |a| exact &= self.env.get(a).is_some());
            if exact {
                env.bind(s, e.eval(self.env).ok()?);
            } else {
                caps.insert(s, self.most(e)?);
            }
        }
        let found = bounds_with(self.m, &callee, &env, &caps, HashMap::new(), self.fuel);
        let see = Known { m: self.m, f: &callee, env: &env, caps: &caps, found: &found, fuel: self.fuel };
        let said = see.most(callee.result_types.get(i)?.dims.get(axis)?);
        said.or_else(|| see.most(callee.ty(*callee.returns().get(i)?).dims.get(axis)?))
    }
    fn collected(&self, op: &Op, body: usize, i: usize, how: Gather, trips: i64) -> Option<i64> {
        match how {
            Gather::Stack(_) => Some(trips),
            Gather::Concat => {
                let y = *self.f.region(*op.regions.get(body)?).yields.get(i)?;
                trips.checked_mul(self.most(self.f.ty(y).dims.last()?)?)
            }
        }
    }
}
/// Where an extent stands alone in the types of values.
pub(crate) fn place_of(f: &Func, r: ExistId, vs: &[tfc_ir::ValueId]) -> Option<(usize, usize)> {
    let at = |d: &Extent| d.as_atom() == Some(Atom::Exist(r));
    vs.iter().enumerate().find_map(|(i, &v)| Some((i, f.ty(v).dims.iter().position(at)?)))
}
/// Every extent that an op names: in types of its operands and results, in those of its regions, in attributes.
pub(crate) fn named<'a>(f: &'a Func, op: &'a Op) -> Vec<&'a Extent> {
    let inner = op.regions.iter().flat_map(|&r| f.region(r).params.iter().chain(&f.region(r).yields));
    let mut out: Vec<&Extent> =
        op.operands.iter().chain(op.results.iter()).chain(inner).flat_map(|&v| f.ty(v).dims.iter()).collect();
    for (_, a) in op.attrs.iter() {
        match a {
            Attr::Extents(e) => out.extend(e.iter()),
            Attr::Sym(s) => out.extend(s.extents.iter()),
            _ => {}
        }
    }
    out
}

/// What follows from how a count is computed: whether it is at most (`Le`) or at least (`Ge`) an extent, whatever the values are.
pub(crate) fn follows(f: &Func, v: tfc_ir::ValueId, op: CmpOp, e: &Extent, depth: usize) -> bool {
    use tfc_ir::ops::{constant, control, elementwise as el, extents, reduce};
    let Some(o) = f.def_op(v).filter(|_| depth < 16) else { return false };
    let on = |i: usize| o.operands.get(i).is_some_and(|&x| follows(f, x, op, e, depth + 1));
    let facts = tfc_ir::Facts::new();
    let proved = |lhs: &Extent| {
        let c = Constraint { lhs: lhs.clone(), op, rhs: e.clone() };
        facts.prove(&c) == tfc_ir::Truth::Yes
    };
    let (either, both) = (on(0) || on(1), on(0) && on(1));
    if o.def.is(&el::MIN) {
        if op == CmpOp::Le { either } else { both }
    } else if o.def.is(&el::MAX) {
        if op == CmpOp::Le { both } else { either }
    } else if o.def.is(&control::STOP_GRADIENT) {
        on(0)
    } else if o.def.is(&extents::DIM_VALUE) {
        o.attrs.extents("extent").first().is_some_and(proved)
    } else if o.def.is(&constant::CONST) {
        constant::splat_of(f, v).is_some_and(|n| n.fract() == 0.0 && n.abs() < 1e15 && proved(&Extent::exact(n as i64)))
    } else if o.def.is(&reduce::REDUCE_SUM) {
        // A number of elements of a mask.
        let Some(&x) = o.operands.first() else { return false };
        let flags = f.def_op(x).filter(|c| c.def.is(&el::CONVERT));
        let flags = flags.and_then(|c| c.operands.first()).is_some_and(|&m| f.ty(m).dtype == DType::Bool);
        let all = f.ty(x).dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d));
        flags && if op == CmpOp::Le { all.is_ok_and(|n| proved(&n)) } else { proved(&Extent::exact(0)) }
    } else {
        false
    }
}
