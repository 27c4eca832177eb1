//! Eigenvalues of Hermitian matrices and singular values by Jacobi's methods (Golub & Van Loan, Matrix Computations, §8.5, §8.6.3), with
//! vectors. Pairs of columns that have none in common are turned at the same time, a thread a pair: in a round of a tournament
//! each column meets another, in a sweep every other (Brent & Luk 1985). The order does not depend on the elements, nor on how many
//! threads there are. Slow beside divide and conquer for large matrices, and sure.
use tfc_ir::{Result, ops};

use super::library::{What, or, values};
use super::work::{Own, Parts, element, place};
use super::{Rows, Site, Step};
use crate::program::Texts;

pub(super) const CORE: Rows = &[
    (&ops::linalg::EIGH, |s, t| or(s, t, What::Eigh(by_modulus(s)), eigh)),
    (&ops::linalg::SVD, |s, t| or(s, t, What::Svd, svd)),
    (&ops::linalg::EIG, values),
];
fn by_modulus(site: &Site) -> bool {
    site.attrs().word("order") == Some("modulus")
}

/// Sweeps over all pairs; a matrix of any size that fits in memory needs a dozen.
const SWEEPS: usize = 60;

/// Sweeps until no thread has turned anything; in each round `one(p, q, t)` for the pair `t`, then `then`.
fn sweeps(one: &str, then: &str) -> String {
    format!(
        "      const i64 players = n + n % 2;
      bool settled = false;
      for (i64 sweep = 0; sweep < {SWEEPS} && !settled; sweep++) {{
        bool mine = false;
        for (i64 round = 0; round + 1 < players; round++) {{
          for (i64 t = threadIdx.x; t < players / 2; t += blockDim.x) {{
            const i64 others = players - 1, one = t == 0 ? others : (round + t) % others, other = (round + others - t) % others;
            const i64 p = one < other ? one : other, q = one < other ? other : one;
            if (q >= n) continue;
{one}          }}
          __syncthreads();
{then}        }}
        moved[threadIdx.x] = mine ? 1 : 0;
        __syncthreads();
        settled = true;
        for (i64 t = 0; t < blockDim.x; t++) settled = settled && moved[t] == 0;
        __syncthreads();
      }}
      good = settled;
"
    )
}
/// Cosine and sine of the smaller rotation that makes the real `[alpha, gamma; gamma, beta]` diagonal (§8.5.2).
const ROTATION: &str = "            const f64 zeta = (beta - alpha) / (2 * size);
            const f64 tangent = (zeta < 0 ? -1 : 1) / (fabs(zeta) + length(zeta, 1)), c = 1 / length(tangent, 1), s = c * tangent;
            const c64 e = times(gamma, 1 / size);
";
/// Sorts the numbers behind `order`, `count` of them, by a key, the largest first or last; equal ones keep their order.
fn sorted(count: &str, before: &str) -> String {
    format!(
        "      if (threadIdx.x == 0)
        for (i64 j = 1; j < {count}; j++) {{
          const c64 moving = get(order + j);
          i64 to = j;
          while (to > 0) {{
            const f64 a = moving.im, b = get(order + to - 1).im;
            if (!({before})) break;
            put(order + to, get(order + to - 1));
            to--;
          }}
          put(order + to, moving);
        }}
      __syncthreads();
"
    )
}
/// The factor that makes the leading entry of a column real and positive, as `phase`: of the first entry whose modulus is at least
/// 0.999 of the largest.
fn phase(column: &str, rows: &str) -> String {
    format!(
        "        f64 most = 0;
        for (i64 i = 0; i < {rows}; i++) most = fmax(most, length(get({column} + i).re, get({column} + i).im));
        c64 phase = c64{{1, 0}};
        for (i64 i = 0; i < {rows}; i++) {{
          const c64 z = get({column} + i);
          const f64 size = length(z.re, z.im);
          if (size >= 0.999 * most && size > 0) {{
            phase = c64{{z.re / size, -z.im / size}};
            break;
          }}
        }}
"
    )
}

