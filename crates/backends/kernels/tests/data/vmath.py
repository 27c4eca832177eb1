"""Prints crates/backends/kernels/src/vmath/coef.rs. Needs mpmath."""
from mpmath import mp, mpf, expm1, log, sin, cos, sinh, asin, atan, pi, chebyfit, sqrt, exp, erf, erfc, erfinv, nint
import struct, sys
mp.dps = 60
def f32(v): return struct.unpack('f', struct.pack('f', float(v)))[0]
def lit(v, single):
    x = f32(v) if single else float(v)
    s = repr(x)
    return s if ('.' in s or 'e' in s or 'inf' in s) else s + '.0'
def fit(name, doc, f, lo, hi, deg, single):
    c, err = chebyfit(f, [lo, hi], deg + 1, error=True)
    c = c[::-1]
    print(f"\n/// {doc}; error {float(err):.1e}.")
    print(f"pub(super) const {name}: [f64; {deg+1}] = [")
    for x in c: print(f"    {lit(x, single)},")
    print("];")
def taylor(coefs, x): return sum(mpf(c) * x**k for k, c in enumerate(coefs))
h = mpf('0.3468')
def q(r):
    if abs(r) < mpf(10)**-12: return mpf(1)/2 + r/6 + r*r/24
    return (expm1(r) - r)/r**2
print("//! Polynomial coefficients, lowest power first, split constants and tables, computed with 60 digits by `tests/data/vmath.py`.\nuse super::v::Lut;")
fit("EXP32", "(eʳ − 1 − r)/r² on ±0.3468", q, -h, h, 4, True)
fit("EXP64", "(eʳ − 1 − r)/r² on ±0.3468", q, -h, h, 9, False)
fit("EM32", "(eʳ − 1 − r)/r² on [−0.35, 0.522]", q, mpf('-0.35'), mpf('0.522'), 5, True)
fit("EM64", "(eʳ − 1 − r)/r² on [−0.35, 0.522]", q, mpf('-0.35'), mpf('0.522'), 10, False)
def lg(f):
    if abs(f) < mpf(10)**-10: return mpf(1)/3 - f/4 + f*f/5
    return (log(1+f) - f + f*f/2)/f**3
fit("LOG32", "(log(1 + f) − f + f²/2)/f³ on [−0.25, 0.5]", lg, mpf('-0.2501'), mpf('0.5001'), 8, True)
def lgs(z):
    if z < mpf(10)**-12: return mpf(2)/3 + z*2/5
    s = sqrt(z)
    return (log((1+s)/(1-s)) - 2*s)/s**3
fit("LOG64", "(2 atanh(s) − 2s)/s³ in z = s² on [0, 0.0401]", lgs, mpf(0), mpf('0.0401'), 7, False)
m = (pi/4*mpf('1.005'))**2
def s_(z):
    if z < mpf(10)**-12: return -mpf(1)/6 + z/120
    x = sqrt(z); return (sin(x) - x)/x**3
def c_(z):
    if z < mpf(10)**-10: return mpf(1)/24 - z/720
    x = sqrt(z); return (cos(x) - 1 + z/2)/z**2
for b, single, ds, dc in ((32, True, 3, 2), (64, False, 5, 5)):
    fit(f"SIN{b}", "(sin r − r)/r³ in z = r² up to r = 0.789", s_, mpf(0), m, ds, single)
    fit(f"COS{b}", "(cos r − 1 + z/2)/z² in z = r² up to r = 0.789", c_, mpf(0), m, dc, single)
def sh(z):
    if z < mpf(10)**-12: return mpf(1)/6 + z/120
    x = sqrt(z); return (sinh(x) - x)/x**3
fit("SINH32", "(sinh x − x)/x³ in z = x² up to 1", sh, mpf(0), mpf(1), 3, True)
fit("SINH64", "(sinh x − x)/x³ in z = x² up to 1", sh, mpf(0), mpf(1), 7, False)
def at(z):
    if z < mpf(10)**-12: return -mpf(1)/3 + z/5
    x = sqrt(z); return (atan(x) - x)/x**3
