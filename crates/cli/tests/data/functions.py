#!/usr/bin/env python3
"""Writes functions/*.mlir, what JAX, Flax and Optax export for functions that they write out, and functions.txt, their first and
second derivatives by mpmath. Needs jax, flax, optax, mpmath."""
import pathlib

import flax.linen as nn
import jax
import jax.numpy as jnp
import jax.scipy.special as special
import mpmath as mp
import optax

jax.config.update("jax_enable_x64", True)
mp.mp.dps = 700
HERE = pathlib.Path(__file__).parent
INF = mp.inf


def sigma(x):
    return 1 / (1 + mp.exp(-x))


def slopes(f, at):
    """First and second derivative by differences in so many digits that they are exact in f64."""
    h = mp.mpf(10) ** -60
    a, b, c = f(at - h), f(at), f(at + h)
    return (c - a) / (2 * h), (c - 2 * b + a) / h**2


def softplus(x):
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


def sinc(x):
    return mp.sincpi(x)


def gelu(x):
    # (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u))
    return x * sigma(2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3))


def huber(x, delta=1):
    return x**2 / 2 if abs(x) <= delta else delta * (abs(x) - mp.mpf(delta) / 2)


# One variable: the program, the function, where.
ONE = {
    "sigmoid": (jax.nn.sigmoid, sigma, [-1000, -720, -40, -1, 0, 2, 40, 800]),
    "silu": (jax.nn.silu, lambda x: x * sigma(x), [-1000, -40, 0, 3, 40, 800]),
    "silu_by_division": (lambda x: x / (1 + jnp.exp(-x)), lambda x: x * sigma(x), [-1000, -40, 0, 3, 40, 800]),
    "sigmoid_by_exp": (lambda x: jnp.exp(x) / (1 + jnp.exp(x)), sigma, [-800, -3, 0, 30]),
    "softplus": (jax.nn.softplus, softplus, [-800, -1, 0, 1, 40, 1000]),
    "softplus_naive": (lambda x: jnp.log1p(jnp.exp(x)), softplus, [-800, 0, 1, 1000]),
    "log_sigmoid": (jax.nn.log_sigmoid, lambda x: -softplus(-x), [-1000, -1, 0, 30]),
    "log_cosh": (lambda x: optax.log_cosh(x, jnp.zeros_like(x)), lambda x: mp.log(mp.cosh(x)), [-800, -1, 0, 1e-9, 0.5, 40]),
    "logistic_logpdf": (jax.scipy.stats.logistic.logpdf, lambda x: -x - 2 * softplus(-x), [-800, -1, 0, 0.5, 40]),
    "cross_entropy": (
        lambda x: optax.sigmoid_binary_cross_entropy(x, jnp.full_like(x, 0.25)),
        lambda x: mp.mpf(0.25) * softplus(-x) + mp.mpf(0.75) * softplus(x),
        [-800, -1, 0, 0.5, 40],
    ),
    "gamma": (special.gamma, mp.gamma, [0.1, 1, 2, 10, -1.5, -2.5]),
    "i0": (special.i0, lambda x: mp.besseli(0, x), [-30, -8, -1, 0, 1e-5, 9, 300]),
    "sech": (lambda x: 1 / jnp.cosh(x), mp.sech, [-800, -1, 0, 1e-3, 30, 800]),
    "huber": (lambda x: optax.huber_loss(x, jnp.zeros_like(x)), huber, [-3, -0.5, 0, 0.25, 8]),
    "huber_of_2": (lambda x: optax.huber_loss(x, delta=2.0), lambda x: huber(x, 2), [-3, -0.5, 0, 0.25, 8]),
    "sinc": (jnp.sinc, sinc, [0, 1e-200, 1e-9, 1e-3, 0.1, 0.3, 0.5, 2.25, -7.75]),
    "sin_over_x": (lambda x: jnp.where(x == 0, 1.0, jnp.sin(x) / x), lambda x: mp.sinc(x), [0, 1e-5, 0.9, 1.1, 30]),
    "sin_over_x_safe": (
        lambda x: jnp.where(x == 0, 1.0, jnp.sin(jnp.where(x == 0, 1.0, x)) / jnp.where(x == 0, 1.0, x)),
        lambda x: mp.sinc(x),
        [0, 1e-5, 0.9, 1.1],
    ),
    "expm1_over_x": (
        lambda x: jnp.where(x == 0, 1.0, jnp.expm1(x) / x),
        lambda x: mp.expm1(x) / x if x else mp.mpf(1),
        [0, 1e-12, 0.5, -0.999, -3, -50, 20],
    ),
    "gelu": (jax.nn.gelu, gelu, [-1e160, -50, -3, 0, 0.5, 6, 50, 1e160]),
    "gelu_by_pow": (
        lambda x: 0.5 * x * (1 + jnp.tanh(0.7978845608028654 * (x + 0.044715 * jnp.power(x, 3.0)))),
        gelu,
        [-1e160, -3, 0, 6, 1e160],
    ),
    "tanh": (jnp.tanh, mp.tanh, [-40, -20, 0, 0.5, 20, 400]),
}
# Two variables: the program, its slopes, where.
LOGS = [(0, 0.5), (0, 3), (1.5, 2), (0, 0), (2, 1e-300)]
TWO = {
    "xlogy": (special.xlogy, lambda x, y: (mp.log(y) if y else -INF, x / y if y else mp.mpf(0)), LOGS),
    "xlogy_where": (
        lambda x, y: jnp.where(x == 0, 0.0, x * jnp.log(y)),
        lambda x, y: (mp.log(y) if y else -INF, x / y if y else mp.mpf(0)),
        LOGS,
    ),
    "xlog1py": (
        special.xlog1py,
        lambda x, y: (mp.log1p(y) if y > -1 else -INF, x / (1 + y) if y > -1 else mp.mpf(0)),
        [(0, -1), (0, 0.5), (2, 1e-300), (1, 3)],
    ),
    "logaddexp": (
        jnp.logaddexp,
        lambda x, y: (sigma(x - y), sigma(y - x)),
        [(0, 0), (1000, -1000), (3, 2.5), (700, 700)],
    ),
    "logaddexp_plain": (
        lambda x, y: jnp.maximum(x, y) + jnp.log1p(jnp.exp(-jnp.abs(x - y))),
        lambda x, y: (sigma(x - y), sigma(y - x)),
        [(0, 0), (3, 2.5)],
    ),
    "logaddexp2": (
        jnp.logaddexp2,
        lambda x, y: (sigma((x - y) * mp.log(2)), sigma((y - x) * mp.log(2))),
        [(0, 0), (1000, -1000), (3, 2.5)],
    ),
    "hypot": (jnp.hypot, lambda x, y: (x / mp.hypot(x, y), y / mp.hypot(x, y)), [(3, 4), (1e200, 1e200), (-2, 2), (0, 5)]),
}


