"""First and second derivatives of the elementwise rows at points where a rule may go wrong: zeros, integers, halves, ends of
domains, arguments whose squares overflow or vanish, infinities (there the limit). From closed formulas, by mpmath, rounded once.

    python slopes.py > slopes.txt

A line is `row operands = derivatives`: f' f'' of one operand; f_1 f_2 f_11 f_12 f_22 of two. A complex number is two numbers, `c` stands
before its row. `-` is written where there is no limit.
"""
import math

import mpmath as m

m.mp.dps = 1000
HUGE = m.mpf(2) ** 1024 * (1 - m.mpf(2) ** -54)
INF = float("inf")
one = m.mpf(1)


def rounded(x):
    if x is None:
        return "-"
    if m.isinf(x) or abs(x) >= HUGE:
        return "inf" if x > 0 else "-inf"
    return repr(float(x))


def sgn(x):
    return -1 if m.sign(x) < 0 else 1


ln2, pi = m.log(2), m.pi
s = lambda x: 1 / (1 + m.exp(-x)) if x > 0 else m.exp(x) / (1 + m.exp(x))
s1 = lambda x: s(x) * s(-x)
s2 = lambda x: s1(x) * (s(-x) - s(x))
k = 2 * m.sqrt(2 / pi)
c3 = m.mpf(0.044715)
u, u1, u2 = (lambda x: k * (x + c3 * x**3)), (lambda x: k * (1 + 3 * c3 * x * x)), (lambda x: k * 6 * c3 * x)
phi = lambda x: m.exp(-x * x / 2) / m.sqrt(2 * pi)
gauss = lambda x: 2 / m.sqrt(pi) * m.exp(-x * x)


def erfinv(x):
    with m.workdps(60):
        return m.erfinv(x)


def bessel(n, d):
    """Derivatives of exp(-|x|) I_n(x) by the recurrences DLMF 10.29.2, for x > 0; leading terms where x is large."""

    def f(x):
        a = abs(x)
        if a > 5000:
            r = m.sqrt(2 * pi * a)
            v = [None, -1 / (2 * a * r), 3 / (4 * a * a * r)][d]
        else:
            i0, i1, e = m.besseli(0, a), m.besseli(1, a), m.exp(-a)
            v = {
                (0, 1): i1 - i0,
                (0, 2): 2 * i0 - i1 / a - 2 * i1,
                (1, 1): i0 - i1 / a - i1,
                (1, 2): (1 + 2 / a**2) * i1 - i0 / a - 2 * (i0 - i1 / a) + i1,
            }[n, d] * e
        return v if (n + d) % 2 == 0 or x > 0 else -v

    return f


