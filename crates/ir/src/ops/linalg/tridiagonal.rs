//! Tridiagonal systems.
use super::*;
use crate::code::Code;
use crate::diag::Part;
use crate::ops::shape::{cotangent, pad};

/// `linalg.tridiagonal_solve`.
pub static TRIDIAGONAL_SOLVE: OpDef = OpDef {
    name: "linalg.tridiagonal_solve",
    doc: "Solves `a · x = b` for tridiagonal `a`, by elimination with exchanges of rows, in time linear in `n`: `a[i, i - 1] = dl[i]`, \
          `a[i, i] = d[i]`, `a[i, i + 1] = du[i]`. All three have `n` elements; the first of `dl` and the last of `du` are not \
          read. `b` is `n × p`.\n\n`on_fail`: a diagonal or a right-hand side with a NaN or an infinity, or a matrix in whose \
          elimination a pivot is 0, is an error (`E0740`), or gives NaN.",
    operands: &["dl", "d", "du", "b"],
    alike: (0, 4),
    slots: &[ON_FAIL],
    infer,
    effect: Effect::MayFail,
    linearize: Linearize::Rule(linearize),
    transpose: Transpose::Rule(transpose),
    batch: Batch::Rule(trailing),
    law: Law::Holds { state: laws::solve::tridiagonal, hard },
    sample,
    ..OpDef::BASE
};

fn infer(cx: &mut InferCx) -> Result<Vec<Type>> {
    cx.want_field(3)?;
    let b = cx.ty(3)?;
    if b.rank() < 2 {
        let text = format!("operand 3 holds right-hand sides `n × p`, not {}", cx.show(&b));
        return Err(Error::new(Code::E0205, text)
            .operand(3)
            .help("a vector is a matrix of one column: insert `reshape`"));
    }
    let line = b.without(&[1]);
    for i in 0..3 {
        let d = cx.ty(i)?;
        cx.agree(&d, &line, Part::Operand(i), "a diagonal and the rows of operand 3")?;
    }
    Ok(vec![b])
}
/// `x` moved by `steps` along axis 0, zeros behind it.
pub(super) fn moved(b: &mut Builder, x: ValueId, steps: i64) -> Result<ValueId> {
    let ty = b.ty(x);
    let (mut low, mut high) = (vec![Extent::exact(0); ty.rank()], vec![Extent::exact(0); ty.rank()]);
    low[0] = Extent::exact(steps);
    high[0] = Extent::exact(-steps);
    pad(b, x, None, &low, &high, &[], &ty)
}
/// `a · x` for the matrix of three diagonals.
pub(super) fn times(b: &mut Builder, [dl, d, du]: [Option<ValueId>; 3], x: ValueId) -> Result<Option<ValueId>> {
    let ty = b.ty(x);
    let mut sum: Option<ValueId> = None;
    for (band, steps) in [(dl, 1), (d, 0), (du, -1)] {
        let Some(band) = band else { continue };
        let x = if steps == 0 { x } else { moved(b, x, steps)? };
        let band = along(b, band, &ty, 0)?;
        let term = b.mul(band, x)?;
        sum = Some(match sum {
            Some(s) => b.add(s, term)?,
            None => term,
        });
    }
    Ok(sum)
}
/// `dx = a⁻¹ (db − da x)` (Giles 2008, §2.2.3).
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let primals = cx.copy_primal(o)?;
    let tangents = [0, 1, 2].map(|i| cx.tangent(op.operands[i]));
    let mut rhs = cx.tangent(op.operands[3]);
    if tangents.iter().any(Option::is_some) {
        let x = cx.residual(primals[0])?;
        let t = cx.t();
        if let Some(change) = times(t, tangents, x)? {
            rhs = Some(match rhs {
                Some(db) => t.sub(db, change)?,
                None => t.neg(change)?,
            });
        }
    }
    let Some(rhs) = rhs else { return Ok(()) };
    let mut bands = vec![];
    for i in 0..3 {
        let band = cx.primal(op.operands[i])?;
        bands.push(cx.residual(band)?);
    }
    bands.push(rhs);
    let dx = cx.t().emit1(NewOp::new(&TRIDIAGONAL_SOLVE, &bands).attrs(op.attrs.clone()))?;
    cx.set_tangent(op.results[0], Some(dx))
}
/// By the adjoint matrix, whose diagonals are those of this one, moved by a row.
fn transpose(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    if (0..3).any(|i| cx.linear(op.operands[i])) {
        return Err(Error::new(Code::E0504, "`linalg.tridiagonal_solve` is not linear in its matrix"));
    }
    let c = cotangent(ct)?;
    let [dl, d, du] = [cx.val(op.operands[0])?, cx.val(op.operands[1])?, cx.val(op.operands[2])?];
    let (below, above) = (moved(&mut cx.b, du, 1)?, moved(&mut cx.b, dl, -1)?);
    let mut bands = vec![];
    for band in [below, d, above] {
        bands.push(cx.b.conj_if_complex(band)?);
    }
    bands.push(c);
    let x = cx.b.emit1(NewOp::new(&TRIDIAGONAL_SOLVE, &bands).attrs(op.attrs.clone()))?;
    Ok(vec![None, None, None, Some(x)])
}

