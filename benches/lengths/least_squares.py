import jax


def loss(x, y, w):
    residual = x @ w - y
    return residual @ residual
