import jax
import jax.numpy as jnp


def newton(e, M, E):
    miss = E - e * jnp.sin(E) - M
    return E - miss / (1 - e * jnp.cos(E))


def anomaly(e, M):
    e_fixed, M_fixed = jax.lax.stop_gradient((e, M))

    def moving(state):
        return jnp.abs(state[1]) > 1e-10

    def step(state):
        E = newton(e_fixed, M_fixed, state[0])
        return E, E - state[0]

    E0, _ = jax.lax.while_loop(moving, step, (jnp.pi, jnp.inf))
    E1 = newton(e, M, E0)
    return newton(e, M, E1)


def main(e, M):
    slope = jax.grad(anomaly, argnums=1)
    return anomaly(e, M), slope(e, M), jax.grad(slope, argnums=1)(e, M)
