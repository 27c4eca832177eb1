"""Small programs of scalars: loops with branches."""
import jax
import jax.numpy as jnp
from jax import lax

from . import case


@case("f64[]+", grad=True)
def square_root_by_newton(a):
    return lax.fori_loop(0, 20, lambda _, x: 0.5 * (x + a / x), a)


@case("f64[]+", "f64[]+")
def bisection(a, b):
    def step(_, s):
        lo, hi = s
        m = 0.5 * (lo + hi)
        return jnp.where(m**3 - a * m - b > 0, lo, m), jnp.where(m**3 - a * m - b > 0, m, hi)

    return lax.fori_loop(0, 50, step, (jnp.float64(0), jnp.float64(10)))[0]


@case("f64[]+", "f64[]+", grad=True)
def geometric_mean_iteration(a, b):
    def step(_, s):
        return 0.5 * (s[0] + s[1]), jnp.sqrt(s[0] * s[1])

    return lax.fori_loop(0, 8, step, (a, b))[0]


@case("f64[]")
def integral_by_simpson(a):
    def f(x):
        return jnp.exp(-x * x) * jnp.cos(a * x)

    def step(i, s):
        return s + jnp.where(i % 2 == 0, 2.0, 4.0) * f(i * 0.001)

    return (lax.fori_loop(1, 2000, step, f(0.0)) + f(2.0)) / 3000


@case("f64[]+", "i64[]<30")
def branchy_walk(x, n):
    def step(k, x):
        return lax.cond(x > 1, lambda x: x / 2 + 0.1, lambda x: lax.cond(k % 3 == 0, lambda x: x * 1.7, lambda x: x + 0.2, x), x)

    return lax.fori_loop(0, n + 1000, step, x)


@case("i64[]<1000")
def machine_of_states(n):
    def step(_, s):
        state, x = s
        x = lax.switch(state, [lambda x: x + 1, lambda x: x * 3 % 1009, lambda x: x ^ 5, lambda x: x // 2], x)
        return x % 4, x

    return lax.fori_loop(0, 2000, step, (jnp.int64(0), n))


@case("f64[8]", "f64[8]", grad=True)
def rosenbrock_descent(x, y):
    def f(x):
        return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    return lax.fori_loop(0, 100, lambda _, x: x - 1e-5 * jax.grad(f)(x), x * 0.1) + y


@case("f64[]", "f64[]", "f64[]", grad=True)
def tiny_formula(a, b, c):
    return jnp.sin(a) * b + jnp.exp(-c * c) / (1 + a * a)


@case("f64[3]", "f64[3]", grad=True)
def cross_and_angle(a, b):
    return jnp.arctan2(jnp.linalg.norm(jnp.cross(a, b)), a @ b)


@case("f64[4]", "f64[3]", grad=True)
def quaternion_rotation(q, v):
    q = q / jnp.linalg.norm(q)
    u, s = q[1:], q[0]
    return 2 * (u @ v) * u + (s * s - u @ u) * v + 2 * s * jnp.cross(u, v)


@case("f64[2]", "f64[2]", grad=True)
def line_search(x, d):
    def f(x):
        return jnp.sum(x**4) - jnp.sum(x * x) + 0.1 * x[0]

    g = jax.grad(f)(x)

    def go(s):
        return (f(x - s[0] * g) > f(x) - 1e-4 * s[0] * (g @ g)) & (s[1] < 30)

    t, _ = lax.while_loop(go, lambda s: (s[0] / 2, s[1] + 1), (1.0, 0))
    return x - lax.stop_gradient(t) * g + 0.1 * d


@case("f64[]+", "f64[]+")
def gamma_by_fraction(a, x):
    def step(k, s):
        b, c, d, h = s
        an = -k * (k - a)
        b = b + 2
        d = 1 / (an * d + b)
        c = b + an / c
        return b, c, d, h * d * c

    b = x + 4 - a
    return lax.fori_loop(1, 60, lambda k, s: step(k * 1.0, s), (b, 1e30, 1 / b, 1 / b))[3]


@case("f64[6]", grad=True)
def polynomial_roots_sum(c):
    def step(_, z):
        p = jnp.polyval(jnp.concatenate([jnp.ones(1), 0.1 * c]), z)
        i = jnp.arange(6)
        d = jnp.where(i[:, None] == i[None], 1, z[:, None] - z[None])
        return z - p / jnp.prod(d, 1)

    z = (0.4 + 0.9j) ** jnp.arange(6)
    return jnp.abs(lax.fori_loop(0, 20, step, z))


@case("f64[10]", "i64[]<10")
def indexed_updates(x, k):
    def step(i, s):
        x, k = s
        x = x.at[k].set(x[(k * 7 + i) % 10] * 0.9 + 0.1)
        return x, (k * 3 + 1) % 10

    return lax.fori_loop(0, 500, step, (x, k))


@case("f64[]~", "f64[]~", grad=True)
def mandelbrot_of_one_point(a, b):
    def step(_, s):
        x, y, n = s
        inside = x * x + y * y < 4
        return jnp.where(inside, x * x - y * y + 0.2 * a, x), jnp.where(inside, 2 * x * y + 0.2 * b, y), n + inside

    return lax.fori_loop(0, 200, step, (0.0 * a, 0.0 * b, 0))[0]


@case("u32[2]", "f64[]+")
def poisson_walk(key, r):
    def step(s, k):
        return s + jax.random.exponential(k) / r, s

    return lax.scan(step, 0.0, jax.random.split(key, 200))[1]
