import jax
import jax.numpy as jnp
import numpy as np

x_train = np.load("data/x_train.npy")
y_train = np.load("data/y_train.npy")
x_test = np.load("data/x_test.npy")
y_test = np.load("data/y_test.npy")


def scores(x, w, b):
    return x @ w + b


def loss(x, y, w, b):
    z = scores(x, w, b)
    fit = jax.nn.logsumexp(z, axis=1) - jnp.sum(z * y, axis=1)
    return jnp.sum(fit) + 0.5 * jnp.sum(w * w)


def accuracy(x, labels, w, b):
    return jnp.mean(jnp.argmax(scores(x, w, b), axis=1) == labels)


def step(x, y, w, b, vw, vb):
    gw, gb = jax.grad(loss, argnums=(2, 3))(x, y, w, b)
    vw = 0.97 * vw + gw
    vb = 0.97 * vb + gb
    slope = jnp.sum(gw * gw) + jnp.sum(gb * gb)
    return w - 0.001 * vw, b - 0.001 * vb, vw, vb, slope


def main():
    y = jax.nn.one_hot(y_train, 10)
    w, b = jnp.zeros((64, 10)), jnp.zeros(10)

    def more(state):
        return state[4] > 1e-4

    def descend(state):
        w, b, vw, vb, _ = state
        return step(x_train, y, w, b, vw, vb)

    w, b, _, _, _ = jax.lax.while_loop(more, descend, (w, b, w, b, jnp.inf))
    return loss(x_train, y, w, b), accuracy(x_test, y_test, w, b)
