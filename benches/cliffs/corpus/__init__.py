"""Functions of JAX to be timed: written for what people compute, not for what an engine is good at, and committed before anybody
timed them. A function that turned out to be slow stays as it is.

    @case("f64[512,512]", "f64[512]+", "i32[512]<100", grad=True)
    def name(a, x, i): ...

says the arguments: dtype and shape; then their numbers. Nothing: normal; `+`: between 0.5 and 1.5; `~`: between −1 and 1; `<n`: integers
from 0 to n − 1; `^`: a symmetric positive definite matrix (batch axes first); `?`: truth values. With `grad` there is a second case,
`name_grad`: the derivatives of a weighted sum of the first result by all floating arguments.
"""
import importlib
import re

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

MODULES = [
    "kernels", "layers", "signal", "graphs", "simulation", "statistics", "linalg", "sorting", "integers", "quantum", "dynamic",
    "scalars", "others", "further", "beyond",
]
CASES = {}
DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "u32": np.uint32, "c64": np.complex64, "c128": np.complex128, "bool": np.bool_}


class Case:
    """A function, its arguments, and the part of the corpus that it is in."""

    def __init__(self, name, module, function, specs):
        self.name, self.module, self.function, self.specs = name, module, function, specs

    def arguments(self, seed=0):
        return [draw(spec, seed * 1000 + k) for k, spec in enumerate(self.specs)]


def parts(spec):
    dtype, shape, numbers = re.fullmatch(r"(\w+)\[([\d,]*)\](.*)", spec).groups()
    return DTYPES[dtype], tuple(int(n) for n in shape.split(",") if n), numbers


def draw(spec, seed):
    """The same numbers for the same seed."""
    dtype, shape, numbers = parts(spec)
    rng = np.random.default_rng(seed + 1)
    if numbers == "?":
        return rng.random(shape) < 0.5
    if numbers.startswith("<"):
        return rng.integers(0, int(numbers[1:]), shape).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return rng.integers(0, 1 << 31, shape).astype(dtype)
    if numbers == "^":
        a = rng.standard_normal(shape)
        return (a @ np.swapaxes(a, -1, -2) / shape[-1] + np.eye(shape[-1])).astype(dtype)
    if numbers == "+":
        return (rng.random(shape) + 0.5).astype(dtype)
    if numbers == "~":
        return (2 * rng.random(shape) - 1).astype(dtype)
    x = rng.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * rng.standard_normal(shape)
    return np.asarray(x).astype(dtype)


def add(name, module, function, specs):
    if name in CASES:
        raise ValueError(f"two cases are named {name}")
    CASES[name] = Case(name, module, function, specs)


def gradient(function, specs):
    wrt = tuple(k for k, spec in enumerate(specs) if np.issubdtype(parts(spec)[0], np.floating))

    def loss(*args):
        y = jax.tree.leaves(function(*args))[0].real
        # Not all alike: the sum of a softmax has no slope.
        weights = 0.5 + jnp.arange(y.size).reshape(y.shape) % 7 / 7
        return jnp.sum(y * weights.astype(y.dtype))

    return jax.grad(loss, wrt)


def case(*specs, grad=False):
    def wrap(function):
        module = function.__module__.rsplit(".", 1)[-1]
        add(function.__name__, module, function, specs)
        if grad:
            add(function.__name__ + "_grad", module, gradient(function, specs), specs)
        return function

    return wrap


def random(number):
    """The drawn program with this number, `random_17`."""
    function, specs, derive = importlib.import_module(f"{__name__}.drawn").program(number)
    add(f"random_{number}", "random", gradient(function, specs) if derive else function, specs)


def load():
    """All cases by name."""
    for m in MODULES:
        importlib.import_module(f"{__name__}.{m}")
    return CASES
