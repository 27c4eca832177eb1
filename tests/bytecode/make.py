"""Writes the programs of this folder, each as text (`.mlir`) and as what `jax.export` and PJRT plugins get (`.mlirbc`).

    pip install jax==0.10.2 flatbuffers && python3 tests/bytecode/make.py
"""
import pathlib

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

jax.config.update("jax_enable_x64", True)
HERE = pathlib.Path(__file__).parent
f32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
f64 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float64)
i32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.int32)


def layers(x, w, v):
    return jax.grad(lambda w: jnp.sum(jax.nn.softmax(jnp.tanh(x @ w) @ v)[:, 0]))(w)


def loops(x):
    y = lax.fori_loop(0, 5, lambda i, c: c * 0.5 + jnp.sin(x) * i, x)
    c, ys = lax.scan(lambda c, a: (c + a, c * a), 1.0, y)
    return lax.cond(c > 0, lambda: ys, lambda: -ys), lax.switch(jnp.int32(c), [lambda: 1.0, lambda: c, lambda: c * c])


def indices(x, i):
    y = x[i] + jnp.take_along_axis(x, jnp.argsort(x, axis=1), axis=1)[i]
    return y.at[i, 1].add(2.0), x.at[1:3, ::2].set(0), lax.dynamic_update_slice(x, y[:2, :2], (i[0], i[1]))


def windows(x, k):
    y = lax.conv_general_dilated(x, k, (2, 1), "SAME", rhs_dilation=(1, 2), dimension_numbers=("NHWC", "HWIO", "NHWC"))
    z = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return y, z, jax.grad(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME").sum())(x)


def algebra(a):
    s = a @ a.T + 3 * jnp.eye(a.shape[0])
    return jnp.linalg.cholesky(s), jnp.linalg.solve(s, a), jnp.fft.fft(a[0]), jnp.linalg.slogdet(s)


def numbers(x, i):
    key = jax.random.PRNGKey(3)
    k, t = jax.random.split(key)
    flags = jnp.array([True, False, True])
    return (
        jax.random.normal(k, (3,)) + x[:3],
        jnp.where(flags, i[:3] // 2, i[:3] << 1),
        lax.top_k(x, 2),
        jnp.array([1.5, -jnp.inf, 2.0 ** -1070]) * jnp.array([[1.0], [3.0]]),
        lax.reduce_precision(x, 5, 10).astype(jnp.bfloat16),
        jnp.complex128(1 + 2j) * x,
    )


PROGRAMS = {
    "layers": (layers, f32(4, 3), f32(3, 5), f32(5, 2)),
    "loops": (loops, f64(4)),
    "indices": (indices, f64(4, 5), i32(3)),
    "windows": (windows, f32(1, 6, 5, 2), f32(3, 2, 2, 4)),
    "algebra": (algebra, f64(4, 4)),
    "numbers": (numbers, f64(5), i32(5)),
}
for name, (f, *args) in PROGRAMS.items():
    lowered = jax.jit(f).lower(*args)
    text = lowered.as_text()
    (HERE / f"{name}.mlir").write_text(text)
    with mlir.make_ir_context():
        # With the places of this file.
        module = ir.Module.parse(lowered.as_text(debug_info=True).replace(str(HERE), "tests/bytecode"))
        (HERE / f"{name}.mlirbc").write_bytes(stablehlo.serialize_portable_artifact(module, "1.17.0", True))
n = jax.export.symbolic_shape("n, 3")
exported = jax.export.export(jax.jit(lambda x: jnp.cumsum(x, 0) + x.shape[0]))(jax.ShapeDtypeStruct(n, jnp.float64))
(HERE / "symbols.mlir").write_text(exported.mlir_module())
(HERE / "symbols.bin").write_bytes(exported.serialize())
