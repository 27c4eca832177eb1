//! Functions of a matrix that are made of functions of its singular or eigenvalues, and their derivative at every
//! spectrum.
use super::factor::{Factor, Part};
use super::*;
use crate::func::{Def, Func};
use crate::op::Loops;
use crate::ops::constant::IOTA;
use crate::ops::shape::{PAD_SUFFIX, TAKE_PREFIX};

/// `linalg.spectral`.
pub static SPECTRAL: OpDef = OpDef {
    name: "linalg.spectral",
    doc: "`y`, which is `x · diag(d) · vt`, or `x · diag(d) · xᴴ` without `vt`. Put before differentiation where `x` and `vt` are \
          vectors of one factorisation: the derivative is then that of a function of the factored matrix, which exists where \
          values are equal although that of the vectors does not. Elsewhere it says nothing.",
    operands: &["y", "x", "d", "vt…"],
    infer: |cx| {
        if !matches!(cx.len(), 3 | 4) {
            return Err(Error::new("E0210", format!("`linalg.spectral` takes 3 or 4 operands, not {}", cx.len()))
                .help("they are y, x, d and, unless it is the adjoint of x, vt"));
        }
        let y = matrices(cx)?;
        let (x, d) = (cx.ty(1)?, cx.ty(2)?);
        if x.rank() != y.rank() || d.rank() + 1 != y.rank() || [&x, &d].iter().any(|t| t.dtype != y.dtype) {
            let (a, b, c) = (cx.show(&y), cx.show(&x), cx.show(&d));
            return Err(Error::new("E0205", format!("{a} is not a product of {b} and a diagonal {c}")).operand(1));
        }
        Ok(vec![y])
    },
    linearize: Linearize::Rule(linearize),
    expand: Expand::Composite(|_, new| Ok(new.operands.iter().take(1).copied().collect())),
    sample,
    ..OpDef::BASE
};

/// What a product is a function of.
struct Origin {
    op: OpId,
    /// `x` belongs to `u` or `v`; else it is the adjoint of `vt`.
    part: Part,
    cut: bool,
}
impl Origin {
    fn of(f: &Func, o: OpId) -> Option<Origin> {
        let xs = &f.op(o).operands;
        let never = |_| false;
        let x = Factor::read(f, *xs.get(1)?, &never)?;
        let straight = x.axes.iter().enumerate().all(|(i, &a)| i == a) && !x.conj && x.scales.is_empty();
        let cut = x.cut.is_some();
        if let Some(&vt) = xs.get(3) {
            let vt = Factor::read(f, vt, &never)?;
            let plain = vt.axes.iter().enumerate().all(|(i, &a)| i == a) && !vt.conj && vt.scales.is_empty();
            let both = vt.op == x.op && vt.part == Part::Right && x.part == Part::Left && vt.cut == x.cut;
            return (straight && plain && both).then_some(Origin { op: x.op, part: Part::Left, cut });
        }
        let turned = x.axes.iter().enumerate().all(|(i, &a)| a == if i < 2 { 1 - i } else { i });
        let turned = turned && x.conj == f.ty(x.base).dtype.is_complex() && x.scales.is_empty();
        let fits = if x.part == Part::Left { straight } else { turned };
        fits.then_some(Origin { op: x.op, part: x.part, cut })
    }
}
/// Is op `o` a function of what `factorisation` factors, and known as such?
pub(super) fn resolved(f: &Func, o: OpId, factorisation: OpId) -> bool {
    f.op(o).def.is(&SPECTRAL) && Origin::of(f, o).is_some_and(|at| at.op == factorisation)
}

/// What the tangent is made of: factors of `H`, of `K`, and of what is outside the span of the vectors; and where each is not
/// known.
struct Factors {
    h: (ValueId, ValueId),
    k: Option<(ValueId, ValueId)>,
    out: Option<(ValueId, ValueId)>,
}
/// Which function of the matrix.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// `u · diag(d) · vt`
    Both,
    /// `u · diag(d) · uᴴ`
    OneSide,
    /// `v · diag(d) · vᴴ` of a Hermitian matrix
    Hermitian,
}

