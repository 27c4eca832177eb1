"""What the other parts leave out: images and points, sampling, small control, optimisers, physics on meshes, sums of several kinds."""
import jax
import jax.numpy as jnp
from jax import lax

from . import case


@case("f64[2000,3]", "f64[3]+", grad=True)
def inertia_of_points(p, m):
    w = p * m
    r2 = jnp.sum(w * w, 1)
    return jnp.sum(r2) * jnp.eye(3) - w.T @ w


@case("f32[64,64,3]", "f32[3,3]", grad=True)
def colour_matrix_and_gamma(image, m):
    linear = jnp.where(image <= 0.04045, image / 12.92, ((jnp.abs(image) + 0.055) / 1.055) ** 2.4)
    return jnp.einsum("hwc,dc->hwd", linear, m)


@case("f32[256,256]~")
def bilateral_filter(x):
    p = jnp.pad(x, 2, mode="edge")
    total, weight = jnp.zeros_like(x), jnp.zeros_like(x)
    for i in range(5):
        for j in range(5):
            y = p[i : i + 256, j : j + 256]
            w = jnp.exp(-((i - 2) ** 2 + (j - 2) ** 2) / 8.0 - (y - x) ** 2 * 50)
            total, weight = total + w * y, weight + w
    return total / weight


@case("f32[200,200]~")
def morphological_opening(x):
    low = lax.reduce_window(x, jnp.inf, lax.min, (5, 5), (1, 1), "SAME")
    return lax.reduce_window(low, -jnp.inf, lax.max, (5, 5), (1, 1), "SAME")


@case("i32[400]<400", "i32[400]<400", "f64[400]", grad=True)
def potential_of_springs(i, j, k):
    x = jnp.stack([jnp.cos(k), jnp.sin(k), k], 1)
    d = jnp.linalg.norm(x[i] - x[j] + 1e-3, axis=1)
    return 0.5 * jnp.sum((d - 1) ** 2)


@case("f64[64]", "f64[64,64]", grad=True)
def hopfield_updates(s, w):
    sym = w + w.T
    return lax.fori_loop(0, 20, lambda _, s: jnp.tanh(sym @ s * 0.1), s)


@case("f32[32,100]", "f32[100,100]", "f32[100,50]", "f32[50]", grad=True)
def residual_block(x, w1, w2, b):
    h = x + jax.nn.silu(x @ w1 * 0.1)
    h = (h - h.mean(-1, keepdims=True)) / (h.std(-1, keepdims=True) + 1e-5)
    return jax.nn.softplus(h @ w2 * 0.1 + b)


@case("f64[50000]", "f64[50000]+")
def weighted_quantile(x, w):
    order = jnp.argsort(x)
    c = jnp.cumsum(w[order])
    return x[order][jnp.searchsorted(c, c[-1] * jnp.array([0.1, 0.5, 0.9]))]


@case("f64[1000]", "f64[1000]", grad=True)
def spearman_of_soft_ranks(x, y):
    def soft(v):
        return jnp.sum(jax.nn.sigmoid((v[:, None] - v[None]) * 5), 1)

    a, b = soft(x), soft(y)
    a, b = a - a.mean(), b - b.mean()
    return jnp.sum(a * b) / jnp.sqrt(jnp.sum(a * a) * jnp.sum(b * b))


@case("f64[300,300]")
def simple_iteration_of_laplace(u):
    def cond(s):
        return (s[1] > 1e-6) & (s[2] < 100)

    def body(s):
        u, _, k = s
        v = u.at[1:-1, 1:-1].set(0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]))
        return v, jnp.max(jnp.abs(v - u)), k + 1

    return lax.while_loop(cond, body, (u, jnp.inf, 0))


@case("f64[500]+", grad=True)
def logistic_map(r):
    return lax.fori_loop(0, 200, lambda _, x: (2 + r) * x * (1 - x), jnp.full(500, 0.3))


@case("f64[20000]~")
def digits_of_base_three(x):
    def step(v, _):
        v = v * 3
        d = jnp.floor(v)
        return v - d, d.astype(jnp.int32)

    return lax.scan(step, jnp.abs(x), None, length=20)[1]


