//! Cholesky and LU factors and solutions of systems of at most 32 rows and columns: a warp a matrix, several matrices a block. A matrix
//! lies in shared memory, first axis fastest, a lane has a row, and warps wait for nobody else. Numbers are those of the kernels for
//! larger matrices, to the bit: each entry is computed by the same operations in the same order.
use tfc_ir::{DType, Result, ScalarOp};

use super::linalg::lu_kernel;
use super::numbers::Numbers;
use super::param;
use crate::device::Shape;
use crate::program::Texts;
use crate::run::launch::blocks;
use crate::text::Kernel;
use crate::text::scalar::ctype;

/// Rows and columns, at most: a lane has a row.
pub(super) const MOST: usize = 32;
/// Bytes of matrices that a block has in shared memory.
const ROOM: usize = 32 << 10;
/// Warps of a block, at most.
const WARPS: usize = 8;

/// Blocks for so many matrices of that many bytes.
pub(super) fn shape(count: usize, bytes: usize) -> Shape {
    let warps = (ROOM / bytes.max(1)).clamp(1, WARPS).min(count.max(1));
    blocks(count.div_ceil(warps), 32 * warps as u32)
}
/// The loop over matrices of a warp, whose matrix begins at `own[first]`.
fn matrices(t: &str, d: DType, rows: &str, cols: &str, places: &[(&str, usize)]) -> String {
    let places: Vec<String> = places.iter().map(|(name, k)| format!("{name} = at.place({k}, x_)")).collect();
    format!(
        "  SHARED({t}, own, {});
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const i64 i = lane, first = warp * {rows} * {cols};
  for (i64 k = (i64)blockIdx.x * warps + warp; k < at.count(); k += (i64)gridDim.x * warps) {{
    const auto x_ = at.index(k);
    const i64 {};
",
        ROOM / d.size(),
        places.join(", ")
    )
}
pub(super) fn cholesky(texts: &mut Texts, d: DType, rank: usize, nans: bool) -> Result<String> {
    let mut n = Numbers::of(texts, d);
    let (t, r) = (ctype(d), ctype(d.real()));
    let (zero, diagonal, nan, real) = (n.number("0")?, n.number("root")?, n.nan()?, n.re("x"));
    let scaled = if d.is_complex() { format!("{t}{{x.re / root, x.im / root}}") } else { "x / root".into() };
    let right = n.conj("q")?;
    let less = n.less("x", "p", &right)?;
    let head = matrices(t, d, "n", "n", &[("a_", 0), ("l_", 1)]);
    let root = texts.functions.apply(ScalarOp::Sqrt, &[("square", d.real())], d.real())?;
    let failed = if nans { format!("        if (failed) x = {nan};\n") } else { String::new() };
    let body = format!(
        "{head}    if (i < n)
      for (i64 j = 0; j <= i; j++) own[first + i + j * n] = a(a_ + i * a_row + j * a_col);
    __syncwarp();
    bool failed = false;
    for (i64 j = 0; j < n; j++) {{
      const {t} x = own[first + j + j * n];
      const {r} square = {real};
      failed = failed || !(square > 0 && square - square == 0);
      const {r} root = {root};
      __syncwarp();
      {t} p = {zero};
      if (i == j) own[first + j + j * n] = {diagonal};
      if (i > j && i < n) {{
        const {t} x = own[first + i + j * n];
        p = {scaled};
        own[first + i + j * n] = p;
      }}
      __syncwarp();
      if (i > j && i < n)
        for (i64 c = j + 1; c <= i; c++) {{
          const {t} x = own[first + i + c * n], q = own[first + c + j * n];
          own[first + i + c * n] = {less};
        }}
      __syncwarp();
    }}
    if (i < n)
      for (i64 j = 0; j < n; j++) {{
        {t} x = {zero};
        if (j <= i) x = own[first + i + j * n];
{failed}        l(l_ + i * l_row + j * l_col) = x;
      }}
    if (lane == 0) bad(k * 4) = failed ? 1 : 0;
    __syncwarp();
  }}
"
    );
    let mut params = vec![param(format!("In<{t}>"), "a"), param(format!("Out<{t}>"), "l"), param("Out<i32>", "bad")];
    params.extend(["n", "a_row", "a_col", "l_row", "l_col"].map(|x| param("i64", x)));
    params.push(param(format!("Loops<{rank}, 2>"), "at"));
    let name = if nans { format!("cholesky_or_nan_{t}_warps") } else { format!("cholesky_{t}_warps") };
    Ok(texts.add(Kernel { name, params, body }))
}
/// From the matrix `a` to its factors in `own`; `row` is where the row of this lane came from, and `found` is told each pivot.
fn factors(n: &mut Numbers, t: &str, found: &str) -> Result<String> {
    let (finite, size) = (n.finite("x"), n.size("x"));
    let (zero, quotient, less) = (n.size("pivot"), n.op(ScalarOp::Div, &["x", "pivot"])?, n.less("x", "p", "q")?);
    let none = n.number("0")?;
    Ok(format!(
        "    bool good = true;
    if (i < m)
      for (i64 c = 0; c < n; c++) {{
        const {t} x = a(a_ + i * a_row + c * a_col);
        good = good && {finite};
        own[first + i + c * m] = x;
      }}
    const bool failed = __any_sync(0xffffffffu, !good);
    i64 row = i;
    for (i64 j = 0; j < m && j < n; j++) {{
      // The largest entry of the column, the first of equal ones; none is smaller than a NaN.
      f64 most = -2;
      i64 top = i;
      if (i >= j && i < m) {{
        const {t} x = own[first + i + j * m];
        const f64 size = {size};
        most = size > -1 ? size : -1;
      }}
      for (u32 by = 16; by > 0; by /= 2) {{
        const f64 other = __shfl_xor_sync(0xffffffffu, most, by);
        const i64 there = __shfl_xor_sync(0xffffffffu, top, by);
        if (other > most || (other == most && there < top)) {{
          most = other;
          top = there;
        }}
      }}
{found}      const i64 here = __shfl_sync(0xffffffffu, row, (int)j), there = __shfl_sync(0xffffffffu, row, (int)top);
      if (i == j) row = there;
      else if (i == top) row = here;
      __syncwarp();
      if (top != j && i < n) {{
        const {t} x = own[first + j + i * m], q = own[first + top + i * m];
        own[first + j + i * m] = q;
        own[first + top + i * m] = x;
      }}
      __syncwarp();
      const {t} pivot = own[first + j + j * m];
      if (i > j && i < m) {{
        {t} p = {none};
        {{
          const {t} x = own[first + i + j * m];
          // A column without a pivot is left as it is.
          if ({zero} != 0) p = {quotient};
          else p = x;
        }}
        own[first + i + j * m] = p;
        for (i64 c = j + 1; c < n; c++) {{
          const {t} x = own[first + i + c * m], q = own[first + j + c * m];
          own[first + i + c * m] = {less};
        }}
      }}
    }}
    __syncwarp();
"
    ))
}
pub(super) fn lu(texts: &mut Texts, d: DType, rank: usize, nans: bool) -> Result<String> {
    let mut n = Numbers::of(texts, d);
    let (t, nan) = (ctype(d), n.nan()?);
    let head = matrices(t, d, "m", "n", &[("a_", 0), ("lu_", 1), ("s_", 2), ("p_", 3)]);
    let factors = factors(&mut n, t, "      if (lane == 0) pivots(s_ + j * s_row) = top;\n")?;
    let failed = if nans { format!("        if (failed) x = {nan};\n") } else { String::new() };
    let body = format!(
        "{head}{factors}    if (i < m) {{
      for (i64 c = 0; c < n; c++) {{
        {t} x = own[first + i + c * m];
{failed}        lu(lu_ + i * lu_row + c * lu_col) = x;
      }}
      p(p_ + i * p_row) = row;
    }}
    if (lane == 0) bad(k * 4) = failed ? 1 : 0;
    __syncwarp();
  }}