any_ = lambda x: True
pos = lambda x: x > 0
inside = lambda x: abs(x) < 1
# Row: f', f'', domain, limits at +inf and -inf, further points with their limits (given the sign of zero).
N = (None, None)
UNARY = {
    "neg": (lambda x: -one, lambda x: 0 * one, any_, (-1, 0), (-1, 0), {}),
    "abs": (sgn, lambda x: 0, lambda x: x != 0, (1, 0), (-1, 0), {}),
    "sign": (lambda x: 0, lambda x: 0, lambda x: x != 0, (0, 0), (0, 0), {}),
    "real": (lambda x: 1, lambda x: 0, any_, (1, 0), (1, 0), {}),
    "imag": (lambda x: 0, lambda x: 0, any_, (0, 0), (0, 0), {}),
    "conj": (lambda x: 1, lambda x: 0, any_, (1, 0), (1, 0), {}),
    "exp": (m.exp, m.exp, any_, (INF, INF), (0, 0), {}),
    "exp2": (lambda x: ln2 * m.exp(x * ln2), lambda x: ln2**2 * m.exp(x * ln2), any_, (INF, INF), (0, 0), {}),
    "expm1": (m.exp, m.exp, any_, (INF, INF), (0, 0), {}),
    "log": (lambda x: 1 / x, lambda x: -1 / x**2, pos, (0, 0), N, {0.0: (INF, -INF)}),
    "log1p": (lambda x: 1 / (1 + x), lambda x: -1 / (1 + x) ** 2, lambda x: x > -1, (0, 0), N, {-1.0: (INF, -INF)}),
    "sqrt": (lambda x: x**-0.5 / 2, lambda x: -(x**-1.5) / 4, pos, (0, 0), N, {0.0: (INF, -INF)}),
    "rsqrt": (lambda x: -(x**-1.5) / 2, lambda x: 3 * x**-2.5 / 4, pos, (0, 0), N, {0.0: (-INF, INF)}),
    "cbrt": (lambda x: m.cbrt(abs(x)) ** -2 / 3, lambda x: -2 * m.cbrt(abs(x)) ** -5 / 9 * sgn(x), lambda x: x != 0, (0, 0), (0, 0),
             {"0.0": (INF, -INF), "-0.0": (INF, INF)}),
    "sin": (m.cos, lambda x: -m.sin(x), any_, N, N, {}),
    "cos": (lambda x: -m.sin(x), lambda x: -m.cos(x), any_, N, N, {}),
    "tan": (lambda x: 1 + m.tan(x) ** 2, lambda x: 2 * m.tan(x) * (1 + m.tan(x) ** 2), any_, N, N, {}),
    "asin": (lambda x: (1 - x * x) ** -0.5, lambda x: x * (1 - x * x) ** -1.5, inside, N, N, {1.0: (INF, INF), -1.0: (INF, -INF)}),
    "acos": (lambda x: -((1 - x * x) ** -0.5), lambda x: -x * (1 - x * x) ** -1.5, inside, N, N, {1.0: (-INF, -INF), -1.0: (-INF, INF)}),
    "atan": (lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2, any_, (0, 0), (0, 0), {}),
    "sinh": (m.cosh, m.sinh, any_, (INF, INF), (INF, -INF), {}),
    "cosh": (m.sinh, m.cosh, any_, (INF, INF), (-INF, INF), {}),
    "tanh": (lambda x: 4 * s1(2 * x), lambda x: 8 * s2(2 * x), any_, (0, 0), (0, 0), {}),
    "asinh": (lambda x: (1 + x * x) ** -0.5, lambda x: -x * (1 + x * x) ** -1.5, any_, (0, 0), (0, 0), {}),
    "acosh": (lambda x: (x * x - 1) ** -0.5, lambda x: -x * (x * x - 1) ** -1.5, lambda x: x > 1, (0, 0), N, {1.0: (INF, -INF)}),
    "atanh": (lambda x: 1 / (1 - x * x), lambda x: 2 * x / (1 - x * x) ** 2, inside, N, N, {1.0: (INF, INF), -1.0: (INF, -INF)}),
    "logistic": (s1, s2, any_, (0, 0), (0, 0), {}),
    "erf": (gauss, lambda x: -2 * x * gauss(x), any_, (0, 0), (0, 0), {}),
    "erfc": (lambda x: -gauss(x), lambda x: 2 * x * gauss(x), any_, (0, 0), (0, 0), {}),
    "erf_inv": (lambda x: m.sqrt(pi) / 2 * m.exp(erfinv(x) ** 2), lambda x: pi / 2 * erfinv(x) * m.exp(2 * erfinv(x) ** 2),
                lambda x: abs(x) < 1 and (abs(x) > 1e-30 or x == 0), N, N, {1.0: (INF, INF), -1.0: (INF, -INF)}),
    "lgamma": (lambda x: digamma(x), lambda x: trigamma(x), pos, (INF, 0), N, {}),
    "digamma": (lambda x: trigamma(x), lambda x: tetragamma(x), pos, (0, 0), N, {}),
    "bessel_i0e": (bessel(0, 1), bessel(0, 2), lambda x: x != 0, (0, 0), (0, 0), {}),
    "bessel_i1e": (bessel(1, 1), bessel(1, 2), lambda x: x != 0, (0, 0), (0, 0), {}),
    "silu": (lambda x: s(x) + x * s1(x), lambda x: 2 * s1(x) + x * s2(x), any_, (1, 0), (0, 0), {}),
    "softplus": (s, s1, any_, (1, 0), (0, 0), {}),
    "gelu": (lambda x: s(u(x)) + x * u1(x) * s1(u(x)),
             lambda x: (2 * u1(x) + x * u2(x)) * s1(u(x)) + x * u1(x) ** 2 * s2(u(x)), any_, (1, 0), (0, 0), {}),
    "gelu_exact": (lambda x: ncdf(x) + x * phi(x), lambda x: (2 - x * x) * phi(x), any_, (1, 0), (0, 0), {}),
}


def ncdf(x):
    if abs(x) > 1e6:
        return one if x > 0 else 0 * one
    with m.workdps(60):
        return m.ncdf(x)


def psi(n, x):
    """The leading terms where x is small or large (mpmath would take for ever), else mpmath."""
    if x < 1e-20:
        return {0: -1 / x - m.euler, 1: 1 / x**2, 2: -2 / x**3}[n]
    if x > 1e15:
        return {0: m.log(x) - 1 / (2 * x), 1: 1 / x + 1 / (2 * x * x), 2: -1 / x**2 - 1 / x**3}[n]
    with m.workdps(60):
        return m.psi(n, x)


