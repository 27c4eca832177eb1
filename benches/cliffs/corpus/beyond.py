"""A third look, at what the second taught to ask: other shapes and layouts of what is common, and kinds that neither had. Committed before it
was timed."""
import jax
import jax.numpy as jnp
from jax import lax

from . import case


@case("f32[64,256]", "f32[64,256]", grad=True)
def cosine_similarities(x, y):
    x = x / (jnp.linalg.norm(x, axis=1, keepdims=True) + 1e-6)
    y = y / (jnp.linalg.norm(y, axis=1, keepdims=True) + 1e-6)
    return x @ y.T


@case("f32[10000,12]", grad=True)
def softmax_of_twelve(x):
    return jax.nn.log_softmax(x, axis=1)


@case("f64[500,24]", "f64[24]+", "f64[24]", grad=True)
def normalised_rows_of_24(x, g, b):
    m = x.mean(1, keepdims=True)
    return (x - m) / jnp.sqrt(((x - m) ** 2).mean(1, keepdims=True) + 1e-5) * g + b


@case("f32[100,40,6]", grad=True)
def largest_of_six(x):
    return jnp.max(x, -1) - jnp.min(x, -1)


@case("f64[3000,3]", "f64[3]", grad=True)
def distances_to_a_point(p, c):
    return jnp.sqrt(jnp.sum((p - c) ** 2, axis=1) + 1e-9)


@case("f64[200,3]", grad=True)
def coulomb_energy(p):
    d = p[:, None] - p[None]
    r = jnp.sqrt(jnp.sum(d * d, -1) + jnp.eye(200))
    return jnp.sum(jnp.triu(1 / r, 1))


@case("f64[1000,4]", "f64[1000,3]", grad=True)
def rotations_of_points(q, p):
    q = q / jnp.linalg.norm(q, axis=1, keepdims=True)
    u, w = q[:, :3], q[:, 3:]
    t = 2 * jnp.cross(u, p)
    return p + w * t + jnp.cross(u, t)


@case("f64[2000,3,3]", grad=True)
def determinants_of_three(a):
    return jnp.linalg.det(a)


@case("f32[32,32,32]", "f32[3,3,3]", grad=True)
def convolution_in_space(x, k):
    return lax.conv_general_dilated(x[None, None], k[None, None], (1, 1, 1), "SAME")[0, 0]


