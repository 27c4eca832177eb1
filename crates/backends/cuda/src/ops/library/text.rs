//! Kernels around libraries. Flags of copies and results are those of [`super::flag`]; texts hold their numbers.
use tfc_ir::{DType, Result};

use super::super::numbers::Numbers;
use super::super::param;
use crate::program::Texts;
use crate::text::Kernel;
use crate::text::scalar::ctype;

/// The power of 2 with exponent field `e`, and its reciprocal; ends of the range are left out.
const POWER: &str = "const i64 e_ = most(k * 4) < 1 ? 1 : most(k * 4) > 2045 ? 2045 : most(k * 4);";

/// `x` times the real number `by`, of double precision, as an element.
fn times(d: DType, by: &str) -> Result<String> {
    let (t, real) = (ctype(d), ctype(d.real()));
    Ok(match d.is_complex() {
        true => format!("{t}{{({real})(x.re * {by}), ({real})(x.im * {by})}}"),
        false => format!("({t})(x * {by})"),
    })
}
/// Finds matrices with a NaN or an infinity, and the largest exponent of all others.
pub(super) fn look(texts: &mut Texts, d: DType, rank: usize) -> Result<String> {
    let t = ctype(d);
    let finite = Numbers::of(texts, d).finite("x");
    let size = if d.is_complex() { "fmax(fabs((f64)x.re), fabs((f64)x.im))" } else { "fabs((f64)x)" };
    let body = format!(
        "  for (i64 e = thread_of_grid(); e < at.count() * m * n; e += threads_of_grid()) {{
    const i64 k = e / (m * n), i = e % m, j = e / m % n;
    // Where only the lower triangle counts, nothing else is looked at.
    if ((how & 1) != 0 && i < j) continue;
    const auto x_ = at.index(k);
    const {t} x = a(at.place(0, x_) + i * a_row + j * a_col);
    if (!{finite}) atomicOr(&bad(k * 4), 1);
    else atomicMax(&most(k * 4), (i32)(f64_bits({size}) >> 52));
  }}
"
    );
    let mut params = vec![param(format!("In<{t}>"), "a"), param("Out<i32>", "bad"), param("Out<i32>", "most")];
    params.extend(["m", "n", "a_row", "a_col", "how"].map(|x| param("i64", x)));
    params.push(param(format!("Loops<{rank}, 1>"), "at"));
    Ok(texts.add(Kernel { name: format!("matrices_look_{t}"), params, body }))
}
/// Copies of matrices, one after the other.
pub(super) fn gather(texts: &mut Texts, d: DType, rank: usize) -> Result<String> {
    let t = ctype(d);
    let mut n = Numbers::of(texts, d);
    let (zero, conj) = (n.number("0")?, n.conj("y")?);
    let half = if d.is_complex() {
        format!("{t}{{x.re / 2 + y.re / 2, x.im / 2 - y.im / 2}}")
    } else {
        "x / 2 + y / 2".into()
    };
    let body = format!(
        "  for (i64 e = thread_of_grid(); e < at.count() * m * n; e += threads_of_grid()) {{
    const i64 k = e / (m * n), i = e % m, j = e / m % n;
    const auto x_ = at.index(k);
    const i64 a_ = at.place(0, x_), adjoint = how & 4;
    {POWER}
    const f64 by = (how & 4096) != 0 ? f64_from((u64)(2046 - e_) << 52) : 1;
    const auto scaled = [&]({t} x) -> {t} {{ return {scaled}; }};
    {t} x = {zero};
    const bool other = ((how & 1) != 0 && i < j) || ((how & 2) != 0 && i > j);
    if (bad(k * 4) == 0 && !other) x = scaled(a(a_ + i * a_row + j * a_col));
    if (bad(k * 4) == 0 && (how & 1024) != 0) {{
      const {t} y = scaled(a(a_ + j * a_row + i * a_col));
      x = {half};
    }}
    if (adjoint != 0) {{
      const {t} y = x;
      x = {conj};
    }}
    to((k * m * n + (adjoint != 0 ? j + i * n : i + j * m)) * {size}) = x;
  }}