digamma, trigamma, tetragamma = (lambda x: psi(0, x)), (lambda x: psi(1, x)), (lambda x: psi(2, x))
SIZES = [5e-324, 1e-310, 1e-300, 1e-155, 1e-20, 1e-12, 1e-8, 1e-3, 0.03, 0.25, 0.5, 0.75, 1 - 1e-10, 1.0, 1 + 1e-10, 1.5, 2.0, 3.0, 8.5, 10.0,
         20.0, 30.0, 45.0, 100.0, 700.0, 800.0, 1500.0, 1e5, 1e8, 1e16, 1e100, 1e155, 1e300]
print("# Written by slopes.py; see there.")
for name, (f1, f2, domain, up, down, more) in UNARY.items():
    at = {str(x): x for x in [0.0, -0.0] + [y for x in SIZES for y in (x, -x)]}
    for text, x in at.items():
        key = [v for p, v in more.items() if text == str(p)]
        if key:
            d = key[0]
        elif domain(x):
            d = f1(m.mpf(x)), f2(m.mpf(x))
        else:
            continue
        print(name, text, "=", *map(rounded, d))
    for x, d in ((INF, up), (-INF, down)):
        if d != N:
            print(name, x, "=", *map(rounded, d))

V = [0.0] + [y for x in (0.5, 1.0, 1.5, 2.0, 3.0, 1e-300, 1e155, 1e300) for y in (x, -x)]


def div(x, y):
    return None if y == 0 else (1 / y, -x / y**2, 0, -1 / y**2, 2 * x / y**3)


def rem(x, y):
    if y == 0 or x == 0 or abs(x / y) > 2**50 or abs(x / y) % 1 == 0:
        return None
    return 1, -int(x / y), 0, 0, 0


def atan2(y, x):
    r = x * x + y * y
    return None if r == 0 else (x / r, -y / r, -2 * x * y / r**2, (y * y - x * x) / r**2, 2 * x * y / r**2)


def greater(x, y):
    return None if x == y else (int(x > y), int(x < y), 0, 0, 0)


def pow_(a, b):
    whole = b == int(b)
    if a == 0:
        if b < 0 or not whole:
            return (-INF if b < 0 and b % 2 == 0 else INF if b > 0 and b < 1 else None, None, None, None, None) if abs(b) < 1 and b > 0 else None
        f2 = (0, 0, 0) if b > 1 else (0 if b == 1 else None, None, None)
        return {0: 0, 1: 1}.get(int(b), 0), f2[0], 2 if b == 2 else 0, f2[1], f2[2]
    if a < 0 and (not whole or abs(b) > 1e10):
        return None
    e = lambda n: m.power(a, int(b) + n) if whole and abs(b) < 1e10 else m.exp((b + n) * m.log(a))
    l = m.log(a) if a > 0 else None
    return (b * e(-1), l * e(0) if l is not None else None, b * (b - 1) * e(-2), e(-1) * (1 + b * l) if l is not None else None,
            l * l * e(0) if l is not None else None)


BINARY = {
    "add": lambda x, y: (1, 1, 0, 0, 0), "sub": lambda x, y: (1, -1, 0, 0, 0), "mul": lambda x, y: (y, x, 0, 1, 0), "div": div, "rem": rem,
    "atan2": atan2, "max": greater, "min": lambda x, y: greater(y, x), "pow": pow_,
}
for name, f in BINARY.items():
    for x in V:
        for y in V:
            d = f(m.mpf(x), m.mpf(y))
            if d is not None:
                print(name, x, y, "=", *map(rounded, d))
# Infinite operands: limits.
Z = (0, 0, 0, 0, 0)
for y in (0.0, 1.0, -2.0):
    for e in (INF, -INF):
        print("atan2", y, e, "=", *Z)
        print("atan2", e, y, "=", *Z)
        print("div", y, e, "=", *Z)
        print("rem", y, e, "= 1 0 0 0 0")
        print("max", y, e, "=", *((0, 1) if e > 0 else (1, 0)), "0 0 0")
        print("min", y, e, "=", *((1, 0) if e > 0 else (0, 1)), "0 0 0")
for b, d in {2.0: "inf inf 2.0 - -", 1.0: "1.0 inf 0 - -", 0.5: "0 inf 0 - -", 0.0: "0 inf 0 - -", -1.0: "0 0 0 0 0", -2.5: "0 0 0 0 0"}.items():
    print("pow inf", b, "=", d)
for q in (1e-8, 0.5, 1.0, 2.0, 30.0, 1e8):
    for t in (1.5, 2.0, 3.0):
        with m.workdps(60):
            print("zeta", t, q, "= -", rounded(-t * m.zeta(t + 1, q)), "- -", rounded(t * (t + 1) * m.zeta(t + 2, q)))
    for n in (0, 1, 2):
        with m.workdps(60):
            print("polygamma", float(n), q, "= -", rounded(m.psi(n + 1, m.mpf(q))), "- -", rounded(m.psi(n + 2, m.mpf(q))))

