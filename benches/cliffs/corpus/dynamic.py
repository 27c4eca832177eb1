"""Dynamic programming."""
import jax
import jax.numpy as jnp
import jax.scipy.special as special
from jax import lax

from . import case


@case("i32[300]<4", "i32[300]<4")
def edit_distance(a, b):
    def row(d, x):
        def cell(left, s):
            up, diagonal, y = s
            new = jnp.minimum(jnp.minimum(up, left) + 1, diagonal + (x != y))
            return new, new

        first = d[0] + 1
        _, rest = lax.scan(cell, first, (d[1:], d[:-1], b))
        return jnp.concatenate([first[None], rest]), None

    return lax.scan(row, jnp.arange(301), a)[0][-1]


@case("f64[120]", "f64[150]", grad=True)
def time_warping(x, y):
    def row(d, a):
        cost = (a - y) ** 2

        def cell(left, s):
            up, diagonal, c = s
            new = c + jnp.minimum(jnp.minimum(up, left), diagonal)
            return new, new

        _, new = lax.scan(cell, jnp.inf, (d[1:], d[:-1], cost))
        return jnp.concatenate([jnp.array([jnp.inf]), new]), None

    return lax.scan(row, jnp.full(151, jnp.inf).at[0].set(0), x)[0][-1]


@case("f64[200,50]", "f64[50,50]")
def viterbi(e, t):
    def step(s, e):
        m = s[:, None] + t
        return jnp.max(m, 0) + e, jnp.argmax(m, 0)

    s, back = lax.scan(step, e[0], e[1:])

    def follow(i, b):
        return b[i], b[i]

    return lax.scan(follow, jnp.argmax(s), back, reverse=True)[1]


@case("f64[30,40,12]", "i32[30,6]<12", grad=True)
def alignment_loss(z, y):
    lp = jax.nn.log_softmax(z)
    ext = jnp.zeros((30, 13), jnp.int32).at[:, 1::2].set(jnp.maximum(y, 1))
    skip = jnp.pad(ext[:, 2:] != ext[:, :-2], ((0, 0), (2, 0))) & (ext != 0)
    low = -1e5

    def step(a, p):
        b = jnp.pad(a[:, :-1], ((0, 0), (1, 0)), constant_values=low)
        c = jnp.where(skip, jnp.pad(a[:, :-2], ((0, 0), (2, 0)), constant_values=low), low)
        a = special.logsumexp(jnp.stack([a, b, c]), 0) + jnp.take_along_axis(p, ext, 1)
        return a, None

    start = jnp.full((30, 13), low).at[:, 0].set(lp[:, 0, 0]).at[:, 1].set(jnp.take_along_axis(lp[:, 0], ext[:, 1:2], 1)[:, 0])
    a = lax.scan(step, start, lp[:, 1:].transpose(1, 0, 2))[0]
    return -jnp.mean(jnp.logaddexp(a[:, -1], a[:, -2]))


@case("i32[50]<40", "f64[50]+")
def knapsack(w, v):
    i = jnp.arange(1001)

    def item(best, s):
        w, v = s
        w = w + 1
        return jnp.maximum(best, jnp.where(i >= w, best[jnp.maximum(i - w, 0)] + v, 0)), None

    return lax.scan(item, jnp.zeros(1001), (w, v))[0][-1]


@case("f64[40]+")
def matrix_chain_order(d):
    n = 39
    i = jnp.arange(n)

    def length(l, m):
        j = i + l
        k = jnp.arange(n)
        inside = (k[None] >= i[:, None]) & (k[None] < j[:, None])
        right = m[jnp.minimum(k + 1, n - 1)][:, jnp.minimum(j, n - 1)].T
        cost = m[i][:, k] + right + d[i][:, None] * d[k + 1][None] * d[jnp.minimum(j + 1, n)][:, None]
        best = jnp.min(jnp.where(inside, cost, jnp.inf), 1)
        return m.at[i, jnp.minimum(j, n - 1)].set(jnp.where(j < n, best, m[i, jnp.minimum(j, n - 1)]))

    return lax.fori_loop(1, n, length, jnp.zeros((n, n)))[0, -1]


@case("f64[100,100]+", grad=True)
def cheapest_path(c):
    def row(d, c):
        e = jnp.minimum(d, jnp.minimum(jnp.pad(d[1:], (0, 1), constant_values=jnp.inf), jnp.pad(d[:-1], (1, 0), constant_values=jnp.inf)))
        return e + c, None

    return jnp.min(lax.scan(row, c[0], c[1:])[0])


@case("i32[200]<20", "i32[200]<20")
def common_subsequence(a, b):
    def row(d, x):
        def cell(left, s):
            up, diagonal, y = s
            new = jnp.where(x == y, diagonal + 1, jnp.maximum(left, up))
            return new, new

        _, new = lax.scan(cell, 0, (d[1:], d[:-1], b))
        return jnp.pad(new, (1, 0)), None

    return lax.scan(row, jnp.zeros(201, jnp.int64), a)[0][-1]


@case("f64[30,30,4]", "f64[30,30]")
def value_iteration(p, r):
    p = jax.nn.softmax(p)

    def step(v, _):
        n = jnp.stack([jnp.roll(v, s, (0, 1)) for s in ((1, 0), (-1, 0), (0, 1), (0, -1))], -1)
        return r + 0.9 * jnp.max(0.7 * n + 0.3 * jnp.sum(p * n, -1, keepdims=True), -1), None

    return lax.scan(step, jnp.zeros((30, 30)), None, length=100)[0]


@case("f64[252]", "f64[]+", grad=True)
def american_option(u, v):
    n = 252
    s = 100 * jnp.exp(0.01 * v * (2 * jnp.arange(n + 1) - n))
    pay = jnp.maximum(100 - s + 0.0 * u[0], 0)

    def back(k, x):
        hold = 0.9999 * (0.5 * x + 0.5 * jnp.roll(x, -1))
        return jnp.maximum(hold, jnp.maximum(100 - s * jnp.exp(0.01 * v * (k + 1)), 0))

    return lax.fori_loop(0, n, back, pay)[0] + jnp.sum(u)