",
        size = d.size(),
        scaled = times(d, "by")?,
    );
    let mut params = vec![
        param(format!("In<{t}>"), "a"),
        param(format!("Out<{t}>"), "to"),
        param("In<i32>", "bad"),
        param("In<i32>", "most"),
    ];
    params.extend(["m", "n", "a_row", "a_col", "how"].map(|x| param("i64", x)));
    params.push(param(format!("Loops<{rank}, 1>"), "at"));
    Ok(texts.add(Kernel { name: format!("matrices_copy_{t}"), params, body }))
}
/// What makes a column's leading entry (the first whose modulus is at least 0.999 of the largest), or an entry of the diagonal, real
/// and positive.
pub(super) fn phases(texts: &mut Texts, d: DType) -> Result<String> {
    let (t, size) = (ctype(d), d.size());
    let n = Numbers::of(texts, d);
    let (one, real) = (n.number("1")?, ctype(d.real()));
    let (modulus, phase) = if d.is_complex() {
        let length = "const f64 p = fabs((f64)z.re), q = fabs((f64)z.im), most = p > q ? p : q, least = p > q ? q : p;
      return most > 0 ? most * sqrt(1 + least / most * (least / most)) : 0";
        (length, format!("{t}{{({real})(z.re / by), ({real})(-z.im / by)}}"))
    } else {
        ("return fabs((f64)z)", format!("({t})(z < 0 ? -1 : 1)"))
    };
    let body = format!(
        "  const auto modulus = []({t} z) -> f64 {{
      {modulus};
  }};
  for (i64 e = thread_of_grid(); e < count * cols; e += threads_of_grid()) {{
    const i64 k = e / cols, j = e % cols, adjoint = how & 4;
    // An entry of the adjoint has the modulus of the entry itself, and the conjugate phase.
    const i64 first = k * step + (adjoint != 0 ? j : j * ld), by_row = adjoint != 0 ? ld : 1;
    f64 most = 0;
    if (how < 2048)
      for (i64 i = 0; i < rows; i++) {{
        const {t} z = from((first + i * by_row) * {size});
        most = fmax(most, modulus(z));
      }}
    {t} found = {one};
    for (i64 i = how < 2048 ? 0 : j; i < rows; i++) {{
      const {t} z = from((first + i * by_row) * {size});
      const f64 by = modulus(z);
      if (by > 0 && by >= 0.999 * most) {{
        found = {phase};
        break;
      }}
      if (how >= 2048) break;
    }}
    phase(e * {size}) = found;
  }}
"
    );
    let mut params = vec![param(format!("In<{t}>"), "from"), param(format!("Out<{t}>"), "phase")];
    params.extend(["rows", "cols", "ld", "step", "count", "how"].map(|x| param("i64", x)));
    Ok(texts.add(Kernel { name: format!("matrices_phases_{t}"), params, body }))
}
/// Results from what a library leaves.
pub(super) fn scatter(texts: &mut Texts, d: DType, rank: usize) -> Result<String> {
    let (t, size) = (ctype(d), d.size());
    let mut n = Numbers::of(texts, d);
    let (zero, nan) = (n.number("0")?, n.nan()?);
    let (conj, turned) = (n.conj("x")?, n.conj("f")?);
    let body = format!(
        "  for (i64 e = thread_of_grid(); e < at.count() * rows * cols; e += threads_of_grid()) {{
    const i64 k = e / (rows * cols), i = e % rows, j = e / rows % cols;
    const auto x_ = at.index(k);
    const i64 to_ = at.place(0, x_) + i * to_row + j * to_col;
    if ((how & 512) != 0 && (bad(k * 4) != 0 || info(k * 4) != 0)) {{
      to(to_) = {nan};
      continue;
    }}
    i64 p = i, q = j;
    if ((how & 128) != 0) q = order((k * cols + j) * 8);
    if ((how & 256) != 0) p = order((k * rows + i) * 8);
    {t} x = {zero};
    const bool other = ((how & 1) != 0 && i < j) || ((how & 2) != 0 && i > j);
    if (!other) x = from((k * step + ((how & 4) != 0 ? q + p * ld : p + q * ld)) * {size});
    if ((how & 4) != 0) x = {conj};
    // A factor of columns, or of rows, or its conjugate; of an adjoint, phases are those of the entries that it was made of.
    if ((how & 24) != 0) {{
      {t} f = phase((k * cols + q) * {size});
      if (((how & 16) != 0) != ((how & 4) != 0)) f = {turned};
      x = x * f;
    }}
    if ((how & 96) != 0) {{
      {t} f = phase((k * rows + p) * {size});
      if (((how & 64) != 0) != ((how & 4) != 0)) f = {turned};
      x = x * f;
    }}
    if ((how & 8192) != 0 || ((how & 16384) != 0 && i <= j)) {{
      {POWER}
      const f64 by = f64_from((u64)e_ << 52);
      x = {scaled};
    }}
    to(to_) = x;
  }}