fn eigh(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let d = site.operand(0)?.dtype;
    let by_modulus = by_modulus(site);
    let rotate = sweeps(
        &format!(
            "            const c64 gamma = get(x + p + q * n);
            const f64 size = length(gamma.re, gamma.im), alpha = get(x + p + p * n).re, beta = get(x + q + q * n).re;
            if (size <= least) {{
              put(turns + 2 * t, c64{{1, 0}});
              continue;
            }}
            mine = true;
{ROTATION}            put(turns + 2 * t, c64{{c, s}});
            put(turns + 2 * t + 1, e);
"
        ),
        "          // Columns, then rows: each thread those of its pairs.
          for (i64 half = 0; half < 2; half++) {
            for (i64 t = threadIdx.x; t < players / 2; t += blockDim.x) {
              const i64 others = players - 1, one = t == 0 ? others : (round + t) % others, other = (round + others - t) % others;
              const i64 p = one < other ? one : other, q = one < other ? other : one;
              if (q >= n || get(turns + 2 * t).im == 0) continue;
              const f64 c = get(turns + 2 * t).re, s = get(turns + 2 * t).im;
              const c64 e = half == 0 ? conj(get(turns + 2 * t + 1)) : get(turns + 2 * t + 1);
              const i64 one_step = half == 0 ? 1 : n, other_step = half == 0 ? n : 1;
              for (i64 i = 0; i < n; i++) {
                const i64 at_p = x + i * one_step + p * other_step, at_q = x + i * one_step + q * other_step;
                const c64 u = get(at_p), w = get(at_q) * e;
                put(at_p, times(u, c) - times(w, s));
                put(at_q, times(u, s) + times(w, c));
              }
              if (half == 0) {
                for (i64 i = 0; i < n; i++) {
                  const c64 u = get(v0 + i + p * n), w = get(v0 + i + q * n) * e;
                  put(v0 + i + p * n, times(u, c) - times(w, s));
                  put(v0 + i + q * n, times(u, s) + times(w, c));
                }
              } else {
                put(x + p + q * n, c64{0, 0});
                put(x + q + p * n, c64{0, 0});
              }
            }
            __syncthreads();
          }
",
    );
    let order = if by_modulus {
        // Ascending before: of two equal ones the positive comes first.
        format!(
            "{}      for (i64 j = threadIdx.x; j < n / 2; j += blockDim.x) {{
        const c64 z = get(order + j);
        put(order + j, get(order + n - 1 - j));
        put(order + n - 1 - j, z);
      }}
      __syncthreads();
{}",
            sorted("n", "a < b"),
            sorted("n", "fabs(a) > fabs(b)")
        )
    } else {
        sorted("n", "a < b")
    };
    let body = format!(
        "      const i64 v0 = x + n * n, order = v0 + n * n, turns = order + n;
      // The Hermitian part.
      for (i64 e = threadIdx.x; e < n * n; e += blockDim.x) {{
        const i64 i = e % n, j = e / n;
        if (i >= j) {{
          const c64 z = times(get(x + i + j * n) + conj(get(x + j + i * n)), 0.5);
          put(x + i + j * n, i == j ? c64{{z.re, 0}} : z);
          if (i != j) put(x + j + i * n, conj(z));
        }}
        put(v0 + e, c64{{i == j ? 1.0 : 0.0, 0}});
      }}
      __syncthreads();
      f64 square = 0;
      for (i64 e = 0; e < n * n; e++) square += get(x + e).re * get(x + e).re + get(x + e).im * get(x + e).im;
      const f64 least = 0.125 * 2.220446049250313e-16 * sqrt(square) / n;
      __syncthreads();
{rotate}      for (i64 j = threadIdx.x; j < n; j += blockDim.x) put(order + j, c64{{(f64)j, get(x + j + j * n).re}});
      __syncthreads();
{order}"
    );
    let (v, z) = (place("v", "i", "j"), element(d, "z"));
    let w = element(d.real(), "(c64{get(order + j).im * undo, 0})");
    let turned = phase("v0 + from * n", "n");
    let store = format!(
        "      const i64 v0 = x + n * n, order = v0 + n * n;
      for (i64 j = threadIdx.x; j < n; j += blockDim.x) {{
        const i64 from = (i64)get(order + j).re;
        w(w_ + j * w_row) = {w};
{turned}        for (i64 i = 0; i < n; i++) {{
          const c64 z = get(v0 + i + from * n) * phase;
          {v} = {z};
        }}
      }}
"
    );
    let room = |_: usize, n: usize| n.saturating_mul(n).saturating_mul(2).saturating_add(2 * n + 2);
    let name = if by_modulus { "eigh_by_modulus" } else { "eigh" };
    Ok(Box::new(Own::of(site, texts, &Parts { name, results: &[("w", 1), ("v", 2)], room, body, store })?))
}

