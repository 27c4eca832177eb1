"""Statistics, densities, sampling."""
import jax
import jax.numpy as jnp
import jax.scipy.special as special
import jax.scipy.stats as stats
from jax import lax

from . import case


@case("f64[1000,20]", "f64[20]", "bool[1000]?", grad=True)
def logistic_regression(x, w, y):
    z = x @ w
    return jnp.mean(jnp.logaddexp(0, z) - y * z)


@case("f64[1000,5]", "f64[4,5]", "f64[4]", grad=True)
def gaussian_mixture(x, m, s):
    d = (x[:, None] - m[None]) / jnp.exp(s)[None, :, None]
    return jnp.mean(special.logsumexp(-0.5 * jnp.sum(d * d, -1) - 5 * s, 1))


@case("f64[500]", "f64[500]", "f64[3]~", grad=True)
def gaussian_process(x, y, p):
    k = jnp.exp(2 * p[0]) * jnp.exp(-0.5 * (x[:, None] - x[None]) ** 2 * jnp.exp(-2 * p[1])) + (0.1 + jnp.exp(2 * p[2])) * jnp.eye(500)
    l = jnp.linalg.cholesky(k)
    a = jax.scipy.linalg.solve_triangular(l, y, lower=True)
    return 0.5 * a @ a + jnp.sum(jnp.log(jnp.diagonal(l)))


@case("f64[100000]", "f64[]", "f64[]+", grad=True)
def normal_density(x, m, s):
    return jnp.sum(stats.norm.logpdf(x, m, s))


@case("f64[50000]+", "f64[]+", "f64[]+", grad=True)
def gamma_density(x, a, b):
    return jnp.sum(stats.gamma.logpdf(x, a, scale=b))


@case("f64[50000]", "f64[]+", grad=True)
def student_density(x, n):
    return jnp.sum(stats.t.logpdf(x, n * 5))


@case("i32[50000]<20", "f64[50000]+", grad=True)
def poisson_density(k, r):
    return jnp.sum(stats.poisson.logpmf(k, r))


@case("f64[5000]+", "f64[5000]+")
def gamma_distribution(x, a):
    return special.gammainc(a * 3, x * 3)


@case("f64[5000]+")
def beta_distribution(x):
    return special.betainc(2.5, 1.5, x / 2)


@case("f64[200000]")
def moments(x):
    m = jnp.mean(x)
    d = x - m
    v = jnp.mean(d**2)
    return m, v, jnp.mean(d**3) / v**1.5, jnp.mean(d**4) / v**2


@case("f64[100001]")
def quantiles(x):
    return jnp.quantile(x, jnp.array([0.01, 0.25, 0.5, 0.75, 0.99]))


@case("u32[2]")
def normal_draws(key):
    return jax.random.normal(key, (1000, 200), jnp.float32)


@case("u32[2]", "f64[200]+")
def categorical_draws(key, p):
    return jax.random.categorical(key, jnp.log(p), shape=(2000,))


@case("u32[2]")
def permutation_draw(key):
    return jax.random.permutation(key, 20000)


@case("u32[2]", "f64[500]+")
def gamma_draws(key, a):
    return jax.random.gamma(key, a * 2)


@case("u32[2]", "f64[10]")
def metropolis(key, x):
    def logp(x):
        return -0.5 * jnp.sum(x * x) - 0.1 * jnp.sum(x**4)

    def step(s, k):
        x, l = s
        a, b = jax.random.split(k)
        y = x + 0.3 * jax.random.normal(a, x.shape)
        m = logp(y)
        take = jnp.log(jax.random.uniform(b)) < m - l
        return (jnp.where(take, y, x), jnp.where(take, m, l)), x[0]

    return lax.scan(step, (x, logp(x)), jax.random.split(key, 500))[1]


