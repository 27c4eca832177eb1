"""Functions of JAX and their gradients on the platform `tfc`, beside the processor's: the same program, not a line changed.

    JAX_PLATFORMS=tfc,cpu TFC_PJRT_LIBRARY=target/release/libpjrt_tfc.so PYTHONPATH=crates/pjrt/python python3 crates/pjrt/python/tests/functions.py

Exits with 1 where a value differs, or where fewer functions than `LEAST` were compared. A word names those that are to run.
"""
import sys

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
LEAST = 200
OURS, THEIRS = jax.devices("tfc")[0], jax.devices("cpu")[0]
CASES: list = []


def case(name, f, *args, grad=True):
    CASES.append((name, f, args, False))
    if grad:
        CASES.append((name + "_grad", f, args, True))


rng = np.random.default_rng(7)
x = rng.uniform(0.1, 0.9, (3, 4))
y = rng.uniform(0.1, 0.9, (3, 4))
v = rng.standard_normal(5)
a = rng.standard_normal((4, 4)) + 4 * np.eye(4)
s = a @ a.T
z = rng.standard_normal((3, 4)) + 1j * rng.standard_normal((3, 4))
n = rng.integers(1, 9, (3, 4))
image = rng.standard_normal((2, 8, 8, 3)).astype(np.float32)

for name in (
    "sin cos tan tanh sinh cosh exp exp2 expm1 log log1p log2 log10 sqrt cbrt square abs arcsin arccos arctan arcsinh arctanh "
    "reciprocal negative positive deg2rad sinc i0"
).split():
    case(name, getattr(jnp, name), x)
case("arccosh", jnp.arccosh, x + 1)
for name in "floor ceil rint trunc sign isnan isfinite signbit".split():
    case(name, getattr(jnp, name), 4 * x - 2, grad=False)
for name in "add subtract multiply divide power maximum minimum arctan2 hypot logaddexp logaddexp2 fmod remainder float_power".split():
    case(name, getattr(jnp, name), x, y)
for name in "floor_divide nextafter copysign greater less_equal equal heaviside".split():
    case(name, getattr(jnp, name), x, y, grad=False)
for name in "bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm floor_divide remainder".split():
    case("int_" + name, getattr(jnp, name), n, n[::-1] % 5 + 1, grad=False)
for name in "sum mean prod max min std var ptp nansum nanmean median linalg.norm cumsum cumprod".split():
    f = jnp
    for part in name.split("."):
        f = getattr(f, part)
    case(name, f, x)
for name in "argmax argmin argsort any all count_nonzero unique".split():
    f = getattr(jnp, name)
    case(name, (lambda x: jnp.unique(jnp.round(x, 1), size=6)) if name == "unique" else f, x, grad=False)
case("sum_axis", lambda x: x.sum(0), x)
case("mean_keep", lambda x: x - x.mean(1, keepdims=True), x)
case("logsumexp", lambda x: jax.nn.logsumexp(x, axis=1), x)
case("softmax", lambda x: jax.nn.softmax(x, axis=-1), x)
case("log_softmax", lambda x: jax.nn.log_softmax(x), x)
for name in "relu gelu silu softplus sigmoid elu selu celu leaky_relu hard_tanh mish log_sigmoid soft_sign swish relu6".split():
    case(name, getattr(jax.nn, name), 3 * x - 1)
case("one_hot", lambda n: jax.nn.one_hot(n, 10), n, grad=False)
for name in "gammaln digamma erf erfc erfinv expit logit ndtr ndtri i0e i1e bessel_jn xlogy entr zeta polygamma betainc gammainc".split():
    f = {
        "bessel_jn": lambda x: jsp.special.bessel_jn(x, v=2, n_iter=40),
        "xlogy": lambda x: jsp.special.xlogy(x, x + 1),
        "zeta": lambda x: jsp.special.zeta(x + 2, 1.5),
        "polygamma": lambda x: jsp.special.polygamma(1, x + 1),
        "betainc": lambda x: jsp.special.betainc(1.5, 2.5, x),
        "gammainc": lambda x: jsp.special.gammainc(1.5, x),
    }.get(name) or getattr(jsp.special, name)
    case(name, f, x, grad=name != "zeta")
