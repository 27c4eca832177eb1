import jax
import jax.numpy as jnp


def rosenbrock(x):
    off = x[1:] - x[:-1] ** 2
    return jnp.sum(100 * off**2 + (1 - x[:-1]) ** 2)


def hvp(x, d):
    return jax.jvp(jax.grad(rosenbrock), (x,), (d,))[1]


def newton_direction(x, g):
    gg = g @ g
    enough = jnp.minimum(0.25, jnp.sqrt(gg)) * gg

    def more(state):
        z, r, d, rr, convex, count = state
        return (rr > enough) & convex

    def step(state):
        z, r, d, rr, convex, count = state
        hd = hvp(x, d)
        curvature = d @ hd
        convex = curvature > 0
        length = rr / curvature
        z = jnp.where(convex, z + length * d, z)
        r = r + length * hd
        rr_new = r @ r
        return z, r, rr_new / rr * d - r, rr_new, convex, count + 1

    start = (jnp.zeros_like(g), g, -g, gg, True, 0)
    z, _, _, _, _, products = jax.lax.while_loop(more, step, start)
    return jnp.where(g @ z < 0, z, -g), products


def line_search(x, p, value, g):
    promise = 1e-4 * (g @ p)

    def worse(s):
        return rosenbrock(x + s * p) > value + s * promise

    def shorter(s):
        return 0.5 * s

    return x + jax.lax.while_loop(worse, shorter, 1.0) * p


def main():
    def steep(state):
        g = jax.grad(rosenbrock)(state[0])
        return g @ g > 1e-16

    def step(state):
        x, steps, products = state
        value, g = jax.value_and_grad(rosenbrock)(x)
        p, more = newton_direction(x, g)
        return line_search(x, p, value, g), steps + 1, products + more

    start = (jnp.array([1.3, 0.7, 0.8, 1.9, 1.2]), 0, 0)
    x, steps, products = jax.lax.while_loop(steep, step, start)
    return x, rosenbrock(x), steps, products
