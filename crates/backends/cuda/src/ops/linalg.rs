//! Factorisations by kernels of this crate, a block a matrix. Numbers are those of the textbook's order of operations (Golub & Van
//! Loan, Matrix Computations, §3.4, §4.2), in the element type. For large matrices this is the long way: a library's factorisation is what
//! belongs here.
use tfc_ir::{DType, Result, ScalarOp, ops};

use super::library::{What, or};
use super::numbers::Numbers;
use super::{Rows, Site, Step, beside, param, warps};
use crate::program::Texts;
use crate::text::Kernel;
use crate::text::scalar::ctype;
use tfc_device::steps::matrices::{Cholesky, Lu, Reported, Small};

pub(super) const CORE: Rows = &[
    (&ops::linalg::CHOLESKY, |s, t| or(s, t, What::Cholesky, cholesky)),
    (&ops::linalg::LU_FACTOR, |s, t| or(s, t, What::Lu, lu)),
];

/// A warp a matrix.
fn in_warps(kernel: String, d: DType) -> Small {
    Small { kernel, most: warps::MOST, shape: warps::shape, size: d.size() }
}

fn cholesky(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let ty = site.operand(0)?;
    let (d, rank) = (ty.dtype, beside(ty.rank() - 2));
    let reported = Reported::of(site, d)?;
    let mut n = Numbers::of(texts, d);
    let (t, r) = (ctype(d), ctype(n.real));
    let (zero, diagonal, nan) = (n.number("0")?, n.number("root")?, n.nan()?);
    let root = n.texts.functions.apply(ScalarOp::Sqrt, &[("square", n.real)], n.real)?;
    let real = n.re("x");
    let scaled = if d.is_complex() { format!("{t}{{x.re / root, x.im / root}}") } else { "x / root".into() };
    let right = n.conj("q")?;
    let less = n.less("x", "p", &right)?;
    let fill = if reported.nan {
        format!(
            "    if (bad(k * 4) != 0) for (i64 e = threadIdx.x; e < n * n; e += blockDim.x) l(l_ + e % n * l_row + e / n * l_col) = {nan};\n    __syncthreads();\n"
        )
    } else {
        String::new()
    };
    let body = format!(
        "  SHARED({r}, pivot, 1);
  for (i64 k = blockIdx.x; k < at.count(); k += gridDim.x) {{
    const auto x_ = at.index(k);
    const i64 a_ = at.place(0, x_), l_ = at.place(1, x_);
    if (threadIdx.x == 0) bad(k * 4) = 0;
    for (i64 e = threadIdx.x; e < n * n; e += blockDim.x) {{
      const i64 i = e % n, j = e / n;
      if (i < j) l(l_ + i * l_row + j * l_col) = {zero};
      else l(l_ + i * l_row + j * l_col) = a(a_ + i * a_row + j * a_col);
    }}
    __syncthreads();
    for (i64 j = 0; j < n; j++) {{
      if (threadIdx.x == 0) {{
        const {t} x = l(l_ + j * l_row + j * l_col);
        const {r} square = {real};
        if (!(square > 0 && square - square == 0)) bad(k * 4) = 1;
        const {r} root = {root};
        l(l_ + j * l_row + j * l_col) = {diagonal};
        pivot[0] = root;
      }}
      __syncthreads();
      const {r} root = pivot[0];
      for (i64 i = j + 1 + threadIdx.x; i < n; i += blockDim.x) {{
        const {t} x = l(l_ + i * l_row + j * l_col);
        l(l_ + i * l_row + j * l_col) = {scaled};
      }}
      __syncthreads();
      const i64 rest = n - j - 1;
      for (i64 e = threadIdx.x; e < rest * rest; e += blockDim.x) {{
        const i64 i = j + 1 + e % rest, c = j + 1 + e / rest;
        if (i >= c) {{
          const {t} x = l(l_ + i * l_row + c * l_col), p = l(l_ + i * l_row + j * l_col), q = l(l_ + c * l_row + j * l_col);
          l(l_ + i * l_row + c * l_col) = {less};
        }}
      }}
      __syncthreads();
    }}
{fill}  }}
"
    );
    let kernel = texts.add(Kernel {
        name: format!("cholesky_{t}"),
        params: vec![
            param(format!("In<{t}>"), "a"),
            param(format!("Out<{t}>"), "l"),
            param("Out<i32>", "bad"),
            param("i64", "n"),
            param("i64", "a_row"),
            param("i64", "a_col"),
            param("i64", "l_row"),
            param("i64", "l_col"),
            param(format!("Loops<{rank}, 2>"), "at"),
        ],
        body,
    });
    let small = warps::cholesky(texts, d, rank, reported.nan)?;
    Ok(Box::new(Cholesky { kernel, small: Some(in_warps(small, d)), rank, reported }))
}
fn lu(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let ty = site.operand(0)?;
    let (d, rank) = (ty.dtype, beside(ty.rank() - 2));
    let reported = Reported::of(site, d)?;
    let kernel = lu_text(texts, d, rank, reported.nan)?;
    let small = warps::lu(texts, d, rank, reported.nan)?;
    Ok(Box::new(Lu { kernel, small: Some(in_warps(small, d)), rank, reported }))
}
/// The kernel that factors; of a matrix that holds no numbers, `nan` everywhere.
pub(super) fn lu_text(texts: &mut Texts, d: DType, rank: usize, nans: bool) -> Result<String> {
    let mut n = Numbers::of(texts, d);
    let (t, nan) = (ctype(d), n.nan()?);
    let (finite, size, quotient) = (n.finite("x"), n.size("x"), n.op(ScalarOp::Div, &["x", "pivot"])?);
    let (less, zero) = (n.less("x", "p", "q")?, n.size("pivot"));
    let fill = if nans {
        format!(
            "    if (bad(k * 4) != 0) for (i64 e = threadIdx.x; e < m * n; e += blockDim.x) lu(lu_ + e % m * lu_row + e / m * lu_col) = {nan};\n    __syncthreads();\n"
        )
    } else {
        String::new()
    };
    let body = format!(
        "  SHARED(i64, found, 1);
  for (i64 k = blockIdx.x; k < at.count(); k += gridDim.x) {{
    const auto x_ = at.index(k);
    const i64 a_ = at.place(0, x_), lu_ = at.place(1, x_), s_ = at.place(2, x_), p_ = at.place(3, x_);
    for (i64 e = threadIdx.x; e < m * n; e += blockDim.x)
      lu(lu_ + e % m * lu_row + e / m * lu_col) = a(a_ + e % m * a_row + e / m * a_col);
    for (i64 i = threadIdx.x; i < m; i += blockDim.x) p(p_ + i * p_row) = i;
    if (threadIdx.x == 0) bad(k * 4) = 0;
    __syncthreads();
    if (threadIdx.x == 0) {{
      bool all = true;
      for (i64 e = 0; e < m * n; e++) {{
        const {t} x = lu(lu_ + e % m * lu_row + e / m * lu_col);
        all = all && {finite};
      }}
      if (!all) bad(k * 4) = 1;
    }}
    for (i64 j = 0; j < m && j < n; j++) {{
      if (threadIdx.x == 0) {{
        i64 top = j;
        f64 most = -1;
        for (i64 i = j; i < m; i++) {{
          const {t} x = lu(lu_ + i * lu_row + j * lu_col);
          const f64 size = {size};
          if (size > most) {{
            most = size;
            top = i;
          }}
        }}
        found[0] = top;
        pivots(s_ + j * s_row) = top;
        const i64 row = p(p_ + j * p_row), other = p(p_ + top * p_row);
        p(p_ + j * p_row) = other;
        p(p_ + top * p_row) = row;
      }}
      __syncthreads();
      const i64 top = found[0];
      if (top != j)
        for (i64 c = threadIdx.x; c < n; c += blockDim.x) {{
          const {t} x = lu(lu_ + j * lu_row + c * lu_col), q = lu(lu_ + top * lu_row + c * lu_col);
          lu(lu_ + j * lu_row + c * lu_col) = q;
          lu(lu_ + top * lu_row + c * lu_col) = x;
        }}
      __syncthreads();
      const {t} pivot = lu(lu_ + j * lu_row + j * lu_col);
      // A column without a pivot is left as it is.
      if ({zero} != 0) {{
        for (i64 i = j + 1 + threadIdx.x; i < m; i += blockDim.x) {{
          const {t} x = lu(lu_ + i * lu_row + j * lu_col);
          lu(lu_ + i * lu_row + j * lu_col) = {quotient};
        }}
      }}
      __syncthreads();
      const i64 below = m - j - 1, behind = n - j - 1;
      for (i64 e = threadIdx.x; e < below * behind; e += blockDim.x) {{
        const i64 i = j + 1 + e % below, c = j + 1 + e / below;
        const {t} x = lu(lu_ + i * lu_row + c * lu_col), p = lu(lu_ + i * lu_row + j * lu_col), q = lu(lu_ + j * lu_row + c * lu_col);
        lu(lu_ + i * lu_row + c * lu_col) = {less};
      }}
      __syncthreads();
    }}
{fill}  }}
"
    );
    Ok(n.texts.add(lu_kernel(t, rank, nans, "", body)))
}
/// A kernel of `lu_factor`, whatever shares out its matrices: `by` ends its name.
pub(super) fn lu_kernel(t: &str, rank: usize, nans: bool, by: &str, body: String) -> Kernel {
    let mut params = vec![
        param(format!("In<{t}>"), "a"),
        param(format!("Out<{t}>"), "lu"),
        param("Out<i64>", "pivots"),
        param("Out<i64>", "p"),
        param("Out<i32>", "bad"),
    ];
    params.extend(["m", "n", "a_row", "a_col", "lu_row", "lu_col", "s_row", "p_row"].map(|x| param("i64", x)));
    params.push(param(format!("Loops<{rank}, 4>"), "at"));
    let name = if nans { format!("lu_factor_or_nan_{t}{by}") } else { format!("lu_factor_{t}{by}") };
    Kernel { name, params, body }
}