"
    );
    Ok(texts.add(lu_kernel(t, rank, nans, "_warps", body)))
}
/// Factors, and two substitutions, where a lane has an entry of a right-hand side.
pub(super) fn solve(texts: &mut Texts, d: DType, rank: usize, nans: bool) -> Result<String> {
    texts.functions.section("lanes")?;
    let mut n = Numbers::of(texts, d);
    let (t, nan, none) = (ctype(d), n.nan()?, n.number("0")?);
    let head = matrices(t, d, "m", "n", &[("a_", 0), ("b_", 1), ("z_", 2)]);
    let factors = factors(&mut n, t, "")?;
    let (less, quotient) = (n.less("sum", "e", "known")?, n.op(ScalarOp::Div, &["sum", "e"])?);
    let failed = if nans { format!("        if (failed) mine = {nan};\n") } else { String::new() };
    let body = format!(
        "{head}{factors}    for (i64 c = 0; c < columns; c++) {{
      {t} mine = {none};
      if (i < n) mine = b(b_ + row * b_row + c * b_col);
      for (i64 j = 0; j < n; j++) {{
        const {t} known = lanes_from(mine, (u32)j);
        if (i > j && i < n) {{
          const {t} sum = mine, e = own[first + i + j * n];
          mine = {less};
        }}
      }}
      for (i64 j = n - 1; j >= 0; j--) {{
        if (i == j) {{
          const {t} sum = mine, e = own[first + j + j * n];
          mine = {quotient};
        }}
        const {t} known = lanes_from(mine, (u32)j);
        if (i < j) {{
          const {t} sum = mine, e = own[first + i + j * n];
          mine = {less};
        }}
      }}
      if (i < n) {{
{failed}        z(z_ + i * z_row + c * z_col) = mine;
      }}
    }}
    if (lane == 0) bad(k * 4) = failed ? 1 : 0;
    __syncwarp();
  }}
"
    );
    let mut params =
        vec![param(format!("In<{t}>"), "a"), param(format!("In<{t}>"), "b"), param(format!("Out<{t}>"), "z")];
    params.push(param("Out<i32>", "bad"));
    let strides = ["m", "n", "columns", "a_row", "a_col", "b_row", "b_col", "z_row", "z_col"];
    params.extend(strides.map(|x| param("i64", x)));
    params.push(param(format!("Loops<{rank}, 3>"), "at"));
    let name = if nans { format!("solve_or_nan_{t}_warps") } else { format!("solve_{t}_warps") };
    Ok(texts.add(Kernel { name, params, body }))
}
