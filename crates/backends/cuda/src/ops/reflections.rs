//! QR factorisations by reflections (Golub & Van Loan, Matrix Computations, §5.1, §5.2, §5.4), with LAPACK's signs: a thread a column
//! where a reflection is applied.
use tfc_ir::{Result, ops};

use super::library::{What, or};
use super::work::{Own, Parts, element, place};
use super::{Rows, Site, Step};
use crate::program::Texts;

pub(super) const CORE: Rows = &[
    (&ops::linalg::QR_FACTOR, |s, t| or(s, t, What::Packed, packed)),
    (&ops::linalg::QR, |s, t| or(s, t, What::Qr, |s, t| thin(s, t, false))),
    (&ops::linalg::QR_PIVOTED, |s, t| thin(s, t, true)),
];

/// The matrix, factors, order of columns, and `q`.
fn room(m: usize, n: usize) -> usize {
    let k = m.min(n);
    m.saturating_mul(n).saturating_add(k + 2 * n).saturating_add(m.saturating_mul(k))
}
/// Reflections in place: `beta` and `v` in the columns of the matrix, factors `tau` behind it. With pivots, the order of columns behind
/// those, and before each step the column with the longest rest first.
fn factor(pivots: bool) -> String {
    let choose = if pivots {
        "        for (i64 c = j + threadIdx.x; c < n; c += blockDim.x) {
          f64 most = 0, sum = 0;
          for (i64 i = j; i < m; i++) most = fmax(most, fmax(fabs(get(x + i + c * m).re), fabs(get(x + i + c * m).im)));
          if (most > 0)
            for (i64 i = j; i < m; i++) {
              const c64 z = times(get(x + i + c * m), 1 / most);
              sum += z.re * z.re + z.im * z.im;
            }
          put(rest + c, c64{most * sqrt(sum), 0});
        }
        __syncthreads();
        i64 top = j;
        for (i64 c = j + 1; c < n; c++)
          if (get(rest + c).re > get(rest + top).re) top = c;
        __syncthreads();
        if (top != j) {
          for (i64 i = threadIdx.x; i < m; i += blockDim.x) {
            const c64 z = get(x + i + j * m);
            put(x + i + j * m, get(x + i + top * m));
            put(x + i + top * m, z);
          }
          if (threadIdx.x == 0) {
            const c64 z = get(order + j);
            put(order + j, get(order + top));
            put(order + top, z);
          }
        }
        __syncthreads();
"
    } else {
        ""
    };
    let begin = if pivots {
        "      for (i64 c = threadIdx.x; c < n; c += blockDim.x) put(order + c, c64{(f64)c, 0});\n      __syncthreads();\n"
    } else {
        ""
    };
    format!(
        "      const i64 k = m < n ? m : n, tau = x + m * n, order = tau + k, rest = order + n;
      // x −= t v (vᴴ x) from row j on, of column `c` and the reflection in column `j`.
      const auto reflect = [&](i64 j, c64 t, i64 c) {{
        c64 sum = get(c + j);
        for (i64 i = j + 1; i < m; i++) sum = sum + conj(get(x + i + j * m)) * get(c + i);
        const c64 by = t * sum;
        put(c + j, get(c + j) - by);
        for (i64 i = j + 1; i < m; i++) put(c + i, get(c + i) - get(x + i + j * m) * by);
      }};
{begin}      for (i64 j = 0; j < k; j++) {{
{choose}        if (threadIdx.x == 0) {{
          const c64 first = get(x + j + j * m);
          f64 tail = 0;
          for (i64 i = j + 1; i < m; i++) {{
            const c64 z = get(x + i + j * m);
            tail = length(tail, length(z.re, z.im));
          }}
          c64 t = c64{{0, 0}};
          if (tail > 0 || first.im != 0) {{
            const f64 size = length(length(first.re, first.im), tail), beta = first.re < 0 ? size : -size;
            const c64 by = c64{{first.re - beta, first.im}};
            // Quotients by one of parts that may be far from 1.
            const f64 most = fmax(fabs(by.re), fabs(by.im));
            const c64 unit = times(by, 1 / most);
            const f64 square = unit.re * unit.re + unit.im * unit.im;
            for (i64 i = j + 1; i < m; i++) put(x + i + j * m, times(times(get(x + i + j * m), 1 / most) * conj(unit), 1 / square));
            t = c64{{(beta - first.re) / beta, -first.im / beta}};
            put(x + j + j * m, c64{{beta, 0}});
          }}
          put(tau + j, t);
        }}
        __syncthreads();
        for (i64 c = j + 1 + threadIdx.x; c < n; c += blockDim.x) reflect(j, conj(get(tau + j)), x + c * m);
        __syncthreads();
      }}
"
    )
}
fn packed(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let d = site.operand(0)?.dtype;
    let (qr, scaled, plain) = (place("qr", "i", "j"), element(d, "times(z, undo)"), element(d, "z"));
    let store = format!(
        "      const i64 k = m < n ? m : n, factors = x + m * n;
      for (i64 e = threadIdx.x; e < m * n; e += blockDim.x) {{
        const i64 i = e % m, j = e / m;
        const c64 z = get(x + e);
        if (i <= j) {qr} = {scaled};
        else {qr} = {plain};
      }}
      for (i64 j = threadIdx.x; j < k; j += blockDim.x) {{
        const c64 z = get(factors + j);
        tau(tau_ + j * tau_row) = {plain};
      }}
"
    );
    // The result is called like the memory for it.
    let body = factor(false).replace("tau", "factors");
    let parts = Parts { name: "qr_factor", results: &[("qr", 2), ("tau", 1)], room, body, store };
    Ok(Box::new(Own::of(site, texts, &parts)?))
}
fn thin(site: &Site, texts: &mut Texts, pivots: bool) -> Result<Box<dyn Step>> {
    let d = site.operand(0)?.dtype;
    let body = format!(
        "{}      // Columns of the identity, reflected from the last to the first.
      const i64 basis = rest + n;
      for (i64 c = threadIdx.x; c < k; c += blockDim.x) {{
        for (i64 i = 0; i < m; i++) put(basis + i + c * m, c64{{i == c ? 1.0 : 0.0, 0}});
        for (i64 j = k - 1; j >= 0; j--) reflect(j, get(tau + j), basis + c * m);
      }}
      __syncthreads();
",
        factor(pivots)
    );
    let (q, r) = (place("q", "i", "j"), place("r", "i", "j"));
    let (z, order) = (
        element(d, "z"),
        "      for (i64 j = threadIdx.x; j < n; j += blockDim.x) p(p_ + j * p_row) = (i64)get(order + j).re;\n",
    );
    let store = format!(
        "      const i64 k = m < n ? m : n, order = x + m * n + k, basis = order + 2 * n;
      // The diagonal of r is real: it is made positive together with the columns of q.
      for (i64 e = threadIdx.x; e < m * k; e += blockDim.x) {{
        const i64 i = e % m, j = e / m;
        const c64 z = times(get(basis + e), get(x + j + j * m).re < 0 ? -1 : 1);
        {q} = {z};
      }}
      for (i64 e = threadIdx.x; e < k * n; e += blockDim.x) {{
        const i64 i = e % k, j = e / k;
        const c64 z = j < i ? c64{{0, 0}} : times(get(x + i + j * m), get(x + i + i * m).re < 0 ? -undo : undo);
        {r} = {z};
      }}
{}",
        if pivots { order } else { "" }
    );
    let all = [("q", 2), ("r", 2), ("p", 1)];
    let (name, results) = if pivots { ("qr_pivoted", &all[..]) } else { ("qr", &all[..2]) };
    Ok(Box::new(Own::of(site, texts, &Parts { name, results, room, body, store })?))
}
