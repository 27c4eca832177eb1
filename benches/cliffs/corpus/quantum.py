"""Complex numbers and quantum states."""
import jax
import jax.numpy as jnp
from jax import lax

from . import case


@case("c128[65536]", "f64[16]", grad=True)
def layer_of_rotations(psi, t):
    psi = psi / 300
    for k in range(16):
        p = psi.reshape(2**k, 2, -1)
        c, s = jnp.cos(t[k] / 2), jnp.sin(t[k] / 2)
        psi = jnp.stack([c * p[:, 0] - 1j * s * p[:, 1], c * p[:, 1] - 1j * s * p[:, 0]], 1).reshape(-1)
    return jnp.abs(psi) ** 2


@case("c128[1024]", "f64[20,10]", grad=True)
def circuit_expectation(psi, t):
    psi = psi / jnp.sqrt(jnp.sum(jnp.abs(psi) ** 2))

    def layer(psi, t):
        p = psi.reshape((2,) * 10)
        for k in range(10):
            g = jnp.array([[jnp.cos(t[k]), -jnp.sin(t[k])], [jnp.sin(t[k]), jnp.cos(t[k])]]).astype(p.dtype)
            p = jnp.moveaxis(jnp.tensordot(g, p, ((1,), (k,))), 0, k)
        i = jnp.arange(1024)
        sign = jnp.where(lax.population_count(i & (i >> 1)) % 2 == 1, -1, 1)
        return p.reshape(-1) * sign, None

    psi = lax.scan(layer, psi, t)[0]
    return jnp.sum(jnp.abs(psi[:512]) ** 2)


@case("c64[200,200]", "c64[200,200]")
def complex_product(a, b):
    return a @ jnp.conj(b).T


@case("c128[64,64]")
def hermitian_eigenvalues(a):
    return jnp.linalg.eigh(a + jnp.conj(a).T)[0]


@case("f64[12]", "f64[11]", grad=True)
def ising_chain_energy(h, j):
    n = 4096
    i = jnp.arange(n)
    spins = 1.0 - 2 * ((i[:, None] >> jnp.arange(12)) & 1)
    diagonal = (spins[:, 1:] * spins[:, :-1]) @ j
    psi = jnp.ones(n) / 64

    def apply(psi):
        return diagonal * psi + sum(h[k] * psi[i ^ (1 << k)] for k in range(12))

    psi = lax.fori_loop(0, 10, lambda _, p: (lambda q: q / jnp.linalg.norm(q))(p - 0.1 * apply(p)), psi)
    return psi @ apply(psi)


@case("c128[50,50]", "c128[50,50]")
def lindblad_steps(h, r):
    h = h + jnp.conj(h).T

    def step(_, r):
        return r - 0.01j * (h @ r - r @ h)

    return lax.fori_loop(0, 20, step, r)


@case("c64[100000]")
def polar_forms(z):
    return jnp.abs(z), jnp.angle(z), z / (jnp.abs(z) + 1), jnp.exp(1j * jnp.angle(z))


@case("c128[20000]")
def roots_by_newton(z):
    def step(_, z):
        return z - (z**3 - 1) / (3 * z * z)

    return lax.fori_loop(0, 20, step, z)


@case("c128[2,2,2,2,2,2,2,2]", "c128[2,2,2,2]")
def two_qubit_gate(psi, g):
    return jnp.einsum("abcdefgh,xycf->abxdeygh", psi, g)


@case("f64[128]")
def schroedinger_split_step(v):
    n = 128
    x = jnp.linspace(-5, 5, n)
    k = 2 * jnp.pi * jnp.fft.fftfreq(n, 10 / n)
    psi = jnp.exp(-(x**2)) + 0j
    a, b = jnp.exp(-0.005j * v), jnp.exp(-0.005j * k**2)

    def step(psi, _):
        return a * jnp.fft.ifft(b * jnp.fft.fft(a * psi)), None

    return lax.scan(step, psi, None, length=100)[0]


@case("c128[3,32,32]", "c128[32]")
def kraus_map(k, x):
    r = jnp.outer(x, jnp.conj(x))
    return jnp.einsum("kij,jl,kml->im", k, r, jnp.conj(k))


@case("c64[64,512]")
def rows_of_fourier(z):
    return jnp.fft.fftshift(jnp.fft.fft(z, axis=1), 1)
