#!/usr/bin/env python3
"""Writes functions/*.mlir, what JAX exports for the regularised incomplete gamma and beta functions and for what is made of them, and
incomplete.txt, their derivatives by mpmath. Needs jax, mpmath. A row: the program; the variables by which it is differentiated; what
each variable is; the derivatives."""
import pathlib

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import jax.scipy.stats as stats
import mpmath as mp

jax.config.update("jax_enable_x64", True)
mp.mp.dps = 150
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


def numbers(xs):
    return "[" + ",".join(repr(float(x)) for x in xs) + "]"


lines = []
for name, (f, exact, at, orders) in ALL.items():
    shape = jax.ShapeDtypeStruct((len(at),), jnp.float64)
    lowered = jax.jit(lambda *v: jnp.sum(f(*v))).lower(*[shape] * len(at[0]))
    (HERE / "functions" / f"{name}.mlir").write_text(lowered.as_text())
    points = [[mp.mpf(float(x)) for x in p] for p in at]
    inputs = " ; ".join(numbers(v) for v in zip(*at))
    for by in orders:
        wanted = numbers(derivative(exact, p, list(by)) for p in points)
        lines.append(f"{name} | {','.join(map(str, by))} | {inputs} | {wanted}")
(HERE / "incomplete.txt").write_text("\n".join(lines) + "\n")
