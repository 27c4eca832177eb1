"""Graphs, sparse matrices, gathers and scatters."""
import jax
import jax.numpy as jnp
from jax import lax

from . import case


@case("i32[20000]<2000", "i32[20000]<2000", "f64[20000]", "f64[2000]", grad=True)
def sparse_matvec(row, col, v, x):
    return jnp.zeros(2000).at[row].add(v * x[col])


@case("i32[20000]<2000", "i32[20000]<2000")
def page_rank(src, dst):
    degree = jnp.zeros(2000).at[src].add(1.0)

    def step(_, r):
        share = r / jnp.maximum(degree, 1)
        return 0.15 / 2000 + 0.85 * jnp.zeros(2000).at[dst].add(share[src])

    return lax.fori_loop(0, 30, step, jnp.full(2000, 1 / 2000))


@case("f32[3000,32]", "i32[12000]<3000", "i32[12000]<3000", "f32[32,32]", grad=True)
def graph_convolution(h, src, dst, w):
    m = jax.ops.segment_sum((h @ (w * 0.1))[src], dst, 3000)
    n = jax.ops.segment_sum(jnp.ones(12000, h.dtype), dst, 3000)
    return jax.nn.relu(m / jnp.maximum(n, 1)[:, None])


@case("f32[1000,16]", "i32[8000]<1000", "i32[8000]<1000", "f32[32]", grad=True)
def graph_attention(h, src, dst, a):
    e = jax.nn.leaky_relu(h[src] @ a[:16] + h[dst] @ a[16:])
    m = jax.ops.segment_max(e, dst, 1000)
    p = jnp.exp(e - m[dst])
    s = jax.ops.segment_sum(p, dst, 1000)
    return jax.ops.segment_sum(h[src] * (p / s[dst])[:, None], dst, 1000)


@case("i32[5000]<500", "i32[5000]<500", "f64[5000]+")
def bellman_ford(src, dst, w):
    start = jnp.full(500, jnp.inf).at[0].set(0)

    def go(s):
        return s[1] & (s[2] < 500)

    def step(s):
        d = s[0].at[dst].min(s[0][src] + w)
        return d, jnp.any(d < s[0]), s[2] + 1

    return lax.while_loop(go, step, (start, True, 0))[0]


@case("i32[4000]<1000", "i32[4000]<1000")
def connected_components(a, b):
    def go(s):
        return s[1]

    def step(s):
        l = s[0]
        m = jnp.minimum(l[a], l[b])
        n = l.at[a].min(m).at[b].min(m)
        n = n[n]
        return n, jnp.any(n != l)

    return lax.while_loop(go, step, (jnp.arange(1000), True))[0]


@case("bool[300,300]?")
def triangles(a):
    m = (a & a.T).astype(jnp.float32)
    return jnp.sum((m @ m) * m) / 6


@case("f64[100000]", "i32[100000]<1000", grad=True)
def segment_means(x, i):
    return jax.ops.segment_sum(x, i, 1000) / jnp.maximum(jax.ops.segment_sum(jnp.ones_like(x), i, 1000), 1)


@case("f64[100000]", "i32[100000]<100")
def segment_deviations(x, i):
    n = jax.ops.segment_sum(jnp.ones_like(x), i, 100)
    m = jax.ops.segment_sum(x, i, 100) / n
    return jnp.sqrt(jax.ops.segment_sum((x - m[i]) ** 2, i, 100) / n)


@case("i32[500000]<1000000")
def counts_of_bins(x):
    return jnp.bincount(x // 1000, length=1000)


@case("f32[1000,1000]", "i32[50000]<1000", "i32[50000]<1000", grad=True)
def random_reads(a, i, j):
    return jnp.sum(a[i, j] ** 2)


@case("f32[1000,64]", "i32[200]<1000", "f32[200,64]")
def rows_replaced(a, i, u):
    return a.at[i].set(u)


@case("f64[200,200]", "i32[1000]<200", "f64[1000]")
def diagonal_updates(a, i, v):
    return a.at[i, i].add(v), a.at[i, ::2].multiply(0.5)


@case("i32[10000]<10000")
def pointer_jumping(p):
    return lax.fori_loop(0, 14, lambda _, p: p[p], p)


@case("f32[500,3]", "i32[6000]<500", "i32[6000]<500", grad=True)
def spring_energy(x, a, b):
    d = x[a] - x[b]
    return 0.5 * jnp.sum((jnp.sqrt(jnp.sum(d * d, 1) + 1e-4) - 1) ** 2)


@case("f64[64,64]", "i32[64]<64")
def permuted_rows_and_columns(a, p):
    return a[p][:, p], a[:, ::-1][p]


@case("f32[40,50,60]", "i32[40]<50", "i32[40]<60")
def batched_element(a, i, j):
    return a[jnp.arange(40), i, j], jnp.take_along_axis(a[:, :, 0], i[:, None], 1)


@case("f64[3000]", "i32[3000]<64", grad=True)
def scatter_max_of_groups(x, g):
    return jnp.full(64, -jnp.inf).at[g].max(x)


@case("i32[2048]<2048", "i32[2048]<2048")
def degree_pairs(a, b):
    d = jnp.zeros(2048, jnp.int32).at[a].add(1).at[b].add(1)
    return jnp.zeros((64, 64), jnp.int32).at[jnp.minimum(d[a], 63), jnp.minimum(d[b], 63)].add(1)


@case("f64[8,8]", "i32[3]<8")
def tiny_gather(a, i):
    return a[i] @ a[:, i]
