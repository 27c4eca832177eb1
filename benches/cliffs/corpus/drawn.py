"""Programs drawn by their number: a few inputs with extents that span seven powers of ten, then up to a dozen operations, each on values that
there are. What nothing used is a result. Every operation is continuous where it is used on reals, so that results can be compared."""
import math
import random

import jax
import jax.numpy as jnp
from jax import lax

EXTENTS = [1, 2, 3, 7, 16, 33, 100, 1000, 4096, 1 << 20]
# Elements of a value, products of a contraction, elements that trips of loops go over.
LARGEST, PRODUCTS, TRIPS = 1 << 21, 1 << 27, 1 << 22


def shape(rng):
    while True:
        dims = [rng.choice(EXTENTS) for _ in range(rng.choice([1, 1, 2, 2, 2, 3, 3, 4]))]
        if math.prod(dims) <= 1 << 20:
            return tuple(dims)


def places(count, extent):
    """`count` indices below `extent`, without order and some of them twice."""
    return (jnp.arange(count, dtype=jnp.int32) * 7 + 3) % extent


UNARY = [
    jnp.tanh, jnp.sin, jnp.abs, lambda x: jnp.exp(-x * x), lambda x: jnp.sqrt(1 + x * x), lambda x: jnp.log1p(x * x), jax.nn.sigmoid,
    lambda x: x / (1 + x * x), lambda x: jnp.maximum(x, 0.1 * x), lambda x: 3 * x - 1, lambda x: jnp.where(x > 0, x, jnp.expm1(jnp.minimum(x, 0))),
]
BINARY = [
    jnp.add, jnp.subtract, jnp.multiply, jnp.maximum, lambda x, y: x / (1 + y * y), lambda x, y: jnp.where(x > y, x - y, 0.5 * (y - x)),
    lambda x, y: jnp.hypot(x, y + 2), lambda x, y: jnp.logaddexp(x, y),
]