@case("u32[2]", "f64[20]")
def hamiltonian_steps(key, x):
    def u(x):
        return 0.5 * jnp.sum(x * x) + jnp.sum(jnp.cos(x[1:] * x[:-1]))

    g = jax.grad(u)

    def leap(s, _):
        x, p = s
        p = p - 0.05 * g(x)
        x = x + 0.1 * p
        return (x, p - 0.05 * g(x)), None

    def step(x, k):
        p = jax.random.normal(k, x.shape)
        (y, q), _ = lax.scan(leap, (x, p), None, length=10)
        take = u(y) + 0.5 * q @ q < u(x) + 0.5 * p @ p + 1
        return jnp.where(take, y, x), u(x)

    return lax.scan(step, x, jax.random.split(key, 30))


@case("f64[2000]", "f64[5,5]+", "f64[5]+", grad=True)
def hidden_markov(y, t, m):
    t = jnp.log(t / jnp.sum(t, 1, keepdims=True))

    def step(a, y):
        a = special.logsumexp(a[:, None] + t, 0) - 0.5 * (y - 2 * m) ** 2
        return a, None

    return special.logsumexp(lax.scan(step, jnp.zeros(5), y)[0])


@case("f64[300,2]", "f64[4,4]", grad=True)
def kalman_filter(y, a):
    a = 0.9 * jnp.eye(4) + 0.02 * a
    c = jnp.eye(4)[:2]
    q, r = 0.1 * jnp.eye(4), 0.5 * jnp.eye(2)

    def step(s, y):
        m, p = s
        m, p = a @ m, a @ p @ a.T + q
        e = y - c @ m
        k = c @ p @ c.T + r
        g = p @ c.T @ jnp.linalg.inv(k)
        return (m + g @ e, p - g @ c @ p), -0.5 * e @ jnp.linalg.solve(k, e) - 0.5 * jnp.linalg.slogdet(k)[1]

    return jnp.sum(lax.scan(step, (jnp.zeros(4), jnp.eye(4)), y)[1])


@case("f64[2000,3]")
def k_means(x):
    def step(_, c):
        i = jnp.argmin(jnp.sum((x[:, None] - c[None]) ** 2, -1), 1)
        n = jax.ops.segment_sum(jnp.ones(2000), i, 8)
        return jax.ops.segment_sum(x, i, 8) / jnp.maximum(n, 1)[:, None]

    return lax.fori_loop(0, 10, step, x[:8])


@case("f64[1000]", "f64[1000]")
def kolmogorov_smirnov(x, y):
    z = jnp.sort(jnp.concatenate([x, y]))
    a = jnp.searchsorted(jnp.sort(x), z, side="right") / 1000
    b = jnp.searchsorted(jnp.sort(y), z, side="right") / 1000
    return jnp.max(jnp.abs(a - b))


@case("f64[5000]", "f64[200]")
def kernel_density(x, t):
    d = (t[:, None] - x[None]) / 0.2
    return jnp.mean(jnp.exp(-0.5 * d * d), 1) / (0.2 * jnp.sqrt(2 * jnp.pi))


@case("f64[100,100]+", "f64[100]+", "f64[100]+", grad=True)
def sinkhorn(c, a, b):
    a, b = a / jnp.sum(a), b / jnp.sum(b)

    def step(s, _):
        f, g = s
        f = -0.1 * special.logsumexp((g[None] - c) / 0.1 + jnp.log(b)[None], 1)
        g = -0.1 * special.logsumexp((f[:, None] - c) / 0.1 + jnp.log(a)[:, None], 0)
        return (f, g), None

    (f, g), _ = lax.scan(step, (jnp.zeros(100), jnp.zeros(100)), None, length=20)
    return f @ a + g @ b


@case("f64[252]~", "f64[]+", grad=True)
def garch(r, w):
    def step(v, r):
        v = 0.01 * w + 0.1 * r * r + 0.85 * v
        return v, -0.5 * (jnp.log(v) + r * r / v)

    return jnp.sum(lax.scan(step, 0.1 * w, r)[1])


@case("f64[100000]+", "f64[100000]+", "f64[100000]+", grad=True)
def black_scholes(s, k, t):
    v = 0.2
    d1 = (jnp.log(s / k) + (0.01 + 0.5 * v * v) * t) / (v * jnp.sqrt(t))
    n = stats.norm.cdf
    return s * n(d1) - k * jnp.exp(-0.01 * t) * n(d1 - v * jnp.sqrt(t))