# Complex rows that are holomorphic. A real or imaginary number lies on the side of a cut that its part 0 says.
tiny = m.mpf(10) ** -900
sq = m.sqrt
COMPLEX = {
    "exp": (m.exp, m.exp), "exp2": (lambda z: ln2 * m.exp(z * ln2), lambda z: ln2**2 * m.exp(z * ln2)), "expm1": (m.exp, m.exp),
    "log": (lambda z: 1 / z, lambda z: -1 / z**2), "log1p": (lambda z: 1 / (1 + z), lambda z: -1 / (1 + z) ** 2),
    "sqrt": (lambda z: 1 / (2 * sq(z)), lambda z: -1 / (4 * z * sq(z))),
    "rsqrt": (lambda z: -1 / (2 * z * sq(z)), lambda z: 3 / (4 * z * z * sq(z))),
    "cbrt": (lambda z: m.exp(m.log(z) / 3) / (3 * z), lambda z: -2 * m.exp(m.log(z) / 3) / (9 * z * z)),
    "sin": (m.cos, lambda z: -m.sin(z)), "cos": (lambda z: -m.sin(z), lambda z: -m.cos(z)),
    "tan": (lambda z: m.cos(z) ** -2, lambda z: 2 * m.sin(z) / m.cos(z) ** 3),
    "asin": (lambda z: 1 / (sq(1 - z) * sq(1 + z)), lambda z: z / (sq(1 - z) * sq(1 + z)) ** 3),
    "acos": (lambda z: -1 / (sq(1 - z) * sq(1 + z)), lambda z: -z / (sq(1 - z) * sq(1 + z)) ** 3),
    "atan": (lambda z: 1 / (1 + z * z), lambda z: -2 * z / (1 + z * z) ** 2),
    "sinh": (m.cosh, m.sinh), "cosh": (m.sinh, m.cosh), "tanh": (lambda z: m.cosh(z) ** -2, lambda z: -2 * m.sinh(z) / m.cosh(z) ** 3),
    "asinh": (lambda z: 1 / (sq(1 - 1j * z) * sq(1 + 1j * z)), lambda z: -z / (sq(1 - 1j * z) * sq(1 + 1j * z)) ** 3),
    "acosh": (lambda z: 1 / (sq(z - 1) * sq(z + 1)), lambda z: -z / (sq(z - 1) * sq(z + 1)) ** 3),
    "atanh": (lambda z: 1 / (1 - z * z), lambda z: 2 * z / (1 - z * z) ** 2),
    "logistic": (lambda z: m.exp(-z) / (1 + m.exp(-z)) ** 2, lambda z: m.exp(-z) * (m.exp(-z) - 1) / (1 + m.exp(-z)) ** 3),
}
POINTS = [0.5 + 0j, -0.5 + 0j, 2 + 0j, -2 + 0j, 3j, -3j, 0.5j, -0.5j, 0.5 + 0.5j, -0.3 + 0.7j, 1 + 1j, -3 - 4j, 1e-155 + 1e-155j, 1e-12 - 2e-12j]
LARGE = [1e155 + 1e155j, -1e200 + 2e200j, 1e200 - 1e100j, 3e250j]
GROWING = {"exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "logistic"}
for name, (f1, f2) in COMPLEX.items():
    for z in POINTS + ([] if name in GROWING else LARGE):
        w = m.mpc(z.real or math.copysign(1, z.real) * tiny, z.imag or math.copysign(1, z.imag) * tiny)
        d = m.mpc(f1(w)), m.mpc(f2(w))
        print("c", name, z.real, z.imag, "=", *(rounded(p) for v in d for p in (v.real, v.imag)))
for z in (2 + 0j, 1j, -1 + 0.5j, 0.3 - 2j):
    for w in (0j, 1 + 0j, 2 + 0j, -1 + 0j, 0.5 + 0j, 1j, -2 + 0.5j):
        a, b = m.mpc(z), m.mpc(w)
        l, e = m.log(a), m.exp(b * m.log(a))
        pow2 = (b * e / a, l * e, b * (b - 1) * e / a**2, e / a * (1 + b * l), l * l * e)
        rows = {"pow": pow2, "mul": (b, a, 0, 1, 0)}
        if w:
            rows["div"] = (1 / b, -a / b**2, 0, -1 / b**2, 2 * a / b**3)
        for name, d in rows.items():
            print("c", name, z.real, z.imag, w.real, w.imag, "=", *(rounded(p) for v in map(m.mpc, d) for p in (v.real, v.imag)))
