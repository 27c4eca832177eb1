"""Sorting, searching, selection."""
import jax
import jax.numpy as jnp
from jax import lax

from . import case


@case("f64[200000]")
def sort_doubles(x):
    return jnp.sort(x)


@case("f32[1000,100]")
def sort_rows(x):
    return jnp.sort(x, 1)


@case("i32[100000]<1000")
def argsort_of_few_keys(x):
    return jnp.argsort(x)


@case("f32[100000]", "i32[100000]<100000")
def sort_by_key(k, v):
    return lax.sort((k, v), num_keys=1)


@case("i32[50000]<50", "i32[50000]<50", "f32[50000]")
def sort_by_two_keys(a, b, v):
    return lax.sort((a, b, v), num_keys=2)


@case("f32[64,5000]")
def top_ten(x):
    return lax.top_k(x, 10)


@case("f64[100000]", "f64[10000]")
def search_sorted(x, y):
    return jnp.searchsorted(jnp.sort(x), y)


@case("f64[100000]")
def median(x):
    return jnp.median(x)


@case("i32[20000]<3000")
def unique_of_known_size(x):
    return jnp.unique(x, size=3000, fill_value=-1)


@case("f64[2000]")
def ranks(x):
    return jnp.argsort(jnp.argsort(x))


@case("f64[2000]")
def ranks_by_counting(x):
    return jnp.sum(x[:, None] > x[None], 1)


@case("f64[300000]")
def first_and_last_large(x):
    big = x > 2.5
    return jnp.argmax(big), x.shape[0] - 1 - jnp.argmax(big[::-1]), jnp.argmin(x)


@case("f32[100000]")
def compact_positives(x):
    p = x > 0
    at = jnp.cumsum(p) - 1
    return jnp.zeros_like(x).at[jnp.where(p, at, x.shape[0])].set(x, mode="drop")


@case("f64[1024]")
def bitonic_network(x):
    n, k = 1024, 2
    i = jnp.arange(n)
    while k <= n:
        j = k // 2
        while j:
            p = i ^ j
            up = (i & k) == 0
            low, high = jnp.minimum(x, x[p]), jnp.maximum(x, x[p])
            x = jnp.where((i < p) == up, low, high)
            j //= 2
        k *= 2
    return x


@case("f32[256,256]", grad=True)
def sorted_differences(x):
    return jnp.sum(jnp.diff(jnp.sort(x, 1), axis=1) ** 2)


@case("f64[50,40]")
def lexicographic_rows(x):
    return x[jnp.lexsort((x[:, 2], x[:, 1], jnp.round(x[:, 0])))]


@case("i32[4096]<4096")
def radix_pass(x):
    def step(x, b):
        z = ((x >> b) & 1) == 0
        at = jnp.where(z, jnp.cumsum(z) - 1, jnp.sum(z) + jnp.cumsum(~z) - 1)
        return jnp.zeros_like(x).at[at].set(x), None

    return lax.scan(step, x, jnp.arange(12))[0]


@case("f64[20000]")
def running_maximum_positions(x):
    def combine(a, b):
        return jnp.maximum(a[0], b[0]), jnp.where(b[0] > a[0], b[1], a[1])

    return lax.associative_scan(combine, (x, jnp.arange(20000)))


@case("f64[7]")
def sort_of_seven(x):
    return jnp.sort(x), jnp.argsort(x)


@case("f32[100,1000]", "f32[100,1]")
def count_below(x, t):
    return jnp.sum(x < t, 1), jnp.mean(jnp.where(x < t, x, 0), 1)
