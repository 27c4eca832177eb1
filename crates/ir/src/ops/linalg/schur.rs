//! Hessenberg and Schur forms of square matrices.
use super::solve::square;
use super::*;

/// `linalg.hessenberg`.
pub static HESSENBERG: OpDef = OpDef {
    name: "linalg.hessenberg",
    doc: "Hessenberg form `a = q · h · qᴴ` of square matrices by `n − 1` reflections, as LAPACK's `gehrd` packs them: the first result \
          holds `h` on and above the first diagonal below the main one, and, below that, the vectors of the reflections behind their \
          leading 1; `tau` (`[max(n − 1, 0)]`) their factors. The first row and column of `q` are those of the identity; the rest is what \
          `linalg.qr_multiply` makes of rows from 1 on and columns but the last.\n\n`on_fail`: a matrix with a NaN or an infinity is an \
          error (`E0740`), or gives NaN.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| {
        let a = square(cx)?;
        let n = Extent::max(&a.dims[0].sub(&Extent::exact(1))?, &Extent::exact(0))?;
        let tau = a.without(&[0, 1]).with_axis(0, n);
        Ok(vec![a, tau])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Never(
        "a Hessenberg form is not a continuous function of the matrix: where an element below its diagonal vanishes, what follows is \
         chosen anew",
    ),
    batch: Batch::Rule(trailing),
    law: Law::Holds { state: laws::spectral::hessenberg, hard },
    sample,
    ..OpDef::BASE
};
/// `linalg.schur`.
pub static SCHUR: OpDef = OpDef {
    name: "linalg.schur",
    doc: "Schur form `a = z · t · zᴴ` of square matrices, `z` unitary, and the eigenvalues `w`, complex, as they stand on the \
          diagonal of `t`. Of a complex matrix `t` is upper triangular. Of a real one `t` and `z` are real: a pair of conjugate \
          eigenvalues is a block of two rows and columns with equal numbers on the diagonal and numbers of different sign beside it, and \
          the value with the positive imaginary part comes first. Eigenvalues are in the order in which they were found.\n\n\
          `on_fail`: a matrix with a NaN or an infinity, or one on which the iteration does not converge, is an error (`E0740`), or \
          gives NaN.",
    operands: &["a"],
    slots: &[ON_FAIL],
    infer: |cx| {
        let a = square(cx)?;
        cx.want_parts(0)?;
        let w = a.without(&[1]).with_dtype(complex(a.dtype));
        Ok(vec![a.clone(), a, w])
    },
    effect: Effect::MayFail,
    linearize: Linearize::Never(
        "a Schur form is not a continuous function of the matrix: the order of eigenvalues follows from how fast each was found. \
         `linalg.eig` has a derivative",
    ),
    batch: Batch::Rule(trailing),
    law: Law::Holds { state: laws::spectral::schur, hard },
    sample,
    ..OpDef::BASE
};

/// The complex numbers with parts of that dtype.
pub(super) fn complex(dtype: DType) -> DType {
    if dtype.real() == DType::F64 { DType::C64 } else { DType::C32 }
}
pub(super) fn hard(cx: &SampleCx) -> Result<Vec<Sample>> {
    hard::factorisation(cx, hard::Hard::is_square, &[Attrs::none()])
}
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let shapes: &[&[usize]] = &[&[3, 3], &[2, 2], &[1, 1], &[0, 0], &[4, 4, 2], &[2, 2, 1, 2]];
    let one = |shape: &&[usize]| cx.program(&[(cx.ty(shape), Domain::Any)], |b, x| b.emit(NewOp::new(cx.def, x)));
    shapes.iter().map(one).collect()
}
