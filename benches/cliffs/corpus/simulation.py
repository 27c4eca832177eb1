"""Simulations: differential equations, particles, lattices."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.ode import odeint

from . import case


@case("f64[200,3]", "f64[200,3]", "f64[200]+")
def n_body(x, v, m):
    def force(x):
        d = x[None] - x[:, None]
        r = jnp.sum(d * d, -1) + 0.01
        return jnp.sum(d * (m / (r * jnp.sqrt(r)))[..., None], 1)

    def step(s, _):
        x, v = s
        v = v + 0.005 * force(x)
        x = x + 0.01 * v
        return (x, v + 0.005 * force(x)), None

    return lax.scan(step, (x, v), None, length=10)[0]


@case("f64[64,3]+", grad=True)
def lennard_jones(x):
    x = x + 2.0 * jnp.arange(64)[:, None]
    d = x[:, None] - x[None]
    r = jnp.sum(d * d, -1) + jnp.eye(64)
    s = 1 / r**3
    return 2 * jnp.sum((s * s - s) * (1 - jnp.eye(64)))


@case("f64[3]", "f64[3]+", grad=True)
def lorenz(x, p):
    def f(x):
        return jnp.array([10 * p[0] * (x[1] - x[0]), x[0] * (28 * p[1] - x[2]) - x[1], x[0] * x[1] - 8 / 3 * p[2] * x[2]])

    def step(x, _):
        h = 0.001
        a = f(x)
        b = f(x + h / 2 * a)
        c = f(x + h / 2 * b)
        d = f(x + h * c)
        x = x + h / 6 * (a + 2 * b + 2 * c + d)
        return x, x

    return lax.scan(step, x, None, length=1000)[1]


@case("f64[2]+", "f64[4]+", grad=True)
def predator_and_prey(y, p):
    def f(y, t):
        return jnp.array([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])

    return odeint(f, y, jnp.linspace(0.0, 5.0, 20))


@case("f64[128,128]", "f64[128,128]")
def gray_scott(u, v):
    def lap(a):
        return jnp.roll(a, 1, 0) + jnp.roll(a, -1, 0) + jnp.roll(a, 1, 1) + jnp.roll(a, -1, 1) - 4 * a

    def step(_, s):
        u, v = s
        r = u * v * v
        return u + 0.16 * lap(u) - r + 0.035 * (1 - u), v + 0.08 * lap(v) + r - 0.1 * v

    return lax.fori_loop(0, 100, step, (jax.nn.sigmoid(u), jax.nn.sigmoid(v)))


@case("bool[256,256]?")
def game_of_life(a):
    def step(_, a):
        n = sum(jnp.roll(a, (i, j), (0, 1)).astype(jnp.int32) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        return (n == 3) | (a & (n == 2))

    return lax.fori_loop(0, 50, step, a)


@case("f64[9,64,64]+")
def lattice_boltzmann(f):
    c = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)]
    w = jnp.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    cx, cy = jnp.array([a[0] for a in c], float), jnp.array([a[1] for a in c], float)

    def step(_, f):
        f = jnp.stack([jnp.roll(f[i], c[i], (0, 1)) for i in range(9)])
        rho = jnp.sum(f, 0)
        u, v = jnp.tensordot(cx, f, 1) / rho, jnp.tensordot(cy, f, 1) / rho
        q = cx[:, None, None] * u + cy[:, None, None] * v
        eq = w[:, None, None] * rho * (1 + 3 * q + 4.5 * q * q - 1.5 * (u * u + v * v))
        return f - 0.6 * (f - eq)

    return lax.fori_loop(0, 20, step, f)


@case("f64[500]", "f64[500]", grad=True)
def wave_equation(u, v):
    def step(s, _):
        u, v = s
        a = jnp.pad(u[2:] - 2 * u[1:-1] + u[:-2], 1)
        v = v + 0.1 * a
        return (u + 0.1 * v, v), None

    return lax.scan(step, (u, v), None, length=300)[0]


@case("f64[256]+", grad=True)
def burgers_by_upwind(u):
    def step(_, u):
        left = jnp.roll(u, 1)
        return u - 0.1 * jnp.where(u > 0, u * (u - left), u * (jnp.roll(u, -1) - u))

    return lax.fori_loop(0, 100, step, u)


@case("f64[100]", "f64[100]+", "f64[100]")
def tridiagonal_by_thomas(a, b, d):
    b = b + 4

    def forward(s, x):
        c, e = s
        a, b, d = x
        k = 1 / (b - 0.3 * a * c)
        return (k, (d - 0.3 * a * e) * k), (k, (d - 0.3 * a * e) * k)

    z = jnp.zeros(())
    _, (c, e) = lax.scan(forward, (z, z), (a, b, d))

    def backward(x, s):
        c, e = s
        x = e - c * x
        return x, x

    return lax.scan(backward, z, (c, e), reverse=True)[1]


@case("f64[64,64]", grad=True)
def poisson_by_conjugate_gradients(b):
    def a(x):
        p = jnp.pad(x, 1)
        return 4 * x - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]

    def step(s, _):
        x, r, p, rr = s
        q = a(p)
        k = rr / jnp.vdot(p, q)
        x, r = x + k * p, r - k * q
        new = jnp.vdot(r, r)
        return (x, r, r + new / rr * p, new), None

    return lax.scan(step, (jnp.zeros_like(b), b, b, jnp.vdot(b, b)), None, length=40)[0][0]


@case("f64[4]~", "f64[200]~", grad=True)
def pendulum_on_a_cart(x, u):
    def step(x, u):
        p, t, v, w = x
        s, c = jnp.sin(t), jnp.cos(t)
        k = 1 / (1 + 0.1 * s * s)
        a = k * (u + 0.1 * s * (w * w - 9.8 * c))
        b = k * (-u * c - 0.1 * w * w * s * c + 1.1 * 9.8 * s)
        return x + 0.01 * jnp.stack([v, w, a, b]), None

    return lax.scan(step, x, u)[0]


@case("f64[1000,2]", "u32[2]")
def brownian_paths(x, key):
    def step(s, k):
        s = s - 0.01 * s + 0.1 * jax.random.normal(k, s.shape)
        return s, jnp.mean(s, 0)

    return lax.scan(step, x, jax.random.split(key, 100))[1]


@case("f64[32,32,32]")
def spectral_derivatives(u):
    k = jnp.fft.fftfreq(32, 1 / 32)
    h = jnp.fft.fftn(u)
    d = [jnp.fft.ifftn(1j * k.reshape([-1 if i == j else 1 for j in range(3)]) * h).real for i in range(3)]
    return jnp.stack(d)


@case("f64[50,50]", "f64[]+")
def ising_checkerboard(s, beta):
    s = jnp.sign(s)
    i = jnp.arange(50)
    black = (i[:, None] + i[None]) % 2 == 0

    def half(s, mask):
        n = jnp.roll(s, 1, 0) + jnp.roll(s, -1, 0) + jnp.roll(s, 1, 1) + jnp.roll(s, -1, 1)
        return jnp.where(mask & (s * n * beta < 0.3), -s, s)

    return lax.fori_loop(0, 60, lambda _, s: half(half(s, black), ~black), s)


@case("f64[1000]+", "f64[1000]+", grad=True)
def orbits(a, e):
    e, m = 0.5 * (e - 0.5), 3 * a
    x = lax.fori_loop(0, 8, lambda _, x: x - (x - e * jnp.sin(x) - m) / (1 - e * jnp.cos(x)), m)
    return a * (1 - e * jnp.cos(x))


@case("f64[40]", grad=True)
def lorenz_96(x):
    def f(x):
        return (jnp.roll(x, -1) - jnp.roll(x, 2)) * jnp.roll(x, 1) - x + 8

    def step(x, _):
        k = f(x)
        return x + 0.01 * f(x + 0.005 * k), None

    return lax.scan(step, x, None, length=200)[0]
