"""Prints crates/backends/src/vmath/coef.rs. Needs mpmath."""
from mpmath import mp, mpf, expm1, log, sin, cos, sinh, atan, pi, chebyfit, sqrt, exp, erf, erfc, diff
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
print("//! Polynomial coefficients, lowest power first, and split constants, computed with 60 digits by `tests/data/vmath.py`.")
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
def lq(z):
    if z < mpf(10)**-10: return mpf(2)/5 + z*2/7
    s = sqrt(z)
    return (log((1+s)/(1-s)) - 2*s - s**3*2/3)/s**5
fit("POW32", "(2 atanh(s) − 2s − 2s³/3)/s⁵ in z = s² on [0, 0.0401]", lq, mpf(0), mpf('0.0401'), 2, True)
fit("POW64", "(2 atanh(s) − 2s − 2s³/3)/s⁵ in z = s² on [0, 0.0401]", lq, mpf(0), mpf('0.0401'), 7, False)
t23 = mpf(2)/3
const("TWO_THIRDS_32", "2/3 in two parts", [mpf(f32(t23)), t23 - mpf(f32(t23))], True)
const("TWO_THIRDS_64", "2/3 in two parts", [mpf(float(t23)), t23 - mpf(float(t23))], False)
def er(z):
    if z < mpf(10)**-20: return 2/sqrt(pi) - 1 - z*2/sqrt(pi)/3
    x = sqrt(z); return erf(x)/x - 1
fit("ERF32", "erf(x)/x − 1 in z = x² up to x = 0.875", er, mpf(0), mpf('0.7657'), 5, True)
fit("ERF64", "erf(x)/x − 1 in z = x² up to x = 0.875", er, mpf(0), mpf('0.7657'), 11, False)
def tail(k):
    return lambda t: (lambda x: (1 + 2*x)*exp(x*x)*erfc(x))(k*(1+t)/(1-t))
def tr(k, x): return (mpf(x)-k)/(mpf(x)+k)
fit("ERFC32", "(1 + 2x) exp(x²) erfc(x) in t = (x − 2.25)/(x + 2.25) for x in [0.5, 10.5]", tail(mpf('2.25')), tr(mpf('2.25'), '0.499'), tr(mpf('2.25'), '10.51'), 9, True)
fit("ERFC64", "(1 + 2x) exp(x²) erfc(x) in t = (x − 3.75)/(x + 3.75) for x in [0.5, 28]", tail(mpf('3.75')), tr(mpf('3.75'), '0.499'), tr(mpf('3.75'), '28.01'), 22, False)
