#!/usr/bin/env python3
"""Writes functions/*.mlir, what JAX exports for the regularised incomplete gamma and beta functions, for what is made of them and for
their inverses by Newton's method, and incomplete.txt, their derivatives by mpmath. Needs jax, mpmath. A row: the program; the variables by
which it is differentiated; what each variable is; the derivatives; how near they are to be."""
import pathlib

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import jax.scipy.stats as stats
import mpmath as mp
from jax import export, lax

jax.config.update("jax_enable_x64", True)
mp.mp.dps = 100
HERE = pathlib.Path(__file__).parent


def gamma(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def beta(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def derivative(f, at, by):
    """By central differences in so many digits that they are exact in f64."""
    if not by:
        return f(*at)
    i, *rest = by
    h = mp.mpf(10) ** -25 * max(abs(at[i]), mp.mpf(10) ** -6)
    moved = [[x + s * h if j == i else x for j, x in enumerate(at)] for s in (1, -1)]
    return (derivative(f, moved[0], rest) - derivative(f, moved[1], rest)) / (2 * h)


def t_cdf(t, n):
    return 1 - special.betainc(n / 2, 0.5, n / (n + t * t)) / 2


def first_guess(a, p):
    z = special.ndtri(p)
    w = a * (1 - 1 / (9 * a) + z / (3 * jnp.sqrt(a))) ** 3
    return jnp.where(w > 0.05 * a, w, jnp.exp((jnp.log(p) + special.gammaln(a + 1)) / a))


def gamma_step(a, p, x):
    density = jnp.exp((a - 1) * jnp.log(x) - x - special.gammaln(a))
    y = x - (special.gammainc(a, x) - p) / density
    return jnp.where(y > 0, y, x / 2)


def gamma_root_by_steps(a, p):
    return lax.fori_loop(0, 10, lambda i, x: gamma_step(a, p, x), first_guess(a, p))


def gamma_root_until(a, p):
    """Until a step changes 1e-6 of the value at most: the next digits are right by then."""
    return lax.while_loop(
        lambda v: jnp.any(jnp.abs(v[0] - v[1]) > 1e-6 * v[0]),
        lambda v: (gamma_step(a, p, v[0]), v[0]),
        (first_guess(a, p), jnp.zeros_like(a)),
    )[0]


def beta_step(a, b, p, x):
    density = jnp.exp((a - 1) * jnp.log(x) + (b - 1) * jnp.log1p(-x) - special.betaln(a, b))
    y = x - (special.betainc(a, b, x) - p) / density
    return jnp.where(y >= 1, (x + 1) / 2, jnp.where(y <= 0, x / 2, y))


def beta_root_by_steps(a, b, p):
    return lax.fori_loop(0, 12, lambda i, x: beta_step(a, b, p, x), a / (a + b))


def beta_root_until(a, b, p):
    return lax.while_loop(
        lambda v: jnp.any(jnp.abs(v[0] - v[1]) > 1e-6 * v[0]),
        lambda v: (beta_step(a, b, p, v[0]), v[0]),
        (a / (a + b), jnp.zeros_like(a)),
    )[0]


def root(f, guess):
    return mp.findroot(f, (mp.mpf(float(guess)), mp.mpf(float(guess)) * (1 + mp.mpf(10) ** -12)))


def gamma_root(a, p):
    return root(lambda x: gamma(a, x) - p, gamma_root_by_steps(jnp.float64(a), jnp.float64(p)))


def beta_root(a, b, p):
    return root(lambda x: beta(a, b, x) - p, beta_root_by_steps(*(jnp.float64(v) for v in (a, b, p))))


# Naturals, where the fraction ends, among others; both sides of a and of 1; large and small.
GAMMA = [(2, 1.5), (2, 3), (3, 10), (1, 1), (200, 198), (200, 201), (200, 150), (200, 260), (1e-3, 1e-4), (1e-3, 0.5), (1e-3, 2)]
GAMMA += [(0.5, 1e-10), (5, 40), (30, 1), (0.3, 1.01), (2000, 2010)]
BETA = [(2, 3, 0.3), (2, 3, 0.7), (0.5, 0.5, 0.6), (1e-3, 2, 0.5), (2, 1e-3, 0.5), (1, 1.5, 0.25), (5, 200, 0.02), (5, 200, 0.1)]
BETA += [(200, 5, 0.98), (100, 1000, 0.09), (3, 4, 1e-8), (3, 4, 1 - 1e-8), (0.2, 0.3, 1e-10), (30, 40, 0.4)]
# The program, the function, where, and by which variables.
PAIRS = [(0,), (1,), (0, 0), (0, 1), (1, 1)]
TRIPLES = [(0,), (1,), (2,), (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
ALL = {
    "gammainc": (special.gammainc, gamma, GAMMA, PAIRS),
    "gammaincc": (special.gammaincc, lambda a, x: 1 - gamma(a, x), GAMMA, PAIRS),
    "betainc": (special.betainc, beta, BETA, TRIPLES),
    "gamma_cdf": (stats.gamma.cdf, lambda x, a: gamma(a, x), [(1.5, 2), (3, 2), (7, 7.5)], PAIRS),
    "chi2_cdf": (stats.chi2.cdf, lambda x, k: gamma(k / 2, x / 2), [(1.5, 2), (3, 2), (9, 4)], PAIRS),
    "poisson_cdf": (lambda m: stats.poisson.cdf(3, m), lambda m: 1 - gamma(mp.mpf(4), m), [(0.5,), (4,), (9,)], [(0,), (0, 0)]),
    "beta_cdf": (stats.beta.cdf, lambda x, a, b: beta(a, b, x), [(0.3, 2, 3), (0.7, 2, 3), (0.5, 40, 30)], TRIPLES),
    "t_cdf": (t_cdf, lambda t, n: 1 - beta(n / 2, mp.mpf(1) / 2, n / (n + t * t)) / 2, [(0.5, 3), (2, 4), (9, 30)], PAIRS),
    "binom_cdf": (
        lambda p: special.betainc(6.0, 5.0, 1 - p),
        lambda p: beta(mp.mpf(6), mp.mpf(5), 1 - p),
        [(0.1,), (0.5,), (0.9,)],
        [(0,), (0, 0)],
    ),
}

ROOTS = [(2, 0.3), (5, 0.9), (200, 0.5), (0.5, 0.2)]
BETA_ROOTS = [(2, 3, 0.3), (5, 1.5, 0.7), (30, 40, 0.5)]
ALL |= {
    "gamma_root_by_steps": (gamma_root_by_steps, gamma_root, ROOTS, PAIRS),
    "gamma_root_until": (gamma_root_until, gamma_root, ROOTS, PAIRS),
    "beta_root_by_steps": (beta_root_by_steps, beta_root, BETA_ROOTS, TRIPLES),
    "beta_root_until": (beta_root_until, beta_root, BETA_ROOTS, TRIPLES),
    # As `jax.export` writes it: CHLO is written out, the extent is a symbol.
    "gammainc_exported": (special.gammainc, gamma, GAMMA[:6], PAIRS),
    "betainc_exported": (special.betainc, beta, BETA[:6], TRIPLES),
    # Of single precision, with counters of 32 bits.
    "gammainc_f32": (special.gammainc, gamma, [(2, 1.5), (2, 3), (0.5, 0.25), (8, 16)], PAIRS),
    "gammaincc_f32": (special.gammaincc, lambda a, x: 1 - gamma(a, x), [(2, 1.5), (2, 3), (0.5, 0.25), (8, 16)], PAIRS),
    "betainc_f32": (special.betainc, beta, [(2, 3, 0.25), (2, 3, 0.75), (0.5, 0.5, 0.625), (8, 4, 0.5)], TRIPLES),
}


def text(name, f, count, length):
    wide = not name.endswith("_f32")
    jax.config.update("jax_enable_x64", wide)
    dtype = jnp.float64 if wide else jnp.float32
    total = jax.jit(lambda *v: jnp.sum(f(*v)))
    if name.endswith("_exported"):
        (n,) = export.symbolic_shape("n")
        made = export.export(total)(*[jax.ShapeDtypeStruct((n,), dtype)] * count).mlir_module()
    else:
        made = total.lower(*[jax.ShapeDtypeStruct((length,), dtype)] * count).as_text()
    jax.config.update("jax_enable_x64", True)
    return made


def near(name, order):
    """How near f64 is to be, and f32; second derivatives of roots are found of quotients of small differences."""
    if name.endswith("_f32"):
        return 2e-5 if order == 1 else 2e-4
    return 1e-6 if "root" in name and order == 2 else 1e-10


def numbers(xs):
    return "[" + ",".join(repr(float(x)) for x in xs) + "]"


lines = []
for name, (f, exact, at, orders) in ALL.items():
    (HERE / "functions" / f"{name}.mlir").write_text(text(name, f, len(at[0]), len(at)))
    points = [[mp.mpf(float(x)) for x in p] for p in at]
    inputs = " ; ".join(numbers(v) for v in zip(*at))
    for by in orders:
        wanted = numbers(derivative(exact, p, list(by)) for p in points)
        lines.append(f"{name} | {','.join(map(str, by))} | {inputs} | {wanted} | {near(name, len(by))}")
(HERE / "incomplete.txt").write_text("\n".join(lines) + "\n")