/// With `P = Uᴴ dA V`, `H` its Hermitian and `K` its skew part, the derivative of `U diag(d) Vᴴ` is
///
/// `U (Γ∘H + Λ∘K + diag(dd)) Vᴴ + (I − U Uᴴ) dA V diag(d/s) Vᴴ + U diag(d/s) Uᴴ dA (I − V Vᴴ)`,
///
/// `Γ_ij = (d_j − d_i)/(s_j − s_i)` for `i ≠ j` and 0 on the diagonal, `Λ_ij = (d_i + d_j)/(s_i + s_j)`: put `dU` and `dV`
/// of [`super::svd`] into the product. Where `s_i = s_j` a function that does not depend on the choice of vectors has `d_i =
/// d_j`, and `Γ_ij` is the limit: the derivative of `d_i` by `s_i`, all that the `d` share held fixed, because that part is
/// the same for `i` and `j` (Lewis & Sendov, *Twice differentiable spectral functions*, 2001, where `d` is the gradient of
/// a symmetric function and `Γ_ij = φ_ii − φ_ij`; Noferini, *A formula for the Fréchet derivative of a generalized matrix
/// function*, 2017). `Λ` at `s_i + s_j = 0` is that derivative, if `d` is 0 there. For `U diag(d) Uᴴ`, `Λ` becomes
/// `(d_j − d_i)/(s_i + s_j)`; for `V diag(d) Vᴴ` of a Hermitian matrix only `Γ` is left (Daleckii & Krein 1965; Higham,
/// *Functions of Matrices*, §3.2).
///
/// No tangent of vectors is used, so nothing is lost where values are equal, and nothing cancels where they nearly are.
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let (src, op) = (cx.src.clone(), cx.op(o));
    let y = cx.primal(op.operands[0])?;
    let Some(at) = Origin::of(&src, o) else {
        let dy = cx.tangent(op.operands[0]);
        cx.set(op.results[0], y, dy);
        return Ok(());
    };
    let fac = src.op(at.op).clone();
    let (da, dd) = (cx.tangent(fac.operands[0]), cx.tangent(op.operands[2]));
    let (form, s) = match (fac.def.is(&EIGH), op.operands.len()) {
        (true, _) => (Form::Hermitian, fac.results[0]),
        (_, 4) => (Form::Both, fac.results[1]),
        _ => (Form::OneSide, fac.results[1]),
    };
    let d = cx.primal(op.operands[2])?;
    let (ps, dtype) = (cx.primal(s)?, cx.p().func().ty(d).dtype);
    let full = cx.p().ty(ps).with_dtype(dtype);
    let slope = match da {
        Some(_) => slope(cx, &fac, op.operands[2], s)?,
        None => Slope::Unknown,
    };
    let d = spread_out(cx.p(), d, &full, at.cut)?;
    let slope = match slope {
        Slope::Known(Some(g)) => Some(spread_out(cx.p(), g, &full, at.cut)?),
        Slope::Known(None) => Some(cx.p().zeros(&full)?),
        Slope::Unknown => None,
    };
    let left = fac.results[usize::from(fac.def.is(&EIGH))];
    let (mut u, mut vt) = (cx.primal(left)?, None);
    if form != Form::Hermitian {
        vt = Some(cx.primal(fac.results[2])?);
    }
    if let (Part::Right, Some(v)) = (at.part, vt) {
        let p = cx.p();
        (u, vt) = (adjoint(p, v)?, Some(adjoint(p, u)?));
    }
    let outside = |p: &Builder, x: ValueId| p.func().ty(x).dims[0] != p.func().ty(x).dims[1];
    let (tall, wide) = (outside(cx.p(), u), vt.is_some_and(|vt| outside(cx.p(), vt)));
    let needs = [form != Form::Hermitian, tall || (wide && form == Form::Both)];
    let eps = eps_of(&fac.attrs, dtype);
    let f = match da {
        Some(_) => Some(factors(cx.p(), ps, d, slope, eps, form, needs)?),
        None => None,
    };
    let tolerance = tolerance(&fac.attrs, dtype);
    let ru = cx.residual(u)?;
    let rvt = vt.map(|v| cx.residual(v)).transpose()?;
    let dd = match dd {
        Some(dd) => {
            let ty = cx.lin_type(&full)?;
            Some(spread_out(cx.t(), dd, &ty, at.cut)?)
        }
        None => None,
    };
    let mut middle = match dd {
        Some(dd) => Some(cx.t().emit1(NewOp::new(&crate::ops::shape::EMBED_DIAG, &[dd]))?),
        None => None,
    };
    let mut rest = None;
    if let (Some(da), Some(f)) = (da, f) {
        let known = |cx: &mut Linearizer, x: ValueId, f: (ValueId, ValueId)| -> Result<ValueId> {
            let (factor, unknown) = (cx.residual(f.0)?, cx.residual(f.1)?);
            let t = cx.t();
            let x = t.emit1(NewOp::new(&KNOWN, &[x, unknown]).attr("tolerance", tolerance.clone()))?;
            t.mul(factor, x)
        };
        let t = cx.t();
        let da = if at.part == Part::Right { adjoint(t, da)? } else { da };
        let w = hm(t, ru, da)?;
        let pairs = match rvt {
            Some(rvt) => mh(t, w, rvt)?,
            None => mm(t, w, ru)?,
        };
        let back = adjoint(t, pairs)?;
        let (sum, diff) = (t.add(pairs, back)?, t.sub(pairs, back)?);
        let mut m = known(cx, sum, f.h)?;
        if let Some(k) = f.k {
            let k = known(cx, diff, k)?;
            m = cx.t().add(m, k)?;
        }
        middle = Some(match middle {
            Some(dd) => cx.t().add(m, dd)?,
            None => m,
        });
        if let (Some((ratio, unknown)), Some(rvt), Some(vt)) = (f.out, rvt, vt) {
            // A factor for each column of what lies outside the span of `u`, or row of what lies outside that of `v`.
            let over = |cx: &mut Linearizer, like: ValueId, axis: usize| -> Result<(ValueId, ValueId)> {
                let p = cx.p();
                let ty = p.ty(like);
                Ok((along(p, ratio, &ty, axis)?, along(p, unknown, &ty, axis)?))
            };
            if tall {
                let t = cx.t();
                let x = mh(t, da, rvt)?;
                let inside = mm(t, ru, pairs)?;
                let out = t.sub(x, inside)?;
                let f = over(cx, u, 1)?;
                let out = known(cx, out, f)?;
                let first = if form == Form::Both { mm(cx.t(), out, rvt)? } else { mh(cx.t(), out, ru)? };
                rest = Some(first);
                if form == Form::OneSide {
                    // `U diag(d) dUᴴ`, where `d` need not be real.
                    let conj = cx.p().conj_if_complex(f.0)?;
                    let out = t_out(cx, da, (ru, rvt), pairs, (conj, f.1), &tolerance)?;
                    let second = mh(cx.t(), ru, out)?;
                    rest = Some(cx.t().add(first, second)?);
                }
            }
            if wide && form == Form::Both {
                let t = cx.t();
                let inside = mm(t, pairs, rvt)?;
                let out = t.sub(w, inside)?;
                let f = over(cx, vt, 0)?;
                let out = known(cx, out, f)?;
                let out = mm(cx.t(), ru, out)?;
                rest = Some(match rest {
                    Some(r) => cx.t().add(r, out)?,
                    None => out,
                });
            }
        }
    }
    let t = cx.t();
    let dy = match middle {
        Some(m) => {
            let um = mm(t, ru, m)?;
            let inner = if form == Form::Both { rvt } else { None };
            Some(match inner {
                Some(rvt) => mm(t, um, rvt)?,
                None => mh(t, um, ru)?,
            })
        }
        None => None,
    };
    let dy = match (dy, rest) {
        (Some(a), Some(b)) => Some(cx.t().add(a, b)?),
        (a, b) => a.or(b),
    };
    cx.set(op.results[0], y, dy);
    Ok(())
}
/// `(I − U Uᴴ) dA V`, times that factor.
fn t_out(
    cx: &mut Linearizer,
    da: ValueId,
    (ru, rvt): (ValueId, ValueId),
    pairs: ValueId,
    f: (ValueId, ValueId),
    tolerance: &Attr,
) -> Result<ValueId> {
    let (factor, unknown) = (cx.residual(f.0)?, cx.residual(f.1)?);
    let t = cx.t();
    let x = mh(t, da, rvt)?;
    let inside = mm(t, ru, pairs)?;
    let out = t.sub(x, inside)?;
    let out = t.emit1(NewOp::new(&KNOWN, &[out, unknown]).attr("tolerance", tolerance.clone()))?;
    t.mul(factor, out)
}
/// Zeros for the values that were cut off.
fn spread_out(b: &mut Builder, d: ValueId, full: &Type, cut: bool) -> Result<ValueId> {
    if !cut {
        return Ok(d);
    }
    b.emit1(NewOp::new(&PAD_SUFFIX, &[d]).attr("axis", Attr::Int(0)).types(vec![full.clone()]))
}

