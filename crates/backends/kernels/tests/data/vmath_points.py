"""Prints reference points for `tests/vmath.rs`.

A line is `op inputs = output + rest`: the bits of f64s in hexadecimal, the rest in units in the last place of the output.

    python vmath_points.py [points per function and range] > points.txt

Computed with mpmath, 40 digits beyond what cancels, and rounded once.
"""
import math
import random
import struct
import sys

import mpmath as m

N = int(sys.argv[1]) if len(sys.argv) > 1 else 4
rng = random.Random(7)
M = m.mpf


def bits(x):
    return "%016x" % struct.unpack("<Q", struct.pack("<d", x))[0]


def rounded(y):
    if abs(y) >= M(2) ** 1024 * (1 - M(2) ** -54):
        return float("inf") if y > 0 else float("-inf")
    if abs(y) < M(2) ** -1022:
        return math.copysign(float(m.nint(abs(y) * M(2) ** 1074)) * 5e-324, y)
    return float(y)


def line(y):
    r = rounded(y)
    if abs(r) == float("inf"):
        return bits(r) + " + 0"
    unit = max(m.frexp(y)[1] - 53, -1074)
    return "%s + %.4f" % (bits(r), (y - M(r)) / M(2) ** unit)


F = {
    "exp": (m.exp, [(-745.2, 709.8), (-2, 2), (-708.5, -745.2)]),
    "exp2": (lambda x: M(2) ** x, [(-1075, 1024), (-2, 2), (-1022, -1075)]),
    "expm1": (m.expm1, [(-40, 709.8), (-1, 1), (-3, 3)]),
    "log": (m.log, [(0, 3), (0.9, 1.1), "+"]),
    "log1p": (m.log1p, [(-1, 2), (-0.1, 0.1), "+"]),
    "tanh": (m.tanh, [(-22, 22), (-1, 1), "."]),
    "logistic": (lambda x: 1 / (1 + m.exp(-x)), [(-745, 40), (-4, 4)]),
    "sin": (m.sin, [(-10, 10), (-1e6, 1e6), (-1e9, 1e9), "q", "*", "w"]),
    "cos": (m.cos, [(-10, 10), (-1e6, 1e6), (-1e9, 1e9), "q", "*", "w"]),
    "tan": (m.tan, [(-10, 10), (-1e6, 1e6), (-1e9, 1e9), "q", "*", "w"]),
    "atan": (m.atan, [(-3, 3), (-30, 30), "*"]),
    "asin": (m.asin, [(-1, 1), (0.4, 0.6), ".", "1"]),
    "acos": (m.acos, [(-1, 1), (0.4, 0.6), ".", "1"]),
    "asinh": (m.asinh, [(-3, 3), (-1e9, 1e9), "*"]),
    "acosh": (m.acosh, [(1, 3), (1, 1.001), "+1"]),
    "atanh": (m.atanh, [(-1, 1), ".", "1"]),
    "sinh": (m.sinh, [(-710.4, 710.4), (-2, 2), "."]),
    "cosh": (m.cosh, [(-710.4, 710.4), (-2, 2)]),
    "sqrt": (m.sqrt, ["+"]),
    "rsqrt": (lambda x: 1 / m.sqrt(x), ["+", (0, 4)]),
    "cbrt": (lambda x: m.sign(x) * m.cbrt(abs(x)), ["*", (-8, 8)]),
    "erf": (m.erf, [(-6, 6), (-1, 1), "."]),
    "erfc": (m.erfc, [(-6, 28), (0, 2), (25, 27.3)]),
}


def draw(r):
    if r == "q":  # near multiples of pi/4
        return float(rng.randint(-10 ** rng.randint(1, 9), 10 ** 9) * m.pi / 4)
    if isinstance(r, tuple):
        return rng.uniform(*r)
    if r == "1":  # near an end of [-1, 1]
        return rng.choice((-1, 1)) * (1 - 10 ** -rng.uniform(0, 16))
    if r == "w":  # near multiples of pi/2, by convergents of 2^(e + 1)/pi
        with m.workdps(700):
            e = rng.randint(-40, 970)
            v, q0, q1 = M(2) ** (e + 1) / m.pi, 0, 1
            while True:
                v = 1 / (v - m.floor(v))
                q2 = int(m.floor(v)) * q1 + q0
                if q2 >= 2 ** 53:
                    return float(q1) * 2.0 ** e
                q0, q1 = q1, q2
    while True:
        x = struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]
        if r in ("+", "+1"):
            x = abs(x)
        if r == "+1" and x < 1:
            continue
        if x == x and abs(x) != float("inf") and not (r == "." and not 1e-320 < abs(x) < 1):
            return x


for name, (f, ranges) in F.items():
    for r in ranges:
        for _ in range(N):
            x = draw(r)
            with m.workdps(760 if abs(x) > 1e15 or abs(x) < 1e-15 else 60):
                print(name, bits(x), "=", line(f(M(x))))
for k in range(3):
    for _ in range(N):
        x = (rng.uniform(0, 10), draw("+"), 1 + rng.uniform(-1, 1) * 10 ** -rng.uniform(0, 15))[k]
        with m.workdps(60):
            y = float(rng.uniform(-1, 1) * 1074 / max(abs(m.log(x, 2)), M(10) ** -15))
            print("pow", bits(x), bits(y), "=", line(M(x) ** M(y)))
for k in range(3):
    for _ in range(N):
        y, x = draw("*"), draw("*")
        if k == 0:
            y, x = rng.uniform(-3, 3), rng.uniform(-3, 3)
        if k == 1:
            x = y * (1 + rng.uniform(-1, 1) * 10 ** -rng.uniform(0, 3)) * 2.0 ** rng.randint(-3, 3)
        if abs(x) < 1e308:
            with m.workdps(760 if k == 2 else 60):
                print("atan2", bits(y), bits(x), "=", line(m.atan2(M(y), M(x))))
for r in [(-1, 1), ".", "1"]:
    for _ in range(N):
        x = draw(r)
        with m.workdps(400 if abs(x) < 1e-15 else 60):
            y = m.erfinv(M(x))
            # Near an end by its complement, which has all digits.
            for _ in range(3 if abs(x) > 0.9 else 0):
                y -= m.sign(y) * (m.erfc(abs(y)) - (1 - abs(M(x)))) / (-2 / m.sqrt(m.pi) * m.exp(-y * y))
            print("erf_inv", bits(x), "=", line(y))