case("transpose", lambda x: jnp.sin(x.T), x)
case("reshape", lambda x: jnp.sin(x.reshape(2, 6)), x)
case("concatenate", lambda x, y: jnp.concatenate([x, y * 2], 1), x, y)
case("stack", lambda x, y: jnp.stack([x, y], -1) * 3, x, y)
case("pad", lambda x: jnp.pad(x, ((1, 2), (0, 3))), x)
case("pad_reflect", lambda x: jnp.pad(x, 2, mode="reflect"), x)
case("roll", lambda x: jnp.roll(x, 2, 1) * x, x)
case("flip", lambda x: jnp.flip(x, 0) * x, x)
case("tile", lambda x: jnp.tile(x, (2, 3)), x)
case("repeat", lambda x: jnp.repeat(x, 3, 1), x)
case("where", lambda x, y: jnp.where(x > 0.5, x * y, y), x, y)
case("clip", lambda x: jnp.clip(x, 0.3, 0.6), x)
case("diff", lambda x: jnp.diff(x, axis=1), x)
case("outer", lambda x: jnp.outer(x[0], x[1]), x)
case("kron", lambda x: jnp.kron(x, x), x)
case("tril", lambda x: jnp.tril(x @ x.T), x)
case("diag", lambda x: jnp.diag(x[0]) @ x.T, x)
case("trace", lambda a: jnp.trace(a @ a), a)
case("einsum", lambda x, y: jnp.einsum("ij,kj->ik", x, y), x, y)
case("einsum3", lambda x, a: jnp.einsum("ij,jk,lk->il", x, a, x), x, a)
case("tensordot", lambda x, y: jnp.tensordot(x, y, [[0], [0]]), x, y)
case("matmul", lambda x, a: x @ a, x, a)
case("dot", lambda v: jnp.dot(v, v), v)
case("convolve", lambda v: jnp.convolve(v, v), v)
case("interp", lambda v: jnp.interp(v, jnp.linspace(-3, 3, 7), jnp.arange(7.0)), v)
case("searchsorted", lambda v: jnp.searchsorted(jnp.linspace(-2, 2, 9), v), v, grad=False)
case("sort", lambda x: jnp.sort(x, axis=0), x)
case("top_k", lambda v: lax.top_k(v, 2)[0], v)
case("take", lambda x: x[jnp.array([2, 0, 1, 1])], x)
case("take_along", lambda x: jnp.take_along_axis(x, jnp.argsort(x, 1), 1), x)
case("index_set", lambda x: x.at[1].set(0.5) * x, x)
case("index_add", lambda x: x.at[jnp.array([0, 0, 2])].add(x), x)
case("index_max", lambda x: x.at[jnp.array([0, 1])].max(0.5), x)
case("dynamic_slice", lambda x: lax.dynamic_slice(x, (1, 1), (2, 2)), x)
case("segment_sum", lambda x: jax.ops.segment_sum(x, jnp.array([0, 1, 0]), 2), x)
case("cholesky", lambda s: jnp.linalg.cholesky(s), s)
case("solve", lambda a, x: jnp.linalg.solve(a, x.T), a, x)
case("inv", lambda a: jnp.linalg.inv(a), a)
case("det", lambda a: jnp.linalg.det(a), a)
case("slogdet", lambda a: jnp.linalg.slogdet(a)[1], a)
case("eigvalsh", lambda s: jnp.linalg.eigvalsh(s), s)
case("eigh_abs", lambda s: jnp.abs(jnp.linalg.eigh(s)[1]), s)
case("svdvals", lambda x: jnp.linalg.svd(x, compute_uv=False), x)
case("svd_low", lambda x: jnp.linalg.svd(x, full_matrices=False)[1] ** 2, x)
case("qr_abs", lambda a: jnp.abs(jnp.linalg.qr(a)[1]), a)
case("pinv", lambda x: jnp.linalg.pinv(x), x)
case("expm", lambda a: jsp.linalg.expm(a / 8), a)
case("lu", lambda a: jsp.linalg.lu(a)[2], a)
case("triangular", lambda a, x: jsp.linalg.solve_triangular(a, x.T, lower=True), a, x)
case("eigvals", lambda a: jnp.sort(jnp.abs(jnp.linalg.eigvals(a))), a, grad=False)
case("matrix_power", lambda a: jnp.linalg.matrix_power(a / 4, 3), a)
case("fft", lambda x: jnp.abs(jnp.fft.fft(x)), x)
case("rfft2", lambda x: jnp.abs(jnp.fft.rfft2(x)), x)
case("irfft", lambda x: jnp.fft.irfft(jnp.fft.rfft(x) * 2, 4), x)
case("complex", lambda z: jnp.exp(z) * jnp.conj(z) / (z + 3), z, grad=False)
case("complex_abs", lambda x: jnp.abs(lax.complex(x, x * x)), x)
case("angle", lambda x: jnp.angle(lax.complex(x, x * x)), x)
case("fori", lambda v: lax.fori_loop(0, 4, lambda i, c: jnp.sin(c) + i, v), v)
case("while", lambda v: lax.while_loop(lambda c: c.sum() < 50, lambda c: c * c + 1, v), v, grad=False)
case("scan", lambda v: lax.scan(lambda c, t: (c * 0.5 + t, jnp.sin(c)), 1.0, v)[1], v)
case("associative_scan", lambda v: lax.associative_scan(jnp.multiply, v), v)
case("cond", lambda v: lax.cond(v.sum() > 0, jnp.sin, jnp.cos, v), v)
case("switch", lambda v: lax.switch(1, [jnp.sin, jnp.cos, jnp.tan], v), v)
case("map", lambda v: lax.map(lambda t: t * jnp.sin(t), v), v)
case("vmap", lambda x, a: jax.vmap(lambda r: a @ r)(x), x, a)
case("checkpoint", lambda v: jax.checkpoint(lambda v: jnp.sin(jnp.cos(v)))(v), v)
case("hessian", lambda v: jax.hessian(lambda v: jnp.sum(jnp.sin(v) * v))(v), v, grad=False)
case("jacfwd", lambda v: jax.jacfwd(lambda v: jnp.cumsum(v * v))(v), v, grad=False)
case("custom_root", lambda v: lax.custom_root(lambda t: t**3 - v[0] ** 2 - 1, 1.0, lambda f, t: lax.fori_loop(0, 30, lambda _, t: t - f(t) / jax.grad(f)(t), t), lambda g, b: b / g(1.0)), v)
conv = lambda image, **k: lax.conv_general_dilated(image, jnp.ones((3, 3, 3, 4), image.dtype) / 9, dimension_numbers=("NHWC", "HWIO", "NHWC"), **k)
case("conv", lambda i: conv(i, window_strides=(1, 1), padding="SAME"), image)
case("conv_strided", lambda i: conv(i, window_strides=(2, 2), padding="VALID"), image)
case("conv_dilated", lambda i: conv(i, window_strides=(1, 1), padding="SAME", rhs_dilation=(2, 2)), image)
case("conv_transposed", lambda i: conv(i, window_strides=(1, 1), padding=((1, 2), (1, 2)), lhs_dilation=(2, 2)), image)
case("max_pool", lambda i: lax.reduce_window(i, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), image)
case("avg_pool", lambda i: lax.reduce_window(i, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") / 9, image)
case("resize", lambda i: jax.image.resize(i, (2, 5, 11, 3), "bilinear"), image)
for name, draw in {
    "normal": lambda k: jax.random.normal(k, (7,)),
    "uniform": lambda k: jax.random.uniform(k, (7,), minval=-1),
    "bits": lambda k: jax.random.bits(k, (7,)),
    "bits8": lambda k: jax.random.bits(k, (7,), jnp.uint8),
    "randint": lambda k: jax.random.randint(k, (7,), 0, 100),
    "permutation": lambda k: jax.random.permutation(k, 12),
    "categorical": lambda k: jax.random.categorical(k, jnp.arange(5.0), shape=(6,)),
    "gamma": lambda k: jax.random.gamma(k, 1.5, (4,)),
    "truncated": lambda k: jax.random.truncated_normal(k, -1, 1, (5,)),
    "orthogonal": lambda k: jnp.abs(jax.random.orthogonal(k, 3)),
    "multivariate": lambda k: jax.random.multivariate_normal(k, jnp.zeros(3), jnp.eye(3)),
    "dirichlet": lambda k: jax.random.dirichlet(k, jnp.ones(3)),
}.items():
    case("random_" + name, draw, np.array([0, 42], np.uint32), grad=False)
for dtype in "float32 bfloat16 float16".split():
    cast = x.astype(dtype) if dtype == "float32" else np.asarray(jnp.asarray(x, dtype))
    case(f"{dtype}_chain", lambda x: jnp.tanh(x @ x.T) * 2 + 1, cast)
    case(f"{dtype}_softmax", lambda x: jax.nn.softmax(x), cast)
for dtype in "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split():
    case(f"{dtype}_arithmetic", lambda n: (n * n + 3) // 2 - n % 3, n.astype(dtype), grad=False)


for dtype in "int4 uint4 int2 uint2".split():
    case(f"{dtype}_arithmetic", lambda n: n * n + n, np.asarray(n % 2).astype(getattr(jnp, dtype)), grad=False)
for dtype in "float8_e4m3fn float8_e5m2 float8_e4m3b11fnuz float8_e4m3fnuz float8_e5m2fnuz float8_e3m4 float8_e4m3 float4_e2m1fn".split():
    eight = lambda t, dtype=dtype: t.astype(getattr(jnp, dtype))
    case(f"{dtype}_scaled", lambda x, eight=eight: eight(x * 3).astype(jnp.float32) / 3, x, grad=False)
    if dtype == "float4_e2m1fn":
        # XLA's own verifier refuses what its compiler makes of such a product.
        continue
    product = lambda x, y: lax.dot_general(x, y, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)
    case(f"{dtype}_product", lambda x, y, eight=eight: product(eight(x), eight(y)), x, y, grad=False)


def attention(x, a):
    q, k, w = x @ a, x @ a.T, x
    return jax.nn.softmax(q @ k.T / 2) @ w


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)


def lstm(x, a):
    def cell(carry, row):
        h, c = carry
        i, f, g, o = jnp.split(jnp.tile(row @ a + h, 4) * jnp.arange(1, 17) / 8, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), h

    return lax.scan(cell, (jnp.zeros(4), jnp.zeros(4)), x)[1]


def rk4(v):
    f = lambda u: jnp.stack([u[1], -jnp.sin(u[0])])

    def step(u, _):
        k1 = f(u)
        k2 = f(u + 0.05 * k1)
        k3 = f(u + 0.05 * k2)
        return u + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + f(u + 0.1 * k3)), u[0]

    return lax.scan(step, v[:2], None, 40)[1]


case("attention", attention, x, a)
case("layer_norm", layer_norm, x)
case("lstm", lstm, x, a)
case("rk4", rk4, v)
case("gaussian_process", lambda x: jnp.linalg.slogdet(jnp.exp(-((x[:, None] - x[None]) ** 2).sum(-1)) + 0.1 * jnp.eye(3))[1], x)
case("distances", lambda x: jnp.sqrt(((x[:, None] - x[None]) ** 2).sum(-1) + 1e-9), x)


def run(f, args, by_grad, device):
    """The result, as NumPy arrays."""
    g = f
    if by_grad:
        weigh = lambda r: jnp.sum(r * jnp.cos(jnp.arange(r.size, dtype=r.dtype)).reshape(r.shape))
        g = jax.grad(lambda *a: weigh(f(*a)).astype(jnp.float64).real)
    with jax.default_device(device):
        given = [jax.device_put(t, device) for t in args]
        made = jax.jit(g)(*given)
        leaves = jax.tree.leaves(made)
        assert all(t.devices() == {device} for t in leaves)
        return [np.asarray(t) for t in leaves]


def tolerance(dtype) -> float:
    return {"float64": 1e-9, "complex128": 1e-9, "float32": 3e-5, "complex64": 3e-5, "float16": 4e-3, "bfloat16": 3e-2}.get(str(dtype), 0)


def main() -> int:
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    wrong = compared = 0
    for name, f, args, by_grad in CASES:
        if word not in name:
            continue
        try:
            got, want = run(f, args, by_grad, OURS), run(f, args, by_grad, THEIRS)
            assert len(got) == len(want)
            for g, w in zip(got, want):
                assert g.shape == w.shape and g.dtype == w.dtype, f"{g.dtype}{g.shape} is not {w.dtype}{w.shape}"
                t = tolerance(w.dtype)
                wide = (lambda t: t.astype(np.float32)) if str(w.dtype) in ("bfloat16", "float16") else (lambda t: t)
                np.testing.assert_allclose(wide(g), wide(w), rtol=t, atol=t)
            compared += 1
        except Exception as e:
            wrong += 1
            print(f"{name}: {type(e).__name__}: {str(e).strip()[:600]}")
    print(f"{compared} of {compared + wrong} functions have the values of XLA")
    return int(wrong > 0 or (not word and compared < LEAST))


if __name__ == "__main__":
    sys.exit(main())
