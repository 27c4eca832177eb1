//! What a derivative knows at most values, and says so where it does not.
use super::gauge::check;
use super::*;
use crate::code::Code;

/// `linalg.known`.
pub static KNOWN: OpDef = OpDef {
    name: "linalg.known",
    doc: "`x`, which must be 0 where `unknown` holds, up to `tolerance` relative to the sum of the moduli of each matrix: the \
          factor by which it is multiplied there is not known, and 0 stands for it. Else it fails (`E1221`). Made by derivatives; \
          its transpose asks the same of the cotangent.",
    operands: &["x", "unknown"],
    slots: &[Slot::required("tolerance", SlotKind::Float)],
    infer: |cx| {
        cx.want_field(0)?;
        cx.want_dtype(1, |d| d == DType::Bool, "bool")?;
        let (x, mask) = (super::super::shape::matrix(cx)?, cx.ty(1)?);
        if x.rank() != mask.rank() {
            let (a, b) = (cx.show(&x), cx.show(&mask));
            return Err(Error::new(
                Code::E0205,
                format!("`linalg.known` takes operands of one shape, not {a} and {b}"),
            )
            .operand(1)
            .help("broadcast the mask"));
        }
        for (i, (a, b)) in x.dims.iter().zip(mask.dims.iter()).enumerate() {
            cx.equal(a, b, crate::diag::Part::Operand(1), || format!("operands 0 and 1, axis {i}"))?;
        }
        Ok(vec![x])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(|cx, o, ct| {
        let op = cx.op(o);
        let Some(c) = ct[0] else { return Ok(vec![None; 2]) };
        let unknown = cx.val(op.operands[1])?;
        Ok(vec![Some(cx.b.emit1(NewOp::new(&KNOWN, &[c, unknown]).attrs(op.attrs))?), None])
    }),
    expand: Expand::Composite(|b, new| {
        let &[x, unknown] = new.operands.as_slice() else { return Ok(vec![]) };
        let size = b.abs(x)?;
        let size = b.reduce_sum(size, &[0, 1])?;
        let tolerance = match new.attrs.get("tolerance") {
            Some(Attr::Float(t)) => *t,
            _ => 0.0,
        };
        check(b, unknown, x, size, tolerance, UNKNOWN)?;
        // 0, but NaN where `x` is not finite: that passes the check, and is not to vanish.
        let zero = b.sub(x, x)?;
        Ok(vec![b.select(unknown, zero, x)?])
    }),
    batch: Batch::Expand,
    law: Law::Holds {
        state: |cx| {
            let (x, unknown, y) = (cx.operand(0)?, cx.operand(1)?, cx.result(0)?);
            let zero = cx.b.like(x, 0.0)?;
            let want = cx.b.select(unknown, zero, x)?;
            cx.same("the operand where it is known, else 0", want, y)
        },
        hard: |_| Ok(vec![]),
    },
    sample,
    ..OpDef::BASE
};
/// What an unknown factor means to whoever wrote the program.
pub(super) const UNKNOWN: &str = "the derivative mixes singular or eigenvectors of equal values (or of singular value 0) by a \
    factor that is not known there; write the function as `u · diag(f(s)) · vt` or `v · diag(f(w)) · vᴴ` with `f` \
    elementwise, or set `degenerate = damp`";

fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let one = |shape: &[usize]| {
        let x = cx.ty(shape);
        cx.program(&[(x.clone(), Domain::Any)], |b, v| {
            let none = b.zeros(&x.with_dtype(DType::Bool))?;
            b.emit(NewOp::new(&KNOWN, &[v[0], none]).attr("tolerance", Attr::Float(1e-8)))
        })
    };
    Ok(vec![one(&[3, 2])?, one(&[2, 2, 3])?, one(&[0, 2])?])
}
