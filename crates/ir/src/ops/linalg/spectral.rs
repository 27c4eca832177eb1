//! Functions of a matrix that are made of functions of its singular or eigenvalues, and their derivative at every
//! spectrum.
use super::divided::{Form, factors};
use super::factor::{Factor, Part};
use super::*;
use crate::code::Code;
use crate::func::{Def, Func};
use crate::op::Loops;
use crate::ops::shape::{EMBED_DIAG, PAD_SUFFIX, TAKE_PREFIX};

/// `linalg.spectral`.
pub static SPECTRAL: OpDef = OpDef {
    name: "linalg.spectral",
    doc: "`y`, which is `x · diag(d) · vt`, or `x · diag(d) · xᴴ` without `vt`. Put before differentiation where `x` and `vt` are \
          vectors of one factorisation: the derivative is then that of a function of the factored matrix, which exists where \
          values are equal although that of the vectors does not. Elsewhere it says nothing.",
    operands: &["y", "x", "d", "vt…"],
    infer: |cx| {
        if !matches!(cx.len(), 3 | 4) {
            return Err(Error::new(Code::E0210, format!("`linalg.spectral` takes 3 or 4 operands, not {}", cx.len()))
                .help("they are y, x, d and, unless it is the adjoint of x, vt"));
        }
        let y = matrices(cx)?;
        let (x, d) = (cx.ty(1)?, cx.ty(2)?);
        if x.rank() != y.rank() || d.rank() + 1 != y.rank() || [&x, &d].iter().any(|t| t.dtype != y.dtype) {
            let (a, b, c) = (cx.show(&y), cx.show(&x), cx.show(&d));
            return Err(Error::new(Code::E0205, format!("{a} is not a product of {b} and a diagonal {c}")).operand(1));
        }
        Ok(vec![y])
    },
    linearize: Linearize::Rule(linearize),
    expand: Expand::Composite(|_, new| Ok(new.operands.iter().take(1).copied().collect())),
    batch: Batch::Expand,
    law: Law::Holds { state: |cx| laws::handed(cx, &[(0, 0)]), hard: |_| Ok(vec![]) },
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
        let x = Factor::of(f, *xs.get(1)?)?;
        let straight = x.axes.iter().enumerate().all(|(i, &a)| i == a) && !x.conj && x.scales.is_empty();
        let cut = x.cut.is_some();
        if let Some(&vt) = xs.get(3) {
            let vt = Factor::of(f, vt)?;
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
/// Whether op `o` is a function of what `factorisation` factors, and known as such.
pub(super) fn resolved(f: &Func, o: OpId, factorisation: OpId) -> bool {
    f.op(o).def.is(&SPECTRAL) && Origin::of(f, o).is_some_and(|at| at.op == factorisation)
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
    let ps = cx.primal(s)?;
    let dtype = cx.p().func().ty(d).dtype;
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
    let left = cx.primal(fac.results[usize::from(fac.def.is(&EIGH))])?;
    let vt = if form == Form::Hermitian { None } else { Some(cx.primal(fac.results[2])?) };
    let (u, vt) = match (at.part, vt) {
        (Part::Right, Some(v)) => (adjoint(cx.p(), v)?, Some(adjoint(cx.p(), left)?)),
        _ => (left, vt),
    };
    let dd = match dd {
        Some(dd) => {
            let ty = cx.lin_type(&full)?;
            let dd = spread_out(cx.t(), dd, &ty, at.cut)?;
            Some(cx.t().emit1(NewOp::new(&EMBED_DIAG, &[dd]))?)
        }
        None => None,
    };
    let da = match (da, at.part) {
        (Some(da), Part::Right) => Some(adjoint(cx.t(), da)?),
        (da, _) => da,
    };
    let (ru, rvt) = (cx.residual(u)?, vt.map(|v| cx.residual(v)).transpose()?);
    let mut sum;
    if let Some(da) = da {
        let beyond = |p: &Builder, x: ValueId| p.func().ty(x).dims[0] != p.func().ty(x).dims[1];
        let tall = vt.is_some() && beyond(cx.p(), u);
        let wide = vt.filter(|&vt| form == Form::Both && beyond(cx.p(), vt));
        let f = factors(cx.p(), ps, d, slope, eps_of(&fac.attrs, dtype), form, tall || wide.is_some())?;
        let tolerance = tolerance(&fac.attrs, dtype);
        let known = |cx: &mut Linearizer, x: ValueId, unknown: ValueId| -> Result<ValueId> {
            let unknown = cx.residual(unknown)?;
            cx.t().emit1(NewOp::new(&KNOWN, &[x, unknown]).attr("tolerance", tolerance.clone()))
        };
        let times = |cx: &mut Linearizer, factor: ValueId, x: ValueId| -> Result<ValueId> {
            let factor = cx.residual(factor)?;
            cx.t().mul(factor, x)
        };
        let t = cx.t();
        let w = hm(t, ru, da)?;
        let pairs = match rvt {
            Some(rvt) => mh(t, w, rvt)?,
            None => mm(t, w, ru)?,
        };
        let back = adjoint(t, pairs)?;
        let (h, k) = (t.add(pairs, back)?, t.sub(pairs, back)?);
        let h = known(cx, h, f.h.1)?;
        let mut m = Sum(Some(times(cx, f.h.0, h)?));
        if let Some((lambda, unknown)) = f.k {
            let k = known(cx, k, unknown)?;
            let k = times(cx, lambda, k)?;
            m.add(cx.t(), k)?;
        }
        if let Some(dd) = dd {
            m.add(cx.t(), dd)?;
        }
        sum = Sum(m.product(cx.t(), ru, rvt.filter(|_| form == Form::Both))?);
        // A factor for each column of what lies outside the span of `u`, or row of what lies outside that of `v`.
        let over = |cx: &mut Linearizer, like: ValueId, axis: usize| -> Result<Option<(ValueId, ValueId)>> {
            let Some((ratio, unknown)) = f.out else { return Ok(None) };
            let p = cx.p();
            let ty = p.ty(like);
            Ok(Some((along(p, ratio, &ty, axis)?, along(p, unknown, &ty, axis)?)))
        };
        if let (true, Some(rvt), Some((ratio, unknown))) = (tall, rvt, over(cx, u, 1)?) {
            let t = cx.t();
            let x = mh(t, da, rvt)?;
            let inside = mm(t, ru, pairs)?;
            let out = t.sub(x, inside)?;
            let out = known(cx, out, unknown)?;
            let x = times(cx, ratio, out)?;
            let x = if form == Form::Both { mm(cx.t(), x, rvt)? } else { mh(cx.t(), x, ru)? };
            sum.add(cx.t(), x)?;
            if form == Form::OneSide {
                // `U diag(d) dUᴴ`, where `d` need not be real.
                let conj = cx.p().conj_if_complex(ratio)?;
                let x = times(cx, conj, out)?;
                let x = mh(cx.t(), ru, x)?;
                sum.add(cx.t(), x)?;
            }
        }
        if let (Some(vt), Some(rvt)) = (wide, rvt)
            && let Some((ratio, unknown)) = over(cx, vt, 0)?
        {
            let t = cx.t();
            let inside = mm(t, pairs, rvt)?;
            let out = t.sub(w, inside)?;
            let out = known(cx, out, unknown)?;
            let x = times(cx, ratio, out)?;
            let x = mm(cx.t(), ru, x)?;
            sum.add(cx.t(), x)?;
        }
    } else {
        sum = Sum(Sum(dd).product(cx.t(), ru, rvt.filter(|_| form == Form::Both))?);
    }
    cx.set(op.results[0], y, sum.0);
    Ok(())
}
/// A sum that may be empty.
struct Sum(Option<ValueId>);
impl Sum {
    fn add(&mut self, b: &mut Builder, x: ValueId) -> Result<()> {
        self.0 = Some(match self.0 {
            Some(sum) => b.add(sum, x)?,
            None => x,
        });
        Ok(())
    }
    /// `u · sum · vt`, or `u · sum · uᴴ`.
    fn product(self, b: &mut Builder, u: ValueId, vt: Option<ValueId>) -> Result<Option<ValueId>> {
        let Some(m) = self.0 else { return Ok(None) };
        let um = mm(b, u, m)?;
        Ok(Some(match vt {
            Some(vt) => mm(b, um, vt)?,
            None => mh(b, um, u)?,
        }))
    }
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
    /// By value: whether it depends on the factored matrix.
    varies: Vec<bool>,
    seen: Vec<ValueId>,
    path: Vec<OpId>,
}
impl Cone<'_> {
    /// Whether element `i` of `v` is a function of value `i`, and of what all elements share.
    fn visit(&mut self, v: ValueId) -> bool {
        if v == self.s || !self.varies[v.ix()] || self.seen.contains(&v) {
            return true;
        }
        self.seen.push(v);
        let Def::Result(o, _) = self.f.value(v).def else { return false };
        let op = self.f.op(o);
        let rank = self.f.ty(self.s).rank();
        if op.def.loops == Loops::Repeat {
            let from = &self.f.ty(op.operands[0]).dims;
            let along = op.attrs.indices("dims").iter().position(|&d| d == 0);
            return along.is_none_or(|i| from.get(i).is_some_and(|n| n.as_exact() == Some(1)));
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

/// Products that derivatives find themselves, marked again; and one that belongs to no factorisation.
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
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