def step(rng, shapes):
    """An operation on values of these shapes: the operands' numbers and a function of them; nothing where what was drawn does not fit."""
    a = rng.randrange(len(shapes))
    s = shapes[a]
    rank, size = len(s), math.prod(s)
    axis = rng.randrange(rank) if rank else None
    n = s[axis] if rank else 1
    kind = rng.choice(
        ["unary"] * 4 + ["binary"] * 5 + ["outer"] * 2 + ["reduce"] * 3 + ["dot"] * 3
        + ["softmax", "centre", "transpose", "transpose", "merge", "split", "stride", "concat", "pad", "roll", "flip", "cumulative", "sort", "take", "take",
           "add at", "add at", "scan", "loop", "integers", "set", "window", "cond", "mask", "one of each", "rows"]
    )
    if kind == "unary":
        return [a], rng.choice(UNARY)
    if kind == "binary":
        mates = []
        for b, t in enumerate(shapes):
            try:
                if math.prod(jnp.broadcast_shapes(s, t)) <= LARGEST:
                    mates.append(b)
            except ValueError:
                pass
        return [a, rng.choice(mates)], rng.choice(BINARY)
    if kind == "outer":
        b = rng.randrange(len(shapes))
        t = shapes[b]
        f = rng.choice(BINARY)
        if 0 < rank and 0 < len(t) and rank + len(t) <= 4 and size * math.prod(t) <= LARGEST:
            return [a, b], lambda x, y: f(x.reshape(s + (1,) * len(t)), y)
    if kind == "dot":
        b = rng.randrange(len(shapes))
        t = shapes[b]
        pairs = [(i, j) for i in range(rank) for j in range(len(t)) if s[i] == t[j]]
        if pairs:
            i, j = rng.choice(pairs)
            k = s[i]
            out = size // k * (math.prod(t) // k)
            if out <= LARGEST and out * k <= PRODUCTS and rank + len(t) - 2 <= 4:
                return [a, b], lambda x, y: jnp.tensordot(x, y, ((i,), (j,))) / math.sqrt(k)
    if rank == 0:
        return None
    if kind == "reduce":
        axes = tuple(sorted(rng.sample(range(rank), rng.randint(1, rank))))
        f = rng.choice([jnp.mean, jnp.mean, jnp.max, jnp.min, lambda x, axes: jax.nn.logsumexp(x, axes), lambda x, axes: jnp.sqrt(1 + jnp.sum(x * x, axes))])
        return [a], lambda x: f(x, axes)
    if kind == "softmax":
        return [a], lambda x: jax.nn.softmax(x, axis)
    if kind == "centre":
        return [a], lambda x: x - 0.5 * x.mean(axis, keepdims=True)
    if kind == "transpose" and rank > 1:
        order = rng.sample(range(rank), rank)
        return [a], lambda x: x.transpose(order)
    if kind == "merge" and rank > 1:
        i = rng.randrange(rank - 1)
        return [a], lambda x: x.reshape(s[:i] + (s[i] * s[i + 1],) + s[i + 2 :])
    if kind == "split" and rank < 4:
        for by in rng.sample([2, 3, 4, 10], 4):
            if n % by == 0 and n > by:
                return [a], lambda x: x.reshape(s[:axis] + (n // by, by) + s[axis + 1 :])
    if kind == "stride" and n > 3:
        by, start = rng.choice([1, 2, 3]), rng.randrange(n // 2)
        return [a], lambda x: lax.slice_in_dim(x, start, n, by, axis)
    if kind == "concat":
        mates = [b for b, t in enumerate(shapes) if len(t) == rank and s[:axis] == t[:axis] and s[axis + 1 :] == t[axis + 1 :] and size + math.prod(t) <= LARGEST]
        if mates:
            return [a, rng.choice(mates)], lambda x, y: jnp.concatenate([x, y], axis)
    if kind == "pad" and size // n * (n + 3) <= LARGEST:
        low, high, inner = rng.randint(0, 2), rng.randint(-1 if n > 1 else 0, 1), 0
        return [a], lambda x: lax.pad(x, jnp.zeros((), x.dtype), [(low, high, inner) if k == axis else (0, 0, 0) for k in range(rank)])
    if kind == "roll":
        by = rng.choice([1, -1, n // 2])
        return [a], lambda x: x - 0.5 * jnp.roll(x, by, axis)
    if kind == "flip":
        return [a], lambda x: jnp.flip(x, axis)
    if kind == "cumulative":
        f = rng.choice([lambda x, k: jnp.cumsum(x, k) / n, lax.cummax])
        return [a], lambda x: f(x, axis)
    if kind == "sort":
        return [a], lambda x: jnp.sort(x, axis)
    if kind == "take":
        count = rng.choice([c for c in EXTENTS if size // n * c <= LARGEST])
        return [a], lambda x: jnp.take(x, places(count, n), axis)
    if kind == "add at":
        into = rng.choice([c for c in EXTENTS if size // n * c <= LARGEST])
        return [a], lambda x: jnp.zeros((into,) + s[:axis] + s[axis + 1 :], x.dtype).at[places(n, into)].add(jnp.moveaxis(x, axis, 0))
    if kind == "scan" and n > 1:
        f, collects = rng.choice([lambda c, x: jnp.tanh(0.5 * c + x), lambda c, x: 0.9 * c + 0.1 * x, lambda c, x: jnp.maximum(0.9 * c, x)]), rng.random() < 0.7

        def scan(x):
            x = jnp.moveaxis(x, axis, 0)
            last, all = lax.scan(lambda c, x: (f(c, x), f(c, x) * 0.5 if collects else None), x[0], x)
            return all if collects else last

        return ([a], scan) if n <= 4096 else None
    if kind == "loop" and size <= TRIPS // 10:
        trips = rng.choice([3, 10])
        f = rng.choice([lambda x: x + 0.1 * jnp.roll(x, 1, axis), lambda x: x - 0.1 * jnp.sin(x), lambda x: x.at[(slice(None),) * axis + (slice(1, None),)].multiply(0.9)])
        return [a], lambda x: lax.scan(lambda x, _: (f(x), None), x, length=trips)[0]
    if kind == "integers":
        by = rng.choice([3, 7, 10, 16])
        f = rng.choice([lambda i: i % by, lambda i: (i * 5) ^ (i // by), lambda i: (i // by) % 2])
        return [a], lambda x: x * (f(lax.broadcasted_iota(jnp.int32, s, axis)) % 5).astype(x.dtype)
    if kind == "set" and n > 2:
        i = rng.randrange(n)
        return [a], lambda x: x.at[(slice(None),) * axis + (i,)].set(0.25)
    if kind == "window" and n > 4:
        f, start = rng.choice([(lax.add, 0.0), (lax.max, -jnp.inf)])
        wide, by = rng.choice([2, 3, 5]), rng.choice([1, 1, 2])
        dims = lambda v: [v if k == axis else 1 for k in range(rank)]
        if size <= LARGEST // 4:
            return [a], lambda x: lax.reduce_window(x, start, f, dims(min(wide, n)), dims(by), "SAME") / 2
    if kind == "cond":
        return [a], lambda x: lax.cond(x.size % 2 + x.ravel()[0] * 0 > 0.5, lambda x: x * 2, lambda x: x + 1, x)
    if kind == "mask" and rank > 1:
        i, j = rng.sample(range(rank), 2)
        return [a], lambda x: jnp.where(lax.broadcasted_iota(jnp.int32, s, i) >= lax.broadcasted_iota(jnp.int32, s, j), x, 0)
    if kind == "one of each" and rank > 1:
        other = rng.choice([k for k in range(rank) if k != axis])
        index = lambda: places(s[other], n).reshape([s[other] if k == other else 1 for k in range(rank)])
        return [a], lambda x: jnp.take_along_axis(x, index(), axis)
    if kind == "rows" and rank > 1 and n <= 4096:
        return [a], lambda x: lax.map(lambda r: jnp.tanh(r - 0.5 * r.mean()), jnp.moveaxis(x, axis, 0))
    return None


def program(number):
    """The arguments and the function with this number; every third is a gradient."""
    rng = random.Random(number)
    dtype = rng.choice(["f32", "f64"])
    first = [shape(rng) for _ in range(rng.choice([1, 2, 2, 3]))]
    # A second argument often fits the first: the same shape, a part of it, or another with one extent alike.
    for k in range(1, len(first)):
        if rng.random() < 0.6:
            first[k] = first[0][rng.randrange(len(first[0])) :]
    shapes, steps, used = list(first), [], set()
    wanted = rng.randint(3, 12)
    kinds = {"f32": jnp.float32, "f64": jnp.float64}
    for _ in range(200):
        if len(steps) == wanted:
            break
        s = step(rng, shapes)
        if s is None:
            continue
        out = jax.eval_shape(s[1], *[jax.ShapeDtypeStruct(shapes[k], kinds[dtype]) for k in s[0]]).shape
        if len(out) > 4 or math.prod(out) == 0:
            continue
        steps.append(s)
        used.update(s[0])
        shapes.append(out)
    results = [k for k in range(len(first), len(shapes)) if k not in used][-3:]

    def function(*args):
        values = list(args)
        for operands, f in steps:
            values.append(f(*[values[k] for k in operands]))
        return tuple(values[k] for k in results)

    return function, [f"{dtype}[{','.join(map(str, s))}]" for s in first], number % 3 == 0