class Cell(nn.Module):
    @nn.compact
    def __call__(self, x):
        lstm, gru = nn.LSTMCell(features=2), nn.GRUCell(features=2)
        zeros = jnp.zeros(2, x.dtype)
        _, a = lstm((zeros, zeros), x)
        _, b = gru(zeros, x)
        return jnp.sum(a) + jnp.sum(b)


def number(x):
    x = float(x)
    return repr(x)


def write(name, f, shapes):
    lowered = jax.jit(lambda *a: jnp.sum(f(*a))).lower(*shapes)
    (HERE / "functions" / f"{name}.mlir").write_text(lowered.as_text())


def numbers(xs):
    return "[" + ",".join(number(x) for x in xs) + "]"


lines = []
for name, (f, exact, at) in ONE.items():
    write(name, f, [jax.ShapeDtypeStruct((len(at),), jnp.float64)])
    both = [slopes(exact, mp.mpf(float(x))) for x in at]
    lines.append(f"{name} | {numbers(at)} | {numbers(b[0] for b in both)} | {numbers(b[1] for b in both)}")
for name, (f, exact, at) in TWO.items():
    shape = jax.ShapeDtypeStruct((len(at),), jnp.float64)
    write(name, f, [shape, shape])
    both = [exact(mp.mpf(float(x)), mp.mpf(float(y))) for x, y in at]
    xs, ys = zip(*at)
    lines.append(f"{name} | {numbers(xs)} | {numbers(ys)} | {numbers(b[0] for b in both)} | {numbers(b[1] for b in both)}")
write("safe_norm", lambda x: optax.safe_norm(x, 0.0), [jax.ShapeDtypeStruct((2,), jnp.float64)])
cell = Cell()
params = cell.init(jax.random.key(0), jnp.ones(2))
write("cells", lambda x: cell.apply(params, x), [jax.ShapeDtypeStruct((2,), jnp.float64)])
# Of a network JAX itself says the gradient: it differentiates the functions before it writes them out.
for x in ([1.0, -2.0],):
    lines.append(f"cells | {numbers(x)} | {numbers(jax.grad(lambda x: cell.apply(params, x))(jnp.array(x)))}")
for x, g in (([0.0, 0.0], [0.0, 0.0]), ([3.0, 4.0], [0.6, 0.8])):
    lines.append(f"safe_norm | {numbers(x)} | {numbers(g)}")
(HERE / "functions.txt").write_text("\n".join(lines) + "\n")
