"""Reference values of scalar functions, computed with 60 digits and more by mpmath and rounded once.

    python scalar.py [points per function] > scalar.txt

A line is `op inputs = output`, every number the bits of an f64 in hexadecimal. Complex numbers take two (re im).
"""
import random
import struct
import sys

import mpmath as m

m.mp.dps = 60
N = int(sys.argv[1]) if len(sys.argv) > 1 else 30
rng = random.Random(20)
HUGE = m.mpf(2) ** 1024 * (1 - m.mpf(2) ** -54)


def rounded(x):
    if m.isnan(x):
        return float("nan")
    if m.isinf(x) or abs(x) >= HUGE:
        return float("inf") if x > 0 else float("-inf")
    return float(m.mpf(x))


def bits(x):
    return "%016x" % struct.unpack("<Q", struct.pack("<d", x))[0]


def span(lo, hi):
    return lambda: rng.uniform(lo, hi)


def log(lo, hi, signed=True):
    def f():
        x = 10.0 ** rng.uniform(lo, hi)
        return -x if signed and rng.random() < 0.5 else x

    return f


def mix(*fs):
    return lambda: rng.choice(fs)()


def near(c, lo=-16, hi=-1):
    return lambda: c + (10.0 ** rng.uniform(lo, hi)) * rng.choice([-1, 1])


def erfinv(x):
    with m.workdps(200):
        x = m.mpf(x)
        y = m.erfinv(x) if abs(x) < 0.999999 else m.sqrt(-m.log((1 - abs(x)))) * m.sign(x)
        for _ in range(40):
            d = ((m.erf(y) - x) if abs(x) < 0.5 else m.sign(y) * ((1 - abs(x)) - m.erfc(abs(y)))) * m.sqrt(m.pi) / 2 * m.exp(y * y)
            y -= d / (1 + y * d)
            if abs(d) < m.mpf(10) ** -60 * abs(y):
                break
        return y


def zeta(s, q):
    return m.zeta(m.mpf(s), m.mpf(q))


def polygamma(n, x):
    return m.psi(int(n), m.mpf(x))


def besselie(n):
    return lambda x: m.besseli(n, x) * m.exp(-abs(x))


