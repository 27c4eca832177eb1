"""Layers of networks, their losses, and steps of training."""
import jax
import jax.numpy as jnp
from jax import lax

from . import case


@case("f32[128,784]", "f32[784,256]", "f32[256]", "f32[256,10]", "f32[10]", "i32[128]<10", grad=True)
def classifier(x, w1, b1, w2, b2, y):
    h = jax.nn.relu(x @ (w1 * 0.05) + b1)
    z = h @ (w2 * 0.05) + b2
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(z), y[:, None], 1))


@case("f32[8,64,128]", "f32[128,384]", "f32[128,128]", grad=True)
def attention(x, wqkv, wo):
    b, n, d = x.shape
    q, k, v = jnp.split((x @ (wqkv * 0.05)).reshape(b, n, 4, 96), 3, -1)
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(32.0)
    s = jnp.where(jnp.tril(jnp.ones((n, n), bool)), s, -1e9)
    o = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s), v).reshape(b, n, d)
    return o @ (wo * 0.05)


@case("f32[32,200,64]", "f32[64]+", "f32[64]", grad=True)
def layer_norm(x, g, b):
    m = jnp.mean(x, -1, keepdims=True)
    v = jnp.var(x, -1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


@case("f32[16,28,28,32]", "f32[32]+", "f32[32]", grad=True)
def batch_norm(x, g, b):
    m, v = jnp.mean(x, (0, 1, 2)), jnp.var(x, (0, 1, 2))
    return (x - m) / jnp.sqrt(v + 1e-5) * g + b


@case("f32[8,32,32,16]", "f32[3,3,16,32]", grad=True)
def conv_nhwc(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@case("f32[4,3,64,64]", "f32[16,3,5,5]", grad=True)
def conv_nchw_strided(x, w):
    return lax.conv_general_dilated(x, w, (2, 2), "VALID")


@case("f32[8,32,32,32]", "f32[3,3,1,32]", grad=True)
def depthwise_conv(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=32)


@case("f32[4,16,16,32]", "f32[3,3,32,16]")
def conv_transposed(x, w):
    return lax.conv_transpose(x, w, (2, 2), "SAME")


@case("f32[16,500,16]", "f32[7,16,32]", grad=True)
def conv_1d_dilated(x, w):
    return lax.conv_general_dilated(x, w, (1,), "SAME", rhs_dilation=(4,), dimension_numbers=("NWC", "WIO", "NWC"))


@case("f32[16,28,28,32]", grad=True)
def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@case("f32[16,28,28,32]", grad=True)
def average_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") / 9


@case("f32[64,50,32]", "f32[32,96]", "f32[32,96]", "f32[96]", grad=True)
def gru(x, wx, wh, b):
    def step(h, x):
        xz, xr, xn = jnp.split(x @ (wx * 0.1) + b, 3, -1)
        hz, hr, hn = jnp.split(h @ (wh * 0.1), 3, -1)
        z, r = jax.nn.sigmoid(xz + hz), jax.nn.sigmoid(xr + hr)
        n = jnp.tanh(xn + r * hn)
        return (1 - z) * n + z * h, None

    return lax.scan(step, jnp.zeros((64, 32), x.dtype), x.transpose(1, 0, 2))[0]


@case("f32[1,200,64]", "f32[64,256]", "f32[64,256]", grad=True)
def lstm_of_one_sequence(x, wx, wh):
    def step(c, x):
        h, s = c
        i, f, g, o = jnp.split(x @ (wx * 0.1) + h @ (wh * 0.1), 4, -1)
        s = jax.nn.sigmoid(f) * s + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(s)
        return (h, s), h

    z = jnp.zeros((1, 64), x.dtype)
    return lax.scan(step, (z, z), x.transpose(1, 0, 2))[1]


@case("f32[5000,64]", "i32[32,40]<5000", grad=True)
def embedding(table, ids):
    return jnp.mean(table[ids], 1)


@case("f32[64,1000]", "i32[64]<1000", grad=True)
def cross_entropy(z, y):
    return jnp.mean(jax.nn.logsumexp(z, -1) - jnp.take_along_axis(z, y[:, None], -1)[:, 0])


@case("f32[64,1000]", "i32[64]<1000", grad=True)
def cross_entropy_one_hot(z, y):
    return -jnp.mean(jnp.sum(jax.nn.one_hot(y, 1000, dtype=z.dtype) * jax.nn.log_softmax(z), -1))


@case("f32[200,300]", grad=True)
def gelu(x):
    return jax.nn.gelu(x)


@case("f32[200,300]", grad=True)
def exact_gelu(x):
    return jax.nn.gelu(x, approximate=False)


@case("f32[1000000]", grad=True)
def swish(x):
    return x * jax.nn.sigmoid(x)


@case("f32[64,256]", "f32[256,512]", "f32[256,512]", "f32[512,256]", grad=True)
def gated_feed_forward(x, w, v, o):
    return (jax.nn.silu(x @ (w * 0.05)) * (x @ (v * 0.05))) @ (o * 0.05)


@case("f32[4,128,64]", "f32[64]+", grad=True)
def rms_norm(x, g):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * g


@case("f32[4,128,8,32]")
def rotary_positions(x):
    n, d = x.shape[1], x.shape[3] // 2
    t = jnp.arange(n, dtype=x.dtype)[:, None] * (10000.0 ** (-jnp.arange(d, dtype=x.dtype) / d))
    s, c = jnp.sin(t)[:, None], jnp.cos(t)[:, None]
    a, b = x[..., :d], x[..., d:]
    return jnp.concatenate([a * c - b * s, a * s + b * c], -1)


@case("f32[100000]", "f32[100000]", "f32[100000]", "f32[100000]+")
def adam_step(p, g, m, v):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return p - 1e-3 * (m / 0.1) / (jnp.sqrt(v / 0.001) + 1e-8), m, v


@case("f32[256,64]", "f32[64,64]", "f32[64,1]", "f32[256,1]")
def sgd_of_ten_steps(x, w1, w2, y):
    def loss(p):
        return jnp.mean((jnp.tanh(x @ p[0]) @ p[1] - y) ** 2)

    def step(p, _):
        v, g = jax.value_and_grad(loss)(p)
        return jax.tree.map(lambda a, b: a - 0.01 * b, p, g), v

    return lax.scan(step, (w1 * 0.1, w2 * 0.1), None, length=10)


@case("f32[4,64,64]", "f32[4,64,64]", "f32[4,64,64]")
def linear_attention(q, k, v):
    q, k = jax.nn.elu(q) + 1, jax.nn.elu(k) + 1
    s = jnp.cumsum(jnp.einsum("bnd,bne->bnde", k, v), 1)
    z = jnp.cumsum(k, 1)
    return jnp.einsum("bnd,bnde->bne", q, s) / jnp.einsum("bnd,bnd->bn", q, z)[..., None]


@case("f32[32,16,16]", "f32[32,16,16]")
def structural_similarity(x, y):
    mx, my = jnp.mean(x, (1, 2)), jnp.mean(y, (1, 2))
    vx, vy = jnp.var(x, (1, 2)), jnp.var(y, (1, 2))
    c = jnp.mean(x * y, (1, 2)) - mx * my
    return (2 * mx * my + 1e-4) * (2 * c + 9e-4) / ((mx**2 + my**2 + 1e-4) * (vx + vy + 9e-4))


@case("f32[128,64]", "f32[128,64]", grad=True)
def contrastive_loss(a, b):
    a = a / jnp.linalg.norm(a, axis=1, keepdims=True)
    b = b / jnp.linalg.norm(b, axis=1, keepdims=True)
    s = a @ b.T / 0.07
    return -jnp.mean(jnp.diagonal(jax.nn.log_softmax(s)) + jnp.diagonal(jax.nn.log_softmax(s.T)))


@case("f32[64,100,8]", "f32[8,8]+", grad=True)
def state_space_scan(x, a):
    def combine(p, q):
        return p[0] * q[0], q[0] * p[1] + q[1]

    decay = jnp.broadcast_to(jax.nn.sigmoid(jnp.diagonal(a)), x.shape)
    return lax.associative_scan(combine, (decay, x), axis=1)[1]


@case("f32[1000,16]", "i32[1000]<8", "f32[8,16,32]", grad=True)
def mixture_of_experts(x, e, w):
    onehot = jax.nn.one_hot(e, 8, dtype=x.dtype)
    return jnp.einsum("ne,nd,edf->nf", onehot, x, w)


@case("f32[32,64]", "f32[64,64]", "u32[2]", grad=True)
def dropout(x, w, key):
    keep = jax.random.bernoulli(key, 0.9, x.shape)
    return jnp.where(keep, x / 0.9, 0) @ w