/// Diagonals that dominate.
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let shapes: &[&[usize]] = &[&[3, 2], &[2, 1], &[1, 1], &[0, 2], &[4, 1, 2], &[3, 0]];
    let one = |shape: &&[usize]| {
        let line: Vec<usize> = shape.iter().enumerate().filter(|x| x.0 != 1).map(|x| *x.1).collect();
        let band = (cx.ty(&line), Domain::Any);
        cx.program(&[band.clone(), band.clone(), band, (cx.ty(shape), Domain::Any)], |b, x| {
            let more = b.like(x[1], 8.0)?;
            let d = b.add(x[1], more)?;
            b.emit(NewOp::new(cx.def, &[x[0], d, x[2], x[3]]))
        })
    };
    shapes.iter().map(one).collect()
}
/// Matrices whose elimination has to exchange rows: diagonals of zeros, of small and of large numbers beside others; numbers whose
/// squares overflow or vanish; with
/// `on_fail = nan`, one that is not finite and one without an inverse.
fn hard(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let wave = |n: usize, from: f64| (0..n).map(move |i| (from + 1.7 * i as f64).sin());
    let mut out = vec![];
    let large = if cx.dtype.real() == DType::F32 { 1e22 } else { 1e160 };
    let cases =
        [(2, 0.0, 1.0), (4, 0.0, 1.0), (4, 1e-9, 1.0), (4, 1.0, 1.0), (4, 1e9, 1.0), (50, 1e-3, 1.0), (50, 1.0, 1.0)];
    for (n, scale, all) in cases.into_iter().chain([(16, 0.3, large), (16, 0.3, 1.0 / large)]) {
        let lists = [(0.3, all), (0.9, scale * all), (2.1, all), (4.4, 1.0)];
        out.push(cx.program(&[], |b, _| {
            let mut xs = vec![];
            for (i, (from, by)) in lists.iter().enumerate() {
                let shape: &[usize] = if i == 3 { &[n, 1] } else { &[n] };
                let list: Vec<f64> = wave(n, *from).map(|x| x * by).collect();
                let t = Tensor::from_logical(shape, list)?;
                let x = b.emit1(NewOp::new(&super::super::constant::CONST, &[]).attr("value", Attr::Tensor(t)))?;
                xs.push(b.convert(x, cx.dtype)?);
            }
            b.emit(NewOp::new(cx.def, &xs))
        })?);
    }
    for broken in [f64::NAN, f64::INFINITY, 0.0] {
        out.push(cx.program(&[], |b, _| {
            let mut xs = vec![];
            for (i, x) in [0.0, broken, 1.0, 1.0].into_iter().enumerate() {
                let shape: &[usize] = if i == 3 { &[3, 1] } else { &[3] };
                xs.push(b.splat(&Type::exact(cx.dtype, shape), x)?);
            }
            b.emit(NewOp::new(cx.def, &xs).attr("on_fail", Attr::word("nan")))
        })?);
    }
    Ok(out)
}