any_ = mix(log(-300, 300), log(-3, 3), log(-20, 0), log(-310, -300))
mid = mix(log(-20, 2.8), span(-30, 30), log(-310, -200))
UNARY = {
    "exp": (m.exp, mix(mid, span(-745, 709.7))),
    "exp2": (lambda x: m.mpf(2) ** x, mix(mid, span(-1074, 1023.9))),
    "expm1": (m.expm1, mix(mid, span(-50, 709.7))),
    "log": (m.log, mix(log(-300, 300, False), near(1), log(-323, -300, False))),
    "log1p": (m.log1p, mix(log(-300, 300, False), near(0), span(-0.999, 2), near(-1, -15, -3), )),
    "sqrt": (m.sqrt, log(-320, 300, False)),
    "rsqrt": (lambda x: 1 / m.sqrt(x), log(-307, 300, False)),
    "cbrt": (lambda x: m.sign(x) * m.cbrt(abs(x)), any_),
    "sin": (m.sin, mix(log(-20, 22), span(-100, 100), log(20, 300))),
    "cos": (m.cos, mix(log(-20, 22), span(-100, 100), log(20, 300))),
    "tan": (m.tan, mix(log(-20, 22), span(-100, 100), log(20, 300))),
    "asin": (m.asin, mix(span(-1, 1), log(-20, 0), lambda: -near(1)())),
    "acos": (m.acos, mix(span(-1, 1), log(-20, 0), lambda: -near(1)())),
    "atan": (m.atan, any_),
    "sinh": (m.sinh, mix(mid, span(-710, 710))),
    "cosh": (m.cosh, mix(mid, span(-710, 710))),
    "tanh": (m.tanh, mid),
    "asinh": (m.asinh, any_),
    "acosh": (m.acosh, mix(log(0, 300, False), span(1, 3), lambda: abs(near(0)()) + 1)),
    "atanh": (m.atanh, mix(span(-1, 1), log(-20, 0), near(1))),
    "logistic": (lambda x: 1 / (1 + m.exp(-m.mpf(x))), mix(mid, span(-740, 40))),
    "erf": (m.erf, mix(span(-6, 6), log(-20, 1))),
    "erfc": (m.erfc, mix(span(-6, 26.5), log(-20, 1))),
    "erf_inv": (erfinv, mix(span(-1, 1), log(-20, 0), near(1))),
    "lgamma": (m.loggamma, mix(log(-20, 300, False), span(0.1, 30), span(-20, 0))),
    "digamma": (m.digamma, mix(log(-20, 300, False), span(0.1, 30), span(-20, 0), log(-10, 0))),
    "bessel_i0e": (besselie(0), mix(span(-40, 40), log(-20, 4))),
    "bessel_i1e": (besselie(1), mix(span(-40, 40), log(-20, 4))),
}
DOMAIN = {"asin": 1, "acos": 1, "atanh": 1, "erf_inv": 1}
LOWER = {"log1p": -1, "acosh": 1, "log": 0}
BINARY = {
    "pow": (lambda x, y: m.mpf(x) ** m.mpf(y), log(-2, 2, False), span(-60, 60)),
    "atan2": (lambda y, x: m.atan2(y, x), any_, any_),
    "zeta": (zeta, mix(span(1.01, 5), span(2, 40)), mix(span(0.1, 20), log(-3, 3, False))),
    "polygamma": (polygamma, lambda: float(rng.randint(0, 8)), mix(span(0.1, 20), log(-3, 3, False), span(-6, 0))),
}
cz = mix(log(-3, 2), span(-5, 5), log(-12, 0))
ce = mix(cz, log(-3, 2.6), log(-150, 0))
ca = mix(cz, log(-150, 150))
half = m.mpf(1) / 2
COMPLEX = {
    "exp": (m.exp, ce), "exp2": (lambda z: m.exp(z * m.log(2)), ce), "expm1": (m.expm1, ce), "log": (m.log, ca),
    "log1p": (lambda z: m.log(1 + z), ca), "sqrt": (m.sqrt, ca), "rsqrt": (lambda z: 1 / m.sqrt(z), ca),
    "cbrt": (lambda z: m.exp(m.log(z) / 3), ca), "sin": (m.sin, ce), "cos": (m.cos, ce), "tan": (m.tan, ce),
    "asin": (m.asin, ca), "acos": (m.acos, ca), "atan": (m.atan, ca), "sinh": (m.sinh, ce), "cosh": (m.cosh, ce),
    "tanh": (m.tanh, ce), "asinh": (m.asinh, ca), "acosh": (m.acosh, ca), "atanh": (m.atanh, ca),
    "logistic": (lambda z: 1 / (1 + m.exp(-z)), ce), "sign": (lambda z: z / abs(z), ca),
}
COMPLEX2 = {
    "div": (lambda a, b: a / b, ca, ca),
    "mul": (lambda a, b: a * b, mix(cz), mix(cz)),
    "pow": (lambda a, b: m.exp(b * m.log(a)), cz, span(-8, 8)),
}

print("# Written by scalar.py; see there.")
for name, (f, gen) in UNARY.items():
    k = 0
    while k < N:
        x = gen()
        if name in DOMAIN and not abs(x) < DOMAIN[name] or name in LOWER and not x > LOWER[name]:
            continue
        with m.workdps(400 if abs(x) > 1e15 or abs(x) < 1e-15 else 60):
            y = f(m.mpf(x))
            y = rounded(y.real if isinstance(y, m.mpc) else y)
        print(name, bits(x), "=", bits(y))
        k += 1
for name, (f, g, h) in BINARY.items():
    for _ in range(N):
        x, y = g(), h()
        with m.workdps(100):
            r = f(m.mpf(x), m.mpf(y))
            print(name, bits(x), bits(y), "=", bits(rounded(m.re(r))))
for name, (f, g) in COMPLEX.items():
    for _ in range(N):
        x, y = g(), g()
        with m.workdps(700):
            r = f(m.mpc(x, y))
            print(name, bits(x), bits(y), "=", bits(rounded(r.real)), bits(rounded(r.imag)))
for name, (f, g, h) in COMPLEX2.items():
    for _ in range(N):
        a, b, p, q = g(), g(), h(), h()
        with m.workdps(700):
            r = f(m.mpc(a, b), m.mpc(p, q))
            print(name, *map(bits, (a, b, p, q)), "=", bits(rounded(r.real)), bits(rounded(r.imag)))
