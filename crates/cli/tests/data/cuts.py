"""Complex functions on the axes, where their branch cuts lie, with every sign of zero: the table of `cuts.rs`.

    python cuts.py > cuts.txt

Python's `cmath` follows C99 (Annex G), signed zeros and infinities included. A line is `function re im | re im`, in `f64`.
"""
import cmath
import sys

FUNCTIONS = ["sqrt", "log", "exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh"]
INF = float("inf")
print("# Written by cuts.py: Python", sys.version.split()[0])
for name in FUNCTIONS:
    f = getattr(cmath, name)
    points = []
    for a in (0.0, 0.5, 1.0, 2.0, 20.0, INF):
        for s in (a, -a):
            for zero in (0.0, -0.0):
                points += [complex(s, zero), complex(zero, s)]
    seen = set()
    for z in points:
        if repr(z) in seen:
            continue
        seen.add(repr(z))
        try:
            w = f(z)
        except ValueError:
            # Where C99 raises a flag (a pole, an invalid argument) Python raises an error; `log` and `atanh` have poles.
            if name == "log":
                w = complex(-INF, cmath.phase(z))
            elif name == "atanh" and z.imag == 0.0:
                w = complex(z.real * INF, z.imag)
            elif name == "atan" and z.real == 0.0:
                w = complex(z.real, z.imag * INF)
            else:
                continue
        print(name, repr(z.real), repr(z.imag), "|", repr(w.real), repr(w.imag))