/// The derivative of each `d_i` by its own value.
enum Slope {
    /// `None`: zero.
    Known(Option<ValueId>),
    Unknown,
}
fn slope(cx: &mut Linearizer, fac: &crate::func::Op, d: ValueId, s: ValueId) -> Result<Slope> {
    let src = cx.src.clone();
    let seeds: Vec<ValueId> = fac.operands.iter().take(1).chain(&fac.results).copied().collect();
    let mut cone = Cone { f: &src, s, varies: crate::derive::reach(&src, &seeds), seen: vec![], path: vec![] };
    if !cone.visit(d) {
        return Ok(Slope::Unknown);
    }
    let p = cx.primal(s)?;
    let one = cx.p().like(p, 1.0)?;
    Ok(Slope::Known(cx.slope(&cone.path, s, one, d)?))
}
/// The elementwise statements by which a value follows from `s`.
struct Cone<'a> {
    f: &'a Func,
    s: ValueId,
    /// Does it depend on the factored matrix?
    varies: Vec<bool>,
    seen: Vec<ValueId>,
    path: Vec<OpId>,
}
impl Cone<'_> {
    /// Is element `i` of `v` a function of value `i`, and of what all elements share?
    fn visit(&mut self, v: ValueId) -> bool {
        if v == self.s || !self.varies[v.ix()] || self.seen.contains(&v) {
            return true;
        }
        self.seen.push(v);
        let Def::Result(o, _) = self.f.value(v).def else { return false };
        let op = self.f.op(o);
        let rank = self.f.ty(self.s).rank();
        if op.def.loops == Loops::Repeat && !op.attrs.indices("dims").contains(&0) {
            return true;
        }
        let same = |x: &ValueId| self.f.ty(*x).rank() == rank;
        let aligned = (op.def.is(&TAKE_PREFIX) || op.def.is(&PAD_SUFFIX)) && op.attrs.int("axis") == 0;
        let each = op.def.scalar.is_some() || op.def.loops == Loops::Same || aligned;
        if !each || !same(&v) {
            return false;
        }
        // A scalar beside them (a bound, a predicate) is shared.
        let operands: Vec<ValueId> = op.operands.iter().copied().filter(same).collect();
        let known = operands.into_iter().all(|x| self.visit(x));
        self.path.push(o);
        known
    }
}

