"""Functions of one index with loops and branches, with arguments for many: (function, in_axes, arguments)."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

rng = np.random.default_rng(35)
N = 17


def newton(a):
    def go(s):
        return jnp.abs(s[1]) > 1e-12 * s[0]

    def step(s):
        x, _ = s
        d = (x * x - a) / (2 * x)
        return x - d, d

    return lax.while_loop(go, step, (1.0, 1.0))[0]


def damped(a, d):
    return lax.while_loop(
        lambda s: jnp.abs(s[1]) > 1e-12 * s[0],
        lambda s: (s[0] - d * (s[0] * s[0] - a) / (2 * s[0]), d * (s[0] * s[0] - a) / (2 * s[0])),
        (1.0, 1.0),
    )[0]


def collatz(n):
    return lax.while_loop(
        lambda s: s[0] != 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n, jnp.int64(0))
    )[1]


def gcd(a, b):
    return lax.while_loop(lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]), (a, b))[0]


def mandelbrot(re, im):
    def go(s):
        x, y, n = s
        return (x * x + y * y <= 4) & (n < 50)

    def step(s):
        x, y, n = s
        return x * x - y * y + re, 2 * x * y + im, n + 1

    return lax.while_loop(go, step, (0.0, 0.0, 0))[2]


def bisect(a, lo, hi):
    def step(s):
        lo, hi = s
        mid = 0.5 * (lo + hi)
        up = mid**3 < a
        return jnp.where(up, mid, lo), jnp.where(up, hi, mid)

    return lax.while_loop(lambda s: s[1] - s[0] > 1e-10, step, (lo, hi))[0]


def fibonacci(n):
    return lax.fori_loop(0, n, lambda _, s: (s[1], s[0] + s[1]), (jnp.int64(0), jnp.int64(1)))[0]


def prefix_sum(x, n):
    return lax.fori_loop(0, n, lambda i, s: s + x[i], 0.0)


def fill(x, n):
    return lax.fori_loop(0, n, lambda i, y: y.at[i].set(y[i] * 2 + i), x)


def insertion_sort(x):
    def outer(i, x):
        def go(s):
            j, x = s
            return (j > 0) & (x[jnp.maximum(j - 1, 0)] > x[j])

        def swap(s):
            j, x = s
            a, b = x[j - 1], x[j]
            return j - 1, x.at[j - 1].set(b).at[j].set(a)

        return lax.while_loop(go, swap, (i, x))[1]

    return lax.fori_loop(1, x.shape[0], outer, x)


def until_sum(x, limit):
    return lax.while_loop(
        lambda s: (s[1] < limit) & (s[0] < x.shape[0]), lambda s: (s[0] + 1, s[1] + x[jnp.minimum(s[0], x.shape[0] - 1)]), (0, 0.0)
    )


def power_iteration(a):
    def step(s):
        v, _, n = s
        w = a @ v
        w = w / jnp.linalg.norm(w)
        return w, jnp.max(jnp.abs(w - v)), n + 1

    v, _, n = lax.while_loop(lambda s: (s[1] > 1e-8) & (s[2] < 200), step, (jnp.ones(3) / jnp.sqrt(3.0), 1.0, 0))
    return v @ a @ v, n


def matrix_power(a, n):
    def step(s):
        r, b, n = s
        r = jnp.where(n % 2 == 1, r @ b, r)
        return r, b @ b, n // 2

    return lax.while_loop(lambda s: s[2] > 0, step, (jnp.eye(3), a, n))[0]


def two_ways(x):
    return lax.cond(x > 0, lambda x: jnp.sqrt(x), lambda x: x * x, x)


def two_heavy_ways(x, a):
    return lax.cond(x > 0, lambda x: jnp.linalg.solve(a + x * jnp.eye(3), jnp.ones(3)), lambda x: x * jnp.ones(3), x)


def by_number(i, x):
    return lax.switch(i, [lambda x: x, lambda x: x * x, lambda x: jnp.sin(x), lambda x: -x], x)


def nested_ways(x, y):
    return lax.cond(x > 0, lambda: lax.cond(y > 0, lambda: x + y, lambda: x - y), lambda: lax.cond(y > 0, lambda: y, lambda: x * y))


def way_in_loop(x):
    def step(s):
        x, n = s
        return lax.cond(x > 10, lambda x: x / 3, lambda x: x + 1.5, x), n + 1

    return lax.while_loop(lambda s: (s[1] < 30) & (jnp.abs(s[0] - 7) > 0.4), step, (x, 0))


def loop_in_way(x, n):
    return lax.cond(x > 0, lambda: lax.fori_loop(0, n, lambda _, s: s * x, 1.0), lambda: jnp.exp(x))


def loop_in_loop(n, m):
    def outer(i, s):
        return lax.fori_loop(0, jnp.minimum(i, m), lambda j, t: t + i * j, s)

    return lax.fori_loop(0, n, outer, jnp.int64(0))


def scan_of_ways(x):
    def step(c, v):
        c = lax.cond(v > c, lambda: v, lambda: 0.9 * c)
        return c, c

    return lax.scan(step, 0.0, x)


def machine(codes):
    def step(s, c):
        s = lax.switch(c, [lambda s: s + 1, lambda s: s * 2, lambda s: -s, lambda s: s % 7], s)
        return s, s

    return lax.scan(step, jnp.int64(1), codes)


def euler(x, t):
    def step(s):
        x, now = s
        h = jnp.minimum(0.01 / (1 + jnp.abs(x)), t - now)
        return x + h * jnp.cos(x), now + h

    return lax.while_loop(lambda s: s[1] < t - 1e-12, step, (x, 0.0))[0]


def binary_search(xs, v):
    def step(s):
        lo, hi = s
        mid = (lo + hi) // 2
        up = xs[mid] < v
        return jnp.where(up, mid + 1, lo), jnp.where(up, hi, mid)

    return lax.while_loop(lambda s: s[0] < s[1], step, (0, xs.shape[0]))[0]


def digits(n):
    def step(s):
        n, out, k = s
        return n // 10, out.at[k].set(n % 10), k + 1

    return lax.while_loop(lambda s: (s[0] > 0) & (s[2] < 8), step, (n, jnp.zeros(8, jnp.int64), 0))[1]


def walk(key, steps):
    def step(i, s):
        x, key = s
        key, use = jax.random.split(key)
        return x + jax.random.normal(use), key

    return lax.fori_loop(0, steps, step, (0.0, key))[0]


def rejection(key):
    def step(s):
        key, _, n = s
        key, a, b = jax.random.split(key, 3)
        return key, (jax.random.uniform(a), jax.random.uniform(b)), n + 1

    def go(s):
        _, (x, y), n = s
        return x * x + y * y > 0.3

    return lax.while_loop(go, step, (key, (1.0, 1.0), 0))[1:]


def argmin_loop(x):
    return lax.fori_loop(0, x.shape[0], lambda i, s: (jnp.minimum(s[0], x[i]), jnp.where(x[i] < s[0], i, s[1])), (jnp.inf, 0))


def conjugate_gradients(a, b):
    def go(s):
        return (s[3] > 1e-16) & (s[4] < 20)

    def step(s):
        x, r, p, rr, n = s
        q = a @ p
        alpha = rr / (p @ q)
        x, r = x + alpha * p, r - alpha * q
        new = r @ r
        return x, r, r + new / rr * p, new, n + 1

    return lax.while_loop(go, step, (jnp.zeros(4), b, b, b @ b, 0))[0]


def popcount_loop(n):
    return lax.while_loop(lambda s: s[0] != 0, lambda s: (s[0] & (s[0] - 1), s[1] + 1), (n, jnp.uint32(0)))[1]


def complex_newton(z):
    def step(s):
        z, _, n = s
        d = (z**3 - 1) / (3 * z**2)
        return z - d, jnp.abs(d), n + 1

    return lax.while_loop(lambda s: (s[1] > 1e-10) & (s[2] < 60), step, (z, 1.0, 0))[0]


def window_by_index(x, i):
    return lax.dynamic_slice(x, (i,), (3,)), lax.dynamic_update_slice(x, jnp.zeros(2), (i,))


def spd(n):
    a = rng.normal(size=(N, n, n))
    return a @ a.transpose(0, 2, 1) + n * np.eye(n)


def keys(n):
    return np.stack([np.asarray(jax.random.key_data(jax.random.key(i))) for i in range(n)])


def by_key(f):
    return lambda k, *rest: f(jax.random.wrap_key_data(k), *rest)


U = rng.uniform
I = rng.integers
PROGRAMS = {
    "newton": (newton, 0, (U(0.1, 50, N),)),
    "damped": (damped, 0, (U(0.5, 4, N), U(0.1, 1, N))),
    "collatz": (collatz, 0, (I(1, 200, N),)),
    "gcd": (gcd, 0, (I(1, 5000, N), I(1, 5000, N))),
    "mandelbrot": (mandelbrot, 0, (U(-2, 1, N), U(-1, 1, N))),
    "bisect": (bisect, (0, None, None), (U(0, 8, N), 0.0, 2.0)),
    "fibonacci": (fibonacci, 0, (I(0, 40, N),)),
    "prefix_sum": (prefix_sum, 0, (U(size=(N, 9)), I(0, 9, N))),
    "prefix_sum_shared": (prefix_sum, (None, 0), (U(size=9), I(0, 9, N))),
    "fill": (fill, (1, 0), (U(size=(9, N)), I(0, 9, N))),
    "insertion_sort": (insertion_sort, 0, (U(size=(N, 6)),)),
    "until_sum": (until_sum, (0, 0), (U(size=(N, 12)), U(0, 9, N))),
    "power_iteration": (power_iteration, 0, (spd(3),)),
    "matrix_power": (matrix_power, (0, 0), (U(-0.5, 0.5, (N, 3, 3)), I(0, 20, N))),
    "two_ways": (two_ways, 0, (U(-1, 1, N),)),
    "two_heavy_ways": (two_heavy_ways, (0, None), (U(-1, 1, N), spd(3)[0])),
    "by_number": (by_number, 0, (I(-2, 7, N), U(-1, 1, N))),
    "nested_ways": (nested_ways, 0, (U(-1, 1, N), U(-1, 1, N))),
    "way_in_loop": (way_in_loop, 0, (U(-5, 40, N),)),
    "loop_in_way": (loop_in_way, 0, (U(-1, 1, N), I(0, 9, N))),
    "loop_in_loop": (loop_in_loop, 0, (I(0, 9, N), I(0, 9, N))),
    "scan_of_ways": (scan_of_ways, 1, (U(size=(11, N)),)),
    "machine": (machine, 0, (I(0, 4, (N, 12)),)),
    "euler": (euler, 0, (U(-1, 1, N), U(0.1, 1, N))),
    "binary_search": (binary_search, (None, 0), (np.sort(U(size=50)), U(size=N))),
    "digits": (digits, 0, (I(0, 10**6, N),)),
    "walk": (by_key(walk), (0, 0), (keys(N), I(0, 9, N))),
    "rejection": (by_key(rejection), 0, (keys(N),)),
    "argmin_loop": (argmin_loop, 0, (U(size=(N, 7)),)),
    "conjugate_gradients": (conjugate_gradients, 0, (spd(4), U(size=(N, 4)))),
    "popcount_loop": (popcount_loop, 0, (I(0, 2**31, N).astype(np.uint32),)),
    "complex_newton": (complex_newton, 0, (U(-1, 1, N) + 1j * U(-1, 1, N),)),
    "window_by_index": (window_by_index, 0, (U(size=(N, 5)), I(-3, 9, N))),
}
