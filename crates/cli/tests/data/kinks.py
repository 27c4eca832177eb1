"""What JAX and PyTorch give where a function has a kink, a tie or an end: the two columns of `docs/kinks.md`.

    python kinks.py > kinks.txt

needs `jax` and `torch`, on the CPU. A line is `key | JAX | PyTorch`, the keys are those of `kinks.rs`.
"""
import warnings

import jax
import jax.numpy as jnp
import torch

warnings.simplefilter("ignore")
jax.config.update("jax_enable_x64", True)
INF = float("inf")


def show(v):
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(map(show, v)) + "]"
    if isinstance(v, complex):
        return "(%s, %s)" % (show(v.real + 0.0), show(v.imag + 0.0))
    if isinstance(v, bool) or isinstance(v, int):
        return str(v)
    return "nan" if v != v else repr(float(v)) if abs(v) != INF else str(v)


def jgrad(f, *at, conj=False):
    g = jax.grad(lambda *a: jnp.sum(f(*a)), argnums=tuple(range(len(at))))(*[jnp.asarray(a) for a in at])
    # JAX gives the conjugate of the gradient of a complex number.
    return [(jnp.conj(x) if conj else x).tolist() for x in g]


def tgrad(f, *at):
    xs = [torch.tensor(a, dtype=torch.complex128 if isinstance(a, complex) else torch.float64, requires_grad=True) for a in at]
    f(*xs).sum().backward()
    return [(x.grad if x.grad is not None else torch.zeros_like(x)).tolist() for x in xs]


def row(key, j, t):
    def attempt(f):
        if f is None:
            return "–"
        try:
            v = f()
            v = v.tolist() if hasattr(v, "tolist") else v
            return show(v)
        except Exception as e:
            return "refused"

    print(key, "|", attempt(j), "|", attempt(t))


def grad(key, j, t, *at, conj=False):
    one = lambda g: g[0] if len(g) == 1 else g
    row(key, j and (lambda: one(jgrad(j, *at, conj=conj))), t and (lambda: one(tgrad(t, *at))))


lax, nn, F = jax.lax, jax.nn, torch.nn.functional
print("# Written by kinks.py: jax %s, torch %s" % (jax.__version__, torch.__version__.split("+")[0]))
grad("abs", jnp.abs, torch.abs, 0.0)
grad("complex-abs", jnp.abs, torch.abs, 0j, conj=True)
grad("complex-sign", lambda z: jnp.real(jnp.sign(z)), lambda z: torch.sgn(z).real, 0j, conj=True)
grad("max0", lambda x: jnp.maximum(x, 0.0), lambda x: torch.maximum(x, torch.zeros_like(x)), 0.0)
grad("max", jnp.maximum, torch.maximum, 2.0, 2.0)
grad("min", jnp.minimum, torch.minimum, 2.0, 2.0)
row("max-zeros", lambda: [jnp.maximum(-0.0, 0.0), jnp.maximum(0.0, -0.0)], lambda: [torch.maximum(torch.tensor(-0.0), torch.tensor(0.0)).item(), torch.maximum(torch.tensor(0.0), torch.tensor(-0.0)).item()])
grad("clamp-lower", lambda x: jnp.clip(x, 0.0, 1.0), lambda x: torch.clamp(x, 0.0, 1.0), 0.0)
grad("clamp-upper", lambda x: jnp.clip(x, 0.0, 1.0), lambda x: torch.clamp(x, 0.0, 1.0), 1.0)
grad("reduce_max", jnp.max, torch.amax, [1.0, 3.0, 3.0])
grad("reduce_min", jnp.min, torch.amin, [1.0, 1.0, 3.0])
grad("cummax", lambda x: lax.cummax(x), lambda x: torch.cummax(x, 0).values, [1.0, 2.0, 2.0])
row("argmax-tie", lambda: jnp.argmax(jnp.asarray([1.0, 3.0, 3.0])), lambda: torch.argmax(torch.tensor([1.0, 3.0, 3.0])))
grad("sort", lambda x: jnp.sort(x)[:1], lambda x: torch.sort(x, stable=True).values[:1], [2.0, 2.0])
row("sort-zeros", lambda: jnp.sort(jnp.asarray([0.0, -0.0])), lambda: torch.sort(torch.tensor([0.0, -0.0]), stable=True).values)
row("sort-nan", lambda: jnp.sort(jnp.asarray([float("nan"), INF, 1.0])), lambda: torch.sort(torch.tensor([float("nan"), INF, 1.0])).values)
row("top_k-zeros", lambda: lax.top_k(jnp.asarray([-0.0, 0.0]), 2)[1], lambda: torch.topk(torch.tensor([-0.0, 0.0]), 2).indices)
row("top_k-nan", lambda: lax.top_k(jnp.asarray([1.0, float("nan"), INF]), 1)[0], lambda: torch.topk(torch.tensor([1.0, float("nan"), INF]), 1).values)
grad("pow-base-0-0", jnp.power, torch.pow, 0.0, 0.0)
grad("pow-base-0-1", jnp.power, torch.pow, 0.0, 1.0)
grad("pow-base-0-2", jnp.power, torch.pow, 0.0, 2.0)
grad("pow-base-0-minus", jnp.power, torch.pow, 0.0, -1.0)
grad("pow-negative", jnp.power, torch.pow, -2.0, 3.0)


