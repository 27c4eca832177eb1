//! Triangular systems.
use super::*;
use crate::code::Code;
use crate::diag::Part;
use crate::ops::shape::{TRIL, TRIU, cotangent};

/// `linalg.triangular_solve`.
pub static TRIANGULAR_SOLVE: OpDef = OpDef {
    name: "linalg.triangular_solve",
    doc: "Solves `op(a) · x = b` (`left = true`) or `x · op(a) = b` for triangular `a`, of which only one triangle is read (the \
          upper one with `lower = false`), without its diagonal where `unit = true` says that it is all 1. `op` is nothing, the \
          transpose or the adjoint, as `transpose` says. A zero on the diagonal gives infinities and NaN.",
    operands: &["a", "b"],
    alike: (0, 2),
    slots: &[
        Slot::with_default("left", SlotKind::Bool, SlotDefault::Bool(true)),
        Slot::with_default("lower", SlotKind::Bool, SlotDefault::Bool(true)),
        Slot::with_default("transpose", SlotKind::Word(&["none", "transpose", "adjoint"]), SlotDefault::Word("none")),
        Slot::with_default("unit", SlotKind::Bool, SlotDefault::Bool(false)),
    ],
    infer,
    linearize: Linearize::Rule(linearize),
    transpose: Transpose::Rule(transpose),
    movement: Movement { places: crate::places::Places::Axes(crate::places::behind), ..Movement::NONE },
    batch: Batch::Rule(trailing),
    law: Law::Holds { state: laws::triangular_solve, hard: hard_systems },
    sample,
    ..OpDef::BASE
};

/// What is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Triangular {
    /// `op(a) · x = b`, else `x · op(a) = b`.
    pub left: bool,
    /// The lower triangle is read.
    pub lower: bool,
    /// `op` transposes.
    pub transpose: bool,
    /// `op` conjugates.
    pub conj: bool,
    /// The diagonal counts as 1.
    pub unit: bool,
}
impl Triangular {
    /// From attributes that inference has checked.
    pub fn of(a: &Attrs) -> Triangular {
        let on = |k: &str| a.get(k).is_none() || a.flag(k);
        let t = a.word("transpose").unwrap_or("none");
        Triangular {
            left: on("left"),
            lower: on("lower"),
            transpose: t != "none",
            conj: t == "adjoint",
            unit: a.flag("unit"),
        }
    }
    fn attrs(self) -> Attrs {
        let word = match (self.transpose, self.conj) {
            (false, _) => "none",
            (true, false) => "transpose",
            (true, true) => "adjoint",
        };
        Attrs::of([
            ("left", Attr::Bool(self.left)),
            ("lower", Attr::Bool(self.lower)),
            ("transpose", Attr::word(word)),
            ("unit", Attr::Bool(self.unit)),
        ])
    }
}
/// Solves.
pub(super) fn solve(b: &mut Builder, a: ValueId, rhs: ValueId, t: Triangular) -> Result<ValueId> {
    b.emit1(NewOp::new(&TRIANGULAR_SOLVE, &[a, rhs]).attrs(t.attrs()))
}

fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    let a = matrices(cx)?;
    let b = cx.ty(1)?;
    if b.dtype != a.dtype {
        return Err(Error::new(
            Code::E0202,
            format!("operands 0 and 1: dtypes differ: {} and {}", cx.show(&a), cx.show(&b)),
        )
        .operand(1)
        .help("nothing is promoted in the IR: insert `convert`"));
    }
    if b.rank() != a.rank() {
        return Err(Error::new(
            Code::E0205,
            format!("operands 0 and 1: ranks differ: {} and {}", cx.show(&a), cx.show(&b)),
        )
        .operand(1)
        .help("a vector is a matrix of one column: insert `reshape`"));
    }
    cx.equal(&a.dims[0], &a.dims[1], Part::Operand(0), || "rows and columns of operand 0".into())?;
    let axis = if Triangular::of(cx.attrs()).left { 0 } else { 1 };
    cx.equal(&a.dims[0], &b.dims[axis], Part::Operand(1), || format!("operand 0 and axis {axis} of operand 1"))?;
    for i in 2..a.rank() {
        cx.equal(&a.dims[i], &b.dims[i], Part::Operand(1), || format!("batch axis {i} of operands 0 and 1"))?;
    }
    Ok(vec![b])
}
/// `d(op(a)⁻¹ b) = op(a)⁻¹ (db − op(da) x)` (Giles 2008, §2.2.3), with the triangle of `da` that is read.
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let (da, db) = (cx.tangent(op.operands[0]), cx.tangent(op.operands[1]));
    if da.is_none() && db.is_none() {
        return Ok(());
    }
    let t = Triangular::of(&op.attrs);
    let a = cx.primal(op.operands[0])?;
    let a = cx.residual(a)?;
    let mut rhs = db;
    if let Some(da) = da {
        let x = cx.residual(primals[0])?;
        let b = cx.t();
        let (def, k) = match (t.lower, t.unit) {
            (true, unit) => (&TRIL, if unit { -1 } else { 0 }),
            (false, unit) => (&TRIU, if unit { 1 } else { 0 }),
        };
        let d = b.emit1(NewOp::new(def, &[da]).attr("k", Attr::Int(k)))?;
        let moved = if t.left {
            product(b, (d, if t.transpose { 0 } else { 1 }, t.conj), (x, 0, false))?
        } else {
            product(b, (x, 1, false), (d, if t.transpose { 1 } else { 0 }, t.conj))?
        };
        rhs = Some(match db {
            Some(db) => b.sub(db, moved)?,
            None => b.neg(moved)?,
        });
    }
    let Some(rhs) = rhs else { return Ok(()) };
    let dx = solve(cx.t(), a, rhs, t)?;
    cx.set_tangent(op.results[0], Some(dx))
}
fn transpose(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    if cx.linear(op.operands[0]) {
        return Err(Error::new(Code::E0504, "`linalg.triangular_solve` is not linear in its matrix"));
    }
    let (a, mut c, t) = (cx.val(op.operands[0])?, cotangent(ct)?, Triangular::of(&op.attrs));
    let complex = cx.b.ty(a).dtype.is_complex();
    // The adjoint of `aᵀ` is the conjugate of `a`: conjugated on both sides instead.
    let around = complex && t.transpose && !t.conj;
    if around {
        c = cx.b.conj(c)?;
    }
    let mut x = solve(&mut cx.b, a, c, Triangular { transpose: !t.transpose, conj: !t.transpose && complex, ..t })?;
    if around {
        x = cx.b.conj(x)?;
    }
    Ok(vec![None, Some(x)])
}
/// Each hard matrix as either triangle, on either side, with 1 on its diagonal and with what is there.
fn hard_systems(cx: &SampleCx) -> Result<Vec<Sample>> {
    let t = Triangular { left: true, lower: true, transpose: false, conj: false, unit: false };
    let cases = [t, Triangular { lower: false, transpose: true, conj: true, ..t }];
    let mut out =
        hard::on_each(cx, hard::Hard::is_square, &cases.map(Triangular::attrs), |b, d, h, _| sides(b, d, h, 1))?;
    let cases = [Triangular { left: false, lower: false, ..t }];
    out.extend(hard::on_each(cx, hard::Hard::is_square, &cases.map(Triangular::attrs), |b, d, h, _| {
        sides(b, d, h, 0)
    })?);
    // Beside large numbers a diagonal of ones lets solutions overflow.
    let moderate = |h: &hard::Hard| h.is_square() && h.is_moderate();
    let cases =
        [Triangular { left: false, unit: true, transpose: true, ..t }, Triangular { left: false, unit: true, ..t }];
    out.extend(hard::on_each(cx, moderate, &cases.map(Triangular::attrs), |b, d, h, _| sides(b, d, h, 0))?);
    Ok(out)
}
/// Right-hand sides: two, along `axis`.
fn sides(b: &mut Builder, dtype: DType, h: &hard::Hard, axis: usize) -> Result<Vec<ValueId>> {
    let mut shape = h.shape.clone();
    shape[axis] = 2;
    let ty = Type::exact(dtype, &shape);
    let places = |b: &mut Builder, axis: i64| {
        b.emit1(NewOp::new(&crate::ops::constant::IOTA, &[]).attr("axis", Attr::Int(axis)).types(vec![ty.clone()]))
    };
    let (i, j) = (places(b, 0)?, places(b, 1)?);
    let wave = b.sin(i)?;
    let x = b.sub(j, wave)?;
    let half = b.like(x, 0.25)?;
    Ok(vec![b.add(x, half)?])
}
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let t = Triangular { left: true, lower: true, transpose: false, conj: false, unit: false };
    let upper = Triangular { lower: false, ..t };
    let cases: [(&[usize], &[usize], Triangular); 9] = [
        (&[3, 3], &[3, 2], t),
        (&[3, 3], &[3, 2], Triangular { transpose: true, ..upper }),
        (&[3, 3], &[2, 3], Triangular { left: false, ..upper }),
        (&[2, 2], &[2, 2], Triangular { left: false, transpose: true, ..t }),
        (&[2, 2], &[2, 1], Triangular { unit: true, transpose: true, conj: true, ..t }),
        (&[2, 2], &[3, 2], Triangular { left: false, unit: true, transpose: true, conj: true, ..upper }),
        (&[2, 2, 2], &[2, 3, 2], t),
        (&[0, 0], &[0, 2], t),
        (&[1, 1], &[1, 0], t),
    ];
    let one = |(a, b, t): &(&[usize], &[usize], Triangular)| {
        cx.program(&[(cx.ty(a), Domain::Any), (cx.ty(b), Domain::Any)], |b, x| {
            let a = spread(b, x[0])?;
            Ok(vec![solve(b, a, x[1], *t)?])
        })
    };
    cases.iter().map(one).collect()
}
