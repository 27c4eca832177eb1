"""Array kernels, of the kinds that NPBench and PolyBench collect, and their gradients."""
import jax
import jax.numpy as jnp
from jax import lax

from . import case


@case("f64[1000,1000]", "f64[1000]", "f64[1000]", "f64[1000]", "f64[1000]", "f64[1000]", grad=True)
def gemver(a, u1, v1, u2, v2, y):
    b = a + jnp.outer(u1, v1) + jnp.outer(u2, v2)
    x = 1.2 * (b.T @ y)
    return 1.5 * (b @ x)


@case("f64[900,1100]", "f64[1100]", grad=True)
def atax(a, x):
    return (a @ x) @ a


@case("f64[1100,900]", "f64[1100]", "f64[900]")
def bicg(a, r, p):
    return r @ a, a @ p


@case("f64[400,300]", "f64[300,500]", "f64[500,200]", grad=True)
def two_products(a, b, c):
    return 1.5 * a @ b @ c


@case("f64[40,50,60]", "f64[60,60]")
def doitgen(a, c):
    return (a.reshape(40, 50, 1, 60) @ c).reshape(40, 50, 60)


@case("f64[600,500]")
def covariance(data):
    d = data - jnp.mean(data, 0)
    return d.T @ d / (data.shape[0] - 1.0)


@case("f64[600,400]", grad=True)
def correlation(data):
    d = data - jnp.mean(data, 0)
    s = jnp.std(data, 0)
    d = d / (jnp.sqrt(600.0) * jnp.where(s <= 0.1, 1.0, s))
    return d.T @ d


@case("f64[300,300]", grad=True)
def jacobi_2d(a):
    def step(a, _):
        inner = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        return a.at[1:-1, 1:-1].set(inner), None

    return lax.scan(step, a, None, length=50)[0]


@case("f64[4000]")
def jacobi_1d(a):
    def step(_, a):
        return a.at[1:-1].set((a[:-2] + a[1:-1] + a[2:]) / 3)

    return lax.fori_loop(0, 200, step, a)


@case("f64[60,60,60]", grad=True)
def heat_3d(a):
    def step(_, a):
        c = a[1:-1, 1:-1, 1:-1]
        new = (
            0.125 * (a[2:, 1:-1, 1:-1] - 2 * c + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2 * c + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2 * c + a[1:-1, 1:-1, :-2])
            + c
        )
        return a.at[1:-1, 1:-1, 1:-1].set(new)

    return lax.fori_loop(0, 10, step, a)


@case("f64[80,90]", "f64[80,90]", "f64[80,90]", "f64[100]")
def fdtd_2d(ex, ey, hz, fict):
    def step(c, f):
        ex, ey, hz = c
        ey = ey.at[0, :].set(f)
        ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        hz = hz.at[:-1, :-1].add(-0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]))
        return (ex, ey, hz), None

    return lax.scan(step, (ex, ey, hz), fict)[0]


@case("f64[400,400]")
def seidel_rows(a):
    def row(above, rows):
        here, below = rows
        s = (above[:-2] + above[1:-1] + above[2:] + here[1:-1] + here[2:] + below[:-2] + below[1:-1] + below[2:]) / 9.0

        def cell(left, x):
            y = x + left / 9.0
            return y, y

        _, inner = lax.scan(cell, here[0], s)
        new = here.at[1:-1].set(inner)
        return new, new

    return lax.scan(row, a[0], (a[1:-1], a[2:]))[1]


@case("f64[120,120]")
def floyd_warshall(path):
    def step(k, p):
        return jnp.minimum(p, p[:, k, None] + p[None, k, :])

    return lax.fori_loop(0, path.shape[0], step, jnp.abs(path))


@case("f64[250,250]+", grad=True)
def symm_rank_update(a):
    return jnp.tril(a @ a.T) * 0.5 + a


@case("f32[2000,2000]", "f32[2000]")
def mvt_both(a, x):
    return x + a @ x, x + x @ a


@case("f64[500000]+", "f64[500000]+", "f64[500000]+", "f64[500000]+", grad=True)
def arc_distance(t1, p1, t2, p2):
    d = jnp.sin((t2 - t1) / 2) ** 2 + jnp.cos(t1) * jnp.cos(t2) * jnp.sin((p2 - p1) / 2) ** 2
    return 2 * jnp.arctan2(jnp.sqrt(d), jnp.sqrt(1 - d))


