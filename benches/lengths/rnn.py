import jax
import jax.numpy as jnp


def loss(weights, wave):
    def step(state, sample):
        state = jnp.tanh(weights @ jnp.concatenate([jnp.ones(1), sample[None], state]))
        return state, state[0]

    _, predictions = jax.lax.scan(step, jnp.zeros(8), wave[:-1])
    return jnp.mean((predictions - wave[1:]) ** 2)


def two_waves(n):
    i = jnp.arange(float(n))
    return 0.5 * jnp.sin(0.3 * i) + 0.3 * jnp.sin(0.7 * i)


def start():
    i = jnp.arange(80.0)
    return (0.3 * jnp.sin(i * i)).reshape(8, 10)


def main():
    wave = two_waves(61)
    weights0 = start()

    def descend(weights, _):
        return weights - 0.5 * jax.grad(loss)(weights, wave), None

    weights, _ = jax.lax.scan(descend, weights0, None, length=300)
    return loss(weights0, wave), loss(weights, wave)
