"""Twelve gradients of real losses of complex numbers, as JAX and PyTorch give them: columns of `docs/complex.md`.

    python complex.py > complex.txt

needs `jax` and `torch`, on the CPU. A line is `key | JAX | PyTorch`, the keys are those of `complex.rs`.
"""
import jax
import jax.numpy as jnp
import torch

jax.config.update("jax_enable_x64", True)
Z, W = 0.6 - 0.8j, 1.2 + 0.5j
A = [[1.0 + 2.0j, 0.5j], [-1.0 + 0.0j, 2.0 - 1.0j]]
V = [0.6 - 0.8j, 1.2 + 0.5j]


def show(v):
    if isinstance(v, list):
        return "[" + ", ".join(map(show, v)) + "]"
    if isinstance(v, complex):
        return "(%r, %r)" % (v.real + 0.0, v.imag + 0.0)
    return repr(v + 0.0)


def row(key, j, t, *at):
    grads = jax.grad(j, argnums=tuple(range(len(at))))(*map(jnp.asarray, at))
    kind = lambda a: torch.complex128 if "j" in repr(a) else torch.float64
    xs = [torch.tensor(a, dtype=kind(a), requires_grad=True) for a in at]
    t(*xs).backward()
    print(key, "|", ", ".join(show(g.tolist()) for g in grads), "|", ", ".join(show(x.grad.tolist()) for x in xs))


print("# Written by complex.py: jax %s, torch %s" % (jax.__version__, torch.__version__.split("+")[0]))
row("square", lambda z: jnp.abs(z) ** 2, lambda z: z.abs() ** 2, Z)
row("modulus", jnp.abs, torch.abs, Z)
row("real", jnp.real, torch.real, Z)
row("imag", jnp.imag, torch.imag, Z)
row("product", lambda z, w: jnp.real(z * w), lambda z, w: torch.real(z * w), Z, W)
row("inner", lambda z, w: jnp.real(jnp.conj(z) * w), lambda z, w: torch.real(z.conj() * w), Z, W)
row("quotient", lambda z, w: jnp.real(z / w), lambda z, w: torch.real(z / w), Z, W)
row("exp", lambda z: jnp.real(jnp.exp(z)), lambda z: torch.real(torch.exp(z)), Z)
row("log", lambda z: jnp.imag(jnp.log(z)), lambda z: torch.imag(torch.log(z)), Z)
row("sqrt", lambda z: jnp.real(jnp.sqrt(z)), lambda z: torch.real(torch.sqrt(z)), Z)
row("residual", lambda z: jnp.sum(jnp.abs(jnp.asarray(A) @ z - 1.0) ** 2), lambda z: (torch.tensor(A, dtype=torch.complex128) @ z - 1.0).abs().square().sum(), V)
row("fft", lambda x: jnp.sum(jnp.abs(jnp.fft.fft(x)) ** 2 * jnp.array([1.0, 2.0])), lambda x: (torch.fft.fft(x).abs() ** 2 * torch.tensor([1.0, 2.0])).sum(), V)