@case("f64[200000,2]")
def go_fast(a):
    return a + jnp.sum(jnp.tanh(a[:, 0]))


@case("f64[1000,1000]", "f64[1000,1000]")
def compute_clip(a, b):
    return jnp.clip(a, 0.2, 1.0) * 3 + b * 2


@case("f64[256,256]", "f64[256,256]", "f64[256,256]", grad=True)
def azimuth_sum(a, b, c):
    e = jnp.exp(-(a**2) - b**2)
    return jnp.sum(e * c, axis=1) / jnp.sum(e, axis=1)


@case("f64[64,64,64]", "f64[64,64,64]")
def vertical_advection(u, w):
    gcv = 0.25 * (w[1:, :, 1:] + w[:-1, :, 1:])
    cs = gcv * 0.5
    flux = cs * (u[1:, :, 1:] - u[1:, :, :-1])
    return jnp.pad(flux, ((1, 0), (0, 0), (1, 0)))


@case("f64[66,66,64]", "f64[66,66,64]", grad=True)
def horizontal_diffusion(f, c):
    lap = 4.0 * f[1:-1, 1:-1] - (f[2:, 1:-1] + f[:-2, 1:-1] + f[1:-1, 2:] + f[1:-1, :-2])
    fx = lap[1:, 1:-1] - lap[:-1, 1:-1]
    fx = jnp.where(fx * (f[2:-1, 2:-2] - f[1:-2, 2:-2]) > 0, 0, fx)
    fy = lap[1:-1, 1:] - lap[1:-1, :-1]
    fy = jnp.where(fy * (f[2:-2, 2:-1] - f[2:-2, 1:-2]) > 0, 0, fy)
    return f[2:-2, 2:-2] - c[2:-2, 2:-2] * (fx[1:] - fx[:-1] + fy[:, 1:] - fy[:, :-1])


@case("f64[1000,3]", grad=True)
def pair_distances(x):
    d = x[:, None, :] - x[None, :, :]
    return jnp.sqrt(jnp.sum(d * d, -1) + 1e-6)


@case("f32[3,700,500]")
def mean_of_channels(x):
    return jnp.mean(x, 0), jnp.std(x, 0)


@case("f64[2000,300]", "f64[500,300]")
def nearest_centre(x, c):
    d = jnp.sum(x * x, 1)[:, None] - 2 * x @ c.T + jnp.sum(c * c, 1)
    return jnp.argmin(d, 1), jnp.min(d, 1)


@case("f64[7,1000,33]", "f64[33,7,16]", grad=True)
def odd_contraction(a, b):
    return jnp.einsum("abc,cad->bd", a, b)


@case("f32[1000000]")
def running_sums(x):
    return jnp.cumsum(x), jnp.max(lax.cummax(x))


@case("f64[300,1000]")
def running_products_of_rows(x):
    return jnp.cumprod(1 + 0.01 * x, axis=1)


@case("c128[400,400]")
def mandelbrot(c):
    def step(_, s):
        z, n = s
        z = jnp.where(jnp.abs(z) < 2, z * z + c, z)
        return z, n + (jnp.abs(z) < 2)

    return lax.fori_loop(0, 30, step, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))[1]


@case("f64[100,100]", "f64[100,100]", grad=True)
def kronecker(a, b):
    return jnp.sum(jnp.kron(a[:30, :30], b[:30, :30]), 0)


@case("f64[512,512]")
def strided_views(a):
    return a[::2, ::3] @ a[::3, ::2][:, :171].T[:171]


@case("f64[100,200,30]")
def permuted_sums(a):
    return jnp.sum(a.transpose(2, 0, 1) * a.transpose(2, 0, 1)[::-1], (0, 2))


@case("f32[16,1000]", "f32[1000,16]", "f32[16]")
def thin_products(a, b, x):
    return a @ b @ x, b @ x


@case("f64[3000,3]", "f64[3,3]", "f64[3]", grad=True)
def rotate_points(p, r, t):
    return p @ r.T + t


@case("f64[10000,4,4]", "f64[10000,4]", grad=True)
def many_small_matvecs(a, x):
    return jnp.einsum("nij,nj->ni", a, x)
