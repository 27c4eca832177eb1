"""Linear algebra: by the library, and written as loops."""
import jax
import jax.numpy as jnp
import jax.scipy.linalg as sl
from jax import lax

from . import case


@case("f64[200,200]^", grad=True)
def cholesky_log_det(a):
    return 2 * jnp.sum(jnp.log(jnp.diagonal(jnp.linalg.cholesky(a))))


@case("f64[150,150]^", "f64[150]", grad=True)
def solve_and_norm(a, b):
    return jnp.linalg.norm(jnp.linalg.solve(a, b))


@case("f64[500,8,8]^", "f64[500,8]", grad=True)
def small_solves(a, b):
    return jnp.linalg.solve(a, b[..., None])[..., 0]


@case("f64[2000,3,3]^", grad=True)
def inverses_of_three(a):
    return jnp.linalg.inv(a)


@case("f64[100,60]")
def qr_least_squares(a):
    q, r = jnp.linalg.qr(a)
    return sl.solve_triangular(r, q.T @ jnp.ones(100))


@case("f64[80,80]^", grad=True)
def eigenvalues_of_symmetric(a):
    return jnp.linalg.eigh(a)[0][-5:]


@case("f64[60,40]", grad=True)
def nuclear_norm(a):
    return jnp.sum(jnp.linalg.svd(a, compute_uv=False))


@case("f32[100,12,12]")
def many_svds(a):
    return jnp.linalg.svd(a)[1]


@case("f64[50,50]~")
def matrix_exponential(a):
    return sl.expm(a * 0.2)


@case("f64[100,100]^", grad=True)
def slogdet(a):
    return jnp.linalg.slogdet(a)[1]


@case("f64[60,60]")
def lu_by_loop(a):
    a = a + 60 * jnp.eye(60)

    def step(k, a):
        i = jnp.arange(60)
        l = jnp.where(i > k, a[:, k] / a[k, k], 0)
        return a - jnp.outer(l, jnp.where(i >= k, a[k], 0)) + jnp.outer(l, i == k)

    return lax.fori_loop(0, 60, step, a)


@case("f64[48,48]^", grad=True)
def cholesky_by_loop(a):
    n = 48

    def column(j, l):
        i = jnp.arange(n)
        s = a[:, j] - l @ l[j]
        d = jnp.sqrt(s[j])
        return l.at[:, j].set(jnp.where(i >= j, s / d, 0))

    return lax.fori_loop(0, n, column, jnp.zeros((n, n)))


@case("f64[80,30]")
def gram_schmidt(a):
    def column(k, q):
        v = a[:, k] - q @ (q.T @ a[:, k])
        return q.at[:, k].set(v / jnp.linalg.norm(v))

    return lax.fori_loop(0, 30, column, jnp.zeros((80, 30)))


@case("f64[300,300]^")
def power_iteration(a):
    def step(v, _):
        w = a @ v
        return w / jnp.linalg.norm(w), None

    v = lax.scan(step, jnp.ones(300), None, length=100)[0]
    return v @ a @ v


@case("f64[200,200]^", "f64[200]", grad=True)
def conjugate_gradients(a, b):
    def step(_, s):
        x, r, p, rr = s
        q = a @ p
        k = rr / (p @ q)
        r2 = r - k * q
        new = r2 @ r2
        return x + k * p, r2, r2 + new / rr * p, new

    return lax.fori_loop(0, 20, step, (jnp.zeros(200), b, b, b @ b))[0]


@case("f64[200,200]", "f64[200]")
def library_gmres(a, b):
    return jax.scipy.sparse.linalg.gmres(lambda x: a @ x + 30 * x, b, maxiter=3, restart=10)[0]


@case("f64[30,30]", "f64[30,30]")
def sylvester_by_kronecker(a, b):
    a, b, n = a[:12, :12] + 5 * jnp.eye(12), b[:12, :12], 12
    m = jnp.kron(jnp.eye(n), a) + jnp.kron(b.T, jnp.eye(n))
    return jnp.linalg.solve(m, jnp.ones(n * n)).reshape(n, n)


@case("f64[40,40]")
def newton_schulz(a):
    x = a.T / (jnp.max(jnp.sum(jnp.abs(a), 0)) * jnp.max(jnp.sum(jnp.abs(a), 1)))
    return lax.fori_loop(0, 20, lambda _, x: x @ (2 * jnp.eye(40) - a @ x), x)


@case("f64[64,4,4]", grad=True)
def product_of_transfer_matrices(a):
    def step(m, x):
        m = m @ (jnp.eye(4) + 0.1 * x)
        return m / jnp.linalg.norm(m), None

    return lax.scan(step, jnp.eye(4), a)[0]


@case("f64[12,8,2,8]", grad=True)
def matrix_product_state_norm(t):
    def step(e, a):
        e = jnp.einsum("ab,aic,bid->cd", e, a, a)
        return e / jnp.sum(jnp.abs(e)), jnp.log(jnp.sum(jnp.abs(e)))

    return jnp.sum(lax.scan(step, jnp.eye(8), t)[1])


@case("f64[20,20]", "f64[30,20]", grad=True)
def mahalanobis(l, x):
    l = jnp.tril(l) + 5 * jnp.eye(20)
    y = sl.solve_triangular(l, x.T, lower=True)
    return jnp.sum(y * y, 0)


@case("f64[500,500]")
def triangular_parts(a):
    return jnp.tril(a, -1) + jnp.triu(a.T, 1) + jnp.diag(jnp.diagonal(a))


@case("f64[20,15]", "f64[15,25]")
def alternating_factors(u, v):
    a = u @ v

    def step(s, _):
        u, v = s
        v = jnp.linalg.solve(u.T @ u + 0.1 * jnp.eye(5), u.T @ a)
        u = jnp.linalg.solve(v @ v.T + 0.1 * jnp.eye(5), v @ a.T).T
        return (u, v), None

    return lax.scan(step, (u[:, :5], v[:5]), None, length=10)[0]
