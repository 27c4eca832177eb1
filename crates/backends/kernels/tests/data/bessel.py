"""Prints crates/backends/kernels/src/scalar/bessel.rs. Needs mpmath."""
from mpmath import mp, mpf, cos, pi, besseli, exp, sqrt
mp.dps=50
def cheb(f,N=64):
    xs=[cos(pi*(k+mpf(1)/2)/N) for k in range(N)]
    fs=[f(x) for x in xs]
    c=[]
    for j in range(N):
        c.append(mpf(2)/N*sum(fs[k]*cos(pi*j*(k+mpf(1)/2)/N) for k in range(N)))
    c[0]/=2
    m=abs(c[0])
    n=max(j for j in range(N) if abs(c[j])>mpf(10)**-18*m)
    return c[:n+1]
def small(n): return lambda t: (lambda x: exp(-x)*besseli(n,x)/(x**n if n and x>0 else 1) if x>0 or n==0 else mpf(1)/2)(4*(t+1))
def large(n):
    def f(t):
        if t<=-1: return 1/sqrt(2*pi)
        x=16/(t+1); return sqrt(x)*exp(-x)*besseli(n,x)
    return f
print("//! Chebyshev coefficients for `bessel_i0e` and `bessel_i1e`, computed with 50 digits by `tests/data/bessel.py`.")
print("//!")
print("//! Intervals and arguments are those of Cephes `i0.c`, `i1.c` (S. L. Moshier): x/4 − 1 on [0, 8], 16/x − 1 beyond.")
for name,f,doc in [("I0_SMALL",small(0),"e⁻ˣ I₀(x) on [0, 8]"),("I0_LARGE",large(0),"√x e⁻ˣ I₀(x) on [8, ∞)"),("I1_SMALL",small(1),"e⁻ˣ I₁(x) / x on [0, 8]"),("I1_LARGE",large(1),"√x e⁻ˣ I₁(x) on [8, ∞)")]:
    c=cheb(f)
    print(f"\n/// {doc}.\npub(super) const {name}: [f64; {len(c)}] = [")
    for v in c: print(f"    {float(v)!r},")
    print("];")