/// `true` beside the diagonal.
pub(super) fn off_diagonal(b: &mut Builder, ty: &Type) -> Result<ValueId> {
    let index = |b: &mut Builder, axis: i64| {
        b.emit1(NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis)).types(vec![ty.with_dtype(DType::I64)]))
    };
    let (i, j) = (index(b, 0)?, index(b, 1)?);
    b.ne(i, j)
}
/// Where a quotient is taken for its limit: `near` and `far` are the two, `noise` is what rounding may have made of the
/// difference of numerators. At gap `g` the quotient of differences is wrong by `noise/g`, the mean of both slopes by
/// `O(g²)`: the mean is taken where the two agree within the former.
const ROUNDING: f64 = 32.0;

fn factors(
    p: &mut Builder,
    s: ValueId,
    d: ValueId,
    slope: Option<ValueId>,
    eps: f64,
    form: Form,
    [skew, out]: [bool; 2],
) -> Result<Factors> {
    let ty = pairs_type(&p.ty(s));
    let dtype = p.ty(d).dtype;
    let wide = ty.with_dtype(dtype);
    let ulp = unit(dtype);
    let both = |b: &mut Builder, x: ValueId, ty: &Type| -> Result<[ValueId; 2]> {
        Ok([along(b, x, ty, 0)?, along(b, x, ty, 1)?])
    };
    let scale = scale_of(p, s)?;
    let scale = along(p, scale, &ty, 0)?;
    let least = p.like(scale, eps)?;
    let least = p.mul(least, scale)?;
    let ([si, sj], [di, dj]) = (both(p, s, &ty)?, both(p, d, &wide)?);
    let size = p.abs(d)?;
    let top = super::super::reduce::reduce(p, &super::super::reduce::REDUCE_MAX, size, &[0])?;
    let top = super::super::reduce::expand(p, top, &ty, &[0, 1])?;
    let [mi, mj] = both(p, size, &ty)?;
    let magnitude = p.add(mi, mj)?;
    // What a numerator that should vanish may be.
    let loose = p.like(magnitude, ulp.sqrt() + 16.0 * eps)?;
    let loose = p.mul(loose, magnitude)?;
    let floor = p.like(top, 2.0 * ROUNDING * ulp)?;
    let floor = p.mul(floor, top)?;
    let allowed = p.add(loose, floor)?;
    let off = off_diagonal(p, &ty)?;
    let mean = match slope {
        Some(g) => {
            let [gi, gj] = both(p, g, &wide)?;
            let half = p.like(gi, 0.5)?;
            let sum = p.add(gi, gj)?;
            Some(p.mul(half, sum)?)
        }
        None => None,
    };
    let zero = p.like(si, 0.0)?;
    let one = p.like(si, 1.0)?;
    let half = p.splat(&wide, 0.5)?;
    let none = p.zeros(&wide)?;
    let numerator = p.sub(dj, di)?;
    // Is the numerator at these values other than the slope says?
    let jumps = |p: &mut Builder, numerator: ValueId, denominator: ValueId, at: ValueId| -> Result<ValueId> {
        let Some(mean) = mean else { return Ok(at) };
        let x = p.convert(denominator, dtype)?;
        let x = p.mul(mean, x)?;
        let rest = p.sub(numerator, x)?;
        let rest = p.abs(rest)?;
        let over = p.gt(rest, allowed)?;
        p.and(at, over)
    };
    // Γ
    let gap = p.sub(sj, si)?;
    let distance = p.abs(gap)?;
    let equal = p.le(distance, least)?;
    let touching = p.eq(gap, zero)?;
    let safe = p.select(touching, one, gap)?;
    let wide_gap = p.convert(safe, dtype)?;
    let q = p.div(numerator, wide_gap)?;
    let mut gamma = match mean {
        Some(mean) => {
            let miss = p.sub(q, mean)?;
            let miss = p.abs(miss)?;
            let noise = p.like(magnitude, ROUNDING * ulp)?;
            let noise = p.mul(noise, magnitude)?;
            let room = p.abs(safe)?;
            let noise = p.div(noise, room)?;
            let agree = p.le(miss, noise)?;
            let near = p.or(equal, agree)?;
            p.select(near, mean, q)?
        }
        None => p.select(equal, none, q)?,
    };
    gamma = p.select(off, gamma, none)?;
    let mut unknown = jumps(p, numerator, gap, equal)?;
    // Λ
    let mut k = None;
    let mut ratio = None;
    if skew {
        let sum = p.add(si, sj)?;
        let vanish = p.le(sum, least)?;
        let safe = p.select(vanish, one, sum)?;
        let wide_sum = p.convert(safe, dtype)?;
        let plus = p.add(di, dj)?;
        let q = p.div(plus, wide_sum)?;
        let limit = mean.unwrap_or(none);
        let lambda = p.select(vanish, limit, q)?;
        let mut open = jumps(p, plus, sum, vanish)?;
        let mut over = lambda;
        if form == Form::OneSide {
            let q = p.div(numerator, wide_sum)?;
            over = p.select(vanish, none, q)?;
            // A function of `a aᴴ` is smooth at 0 where its slope by `s` vanishes.
            if let Some(mean) = mean {
                let steep = p.abs(mean)?;
                let steep = p.mul(steep, scale)?;
                let most = p.like(top, ulp.sqrt() + 16.0 * eps)?;
                let most = p.mul(most, top)?;
                let steep = p.gt(steep, most)?;
                let steep = p.and(vanish, steep)?;
                open = p.or(open, steep)?;
                unknown = p.or(unknown, steep)?;
            }
        }
        if out {
            let (r, o) = (diagonal(p, lambda)?, diagonal(p, open)?);
            ratio = Some((r, o));
        }
        if form == Form::OneSide {
            // What `d` is at 0 is of no account between two such values, only whether it differs.
            let differ = jumps(p, numerator, gap, vanish)?;
            open = match mean {
                Some(_) => p.or(differ, unknown)?,
                None => open,
            };
            open = p.and(open, vanish)?;
            open = p.and(open, off)?;
        }
        k = Some((p.mul(half, over)?, open));
    }
    unknown = p.and(unknown, off)?;
    Ok(Factors { h: (p.mul(half, gamma)?, unknown), k, out: ratio })
}

