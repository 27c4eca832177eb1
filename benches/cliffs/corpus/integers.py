"""Integers, bits, hashes."""
import jax
import jax.numpy as jnp
from jax import lax

from . import case


@case("u32[1000000]")
def murmur_mix(h):
    h = (h ^ (h >> 16)) * jnp.uint32(0x85EBCA6B)
    h = (h ^ (h >> 13)) * jnp.uint32(0xC2B2AE35)
    return h ^ (h >> 16)


@case("u32[100000]")
def xorshift(x):
    def step(_, x):
        x = x ^ (x << 13)
        x = x ^ (x >> 17)
        return x ^ (x << 5)

    return lax.fori_loop(0, 20, step, x)


@case("u32[16]", "u32[8]")
def sha_like_rounds(w, s):
    def rot(x, n):
        return (x >> n) | (x << (32 - n))

    def step(s, w):
        a, b, c, d, e, f, g, h = s
        t = h + (rot(e, 6) ^ rot(e, 11) ^ rot(e, 25)) + ((e & f) ^ (~e & g)) + w
        u = (rot(a, 2) ^ rot(a, 13) ^ rot(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
        return (t + u, a, b, c, d + t, e, f, g), None

    return jnp.stack(lax.scan(step, tuple(s), jnp.tile(w, 16))[0])


@case("u32[200000]")
def population_counts(x):
    return jnp.sum(lax.population_count(x)), lax.clz(x)


@case("i32[2000]<2000")
def sieve(x):
    n = 20000

    def step(i, p):
        return jnp.where(p[i] & (jnp.arange(n) % jnp.maximum(i, 2) == 0) & (jnp.arange(n) > i), False, p)

    return jnp.sum(lax.fori_loop(2, 142, step, jnp.ones(n, bool))) + x[0]


@case("i64[10000]<1000000")
def collatz(n):
    def go(s):
        return jnp.any(s[0] > 1) & (s[2] < 300)

    def step(s):
        n, c, t = s
        m = jnp.where(n % 2 == 0, n // 2, 3 * n + 1)
        return jnp.where(n > 1, m, n), c + (n > 1), t + 1

    return lax.while_loop(go, step, (n + 1, jnp.zeros(10000, jnp.int32), 0))[1]


@case("i64[100000]<1000000", "i64[100000]<1000000")
def euclid(a, b):
    def step(s):
        a, b = s
        return jnp.where(b == 0, a, b), jnp.where(b == 0, 0, a % jnp.where(b == 0, 1, b))

    return lax.while_loop(lambda s: jnp.any(s[1] != 0), step, (a, b))[0]


@case("i64[5000]<1000000", "i64[5000]<1000")
def modular_powers(b, e):
    m = 1000003

    def step(s, k):
        r, b = s
        r = jnp.where((e >> k) & 1 == 1, r * b % m, r)
        return (r, b * b % m), None

    return lax.scan(step, (jnp.ones_like(b), b % m), jnp.arange(20))[0][0]


@case("i32[256,256]<256")
def dither(x):
    bayer = jnp.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])
    return x * 16 > 256 * jnp.tile(bayer, (64, 64)) + 128


@case("i32[100,100]<10", "i32[100,100]<10")
def integer_product(a, b):
    return a @ b


@case("u32[100000]")
def interleaved_bits(x):
    def spread(x):
        x = x & 0xFFFF
        x = (x | (x << 8)) & 0x00FF00FF
        x = (x | (x << 4)) & 0x0F0F0F0F
        x = (x | (x << 2)) & 0x33333333
        return (x | (x << 1)) & 0x55555555

    return spread(x) | (spread(x >> 16) << 1)


@case("u32[4096]")
def checksum_by_table(x):
    def entry(i):
        return lax.fori_loop(0, 8, lambda _, c: jnp.where(c & 1 == 1, (c >> 1) ^ jnp.uint32(0xEDB88320), c >> 1), i)

    table = jax.vmap(entry)(jnp.arange(256, dtype=jnp.uint32))

    def step(c, b):
        return table[(c ^ b) & 255] ^ (c >> 8), None

    return ~lax.scan(step, jnp.uint32(0xFFFFFFFF), x & 255)[0]


@case("i32[300000]<1000", "i32[300000]<1000")
def divisions(a, b):
    b = b + 1
    return a // b, a % b, lax.rem(a, b)


@case("f32[300000]")
def float_fields(x):
    b = lax.bitcast_convert_type(x, jnp.int32)
    return (b >> 23) & 255, b & 0x7FFFFF, lax.bitcast_convert_type((b & 0x7FFFFF) | 0x3F800000, jnp.float32)


@case("u32[2]")
def threefry_words(key):
    return jax.random.bits(key, (300000,), jnp.uint32)


@case("i64[50]<100")
def cumulative_polynomials(x):
    return jnp.cumsum(x**3 - x * x), jnp.cumprod(x % 3 + 1), lax.cummin(x, reverse=True)


@case("bool[1000,1000]?")
def logic_of_rows(a):
    return jnp.all(a | a[::-1], 1), jnp.any(a & a.T, 0), jnp.sum(a ^ jnp.roll(a, 1, 1))


@case("i32[64,64]<2")
def parity_prefix(x):
    return lax.associative_scan(jnp.bitwise_xor, x, axis=1)