t = (sqrt(mpf(2)) - 1 + mpf('0.0001'))**2
fit("ATAN32", "(atan t − t)/t³ in z = t² up to t = tan(π/8)", at, mpf(0), t, 4, True)
fit("ATAN64", "(atan t − t)/t³ in z = t² up to t = tan(π/8)", at, mpf(0), t, 10, False)
def trunc(v, bits):
    from mpmath import frexp
    m_, e = frexp(v); return mpf(int(m_*2**bits))*mpf(2)**(e-bits)
def const(name, doc, vals, single, attr=""):
    print(f"\n/// {doc}.")
    print(f"{attr}pub(super) const {name}: [f64; {len(vals)}] = [{', '.join(lit(v, single) for v in vals)}];")
def split(v, bits, single, n):
    r, o = v, []
    for i in range(n):
        x = trunc(r, bits) if i < n-1 else (mpf(f32(r)) if single else mpf(float(r)))
        o.append(x); r -= x
    return o
l2 = log(mpf(2))
const("LN2_32", "ln 2 in two parts; n times the first is exact for |n| < 2⁹", split(l2, 15, True, 2), True)
const("LN2_64", "ln 2 in two parts; n times the first is exact for |n| < 2¹¹", split(l2, 42, False, 2), False)
const("PIO2_32", "π/2 in three parts", split(pi/2, 24, True, 3), True)
const("PIO2_64", "π/2 in three parts", split(pi/2, 53, False, 3), False, '#[expect(clippy::approx_constant, reason = "the parts belong together")]\n')

rc = lambda m: m**(-mpf(1)/3)
fit("RCBRT32", "m^(−1/3) on [0.75, 1.5]", rc, mpf('0.75'), mpf('1.5'), 3, True)
fit("RCBRT64", "m^(−1/3) on [0.75, 1.5]", rc, mpf('0.75'), mpf('1.5'), 4, False)
# log m = log(m inv) - log inv, with inv near 1/m from a table numbered by round(16 m): 12..24, modulo 16
inv = {j: (mpf(1) if j == 16 else nint(256 / mpf(j)) / 16 if j < 16 else nint(512 / mpf(j)) / 32) for j in range(12, 25)}
spans = [(v * (mpf(max(2 * j - 1, 24)) / 32) - 1, v * (mpf(min(2 * j + 1, 48)) / 32) - 1) for j, v in inv.items()]
lo, hi = min(x[0] for x in spans), max(x[1] for x in spans)
def lq(r):
    if abs(r) < mpf(10)**-12: return mpf(1)/3 - r/4 + r*r/5
    return (log(1+r) - r + r*r/2)/r**3
for b, single, d in ((32, True, 4), (64, False, 10)):
    fit(f"POW{b}", f"(log(1 + r) − r + r²/2)/r³ on [{float(lo):.4f}, {float(hi):.4f}]", lq, lo, hi, d, single)
def lut(name, doc, f):
    at = lambda i, single: f(inv[i if i >= 12 else i + 16], single) if i >= 12 or i <= 8 else mpf(0)
    print(f"\n/// {doc}.\npub(super) static {name}: Lut = Lut {{")
    for k, single in (("s", True), ("d", False)):
        print(f"    {k}: [{', '.join(lit(at(i, single), single) for i in range(16))}],")
    print("};")
grid = lambda v, single: nint(v * 2**(15 if single else 42)) / mpf(2)**(15 if single else 42)
lut("INV", "1/m to four or five digits, by the low four bits of round(16 m) for m in [0.75, 1.5]", lambda v, _: v)
lut("INV_LOG", "−log of that, so many digits that a sum with n times the first part of ln 2 is exact", lambda v, s: grid(-log(v), s))
lut("INV_LOG_LOW", "What the entries of `INV_LOG` lack", lambda v, s: -log(v) - grid(-log(v), s))
def er(z):
    if z < mpf(10)**-20: return 2/sqrt(pi) - 1 - z*2/sqrt(pi)/3
    x = sqrt(z); return erf(x)/x - 1