@case("f32[8,20,20,3]", "f32[3,3,3,16]", "f32[3,3,16,16]", grad=True)
def strided_stem(x, k1, k2):
    def conv(x, k, s):
        return lax.conv_general_dilated(x, k * 0.2, (s, s), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    return jax.nn.relu(conv(jax.nn.relu(conv(x, k1, 2)), k2, 2)).mean((1, 2))


@case("f32[4,24,24,8]", "f32[3,3,8,1]", "f32[1,1,8,16]", grad=True)
def separable_block(x, d, p):
    y = lax.conv_general_dilated(
        x, d.reshape(3, 3, 1, 8), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=8
    )
    return jax.nn.relu6(lax.conv_general_dilated(y, p, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")))


@case("f32[2,50,32]", "f32[2,50,32]", "f32[2,50,32]", grad=True)
def attention_with_relative_bias(q, k, v):
    i = jnp.arange(50)
    bias = -jnp.abs(i[:, None] - i[None]).astype(jnp.float32) * 0.1
    s = jnp.einsum("btd,bsd->bts", q, k) / jnp.sqrt(32.0).astype(jnp.float32) + bias
    return jnp.einsum("bts,bsd->btd", jax.nn.softmax(s), v)


@case("f32[512,64]", "f32[64,64]", "f32[64]", "f32[64,64]", "f32[64]", "f32[64,1]", grad=True)
def tanh_network_on_rows(x, w1, b1, w2, b2, w3):
    h = jnp.tanh(x @ (w1 * 0.1) + b1)
    h = jnp.tanh(h @ (w2 * 0.1) + b2)
    return (h @ w3)[:, 0]


@case("f64[256,2]", "f64[2,32]", "f64[32]", "f64[32,1]")
def laplacian_of_a_network(x, w1, b1, w2):
    def u(p):
        return (jnp.tanh(p @ w1 + b1) @ w2)[0]

    return jax.vmap(lambda p: jnp.trace(jax.hessian(u)(p)))(x)


@case("f64[64]", "f64[64,64]")
def jacobian_of_a_layer(x, w):
    return jax.jacrev(lambda x: jnp.tanh(w @ x))(x)


@case("f64[100]", "f64[100]")
def hessian_vector_of_a_chain(x, v):
    def f(x):
        return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    return jax.jvp(jax.grad(f), (x,), (v,))[1]


@case("f64[200,5]", "f64[200]", grad=True)
def partial_likelihood(x, t):
    order = jnp.argsort(-t)
    eta = (x @ jnp.linspace(-1, 1, 5))[order]
    return jnp.mean(eta - lax.cumlogsumexp(eta))


@case("f64[128]", "f64[128]", grad=True)
def circular_convolution(a, b):
    return jnp.real(jnp.fft.ifft(jnp.fft.fft(a) * jnp.fft.fft(b)))


@case("f64[64,64]", grad=True)
def spectral_poisson(f):
    k = jnp.fft.fftfreq(64) * 64
    k2 = k[:, None] ** 2 + k[None] ** 2
    return jnp.real(jnp.fft.ifft2(jnp.fft.fft2(f) / jnp.where(k2 == 0, 1.0, -k2)))


@case("f64[400]", grad=True)
def heat_by_implicit_steps(u):
    def solve(d):
        def forward(s, x):
            c, dp = s
            m = 3.0 - c
            return (1.0 / m, (x + dp) / m), (1.0 / m, (x + dp) / m)

        _, (c, d) = lax.scan(forward, (0.0, 0.0), d)

        def back(x, s):
            x = s[1] + s[0] * x
            return x, x

        return lax.scan(back, 0.0, (c, d), reverse=True)[1]

    return lax.fori_loop(0, 10, lambda _, u: solve(u), u)


@case("f64[50,50]", "f64[50,50]", grad=True)
def wave_with_absorbing_edges(u, v):
    def step(s, _):
        u, v = s
        p = jnp.pad(u, 1, mode="edge")
        a = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u
        v = 0.99 * v + 0.2 * a
        return (u + 0.2 * v, v), u[25, 25]

    return lax.scan(step, (u, v), None, length=60)[1]


@case("f64[30,30,30]")
def maxwell_in_a_box(e):
    def d(x, k):
        return jnp.diff(x, axis=k, append=0)

    def step(_, s):
        e, h = s
        h = h - 0.3 * (d(e, 0) - d(e, 1))
        e = e + 0.3 * (d(h, 1) - d(h, 2))
        return e, h

    return lax.fori_loop(0, 20, step, (e, jnp.zeros_like(e)))[0]


@case("f64[1000]~", "f64[1000]~", grad=True)
def pendulums(q, p):
    def step(s, _):
        q, p = s
        p = p - 0.05 * jnp.sin(q)
        q = (q + 0.05 * p + jnp.pi) % (2 * jnp.pi) - jnp.pi
        return (q, p), None

    return lax.scan(step, (q, p), None, length=100)[0][0]


@case("f64[64,2]", "f64[64,2]")
def hard_walls(x, v):
    def step(s, _):
        x, v = s
        x = x + 0.01 * v
        out = jnp.abs(x) > 1
        v = jnp.where(out, -v, v)
        x = jnp.clip(x, -1, 1)
        return (x, v), jnp.sum(v * v)

    return lax.scan(step, (x, v), None, length=1000)[1]


@case("f64[6]~", grad=True)
def robot_arm(q):
    def link(t, a):
        c, s = jnp.cos(a), jnp.sin(a)
        r = jnp.array([[c, -s, 0, 0.3], [s, c, 0, 0], [0, 0, 1, 0.1], [0, 0, 0, 1.0]])
        return t @ r, None

    return lax.scan(link, jnp.eye(4), q)[0][:3, 3]


@case("f64[4]~", grad=True)
def cart_pole_by_feedback(k):
    def step(s, _):
        x, v, th, w = s
        f = jnp.tanh(jnp.dot(k, jnp.stack(s))) * 10
        tmp = (f + 0.05 * w * w * jnp.sin(th)) / 1.1
        wd = (9.8 * jnp.sin(th) - jnp.cos(th) * tmp) / (0.5 * (4 / 3 - 0.1 * jnp.cos(th) ** 2 / 1.1))
        vd = tmp - 0.05 * wd * jnp.cos(th) / 1.1
        s = (x + 0.02 * v, v + 0.02 * vd, th + 0.02 * w, w + 0.02 * wd)
        return s, s[2]

    return jnp.sum(lax.scan(step, (0.0, 0.0, 0.05, 0.0), None, length=200)[1] ** 2)


@case("f64[500]", "f64[500]+")
def particle_filter(y, w):
    def step(s, yk):
        x, key = s
        key, k1, k2 = jax.random.split(key, 3)
        x = 0.9 * x + 0.3 * jax.random.normal(k1, (200,))
        lw = -0.5 * (yk - x) ** 2
        i = jax.random.categorical(k2, lw, shape=(200,))
        return (x[i], key), x.mean()

    return lax.scan(step, (jnp.zeros(200), jax.random.key(0)), y[:50])[1]


@case("f64[1000,20]", "f64[1000]<2")
def newton_for_logits(x, y):
    def body(_, b):
        p = jax.nn.sigmoid(x @ b)
        h = (x * (p * (1 - p))[:, None]).T @ x + 1e-3 * jnp.eye(20)
        return b + jnp.linalg.solve(h, x.T @ (y - p))

    return lax.fori_loop(0, 6, body, jnp.zeros(20))


@case("f64[100,100]^")
def matrix_square_root_by_iteration(a):
    def body(_, s):
        y, z = s
        t = 0.5 * (3 * jnp.eye(100) - z @ y)
        return y @ t, t @ z

    n = jnp.linalg.norm(a)
    return lax.fori_loop(0, 8, body, (a / n, jnp.eye(100)))[0] * jnp.sqrt(n)


@case("f64[50,50]^", "f64[50]")
def rayleigh_quotient_iteration(a, x):
    def body(_, x):
        mu = x @ a @ x / (x @ x)
        y = jnp.linalg.solve(a - (mu + 1e-3) * jnp.eye(50), x)
        return y / jnp.linalg.norm(y)

    return lax.fori_loop(0, 5, body, x)


@case("f64[80,80]")
def householder_by_loop(a):
    def step(k, r):
        i = jnp.arange(80)
        x = jnp.where(i >= k, r[:, k], 0.0)
        s = jnp.where(x[k] >= 0, 1.0, -1.0)
        v = x.at[k].add(s * jnp.linalg.norm(x))
        v = v / (jnp.linalg.norm(v) + 1e-30)
        return r - 2 * jnp.outer(v, v @ r)

    return lax.fori_loop(0, 79, step, a)


@case("f64[60,60]")
def determinant_by_elimination(a):
    def step(k, m):
        p = jnp.argmax(jnp.where(jnp.arange(60) >= k, jnp.abs(m[:, k]), -1.0))
        rk, rp = m[k], m[p]
        m = m.at[k].set(rp).at[p].set(rk)
        f = jnp.where(jnp.arange(60) > k, m[:, k] / m[k, k], 0.0)
        return m - f[:, None] * m[k][None]

    return jnp.prod(jnp.diag(lax.fori_loop(0, 59, step, a)))


@case("f32[300,300]~")
def seam_energy(x):
    e = jnp.abs(jnp.gradient(x)[0]) + jnp.abs(jnp.gradient(x)[1])

    def step(a, row):
        m = jnp.minimum(a, jnp.minimum(jnp.roll(a, 1), jnp.roll(a, -1)))
        return m + row, m

    return lax.scan(step, e[0], e[1:])[0]


@case("f32[256,256]~")
def local_binary_patterns(x):
    c = x[1:-1, 1:-1]
    out = jnp.zeros(c.shape, jnp.int32)
    for k, (i, j) in enumerate([(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0)]):
        out = out | ((x[i : i + 254, j : j + 254] >= c).astype(jnp.int32) << k)
    return jnp.bincount(out.reshape(-1), length=256)


@case("f32[200,200]~", "f32[5]+")
def separable_blur_and_threshold(x, k):
    y = sum(k[i] * jnp.roll(x, i - 2, 0) for i in range(5))
    y = sum(k[i] * jnp.roll(y, i - 2, 1) for i in range(5))
    return (y > y.mean()).astype(jnp.float32)


@case("f32[100,100,3]", "i32[100,100]<8")
def palette_means(x, p):
    one = jax.nn.one_hot(p, 8, dtype=jnp.float32)
    return jnp.einsum("hwc,hwk->kc", x, one) / (one.sum((0, 1))[:, None] + 1e-6)


@case("f32[64,64]", "f32[2,3]~", grad=True)
def affine_sampling(x, m):
    i, j = jnp.meshgrid(jnp.linspace(-1, 1, 64), jnp.linspace(-1, 1, 64), indexing="ij")
    u = (m[0, 0] * i + m[0, 1] * j + m[0, 2] + 1) * 31.5
    v = (m[1, 0] * i + m[1, 1] * j + m[1, 2] + 1) * 31.5
    u, v = jnp.clip(u, 0, 62.99), jnp.clip(v, 0, 62.99)
    a, b = jnp.floor(u).astype(jnp.int32), jnp.floor(v).astype(jnp.int32)
    s, t = u - a, v - b
    return (1 - s) * (1 - t) * x[a, b] + s * (1 - t) * x[a + 1, b] + (1 - s) * t * x[a, b + 1] + s * t * x[a + 1, b + 1]


@case("f32[20000]~", "f32[64]")
def fir_by_convolve(x, h):
    return jnp.convolve(x, h, mode="same")


@case("f64[16384]")
def wavelet_packets(x):
    out = [x]
    for _ in range(3):
        out = [y for v in out for y in ((v[::2] + v[1::2]) * 0.7071, (v[::2] - v[1::2]) * 0.7071)]
    return jnp.stack([jnp.sum(v * v) for v in out])


@case("f64[2048]")
def walsh_hadamard(x):
    h = 1
    while h < 2048:
        x = x.reshape(-1, 2, h)
        x = jnp.stack([x[:, 0] + x[:, 1], x[:, 0] - x[:, 1]], 1).reshape(-1)
        h *= 2
    return x


@case("f64[1024]", grad=True)
def fft_by_hand(x):
    y = x.astype(jnp.complex128)
    n = 1024
    y = y.reshape([2] * 10).transpose(range(9, -1, -1)).reshape(-1)
    h = 1
    while h < n:
        y = y.reshape(-1, 2, h)
        w = jnp.exp(-1j * jnp.pi * jnp.arange(h) / h)
        t = y[:, 1] * w
        y = jnp.concatenate([y[:, 0] + t, y[:, 0] - t], 1)
        h *= 2
    return jnp.abs(y.reshape(-1))


@case("i32[1000,50]<20")
def jaccard_by_sets(x):
    s = jnp.zeros((1000, 20), bool).at[jnp.arange(1000)[:, None], x].set(True)
    i = jnp.sum(s[:200, None] & s[None, :200], -1)
    u = jnp.sum(s[:200, None] | s[None, :200], -1)
    return i / u


@case("i32[4096]<100", "i32[4096]<100")
def sparse_counts(a, b):
    return jnp.zeros((100, 100), jnp.int32).at[a, b].add(1)


@case("i32[100000]<1000", "f32[100000]")
def segment_extremes_and_sums(s, x):
    return jax.ops.segment_sum(x, s, 1000), jax.ops.segment_max(x, s, 1000), jax.ops.segment_min(x, s, 1000)


@case("f32[1000,32]", "i32[1000,10]<1000", grad=True)
def mean_of_neighbours(h, n):
    return jax.nn.relu(h[n].mean(1) + h)


@case("f32[2000,8]", "i32[10000]<2000", "i32[10000]<2000", "f32[8]", grad=True)
def attention_on_edges(h, s, t, a):
    e = jax.nn.leaky_relu((h[s] + h[t]) @ a)
    m = jax.ops.segment_max(e, t, 2000)
    w = jnp.exp(e - m[t])
    z = jax.ops.segment_sum(w, t, 2000)
    return jax.ops.segment_sum(w[:, None] * h[s], t, 2000) / (z[:, None] + 1e-9)


@case("i64[500]<500")
def cycle_lengths(x):
    def step(_, s):
        p, n = s
        return x[p], jnp.where(p == jnp.arange(500), n, n + 1)

    return lax.fori_loop(0, 100, step, (x, jnp.zeros(500, jnp.int64)))[1]


@case("u32[10000]")
def pcg_streams(s):
    def step(s, _):
        s = s * jnp.uint32(747796405) + jnp.uint32(2891336453)
        w = ((s >> ((s >> 28) + 4)) ^ s) * jnp.uint32(277803737)
        return s, (w >> 22) ^ w

    return lax.scan(step, s, None, length=20)[1].sum(0)


@case("i32[3000]<10000")
def digit_sums(x):
    def cond(s):
        return jnp.any(s[0] > 0)

    return lax.while_loop(cond, lambda s: (s[0] // 10, s[1] + s[0] % 10), (x, jnp.zeros_like(x)))[1]


@case("i32[64,64]<2")
def cave_automaton(x):
    def step(_, x):
        p = jnp.pad(x, 1, constant_values=1)
        n = sum(p[i : i + 64, j : j + 64] for i in range(3) for j in range(3))
        return (n >= 5).astype(jnp.int32)

    return lax.fori_loop(0, 20, step, x)


@case("bool[256]?")
def rule_110(x):
    def step(x, _):
        l, r = jnp.roll(x, 1), jnp.roll(x, -1)
        y = (x | r) & ~(l & x & r)
        return y, y

    return lax.scan(step, x, None, length=256)[1]


@case("f64[300]", "f64[300]", grad=True)
def soft_time_warping(x, y):
    d = (x[:60, None] - y[None, :60]) ** 2

    def row(prev, dr):
        def cell(left, c):
            up, diag, v = c
            m = -jax.nn.logsumexp(jnp.stack([-left, -up, -diag]))
            return v + m, v + m

        diag = jnp.concatenate([jnp.array([1e3]), prev[:-1]])
        return lax.scan(cell, 1e3, (prev, diag, dr))[1], None

    first = jnp.cumsum(d[0])
    return lax.scan(row, first, d[1:])[0][-1]


@case("i32[40]<30", "i32[40]<100")
def bounded_knapsack(w, v):
    def item(best, wv):
        w, v = wv[0] + 1, wv[1]
        j = jnp.arange(1000)
        take = jnp.where(j >= w, best[jnp.maximum(j - w, 0)] + v, 0)
        return jnp.maximum(best, take), None

    return lax.scan(item, jnp.zeros(1000, jnp.int32), (w, v))[0]


@case("f64[30,30,4]+", grad=True)
def soft_value_iteration(r):
    def step(_, v):
        p = jnp.pad(v, 1, mode="edge")
        n = jnp.stack([p[2:, 1:-1], p[:-2, 1:-1], p[1:-1, 2:], p[1:-1, :-2]], -1)
        return jax.nn.logsumexp(r + 0.9 * n, axis=-1)

    return lax.fori_loop(0, 40, step, jnp.zeros((30, 30)))


@case("f64[20,20]+", grad=True)
def forward_probabilities_of_words(t):
    p = t / t.sum(1, keepdims=True)

    def step(a, _):
        a = a @ p
        return a, a

    return lax.scan(step, jnp.ones(20) / 20, None, length=100)[1][-1]


@case("f64[100]+", "f64[100]+", grad=True)
def barrier_option_on_a_tree(s, k):
    def step(i, v):
        w = 0.99 * (0.52 * v[:, 1:] + 0.48 * v[:, :-1])
        return jnp.concatenate([jnp.maximum(w, 0), v[:, -1:]], 1)

    v = jnp.maximum(s[:, None] * jnp.exp(jnp.linspace(-0.5, 0.5, 64)) - k[:, None], 0)
    return lax.fori_loop(0, 60, step, v)[:, 0]


@case("f64[1000,2]", "f64[8,2]", grad=True)
def mixture_responsibilities(x, m):
    d = jnp.sum((x[:, None] - m[None]) ** 2, -1)
    r = jax.nn.softmax(-d, axis=1)
    return (r.T @ x) / r.sum(0)[:, None]


@case("f64[2000]", "f64[20]", grad=True)
def radial_basis_features(x, c):
    return jnp.exp(-((x[:, None] - c[None]) ** 2) * 4).sum(0)


@case("c128[16,4,16]", grad=False)
def transfer_matrix_powers(a):
    e = jnp.einsum("isj,ksl->ikjl", a, a.conj()).reshape(256, 256) / 64
    v = jnp.ones(256, jnp.complex128)
    return lax.fori_loop(0, 20, lambda _, v: (w := e @ v) / jnp.linalg.norm(w), v)


@case("c128[2,2,2,2,2,2,2,2]", "c128[2,2]")
def gate_on_every_qubit(psi, g):
    for k in range(8):
        psi = jnp.moveaxis(jnp.tensordot(g, psi, ((1,), (k,))), 0, k)
    return psi


@case("f64[]+", "f64[]~", grad=True)
def pendulum_by_runge_kutta(l, th):
    def f(s):
        return jnp.array([s[1], -9.8 / l * jnp.sin(s[0])])

    def step(s, _):
        k1 = f(s)
        k2 = f(s + 0.005 * k1)
        k3 = f(s + 0.005 * k2)
        k4 = f(s + 0.01 * k3)
        return s + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    return lax.scan(step, jnp.array([th, 0.0]), None, length=1000)[0][0]


@case("f64[]+")
def zeta_by_series(s):
    return lax.fori_loop(1, 10000, lambda n, z: z + n.astype(jnp.float64) ** (-1 - s), 0.0)


@case("f64[]~", "f64[]~")
def gradient_descent_on_a_valley(x, y):
    def f(p):
        return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2

    g = jax.grad(f)
    return lax.fori_loop(0, 2000, lambda _, p: p - 1e-3 * jnp.clip(g(p), -10, 10), jnp.stack([x, y]))