/// The taller of the matrix and its adjoint has its columns turned until all are orthogonal (Hestenes).
fn svd(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let d = site.operand(0)?.dtype;
    let one = format!(
        "            f64 alpha = 0, beta = 0;
            c64 gamma = c64{{0, 0}};
            for (i64 i = 0; i < tall; i++) {{
              const c64 u = get(y + i + p * tall), w = get(y + i + q * tall);
              alpha += u.re * u.re + u.im * u.im;
              beta += w.re * w.re + w.im * w.im;
              gamma = gamma + conj(u) * w;
            }}
            const f64 size = length(gamma.re, gamma.im);
            // Columns whose squares are no numbers any more are 0.
            if (size <= least * sqrt(alpha) * sqrt(beta) || size < 1e-280) continue;
            mine = true;
{ROTATION}            for (i64 i = 0; i < tall; i++) {{
              const c64 u = get(y + i + p * tall), w = get(y + i + q * tall) * conj(e);
              put(y + i + p * tall, times(u, c) - times(w, s));
              put(y + i + q * tall, times(u, s) + times(w, c));
            }}
            for (i64 i = 0; i < few; i++) {{
              const c64 u = get(z0 + i + p * few), w = get(z0 + i + q * few) * conj(e);
              put(z0 + i + p * few, times(u, c) - times(w, s));
              put(z0 + i + q * few, times(u, s) + times(w, c));
            }}
"
    );
    // Pairs are of the few columns.
    let rotate = sweeps(&one, "").replace("n + n % 2", "few + few % 2").replace("q >= n", "q >= few");
    let order = sorted("few", "a > b");
    let body = format!(
        "      const bool turned = m < n;
      const i64 tall = turned ? n : m, few = turned ? m : n;
      // Once it has been copied, the matrix gives its place to vectors.
      const i64 y = x + m * n, z0 = x, order = y + m * n, line = order + few;
      for (i64 e = threadIdx.x; e < m * n; e += blockDim.x) {{
        const i64 i = e % tall, j = e / tall;
        put(y + e, turned ? conj(get(x + j + i * m)) : get(x + e));
      }}
      __syncthreads();
      for (i64 e = threadIdx.x; e < few * few; e += blockDim.x) put(z0 + e, c64{{e % few == e / few ? 1.0 : 0.0, 0}});
      __syncthreads();
      // Rounding of a product of columns leaves about this.
      const f64 least = 2 * 2.220446049250313e-16 * sqrt((f64)tall);
{rotate}      for (i64 j = threadIdx.x; j < few; j += blockDim.x) {{
        f64 sum = 0, most = 0;
        for (i64 i = 0; i < tall; i++) most = fmax(most, fmax(fabs(get(y + i + j * tall).re), fabs(get(y + i + j * tall).im)));
        if (most > 0)
          for (i64 i = 0; i < tall; i++) {{
            const c64 u = times(get(y + i + j * tall), 1 / most);
            sum += u.re * u.re + u.im * u.im;
          }}
        const f64 size = most * sqrt(sum);
        put(order + j, c64{{(f64)j, size}});
        for (i64 i = 0; i < tall; i++) put(y + i + j * tall, size > 1e-140 ? times(get(y + i + j * tall), 1 / size) : c64{{0, 0}});
      }}
      __syncthreads();
      // Orthonormal columns where there are none: of each unit vector what the others leave, the first that leaves enough, taken away twice
      // so that rounding leaves nothing (Kahan and Parlett).
      if (threadIdx.x == 0)
        for (i64 j = 0, next = 0; j < few; j++) {{
          if (get(order + j).im > 1e-140) continue;
          for (bool found = false; next < tall && !found; next++) {{
            for (i64 i = 0; i < tall; i++) put(line + i, c64{{i == next ? 1.0 : 0.0, 0}});
            for (i64 l = 0; l < 2 * few; l++) {{
              const i64 other = l % few;
              if (other == j) continue;
              c64 by = c64{{0, 0}};
              for (i64 i = 0; i < tall; i++) by = by + conj(get(y + i + other * tall)) * get(line + i);
              for (i64 i = 0; i < tall; i++) put(line + i, get(line + i) - by * get(y + i + other * tall));
            }}
            f64 square = 0;
            for (i64 i = 0; i < tall; i++) square += get(line + i).re * get(line + i).re + get(line + i).im * get(line + i).im;
            found = square * tall >= 0.5;
            if (found)
              for (i64 i = 0; i < tall; i++) put(y + i + j * tall, times(get(line + i), 1 / sqrt(square)));
          }}
        }}
      __syncthreads();
{order}"
    );
    let (u, vt, z) = (place("u", "i", "j"), place("vt", "j", "i"), element(d, "z"));
    let s = element(d.real(), "(c64{get(order + j).im * undo, 0})");
    let turn = phase("left + from * m", "m");
    let store = format!(
        "      const bool turned = m < n;
      const i64 few = turned ? m : n, y = x + m * n, z0 = x, order = y + m * n;
      const i64 left = turned ? z0 : y, right = turned ? y : z0;
      for (i64 j = threadIdx.x; j < few; j += blockDim.x) {{
        const i64 from = (i64)get(order + j).re;
        s(s_ + j * s_row) = {s};
{turn}        for (i64 i = 0; i < m; i++) {{
          const c64 z = get(left + i + from * m) * phase;
          {u} = {z};
        }}
        for (i64 i = 0; i < n; i++) {{
          const c64 z = conj(get(right + i + from * n) * phase);
          {vt} = {z};
        }}
      }}
"
    );
    let room = |m: usize, n: usize| {
        let few = m.min(n);
        m.saturating_mul(n).saturating_mul(2).saturating_add(few + m.max(n))
    };
    Ok(Box::new(Own::of(
        site,
        texts,
        &Parts { name: "svd", results: &[("u", 2), ("s", 1), ("vt", 2)], room, body, store },
    )?))
}
