"""Complex functions at powers of ten, computed by mpmath with enough digits and rounded once.

    python complex.py [all] > complex.txt

After a line `op QUADRANTS` follow the values at z = x + iy, for every x and every y among the powers of ten with the
exponents of the line `exponents`, y running fastest; where QUADRANTS is 2, at x + iy and then at -x + iy. The other quadrants
follow by f(conj z) = conj f(z) and, where QUADRANTS is 1, by parity. Formulas are those of `COMPLEX` here. After `pow` and `div`
each line is `re im re im = re im`, two operands and the result. Every number is the bits of an f64 in hexadecimal.

With `all` the exponents are every seventh from -300 to 300, for a check that takes an hour. `all NAME,NAME` are these functions.
"""
import struct
import sys

import mpmath as m

m.mp.dps = 1400
HUGE = m.mpf(2) ** 1024 * (1 - m.mpf(2) ** -54)
EXPONENTS = [-300, -160, -20, -9, -2, 0, 1, 2, 3, 9, 17, 22, 160, 300]
if len(sys.argv) > 1:
    EXPONENTS = list(range(-300, 301, 7)) + [0, 1, 2, 3, 300]
LN2 = m.log(2)


def rounded(x):
    if abs(x) >= HUGE:
        return float("inf") if x > 0 else float("-inf")
    return float(x)


def bits(x):
    return "%x" % struct.unpack("<Q", struct.pack("<d", x))[0]


def logistic(z):
    return 1 / (1 + m.exp(-z)) if z.real > 0 else m.exp(z) / (1 + m.exp(z))


def tanh(z):
    e = m.exp(-2 * z) if z.real > 0 else m.exp(2 * z)
    w = (1 - e) / (1 + e)
    return w if z.real > 0 else -w


def times_i(f):
    """-i f(iz)"""
    return lambda z: -1j * f(1j * z)


def asin(z):
    """-i log(iz + sqrt(1 - z^2)), of the half plane where the sum does not cancel."""
    if z.imag > 0:
        return -asin(-z)
    return -1j * m.log(1j * z + m.sqrt(1 - z) * m.sqrt(1 + z))


def atanh(z):
    return (m.log(1 + z) - m.log(1 - z)) / 2


ODD = {
    "sin": times_i(m.sinh), "tan": times_i(tanh), "asin": asin, "atan": times_i(atanh), "sinh": m.sinh, "tanh": tanh,
    "asinh": times_i(asin), "atanh": atanh, "sign": lambda z: z / m.sqrt(z.real ** 2 + z.imag ** 2),
    "cos": lambda z: m.cosh(1j * z), "cosh": m.cosh,
}
OTHER = {
    "exp": m.exp, "exp2": lambda z: m.exp(z * LN2), "expm1": lambda z: m.exp(z) - 1, "log": m.log,
    "log1p": lambda z: m.log(1 + z), "sqrt": m.sqrt, "rsqrt": lambda z: 1 / m.sqrt(z), "cbrt": lambda z: m.exp(m.log(z) / 3),
    "acos": lambda z: m.pi / 2 - asin(z), "acosh": lambda z: 2 * m.log(m.sqrt((z + 1) / 2) + m.sqrt((z - 1) / 2)),
    "logistic": logistic,
}
COMPLEX = {**ODD, **OTHER}
only = sys.argv[2].split(",") if len(sys.argv) > 2 else list(COMPLEX) + ["pow", "div"]

print("# Written by complex.py; see there.")
print("exponents", *EXPONENTS)
for name in only:
    if name in ("pow", "div"):
        continue
    f = COMPLEX[name]
    print(name, 1 if name in ODD else 2)
    for kx in EXPONENTS:
        for ky in EXPONENTS:
            for x in [1.0] if name in ODD else [1.0, -1.0]:
                r = m.mpc(f(m.mpc(x * float("1e%d" % kx), float("1e%d" % ky))))
                print(bits(rounded(r.real)), bits(rounded(r.imag)), flush=True)
# Bases near the unit circle and far from it; exponents whose product with the logarithm goes through all magnitudes.
BASES = [1j, 0.6 + 0.8j, -1 + 1e-9j, 1 + 1e-300j, 2 + 0j, 1e300 + 1e300j, 1e-300 - 1e-300j, -3 + 4j, 0.999 - 1e-20j]
SIZES = [1e-300, 1e-20, 1e-3, 0.5, 1.0, 3.0, 100.0, 1e6, 1e10, 1e15, 1e16, 1e18, 1e22, 1e40, 1e100, 1e200, 1e300]
if "pow" in only:
    print("pow")
    for z in BASES:
        for s in SIZES:
            for w in [s, -s, 1j * s, -1j * s, s * (1 + 2j)]:
                l = m.mpc(w) * m.log(m.mpc(z))
                if abs(l.real) > 2000:
                    continue
                r = m.exp(l)
                z, w = complex(z), complex(w)
                print(*map(bits, (z.real, z.imag, w.real, w.imag)), "=", bits(rounded(r.real)), bits(rounded(r.imag)))
if "div" in only:
    print("div")
    D = [-300, -160, -9, 0, 9, 160, 300]
    for i, ka in enumerate(D):
        for j, kb in enumerate(D):
            for kc in D:
                for kd in D[(i + j) % 2::2]:
                    a, b = complex(float("1e%d" % ka), -float("1e%d" % kb)), complex(-float("1e%d" % kc), float("1e%d" % kd))
                    r = m.mpc(a) / m.mpc(b)
                    print(*map(bits, (a.real, a.imag, b.real, b.imag)), "=", bits(rounded(r.real)), bits(rounded(r.imag)))