fit("ERF32", "erf(x)/x − 1 in z = x² up to x = 0.875", er, mpf(0), mpf('0.7657'), 5, True)
fit("ERF64", "erf(x)/x − 1 in z = x² up to x = 0.875", er, mpf(0), mpf('0.7657'), 11, False)
def tail(k, near):
    return lambda t: (lambda x: exp(x*x)*erfc(x)*(x + near))(k*(1+t)/(1-t))
def tr(k, x): return (mpf(x)-k)/(mpf(x)+k)
def tails(name, near, k, lo, hi, deg, single):
    n, k = mpf(near), mpf(k)
    fit(name, f"(x + {near}) exp(x²) erfc(x) in t = (x − {float(k)})/(x + {float(k)}) for x in [{lo}, {hi}]", tail(k, n), tr(k, lo), tr(k, hi), deg, single)
tails("ERFC32", '0.8828125', '2.25', '0', '10.2', 10, True)
tails("ERFC64", '0.8828125', '4', '0', '27.5', 21, False)
tails("ERFT32", '1.75', '1.75', '0.87', '4', 6, True)
tails("ERFT64", '2.5', '2.5', '0.87', '5.95', 15, False)
def as_(z):
    if z < mpf(10)**-12: return mpf(1)/6 + z*3/40
    x = sqrt(z); return (asin(x) - x)/x**3
fit("ASIN32", "(asin x − x)/x³ in z = x² up to 1/4", as_, mpf(0), mpf('0.2501'), 4, True)
fit("ASIN64", "(asin x − x)/x³ in z = x² up to 1/4", as_, mpf(0), mpf('0.2501'), 11, False)
def quarter(name, doc, f):
    print(f"\n/// {doc}.\npub(super) static {name}: Lut = Lut {{")
    for k, single in (("s", True), ("d", False)):
        print(f"    {k}: [{', '.join(lit(f(i * pi / 4, single) if i < 5 else mpf(0), single) for i in range(16))}],")
    print("};")
near = lambda v, single: mpf(f32(v)) if single else mpf(float(v))
quarter("QUARTERS", "n π/4 for n up to 4", near)
quarter("QUARTERS_LOW", "What the entries of `QUARTERS` lack", lambda v, single: v - near(v, single))
def einv(w):
    """erf_inv(x)/x at w = -log(1 - x²): by Halley's method on erfc, where 1 - x is short of digits."""
    w = mpf(w)
    if w < mpf(10)**-40: return sqrt(pi)/2
    x = sqrt(-expm1(-w)); c = exp(-w)/(1 + x)
    y = erfinv(x) if x < mpf('0.9') else sqrt(w)
    for _ in range(0 if x < mpf('0.9') else 90):
        s = (erfc(y) - c)/(-2/sqrt(pi)*exp(-y*y)); s /= 1 + y*s; y -= s
        if abs(s) < mpf(10)**-55: break
    return y/x
def halved(name, doc, f, mid, lo, hi, deg, single):
    mid = mpf(mid)
    c, err = chebyfit(lambda t: f(mid + t), [mpf(lo) - mid, mpf(hi) - mid], deg + 1, error=True)
    c = c[::-1]
    first = mpf(f32(c[0])) if single else mpf(float(c[0]))
    c = [first, c[0] - first] + c[1:]
    print(f"\n/// {doc}; error {float(err):.1e}. The first two are one number.\npub(super) const {name}: [f64; {len(c)}] = [")
    for x in c: print(f"    {lit(x, single)},")
    print("];")
root = lambda s: einv(mpf(s)**2)
halved("ERFINV32", "erf_inv(x)/x in w − 1, w = −log(1 − x²) up to 5", einv, '1', '0', '5', 9, True)
halved("ERFINVS32", "erf_inv(x)/x in √w − 3 for w in [5, 16]", root, '3', '2.23', '4', 10, True)
halved("ERFINV64", "erf_inv(x)/x in w − 1.5, w = −log(1 − x²) up to 6.25", einv, '1.5', '0', '6.25', 23, False)
halved("ERFINVS64", "erf_inv(x)/x in √w − 3.25 for w in [6.25, 16]", root, '3.25', '2.499', '4', 20, False)
halved("ERFINVL64", "erf_inv(x)/x in √w − 5 for w in [16, 36.1]", root, '5', '4', '6.01', 18, False)