/// Products that derivatives find themselves, marked again; and one that belongs to no factorisation.
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_inexact() {
        return Ok(vec![]);
    }
    let mut out = vec![];
    for shape in SHAPES {
        for form in [Form::Both, Form::OneSide] {
            out.push(cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| {
                let a = spread(b, x[0])?;
                let r = b.emit(NewOp::new(&SVD, &[a]))?;
                let &[u, s, vt] = r.as_slice() else { return Ok(r) };
                let d = b.sin(s)?;
                let d = b.convert(d, cx.dtype)?;
                let ty = b.ty(u);
                let along_u = along(b, d, &ty, 1)?;
                let ud = b.mul(u, along_u)?;
                let (y, operands) = if form == Form::Both {
                    let y = mm(b, ud, vt)?;
                    (y, vec![y, u, d, vt])
                } else {
                    let y = mh(b, ud, u)?;
                    (y, vec![y, u, d])
                };
                let z = b.emit1(NewOp::new(&SPECTRAL, &operands))?;
                Ok(vec![y, z])
            })?);
        }
    }
    out.push(cx.program(&[(cx.ty(&[2, 3]), Domain::Any), (cx.ty(&[3]), Domain::Any)], |b, x| {
        let ty = b.ty(x[0]);
        let d = along(b, x[1], &ty, 1)?;
        let xd = b.mul(x[0], d)?;
        let y = mh(b, xd, x[0])?;
        b.emit(NewOp::new(&SPECTRAL, &[y, x[0], x[1]]))
    })?);
    Ok(out)
}