@case("f32[8,16,32,32]", "f32[32,16,3,3]", "f32[32]", grad=True)
def conv_nchw_relu_pool(x, w, b):
    y = lax.conv_general_dilated(x, w, (1, 1), "SAME") + b[:, None, None]
    y = jax.nn.relu(y * 0.1)
    return lax.reduce_window(y, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


@case("f32[4,32,16,16]", grad=True)
def pixel_shuffle(x):
    b, c, h, w = x.shape
    return x.reshape(b, c // 4, 2, 2, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(b, c // 4, 2 * h, 2 * w)


@case("f32[16,64,64]", grad=True)
def group_norm(x):
    g = x.reshape(16, 8, 8, 64)
    m = g.mean((2, 3), keepdims=True)
    v = g.var((2, 3), keepdims=True)
    return ((g - m) / jnp.sqrt(v + 1e-5)).reshape(16, 64, 64)


@case("f32[64,1000]", "i32[64]<1000", grad=True)
def label_smoothing(z, y):
    p = jax.nn.log_softmax(z)
    one = jax.nn.one_hot(y, 1000) * 0.9 + 0.1 / 1000
    return -jnp.mean(jnp.sum(p * one, -1))


@case("f32[32,20,40]", "f32[40,40]", "f32[40,40]", "f32[40]", grad=True)
def elman_over_batches(x, w, u, b):
    def step(h, v):
        h = jnp.tanh(v @ w * 0.2 + h @ u * 0.2 + b)
        return h, h

    return lax.scan(step, jnp.zeros((32, 40), x.dtype), x.transpose(1, 0, 2))[1]


@case("f32[2,128,64]", "f32[2,128,64]", "f32[2,128,64]", grad=True)
def causal_by_blocks(q, k, v):
    def block(i):
        s = jnp.einsum("bqd,bkd->bqk", lax.dynamic_slice_in_dim(q, i * 32, 32, 1), k) / 8.0
        rows = i * 32 + jnp.arange(32)
        s = jnp.where(rows[:, None] >= jnp.arange(128)[None], s, -jnp.inf)
        return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(s), v)

    return lax.map(block, jnp.arange(4))


@case("f64[100,100]", grad=True)
def spectral_norm_by_iteration(a):
    def step(v, _):
        w = a.T @ (a @ v)
        return w / jnp.linalg.norm(w), None

    v = lax.scan(step, jnp.ones(100) / 10, None, length=30)[0]
    return jnp.linalg.norm(a @ v)


@case("f64[60,60]^", "f64[60]", grad=True)
def gaussian_log_likelihood(s, x):
    l = jnp.linalg.cholesky(s)
    z = jax.scipy.linalg.solve_triangular(l, x, lower=True)
    return -0.5 * z @ z - jnp.sum(jnp.log(jnp.diag(l)))


@case("f64[40,8,8]^", "f64[40,8]", grad=True)
def batched_log_likelihoods(s, x):
    def one(s, x):
        l = jnp.linalg.cholesky(s)
        z = jax.scipy.linalg.solve_triangular(l, x, lower=True)
        return -0.5 * z @ z - jnp.sum(jnp.log(jnp.diag(l)))

    return jax.vmap(one)(s, x)


@case("f64[200,12]", "f64[200]", grad=True)
def ridge_by_normal_equations(x, y):
    return jnp.linalg.solve(x.T @ x + 0.1 * jnp.eye(12), x.T @ y)


@case("f64[16,16]", grad=True)
def exponential_by_series(a):
    def step(s, k):
        term, total = s
        term = term @ a / k
        return (term, total + term), None

    return lax.scan(step, (jnp.eye(16), jnp.eye(16)), jnp.arange(1.0, 21.0))[0][1]


@case("c128[64]", "f64[64]+", grad=False)
def damped_oscillators(z, w):
    def step(z, _):
        z = z * jnp.exp((1j * w - 0.1) * 0.05)
        return z, jnp.abs(z)

    return lax.scan(step, z, None, length=200)[1]


@case("c64[128,128]")
def phase_retrieval(z):
    m = jnp.abs(jnp.fft.fft2(z))

    def step(g, _):
        f = jnp.fft.fft2(g)
        g = jnp.fft.ifft2(m * f / (jnp.abs(f) + 1e-6))
        return jnp.maximum(g.real, 0).astype(z.dtype), None

    return lax.scan(step, z, None, length=10)[0]


@case("f64[4096]", grad=True)
def autocorrelation(x):
    f = jnp.fft.rfft(x, 8192)
    return jnp.fft.irfft(f * jnp.conj(f))[:4096] / 4096


@case("f64[512]", grad=True)
def cosine_transform(x):
    n = 512
    k = jnp.arange(n)
    return jnp.cos(jnp.pi / n * (k[:, None]) * (k[None] + 0.5)) @ x


@case("i32[5000]<1000", "f32[1000,32]", grad=True)
def bag_of_embeddings(i, table):
    e = table[i].reshape(100, 50, 32)
    return jnp.tanh(e.mean(1))


@case("i32[3000]<100", "i32[3000]<100", "f64[3000]", grad=True)
def contingency_table(i, j, w):
    t = jnp.zeros((100, 100)).at[i, j].add(w * w)
    p = t / t.sum()
    return jnp.sum(jnp.where(p > 0, p * jnp.log(jnp.where(p > 0, p, 1)), 0))


@case("f64[2000]", "i32[2000]<50", grad=True)
def softmax_by_group(x, g):
    m = jax.ops.segment_max(x, g, 50)
    e = jnp.exp(x - m[g])
    return e / jax.ops.segment_sum(e, g, 50)[g]


@case("i32[10000]<256")
def run_lengths(x):
    y = x // 64
    starts = jnp.concatenate([jnp.array([True]), y[1:] != y[:-1]])
    run = jnp.cumsum(starts) - 1
    return jnp.zeros(10000, jnp.int32).at[run].add(1)


@case("i32[2000]<1000000")
def josephus_and_friends(n):
    def body(s):
        x, k = s
        return jnp.where(x % 2 == 0, x // 2, jnp.where(x > 1, x - 1, x)), k + (x > 1)

    return lax.while_loop(lambda s: jnp.any(s[0] > 1), body, (n, jnp.zeros_like(n)))[1]


@case("u32[4096]")
def linear_congruential(x):
    def step(x, _):
        x = x * jnp.uint32(1664525) + jnp.uint32(1013904223)
        return x, None

    return lax.scan(step, x, None, length=64)[0]


@case("u32[20000]")
def gray_codes_and_reversal(x):
    g = x ^ (x >> 1)
    for s, m in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        g = ((g >> s) & jnp.uint32(m)) | ((g & jnp.uint32(m)) << s)
    return (g >> 16) | (g << 16)


@case("f64[3]", "f64[3]", "f64[3]+", grad=True)
def kepler_orbit(x, v, m):
    def step(s, _):
        x, v = s
        a = -x / (jnp.sum(x * x) + 0.5) ** 1.5
        v = v + 0.01 * a
        return (x + 0.01 * v, v), x

    return lax.scan(step, (x, v), None, length=500)[1] * m


@case("f64[]+", "f64[]+", grad=True)
def fixed_point_of_cosine(a, b):
    return lax.fori_loop(0, 100, lambda _, x: jnp.cos(a * x) * b, 0.5)


@case("f64[100]+")
def lambert_by_halley(z):
    def body(s):
        w, _, k = s
        e = jnp.exp(w)
        f = w * e - z
        d = f / (e * (w + 1) - (w + 2) * f / (2 * w + 2))
        return w - d, jnp.max(jnp.abs(d)), k + 1

    return lax.while_loop(lambda s: (s[1] > 1e-12) & (s[2] < 50), body, (jnp.ones(100), 1.0, 0))[0]


@case("f64[10]", "f64[30,10]", "f64[30]", grad=False)
def gauss_newton(w, x, y):
    def residual(w):
        return jnp.tanh(x @ w) - y

    def step(w, _):
        j = jax.jacfwd(residual)(w)
        r = residual(w)
        return w - jnp.linalg.solve(j.T @ j + 0.1 * jnp.eye(10), j.T @ r), jnp.sum(r * r)

    return lax.scan(step, w, None, length=10)[1]


@case("f64[20]")
def hessian_of_rosenbrock(x):
    return jax.hessian(lambda x: jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))(x)


@case("f64[30]", "f64[30]")
def momentum_descent(x, y):
    loss = lambda x: jnp.sum(jnp.log1p((x - y) ** 2)) + 0.1 * jnp.sum(x[1:] * x[:-1])

    def step(s, _):
        x, v = s
        v = 0.9 * v - 0.01 * jax.grad(loss)(x)
        return (x + v, v), loss(x)

    return lax.scan(step, (x, jnp.zeros(30)), None, length=200)[1]


@case("f64[64,64]", "f64[64,64]", grad=True)
def shallow_water(h, u):
    def step(s, _):
        h, u, v = s
        dx = lambda f: (jnp.roll(f, -1, 0) - jnp.roll(f, 1, 0)) * 0.5
        dy = lambda f: (jnp.roll(f, -1, 1) - jnp.roll(f, 1, 1)) * 0.5
        u = u - 0.01 * dx(h)
        v = v - 0.01 * dy(h)
        return (h - 0.01 * (dx(u) + dy(v)), u, v), None

    return lax.scan(step, (h, u, jnp.zeros_like(h)), None, length=20)[0][0]


@case("f64[128,128]+", grad=True)
def diffusion_with_coefficients(k):
    def step(u, _):
        fx = 0.5 * (k[1:] + k[:-1]) * (u[1:] - u[:-1])
        fy = 0.5 * (k[:, 1:] + k[:, :-1]) * (u[:, 1:] - u[:, :-1])
        d = jnp.pad(fx, ((0, 1), (0, 0))) - jnp.pad(fx, ((1, 0), (0, 0)))
        d = d + jnp.pad(fy, ((0, 0), (0, 1))) - jnp.pad(fy, ((0, 0), (1, 0)))
        return u + 0.1 * d, None

    return lax.scan(step, k * k, None, length=10)[0]


@case("f64[500,2]", "f64[500,2]")
def boids(x, v):
    def step(s, _):
        x, v = s
        d = x[None] - x[:, None]
        r2 = jnp.sum(d * d, -1)
        near = (r2 < 1) & (r2 > 0)
        n = jnp.maximum(near.sum(1), 1)[:, None]
        to = jnp.sum(jnp.where(near[..., None], d, 0), 1) / n
        along = jnp.sum(jnp.where(near[..., None], v[None], 0), 1) / n
        v = v + 0.01 * to + 0.1 * (along - v)
        return (x + 0.1 * v, v), None

    return lax.scan(step, (x, v), None, length=5)[0][0]


@case("f64[100000]", "f64[100000]+")
def monte_carlo_option(z, s):
    p = s * jnp.exp(0.02 + 0.2 * z)
    pay = jnp.maximum(p - 1.0, 0) * jnp.exp(-0.05)
    return pay.mean(), pay.std() / jnp.sqrt(100000.0)


@case("f64[10000]")
def running_statistics(x):
    def step(s, x):
        n, m, q = s
        n = n + 1
        d = x - m
        m = m + d / n
        q = q + d * (x - m)
        return (n, m, q), q / n

    return lax.scan(step, (0.0, 0.0, 0.0), x)[1]


@case("f64[1000]~", grad=True)
def chebyshev_series(x):
    def step(s, k):
        a, b, total = s
        c = 2 * x * b - a
        return (b, c, total + c / (k * k)), None

    return lax.scan(step, (jnp.ones_like(x), x, x), jnp.arange(2.0, 30.0))[0][2]


@case("f64[300,4]+", grad=True)
def dirichlet_densities(a):
    x = a / a.sum(1, keepdims=True)
    return jnp.sum((a - 1) * jnp.log(x), 1) + jax.lax.lgamma(a.sum(1)) - jnp.sum(jax.lax.lgamma(a), 1)


@case("f64[5000]", "f64[5000]")
def hull_turns(x, y):
    order = jnp.lexsort((y, x))
    x, y = x[order], y[order]
    cross = (x[1:-1] - x[:-2]) * (y[2:] - y[:-2]) - (y[1:-1] - y[:-2]) * (x[2:] - x[:-2])
    return jnp.sum(cross > 0), jnp.where(cross > 0, x[1:-1], 0)


@case("i32[60]<200", "f64[60]+")
def knapsack_of_values(w, v):
    def item(best, s):
        w, v = s
        shifted = jnp.where(jnp.arange(1001) >= w, jnp.roll(best, w), -jnp.inf)
        return jnp.maximum(best, shifted + v), None

    return lax.scan(item, jnp.zeros(1001), (w, v))[0][-1]


@case("f64[16,16,16]", "f64[16,16]", "f64[16,16]", "f64[16,16]", grad=True)
def tucker(core, a, b, c):
    return jnp.einsum("ijk,ai,bj,ck->abc", core, a, b, c)


@case("f64[6,8,2,8]", "f64[6,8,2,8]", grad=True)
def overlap_of_matrix_products(a, b):
    e = jnp.ones((8, 8))
    for k in range(6):
        e = jnp.einsum("ij,isk,jsl->kl", e, a[k], b[k])
    return jnp.sum(e)


@case("f32[50,50]", "f32[50,50]", "f32[50]")
def choice_of_update(a, b, x):
    def step(x, k):
        x = lax.switch(k % 3, [lambda x: jnp.tanh(a @ x), lambda x: b @ x * 0.1, lambda x: x - jnp.mean(x)], x)
        return x, jnp.sum(x)

    return lax.scan(step, x, jnp.arange(30))


@case("f32[1000,3]", "f32[4]")
def rays_and_spheres(d, s):
    d = d / jnp.linalg.norm(d, axis=1, keepdims=True)
    c = jnp.array([0.0, 0.0, 3.0], d.dtype)
    b = d @ c
    disc = b * b - jnp.sum(c * c) + s[0] ** 2
    t = jnp.where(disc > 0, b - jnp.sqrt(jnp.where(disc > 0, disc, 1)), jnp.inf)
    n = (d * t[:, None] - c) / s[0]
    return jnp.where(jnp.isfinite(t)[:, None], jnp.maximum(n @ jnp.array([0.0, 0.0, -1.0], d.dtype), 0)[:, None], 0.1)


@case("f64[400,400]")
def double_centred_distances(d):
    d2 = d * d
    return -0.5 * (d2 - d2.mean(0) - d2.mean(1)[:, None] + d2.mean())


@case("f64[100,20]", "f64[100,20]", grad=True)
def energy_distance(x, y):
    def mean(a, b):
        return jnp.mean(jnp.sqrt(jnp.sum((a[:, None] - b[None]) ** 2, -1) + 1e-9))

    return 2 * mean(x, y) - mean(x, x) - mean(y, y)


@case("f64[8,8]")
def sinkhorn_balancing_small(a):
    def body(s):
        k, _ = s
        k = k / k.sum(0)
        k = k / k.sum(1, keepdims=True)
        return k, jnp.abs(k.sum(0) - 1).max()

    return lax.while_loop(lambda s: s[1] > 1e-9, body, (jnp.exp(a), 1.0))[0]


@case("f64[2000]", "f64[2000]")
def piecewise_interpolation(x, y):
    knots = jnp.linspace(-3, 3, 50)
    values = jnp.sin(knots)
    return jnp.interp(x, knots, values) + jnp.polyval(jnp.array([1.0, -2, 0.5, 3]), y)


@case("f32[128,128]", "f32[128,128]")
def masked_assignments(a, b):
    m = a > b
    c = jnp.where(m, a, b)
    c = c.at[::2].multiply(2)
    c = c.at[:, 1::3].add(b[:, 1::3])
    return jnp.where(jnp.eye(128, dtype=bool), 0, c), m.sum(0)


@case("u32[2]")
def uniform_and_normal_draws(k):
    a, b = jax.random.split(jax.random.wrap_key_data(k))
    return jax.random.uniform(a, (1000, 10)) + jax.random.normal(b, (1000, 10))


@case("u32[2]")
def random_walks_by_keys(k):
    key = jax.random.wrap_key_data(k)

    def step(s, _):
        x, key = s
        key, sub = jax.random.split(key)
        x = x + jax.random.rademacher(sub, (100,)).astype(x.dtype)
        return (x, key), x.mean()

    return lax.scan(step, (jnp.zeros(100), key), None, length=50)[1]