def mixed_j(a, b):
    f = lambda a, b: jnp.power(a, b)
    return [jax.grad(jax.grad(f, 0), 1)(a, b).item(), jax.grad(jax.grad(f, 1), 0)(a, b).item()]


def mixed_t(a, b):
    a, b = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (a, b))
    out = []
    for p, q in ((a, b), (b, a)):
        (g,) = torch.autograd.grad(torch.pow(a, b), p, create_graph=True)
        out.append(torch.autograd.grad(g, q)[0].item())
    return out


row("pow-mixed", lambda: mixed_j(2.0, 0.0), lambda: mixed_t(2.0, 0.0))
grad("sqrt", jnp.sqrt, torch.sqrt, 0.0)
grad("cbrt", jnp.cbrt, None, 0.0)
grad("log", jnp.log, torch.log, 0.0)
grad("acos", jnp.arccos, torch.acos, 1.0)
grad("atan2", jnp.arctan2, torch.atan2, 0.0, 0.0)
grad("norm", lambda x: jnp.sqrt(jnp.sum(x * x)), lambda x: torch.sqrt(torch.sum(x * x)), [0.0, 0.0])
grad("rem", lax.rem, torch.fmod, 6.0, 3.0)
grad("floor", jnp.floor, torch.floor, 2.0)
grad("reduce_prod", jnp.prod, torch.prod, [0.0, 3.0, 4.0])
grad("reduce_prod-two", jnp.prod, torch.prod, [0.0, 0.0, 4.0])
grad("cumprod", jnp.cumprod, lambda x: torch.cumprod(x, 0), [2.0, 0.0, 3.0])
row("logsumexp", lambda: nn.logsumexp(jnp.asarray([-INF, -INF])), lambda: torch.logsumexp(torch.tensor([-INF, -INF]), 0))
grad("logsumexp-slope", nn.logsumexp, lambda x: torch.logsumexp(x, 0), [-INF, -INF])
grad("logsumexp-some", nn.logsumexp, lambda x: torch.logsumexp(x, 0), [-INF, 0.0])
grad("logsumexp-inf", nn.logsumexp, lambda x: torch.logsumexp(x, 0), [INF, 0.0])
grad("cumlogsumexp", lambda x: lax.cumlogsumexp(x), lambda x: torch.logcumsumexp(x, 0), [-INF, -INF])
grad("softmax", lambda x: nn.softmax(x)[:1], lambda x: F.softmax(x, 0)[:1], [INF, 0.0])
grad("select", lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0), lambda x: torch.where(x > 0, torch.sqrt(x), 0.0 * x.detach()), 0.0)
row("silu", lambda: nn.silu(-INF), lambda: F.silu(torch.tensor(-INF)))
grad("silu-slope", nn.silu, F.silu, INF)
row("gelu", lambda: nn.gelu(-INF), lambda: F.gelu(torch.tensor(-INF), approximate="tanh"))
grad("gelu-slope", nn.gelu, lambda x: F.gelu(x, approximate="tanh"), 1e155)
grad("softplus", nn.softplus, F.softplus, 0.0)