",
        scaled = times(d, "by")?,
    );
    let mut params = vec![
        param(format!("In<{t}>"), "from"),
        param("In<i32>", "bad"),
        param("In<i32>", "info"),
        param("In<i32>", "most"),
        param(format!("In<{t}>"), "phase"),
        param("In<i64>", "order"),
        param(format!("Out<{t}>"), "to"),
    ];
    params.extend(["rows", "cols", "to_row", "to_col", "ld", "step", "how"].map(|x| param("i64", x)));
    params.push(param(format!("Loops<{rank}, 1>"), "at"));
    Ok(texts.add(Kernel { name: format!("matrices_results_{t}"), params, body }))
}
/// Pivots from 0, and where rows came from.
pub(super) fn pivots(texts: &mut Texts, rank: usize) -> String {
    let body = "  for (i64 k = thread_of_grid(); k < at.count(); k += threads_of_grid()) {
    const auto x_ = at.index(k);
    const i64 s_ = at.place(0, x_), p_ = at.place(1, x_);
    const bool none = nan != 0 && bad(k * 4) != 0;
    for (i64 i = 0; i < m; i++) p(p_ + i * p_row) = none ? 0 : i;
    for (i64 j = 0; j < few; j++) {
      const i64 row = from((k * few + j) * 8) - 1;
      pivots(s_ + j * s_row) = none ? 0 : row;
      if (none || row == j) continue;
      const i64 here = p(p_ + j * p_row), there = p(p_ + row * p_row);
      p(p_ + j * p_row) = there;
      p(p_ + row * p_row) = here;
    }
  }
";
    let mut params =
        vec![param("In<i64>", "from"), param("Out<i64>", "pivots"), param("Out<i64>", "p"), param("In<i32>", "bad")];
    params.extend(["m", "few", "s_row", "p_row", "nan"].map(|x| param("i64", x)));
    params.push(param(format!("Loops<{rank}, 2>"), "at"));
    texts.add(Kernel { name: "matrices_pivots".into(), params, body: body.into() })
}
/// Exchanges rows of right-hand sides as pivots say.
pub(super) fn permute(texts: &mut Texts, d: DType) -> Result<String> {
    let (t, size) = (ctype(d), d.size());
    let body = format!(
        "  for (i64 e = thread_of_grid(); e < count * columns; e += threads_of_grid()) {{
    const i64 k = e / columns, first = e * n;
    for (i64 i = 0; i < n; i++) {{
      const i64 row = pivots((k * n + i) * 8) - 1;
      if (row == i) continue;
      const {t} here = x((first + i) * {size}), there = x((first + row) * {size});
      x((first + i) * {size}) = there;
      x((first + row) * {size}) = here;
    }}
  }}
"
    );
    let mut params = vec![param("In<i64>", "pivots"), param(format!("Out<{t}>"), "x")];
    params.extend(["n", "columns", "count"].map(|x| param("i64", x)));
    Ok(texts.add(Kernel { name: format!("matrices_permute_{t}"), params, body }))
}
